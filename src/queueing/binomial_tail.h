/* Tails of binomial distributions, however small. */
#ifndef NB_QUEUEING_BINOMIAL_TAIL_H
#define NB_QUEUEING_BINOMIAL_TAIL_H

#include "core/enclosure.h"

#include <stdint.h>

/*
 * P(X >= least) and P(X <= most), X ~ Bin(n, p), and the union bound binom(n,
 * least) p^least of the first.
 *
 * n  trials, 1 to 10^7
 * p  probability of success, in [0, 1]
 *
 * Sums of positive terms, each computed from the previous one, from the
 * likeliest outwards and divided by the sum of all: brackets are widened by the
 * possible rounding. The union bound requires n p up to 10^4.
 */
struct nb_bracket nb_binomial_at_least(uint32_t n, struct nb_ratio p,
                                       uint32_t least);
struct nb_bracket nb_binomial_at_most(uint32_t n, struct nb_ratio p,
                                      uint32_t most);
struct nb_bracket nb_binomial_union(uint32_t n, struct nb_ratio p,
                                    uint32_t least);

#endif
