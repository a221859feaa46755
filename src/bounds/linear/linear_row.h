/* Linear row: a row of a linear program under construction, in which several
 * entries of one variable are added up. */
#ifndef NB_BOUNDS_LINEAR_ROW_H
#define NB_BOUNDS_LINEAR_ROW_H

#include "bounds/linear/linear.h"

#include <stdint.h>

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_linear_row {
    size_t count;
    size_t *place;
    double *value;
    size_t *at; /* [columns] position in place, plus 1; 0: none */
};

/* Makes room for rows over so many variables. Errors: NB_NO_MEMORY. */
enum nb_status nb_linear_row_init(struct nb_linear_row *row, size_t columns,
                                  struct nb_error *err);
void nb_linear_row_release(struct nb_linear_row *row);

/* Adds to a variable's entry. */
void nb_linear_row_put(struct nb_linear_row *row, size_t column, double value);

/* Leaves out the entries that added up to nothing; no more can be put. */
void nb_linear_row_tidy(struct nb_linear_row *row);

/* A number that tidy rows with the same entries have in common, also if all
 * signs are turned; others hardly ever. */
uint64_t nb_linear_row_hash(const struct nb_linear_row *row);

/* Adds the tidy row to the program, unless linear is NULL, and empties it.
 * index: out, may be NULL. Errors: as nb_linear_add_row. */
enum nb_status nb_linear_row_add(struct nb_linear_row *row,
                                 struct nb_linear *linear,
                                 enum nb_linear_sense sense, double right,
                                 size_t *index, struct nb_error *err);

#endif
