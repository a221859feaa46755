/* The worst permutation as a traffic: it loads the network as the worst case
 * reports, under any scheme. */
#include "optimum/worst_traffic.h"

#include "support/cases.h"
#include "support/problem.h"
#include "support/ratio_checks.h"
#include "bounds/worst_case/necessary_case.h"
#include "bounds/worst_case/worst_case.h"
#include "core/memory.h"
#include "load/channel_loads.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

static enum nb_status build(const struct problem *problem, int threads,
                            struct nb_worst_search *search,
                            struct nb_traffic *traffic, struct nb_error *err)
{
    const struct nb_run run = { .threads = threads };
    *search =
        (struct nb_worst_search){ .routing = &problem->routing, .run = &run };
    const struct nb_worst_traffic worst = { nb_worst_search_run, search };
    const enum nb_status status = nb_traffic_build_for(
        "worst", &problem->topology, false, &worst, traffic, err);
    search->run = NULL;
    return status;
}

/* A permutation of terminals has rows and columns that sum to 1. */
static void check_sums(const struct problem *problem,
                       const struct nb_traffic *traffic, const char *name)
{
    struct nb_traffic_sums sums;
    assert_int_equal(
        nb_traffic_sums_find(traffic, &problem->topology, &sums, NULL), NB_OK);
    ratio_must_equal(sums.row, nb_ratio_one, name);
    ratio_must_equal(sums.column, nb_ratio_one, name);
}

static void check_load(const struct problem *problem,
                       const struct nb_worst_search *search,
                       const struct nb_traffic *traffic, const char *name)
{
    struct nb_worst_case worst = { 0 };
    struct nb_channel_loads loads = { 0 };
    const struct nb_run run = { .threads = 1 };
    assert_int_equal(nb_worst_case_find(&problem->routing, &run, &worst, NULL),
                     NB_OK);
    assert_int_equal(
        nb_channel_loads_find(&problem->routing, traffic, &run, &loads, NULL),
        NB_OK);
    const struct nb_enclosure load = loads.load[loads.worst_channel];
    if (nb_ratio_is_known(worst.load.exact)) {
        ratio_must_equal(load.exact, worst.load.exact, name);
        ratio_must_equal(loads.throughput.exact, worst.throughput.exact, name);
        ratio_must_equal(search->load.exact, worst.load.exact, name);
    }
    if (load.lower > worst.load.upper || worst.load.lower > load.upper)
        fail_msg("%s: %.17g, not %.17g", name, load.lower, worst.load.lower);
    nb_channel_loads_release(&loads);
    nb_worst_case_release(&worst);
}

/* The same demands with another number of threads. */
static void check_repeats(const struct problem *problem,
                          const struct nb_traffic *traffic, const char *name)
{
    struct nb_worst_search search;
    struct nb_traffic again;
    assert_int_equal(build(problem, 2, &search, &again, NULL), NB_OK);
    if (again.demand_count != traffic->demand_count ||
        memcmp(again.demands, traffic->demands,
               again.demand_count * sizeof *again.demands) != 0)
        fail_msg("%s: another permutation", name);
    nb_traffic_release(&again);
}

static void check(const struct problem *problem, const char *name)
{
    static size_t examples;
    const struct nb_routing_kind *kind = problem->routing.kind;
    struct nb_worst_search search;
    struct nb_traffic traffic;
    struct nb_error err = { 0 };
    if (!nb_cases_have(examples++, 4))
        return;
    const enum nb_status status = build(problem, 1, &search, &traffic, &err);
    if (kind->is_adaptive && status == NB_INVALID) {
        assert_non_null(strstr(err.message, kind->kind.name));
        assert_true(problem->routing.is_minimal &&
                    strstr(err.message, "no channel") != NULL);
        return;
    }
    if (status != NB_OK)
        fail_msg("%s: %s", name, err.message);
    check_sums(problem, &traffic, name);
    check_repeats(problem, &traffic, name);
    assert_int_equal(search.is_necessary,
                     kind->is_adaptive && problem->routing.is_minimal);
    assert_int_equal(search.is_bounded,
                     kind->is_adaptive && !problem->routing.is_minimal);
    if (!kind->is_adaptive)
        check_load(problem, &search, &traffic, name);
    nb_traffic_release(&traffic);
}

static void loads_as_the_worst_case(void **state)
{
    (void)state;
    problem_each_example(check);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Load that no scheme of shortest paths can avoid: on the channel between
 * routers 1 and 2 of a mesh's row of 4, which 2 pairs must cross. */
static void adaptive_schemes_carry_at_least_that(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_worst_search search;
    struct nb_traffic traffic;
    struct nb_necessary_case found;
    problem_open(&problem, "mesh:4x4", "min-adaptive");
    assert_int_equal(build(&problem, 1, &search, &traffic, NULL), NB_OK);
    assert_int_equal(
        nb_necessary_case_find(&problem.routing, NULL, &found, NULL), NB_OK);
    assert_true(search.is_necessary);
    assert_int_equal(search.load.exact.numerator, 2);
    for (size_t s = 0; s < found.sides.count; s++)
        if (found.match[s] != NB_NONE)
            assert_true(
                nb_traffic_demand(&traffic, (uint32_t)s, found.match[s]) > 0);
    nb_necessary_case_release(&found);
    nb_traffic_release(&traffic);
    problem_close(&problem);
}

static void needs_a_routing(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_traffic traffic;
    struct nb_error err = { 0 };
    problem_open(&problem, "mesh:4x4", "dor");
    assert_int_equal(
        nb_traffic_build("worst", &problem.topology, false, &traffic, &err),
        NB_INVALID);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_as_the_worst_case),
        cmocka_unit_test(adaptive_schemes_carry_at_least_that),
        cmocka_unit_test(needs_a_routing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
