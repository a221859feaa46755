#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/split_case.h"

#include "core/random.h"
#include "queueing/split.h"

#include <math.h>
#include <stdio.h>

/* The mean delay as the header defines it, in plain doubles. */
static double split_mean_of(const struct nb_split *split, double x1, double x2)
{
    const double x[] = { x1, x2 };
    double sum = 0;
    for (int i = 0; i < NB_PATH_CLASSES; i++) {
        const double wait =
            nb_mean_delay_at(split->delay, split->shared[i] * x[i]);
        if (x[i] > 0)
            sum += x[i] * split->hops[i] * (wait + 1);
    }
    return sum / (x1 + x2);
}

static const char *const all_rules[] = { "theorem-5",       "optimal", "gal",
                                         "gal:threshold=3", "cqr",     "rlb",
                                         "minimal" };

/* Random streams: a split below its saturation. */
struct split_trial {
    struct nb_split split;
    struct nb_ratio rate;
    char text[160];
};

static struct split_trial split_draw(struct nb_random *random, const char *rule)
{
    struct split_trial trial;
    const uint32_t m1 = 1 + (uint32_t)nb_random_below(random, 12);
    const uint32_t m2 = m1 + (uint32_t)nb_random_below(random, 12);
    const uint32_t s1 = 1 + (uint32_t)nb_random_below(random, 12);
    const uint32_t s2 = 1 + (uint32_t)nb_random_below(random, 12);
    const bool is_singh = nb_random_below(random, 2) == 1;
    trial.split = split_make(m1, m2, s1, s2, is_singh, rule);
    /* n/1009 of 1/s1 + 1/s2, less than all of it. */
    const int64_t n = 1 + (int64_t)nb_random_below(random, 1008);
    trial.rate = nb_ratio_make(n * (s1 + s2), 1009 * (int64_t)s1 * s2);
    snprintf(trial.text, sizeof trial.text,
             "%s m=%u,%u s=%u,%u singh=%d rate=%lld/%lld", rule, m1, m2, s1, s2,
             is_singh, (long long)trial.rate.numerator,
             (long long)trial.rate.denominator);
    return trial;
}

/* No other split has a smaller mean delay, by a scan of 2000 of them; the
 * scan's best lies close to ours. */
static void test_optimal_is_least(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 1, 0);
    for (int i = 0; i < 300; i++) {
        const struct split_trial trial = split_draw(&random, "optimal");
        const double alpha = nb_ratio_value(trial.rate);
        const struct nb_split_result found = split_at(
            &trial.split, trial.rate.numerator, trial.rate.denominator);
        double least = INFINITY;
        for (int j = 0; j <= 2000; j++) {
            const double x1 = alpha * j / 2000;
            least = fmin(least, split_mean_of(&trial.split, x1, alpha - x1));
        }
        SPLIT_CHECK(found.mean_delay.lower <= least * (1 + 1e-12), "%s",
                    trial.text);
        const double own =
            split_mean_of(&trial.split, found.rate[NB_MINIMAL].lower,
                          found.rate[NB_NONMINIMAL].lower);
        SPLIT_CHECK(fabs(own / found.mean_delay.lower - 1) < 1e-9, "%s",
                    trial.text);
        for (int side = -1; side <= 1; side += 2) {
            const double x1 =
                found.rate[NB_MINIMAL].lower + side * 1e-3 * alpha;
            if (x1 >= 0 && x1 <= alpha)
                SPLIT_CHECK(split_mean_of(&trial.split, x1, alpha - x1) >=
                                own * (1 - 1e-12),
                            "%s", trial.text);
        }
    }
}

/* The rules' own conditions, with the derivatives of mean_delay.h. */
static void test_conditions(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 2, 0);
    static const char *const rules[] = { "theorem-5", "optimal", "cqr" };
    int inner = 0;
    for (int i = 0; i < 3000; i++) {
        const char *rule = rules[i % 3];
        const struct split_trial trial = split_draw(&random, rule);
        const struct nb_split_result found = split_at(
            &trial.split, trial.rate.numerator, trial.rate.denominator);
        double cost[NB_PATH_CLASSES];
        for (int c = 0; c < NB_PATH_CLASSES; c++) {
            const uint32_t m = trial.split.hops[c], s = trial.split.shared[c];
            const double rho = s * found.rate[c].lower;
            cost[c] =
                i % 3 == 0 ? m * s * nb_mean_delay_slope(trial.split.delay, rho)
                : i % 3 == 1
                    ? m * (nb_mean_delay_marginal(trial.split.delay, rho) + 1)
                    : m * nb_mean_delay_at(trial.split.delay, rho);
        }
        /* The class that gets nothing is the more expensive one. */
        if (nb_enclosure_is_zero(found.rate[NB_NONMINIMAL]))
            SPLIT_CHECK(cost[0] <= cost[1] * (1 + 1e-9), "%s", trial.text);
        else if (nb_enclosure_is_zero(found.rate[NB_MINIMAL]))
            SPLIT_CHECK(cost[0] >= cost[1] * (1 - 1e-9), "%s", trial.text);
        else {
            SPLIT_CHECK(fabs(cost[0] - cost[1]) <= 1e-8 * cost[1],
                        "%s: %g and %g", trial.text, cost[0], cost[1]);
            inner++;
        }
    }
    assert_true(inner > 1000);
}

/* Properties of every rule: conservation below saturation, delays of the model,
 * non-minimal packets only from the switch point on. */
static void test_every_rule(void **state)
{
    (void)state;
    struct nb_random random;
    const size_t rules = sizeof all_rules / sizeof *all_rules;
    nb_random_init(&random, 3, 0);
    for (size_t i = 0; i < 7000; i++) {
        const struct split_trial trial =
            split_draw(&random, all_rules[i % rules]);
        const struct nb_enclosure rate = nb_enclosure_of_ratio(trial.rate);
        const struct nb_split_result found = split_at(
            &trial.split, trial.rate.numerator, trial.rate.denominator);
        const struct nb_enclosure sum =
            nb_enclosure_add(found.rate[NB_MINIMAL], found.rate[NB_NONMINIMAL]);
        const bool is_below = nb_enclosure_compare(rate, found.saturation) < 0;
        if (is_below)
            SPLIT_CHECK(sum.lower <= rate.upper && sum.upper >= rate.lower,
                        "%s", trial.text);
        else
            SPLIT_CHECK(isinf(found.mean_delay.lower) &&
                            sum.lower <= rate.upper,
                        "%s", trial.text);
        SPLIT_CHECK(
            nb_enclosure_is_zero(found.rate[NB_NONMINIMAL]) ==
                    (nb_enclosure_compare(rate, found.switch_point) <= 0) ||
                found.rate[NB_NONMINIMAL].lower < 1e-14,
            "%s", trial.text);
        for (int c = 0; c < NB_PATH_CLASSES; c++) {
            const double rho = trial.split.shared[c] * found.rate[c].lower;
            const double delay = trial.split.hops[c] *
                                 (nb_mean_delay_at(trial.split.delay, rho) + 1);
            SPLIT_CHECK(isinf(found.delay[c].lower) ||
                            fabs(delay / found.delay[c].lower - 1) < 1e-9,
                        "%s", trial.text);
            SPLIT_CHECK(found.rate[c].lower * trial.split.shared[c] <=
                            1 + 1e-15,
                        "%s", trial.text);
        }
        if (is_below && !isinf(found.mean_delay.lower)) {
            const double mean = split_mean_of(&trial.split, found.rate[0].lower,
                                              found.rate[1].lower);
            SPLIT_CHECK(fabs(mean / found.mean_delay.lower - 1) < 1e-9, "%s",
                        trial.text);
        }
    }
}

/* Whether a bracket contains a ratio, to the last bit, and is narrow: rates are
 * the rest of 1 - rho, so small ones have an absolute error. */
static bool split_encloses(struct nb_enclosure found, struct nb_ratio a)
{
    const struct nb_enclosure exact = nb_enclosure_of_ratio(a);
    return nb_ratio_is_known(a) && found.lower <= exact.lower &&
           found.upper >= exact.upper &&
           found.upper - found.lower <= 2e-14 * (1 + exact.upper);
}

/* Balanced hops times waits m_i rho_i / (1 - rho_i) with ratios: draw rho_1,
 * then rho_2 = q / (1 + q), q = m_1 rho_1 / (m_2 (1 - rho_1)); bisection must
 * enclose them. */
static void test_exact_solutions(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 6, 0);
    for (int i = 0; i < 2000; i++) {
        const struct nb_split split = split_draw(&random, "cqr").split;
        const uint32_t *m = split.hops, *s = split.shared;
        if (split.delay.constant > 0 || m[0] == m[1])
            continue;
        const int64_t bottom = 2 + (int64_t)nb_random_below(&random, 60);
        const int64_t top =
            1 + (int64_t)nb_random_below(&random, (uint64_t)bottom - 1);
        const int64_t q_top = m[0] * top, q_bottom = m[1] * (bottom - top);
        const struct nb_ratio rate[] = {
            nb_ratio_make(top, bottom * s[0]),
            nb_ratio_make(q_top, (q_top + q_bottom) * s[1])
        };
        const struct nb_ratio alpha = nb_ratio_add(rate[0], rate[1]);
        const struct nb_split_result found =
            split_at(&split, alpha.numerator, alpha.denominator);
        SPLIT_CHECK(!found.is_closed_form, "trial %d", i);
        for (int c = 0; c < NB_PATH_CLASSES; c++) {
            /* m W is equal for both classes. */
            const struct nb_ratio wait =
                nb_ratio_make(m[0] * top, 2 * (bottom - top));
            const struct nb_ratio delay =
                nb_ratio_add(wait, nb_ratio_make(m[c], 1));
            SPLIT_CHECK(split_encloses(found.rate[c], rate[c]) &&
                            split_encloses(found.delay[c], delay),
                        "trial %d: m=%u,%u s=%u,%u rho=%lld/%lld, class %d", i,
                        m[0], m[1], s[0], s[1], (long long)top,
                        (long long)bottom, c);
        }
    }
}

/* gal with a threshold: T packets are on the minimal paths from the switch
 * point on, by Little's law. */
static void test_threshold(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 4, 0);
    static const char *const rules[] = { "gal:threshold=0.001",
                                         "gal:threshold=1/3", "gal:threshold=2",
                                         "gal:threshold=37.5",
                                         "gal:threshold=1000000" };
    int full = 0;
    for (int i = 0; i < 2000; i++) {
        const struct split_trial trial = split_draw(&random, rules[i % 5]);
        const struct nb_split_result found = split_at(
            &trial.split, trial.rate.numerator, trial.rate.denominator);
        const struct nb_enclosure there = nb_enclosure_multiply(
            found.rate[NB_MINIMAL], found.delay[NB_MINIMAL]);
        const double threshold = nb_ratio_value(trial.split.threshold);
        const bool is_full =
            nb_enclosure_compare(nb_enclosure_of_ratio(trial.rate),
                                 found.switch_point) >= 0;
        if (is_full)
            SPLIT_CHECK(there.lower <= threshold * (1 + 1e-12) &&
                            there.upper >= threshold * (1 - 1e-12),
                        "%s: %g", trial.text, there.lower);
        else
            SPLIT_CHECK(there.lower <= threshold, "%s: %g", trial.text,
                        there.lower);
        full += is_full;
    }
    assert_true(full > 500);
}

/* The mean delay has no jump at rate 0, and none before saturation. */
static void test_limits(void **state)
{
    (void)state;
    struct nb_random random;
    const size_t rules = sizeof all_rules / sizeof *all_rules;
    nb_random_init(&random, 5, 0);
    for (size_t i = 0; i < 700; i++) {
        const struct split_trial trial =
            split_draw(&random, all_rules[i % rules]);
        const struct nb_split_result idle = split_at(&trial.split, 0, 1);
        const struct nb_split_result low = split_at(&trial.split, 1, 1000000);
        SPLIT_CHECK(fabs(idle.mean_delay.lower / low.mean_delay.lower - 1) <
                        1e-3,
                    "%s: %g and %g", trial.text, idle.mean_delay.lower,
                    low.mean_delay.lower);
        const struct nb_split_result more = split_at(&trial.split, 1000, 1);
        SPLIT_CHECK(nb_ratio_is_infinite(more.mean_delay.exact), "%s",
                    trial.text);
    }
    /* As the last digit of the rate approaches saturation, nothing cancels. */
    const struct nb_split split = split_make(3, 5, 3, 5, true, "optimal");
    const struct nb_split_result near =
        split_at(&split, 8000000000000000 - 1, 15000000000000000);
    assert_true(near.mean_delay.upper / near.mean_delay.lower < 1 + 1e-14);
    assert_true(near.mean_delay.lower > 1e15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimal_is_least),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_every_rule),
        cmocka_unit_test(test_exact_solutions),
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
