/* Confidence limits against exact binomial laws, summed term by term. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "core/random.h"
#include "load/confidence.h"

#include <math.h>

/* P(k of n) at p. */
static double confidence_term(double k, double n, double p)
{
    if (p <= 0 || p >= 1)
        return (p <= 0 && k == 0) || (p >= 1 && k == n);
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
               (n - k) * log1p(-p));
}

/* Solutions of the divergence's equation in 40 decimal digits, and the known
 * closed forms without hits and with all. */
static void test_golden_limits(void **state)
{
    (void)state;
    static const struct {
        uint64_t hits, samples;
        double log_risk, upper;
    } rows[] = {
        { 37, 1000, 2.385, 0.05153127730889805 },
        { 999, 1000, 12.5, 0.9999999986283532 },
        { 1, 7, 0.7, 0.3398230088307561 },
        { 123456, 1000000, 17.25, 0.12539685533623283 },
        { 5000000, 20000000, 3.1, 0.25024114291976997 },
        { 0, 100, 2.9957322735539909, 0.029513049607039932 }, /* risk 0.05 */
        { 100, 100, 2.9957322735539909, 1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double upper = nb_confidence_upper(rows[i].hits, rows[i].samples,
                                                 rows[i].log_risk);
        TOPOLOGY_CHECK(
            upper >= rows[i].upper * (1 - 1e-15) &&
                upper <= rows[i].upper * (1 + 1e-8),
            "%llu of %llu: %.17g, not %.17g", (unsigned long long)rows[i].hits,
            (unsigned long long)rows[i].samples, upper, rows[i].upper);
    }
}

/* The chance of so few hits at the limit is the risk at most, and not less
 * than the risk over sqrt(8 k (1 - k/n)) for 0 < k < n (Ash's lemma): the
 * limit is on the right side and no further out than it must be. */
static void test_limits_of_binomials(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 1965, 1);
    for (int trial = 0; trial < 300; trial++) {
        const double n = 2 + (double)nb_random_below(&random, 3000);
        const double k = (double)nb_random_below(&random, (uint64_t)n);
        const double log_risk = 0.5 + 20 * nb_random_unit(&random);
        const double p =
            nb_confidence_upper((uint64_t)k, (uint64_t)n, log_risk);
        const double risk = exp(-log_risk);
        double tail = 0;
        for (double few = 0; few <= k; few++)
            tail += confidence_term(few, n, p);
        const double least = k == 0 ? risk : risk / sqrt(8 * k * (1 - k / n));
        TOPOLOGY_CHECK(p > k / n && p <= 1 && tail <= risk * (1 + 1e-9) &&
                           tail >= least * (1 - 1e-7),
                       "%g of %g, risk %g: %g, tail %g", k, n, risk, p, tail);
        TOPOLOGY_CHECK(
            nb_confidence_upper((uint64_t)k + 1, (uint64_t)n, log_risk) > p ||
                p == 1,
            "%g of %g", k, n);
    }
}

/* Two groups of n trials each, of probabilities p and q, counted with weights
 * 1 and 0.4: every outcome in which the sum lies too far from its mean. */
static double confidence_misses(double n, double p, double q, double log_risk)
{
    const double mean = p + 0.4 * q;
    double missed = 0;
    for (double a = 0; a <= n; a++)
        for (double b = 0; b <= n; b++) {
            const double sum = a / n + 0.4 * b / n;
            const double each = (a - a * a / n) / (n - 1);
            const double other = (b - b * b / n) / (n - 1);
            const double variance = (each + 0.16 * other) / n;
            const double margin =
                nb_confidence_margin(variance, 1 / n, (uint64_t)n, log_risk);
            if (fabs(sum - mean) > margin)
                missed += confidence_term(a, n, p) * confidence_term(b, n, q);
        }
    return missed;
}

/* The variance and both sides may fail: three times the risk together. */
static void test_margins_of_binomials(void **state)
{
    (void)state;
    static const double chance[] = { 0,   0.003, 0.02, 0.07, 0.15,
                                     0.3, 0.5,   0.8,  0.97, 1 };
    static const size_t count = sizeof chance / sizeof *chance;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            for (double log_risk = 1.5; log_risk < 8; log_risk += 1.5)
                for (double n = 5; n < 50; n += 17) {
                    const double missed =
                        confidence_misses(n, chance[i], chance[j], log_risk);
                    TOPOLOGY_CHECK(missed <= 3 * exp(-log_risk),
                                   "n %g, p %g, q %g, log risk %g: %g", n,
                                   chance[i], chance[j], log_risk, missed);
                }
}

/* The formula in 40 decimal digits. */
static void test_golden_margins(void **state)
{
    (void)state;
    const double few = nb_confidence_margin(0.0123, 0.0371, 17, 2.385);
    const double none = nb_confidence_margin(0, 0.71, 2, 5.5);
    assert_true(fabs(few - 0.37952481761323398) < 1e-14);
    assert_true(fabs(none - 12.346674588800539) < 1e-13);
}

/* With many samples the margin is sqrt(2 L) standard deviations, which for a
 * normal law fails with e^-L at most, and nothing more. */
static void test_margins_of_many_samples(void **state)
{
    (void)state;
    const double log_risk = 4.25, deviation = 0.37;
    const double margin = nb_confidence_margin(
        deviation * deviation, 1e-6 * deviation, 1000000, log_risk);
    const double normal = sqrt(2 * log_risk) * deviation;
    assert_true(margin > normal && margin < normal * (1 + 1e-5));
    assert_true(nb_confidence_margin(0, 0, 2, log_risk) == 0);
    assert_true(fabs(nb_confidence_log_risk(3, 0.05) - log(60)) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_limits),
        cmocka_unit_test(test_limits_of_binomials),
        cmocka_unit_test(test_margins_of_binomials),
        cmocka_unit_test(test_golden_margins),
        cmocka_unit_test(test_margins_of_many_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
