/*
 * minhop: of each pair one shortest path, next hops by router and destination.
 * Of the channels that a shortest path may take that one is taken which then
 * has the least load per bandwidth, by the packets that all terminals send to
 * all. Nothing keeps packets from waiting in a circle.
 */
#include "core/memory.h"
#include "routing/table_ways.h"
#include "topology/metrics.h"

struct minhop_work {
    const struct nb_topology *topology;
    struct nb_pool pool;
    uint32_t *next;     /* [destination * router_count + router]; owned */
    uint32_t *distance; /* [router] */
    uint32_t *queue;    /* [router] in order of distance */
    double *flow;       /* [router] packets for the destination */
    double *load;       /* [channel] packets so far */
};

static enum nb_status minhop_init(struct minhop_work *work,
                                  struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    const size_t m = work->topology->channel_count;
    work->distance = nb_pool_array(&work->pool, n, sizeof *work->distance);
    work->queue = nb_pool_array(&work->pool, n, sizeof *work->queue);
    work->flow = nb_pool_array(&work->pool, n, sizeof *work->flow);
    work->load = nb_pool_array(&work->pool, m, sizeof *work->load);
    enum nb_status status;
    NB_TRY(nb_pool_check(&work->pool, "next hops", err));
    NB_TRY(nb_table_ways_new(work->topology, &work->next, err));
done:
    return status;
}

/* The channel out of a router that takes its packets on. */
static uint32_t minhop_choose(const struct minhop_work *work, uint32_t router)
{
    const struct nb_topology *topology = work->topology;
    uint32_t best = NB_NONE;
    double least = 0;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        const double cost = (work->load[c] + work->flow[router]) /
                            nb_ratio_value(channel->bandwidth);
        if (work->distance[channel->target] + 1 == work->distance[router] &&
            (best == NB_NONE || cost < least)) {
            best = c;
            least = cost;
        }
    }
    return best;
}

/* Next hops to a destination, from far to near, so that it is known what comes
 * from farther away. */
static void minhop_fill(struct minhop_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    uint32_t *next = work->next + destination * n;
    nb_distances_to(topology, destination, work->distance, work->queue);
    for (size_t r = 0; r < n; r++)
        work->flow[r] =
            (double)topology->terminals[r] * topology->terminals[destination];
    for (size_t i = n; i-- > 1;) {
        const uint32_t r = work->queue[i];
        if (work->distance[r] == NB_NONE || r == destination)
            continue;
        next[r] = minhop_choose(work, r);
        work->load[next[r]] += work->flow[r];
        work->flow[topology->channels[next[r]].target] += work->flow[r];
    }
}

static enum nb_status minhop_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    struct minhop_work work = { .topology = topology };
    enum nb_status status;
    NB_TRY(minhop_init(&work, err));
    for (uint32_t d = 0; d < topology->router_count; d++)
        if (topology->terminals[d] > 0)
            minhop_fill(&work, d);
    out->vc_rule = "any";
    out->is_minimal = topology->groups.count == 0;
    NB_TRY(nb_table_ways_build(out, work.next, NULL, err));
done:
    nb_delete(work.next);
    nb_pool_release(&work.pool);
    return status;
}

const struct nb_routing_kind nb_routing_minhop = {
    .kind = { .name = "minhop",
              .summary = "one shortest path of each pair, by forwarding tables "
                         "that divide the load of uniform traffic" },
    .examples = "minhop@ring:5 minhop@mesh:3x3 minhop@hypercube:3 "
                "minhop@fattree:k=2,n=3 minhop@dragonfly:h=2,p=1 "
                "minhop@hyperx:3x3,p=1 minhop@torus:4x3,fail=0-1+router:5",
    .build = minhop_build,
    .start = nb_table_ways_start,
    .step = nb_table_ways_step,
};
