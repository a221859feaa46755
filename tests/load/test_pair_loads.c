/* Pair loads against the walk of every pair, and in doubles against counting by
 * binomial coefficients. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"
#include "../support/traffic_case.h"
#include "../support/walk.h"

#include "core/memory.h"
#include "load/pair_loads.h"

#include <math.h>
#include <string.h>

static uint32_t *pair_every_channel(const struct nb_topology *topology)
{
    uint32_t *channel = nb_new_array(topology->channel_count, sizeof *channel);
    assert_non_null(channel);
    for (uint32_t c = 0; c < topology->channel_count; c++)
        channel[c] = c;
    return channel;
}

static void pair_compare(const struct nb_topology *topology,
                         const struct nb_pair_loads *loads,
                         const struct nb_ratio *all, const char *name)
{
    const size_t n = topology->router_count, m = topology->channel_count;
    uint32_t *endpoint = nb_new_array(n, sizeof *endpoint);
    assert_non_null(endpoint);
    const size_t endpoints = nb_endpoints(topology, endpoint);
    for (size_t c = 0; c < m; c++) {
        TOPOLOGY_CHECK(loads[c].is_exact && loads[c].denominator > 0 &&
                           loads[c].n == endpoints && loads[c].channel == c,
                       "%s: channel %zu", name, c);
        for (size_t i = 0; i < endpoints; i++)
            for (size_t j = 0; j < endpoints; j++) {
                const struct nb_ratio found = nb_ratio_make(
                    nb_pair_load_weight(&loads[c], i, j), loads[c].denominator);
                const struct nb_ratio expected =
                    all[(endpoint[i] * n + endpoint[j]) * m + c];
                TOPOLOGY_CHECK(ratio_same(found, expected),
                               "%s: %u to %u on %zu", name, endpoint[i],
                               endpoint[j], c);
                TOPOLOGY_CHECK(fabs(nb_pair_load_value(&loads[c], i, j) -
                                    nb_ratio_value(expected)) <= 1e-15,
                               "%s: %u to %u on %zu", name, endpoint[i],
                               endpoint[j], c);
            }
    }
    nb_delete(endpoint);
}

static void pair_check(const struct problem *problem, const char *name)
{
    /* Turns or draws from sets depend on queues. */
    if (problem->routing.is_progressive || problem->routing.sets > 1)
        return;
    const struct nb_topology *topology = &problem->topology;
    const size_t m = topology->channel_count;
    uint32_t *channel = pair_every_channel(topology);
    struct nb_pair_loads *loads = nb_new_array(m, sizeof *loads);
    struct nb_ratio *all = walk_all_pairs(&problem->routing, name);
    struct nb_error error = { 0 };
    assert_non_null(loads);
    for (int threads = 1; threads <= 3; threads++) {
        const struct nb_run run = { .threads = threads };
        memset(loads, 0xa5, m * sizeof *loads); /* earlier contents are not
                                                 * read */
        TOPOLOGY_CHECK(nb_pair_loads_find(&problem->routing, m, channel, &run,
                                          loads, &error) == NB_OK,
                       "%s: %s", name, error.message);
        TOPOLOGY_CHECK(loads[0].is_separable ==
                           (problem->routing.intermediate == NB_ANYWHERE),
                       "%s", name);
        pair_compare(topology, loads, all, name);
        for (size_t c = 0; c < m; c++)
            nb_pair_loads_release(&loads[c]);
    }
    nb_delete(channel);
    nb_delete(loads);
    nb_delete(all);
}

static void test_examples_agree_with_walks(void **state)
{
    (void)state;
    static const char *const more[] = {
        "min@file:data/topologies/abilene.txt",
        "val@file:data/topologies/abilene.txt",
        "min@file:data/topologies/ring-directed.csv,directed=yes",
        "val@file:data/topologies/ring-directed.csv,directed=yes",
        "min@file:data/topologies/petersen-networkx.graphml",
        "min@torus:4x4",
        "val:ties=parity@torus:4x2",
    };
    problem_each_example(pair_check);
    problem_each_of(more, sizeof more / sizeof *more, pair_check);
}

/* Two dimensions in either order, and tie rules, which no example has. */
static void test_orders_and_ties_agree_with_walks(void **state)
{
    (void)state;
    static const char *const others[] = {
        "dor:order=random@torus:4x3",
        "dor:ties=parity@torus:4x4",
        "min@mesh:3x3",
        "val:ties=parity@ring:6",
        "val:order=random@torus:3x3",
        "min@ccc:3",
        "val@file:data/topologies/kautz-igraph.graphml,directed=yes",
    };
    problem_each_of(others, sizeof others / sizeof *others, pair_check);
}

/* Routers without terminals are neither ends nor intermediate routers. */
static void test_routers_without_terminals(void **state)
{
    (void)state;
    static const uint32_t terminals[] = { 0, 2, 1, 0, 0, 1, 3, 0, 1 };
    static const char *const routings[] = { "min", "dor:order=random", "val" };
    for (size_t r = 0; r < sizeof routings / sizeof *routings; r++) {
        struct problem problem = { 0 };
        topology_must_build("mesh:3x3", &problem.topology);
        traffic_case_set_terminals(&problem.topology, terminals);
        problem_add_routing(&problem, routings[r]);
        pair_check(&problem, routings[r]);
        problem_close(&problem);
    }
}

/* Number of paths right or up from a to b on the mesh; 0 if b is not ahead. */
static long double pair_count_paths(int width, int height)
{
    long double count = width >= 0 && height >= 0 ? 1 : 0;
    for (int t = 1; t <= width && count > 0; t++) /* below 2^63: exact */
        count = count * (height + t) / t;
    return count;
}

/* The share of shortest paths from (sx, sy) to (dx, dy) of a mesh that cross
 * the channel (x, y) -> (x + 1, y), each count exact below 2^64. */
static long double pair_mesh_share(int k, uint32_t source, uint32_t target,
                                   int x, int y)
{
    const int n = k;
    const int sx = (int)source % n, sy = (int)source / n;
    const int dx = (int)target % n, dy = (int)target / n;
    const int sign = dy >= sy ? 1 : -1;
    if (dx <= sx)
        return 0;
    const long double before = pair_count_paths(x - sx, sign * (y - sy));
    const long double after = pair_count_paths(dx - x - 1, sign * (dy - y));
    return before * after / pair_count_paths(dx - sx, sign * (dy - sy));
}

/* A mesh too large for any common denominator. */
static void test_doubles_stay_in_their_bracket(void **state)
{
    (void)state;
    enum { K = 30, N = K * K };
    struct problem problem;
    problem_open_example(&problem, "min@mesh:30x30");
    const struct nb_topology *topology = &problem.topology;
    static const int place[][2] = { { 14, 14 }, { 0, 0 }, { 20, 3 } };
    for (size_t p = 0; p < sizeof place / sizeof *place; p++) {
        struct nb_pair_loads loads = { 0 };
        const int x = place[p][0], y = place[p][1];
        const uint32_t from = (uint32_t)(y * K + x);
        const uint32_t channel =
            topology_find_channel(topology, from, from + 1);
        assert_int_equal(nb_pair_loads_find(&problem.routing, 1, &channel, NULL,
                                            &loads, NULL),
                         NB_OK);
        assert_false(loads.is_exact);
        /* 59 nodes with 4 hops out and 4 in, 3 more roundings and two shares of
         * 1 + 465 2^-49 at each; then a product, a quotient and an addition:
         * 770 in total. */
        assert_true(loads.relative_error >= 769.9 * 0x1p-53 &&
                    loads.relative_error <= 770.1 * 0x1p-53);
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t j = 0; j < N; j++) {
                const long double expected = pair_mesh_share(K, i, j, x, y);
                const long double found = nb_pair_load_value(&loads, i, j);
                /* A product and a quotient of long doubles round here. */
                const long double permitted =
                    expected * ((long double)loads.relative_error + 0x1p-61L);
                if (!(fabsl(found - expected) <= permitted))
                    fail_msg("%u to %u on (%d, %d): %.20Lg, not %.20Lg", i, j,
                             x, y, found, expected);
            }
        nb_pair_loads_release(&loads);
    }
    problem_close(&problem);
}

/* Exact and inexact channels together, with any number of threads. */
static void test_doubles_do_not_depend_on_threads(void **state)
{
    (void)state;
    struct problem problem;
    problem_open_example(&problem, "min@mesh:24x24");
    const uint32_t channel[] = { 0, 1, 500, 1101 };
    enum { COUNT = sizeof channel / sizeof *channel };
    struct nb_pair_loads first[COUNT] = { 0 }, loads[COUNT] = { 0 };
    for (int threads = 1; threads <= 3; threads++) {
        const struct nb_run run = { .threads = threads };
        struct nb_pair_loads *out = threads == 1 ? first : loads;
        assert_int_equal(nb_pair_loads_find(&problem.routing, COUNT, channel,
                                            &run, out, NULL),
                         NB_OK);
        for (size_t c = 0; c < COUNT; c++) {
            const size_t cells = first[c].n * first[c].n;
            assert_int_equal(out[c].is_exact, first[c].is_exact);
            assert_true(out[c].relative_error == first[c].relative_error);
            if (first[c].is_exact)
                assert_memory_equal(out[c].weight, first[c].weight,
                                    cells * sizeof(int64_t));
            else
                assert_memory_equal(out[c].value, first[c].value,
                                    cells * sizeof(double));
            if (threads > 1)
                nb_pair_loads_release(&out[c]);
        }
    }
    for (size_t c = 0; c < COUNT; c++)
        nb_pair_loads_release(&first[c]);
    problem_close(&problem);
}

/* The sum of a row's cells stays below 2^62. */
static void test_rows_fit(void **state)
{
    (void)state;
    static const char *const names[] = { "min@mesh:8x8", "min@mesh:12x12",
                                         "min@mesh:16x16" };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct problem problem;
        const uint32_t channel[] = { 0, 1, 101 };
        struct nb_pair_loads loads[3] = { 0 };
        problem_open_example(&problem, names[k]);
        assert_int_equal(
            nb_pair_loads_find(&problem.routing, 3, channel, NULL, loads, NULL),
            NB_OK);
        for (size_t c = 0; c < 3; c++) {
            for (size_t i = 0; i < loads[c].n && loads[c].is_exact; i++) {
                nb_int128 sum = 0;
                for (size_t j = 0; j < loads[c].n; j++)
                    sum += nb_pair_load_weight(&loads[c], i, j);
                TOPOLOGY_CHECK(sum >> 62 == 0, "%s: row %zu", names[k], i);
            }
            nb_pair_loads_release(&loads[c]);
        }
        problem_close(&problem);
    }
}

/* A mesh read from a file, so that it has no coordinates. */
static void pair_build_bare_mesh(int k, struct nb_topology *topology)
{
    struct nb_text text = { 0 };
    for (int r = 0; r < k * k; r++) {
        if (r % k + 1 < k)
            nb_text_print(&text, "%d %d\n", r, r + 1);
        if (r / k + 1 < k)
            nb_text_print(&text, "%d %d\n", r, r + k);
    }
    topology_must_build_file(text.bytes, ".txt", "", topology);
    nb_text_release(&text);
}

/* Two phases multiply the denominator by the number of intermediate routers. On
 * this mesh that of a phase has 53 bits, and terms come close to 2^61; the rows
 * and the columns must still have equal sums: n times all loads of a phase. */
static void test_terms_of_two_phases_fit(void **state)
{
    (void)state;
    enum { K = 20 };
    struct problem problem = { 0 };
    const uint32_t channel[] = { 0, 750, 760 };
    struct nb_pair_loads loads[3] = { 0 };
    pair_build_bare_mesh(K, &problem.topology);
    problem_add_routing(&problem, "val");
    assert_int_equal(
        nb_pair_loads_find(&problem.routing, 3, channel, NULL, loads, NULL),
        NB_OK);
    for (size_t c = 0; c < 3; c++) {
        nb_int128 rows = 0, columns = 0;
        for (size_t i = 0; i < loads[c].n && loads[c].is_exact; i++) {
            rows += loads[c].weight[i];
            columns += loads[c].weight[loads[c].n + i];
            for (size_t j = 0; j < loads[c].n; j++)
                assert_true(nb_pair_load_weight(&loads[c], i, j) >= 0);
        }
        assert_true(rows == columns);
        assert_true(loads[c].is_separable);
        nb_pair_loads_release(&loads[c]);
    }
    problem_close(&problem);
}

static void test_hopeless_sizes_are_refused(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_error error = { 0 };
    problem_open_example(&problem, "dor@torus:300x300");
    const size_t m = problem.topology.channel_count;
    uint32_t *channel = pair_every_channel(&problem.topology);
    struct nb_pair_loads *loads = nb_new_array(m, sizeof *loads);
    assert_non_null(loads);
    const long before = nb_memory_live_blocks();
    /* 90000^2 cells for each of 360000 channels: 2.3e16 bytes. */
    assert_int_equal(
        nb_pair_loads_find(&problem.routing, m, channel, NULL, loads, &error),
        NB_NO_MEMORY);
    assert_non_null(strstr(error.message, "pair loads: needs"));
    assert_int_equal(nb_memory_live_blocks(), before);
    nb_delete(channel);
    nb_delete(loads);
    problem_close(&problem);
}

/* A channel that the network does not have, at either place of a list. */
static void test_unknown_channels(void **state)
{
    (void)state;
    struct problem problem;
    problem_open(&problem, "ring:4", "min");
    for (size_t place = 0; place < 2; place++) {
        uint32_t channel[2] = { 0, 1 };
        struct nb_pair_loads loads[2];
        struct nb_error error = { 0 };
        channel[place] = (uint32_t)problem.topology.channel_count;
        assert_int_equal(nb_pair_loads_find(&problem.routing, 2, channel, NULL,
                                            loads, &error),
                         NB_INVALID);
        assert_non_null(strstr(error.message, "channel 8 of a network of 8"));
    }
    problem_close(&problem);
}

static void test_failing_memory(void **state)
{
    (void)state;
    static const char *const names[] = {
        "dor@torus:3x3",  "min@mesh:3x3",  "val@complete:4",
        "min@mesh:24x24", "rlb@torus:4x3", "rlb:backtracking=yes@torus:27x9"
    };
    const struct nb_run run = { .threads = 2 };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct problem problem;
        problem_open_example(&problem, names[k]);
        const long before = nb_memory_live_blocks();
        const uint32_t channel[] = { 0, 5, 11 };
        struct nb_pair_loads loads[3];
        enum nb_status status = NB_NO_MEMORY;
        long allowed = 0;
        for (; status == NB_NO_MEMORY && allowed < 1000; allowed++) {
            nb_memory_allow(allowed);
            status = nb_pair_loads_find(&problem.routing, 3, channel, &run,
                                        loads, NULL);
            nb_memory_allow(-1);
            for (size_t c = 0; c < 3 && status == NB_OK; c++)
                nb_pair_loads_release(&loads[c]);
            TOPOLOGY_CHECK(nb_memory_live_blocks() == before,
                           "%s leaks after %ld allocations", names[k], allowed);
        }
        TOPOLOGY_CHECK(status == NB_OK && allowed > 10, "%s", names[k]);
        problem_close(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples_agree_with_walks),
        cmocka_unit_test(test_orders_and_ties_agree_with_walks),
        cmocka_unit_test(test_routers_without_terminals),
        cmocka_unit_test(test_doubles_stay_in_their_bracket),
        cmocka_unit_test(test_doubles_do_not_depend_on_threads),
        cmocka_unit_test(test_rows_fit),
        cmocka_unit_test(test_terms_of_two_phases_fit),
        cmocka_unit_test(test_hopeless_sizes_are_refused),
        cmocka_unit_test(test_unknown_channels),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
