#include "routing/group_lists.h"

#include "core/memory.h"

#include <stdlib.h>

/* One list as it is gathered: keys group * 2^32 + router, or only their
 * number where key is NULL. */
struct lists_gather {
    const struct nb_group_request *request;
    size_t count;
    uint64_t *key;
};

size_t nb_group_list_count(const struct nb_group_request *request)
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

/* All routers with terminals of a group. */
static void lists_add_members(struct lists_gather *gather, uint32_t group)
{
    const struct nb_topology *topology = gather->request->topology;
    const struct nb_groups *groups = &topology->groups;
    for (size_t m = groups->start[group]; m < groups->start[group + 1]; m++)
        if (topology->terminals[groups->member[m]] > 0)
            lists_add(gather, groups->member[m]);
}

/* What the global channels of one router lead to; returns a router there
 * without terminals, NB_NONE if all have some. */
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

/* The list of one source; returns as lists_add_ends. */
static uint32_t lists_add_source(struct lists_gather *gather, uint32_t source)
{
    const struct nb_group_request *request = gather->request;
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

/* The index-th list; returns as lists_add_ends. */
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

enum nb_status nb_group_lists_count(const struct nb_group_request *request,
                                    size_t *start, struct nb_error *err)
{
    const size_t lists = nb_group_list_count(request);
    struct lists_gather gather = { .request = request };
    start[0] = 0;
    for (uint32_t l = 0; l < lists; l++) {
        const uint32_t bare = lists_gather(&gather, l);
        if (bare != NB_NONE)
            return nb_fail(err, NB_INVALID,
                           "routing %s: router %u at the end of a global "
                           "channel has no terminals, so that it cannot be a "
                           "way-point (permitted there: policy=lgl)",
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

enum nb_status nb_group_lists_fill(const struct nb_group_request *request,
                                   const size_t *start, uint32_t *list,
                                   struct nb_error *err)
{
    const size_t lists = nb_group_list_count(request);
    struct lists_gather gather = { .request = request };
    size_t longest = 0;
    enum nb_status status = NB_OK;
    for (size_t l = 0; l < lists; l++)
        if (start[l + 1] - start[l] > longest)
            longest = start[l + 1] - start[l];
    NB_TRY(nb_new(&gather.key, longest, sizeof *gather.key, "way-points", err));
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
