#include "queueing/binomial_tail.h"

#include "core/twofold.h"

#include <float.h>
#include <math.h>

/* The likeliest term; the smallest one that matters; and the least sum that is
 * not too small for a double. With up to 10^7 terms, those left out and those
 * rounded as small doubles are less than 2^-75 of that sum. */
#define TAIL_LIKELIEST 0x1p900
#define TAIL_LAST      0x1p-1000
#define TAIL_LEAST     0x1p-900

/* With up to 10^8 operations on positive numbers, each with an error of at most
 * NB_TWOFOLD_ERROR, the value is nearer to the true one than half a last digit
 * and 2^-70 of it. So is a quotient of such numbers that is a small double. */
static struct nb_bracket tail_bracket(double value)
{
    return (struct nb_bracket){
        .lower = fmax(0, nextafter(value, -INFINITY)),
        .upper = nextafter(value, INFINITY),
    };
}

/* Sums of a distribution's terms, relative to the likeliest term. */
struct tail_sums {
    struct nb_twofold from, below; /* k >= limit, k < limit */
};

static void tail_add(struct tail_sums *sums, uint32_t k, uint32_t limit,
                     struct nb_twofold term)
{
    if (k >= limit)
        sums->from = nb_twofold_add(sums->from, term);
    else
        sums->below = nb_twofold_add(sums->below, term);
}

/* term a / b */
static struct nb_twofold tail_step(struct nb_twofold term, struct nb_twofold a,
                                   struct nb_twofold b)
{
    return nb_twofold_divide(nb_twofold_multiply(term, a), b);
}

/* odds = p / (1 - p) = win / fail, both > 0. Terms fall from the likeliest k
 * outwards. */
static struct tail_sums tail_sum(uint32_t n, nb_int128 win, nb_int128 fail,
                                 uint32_t mode, uint32_t limit)
{
    struct tail_sums sums = { 0 };
    struct nb_twofold term = { TAIL_LIKELIEST, 0 };
    for (uint32_t k = mode; term.high >= TAIL_LAST; k++) {
        tail_add(&sums, k, limit, term);
        if (k == n)
            break;
        term = tail_step(term, nb_twofold_of(win * (n - k)),
                         nb_twofold_of(fail * (k + 1)));
    }
    term = (struct nb_twofold){ TAIL_LIKELIEST, 0 };
    for (uint32_t k = mode; k > 0 && term.high >= TAIL_LAST; k--) {
        term = tail_step(term, nb_twofold_of(fail * k),
                         nb_twofold_of(win * (n - k + 1)));
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
    const nb_int128 mode = ((nb_int128)n + 1) * p.numerator / p.denominator;
    const struct tail_sums sums =
        tail_sum(n, p.numerator, fail, (uint32_t)(mode < n ? mode : n), limit);
    const struct nb_twofold part = is_from ? sums.from : sums.below;
    const bool is_none = is_from ? limit > n : limit == 0;
    if (is_none)
        return (struct nb_bracket){ 0, 0 };
    if (part.high < TAIL_LEAST)
        return (struct nb_bracket){ 0, DBL_TRUE_MIN };
    struct nb_bracket out = tail_bracket(
        nb_twofold_divide(part, nb_twofold_add(sums.from, sums.below)).high);
    out.upper = fmin(out.upper, 1);
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
    struct nb_twofold product = { 1, 0 };
    int exponent = 0; /* the product is that times 2^exponent */
    if (least > n || (least > 0 && p.numerator == 0))
        return (struct nb_bracket){ 0, 0 };
    for (uint32_t i = 0; i < least; i++) {
        product =
            tail_step(product, nb_twofold_of((nb_int128)p.numerator * (n - i)),
                      nb_twofold_of((nb_int128)p.denominator * (i + 1)));
        const int scale = ilogb(product.high);
        product.high = scalbn(product.high, -scale);
        product.low = scalbn(product.low, -scale);
        exponent += scale;
    }
    return tail_bracket(scalbn(product.high, exponent));
}
