/* The unbalanced worst case of one channel as a linear program, solved by
 * GLPK: independent of src/bounds. */
#ifndef NB_TESTS_SUPPORT_UNBALANCED_PROGRAM_H
#define NB_TESTS_SUPPORT_UNBALANCED_PROGRAM_H

#include <stddef.h>

/*
 * The least alpha at which traffic whose rows sum to at most alpha and whose
 * columns sum to at most 1 makes a load of the bound; +inf if no traffic does.
 *
 * n     rows of the matrix, 1 .. 64
 * load  [n^2] of a unit from row to column
 */
double unbalanced_program_solve(size_t n, const double *load, double bound);

#endif
