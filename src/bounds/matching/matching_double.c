#include "bounds/matching/matching.h"

#include <math.h>
#include <string.h>

/* The kernel for doubles. */
#define MATCHING(name) matching_double_##name
#define MATCHING_DENSE nb_matching_double
typedef double matching_double_weight;
#define WEIGHT          matching_double_weight
#define WEIGHT_INFINITY INFINITY
#define WEIGHT_CLOSED   INFINITY
#define WEIGHT_TEXT     ".17g"

/* Non-negative doubles are ordered like their bits. */
static inline uint64_t matching_double_bits(double weight)
{
    uint64_t bits;
    memcpy(&bits, &weight, sizeof bits);
    return bits;
}

static double matching_double_limit(size_t n)
{
    (void)n;
    return nb_matching_double_limit;
}

/* Largest remainder after subtracting row and column offsets where the exact
 * difference is 0: two roundings of the matrix and two of the subtractions,
 * each at most half a unit in the last place of the largest weight. */
static double matching_double_noise(double largest)
{
    return 4 * 0x1p-53 * largest;
}

#include "bounds/matching/matching_kernel.inc"
