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
    uint64_t local_links;  /* cables within groups, of a Slim Fly within racks;
                            * all where there are none */
    uint64_t global_links; /* cables between them */
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
    bool is_left_out; /* scratch of the question */
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

/* What money and power are spent on, each counted of a network. */
enum nb_fit_item {
    NB_FIT_ROUTER,
    NB_FIT_PORT,          /* that is used, terminals' included */
    NB_FIT_LINK_TERMINAL, /* cables to terminals */
    NB_FIT_LINK_LOCAL,
    NB_FIT_LINK_GLOBAL,
    NB_FIT_ITEMS,
};
uint64_t nb_fit_count(const struct nb_fit *network, enum nb_fit_item item);

/* The sum over items of their counts times the price of each. */
double nb_fit_cost(const struct nb_fit *network, const double *price);

/* What may be wanted least, the first thing in which two networks differ. */
enum nb_fit_aim {
    NB_FIT_LINKS,   /* links between routers, then routers, then diameter */
    NB_FIT_ROUTERS, /* routers, then these links, then diameter */
    NB_FIT_MONEY,   /* cost, then as NB_FIT_LINKS */
    NB_FIT_AIMS,
};

/*
 * A search among all networks of a kind: of each family, such as a number of
 * dimensions, and each capacity asked for those that an aim wants most.
 */
enum { NB_FIT_FAMILIES = 32, NB_FIT_TIERS = 2, NB_FIT_RADIX = 256 };

struct nb_fit_search {
    struct nb_fit_demand demand; /* terminals > 0, radix up to NB_FIT_RADIX */
    uint32_t diameter;           /* [hop] at most; 0: any */
    struct nb_ratio oversize;   /* at most so many times terminals; unknown: any
                                 */
    struct nb_ratio worst_case; /* at least; unknown: any */
    size_t tier_count;          /* capacities asked for, the greatest first */
    struct nb_ratio tier[NB_FIT_TIERS];
    const double *price; /* [NB_FIT_ITEMS] of an item; NULL: no NB_FIT_MONEY */
    struct nb_fit best[NB_FIT_FAMILIES][NB_FIT_TIERS]
                      [NB_FIT_AIMS]; /* of no
                                      * routers: none yet */
};

/* Whether a network, of whose numbers these are bounds (costs from below,
 * capacity from above), might become a best one. */
bool nb_fit_is_wanted(const struct nb_fit_search *search, uint32_t family,
                      const struct nb_fit *bound);

/* A network of the family; it is kept where it is the best so far. */
void nb_fit_offer(struct nb_fit_search *search, uint32_t family,
                  const struct nb_fit *network);

/* The least part of uniform traffic that may be wanted. */
struct nb_ratio nb_fit_least_capacity(const struct nb_fit_search *search);

/* Whether a network is no worse than another in anything: terminals over what
 * is asked aside, routers, links of both kinds, diameter, capacity and what it
 * carries of any traffic. */
bool nb_fit_is_as_good(const struct nb_fit *network,
                       const struct nb_fit *other);

/* Past the last network: out is of no routers. */
static inline enum nb_status nb_fit_end(struct nb_fit *out)
{
    memset(out, 0, sizeof *out);
    return NB_OK;
}

NB_PUBLIC_END

#endif
