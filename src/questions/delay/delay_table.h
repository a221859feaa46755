/* Delay table: what the answers about delays in slots and in continuous time
 * share. */
#ifndef NB_QUESTIONS_DELAY_DELAY_TABLE_H
#define NB_QUESTIONS_DELAY_DELAY_TABLE_H

#include "questions/delay/delay_paths.h"

/* The whole step from row to row of a table from first to last, so that it has
 * about a thousand rows at most; a step above 1 is noted in out. */
double nb_delay_table_step(double first, double last, struct nb_point *out);

/* Adds the cells probability, lower and upper. */
void nb_delay_table_add_bracket(struct nb_point *out, size_t table,
                                struct nb_bracket bracket);

/* WHAT_quantile, and if asked for WHAT_ccdf, of a queue that grows for ever. */
void nb_delay_add_saturated(const struct nb_question *question,
                            const char *what, struct nb_point *out);

/* Adds the table of the kinds of queues: load and mean delay of each. */
void nb_delay_add_queues(const struct nb_delay_paths *paths,
                         struct nb_point *out);

/*
 * Adds the table of the paths by the level of the common ancestor.
 *
 * reach  as for nb_delay_depth; not read if saturated
 */
void nb_delay_add_levels(const struct nb_delay_paths *paths, double overflow,
                         double reach, struct nb_point *out);

#endif
