/* Traffic as comma-separated values: pairs, rated pairs or a plain matrix. */
#include "traffic/matrix.h"

#include "core/memory.h"

#include <inttypes.h>
#include <string.h>

static const struct csv_header {
    const char *columns;
    bool is_rated, is_of_terminals;
} csv_headers[] = {
    { "source,destination", false, true },
    { "source,destination,rate", true, true },
    { "source_router,destination_router", false, false },
    { "source_router,destination_router,rate", true, false },
};

/* The header a line is, NULL if it is none. */
static const struct csv_header *csv_find_header(const struct nb_matrix *matrix,
                                                const char *line)
{
    for (size_t h = 0; h < sizeof csv_headers / sizeof *csv_headers; h++)
        if (nb_lines_is_header(&matrix->lines, line, csv_headers[h].columns))
            return &csv_headers[h];
    return NULL;
}

/* A permutation, perhaps partial: a source sends all it injects. */
static enum nb_status csv_read_pairs(struct nb_matrix *matrix,
                                     const char *columns, struct nb_error *err)
{
    bool *is_seen = NULL;
    const char *cell[2];
    char *line;
    enum nb_status status;
    NB_TRY(nb_new(&is_seen, matrix->size, sizeof *is_seen, "sources", err));
    while ((line = nb_lines_next(&matrix->lines)) != NULL) {
        uint32_t source, target;
        NB_TRY(nb_lines_cut(&matrix->lines, line, columns, cell, err));
        NB_TRY(nb_matrix_read_index(matrix, "source", cell[0], &source, err));
        NB_TRY(
            nb_matrix_read_index(matrix, "destination", cell[1], &target, err));
        if (is_seen[source]) {
            status = nb_lines_fail(
                &matrix->lines, NB_INVALID, err,
                "source %" PRIu32 " comes again (permitted: once)", source);
            goto done;
        }
        is_seen[source] = true;
        const struct nb_ratio rate = {
            matrix->is_of_terminals ? 1 : matrix->topology->terminals[source],
            1,
        };
        NB_TRY(nb_matrix_add(matrix, source, target, rate, err));
    }
done:
    nb_delete(is_seen);
    return status;
}

static enum nb_status csv_read_demands(struct nb_matrix *matrix,
                                       const char *columns,
                                       struct nb_error *err)
{
    const char *cell[3];
    char *line;
    enum nb_status status = NB_OK;
    while ((line = nb_lines_next(&matrix->lines)) != NULL) {
        uint32_t source, target;
        struct nb_ratio rate;
        NB_TRY(nb_lines_cut(&matrix->lines, line, columns, cell, err));
        NB_TRY(nb_matrix_read_index(matrix, "source", cell[0], &source, err));
        NB_TRY(
            nb_matrix_read_index(matrix, "destination", cell[1], &target, err));
        NB_TRY(nb_matrix_read_rate(matrix, cell[2], &rate, err));
        NB_TRY(nb_matrix_add(matrix, source, target, rate, err));
    }
done:
    return status;
}

static enum nb_status csv_read_matrix(struct nb_matrix *matrix, char *line,
                                      struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_matrix_set_size(matrix, nb_lines_count(line), err));
    uint32_t row = 0;
    for (; line != NULL; line = nb_lines_next(&matrix->lines), row++) {
        const size_t found = nb_lines_count(line);
        if (found != matrix->size || row == matrix->size) {
            status = nb_lines_fail(&matrix->lines, NB_INVALID, err,
                                   "row %" PRIu32 " of %zu values is not "
                                   "permitted (permitted: %" PRIu32
                                   " rows of as many values)",
                                   row + 1, found, matrix->size);
            goto done;
        }
        for (uint32_t column = 0; column < matrix->size; column++) {
            struct nb_ratio rate;
            const char *cell;
            NB_TRY(nb_lines_cell(&matrix->lines, &line, &cell, err));
            NB_TRY(nb_matrix_read_rate(matrix, cell, &rate, err));
            NB_TRY(nb_matrix_add(matrix, row, column, rate, err));
        }
    }
    if (row != matrix->size)
        status = nb_lines_fail(&matrix->lines, NB_INVALID, err,
                               "the matrix ends after %" PRIu32
                               " rows (permitted: %" PRIu32 ")",
                               row, matrix->size);
done:
    return status;
}

enum nb_status nb_matrix_read_csv(struct nb_matrix *matrix,
                                  struct nb_error *err)
{
    char *line = nb_lines_next(&matrix->lines);
    if (line == NULL)
        return nb_fail(err, NB_INVALID,
                       "\"%s\" is empty (permitted: a header and pairs, or a "
                       "square matrix)",
                       matrix->lines.path);
    const struct csv_header *header = csv_find_header(matrix, line);
    if (header != NULL) {
        nb_matrix_set_level(matrix, header->is_of_terminals);
        return header->is_rated ? csv_read_demands(matrix, header->columns, err)
                                : csv_read_pairs(matrix, header->columns, err);
    }
    if (strncmp(line + (*line == '"'), "source", 6) == 0)
        return nb_lines_fail(&matrix->lines, NB_INVALID, err,
                             "header \"%.60s\" is not permitted (permitted: "
                             "source,destination[,rate] or "
                             "source_router,destination_router[,rate])",
                             line);
    return csv_read_matrix(matrix, line, err);
}
