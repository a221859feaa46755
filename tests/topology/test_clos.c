/* Folded Clos networks: known numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/clos_draw.h"
#include "../support/problem.h"
#include "../support/ratio_checks.h"
#include "../support/shape_checks.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "core/random.h"
#include "load/channel_loads.h"
#include "topology/metrics.h"

/* The folded Clos of radix k and 3 levels: k^3/4 terminals, 5 k^2/4 switches.
 * Mean distances: of 8 leaves one is the same, one is 2 hops away, six are 4.
 * Capacity of 4x4, up=2: 3/4 of 4 terminals' packets take 2 links up. */
static const struct shape_case shapes[] = {
    { "clos:2x2x4,up=2x2", 20, 16, 64, 4, { 13, 4 }, { 8, 7 }, { 16, 1 } },
    { "clos:down=4x4x8,up=4x4",
      80,
      128,
      512,
      4,
      { 59, 16 },
      { 32, 31 },
      { 128, 1 } },
    { "clos:4x4,up=2", 6, 16, 16, 2, { 3, 2 }, { 2, 3 }, { 8, 1 } },
    { "folded-clos:6x2,up=1", 3, 12, 4, 2, { 1, 1 }, { 1, 3 }, { 2, 1 } },
    { "xgft:2x3,up=2", 5, 6, 12, 2, { 4, 3 }, { 3, 2 }, { 0, 0 } },
    /* The links up from the leaves are the fewest, not those below the top. */
    { "clos:2x2x2,up=1x4", 10, 8, 24, 4, { 5, 2 }, { 2, 3 }, { 0, 0 } },
};

static void test_shapes(void **state)
{
    (void)state;
    shapes_must_hold(shapes, sizeof shapes / sizeof *shapes);
}

/* Without slimming, with equal numbers everywhere: the k-ary n-tree, number by
 * number. */
static void test_fat_trees(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        { "clos:2x2,up=2", "fattree:k=2,n=2" },
        { "clos:3x3x3,up=3x3", "fattree:k=3,n=3" },
        { "clos:2x2x2x2x2,up=2x2x2x2", "fattree:k=2,n=5" },
        { "clos:5x5x5,up=5x5", "fattree:k=5,n=3" },
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct nb_topology a = { 0 }, b = { 0 };
        topology_must_build(same[i][0], &a);
        topology_must_build(same[i][1], &b);
        TOPOLOGY_CHECK(topology_same_channels(&a, &b, NULL), "%s", same[i][0]);
        assert_memory_equal(a.terminals, b.terminals,
                            a.router_count * sizeof *a.terminals);
        ratio_must_equal(a.kind->capacity(&a).value, b.kind->capacity(&b).value,
                         same[i][0]);
        ratio_must_equal(a.kind->mean_distance(&a).value,
                         b.kind->mean_distance(&b).value, same[i][0]);
        assert_int_equal(a.groups.count, b.groups.count);
        if (a.groups.count > 0)
            assert_memory_equal(a.groups.of, b.groups.of,
                                a.router_count * sizeof *a.groups.of);
        assert_memory_equal(&a.nest, &b.nest, sizeof a.nest);
        nb_topology_release(&a);
        nb_topology_release(&b);
    }
}

/* The channel loads of min agree with the closed forms. */
static void clos_check_loads(const struct problem *problem, const char *name)
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

static void test_loads(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 20240608, 1);
    for (int trial = 0; trial < 60; trial++) {
        const struct clos_draw draw = clos_draw_next(&random);
        struct problem problem = { 0 };
        problem_open(&problem, draw.name, "min");
        clos_check_loads(&problem, draw.name);
        problem_close(&problem);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The closed form, where there is one, against every division. */
static void test_bisections(void **state)
{
    (void)state;
    struct nb_random random;
    size_t known = 0, unknown = 0;
    nb_random_init(&random, 20240609, 1);
    for (int trial = 0; trial < 400 && known < 25; trial++) {
        const struct clos_draw draw = clos_draw_next(&random);
        struct nb_topology topology = { 0 };
        struct nb_ratio cut;
        topology_must_build(draw.name, &topology);
        const struct nb_closed_form form = topology.kind->bisection(&topology);
        unknown += !nb_ratio_is_known(form.value);
        if (topology.router_count <= 17 && nb_ratio_is_known(form.value)) {
            assert_int_equal(nb_bisection_search(&topology, &cut, NULL), NB_OK);
            ratio_must_equal(form.value, cut, draw.name);
            known++;
        }
        nb_topology_release(&topology);
    }
    assert_true(known == 25 && unknown > 0);
}

static void test_symmetries(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 20240610, 1);
    for (int trial = 0; trial < 30; trial++) {
        const struct clos_draw draw = clos_draw_next(&random);
        struct nb_topology topology = { 0 };
        size_t count = 0;
        topology_must_build(draw.name, &topology);
        uint32_t *map = nb_new_array(topology.router_count, sizeof *map);
        assert_non_null(map);
        for (; topology.kind->symmetry(&topology, count, map) != 0; count++)
            TOPOLOGY_CHECK(topology_same_channels(&topology, &topology, map),
                           "%s: generator %zu", draw.name, count);
        assert_int_equal(count, 2 * (draw.levels - 1));
        nb_delete(map);
        nb_topology_release(&topology);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *specification;
        enum nb_status status;
        const char *texts[5];
    } refusals[] = {
        { "clos", NB_INVALID, { "needs down" } },
        { "clos:4x4", NB_INVALID, { "needs up" } },
        { "clos:4,up=2", NB_INVALID, { "down \"4\"", "2 to 6" } },
        { "clos:4x4,up=2x2",
          NB_INVALID,
          { "up \"2x2\" has 2", "down \"4x4\"", "permitted: 1, one fewer" } },
        { "clos:4x4x4,up=2", NB_INVALID, { "permitted: 2, one fewer" } },
        { "clos:4x1x4,up=2x2",
          NB_INVALID,
          { "down \"4x1x4\"", "1 switch below each of level 2",
            "at least 2" } },
        { "clos:4x4x1,up=2x2", NB_INVALID, { "of level 3" } },
        { "clos:0x4,up=2", NB_INVALID, { "\"0x4\"", "from 1 to 1000000" } },
        { "clos:4x4,up=2,parallel=2x2",
          NB_INVALID,
          { "parallel \"2x2\" has 2", "up \"2\"", "permitted: 1, as in up" } },
        { "clos:4x4,up=2,parallel=0", NB_INVALID, { "\"0\"", "from 1" } },
        { "clos:4x4,up=0", NB_INVALID, { "up \"0\"", "from 1 to 1000000" } },
        { "clos:4x4,up=1000001", NB_INVALID, { "\"1000001\"" } },
        { "clos:2x2x2x2x2x2x2,up=1", NB_INVALID, { "more than 6" } },
        { "clos:4x4,up=2,terminals=2",
          NB_INVALID,
          { "no parameter \"terminals\"", "down, up, parallel, bandwidth" } },
        { "clos:9x1000000x1000000,up=9x9", NB_NO_MEMORY, { "routers", "MiB" } },
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        topology_must_refuse(refusals[i].specification, refusals[i].status,
                             refusals[i].texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),     cmocka_unit_test(test_fat_trees),
        cmocka_unit_test(test_loads),      cmocka_unit_test(test_bisections),
        cmocka_unit_test(test_symmetries), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
