/* Exact ratios of 64-bit integers; every operation detects overflow. */
#ifndef NB_CORE_RATIO_H
#define NB_CORE_RATIO_H

#include "core/status.h"

#include <stdbool.h>
#include <stdint.h>

NB_PUBLIC_BEGIN

__extension__ typedef __int128 nb_int128;
__extension__ typedef unsigned __int128 nb_uint128;

/*
 * numerator/denominator in lowest terms, denominator >= 0. The denominator 0
 * with numerator 1 means +inf (a saturated or unbounded answer); {0, 0}, the
 * zero-initialised value, means "not known exactly".
 */
struct nb_ratio {
    int64_t numerator;
    int64_t denominator;
};

static const struct nb_ratio nb_ratio_zero = { 0, 1 };
static const struct nb_ratio nb_ratio_one = { 1, 1 };
static const struct nb_ratio nb_ratio_infinity = { 1, 0 };

/* Whether a value is known exactly (infinity included). */
bool nb_ratio_is_known(struct nb_ratio a);
bool nb_ratio_is_infinite(struct nb_ratio a);

/*
 * Arithmetic; the result is unknown ({0,0}) when an operand is, when it does
 * not fit in 64 bits, or when it is undefined (inf - inf, 0/0, 0 * inf).
 * Callers that must detect overflow check nb_ratio_is_known.
 */
struct nb_ratio nb_ratio_add(struct nb_ratio a, struct nb_ratio b);
struct nb_ratio nb_ratio_subtract(struct nb_ratio a, struct nb_ratio b);
struct nb_ratio nb_ratio_multiply(struct nb_ratio a, struct nb_ratio b);
struct nb_ratio nb_ratio_divide(struct nb_ratio a, struct nb_ratio b);

/* -1, 0, 1 as a < b, a = b, a > b, exactly; 0 if either is not known. */
int nb_ratio_compare(struct nb_ratio a, struct nb_ratio b);

/* The nearest double; NaN if unknown, +inf if infinite. */
double nb_ratio_value(struct nb_ratio a);

/*
 * Doubles around a ratio: lower <= a <= upper, equal when a is a
 * double; NAN if a is not known.
 */
void nb_ratio_bracket(struct nb_ratio a, double *lower, double *upper);

enum { NB_RATIO_TEXT = 48 };
/* "p/q", "p" for whole numbers, "inf", or "" if unknown. */
void nb_ratio_print(struct nb_ratio a, char text[NB_RATIO_TEXT]);

/*
 * Reads "p/q", "p" or a decimal such as "0.25" or "1.5e-3" exactly.
 *
 * Errors: NB_INVALID if the text is none of these (trailing characters, NaN
 * and infinities included) or has digits beyond 64 bits; NB_OVERFLOW if the
 * value does not fit.
 */
enum nb_status nb_ratio_read(const char *text, struct nb_ratio *out,
                             struct nb_error *err);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* Greatest common divisor; gcd(0, 0) = 0. */
uint64_t nb_gcd(uint64_t a, uint64_t b);

/* The least common multiple; 0 if it exceeds limit or a or b is 0. */
int64_t nb_unite(int64_t a, int64_t b, int64_t limit);

/* a/b in lowest terms; unknown ({0,0}) when the result does not fit in 64 bits
 * or b = 0 and a <= 0; +inf when b = 0 and a > 0. */
struct nb_ratio nb_ratio_make(nb_int128 a, nb_int128 b);

NB_INTERNAL_END

#endif
