#include "bounds/worst_case.h"

#include "../support/hungarian.h"
#include "../support/slow_loads.h"
#include "bounds/capacity.h"
#include "core/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

static void must_find(const struct problem *problem, const char *name,
                      int threads, struct nb_worst_case *out)
{
    const struct nb_run run = { .threads = threads };
    struct nb_error err = { 0 };
    if (nb_worst_case_find(&problem->routing, &run, out, &err) != NB_OK)
        fail_msg("%s: %s", name, err.message);
}

/* Checks the claim; what the check sets must be what was there. */
static void must_pass(const struct problem *problem, const char *name,
                      struct nb_worst_case *claimed)
{
    const struct nb_worst_case before = *claimed;
    struct nb_error err = { 0 };
    bool all_channels = false;
    if (nb_worst_case_check(&problem->routing, NULL, claimed, &all_channels,
                            &err) != NB_OK)
        fail_msg("%s: %s", name, err.message);
    assert_true(all_channels);
    assert_int_equal(claimed->worst, before.worst);
    assert_true(claimed->throughput_lower == before.throughput_lower);
    assert_true(claimed->throughput_upper == before.throughput_upper);
}

static void must_equal(struct nb_ratio a, struct nb_ratio b, const char *name)
{
    char left[NB_RATIO_TEXT], right[NB_RATIO_TEXT];
    nb_ratio_print(a, left);
    nb_ratio_print(b, right);
    if (!nb_ratio_is_known(a) || nb_ratio_compare(a, b) != 0)
        fail_msg("%s: %s, expected %s", name, left, right);
}

/* The exact throughput, found and checked. */
static struct nb_ratio solve(const struct problem *problem, const char *name)
{
    struct nb_worst_case found = { 0 };
    must_find(problem, name, 0, &found);
    must_pass(problem, name, &found);
    const struct nb_ratio throughput = found.throughput;
    assert_true(found.throughput_lower <= nb_ratio_value(throughput) &&
                nb_ratio_value(throughput) <= found.throughput_upper);
    nb_worst_case_release(&found);
    return throughput;
}

/* Greatest sum over all ways of giving each row from i on a column of its
 * own. */
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

/* The load of a claimed permutation of sides, by the slow loads. */
static struct nb_ratio load_of_claim(const struct slow_loads *loads,
                                     const struct nb_worst_case *found)
{
    const struct nb_sides *sides = &found->sides;
    const size_t n = loads->routers;
    const uint32_t channel = found->bounds[found->worst].channel;
    struct nb_ratio sum = nb_ratio_zero;
    for (size_t i = 0; i < sides->count; i++)
        sum = nb_ratio_add(sum,
                           loads->cell[(channel * n + sides->router[i]) * n +
                                       sides->router[found->permutation[i]]]);
    return nb_ratio_multiply(sum, (struct nb_ratio){ sides->multiplicity, 1 });
}

/* Every channel's bound and the answer against all permutations of all
 * terminals. */
static void compare_with_brute_force(const struct problem *problem,
                                     const char *name)
{
    static int64_t matrix[SLOW_TERMINALS * SLOW_TERMINALS];
    const struct nb_topology *topology = &problem->topology;
    struct slow_loads loads = { 0 };
    struct nb_worst_case found = { 0 };
    struct nb_ratio least = nb_ratio_infinity;
    slow_loads_find(&problem->routing, &loads);
    must_find(problem, name, 0, &found);
    must_pass(problem, name, &found);
    for (uint32_t c = 0, b = 0; c < topology->channel_count; c++) {
        const int64_t denominator = slow_matrix(&loads, topology, c, matrix);
        const struct nb_ratio load = nb_ratio_make(
            try_permutations(topology->terminal_count, matrix, 0, 0),
            denominator);
        const struct nb_ratio rate =
            nb_ratio_divide(topology->channels[c].bandwidth, load);
        if (nb_ratio_compare(rate, least) < 0)
            least = rate;
        if (b == found.bound_count || found.bounds[b].channel != c)
            continue;
        must_equal(found.bounds[b++].load, load, name);
    }
    must_equal(found.throughput, least, name);
    must_equal(found.load, load_of_claim(&loads, &found), name);
    nb_worst_case_release(&found);
    slow_loads_release(&loads);
}

static void agrees_with_brute_force(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        { "ring:4", "dor" },
        { "ring:5", "val" },
        { "ring:6", "dor:ties=plus" },
        { "ring:6", "dor:ties=parity" },
        { "ring:7", "min" },
        { "mesh:3x2", "dor" },
        { "mesh:3x2", "min" },
        { "mesh:2x3", "val" },
        { "torus:3x2", "dor:order=random" },
        { "torus:3x2", "val" },
        { "hypercube:2,terminals=2", "dor:order=random" },
        { "complete:6", "val" },
        { "complete:7", "min" },
        { "ring:3,terminals=2", "val" },
        { "ring:4,terminals=2,bandwidth=3/4", "dor" },
        { "file:data/topologies/ring-directed.csv,directed=yes", "min" },
        { "file:data/topologies/ring-directed.csv,directed=yes", "val" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        problem_open(&problem, cases[c][0], cases[c][1]);
        compare_with_brute_force(&problem, cases[c][0]);
        problem_close(&problem);
    }
}

/* Bandwidths and terminals that differ, from files. */
static void agrees_on_random_graphs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        char text[8000], name[40];
        struct problem problem;
        slow_random_graph(seed, 2 + (uint32_t)seed % 6, 7, text, sizeof text);
        snprintf(name, sizeof name, "random graph of seed %u", (unsigned)seed);
        problem_open_file(&problem, text, ".graphml", "",
                          seed % 2 == 0 ? "min" : "val");
        compare_with_brute_force(&problem, name);
        problem_close(&problem);
    }
}

/* The matrices themselves against the walk over every route. */
static void pair_loads_agree_with_a_walk(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        { "torus:4x3", "dor:order=random" },
        { "torus:4x4", "dor:ties=parity" },
        { "mesh:3x3", "min" },
        { "ring:6", "val:ties=parity" },
        { "torus:3x3", "val:order=random" },
        { "ccc:3", "min" },
        { "file:data/topologies/abilene.txt", "min" },
        { "file:data/topologies/kautz-igraph.graphml", "val" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        struct slow_loads slow = { 0 };
        problem_open(&problem, cases[c][0], cases[c][1]);
        slow_loads_find(&problem.routing, &slow);
        for (uint32_t k = 0; k < problem.topology.channel_count; k++) {
            struct nb_pair_loads loads = { 0 };
            assert_int_equal(
                nb_pair_loads_find(&problem.routing, 1, &k, NULL, &loads, NULL),
                NB_OK);
            const size_t n = loads.n;
            assert_int_equal(n, slow.routers);
            for (size_t p = 0; p < n * n; p++)
                must_equal(
                    nb_ratio_make(nb_pair_load_weight(&loads, p / n, p % n),
                                  loads.denominator),
                    slow.cell[k * n * n + p], cases[c][0]);
            nb_pair_loads_release(&loads);
        }
        slow_loads_release(&slow);
        problem_close(&problem);
    }
}

/* A scheme taken for one that keeps no automorphism: every channel is its own
 * focus, and has the bound of its orbit. */
static void does_not_depend_on_symmetry(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        { "torus:6x4", "dor" },
        { "torus:4x4", "dor:ties=parity" },
        { "torus:4x4", "dor:ties=plus" },
        { "torus:5x3", "val" },
        { "torus:4x4", "min" },
        { "mesh:4x3", "min" },
        { "mesh:4x4,terminals=2", "dor" },
        { "hypercube:4", "dor" },
        { "ccc:3", "val" },
        { "ccc:4", "min" },
        { "complete:6", "val" },
        { "torus:3x3x3", "dor:order=random" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        struct nb_worst_case some = { 0 }, all = { 0 };
        struct nb_focus focus = { 0 };
        problem_open(&problem, cases[c][0], cases[c][1]);
        must_find(&problem, cases[c][0], 0, &some);
        assert_int_equal(nb_focus_find(&problem.routing, &focus, NULL), NB_OK);
        problem.routing.symmetries = 0;
        must_find(&problem, cases[c][0], 0, &all);
        must_pass(&problem, cases[c][0], &all);
        assert_int_equal(all.bound_count, problem.topology.channel_count);
        assert_true(some.bound_count < all.bound_count);
        must_equal(some.throughput, all.throughput, cases[c][0]);
        for (size_t k = 0; k < all.bound_count; k++)
            must_equal(all.bounds[k].load, some.bounds[focus.orbit[k]].load,
                       cases[c][0]);
        nb_focus_release(&focus);
        nb_worst_case_release(&some);
        nb_worst_case_release(&all);
        problem_close(&problem);
    }
}

static void does_not_depend_on_threads(void **state)
{
    (void)state;
    const char *const cases[][2] = { { "torus:6x4", "min" },
                                     { "mesh:5x4", "dor" },
                                     { "ccc:4", "min" } };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        struct nb_worst_case one = { 0 }, two = { 0 };
        problem_open(&problem, cases[c][0], cases[c][1]);
        must_find(&problem, cases[c][0], 1, &one);
        must_find(&problem, cases[c][0], 2, &two);
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
        must_equal(one.throughput, two.throughput, cases[c][0]);
        nb_worst_case_release(&one);
        nb_worst_case_release(&two);
        problem_close(&problem);
    }
}

/*
 * As fractions of capacity. On a torus of largest radix k, what crosses a
 * channel of that dimension starts (fixed order, first dimension) in the k/2
 * routers behind it, each sending one unit: (k - 1)/2 together, with the last
 * at a tie split in half if k is even, or k/2 if the tie is not split and the
 * last is a source that takes it this way. Capacity is 8/k for even k and
 * 8 k/(k^2 - 1) for odd k. val: half of it wherever uniform traffic on the
 * scheme of its phases reaches capacity.
 */
static void finds_known_throughputs(void **state)
{
    (void)state;
    const struct {
        const char *topology, *routing;
        struct nb_ratio fraction;
    } cases[] = {
        { "torus:8x8", "dor", { 2, 7 } },
        { "torus:8x8", "dor:ties=parity", { 1, 4 } },
        { "torus:8x8", "dor:ties=plus", { 1, 4 } },
        { "torus:9x9", "dor", { 5, 18 } },
        { "torus:8x8,terminals=2", "dor", { 2, 7 } },
        { "torus:9x9,bandwidth=1/3", "dor", { 5, 18 } },
        { "ring:8", "val", { 1, 2 } },
        { "torus:8x8", "val", { 1, 2 } },
        { "torus:9x9", "val", { 1, 2 } },
        { "torus:5x5x5", "val", { 1, 2 } },
        { "torus:4x6", "val", { 1, 2 } },
        { "torus:7x3x4", "val", { 1, 2 } },
        { "torus:2x6", "val", { 1, 2 } },
        { "hypercube:6", "val", { 1, 2 } },
        { "complete:64", "val", { 1, 2 } },
        { "ccc:4", "val", { 1, 2 } },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        struct nb_capacity capacity = { 0 };
        problem_open(&problem, cases[c].topology, cases[c].routing);
        assert_int_equal(
            nb_capacity_find(&problem.topology, NULL, &capacity, NULL), NB_OK);
        const struct nb_ratio throughput = solve(&problem, cases[c].topology);
        must_equal(nb_ratio_divide(throughput, capacity.exact),
                   cases[c].fraction, cases[c].topology);
        problem_close(&problem);
    }
}

/* The same for other radices: in the last dimension, destinations stand where
 * sources do in the first; in one between, loads may be greater still. */
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
            fail_msg("%s: more than the first or last dimension lets through",
                     cases[c].topology);
        if (problem.topology.grid.dimensions < 3)
            must_equal(throughput, expected, cases[c].topology);
        problem_close(&problem);
    }
}

/* The greatest load of every channel by another matching method, over loads
 * in doubles. */
static double solve_values(const struct problem *problem)
{
    static double load[SLOW_TERMINALS * SLOW_TERMINALS];
    uint32_t permutation[SLOW_TERMINALS];
    const struct nb_topology *topology = &problem->topology;
    double least = INFINITY;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        struct nb_pair_loads loads = { 0 };
        assert_int_equal(
            nb_pair_loads_find(&problem->routing, 1, &c, NULL, &loads, NULL),
            NB_OK);
        for (size_t k = 0; k < loads.n * loads.n; k++)
            load[k] = nb_pair_load_value(&loads, k / loads.n, k % loads.n);
        least = fmin(least, nb_ratio_value(topology->channels[c].bandwidth) /
                                hungarian_double(loads.n, load, permutation));
        nb_pair_loads_release(&loads);
    }
    return least;
}

static void brackets_inexact_loads(void **state)
{
    (void)state;
    static char text[20000];
    struct problem problem;
    struct nb_worst_case found = { 0 };
    slow_layered_graph(16, text, sizeof text);
    problem_open_file(&problem, text, ".graphml", "", "min");
    must_find(&problem, "layers", 0, &found);
    must_pass(&problem, "layers", &found);
    assert_false(nb_ratio_is_known(found.throughput));
    assert_true(found.throughput_lower < found.throughput_upper);
    assert_true(found.throughput_upper < found.throughput_lower * (1 + 1e-10));
    /* The other method rounds too, by less than the bracket's width. */
    const double expected = solve_values(&problem);
    assert_true(found.throughput_lower <= expected);
    assert_true(expected <= found.throughput_upper);
    nb_worst_case_release(&found);
    problem_close(&problem);
}

static void must_refute(const struct problem *problem,
                        struct nb_worst_case *claimed, const char *what)
{
    struct nb_error err = { 0 };
    bool all_channels;
    const enum nb_status status = nb_worst_case_check(
        &problem->routing, NULL, claimed, &all_channels, &err);
    if (status != NB_REFUTED || err.message[0] == '\0')
        fail_msg("%s was not refuted: status %d, %s", what, (int)status,
                 err.message);
}

/* Each dual of an optimum is tight somewhere, so none may be less; more is
 * wrong where the permutation must reach the sum. */
static void tamper_with_duals(const struct problem *problem,
                              struct nb_worst_case *claimed)
{
    const size_t worst = claimed->worst;
    for (size_t b = 0; b < claimed->bound_count; b++) {
        struct nb_channel_bound *bound = &claimed->bounds[b];
        for (size_t i = 0; i < 2 * claimed->sides.count; i++) {
            int64_t *dual =
                i % 2 == 0 ? &bound->row[i / 2] : &bound->column[i / 2];
            --*dual;
            must_refute(problem, claimed, "lower dual");
            *dual += 2;
            claimed->worst = worst;
            if (b == worst)
                must_refute(problem, claimed, "higher dual");
            --*dual;
            claimed->worst = worst;
        }
        bound->denominator++;
        must_refute(problem, claimed, "denominator");
        bound->denominator--;
        claimed->worst = worst;
        bound->channel++;
        must_refute(problem, claimed, "channel");
        bound->channel--;
        bound->orbit_size++;
        must_refute(problem, claimed, "orbit size");
        bound->orbit_size--;
    }
}

static void tamper_with_permutation(const struct problem *problem,
                                    struct nb_worst_case *claimed)
{
    const size_t n = claimed->sides.count;
    struct slow_loads loads = { 0 };
    slow_loads_find(&problem->routing, &loads);
    const struct nb_ratio load = load_of_claim(&loads, claimed);
    for (size_t i = 0; i < n; i++) {
        uint32_t *here = &claimed->permutation[i];
        uint32_t *next = &claimed->permutation[(i + 1) % n];
        const uint32_t kept = *here, other = *next;
        *here = (uint32_t)n;
        must_refute(problem, claimed, "column out of range");
        *here = other;
        must_refute(problem, claimed, "column taken twice");
        *next = kept;
        if (nb_ratio_compare(load_of_claim(&loads, claimed), load) != 0)
            must_refute(problem, claimed, "exchanged columns");
        *here = kept;
        *next = other;
    }
    slow_loads_release(&loads);
}

static void refutes_what_was_changed(void **state)
{
    (void)state;
    const char *const cases[][2] = { { "torus:4x4", "dor:ties=parity" },
                                     { "mesh:3x3", "min" },
                                     { "ring:5,terminals=2", "val" } };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        struct nb_worst_case claimed = { 0 };
        problem_open(&problem, cases[c][0], cases[c][1]);
        must_find(&problem, cases[c][0], 0, &claimed);
        tamper_with_duals(&problem, &claimed);
        tamper_with_permutation(&problem, &claimed);
        must_pass(&problem, cases[c][0], &claimed);
        nb_worst_case_release(&claimed);
        problem_close(&problem);
    }
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
        cmocka_unit_test(pair_loads_agree_with_a_walk),
        cmocka_unit_test(agrees_with_brute_force),
        cmocka_unit_test(agrees_on_random_graphs),
        cmocka_unit_test(does_not_depend_on_symmetry),
        cmocka_unit_test(does_not_depend_on_threads),
        cmocka_unit_test(finds_known_throughputs),
        cmocka_unit_test(finds_dor_on_mixed_radices),
        cmocka_unit_test(brackets_inexact_loads),
        cmocka_unit_test(refutes_what_was_changed),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
