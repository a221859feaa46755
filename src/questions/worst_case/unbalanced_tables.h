/* An unbalanced worst case as tables of the report, and back. */
#ifndef NB_QUESTIONS_WORST_CASE_UNBALANCED_TABLES_H
#define NB_QUESTIONS_WORST_CASE_UNBALANCED_TABLES_H

#include "bounds/worst_case/unbalanced_case.h"
#include "report/report.h"

/* Adds the tables worst_channel, bounds (one row per focus channel), duals
 * (rows that are not both zero, over the bound's denominator) and traffic
 * (the rates that fill the worst channel). */
void nb_unbalanced_add_tables(const struct nb_topology *topology,
                              const struct nb_unbalanced_case *unbalanced,
                              struct nb_point *out);

/*
 * Reads the claim back from these tables.
 *
 * Errors: NB_REFUTED if a table is missing or a number is out of range.
 */
enum nb_status nb_unbalanced_read_tables(const struct nb_topology *topology,
                                         const struct nb_point *given,
                                         struct nb_unbalanced_case *out,
                                         struct nb_error *err);

#endif
