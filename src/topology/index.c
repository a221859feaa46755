#include "topology/index.h"

#include "core/memory.h"

#include <string.h>

static uint32_t index_key(const uint32_t *key, size_t stride, size_t i)
{
    const void *at = (const char *)key + i * stride;
    return *(const uint32_t *)at;
}

void nb_index_by(const uint32_t *key, size_t stride, size_t count,
                 size_t groups, uint32_t *start, uint32_t *order)
{
    for (size_t i = 0; i < count; i++)
        if (index_key(key, stride, i) < groups)
            start[index_key(key, stride, i) + 1]++;
    for (size_t g = 0; g < groups; g++)
        start[g + 1] += start[g];
    for (size_t i = 0; i < count; i++)
        if (index_key(key, stride, i) < groups)
            order[start[index_key(key, stride, i)]++] = (uint32_t)i;
    /* Each start has become that of the next key; shift them back. */
    memmove(start + 1, start, groups * sizeof *start);
    start[0] = 0;
}

static bool index_is_sorted(const struct nb_topology *topology)
{
    for (size_t c = 1; c < topology->channel_count; c++)
        if (topology->channels[c - 1].source > topology->channels[c].source)
            return false;
    return true;
}

void nb_index_renumber_grid(struct nb_topology *topology, const uint32_t *place)
{
    uint32_t *channel = topology->grid.channel;
    const size_t slots = channel == NULL ? 0
                                         : topology->router_count *
                                               topology->grid.dimensions * 2;
    for (size_t s = 0; s < slots; s++)
        if (channel[s] != NB_NONE)
            channel[s] = place[channel[s]];
}

static bool index_targets_ascend(const struct nb_topology *topology)
{
    const struct nb_channel *channels = topology->channels;
    for (size_t c = 1; c < topology->channel_count; c++)
        if (channels[c - 1].source == channels[c].source &&
            channels[c - 1].target > channels[c].target)
            return false;
    return true;
}

/* Needs the channels by source in in_channel. Stable, so that a kind's order
 * within a router is kept. */
static enum nb_status index_sort(struct nb_topology *topology,
                                 struct nb_error *err)
{
    const size_t count = topology->channel_count;
    struct nb_pool pool = { 0 };
    struct nb_channel *sorted = nb_pool_array(&pool, count, sizeof *sorted);
    uint32_t *place = nb_pool_array(&pool, count, sizeof *place);
    enum nb_status status;
    NB_TRY(nb_pool_check(&pool, "channel order", err));
    for (size_t c = 0; c < count; c++) {
        place[topology->in_channel[c]] = (uint32_t)c;
        sorted[c] = topology->channels[topology->in_channel[c]];
    }
    nb_index_renumber_grid(topology, place);
    memcpy(topology->channels, sorted, count * sizeof *sorted);
done:
    nb_pool_release(&pool);
    return status;
}

void nb_index_drop(struct nb_topology *topology)
{
    nb_delete(topology->out_start);
    nb_delete(topology->in_start);
    nb_delete(topology->in_channel);
    nb_delete(topology->in_source);
    nb_delete(topology->out_target);
    topology->out_start = topology->in_start = NULL;
    topology->in_channel = topology->in_source = topology->out_target = NULL;
}

enum nb_status nb_topology_index(struct nb_topology *topology,
                                 struct nb_error *err)
{
    const size_t routers = topology->router_count;
    const size_t count = topology->channel_count;
    const struct nb_channel *channels = topology->channels;
    const char *what = "channel lists";
    enum nb_status status = NB_OK;
    if (topology->in_channel != NULL)
        return NB_OK;
    NB_TRY(
        nb_new(&topology->out_start, routers + 1, sizeof(uint32_t), what, err));
    NB_TRY(
        nb_new(&topology->in_start, routers + 1, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&topology->in_channel, count, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&topology->in_source, count, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&topology->out_target, count, sizeof(uint32_t), what, err));
    nb_index_by(&channels->source, sizeof *channels, count, routers,
                topology->out_start, topology->in_channel);
    if (!index_is_sorted(topology))
        NB_TRY(index_sort(topology, err));
    topology->targets_ascend = index_targets_ascend(topology);
    nb_index_by(&channels->target, sizeof *channels, count, routers,
                topology->in_start, topology->in_channel);
    for (size_t i = 0; i < count; i++) {
        topology->in_source[i] = channels[topology->in_channel[i]].source;
        topology->out_target[i] = channels[i].target;
    }
done:
    return status;
}
