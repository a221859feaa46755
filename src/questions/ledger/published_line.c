#include "questions/ledger/published_line.h"

#include "core/try.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const nb_line_columns[] = {
    "id",       "source",  "table", "cell", "topology", "routing", "traffic",
    "quantity", "printed", "exact", "unit", "verdict",  "note",    "check",
};

enum nb_status nb_line_fail(const struct nb_line *line, struct nb_error *err,
                            const char *format, ...)
{
    char message[400];
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    return nb_fail(err, NB_INVALID, "\"%s\", line %zu: %s", line->file,
                   line->number, message);
}

/* Ends the line with NUL, and is strict with its characters. */
static enum nb_status line_end(struct nb_line *line, char **begin,
                               struct nb_error *err)
{
    *begin = line->next;
    line->number++;
    char *end = *begin + strcspn(*begin, "\n");
    line->next = end + (*end == '\n');
    *end = '\0';
    if (end > *begin && end[-1] == '\r')
        end[-1] = '\0';
    for (const char *c = *begin; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return nb_line_fail(line, err,
                                "a control character is not permitted");
    return NB_OK;
}

/* Ends the field at *next with NUL, without its quotes; *next moves on to the
 * following field, NULL if there is none. */
static enum nb_status line_cut(const struct nb_line *line, char **next,
                               const char **field, struct nb_error *err)
{
    char *from = *next, *to = from;
    *field = to;
    if (*from == '"') {
        for (from++; *from != '\0' && (*from != '"' || from[1] == '"');
             from++) {
            from += *from == '"';
            *to++ = *from;
        }
        if (*from == '\0')
            return nb_line_fail(line, err, "a quote is not closed");
        from++;
    } else {
        to = from += strcspn(from, ",\"");
    }
    if (*from != ',' && *from != '\0')
        return nb_line_fail(line, err,
                            "a quote within a field is not permitted "
                            "(permitted: \"...\" around it, \"\" inside)");
    *next = *from == ',' ? from + 1 : NULL;
    *to = '\0';
    return NB_OK;
}

enum nb_status nb_line_start(struct nb_line *line, struct nb_text *text,
                             struct nb_error *err)
{
    char *name;
    enum nb_status status;
    line->next = text->bytes;
    NB_TRY(line_end(line, &name, err));
    if (strlen(line->next) + (size_t)(line->next - text->bytes) != text->length)
        NB_TRY(nb_fail(err, NB_INVALID, "\"%s\" has zero bytes: it is not text",
                       line->file));
    for (size_t i = 0; i < NB_LINE_COLUMNS; i++) {
        const size_t length = strcspn(name, ",");
        const bool is_last = i + 1 == NB_LINE_COLUMNS;
        const bool ends = name[length] == '\0';
        if (strlen(nb_line_columns[i]) != length ||
            strncmp(nb_line_columns[i], name, length) != 0 ||
            (ends ? i + 1 < NB_LINE_NEEDED : is_last))
            NB_TRY(nb_line_fail(line, err,
                                "column %zu is \"%.*s\" (permitted: "
                                "\"%s\"%s)",
                                i + 1, length < 40 ? (int)length : 40, name,
                                nb_line_columns[i],
                                is_last ? ", the last" : ""));
        if (ends)
            break;
        name += length + 1;
    }
done:
    return status;
}

enum nb_status nb_line_next(struct nb_line *line, struct nb_error *err)
{
    char *next;
    size_t count = 0;
    enum nb_status status;
    NB_TRY(line_end(line, &next, err));
    for (; next != NULL; count++) {
        const char *field;
        NB_TRY(line_cut(line, &next, &field, err));
        if (count < NB_LINE_COLUMNS)
            line->field[count] = field;
    }
    if (count < NB_LINE_NEEDED || count > NB_LINE_COLUMNS)
        status = nb_line_fail(line, err,
                              "%zu fields are not permitted (permitted: %d, or "
                              "%d with a check)",
                              count, NB_LINE_NEEDED, NB_LINE_COLUMNS);
    if (count == NB_LINE_NEEDED)
        line->field[NB_LINE_CHECK] = "";
done:
    return status;
}
