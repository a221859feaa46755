/* Validate: what analysis predicts beside what a simulation of the same
 * network finds. */
#ifndef NB_QUESTIONS_VALIDATE_VALIDATE_QUESTION_H
#define NB_QUESTIONS_VALIDATE_VALIDATE_QUESTION_H

#include "core/public.h"
#include "load/channel_loads.h"
#include "questions/simulate/simulate_question.h"

NB_PUBLIC_BEGIN

/* The options of netbound validate; each is what its row says. */
struct nb_validate_question {
    /* Of which find, pair, depths, reorder and window have no part in this;
     * without a load, half of what the scheme carries. */
    struct nb_simulate_question simulated;
    const char *check; /* NULL: those that apply */
    struct nb_ratio tolerance;
    const char *claim; /* NULL: none */
    int64_t small;     /* a of Randall's theorem 3; below 1: 32 */
};

enum nb_validation_kind {
    NB_VALIDATE_BOUND,         /* no value beyond it is possible */
    NB_VALIDATE_EXACT,         /* of the network that is simulated */
    NB_VALIDATE_APPROXIMATION, /* what is left out shows as its error */
};

enum nb_validation_verdict {
    NB_VALIDATED_HOLDS,     /* a bound */
    NB_VALIDATED_AGREES,    /* within the tolerance */
    NB_VALIDATED_UNCERTAIN, /* beyond it, but within the interval, or infinite:
                             * nothing was decided */
    NB_VALIDATED_DIFFERS,   /* beyond both */
    NB_VALIDATED_VIOLATED,  /* a bound, by the whole interval */
    NB_VALIDATION_VERDICTS
};
extern const char *const nb_validation_verdict_names[];

/* A prediction, within what is known of it (of a bound: the values that it
 * permits), beside what was simulated. */
struct nb_validation_item {
    char name[80];
    size_t value; /* in a distribution, of which this is the tail */
    enum nb_validation_kind kind;
    struct nb_interval predicted, simulated;
    double tolerance; /* of the relative error; not of bounds */
};

/* simulated / predicted - 1; 0 where they are equal, infinite ones too. */
double nb_validation_error(const struct nb_validation_item *item);
enum nb_validation_verdict
nb_validation_judge(const struct nb_validation_item *item);

struct nb_validation_items {
    size_t count;
    struct nb_validation_item *item; /* [count] owned */
};

enum { NB_VALIDATION_QUANTITIES = 8 };

/* Owns all; not to be moved. */
struct nb_validate_told {
    /* With its result where a check needs all replications together. */
    struct nb_simulate_told simulation;
    bool has_result;
    /* [simulation.plan.replications] Each by itself, for intervals of what is
     * no mean; NULL where no check needs them. */
    struct nb_simulation_result *replication;
    uint64_t cycles; /* of those, and of other rates: checks may lengthen the
                      * plan's for result */
    struct nb_channel_loads loads; /* empty: the scheme is adaptive */
    /* [flit/cycle/terminal] up to which all queues of the network are stable:
     * by its channels, and with those to terminals; unknown if adaptive. */
    struct nb_enclosure channel_limit, limit;
    double tolerance;                      /* NAN: that of each check */
    struct nb_validation_items items;      /* what was checked */
    size_t counts[NB_VALIDATION_VERDICTS]; /* of them */
    struct nb_validation_items channels;   /* then channels to terminals */
    size_t first_hop, hops; /* of items: the depths of a fat tree's queues */
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
    /* Of what a source sends, most that goes to one destination; 0: not asked
     * for. */
    double stream;
    int64_t small;       /* a of Randall's theorem 3 */
    uint64_t small_left; /* small packets that a round did not deliver */
    bool leaves_window;  /* no virtual network had more than it got through */
    bool leaves_loads;   /* not checked, as the network is saturated */
    bool leaves_saturation; /* not checked, as sources cannot send so much */
    bool has_failed;        /* an item was lost for lack of memory */
};

/*
 * run  NULL: all cores
 *
 * Errors: as nb_simulate_ask and the questions that predict; NB_INVALID for
 * checks that are none or do not apply, and claims of no quantity. A bound that
 * is violated is an answer.
 */
enum nb_status nb_validate_ask(const struct nb_validate_question *asked,
                               const struct nb_run *run,
                               struct nb_validate_told *out,
                               struct nb_error *err);
void nb_validate_told_release(struct nb_validate_told *told);

/* Adds what was found to a report's point. */
void nb_validate_tell(const struct nb_validate_told *told,
                      struct nb_point *out);

NB_PUBLIC_END

#endif
