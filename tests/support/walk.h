/* The slow, obvious answer of routing: one packet followed through every state
 * it can be in, with exact probabilities. */
#ifndef NB_TESTS_SUPPORT_WALK_H
#define NB_TESTS_SUPPORT_WALK_H

#include "core/ratio.h"
#include "routing/routing.h"

/* A packet's state and place, with the probability that it comes there. */
struct walk_place {
    nb_route_state state;
    uint32_t router;
    struct nb_ratio probability;
};

struct walk {
    const struct nb_routing *routing;
    const char *name;              /* for messages */
    struct nb_route_table *tables; /* [router] filled on first use */
    uint32_t *queue;
    struct nb_hop *hops; /* [most_hops] of the last step */
    struct nb_start *starts;
    struct walk_place *now, *next;
    size_t now_count, next_count, now_capacity, next_capacity;
};

/* Fails the test if memory is short. */
void walk_open(struct walk *walk, const struct nb_routing *routing,
               const char *name);
void walk_close(struct walk *walk);

/*
 * One step of the scheme, left in walk->hops; returns the number of hops. Fails
 * the test unless the hops leave the router over different channels with
 * weights above 0 and shares in proportion to them, or there is none at the
 * destination.
 */
size_t walk_step(struct walk *walk, nb_route_state state, uint32_t router,
                 uint32_t destination);

/*
 * Follows a packet hop by hop until it has arrived with probability 1.
 *
 * crossings  out, [channel_count]: expected crossings of each channel
 * longest    out: hops of the longest path it can take; may be NULL
 *
 * Returns the expected number of hops.
 */
struct nb_ratio walk_pair(struct walk *walk, uint32_t source,
                          uint32_t destination, struct nb_ratio *crossings,
                          uint32_t *longest);

/* Hops to one router along shortest paths (struct nb_groups), by trying every
 * channel until nothing changes. hops: out, [router_count]. */
void walk_shortest(const struct nb_topology *topology, uint32_t target,
                   uint32_t *hops);

/* Whether packets are routed between two routers: both have terminals. */
bool walk_has_pair(const struct nb_routing *routing, uint32_t source,
                   uint32_t destination);

/* The crossings of all pairs of routers, [(source n + destination) channels
 * + channel], 0 for pairs without terminals; freed with nb_delete. */
struct nb_ratio *walk_all_pairs(const struct nb_routing *routing,
                                const char *name);

#endif
