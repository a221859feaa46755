/* Kinds of arrivals: how they are read, what they can send, and their
 * distributions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/queues.h"
#include "../support/twofold_wide.h"

#include "core/memory.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void test_read(void **state)
{
    (void)state;
    struct nb_arrivals arrivals = { 0 };
    assert_int_equal(nb_arrivals_read("poisson", &arrivals, NULL), NB_OK);
    assert_int_equal(arrivals.kind, NB_ARRIVE_POISSON);
    assert_int_equal(nb_arrivals_read("bernoulli", &arrivals, NULL), NB_OK);
    assert_int_equal(arrivals.kind, NB_ARRIVE_BERNOULLI);
    assert_int_equal(
        nb_arrivals_read("onoff:2.5,spread=burst", &arrivals, NULL), NB_OK);
    assert_true(
        arrivals.kind == NB_ARRIVE_ONOFF && arrivals.burst.numerator == 5 &&
        arrivals.burst.denominator == 2 && arrivals.spread == NB_SPREAD_BURST);
    assert_int_equal(
        nb_ratio_compare(nb_arrivals_most(&arrivals), nb_ratio_make(5, 7)), 0);
    assert_int_equal(nb_arrivals_read("onoff", &arrivals, NULL), NB_OK);
    assert_true(arrivals.burst.numerator == 5 &&
                arrivals.burst.denominator == 1 &&
                arrivals.spread == NB_SPREAD_PACKET);
    static const char *const wrong[] = { "",
                                         "uniform",
                                         "poisson:3",
                                         "onoff:0.5",
                                         "onoff:5,spread=both",
                                         "onoff:10001" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct nb_error err = { 0 };
        assert_int_equal(nb_arrivals_read(wrong[i], &arrivals, &err),
                         NB_INVALID);
        assert_true(err.message[0] != '\0');
    }
}

static void test_read_inputs(void **state)
{
    (void)state;
    struct nb_arrivals arrivals = { 0 };
    struct nb_ratio load;
    assert_int_equal(
        nb_arrivals_read_inputs("0.2,3*0.05+1/3", &arrivals, &load, NULL),
        NB_OK);
    assert_int_equal(arrivals.probability_count, 5);
    assert_true(load.numerator == 41 && load.denominator == 60);
    assert_true(nb_ratio_compare(arrivals.probabilities[3],
                                 (struct nb_ratio){ 1, 20 }) == 0 &&
                nb_ratio_compare(arrivals.probabilities[4],
                                 (struct nb_ratio){ 1, 3 }) == 0);
    nb_arrivals_release(&arrivals);
    static const char *const wrong[] = {
        "",        "1.5",  "-0.1", "0.5,",  "0.5,,0.2",
        "nan",     "8*",   "*0.5", "0*0.5", "1000001*1e-9",
        "2*3*0.1", "0.1x", "+0.1", "1.5*1", "1000000*0,0"
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct nb_error err = { 0 };
        const enum nb_status status =
            nb_arrivals_read_inputs(wrong[i], &arrivals, &load, &err);
        QUEUE_CHECK(status == NB_INVALID && err.message[0] != '\0', "\"%s\"",
                    wrong[i]);
        nb_arrivals_release(&arrivals);
    }
    char many[2 * NB_ARRIVALS_PARTS + 2];
    for (size_t i = 0; i < sizeof many - 1; i++)
        many[i] = i % 2 == 0 ? '0' : ',';
    many[sizeof many - 1] = '\0';
    assert_int_equal(nb_arrivals_read_inputs(many, &arrivals, &load, NULL),
                     NB_INVALID);
    nb_arrivals_release(&arrivals);
    many[sizeof many - 3] = '\0';
    assert_int_equal(nb_arrivals_read_inputs(many, &arrivals, &load, NULL),
                     NB_OK);
    assert_int_equal(arrivals.probability_count, NB_ARRIVALS_PARTS);
    nb_arrivals_release(&arrivals);
    assert_int_equal(nb_arrivals_read_inputs("1/999999937,1/999999893,"
                                             "1/999999883",
                                             &arrivals, &load, NULL),
                     NB_OVERFLOW);
    nb_arrivals_release(&arrivals);
}

/* The loads that can be sent, and those with a distribution. */
static void test_check(void **state)
{
    (void)state;
    struct nb_arrivals arrivals = queue_inputs(3);
    struct nb_ratio sum;
    assert_int_equal(nb_arrivals_check(&arrivals, queue_load("3"), NULL),
                     NB_OK);
    assert_int_equal(
        nb_arrivals_check(&arrivals, queue_load("3.0000001"), NULL),
        NB_INVALID);
    assert_true(nb_arrivals_are_stable(&arrivals, queue_load("0.999")));
    assert_false(nb_arrivals_are_stable(&arrivals, queue_load("1")));
    arrivals.radix = 2;
    assert_false(nb_arrivals_are_stable(&arrivals, queue_load("1")));
    /* Individual inputs: the radix does not matter, nor do silent ones. */
    assert_int_equal(nb_arrivals_read_inputs("4*1", &arrivals, &sum, NULL),
                     NB_OK);
    assert_int_equal(nb_arrivals_check(&arrivals, nb_load_of_ratio(sum), NULL),
                     NB_OK);
    nb_arrivals_release(&arrivals);
    assert_int_equal(nb_arrivals_read_inputs("0,1,0", &arrivals, &sum, NULL),
                     NB_OK);
    assert_true(nb_arrivals_are_stable(&arrivals, nb_load_of_ratio(sum)));
    nb_arrivals_release(&arrivals);
    arrivals = (struct nb_arrivals){ .kind = NB_ARRIVE_ONOFF,
                                     .radix = 4,
                                     .burst = { 5, 1 } };
    struct nb_bracket loss;
    assert_int_equal(nb_arrivals_check(&arrivals, queue_load("1"), NULL),
                     NB_INVALID);
    assert_int_equal(
        nb_arrivals_loss(&arrivals, queue_load("1.5"), 4, NULL, &loss, NULL),
        NB_INVALID);
}

/* Equal probabilities are equal inputs; different ones have the mean of Q = A +
 * V, E[V] = f2 / (2 (1 - load)), f2 = load^2 - sum p^2. */
static void test_unequal(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double squares;
    } rows[] = {
        { "16*0.05", 0.04 },
        { "0.5+0.25", 0.3125 },
        { "0.9,4*0.01", 0.8104 },
        { "0.3,0.000001,0.2", 0.130000000001 },
    };
    struct nb_distribution equal = { 0 };
    const struct nb_arrivals alike = queue_inputs(16);
    queue_must_find(&alike, queue_load("0.8"), &equal);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nb_arrivals arrivals = queue_inputs(1);
        struct nb_distribution distribution = { 0 };
        struct nb_ratio sum, mean, variance;
        assert_int_equal(
            nb_arrivals_read_inputs(rows[i].text, &arrivals, &sum, NULL),
            NB_OK);
        const double rho = nb_ratio_value(sum);
        queue_must_find(&arrivals, nb_load_of_ratio(sum), &distribution);
        const double expected =
            rho + (rho * rho - rows[i].squares) / (2 * (1 - rho));
        QUEUE_CHECK(
            queue_holds(nb_distribution_mean(&distribution), expected, 1e-14),
            "%s: %.17g, not %.17g", rows[i].text,
            nb_distribution_mean(&distribution).lower, expected);
        nb_arrivals_moments(&arrivals, nb_load_of_ratio(sum), &mean, &variance);
        assert_false(nb_ratio_is_known(mean) || nb_ratio_is_known(variance));
        for (int n = 0; i == 0 && n < 500; n++)
            assert_true(
                fabsl(wide_tail(&distribution, n) / wide_tail(&equal, n) - 1) <
                1e-14L);
        nb_distribution_release(&distribution);
        nb_arrivals_release(&arrivals);
    }
    nb_distribution_release(&equal);
}

static void test_failing_memory(void **state)
{
    (void)state;
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_arrivals arrivals = queue_inputs(1);
        struct nb_distribution distribution = { 0 };
        struct nb_ratio sum;
        nb_memory_allow(allowed);
        status =
            nb_arrivals_read_inputs("0.5,3*0.1,0.01", &arrivals, &sum, NULL);
        if (status == NB_OK)
            status = nb_arrivals_law(&arrivals, nb_load_of_ratio(sum),
                                     &distribution, NULL);
        nb_memory_allow(-1);
        nb_distribution_release(&distribution);
        nb_arrivals_release(&arrivals);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_read_inputs),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_unequal),
        cmocka_unit_test(test_failing_memory),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
