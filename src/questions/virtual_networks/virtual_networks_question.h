/* Virtual networks: what the three theorems of the virtual router promise. */
#ifndef NB_QUESTIONS_VIRTUAL_NETWORKS_VIRTUAL_NETWORKS_QUESTION_H
#define NB_QUESTIONS_VIRTUAL_NETWORKS_VIRTUAL_NETWORKS_QUESTION_H

#include "core/public.h"
#include "core/enclosure.h"
#include "ask/question.h"

/* The options of netbound virtual-networks; see its option rows. */
struct nb_virtual_networks_question {
    int64_t terminals;     /* N, a power of two */
    struct nb_ratio round; /* A: a round lasts A log2 N cycles */
    int64_t networks;      /* V */
    int64_t congestion;    /* C; below 1: not given */
    int64_t small;         /* a; below 1: not given */
    int64_t small_count;   /* C_s; below 1: not given */
    const char *pending;   /* names, such as 3,5,9; NULL: not given */
    int64_t active;        /* name of the active one; below 0: 0 */
    int64_t names;         /* number of names; below 1: 2^32 */
};

/* Theorem 2; holds with certainty. */
struct nb_virtual_share {
    int64_t levels;            /* log2 N */
    struct nb_ratio round;     /* [cycles] */
    struct nb_ratio window;    /* [cycles] */
    struct nb_ratio wait;      /* [cycles] until a network is active */
    struct nb_ratio dedicated; /* [cycles] of a dedicated network */
    struct nb_ratio fraction;
};

/* Theorem 3: how fast rounds reduce a congestion C. */
struct nb_virtual_rounds {
    /* A congestion was given; a single round does not remove it; and a is as
     * printed. */
    bool has_rounds, has_removal, has_few_claim;
    int64_t rounds;              /* enough for all packets */
    struct nb_ratio steps;       /* [cycles] of these rounds */
    struct nb_ratio probability; /* that a packet is small */
    struct nb_enclosure small;   /* C_s */
    /* Probability that C_s small packets or more come to a switch: exact, by a
     * union bound, and by the printed formula; and to any switch, by the
     * printed formula. */
    struct nb_bracket crowd, crowd_sum, crowd_bound, crowd_network;
    struct nb_bracket crowd_claim, crowd_network_claim; /* N^-5, N^-3 */
    /* Probability that at most log2 N a / 4 of C / 2 packets are small: exact,
     * and by the printed formula; at any switch, by the printed formula; and
     * whether that is below 1 / N. */
    struct nb_bracket few, few_bound, few_network;
    struct nb_bracket few_claim; /* N^-2.8 for a = 32; else 0 */
    struct nb_enclosure claim;
    bool claim_holds;
};

/* The order in which tokens activate virtual networks, if all of them keep
 * having packets. */
struct nb_virtual_turns {
    uint64_t *name; /* [count] owned */
    int64_t next;   /* the first */
    size_t count;
};

struct nb_virtual_networks_answer {
    struct nb_virtual_share share;
    struct nb_virtual_rounds rounds; /* rounds = 0: no congestion was given */
    struct nb_virtual_turns turns;   /* empty: no pending was given */
};

/* Errors: NB_INVALID, NB_OVERFLOW, NB_NO_MEMORY. */
enum nb_status
nb_virtual_networks_ask(const struct nb_virtual_networks_question *request,
                        const struct nb_run *run,
                        struct nb_virtual_networks_answer *out,
                        struct nb_error *err);

void nb_virtual_networks_answer_release(
    struct nb_virtual_networks_answer *answer);

/* Adds what was found to a report's point. */
void nb_virtual_networks_report(const struct nb_virtual_networks_answer *answer,
                                struct nb_point *out);

#endif
