/* The best flow against a plain linear program, and against properties of every
 * optimum. */
#include "optimum/best_flow.h"

#include "support/edge_program.h"
#include "support/flow_case.h"
#include "support/graphs.h"
#include "support/topology_checks.h"
#include "load/channel_loads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Tolerance of GLPK's answer to the plain program. */
static const double tolerance = 1e-8;

enum { SEEDS = 40 };

static void open_random(struct flow_case *testcase, uint64_t seed)
{
    char text[8000], demands[8000];
    struct nb_topology topology;
    graph_random(seed, 4 + (uint32_t)seed % 7, 12, text, sizeof text);
    topology_must_build_file(text, ".graphml", "", &topology);
    flow_case_draw(&topology, seed, demands, sizeof demands);
    nb_topology_release(&topology);
    flow_case_open_file(testcase, text, ".graphml", demands);
    snprintf(testcase->name, sizeof testcase->name, "random graph of seed %u",
             (unsigned)seed);
}

/* Whether a bracket contains a value that is known up to the tolerance. */
static void must_hold(const struct flow_case *testcase, const char *paths,
                      double value)
{
    const struct nb_enclosure found = testcase->flow.throughput;
    TOPOLOGY_CHECK(found.lower <= value * (1 + tolerance) &&
                       found.upper >= value * (1 - tolerance) &&
                       found.upper <= found.lower * (1 + tolerance),
                   "%s, %s: %.12g .. %.12g, not %.12g", testcase->name, paths,
                   found.lower, found.upper, value);
}

/* Bounds by even lengths, hops and routers are not below what is carried. */
static void must_leave(struct flow_case *testcase, const char *paths)
{
    const double value = testcase->flow.throughput.lower;
    for (size_t c = 0; c < testcase->topology.channel_count; c++)
        testcase->flow.length[c] = 1;
    assert_int_equal(
        nb_best_flow_check(&testcase->question, &testcase->flow, NULL), NB_OK);
    TOPOLOGY_CHECK(testcase->flow.throughput.upper >= value,
                   "%s, %s: %.17g is carried, but the bound is %.17g",
                   testcase->name, paths, value,
                   testcase->flow.throughput.upper);
}

/* All classes on random networks with random demands; wider classes carry no
 * less. */
static void agrees_with_edge_program(void **state)
{
    (void)state;
    static const char *const classes[] = { "minimal", "1", "3/2", "2", "any" };
    size_t exact = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct flow_case testcase;
        double before = 0;
        open_random(&testcase, seed);
        for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
            flow_case_solve(&testcase, classes[k]);
            const struct nb_enclosure found = testcase.flow.throughput;
            if (isfinite(found.lower))
                must_hold(&testcase, classes[k],
                          edge_program_solve(&testcase.question));
            TOPOLOGY_CHECK(found.upper >= before, "%s: %s carries less",
                           testcase.name, classes[k]);
            before = found.lower;
            exact += nb_ratio_is_known(found.exact);
            must_leave(&testcase, classes[k]);
        }
        flow_case_close(&testcase);
    }
    /* Programs as small as these are solved exactly. */
    assert_int_equal(exact, SEEDS * sizeof classes / sizeof *classes);
}

/* On networks with groups, minimal paths differ; with reversals, orbits do. */
static void agrees_on_symmetric_networks(void **state)
{
    (void)state;
    static const char *const names[][3] = {
        { "torus:4x3", "uniform", "minimal" },
        { "torus:4x4", "uniform", "3/2" },
        { "torus:4x2", "random-permutation:seed=3", "any" },
        { "mesh:3x3", "uniform", "any" },
        { "mesh:4x3,bandwidth=2/3", "random-permutation:seed=4", "minimal" },
        { "hypercube:4", "transpose", "2" },
        { "ccc:3", "random-permutation:seed=5", "any" },
        { "dragonfly:h=1", "uniform", "minimal" },
        { "dragonfly:h=1", "adversarial", "any" },
        { "dragonfly:h=1", "random-permutation:seed=2", "3/2" },
        { "fattree:k=2,n=3", "uniform", "any" },
        { "fattree:k=2,n=3", "random-permutation:seed=6", "minimal" },
        { "complete:6", "tornado", "any" },
        { "complete:5", "uniform", "minimal" },
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct flow_case testcase;
        flow_case_open(&testcase, names[k][0], names[k][1]);
        flow_case_solve(&testcase, names[k][2]);
        must_hold(&testcase, names[k][2],
                  edge_program_solve(&testcase.question));
        must_leave(&testcase, names[k][2]);
        flow_case_close(&testcase);
    }
}

/* The network's channels as an edge list, without known symmetry. */
static void write_edges(const struct nb_topology *topology, char *text,
                        size_t size)
{
    size_t at = (size_t)snprintf(text, size,
                                 "<graphml><graph edgedefault=\"directed\">");
    for (uint32_t r = 0; r < topology->router_count; r++)
        at += (size_t)snprintf(text + at, size - at, "<node id=\"%u\"/>", r);
    for (uint32_t c = 0; c < topology->channel_count; c++)
        at += (size_t)snprintf(
            text + at, size - at, "<edge source=\"%u\" target=\"%u\"/>",
            topology->channels[c].source, topology->channels[c].target);
    at += (size_t)snprintf(text + at, size - at, "</graph></graphml>");
    assert_true(at < size);
}

/* The demands as lines of a file. */
static void write_demands(const struct nb_traffic *traffic, char *text,
                          size_t size)
{
    size_t at = (size_t)snprintf(text, size, "source,destination,rate\n");
    for (size_t d = 0; d < traffic->demand_count; d++)
        at += (size_t)snprintf(text + at, size - at, "%u,%u,%lu/%lu\n",
                               traffic->demands[d].source,
                               traffic->demands[d].target,
                               (unsigned long)traffic->demands[d].weight,
                               (unsigned long)traffic->denominator);
    assert_true(at < size);
}

static void needs_no_symmetry(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        { "torus:8x8", "transpose" },        { "torus:8x8", "bit-complement" },
        { "torus:6x6", "tornado:dims=all" }, { "mesh:6x6", "transpose" },
        { "hypercube:5", "bit-complement" }, { "ccc:4", "bit-complement" },
    };
    static const char *const classes[] = { "minimal", "any" };
    static char edges[40000], demands[40000];
    for (size_t k = 0; k < 2 * sizeof names / sizeof *names; k++) {
        struct flow_case symmetric, plain;
        flow_case_open(&symmetric, names[k / 2][0], names[k / 2][1]);
        flow_case_solve(&symmetric, classes[k % 2]);
        write_edges(&symmetric.topology, edges, sizeof edges);
        write_demands(&symmetric.traffic, demands, sizeof demands);
        flow_case_open_file(&plain, edges, ".graphml", demands);
        plain.question.ignores_symmetry = true;
        flow_case_solve(&plain, classes[k % 2]);
        TOPOLOGY_CHECK(symmetric.flow.channel_orbits <
                           plain.flow.channel_orbits,
                       "%s has no symmetry", symmetric.name);
        must_hold(&symmetric, classes[k % 2], plain.flow.throughput.lower);
        flow_case_close(&symmetric);
        flow_case_close(&plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_edge_program),
        cmocka_unit_test(agrees_on_symmetric_networks),
        cmocka_unit_test(needs_no_symmetry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
