/*
 * Segments: a network's links divided into cycles and paths, one after another,
 * each of which begins and ends at what is there before. A turn prohibited in
 * each keeps packets from waiting in a circle.
 * Source: [MejiaEtAl2006]; with the corrections of [Hanlon2009, section 4.1].
 */
#ifndef NB_ROUTING_SEGMENTS_H
#define NB_ROUTING_SEGMENTS_H

#include "routing/turn_ways.h"

/* How many there are. All channels between two routers are one link, and
 * bridges are of no segment. The sum of the last three is
 *
 *     links - routers + 1,
 *
 * as of any division into ears. */
struct nb_segment_counts {
    size_t subnets;
    size_t starting; /* cycles that a subnet begins with */
    size_t regular;  /* paths with new routers */
    size_t unitary;  /* links between routers that are there */
};

/*
 * Finds segments and prohibits turns: in starting and regular ones that between
 * the first two links, of unitary ones all at the end of the lesser number, but
 * for those to routers of one link.
 *
 * is_shortest  segments from a router are the shortest that there are; else
 *              what a search in a random order finds
 * turns        of nb_turns_init
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
