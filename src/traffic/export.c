#include "traffic/export.h"

#include "core/decimal.h"
#include "core/memory.h"
#include "topology/index.h"
#include "traffic/matrix.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void export_pairs(struct nb_text *text, const char *header, size_t count,
                         const uint32_t *destination, char separator)
{
    nb_text_print(text, "%s", header);
    for (size_t i = 0; i < count; i++)
        if (destination[i] != NB_NONE)
            nb_text_print(text, "%zu%c%" PRIu32 "\n", i, separator,
                          destination[i]);
}

static void export_permutation(struct nb_text *text, size_t count,
                               const uint32_t *destination)
{
    nb_text_print(text, "{\"size\": %zu,\n\"matrix\": [\n", count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            nb_text_add(text, j > 0 ? "," : "[", 1);
            nb_text_add(text, destination[i] == j ? "1" : "0", 1);
        }
        nb_text_print(text, "]%s\n", i + 1 < count ? "," : "");
    }
    nb_text_print(text, "]}\n");
}

/* The format for a file's ending; what: "permutations", for the message. */
static enum nb_status export_format(const char *path, const char *what,
                                    enum nb_matrix_format *out,
                                    struct nb_error *err)
{
    *out = nb_matrix_format_find(path);
    if (*out == NB_MATRIX_UNKNOWN)
        return nb_fail(err, NB_INVALID,
                       "the ending of \"%s\" names no format for %s "
                       "(permitted: %s)",
                       path, what, nb_matrix_endings);
    return NB_OK;
}

enum nb_status nb_permutation_accepts(const char *path, struct nb_error *err)
{
    enum nb_matrix_format format;
    return export_format(path, "permutations", &format, err);
}

enum nb_status nb_traffic_accepts(const char *path, struct nb_error *err)
{
    enum nb_matrix_format format;
    return export_format(path, "traffic matrices", &format, err);
}

static enum nb_status export_check(enum nb_matrix_format format, size_t count,
                                   const uint32_t *destination,
                                   struct nb_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (destination[i] != NB_NONE && destination[i] >= count)
            return nb_fail(err, NB_INVALID,
                           "terminal %zu sends to terminal %" PRIu32
                           " (permitted: 0 to %zu)",
                           i, destination[i], count - 1);
    if (format == NB_MATRIX_JSON &&
        2 * (double)count * ((double)count + 2) > NB_MATRIX_BYTES)
        return nb_fail(err, NB_INVALID,
                       "a JSON matrix of %zu terminals has more than %d bytes; "
                       "other formats do not (permitted: %s)",
                       count, NB_MATRIX_BYTES, nb_matrix_endings);
    return NB_OK;
}

enum nb_status nb_permutation_write(const char *path, size_t count,
                                    const uint32_t *destination,
                                    struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_matrix_format format;
    enum nb_status status;
    NB_TRY(export_format(path, "permutations", &format, err));
    NB_TRY(export_check(format, count, destination, err));
    switch (format) {
    case NB_MATRIX_JSON:
        export_permutation(&text, count, destination);
        break;
    case NB_MATRIX_NOXIM:
        export_pairs(&text, "% source destination\n", count, destination, ' ');
        break;
    case NB_MATRIX_CSV:
    case NB_MATRIX_UNKNOWN: /* refused above */
        export_pairs(&text, "source,destination\n", count, destination, ',');
        break;
    }
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(nb_file_write(path, text.bytes, text.length, err));
done:
    nb_text_release(&text);
    return status;
}

/* The rate from each terminal of one router to each of another. */
struct export_cell {
    uint32_t target;          /* router */
    char text[NB_RATIO_TEXT]; /* as written */
};

/* A matrix being written; owns its arrays and text. */
struct export_matrix {
    const char *path;
    const struct nb_traffic *traffic;
    const struct nb_topology *topology;
    enum nb_matrix_format format;
    uint32_t *first; /* [routers]: the first terminal of each */
    /* The demands of each source router, by target: at[row_start[r]] .. */
    uint32_t *row_start;     /* [routers + 1] */
    uint32_t *at;            /* [demands] into traffic->demands */
    struct export_cell *row; /* [routers]: positive rates from one source */
    struct nb_pool pool;     /* owns these arrays */
    size_t row_length;
    int64_t denominator; /* least common multiple over the rates so far */
    bool is_rounded;
    struct nb_text text;
};

static enum nb_status export_check_length(const struct export_matrix *matrix,
                                          double length, struct nb_error *err)
{
    if (length <= NB_MATRIX_BYTES)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "%.200s: the matrix of %zu terminals takes more than %d "
                   "bytes, the most that is read back",
                   matrix->path, matrix->topology->terminal_count,
                   NB_MATRIX_BYTES);
}

/* Refuses files that are too large even with the shortest possible lines. */
static enum nb_status export_check_least(const struct export_matrix *matrix,
                                         struct nb_error *err)
{
    const double terminals = (double)matrix->topology->terminal_count;
    const double pairs = terminals * terminals;
    if (matrix->format == NB_MATRIX_JSON)
        return export_check_length(matrix, 2 * pairs, err);
    return export_check_length(
        matrix, matrix->traffic->background > 0 ? 6 * pairs : 0, err);
}

static enum nb_status export_sort(struct export_matrix *matrix,
                                  struct nb_error *err)
{
    const struct nb_traffic *traffic = matrix->traffic;
    const size_t routers = traffic->router_count;
    struct nb_pool *pool = &matrix->pool;
    matrix->first = nb_pool_array(pool, routers, sizeof *matrix->first);
    matrix->row_start =
        nb_pool_array(pool, routers + 1, sizeof *matrix->row_start);
    matrix->row = nb_pool_array(pool, routers, sizeof *matrix->row);
    matrix->at = nb_pool_array(pool, traffic->demand_count, sizeof *matrix->at);
    const enum nb_status status = nb_pool_check(pool, "rows of demands", err);
    if (status != NB_OK)
        return status;
    for (size_t r = 1; r < routers; r++)
        matrix->first[r] =
            matrix->first[r - 1] + matrix->topology->terminals[r - 1];
    if (traffic->demand_count > 0)
        nb_index_by(&traffic->demands->source, sizeof *traffic->demands,
                    traffic->demand_count, routers, matrix->row_start,
                    matrix->at);
    return NB_OK;
}

/* The rate from a terminal of one router to a terminal of another. */
static enum nb_status export_find_rate(struct export_matrix *matrix,
                                       uint32_t source, uint32_t target,
                                       uint64_t weight, struct nb_ratio *rate,
                                       struct nb_error *err)
{
    const struct nb_traffic *traffic = matrix->traffic;
    const uint32_t *terminals = matrix->topology->terminals;
    const nb_int128 pairs = (nb_int128)terminals[source] * terminals[target];
    const nb_int128 even =
        (nb_int128)nb_traffic_even(traffic, matrix->topology, source, target);
    /* background and denominator < 2^62, pairs < 2^64 */
    *rate = nb_ratio_make((nb_int128)traffic->background * even + weight,
                          (nb_int128)traffic->denominator * pairs);
    /* Rates rounded to 18 digits have the denominator 10^18, below 2^62. */
    if (nb_ratio_is_known(*rate) && matrix->format != NB_MATRIX_NOXIM)
        matrix->denominator = nb_unite(matrix->denominator, rate->denominator,
                                       ((int64_t)1 << 62) - 1);
    if (!nb_ratio_is_known(*rate) || matrix->denominator == 0)
        return nb_fail(err, NB_OVERFLOW,
                       "%.200s: with the rate from terminals of router "
                       "%" PRIu32 " to terminals of router %" PRIu32
                       " the common denominator does not fit in 62 bits",
                       matrix->path, source, target);
    if (matrix->format == NB_MATRIX_NOXIM &&
        nb_ratio_compare(*rate, nb_ratio_one) > 0)
        return nb_fail(
            err, NB_INVALID,
            "%.200s: the rate %" PRId64 "/%" PRId64
            " from a terminal of router %" PRIu32 " to one of router %" PRIu32
            " is not permitted in a Noxim table (permitted: 0 to "
            "1)",
            matrix->path, rate->numerator, rate->denominator, source, target);
    return NB_OK;
}

static void export_print_rate(struct export_matrix *matrix,
                              struct nb_ratio rate, char text[NB_RATIO_TEXT])
{
    if (nb_decimal_print(rate, text))
        return;
    if (matrix->format == NB_MATRIX_NOXIM)
        matrix->is_rounded = true;
    else if (matrix->format == NB_MATRIX_JSON) /* JSON has no such number */
        snprintf(text, NB_RATIO_TEXT, "\"%" PRId64 "/%" PRId64 "\"",
                 rate.numerator, rate.denominator);
    else
        nb_ratio_print(rate, text);
}

/* Fills matrix->row for a source router. */
static enum nb_status export_fill_row(struct export_matrix *matrix,
                                      uint32_t source, struct nb_error *err)
{
    const struct nb_traffic *traffic = matrix->traffic;
    const uint32_t *terminals = matrix->topology->terminals;
    const uint32_t *next = matrix->at + matrix->row_start[source];
    const uint32_t *end = matrix->at + matrix->row_start[source + 1];
    uint64_t last_weight = 0, last_even = 0;
    uint32_t last_terminals = 0;
    enum nb_status status = NB_OK;
    matrix->row_length = 0;
    for (uint32_t j = 0; j < traffic->router_count; j++) {
        struct export_cell *cell = &matrix->row[matrix->row_length];
        struct nb_ratio rate;
        uint64_t weight = 0;
        if (traffic->background == 0 && next < end)
            j = traffic->demands[*next].target; /* no demand before it */
        else if (traffic->background == 0)
            break;
        if (next < end && traffic->demands[*next].target == j)
            weight = traffic->demands[*next++].weight;
        const uint64_t even =
            nb_traffic_even(traffic, matrix->topology, source, j);
        if (traffic->background * even == 0 && weight == 0)
            continue; /* no terminals, or only itself */
        cell->target = j;
        matrix->row_length++;
        if (weight == last_weight && even == last_even &&
            terminals[j] == last_terminals) {
            memcpy(cell->text, cell[-1].text, sizeof cell->text);
            continue;
        }
        NB_TRY(export_find_rate(matrix, source, j, weight, &rate, err));
        export_print_rate(matrix, rate, cell->text);
        last_weight = weight;
        last_even = even;
        last_terminals = terminals[j];
    }
done:
    return status;
}

/* Adds a line for each rate of one terminal. */
static void export_add_lines(struct export_matrix *matrix, uint32_t terminal)
{
    const char separator = matrix->format == NB_MATRIX_CSV ? ',' : ' ';
    for (size_t i = 0; i < matrix->row_length; i++) {
        const struct export_cell *cell = &matrix->row[i];
        const uint32_t first = matrix->first[cell->target];
        const uint32_t count = matrix->topology->terminals[cell->target];
        for (uint32_t t = first; t < first + count; t++) {
            char line[NB_RATIO_TEXT + 32];
            const int length =
                snprintf(line, sizeof line, "%" PRIu32 "%c%" PRIu32 "%c%s\n",
                         terminal, separator, t, separator, cell->text);
            nb_text_add(&matrix->text, line, (size_t)length);
        }
    }
}

/* Adds one terminal's row, including zeros. */
static void export_add_row(struct export_matrix *matrix, uint32_t terminal)
{
    struct nb_text *text = &matrix->text;
    const struct export_cell *cell = matrix->row;
    const struct export_cell *end = cell + matrix->row_length;
    nb_text_print(text, "%s", terminal > 0 ? ",\n" : "");
    for (uint32_t r = 0, t = 0; r < matrix->traffic->router_count; r++) {
        const bool is_given = cell < end && cell->target == r;
        const char *value = is_given ? cell->text : "0";
        const size_t length = strlen(value);
        for (uint32_t i = 0; i < matrix->topology->terminals[r]; i++, t++) {
            nb_text_add(text, t > 0 ? "," : "[", 1);
            nb_text_add(text, value, length);
        }
        cell += is_given;
    }
    nb_text_add(text, "]", 1);
}

static enum nb_status export_add_rows(struct export_matrix *matrix,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (uint32_t r = 0; r < matrix->traffic->router_count; r++) {
        if (matrix->topology->terminals[r] == 0)
            continue;
        NB_TRY(export_fill_row(matrix, r, err));
        for (uint32_t i = 0; i < matrix->topology->terminals[r]; i++) {
            if (matrix->format == NB_MATRIX_JSON)
                export_add_row(matrix, matrix->first[r] + i);
            else
                export_add_lines(matrix, matrix->first[r] + i);
            NB_TRY(
                export_check_length(matrix, (double)matrix->text.length, err));
        }
    }
done:
    return status;
}

static enum nb_status export_add_matrix(struct export_matrix *matrix,
                                        struct nb_error *err)
{
    struct nb_text *text = &matrix->text;
    enum nb_status status;
    if (matrix->format == NB_MATRIX_CSV)
        nb_text_print(text, "source,destination,rate\n");
    else if (matrix->format == NB_MATRIX_NOXIM)
        nb_text_print(text, "%% source destination rate\n");
    else
        nb_text_print(text, "{\"size\": %zu,\n\"matrix\": [\n",
                      matrix->topology->terminal_count);
    NB_TRY(export_add_rows(matrix, err));
    if (matrix->format == NB_MATRIX_JSON)
        nb_text_print(text, "\n]}\n");
    if (matrix->is_rounded)
        nb_text_print(text, "%% rates are rounded down to 18 digits\n");
done:
    return status;
}

enum nb_status nb_traffic_write(const char *path,
                                const struct nb_traffic *traffic,
                                const struct nb_topology *topology,
                                struct nb_error *err)
{
    struct export_matrix matrix = {
        .path = path, .traffic = traffic, .topology = topology, .denominator = 1
    };
    enum nb_status status;
    NB_TRY(nb_traffic_check(traffic, topology, err));
    NB_TRY(export_format(path, "traffic matrices", &matrix.format, err));
    NB_TRY(export_check_least(&matrix, err));
    NB_TRY(export_sort(&matrix, err));
    NB_TRY(export_add_matrix(&matrix, err));
    NB_TRY(nb_text_check(&matrix.text, err));
    NB_TRY(nb_file_write(path, matrix.text.bytes, matrix.text.length, err));
done:
    nb_text_release(&matrix.text);
    nb_pool_release(&matrix.pool);
    return status;
}
