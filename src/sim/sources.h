/* Sources: when each terminal sends a packet, and where to, drawn exactly. */
#ifndef NB_SIM_SOURCES_H
#define NB_SIM_SOURCES_H

#include "core/delete.h"
#include "core/random.h"
#include "sim/targets.h"
#include "traffic/traffic.h"

struct nb_injection;
struct nb_simulation;
struct nb_step;

/* The number of trials up to the first success. */
struct nb_geometric {
    double chance; /* of each trial, 0 to 1 */
    double scale;  /* 1 / log(1 - chance) */
};

/* The next event of a Markov-modulated source. */
struct nb_state {
    bool is_bursty;
    bool is_entered; /* in that cycle; otherwise it sends in it */
};

struct nb_birth {
    uint32_t source; /* terminal */
    uint32_t target; /* terminal */
    uint32_t flits;
};

enum { NB_RATE_MOST = 1000, NB_BURST_MOST = 100000000 };

/*
 * Owns its arrays; zero-initialised is empty. All terminals are drawn at the
 * rate of the largest row; each packet of a smaller row, bursts included, is
 * born with a probability of its share of the largest.
 */
struct nb_sources {
    const struct nb_injection *injection; /* borrowed: of the plan or step */
    size_t terminal_count;
    struct nb_targets targets; /* empty with traces */
    double load;               /* [packet/cycle] of the largest row */
    uint32_t whole;            /* [packet] in every cycle: integer part of
                                * Bernoulli's load */
    /* [cycle] from packet to packet (Poisson: from a cycle with packets to the
     * next), or a pause from burst to burst */
    struct nb_geometric gap;
    /* NB_INJECT_MMP: [state, 1 the bursty one] packets per cycle, and duration
     * in cycles */
    struct nb_geometric packet[2], stay[2];
    struct nb_geometric burst; /* [packet] */
    uint64_t *next; /* [terminal, rounded up] cycle of its next packet */
    uint32_t *due;  /* [as next] the terminals that are due */
    uint32_t *left; /* [terminal] remaining packets of its burst */
    uint32_t *aim;  /* [terminal] of its burst */
    struct nb_state *state;  /* [terminal] NB_INJECT_MMP, at its next cycle */
    struct nb_pool pool;     /* all but births */
    uint64_t sent;           /* packets */
    uint64_t total;          /* to be sent in total; UINT64_MAX: without
                              * bound */
    struct nb_birth *births; /* [birth_capacity] */
    size_t birth_capacity;
};

/*
 * Sources in their stationary state: the first packets may come at once.
 *
 * terminal_start   [router_count + 1], borrowed: the first of each router
 * terminal_router  [terminal], borrowed
 *
 * Errors: NB_INVALID if the rate is impossible (bursts that leave no pause,
 * more than a packet in every cycle of the bursty state) or beyond what is
 * permitted; NB_OVERFLOW if the traffic of a router leaves 63 bits;
 * NB_NO_MEMORY.
 */
enum nb_status nb_sources_init(const struct nb_simulation *plan,
                               const uint32_t *terminal_start,
                               const uint32_t *terminal_router,
                               struct nb_random *random, struct nb_sources *out,
                               struct nb_error *err);
void nb_sources_release(struct nb_sources *sources);

/*
 * The packets born in a cycle, in an order that prefers no terminal in the long
 * run; call once per cycle, in order.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_sources_draw(struct nb_sources *sources, uint64_t cycle,
                               struct nb_random *random,
                               const struct nb_birth **births, size_t *count,
                               struct nb_error *err);

/*
 * From this cycle on terminals send what the step says: gaps and bursts begin
 * anew, in their stationary state.
 *
 * Errors: NB_NO_MEMORY; nb_sources_init has refused the other causes of
 * failure.
 */
enum nb_status nb_sources_step(struct nb_sources *sources,
                               const struct nb_step *step, uint64_t cycle,
                               struct nb_random *random, struct nb_error *err);

/* The cycle of the trace's next packet; UINT64_MAX: none, or not known. */
uint64_t nb_sources_next(const struct nb_sources *sources);

/* Whether no packet will be born any more (traces and batches). */
bool nb_sources_are_done(const struct nb_sources *sources);

#endif
