/* Twofold numbers as long doubles, in which tests compute what they expect. */
#ifndef NB_TESTS_SUPPORT_TWOFOLD_WIDE_H
#define NB_TESTS_SUPPORT_TWOFOLD_WIDE_H

#include "queueing/scaled.h"

#include <math.h>

static inline long double wide_of(struct nb_twofold value)
{
    return (long double)value.high + (long double)value.low;
}

static inline struct nb_twofold wide_to(long double value)
{
    const double high = (double)value;
    return (struct nb_twofold){
        high, isinf(high) ? 0 : (double)(value - (long double)high)
    };
}

/* The same for numbers that are stored times NB_DISTRIBUTION_SCALE. */
static inline long double wide_of_scaled(struct nb_twofold value)
{
    return wide_of(value) / (long double)NB_DISTRIBUTION_SCALE;
}

static inline struct nb_twofold wide_to_scaled(long double value)
{
    return wide_to(value * (long double)NB_DISTRIBUTION_SCALE);
}

/* P(X = n) and P(X >= n) */
static inline long double wide_mass(const struct nb_distribution *distribution,
                                    double n)
{
    return wide_of_scaled(nb_distribution_scaled_mass(distribution, n));
}

static inline long double wide_tail(const struct nb_distribution *distribution,
                                    double n)
{
    return wide_of_scaled(nb_distribution_scaled_tail(distribution, n));
}

#endif
