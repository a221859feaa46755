#include "routing/group_lists.h"

#include "core/memory.h"

#include <stdlib.h>

/* What is being gathered: keys group * 2^32 + router. */
struct lists_gather {
    const struct nb_group_request *request;
    size_t count, capacity;
    uint64_t *key;
};

static enum nb_status lists_add(struct lists_gather *gather, uint32_t router,
                                struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (gather->count == gather->capacity) {
        gather->capacity = 2 * gather->capacity + 64;
        NB_TRY(nb_grow(&gather->key, gather->capacity, sizeof *gather->key,
                       "way-points", err));
    }
    const uint32_t *of = gather->request->topology->groups.of;
    const uint64_t group = of != NULL ? of[router] : 0;
    gather->key[gather->count++] = group << 32 | router;
done:
    return status;
}

/* All routers with terminals of a group. */
static enum nb_status lists_add_members(struct lists_gather *gather,
                                        uint32_t group, struct nb_error *err)
{
    const struct nb_groups *groups = &gather->request->topology->groups;
    enum nb_status status = NB_OK;
    for (size_t m = groups->start[group]; m < groups->start[group + 1]; m++)
        if (gather->request->topology->terminals[groups->member[m]] > 0)
            NB_TRY(lists_add(gather, groups->member[m], err));
done:
    return status;
}

/* What the global channels of one router lead to. */
static enum nb_status lists_add_ends(struct lists_gather *gather,
                                     uint32_t router, struct nb_error *err)
{
    const struct nb_topology *topology = gather->request->topology;
    enum nb_status status = NB_OK;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        const uint32_t end = topology->channels[c].target;
        if (!nb_channel_is_global(topology, c))
            continue;
        if (topology->terminals[end] == 0)
            NB_TRY(nb_fail(err, NB_INVALID,
                           "routing %s: router %u at the end of a global "
                           "channel has no terminals, so that it cannot be a "
                           "way-point (permitted there: policy=lgl)",
                           gather->request->name, end));
        if (gather->request->enters_groups)
            NB_TRY(lists_add_members(gather, topology->groups.of[end], err));
        else
            NB_TRY(lists_add(gather, end, err));
    }
done:
    return status;
}

static int lists_compare(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

/* The list of one source, sorted, behind the others. */
static enum nb_status lists_add_source(struct lists_gather *gather,
                                       uint32_t source, struct nb_error *err)
{
    const struct nb_groups *groups = &gather->request->topology->groups;
    const uint32_t own = groups->of[source];
    const size_t before = gather->count;
    enum nb_status status = NB_OK;
    if (gather->request->has_own_group && gather->request->enters_groups)
        NB_TRY(lists_add_members(gather, own, err));
    else if (gather->request->has_own_group)
        NB_TRY(lists_add(gather, source, err));
    if (!gather->request->leaves_group)
        NB_TRY(lists_add_ends(gather, source, err));
    for (size_t m = groups->start[own];
         gather->request->leaves_group && m < groups->start[own + 1]; m++)
        NB_TRY(lists_add_ends(gather, groups->member[m], err));
    if (gather->count > before)
        qsort(gather->key + before, gather->count - before, sizeof *gather->key,
              lists_compare);
done:
    return status;
}

/* The one list: group by group, or as they come where there are none. */
static enum nb_status lists_add_all(struct lists_gather *gather,
                                    struct nb_error *err)
{
    const struct nb_topology *topology = gather->request->topology;
    enum nb_status status = NB_OK;
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] > 0)
            NB_TRY(lists_add(gather, r, err));
    if (gather->count > 0)
        qsort(gather->key, gather->count, sizeof *gather->key, lists_compare);
done:
    return status;
}

enum nb_status nb_group_lists_find(const struct nb_group_request *request,
                                   size_t **start, uint32_t **list,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = request->topology;
    const size_t sources = request->is_shared ? 1 : topology->router_count;
    struct lists_gather gather = { .request = request };
    enum nb_status status = NB_OK;
    *list = NULL;
    NB_TRY(nb_new(start, sources + 1, sizeof **start, "way-points", err));
    for (uint32_t s = 0; s < sources; s++) {
        if (request->is_shared)
            NB_TRY(lists_add_all(&gather, err));
        else if (topology->terminals[s] > 0)
            NB_TRY(lists_add_source(&gather, s, err));
        (*start)[s + 1] = gather.count;
    }
    NB_TRY(nb_new(list, gather.count, sizeof **list, "way-points", err));
    for (size_t i = 0; i < gather.count; i++)
        (*list)[i] = (uint32_t)gather.key[i];
done:
    nb_delete(gather.key);
    return status;
}
