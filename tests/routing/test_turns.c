/* turns against its definition in words: every shortest path is tried, and
 * kept if it begins in dimension 0 and makes few enough turns. */
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
#include "topology/metrics.h"

#include <stdio.h>
#include <string.h>

enum { TURNS_HOPS = 4, TURNS_NONE = 2 };

/* A packet on its way, as the definition sees it. */
struct turns_path {
    const struct nb_topology *topology;
    const uint32_t *distance; /* to the destination */
    uint32_t destination;
    unsigned most;
    uint32_t router;
    size_t dimension; /* of the last hop; TURNS_NONE before the first */
    unsigned turns;
};

/* The path after one hop; false if no path of the scheme continues so. */
static bool turns_go(const struct turns_path *path, uint32_t channel,
                     struct turns_path *next)
{
    const struct nb_topology *topology = path->topology;
    const uint32_t k = topology->grid.radix[0];
    const struct nb_channel *hop = &topology->channels[channel];
    *next = *path;
    next->router = hop->target;
    next->dimension = hop->source / k != hop->target / k;
    next->turns +=
        path->dimension != TURNS_NONE && path->dimension != next->dimension;
    const bool begins_well = path->dimension != TURNS_NONE ||
                             next->dimension == 0 ||
                             hop->source % k == path->destination % k;
    return begins_well &&
           path->distance[hop->target] + 1 == path->distance[hop->source] &&
           next->turns <= path->most;
}

/* The number of ways to complete the path, by trying every channel. */
static uint64_t turns_count(const struct turns_path *path)
{
    uint64_t count = path->router == path->destination;
    struct turns_path next;
    const uint32_t *own = path->topology->out_start + path->router;
    for (uint32_t c = own[0]; c < own[1]; c++)
        if (turns_go(path, c, &next))
            count += turns_count(&next);
    return count;
}

/* Follows the scheme and the definition together: the same channels lead on,
 * all equally likely. Returns the number of paths. */
static uint64_t turns_follow(struct walk *walk, nb_route_state state,
                             const struct turns_path *path)
{
    struct nb_hop hops[TURNS_HOPS];
    const size_t count =
        walk_step(walk, state, path->router, path->destination);
    uint64_t paths = count == 0;
    size_t expected = 0;
    assert_true(count <= TURNS_HOPS);
    memcpy(hops, walk->hops, count * sizeof *hops);
    const uint32_t *own = path->topology->out_start + path->router;
    for (uint32_t c = own[0]; c < own[1]; c++) {
        struct turns_path next;
        expected += turns_go(path, c, &next) && turns_count(&next) > 0;
    }
    TOPOLOGY_CHECK(count == expected,
                   "%s: %zu next hops from %u to %u, not "
                   "%zu",
                   walk->name, count, path->router, path->destination,
                   expected);
    for (size_t h = 0; h < count; h++) {
        struct turns_path next;
        TOPOLOGY_CHECK(turns_go(path, hops[h].channel, &next) &&
                           turns_count(&next) > 0 &&
                           hops[h].weight == hops[0].weight,
                       "%s: from %u to %u over channel %u", walk->name,
                       path->router, path->destination, hops[h].channel);
        paths += turns_follow(walk, hops[h].next, &next);
    }
    return paths;
}

static uint64_t turns_choose(uint32_t a, uint32_t b)
{
    uint64_t result = a >= b;
    for (uint32_t t = 1; t <= b && result > 0; t++)
        result = result * (a - b + t) / t;
    return result;
}

/* Paths over x and y hops on a mesh by their numbers of runs: x hops make j
 * runs in choose(x - 1, j - 1) ways. */
static uint64_t turns_closed_form(uint32_t x, uint32_t y, unsigned most)
{
    uint64_t count = 0;
    if (x == 0 || y == 0)
        return 1;
    for (unsigned t = 1; t <= most && t < x + y; t++)
        count += turns_choose(x - 1, t / 2) * turns_choose(y - 1, (t - 1) / 2);
    return count;
}

static uint32_t turns_apart(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static void turns_check(const char *shape, unsigned most)
{
    char name[TOPOLOGY_WORD];
    struct problem problem;
    struct walk walk;
    snprintf(name, sizeof name, "turns:max=%u@%s", most, shape);
    problem_open_example(&problem, name);
    const struct nb_topology *topology = &problem.topology;
    const uint32_t n = (uint32_t)topology->router_count;
    const uint32_t k = topology->grid.radix[0];
    uint32_t *distance = nb_new_array(n, sizeof *distance);
    uint32_t *queue = nb_new_array(n, sizeof *queue);
    assert_true(distance != NULL && queue != NULL);
    walk_open(&walk, &problem.routing, name);
    for (uint32_t j = 0; j < n; j++) {
        nb_distances_to(topology, j, distance, queue);
        for (uint32_t i = 0; i < n; i++) {
            const struct turns_path path = { .topology = topology,
                                             .distance = distance,
                                             .destination = j,
                                             .most = most,
                                             .router = i,
                                             .dimension = TURNS_NONE };
            const uint64_t paths = turns_follow(&walk, 0, &path);
            TOPOLOGY_CHECK(paths == turns_count(&path), "%s: %u to %u", name, i,
                           j);
            TOPOLOGY_CHECK(
                topology->grid.wraps ||
                    paths == turns_closed_form(turns_apart(i % k, j % k),
                                               turns_apart(i / k, j / k), most),
                "%s: %u to %u", name, i, j);
        }
    }
    walk_close(&walk);
    nb_delete(distance);
    nb_delete(queue);
    problem_close(&problem);
}

static void test_takes_all_paths_of_few_turns(void **state)
{
    (void)state;
    static const char *const shapes[] = { "mesh:4x4",   "mesh:3x5",
                                          "mesh:5x2",   "torus:4x4",
                                          "torus:5x4",  "torus:2x6",
                                          "hypercube:2" };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (unsigned most = 1; most <= 7; most++)
            turns_check(shapes[s], most);
    turns_check("mesh:4x4", 1000000000);
}

/* One turn is dimension order. */
static void test_one_turn(void **state)
{
    (void)state;
    static const char *const shapes[] = { "mesh:4x3", "mesh:2x5", "torus:4x4",
                                          "torus:3x6" };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct problem own, other;
        problem_open(&own, shapes[s], "turns:1");
        problem_open(&other, shapes[s], "dor");
        const size_t n = own.topology.router_count;
        const size_t m = own.topology.channel_count;
        struct nb_ratio *found = walk_all_pairs(&own.routing, shapes[s]);
        struct nb_ratio *expected = walk_all_pairs(&other.routing, shapes[s]);
        for (size_t i = 0; i < n * n * m; i++)
            TOPOLOGY_CHECK(ratio_same(found[i], expected[i]),
                           "%s: %zu to %zu on %zu", shapes[s], i / m / n,
                           i / m % n, i % m);
        nb_delete(found);
        nb_delete(expected);
        problem_close(&own);
        problem_close(&other);
    }
}

/* Turns for which there is no room add no states. */
static void test_states_are_few(void **state)
{
    (void)state;
    struct problem problem;
    problem_open(&problem, "mesh:32x3", "turns:1000000000");
    assert_true(problem.routing.state_count <= 8);
    problem_close(&problem);
    problem_open(&problem, "mesh:8x8", "turns");
    assert_int_equal(problem.routing.state_count, 6);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_takes_all_paths_of_few_turns),
        cmocka_unit_test(test_one_turn),
        cmocka_unit_test(test_states_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
