/* Errors of reorder tails: if the delays' errors are as large as stated, and
 * all in the worst direction, the true tails must still lie inside the bracket,
 * but only just. Rounding is negligible compared with such errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/queues.h"

#include "core/memory.h"
#include "queueing/phases.h"
#include "queueing/reorder.h"

#include <float.h>
#include <math.h>

/* The errors of the delays. */
static const long double wrong = 1e-6L;

/* A delay below length with probability before, uniformly; otherwise length - 1
 * or, for is_far, more than that. */
static void delay_make(size_t length, long double first, long double before,
                       bool is_far, struct nb_distribution *out)
{
    assert_int_equal(nb_distribution_reserve(out, length, NULL), NB_OK);
    for (size_t d = 0; d < length; d++)
        out->mass[d] = (before - first) / (long double)length;
    out->mass[0] += first;
    out->mass[is_far ? length : length - 1] += 1 - before;
    out->tail[length] = is_far ? 1 - before : 0;
    nb_distribution_add_up(out);
    out->is_cut = true;
}

/* Sets the true masses to the listed ones times 1 + listed, and the true tail
 * beyond to 1 + far times the listed one; the distribution states these
 * errors. */
static void delay_spoil(struct nb_distribution *delay, long double listed,
                        long double far)
{
    for (size_t d = 0; d < delay->length; d++)
        delay->mass[d] /= 1 + listed;
    delay->tail[delay->length] /= 1 + far;
    nb_distribution_add_up(delay);
    delay->error = fabsl(listed);
    delay->far_error = fabsl(far);
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
static long double reorder_off(struct nb_distribution *right,
                               struct nb_distribution *spoilt, size_t n,
                               long double *allowed)
{
    struct nb_reorder truth, found;
    reorder_must(right, 1e-300, &truth);
    reorder_must(spoilt, 1e-300, &found);
    assert_true(truth.length > n && found.length > n);
    const long double off = truth.tail[n] / found.tail[n] - 1;
    const struct nb_bracket tail = nb_reorder_tail(&found, n);
    QUEUE_CHECK(tail.lower <= truth.tail[n] && truth.tail[n] <= tail.upper,
                "%Lg in [%.17g, %.17g]", truth.tail[n], tail.lower, tail.upper);
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
        long double allowed;
        delay_make(length, 0, 0.4L, false, &right);
        delay_make(length, 0, 0.4L, false, &spoilt);
        delay_spoil(&spoilt, wrong, 0);
        const long double off =
            reorder_off(&right, &spoilt, length - 2, &allowed);
        const long double terms = (long double)(length - 1);
        QUEUE_CHECK(off <= allowed && off > terms * wrong &&
                        allowed < terms * wrong * 1.0001L,
                    "%zu delays: %Lg, allowed %Lg", length, off, allowed);
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
        long double allowed;
        delay_make(LENGTH, 0.5L, 0.51L, is_far, &right);
        delay_make(LENGTH, 0.5L, 0.51L, is_far, &spoilt);
        delay_spoil(&spoilt, is_far ? 0 : -wrong, is_far ? -wrong : 0);
        const long double off =
            reorder_off(&right, &spoilt, LENGTH - 2, &allowed);
        QUEUE_CHECK(off > 0.9L * wrong * (LENGTH - 3) && off <= allowed &&
                        allowed < 1.2L * off,
                    "%d: %Lg, allowed %Lg", is_far, off, allowed);
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
    delay_spoil(&delay, 0.01L, 0.03L);
    const long double most = delay.tail[20] * (1 + 0.01L + 0.03L);
    reorder_must(&delay, 1e-300, &found);
    QUEUE_CHECK(nb_reorder_tail(&found, 20).upper >= most &&
                    nb_reorder_tail(&found, 20).upper < most * 1.0001L &&
                    nb_reorder_tail(&found, 20).lower == 0,
                "%Lg: %.17g", most, nb_reorder_tail(&found, 20).upper);
    nb_reorder_release(&found);
    delay.tail[20] = 1e-305L;
    reorder_must(&delay, 1e-300, &found);
    assert_true(found.slack >= 20 * 0.01L * NB_DISTRIBUTION_LEAST);
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
            QUEUE_CHECK(tail.lower <= all.tail[n] && all.tail[n] <= tail.upper,
                        "%g, %zu: %Lg in [%g, %g]", least, n, all.tail[n],
                        tail.lower, tail.upper);
            assert_true(
                tail.lower <=
                fmaxl(n < most.length ? most.tail[n] - most.slack : 0, 0));
            cut += n >= most.length && all.tail[n] > least / 1e4L;
        }
        QUEUE_CHECK(cut > 0 && most.slack >= least, "%g", least);
        nb_reorder_release(&most);
    }
    nb_reorder_release(&all);
    nb_distribution_release(&delay);
}

static void roundings_check(const struct nb_distribution *delay,
                            struct nb_ratio burst, long double terms,
                            long double more)
{
    const struct nb_reorder_source source = { queue_load("0.3"), burst, NULL };
    struct nb_reorder found;
    assert_int_equal(
        nb_reorder_find(delay, &source, 1e-300, SIZE_MAX, &found, NULL), NB_OK);
    const long double least = terms * LDBL_EPSILON + more;
    QUEUE_CHECK(found.error >= least &&
                    found.error <= least * 1.000001L + LDBL_EPSILON,
                "%zu delays: %Lg, not %Lg", delay->length, found.error, least);
    nb_reorder_release(&found);
}

/* For exact delays only roundings: six per slot, and those of the part below
 * one, or for a sum one for each term; one for each delay in the last sum; and
 * the errors of the bursts' probabilities, once per slot. */
static void test_roundings(void **state)
{
    (void)state;
    const struct nb_ratio none = { 0, 0 }, burst = { 7, 3 };
    for (size_t length = 5; length < 500; length *= 3) {
        const long double slots = (long double)length - 1;
        struct nb_distribution delay;
        struct nb_source source;
        delay_make(length, 0.6L, 0.7L, false, &delay);
        roundings_check(&delay, none, 6 * slots + (slots - 1) + slots + 5, 0);
        assert_int_equal(
            nb_source_find(burst, queue_load("0.3"), &source, NULL), NB_OK);
        assert_true(source.error > 0);
        roundings_check(&delay, burst, 6 * slots + (slots - 1) + slots + 5,
                        slots * source.error);
        nb_distribution_release(&delay);
        delay_make(length, 0, 0.4L, false, &delay);
        roundings_check(&delay, none,
                        6 * slots + slots * (slots - 1) / 2 + slots + 5, 0);
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
