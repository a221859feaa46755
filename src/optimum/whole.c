#include "optimum/whole.h"

#include "core/twofold.h"

#include <math.h>

/* The denominator of the first convergent within the tolerance; 0 if it would
 * exceed the limit. */
static int64_t whole_denominator(double value, double tolerance, int64_t limit)
{
    int64_t before = 0, now = 1;
    double rest = value;
    for (int step = 0; step < 64; step++) {
        const double nearest = nearbyint(value * (double)now) / (double)now;
        if (fabs(value - nearest) <= tolerance)
            return now;
        rest -= floor(rest);
        if (rest <= 0)
            return now;
        rest = 1 / rest;
        if (floor(rest) > (double)limit)
            return 0;
        const nb_int128 next = (nb_int128)floor(rest) * now + before;
        if (next > limit)
            return 0;
        before = now;
        now = (int64_t)next;
    }
    return 0;
}

int64_t nb_whole_find(size_t count, const double *value, double tolerance,
                      int64_t limit, int64_t *whole)
{
    int64_t denominator = tolerance > 0 ? 1 : limit;
    for (size_t i = 0; i < count && tolerance > 0 && denominator != 0; i++) {
        const double here = value[i] * (double)denominator;
        if (fabs(here - nearbyint(here)) <= tolerance * (double)denominator)
            continue;
        denominator = nb_unite(
            denominator, whole_denominator(value[i], tolerance, limit), limit);
    }
    for (size_t i = 0; i < count && denominator != 0; i++)
        whole[i] = (int64_t)nearbyint(value[i] * (double)denominator);
    return denominator;
}

struct nb_enclosure nb_whole_quotient(nb_int128 a, nb_int128 b)
{
    const struct nb_ratio exact = nb_ratio_make(a, b);
    if (nb_ratio_is_known(exact))
        return nb_enclosure_of_ratio(exact);
    const double value =
        nb_twofold_divide(nb_twofold_of(a), nb_twofold_of(b)).high;
    return (struct nb_enclosure){
        .lower = fmax(0, nextafter(value, 0)),
        .upper = nextafter(value, INFINITY),
    };
}
