/*
 * Lanes: the classes of virtual channels that keep a scheme free of deadlock.
 * A packet's class depends on the hops it has made, which loads do not, so a
 * small memory beside the routing state carries it.
 */
#ifndef NB_ROUTING_LANES_H
#define NB_ROUTING_LANES_H

#include "routing/routing.h"

NB_PUBLIC_BEGIN

/* The most classes, one bit each of a set of them. */
enum { NB_MOST_LANES = 64 };

/*
 * Classes ascend along every route (except with NB_LANES_ANY and the adaptive
 * ones of stars), so that no packets wait for each other in a circle:
 *
 * dimension  tori and meshes (and HyperX): within a phase a route is cut into
 *            levels, a new one where it turns to a lesser dimension or, in a
 *            dimension, back; with wrap-around channels each level has two
 *            classes, the second behind the wrap-around channel of the
 *            dimension [Singh2005, Table 4.1]
 * phase      fat trees and whatever else is climbed up and then down: one
 *            class a phase
 * place      networks with groups, routes counted phase by phase: of local
 *            channels one class for every place before, between and after
 *            global hops, of global ones one for each of them
 * hop        others: structured buffer pool, a packet that has made h hops in
 *            any class up to h [Singh2005, sections 6.3.1, 6.5.1]
 * star       adaptive schemes of one phase on tori: two star classes for the
 *            most significant productive dimension, as in dimension, and one
 *            that is free for all [Singh2005, section 4.1.1]; without
 *            wrap-around channels one star class
 * any        one class and no protection
 */
enum nb_lane_kind {
    NB_LANE_ANY,
    NB_LANE_DIMENSION,
    NB_LANE_PHASE,
    NB_LANE_PLACE,
    NB_LANE_HOP,
    NB_LANE_STAR,
};

/* Owns its arrays; borrows the routing. Zero-initialised is valid and empty. */
struct nb_lanes {
    const struct nb_routing *routing;
    enum nb_lane_kind kind;
    unsigned count;   /* classes in all: 1 .. NB_MOST_LANES */
    unsigned phase;   /* classes of one phase */
    unsigned level;   /* NB_LANE_DIMENSION: of one level; _STAR: star ones */
    unsigned global;  /* NB_LANE_PLACE: of one phase, of global channels */
    unsigned places;  /* NB_LANE_PLACE: local hops in a row before a global */
    uint8_t *channel; /* [channel] what the rule asks of it: lanes.c */
    /* NB_LANE_STAR: coordinates of each router side by side, and by dimension
     * + 1 the first bit above its own. */
    uint64_t *coordinates;
    uint8_t above[NB_MAX_GRID + 1];
};

/*
 * The classes of a scheme on its network.
 *
 * Errors: NB_INVALID if it needs more than NB_MOST_LANES; NB_NO_MEMORY.
 */
enum nb_status nb_lanes_build(const struct nb_routing *routing,
                              struct nb_lanes *out, struct nb_error *err);
void nb_lanes_release(struct nb_lanes *lanes);

/*
 * The classes in which a packet may wait behind a channel, one bit each.
 *
 * memory   what the packet remembers: 0 at its source
 * state    its routing state before the hop
 * next     out: what it remembers once it has made the hop
 */
uint64_t nb_lanes_find(const struct nb_lanes *lanes, uint32_t memory,
                       nb_route_state state, uint32_t router,
                       uint32_t destination, uint32_t channel, uint32_t *next);

NB_PUBLIC_END

#endif
