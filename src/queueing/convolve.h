/* Convolve: the distribution of a sum of independent variables. */
#ifndef NB_QUEUEING_CONVOLVE_H
#define NB_QUEUEING_CONVOLVE_H

#include "queueing/distribution.h"

/* The maximum number of steps (length times the listed masses of every
 * distribution) that one convolution may take: some minutes. */
#define NB_CONVOLVE_STEPS 1e11

/*
 * The distribution of the sum, listed up to length and cut there (is_cut). A
 * distribution X with masses x_0 .. x_{N-1} listed and x_{N+j} = b r^j after
 * them joins a sum S by
 *
 *     P(S+X = n) = sum_{m<N} x_m P(S = n-m) + g_n,
 *     g_n = r g_{n-1} + b P(S = n-N),
 *     P(S+X >= L) = P(S >= L) + sum_{s<L} P(S = s) P(X >= L-s),
 *
 * only positive terms and none left out, so that the cut costs no accuracy.
 * Every tail is right within error * max(tail, NB_DISTRIBUTION_LEAST): a far
 * part may have a larger relative error where it is far below that.
 *
 * distributions    [count]  not cut; the same one may occur again
 * count   >= 1
 * length  >= 1
 *
 * Errors: NB_NO_MEMORY; NB_INVALID for no distributions, empty ones, or beyond
 * NB_CONVOLVE_STEPS.
 */
enum nb_status
nb_distributions_convolve(const struct nb_distribution *const *distributions,
                          size_t count, size_t length,
                          struct nb_distribution *out, struct nb_error *err);

/*
 * Adds one distribution, in place, to a sum that is listed up to its length and
 * cut there. Of the sum's tails, reads and writes only the last: call
 * nb_distribution_add_up after the last distribution.
 *
 * distribution      not cut
 * scratch  [sum->length + 1]
 */
void nb_distribution_join(const struct nb_distribution *distribution,
                          struct nb_distribution *sum,
                          struct nb_twofold *scratch);

#endif
