#include "traffic/matrix.h"

#include "core/memory.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

const char nb_matrix_endings[] = ".csv, .json, .txt, .tbl, .noxim";

enum nb_matrix_format nb_matrix_format_find(const char *path)
{
    const char *ending = strrchr(path, '.');
    if (ending == NULL)
        return NB_MATRIX_UNKNOWN;
    if (strcasecmp(ending, ".csv") == 0)
        return NB_MATRIX_CSV;
    if (strcasecmp(ending, ".json") == 0)
        return NB_MATRIX_JSON;
    if (strcasecmp(ending, ".txt") == 0 || strcasecmp(ending, ".tbl") == 0 ||
        strcasecmp(ending, ".noxim") == 0)
        return NB_MATRIX_NOXIM;
    return NB_MATRIX_UNKNOWN;
}

void nb_matrix_set_level(struct nb_matrix *matrix, bool is_of_terminals)
{
    const struct nb_topology *topology = matrix->topology;
    matrix->is_of_terminals = is_of_terminals;
    matrix->size = (uint32_t)(is_of_terminals ? topology->terminal_count
                                              : topology->router_count);
}

enum nb_status nb_matrix_set_size(struct nb_matrix *matrix, size_t rows,
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

enum nb_status nb_matrix_read_index(const struct nb_matrix *matrix,
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

enum nb_status nb_matrix_read_rate(const struct nb_matrix *matrix,
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

enum nb_status nb_matrix_add(struct nb_matrix *matrix, uint32_t source,
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
                             " the common denominator leaves 62 bits "
                             "(permitted: below 2^62)",
                             rate.numerator, rate.denominator);
    matrix->denominator = (uint64_t)multiple;
    if (matrix->entry_count == matrix->entry_capacity) {
        const size_t capacity =
            matrix->entry_capacity < 64 ? 64 : 2 * matrix->entry_capacity;
        const enum nb_status status =
            nb_grow(&matrix->entries, capacity, sizeof *matrix->entries,
                    "rates of a traffic matrix", err);
        if (status != NB_OK)
            return status;
        matrix->entry_capacity = capacity;
    }
    matrix->entries[matrix->entry_count++] =
        (struct nb_matrix_entry){ source, target, rate };
    return NB_OK;
}

/* The router of a row or column. */
static uint32_t matrix_router(const struct nb_matrix *matrix, uint32_t index)
{
    return matrix->is_of_terminals ? matrix->router[index] : index;
}

/* A rate's numerator over the common denominator. */
static nb_uint128 matrix_weight(const struct nb_matrix *matrix,
                                struct nb_ratio rate)
{
    const uint64_t bottom = (uint64_t)rate.denominator;
    return (nb_uint128)(uint64_t)rate.numerator *
           (matrix->denominator / bottom);
}

/* Refuses a row or column above 1 per terminal; routers without terminals
 * may have no traffic at all. */
static enum nb_status matrix_check_sum(const struct nb_matrix *matrix,
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
                   "\"%s\": the %s of %s %" PRIu32 " sums to %s "
                   "(permitted: at most %" PRIu32 ", %s)",
                   matrix->lines.path, what,
                   matrix->is_of_terminals ? "terminal" : "router", index,
                   *text != '\0' ? text : "2^63 or more", most,
                   most > 0 ? "1 per terminal; --allow-inadmissible accepts it"
                            : "it has no terminals");
}

static enum nb_status matrix_check(const struct nb_matrix *matrix,
                                   bool allow_inadmissible,
                                   struct nb_error *err)
{
    nb_uint128 *row = NULL, *column = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&row, matrix->size, sizeof *row, "row sums", err));
    NB_TRY(nb_new(&column, matrix->size, sizeof *column, "column sums", err));
    for (size_t e = 0; e < matrix->entry_count; e++) {
        const struct nb_matrix_entry *entry = &matrix->entries[e];
        const nb_uint128 weight = matrix_weight(matrix, entry->rate);
        /* Saturate: a weight has at most 125 bits, so two never wrap. */
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

static enum nb_status matrix_add_demands(const struct nb_matrix *matrix,
                                         struct nb_traffic *out,
                                         struct nb_error *err)
{
    enum nb_status status = NB_OK;
    out->denominator = matrix->denominator;
    for (size_t e = 0; e < matrix->entry_count && status == NB_OK; e++) {
        const struct nb_matrix_entry *entry = &matrix->entries[e];
        const nb_uint128 weight = matrix_weight(matrix, entry->rate);
        if (weight >> 62 != 0)
            return nb_fail(err, NB_OVERFLOW,
                           "\"%s\": the rate %" PRId64 "/%" PRId64
                           " over the common denominator %" PRIu64
                           " leaves 62 bits",
                           matrix->lines.path, entry->rate.numerator,
                           entry->rate.denominator, matrix->denominator);
        status = nb_traffic_add(out, matrix_router(matrix, entry->source),
                                matrix_router(matrix, entry->target),
                                (uint64_t)weight, err);
    }
    return status;
}

static enum nb_status matrix_open(struct nb_matrix *matrix, const char *path,
                                  enum nb_matrix_format format,
                                  struct nb_error *err)
{
    const struct nb_topology *topology = matrix->topology;
    size_t terminal = 0;
    enum nb_status status;
    NB_TRY(nb_new(&matrix->router, topology->terminal_count,
                  sizeof *matrix->router, "terminals", err));
    for (size_t r = 0; r < topology->router_count; r++)
        for (uint32_t t = 0; t < topology->terminals[r]; t++)
            matrix->router[terminal++] = (uint32_t)r;
    NB_TRY(nb_lines_open(&matrix->lines, path,
                         format == NB_MATRIX_NOXIM ? '%' : '#', NB_MATRIX_BYTES,
                         err));
done:
    return status;
}

enum nb_status nb_matrix_add_file(const char *path,
                                  const struct nb_topology *topology,
                                  bool allow_inadmissible,
                                  struct nb_traffic *out, struct nb_error *err)
{
    const enum nb_matrix_format format = nb_matrix_format_find(path);
    struct nb_matrix matrix = { .topology = topology, .denominator = 1 };
    enum nb_status status;
    NB_TRY(matrix_open(&matrix, path, format, err));
    NB_TRY(format == NB_MATRIX_JSON    ? nb_matrix_read_json(&matrix, err)
           : format == NB_MATRIX_NOXIM ? nb_matrix_read_noxim(&matrix, err)
                                       : nb_matrix_read_csv(&matrix, err));
    NB_TRY(matrix_check(&matrix, allow_inadmissible, err));
    NB_TRY(matrix_add_demands(&matrix, out, err));
done:
    nb_lines_close(&matrix.lines);
    nb_delete(matrix.router);
    nb_delete(matrix.entries);
    return status;
}
