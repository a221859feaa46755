/* Path orbits: routings averaged over symmetries, known ones and refusals. */
#include "optimum/path_orbits.h"

#include "support/topology_checks.h"
#include "traffic/traffic_symmetry.h"
#include "core/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_HOPS = 8 };

struct network {
    struct nb_topology topology;
    struct nb_symmetry symmetry;
};

static void network_open(struct network *network, const char *name)
{
    topology_must_build(name, &network->topology);
    assert_int_equal(
        nb_symmetry_find(&network->topology, NULL, &network->symmetry, NULL),
        NB_OK);
}

static void network_close(struct network *network)
{
    nb_symmetry_release(&network->symmetry);
    nb_topology_release(&network->topology);
}

static uint64_t sum_of_pair(const struct nb_path_table *table, uint32_t source,
                            uint32_t destination)
{
    uint64_t sum = 0;
    for (size_t p = 0; p < table->path_count; p++)
        if (table->path[p].source == source &&
            table->path[p].destination == destination)
            sum += table->path[p].weight;
    return sum;
}

/* Adds a path given by its routers, up to NB_NONE. */
static void give(const struct network *network, struct nb_path_table *given,
                 uint64_t weight, const uint32_t *router)
{
    uint32_t channel[MOST_HOPS];
    size_t length = 0;
    while (router[length + 1] != NB_NONE) {
        channel[length] = topology_find_channel(
            &network->topology, router[length], router[length + 1]);
        length++;
    }
    assert_int_equal(nb_path_table_add(given, router[0], router[length], weight,
                                       channel, length, NULL),
                     NB_OK);
}

/* In the complete graph, each path of two hops has a third of the weight given
 * to two of them; in a mesh, a path from corner to corner along the border has
 * its mirror image. */
static void spreads_known_routings(void **state)
{
    (void)state;
    struct network network;
    struct nb_path_table given = { 0 }, out = { 0 };
    network_open(&network, "complete:5");
    give(&network, &given, 1, (uint32_t[]){ 2, 0, 4, NB_NONE });
    give(&network, &given, 2, (uint32_t[]){ 2, 1, 4, NB_NONE });
    give(&network, &given, 2, (uint32_t[]){ 2, 4, NB_NONE });
    nb_path_table_sort(&given);
    assert_int_equal(nb_path_orbits_spread(&network.symmetry, &network.topology,
                                           &given, &out, NULL),
                     NB_OK);
    assert_int_equal(sum_of_pair(&out, 2, 4), 5);
    assert_int_equal(out.path_count, 20 * 4);
    for (size_t p = 0; p < out.path_count; p++)
        assert_int_equal(out.path[p].weight, out.path[p].length == 1 ? 2 : 1);
    nb_path_table_release(&given);
    nb_path_table_release(&out);
    network_close(&network);

    const uint32_t corner[] = { 8, 6, 2, 0 }; /* opposite to 0, 2, 6, 8 */
    network_open(&network, "mesh:3x3");
    give(&network, &given, 7, (uint32_t[]){ 0, 1, 2, 5, 8, NB_NONE });
    assert_int_equal(nb_path_orbits_spread(&network.symmetry, &network.topology,
                                           &given, &out, NULL),
                     NB_OK);
    assert_int_equal(out.path_count, 8);
    for (size_t p = 0; p < out.path_count; p++) {
        assert_int_equal(out.path[p].weight, 1);
        assert_int_equal(out.path[p].source, corner[p / 2]);
    }
    nb_path_table_release(&given);
    nb_path_table_release(&out);
    network_close(&network);
}

/* (2^52 - 1) : 2^52 in three parts needs 3 (2^53 - 1). */
static void detects_overflow(void **state)
{
    (void)state;
    struct network network;
    struct nb_path_table given = { 0 }, out = { 0 };
    struct nb_error err = { 0 };
    network_open(&network, "complete:5");
    give(&network, &given, (UINT64_C(1) << 52) - 1,
         (uint32_t[]){ 0, 1, NB_NONE });
    give(&network, &given, UINT64_C(1) << 52, (uint32_t[]){ 0, 2, 1, NB_NONE });
    nb_path_table_sort(&given);
    assert_int_equal(nb_path_orbits_spread(&network.symmetry, &network.topology,
                                           &given, &out, &err),
                     NB_OVERFLOW);
    assert_non_null(strstr(err.message, "2^53"));
    assert_int_equal(out.path_count, 0);
    nb_path_table_release(&given);
    nb_path_table_release(&out);
    network_close(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spreads_known_routings),
        cmocka_unit_test(detects_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
