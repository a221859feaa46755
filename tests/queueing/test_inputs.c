/* Arrivals in a slot: their distribution, their decay, the queue's moments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/queues.h"
#include "../support/twofold_wide.h"

#include "core/memory.h"
#include "core/random.h"
#include "queueing/inputs.h"

#include <fenv.h>
#include <float.h>
#include <gsl/gsl_errno.h>
#include <math.h>

enum { MOST = 12 };

/* P(A = m) by all subsets of inputs that can send. */
static void inputs_enumerate(const long double *p, size_t count,
                             long double *mass)
{
    for (size_t m = 0; m <= count; m++)
        mass[m] = 0;
    for (size_t set = 0; set < (size_t)1 << count; set++) {
        long double chance = 1;
        size_t m = 0;
        for (size_t i = 0; i < count; i++) {
            const bool sends = set >> i & 1;
            chance *= sends ? p[i] : 1 - p[i];
            m += sends;
        }
        mass[m] += chance;
    }
}

/* Random probabilities, some of them equal, some close to 0 or 1. */
static void inputs_draw(struct nb_random *random, size_t count,
                        struct nb_ratio *p)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t kind = nb_random_below(random, 4);
        const int64_t below = (int64_t)1 << 40;
        const int64_t above =
            (int64_t)nb_random_below(random, kind == 1 ? 1000 : 1 << 30) << 10;
        p[i] = nb_ratio_make(kind == 2 ? below - above / 1024 : above, below);
        if (i > 0 && kind == 3)
            p[i] = p[i - 1];
    }
}

static double inputs_error_at(struct nb_inputs_error error, size_t m)
{
    return error.each + (double)m * error.step;
}

/* The same, and the roundings of what it is compared with. */
static long double inputs_wide(struct nb_inputs_error error, size_t m)
{
    return inputs_error_at(error, m) + 64 * LDBL_EPSILON;
}

static void test_enumeration(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 51, 0);
    for (int trial = 0; trial < 300; trial++) {
        const size_t count = 1 + nb_random_below(&random, 9);
        struct nb_ratio p[MOST], sum;
        struct nb_twofold mass[MOST], above[MOST];
        long double chance[MOST], expected[MOST], rest = 0;
        struct nb_inputs_error error;
        struct nb_inputs inputs;
        inputs_draw(&random, count, p);
        for (size_t i = 0; i < count; i++)
            chance[i] =
                (long double)p[i].numerator / (long double)p[i].denominator;
        assert_int_equal(nb_inputs_sum(p, count, &sum, NULL), NB_OK);
        assert_int_equal(
            nb_inputs_unequal(p, count, nb_load_of_ratio(sum), &inputs, NULL),
            NB_OK);
        assert_int_equal(
            nb_inputs_law(&inputs, MOST, mass, above, &error, NULL), NB_OK);
        inputs_enumerate(chance, count, expected);
        for (size_t m = MOST; m-- > 0;) {
            const long double right = m <= count ? expected[m] : 0;
            const long double wide = inputs_wide(error, m);
            const long double found = wide_of_scaled(mass[m]);
            const long double more = wide_of_scaled(above[m]);
            QUEUE_CHECK(fabsl(found - right) <= wide * right &&
                            fabsl(more - rest) <= wide * rest &&
                            inputs_error_at(error, m) < 1e-24,
                        "trial %d, %zu inputs, m %zu: %.21Lg, not %.21Lg",
                        trial, count, m, found, right);
            rest += right;
        }
        QUEUE_CHECK(fabsl(wide_of(nb_inputs_log_none(&inputs)) -
                          logl(expected[0])) < 1e-16L,
                    "trial %d", trial);
        nb_inputs_release(&inputs);
    }
}

/* P(A > m) far out, where it is small: against the incomplete sums from the
 * other side, over more masses. */
static void test_far_arrivals(void **state)
{
    (void)state;
    static const char *const loads[] = { "1e-18", "0.01", "0.999", "40" };
    for (size_t l = 0; l < sizeof loads / sizeof *loads; l++) {
        const struct nb_queue_load load = queue_load(loads[l]);
        const struct nb_inputs inputs = nb_inputs_poisson(load);
        for (size_t count = 1; count < 200; count += 1 + count / 2) {
            struct nb_twofold mass[200], above[200];
            const long double rho = wide_of(load.rho);
            long double sum = 0;
            struct nb_inputs_error error;
            assert_int_equal(
                nb_inputs_law(&inputs, count, mass, above, &error, NULL),
                NB_OK);
            const size_t last = count - 1;
            for (int m = 400; m > (int)last; m--)
                sum += expl(m * logl(rho) - rho - lgammal(m + 1.0L));
            const long double found = wide_of_scaled(above[last]);
            if (sum < 1e-400L) /* below the range of the masses */
                break;
            QUEUE_CHECK(fabsl(found - sum) <= 1e-15L * sum &&
                            inputs_error_at(error, last) < 1e-24,
                        "load %s, count %zu: %.21Lg, not %.21Lg", loads[l],
                        count, found, sum);
        }
    }
}

static bool inputs_are_near(struct nb_twofold a, struct nb_twofold b,
                            double error)
{
    return fabs(nb_twofold_subtract(a, b).high) <= error * a.high;
}

/* If every rounding is up, or every one down, errors add up as in the worst
 * case: both results are still within the stated errors. */
static void test_one_sided_roundings(void **state)
{
    (void)state;
    enum { COUNT = 150 };
    static const char *const loads[] = { "0.01", "0.999", "7", "40" };
    for (size_t l = 0; l < sizeof loads / sizeof *loads; l++) {
        const struct nb_inputs inputs = nb_inputs_poisson(queue_load(loads[l]));
        const int modes[2] = { FE_UPWARD, FE_DOWNWARD };
        struct nb_twofold mass[2][COUNT], above[2][COUNT];
        struct nb_inputs_error error;
        for (size_t k = 0; k < 2; k++) {
            fesetround(modes[k]);
            const enum nb_status status =
                nb_inputs_law(&inputs, COUNT, mass[k], above[k], &error, NULL);
            fesetround(FE_TONEAREST);
            assert_int_equal(status, NB_OK);
        }
        for (size_t m = 0; m < COUNT && wide_of_scaled(above[0][m]) > 1e-400L;
             m++) {
            const double wide = 2.01 * inputs_error_at(error, m);
            QUEUE_CHECK(inputs_are_near(mass[0][m], mass[1][m], wide) &&
                            inputs_are_near(above[0][m], above[1][m], wide),
                        "load %s, m %zu: %a + %a, %a + %a", loads[l], m,
                        mass[0][m].high, mass[0][m].low, mass[1][m].high,
                        mass[1][m].low);
        }
    }
}

/* An input that pauses once in 10^9 slots: its idle share must not be the
 * rounding error of p. */
static void test_nearly_always(void **state)
{
    (void)state;
    const struct nb_ratio p[] = { { 999999999, 1000000000 },
                                  { 1, 3000000000 } };
    struct nb_ratio sum;
    struct nb_inputs inputs;
    struct nb_twofold mass[3], above[3];
    struct nb_inputs_error error;
    assert_int_equal(nb_inputs_sum(p, 2, &sum, NULL), NB_OK);
    assert_int_equal(
        nb_inputs_unequal(p, 2, nb_load_of_ratio(sum), &inputs, NULL), NB_OK);
    assert_int_equal(nb_inputs_law(&inputs, 3, mass, above, &error, NULL),
                     NB_OK);
    const long double none = 1e-9L * (2999999999 / 3000000000.0L);
    const long double both = 999999999e-9L / 3000000000.0L;
    const long double wide = inputs_wide(error, 2);
    assert_true(fabsl(wide_of_scaled(mass[0]) - none) <= wide * none);
    assert_true(fabsl(wide_of_scaled(above[1]) - both) <= wide * both &&
                above[2].high == 0);
    assert_true(inputs_error_at(error, 2) < 1e-24);
    nb_inputs_release(&inputs);
}

/* Inputs scaled to another load equal those of that load. */
static void test_scaled(void **state)
{
    (void)state;
    const struct nb_ratio half[3] = { { 1, 2 }, { 3, 10 }, { 1, 10 } };
    const struct nb_ratio whole[3] = { { 1, 4 }, { 3, 20 }, { 1, 20 } };
    struct nb_inputs scaled, plain;
    const struct nb_queue_load load = queue_load("0.45");
    assert_int_equal(nb_inputs_unequal(half, 3, load, &scaled, NULL), NB_OK);
    assert_int_equal(nb_inputs_unequal(whole, 3, load, &plain, NULL), NB_OK);
    for (size_t i = 0; i < 3; i++)
        assert_true(inputs_are_near(scaled.groups[i].p, plain.groups[i].p,
                                    4 * NB_TWOFOLD_ERROR) &&
                    inputs_are_near(scaled.groups[i].q, plain.groups[i].q,
                                    4 * NB_TWOFOLD_ERROR));
    nb_inputs_release(&scaled);
    nb_inputs_release(&plain);
}

/* A(z) = z at the decay found, within its stated error; for inputs that nearly
 * always or nearly never send, and loads close to 1. */
static void test_decay(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 52, 0);
    for (int trial = 0; trial < 2000; trial++) {
        const size_t count = 2 + nb_random_below(&random, 6);
        struct nb_ratio p[MOST], sum = nb_ratio_zero;
        struct nb_inputs inputs;
        struct nb_twofold step, rate;
        long double sent = 0;
        double error;
        inputs_draw(&random, count, p);
        for (size_t i = 0; i < count; i++)
            sum = nb_ratio_add(sum, p[i]);
        if (nb_ratio_compare(sum, nb_ratio_one) >= 0)
            continue;
        const struct nb_queue_load load = nb_load_of_ratio(sum);
        assert_int_equal(nb_inputs_unequal(p, count, load, &inputs, NULL),
                         NB_OK);
        struct nb_error err = { 0 };
        const enum nb_status status =
            nb_inputs_decay(&inputs, &step, &rate, &error, &err);
        QUEUE_CHECK(status == NB_OK, "trial %d: %s", trial, err.message);
        if (nb_inputs_are_single(&inputs)) {
            assert_true(isinf(rate.high));
        } else {
            for (size_t i = 0; i < inputs.group_count; i++)
                sent += inputs.groups[i].inputs *
                        log1pl(wide_of(inputs.groups[i].p) * wide_of(step));
            const long double ln_z = wide_of(rate), more = wide_of(step);
            QUEUE_CHECK(fabsl(sent - ln_z) <= 1e-17L * (1 + ln_z) && ln_z > 0 &&
                            error < 1e-20 &&
                            fabsl(expm1l(ln_z) - more) <= 1e-17L * more,
                        "trial %d, load %.17g: ln z %.21Lg, ln A %.21Lg, "
                        "error %g",
                        trial, load.rho.high, ln_z, sent, error);
        }
        nb_inputs_release(&inputs);
    }
}

/* Roots known without rounding, some at ends of the brackets tried. */
static void test_known_decay(void **state)
{
    (void)state;
    static const struct {
        struct nb_ratio p[2];
        long double step;
    } rows[] = {
        { { { 1, 3 }, { 1, 2 } }, 1 },
        { { { 1, 16 }, { 15, 32 } }, 16 },
        { { { 1, 2 }, { 16, 33 } }, 0.0625L },
        { { { 1, 3 }, { 1, 3 } }, 3 },
        { { { 1, 256 }, { 255, 512 } }, 256 },
        { { { 999999999, 1000000000 }, { 1, 2000000000 } },
          0.5e-9L / (999999999e-9L * 0.5e-9L) },
        { { { 99999999999999999, 100000000000000000 },
            { 9, 1000000000000000000 } },
          1e-18L / (9e-18L * 0.99999999999999999L) },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nb_inputs inputs;
        struct nb_ratio sum;
        struct nb_twofold step, rate;
        double error;
        struct nb_error err = { 0 };
        assert_int_equal(nb_inputs_sum(rows[i].p, 2, &sum, NULL), NB_OK);
        assert_int_equal(nb_inputs_unequal(rows[i].p, 2, nb_load_of_ratio(sum),
                                           &inputs, NULL),
                         NB_OK);
        const enum nb_status status =
            nb_inputs_decay(&inputs, &step, &rate, &error, &err);
        QUEUE_CHECK(status == NB_OK &&
                        fabsl(wide_of(step) - rows[i].step) <=
                            (error + 4 * LDBL_EPSILON) * rows[i].step &&
                        error < 1e-21,
                    "row %zu: %.21Lg, not %.21Lg, error %g (%s)", i,
                    wide_of(step), rows[i].step, error, err.message);
        nb_inputs_release(&inputs);
    }
}

/* The queue's moments as ratios against sums over its generating function's
 * derivatives in doubles, and the cases that must be unknown. */
static void test_moments(void **state)
{
    (void)state;
    for (int64_t k = 0; k <= 40; k++)
        for (int64_t tenth = 0; tenth < 10; tenth++) {
            const struct nb_ratio load = nb_ratio_make(tenth, 10);
            struct nb_ratio mean, variance;
            nb_inputs_bernoulli_moments(load, k, &mean, &variance);
            const double rho = (double)tenth / 10;
            const double part = k == 0 ? 1 : 1 - 1 / (double)k;
            const double third = k == 0 ? 1 : part * (1 - 2 / (double)k);
            const double found = rho * rho * part / (2 * (1 - rho));
            const double square = rho * rho * rho * third / (3 * (1 - rho)) +
                                  2 * found * found + found;
            const double both =
                square - found * found + rho + rho * rho * part - rho * rho;
            QUEUE_CHECK(fabs(nb_ratio_value(mean) - rho - found) < 1e-13 &&
                            fabs(nb_ratio_value(variance) - both) <
                                1e-12 * (1 + both),
                        "k %lld, load %g", (long long)k, rho);
        }
    struct nb_ratio mean, variance;
    const struct nb_ratio fine = { 999999999999999, 1000000000000000 };
    nb_inputs_bernoulli_moments(fine, 16, &mean, &variance);
    assert_false(nb_ratio_is_known(variance));
}

static void test_refusals(void **state)
{
    (void)state;
    const struct nb_ratio p[] = { { 1, 999999937 },
                                  { 1, 999999893 },
                                  { 1, 999999883 } };
    struct nb_ratio sum;
    struct nb_error err = { 0 };
    assert_int_equal(nb_inputs_sum(p, 3, &sum, &err), NB_OVERFLOW);
    assert_non_null(err.message);
    const struct nb_ratio few[] = { { 1, 2 }, { 1, 3 } };
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_inputs inputs = { 0 };
        struct nb_twofold mass[4], above[4];
        struct nb_inputs_error error;
        nb_memory_allow(allowed);
        status = nb_inputs_unequal(few, 2, queue_load("5/6"), &inputs, NULL);
        if (status == NB_OK)
            status = nb_inputs_law(&inputs, 4, mass, above, &error, NULL);
        nb_memory_allow(-1);
        nb_inputs_release(&inputs);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enumeration),
        cmocka_unit_test(test_far_arrivals),
        cmocka_unit_test(test_one_sided_roundings),
        cmocka_unit_test(test_scaled),
        cmocka_unit_test(test_nearly_always),
        cmocka_unit_test(test_decay),
        cmocka_unit_test(test_known_decay),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_refusals),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
