/* Networks drawn at random, and those of words: known counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "core/memory.h"
#include "topology/metrics.h"

#include <math.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* [Hanlon2009, Table 4.1]: links. */
static const struct {
    const char *specification;
    size_t links;
} counts[] = {
    { "regular:32,degree=3", 48 },
    { "regular:32,degree=6", 96 },
    { "regular:64,degree=3", 96 },
    { "regular:64,degree=6", 192 },
    { "preferential:2,steps=30", 60 },
    { "preferential:8,steps=24", 192 },
    { "preferential:4,steps=60", 240 },
    { "preferential:16,steps=48", 768 },
    /* Counting: (d + 1) d^(n-1) words and d channels from each; d^n words. */
    { "kautz:2,diameter=3", 12 },
    { "kautz:3,diameter=4", 162 },
    { "debruijn:2,diameter=5", 31 },
};

static void test_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct nb_topology topology;
        topology_must_build(counts[i].specification, &topology);
        TOPOLOGY_CHECK(topology.channel_count == 2 * counts[i].links, "%s: %zu",
                       counts[i].specification, topology.channel_count);
        nb_topology_release(&topology);
    }
}

/* The mean of p n(n-1)/2 links; with this p, nearly all networks are
 * connected. */
static void test_random_links(void **state)
{
    (void)state;
    enum { NETWORKS = 200, ROUTERS = 32 };
    const double p = 0.25, pairs = ROUTERS * (ROUTERS - 1) / 2.0;
    double sum = 0;
    for (int seed = 0; seed < NETWORKS; seed++) {
        struct nb_topology topology;
        char specification[64];
        snprintf(specification, sizeof specification,
                 "random:%d,p=0.25,seed=%d", ROUTERS, seed);
        topology_must_build(specification, &topology);
        sum += (double)topology.channel_count / 2;
        nb_topology_release(&topology);
    }
    assert_true(fabs(sum / NETWORKS - p * pairs) <
                4 * sqrt(p * (1 - p) * pairs / NETWORKS));
}

static void test_regular(void **state)
{
    (void)state;
    static const char *const specifications[] = {
        "regular:30,degree=3,seed=4", "regular:31,degree=4",
        "regular:9,degree=8",         "regular:200,degree=16",
        "regular:12,degree=2",        "regular:60,degree=57",
        "regular:200,degree=198",     "regular:300,degree=150"
    };
    for (size_t i = 0; i < sizeof specifications / sizeof *specifications;
         i++) {
        struct nb_topology topology;
        topology_must_build(specifications[i], &topology);
        const uint32_t degree = topology.out_start[1];
        for (uint32_t r = 0; r < topology.router_count; r++) {
            assert_int_equal(topology.out_start[r + 1] - topology.out_start[r],
                             degree);
            for (uint32_t c = topology.out_start[r];
                 c < topology.out_start[r + 1]; c++) {
                assert_int_equal(nb_channel_rank(&topology, c), 0);
                assert_int_not_equal(
                    nb_channel_find(&topology, topology.channels[c].target, r,
                                    0),
                    NB_NONE);
            }
        }
        nb_topology_release(&topology);
    }
}

/* Of the 70 labelled cubic graphs of 6 vertices, 10 are K_3,3 and 60 the prism.
 * The prism has triangles. */
static void test_regular_is_fair(void **state)
{
    (void)state;
    enum { NETWORKS = 700 };
    int prisms = 0;
    for (int seed = 0; seed < NETWORKS; seed++) {
        struct nb_topology topology;
        char specification[64];
        snprintf(specification, sizeof specification,
                 "regular:6,degree=3,seed=%d", seed);
        topology_must_build(specification, &topology);
        bool has_triangle = false;
        for (uint32_t c = 0; c < topology.channel_count; c++)
            for (uint32_t r = 0; r < 6; r++)
                has_triangle |=
                    nb_channel_find(&topology, topology.channels[c].target, r,
                                    0) != NB_NONE &&
                    nb_channel_find(&topology, r, topology.channels[c].source,
                                    0) != NB_NONE;
        prisms += has_triangle;
        nb_topology_release(&topology);
    }
    /* Six sevenths; the drawing of suitable pairs is not quite even. */
    assert_in_range(prisms, NETWORKS * 0.8, NETWORKS * 0.92);
}

/* New routers are more often joined with those that have many links. */
static void test_preferential(void **state)
{
    (void)state;
    struct nb_topology topology;
    uint32_t most = 0;
    topology_must_build("preferential:2,steps=500", &topology);
    for (uint32_t r = 0; r < topology.router_count; r++) {
        const uint32_t degree =
            topology.out_start[r + 1] - topology.out_start[r];
        assert_true(degree >= (r < 2 ? 1 : 2));
        most = degree > most ? degree : most;
    }
    /* If drawn evenly, none would have many more than 2 ln 500. */
    assert_true(most > 30);
    nb_topology_release(&topology);
}

/* With repeats=merge, links are fewer: means and deviations of
 * tests/oracles/universal.py over 1000 seeds. The first router added is still
 * joined with all m. */
static void test_preferential_merges(void **state)
{
    (void)state;
    enum { SEEDS = 400, ORACLE_SEEDS = 1000 };
    static const struct {
        const char *network;
        uint32_t m;
        double mean, deviation;
    } cases[] = { { "preferential:8,steps=24,repeats=merge", 8, 150.57, 5.29 },
                  { "preferential:3,steps=30,repeats=merge", 3, 81.86, 2.62 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double error =
            cases[i].deviation * sqrt(1.0 / SEEDS + 1.0 / ORACLE_SEEDS);
        double links = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            struct nb_topology topology;
            char specification[64];
            const uint32_t m = cases[i].m;
            snprintf(specification, sizeof specification, "%s,seed=%d",
                     cases[i].network, seed);
            topology_must_build(specification, &topology);
            links += (double)topology.channel_count / 2 / SEEDS;
            for (uint32_t r = 0; r < m; r++)
                assert_true(nb_channel_find(&topology, m, r, 0) != NB_NONE &&
                            nb_channel_find(&topology, m, r, 1) == NB_NONE);
            nb_topology_release(&topology);
        }
        TOPOLOGY_CHECK(fabs(links - cases[i].mean) <= 0.005 + 4.5 * error,
                       "%s: %g, not %g", cases[i].network, links,
                       cases[i].mean);
    }
}

static void test_seeds(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        { "random:20,p=0.3", "random:20,p=0.3,seed=2" },
        { "regular:20,degree=3", "regular:20,degree=3,seed=2" },
        { "preferential:3,steps=17", "preferential:3,steps=17,seed=2" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct nb_topology a, b;
        topology_must_be_same(pairs[i][0], pairs[i][0]);
        topology_must_build(pairs[i][0], &a);
        topology_must_build(pairs[i][1], &b);
        assert_false(topology_same_channels(&a, &b, NULL));
        nb_topology_release(&a);
        nb_topology_release(&b);
    }
}

/* igraph made the same network of degree 2 and diameter 3, in its own order. */
static void test_kautz(void **state)
{
    (void)state;
    struct nb_topology a, b;
    topology_must_build(
        "file:data/topologies/kautz-igraph.graphml,directed=yes", &b);
    for (uint32_t d = 1; d <= 4; d++)
        for (uint32_t n = 1; n <= 4; n++) {
            char specification[64];
            snprintf(specification, sizeof specification,
                     "kautz:%u,diameter=%u", d, n);
            if (d < 2)
                continue;
            topology_must_build(specification, &a);
            if (a.router_count == b.router_count &&
                a.channel_count == b.channel_count)
                assert_true(topology_same_channels(&a, &b, NULL));
            nb_topology_release(&a);
        }
    nb_topology_release(&b);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const odd[] = { "degree 3 of 5 routers", "even", NULL };
    static const char *const many[] = { "degree 6 of 6", NULL };
    static const char *const sparse[] = { "none of 10000 networks", "connected",
                                          NULL };
    static const char *const seldom[] = { "40 routers", "p=0.001", "connected",
                                          "at least 0.02672", NULL };
    static const char *const large[] = { "50000 routers", "at least 0.0001971",
                                         NULL };
    static const char *const missing[] = { "needs p", NULL };
    topology_must_refuse("regular:5,degree=3", NB_INVALID, odd);
    topology_must_refuse("regular:6,degree=6", NB_INVALID, many);
    topology_must_refuse("regular:6,degree=1", NB_INVALID, sparse);
    topology_must_refuse("random:40,p=0.001", NB_INVALID, seldom);
    topology_must_refuse("random:50000,p=1e-5", NB_INVALID, large);
    topology_must_refuse("random:40", NB_INVALID, missing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_random_links),
        cmocka_unit_test(test_regular),
        cmocka_unit_test(test_regular_is_fair),
        cmocka_unit_test(test_preferential),
        cmocka_unit_test(test_preferential_merges),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_kautz),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
