/* Channel loads against the sum of rate times walk over all pairs, and in
 * doubles against counting shortest paths in long doubles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/cases.h"
#include "../support/problem.h"
#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"
#include "../support/traffic_case.h"
#include "../support/walk.h"

#include "core/memory.h"
#include "load/channel_loads.h"

/* rate(i, j) of a traffic, by trying every demand. */
static struct nb_ratio load_rate(const struct nb_topology *topology,
                                 const struct nb_traffic *traffic, uint32_t i,
                                 uint32_t j)
{
    nb_int128 sum = (nb_int128)traffic->background * topology->terminals[i] *
                    topology->terminals[j];
    if (traffic->omits_self && i == j)
        sum -= (nb_int128)traffic->background * topology->terminals[i];
    for (size_t d = 0; d < traffic->demand_count; d++)
        if (traffic->demands[d].source == i && traffic->demands[d].target == j)
            sum += traffic->demands[d].weight;
    return nb_ratio_make(sum, (nb_int128)traffic->denominator);
}

/* The whole answer by the slow method: loads, mean hops and worst channel. */
static void load_expect(const struct nb_topology *topology,
                        const struct nb_traffic *traffic,
                        const struct nb_ratio *all,
                        const struct nb_channel_loads *found, const char *name,
                        const char *pattern)
{
    const uint32_t n = (uint32_t)topology->router_count;
    struct nb_ratio total = nb_ratio_zero, rates = nb_ratio_zero;
    struct nb_ratio most = nb_ratio_zero;
    uint32_t worst = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            rates = nb_ratio_add(rates, load_rate(topology, traffic, i, j));
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        struct nb_ratio load = nb_ratio_zero;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                load = nb_ratio_add(
                    load, nb_ratio_multiply(
                              load_rate(topology, traffic, i, j),
                              all[(i * n + j) * topology->channel_count + c]));
        TOPOLOGY_CHECK(ratio_same(found->load[c].exact, load),
                       "%s, %s: channel %u: %g, not %g", name, pattern, c,
                       nb_ratio_value(found->load[c].exact),
                       nb_ratio_value(load));
        double lower, upper;
        nb_ratio_bracket(load, &lower, &upper);
        TOPOLOGY_CHECK(found->load[c].lower == lower &&
                           found->load[c].upper == upper,
                       "%s, %s: channel %u", name, pattern, c);
        total = nb_ratio_add(total, load);
        const struct nb_ratio share =
            nb_ratio_divide(load, topology->channels[c].bandwidth);
        if (nb_ratio_compare(share, most) > 0) {
            most = share;
            worst = c;
        }
    }
    TOPOLOGY_CHECK(found->worst_channel == worst, "%s, %s: channel %u, not %u",
                   name, pattern, found->worst_channel, worst);
    TOPOLOGY_CHECK(
        ratio_same(found->mean_hops.exact, nb_ratio_divide(total, rates)),
        "%s, %s: mean hops %g", name, pattern,
        nb_ratio_value(found->mean_hops.exact));
}

static void load_check_pattern(const struct problem *problem,
                               const struct nb_ratio *all, const char *name,
                               const char *pattern)
{
    struct nb_traffic traffic = { 0 };
    struct nb_error error = { 0 };
    TOPOLOGY_CHECK(nb_traffic_build(pattern, &problem->topology, false,
                                    &traffic, &error) == NB_OK,
                   "%s, %s: %s", name, pattern, error.message);
    for (int threads = 1; threads <= 3; threads++) {
        const struct nb_run run = { .threads = threads };
        struct nb_channel_loads loads = { 0 };
        TOPOLOGY_CHECK(nb_channel_loads_find(&problem->routing, &traffic, &run,
                                             &loads, &error) == NB_OK,
                       "%s, %s: %s", name, pattern, error.message);
        TOPOLOGY_CHECK(loads.is_exact && loads.channel_count ==
                                             problem->topology.channel_count,
                       "%s, %s", name, pattern);
        load_expect(&problem->topology, &traffic, all, &loads, name, pattern);
        nb_channel_loads_release(&loads);
        nb_channel_loads_release(&loads);
    }
    nb_traffic_release(&traffic);
}

static bool load_is_square(const struct nb_topology *topology)
{
    const struct nb_grid *grid = &topology->grid;
    return grid->dimensions == 2 && grid->radix[0] == grid->radix[1];
}

static void load_check(const struct problem *problem, const char *name)
{
    /* Turns or draws from sets depend on queues. */
    if (problem->routing.is_progressive || problem->routing.sets > 1)
        return;
    struct nb_ratio *all = walk_all_pairs(&problem->routing, name);
    load_check_pattern(problem, all, name, "uniform");
    load_check_pattern(problem, all, name, "uniform:self=no");
    if (problem->topology.terminals[0] > 0 &&
        problem->topology.terminals[1] > 0)
        load_check_pattern(problem, all, name, "hot-spot:nodes=0+1,share=1/3");
    load_check_pattern(problem, all, name, "random-permutation:seed=5");
    if (load_is_square(&problem->topology))
        load_check_pattern(problem, all, name, "transpose");
    if (problem->topology.grid.dimensions > 0)
        load_check_pattern(problem, all, name, "bit-complement");
    nb_delete(all);
}

static void load_check_drawn(const struct problem *problem, const char *name)
{
    static size_t examples;
    if (nb_cases_have(examples++, 2))
        load_check(problem, name);
}

static void test_examples_agree_with_walks(void **state)
{
    (void)state;
    problem_each_example(load_check_drawn);
}

/* Bandwidths differ, so the worst channel need not have the greatest load. */
static void test_uneven_bandwidths(void **state)
{
    (void)state;
    static const char *const names[] = {
        "min@file:data/topologies/abilene.txt",
        "val@file:data/topologies/abilene.txt",
        "min@file:data/topologies/ring-directed.csv,directed=yes",
    };
    problem_each_of(names, sizeof names / sizeof *names, load_check);
}

/* The number of terminals differs from router to router; some have none. */
static void test_uneven_terminals(void **state)
{
    (void)state;
    static const uint32_t terminals[] = { 1, 0, 3, 2, 0, 0, 1, 1, 0, 4, 2 };
    static const char *const routings[] = { "min", "val" };
    static const char *const patterns[] = { "uniform",
                                            "hot-spot:nodes=2,share=1/5" };
    for (size_t r = 0; r < 2; r++) {
        struct problem problem = { 0 };
        topology_must_build("file:data/topologies/abilene.txt",
                            &problem.topology);
        assert_int_equal(problem.topology.router_count,
                         sizeof terminals / sizeof *terminals);
        traffic_case_set_terminals(&problem.topology, terminals);
        problem_add_routing(&problem, routings[r]);
        struct nb_ratio *all = walk_all_pairs(&problem.routing, routings[r]);
        for (size_t p = 0; p < 2; p++)
            load_check_pattern(&problem, all, routings[r], patterns[p]);
        nb_delete(all);
        problem_close(&problem);
    }
}

/* Traffic that crosses no channel: no load, no hops. */
static void test_no_load(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads loads = { 0 };
    problem_open_example(&problem, "dor@torus:3x3");
    assert_int_equal(nb_traffic_build("hot-spot:nodes=4,share=1",
                                      &problem.topology, true, &traffic, NULL),
                     NB_OK);
    /* Only router 4 sends, to itself. */
    traffic.demand_count = 1;
    traffic.demands[0] = (struct nb_demand){ 4, 4, 1 };
    for (size_t r = 0; r <= 9; r++)
        traffic.column_start[r] = r > 4;
    assert_int_equal(
        nb_channel_loads_find(&problem.routing, &traffic, NULL, &loads, NULL),
        NB_OK);
    for (size_t c = 0; c < loads.channel_count; c++)
        assert_true(ratio_same(loads.load[c].exact, nb_ratio_zero));
    assert_true(ratio_same(loads.mean_hops.exact, nb_ratio_zero));
    assert_int_equal(loads.worst_channel, 0);
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
    problem_close(&problem);
}

enum { MESH = 24 };

/* C(n, k) of Pascal's triangle: exact, the greatest is C(46, 23) < 2^43. */
static long double choose[2 * MESH][2 * MESH];

static void load_fill_choose(void)
{
    for (size_t n = 0; n < 2 * MESH; n++)
        for (size_t k = 0; k <= n; k++)
            choose[n][k] =
                k == 0 || k == n ? 1 : choose[n - 1][k - 1] + choose[n - 1][k];
}

static long double load_paths(int width, int height)
{
    return width < 0 || height < 0 ? 0 : choose[width + height][height];
}

/* The load of uniform traffic on (x, y) -> (x + 1, y): over all pairs whose
 * paths go right, the share of shortest paths through the channel. All terms
 * are positive, so the sum of 331776 of them is accurate to 2^-45. */
static long double load_mesh(int x, int y)
{
    long double sum = 0;
    for (int sx = 0; sx <= x; sx++)
        for (int dx = x + 1; dx < MESH; dx++)
            for (int sy = 0; sy < MESH; sy++)
                for (int dy = 0; dy < MESH; dy++) {
                    const int sign = dy >= sy ? 1 : -1;
                    sum += load_paths(x - sx, sign * (y - sy)) *
                           load_paths(dx - x - 1, sign * (dy - y)) /
                           load_paths(dx - sx, sign * (dy - sy));
                }
    return sum / (MESH * MESH);
}

static void test_doubles_stay_in_their_bracket(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads loads = { 0 };
    problem_open_example(&problem, "min@mesh:24x24");
    const struct nb_topology *topology = &problem.topology;
    assert_int_equal(
        nb_traffic_build("uniform", topology, false, &traffic, NULL), NB_OK);
    assert_int_equal(
        nb_channel_loads_find(&problem.routing, &traffic, NULL, &loads, NULL),
        NB_OK);
    assert_false(loads.is_exact);
    assert_false(nb_ratio_is_known(loads.mean_hops.exact));
    load_fill_choose();
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const uint32_t from = topology->channels[c].source;
        const double width = loads.load[c].upper - loads.load[c].lower;
        assert_true(width > 0 && width < 1e-10 * loads.load[c].lower);
        assert_false(nb_ratio_is_known(loads.load[c].exact));
        if (topology->channels[c].target != from + 1 || from % 7 > 0)
            continue;
        const long double load =
            load_mesh((int)(from % MESH), (int)(from / MESH));
        const long double slack = load * 0x1p-45L;
        if (!((long double)loads.load[c].lower <= load + slack &&
              (long double)loads.load[c].upper >= load - slack))
            fail_msg("from %u: %.17g to %.17g, not %.20Lg", from,
                     loads.load[c].lower, loads.load[c].upper, load);
    }
    /* Two dimensions of mean distance (k^2 - 1) / 3k each. */
    const double hops = 2 * (MESH * MESH - 1) / (3.0 * MESH);
    assert_true(loads.mean_hops.lower <= hops * (1 + 0x1p-50) &&
                loads.mean_hops.upper >= hops * (1 - 0x1p-50));
    assert_true(loads.mean_hops.upper - loads.mean_hops.lower < 1e-10 * hops);
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
    problem_close(&problem);
}

/* The same bits from one, two and three threads. */
static void test_doubles_do_not_depend_on_threads(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads first = { 0 };
    problem_open_example(&problem, "min@mesh:24x24");
    const size_t bytes = problem.topology.channel_count * sizeof *first.load;
    assert_int_equal(
        nb_traffic_build("uniform", &problem.topology, false, &traffic, NULL),
        NB_OK);
    for (int threads = 1; threads <= 3; threads++) {
        const struct nb_run run = { .threads = threads };
        struct nb_channel_loads loads = { 0 };
        struct nb_channel_loads *out = threads == 1 ? &first : &loads;
        assert_int_equal(
            nb_channel_loads_find(&problem.routing, &traffic, &run, out, NULL),
            NB_OK);
        assert_memory_equal(out->load, first.load, bytes);
        assert_true(out->mean_hops.lower == first.mean_hops.lower);
        assert_int_equal(out->worst_channel, first.worst_channel);
        nb_channel_loads_release(&loads);
    }
    nb_channel_loads_release(&first);
    nb_traffic_release(&traffic);
    problem_close(&problem);
}

static void test_failing_memory(void **state)
{
    (void)state;
    static const char *const names[] = {
        "dor@torus:3x3",  "val@complete:4", "val@torus:4x2",
        "min@mesh:24x24", "rlb@torus:4x3",  "rlb:backtracking=yes@torus:27x9"
    };
    const struct nb_run run = { .threads = 2 };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct problem problem;
        struct nb_traffic traffic = { 0 };
        problem_open_example(&problem, names[k]);
        assert_int_equal(nb_traffic_build("uniform", &problem.topology, false,
                                          &traffic, NULL),
                         NB_OK);
        const long before = nb_memory_live_blocks();
        enum nb_status status = NB_NO_MEMORY;
        long allowed = 0;
        for (; status == NB_NO_MEMORY && allowed < 1000; allowed++) {
            struct nb_channel_loads loads = { 0 };
            nb_memory_allow(allowed);
            status = nb_channel_loads_find(&problem.routing, &traffic, &run,
                                           &loads, NULL);
            nb_memory_allow(-1);
            nb_channel_loads_release(&loads);
            TOPOLOGY_CHECK(nb_memory_live_blocks() == before,
                           "%s leaks after %ld allocations", names[k], allowed);
        }
        TOPOLOGY_CHECK(status == NB_OK && allowed > 10, "%s", names[k]);
        nb_traffic_release(&traffic);
        problem_close(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples_agree_with_walks),
        cmocka_unit_test(test_uneven_bandwidths),
        cmocka_unit_test(test_uneven_terminals),
        cmocka_unit_test(test_no_load),
        cmocka_unit_test(test_doubles_stay_in_their_bracket),
        cmocka_unit_test(test_doubles_do_not_depend_on_threads),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
