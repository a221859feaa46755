#include "topology/index.h"

#include "core/memory.h"
#include "topology/metrics.h"

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
    /* Each start has become the next one's. */
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

static void index_renumber_grid(struct nb_topology *topology,
                                const uint32_t *place)
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
 * within a router stands. */
static enum nb_status index_sort(struct nb_topology *topology,
                                 struct nb_error *err)
{
    const size_t count = topology->channel_count;
    struct nb_channel *sorted;
    uint32_t *place;
    const struct nb_array arrays[] = {
        NB_ARRAY(sorted, count),
        NB_ARRAY(place, count),
        { 0 },
    };
    const enum nb_status status = nb_new_arrays(arrays, "channel order", err);
    if (status != NB_OK)
        return status;
    for (size_t c = 0; c < count; c++) {
        place[topology->in_channel[c]] = (uint32_t)c;
        sorted[c] = topology->channels[topology->in_channel[c]];
    }
    index_renumber_grid(topology, place);
    memcpy(topology->channels, sorted, count * sizeof *sorted);
    nb_delete(sorted);
    return NB_OK;
}

enum nb_status nb_topology_index(struct nb_topology *topology,
                                 struct nb_error *err)
{
    const size_t routers = topology->router_count;
    const size_t count = topology->channel_count;
    const struct nb_channel *channels = topology->channels;
    const struct nb_array arrays[] = {
        NB_ARRAY(topology->out_start, routers + 1),
        NB_ARRAY(topology->in_start, routers + 1),
        NB_ARRAY(topology->in_channel, count),
        { 0 },
    };
    enum nb_status status = NB_OK;
    if (topology->in_channel != NULL)
        return NB_OK;
    NB_TRY(nb_new_arrays(arrays, "channel lists", err));
    nb_index_by(&channels->source, sizeof *channels, count, routers,
                topology->out_start, topology->in_channel);
    if (!index_is_sorted(topology))
        NB_TRY(index_sort(topology, err));
    topology->targets_ascend = index_targets_ascend(topology);
    nb_index_by(&channels->target, sizeof *channels, count, routers,
                topology->in_start, topology->in_channel);
done:
    return status;
}

/* Marks the routers that can be reached from router 0. */
static void index_flood(const struct nb_topology *topology, bool *is_reached,
                        uint32_t *queue)
{
    size_t head = 0, tail = 0;
    queue[tail++] = 0;
    is_reached[0] = true;
    while (head < tail) {
        const uint32_t router = queue[head++];
        for (uint32_t c = topology->out_start[router];
             c < topology->out_start[router + 1]; c++) {
            const uint32_t target = topology->channels[c].target;
            if (!is_reached[target]) {
                is_reached[target] = true;
                queue[tail++] = target;
            }
        }
    }
}

enum nb_status nb_topology_find_unreached(const struct nb_topology *topology,
                                          uint32_t *from, uint32_t *to,
                                          struct nb_error *err)
{
    const size_t routers = topology->router_count;
    bool *is_reached;
    uint32_t *queue, *distance;
    *from = *to = NB_NONE;
    const struct nb_array arrays[] = {
        NB_ARRAY(is_reached, routers),
        NB_ARRAY(queue, routers),
        NB_ARRAY(distance, routers),
        { 0 },
    };
    const enum nb_status status = nb_new_arrays(arrays, "search", err);
    if (status != NB_OK)
        return status;
    index_flood(topology, is_reached, queue);
    nb_distances_to(topology, 0, distance, queue);
    for (size_t r = 0; r < routers && *from == NB_NONE; r++) {
        if (!is_reached[r]) {
            *from = 0;
            *to = (uint32_t)r;
        } else if (distance[r] == NB_NONE) {
            *from = (uint32_t)r;
            *to = 0;
        }
    }
    nb_delete(is_reached);
    return NB_OK;
}
