/* Megaflies: how leaves, spines and groups are joined, closed forms, fits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/fit_checks.h"
#include "../support/problem.h"
#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "load/channel_loads.h"
#include "topology/megafly.h"
#include "topology/metrics.h"

#include <stdio.h>

/* By definition: routers groups (leaves + spines), links groups leaves spines
 * and groups (groups - 1) trunking / 2. */
static const struct {
    const char *specification;
    size_t routers, terminals, channels;
    uint32_t groups, leaves;
} sizes[] = {
    { "megafly:2", 20, 20, 60, 5, 2 },
    { "megafly:h=18", 11700, 105300, 315900, 325, 18 },
    { "dragonfly+:1,leaves=3,spines=2", 15, 9, 42, 3, 3 },
    { "megafly:3,p=5,leaves=2,spines=4,groups=4", 24, 40, 112, 4, 2 },
    { "megafly:3,leaves=2,spines=4,groups=4,trunking=1", 24, 24, 76, 4, 2 },
};

static void test_sizes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct nb_topology topology = { 0 };
        topology_must_build(sizes[i].specification, &topology);
        TOPOLOGY_CHECK(topology.router_count == sizes[i].routers &&
                           topology.terminal_count == sizes[i].terminals &&
                           topology.channel_count == sizes[i].channels &&
                           topology.groups.count == sizes[i].groups &&
                           topology.nest.size[0] == sizes[i].leaves,
                       "%s: %zu routers, %zu terminals, %zu channels",
                       sizes[i].specification, topology.router_count,
                       topology.terminal_count, topology.channel_count);
        nb_topology_release(&topology);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* One network of the loops below. */
struct megafly_case {
    char name[112];
    uint32_t h, leaves, spines, groups, trunking, links;
    const char *arrangement;
};

/* Runs a check on many small networks; returns their number. */
static size_t megafly_each(void (*check)(const struct megafly_case *now,
                                         const struct nb_topology *topology))
{
    static const char *const arrangements[] = { "relative", "absolute",
                                                "random" };
    size_t count = 0;
    for (uint32_t code = 0; code < 3 * 3 * 5 * 3; code++)
        for (uint32_t groups = 2; groups <= 16; groups++)
            for (uint32_t trunking = 1; trunking <= 15; trunking++) {
                struct megafly_case now = {
                    .h = code % 3 + 1,
                    .leaves = code / 3 % 3 + 1,
                    .spines = code / 9 % 5 + 1,
                    .groups = groups,
                    .trunking = trunking,
                    .links = trunking * (groups - 1),
                    .arrangement = arrangements[code / 45],
                };
                struct nb_topology topology = { 0 };
                if (now.links > now.h * now.spines)
                    continue;
                snprintf(now.name, sizeof now.name,
                         "megafly:%u,p=2,leaves=%u,spines=%u,groups=%u,"
                         "trunking=%u,arrangement=%s,seed=3",
                         now.h, now.leaves, now.spines, groups, trunking,
                         now.arrangement);
                topology_must_build(now.name, &topology);
                check(&now, &topology);
                nb_topology_release(&topology);
                count++;
            }
    return count;
}

/* Leaves are joined with all spines of their group and with no other router;
 * spines with no spine of their group. */
static void megafly_check_channels(const struct megafly_case *now,
                                   const struct nb_topology *topology)
{
    const uint32_t n = (uint32_t)topology->router_count;
    const uint32_t first = now->groups * now->leaves;
    uint32_t *times = nb_new_array((size_t)n * n, sizeof *times);
    assert_non_null(times);
    assert_int_equal(n, now->groups * (now->leaves + now->spines));
    for (size_t c = 0; c < topology->channel_count; c++)
        times[topology->channels[c].source * n +
              topology->channels[c].target]++;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *of = topology->groups.of;
        assert_int_equal(of[i], i < first ? i / now->leaves
                                          : (i - first) / now->spines);
        assert_int_equal(topology->terminals[i], i < first ? 2 : 0);
        for (uint32_t j = 0; j < n; j++) {
            const bool is_local = of[i] == of[j];
            TOPOLOGY_CHECK(times[i * n + j] == times[j * n + i],
                           "%s: %u and %u", now->name, i, j);
            if (is_local || i < first || j < first)
                TOPOLOGY_CHECK(times[i * n + j] ==
                                   (is_local && (i < first) != (j < first)),
                               "%s: %u and %u", now->name, i, j);
        }
    }
    nb_delete(times);
}

static void megafly_check_global(const struct megafly_case *now,
                                 const struct nb_topology *topology)
{
    uint32_t between[16][16] = { { 0 } };
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        between[topology->groups.of[channel->source]]
               [topology->groups.of[channel->target]]++;
    }
    for (uint32_t i = 0; i < now->groups; i++)
        for (uint32_t j = 0; j < now->groups; j++)
            TOPOLOGY_CHECK(
                between[i][j] ==
                    (i == j ? 2 * now->leaves * now->spines : now->trunking),
                "%s: %u between %u and %u", now->name, between[i][j], i, j);
    for (uint32_t r = now->groups * now->leaves; r < topology->router_count;
         r++) {
        const uint32_t borne =
            topology->out_start[r + 1] - topology->out_start[r] - now->leaves;
        TOPOLOGY_CHECK(borne <= now->h && borne >= now->links / now->spines,
                       "%s: spine %u bears %u", now->name, r, borne);
    }
}

/* The closed forms against search and loads; where capacity is known, shortest
 * paths split evenly attain it. */
static void megafly_check_forms(const struct megafly_case *now,
                                const struct nb_topology *topology)
{
    const struct nb_ratio capacity = topology->kind->capacity(topology).value;
    struct problem problem = { 0 };
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads loads = { 0 };
    struct nb_distance_summary found;
    const struct nb_run run = { .threads = 1 };
    assert_int_equal(nb_distance_search(topology, &found, NULL), NB_OK);
    assert_int_equal(found.diameter, 3);
    ratio_must_equal(topology->kind->mean_distance(topology).value, found.mean,
                     now->name);
    /* Unequal spines: known only where the global links limit it. */
    if (now->links % now->spines == 0)
        assert_true(nb_ratio_is_known(capacity));
    else if (nb_ratio_is_known(capacity))
        ratio_must_equal(
            capacity,
            nb_ratio_make(now->groups * now->trunking, 2 * now->leaves),
            now->name);
    if (!nb_ratio_is_known(capacity) || now->groups > 4)
        return;
    problem_open(&problem, now->name, "min");
    assert_int_equal(
        nb_traffic_build("uniform", &problem.topology, false, &traffic, NULL),
        NB_OK);
    assert_int_equal(
        nb_channel_loads_find(&problem.routing, &traffic, &run, &loads, NULL),
        NB_OK);
    ratio_must_equal(capacity, loads.throughput.exact, now->name);
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
    problem_close(&problem);
}

static void megafly_check_symmetry(const struct megafly_case *now,
                                   const struct nb_topology *topology)
{
    const bool is_even = now->links % 2 == 0 || now->spines % 2 == 1;
    const size_t arranged = now->arrangement[1] == 'e'   ? 1u + is_even
                            : now->arrangement[1] == 'b' ? is_even
                                                         : 0;
    uint32_t *map = nb_new_array(topology->router_count, sizeof *map);
    size_t count = 0;
    assert_non_null(map);
    while (topology->kind->symmetry(topology, count, map) != 0) {
        TOPOLOGY_CHECK(topology_same_channels(topology, topology, map),
                       "%s: generator %zu", now->name, count);
        count++;
    }
    TOPOLOGY_CHECK(count == arranged + (now->leaves > 1 ? 2 : 0),
                   "%s: %zu generators", now->name, count);
    nb_delete(map);
}

static void test_channels(void **state)
{
    (void)state;
    assert_true(megafly_each(megafly_check_channels) > 500);
}

static void test_global_links(void **state)
{
    (void)state;
    assert_true(megafly_each(megafly_check_global) > 500);
}

static void test_forms(void **state)
{
    (void)state;
    assert_true(megafly_each(megafly_check_forms) > 500);
}

static void test_symmetry(void **state)
{
    (void)state;
    assert_true(megafly_each(megafly_check_symmetry) > 500);
}

static void test_seeds(void **state)
{
    (void)state;
    topology_must_follow_seed("megafly:3");
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *specification;
        const char *texts[3]; /* ends with NULL */
    } refusals[] = {
        { "megafly", { "needs h" } },
        { "megafly:0", { "h", "\"0\"" } },
        { "megafly:3,terminals=2", { "no parameter \"terminals\"" } },
        { "megafly:3,groups=11", { "groups \"11\"", "2 to 10" } },
        { "megafly:3,spines=2,groups=5,trunking=2",
          { "trunking \"2\"", "6 global channels for 4 other groups" } },
        { "megafly:3,leaves=-1", { "leaves", "-1" } },
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        topology_must_refuse(refusals[i].specification, NB_INVALID,
                             refusals[i].texts);
}

static void test_fits(void **state)
{
    (void)state;
    assert_true(fit_check_kind("megafly", 8, 20, 150) > 50);
    struct nb_fit fit = fit_must_find("megafly", 0, 37, "megafly:18");
    assert_true(fit.terminals == 105300 && fit.routers == 11700 &&
                fit.radix == 36 && fit.global_links == 325 * 162);
    ratio_must_equal(fit.capacity, nb_ratio_one, "megafly:18");
    fit = fit_must_find("megafly", 1000, 64, "megafly:9,groups=13");
    assert_int_equal(fit.terminals, 13 * 81);
    assert_int_equal(fit_count("megafly", 0, 64), 1);
    assert_int_equal(fit_count("megafly", 0, 1), 0);
    assert_int_equal(fit_count("megafly", 105301, 36), 0);
    assert_int_equal(fit_count("megafly", 105300, 36), 1);
    assert_int_equal(fit_count("megafly", UINT64_MAX, UINT32_MAX), 0);
    const struct nb_fit_demand open = { 0, UINT32_MAX };
    assert_true(fit_find("megafly", &open, 0, &fit));
    assert_true(2 * (fit.local_links + fit.global_links) < NB_NONE);
    assert_false(fit_find("megafly", &open, 1, &fit));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_global_links), cmocka_unit_test(test_forms),
        cmocka_unit_test(test_symmetry),     cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_refusals),     cmocka_unit_test(test_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
