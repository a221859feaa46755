#include "load/vertex_orbits.h"

#include "core/memory.h"
#include "load/focus.h"

double nb_vertex_orbits_bytes(const struct nb_topology *topology)
{
    const double n = (double)topology->router_count;
    return topology->kind->symmetry != NULL ? 4 * n * n : 0;
}

/* Everything the generators reach from one router becomes its orbit; routers
 * enter order as they are reached. */
static void orbits_spread(struct nb_vertex_orbits *orbits, const uint32_t *maps,
                          size_t generators, uint32_t first, size_t *length)
{
    const size_t n = orbits->n;
    size_t next = *length;
    orbits->representative[first] = first;
    orbits->order[(*length)++] = first;
    for (size_t r = 0; r < n && orbits->map != NULL; r++)
        orbits->map[first * n + r] = (uint32_t)r;
    for (; next < *length; next++) {
        const uint32_t from = orbits->order[next];
        for (size_t g = 0; g < generators; g++) {
            const uint32_t *map = maps + g * n;
            const uint32_t to = map[from];
            if (orbits->representative[to] != NB_NONE)
                continue;
            orbits->representative[to] = first;
            orbits->order[(*length)++] = to;
            for (size_t r = 0; r < n; r++)
                orbits->map[to * n + r] = map[orbits->map[from * n + r]];
        }
    }
}

enum nb_status nb_vertex_orbits_find(const struct nb_routing *routing,
                                     unsigned classes,
                                     struct nb_vertex_orbits *out,
                                     struct nb_error *err)
{
    const size_t n = routing->topology->router_count;
    const char *what = "vertex orbits";
    uint32_t *maps = NULL;
    size_t generators, length = 0;
    enum nb_status status = NB_OK;
    *out = (struct nb_vertex_orbits){ .n = n };
    NB_TRY(nb_symmetries_find(routing, classes, &maps, &generators, err));
    NB_TRY(nb_new(&out->representative, n, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&out->order, n, sizeof(uint32_t), what, err));
    if (generators > 0)
        NB_TRY(nb_new(&out->map, n * n, sizeof(uint32_t), what, err));
    for (size_t r = 0; r < n; r++)
        out->representative[r] = NB_NONE;
    for (uint32_t r = 0; r < n; r++)
        if (out->representative[r] == NB_NONE)
            orbits_spread(out, maps, generators, r, &length);
done:
    nb_delete(maps);
    if (status != NB_OK)
        nb_vertex_orbits_release(out);
    return status;
}

void nb_vertex_orbits_release(struct nb_vertex_orbits *orbits)
{
    nb_delete(orbits->representative);
    nb_delete(orbits->order);
    nb_delete(orbits->map);
    *orbits = (struct nb_vertex_orbits){ 0 };
}
