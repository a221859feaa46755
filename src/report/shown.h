/* Shown: the quantities and tables of a report that people want to see.
 * NAME.all means the table where a quantity has the same name. */
#ifndef NB_REPORT_SHOWN_H
#define NB_REPORT_SHOWN_H

#include "report/format.h"

/* Errors: NB_INVALID if the model shows a name that no point has, listing the
 * existing names; NB_NO_MEMORY. */
enum nb_status nb_shown_check(const struct nb_report *report,
                              struct nb_error *err);

/* The quantities that the model shows, in its order; all by default. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_shown_quantities(const struct nb_report *report,
                                   struct nb_names *out, struct nb_error *err);

/* The tables that the model shows, wholly or in part; none by default. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_shown_tables(const struct nb_report *report,
                               struct nb_names *out, struct nb_error *err);

/* For networks that fit (topology --fit) an answer begins with the first of
 * them, in the columns that this model shows: those that are not quotients of
 * others, except one. */
enum { NB_RANKING_ROWS = 20, NB_RANKING_COLUMNS = 13 };
extern const char nb_ranking_table[];
extern const struct nb_model nb_ranking_model;

/* Whether the model names no columns of the table, or all of them. */
bool nb_shown_is_whole(const struct nb_model *model, const char *table);

/*
 * The columns of a table that the model shows, in its order; all if it is shown
 * as a whole.
 *
 * columns  [table->column_count]  out: their indices
 *
 * Returns their number.
 */
size_t nb_shown_columns(const struct nb_model *model,
                        const struct nb_table *table, size_t *columns);

#endif
