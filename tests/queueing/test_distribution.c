/* Distributions by themselves: depths, moments and brackets of distributions
 * known in closed form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/twofold_wide.h"
#include "../support/queues.h"

#include "core/memory.h"
#include "core/random.h"

#include <float.h>
#include <math.h>

/* Geometric, P(X >= n) = r^n, listed up to length. */
static void law_geometric(long double r, size_t length,
                          struct nb_distribution *out)
{
    assert_int_equal(nb_distribution_reserve(out, length, NULL), NB_OK);
    for (size_t n = 0; n <= length; n++)
        out->mass[n] = wide_to_scaled((1 - r) * powl(r, (long double)n));
    out->tail[length] = wide_to_scaled(powl(r, (long double)length));
    nb_distribution_add_up(out);
    out->rate = wide_to(-logl(r));
    out->error = (double)(((long double)length + 8) * LDBL_EPSILON);
    out->rate_error = (double)(2 * LDBL_EPSILON);
}

/* Tails, masses, mean r/(1-r) and variance r/(1-r)^2, wherever the list ends.
 */
static void test_geometric(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 17, 0);
    for (int trial = 0; trial < 500; trial++) {
        const double r = 0.001 + 0.998 * nb_random_unit(&random);
        const size_t length = 1 + nb_random_below(&random, 50);
        struct nb_distribution distribution;
        law_geometric(r, length, &distribution);
        for (int n = 0; n < 400 && pow(r, n) > 1e-300; n += 1 + n / 4) {
            const double tail = pow(r, n);
            QUEUE_CHECK(
                queue_holds(nb_distribution_tail_bracket(&distribution, n),
                            tail, 1e-12) &&
                    fabs(nb_distribution_mass(&distribution, n) -
                         tail * (1 - r)) <= 1e-12 * tail,
                "trial %d: r %.17g, length %zu, n %d", trial, r, length, n);
        }
        QUEUE_CHECK(queue_holds(nb_distribution_mean(&distribution),
                                r / (1 - r), 1e-12) &&
                        queue_holds(nb_distribution_variance(&distribution),
                                    r / ((1 - r) * (1 - r)), 1e-12),
                    "trial %d: r %.17g, length %zu", trial, r, length);
        nb_distribution_release(&distribution);
    }
}

/* An error of far_error in the far part enters every listed tail: the moments'
 * brackets contain the right values, and are not much wider than needed. */
static void test_far_error(void **state)
{
    (void)state;
    for (size_t length = 1; length < 60; length += 4)
        for (double r = 0.1; r < 0.999; r += 0.11) {
            static const double wrong = 1e-3;
            struct nb_distribution distribution;
            law_geometric(r, length, &distribution);
            distribution.tail[length] =
                nb_twofold_times(distribution.tail[length], 1 + wrong);
            distribution.mass[length] =
                nb_twofold_times(distribution.mass[length], 1 + wrong);
            nb_distribution_add_up(&distribution);
            distribution.far_error = wrong;
            const struct nb_bracket mean = nb_distribution_mean(&distribution);
            const struct nb_bracket variance =
                nb_distribution_variance(&distribution);
            QUEUE_CHECK(
                queue_holds(mean, r / (1 - r), 1e-12) &&
                    mean.upper - mean.lower <= 3e-3 * mean.upper &&
                    queue_holds(variance, r / ((1 - r) * (1 - r)), 1e-12),
                "length %zu, r %g: %.17g to %.17g", length, r, mean.lower,
                mean.upper);
            nb_distribution_release(&distribution);
        }
}

/* The least n with r^n below the overflow, r a power of 2: known without
 * rounding, which shows that the inequality is strict. */
static void test_depth(void **state)
{
    (void)state;
    for (size_t length = 1; length < 40; length += 6) {
        struct nb_distribution distribution;
        law_geometric(0.5L, length, &distribution);
        distribution.error = distribution.rate_error = 0;
        for (int power = 0; power < 60; power++) {
            const double below = ldexp(1.000001, -power);
            const double above = ldexp(0.999999, -power);
            QUEUE_CHECK(
                nb_distribution_depth(&distribution, fmin(below, 1)).upper ==
                        (power == 0 ? 1 : power) &&
                    nb_distribution_depth(&distribution, above).lower ==
                        power + 1,
                "length %zu, power %d", length, power);
        }
        /* P(X >= 0) is 1 and not below 1. */
        assert_true(nb_distribution_depth(&distribution, 1).lower == 1);
        /* The result shows what the error leaves open. */
        distribution.error = 1e-6;
        const struct nb_bracket open =
            nb_distribution_depth(&distribution, 0x1p-20);
        assert_true(open.lower == 20 && open.upper == 21);
        nb_distribution_release(&distribution);
    }
}

/* Depths beyond all whole numbers that doubles represent: the search ends, and
 * brackets -ln(overflow) / rate. */
static void test_far_depth(void **state)
{
    (void)state;
    for (long double rate = 1e-3L; rate > 1e-18L; rate /= 10) {
        struct nb_distribution distribution;
        law_geometric(0.5L, 2, &distribution);
        distribution.tail[2] = wide_to_scaled(1);
        distribution.rate = wide_to(rate);
        const struct nb_bracket depth =
            nb_distribution_depth(&distribution, 1e-300);
        const double expected = (double)(-logl(1e-300L) / rate);
        QUEUE_CHECK(depth.lower <= expected + 4 &&
                        depth.upper >= expected - 4 &&
                        depth.upper - depth.lower <= 2 + 1e-14 * expected,
                    "rate %Lg: %.17g to %.17g, not %.17g", rate, depth.lower,
                    depth.upper, expected);
        nb_distribution_release(&distribution);
    }
}

/* Doubles around a value: two steps apart at most, subnormals too. */
static void test_brackets(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 18, 0);
    for (int trial = 0; trial < 20000; trial++) {
        const long double value =
            (1 + (long double)nb_random_unit(&random) / 3) *
            powl(2, (long double)nb_random_below(&random, 1200) - 1150);
        const struct nb_twofold scaled = wide_to_scaled(value);
        const struct nb_bracket exact = nb_scaled_bracket_of(scaled, 0);
        QUEUE_CHECK(exact.lower <= value && exact.upper >= value &&
                        nextafter(nextafter(exact.lower, 1e300), 1e300) >=
                            exact.upper,
                    "%.21Lg: %.17g to %.17g", value, exact.lower, exact.upper);
        const struct nb_bracket wide = nb_scaled_bracket_of(scaled, 0.25);
        QUEUE_CHECK(wide.lower <= value * 0.75L && wide.upper >= value * 1.25L,
                    "%.21Lg: %.17g to %.17g", value, wide.lower, wide.upper);
        assert_true(nb_scaled_bracket_of(scaled, 3).lower == 0);
    }
    assert_true(nb_scaled_bracket_of(wide_to(0), 0.1).upper == 0);
}

/* Where the error of the exponent grows, the bracket widens, but never beyond 1
 * and never to nothing: a value too small to represent is not 0. */
static void test_far_tails(void **state)
{
    (void)state;
    struct nb_distribution distribution;
    law_geometric(0.5L, 3, &distribution);
    distribution.rate_error = 1e-4;
    for (double n = 8; n < 1e18; n *= 3) {
        const struct nb_bracket tail =
            nb_distribution_tail_bracket(&distribution, n);
        const long double most =
            expl(-wide_of(distribution.rate) * (n - 3) * (1 - 1e-4L)) / 8;
        const long double least =
            expl(-wide_of(distribution.rate) * (n - 3) * (1 + 1e-4L)) / 8;
        QUEUE_CHECK(tail.lower <= least * (1 + 1e-15L) &&
                        tail.upper >= most * (1 - 1e-15L) && tail.upper > 0 &&
                        tail.upper <= 1,
                    "n %g: %.17g to %.17g", n, tail.lower, tail.upper);
    }
    distribution.rate = wide_to(INFINITY);
    distribution.tail[3] = distribution.mass[3] = wide_to(0);
    assert_true(nb_distribution_tail_bracket(&distribution, 4).upper == 0);
    nb_distribution_release(&distribution);
}

/* P(W = n) = P(Q = n + 1) / P(Q > 0): for a geometric length the same
 * distribution. */
static void test_wait(void **state)
{
    (void)state;
    struct nb_distribution distribution, wait = { 0 };
    law_geometric(0.7L, 20, &distribution);
    assert_int_equal(nb_distribution_wait(&distribution, &wait, NULL), NB_OK);
    for (int n = 0; n < 300; n += 7)
        QUEUE_CHECK(queue_holds(nb_distribution_tail_bracket(&wait, n),
                                nb_distribution_tail(&distribution, n), 1e-15),
                    "n %d: %.17g", n, nb_distribution_tail(&wait, n));
    nb_distribution_release(&wait);
    /* A load whose waits are out of range. */
    struct nb_distribution rare = { 0 };
    assert_int_equal(
        nb_distribution_single(nb_load_of_value(1e-121), &rare, NULL), NB_OK);
    struct nb_distribution none;
    assert_int_equal(nb_distribution_wait(&rare, &none, NULL), NB_INVALID);
    nb_distribution_release(&rare);
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        nb_memory_allow(allowed);
        status = nb_distribution_wait(&distribution, &wait, NULL);
        nb_memory_allow(-1);
        if (status == NB_NO_MEMORY)
            assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    nb_distribution_release(&wait);
    nb_distribution_release(&distribution);
}

static bool bracket_is(struct nb_bracket bracket, double lower, double upper)
{
    return bracket.lower == lower && bracket.upper == upper;
}

/* For an empty distribution, for NAN, and beyond the end of a cut one: what is
 * always true. */
static void test_what_is_not_known(void **state)
{
    (void)state;
    struct nb_distribution cut;
    const struct nb_distribution empty = { 0 };
    law_geometric(0.5L, 3, &cut);
    cut.is_cut = true;
    const struct nb_distribution *const both[] = { &empty, &cut };
    const double beyond[] = { 0, 4 };
    const double upper[] = { 1, nb_distribution_tail_bracket(&cut, 3).upper };
    for (size_t i = 0; i < 2; i++) {
        const double numbers[] = { beyond[i], NAN };
        for (size_t k = 0; k < 2; k++) {
            const double n = numbers[k];
            QUEUE_CHECK(isnan(nb_distribution_mass(both[i], n)) &&
                            isnan(nb_distribution_tail(both[i], n)) &&
                            isinf(nb_distribution_tail_error(both[i], n)),
                        "case %zu, n %g", i, n);
        }
        assert_true(nb_distribution_mass(both[i], -1) == 0 &&
                    nb_distribution_tail(both[i], -1) == 1);
        assert_true(bracket_is(nb_distribution_tail_bracket(both[i], 0), 1, 1));
        assert_true(
            bracket_is(nb_distribution_tail_bracket(both[i], NAN), 0, 1));
        assert_true(
            bracket_is(nb_distribution_tail_bracket(both[i], 4), 0, upper[i]));
        assert_true(bracket_is(nb_distribution_mean(both[i]), 0, INFINITY));
        assert_true(bracket_is(nb_distribution_variance(both[i]), 0, INFINITY));
        assert_true(isinf(nb_distribution_depth(both[i], upper[i] / 2).upper));
    }
    nb_distribution_release(&cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_geometric),
        cmocka_unit_test(test_far_error),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_far_depth),
        cmocka_unit_test(test_brackets),
        cmocka_unit_test(test_far_tails),
        cmocka_unit_test(test_wait),
        cmocka_unit_test(test_what_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
