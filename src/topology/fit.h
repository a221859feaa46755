/* Fit: the networks of a kind that hold a number of terminals with routers of a
 * number of ports, found from closed forms only, without building them. */
#ifndef NB_TOPOLOGY_FIT_H
#define NB_TOPOLOGY_FIT_H

#include "topology/topology.h"

#include <string.h>

enum { NB_FIT_TEXT = 96 };

struct nb_fit_demand {
    uint64_t terminals; /* at least this many; 0: the largest network */
    uint32_t radix;     /* ports of a router, at most; terminals count as
                         * well */
};

/*
 * A network. Every number is the one that the network built from the
 * specification has; a test compares the two.
 */
struct nb_fit {
    char specification[NB_FIT_TEXT];
    uint64_t terminals;
    uint64_t routers;
    uint64_t local_links;  /* cables within groups (Slim Fly: within racks); all
                            * cables if there are no groups */
    uint64_t global_links; /* cables between groups */
    uint64_t switches;     /* routers with terminals; each has the same
                            * number */
    uint64_t group_switches; /* switches in each group; 0: no groups */
    uint32_t radix;          /* ports used, maximum over routers */
    uint32_t diameter;       /* [hop] between routers with terminals */
    /* [packets/cycle/terminal] the rate of uniform traffic, self included,
     * split evenly over shortest paths; at most 1, the bandwidth of a
     * terminal's channel. */
    struct nb_ratio capacity;
    /* [packets/cycle/terminal] the rate at which any traffic is carried whose
     * terminals send and receive at most 1: in trees by even shortest paths,
     * else by Valiant's routing through any router, which makes each phase
     * uniform. */
    struct nb_ratio worst_case;
    /* If the capacity is not known: an upper bound on it. Such a network is
     * undecided. */
    struct nb_ratio most;
    bool is_left_out; /* scratch for the caller */
};

/* What costs money and power; the number of each in a network. */
enum nb_fit_item {
    NB_FIT_ROUTER,
    NB_FIT_PORT,          /* ports used, those of terminals included */
    NB_FIT_LINK_TERMINAL, /* cables to terminals */
    NB_FIT_LINK_LOCAL,
    NB_FIT_LINK_GLOBAL,
    NB_FIT_ITEMS,
};

/* What to minimise; the first thing in which two networks differ decides. */
enum nb_fit_aim {
    NB_FIT_LINKS,   /* links between routers, then routers, then diameter */
    NB_FIT_ROUTERS, /* routers, then links between routers, then diameter */
    NB_FIT_MONEY,   /* cost, then as NB_FIT_LINKS */
    NB_FIT_AIMS,
};

/*
 * A search among all networks of a kind. It keeps the best for each aim, for
 * each family, such as a number of dimensions, and for each required capacity.
 * Of the networks whose capacity takes too long to compute but might suffice,
 * it keeps the best likewise.
 */
enum { NB_FIT_FAMILIES = 32, NB_FIT_TIERS = 2, NB_FIT_RADIX = 256 };

/* Usual limit of steps for the capacity of one network. */
#define NB_FIT_STEPS 0x1p24

struct nb_fit_search {
    struct nb_fit_demand demand; /* terminals > 0 */
    uint32_t radix;              /* ports that are tried, up to NB_FIT_RADIX */
    uint32_t diameter;           /* [hop] at most; 0: any */
    struct nb_ratio oversize;    /* at most this multiple of terminals; unknown:
                                  * any */
    struct nb_ratio worst_case;  /* at least; unknown: any */
    size_t tier_count;           /* required capacities, the greatest first */
    struct nb_ratio tier[NB_FIT_TIERS];
    const double *price; /* [NB_FIT_ITEMS] per item; NULL: no NB_FIT_MONEY */
    double steps;        /* for the capacity of a network, at most */
    struct nb_fit best[NB_FIT_FAMILIES][NB_FIT_TIERS]
                      [NB_FIT_AIMS]; /* 0 routers: none yet */
    struct nb_fit undecided[NB_FIT_FAMILIES][NB_FIT_TIERS][NB_FIT_AIMS];
};

NB_INTERNAL_BEGIN

/*
 * Sets capacity and worst_case of a network whose shortest paths (in a grid, in
 * dimension order) carry uniform traffic at this rate over the channels between
 * routers.
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

uint64_t nb_fit_count(const struct nb_fit *network, enum nb_fit_item item);

/* The sum over items of count times price. */
double nb_fit_cost(const struct nb_fit *network, const double *price);

/* The least required capacity for which a network with these bounds (costs from
 * below, capacity from above) might become the best for some aim; unknown if
 * there is none. */
struct nb_ratio nb_fit_wanted_capacity(const struct nb_fit_search *search,
                                       uint32_t family,
                                       const struct nb_fit *bound);

/* Whether there is one. */
bool nb_fit_is_wanted(const struct nb_fit_search *search, uint32_t family,
                      const struct nb_fit *bound);

/* Offers a network of the family; it is kept if it is the best so far, or the
 * best of the undecided. */
void nb_fit_offer(struct nb_fit_search *search, uint32_t family,
                  const struct nb_fit *network);

/* The undecided network of a family, tier and aim, if it would be the best had
 * it the capacity; else NULL. */
const struct nb_fit *nb_fit_undecided(const struct nb_fit_search *search,
                                      uint32_t family, size_t tier, int aim);

/* The least of the required capacities. */
struct nb_ratio nb_fit_least_capacity(const struct nb_fit_search *search);

/* The rate that the channels between routers must carry for the least required
 * capacity and, by Valiant's routing, the required worst case. */
struct nb_ratio nb_fit_least_rate(const struct nb_fit_search *search);

/* Whether that number of terminals is more than permitted. */
bool nb_fit_is_oversized(const struct nb_fit_search *search,
                         uint64_t terminals);

/* Whether a network is no worse than another in any respect: terminals,
 * routers, links of both kinds, diameter, capacity, and the rate at which it
 * carries any traffic; more terminals than required count as worse. Of an
 * undecided network, `other` has the largest possible capacity and worst
 * case. */
bool nb_fit_is_as_good(const struct nb_fit *network,
                       const struct nb_fit *other);

/* Past the last network: out has 0 routers. */
static inline enum nb_status nb_fit_end(struct nb_fit *out)
{
    memset(out, 0, sizeof *out);
    return NB_OK;
}

NB_INTERNAL_END

#endif
