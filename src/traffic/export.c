#include "traffic/export.h"

#include "core/decimal.h"
#include "core/memory.h"
#include "topology/index.h"
#include "traffic/matrix.h"

#include <float.h>
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

/* The rate from a terminal to each of several consecutive ones. */
struct export_cell {
    uint32_t first, count;    /* terminals */
    char text[NB_RATIO_TEXT]; /* as written */
};

/* A matrix being written; owns its arrays and text. */
struct export_matrix {
    const char *path;
    const struct nb_traffic *traffic;
    const struct nb_topology *topology;
    enum nb_matrix_format format;
    bool is_single;   /* rows of terminals of a router may differ */
    uint32_t *first;  /* [routers]: the first terminal of each */
    uint32_t *router; /* [terminals] */
    uint64_t *rest;   /* [demands] from no single terminal */
    /* The demands of each source router, by target: at[row_start[r]] .. */
    uint32_t *row_start; /* [routers + 1] */
    uint32_t *at;        /* [demands] into traffic->demands */
    size_t single;       /* the next of the singles */
    /* [routers, or terminals if is_single]: positive rates from one source */
    struct export_cell *row;
    struct nb_pool pool; /* owns these arrays */
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
    const struct nb_topology *topology = matrix->topology;
    const size_t routers = traffic->router_count;
    const size_t terminals = topology->terminal_count;
    struct nb_pool *pool = &matrix->pool;
    uint32_t next = 0;
    matrix->is_single = traffic->singles.count > 0 || traffic->omits_self;
    matrix->first = nb_pool_array(pool, routers, sizeof *matrix->first);
    matrix->router = nb_pool_array(pool, terminals, sizeof *matrix->router);
    matrix->row_start =
        nb_pool_array(pool, routers + 1, sizeof *matrix->row_start);
    matrix->row = nb_pool_array(pool, matrix->is_single ? terminals : routers,
                                sizeof *matrix->row);
    matrix->at = nb_pool_array(pool, traffic->demand_count, sizeof *matrix->at);
    matrix->rest =
        nb_pool_array(pool, traffic->demand_count, sizeof *matrix->rest);
    const enum nb_status status = nb_pool_check(pool, "rows of demands", err);
    if (status != NB_OK)
        return status;
    for (uint32_t r = 0; r < routers; r++) {
        matrix->first[r] = next;
        for (uint32_t t = 0; t < topology->terminals[r]; t++)
            matrix->router[next++] = r;
    }
    nb_traffic_rest(traffic, matrix->router, matrix->rest);
    if (traffic->demand_count > 0)
        nb_index_by(&traffic->demands->source, sizeof *traffic->demands,
                    traffic->demand_count, routers, matrix->row_start,
                    matrix->at);
    return NB_OK;
}

/* A rate from a terminal to another: what their routers' terminals share
 * evenly, and its own. */
struct export_rate {
    uint32_t source, target; /* routers */
    bool is_self;            /* of a terminal to itself */
    uint64_t rest, single;   /* weights */
};

static enum nb_status export_find_rate(struct export_matrix *matrix,
                                       const struct export_rate *from,
                                       struct nb_ratio *rate,
                                       struct nb_error *err)
{
    const struct nb_traffic *traffic = matrix->traffic;
    const uint32_t *terminals = matrix->topology->terminals;
    const nb_int128 pairs =
        (nb_int128)terminals[from->source] * terminals[from->target];
    const uint64_t even =
        from->is_self && traffic->omits_self ? 0 : traffic->background;
    /* background and denominator < 2^62, pairs < 2^64 */
    *rate = nb_ratio_make((nb_int128)even * pairs + from->rest,
                          (nb_int128)traffic->denominator * pairs);
    if (from->single > 0)
        *rate =
            nb_ratio_add(*rate, nb_ratio_make((nb_int128)from->single,
                                              (nb_int128)traffic->denominator));
    /* Rates rounded to 18 digits have the denominator 10^18, below 2^62. */
    if (nb_ratio_is_known(*rate) && matrix->format != NB_MATRIX_NOXIM)
        matrix->denominator = nb_unite(matrix->denominator, rate->denominator,
                                       ((int64_t)1 << 62) - 1);
    if (!nb_ratio_is_known(*rate) || matrix->denominator == 0)
        return nb_fail(err, NB_OVERFLOW,
                       "%.200s: with the rate from terminals of router "
                       "%" PRIu32 " to terminals of router %" PRIu32
                       " the common denominator does not fit in 62 bits",
                       matrix->path, from->source, from->target);
    if (matrix->format == NB_MATRIX_NOXIM &&
        nb_ratio_compare(*rate, nb_ratio_one) > 0)
        return nb_fail(err, NB_INVALID,
                       "%.200s: the rate %" PRId64 "/%" PRId64
                       " from a terminal of router %" PRIu32
                       " to one of router %" PRIu32
                       " is not permitted in a Noxim table (permitted: 0 to "
                       "1)",
                       matrix->path, rate->numerator, rate->denominator,
                       from->source, from->target);
    return NB_OK;
}

/* The digits of a decimal, without zeros at its beginning. */
static size_t export_count_digits(const char *text)
{
    size_t digits = 0;
    for (text += strspn(text, "0."); *text != '\0'; text++)
        digits += *text != '.';
    return digits;
}

/* Numbers of JSON are doubles for most programs, which keep 15 digits; others
 * are written as text. */
static void export_print_rate(struct export_matrix *matrix,
                              struct nb_ratio rate, char text[NB_RATIO_TEXT])
{
    char decimal[NB_RATIO_TEXT];
    const bool is_json = matrix->format == NB_MATRIX_JSON;
    const bool is_decimal = nb_decimal_print(rate, decimal);
    if (is_decimal && !(is_json && export_count_digits(decimal) > DBL_DIG))
        strcpy(text, decimal);
    else if (is_json)
        snprintf(text, NB_RATIO_TEXT, "\"%" PRId64 "/%" PRId64 "\"",
                 rate.numerator, rate.denominator);
    else if (matrix->format != NB_MATRIX_NOXIM)
        nb_ratio_print(rate, text);
    else {
        strcpy(text, decimal);
        matrix->is_rounded = true;
    }
}

/* Appends a rate to the row, unless it is 0. */
static enum nb_status export_add_cell(struct export_matrix *matrix,
                                      const struct export_rate *from,
                                      uint32_t first, uint32_t count,
                                      struct export_rate *last,
                                      struct nb_error *err)
{
    struct export_cell *cell = &matrix->row[matrix->row_length];
    const uint32_t *terminals = matrix->topology->terminals;
    const bool omits = from->is_self && matrix->traffic->omits_self;
    struct nb_ratio rate;
    enum nb_status status = NB_OK;
    if (count == 0 || ((omits || matrix->traffic->background == 0) &&
                       from->rest == 0 && from->single == 0))
        return NB_OK;
    matrix->row_length++;
    cell->first = first;
    cell->count = count;
    if (matrix->row_length > 1 && from->rest == last->rest &&
        from->single == last->single && from->is_self == last->is_self &&
        terminals[from->target] == terminals[last->target]) {
        memcpy(cell->text, cell[-1].text, sizeof cell->text);
        return NB_OK;
    }
    NB_TRY(export_find_rate(matrix, from, &rate, err));
    export_print_rate(matrix, rate, cell->text);
    *last = *from;
done:
    return status;
}

/* Appends the rates to the terminals of one router. */
static enum nb_status export_add_cells(struct export_matrix *matrix,
                                       uint32_t terminal,
                                       struct export_rate *from,
                                       struct export_rate *last,
                                       struct nb_error *err)
{
    const struct nb_demands *singles = &matrix->traffic->singles;
    const uint32_t count = matrix->topology->terminals[from->target];
    const uint32_t first = matrix->first[from->target];
    enum nb_status status = NB_OK;
    if (!matrix->is_single)
        return export_add_cell(matrix, from, first, count, last, err);
    for (uint32_t u = first; u < first + count; u++) {
        const struct nb_demand *next = singles->entry + matrix->single;
        const bool is_single = matrix->single < singles->count &&
                               next->source == terminal && next->target == u;
        from->single = is_single ? next->weight : 0;
        from->is_self = u == terminal;
        matrix->single += is_single;
        NB_TRY(export_add_cell(matrix, from, u, 1, last, err));
    }
done:
    return status;
}

/* Fills matrix->row for a source terminal. */
static enum nb_status export_fill_row(struct export_matrix *matrix,
                                      uint32_t terminal, struct nb_error *err)
{
    const struct nb_traffic *traffic = matrix->traffic;
    const uint32_t source = matrix->router[terminal];
    const uint32_t *next = matrix->at + matrix->row_start[source];
    const uint32_t *end = matrix->at + matrix->row_start[source + 1];
    struct export_rate last = { 0 };
    enum nb_status status = NB_OK;
    matrix->row_length = 0;
    for (uint32_t j = 0; j < traffic->router_count; j++) {
        struct export_rate from = { .source = source };
        if (traffic->background == 0 && next == end)
            break;
        if (traffic->background == 0)
            j = traffic->demands[*next].target; /* no demand before it */
        if (next < end && traffic->demands[*next].target == j)
            from.rest = matrix->rest[*next++];
        from.target = j;
        NB_TRY(export_add_cells(matrix, terminal, &from, &last, err));
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
        for (uint32_t t = cell->first; t < cell->first + cell->count; t++) {
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
    for (uint32_t t = 0; t < matrix->topology->terminal_count; t++) {
        if (cell < end && t >= cell->first + cell->count)
            cell++;
        const char *value = cell < end && t >= cell->first ? cell->text : "0";
        nb_text_add(text, t > 0 ? "," : "[", 1);
        nb_text_add(text, value, strlen(value));
    }
    nb_text_add(text, "]", 1);
}

static enum nb_status export_add_rows(struct export_matrix *matrix,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (uint32_t t = 0; t < matrix->topology->terminal_count; t++) {
        const bool is_first = t == matrix->first[matrix->router[t]];
        if (is_first || matrix->is_single)
            NB_TRY(export_fill_row(matrix, t, err));
        if (matrix->format == NB_MATRIX_JSON)
            export_add_row(matrix, t);
        else
            export_add_lines(matrix, t);
        NB_TRY(export_check_length(matrix, (double)matrix->text.length, err));
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
