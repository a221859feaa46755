/* Traffic as comma-separated values: pairs, rated pairs or a plain matrix. */
#include "traffic/matrix.h"

#include "core/memory.h"

#include <inttypes.h>
#include <string.h>

static const struct csv_header {
    const char *cell[3];
    bool is_of_terminals;
} csv_headers[] = {
    { { "source", "destination", NULL }, true },
    { { "source", "destination", "rate" }, true },
    { { "source_router", "destination_router", NULL }, false },
    { { "source_router", "destination_router", "rate" }, false },
};

/* Cuts a cell off the line, without surrounding blanks and quotes, in which
 * spreadsheets put what is a text to them; NULL if none is left. */
static char *csv_next_cell(char **line)
{
    char *cell = *line;
    if (cell == NULL)
        return NULL;
    char *end = cell + strcspn(cell, ",");
    *line = *end == ',' ? end + 1 : NULL;
    cell += strspn(cell, " \t");
    while (end > cell && strchr(" \t", end[-1]) != NULL)
        end--;
    if (end - cell >= 2 && *cell == '"' && end[-1] == '"') {
        cell++;
        end--;
    }
    *end = '\0';
    return cell;
}

static size_t csv_cell_count(const char *line)
{
    size_t count = 1;
    for (; *line != '\0'; line++)
        count += *line == ',';
    return count;
}

/* Cuts a line into exactly count cells. */
static enum nb_status csv_split(const struct nb_matrix *matrix, char *line,
                                size_t count, char **cell, struct nb_error *err)
{
    const size_t found = csv_cell_count(line);
    if (found != count)
        return nb_matrix_fail(matrix, NB_INVALID, err,
                              "%zu values are not permitted (permitted: %zu)",
                              found, count);
    for (size_t i = 0; i < count; i++)
        cell[i] = csv_next_cell(&line);
    return NB_OK;
}

/* The header a line is, NULL if it is none; the line stays as it is. */
static const struct csv_header *csv_find_header(const char *line)
{
    for (size_t h = 0; h < sizeof csv_headers / sizeof *csv_headers; h++) {
        const char *rest = line;
        bool is_same = true;
        for (size_t i = 0; i < 3 && csv_headers[h].cell[i] != NULL; i++) {
            const char *name = csv_headers[h].cell[i];
            rest += i > 0 ? strspn(rest, " \t") : 0;
            const bool is_quoted = *rest == '"';
            rest += is_quoted;
            is_same = is_same && strncmp(rest, name, strlen(name)) == 0 &&
                      (!is_quoted || rest[strlen(name)] == '"');
            if (!is_same)
                break;
            rest += strlen(name) + is_quoted;
            rest += strspn(rest, " \t");
            is_same = *rest == ',' || *rest == '\0';
            rest += *rest == ',';
        }
        if (is_same && *rest == '\0')
            return &csv_headers[h];
    }
    return NULL;
}

/* A permutation, perhaps partial: a source sends all it injects. */
static enum nb_status csv_read_pairs(struct nb_matrix *matrix,
                                     struct nb_error *err)
{
    bool *is_seen = NULL;
    char *line, *cell[2] = { NULL };
    enum nb_status status;
    NB_TRY(nb_new(&is_seen, matrix->size, sizeof *is_seen, "sources", err));
    while ((line = nb_matrix_next_line(matrix, '#')) != NULL) {
        uint32_t source, target;
        NB_TRY(csv_split(matrix, line, 2, cell, err));
        NB_TRY(nb_matrix_read_index(matrix, "source", cell[0], &source, err));
        NB_TRY(
            nb_matrix_read_index(matrix, "destination", cell[1], &target, err));
        if (is_seen[source]) {
            status = nb_matrix_fail(
                matrix, NB_INVALID, err,
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
                                       struct nb_error *err)
{
    char *line, *cell[3] = { NULL };
    enum nb_status status = NB_OK;
    while ((line = nb_matrix_next_line(matrix, '#')) != NULL) {
        uint32_t source, target;
        struct nb_ratio rate;
        NB_TRY(csv_split(matrix, line, 3, cell, err));
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
    NB_TRY(nb_matrix_set_size(matrix, csv_cell_count(line), err));
    uint32_t row = 0;
    for (; line != NULL; line = nb_matrix_next_line(matrix, '#'), row++) {
        const size_t found = csv_cell_count(line);
        if (found != matrix->size || row == matrix->size) {
            status = nb_matrix_fail(matrix, NB_INVALID, err,
                                    "row %" PRIu32 " of %zu values is not "
                                    "permitted (permitted: %" PRIu32
                                    " rows of as many values)",
                                    row + 1, found, matrix->size);
            goto done;
        }
        for (uint32_t column = 0; column < matrix->size; column++) {
            struct nb_ratio rate;
            const char *cell = csv_next_cell(&line);
            NB_TRY(nb_matrix_read_rate(matrix, cell, &rate, err));
            NB_TRY(nb_matrix_add(matrix, row, column, rate, err));
        }
    }
    if (row != matrix->size)
        status = nb_matrix_fail(matrix, NB_INVALID, err,
                                "the matrix ends after %" PRIu32
                                " rows (permitted: %" PRIu32 ")",
                                row, matrix->size);
done:
    return status;
}

enum nb_status nb_matrix_read_csv(struct nb_matrix *matrix,
                                  struct nb_error *err)
{
    char *line = nb_matrix_next_line(matrix, '#');
    if (line == NULL)
        return nb_fail(err, NB_INVALID,
                       "\"%s\" is empty (permitted: a header and pairs, or a "
                       "square matrix)",
                       matrix->path);
    const struct csv_header *header = csv_find_header(line);
    if (header != NULL) {
        nb_matrix_set_level(matrix, header->is_of_terminals);
        return header->cell[2] == NULL ? csv_read_pairs(matrix, err)
                                       : csv_read_demands(matrix, err);
    }
    if (strncmp(line + (*line == '"'), "source", 6) == 0)
        return nb_matrix_fail(matrix, NB_INVALID, err,
                              "header \"%.60s\" is not permitted (permitted: "
                              "source,destination[,rate] or "
                              "source_router,destination_router[,rate])",
                              line);
    return csv_read_matrix(matrix, line, err);
}
