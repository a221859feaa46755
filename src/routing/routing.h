/*
 * Routing: each scheme is one step function. Analysis, simulator and deadlock
 * checker call the same function, so what is analysed is what is executed.
 */
#ifndef NB_ROUTING_ROUTING_H
#define NB_ROUTING_ROUTING_H

#include "core/delete.h"
#include "core/specification.h"
#include "topology/topology.h"

struct nb_random;
struct nb_strays;

NB_PUBLIC_BEGIN

/* The state of a packet, in addition to its router and its destination. */
typedef uint64_t nb_route_state;

/* One way to begin, chosen with probability weight / start_total; then one of
 * the intermediate routers is drawn evenly. */
struct nb_start {
    nb_route_state state;
    uint64_t weight;        /* > 0 */
    uint64_t intermediates; /* 0: none, straight to the destination */
    uint32_t set;           /* NB_IN_SET: the set that contains them */
};

/* Where a two-phase scheme draws its intermediate router, evenly. */
enum nb_intermediate {
    NB_NO_INTERMEDIATE, /* one phase */
    NB_ANYWHERE,        /* from all routers with terminals, or the switches of
                         * hosts */
    NB_IN_QUADRANT,     /* from those in the quadrant of the start's directions,
                         * including source and destination: quadrant.h */
    NB_IN_SET,          /* from a set of the pair: intermediates.h */
};

struct nb_intermediates;
struct nb_routing;

enum { NB_MOST_SETS = 4 };

/* A number counted while the scheme was built, such as prohibited turns. */
struct nb_route_count {
    const char *name; /* name of a quantity; a literal */
    uint64_t count;
};
enum { NB_MOST_ROUTE_COUNTS = 8 };

/* One next hop, chosen with probability weight / sum of weights. */
struct nb_hop {
    uint32_t channel;
    uint32_t node; /* the walker's node that it leads to; not set by step */
    nb_route_state next;
    uint64_t weight; /* exact integer; 0 if it does not fit: then use share */
    double share;    /* proportional to the weight */
};

/*
 * Distances and numbers of shortest paths to one router, for schemes that need
 * them, by hops or as struct nb_groups says. Owned by the caller.
 */
struct nb_route_table {
    uint32_t target;
    uint32_t *distance;         /* [router] to target, as nb_ways_to */
    uint64_t *paths;            /* [router] shortest paths; 0: above 2^62 */
    struct nb_many_paths *many; /* [router] if paths is 0: the number */
    uint64_t *ways; /* one bit per channel: it is on a shortest path; and 64
                     * more bits */
    struct nb_pool pool;
};

/* Zero-initialised is valid and empty. The topology is borrowed. */
struct nb_routing {
    const struct nb_routing_kind *kind;
    struct nb_specification specification;
    const struct nb_topology *topology;
    unsigned symmetries;  /* classes of automorphisms that the scheme keeps */
    size_t state_count;   /* one phase: states are 0 .. state_count-1 */
    size_t most_starts;   /* longest list of starts */
    uint64_t start_total; /* sum of the weights of any pair's starts */
    size_t most_hops;     /* longest hop list step can return */
    bool needs_table;     /* step needs a table of the router it heads for */
    bool is_minimal;      /* every route is a shortest one, as route
                           * tables count */
    bool leaves_source;   /* one phase: packets to their own router hop too */
    bool has_gaps;        /* some pairs have no route, even without failures:
                           * unrouted.h */
    size_t circling;    /* number of paths whose tables loop; those of the other
                         * pairs without a route end somewhere */
    size_t moved_lids;  /* LIDs to which forwarding tables and the network give
                         * different owners */
    uint32_t moved_lid; /* one of them */
    struct nb_strays *strays; /* the packets of such pairs; NULL: none. Owned */

    /* Two-phase schemes (two_phase.h): the scheme of each phase. NULL: one
     * phase. Owned. */
    struct nb_routing *phase;
    enum nb_intermediate intermediate;
    /* NB_IN_QUADRANT: the scheme whose starts are the direction classes, 0 ..
     * class_count-1. If it is the same as phase, both phases begin in the state
     * drawn at the start; else each begins in its own. Owned. */
    struct nb_routing *directions;
    size_t class_count;
    uint32_t *endpoint; /* [endpoint_count] intermediate routers of NB_ANYWHERE,
                         * a switch once for each of its hosts; owned */
    size_t endpoint_count;
    /* NB_IN_SET: a function that fills in one of the sets of a pair of routers
     * with terminals, where the last set contains all others; a common multiple
     * of all set sizes, 0 if it is not below 2^31; and the largest size. Their
     * data is in ways, plan or endpoint. Oblivious schemes have one set. */
    void (*find_intermediates)(const struct nb_routing *routing, size_t set,
                               uint32_t source, uint32_t destination,
                               struct nb_intermediates *out);
    size_t sets;
    void *ways[NB_MOST_SETS]; /* of group_ways.h or table_ways.h, one block
                               * each; owned */
    int64_t intermediate_scale;
    size_t most_intermediates;
    /* NB_IN_SET: the part of start_total that is the weight of going straight
     * to the destination, in one phase; and the number of equal starts among
     * which the rest is divided, each with its own intermediate router:
     * two_phase.h. */
    uint64_t direct;
    uint64_t draws;
    /* Packets that go straight decide again on their path:
     * nb_two_phase_turns. */
    bool is_progressive;
    /* Each terminal keeps one of a pair's intermediate routers, selected by the
     * terminal's index at its router; else one is drawn for each packet. */
    bool is_by_port;

    /* The number of places at the front of each terminal's queue in which
     * packets are counted, by came and left of the kind. */
    uint32_t counted;

    /* The rule of virtual-channel classes that the scheme asks for
     * (vc_classes.h); NULL: that of the network. Set by the kind. */
    const char *vc_rule;
    /* With coordinates: maximum levels of a phase's routes
     * (classes/dimension.c); 0: not given by the kind. */
    unsigned vc_levels;

    struct nb_route_count counts[NB_MOST_ROUTE_COUNTS];
    size_t count_count;

    void *plan; /* the kind's own tables, one block; owned */
};

/* The hop that a packet would make now. */
struct nb_way {
    uint32_t channel; /* NB_NONE: it stays */
    nb_route_state next;
    uint32_t queue; /* of the channel */
};

/* A packet drawn from a buffer, and how full the buffer is. */
struct nb_sample {
    double filled;   /* fraction of the places that hold flits */
    uint32_t source; /* router */
    uint32_t output; /* its next channel; NB_NONE: to a terminal */
};

/*
 * What an adaptive scheme sees of a running network. memory belongs to the
 * scheme: as many bytes as the kind's memory returns, zeroed at the start. It
 * holds what its routers or groups know, and observe updates it.
 */
struct nb_view {
    const void *network;
    /* Flits that wait for a channel or are in the buffers behind it. */
    uint32_t (*queue)(const void *network, uint32_t channel);
    /* Flits in the buffer of one virtual channel behind a channel, as the
     * router before it knows from credits; 0 if there are no virtual
     * channels. */
    uint32_t (*buffered)(const void *network, uint32_t channel,
                         uint32_t virtual_channel);
    /* The virtual channels behind a channel that the packet in question may
     * take if it leaves a router in this state; NULL if there are no virtual
     * channels. */
    uint64_t (*permitted)(const void *network, nb_route_state state,
                          uint32_t router, uint32_t destination,
                          uint32_t channel);
    /* The virtual channels behind a channel that accept no flit now, as the
     * router before it knows: those without credits or with a stop signal.
     * NULL: there are none. */
    uint64_t (*paused)(const void *network, uint32_t channel);
    /* Packets in an injection queue of a router with injection queues. */
    uint32_t (*waiting)(const void *network, uint32_t source,
                        uint32_t destination, size_t start);
    /* Among the hops by which a packet in this state may leave a router, the
     * first one whose channel has the shortest queue. */
    struct nb_way (*way)(const void *network, nb_route_state state,
                         uint32_t router, uint32_t destination);
    /*
     * Only with the credit router, else NULL. passed: packets that have passed
     * the switch to a channel. latency: cycles of a hop over it without queues.
     * sample: a packet, selected by any number `drawn`, of the fullest virtual
     * channel in the output buffer before a channel, or in the input buffer
     * behind it; false if there is none.
     */
    uint64_t (*passed)(const void *network, uint32_t channel);
    uint32_t (*latency)(const void *network, uint32_t channel);
    bool (*sample)(const void *network, uint32_t channel, bool is_input,
                   uint64_t drawn, struct nb_sample *out);
    struct nb_random *random; /* of the network; NULL: the network is not
                               * running */
    void *memory;
};

/* A start that an adaptive scheme must rate, with its intermediate router
 * drawn. */
struct nb_candidate {
    const struct nb_start *start;
    size_t index;         /* index of the start in the pair's list */
    nb_route_state state; /* in which the packet would begin */
    uint32_t target;      /* its first target: the intermediate router or the
                           * destination */
};

struct nb_routing_kind {
    struct nb_kind kind;
    /* Pairs "routing@topology" for the conformance tests, separated by
     * spaces. */
    const char *examples;
    /* The choice may depend on the state of the network, so there are no
     * expected loads: analysis refuses the scheme by name. The weights of its
     * step only list the permitted hops. */
    bool is_adaptive;
    /* Adaptive: represents any choice, for bounds; the scheme makes no choice
     * itself. */
    bool stands_for_any;
    /* Adaptive: in addition to the hops of its step, which are preferred, a
     * packet may be deflected over any other channel out of its router, keeping
     * its state, so its path can be any, of any length. Only for the chaos
     * router, which needs no virtual channels. */
    bool is_deflecting;
    /* One path for each pair, which differs by terminal: where a router has
     * several, each is made a host (topology/hosts.h) before the scheme is
     * built. */
    bool is_by_terminal;

    /* Fills in all of out after kind, specification and topology; for a
     * two-phase scheme nb_two_phase_build does most of it. */
    enum nb_status (*build)(struct nb_routing *out, struct nb_error *err);

    /* A packet's first states with their weights, at most most_starts; NULL:
     * only state 0. Two-phase schemes do not have this function. */
    size_t (*start)(const struct nb_routing *routing, uint32_t source,
                    uint32_t destination, struct nb_start *starts);

    /*
     * The next hops from router, at most most_hops; none: the packet has
     * arrived. A hop over a failed link has channel NB_NONE: unrouted.h. It is
     * called only for routes between routers with terminals. table is that of
     * destination (NULL unless needs_table). Two-phase schemes do not have this
     * function: NULL.
     */
    size_t (*step)(const struct nb_routing *routing,
                   const struct nb_route_table *table, nb_route_state state,
                   uint32_t router, uint32_t destination, struct nb_hop *hops);

    /*
     * The rest is for adaptive schemes. Among the hops listed they take the one
     * with the shortest queue; ties are broken evenly. cost: the cost of
     * beginning with a start. Every start is a candidate, and the cheapest is
     * taken, the first among equals; NULL: starts are drawn by weight.
     */
    uint64_t (*cost)(const struct nb_routing *routing,
                     const struct nb_view *view, uint32_t source,
                     uint32_t destination,
                     const struct nb_candidate *candidate);
    /* The set from which a packet's intermediate router is drawn now; NULL:
     * from all sets, one after another. blocked: the number of cycles in which
     * the packet was blocked at its source while it was not going straight. */
    size_t (*set)(const struct nb_routing *routing, const struct nb_view *view,
                  uint32_t source, uint32_t destination, uint32_t blocked);
    /* A packet that is blocked at the head of its source's queue decides again,
     * with new candidates, whenever it requests a channel; else it decides
     * once, when it reaches the head. Not with injection queues. */
    bool is_asked_again;
    /* It decides by what was blocked at the source, or by paused and sample of
     * its view. A prediction does not know these, and only the credit router
     * has them. */
    bool heeds_buffers;
    /* Every router keeps the packets it sends in queues by destination and
     * start, and the start is chosen when they are created; else in one queue
     * per terminal, and the start is chosen when they leave it. */
    bool has_injection_queues;
    /* Bytes of memory that a running network keeps for the scheme. */
    size_t (*memory)(const struct nb_routing *routing);
    /* A packet has reached the queue of its terminal or, with `counted` of
     * struct nb_routing, the counted places of the queue. */
    void (*came)(const struct nb_routing *routing, const struct nb_view *view,
                 uint32_t source, uint32_t destination);
    /* A packet at the head of its source's queue that would not go straight was
     * blocked in this cycle: is_asked_again. */
    void (*blocked)(const struct nb_routing *routing,
                    const struct nb_view *view, uint32_t source);
    /* A packet left its source's queue in this cycle. */
    void (*left)(const struct nb_routing *routing, const struct nb_view *view,
                 uint32_t source, uint32_t destination, uint64_t cycle);
    /* A cycle has ended. */
    void (*observe)(const struct nb_routing *routing,
                    const struct nb_view *view, uint64_t cycle);
};

extern const struct nb_routing_kind *const nb_routing_kinds[];

/*
 * Reads a specification and builds the scheme for a network.
 *
 * Errors: NB_INVALID if it is malformed or the scheme is not defined on this
 * network, with the reason; NB_NO_MEMORY.
 */
enum nb_status nb_routing_build(const char *specification,
                                const struct nb_topology *topology,
                                struct nb_routing *out, struct nb_error *err);

void nb_routing_release(struct nb_routing *routing);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* The registry for nb_specification_read. */
const struct nb_kind *nb_routing_kind_at(size_t index);

/* Whether a specification names a scheme whose paths differ by terminal, and
 * routers have several. out: false also if the specification is malformed.
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_routing_needs_hosts(const char *specification,
                                      const struct nb_topology *topology,
                                      bool *out, struct nb_error *err);

/* The number of ways to begin that it represents. */
static inline uint64_t nb_start_ways(const struct nb_start *start)
{
    return start->intermediates > 0 ? start->intermediates : 1;
}

/* The channels that are on shortest paths, from `first` and below `end`, at
 * most 64: bit 0 for the first. */
static inline uint64_t nb_ways_of(const struct nb_route_table *table,
                                  uint32_t first, uint32_t end)
{
    const uint64_t *word = &table->ways[first / 64];
    const uint32_t shift = first % 64;
    uint64_t bits = word[0] >> shift;
    if (shift > 0)
        bits |= word[1] << (64 - shift);
    return end - first < 64 ? bits & (((uint64_t)1 << (end - first)) - 1)
                            : bits;
}

/* The check that every function makes first when given a scheme. Errors:
 * NB_INVALID if it is NULL or was not built; those of nb_topology_check. */
enum nb_status nb_routing_check(const struct nb_routing *routing,
                                struct nb_error *err);

/* The starts from source to destination. starts: out, [most_starts]; returns
 * their number. */
size_t nb_route_starts(const struct nb_routing *routing, uint32_t source,
                       uint32_t destination, struct nb_start *starts);

/* The first state after a start was drawn, with its index-th intermediate
 * router. */
nb_route_state nb_route_begin(const struct nb_routing *routing,
                              const struct nb_start *start, uint64_t index,
                              uint32_t source, uint32_t destination);

/* The router a packet heads for: its intermediate router, then its destination.
 */
uint32_t nb_route_target(const struct nb_routing *routing, nb_route_state state,
                         uint32_t router, uint32_t destination);

/* The next hops from router, as by the kind's step. table must be that of the
 * router that nb_route_target returns. */
size_t nb_route_step(const struct nb_routing *routing,
                     const struct nb_route_table *table, nb_route_state state,
                     uint32_t router, uint32_t destination,
                     struct nb_hop *hops);

/* For builders: NB_INVALID, "routing R: topology T is not WANTED". */
enum nb_status nb_routing_refuse(const struct nb_routing *routing,
                                 const char *wanted, struct nb_error *err);

/* For analysis: NB_INVALID if the scheme is adaptive. */
enum nb_status nb_routing_refuse_adaptive(const struct nb_routing *routing,
                                          struct nb_error *err);

/* For builders: adds a count. */
void nb_routing_add_count(struct nb_routing *routing, const char *name,
                          uint64_t count);

/* For builders: the maximum number of channels out of a router. */
size_t nb_most_degree(const struct nb_topology *topology);

/* A scheme with the same loads that is easier to analyse. In one dimension an
 * intermediate router in the quadrant lies on the path anyway, so a single
 * phase has the same loads. Most schemes return themselves. */
const struct nb_routing *nb_route_alike(const struct nb_routing *routing);

/* Whether a channel is on a shortest path to the table's router. */
bool nb_is_on_the_way(const struct nb_topology *topology,
                      const struct nb_route_table *table, uint32_t channel);

/* [hop] Hops of shortest paths, as route tables count them, between all pairs
 * of routers with terminals.
 *
 * hops  out, [target * router_count + router]; 0 where there is no path
 *
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_count_hops(const struct nb_topology *topology, uint16_t *hops,
                             struct nb_error *err);

/*
 * Distances to one router along shortest paths as route tables count them.
 *
 * distance  out, [router_count]: hops or, where global channels count first,
 *           in a unit of their own; 0 only at the target
 * queue     out, [router_count]: the routers in order of distance
 */
void nb_ways_to(const struct nb_topology *topology, uint32_t target,
                uint32_t *distance, uint32_t *queue);

/* For nb_memory_require. */
double nb_route_table_bytes(const struct nb_topology *topology);

/* Allocates a table; release accepts a zero-initialised one. */
enum nb_status nb_route_table_init(const struct nb_topology *topology,
                                   struct nb_route_table *table,
                                   struct nb_error *err);
void nb_route_table_release(struct nb_route_table *table);

/*
 * Computes distances and numbers of shortest paths to target, by breadth-first
 * search against the channels; parallel channels count as different paths.
 *
 * queue  the routers in order of distance, [router_count + 1], the last unused
 */
void nb_route_table_fill(const struct nb_topology *topology, uint32_t target,
                         struct nb_route_table *table, uint32_t *queue);

NB_INTERNAL_END

#endif
