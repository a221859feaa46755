/* The plain Hungarian method in O(n^3): the slow, independent answer. */
#ifndef NB_TESTS_SUPPORT_HUNGARIAN_H
#define NB_TESTS_SUPPORT_HUNGARIAN_H

#include <stddef.h>
#include <stdint.h>

/*
 * Largest total weight of a permutation of an n x n matrix, row-major;
 * column_of_row (n, out) receives the permutation. Returns -1 if memory is
 * short.
 */
int64_t hungarian_integer(size_t n, const int64_t *weight,
                          uint32_t *column_of_row);
double hungarian_double(size_t n, const double *weight,
                        uint32_t *column_of_row);

#endif
