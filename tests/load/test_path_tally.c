/* Tallies of one pair's paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "load/path_tally.h"

#include <math.h>
#include <string.h>

enum { PATHS = 50, CHANNELS = 200 };

/* The same paths drawn one by one: crossings of every channel, or of three
 * channels summed, and leftovers of the previous pair. */
static void tally_check_orbits(const struct problem *problem, const char *name,
                               bool is_together)
{
    uint32_t orbit[CHANNELS];
    const struct nb_topology *topology = &problem->topology;
    struct nb_path_tally tally;
    struct nb_follow follow;
    assert_true(topology->channel_count <= CHANNELS);
    for (uint32_t c = 0; c < topology->channel_count; c++)
        orbit[c] = is_together ? c - c % 3 : c;
    assert_int_equal(nb_path_tally_init(&problem->routing,
                                        is_together ? orbit : NULL, &tally,
                                        NULL),
                     NB_OK);
    assert_int_equal(nb_follow_init(&problem->routing, &follow, NULL), NB_OK);
    for (uint32_t j = 0; j < topology->router_count; j++) {
        uint64_t sum[CHANNELS] = { 0 }, squares[CHANNELS] = { 0 };
        uint64_t most[CHANNELS] = { 0 };
        struct nb_random random;
        double hops = 0, hops_squared = 0, hops_cubed = 0, longest = 0;
        assert_int_equal(
            nb_path_tally_draw(&tally, 1, j, PATHS, 31, 100 + j, NULL), NB_OK);
        nb_random_init(&random, 31, 100 + j);
        nb_follow_pair(&follow, 1, j);
        for (int p = 0; p < PATHS; p++) {
            uint64_t own[CHANNELS] = { 0 };
            size_t length;
            assert_int_equal(nb_follow_draw(&follow, &random, &length, NULL),
                             NB_OK);
            for (size_t h = 0; h < length; h++)
                own[orbit[follow.channel[h]]]++;
            for (size_t c = 0; c < topology->channel_count; c++) {
                sum[c] += own[c];
                squares[c] += own[c] * own[c];
                most[c] = own[c] > most[c] ? own[c] : most[c];
            }
            longest = fmax(longest, (double)length);
            hops += (double)length;
            hops_squared += (double)(length * length);
            hops_cubed += (double)(length * length * length);
        }
        for (size_t c = 0; c < topology->channel_count; c++)
            TOPOLOGY_CHECK(tally.cell[c].sum == sum[c] &&
                               tally.cell[c].squares == squares[c] &&
                               tally.cell[c].most == most[c],
                           "%s: 1 to %u, channel %zu", name, j, c);
        TOPOLOGY_CHECK(
            tally.hops == hops && tally.hops_squared == hops_squared &&
                tally.hops_cubed == hops_cubed && tally.longest == longest,
            "%s: 1 to %u", name, j);
    }
    nb_follow_release(&follow);
    nb_path_tally_release(&tally);
    nb_path_tally_release(&tally);
}

static void tally_check(const struct problem *problem, const char *name)
{
    tally_check_orbits(problem, name, false);
    tally_check_orbits(problem, name, true);
}

static void test_tallies(void **state)
{
    (void)state;
    static const char *const names[] = {
        "rlb@torus:4x3",
        "min@mesh:3x3",
        "val@ccc:3",
        /* Paths that cross channels twice. */
        "val@file:data/topologies/ring-directed.csv,directed=yes",
    };
    problem_each_of(names, sizeof names / sizeof *names, tally_check);
}

/* 2, 3, 5, 5: mean 15/4, sum of squared deviations 27/4. */
static void test_variances(void **state)
{
    (void)state;
    assert_true(fabs(nb_sample_variance(15, 63, 4) - 2.25) < 1e-15);
    assert_true(nb_sample_variance(3e9, 3e9, 3e9) == 0);
    assert_true(nb_sample_variance(0, 0, 2) == 0);
    assert_true(nb_sample_variance(0.1 * 3, 0.1 * 0.1 * 3, 3) >= 0);
}

/* A scheme that goes back and forth, then on, so that no path is too long. */
static size_t tally_step_back(const struct nb_routing *routing,
                              const struct nb_route_table *table,
                              nb_route_state state, uint32_t router,
                              uint32_t destination, struct nb_hop *hops)
{
    (void)table;
    const uint32_t next = state == 1 ? router - 1 : router + 1;
    if (router == destination)
        return 0;
    hops[0] = (struct nb_hop){
        .channel = topology_find_channel(routing->topology, router, next),
        .next = state + 1,
        .weight = 1,
        .share = 1,
    };
    return 1;
}

static void test_circles_are_refused(void **state)
{
    (void)state;
    const struct nb_routing_kind kind = { .kind = { .name = "back" },
                                          .step = tally_step_back };
    struct nb_topology topology;
    struct nb_path_tally tally;
    struct nb_error error = { 0 };
    topology_must_build("mesh:6", &topology);
    const struct nb_routing routing = { .kind = &kind,
                                        .topology = &topology,
                                        .state_count = 9,
                                        .most_starts = 1,
                                        .start_total = 1,
                                        .most_hops = 1 };
    assert_int_equal(nb_path_tally_init(&routing, NULL, &tally, NULL), NB_OK);
    assert_int_equal(nb_path_tally_draw(&tally, 0, 3, 1, 1, 1, &error),
                     NB_INVALID);
    assert_non_null(strstr(error.message, "routing back loops "
                                          "over channel 0 from router 0 to "
                                          "router 3"));
    nb_path_tally_release(&tally);
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tallies),
        cmocka_unit_test(test_variances),
        cmocka_unit_test(test_circles_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
