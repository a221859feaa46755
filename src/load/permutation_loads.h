/* Permutation loads: the greatest channel load of each of very many
 * permutations of the terminals. */
#ifndef NB_LOAD_PERMUTATION_LOADS_H
#define NB_LOAD_PERMUTATION_LOADS_H

#include "core/delete.h"
#include "core/public.h"
#include "core/parallel.h"
#include "core/enclosure.h"
#include "routing/routing.h"

/* A load: a numerator over a denominator stored elsewhere, or a double. */
union nb_load_cell {
    int64_t weight;
    double value;
};

/* Method of adding up loads. */
enum nb_permutation_kernel {
    NB_KERNEL_BEST,   /* chosen for the network (only as a request) */
    NB_KERNEL_LISTED, /* per pair, the channels that it loads */
    NB_KERNEL_DENSE,  /* per pair, all channels, block by block */
    NB_KERNEL_FIXED,  /* all permutations cause the same loads: separable
                       * matrices */
};

/*
 * The loads of each pair of endpoints (the routers with terminals, in order) on
 * the channels, per bandwidth. Rows are kept only for the representative source
 * of each orbit; those of other sources are images. Owns its arrays.
 */
struct nb_permutation_lists {
    struct nb_pool pool;
    size_t row_count;
    size_t *start;            /* [row_count + 1] */
    uint32_t *channel;        /* [start[row] ..] */
    union nb_load_cell *load; /* > 0 */
    uint32_t *row;            /* [i * endpoint_count + j] of a pair */
    uint32_t *map;            /* [i] map of a source */
    uint32_t *image;          /* [map * channel_count + c] image of c */
};

/*
 *     peak(pi) = max_c 1/b_c sum_t gamma_c(t, pi(t))
 *
 * over terminals t, by the linearity of loads. Owns its arrays;
 * zero-initialised is valid and empty.
 */
struct nb_permutation_loads {
    enum nb_permutation_kernel kernel;
    size_t terminal_count;
    size_t endpoint_count;
    size_t channel_count;
    uint32_t *endpoint; /* [terminal] endpoint index of its router */
    /* The rate per terminal that the terminals' own channels carry. */
    struct nb_ratio terminal_limit;
    bool is_exact;
    int64_t denominator;              /* exact: denominator of every peak */
    double relative_error;            /* not exact: error of every peak */
    union nb_load_cell fixed;         /* NB_KERNEL_FIXED: the peak */
    struct nb_permutation_lists list; /* NB_KERNEL_LISTED */
    /* NB_KERNEL_DENSE: [(block * endpoint_count^2 + pair) * channels of a
     * block], one of the three; see permutation_kernel.inc. */
    int32_t *narrow;
    int64_t *wide;
    double *real;
};

NB_INTERNAL_BEGIN

/*
 * Finds the load of every pair on every channel.
 *
 * kernel  method to prepare; NB_KERNEL_FIXED cannot be requested
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if there are 65535 endpoints or more, or the
 * scheme's paths form a cycle.
 * Source: [TowlesDally2002, section 3.1 (linearity), 4.1 and 4.2 (symmetry)].
 */
enum nb_status nb_permutation_loads_find(const struct nb_routing *routing,
                                         enum nb_permutation_kernel kernel,
                                         const struct nb_run *run,
                                         struct nb_permutation_loads *out,
                                         struct nb_error *err);

void nb_permutation_loads_release(struct nb_permutation_loads *loads);

/*
 * The peaks of several permutations.
 *
 * permutation  [count * terminal_count] terminal t sends to permutation[t];
 *              overwritten
 * sum          [channel_count], scratch
 * peak         out, [count]: weights if exact, else values
 */
void nb_permutation_peaks(const struct nb_permutation_loads *loads,
                          size_t count, uint32_t *permutation,
                          union nb_load_cell *sum, union nb_load_cell *peak);

/* -1, 0, 1 as a < b, a = b, a > b. */
int nb_permutation_peak_compare(const struct nb_permutation_loads *loads,
                                union nb_load_cell a, union nb_load_cell b);

/* The rate per terminal at which the permutation can be carried: 1 / peak, at
 * most terminal_limit; +inf if it loads no channel and there is no limit. */
struct nb_enclosure
nb_permutation_throughput(const struct nb_permutation_loads *loads,
                          union nb_load_cell peak);

NB_INTERNAL_END

#endif
