#include "topology/dragonfly.h"

#include "core/memory.h"
#include "core/parallel.h"
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

/* Of complete groups, by their usual diameter; with one router in each group,
 * these are complete graphs. */
static uint32_t fit_dragonfly_family(uint64_t a)
{
    return a > 1 ? 3 : 1;
}

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
 *
 * least  if the rate is less, any rate that is less may be returned
 */
static struct nb_ratio
fit_dragonfly_single_rate(const struct nb_dragonfly_shape *shape, double least)
{
    const struct nb_global_links *links = &shape->links;
    const uint64_t a = links->routers, trunking = links->trunking;
    uint64_t before[2 * FIT_DRAGONFLY_MOST + 2]; /* [router] links at the
                                                  * routers before it */
    uint64_t most = a * a; /* the largest load times trunking */
    const double enough = (double)(a * links->groups * trunking) /
                          (least * (double)shape->terminals) * (1 + 1e-12);
    for (uint64_t j = 0; j <= a; j++)
        before[j] = nb_global_links_before(links, j);
    for (uint64_t y = 1; y < a && (double)most <= enough; y++)
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
    nb_int128 unit;   /* denominator: a multiple of every number that divides */
    nb_int128 *local; /* [a * a] load of the channel from one to another */
    uint32_t
        *direct; /* [a * a] links from a router to one of the other group */
    uint32_t *own, *theirs; /* [a] links of a router to the other group */
    nb_int128 most;         /* largest load of a global channel */
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

/* Counts the links to a group; the counts must be 0. */
static void fit_linked_count(struct fit_linked *work, uint64_t place)
{
    const uint64_t a = work->links->routers;
    for (uint64_t n = 0; n < work->links->trunking; n++) {
        uint64_t from, to;
        fit_linked_ends(work->links, place, n, &from, &to);
        work->direct[from * a + to]++;
        work->own[from]++;
        work->theirs[to]++;
    }
}

/* Sets the counts to 0 again. */
static void fit_linked_forget(struct fit_linked *work, uint64_t place)
{
    const uint64_t a = work->links->routers;
    for (uint64_t n = 0; n < work->links->trunking; n++) {
        uint64_t from, to;
        fit_linked_ends(work->links, place, n, &from, &to);
        work->direct[from * a + to] = work->own[from] = work->theirs[to] = 0;
    }
}

/*
 * Adds what one link carries to the loads: between its two routers, and between
 * one of them and the others of the other's group that it has no link to. The
 * latter are those that take a local channel before or after.
 */
static void fit_linked_add(struct fit_linked *work, uint64_t from, uint64_t to,
                           nb_int128 beyond)
{
    const uint64_t a = work->links->routers;
    nb_int128 load = work->unit / work->direct[from * a + to] + beyond;
    for (uint64_t r = 0; r < a; r++) {
        if (r != from && work->direct[r * a + to] == 0) {
            const nb_int128 part =
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
    nb_int128 bare = 0, bare_there = 0; /* routers without a link */
    fit_linked_count(work, place);
    for (uint64_t r = 0; r < a; r++) {
        bare += work->own[r] == 0;
        bare_there += work->theirs[r] == 0;
    }
    const nb_int128 part = work->unit / trunking;
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
    fit_linked_forget(work, place);
}

/* Makes the unit a multiple of a number; 0 if it gets too great. */
static void fit_linked_divide(struct fit_linked *work, uint64_t number)
{
    const nb_int128 most = (nb_int128)1 << 80; /* sums of loads still fit */
    const nb_int128 step =
        number / nb_gcd((uint64_t)(work->unit % number), number);
    work->unit = work->unit < most / step ? work->unit * step : 0;
}

/* Makes the unit a multiple of the numbers of links among which two routers of
 * a group and another one divide their traffic. */
static void fit_linked_divide_group(struct fit_linked *work, uint64_t place)
{
    const uint64_t a = work->links->routers;
    uint32_t least[2] = { NB_NONE, NB_NONE }, most[2] = { 0, 0 }, direct = 0;
    fit_linked_count(work, place);
    for (uint64_t r = 0; r < a; r++) {
        const uint32_t count[] = { work->own[r], work->theirs[r] };
        for (int side = 0; side < 2; side++) {
            least[side] = count[side] < least[side] ? count[side] : least[side];
            most[side] = count[side] > most[side] ? count[side] : most[side];
        }
    }
    for (uint64_t n = 0; n < work->links->trunking; n++) {
        uint64_t from, to;
        fit_linked_ends(work->links, place, n, &from, &to);
        direct = work->direct[from * a + to] > direct
                     ? work->direct[from * a + to]
                     : direct;
    }
    fit_linked_forget(work, place);
    for (uint64_t i = 2; i <= direct && work->unit > 0; i++)
        fit_linked_divide(work, i);
    for (uint64_t i = least[0] + least[1];
         i <= most[0] + most[1] && work->unit > 0; i++)
        if (i > 1)
            fit_linked_divide(work, i);
}

/* The links that the traffic of router r with the router `to` of the other
 * group divides among, if r has none to it. */
static double fit_linked_share(const struct fit_linked *work, uint64_t r,
                               uint64_t to, double beyond)
{
    const uint64_t a = work->links->routers;
    return (work->direct[r * a + to] == 0
                ? 1.0 / (work->own[r] + work->theirs[to])
                : 0) +
           (work->own[r] == 0 ? beyond / (double)work->links->trunking : 0);
}

/*
 * The load of the channel from router 0 to that in the middle of the group,
 * which hardly share a router of another group: nearly the greatest. It takes
 * a fraction of the time of all loads.
 */
static double fit_linked_middle(struct fit_linked *work)
{
    const uint64_t a = work->links->routers, middle = a / 2;
    double load = 1;
    for (uint64_t place = 0; place + 1 < work->links->groups; place++) {
        double bare = 0;
        fit_linked_count(work, place);
        for (uint64_t r = 0; r < a; r++)
            bare += work->theirs[r] == 0;
        for (uint64_t n = 0; n < work->links->trunking; n++) {
            uint64_t from, to;
            fit_linked_ends(work->links, place, n, &from, &to);
            if (from == middle)
                load += fit_linked_share(work, 0, to, bare);
            else if (from == 0)
                load += fit_linked_share(work, middle, to, bare);
        }
        fit_linked_forget(work, place);
    }
    return load;
}

static enum nb_status fit_linked_init(const struct nb_global_links *links,
                                      struct fit_linked *work,
                                      struct nb_error *err)
{
    const uint64_t a = links->routers;
    *work = (struct fit_linked){ .links = links, .unit = links->trunking };
    work->local = nb_pool_array(&work->pool, a * a, sizeof *work->local);
    work->direct = nb_pool_array(&work->pool, a * a, sizeof *work->direct);
    work->own = nb_pool_array(&work->pool, a, sizeof *work->own);
    work->theirs = nb_pool_array(&work->pool, a, sizeof *work->theirs);
    return nb_pool_check(&work->pool, "links between groups", err);
}

/* The same for any number of links, by adding up all loads of one group: the
 * groups are equivalent. Unknown if that takes more than `steps`, or if the
 * loads have no common denominator that fits. Stops where the loads of some
 * channels already show that the rate is less than `least`. */
static enum nb_status
fit_dragonfly_linked_rate(const struct nb_dragonfly_shape *shape, double steps,
                          double least, struct nb_ratio *out,
                          struct nb_error *err)
{
    const struct nb_global_links *links = &shape->links;
    const uint64_t a = links->routers, others = links->groups - 1;
    struct fit_linked work;
    enum nb_status status;
    *out = (struct nb_ratio){ 0, 0 };
    if ((double)others * (double)a * (double)(links->trunking + a) > steps)
        return NB_OK;
    NB_TRY(fit_linked_init(links, &work, err));
    const double most = (double)(a * links->groups) /
                        (least * (double)shape->terminals) * (1 + 1e-9);
    if (a > 1 && fit_linked_middle(&work) > most) {
        *out = nb_ratio_zero;
        goto done;
    }
    for (uint64_t place = 0; place < others && work.unit > 0; place++)
        fit_linked_divide_group(&work, place);
    if (work.unit == 0)
        goto done;
    const double enough = most * (double)work.unit;
    for (uint64_t place = 0; place < others && (double)work.most <= enough;
         place++)
        fit_linked_add_group(&work, place);
    for (uint64_t c = 0; c < a * a; c++)
        if (work.local[c] + work.unit > work.most && c / a != c % a)
            work.most = work.local[c] + work.unit;
    *out = nb_ratio_divide(nb_ratio_make((nb_int128)(a * links->groups),
                                         (nb_int128)shape->terminals),
                           nb_ratio_make(work.most, work.unit));
done:
    nb_pool_release(&work.pool);
    return status;
}

/* The rate of uniform traffic that the channels of complete groups carry. */
static enum nb_status fit_dragonfly_rate(const struct nb_dragonfly_shape *shape,
                                         double steps, double least,
                                         struct nb_ratio *out,
                                         struct nb_error *err)
{
    if (!fit_dragonfly_is_single(&shape->links))
        return fit_dragonfly_linked_rate(shape, steps, least, out, err);
    *out = fit_dragonfly_single_rate(shape, least);
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
            NB_TRY(fit_dragonfly_rate(&shape, NB_FIT_STEPS, 0, &rate, err));
            nb_fit_set_rate(out, rate);
            out->most = nb_ratio_one;
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
 * two groups take a local channel at least.
 */
static double fit_dragonfly_local_rate(const struct nb_dragonfly_shape *shape)
{
    const double a = (double)shape->links.routers;
    const double others = (double)shape->links.groups - 1;
    const double trunking = (double)shape->links.trunking;
    if (a < 2)
        return INFINITY;
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
    const double rate = fmin(global, fit_dragonfly_local_rate(shape));
    return nb_ratio_make((nb_int128)ceil(rate * (1 + 1e-9) * scale),
                         (nb_int128)scale);
}

/* A search for the Dragonflies of one number of routers per group and terminals
 * per router. */
struct fit_dragonflies {
    struct nb_fit_search *search;
    struct nb_ratio rate; /* needed of the channels between routers */
    uint64_t a, p;
    uint64_t ports; /* left at each router for global channels */
};

/* The least rate with which a network with these numbers is wanted; unknown if
 * it is not, up to this rate. */
static struct nb_ratio fit_dragonfly_wanted(const struct fit_dragonflies *work,
                                            uint64_t groups,
                                            double global_links,
                                            struct nb_ratio rate)
{
    const uint64_t routers = groups * work->a;
    struct nb_fit bound = {
        .terminals = work->search->demand.terminals,
        .routers = routers,
        .local_links = routers * (work->a - 1) / 2,
        .global_links = (uint64_t)global_links,
    };
    nb_fit_set_rate(&bound, rate);
    const struct nb_ratio capacity = nb_fit_wanted_capacity(
        work->search, fit_dragonfly_family(work->a), &bound);
    return nb_ratio_is_known(capacity) &&
                   nb_ratio_compare(capacity, work->rate) < 0
               ? work->rate
               : capacity;
}

/* The specification, with parameters that differ from their defaults. */
static void fit_dragonfly_spell(const struct nb_dragonfly_shape *shape,
                                char *text)
{
    const struct nb_global_links *links = &shape->links;
    const uint64_t a = links->routers, h = nb_global_links_most(links);
    const struct {
        const char *name;
        uint64_t value, initial;
    } rows[] = {
        { "a", a, 2 * h },
        { "p", shape->terminals, h },
        { "groups", links->groups, a * h + 1 },
        { "trunking", links->trunking, a * h / (links->groups - 1) },
    };
    int used = snprintf(text, NB_FIT_TEXT, "dragonfly:%" PRIu64, h);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value != rows[i].initial)
            used += snprintf(text + used, NB_FIT_TEXT - (size_t)used,
                             ",%s=%" PRIu64, rows[i].name, rows[i].value);
}

/* Offers a network, if it has a rate that an upper bound does not exclude. */
static enum nb_status
fit_dragonfly_offer(const struct fit_dragonflies *work,
                    const struct nb_dragonfly_shape *shape,
                    struct nb_ratio least, struct nb_error *err)
{
    struct nb_ratio rate;
    struct nb_fit fit;
    enum nb_status status;
    NB_TRY(nb_run_check_stop(err));
    NB_TRY(fit_dragonfly_count(shape, &fit, err));
    if (fit.routers == 0 ||
        (work->search->diameter > 0 && fit.diameter > work->search->diameter))
        return NB_OK;
    NB_TRY(fit_dragonfly_rate(shape, work->search->steps, nb_ratio_value(least),
                              &rate, err));
    if (nb_ratio_is_known(rate) && nb_ratio_compare(rate, least) < 0)
        return NB_OK;
    nb_fit_set_rate(&fit, fit_dragonfly_most_rate(shape));
    fit.most = fit.capacity;
    nb_fit_set_rate(&fit, rate);
    fit_dragonfly_spell(shape, fit.specification);
    nb_fit_offer(work->search, fit_dragonfly_family(work->a), &fit);
done:
    return status;
}

/* Tries numbers of links between two groups, from the least on that might carry
 * the rate; with more, only the diameter and the worst case get better. */
static enum nb_status fit_dragonfly_join(const struct fit_dragonflies *work,
                                         uint64_t groups, struct nb_error *err)
{
    const uint64_t a = work->a;
    const double pairs = (double)groups * (double)(groups - 1) / 2;
    const double needed = ceil(nb_ratio_value(work->rate) * (1 - 1e-12) *
                               (double)(a * work->p) / (double)groups);
    const uint64_t most = a * work->ports / (groups - 1);
    enum nb_status status = NB_OK;
    for (uint64_t trunking = needed < 1 ? 1 : (uint64_t)needed;
         trunking <= most; trunking++) {
        const struct nb_dragonfly_shape shape = {
            .terminals = work->p,
            .columns = a,
            .rows = 1,
            .links = { .groups = groups,
                       .routers = a,
                       .trunking = trunking,
                       .arrangement = NB_PALMTREE },
        };
        const struct nb_ratio rate = fit_dragonfly_most_rate(&shape);
        const double links = pairs * (double)trunking;
        const struct nb_ratio least =
            fit_dragonfly_wanted(work, groups, links, rate);
        if (!nb_ratio_is_known(
                fit_dragonfly_wanted(work, groups, links, nb_ratio_one)))
            break;
        if (nb_ratio_is_known(least) && nb_ratio_compare(rate, least) >= 0)
            NB_TRY(fit_dragonfly_offer(work, &shape, least, err));
    }
done:
    return status;
}

/* Whether a diameter limit excludes all networks of that number of groups and
 * of more: they have more routers than one or two hops reach. */
static bool fit_dragonfly_is_far(const struct fit_dragonflies *work,
                                 uint64_t groups)
{
    const uint64_t a = work->a, h = work->ports;
    return (work->search->diameter == 1 && a > 1) ||
           (work->search->diameter == 2 &&
            groups * a > a + 2 * h * (a - 1) + h * h);
}

/*
 * Tries numbers of groups from the least on, as long as they are wanted. The
 * global channels carry the rate c with c a p/groups links between two groups,
 * which are c p (groups - 1)/groups global channels per router.
 */
static enum nb_status fit_dragonfly_grow(const struct fit_dragonflies *work,
                                         struct nb_error *err)
{
    const uint64_t a = work->a, p = work->p, h = work->ports;
    const double c = nb_ratio_value(work->rate) * (1 - 1e-12);
    uint64_t groups = (work->search->demand.terminals - 1) / (a * p) + 1;
    enum nb_status status = NB_OK;
    for (groups = groups < 2 ? 2 : groups; groups <= a * h + 1; groups++) {
        const double others = (double)groups - 1;
        const double links =
            fmax(others * (double)groups, c * (double)(a * p) * others) / 2;
        if (c * (double)p * others > (double)h * (double)groups ||
            fit_dragonfly_is_far(work, groups) ||
            nb_fit_is_oversized(work->search, groups * a * p) ||
            !nb_ratio_is_known(
                fit_dragonfly_wanted(work, groups, floor(links), nb_ratio_one)))
            break;
        NB_TRY(fit_dragonfly_join(work, groups, err));
    }
done:
    return status;
}

/* By number of routers per group, then of terminals per router. */
enum nb_status nb_dragonfly_search(struct nb_fit_search *search,
                                   struct nb_error *err)
{
    const uint64_t radix = search->radix;
    enum nb_status status = NB_OK;
    for (uint64_t a = 1; a < radix; a++)
        for (uint64_t p = radix - a; p > 0; p--) {
            const struct fit_dragonflies work = {
                .search = search,
                .rate = nb_fit_least_rate(search),
                .a = a,
                .p = p,
                .ports = radix + 1 - a - p,
            };
            NB_TRY(fit_dragonfly_grow(&work, err));
        }
done:
    return status;
}
