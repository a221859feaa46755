#include "topology/fit_hyperx.h"

#include <inttypes.h>
#include <stdio.h>

/* c^exponent, at most UINT64_MAX. */
static uint64_t fit_hyperx_power(uint64_t c, uint32_t exponent)
{
    uint64_t power = 1;
    for (uint32_t i = 0; i < exponent; i++)
        if (__builtin_mul_overflow(power, c, &power))
            return UINT64_MAX;
    return power;
}

/* The least c in [2, most] whose c^exponent is terminals at least; most + 1
 * if there is none. */
static uint64_t fit_hyperx_least(uint64_t terminals, uint32_t exponent,
                                 uint64_t most)
{
    uint64_t least = 2, end = most + 1;
    while (least < end) {
        const uint64_t middle = least + (end - least) / 2;
        if (fit_hyperx_power(middle, exponent) >= terminals)
            end = middle;
        else
            least = middle + 1;
    }
    return least;
}

/* Radices c x .. x c x last and p <= c terminals at each router; false if that
 * has more routers or channels than nb_topology_reserve numbers, or more
 * terminals at a router than the kind takes. */
static bool fit_hyperx_count(uint32_t n, uint64_t c, uint64_t last, uint64_t p,
                             struct nb_fit *out)
{
    const double ways = (double)(n - 1) * (double)(c - 1) + (double)(last - 1);
    double routers = (double)last;
    for (uint32_t d = 1; d < n; d++)
        routers *= (double)c;
    if (routers >= NB_NONE || routers * ways >= NB_NONE ||
        p > NB_HYPERX_TERMINALS)
        return false;
    *out = (struct nb_fit){
        .terminals = (uint64_t)routers * p,
        .routers = (uint64_t)routers,
        .switches = (uint64_t)routers,
        .group_switches = n > 1 ? c : 0,
        .radix = (uint32_t)(p + (uint64_t)ways),
        .diameter = n,
        .capacity = nb_ratio_make(last < p ? last : p, p),
    };
    const uint64_t links = out->routers * (uint64_t)ways / 2;
    out->local_links = n > 1 ? out->routers * (c - 1) / 2 : links;
    out->global_links = links - out->local_links;
    size_t used = (size_t)snprintf(out->specification, NB_FIT_TEXT, "hyperx:");
    for (uint32_t d = 1; d < n; d++)
        used += (size_t)snprintf(out->specification + used, NB_FIT_TEXT - used,
                                 "%" PRIu64 "x", c);
    snprintf(out->specification + used, NB_FIT_TEXT - used,
             "%" PRIu64 ",p=%" PRIu64, last, p);
    return true;
}

enum fit_hyperx_choice {
    FIT_HYPERX_FEWEST_PORTS,
    FIT_HYPERX_FULL, /* the same radix in every dimension */
    FIT_HYPERX_FEWEST_ROUTERS,
    FIT_HYPERX_CHOICES,
};

static bool fit_hyperx_find(const struct nb_fit_demand *demand, uint32_t n,
                            enum fit_hyperx_choice choice, struct nb_fit *out)
{
    const uint64_t terminals = demand->terminals;
    const uint64_t most = ((uint64_t)demand->radix + n) / (n + 1);
    if (terminals == 0)
        return choice == FIT_HYPERX_FEWEST_ROUTERS && most >= 2 &&
               fit_hyperx_count(n, most, most, most, out);
    if (most < 2)
        return false;
    const uint64_t least = fit_hyperx_least(terminals, n + 1, most);
    const uint64_t c = choice == FIT_HYPERX_FEWEST_ROUTERS ? most : least;
    const uint64_t slice = fit_hyperx_power(c, n);
    const uint64_t last = (terminals - 1) / slice + 1;
    if (least > most)
        return false;
    /* c routers in the last dimension, or fewer: last is at most c. */
    if (choice == FIT_HYPERX_FULL)
        return last < c &&
               fit_hyperx_count(n, c, c, (terminals - 1) / slice + 1, out);
    if (choice == FIT_HYPERX_FEWEST_ROUTERS && (c == least || last < 2))
        return false;
    return fit_hyperx_count(n, c, last < 2 ? 2 : last, c, out);
}

enum nb_status nb_hyperx_fit(const struct nb_fit_demand *demand, size_t index,
                             struct nb_fit *out, struct nb_error *err)
{
    (void)err;
    for (uint32_t n = 1; n <= NB_MAX_DIMENSIONS; n++)
        for (int choice = 0; choice < FIT_HYPERX_CHOICES; choice++)
            if (fit_hyperx_find(demand, n, (enum fit_hyperx_choice)choice,
                                out) &&
                index-- == 0)
                return NB_OK;
    return nb_fit_end(out);
}
