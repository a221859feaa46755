/* Best average: the oblivious routing with the best average over a sample of
 * permutations, with proof. */
#ifndef NB_OPTIMUM_BEST_AVERAGE_H
#define NB_OPTIMUM_BEST_AVERAGE_H

#include "optimum/path_class.h"
#include "core/enclosure.h"
#include "core/parallel.h"
#include "routing/path_table.h"

struct nb_symmetry;

NB_PUBLIC_BEGIN

struct nb_average_question {
    const struct nb_topology *topology;
    const struct nb_path_class *path_class;
    /* Permutations of the terminals, drawn like those of
     * nb_permutation_sample_draw: 1 .. 100000 */
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
 * Let g_x be the greatest of load_c(R, pi_x) / b_c and of l, the inverse of the
 * rate that the terminals' own channels carry (l = 0 if they are unlimited).
 * Only routings R that are invariant under every automorphism of the network
 * are considered (of the class, where it depends on more than the network's
 * channels). The best of them has the least mean of g_x over the sample; the
 * inverse of that mean is the harmonic mean of its throughputs.
 *
 * Such an R behaves the same on a permutation and on all its images, so that a
 * small sample represents many permutations, and a routing cannot be fitted to
 * the few that chance drew. The group does not keep the sample, so it is part
 * of the question: all automorphisms, not only those that a topology offers,
 * and no reversals of paths, which are not automorphisms. The path from b to a
 * need not be the reverse of that from a to b.
 *
 *     upper end   the paths: loads of every permutation are added up
 *     lower end   weights q_(x,c) >= 0 with sum_c b_c q_(x,c) <= Q for every x
 *                 prove, for S permutations,
 *                 Q sum_x g_x >= sum_(x,c) q_(x,c) load_c(R, pi_x)
 *                                + (Q S - sum_(x,c) b_c q_(x,c)) l
 *                 where the first sum is at least the sum over the given pairs
 *                 of their shortest paths, under lengths that divide q evenly
 *                 over each orbit of channels. Without weights, g_x is at least
 *                 the hops of pi_x's packets over the bandwidth of all channels
 *
 * Zero-initialised is valid and empty; owns its arrays.
 */
struct nb_best_average {
    /* One pair of each orbit, sorted; each pair's weights have the same sum, as
     * in nb_best_oblivious. */
    struct nb_path_table paths;
    size_t weight_count;
    struct nb_average_weight *weights; /* by permutation, channel */

    /* What the certificate proves. */
    struct nb_enclosure mean_load;       /* of g_x for the best routing: proved
                                          * lower end, upper end reached */
    size_t idle_count;                   /* permutations with g_x = 0 */
    struct nb_enclosure mean_throughput; /* mean of 1/g_x over the rest, of the
                                          * routing found; +inf: there is none,
                                          * as in nb_permutation_sample */
    struct nb_enclosure least_throughput;
    struct nb_enclosure mean_hops; /* of the routing found, uniform traffic */
    size_t pair_orbits;
    size_t variables, rows; /* of the linear program */
    bool was_stopped;
    /* The program would have been too large: the bracket comes from shortest
     * paths, paths through every router, and hops. */
    bool is_too_large;
    /* The search for automorphisms reached its limit of steps: R is invariant
     * under those found. */
    bool is_group_partial;
    const char *kept_by; /* "every automorphism of the network", or the class's
                          * own group; static */
};

/*
 * A linear program in the flows of nb_best_oblivious and one g_x per
 * permutation; rows (permutation, channel) are added where a load exceeds g_x,
 * until none does.
 *
 * Errors: those of nb_best_oblivious_find.
 *
 * Source: [TowlesDallyBoyd2003].
 */
enum nb_status nb_best_average_find(const struct nb_average_question *question,
                                    const struct nb_run *run,
                                    struct nb_best_average *out,
                                    struct nb_error *err);
void nb_best_average_release(struct nb_best_average *best);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* The group that leaves the routings invariant. Errors: NB_NO_MEMORY. */
enum nb_status
nb_best_average_symmetry(const struct nb_average_question *question,
                         struct nb_symmetry *out, struct nb_error *err);

/* Checks paths and weights without solving anything and sets what they prove;
 * the sample is drawn again. Errors: NB_REFUTED; NB_NO_MEMORY. */
enum nb_status nb_best_average_check(const struct nb_average_question *question,
                                     struct nb_best_average *claimed,
                                     struct nb_error *err);

NB_INTERNAL_END

#endif
