/* Wrap: text in lines of a limited width. */
#ifndef NB_REPORT_WRAP_H
#define NB_REPORT_WRAP_H

#include "core/text.h"
#include "report/look.h"

/* The width of a text in characters: continuation bytes of UTF-8 and inks
 * (report/look.h) take no room. */
size_t nb_text_width(const char *text, size_t length);

/* Lines end after words; those of headings also after "_" and "/". */
enum nb_breaks { NB_BREAKS_WORDS, NB_BREAKS_HEADING };

/* The length in bytes of the first line, without trailing blanks: as many words
 * as fit into the width, at least one. */
size_t nb_wrap_line(const char *text, size_t width, enum nb_breaks breaks);
/* What is after the first line. */
const char *nb_wrap_rest(const char *text, size_t width, enum nb_breaks breaks);

struct nb_wrapped {
    size_t lines;
    size_t widest; /* width of the widest line */
};
struct nb_wrapped nb_wrap_measure(const char *text, size_t width,
                                  enum nb_breaks breaks);

/*
 * Appends words in lines no wider than width (0: any), unless a single word is.
 *
 * indent   blanks before the first line
 * hanging  blanks before the other lines
 */
void nb_text_wrap(const char *words, size_t width, size_t indent,
                  size_t hanging, struct nb_text *text);

/* Wraps the lines of a text that are too wide for the look, from a place on, by
 * words; further lines are indented by two more. */
void nb_text_fit(struct nb_text *text, size_t from, const struct nb_look *look);

#endif
