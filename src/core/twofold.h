/* Twofold: numbers of 106 bits, each the sum of two doubles, made from
 * operations of doubles only. They are the same on every machine, unlike long
 * doubles, whose precision differs. */
#ifndef NB_CORE_TWOFOLD_H
#define NB_CORE_TWOFOLD_H

#include "core/ratio.h"
#include "core/twofold_number.h"

#include <math.h>
#include <stdbool.h>

/* A result of the functions below has a relative error of at most
 * NB_TWOFOLD_ERROR, if it and the numbers that it is made from are 0 or between
 * 2^-960 and 2^1020; a sum, if both terms have the same sign. Sums and products
 * that fit 106 bits are exact. */
#define NB_TWOFOLD_ERROR 0x1p-102

/* Compiles a function also for machines with fused multiplications, chosen when
 * the program is loaded; the results are the same. The thread sanitizer is not
 * loaded by then and would object. */
#if defined(__x86_64__) && defined(__ELF__) && defined(__GLIBC__) &&           \
    !defined(__SANITIZE_THREAD__)
#define NB_TWOFOLD_CLONES __attribute__((target_clones("fma", "default")))
#else
#define NB_TWOFOLD_CLONES
#endif

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

static inline struct nb_twofold nb_twofold_from(double value)
{
    return (struct nb_twofold){ value, 0 };
}

static inline struct nb_twofold nb_twofold_negate(struct nb_twofold a)
{
    return (struct nb_twofold){ -a.high, -a.low };
}

static inline struct nb_twofold nb_twofold_subtract(struct nb_twofold a,
                                                    struct nb_twofold b)
{
    return nb_twofold_add(a, nb_twofold_negate(b));
}

static inline struct nb_twofold nb_twofold_times(struct nb_twofold a, double b)
{
    const struct nb_twofold all = nb_twofold_product(a.high, b);
    return nb_twofold_join(all.high, all.low + a.low * b);
}

/* a times a power of two */
static inline struct nb_twofold nb_twofold_shift(struct nb_twofold a,
                                                 double power)
{
    return (struct nb_twofold){ a.high * power, a.low * power };
}

static inline bool nb_twofold_is_less(struct nb_twofold a, struct nb_twofold b)
{
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

/* |whole| < 2^126 */
static inline struct nb_twofold nb_twofold_of(nb_int128 whole)
{
    const double high = (double)whole;
    return (struct nb_twofold){ high, (double)(whole - (nb_int128)high) };
}

static inline struct nb_twofold nb_twofold_of_ratio(struct nb_ratio ratio)
{
    return nb_twofold_divide(nb_twofold_of(ratio.numerator),
                             nb_twofold_of(ratio.denominator));
}

#endif
