/* rrr and rcar: compared with min and with counting, and their worst cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"
#include "../support/walk.h"
#include "../support/worst_case_checks.h"

#include "core/memory.h"
#include "load/channel_loads.h"
#include "load/focus.h"
#include "traffic/traffic.h"

static const struct tree_shape {
    const char *name;
    uint32_t k, n;
} shapes[] = {
    { "fattree:k=2,n=2", 2, 2 },
    { "fattree:k=2,n=4", 2, 4 },
    { "fattree:k=3,n=3", 3, 3 },
    { "fattree:k=4,n=2,bandwidth=3/5", 4, 2 },
};
enum { SHAPE_COUNT = sizeof shapes / sizeof *shapes };

/* Every shortest path has one turn, and all are equally likely. */
static void test_rcar_is_min(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPE_COUNT; s++) {
        struct problem own, other;
        problem_open(&own, shapes[s].name, "rcar");
        problem_open(&other, shapes[s].name, "min");
        const size_t n = own.topology.router_count;
        const size_t m = own.topology.channel_count;
        struct nb_ratio *found = walk_all_pairs(&own.routing, "rcar");
        struct nb_ratio *expected = walk_all_pairs(&other.routing, "min");
        for (size_t i = 0; i < n * n * m; i++)
            TOPOLOGY_CHECK(ratio_same(found[i], expected[i]),
                           "%s: %zu to %zu on %zu", shapes[s].name, i / m / n,
                           i / m % n, i % m);
        nb_delete(found);
        nb_delete(expected);
        problem_close(&own);
        problem_close(&other);
    }
}

/* Always 2 (n-1) hops, even within a leaf; every root is equally likely. */
static void tree_check_roots(const struct tree_shape *shape)
{
    struct problem problem;
    struct walk walk;
    problem_open(&problem, shape->name, "rrr");
    const struct nb_topology *topology = &problem.topology;
    const uint32_t words = topology->tree.words;
    const uint32_t first_root = (shape->n - 1) * words;
    struct nb_ratio *crossings =
        nb_new_array(topology->channel_count, sizeof *crossings);
    assert_non_null(crossings);
    walk_open(&walk, &problem.routing, shape->name);
    for (uint32_t pair = 0; pair < words * words; pair++) {
        uint32_t longest;
        const struct nb_ratio hops =
            walk_pair(&walk, pair / words, pair % words, crossings, &longest);
        ratio_must_equal(hops, (struct nb_ratio){ 2 * (shape->n - 1), 1 },
                         shape->name);
        assert_int_equal(longest, 2 * (shape->n - 1));
        for (uint32_t root = first_root; root < first_root + words; root++) {
            struct nb_ratio into = nb_ratio_zero;
            for (uint32_t i = topology->in_start[root];
                 i < topology->in_start[root + 1]; i++)
                into = nb_ratio_add(into, crossings[topology->in_channel[i]]);
            ratio_must_equal(into, (struct nb_ratio){ 1, words }, shape->name);
        }
    }
    walk_close(&walk);
    nb_delete(crossings);
    problem_close(&problem);
}

static void test_rrr_goes_through_random_roots(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPE_COUNT; s++)
        tree_check_roots(&shapes[s]);
}

/*
 * Uniform traffic: the fraction 1 - k^-(n-1-l) of all packets has its common
 * ancestor above level l, and k^n channels in each direction share it. rrr
 * sends all of them to the roots.
 */
static void tree_check_levels(const struct tree_shape *shape,
                              const char *routing, bool is_rcar)
{
    struct problem problem;
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads loads = { 0 };
    problem_open(&problem, shape->name, routing);
    const struct nb_topology *topology = &problem.topology;
    assert_int_equal(
        nb_traffic_build("uniform", topology, false, &traffic, NULL), NB_OK);
    assert_int_equal(
        nb_channel_loads_find(&problem.routing, &traffic, NULL, &loads, NULL),
        NB_OK);
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const uint32_t a = topology->channels[c].source / topology->tree.words;
        const uint32_t b = topology->channels[c].target / topology->tree.words;
        const uint32_t level = a < b ? a : b;
        int64_t power = 1;
        for (uint32_t i = level; i < shape->n - 1; i++)
            power *= shape->k;
        ratio_must_equal(loads.load[c].exact,
                         is_rcar ? nb_ratio_make(power - 1, power)
                                 : nb_ratio_one,
                         shape->name);
    }
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
    problem_close(&problem);
}

static void test_uniform_loads_by_level(void **state)
{
    (void)state;
    static const struct tree_shape large = { "fattree:k=16,n=3", 16, 3 };
    for (size_t s = 0; s < SHAPE_COUNT; s++) {
        tree_check_levels(&shapes[s], "rcar", true);
        tree_check_levels(&shapes[s], "rrr", false);
    }
    tree_check_levels(&large, "rcar", true);
    tree_check_levels(&large, "rrr", false);
}

/* No permutation loads a channel with more than 1: the channels above a leaf
 * carry no more than its terminals send, and so on upwards. One focus channel
 * for each level and direction. */
static void test_worst_cases(void **state)
{
    (void)state;
    static const char *const routings[] = { "rrr", "rcar" };
    static const struct tree_shape large[] = { { "fattree:k=4,n=3", 4, 3 },
                                               { "fattree:k=16,n=2", 16, 2 } };
    for (size_t i = 0; i < 2 * (SHAPE_COUNT + 2); i++) {
        const struct tree_shape *shape =
            i / 2 < SHAPE_COUNT ? &shapes[i / 2] : &large[i / 2 - SHAPE_COUNT];
        struct problem problem;
        struct nb_worst_case worst = { 0 };
        struct nb_focus focus = { 0 };
        problem_open(&problem, shape->name, routings[i % 2]);
        assert_int_equal(nb_focus_find(&problem.routing, &focus, NULL), NB_OK);
        assert_int_equal(focus.channels.count, 2 * (shape->n - 1));
        worst_case_must_find(&problem, shape->name, 0, &worst);
        worst_case_must_pass(&problem, shape->name, &worst);
        ratio_must_equal(worst.load.exact, nb_ratio_one, shape->name);
        nb_worst_case_release(&worst);
        nb_focus_release(&focus);
        problem_close(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rcar_is_min),
        cmocka_unit_test(test_rrr_goes_through_random_roots),
        cmocka_unit_test(test_uniform_loads_by_level),
        cmocka_unit_test(test_worst_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
