#include "topology/megafly.h"

#include <inttypes.h>
#include <stdio.h>

/* The load of uniform traffic at rate 1 on each global channel with shortest
 * paths split evenly: the a p / groups packets of a pair of groups, over its
 * links. */
static struct nb_ratio megafly_global_load(const struct nb_megafly_shape *shape)
{
    return nb_ratio_make((nb_int128)shape->leaves * shape->terminals,
                         (nb_int128)shape->links.groups *
                             shape->links.trunking);
}

/* The same on the channels between leaves and a spine with `borne` global
 * links: packets for other groups go to a spine in proportion to its links,
 * those for other leaves of the group evenly to all spines. */
static struct nb_ratio megafly_local_load(const struct nb_megafly_shape *shape,
                                          uint64_t borne)
{
    const nb_int128 leaves = shape->leaves, spines = shape->links.routers;
    const nb_int128 trunking = shape->links.trunking;
    return nb_ratio_make(
        shape->terminals * (borne * leaves * spines + (leaves - 1) * trunking),
        shape->links.groups * trunking * leaves * spines);
}

/* No routing gives the global channels a smaller mean load; nor the channels
 * out of leaves, where all spines bear the same number of links. */
struct nb_ratio nb_megafly_capacity(const struct nb_megafly_shape *shape)
{
    const uint64_t most = nb_global_links_most(&shape->links);
    const struct nb_ratio global = megafly_global_load(shape);
    const struct nb_ratio local = megafly_local_load(shape, most);
    const bool is_known = nb_ratio_is_known(global) && nb_ratio_is_known(local);
    if (is_known && nb_ratio_compare(local, global) <= 0)
        return nb_ratio_divide(nb_ratio_one, global);
    if (is_known && nb_global_links_least(&shape->links) == most)
        return nb_ratio_divide(nb_ratio_one, local);
    return (struct nb_ratio){ 0, 0 };
}

/* The rate that the channels between routers carry with shortest paths split
 * evenly, from the largest load. */
static struct nb_ratio fit_megafly_rate(const struct nb_megafly_shape *shape)
{
    const struct nb_ratio global = megafly_global_load(shape);
    struct nb_ratio load =
        megafly_local_load(shape, nb_global_links_most(&shape->links));
    if (nb_ratio_compare(global, load) > 0)
        load = global;
    return nb_ratio_divide(nb_ratio_one, load);
}

/* h terminals at each of h leaves, h global channels at each of h spines; false
 * if there are more channels than nb_topology_reserve can number. */
static bool fit_megafly_count(uint64_t h, uint64_t groups, struct nb_fit *out)
{
    const struct nb_megafly_shape shape = {
        .terminals = h,
        .leaves = h,
        .links = { .groups = groups,
                   .routers = h,
                   .trunking = h * h / (groups - 1) },
    };
    const uint64_t global = groups * nb_global_links_count(&shape.links);
    const uint64_t local = 2 * groups * h * h;
    if (local + global >= NB_NONE)
        return false;
    *out = (struct nb_fit){
        .terminals = groups * h * h,
        .routers = groups * 2 * h,
        .switches = groups * h,
        .group_switches = h,
        .local_links = local / 2,
        .global_links = global / 2,
        .radix = (uint32_t)(2 * h),
        .diameter = 3,
    };
    nb_fit_set_rate(out, fit_megafly_rate(&shape));
    snprintf(out->specification, NB_FIT_TEXT,
             groups <= h * h ? "megafly:%" PRIu64 ",groups=%" PRIu64
                             : "megafly:%" PRIu64,
             h, groups);
    return true;
}

static bool fit_megafly_is_full(const struct nb_fit *fit)
{
    return nb_ratio_compare(fit->capacity, nb_ratio_one) == 0;
}

/* Finds the next larger number of groups without unused ports and with capacity
 * 1; false, leaving out unchanged, if there is none. */
static bool fit_megafly_full(uint64_t h, uint64_t groups, struct nb_fit *out)
{
    struct nb_fit next;
    for (uint64_t trunking = h * h / groups; trunking > 0; trunking--)
        if (h * h % trunking == 0 &&
            fit_megafly_count(h, h * h / trunking + 1, &next) &&
            fit_megafly_is_full(&next)) {
            *out = next;
            return true;
        }
    return false;
}

/* Limit of h, so that all products of sizes fit. */
enum { FIT_MEGAFLY_MOST = 1023 };

enum nb_status nb_megafly_fit(const struct nb_fit_demand *demand, size_t index,
                              struct nb_fit *out, struct nb_error *err)
{
    const uint64_t terminals = demand->terminals;
    const uint64_t ports = demand->radix / 2;
    (void)err;
    const uint64_t last = ports < FIT_MEGAFLY_MOST ? ports : FIT_MEGAFLY_MOST;
    for (uint64_t h = last; h > 0 && terminals == 0; h--)
        if (fit_megafly_count(h, h * h + 1, out))
            return index == 0 ? NB_OK : nb_fit_end(out);
    for (uint64_t h = 1; h <= last && terminals > 0; h++) {
        const uint64_t least = (terminals - 1) / (h * h) + 1;
        const uint64_t groups = least < 2 ? 2 : least;
        if (groups > h * h + 1 || !fit_megafly_count(h, groups, out))
            continue;
        if (index > 0 && !fit_megafly_is_full(out) &&
            fit_megafly_full(h, groups, out))
            index--;
        if (index-- == 0)
            return NB_OK;
    }
    return nb_fit_end(out);
}
