/* Where the steps of adaptive schemes lead, and which networks they refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "routing/grid_ways.h"
#include "topology/metrics.h"

#include <string.h>

enum { QUADRANT_STARTS = 8 };

/* Every route from router onwards: each must arrive after this many hops, in
 * each dimension only in the direction of the class. Returns their number. */
static uint64_t quadrant_follow(const struct problem *problem, const char *name,
                                nb_route_state directions, uint32_t router,
                                uint32_t destination, uint32_t left)
{
    const struct nb_grid *grid = &problem->topology.grid;
    struct nb_hop hops[NB_MAX_DIMENSIONS];
    const size_t count = nb_route_step(&problem->routing, NULL, directions,
                                       router, destination, hops);
    uint64_t routes = count == 0;
    size_t index = 0, bit = 0;
    TOPOLOGY_CHECK(
        (count == 0) == (left == 0) && (count == 0) == (router == destination),
        "%s: %u hops left from %u to %u", name, left, router, destination);
    for (size_t d = 0; d < grid->dimensions; d++) {
        const bool turns = grid->radix[d] > 2;
        const bool is_plus = !turns || (directions >> bit) % 2 == 1;
        bit += turns;
        if (nb_grid_coordinate(grid, router, d) ==
            nb_grid_coordinate(grid, destination, d))
            continue;
        TOPOLOGY_CHECK(
            index < count && hops[index].weight == 1 &&
                hops[index].channel == nb_grid_way(grid, router, d, is_plus),
            "%s: from %u to %u in dimension %zu", name, router, destination, d);
        routes += quadrant_follow(
            problem, name, hops[index].next,
            problem->topology.channels[hops[index].channel].target, destination,
            left - 1);
        index++;
    }
    assert_int_equal(index, count);
    return routes;
}

/* Hops of the quadrant, and the number of choices of directions. */
static uint32_t quadrant_hops(const struct nb_grid *grid,
                              nb_route_state directions, uint32_t source,
                              uint32_t destination, size_t *choices)
{
    uint32_t hops = 0;
    *choices = 1;
    for (size_t d = 0; d < grid->dimensions; d++) {
        const uint32_t k = grid->radix[d];
        const uint32_t ahead = (nb_grid_coordinate(grid, destination, d) + k -
                                nb_grid_coordinate(grid, source, d)) %
                               k;
        const bool is_plus = directions % 2 == 1;
        directions >>= k > 2;
        *choices <<= ahead > 0 && k > 2;
        hops += ahead == 0 || is_plus || k == 2 ? ahead : k - ahead;
    }
    return hops;
}

static void quadrant_check_pair(const struct problem *problem, const char *name,
                                uint32_t source, uint32_t destination,
                                uint32_t distance)
{
    struct nb_start starts[QUADRANT_STARTS];
    const size_t count =
        nb_route_starts(&problem->routing, source, destination, starts);
    uint32_t before = distance; /* that of the first start */
    for (size_t i = 0; i < count; i++) {
        size_t choices;
        const uint32_t hops =
            quadrant_hops(&problem->topology.grid, starts[i].state, source,
                          destination, &choices);
        TOPOLOGY_CHECK(count == choices && (i > 0 || hops == distance) &&
                           hops >= before,
                       "%s: %u to %u: start %zu of %zu has %u hops", name,
                       source, destination, i, count, hops);
        for (size_t j = 0; j < i; j++)
            TOPOLOGY_CHECK(starts[i].state != starts[j].state,
                           "%s: %u to %u: %zu and %zu", name, source,
                           destination, i, j);
        assert_true(quadrant_follow(problem, name, starts[i].state, source,
                                    destination, hops) > 0);
        before = hops;
    }
}

static void quadrant_check(const struct problem *problem, const char *name)
{
    const size_t n = problem->topology.router_count;
    uint32_t *distance = nb_new_array(n, sizeof *distance);
    uint32_t *queue = nb_new_array(n, sizeof *queue);
    assert_true(distance != NULL && queue != NULL);
    assert_string_equal(problem->routing.vc_rule, "star");
    for (uint32_t j = 0; j < n; j++) {
        nb_distances_to(&problem->topology, j, distance, queue);
        for (uint32_t i = 0; i < n; i++)
            quadrant_check_pair(problem, name, i, j, distance[i]);
    }
    nb_delete(distance);
    nb_delete(queue);
}

static void test_quadrants_lead_to_the_destination(void **state)
{
    (void)state;
    static const char *const examples[] = { "cqr@ring:3",     "cqr@ring:6",
                                            "gal@ring:7",     "gal@torus:4x4",
                                            "cqr@torus:5x4",  "gal@torus:2x5",
                                            "cqr@torus:2x2",  "cqr@torus:4x3x2",
                                            "gal@torus:3x3x4" };
    problem_each_of(examples, sizeof examples / sizeof *examples,
                    quadrant_check);
}

/* At every router, the channels to the routers that are nearer. */
static void nearer_check(const struct problem *problem, const char *name)
{
    const struct nb_topology *topology = &problem->topology;
    const size_t n = topology->router_count;
    uint32_t *distance = nb_new_array(n, sizeof *distance);
    uint32_t *queue = nb_new_array(n + 1, sizeof *queue);
    struct nb_route_table table;
    struct nb_hop hops[16];
    assert_true(distance != NULL && queue != NULL &&
                problem->routing.most_hops <= 16);
    assert_int_equal(nb_route_table_init(topology, &table, NULL), NB_OK);
    for (uint32_t j = 0; j < n; j++) {
        nb_route_table_fill(topology, j, &table, queue);
        nb_distances_to(topology, j, distance, queue);
        for (uint32_t i = 0; i < n; i++) {
            const size_t count =
                nb_route_step(&problem->routing, &table, 0, i, j, hops);
            size_t nearer = 0;
            for (uint32_t c = 0; c < topology->channel_count; c++)
                if (topology->channels[c].source == i &&
                    distance[topology->channels[c].target] < distance[i]) {
                    TOPOLOGY_CHECK(nearer < count && hops[nearer].channel == c,
                                   "%s: %u to %u: channel %u", name, i, j, c);
                    nearer++;
                }
            assert_int_equal(nearer, count);
        }
    }
    if (topology->grid.dimensions > 0)
        assert_string_equal(problem->routing.vc_rule, "star");
    else
        assert_null(problem->routing.vc_rule);
    nb_route_table_release(&table);
    nb_delete(distance);
    nb_delete(queue);
}

static void test_min_adaptive_takes_all_that_is_nearer(void **state)
{
    (void)state;
    static const char *const examples[] = {
        "min-adaptive@ring:8",
        "min-ad@torus:4x5",
        "minad@mesh:3x4",
        "min-adaptive@hypercube:4",
        "min-adaptive@complete:6",
        "min-adaptive@ccc:3",
        "min-adaptive@fattree:k=3,n=2",
        "min-adaptive@file:data/topologies/abilene.txt"
    };
    problem_each_of(examples, sizeof examples / sizeof *examples, nearer_check);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *topology, *routing, *said;
    } cases[] = {
        { "mesh:4x4", "gal", "topology mesh:4x4 is not a ring or torus" },
        { "hypercube:3", "cqr", "topology hypercube:3 is not a ring or torus" },
        { "complete:4", "cqr", "topology complete:4 is not a ring or torus" },
        { "ring:8", "gal:0", "threshold \"0\"" },
        { "ring:8", "gal:1.5", "threshold \"1.5\"" },
        { "ring:8", "gal:stable=maybe", "no|yes" },
        { "ring:8", "gal:4,stable=yes,most=3", "most=3 is below threshold=4" },
        { "ring:8", "cqr:2", "permitted: none" },
        { "ring:8", "min-adaptive:2", "permitted: none" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_topology topology;
        struct nb_routing routing = { 0 };
        struct nb_error error = { 0 };
        topology_must_build(cases[i].topology, &topology);
        const enum nb_status status =
            nb_routing_build(cases[i].routing, &topology, &routing, &error);
        TOPOLOGY_CHECK(status == NB_INVALID &&
                           strstr(error.message, cases[i].said) != NULL &&
                           strstr(error.message, "permitted") != NULL,
                       "%s on %s: %s", cases[i].routing, cases[i].topology,
                       error.message);
        nb_topology_release(&topology);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quadrants_lead_to_the_destination),
        cmocka_unit_test(test_min_adaptive_takes_all_that_is_nearer),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
