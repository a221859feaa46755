/* Symmetry: groups of known size. */
#include "support/symmetry_checks.h"
#include "support/topology_checks.h"
#include "traffic/traffic_symmetry.h"
#include "support/traffic_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/*
 * Numbers counted by hand: those of the network's automorphisms, doubled where
 * channels can be reversed; with a traffic, those that keep it. Tornado on a
 * ring: rotations, and reflections of reversed paths. Transpose on the torus:
 * translations along the diagonal, and the four symmetries of the square that
 * keep it. Hot spot: those that keep one router in its place, forward.
 */
static const struct {
    const char *example; /* "traffic@topology" or topology */
    size_t size;
} known_groups[] = {
    { "ring:5", 2 * 10 },
    { "torus:3x3", 2 * 9 * 8 },
    { "torus:4x3", 2 * 12 * 4 },
    { "mesh:3x3", 2 * 8 },
    { "mesh:4x3", 2 * 4 },
    { "complete:4", 2 * 24 },
    { "hypercube:3", 2 * 48 },
    { "file:data/topologies/ring-directed.csv,directed=yes", 1 },
    { "file:data/topologies/abilene.txt", 2 },
    { "uniform@torus:3x3", 2 * 9 * 8 },
    { "tornado@ring:4", 4 + 4 },
    { "tornado@ring:7", 7 + 7 },
    { "transpose@torus:3x3", 2 * 3 * 4 },
    { "transpose@mesh:3x3", 2 * 4 },
    { "bit-complement@hypercube:3", 2 * 48 },
    { "nearest-neighbour@torus:3x3", 2 * 9 * 8 },
    { "hot-spot:nodes=0@torus:3x3", 8 },
    { "hot-spot:nodes=1@mesh:3x3", 2 },
};

static void finds_known_groups(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known_groups / sizeof *known_groups; i++) {
        const char *example = known_groups[i].example;
        struct traffic_case testcase = { 0 };
        struct nb_symmetry symmetry;
        struct nb_error err = { 0 };
        const bool has_traffic = strchr(example, '@') != NULL;
        if (has_traffic)
            TOPOLOGY_CHECK(traffic_case_build(example, &testcase, &err) ==
                               NB_OK,
                           "%s: %s", example, err.message);
        else
            topology_must_build(example, &testcase.topology);
        assert_int_equal(
            nb_symmetry_find(&testcase.topology,
                             has_traffic ? &testcase.traffic : NULL, &symmetry,
                             NULL),
            NB_OK);
        const size_t size = symmetry_group_size(&symmetry);
        TOPOLOGY_CHECK(size == known_groups[i].size, "%s: %zu, not %zu",
                       example, size, known_groups[i].size);
        nb_symmetry_release(&symmetry);
        traffic_case_release(&testcase);
    }
}

/* Parallel channels are reversed rank by rank, or not at all; in the first case
 * the two routers can be exchanged, too. */
static void reverses_parallel_channels(void **state)
{
    (void)state;
    static const struct {
        const char *edges;
        size_t size;
    } cases[] = {
        { "0,1,1\n0,1,2\n1,0,1\n1,0,2\n", 2 * 2 },
        { "0,1,1\n0,1,2\n1,0,2\n1,0,1\n", 1 },
        { "0,1,1\n0,1,1\n1,0,1\n", 1 },
        { "0,1,1\n1,0,1\n1,2,1/2\n2,1,1/2\n", 2 },
        { "0,1,1\n1,0,1\n1,2,1/2\n2,1,2\n", 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_topology topology;
        struct nb_symmetry symmetry;
        topology_must_build_file(cases[i].edges, ".csv", ",directed=yes",
                                 &topology);
        assert_int_equal(nb_symmetry_find(&topology, NULL, &symmetry, NULL),
                         NB_OK);
        symmetry_must_fit(&symmetry, &topology, cases[i].edges);
        assert_int_equal(symmetry_group_size(&symmetry), cases[i].size);
        nb_symmetry_release(&symmetry);
        nb_topology_release(&topology);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_known_groups),
        cmocka_unit_test(reverses_parallel_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
