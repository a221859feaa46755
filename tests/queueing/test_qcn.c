#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "core/memory.h"
#include "core/random.h"
#include "queueing/qcn.h"

#include <math.h>
#include <string.h>

/* Table 4-3 on the Dragonfly of h = 6 at load 0.4, one sampled queue. */
static const struct nb_qcn qcn_table = {
    .sources = 12,
    .demand = { 12, 5 },
    .transit = { 1, 5 },
    .queue = { 100, 1 },
    .reference = { 20, 1 },
    .weight = { 0, 1 },
    .interval = { 1000, 3 },
    .limit = { 1, 64 },
    .packets = { 100, 1 },
    .increase = { 1, 100 },
    .below = { 0, 1 },
    .above = { 30, 1 },
};

static struct nb_ratio whole(int64_t a)
{
    return nb_ratio_make(a, 1);
}

/* Feedback by hand from F18, factors from F19 and the thesis' figure 4-11. */
static void says_what_is_published(void **state)
{
    (void)state;
    struct nb_qcn loop = qcn_table;
    bool is_raised;
    assert_int_equal(nb_qcn_feedback(&loop, whole(20), whole(20)), 0);
    assert_int_equal(nb_qcn_feedback(&loop, whole(5), whole(5)), 0);
    assert_int_equal(nb_qcn_feedback(&loop, whole(30), whole(0)), 31);
    assert_int_equal(nb_qcn_feedback(&loop, nb_ratio_make(399, 10), whole(0)),
                     62);
    assert_int_equal(nb_qcn_feedback(&loop, whole(40), whole(0)), 63);
    assert_int_equal(nb_qcn_feedback(&loop, whole(100), whole(0)), 63);
    loop.weight = whole(2); /* 63 (10 - 2 * 4) / 20 = 6.3 */
    assert_int_equal(nb_qcn_feedback(&loop, whole(30), whole(34)), 6);
    struct nb_ratio factor = nb_qcn_factor(&loop, 63, &is_raised);
    assert_true(factor.numerator == 1 && factor.denominator == 64);
    factor = nb_qcn_factor(&loop, 0, &is_raised);
    assert_true(factor.numerator == 1 && factor.denominator == 1);
    loop.ports = 17; /* 1 - (63 - 63/17)/64; 31 is not 30 above 31/17 */
    factor = nb_qcn_factor(&loop, 63, &is_raised);
    assert_true(factor.numerator == 5 && factor.denominator == 68);
    factor = nb_qcn_factor(&loop, 31, &is_raised);
    assert_true(factor.numerator == 1 && factor.denominator == 1);
    assert_false(is_raised);
}

/* The closed form equals the iterated recursion. */
static void iterates_as_the_closed_form(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 21, 4);
    for (int trial = 0; trial < 200; trial++) {
        struct nb_qcn loop = qcn_table;
        bool is_raised;
        const uint32_t feedback = 1 + (uint32_t)nb_random_below(&random, 63);
        const uint64_t increases = nb_random_below(&random, 20);
        loop.limit =
            nb_ratio_make(1, 64 + (int64_t)nb_random_below(&random, 500));
        loop.increase =
            nb_ratio_make(1, 100 + (int64_t)nb_random_below(&random, 900));
        const struct nb_ratio factor =
            nb_qcn_factor(&loop, feedback, &is_raised);
        const double r = nb_ratio_value(factor),
                     grown = (double)increases * nb_ratio_value(loop.increase),
                     low = nb_ratio_value(nb_qcn_low(&loop, factor, increases));
        double p = 1;
        for (int n = 1; n <= 40; n++) {
            p = (p + grown) * r;
            TOPOLOGY_CHECK(fabs(p - (low + pow(r, n) * (1 - low))) < 1e-12,
                           "trial %d: n=%d L_f=1/%lld Fb=%u k=%llu", trial, n,
                           (long long)loop.limit.denominator,
                           (unsigned)feedback, (unsigned long long)increases);
        }
    }
}

/* While the queue stays full, there is one notification for every N packets
 * through it, so the last of S comes (S - 1) N after the first. */
static void tells_all_in_turn(void **state)
{
    (void)state;
    struct nb_qcn_response found;
    struct nb_error err = { 0 };
    assert_int_equal(nb_qcn_respond(&qcn_table, &found, &err), NB_OK);
    /* 12 (1 - 1/5) = 9.6 arrive; the queue passes 20 at 20/8.6 and is full at
     * 100/8.6; 9.6 * 80/8.6 of the N have arrived by then, the rest arrive at
     * rate 1. */
    const double first = 100 / 8.6 + (1000.0 / 3 - 9.6 * 80 / 8.6);
    assert_true(fabs(found.first.upper - first) < 1e-9);
    assert_true(fabs(found.told.upper - (first + 11 * 1000.0 / 3)) < 1e-9);
    assert_int_equal(found.notifications, 12);
    nb_qcn_response_release(&found);
}

/* The loop in lockstep with small time steps, without events. */
static void plain_cycle(const struct nb_qcn *loop, double *low, double *high,
                        double *period)
{
    const double step = 1.0 / 64, s = loop->sources;
    const double full = nb_ratio_value(loop->queue),
                 reference = nb_ratio_value(loop->reference),
                 interval = nb_ratio_value(loop->interval),
                 packets = nb_ratio_value(loop->packets);
    double p = 1, q = 0, counter = 0, clock = 0, last = 0;
    int told = 0;
    for (double t = 0; told < 40; t += step) {
        double own = fmin(p * nb_ratio_value(loop->demand),
                          1 - nb_ratio_value(loop->transit));
        q += (s * own - 1) * step;
        if (q > full) {
            q = full;
            own = 1 / s;
        }
        q = fmax(q, 0);
        counter += (own + nb_ratio_value(loop->transit)) * step;
        if (q > reference)
            clock += own * step;
        if (counter >= packets) {
            p = fmin(p + nb_ratio_value(loop->increase), 1);
            counter = 0;
        }
        if (clock >= interval) {
            const double fb = fmin(63, floor(63 * (q - reference) / reference));
            *high = p;
            p *= 1 - nb_ratio_value(loop->limit) * fb;
            *low = p;
            *period = t - last;
            last = t;
            counter = clock = 0;
            told++;
        }
    }
}

static void cycles_as_small_steps_do(void **state)
{
    (void)state;
    static const struct {
        int64_t demand, limit, packets, increase;
    } rows[] = {
        { 24, 64, 100, 100 }, { 24, 128, 100, 100 }, { 12, 64, 70, 100 },
        { 24, 64, 30, 100 },  { 24, 64, 10, 20 }, /* back to P = 1 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nb_qcn loop = qcn_table;
        struct nb_qcn_cycle found;
        struct nb_error err = { 0 };
        double low = 0, high = 0, period = 0;
        loop.demand = nb_ratio_make(rows[i].demand, 10);
        loop.limit = nb_ratio_make(1, rows[i].limit);
        loop.packets = whole(rows[i].packets);
        loop.increase = nb_ratio_make(1, rows[i].increase);
        plain_cycle(&loop, &low, &high, &period);
        assert_int_equal(nb_qcn_cycle_find(&loop, &found, &err), NB_OK);
        TOPOLOGY_CHECK(found.is_proved && found.notifications == 1, "row %zu",
                       i);
        TOPOLOGY_CHECK(
            fabs(found.least.lower - low) < 1e-6 &&
                fabs(found.most.lower - high) < 1e-6 &&
                fabs(found.period.lower - period) < 1e-3 * period,
            "row %zu: %.10g to %.10g in %.10g, small steps %.10g to %.10g in "
            "%.10g",
            i, found.least.lower, found.most.lower, found.period.lower, low,
            high, period);
    }
}

/* Ends of the range: no congestion, no event that lowers a probability. */
static void rests_where_nothing_happens(void **state)
{
    (void)state;
    struct nb_qcn loop = qcn_table;
    struct nb_qcn_cycle cycle;
    struct nb_qcn_response response;
    loop.demand = nb_ratio_make(1, 12);
    assert_int_equal(nb_qcn_cycle_find(&loop, &cycle, NULL), NB_OK);
    assert_true(cycle.is_none);
    assert_int_equal(nb_qcn_respond(&loop, &response, NULL), NB_OK);
    assert_true(isinf(response.first.lower) && isinf(response.told.lower));
    nb_qcn_response_release(&response);
    loop = qcn_table;
    loop.limit = nb_ratio_zero;
    assert_int_equal(nb_qcn_respond(&loop, &response, NULL), NB_OK);
    assert_true(isinf(response.within.lower) && response.share.lower == 1);
    nb_qcn_response_release(&response);
}

/* 1 + 1/2 + 1/3 + ... by hand: from 1/4 in steps of 1/4 at 4 P packets. */
static void returns_by_a_sum(void **state)
{
    (void)state;
    struct nb_qcn loop = qcn_table;
    struct nb_enclosure time;
    loop.transit = nb_ratio_zero;
    loop.packets = whole(1);
    loop.increase = nb_ratio_make(1, 4);
    assert_int_equal(nb_qcn_return(&loop, whole(4),
                                   nb_enclosure_of_double(0.25), &time, NULL),
                     NB_OK);
    assert_true(time.exact.numerator == 11 && time.exact.denominator == 6);
}

static void refuses_what_is_out_of_range(void **state)
{
    (void)state;
    struct nb_qcn loop = qcn_table;
    struct nb_qcn_cycle cycle;
    struct nb_error err = { 0 };
    loop.limit = nb_ratio_make(1, 62);
    assert_int_equal(nb_qcn_cycle_find(&loop, &cycle, &err), NB_INVALID);
    assert_non_null(strstr(err.message, "0 to 1/63"));
    loop = qcn_table;
    loop.reference = whole(100);
    err = (struct nb_error){ 0 };
    assert_int_equal(nb_qcn_cycle_find(&loop, &cycle, &err), NB_INVALID);
    assert_non_null(strstr(err.message, "below the queue's 100"));
    loop = qcn_table;
    loop.sources = 0;
    assert_int_equal(nb_qcn_cycle_find(&loop, &cycle, NULL), NB_INVALID);
    loop = qcn_table;
    loop.transit = (struct nb_ratio){ 0 };
    assert_int_equal(nb_qcn_cycle_find(&loop, &cycle, NULL), NB_INVALID);
}

static void survives_failed_allocations(void **state)
{
    (void)state;
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_qcn_response found;
        nb_memory_allow(allowed);
        status = nb_qcn_respond(&qcn_table, &found, NULL);
        nb_memory_allow(-1);
        nb_qcn_response_release(&found);
        assert_int_equal(nb_memory_live_blocks(), 0);
    }
    assert_int_equal(status, NB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_is_published),
        cmocka_unit_test(iterates_as_the_closed_form),
        cmocka_unit_test(tells_all_in_turn),
        cmocka_unit_test(cycles_as_small_steps_do),
        cmocka_unit_test(rests_where_nothing_happens),
        cmocka_unit_test(returns_by_a_sum),
        cmocka_unit_test(refuses_what_is_out_of_range),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
