/* Folded Clos networks: switch by switch, and their parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/clos_draw.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "topology/metrics.h"

#include <stdio.h>

/* A switch by the definition of the extended generalised fat tree: its level
 * and label, where digit i - 1 is one of m_i above its level, else of w_i. */
struct clos_switch {
    uint32_t level, digit[4];
};

static struct clos_switch clos_label(const struct clos_draw *draw,
                                     uint32_t router)
{
    struct clos_switch at = { .level = 1 };
    for (;; at.level++) {
        uint32_t count = 1;
        for (uint32_t i = 1; i <= draw->levels; i++)
            count *= i > at.level   ? draw->down[i - 1]
                     : i < at.level ? draw->up[i - 1]
                                    : 1;
        if (router < count)
            break;
        router -= count;
    }
    for (uint32_t i = 1; i <= draw->levels; i++) {
        const uint32_t radix = i > at.level   ? draw->down[i - 1]
                               : i < at.level ? draw->up[i - 1]
                                              : 1;
        at.digit[i - 1] = router % radix;
        router /= radix;
    }
    return at;
}

static bool clos_is_joined(const struct clos_draw *draw, struct clos_switch a,
                           struct clos_switch b)
{
    const struct clos_switch low = a.level < b.level ? a : b;
    const struct clos_switch high = a.level < b.level ? b : a;
    bool is_joined = low.level + 1 == high.level;
    for (uint32_t i = 1; i <= draw->levels; i++)
        if (i != low.level && i != high.level)
            is_joined = is_joined && low.digit[i - 1] == high.digit[i - 1];
    return is_joined;
}

static void clos_check_joins(const struct nb_topology *topology,
                             const struct clos_draw *draw)
{
    uint32_t c = 0;
    for (uint32_t a = 0; a < topology->router_count; a++) {
        const struct clos_switch from = clos_label(draw, a);
        assert_int_equal(topology->terminals[a],
                         from.level == 1 ? draw->down[0] : 0);
        for (uint32_t b = 0; b < topology->router_count; b++) {
            const struct clos_switch to = clos_label(draw, b);
            if (!clos_is_joined(draw, from, to))
                continue;
            TOPOLOGY_CHECK(topology->channels[c].source == a &&
                               topology->channels[c].target == b,
                           "%s: %u to %u", draw->name, a, b);
            TOPOLOGY_CHECK(
                nb_channel_is_global(topology, c) ==
                    (draw->levels > 2 &&
                     (from.level == draw->levels || to.level == draw->levels)),
                "%s: %u to %u", draw->name, a, b);
            c++;
        }
    }
    assert_int_equal(c, topology->channel_count);
}

/* Two leaves share a part if they are near enough, and a group if the path
 * between them need not go to the top. */
static void clos_check_parts(const struct nb_topology *topology,
                             const char *name, uint32_t levels)
{
    const size_t routers = topology->router_count;
    const struct nb_nest *nest = &topology->nest;
    uint32_t *distance = nb_new_array(routers, sizeof *distance);
    uint32_t *queue = nb_new_array(routers, sizeof *queue);
    assert_true(distance != NULL && queue != NULL);
    assert_int_equal(nest->levels, levels - 2);
    assert_int_equal(topology->groups.count > 0, levels > 2);
    for (uint32_t a = 0; topology->terminals[a] > 0; a++) {
        nb_distances_to(topology, a, distance, queue);
        for (uint32_t b = 0; topology->terminals[b] > 0; b++) {
            for (uint32_t l = 0; l < nest->levels; l++)
                TOPOLOGY_CHECK((distance[b] <= 2 * (l + 1)) ==
                                   (a / nest->size[l] == b / nest->size[l]),
                               "%s: leaves %u, %u, level %u", name, a, b, l);
            if (levels > 2)
                TOPOLOGY_CHECK(
                    (distance[b] < 2 * (levels - 1)) ==
                        (topology->groups.of[a] == topology->groups.of[b]),
                    "%s: leaves %u, %u", name, a, b);
        }
    }
    for (size_t r = 0; levels > 2 && r < routers; r++)
        assert_true(topology->groups.of[r] < topology->groups.count ||
                    topology->groups.of[r] == NB_NONE);
    nb_delete(distance);
    nb_delete(queue);
}

static void test_random_shapes(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 20240611, 1);
    for (int trial = 0; trial < 60; trial++) {
        const struct clos_draw draw = clos_draw_next(&random);
        struct nb_topology topology = { 0 };
        topology_must_build(draw.name, &topology);
        clos_check_joins(&topology, &draw);
        clos_check_parts(&topology, draw.name, draw.levels);
        nb_topology_release(&topology);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void test_fat_tree_parts(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 5; n++) {
        struct nb_topology topology = { 0 };
        char name[32];
        snprintf(name, sizeof name, "fattree:k=%u,n=%u", n < 4 ? 4 : 2, n);
        topology_must_build(name, &topology);
        clos_check_parts(&topology, name, n);
        nb_topology_release(&topology);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_shapes),
        cmocka_unit_test(test_fat_tree_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
