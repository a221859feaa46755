#include "routing/group_ways.h"

#include "core/memory.h"
#include "routing/intermediates.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/*
 * Lists of intermediate routers, sorted by group, then router: one list for all
 * sources, or one for each. Routers that are excluded by group are contiguous
 * in a list.
 */
struct group_plan {
    bool is_restricted;
    bool has_own_group; /* the source's group is not excluded */
    bool has_its_group; /* the destination's group is not excluded */
    bool is_shared;     /* lgl: one list for all */
    const size_t *start;
    const uint32_t *list;
};

struct group_request {
    const char *name; /* of the scheme, for messages */
    const struct nb_topology *topology;
    bool is_shared;     /* lgl: one list of all routers with terminals */
    bool enters_groups; /* -gl: all routers of a group, not only ends of global
                         * channels */
    bool leaves_group;  /* lg-: over all global channels of the source's
                         * group */
    bool has_own_group;
};

/* A list under construction: keys group * 2^32 + router, or only their number
 * if key is NULL. */
struct lists_gather {
    const struct group_request *request;
    size_t count;
    uint64_t *key;
};

/* The number of lists: one if shared, else one for each router; the lists of
 * routers without terminals are empty. */
static size_t group_list_count(const struct group_request *request)
{
    return request->is_shared ? 1 : request->topology->router_count;
}

static void lists_add(struct lists_gather *gather, uint32_t router)
{
    const uint32_t *of = gather->request->topology->groups.of;
    const uint64_t group = of != NULL ? of[router] : 0;
    if (gather->key != NULL)
        gather->key[gather->count] = group << 32 | router;
    gather->count++;
}

/* Adds all routers of a group that have terminals. */
static void lists_add_members(struct lists_gather *gather, uint32_t group)
{
    const struct nb_topology *topology = gather->request->topology;
    const struct nb_groups *groups = &topology->groups;
    for (size_t m = groups->start[group]; m < groups->start[group + 1]; m++)
        if (topology->terminals[groups->member[m]] > 0)
            lists_add(gather, groups->member[m]);
}

/* Adds the routers that one router's global channels lead to. Returns one that
 * has no terminals, or NB_NONE if all have some. */
static uint32_t lists_add_ends(struct lists_gather *gather, uint32_t router)
{
    const struct nb_topology *topology = gather->request->topology;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        const uint32_t end = topology->channels[c].target;
        if (!nb_channel_is_global(topology, c))
            continue;
        if (topology->terminals[end] == 0)
            return end;
        if (gather->request->enters_groups)
            lists_add_members(gather, topology->groups.of[end]);
        else
            lists_add(gather, end);
    }
    return NB_NONE;
}

/* Makes the list of one source; returns as lists_add_ends. */
static uint32_t lists_add_source(struct lists_gather *gather, uint32_t source)
{
    const struct group_request *request = gather->request;
    const struct nb_groups *groups = &request->topology->groups;
    uint32_t bare = NB_NONE;
    if (request->topology->terminals[source] == 0)
        return NB_NONE;
    const uint32_t own = groups->of[source];
    if (request->has_own_group && request->enters_groups)
        lists_add_members(gather, own);
    else if (request->has_own_group)
        lists_add(gather, source);
    if (!request->leaves_group)
        return lists_add_ends(gather, source);
    for (size_t m = groups->start[own];
         m < groups->start[own + 1] && bare == NB_NONE; m++)
        bare = lists_add_ends(gather, groups->member[m]);
    return bare;
}

/* Makes the index-th list; returns as lists_add_ends. */
static uint32_t lists_gather(struct lists_gather *gather, uint32_t index)
{
    const struct nb_topology *topology = gather->request->topology;
    gather->count = 0;
    if (!gather->request->is_shared)
        return lists_add_source(gather, index);
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] > 0)
            lists_add(gather, r);
    return NB_NONE;
}

/* Finds where each list starts when they are stored one after another: start,
 * out, [lists + 1]. */
static enum nb_status group_lists_count(const struct group_request *request,
                                        size_t *start, struct nb_error *err)
{
    const size_t lists = group_list_count(request);
    struct lists_gather gather = { .request = request };
    start[0] = 0;
    for (uint32_t l = 0; l < lists; l++) {
        const uint32_t bare = lists_gather(&gather, l);
        if (bare != NB_NONE)
            return nb_fail(err, NB_INVALID,
                           "routing %s: router %u at the end of a global "
                           "channel has no terminals, so it cannot be an "
                           "intermediate router (permitted there: policy=lgl)",
                           request->name, bare);
        start[l + 1] = start[l] + gather.count;
    }
    return NB_OK;
}

static int lists_compare(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

/* Fills the lists, each sorted by group, then router. */
static enum nb_status group_lists_fill(const struct group_request *request,
                                       const size_t *start, uint32_t *list,
                                       struct nb_error *err)
{
    const size_t lists = group_list_count(request);
    struct lists_gather gather = { .request = request };
    size_t longest = 0;
    enum nb_status status = NB_OK;
    for (size_t l = 0; l < lists; l++)
        if (start[l + 1] - start[l] > longest)
            longest = start[l + 1] - start[l];
    NB_TRY(nb_new(&gather.key, longest, sizeof *gather.key,
                  "intermediate routers", err));
    for (uint32_t l = 0; l < lists; l++) {
        lists_gather(&gather, l);
        if (gather.count > 0)
            qsort(gather.key, gather.count, sizeof *gather.key, lists_compare);
        for (size_t i = 0; i < gather.count; i++)
            list[start[l] + i] = (uint32_t)gather.key[i];
    }
done:
    nb_delete(gather.key);
    return status;
}

/* The first index in a list whose router is in the group or a later one. */
static size_t group_find(const struct group_plan *plan, const uint32_t *of,
                         size_t first, size_t end, uint64_t group)
{
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (of[plan->list[middle]] < group)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* As find_intermediates of struct nb_routing: a part of the network, or the
 * source's list without the groups that the pair excludes. */
static void group_intermediates(const struct nb_routing *routing, size_t set,
                                uint32_t source, uint32_t destination,
                                struct nb_intermediates *out)
{
    const struct group_plan *plan = routing->ways[set];
    const struct nb_groups *groups = &routing->topology->groups;
    const size_t index = plan->is_shared ? 0 : source;
    const size_t end = plan->start[index + 1];
    size_t from = plan->start[index], pieces = 0;
    /* Clearing the whole struct would take longer than the rest. */
    memset(out->piece, 0, sizeof out->piece);
    out->group = groups->of;
    out->count = 0;
    out->is_part =
        plan->is_restricted &&
        nb_part_find(routing->topology, source, destination, &out->part);
    if (out->is_part) {
        out->count = out->part.size;
        return;
    }
    if (!plan->has_own_group || !plan->has_its_group) {
        const uint32_t own = groups->of[source], its = groups->of[destination];
        const uint32_t group[2] = { own < its ? own : its,
                                    own < its ? its : own };
        for (size_t i = own == its; i < 2; i++) {
            if ((group[i] != own || plan->has_own_group) &&
                (group[i] != its || plan->has_its_group))
                continue;
            const size_t first =
                group_find(plan, groups->of, from, end, group[i]);
            out->piece[pieces].router = plan->list + from;
            out->piece[pieces++].count = first - from;
            from = group_find(plan, groups->of, first, end,
                              (uint64_t)group[i] + 1);
        }
    }
    out->piece[pieces].router = plan->list + from;
    out->piece[pieces].count = end - from;
    for (size_t i = 0; i <= pieces; i++)
        out->count += out->piece[i].count;
}

/* Adds a size to the common multiple, which becomes 0 once it reaches 2^31. */
static void group_unite(struct nb_routing *out, uint64_t size)
{
    if (size > out->most_intermediates)
        out->most_intermediates = size;
    out->intermediate_scale = nb_unite(out->intermediate_scale, (int64_t)size,
                                       ((int64_t)1 << 31) - 1);
}

/* Adds the sizes for all destinations of a source. They are equal for all
 * destinations of a group, except those that share a part with the source. */
static enum nb_status group_check_source(struct nb_routing *out,
                                         const char *policy, uint32_t source,
                                         struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    const struct nb_groups *groups = &topology->groups;
    const size_t last_set = out->sets - 1;
    const struct group_plan *plan = out->ways[last_set];
    uint64_t last = 0;
    for (uint32_t g = 0; g < groups->count; g++) {
        const uint32_t destination = groups->member[groups->start[g]];
        struct nb_intermediates set;
        group_intermediates(out, last_set, source, destination, &set);
        if (set.is_part)
            continue;
        if (!plan->is_shared && plan->start[source + 1] == plan->start[source])
            return nb_fail(err, NB_INVALID,
                           "routing %s: router %u has no global channel for "
                           "policy=%s (permitted there: policy=lgl)",
                           out->kind->kind.name, source, policy);
        if (set.count == 0)
            return nb_fail(
                err, NB_INVALID,
                "routing %s: router %u has no intermediate router to group %u "
                "with policy=%s (permitted: policies and groups with one)",
                out->kind->kind.name, source, g, policy);
        if (set.count != last)
            group_unite(out, set.count);
        last = set.count;
        if (plan->has_its_group)
            break; /* the same for every destination */
    }
    return NB_OK;
}

/* Adds the sizes of all sets and checks that no set is empty. */
static enum nb_status group_find_scale(struct nb_routing *out,
                                       const char *policy, struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    const struct group_plan *plan = out->ways[out->sets - 1];
    const bool is_plain =
        plan->is_shared && plan->has_own_group && plan->has_its_group;
    enum nb_status status = NB_OK;
    if (out->sets == 1)
        out->intermediate_scale = 1;
    for (size_t l = 0; plan->is_restricted && l < topology->nest.levels; l++)
        group_unite(out, topology->nest.size[l]);
    /* The size of a part of a HyperX, or of the whole, is a product of
     * radices. */
    int64_t product = 1;
    for (size_t d = 0; plan->is_restricted && d < topology->hyperx.dimensions;
         d++)
        product *= topology->hyperx.radix[d];
    group_unite(out, (uint64_t)product);
    if (is_plain)
        group_unite(out, plan->start[1]);
    for (uint32_t s = 0; !is_plain && s < topology->router_count; s++)
        if (topology->terminals[s] > 0)
            NB_TRY(group_check_source(out, policy, s, err));
done:
    return status;
}

/* Makes the next set: header, starts and lists in one block, which the routing
 * owns. */
static enum nb_status group_make_plan(struct nb_routing *out,
                                      const struct group_request *request,
                                      struct group_plan plan,
                                      struct nb_error *err)
{
    const size_t starts = group_list_count(request) + 1;
    size_t *start = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&start, starts, sizeof *start, "intermediate routers", err));
    NB_TRY(group_lists_count(request, start, err));
    const size_t bytes = sizeof plan + starts * sizeof *start +
                         start[starts - 1] * sizeof *plan.list;
    NB_TRY(nb_memory_require((double)bytes, "intermediate routers", err));
    void **ways = &out->ways[out->sets];
    NB_TRY(nb_new(ways, 1, bytes, "intermediate routers", err));
    size_t *own_start = (size_t *)((struct group_plan *)*ways + 1);
    uint32_t *own_list = (uint32_t *)(own_start + starts);
    memcpy(own_start, start, starts * sizeof *start);
    NB_TRY(group_lists_fill(request, start, own_list, err));
    plan.start = own_start;
    plan.list = own_list;
    *(struct group_plan *)*ways = plan;
    out->sets++;
done:
    nb_delete(start);
    return status;
}

/* Refuses the network if it lacks what the parameters need. */
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
    if (is_restricted && topology->failures.router_count > 0)
        return nb_fail(err, NB_INVALID,
                       "routing %s: not every router of a part can be an "
                       "intermediate router, since some failed (permitted "
                       "there: val)",
                       name);
    if (needs_groups && topology->groups.count == 0)
        return nb_fail(err, NB_INVALID,
                       "routing %s: this policy needs groups; topology %s has "
                       "none (permitted there: policy=lgl with both groups)",
                       name, kind);
    if (needs_groups && is_restricted && topology->hyperx.dimensions > 0)
        return nb_fail(err, NB_INVALID,
                       "routing %s: the parts of topology %s are not its "
                       "groups (permitted there: val, restricted=no, or "
                       "policy=lgl with both groups)",
                       name, kind);
    return NB_OK;
}

/* Reads from the parameters whether intermediate routers may lie in the groups
 * of source and destination. */
static struct group_plan group_read(const struct nb_specification *given,
                                    const char *policy, bool is_restricted)
{
    const bool is_any = strcmp(policy, "lgl") == 0;
    return (struct group_plan){
        .is_restricted = is_restricted,
        .is_shared = is_any,
        .has_own_group =
            nb_specification_is(given, "source-group", "auto")
                ? is_any
                : nb_specification_is(given, "source-group", "yes"),
        .has_its_group = nb_specification_is(given, "destination-group", "yes"),
    };
}

static bool group_is_plain(const struct group_plan *plan)
{
    return plan->is_shared && plan->has_own_group && plan->has_its_group;
}

/* Adds one more set, by a policy. */
static enum nb_status group_add(struct nb_routing *out, const char *policy,
                                bool is_restricted, struct nb_error *err)
{
    const struct group_plan plan =
        group_read(&out->specification, policy, is_restricted);
    const struct group_request request = {
        .name = out->kind->kind.name,
        .topology = out->topology,
        .is_shared = plan.is_shared,
        .enters_groups = strcmp(policy, "-gl") == 0,
        .leaves_group = strcmp(policy, "lg-") == 0,
        .has_own_group = plan.has_own_group,
    };
    enum nb_status status = NB_OK;
    NB_TRY(
        group_check_network(out, !group_is_plain(&plan), is_restricted, err));
    NB_TRY(group_make_plan(out, &request, plan, err));
    /* Groups of a HyperX are lines of one of its dimensions. */
    if (!group_is_plain(&plan))
        out->symmetries &= ~(unsigned)NB_AXIS_SWAP;
    NB_TRY(group_find_scale(out, policy, err));
done:
    return status;
}

enum nb_status nb_group_ways_build(struct nb_routing *out, bool is_restricted,
                                   struct nb_error *err)
{
    const char *policy = nb_specification_text(&out->specification, "policy");
    const struct group_plan plan =
        group_read(&out->specification, policy, is_restricted);
    if (group_is_plain(&plan) && !is_restricted)
        return NB_OK; /* no restriction needed */
    return nb_group_ways_list(out, policy, is_restricted, err);
}

enum nb_status nb_group_ways_list(struct nb_routing *out, const char *policies,
                                  bool is_restricted, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    out->sets = 0;
    out->intermediate = NB_IN_SET;
    out->find_intermediates = group_intermediates;
    while (status == NB_OK && *policies != '\0') {
        char policy[8] = { 0 };
        const size_t length = strcspn(policies, " ");
        assert(length < sizeof policy && out->sets < NB_MOST_SETS);
        memcpy(policy, policies, length);
        status = group_add(out, policy, is_restricted, err);
        policies += length + (policies[length] == ' ');
    }
    return status;
}
