#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/cases.h"
#include "../support/onoff_case.h"
#include "../support/twofold_wide.h"

#include "core/memory.h"
#include "queueing/phases.h"
#include "queueing/slotted.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <math.h>

/* Solves a finite chain directly: x (P - I) = 0 with sum 1, column by column
 * elimination with the greatest pivot, in place; matrix is transposed. */
static void chain_solve(size_t n, long double *matrix, long double *x)
{
    for (size_t j = 0; j < n; j++)
        matrix[(n - 1) * n + j] = 1;
    for (size_t i = 0; i < n; i++)
        x[i] = i + 1 == n;
    for (size_t s = 0; s < n; s++) {
        size_t best = s;
        for (size_t i = s + 1; i < n; i++)
            if (fabsl(matrix[i * n + s]) > fabsl(matrix[best * n + s]))
                best = i;
        for (size_t j = 0; j <= n; j++) {
            long double *a = j < n ? &matrix[s * n + j] : &x[s];
            long double *b = j < n ? &matrix[best * n + j] : &x[best];
            const long double held = *a;
            *a = *b;
            *b = held;
        }
        for (size_t i = 0; i < n; i++) {
            const long double factor = matrix[i * n + s] / matrix[s * n + s];
            if (i == s || factor == 0)
                continue;
            for (size_t j = s; j < n; j++)
                matrix[i * n + j] -= factor * matrix[s * n + j];
            x[i] -= factor * x[s];
        }
    }
    for (size_t i = 0; i < n; i++)
        x[i] /= matrix[i * n + i];
}

/* The loss by the chain of (packets, phase), packets <= depth. Because of
 * subtractions its error is some ulps of 1, divided by the loss. */
static long double chain_loss(const struct onoff_case *made, size_t depth)
{
    struct nb_phases phases = { 0 };
    assert_int_equal(
        nb_phases_build(&made->arrivals, made->load, &phases, NULL), NB_OK);
    const size_t n = phases.count, most = phases.most, all = (depth + 1) * n;
    long double *matrix = nb_new_array(all * all, sizeof *matrix);
    long double *x = nb_new_array(2 * all, sizeof *x), *lost = x + all;
    assert_true(matrix != NULL && x != NULL);
    for (size_t q = 0; q <= depth; q++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                for (size_t l = 0; l <= most; l++) {
                    const long double p =
                        wide_of_scaled(phases.change[i * n + j]) *
                        wide_of_scaled(phases.share[j * (most + 1) + l]);
                    const size_t to = q - (q > 0) + l;
                    const size_t kept = to < depth ? to : depth;
                    matrix[(kept * n + j) * all + q * n + i] += p;
                    lost[q * n + i] += p * (long double)(to - kept);
                }
    for (size_t i = 0; i < all; i++)
        matrix[i * all + i] -= 1;
    chain_solve(all, matrix, x);
    long double sum = 0;
    for (size_t i = 0; i < all; i++)
        sum += x[i] * lost[i];
    nb_delete(matrix);
    nb_delete(x);
    nb_phases_release(&phases);
    return sum / wide_of(made->load.rho);
}

static struct nb_bracket loss_of(const char *text, int64_t depth)
{
    const struct onoff_case made = onoff_case_read(text);
    struct nb_error err = { 0 };
    struct nb_bracket loss;
    const enum nb_status status =
        nb_onoff_loss(&made.arrivals, made.load, depth, &loss, &err);
    ONOFF_CHECK(status == NB_OK, "%s: %s", text, err.message);
    ONOFF_CHECK(loss.lower <= loss.upper &&
                    loss.upper - loss.lower <= 1e-12 * loss.upper,
                "%s at %d: [%g, %g]", text, (int)depth, loss.lower, loss.upper);
    return loss;
}

static void test_chain(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "2,0.5,3,packet",  "2,0.5,3,burst",  "3,0.3,1.2,packet",
        "3,0.3,1.2,burst", "3,0.9,30,burst", "4,0.75,4,packet",
        "2,0.3,1,packet",  "2,0.3,1,burst",  "7,0.99,200,packet",
        "3,0.05,8,burst",
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int64_t depth = 1; depth <= 12; depth++) {
            const struct onoff_case made = onoff_case_read(cases[c]);
            const struct nb_bracket loss = loss_of(cases[c], depth);
            const long double exact = chain_loss(&made, (size_t)depth);
            ONOFF_CHECK(fabsl(loss.lower - exact) < 1e-12L * exact + 1e-16L,
                        "%s at %d: %.17g for %.17Lg", cases[c], (int)depth,
                        loss.lower, exact);
        }
}

/* Two sources that pause after every packet never fill a buffer of two. */
static void test_nothing_lost(void **state)
{
    (void)state;
    assert_true(loss_of("2,0.3,1,packet", 2).upper == 0);
    assert_true(loss_of("2,0.3,1,burst", 9).upper == 0);
    assert_true(loss_of("2,0.3,1,packet", 1).lower > 0);
    assert_true(loss_of("1,0.9,50,packet", 1).upper == 0);
}

/* Independent slots at burst = 1 / (1 - load): the closed form, down to the
 * smallest losses. */
static void test_bernoulli(void **state)
{
    size_t tried = 0;
    (void)state;
    static const char *const cases[] = { "2,0.2,5/4,packet", "3,0.5,2,packet",
                                         "8,0.8,5,packet",
                                         "32,0.6,5/2,packet" };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct onoff_case made = onoff_case_read(cases[c]);
        struct nb_inputs inputs = { 0 };
        struct nb_distribution distribution = { 0 };
        assert_int_equal(nb_inputs_bernoulli(made.load,
                                             (double)made.arrivals.radix,
                                             &inputs, NULL),
                         NB_OK);
        assert_int_equal(nb_slotted_law(&inputs, &distribution, NULL), NB_OK);
        for (int64_t depth = 1; depth < 1000; depth += 1 + depth / 3) {
            const struct nb_bracket exact =
                nb_slotted_loss(&distribution, made.load, (double)depth);
            if (exact.lower < 1e-300)
                break;
            if (!nb_cases_have(tried++, 3))
                continue;
            const struct nb_bracket loss = loss_of(cases[c], depth);
            ONOFF_CHECK(fabs(loss.lower / exact.lower - 1) < 2e-12 &&
                            loss.lower <= exact.upper &&
                            loss.upper >= exact.lower,
                        "%s at %d: %g for %g", cases[c], (int)depth, loss.lower,
                        exact.lower);
        }
        nb_inputs_release(&inputs);
        nb_distribution_release(&distribution);
    }
}

/* Deep buffers lose in proportion to the unbounded queue's decay, and a deeper
 * one always loses less. */
static void test_decay(void **state)
{
    (void)state;
    static const char *const cases[] = { "3,0.6,5,packet", "3,0.6,5,burst",
                                         "16,0.6,5,packet", "6,0.8,9,burst" };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct onoff_case made = onoff_case_read(cases[c]);
        struct nb_distribution distribution = { 0 };
        onoff_must_solve(&made, &distribution);
        double before = 1;
        for (int64_t depth = 1; depth < 40; depth += 3) {
            const struct nb_bracket loss = loss_of(cases[c], depth);
            ONOFF_CHECK(loss.upper < before, "%s at %d", cases[c], (int)depth);
            before = loss.lower;
        }
        const int64_t deep =
            (int64_t)(200 / distribution.rate.high); /* 1e-87 */
        const double far = loss_of(cases[c], deep).lower;
        const double further = loss_of(cases[c], deep + 10).lower;
        ONOFF_CHECK(
            fabs(log(far / further) / (10 * distribution.rate.high) - 1) < 1e-9,
            "%s: %g %g", cases[c], far, further);
        nb_distribution_release(&distribution);
    }
}

static void test_simulation(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t depth;
    } cases[] = { { "16,0.6,5,packet", 3 }, { "8,0.7,6,burst", 10 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct onoff_case made = onoff_case_read(cases[i].text);
        struct onoff_simulated seen;
        onoff_simulate(&made, cases[i].depth, 51 + i, &seen);
        const double loss = loss_of(cases[i].text, cases[i].depth).lower;
        ONOFF_CHECK(fabs(loss - seen.loss.value) < seen.loss.margin &&
                        seen.loss.margin < 0.1 * loss,
                    "%s: %g for %g +- %g", cases[i].text, loss, seen.loss.value,
                    seen.loss.margin);
    }
}

static void test_failing_memory(void **state)
{
    (void)state;
    onoff_fail_memory("3,0.6,5,packet", 100);
    onoff_fail_memory("3,0.6,5,burst", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_nothing_lost),
        cmocka_unit_test(test_bernoulli),
        cmocka_unit_test(test_decay),
        cmocka_unit_test(test_simulation),
        cmocka_unit_test(test_failing_memory),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
