#include "queueing/binomial_tail.h"

#include <float.h>
#include <math.h>

/* The value after this many operations on positive numbers, each with a
 * relative rounding error of LDBL_EPSILON / 2. */
static struct nb_bracket tail_bracket(long double value, double operations)
{
    const long double error = 2 * operations * LDBL_EPSILON;
    const double lower = (double)(value * (1 - error));
    const double upper = (double)(value * (1 + error));
    return (struct nb_bracket){
        .lower = fmax(0, nextafter(lower, -INFINITY)),
        .upper = nextafter(upper, INFINITY),
    };
}

/* Below twice this value, which is all that is known. */
static struct nb_bracket tail_below(long double value)
{
    return (struct nb_bracket){ 0, nextafter((double)(2 * value), INFINITY) };
}

/* Sums of a distribution's terms, relative to the likeliest term. */
struct tail_sums {
    long double from, below; /* k >= limit, k < limit */
};

static void tail_add(struct tail_sums *sums, uint32_t k, uint32_t limit,
                     long double term)
{
    if (k >= limit)
        sums->from += term;
    else
        sums->below += term;
}

/* 0 < odds = p / (1 - p) < inf. Terms fall from the likeliest k outwards; a
 * term below the least long double counts as that. */
static struct tail_sums tail_sum(uint32_t n, long double odds, uint32_t mode,
                                 uint32_t limit)
{
    struct tail_sums sums = { 0, 0 };
    long double term = 1;
    for (uint32_t k = mode;; k++) {
        tail_add(&sums, k, limit, term);
        if (k == n)
            break;
        term *= odds * (long double)(n - k) / (long double)(k + 1);
    }
    term = 1;
    for (uint32_t k = mode; k > 0; k--) {
        term *= (long double)k / (odds * (long double)(n - k + 1));
        tail_add(&sums, k - 1, limit, term);
    }
    return sums;
}

/* P(X >= limit), or P(X < limit). */
static struct nb_bracket tail_find(uint32_t n, struct nb_ratio p,
                                   uint32_t limit, bool is_from)
{
    const nb_int128 fail = p.denominator - p.numerator;
    if (p.numerator == 0 || fail == 0) { /* X is certainly 0, or n */
        const bool is_reached = (p.numerator == 0 ? 0 : n) >= limit;
        const double value = is_reached == is_from;
        return (struct nb_bracket){ value, value };
    }
    const long double odds = (long double)p.numerator / (long double)fail;
    const long double mode =
        floorl(((long double)n + 1) * p.numerator / (long double)p.denominator);
    const struct tail_sums sums =
        tail_sum(n, odds, (uint32_t)fminl(mode, n), limit);
    const long double part = is_from ? sums.from : sums.below;
    struct nb_bracket out =
        tail_bracket(part / (sums.from + sums.below), 6.0 * n + 8);
    const bool is_none = is_from ? limit > n : limit == 0;
    if (is_none)
        return (struct nb_bracket){ 0, 0 };
    out.upper = fmin(out.upper, 1);
    if (part < LDBL_MIN * n) /* products below it may have been lost */
        out = tail_below(LDBL_MIN * n);
    return out;
}

struct nb_bracket nb_binomial_at_least(uint32_t n, struct nb_ratio p,
                                       uint32_t least)
{
    return tail_find(n, p, least, true);
}

struct nb_bracket nb_binomial_at_most(uint32_t n, struct nb_ratio p,
                                      uint32_t most)
{
    if (most >= n)
        return (struct nb_bracket){ 1, 1 };
    return tail_find(n, p, most + 1, false);
}

struct nb_bracket nb_binomial_union(uint32_t n, struct nb_ratio p,
                                    uint32_t least)
{
    const long double each =
        (long double)p.numerator / (long double)p.denominator;
    long double product = 1;
    if (least > n)
        return (struct nb_bracket){ 0, 0 };
    for (uint32_t i = 0; i < least; i++)
        product *= each * (long double)(n - i) / (long double)(i + 1);
    if (product < LDBL_MIN * 1e6L)
        return tail_below(LDBL_MIN * 1e6L);
    return tail_bracket(product, 4.0 * least + 4);
}
