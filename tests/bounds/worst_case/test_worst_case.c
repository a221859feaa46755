/* Worst cases found, against brute force and other methods. */
#include "bounds/worst_case/worst_case.h"

#include "support/channel_matrix.h"
#include "support/graphs.h"
#include "support/hungarian.h"
#include "support/problem.h"
#include "support/ratio_checks.h"
#include "support/walk.h"
#include "support/worst_case_checks.h"
#include "bounds/cuts/capacity.h"
#include "core/memory.h"
#include "load/focus.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>

/* The exact throughput, found and checked. */
static struct nb_ratio solve(const struct problem *problem, const char *name)
{
    struct nb_worst_case found = { 0 };
    worst_case_must_find(problem, name, 0, &found);
    worst_case_must_pass(problem, name, &found);
    const struct nb_ratio throughput = found.throughput.exact;
    assert_true(found.throughput.lower <= nb_ratio_value(throughput) &&
                nb_ratio_value(throughput) <= found.throughput.upper);
    nb_worst_case_release(&found);
    return throughput;
}

/* Greatest sum over all assignments of distinct columns to the rows from i
 * on. */
static int64_t try_permutations(size_t n, const int64_t *matrix, size_t i,
                                unsigned taken)
{
    int64_t most = 0;
    for (size_t j = 0; j < n && i < n; j++) {
        if ((taken >> j & 1) != 0)
            continue;
        const int64_t sum = matrix[i * n + j] +
                            try_permutations(n, matrix, i + 1, taken | 1U << j);
        most = sum > most ? sum : most;
    }
    return most;
}

/* Every channel's bound and the answer against all permutations of all
 * terminals. */
static void compare_with_brute_force(const struct problem *problem,
                                     const char *name)
{
    static int64_t matrix[MATRIX_SIDES * MATRIX_SIDES];
    const struct nb_topology *topology = &problem->topology;
    struct nb_worst_case found = { 0 };
    struct nb_ratio least = nb_ratio_infinity;
    struct nb_ratio *all = walk_all_pairs(&problem->routing, name);
    worst_case_must_find(problem, name, 0, &found);
    worst_case_must_pass(problem, name, &found);
    for (uint32_t c = 0, b = 0; c < topology->channel_count; c++) {
        const int64_t denominator = channel_matrix(all, topology, c, matrix);
        const struct nb_ratio load = nb_ratio_make(
            try_permutations(topology->terminal_count, matrix, 0, 0),
            denominator);
        const struct nb_ratio rate =
            nb_ratio_divide(topology->channels[c].bandwidth, load);
        if (nb_ratio_compare(rate, least) < 0)
            least = rate;
        if (b == found.bound_count || found.bounds[b].channel != c)
            continue;
        ratio_must_equal(found.bounds[b++].load.exact, load, name);
    }
    ratio_must_equal(found.throughput.exact, least, name);
    ratio_must_equal(found.load.exact,
                     worst_case_claim_load(problem, all, &found), name);
    nb_worst_case_release(&found);
    nb_delete(all);
}

static void agrees_with_brute_force(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "dor@ring:4",
        "val@ring:5",
        "dor:ties=plus@ring:6",
        "dor:ties=parity@ring:6",
        "min@ring:7",
        "dor@mesh:3x2",
        "min@mesh:3x2",
        "val@mesh:2x3",
        "dor:order=random@torus:3x2",
        "val@torus:3x2",
        "dor:order=random@hypercube:2,terminals=2",
        "val@complete:6",
        "min@complete:7",
        "val@ring:3,terminals=2",
        "dor@ring:4,terminals=2,bandwidth=3/4",
        "min@file:data/topologies/ring-directed.csv,directed=yes",
        "val@file:data/topologies/ring-directed.csv,directed=yes",
    };
    problem_each_of(cases, sizeof cases / sizeof *cases,
                    compare_with_brute_force);
}

/* Bandwidths and terminals that differ, from files. */
static void agrees_on_random_graphs(void **state)
{
    (void)state;
    graph_each_random(50, 2, 6, 7, compare_with_brute_force);
}

/* A scheme without its automorphisms: every channel is its own focus, and has
 * the bound of its orbit. */
static void does_not_depend_on_symmetry(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "dor@torus:6x4",
        "dor:ties=parity@torus:4x4",
        "dor:ties=plus@torus:4x4",
        "val@torus:5x3",
        "min@torus:4x4",
        "min@mesh:4x3",
        "dor@mesh:4x4,terminals=2",
        "dor@hypercube:4",
        "val@ccc:3",
        "min@ccc:4",
        "val@complete:6",
        "dor:order=random@torus:3x3x3",
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        struct nb_worst_case some = { 0 }, all = { 0 };
        struct nb_focus focus = { 0 };
        problem_open_example(&problem, cases[c]);
        worst_case_must_find(&problem, cases[c], 0, &some);
        assert_int_equal(nb_focus_find(&problem.routing, &focus, NULL), NB_OK);
        problem.routing.symmetries = 0;
        worst_case_must_find(&problem, cases[c], 0, &all);
        worst_case_must_pass(&problem, cases[c], &all);
        assert_int_equal(all.bound_count, problem.topology.channel_count);
        assert_true(some.bound_count < all.bound_count);
        ratio_must_equal(some.throughput.exact, all.throughput.exact, cases[c]);
        for (size_t k = 0; k < all.bound_count; k++)
            ratio_must_equal(all.bounds[k].load.exact,
                             some.bounds[focus.channels.of[k]].load.exact,
                             cases[c]);
        nb_focus_release(&focus);
        nb_worst_case_release(&some);
        nb_worst_case_release(&all);
        problem_close(&problem);
    }
}

static void does_not_depend_on_threads(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "min@torus:6x4",
        "dor@mesh:5x4",
        "min@ccc:4",
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        struct nb_worst_case one = { 0 }, two = { 0 };
        problem_open_example(&problem, cases[c]);
        worst_case_must_find(&problem, cases[c], 1, &one);
        worst_case_must_find(&problem, cases[c], 2, &two);
        const size_t n = one.sides.count;
        assert_int_equal(one.worst, two.worst);
        assert_memory_equal(one.permutation, two.permutation,
                            n * sizeof *one.permutation);
        for (size_t b = 0; b < one.bound_count; b++) {
            assert_memory_equal(one.bounds[b].row, two.bounds[b].row,
                                n * sizeof(int64_t));
            assert_memory_equal(one.bounds[b].column, two.bounds[b].column,
                                n * sizeof(int64_t));
        }
        ratio_must_equal(one.throughput.exact, two.throughput.exact, cases[c]);
        nb_worst_case_release(&one);
        nb_worst_case_release(&two);
        problem_close(&problem);
    }
}

/* The exact throughput as a fraction of capacity. */
static struct nb_ratio solve_fraction(const char *topology, const char *routing)
{
    struct problem problem;
    struct nb_capacity capacity = { 0 };
    problem_open(&problem, topology, routing);
    assert_int_equal(nb_capacity_find(&problem.topology, NULL, &capacity, NULL),
                     NB_OK);
    const struct nb_ratio throughput = solve(&problem, topology);
    problem_close(&problem);
    return nb_ratio_divide(throughput, capacity.rate.exact);
}

static void fractions_do_not_depend_on_units(void **state)
{
    (void)state;
    const char *const cases[][3] = {
        { "dor", "torus:8x8", "torus:8x8,terminals=2" },
        { "dor:ties=parity", "torus:8x8", "torus:8x8,bandwidth=2" },
        { "dor:ties=plus", "torus:8x8", "torus:8x8,terminals=3,bandwidth=1/2" },
        { "dor", "torus:9x9", "torus:9x9,bandwidth=1/3" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        ratio_must_equal(solve_fraction(cases[c][2], cases[c][0]),
                         solve_fraction(cases[c][1], cases[c][0]), cases[c][2]);
}

/* Wherever uniform traffic reaches capacity under the scheme of its phases, two
 * phases of it give the load of every traffic. */
static void val_reaches_half_of_capacity(void **state)
{
    (void)state;
    const char *const cases[] = { "ring:8",      "torus:8x8",   "torus:9x9",
                                  "torus:5x5x5", "torus:4x6",   "torus:7x3x4",
                                  "torus:2x6",   "hypercube:6", "complete:64",
                                  "ccc:4" };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        ratio_must_equal(solve_fraction(cases[c], "val"),
                         (struct nb_ratio){ 1, 2 }, cases[c]);
}

/*
 * On a torus of largest radix k, the packets that cross a channel of that
 * dimension start (fixed order, first dimension) in the k/2 routers behind it,
 * each sending one unit: (k - 1)/2 in total, with the last at a tie split in
 * half if k is even. In the last dimension, destinations take the place of
 * sources in the first; in a middle dimension loads may be greater still.
 */
static void finds_dor_on_mixed_radices(void **state)
{
    (void)state;
    const struct {
        const char *topology;
        int64_t largest;
    } cases[] = {
        { "torus:3x3", 3 },   { "torus:4x5", 5 },   { "torus:7x4", 7 },
        { "torus:6x6", 6 },   { "torus:2x5x4", 5 }, { "torus:10x3", 10 },
        { "torus:4x2x9", 9 },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        problem_open(&problem, cases[c].topology, "dor");
        const struct nb_ratio throughput = solve(&problem, cases[c].topology);
        const struct nb_ratio expected = nb_ratio_make(2, cases[c].largest - 1);
        if (nb_ratio_compare(throughput, expected) > 0)
            fail_msg("%s: more than the first or last dimension permits",
                     cases[c].topology);
        if (problem.topology.grid.dimensions < 3)
            ratio_must_equal(throughput, expected, cases[c].topology);
        problem_close(&problem);
    }
}

/* The greatest load of every channel by another matching method, over loads
 * in doubles. */
static double solve_values(const struct problem *problem)
{
    static double load[MATRIX_SIDES * MATRIX_SIDES];
    uint32_t permutation[MATRIX_SIDES];
    const struct nb_topology *topology = &problem->topology;
    double least = INFINITY;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const size_t n = channel_matrix_values(&problem->routing, c, load);
        least = fmin(least, nb_ratio_value(topology->channels[c].bandwidth) /
                                hungarian_double(n, load, permutation));
    }
    return least;
}

static void brackets_inexact_loads(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_worst_case found = { 0 };
    graph_open_layers(16, 4, &problem);
    worst_case_must_find(&problem, "layers", 0, &found);
    worst_case_must_pass(&problem, "layers", &found);
    assert_false(nb_ratio_is_known(found.throughput.exact));
    assert_true(found.throughput.lower < found.throughput.upper);
    assert_true(found.throughput.upper < found.throughput.lower * (1 + 1e-10));
    /* All bandwidths are 1: ends of load and throughput, each rounded away from
     * the true value, are no nearer than reciprocal. */
    assert_true((long double)found.throughput.lower * found.load.upper <=
                1 + 0x1p-51L);
    assert_true((long double)found.throughput.upper * found.load.lower >=
                1 - 0x1p-51L);
    /* The other method rounds too, by less than the bracket's width. */
    const double expected = solve_values(&problem);
    assert_true(found.throughput.lower <= expected);
    assert_true(expected <= found.throughput.upper);
    nb_worst_case_release(&found);
    problem_close(&problem);
}

static void survives_failed_allocations(void **state)
{
    (void)state;
    const struct nb_run run = { .threads = 1 };
    const char *const routing[] = { "val", "dor:ties=parity" };
    for (size_t r = 0; r < 2; r++) {
        struct problem problem;
        problem_open(&problem, "ring:4,terminals=2", routing[r]);
        const long before = nb_memory_live_blocks();
        enum nb_status status = NB_NO_MEMORY;
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            struct nb_worst_case found = { 0 };
            bool all_channels;
            nb_memory_allow(allowed);
            status = nb_worst_case_find(&problem.routing, &run, &found, NULL);
            if (status == NB_OK)
                status = nb_worst_case_check(&problem.routing, &run, &found,
                                             &all_channels, NULL);
            nb_memory_allow(-1);
            nb_worst_case_release(&found);
            nb_worst_case_release(&found);
            assert_int_equal(nb_memory_live_blocks(), before);
        }
        assert_int_equal(status, NB_OK);
        problem_close(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_brute_force),
        cmocka_unit_test(agrees_on_random_graphs),
        cmocka_unit_test(does_not_depend_on_symmetry),
        cmocka_unit_test(does_not_depend_on_threads),
        cmocka_unit_test(fractions_do_not_depend_on_units),
        cmocka_unit_test(val_reaches_half_of_capacity),
        cmocka_unit_test(finds_dor_on_mixed_radices),
        cmocka_unit_test(brackets_inexact_loads),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
