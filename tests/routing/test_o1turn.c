/* o1turn against dimension order in random order, and its worst case against
 * a slow method. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/channel_matrix.h"
#include "../support/hungarian.h"
#include "../support/problem.h"
#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"
#include "../support/walk.h"
#include "../support/worst_case_checks.h"

#include "core/memory.h"

#include <stdio.h>

/* In two dimensions the first dimension determines the order. */
static void o1turn_compare_with_dor(const char *shape)
{
    struct problem own, other;
    problem_open(&own, shape, "o1turn");
    problem_open(&other, shape, "dor:order=random");
    const size_t n = own.topology.router_count;
    const size_t m = own.topology.channel_count;
    struct nb_ratio *found = walk_all_pairs(&own.routing, shape);
    struct nb_ratio *expected = walk_all_pairs(&other.routing, shape);
    for (size_t i = 0; i < n * n * m; i++)
        TOPOLOGY_CHECK(ratio_same(found[i], expected[i]),
                       "%s: %zu to %zu on %zu", shape, i / m / n, i / m % n,
                       i % m);
    nb_delete(found);
    nb_delete(expected);
    problem_close(&own);
    problem_close(&other);
}

static void test_is_random_order(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "mesh:2x2", "mesh:3x4",    "mesh:5x2",
        "mesh:4x4", "hypercube:2", "torus:2x2"
    };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        o1turn_compare_with_dor(shapes[s]);
}

/* An order once drawn is kept, so a path turns at most once. */
static void test_turns_once(void **state)
{
    (void)state;
    struct problem problem;
    struct walk walk;
    problem_open(&problem, "mesh:4x5", "o1turn");
    walk_open(&walk, &problem.routing, "o1turn");
    const struct nb_channel *channels = problem.topology.channels;
    for (uint32_t pair = 0; pair < 20 * 20; pair++)
        for (nb_route_state first = 0; first < 2; first++) {
            uint32_t at = pair / 20;
            unsigned turns = 0;
            for (size_t before = first; at != pair % 20;) {
                assert_int_equal(walk_step(&walk, first, at, pair % 20), 1);
                assert_int_equal(walk.hops[0].next, first);
                const uint32_t next = channels[walk.hops[0].channel].target;
                const size_t now = next % 4 == at % 4; /* 1: along y */
                turns += now != before;
                before = now;
                at = next;
            }
            assert_true(turns <= 1);
        }
    walk_close(&walk);
    problem_close(&problem);
}

/* The greatest load of any channel, by walks and the Hungarian method. */
static void o1turn_check_worst_case(const struct problem *problem,
                                    const char *name)
{
    static int64_t matrix[MATRIX_SIDES * MATRIX_SIDES];
    const struct nb_topology *topology = &problem->topology;
    uint32_t permutation[MATRIX_SIDES];
    struct nb_ratio most = nb_ratio_zero;
    struct nb_worst_case found = { 0 };
    struct nb_ratio *all = walk_all_pairs(&problem->routing, name);
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const int64_t denominator = channel_matrix(all, topology, c, matrix);
        const struct nb_ratio load = nb_ratio_make(
            hungarian_integer(topology->terminal_count, matrix, permutation),
            denominator);
        if (nb_ratio_compare(load, most) > 0)
            most = load;
    }
    worst_case_must_find(problem, name, 0, &found);
    worst_case_must_pass(problem, name, &found);
    ratio_must_equal(found.load.exact, most, name);
    nb_worst_case_release(&found);
    nb_delete(all);
}

static void test_worst_case_by_another_method(void **state)
{
    (void)state;
    static const char *const names[] = { "o1turn@mesh:8x8", "o1turn@mesh:5x5",
                                         "o1turn@mesh:4x6", "o1turn@mesh:7x2" };
    problem_each_of(names, sizeof names / sizeof *names,
                    o1turn_check_worst_case);
}

/*
 * Load k/2 on a k x k mesh. For even k no scheme has less: all of one half may
 * send to the other half, k^2/2 packets over k channels. For odd k the
 * throughput is below half of capacity by the factor 1 - 1/k^2 [Seo2005,
 * abstract].
 */
static void test_worst_case_of_squares(void **state)
{
    (void)state;
    for (int k = 2; k <= 11; k++) {
        char name[64];
        struct problem problem;
        struct nb_worst_case found = { 0 };
        snprintf(name, sizeof name, "o1turn@mesh:%dx%d", k, k);
        problem_open_example(&problem, name);
        worst_case_must_find(&problem, name, 0, &found);
        ratio_must_equal(found.load.exact, nb_ratio_make(k, 2), name);
        nb_worst_case_release(&found);
        problem_close(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_random_order),
        cmocka_unit_test(test_turns_once),
        cmocka_unit_test(test_worst_case_by_another_method),
        cmocka_unit_test(test_worst_case_of_squares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
