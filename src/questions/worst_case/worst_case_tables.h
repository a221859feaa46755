/* Worst cases as tables of the report, and back: what `verify` checks. A claim
 * is read back into an empty case, which the caller releases even after errors;
 * NB_REFUTED if a table is missing or a number is out of range. */
#ifndef NB_QUESTIONS_WORST_CASE_WORST_CASE_TABLES_H
#define NB_QUESTIONS_WORST_CASE_WORST_CASE_TABLES_H

#include "ask/table_read.h"
#include "bounds/worst_case/worst_case.h"
#include "questions/problem.h"
#include "questions/worst_case/worst_case_question.h"

/*
 * Adds the table permutation: where each terminal sends. Terminals are numbered
 * router by router. With several equivalent terminals per router, the r-th of a
 * router sends to the r-th of its partner.
 *
 * permutation  [sides->count] the side that each side sends to
 */
void nb_table_add_permutation(const struct nb_topology *topology,
                              const struct nb_sides *sides,
                              const uint32_t *permutation,
                              struct nb_point *out);

/* Reads it back: each side sends to the side whose first terminal its own first
 * terminal sends to. Rows of other terminals are compared when the table is
 * written again. out: [sides->count], for the caller to delete. */
void nb_read_permutation(struct nb_table_reader *in,
                         const struct nb_sides *sides, uint32_t **out);

/* Writes the table permutation to a file, after the whole report is complete;
 * does nothing for a point without it. Errors: those of
 * nb_permutation_write. */
enum nb_status nb_table_write_permutation(const struct nb_point *point,
                                          const char *path,
                                          struct nb_error *err);

/* Bounds of channels by duals, exact or not; by duals for unbalanced traffic,
 * with that traffic; and by covers. */
extern const struct nb_table_kind nb_worst_bounds, nb_worst_duals,
    nb_worst_values;
extern const struct nb_table_kind nb_unbalanced_bounds, nb_unbalanced_duals,
    nb_unbalanced_traffic;
extern const struct nb_table_kind nb_necessary_bounds, nb_necessary_covers;

/* Adds the tables worst_channel, permutation, and the certificate: bounds
 * (one row per focus channel) and duals (rows that are not both zero; whole
 * numbers over the bound's denominator, or doubles in duals_value). */
void nb_worst_case_add_tables(const struct nb_topology *topology,
                              const struct nb_worst_case *worst,
                              struct nb_point *out);
enum nb_status nb_worst_case_read_tables(const struct nb_topology *topology,
                                         const struct nb_point *given,
                                         struct nb_worst_case *out,
                                         struct nb_error *err);

/* Adds the tables worst_channel, bounds (one row per focus channel), duals
 * (rows that are not both zero, over the bound's denominator) and traffic
 * (the rates that fill the worst channel). */
void nb_unbalanced_add_tables(const struct nb_topology *topology,
                              const struct nb_unbalanced_case *unbalanced,
                              struct nb_point *out);
enum nb_status nb_unbalanced_read_tables(const struct nb_topology *topology,
                                         const struct nb_point *given,
                                         struct nb_unbalanced_case *out,
                                         struct nb_error *err);

/*
 * Adds the tables worst_channel, permutation (all terminals; those without a
 * partner in the matching are paired in their order), and the certificate:
 * matching (the terminals whose shortest paths all cross the worst channel),
 * bounds (one row per focus channel) and covers (the sides of each bound's
 * cover).
 */
void nb_necessary_add_tables(const struct nb_topology *topology,
                             const struct nb_necessary_case *found,
                             struct nb_point *out);
enum nb_status nb_necessary_read_tables(const struct nb_topology *topology,
                                        const struct nb_point *given,
                                        struct nb_necessary_case *out,
                                        struct nb_error *err);

#endif
