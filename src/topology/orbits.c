#include "topology/orbits.h"

#include "core/memory.h"

enum nb_status nb_orbits_find(size_t size, size_t generator_count,
                              nb_orbit_image *image, const void *context,
                              struct nb_orbits *out, struct nb_error *err)
{
    size_t reached = 0;
    *out = (struct nb_orbits){ .size = size };
    struct nb_pool *pool = &out->pool;
    out->of = nb_pool_array(pool, size, sizeof *out->of);
    out->first = nb_pool_array(pool, size, sizeof *out->first);
    out->length = nb_pool_array(pool, size, sizeof *out->length);
    out->start = nb_pool_array(pool, size, sizeof *out->start);
    out->order = nb_pool_array(pool, size, sizeof *out->order);
    out->parent = nb_pool_array(pool, size, sizeof *out->parent);
    out->generator = nb_pool_array(pool, size, sizeof *out->generator);
    const enum nb_status status = nb_pool_check(pool, "orbits", err);
    if (status != NB_OK) {
        nb_orbits_release(out);
        return status;
    }
    for (size_t i = 0; i < size; i++)
        out->of[i] = out->parent[i] = NB_NONE;
    for (uint32_t least = 0; least < size; least++) {
        if (out->of[least] != NB_NONE)
            continue;
        const uint32_t orbit = (uint32_t)out->count++;
        size_t next = reached;
        out->first[orbit] = least;
        out->start[orbit] = (uint32_t)reached;
        out->of[least] = orbit;
        out->order[reached++] = least;
        for (; next < reached; next++) {
            const uint32_t from = out->order[next];
            for (size_t g = 0; g < generator_count; g++) {
                const uint32_t to = image(context, g, from);
                if (out->of[to] != NB_NONE)
                    continue;
                out->of[to] = orbit;
                out->parent[to] = from;
                out->generator[to] = (uint32_t)g;
                out->order[reached++] = to;
            }
            out->length[orbit]++;
        }
    }
    return NB_OK;
}

static uint32_t orbits_router(const void *context, size_t generator,
                              uint32_t router)
{
    const struct nb_symmetry *symmetry = context;
    return symmetry->router[generator * symmetry->router_count + router];
}

static uint32_t orbits_channel(const void *context, size_t generator,
                               uint32_t channel)
{
    const struct nb_symmetry *symmetry = context;
    return symmetry->channel[generator * symmetry->channel_count + channel];
}

enum nb_status nb_orbits_of_routers(const struct nb_symmetry *symmetry,
                                    struct nb_orbits *out, struct nb_error *err)
{
    return nb_orbits_find(symmetry->router_count, symmetry->generator_count,
                          orbits_router, symmetry, out, err);
}

enum nb_status nb_orbits_of_channels(const struct nb_symmetry *symmetry,
                                     struct nb_orbits *out,
                                     struct nb_error *err)
{
    return nb_orbits_find(symmetry->channel_count, symmetry->generator_count,
                          orbits_channel, symmetry, out, err);
}

void nb_orbits_release(struct nb_orbits *orbits)
{
    nb_pool_release(&orbits->pool);
    *orbits = (struct nb_orbits){ 0 };
}
