#include "load/confidence.h"

#include <math.h>

double nb_confidence_share(double deviations)
{
    const double root_half = 0x1.6a09e667f3bcdp-1;
    return erfc(deviations * root_half) / (1 - NB_CONFIDENCE);
}

double nb_confidence_deviations(double events)
{
    double low = 0, high = 40; /* beyond any z at which a double underflows */
    for (;;) {
        const double middle = low / 2 + high / 2;
        if (!(low < middle && middle < high))
            return high;
        if (nb_confidence_share(middle) <= 1 / events)
            high = middle;
        else
            low = middle;
    }
}

double nb_confidence_slope(double variance, double third, double range)
{
    const double square = 2 * range * range;
    return range > 0 ? fmax((third + square * range) / (variance + square), 0)
                     : 0;
}

double nb_confidence_margin(double variance, double range, double deviations)
{
    const double half = deviations * range / 2;
    return deviations * (sqrt(variance + half * half) + half);
}
