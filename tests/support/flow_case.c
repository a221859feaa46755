#include "flow_case.h"

#include "scratch.h"
#include "topology_checks.h"

#include "core/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void case_add_traffic(struct flow_case *testcase, const char *traffic)
{
    struct nb_error err = { 0 };
    if (nb_traffic_build(traffic, &testcase->topology, true, &testcase->traffic,
                         &err) != NB_OK)
        fail_msg("%s: %s", traffic, err.message);
    testcase->question = (struct nb_best_flow_question){
        .topology = &testcase->topology,
        .traffic = &testcase->traffic,
        .path_class = &testcase->path_class,
        .seconds = INFINITY,
    };
}

void flow_case_open(struct flow_case *testcase, const char *topology,
                    const char *traffic)
{
    *testcase = (struct flow_case){ 0 };
    topology_must_build(topology, &testcase->topology);
    case_add_traffic(testcase, traffic);
    snprintf(testcase->name, sizeof testcase->name, "%s@%s", traffic, topology);
}

static void case_add_demands(struct flow_case *testcase, const char *demands)
{
    char path[NB_SCRATCH_FILE], traffic[NB_SCRATCH_FILE + 8];
    nb_scratch_file(path, ".csv", demands);
    snprintf(traffic, sizeof traffic, "file:%s", path);
    case_add_traffic(testcase, traffic);
    unlink(path);
}

void flow_case_open_demands(struct flow_case *testcase, const char *topology,
                            const char *demands)
{
    *testcase = (struct flow_case){ 0 };
    topology_must_build(topology, &testcase->topology);
    case_add_demands(testcase, demands);
    snprintf(testcase->name, sizeof testcase->name, "%s", topology);
}

void flow_case_open_file(struct flow_case *testcase, const char *text,
                         const char *ending, const char *demands)
{
    *testcase = (struct flow_case){ 0 };
    topology_must_build_file(text, ending, "", &testcase->topology);
    case_add_demands(testcase, demands);
    snprintf(testcase->name, sizeof testcase->name, "a network of %zu routers",
             testcase->topology.router_count);
}

void flow_case_close(struct flow_case *testcase)
{
    nb_best_flow_release(&testcase->flow);
    nb_scheme_paths_release(&testcase->scheme);
    nb_routing_release(&testcase->routing);
    nb_traffic_release(&testcase->traffic);
    nb_topology_release(&testcase->topology);
}

void flow_case_draw(const struct nb_topology *topology, uint64_t seed,
                    char *demands, size_t size)
{
    struct nb_random random;
    nb_random_init(&random, seed, 0);
    size_t at =
        (size_t)snprintf(demands, size, "source,destination,rate\n0,0,1/9\n");
    for (uint32_t i = 0; i < topology->terminal_count; i++) {
        for (uint32_t j = 0; j < topology->terminal_count; j++) {
            const unsigned rate = 1 + (unsigned)nb_random_below(&random, 7);
            if (nb_random_below(&random, 3) == 0)
                at += (size_t)snprintf(demands + at, size - at, "%u,%u,%u/12\n",
                                       i, j, rate);
            assert_true(at < size);
        }
    }
}

/* Whether two enclosures are equal. */
static bool case_is_same(struct nb_enclosure a, struct nb_enclosure b)
{
    return a.lower == b.lower && a.upper == b.upper &&
           a.exact.numerator == b.exact.numerator &&
           a.exact.denominator == b.exact.denominator;
}

static void case_check(struct flow_case *testcase, const char *paths)
{
    struct nb_best_flow *flow = &testcase->flow;
    const struct nb_best_flow before = *flow;
    struct nb_error err = { 0 };
    if (nb_best_flow_check(&testcase->question, flow, &err) != NB_OK)
        fail_msg("%s, %s: %s", testcase->name, paths, err.message);
    TOPOLOGY_CHECK(case_is_same(flow->throughput, before.throughput) &&
                       case_is_same(flow->mean_hops, before.mean_hops),
                   "%s, %s: the check concludes something else", testcase->name,
                   paths);
    TOPOLOGY_CHECK(flow->throughput.lower <= flow->throughput.upper,
                   "%s, %s: ends %g and %g", testcase->name, paths,
                   flow->throughput.lower, flow->throughput.upper);
}

static void case_find(struct flow_case *testcase, const char *paths)
{
    const struct nb_run run = { .threads = 2 };
    struct nb_error err = { 0 };
    nb_best_flow_release(&testcase->flow);
    if (nb_best_flow_find(&testcase->question, &run, &testcase->flow, &err) !=
        NB_OK)
        fail_msg("%s, %s: %s", testcase->name, paths, err.message);
    case_check(testcase, paths);
}

void flow_case_solve_scheme(struct flow_case *testcase, const char *routing)
{
    struct nb_error err = { 0 };
    nb_scheme_paths_release(&testcase->scheme);
    nb_routing_release(&testcase->routing);
    if (nb_routing_build(routing, &testcase->topology, &testcase->routing,
                         &err) != NB_OK ||
        nb_path_class_init_scheme(&testcase->routing, &testcase->scheme,
                                  &testcase->path_class, &err) != NB_OK)
        fail_msg("%s, %s: %s", testcase->name, routing, err.message);
    case_find(testcase, routing);
}

void flow_case_solve(struct flow_case *testcase, const char *paths)
{
    struct nb_ratio stretch = nb_ratio_one;
    enum nb_paths kind = NB_PATHS_STRETCH;
    if (strcmp(paths, "any") == 0)
        kind = NB_PATHS_ANY;
    else if (strcmp(paths, "minimal") == 0)
        kind = NB_PATHS_MINIMAL;
    else if (strcmp(paths, "two-turn") == 0)
        kind = NB_PATHS_TWO_TURN;
    else
        assert_int_equal(nb_ratio_read(paths, &stretch, NULL), NB_OK);
    assert_int_equal(nb_path_class_init(&testcase->topology, kind, stretch,
                                        &testcase->path_class, NULL),
                     NB_OK);
    case_find(testcase, paths);
}
