/* Loads and worst cases at the limits of exact numbers: each network has a twin
 * or a value known by other means, which the bracket must contain. */
#include "bounds/worst_case/unbalanced_case.h"
#include "bounds/worst_case/worst_case.h"
#include "core/text.h"
#include "load/channel_loads.h"
#include "support/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { CHAIN = 70 }; /* 2^69 shortest paths from end to end */

/* A chain of routers, each joined to the next by `width` links of the given
 * bandwidth. */
static void open_chain(struct problem *problem, int routers, int width,
                       const char *bandwidth, const char *routing)
{
    struct nb_text text = { 0 };
    for (int r = 0; r + 1 < routers; r++)
        for (int w = 0; w < width; w++)
            nb_text_print(&text, "%d %d %s\n", r, r + 1, bandwidth);
    assert_int_equal(nb_text_check(&text, NULL), NB_OK);
    problem_open_file(problem, text.bytes, ".txt", "", routing);
    nb_text_release(&text);
}

/* Two lines of bandwidth 1 carry what one of bandwidth 2 carries. */
static void check_doubled_worst_case(const char *routing)
{
    struct problem doubled, single;
    struct nb_worst_case a, b;
    struct nb_error err = { 0 };
    open_chain(&doubled, CHAIN, 2, "1", routing);
    open_chain(&single, CHAIN, 1, "2", routing);
    assert_int_equal(nb_worst_case_find(&doubled.routing, NULL, &a, &err),
                     NB_OK);
    assert_int_equal(nb_worst_case_find(&single.routing, NULL, &b, &err),
                     NB_OK);
    const double known = nb_ratio_value(b.throughput.exact);
    assert_true(nb_ratio_is_known(b.throughput.exact));
    if (nb_ratio_is_known(a.throughput.exact)) {
        assert_int_equal(
            nb_ratio_compare(a.throughput.exact, b.throughput.exact), 0);
    } else {
        assert_true(a.throughput.lower <= known);
        assert_true(a.throughput.upper >= known);
        assert_true(a.throughput.upper < a.throughput.lower * (1 + 1e-9));
    }
    nb_worst_case_release(&a);
    nb_worst_case_release(&b);
    problem_close(&doubled);
    problem_close(&single);
}

static void test_doubled_chain_worst_case(void **state)
{
    (void)state;
    check_doubled_worst_case("min");
    check_doubled_worst_case("val");
}

static void test_doubled_chain_unbalanced(void **state)
{
    (void)state;
    struct problem doubled, single;
    struct nb_unbalanced_case a, b;
    struct nb_error err = { 0 };
    open_chain(&doubled, CHAIN, 2, "1", "min");
    open_chain(&single, CHAIN, 1, "2", "min");
    assert_int_equal(nb_unbalanced_case_find(
                         &doubled.routing, NB_OVERLOAD_EXCEEDS, NULL, &a, &err),
                     NB_OK);
    assert_int_equal(nb_unbalanced_case_find(
                         &single.routing, NB_OVERLOAD_EXCEEDS, NULL, &b, &err),
                     NB_OK);
    assert_true(nb_ratio_is_known(b.rate.exact));
    assert_true(a.rate.lower <= nb_ratio_value(b.rate.exact));
    assert_true(a.rate.upper >= nb_ratio_value(b.rate.exact));
    nb_unbalanced_case_release(&a);
    nb_unbalanced_case_release(&b);
    problem_close(&doubled);
    problem_close(&single);
}

static void find_loads(const struct problem *problem, const char *traffic,
                       struct nb_channel_loads *loads)
{
    struct nb_traffic matrix = { 0 };
    struct nb_error err = { 0 };
    assert_int_equal(
        nb_traffic_build(traffic, &problem->topology, false, &matrix, &err),
        NB_OK);
    assert_int_equal(
        nb_channel_loads_find(&problem->routing, &matrix, NULL, loads, &err),
        NB_OK);
    nb_traffic_release(&matrix);
}

static void test_doubled_chain_loads(void **state)
{
    (void)state;
    struct problem doubled, single;
    struct nb_channel_loads a, b;
    open_chain(&doubled, CHAIN, 2, "1", "min");
    open_chain(&single, CHAIN, 1, "2", "min");
    find_loads(&doubled, "uniform", &a);
    find_loads(&single, "uniform", &b);
    const double known = nb_ratio_value(b.throughput.exact);
    assert_true(a.throughput.lower <= known && a.throughput.upper >= known);
    assert_true(a.mean_hops.lower <= nb_ratio_value(b.mean_hops.exact));
    assert_true(a.mean_hops.upper >= nb_ratio_value(b.mean_hops.exact));
    nb_channel_loads_release(&a);
    nb_channel_loads_release(&b);
    problem_close(&doubled);
    problem_close(&single);
}

/* Load 17/19 on bandwidth 1 and 2/19 on 1 - 10^-18: the second quotient
 * does not fit in 64 bits, so nothing may be called exact. */
static void test_quotients_beyond_64_bits(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_channel_loads loads;
    problem_open_file(&problem, "a b 1\nb a 0.999999999999999999\n", ".txt",
                      ",directed=yes", "min");
    find_loads(&problem, "hot-spot:nodes=1,share=15/19", &loads);
    assert_true(nb_ratio_is_known(loads.load[0].exact));
    assert_false(nb_ratio_is_known(loads.throughput.exact));
    assert_int_equal(loads.load[0].exact.numerator, 17);
    assert_true(loads.throughput.lower <= 19.0 / 17);
    assert_true(loads.throughput.upper >= 19.0 / 17);
    assert_true(loads.throughput.upper < 19.0 / 17 * (1 + 1e-12));
    nb_channel_loads_release(&loads);
    problem_close(&problem);
}

/* Next to a chain c of single channels runs a chain d of double ones; a packet
 * on c stays there with probability about 1/2 at each router, so that 2^-1100
 * of the packets cross its last channel. That must not become 0. */
static void test_vanishing_probabilities(void **state)
{
    enum { LENGTH = 1100 };
    (void)state;
    struct problem problem;
    struct nb_pair_loads loads;
    struct nb_error err = { 0 };
    struct nb_text text = { 0 };
    uint32_t last = 0;
    for (int r = 0; r < LENGTH; r++) /* c is r, d is LENGTH + r, end 0 */
        nb_text_print(&text, "%d %d\n%d %d\n", r + 1, r, r + 1,
                      r > 0 ? LENGTH + r : 0);
    for (int r = 1; r < LENGTH; r++)
        for (int twice = 0; twice < 2; twice++)
            nb_text_print(&text, "%d %d\n", LENGTH + r,
                          r > 1 ? LENGTH + r - 1 : 0);
    nb_text_print(&text, "0 %d\n", LENGTH);
    assert_int_equal(nb_text_check(&text, NULL), NB_OK);
    problem_open_file(&problem, text.bytes, ".txt", ",directed=yes", "min");
    for (uint32_t c = 0; c < problem.topology.channel_count; c++)
        if (problem.topology.channels[c].source == 2 &&
            problem.topology.channels[c].target == 1)
            last = c;
    assert_int_equal(
        nb_pair_loads_find(&problem.routing, 1, &last, NULL, &loads, &err),
        NB_OK);
    assert_false(loads.is_exact);
    for (size_t i = 0; i < loads.n * loads.n; i++)
        assert_true(loads.value[i] == 0 || loads.value[i] >= 0x1p-1000);
    assert_true(loads.value[LENGTH * loads.n] > 0);
    nb_pair_loads_release(&loads);
    problem_close(&problem);
    nb_text_release(&text);
}

/* More shortest paths than a double holds: 16^299 from end to end. Half of the
 * routers send through the links in the middle. */
static void test_too_many_paths(void **state)
{
    enum { LENGTH = 300, WIDTH = 16 };
    const double known = LENGTH / 2 / (double)WIDTH;
    (void)state;
    struct problem problem;
    struct nb_channel_loads loads;
    struct nb_traffic traffic = { 0 };
    struct nb_error err = { 0 };
    open_chain(&problem, LENGTH, WIDTH, "1", "min");
    assert_int_equal(nb_traffic_build("bit-complement", &problem.topology,
                                      false, &traffic, &err),
                     NB_OK);
    assert_int_equal(
        nb_channel_loads_find(&problem.routing, &traffic, NULL, &loads, &err),
        NB_OK);
    const struct nb_enclosure most = loads.load[loads.worst_channel];
    assert_true(most.lower <= known && most.upper >= known);
    assert_true(most.upper < most.lower * (1 + 1e-9));
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubled_chain_worst_case),
        cmocka_unit_test(test_doubled_chain_unbalanced),
        cmocka_unit_test(test_doubled_chain_loads),
        cmocka_unit_test(test_quotients_beyond_64_bits),
        cmocka_unit_test(test_vanishing_probabilities),
        cmocka_unit_test(test_too_many_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
