/* Load: the utilisation of a queue, kept as it was typed. */
#ifndef NB_QUEUEING_LOAD_H
#define NB_QUEUEING_LOAD_H

#include "core/ratio.h"

/* A decimal such as 0.999 is not a double; near saturation the difference
 * would show in the tail, so rho and 1 - rho are rounded from the ratio. */
struct nb_load {
    struct nb_ratio exact; /* {0, 0}: not known as a ratio */
    long double rho;
    long double idle; /* 1 - rho; <= 0: saturated */
};

struct nb_load nb_load_of_ratio(struct nb_ratio load);
struct nb_load nb_load_of_value(long double load);

#endif
