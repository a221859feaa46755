#include "topology/dragonfly.h"

#include "core/memory.h"
#include "core/ratio.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* h terminals and h global channels at each router, palmtree. */
static struct nb_dragonfly_shape fit_dragonfly_shape(uint64_t h,
                                                     uint64_t columns,
                                                     uint64_t rows,
                                                     uint64_t groups)
{
    const uint64_t a = columns * rows;
    return (struct nb_dragonfly_shape){
        .terminals = h,
        .columns = columns,
        .rows = rows,
        .links = { .groups = groups,
                   .routers = a,
                   .trunking = a * h / (groups - 1),
                   .arrangement = NB_PALMTREE },
    };
}

/* Channels of a shape. */
static uint64_t fit_dragonfly_channels(const struct nb_dragonfly_shape *shape)
{
    const struct nb_global_links *links = &shape->links;
    return links->groups *
           (links->routers * (shape->columns + shape->rows - 2) +
            nb_global_links_count(links));
}

/* Computes the numbers of a shape; 0 routers if it has more channels than
 * nb_topology_reserve can number or its diameter is not known. */
static enum nb_status
fit_dragonfly_count(const struct nb_dragonfly_shape *shape, struct nb_fit *out,
                    struct nb_error *err)
{
    uint32_t diameter;
    const enum nb_status status = nb_dragonfly_diameter(shape, &diameter, err);
    if (status != NB_OK)
        return status;
    const struct nb_global_links *links = &shape->links;
    const uint64_t local = shape->columns - 1 + shape->rows - 1;
    const uint64_t routers = links->groups * links->routers;
    *out = (struct nb_fit){
        .terminals = routers * shape->terminals,
        .routers = routers,
        .switches = routers,
        .group_switches = links->routers,
        .local_links = routers * local / 2,
        .global_links = links->groups * nb_global_links_count(links) / 2,
        .radix =
            (uint32_t)(shape->terminals + local + nb_global_links_most(links)),
        .diameter = diameter,
    };
    return fit_dragonfly_channels(shape) < NB_NONE && diameter > 0
               ? NB_OK
               : nb_fit_end(out);
}

enum { DRAGONFLY_FAMILY = 3 }; /* of complete groups: the usual diameter */

/* Limit of h and s, so that all products of sizes fit; larger Dragonflies have
 * more channels than can be numbered. */
enum { FIT_DRAGONFLY_MOST = 1023 };

static uint64_t fit_dragonfly_most(uint64_t ports)
{
    return ports < FIT_DRAGONFLY_MOST ? ports : FIT_DRAGONFLY_MOST;
}

/* The number of other groups to which two routers of a group both have a link.
 * The routers bear `one` and `two` links, and their first links are `gap`
 * numbers from each other; each router has at most one link to a group, and its
 * links lead to consecutive groups. */
static uint64_t fit_dragonfly_shared(uint64_t others, uint64_t one,
                                     uint64_t two, uint64_t gap)
{
    gap %= others;
    const uint64_t rest = one > gap ? one - gap : 0;
    const uint64_t round = gap + two > others ? gap + two - others : 0;
    return (rest < two ? rest : two) + (round < one ? round : one);
}

/* Whether no router has two links to a group. */
static bool fit_dragonfly_is_single(const struct nb_global_links *links)
{
    return nb_global_links_most(links) <= links->groups - 1;
}

/*
 * The rate of uniform traffic that the channels of complete groups carry where
 * no router has two links to a group. Two routers of different groups use the
 * link between them if there is one; else evenly those at either of them, if
 * there are any; else evenly all. In units of the rate p/(a groups) between two
 * routers, each global channel carries a^2/trunking, and a local channel from j
 * to y carries
 *
 *     1 + the sum over the links at y and at j of
 *         1/2 if the other one has a link to the same group, else a/trunking.
 */
static struct nb_ratio
fit_dragonfly_single_rate(const struct nb_dragonfly_shape *shape)
{
    const struct nb_global_links *links = &shape->links;
    const uint64_t a = links->routers, trunking = links->trunking;
    uint64_t before[2 * FIT_DRAGONFLY_MOST + 2]; /* [router] links at the
                                                  * routers before it */
    uint64_t most = a * a; /* the largest load times trunking */
    for (uint64_t j = 0; j <= a; j++)
        before[j] = nb_global_links_before(links, j);
    for (uint64_t y = 1; y < a; y++)
        for (uint64_t j = 0; j < y; j++) {
            const uint64_t one = before[j + 1] - before[j];
            const uint64_t two = before[y + 1] - before[y];
            const uint64_t shared = fit_dragonfly_shared(
                links->groups - 1, one, two, before[y] - before[j]);
            const uint64_t load =
                trunking + (one + two - 2 * shared) * a + shared * trunking;
            most = load > most ? load : most;
        }
    return nb_ratio_make((nb_int128)a * links->groups * trunking,
                         shape->terminals * most);
}

/*
 * The links between a group and another one, and the loads that the group's
 * channels carry. Loads are in units of the rate between two routers, over a
 * denominator. [a]: by router of the group, or of the other one.
 */
struct fit_linked {
    const struct nb_global_links *links;
    uint64_t unit;   /* denominator: a multiple of every number that divides */
    uint64_t *local; /* [a * a] load of the channel from one to another */
    uint32_t
        *direct; /* [a * a] links from a router to one of the other group */
    uint32_t *own, *theirs; /* [a] links of a router to the other group */
    uint64_t most;          /* largest load of a global channel */
    struct nb_pool pool;
};

/* The ends of link n of those to the group that palmtree puts at this place. */
static void fit_linked_ends(const struct nb_global_links *links, uint64_t place,
                            uint64_t n, uint64_t *from, uint64_t *to)
{
    const uint64_t link = place + n * (links->groups - 1);
    *from = nb_global_links_router(links, link);
    *to =
        nb_global_links_router(links, nb_global_links_count(links) - 1 - link);
}

static void fit_linked_count(struct fit_linked *work, uint64_t place)
{
    const uint64_t a = work->links->routers;
    for (uint64_t r = 0; r < a; r++)
        work->own[r] = work->theirs[r] = 0;
    for (uint64_t r = 0; r < a * a; r++)
        work->direct[r] = 0;
    for (uint64_t n = 0; n < work->links->trunking; n++) {
        uint64_t from, to;
        fit_linked_ends(work->links, place, n, &from, &to);
        work->direct[from * a + to]++;
        work->own[from]++;
        work->theirs[to]++;
    }
}

/*
 * Adds what one link carries to the loads: between its two routers, and between
 * one of them and the others of the other's group that it has no link to. The
 * latter are those that take a local channel before or after.
 */
static void fit_linked_add(struct fit_linked *work, uint64_t from, uint64_t to,
                           uint64_t beyond)
{
    const uint64_t a = work->links->routers;
    uint64_t load = work->unit / work->direct[from * a + to] + beyond;
    for (uint64_t r = 0; r < a; r++) {
        if (r != from && work->direct[r * a + to] == 0) {
            const uint64_t part =
                work->unit / (work->own[r] + work->theirs[to]);
            work->local[r * a + from] += part; /* from r to the link */
            work->local[from * a + r] += part; /* from the link to r */
            load += part;
        }
        if (r != to && work->direct[from * a + r] == 0)
            load += work->unit / (work->own[from] + work->theirs[r]);
    }
    work->most = load > work->most ? load : work->most;
}

/* Adds the traffic with one other group, both ways. Routers without any link
 * between their groups use all evenly. */
static void fit_linked_add_group(struct fit_linked *work, uint64_t place)
{
    const uint64_t a = work->links->routers, trunking = work->links->trunking;
    uint64_t bare = 0, bare_there = 0; /* routers without a link */
    fit_linked_count(work, place);
    for (uint64_t r = 0; r < a; r++) {
        bare += work->own[r] == 0;
        bare_there += work->theirs[r] == 0;
    }
    const uint64_t part = work->unit / trunking;
    for (uint64_t n = 0; n < trunking; n++) {
        uint64_t from, to;
        fit_linked_ends(work->links, place, n, &from, &to);
        fit_linked_add(work, from, to, bare * bare_there * part);
        for (uint64_t r = 0; r < a; r++)
            if (work->own[r] == 0) {
                work->local[r * a + from] += bare_there * part;
                work->local[from * a + r] += bare_there * part;
            }
    }
}

/* A multiple of trunking and of all numbers of links that two routers can have
 * to each other's groups; 0 if it is too great. */
static uint64_t fit_linked_unit(const struct nb_global_links *links)
{
    const uint64_t groups = links->groups - 1;
    const uint64_t most = (nb_global_links_most(links) - 1) / groups + 1;
    uint64_t unit = links->trunking;
    for (uint64_t i = 2; i <= 2 * most; i++) {
        unit *= i / nb_gcd(unit, i);
        if (unit >> 40 != 0)
            return 0;
    }
    return unit;
}

static enum nb_status fit_linked_init(const struct nb_global_links *links,
                                      struct fit_linked *work,
                                      struct nb_error *err)
{
    const uint64_t a = links->routers;
    *work =
        (struct fit_linked){ .links = links, .unit = fit_linked_unit(links) };
    work->local = nb_pool_array(&work->pool, a * a, sizeof *work->local);
    work->direct = nb_pool_array(&work->pool, a * a, sizeof *work->direct);
    work->own = nb_pool_array(&work->pool, a, sizeof *work->own);
    work->theirs = nb_pool_array(&work->pool, a, sizeof *work->theirs);
    return nb_pool_check(&work->pool, "links between groups", err);
}

/* The same for any number of links, by adding up all loads of one group: the
 * groups are equivalent. Unknown if the loads have no common denominator. */
static enum nb_status
fit_dragonfly_linked_rate(const struct nb_dragonfly_shape *shape,
                          struct nb_ratio *out, struct nb_error *err)
{
    const struct nb_global_links *links = &shape->links;
    const uint64_t a = links->routers;
    struct fit_linked work;
    enum nb_status status;
    *out = (struct nb_ratio){ 0, 0 };
    NB_TRY(fit_linked_init(links, &work, err));
    if (work.unit == 0)
        goto done;
    for (uint64_t place = 0; place + 1 < links->groups; place++)
        fit_linked_add_group(&work, place);
    for (uint64_t c = 0; c < a * a; c++)
        if (work.local[c] + work.unit > work.most && c / a != c % a)
            work.most = work.local[c] + work.unit;
    *out = nb_ratio_make((nb_int128)(a * links->groups) * work.unit,
                         (nb_int128)shape->terminals * work.most);
done:
    nb_pool_release(&work.pool);
    return status;
}

/* The rate of uniform traffic that the channels of complete groups carry. */
static enum nb_status fit_dragonfly_rate(const struct nb_dragonfly_shape *shape,
                                         struct nb_ratio *out,
                                         struct nb_error *err)
{
    if (!fit_dragonfly_is_single(&shape->links))
        return fit_dragonfly_linked_rate(shape, out, err);
    *out = fit_dragonfly_single_rate(shape);
    return NB_OK;
}

static void fit_dragonfly_name(uint64_t h, uint64_t groups, struct nb_fit *out)
{
    snprintf(out->specification, NB_FIT_TEXT,
             groups <= 2 * h * h ? "dragonfly:%" PRIu64 ",groups=%" PRIu64
                                 : "dragonfly:%" PRIu64,
             h, groups);
}

/* Complete groups, as few as suffice. */
static enum nb_status fit_dragonfly_complete(uint64_t terminals, uint64_t h,
                                             struct nb_dragonfly_shape *shape,
                                             struct nb_fit *out,
                                             struct nb_error *err)
{
    const uint64_t most = 2 * h * h + 1, of_group = 2 * h * h;
    enum nb_status status = nb_fit_end(out);
    if (terminals > of_group * most)
        return NB_OK;
    uint64_t groups = terminals == 0 ? most : (terminals - 1) / of_group + 1;
    for (groups = groups < 2 ? 2 : groups;
         groups <= most && out->routers == 0 && status == NB_OK; groups++) {
        *shape = fit_dragonfly_shape(h, 2 * h, 1, groups);
        /* More groups have more local channels. */
        if (groups * 2 * h * (2 * h - 1) >= NB_NONE)
            break;
        status = fit_dragonfly_count(shape, out, err);
        fit_dragonfly_name(h, groups, out);
    }
    return status;
}

/* Whether no port is left over and no router has two links to a group. Then
 * every local channel carries at most 1 + 2h a/trunking = 2 groups - 1, while 2
 * groups would fill it, and the capacity is 1. */
static bool fit_dragonfly_is_full(uint64_t h, uint64_t groups)
{
    return 2 * h * h % (groups - 1) == 0 && groups > h;
}

/* The next larger number of groups that is full in this sense. */
static enum nb_status fit_dragonfly_full(uint64_t h, uint64_t groups,
                                         struct nb_dragonfly_shape *shape,
                                         struct nb_fit *out,
                                         struct nb_error *err)
{
    const uint64_t least = groups > h ? groups : h; /* number of other groups */
    uint64_t trunking = 2 * h * h / least;
    while (trunking > 0 && 2 * h * h % trunking != 0)
        trunking--;
    if (trunking == 0)
        return nb_fit_end(out);
    groups = 2 * h * h / trunking + 1;
    *shape = fit_dragonfly_shape(h, 2 * h, 1, groups);
    const enum nb_status status = fit_dragonfly_count(shape, out, err);
    fit_dragonfly_name(h, groups, out);
    return status;
}

/* Groups of s x s routers, the largest number of them. Each pair of routers of
 * a group exchanges (2 s^3 + 1)/(s groups) packets, their own and those on
 * their way to and from global links; a local channel carries those of s such
 * pairs, more than a global channel does. */
static enum nb_status fit_dragonfly_grid(uint64_t terminals, uint64_t s,
                                         struct nb_fit *out,
                                         struct nb_error *err)
{
    const struct nb_dragonfly_shape shape =
        fit_dragonfly_shape(s, s, s, s * s * s + 1);
    const enum nb_status status = fit_dragonfly_count(&shape, out, err);
    if (status != NB_OK)
        return status;
    if (out->terminals < terminals)
        *out = (struct nb_fit){ 0 };
    nb_fit_set_rate(
        out, nb_ratio_make(shape.links.groups, 2 * shape.links.groups - 1));
    snprintf(out->specification, NB_FIT_TEXT,
             "dragonfly:%" PRIu64 ",a=%" PRIu64 "x%" PRIu64, s, s, s);
    return NB_OK;
}

enum nb_status nb_dragonfly_fit(const struct nb_fit_demand *demand,
                                size_t index, struct nb_fit *out,
                                struct nb_error *err)
{
    const uint64_t radix = demand->radix;
    const uint64_t h = fit_dragonfly_most((radix + 1) / 4);
    const uint64_t s = fit_dragonfly_most((radix + 2) / 4);
    const bool is_open = demand->terminals == 0;
    struct nb_dragonfly_shape shape;
    enum nb_status status;
    for (uint64_t i = 1; i <= h; i++) {
        const uint64_t own = is_open ? h + 1 - i : i;
        NB_TRY(
            fit_dragonfly_complete(demand->terminals, own, &shape, out, err));
        if (out->routers == 0)
            continue;
        const bool more =
            !is_open && !fit_dragonfly_is_full(own, shape.links.groups);
        if (index > 0 && more) {
            NB_TRY(
                fit_dragonfly_full(own, shape.links.groups, &shape, out, err));
            index -= out->routers > 0;
        }
        if (index-- == 0) {
            struct nb_ratio rate;
            NB_TRY(fit_dragonfly_rate(&shape, &rate, err));
            nb_fit_set_rate(out, rate);
            return NB_OK;
        }
        if (is_open)
            break;
    }
    for (uint64_t i = 2; i <= s; i++) { /* 1 x 1 is not a HyperX */
        NB_TRY(fit_dragonfly_grid(demand->terminals, is_open ? s + 2 - i : i,
                                  out, err));
        if (out->routers > 0)
            return index == 0 ? NB_OK : nb_fit_end(out);
    }
    status = nb_fit_end(out);
done:
    return status;
}

/*
 * An upper bound on the rate that the local channels of a shape carry, from the
 * mean of the loads whose maximum fit_dragonfly_rate takes. Without two links
 * from a router to a group, trunking (trunking - 1)/2 pairs of routers share
 * each other group; with two, all but trunking of the a^2 pairs of routers of
 * two groups take a local channel at least. For constant trunking it rises or
 * falls monotonically with the number of groups, as it is a quotient of two
 * linear functions: which of them depends on trunking only.
 */
static double fit_dragonfly_local_rate(const struct nb_dragonfly_shape *shape)
{
    const double a = (double)shape->links.routers;
    const double others = (double)shape->links.groups - 1;
    const double trunking = (double)shape->links.trunking;
    if (!fit_dragonfly_is_single(&shape->links))
        return a * (others + 1) /
               ((double)shape->terminals *
                (1 + fmax(0, others * (a * a - trunking)) / (a * (a - 1))));
    const double shared = others * trunking * (trunking - 1) / (a * (a - 1));
    const double load =
        trunking + 2 * trunking * others - shared * (2 * a - trunking);
    return a * (others + 1) * trunking / ((double)shape->terminals * load);
}

/* An upper bound on the rate that global and local channels carry, rounded
 * up. */
static struct nb_ratio
fit_dragonfly_most_rate(const struct nb_dragonfly_shape *shape)
{
    const struct nb_global_links *links = &shape->links;
    const double scale = 0x1p30;
    const double global = (double)links->groups * (double)links->trunking /
                          (double)(links->routers * shape->terminals);
    const double rate = fmin(fmin(global, fit_dragonfly_local_rate(shape)), 1);
    return nb_ratio_make((nb_int128)ceil(rate * (1 + 1e-9) * scale),
                         (nb_int128)scale);
}

/* Whether a network with the numbers of a shape as bounds is wanted. */
static bool fit_dragonfly_is_wanted(const struct nb_fit_search *search,
                                    const struct nb_dragonfly_shape *shape,
                                    struct nb_ratio capacity)
{
    const struct nb_global_links *links = &shape->links;
    const uint64_t routers = links->groups * links->routers;
    const struct nb_fit bound = {
        .terminals = search->demand.terminals,
        .routers = routers,
        .local_links = routers * (links->routers - 1) / 2,
        .global_links =
            links->groups * (links->groups - 1) / 2 * links->trunking,
        .capacity = capacity,
    };
    return nb_fit_is_wanted(search, DRAGONFLY_FAMILY, &bound);
}

static enum nb_status
fit_dragonfly_offer(struct nb_fit_search *search, uint64_t h,
                    const struct nb_dragonfly_shape *shape,
                    struct nb_error *err)
{
    const struct nb_global_links *links = &shape->links;
    const uint64_t a = links->routers, p = shape->terminals;
    struct nb_ratio rate;
    struct nb_fit fit;
    enum nb_status status;
    NB_TRY(fit_dragonfly_rate(shape, &rate, err));
    if (!nb_ratio_is_known(rate) ||
        !fit_dragonfly_is_wanted(search, shape, rate))
        return NB_OK;
    NB_TRY(fit_dragonfly_count(shape, &fit, err));
    if (fit.routers == 0)
        return NB_OK;
    nb_fit_set_rate(&fit, rate);
    char *text = fit.specification;
    int used = snprintf(text, NB_FIT_TEXT, "dragonfly:%" PRIu64, h);
    if (a != 2 * h)
        used +=
            snprintf(text + used, NB_FIT_TEXT - (size_t)used, ",a=%" PRIu64, a);
    if (p != h)
        used +=
            snprintf(text + used, NB_FIT_TEXT - (size_t)used, ",p=%" PRIu64, p);
    if (links->groups <= a * h)
        snprintf(text + used, NB_FIT_TEXT - (size_t)used, ",groups=%" PRIu64,
                 links->groups);
    nb_fit_offer(search, DRAGONFLY_FAMILY, &fit);
done:
    return status;
}

/*
 * Tries numbers of groups from the least on, as long as they are wanted. With
 * `trunking` links between two groups, the global channels carry the capacity c
 * from c a p/trunking groups on, and at most a h/trunking + 1 groups can be
 * joined.
 */
static enum nb_status fit_dragonfly_grow(struct nb_fit_search *search,
                                         uint64_t a, uint64_t h, uint64_t p,
                                         struct nb_error *err)
{
    const uint64_t links = a * h;
    const double c =
        nb_ratio_value(nb_fit_least_capacity(search)) * (1 - 1e-12);
    uint64_t groups = (search->demand.terminals - 1) / (a * p) + 1;
    enum nb_status status = NB_OK;
    groups = groups < 2 ? 2 : groups;
    while (groups <= links + 1) {
        struct nb_dragonfly_shape shape = fit_dragonfly_shape(h, a, 1, groups);
        const uint64_t trunking = shape.links.trunking;
        if (search->diameter == 1 ||
            (search->diameter == 2 && groups * a > a + 2 * h * (a - 1) + h * h))
            break; /* more routers than two hops reach */
        const uint64_t last = links / trunking + 1;
        const double needed = ceil(c * (double)(a * p) / (double)trunking);
        shape.terminals = p;
        if (!fit_dragonfly_is_wanted(search, &shape, nb_ratio_one))
            break;
        if (needed > (double)groups) {
            groups = needed > (double)last ? last + 1 : (uint64_t)needed;
            continue;
        }
        const bool carries = fit_dragonfly_local_rate(&shape) >= c;
        if (carries && fit_dragonfly_is_wanted(search, &shape,
                                               fit_dragonfly_most_rate(&shape)))
            NB_TRY(fit_dragonfly_offer(search, h, &shape, err));
        shape.links.groups = last;
        groups = carries || fit_dragonfly_local_rate(&shape) >= c ? groups + 1
                                                                  : last + 1;
    }
done:
    return status;
}

enum nb_status nb_dragonfly_search(struct nb_fit_search *search,
                                   struct nb_error *err)
{
    const uint64_t radix = search->demand.radix;
    enum nb_status status = NB_OK;
    for (uint64_t a = 2; a < radix; a++)
        for (uint64_t h = 1; a + h <= radix; h++)
            for (uint64_t p = radix + 1 - a - h; p > 0; p--)
                NB_TRY(fit_dragonfly_grow(search, a, h, p, err));
done:
    return status;
}
