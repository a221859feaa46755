/* Loads of one torus channel per pair of routers, by closed counting: inputs
 * of the matching tests and measurements, independent of src/load. */
#ifndef NB_TESTS_SUPPORT_LOAD_MATRIX_H
#define NB_TESTS_SUPPORT_LOAD_MATRIX_H

#include <stdint.h>

enum load_scheme {
    LOAD_DOR, /* x first; both directions equally often if equally long */
    LOAD_VAL, /* uniform intermediate router, dimension order to and from it */
    LOAD_MIN, /* uniform over all shortest paths */
    LOAD_DOR_Y, /* LOAD_DOR and LOAD_VAL on a channel in the other direction */
    LOAD_VAL_Y,
};

/*
 * The least common denominator of all entries, or 0 if N times it reaches
 * 2^62 (or an entry's own denominator does).
 *
 * k  radix of the k x k torus, 2 .. 32; N = k^2
 */
int64_t load_matrix_denominator(enum load_scheme scheme, unsigned k);

/*
 * The load that a unit of traffic from router i to router j puts on the
 * channel (0, 0) -> (1, 0), with _Y (0, 0) -> (0, 1), router (x, y) having
 * number x + k y.
 *
 * denominator  a multiple of load_matrix_denominator, which is not 0
 * matrix       N x N, out, row-major; entries times the denominator
 */
void load_matrix_integer(enum load_scheme scheme, unsigned k,
                         int64_t denominator, int64_t *matrix);

/* The same as the nearest doubles (two roundings). */
void load_matrix_double(enum load_scheme scheme, unsigned k, double *matrix);

#endif
