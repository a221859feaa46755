/* Peaks of permutations against the loads of the same traffic, with every
 * kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/graphs.h"
#include "../support/permutation_checks.h"
#include "../support/problem.h"
#include "../support/topology_checks.h"
#include "../support/traffic_case.h"

#include "core/memory.h"

static void peak_check_exact(const struct problem *problem, const char *name)
{
    struct nb_permutation_loads loads = { 0 };
    peak_find(problem, name, NB_KERNEL_BEST, &loads);
    TOPOLOGY_CHECK(loads.is_exact, "%s", name);
    nb_permutation_loads_release(&loads);
    peak_check(problem, name);
}

static void peak_check_fixed(const struct problem *problem, const char *name)
{
    struct nb_permutation_loads loads = { 0 };
    peak_find(problem, name, NB_KERNEL_BEST, &loads);
    TOPOLOGY_CHECK(!loads.is_exact && loads.kernel == NB_KERNEL_FIXED, "%s",
                   name);
    nb_permutation_loads_release(&loads);
    peak_check(problem, name);
}

static void test_examples_agree_with_channel_loads(void **state)
{
    (void)state;
    static const char *const more[] = {
        "dor@torus:8x8",
        "dor:ties=parity@torus:8x8",
        "rlb@torus:8x8",
        "min@mesh:4x5",
        "rlbth@torus:5x5,terminals=2,bandwidth=3/7",
        "val@ring:6,terminals=3",
        "romm@hypercube:7",
        "min@file:data/topologies/abilene.txt",
        "val@file:data/topologies/abilene.txt,terminals=2",
        "min@file:data/topologies/ring-directed.csv,directed=yes",
        "min@file:data/topologies/petersen-networkx.graphml",
    };
    problem_each_example(peak_check_exact);
    problem_each_of(more, sizeof more / sizeof *more, peak_check_exact);
}

/* Bandwidths and numbers of terminals differ, and there is no symmetry. */
static void test_random_graphs_agree_with_channel_loads(void **state)
{
    (void)state;
    graph_each_random(40, 3, 6, 9, peak_check);
}

/* Symmetric networks with some routers or channels made different. */
static void test_broken_symmetry(void **state)
{
    (void)state;
    static const uint32_t terminals[] = { 0, 2, 1, 0, 0, 1, 3, 0, 1 };
    static const char *const routings[] = { "min", "dor:order=random", "val" };
    for (size_t r = 0; r < sizeof routings / sizeof *routings; r++) {
        struct problem problem = { 0 };
        topology_must_build("torus:3x3", &problem.topology);
        traffic_case_set_terminals(&problem.topology, terminals);
        problem.topology.channels[7].bandwidth = (struct nb_ratio){ 2, 3 };
        problem_add_routing(&problem, routings[r]);
        peak_check_exact(&problem, routings[r]);
        problem_close(&problem);
    }
}

/* Each kernel is the best one somewhere, with each type of cells. */
static void test_choice_of_kernel(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum nb_permutation_kernel kernel;
        int cells; /* bytes of a dense cell */
    } cases[] = {
        { "dor@torus:16x16", NB_KERNEL_LISTED, 0 },
        { "rlb@torus:8x8", NB_KERNEL_DENSE, 4 },
        { "rlb@torus:4x4,bandwidth=999983/1000003", NB_KERNEL_DENSE, 8 },
        { "val@torus:8x8", NB_KERNEL_FIXED, 0 },
        { "val@mesh:4x3", NB_KERNEL_FIXED, 0 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct problem problem;
        struct nb_permutation_loads loads = { 0 };
        problem_open_example(&problem, cases[k].name);
        peak_find(&problem, cases[k].name, NB_KERNEL_BEST, &loads);
        TOPOLOGY_CHECK(loads.kernel == cases[k].kernel &&
                           (loads.narrow != NULL) == (cases[k].cells == 4) &&
                           (loads.wide != NULL) == (cases[k].cells == 8) &&
                           loads.real == NULL && loads.is_exact,
                       "%s: kernel %d", cases[k].name, (int)loads.kernel);
        nb_permutation_loads_release(&loads);
        problem_close(&problem);
    }
}

/* Wide cells, which the examples do not need. */
static void test_wide_cells(void **state)
{
    (void)state;
    static const char *const names[] = {
        "rlb@torus:4x4,bandwidth=999983/1000003",
        "romm@torus:5x4,terminals=2,bandwidth=1000003/999983"
    };
    problem_each_of(names, sizeof names / sizeof *names, peak_check_exact);
}

/* No common denominator fits. */
static void test_doubles_stay_in_their_bracket(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_permutation_loads loads = { 0 };
    graph_open_layers(16, 4, &problem);
    peak_find(&problem, "layers", NB_KERNEL_DENSE, &loads);
    assert_false(loads.is_exact);
    assert_non_null(loads.real);
    assert_true(loads.relative_error > 0 && loads.relative_error < 1e-12);
    nb_permutation_loads_release(&loads);
    peak_check(&problem, "layers");
    problem_close(&problem);
}

/* The same for the single peak of separable matrices: the bandwidths of two
 * channels have no common denominator. */
static void test_fixed_peak_without_denominator(void **state)
{
    (void)state;
    struct problem problem = { 0 };
    topology_must_build("mesh:3x3", &problem.topology);
    problem.topology.channels[0].bandwidth =
        (struct nb_ratio){ 2147483647, 2147483648 };
    problem.topology.channels[5].bandwidth =
        (struct nb_ratio){ 4294967291, 4294967296 };
    problem_add_routing(&problem, "val");
    peak_check_fixed(&problem, "val");
    problem_close(&problem);
}

/* And with matrices that are themselves in doubles. */
static void test_fixed_peak_in_doubles(void **state)
{
    (void)state;
    struct problem problem;
    uint32_t terminals[64];
    graph_open_layers(16, 4, &problem);
    assert_int_equal(problem.topology.router_count, 64);
    for (uint32_t r = 0; r < 64; r++)
        terminals[r] = r % 4 == 0 ? 1 + r % 3 : 0;
    traffic_case_set_terminals(&problem.topology, terminals);
    nb_routing_release(&problem.routing);
    problem_add_routing(&problem, "val");
    peak_check_fixed(&problem, "val on layers");
    problem_close(&problem);
}

/* Matrices that are exact, with one peak of more than 62 bits. */
static void test_fixed_peak_past_62_bits(void **state)
{
    (void)state;
    struct problem problem;
    uint32_t terminals[21];
    graph_open_layers(7, 3, &problem);
    assert_int_equal(problem.topology.router_count, 21);
    for (uint32_t r = 0; r < 21; r++)
        terminals[r] = 1;
    traffic_case_set_terminals(&problem.topology, terminals);
    nb_routing_release(&problem.routing);
    problem_add_routing(&problem, "val");
    peak_check_fixed(&problem, "val on few layers");
    problem_close(&problem);
}

/* One slow link among normal ones: 4 packets over it are more than 62 bits. */
static void test_slow_link(void **state)
{
    (void)state;
    struct problem problem = { 0 };
    struct nb_permutation_loads loads = { 0 };
    topology_must_build("mesh:9", &problem.topology);
    for (uint32_t c = 0; c < problem.topology.channel_count; c++)
        if (problem.topology.channels[c].source == 4)
            problem.topology.channels[c].bandwidth =
                (struct nb_ratio){ 1, INT64_C(1) << 61 };
    problem_add_routing(&problem, "dor");
    peak_find(&problem, "slow link", NB_KERNEL_DENSE, &loads);
    assert_false(loads.is_exact);
    nb_permutation_loads_release(&loads);
    peak_check(&problem, "slow link");
    problem_close(&problem);
}

/* Identity: no load, an infinite throughput. */
static void test_idle_permutation(void **state)
{
    (void)state;
    struct problem problem;
    problem_open_example(&problem, "min@complete:5");
    for (size_t k = 0; k < PEAK_KERNELS; k++) {
        struct nb_permutation_loads loads = { 0 };
        union nb_load_cell peak[PEAK_PERMUTATIONS];
        peak_find(&problem, "complete:5", peak_kernels[k], &loads);
        peak_run(&loads, peak);
        const struct nb_enclosure found =
            nb_permutation_throughput(&loads, peak[0]);
        assert_true(nb_ratio_is_infinite(found.exact));
        assert_true(found.lower == found.upper && found.lower > 1e308);
        assert_int_equal(nb_permutation_peak_compare(&loads, peak[0], peak[1]),
                         -1);
        nb_permutation_loads_release(&loads);
    }
    problem_close(&problem);
}

static void test_hopeless_sizes_are_refused(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_permutation_loads loads = { 0 };
    struct nb_error error = { 0 };
    problem_open_example(&problem, "dor@torus:300x300");
    const long before = nb_memory_live_blocks();
    assert_int_equal(nb_permutation_loads_find(&problem.routing, NB_KERNEL_BEST,
                                               NULL, &loads, &error),
                     NB_INVALID);
    assert_string_equal(error.message,
                        "permutations of 90000 terminals at 90000 routers "
                        "(permitted: up to 4294967294 at up to 65534)");
    assert_int_equal(nb_memory_live_blocks(), before);
    problem_close(&problem);
}

static void test_failing_memory(void **state)
{
    (void)state;
    static const char *const names[] = {
        "dor@torus:3x3",
        "min@mesh:3x3",
        "val@complete:4",
        "rlb@torus:3x3",
        "min@file:data/topologies/abilene.txt",
    };
    const struct nb_run run = { .threads = 2 };
    for (size_t k = 0; k < PEAK_KERNELS * sizeof names / sizeof *names; k++) {
        const char *name = names[k / PEAK_KERNELS];
        struct problem problem;
        problem_open_example(&problem, name);
        const long before = nb_memory_live_blocks();
        struct nb_permutation_loads loads;
        enum nb_status status = NB_NO_MEMORY;
        long allowed = 0;
        for (; status == NB_NO_MEMORY && allowed < 1000; allowed++) {
            nb_memory_allow(allowed);
            status = nb_permutation_loads_find(&problem.routing,
                                               peak_kernels[k % PEAK_KERNELS],
                                               &run, &loads, NULL);
            nb_memory_allow(-1);
            if (status == NB_OK)
                nb_permutation_loads_release(&loads);
            TOPOLOGY_CHECK(nb_memory_live_blocks() == before,
                           "%s leaks after %ld allocations", name, allowed);
        }
        TOPOLOGY_CHECK(status == NB_OK && allowed > 10, "%s", name);
        problem_close(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples_agree_with_channel_loads),
        cmocka_unit_test(test_random_graphs_agree_with_channel_loads),
        cmocka_unit_test(test_broken_symmetry),
        cmocka_unit_test(test_choice_of_kernel),
        cmocka_unit_test(test_wide_cells),
        cmocka_unit_test(test_doubles_stay_in_their_bracket),
        cmocka_unit_test(test_fixed_peak_without_denominator),
        cmocka_unit_test(test_fixed_peak_in_doubles),
        cmocka_unit_test(test_fixed_peak_past_62_bits),
        cmocka_unit_test(test_slow_link),
        cmocka_unit_test(test_idle_permutation),
        cmocka_unit_test(test_hopeless_sizes_are_refused),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
