/* Known values, independent constructions, and search by another method. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "core/memory.h"
#include "core/random.h"
#include "topology/metrics.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *specification;
    size_t routers, channels;
    uint32_t diameter;
    struct nb_ratio mean, bisection, capacity; /* {0, 0}: no closed form */
    const char *source;
} known[] = {
    { "torus:8x8",
      64,
      256,
      8,
      { 4, 1 },
      { 32, 1 },
      { 1, 1 },
      "8-ary 2-cube: 2k/4 hops, 4N/k channels, 8/k" },
    { "torus:9x9",
      81,
      324,
      8,
      { 40, 9 },
      { 40, 1 },
      { 9, 10 },
      "9-ary 2-cube: 2(k^2-1)/4k, 4(k+1), 8k/(k^2-1)" },
    { "mesh:8x8",
      64,
      224,
      14,
      { 21, 4 },
      { 16, 1 },
      { 1, 2 },
      "8-ary 2-mesh: H_min 5.25, 2k channels, 4/k" },
    { "hypercube:6",
      64,
      384,
      6,
      { 3, 1 },
      { 64, 1 },
      { 2, 1 },
      "n/2 hops, N channels, one bit of a word differs half the time" },
    { "complete:64",
      64,
      4032,
      1,
      { 63, 64 },
      { 2048, 1 },
      { 64, 1 },
      "N(N-1) channels, N^2/2 between halves" },
    { "ccc:4",
      64,
      192,
      8,
      { 0, 0 },
      { 16, 1 },
      { 0, 0 },
      "n 2^n routers of degree 3, bisection 2^n" },
    { "ring:8",
      8,
      16,
      4,
      { 2, 1 },
      { 4, 1 },
      { 1, 1 },
      "k/4 hops, two links cut, 8/k" },
    { "torus:8x4x2",
      64,
      320,
      7,
      { 7, 2 },
      { 32, 1 },
      { 1, 1 },
      "2 + 1 + 1/2 hops, 4N/k channels of the longest dimension" },
    { "torus:5x2",
      10,
      30,
      3,
      { 17, 10 },
      { 0, 0 },
      { 5, 3 },
      "6/5 + 1/2 hops; 8k/(k^2-1)" },
};

static bool metrics_same(struct nb_ratio a, struct nb_ratio b)
{
    return a.numerator == b.numerator && a.denominator == b.denominator;
}

static struct nb_ratio
metrics_form(struct nb_closed_form (*form)(const struct nb_topology *topology),
             const struct nb_topology *topology)
{
    return form == NULL ? (struct nb_ratio){ 0, 0 } : form(topology).value;
}

static void test_known_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *name = known[i].specification;
        struct nb_topology topology = { 0 };
        topology_must_build(name, &topology);
        const struct nb_topology_kind *kind = topology.kind;
        TOPOLOGY_CHECK(topology.router_count == known[i].routers, "%s", name);
        TOPOLOGY_CHECK(topology.channel_count == known[i].channels, "%s", name);
        TOPOLOGY_CHECK(metrics_same(metrics_form(kind->diameter, &topology),
                                    (struct nb_ratio){ known[i].diameter, 1 }),
                       "%s diameter", name);
        TOPOLOGY_CHECK(
            metrics_same(metrics_form(kind->mean_distance, &topology),
                         known[i].mean),
            "%s mean distance", name);
        TOPOLOGY_CHECK(metrics_same(metrics_form(kind->bisection, &topology),
                                    known[i].bisection),
                       "%s bisection", name);
        TOPOLOGY_CHECK(metrics_same(metrics_form(kind->capacity, &topology),
                                    known[i].capacity),
                       "%s capacity", name);
        nb_topology_release(&topology);
    }
}

/* Networks too large for nb_bisection_search, cut by branch and bound. */
static void test_larger_bisections(void **state)
{
    (void)state;
    static const char *const names[] = {
        "ccc:3",      "torus:3x3x3", "torus:5x5",   "torus:3x8",
        "mesh:5x5",   "mesh:3x3x3",  "torus:6x4",   "torus:4x3x2",
        "mesh:4x3x2", "torus:7x3",   "hypercube:5", "torus:4x2x3",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct nb_topology topology = { 0 };
        topology_must_build(names[i], &topology);
        const struct nb_ratio form =
            metrics_form(topology.kind->bisection, &topology);
        const int64_t found = topology_least_cut(&topology);
        TOPOLOGY_CHECK(metrics_same(form, (struct nb_ratio){ found, 1 }),
                       "%s: %g, by search %g", names[i], nb_ratio_value(form),
                       (double)found);
        nb_topology_release(&topology);
    }
}

/* Two names of the same network. */
static void test_independent_constructions(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        { "hypercube:4", "torus:2x2x2x2" },
        { "hypercube:5", "mesh:2x2x2x2x2" },
        { "ring:5", "torus:5" },
        { "complete:3", "ring:3" },
        { "mesh:2", "torus:2" },
        { "complete:2", "hypercube:1" },
        { "complete:4,bandwidth=1/2", "complete:4,bandwidth=0.5" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct nb_topology a = { 0 }, b = { 0 };
        topology_must_build(pairs[i][0], &a);
        topology_must_build(pairs[i][1], &b);
        TOPOLOGY_CHECK(topology_same_channels(&a, &b, NULL), "%s and %s",
                       pairs[i][0], pairs[i][1]);
        nb_topology_release(&a);
        nb_topology_release(&b);
    }
}

/* A ring has the channels of a torus in the same order with the same grid. */
static void test_ring_is_torus(void **state)
{
    (void)state;
    struct nb_topology ring = { 0 }, torus = { 0 };
    topology_must_build("ring:5", &ring);
    topology_must_build("torus:5", &torus);
    assert_int_equal(ring.grid.dimensions, 1);
    assert_true(ring.grid.wraps);
    for (size_t c = 0; c < ring.channel_count; c++) {
        assert_int_equal(ring.channels[c].source, torus.channels[c].source);
        assert_int_equal(ring.channels[c].target, torus.channels[c].target);
        assert_int_equal(ring.grid.channel[c], torus.grid.channel[c]);
    }
    nb_topology_release(&ring);
    nb_topology_release(&torus);
}

/* The first radix is dimension 0, the least significant digit. */
static void test_numbering(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build("torus:2x5x3", &topology);
    assert_int_equal(nb_grid_coordinate(&topology.grid, 17, 0), 1);
    assert_int_equal(nb_grid_coordinate(&topology.grid, 17, 1), 3);
    assert_int_equal(nb_grid_coordinate(&topology.grid, 17, 2), 1);
    /* One channel between the two routers of dimension 0. */
    const uint32_t *slot = topology.grid.channel + 17 * 6;
    assert_int_equal(slot[0], slot[1]);
    assert_int_equal(topology.channels[slot[0]].target, 16);
    assert_int_equal(topology.out_start[18] - topology.out_start[17], 5);
    nb_topology_release(&topology);
}

/* Terminals weight distances, and unequal ones cannot always be halved. */
static void test_terminals(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    struct nb_distance_summary distance;
    struct nb_ratio cut;
    topology_must_build("mesh:4,bandwidth=3/2", &topology);
    const uint32_t weights[4] = { 5, 0, 1, 1 };
    memcpy(topology.terminals, weights, sizeof weights);
    topology.terminal_count = 7;
    assert_int_equal(nb_distance_search(&topology, &distance, NULL), NB_OK);
    assert_int_equal(distance.diameter, 3);
    /* 2 (5*1*2 + 5*1*3 + 1*1*1) / 49 */
    assert_true(metrics_same(distance.mean, (struct nb_ratio){ 52, 49 }));
    /* 5 against 2 is the nearest; router 1 may be on either side. */
    assert_int_equal(nb_bisection_search(&topology, &cut, NULL), NB_OK);
    assert_true(metrics_same(cut, (struct nb_ratio){ 3, 1 }));
    nb_topology_release(&topology);
}

static void test_no_terminals_at_the_ends(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    struct nb_distance_summary distance;
    topology_must_build("mesh:5", &topology);
    topology.terminals[0] = topology.terminals[4] = 0;
    topology.terminal_count = 3;
    assert_int_equal(nb_distance_search(&topology, &distance, NULL), NB_OK);
    assert_int_equal(distance.diameter, 2);
    assert_true(metrics_same(distance.mean, (struct nb_ratio){ 8, 9 }));
    nb_topology_release(&topology);
}

static void test_search_limits(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    struct nb_error error = { 0 };
    struct nb_ratio cut;
    topology_must_build("ring:23", &topology);
    assert_int_equal(nb_bisection_search(&topology, &cut, &error), NB_INVALID);
    assert_non_null(strstr(error.message, "23"));
    assert_non_null(strstr(error.message, "22"));
    nb_topology_release(&topology);
    topology_must_build("ring:4", &topology);
    topology.channels[0].bandwidth = (struct nb_ratio){ 1, 4294967291 };
    topology.channels[1].bandwidth = (struct nb_ratio){ 1, 4294967279 };
    assert_int_equal(nb_bisection_search(&topology, &cut, NULL), NB_OVERFLOW);
    topology.channels[0].bandwidth = (struct nb_ratio){ INT64_MAX, 1 };
    topology.channels[1].bandwidth = nb_ratio_one;
    assert_int_equal(nb_bisection_search(&topology, &cut, NULL), NB_OVERFLOW);
    nb_topology_release(&topology);
}

/* Property: twice the bandwidth, twice the cut; the same distances. */
static void test_scaling(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 2026, 0);
    for (int trial = 0; trial < 20; trial++) {
        char name[2][64];
        const unsigned a = 2 + (unsigned)nb_random_below(&random, 4);
        const unsigned b = 2 + (unsigned)nb_random_below(&random, 3);
        const unsigned p = 1 + (unsigned)nb_random_below(&random, 9);
        const char *kind = trial % 2 == 0 ? "mesh" : "torus";
        snprintf(name[0], sizeof name[0], "%s:%ux%u", kind, a, b);
        snprintf(name[1], sizeof name[1], "%s:%ux%u,bandwidth=%u/7,terminals=3",
                 kind, a, b, p);
        struct nb_ratio cut[2];
        struct nb_distance_summary distance[2];
        for (int i = 0; i < 2; i++) {
            struct nb_topology topology = { 0 };
            topology_must_build(name[i], &topology);
            assert_int_equal(nb_bisection_search(&topology, &cut[i], NULL),
                             NB_OK);
            assert_int_equal(nb_distance_search(&topology, &distance[i], NULL),
                             NB_OK);
            nb_topology_release(&topology);
        }
        const struct nb_ratio scaled =
            nb_ratio_multiply(cut[0], nb_ratio_make(p, 7));
        TOPOLOGY_CHECK(metrics_same(distance[0].mean, distance[1].mean), "%s",
                       name[1]);
        /* With three terminals per router, one half gets an odd number. */
        if (a * b % 2 == 0)
            TOPOLOGY_CHECK(metrics_same(scaled, cut[1]), "%s", name[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_larger_bisections),
        cmocka_unit_test(test_independent_constructions),
        cmocka_unit_test(test_ring_is_torus),
        cmocka_unit_test(test_numbering),
        cmocka_unit_test(test_terminals),
        cmocka_unit_test(test_no_terminals_at_the_ends),
        cmocka_unit_test(test_search_limits),
        cmocka_unit_test(test_scaling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
