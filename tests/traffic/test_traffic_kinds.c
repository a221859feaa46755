/* Conformance: every registered traffic on every one of its examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "support/traffic_case.h"

#include <stdlib.h>
#include <string.h>

static bool kind_is(const struct nb_traffic_kind *kind, const char *names)
{
    const char *found = strstr(names, kind->kind.name);
    const size_t length = strlen(kind->kind.name);
    return found != NULL && (found[length] == ' ' || found[length] == '\0');
}

/* Files may send less than terminals inject. */
static const char partial[] = "file";
/* Column sums may exceed 1 by nature. */
static const char uneven[] = "hot-spot nearest-neighbour";
static const char permutations[] =
    "bit-complement transpose tornado neighbour diameter bit-reverse shuffle "
    "rotation random-permutation";

static void check_sums(const struct nb_traffic_kind *kind, const char *example)
{
    struct traffic_case testcase;
    struct nb_error err = { 0 };
    struct nb_traffic_sums sums;
    if (traffic_case_build(example, &testcase, &err) != NB_OK)
        fail_msg("%s: %s", example, err.message);
    assert_int_equal(nb_traffic_sums_find(&testcase.traffic, &testcase.topology,
                                          &sums, &err),
                     NB_OK);
    struct nb_ratio largest_row = { -1, 1 }, largest_column = { -1, 1 };
    for (uint32_t i = 0; i < testcase.topology.router_count; i++) {
        struct nb_ratio row = nb_ratio_zero, column = nb_ratio_zero;
        const struct nb_ratio terminals = { testcase.topology.terminals[i], 1 };
        for (uint32_t j = 0; j < testcase.topology.router_count; j++) {
            row = nb_ratio_add(row, traffic_case_rate(&testcase, i, j));
            column = nb_ratio_add(column, traffic_case_rate(&testcase, j, i));
        }
        if (!kind_is(kind, partial) && nb_ratio_compare(row, terminals) != 0)
            fail_msg("%s: row %u sums to %ld/%ld", example, i,
                     (long)row.numerator, (long)row.denominator);
        if (terminals.numerator == 0)
            continue;
        row = nb_ratio_divide(row, terminals);
        column = nb_ratio_divide(column, terminals);
        if (nb_ratio_compare(row, largest_row) > 0)
            largest_row = row;
        if (nb_ratio_compare(column, largest_column) > 0)
            largest_column = column;
    }
    assert_int_equal(nb_ratio_compare(largest_row, sums.row), 0);
    assert_int_equal(nb_ratio_compare(largest_column, sums.column), 0);
    if (!kind_is(kind, uneven) &&
        nb_ratio_compare(sums.column, nb_ratio_one) > 0)
        fail_msg("%s: a column sum exceeds 1", example);
    traffic_case_release(&testcase);
}

static void check_bijection(const struct nb_traffic_kind *kind,
                            const char *example)
{
    struct traffic_case testcase;
    if (!kind_is(kind, permutations))
        return;
    assert_int_equal(traffic_case_build(example, &testcase, NULL), NB_OK);
    const size_t routers = testcase.topology.router_count;
    bool *is_reached = calloc(routers, sizeof *is_reached);
    assert_non_null(is_reached);
    assert_int_equal(testcase.traffic.demand_count, routers);
    for (uint32_t i = 0; i < routers; i++) {
        const uint32_t target = traffic_case_destination(&testcase, i);
        if (target == NB_NONE || is_reached[target])
            fail_msg("%s: router %u", example, i);
        is_reached[target] = true;
    }
    free(is_reached);
    traffic_case_release(&testcase);
}

/* Demands are sorted by target, then source, each pair once, in lowest terms;
 * nb_traffic_column finds the same. */
static void check_order(const struct nb_traffic_kind *kind, const char *example)
{
    (void)kind;
    struct traffic_case testcase;
    assert_int_equal(traffic_case_build(example, &testcase, NULL), NB_OK);
    const struct nb_traffic *traffic = &testcase.traffic;
    uint64_t common = nb_gcd(traffic->denominator, traffic->background);
    for (size_t d = 0; d < traffic->demand_count; d++) {
        const struct nb_demand *demand = &traffic->demands[d];
        common = nb_gcd(common, demand->weight);
        assert_true(demand->weight > 0);
        assert_true(traffic->column_start[demand->target] <= d &&
                    d < traffic->column_start[demand->target + 1]);
        if (d > 0)
            assert_true(demand[-1].target < demand->target ||
                        (demand[-1].target == demand->target &&
                         demand[-1].source < demand->source));
    }
    assert_int_equal(common, 1);
    uint64_t *column = calloc(traffic->router_count, sizeof *column);
    assert_non_null(column);
    for (uint32_t j = 0; j < traffic->router_count; j++) {
        assert_int_equal(
            nb_traffic_column(traffic, &testcase.topology, j, column, NULL),
            NB_OK);
        for (uint32_t i = 0; i < traffic->router_count; i++)
            assert_int_equal(
                nb_ratio_compare(nb_ratio_make((nb_int128)column[i],
                                               (nb_int128)traffic->denominator),
                                 traffic_case_rate(&testcase, i, j)),
                0);
    }
    free(column);
    traffic_case_release(&testcase);
}

static void check_allocations(const struct nb_traffic_kind *kind,
                              const char *example)
{
    (void)kind;
    struct traffic_case testcase;
    assert_int_equal(traffic_case_build(example, &testcase, NULL), NB_OK);
    struct nb_text text = { 0 };
    nb_specification_print(&testcase.traffic.specification, &text);
    nb_traffic_release(&testcase.traffic);
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_traffic traffic;
        nb_memory_allow(allowed);
        status = nb_traffic_build(text.bytes, &testcase.topology, false,
                                  &traffic, NULL);
        nb_memory_allow(-1);
        nb_traffic_release(&traffic);
        if (nb_memory_live_blocks() != before)
            fail_msg("%s leaks after %ld allocations", example, allowed);
    }
    assert_int_equal(status, NB_OK);
    nb_text_release(&text);
    traffic_case_release(&testcase);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void rows_are_full(void **state)
{
    (void)state;
    traffic_case_for_each(check_sums);
}

static void permutations_are_bijections(void **state)
{
    (void)state;
    traffic_case_for_each(check_bijection);
}

static void demands_are_sorted(void **state)
{
    (void)state;
    traffic_case_for_each(check_order);
}

static void failed_allocations_leak_nothing(void **state)
{
    (void)state;
    traffic_case_for_each(check_allocations);
}

static void aliases_are_known(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        { "ur", "uniform" },   { "nn", "nearest-neighbour" },
        { "tp", "transpose" }, { "bc", "bit-complement" },
        { "tor", "tornado" },  { "dia", "diameter" },
    };
    struct nb_topology topology = { 0 };
    assert_int_equal(nb_topology_build("torus:4x4", &topology, NULL), NB_OK);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct nb_traffic traffic;
        assert_int_equal(
            nb_traffic_build(pairs[i][0], &topology, false, &traffic, NULL),
            NB_OK);
        assert_string_equal(traffic.specification.kind->name, pairs[i][1]);
        nb_traffic_release(&traffic);
    }
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_full),
        cmocka_unit_test(permutations_are_bijections),
        cmocka_unit_test(demands_are_sorted),
        cmocka_unit_test(failed_allocations_leak_nothing),
        cmocka_unit_test(aliases_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
