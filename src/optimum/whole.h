/* Whole: reads doubles as ratios and returns whole numbers. */
#ifndef NB_OPTIMUM_WHOLE_H
#define NB_OPTIMUM_WHOLE_H

#include "core/enclosure.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Reads every value as the first convergent of its continued fraction that is
 * within the tolerance, and brings them to one denominator.
 *
 * value      [count] finite, |value| <= 2^20 unless the tolerance is 0
 * tolerance  absolute; 0: values rounded to the nearest multiples of 1/limit
 *            instead, which always works
 * limit      >= 1, of the common denominator
 * whole      out, [count]: value = whole / denominator, nearly
 *
 * Returns the denominator, 0 if it would exceed the limit.
 */
int64_t nb_whole_find(size_t count, const double *value, double tolerance,
                      int64_t limit, int64_t *whole);

/* a / b: exact if it fits a ratio, else rounded outward. a >= 0, b >= 0, not
 * both 0. */
struct nb_enclosure nb_whole_quotient(nb_int128 a, nb_int128 b);

#endif
