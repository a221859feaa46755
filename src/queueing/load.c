#include "queueing/load.h"

#include <float.h>
#include <math.h>

struct nb_queue_load nb_load_of_ratio(struct nb_ratio load)
{
    if (!nb_ratio_is_known(load) || load.numerator < 0 || load.denominator < 0)
        return nb_load_of_value(NAN);
    const long double below = (long double)load.denominator;
    const int64_t rest = load.denominator - load.numerator; /* neither < 0 */
    return (struct nb_queue_load){ load, (long double)load.numerator / below,
                                   (long double)rest / below };
}

struct nb_queue_load nb_load_of_value(long double load)
{
    return (struct nb_queue_load){ { 0, 0 }, load, 1 - load };
}

enum nb_status nb_load_check(struct nb_queue_load load, long double most,
                             struct nb_error *err)
{
    const bool is_permitted = load.rho >= 0 && load.rho <= most;
    if (!is_permitted)
        return nb_fail(err, NB_INVALID,
                       "load %.18Lg is not permitted (permitted: 0 to %.18Lg)",
                       load.rho, most);
    if (fabsl(load.rho + load.idle - 1) <= 8 * LDBL_EPSILON * (1 + load.rho))
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "load %.18Lg with %.18Lg idle (permitted: loads of "
                   "nb_load_of_ratio and nb_load_of_value)",
                   load.rho, load.idle);
}

enum nb_status nb_depth_check(double depth, struct nb_error *err)
{
    return depth >= 1 ? NB_OK
                      : nb_fail(err, NB_INVALID,
                                "depth %g is not permitted (permitted: 1 and "
                                "more)",
                                depth);
}

enum nb_status nb_overflow_check(double overflow, double least,
                                 struct nb_error *err)
{
    return overflow >= least && overflow <= 1
               ? NB_OK
               : nb_fail(err, NB_INVALID,
                         "overflow %g is not permitted (permitted: %g to 1)",
                         overflow, least);
}
