/* Way sets by groups and parts (declared in group_plan.h). */
#include "routing/group_plan.h"

#include "routing/parts.h"

/* Part of a list: from first to below end. */
struct group_piece {
    size_t first, end;
};

static const struct nb_group_plan *
group_plan_of(const struct nb_routing *routing)
{
    return routing->plan;
}

/* Where a list has the routers of a group from router on. */
static size_t group_find(const struct nb_routing *routing,
                         struct group_piece piece, uint32_t group,
                         uint32_t router)
{
    const struct nb_group_plan *plan = group_plan_of(routing);
    const uint32_t *of = routing->topology->groups.of;
    const uint64_t wanted = (uint64_t)group << 32 | router;
    while (piece.first < piece.end) {
        const size_t middle = piece.first + (piece.end - piece.first) / 2;
        const uint32_t at = plan->list[middle];
        if (((uint64_t)of[at] << 32 | at) < wanted)
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
    const struct nb_group_plan *plan = group_plan_of(routing);
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
    const struct nb_group_plan *plan = group_plan_of(routing);
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
    const struct nb_group_plan *plan = group_plan_of(routing);
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

const struct nb_way_set nb_group_way_set = {
    .size = group_size,
    .router = group_router,
    .list = group_list,
    .times = group_times,
    .is_part = group_is_part,
    .is_alike = group_is_alike,
};
