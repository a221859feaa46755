/* Turn flows: flow into each channel by origin. */
#ifndef NB_LOAD_TURN_FLOWS_H
#define NB_LOAD_TURN_FLOWS_H

#include "core/parallel.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

/*
 * Expected packets per cycle at injection rate 1 that arrive at the channel's
 * source router over a channel, or from its terminals, and leave over it. Owns
 * its arrays; zero-initialised is valid and empty.
 */
struct nb_turn_flows {
    size_t channel_count, router_count;
    /* The flows into channel c are flow[start[c] .. start[c + 1]): one for
     * every channel into the source router, in the order of the topology's
     * in_channel, then the sum over all terminals there. Traffic that ends at
     * router r, summed over all its terminals, follows as the flows into
     * channel channel_count + r. */
    size_t *start; /* [channel_count + router_count + 1] */
    double *flow;  /* [packets/cycle] */
    /* Of every flow above NB_LEAST_RELATIVE; smaller ones are only upper
     * bounds. */
    double relative_error;
};

/*
 * Propagation of the flow into a node over each hop, times the share of each
 * hop out of it.
 *
 * routing  of one phase (nb_route_alike may give one for it)
 *
 * Source: the routing-state transition graph of [TowlesDally2002, 3.5].
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if the scheme's paths form a cycle;
 * NB_OVERFLOW: that of nb_traffic_column.
 */
enum nb_status nb_turn_flows_find(const struct nb_routing *routing,
                                  const struct nb_traffic *traffic,
                                  const struct nb_run *run,
                                  struct nb_turn_flows *out,
                                  struct nb_error *err);

void nb_turn_flows_release(struct nb_turn_flows *flows);

#endif
