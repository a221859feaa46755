/*
 * Forwarding tables of InfiniBand switches, as subnet managers write them: by
 * the destination's local identifier (LID) the port that packets leave by; with
 * service levels (SL) of pairs, and the virtual lanes (VL) that these mean at
 * each switch. Executed as tables (table_ways.h), a lane being a class.
 */
#ifndef NB_ROUTING_FORWARDING_H
#define NB_ROUTING_FORWARDING_H

#include "routing/routing.h"

enum { NB_SERVICE_LEVELS = 16 };

/* The lanes of packets that come by one port and leave by another. */
struct nb_forwarding_lanes {
    uint32_t router;
    uint8_t in, out;
    uint8_t lane[NB_SERVICE_LEVELS];
};

/* Owns its arrays; borrows the topology, which is a fabric. Zero-initialised is
 * valid and empty. */
struct nb_forwarding {
    const struct nb_topology *topology;
    uint32_t *next;   /* [destination * router_count + router] the channel;
                       * NB_NONE: none */
    uint32_t *of_lid; /* [NB_LIDS] the router; NB_NONE: none of the network */
    uint8_t *level; /* [destination * router_count + source]; NULL: all are 0 */
    struct nb_forwarding_lanes *lanes; /* sorted; without them the lane is the
                                        * service level */
    size_t lanes_count;
};

enum { NB_LIDS = 0xC000 }; /* those of one receiver are below */

/* Whether a text begins as forwarding tables do. */
bool nb_is_forwarding(const char *text);

/*
 * Reads the tables of all switches: opensm-lfts.dump of opensm, what dump_lfts
 * prints, or opensm.fdbs. Which router a LID is of says the row, by the GUID of
 * its port, else the network. A router with several LIDs is reached by the
 * lowest one; hosts send by their first port.
 *
 * Errors: NB_INVALID if the network is no fabric, naming file, line and value
 * if a line is of another form, a switch is not in the network or there twice,
 * or has no such port, or if no LID is one of the network's hosts; NB_IO;
 * NB_NO_MEMORY.
 */
enum nb_status nb_forwarding_read(const struct nb_topology *topology,
                                  const char *path, struct nb_forwarding *out,
                                  struct nb_error *err);

/* Reads service levels: lines of source LID, destination LID and level; ERR in
 * its place stands for none. Pairs that are not there have level 0. After
 * nb_forwarding_read. Errors: NB_INVALID naming file, line and value; NB_IO;
 * NB_NO_MEMORY. */
enum nb_status nb_forwarding_read_levels(struct nb_forwarding *forwarding,
                                         const char *path,
                                         struct nb_error *err);

/* Reads lanes, as opensm-sl2vl.dump of opensm has them. Errors: as above. */
enum nb_status nb_forwarding_read_lanes(struct nb_forwarding *forwarding,
                                        const char *path, struct nb_error *err);

/* How a packet fares. */
enum nb_forwarding_end {
    NB_ARRIVES,
    NB_IS_DROPPED, /* a switch has no port for it, or lane 15 */
    NB_GOES_ROUND, /* in a circle */
};

/*
 * Follows the tables from one router to another.
 *
 * channel  out, [router_count]
 * class    out, [router_count] the lane of each hop
 * length   out
 */
enum nb_forwarding_end
nb_forwarding_follow(const struct nb_forwarding *forwarding, uint32_t source,
                     uint32_t destination, uint32_t *channel, uint8_t *class,
                     size_t *length);

/* Makes them the tables of a scheme; what does not arrive is not routed.
 * Errors: as nb_table_ways_add. */
enum nb_status nb_forwarding_ways(const struct nb_forwarding *forwarding,
                                  struct nb_routing *out, struct nb_error *err);

/*
 * The next hops of packets to routers with terminals, where a scheme has one of
 * each router to each of them.
 *
 * path  for messages
 * next  out: [destination * router_count + router] the channel; untouched where
 *       no packet comes by
 *
 * Errors: NB_INVALID if the scheme is adaptive, of two phases or has more than
 * one next hop from a router to a destination, naming them; as nb_walker_go.
 */
enum nb_status nb_forwarding_find(const struct nb_routing *routing,
                                  const char *path, uint32_t *next,
                                  struct nb_error *err);

/* Whether a path's ending, .dot or .gv, is that of a graph. */
bool nb_is_orcs(const char *path);

/*
 * Writes a network with a scheme's next hops for ORCS, a simulator of
 * congestion under oblivious routing: a directed graph in DOT of Graphviz,
 * whose nodes are terminals H0, H1, ... and routers R0, R1, ..., and whose
 * edges are channels. An edge's comment has the terminals whose packets take
 * it, joined by commas, or * for all: from a terminal every packet goes to its
 * router. Of a fabric hosts are terminals, and no routers.
 *
 * Errors: as nb_forwarding_find; NB_IO; NB_NO_MEMORY.
 * Source: T. Schneider, T. Hoefler, A. Lumsdaine, ORCS: an oblivious routing
 * congestion simulator, technical report 675, Indiana University, 2009.
 */
enum nb_status nb_forwarding_write_orcs(const struct nb_routing *routing,
                                        const char *path, struct nb_error *err);

/*
 * Writes a scheme as forwarding tables, as opensm dumps them (opensm-lfts.dump)
 * and loads them (opensm -R file -U FILE). Switches have rows as well: those of
 * a host at them, or else next hops towards whatever comes there. Where the
 * network does not say the LIDs of all, they are numbered from 1 on in the
 * order of routers.
 *
 * Errors: NB_INVALID if the network is no fabric, something in it has no GUID,
 * or the scheme is adaptive, of two phases or has more than one next hop from a
 * router to a destination, naming them; NB_IO; NB_NO_MEMORY.
 */
enum nb_status nb_forwarding_write(const struct nb_routing *routing,
                                   const char *path, struct nb_error *err);

/* Writes the layers of all pairs of hosts as service levels. Errors: as
 * nb_forwarding_write; NB_INVALID if a pair's layer changes on the way or is 16
 * or more. */
enum nb_status nb_forwarding_write_levels(const struct nb_routing *routing,
                                          const char *path,
                                          struct nb_error *err);

void nb_forwarding_release(struct nb_forwarding *forwarding);

#endif
