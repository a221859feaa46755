/* Hop classes: numbers of hops within groups and between them. */
#ifndef NB_LOAD_HOP_CLASSES_H
#define NB_LOAD_HOP_CLASSES_H

#include "load/channel_loads.h"

/* [hop] local and global hops per packet (nb_channel_is_global); exact or in
 * brackets. */
struct nb_hop_classes {
    struct nb_enclosure local, global;
};

NB_INTERNAL_BEGIN

/* Divides the mean hops of loads between the classes, in proportion to the
 * loads of each class's channels. */
void nb_hop_classes_find(const struct nb_topology *topology,
                         const struct nb_channel_loads *loads,
                         struct nb_hop_classes *out);

NB_INTERNAL_END

#endif
