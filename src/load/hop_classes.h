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
 * Numbers of local and of global hops that no route exceeds: as many virtual
 * channels keep routes free of cycles where the index goes up with every hop
 * of a class [Gunther1981]. Some route has the former and some the latter;
 * only rvlb on a HyperX with a radix of 2 may need fewer.
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if the scheme goes round in circles.
 */
enum nb_status nb_longest_hops(const struct nb_routing *routing,
                               uint32_t *local, uint32_t *global,
                               struct nb_error *err);

#endif
