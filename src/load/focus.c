#include "load/focus.h"

#include "core/memory.h"

#include <string.h>

/* The first of a router's channels that leads to a target or, where they come
 * by target, beyond; out_start[router + 1] if there is none. */
static uint32_t focus_find_target(const struct nb_topology *topology,
                                  uint32_t router, uint32_t target)
{
    uint32_t low = topology->out_start[router];
    uint32_t end = topology->out_start[router + 1];
    while (topology->targets_ascend && low < end) {
        const uint32_t middle = low + (end - low) / 2;
        if (topology->channels[middle].target < target)
            low = middle + 1;
        else
            end = middle;
    }
    while (low < end && topology->channels[low].target != target)
        low++;
    return low;
}

uint32_t nb_channel_image(const struct nb_topology *topology,
                          const uint32_t *map, uint32_t channel)
{
    const struct nb_channel *from = &topology->channels[channel];
    const uint32_t source = map[from->source], target = map[from->target];
    uint32_t rank = 0;
    for (uint32_t c = focus_find_target(topology, from->source, from->target);
         c < channel; c++)
        rank += topology->channels[c].target == from->target;
    for (uint32_t c = focus_find_target(topology, source, target);
         c < topology->out_start[source + 1]; c++) {
        const struct nb_channel *to = &topology->channels[c];
        if (to->target != target || rank-- > 0)
            continue;
        const bool is_alike =
            nb_ratio_compare(to->bandwidth, from->bandwidth) == 0;
        return is_alike ? c : NB_NONE;
    }
    return NB_NONE;
}

static bool focus_is_kept(const struct nb_topology *topology,
                          const uint32_t *map)
{
    for (size_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] != topology->terminals[map[r]])
            return false;
    for (uint32_t c = 0; c < topology->channel_count; c++)
        if (nb_channel_image(topology, map, c) == NB_NONE)
            return false;
    return true;
}

enum nb_status nb_symmetries_find(const struct nb_routing *routing,
                                  unsigned classes, uint32_t **maps,
                                  size_t *count, struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    const size_t n = topology->router_count;
    uint32_t *map = NULL;
    unsigned class;
    enum nb_status status = NB_OK;
    *maps = NULL;
    *count = 0;
    if (topology->kind->symmetry == NULL)
        return NB_OK;
    NB_TRY(nb_new(&map, n, sizeof *map, "symmetry", err));
    for (size_t i = 0;
         (class = topology->kind->symmetry(topology, i, map)) != 0; i++) {
        if ((class & classes & routing->symmetries) == 0 ||
            !focus_is_kept(topology, map))
            continue;
        NB_TRY(nb_grow(maps, (*count + 1) * n, sizeof **maps, "symmetry", err));
        memcpy(*maps + *count * n, map, n * sizeof *map);
        ++*count;
    }
done:
    nb_delete(map);
    if (status != NB_OK) {
        nb_delete(*maps);
        *maps = NULL;
    }
    return status;
}

/* Everything the generators reach from one channel becomes its orbit. */
static void focus_spread(struct nb_focus *focus, uint32_t first,
                         uint32_t *queue)
{
    const size_t n = focus->topology->router_count;
    const uint32_t index = (uint32_t)focus->focus_count++;
    uint32_t length = 0;
    focus->focus[index] = first;
    focus->orbit[first] = index;
    queue[length++] = first;
    for (uint32_t i = 0; i < length; i++) {
        for (size_t g = 0; g < focus->generator_count; g++) {
            const uint32_t image = nb_channel_image(
                focus->topology, focus->maps + g * n, queue[i]);
            if (focus->orbit[image] != NB_NONE)
                continue;
            focus->orbit[image] = index;
            focus->parent[image] = queue[i];
            focus->generator[image] = (uint32_t)g;
            queue[length++] = image;
        }
    }
    focus->orbit_size[index] = length;
}

enum nb_status nb_focus_find(const struct nb_routing *routing,
                             struct nb_focus *out, struct nb_error *err)
{
    const char *what = "focus channels";
    uint32_t *queue = NULL;
    enum nb_status status = NB_OK;
    *out = (struct nb_focus){ 0 };
    NB_TRY(nb_routing_check(routing, err));
    const struct nb_topology *topology = routing->topology;
    const size_t channels = topology->channel_count;
    out->topology = topology;
    NB_TRY(nb_new(&queue, channels, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&out->focus, channels, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&out->orbit_size, channels, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&out->orbit, channels, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&out->parent, channels, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&out->generator, channels, sizeof(uint32_t), what, err));
    NB_TRY(nb_symmetries_find(routing, NB_ANY_SYMMETRY, &out->maps,
                              &out->generator_count, err));
    for (size_t c = 0; c < channels; c++)
        out->orbit[c] = out->parent[c] = NB_NONE;
    for (uint32_t c = 0; c < channels; c++)
        if (out->orbit[c] == NB_NONE)
            focus_spread(out, c, queue);
done:
    nb_delete(queue);
    if (status != NB_OK)
        nb_focus_release(out);
    return status;
}

void nb_focus_release(struct nb_focus *focus)
{
    nb_delete(focus->focus);
    nb_delete(focus->orbit_size);
    nb_delete(focus->orbit);
    nb_delete(focus->parent);
    nb_delete(focus->generator);
    nb_delete(focus->maps);
    *focus = (struct nb_focus){ 0 };
}

void nb_focus_map(const struct nb_focus *focus, uint32_t channel,
                  uint32_t *router_map, uint32_t *scratch)
{
    const size_t n = focus->topology->router_count;
    for (size_t r = 0; r < n; r++)
        router_map[r] = (uint32_t)r;
    /* channel = g1 g2 ... gm focus, met in this order on the way up, so each
     * generator goes in on the right, where it acts first. */
    for (uint32_t c = channel; focus->parent[c] != NB_NONE;
         c = focus->parent[c]) {
        const uint32_t *generator = focus->maps + focus->generator[c] * n;
        memcpy(scratch, router_map, n * sizeof *scratch);
        for (size_t r = 0; r < n; r++)
            router_map[r] = scratch[generator[r]];
    }
}
