/*
 * Folded Clos: the extended generalised fat tree. Routers are numbered level by
 * level, the leaves first; within level l (from 1) as subtree * tops + top: the
 * subtree of height l that contains the switch, and the switch's place among
 * its tops (struct clos). Several parallel links may join two switches. The
 * subtrees of a larger one are consecutive: the index of a switch has, from the
 * most significant, the digits m_L .. m_(l+1) of paths down and the digits
 * w_(l-1) .. w_1 of paths up; a channel from level l to l + 1 drops the digit
 * of m_(l+1) and adds that of w_l. The terminals' own channels have bandwidth
 * 1. The groups are the subtrees below the top level, unless these are leaves.
 * Source: [OhringEtAl1995], where level 0 is the terminals, w_1 = 1; parallel
 * links by counting.
 */
#include "topology/fit.h"

#include "core/parallel.h"
#include "core/try.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/*
 * Levels of switches 1 .. L, the leaves level 1: down[0] terminals at each
 * leaf, down[l - 1] switches below each switch of level l, up[l - 1] switches
 * above each switch of level l < L, joined by parallel[l - 1] links each. A
 * subtree of height l has its leaves, the switches above them up to level l,
 * and among these the product of up[0 .. l - 2] tops, of level l.
 */
struct clos {
    uint32_t levels; /* L, 2 to NB_MAX_DIMENSIONS */
    uint32_t down[NB_MAX_DIMENSIONS];
    uint32_t up[NB_MAX_DIMENSIONS];
    uint32_t parallel[NB_MAX_DIMENSIONS]; /* links to each switch above */
};

enum {
    CLOS_MOST = 1000000, /* largest number in a shape */
    CLOS_DEPTH = 3,      /* levels of trees that are searched completely */
};

/* Below 2^53 these are exact. */
static double clos_subtrees(const struct clos *clos, uint32_t height)
{
    double count = 1;
    for (uint32_t l = height; l < clos->levels; l++)
        count *= clos->down[l];
    return count;
}

static double clos_tops(const struct clos *clos, uint32_t height)
{
    double count = 1;
    for (uint32_t l = 1; l < height; l++)
        count *= clos->up[l - 1];
    return count;
}

/* Switches per level. */
static double clos_switches(const struct clos *clos, uint32_t level)
{
    return clos_subtrees(clos, level) * clos_tops(clos, level);
}

static double clos_terminals(const struct clos *clos)
{
    return clos_subtrees(clos, 0);
}

/* Links between a level and the next one. */
static double clos_links(const struct clos *clos, uint32_t level)
{
    return clos_switches(clos, level) * clos->up[level - 1] *
           clos->parallel[level - 1];
}

/* The ratio of the links up from a subtree of height l to its terminals. */
static struct nb_ratio clos_way_out(const struct clos *clos, uint32_t height)
{
    nb_int128 inside = 1, ways = clos->parallel[height - 1];
    for (uint32_t l = 1; l <= height; l++) {
        inside *= clos->down[l - 1];
        ways *= clos->up[l - 1];
    }
    return nb_ratio_make(ways, inside);
}

/*
 * Capacity [packets/cycle/terminal] of the channels between switches under
 * uniform traffic, self included: with T_l the terminals of a subtree of height
 * l and U_l = up[0] .. up[l - 1] parallel[l - 1] the channels up from it, the
 * least over l < L of
 *
 *     U_l / (T_l (1 - T_l/T_L))
 *
 * No routing does better, as packets that leave a subtree take those channels.
 * Even shortest paths attain it: a packet that leaves the subtree draws each
 * hop up evenly, whatever its source and destination, so it takes each of the
 * U_l channels with the same probability. The path down to its destination is a
 * path up from there, reversed, and drawn evenly as well.
 *
 * clos  with at most 2^32 switches
 */
static struct nb_ratio clos_least_capacity(const struct clos *clos)
{
    struct nb_ratio least = nb_ratio_infinity;
    for (uint32_t l = 1; l < clos->levels; l++) {
        const nb_int128 subtrees = (nb_int128)clos_subtrees(clos, l);
        const struct nb_ratio here = nb_ratio_multiply(
            clos_way_out(clos, l), nb_ratio_make(subtrees, subtrees - 1));
        if (nb_ratio_compare(here, least) < 0)
            least = here;
    }
    return least;
}

/* The rate at which even shortest paths carry any traffic: the least U_l/T_l,
 * at most 1. */
static struct nb_ratio clos_worst_case(const struct clos *clos)
{
    struct nb_ratio least = nb_ratio_one;
    for (uint32_t l = 1; l < clos->levels; l++)
        if (nb_ratio_compare(clos_way_out(clos, l), least) < 0)
            least = clos_way_out(clos, l);
    return least;
}

/* Prints the numbers of a list joined by x. */
static size_t clos_print(const uint32_t *list, uint32_t count, char *text,
                         size_t used)
{
    for (uint32_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, NB_FIT_TEXT - used, "%s%" PRIu32,
                                 i > 0 ? "x" : "", list[i]);
    return used;
}

/* False if the shape has more switches or channels than nb_topology_reserve can
 * number, or numbers that the kind does not accept. */
static bool clos_count(const struct clos *clos, struct nb_fit *out)
{
    const uint32_t levels = clos->levels;
    double switches = 0, links = 0;
    uint32_t radix = 0;
    bool has_parallel = false;
    for (uint32_t l = 1; l <= levels; l++) {
        const uint32_t up = l < levels ? clos->up[l - 1] : 0;
        const uint32_t ports =
            clos->down[l - 1] * (l > 1 ? clos->parallel[l - 2] : 1) +
            up * (l < levels ? clos->parallel[l - 1] : 0);
        if (clos->down[l - 1] > CLOS_MOST || up > CLOS_MOST)
            return false;
        radix = ports > radix ? ports : radix;
        switches += clos_switches(clos, l);
        links += l < levels ? clos_links(clos, l) : 0;
    }
    if (switches >= NB_NONE || 2 * links >= NB_NONE)
        return false;
    const struct nb_ratio capacity = clos_least_capacity(clos);
    const uint64_t leaves = (uint64_t)clos_switches(clos, 1);
    const double global = levels > 2 ? clos_links(clos, levels - 1) : 0;
    *out = (struct nb_fit){
        .terminals = (uint64_t)clos_terminals(clos),
        .routers = (uint64_t)switches,
        .switches = leaves,
        .group_switches = levels > 2 ? leaves / clos->down[levels - 1] : 0,
        .local_links = (uint64_t)(links - global),
        .global_links = (uint64_t)global,
        .radix = radix,
        .diameter = 2 * (levels - 1),
        .capacity = nb_ratio_compare(capacity, nb_ratio_one) < 0 ? capacity
                                                                 : nb_ratio_one,
        .worst_case = clos_worst_case(clos),
    };
    char *text = out->specification;
    size_t used = (size_t)snprintf(text, NB_FIT_TEXT, "clos:");
    used = clos_print(clos->down, levels, text, used);
    used += (size_t)snprintf(text + used, NB_FIT_TEXT - used, ",up=");
    used = clos_print(clos->up, levels - 1, text, used);
    for (uint32_t l = 0; l + 1 < levels; l++)
        has_parallel = has_parallel || clos->parallel[l] > 1;
    if (has_parallel) {
        used += (size_t)snprintf(text + used, NB_FIT_TEXT - used, ",parallel=");
        clos_print(clos->parallel, levels - 1, text, used);
    }
    return true;
}

static bool clos_find(const struct nb_fit_demand *demand, uint32_t levels,
                      bool is_slim, struct nb_fit *out)
{
    const uint32_t half = demand->radix / 2, third = demand->radix / 3;
    const uint64_t terminals = demand->terminals;
    struct clos clos = { .levels = levels };
    for (uint32_t l = 0; l + 1 < levels; l++)
        clos.down[l] = clos.up[l] = half, clos.parallel[l] = 1;
    if (is_slim) {
        clos.down[0] = 2 * third;
        clos.up[0] = third;
    }
    clos.down[levels - 1] = 1;
    const double subtree = clos_terminals(&clos);
    /* At least one link up and, if there are levels between, two down. */
    if (clos.up[0] < 1 || (levels > 2 && half < 2) || subtree >= 0x1p53)
        return false;
    uint64_t ways = 2 * (uint64_t)half;
    if (terminals > 0) {
        const uint64_t needed = (terminals - 1) / (uint64_t)subtree + 1;
        if (needed > ways || (needed < 2 && levels > 2))
            return false;
        ways = needed < 2 ? 2 : needed;
    } else if (is_slim) {
        return false;
    }
    clos.down[levels - 1] = (uint32_t)ways;
    return clos_count(&clos, out);
}

/*
 * As nb_topology_kind.fit, with h = floor(radix/2), for L = 2, 3, 4 levels,
 * with demand.terminals > 0 also 5 and 6: half of the ports down and half up,
 * at the top 2 h down. With demand.terminals > 0 the top has no more switches
 * below it than needed; there is no network of L levels where one subtree of
 * height L - 1 > 1 holds the terminals; and a second network has leaves with w
 * = floor(radix/3) links up and 2 w terminals.
 *
 * Source: counting; k = 2h and L = 3 [AlFaresEtAl2008].
 */
static enum nb_status clos_fit(const struct nb_fit_demand *demand, size_t index,
                               struct nb_fit *out, struct nb_error *err)
{
    const uint32_t most = demand->terminals > 0 ? NB_MAX_DIMENSIONS : 4;
    (void)err;
    for (uint32_t levels = 2; levels <= most; levels++)
        for (int is_slim = 0; is_slim < 2; is_slim++)
            if (clos_find(demand, levels, is_slim != 0, out) && index-- == 0)
                return NB_OK;
    return nb_fit_end(out);
}

/* A tree being chosen, from the leaves up. */
struct clos_search {
    struct nb_fit_search *search;
    struct nb_ratio capacity; /* at least */
    struct clos clos;
};

/* An upper bound on the capacity, from the links up from the leaves, if these
 * are chosen. */
static struct nb_ratio clos_most_capacity(const struct clos_search *work,
                                          uint32_t ups)
{
    const struct clos *clos = &work->clos;
    const uint64_t leaves =
        (work->search->demand.terminals - 1) / clos->down[0] + 1;
    return ups == 0 || leaves < 2
               ? nb_ratio_one
               : nb_ratio_multiply(
                     clos_way_out(clos, 1),
                     nb_ratio_make((nb_int128)leaves, (nb_int128)leaves - 1));
}

/* A lower bound on the links up from a level per terminal, if subtrees of a
 * lower level have `inside` terminals: a subtree has at most 2^-n of the
 * terminals, n levels below the top, and at most radix times those of one below
 * it. */
static double clos_least_links(const struct clos_search *work, uint32_t level,
                               uint32_t lower, double inside)
{
    const struct nb_fit_search *search = work->search;
    const double below = pow(search->radix, (double)level - lower);
    const double share =
        fmin(ldexp(1, (int)level - (int)work->clos.levels),
             inside * below / (double)search->demand.terminals);
    const double least = nb_ratio_value(work->capacity) * (1 - share);
    return nb_ratio_is_known(search->worst_case)
               ? fmax(least, nb_ratio_value(search->worst_case))
               : least;
}

/*
 * Whether any tree might be wanted whose first levels have these numbers: down
 * for `level` levels, up for `ups` levels, which is `level` or one fewer. As
 * subtrees of that height are whole, the terminals are rounded up. The switches
 * above use all ports for their links.
 */
static bool clos_is_wanted(const struct clos_search *work, uint32_t level,
                           uint32_t ups)
{
    const struct clos *clos = &work->clos;
    const double asked = (double)work->search->demand.terminals;
    double routers = 0, links = 0, inside = 1, tops = 1, here = 0, above = 0;
    for (uint32_t l = 1; l <= level; l++) {
        inside *= clos->down[l - 1];
        const double subtrees = ceil(asked / inside);
        routers += subtrees * tops;
        if (l > ups)
            break;
        tops *= clos->up[l - 1];
        here = subtrees * tops * clos->parallel[l - 1];
        links += here;
    }
    const double terminals = ceil(asked / inside) * inside;
    for (uint32_t l = ups + 1; l < clos->levels; l++)
        above += terminals * clos_least_links(work, l, level, inside);
    const double ports =
        ups == level ? here + 2 * above
                     : 2 * above - terminals * clos_least_links(work, level,
                                                                level, inside);
    routers += ceil(ports / work->search->radix - 1e-9);
    links += ceil(above - 1e-9);
    const struct nb_fit bound = {
        .terminals = work->search->demand.terminals,
        .routers = (uint64_t)routers,
        .local_links = (uint64_t)links,
        .capacity = clos_most_capacity(work, ups),
    };
    return routers < NB_NONE && 2 * links < NB_NONE &&
           nb_fit_is_wanted(work->search, 2 * (clos->levels - 1), &bound);
}

/* ceil(rate * inside * (1 - inside / all) / tops), at least 1. */
static uint32_t clos_ways_for(struct nb_ratio rate, uint64_t inside,
                              uint64_t others, uint64_t all, uint64_t tops)
{
    const struct nb_ratio ways = nb_ratio_multiply(
        nb_ratio_multiply(rate,
                          nb_ratio_make((nb_int128)others, (nb_int128)all)),
        nb_ratio_make((nb_int128)inside, (nb_int128)tops));
    if (!nb_ratio_is_known(ways) || nb_ratio_value(ways) >= CLOS_MOST)
        return CLOS_MOST;
    const int64_t least =
        (ways.numerator + ways.denominator - 1) / ways.denominator;
    return least < 1 ? 1 : (uint32_t)least;
}

/* The numbers of switches above, with `parallel` links to each, that a subtree
 * of height `level` may need: for as few subtrees as hold the terminals, and
 * for any number of them. */
struct clos_ways {
    uint32_t least, enough;
};

static struct clos_ways clos_ways_up(const struct clos_search *work,
                                     uint32_t level, uint32_t parallel)
{
    const struct clos *clos = &work->clos;
    const struct nb_ratio worst_case = work->search->worst_case;
    uint64_t inside = 1, tops = parallel;
    for (uint32_t l = 1; l <= level; l++) {
        inside *= clos->down[l - 1];
        tops *= l < level ? clos->up[l - 1] : 1;
    }
    uint64_t subtrees = (work->search->demand.terminals - 1) / inside + 1;
    subtrees = subtrees < 2 ? 2 : subtrees;
    struct clos_ways ways = {
        clos_ways_for(work->capacity, inside, subtrees - 1, subtrees, tops),
        clos_ways_for(work->capacity, inside, 1, 1, tops),
    };
    if (!nb_ratio_is_known(worst_case))
        return ways;
    const uint32_t worst = clos_ways_for(worst_case, inside, 1, 1, tops);
    ways.least = worst > ways.least ? worst : ways.least;
    ways.enough = worst > ways.enough ? worst : ways.enough;
    return ways;
}

static void clos_choose(struct clos_search *work, uint32_t level);

/*
 * Given the numbers down of a level, tries those up, with any number of
 * parallel links. Below the highest subtrees, more than enough may help, as the
 * levels above then need fewer; in trees of more than CLOS_DEPTH levels, that
 * takes too long.
 */
static void clos_choose_up(struct clos_search *work, uint32_t level)
{
    struct clos *clos = &work->clos;
    const bool is_highest = level + 1 == clos->levels;
    const uint32_t taken =
        clos->down[level - 1] * (level > 1 ? clos->parallel[level - 2] : 1);
    const uint32_t ports = work->search->radix - taken;
    if (!clos_is_wanted(work, level, level - 1) || nb_run_is_stopped())
        return;
    for (uint32_t q = 1; q <= ports; q++) {
        const struct clos_ways ways = clos_ways_up(work, level, q);
        const uint32_t most = is_highest                  ? ways.least
                              : clos->levels > CLOS_DEPTH ? ways.enough
                                                          : ports / q;
        clos->parallel[level - 1] = q;
        for (uint32_t up = ways.least; up <= most && up <= ports / q; up++) {
            clos->up[level - 1] = up;
            if (!clos_is_wanted(work, level, level))
                break;
            clos_choose(work, level + 1);
        }
        if (most == 1)
            break; /* more links would only leave more unused */
    }
}

/* Chooses the number down of a level and what is above; at the top, just enough
 * for the terminals. */
static void clos_choose(struct clos_search *work, uint32_t level)
{
    struct clos *clos = &work->clos;
    const struct nb_fit_demand *demand = &work->search->demand;
    const uint32_t ports = work->search->radix / clos->parallel[level - 2];
    uint64_t inside = 1;
    struct nb_fit fit;
    for (uint32_t l = 1; l < level; l++)
        inside *= clos->down[l - 1];
    const uint64_t needed = (demand->terminals - 1) / inside + 1;
    if (level == clos->levels) {
        clos->down[level - 1] = needed < 2 ? 2 : (uint32_t)needed;
        if (needed <= ports && ports >= 2 && clos_count(clos, &fit))
            nb_fit_offer(work->search, fit.diameter, &fit);
        return;
    }
    for (uint32_t down = ports; down >= 2; down--)
        if (down < needed || down == 2) {
            clos->down[level - 1] = down;
            clos_choose_up(work, level);
        }
}

/*
 * Tries 2 to 6 levels, as few as hold the terminals, or one more. For every
 * number of terminals at a leaf and of switches below at other levels, tries
 * any number of switches above and of parallel links that give a required
 * capacity and worst case.
 */
static enum nb_status clos_search(struct nb_fit_search *search,
                                  struct nb_error *err)
{
    const uint32_t radix = search->radix;
    double half = 1; /* terminals of a subtree with half of the ports each
                      * way */
    for (uint32_t levels = 2; levels <= NB_MAX_DIMENSIONS; levels++) {
        half *= radix / 2;
        const bool is_far =
            search->diameter > 0 && 2 * (levels - 1) > search->diameter;
        if (is_far || (levels > 2 && half >= (double)search->demand.terminals))
            break;
        for (size_t t = 0; t < search->tier_count; t++) {
            struct clos_search work = {
                .search = search,
                .capacity = search->tier[t],
                .clos = { .levels = levels },
            };
            for (uint32_t down = radix - 1; down >= 1; down--) {
                work.clos.down[0] = down;
                clos_choose_up(&work, 1);
            }
        }
    }
    return nb_run_check_stop(err);
}

static enum nb_status clos_check(const struct nb_specification *specification,
                                 const struct clos *clos, size_t ups,
                                 size_t parallels, struct nb_error *err)
{
    const char *down = nb_specification_text(specification, "down");
    if (clos->levels < 2)
        return nb_fail(err, NB_INVALID,
                       "down \"%.60s\" is not permitted (permitted: 2 to %d "
                       "whole numbers joined by \"x\")",
                       down, NB_MAX_DIMENSIONS);
    if (ups != clos->levels - 1)
        return nb_fail(err, NB_INVALID,
                       "up \"%.60s\" has %zu numbers with down \"%.60s\" "
                       "(permitted: %" PRIu32 ", one fewer than down)",
                       nb_specification_text(specification, "up"), ups, down,
                       clos->levels - 1);
    if (parallels != ups)
        return nb_fail(err, NB_INVALID,
                       "parallel \"%.60s\" has %zu numbers with up \"%.60s\" "
                       "(permitted: %" PRIu32 ", as in up)",
                       nb_specification_text(specification, "parallel"),
                       parallels, nb_specification_text(specification, "up"),
                       clos->levels - 1);
    for (uint32_t l = 1; l < clos->levels; l++)
        if (clos->down[l] < 2)
            return nb_fail(err, NB_INVALID,
                           "down \"%.60s\" is not permitted: %" PRIu32
                           " switch below each of level %" PRIu32
                           " (permitted: at least 2)",
                           down, clos->down[l], l + 1);
    return NB_OK;
}

static enum nb_status clos_read(const struct nb_specification *specification,
                                struct clos *out, struct nb_error *err)
{
    size_t downs = 0, ups = 0, parallels = 0;
    enum nb_status status;
    NB_TRY(nb_whole_list_read(nb_specification_text(specification, "down"),
                              "down", 'x', 1, CLOS_MOST, NB_MAX_DIMENSIONS,
                              out->down, &downs, err));
    NB_TRY(nb_whole_list_read(nb_specification_text(specification, "up"), "up",
                              'x', 1, CLOS_MOST, NB_MAX_DIMENSIONS, out->up,
                              &ups, err));
    out->levels = (uint32_t)downs;
    for (parallels = 0; parallels < ups; parallels++)
        out->parallel[parallels] = 1;
    if (!nb_specification_is(specification, "parallel", ""))
        NB_TRY(nb_whole_list_read(
            nb_specification_text(specification, "parallel"), "parallel", 'x',
            1, CLOS_MOST, NB_MAX_DIMENSIONS, out->parallel, &parallels, err));
    NB_TRY(clos_check(specification, out, ups, parallels, err));
done:
    return status;
}

/* For a network that has been built, reading cannot fail. */
static struct clos clos_of(const struct nb_topology *topology)
{
    struct clos clos = { 0 };
    clos_read(&topology->specification, &clos, NULL);
    return clos;
}

/* Makes the channels from one switch to another. */
static struct nb_channel *clos_link(uint32_t source, uint32_t target,
                                    uint32_t count, struct nb_channel *channel)
{
    for (uint32_t i = 0; i < count; i++, channel++) {
        channel->source = source;
        channel->target = target;
    }
    return channel;
}

/* Makes the channels of a switch, those down first, each by ascending
 * target. */
static struct nb_channel *clos_join(const struct clos *clos, uint32_t level,
                                    uint32_t first, uint32_t index,
                                    struct nb_channel *channel)
{
    const uint32_t tops = (uint32_t)clos_tops(clos, level);
    const uint32_t subtree = index / tops, top = index % tops;
    if (level > 1) {
        const uint32_t below = first - (uint32_t)clos_switches(clos, level - 1);
        const uint32_t down = clos->down[level - 1];
        const uint32_t width = tops / clos->up[level - 2];
        for (uint32_t i = 0; i < down; i++)
            channel =
                clos_link(first + index,
                          below + (subtree * down + i) * width + top % width,
                          clos->parallel[level - 2], channel);
    }
    if (level < clos->levels) {
        const uint32_t above = first + (uint32_t)clos_switches(clos, level);
        const uint32_t up = clos->up[level - 1];
        const uint32_t larger = subtree / clos->down[level];
        for (uint32_t i = 0; i < up; i++)
            channel =
                clos_link(first + index, above + (larger * up + i) * tops + top,
                          clos->parallel[level - 1], channel);
    }
    return channel;
}

/* Divides the network by its subtrees: nested parts, the largest as groups. */
static enum nb_status clos_divide(const struct clos *clos,
                                  struct nb_topology *out, struct nb_error *err)
{
    const uint32_t subtrees = clos->down[clos->levels - 1];
    uint32_t size = 1, router = 0;
    if (clos->levels < 3)
        return NB_OK;
    out->nest.levels = clos->levels - 2;
    for (size_t i = 0; i < out->nest.levels; i++)
        out->nest.size[i] = size *= clos->down[i + 1];
    const enum nb_status status = nb_groups_reserve(out, subtrees, err);
    if (status != NB_OK)
        return status;
    for (uint32_t level = 1; level <= clos->levels; level++) {
        const uint32_t count = (uint32_t)clos_switches(clos, level);
        for (uint32_t i = 0; i < count; i++)
            out->groups.of[router++] =
                level < clos->levels ? i / (count / subtrees) : NB_NONE;
    }
    return NB_OK;
}

static enum nb_status clos_build(const struct nb_specification *specification,
                                 struct nb_topology *out, struct nb_error *err)
{
    struct clos clos = { 0 };
    double switches = 0, links = 0;
    enum nb_status status;
    NB_TRY(clos_read(specification, &clos, err));
    for (uint32_t level = 1; level <= clos.levels; level++) {
        switches += clos_switches(&clos, level);
        links += level < clos.levels ? clos_links(&clos, level) : 0;
    }
    NB_TRY(nb_topology_reserve(out, switches, 2 * links, err));
    struct nb_channel *channel = out->channels;
    uint32_t first = 0;
    for (uint32_t level = 1; level <= clos.levels; level++) {
        const uint32_t count = (uint32_t)clos_switches(&clos, level);
        for (uint32_t i = 0; i < count; i++) {
            out->terminals[first + i] = level == 1 ? clos.down[0] : 0;
            channel = clos_join(&clos, level, first, i, channel);
        }
        first += count;
    }
    NB_TRY(clos_divide(&clos, out, err));
done:
    return status;
}

static struct nb_closed_form clos_diameter(const struct nb_topology *topology)
{
    const struct clos clos = clos_of(topology);
    return (struct nb_closed_form){ { 2 * (clos.levels - 1), 1 }, "counting" };
}

/* Two hops for every height at which source and destination are in different
 * subtrees, which holds for all pairs except one in the number of subtrees. */
static struct nb_closed_form
clos_mean_distance(const struct nb_topology *topology)
{
    const struct clos clos = clos_of(topology);
    const nb_int128 leaves = (nb_int128)clos_subtrees(&clos, 1);
    nb_int128 hops = 0;
    for (uint32_t l = 1; l < clos.levels; l++)
        hops += 2 * (leaves - leaves / (nb_int128)clos_subtrees(&clos, l));
    return (struct nb_closed_form){ nb_ratio_make(hops, leaves), "counting" };
}

/* Whichever permutation is sent at rate r, even shortest paths put at most T_l
 * r on the U_l channels up from a subtree, and on those down, and load them
 * equally (clos_least_capacity). So they carry every permutation at the rate of
 * the least U_l/T_l. A permutation that exchanges two halves of the terminals
 * crosses the cut between them N r times. If the least is that of the highest
 * subtrees, a half made of half of these attains this bound: it cuts half of
 * the channels of every top switch. Otherwise unknown. */
static struct nb_closed_form clos_bisection(const struct nb_topology *topology)
{
    const struct clos clos = clos_of(topology);
    const uint32_t last = clos.levels - 1;
    bool is_least = true;
    for (uint32_t l = 1; l < last; l++)
        is_least = is_least && nb_ratio_compare(clos_way_out(&clos, last),
                                                clos_way_out(&clos, l)) <= 0;
    if (!is_least || clos.down[last] % 2 != 0)
        return (struct nb_closed_form){ { 0, 0 }, "" };
    return (struct nb_closed_form){
        { (int64_t)clos_tops(&clos, clos.levels) * clos.down[last] *
              clos.parallel[last - 1],
          1 },
        "middle cut attained by even shortest paths",
    };
}

static struct nb_closed_form clos_capacity(const struct nb_topology *topology)
{
    const struct clos clos = clos_of(topology);
    return (struct nb_closed_form){ clos_least_capacity(&clos), "counting" };
}

/* A digit of the switches' indices: its radix, the levels that have it and its
 * place value by level. */
struct clos_digit {
    uint32_t radix, first_level, last_level;
    uint32_t place[NB_MAX_DIMENSIONS + 1];
};

/* The digits of paths down, then those of paths up. False past the last. */
static bool clos_choose_digit(const struct clos *clos, size_t index,
                              struct clos_digit *out)
{
    const uint32_t levels = clos->levels;
    const bool is_down = index + 1 < levels;
    const uint32_t i = (uint32_t)(is_down ? index + 2 : index + 2 - levels);
    if (index >= 2 * ((size_t)levels - 1))
        return false;
    *out = is_down
               ? (struct clos_digit){ clos->down[i - 1], 1, i - 1, { 0 } }
               : (struct clos_digit){ clos->up[i - 1], i + 1, levels, { 0 } };
    for (uint32_t l = out->first_level; l <= out->last_level; l++)
        out->place[l] =
            is_down ? (uint32_t)(clos_switches(clos, l) /
                                 clos_subtrees(clos, i) / clos->down[i - 1])
                    : (uint32_t)clos_tops(clos, i);
    return true;
}

/* One step in a digit, at all levels that have it: channels between two such
 * levels keep the digit, and channels that add it lead to all of its values. */
static unsigned clos_symmetry(const struct nb_topology *topology, size_t index,
                              uint32_t *router_map)
{
    const struct clos clos = clos_of(topology);
    struct clos_digit digit;
    uint32_t router = 0;
    if (!clos_choose_digit(&clos, index, &digit))
        return 0;
    for (uint32_t level = 1; level <= clos.levels; level++) {
        const uint32_t count = (uint32_t)clos_switches(&clos, level);
        const uint32_t place = digit.place[level];
        for (uint32_t i = 0; i < count; i++, router++) {
            router_map[router] = router;
            if (level < digit.first_level || level > digit.last_level)
                continue;
            const bool is_highest = i / place % digit.radix == digit.radix - 1;
            router_map[router] +=
                is_highest ? place - place * digit.radix : place;
        }
    }
    return NB_OTHER_SYMMETRY;
}

static const struct nb_parameter clos_parameters[] = {
    NB_PARAMETER("down", RADICES, NULL,
                 "terminals per leaf switch, then switches below each switch, "
                 "level by level: 4x4x8",
                 .is_leading = true, .least = 1, .most = CLOS_MOST),
    NB_PARAMETER(
        "up", RADICES, NULL,
        "switches above each switch, level by level below the top: 4x4",
        .detail = "Fewer than down make a slimmed tree.", .least = 1,
        .most = CLOS_MOST),
    NB_PARAMETER(
        "parallel", RADICES, "",
        "parallel links between two switches, per level: 1x2; default 1",
        .least = 1, .most = CLOS_MOST),
    { 0 },
};

const struct nb_topology_kind nb_topology_clos = {
    .kind = { .name = "clos",
              .aliases = "folded-clos xgft",
              .summary = "folded Clos, 2 to 6 levels",
              .detail = "An extended generalised fat tree of 2 to 6 levels of "
                        "switches.",
              .family = NB_FAMILY_TREES,
              .parameters = clos_parameters },
    .examples = "clos:2x2x4,up=2x2 clos:4x4,up=2 clos:3x3,up=3,bandwidth=2 "
                "clos:1x2,up=1 clos:4x2x2,up=2x2 clos:2x3x2,up=2x1 "
                "clos:2x2x3,up=1x3,bandwidth=3/4 clos:3x2x2,up=2x3 "
                "clos:2x2x4,up=2x2,bandwidth=1+2 "
                "clos:1x2x2x2,up=1x2x1 clos:2x2x2x4,up=2x2x2 "
                "clos:4x4,up=2,parallel=2 clos:2x2x2,up=2x1,parallel=1x2 "
                "clos:3x2x3,up=1x2,parallel=3x1",
    .has_own_terminals = true,
    .has_levels = true,
    .build = clos_build,
    .diameter = clos_diameter,
    .mean_distance = clos_mean_distance,
    .bisection = clos_bisection,
    .capacity = clos_capacity,
    .fit = clos_fit,
    .search = clos_search,
    .symmetry = clos_symmetry,
};
