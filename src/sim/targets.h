/* Targets: where the packets of each terminal go, drawn exactly. */
#ifndef NB_SIM_TARGETS_H
#define NB_SIM_TARGETS_H

#include "core/delete.h"
#include "core/random.h"
#include "traffic/traffic.h"

/*
 * A traffic by rows: one per router, or one per terminal if the terminals of a
 * router differ. A row's sum is total[row], over the traffic's denominator or
 * that times the terminals of the router: the weights of the routers or
 * terminals that it names and, after them, the uniform part for all terminals.
 * Owns its arrays; zero-initialised is empty.
 */
struct nb_targets {
    const uint32_t *terminal_start;  /* borrowed: [router_count + 1] */
    const uint32_t *terminal_router; /* borrowed: [terminal] */
    uint32_t terminal_count;
    uint32_t even_count; /* that share the uniform part */
    bool is_single;      /* rows and targets are terminals, else routers */
    double largest_row;  /* of a terminal, at rate 1 */
    double *share;       /* [row] a terminal's row / largest_row */
    uint64_t *total;     /* [row] 0: it sends nothing */
    uint32_t *start;     /* [rows + 1] into the lists of targets */
    uint32_t *target;    /* [start[rows]] routers or terminals */
    uint64_t *until;     /* [same] running sums of weights in a row */
    struct nb_pool pool;
};

/*
 * terminal_start   [router_count + 1], borrowed: the first of each router
 * terminal_router  [terminal], borrowed
 *
 * Errors: NB_OVERFLOW if a row's sum does not fit in 63 bits; NB_NO_MEMORY.
 */
enum nb_status nb_targets_init(const struct nb_traffic *traffic,
                               const uint32_t *terminal_start,
                               const uint32_t *terminal_router,
                               struct nb_targets *out, struct nb_error *err);

void nb_targets_release(struct nb_targets *targets);

/* The row of a terminal. */
static inline uint32_t nb_targets_row(const struct nb_targets *targets,
                                      uint32_t terminal)
{
    return targets->is_single ? terminal : targets->terminal_router[terminal];
}

/*
 * The target of a packet: terminal t of a router sends traffic for a router to
 * terminal t of that router (modulo their number), and uniform traffic to all
 * terminals evenly. Its row must not be empty.
 */
uint32_t nb_targets_draw(const struct nb_targets *targets, uint32_t terminal,
                         struct nb_random *random);

#endif
