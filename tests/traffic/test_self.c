/* Traffic without self against its definition, rate by rate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "support/traffic_case.h"

#include <stdio.h>

/* The traffic of a router's terminals to themselves: all of its weight to
 * itself, which goes from terminal t to terminal t, and the background of one
 * pair per terminal. */
static struct nb_ratio self_rate(const struct traffic_case *with, uint32_t r)
{
    const struct nb_traffic *traffic = &with->traffic;
    nb_int128 sum =
        (nb_int128)traffic->background * with->topology.terminals[r];
    for (size_t d = 0; d < traffic->demand_count; d++)
        if (traffic->demands[d].source == r && traffic->demands[d].target == r)
            sum += traffic->demands[d].weight;
    return nb_ratio_make(sum, (nb_int128)traffic->denominator);
}

static void check_row(const struct traffic_case *with,
                      const struct traffic_case *without, uint32_t i,
                      const char *name)
{
    const uint32_t n = (uint32_t)with->topology.router_count;
    const struct nb_ratio self = self_rate(with, i);
    struct nb_ratio row = nb_ratio_zero;
    for (uint32_t j = 0; j < n; j++)
        row = nb_ratio_add(row, traffic_case_rate(with, i, j));
    const struct nb_ratio left = nb_ratio_subtract(row, self);
    for (uint32_t j = 0; j < n; j++) {
        struct nb_ratio expected = traffic_case_rate(with, i, j);
        if (i == j)
            expected = nb_ratio_subtract(expected, self);
        if (left.numerator > 0)
            expected = nb_ratio_divide(nb_ratio_multiply(expected, row), left);
        if (nb_ratio_compare(traffic_case_rate(without, i, j), expected) != 0)
            fail_msg("%s: from %u to %u", name, i, j);
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
        for (uint32_t i = 0; i < with.topology.router_count; i++)
            check_row(&with, &without, i, text);
        traffic_case_release(&with);
        traffic_case_release(&without);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* A terminal without another one; a hot router of two terminals, where no
 * demand can leave out each terminal itself. */
static void what_is_left_may_be_nothing(void **state)
{
    (void)state;
    struct traffic_case one;
    struct nb_traffic_sums sums;
    struct nb_error err = { 0 };
    assert_int_equal(
        traffic_case_build("bit-complement:self=no@ring:3", &one, NULL), NB_OK);
    assert_int_equal(
        nb_traffic_sums_find(&one.traffic, &one.topology, &sums, NULL), NB_OK);
    assert_int_equal(one.traffic.demand_count, 2); /* 0 -> 2, 2 -> 0 */
    traffic_case_release(&one);
    assert_int_equal(
        traffic_case_build("hot-spot:nodes=0,self=no@ring:4,terminals=2", &one,
                           &err),
        NB_INVALID);
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
