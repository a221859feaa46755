/* Dragonflies: sizes and closed forms, compared with networks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "topology/metrics.h"

#include <math.h>
#include <stdio.h>

/* Sizes: [Benito2020, sections 2.2.1 and 4.7.2]; the last by definition. */
static const struct {
    const char *specification;
    size_t routers, terminals, groups, ports;
} sizes[] = {
    { "dragonfly:2", 36, 72, 9, 7 },
    { "dragonfly:4", 264, 1056, 33, 15 },
    { "dragonfly:6", 876, 5256, 73, 23 },
    { "dragonfly:h=8", 2064, 16512, 129, 31 },
    { "dragonfly:h=18,groups=463", 16668, 300024, 463, 66 },
    { "dragonfly:2,a=3x4,p=5,groups=7", 84, 420, 7, 12 },
};

static void test_sizes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct nb_topology topology = { 0 };
        topology_must_build(sizes[i].specification, &topology);
        TOPOLOGY_CHECK(topology.router_count == sizes[i].routers &&
                           topology.terminal_count == sizes[i].terminals &&
                           topology.groups.count == sizes[i].groups &&
                           topology_most_ports(&topology) == sizes[i].ports,
                       "%s: %zu routers, %zu terminals, %u groups, %zu ports",
                       sizes[i].specification, topology.router_count,
                       topology.terminal_count, topology.groups.count,
                       topology_most_ports(&topology));
        nb_topology_release(&topology);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The number of closed forms of distances compared with the search. */
struct dragonfly_known {
    size_t diameters, means;
};

static void dragonfly_check_distances(const char *name,
                                      struct dragonfly_known *known)
{
    struct nb_topology topology = { 0 };
    struct nb_distance_summary found;
    topology_must_build(name, &topology);
    assert_int_equal(nb_distance_search(&topology, &found, NULL), NB_OK);
    const struct nb_ratio diameter = topology.kind->diameter(&topology).value;
    const struct nb_ratio mean = topology.kind->mean_distance(&topology).value;
    if (nb_ratio_is_known(diameter)) {
        ratio_must_equal(diameter, (struct nb_ratio){ found.diameter, 1 },
                         name);
        known->diameters++;
    }
    if (nb_ratio_is_known(mean)) {
        ratio_must_equal(mean, found.mean, name);
        known->means++;
    }
    nb_topology_release(&topology);
}

/* Complete groups of all sizes, with links left out and doubled. */
static void test_complete_distances(void **state)
{
    (void)state;
    static const char *const arrangements[] = { "palmtree", "consecutive",
                                                "random" };
    struct dragonfly_known known = { 0, 0 };
    size_t count = 0;
    for (uint32_t h = 1; h <= 5; h++)
        for (uint32_t a = 1; a <= 7; a++)
            for (uint32_t groups = 2; groups <= a * h + 1; groups++)
                for (size_t i = 0; i < 3; i++, count++) {
                    char name[80];
                    snprintf(name, sizeof name,
                             "dragonfly:%u,a=%u,groups=%u,arrangement=%s", h, a,
                             groups, arrangements[i]);
                    dragonfly_check_distances(name, &known);
                }
    assert_true(known.diameters > count / 2);
    assert_true(known.means >= 35);
}

static void test_grid_distances(void **state)
{
    (void)state;
    static const char *const proved[] = {
        "dragonfly:1,a=3x4", "dragonfly:2,a=3x4", "dragonfly:3,a=4x3",
        "dragonfly:4,a=4x3", "dragonfly:1,a=4x4", "dragonfly:4,a=4x4",
        "dragonfly:3,a=3x5", "dragonfly:3,a=5x3", "dragonfly:1,a=6x5",
        "dragonfly:9,a=3x4", "dragonfly:2,a=3x7", "dragonfly:2,a=8x3",
    };
    static const char *const others[] = {
        "dragonfly:2,a=2x2",
        "dragonfly:3,a=3x3",
        "dragonfly:1,a=4x4,arrangement=consecutive",
        "dragonfly:1,a=4x4,groups=7",
        "dragonfly:9,a=2x6",
    };
    const size_t count = sizeof proved / sizeof *proved;
    struct dragonfly_known known = { 0, 0 };
    for (size_t i = 0; i < count; i++)
        dragonfly_check_distances(proved[i], &known);
    assert_int_equal(known.diameters, count);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        dragonfly_check_distances(others[i], &known);
    assert_int_equal(known.diameters, count);
    assert_int_equal(known.means, 0);
}

/* The largest channel load of uniform traffic at rate 1 on paths with at most
 * one global channel, split evenly over all links between two groups; to and
 * from these links by column, then by row. */
struct dragonfly_walk {
    const struct nb_topology *topology;
    uint32_t a, columns;
    double *load; /* [channel] */
};

static void dragonfly_step(const struct dragonfly_walk *walk, uint32_t *at,
                           uint32_t to, double rate)
{
    if (*at == to)
        return;
    const struct nb_topology *topology = walk->topology;
    for (uint32_t c = topology->out_start[*at];
         c < topology->out_start[*at + 1]; c++)
        if (topology->channels[c].target == to) {
            walk->load[c] += rate;
            *at = to;
            return;
        }
    fail_msg("no channel from %u to %u", *at, to);
}

static void dragonfly_go(const struct dragonfly_walk *walk, uint32_t from,
                         uint32_t to, double rate)
{
    const uint32_t columns = walk->columns;
    const uint32_t corner =
        from - from % walk->a % columns + to % walk->a % columns;
    dragonfly_step(walk, &from, corner, rate);
    dragonfly_step(walk, &from, to, rate);
}

static double dragonfly_greatest_load(const struct dragonfly_walk *walk,
                                      uint32_t trunking)
{
    const struct nb_topology *topology = walk->topology;
    const uint32_t n = (uint32_t)topology->router_count;
    const double rate = (double)topology->terminals[0] / n;
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            if (i / walk->a == j / walk->a)
                dragonfly_go(walk, i, j, rate);
            for (uint32_t c = 0; c < topology->channel_count; c++) {
                const struct nb_channel *channel = &topology->channels[c];
                if (!nb_channel_is_global(topology, c) ||
                    channel->source / walk->a != i / walk->a ||
                    channel->target / walk->a != j / walk->a)
                    continue;
                dragonfly_go(walk, i, channel->source, rate / trunking);
                walk->load[c] += rate / trunking;
                dragonfly_go(walk, channel->target, j, rate / trunking);
            }
        }
    for (size_t c = 0; c < topology->channel_count; c++)
        most = fmax(most, walk->load[c]);
    return most;
}

/* capacity: G T/(a p) where it is proved, found by hand. */
static const struct {
    const char *specification;
    uint32_t columns, trunking;
    struct nb_ratio capacity;
} capacities[] = {
    { "dragonfly:1,a=4,p=2", 4, 1, { 5, 8 } },
    { "dragonfly:2,a=5,p=1", 5, 1, { 11, 5 } },
    { "dragonfly:2,a=5,p=1,arrangement=consecutive", 5, 1, { 11, 5 } },
    { "dragonfly:2,a=5,p=1,arrangement=random", 5, 1, { 11, 5 } },
    { "dragonfly:1,a=4x4,p=3", 4, 1, { 17, 48 } },
    { "dragonfly:2,a=6,p=2,groups=4", 6, 4, { 4, 3 } },
    { "dragonfly:2,a=6,p=2,groups=6", 6, 2, { 1, 1 } },
    { "dragonfly:5,a=1,p=2", 1, 1, { 3, 1 } },
    { "dragonfly:2", 4, 1, { 0, 0 } },
    { "dragonfly:2,a=4x4", 4, 1, { 0, 0 } },
};

static void test_capacity(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
        const char *name = capacities[i].specification;
        struct nb_topology topology = { 0 };
        topology_must_build(name, &topology);
        const struct nb_ratio form = topology.kind->capacity(&topology).value;
        struct dragonfly_walk walk = {
            &topology, topology.nest.size[0], capacities[i].columns,
            nb_new_array(topology.channel_count, sizeof(double))
        };
        assert_non_null(walk.load);
        TOPOLOGY_CHECK(form.numerator == capacities[i].capacity.numerator &&
                           form.denominator ==
                               capacities[i].capacity.denominator,
                       "%s: %g", name, nb_ratio_value(form));
        if (nb_ratio_is_known(form))
            TOPOLOGY_CHECK(
                fabs(dragonfly_greatest_load(&walk, capacities[i].trunking) *
                         nb_ratio_value(form) -
                     1) < 1e-9,
                "%s", name);
        nb_delete(walk.load);
        nb_topology_release(&topology);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_complete_distances),
        cmocka_unit_test(test_grid_distances),
        cmocka_unit_test(test_capacity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
