#include "bounds/matching/matching.h"

#include <inttypes.h>

/* The kernel for 64-bit integers. */
#define MATCHING(name)  matching_integer_##name
#define MATCHING_DENSE  nb_matching_integer
#define MATCHING_SPARSE nb_matching_integer_sparse
typedef int64_t matching_integer_weight;
#define WEIGHT          matching_integer_weight
#define WEIGHT_INFINITY INT64_MAX
#define WEIGHT_CLOSED   (INT64_MAX / 2)
#define WEIGHT_TEXT     PRId64

static inline uint64_t matching_integer_bits(int64_t weight)
{
    return (uint64_t)weight;
}

/* Keeps totals below 2^62 and path lengths below 2^63. */
static int64_t matching_integer_limit(size_t n)
{
    return (((int64_t)1 << 62) - 1) / (int64_t)n;
}

/* Integers have no rounding noise to swallow. */
static int64_t matching_integer_noise(int64_t largest)
{
    (void)largest;
    return 0;
}

#include "bounds/matching/matching_kernel.inc"
