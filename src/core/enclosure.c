#include "core/enclosure.h"

#include <math.h>

static const struct nb_enclosure enclosure_none = { .lower = NAN,
                                                    .upper = NAN };

/* Every double operation below rounds to nearest, so one step outward passes
 * the true result. From inf, the step down gives the largest double: a valid
 * lower bound whether the true result is inf or overflowed. */
static double enclosure_down(double value)
{
    return value > 0 ? nextafter(value, 0) : 0;
}

static double enclosure_up(double value)
{
    return nextafter(value, INFINITY);
}

static struct nb_enclosure enclosure_make(struct nb_ratio exact, double lower,
                                          double upper)
{
    if (nb_ratio_is_known(exact))
        return nb_enclosure_of_ratio(exact);
    if (upper == 0) /* 0 is the only value left */
        return nb_enclosure_of_ratio(nb_ratio_zero);
    return (struct nb_enclosure){ .lower = lower, .upper = upper };
}

struct nb_enclosure nb_enclosure_of_ratio(struct nb_ratio a)
{
    struct nb_enclosure result = { .exact = a };
    if (!nb_ratio_is_known(a) || a.numerator < 0 || a.denominator < 0)
        return enclosure_none;
    nb_ratio_bracket(a, &result.lower, &result.upper);
    return result;
}

struct nb_enclosure nb_enclosure_of_bracket(struct nb_bracket bracket)
{
    if (isinf(bracket.lower))
        return nb_enclosure_of_ratio(nb_ratio_infinity);
    return enclosure_make((struct nb_ratio){ 0, 0 }, bracket.lower,
                          bracket.upper);
}

struct nb_enclosure nb_enclosure_of_count(struct nb_bracket bracket)
{
    if (bracket.lower == bracket.upper && bracket.upper < 0x1p53)
        return nb_enclosure_of_ratio(
            nb_ratio_make((nb_int128)bracket.upper, 1));
    return (struct nb_enclosure){ .lower = bracket.lower,
                                  .upper = bracket.upper };
}

struct nb_enclosure nb_enclosure_of_double(double value)
{
    struct nb_enclosure result = { .lower = value, .upper = value };
    int exponent;
    if (!(value >= 0))
        return enclosure_none;
    if (isinf(value)) {
        result.exact = nb_ratio_infinity;
        return result;
    }
    const double mantissa = frexp(value, &exponent);
    const int shift = 53 - exponent; /* value = (mantissa 2^53) / 2^shift */
    if (shift >= 0 && shift <= 120)
        result.exact = nb_ratio_make((nb_int128)ldexp(mantissa, 53),
                                     (nb_int128)1 << shift);
    return result;
}

struct nb_enclosure nb_enclosure_of_whole(uint32_t value)
{
    return nb_enclosure_of_ratio((struct nb_ratio){ value, 1 });
}

struct nb_enclosure nb_enclosure_add(struct nb_enclosure a,
                                     struct nb_enclosure b)
{
    if (nb_ratio_is_infinite(a.exact) || nb_ratio_is_infinite(b.exact))
        return nb_enclosure_of_ratio(nb_ratio_infinity);
    return enclosure_make(nb_ratio_add(a.exact, b.exact),
                          enclosure_down(a.lower + b.lower),
                          enclosure_up(a.upper + b.upper));
}

struct nb_enclosure nb_enclosure_excess(struct nb_enclosure a,
                                        struct nb_enclosure b)
{
    struct nb_ratio exact = nb_ratio_subtract(a.exact, b.exact);
    if (nb_ratio_is_known(exact) && exact.numerator < 0)
        exact = nb_ratio_zero;
    /* A difference of doubles has the right sign, and is 0 only if they are
     * equal. */
    const double lower = a.lower - b.upper, upper = a.upper - b.lower;
    return enclosure_make(exact, enclosure_down(lower),
                          upper > 0 ? enclosure_up(upper) : 0);
}

static double enclosure_product(double a, double b)
{
    return a > 0 && b > 0 ? a * b : 0;
}

struct nb_enclosure nb_enclosure_multiply(struct nb_enclosure a,
                                          struct nb_enclosure b)
{
    const double upper = enclosure_product(a.upper, b.upper);
    if ((nb_ratio_is_infinite(a.exact) && b.lower > 0) ||
        (nb_ratio_is_infinite(b.exact) && a.lower > 0))
        return nb_enclosure_of_ratio(nb_ratio_infinity);
    return enclosure_make(nb_ratio_multiply(a.exact, b.exact),
                          enclosure_down(enclosure_product(a.lower, b.lower)),
                          a.upper > 0 && b.upper > 0 ? enclosure_up(upper) : 0);
}

struct nb_enclosure nb_enclosure_divide(struct nb_enclosure a,
                                        struct nb_enclosure b)
{
    if (nb_ratio_is_infinite(a.exact) && b.upper < INFINITY)
        return nb_enclosure_of_ratio(nb_ratio_infinity);
    return enclosure_make(nb_ratio_divide(a.exact, b.exact),
                          enclosure_down(a.lower / b.upper),
                          a.upper > 0 ? enclosure_up(a.upper / b.lower) : 0);
}

/* The root of a perfect square; -1 of other numbers. */
static int64_t enclosure_whole_root(int64_t a)
{
    int64_t root = (int64_t)sqrt((double)a); /* off by at most one */
    while ((nb_int128)root * root > a)
        root--;
    while ((nb_int128)(root + 1) * (root + 1) <= a)
        root++;
    return root * root == a ? root : -1;
}

struct nb_enclosure nb_enclosure_root(struct nb_enclosure a)
{
    struct nb_ratio exact = { 0, 0 };
    if (nb_ratio_is_known(a.exact)) {
        const int64_t top = enclosure_whole_root(a.exact.numerator);
        const int64_t bottom = enclosure_whole_root(a.exact.denominator);
        if (top >= 0 && bottom >= 0)
            exact = (struct nb_ratio){ top, bottom };
    }
    return enclosure_make(exact, enclosure_down(sqrt(a.lower)),
                          a.upper > 0 ? enclosure_up(sqrt(a.upper)) : 0);
}

int nb_enclosure_compare(struct nb_enclosure a, struct nb_enclosure b)
{
    if (nb_ratio_is_known(a.exact) && nb_ratio_is_known(b.exact))
        return nb_ratio_compare(a.exact, b.exact);
    return (a.lower > b.upper) - (a.upper < b.lower);
}

/* The smaller of two, or with sign -1 the larger. */
static struct nb_enclosure enclosure_choose(struct nb_enclosure a,
                                            struct nb_enclosure b, int sign)
{
    const bool are_known =
        nb_ratio_is_known(a.exact) && nb_ratio_is_known(b.exact);
    const int order = sign * nb_enclosure_compare(a, b);
    if (order != 0 || are_known)
        return order > 0 ? b : a;
    return (struct nb_enclosure){
        .lower = (a.lower < b.lower) == (sign > 0) ? a.lower : b.lower,
        .upper = (a.upper < b.upper) == (sign > 0) ? a.upper : b.upper,
    };
}

struct nb_enclosure nb_enclosure_least(struct nb_enclosure a,
                                       struct nb_enclosure b)
{
    return enclosure_choose(a, b, 1);
}

struct nb_enclosure nb_enclosure_most(struct nb_enclosure a,
                                      struct nb_enclosure b)
{
    return enclosure_choose(a, b, -1);
}

struct nb_interval nb_interval_of_equal(double value, size_t count, double most)
{
    const double others = -expm1(log(0.05) / (double)count);
    return (struct nb_interval){ value, value - others * value,
                                 value + others * (most - value) };
}

bool nb_enclosure_is_zero(struct nb_enclosure a)
{
    return a.upper == 0;
}
