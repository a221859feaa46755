/* Dense program: a small linear program as a matrix. */
#ifndef NB_TESTS_SUPPORT_DENSE_PROGRAM_H
#define NB_TESTS_SUPPORT_DENSE_PROGRAM_H

#include "bounds/linear/linear.h"

#include <stdbool.h>

enum { DENSE_LARGEST = 24 };
static const double dense_tolerance = 1e-11; /* range of some tens */

/* A program as a dense matrix, from which ours are built. */
struct dense {
    size_t rows, columns;
    double entry[DENSE_LARGEST][DENSE_LARGEST];
    double right[DENSE_LARGEST];
    enum nb_linear_sense sense[DENSE_LARGEST];
    double cost[DENSE_LARGEST], most[DENSE_LARGEST];
};

/* Fails the test with the claim, and shows the program, unless it is true. */
void dense_require(bool holds, const char *claim, const struct dense *dense);

/* Adds a column, with its entries in the existing rows, or a row. */
void dense_add_column(struct nb_linear *linear, const struct dense *dense,
                      size_t column);
void dense_add_row(struct nb_linear *linear, const struct dense *dense,
                   size_t row);

/* The complete program. */
struct nb_linear *dense_make(const struct dense *dense);

/* Solves without a time limit or fails the test. */
enum nb_linear_end dense_solve(struct nb_linear *linear,
                               enum nb_linear_method method);

/* Checks that the solution is feasible, and that its duals prove it optimal. */
void dense_must_be_optimal(const struct nb_linear *linear,
                           const struct dense *dense);

#endif
