#include "topology/fit.h"

uint64_t nb_fit_count(const struct nb_fit *network, enum nb_fit_item item)
{
    const uint64_t links = network->local_links + network->global_links;
    switch (item) {
    case NB_FIT_ROUTER:
        return network->routers;
    case NB_FIT_PORT:
        return network->terminals + 2 * links;
    case NB_FIT_LINK_TERMINAL:
        return network->terminals;
    case NB_FIT_LINK_LOCAL:
        return network->local_links;
    case NB_FIT_LINK_GLOBAL:
        return network->global_links;
    case NB_FIT_ITEMS:
        break;
    }
    return 0;
}

double nb_fit_cost(const struct nb_fit *network, const double *price)
{
    double sum = 0;
    for (int item = 0; item < NB_FIT_ITEMS; item++)
        sum +=
            price[item] * (double)nb_fit_count(network, (enum nb_fit_item)item);
    return sum;
}

/* Less than 0: a is preferred. */
static int fit_compare(const struct nb_fit_search *search, enum nb_fit_aim aim,
                       const struct nb_fit *a, const struct nb_fit *b)
{
    const uint64_t links[] = { a->local_links + a->global_links,
                               b->local_links + b->global_links };
    const int by_links = (links[0] > links[1]) - (links[0] < links[1]);
    const int by_routers =
        (a->routers > b->routers) - (a->routers < b->routers);
    const int by_diameter =
        (a->diameter > b->diameter) - (a->diameter < b->diameter);
    if (aim == NB_FIT_MONEY) {
        const double one = nb_fit_cost(a, search->price);
        const double other = nb_fit_cost(b, search->price);
        if (one != other)
            return one < other ? -1 : 1;
    }
    if (aim == NB_FIT_ROUTERS && by_routers != 0)
        return by_routers;
    return by_links != 0     ? by_links
           : by_routers != 0 ? by_routers
                             : by_diameter;
}

/* An unknown rate counts as none. */
static bool fit_is_no_less(struct nb_ratio a, struct nb_ratio b)
{
    return !nb_ratio_is_known(b) ||
           (nb_ratio_is_known(a) && nb_ratio_compare(a, b) >= 0);
}

/* The capacity, or the largest possible one. */
static struct nb_ratio fit_most(const struct nb_fit *network)
{
    return nb_ratio_is_known(network->capacity) ? network->capacity
           : nb_ratio_is_known(network->most)   ? network->most
                                                : nb_ratio_one;
}

/* Whether a network is preferred to the best so far. */
static bool fit_is_better(const struct nb_fit_search *search,
                          const struct nb_fit *best, int aim,
                          const struct nb_fit *network)
{
    if (aim == NB_FIT_MONEY && search->price == NULL)
        return false;
    return best->routers == 0 ||
           fit_compare(search, (enum nb_fit_aim)aim, network, best) < 0;
}

struct nb_ratio nb_fit_wanted_capacity(const struct nb_fit_search *search,
                                       uint32_t family,
                                       const struct nb_fit *bound)
{
    for (size_t t = search->tier_count; t-- > 0;)
        if (nb_ratio_compare(bound->capacity, search->tier[t]) >= 0)
            for (int aim = 0; aim < NB_FIT_AIMS; aim++)
                if (fit_is_better(search, &search->best[family][t][aim], aim,
                                  bound))
                    return search->tier[t];
    return (struct nb_ratio){ 0, 0 };
}

bool nb_fit_is_wanted(const struct nb_fit_search *search, uint32_t family,
                      const struct nb_fit *bound)
{
    return nb_ratio_is_known(nb_fit_wanted_capacity(search, family, bound));
}

bool nb_fit_is_oversized(const struct nb_fit_search *search, uint64_t terminals)
{
    return nb_ratio_is_known(search->oversize) &&
           nb_ratio_compare(nb_ratio_make((nb_int128)terminals,
                                          (nb_int128)search->demand.terminals),
                            search->oversize) > 0;
}

void nb_fit_offer(struct nb_fit_search *search, uint32_t family,
                  const struct nb_fit *network)
{
    const struct nb_fit_demand *demand = &search->demand;
    const bool is_known = nb_ratio_is_known(network->capacity);
    if (network->terminals < demand->terminals ||
        network->radix > demand->radix ||
        (is_known &&
         !fit_is_no_less(network->worst_case, search->worst_case)) ||
        (search->diameter > 0 && network->diameter > search->diameter) ||
        nb_fit_is_oversized(search, network->terminals))
        return;
    for (size_t t = 0; t < search->tier_count; t++)
        for (int aim = 0; aim < NB_FIT_AIMS; aim++) {
            struct nb_fit *best = is_known ? &search->best[family][t][aim]
                                           : &search->undecided[family][t][aim];
            if (nb_ratio_compare(fit_most(network), search->tier[t]) >= 0 &&
                fit_is_better(search, best, aim, network))
                *best = *network;
        }
}

const struct nb_fit *nb_fit_undecided(const struct nb_fit_search *search,
                                      uint32_t family, size_t tier, int aim)
{
    const struct nb_fit *network = &search->undecided[family][tier][aim];
    return network->routers > 0 &&
                   fit_is_better(search, &search->best[family][tier][aim], aim,
                                 network)
               ? network
               : NULL;
}

struct nb_ratio nb_fit_least_rate(const struct nb_fit_search *search)
{
    const struct nb_ratio capacity = nb_fit_least_capacity(search);
    const struct nb_ratio twice =
        nb_ratio_multiply(search->worst_case, nb_ratio_make(2, 1));
    return nb_ratio_is_known(twice) && nb_ratio_compare(twice, capacity) > 0
               ? twice
               : capacity;
}

struct nb_ratio nb_fit_least_capacity(const struct nb_fit_search *search)
{
    return search->tier[search->tier_count - 1];
}

bool nb_fit_is_as_good(const struct nb_fit *network, const struct nb_fit *other)
{
    return network->routers <= other->routers &&
           network->terminals <= other->terminals &&
           network->local_links <= other->local_links &&
           network->global_links <= other->global_links &&
           network->diameter <= other->diameter &&
           fit_is_no_less(network->capacity, fit_most(other)) &&
           fit_is_no_less(network->worst_case,
                          nb_ratio_is_known(other->capacity) ? other->worst_case
                                                             : fit_most(other));
}
