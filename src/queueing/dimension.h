/* Dimension: how much load a buffer without flow control can carry. */
#ifndef NB_QUEUEING_DIMENSION_H
#define NB_QUEUEING_DIMENSION_H

#include "queueing/arrivals.h"

NB_PUBLIC_BEGIN

/*
 * The largest load at which P(Q >= depth) is below overflow. The ends of the
 * bracket are loads: by the tail's own bracket it is below overflow at the
 * lower end and not below it at the upper end. The tail rises with the load:
 * always for independent inputs; for ON/OFF sources this is assumed, and it was
 * true in every case tried.
 *
 * depth     [packets]  >= 1
 * overflow  in [NB_DISTRIBUTION_LEAST, 1]
 * out       in (0, 1]; its upper end is 1 if no load below 1 is too much,
 *           or the largest load that ON/OFF sources can reach
 *
 * Errors: those of nb_arrivals_law, nb_depth_check and nb_overflow_check;
 * NB_NO_CONVERGENCE.
 */
enum nb_status nb_dimension_max_load(const struct nb_arrivals *arrivals,
                                     int64_t depth, double overflow,
                                     struct nb_bracket *out,
                                     struct nb_error *err);

NB_PUBLIC_END

#endif
