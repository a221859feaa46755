/* Fit: the networks of a kind that hold a number of terminals with routers of a
 * number of ports, found from closed forms alone, without building them. */
#ifndef NB_TOPOLOGY_FIT_H
#define NB_TOPOLOGY_FIT_H

#include "topology/topology.h"

#include <string.h>

NB_PUBLIC_BEGIN

enum { NB_FIT_TEXT = 96 };

struct nb_fit_demand {
    uint64_t terminals; /* at least this many; 0: the largest network */
    uint32_t radix;     /* ports of a router, at most; terminals count */
};

/*
 * One network. Every number is the one that the network built from the
 * specification has; a test compares the two.
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
    /* [packets/cycle/terminal] the rate of uniform traffic, self included,
     * split evenly over shortest paths; at most 1, the bandwidth of a
     * terminal's channel. */
    struct nb_ratio capacity;
    /* [packets/cycle/terminal] what every traffic is carried at whose terminals
     * send and receive at most 1: of trees by even shortest paths, else by
     * Valiant's routing through any router, each of whose phases is uniform. */
    struct nb_ratio worst_case;
};

/*
 * Sets capacity and worst_case of a network whose shortest paths (of a grid
 * those in dimension order) carry uniform traffic at this rate over the
 * channels between routers.
 */
static inline void nb_fit_set_rate(struct nb_fit *out, struct nb_ratio rate)
{
    const struct nb_ratio half = nb_ratio_divide(rate, nb_ratio_make(2, 1));
    const bool is_known = nb_ratio_is_known(rate);
    out->capacity = is_known && nb_ratio_compare(rate, nb_ratio_one) > 0
                        ? nb_ratio_one
                        : rate;
    out->worst_case = is_known && nb_ratio_compare(half, nb_ratio_one) > 0
                          ? nb_ratio_one
                          : half;
}

/* Past the last network: out is of no routers. */
static inline enum nb_status nb_fit_end(struct nb_fit *out)
{
    memset(out, 0, sizeof *out);
    return NB_OK;
}

NB_PUBLIC_END

#endif
