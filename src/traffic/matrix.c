#include "traffic/matrix.h"
#include "traffic/matrix_blanks.h"

#include "core/locale.h"
#include "core/memory.h"
#include "topology/sndlib.h"
#include "traffic/matrix_draft.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char nb_matrix_endings[] = ".csv, .json, .txt, .tbl, .noxim";

enum nb_matrix_format nb_matrix_format_find(const char *path)
{
    const char *ending = strrchr(path, '.');
    if (ending == NULL)
        return NB_MATRIX_UNKNOWN;
    if (nb_is_same_word(ending, ".csv"))
        return NB_MATRIX_CSV;
    if (nb_is_same_word(ending, ".json"))
        return NB_MATRIX_JSON;
    if (nb_is_same_word(ending, ".txt") || nb_is_same_word(ending, ".tbl") ||
        nb_is_same_word(ending, ".noxim"))
        return NB_MATRIX_NOXIM;
    return NB_MATRIX_UNKNOWN;
}

static enum nb_status matrix_read_index(const struct matrix *matrix,
                                        const char *what, const char *text,
                                        uint32_t *index, struct nb_error *err)
{
    int64_t value;
    const enum nb_status status =
        nb_lines_whole(&matrix->lines, what,
                       matrix->is_of_terminals ? "a terminal" : "a router",
                       text, 0, (int64_t)matrix->size - 1, &value, err);
    if (status == NB_OK)
        *index = (uint32_t)value;
    return status;
}

static enum nb_status matrix_read_rate(const struct matrix *matrix,
                                       const char *text, struct nb_ratio *rate,
                                       struct nb_error *err)
{
    const enum nb_status status = nb_ratio_read(text, rate, NULL);
    if (status == NB_OVERFLOW)
        return nb_lines_fail(&matrix->lines, status, err,
                             "rate \"%.60s\" does not fit a ratio of 64-bit "
                             "integers",
                             text);
    if (status != NB_OK || rate->numerator < 0)
        return nb_lines_fail(&matrix->lines, NB_INVALID, err,
                             "rate \"%.60s\" is not permitted (permitted: "
                             "p/q or a decimal of at most 18 digits, >= 0)",
                             text);
    return NB_OK;
}

/* Traffic as comma-separated values: pairs, rated pairs or a plain matrix. */
static const struct csv_header {
    const char *columns;
    bool is_rated, is_of_terminals;
} csv_headers[] = {
    { "source,destination", false, true },
    { "source,destination,rate", true, true },
    { "source_router,destination_router", false, false },
    { "source_router,destination_router,rate", true, false },
};

/* The header that a line is, NULL if it is none. */
static const struct csv_header *csv_find_header(struct matrix *matrix,
                                                const char *line)
{
    for (size_t h = 0; h < sizeof csv_headers / sizeof *csv_headers; h++)
        if (nb_lines_is_header(&matrix->lines, line, csv_headers[h].columns))
            return &csv_headers[h];
    return NULL;
}

/* Reads flows with their rates, or a permutation, perhaps partial; in a
 * permutation each source sends all it injects. */
static enum nb_status csv_read_flows(struct matrix *matrix,
                                     const struct csv_header *header,
                                     struct nb_error *err)
{
    const uint32_t *terminals = matrix->topology->terminals;
    bool *is_seen = NULL;
    const char *cell[3];
    enum nb_status status;
    NB_TRY(nb_new(&is_seen, matrix->size, sizeof *is_seen, "sources", err));
    for (char *line; (line = nb_lines_next(&matrix->lines)) != NULL;) {
        uint32_t source, target;
        NB_TRY(nb_lines_cut(&matrix->lines, line, header->columns, cell, err));
        NB_TRY(matrix_read_index(matrix, "source", cell[0], &source, err));
        NB_TRY(matrix_read_index(matrix, "destination", cell[1], &target, err));
        struct nb_ratio rate = {
            matrix->is_of_terminals ? 1 : terminals[source],
            1,
        };
        if (header->is_rated)
            NB_TRY(matrix_read_rate(matrix, cell[2], &rate, err));
        else if (is_seen[source])
            NB_TRY(nb_lines_fail(
                &matrix->lines, NB_INVALID, err,
                "source %" PRIu32 " is repeated (permitted: once)", source));
        is_seen[source] = true;
        NB_TRY(nb_matrix_add(matrix, source, target, rate, err));
    }
done:
    nb_delete(is_seen);
    return status;
}

static enum nb_status csv_read_matrix(struct matrix *matrix, char *line,
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
                                   " rows of that many)",
                                   row + 1, found, matrix->size);
            goto done;
        }
        for (uint32_t column = 0; column < matrix->size; column++) {
            struct nb_ratio rate;
            const char *cell;
            NB_TRY(nb_lines_cell(&matrix->lines, &line, &cell, err));
            NB_TRY(matrix_read_rate(matrix, cell, &rate, err));
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

static enum nb_status matrix_read_csv(struct matrix *matrix,
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
        return csv_read_flows(matrix, header, err);
    }
    if (strncmp(line + (*line == '"'), "source", 6) == 0)
        return nb_lines_fail(&matrix->lines, NB_INVALID, err,
                             "header \"%.60s\" is not permitted (permitted: "
                             "source,destination[,rate] or "
                             "source_router,destination_router[,rate])",
                             line);
    return csv_read_matrix(matrix, line, err);
}

/* Traffic as a table of the Noxim simulator: a line "source destination [pir
 * [por [t_on t_off t_period]]]" per flow; comments have a % in column 1. */
enum { NOXIM_FIELDS = 7 };

/*
 * A flow's rate. Without pir the simulator injects at its general rate: 1 per
 * unit. With another probability after an injection (por), or a time window,
 * the rate is not pir.
 */
static enum nb_status noxim_read_rate(const struct matrix *matrix,
                                      char *const field[], size_t count,
                                      struct nb_ratio *rate,
                                      struct nb_error *err)
{
    struct nb_ratio again;
    enum nb_status status = NB_OK;
    *rate = nb_ratio_one;
    if (count >= 3)
        NB_TRY(matrix_read_rate(matrix, field[2], rate, err));
    if (nb_ratio_compare(*rate, nb_ratio_one) > 0)
        return nb_lines_fail(&matrix->lines, NB_INVALID, err,
                             "pir %.60s is not permitted (permitted: 0 to 1)",
                             field[2]);
    if (count >= 4) {
        NB_TRY(matrix_read_rate(matrix, field[3], &again, err));
        if (nb_ratio_compare(*rate, again) != 0)
            return nb_lines_fail(&matrix->lines, NB_INVALID, err,
                                 "por %.60s is not permitted (permitted: "
                                 "pir, %.60s)",
                                 field[3], field[2]);
    }
done:
    return status;
}

static enum nb_status matrix_read_noxim(struct matrix *matrix,
                                        struct nb_error *err)
{
    char *line;
    enum nb_status status = NB_OK;
    nb_matrix_set_level(matrix, true);
    while ((line = nb_lines_next(&matrix->lines)) != NULL) {
        char *field[NOXIM_FIELDS];
        size_t count = 0;
        uint32_t source, target;
        struct nb_ratio rate;
        while (count < NOXIM_FIELDS &&
               (field[count] = nb_lines_word(&line, " \t")) != NULL)
            count++;
        if (count < 2 || count > 4) {
            status =
                nb_lines_fail(&matrix->lines, NB_INVALID, err,
                              "%s%zu values are not permitted "
                              "(permitted: source destination [pir "
                              "[por]]; steady flows, no time windows)",
                              count == NOXIM_FIELDS ? "at least " : "", count);
            goto done;
        }
        NB_TRY(matrix_read_index(matrix, "source", field[0], &source, err));
        NB_TRY(
            matrix_read_index(matrix, "destination", field[1], &target, err));
        NB_TRY(noxim_read_rate(matrix, field, count, &rate, err));
        NB_TRY(nb_matrix_add(matrix, source, target, rate, err));
    }
done:
    return status;
}

/* The numerator of a rate over the common denominator. */
static nb_uint128 matrix_weight(const struct matrix *matrix,
                                struct nb_ratio rate)
{
    const uint64_t bottom = (uint64_t)rate.denominator;
    return (nb_uint128)(uint64_t)rate.numerator *
           (matrix->denominator / bottom);
}

/* Refuses a row or column above 1 per terminal; routers without terminals may
 * have no traffic. */
static enum nb_status matrix_check_sum(const struct matrix *matrix,
                                       const char *what, uint32_t index,
                                       nb_uint128 sum, bool allow_inadmissible,
                                       struct nb_error *err)
{
    const uint32_t most =
        matrix->is_of_terminals ? 1 : matrix->topology->terminals[index];
    if (sum == 0 || (most > 0 && allow_inadmissible) ||
        sum <= (nb_uint128)matrix->denominator * most)
        return NB_OK;
    char text[NB_RATIO_TEXT] = "";
    if (sum >> 127 == 0)
        nb_ratio_print(
            nb_ratio_make((nb_int128)sum, (nb_int128)matrix->denominator),
            text);
    return nb_fail(err, NB_INVALID,
                   "%s: the %s of %s %" PRIu32 " sums to %s "
                   "(permitted: at most %" PRIu32 ", %s)",
                   matrix->lines.path, what,
                   matrix->is_of_terminals ? "terminal" : "router", index,
                   *text != '\0' ? text : "2^63 or more", most,
                   most > 0 ? "1 per terminal; --allow-inadmissible accepts it"
                            : "it has no terminals");
}

static enum nb_status matrix_check(const struct matrix *matrix,
                                   bool allow_inadmissible,
                                   struct nb_error *err)
{
    nb_uint128 *row = NULL, *column = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&row, matrix->size, sizeof *row, "row sums", err));
    NB_TRY(nb_new(&column, matrix->size, sizeof *column, "column sums", err));
    for (size_t e = 0; e < matrix->entry_count; e++) {
        const struct matrix_entry *entry = &matrix->entries[e];
        const nb_uint128 weight = matrix_weight(matrix, entry->rate);
        /* Saturate: a weight has at most 125 bits, so the sum of two never
         * wraps. */
        nb_uint128 *sums[2] = { &row[entry->source], &column[entry->target] };
        for (int i = 0; i < 2; i++)
            *sums[i] = *sums[i] >> 127 != 0 ? *sums[i] : *sums[i] + weight;
    }
    for (uint32_t i = 0; i < matrix->size; i++)
        NB_TRY(matrix_check_sum(matrix, "row", i, row[i], allow_inadmissible,
                                err));
    for (uint32_t i = 0; i < matrix->size; i++)
        NB_TRY(matrix_check_sum(matrix, "column", i, column[i],
                                allow_inadmissible, err));
done:
    nb_delete(row);
    nb_delete(column);
    return status;
}

static enum nb_status matrix_add_demands(const struct matrix *matrix,
                                         struct nb_traffic *out,
                                         struct nb_error *err)
{
    enum nb_status status = NB_OK;
    out->denominator = matrix->denominator;
    for (size_t e = 0; e < matrix->entry_count && status == NB_OK; e++) {
        const struct matrix_entry *entry = &matrix->entries[e];
        const nb_uint128 weight = matrix_weight(matrix, entry->rate);
        if (weight >> 64 != 0)
            return nb_fail(err, NB_OVERFLOW,
                           "%s: the rate %" PRId64 "/%" PRId64
                           " over the common denominator %" PRIu64
                           " does not fit in 64 bits",
                           matrix->lines.path, entry->rate.numerator,
                           entry->rate.denominator, matrix->denominator);
        status = matrix->is_of_terminals
                     ? nb_traffic_add_single(out, entry->source, entry->target,
                                             (uint64_t)weight, err)
                     : nb_traffic_add(out, entry->source, entry->target,
                                      (uint64_t)weight, err);
    }
    return status;
}

enum nb_status nb_matrix_add_file(const char *path,
                                  const struct nb_topology *topology,
                                  bool allow_inadmissible,
                                  struct nb_traffic *out, struct nb_error *err)
{
    enum nb_matrix_format format = nb_matrix_format_find(path);
    struct matrix matrix = { .topology = topology, .denominator = 1 };
    enum nb_status status;
    NB_TRY(nb_lines_open(&matrix.lines, path,
                         format == NB_MATRIX_NOXIM ? '%' : '#', NB_MATRIX_BYTES,
                         err));
    const bool is_sndlib = nb_sndlib_is(matrix.lines.next);
    if (!is_sndlib && format != NB_MATRIX_JSON &&
        nb_matrix_has_blanks(matrix.lines.next, topology->terminal_count,
                             topology->router_count,
                             format == NB_MATRIX_NOXIM)) {
        nb_matrix_put_commas(matrix.lines.next);
        format = NB_MATRIX_CSV;
    }
    NB_TRY(is_sndlib                   ? nb_matrix_read_sndlib(&matrix, err)
           : format == NB_MATRIX_JSON  ? nb_matrix_read_json(&matrix, err)
           : format == NB_MATRIX_NOXIM ? matrix_read_noxim(&matrix, err)
                                       : matrix_read_csv(&matrix, err));
    NB_TRY(
        matrix_check(&matrix, allow_inadmissible || matrix.has_own_unit, err));
    NB_TRY(matrix_add_demands(&matrix, out, err));
done:
    nb_lines_close(&matrix.lines);
    nb_delete(matrix.entries);
    return status;
}
