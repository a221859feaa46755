#include "queueing/load.h"

#include <math.h>

struct nb_load nb_load_of_ratio(struct nb_ratio load)
{
    const long double below = (long double)load.denominator;
    const int64_t rest = load.denominator - load.numerator; /* neither < 0 */
    return (struct nb_load){ load, (long double)load.numerator / below,
                             (long double)rest / below };
}

struct nb_load nb_load_of_value(long double load)
{
    return (struct nb_load){ { 0, 0 }, load, 1 - load };
}
