#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "published.h"

#include "core/memory.h"

#include <glob.h>
#include <string.h>

enum { PUBLISHED_COLUMNS = 13 };

static const char *const names[PUBLISHED_COLUMNS] = {
    "id",       "source",  "table", "cell", "topology", "routing", "traffic",
    "quantity", "printed", "exact", "unit", "verdict",  "note",
};

/* Ends the field at *next with NUL, unquoting it in place; *next moves on to
 * the following field, *is_last tells whether the line ended. */
static const char *published_field(char **next, bool *is_last)
{
    char *from = *next, *to = *next;
    const char *field = to;
    const bool is_quoted = *from == '"';
    from += is_quoted;
    for (; *from != '\0'; from++) {
        if (is_quoted && from[0] == '"' && from[1] == '"')
            from++;
        else if (is_quoted && *from == '"')
            break;
        else if (!is_quoted && (*from == ',' || *from == '\n'))
            break;
        *to++ = *from;
    }
    from += is_quoted && *from == '"';
    if (*from != ',' && *from != '\n')
        fail_msg("field \"%.40s\" does not end", field);
    *is_last = *from == '\n';
    *to = '\0';
    *next = from + 1;
    return field;
}

static void published_read_line(char **next, const char *path,
                                const char *field[PUBLISHED_COLUMNS])
{
    bool is_last = false;
    for (size_t i = 0; i < PUBLISHED_COLUMNS; i++) {
        if (is_last)
            fail_msg("%s: row %s has %zu fields", path, field[0], i);
        field[i] = published_field(next, &is_last);
    }
    if (!is_last)
        fail_msg("%s: row %s has too many fields", path, field[0]);
}

static void published_add(struct published *out, const char *const *field)
{
    assert_int_equal(
        nb_grow(&out->rows, out->count + 1, sizeof *out->rows, "rows", NULL),
        NB_OK);
    out->rows[out->count++] = (struct published_row){
        .id = field[0],
        .source = field[1],
        .table = field[2],
        .cell = field[3],
        .topology = field[4],
        .routing = field[5],
        .traffic = field[6],
        .quantity = field[7],
        .printed = field[8],
        .exact = field[9],
        .unit = field[10],
        .verdict = field[11],
        .note = field[12],
    };
}

static void published_read_file(const char *path, struct nb_text *text,
                                struct published *out)
{
    const char *field[PUBLISHED_COLUMNS];
    assert_int_equal(nb_text_read_file(path, 1 << 20, text, NULL), NB_OK);
    char *next = text->bytes;
    published_read_line(&next, path, field);
    for (size_t i = 0; i < PUBLISHED_COLUMNS; i++)
        assert_string_equal(field[i], names[i]);
    while (*next != '\0') {
        published_read_line(&next, path, field);
        published_add(out, field);
    }
}

/* A verdict that is one of four, a reason where one is due, a number. */
static void published_check_form(const struct published_row *row)
{
    enum { VERDICTS = 4 };
    static const char *const verdicts[VERDICTS] = { "agrees", "explained",
                                                    "disagrees", "pending" };
    size_t verdict = 0;
    while (verdict < VERDICTS && strcmp(row->verdict, verdicts[verdict]) != 0)
        verdict++;
    if (verdict == VERDICTS)
        fail_msg("%s: verdict \"%s\"", row->id, row->verdict);
    if (verdict > 0 && *row->note == '\0')
        fail_msg("%s: %s without a reason", row->id, row->verdict);
    if (*row->printed == '\0' && (verdict > 0 || *row->exact == '\0'))
        fail_msg("%s has no number", row->id);
    if (*row->id == '\0' || *row->table == '\0' || *row->unit == '\0')
        fail_msg("row \"%s\" has an empty field", row->id);
    const char *slash = strstr(row->cell, " / ");
    if (slash == NULL || slash == row->cell || slash[3] == '\0' ||
        strstr(slash + 3, " / ") != NULL)
        fail_msg("%s: cell \"%s\" is not row / column", row->id, row->cell);
}

/* Ids are unique, and cells within a table. */
static void published_check_pair(const struct published_row *first,
                                 const struct published_row *second)
{
    if (strcmp(first->id, second->id) == 0)
        fail_msg("two rows are called %s", first->id);
    if (strcmp(first->cell, second->cell) == 0 &&
        strcmp(first->table, second->table) == 0 &&
        strcmp(first->source, second->source) == 0)
        fail_msg("%s and %s have one cell", first->id, second->id);
}

void published_read(const char *pattern, struct published *out)
{
    glob_t found;
    *out = (struct published){ 0 };
    if (glob(pattern, 0, NULL, &found) != 0)
        fail_msg("nothing at %s", pattern);
    out->files = nb_new_array(found.gl_pathc, sizeof *out->files);
    assert_non_null(out->files);
    out->file_count = found.gl_pathc;
    for (size_t i = 0; i < found.gl_pathc; i++)
        published_read_file(found.gl_pathv[i], &out->files[i], out);
    globfree(&found);
    for (size_t i = 0; i < out->count; i++) {
        published_check_form(&out->rows[i]);
        for (size_t j = 0; j < i; j++)
            published_check_pair(&out->rows[j], &out->rows[i]);
    }
}

void published_release(struct published *published)
{
    for (size_t i = 0; i < published->file_count; i++)
        nb_text_release(&published->files[i]);
    nb_delete(published->files);
    nb_delete(published->rows);
    *published = (struct published){ 0 };
}

bool published_agrees(const char *printed, struct nb_ratio value)
{
    struct nb_ratio number = { 0, 0 };
    if (nb_ratio_read(printed, &number, NULL) != NB_OK)
        fail_msg("\"%s\" is not a number", printed);
    const char *point = strchr(printed, '.');
    int64_t scale = 1;
    for (size_t i = 1; point != NULL && point[i] != '\0'; i++)
        scale *= 10;
    const struct nb_ratio half = nb_ratio_make(1, 2 * (nb_int128)scale);
    return nb_ratio_compare(value, nb_ratio_subtract(number, half)) >= 0 &&
           nb_ratio_compare(value, nb_ratio_add(number, half)) <= 0;
}
