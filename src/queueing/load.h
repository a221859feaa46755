/* Load: the utilisation of a queue, kept as it was entered. */
#ifndef NB_QUEUEING_LOAD_H
#define NB_QUEUEING_LOAD_H

#include "core/ratio.h"
#include "core/status.h"
#include "core/twofold_number.h"

NB_PUBLIC_BEGIN

/* A decimal such as 0.999 is not a double, and near saturation the difference
 * would show in the tail; so rho and 1 - rho are rounded from the ratio. */
struct nb_queue_load {
    struct nb_ratio exact; /* {0, 0}: not known as a ratio */
    struct nb_twofold rho;
    struct nb_twofold idle; /* 1 - rho; <= 0: saturated */
};

/* A load that functions refuse unless it is known and not negative. */
struct nb_queue_load nb_load_of_ratio(struct nb_ratio load);
struct nb_queue_load nb_load_of_value(double load);

/* Checks that functions make first on a given load, depth or overflow
 * probability. */

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* Errors: NB_INVALID unless load is in [0, most] and its idle share is 1 - rho
 * (that of a zero-initialised load is not). */
enum nb_status nb_load_check(struct nb_queue_load load, double most,
                             struct nb_error *err);
/* Errors: NB_INVALID below 1. */
enum nb_status nb_depth_check(double depth, struct nb_error *err);
/* Errors: NB_INVALID unless overflow is in [least, 1]. */
enum nb_status nb_overflow_check(double overflow, double least,
                                 struct nb_error *err);

NB_INTERNAL_END

#endif
