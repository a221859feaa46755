/* Plain average: the best average over a sample of permutations as one linear
 * program, without symmetry. */
#ifndef NB_TESTS_SUPPORT_PLAIN_AVERAGE_H
#define NB_TESTS_SUPPORT_PLAIN_AVERAGE_H

#include "optimum/best_average.h"

/*
 * The least mean of g_x, of paths "any" or "minimal" on a network without
 * groups, with a variable for every pair and channel and a row for every
 * permutation and channel:
 *
 *     sum over terminals t of f_(t, x(t)),c <= b_c g_x,   g_x >= 1 / limit
 *
 * limit: what the terminals' own channels carry. Routers' permutations follow
 * from those of the terminals, nb_random_permutation of stream (seed, x). Fails
 * the test if GLPK fails.
 */
double plain_average_load(const struct nb_average_question *question);

#endif
