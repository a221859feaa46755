/* Hops within and between groups: means, and virtual channels by position of
 * the hop, against walks. */
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
#include "routing/route_shape.h"

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
    ratio_must_equal(found.local.exact, classes_mean(problem, name, false),
                     name);
    ratio_must_equal(found.global.exact, classes_mean(problem, name, true),
                     name);
    nb_channel_loads_release(&loads);
    nb_traffic_release(&uniform);
}

static void test_means(void **state)
{
    (void)state;
    problem_each_of(examples, sizeof examples / sizeof *examples,
                    classes_check_means);
}

/* A route so far: its hops' classes, and where the second phase began. */
struct classes_route {
    bool is_global[32];
    size_t length, second;
};

/* Maximum numbers over routes, by phase: before, after and without a global
 * hop, global hops, all hops. */
struct classes_most {
    size_t before[2], after[2], alone[2], global[2], all[2];
};

static void classes_raise(size_t *most, size_t value)
{
    *most = value > *most ? value : *most;
}

/* One whole route's phases. */
static void classes_note(const struct classes_route *route,
                         struct classes_most *most)
{
    for (int p = 0; p < 2; p++) {
        const size_t first = p == 0 ? 0 : route->second;
        const size_t end = p == 0 ? route->second : route->length;
        size_t global = 0, before = 0, after = 0;
        for (size_t h = first; h < end; h++) {
            after = route->is_global[h] ? 0 : after + 1;
            global += route->is_global[h];
            before += global == 0;
        }
        classes_raise(&most->global[p], global);
        classes_raise(&most->all[p], end - first);
        if (global == 0) {
            classes_raise(&most->alone[p], end - first);
        } else {
            classes_raise(&most->before[p], before);
            classes_raise(&most->after[p], after);
        }
    }
}

/* Every next hop from a state; intermediate: where the first phase ends. */
static void classes_follow(struct walk *walk, nb_route_state state,
                           uint32_t router, uint32_t intermediate,
                           uint32_t destination, struct classes_route route,
                           struct classes_most *most)
{
    struct nb_hop hops[16];
    const size_t count = walk_step(walk, state, router, destination);
    assert_true(count <= sizeof hops / sizeof *hops);
    memcpy(hops, walk->hops, count * sizeof *hops);
    if (route.second == SIZE_MAX && router == intermediate)
        route.second = route.length;
    if (count == 0)
        classes_note(&route, most);
    for (size_t h = 0; h < count; h++) {
        const struct nb_topology *topology = walk->routing->topology;
        struct classes_route on = route;
        assert_true(on.length < sizeof on.is_global);
        on.is_global[on.length++] =
            nb_channel_is_global(topology, hops[h].channel);
        classes_follow(walk, hops[h].next,
                       topology->channels[hops[h].channel].target, intermediate,
                       destination, on, most);
    }
}

/* Every route of the scheme. */
static void classes_walk(const struct problem *problem, const char *name,
                         struct classes_most *most)
{
    const size_t n = problem->topology.router_count;
    const struct nb_routing *routing = &problem->routing;
    const struct classes_route none = { .second = SIZE_MAX };
    struct walk walk;
    *most = (struct classes_most){ 0 };
    walk_open(&walk, routing, name);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            if (!walk_has_pair(routing, i, j))
                continue;
            struct nb_start starts[8];
            const size_t count = nb_route_starts(routing, i, j, starts);
            for (size_t s = 0; s < count; s++)
                for (uint64_t q = 0; q < nb_start_ways(&starts[s]); q++) {
                    const nb_route_state state =
                        nb_route_begin(routing, &starts[s], q, i, j);
                    /* A scheme of one phase is all second phase. */
                    const uint32_t intermediate =
                        routing->phase != NULL
                            ? nb_route_target(routing, state, i, j)
                            : i;
                    const bool is_there =
                        routing->phase != NULL && intermediate == j &&
                        nb_route_target(routing, state, NB_NONE, j) == i;
                    classes_follow(&walk, state, i, is_there ? i : intermediate,
                                   j, none, most);
                }
        }
    walk_close(&walk);
}

/* The rule's own numbers from all routes. */
static void classes_check_channels(const struct problem *problem,
                                   const char *name)
{
    struct classes_most most;
    struct nb_virtual_channels found;
    size_t local = 0, global = 0, all = 0;
    bool is_by_place = true;
    classes_walk(problem, name, &most);
    for (int p = 0; p < 2; p++) {
        const size_t around = most.before[p] + most.after[p];
        local += around > most.alone[p] ? around : most.alone[p];
        global += most.global[p];
        all += most.all[p];
        is_by_place = is_by_place && most.global[p] <= 1;
    }
    if (!is_by_place)
        local = global = all;
    assert_int_equal(nb_virtual_channels_find(&problem->routing, &found, NULL),
                     NB_OK);
    TOPOLOGY_CHECK(found.is_by_place == is_by_place && found.local == local &&
                       found.global == global,
                   "%s: %u local and %u global, not %zu and %zu", name,
                   found.local, found.global, local, global);
}

static void test_all_routes(void **state)
{
    (void)state;
    problem_each_of(examples, sizeof examples / sizeof *examples,
                    classes_check_channels);
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
        struct nb_virtual_channels found;
        problem_open(&problem, "dragonfly:h=4", cases[i].routing);
        assert_int_equal(
            nb_virtual_channels_find(&problem.routing, &found, NULL), NB_OK);
        TOPOLOGY_CHECK(found.is_by_place && found.local == cases[i].local &&
                           found.global == cases[i].global,
                       "%s: %u and %u", cases[i].routing, found.local,
                       found.global);
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
        struct nb_virtual_channels found;
        nb_memory_allow(allowed);
        status = nb_virtual_channels_find(&problem.routing, &found, NULL);
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
        cmocka_unit_test(test_all_routes),
        cmocka_unit_test(test_virtual_channels),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
