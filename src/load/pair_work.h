/* The shared work behind pair loads (used by pair_*.c alone). */
#ifndef NB_LOAD_PAIR_WORK_H
#define NB_LOAD_PAIR_WORK_H

#include "load/pair_loads.h"
#include "load/route_graph.h"

/* Scratch of one thread. */
struct nb_pair_scratch {
    struct nb_route_graph graph;
    int64_t *visits;
    double *values;
};

/* The shared work of the tasks: task j fills column j of every matrix. */
struct nb_pair_work {
    const struct nb_routing *routing; /* of one phase */
    size_t n;
    uint32_t *endpoint;    /* [n] */
    uint32_t *endpoint_of; /* [router] row and column; NB_NONE: none */
    size_t count;
    struct nb_pair_loads *loads; /* dense while the columns come in */
    int64_t *column_denominator; /* [channel * n + column]; 0: not exact */
    double *column_error;        /* [column], for the values */
    struct nb_pair_scratch *scratch;
};

/* routing, count and loads are set; threads: how many scratch spaces.
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_pair_work_init(struct nb_pair_work *work, int threads,
                                 struct nb_error *err);
void nb_pair_work_release(struct nb_pair_work *work, int threads);

/* Whole numbers that stay below 2^61 when one for each terminal is added. */
int64_t nb_pair_limit(const struct nb_topology *topology);

/* Task of one column, for nb_run_tasks: fills it in every matrix. */
enum nb_status nb_pair_task(void *context, int thread, size_t column,
                            struct nb_error *err);

#endif
