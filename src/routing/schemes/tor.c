/*
 * tor: transition-oriented routing. Each pair has a shortest path with the
 * fewest turns from down to up in a tree's order (tree_order.h); after each
 * such turn the path uses the next layer. Within a layer paths go up and then
 * down, and layers ascend, so that packets do not wait for each other in a
 * cycle.
 * Source: [SanchoEtAl2002].
 */
#include "core/memory.h"
#include "routing/parameters.h"
#include "routing/table_ways.h"
#include "routing/tree_order.h"
#include "routing/vc_classes.h"
#include "topology/metrics.h"

/* The steps that a packet may make next without a transition. */
enum tor_phase { TOR_UP, TOR_DOWN, TOR_PHASES };

struct tor_work {
    const struct nb_topology *topology;
    struct nb_tree_order order;
    struct nb_table_ways_work tables;
    struct nb_pool pool;
    uint64_t *load;                    /* [channel] pairs of terminals so far */
    uint32_t *distance;                /* [router] */
    uint32_t *queue;                   /* [router] */
    uint32_t *transitions[TOR_PHASES]; /* [router] fewest from there to the
                                        * destination */
    uint32_t *path;                    /* [router_count] */
    uint8_t *class;                    /* [router_count] */
};

static enum nb_status tor_init(struct tor_work *work, struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    const size_t m = work->topology->channel_count;
    struct nb_pool *pool = &work->pool;
    enum nb_status status;
    work->load = nb_pool_array(pool, m, sizeof *work->load);
    work->distance = nb_pool_array(pool, n, sizeof *work->distance);
    work->queue = nb_pool_array(pool, n, sizeof *work->queue);
    for (size_t phase = 0; phase < TOR_PHASES; phase++)
        work->transitions[phase] =
            nb_pool_array(pool, n, sizeof *work->transitions[phase]);
    work->path = nb_pool_array(pool, n, sizeof *work->path);
    work->class = nb_pool_array(pool, n, sizeof *work->class);
    NB_TRY(nb_pool_check(pool, "next hops", err));
    NB_TRY(nb_table_ways_open(&work->tables, work->topology, err));
done:
    return status;
}

/* The transitions of a packet that takes a channel and then the fewest. */
static uint32_t tor_count(const struct tor_work *work, uint32_t channel,
                          enum tor_phase phase)
{
    const struct nb_channel *c = &work->topology->channels[channel];
    return nb_is_up(&work->order, c)
               ? (phase == TOR_DOWN) + work->transitions[TOR_UP][c->target]
               : work->transitions[TOR_DOWN][c->target];
}

/* Among the channels nearer to the destination with the fewest transitions, the
 * one with the least load. */
static uint32_t tor_choose(const struct tor_work *work, uint32_t router,
                           enum tor_phase phase)
{
    const struct nb_topology *topology = work->topology;
    uint32_t best = NB_NONE;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        if (work->distance[topology->channels[c].target] + 1 !=
            work->distance[router])
            continue;
        const uint32_t count = tor_count(work, c, phase);
        if (best == NB_NONE || count < tor_count(work, best, phase) ||
            (count == tor_count(work, best, phase) &&
             work->load[c] < work->load[best]))
            best = c;
    }
    return best;
}

static void tor_find_transitions(struct tor_work *work, uint32_t destination)
{
    nb_distances_to(work->topology, destination, work->distance, work->queue);
    for (int phase = 0; phase < TOR_PHASES; phase++)
        work->transitions[phase][destination] = 0;
    for (size_t i = 1; i < work->topology->router_count; i++) {
        const uint32_t r = work->queue[i];
        for (int phase = 0; phase < TOR_PHASES && work->distance[r] != NB_NONE;
             phase++)
            work->transitions[phase][r] =
                tor_count(work, tor_choose(work, r, (enum tor_phase)phase),
                          (enum tor_phase)phase);
    }
}

static enum nb_status tor_add_path(struct tor_work *work, uint32_t source,
                                   uint32_t destination, struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    enum tor_phase phase = TOR_UP;
    uint8_t layer = 0;
    size_t length = 0;
    for (uint32_t at = source; at != destination;) {
        const uint32_t c = tor_choose(work, at, phase);
        const bool is_up = nb_is_up(&work->order, &topology->channels[c]);
        layer = (uint8_t)(layer + (is_up && phase == TOR_DOWN));
        phase = is_up ? TOR_UP : TOR_DOWN;
        work->path[length] = c;
        work->class[length++] = layer;
        work->load[c] += (uint64_t)topology->terminals[source] *
                         topology->terminals[destination];
        at = topology->channels[c].target;
    }
    return nb_table_ways_add(&work->tables, source, destination, work->path,
                             work->class, length, err);
}

static enum nb_status tor_add_destination(struct tor_work *work,
                                          const struct nb_routing *routing,
                                          uint32_t destination,
                                          struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    enum nb_status status = NB_OK;
    tor_find_transitions(work, destination);
    for (uint32_t s = 0; s < topology->router_count; s++) {
        if (topology->terminals[s] == 0 || s == destination)
            continue;
        const uint32_t layers = work->transitions[TOR_UP][s] + 1;
        if (layers > NB_MOST_VC_CLASSES)
            NB_TRY(nb_fail(err, NB_INVALID,
                           "routing %s needs %u layers on this network "
                           "(permitted: at most %d)",
                           routing->kind->kind.name, layers,
                           NB_MOST_VC_CLASSES));
        NB_TRY(tor_add_path(work, s, destination, err));
    }
done:
    return status;
}

static enum nb_status tor_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    struct tor_work work = { .topology = topology };
    enum nb_status status;
    NB_TRY(tor_init(&work, err));
    NB_TRY(nb_tree_order_build(out, false, &work.order, err));
    for (uint32_t d = 0; d < topology->router_count; d++)
        if (topology->terminals[d] > 0)
            NB_TRY(tor_add_destination(&work, out, d, err));
    out->is_minimal = !topology->groups.counts_global_first;
    NB_TRY(nb_table_ways_close(&work.tables, out, err));
done:
    nb_table_ways_release(&work.tables);
    nb_tree_order_release(&work.order);
    nb_pool_release(&work.pool);
    return status;
}

static const struct nb_parameter tor_parameters[] = {
    NB_PARAMETER_ROOT,
    NB_PARAMETER_SEED("root=random"),
    NB_PARAMETER_TREE,
    { 0 },
};

const struct nb_routing_kind nb_routing_tor = {
    .kind = { .name = "tor",
              .summary =
                  "transition-oriented: a new layer at each turn upwards",
              .detail = "Shortest paths that move to the next layer after each "
                        "turn from down to up a tree.",
              .parameters = tor_parameters },
    .examples = "tor@ring:5 tor@mesh:3x3 tor:root=4@torus:3x3 "
                "tor:tree=dfs@hypercube:3 tor@dragonfly:h=2,p=1 "
                "tor@torus:4x3,fail=0-1+router:5",
    .is_by_terminal = true,
    .build = tor_build,
    .start = nb_table_ways_start,
    .step = nb_table_ways_step,
};
