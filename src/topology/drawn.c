#include "topology/drawn.h"

#include "core/memory.h"

#include <stdlib.h>

enum nb_status nb_drawn_add(struct nb_drawn *drawn, uint32_t a, uint32_t b,
                            struct nb_error *err)
{
    const enum nb_status status =
        nb_reserve(&drawn->link, &drawn->room, drawn->count + 1,
                   sizeof *drawn->link, "links", err);
    if (status == NB_OK)
        drawn->link[drawn->count++] = (struct nb_drawn_link){ a, b };
    return status;
}

/* The representative of all routers connected with this one. */
static uint32_t drawn_root(uint32_t *parent, uint32_t router)
{
    while (parent[router] != router) {
        parent[router] = parent[parent[router]];
        router = parent[router];
    }
    return router;
}

static bool drawn_is_connected(struct nb_drawn *drawn)
{
    uint32_t parts = drawn->router_count;
    for (uint32_t r = 0; r < drawn->router_count; r++)
        drawn->parent[r] = r;
    for (size_t l = 0; l < drawn->count; l++) {
        const uint32_t a = drawn_root(drawn->parent, drawn->link[l].a);
        const uint32_t b = drawn_root(drawn->parent, drawn->link[l].b);
        parts -= a != b;
        drawn->parent[a] = b;
    }
    return parts == 1;
}

static int drawn_compare(const void *left, const void *right)
{
    const struct nb_channel *a = left, *b = right;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return (a->target > b->target) - (a->target < b->target);
}

static enum nb_status drawn_fill(const struct nb_drawn *drawn,
                                 struct nb_topology *out, struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_topology_reserve(out, drawn->router_count,
                               2 * (double)drawn->count, err));
    for (size_t l = 0; l < drawn->count; l++) {
        out->channels[2 * l].source = drawn->link[l].a;
        out->channels[2 * l].target = drawn->link[l].b;
        out->channels[2 * l + 1].source = drawn->link[l].b;
        out->channels[2 * l + 1].target = drawn->link[l].a;
    }
    qsort(out->channels, out->channel_count, sizeof *out->channels,
          drawn_compare);
done:
    return status;
}

enum nb_status nb_drawn_build(const struct nb_specification *specification,
                              uint32_t routers, nb_drawn_draw *draw,
                              struct nb_topology *out, struct nb_error *err)
{
    const uint64_t seed =
        (uint64_t)nb_specification_whole(specification, "seed");
    struct nb_random random;
    struct nb_drawn drawn = { .router_count = routers, .random = &random };
    bool is_found = false;
    enum nb_status status;
    NB_TRY(nb_new(&drawn.parent, routers, sizeof *drawn.parent, "links", err));
    for (uint64_t t = 0; t < NB_DRAWN_TRIES && !is_found; t++) {
        bool is_whole = true;
        nb_random_init(&random, seed, t);
        drawn.count = 0;
        NB_TRY(draw(specification, &drawn, &is_whole, err));
        is_found = is_whole && drawn_is_connected(&drawn);
    }
    if (!is_found)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "topology %s: none of %d networks drawn is connected "
                       "(permitted: more links)",
                       specification->kind->name, NB_DRAWN_TRIES));
    NB_TRY(drawn_fill(&drawn, out, err));
done:
    nb_delete(drawn.parent);
    nb_delete(drawn.link);
    return status;
}
