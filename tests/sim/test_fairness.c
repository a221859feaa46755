/* Fairness in a known case: a line of routers that all send to its end. A
 * switch that serves its inputs in turn gives half of the channel to packets
 * that begin at the router and half to all that come from the routers before
 * it. So of n sources the i-th last gets 1/2^i, and the first two the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/simulation.h"

#include <math.h>

enum { ROUTERS = 6 };

/* The interval contains a value and extends at most a margin beyond it. */
static void check_holds(const char *what, struct nb_interval found,
                        double value, double margin)
{
    const double rounding = 1e-12;
    if (!(found.lower <= value + rounding && value - rounding <= found.upper &&
          found.lower >= value - margin - rounding &&
          found.upper <= value + margin + rounding))
        fail_msg("%s: %g in [%g, %g], not %g", what, found.value, found.lower,
                 found.upper, value);
}

static void line_open(struct simulation *s, double rate)
{
    simulation_open(s, "dor@mesh:6", "hot-spot:nodes=5,share=1", rate);
    s->plan.router.model = NB_ROUTER_CREDIT;
    s->plan.router.arbitration = NB_IN_TURN;
}

static void test_line_in_turn(void **state)
{
    static const bool sources[ROUTERS] = { true, true, true, true, true };
    struct nb_simulation_result result;
    struct simulation s;
    (void)state;
    line_open(&s, 0.9);
    s.plan.asked = sources;
    s.plan.starved = 0.5;
    simulation_run(&s, &result);
    const struct nb_fairness *fair = &result.fairness;
    check_holds("least", result.router_least, 1.0 / 16, 0.01);
    check_holds("most", result.router_most, 1.0 / 2, 0.01);
    check_holds("mean", fair->mean, 1.0 / 5, 0.01);
    check_holds("ratio", fair->ratio, 8, 0.5);
    /* 1 / (5 (1/4 + 1/16 + 1/64 + 2/256)) */
    check_holds("jain", fair->jain, 256.0 / 430, 0.01);
    check_holds("share", fair->share, 1 / 4.5, 0.01);
    check_holds("least share", fair->share_least, 1 / 14.4, 0.01);
    /* The two that get 1/16 are below half of 1/5, not the one of 1/8. */
    check_holds("starved", fair->starved, 2, 0);
    for (size_t r = 0; r < ROUTERS - 1; r++)
        assert_int_equal(fair->is_starved[r], r < 2 ? NB_STARVED : NB_FED);
    nb_simulation_result_release(&result);
    s.plan.starved = 0.7; /* 1/8 < 0.14 */
    simulation_run(&s, &result);
    check_holds("starved", result.fairness.starved, 3, 0);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

/* Only some of the routers: the last two sources get 1/2 and 1/4. */
static void test_some_routers(void **state)
{
    static const bool last[ROUTERS] = { [3] = true, [4] = true };
    struct nb_simulation_result result;
    struct simulation s;
    (void)state;
    line_open(&s, 0.9);
    s.plan.asked = last;
    s.plan.starved = 0.5;
    simulation_run(&s, &result);
    check_holds("least", result.router_least, 0.25, 0.01);
    check_holds("mean", result.fairness.mean, 0.375, 0.01);
    check_holds("ratio", result.fairness.ratio, 2, 0.1);
    check_holds("jain", result.fairness.jain, 0.9, 0.01);
    check_holds("starved", result.fairness.starved, 0, 0);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

/* If all get what they demand, only the total is estimated; routers that send
 * nothing are left out. */
static void test_stable(void **state)
{
    static const bool all[ROUTERS] = { true, true, true, true, true, true };
    struct nb_simulation_result result;
    struct simulation s;
    (void)state;
    line_open(&s, 0.1);
    s.plan.asked = all;
    s.plan.starved = 0.5;
    simulation_run(&s, &result);
    assert_true(result.is_met);
    check_holds("ratio", result.fairness.ratio, 1, 0);
    check_holds("jain", result.fairness.jain, 1, 0);
    check_holds("starved", result.fairness.starved, 0, 0);
    check_holds("share", result.fairness.share, 1, 0.05);
    check_holds("mean", result.fairness.mean, 0.1, 0.01);
    nb_simulation_result_release(&result);
    simulation_close(&s);
    simulation_open(&s, "dor@mesh:3", "uniform", 0.1);
    nb_simulation_result_release(&result);
    simulation_run(&s, &result);
    assert_null(result.fairness.is_starved); /* not asked */
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

/* The demand of a trace is not known: 3 packets of one, 1 of the other, and
 * nothing of the third. */
static void test_trace(void **state)
{
    static const struct nb_trace_packet packets[] = {
        { 0, 0, 2, 1 }, { 1, 0, 2, 1 }, { 2, 0, 2, 1 }, { 9, 1, 2, 1 }
    };
    static const bool two[3] = { true, true };
    struct nb_simulation_result result;
    struct simulation s;
    (void)state;
    simulation_open(&s, "dor@mesh:3", "uniform", 0);
    simulation_set_trace(&s, packets, 4);
    s.plan.asked = two;
    s.plan.starved = 0.5;
    simulation_run(&s, &result);
    assert_true(fabs(result.fairness.ratio.value - 3) < 1e-12 &&
                fabs(result.fairness.jain.value - 0.8) < 1e-12);
    assert_true(isnan(result.fairness.share.value) &&
                isnan(result.fairness.starved.value));
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

/* The results of long runs are in the intervals of short ones 95 times of 100:
 * on an overloaded mesh with uniform traffic, where routers in the middle get
 * more. */
static void test_intervals_hold(void **state)
{
    enum { TRIALS = 60, KINDS = 4 };
    static const char *const names[KINDS] = { "ratio", "jain", "share",
                                              "least share" };
    static const bool all[5] = { true, true, true, true, true };
    double truth[KINDS] = { 0 };
    size_t held[KINDS] = { 0 };
    struct nb_simulation_result result;
    struct simulation s;
    (void)state;
    simulation_open(&s, "dor@mesh:5", "uniform", 0.95);
    s.plan.router.model = NB_ROUTER_CREDIT;
    s.plan.router.arbitration = NB_IN_TURN;
    s.plan.asked = all;
    s.plan.starved = 0.5;
    for (int trial = -1; trial < TRIALS; trial++) {
        s.plan.seed = 5000 + (uint64_t)(trial + 1);
        s.plan.cycles = trial < 0 ? 400000 : 2000;
        s.plan.replications = 2;
        simulation_run(&s, &result);
        assert_int_equal(result.stability, NB_SATURATED);
        const struct nb_interval found[KINDS] = { result.fairness.ratio,
                                                  result.fairness.jain,
                                                  result.fairness.share,
                                                  result.fairness.share_least };
        for (size_t k = 0; k < KINDS; k++)
            if (trial < 0)
                truth[k] = found[k].value;
            else
                held[k] +=
                    found[k].lower <= truth[k] && truth[k] <= found[k].upper;
        nb_simulation_result_release(&result);
    }
    assert_true(truth[0] > 1.05); /* not fair */
    for (size_t k = 0; k < KINDS; k++)
        if (held[k] < 53) /* 57 expected, or more */
            fail_msg("%s: %g held %zu times of %d", names[k], truth[k], held[k],
                     TRIALS);
    simulation_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line_in_turn),
        cmocka_unit_test(test_some_routers),
        cmocka_unit_test(test_stable),
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_intervals_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
