#include "queueing/crommelin.h"

#include "core/twofold_math.h"
#include "queueing/scaled.h"

#include <float.h>
#include <math.h>

/* Terms below this fraction of a sum are left out. */
#define CROMMELIN_LEAST 0x1p-80

struct nb_steps nb_steps_of_ratio(struct nb_ratio t)
{
    const int64_t whole = t.numerator / t.denominator;
    const int64_t rest = t.numerator % t.denominator;
    if (rest == 0)
        return (struct nb_steps){ (double)whole, { 0, 0 } };
    return (struct nb_steps){
        (double)whole + 1,
        nb_twofold_divide(nb_twofold_of(t.denominator - rest),
                          nb_twofold_of(t.denominator)),
    };
}

struct nb_steps nb_steps_of_double(double t)
{
    const double steps = ceil(t);
    return (struct nb_steps){ steps, nb_twofold_sum(steps, -t) };
}

/* P(Pois(mean) >= k) / pois(k; mean), mean < 1 */
static struct nb_twofold crommelin_rest(struct nb_twofold mean, double k)
{
    struct nb_twofold sum = { 1, 0 }, term = { 1, 0 };
    for (double n = k + 1; term.high > CROMMELIN_LEAST / 4; n++) {
        term = nb_twofold_divide(nb_twofold_multiply(term, mean),
                                 nb_twofold_from(n));
        sum = nb_twofold_add(sum, term);
    }
    return sum;
}

struct nb_bracket nb_crommelin_tail(const struct nb_distribution *number,
                                    struct nb_queue_load load,
                                    struct nb_steps t)
{
    const struct nb_twofold mean = nb_twofold_multiply(load.rho, t.back);
    const double k = t.steps;
    /* Both times NB_DISTRIBUTION_SCALE. */
    struct nb_twofold term =
        nb_twofold_exp(nb_twofold_negate(mean), NB_DISTRIBUTION_POWER);
    struct nb_twofold sum = { 0, 0 };
    double error = 0, j = 0;
    if (k == 0)
        return nb_bracket_of(load.rho, NB_TWOFOLD_ERROR);
    /* The terms left out sum to less than P(Pois >= j) <= 2 pois(j), j >= 1. */
    for (; j < k && (j == 0 || 2 * term.high > sum.high * CROMMELIN_LEAST);
         j++) {
        const struct nb_twofold part = nb_scaled_multiply(
            term, nb_distribution_scaled_tail(number, k - j + 1));
        sum = nb_twofold_add(sum, part);
        error += part.high * nb_distribution_tail_error(number, k - j + 1);
        term = nb_twofold_divide(nb_twofold_multiply(term, mean),
                                 nb_twofold_from(j + 1));
    }
    if (j == k)
        sum = nb_twofold_add(
            sum, nb_twofold_multiply(term, crommelin_rest(mean, k)));
    /* Too close to the smallest number to be accurate. */
    if (sum.high < NB_SCALED_MIN)
        return (struct nb_bracket){ 0, DBL_TRUE_MIN };
    /* pois(j): the error of the exponential; per step, three roundings of the
     * mean and two of the step; one rounding per addition, and the terms left
     * out. */
    const double roundings = (6 * j + 64) * NB_TWOFOLD_ERROR +
                             2 * NB_TWOFOLD_MATH_ERROR + 2 * CROMMELIN_LEAST;
    struct nb_bracket bracket =
        nb_scaled_bracket_of(sum, error / sum.high * 1.001 + roundings);
    bracket.upper = bracket.upper < 1 ? bracket.upper : 1;
    return bracket;
}

/* The least double t in (low, high] whose bracket is below overflow: its
 * upper end (is_sure) or its lower end. */
static double crommelin_search(const struct nb_distribution *number,
                               struct nb_queue_load load, double overflow,
                               bool is_sure, double low, double high)
{
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (!(middle > low && middle < high))
            return is_sure ? high : low;
        const struct nb_bracket tail =
            nb_crommelin_tail(number, load, nb_steps_of_double(middle));
        if ((is_sure ? tail.upper : tail.lower) < overflow)
            high = middle;
        else
            low = middle;
    }
}

struct nb_bracket nb_crommelin_quantile(const struct nb_distribution *number,
                                        struct nb_queue_load load,
                                        double overflow)
{
    const struct nb_bracket at_once =
        nb_crommelin_tail(number, load, (struct nb_steps){ 0, { 0, 0 } });
    double high = 1;
    if (at_once.upper < overflow)
        return (struct nb_bracket){ 0, 0 };
    while (nb_crommelin_tail(number, load, nb_steps_of_double(high)).upper >=
           overflow)
        high *= 2;
    return (struct nb_bracket){
        at_once.lower < overflow
            ? 0
            : crommelin_search(number, load, overflow, false, 0, high),
        crommelin_search(number, load, overflow, true, 0, high),
    };
}

void nb_crommelin_moments(struct nb_ratio load, struct nb_ratio *mean,
                          struct nb_ratio *variance)
{
    const struct nb_ratio two = { 2, 1 }, three = { 3, 1 };
    const struct nb_ratio odds =
        nb_ratio_divide(load, nb_ratio_subtract(nb_ratio_one, load));
    *mean = nb_ratio_divide(odds, two);
    *variance = nb_ratio_add(nb_ratio_multiply(*mean, *mean),
                             nb_ratio_divide(odds, three));
}
