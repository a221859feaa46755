/* Look: the layout of text for people, in columns or with tabs, in colours or
 * plain. The code that prints chooses it: whether there is a terminal is not
 * known here. */
#ifndef NB_REPORT_LOOK_H
#define NB_REPORT_LOOK_H

#include "core/text.h"

#include <stdbool.h>
#include <stddef.h>

NB_PUBLIC_BEGIN

/* How numbers that are known as ratios are shown. */
enum nb_numbers {
    NB_NUMBERS_BOTH, /* decimals, next to them the ratio if there is room */
    NB_NUMBERS_DECIMAL,
    NB_NUMBERS_EXACT, /* only ratios */
};

/* Without columns, cells are separated by single tabs, each in its place. */
struct nb_look {
    bool has_columns;
    bool has_colours;
    size_t width; /* of a line, characters; 0: any */
    enum nb_numbers numbers;
    const char *lead; /* precedes the quantities; NULL: nothing */
};

/* Columns of any width and no colours. */
extern const struct nb_look nb_look_plain;

/* The kind of a piece of text, shown by its colour if there are colours. The
 * colours used are readable on dark and on light. */
enum nb_ink {
    NB_INK_PLAIN,
    NB_INK_NAME,  /* bold: names of quantities, tables and sections */
    NB_INK_EXACT, /* cyan: the exact ratio */
    NB_INK_DIM,   /* units, sources, notes */
    NB_INK_ALERT, /* red: infinite values, and errors */
};

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* Appends bytes in an ink. */
void nb_ink_add(const struct nb_look *look, enum nb_ink ink, const char *bytes,
                size_t length, struct nb_text *text);

/* The sequences that begin and end an ink, for text not made with nb_ink_add;
 * empty without colours. */
const char *nb_ink_begin(const struct nb_look *look, enum nb_ink ink);
const char *nb_ink_end(const struct nb_look *look, enum nb_ink ink);

/* The indentation of lines below a heading. */
const char *nb_look_indent(const struct nb_look *look);

NB_INTERNAL_END

#endif
