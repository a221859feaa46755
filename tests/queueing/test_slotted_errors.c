/* Errors of the slotted queue's distribution against worst cases that are
 * counted again here: roundings usually cancel, so no value shows whether a
 * bracket allows for all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/queues.h"

#include "core/memory.h"
#include "core/twofold_rows.h"
#include "queueing/slotted.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <math.h>

/* Few inputs: nothing is left out, and the recursion reaches back by one level
 * less than there are inputs. */
static void slotted_check(int64_t radix, const char *load)
{
    struct nb_inputs inputs = { 0 };
    struct nb_distribution distribution = { 0 };
    struct nb_inputs_error each;
    struct nb_twofold mass[40], above[40], step, rate;
    double rate_error;
    assert_true(radix < 40);
    assert_int_equal(
        nb_inputs_bernoulli(queue_load(load), (double)radix, &inputs, NULL),
        NB_OK);
    assert_int_equal(nb_slotted_law(&inputs, &distribution, NULL), NB_OK);
    assert_int_equal(
        nb_inputs_law(&inputs, (size_t)radix + 1, mass, above, &each, NULL),
        NB_OK);
    assert_int_equal(nb_inputs_decay(&inputs, &step, &rate, &rate_error, NULL),
                     NB_OK);
    /* A level: P(A > m) and a_0, each with its own error and together by their
     * indices, a product with a_0's reciprocal, and three products and sums;
     * and a sum for its tail. */
    const double level = 2 * each.each + each.step + 3 * NB_TWOFOLD_ROWS_ERROR +
                         3 * NB_TWOFOLD_ERROR;
    const double listed =
        (double)distribution.length * level + 10 * NB_TWOFOLD_ERROR;
    QUEUE_CHECK(distribution.error >= listed * 0.999999 &&
                    distribution.error <= listed * 1.000001,
                "radix %lld, load %s: %g, not %g", (long long)radix, load,
                distribution.error, listed);
    QUEUE_CHECK(distribution.rate_error >= rate_error && rate_error > 0x1p-81,
                "radix %lld, load %s: %g", (long long)radix, load,
                distribution.rate_error);
    /* Levels one input apart are compared after z^(reach): either may have the
     * power's error; the last division by z - 1 has the rate's. */
    const double raised = 2 * (double)(radix - 1) *
                          (rate.high * rate_error + 2 * NB_TWOFOLD_ERROR);
    QUEUE_CHECK(distribution.far_error >=
                    raised + rate_error + 4 * NB_TWOFOLD_ERROR,
                "radix %lld, load %s: %g", (long long)radix, load,
                distribution.far_error);
    nb_distribution_release(&distribution);
    nb_inputs_release(&inputs);
}

static void test_counted_errors(void **state)
{
    (void)state;
    static const char *const loads[] = { "0.01", "0.3", "0.9", "0.999999" };
    for (int64_t radix = 2; radix < 40; radix = 2 * radix + 1)
        for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
            slotted_check(radix, loads[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counted_errors),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
