#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mixed.h"

#include "topology_checks.h"

#include "core/memory.h"
#include "routing/two_phase.h"
#include "topology/metrics.h"

static enum nb_status mixed_build_phases(struct nb_routing *out,
                                         struct nb_error *err)
{
    const bool is_grid = out->topology->grid.dimensions > 0;
    const enum nb_status status =
        nb_two_phase_build(out, is_grid ? "dor" : "min", NULL, err);
    if (status == NB_OK)
        nb_two_phase_mix(out, 1, 3);
    return status;
}

/* Its plan: hops from every router to every other. */
static enum nb_status mixed_build_adaptive(struct nb_routing *out,
                                           struct nb_error *err)
{
    const size_t n = out->topology->router_count;
    uint32_t *queue = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(mixed_build_phases(out, err));
    NB_TRY(nb_new(&out->plan, n * n, sizeof(uint32_t), "distances", err));
    NB_TRY(nb_new(&queue, n, sizeof *queue, "distances", err));
    for (uint32_t target = 0; target < n; target++)
        nb_distances_to(out->topology, target,
                        (uint32_t *)out->plan + target * n, queue);
done:
    nb_delete(queue);
    return status;
}

static uint64_t mixed_cost(const struct nb_routing *routing,
                           const struct nb_view *view, uint32_t source,
                           uint32_t destination,
                           const struct nb_candidate *candidate)
{
    const size_t n = routing->topology->router_count;
    const uint32_t *distance = routing->plan;
    struct mixed_memory *memory = view->memory;
    const struct nb_way way =
        view->way(view->network, candidate->state, source, destination);
    const uint64_t hops = (uint64_t)distance[candidate->target * n + source] +
                          distance[destination * n + candidate->target];
    memory->request[source]++;
    return hops * way.queue;
}

static size_t mixed_memory_bytes(const struct nb_routing *routing)
{
    return sizeof(struct mixed_memory) +
           routing->topology->router_count * sizeof(uint32_t);
}

static void mixed_observe(const struct nb_routing *routing,
                          const struct nb_view *view, uint64_t cycle)
{
    (void)routing;
    struct mixed_memory *memory = view->memory;
    assert_int_equal(memory->cycles++, cycle);
}

const struct nb_routing_kind mixed_oblivious = {
    .kind = { .name = "mixed" },
    .build = mixed_build_phases,
};

#define MIXED_ADAPTIVE                                                         \
    .kind = { .name = "mixed-adaptive" }, .is_adaptive = true,                 \
    .build = mixed_build_adaptive, .cost = mixed_cost,                         \
    .memory = mixed_memory_bytes, .observe = mixed_observe

const struct nb_routing_kind mixed_adaptive = { MIXED_ADAPTIVE };
const struct nb_routing_kind mixed_asked_again = {
    MIXED_ADAPTIVE,
    .is_asked_again = true,
};

void mixed_build(const struct nb_routing_kind *kind,
                 const struct nb_topology *topology, struct nb_routing *routing)
{
    struct nb_error error = { 0 };
    nb_routing_release(routing);
    *routing = (struct nb_routing){
        .kind = kind,
        .topology = topology,
        .most_starts = 1,
        .start_total = 1,
    };
    TOPOLOGY_CHECK(kind->build(routing, &error) == NB_OK, "%s: %s",
                   kind->kind.name, error.message);
}
