#include "questions/ledger/recorded.h"

#include "core/lines.h"
#include "core/memory.h"
#include "core/store.h"
#include "report/tree.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { RECORDED_BYTES = 1 << 24 };

enum {
    RECORDED_QUESTION,
    RECORDED_COMMAND,
    RECORDED_PROGRAM,
    RECORDED_DATE,
    RECORDED_QUANTITY,
    RECORDED_VALUE,
    RECORDED_LOWER,
    RECORDED_UPPER,
    RECORDED_EXACT,
    RECORDED_UNIT,
    RECORDED_METHOD,
    RECORDED_WIDTH
};

/* Whether a text is a date such as 2026-11-30. */
static bool recorded_is_date(const char *text)
{
    static const char form[] = "0000-00-00";
    bool is_date = strlen(text) == sizeof form - 1;
    for (size_t i = 0; is_date && text[i] != '\0'; i++)
        is_date =
            form[i] == '-' ? text[i] == '-' : text[i] >= '0' && text[i] <= '9';
    return is_date;
}

static enum nb_status recorded_read_number(const struct nb_lines *line,
                                           const char *name, const char *text,
                                           double *out, struct nb_error *err)
{
    *out = *text == '-' ? -INFINITY : INFINITY;
    if (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0 ||
        nb_number_read(text, name, -HUGE_VAL, HUGE_VAL, out, NULL) == NB_OK)
        return NB_OK;
    return nb_lines_fail(line, NB_INVALID, err,
                         "%s \"%.40s\" is not permitted (permitted: a number)",
                         name, text);
}

static enum nb_status recorded_read_row(const struct nb_lines *line,
                                        const char *const *cell,
                                        struct nb_recorded_row *out,
                                        struct nb_error *err)
{
    struct nb_quantity *quantity = &out->quantity;
    const struct {
        const char *name;
        int column;
        double *number;
    } numbers[] = {
        { "value", RECORDED_VALUE, &quantity->value },
        { "lower", RECORDED_LOWER, &quantity->lower },
        { "upper", RECORDED_UPPER, &quantity->upper },
    };
    enum nb_status status = NB_OK;
    *out = (struct nb_recorded_row){ .question = cell[RECORDED_QUESTION],
                                     .command = cell[RECORDED_COMMAND],
                                     .program = cell[RECORDED_PROGRAM],
                                     .date = cell[RECORDED_DATE] };
    quantity->name = (char *)cell[RECORDED_QUANTITY];
    quantity->unit = (char *)cell[RECORDED_UNIT];
    quantity->method = (char *)cell[RECORDED_METHOD];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        NB_TRY(recorded_read_number(line, numbers[i].name,
                                    cell[numbers[i].column], numbers[i].number,
                                    err));
    if (*cell[RECORDED_EXACT] != '\0' &&
        nb_ratio_read(cell[RECORDED_EXACT], &quantity->exact, NULL) != NB_OK)
        NB_TRY(nb_lines_fail(line, NB_INVALID, err,
                             "exact \"%.40s\" is not permitted (permitted: p/q "
                             "or nothing)",
                             cell[RECORDED_EXACT]));
    if (!(quantity->lower <= quantity->value &&
          quantity->value <= quantity->upper))
        NB_TRY(
            nb_lines_fail(line, NB_INVALID, err,
                          "value \"%.40s\" is not permitted (permitted: from "
                          "lower to upper)",
                          cell[RECORDED_VALUE]));
    if (!recorded_is_date(out->date))
        NB_TRY(nb_lines_fail(line, NB_INVALID, err,
                             "date \"%.40s\" is not permitted (permitted: such "
                             "as 2026-11-30)",
                             out->date));
    if (strlen(out->question) != NB_DIGEST_DIGITS)
        NB_TRY(nb_lines_fail(line, NB_INVALID, err,
                             "question \"%.80s\" is not permitted (permitted: "
                             "%d hexadecimal digits)",
                             out->question, NB_DIGEST_DIGITS));
done:
    return status;
}

static enum nb_status recorded_read_rows(struct nb_recorded *out,
                                         struct nb_error *err)
{
    struct nb_lines line = { 0 };
    const char *cell[RECORDED_WIDTH];
    char *next;
    enum nb_status status;
    NB_TRY(nb_lines_begin(&line, out->path, '\0', out->text.bytes,
                          out->text.length, err));
    NB_TRY(nb_lines_header(&line, NB_RECORDED_COLUMNS, err));
    while ((next = nb_lines_next(&line)) != NULL) {
        NB_TRY(nb_lines_cut(&line, next, NB_RECORDED_COLUMNS, cell, err));
        NB_TRY(nb_grow(&out->rows, out->count + 1, sizeof *out->rows, "runs",
                       err));
        NB_TRY(recorded_read_row(&line, cell, &out->rows[out->count], err));
        out->count++;
    }
done:
    return status;
}

enum nb_status nb_recorded_read(const char *folder, struct nb_recorded *out,
                                struct nb_error *err)
{
    struct nb_text path = { 0 };
    enum nb_status status;
    *out = (struct nb_recorded){ 0 };
    nb_text_print(&path, "%s/%s", folder, NB_RECORDED);
    NB_TRY(nb_text_check(&path, err));
    if (access(path.bytes, F_OK) != 0)
        goto done;
    out->path = path.bytes;
    path = (struct nb_text){ 0 };
    NB_TRY(nb_store_read(out->path, RECORDED_BYTES, &out->text, err));
    NB_TRY(recorded_read_rows(out, err));
done:
    nb_text_release(&path);
    if (status != NB_OK)
        nb_recorded_release(out);
    return status;
}

void nb_recorded_release(struct nb_recorded *recorded)
{
    nb_delete(recorded->path);
    nb_text_release(&recorded->text);
    nb_delete(recorded->rows);
    *recorded = (struct nb_recorded){ 0 };
}

/* Appends a value as a word of a shell. */
static void recorded_add_word(const char *value, struct nb_text *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_.,:=+-/%";
    const bool is_plain = *value != '\0' && value[strspn(value, plain)] == '\0';
    nb_text_print(out, is_plain ? "%s" : "'%s'", value);
}

enum nb_status nb_recorded_question(const struct nb_model *request,
                                    const struct nb_model *complete,
                                    struct nb_text *command,
                                    char question[NB_DIGEST_TEXT],
                                    struct nb_error *err)
{
    struct nb_digest sum;
    nb_text_print(command, "netbound %s", request->command);
    for (size_t i = 0; i < request->option_count; i++) {
        nb_text_print(command, " --%s ", request->options[i].name);
        recorded_add_word(request->options[i].value, command);
    }
    const enum nb_status status = nb_text_check(command, err);
    if (status != NB_OK)
        return status;
    nb_digest_begin(&sum);
    nb_digest_add(&sum, command->bytes, command->length);
    for (size_t i = 0; i < complete->input_count; i++)
        nb_digest_add(&sum, complete->inputs[i].sha256,
                      strlen(complete->inputs[i].sha256));
    nb_digest_end(&sum, question);
    return NB_OK;
}

const struct nb_recorded_row *
nb_recorded_find(const struct nb_recorded *recorded, const char *question,
                 const char *command, struct nb_point *out)
{
    const struct nb_recorded_row *first = NULL;
    for (size_t i = 0; i < recorded->count; i++) {
        const struct nb_recorded_row *row = &recorded->rows[i];
        const struct nb_quantity *quantity = &row->quantity;
        if (strcmp(row->question, question) != 0 ||
            strcmp(row->command, command) != 0)
            continue;
        nb_point_add_quantity(out, quantity, quantity->name, quantity->unit,
                              quantity->method, "");
        first = first == NULL ? row : first;
    }
    return first;
}
