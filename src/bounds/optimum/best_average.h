/* Best average: the oblivious routing that does best on a sample of
 * permutations, with proof. */
#ifndef NB_BOUNDS_BEST_AVERAGE_H
#define NB_BOUNDS_BEST_AVERAGE_H

#include "bounds/optimum/path_class.h"
#include "topology/symmetry.h"
#include "core/enclosure.h"
#include "core/parallel.h"
#include "routing/path_table.h"

NB_PUBLIC_BEGIN

struct nb_average_question {
    const struct nb_topology *topology;
    const struct nb_path_class *path_class;
    /* Permutations of the terminals, drawn as nb_permutation_sample_draw does:
     * 1 .. 100000 */
    size_t count;
    uint64_t seed;
    double seconds; /* time limit, +inf: none */
};

/* Weight of a channel under one permutation of the sample. */
struct nb_average_weight {
    uint32_t permutation;
    uint32_t channel;
    int64_t weight; /* 1 .. 2^40 */
};

/*
 * With g_x the greatest of load_c(R, pi_x) / b_c and of l, the inverse of what
 * the terminals' own channels carry (0 if they are unlimited), among the
 * routings R that every automorphism of the network keeps (of the class, where
 * that knows more of the network than its channels) the one of least mean of
 * g_x over the sample, whose inverse is the harmonic mean of its throughputs.
 *
 * Such an R does on a permutation what it does on every image of it, so that
 * few permutations stand for many and a routing cannot be fitted to those that
 * chance drew. A sample is not kept by the group, so the group is part of the
 * question: all automorphisms, not only those that a topology offers, and no
 * reversals of paths, which are no automorphisms. The path from b to a need not
 * be that from a to b turned round.
 *
 *     upper end   the paths: loads of every permutation are added up
 *     lower end   weights q_(x,c) >= 0 with sum_c b_c q_(x,c) <= Q for every x
 *                 prove, of S permutations,
 *                 Q sum_x g_x >= sum_(x,c) q_(x,c) load_c(R, pi_x)
 *                                + (Q S - sum_(x,c) b_c q_(x,c)) l
 *                 whose first sum is at least that over the pairs given of
 *                 their shortest paths by lengths that share out, over channels
 *                 alike, what q puts on them. Without weights, g_x is at least
 *                 the hops of pi_x's packets over all channels' bandwidth
 *
 * Zero-initialised is valid and empty; owns its arrays.
 */
struct nb_best_average {
    /* One pair of each orbit, sorted, weights of one sum per pair, as of
     * nb_best_oblivious. */
    struct nb_path_table paths;
    size_t weight_count;
    struct nb_average_weight *weights; /* by permutation, channel */

    /* What the certificate proves. */
    struct nb_enclosure mean_load;       /* of g_x: of the best, from what is
                                          * proved to what is reached */
    size_t idle_count;                   /* permutations whose g_x is 0 */
    struct nb_enclosure mean_throughput; /* mean of 1/g_x of the others, of the
                                          * routing found; +inf: there is none,
                                          * as of nb_permutation_sample */
    struct nb_enclosure least_throughput;
    struct nb_enclosure mean_hops; /* of the routing found, uniform traffic */
    size_t pair_orbits;
    size_t variables, rows; /* of the linear program */
    bool was_stopped;
    /* The program would have been too large: the bracket is what shortest
     * paths, paths by way of every router, and hops prove. */
    bool is_too_large;
    /* Not all automorphisms were found in the steps there are: R is kept by
     * those found. */
    bool is_group_partial;
    const char *kept_by; /* "every automorphism of the network", or what of the
                          * class does; static */
};

/*
 * A linear program in the flows of nb_best_oblivious and one g_x for each
 * permutation; rows (permutation, channel) are added where a load passes g_x,
 * until none does.
 *
 * Errors: as nb_best_oblivious_find.
 *
 * Source: [TowlesDallyBoyd2003].
 */
enum nb_status nb_best_average_find(const struct nb_average_question *question,
                                    const struct nb_run *run,
                                    struct nb_best_average *out,
                                    struct nb_error *err);
void nb_best_average_release(struct nb_best_average *best);

/* The group that keeps the routings. Errors: NB_NO_MEMORY. */
enum nb_status
nb_best_average_symmetry(const struct nb_average_question *question,
                         struct nb_symmetry *out, struct nb_error *err);

/* Checks paths and weights without solving anything and sets what they prove;
 * the sample is drawn again. Errors: NB_REFUTED; NB_NO_MEMORY. */
enum nb_status nb_best_average_check(const struct nb_average_question *question,
                                     struct nb_best_average *claimed,
                                     struct nb_error *err);

NB_PUBLIC_END

#endif
