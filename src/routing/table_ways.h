/*
 * Table ways: schemes that find one path for each pair of routers when they are
 * built, or one for each of a destination's addresses, and are executed from
 * the tables of these paths, so that what is proved of them is what runs. The
 * virtual-channel class of each hop, its layer, is stored in the tables too,
 * where the rule "layer" reads it.
 */
#ifndef NB_ROUTING_TABLE_WAYS_H
#define NB_ROUTING_TABLE_WAYS_H

#include "routing/routing.h"
#include "routing/vc_classes.h"

struct nb_table_ways_entry;
struct nb_table_ways_made;

/*
 * Tables under construction; zero-initialised is valid and empty.
 *
 *     NB_TRY(nb_table_ways_open(&work, topology, err));
 *     ... nb_table_ways_add of pair after pair, destinations ascending ...
 *     NB_TRY(nb_table_ways_close(&work, routing, err));
 *     done: nb_table_ways_release(&work);
 */
struct nb_table_ways_work {
    const struct nb_topology *topology;
    uint32_t destination; /* the current one, to which paths are added */
    size_t *first;        /* [destination * router_count + router + 1] */
    unsigned ways;        /* most paths of a pair */
    uint16_t *ways_to;    /* [destination] paths of each pair; NULL: 1 */
    uint64_t total;       /* a common multiple of these numbers */
    uint16_t *start; /* [(destination * router_count + source) * ways + way] */
    struct nb_table_ways_entry *entry;
    size_t entry_count, entry_room;
    unsigned most_states; /* of one router and destination */
    unsigned class_count;
    /* For the current destination: the entries made and, by router, their
     * number and the last one. */
    struct nb_table_ways_made *made;
    size_t made_count, made_room;
    uint32_t *count, *last;
};

/* Refuses, before anything is computed, a network whose tables would not fit:
 * next hops, and one entry for each router and destination. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_table_ways_require(const struct nb_topology *topology,
                                     struct nb_error *err);

/* Errors: NB_NO_MEMORY, as for nb_table_ways_require. */
enum nb_status nb_table_ways_open(struct nb_table_ways_work *out,
                                  const struct nb_topology *topology,
                                  struct nb_error *err);

/*
 * The same for destinations with several addresses, which packets use equally.
 *
 * ways_to  [destination] number of addresses, 1 or more: copied
 *
 * Errors: NB_NO_MEMORY, as for nb_table_ways_require; NB_INVALID if the least
 * common multiple of these numbers exceeds 2^16.
 */
enum nb_status nb_table_ways_open_many(struct nb_table_ways_work *out,
                                       const struct nb_topology *topology,
                                       const uint16_t *ways_to,
                                       struct nb_error *err);

/*
 * Adds the path of a pair, to the destination's first address. A pair without a
 * path is not routed.
 *
 * destination  not less than in the previous call
 * channel      [length] from source to destination
 * class        [length] the virtual-channel class of each hop, below
 *              NB_MOST_VC_CLASSES; NULL: 0
 *
 * Errors: NB_NO_MEMORY; NB_OVERFLOW if the paths to the destination leave a
 * router in more than 2^16 - 2 ways.
 */
enum nb_status nb_table_ways_add(struct nb_table_ways_work *work,
                                 uint32_t source, uint32_t destination,
                                 const uint32_t *channel, const uint8_t *class,
                                 size_t length, struct nb_error *err);

/* The same to another of the destination's addresses, counted from 0. A packet
 * to an address without a path is not routed. */
enum nb_status nb_table_ways_add_way(struct nb_table_ways_work *work,
                                     uint32_t source, uint32_t destination,
                                     unsigned way, const uint32_t *channel,
                                     const uint8_t *class, size_t length,
                                     struct nb_error *err);

/* Gives the tables, and everything else that build fills in, to a scheme whose
 * kind has nb_table_ways_start and nb_table_ways_step. Errors: NB_NO_MEMORY. */
enum nb_status nb_table_ways_close(struct nb_table_ways_work *work,
                                   struct nb_routing *out,
                                   struct nb_error *err);

void nb_table_ways_release(struct nb_table_ways_work *work);

/* Allocates [destination * router_count + router] next hops, all NB_NONE; free
 * with nb_delete. Errors: NB_NO_MEMORY, as for nb_table_ways_require. */
enum nb_status nb_table_ways_new(const struct nb_topology *topology,
                                 uint32_t **next, struct nb_error *err);

/*
 * Follows next hops. Returns their number, or 0 if they do not arrive because
 * one of them is NB_NONE or they loop.
 *
 * next  [router] to the destination
 * path  [router_count] the channels: out
 */
size_t nb_table_hops_follow(const struct nb_topology *topology,
                            const uint32_t *next, uint32_t source,
                            uint32_t destination, uint32_t *path);

/*
 * Does all of this for next hops by router and destination, as in forwarding
 * tables.
 *
 * next   [destination * router_count + router] the channel; NB_NONE: none
 * layer  [destination * router_count + source] the class of all hops of the
 *        pair; NULL: 0
 *
 * Pairs of routers with terminals whose packets do not arrive, or loop, are not
 * routed.
 *
 * Errors: those of nb_table_ways_add.
 */
enum nb_status nb_table_ways_build(struct nb_routing *out, const uint32_t *next,
                                   const uint8_t *layer, struct nb_error *err);

/* The scheme's start and step. A pair that is not routed has a hop over channel
 * NB_NONE. */
size_t nb_table_ways_start(const struct nb_routing *routing, uint32_t source,
                           uint32_t destination, struct nb_start *starts);
size_t nb_table_ways_step(const struct nb_routing *routing,
                          const struct nb_route_table *table,
                          nb_route_state state, uint32_t router,
                          uint32_t destination, struct nb_hop *hops);

/* The path of packets that begin in a state. channel, class: out, NULL or
 * [router_count] channels and classes of hops; returns its length, 0 if they
 * are not routed. */
size_t nb_table_ways_follow(const struct nb_routing *routing,
                            nb_route_state state, uint32_t source,
                            uint32_t destination, uint32_t *channel,
                            uint8_t *class);

/* The same for a pair that has one path. */
size_t nb_table_ways_path(const struct nb_routing *routing, uint32_t source,
                          uint32_t destination, uint32_t *channel,
                          uint8_t *class);

/* The paths of all pairs of routers: a path has a dependency for each hop
 * except the first, within a layer or between two. */
struct nb_table_ways_paths {
    unsigned layers; /* 0: the scheme has no tables; below 2: nothing is
                      * counted */
    int64_t pairs;   /* that are routed, of different routers */
    int64_t dependencies, transitions;
    size_t within[NB_MOST_VC_CLASSES];
};
/* Errors: NB_NO_MEMORY. */
enum nb_status nb_table_ways_count(const struct nb_routing *routing,
                                   struct nb_table_ways_paths *out,
                                   struct nb_error *err);

/* Whether a scheme is executed from such tables. */
bool nb_is_table_ways(const struct nb_routing *routing);

/* The number of layers of such a scheme, and the layer of a packet's next hop;
 * 0 if it makes none. */
unsigned nb_table_ways_layers(const struct nb_routing *routing);
unsigned nb_table_ways_layer(const struct nb_routing *routing,
                             nb_route_state state, uint32_t router,
                             uint32_t destination);

/* Functions of rules of virtual-channel classes that read the layers. */
bool nb_layers_suit(const struct nb_routing *routing,
                    const struct nb_route_shape *shape);
enum nb_status nb_layers_set(struct nb_vc_classes *out,
                             const struct nb_route_shape *shape,
                             uint64_t *count, struct nb_error *err);
uint64_t nb_layers_find(const struct nb_vc_classes *classes,
                        const struct nb_vc_hop *hop, uint32_t *next);

#endif
