/* Optimum report: quantities, notes and tables that several goals have. */
#ifndef NB_QUESTIONS_OPTIMUM_OPTIMUM_REPORT_H
#define NB_QUESTIONS_OPTIMUM_OPTIMUM_REPORT_H

#include "questions/optimum/optimum_question.h"

/* Adds NAME and NAME_absolute as nb_problem_add_throughput does, for the
 * second throughput of a report: without the capacity and its notes. */
void nb_optimum_add_throughput(const struct nb_problem *problem,
                               struct nb_point *out, const char *name,
                               struct nb_enclosure channels, const char *method,
                               const char *source);

/* Adds duality_gap, upper / lower - 1 of a quantity that the point has. */
void nb_optimum_add_gap(struct nb_point *out, const char *quantity,
                        const char *method, const char *source);

/* Whether the time limit stopped the work, as the report says it: what is not
 * evidence cannot be checked, and is repeated. */
bool nb_optimum_was_stopped(const struct nb_optimum *optimum,
                            const struct nb_point *given);
/* Adds the note that says so. */
void nb_optimum_note_stop(const struct nb_optimum *optimum,
                          struct nb_point *out);

/* Adds the note of how many pairs of routers stand for the others. */
void nb_optimum_note_size(size_t pairs, struct nb_point *out);

/* Mean hops of uniform traffic, self included, along shortest paths. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_optimum_minimal_hops(const struct nb_topology *topology,
                                       struct nb_enclosure *out,
                                       struct nb_error *err);

/* What no minimal routing can promise, by the matching of Singh2005, section
 * A.2. Errors: as nb_necessary_case_find. */
enum nb_status nb_optimum_matching_bound(const struct nb_optimum *optimum,
                                         struct nb_enclosure *out,
                                         struct nb_error *err);

/*
 * Cuts the upper end of a worst-case throughput that is not proved to the last
 * digits by what needs no program: uniform traffic is admissible, so that no
 * routing passes the capacity where that is the most there is, nor what all
 * channels together carry of it along shortest paths; minimal routing does not
 * pass nb_optimum_matching_bound. These hold of rates below 1,
 * where unbalanced traffic includes the balanced one.
 *
 * throughput  [packets/cycle/terminal]  the bracket to cut
 *
 * Errors: as nb_necessary_case_find.
 */
enum nb_status nb_optimum_cut_worst(const struct nb_optimum *optimum,
                                    struct nb_enclosure *throughput,
                                    struct nb_error *err);

/* Adds the table schemes if it is asked for. Errors: as nb_worst_case_find
 * and nb_channel_loads_find. */
enum nb_status nb_optimum_add_schemes(const struct nb_optimum *optimum,
                                      struct nb_point *out,
                                      struct nb_error *err);

/* As print of struct nb_command: the tables schemes and, if it is short,
 * bottleneck; nothing of sweeps. */
enum nb_status nb_optimum_print(const struct nb_point *point,
                                const struct nb_look *look,
                                struct nb_text *text, struct nb_error *err);

#endif
