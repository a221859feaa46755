#include "load/turn_flows.h"

#include "core/memory.h"
#include "load/propagate.h"

#include <math.h>

/* Destinations are divided among this many blocks, whatever the number of
 * threads, and blocks are added up in order: the result is always the same. */
enum { TURN_BLOCKS = 8 };

struct turn_scratch {
    struct nb_walker walker;
    uint64_t *rate;   /* [router] into the destination */
    uint32_t *source; /* routers with a rate > 0 */
    /* By node. */
    size_t room;
    struct turn_node {
        double injected, flow;
        double shares; /* sum over its hops */
    } * node;
};

struct turn_work {
    const struct nb_routing *routing;
    const struct nb_traffic *traffic;
    const struct nb_turn_flows *flows; /* for its array start */
    struct nb_pool pool;
    size_t *position; /* [channel] position among the channels into its
                       * target */
    double *block[TURN_BLOCKS];
    double error[TURN_BLOCKS];
    struct turn_scratch *scratch; /* [threads] */
};

void nb_turn_flows_release(struct nb_turn_flows *flows)
{
    nb_delete(flows->start);
    nb_delete(flows->flow);
    *flows = (struct nb_turn_flows){ 0 };
}

/* Divides the rates among the starts. */
static void turn_inject(const struct turn_work *work,
                        struct turn_scratch *scratch, size_t count)
{
    const struct nb_routing *routing = work->routing;
    const double total = (double)routing->start_total;
    struct nb_walker *walker = &scratch->walker;
    for (size_t node = 0; node < walker->node_count; node++) {
        scratch->node[node] = (struct turn_node){ 0 };
        for (size_t h = walker->node[node].first;
             h < walker->node[node + 1].first; h++)
            scratch->node[node].shares += walker->hop[h].share;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t source = scratch->source[i];
        const double rate =
            (double)scratch->rate[source] / (double)work->traffic->denominator;
        const size_t starts = nb_route_starts(
            routing, source, walker->destination, walker->starts);
        for (size_t s = 0; s < starts; s++)
            scratch->node[nb_walker_start(walker, &walker->starts[s], source)]
                .injected += rate * (double)walker->starts[s].weight / total;
    }
    for (size_t node = 0; node < walker->node_count; node++)
        scratch->node[node].flow = scratch->node[node].injected;
}

/* Adds a flow at a node to the turns from input number index of its router: by
 * the node's hops, or to the terminals if it has arrived. */
static void turn_add(const struct turn_work *work,
                     const struct turn_scratch *scratch, uint32_t node,
                     size_t index, double flow, double *turns)
{
    const struct nb_walker *walker = &scratch->walker;
    const size_t *start = work->flows->start;
    const size_t first = walker->node[node].first;
    if (first == walker->node[node + 1].first)
        turns[start[work->flows->channel_count + walker->node[node].router] +
              index] += flow;
    for (size_t h = first; h < walker->node[node + 1].first; h++)
        turns[start[walker->hop[h].channel] + index] +=
            fmax(flow * walker->hop[h].share / scratch->node[node].shares,
                 NB_LEAST_PROBABILITY);
}

/* Carries the flows of one destination, nodes before their successors. */
static void turn_carry(const struct turn_work *work,
                       const struct turn_scratch *scratch, double *turns)
{
    const struct nb_walker *walker = &scratch->walker;
    const struct nb_topology *topology = work->routing->topology;
    for (size_t i = walker->node_count; i-- > 0;) {
        const uint32_t node = walker->order[i];
        const uint32_t router = walker->node[node].router;
        const struct turn_node *own = &scratch->node[node];
        if (own->flow == 0)
            continue;
        if (own->injected > 0)
            turn_add(work, scratch, node,
                     topology->in_start[router + 1] -
                         topology->in_start[router],
                     own->injected, turns);
        for (size_t h = walker->node[node].first;
             h < walker->node[node + 1].first; h++) {
            const double part =
                fmax(own->flow * walker->hop[h].share / own->shares,
                     NB_LEAST_PROBABILITY);
            const uint32_t next = walker->hop[h].node;
            scratch->node[next].flow += part;
            turn_add(work, scratch, next,
                     work->position[walker->hop[h].channel], part, turns);
        }
    }
}

static enum nb_status turn_task(void *context, int thread, size_t index,
                                struct nb_error *err)
{
    struct turn_work *work = context;
    struct turn_scratch *scratch = &work->scratch[thread];
    const struct nb_routing *routing = work->routing;
    const size_t n = routing->topology->router_count;
    /* Later additions: at most one for every state, hop into it and
     * destination; a product, a quotient, the rate's and the blocks'. */
    const double additions =
        (double)routing->state_count * (double)routing->most_hops * (double)n +
        TURN_BLOCKS + 8;
    for (uint32_t d = (uint32_t)index; d < n; d += TURN_BLOCKS) {
        size_t count = 0;
        enum nb_status status = nb_traffic_column(
            work->traffic, routing->topology, d, scratch->rate, err);
        for (uint32_t i = 0; i < n && status == NB_OK; i++)
            if (scratch->rate[i] > 0)
                scratch->source[count++] = i;
        if (status == NB_OK && count > 0)
            status = nb_walker_go(&scratch->walker, d, scratch->source, count,
                                  0, 0, err);
        if (status == NB_OK)
            status = nb_reserve(&scratch->node, &scratch->room,
                                scratch->walker.node_room,
                                sizeof *scratch->node, "flows", err);
        if (status != NB_OK)
            return status;
        if (count == 0)
            continue;
        turn_inject(work, scratch, count);
        turn_carry(work, scratch, work->block[index]);
        work->error[index] = fmax(work->error[index],
                                  nb_walk_error(&scratch->walker, additions));
    }
    return NB_OK;
}

static size_t turn_inputs(const struct nb_topology *topology, uint32_t router)
{
    return topology->in_start[router + 1] - topology->in_start[router] + 1;
}

/* Finds where the flows into each channel and each router's terminals begin. */
static enum nb_status turn_init_start(const struct nb_topology *topology,
                                      struct nb_turn_flows *out,
                                      struct nb_error *err)
{
    const size_t channels = topology->channel_count;
    const size_t n = topology->router_count;
    const enum nb_status status = nb_new(&out->start, channels + n + 1,
                                         sizeof *out->start, "turn flows", err);
    if (status != NB_OK)
        return status;
    for (size_t c = 0; c < channels; c++)
        out->start[c + 1] =
            out->start[c] + turn_inputs(topology, topology->channels[c].source);
    for (uint32_t r = 0; r < n; r++)
        out->start[channels + r + 1] =
            out->start[channels + r] + turn_inputs(topology, r);
    return NB_OK;
}

/* Allocates the flows, including those of the blocks. */
static enum nb_status turn_init(struct turn_work *work, int threads,
                                struct nb_turn_flows *out, struct nb_error *err)
{
    static const char what[] = "turn flows";
    const struct nb_topology *topology = work->routing->topology;
    struct nb_pool *pool = &work->pool;
    enum nb_status status = NB_OK;
    NB_TRY(turn_init_start(topology, out, err));
    const size_t turns = out->start[out->channel_count + out->router_count];
    NB_TRY(
        nb_memory_require((double)turns * (TURN_BLOCKS + 1) * sizeof(double) +
                              threads * nb_walker_bytes(work->routing),
                          what, err));
    work->position =
        nb_pool_array(pool, topology->channel_count, sizeof(size_t));
    for (size_t b = 0; b < TURN_BLOCKS; b++)
        work->block[b] = nb_pool_array(pool, turns, sizeof(double));
    work->scratch = nb_pool_array(pool, (size_t)threads, sizeof *work->scratch);
    NB_TRY(nb_pool_check(pool, what, err));
    for (int t = 0; t < threads; t++) {
        struct turn_scratch *scratch = &work->scratch[t];
        const size_t n = topology->router_count;
        scratch->rate = nb_pool_array(pool, n, sizeof *scratch->rate);
        scratch->source = nb_pool_array(pool, n, sizeof *scratch->source);
        NB_TRY(nb_walker_init(work->routing, NULL, &scratch->walker, err));
    }
    NB_TRY(nb_pool_check(pool, "rates", err));
    for (size_t r = 0; r < topology->router_count; r++)
        for (size_t i = topology->in_start[r]; i < topology->in_start[r + 1];
             i++)
            work->position[topology->in_channel[i]] = i - topology->in_start[r];
    NB_TRY(nb_new(&out->flow, turns, sizeof(double), what, err));
done:
    return status;
}

static void turn_release(struct turn_work *work, int threads)
{
    for (int t = 0; t < threads && work->scratch != NULL; t++) {
        nb_walker_release(&work->scratch[t].walker);
        nb_delete(work->scratch[t].node);
    }
    nb_pool_release(&work->pool);
}

enum nb_status nb_turn_flows_find(const struct nb_routing *routing,
                                  const struct nb_traffic *traffic,
                                  const struct nb_run *run,
                                  struct nb_turn_flows *out,
                                  struct nb_error *err)
{
    const int threads = nb_run_threads(run, TURN_BLOCKS);
    struct turn_work work = { .routing = routing,
                              .traffic = traffic,
                              .flows = out };
    enum nb_status status = NB_OK;
    *out = (struct nb_turn_flows){
        .channel_count = routing->topology->channel_count,
        .router_count = routing->topology->router_count,
    };
    NB_TRY(turn_init(&work, threads, out, err));
    NB_TRY(nb_run_tasks(run, "turn flows", TURN_BLOCKS, turn_task, &work, err));
    for (size_t b = 0; b < TURN_BLOCKS; b++) {
        for (size_t i = 0;
             i < out->start[out->channel_count + out->router_count]; i++)
            out->flow[i] += work.block[b][i];
        out->relative_error = fmax(out->relative_error, work.error[b]);
    }
done:
    turn_release(&work, threads);
    if (status != NB_OK)
        nb_turn_flows_release(out);
    return status;
}
