/* Pods: switches share one if and only if a path of their levels joins them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"
#include "core/memory.h"
#include "core/random.h"
#include "topology/pods.h"

#include <stdio.h>

enum { MOST = 64 };

/* Warshall's closure over the channels between members. */
static void close_over(const struct nb_topology *topology, const bool *is_in,
                       bool reach[MOST][MOST])
{
    const size_t n = topology->router_count;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            reach[i][j] = i == j && is_in[i];
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *at = &topology->channels[c];
        if (is_in[at->source] && is_in[at->target])
            reach[at->source][at->target] = reach[at->target][at->source] =
                true;
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                reach[i][j] |= reach[i][k] && reach[k][j];
}

static void parts_are_those_that_paths_join(void **state)
{
    static const char *const names[] = { "torus:4x4", "ring:9", "hypercube:5",
                                         "fattree:k=3,n=3", "kautz:d=2,n=3" };
    static bool reach[MOST][MOST];
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 7, 0);
    for (int trial = 0; trial < 60; trial++) {
        struct nb_topology topology;
        uint32_t level[MOST], part[MOST], count, most = 0;
        bool is_in[MOST];
        topology_must_build(names[trial % 5], &topology);
        printf("seed 7, trial %d: %s\n", trial, names[trial % 5]);
        for (size_t r = 0; r < topology.router_count; r++) {
            level[r] = (uint32_t)nb_random_below(&random, 5);
            is_in[r] = level[r] == 1 || level[r] == 2;
            if (level[r] == 4)
                level[r] = NB_NONE;
        }
        assert_int_equal(
            nb_pods_find(&topology, level, 1, 2, part, &count, NULL), NB_OK);
        close_over(&topology, is_in, reach);
        for (size_t i = 0; i < topology.router_count; i++) {
            assert_int_equal(part[i] != NB_NONE, is_in[i]);
            if (is_in[i]) { /* numbered in the order of first routers */
                assert_true(part[i] <= most);
                most += part[i] == most;
            }
            for (size_t j = 0; j < topology.router_count; j++)
                if (is_in[i] && is_in[j])
                    assert_int_equal(part[i] == part[j], reach[i][j]);
        }
        assert_int_equal(count, most);
        nb_topology_release(&topology);
    }
}

static void no_levels_have_no_parts(void **state)
{
    struct nb_topology topology;
    uint32_t level[4] = { 0 }, part[4], count;
    (void)state;
    topology_must_build("ring:4", &topology);
    const long blocks = nb_memory_live_blocks();
    assert_int_equal(nb_pods_find(&topology, level, 1, 0, part, &count, NULL),
                     NB_OK);
    assert_int_equal(count, 0);
    assert_int_equal(part[3], NB_NONE);
    nb_memory_allow(0);
    assert_int_equal(nb_pods_find(&topology, level, 0, 0, part, &count, NULL),
                     NB_NO_MEMORY);
    nb_memory_allow(-1);
    assert_int_equal(nb_memory_live_blocks(), blocks);
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_those_that_paths_join),
        cmocka_unit_test(no_levels_have_no_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
