/* Segments, LASH-TOR's paths and roots that are drawn: means over seeds against
 * tests/oracles/universal.py, which draws other random numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/cases.h"
#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "core/text.h"
#include "routing/segments.h"
#include "routing/table_ways.h"
#include "routing/tree_order.h"

#include <math.h>
#include <string.h>

enum { QUANTITIES = 3 };

/* A mean over the oracle's seeds, and the standard deviation of one seed. */
struct drawn {
    double mean, deviation;
};

/* Whether the mean of a sum over seeds lies within 4.5 standard errors: one run
 * in 100000 of a correct program would not. Rounding to two digits adds
 * 0.005. */
static void check_mean(double sum, double seeds, const struct drawn *expected,
                       double oracle_seeds, const char *topology,
                       const char *what)
{
    const double error =
        expected->deviation * sqrt(1 / seeds + 1 / oracle_seeds);
    TOPOLOGY_CHECK(fabs(sum / seeds - expected->mean) <= 0.005 + 4.5 * error,
                   "%s, %s: %.2f, not %.2f", topology, what, sum / seeds,
                   expected->mean);
}

static double count_of(const struct nb_routing *routing, const char *name)
{
    for (size_t i = 0; i < routing->count_count; i++)
        if (strcmp(routing->counts[i].name, name) == 0)
            return (double)routing->counts[i].count;
    fail_msg("no count %s", name);
    return NAN;
}

static void open_seed(struct problem *problem, const char *topology,
                      const char *routing, unsigned seed)
{
    struct nb_text text = { 0 };
    nb_text_print(&text, "%s,seed=%u", routing, seed);
    problem_open(problem, topology, text.bytes);
    nb_text_release(&text);
}

/* The regular segments, and the turns that are prohibited. */
static void find_segments(const struct nb_topology *topology,
                          const struct nb_segment_rule *rule, size_t *regular,
                          size_t *prohibited)
{
    struct nb_turns turns = { 0 };
    struct nb_segment_counts counts;
    size_t all;
    assert_int_equal(nb_turns_init(topology, &turns, NULL), NB_OK);
    assert_int_equal(nb_segments_find(topology, rule, &turns, &counts, NULL),
                     NB_OK);
    nb_turns_count(&turns, &all, prohibited);
    *regular = counts.regular;
    nb_turns_release(&turns);
}

/* The scheme finds the same segments from its parameters. */
static void check_scheme(const struct nb_topology *topology,
                         const char *segments,
                         const struct nb_segment_rule *rule)
{
    struct nb_text text = { 0 };
    struct nb_routing routing;
    size_t regular, prohibited;
    nb_text_print(&text, "sr:segments=%s,unitary=%s,seed=%u", segments,
                  rule->is_one_way ? "one-way" : "both", (unsigned)rule->seed);
    assert_int_equal(nb_routing_build(text.bytes, topology, &routing, NULL),
                     NB_OK);
    find_segments(topology, rule, &regular, &prohibited);
    assert_true(count_of(&routing, "regular_segments") == (double)regular);
    assert_true(count_of(&routing, "prohibited_turns") == (double)prohibited);
    nb_routing_release(&routing);
    nb_text_release(&text);
}

static void test_segments(void **state)
{
    (void)state;
    enum { SEEDS = 400, ORACLE_SEEDS = 1000 };
    static const struct {
        const char *topology, *segments;
        enum nb_segment_search search;
        /* Regular segments; prohibited turns, with unitary segments prohibited
         * both ways or one way. */
        struct drawn expected[QUANTITIES];
    } cases[] = {
        { "mesh:8x8",
          "shortest-drawn",
          NB_SEGMENTS_SHORTEST_DRAWN,
          { { 41.42, 1.82 }, { 120.52, 6.62 }, { 103.01, 1.79 } } },
        { "mesh:8x8",
          "walk",
          NB_SEGMENTS_WALK,
          { { 14.49, 3.17 }, { 207.60, 9.87 }, { 124.47, 2.81 } } },
        { "torus:8x8",
          "shortest-drawn",
          NB_SEGMENTS_SHORTEST_DRAWN,
          { { 44.34, 1.54 }, { 203.24, 6.00 }, { 149.66, 1.54 } } },
        { "torus:8x8",
          "walk",
          NB_SEGMENTS_WALK,
          { { 15.63, 3.99 }, { 304.48, 13.86 }, { 178.37, 3.99 } } },
        { "mesh:3x4x3",
          "shortest-drawn",
          NB_SEGMENTS_SHORTEST_DRAWN,
          { { 25.26, 1.21 }, { 141.47, 8.77 }, { 99.19, 4.23 } } },
        { "mesh:3x4x3",
          "walk",
          NB_SEGMENTS_WALK,
          { { 8.86, 2.91 }, { 213.08, 12.41 }, { 125.74, 5.32 } } },
        { "complete:9",
          "shortest-drawn",
          NB_SEGMENTS_SHORTEST_DRAWN,
          { { 6.00, 0.00 }, { 261.60, 5.77 }, { 161.00, 0.00 } } },
        { "complete:9",
          "walk",
          NB_SEGMENTS_WALK,
          { { 2.29, 1.45 }, { 295.07, 13.25 }, { 179.53, 7.27 } } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct drawn *expected = cases[i].expected;
        const char *topology_name = cases[i].topology;
        const char *segments = cases[i].segments;
        struct nb_topology topology;
        double sum[QUANTITIES] = { 0 };
        topology_must_build(topology_name, &topology);
        for (unsigned seed = 1; seed <= 2 * SEEDS; seed++) {
            const struct nb_segment_rule rule = { .search = cases[i].search,
                                                  .is_one_way = seed > SEEDS,
                                                  .seed = seed };
            size_t regular, prohibited;
            find_segments(&topology, &rule, &regular, &prohibited);
            sum[0] += (double)regular / 2;
            sum[rule.is_one_way ? 2 : 1] += (double)prohibited;
            if (seed % SEEDS == 0)
                check_scheme(&topology, segments, &rule);
        }
        for (size_t q = 0; q < QUANTITIES; q++)
            check_mean(sum[q], SEEDS, &expected[q], ORACLE_SEEDS, topology_name,
                       segments);
        nb_topology_release(&topology);
    }
}

/* The hops after the first that stay in layer 1 or layer 2, and those that
 * change the layer. */
static void count_hops(const struct nb_routing *routing, double *sum)
{
    const uint32_t n = (uint32_t)routing->topology->router_count;
    uint32_t path[64];
    uint8_t class[64];
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++) {
            const size_t length =
                s == d ? 0 : nb_table_ways_path(routing, s, d, path, class);
            for (size_t h = 1; h < length; h++)
                if (class[h] != class[h - 1])
                    sum[2]++;
                else if (class[h] < 2)
                    sum[class[h]]++;
        }
}

static void test_lash_tor(void **state)
{
    (void)state;
    enum { SEEDS = 60, ORACLE_SEEDS = 100 };
    static const struct {
        const char *topology, *routing;
        struct drawn expected[QUANTITIES];
    } cases[] = {
        { "mesh:8x8",
          "lash-tor:paths=5,layers=3,balance=none",
          { { 13540.21, 365.69 }, { 2890.76, 306.32 }, { 1041.03, 64.09 } } },
        { "mesh:5x5",
          "lash-tor:paths=2,layers=3,balance=none",
          { { 1098.10, 32.22 }, { 175.92, 25.02 }, { 125.98, 10.19 } } },
        { "torus:5x5",
          "lash-tor:paths=3,layers=4,balance=none",
          { { 728.46, 11.48 }, { 68.77, 7.02 }, { 102.76, 6.46 } } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double sum[QUANTITIES] = { 0 };
        if (!nb_cases_have(i, 3))
            continue;
        for (unsigned seed = 1; seed <= SEEDS; seed++) {
            struct problem problem;
            open_seed(&problem, cases[i].topology, cases[i].routing, seed);
            assert_true(problem.routing.is_minimal);
            count_hops(&problem.routing, sum);
            problem_close(&problem);
        }
        for (size_t q = 0; q < QUANTITIES; q++)
            check_mean(sum[q], SEEDS, &cases[i].expected[q], ORACLE_SEEDS,
                       cases[i].topology, cases[i].routing);
    }
}

/* Every router that has not failed is drawn, and equally often: chi-squared
 * with 7 degrees of freedom exceeds 33 once in 40000 times. */
static void test_root(void **state)
{
    (void)state;
    enum { DRAWS = 800, LEFT = 8 };
    unsigned drawn[9] = { 0 };
    double chi_squared = 0;
    for (unsigned seed = 0; seed < DRAWS; seed++) {
        struct problem problem;
        struct nb_tree_order order = { 0 };
        open_seed(&problem, "mesh:3x3,fail=router:8", "tor:root=random", seed);
        assert_int_equal(
            nb_tree_order_build(&problem.routing, true, &order, NULL), NB_OK);
        for (size_t r = 0; r < 9; r++)
            drawn[r] += order.is_root[r];
        nb_tree_order_release(&order);
        problem_close(&problem);
    }
    for (size_t r = 0; r < LEFT; r++) {
        const double mean = (double)DRAWS / LEFT;
        chi_squared += (drawn[r] - mean) * (drawn[r] - mean) / mean;
    }
    assert_int_equal(drawn[8], 0);
    TOPOLOGY_CHECK(chi_squared < 33, "%g", chi_squared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_lash_tor),
        cmocka_unit_test(test_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
