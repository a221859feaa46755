/* Fit: the option fit of `netbound topology`, every network that holds so
 * many terminals with routers of so many ports. */
#ifndef NB_QUESTIONS_FIT_FIT_TABLE_H
#define NB_QUESTIONS_FIT_FIT_TABLE_H

#include "report/report.h"

/*
 * Adds the table networks, best first, the quantities that sum it up and the
 * notes that say what they mean. Best is, where terminals are asked for,
 *
 *     capacity 1, unless a capacity is asked for, which all then have;
 *     the fewest links; the fewest routers; the least diameter
 *
 * and else the most terminals, then the same.
 *
 * Errors: as nb_fit_question_read; NB_NO_MEMORY.
 */
enum nb_status nb_fit_answer(const char *text, struct nb_point *out,
                             struct nb_error *err);

/* Appends the table for people; nothing without one, or at a point of a
 * sweep. Errors: NB_NO_MEMORY. */
enum nb_status nb_fit_print(const struct nb_point *point,
                            const struct nb_look *look, struct nb_text *text,
                            struct nb_error *err);

#endif
