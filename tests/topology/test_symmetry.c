/* Conformance: the generators that kinds offer are automorphisms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "core/memory.h"

#include <string.h>

static uint32_t symmetry_coordinate_sum(const struct nb_grid *grid,
                                        uint32_t router)
{
    uint32_t sum = 0;
    for (size_t d = 0; d < grid->dimensions; d++)
        sum += nb_grid_coordinate(grid, router, d);
    return sum;
}

static void symmetry_check_class(const struct nb_topology *topology,
                                 const char *name, size_t index, unsigned class,
                                 const uint32_t *map)
{
    const struct nb_grid *grid =
        topology->grid.dimensions > 0 ? &topology->grid : &topology->hyperx;
    const bool is_one_class =
        (class & (class - 1)) == 0 && (class & NB_ANY_SYMMETRY) == class;
    TOPOLOGY_CHECK(is_one_class, "%s: generator %zu: class %u", name, index,
                   class);
    TOPOLOGY_CHECK(grid->dimensions > 0 || class == NB_OTHER_SYMMETRY,
                   "%s: generator %zu", name, index);
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const uint32_t sum = symmetry_coordinate_sum(grid, r);
        const uint32_t image = symmetry_coordinate_sum(grid, map[r]);
        TOPOLOGY_CHECK(class != NB_EVEN_TRANSLATION || sum % 2 == image % 2,
                       "%s: generator %zu, router %u", name, index, r);
        TOPOLOGY_CHECK(class != NB_AXIS_SWAP || sum == image,
                       "%s: generator %zu, router %u", name, index, r);
        /* Reflections undo themselves. */
        TOPOLOGY_CHECK(class != NB_REFLECTION || map[map[r]] == r,
                       "%s: generator %zu, router %u", name, index, r);
        /* Translations leave no router in place. */
        TOPOLOGY_CHECK(
            (class != NB_TRANSLATION && class != NB_EVEN_TRANSLATION) ||
                map[r] != r,
            "%s: generator %zu, router %u", name, index, r);
    }
}

static void symmetry_check_symmetry(const struct nb_topology *topology,
                                    const char *name)
{
    if (topology->kind->symmetry == NULL)
        return;
    uint32_t *map = nb_new_array(topology->router_count, sizeof *map);
    bool *is_image = nb_new_array(topology->router_count, sizeof *is_image);
    assert_true(map != NULL && is_image != NULL);
    unsigned class;
    size_t index = 0;
    for (; (class = topology->kind->symmetry(topology, index, map)) != 0;
         index++) {
        memset(is_image, 0, topology->router_count * sizeof *is_image);
        for (size_t r = 0; r < topology->router_count; r++) {
            TOPOLOGY_CHECK(map[r] < topology->router_count && !is_image[map[r]],
                           "%s: generator %zu is no bijection at router %zu",
                           name, index, r);
            is_image[map[r]] = true;
            TOPOLOGY_CHECK(topology->terminals[map[r]] ==
                               topology->terminals[r],
                           "%s: generator %zu", name, index);
        }
        TOPOLOGY_CHECK(topology_same_channels(topology, topology, map),
                       "%s: generator %zu moves a channel to where there is "
                       "none",
                       name, index);
        symmetry_check_class(topology, name, index, class, map);
    }
    TOPOLOGY_CHECK((index > 0 || strstr(name, "arrangement=random") != NULL) &&
                       index < 100,
                   "%s: %zu generators", name, index);
    TOPOLOGY_CHECK(topology->kind->symmetry(topology, index + 7, map) == 0,
                   "%s", name);
    nb_delete(map);
    nb_delete(is_image);
}

/* All networks with generators here look the same from every router with
 * terminals, except meshes, Dragonflies (their routers differ in where their
 * global channels lead), words (where letters may repeat) and arrangements
 * other than palmtree: the generators must join these routers into one
 * orbit. */
static void symmetry_check_orbit(const struct nb_topology *topology,
                                 const char *name)
{
    const size_t routers = topology->router_count;
    if (topology->kind->symmetry == NULL ||
        strcmp(topology->kind->kind.name, "mesh") == 0 ||
        strcmp(topology->kind->kind.name, "dragonfly") == 0 ||
        strcmp(topology->kind->kind.name, "kautz") == 0 ||
        strcmp(topology->kind->kind.name, "debruijn") == 0 ||
        strstr(name, "arrangement") != NULL)
        return;
    uint32_t *map = nb_new_array(routers, sizeof *map);
    bool *is_reached = nb_new_array(routers, sizeof *is_reached);
    assert_true(map != NULL && is_reached != NULL);
    is_reached[0] = true;
    size_t count = 1, endpoints = 0;
    for (size_t r = 0; r < routers; r++)
        endpoints += topology->terminals[r] > 0;
    for (size_t before = 0; before < count;) {
        before = count;
        for (size_t g = 0; topology->kind->symmetry(topology, g, map); g++)
            for (size_t r = 0; r < routers; r++)
                if (is_reached[r] && !is_reached[map[r]]) {
                    is_reached[map[r]] = true;
                    count++;
                }
    }
    TOPOLOGY_CHECK(count == endpoints, "%s: orbit of %zu", name, count);
    nb_delete(map);
    nb_delete(is_reached);
}

static void test_generators(void **state)
{
    (void)state;
    topology_each_example(symmetry_check_symmetry);
}

static void test_orbits(void **state)
{
    (void)state;
    topology_each_example(symmetry_check_orbit);
}

/* The number of generators of each class that a network offers. */
static const struct {
    const char *specification;
    size_t translations, even, reflections, swaps, others;
} offered[] = {
    { "torus:8x8", 2, 3, 2, 1, 0 },   { "torus:8x4x8", 3, 5, 3, 1, 0 },
    { "torus:5x5", 2, 0, 2, 1, 0 },   { "torus:4x5", 2, 1, 2, 0, 0 },
    { "torus:2x2", 2, 1, 2, 1, 0 },   { "torus:2", 1, 0, 1, 0, 0 },
    { "mesh:8x8", 0, 0, 2, 1, 0 },    { "mesh:2x3x2", 2, 1, 3, 1, 0 },
    { "hypercube:5", 5, 4, 5, 4, 0 }, { "ring:7", 1, 0, 1, 0, 0 },
    { "ring:8", 1, 1, 1, 0, 0 },      { "complete:9", 0, 0, 0, 0, 2 },
    { "ccc:4", 0, 0, 0, 0, 3 },       { "fattree:k=3,n=4", 0, 0, 0, 0, 6 },
};

static void test_classes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof offered / sizeof *offered; i++) {
        struct nb_topology topology = { 0 };
        size_t count[NB_ANY_SYMMETRY + 1] = { 0 };
        topology_must_build(offered[i].specification, &topology);
        uint32_t *map = nb_new_array(topology.router_count, sizeof *map);
        assert_non_null(map);
        unsigned class;
        for (size_t g = 0;
             (class = topology.kind->symmetry(&topology, g, map)) != 0; g++)
            count[class]++;
        TOPOLOGY_CHECK(count[NB_TRANSLATION] == offered[i].translations &&
                           count[NB_EVEN_TRANSLATION] == offered[i].even &&
                           count[NB_REFLECTION] == offered[i].reflections &&
                           count[NB_AXIS_SWAP] == offered[i].swaps &&
                           count[NB_OTHER_SYMMETRY] == offered[i].others,
                       "%s: %zu %zu %zu %zu %zu", offered[i].specification,
                       count[1], count[2], count[4], count[8], count[16]);
        nb_delete(map);
        nb_topology_release(&topology);
    }
}

/* A torus is reflected at router 0, so that parities of coordinates stay. */
static void test_reflections(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    uint32_t map[24];
    size_t count = 0;
    unsigned class;
    topology_must_build("torus:6x4", &topology);
    for (size_t g = 0; (class = nb_grid_symmetry(&topology, g, map)); g++) {
        if (class != NB_REFLECTION)
            continue;
        count++;
        assert_int_equal(map[0], 0);
        assert_int_equal(map[3], 3);
        assert_true(map[1] == 1 || map[1] == 5);
    }
    assert_int_equal(count, 2);
    nb_topology_release(&topology);
}

/* The even translations by themselves join all routers of even coordinate
 * sum. */
static void test_even_orbit(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build("torus:4x2x6", &topology);
    uint32_t map[48];
    bool is_reached[48] = { true };
    size_t count = 1;
    for (size_t before = 0; before < count;) {
        before = count;
        for (size_t g = 0;; g++) {
            const unsigned class = nb_grid_symmetry(&topology, g, map);
            if (class == 0)
                break;
            for (size_t r = 0; r < 48 && class == NB_EVEN_TRANSLATION; r++) {
                count += is_reached[r] && !is_reached[map[r]];
                is_reached[map[r]] = is_reached[map[r]] || is_reached[r];
            }
        }
    }
    assert_int_equal(count, 24);
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generators), cmocka_unit_test(test_orbits),
        cmocka_unit_test(test_classes),    cmocka_unit_test(test_reflections),
        cmocka_unit_test(test_even_orbit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
