/* Validation: what analysis predicts beside what a simulation of the same
 * network finds. */
#ifndef NB_QUESTIONS_VALIDATE_VALIDATE_H
#define NB_QUESTIONS_VALIDATE_VALIDATE_H

#include "questions/simulate/simulate_question.h"
#include "load/channel_loads.h"

enum nb_validation_kind {
    NB_VALIDATE_BOUND,         /* no value beyond it is possible */
    NB_VALIDATE_EXACT,         /* of the network that is simulated */
    NB_VALIDATE_APPROXIMATION, /* what is left out shows as its error */
};

enum nb_validation_verdict {
    NB_VALIDATED_HOLDS,     /* a bound */
    NB_VALIDATED_AGREES,    /* within the tolerance */
    NB_VALIDATED_UNCERTAIN, /* beyond it, but within the interval */
    NB_VALIDATED_DIFFERS,   /* beyond both */
    NB_VALIDATED_VIOLATED,  /* a bound, by the whole interval */
    NB_VALIDATION_VERDICTS
};
extern const char *const nb_validation_verdict_names[];

/* A prediction, known to be in [lower, upper] (of a bound: the values that it
 * permits), beside what was simulated, with its interval. */
struct nb_validation_item {
    const char *name;
    enum nb_validation_kind kind;
    double prediction, lower, upper;
    double simulated, simulated_lower, simulated_upper;
    double tolerance; /* of the relative error; not of bounds */
};

/* simulated / prediction - 1; 0 where they are equal, infinite ones too. */
double nb_validation_error(const struct nb_validation_item *item);
enum nb_validation_verdict
nb_validation_judge(const struct nb_validation_item *item);

/* What is being validated. Owns all but question and out; asked borrows from
 * itself: not to be moved. */
struct nb_validation {
    const struct nb_question *question;
    struct nb_point *out;
    /* The network as options of other commands: question's, with a rate. */
    struct nb_model model;
    struct nb_simulate_question asked;
    struct nb_channel_loads loads; /* empty: the scheme is adaptive */
    /* [flit/cycle/terminal] up to which all queues of the network are stable:
     * by its channels, and with those to terminals; unknown if adaptive. */
    struct nb_enclosure channel_limit, limit;
    double tolerance; /* NAN: that of each check */
    uint64_t cycles;  /* of asked.plan, which checks may lengthen for result */
    size_t table;     /* of out: validation */
    size_t counts[NB_VALIDATION_VERDICTS];
    size_t distributions; /* of out: table ccdf, where has_laws */
    bool has_laws;
    bool has_result;
    struct nb_simulation_result result;       /* nb_validation_simulate */
    struct nb_simulation_result *replication; /* nb_validation_replicate */
};

/*
 * Reads the options: the network, and how it is simulated; at half of what the
 * scheme carries unless a load is given.
 *
 * out->out and out->question are set before.
 *
 * Errors: those of nb_simulate_question_read and nb_channel_loads_find.
 */
enum nb_status nb_validation_read(struct nb_validation *out,
                                  struct nb_error *err);
void nb_validation_release(struct nb_validation *validation);

/* The tolerance asked for, or else the check's own. */
double nb_validation_tolerance(const struct nb_validation *validation,
                               double otherwise);

/*
 * Answers a question of another command about the same network: the options
 * that it knows, and further ones.
 *
 * options  name, value, ..., NULL; values NULL take an option away
 *
 * Errors: those of the command.
 */
enum nb_status nb_validation_ask(const struct nb_validation *validation,
                                 const char *command,
                                 const char *const *options,
                                 struct nb_point *out, struct nb_error *err);

/* Simulates as asked, once: sets result. Errors: those of nb_simulate. */
enum nb_status nb_validation_simulate(struct nb_validation *validation,
                                      struct nb_error *err);
/* Simulates every replication by itself, once, for intervals of what is no
 * mean: sets replication, [asked.plan.replications]. */
enum nb_status nb_validation_replicate(struct nb_validation *validation,
                                       struct nb_error *err);

/* The mean over all replications of something. Errors: NB_NO_MEMORY. */
enum nb_status
nb_validation_estimate(const struct nb_validation *validation,
                       double (*of)(const struct nb_simulation_result *),
                       double confidence, struct nb_estimate *out,
                       struct nb_error *err);

/* Judges an item, counts it and adds it to the table. */
void nb_validation_add(struct nb_validation *validation,
                       const struct nb_validation_item *item);
/* The same of an estimate, with a prediction between lower and upper. */
void nb_validation_add_estimate(struct nb_validation *validation,
                                const char *name, enum nb_validation_kind kind,
                                struct nb_bracket prediction,
                                struct nb_interval simulated, double tolerance);
/* The mean latency simulated; infinite where the network is saturated, from
 * what was measured on. */
void nb_validation_add_latency(struct nb_validation *validation,
                               const char *name, enum nb_validation_kind kind,
                               struct nb_bracket prediction, double tolerance);
/* A quantity of the simulation, for sweeps. */
void nb_validation_add_quantity(struct nb_validation *validation,
                                const char *name, double value, double lower,
                                double upper, const char *unit);
/* That of the latency, infinite where the network is saturated. */
void nb_validation_add_mean_latency(struct nb_validation *validation);
/* How many items there are of each verdict. */
void nb_validation_add_counts(struct nb_validation *validation);

/* The checks, each of which adds items. */
enum nb_status nb_validate_loads(struct nb_validation *validation,
                                 struct nb_error *err);
enum nb_status nb_validate_saturation(struct nb_validation *validation,
                                      struct nb_error *err);
enum nb_status nb_validate_latency(struct nb_validation *validation,
                                   struct nb_error *err);
enum nb_status nb_validate_queues(struct nb_validation *validation,
                                  struct nb_error *err);
enum nb_status nb_validate_delay(struct nb_validation *validation,
                                 struct nb_error *err);
enum nb_status nb_validate_reorder(struct nb_validation *validation,
                                   struct nb_error *err);
enum nb_status nb_validate_split(struct nb_validation *validation,
                                 struct nb_error *err);
enum nb_status nb_validate_completion(struct nb_validation *validation,
                                      struct nb_error *err);

/* The option claim: upper bounds of the user's own, on quantities of
 * `simulate`. Errors: NB_INVALID for what is none. */
enum nb_status nb_validate_claims(struct nb_validation *validation,
                                  struct nb_error *err);

#endif
