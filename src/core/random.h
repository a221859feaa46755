/* Random numbers: one independent stream per task, so that results do not
 * depend on how tasks are spread over threads. */
#ifndef NB_CORE_RANDOM_H
#define NB_CORE_RANDOM_H

#include "core/public.h"

#include <stdint.h>

/*
 * Philox 4x32-10, a counter-based generator: a stream (seed, task) is a key and
 * half of a counter, so any task's numbers are computed without the others'.
 * GSL's generators have no such streams.
 *
 * Source: [Salmon2011].
 */
struct nb_random {
    uint64_t seed;
    uint64_t task;
    uint64_t position;
    uint32_t block[4];
    unsigned used; /* words of block already used */
};

NB_INTERNAL_BEGIN

/* The block of four words for a key and a 128-bit counter. */
void nb_philox(const uint32_t counter[4], const uint32_t key[2],
               uint32_t block[4]);

void nb_random_init(struct nb_random *random, uint64_t seed, uint64_t task);

/* Uniform over all 64-bit values. */
uint64_t nb_random_next(struct nb_random *random);

/* Uniform over 0..bound-1 without bias; 0 if bound is 0. */
uint64_t nb_random_below(struct nb_random *random, uint64_t bound);

/* Uniform over the multiples of 2^-53 in [0, 1). */
double nb_random_unit(struct nb_random *random);

/* A uniformly random permutation of 0..count-1 (Fisher-Yates). */
void nb_random_permutation(struct nb_random *random, uint32_t count,
                           uint32_t *permutation);

NB_INTERNAL_END

#endif
