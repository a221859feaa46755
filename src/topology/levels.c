#include "topology/levels.h"

#include "core/memory.h"

#define LEVELS_PERMITTED                                                       \
    "(permitted: networks whose channels all lead to the next level, from "    \
    "terminals' routers over switches back to them, such as butterfly)"

static enum nb_status levels_refuse(const struct nb_topology *topology,
                                    uint32_t channel, const char *what,
                                    struct nb_error *err)
{
    return nb_fail(err, NB_INVALID,
                   "the network is not levelled: the channel from router %u to "
                   "router %u %s " LEVELS_PERMITTED,
                   topology->channels[channel].source,
                   topology->channels[channel].target, what);
}

/* A switch is one level above the first of its predecessors visited; NB_NONE:
 * no terminal sends to it. */
static void levels_walk(const struct nb_topology *topology,
                        struct nb_levels *levels)
{
    const uint32_t *start = topology->out_start;
    uint32_t count = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        levels->level[r] = topology->terminals[r] > 0 ? 0 : NB_NONE;
        if (topology->terminals[r] > 0)
            levels->order[count++] = r;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t r = levels->order[i];
        for (uint32_t c = start[r]; c < start[r + 1]; c++) {
            const uint32_t next = topology->channels[c].target;
            if (levels->level[next] != NB_NONE)
                continue;
            levels->level[next] = levels->level[r] + 1;
            levels->order[count++] = next;
        }
    }
    levels->depth = count > 0 ? levels->level[levels->order[count - 1]] : 0;
}

static enum nb_status levels_check(const struct nb_topology *topology,
                                   const struct nb_levels *levels,
                                   struct nb_error *err)
{
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const uint32_t from = levels->level[topology->channels[c].source];
        const uint32_t to = levels->level[topology->channels[c].target];
        if (from == 0 && to == 0)
            return levels_refuse(topology, c,
                                 "joins two routers with terminals", err);
        if (from == NB_NONE)
            return levels_refuse(
                topology, c, "leaves a switch that no terminal sends to", err);
        if (to == 0 ? from != levels->depth : to != from + 1)
            return levels_refuse(topology, c, "does not lead to the next level",
                                 err);
    }
    if (levels->depth == 0)
        return nb_fail(err, NB_INVALID,
                       "the network is not levelled: it has no "
                       "switches " LEVELS_PERMITTED);
    return NB_OK;
}

/* Sorts routers by level, the last one first, and within a level by number. */
static void levels_sort(const struct nb_topology *topology,
                        struct nb_levels *levels)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i <= levels->depth; i++) {
        levels->start[i] = count;
        for (uint32_t r = 0; r < topology->router_count; r++)
            if (levels->level[r] == levels->depth - i)
                levels->order[count++] = r;
    }
    levels->start[levels->depth + 1] = count;
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (levels->level[r] == NB_NONE)
            levels->level[r] = 0;
}

enum nb_status nb_levels_find(const struct nb_topology *topology,
                              struct nb_levels *out, struct nb_error *err)
{
    const size_t routers = topology->router_count;
    enum nb_status status = NB_OK;
    *out = (struct nb_levels){ 0 };
    out->level = nb_pool_array(&out->pool, routers, sizeof *out->level);
    out->order = nb_pool_array(&out->pool, routers, sizeof *out->order);
    out->start = nb_pool_array(&out->pool, routers + 2, sizeof *out->start);
    NB_TRY(nb_pool_check(&out->pool, "levels", err));
    levels_walk(topology, out);
    NB_TRY(levels_check(topology, out, err));
    levels_sort(topology, out);
done:
    if (status != NB_OK)
        nb_levels_release(out);
    return status;
}

void nb_levels_release(struct nb_levels *levels)
{
    nb_pool_release(&levels->pool);
    *levels = (struct nb_levels){ 0 };
}
