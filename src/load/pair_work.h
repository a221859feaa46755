/* The shared work behind pair loads (used by pair_*.c alone). */
#ifndef NB_LOAD_PAIR_WORK_H
#define NB_LOAD_PAIR_WORK_H

#include "load/pair_loads.h"
#include "load/propagate.h"
#include "load/vertex_orbits.h"

/* Scratch of one thread. */
struct nb_pair_scratch {
    struct nb_walker walker;
    struct nb_upstream upstream;
    size_t room;       /* nodes */
    int64_t *visits;   /* [room] */
    double *values;    /* [room] */
    uint32_t *inverse; /* [router] of an automorphism */
};

/*
 * The work of the tasks on one phase: task j fills column j of every matrix.
 * The matrices of channel c are loads[c * class_count ..], one for each
 * direction class that a packet may keep, or one alone (class_count = 0).
 */
struct nb_pair_work {
    const struct nb_routing *routing; /* of one phase */
    size_t n;
    uint32_t *endpoint;    /* [n] */
    uint32_t *endpoint_of; /* [router] row and column; NB_NONE: none */
    struct nb_vertex_orbits orbits;
    uint32_t *column; /* [n] in the order of the tasks */
    size_t class_count;
    size_t count; /* of matrices */
    struct nb_pair_loads *loads;
    int64_t *column_denominator; /* [matrix * n + column]; 0: not exact */
    double *column_error;        /* [column], for the values */
    struct nb_pair_scratch *scratch;
};

/* routing, class_count, count and loads are set; threads: how many scratch
 * spaces. Errors: NB_NO_MEMORY. */
enum nb_status nb_pair_work_init(struct nb_pair_work *work, int threads,
                                 struct nb_error *err);
void nb_pair_work_release(struct nb_pair_work *work, int threads);

/* Whole numbers that stay below 2^61 when one for each terminal is added. */
int64_t nb_pair_limit(const struct nb_topology *topology);

/* Task of one column, for nb_run_tasks: fills it in every matrix. */
enum nb_status nb_pair_task(void *context, int thread, size_t index,
                            struct nb_error *err);

/* Divides an exact matrix and its denominator by their common factor. */
void nb_pair_loads_reduce(struct nb_pair_loads *loads);

/*
 * The matrices of a scheme whose intermediate router lies in a quadrant, from
 * those of its phase.
 *
 * phase  [count * matrices] exact; those of channel c from c * matrices on;
 *        spoilt
 * matrices  class_count, by direction class; 1 if the phases do not keep it
 * out    [count], channel set
 *
 * Errors: NB_NO_MEMORY; NB_OVERFLOW if a matrix of the phase is not exact.
 */
enum nb_status nb_pair_compose(const struct nb_routing *routing, size_t count,
                               size_t matrices, struct nb_pair_loads *phase,
                               const struct nb_run *run,
                               struct nb_pair_loads *out, struct nb_error *err);

/*
 * The same of a scheme with the pair's own set of intermediate routers, one
 * matrix of the phase for each channel.
 *
 * Errors: NB_NO_MEMORY; NB_OVERFLOW if a matrix cannot be exact.
 */
enum nb_status nb_pair_compose_set(const struct nb_routing *routing,
                                   size_t count, struct nb_pair_loads *phase,
                                   const struct nb_run *run,
                                   struct nb_pair_loads *out,
                                   struct nb_error *err);

#endif
