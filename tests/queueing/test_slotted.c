/* Distributions of queues by other methods, in limits and at extremes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/queues.h"
#include "../support/twofold_wide.h"

#include "core/memory.h"
#include "core/random.h"

#include <gsl/gsl_errno.h>
#include <math.h>

/* The recursion in doubles, the tail by summing the rest: right to many digits
 * if it is not small. */
static void test_double_recursion(void **state)
{
    (void)state;
    enum { LEVELS = 2000, MOST = 60 };
    static double pi[LEVELS];
    struct nb_random random;
    nb_random_init(&random, 73, 0);
    for (int trial = 0; trial < 60; trial++) {
        const size_t k = 2 + nb_random_below(&random, 30);
        const double rho = 0.05 + 0.9 * nb_random_unit(&random);
        double p[32], mass[MOST], above[MOST] = { 0 };
        for (size_t i = 0; i < k; i++)
            p[i] = rho / (double)k;
        queue_convolve(p, k, mass, MOST);
        for (size_t m = MOST - 1; m-- > 0;)
            above[m] = above[m + 1] + mass[m + 1];
        pi[0] = 1 - rho;
        for (size_t n = 1; n < LEVELS; n++) {
            double sum = n - 1 < MOST ? pi[0] * above[n - 1] : 0;
            for (size_t i = n > MOST ? n - MOST + 1 : 1; i < n; i++)
                sum += pi[i] * above[n - i];
            pi[n] = sum / mass[0];
        }
        const struct nb_arrivals arrivals = queue_inputs((int64_t)k);
        struct nb_distribution distribution = { 0 };
        queue_must_find(&arrivals, nb_load_of_value(rho), &distribution);
        double tail = 0;
        for (size_t n = LEVELS; n-- > 0;) {
            tail += pi[n];
            if (n % 7 == 0 && n < LEVELS / 2 && tail > 1e-250)
                QUEUE_CHECK(queue_holds(nb_distribution_tail_bracket(
                                            &distribution, (double)n),
                                        tail, 1e-11),
                            "trial %d, radix %zu, load %.17g, depth %zu: %.17g",
                            trial, k, rho, n, tail);
        }
        nb_distribution_release(&distribution);
    }
}

/* Two inputs: Q = V + A with V geometric, P(V >= n) = z^-n. */
static void test_two_inputs(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 74, 0);
    for (int trial = 0; trial < 200; trial++) {
        const double rho = pow(nb_random_unit(&random), 3);
        const long double p = rho / 2.0L, q = 1 - p, root = p / q;
        const struct nb_arrivals arrivals = queue_inputs(2);
        struct nb_distribution distribution = { 0 };
        queue_must_find(&arrivals, nb_load_of_value(rho), &distribution);
        for (int n = 2; n < 500; n += 1 + n / 3) {
            /* sum over A of P(V >= n - A) */
            const long double tail =
                powl(root, 2.0L * n) * powl(q + p / (root * root), 2);
            const long double found = wide_tail(&distribution, n);
            if (tail > 1e-300L)
                QUEUE_CHECK(fabsl(found - tail) <= 1e-15L * (n + 20) * tail,
                            "load %.17g, depth %d: %.21Lg, not %.21Lg", rho, n,
                            found, tail);
        }
        nb_distribution_release(&distribution);
    }
}

/* One input never queues; and without arrivals nothing happens. */
static void test_single(void **state)
{
    (void)state;
    static const char *const loads[] = { "0", "1e-18", "0.3", "0.999", "1" };
    const struct nb_arrivals arrivals = queue_inputs(1);
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        const struct nb_queue_load load = queue_load(loads[i]);
        struct nb_distribution distribution = { 0 };
        assert_true(nb_arrivals_are_stable(&arrivals, load));
        queue_must_find(&arrivals, load, &distribution);
        assert_true(nb_distribution_tail(&distribution, 1) == load.rho.high);
        assert_true(nb_distribution_tail_bracket(&distribution, 2).upper == 0);
        assert_true(nb_distribution_depth(&distribution, 1e-300).upper ==
                    (i == 0 ? 1 : 2));
        struct nb_bracket loss;
        assert_int_equal(
            nb_arrivals_loss(&arrivals, load, 1, &distribution, &loss, NULL),
            NB_OK);
        assert_true(loss.lower == 0 && loss.upper == 0);
        nb_distribution_release(&distribution);
    }
}

/* Many inputs approach Poisson batches: twice the number, half the
 * difference. */
static void test_many_inputs(void **state)
{
    (void)state;
    static const char *const loads[] = { "0.1", "0.5", "0.9", "0.999" };
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        const struct nb_queue_load load = queue_load(loads[i]);
        const struct nb_arrivals poisson = queue_inputs(0);
        struct nb_distribution limit = { 0 };
        queue_must_find(&poisson, load, &limit);
        long double before = 0;
        for (int64_t radix = 4096; radix <= 262144; radix *= 2) {
            const struct nb_arrivals arrivals = queue_inputs(radix);
            struct nb_distribution distribution = { 0 };
            queue_must_find(&arrivals, load, &distribution);
            const long double gap =
                1 - wide_tail(&distribution, 20) / wide_tail(&limit, 20);
            QUEUE_CHECK(gap > 0 &&
                            (before == 0 || fabsl(before / gap - 2) < 0.1L),
                        "load %s, radix %lld: gaps %.17Lg, %.17Lg", loads[i],
                        (long long)radix, before, gap);
            before = gap;
            nb_distribution_release(&distribution);
        }
        nb_distribution_release(&limit);
    }
}

/* More load, more inputs: longer queues; deeper is rarer; all sums to 1; and
 * packets wait as Little's law states: E[Q] = load (1 + E[W]). */
static void test_order(void **state)
{
    (void)state;
    static const int64_t radices[] = { 2, 3, 5, 16, 77, 1000000, 0 };
    static const double loads[] = { 1e-6, 0.03, 0.31, 0.62, 0.93, 0.99999 };
    for (size_t l = 0; l < sizeof loads / sizeof *loads; l++)
        for (size_t r = 0; r < sizeof radices / sizeof *radices; r++) {
            const double rho = loads[l];
            const struct nb_arrivals arrivals = queue_inputs(radices[r]);
            struct nb_distribution distribution = { 0 }, more = { 0 },
                                   wait = { 0 };
            queue_must_find(&arrivals, nb_load_of_value(rho), &distribution);
            queue_must_find(&arrivals, nb_load_of_value(rho * 1.000001), &more);
            const double rest = nb_scaled_value(
                nb_twofold_more(distribution.tail[0], -NB_DISTRIBUTION_SCALE));
            QUEUE_CHECK(fabs(rest) <=
                            distribution.error + distribution.far_error + 1e-30,
                        "radix %lld, load %g: all sum to 1 + %g",
                        (long long)radices[r], rho, rest);
            for (int n = 1;
                 n < 60 && nb_distribution_tail(&more, n + 1) > 1e-300; n++)
                QUEUE_CHECK(nb_distribution_tail(&distribution, n) <
                                    nb_distribution_tail(&more, n) &&
                                nb_distribution_tail(&distribution, n + 1) <
                                    nb_distribution_tail(&distribution, n),
                            "radix %lld, load %g, depth %d",
                            (long long)radices[r], rho, n);
            assert_int_equal(nb_distribution_wait(&distribution, &wait, NULL),
                             NB_OK);
            const struct nb_bracket mean = nb_distribution_mean(&distribution);
            const struct nb_bracket waits = nb_distribution_mean(&wait);
            QUEUE_CHECK(mean.lower <= rho * (1 + waits.upper) * (1 + 1e-15) &&
                            mean.upper >=
                                rho * (1 + waits.lower) * (1 - 1e-15) &&
                            mean.upper - mean.lower < 1e-10 * mean.upper,
                        "radix %lld, load %g: %.17g, %.17g",
                        (long long)radices[r], rho, mean.lower, waits.lower);
            nb_distribution_release(&distribution);
            nb_distribution_release(&more);
            nb_distribution_release(&wait);
        }
}

/* Loads close to 0 and to 1, where the distribution is known by other means:
 * for P(Q >= 2) some two packets must have met, p_1 p_2 + ...; and close to 1,
 * (1 - load) Q is exponential. */
static void test_extremes(void **state)
{
    (void)state;
    static const int64_t radices[] = { 2, 3, 16, 1000000, 0 };
    for (size_t r = 0; r < sizeof radices / sizeof *radices; r++) {
        const struct nb_arrivals arrivals = queue_inputs(radices[r]);
        const double part = radices[r] == 0 ? 1 : 1 - 1 / (double)radices[r];
        struct nb_distribution distribution = { 0 };
        queue_must_find(&arrivals, queue_load("1e-18"), &distribution);
        const double pair = 1e-36 / 2 * part;
        QUEUE_CHECK(queue_holds(nb_distribution_tail_bracket(&distribution, 2),
                                pair, 1e-15),
                    "radix %lld: %.17g", (long long)radices[r],
                    nb_distribution_tail(&distribution, 2));
        assert_true(nb_distribution_tail_bracket(&distribution, 1e9).lower ==
                        0 &&
                    nb_distribution_tail_bracket(&distribution, 1e9).upper ==
                        0x1p-1074);
        nb_distribution_release(&distribution);
        queue_must_find(&arrivals, queue_load("0.999999999999999999"),
                        &distribution);
        const double scale = part / 2 * 1e18;
        const struct nb_bracket tail =
            nb_distribution_tail_bracket(&distribution, scale);
        QUEUE_CHECK(fabs(tail.lower - exp(-1)) < 1e-12 &&
                        fabs(tail.upper - exp(-1)) < 1e-12,
                    "radix %lld: %.17g to %.17g", (long long)radices[r],
                    tail.lower, tail.upper);
        const struct nb_bracket depth =
            nb_distribution_depth(&distribution, 1e-300);
        QUEUE_CHECK(depth.lower <= depth.upper &&
                        fabs(depth.upper / (scale * log(1e300)) - 1) < 1e-12,
                    "radix %lld: %.17g to %.17g", (long long)radices[r],
                    depth.lower, depth.upper);
        nb_distribution_release(&distribution);
    }
}

static void test_failing_memory(void **state)
{
    (void)state;
    const struct nb_arrivals arrivals = queue_inputs(16);
    const struct nb_queue_load load = queue_load("0.7");
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_distribution distribution = { 0 };
        nb_memory_allow(allowed);
        status = nb_arrivals_law(&arrivals, load, &distribution, NULL);
        nb_memory_allow(-1);
        nb_distribution_release(&distribution);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_recursion),
        cmocka_unit_test(test_two_inputs),
        cmocka_unit_test(test_single),
        cmocka_unit_test(test_many_inputs),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_failing_memory),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
