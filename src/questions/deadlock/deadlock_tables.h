/* Tables of netbound deadlock: its proofs as certificates. */
#ifndef NB_QUESTIONS_DEADLOCK_DEADLOCK_TABLES_H
#define NB_QUESTIONS_DEADLOCK_DEADLOCK_TABLES_H

#include "questions/deadlock/deadlock_question.h"
#include "report/rows.h"

extern const struct nb_table_kind *const nb_deadlock_table_kinds[];
extern const struct nb_quantity_row nb_deadlock_path_rows[];

/* Adds the proofs of an answer: tables numbering, or waits, cycle and
 * cycle_paths; the same with one class for all, one_class_numbering and so on;
 * and layers, if the answer has these. */
void nb_deadlock_add_proofs(const struct nb_deadlock *found,
                            struct nb_point *out);

/* Reads the proofs back and checks them as nb_deadlock_check does. Errors: the
 * same; NB_REFUTED for unusable tables. */
enum nb_status nb_deadlock_check_proofs(const struct nb_routing *routing,
                                        const struct nb_run *run,
                                        const struct nb_point *given,
                                        struct nb_deadlock *out,
                                        struct nb_error *err);

/* A note if the layers of pairs are more than the data lanes that InfiniBand
 * switches usually have. */
void nb_deadlock_note_lanes(const struct nb_deadlock *found,
                            struct nb_point *out);

/* Appends one line about what was checked. */
void nb_deadlock_say(const struct nb_deadlock *found, struct nb_text *said);

/* The same for a protocol: tables numbering, or waits, cycle and cycle_paths;
 * their classes are counted network by network. */
void nb_protocol_add_proof(const struct nb_protocol *found,
                           struct nb_point *out);
enum nb_status nb_protocol_check_proof(const struct nb_routing *routing,
                                       unsigned messages, unsigned networks,
                                       const struct nb_run *run,
                                       const struct nb_point *given,
                                       struct nb_protocol *out,
                                       struct nb_error *err);
void nb_protocol_say(const struct nb_protocol *found, struct nb_text *said);

/* Adds the quantities and notes of an answer, and its proofs. */
void nb_deadlock_report_found(const struct nb_deadlock_answer *answer,
                              struct nb_point *out);
void nb_protocol_report(const struct nb_protocol *found, struct nb_point *out);

#endif
