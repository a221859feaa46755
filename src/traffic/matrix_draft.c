#include "traffic/matrix_draft.h"

#include "core/memory.h"

#include <inttypes.h>

void nb_matrix_set_level(struct matrix *matrix, bool is_of_terminals)
{
    const struct nb_topology *topology = matrix->topology;
    matrix->is_of_terminals = is_of_terminals;
    matrix->size = (uint32_t)(is_of_terminals ? topology->terminal_count
                                              : topology->router_count);
}

enum nb_status nb_matrix_set_size(struct matrix *matrix, size_t rows,
                                  struct nb_error *err)
{
    const struct nb_topology *topology = matrix->topology;
    if (rows != topology->terminal_count && rows != topology->router_count)
        return nb_lines_fail(&matrix->lines, NB_INVALID, err,
                             "a matrix of %zu columns is not permitted "
                             "(permitted: %zu terminals or %zu routers)",
                             rows, topology->terminal_count,
                             topology->router_count);
    nb_matrix_set_level(matrix, rows == topology->terminal_count);
    return NB_OK;
}

enum nb_status nb_matrix_add(struct matrix *matrix, uint32_t source,
                             uint32_t target, struct nb_ratio rate,
                             struct nb_error *err)
{
    if (rate.numerator == 0)
        return NB_OK;
    const uint64_t bottom = (uint64_t)rate.denominator;
    const nb_uint128 multiple =
        (nb_uint128)(matrix->denominator /
                     nb_gcd(matrix->denominator, bottom)) *
        bottom;
    if (multiple >> 62 != 0)
        return nb_lines_fail(&matrix->lines, NB_OVERFLOW, err,
                             "with the rate %" PRId64 "/%" PRId64
                             " the common denominator does not fit in 62 bits "
                             "(permitted: below 2^62)",
                             rate.numerator, rate.denominator);
    matrix->denominator = (uint64_t)multiple;
    const enum nb_status status = nb_reserve(
        &matrix->entries, &matrix->entry_capacity, matrix->entry_count + 1,
        sizeof *matrix->entries, "rates of a traffic matrix", err);
    if (status != NB_OK)
        return status;
    matrix->entries[matrix->entry_count++] =
        (struct matrix_entry){ source, target, rate };
    return NB_OK;
}
