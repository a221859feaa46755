/* Validation: what its checks share. */
#ifndef NB_QUESTIONS_VALIDATE_VALIDATE_H
#define NB_QUESTIONS_VALIDATE_VALIDATE_H

#include "questions/simulate/simulate_plan.h"
#include "questions/validate/validate_question.h"

/* The given tolerance, or else the check's own. */
double nb_validation_tolerance(const struct nb_validate_answer *answer,
                               double otherwise);

/* A prediction: the exact number, or the middle of its bracket. */
struct nb_interval nb_validation_predicted(struct nb_enclosure value);

/* Simulates as asked, once: sets result. Errors: those of nb_simulate. */
enum nb_status nb_validation_simulate(struct nb_validate_answer *answer,
                                      const struct nb_run *run,
                                      struct nb_error *err);
/* Simulates every replication by itself, once: sets replication. */
enum nb_status nb_validation_replicate(struct nb_validate_answer *answer,
                                       const struct nb_run *run,
                                       struct nb_error *err);

/* The mean of a value over all replications. Errors: NB_NO_MEMORY. */
enum nb_status
nb_validation_estimate(const struct nb_validate_answer *answer,
                       double (*of)(const struct nb_simulation_result *),
                       double confidence, struct nb_estimate *out,
                       struct nb_error *err);

/* Adds an item to one of the lists of told. */
void nb_validation_append(struct nb_validate_answer *answer,
                          struct nb_validation_items *to,
                          const struct nb_validation_item *item);
/* Adds an item to told->items. */
void nb_validation_add(struct nb_validate_answer *answer, const char *name,
                       enum nb_validation_kind kind,
                       struct nb_interval predicted,
                       struct nb_interval simulated, double tolerance);
/* The simulated mean latency; infinite if the network is saturated, with the
 * measured value as the lower end. */
struct nb_interval
nb_validation_latency(const struct nb_validate_answer *answer);
/* Adds a quantity of the simulation, for sweeps. */
void nb_validation_add_quantity(struct nb_validate_answer *answer,
                                const char *name, struct nb_interval found,
                                const char *unit);

/* Simulates a load [flit/cycle/terminal], with more cycles while its stability
 * is undecided; out: released first. Errors: those of nb_simulate. */
enum nb_status nb_validation_try(const struct nb_validate_answer *answer,
                                 const struct nb_run *run, double load,
                                 struct nb_simulation_result *out,
                                 struct nb_error *err);
/* Whether the sources can send this load. */
bool nb_validation_can_send(const struct nb_validate_answer *answer,
                            double load);

/* Whether a depth is certainly within the tolerance of the predicted one, as
 * [Singh2005, section 7.4.1] requires, that is with its whole interval: yes,
 * no, uncertain. */
const char *nb_validation_converged(const struct nb_validation_item *depth);

/* The checks, each of which adds items. */
typedef enum nb_status nb_validation_check(struct nb_validate_answer *answer,
                                           const struct nb_run *run,
                                           struct nb_error *err);
nb_validation_check nb_validate_loads, nb_validate_saturation,
    nb_validate_latency, nb_validate_queues, nb_validate_delay,
    nb_validate_reorder, nb_validate_split, nb_validate_percentiles,
    nb_validate_completion, nb_validate_adaptive, nb_validate_virtual;

/* What nb_validate_report adds. */
void nb_validate_add_answer(const struct nb_validate_answer *answer,
                            struct nb_point *out);

/* Tables of the answer. */
extern const struct nb_table_kind nb_validate_validation_table,
    nb_validate_channels_table, nb_validate_hops_table, nb_validate_ccdf_table;

#endif
