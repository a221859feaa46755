/* Moore bounds, spectral gaps and expansions known in closed form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "topology/expansion.h"
#include "topology/metrics.h"

#include <math.h>

/* Counting by hand. */
static void test_moore(void **state)
{
    (void)state;
    assert_int_equal(nb_moore_diameter(64, 4, true), 4);
    assert_int_equal(nb_moore_diameter(32, 3, true), 4);
    assert_int_equal(nb_moore_diameter(64, 3, true), 5);
    assert_int_equal(nb_moore_diameter(64, 6, true), 3);
    assert_int_equal(nb_moore_diameter(1024, 4, true), 6);
    /* Petersen and Hoffman-Singleton attain it. */
    assert_int_equal(nb_moore_diameter(10, 3, true), 2);
    assert_int_equal(nb_moore_diameter(50, 7, true), 2);
    assert_int_equal(nb_moore_diameter(51, 7, true), 3);
    assert_int_equal(nb_moore_diameter(2, 1, true), 1);
    assert_int_equal(nb_moore_diameter(3, 1, true), NB_NONE);
    assert_int_equal(nb_moore_diameter(2, 0, true), NB_NONE);
    assert_int_equal(nb_moore_diameter(1, 0, true), 0);
    assert_int_equal(nb_moore_diameter(7, 2, false), 2);
    assert_int_equal(nb_moore_diameter(8, 2, false), 3);
    assert_int_equal(nb_moore_diameter(8, 1, false), 7);
}

/* Spectra of products and of complete graphs; expansions by counting, 0: not
 * known. */
static const struct {
    const char *specification;
    double gap, expansion;
} known[] = {
    { "complete:8", 8, 4 },
    { "complete:7", 7, 4 },
    { "ring:12", 2 - 1.7320508075688772, 1.0 / 3 },
    { "hypercube:4", 2, 1 },
    { "hypercube:6", 2, 1 },
    { "torus:8x8", 2 - 1.4142135623730951, 0.5 },
    { "mesh:2x3", 1, 1 },
    /* A path of 5: 2 - 2 cos 36 degrees. */
    { "mesh:5", 0.38196601125010515, 0.5 },
    { "file:data/topologies/petersen-networkx.graphml", 2, 1 },
};

static void test_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct nb_topology topology;
        struct nb_enclosure gap, expansion;
        topology_must_build(known[i].specification, &topology);
        assert_int_equal(nb_expansion_find(&topology, &gap, &expansion, NULL),
                         NB_OK);
        TOPOLOGY_CHECK(gap.lower <= known[i].gap && known[i].gap <= gap.upper &&
                           gap.upper - gap.lower < 1e-9 * gap.upper,
                       "%s: %.17g to %.17g", known[i].specification, gap.lower,
                       gap.upper);
        TOPOLOGY_CHECK(expansion.lower <= known[i].expansion &&
                           fabs(expansion.upper - known[i].expansion) < 1e-12,
                       "%s: %.17g to %.17g", known[i].specification,
                       expansion.lower, expansion.upper);
        TOPOLOGY_CHECK(gap.lower / 2 <= expansion.upper, "%s",
                       known[i].specification);
        nb_topology_release(&topology);
    }
}

/* No network has a diameter below the Moore bound, nor an expansion below half
 * its gap, where the expansion is known. */
static void check_bounds(const struct nb_topology *topology, const char *name)
{
    struct nb_distance_summary distances;
    struct nb_enclosure gap, expansion;
    uint32_t degree = 0;
    bool are_all = !nb_has_failures(topology);
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const uint32_t own =
            topology->out_start[r + 1] - topology->out_start[r];
        degree = own > degree ? own : degree;
        are_all = are_all && topology->terminals[r] > 0;
    }
    if (!are_all || topology->router_count > 300)
        return;
    assert_int_equal(nb_distance_search(topology, &distances, NULL), NB_OK);
    TOPOLOGY_CHECK(nb_moore_diameter((double)topology->router_count, degree,
                                     nb_has_links(topology)) <=
                       distances.diameter,
                   "%s", name);
    assert_int_equal(nb_expansion_find(topology, &gap, &expansion, NULL),
                     NB_OK);
    TOPOLOGY_CHECK(gap.lower > 0 && gap.lower / 2 <= expansion.upper, "%s",
                   name);
}

static void test_bounds(void **state)
{
    (void)state;
    topology_each_example(check_bounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moore),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
