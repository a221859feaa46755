#include "hungarian.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define HUNGARIAN(name) hungarian_integer_##name
#define WEIGHT          int64_t
#define WEIGHT_INFINITY INT64_MAX
#include "hungarian.inc"
#undef HUNGARIAN
#undef WEIGHT
#undef WEIGHT_INFINITY

#define HUNGARIAN(name) hungarian_double_##name
#define WEIGHT          double
#define WEIGHT_INFINITY INFINITY
#include "hungarian.inc"

int64_t hungarian_integer(size_t n, const int64_t *weight,
                          uint32_t *column_of_row)
{
    return hungarian_integer_solve(n, weight, column_of_row);
}

double hungarian_double(size_t n, const double *weight, uint32_t *column_of_row)
{
    return hungarian_double_solve(n, weight, column_of_row);
}
