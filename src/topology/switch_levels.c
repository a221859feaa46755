#include "topology/switch_levels.h"

#include "core/memory.h"
#include "topology/search.h"

#include <string.h>

enum { SWITCH_SWEEPS = 4 };

struct switch_work {
    const struct nb_topology *topology;
    const uint64_t *hosts;
    uint32_t *level; /* [router] the best found; NB_NONE: no switch */
    uint32_t *tried; /* [router] */
    uint32_t *seed;  /* [router] distance from the certain leaves; NB_NONE: not
                      * reached */
    bool *resembles; /* [router] a certain leaf, by its neighbours */
    uint32_t *queue; /* [router] */
    uint32_t *distance; /* [router] of a search: tried or seed */
    /* [router] the last switch, + 1: whose neighbour it was; for which it was
     * found to be a neighbour of similar leaves; that was compared with it. */
    uint32_t *mark, *united, *asked;
    uint32_t *count; /* [router + 1] scratch: cables by level */
    struct nb_pool pool;
};

static enum nb_status switch_init(struct switch_work *work,
                                  struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    struct nb_pool *pool = &work->pool;
    work->tried = nb_pool_array(pool, n, sizeof *work->tried);
    work->seed = nb_pool_array(pool, n, sizeof *work->seed);
    work->resembles = nb_pool_array(pool, n, sizeof *work->resembles);
    work->queue = nb_pool_array(pool, n, sizeof *work->queue);
    work->mark = nb_pool_array(pool, n, sizeof *work->mark);
    work->united = nb_pool_array(pool, n, sizeof *work->united);
    work->asked = nb_pool_array(pool, n, sizeof *work->asked);
    work->count = nb_pool_array(pool, n + 1, sizeof *work->count);
    return nb_pool_check(pool, "levels", err);
}

static bool switch_is(const struct switch_work *work, uint32_t router)
{
    return work->level[router] != NB_NONE;
}

static bool switch_visit(void *context, uint32_t channel, uint32_t near,
                         uint32_t router)
{
    const struct switch_work *work = context;
    return switch_is(work, router) &&
           nb_search_distance(work->distance, channel, near, router);
}

/* Distances between switches, from those in the queue, which have 0. Others
 * must have NB_NONE. Returns the greatest. */
static uint32_t switch_spread(struct switch_work *work, size_t count,
                              uint32_t *distance)
{
    work->distance = distance;
    count =
        nb_search_along(work->topology, work->queue, count, switch_visit, work);
    return count > 0 ? distance[work->queue[count - 1]] : 0;
}

/* Finds the certain leaves and the distances from them; returns the greatest.
 */
static uint32_t switch_find_seeds(struct switch_work *work)
{
    const size_t n = work->topology->router_count;
    uint64_t most = 1;
    size_t tail = 0;
    for (size_t r = 0; r < n; r++)
        most = work->hosts[r] > most ? work->hosts[r] : most;
    for (uint32_t r = 0; r < n; r++) {
        work->seed[r] = NB_NONE;
        if (switch_is(work, r) && 2 * work->hosts[r] > most) {
            work->seed[r] = 0;
            work->queue[tail++] = r;
        }
    }
    return switch_spread(work, tail, work->seed);
}

/* Whether more than half of a switch's cables lead to neighbours of another
 * one. */
static bool switch_shares(struct switch_work *work, uint32_t router,
                          uint32_t other)
{
    const struct nb_topology *topology = work->topology;
    size_t cables = 0, common = 0;
    for (uint32_t c = topology->out_start[other];
         c < topology->out_start[other + 1]; c++)
        work->mark[topology->out_target[c]] = other + 1;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        const uint32_t to = topology->out_target[c];
        cables += switch_is(work, to);
        common += switch_is(work, to) && work->mark[to] == other + 1;
    }
    return 2 * common > cables;
}

/* Marks the neighbours of a leaf with hosts if a switch shares them. */
static void switch_unite(struct switch_work *work, uint32_t router,
                         uint32_t other)
{
    const struct nb_topology *topology = work->topology;
    if (other == router || work->asked[other] == router + 1)
        return;
    work->asked[other] = router + 1;
    if (!switch_shares(work, router, other))
        return;
    for (uint32_t c = topology->out_start[other];
         c < topology->out_start[other + 1]; c++)
        work->united[topology->out_target[c]] = router + 1;
}

/*
 * Whether a switch resembles leaves that have hosts, in level 0: all of its
 * neighbours are neighbours of leaves with which it shares more than half of
 * its cables. Spines and cores do not, since they join several pods.
 */
static bool switch_resembles_leaf(struct switch_work *work, uint32_t router,
                                  const uint32_t *level)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t first = topology->out_start[router];
    const uint32_t end = topology->out_start[router + 1];
    bool is_like = false;
    memset(work->asked, 0, topology->router_count * sizeof *work->asked);
    memset(work->united, 0, topology->router_count * sizeof *work->united);
    for (uint32_t c = first; c < end; c++) {
        const uint32_t near = topology->out_target[c];
        for (uint32_t d = topology->out_start[near];
             d < topology->out_start[near + 1] && switch_is(work, near); d++) {
            const uint32_t other = topology->out_target[d];
            if (switch_is(work, other) && level[other] == 0 &&
                work->hosts[other] > 0)
                switch_unite(work, router, other);
        }
    }
    for (uint32_t c = first; c < end; c++) {
        const uint32_t to = topology->out_target[c];
        if (switch_is(work, to) && work->united[to] != router + 1)
            return false;
        is_like = is_like || switch_is(work, to);
    }
    return is_like;
}

/* Puts the roots of a depth into the queue: those without hosts, or all if each
 * has some. Returns their number. */
static size_t switch_find_roots(struct switch_work *work, uint32_t depth)
{
    const size_t n = work->topology->router_count;
    size_t tail = 0;
    for (int has_hosts = 0; has_hosts < 2 && tail == 0; has_hosts++)
        for (uint32_t r = 0; r < n; r++)
            if (switch_is(work, r) && work->seed[r] == depth &&
                !work->resembles[r] && (work->hosts[r] > 0) == has_hosts)
                work->queue[tail++] = r;
    return tail;
}

/* Sets levels for a depth; false: it has no roots. */
static bool switch_try(struct switch_work *work, uint32_t depth)
{
    const size_t n = work->topology->router_count;
    const size_t roots = switch_find_roots(work, depth);
    uint32_t *tried = work->tried;
    for (uint32_t r = 0; r < n; r++)
        tried[r] = NB_NONE;
    for (size_t i = 0; i < roots; i++)
        tried[work->queue[i]] = 0;
    switch_spread(work, roots, tried);
    for (uint32_t r = 0; r < n; r++)
        if (switch_is(work, r))
            tried[r] = tried[r] < depth ? depth - tried[r] : 0;
    return roots > 0;
}

/* Cables of a switch that do not lead to the next level, if it is in this one;
 * uses count. */
static uint32_t switch_across(const struct switch_work *work, uint32_t level,
                              uint32_t cables)
{
    return cables - (level > 0 ? work->count[level - 1] : 0) -
           work->count[level + 1];
}

/* Moves a switch to the level that suits most of its cables; whether it
 * moved. */
static bool switch_move(struct switch_work *work, uint32_t router,
                        uint32_t depth)
{
    const struct nb_topology *topology = work->topology;
    uint32_t *tried = work->tried, cables = 0;
    memset(work->count, 0, (depth + 2) * sizeof *work->count);
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        const uint32_t to = topology->out_target[c];
        if (!switch_is(work, to))
            continue;
        work->count[tried[to]]++;
        cables++;
    }
    uint32_t best = tried[router];
    uint32_t least = switch_across(work, best, cables);
    for (uint32_t l = 0; l <= depth && least > 0; l++)
        if (switch_across(work, l, cables) < least) {
            least = switch_across(work, l, cables);
            best = l;
        }
    const bool has_moved = best != tried[router];
    tried[router] = best;
    return has_moved;
}

static void switch_refine(struct switch_work *work, uint32_t depth)
{
    bool is_any = true;
    for (int sweep = 0; sweep < SWITCH_SWEEPS && is_any; sweep++) {
        is_any = false;
        for (uint32_t r = 0; r < work->topology->router_count; r++)
            if (switch_is(work, r))
                is_any = switch_move(work, r, depth) || is_any;
    }
}

/* Contradictions of the levels tried. */
static uint64_t switch_cost(struct switch_work *work)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t *tried = work->tried;
    uint64_t cost = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        if (!switch_is(work, r))
            continue;
        uint64_t cables = 0, across = 0;
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++) {
            const uint32_t to = topology->out_target[c];
            if (!switch_is(work, to))
                continue;
            cables++;
            across += tried[r] + 1 != tried[to] && tried[to] + 1 != tried[r];
        }
        const bool is_bare = tried[r] == 0 && work->hosts[r] == 0 &&
                             !switch_resembles_leaf(work, r, tried);
        cost += is_bare ? cables : across;
        cost += tried[r] > 0 ? work->hosts[r] : 0;
    }
    return cost;
}

/* Their number. */
static uint32_t switch_count(const struct nb_topology *topology,
                             const uint32_t *level)
{
    uint32_t levels = 0;
    for (size_t r = 0; r < topology->router_count; r++)
        if (level[r] != NB_NONE && level[r] >= levels)
            levels = level[r] + 1;
    return levels;
}

enum nb_status nb_switch_levels_find(const struct nb_topology *topology,
                                     const uint64_t *hosts, uint32_t *level,
                                     uint32_t *levels, struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct switch_work work = { .topology = topology,
                                .hosts = hosts,
                                .level = level };
    uint64_t least = UINT64_MAX;
    uint32_t best = 0;
    enum nb_status status;
    if (topology->level != NULL) {
        for (uint32_t r = 0; r < n; r++)
            if (level[r] != NB_NONE)
                level[r] = topology->level[r];
        *levels = switch_count(topology, level);
        return NB_OK;
    }
    NB_TRY(switch_init(&work, err));
    const uint32_t farthest = switch_find_seeds(&work);
    /* Switches with hosts that are not next to a certain leaf are leaves, too,
     * as far as is known. */
    for (uint32_t r = 0; r < n; r++)
        work.tried[r] = work.seed[r] == 1;
    for (uint32_t r = 0; r < n; r++)
        work.resembles[r] = switch_is(&work, r) && work.seed[r] > 0 &&
                            switch_resembles_leaf(&work, r, work.tried);
    uint32_t *found = nb_pool_array(&work.pool, n, sizeof *found);
    NB_TRY(nb_pool_check(&work.pool, "levels", err));
    for (uint32_t depth = 1; depth <= farthest; depth++) {
        if (!switch_try(&work, depth))
            continue;
        switch_refine(&work, depth);
        const uint64_t cost = switch_cost(&work);
        if (cost >= least)
            continue;
        least = cost;
        best = depth;
        memcpy(found, work.tried, n * sizeof *found);
    }
    for (uint32_t r = 0; r < n && best > 0; r++)
        level[r] = found[r];
    *levels = switch_count(topology, level);
done:
    nb_pool_release(&work.pool);
    return status;
}
