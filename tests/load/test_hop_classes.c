/* Hops within and between groups: means and greatest numbers against walks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"
#include "../support/walk.h"

#include "core/memory.h"
#include "load/hop_classes.h"

#include <string.h>

static const char *const examples[] = {
    "min@dragonfly:h=1",
    "min@dragonfly:h=2,p=1,a=2x2",
    "min@dragonfly:h=2,a=3,groups=4",
    "vlb:policy=-g-@dragonfly:h=1",
    "vlb:policy=-gl@dragonfly:h=1,a=3",
    "vlb:policy=lg-@dragonfly:h=1,a=3",
    "vlb@dragonfly:h=1",
    "rvlb@dragonfly:h=1,a=3",
    "rvlb:policy=-g-@dragonfly:h=1,a=3",
    "min@megafly:h=1,p=1",
    "vlb@megafly:h=1,leaves=2,spines=2",
    "min@hyperx:3x2,p=1",
    "vlb:policy=-g-@hyperx:3x2,p=1",
    "rvlb@hyperx:3x3,p=2",
    "min@clos:down=2x2x2,up=1x2",
    "dor@torus:4x3",
    "val@ring:4",
};

/* The mean crossings of global channels, or of local ones, over all pairs of
 * terminals. */
static struct nb_ratio classes_mean(const struct problem *problem,
                                    const char *name, bool is_global)
{
    const struct nb_topology *topology = &problem->topology;
    const size_t n = topology->router_count, m = topology->channel_count;
    struct nb_ratio *all = walk_all_pairs(&problem->routing, name);
    struct nb_ratio sum = nb_ratio_zero;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (uint32_t c = 0; c < m; c++)
                if (nb_channel_is_global(topology, c) == is_global)
                    sum = nb_ratio_add(
                        sum,
                        nb_ratio_multiply(
                            all[(i * n + j) * m + c],
                            nb_ratio_make((nb_int128)topology->terminals[i] *
                                              topology->terminals[j],
                                          1)));
    nb_delete(all);
    return nb_ratio_divide(
        sum, nb_ratio_make((nb_int128)topology->terminal_count *
                               (nb_int128)topology->terminal_count,
                           1));
}

static void classes_check_means(const struct problem *problem, const char *name)
{
    struct nb_traffic uniform;
    struct nb_channel_loads loads;
    struct nb_hop_classes found;
    assert_int_equal(
        nb_traffic_build("uniform", &problem->topology, false, &uniform, NULL),
        NB_OK);
    assert_int_equal(
        nb_channel_loads_find(&problem->routing, &uniform, NULL, &loads, NULL),
        NB_OK);
    nb_hop_classes_find(&problem->topology, &loads, &found);
    ratio_must_equal(found.local, classes_mean(problem, name, false), name);
    ratio_must_equal(found.global, classes_mean(problem, name, true), name);
    nb_channel_loads_release(&loads);
    nb_traffic_release(&uniform);
}

static void test_means(void **state)
{
    (void)state;
    problem_each_of(examples, sizeof examples / sizeof *examples,
                    classes_check_means);
}

/* Most hops of each class on any way on from a state. */
static void classes_follow(struct walk *walk, nb_route_state state,
                           uint32_t router, uint32_t destination,
                           const uint32_t so_far[2], uint32_t most[2])
{
    struct nb_hop hops[16];
    const size_t count = walk_step(walk, state, router, destination);
    assert_true(count <= sizeof hops / sizeof *hops);
    memcpy(hops, walk->hops, count * sizeof *hops);
    for (int i = 0; i < 2; i++)
        most[i] = so_far[i] > most[i] ? so_far[i] : most[i];
    for (size_t h = 0; h < count; h++) {
        const struct nb_topology *topology = walk->routing->topology;
        uint32_t now[2] = { so_far[0], so_far[1] };
        now[nb_channel_is_global(topology, hops[h].channel)]++;
        classes_follow(walk, hops[h].next,
                       topology->channels[hops[h].channel].target, destination,
                       now, most);
    }
}

static void classes_check_longest(const struct problem *problem,
                                  const char *name)
{
    const size_t n = problem->topology.router_count;
    const uint32_t none[2] = { 0, 0 };
    uint32_t most[2] = { 0, 0 }, local, global;
    struct walk walk;
    walk_open(&walk, &problem->routing, name);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            if (!walk_has_pair(&problem->routing, i, j))
                continue;
            struct nb_start starts[8];
            const size_t count =
                nb_route_starts(&problem->routing, i, j, starts);
            for (size_t s = 0; s < count; s++)
                for (uint64_t q = 0; q < starts[s].way_points; q++)
                    classes_follow(
                        &walk,
                        nb_route_begin(&problem->routing, &starts[s], q, i, j),
                        i, j, none, most);
        }
    walk_close(&walk);
    assert_int_equal(nb_longest_hops(&problem->routing, &local, &global, NULL),
                     NB_OK);
    TOPOLOGY_CHECK(local == most[0] && global == most[1],
                   "%s: %u local and %u global, not %u and %u", name, local,
                   global, most[0], most[1]);
}

static void test_longest(void **state)
{
    (void)state;
    problem_each_of(examples, sizeof examples / sizeof *examples,
                    classes_check_longest);
}

/* Of radix 2 a way-point has a coordinate of the source or destination, which
 * the bound does not see. */
static void test_bound(void **state)
{
    (void)state;
    struct problem problem;
    uint32_t local, global;
    problem_open(&problem, "hyperx:3x2,p=2", "rvlb");
    assert_int_equal(nb_longest_hops(&problem.routing, &local, &global, NULL),
                     NB_OK);
    assert_true(local == 2 && global >= 1);
    problem_close(&problem);
}

/* Virtual channels of [Benito2020, Table 3-1 and Table 5-1]: local, global. */
static void test_virtual_channels(void **state)
{
    (void)state;
    static const struct {
        const char *routing;
        uint32_t local, global;
    } cases[] = {
        { "min", 2, 1 },
        { "vlb", 4, 2 },
        { "vlb:policy=lg-", 3, 2 },
        { "vlb:policy=-gl", 3, 2 },
        { "vlb:policy=-g-", 2, 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        uint32_t local, global;
        problem_open(&problem, "dragonfly:h=4", cases[i].routing);
        assert_int_equal(
            nb_longest_hops(&problem.routing, &local, &global, NULL), NB_OK);
        TOPOLOGY_CHECK(local == cases[i].local && global == cases[i].global,
                       "%s: %u and %u", cases[i].routing, local, global);
        problem_close(&problem);
    }
}

static void test_failing_memory(void **state)
{
    (void)state;
    struct problem problem;
    enum nb_status status = NB_NO_MEMORY;
    problem_open(&problem, "dragonfly:h=1", "vlb:policy=-g-");
    const long before = nb_memory_live_blocks();
    for (long allowed = 0; status == NB_NO_MEMORY && allowed < 1000;
         allowed++) {
        uint32_t local, global;
        nb_memory_allow(allowed);
        status = nb_longest_hops(&problem.routing, &local, &global, NULL);
        nb_memory_allow(-1);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_longest),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_virtual_channels),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
