/* M/D/1 waiting times against the alternating series in many digits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/random.h"
#include "queueing/arrivals.h"
#include "queueing/crommelin.h"

#include <gsl/gsl_errno.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition, ...)                                                  \
    do {                                                                       \
        if (!(condition))                                                      \
            fail_msg("" #condition ": " __VA_ARGS__);                          \
    } while (0)

static struct nb_ratio read_ratio(const char *text)
{
    struct nb_ratio ratio;
    assert_int_equal(nb_ratio_read(text, &ratio, NULL), NB_OK);
    return ratio;
}

static struct nb_queue_load make_number(const char *load,
                                        struct nb_distribution *number)
{
    const struct nb_arrivals arrivals = { .kind = NB_ARRIVE_POISSON };
    const struct nb_queue_load rho = nb_load_of_ratio(read_ratio(load));
    assert_int_equal(nb_arrivals_law(&arrivals, rho, number, NULL), NB_OK);
    return rho;
}

/* Made by tests/oracles/md1_wait.py. */
static void test_reference(void **state)
{
    FILE *file = fopen("data/reference/md1_wait.csv", "r");
    char line[200];
    int count = 0;
    (void)state;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file)); /* the header */
    while (fgets(line, sizeof line, file) != NULL) {
        char load[16], time[16];
        long double value;
        struct nb_distribution number = { 0 };
        assert_int_equal(
            sscanf(line, "%15[^,],%15[^,],%Lf", load, time, &value), 3);
        const struct nb_queue_load rho = make_number(load, &number);
        const struct nb_bracket found = nb_crommelin_tail(
            &number, rho, nb_steps_of_ratio(read_ratio(time)));
        CHECK((long double)found.lower <= value &&
                  value <= (long double)found.upper,
              "load %s, t %s: [%.17g, %.17g] without %.20Lg", load, time,
              found.lower, found.upper, value);
        CHECK((long double)(found.upper - found.lower) < 1e-12L * value,
              "load %s, t %s: [%.17g, %.17g]", load, time, found.lower,
              found.upper);
        nb_distribution_release(&number);
        count++;
    }
    fclose(file);
    assert_true(count > 170);
}

/* Small cases in closed form. */
static void test_golden(void **state)
{
    static const struct {
        const char *load, *time;
        double value;
    } cases[] = {
        { "0.8", "0", 0.8 },
        { "0.8", "1", 0.554891814301506 },    /* 1 - 0.2 e^0.8 */
        { "0.8", "0.25", 0.755719448367966 }, /* 1 - 0.2 e^0.2 */
        { "0.5", "2", 0.053039403445509 },    /* 1 - (e - e^0.5 / 2) / 2 */
        { "0", "0", 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_distribution number = { 0 };
        const struct nb_queue_load rho = make_number(cases[i].load, &number);
        const struct nb_bracket found = nb_crommelin_tail(
            &number, rho, nb_steps_of_ratio(read_ratio(cases[i].time)));
        CHECK(fabs(found.lower - cases[i].value) < 1e-14 &&
                  fabs(found.upper - cases[i].value) < 1e-14,
              "case %zu: [%.17g, %.17g]", i, found.lower, found.upper);
        nb_distribution_release(&number);
    }
}

/* The tail falls everywhere, without a jump at whole times, and lies below
 * exp(-rate t) (Kingman's inequality). */
static void test_shape(void **state)
{
    struct nb_random random;
    struct nb_distribution number = { 0 };
    (void)state;
    nb_random_init(&random, 11, 0);
    const struct nb_queue_load rho = make_number("0.93", &number);
    for (int trial = 0; trial < 500; trial++) {
        const double t = floor(nb_random_unit(&random) * 400);
        const double u = trial % 2 == 0 ? 1e-9 : nb_random_unit(&random);
        const double decay = exp(-number.rate.high * (t + u));
        const struct nb_bracket at =
            nb_crommelin_tail(&number, rho, nb_steps_of_double(t));
        const struct nb_bracket later =
            nb_crommelin_tail(&number, rho, nb_steps_of_double(t + u));
        CHECK(later.lower <= at.upper, "t %g, u %g", t, u);
        CHECK(u > 1e-6 || t == 0 || later.upper >= at.lower * (1 - 1e-8),
              "t %g: a jump from %g to %g", t, at.lower, later.upper);
        CHECK(later.lower <= decay, "t %g: %g above %g", t + u, later.lower,
              decay);
    }
    nb_distribution_release(&number);
}

/* The integral of the tail is the mean, that of 2 t times it the second moment
 * (midpoints; the tail is smooth except at whole times). */
static void test_moments(void **state)
{
    enum { PARTS = 200 };
    struct nb_distribution number = { 0 };
    struct nb_ratio mean, variance;
    double first = 0, second = 0;
    (void)state;
    const struct nb_queue_load rho = make_number("0.8", &number);
    nb_crommelin_moments(rho.exact, &mean, &variance);
    assert_int_equal(mean.numerator, 2);
    assert_int_equal(mean.denominator, 1);
    assert_int_equal(variance.numerator, 16);
    assert_int_equal(variance.denominator, 3);
    for (int i = 0; i < 100 * PARTS; i++) {
        const double t = (i + 0.5) / PARTS;
        const double tail =
            nb_crommelin_tail(&number, rho, nb_steps_of_double(t)).lower;
        first += tail / PARTS;
        second += 2 * t * tail / PARTS;
    }
    CHECK(fabs(first - 2) < 1e-5, "mean %.9g", first);
    CHECK(fabs(second - 4 - 16.0 / 3) < 1e-4, "second moment %.9g", second);
    nb_distribution_release(&number);
}

static void test_quantile(void **state)
{
    static const double overflows[] = { 1,    0.9,   0.8,    0.7999, 0.5,
                                        1e-3, 1e-15, 1e-100, 1e-300 };
    struct nb_distribution number = { 0 };
    (void)state;
    const struct nb_queue_load rho = make_number("0.8", &number);
    for (size_t i = 0; i < sizeof overflows / sizeof *overflows; i++) {
        const struct nb_bracket found =
            nb_crommelin_quantile(&number, rho, overflows[i]);
        CHECK(found.lower <= found.upper &&
                  found.upper - found.lower <= 1e-12 * found.upper + 1e-13,
              "%g: [%.17g, %.17g]", overflows[i], found.lower, found.upper);
        if (overflows[i] > 0.8) {
            CHECK(found.upper == 0, "%g: %g", overflows[i], found.upper);
            continue;
        }
        const struct nb_bracket below = nb_crommelin_tail(
            &number, rho, nb_steps_of_double(found.upper * (1 + 1e-15)));
        const struct nb_bracket above = nb_crommelin_tail(
            &number, rho, nb_steps_of_double(found.lower * (1 - 1e-15)));
        CHECK(below.lower <= overflows[i] && above.upper >= overflows[i],
              "%g: [%.17g, %.17g]", overflows[i], found.lower, found.upper);
    }
    nb_distribution_release(&number);
}

/* Below the smallest number. */
static void test_underflow(void **state)
{
    static const char *const times[] = { "3000.5", "100000", "999999.25" };
    struct nb_distribution number = { 0 };
    (void)state;
    const struct nb_queue_load rho = make_number("0.001", &number);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const struct nb_bracket found = nb_crommelin_tail(
            &number, rho, nb_steps_of_ratio(read_ratio(times[i])));
        CHECK(found.lower == 0 && found.upper > 0 && found.upper < 1e-300,
              "t %s: [%g, %g]", times[i], found.lower, found.upper);
    }
    nb_distribution_release(&number);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference), cmocka_unit_test(test_golden),
        cmocka_unit_test(test_shape),     cmocka_unit_test(test_moments),
        cmocka_unit_test(test_quantile),  cmocka_unit_test(test_underflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
