/* Best flow, checked: orbits of pairs and channels, and the bounds that paths
 * and lengths prove. */
#ifndef NB_OPTIMUM_BEST_FLOW_CHECK_H
#define NB_OPTIMUM_BEST_FLOW_CHECK_H

#include "optimum/best_flow.h"
#include "core/memory.h"
#include "topology/orbits.h"

/* One orbit of pairs of different routers with traffic, by its first pair. */
struct nb_flow_pair {
    uint32_t source;
    uint32_t destination;
    uint64_t rate; /* of each pair, over the traffic's denominator */
    uint32_t size; /* number of pairs */
};

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_flow_orbits {
    const struct nb_topology *topology; /* borrowed */
    const struct nb_traffic *traffic;   /* borrowed */
    int64_t unit;                       /* of the class of paths */
    struct nb_pool pool;
    nb_int128 rate_sum; /* over the denominator; of all pairs, self included */
    /* Pairs with traffic, by destination, then source. */
    size_t *start;    /* [router_count + 1] by destination */
    uint32_t *source; /* [pair] */
    struct nb_orbits pairs;
    size_t pair_count;
    struct nb_flow_pair *pair; /* orbits of the pairs, [pair_count] */
    struct nb_orbits lines;    /* orbits of channels */
};

/* Errors: NB_NO_MEMORY; NB_OVERFLOW: that of nb_traffic_column. */
enum nb_status nb_flow_orbits_init(const struct nb_best_flow_question *question,
                                   struct nb_flow_orbits *out,
                                   struct nb_error *err);

void nb_flow_orbits_release(struct nb_flow_orbits *orbits);

/*
 * Throughput of a routing: the least over lines of bandwidth / load.
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

/* Upper bound for every routing. length: [channel], the same along a line;
 * distance: [orbit] under these lengths, from nb_path_search_distance. */
struct nb_enclosure nb_flow_bound(const struct nb_flow_orbits *orbits,
                                  const int64_t *length,
                                  const int64_t *distance);

/* Errors: NB_INVALID naming the value that is not permitted. */
enum nb_status
nb_flow_check_question(const struct nb_best_flow_question *question,
                       struct nb_error *err);

/*
 * nb_best_flow_check for a question that was checked, with known orbits.
 *
 * orbits   of this question, from nb_flow_orbits_init
 * claimed  in and out, as there
 *
 * Errors: those of nb_best_flow_check.
 */
enum nb_status nb_flow_check_claim(const struct nb_best_flow_question *question,
                                   const struct nb_flow_orbits *orbits,
                                   struct nb_best_flow *claimed,
                                   struct nb_error *err);

#endif
