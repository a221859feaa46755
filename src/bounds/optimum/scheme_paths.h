/* Scheme paths: the paths that packets may take under a routing scheme, however
 * full the queues are, and how many of them may take which. */
#ifndef NB_BOUNDS_SCHEME_PATHS_H
#define NB_BOUNDS_SCHEME_PATHS_H

#include "core/delete.h"
#include "routing/path_table.h"
#include "routing/routing.h"

/*
 * Packets of a pair begin in one of its starts; within a start, and within each
 * of its two phases, they take any hops that the scheme's step lists. What
 * share of the pair's packets goes which way is bounded by what they draw,
 * which no queue has a say in:
 *
 *   no cost   a start is drawn by weight: it has that share, exactly.
 *   cost      a start without intermediate routers is always a candidate: any
 *             share. Of c starts alike with m intermediate routers each draws
 *             one, evenly and independently. A packet goes through one of a
 *             set Q, t of the m, only if one of its draws is in Q; the others
 *             are, in the long run, a share (1 - t/m)^c of all packets, so
 *
 *                 share(Q) <= f(t) = 1 - (1 - t/m)^c
 *
 *             for every Q, whatever is compared. No uniform share follows: the
 *             comparison may prefer some routers.
 *   progressive   packets that go straight are asked about again at routers on
 *             their way, with draws anew: of those that come to one of these
 *             straight, f(t) at most go on from there through Q.
 *   asked again   those blocked draw anew, until what they draw is wanted:
 *             any share. So, too, where a terminal has one of them for ever
 *             and their number does not divide that of a router's terminals.
 *
 * f is concave, so the least total length of a pair's packets is found by
 * filling the ways from the shortest up, each as far as f permits (a greedy
 * choice in a polymatroid); what remains goes straight, up to where it is asked
 * about again. Shares are multiples of 1 / unit; where f does not fit these,
 * its steps are rounded up, and what is bounded from above stays so.
 */

/* A hop of the graph of all states. */
struct nb_scheme_hop {
    uint32_t channel;
    uint32_t node; /* that it leads to */
};

/*
 * The scheme, or the phase of one of two phases, towards every router with
 * terminals: nodes (destination, state, router), each after all that it leads
 * to, as the walker finds them. Owns its arrays; zero-initialised is valid and
 * empty; borrows the routing.
 */
struct nb_scheme_paths {
    const struct nb_routing *routing;
    int64_t unit;        /* level_unit^levels */
    uint32_t levels;     /* how often a packet is asked about at most */
    int64_t level_unit;  /* f is in multiples of 1 / level_unit */
    bool is_rounded;     /* up to these */
    int64_t most_length; /* of a channel, so that a pair's total fits */
    uint32_t longest;    /* hops of any path */
    size_t most_starts;  /* of one phase */
    size_t node_count;
    size_t *first;             /* [node_count + 1] hops of a node */
    struct nb_scheme_hop *hop; /* [first[node_count]] */
    /* [(destination * router_count + source) * most_starts + start] node */
    uint32_t *start;
    /* [routers drawn from] how much each of them adds to f, in level_unit:
     * [that many]; NULL where no pair draws from so many. */
    int64_t **gain;
    size_t node_room, hop_room;
    struct nb_pool pool;
};

/*
 * Errors: NB_INVALID if the scheme is oblivious, goes round in a circle, needs
 * what failed, or draws intermediate routers in a way that is not described
 * here; NB_NO_MEMORY.
 */
enum nb_status nb_scheme_paths_init(const struct nb_routing *routing,
                                    struct nb_scheme_paths *out,
                                    struct nb_error *err);
void nb_scheme_paths_release(struct nb_scheme_paths *paths);

/* One way of a pair's mixture. */
struct nb_scheme_way {
    int64_t units; /* of its share */
    int64_t distance;
    uint32_t start;   /* of the pair's */
    uint32_t turn;    /* hops of the chain before it */
    uint32_t through; /* intermediate router; NB_NONE: none */
    uint32_t node;    /* after these, of the (first) phase; NB_NONE: at its end
                       */
};

/* The cheapest mixtures by lengths of the channels. Owns its arrays;
 * zero-initialised is valid and empty; borrows the paths. */
struct nb_scheme_search {
    const struct nb_scheme_paths *paths;
    uint32_t destination;
    bool has_lengths;
    int64_t *length;   /* [channel] that distance is by */
    int64_t *distance; /* [node] */
    uint32_t *onward;  /* [node] the hop to go on by */
    struct nb_start *starts;
    uint32_t *times;           /* [router] zero between calls */
    bool *is_done;             /* [router] false between calls */
    uint32_t *chain;           /* [longest] channels that packets going straight
                                * take up to where they are last asked about */
    struct nb_scheme_way *way; /* [way_count] of the pair last filled */
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

/* The least total length of unit packets from source to the destination; the
 * ways that they take are in way[], way_count of them. */
int64_t nb_scheme_search_fill(struct nb_scheme_search *search, uint32_t source);

/* The shortest path of a way: returns its hops. channel: out, [longest]; leg:
 * out, the hops of the first phase, all if there is no other. */
size_t nb_scheme_search_path(const struct nb_scheme_search *search,
                             const struct nb_scheme_way *way, uint32_t *channel,
                             uint32_t *leg);

/* Whether packets of a pair may take a path by the start and in the phases that
 * it names. */
bool nb_scheme_search_permits(struct nb_scheme_search *search,
                              const struct nb_table_path *path,
                              const uint32_t *channel);

/*
 * Whether they may in the shares that the weights of all paths of the pair
 * have, each of which is permitted.
 *
 * path     [count] of one pair
 * channel  of all paths of the table
 */
bool nb_scheme_search_permits_shares(struct nb_scheme_search *search,
                                     const struct nb_table_path *path,
                                     size_t count, const uint32_t *channel);

#endif
