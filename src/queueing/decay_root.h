/* Decay root: the root of the logarithm of a generating function, found to more
 * digits than a double has. */
#ifndef NB_QUEUEING_DECAY_ROOT_H
#define NB_QUEUEING_DECAY_ROOT_H

#include "core/status.h"
#include "core/twofold.h"

/* A function of y > 0 that is positive below its root and negative above, with
 * a bound of its rounding errors. */
typedef struct nb_twofold nb_decay_function(const void *context,
                                            struct nb_twofold y, double *slack);

/* Larger roots are not found: where P(Q = n) decreases like y^-n, all n > 2
 * have less than NB_DISTRIBUTION_LEAST. */
#define NB_DECAY_MOST 0x1p500

/*
 * Finds the root.
 *
 * y      out; NB_DECAY_MOST if the root is larger
 * error  out: the root is shown to lie within y (1 +- error), by the signs at
 *        both ends; 0 at NB_DECAY_MOST
 *
 * Errors: NB_NO_CONVERGENCE; NB_NO_MEMORY.
 */
enum nb_status nb_decay_root(nb_decay_function *function, const void *context,
                             struct nb_twofold *y, double *error,
                             struct nb_error *err);

/* log(1 + x) - x, x >= 0, within 2^-80 of it. */
struct nb_twofold nb_log1p_rest(struct nb_twofold x);

#endif
