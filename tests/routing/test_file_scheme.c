/* Routings read from a table: loads are those of its paths added up one by one,
 * and a scheme written as a table remains the same scheme. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/graphs.h"
#include "../support/path_cases.h"
#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"
#include "../support/traffic_case.h"
#include "../support/walk.h"
#include "../support/worst_case_checks.h"

#include "core/memory.h"
#include "load/channel_loads.h"

#include <stdio.h>
#include <string.h>

/* The load of a traffic pattern on a channel, by the crossings of every
 * pair. */
static struct nb_ratio file_load(const struct traffic_case *at,
                                 const struct nb_ratio *all, uint32_t channel)
{
    const uint32_t n = (uint32_t)at->topology.router_count;
    struct nb_ratio load = nb_ratio_zero;
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t d = 0; d < n; d++)
            load = nb_ratio_add(
                load,
                nb_ratio_multiply(
                    traffic_case_rate(at, s, d),
                    all[(s * n + d) * at->topology.channel_count + channel]));
    return load;
}

/* Expected loads of a pattern compared with those added up path by path; loads
 * that are not exact are bounds. */
static void file_check_loads(const struct problem *problem,
                             const struct nb_ratio *all, bool is_exact,
                             const char *pattern, const char *name)
{
    struct traffic_case at = { .topology = problem->topology };
    struct nb_channel_loads loads = { 0 };
    struct nb_error error = { 0 };
    TOPOLOGY_CHECK(nb_traffic_build(pattern, &at.topology, true, &at.traffic,
                                    &error) == NB_OK,
                   "%s, %s: %s", name, pattern, error.message);
    TOPOLOGY_CHECK(nb_channel_loads_find(&problem->routing, &at.traffic, NULL,
                                         &loads, &error) == NB_OK,
                   "%s, %s: %s", name, pattern, error.message);
    for (uint32_t c = 0; c < problem->topology.channel_count; c++) {
        const struct nb_ratio load = file_load(&at, all, c);
        double lower, upper;
        nb_ratio_bracket(load, &lower, &upper);
        TOPOLOGY_CHECK(
            nb_ratio_is_known(load) && loads.is_exact == is_exact &&
                (!is_exact || ratio_same(loads.load[c].exact, load)) &&
                loads.load[c].lower <= lower && upper <= loads.load[c].upper,
            "%s, %s: channel %u: %g in [%g, %g], not %g", name, pattern, c,
            nb_ratio_value(loads.load[c].exact), loads.load[c].lower,
            loads.load[c].upper, nb_ratio_value(load));
    }
    nb_channel_loads_release(&loads);
    nb_traffic_release(&at.traffic);
}

/* Walks, loads and worst case of the scheme that reads a table. */
static void file_check_table(struct problem *problem,
                             const struct nb_path_table *table,
                             const char *name)
{
    const struct nb_topology *topology = &problem->topology;
    char hot_spot[32];
    uint32_t router = 0;
    const size_t cells = topology->router_count * topology->router_count *
                         topology->channel_count;
    struct nb_worst_case worst = { 0 };
    path_cases_add_routing(problem, table);
    struct nb_ratio *all = path_cases_crossings(topology, table);
    struct nb_ratio *walked = walk_all_pairs(&problem->routing, name);
    for (size_t i = 0; i < cells; i++)
        TOPOLOGY_CHECK(ratio_same(all[i], walked[i]),
                       "%s: entry %zu: %g, not %g", name, i,
                       nb_ratio_value(walked[i]), nb_ratio_value(all[i]));
    file_check_loads(problem, all, true, "uniform", name);
    while (topology->terminals[router] == 0)
        router++;
    snprintf(hot_spot, sizeof hot_spot, "hot-spot:nodes=%u", router);
    file_check_loads(problem, all, true, hot_spot, name);
    worst_case_must_find(problem, name, 0, &worst);
    worst_case_must_pass(problem, name, &worst);
    ratio_must_equal(worst.load.exact,
                     worst_case_claim_load(problem, all, &worst), name);
    nb_worst_case_release(&worst);
    nb_delete(all);
    nb_delete(walked);
}

static void test_loads_of_random_tables(void **state)
{
    (void)state;
    static char text[1 << 16];
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct problem problem = { 0 };
        struct nb_path_table table;
        struct nb_random random;
        char name[64];
        snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
        nb_random_init(&random, seed, 2);
        graph_random(seed, 2 + (uint32_t)(seed % 6), 8, text, sizeof text);
        topology_must_build_file(text, ".graphml", "", &problem.topology);
        path_cases_draw(&problem.topology, &random, 4, 3, &table);
        file_check_table(&problem, &table, name);
        nb_path_table_release(&table);
        problem_close(&problem);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Tables on networks with symmetries. First some of the symmetries map the
 * table to itself, then one weight breaks them. */
static void test_symmetric_tables(void **state)
{
    (void)state;
    static const struct {
        const char *topology;
        unsigned classes; /* symmetries of the table */
    } cases[] = {
        { "ring:5", NB_TRANSLATION },
        { "ring:6", NB_TRANSLATION | NB_EVEN_TRANSLATION },
        { "ring:6", NB_EVEN_TRANSLATION },
        { "ring:5", NB_REFLECTION },
        { "torus:3x3", NB_TRANSLATION },
        { "torus:3x3", NB_TRANSLATION | NB_REFLECTION | NB_AXIS_SWAP },
        { "mesh:2x3", NB_REFLECTION },
        { "mesh:2x2", NB_AXIS_SWAP },
        { "complete:4", NB_OTHER_SYMMETRY },
        { "dragonfly:h=1,p=1", NB_OTHER_SYMMETRY },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem = { 0 };
        struct nb_path_table table;
        struct nb_random random;
        nb_random_init(&random, i, 4);
        topology_must_build(cases[i].topology, &problem.topology);
        path_cases_draw(&problem.topology, &random, 1, 3, &table);
        path_cases_close(&problem.topology, cases[i].classes, &table);
        file_check_table(&problem, &table, cases[i].topology);
        TOPOLOGY_CHECK((problem.routing.symmetries & cases[i].classes) ==
                           cases[i].classes,
                       "case %zu, %s: symmetries %u", i, cases[i].topology,
                       problem.routing.symmetries);
        nb_routing_release(&problem.routing);
        /* In a pair with two paths the first becomes more likely. */
        size_t p = 0;
        while (p + 1 < table.path_count &&
               (table.path[p].source != table.path[p + 1].source ||
                table.path[p].destination != table.path[p + 1].destination))
            p++;
        assert_true(p + 1 < table.path_count);
        table.path[p].weight += 5;
        file_check_table(&problem, &table, cases[i].topology);
        TOPOLOGY_CHECK((problem.routing.symmetries & cases[i].classes) !=
                           cases[i].classes,
                       "case %zu, %s: symmetries %u", i, cases[i].topology,
                       problem.routing.symmetries);
        nb_path_table_release(&table);
        problem_close(&problem);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* A scheme's own paths as a table give the same scheme. */
static void test_schemes_as_tables(void **state)
{
    (void)state;
    enum { SCALE = 5040 * 16 };
    static const char *const examples[] = {
        "dor@torus:4x4",
        "dor:ties=plus@torus:4x4",
        "dor:ties=parity@torus:4x4",
        "dor:order=random@torus:4x3",
        "dor:order=random@mesh:3x3,terminals=2",
        "min@torus:4x3",
        "min@hypercube:3",
        "min@complete:5",
        "min@dragonfly:h=1,p=2",
        "min@fattree:k=2,n=3",
        "min@file:data/topologies/petersen-networkx.graphml",
        "o1turn@mesh:3x4",
        "ring@ring:7",
        "ring@ring:6",
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const char *name = examples[i];
        struct problem own, other = { 0 };
        struct nb_path_table table;
        struct nb_worst_case expected = { 0 }, found = { 0 };
        problem_open_example(&own, name);
        topology_must_build(strrchr(name, '@') + 1, &other.topology);
        path_cases_follow(&own.routing, SCALE, &table);
        file_check_table(&other, &table, name);
        worst_case_must_find(&own, name, 0, &expected);
        worst_case_must_find(&other, name, 0, &found);
        ratio_must_equal(found.load.exact, expected.load.exact, name);
        ratio_must_equal(found.throughput.exact, expected.throughput.exact,
                         name);
        TOPOLOGY_CHECK(own.routing.is_minimal == other.routing.is_minimal, "%s",
                       name);
        /* If the scheme has fewer focus channels, its table has too. */
        TOPOLOGY_CHECK(found.bound_count <= expected.bound_count,
                       "%s: %zu focus channels, not %zu", name,
                       found.bound_count, expected.bound_count);
        nb_worst_case_release(&expected);
        nb_worst_case_release(&found);
        nb_path_table_release(&table);
        problem_close(&own);
        problem_close(&other);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Each pair of ring:5 has two paths, one in each direction; all except the
 * second path of the last pair have the given weight. */
static void file_ring_table(const struct nb_topology *ring, uint64_t first,
                            uint64_t second, uint64_t last,
                            struct nb_path_table *table)
{
    struct nb_random random;
    nb_random_init(&random, 1, 1);
    path_cases_draw(ring, &random, 1, 1, table);
    path_cases_close(ring, NB_ANY_SYMMETRY, table);
    assert_int_equal(table->path_count, 40);
    for (size_t p = 0; p < table->path_count; p++)
        table->path[p].weight = p % 2 == 0 ? first : second;
    table->path[39].weight = last;
}

/* Sums of weights, and their common multiple, up to 2^53. */
static void test_great_sums(void **state)
{
    (void)state;
    static const uint64_t p26 = UINT64_C(1) << 26, p53 = UINT64_C(1) << 53;
    static const struct {
        uint64_t first, second, last;
        uint64_t total; /* 0: refused */
    } cases[] = {
        { p53 / 4, p53 / 4, p53 / 4, 2 },
        { 1, p53 - 1, p53 - 1, p53 },
        { 1, p53, p53, 0 },
        { 3, 3 * p53 / 4 - 3, 3 * p53 / 4 - 3, p53 / 4 },
        { 1, p26 - 1, 2 * p26 - 2, p26 * (2 * p26 - 1) },
        { 1, p26, 2 * p26 - 2, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem = { 0 };
        struct nb_path_table table;
        struct nb_error error = { 0 };
        topology_must_build("ring:5", &problem.topology);
        file_ring_table(&problem.topology, cases[i].first, cases[i].second,
                        cases[i].last, &table);
        const enum nb_status status =
            path_cases_build_routing(&problem, &table, &error);
        TOPOLOGY_CHECK(status == (cases[i].total > 0 ? NB_OK : NB_INVALID) &&
                           problem.routing.start_total == cases[i].total,
                       "case %zu: %s", i, error.message);
        TOPOLOGY_CHECK(status == NB_OK ||
                           strstr(error.message, "exceeds 2^53") != NULL,
                       "case %zu: %s", i, error.message);
        if (status == NB_OK) {
            struct nb_ratio *all =
                path_cases_crossings(&problem.topology, &table);
            file_check_loads(&problem, all, true, "tornado", "ring:5");
            nb_delete(all);
        }
        nb_path_table_release(&table);
        problem_close(&problem);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_of_random_tables),
        cmocka_unit_test(test_symmetric_tables),
        cmocka_unit_test(test_schemes_as_tables),
        cmocka_unit_test(test_great_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
