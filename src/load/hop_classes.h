/* Hop classes: how many hops packets take within groups and between them. */
#ifndef NB_LOAD_HOP_CLASSES_H
#define NB_LOAD_HOP_CLASSES_H

#include "load/channel_loads.h"

/* [hop] a packet's local and global ones (nb_channel_is_global); exact or in
 * brackets. */
struct nb_hop_classes {
    struct nb_enclosure local, global;
};

/* The mean hops of loads, divided in proportion to the loads of the channels
 * of each class. */
void nb_hop_classes_find(const struct nb_topology *topology,
                         const struct nb_channel_loads *loads,
                         struct nb_hop_classes *out);

#endif
