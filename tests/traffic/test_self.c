/* Traffic without self against its definition, rate by rate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "support/traffic_case.h"

#include <stdio.h>

static void check_row(const struct traffic_case *with,
                      const struct traffic_case *without, uint32_t t,
                      const char *name)
{
    const uint32_t n = (uint32_t)with->topology.terminal_count;
    const struct nb_ratio self = traffic_case_single(with, t, t);
    struct nb_ratio row = nb_ratio_zero;
    for (uint32_t u = 0; u < n; u++)
        row = nb_ratio_add(row, traffic_case_single(with, t, u));
    const struct nb_ratio left = nb_ratio_subtract(row, self);
    for (uint32_t u = 0; u < n; u++) {
        struct nb_ratio expected =
            t == u ? nb_ratio_zero : traffic_case_single(with, t, u);
        if (left.numerator > 0)
            expected = nb_ratio_divide(nb_ratio_multiply(expected, row), left);
        if (nb_ratio_compare(traffic_case_single(without, t, u), expected) != 0)
            fail_msg("%s: from %u to %u", name, t, u);
    }
}

static void others_share_what_was_for_oneself(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "uniform:", "torus:4x3" },
        { "uniform:", "mesh:3x3,terminals=2" },
        { "uniform:", "fattree:k=2,n=3" },
        { "uniform:", "ring:4" },
        { "transpose:", "torus:4x4" },
        { "bit-reverse:", "hypercube:4" },
        { "random-permutation:seed=7,", "ring:6,terminals=2" },
        { "hot-spot:nodes=0+5,share=1/3,", "torus:4x4" },
        { "hot-spot:nodes=3,share=1,", "ring:4" },
        { "hot-spot:nodes=0,", "ring:4,terminals=2" },
        { "hot-spot:nodes=1+4,background=tornado,", "ring:5,terminals=3" },
        { "hot-spot:nodes=2,background=transpose,", "mesh:3x3" },
        { "mix:uniform=1/3,adversarial=2/3,", "dragonfly:h=2" },
        { "file:data/traffic/ring4-demands.csv,", "ring:4" },
        { "file:data/traffic/ring4-matrix.csv,", "ring:4" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct traffic_case with, without;
        char text[120];
        struct nb_error err = { 0 };
        snprintf(text, sizeof text, "%sself=yes@%s", cases[c][0], cases[c][1]);
        if (traffic_case_build(text, &with, &err) != NB_OK)
            fail_msg("%s: %s", text, err.message);
        snprintf(text, sizeof text, "%sself=no@%s", cases[c][0], cases[c][1]);
        if (traffic_case_build(text, &without, &err) != NB_OK)
            fail_msg("%s: %s", text, err.message);
        for (uint32_t t = 0; t < with.topology.terminal_count; t++)
            check_row(&with, &without, t, text);
        traffic_case_release(&with);
        traffic_case_release(&without);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* A terminal without another one. */
static void what_is_left_may_be_nothing(void **state)
{
    (void)state;
    struct traffic_case one;
    struct nb_traffic_sums sums;
    assert_int_equal(
        traffic_case_build("bit-complement:self=no@ring:3", &one, NULL), NB_OK);
    assert_int_equal(
        nb_traffic_sums_find(&one.traffic, &one.topology, &sums, NULL), NB_OK);
    assert_int_equal(one.traffic.demand_count, 2); /* 0 -> 2, 2 -> 0 */
    traffic_case_release(&one);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_share_what_was_for_oneself),
        cmocka_unit_test(what_is_left_may_be_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
