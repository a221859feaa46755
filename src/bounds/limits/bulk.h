/* Bulk: the load of the many equivalent channels, without the few that
 * differ. */
#ifndef NB_BOUNDS_BULK_H
#define NB_BOUNDS_BULK_H

#include "load/channel_loads.h"

/*
 * For a network of groups of equal size, numbered the same way and all with
 * terminals, the local channels of displacement d are those from each router j
 * of a group to router j + d (modulo the group's size); the global channels are
 * one class of their own. The bulk load of a class is the load that most of its
 * channels have (on a tie the greatest of these loads); the network's is the
 * greatest over all classes, per bandwidth.
 *
 * Unknown if the loads are not exact or the groups differ.
 * Source: the "bulk" of [Benito2020, section 6.1.2.2] without footnote 3.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_bulk_load(const struct nb_topology *topology,
                            const struct nb_channel_loads *loads,
                            struct nb_ratio *out, struct nb_error *err);

/* The bulk load and the greatest load of the local channels of one
 * displacement, 1 .. size - 1. */
enum nb_status nb_bulk_of_displacement(const struct nb_topology *topology,
                                       const struct nb_channel_loads *loads,
                                       uint32_t displacement,
                                       struct nb_ratio *bulk,
                                       struct nb_ratio *most,
                                       struct nb_error *err);

#endif
