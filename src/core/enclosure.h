/* Enclosure: numbers that are not known exactly, for certain or by chance. */
#ifndef NB_CORE_ENCLOSURE_H
#define NB_CORE_ENCLOSURE_H

#include "core/ratio.h"

NB_PUBLIC_BEGIN

/* lower <= a number <= upper. */
struct nb_bracket {
    double lower;
    double upper;
};

/* What was estimated, and the ends of its confidence interval, which need not
 * lie evenly round it. */
struct nb_interval {
    double value, lower, upper;
};

/* A number >= 0: lower <= it <= upper; exact is {0, 0} where it is not known as
 * a ratio. */
struct nb_enclosure {
    struct nb_ratio exact;
    double lower, upper; /* in [0, +inf] */
};

/* a must be known and not negative. */
struct nb_enclosure nb_enclosure_of_ratio(struct nb_ratio a);
/* The double itself, exact if it fits a ratio; value in [0, +inf]. */
struct nb_enclosure nb_enclosure_of_double(double value);
struct nb_enclosure nb_enclosure_of_whole(uint32_t value);
/* A number in [0, +inf]; exact where only 0 or inf is left. */
struct nb_enclosure nb_enclosure_of_bracket(struct nb_bracket bracket);

/*
 * Arithmetic: exact if the operands are and the result fits a ratio, else
 * rounded outward. A bracket that ends in 0 times one that ends in inf ends
 * in 0; 0/0 has no value.
 */
struct nb_enclosure nb_enclosure_add(struct nb_enclosure a,
                                     struct nb_enclosure b);
struct nb_enclosure nb_enclosure_multiply(struct nb_enclosure a,
                                          struct nb_enclosure b);
struct nb_enclosure nb_enclosure_divide(struct nb_enclosure a,
                                        struct nb_enclosure b);
/* What a has more than b: max(a - b, 0); b finite. */
struct nb_enclosure nb_enclosure_excess(struct nb_enclosure a,
                                        struct nb_enclosure b);
/* The square root; exact if it is a ratio. */
struct nb_enclosure nb_enclosure_root(struct nb_enclosure a);
struct nb_enclosure nb_enclosure_least(struct nb_enclosure a,
                                       struct nb_enclosure b);
struct nb_enclosure nb_enclosure_most(struct nb_enclosure a,
                                      struct nb_enclosure b);

/* -1 or 1 where a < b or a > b for certain; 0 where they are equal for
 * certain or the brackets overlap. */
int nb_enclosure_compare(struct nb_enclosure a, struct nb_enclosure b);

/* Whether the number is known to be 0. */
bool nb_enclosure_is_zero(struct nb_enclosure a);

NB_PUBLIC_END

#endif
