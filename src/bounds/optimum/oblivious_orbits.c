#include "bounds/optimum/oblivious_orbits.h"

#include "core/memory.h"
#include "core/sets.h"
#include "load/pair_loads.h"

void nb_oblivious_orbits_release(struct nb_oblivious_orbits *orbits)
{
    nb_delete(orbits->endpoint);
    nb_delete(orbits->place);
    nb_delete(orbits->pair);
    nb_delete(orbits->crossing);
    nb_delete(orbits->side);
    nb_delete(orbits->channel);
    nb_delete(orbits->pair_size);
    nb_delete(orbits->channel_size);
    *orbits = (struct nb_oblivious_orbits){ 0 };
}

static enum nb_status orbits_reserve(struct nb_oblivious_orbits *orbits,
                                     struct nb_error *err)
{
    const size_t n = orbits->topology->router_count;
    const size_t m = orbits->topology->channel_count;
    const size_t size = sizeof(uint32_t);
    const char *what = "orbits of pairs and channels";
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&orbits->endpoint, n, size, what, err));
    NB_TRY(nb_new(&orbits->place, n, size, what, err));
    orbits->e = nb_endpoints(orbits->topology, orbits->endpoint);
    const size_t e = orbits->e;
    const double crossings = (double)e * (double)e * (double)m;
    NB_TRY(
        nb_memory_require(4 * (crossings + 2.0 * (double)(e * m)), what, err));
    if (crossings >= (double)UINT32_MAX)
        NB_TRY(nb_fail(err, NB_OVERFLOW,
                       "%zu routers with terminals and %zu channels are too "
                       "many (permitted: routers^2 channels < 2^32)",
                       e, m));
    NB_TRY(nb_new(&orbits->pair, e * e, size, what, err));
    NB_TRY(nb_new(&orbits->pair_size, e * e, size, what, err));
    NB_TRY(nb_new(&orbits->crossing, e * e * m, size, what, err));
    NB_TRY(nb_new(&orbits->side, 2 * e * m, size, what, err));
    NB_TRY(nb_new(&orbits->channel, m, size, what, err));
    NB_TRY(nb_new(&orbits->channel_size, m, size, what, err));
done:
    return status;
}

/* Joins every pair, and its crossings, with their images. */
static void orbits_join_pairs(struct nb_oblivious_orbits *orbits,
                              const struct nb_symmetry *symmetry, size_t g)
{
    const size_t e = orbits->e, m = orbits->topology->channel_count;
    const uint32_t *map = symmetry->channel + g * m;
    for (size_t i = 0; i < e; i++) {
        for (size_t j = 0; j < e; j++) {
            uint32_t source = orbits->endpoint[i];
            uint32_t target = orbits->endpoint[j];
            nb_symmetry_pair(symmetry, g, &source, &target);
            const size_t from = i * e + j;
            const size_t to = orbits->place[source] * e + orbits->place[target];
            nb_sets_join(orbits->pair, (uint32_t)from, (uint32_t)to);
            for (size_t c = 0; c < m && i != j; c++)
                nb_sets_join(orbits->crossing, (uint32_t)(from * m + c),
                             (uint32_t)(to * m + map[c]));
        }
    }
}

/* Joins every channel, and its sides, with their images: a reversal makes
 * rows of columns. */
static void orbits_join_sides(struct nb_oblivious_orbits *orbits,
                              const struct nb_symmetry *symmetry, size_t g)
{
    const size_t e = orbits->e, m = orbits->topology->channel_count;
    const uint32_t *map = symmetry->channel + g * m;
    const uint32_t *router = symmetry->router + g * symmetry->router_count;
    const size_t turn = symmetry->is_reversal[g] ? e : 0;
    for (size_t c = 0; c < m; c++) {
        nb_sets_join(orbits->channel, (uint32_t)c, map[c]);
        for (size_t i = 0; i < e; i++) {
            const size_t to = orbits->place[router[orbits->endpoint[i]]];
            const size_t from = c * 2 * e, image = map[c] * 2 * e;
            nb_sets_join(orbits->side, (uint32_t)(from + i),
                         (uint32_t)(image + turn + to));
            nb_sets_join(orbits->side, (uint32_t)(from + e + i),
                         (uint32_t)(image + e - turn + to));
        }
    }
}

/* Every number gets the name of its set. */
static void orbits_name(uint32_t *set, size_t count)
{
    for (uint32_t i = 0; i < count; i++)
        set[i] = nb_sets_find(set, i);
}

enum nb_status nb_oblivious_orbits_find(const struct nb_topology *topology,
                                        const struct nb_symmetry *symmetry,
                                        struct nb_oblivious_orbits *out,
                                        struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_oblivious_orbits){ .topology = topology };
    NB_TRY(orbits_reserve(out, err));
    const size_t e = out->e, m = topology->channel_count;
    for (size_t r = 0; r < topology->router_count; r++) {
        out->place[r] = NB_NONE;
        out->terminal_count += topology->terminals[r];
    }
    for (uint32_t i = 0; i < e; i++)
        out->place[out->endpoint[i]] = i;
    nb_sets_init(out->pair, e * e);
    nb_sets_init(out->crossing, e * e * m);
    nb_sets_init(out->side, 2 * e * m);
    nb_sets_init(out->channel, m);
    for (size_t g = 0; g < symmetry->generator_count; g++) {
        orbits_join_pairs(out, symmetry, g);
        orbits_join_sides(out, symmetry, g);
    }
    orbits_name(out->pair, e * e);
    orbits_name(out->crossing, e * e * m);
    orbits_name(out->side, 2 * e * m);
    orbits_name(out->channel, m);
    for (size_t p = 0; p < e * e; p++)
        out->pair_size[out->pair[p]]++;
    for (size_t c = 0; c < m; c++)
        out->channel_size[out->channel[c]]++;
done:
    if (status != NB_OK)
        nb_oblivious_orbits_release(out);
    return status;
}
