/* Confidence margins against exact binomial distributions, summed term by term.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "load/confidence.h"
#include "load/path_tally.h"

#include <math.h>

/* P(k of n) at p. */
static double confidence_term(double k, double n, double p)
{
    if (p <= 0 || p >= 1)
        return (p <= 0 && k == 0) || (p >= 1 && k == n);
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
               (n - k) * log1p(-p));
}

/* Quantiles of the normal distribution, from tables of many digits. */
static void test_golden_deviations(void **state)
{
    (void)state;
    assert_true(fabs(nb_confidence_deviations(1) - 1.959963984540054) < 1e-14);
    assert_true(fabs(nb_confidence_deviations(5) - 2.575829303548901) < 1e-14);
    assert_true(fabs(nb_confidence_deviations(25) - 3.090232306167813) < 1e-14);
    assert_true(nb_confidence_deviations(1e290) < 38);
}

/* n trials of two groups, weights 1 and 0.4: their sum and its limits. */
struct confidence_case {
    double sum, variance, third;
};

static struct confidence_case confidence_count(double n, double a, double b)
{
    const double each = (a - a * a / n) / (n - 1);
    const double other = (b - b * b / n) / (n - 1);
    return (struct confidence_case){
        a / n + 0.4 * b / n,
        (each + 0.16 * other) / n,
        n > 2 ? (nb_sample_third(a, a, a, n) +
                 0.064 * nb_sample_third(b, b, b, n)) /
                    (n * n)
              : 0,
    };
}

/* Every outcome in which the sum lies too far from its mean: with margins by
 * the range, or by slopes from the distance of one trial to its mean. */
static double confidence_misses(double n, double p, double q, double deviations,
                                bool has_slope)
{
    const double mean = p + 0.4 * q;
    double below = 0, above = 0;
    for (double a = 0; a <= n; a++)
        for (double b = 0; b <= n; b++) {
            const struct confidence_case at = confidence_count(n, a, b);
            double up = 1 / n, down = 1 / n;
            if (has_slope) {
                up = fmax(1 - a / n, 0.4 * (1 - b / n)) / n;
                down = fmax(a / n, 0.4 * b / n) / n;
                up = nb_confidence_slope(at.variance, at.third, up);
                down = nb_confidence_slope(at.variance, -at.third, down);
            }
            const double chance =
                confidence_term(a, n, p) * confidence_term(b, n, q);
            up = nb_confidence_margin(at.variance, up, deviations);
            down = nb_confidence_margin(at.variance, down, deviations);
            below += at.sum + up < mean - 1e-12 ? chance : 0;
            above += at.sum - down > mean + 1e-12 ? chance : 0;
        }
    return fmax(below, above);
}

/* Either side fails no more often than the normal distribution predicts, for
 * few trials or many. */
static void test_margins_of_binomials(void **state)
{
    (void)state;
    static const double chance[] = { 0,   0.003, 0.02, 0.07, 0.15,
                                     0.3, 0.5,   0.8,  0.97, 1 };
    static const size_t count = sizeof chance / sizeof *chance;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            for (double events = 1; events < 300; events *= 6)
                for (double n = 2; n < 90; n = 2 * n + 1) {
                    const double risk = 0.025 / events;
                    const double z = nb_confidence_deviations(events);
                    const double missed =
                        confidence_misses(n, chance[i], chance[j], z, false);
                    TOPOLOGY_CHECK(missed <= risk,
                                   "n %g, p %g, q %g, risk %g: %g", n,
                                   chance[i], chance[j], risk, missed);
                    const double sloping =
                        confidence_misses(n, chance[i], chance[j], z, true);
                    TOPOLOGY_CHECK(n == 2 || sloping <= risk,
                                   "slopes, n %g, p %g, q %g, risk %g: %g", n,
                                   chance[i], chance[j], risk, sloping);
                }
}

/* And not much less often where trials are many: 1000 at 0.3. */
static void test_margins_are_nominal(void **state)
{
    (void)state;
    const double n = 1000, p = 0.3;
    double missed = 0;
    for (double k = 0; k <= n; k++) {
        const double variance = (k - k * k / n) / (n - 1) / n;
        const double margin =
            nb_confidence_margin(variance, 1 / n, nb_confidence_deviations(1));
        if (fabs(k / n - p) > margin)
            missed += confidence_term(k, n, p);
    }
    TOPOLOGY_CHECK(missed > 0.03 && missed <= 0.05, "%g", missed);
}

/* The slope of Poisson's distribution is one count, that of fair coins 0, and
 * that where nothing was seen the range. */
static void test_golden_slopes(void **state)
{
    (void)state;
    assert_true(fabs(nb_confidence_slope(1e9, 1e9, 1) - 1) < 1e-8);
    assert_true(nb_confidence_slope(1e9, -1e9, 1) == 0);
    assert_true(nb_confidence_slope(1e9, 0, 1) < 1e-8);
    assert_true(nb_confidence_slope(0, 0, 0.25) == 0.25);
    assert_true(nb_confidence_slope(0, 0, 0) == 0);
}

/* If nothing was seen, Wilson's limit is z^2 / n for small probabilities; for
 * counts, the roots of m^2 = z^2 (variance + range m). */
static void test_golden_margins(void **state)
{
    (void)state;
    const double z = 2.5;
    const double few = nb_confidence_margin(0.0123, 0.0371, z);
    assert_true(fabs(few * few - z * z * (0.0123 + 0.0371 * few)) < 1e-15);
    assert_true(fabs(nb_confidence_margin(0, 0.01, z) - 0.0625) < 1e-15);
    assert_true(fabs(nb_confidence_margin(0.25, 0, z) - 1.25) < 1e-15);
    assert_true(nb_confidence_margin(0, 0, z) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_deviations),
        cmocka_unit_test(test_margins_of_binomials),
        cmocka_unit_test(test_margins_are_nominal),
        cmocka_unit_test(test_golden_margins),
        cmocka_unit_test(test_golden_slopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
