/* Targets: where to the packets of each terminal go, drawn exactly. */
#ifndef NB_SIM_TARGETS_H
#define NB_SIM_TARGETS_H

#include "core/random.h"
#include "traffic/traffic.h"

/*
 * A traffic by rows. Row i's sum is total[i] over the traffic's denominator:
 * the background's part for all terminals alike and, after it, the weights of
 * the routers that it names. Owns its arrays; zero-initialised is empty.
 */
struct nb_targets {
    const uint32_t *terminal_start;  /* borrowed: [router_count + 1] */
    const uint32_t *terminal_router; /* borrowed: [terminal] */
    uint32_t terminal_count;
    double largest_row; /* of a terminal, at rate 1 */
    double *share;      /* [router] a terminal's row / largest_row */
    uint64_t *total;    /* [router] 0: it sends nothing */
    uint32_t *start;    /* [router_count + 1] into the lists of demands */
    uint32_t *router;   /* [demand_count] */
    uint64_t *until;    /* [demand_count] running sums of weights in a row */
};

/*
 * Errors: NB_OVERFLOW if a row's sum does not fit in 63 bits; NB_NO_MEMORY.
 */
enum nb_status nb_targets_init(const struct nb_traffic *traffic,
                               const uint32_t *terminal_start,
                               const uint32_t *terminal_router,
                               struct nb_targets *out, struct nb_error *err);
void nb_targets_release(struct nb_targets *targets);

/*
 * The target of a packet: terminal t of a router sends, of its traffic, what
 * is for single routers to terminal t of those (modulo their number), and what
 * is for all alike to all terminals evenly. Its row must not be empty.
 */
uint32_t nb_targets_draw(const struct nb_targets *targets, uint32_t terminal,
                         struct nb_random *random);

#endif
