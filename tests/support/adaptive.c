#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "adaptive.h"

#include "core/memory.h"
#include "routing/grid_ways.h"

static uint32_t adaptive_queue(const void *network, uint32_t channel)
{
    const struct adaptive *adaptive = network;
    return adaptive->queue[channel];
}

static uint32_t adaptive_waiting(const void *network, uint32_t source,
                                 uint32_t destination, size_t start)
{
    (void)source, (void)destination;
    const struct adaptive *adaptive = network;
    return adaptive->waiting[start];
}

void adaptive_open(struct adaptive *adaptive, const char *topology,
                   const char *routing)
{
    *adaptive = (struct adaptive){ 0 };
    problem_open(&adaptive->problem, topology, routing);
    const struct nb_routing *scheme = &adaptive->problem.routing;
    assert_true(scheme->most_starts <= ADAPTIVE_STARTS &&
                adaptive->problem.topology.channel_count <= ADAPTIVE_CHANNELS);
    adaptive->view = (struct nb_view){
        .network = adaptive,
        .queue = adaptive_queue,
        .waiting = adaptive_waiting,
        .memory = nb_new_array(scheme->kind->memory(scheme), 1),
    };
    assert_non_null(adaptive->view.memory);
}

void adaptive_close(struct adaptive *adaptive)
{
    nb_delete(adaptive->view.memory);
    problem_close(&adaptive->problem);
}

uint32_t *adaptive_queue_to(struct adaptive *adaptive, uint32_t router,
                            size_t dimension, bool is_plus)
{
    return &adaptive->queue[nb_grid_way(&adaptive->problem.topology.grid,
                                        router, dimension, is_plus)];
}

struct nb_start adaptive_choose(const struct adaptive *adaptive,
                                uint32_t source, uint32_t destination,
                                size_t *chosen)
{
    const struct nb_routing *routing = &adaptive->problem.routing;
    struct nb_start starts[ADAPTIVE_STARTS];
    const size_t count = nb_route_starts(routing, source, destination, starts);
    uint64_t least = UINT64_MAX;
    *chosen = 0;
    for (size_t i = 0; i < count; i++) {
        const struct nb_candidate candidate = {
            .start = &starts[i],
            .index = i,
            .state = starts[i].state,
            .target = destination,
        };
        const uint64_t cost = routing->kind->cost(
            routing, &adaptive->view, source, destination, &candidate);
        if (cost < least) {
            least = cost;
            *chosen = i;
        }
    }
    return starts[*chosen];
}

bool adaptive_is_first(const struct adaptive *adaptive, uint32_t source,
                       uint32_t destination)
{
    size_t chosen;
    adaptive_choose(adaptive, source, destination, &chosen);
    return chosen == 0;
}
