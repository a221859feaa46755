/* HyperX: known numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/ratio_checks.h"
#include "../support/shape_checks.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "core/random.h"
#include "load/channel_loads.h"
#include "topology/metrics.h"

#include <stdio.h>

/* By the definition: N routers with sum (k_d - 1) channels each; capacity min
 * k/p; bisections of one dimension (k/2)^2 links per line. */
static const struct shape_case shapes[] = {
    { "hyperx:2", 2, 4, 2, 1, { 1, 2 }, { 1, 1 }, { 2, 1 } },
    { "hyperx:8,p=1", 8, 8, 56, 1, { 7, 8 }, { 8, 1 }, { 32, 1 } },
    { "hyperx:8x8", 64, 512, 896, 2, { 7, 4 }, { 1, 1 }, { 256, 1 } },
    { "hyperx:8x4", 32, 128, 320, 2, { 13, 8 }, { 1, 1 }, { 64, 1 } },
    { "hyperx:4x8,p=8", 32, 256, 320, 2, { 13, 8 }, { 1, 2 }, { 64, 1 } },
    { "flattened-butterfly:4x4x4",
      64,
      256,
      576,
      3,
      { 9, 4 },
      { 1, 1 },
      { 128, 1 } },
    { "fb:2x2x2x2,p=3", 16, 48, 64, 4, { 2, 1 }, { 2, 3 }, { 16, 1 } },
    { "hyperx:3x3", 9, 27, 36, 2, { 4, 3 }, { 1, 1 }, { 0, 0 } },
};

static void test_shapes(void **state)
{
    (void)state;
    shapes_must_hold(shapes, sizeof shapes / sizeof *shapes);
}

/* Other kinds with the same routers and channels, number by number. */
static void test_same_networks(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        { "hyperx:2x2x2", "hypercube:3" },
        { "hyperx:2x2x2x2x2", "hypercube:5" },
        { "hyperx:8", "complete:8" },
        { "hyperx:3x3", "torus:3x3" },
        { "hyperx:2x3x3", "torus:2x3x3" },
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        topology_must_be_same(same[i][0], same[i][1]);
}

static uint32_t hyperx_differ(const uint32_t *radix, size_t dimensions,
                              uint32_t a, uint32_t b)
{
    uint32_t count = 0;
    for (size_t d = 0; d < dimensions; d++) {
        count += a % radix[d] != b % radix[d];
        a /= radix[d];
        b /= radix[d];
    }
    return count;
}

/* Every pair of routers; the groups are the lines of dimension 0. */
static void hyperx_check_joins(const struct nb_topology *topology,
                               const uint32_t *radix, size_t dimensions,
                               const char *name)
{
    const struct nb_groups *groups = &topology->groups;
    assert_int_equal(topology->hyperx.dimensions, dimensions);
    assert_int_equal(topology->grid.dimensions, 0);
    assert_int_equal(topology->nest.levels, 0);
    assert_null(topology->hyperx.channel);
    assert_int_equal(groups->count,
                     dimensions > 1 ? topology->router_count / radix[0] : 0);
    uint32_t c = 0;
    for (uint32_t a = 0; a < topology->router_count; a++) {
        assert_int_equal(topology->terminals[a], topology->terminals[0]);
        for (uint32_t b = 0; b < topology->router_count; b++) {
            if (hyperx_differ(radix, dimensions, a, b) != 1)
                continue;
            TOPOLOGY_CHECK(topology->channels[c].source == a &&
                               topology->channels[c].target == b,
                           "%s: %u to %u", name, a, b);
            TOPOLOGY_CHECK(nb_channel_is_global(topology, c) ==
                               (a / radix[0] != b / radix[0]),
                           "%s: %u to %u", name, a, b);
            c++;
        }
        if (dimensions > 1)
            assert_int_equal(groups->member[a], a);
    }
    assert_int_equal(c, topology->channel_count);
}

/* The channel loads of min agree with the closed forms. */
static void hyperx_check_loads(const struct problem *problem, const char *name)
{
    const struct nb_topology *topology = &problem->topology;
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads loads = { 0 };
    assert_int_equal(
        nb_traffic_build("uniform", topology, false, &traffic, NULL), NB_OK);
    assert_int_equal(
        nb_channel_loads_find(&problem->routing, &traffic, NULL, &loads, NULL),
        NB_OK);
    ratio_must_equal(topology->kind->capacity(topology).value,
                     loads.throughput.exact, name);
    ratio_must_equal(topology->kind->mean_distance(topology).value,
                     loads.mean_hops.exact, name);
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
}

static void test_random_shapes(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 20240607, 1);
    for (int trial = 0; trial < 40; trial++) {
        const size_t dimensions = 1 + (size_t)nb_random_below(&random, 4);
        const uint32_t most[] = { 30, 8, 5, 4 };
        uint32_t radix[4];
        char name[64];
        size_t used = (size_t)snprintf(name, sizeof name, "hyperx:");
        for (size_t d = 0; d < dimensions; d++) {
            radix[d] = 2 + (uint32_t)nb_random_below(&random,
                                                     most[dimensions - 1] - 1);
            used += (size_t)snprintf(name + used, sizeof name - used, "%s%u",
                                     d > 0 ? "x" : "", radix[d]);
        }
        snprintf(name + used, sizeof name - used, ",p=%u",
                 (unsigned)nb_random_below(&random, 6));
        struct problem problem = { 0 };
        problem_open(&problem, name, "min");
        hyperx_check_joins(&problem.topology, radix, dimensions, name);
        hyperx_check_loads(&problem, name);
        problem_close(&problem);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The closed form against every division, radices in every order. */
static void hyperx_check_bisections(char *name, size_t used, uint32_t routers,
                                    size_t *checked)
{
    if (routers == 1) {
        struct nb_topology topology = { 0 };
        struct nb_ratio cut;
        topology_must_build(name, &topology);
        const struct nb_closed_form form = topology.kind->bisection(&topology);
        assert_int_equal(nb_bisection_search(&topology, &cut, NULL), NB_OK);
        if (topology.router_count % 2 != 0)
            assert_false(nb_ratio_is_known(form.value));
        else
            ratio_must_equal(form.value, cut, name);
        nb_topology_release(&topology);
        (*checked)++;
        return;
    }
    for (uint32_t k = 2; k <= routers; k++) {
        if (routers % k != 0)
            continue;
        const int length =
            snprintf(name + used, 8, name[used - 1] == ':' ? "%u" : "x%u", k);
        hyperx_check_bisections(name, used + (size_t)length, routers / k,
                                checked);
        name[used] = '\0';
    }
}

static void test_bisections(void **state)
{
    (void)state;
    size_t checked = 0;
    for (uint32_t routers = 2; routers <= 20; routers++) {
        char name[64] = "hyperx:";
        hyperx_check_bisections(name, 7, routers, &checked);
    }
    /* The ordered factorisations of 2 .. 20. */
    assert_int_equal(checked, 60);
}

/* Too large for that search. */
static void test_larger_bisections(void **state)
{
    (void)state;
    static const char *const names[] = { "hyperx:2x3x4", "hyperx:3x8",
                                         "hyperx:6x2x2", "hyperx:7x4",
                                         "hyperx:5x3x2" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct nb_topology topology = { 0 };
        topology_must_build(names[i], &topology);
        ratio_must_equal(topology.kind->bisection(&topology).value,
                         (struct nb_ratio){ topology_least_cut(&topology), 1 },
                         names[i]);
        nb_topology_release(&topology);
    }
}

/* Steps, transpositions (not at radix 2, where they are the step), swaps. */
static void test_symmetries(void **state)
{
    (void)state;
    static const struct {
        const char *specification;
        size_t steps, others, swaps;
    } offered[] = {
        { "hyperx:5", 1, 1, 0 },     { "hyperx:2x2", 2, 0, 1 },
        { "hyperx:3x4x3", 3, 3, 1 }, { "hyperx:2x5x2x5", 4, 2, 2 },
        { "hyperx:4x4x4", 3, 3, 2 },
    };
    for (size_t i = 0; i < sizeof offered / sizeof *offered; i++) {
        struct nb_topology topology = { 0 };
        size_t count[NB_ANY_SYMMETRY + 1] = { 0 };
        uint32_t map[128];
        unsigned class;
        topology_must_build(offered[i].specification, &topology);
        assert_true(topology.router_count <= 128);
        for (size_t g = 0;
             (class = topology.kind->symmetry(&topology, g, map)) != 0; g++) {
            count[class]++;
            TOPOLOGY_CHECK(topology_same_channels(&topology, &topology, map),
                           "%s: generator %zu", offered[i].specification, g);
        }
        TOPOLOGY_CHECK(count[NB_TRANSLATION] == offered[i].steps &&
                           count[NB_OTHER_SYMMETRY] == offered[i].others &&
                           count[NB_AXIS_SWAP] == offered[i].swaps,
                       "%s: %zu %zu %zu", offered[i].specification, count[1],
                       count[16], count[8]);
        nb_topology_release(&topology);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *specification;
        enum nb_status status;
        const char *texts[4];
    } refusals[] = {
        { "hyperx", NB_INVALID, { "needs radices" } },
        { "hyperx:1x8", NB_INVALID, { "\"1x8\"", "from 2 to" } },
        { "hyperx:8x", NB_INVALID, { "\"8x\"" } },
        { "hyperx:2x2x2x2x2x2x2", NB_INVALID, { "more than 6" } },
        { "hyperx:4,p=-1", NB_INVALID, { "p \"-1\"", "from 0 to 1000000" } },
        { "hyperx:4,p=1000001", NB_INVALID, { "\"1000001\"" } },
        { "hyperx:4,terminals=2",
          NB_INVALID,
          { "no parameter \"terminals\"", "radices, p, bandwidth" } },
        { "hyperx:1000000x1000000", NB_NO_MEMORY, { "1e+12 routers", "MiB" } },
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        topology_must_refuse(refusals[i].specification, refusals[i].status,
                             refusals[i].texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_same_networks),
        cmocka_unit_test(test_random_shapes),
        cmocka_unit_test(test_bisections),
        cmocka_unit_test(test_larger_bisections),
        cmocka_unit_test(test_symmetries),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
