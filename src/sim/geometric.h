/* Geometric numbers: how many trials there are up to the first success. */
#ifndef NB_SIM_GEOMETRIC_H
#define NB_SIM_GEOMETRIC_H

#include "core/random.h"

#include <math.h>

struct nb_geometric {
    double chance; /* of each trial, 0 to 1 */
    double scale;  /* 1 / log(1 - chance) */
};

/* In place of all larger numbers, and where the chance is 0. */
#define NB_GEOMETRIC_MOST ((uint64_t)1 << 62)

static inline struct nb_geometric nb_geometric_of(double chance)
{
    return (struct nb_geometric){ chance, 1 / log1p(-chance) };
}

/* >= 1; P(N > n) = (1 - chance)^n, inverted. */
static inline uint64_t
nb_geometric_draw(const struct nb_geometric *distribution,
                  struct nb_random *random)
{
    const double drawn = nb_random_unit(random);
    if (drawn < distribution->chance)
        return 1; /* as what follows would say, without a logarithm */
    const double more =
        log(1 - drawn) * distribution->scale; /* NaN of 0 and 0 */
    return more < 0x1p62 ? 1 + (uint64_t)more : NB_GEOMETRIC_MOST;
}

#endif
