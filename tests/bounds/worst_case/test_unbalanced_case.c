/* Unbalanced worst cases found, against linear programs. */
#include "bounds/worst_case/unbalanced_case.h"

#include "support/channel_matrix.h"
#include "support/graphs.h"
#include "support/problem.h"
#include "support/ratio_checks.h"
#include "support/unbalanced_checks.h"
#include "support/unbalanced_program.h"
#include "support/walk.h"
#include "core/memory.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>

/* The exact answer, found and checked. */
static struct nb_ratio solve(const struct problem *problem, const char *name)
{
    struct nb_unbalanced_case found = { 0 };
    unbalanced_must_find(problem, name, &found);
    unbalanced_must_pass(problem, name, &found);
    const struct nb_ratio rate = found.rate.exact;
    if (!nb_ratio_is_known(rate))
        fail_msg("%s: no exact rate", name);
    assert_true(found.rate.lower <= found.rate.upper);
    nb_unbalanced_case_release(&found);
    return rate;
}

static struct nb_ratio solve_on(const char *topology, const char *routing)
{
    struct problem problem;
    problem_open(&problem, topology, routing);
    const struct nb_ratio rate = solve(&problem, topology);
    problem_close(&problem);
    return rate;
}

/* p terminals at each router share p times the bandwidth: the rate of each is
 * that of a single one. */
static void rates_do_not_depend_on_units(void **state)
{
    (void)state;
    const char *const cases[][3] = {
        { "dor", "torus:8x8", "torus:8x8,bandwidth=2,terminals=2" },
        { "val", "torus:8x8", "torus:8x8,bandwidth=3,terminals=3" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        ratio_must_equal(solve_on(cases[c][2], cases[c][0]),
                         solve_on(cases[c][1], cases[c][0]), cases[c][2]);
    assert_true(nb_ratio_is_infinite(solve_on("ring:4,bandwidth=1000", "dor")));
}

/* The least rate over all channels, each solved for all terminals. */
static struct nb_ratio solve_terminals(const struct problem *problem,
                                       const struct nb_ratio *all)
{
    static int64_t matrix[MATRIX_SIDES * MATRIX_SIDES];
    const struct nb_topology *topology = &problem->topology;
    struct nb_ratio least = nb_ratio_infinity;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const int64_t denominator = channel_matrix(all, topology, c, matrix);
        struct nb_unbalanced one = { 0 };
        assert_int_equal(
            nb_unbalanced_rate(
                topology->terminal_count, matrix,
                nb_ratio_multiply(topology->channels[c].bandwidth,
                                  (struct nb_ratio){ denominator, 1 }),
                NB_OVERLOAD_EXCEEDS, &one, NULL),
            NB_OK);
        if (nb_ratio_compare(one.rate, least) < 0)
            least = one.rate;
        nb_unbalanced_release(&one);
    }
    return least;
}

/* The same by linear programs. */
static double solve_programs(const struct problem *problem,
                             const struct nb_ratio *all)
{
    static int64_t matrix[MATRIX_SIDES * MATRIX_SIDES];
    static double load[MATRIX_SIDES * MATRIX_SIDES];
    const struct nb_topology *topology = &problem->topology;
    const size_t n = topology->terminal_count;
    double least = INFINITY;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const int64_t denominator = channel_matrix(all, topology, c, matrix);
        for (size_t k = 0; k < n * n; k++)
            load[k] = (double)matrix[k] / (double)denominator;
        least =
            fmin(least,
                 unbalanced_program_solve(
                     n, load, nb_ratio_value(topology->channels[c].bandwidth)));
    }
    return least;
}

/* Closeness: the simplex method's own tolerance, 1e-7, with some room. */
static void compare_both_ways(const struct problem *problem, const char *name)
{
    struct nb_ratio *all = walk_all_pairs(&problem->routing, name);
    const struct nb_ratio rate = solve(problem, name);
    ratio_must_equal(rate, solve_terminals(problem, all), name);
    const double expected = solve_programs(problem, all);
    const double value = nb_ratio_value(rate);
    if (isinf(expected) ? !isinf(value)
                        : !(fabs(value - expected) <= 1e-6 * (1 + expected)))
        fail_msg("%s: rate %.17g, linear program %.17g", name, value, expected);
    nb_delete(all);
}

static void agrees_with_linear_programs(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "dor@ring:4",
        "val@ring:5",
        "dor:ties=parity@ring:6",
        "min@ring:6",
        "dor@mesh:3x3",
        "min@mesh:3x3",
        "val@mesh:3x3",
        "dor:order=random@hypercube:3",
        "val@complete:5",
        "min@ccc:3",
        "dor@ring:5,terminals=2",
        "val@mesh:3x2,terminals=3,bandwidth=1/2",
        "min@file:data/topologies/abilene.txt",
        "min@file:data/topologies/ring-directed.csv,directed=yes",
        "val@file:data/topologies/ring-directed.csv,directed=yes,terminals=2",
        "val@file:data/topologies/petersen-networkx.graphml",
        "min@file:data/topologies/kautz-igraph.graphml,directed=yes",
    };
    problem_each_of(cases, sizeof cases / sizeof *cases, compare_both_ways);
}

static void agrees_on_random_graphs(void **state)
{
    (void)state;
    graph_each_random(60, 3, 5, 8, compare_both_ways);
}

/* Without the scheme's automorphisms the result is the same. */
static void does_not_depend_on_symmetry_or_threads(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "dor@torus:4x4",         "val@torus:4x3",
        "min@mesh:4x3",          "dor:ties=parity@torus:4x4",
        "val@ccc:3,terminals=2", "dor@hypercube:4",
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        struct nb_unbalanced_case one = { 0 }, two = { 0 };
        problem_open_example(&problem, cases[c]);
        const struct nb_run run = { .threads = 1 }, runs = { .threads = 2 };
        assert_int_equal(nb_unbalanced_case_find(&problem.routing,
                                                 NB_OVERLOAD_EXCEEDS, &run,
                                                 &one, NULL),
                         NB_OK);
        assert_int_equal(nb_unbalanced_case_find(&problem.routing,
                                                 NB_OVERLOAD_EXCEEDS, &runs,
                                                 &two, NULL),
                         NB_OK);
        assert_int_equal(one.worst, two.worst);
        assert_int_equal(one.flow_count, two.flow_count);
        for (size_t f = 0; f < one.flow_count; f++) {
            assert_int_equal(one.flows[f].row, two.flows[f].row);
            assert_int_equal(one.flows[f].column, two.flows[f].column);
            ratio_must_equal(one.flows[f].amount, two.flows[f].amount,
                             cases[c]);
        }
        problem.routing.symmetries = 0;
        ratio_must_equal(solve(&problem, cases[c]), one.rate.exact, cases[c]);
        nb_unbalanced_case_release(&one);
        nb_unbalanced_case_release(&two);
        problem_close(&problem);
    }
}

static bool case_is_rounded(const struct nb_unbalanced_case *found)
{
    for (size_t b = 0; b < found->bound_count; b++)
        if (found->bounds[b].is_exact)
            return false;
    return true;
}

/* The least rate by linear programs over loads in doubles. */
static double solve_values(const struct problem *problem)
{
    static double load[MATRIX_SIDES * MATRIX_SIDES];
    const struct nb_topology *topology = &problem->topology;
    double least = INFINITY;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const size_t n = channel_matrix_values(&problem->routing, c, load);
        least =
            fmin(least,
                 unbalanced_program_solve(
                     n, load, nb_ratio_value(topology->channels[c].bandwidth)));
    }
    return least;
}

static void brackets_inexact_loads(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_unbalanced_case found = { 0 };
    graph_open_layers(16, 4, &problem);
    unbalanced_must_find(&problem, "layers", &found);
    unbalanced_must_pass(&problem, "layers", &found);
    assert_true(case_is_rounded(&found));
    assert_false(nb_ratio_is_known(found.rate.exact));
    const double expected = solve_values(&problem);
    assert_true(found.rate.lower < found.rate.upper);
    assert_true(found.rate.upper < found.rate.lower * (1 + 1e-10));
    assert_true(fabs(found.rate.lower - expected) < 1e-6);
    nb_unbalanced_case_release(&found);
    problem_close(&problem);
}

/* A bandwidth with more digits than rates can hold: 1 + 1.6e-18. The rate
 * exceeds that of bandwidth 1 by less than 1e-17. */
static void brackets_inexact_rates(void **state)
{
    (void)state;
    static const char name[] =
        "torus:8x8,bandwidth=1234567890123456789/1234567890123456787";
    const char *const routings[] = { "dor", "val" };
    for (size_t r = 0; r < 2; r++) {
        struct problem problem;
        struct nb_unbalanced_case found = { 0 };
        const double rate = nb_ratio_value(solve_on("torus:8x8", routings[r]));
        problem_open(&problem, name, routings[r]);
        unbalanced_must_find(&problem, name, &found);
        unbalanced_must_pass(&problem, name, &found);
        assert_false(nb_ratio_is_known(found.rate.exact));
        assert_true(found.rate.lower <= rate);
        assert_true(found.rate.upper >= rate + 1e-17);
        assert_true(found.rate.upper < found.rate.lower * (1 + 1e-10));
        nb_unbalanced_case_release(&found);
        problem_close(&problem);
    }
}

static void survives_failed_allocations(void **state)
{
    (void)state;
    const struct nb_run run = { .threads = 1 };
    struct problem problem;
    problem_open(&problem, "ring:5,terminals=2", "val");
    const long before = nb_memory_live_blocks();
    enum nb_status found_status = NB_NO_MEMORY, status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_unbalanced_case found = { 0 };
        bool all_channels;
        nb_memory_allow(allowed);
        status = found_status = nb_unbalanced_case_find(
            &problem.routing, NB_OVERLOAD_EXCEEDS, &run, &found, NULL);
        if (found_status == NB_OK)
            status = nb_unbalanced_case_check(&problem.routing, &run, &found,
                                              &all_channels, NULL);
        nb_memory_allow(-1);
        nb_unbalanced_case_release(&found);
        nb_unbalanced_case_release(&found);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_do_not_depend_on_units),
        cmocka_unit_test(agrees_with_linear_programs),
        cmocka_unit_test(agrees_on_random_graphs),
        cmocka_unit_test(does_not_depend_on_symmetry_or_threads),
        cmocka_unit_test(brackets_inexact_loads),
        cmocka_unit_test(brackets_inexact_rates),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
