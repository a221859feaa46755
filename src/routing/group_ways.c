#include "routing/group_ways.h"

#include "core/memory.h"
#include "routing/group_lists.h"
#include "routing/parts.h"
#include <string.h>

/*
 * Lists of way-points, sorted by group, then router: one for all sources, or
 * one for each. What is excluded by group are contiguous pieces of a list.
 */
struct group_plan {
    bool is_restricted;
    bool has_own_group; /* the source's group is not excluded */
    bool has_its_group; /* nor the destination's */
    bool is_shared;     /* lgl: one list for all */
    const size_t *start;
    const uint32_t *list;
};

/* Part of a list: from first to below end. */
struct group_piece {
    size_t first, end;
};

static const struct group_plan *group_plan_of(const struct nb_routing *routing)
{
    return routing->plan;
}

/* Where a list has the routers of a group from router on. */
static size_t group_find(const struct nb_routing *routing,
                         struct group_piece piece, uint32_t group,
                         uint32_t router)
{
    const struct group_plan *plan = group_plan_of(routing);
    const uint32_t *of = routing->topology->groups.of;
    while (piece.first < piece.end) {
        const size_t middle = piece.first + (piece.end - piece.first) / 2;
        const uint32_t at = plan->list[middle];
        if (of[at] < group || (of[at] == group && at < router))
            piece.first = middle + 1;
        else
            piece.end = middle;
    }
    return piece.first;
}

/* The source's list, and the pieces of it that a pair excludes, in order and
 * apart; returns their number. */
static size_t group_exclude(const struct nb_routing *routing, uint32_t source,
                            uint32_t destination, struct group_piece *list,
                            struct group_piece *without)
{
    const struct group_plan *plan = group_plan_of(routing);
    const struct nb_groups *groups = &routing->topology->groups;
    const size_t index = plan->is_shared ? 0 : source;
    size_t count = 0;
    *list = (struct group_piece){ plan->start[index], plan->start[index + 1] };
    if (plan->has_own_group && plan->has_its_group)
        return 0;
    const uint32_t own = groups->of[source], its = groups->of[destination];
    const uint32_t low = own < its ? own : its, high = own < its ? its : own;
    for (uint32_t g = low;; g = high) {
        if ((g == own && !plan->has_own_group) ||
            (g == its && !plan->has_its_group)) {
            without[count] =
                (struct group_piece){ group_find(routing, *list, g, 0),
                                      group_find(routing, *list, g, NB_NONE) };
            count += without[count].first < without[count].end;
        }
        if (g == high)
            break;
    }
    return count;
}

static bool group_find_part(const struct nb_routing *routing, uint32_t source,
                            uint32_t destination, struct nb_part *part)
{
    return group_plan_of(routing)->is_restricted &&
           nb_part_find(routing->topology, source, destination, part);
}

static uint64_t group_size(const struct nb_routing *routing, uint32_t source,
                           uint32_t destination)
{
    struct nb_part part;
    struct group_piece list, without[2];
    if (group_find_part(routing, source, destination, &part))
        return part.size;
    size_t count = group_exclude(routing, source, destination, &list, without);
    uint64_t size = list.end - list.first;
    while (count-- > 0)
        size -= without[count].end - without[count].first;
    return size;
}

static uint32_t group_router(const struct nb_routing *routing, uint32_t source,
                             uint32_t destination, uint64_t index)
{
    struct nb_part part;
    struct group_piece list, without[2];
    if (group_find_part(routing, source, destination, &part))
        return nb_part_router(&part, (uint32_t)index);
    const size_t count =
        group_exclude(routing, source, destination, &list, without);
    size_t at = list.first + index;
    for (size_t i = 0; i < count && at >= without[i].first; i++)
        at += without[i].end - without[i].first;
    return group_plan_of(routing)->list[at];
}

static void group_list(const struct nb_routing *routing, uint32_t source,
                       uint32_t destination, uint32_t *list)
{
    const struct group_plan *plan = group_plan_of(routing);
    struct nb_part part;
    struct group_piece whole, without[2];
    if (group_find_part(routing, source, destination, &part)) {
        for (uint32_t i = 0; i < part.size; i++)
            *list++ = nb_part_router(&part, i);
        return;
    }
    const size_t count =
        group_exclude(routing, source, destination, &whole, without);
    for (size_t i = 0; i <= count; i++) {
        const size_t end = i < count ? without[i].first : whole.end;
        for (size_t at = whole.first; at < end; at++)
            *list++ = plan->list[at];
        whole.first = i < count ? without[i].end : end;
    }
}

static uint64_t group_times(const struct nb_routing *routing, uint32_t source,
                            uint32_t destination, uint32_t way_point)
{
    const struct group_plan *plan = group_plan_of(routing);
    const uint32_t *of = routing->topology->groups.of;
    struct nb_part part;
    if (group_find_part(routing, source, destination, &part))
        return nb_part_has(&part, way_point);
    if (plan->is_shared && of == NULL)
        return 1;
    const uint32_t group = of[way_point];
    if ((!plan->has_own_group && group == of[source]) ||
        (!plan->has_its_group && group == of[destination]))
        return 0;
    if (plan->is_shared)
        return 1;
    const struct group_piece list = { plan->start[source],
                                      plan->start[source + 1] };
    return group_find(routing, list, group, way_point + 1) -
           group_find(routing, list, group, way_point);
}

static bool group_is_part(const struct nb_routing *routing, uint32_t source,
                          uint32_t destination)
{
    struct nb_part part;
    return group_find_part(routing, source, destination, &part);
}

static bool group_is_alike(const struct nb_routing *routing, uint32_t source,
                           uint32_t one, uint32_t other)
{
    const uint32_t *of = routing->topology->groups.of;
    return !group_is_part(routing, source, one) &&
           !group_is_part(routing, source, other) &&
           (group_plan_of(routing)->has_its_group || of[one] == of[other]);
}

static const struct nb_way_set group_ways = {
    .size = group_size,
    .router = group_router,
    .list = group_list,
    .times = group_times,
    .is_part = group_is_part,
    .is_alike = group_is_alike,
};

/* One size more: in the common multiple, 0 once that is not below 2^31. */
static void group_unite(struct nb_routing *out, uint64_t size)
{
    if (size > out->most_way_points)
        out->most_way_points = size;
    out->way_scale =
        nb_unite(out->way_scale, (int64_t)size, ((int64_t)1 << 31) - 1);
}

/* The sizes of all pairs: those of a source and of destinations in one group
 * are the same, unless they share a part. */
static enum nb_status group_check_source(struct nb_routing *out,
                                         uint32_t source, struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    const struct nb_groups *groups = &topology->groups;
    uint64_t last = 0;
    for (uint32_t g = 0; g < groups->count; g++) {
        const uint32_t destination = groups->member[groups->start[g]];
        struct nb_part part;
        if (group_find_part(out, source, destination, &part))
            continue;
        const uint64_t size = group_size(out, source, destination);
        if (size == 0)
            return nb_fail(
                err, NB_INVALID,
                "routing %s: router %u has no way-point to group "
                "%u by policy=%s (permitted: policies and groups "
                "that leave one)",
                out->kind->kind.name, source, g,
                nb_specification_text(&out->specification, "policy"));
        if (size != last)
            group_unite(out, size);
        last = size;
    }
    return NB_OK;
}

/* Every size that way sets have, and that none is empty. */
static enum nb_status group_find_scale(struct nb_routing *out,
                                       struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    const struct group_plan *plan = group_plan_of(out);
    const bool is_plain =
        plan->is_shared && plan->has_own_group && plan->has_its_group;
    enum nb_status status = NB_OK;
    out->way_scale = 1;
    for (size_t l = 0; plan->is_restricted && l < topology->nest.levels; l++)
        group_unite(out, topology->nest.size[l]);
    /* Every part of a HyperX is a product of some radices, as is the whole. */
    int64_t product = 1;
    for (size_t d = 0; plan->is_restricted && d < topology->hyperx.dimensions;
         d++)
        product *= topology->hyperx.radix[d];
    group_unite(out, (uint64_t)product);
    if (is_plain)
        group_unite(out, plan->start[1]);
    for (uint32_t s = 0; !is_plain && s < topology->router_count; s++)
        if (topology->terminals[s] > 0)
            NB_TRY(group_check_source(out, s, err));
done:
    return status;
}

/* Header, starts and lists in one block, as the routing owns it. */
static enum nb_status group_make_plan(struct nb_routing *out,
                                      const struct nb_group_request *request,
                                      struct group_plan plan,
                                      struct nb_error *err)
{
    const size_t starts =
        request->is_shared ? 2 : out->topology->router_count + 1;
    size_t *start = NULL;
    uint32_t *list = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_group_lists_find(request, &start, &list, err));
    const size_t count = start[starts - 1];
    NB_TRY(nb_new(&out->plan, 1,
                  sizeof plan + starts * sizeof *start + count * sizeof *list,
                  "way-points", err));
    size_t *own_start = (size_t *)((struct group_plan *)out->plan + 1);
    uint32_t *own_list = (uint32_t *)(own_start + starts);
    memcpy(own_start, start, starts * sizeof *start);
    memcpy(own_list, list, count * sizeof *list);
    plan.start = own_start;
    plan.list = own_list;
    *(struct group_plan *)out->plan = plan;
done:
    nb_delete(start);
    nb_delete(list);
    return status;
}

/* NB_INVALID unless the network has what the parameters need. */
static enum nb_status group_check_network(const struct nb_routing *out,
                                          bool needs_groups, bool is_restricted,
                                          struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    const char *name = out->kind->kind.name;
    const char *kind = topology->kind->kind.name;
    if (is_restricted && !nb_has_parts(topology))
        return nb_fail(err, NB_INVALID,
                       "routing %s needs a network of parts; topology %s has "
                       "none (permitted: dragonfly, megafly, hyperx of several "
                       "dimensions, clos and fattree of several levels)",
                       name, kind);
    if (needs_groups && topology->groups.count == 0)
        return nb_fail(err, NB_INVALID,
                       "routing %s: this policy needs groups; topology %s has "
                       "none (permitted there: policy=lgl with both groups)",
                       name, kind);
    if (needs_groups && is_restricted && topology->hyperx.dimensions > 0)
        return nb_fail(err, NB_INVALID,
                       "routing %s: the parts of topology %s are not its "
                       "groups (permitted there: policy=lgl with both groups)",
                       name, kind);
    return NB_OK;
}

enum nb_status nb_group_ways_build(struct nb_routing *out, bool is_restricted,
                                   struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    const char *policy = nb_specification_text(given, "policy");
    const bool is_any = strcmp(policy, "lgl") == 0;
    struct group_plan plan = {
        .is_restricted = is_restricted,
        .is_shared = is_any,
        .has_own_group =
            nb_specification_is(given, "source-group", "auto")
                ? is_any
                : nb_specification_is(given, "source-group", "yes"),
        .has_its_group = nb_specification_is(given, "destination-group", "yes"),
    };
    const bool is_plain = is_any && plan.has_own_group && plan.has_its_group;
    const struct nb_group_request request = {
        .topology = out->topology,
        .is_shared = is_any,
        .enters_groups = strcmp(policy, "-gl") == 0,
        .leaves_group = strcmp(policy, "lg-") == 0,
        .has_own_group = plan.has_own_group,
    };
    enum nb_status status = NB_OK;
    if (is_plain && !is_restricted)
        return NB_OK; /* anywhere, as it is */
    NB_TRY(group_check_network(out, !is_plain, is_restricted, err));
    NB_TRY(group_make_plan(out, &request, plan, err));
    out->way_point = NB_IN_SET;
    out->way_set = &group_ways;
    /* Groups of a HyperX are lines of one of its dimensions. */
    if (!is_plain)
        out->symmetries &= ~(unsigned)NB_AXIS_SWAP;
    NB_TRY(group_find_scale(out, err));
done:
    return status;
}
