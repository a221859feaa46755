/* What reading expressions and finding what their names stand for share. */
#ifndef NB_EXPLAIN_EXPRESSION_WORK_H
#define NB_EXPLAIN_EXPRESSION_WORK_H

#include "explain/expression.h"

/* An expression being read. */
struct nb_reading {
    const struct nb_subject *subject;
    const char *at, *end;
    const struct nb_table *table; /* whose rows are gone through; or NULL */
    size_t row;
    struct nb_text *numbers;    /* or NULL */
    struct nb_symbols *symbols; /* or NULL */
    size_t depth;               /* symbols within symbols */
    size_t operations;
    bool has_failed;
};

/* A sum, with what binds closer. */
struct nb_figure nb_reading_sum(struct nb_reading *reading);

/* Skips blanks, which numbers keep; whether the text goes on with this, then
 * taken. */
bool nb_reading_take(struct nb_reading *reading, const char *text);

/* Remembers a symbol, once; symbols may be NULL. */
void nb_symbols_add(struct nb_symbols *symbols, const struct nb_formula *row);

/* Fails the reading. */
struct nb_figure nb_reading_fail(struct nb_reading *reading);

/* Letters, digits and "_" at the place, and with_dots "." among them. */
struct nb_stretch nb_reading_word(const struct nb_reading *reading,
                                  bool with_dots);

struct nb_figure nb_figure_of_ratio(struct nb_ratio exact);
/* A double, exact where it is a whole number. */
struct nb_figure nb_figure_of_double(double value);
/* A number as an option or a note has it. */
bool nb_figure_read(struct nb_stretch text, struct nb_figure *out);
/* As it stands among other numbers: ratios and negative ones in brackets. */
void nb_figure_print(struct nb_figure figure, struct nb_text *text);

#endif
