/* Simulate tables: what a simulation found, as a report shows it. */
#ifndef NB_QUESTIONS_SIMULATE_SIMULATE_TABLES_H
#define NB_QUESTIONS_SIMULATE_SIMULATE_TABLES_H

#include "questions/simulate/simulate_question.h"
#include "sim/saturation.h"

#define NB_SIMULATE_METHOD "simulation, 95 % interval"
#define NB_SIMULATE_SOURCE "LawKelton2000"

/* Adds quantities and notes of a simulation, then its tables. */
void nb_simulate_add(const struct nb_simulate_question *asked,
                     const struct nb_simulation_result *result,
                     struct nb_point *out);
void nb_simulate_add_tables(const struct nb_simulate_question *asked,
                            const struct nb_simulation_result *result,
                            struct nb_point *out);

/* Adds the note router: what it has. Errors: NB_NO_MEMORY; those of
 * nb_vc_classes_build. */
enum nb_status nb_simulate_note_router(const struct nb_simulate_question *asked,
                                       struct nb_point *out,
                                       struct nb_error *err);

/* Adds the saturation, and the rates that were tried as table search. */
void nb_simulate_add_saturation(const struct nb_simulate_question *asked,
                                const struct nb_saturation *found,
                                struct nb_point *out);

/* [packet/flit] of rates as the report shows them: a trace's are of flits. */
double nb_simulate_packets(const struct nb_simulate_question *asked);
/* The unit of those rates. */
const char *nb_simulate_unit(const struct nb_simulate_question *asked);

#endif
