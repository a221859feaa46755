/* Formula coverage: which rows of data/formulas.txt are needed by answers. */
#ifndef NB_TESTS_SUPPORT_FORMULA_COVERAGE_H
#define NB_TESTS_SUPPORT_FORMULA_COVERAGE_H

#include "explain/expression.h"

enum { FORMULA_ROWS = 1000, FORMULA_SHOWS = 8 };

/* The rows, whether a question needed them, and which of their fields "shows"
 * an answer contained. */
struct formula_coverage {
    size_t count;
    struct nb_formula rows[FORMULA_ROWS];
    bool is_used[FORMULA_ROWS];
    bool is_shown[FORMULA_ROWS][FORMULA_SHOWS];
};

void formula_coverage_open(struct formula_coverage *coverage);

/* Marks the row of a quantity and all symbols it depends on; returns its
 * place. */
size_t formula_coverage_mark(struct formula_coverage *coverage,
                             const struct nb_subject *subject,
                             const struct nb_formula *row);

/* Marks the symbols of an expression; whether the answer has all that it
 * names. */
bool formula_coverage_read(struct formula_coverage *coverage,
                           const struct nb_subject *subject,
                           struct nb_stretch expression);

#endif
