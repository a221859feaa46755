/* Permutation sample: the throughputs of random permutations. */
#ifndef NB_LOAD_PERMUTATION_SAMPLE_H
#define NB_LOAD_PERMUTATION_SAMPLE_H

#include "core/public.h"
#include "load/permutation_loads.h"

NB_PUBLIC_BEGIN

/*
 * Permutation i = 0 .. count-1 of the terminals is nb_random_permutation from
 * stream (seed, i). Owns its arrays; zero-initialised is valid and empty.
 *
 * Throughputs are rates per terminal, the mean one over the permutations that
 * load a channel (that of the others is infinite, unless the terminals limit
 * it), with its 95 % confidence
 * interval by the normal distribution:
 *
 *     mean -+ 1.96 sqrt(variance / (count - idle_count))
 */
struct nb_permutation_sample {
    size_t count;
    union nb_load_cell *peak; /* [count] falling, so throughputs rise */
    size_t idle_count; /* of permutations of infinite throughput: the last */
    size_t worst;      /* the first one of greatest peak */
    uint32_t *worst_permutation; /* [terminal_count] */
    struct nb_interval mean;     /* +inf if all are idle; from 0 to +inf if all
                                  * but one are */
};

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

NB_PUBLIC_END

#endif
