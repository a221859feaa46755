/* Every queue is answered at loads that are simple fractions, where formulas
 * tend to have removable singularities. Only loads that cannot be sent are
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/cases.h"

#include "core/memory.h"
#include "questions/buffer/buffer_question.h"
#include "questions/delay/delay_question.h"
#include "questions/reorder/reorder_question.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DENOMINATOR = 10, MOST_RADIX = 4 };

struct simple {
    char arrivals[48];
    struct nb_ratio burst; /* unknown: no bursts */
    bool is_together;      /* the packets of a burst */
    int64_t radix;
    struct nb_ratio load;
};

/* At least one idle slot follows each burst. Bursts of 1 at the largest load
 * alternate forever and have no distribution. */
static bool can_send(const struct simple *at)
{
    const struct nb_ratio most =
        nb_ratio_divide(at->burst, nb_ratio_add(at->burst, nb_ratio_one));
    const int beyond =
        nb_ratio_is_known(at->burst) ? nb_ratio_compare(at->load, most) : -1;
    return beyond < 0 ||
           (beyond == 0 && nb_ratio_compare(at->burst, nb_ratio_one) != 0);
}

static void check(const struct simple *at, const char *what,
                  enum nb_status status, const struct nb_error *err,
                  double found)
{
    const bool is_answered = status == NB_OK;
    if (is_answered == can_send(at) && (!is_answered || isfinite(found)))
        return;
    fail_msg("%s: %s, radix %lld, load %lld/%lld: %s, %g", what, at->arrivals,
             (long long)at->radix, (long long)at->load.numerator,
             (long long)at->load.denominator, err->message, found);
}

static void check_delay(const struct simple *at, int law, int bound)
{
    const struct nb_delay_question request = { .hops = 3,
                                               .radix = at->radix,
                                               .load = at->load,
                                               .at = { 7, 1 },
                                               .arrivals = at->arrivals,
                                               .distribution = law,
                                               .overflow = 1e-9,
                                               .bound = bound };
    struct nb_delay_answer answer;
    struct nb_error err = { 0 };
    const enum nb_status status = nb_delay_ask(&request, NULL, &answer, &err);
    check(at, law == NB_HOP_WAIT ? "wait" : "delay", status, &err,
          answer.mean.lower + answer.quantile.upper +
              answer.chernoff.value.upper);
    nb_delay_answer_release(&answer);
}

static void check_buffer(const struct simple *at)
{
    const struct nb_buffer_question request = { .radix = at->radix,
                                                .depth = 3,
                                                .load = at->load,
                                                .arrivals = at->arrivals,
                                                .overflow = 1e-3 };
    struct nb_buffer_answer answer;
    struct nb_error err = { 0 };
    const enum nb_status status = nb_buffer_ask(&request, NULL, &answer, &err);
    check(at, "buffer", status, &err,
          status != NB_OK ? 0
                          : nb_distribution_mean(&answer.distribution).upper +
                                answer.loss.upper + answer.max_load.upper);
    nb_buffer_answer_release(&answer);
}

static void check_reorder(const struct simple *at, enum nb_reorder_way bound)
{
    const struct nb_reorder_question request = { .radix = at->radix,
                                                 .hops = 2,
                                                 .load = at->load,
                                                 .arrivals = at->arrivals,
                                                 .overflow = 1e-6,
                                                 .distribution = NB_HOP_WAIT,
                                                 .bound = bound };
    struct nb_reorder_answer answer;
    struct nb_error err = { 0 };
    if (at->is_together ||
        (nb_ratio_is_known(at->burst) && bound == NB_REORDER_CHERNOFF))
        return; /* refused at any load */
    const enum nb_status status = nb_reorder_ask(&request, NULL, &answer, &err);
    check(at, "reorder", status, &err, answer.depth.value.upper);
    nb_reorder_answer_release(&answer);
}

static void check_load(const struct simple *at)
{
    check_delay(at, NB_HOP_QUEUE, NB_DELAY_EXACT);
    check_delay(at, NB_HOP_WAIT, NB_DELAY_CHERNOFF);
    check_buffer(at);
    check_reorder(at, NB_REORDER_EXACT);
    check_reorder(at, NB_REORDER_CHERNOFF);
}

static void check_loads(struct simple *at)
{
    static size_t tried;
    for (at->radix = 1; at->radix <= MOST_RADIX; at->radix += MOST_RADIX - 1)
        for (int64_t q = 2; q <= MOST_DENOMINATOR; q++)
            for (int64_t p = 1; p < q; p++) {
                at->load = nb_ratio_make(p, q);
                if (at->load.denominator == q && nb_cases_have(tried++, 3))
                    check_load(at);
            }
}

static void simple_loads_are_answered(void **state)
{
    (void)state;
    static const struct nb_ratio bursts[] = { { 1, 1 }, { 5, 4 },  { 3, 2 },
                                              { 2, 1 }, { 10, 3 }, { 5, 1 } };
    struct simple at = { .arrivals = "bernoulli" };
    check_loads(&at);
    at = (struct simple){ .arrivals = "poisson" };
    check_loads(&at);
    for (size_t b = 0; b < sizeof bursts / sizeof *bursts; b++)
        for (int together = 0; together < 2; together++) {
            at.burst = bursts[b];
            at.is_together = together == 1;
            snprintf(at.arrivals, sizeof at.arrivals,
                     "onoff:burst=%lld/%lld,spread=%s",
                     (long long)at.burst.numerator,
                     (long long)at.burst.denominator,
                     at.is_together ? "burst" : "packet");
            check_loads(&at);
        }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* At load 1 - 1/burst the queue of ON/OFF sources is that of Bernoulli inputs,
 * unless packets of a burst stay together. */
static void sources_forget_where_said(void **state)
{
    (void)state;
    for (int64_t burst = 2; burst <= 8; burst++) {
        struct nb_arrivals bursty = { .kind = NB_ARRIVE_ONOFF,
                                      .radix = 4,
                                      .burst = { burst, 1 } };
        const struct nb_arrivals plain = { .radix = 4 };
        const struct nb_queue_load load =
            nb_load_of_ratio(nb_ratio_make(burst - 1, burst));
        struct nb_distribution one = { 0 }, other = { 0 };
        assert_true(nb_arrivals_forget(&bursty, load));
        assert_false(nb_arrivals_forget(
            &bursty, nb_load_of_ratio(nb_ratio_make(burst - 1, burst + 1))));
        assert_int_equal(nb_arrivals_law(&bursty, load, &one, NULL), NB_OK);
        assert_int_equal(nb_arrivals_law(&plain, load, &other, NULL), NB_OK);
        for (double n = 0; n < 60; n++) {
            const struct nb_bracket a = nb_distribution_tail_bracket(&one, n);
            const struct nb_bracket b = nb_distribution_tail_bracket(&other, n);
            assert_true(a.lower <= b.upper && b.lower <= a.upper);
        }
        nb_distribution_release(&one);
        nb_distribution_release(&other);
        bursty.spread = NB_SPREAD_BURST;
        assert_false(nb_arrivals_forget(&bursty, load));
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_loads_are_answered),
        cmocka_unit_test(sources_forget_where_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
