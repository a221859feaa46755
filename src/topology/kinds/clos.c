/*
 * Folded Clos: the extended generalised fat tree. Routers are numbered level
 * by level, the leaves first; within level l (from 1) as subtree * tops + top,
 * by the subtree of height l that they are of and their place among its tops
 * (struct nb_clos). Subtrees count from one side, so that those of a larger
 * one are consecutive: the index of a switch has the digits, from the
 * greatest, of the ways down m_L .. m_(l+1) and of the ways up w_(l-1) .. w_1;
 * a channel between levels l and l + 1 takes the digit of m_(l+1) away and
 * adds that of w_l. The terminals' own channels have bandwidth 1. The groups
 * are the subtrees below the top level, if they are more than leaves.
 * Source: [OhringEtAl1995], its level 0 the terminals, w_1 = 1.
 */
#include "topology/clos.h"

#include "core/try.h"

#include <inttypes.h>

static enum nb_status clos_check(const struct nb_specification *specification,
                                 const struct nb_clos *clos, size_t ups,
                                 struct nb_error *err)
{
    const char *down = nb_specification_text(specification, "down");
    if (clos->levels < 2)
        return nb_fail(err, NB_INVALID,
                       "down \"%.60s\" is not permitted (permitted: 2 to %d "
                       "whole numbers joined by \"x\")",
                       down, NB_MAX_DIMENSIONS);
    if (ups != clos->levels - 1)
        return nb_fail(err, NB_INVALID,
                       "up \"%.60s\" has %zu numbers beside down \"%.60s\" "
                       "(permitted: %" PRIu32 ", one fewer than down)",
                       nb_specification_text(specification, "up"), ups, down,
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
                                struct nb_clos *out, struct nb_error *err)
{
    size_t downs = 0, ups = 0;
    enum nb_status status;
    NB_TRY(nb_whole_list_read(nb_specification_text(specification, "down"),
                              "down", 'x', 1, NB_CLOS_MOST, NB_MAX_DIMENSIONS,
                              out->down, &downs, err));
    NB_TRY(nb_whole_list_read(nb_specification_text(specification, "up"), "up",
                              'x', 1, NB_CLOS_MOST, NB_MAX_DIMENSIONS, out->up,
                              &ups, err));
    out->levels = (uint32_t)downs;
    NB_TRY(clos_check(specification, out, ups, err));
done:
    return status;
}

/* Of a network that has been built, which reading cannot refuse. */
static struct nb_clos clos_of(const struct nb_topology *topology)
{
    struct nb_clos clos = { 0 };
    clos_read(&topology->specification, &clos, NULL);
    return clos;
}

/* The channels of one switch, those down first, both by ascending target. */
static struct nb_channel *clos_join(const struct nb_clos *clos, uint32_t level,
                                    uint32_t first, uint32_t index,
                                    struct nb_channel *channel)
{
    const uint32_t tops = (uint32_t)nb_clos_tops(clos, level);
    const uint32_t subtree = index / tops, top = index % tops;
    if (level > 1) {
        const uint32_t below =
            first - (uint32_t)nb_clos_switches(clos, level - 1);
        const uint32_t down = clos->down[level - 1];
        const uint32_t width = tops / clos->up[level - 2];
        for (uint32_t i = 0; i < down; i++, channel++) {
            channel->source = first + index;
            channel->target =
                below + (subtree * down + i) * width + top % width;
        }
    }
    if (level < clos->levels) {
        const uint32_t above = first + (uint32_t)nb_clos_switches(clos, level);
        const uint32_t up = clos->up[level - 1];
        const uint32_t larger = subtree / clos->down[level];
        for (uint32_t i = 0; i < up; i++, channel++) {
            channel->source = first + index;
            channel->target = above + (larger * up + i) * tops + top;
        }
    }
    return channel;
}

/* The parts that the subtrees make: nested, and the largest as groups. */
static enum nb_status clos_divide(const struct nb_clos *clos,
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
        const uint32_t count = (uint32_t)nb_clos_switches(clos, level);
        for (uint32_t i = 0; i < count; i++)
            out->groups.of[router++] =
                level < clos->levels ? i / (count / subtrees) : NB_NONE;
    }
    return NB_OK;
}

static enum nb_status clos_build(const struct nb_specification *specification,
                                 struct nb_topology *out, struct nb_error *err)
{
    struct nb_clos clos = { 0 };
    double switches = 0, links = 0;
    enum nb_status status;
    NB_TRY(clos_read(specification, &clos, err));
    for (uint32_t level = 1; level <= clos.levels; level++) {
        switches += nb_clos_switches(&clos, level);
        links += level < clos.levels ? nb_clos_links(&clos, level) : 0;
    }
    NB_TRY(nb_topology_reserve(out, switches, 2 * links, err));
    out->terminal_bandwidth = nb_ratio_one;
    struct nb_channel *channel = out->channels;
    uint32_t first = 0;
    for (uint32_t level = 1; level <= clos.levels; level++) {
        const uint32_t count = (uint32_t)nb_clos_switches(&clos, level);
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
    const struct nb_clos clos = clos_of(topology);
    return (struct nb_closed_form){ { 2 * (clos.levels - 1), 1 }, "counting" };
}

/* Two hops for every height at which source and destination are not in one
 * subtree, which is so for all pairs but one in the number of subtrees. */
static struct nb_closed_form
clos_mean_distance(const struct nb_topology *topology)
{
    const struct nb_clos clos = clos_of(topology);
    const nb_int128 leaves = (nb_int128)nb_clos_subtrees(&clos, 1);
    nb_int128 hops = 0;
    for (uint32_t l = 1; l < clos.levels; l++)
        hops += 2 * (leaves - leaves / (nb_int128)nb_clos_subtrees(&clos, l));
    return (struct nb_closed_form){ nb_ratio_make(hops, leaves), "counting" };
}

/* Even shortest paths put at most T_l r on the U_l channels up from a subtree,
 * and on those down, whichever permutation is sent at rate r, and load them
 * alike (nb_clos_capacity): they carry every permutation at the rate of the
 * least U_l/T_l. One that exchanges two halves of the terminals crosses the
 * cut between them N r times. If the least is that of the highest subtrees,
 * half of these are a half that meets this, half of the channels of every top
 * switch being cut. Otherwise unknown. */
static struct nb_closed_form clos_bisection(const struct nb_topology *topology)
{
    const struct nb_clos clos = clos_of(topology);
    const uint32_t last = clos.levels - 1;
    /* U_(L-1)/T_(L-1) as a part of U_l/T_l. */
    struct nb_ratio part = nb_ratio_one;
    bool is_least = true;
    for (uint32_t l = last - 1; l > 0; l--) {
        part = nb_ratio_multiply(part, nb_ratio_make(clos.up[l], clos.down[l]));
        is_least = is_least && nb_ratio_is_known(part) &&
                   nb_ratio_compare(part, nb_ratio_one) <= 0;
    }
    if (!is_least || clos.down[last] % 2 != 0)
        return (struct nb_closed_form){ { 0, 0 }, "" };
    return (struct nb_closed_form){
        { (int64_t)nb_clos_tops(&clos, clos.levels) * clos.down[last], 1 },
        "middle cut met by even shortest paths",
    };
}

static struct nb_closed_form clos_capacity(const struct nb_topology *topology)
{
    const struct nb_clos clos = clos_of(topology);
    return (struct nb_closed_form){ nb_clos_capacity(&clos), "counting" };
}

/* A digit of the switches' indices: its radix, the levels that have it and,
 * by level, its place value. */
struct clos_digit {
    uint32_t radix, first_level, last_level;
    uint32_t place[NB_MAX_DIMENSIONS + 1];
};

/* The digits of the ways down, then those of the ways up. False past the
 * last. */
static bool clos_choose(const struct nb_clos *clos, size_t index,
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
            is_down ? (uint32_t)(nb_clos_switches(clos, l) /
                                 nb_clos_subtrees(clos, i) / clos->down[i - 1])
                    : (uint32_t)nb_clos_tops(clos, i);
    return true;
}

/* One step in a digit wherever it stands: between levels that both have it
 * channels keep it, and the channels that add it go to all of its values. */
static unsigned clos_symmetry(const struct nb_topology *topology, size_t index,
                              uint32_t *router_map)
{
    const struct nb_clos clos = clos_of(topology);
    struct clos_digit digit;
    uint32_t router = 0;
    if (!clos_choose(&clos, index, &digit))
        return 0;
    for (uint32_t level = 1; level <= clos.levels; level++) {
        const uint32_t count = (uint32_t)nb_clos_switches(&clos, level);
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
    { .name = "down",
      .help = "terminals at each leaf switch, then switches below each switch "
              "of the second level, and so on to the top, such as 4x4x8",
      .type = NB_RADICES,
      .is_leading = true,
      .least = 1,
      .most = NB_CLOS_MOST },
    { .name = "up",
      .help = "links up from each switch of the levels below the top, such as "
              "4x4; fewer than down: a slimmed tree",
      .type = NB_RADICES,
      .least = 1,
      .most = NB_CLOS_MOST },
    { 0 },
};

const struct nb_topology_kind nb_topology_clos = {
    .kind = { .name = "clos",
              .aliases = "folded-clos xgft",
              .summary = "folded Clos: an extended generalised fat tree of 2 "
                         "to 6 levels of switches",
              .parameters = clos_parameters },
    .examples = "clos:2x2x4,up=2x2 clos:4x4,up=2 clos:3x3,up=3,bandwidth=2 "
                "clos:1x2,up=1 clos:4x2x2,up=2x2 clos:2x3x2,up=2x1 "
                "clos:2x2x3,up=1x3,bandwidth=3/4 clos:3x2x2,up=2x3 "
                "clos:1x2x2x2,up=1x2x1 clos:2x2x2x4,up=2x2x2",
    .has_own_terminals = true,
    .build = clos_build,
    .diameter = clos_diameter,
    .mean_distance = clos_mean_distance,
    .bisection = clos_bisection,
    .capacity = clos_capacity,
    .fit = nb_clos_fit,
    .symmetry = clos_symmetry,
};
