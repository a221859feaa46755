/* Enclosure: numbers known only within certain bounds, or estimated. */
#ifndef NB_CORE_ENCLOSURE_H
#define NB_CORE_ENCLOSURE_H

#include "core/ratio.h"

#include <stddef.h>

NB_PUBLIC_BEGIN

/* lower <= a number <= upper. */
struct nb_bracket {
    double lower;
    double upper;
};

/* An estimate and the ends of its confidence interval, which need not be
 * symmetric about it. */
struct nb_interval {
    double value, lower, upper;
};

/* A number >= 0 with lower <= it <= upper; exact is {0, 0} unless it is known
 * as a ratio. */
struct nb_enclosure {
    struct nb_ratio exact;
    double lower, upper; /* in [0, +inf] */
};

/* NAN, not exact, unless a is known and not negative. */
struct nb_enclosure nb_enclosure_of_ratio(struct nb_ratio a);
/* The double itself, exact if it fits a ratio; NAN, not exact, unless value is
 * in [0, +inf]. */
struct nb_enclosure nb_enclosure_of_double(double value);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

struct nb_enclosure nb_enclosure_of_whole(uint32_t value);
/* A number in [0, +inf]; exact if only 0 or inf is possible. */
struct nb_enclosure nb_enclosure_of_bracket(struct nb_bracket bracket);
/* A whole number: exact if its bracket contains only one. */
struct nb_enclosure nb_enclosure_of_count(struct nb_bracket bracket);

/*
 * Arithmetic: exact if the operands are and the result fits a ratio, else
 * rounded outward. A bracket with an end at 0 times one with an end at inf
 * gives an end at 0; 0/0 has no value.
 */
struct nb_enclosure nb_enclosure_add(struct nb_enclosure a,
                                     struct nb_enclosure b);
struct nb_enclosure nb_enclosure_multiply(struct nb_enclosure a,
                                          struct nb_enclosure b);
struct nb_enclosure nb_enclosure_divide(struct nb_enclosure a,
                                        struct nb_enclosure b);
/* The excess of a over b: max(a - b, 0); b finite. */
struct nb_enclosure nb_enclosure_excess(struct nb_enclosure a,
                                        struct nb_enclosure b);
/* The square root; exact if it is a ratio. */
struct nb_enclosure nb_enclosure_root(struct nb_enclosure a);
struct nb_enclosure nb_enclosure_least(struct nb_enclosure a,
                                       struct nb_enclosure b);
struct nb_enclosure nb_enclosure_most(struct nb_enclosure a,
                                      struct nb_enclosure b);

/* -1 or 1 if certainly a < b or a > b; 0 if they are certainly equal or the
 * brackets overlap. */
int nb_enclosure_compare(struct nb_enclosure a, struct nb_enclosure b);

/*
 * The 95 % interval of the mean of independent values in [0, most], if `count`
 * of them were drawn and all were equal: others may have a share p with
 * (1 - p)^count = 0.05.
 *
 *     value - p value,  value + p (most - value)
 *
 * count  >= 1
 * most   >= value; may be +inf
 */
struct nb_interval nb_interval_of_equal(double value, size_t count,
                                        double most);

/* Whether the number is known to be 0. */
bool nb_enclosure_is_zero(struct nb_enclosure a);

NB_INTERNAL_END

#endif
