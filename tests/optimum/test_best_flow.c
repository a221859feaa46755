/* The best flow of a traffic: known values, gap, time limit, threads. */
#include "optimum/best_flow.h"

#include "support/flow_case.h"
#include "support/ratio_checks.h"
#include "support/topology_checks.h"
#include "core/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The flow must be exact and equal to this. */
static void must_carry(const struct flow_case *testcase, const char *paths,
                       struct nb_ratio expected)
{
    char name[400];
    snprintf(name, sizeof name, "%s, %s", testcase->name, paths);
    ratio_must_equal(testcase->flow.throughput.exact, expected, name);
}

static void solves_known_cases(void **state)
{
    (void)state;
    static const struct {
        const char *topology, *traffic, *paths;
        struct nb_ratio throughput;
        const char *source;
    } cases[] = {
        { "ring:8", "tornado", "any", { 8, 15 }, "x1 = 1/3, x2 = 1/5" },
        { "ring:8", "tornado", "minimal", { 1, 3 }, "3 hops each" },
        { "ring:8,terminals=3", "tornado", "any", { 8, 45 }, "the same / 3" },
        { "complete:8", "neighbour", "any", { 4, 1 }, "7 of 1 + 6/2 paths" },
        { "complete:8", "neighbour", "minimal", { 1, 1 }, "one channel" },
        { "torus:8x8", "transpose", "any", { 10, 11 }, "scipy" },
        { "torus:8x8", "transpose", "minimal", { 2, 3 }, "scipy" },
        { "mesh:4x4", "transpose", "minimal", { 1, 1 }, "scipy" },
        { "ccc:3", "uniform", "any", { 2, 3 }, "scipy" },
        { "dragonfly:h=2", "adversarial", "any", { 9, 16 }, "scipy" },
        { "file:data/topologies/abilene.txt",
          "uniform",
          "any",
          { 11, 15 },
          "scipy" },
        { "file:data/topologies/petersen-networkx.graphml",
          "uniform",
          "any",
          { 56, 17 },
          "scipy" },
        { "torus:8x8",
          "random-permutation:seed=1",
          "any",
          { 16, 19 },
          "scipy" },
        { "torus:8x8", "random-permutation:seed=2", "any", { 7, 8 }, "scipy" },
        { "torus:8x8", "random-permutation:seed=4", "any", { 8, 9 }, "scipy" },
        { "ring:8", "uniform", "any", { 1, 1 }, "capacity 8/k" },
        { "torus:8x8", "uniform", "minimal", { 1, 1 }, "capacity 8/k" },
        { "torus:5x5", "uniform", "any", { 5, 3 }, "8k/(k^2 - 1)" },
        { "mesh:8x8", "uniform", "any", { 1, 2 }, "capacity 4/k" },
        { "hypercube:6", "uniform", "any", { 2, 1 }, "capacity" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct flow_case testcase;
        flow_case_open(&testcase, cases[k].topology, cases[k].traffic);
        flow_case_solve(&testcase, cases[k].paths);
        must_carry(&testcase, cases[k].paths, cases[k].throughput);
        flow_case_close(&testcase);
    }
}

/* Cuts *line at the next comma outside quotes, which are removed; returns the
 * field. */
static char *next_field(char **line)
{
    char *field = *line;
    const bool is_quoted = *field == '"';
    field += is_quoted;
    char *end = field + strcspn(field, is_quoted ? "\"" : ",\n");
    *line = end + (*end != '\0') + is_quoted;
    *end = '\0';
    return field;
}

/* Values of an independent program; see the file's header. */
static void agrees_with_reference(void **state)
{
    (void)state;
    char line[500];
    size_t rows = 0;
    FILE *file = fopen("data/reference/optimum_flow.csv", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        char *rest = line;
        if (line[0] == '#' || strncmp(line, "topology,", 9) == 0)
            continue;
        const char *topology = next_field(&rest), *traffic = next_field(&rest);
        const char *paths = next_field(&rest);
        const double value = strtod(next_field(&rest), NULL);
        const char *ratio = next_field(&rest);
        struct flow_case testcase;
        struct nb_ratio expected;
        flow_case_open(&testcase, topology, traffic);
        flow_case_solve(&testcase, paths);
        const struct nb_enclosure found = testcase.flow.throughput;
        TOPOLOGY_CHECK(fabs(found.lower - value) <= 1e-8 * value &&
                           fabs(found.upper - value) <= 1e-8 * value,
                       "%s, %s: %.12g .. %.12g, not %.12g", testcase.name,
                       paths, found.lower, found.upper, value);
        if (*ratio != '\0' && nb_ratio_is_known(found.exact)) {
            assert_int_equal(nb_ratio_read(ratio, &expected, NULL), NB_OK);
            must_carry(&testcase, paths, expected);
        }
        flow_case_close(&testcase);
        rows++;
    }
    fclose(file);
    assert_true(rows > 50);
}

/* No traffic over a channel: no limit. Packets to their own router take no
 * hops. */
static void has_no_limit_without_hops(void **state)
{
    (void)state;
    struct flow_case testcase;
    flow_case_open_file(&testcase, "0 1\n1 2\n2 0\n", ".txt",
                        "source,destination,rate\n1,1,1/2\n");
    flow_case_solve(&testcase, "any");
    assert_true(nb_ratio_is_infinite(testcase.flow.throughput.exact));
    assert_true(nb_enclosure_is_zero(testcase.flow.mean_hops));
    assert_int_equal(testcase.flow.paths.path_count, 0);
    assert_int_equal(testcase.flow.pair_orbits, 0);
    flow_case_close(&testcase);

    flow_case_open_file(&testcase, "0 1\n1 2\n2 0\n", ".txt",
                        "source,destination,rate\n1,1,1/2\n0,1,1/4\n");
    flow_case_solve(&testcase, "minimal");
    must_carry(&testcase, "minimal", (struct nb_ratio){ 4, 1 });
    ratio_must_equal(testcase.flow.mean_hops.exact, (struct nb_ratio){ 1, 3 },
                     "mean hops");
    flow_case_close(&testcase);
}

/* Ten times the bandwidth carries ten times the traffic over the same paths. */
static void scales_with_bandwidth(void **state)
{
    (void)state;
    static const char *const topologies[] = { "torus:6x6,bandwidth=7/3",
                                              "torus:6x6,bandwidth=70/3" };
    struct flow_case testcase[2];
    for (size_t k = 0; k < 2; k++) {
        flow_case_open(&testcase[k], topologies[k],
                       "random-permutation:seed=6");
        flow_case_solve(&testcase[k], "any");
    }
    /* 12/11 at bandwidth 1, by scipy. */
    must_carry(&testcase[0], "any", (struct nb_ratio){ 28, 11 });
    must_carry(&testcase[1], "any", (struct nb_ratio){ 280, 11 });
    for (size_t k = 0; k < 2; k++)
        flow_case_close(&testcase[k]);
}

static void ends_within_the_gap(void **state)
{
    (void)state;
    static const double gaps[] = { 0.3, 0.1, 0.03, 0.01, 1e-4, 1e-7 };
    for (size_t k = 0; k < sizeof gaps / sizeof *gaps; k++) {
        struct flow_case testcase;
        flow_case_open(&testcase, "torus:8x8", "random-permutation:seed=1");
        testcase.question.gap = gaps[k];
        flow_case_solve(&testcase, "any");
        const struct nb_enclosure found = testcase.flow.throughput;
        TOPOLOGY_CHECK(found.upper - found.lower <= gaps[k] * found.lower,
                       "gap %g: %g .. %g", gaps[k], found.lower, found.upper);
        /* 16/19 by scipy. */
        assert_true(found.lower <= 16 / 19.0 && 16 / 19.0 <= found.upper);
        assert_false(testcase.flow.was_stopped);
        flow_case_close(&testcase);
    }
}

/* A program too large for the simplex method. */
static void weighs_large_programs(void **state)
{
    (void)state;
    struct flow_case testcase;
    flow_case_open(&testcase, "torus:28x28", "random-permutation:seed=2");
    flow_case_solve(&testcase, "minimal");
    const struct nb_enclosure found = testcase.flow.throughput;
    assert_true(testcase.flow.channel_orbits > 3000);
    TOPOLOGY_CHECK(found.upper <= 1.01 * found.lower, "%g .. %g", found.lower,
                   found.upper);
    flow_case_close(&testcase);
}

/* However short the time, there is some proof. */
static void stops_in_time(void **state)
{
    (void)state;
    static const double seconds[] = { 1e-9, 0.01 };
    for (size_t k = 0; k < 2; k++) {
        struct flow_case testcase;
        flow_case_open(&testcase, "torus:16x16", "random-permutation:seed=1");
        testcase.question.seconds = seconds[k];
        flow_case_solve(&testcase, "any");
        const struct nb_enclosure found = testcase.flow.throughput;
        assert_true(testcase.flow.was_stopped);
        /* 0.4383561644 by another method. */
        assert_true(0 < found.lower && found.lower <= 0.4383561644);
        assert_true(0.4383561643 <= found.upper && found.upper < 1);
        flow_case_close(&testcase);
    }
}

static void does_not_depend_on_threads(void **state)
{
    (void)state;
    static const int threads[] = { 1, 2, 3 };
    struct flow_case testcase;
    struct nb_best_flow flow[3] = { 0 };
    flow_case_open(&testcase, "torus:12x12", "random-permutation:seed=5");
    flow_case_solve(&testcase, "any");
    testcase.question.gap = 0.02;
    for (size_t k = 0; k < 3; k++) {
        const struct nb_run run = { .threads = threads[k] };
        assert_int_equal(
            nb_best_flow_find(&testcase.question, &run, &flow[k], NULL), NB_OK);
        assert_int_equal(flow[k].paths.path_count, flow[0].paths.path_count);
        assert_int_equal(flow[k].rounds, flow[0].rounds);
        for (size_t p = 0; p < flow[0].paths.path_count; p++)
            assert_int_equal(flow[k].paths.path[p].weight,
                             flow[0].paths.path[p].weight);
        assert_memory_equal(flow[k].length, flow[0].length,
                            testcase.topology.channel_count * sizeof(int64_t));
    }
    for (size_t k = 0; k < 3; k++)
        nb_best_flow_release(&flow[k]);
    flow_case_close(&testcase);
}

static void survives_failed_allocations(void **state)
{
    (void)state;
    static const char *const topologies[] = { "torus:3x3", "mesh:3x3" };
    for (size_t k = 0; k < 2; k++) {
        struct flow_case testcase;
        enum nb_status status = NB_NO_MEMORY;
        long allowed = 0;
        flow_case_open(&testcase, topologies[k], "random-permutation:seed=2");
        flow_case_solve(&testcase, "any");
        nb_best_flow_release(&testcase.flow);
        const long before = nb_memory_live_blocks();
        for (; status == NB_NO_MEMORY && allowed < 2000; allowed++) {
            const struct nb_run run = { .threads = 2 };
            nb_memory_allow(allowed);
            status = nb_best_flow_find(&testcase.question, &run, &testcase.flow,
                                       NULL);
            nb_memory_allow(-1);
            nb_best_flow_release(&testcase.flow);
            TOPOLOGY_CHECK(nb_memory_live_blocks() == before,
                           "%s leaks after %ld allocations", topologies[k],
                           allowed);
        }
        TOPOLOGY_CHECK(status == NB_OK && allowed > 60, "%s: %ld",
                       topologies[k], allowed);
        flow_case_close(&testcase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_known_cases),
        cmocka_unit_test(agrees_with_reference),
        cmocka_unit_test(has_no_limit_without_hops),
        cmocka_unit_test(scales_with_bandwidth),
        cmocka_unit_test(ends_within_the_gap),
        cmocka_unit_test(weighs_large_programs),
        cmocka_unit_test(stops_in_time),
        cmocka_unit_test(does_not_depend_on_threads),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
