/* Traffic as JSON: {"size": N, "matrix": [[rate, ...], ...]}, in this order;
 * numbers as in CSV. A rate is a number or, as no JSON number can be 1/3, a
 * string "p/q". */
#include "traffic/matrix.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void json_skip_blanks(struct nb_matrix *matrix)
{
    for (; *matrix->lines.next != '\0' &&
           strchr(" \t\r\n", *matrix->lines.next) != NULL;
         matrix->lines.next++)
        matrix->lines.number += *matrix->lines.next == '\n';
}

/* Whether text comes next; if so it is passed. */
static bool json_passes(struct nb_matrix *matrix, const char *text)
{
    json_skip_blanks(matrix);
    const size_t length = strlen(text);
    if (strncmp(matrix->lines.next, text, length) != 0)
        return false;
    matrix->lines.next += length;
    return true;
}

static enum nb_status json_expect(struct nb_matrix *matrix, const char *text,
                                  struct nb_error *err)
{
    if (json_passes(matrix, text))
        return NB_OK;
    const size_t length = strcspn(matrix->lines.next, " \t\r\n,:[]{}");
    const int shown = length > 60 ? 60 : length > 0 ? (int)length : 1;
    return nb_lines_fail(&matrix->lines, NB_INVALID, err,
                         "\"%.*s\" is not permitted here (permitted: %s, in "
                         "{\"size\": N, \"matrix\": [[rate, ...], ...]})",
                         shown, matrix->lines.next, text);
}

/* Copies the number or string that comes next. */
static enum nb_status json_read_token(struct nb_matrix *matrix, char token[64],
                                      struct nb_error *err)
{
    const bool is_string = json_passes(matrix, "\"");
    /* Letters too, so that a message can show NaN and the like. */
    const size_t length =
        strcspn(matrix->lines.next, is_string ? "\"\n" : " \t\r\n,:[]{}\"");
    snprintf(token, 64, "%.*s", length < 63 ? (int)length : 63,
             matrix->lines.next);
    matrix->lines.next += length;
    if (is_string)
        return json_expect(matrix, "\"", err);
    return NB_OK;
}

/* JSON knows no other way to begin a number; strings are our own. */
static bool json_is_number(const char *token)
{
    const char *digits = token + (*token == '-');
    return *digits >= '0' && *digits <= '9' && strchr(token, '/') == NULL;
}

static enum nb_status json_read_rate(struct nb_matrix *matrix,
                                     struct nb_ratio *rate,
                                     struct nb_error *err)
{
    char token[64];
    json_skip_blanks(matrix);
    const bool is_string = *matrix->lines.next == '"';
    const enum nb_status status = json_read_token(matrix, token, err);
    if (status != NB_OK)
        return status;
    if (!is_string && !json_is_number(token))
        return nb_lines_fail(&matrix->lines, NB_INVALID, err,
                             "rate \"%s\" is not permitted (permitted: a "
                             "number >= 0 or a string \"p/q\")",
                             token);
    return nb_matrix_read_rate(matrix, token, rate, err);
}

static enum nb_status json_read_row(struct nb_matrix *matrix, uint32_t row,
                                    struct nb_error *err)
{
    enum nb_status status;
    uint32_t column = 0;
    NB_TRY(json_expect(matrix, "[", err));
    do {
        struct nb_ratio rate;
        NB_TRY(json_read_rate(matrix, &rate, err));
        if (column < matrix->size)
            NB_TRY(nb_matrix_add(matrix, row, column, rate, err));
        column++;
    } while (column <= matrix->size && json_passes(matrix, ","));
    if (column != matrix->size || !json_passes(matrix, "]"))
        status =
            nb_lines_fail(&matrix->lines, NB_INVALID, err,
                          "row %" PRIu32 ": %" PRIu32
                          " values and then \"%.1s\" are not permitted "
                          "(permitted: %" PRIu32 " values and then ])",
                          row + 1, column, matrix->lines.next, matrix->size);
done:
    return status;
}

enum nb_status nb_matrix_read_json(struct nb_matrix *matrix,
                                   struct nb_error *err)
{
    char size[64];
    int64_t rows;
    enum nb_status status;
    matrix->lines.number = 1;
    NB_TRY(json_expect(matrix, "{", err));
    NB_TRY(json_expect(matrix, "\"size\"", err));
    NB_TRY(json_expect(matrix, ":", err));
    json_skip_blanks(matrix);
    const bool is_string = *matrix->lines.next == '"';
    NB_TRY(json_read_token(matrix, size, err));
    if (is_string ||
        nb_integer_read(size, "size", 1, NB_NONE - 1, &rows, NULL) != NB_OK)
        return nb_lines_fail(&matrix->lines, NB_INVALID, err,
                             "size \"%s\" is not permitted (permitted: a "
                             "whole number >= 1)",
                             size);
    NB_TRY(nb_matrix_set_size(matrix, (size_t)rows, err));
    NB_TRY(json_expect(matrix, ",", err));
    NB_TRY(json_expect(matrix, "\"matrix\"", err));
    NB_TRY(json_expect(matrix, ":", err));
    NB_TRY(json_expect(matrix, "[", err));
    for (uint32_t row = 0; row < matrix->size; row++) {
        if (row > 0)
            NB_TRY(json_expect(matrix, ",", err));
        NB_TRY(json_read_row(matrix, row, err));
    }
    NB_TRY(json_expect(matrix, "]", err));
    NB_TRY(json_expect(matrix, "}", err));
    json_skip_blanks(matrix);
    if (*matrix->lines.next != '\0')
        status = nb_lines_fail(&matrix->lines, NB_INVALID, err,
                               "\"%.1s\" after the end (permitted: nothing)",
                               matrix->lines.next);
done:
    return status;
}
