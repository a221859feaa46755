/* Escape: converts any plain text to other languages. */
#ifndef NB_EXPORT_ESCAPE_H
#define NB_EXPORT_ESCAPE_H

#include "core/text.h"

/* All of them replace invalid UTF-8 bytes, and characters that XML does not
 * permit, by U+FFFD. */

/*
 * Appends text for the body of a LaTeX document: in paragraphs, captions and
 * table cells, with pdfTeX and without packages (a LaTeX of 2020 or later).
 * Control characters and line ends become blanks; a character without a pdfTeX
 * glyph is shown by its number, \texttt{U+1F600}; long words may be broken.
 */
void nb_escape_latex(const char *plain, struct nb_text *text);

/* Appends text within a line of GitHub's Markdown, including table cells: no
 * markup, no HTML, no formula. Control characters become blanks. */
void nb_escape_markdown(const char *plain, struct nb_text *text);

/* Appends the body of a JSON string (without the quotes), which may also be
 * part of a script in an HTML page. Source: RFC 8259, section 7. */
void nb_escape_json(const char *plain, struct nb_text *text);

/* Appends a Python expression for the text: a string literal for each line,
 * each on its own line; Python joins them. It can be escaped again for JSON.
 * Source: the Python language reference, section 2.4. */
void nb_escape_python(const char *plain, struct nb_text *text);

#endif
