/* Audit: what an operator wants to know of a fabric and its routing. */
#ifndef NB_QUESTIONS_AUDIT_AUDIT_QUESTION_H
#define NB_QUESTIONS_AUDIT_AUDIT_QUESTION_H

#include "core/public.h"
#include "bounds/optimum/best_flow.h"
#include "deadlock/deadlock.h"
#include "questions/problem.h"
#include "topology/cabling.h"

NB_PUBLIC_BEGIN

/* The options of netbound audit; each is what its row says. */
struct nb_audit_question {
    const char *topology, *routing;
    int64_t matchings, seed, cables;
    bool alone;
    struct nb_ratio time_limit;
};

/* One scheme's paths. */
struct nb_audited {
    const char *name;        /* borrowed */
    struct nb_error refusal; /* without a message: it is of this network */
    size_t unrouted;         /* pairs of routers with terminals */
    uint32_t first[2];       /* the first one of them */
    uint64_t *load;          /* [channel_count] all-to-all; owned; NULL
                              * but of the given one */
    uint32_t worst_channel;  /* of greatest load / bandwidth; NB_NONE: none */
    uint64_t most_load;      /* [pairs] its; 0: none */
    struct nb_ratio throughput; /* of all-to-all, per terminal; not known: no
                                 * channel is used */
    uint64_t worst_load;        /* of the worst permutation .. */
    uint32_t worst_load_channel;
    struct nb_ratio worst_throughput; /* .. per terminal */
    struct nb_interval bisection;     /* effective, of a terminal's rate */
    bool is_free;                     /* of deadlock, for certain */
    unsigned classes;                 /* that it uses */
    unsigned least, most;             /* its routes need so many, to be free */
    bool has_tables; /* a next hop for each destination: forwarding tables */
};

/* What any routing carries of all-to-all. Owns its parts, but for the network,
 * of which only the terminals are its own. */
struct nb_audit_best {
    struct nb_topology gathered; /* hosts' terminals are at their switches */
    uint32_t *terminals;
    struct nb_traffic traffic;      /* uniform, of gathered */
    struct nb_best_flow flow;       /* of it */
    struct nb_enclosure throughput; /* [packets/cycle/terminal] */
    struct nb_enclosure load;       /* [pairs] of the fullest channel between
                                     * switches, if it is one of most bandwidth */
};

/* Owns its parts. */
struct nb_audit_told {
    struct nb_problem problem;
    int64_t cables; /* shown */
    size_t switches, hosts, trunks;
    struct nb_cabling cabling;
    struct nb_audited given;
    struct nb_audited *other; /* [other_count] best first */
    size_t other_count;
    struct nb_deadlock *deadlock; /* of the given one, with its proof */
    struct nb_audit_best best;
    struct nb_ratio host_limit; /* least rate that hosts' cables let through */
};

/*
 * run  NULL: all cores
 *
 * Errors: as the builders; NB_INVALID for a given routing with several paths
 * for a pair, and where no two routers have terminals.
 */
enum nb_status nb_audit_ask(const struct nb_audit_question *asked,
                            const struct nb_run *run, struct nb_audit_told *out,
                            struct nb_error *err);
void nb_audit_told_release(struct nb_audit_told *told);

/*
 * The same of an answer that was given: what it proves, freedom from deadlock
 * or a cycle of the given routing and the best flow, is checked; all else is
 * computed anew.
 *
 * said  what was checked is appended
 *
 * Errors: NB_REFUTED naming what does not hold; as nb_audit_ask.
 */
enum nb_status nb_audit_recheck(const struct nb_audit_question *asked,
                                const struct nb_run *run,
                                const struct nb_point *given,
                                struct nb_audit_told *out, struct nb_text *said,
                                struct nb_error *err);

/*
 * The parts of ask that find the best: the network with its hosts' terminals
 * at their switches, which leaves a small one; the best flow in it, or the
 * check of a given one; and what that and the schemes that were audited prove
 * of all-to-all.
 */
enum nb_status nb_audit_gather(const struct nb_topology *topology,
                               struct nb_audit_best *out, struct nb_error *err);
enum nb_status nb_audit_best_find(const struct nb_audit_question *asked,
                                  const struct nb_run *run,
                                  const struct nb_point *given,
                                  struct nb_audit_best *out,
                                  struct nb_error *err);
void nb_audit_best_set(struct nb_audit_told *told);
void nb_audit_best_release(struct nb_audit_best *best);

/* Whether a channel is one between switches: of a fabric those of hosts are
 * not. */
bool nb_audit_counts(const struct nb_topology *topology, uint32_t channel);

/* Adds what was found to a report's point. */
void nb_audit_tell(const struct nb_audit_told *told, struct nb_point *out);

NB_PUBLIC_END

#endif
