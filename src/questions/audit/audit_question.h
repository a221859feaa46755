/* Audit: what an operator needs to know about a fabric and its routing. */
#ifndef NB_QUESTIONS_AUDIT_AUDIT_QUESTION_H
#define NB_QUESTIONS_AUDIT_AUDIT_QUESTION_H

#include "core/public.h"
#include "optimum/best_flow.h"
#include "deadlock/deadlock.h"
#include "questions/problem.h"
#include "topology/cabling.h"
#include "topology/placement.h"

/* The options of netbound audit; each is what its row says. */
struct nb_audit_question {
    const char *topology, *routing, *hosts;
    int64_t matchings, seed, cables;
    bool alone;
    struct nb_ratio time_limit;
};

/* One scheme's paths. */
struct nb_audited {
    const char *name;          /* borrowed */
    struct nb_error refusal;   /* no message: the scheme suits this network */
    size_t unrouted;           /* pairs of routers with terminals but no path */
    uint32_t first[2];         /* first of these pairs */
    uint64_t *load;            /* [channel_count] all-to-all, times ways; owned;
                                * NULL except for the audited routing */
    uint32_t ways;             /* paths of each pair, to the LIDs of a host */
    uint32_t worst_channel;    /* of greatest load / bandwidth; NB_NONE: none */
    struct nb_ratio most_load; /* [pairs] of worst_channel; 0: none */
    struct nb_ratio throughput; /* of all-to-all, per terminal; not known if no
                                 * channel is used */
    struct nb_ratio worst_load; /* of the worst permutation */
    uint32_t worst_load_channel;
    struct nb_ratio worst_throughput; /* of the same, per terminal */
    struct nb_interval bisection;     /* share of a terminal's rate */
    bool is_free;                     /* of deadlock, proved */
    unsigned classes;                 /* classes that it uses */
    unsigned least, most;             /* bounds on the classes needed */
    bool has_tables; /* one next hop per destination, as in forwarding tables */
};

/* The hosts that send: those of a job, or all. Owns only the array. */
struct nb_audit_job {
    struct nb_topology ends;       /* the network with their terminals only */
    uint32_t *terminals;           /* those of ends; NULL: all hosts send */
    struct nb_placement placement; /* of a job */
};

/* The all-to-all traffic that any routing can carry. Owns its parts; of the
 * network it owns only the terminals. */
struct nb_audit_best {
    struct nb_topology gathered; /* hosts' terminals moved to their switches */
    uint32_t *terminals;
    struct nb_traffic traffic;      /* uniform, on gathered */
    struct nb_best_flow flow;       /* of traffic */
    struct nb_enclosure throughput; /* [packets/cycle/terminal] */
    struct nb_enclosure load;       /* [pairs] of the fullest channel between
                                     * switches, at the bandwidth of the one
                                     * that is fullest now */
};

/* Owns its parts. */
struct nb_audit_answer {
    struct nb_problem problem;
    struct nb_audit_job job;
    int64_t cables; /* number shown */
    size_t switches, hosts, trunks;
    struct nb_cabling cabling;
    struct nb_audited given;
    struct nb_audited *other; /* [other_count] best first */
    size_t other_count;
    struct nb_deadlock *deadlock; /* of the audited routing, with its proof */
    struct nb_audit_best best;
    struct nb_ratio host_limit; /* least rate that hosts' cables permit */
};

/*
 * run  NULL: all cores
 *
 * Errors: those of the builders; NB_INVALID for an audited routing with several
 * paths for a pair, and if fewer than two routers have terminals.
 */
NB_DECLARE_QUESTION(audit);
void nb_audit_answer_release(struct nb_audit_answer *answer);

/*
 * The same for a given answer: checks its proofs, which are freedom from
 * deadlock or a cycle of the audited routing, and the best flow; computes all
 * else anew.
 *
 * said  what was checked is appended
 *
 * Errors: NB_REFUTED naming what does not hold; those of nb_audit_ask.
 */
enum nb_status nb_audit_recheck(const struct nb_audit_question *request,
                                const struct nb_run *run,
                                const struct nb_point *given,
                                struct nb_audit_answer *out,
                                struct nb_text *said, struct nb_error *err);

/*
 * Finds the hosts of a job by their names.
 *
 * hosts  names joined by commas, as in nb_name_list_read, in which * is any
 *        text and ? any character; each is compared with whole names and with
 *        names up to the first space. NULL: all hosts
 *
 * Errors: NB_INVALID naming what fits no host, or if fewer than two routers
 * with terminals are left; NB_NO_MEMORY.
 */
enum nb_status nb_audit_job_find(const struct nb_topology *topology,
                                 const struct nb_cabling *cabling,
                                 const char *hosts, struct nb_audit_job *out,
                                 struct nb_error *err);
void nb_audit_job_release(struct nb_audit_job *job);

/* Adds how a job is placed; nothing for all hosts. */
void nb_audit_job_report(const struct nb_audit_answer *answer,
                         struct nb_point *out);

/*
 * The parts of nb_audit_ask that find the best routing: the network with its
 * hosts' terminals moved to their switches, which makes it smaller; the best
 * flow in it, or the check of a given one; and the bounds on all-to-all
 * throughput that this flow and the audited schemes prove.
 */
enum nb_status nb_audit_gather(const struct nb_topology *topology,
                               struct nb_audit_best *out, struct nb_error *err);
enum nb_status nb_audit_best_find(const struct nb_audit_question *request,
                                  const struct nb_run *run,
                                  const struct nb_point *given,
                                  struct nb_audit_best *out,
                                  struct nb_error *err);
void nb_audit_best_set(struct nb_audit_answer *answer);
void nb_audit_best_release(struct nb_audit_best *best);

/* Whether a channel is between switches; in a fabric, those of hosts are
 * not. */
bool nb_audit_counts(const struct nb_topology *topology, uint32_t channel);

/* What nb_audit_report adds. */
void nb_audit_add_answer(const struct nb_audit_answer *answer,
                         struct nb_point *out);

/* Tables of the answer. */
extern const struct nb_table_kind nb_audit_placement_table,
    nb_audit_cables_table, nb_audit_channels_table, nb_audit_alternatives_table,
    nb_audit_tree_table, nb_audit_odd_cables_table, nb_audit_switches_table;

#endif
