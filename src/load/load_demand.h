/* Load demand: what the phases of a two-phase scheme carry where intermediate
 * routers depend on the pair. */
#ifndef NB_LOAD_LOAD_DEMAND_H
#define NB_LOAD_LOAD_DEMAND_H

#include "core/parallel.h"
#include "load/load_symmetry.h"

/*
 * What the phases carry of the packets that keep one direction class: from
 * source i to intermediate router q and from intermediate router q to
 * destination j,
 *
 *     rate(i, q) = sum_j rate(i, j) w(i, j) / (W size(i, j)) [q in quadrant]
 *     rate(q, j) = sum_i rate(i, j) w(i, j) / (W size(i, j)) [q in quadrant]
 */
struct nb_load_demand {
    const struct nb_routing *routing; /* of two phases */
    bool keeps_class; /* packets start in the class's state, else as usual */
    size_t class;
    int64_t scale;     /* exact: numerators are rates * scale; 0: not exact */
    long double *rate; /* [row * n + source]: nb_load_demand_row */
    uint32_t *row;     /* [target] of rate; NULL: target's own number. With
                        * sets only destinations that stand for others have a
                        * row, else NB_NONE. */
    size_t row_count;
    double additions;  /* roundings that rates have behind them */
    long double *pair; /* [target * n + source] of pairs that start so; NULL
                        * with sets */
    /* With sets: the traffic's demands by source, then target. */
    size_t *source_start; /* [n + 1] */
    struct nb_demand *by_source;
    struct nb_load_demand_scratch *scratch; /* [threads] */
    int threads;
};

/* Room for one class's rates. Sets scale, 0 if there can be no exact rates.
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_load_demand_init(const struct nb_routing *routing,
                                   const struct nb_load_symmetry *symmetry,
                                   const struct nb_run *run,
                                   struct nb_load_demand *demand,
                                   struct nb_error *err);
void nb_load_demand_release(struct nb_load_demand *demand);

/* The rates into a destination by source, [n]. */
const long double *nb_load_demand_row(const struct nb_load_demand *demand,
                                      uint32_t destination);

/* Fills in one class's rates, exactly or in doubles; an exact one that leaves
 * 61 bits sets scale to 0. Errors: as nb_traffic_column. */
enum nb_status nb_load_demand_fill(struct nb_load_demand *demand, size_t class,
                                   const struct nb_traffic *traffic,
                                   bool is_exact, const struct nb_run *run,
                                   struct nb_error *err);

#endif
