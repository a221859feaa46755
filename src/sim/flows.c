#include "sim/flows.h"

#include "core/memory.h"
#include "traffic/traffic_symmetry.h"

struct alike_work {
    const struct nb_topology *topology;
    const struct nb_flows *flows;
    struct nb_symmetry symmetry;
};

static const uint32_t *alike_map(const struct alike_work *work, size_t g)
{
    return work->symmetry.router + g * work->topology->router_count;
}

/* In addition to the orbits of the automorphisms, the terminals of one router
 * are equivalent: the last generator takes each to the next. */
static uint32_t alike_queue(const void *context, size_t g, uint32_t queue)
{
    const struct alike_work *work = context;
    const uint32_t channels = (uint32_t)work->topology->channel_count;
    const bool is_next = g == work->symmetry.generator_count;
    if (queue < channels)
        return is_next ? queue : work->symmetry.channel[g * channels + queue];
    const uint32_t router = work->flows->terminal_router[queue - channels];
    const uint32_t *start = work->flows->terminal_start;
    const uint32_t terminal = queue - channels - start[router];
    return channels +
           (is_next ? start[router] +
                          (terminal + 1) % work->topology->terminals[router]
                    : start[alike_map(work, g)[router]] + terminal);
}

static uint32_t alike_flow(const void *context, size_t g, uint32_t index)
{
    const struct alike_work *work = context;
    const struct nb_flow *flow = &work->flows->flow[index];
    const uint32_t source = alike_map(work, g)[flow->source];
    return flow->target == NB_NONE
               ? work->flows->pooled[source]
               : nb_flows_find(work->flows, source,
                               alike_map(work, g)[flow->target]);
}

static enum nb_status alike_find_all(struct alike_work *work,
                                     struct nb_alike *out, struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const size_t generators = work->symmetry.generator_count;
    enum nb_status status = NB_OK;
    NB_TRY(nb_orbits_find(nb_queue_count(topology), generators + 1, alike_queue,
                          work, &out->queue, err));
    if (!out->is_always)
        goto done;
    NB_TRY(nb_orbits_of_routers(&work->symmetry, &out->router, err));
    NB_TRY(nb_orbits_find(work->flows->count, generators, alike_flow, work,
                          &out->flow, err));
done:
    return status;
}

static void alike_release(struct nb_alike *alike)
{
    nb_orbits_release(&alike->queue);
    nb_orbits_release(&alike->router);
    nb_orbits_release(&alike->flow);
    *alike = (struct nb_alike){ 0 };
}

/* flows: complete except for alike. Errors: NB_NO_MEMORY. */
static enum nb_status alike_find(const struct nb_simulation *plan,
                                 const struct nb_flows *flows,
                                 struct nb_alike *out, struct nb_error *err)
{
    struct alike_work work = { .topology = plan->topology, .flows = flows };
    enum nb_status status = NB_OK;
    *out = (struct nb_alike){
        .is_always = plan->router.model == NB_ROUTER_IDEAL &&
                     plan->router.arbitration == NB_OLDEST_FIRST,
    };
    if (plan->injection.kind == NB_INJECT_TRACE ||
        plan->injection.kind == NB_INJECT_BATCH ||
        plan->traffic->singles.count > 0 ||
        (plan->routing->kind->is_adaptive && !out->is_always))
        return NB_OK;
    NB_TRY(nb_symmetry_keeping(plan->topology, plan->routing->symmetries,
                               plan->traffic, &work.symmetry, err));
    NB_TRY(alike_find_all(&work, out, err));
done:
    nb_symmetry_release(&work.symmetry);
    if (status != NB_OK)
        alike_release(out);
    return status;
}

/* Maximum number of routers with separate pairs. */
enum { FLOWS_ROUTERS = 4096 };

/* Adds a pair's demand: to a flow of its own if it expects enough packets. */
static void flows_add(const struct nb_simulation *plan, struct nb_flows *out,
                      uint32_t source, uint32_t target, double packets)
{
    const double cycles = (double)plan->cycles * (double)plan->replications;
    const bool is_alone =
        out->of_pair != NULL && packets * cycles >= NB_FLOW_PACKETS;
    uint32_t *place = is_alone
                          ? &out->of_pair[source * out->router_count + target]
                          : &out->pooled[source];
    if (is_alone || *place == NB_NONE) {
        *place = (uint32_t)out->count++;
        out->flow[*place] =
            (struct nb_flow){ .source = source,
                              .target = is_alone ? target : NB_NONE };
    }
    out->flow[*place].demand += packets * plan->injection.flits;
}

/* Room for the largest possible number of flows. */
static size_t flows_room(const struct nb_traffic *traffic, size_t n,
                         bool is_dense)
{
    if (!is_dense)
        return n;
    return n + (traffic->background > 0 ? n * n : traffic->demand_count);
}

static void flows_fill(const struct nb_simulation *plan, struct nb_flows *out)
{
    const struct nb_traffic *traffic = plan->traffic;
    const uint32_t n = (uint32_t)plan->topology->router_count;
    const double unit = plan->injection.rate / (double)traffic->denominator;
    const bool is_dense = traffic->background > 0;
    for (uint32_t j = 0; j < n; j++) {
        size_t d = traffic->column_start[j];
        for (uint32_t i = 0; i < n; i++) {
            double weight =
                (double)traffic->background *
                (double)nb_traffic_even(traffic, plan->topology, i, j);
            if (!is_dense) { /* only demands: from one to the next */
                if (d == traffic->column_start[j + 1])
                    break;
                i = traffic->demands[d].source;
            }
            if (d < traffic->column_start[j + 1] &&
                traffic->demands[d].source == i)
                weight += (double)traffic->demands[d++].weight;
            if (weight > 0)
                flows_add(plan, out, i, j, weight * unit);
        }
    }
}

/* Pairs without their own flow belong to their source's. */
static void flows_link(struct nb_flows *out)
{
    const size_t n = out->router_count;
    for (size_t pair = 0; out->of_pair != NULL && pair < n * n; pair++)
        if (out->of_pair[pair] == NB_NONE)
            out->of_pair[pair] = out->pooled[pair / n];
}

/* Arrays by router and by terminal. */
static enum nb_status flows_number(const struct nb_topology *topology,
                                   struct nb_flows *out, struct nb_error *err)
{
    const size_t n = topology->router_count;
    out->pooled = nb_pool_array(&out->pool, n, sizeof *out->pooled);
    out->terminal_start =
        nb_pool_array(&out->pool, n + 1, sizeof *out->terminal_start);
    out->terminal_router = nb_pool_array(&out->pool, topology->terminal_count,
                                         sizeof *out->terminal_router);
    const enum nb_status status = nb_pool_check(&out->pool, "terminals", err);
    uint32_t next = 0;
    for (uint32_t r = 0; r < n && status == NB_OK; r++) {
        out->pooled[r] = NB_NONE;
        for (uint32_t t = 0; t < topology->terminals[r]; t++)
            out->terminal_router[next++] = r;
        out->terminal_start[r + 1] = next;
    }
    return status;
}

enum nb_status nb_flows_build(const struct nb_simulation *plan,
                              struct nb_flows *out, struct nb_error *err)
{
    const size_t n = plan->topology->router_count;
    const bool has_rates = plan->injection.kind != NB_INJECT_TRACE &&
                           plan->injection.kind != NB_INJECT_BATCH &&
                           plan->step_count == 0;
    enum nb_status status = NB_OK;
    *out = (struct nb_flows){ .router_count = n };
    NB_TRY(flows_number(plan->topology, out, err));
    if (n <= FLOWS_ROUTERS) {
        NB_TRY(
            nb_new(&out->distance, n * n, sizeof(uint16_t), "distances", err));
        NB_TRY(nb_count_hops(plan->topology, out->distance, err));
    }
    if (!has_rates || plan->traffic == NULL)
        goto done;
    if (n <= FLOWS_ROUTERS) {
        NB_TRY(nb_new(&out->of_pair, n * n, sizeof(uint32_t), "flows", err));
        for (size_t pair = 0; pair < n * n; pair++)
            out->of_pair[pair] = NB_NONE;
    }
    NB_TRY(nb_new(&out->flow,
                  flows_room(plan->traffic, n, out->of_pair != NULL),
                  sizeof *out->flow, "flows", err));
    flows_fill(plan, out);
    flows_link(out);
    NB_TRY(alike_find(plan, out, &out->alike, err));
done:
    if (status != NB_OK)
        nb_flows_release(out);
    return status;
}

void nb_flows_release(struct nb_flows *flows)
{
    alike_release(&flows->alike);
    nb_delete(flows->flow);
    nb_delete(flows->of_pair);
    nb_pool_release(&flows->pool);
    nb_delete(flows->distance);
    *flows = (struct nb_flows){ 0 };
}
