/* Rows: scales the rows of a traffic, each by its own factor. */
#ifndef NB_TRAFFIC_ROWS_H
#define NB_TRAFFIC_ROWS_H

#include "traffic/traffic.h"

/*
 * rate(i, j) becomes factor_i rate(i, j), stored as demands only.
 *
 * factor  [router_count] known, >= 0, finite
 *
 * Errors: NB_OVERFLOW if the common denominator, or a rate, does not fit in 62
 * bits; NB_NO_MEMORY.
 */
enum nb_status nb_traffic_times(const struct nb_traffic *traffic,
                                const struct nb_topology *topology,
                                const struct nb_ratio *factor,
                                struct nb_traffic *out, struct nb_error *err);

/* The rate that each router sends at rate 1, as a numerator over the
 * denominator. row: out, [router_count]. Errors: those of nb_traffic_column;
 * NB_OVERFLOW; NB_NO_MEMORY. */
enum nb_status nb_traffic_rows(const struct nb_traffic *traffic,
                               const struct nb_topology *topology,
                               uint64_t *row, struct nb_error *err);

#endif
