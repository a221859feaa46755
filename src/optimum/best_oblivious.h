/* Best oblivious: the routing with the best worst case, with proof, and the
 * least mean path length at a given worst case. */
#ifndef NB_OPTIMUM_BEST_OBLIVIOUS_H
#define NB_OPTIMUM_BEST_OBLIVIOUS_H

#include "optimum/path_class.h"
#include "bounds/worst_case/unbalanced.h"
#include "core/enclosure.h"
#include "core/parallel.h"
#include "routing/path_table.h"

struct nb_symmetry;

NB_PUBLIC_BEGIN

enum nb_oblivious_goal {
    NB_LEAST_WORST_LOAD, /* over admissible traffic, balanced or not */
    NB_LEAST_MEAN_HOPS,  /* given a worst-case load */
};

struct nb_oblivious_question {
    const struct nb_topology *topology;
    const struct nb_path_class *path_class;
    enum nb_oblivious_goal goal;
    /* Packets that sources inject per packet that destinations can receive: 1
     * is balanced traffic (doubly stochastic matrices). Known, > 0. */
    struct nb_ratio rate;
    /* Sources and destinations differ even if the rate is 1. */
    bool is_unbalanced;
    enum nb_overload overload; /* read only by nb_best_unbalanced_find */
    /* NB_LEAST_MEAN_HOPS: max_c load_c / b_c must not exceed this under any
     * traffic; known. */
    struct nb_ratio most_load;
    double seconds; /* time limit, +inf: none */
    /* A routing to start from, as the paths below; NULL: none. */
    const struct nb_path_table *known;
};

/* Maximum weight, sum of a pair's weights, scale and length: times the hops of
 * a path that meets no router twice, fewer than 2^23, they stay below 2^63. */
#define NB_OBLIVIOUS_MOST ((int64_t)1 << 40)

/* Weight of the adversary on one channel for one pair, and for its orbit. */
struct nb_adversary_weight {
    uint32_t source;
    uint32_t destination;
    uint32_t channel;
    int64_t weight; /* 1 .. 2^40 */
};

/* Duals of one focus channel's worst traffic, whole numbers over the sum of
 * weights of a pair's paths. */
struct nb_oblivious_dual {
    uint32_t channel;
    int64_t *row;    /* [router_count] >= 0 */
    int64_t *column; /* [router_count] >= 0 */
};

/*
 * Routing R, channel loads gamma_c(i, j) averaged over the network's group:
 *
 *     upper end   u_i + v_j >= gamma_c(i, j) for every channel's duals prove
 *                 load_c <= sum_i p_i rate u_i + sum_j p_j v_j
 *     lower end   weights P_c(i, j) >= 0, equal over each orbit, with row sums
 *                 <= p_i rate w_c and column sums <= p_j w_c, prove for every R
 *                 of the class
 *                 sum_c b_c w_c max_c (load_c / b_c)
 *                    >= sum_ij distance_P(i,j)(i, j)
 *                 and, with p_i p_j more per hop, P the sum of all p_i,
 *                 P^2 mean hops >= sum_ij distance_(p_i p_j + P)(i, j)
 *                                  - most_load sum_c b_c w_c
 *
 * Zero-initialised is valid and empty; owns its arrays.
 */
struct nb_best_oblivious {
    /* One pair of each orbit, sorted; each pair's weights have the same sum. */
    struct nb_path_table paths;
    size_t dual_count; /* focus channels, ascending */
    struct nb_oblivious_dual *duals;
    size_t weight_count;
    struct nb_adversary_weight *weights; /* by source, destination, channel */
    int64_t weight_scale; /* 1 .. 2^40; weights are P times this */

    /* What the certificate proves. */
    struct nb_enclosure load;      /* upper end: of the routing found; lower: of
                                    * any (NB_LEAST_WORST_LOAD; else 0) */
    struct nb_enclosure mean_hops; /* upper end: of the routing found, self
                                    * included, +inf if its load exceeds
                                    * most_load by rounding; lower end: of any
                                    * that keeps it (NB_LEAST_MEAN_HOPS) */
    size_t pair_orbits;
    /* The program would have been too large: the bracket comes from shortest
     * paths, paths through every router, and cuts. */
    bool is_too_large;
    bool was_stopped;
};

/*
 * A linear program in one variable for each orbit of (pair, channel, layer) and
 * one for each orbit of (focus channel, side): flows are conserved and at most
 * u_i + v_j, and sums of duals at most the load. Values and duals are rounded
 * to whole numbers and judged by nb_best_oblivious_check, so the answer is
 * exact where the two ends are equal. For the class "any", shortest paths are
 * tried first; if they are proved optimal, the search ends.
 *
 * Errors: NB_NO_MEMORY, before anything is allocated if the orbits do not fit;
 * NB_INVALID if no routing of the class keeps most_load.
 *
 * Source: [TowlesDallyBoyd2003].
 */
enum nb_status
nb_best_oblivious_find(const struct nb_oblivious_question *question,
                       const struct nb_run *run, struct nb_best_oblivious *out,
                       struct nb_error *err);
void nb_best_oblivious_release(struct nb_best_oblivious *best);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* The group over which the question's routings are averaged; it has reversals
 * only where they keep the question. Errors: NB_NO_MEMORY. */
enum nb_status
nb_best_oblivious_symmetry(const struct nb_oblivious_question *question,
                           struct nb_symmetry *out, struct nb_error *err);

/*
 * Checks paths, duals and weights without solving anything, and sets load and
 * mean_hops from them.
 *
 * Errors: NB_REFUTED naming the pair, path or channel that fails;
 * NB_NO_MEMORY.
 */
enum nb_status
nb_best_oblivious_check(const struct nb_oblivious_question *question,
                        struct nb_best_oblivious *claimed,
                        struct nb_error *err);

NB_INTERNAL_END

#endif
