#include "topology/pods.h"

#include "core/memory.h"

/* The first router known of a component; shortens the way to it. */
static uint32_t pods_root(uint32_t *parent, uint32_t router)
{
    while (parent[router] != router) {
        parent[router] = parent[parent[router]];
        router = parent[router];
    }
    return router;
}

static void pods_join(uint32_t *parent, uint32_t one, uint32_t other)
{
    const uint32_t a = pods_root(parent, one);
    const uint32_t b = pods_root(parent, other);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

enum nb_status nb_pods_find(const struct nb_topology *topology,
                            const uint32_t *level, uint32_t first,
                            uint32_t last, uint32_t *part, uint32_t *count,
                            struct nb_error *err)
{
    uint32_t *parent;
    const enum nb_status status =
        nb_new(&parent, topology->router_count, sizeof *parent, "pods", err);
    *count = 0;
    if (status != NB_OK)
        return status;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const bool is_in =
            level[r] != NB_NONE && level[r] >= first && level[r] <= last;
        parent[r] = r;
        part[r] = is_in ? 0 : NB_NONE;
    }
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *at = &topology->channels[c];
        if (part[at->source] != NB_NONE && part[at->target] != NB_NONE)
            pods_join(parent, at->source, at->target);
    }
    /* A root is the first router of its component. */
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (part[r] != NB_NONE)
            part[r] = pods_root(parent, r) == r ? (*count)++
                                                : part[pods_root(parent, r)];
    nb_delete(parent);
    return NB_OK;
}
