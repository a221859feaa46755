/* A worst case as tables of the report, and back: what `verify` checks. */
#ifndef NB_QUESTIONS_WORST_CASE_WORST_CASE_TABLES_H
#define NB_QUESTIONS_WORST_CASE_WORST_CASE_TABLES_H

#include "bounds/worst_case/worst_case.h"
#include "questions/problem.h"

/*
 * Adds the table permutation: where each terminal sends, terminals numbered
 * router by router. With several alike per router, the r-th of a router sends
 * to the r-th of its partner.
 *
 * permutation  [sides->count] the side that each side sends to
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_table_add_permutation(const struct nb_topology *topology,
                                        const struct nb_sides *sides,
                                        const uint32_t *permutation,
                                        struct nb_point *out,
                                        struct nb_error *err);

/* Writes the table permutation to a file, once the whole report is there; a
 * point without it writes none. Errors: as nb_permutation_write. */
enum nb_status nb_table_write_permutation(const struct nb_point *point,
                                          const char *path,
                                          struct nb_error *err);

/* Adds the tables worst_channel, permutation, and the certificate: bounds
 * (one row per focus channel) and duals (rows that are not both zero; whole
 * numbers over the bound's denominator, or doubles in duals_value). */
enum nb_status nb_worst_case_add_tables(const struct nb_topology *topology,
                                        const struct nb_worst_case *worst,
                                        struct nb_point *out,
                                        struct nb_error *err);

/*
 * Reads the claim back from these tables.
 *
 * Errors: NB_REFUTED if a table is missing or a number is out of range.
 */
enum nb_status nb_worst_case_read_tables(const struct nb_topology *topology,
                                         const struct nb_point *given,
                                         struct nb_worst_case *out,
                                         struct nb_error *err);

#endif
