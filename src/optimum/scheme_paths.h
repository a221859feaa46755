/* Scheme paths: the paths that packets may take under a routing scheme, with
 * any queues, and the shares of packets on them. */
#ifndef NB_OPTIMUM_SCHEME_PATHS_H
#define NB_OPTIMUM_SCHEME_PATHS_H

#include "core/delete.h"
#include "routing/path_table.h"
#include "routing/routing.h"

/*
 * Packets of a pair begin in one of its starts; within a start, and within each
 * of its two phases, they take any hops that the scheme's step lists. The
 * shares of the pair's packets are limited by random draws, on which queues
 * have no influence:
 *
 *   no cost   a start is drawn by weight: it has exactly that share.
 *   cost      a start without intermediate routers is always a candidate: any
 *             share. Each of c equivalent starts with m intermediate routers
 *             draws one, uniformly and independently. A packet goes through one
 *             of a set Q, t of the m, only if at least one draw is in Q. In the
 *             long run a share (1 - t/m)^c of packets has no draw in Q, so
 *
 *                 share(Q) <= f(t) = 1 - (1 - t/m)^c
 *
 *             for every Q, whatever is compared. This does not imply uniform
 *             shares: the comparison may prefer some routers.
 *   progressive   packets that go straight are decided on again at routers on
 *             their path, with new draws: of those that reach such a router
 *             straight, at most f(t) continue from there through Q.
 *   asked again   blocked packets draw again until they draw a wanted router:
 *             any share. The same holds where each terminal has a fixed
 *             intermediate router and m does not divide the number of
 *             terminals of a router.
 *
 * f is concave, so the least total length of a pair's packets is found by
 * filling the paths from the shortest up, each as far as f permits (a greedy
 * choice in a polymatroid); the rest goes straight, up to the next decision.
 * Shares are multiples of 1 / unit; where f does not fit these, its steps are
 * rounded up, so that upper bounds remain valid.
 */

/* A hop of the graph of all states. */
struct nb_scheme_hop {
    uint32_t channel;
    uint32_t node; /* node at its end */
};

/*
 * The scheme, or the phase of one of two phases, towards every router with
 * terminals: nodes (destination, state, router), each after all its successors,
 * in the order of the walker. Owns its arrays; zero-initialised is valid and
 * empty; borrows the routing.
 */
struct nb_scheme_paths {
    const struct nb_routing *routing;
    int64_t unit;        /* level_unit^levels */
    uint32_t levels;     /* maximum number of decisions on a packet */
    int64_t level_unit;  /* f is in multiples of 1 / level_unit */
    bool is_rounded;     /* rounded up to these multiples */
    int64_t most_length; /* of a channel, so that a pair's total fits */
    uint32_t longest;    /* hops of any path */
    size_t most_starts;  /* of one phase */
    size_t node_count;
    size_t *first;             /* [node_count + 1] hops of a node */
    struct nb_scheme_hop *hop; /* [first[node_count]] */
    /* [(destination * router_count + source) * most_starts + start] node */
    uint32_t *start;
    /* [routers drawn from] the increase of f by each of them, in level_unit:
     * [that number]; NULL if no pair draws from that many. */
    int64_t **gain;
    size_t node_room, hop_room;
    struct nb_pool pool;
};

/*
 * Errors: NB_INVALID if the scheme is oblivious, has paths that form a cycle,
 * needs something that failed, or draws intermediate routers in a manner not
 * described here; NB_NO_MEMORY.
 */
enum nb_status nb_scheme_paths_init(const struct nb_routing *routing,
                                    struct nb_scheme_paths *out,
                                    struct nb_error *err);
void nb_scheme_paths_release(struct nb_scheme_paths *paths);

/* One path of a pair's mixture. */
struct nb_scheme_way {
    int64_t units; /* number of units of its share */
    int64_t distance;
    uint32_t start;   /* start of the pair */
    uint32_t turn;    /* number of hops of the chain before it */
    uint32_t through; /* intermediate router; NB_NONE: none */
    uint32_t node;    /* node of the (first) phase after these; NB_NONE: at its
                       * end */
};

/* The cheapest mixtures under lengths of the channels. Owns its arrays;
 * zero-initialised is valid and empty; borrows the paths. */
struct nb_scheme_search {
    const struct nb_scheme_paths *paths;
    uint32_t destination;
    bool has_lengths;
    int64_t *length;   /* [channel] lengths that distance is for */
    int64_t *distance; /* [node] */
    uint32_t *onward;  /* [node] the next hop */
    struct nb_start *starts;
    uint32_t *times;           /* [router] zero between calls */
    bool *is_done;             /* [router] false between calls */
    uint32_t *chain;           /* [longest] channels of packets that go
                                * straight, up to the last decision on them */
    struct nb_scheme_way *way; /* [way_count] of the pair filled last */
    size_t way_count;
    struct nb_pool pool;
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_scheme_search_init(const struct nb_scheme_paths *paths,
                                     struct nb_scheme_search *out,
                                     struct nb_error *err);
void nb_scheme_search_release(struct nb_scheme_search *search);

/* length: [channel] each 0 .. most_length. */
void nb_scheme_search_run(struct nb_scheme_search *search, uint32_t destination,
                          const int64_t *length);

/* The least total length of unit packets from source to the destination; their
 * paths are in way[], way_count of them. */
int64_t nb_scheme_search_fill(struct nb_scheme_search *search, uint32_t source);

/* The shortest path of an entry: returns its hops. channel: out, [longest];
 * leg: out, the hops of the first phase, or all hops if there is only one. */
size_t nb_scheme_search_path(const struct nb_scheme_search *search,
                             const struct nb_scheme_way *way, uint32_t *channel,
                             uint32_t *leg);

/* Whether packets of a pair may take a path with the start and phases that it
 * names. */
bool nb_scheme_search_permits(struct nb_scheme_search *search,
                              const struct nb_table_path *path,
                              const uint32_t *channel);

/*
 * Whether packets may take the pair's paths, each of them permitted, in shares
 * equal to their weights.
 *
 * path     [count] of one pair
 * channel  of all paths of the table
 */
bool nb_scheme_search_permits_shares(struct nb_scheme_search *search,
                                     const struct nb_table_path *path,
                                     size_t count, const uint32_t *channel);

#endif
