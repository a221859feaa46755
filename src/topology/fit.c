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

static bool fit_is_better(const struct nb_fit_search *search, uint32_t family,
                          size_t tier, int aim, const struct nb_fit *network)
{
    const struct nb_fit *best = &search->best[family][tier][aim];
    if (aim == NB_FIT_MONEY && search->price == NULL)
        return false;
    return best->routers == 0 ||
           fit_compare(search, (enum nb_fit_aim)aim, network, best) < 0;
}

bool nb_fit_is_wanted(const struct nb_fit_search *search, uint32_t family,
                      const struct nb_fit *bound)
{
    for (size_t t = 0; t < search->tier_count; t++)
        if (nb_ratio_compare(bound->capacity, search->tier[t]) >= 0)
            for (int aim = 0; aim < NB_FIT_AIMS; aim++)
                if (fit_is_better(search, family, t, aim, bound))
                    return true;
    return false;
}

void nb_fit_offer(struct nb_fit_search *search, uint32_t family,
                  const struct nb_fit *network)
{
    const struct nb_fit_demand *demand = &search->demand;
    if (network->terminals < demand->terminals ||
        network->radix > demand->radix ||
        !nb_ratio_is_known(network->capacity) ||
        (nb_ratio_is_known(search->worst_case) &&
         (!nb_ratio_is_known(network->worst_case) ||
          nb_ratio_compare(network->worst_case, search->worst_case) < 0)) ||
        (search->diameter > 0 && network->diameter > search->diameter) ||
        (nb_ratio_is_known(search->oversize) &&
         nb_ratio_compare(nb_ratio_make((nb_int128)network->terminals,
                                        (nb_int128)demand->terminals),
                          search->oversize) > 0))
        return;
    for (size_t t = 0; t < search->tier_count; t++)
        if (nb_ratio_compare(network->capacity, search->tier[t]) >= 0)
            for (int aim = 0; aim < NB_FIT_AIMS; aim++)
                if (fit_is_better(search, family, t, aim, network))
                    search->best[family][t][aim] = *network;
}

struct nb_ratio nb_fit_least_capacity(const struct nb_fit_search *search)
{
    return search->tier[search->tier_count - 1];
}

/* An unknown rate counts as none. */
static bool fit_is_no_less(struct nb_ratio a, struct nb_ratio b)
{
    return !nb_ratio_is_known(b) ||
           (nb_ratio_is_known(a) && nb_ratio_compare(a, b) >= 0);
}

bool nb_fit_is_as_good(const struct nb_fit *network, const struct nb_fit *other)
{
    return network->routers <= other->routers &&
           network->terminals <= other->terminals &&
           network->local_links <= other->local_links &&
           network->global_links <= other->global_links &&
           network->diameter <= other->diameter &&
           fit_is_no_less(network->capacity, other->capacity) &&
           fit_is_no_less(network->worst_case, other->worst_case);
}
