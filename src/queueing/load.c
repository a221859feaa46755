#include "queueing/load.h"

#include "core/twofold.h"

#include <math.h>

struct nb_queue_load nb_load_of_ratio(struct nb_ratio load)
{
    if (!nb_ratio_is_known(load) || load.numerator < 0 || load.denominator < 0)
        return nb_load_of_value(NAN);
    const struct nb_twofold below = nb_twofold_of(load.denominator);
    const int64_t rest = load.denominator - load.numerator; /* neither < 0 */
    return (
        struct nb_queue_load){ load, nb_twofold_of_ratio(load),
                               nb_twofold_divide(nb_twofold_of(rest), below) };
}

struct nb_queue_load nb_load_of_value(double load)
{
    return (struct nb_queue_load){ { 0, 0 },
                                   nb_twofold_from(load),
                                   nb_twofold_sum(1, -load) };
}

enum nb_status nb_load_check(struct nb_queue_load load, double most,
                             struct nb_error *err)
{
    const double rho = load.rho.high;
    const bool is_permitted =
        rho >= 0 && !nb_twofold_is_less(nb_twofold_from(most), load.rho);
    if (!is_permitted)
        return nb_fail(err, NB_INVALID,
                       "load %.15g is not permitted (permitted: 0 to %.15g)",
                       rho, most);
    const struct nb_twofold rest = nb_twofold_add(load.rho, load.idle);
    if (fabs(nb_twofold_more(rest, -1).high) <=
        8 * NB_TWOFOLD_ERROR * (1 + rho))
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "load %.15g with %.15g idle (permitted: loads of "
                   "nb_load_of_ratio and nb_load_of_value)",
                   rho, load.idle.high);
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
