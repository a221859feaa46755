/* Twofold: numbers of 106 bits, each the sum of two doubles, made from
 * operations of doubles only. They are the same on every machine, unlike long
 * doubles, whose precision differs. */
#ifndef NB_CORE_TWOFOLD_H
#define NB_CORE_TWOFOLD_H

#include "core/ratio.h"

#include <math.h>

/* The value is high + low, and high is the nearest double. A result of the
 * functions below has a relative error of at most NB_TWOFOLD_ERROR, if it and
 * the numbers that it is made from are 0 or between 2^-960 and 2^1020; a sum,
 * if both terms have the same sign. Sums and products that fit 106 bits are
 * exact. */
struct nb_twofold {
    double high, low;
};
#define NB_TWOFOLD_ERROR 0x1p-102

/* |a| >= |b| */
static inline struct nb_twofold nb_twofold_join(double a, double b)
{
    const double high = a + b;
    return (struct nb_twofold){ high, b - (high - a) };
}

/* The exact sum of two doubles. Source: [Knuth1997], section 4.2.2. */
static inline struct nb_twofold nb_twofold_sum(double a, double b)
{
    const double high = a + b, part = high - a;
    return (struct nb_twofold){ high, (a - (high - part)) + (b - part) };
}

/* The exact product of two doubles. */
static inline struct nb_twofold nb_twofold_product(double a, double b)
{
    const double high = a * b;
    return (struct nb_twofold){ high, fma(a, b, -high) };
}

static inline struct nb_twofold nb_twofold_add(struct nb_twofold a,
                                               struct nb_twofold b)
{
    struct nb_twofold sum = nb_twofold_sum(a.high, b.high);
    const struct nb_twofold rest = nb_twofold_sum(a.low, b.low);
    sum = nb_twofold_join(sum.high, sum.low + rest.high);
    return nb_twofold_join(sum.high, sum.low + rest.low);
}

static inline struct nb_twofold nb_twofold_more(struct nb_twofold a, double b)
{
    const struct nb_twofold sum = nb_twofold_sum(a.high, b);
    return nb_twofold_join(sum.high, sum.low + a.low);
}

static inline struct nb_twofold nb_twofold_multiply(struct nb_twofold a,
                                                    struct nb_twofold b)
{
    const struct nb_twofold all = nb_twofold_product(a.high, b.high);
    return nb_twofold_join(all.high,
                           all.low + (a.high * b.low + a.low * b.high));
}

static inline struct nb_twofold nb_twofold_divide(struct nb_twofold a,
                                                  struct nb_twofold b)
{
    const double first = a.high / b.high;
    const struct nb_twofold back =
        nb_twofold_multiply(b, (struct nb_twofold){ -first, 0 });
    const double second = nb_twofold_add(a, back).high / b.high;
    return nb_twofold_join(first, second);
}

/* |whole| < 2^126 */
static inline struct nb_twofold nb_twofold_of(nb_int128 whole)
{
    const double high = (double)whole;
    return (struct nb_twofold){ high, (double)(whole - (nb_int128)high) };
}

#endif
