/* Focus channels: orbits, and the maps of a focus channel to its orbit. */
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
#include "load/focus.h"

/* Channel c lies in the orbit of the focus f; the map takes f to c, the network
 * onto itself, and the loads of f to those of c. */
static void focus_check_map(const struct problem *problem,
                            const struct nb_focus *focus, uint32_t channel,
                            const uint32_t *map, const struct nb_ratio *all,
                            const char *name)
{
    const struct nb_topology *topology = &problem->topology;
    const size_t n = topology->router_count, m = topology->channel_count;
    const uint32_t first = nb_orbits_least(&focus->channels, channel);
    const struct nb_channel *from = &topology->channels[first];
    const struct nb_channel *to = &topology->channels[channel];
    TOPOLOGY_CHECK(first <= channel, "%s: channel %u", name, channel);
    TOPOLOGY_CHECK(map[from->source] == to->source &&
                       map[from->target] == to->target,
                   "%s: channel %u", name, channel);
    TOPOLOGY_CHECK(nb_ratio_compare(from->bandwidth, to->bandwidth) == 0,
                   "%s: channel %u", name, channel);
    for (size_t i = 0; i < n; i++) {
        TOPOLOGY_CHECK(topology->terminals[i] == topology->terminals[map[i]],
                       "%s: channel %u", name, channel);
        for (size_t j = 0; j < n; j++)
            TOPOLOGY_CHECK(ratio_same(all[(i * n + j) * m + first],
                                      all[(map[i] * n + map[j]) * m + channel]),
                           "%s: %zu to %zu, channel %u", name, i, j, channel);
    }
}

/* The visited channels, with automorphisms that map their focus channels to
 * them. */
struct focus_visits {
    const struct problem *problem;
    const struct nb_focus *focus;
    const struct nb_ratio *all;
    const char *name;
    uint32_t *count; /* [channel] */
};

static enum nb_status focus_visit(void *context, uint32_t channel,
                                  const uint32_t *map, struct nb_error *err)
{
    struct focus_visits *visits = context;
    const struct nb_topology *topology = &visits->problem->topology;
    (void)err;
    visits->count[channel]++;
    TOPOLOGY_CHECK(topology_same_channels(topology, topology, map),
                   "%s: channel %u visited", visits->name, channel);
    focus_check_map(visits->problem, visits->focus, channel, map, visits->all,
                    visits->name);
    return NB_OK;
}

static void focus_check_walk(struct focus_visits *visits)
{
    for (size_t f = 0; f < visits->focus->channels.count; f++)
        assert_int_equal(
            nb_focus_walk(visits->focus, f, focus_visit, visits, NULL), NB_OK);
    for (uint32_t c = 0; c < visits->problem->topology.channel_count; c++)
        TOPOLOGY_CHECK(visits->count[c] == 1, "%s: channel %u", visits->name,
                       c);
}

static void focus_check(const struct problem *problem, const char *name)
{
    const struct nb_topology *topology = &problem->topology;
    const size_t n = topology->router_count, m = topology->channel_count;
    struct nb_focus focus = { 0 };
    struct nb_ratio *all = walk_all_pairs(&problem->routing, name);
    uint32_t *map = nb_new_array(n, sizeof *map);
    uint32_t *scratch = nb_new_array(n, sizeof *scratch);
    uint32_t *count = nb_new_array(m, sizeof *count);
    assert_true(map != NULL && scratch != NULL && count != NULL);
    assert_int_equal(nb_focus_find(&problem->routing, &focus, NULL), NB_OK);
    for (uint32_t c = 0; c < m; c++) {
        TOPOLOGY_CHECK(focus.channels.of[c] < focus.channels.count,
                       "%s: channel %u", name, c);
        count[focus.channels.of[c]]++;
        nb_focus_map(&focus, c, map, scratch);
        TOPOLOGY_CHECK(topology_same_channels(topology, topology, map),
                       "%s: channel %u", name, c);
        focus_check_map(problem, &focus, c, map, all, name);
    }
    size_t sum = 0;
    for (size_t f = 0; f < focus.channels.count; f++) {
        TOPOLOGY_CHECK(count[f] == focus.channels.length[f], "%s: orbit %zu",
                       name, f);
        TOPOLOGY_CHECK(focus.channels.of[focus.channels.first[f]] == f,
                       "%s: orbit %zu", name, f);
        sum += focus.channels.length[f];
    }
    TOPOLOGY_CHECK(sum == m, "%s: %zu channels in orbits", name, sum);
    for (uint32_t c = 0; c < m; c++)
        count[c] = 0;
    focus_check_walk(&(struct focus_visits){ .problem = problem,
                                             .focus = &focus,
                                             .all = all,
                                             .name = name,
                                             .count = count });
    nb_focus_release(&focus);
    nb_focus_release(&focus);
    nb_delete(all);
    nb_delete(map);
    nb_delete(scratch);
    nb_delete(count);
}

static void test_maps(void **state)
{
    (void)state;
    static const char *const more[] = {
        "dor:ties=parity@torus:4x5",
        "dor:ties=plus@torus:4x4",
        "dor:order=random,ties=parity@torus:4x4",
        "min@file:data/topologies/abilene.txt",
    };
    problem_each_example(focus_check);
    problem_each_of(more, sizeof more / sizeof *more, focus_check);
}

/* Orbits by hand: channels of a torus are equivalent up to dimension (order
 * fixed), direction (plus, parity) and parity of their source (parity). A mesh
 * has two reflections: an 8x8 one has 224 channels in orbits of 4, and of 8
 * where dimensions are equivalent. */
static const struct {
    const char *name;
    size_t orbits;
} counts[] = {
    { "dor@torus:8x8", 2 },
    { "dor:ties=plus@torus:8x8", 4 },
    { "dor:ties=parity@torus:8x8", 8 },
    { "dor:order=random@torus:8x8", 1 },
    { "dor:order=random,ties=plus@torus:8x8", 2 },
    { "dor:order=random,ties=parity@torus:8x8", 4 },
    { "dor:ties=parity@torus:9x9", 2 }, /* no ties */
    { "min@torus:8x8", 1 },
    { "min@torus:8x4", 2 },
    { "val@torus:8x8", 2 },
    { "dor@mesh:8x8", 56 },
    { "min@mesh:8x8", 28 },
    { "min@complete:9", 1 },
    { "min@ccc:4", 2 }, /* ring channels, cube channels */
    { "dor@hypercube:5", 5 },
    { "min@hypercube:5", 1 },
    { "min@file:data/topologies/abilene.txt", 28 }, /* no symmetry known */
};

static void test_orbit_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct problem problem;
        struct nb_focus focus = { 0 };
        problem_open_example(&problem, counts[i].name);
        assert_int_equal(nb_focus_find(&problem.routing, &focus, NULL), NB_OK);
        TOPOLOGY_CHECK(focus.channels.count == counts[i].orbits,
                       "%s: %zu orbits", counts[i].name, focus.channels.count);
        nb_focus_release(&focus);
        problem_close(&problem);
    }
}

/* A generator that moves terminals or bandwidths is left out. */
static void test_uneven_networks(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_focus focus = { 0 };
    problem_open_example(&problem, "min@torus:4x4");
    problem.topology.terminals[0] = 2;
    problem.topology.terminal_count++;
    assert_int_equal(nb_focus_find(&problem.routing, &focus, NULL), NB_OK);
    /* The stabiliser of router 0 remains: two reflections and the swap, 8
     * maps. */
    assert_int_equal(focus.symmetry.generator_count, 3);
    for (size_t g = 0; g < focus.symmetry.generator_count; g++)
        assert_int_equal(focus.symmetry.router[g * 16], 0);
    nb_focus_release(&focus);
    problem.topology.channels[3].bandwidth = (struct nb_ratio){ 2, 1 };
    assert_int_equal(nb_focus_find(&problem.routing, &focus, NULL), NB_OK);
    assert_int_equal(focus.channels.length[focus.channels.of[3]], 1);
    nb_focus_release(&focus);
    problem_close(&problem);
}

static void test_failing_memory(void **state)
{
    (void)state;
    struct problem problem;
    problem_open_example(&problem, "dor@torus:4x4");
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    long allowed = 0;
    for (; status == NB_NO_MEMORY && allowed < 100; allowed++) {
        struct nb_focus focus = { 0 };
        nb_memory_allow(allowed);
        status = nb_focus_find(&problem.routing, &focus, NULL);
        nb_memory_allow(-1);
        nb_focus_release(&focus);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    assert_true(allowed > 6);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_orbit_counts),
        cmocka_unit_test(test_uneven_networks),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
