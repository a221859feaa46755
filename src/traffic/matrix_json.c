/* Traffic in JSON: our own matrices, and RapidChiplet's pairs. */
#include "core/json.h"
#include "core/memory.h"
#include "traffic/matrix_draft.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define JSON_TUPLE "__tuple__:"
#define JSON_UNIT  JSON_TUPLE "[#, #]"

/* where: "row 2" or a key */
static enum nb_status json_refuse(const struct matrix *matrix,
                                  const char *where, const char *what,
                                  const json_t *value, const char *permitted,
                                  struct nb_error *err)
{
    char shown[NB_JSON_SHOWN];
    nb_json_show(value, shown);
    return nb_fail(err, NB_INVALID,
                   "%.200s: %.80s: %s %s is not permitted (permitted: %s)",
                   matrix->lines.path, where, what, shown, permitted);
}

static enum nb_status json_read_rate(const struct matrix *matrix,
                                     const char *where, const json_t *value,
                                     struct nb_ratio *rate,
                                     struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_status status;
    if (!json_is_number(value) && !json_is_string(value))
        return json_refuse(matrix, where, "rate", value,
                           "a number >= 0 or a string \"p/q\"", err);
    nb_json_add(value, &text);
    NB_TRY(nb_text_check(&text, err));
    status = nb_ratio_read(text.bytes, rate, NULL);
    if (status == NB_OVERFLOW)
        nb_fail(err, status,
                "%.200s: %.80s: rate %.60s does not fit a ratio of 64-bit "
                "integers",
                matrix->lines.path, where, text.bytes);
    else if (status != NB_OK || rate->numerator < 0)
        status =
            json_refuse(matrix, where, "rate", value,
                        "p/q or a decimal of at most 18 digits, >= 0", err);
done:
    nb_text_release(&text);
    return status;
}

static enum nb_status json_read_row(struct matrix *matrix, uint32_t row,
                                    const json_t *values, struct nb_error *err)
{
    char where[32];
    enum nb_status status = NB_OK;
    snprintf(where, sizeof where, "row %" PRIu32, row + 1);
    if (!json_is_array(values) || json_array_size(values) != matrix->size)
        return nb_fail(err, NB_INVALID,
                       "%.200s: %s of %zu values is not permitted (permitted: "
                       "a list of %" PRIu32 ")",
                       matrix->lines.path, where, json_array_size(values),
                       matrix->size);
    for (uint32_t column = 0; column < matrix->size; column++) {
        struct nb_ratio rate;
        NB_TRY(json_read_rate(matrix, where, json_array_get(values, column),
                              &rate, err));
        NB_TRY(nb_matrix_add(matrix, row, column, rate, err));
    }
done:
    return status;
}

static enum nb_status json_read_matrix(struct matrix *matrix,
                                       const json_t *root, struct nb_error *err)
{
    static const char form[] = "{\"size\": N, \"matrix\": [[rate, ...], ...]}";
    const json_t *size = json_object_get(root, "size");
    const json_t *rows = json_object_get(root, "matrix");
    enum nb_status status;
    if (!json_is_integer(size) || json_integer_value(size) < 1 ||
        json_integer_value(size) >= NB_NONE)
        return json_refuse(matrix, "traffic", "size", size,
                           "a whole number >= 1, or pairs of RapidChiplet",
                           err);
    if (!json_is_array(rows))
        return json_refuse(matrix, "traffic", "matrix", rows, form, err);
    NB_TRY(nb_matrix_set_size(matrix, (size_t)json_integer_value(size), err));
    if (json_array_size(rows) != matrix->size)
        return nb_fail(err, NB_INVALID,
                       "%.200s: the matrix has %zu rows (permitted: %" PRIu32
                       ", as \"size\" says)",
                       matrix->lines.path, json_array_size(rows), matrix->size);
    for (uint32_t row = 0; row < matrix->size; row++)
        NB_TRY(json_read_row(matrix, row, json_array_get(rows, row), err));
done:
    return status;
}

/* Reads the numbers that a pattern has as #; false if the text is another. */
static bool json_match(const char *text, const char *pattern, int64_t *numbers)
{
    for (; *pattern != '\0'; pattern++) {
        char digits[24] = "";
        const size_t length = strspn(text, "0123456789");
        if (*pattern != '#') {
            if (*text++ != *pattern)
                return false;
            continue;
        }
        if (length < sizeof digits)
            memcpy(digits, text, length);
        if (nb_integer_read(digits, "", 0, NB_NONE - 1, numbers++, NULL) !=
            NB_OK)
            return false;
        text += length;
    }
    return *text == '\0';
}

/* The row of a chiplet or, by its number there, of its unit. */
static enum nb_status json_find_row(const struct matrix *matrix,
                                    const char *key, int64_t chiplet,
                                    int64_t unit, uint32_t *out,
                                    struct nb_error *err)
{
    const struct nb_topology *topology = matrix->topology;
    char name[24];
    snprintf(name, sizeof name, "%" PRId64, chiplet);
    const uint32_t router = nb_router_find(topology, name, strlen(name));
    if (router == NB_NONE)
        return nb_fail(err, NB_INVALID,
                       "%.200s: \"%.80s\": chiplet %s is not permitted "
                       "(permitted: the name of a router)",
                       matrix->lines.path, key, name);
    *out = router;
    if (!matrix->is_of_terminals)
        return NB_OK;
    if (unit >= topology->terminals[router])
        return nb_fail(
            err, NB_INVALID,
            "%.200s: \"%.80s\": unit %" PRId64 " of chiplet %s is "
            "not permitted (permitted: its %" PRIu32 " terminals, from 0)",
            matrix->lines.path, key, unit, name, topology->terminals[router]);
    *out = (uint32_t)unit;
    for (uint32_t r = 0; r < router; r++)
        *out += topology->terminals[r];
    return NB_OK;
}

static enum nb_status json_read_pair(struct matrix *matrix, const char *key,
                                     const json_t *value, struct nb_error *err)
{
    int64_t ends[4] = { 0 };
    struct nb_ratio rate;
    uint32_t source, target;
    enum nb_status status;
    const bool is_pair =
        matrix->is_of_terminals
            ? json_match(key,
                         JSON_TUPLE "[\"" JSON_UNIT "\", \"" JSON_UNIT "\"]",
                         ends)
            : json_match(key, JSON_UNIT, ends);
    if (!matrix->is_of_terminals)
        ends[2] = ends[1];
    if (!is_pair)
        return nb_fail(err, NB_INVALID,
                       "%.200s: key \"%.80s\" is not permitted (permitted: a "
                       "pair of %s of RapidChiplet)",
                       matrix->lines.path, key,
                       matrix->is_of_terminals ? "units" : "chiplets");
    NB_TRY(json_find_row(matrix, key, ends[0], ends[1], &source, err));
    NB_TRY(json_find_row(matrix, key, ends[2], ends[3], &target, err));
    NB_TRY(json_read_rate(matrix, key, value, &rate, err));
    NB_TRY(nb_matrix_add(matrix, source, target, rate, err));
done:
    return status;
}

/* Pairs of units if the first key has them, else of chiplets. */
static enum nb_status json_read_pairs(struct matrix *matrix, json_t *root,
                                      struct nb_error *err)
{
    const char *key = json_object_iter_key(json_object_iter(root));
    enum nb_status status = NB_OK;
    json_t *value;
    nb_matrix_set_level(matrix, strchr(key, '"') != NULL);
    matrix->has_own_unit = true;
    json_object_foreach(root, key, value)
        NB_TRY(json_read_pair(matrix, key, value, err));
done:
    return status;
}

enum nb_status nb_matrix_read_json(struct matrix *matrix, struct nb_error *err)
{
    json_t *root = NULL;
    enum nb_status status;
    NB_TRY(nb_json_parse(matrix->lines.path, matrix->lines.next,
                         strlen(matrix->lines.next), &root, err));
    const char *key = json_object_iter_key(json_object_iter(root));
    if (key != NULL && strncmp(key, JSON_TUPLE, strlen(JSON_TUPLE)) == 0)
        NB_TRY(json_read_pairs(matrix, root, err));
    else
        NB_TRY(json_read_matrix(matrix, root, err));
done:
    json_decref(root);
    return status;
}
