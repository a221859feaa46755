#include "load/focus.h"

#include "core/memory.h"

#include <string.h>

enum nb_status nb_focus_find(const struct nb_routing *routing,
                             struct nb_focus *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_focus){ 0 };
    NB_TRY(nb_routing_check(routing, err));
    out->topology = routing->topology;
    NB_TRY(nb_symmetry_offered(routing->topology, routing->symmetries,
                               &out->symmetry, err));
    NB_TRY(nb_orbits_of_channels(&out->symmetry, &out->channels, err));
done:
    if (status != NB_OK)
        nb_focus_release(out);
    return status;
}

void nb_focus_release(struct nb_focus *focus)
{
    nb_symmetry_release(&focus->symmetry);
    nb_orbits_release(&focus->channels);
    *focus = (struct nb_focus){ 0 };
}

void nb_focus_map(const struct nb_focus *focus, uint32_t channel,
                  uint32_t *router_map, uint32_t *scratch)
{
    const struct nb_orbits *channels = &focus->channels;
    const size_t n = focus->topology->router_count;
    for (size_t r = 0; r < n; r++)
        router_map[r] = (uint32_t)r;
    /* channel = g1 g2 ... gm focus, met in this order on the way up, so each
     * generator goes in on the right, where it acts first. */
    for (uint32_t c = channel; channels->parent[c] != NB_NONE;
         c = channels->parent[c]) {
        const uint32_t *generator =
            focus->symmetry.router + channels->generator[c] * n;
        memcpy(scratch, router_map, n * sizeof *scratch);
        for (size_t r = 0; r < n; r++)
            router_map[r] = scratch[generator[r]];
    }
}
