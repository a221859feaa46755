/* Errors of reorder tails: if the delays' errors are as large as stated, and
 * all in the worst direction, the true tails must still lie inside the bracket,
 * but only just. Rounding is negligible compared with such errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/queues.h"
#include "../support/twofold_wide.h"

#include "core/memory.h"
#include "core/twofold_rows.h"
#include "queueing/phases.h"
#include "queueing/reorder.h"

#include <float.h>
#include <math.h>

/* The errors of the delays. */
static const double wrong = 1e-6;

/* A delay below length with probability before, uniformly; otherwise length - 1
 * or, for is_far, more than that. */
static void delay_make(size_t length, long double first, long double before,
                       bool is_far, struct nb_distribution *out)
{
    assert_int_equal(nb_distribution_reserve(out, length, NULL), NB_OK);
    for (size_t d = 0; d < length; d++)
        out->mass[d] = wide_to_scaled((before - first) / (long double)length +
                                      (d == 0 ? first : 0));
    struct nb_twofold *last = &out->mass[is_far ? length : length - 1];
    *last = nb_twofold_add(*last, wide_to_scaled(1 - before));
    out->tail[length] = wide_to_scaled(is_far ? 1 - before : 0);
    nb_distribution_add_up(out);
    out->is_cut = true;
}

/* Sets the true masses to the listed ones times 1 + listed, and the true tail
 * beyond to 1 + far times the listed one; the distribution states these
 * errors. */
static void delay_spoil(struct nb_distribution *delay, double listed,
                        double far)
{
    for (size_t d = 0; d < delay->length; d++)
        delay->mass[d] =
            nb_twofold_divide(delay->mass[d], nb_twofold_sum(1, listed));
    delay->tail[delay->length] =
        nb_twofold_divide(delay->tail[delay->length], nb_twofold_sum(1, far));
    nb_distribution_add_up(delay);
    delay->error = fabs(listed);
    delay->far_error = fabs(far);
}

static void reorder_must(const struct nb_distribution *delay, double least,
                         struct nb_reorder *out)
{
    const struct nb_reorder_source source = { queue_load("0.9"),
                                              { 0, 0 },
                                              NULL };
    assert_int_equal(
        nb_reorder_find(delay, &source, least, SIZE_MAX, out, NULL), NB_OK);
}

/* The true tail at n over the one found, minus 1, and the permitted value. */
static double reorder_off(struct nb_distribution *right,
                          struct nb_distribution *spoilt, size_t n,
                          double *allowed)
{
    struct nb_reorder truth, found;
    reorder_must(right, 1e-300, &truth);
    reorder_must(spoilt, 1e-300, &found);
    assert_true(truth.length > n && found.length > n);
    const double off = nb_twofold_subtract(truth.tail[n], found.tail[n]).high /
                       found.tail[n].high;
    const struct nb_bracket tail = nb_reorder_tail(&found, n);
    const long double value = wide_of_scaled(truth.tail[n]);
    QUEUE_CHECK(tail.lower <= value && value <= tail.upper,
                "%Lg in [%.17g, %.17g]", value, tail.lower, tail.upper);
    *allowed = found.error;
    nb_reorder_release(&truth);
    nb_reorder_release(&found);
    return off;
}

/* For the deepest queue the tail is the product of the last delay's mass and of
 * every slot's factor: if all masses are too small by the same share, the
 * errors of all of them add up, and no other error hides one. */
static void test_masses(void **state)
{
    (void)state;
    for (size_t length = 4; length < 40; length += 7) {
        struct nb_distribution right, spoilt;
        double allowed;
        delay_make(length, 0, 0.4L, false, &right);
        delay_make(length, 0, 0.4L, false, &spoilt);
        delay_spoil(&spoilt, wrong, 0);
        const double off = reorder_off(&right, &spoilt, length - 2, &allowed);
        const double terms = (double)(length - 1);
        QUEUE_CHECK(off <= allowed && off > terms * wrong &&
                        allowed < terms * wrong * 1.0001,
                    "%zu delays: %g, allowed %g", length, off, allowed);
        nb_distribution_release(&spoilt);
        delay_make(length, 0, 0.4L, false, &spoilt);
        delay_spoil(&spoilt, -wrong, 0);
        assert_true(reorder_off(&right, &spoilt, length - 2, &allowed) < 0);
        nb_distribution_release(&right);
        nb_distribution_release(&spoilt);
    }
}

/* If less than half is left, the error of 1 - P(X >= i) is that of P(X >= i):
 * that of the masses, or of the part beyond the last. */
static void test_tails(void **state)
{
    (void)state;
    for (int is_far = 0; is_far < 2; is_far++) {
        enum { LENGTH = 30 };
        struct nb_distribution right, spoilt;
        double allowed;
        delay_make(LENGTH, 0.5L, 0.51L, is_far, &right);
        delay_make(LENGTH, 0.5L, 0.51L, is_far, &spoilt);
        delay_spoil(&spoilt, is_far ? 0 : -wrong, is_far ? -wrong : 0);
        const double off = reorder_off(&right, &spoilt, LENGTH - 2, &allowed);
        QUEUE_CHECK(off > 0.9 * wrong * (LENGTH - 3) && off <= allowed &&
                        allowed < 1.2 * off,
                    "%d: %g, allowed %g", is_far, off, allowed);
        nb_distribution_release(&right);
        nb_distribution_release(&spoilt);
    }
}

/* All delays from length on may lead to a queue that deep: there their tail and
 * its error are the bracket's upper end; where masses are below
 * NB_DISTRIBUTION_LEAST, so are their errors. */
static void test_slack(void **state)
{
    (void)state;
    struct nb_distribution delay;
    struct nb_reorder found;
    delay_make(20, 0, 0.75L, true, &delay);
    delay_spoil(&delay, 0.01, 0.03);
    const long double most =
        wide_of_scaled(delay.tail[20]) * (1 + 0.01L + 0.03L);
    reorder_must(&delay, 1e-300, &found);
    QUEUE_CHECK(nb_reorder_tail(&found, 20).upper >= most &&
                    nb_reorder_tail(&found, 20).upper < most * 1.0001L &&
                    nb_reorder_tail(&found, 20).lower == 0,
                "%Lg: %.17g", most, nb_reorder_tail(&found, 20).upper);
    nb_reorder_release(&found);
    delay.tail[20] = wide_to_scaled(1e-305L);
    reorder_must(&delay, 1e-300, &found);
    assert_true(found.slack.high >=
                20 * 0.01 * NB_DISTRIBUTION_LEAST * NB_DISTRIBUTION_SCALE);
    nb_reorder_release(&found);
    nb_distribution_release(&delay);
}

/* Values below least are left out and allowed for. */
static void test_left_out(void **state)
{
    (void)state;
    struct nb_distribution delay;
    struct nb_reorder all;
    delay_make(200, 0, 0.5L, false, &delay);
    reorder_must(&delay, 1e-300, &all);
    for (double least = 1e-2; least > 1e-20; least /= 10) {
        struct nb_reorder most;
        size_t cut = 0;
        reorder_must(&delay, least, &most);
        for (size_t n = 1; n < all.length; n++) {
            const struct nb_bracket tail = nb_reorder_tail(&most, n);
            const long double value = wide_of_scaled(all.tail[n]);
            const struct nb_twofold below =
                n < most.length ? nb_twofold_subtract(most.tail[n], most.slack)
                                : nb_twofold_from(0);
            QUEUE_CHECK(tail.lower <= value && value <= tail.upper,
                        "%g, %zu: %Lg in [%g, %g]", least, n, value, tail.lower,
                        tail.upper);
            assert_true(tail.lower <= fmaxl(wide_of_scaled(below), 0));
            cut += n >= most.length && value > least / 1e4L;
        }
        QUEUE_CHECK(cut > 0 && most.slack.high >= least * NB_DISTRIBUTION_SCALE,
                    "%g", least);
        nb_reorder_release(&most);
    }
    nb_reorder_release(&all);
    nb_distribution_release(&delay);
}

/* below: roundings of the parts below all slots' delays; more: other errors. */
static void roundings_check(const struct nb_distribution *delay,
                            struct nb_ratio burst, double below, double more)
{
    const struct nb_reorder_source source = { queue_load("0.3"), burst, NULL };
    const double slots = (double)delay->length - 1;
    struct nb_reorder found;
    assert_int_equal(
        nb_reorder_find(delay, &source, 1e-300, SIZE_MAX, &found, NULL), NB_OK);
    const double least = slots * 0x1p-84 +
                         (7 * slots + 5) * NB_TWOFOLD_ROWS_ERROR +
                         below * NB_TWOFOLD_ERROR + more;
    QUEUE_CHECK(found.error >= least && found.error <= least * 1.000001,
                "%zu delays: %g, not %g", delay->length, found.error, least);
    nb_reorder_release(&found);
}

/* For exact delays only roundings: six per slot, and those of the part below
 * one, or for a sum one for each term; what a tail near 1 lacks, 2^-84, once
 * per slot; one for each delay in the last sum; and the errors of the bursts'
 * probabilities, once per slot. */
static void test_roundings(void **state)
{
    (void)state;
    const struct nb_ratio none = { 0, 0 }, burst = { 7, 3 };
    for (size_t length = 5; length < 500; length *= 3) {
        const double slots = (double)length - 1;
        struct nb_distribution delay;
        struct nb_source source;
        delay_make(length, 0.6L, 0.7L, false, &delay);
        roundings_check(&delay, none, slots - 1, 0);
        assert_int_equal(
            nb_source_find(burst, queue_load("0.3"), &source, NULL), NB_OK);
        assert_true(source.error > 0);
        roundings_check(&delay, burst, slots - 1, slots * source.error);
        nb_distribution_release(&delay);
        delay_make(length, 0, 0.4L, false, &delay);
        roundings_check(&delay, none, slots * (slots - 1) / 2, 0);
        nb_distribution_release(&delay);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_masses),    cmocka_unit_test(test_tails),
        cmocka_unit_test(test_slack),     cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_roundings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
