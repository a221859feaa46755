/* Twofold mathematics: roots, exponentials and logarithms of 106 bits. */
#ifndef NB_CORE_TWOFOLD_MATH_H
#define NB_CORE_TWOFOLD_MATH_H

#include "core/public.h"
#include "core/twofold.h"

NB_INTERNAL_BEGIN

/* The relative error of the functions below, if x and the result are 0 or at
 * least 2^-900; that of nb_twofold_exp, and of nb_twofold_expm1 above 1, is
 * larger by |x| NB_TWOFOLD_ERROR. */
#define NB_TWOFOLD_MATH_ERROR 0x1p-96

/* x >= 0 */
struct nb_twofold nb_twofold_sqrt(struct nb_twofold x);

/* 2^power e^x, which may be in range where e^x is not; 0 or +inf if neither
 * is. */
struct nb_twofold nb_twofold_exp(struct nb_twofold x, int power);

/* e^x - 1 */
struct nb_twofold nb_twofold_expm1(struct nb_twofold x);

/* ln x, x > 0 */
struct nb_twofold nb_twofold_log(struct nb_twofold x);

/* ln(1 + x), x > -1 */
struct nb_twofold nb_twofold_log1p(struct nb_twofold x);

NB_INTERNAL_END

#endif
