#include "routing/next_hops.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "topology/metrics.h"

#include <math.h>
#include <string.h>

struct hops_work {
    const struct nb_topology *topology;
    struct nb_pool pool;
    uint32_t *next;  /* [destination * router_count + router] */
    double *load;    /* [channel] from all pairs so far */
    double *inverse; /* [channel] 1 / bandwidth */
    double mean;     /* mean load, not 0 */
    /* For one destination: */
    uint32_t *distance; /* [router] */
    uint32_t *queue;    /* [router] in order of distance */
    double *flow;       /* [router] packets */
    double *ahead;      /* [router] cost of one more packet from there to the
                         * end */
};

static enum nb_status hops_init(struct hops_work *work, struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    const size_t m = work->topology->channel_count;
    enum nb_status status;
    work->load = nb_pool_array(&work->pool, m, sizeof *work->load);
    work->inverse = nb_pool_array(&work->pool, m, sizeof *work->inverse);
    work->distance = nb_pool_array(&work->pool, n, sizeof *work->distance);
    work->queue = nb_pool_array(&work->pool, n, sizeof *work->queue);
    work->flow = nb_pool_array(&work->pool, n, sizeof *work->flow);
    work->ahead = nb_pool_array(&work->pool, n, sizeof *work->ahead);
    NB_TRY(nb_pool_check(&work->pool, "next hops", err));
    for (size_t c = 0; c < m; c++)
        work->inverse[c] =
            1 / nb_ratio_value(work->topology->channels[c].bandwidth);
done:
    return status;
}

/* Whether a channel leads a packet from a router nearer to the destination. */
static bool hops_is_nearer(const struct hops_work *work, uint32_t channel,
                           uint32_t router)
{
    const uint32_t to = work->topology->channels[channel].target;
    return work->distance[to] + 1 == work->distance[router];
}

/* Whether a router has a path to the destination of at least one hop. */
static bool hops_has_way(const struct hops_work *work, uint32_t router)
{
    return work->distance[router] != NB_NONE && work->distance[router] > 0;
}

static void hops_begin_flow(struct hops_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    for (size_t r = 0; r < topology->router_count; r++)
        work->flow[r] =
            (double)topology->terminals[r] * topology->terminals[destination];
}

/* Adds the destination's packets to the loads, or removes them. */
static void hops_count(struct hops_work *work, uint32_t destination,
                       double sign)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t *next = work->next + destination * topology->router_count;
    hops_begin_flow(work, destination);
    for (size_t i = topology->router_count; i-- > 1;) {
        const uint32_t r = work->queue[i];
        if (!hops_has_way(work, r))
            continue;
        work->load[next[r]] += sign * work->flow[r] * work->inverse[next[r]];
        work->flow[topology->channels[next[r]].target] += work->flow[r];
    }
}

/* The cost of additional packets on a channel. */
static double hops_cost(const struct hops_work *work, uint32_t channel,
                        double packets)
{
    return nb_load_cost(work->load[channel] / work->mean,
                        packets * work->inverse[channel] / work->mean);
}

/* The cost of one more packet, from near to far. */
static void hops_look_ahead(struct hops_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    work->ahead[destination] = 0;
    for (size_t i = 1; i < topology->router_count; i++) {
        const uint32_t r = work->queue[i];
        if (!hops_has_way(work, r))
            break;
        work->ahead[r] = INFINITY;
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++) {
            const double cost = work->ahead[topology->channels[c].target] +
                                hops_cost(work, c, 1);
            if (hops_is_nearer(work, c, r) && cost < work->ahead[r])
                work->ahead[r] = cost;
        }
    }
}

/* Goes from far to near, so that the packets from farther away are known. */
static void hops_choose(struct hops_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    uint32_t *next = work->next + destination * topology->router_count;
    hops_begin_flow(work, destination);
    for (size_t i = topology->router_count; i-- > 1;) {
        const uint32_t r = work->queue[i];
        double least = INFINITY;
        if (!hops_has_way(work, r))
            continue;
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++) {
            if (!hops_is_nearer(work, c, r))
                continue;
            const double cost =
                work->flow[r] * work->ahead[topology->channels[c].target] +
                hops_cost(work, c, work->flow[r]);
            if (cost < least || least == INFINITY) {
                least = cost;
                next[r] = c;
            }
        }
        work->flow[topology->channels[next[r]].target] += work->flow[r];
    }
}

double nb_load_most(const struct nb_topology *topology, const double *load)
{
    double most = 0;
    for (size_t c = 0; c < topology->channel_count; c++) {
        const uint32_t from = topology->channels[c].source;
        const uint32_t to = topology->channels[c].target;
        if (topology->out_start[from + 1] - topology->out_start[from] > 1 &&
            topology->in_start[to + 1] - topology->in_start[to] > 1 &&
            load[c] > most)
            most = load[c];
    }
    return most;
}

/* Visits all destinations; is_first: the loads contain no packets of theirs
 * yet. */
static void hops_sweep(struct hops_work *work, bool is_first)
{
    const struct nb_topology *topology = work->topology;
    double sum = 0;
    for (size_t c = 0; c < topology->channel_count; c++)
        sum += work->load[c];
    for (uint32_t d = 0; d < topology->router_count && !nb_run_is_stopped();
         d++) {
        if (topology->terminals[d] == 0)
            continue;
        nb_distances_to(topology, d, work->distance, work->queue);
        if (!is_first)
            hops_count(work, d, -1);
        work->mean = sum > 0 ? sum / (double)topology->channel_count : 1;
        hops_look_ahead(work, d);
        hops_choose(work, d);
        hops_count(work, d, 1);
        if (!is_first)
            continue;
        sum = 0; /* loads are still growing */
        for (size_t c = 0; c < topology->channel_count; c++)
            sum += work->load[c];
    }
}

static void hops_choose_by_number(struct hops_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    uint32_t *next = work->next + destination * topology->router_count;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        uint32_t least = NB_NONE;
        for (uint32_t c = topology->out_start[r];
             hops_has_way(work, r) && c < topology->out_start[r + 1]; c++) {
            const uint32_t to = topology->channels[c].target;
            const uint32_t differs = to > r ? to - r : r - to;
            if (hops_is_nearer(work, c, r) && differs < least) {
                least = differs;
                next[r] = c;
            }
        }
    }
}

static void hops_find_by_number(struct hops_work *work)
{
    const size_t n = work->topology->router_count;
    for (uint32_t d = 0; d < n && !nb_run_is_stopped(); d++) {
        if (work->topology->terminals[d] == 0)
            continue;
        nb_distances_to(work->topology, d, work->distance, work->queue);
        hops_choose_by_number(work, d);
        hops_count(work, d, 1);
    }
}

enum nb_status nb_next_hops_by_number(const struct nb_topology *topology,
                                      uint32_t *next, struct nb_error *err)
{
    struct hops_work work = { .topology = topology, .next = next };
    enum nb_status status;
    NB_TRY(hops_init(&work, err));
    hops_find_by_number(&work);
    status = nb_run_check_stop(err);
done:
    nb_pool_release(&work.pool);
    return status;
}

enum nb_status nb_next_hops_by_load(const struct nb_topology *topology,
                                    unsigned sweeps, uint32_t *next,
                                    struct nb_error *err)
{
    const size_t n = topology->router_count, m = topology->channel_count;
    struct hops_work work = { .topology = topology, .next = next };
    uint32_t *now = NULL;
    double least = INFINITY;
    enum nb_status status;
    NB_TRY(hops_init(&work, err));
    if (sweeps > 0) {
        NB_TRY(nb_new(&now, n * n, sizeof *now, "next hops", err));
        hops_find_by_number(&work);
        NB_TRY(nb_run_check_stop(err));
        least = nb_load_most(topology, work.load);
        memset(work.load, 0, m * sizeof *work.load);
        work.next = now;
    }
    for (unsigned sweep = 0; sweep <= sweeps; sweep++) {
        hops_sweep(&work, sweep == 0);
        NB_TRY(nb_run_check_stop(err));
        const double most = nb_load_most(topology, work.load);
        if (now == NULL || most >= least)
            continue;
        for (uint32_t d = 0; d < n; d++)
            if (topology->terminals[d] > 0)
                memcpy(next + d * n, now + d * n, n * sizeof *next);
        least = most;
    }
done:
    nb_delete(now);
    nb_pool_release(&work.pool);
    return status;
}

size_t nb_next_hops_follow(const struct nb_topology *topology,
                           const uint32_t *next, uint32_t source,
                           uint32_t destination, uint32_t *path)
{
    uint32_t at = source;
    size_t length = 0;
    while (at != destination) {
        if (next[at] == NB_NONE || length == topology->router_count)
            return 0;
        path[length++] = next[at];
        at = topology->channels[next[at]].target;
    }
    return length;
}
