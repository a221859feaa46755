/* Decimals: exact ratios for programs that do not read p/q. */
#ifndef NB_CORE_DECIMAL_H
#define NB_CORE_DECIMAL_H

#include "core/ratio.h"

/*
 * Prints a ratio as a decimal without exponent that nb_ratio_read can read: at
 * most 18 digits, counted from the first digit before the point or the first
 * place after it. Further digits are cut off.
 *
 * value  >= 0, known and finite, below 10^18
 *
 * Returns whether the decimal is exact.
 */
bool nb_decimal_print(struct nb_ratio value, char text[NB_RATIO_TEXT]);

#endif
