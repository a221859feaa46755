/* Rows of published numbers: what their fields say (declared in
 * published_line.h). */
#include "questions/ledger/published_line.h"

#include "core/try.h"

#include <string.h>

enum { ROW_PLACES = 17 };

const char *const nb_verdict_names[] = { "agrees", "explained", "consistent",
                                         "disagrees", "pending" };

bool nb_row_is_reference(const struct nb_published_row *row)
{
    return *row->printed == '\0';
}

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

/* The value of a decimal and its last digit's unit; false if it is none, or
 * too long. */
static bool row_read_decimal(const char *text, struct nb_printed *out,
                             nb_int128 *scale)
{
    const char *point = strchr(text, '.');
    const size_t places = point != NULL ? strlen(point + 1) : 0;
    *scale = 1;
    if (!row_is_decimal(text) || places > ROW_PLACES ||
        nb_ratio_read(text, &out->value, NULL) != NB_OK)
        return false;
    out->places = (int)places;
    for (size_t i = 0; i < places; i++)
        *scale *= 10;
    return true;
}

/* Whether text is a decimal, a ratio or infinity. */
static bool row_read_number(const char *text, struct nb_printed *out)
{
    nb_int128 scale;
    *out = (struct nb_printed){ 0 };
    if (strcmp(text, "inf") == 0)
        out->value = out->lower = out->upper = nb_ratio_infinity;
    else if (strchr(text, '/') != NULL &&
             nb_ratio_read(text, &out->value, NULL) == NB_OK)
        out->lower = out->upper = out->value;
    else if (row_read_decimal(text, out, &scale)) {
        const struct nb_ratio half = nb_ratio_make(1, 2 * scale);
        out->lower = nb_ratio_subtract(out->value, half);
        out->upper = nb_ratio_add(out->value, half);
    }
    return nb_ratio_is_known(out->lower) && nb_ratio_is_known(out->upper);
}

/* A number, or a word that the check gives a number to. */
static enum nb_status row_read_printed(const struct nb_line *line,
                                       const char *text, const char *word,
                                       struct nb_printed *out,
                                       struct nb_error *err)
{
    enum { LONGEST = 40 };
    char number[LONGEST + 1] = "";
    const bool is_number = row_read_number(text, out);
    if (*text == '\0' || (is_number && word == NULL))
        return NB_OK;
    if (is_number)
        return nb_lines_fail(&line->lines, NB_INVALID, err,
                             "printed \"%.60s\" is a number and its check says "
                             "\"as\" (permitted: of a word)",
                             text);
    if (word != NULL)
        memcpy(number, word, strnlen(word, LONGEST));
    number[strcspn(number, ";")] = '\0';
    if (row_read_number(number, out))
        return NB_OK;
    return nb_lines_fail(&line->lines, NB_INVALID, err,
                         "printed \"%.60s\" is not permitted (permitted: a "
                         "decimal of up to 17 digits such as 0.25, p/q, inf, a "
                         "word whose check has \"as NUMBER\", or nothing)",
                         text);
}

/* "0.140..." may go on with any digits; all else is exact. */
static enum nb_status row_read_exact(const struct nb_line *line,
                                     const char *text, struct nb_printed *out,
                                     struct nb_error *err)
{
    static const char more[] = "...";
    enum { MORE = sizeof more - 1, LONGEST = 40 };
    const size_t length = strlen(text);
    char digits[LONGEST + 1] = "";
    nb_int128 scale;
    *out = (struct nb_printed){ 0 };
    if (length == 0)
        return NB_OK;
    if (length > MORE && length - MORE <= LONGEST && *text != '-' &&
        strcmp(text + length - MORE, more) == 0) {
        memcpy(digits, text, length - MORE);
        if (row_read_decimal(digits, out, &scale)) {
            out->lower = out->value;
            out->upper = nb_ratio_add(out->value, nb_ratio_make(1, scale));
        }
    } else if (strcmp(text, "inf") == 0 ||
               nb_ratio_read(text, &out->value, NULL) == NB_OK) {
        if (!nb_ratio_is_known(out->value))
            out->value = nb_ratio_infinity;
        out->lower = out->upper = out->value;
    }
    if (nb_ratio_is_known(out->upper))
        return NB_OK;
    return nb_lines_fail(&line->lines, NB_INVALID, err,
                         "exact \"%.60s\" is not permitted (permitted: p/q, p, "
                         "inf, first digits such as 0.14088..., or nothing)",
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
    return nb_lines_fail(&line->lines, NB_INVALID, err,
                         "verdict \"%.60s\" is not permitted (permitted: "
                         "agrees, explained, consistent, disagrees, pending)",
                         text);
}

bool nb_row_can_explain(const struct nb_published_row *row)
{
    return row->check.is_cut || row->check.is_range || row->check.has_columns ||
           nb_ratio_is_known(row->check.within);
}

/* A verdict needs something printed, and unless it agrees a reason; an
 * explanation needs a check. What nobody printed stands in a table of its
 * own. */
static enum nb_status row_check_verdict(const struct nb_line *line,
                                        const struct nb_published_row *row,
                                        struct nb_error *err)
{
    const char *name = nb_verdict_names[row->expected];
    const bool is_reference_table = strncmp(row->table, NB_REFERENCE_TABLE,
                                            strlen(NB_REFERENCE_TABLE)) == 0;
    if (nb_row_is_reference(row) != is_reference_table)
        return nb_lines_fail(
            &line->lines, NB_INVALID, err,
            "printed \"%.40s\" in table \"%.60s\" is not "
            "permitted (permitted: nothing in tables \"" NB_REFERENCE_TABLE
            "...\", and only there)",
            row->printed, row->table);
    if (*row->printed == '\0' && row->expected != NB_VERDICT_AGREES)
        return nb_lines_fail(&line->lines, NB_INVALID, err,
                             "nothing is printed (permitted: a number beside "
                             "verdict %s)",
                             name);
    if (*row->printed == '\0' && *row->exact == '\0')
        return nb_lines_fail(&line->lines, NB_INVALID, err,
                             "neither printed nor exact is given (permitted: "
                             "one of them or both)");
    if (*row->note == '\0' && row->expected != NB_VERDICT_AGREES)
        return nb_lines_fail(&line->lines, NB_INVALID, err,
                             "no reason is given (permitted: a note beside "
                             "verdict %s)",
                             name);
    if (row->expected == NB_VERDICT_EXPLAINED && !nb_row_can_explain(row))
        return nb_lines_fail(&line->lines, NB_INVALID, err,
                             "no check is given (permitted: beside verdict %s "
                             "what the ledger does to show it)",
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
    return nb_lines_fail(&line->lines, NB_INVALID, err,
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
    const char *word;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (*field[needed[i]] == '\0')
            NB_TRY(nb_lines_fail(&line->lines, NB_INVALID, err, "%s is empty",
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
        .exact = field[NB_LINE_EXACT],
        .unit = field[NB_LINE_UNIT],
        .note = field[NB_LINE_NOTE],
        .file = line->lines.path,
        .line = line->lines.number,
    };
    NB_TRY(row_check_cell(line, out->cell, err));
    NB_TRY(row_read_verdict(line, field[NB_LINE_VERDICT], &out->expected, err));
    NB_TRY(nb_line_read_check(line, field[NB_LINE_CHECK], &out->check, &word,
                              err));
    NB_TRY(row_read_printed(line, out->printed, word, &out->rounded, err));
    NB_TRY(row_read_exact(line, out->exact, &out->reference, err));
    NB_TRY(row_check_verdict(line, out, err));
done:
    return status;
}
