/* Best flow, checked: orbits of pairs and channels, and what paths and lengths
 * prove of them. */
#ifndef NB_BOUNDS_BEST_FLOW_CHECK_H
#define NB_BOUNDS_BEST_FLOW_CHECK_H

#include "bounds/optimum/best_flow.h"
#include "core/memory.h"
#include "topology/orbits.h"

/* One orbit of pairs of different routers with traffic, by its first pair. */
struct nb_flow_pair {
    uint32_t source;
    uint32_t destination;
    uint64_t rate; /* over the traffic's denominator, of each pair */
    uint32_t size; /* pairs */
};

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_flow_orbits {
    const struct nb_topology *topology; /* borrowed */
    const struct nb_traffic *traffic;   /* borrowed */
    int64_t unit;                       /* of the class of paths */
    struct nb_pool pool;
    nb_int128 rate_sum; /* over the denominator; of all pairs,
                         * self included */
    /* Pairs with traffic, by destination, then source. */
    size_t *start;    /* [router_count + 1] by destination */
    uint32_t *source; /* [pair] */
    struct nb_orbits pairs;
    size_t pair_count;
    struct nb_flow_pair *pair; /* [pair_count] their orbits */
    struct nb_orbits lines;    /* of channels */
};

/* Errors: NB_NO_MEMORY; NB_OVERFLOW as nb_traffic_column. */
enum nb_status nb_flow_orbits_init(const struct nb_best_flow_question *question,
                                   struct nb_flow_orbits *out,
                                   struct nb_error *err);

void nb_flow_orbits_release(struct nb_flow_orbits *orbits);

/*
 * What a routing carries: the least over lines of bandwidth / load.
 *
 * table      paths of one pair of each orbit
 * orbit      [path] their pairs' orbits
 * sum        of the weights of each pair's paths
 * mean_hops  out; NULL: not wanted
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_flow_carried(const struct nb_flow_orbits *orbits,
                               const struct nb_path_table *table,
                               const uint32_t *orbit, int64_t sum,
                               struct nb_enclosure *throughput,
                               struct nb_enclosure *mean_hops,
                               struct nb_error *err);

/* What no routing passes. length: [channel], the same along a line; distance:
 * [orbit] by these lengths, as nb_path_search_distance has it. */
struct nb_enclosure nb_flow_bound(const struct nb_flow_orbits *orbits,
                                  const int64_t *length,
                                  const int64_t *distance);

/* Errors: NB_INVALID naming what of the question is not permitted. */
enum nb_status
nb_flow_check_question(const struct nb_best_flow_question *question,
                       struct nb_error *err);

/*
 * nb_best_flow_check of a question that was checked, by orbits that are known.
 *
 * orbits   of this question, as nb_flow_orbits_init has them
 * claimed  in and out, as there
 *
 * Errors: as nb_best_flow_check.
 */
enum nb_status nb_flow_check_claim(const struct nb_best_flow_question *question,
                                   const struct nb_flow_orbits *orbits,
                                   struct nb_best_flow *claimed,
                                   struct nb_error *err);

#endif
