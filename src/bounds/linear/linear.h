/* Linear: a linear program, solved by GLPK. */
#ifndef NB_BOUNDS_LINEAR_H
#define NB_BOUNDS_LINEAR_H

#include "core/memory.h"

#include <stddef.h>
#include <stdint.h>

/*
 *     minimise  sum_j cost_j x_j   subject to
 *         sum_j a_ij x_j  <= or = right_i,   0 <= x_j <= most_j
 *
 * built piece by piece. Rows and columns may be added between two solutions;
 * the second then starts from the last basis. GLPK prints nothing.
 */
struct nb_linear;

enum nb_linear_sense { NB_AT_MOST, NB_EQUAL };

enum nb_linear_method {
    NB_LINEAR_PRIMAL,
    NB_LINEAR_DUAL,  /* falls back on the primal method where it must */
    NB_LINEAR_EXACT, /* rational arithmetic, for small programs; begins where
                      * the dual method ends. Exact only for whole numbers: GLPK
                      * replaces others by simple fractions within 1e-9 */
};

enum nb_linear_end {
    NB_LINEAR_OPTIMAL,
    NB_LINEAR_INFEASIBLE,
    NB_LINEAR_UNBOUNDED,
    NB_LINEAR_STOPPED, /* time limit reached, or the method cycles: values and
                        * duals are those of the last basis, perhaps neither
                        * optimal nor feasible */
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_linear_new(struct nb_linear **out, struct nb_error *err);
/* Accepts NULL and a pointer to NULL; sets the pointer to NULL. */
void nb_linear_release(struct nb_linear **linear);

/*
 * Adds a variable, or a row. Its entries name rows (columns) that exist, each
 * at most once.
 *
 * most    upper end, +inf if there is none
 * place   [count] from 0
 * index   out: its own place, from 0; may be NULL
 *
 * Errors: NB_NO_MEMORY; NB_OVERFLOW beyond the numbers of GLPK.
 */
enum nb_status nb_linear_add_column(struct nb_linear *linear, double cost,
                                    double most, size_t count,
                                    const size_t *place, const double *value,
                                    size_t *index, struct nb_error *err);
enum nb_status nb_linear_add_row(struct nb_linear *linear,
                                 enum nb_linear_sense sense, double right,
                                 size_t count, const size_t *place,
                                 const double *value, size_t *index,
                                 struct nb_error *err);

void nb_linear_set_cost(struct nb_linear *linear, size_t column, double cost);
void nb_linear_set_most(struct nb_linear *linear, size_t column, double most);

/*
 * Solves.
 *
 * seconds  [s]  time limit, +inf: none; <= 0: stops at once
 *
 * Errors: NB_NO_MEMORY; NB_STOPPED; NB_NO_CONVERGENCE if GLPK fails otherwise,
 * with its message.
 */
enum nb_status nb_linear_solve(struct nb_linear *linear,
                               enum nb_linear_method method, double seconds,
                               enum nb_linear_end *end, struct nb_error *err);

size_t nb_linear_row_count(const struct nb_linear *linear);
size_t nb_linear_column_count(const struct nb_linear *linear);
double nb_linear_objective(const struct nb_linear *linear);
double nb_linear_value(const struct nb_linear *linear, size_t column);
/* For a row "at most", the decrease of the objective per unit of right: >= 0 up
 * to rounding; for an equality, the increase. */
double nb_linear_dual(const struct nb_linear *linear, size_t row);

/* A row under construction, in which repeated entries of a variable are added
 * up; or a column likewise. Owns its arrays; zero-initialised is valid and
 * empty. */
struct nb_linear_row {
    struct nb_pool pool;
    size_t count;
    size_t *place;
    double *value;
    size_t *at; /* [columns] position in place, plus 1; 0: none */
};

/* Allocates for rows over this many variables. Errors: NB_NO_MEMORY. */
enum nb_status nb_linear_row_init(struct nb_linear_row *row, size_t columns,
                                  struct nb_error *err);

void nb_linear_row_release(struct nb_linear_row *row);

/* Adds to a variable's entry. */
void nb_linear_row_put(struct nb_linear_row *row, size_t column, double value);

/* Removes entries that sum to zero, after which no more can be put, and returns
 * a hash: equal for rows with the same entries, also if all signs are reversed,
 * and almost never for other rows. */
uint64_t nb_linear_row_hash(struct nb_linear_row *row);

/* Adds the row to the program, unless linear is NULL, without entries that sum
 * to zero, and empties it. index: out, may be NULL. Errors: those of
 * nb_linear_add_row. */
enum nb_status nb_linear_row_add(struct nb_linear_row *row,
                                 struct nb_linear *linear,
                                 enum nb_linear_sense sense, double right,
                                 size_t *index, struct nb_error *err);

/* Adds a column, with entries put by row. Errors: those of
 * nb_linear_add_column. */
enum nb_status nb_linear_row_add_column(struct nb_linear_row *column,
                                        struct nb_linear *linear, double cost,
                                        struct nb_error *err);

#endif
