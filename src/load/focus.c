#include "load/focus.h"

#include "core/memory.h"

#include <string.h>

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
