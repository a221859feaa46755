/*
 * Forwarding tables of InfiniBand switches, as written by subnet managers: for
 * the destination's local identifier (LID), the port by which packets leave;
 * also service levels (SL) of pairs, and the virtual lanes (VL) that each
 * switch uses for them. They are executed as tables (table_ways.h); a lane is a
 * class.
 */
#ifndef NB_ROUTING_FORMATS_FORWARDING_H
#define NB_ROUTING_FORMATS_FORWARDING_H

#include "routing/routing.h"

enum { NB_SERVICE_LEVELS = 16 };

/* The lanes of packets that enter by one port and leave by another. */
struct nb_forwarding_lanes {
    uint32_t router;
    uint8_t in, out;
    uint8_t lane[NB_SERVICE_LEVELS];
    size_t line; /* line of the file */
};

enum { NB_NO_LEVEL = 255 };

/* A LID to which packets are sent, and the host that has it. */
struct nb_forwarding_address {
    uint32_t lid, router;
};

/* Owns its arrays; borrows the topology, which is a fabric. Zero-initialised is
 * valid and empty. */
struct nb_forwarding {
    const struct nb_topology *topology;
    struct nb_forwarding_address *address; /* [address_count] by router, then
                                            * LID */
    size_t address_count;
    size_t *first;    /* [router + 1] index of a router's first address */
    uint32_t *next;   /* [address * router_count + router] the channel; NB_NONE:
                       * none */
    uint32_t *of_lid; /* [NB_LIDS] the router; NB_NONE: not in the network */
    uint32_t *lid;    /* [router] its lowest LID; 0: none */
    size_t moved_lids;  /* those to which the network gives another owner */
    uint32_t moved_lid; /* the first of them */
    bool is_base;       /* only a host's lowest LID is an address */
    /* [address * address_count + address of the source] or NB_NO_LEVEL; NULL:
     * all are 0 */
    uint8_t *level;
    const char *level_path;            /* borrowed, for messages */
    struct nb_forwarding_lanes *lanes; /* sorted; if there are none, the lane is
                                        * the service level */
    size_t lanes_count;
    const char *lanes_path; /* borrowed, for messages; NULL: no lanes */
};

enum { NB_LIDS = 0xC000 }; /* LIDs of single receivers are below this */

/* Whether a text begins like forwarding tables. */
bool nb_is_forwarding(const char *text);

/*
 * Reads the tables of all switches: opensm-lfts.dump of opensm, the output of
 * dump_lfts, or opensm.fdbs. The router of a LID is given by the row, through
 * the GUID of its port, else by the network. Hosts send by their first port.
 *
 * is_base  packets are sent to a host's lowest LID only, else to all of its
 *          LIDs
 *
 * Errors: NB_INVALID if the network is not a fabric; naming file, line and
 * value, if a line has another form, if a switch is not in the network or
 * appears twice, if it has no such port or two ports for one LID, or if no LID
 * is that of a host of the network; NB_IO; NB_NO_MEMORY.
 */
enum nb_status nb_forwarding_read(const struct nb_topology *topology,
                                  const char *path, bool is_base,
                                  struct nb_forwarding *out,
                                  struct nb_error *err);

/*
 * Reads service levels: lines of source LID, destination LID and level. Lines
 * from or to a LID that is no address, such as those of switches, do not count.
 * Call it after nb_forwarding_read.
 *
 * path  borrowed: must outlive the struct
 *
 * Errors: NB_INVALID naming file, line and value, if a LID is not in the
 * network or packets from a LID to a LID have two levels, or if the file has
 * no line; NB_IO; NB_NO_MEMORY.
 */
enum nb_status nb_forwarding_read_levels(struct nb_forwarding *forwarding,
                                         const char *path,
                                         struct nb_error *err);

/* Reads lanes in the format of opensm-sl2vl.dump. path is borrowed and must
 * outlive the struct. Errors: as above, if a switch is not in the network or
 * two lines give different lanes for the same ports. */
enum nb_status nb_forwarding_read_lanes(struct nb_forwarding *forwarding,
                                        const char *path, struct nb_error *err);

/* What happens to a packet. */
enum nb_forwarding_end {
    NB_ARRIVES,
    NB_IS_DROPPED,  /* a switch has no port for it, or lane 15 */
    NB_GOES_ROUND,  /* it loops */
    NB_HAS_NO_LANE, /* there is no lane row for channel[length] after
                     * channel[length - 1] */
};

/*
 * Follows the tables from a router to an address; packets that go round are
 * followed until they have taken every turn of the circle.
 *
 * from     which of the source's LIDs that have a service level to this address
 *          the packets are from, counted from 0 round all of these
 * channel  out, [router_count]
 * class    out, [router_count] the lane of each hop; a pair without a level is
 *          treated as level 0
 * length   out
 */
enum nb_forwarding_end
nb_forwarding_follow(const struct nb_forwarding *forwarding, uint32_t source,
                     size_t from, size_t address, uint32_t *channel,
                     uint8_t *class, size_t *length);

/* Whether a scheme was made by nb_forwarding_ways. */
bool nb_is_forwarding_tables(const struct nb_routing *routing);

/* Makes the forwarding tables the tables of a scheme, whose packets use all
 * addresses of a host equally, and where service levels differ between the LIDs
 * of a source, these too. Packets that do not arrive are not routed; they
 * are strays.
 * Errors: NB_INVALID if a packet that arrives has no level or lacks a lane,
 * naming the first such pair; those of nb_table_ways_add and nb_strays_add. */
enum nb_status nb_forwarding_ways(const struct nb_forwarding *forwarding,
                                  struct nb_routing *out, struct nb_error *err);

/*
 * The next hops of packets to routers with terminals, for schemes that have a
 * single next hop from each router to each destination.
 *
 * path  for messages
 * next  out: [destination * router_count + router] the channel; untouched where
 *       no packet passes
 *
 * Errors: NB_INVALID if the scheme is adaptive, has two phases or has more than
 * one next hop from a router to a destination, naming them; those of
 * nb_walker_go.
 */
enum nb_status nb_forwarding_find(const struct nb_routing *routing,
                                  const char *path, uint32_t *next,
                                  struct nb_error *err);

/* Whether a path has the extension of a graph, .dot or .gv. */
bool nb_is_orcs(const char *path);

/*
 * Writes a network with a scheme's next hops for ORCS, a simulator of
 * congestion under oblivious routing: a directed graph in DOT of Graphviz. Its
 * nodes are terminals H0, H1, ... and routers R0, R1, ..., its edges are
 * channels. An edge's comment lists the terminals whose packets take it,
 * separated by commas, or is * for all: a terminal sends every packet to its
 * router. In a fabric, hosts are terminals and not routers.
 *
 * Errors: those of nb_forwarding_find; NB_IO; NB_NO_MEMORY.
 * Source: T. Schneider, T. Hoefler, A. Lumsdaine, ORCS: an oblivious routing
 * congestion simulator, technical report 675, Indiana University, 2009.
 */
enum nb_status nb_forwarding_write_orcs(const struct nb_routing *routing,
                                        const char *path, struct nb_error *err);

/*
 * Writes a scheme as forwarding tables, in the format that opensm dumps
 * (opensm-lfts.dump) and loads (opensm -R file -U FILE). Switches are
 * destinations too: their rows are those of a host at them, else next hops
 * towards the packets that pass them. Unless the network gives the LIDs of all,
 * LIDs are numbered from 1 in the order of routers.
 *
 * Errors: NB_INVALID if the network is not a fabric, something in it has no
 * GUID, or the scheme is adaptive, has two phases or has more than one next hop
 * from a router to a destination, naming them; NB_IO; NB_NO_MEMORY.
 */
enum nb_status nb_forwarding_write(const struct nb_routing *routing,
                                   const char *path, struct nb_error *err);

/* Writes the layers of all pairs of hosts as service levels. Errors: those of
 * nb_forwarding_write; NB_INVALID if a pair's layer changes along the path or
 * is 16 or more. */
enum nb_status nb_forwarding_write_levels(const struct nb_routing *routing,
                                          const char *path,
                                          struct nb_error *err);

void nb_forwarding_release(struct nb_forwarding *forwarding);

#endif
