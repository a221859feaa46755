/* Worst traffic: a routing's worst permutation as a traffic matrix. */
#ifndef NB_OPTIMUM_WORST_TRAFFIC_H
#define NB_OPTIMUM_WORST_TRAFFIC_H

#include "core/enclosure.h"
#include "core/parallel.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

/* The request, and results other than the traffic. */
struct nb_worst_search {
    const struct nb_routing *routing; /* borrowed */
    const struct nb_run *run;         /* borrowed; NULL: all cores */
    bool is_found;
    bool is_necessary;        /* channel that all shortest paths of the pairs
                               * cross */
    uint32_t channel;         /* NB_NONE: no channel is loaded */
    struct nb_enclosure load; /* on it at unit rate [packets/cycle] */
    /* Instead of channel and load, by search: the most that the scheme carries
     * of the traffic [packets/cycle/terminal]. */
    bool is_bounded;
    struct nb_enclosure bound;
};

NB_INTERNAL_BEGIN

/*
 * The permutation of nb_worst_case_find: no admissible traffic loads a channel
 * more, per bandwidth. For an adaptive scheme that keeps to shortest paths,
 * that of nb_necessary_case_find, completed by matching open sources from the
 * first with open destinations from the last: its channel carries at least the
 * load, whatever the scheme chooses. For other adaptive schemes, one with low
 * throughput found by nb_adversary_find; a worse one may exist.
 *
 * context  struct nb_worst_search
 * out      its denominator is set, demands are added
 *
 * Errors: NB_NO_MEMORY; those of nb_worst_case_find, nb_necessary_case_find,
 * nb_path_class_init_scheme and nb_adversary_find.
 * Source: [TowlesDally2002, Theorems 1-3]; [Singh2005, section A.2].
 */
enum nb_status nb_worst_search_run(void *context, struct nb_traffic *out,
                                   struct nb_error *err);

NB_INTERNAL_END

#endif
