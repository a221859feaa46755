/* What the files of best_oblivious*.c share, and those of best_average*.c
 * use. */
#ifndef NB_BOUNDS_OBLIVIOUS_WORK_H
#define NB_BOUNDS_OBLIVIOUS_WORK_H

#include "bounds/optimum/best_oblivious.h"
#include "bounds/linear/linear.h"
#include "bounds/optimum/oblivious_orbits.h"

/* A question and its orbits. Owns them; zero-initialised is valid. */
struct nb_oblivious_case {
    const struct nb_oblivious_question *question;
    const struct nb_topology *topology;
    struct nb_symmetry symmetry;
    struct nb_oblivious_orbits orbits;
    /* One pair i != j of each orbit, by its name, ascending. */
    size_t pair_count;
    uint32_t *pair;  /* [pair_count] */
    uint32_t *index; /* [e * e] place in pair, at its name */
    /* A program of so many flows would take hours, or all memory. */
    bool is_too_large;
    /* How many channels of the pair are alike:
     * [index of the pair * channel_count + channel]. */
    uint32_t *alike;
};

/* symmetry: taken over; of the question unless given. */
enum nb_status
nb_oblivious_case_init(const struct nb_oblivious_question *question,
                       struct nb_oblivious_case *out, struct nb_error *err);
enum nb_status nb_oblivious_case_init_group(
    const struct nb_oblivious_question *question, struct nb_symmetry *symmetry,
    struct nb_oblivious_case *out, struct nb_error *err);
void nb_oblivious_case_release(struct nb_oblivious_case *here);

/* The routers of a pair. */
static inline uint32_t nb_oblivious_source(const struct nb_oblivious_case *here,
                                           size_t pair)
{
    return here->orbits.endpoint[pair / here->orbits.e];
}
static inline uint32_t
nb_oblivious_destination(const struct nb_oblivious_case *here, size_t pair)
{
    return here->orbits.endpoint[pair % here->orbits.e];
}

/* The program and what its variables and rows stand for. Owns its arrays. */
struct nb_oblivious_program {
    const struct nb_oblivious_case *here;
    struct nb_linear *linear;
    double slack; /* the load may pass most_load by this part of it */
    size_t flow_count;
    /* [(index of the pair * channel_count + channel) * layer_count + layer]
     * its variable; SIZE_MAX where the class has none. */
    size_t *flow;
    /* [index of the pair * channel_count + channel] the row that holds the
     * flow below the duals, at the least channel of those alike; else, and
     * where nothing flows, SIZE_MAX. */
    size_t *cell;
    size_t *side; /* [channel_count * 2 e] variable of a side, at its name */
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_oblivious_program_build(const struct nb_oblivious_case *here,
                                          double slack,
                                          struct nb_oblivious_program *out,
                                          struct nb_error *err);
/* Flows and their conservation alone, without cells and sides. Errors:
 * NB_NO_MEMORY. */
enum nb_status
nb_oblivious_program_build_flows(const struct nb_oblivious_case *here,
                                 struct nb_oblivious_program *out,
                                 struct nb_error *err);
void nb_oblivious_program_release(struct nb_oblivious_program *program);

/*
 * Divides whole flows of every pair among paths: by far the greatest part of
 * them if they are conserved only nearly, and all if they are.
 *
 * flow   [flow_count] numerators over denominator
 * paths  out; each pair's weights add up to denominator
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if a pair has no permitted path, naming it.
 */
enum nb_status nb_oblivious_peel(const struct nb_oblivious_program *program,
                                 const int64_t *flow, int64_t denominator,
                                 struct nb_path_table *paths,
                                 struct nb_error *err);

/* Leaves out of a path what lies between two visits of a router; returns its
 * new length. at: [router_count] zeros, and so again afterwards. */
size_t nb_oblivious_shorten(const struct nb_topology *topology, uint32_t source,
                            uint32_t *channel, size_t length, size_t *at);

/* Adds a path of the pair whose paths begin at first, or to one alike. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_oblivious_add_path(struct nb_path_table *paths, size_t first,
                                     uint32_t source, uint32_t destination,
                                     int64_t weight, const uint32_t *channel,
                                     size_t length, struct nb_error *err);

/* A shortest path of the class for every pair, of this weight. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_oblivious_short_paths(const struct nb_oblivious_case *here,
                                        int64_t weight,
                                        struct nb_path_table *paths,
                                        struct nb_error *err);

/* Paths of every pair by way of every router with terminals, each of the same
 * weight: there are such of the class "any" without a program. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_oblivious_way_paths(const struct nb_oblivious_case *here,
                                      int64_t weight,
                                      struct nb_path_table *paths,
                                      struct nb_error *err);

/*
 * Sets claimed->duals from the paths: those of the worst traffic of every
 * focus channel.
 *
 * Errors: NB_NO_MEMORY; NB_REFUTED as nb_oblivious_check_paths.
 */
enum nb_status nb_oblivious_find_duals(const struct nb_oblivious_case *here,
                                       struct nb_best_oblivious *claimed,
                                       struct nb_error *err);

/* What checking the parts gives. */

/*
 * Adds up what the given paths put on the channels.
 *
 * flow         out, [pair_count * channel_count], summed over channels alike,
 *              at each of them
 * denominator  out: sum of a pair's weights
 *
 * Errors: NB_REFUTED; NB_NO_MEMORY.
 */
enum nb_status nb_oblivious_check_paths(const struct nb_oblivious_case *here,
                                        const struct nb_path_table *paths,
                                        int64_t *flow, int64_t *denominator,
                                        struct nb_error *err);

/*
 * The loads of every pair on one channel, averaged over the group and rounded
 * up to multiples of 1/denominator.
 *
 * flow  as nb_oblivious_check_paths gives it
 * load  out, [e * e]
 */
void nb_oblivious_channel_loads(const struct nb_oblivious_case *here,
                                const int64_t *flow, uint32_t channel,
                                int64_t *load);

/* Mean hops of paths, self included; denominator: as
 * nb_oblivious_check_paths gives it. */
struct nb_enclosure nb_oblivious_mean_hops(const struct nb_oblivious_case *here,
                                           const struct nb_path_table *paths,
                                           int64_t denominator);

/* From the least that can be to what is reached. */
struct nb_enclosure nb_oblivious_span(struct nb_enclosure lower,
                                      struct nb_enclosure upper);

/* Weights added up. Owns its arrays; zero-initialised is valid and empty. */
struct nb_oblivious_sums {
    const struct nb_oblivious_case *here;
    /* [channel_count] at focus channels: the greatest row and column sums,
     * per terminal. */
    struct nb_enclosure *row, *column;
    nb_int128 distances; /* of all pairs, by weights and hops */
};

/* hop: what a hop costs besides, of terminals alone; 0: nothing. Errors:
 * NB_REFUTED; NB_NO_MEMORY. */
enum nb_status nb_oblivious_sums_find(const struct nb_oblivious_case *here,
                                      const struct nb_best_oblivious *claim,
                                      int64_t hop,
                                      struct nb_oblivious_sums *out,
                                      struct nb_error *err);
void nb_oblivious_sums_release(struct nb_oblivious_sums *sums);

/* The lower end that claimed->weights prove, of load or mean_hops as the goal
 * says. Errors: NB_REFUTED; NB_NO_MEMORY. */
enum nb_status nb_oblivious_check_weights(const struct nb_oblivious_case *here,
                                          const struct nb_best_oblivious *claim,
                                          struct nb_enclosure *lower,
                                          struct nb_error *err);

/*
 * The rate x that no routing passes by what weights prove of unbalanced
 * traffic: with D the sum of the pairs' distances, A_c and B_c the greatest row
 * and column sums of channel c per terminal, the load at any rate alpha is at
 * least
 *
 *     D / sum_c b_c max(A_c / alpha, B_c),
 *
 * which grows, and passes 1 beyond x. +inf: never.
 *
 * Errors: NB_REFUTED; NB_NO_MEMORY.
 */
enum nb_status nb_oblivious_weights_rate(const struct nb_oblivious_case *here,
                                         const struct nb_best_oblivious *claim,
                                         struct nb_enclosure *upper,
                                         struct nb_error *err);

/* The upper ends that claimed->paths and duals prove. Errors: NB_REFUTED;
 * NB_NO_MEMORY. */
enum nb_status nb_oblivious_check_routing(const struct nb_oblivious_case *here,
                                          const struct nb_best_oblivious *claim,
                                          struct nb_enclosure *load,
                                          struct nb_enclosure *mean_hops,
                                          struct nb_error *err);

/* Whether a load is not more than the question allows; known for certain. */
bool nb_oblivious_keeps(const struct nb_oblivious_question *question,
                        struct nb_enclosure load);

/* Sets what a certificate proves from its ends. */
void nb_oblivious_conclude(const struct nb_oblivious_case *here,
                           struct nb_enclosure load,
                           struct nb_enclosure mean_hops,
                           struct nb_enclosure lower,
                           struct nb_best_oblivious *out);

/* The best routing and weights met so far, and what they prove. */
struct nb_oblivious_found {
    const struct nb_oblivious_case *here;
    struct nb_best_oblivious best; /* paths, duals and weights; owned */
    bool has_routing, has_weights;
    struct nb_enclosure load, mean_hops, lower;
};

/* Whether the two ends of what is asked for meet exactly. */
bool nb_oblivious_is_met(const struct nb_oblivious_found *found);

/* Finds the duals of paths and keeps both if they are better than what there
 * is; paths are taken over. Errors: NB_NO_MEMORY. */
enum nb_status nb_oblivious_offer_paths(struct nb_oblivious_found *found,
                                        struct nb_path_table *paths,
                                        struct nb_error *err);

/* The same for weights, if they prove more.
 * whole: [pair_count * channel_count], 0 but at the least of channels alike */
enum nb_status nb_oblivious_offer_weights(struct nb_oblivious_found *found,
                                          const int64_t *whole, int64_t scale,
                                          struct nb_error *err);

/* Offers routings of flows, rounded in several ways. value: [flow_count] */
enum nb_status
nb_oblivious_take_values(const struct nb_oblivious_program *program,
                         const double *value, struct nb_oblivious_found *found,
                         struct nb_error *err);

/* The same of the program's own. */
enum nb_status
nb_oblivious_take_flows(const struct nb_oblivious_program *program,
                        struct nb_oblivious_found *found, struct nb_error *err);

/* Offers weights of the program's duals. */
enum nb_status
nb_oblivious_take_duals(const struct nb_oblivious_program *program,
                        struct nb_oblivious_found *found, struct nb_error *err);

/* Offers weights that need no solution: of hops none, which leaves the shortest
 * paths; of loads 1 on all crossings of the farthest pairs, and of all. */
enum nb_status nb_oblivious_plain_weights(struct nb_oblivious_found *found,
                                          struct nb_error *err);

/* Offers, for loads, the weights of a bisection: what must go over it. */
enum nb_status nb_oblivious_cut_weights(struct nb_oblivious_found *found,
                                        const struct nb_run *run,
                                        struct nb_error *err);

/* Offers every registered scheme that is not adaptive and takes paths of the
 * class (any or minimal), averaged over the group, until the ends meet or the
 * time is over. Errors: NB_NO_MEMORY. */
enum nb_status nb_oblivious_take_schemes(struct nb_oblivious_found *found,
                                         const struct nb_run *run,
                                         double deadline, struct nb_error *err);

/* Offers the routing that the question knows. */
enum nb_status nb_oblivious_known_paths(struct nb_oblivious_found *found,
                                        struct nb_error *err);

/* Offers routings that need no solution: shortest paths, and paths by way of
 * every router. */
enum nb_status nb_oblivious_plain_paths(struct nb_oblivious_found *found,
                                        struct nb_error *err);

#endif
