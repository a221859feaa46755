#include "load/confidence.h"

#include <math.h>

double nb_confidence_log_risk(double events, double risk)
{
    return log(events / risk);
}

/* samples kl(hits/samples, p) for 0 < hits < samples, hits/samples < p < 1. */
static double confidence_divergence(double hits, double samples, double p)
{
    const double q = hits / samples;
    return hits * log(q / p) + (samples - hits) * log((1 - q) / (1 - p));
}

double nb_confidence_upper(uint64_t hits, uint64_t samples, double log_risk)
{
    const double k = (double)hits, n = (double)samples;
    /* Both logarithms and their sum round by a few parts in 2^53 of n: what
     * is searched for lies a little beyond. */
    const double goal = log_risk * (1 + 0x1p-30) + n * 0x1p-48;
    if (hits >= samples)
        return 1;
    if (hits == 0)
        return -expm1(-goal / n);
    double low = k / n, high = 1;
    for (;;) {
        const double middle = low / 2 + high / 2;
        if (!(low < middle && middle < high))
            return high;
        if (confidence_divergence(k, n, middle) >= goal)
            high = middle;
        else
            low = middle;
    }
}

double nb_confidence_margin(double variance, double range, uint64_t samples,
                            double log_risk)
{
    const double a = (double)samples / ((double)samples - 1);
    const double half = sqrt(a * log_risk / 2) * range;
    const double deviation = sqrt(variance + half * half) + half;
    return sqrt(2 * log_risk) * deviation + range * log_risk / 3;
}
