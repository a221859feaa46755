/* Lane follower: every route of a scheme, hop after hop, with the classes of
 * virtual channels that it asks for. */
#ifndef NB_TESTS_SUPPORT_LANE_FOLLOWER_H
#define NB_TESTS_SUPPORT_LANE_FOLLOWER_H

#include "dependencies.h"
#include "walk.h"

#include "routing/lanes.h"

enum { LANE_FOLLOWER_HOPS = 40, LANE_FOLLOWER_WAYS = 16 };

/*
 * One packet on its way and the dependencies that all of them make. What it
 * holds waits for the classes that it may always fall back on: the highest
 * one, of stars the star ones.
 */
struct lane_follower {
    struct walk walk;
    struct nb_lanes lanes;
    struct dependencies graph; /* of channel * count + class */
    const char *name;
    uint32_t destination;
    uint64_t used; /* classes */
    size_t length;
    uint32_t channel[LANE_FOLLOWER_HOPS];
    uint64_t held[LANE_FOLLOWER_HOPS]; /* classes; of stars star ones alone */
};

/* Fail the test if there are no classes or memory is short. */
void lane_follower_open(struct lane_follower *follower,
                        const struct nb_routing *routing, const char *name);
void lane_follower_close(struct lane_follower *follower);

/* Every route of every pair. Fails the test where a packet may ask for none of
 * the classes that there are, or has nothing to fall back on. */
void lane_follower_all(struct lane_follower *follower);

#endif
