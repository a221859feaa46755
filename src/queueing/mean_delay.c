#include "queueing/mean_delay.h"

#include <math.h>

struct nb_mean_delay nb_delay_batch(double inputs)
{
    return (struct nb_mean_delay){ .factor = inputs >= 1 ? (inputs - 1) / inputs
                                                         : NAN };
}

double nb_mean_delay_at(struct nb_mean_delay delay, double rho)
{
    if (!(rho >= 0))
        return NAN;
    if (rho >= 1)
        return INFINITY;
    return delay.factor * rho / (2 * (1 - rho)) + delay.constant;
}

double nb_mean_delay_slope(struct nb_mean_delay delay, double rho)
{
    if (!(rho >= 0))
        return NAN;
    if (rho >= 1)
        return INFINITY;
    return delay.factor / (2 * (1 - rho) * (1 - rho));
}

double nb_mean_delay_marginal(struct nb_mean_delay delay, double rho)
{
    if (!(rho >= 0))
        return NAN;
    if (rho >= 1)
        return INFINITY;
    /* 1/(1-rho)^2 - 1 without subtracting nearly equal numbers */
    const double excess = rho * (2 - rho) / ((1 - rho) * (1 - rho));
    return delay.factor * excess / 2 + delay.constant;
}
