/* Distances from one router of each orbit are those from all routers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "topology/metrics.h"

/* Every pair of terminals, searched from every router. In a butterfly of n
 * stages all are n + 1 hops away. */
static void distances_plainly(const struct nb_topology *topology,
                              struct nb_distance_summary *out)
{
    const size_t n = topology->router_count;
    uint32_t *distance = nb_new_array(n, sizeof *distance);
    uint32_t *queue = nb_new_array(n, sizeof *queue);
    nb_int128 sum = 0;
    assert_true(distance != NULL && queue != NULL);
    *out = (struct nb_distance_summary){ 0 };
    for (uint32_t j = 0; j < n; j++) {
        nb_distances_to(topology, j, distance, queue);
        if (strncmp(topology->kind->kind.name, "butterfly", 9) == 0)
            distance[j] = 1 + (uint32_t)nb_specification_whole(
                                  &topology->specification, "n");
        for (uint32_t i = 0; i < n; i++) {
            const uint64_t pairs =
                (uint64_t)topology->terminals[i] * topology->terminals[j];
            sum += (nb_int128)pairs * distance[i];
            if (pairs > 0 && distance[i] > out->diameter)
                out->diameter = distance[i];
        }
    }
    out->mean = nb_ratio_make(sum, (nb_int128)topology->terminal_count *
                                       (nb_int128)topology->terminal_count);
    nb_delete(distance);
    nb_delete(queue);
}

static void distances_check(const struct nb_topology *topology,
                            const char *name)
{
    struct nb_distance_summary plain, found;
    distances_plainly(topology, &plain);
    assert_int_equal(nb_distance_search(topology, &found, NULL), NB_OK);
    TOPOLOGY_CHECK(found.diameter == plain.diameter, "%s: %u, not %u", name,
                   found.diameter, plain.diameter);
    ratio_must_equal(found.mean, plain.mean, name);
}

static void test_examples(void **state)
{
    (void)state;
    topology_each_example(distances_check);
}

/* Automorphisms that move terminals do not count. */
static void test_uneven_terminals(void **state)
{
    (void)state;
    struct nb_topology topology;
    topology_must_build("torus:4x3", &topology);
    topology.terminals[5] = 7;
    topology.terminals[2] = 0;
    topology.terminal_count += 5;
    distances_check(&topology, "torus:4x3 with uneven terminals");
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_uneven_terminals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
