/* Oblivious check: what paths, duals and weights prove. */
#ifndef NB_BOUNDS_OBLIVIOUS_CHECK_H
#define NB_BOUNDS_OBLIVIOUS_CHECK_H

#include "bounds/optimum/oblivious_case.h"

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

#endif
