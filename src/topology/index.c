#include "topology/index.h"

#include "core/memory.h"
#include "topology/metrics.h"

#include <string.h>

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

/* Counting sort: stable, so a kind's order within a router stands. */
static enum nb_status index_sort(struct nb_topology *topology,
                                 struct nb_error *err)
{
    const size_t count = topology->channel_count;
    struct nb_channel *sorted = NULL;
    uint32_t *place = NULL;
    uint32_t *next = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&sorted, count, sizeof *sorted, "channels", err));
    NB_TRY(nb_new(&place, count, sizeof *place, "channel order", err));
    NB_TRY(nb_new(&next, topology->router_count, sizeof *next, "channel order",
                  err));
    memcpy(next, topology->out_start, topology->router_count * sizeof *next);
    for (size_t c = 0; c < count; c++) {
        place[c] = next[topology->channels[c].source]++;
        sorted[place[c]] = topology->channels[c];
    }
    index_renumber_grid(topology, place);
    nb_delete(topology->channels);
    topology->channels = sorted;
    sorted = NULL;
done:
    nb_delete(sorted);
    nb_delete(place);
    nb_delete(next);
    return status;
}

/* start[r + 1] counts the channels of r; then start[r] is their first. */
static void index_accumulate(uint32_t *start, size_t router_count)
{
    for (size_t r = 0; r < router_count; r++)
        start[r + 1] += start[r];
}

static void index_fill_in(struct nb_topology *topology)
{
    /* in_start[r] serves as the next free place of r, and ends up as the
     * first place of r + 1; one shift puts it right. */
    for (size_t c = 0; c < topology->channel_count; c++) {
        const uint32_t target = topology->channels[c].target;
        topology->in_channel[topology->in_start[target]++] = (uint32_t)c;
    }
    memmove(topology->in_start + 1, topology->in_start,
            topology->router_count * sizeof *topology->in_start);
    topology->in_start[0] = 0;
}

enum nb_status nb_topology_index(struct nb_topology *topology,
                                 struct nb_error *err)
{
    const size_t routers = topology->router_count;
    enum nb_status status = NB_OK;
    if (topology->in_channel != NULL)
        return NB_OK;
    NB_TRY(nb_new(&topology->out_start, routers + 1,
                  sizeof *topology->out_start, "channel lists", err));
    NB_TRY(nb_new(&topology->in_start, routers + 1, sizeof *topology->in_start,
                  "channel lists", err));
    for (size_t c = 0; c < topology->channel_count; c++) {
        topology->out_start[topology->channels[c].source + 1]++;
        topology->in_start[topology->channels[c].target + 1]++;
    }
    index_accumulate(topology->out_start, routers);
    index_accumulate(topology->in_start, routers);
    if (!index_is_sorted(topology))
        NB_TRY(index_sort(topology, err));
    topology->targets_ascend = index_targets_ascend(topology);
    NB_TRY(nb_new(&topology->in_channel, topology->channel_count,
                  sizeof *topology->in_channel, "channel lists", err));
    index_fill_in(topology);
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
