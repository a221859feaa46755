/* The shared work behind channel loads: blocks of destinations, dealt to
 * tasks (used by channel_loads.c alone). */
#ifndef NB_LOAD_LOAD_WORK_H
#define NB_LOAD_LOAD_WORK_H

#include "load/route_graph.h"
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
    struct nb_route_graph graph;
    uint64_t *rate;   /* [router] into the destination */
    uint32_t *source; /* routers with a rate > 0 */
    int64_t *flow;    /* [node] */
    double *flow_value;
    int64_t *part; /* [channel] loads of one destination */
};

struct nb_load_work {
    const struct nb_routing *routing; /* of one phase */
    const struct nb_traffic *traffic;
    bool is_exact;
    nb_int128 rate_denominator; /* of the rates of a phase */
    nb_int128 rate_sum;         /* of all rates, over traffic->denominator */
    /* Two phases: what each router sends, for the way to the way-point. */
    uint64_t *row_sum; /* [router]; NULL: one phase */
    size_t endpoint_count;
    uint32_t *endpoint;
    struct nb_load_block block[NB_LOAD_BLOCKS];
    struct nb_load_scratch *scratch;
};

/* threads: how many scratch spaces. Errors: NB_NO_MEMORY, NB_OVERFLOW. */
enum nb_status nb_load_work_init(struct nb_load_work *work, bool is_two_phase,
                                 int threads, struct nb_error *err);
void nb_load_work_release(struct nb_load_work *work, int threads);

/* Task of one block, for nb_run_tasks: adds up its destinations, exactly if
 * work->is_exact (denominator 0 if that cannot be), else in doubles. */
enum nb_status nb_load_task(void *context, int thread, size_t index,
                            struct nb_error *err);

#endif
