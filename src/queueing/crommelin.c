#include "queueing/crommelin.h"

#include <float.h>
#include <math.h>

struct nb_steps nb_steps_of_ratio(struct nb_ratio t)
{
    const int64_t whole = t.numerator / t.denominator;
    const int64_t rest = t.numerator % t.denominator;
    if (rest == 0)
        return (struct nb_steps){ (double)whole, 0 };
    return (struct nb_steps){ (double)whole + 1,
                              (long double)(t.denominator - rest) /
                                  (long double)t.denominator };
}

struct nb_steps nb_steps_of_double(double t)
{
    const double steps = ceil(t);
    return (struct nb_steps){ steps, (long double)steps - (long double)t };
}

/* P(Pois(mean) >= k) / pois(k; mean), mean < 1 */
static long double crommelin_rest(long double mean, double k)
{
    long double sum = 1, term = 1;
    for (long double n = (long double)k + 1; term > LDBL_EPSILON / 4; n++) {
        term *= mean / n;
        sum += term;
    }
    return sum;
}

struct nb_bracket nb_crommelin_tail(const struct nb_distribution *number,
                                    struct nb_queue_load load,
                                    struct nb_steps t)
{
    const long double mean = load.rho * t.back;
    const double k = t.steps;
    long double term = expl(-mean), sum = 0, error = 0;
    double j = 0;
    if (k == 0)
        return nb_bracket_of(load.rho, LDBL_EPSILON);
    /* The terms left out sum to less than P(Pois >= j) <= 2 pois(j), j >= 1. */
    for (; j < k && (j == 0 || 2 * term > sum * LDBL_EPSILON); j++) {
        const long double part = term * nb_distribution_tail(number, k - j + 1);
        sum += part;
        error += part * nb_distribution_tail_error(number, k - j + 1);
        term *= mean / ((long double)j + 1);
    }
    if (j == k)
        sum += term * crommelin_rest(mean, k);
    if (sum < 1e-4000L) /* too close to the smallest number to be accurate */
        return (struct nb_bracket){ 0, DBL_TRUE_MIN };
    /* pois(j): per step, three roundings of the mean and two of the step; one
     * rounding per addition, and the terms left out. */
    const long double roundings = (6 * (long double)j + 32) * LDBL_EPSILON;
    struct nb_bracket bracket =
        nb_bracket_of(sum, error / sum * 1.001L + roundings);
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
        nb_crommelin_tail(number, load, (struct nb_steps){ 0, 0 });
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
