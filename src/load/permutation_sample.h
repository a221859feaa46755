/* Permutation sample: the throughputs of random permutations. */
#ifndef NB_LOAD_PERMUTATION_SAMPLE_H
#define NB_LOAD_PERMUTATION_SAMPLE_H

#include "core/public.h"
#include "load/permutation_loads.h"

/*
 * Permutation i = 0 .. count-1 of the terminals is nb_random_permutation from
 * stream (seed, i). Owns its arrays; zero-initialised is valid and empty.
 *
 * Throughputs are rates per terminal. The mean is over the n permutations that
 * load a channel (for the rest the rate is infinite, unless the terminals limit
 * it). Its 95 % confidence interval ends where the mean of the tilted sample
 * satisfies
 *
 *     |mean(tilt) - mean| = t(n - 1) deviation(tilt) / sqrt(n),
 *     weights proportional to exp(tilt throughput),
 *
 * which for two values is Wilson's interval, with Student's t instead of the
 * normal distribution's 1.96, and never leaves the sample's range. If all
 * values are equal, it is that of nb_interval_of_equal for throughputs from 0
 * to terminal_limit; but if all permutations are equal (NB_KERNEL_FIXED), the
 * mean is known.
 */
struct nb_permutation_sample {
    size_t count;
    union nb_load_cell *peak; /* [count] falling, so throughputs rise */
    size_t idle_count; /* number of infinite throughputs: the last ones */
    size_t worst;      /* the first with the greatest peak */
    uint32_t *worst_permutation; /* [terminal_count] */
    struct nb_interval mean; /* +inf if no permutation drawn loads a channel;
                              * then nothing is known of others */
};

NB_INTERNAL_BEGIN

/*
 * Draws the sample.
 *
 * count  [1]  >= 1
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_permutation_sample_draw(
    const struct nb_permutation_loads *loads, uint64_t seed, size_t count,
    const struct nb_run *run, struct nb_permutation_sample *out,
    struct nb_error *err);

void nb_permutation_sample_release(struct nb_permutation_sample *sample);

/* The peak of the least throughput that percent (1 .. 100) of the sample's do
 * not exceed. */
union nb_load_cell
nb_permutation_sample_quantile(const struct nb_permutation_sample *sample,
                               unsigned percent);

/* The end of the run of equal peaks that begins at first. */
size_t nb_permutation_sample_run(const struct nb_permutation_loads *loads,
                                 const struct nb_permutation_sample *sample,
                                 size_t first);

/* How many permutations are limited only by the terminals' channels: those
 * whose peaks are below all others. */
size_t
nb_permutation_sample_limited(const struct nb_permutation_loads *loads,
                              const struct nb_permutation_sample *sample);

/* The harmonic mean of the throughputs. */
struct nb_enclosure
nb_permutation_sample_harmonic(const struct nb_permutation_loads *loads,
                               const struct nb_permutation_sample *sample);

NB_INTERNAL_END

#endif
