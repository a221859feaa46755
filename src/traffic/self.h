/* Self: traffic in which no terminal sends to itself. */
#ifndef NB_TRAFFIC_SELF_H
#define NB_TRAFFIC_SELF_H

#include "traffic/traffic.h"

/*
 * Removes the traffic of terminals to themselves. The other rates of each row
 * grow in proportion, so that the row keeps its sum:
 *
 *     rate'(t, u) = rate(t, u) row(t) / (row(t) - rate(t, t)),  t != u
 *
 * A row of traffic only to the terminal itself becomes empty.
 *
 * traffic  its pairs in any order, perhaps repeated
 *
 * Errors: NB_OVERFLOW if the common denominator does not fit in 64 bits;
 * NB_NO_MEMORY.
 */
enum nb_status nb_traffic_omit_self(struct nb_traffic *traffic,
                                    const struct nb_topology *topology,
                                    struct nb_error *err);

#endif
