#include "sim/rate_limit.h"

#include "optimum/best_flow.h"
#include "optimum/scheme_paths.h"
#include "core/memory.h"
#include "load/channel_loads.h"
#include "topology/metrics.h"

#include <math.h>

/* Relative error that rounding may cause in a quotient of sums. */
#define LIMIT_ROUNDED (1 + 1e-9)
/* Relative gap of the bound of an adaptive scheme to what its paths carry. */
#define LIMIT_GAP 1e-3

/* Arrays of [router_count]. */
struct limit_work {
    const struct nb_topology *topology;
    const struct nb_traffic *traffic;
    double *sent;               /* [router] at rate 1 to other routers */
    double *leaving, *coming;   /* bandwidth of the channels */
    uint64_t *rate;             /* scratch */
    uint32_t *distance, *queue; /* scratch */
    double bandwidth, hops;     /* of all channels and packets */
    struct nb_pool pool;
};

static void limit_take(struct nb_rate_limit *out, double carried, double asked,
                       const char *basis)
{
    const double rate = carried / asked * LIMIT_ROUNDED;
    if (asked > 0 && rate < out->rate)
        *out = (struct nb_rate_limit){ rate, false, basis };
}

static enum nb_status limit_open(struct limit_work *work, struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    struct nb_pool *pool = &work->pool;
    work->sent = nb_pool_array(pool, n, sizeof *work->sent);
    work->leaving = nb_pool_array(pool, n, sizeof *work->leaving);
    work->coming = nb_pool_array(pool, n, sizeof *work->coming);
    work->rate = nb_pool_array(pool, n, sizeof *work->rate);
    work->distance = nb_pool_array(pool, n, sizeof *work->distance);
    work->queue = nb_pool_array(pool, n, sizeof *work->queue);
    const enum nb_status status = nb_pool_check(pool, "distances", err);
    for (size_t c = 0; c < topology->channel_count && status == NB_OK; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        const double bandwidth = nb_ratio_value(channel->bandwidth);
        work->leaving[channel->source] += bandwidth;
        work->coming[channel->target] += bandwidth;
        work->bandwidth += bandwidth;
    }
    return status;
}

/* Adds the traffic to one router. */
static enum nb_status limit_count(struct limit_work *work, uint32_t target,
                                  struct nb_rate_limit *out,
                                  struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    double received = 0;
    enum nb_status status;
    NB_TRY(nb_traffic_column(work->traffic, topology, target, work->rate, err));
    nb_distances_to(topology, target, work->distance, work->queue);
    for (size_t i = 0; i < topology->router_count; i++) {
        const double rate =
            (double)work->rate[i] / (double)work->traffic->denominator;
        if (i == target || rate == 0 || work->distance[i] == NB_NONE)
            continue; /* unreachable destinations get no traffic */
        work->sent[i] += rate;
        received += rate;
        work->hops += rate * work->distance[i];
    }
    limit_take(out, work->coming[target], received,
               "above it the channels to a router get more than they can "
               "carry");
done:
    return status;
}

/* Limits of any routing. */
static enum nb_status limit_of_any(struct limit_work *work,
                                   struct nb_rate_limit *out,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    struct nb_traffic_sums sums;
    enum nb_status status;
    NB_TRY(nb_traffic_sums_find(work->traffic, topology, &sums, err));
    const struct nb_ratio terminals = nb_terminal_limit(topology, sums.column);
    if (nb_ratio_is_known(terminals))
        limit_take(out, nb_ratio_value(terminals), LIMIT_ROUNDED,
                   "above it the channels to a router's terminals get more "
                   "than they can carry");
    NB_TRY(limit_open(work, err));
    for (uint32_t j = 0; j < topology->router_count; j++)
        if (topology->terminals[j] > 0)
            NB_TRY(limit_count(work, j, out, err));
    for (size_t i = 0; i < topology->router_count; i++)
        limit_take(
            out, work->leaving[i], work->sent[i],
            "above it the channels from a router get more than they can carry");
    limit_take(out, work->bandwidth, work->hops,
               "above it all channels together get more than they can carry, "
               "by any paths");
done:
    return status;
}

/* The exact limit of the scheme's channels; it is the least, except for the
 * limit of the channels to terminals. */
static enum nb_status limit_of_scheme(const struct nb_routing *routing,
                                      const struct nb_traffic *traffic,
                                      const struct nb_run *run,
                                      struct nb_rate_limit *out,
                                      struct nb_error *err)
{
    struct nb_channel_loads loads = { 0 };
    const enum nb_status status =
        nb_channel_loads_find(routing, traffic, run, &loads, err);
    if (status == NB_OK && loads.throughput.upper <= out->rate) {
        out->rate = loads.throughput.upper;
        out->basis = "above it a channel gets more than it can carry, by the "
                     "exact loads of the scheme";
    }
    out->is_reached =
        status == NB_OK &&
        loads.throughput.lower * LIMIT_ROUNDED >= loads.throughput.upper;
    nb_channel_loads_release(&loads);
    return status;
}

/* What the paths of an adaptive scheme can carry. */
static enum nb_status limit_of_paths(const struct nb_routing *routing,
                                     const struct nb_traffic *traffic,
                                     const struct nb_run *run,
                                     struct nb_rate_limit *out,
                                     struct nb_error *err)
{
    struct nb_scheme_paths paths = { 0 };
    struct nb_path_class class;
    struct nb_best_flow flow = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_path_class_init_scheme(routing, &paths, &class, err));
    const struct nb_best_flow_question question = {
        .topology = routing->topology,
        .traffic = traffic,
        .path_class = &class,
        .gap = LIMIT_GAP,
        .seconds = INFINITY,
    };
    NB_TRY(nb_best_flow_find(&question, run, &flow, err));
    if (flow.throughput.upper < out->rate)
        *out = (struct nb_rate_limit){
            flow.throughput.upper, false,
            "above it the paths of the scheme get more than they can carry, "
            "however it splits traffic"
        };
done:
    nb_best_flow_release(&flow);
    nb_scheme_paths_release(&paths);
    return status;
}

enum nb_status nb_rate_limit_find(const struct nb_routing *routing,
                                  const struct nb_traffic *traffic,
                                  bool is_searched, const struct nb_run *run,
                                  struct nb_rate_limit *out,
                                  struct nb_error *err)
{
    const bool is_adaptive = routing->kind->is_adaptive;
    struct limit_work work = { .topology = routing->topology,
                               .traffic = traffic };
    struct nb_error found = { 0 };
    *out = (struct nb_rate_limit){ .rate = INFINITY };
    enum nb_status status = limit_of_any(&work, out, &found);
    nb_pool_release(&work.pool);
    if (status == NB_OK && !is_adaptive)
        status = limit_of_scheme(routing, traffic, run, out, &found);
    if (status == NB_OK && is_adaptive && is_searched)
        status = limit_of_paths(routing, traffic, run, out, &found);
    return status == NB_NO_MEMORY ? nb_fail_again(err, status, &found) : NB_OK;
}
