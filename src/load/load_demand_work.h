/* The work behind nb_load_demand (used by load_demand*.c alone). */
#ifndef NB_LOAD_LOAD_DEMAND_WORK_H
#define NB_LOAD_LOAD_DEMAND_WORK_H

#include "load/load_work.h"

enum { NB_DEMAND_BLOCK = 4 }; /* long doubles in a cache line */

struct nb_load_demand_scratch {
    long double *line; /* [n] by place */
    uint32_t *places;  /* [n] */
    uint64_t *column;  /* [n] of the traffic */
    struct nb_start *starts;
    struct nb_demand *demands; /* [n] of one source */
};

/* What the tasks of one class share. */
struct nb_demand_work {
    struct nb_load_demand *demand;
    const struct nb_traffic *traffic;
    bool is_exact;
    bool is_column; /* phases that end at a router, else that begin there */
};

/* rate(i, j) w / (W size), times scale if that is exact. */
long double nb_demand_share(const struct nb_load_demand *demand, uint64_t rate,
                            uint64_t weight, uint64_t size, bool is_exact);

/* What an intermediate router from the pair's own set needs: scale and rows. */
enum nb_status nb_demand_set_init(const struct nb_load_symmetry *symmetry,
                                  struct nb_load_demand *demand,
                                  struct nb_error *err);

/* Adds the rates of both phases to rows of zeros. */
enum nb_status nb_demand_set_fill(struct nb_demand_work *work,
                                  const struct nb_run *run,
                                  struct nb_error *err);

#endif
