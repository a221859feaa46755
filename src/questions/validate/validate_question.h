/* Validate: predictions of the analysis compared with a simulation of the same
 * network. */
#ifndef NB_QUESTIONS_VALIDATE_VALIDATE_QUESTION_H
#define NB_QUESTIONS_VALIDATE_VALIDATE_QUESTION_H

#include "core/public.h"
#include "load/channel_loads.h"
#include "questions/simulate/simulate_question.h"

NB_PUBLIC_BEGIN

/* The options of netbound validate; see its option rows. */
struct nb_validate_question {
    /* Its find, pair, depths, reorder and window are ignored. Default load:
     * half of what the scheme carries. */
    struct nb_simulate_question simulated;
    const char *check; /* NULL: the defaults that apply */
    struct nb_ratio tolerance;
    const char *claim; /* NULL: none */
    int64_t small;     /* a of Randall's theorem 3; below 1: 32 */
};

enum nb_validation_kind {
    NB_VALIDATE_BOUND,         /* no value beyond it is possible */
    NB_VALIDATE_EXACT,         /* exact for the simulated network */
    NB_VALIDATE_APPROXIMATION, /* its simplifications cause its error */
};

enum nb_validation_verdict {
    NB_VALIDATED_HOLDS,     /* a bound */
    NB_VALIDATED_AGREES,    /* within the tolerance */
    NB_VALIDATED_UNCERTAIN, /* beyond it, but within the interval, or infinite:
                             * undecided */
    NB_VALIDATED_DIFFERS,   /* beyond both */
    NB_VALIDATED_VIOLATED,  /* a bound, by the whole interval */
    NB_VALIDATION_VERDICTS
};
extern const char *const nb_validation_verdict_names[];

/* A prediction with its bracket (for a bound: the permitted values), and the
 * simulated value. */
struct nb_validation_item {
    char name[80];
    size_t value; /* the value that the tail is for, in a distribution */
    enum nb_validation_kind kind;
    struct nb_interval predicted, simulated;
    double tolerance; /* of the relative error; unused for bounds */
};

struct nb_validation_items {
    size_t count;
    struct nb_validation_item *item; /* [count] owned */
};

enum { NB_VALIDATION_QUANTITIES = 8 };

/* Owns all; must not be moved. */
struct nb_validate_answer {
    /* Has a result if a check needs all replications together. */
    struct nb_simulate_answer simulation;
    bool has_result;
    /* [simulation.plan.replications] Each by itself, for intervals of values
     * that are not means; NULL if no check needs them. */
    struct nb_simulation_result *replication;
    uint64_t cycles; /* of those and of other rates; checks may lengthen the
                      * plan's cycles for result */
    struct nb_channel_loads loads; /* empty: the scheme is adaptive */
    /* [flit/cycle/terminal] The rate up to which all queues of the network are
     * stable: by its channels; and with those to terminals. Unknown for
     * adaptive schemes. */
    struct nb_enclosure channel_limit, limit;
    double tolerance;                      /* NAN: each check's own */
    struct nb_validation_items items;      /* the checked items */
    size_t counts[NB_VALIDATION_VERDICTS]; /* items of each verdict */
    struct nb_validation_items channels;   /* then channels to terminals */
    size_t first_hop, hops; /* range of items: the depths of a fat tree's
                             * queues */
    struct nb_validation_items tails; /* one distribution after another */
    bool has_tails;
    size_t quantity_count;
    struct nb_validation_quantity {
        const char *name, *unit;
        struct nb_interval found;
        bool is_bound;                      /* proved, not simulated */
    } quantities[NB_VALIDATION_QUANTITIES]; /* of the simulation, for sweeps */
    /* [flit/cycle/terminal] Below and above the limit; 0: not tested. */
    double tested[2];
    /* The largest share of a source's traffic that goes to one destination; 0:
     * not asked for. */
    double stream;
    int64_t small;          /* a of Randall's theorem 3 */
    uint64_t small_left;    /* small packets that a round did not deliver */
    bool leaves_window;     /* no virtual network had more packets than it
                             * delivered */
    bool leaves_loads;      /* not checked, because the network is saturated */
    bool leaves_saturation; /* not checked, because the sources cannot send
                             * enough */
    bool has_failed;        /* an item was lost because memory ran out */
};

/*
 * run  NULL: all cores
 *
 * Errors: those of nb_simulate_ask and the questions that predict; NB_INVALID
 * for unknown checks, checks that do not apply, and claims on unknown
 * quantities. A violated bound is not an error.
 */
NB_DECLARE_QUESTION(validate);
void nb_validate_answer_release(struct nb_validate_answer *answer);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* simulated / predicted - 1; 0 if both are equal, even if infinite. */
double nb_validation_error(const struct nb_validation_item *item);
enum nb_validation_verdict
nb_validation_judge(const struct nb_validation_item *item);

NB_INTERNAL_END

#endif
