#include "core/lines.h"

#include "core/locale.h"
#include "core/store.h"
#include "core/try.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINES_HEADER = 256 }; /* longest header */

size_t nb_lines_mark(const char *bytes)
{
    return strncmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

bool nb_lines_are_wide(const char *bytes)
{
    return strncmp(bytes, "\xFF\xFE", 2) == 0 ||
           strncmp(bytes, "\xFE\xFF", 2) == 0;
}

enum nb_status nb_lines_begin(struct nb_lines *lines, const char *path,
                              char comment, char *bytes, size_t length,
                              struct nb_error *err)
{
    const size_t first_zero = strlen(bytes);
    lines->path = nb_file_name(path);
    lines->comment = comment;
    lines->next = bytes + nb_lines_mark(bytes);
    lines->number = 0;
    if (nb_lines_are_wide(bytes))
        return nb_fail(err, NB_INVALID,
                       "%.200s: it is UTF-16 (permitted: text in UTF-8; save "
                       "it as UTF-8)",
                       lines->path);
    if (first_zero == length)
        return NB_OK;
    return nb_fail(err, NB_INVALID, "%.200s: byte %zu is 0 (permitted: text)",
                   lines->path, first_zero);
}

enum nb_status nb_lines_open(struct nb_lines *lines, const char *path,
                             char comment, size_t limit, struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_store_read(path, limit, &lines->text, err));
    NB_TRY(nb_lines_begin(lines, path, comment, lines->text.bytes,
                          lines->text.length, err));
done:
    return status;
}

void nb_lines_close(struct nb_lines *lines)
{
    nb_text_release(&lines->text);
    *lines = (struct nb_lines){ 0 };
}

char *nb_lines_next(struct nb_lines *lines)
{
    while (*lines->next != '\0') {
        char *line = lines->next;
        char *end = line + strcspn(line, "\n");
        const char *blanks = lines->comment != '\0' ? " \t\r" : "\r";
        lines->next = *end != '\0' ? end + 1 : end;
        lines->number++;
        line += lines->comment != '\0' ? strspn(line, blanks) : 0;
        while (end > line && strchr(blanks, end[-1]) != NULL)
            end--;
        *end = '\0';
        if (lines->comment == '\0' ||
            (*line != '\0' && *line != lines->comment))
            return line;
    }
    return NULL;
}

enum nb_status nb_lines_fail(const struct nb_lines *lines,
                             enum nb_status status, struct nb_error *err,
                             const char *format, ...)
{
    char message[400];
    va_list values;
    va_start(values, format);
    nb_vsnprintf(message, sizeof message, format, values);
    va_end(values);
    if (lines->number == 0)
        return nb_fail(err, status, "%.200s: %s", lines->path, message);
    return nb_fail(err, status, "%.200s:%zu: %s", lines->path, lines->number,
                   message);
}

size_t nb_lines_count(const char *line)
{
    size_t count = 1;
    bool is_quoted = false;
    for (; *line != '\0'; line++) {
        is_quoted ^= *line == '"';
        count += *line == ',' && !is_quoted;
    }
    return count;
}

/* Ends a quoted cell at the closing quote and unescapes the quotes in it;
 * returns what follows, NULL if no quote closes it. */
static char *lines_unquote(char *cell)
{
    char *from = cell, *to = cell;
    for (; *from != '\0'; from++) {
        if (*from == '"' && *++from != '"') {
            *to = '\0';
            return from;
        }
        *to++ = *from;
    }
    return NULL;
}

enum nb_status nb_lines_cell(const struct nb_lines *lines, char **rest,
                             const char **cell, struct nb_error *err)
{
    const char *blanks = lines->comment != '\0' ? " \t" : "";
    char *begin = *rest + strspn(*rest, blanks);
    char *last = NULL; /* may be followed by blanks */
    if (*begin == '"') {
        char *after = lines_unquote(++begin);
        if (after == NULL)
            return nb_lines_fail(lines, NB_INVALID, err,
                                 "a quote is not closed");
        *rest = after + strspn(after, blanks);
    } else {
        *rest = last = begin + strcspn(begin, ",\"");
        while (last > begin && strchr(blanks, last[-1]) != NULL)
            last--;
    }
    if (**rest != ',' && **rest != '\0')
        return nb_lines_fail(lines, NB_INVALID, err,
                             "a quote within a field is not permitted "
                             "(permitted: \"...\" around it, \"\" inside)");
    *rest = **rest == ',' ? *rest + 1 : NULL;
    if (last != NULL)
        *last = '\0';
    *cell = begin;
    return NB_OK;
}

enum nb_status nb_lines_cut(const struct nb_lines *lines, char *line,
                            const char *columns, const char **cell,
                            struct nb_error *err)
{
    const size_t count = nb_lines_count(columns), found = nb_lines_count(line);
    enum nb_status status = NB_OK;
    if (found != count + lines->names)
        return nb_lines_fail(lines, NB_INVALID, err,
                             "%zu values are not permitted (permitted: %zu, "
                             "%s)",
                             found, count, columns);
    for (size_t i = 0; i < count && line != NULL; i++)
        NB_TRY(nb_lines_cell(lines, &line, &cell[i], err));
done:
    return status;
}

/* Whether a column holds names that belong to another column. */
static bool lines_is_name(const char *column)
{
    static const char ending[] = "_name";
    const size_t length = strlen(column), tail = sizeof ending - 1;
    return length > tail && strcmp(column + length - tail, ending) == 0;
}

bool nb_lines_is_header(struct nb_lines *lines, const char *line,
                        const char *columns)
{
    char copy[LINES_HEADER], *rest = copy;
    const char *cell, *name = columns;
    size_t names = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (; rest != NULL; name += name[0] == ',') {
        const size_t length = strcspn(name, ",");
        if (nb_lines_cell(lines, &rest, &cell, NULL) != NB_OK)
            return false;
        names += *name == '\0';
        if (*name == '\0'
                ? !lines_is_name(cell)
                : strlen(cell) != length || strncmp(cell, name, length) != 0)
            return false;
        name += length;
    }
    lines->names = names;
    return *name == '\0';
}

enum nb_status nb_lines_header(struct nb_lines *lines, const char *columns,
                               struct nb_error *err)
{
    const char *line = nb_lines_next(lines);
    if (line == NULL)
        return nb_fail(err, NB_INVALID,
                       "%.200s: it is empty (permitted: the header %s and "
                       "lines of it)",
                       lines->path, columns);
    if (!nb_lines_is_header(lines, line, columns))
        return nb_lines_fail(lines, NB_INVALID, err,
                             "header \"%.60s\" is not permitted (permitted: "
                             "%s)",
                             line, columns);
    return NB_OK;
}

char *nb_lines_word(char **rest, const char *separators)
{
    char *word = *rest + strspn(*rest, separators);
    char *end = word + strcspn(word, separators);
    *rest = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return *word != '\0' ? word : NULL;
}

enum nb_status nb_lines_whole(const struct nb_lines *lines, const char *what,
                              const char *kind, const char *text, int64_t least,
                              int64_t most, int64_t *out, struct nb_error *err)
{
    if (nb_integer_read(text, what, least, most, out, NULL) == NB_OK)
        return NB_OK;
    return nb_lines_fail(lines, NB_INVALID, err,
                         "%s \"%.60s\" is not permitted (permitted: %s from "
                         "%" PRId64 " to %" PRId64 ")",
                         what, text, kind, least, most);
}
