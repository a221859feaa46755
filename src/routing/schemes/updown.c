/*
 * updown: Up*Down* on any network of links. A spanning tree ranks the routers,
 * channels to a lesser rank lead up, and no path goes up after going down, so
 * that packets do not wait for each other in a cycle. With root=auto several
 * roots are tried, while that takes little time, and the one with the least
 * load is kept when all terminals send to all.
 * Source: [SchroederEtAl1991].
 */
#include "core/memory.h"
#include "routing/next_hops.h"
#include "routing/parameters.h"
#include "routing/tree_order.h"
#include "topology/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The state of finding next hops that depend only on the router. */
struct updown_work {
    const struct nb_topology *topology;
    const struct nb_tree_order *order;
    const struct nb_turns *turns;
    struct nb_pool pool;
    uint32_t *next;      /* [destination * router_count + router]; owned */
    uint32_t *ascending; /* [router] by rank */
    uint32_t *down;      /* [router] hops over channels down; NB_NONE: none */
    size_t *first;       /* [hops + 1] scratch */
};

/* What has been built with the least load so far. */
struct updown_best {
    struct nb_routing *out;
    const struct nb_routing *empty; /* before anything was built */
    double most;                    /* the greatest load */
    uint32_t root;
};

static int updown_compare(const void *left, const void *right, void *context)
{
    const uint64_t *rank = context;
    const uint64_t a = rank[*(const uint32_t *)left];
    const uint64_t b = rank[*(const uint32_t *)right];
    return (a > b) - (a < b);
}

static enum nb_status updown_init(struct updown_work *work,
                                  struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    struct nb_pool *pool = &work->pool;
    enum nb_status status;
    work->ascending = nb_pool_array(pool, n, sizeof *work->ascending);
    work->down = nb_pool_array(pool, n, sizeof *work->down);
    work->first = nb_pool_array(pool, n + 2, sizeof *work->first);
    NB_TRY(nb_pool_check(pool, "next hops", err));
    NB_TRY(nb_table_ways_new(work->topology, &work->next, err));
    for (uint32_t r = 0; r < n; r++)
        work->ascending[r] = r;
    qsort_r(work->ascending, n, sizeof *work->ascending, updown_compare,
            work->order->rank);
done:
    return status;
}

/* Whether packets at a router may take a channel: down if a path down leads to
 * the destination, else up. */
static bool updown_permits(const void *context, uint32_t channel)
{
    const struct updown_work *work = context;
    const struct nb_channel *c = &work->topology->channels[channel];
    if (!work->turns->is_usable[channel])
        return false;
    return work->down[c->source] != NB_NONE
               ? !nb_is_up(work->order, c) && work->down[c->target] != NB_NONE
               : nb_is_up(work->order, c);
}

static bool updown_visit(void *context, uint32_t channel, uint32_t near,
                         uint32_t router)
{
    const struct updown_work *work = context;
    return work->turns->is_usable[channel] &&
           !nb_is_up(work->order, &work->topology->channels[channel]) &&
           nb_search_distance(work->down, channel, near, router);
}

/* Finds the hops down. */
static void updown_find_down(struct updown_work *work, uint32_t destination,
                             uint32_t *queue)
{
    for (size_t r = 0; r < work->topology->router_count; r++)
        work->down[r] = r == destination ? 0 : NB_NONE;
    queue[0] = destination;
    nb_search_against(work->topology, queue, 1, updown_visit, work);
}

/* Lists routers by their hops, those without a path last. */
static void updown_list(struct updown_work *work, const uint32_t *hops,
                        uint32_t *queue)
{
    const size_t n = work->topology->router_count;
    memset(work->first, 0, (n + 2) * sizeof *work->first);
    for (size_t r = 0; r < n; r++)
        work->first[(hops[r] < n ? hops[r] : n) + 1]++;
    for (size_t h = 1; h <= n; h++)
        work->first[h] += work->first[h - 1];
    for (uint32_t r = 0; r < n; r++)
        queue[work->first[hops[r] < n ? hops[r] : n]++] = r;
}

/* Finds the hops of every router: down; then those of routers without a path
 * down, which go to lesser ranks. */
static void updown_find_hops(void *context, uint32_t destination,
                             uint32_t *hops, uint32_t *queue)
{
    struct updown_work *work = context;
    const struct nb_topology *topology = work->topology;
    updown_find_down(work, destination, queue);
    for (size_t i = 0; i < topology->router_count; i++) {
        const uint32_t r = work->ascending[i];
        hops[r] = work->down[r];
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1] && work->down[r] == NB_NONE; c++) {
            const uint32_t on = hops[topology->channels[c].target];
            if (updown_permits(work, c) && on != NB_NONE && on + 1 < hops[r])
                hops[r] = on + 1;
        }
    }
    updown_list(work, hops, queue);
}

/* Errors: NB_INVALID if a router has no path. */
static enum nb_status updown_require_paths(struct updown_work *work,
                                           struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t r = 0; r < n && topology->terminals[d] > 0; r++)
            if (r != d && topology->terminals[r] > 0 &&
                work->next[d * n + r] == NB_NONE)
                return nb_turn_ways_refuse(topology, r, d, err);
    return NB_OK;
}

static enum nb_status updown_build_hops(struct nb_routing *out,
                                        const struct nb_tree_order *order,
                                        const struct nb_turns *turns,
                                        unsigned sweeps, double *most,
                                        struct nb_error *err)
{
    struct updown_work work = { .topology = out->topology,
                                .order = order,
                                .turns = turns };
    const struct nb_hop_rule rule = { updown_find_hops, updown_permits, &work };
    enum nb_status status;
    NB_TRY(updown_init(&work, err));
    NB_TRY(nb_next_hops_by_load(out->topology, &rule, sweeps, work.next, most,
                                err));
    NB_TRY(updown_require_paths(&work, err));
    NB_TRY(nb_table_ways_build(out, work.next, NULL, err));
done:
    nb_delete(work.next);
    nb_pool_release(&work.pool);
    return status;
}

static bool updown_is_by_router(const struct nb_routing *routing)
{
    return nb_specification_is(&routing->specification, "tables", "router");
}

/* Builds the scheme over a tree. most: out, the greatest load */
static enum nb_status updown_build_over(struct nb_routing *out,
                                        const struct nb_tree_order *order,
                                        unsigned sweeps, double *most,
                                        struct nb_error *err)
{
    const bool tree_alone =
        nb_specification_is(&out->specification, "links", "tree");
    struct nb_turns turns = { 0 };
    enum nb_status status;
    NB_TRY(nb_turns_init(out->topology, &turns, err));
    nb_tree_order_prohibit(order, tree_alone, &turns);
    nb_turns_tell(&turns, out);
    NB_TRY(updown_is_by_router(out)
               ? updown_build_hops(out, order, &turns, sweeps, most, err)
               : nb_turn_ways_build(out, &turns, sweeps, most, err));
done:
    nb_turns_release(&turns);
    return status;
}

/* Releases what was built, but not the specification, which others use. */
static void updown_release(struct nb_routing *built)
{
    built->specification = (struct nb_specification){ 0 };
    nb_routing_release(built);
}

/* Builds the scheme over a tree, and keeps it if it is the best. */
static enum nb_status updown_try(struct updown_best *best,
                                 const struct nb_tree_order *order,
                                 uint32_t root, unsigned sweeps,
                                 struct nb_error *err)
{
    struct nb_routing other = *best->empty;
    double most = 0;
    const enum nb_status status =
        updown_build_over(&other, order, sweeps, &most, err);
    if (status == NB_OK && most < best->most) {
        const struct nb_routing worse = *best->out;
        *best->out = other;
        other = worse;
        best->most = most;
        best->root = root;
    }
    updown_release(&other);
    return status;
}

#define UPDOWN_PAIRS ((size_t)1 << 20) /* of all roots tried */

/* Tries several roots. Sweeps do not always help, so both is tried; except for
 * next hops of routers, since these take longer. */
static enum nb_status updown_try_roots(struct updown_best *best,
                                       const struct nb_tree_order *order,
                                       unsigned sweeps, struct nb_error *err)
{
    const size_t n = best->out->topology->router_count;
    struct nb_tree_order tree = { 0 };
    uint32_t *roots = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&roots, n, sizeof *roots, "roots", err));
    const size_t count = nb_tree_order_roots(best->out, order, roots);
    for (size_t i = 0; i < count && (i == 0 || i * n * n <= UPDOWN_PAIRS);
         i++) {
        nb_tree_order_release(&tree);
        if (i > 0)
            NB_TRY(nb_tree_order_from(best->out, roots[i], &tree, err));
        NB_TRY(updown_try(best, i > 0 ? &tree : order, roots[i], 0, err));
        if (sweeps > 0 && !updown_is_by_router(best->out))
            NB_TRY(
                updown_try(best, i > 0 ? &tree : order, roots[i], sweeps, err));
    }
done:
    nb_tree_order_release(&tree);
    nb_delete(roots);
    return status;
}

static enum nb_status updown_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_routing empty = *out;
    struct updown_best best = { .out = out, .empty = &empty, .most = INFINITY };
    const unsigned sweeps =
        (unsigned)nb_specification_whole(&out->specification, "sweeps");
    const bool tree_alone =
        nb_specification_is(&out->specification, "links", "tree");
    struct nb_tree_order order = { 0 };
    enum nb_status status;
    NB_TRY(nb_table_ways_require(out->topology, err));
    NB_TRY(nb_turns_require_links(out, err));
    NB_TRY(nb_tree_order_build(out, tree_alone, &order, err));
    NB_TRY(updown_try_roots(&best, &order, sweeps, err));
    if (!updown_is_by_router(out) || sweeps == 0)
        goto done;
    if (!order.is_root[best.root]) {
        nb_tree_order_release(&order);
        NB_TRY(nb_tree_order_from(out, best.root, &order, err));
    }
    NB_TRY(updown_try(&best, &order, best.root, sweeps, err));
done:
    nb_tree_order_release(&order);
    return status;
}

static const struct nb_parameter updown_parameters[] = {
    NB_PARAMETER_ROOT,
    NB_PARAMETER_SEED("root=random"),
    NB_PARAMETER_TREE,
    NB_PARAMETER("links", CHOICE, "all",
                 "links that paths may use: all, or only those of the tree",
                 .choices = "all|tree"),
    NB_PARAMETER(
        "tables", CHOICE, "channel",
        "next hops by the incoming channel, or by router as in forwarding "
        "tables",
        .detail = "channel: paths are the shortest permitted. router: one next "
                  "hop per router and destination, as in forwarding tables; "
                  "down wherever a path down leads to the destination.",
        .choices = "channel|router"),
    NB_PARAMETER_SWEEPS("1"),
    { 0 },
};

const struct nb_routing_kind nb_routing_updown = {
    .kind = { .name = "updown",
              .aliases = "updn",
              .summary = "Up*/Down* over a spanning tree",
              .detail =
                  "Shortest paths that go up the order of a spanning tree "
                  "and then down. Needs a link in each direction between "
                  "neighbours.",
              .parameters = updown_parameters },
    .examples =
        "updown@ring:5 updown:root=4@mesh:3x3 updown:tree=dfs@torus:3x3 "
        "updown:links=tree@torus:3x3 updown:root=random,seed=2@mesh:3x4 "
        "updown:tree=dfs,links=tree@mesh:3x3 "
        "updown:tables=router@torus:4x3 "
        "updown:tables=router@dragonfly:h=2,p=1 updown@fattree:k=2,n=3 "
        "updown@dragonfly:h=2,p=1 "
        "updown:root=1@torus:4x3,fail=0-1+router:5",
    .is_by_terminal = true,
    .build = updown_build,
    .start = nb_table_ways_start,
    .step = nb_table_ways_step,
};
