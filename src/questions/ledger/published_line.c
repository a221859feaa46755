#include "questions/ledger/published_line.h"

#include "core/try.h"

#include <string.h>

const char *const nb_line_columns[] = {
    "id",       "source",  "table", "cell", "topology", "routing", "traffic",
    "quantity", "printed", "exact", "unit", "verdict",  "note",    "check",
};

/* Cuts the next line, which is strict with its characters, into its fields;
 * *count 0: there is none. */
static enum nb_status line_cut(struct nb_line *line, size_t *count,
                               struct nb_error *err)
{
    char *rest = nb_lines_next(&line->lines);
    enum nb_status status = NB_OK;
    *count = 0;
    for (const char *c = rest; c != NULL && *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return nb_lines_fail(&line->lines, NB_INVALID, err,
                                 "a control character is not permitted");
    while (rest != NULL) {
        const char *field;
        NB_TRY(nb_lines_cell(&line->lines, &rest, &field, err));
        if (*count < NB_LINE_COLUMNS)
            line->field[*count] = field;
        ++*count;
    }
done:
    return status;
}

enum nb_status nb_line_start(struct nb_line *line, const char *file,
                             struct nb_text *text, struct nb_error *err)
{
    size_t count;
    enum nb_status status;
    NB_TRY(nb_lines_begin(&line->lines, file, '\0', text->bytes, text->length,
                          err));
    NB_TRY(line_cut(line, &count, err));
    for (size_t i = 0; i < NB_LINE_COLUMNS && (i < count || i < NB_LINE_NEEDED);
         i++)
        if (i >= count || strcmp(line->field[i], nb_line_columns[i]) != 0)
            NB_TRY(nb_lines_fail(&line->lines, NB_INVALID, err,
                                 "column %zu is \"%.40s\" (permitted: \"%s\")",
                                 i + 1, i < count ? line->field[i] : "",
                                 nb_line_columns[i]));
    if (count > NB_LINE_COLUMNS)
        NB_TRY(nb_lines_fail(&line->lines, NB_INVALID, err,
                             "%zu columns are not permitted (permitted: %d)",
                             count, NB_LINE_COLUMNS));
done:
    return status;
}

enum nb_status nb_line_next(struct nb_line *line, bool *is_there,
                            struct nb_error *err)
{
    size_t count;
    const enum nb_status status = line_cut(line, &count, err);
    *is_there = status == NB_OK && count > 0;
    if (*is_there && (count < NB_LINE_NEEDED || count > NB_LINE_COLUMNS))
        return nb_lines_fail(&line->lines, NB_INVALID, err,
                             "%zu fields are not permitted (permitted: %d, or "
                             "%d with a check)",
                             count, NB_LINE_NEEDED, NB_LINE_COLUMNS);
    if (count == NB_LINE_NEEDED)
        line->field[NB_LINE_CHECK] = "";
    return status;
}
