#include "routing/group_ways.h"

#include "core/memory.h"
#include "routing/group_lists.h"
#include "routing/group_plan.h"
#include "routing/parts.h"

#include <string.h>

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
    const struct nb_group_plan *plan = out->plan;
    uint64_t last = 0;
    for (uint32_t g = 0; g < groups->count; g++) {
        const uint32_t destination = groups->member[groups->start[g]];
        if (nb_group_way_set.is_part(out, source, destination))
            continue;
        const uint64_t size = nb_group_way_set.size(out, source, destination);
        if (!plan->is_shared && plan->start[source + 1] == plan->start[source])
            return nb_fail(
                err, NB_INVALID,
                "routing %s: router %u has no global channel for "
                "policy=%s (permitted there: policy=lgl)",
                out->kind->kind.name, source,
                nb_specification_text(&out->specification, "policy"));
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
        if (plan->has_its_group)
            break; /* whatever the destination */
    }
    return NB_OK;
}

/* Every size that way sets have, and that none is empty. */
static enum nb_status group_find_scale(struct nb_routing *out,
                                       struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    const struct nb_group_plan *plan = out->plan;
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
                                      struct nb_group_plan plan,
                                      struct nb_error *err)
{
    const size_t starts = nb_group_list_count(request) + 1;
    size_t *start = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&start, starts, sizeof *start, "way-points", err));
    NB_TRY(nb_group_lists_count(request, start, err));
    const size_t bytes = sizeof plan + starts * sizeof *start +
                         start[starts - 1] * sizeof *plan.list;
    NB_TRY(nb_memory_require((double)bytes, "way-points", err));
    NB_TRY(nb_new(&out->plan, 1, bytes, "way-points", err));
    size_t *own_start = (size_t *)((struct nb_group_plan *)out->plan + 1);
    uint32_t *own_list = (uint32_t *)(own_start + starts);
    memcpy(own_start, start, starts * sizeof *start);
    NB_TRY(nb_group_lists_fill(request, start, own_list, err));
    plan.start = own_start;
    plan.list = own_list;
    *(struct nb_group_plan *)out->plan = plan;
done:
    nb_delete(start);
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
    struct nb_group_plan plan = {
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
        .name = out->kind->kind.name,
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
    out->way_set = &nb_group_way_set;
    /* Groups of a HyperX are lines of one of its dimensions. */
    if (!is_plain)
        out->symmetries &= ~(unsigned)NB_AXIS_SWAP;
    NB_TRY(group_find_scale(out, err));
done:
    return status;
}
