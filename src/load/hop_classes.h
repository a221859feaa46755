/* Hop classes: how many hops packets take within groups and between them. */
#ifndef NB_LOAD_HOP_CLASSES_H
#define NB_LOAD_HOP_CLASSES_H

#include "load/channel_loads.h"

/* [hop] a packet's local and global ones (nb_channel_is_global); exact or in
 * brackets. */
struct nb_hop_classes {
    struct nb_ratio local, global;
    double local_lower, local_upper;
    double global_lower, global_upper;
};

/* The mean hops of loads, divided in proportion to the loads of the channels
 * of each class. */
void nb_hop_classes_find(const struct nb_topology *topology,
                         const struct nb_channel_loads *loads,
                         struct nb_hop_classes *out);

/*
 * Virtual channels that keep any routes free of cyclic waiting. If no route
 * crosses two global channels in one phase, the index of a hop is its place:
 * of each phase first the local hops before the global one, then those after
 * it; of a route without one all from the first index on,
 *
 *     local = sum over phases max(most before + most after, most without),
 *     global = phases with global hops.
 *
 * Else it is the number of the hop in its route, and both are the sum over
 * phases of the most hops. Either goes up with every hop, so that no circle
 * closes [Gunther1981]; special orders, such as up and down a tree, need
 * fewer.
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if the scheme goes round in circles.
 */
struct nb_virtual_channels {
    uint32_t local, global;
    bool is_by_place;
};
enum nb_status nb_virtual_channels_find(const struct nb_routing *routing,
                                        struct nb_virtual_channels *out,
                                        struct nb_error *err);

#endif
