/* The matrix of an unbalanced rate: its entries, and whether they are in
 * range. */
#ifndef NB_BOUNDS_UNBALANCED_MATRIX_H
#define NB_BOUNDS_UNBALANCED_MATRIX_H

#include "core/ratio.h"

#include <stddef.h>
#include <stdint.h>

/* As at nb_unbalanced_rate_sparse; the arrays are another's. */
struct nb_unbalanced_matrix {
    size_t n;
    const size_t *row_start;
    const uint32_t *column;
    const int64_t *weight;
};

/* Owns its arrays. Release: nb_unbalanced_entries_release. */
struct nb_unbalanced_entries {
    size_t *row_start;
    uint32_t *column;
    int64_t *weight;
};

/* Errors: NB_INVALID if n or the bound is out of the range given at
 * nb_unbalanced_rate. */
enum nb_status nb_unbalanced_check_bound(size_t n, struct nb_ratio bound,
                                         struct nb_error *err);

/* The form and range of the entries. Errors: as nb_unbalanced_rate_sparse. */
enum nb_status
nb_unbalanced_check_entries(const struct nb_unbalanced_matrix *matrix,
                            struct nb_error *err);

/*
 * The non-zero entries of a dense matrix, all in range.
 *
 * weight   [n * n], row-major
 * entries  zero-initialised; to be released on failure, too
 *
 * Errors: as nb_unbalanced_rate.
 */
enum nb_status nb_unbalanced_compress(size_t n, const int64_t *weight,
                                      struct nb_unbalanced_entries *entries,
                                      struct nb_error *err);

/* Frees the arrays; accepts a zero-initialised object, twice. */
void nb_unbalanced_entries_release(struct nb_unbalanced_entries *entries);

#endif
