/* Common parts of the benches of groups: clocks and rows. */
#ifndef NB_BENCH_GROUPS_H
#define NB_BENCH_GROUPS_H

#include "measure.h"
#include "topology/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static inline void groups_must(enum nb_status status,
                               const struct nb_error *err)
{
    if (status == NB_OK)
        return;
    fprintf(stderr, "bench: %s\n", err->message);
    exit(EXIT_FAILURE);
}

/* The best time of a loop's rounds: one round, or more as long as they take
 * less than 0.1 s together. Zero-initialise it. */
struct groups_clock {
    double start, spent, best; /* [s] */
};

static inline bool groups_again(struct groups_clock *clock)
{
    if (clock->start > 0) {
        const double time = measure_now() - clock->start;
        clock->best = clock->spent > 0 ? fmin(clock->best, time) : time;
        clock->spent += time;
    }
    clock->start = measure_now();
    return clock->spent < 0.1;
}

static inline void groups_build(const char *specification,
                                struct nb_topology *out)
{
    struct nb_error err = { 0 };
    groups_must(nb_topology_build(specification, out, &err), &err);
}

/* Gives the network its own kind without symmetry; keep it as long as the
 * network. */
static inline void groups_forget_symmetry(struct nb_topology *topology,
                                          struct nb_topology_kind *plain)
{
    *plain = *topology->kind;
    plain->symmetry = NULL;
    topology->kind = plain;
}

/* Prints in the last column whether answers agree, and returns it. */
static inline bool groups_conclude(bool agrees)
{
    printf("  %s\n", agrees ? "agree" : "DISAGREE");
    fflush(stdout);
    return agrees;
}

#endif
