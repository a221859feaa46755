/*
 * Segments: a network's links divided into cycles and paths, one after another,
 * where each begins and ends at earlier ones. A turn prohibited in each of them
 * keeps packets from waiting for each other in a cycle.
 * Source: [MejiaEtAl2006]; with the corrections of [Hanlon2009, section 4.1].
 */
#ifndef NB_ROUTING_SEGMENTS_H
#define NB_ROUTING_SEGMENTS_H

#include "routing/turn_ways.h"

/* The numbers of segments. All channels between two routers are one link. In a
 * connected network the sum of the last three is
 *
 *     links - routers + 1,
 *
 * as for any ear decomposition. Bridges are links but in no segment: removing
 * one leaves one link less and one more component of the network. */
struct nb_segment_counts {
    size_t subnets;
    size_t starting; /* cycles, the first segment of a subnet */
    size_t regular;  /* paths with new routers */
    size_t unitary;  /* links between routers already in the subnet */
};

/*
 * Finds segments and prohibits turns: in a starting or regular segment the turn
 * between the first two links; for a unitary one all turns at its end with the
 * lesser number, except those to routers with one link.
 *
 * is_shortest  from each router take the shortest segment; else the first
 *              that a search in random order finds
 * turns        initialised by nb_turns_init
 * counts       out
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_segments_find(const struct nb_topology *topology,
                                bool is_shortest, uint64_t seed,
                                struct nb_turns *turns,
                                struct nb_segment_counts *counts,
                                struct nb_error *err);

#endif
