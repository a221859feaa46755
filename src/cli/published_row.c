/* Rows of published numbers: what their fields say (declared in
 * published_line.h). */
#include "cli/published_line.h"

#include <string.h>

enum { ROW_PLACES = 17 };

const char *const nb_verdict_names[] = { "agrees", "explained", "disagrees",
                                         "pending" };

/* Digits with perhaps a point among them, and nothing else. */
static bool row_is_decimal(const char *text)
{
    static const char digits[] = "0123456789";
    text += *text == '-';
    size_t length = strspn(text, digits);
    text += length;
    if (length > 0 && *text == '.') {
        length = strspn(text + 1, digits);
        text += 1 + length;
    }
    return length > 0 && *text == '\0';
}

static enum nb_status row_read_printed(const struct nb_line *line,
                                       const char *text, struct nb_printed *out,
                                       struct nb_error *err)
{
    const char *point = strchr(text, '.');
    const size_t places = point != NULL ? strlen(point + 1) : 0;
    *out = (struct nb_printed){ .places = (int)places };
    if (*text == '\0')
        return NB_OK;
    if (strcmp(text, "inf") == 0)
        out->value = out->lower = out->upper = nb_ratio_infinity;
    if (row_is_decimal(text) && places <= ROW_PLACES &&
        nb_ratio_read(text, &out->value, NULL) == NB_OK) {
        int64_t scale = 1;
        for (size_t i = 0; i < places; i++)
            scale *= 10;
        const struct nb_ratio half = nb_ratio_make(1, 2 * (nb_int128)scale);
        out->lower = nb_ratio_subtract(out->value, half);
        out->upper = nb_ratio_add(out->value, half);
    }
    if (nb_ratio_is_known(out->lower) && nb_ratio_is_known(out->upper))
        return NB_OK;
    return nb_line_fail(line, err,
                        "printed \"%.60s\" is not permitted (permitted: a "
                        "decimal of up to 17 digits such as 0.25, inf, or "
                        "nothing)",
                        text);
}

static enum nb_status row_read_verdict(const struct nb_line *line,
                                       const char *text, enum nb_verdict *out,
                                       struct nb_error *err)
{
    for (int i = 0; i < NB_VERDICTS; i++)
        if (strcmp(text, nb_verdict_names[i]) == 0) {
            *out = (enum nb_verdict)i;
            return NB_OK;
        }
    return nb_line_fail(line, err,
                        "verdict \"%.60s\" is not permitted (permitted: "
                        "agrees, explained, disagrees, pending)",
                        text);
}

/* A verdict needs something printed, and unless it agrees a reason. */
static enum nb_status row_check_verdict(const struct nb_line *line,
                                        const struct nb_published_row *row,
                                        struct nb_error *err)
{
    const char *name = nb_verdict_names[row->expected];
    if (*row->printed == '\0' && row->expected != NB_VERDICT_AGREES)
        return nb_line_fail(line, err,
                            "nothing is printed (permitted: a number beside "
                            "verdict %s)",
                            name);
    if (*row->printed == '\0' && !nb_ratio_is_known(row->exact))
        return nb_line_fail(line, err,
                            "neither printed nor exact is given (permitted: "
                            "one of them or both)");
    if (*row->note == '\0' && row->expected != NB_VERDICT_AGREES)
        return nb_line_fail(line, err,
                            "no reason is given (permitted: a note beside "
                            "verdict %s)",
                            name);
    return NB_OK;
}

/* Two labels, divided once. */
static enum nb_status row_check_cell(const struct nb_line *line,
                                     const char *cell, struct nb_error *err)
{
    const char *divider = strstr(cell, NB_CELL_DIVIDER);
    if (divider != NULL && divider > cell) {
        const char *column = divider + strlen(NB_CELL_DIVIDER);
        if (*column != '\0' && strstr(column, NB_CELL_DIVIDER) == NULL)
            return NB_OK;
    }
    return nb_line_fail(line, err,
                        "cell \"%.60s\" is not permitted (permitted: ROW / "
                        "COLUMN)",
                        cell);
}

enum nb_status nb_line_read_row(const struct nb_line *line,
                                struct nb_published_row *out,
                                struct nb_error *err)
{
    static const enum nb_line_column needed[] = { NB_LINE_ID, NB_LINE_SOURCE,
                                                  NB_LINE_TABLE,
                                                  NB_LINE_QUANTITY,
                                                  NB_LINE_UNIT };
    const char *const *field = line->field;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (*field[needed[i]] == '\0')
            NB_TRY(nb_line_fail(line, err, "%s is empty",
                                nb_line_columns[needed[i]]));
    *out = (struct nb_published_row){
        .id = field[NB_LINE_ID],
        .source = field[NB_LINE_SOURCE],
        .table = field[NB_LINE_TABLE],
        .cell = field[NB_LINE_CELL],
        .topology = field[NB_LINE_TOPOLOGY],
        .routing = field[NB_LINE_ROUTING],
        .traffic = field[NB_LINE_TRAFFIC],
        .quantity = field[NB_LINE_QUANTITY],
        .printed = field[NB_LINE_PRINTED],
        .unit = field[NB_LINE_UNIT],
        .note = field[NB_LINE_NOTE],
        .file = line->file,
        .line = line->number,
    };
    NB_TRY(row_check_cell(line, out->cell, err));
    NB_TRY(row_read_verdict(line, field[NB_LINE_VERDICT], &out->expected, err));
    NB_TRY(row_read_printed(line, out->printed, &out->rounded, err));
    const char *exact = field[NB_LINE_EXACT];
    if (*exact != '\0' && nb_ratio_read(exact, &out->exact, NULL) != NB_OK)
        NB_TRY(nb_line_fail(line, err,
                            "exact \"%.60s\" is not permitted (permitted: "
                            "p/q, p or nothing)",
                            exact));
    NB_TRY(row_check_verdict(line, out, err));
done:
    return status;
}
