/* TeX: the little of it that stands in data/references.bib, as plain text. */
#ifndef NB_EXPLAIN_TEX_H
#define NB_EXPLAIN_TEX_H

#include "core/text.h"

/* Appends the text from at to end in UTF-8: accents put together, braces left
 * out (round ones for an exponent), a line break as a blank. */
void nb_tex_print(const char *at, const char *end, struct nb_text *text);

/* The same for the initials of given names: "William J." gives "W. J.",
 * "Won-Taek" "W.-T.". */
void nb_tex_print_initials(const char *at, const char *end,
                           struct nb_text *text);

#endif
