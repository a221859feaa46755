/* Conformance: every registered kind, each of its examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "core/memory.h"
#include "topology/metrics.h"

#include <string.h>

static void kinds_check_counts(const struct nb_topology *topology,
                               const char *name)
{
    size_t terminals = 0;
    TOPOLOGY_CHECK(topology->router_count >= 2, "%s", name);
    TOPOLOGY_CHECK(topology->channel_count >= 1, "%s", name);
    for (size_t r = 0; r < topology->router_count; r++)
        terminals += topology->terminals[r];
    TOPOLOGY_CHECK(terminals == topology->terminal_count && terminals > 0,
                   "%s: %zu terminals", name, terminals);
    TOPOLOGY_CHECK(topology->out_start[0] == 0 && topology->in_start[0] == 0,
                   "%s", name);
    TOPOLOGY_CHECK(topology->out_start[topology->router_count] ==
                           topology->channel_count &&
                       topology->in_start[topology->router_count] ==
                           topology->channel_count,
                   "%s", name);
}

static void kinds_check_channels(const struct nb_topology *topology,
                                 const char *name)
{
    bool *is_listed = nb_new_array(topology->channel_count, sizeof *is_listed);
    assert_non_null(is_listed);
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        TOPOLOGY_CHECK(channel->source < topology->router_count &&
                           channel->target < topology->router_count &&
                           channel->source != channel->target,
                       "%s: channel %zu", name, c);
        TOPOLOGY_CHECK(nb_ratio_is_known(channel->bandwidth) &&
                           channel->bandwidth.numerator > 0 &&
                           channel->bandwidth.denominator > 0,
                       "%s: channel %zu", name, c);
        TOPOLOGY_CHECK(topology->out_start[channel->source] <= c &&
                           c < topology->out_start[channel->source + 1],
                       "%s: channel %zu is not in order", name, c);
    }
    for (size_t r = 0; r < topology->router_count; r++) {
        for (size_t i = topology->in_start[r]; i < topology->in_start[r + 1];
             i++) {
            const uint32_t c = topology->in_channel[i];
            TOPOLOGY_CHECK(topology->channels[c].target == r,
                           "%s: channel %u into router %zu", name, c, r);
            TOPOLOGY_CHECK(!is_listed[c], "%s: channel %u twice", name, c);
            is_listed[c] = true;
        }
    }
    nb_delete(is_listed);
}

/* The target of one step in a dimension, from coordinates only. */
static uint32_t kinds_step(const struct nb_grid *grid, uint32_t router,
                           size_t dimension, int step)
{
    uint32_t coordinate[NB_MAX_GRID];
    nb_grid_split(grid, router, coordinate);
    const int64_t radix = grid->radix[dimension];
    const int64_t moved = (int64_t)coordinate[dimension] + step;
    if (!grid->wraps && (moved < 0 || moved >= radix))
        return NB_NONE;
    coordinate[dimension] = (uint32_t)((moved + radix) % radix);
    return nb_grid_join(grid, coordinate);
}

static void kinds_check_grid(const struct nb_topology *topology,
                             const char *name)
{
    const struct nb_grid *grid = &topology->grid;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        uint32_t coordinate[NB_MAX_GRID];
        nb_grid_split(grid, r, coordinate);
        TOPOLOGY_CHECK(grid->dimensions == 0 ||
                           nb_grid_join(grid, coordinate) == r,
                       "%s: router %u", name, r);
        for (size_t slot = 0; slot < 2 * grid->dimensions; slot++) {
            const size_t d = slot / 2;
            TOPOLOGY_CHECK(nb_grid_coordinate(grid, r, d) == coordinate[d] &&
                               coordinate[d] < grid->radix[d],
                           "%s: router %u dimension %zu", name, r, d);
            const uint32_t to = kinds_step(grid, r, d, slot % 2 == 0 ? -1 : 1);
            const uint32_t c = grid->channel[r * 2 * grid->dimensions + slot];
            TOPOLOGY_CHECK((to == NB_NONE) == (c == NB_NONE),
                           "%s: router %u slot %zu", name, r, slot);
            TOPOLOGY_CHECK(c == NB_NONE || (topology->channels[c].source == r &&
                                            topology->channels[c].target == to),
                           "%s: router %u slot %zu", name, r, slot);
        }
    }
}

static void
kinds_compare(const char *name, const char *what,
              struct nb_closed_form (*form)(const struct nb_topology *topology),
              const struct nb_topology *topology, struct nb_ratio scale,
              struct nb_ratio found)
{
    const struct nb_closed_form known =
        form == NULL ? (struct nb_closed_form){ 0 } : form(topology);
    if (!nb_ratio_is_known(known.value))
        return;
    const struct nb_ratio value = nb_ratio_multiply(known.value, scale);
    TOPOLOGY_CHECK(known.source != NULL && *known.source != '\0', "%s %s", name,
                   what);
    TOPOLOGY_CHECK(nb_ratio_compare(value, found) == 0,
                   "%s: %s is %g, by search %g", name, what,
                   nb_ratio_value(value), nb_ratio_value(found));
}

static void kinds_check_forms(const struct nb_topology *topology,
                              const char *name)
{
    const struct nb_topology_kind *kind = topology->kind;
    const struct nb_ratio bandwidth = topology->channels[0].bandwidth;
    struct nb_distance_summary distance;
    assert_int_equal(nb_distance_search(topology, &distance, NULL), NB_OK);
    kinds_compare(name, "diameter", kind->diameter, topology, nb_ratio_one,
                  (struct nb_ratio){ distance.diameter, 1 });
    kinds_compare(name, "mean distance", kind->mean_distance, topology,
                  nb_ratio_one, distance.mean);
    struct nb_ratio bisection;
    if (topology->router_count <= 20 && topology->kind->bisection != NULL &&
        nb_topology_is_regular(topology)) {
        assert_int_equal(nb_bisection_search(topology, &bisection, NULL),
                         NB_OK);
        kinds_compare(name, "bisection", kind->bisection, topology, bandwidth,
                      bisection);
    }
}

/* Uniform traffic at capacity exceeds no cut's bandwidth, and no channel is
 * used more than fully: two upper bounds. */
static void kinds_check_capacity(const struct nb_topology *topology,
                                 const char *name)
{
    struct nb_closed_form (*form)(const struct nb_topology *) =
        topology->kind->capacity;
    if (form == NULL || !nb_topology_is_regular(topology) ||
        !nb_ratio_is_known(form(topology).value))
        return;
    const double capacity = nb_ratio_value(form(topology).value);
    const double senders = topology->kind->has_own_terminals
                               ? (double)topology->terminal_count
                               : (double)topology->router_count;
    struct nb_distance_summary distance;
    struct nb_ratio cut;
    assert_int_equal(nb_distance_search(topology, &distance, NULL), NB_OK);
    TOPOLOGY_CHECK(capacity * senders * nb_ratio_value(distance.mean) <=
                       (double)topology->channel_count * (1 + 1e-12),
                   "%s: capacity %g", name, capacity);
    if (topology->router_count > 20 || (size_t)senders % 2 != 0)
        return;
    assert_int_equal(nb_bisection_search(topology, &cut, NULL), NB_OK);
    const double width =
        nb_ratio_value(cut) / nb_ratio_value(topology->channels[0].bandwidth);
    TOPOLOGY_CHECK(capacity * senders / 2 <= width * (1 + 1e-12),
                   "%s: capacity %g against bisection %g", name, capacity,
                   width);
}

static void test_counts(void **state)
{
    (void)state;
    topology_each_example(kinds_check_counts);
}

static void test_channels(void **state)
{
    (void)state;
    topology_each_example(kinds_check_channels);
}

static void test_grid(void **state)
{
    (void)state;
    topology_each_example(kinds_check_grid);
}

static void test_closed_forms(void **state)
{
    (void)state;
    topology_each_example(kinds_check_forms);
}

static void test_capacity(void **state)
{
    (void)state;
    topology_each_example(kinds_check_capacity);
}

/* Building and searching with an allocator that fails after a number of
 * calls. */
static enum nb_status kinds_build_and_search(const char *name)
{
    struct nb_topology topology = { 0 };
    struct nb_distance_summary distance;
    enum nb_status status = nb_topology_build(name, &topology, NULL);
    if (status == NB_OK)
        status = nb_distance_search(&topology, &distance, NULL);
    nb_memory_allow(-1);
    nb_topology_release(&topology);
    return status;
}

static void test_failed_allocations(void **state)
{
    (void)state;
    for (size_t i = 0; nb_topology_kinds[i] != NULL; i++) {
        const char *examples = nb_topology_kinds[i]->examples;
        char name[TOPOLOGY_WORD];
        while (topology_next_word(&examples, name)) {
            enum nb_status status = NB_NO_MEMORY;
            for (long allowed = 0; status == NB_NO_MEMORY && allowed < 1000;
                 allowed++) {
                nb_memory_allow(allowed);
                status = kinds_build_and_search(name);
                TOPOLOGY_CHECK(nb_memory_live_blocks() == 0,
                               "%s leaks after %ld allocations", name, allowed);
            }
            TOPOLOGY_CHECK(status == NB_OK, "%s: status %d", name, (int)status);
        }
    }
}

static void test_registry(void **state)
{
    (void)state;
    size_t count = 0;
    while (nb_topology_kind_at(count) != NULL)
        count++;
    assert_true(count >= 7);
    assert_null(nb_topology_kind_at(count + 5));
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(nb_topology_kind_at(i), &nb_topology_kinds[i]->kind);
        assert_non_null(nb_topology_kinds[i]->kind.summary);
        assert_non_null(nb_topology_kinds[i]->examples);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_capacity),
        cmocka_unit_test(test_failed_allocations),
        cmocka_unit_test(test_registry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
