#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/cases.h"
#include "../support/onoff_case.h"
#include "../support/twofold_wide.h"

#include "queueing/phases.h"
#include "queueing/slotted.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Relative error that covers every case, and the brackets' width. */
static const double law_error = 1e-12;

/* Tails in 110 digits, see tests/oracles/onoff_tails.py: the distribution is
 * right, its bracket covers it, and four times the true error is within the
 * stated one. */
static void test_oracle(void **state)
{
    (void)state;
    FILE *file = fopen("data/reference/onoff_tails.csv", "r");
    assert_non_null(file);
    char line[256], name[96] = "";
    struct onoff_case made = { 0 };
    struct nb_distribution distribution = { 0 };
    int rows = 0;
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file) != NULL) {
        char *rest = line;
        for (int comma = 0; comma < 4; comma++)
            rest = strchr(rest, ',') + 1;
        double depth;
        long double exact;
        assert_int_equal(sscanf(rest, "%lf,%Lf", &depth, &exact), 2);
        if (strncmp(line, name, (size_t)(rest - line)) != 0) {
            memset(name, 0, sizeof name);
            memcpy(name, line, (size_t)(rest - line));
            made = onoff_case_read(name);
            nb_distribution_release(&distribution);
            onoff_must_solve(&made, &distribution);
        }
        const long double found = wide_tail(&distribution, depth);
        const long double error = fabsl(found - exact) / exact;
        const double stated = nb_distribution_tail_error(&distribution, depth);
        const struct nb_bracket tail =
            nb_distribution_tail_bracket(&distribution, depth);
        ONOFF_CHECK(stated < law_error && 4 * error < stated + 4 * LDBL_EPSILON,
                    "%s%g: %.21Lg for %.21Lg, error %.2Lg, stated %.2g", name,
                    depth, found, exact, error, stated);
        ONOFF_CHECK((long double)tail.lower <= exact &&
                        (long double)tail.upper >= exact,
                    "%s%g", name, depth);
        rows++;
    }
    nb_distribution_release(&distribution);
    fclose(file);
    assert_true(rows > 600);
}

/* Slots are independent at burst = 1 / (1 - load). */
static void test_bernoulli(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "2,0.2,5/4,packet",     "3,0.5,2,packet",    "4,0.8,5,packet",
        "7,0.01,100/99,packet", "16,0.6,5/2,packet", "32,0.9,10,packet",
        "64,0.7,10/3,packet",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct onoff_case made = onoff_case_read(cases[i]);
        struct nb_inputs inputs = { 0 };
        struct nb_distribution distribution = { 0 }, other = { 0 };
        onoff_must_solve(&made, &distribution);
        assert_int_equal(nb_inputs_bernoulli(made.load,
                                             (double)made.arrivals.radix,
                                             &inputs, NULL),
                         NB_OK);
        assert_int_equal(nb_slotted_law(&inputs, &other, NULL), NB_OK);
        for (double n = 0; nb_distribution_tail(&other, n) > 1e-300; n++)
            ONOFF_CHECK(
                fabsl(wide_tail(&distribution, n) / wide_tail(&other, n) - 1) <
                    1e-13L,
                "%s at %g", cases[i], n);
        nb_inputs_release(&inputs);
        nb_distribution_release(&distribution);
        nb_distribution_release(&other);
    }
}

/* Loads so small that the distribution ends before it has read one level
 * for each packet of a slot: independent slots again, and bursts of one packet.
 */
static void test_few_levels(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "64,1e-18,1000000000000000000/999999999999999999,packet",
        "128,1e-17,100000000000000000/99999999999999999,packet",
        "32,1e-18,1000000000000000000/999999999999999999,packet",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct onoff_case made = onoff_case_read(cases[i]);
        struct nb_inputs inputs = { 0 };
        struct nb_distribution distribution = { 0 }, other = { 0 };
        onoff_must_solve(&made, &distribution);
        assert_true(distribution.length < (size_t)made.arrivals.radix);
        assert_int_equal(nb_inputs_bernoulli(made.load,
                                             (double)made.arrivals.radix,
                                             &inputs, NULL),
                         NB_OK);
        assert_int_equal(nb_slotted_law(&inputs, &other, NULL), NB_OK);
        assert_true(distribution.far_error >= 0);
        for (double n = 1; n < 80; n++) {
            const struct nb_twofold tail =
                nb_distribution_scaled_tail(&distribution, n);
            const struct nb_twofold right =
                nb_distribution_scaled_tail(&other, n);
            const double off = fabs(nb_twofold_subtract(tail, right).high);
            const double error = nb_distribution_tail_error(&distribution, n);
            ONOFF_CHECK(off <= tail.high * error,
                        "%s at %g: %Lg, error %g, not %Lg", cases[i], n,
                        wide_of_scaled(tail), error, wide_of_scaled(right));
        }
        nb_inputs_release(&inputs);
        nb_distribution_release(&distribution);
        nb_distribution_release(&other);
    }
    const struct onoff_case pauses = onoff_case_read("64,1e-18,1,packet");
    struct nb_distribution distribution = { 0 };
    onoff_must_solve(&pauses, &distribution);
    assert_true(distribution.far_error >= 0 &&
                distribution.far_error < INFINITY);
    nb_distribution_release(&distribution);
}

/* Properties of every case: P(Q > 0) = load; the mean wait is mean / load - 1
 * by Little's law (a packet's slot of service counts in the queue, not in the
 * wait); masses finally fall at the root's rate. */
static void law_identities(const char *text,
                           const struct nb_distribution *distribution,
                           const struct onoff_case *made)
{
    struct nb_distribution wait = { 0 };
    ONOFF_CHECK(fabsl(wide_tail(distribution, 1) / wide_of(made->load.rho) -
                      1) < 1e-15L,
                "%s: load %.21Lg", text, wide_tail(distribution, 1));
    assert_int_equal(nb_distribution_wait(distribution, &wait, NULL), NB_OK);
    const double load = made->load.rho.high;
    const double mean = nb_distribution_mean(distribution).lower;
    ONOFF_CHECK(fabs(nb_distribution_mean(&wait).lower - (mean / load - 1)) <
                    1e-12 * mean / load,
                "%s: wait", text);
    nb_distribution_release(&wait);
    const size_t last = distribution->length - 1;
    const double rate = distribution->rate.high;
    ONOFF_CHECK(fabs(log(distribution->mass[last - 1].high /
                         distribution->mass[last].high) -
                     rate) < 1e-3 * rate + 2 * distribution->far_error,
                "%s: rate %g", text, rate);
    ONOFF_CHECK(distribution->rate_error < 1e-13 && distribution->error < 1e-12,
                "%s", text);
}

static void test_identities(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "2,0.5,3,packet",   "2,0.5,3,burst",     "3,0.01,50,packet",
        "5,0.35,7,burst",   "8,0.99,200,packet", "8,0.9,20,burst",
        "16,0.6,5,burst",   "32,0.6,5,packet",   "32,0.9,100,packet",
        "32,0.9,11,packet", "64,0.95,50,packet", "10,1e-4,5,packet",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct onoff_case made = onoff_case_read(cases[i]);
        struct nb_distribution distribution = { 0 };
        onoff_must_solve(&made, &distribution);
        law_identities(cases[i], &distribution, &made);
        nb_distribution_release(&distribution);
    }
}

/* One source never queues; two that pause after each packet never send more
 * than two in two slots. */
static void test_limits(void **state)
{
    (void)state;
    const struct onoff_case one = onoff_case_read("1,0.7,5,burst");
    struct nb_distribution distribution = { 0 };
    onoff_must_solve(&one, &distribution);
    assert_true(fabsl(wide_tail(&distribution, 1) - 0.7L) < LDBL_EPSILON);
    assert_true(nb_distribution_tail(&distribution, 2) == 0 &&
                nb_distribution_tail(&distribution, 1e6) == 0);
    nb_distribution_release(&distribution);
    static const char *const pauses[] = { "2,0.3,1,packet", "2,0.3,1,burst" };
    for (size_t i = 0; i < 2; i++) {
        const struct onoff_case two = onoff_case_read(pauses[i]);
        onoff_must_solve(&two, &distribution);
        assert_true(nb_distribution_tail(&distribution, 2) > 0);
        assert_true(nb_distribution_tail(&distribution, 3) == 0);
        assert_true(fabsl(wide_tail(&distribution, 1) - 0.3L) < 1e-18L);
        nb_distribution_release(&distribution);
    }
    /* For bursts of one packet the spread does not matter. */
    struct nb_distribution other = { 0 };
    const struct onoff_case a = onoff_case_read("4,0.4,1,packet");
    const struct onoff_case b = onoff_case_read("4,0.4,1,burst");
    onoff_must_solve(&a, &distribution);
    onoff_must_solve(&b, &other);
    for (double n = 0; nb_distribution_tail(&distribution, n) > 1e-300; n++)
        ONOFF_CHECK(fabsl(wide_tail(&distribution, n) / wide_tail(&other, n) -
                          1) < 1e-13L,
                    "burst 1 at %g", n);
    nb_distribution_release(&distribution);
    nb_distribution_release(&other);
}

static double law_mean(const char *text)
{
    const struct onoff_case made = onoff_case_read(text);
    struct nb_distribution distribution = { 0 };
    onoff_must_solve(&made, &distribution);
    const double mean = nb_distribution_mean(&distribution).lower;
    nb_distribution_release(&distribution);
    return mean;
}

/* More load, longer bursts, bursts that stay together: longer queues. */
static void test_monotone(void **state)
{
    (void)state;
    static const char *const chains[][6] = {
        { "8,0.1,5,packet", "8,0.3,5,packet", "8,0.5,5,packet",
          "8,0.7,5,packet", "8,0.8,5,packet", "8,0.8,5,burst" },
        { "6,0.5,1.05,packet", "6,0.5,1.1,packet", "6,0.5,2,packet",
          "6,0.5,10,packet", "6,0.5,100,packet", "6,0.5,100,burst" },
        { "4,0.4,1,burst", "4,0.4,1.5,burst", "4,0.4,3,burst", "4,0.4,10,burst",
          "4,0.5,10,burst", "4,0.9,10,burst" },
    };
    for (size_t c = 0; c < sizeof chains / sizeof *chains; c++)
        for (size_t i = 0; i + 1 < 6; i++)
            ONOFF_CHECK(law_mean(chains[c][i]) < law_mean(chains[c][i + 1]),
                        "%s and %s", chains[c][i], chains[c][i + 1]);
}

/* A slot-by-slot simulation agrees with the mean and tails, and the means are
 * those published by others: 1.03888, 1.04458. */
static void test_simulation(void **state)
{
    (void)state;
    static const char *const cases[] = { "16,0.6,5,packet", "32,0.6,5,packet",
                                         "16,0.6,5,burst" };
    for (size_t i = 0; i < 3; i++) {
        if (!nb_cases_have(i, 3))
            continue;
        const struct onoff_case made = onoff_case_read(cases[i]);
        struct onoff_simulated seen;
        struct nb_distribution distribution = { 0 };
        onoff_must_solve(&made, &distribution);
        onoff_simulate(&made, INT64_MAX, 41 + i, &seen);
        const double mean = nb_distribution_mean(&distribution).lower;
        ONOFF_CHECK(fabs(mean - seen.mean.value) < seen.mean.margin &&
                        seen.mean.margin < 0.06 * mean,
                    "%s: mean %g for %g +- %g", cases[i], mean, seen.mean.value,
                    seen.mean.margin);
        for (int n = 1; n < ONOFF_TAILS; n++) {
            const double tail = (double)nb_distribution_tail(&distribution, n);
            const struct onoff_interval own = seen.tail[n];
            ONOFF_CHECK(fabs(tail - own.value) < own.margin,
                        "%s at %d: %g for %g +- %g", cases[i], n, tail,
                        own.value, own.margin);
        }
        nb_distribution_release(&distribution);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "257,0.5,5,packet",
          "radix 257 is not permitted with onoff arrivals spread by packet "
          "(permitted: 1 to 256)" },
        { "33,0.5,5,burst",
          "radix 33 is not permitted with onoff arrivals spread by burst "
          "(permitted: 1 to 32)" },
        { "4,0.6,1,packet",
          "load 0.6 is not permitted with bursts of 1 packets (permitted: up "
          "to 1/2, since a source pauses for a slot at least after each "
          "burst)" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct onoff_case made = onoff_case_read(cases[i].text);
        struct nb_error err = { 0 };
        struct nb_distribution distribution = { 0 };
        struct nb_bracket loss;
        assert_int_equal(
            nb_onoff_law(&made.arrivals, made.load, &distribution, &err),
            NB_INVALID);
        assert_string_equal(err.message, cases[i].message);
        assert_int_equal(
            nb_onoff_loss(&made.arrivals, made.load, 4, &loss, NULL),
            NB_INVALID);
    }
    /* Sources that alternate forever have no unique distribution. */
    const struct onoff_case rigid = onoff_case_read("6,0.5,1,packet");
    struct nb_distribution none = { 0 };
    assert_int_equal(nb_onoff_law(&rigid.arrivals, rigid.load, &none, NULL),
                     NB_INVALID);
    /* The greatest permitted load is accepted. */
    const struct onoff_case full = onoff_case_read("4,2/3,2,packet");
    struct nb_distribution distribution = { 0 };
    onoff_must_solve(&full, &distribution);
    nb_distribution_release(&distribution);
}

static void test_failing_memory(void **state)
{
    (void)state;
    static const char *const cases[] = { "3,0.6,5,packet", "3,0.6,5,burst",
                                         "1,0.5,2,packet" };
    for (size_t i = 0; i < 3; i++)
        onoff_fail_memory(cases[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle),
        cmocka_unit_test(test_bernoulli),
        cmocka_unit_test(test_few_levels),
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_simulation),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_failing_memory),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
