#include "series.h"

#include <math.h>

double series_normal(struct nb_random *random)
{
    /* Box and Muller */
    const double radius = sqrt(-2 * log(1 - nb_random_unit(random)));
    return radius * cos(2 * acos(-1) * nb_random_unit(random));
}

double series_exponential(struct nb_random *random)
{
    return -log(1 - nb_random_unit(random));
}

double series_mean(const struct series *series)
{
    if (series->kind == SERIES_WAITS)
        return series->parameter / (1 - series->parameter);
    return series->kind == SERIES_UNEVEN ? 1 : 0;
}

static double series_start(const struct series *series,
                           struct nb_random *random)
{
    const double p = series->parameter;
    if (series->kind == SERIES_AUTOREGRESSIVE)
        return series_normal(random) / sqrt(1 - p * p);
    if (series->kind == SERIES_UNEVEN)
        return series_exponential(random);
    return nb_random_unit(random) < p ? series_exponential(random) / (1 - p)
                                      : 0;
}

static double series_step(const struct series *series, double x,
                          struct nb_random *random)
{
    const double p = series->parameter;
    if (series->kind == SERIES_AUTOREGRESSIVE)
        return p * x + series_normal(random);
    if (series->kind == SERIES_UNEVEN)
        return series_exponential(random);
    const double service = series_exponential(random); /* Lindley */
    return fmax(0, x + service - series_exponential(random) / p);
}

void series_draw(const struct series *series, struct nb_random *random,
                 double *sum, double *weight)
{
    for (size_t r = 0; r < series->replications; r++) {
        double x = series_start(series, random);
        for (size_t i = 0; i < series->length; i++) {
            const uint64_t values =
                series->kind == SERIES_UNEVEN
                    ? nb_random_below(random, 2 * series->size + 1)
                    : series->size;
            double all = 0;
            for (uint64_t v = 0; v < values; v++) {
                all += x;
                x = series_step(series, x, random);
            }
            *sum++ = all;
            *weight++ = (double)values;
        }
    }
}
