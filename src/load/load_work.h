/* The shared work behind channel loads: blocks of destinations, dealt to
 * tasks (used by channel_loads.c alone). */
#ifndef NB_LOAD_LOAD_WORK_H
#define NB_LOAD_LOAD_WORK_H

#include "core/parallel.h"
#include "load/load_symmetry.h"
#include "load/propagate.h"
#include "traffic/traffic.h"

/* Destinations are dealt to this many blocks, whatever the number of
 * threads, and blocks are added up in order: the result is always the same. */
enum { NB_LOAD_BLOCKS = 64 };

/* Loads of the destinations of one block: numerators over
 * denominator * rate_denominator. */
struct nb_load_block {
    int64_t *load; /* NULL once it is not exact */
    int64_t denominator;
    double *value;
    double relative_error;
};

struct nb_load_scratch {
    struct nb_walker walker;
    uint64_t *rate;   /* [router] into the destination */
    uint32_t *source; /* routers with a rate > 0 */
    size_t room;      /* nodes */
    int64_t *flow;    /* [room] */
    double *flow_value;
    int64_t *part; /* [channel] loads of one destination */
};

struct nb_load_work {
    const struct nb_routing *routing; /* of one phase */
    const struct nb_traffic *traffic;
    bool is_exact;
    nb_int128 rate_denominator; /* of the rates of a phase */
    nb_int128 rate_sum;         /* of all rates, over traffic->denominator */
    /* An intermediate router anywhere: what each router sends, for the way to
     * it. */
    uint64_t *row_sum; /* [router]; NULL: none */
    /* An intermediate router in a quadrant: the rates of both phases together,
     * for one direction class at a time. */
    struct nb_load_demand *demand; /* NULL: none */
    size_t endpoint_count;
    uint32_t *endpoint;
    struct nb_load_symmetry symmetry; /* destinations that stand for others */
    struct nb_load_block block[NB_LOAD_BLOCKS];
    struct nb_load_scratch *scratch;
};

/* threads: how many scratch spaces. Errors: NB_NO_MEMORY, NB_OVERFLOW. */
enum nb_status nb_load_work_init(struct nb_load_work *work,
                                 enum nb_intermediate intermediate, int threads,
                                 struct nb_error *err);
void nb_load_work_release(struct nb_load_work *work, int threads);

/* Task of one block, for nb_run_tasks: adds up its destinations, exactly if
 * work->is_exact (denominator 0 if that cannot be), else in doubles. */
enum nb_status nb_load_task(void *context, int thread, size_t index,
                            struct nb_error *err);

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
