/* The largest load of a buffer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/queues.h"

#include "core/memory.h"
#include "core/random.h"
#include "queueing/dimension.h"

#include <gsl/gsl_errno.h>
#include <math.h>

/* The loads at both ends have the depth on either side, and lie close
 * together. */
static void dimension_check(const struct nb_arrivals *arrivals, int64_t depth,
                            double overflow, double width)
{
    struct nb_bracket most;
    struct nb_distribution distribution = { 0 };
    struct nb_error err = { 0 };
    const enum nb_status status =
        nb_dimension_max_load(arrivals, depth, overflow, &most, &err);
    QUEUE_CHECK(status == NB_OK && most.lower > 0 && most.upper < 1 &&
                    most.upper - most.lower <= width * most.upper,
                "radix %lld, depth %lld, overflow %g: %.17g to %.17g, %s",
                (long long)arrivals->radix, (long long)depth, overflow,
                most.lower, most.upper, err.message);
    queue_must_find(arrivals, nb_load_of_value(most.lower), &distribution);
    QUEUE_CHECK(
        nb_distribution_depth(&distribution, overflow).upper <= (double)depth,
        "radix %lld, depth %lld, overflow %g: load %.17g",
        (long long)arrivals->radix, (long long)depth, overflow, most.lower);
    nb_distribution_release(&distribution);
    queue_must_find(arrivals, nb_load_of_value(most.upper), &distribution);
    QUEUE_CHECK(
        nb_distribution_depth(&distribution, overflow).lower > (double)depth,
        "radix %lld, depth %lld, overflow %g: load %.17g",
        (long long)arrivals->radix, (long long)depth, overflow, most.upper);
    nb_distribution_release(&distribution);
}

static void test_inverse(void **state)
{
    (void)state;
    static const int64_t radices[] = { 2, 3, 16, 1000, 1000000, 0 };
    static const double overflows[] = { 0.5, 1e-3, 1e-15, 1e-100, 1e-300 };
    struct nb_random random;
    nb_random_init(&random, 91, 0);
    for (size_t r = 0; r < sizeof radices / sizeof *radices; r++) {
        const struct nb_arrivals arrivals = queue_inputs(radices[r]);
        for (size_t i = 0; i < sizeof overflows / sizeof *overflows; i++)
            for (int64_t depth = 2; depth < 3000;
                 depth +=
                 1 + (int64_t)nb_random_below(&random, (uint64_t)depth * 4))
                dimension_check(&arrivals, depth, overflows[i], 1e-12);
    }
}

/* Two inputs: Q = V + A with V geometric, so that with x = (p/q)^2
 * P(Q >= n) = x^n (q + p/x)^2 = (p/q)^(2n) (q/p)^2, solved here for p. */
static void test_two_inputs(void **state)
{
    (void)state;
    const struct nb_arrivals arrivals = queue_inputs(2);
    for (int depth = 2; depth < 400; depth += 9)
        for (double overflow = 1e-3; overflow > 1e-300; overflow *= 1e-33) {
            double low = 0, high = 0.5;
            for (int i = 0; i < 200; i++) {
                const double p = (low + high) / 2, q = 1 - p;
                const double tail = (2 * depth - 2) * log(p / q);
                *(tail < log(overflow) ? &low : &high) = p;
            }
            struct nb_bracket most;
            assert_int_equal(
                nb_dimension_max_load(&arrivals, depth, overflow, &most, NULL),
                NB_OK);
            QUEUE_CHECK(fabs(most.lower - 2 * low) < 1e-12 &&
                            fabs(most.upper - 2 * low) < 1e-12,
                        "depth %d, overflow %g: %.17g to %.17g, not %.17g",
                        depth, overflow, most.lower, most.upper, 2 * low);
        }
}

/* More depth or overflow permits more load; one published point: about 160
 * packets at 1e-15 carry load 0.9. */
static void test_order(void **state)
{
    (void)state;
    const struct nb_arrivals arrivals = queue_inputs(16);
    double before = 0;
    for (int64_t depth = 2; depth < 100000; depth *= 2) {
        struct nb_bracket most, more;
        assert_int_equal(
            nb_dimension_max_load(&arrivals, depth, 1e-15, &most, NULL), NB_OK);
        assert_int_equal(
            nb_dimension_max_load(&arrivals, depth, 1e-14, &more, NULL), NB_OK);
        assert_true(most.lower > before && more.lower > most.upper);
        before = most.upper;
    }
    struct nb_bracket below, above;
    assert_int_equal(nb_dimension_max_load(&arrivals, 157, 1e-15, &below, NULL),
                     NB_OK);
    assert_int_equal(nb_dimension_max_load(&arrivals, 158, 1e-15, &above, NULL),
                     NB_OK);
    assert_true(below.upper < 0.9 && above.lower > 0.9);
}

/* P(Q >= 1) is the load; one input never waits; whatever is permitted may
 * happen; beyond any depth the answer is load 1. */
static void test_limits(void **state)
{
    (void)state;
    struct nb_arrivals arrivals = queue_inputs(16);
    struct nb_bracket most;
    assert_int_equal(nb_dimension_max_load(&arrivals, 1, 1e-300, &most, NULL),
                     NB_OK);
    assert_true(most.lower < 1e-300 && most.upper > 1e-300 &&
                most.upper - most.lower < 1e-315);
    assert_int_equal(nb_dimension_max_load(&arrivals, 7, 1, &most, NULL),
                     NB_OK);
    assert_true(most.lower == 1 && most.upper == 1);
    assert_int_equal(
        nb_dimension_max_load(&arrivals, 1000000000, 0.999999999, &most, NULL),
        NB_OK);
    assert_true(most.lower > 1 - 1e-9 && most.lower < 1 && most.upper == 1);
    arrivals.radix = 1;
    assert_int_equal(nb_dimension_max_load(&arrivals, 2, 1e-15, &most, NULL),
                     NB_OK);
    assert_true(most.lower == 1 && most.upper == 1);
}

/* Individual inputs are scaled the same way. */
static void test_unequal(void **state)
{
    (void)state;
    static const char *const texts[] = { "0.5+0.3", "0.9,4*0.02", "1,0.0001",
                                         "4*1" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct nb_arrivals arrivals = queue_inputs(1);
        struct nb_ratio sum;
        assert_int_equal(
            nb_arrivals_read_inputs(texts[i], &arrivals, &sum, NULL), NB_OK);
        for (int64_t depth = 3; depth < 200; depth *= 3)
            dimension_check(&arrivals, depth, 1e-9, 1e-12);
        nb_arrivals_release(&arrivals);
    }
    /* 4*1 at load 0.8 are four of 0.2. */
    struct nb_arrivals whole = queue_inputs(1);
    const struct nb_arrivals alike = queue_inputs(4);
    struct nb_ratio sum;
    struct nb_bracket a, b;
    assert_int_equal(nb_arrivals_read_inputs("4*1", &whole, &sum, NULL), NB_OK);
    assert_int_equal(nb_dimension_max_load(&whole, 50, 1e-15, &a, NULL), NB_OK);
    assert_int_equal(nb_dimension_max_load(&alike, 50, 1e-15, &b, NULL), NB_OK);
    assert_true(a.lower <= b.upper && b.lower <= a.upper);
    nb_arrivals_release(&whole);
}

/* Bursts: up to the limit of such sources. */
static void test_bursts(void **state)
{
    (void)state;
    struct nb_arrivals arrivals = { .kind = NB_ARRIVE_ONOFF,
                                    .radix = 4,
                                    .burst = { 2, 1 } };
    struct nb_bracket most;
    /* Their tails are known less accurately than others: here the ends must
     * move out to the tails' own brackets. */
    for (int64_t depth = 4; depth < 13; depth += 2)
        for (double overflow = 1e-9; overflow > 1e-60; overflow *= 1e-5)
            dimension_check(&arrivals, depth, overflow, 1e-11);
    assert_int_equal(nb_dimension_max_load(&arrivals, 500, 1e-3, &most, NULL),
                     NB_OK);
    assert_true(most.upper <= nextafter(2.0 / 3, 1) && most.upper > 0.6666666 &&
                most.lower <= most.upper && most.lower > 0.6666666);
}

static void test_failing_memory(void **state)
{
    (void)state;
    const struct nb_arrivals arrivals = queue_inputs(4);
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_bracket most;
        nb_memory_allow(allowed);
        status = nb_dimension_max_load(&arrivals, 9, 1e-9, &most, NULL);
        nb_memory_allow(-1);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_two_inputs),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_unequal),
        cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_failing_memory),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
