#include "questions/ledger/published.h"

#include "core/lines.h"
#include "core/memory.h"
#include "core/store.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { PUBLISHED_BYTES = 1 << 24, PUBLISHED_PLACES = 17 };
enum { PUBLISHED_TENS = 300 };

const char *const nb_verdict_names[] = { "agrees",    "explained", "consistent",
                                         "disagrees", "pending",   "given" };

enum nb_status nb_published_fail(const struct nb_published_row *row,
                                 enum nb_status status, const char *message,
                                 struct nb_error *err)
{
    return nb_fail(err, status == NB_NO_MEMORY ? NB_NO_MEMORY : NB_INVALID,
                   "%s:%zu: row %.60s: %s", row->file, row->line, row->id,
                   message);
}

bool nb_row_is_reference(const struct nb_published_row *row)
{
    return *row->printed == '\0';
}

/* The length of a decimal, with or without a point; 0: none. */
static size_t row_digits(const char *text)
{
    static const char digits[] = "0123456789";
    const size_t sign = *text == '-';
    size_t length = strspn(text + sign, digits);
    if (length > 0 && text[sign + length] == '.')
        length += 1 + strspn(text + sign + length + 1, digits);
    return length > 0 ? sign + length : 0;
}

/* Reads "e-17", or nothing. */
static bool row_read_tens(const char *text, int *tens)
{
    int64_t power;
    *tens = 0;
    if (*text == '\0')
        return true;
    if (*text != 'e' || nb_integer_read(text + 1, "power", -PUBLISHED_TENS,
                                        PUBLISHED_TENS, &power, NULL) != NB_OK)
        return false;
    *tens = (int)power;
    return true;
}

/* Reads a decimal, times 10^tens if it ends in e and a number, and its scale:
 * the inverse of its last digit's unit. Returns false if it is not a decimal,
 * or too long. */
static bool row_read_decimal(const char *text, struct nb_printed *out,
                             nb_int128 *scale)
{
    enum { LONGEST = 40 };
    char digits[LONGEST + 1] = "";
    const size_t length = row_digits(text);
    const char *point = memchr(text, '.', length);
    const size_t places =
        point != NULL ? (size_t)(text + length - point - 1) : 0;
    *scale = 1;
    if (length == 0 || length > LONGEST || places > PUBLISHED_PLACES ||
        !row_read_tens(text + length, &out->tens))
        return false;
    memcpy(digits, text, length);
    if (nb_ratio_read(digits, &out->value, NULL) != NB_OK)
        return false;
    out->places = (int)places;
    for (size_t i = 0; i < places; i++)
        *scale *= 10;
    return true;
}

/* Reads a decimal, a ratio or infinity; returns false for anything else. */
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

enum nb_status nb_reading_row(const struct nb_published_row *row,
                              const struct nb_reading *reading,
                              struct nb_text texts[NB_READING_COLUMNS],
                              struct nb_published_row *out,
                              struct nb_error *err)
{
    const char **const columns[NB_READING_COLUMNS] = {
        &out->topology, &out->routing, &out->traffic, &out->quantity
    };
    const bool is_bound =
        reading->test == NB_READING_ABOVE || reading->test == NB_READING_BELOW;
    *out = *row;
    const enum nb_status status = nb_reading_columns(reading, texts, err);
    for (size_t i = 0; i < NB_READING_COLUMNS && status == NB_OK; i++) {
        if (texts[i].bytes == NULL)
            continue;
        *columns[i] = texts[i].bytes;
        if (columns[i] == &out->quantity && !is_bound)
            out->unit = "";
    }
    return status;
}

/* Reads a number, or a word to which the check gives a number. */
static enum nb_status row_read_printed(const struct nb_lines *line,
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
        return nb_lines_fail(line, NB_INVALID, err,
                             "printed \"%.60s\" is a number and its check has "
                             "\"as\" (permitted: only for a word)",
                             text);
    if (word != NULL)
        memcpy(number, word, strnlen(word, LONGEST));
    number[strcspn(number, "; |")] = '\0';
    if (row_read_number(number, out))
        return NB_OK;
    return nb_lines_fail(
        line, NB_INVALID, err,
        "printed \"%.60s\" is not permitted (permitted: a "
        "decimal of up to 17 digits such as 0.25 or 2.5e-9, p/q, inf, a "
        "word whose check has \"as NUMBER\", or nothing)",
        text);
}

/* Reads first digits, as in "0.140...", which any digits may follow, or an
 * exact value. */
static enum nb_status row_read_exact(const struct nb_lines *line,
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
    return nb_lines_fail(line, NB_INVALID, err,
                         "exact \"%.60s\" is not permitted (permitted: p/q, p, "
                         "inf, first digits such as 0.14088..., or nothing)",
                         text);
}

static enum nb_status row_read_verdict(const struct nb_lines *line,
                                       const char *text, enum nb_verdict *out,
                                       struct nb_error *err)
{
    for (int i = 0; i < NB_VERDICTS; i++)
        if (strcmp(text, nb_verdict_names[i]) == 0) {
            *out = (enum nb_verdict)i;
            return NB_OK;
        }
    return nb_lines_fail(line, NB_INVALID, err,
                         "verdict \"%.60s\" is not permitted (permitted: "
                         "agrees, explained, consistent, disagrees, pending, "
                         "given)",
                         text);
}

/* A verdict needs a printed number and, unless it agrees, a reason; an
 * explanation needs a check. Reference values are in tables of their own; rows
 * that only serve quotients need a note but no value there. */
static enum nb_status row_check_verdict(const struct nb_lines *line,
                                        const struct nb_published_row *row,
                                        struct nb_error *err)
{
    const char *name = nb_verdict_names[row->expected];
    const bool is_reference_table = strncmp(row->table, NB_REFERENCE_TABLE,
                                            strlen(NB_REFERENCE_TABLE)) == 0;
    if (nb_row_is_reference(row) != is_reference_table)
        return nb_lines_fail(
            line, NB_INVALID, err,
            "printed \"%.40s\" in table \"%.60s\" is not "
            "permitted (permitted: nothing in tables \"" NB_REFERENCE_TABLE
            "...\", and only there)",
            row->printed, row->table);
    if (*row->printed == '\0' && row->expected != NB_VERDICT_AGREES)
        return nb_lines_fail(line, NB_INVALID, err,
                             "nothing is printed (permitted: a number with "
                             "verdict %s)",
                             name);
    if (*row->printed == '\0' && *row->exact == '\0' && *row->note == '\0')
        return nb_lines_fail(line, NB_INVALID, err,
                             "neither printed nor exact is given (permitted: "
                             "either or both; or a note of its purpose)");
    if (*row->note == '\0' && row->expected != NB_VERDICT_AGREES)
        return nb_lines_fail(line, NB_INVALID, err,
                             "no reason is given (permitted: a note with "
                             "verdict %s)",
                             name);
    if (row->expected == NB_VERDICT_EXPLAINED && row->reading_count == 0)
        return nb_lines_fail(line, NB_INVALID, err,
                             "no check is given (permitted: with verdict %s, "
                             "what the ledger does to show it)",
                             name);
    if (row->expected == NB_VERDICT_GIVEN &&
        (*row->topology != '\0' || *row->routing != '\0' ||
         *row->traffic != '\0' || row->reading_count > 0))
        return nb_lines_fail(line, NB_INVALID, err,
                             "it names what could be computed (permitted: "
                             "with verdict %s, neither topology, routing nor "
                             "traffic, and no reading)",
                             name);
    return NB_OK;
}

/* Checks that a cell has two labels and one divider. */
static enum nb_status row_check_cell(const struct nb_lines *line,
                                     const char *cell, struct nb_error *err)
{
    const char *divider = strstr(cell, NB_CELL_DIVIDER);
    if (divider != NULL && divider > cell) {
        const char *column = divider + strlen(NB_CELL_DIVIDER);
        if (*column != '\0' && strstr(column, NB_CELL_DIVIDER) == NULL)
            return NB_OK;
    }
    return nb_lines_fail(line, NB_INVALID, err,
                         "cell \"%.60s\" is not permitted (permitted: ROW / "
                         "COLUMN)",
                         cell);
}

/* The columns, in the order of the files. Few rows have a check; files and
 * lines may leave it out. */
#define ROW(column) offsetof(struct nb_published_row, column)
static const struct {
    const char *name;
    size_t text; /* offset in the row */
    bool is_needed;
} row_columns[] = {
    { "id", ROW(id), true },
    { "source", ROW(source), true },
    { "table", ROW(table), true },
    { "cell", ROW(cell), false },
    { "topology", ROW(topology), false },
    { "routing", ROW(routing), false },
    { "traffic", ROW(traffic), false },
    { "quantity", ROW(quantity), true },
    { "printed", ROW(printed), false },
    { "exact", ROW(exact), false },
    { "unit", ROW(unit), true },
    { "verdict", ROW(verdict), false },
    { "note", ROW(note), false },
    { "check", ROW(check), false },
};
enum {
    ROW_COLUMNS = sizeof row_columns / sizeof *row_columns,
    ROW_NEEDED = ROW_COLUMNS - 1,
};

/* Cuts the next line into fields, in place, and refuses control characters;
 * *count 0: there is no line. */
static enum nb_status row_cut(struct nb_lines *line, const char **field,
                              size_t *count, struct nb_error *err)
{
    char *rest = nb_lines_next(line);
    enum nb_status status = NB_OK;
    *count = 0;
    for (const char *c = rest; c != NULL && *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return nb_lines_fail(line, NB_INVALID, err,
                                 "a control character is not permitted");
    while (rest != NULL) {
        const char *text;
        NB_TRY(nb_lines_cell(line, &rest, &text, err));
        if (*count < ROW_COLUMNS)
            field[*count] = text;
        ++*count;
    }
done:
    return status;
}

/* Begins a file, whose text is cut in place, and reads its header. */
static enum nb_status row_start(struct nb_lines *line,
                                struct nb_published_file *file,
                                struct nb_error *err)
{
    const char *field[ROW_COLUMNS];
    size_t count;
    enum nb_status status;
    NB_TRY(nb_lines_begin(line, file->path, '\0', file->text.bytes,
                          file->text.length, err));
    NB_TRY(row_cut(line, field, &count, err));
    for (size_t i = 0; i < ROW_COLUMNS && (i < count || i < ROW_NEEDED); i++)
        if (i >= count || strcmp(field[i], row_columns[i].name) != 0)
            NB_TRY(nb_lines_fail(line, NB_INVALID, err,
                                 "column %zu is \"%.40s\" (permitted: \"%s\")",
                                 i + 1, i < count ? field[i] : "",
                                 row_columns[i].name));
    if (count > ROW_COLUMNS)
        NB_TRY(nb_lines_fail(line, NB_INVALID, err,
                             "%zu columns are not permitted (permitted: %d)",
                             count, ROW_COLUMNS));
done:
    return status;
}

/* Reads a row from the fields of a line. */
static enum nb_status row_read(const struct nb_lines *line,
                               const char *const *field,
                               struct nb_published_row *out,
                               struct nb_error *err)
{
    const char *word;
    enum nb_status status = NB_OK;
    *out =
        (struct nb_published_row){ .file = line->path, .line = line->number };
    for (size_t i = 0; i < ROW_COLUMNS; i++) {
        if (row_columns[i].is_needed && *field[i] == '\0')
            NB_TRY(nb_lines_fail(line, NB_INVALID, err, "%s is empty",
                                 row_columns[i].name));
        memcpy((char *)out + row_columns[i].text, &field[i], sizeof field[i]);
    }
    NB_TRY(row_check_cell(line, out->cell, err));
    NB_TRY(row_read_verdict(line, out->verdict, &out->expected, err));
    NB_TRY(nb_readings_read(line, out->check, out->readings,
                            &out->reading_count, &word, err));
    NB_TRY(row_read_printed(line, out->printed, word, &out->rounded, err));
    NB_TRY(row_read_exact(line, out->exact, &out->reference, err));
    NB_TRY(row_check_verdict(line, out, err));
done:
    return status;
}

/* Reads the next line's row; is_there: out, false after the last. */
static enum nb_status row_next(struct nb_lines *line,
                               struct nb_published_row *out, bool *is_there,
                               struct nb_error *err)
{
    const char *field[ROW_COLUMNS];
    size_t count;
    const enum nb_status status = row_cut(line, field, &count, err);
    *is_there = status == NB_OK && count > 0;
    if (!*is_there)
        return status;
    if (count < ROW_NEEDED || count > ROW_COLUMNS)
        return nb_lines_fail(line, NB_INVALID, err,
                             "%zu fields are not permitted (permitted: %d, or "
                             "%d with a check)",
                             count, ROW_NEEDED, ROW_COLUMNS);
    if (count == ROW_NEEDED)
        field[ROW_NEEDED] = "";
    return row_read(line, field, out, err);
}

/* Checks that ids are unique, and cells within their table. */
static enum nb_status published_check_pair(const struct nb_lines *line,
                                           const struct nb_published_row *first,
                                           const struct nb_published_row *row,
                                           struct nb_error *err)
{
    if (strcmp(first->id, row->id) == 0)
        return nb_lines_fail(line, NB_INVALID, err,
                             "id \"%.60s\" is repeated (permitted: once)",
                             row->id);
    if (strcmp(first->cell, row->cell) == 0 &&
        strcmp(first->table, row->table) == 0 &&
        strcmp(first->source, row->source) == 0)
        return nb_lines_fail(line, NB_INVALID, err,
                             "cell \"%.60s\" of \"%.60s\" is repeated "
                             "(permitted: once)",
                             row->cell, row->table);
    return NB_OK;
}

static enum nb_status published_add(const struct nb_lines *line,
                                    const struct nb_published_row *row,
                                    struct nb_published *out,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < out->count; i++)
        NB_TRY(published_check_pair(line, &out->rows[i], row, err));
    NB_TRY(nb_grow(&out->rows, out->count + 1, sizeof *row, "rows", err));
    out->rows[out->count++] = *row;
done:
    return status;
}

static enum nb_status published_read_file(const char *folder, const char *name,
                                          struct nb_published *out,
                                          struct nb_error *err)
{
    struct nb_text path = { 0 };
    struct nb_lines line = { 0 };
    struct nb_published_row row;
    bool is_there;
    enum nb_status status;
    nb_text_print(&path, "%s/%s", folder, name);
    NB_TRY(nb_text_check(&path, err));
    NB_TRY(nb_grow(&out->files, out->file_count + 1, sizeof *out->files,
                   "files", err));
    struct nb_published_file *file = &out->files[out->file_count++];
    *file = (struct nb_published_file){ .path = path.bytes };
    path = (struct nb_text){ 0 };
    NB_TRY(nb_store_read(file->path, PUBLISHED_BYTES, &file->text, err));
    NB_TRY(row_start(&line, file, err));
    NB_TRY(row_next(&line, &row, &is_there, err));
    while (is_there) {
        NB_TRY(published_add(&line, &row, out, err));
        NB_TRY(row_next(&line, &row, &is_there, err));
    }
done:
    nb_text_release(&path);
    return status;
}

static int published_is_csv(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 4 &&
           strcmp(entry->d_name + length - 4, ".csv") == 0;
}

static int published_by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

const char *nb_program_path(void)
{
    static const char own[] = "/proc/self/exe";
    const char *started = (const char *)getauxval(AT_EXECFN);
    return access(own, F_OK) == 0 || started == NULL ? own : started;
}

/* Appends the path of folder in the data installed above file, if that
 * exists. */
static void published_above(const char *file, const char *folder,
                            struct nb_text *out)
{
    size_t length = strlen(file);
    for (int i = 0; i < 3 && length > 0 && out->bytes == NULL; i++) {
        while (length > 0 && file[--length] != '/')
            ;
        nb_text_print(out, "%.*s/share/netbound/%s", (int)length, file, folder);
        if (nb_text_check(out, NULL) == NB_OK && access(out->bytes, F_OK) != 0)
            nb_text_release(out);
    }
}

enum nb_status nb_published_find(const char *folder, struct nb_text *out,
                                 struct nb_error *err)
{
    if (strcmp(folder, NB_PUBLISHED) == 0 && access(folder, F_OK) != 0) {
        char program[PATH_MAX];
        Dl_info library; /* of the file that contains this text */
        if (dladdr(NB_PUBLISHED, &library) != 0 && library.dli_fname != NULL &&
            library.dli_fname[0] == '/')
            published_above(library.dli_fname, folder, out);
        if (out->bytes == NULL && realpath(nb_program_path(), program) != NULL)
            published_above(program, folder, out);
    }
    if (out->bytes == NULL)
        nb_text_print(out, "%s", folder);
    return nb_text_check(out, err);
}

enum nb_status nb_published_read(const char *folder, struct nb_published *out,
                                 struct nb_error *err)
{
    struct dirent **entries = NULL;
    enum nb_status status = NB_OK;
    *out = (struct nb_published){ 0 };
    const int count =
        scandir(folder, &entries, published_is_csv, published_by_name);
    if (count < 0)
        return nb_fail(err, NB_IO,
                       "cannot read the published numbers in \"%.200s\": %s "
                       "(give their folder with --data DIR)",
                       folder, strerror(errno));
    if (count == 0)
        status = nb_fail(err, NB_INVALID,
                         "\"%.200s\" has no file *.csv (give the folder of "
                         "the published numbers with --data DIR)",
                         folder);
    for (int i = 0; i < count; i++) {
        if (status == NB_OK)
            status = published_read_file(folder, entries[i]->d_name, out, err);
        free(entries[i]);
    }
    free(entries);
    if (status != NB_OK)
        nb_published_release(out);
    return status;
}

void nb_published_release(struct nb_published *published)
{
    for (size_t i = 0; i < published->file_count; i++) {
        nb_delete(published->files[i].path);
        nb_text_release(&published->files[i].text);
    }
    nb_delete(published->files);
    nb_delete(published->rows);
    *published = (struct nb_published){ 0 };
}
