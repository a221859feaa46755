/* Look: how text for people is set - in columns or between tabs, in colours
 * or plain. Who prints chooses it: whether there is a terminal is not known
 * here. */
#ifndef NB_REPORT_LOOK_H
#define NB_REPORT_LOOK_H

#include "core/text.h"

#include <stdbool.h>
#include <stddef.h>

NB_PUBLIC_BEGIN

/* How numbers that are known as ratios are shown. */
enum nb_numbers {
    NB_NUMBERS_BOTH, /* decimals, the ratio beside them where there is room */
    NB_NUMBERS_DECIMAL,
    NB_NUMBERS_EXACT, /* ratios alone */
};

/* Without columns, cells stand between single tabs, each at its place. */
struct nb_look {
    bool has_columns;
    bool has_colours;
    size_t width; /* of a line, characters; 0: any */
    enum nb_numbers numbers;
    const char *lead; /* stands before the quantities; NULL: nothing does */
};

/* Columns of any width and no colours. */
extern const struct nb_look nb_look_plain;

/* What a piece of text is, told by its colour where there are colours. Those
 * used can be read on dark and on light. */
enum nb_ink {
    NB_INK_PLAIN,
    NB_INK_NAME,  /* bold: names of quantities, tables and sections */
    NB_INK_EXACT, /* cyan: the exact ratio */
    NB_INK_DIM,   /* units, sources, notes */
    NB_INK_ALERT, /* red: what is infinite, and errors */
};

/* Appends bytes in an ink. */
void nb_ink_add(const struct nb_look *look, enum nb_ink ink, const char *bytes,
                size_t length, struct nb_text *text);

/* The sequences that begin and end an ink, for what is not made as text;
 * empty without colours. */
const char *nb_ink_begin(const struct nb_look *look, enum nb_ink ink);
const char *nb_ink_end(const struct nb_look *look, enum nb_ink ink);

/* What a line below a heading begins with. */
const char *nb_look_indent(const struct nb_look *look);

NB_PUBLIC_END

#endif
