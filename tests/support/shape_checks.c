#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "shape_checks.h"

#include "ratio_checks.h"
#include "topology_checks.h"

#include "core/memory.h"
#include "topology/metrics.h"

static void shapes_check_forms(const struct nb_topology *topology,
                               const struct shape_case *shape)
{
    const char *name = shape->specification;
    const struct nb_ratio cut = topology->kind->bisection(topology).value;
    if (!nb_ratio_is_known(shape->capacity))
        return;
    ratio_must_equal(topology->kind->capacity(topology).value, shape->capacity,
                     name);
    TOPOLOGY_CHECK(cut.numerator == shape->bisection.numerator &&
                       cut.denominator == shape->bisection.denominator,
                   "%s: bisection %lld", name, (long long)cut.numerator);
}

void shapes_must_hold(const struct shape_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = cases[i].specification;
        struct nb_topology topology = { 0 };
        struct nb_distance_summary distance;
        topology_must_build(name, &topology);
        TOPOLOGY_CHECK(topology.router_count == cases[i].routers &&
                           topology.terminal_count == cases[i].terminals &&
                           topology.channel_count == cases[i].channels,
                       "%s: %zu %zu %zu", name, topology.router_count,
                       topology.terminal_count, topology.channel_count);
        assert_int_equal(nb_distance_search(&topology, &distance, NULL), NB_OK);
        assert_int_equal(distance.diameter, cases[i].diameter);
        ratio_must_equal(distance.mean, cases[i].mean, name);
        ratio_must_equal(topology.kind->mean_distance(&topology).value,
                         cases[i].mean, name);
        ratio_must_equal(topology.terminal_bandwidth, nb_ratio_one, name);
        shapes_check_forms(&topology, &cases[i]);
        nb_topology_release(&topology);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}
