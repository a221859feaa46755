#include "load/focus.h"

#include "core/memory.h"
#include "core/try.h"

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
    /* channel = g1 g2 ... gm focus. The path up meets g1 first, so each
     * generator is composed on the right, where it acts first. */
    for (uint32_t c = channel; channels->parent[c] != NB_NONE;
         c = channels->parent[c]) {
        const uint32_t *generator =
            focus->symmetry.router + channels->generator[c] * n;
        memcpy(scratch, router_map, n * sizeof *scratch);
        for (size_t r = 0; r < n; r++)
            router_map[r] = scratch[generator[r]];
    }
}

/* A walk down the tree of an orbit. Members are numbered by their place in its
 * order, in which the children of a member are consecutive, followed by those
 * of the next. */
struct focus_walk {
    const struct nb_focus *focus;
    const uint32_t *member; /* [length] channels */
    uint32_t *child;        /* [length + 1] the first child of each */
    uint32_t *depth;        /* [length] */
    uint32_t *map;          /* [depth][router] */
    nb_focus_visit *visit;
    void *context;
};

/* Returns the depth of the tree; 1: only the root. */
static uint32_t focus_find_children(struct focus_walk *walk, uint32_t length)
{
    const uint32_t *parent = walk->focus->channels.parent;
    uint32_t next = 1, deepest = 0;
    for (uint32_t p = 0; p < length; p++) {
        walk->child[p] = next;
        while (next < length && parent[walk->member[next]] == walk->member[p])
            walk->depth[next++] = walk->depth[p] + 1;
        deepest = walk->depth[p] > deepest ? walk->depth[p] : deepest;
    }
    walk->child[length] = next;
    return deepest + 1;
}

/* The map at the member's depth is its own. */
static enum nb_status focus_descend(struct focus_walk *walk, uint32_t place,
                                    struct nb_error *err)
{
    const struct nb_focus *focus = walk->focus;
    const size_t n = focus->topology->router_count;
    const uint32_t *map = walk->map + walk->depth[place] * n;
    enum nb_status status;
    NB_TRY(walk->visit(walk->context, walk->member[place], map, err));
    for (uint32_t p = walk->child[place]; p < walk->child[place + 1]; p++) {
        const uint32_t *generator =
            focus->symmetry.router +
            focus->channels.generator[walk->member[p]] * n;
        uint32_t *next = walk->map + walk->depth[p] * n;
        for (size_t r = 0; r < n; r++)
            next[r] = generator[map[r]];
        NB_TRY(focus_descend(walk, p, err));
    }
done:
    return status;
}

enum nb_status nb_focus_walk(const struct nb_focus *focus, size_t orbit,
                             nb_focus_visit *visit, void *context,
                             struct nb_error *err)
{
    const struct nb_orbits *channels = &focus->channels;
    const size_t n = focus->topology->router_count;
    const uint32_t length = channels->length[orbit];
    const char *what = "symmetry of channels";
    struct nb_pool pool = { 0 };
    struct focus_walk walk = { .focus = focus,
                               .visit = visit,
                               .context = context };
    enum nb_status status;
    walk.member = channels->order + channels->start[orbit];
    walk.child = nb_pool_array(&pool, length + 1, sizeof *walk.child);
    walk.depth = nb_pool_array(&pool, length, sizeof *walk.depth);
    NB_TRY(nb_pool_check(&pool, what, err));
    walk.map = nb_pool_array(&pool, focus_find_children(&walk, length) * n,
                             sizeof *walk.map);
    NB_TRY(nb_pool_check(&pool, what, err));
    for (uint32_t r = 0; r < n; r++)
        walk.map[r] = r;
    NB_TRY(focus_descend(&walk, 0, err));
done:
    nb_pool_release(&pool);
    return status;
}
