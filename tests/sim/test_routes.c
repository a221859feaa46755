/* Routes: kept lists compared with the step function, and paths drawn from them
 * compared with channel loads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "load/channel_loads.h"
#include "sim/routes.h"
#include "support/problem.h"
#include "support/simulation.h"
#include "support/sources_case.h"
#include "support/walk.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

static const struct nb_run one_thread = { .threads = 1 };

/* One list against the scheme's answer now; the weights of the one and the
 * weights or shares of the other are in proportion. */
static void compare_lists(struct nb_routes *routes, struct walk *walk,
                          nb_route_state state, uint32_t router,
                          uint32_t destination)
{
    const struct nb_routes_hop *list;
    const size_t count =
        nb_routes_list(routes, state, router, destination, &list);
    const size_t expected = walk_step(walk, state, router, destination);
    SIMULATION_CHECK(
        count == expected, "%s: state %ju at %u to %u: %zu hops, expecting %zu",
        walk->name, (uintmax_t)state, router, destination, count, expected);
    double weights = 0, shares = 0;
    for (size_t i = 0; i < count; i++) {
        weights += (double)walk->hops[i].weight;
        shares += walk->hops[i].share;
    }
    for (size_t i = 0; i < count; i++) {
        const struct nb_hop *hop = &walk->hops[i];
        const double kept =
            (double)list[i].weight - (i > 0 ? (double)list[i - 1].weight : 0);
        const double chance = kept / (double)list[count - 1].weight;
        const bool is_exact = list[count - 1].weight != 1U << 31;
        SIMULATION_CHECK(
            list[i].channel == hop->channel &&
                nb_routes_next(routes, state, router, destination, &list[i]) ==
                    hop->next &&
                fabs(chance - hop->share / shares) < 1e-9 &&
                (!is_exact ||
                 kept * weights ==
                     (double)hop->weight * (double)list[count - 1].weight),
            "%s: state %ju at %u to %u: hop %zu, chance %.17g, expecting "
            "%.17g",
            walk->name, (uintmax_t)state, router, destination, i, chance,
            hop->share / shares);
    }
}

/* A packet that begins there, on a path drawn evenly from its hops. */
static void compare_way(struct nb_routes *routes, struct walk *walk,
                        nb_route_state state, uint32_t source,
                        uint32_t destination, struct nb_random *random)
{
    const struct nb_topology *topology = routes->routing->topology;
    const struct nb_routes_hop *list;
    size_t count, hops = 0;
    uint32_t router = source;
    do {
        compare_lists(routes, walk, state, router, destination);
        count = nb_routes_list(routes, state, router, destination, &list);
        if (count == 0)
            break;
        const size_t i = (size_t)nb_random_below(random, count);
        const uint32_t next = topology->channels[list[i].channel].target;
        state = nb_routes_next(routes, state, router, destination, &list[i]);
        router = next;
    } while (++hops < 100);
    SIMULATION_CHECK(router == destination && count == 0,
                     "%s: %u to %u is at %u after %zu hops", walk->name, source,
                     destination, router, hops);
}

/* Every start of every pair, and some of its intermediate routers; lists are
 * kept up to a number of hops. */
static void compare_within(const struct problem *problem, const char *name,
                           size_t room)
{
    enum { INTERMEDIATES = 4 };
    const struct nb_routing *routing = &problem->routing;
    const uint32_t n = (uint32_t)problem->topology.router_count;
    struct nb_routes routes;
    struct nb_random random;
    struct walk walk;
    nb_random_init(&random, 1, 0);
    assert_int_equal(nb_routes_init(routing, &routes, NULL), NB_OK);
    if (room < routes.kept_capacity)
        routes.kept_capacity = room;
    walk_open(&walk, routing, name);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            if (!walk_has_pair(routing, i, j))
                continue;
            const size_t starts = nb_route_starts(routing, i, j, walk.starts);
            for (size_t s = 0; s < starts; s++)
                for (int p = 0; p < INTERMEDIATES; p++) {
                    const struct nb_start *start = &walk.starts[s];
                    const uint64_t index =
                        nb_random_below(&random, nb_start_ways(start));
                    compare_way(&routes, &walk,
                                nb_route_begin(routing, start, index, i, j), i,
                                j, &random);
                }
        }
    SIMULATION_CHECK(routes.kept_count <= routes.kept_capacity,
                     "%s: %zu hops kept in room for %zu", name,
                     routes.kept_count, routes.kept_capacity);
    walk_close(&walk);
    nb_routes_release(&routes);
}

static void compare_all(const struct problem *problem, const char *name)
{
    compare_within(problem, name, SIZE_MAX);
}

static void compare_few(const struct problem *problem, const char *name)
{
    compare_within(problem, name, 10);
}

static void test_lists(void **state)
{
    (void)state;
    problem_each_example(compare_all);
    problem_each_example(compare_few);
}

/*
 * Shortest paths from corner to corner of a mesh of side columns and rows, too
 * many to be counted: with x and y hops to go, x / (x + y) of them go on in the
 * first dimension.
 */
static void check_corners(const char *example, uint32_t side, bool is_kept)
{
    const uint32_t last = side * side - 1;
    struct problem problem;
    struct nb_routes routes;
    struct nb_random random;
    size_t count, rounded = 0;
    problem_open_example(&problem, example);
    nb_random_init(&random, 3, 0);
    assert_int_equal(nb_routes_init(&problem.routing, &routes, NULL), NB_OK);
    assert_int_equal(routes.entry != NULL, is_kept);
    for (uint32_t router = 0; router != last;) {
        const struct nb_routes_hop *list;
        count = nb_routes_list(&routes, 0, router, last, &list);
        const double x = side - 1 - router % side, y = side - 1 - router / side;
        const double total = list[count - 1].weight;
        const double chance = x > 0 ? list[0].weight / total : 0;
        rounded += list[count - 1].weight == 1U << 31;
        assert_int_equal(count, (x > 0) + (y > 0));
        SIMULATION_CHECK(fabs(chance - x / (x + y)) < 1e-9,
                         "%s at %u: %.17g, expecting %.17g", example, router,
                         chance, x / (x + y));
        router = problem.topology
                     .channels[list[nb_random_below(&random, count)].channel]
                     .target;
    }
    assert_true(rounded > 0);
    nb_routes_release(&routes);
    problem_close(&problem);
}

static void test_corners(void **state)
{
    (void)state;
    check_corners("min@mesh:40x40", 40, true);
    check_corners("min@mesh:108x108", 108, false);
}

/* A packet's path as the simulator draws it; the channel of its hop number
 * `wanted` (from 0 on), channel_count if it has fewer hops. */
static uint32_t draw_hop(struct nb_routes *routes, uint32_t source,
                         uint32_t destination, size_t wanted,
                         struct nb_random *random)
{
    const struct nb_topology *topology = routes->routing->topology;
    const struct nb_routes_hop *list;
    uint32_t router = source;
    size_t chosen, count;
    nb_route_state state =
        nb_routes_begin(routes, NULL, source, destination, 0, random, &chosen);
    for (size_t hop = 0;; hop++) {
        count = nb_routes_list(routes, state, router, destination, &list);
        if (count == 0)
            return (uint32_t)topology->channel_count;
        const struct nb_routes_hop *taken =
            &list[nb_routes_draw(list, count, random)];
        if (hop == wanted)
            return taken->channel;
        state = nb_routes_next(routes, state, router, destination, taken);
        router = topology->channels[taken->channel].target;
    }
}

/*
 * One hop of each of many packets of uniform traffic, its number drawn evenly
 * from 0 .. HOPS - 1, no packet having more than HOPS: its channel is c with
 * probability (load of c per packet) / HOPS, and packets are independent.
 */
static void compare_frequencies(const struct problem *problem, const char *name)
{
    enum { HOPS = 14, PACKETS = 20000 };
    const struct nb_topology *topology = &problem->topology;
    const size_t channels = topology->channel_count;
    const uint32_t terminals = (uint32_t)topology->terminal_count;
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads loads = { 0 };
    struct nb_routes routes;
    struct nb_random random;
    if (problem->routing.kind->is_adaptive)
        return;
    uint64_t *seen = calloc(channels + 1, sizeof *seen);
    double *expected = calloc(channels + 1, sizeof *expected);
    uint32_t *router_of = calloc(terminals, sizeof *router_of);
    assert_true(seen != NULL && expected != NULL && router_of != NULL);
    for (uint32_t r = 0, t = 0; r < topology->router_count; r++)
        for (uint32_t i = 0; i < topology->terminals[r]; i++)
            router_of[t++] = r;
    assert_int_equal(
        nb_traffic_build("uniform", topology, false, &traffic, NULL), NB_OK);
    assert_int_equal(nb_channel_loads_find(&problem->routing, &traffic,
                                           &one_thread, &loads, NULL),
                     NB_OK);
    assert_int_equal(nb_routes_init(&problem->routing, &routes, NULL), NB_OK);
    nb_random_init(&random, 7, 0);
    for (int p = 0; p < PACKETS; p++)
        seen[draw_hop(&routes, router_of[nb_random_below(&random, terminals)],
                      router_of[nb_random_below(&random, terminals)],
                      (size_t)nb_random_below(&random, HOPS), &random)]++;
    expected[channels] = PACKETS;
    for (size_t c = 0; c < channels; c++) {
        expected[c] = PACKETS * loads.load[c].upper / terminals / HOPS;
        expected[channels] -= expected[c];
    }
    sources_check_counts(name, channels + 1, seen, expected);
    nb_routes_release(&routes);
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
    free(seen);
    free(expected);
    free(router_of);
}

static void test_frequencies(void **state)
{
    (void)state;
    problem_each_example(compare_frequencies);
}

static void test_failing_memory(void **state)
{
    struct problem problem;
    struct nb_routes routes;
    (void)state;
    problem_open_example(&problem, "min@torus:4x4");
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        nb_memory_allow(allowed);
        status = nb_routes_init(&problem.routing, &routes, NULL);
        nb_memory_allow(-1);
        if (status == NB_OK)
            nb_routes_release(&routes);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    problem_close(&problem);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_corners),
        cmocka_unit_test(test_frequencies),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
