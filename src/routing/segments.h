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
    size_t starts;   /* routers from which a subnet was begun: the subnets, and
                      * the routers on no cycle. In a connected network, bridges
                      * + 1 */
    size_t starting; /* cycles, the first segment of a subnet */
    size_t regular;  /* paths with new routers */
    size_t unitary;  /* links between routers already in the subnet */
};

/*
 * Which segment is taken next.
 *
 * SHORTEST        from one router after another, until it has none left: the
 *                 shortest segment, by the numbers of channels
 * SHORTEST_DRAWN  the same by draw: the first router, its cycle's first link,
 *                 which of several shortest segments, and the next router
 * RANDOM          from routers drawn anew for each segment: the first one that
 *                 a search in random order finds
 * WALK            as SHORTEST_DRAWN, but a random walk that visits no router
 *                 twice
 *
 * Source: [Hanlon2009, section 2.3.5] for WALK, section 4.1.2 for the shortest.
 */
enum nb_segment_search {
    NB_SEGMENTS_SHORTEST,
    NB_SEGMENTS_SHORTEST_DRAWN,
    NB_SEGMENTS_RANDOM,
    NB_SEGMENTS_WALK,
};

struct nb_segment_rule {
    enum nb_segment_search search;
    bool is_one_way; /* for unitary segments only turns out of them */
    uint64_t seed;
};

/*
 * Finds segments and prohibits turns, both directions of each: in a starting or
 * regular segment the turn between the first two links; for a unitary one all
 * turns at its end with the lesser number, except those to routers with one
 * link. SHORTEST_DRAWN and WALK draw one of the segment's turns, or one of its
 * two ends. If one-way, cycles of dependencies may remain.
 *
 * turns   initialised by nb_turns_init
 * counts  out
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_segments_find(const struct nb_topology *topology,
                                const struct nb_segment_rule *rule,
                                struct nb_turns *turns,
                                struct nb_segment_counts *counts,
                                struct nb_error *err);

#endif
