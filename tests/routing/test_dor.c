/* Dimension order against its closed form: every order of the dimensions and
 * every direction at ties, one by one. */
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

#include <stdio.h>
#include <string.h>

/* One path of dor: dimensions in a given order, ties going plus where the
 * dimension's bit is set. Adds share to the channels it crosses. */
static void dor_add_path(const struct nb_topology *topology,
                         const size_t *order, unsigned plus, uint32_t source,
                         uint32_t destination, struct nb_ratio share,
                         struct nb_ratio *crossings)
{
    const struct nb_grid *grid = &topology->grid;
    uint32_t at[NB_MAX_GRID], to[NB_MAX_GRID];
    nb_grid_split(grid, source, at);
    nb_grid_split(grid, destination, to);
    for (size_t i = 0; i < grid->dimensions; i++) {
        const size_t d = order[i];
        const int k = (int)grid->radix[d];
        int offset = (int)to[d] - (int)at[d];
        if (grid->wraps) {
            offset = (offset + k) % k;
            const bool is_minus = 2 * offset == k && k > 2
                                      ? (plus >> d & 1) == 0
                                      : 2 * offset > k;
            offset -= is_minus ? k : 0;
        }
        for (; offset != 0; offset += offset > 0 ? -1 : 1) {
            const uint32_t from = nb_grid_join(grid, at);
            at[d] = (uint32_t)(((int)at[d] + (offset > 0 ? 1 : -1) + k) % k);
            const uint32_t c =
                topology_find_channel(topology, from, nb_grid_join(grid, at));
            crossings[c] = nb_ratio_add(crossings[c], share);
        }
    }
}

/* All orders of the dimensions: the first only, or all with equal weight. */
static const size_t orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                     { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

static void dor_closed_form(const struct nb_topology *topology, bool is_random,
                            const char *ties, uint32_t source,
                            uint32_t destination, struct nb_ratio *crossings)
{
    const size_t dimensions = topology->grid.dimensions;
    const unsigned masks = 1U << dimensions;
    uint32_t coordinate[NB_MAX_GRID], sum = 0;
    nb_grid_split(&topology->grid, source, coordinate);
    for (size_t d = 0; d < dimensions; d++)
        sum += coordinate[d];
    for (size_t c = 0; c < topology->channel_count; c++)
        crossings[c] = nb_ratio_zero;
    /* With fewer than three dimensions orders repeat, equally often only if the
     * absent ones are skipped. */
    for (size_t o = 0; o < (is_random ? 6 : 1); o++) {
        size_t order[3], length = 0;
        for (size_t i = 0; i < 3; i++)
            if (orders[o][i] < dimensions)
                order[length++] = orders[o][i];
        for (unsigned plus = 0; plus < masks; plus++) {
            const bool is_split = strcmp(ties, "split") == 0;
            const bool is_plus = strcmp(ties, "plus") == 0 || sum % 2 == 0;
            if (!is_split && plus != (is_plus ? masks - 1 : 0))
                continue;
            const struct nb_ratio share = nb_ratio_make(
                1, (is_random ? 6 : 1) * (is_split ? (int)masks : 1));
            dor_add_path(topology, order, plus, source, destination, share,
                         crossings);
        }
    }
}

static void dor_check_dor(const char *shape, bool is_random, const char *ties)
{
    char name[TOPOLOGY_WORD];
    struct problem problem;
    struct walk walk;
    snprintf(name, sizeof name, "dor:order=%s,ties=%s@%s",
             is_random ? "random" : "fixed", ties, shape);
    problem_open_example(&problem, name);
    const struct nb_topology *topology = &problem.topology;
    struct nb_ratio *found =
        nb_new_array(topology->channel_count, sizeof *found);
    struct nb_ratio *expected =
        nb_new_array(topology->channel_count, sizeof *expected);
    assert_true(found != NULL && expected != NULL);
    walk_open(&walk, &problem.routing, name);
    for (uint32_t i = 0; i < topology->router_count; i++)
        for (uint32_t j = 0; j < topology->router_count; j++) {
            walk_pair(&walk, i, j, found, NULL);
            dor_closed_form(topology, is_random, ties, i, j, expected);
            for (size_t c = 0; c < topology->channel_count; c++)
                TOPOLOGY_CHECK(ratio_same(found[c], expected[c]),
                               "%s: %u to %u on %zu", name, i, j, c);
        }
    walk_close(&walk);
    nb_delete(found);
    nb_delete(expected);
    problem_close(&problem);
}

static void test_dor_takes_its_paths(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "ring:6",      "ring:5",   "torus:4x4",  "torus:4x3",  "torus:2x4",
        "torus:4x2x3", "mesh:4x3", "mesh:2x3x2", "hypercube:3"
    };
    static const char *const ties[] = { "split", "plus", "parity" };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t t = 0; t < 3; t++)
            for (int is_random = 0; is_random < 2; is_random++)
                dor_check_dor(shapes[s], is_random, ties[t]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dor_takes_its_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
