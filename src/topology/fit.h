/* Fit: the networks of a kind that hold so many terminals with routers of so
 * many ports, by closed forms alone: nothing is built. */
#ifndef NB_TOPOLOGY_FIT_H
#define NB_TOPOLOGY_FIT_H

#include "topology/topology.h"

#include <string.h>

NB_PUBLIC_BEGIN

enum { NB_FIT_TEXT = 96 };

struct nb_fit_demand {
    uint64_t terminals; /* at least so many; 0: the largest there is */
    uint32_t radix;     /* ports of a router, at most; terminals count */
};

/*
 * One network. Every number is that of the network which the specification
 * builds: a test holds the two together.
 */
struct nb_fit {
    char specification[NB_FIT_TEXT];
    uint64_t terminals;
    uint64_t routers;
    uint64_t local_links;  /* cables within groups; all where there are none */
    uint64_t global_links; /* cables between groups */
    uint64_t switches;     /* routers with terminals, as many at each */
    uint64_t group_switches; /* of them in each group; 0: no groups */
    uint32_t radix;          /* ports used at the router that uses most */
    uint32_t diameter;       /* [hop] between routers with terminals */
    /* [packets/cycle/terminal] uniform traffic, self included, with shortest
     * paths split evenly, and at most what terminals' channels carry, 1. */
    struct nb_ratio capacity;
};

/* Past the last network: out is of no routers. */
static inline enum nb_status nb_fit_end(struct nb_fit *out)
{
    memset(out, 0, sizeof *out);
    return NB_OK;
}

NB_PUBLIC_END

#endif
