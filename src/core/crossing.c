#include "core/crossing.h"

#include <math.h>
#include <stdbool.h>

struct nb_crossing nb_crossing_between(double low, double high)
{
    return (struct nb_crossing){ low, high, INFINITY, -INFINITY };
}

void nb_crossing_forget(struct nb_crossing *crossing)
{
    crossing->doubt_first = INFINITY;
    crossing->doubt_last = -INFINITY;
}

void nb_crossing_add(struct nb_crossing *crossing, double place,
                     enum nb_crossing_side side)
{
    switch (side) {
    case NB_SIDE_LOW:
        crossing->low = place;
        if (place > crossing->doubt_last)
            nb_crossing_forget(crossing);
        break;
    case NB_SIDE_HIGH:
        crossing->high = place;
        if (place < crossing->doubt_first)
            nb_crossing_forget(crossing);
        break;
    case NB_SIDE_OPEN:
        crossing->doubt_first = fmin(crossing->doubt_first, place);
        crossing->doubt_last = fmax(crossing->doubt_last, place);
        break;
    }
}

double nb_crossing_next(const struct nb_crossing *crossing, double enough)
{
    const double low = crossing->low, high = crossing->high;
    const bool has_doubt = !isinf(crossing->doubt_first);
    const double below = (has_doubt ? crossing->doubt_first : high) - low;
    const double above = has_doubt ? high - crossing->doubt_last : 0;
    if (fmax(below, above) <= enough)
        return NAN;
    return below > above ? low + below / 2 : high - above / 2;
}

double nb_crossing_share(const struct nb_crossing *crossing, double from,
                         double to)
{
    const double width = crossing->high - crossing->low;
    return width < from && to < from
               ? fmin(1, log(from / width) / log(from / to))
               : 0;
}
