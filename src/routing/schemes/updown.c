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
#include "routing/tree_order.h"

#include <stdlib.h>

/* The state of finding next hops that depend only on the router. */
struct updown_work {
    const struct nb_topology *topology;
    const struct nb_tree_order *order;
    const struct nb_turns *turns;
    struct nb_pool pool;
    uint32_t *next;      /* [destination * router_count + router]; owned */
    uint32_t *ascending; /* [router] by rank */
    uint32_t *queue;     /* [router] */
    uint32_t *down;      /* [router] hops over channels down; NB_NONE: none */
    uint32_t *hops;      /* [router] hops over the channels that it may take */
    double *flow;        /* [router] packets for the destination */
    double *load;        /* [channel] packets / bandwidth so far */
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
    work->queue = nb_pool_array(pool, n, sizeof *work->queue);
    work->down = nb_pool_array(pool, n, sizeof *work->down);
    work->hops = nb_pool_array(pool, n, sizeof *work->hops);
    work->flow = nb_pool_array(pool, n, sizeof *work->flow);
    work->load =
        nb_pool_array(pool, work->topology->channel_count, sizeof *work->load);
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
static bool updown_is_way(const struct updown_work *work, uint32_t channel)
{
    const struct nb_channel *c = &work->topology->channels[channel];
    if (!work->turns->is_usable[channel])
        return false;
    return work->down[c->source] != NB_NONE
               ? !nb_is_up(work->order, c) && work->down[c->target] != NB_NONE
               : nb_is_up(work->order, c);
}

/* Finds the hops of every router: down, by breadth-first search from the
 * destination; then for routers without a path down, which go to lesser
 * ranks. */
static void updown_find_hops(struct updown_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    size_t tail = 0;
    for (size_t r = 0; r < n; r++)
        work->down[r] = NB_NONE;
    work->down[destination] = 0;
    work->queue[tail++] = destination;
    for (size_t head = 0; head < tail; head++) {
        const uint32_t r = work->queue[head];
        for (uint32_t i = topology->in_start[r]; i < topology->in_start[r + 1];
             i++) {
            const uint32_t c = topology->in_channel[i];
            const uint32_t from = topology->channels[c].source;
            if (!work->turns->is_usable[c] || work->down[from] != NB_NONE ||
                nb_is_up(work->order, &topology->channels[c]))
                continue;
            work->down[from] = work->down[r] + 1;
            work->queue[tail++] = from;
        }
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t r = work->ascending[i];
        work->hops[r] = work->down[r];
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1] && work->down[r] == NB_NONE; c++) {
            const uint32_t on = work->hops[topology->channels[c].target];
            if (updown_is_way(work, c) && on != NB_NONE &&
                on + 1 < work->hops[r])
                work->hops[r] = on + 1;
        }
    }
}

/* Chooses, among the channels with the fewest hops, the one whose cost grows
 * least. */
static void updown_choose(struct updown_work *work, uint32_t destination,
                          uint32_t router, double mean)
{
    const struct nb_topology *topology = work->topology;
    uint32_t best = NB_NONE;
    double least = 0;
    if (router == destination || work->hops[router] == NB_NONE)
        return;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        const double cost = nb_load_cost(
            work->load[c] / mean,
            work->flow[router] / nb_ratio_value(channel->bandwidth) / mean);
        if (!updown_is_way(work, c) ||
            work->hops[channel->target] + 1 != work->hops[router] ||
            (best != NB_NONE && cost >= least))
            continue;
        best = c;
        least = cost;
    }
    work->next[destination * topology->router_count + router] = best;
    work->load[best] +=
        work->flow[router] / nb_ratio_value(topology->channels[best].bandwidth);
    work->flow[topology->channels[best].target] += work->flow[router];
}

/* From far to near: first up, in order of ranks, then down, to greater ranks.
 * Errors: NB_INVALID if there is no path. */
static enum nb_status updown_fill(struct updown_work *work,
                                  uint32_t destination, struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    double mean = 0;
    updown_find_hops(work, destination);
    for (size_t c = 0; c < topology->channel_count; c++)
        mean += work->load[c] / (double)topology->channel_count;
    mean = mean > 0 ? mean : 1;
    for (uint32_t r = 0; r < n; r++) {
        work->flow[r] =
            (double)topology->terminals[r] * topology->terminals[destination];
        if (topology->terminals[r] > 0 && work->hops[r] == NB_NONE)
            return nb_turn_ways_refuse(work->topology, r, destination, err);
    }
    for (size_t i = n; i-- > 0;)
        if (work->down[work->ascending[i]] == NB_NONE)
            updown_choose(work, destination, work->ascending[i], mean);
    for (size_t i = 0; i < n; i++)
        if (work->down[work->ascending[i]] != NB_NONE)
            updown_choose(work, destination, work->ascending[i], mean);
    return NB_OK;
}

static enum nb_status updown_build_hops(struct nb_routing *out,
                                        const struct nb_tree_order *order,
                                        const struct nb_turns *turns,
                                        double *most, struct nb_error *err)
{
    struct updown_work work = { .topology = out->topology,
                                .order = order,
                                .turns = turns };
    enum nb_status status;
    NB_TRY(updown_init(&work, err));
    for (uint32_t d = 0; d < out->topology->router_count; d++)
        if (out->topology->terminals[d] > 0)
            NB_TRY(updown_fill(&work, d, err));
    *most = nb_load_most(out->topology, work.load);
    NB_TRY(nb_table_ways_build(out, work.next, NULL, err));
done:
    nb_delete(work.next);
    nb_pool_release(&work.pool);
    return status;
}

/* Builds the scheme over a tree. most: out, the greatest load */
static enum nb_status updown_build_over(struct nb_routing *out,
                                        const struct nb_tree_order *order,
                                        double *most, struct nb_error *err)
{
    const bool tree_alone =
        nb_specification_is(&out->specification, "links", "tree");
    struct nb_turns turns = { 0 };
    enum nb_status status;
    NB_TRY(nb_turns_init(out->topology, &turns, err));
    nb_tree_order_prohibit(order, tree_alone, &turns);
    nb_turns_tell(&turns, out);
    NB_TRY(nb_specification_is(&out->specification, "tables", "router")
               ? updown_build_hops(out, order, &turns, most, err)
               : nb_turn_ways_build(out, &turns, most, err));
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

#define UPDOWN_PAIRS ((size_t)1 << 20) /* of all roots tried */

/* Tries other roots and keeps the best. least: the greatest load of out */
static enum nb_status updown_try_roots(struct nb_routing *out,
                                       const struct nb_routing *empty,
                                       const struct nb_tree_order *order,
                                       double least, struct nb_error *err)
{
    const size_t n = out->topology->router_count;
    uint32_t *roots = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&roots, n, sizeof *roots, "roots", err));
    const size_t count = nb_tree_order_roots(out, order, roots);
    for (size_t i = 1; i < count && i * n * n <= UPDOWN_PAIRS; i++) {
        struct nb_routing other = *empty;
        struct nb_tree_order tree = { 0 };
        double most = 0;
        status = nb_tree_order_from(out, roots[i], &tree, err);
        if (status == NB_OK)
            status = updown_build_over(&other, &tree, &most, err);
        nb_tree_order_release(&tree);
        if (status == NB_OK && most < least) {
            const struct nb_routing better = other;
            other = *out;
            *out = better;
            least = most;
        }
        updown_release(&other);
        NB_TRY(status);
    }
done:
    nb_delete(roots);
    return status;
}

static enum nb_status updown_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_routing empty = *out;
    const bool tree_alone =
        nb_specification_is(&out->specification, "links", "tree");
    struct nb_tree_order order = { 0 };
    double most = 0;
    enum nb_status status;
    NB_TRY(nb_table_ways_require(out->topology, err));
    NB_TRY(nb_turns_require_links(out, err));
    NB_TRY(nb_tree_order_build(out, tree_alone, &order, err));
    NB_TRY(updown_build_over(out, &order, &most, err));
    NB_TRY(updown_try_roots(out, &empty, &order, most, err));
done:
    nb_tree_order_release(&order);
    return status;
}

static const struct nb_parameter updown_parameters[] = {
    NB_PARAMETER_ROOT,
    NB_PARAMETER_TREE,
    { .name = "links",
      .help = "links that paths may use: all, or only those of the tree",
      .type = NB_CHOICE,
      .initial = "all",
      .choices = "all|tree" },
    { .name = "tables",
      .help = "next hops by the incoming channel, or by router as in "
              "forwarding tables",
      .detail = "channel: paths are the shortest permitted. router: one next "
                "hop per router and destination, as in forwarding tables; down "
                "wherever a path down leads to the destination.",
      .type = NB_CHOICE,
      .initial = "channel",
      .choices = "channel|router" },
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
        "updown:links=tree@torus:3x3 "
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
