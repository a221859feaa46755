/* Decay root: the root of the logarithm of a generating function, found to the
 * last digits of extended precision. */
#ifndef NB_QUEUEING_DECAY_ROOT_H
#define NB_QUEUEING_DECAY_ROOT_H

#include "core/status.h"

/* A function of y > 0 that is positive below its root and negative above, with
 * a bound of its rounding errors. */
typedef long double nb_decay_function(const void *context, long double y,
                                      long double *slack);

/*
 * Finds the root below high.
 *
 * high   the function is negative there or beyond, or +inf: not known
 * y      out
 * error  out: the root is shown to lie within y (1 +- error), by the signs at
 *        both ends
 *
 * Errors: NB_NO_CONVERGENCE; NB_NO_MEMORY.
 */
enum nb_status nb_decay_root(nb_decay_function *function, const void *context,
                             long double high, long double *y,
                             long double *error, struct nb_error *err);

/* log(1 + x) - x, x >= 0, without cancellation. */
long double nb_log1p_rest(long double x);

#endif
