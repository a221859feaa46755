/* Scaled: calculations with probabilities that are stored times
 * NB_DISTRIBUTION_SCALE. */
#ifndef NB_QUEUEING_SCALED_H
#define NB_QUEUEING_SCALED_H

#include "core/twofold.h"
#include "queueing/distribution.h"

#include <float.h>

/* A quarter of the least double, stored: what is less lies in [0,
 * DBL_TRUE_MIN], whatever its error. */
#define NB_SCALED_MIN (DBL_TRUE_MIN * NB_DISTRIBUTION_SCALE / 4)

/* What a number is stored as. */
static inline struct nb_twofold nb_scaled(struct nb_twofold value)
{
    return nb_twofold_shift(value, NB_DISTRIBUTION_SCALE);
}

/* The product and the quotient of two stored numbers. */
static inline struct nb_twofold nb_scaled_multiply(struct nb_twofold a,
                                                   struct nb_twofold b)
{
    return nb_twofold_shift(nb_twofold_multiply(a, b),
                            1 / NB_DISTRIBUTION_SCALE);
}
static inline struct nb_twofold nb_scaled_divide(struct nb_twofold a,
                                                 struct nb_twofold b)
{
    return nb_twofold_divide(nb_scaled(a), b);
}

#endif
