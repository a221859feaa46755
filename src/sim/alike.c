#include "sim/alike.h"

#include "core/memory.h"
#include "sim/flows.h"
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

/* Beside what the automorphisms take to each other, terminals of one router
 * are alike, too: the last generator takes each to the next. */
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

enum nb_status nb_alike_find(const struct nb_simulation *plan,
                             const struct nb_flows *flows, struct nb_alike *out,
                             struct nb_error *err)
{
    struct alike_work work = { .topology = plan->topology, .flows = flows };
    enum nb_status status = NB_OK;
    *out = (struct nb_alike){
        .is_always = plan->router.model == NB_ROUTER_IDEAL &&
                     plan->router.arbitration == NB_OLDEST_FIRST,
    };
    if (plan->injection.kind == NB_INJECT_TRACE ||
        plan->injection.kind == NB_INJECT_BATCH ||
        (plan->routing->kind->is_adaptive && !out->is_always))
        return NB_OK;
    NB_TRY(nb_symmetry_keeping(plan->topology, plan->routing->symmetries,
                               plan->traffic, &work.symmetry, err));
    NB_TRY(alike_find_all(&work, out, err));
done:
    nb_symmetry_release(&work.symmetry);
    if (status != NB_OK)
        nb_alike_release(out);
    return status;
}

void nb_alike_release(struct nb_alike *alike)
{
    nb_orbits_release(&alike->queue);
    nb_orbits_release(&alike->router);
    nb_orbits_release(&alike->flow);
    *alike = (struct nb_alike){ 0 };
}
