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

/*
 * Reads a decimal of any number of digits, such as 2.1060533511106927e-03,
 * rounded to 18 digits counted as above.
 *
 * Returns whether it is one from 10^-6 to below 10^18, so that rounding changes
 * it by less than a part in 10^12.
 */
bool nb_decimal_round(const char *text, struct nb_ratio *out);

#endif
