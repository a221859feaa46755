#include "topology/edge_words.h"

#include "core/locale.h"
#include "core/try.h"

#include <stdint.h>
#include <string.h>

static const char words_blanks[] = " \t\r\f\v";

bool nb_edge_is_any(const char *word, const char *list)
{
    const size_t length = strlen(word);
    for (; *list != '\0'; list += strcspn(list, " "), list += *list == ' ')
        if (strcspn(list, " ") == length &&
            nb_is_same_start(list, word, length))
            return true;
    return false;
}

bool nb_edge_is_sign(const char *word)
{
    return nb_edge_is_any(word, "-> -- <-> <- => - = : | ;") ||
           (*word == '[' && strchr(word, ']') == NULL);
}

bool nb_edge_is_plain(const char *name)
{
    return *name != '\0' && !nb_edge_is_sign(name) &&
           strchr("#%({\"", *name) == NULL && strncmp(name, "//", 2) != 0 &&
           strpbrk(name, " \t,\r\n\f\v") == NULL &&
           !nb_edge_is_any(name, NB_EDGE_SOURCES) &&
           !nb_edge_is_any(name, NB_EDGE_TARGETS);
}

static bool words_is_blank(char c)
{
    return c != '\0' && strchr(words_blanks, c) != NULL;
}

/* The longest name in quotes or brackets; a limit keeps the time for a line of
 * opening brackets short. */
enum { WORDS_NAME = 256 };

/* What follows a quoted text or balanced brackets that begin here, or a single
 * other character; NULL: they are not closed, or take more than most bytes. */
static char *words_pass(char *at, size_t most)
{
    const char *begin = at;
    size_t depth = 0;
    do {
        const char open = *at++;
        if (open == '"' || open == '\'') {
            for (; *at != open; at++) {
                at += *at == '\\' && at[1] != '\0';
                if (*at == '\0' || (size_t)(at - begin) > most)
                    return NULL;
            }
            at++;
        } else if (strchr("([{", open) != NULL) {
            depth++;
        } else {
            depth -= depth > 0 && strchr(")]}", open) != NULL;
        }
        if (depth > 0 && (*at == '\0' || (size_t)(at - begin) > most))
            return NULL;
    } while (depth > 0);
    return at;
}

/* Cuts off a comment. A # within quotes or {...} begins none, unless something
 * before it is not closed. */
static void words_cut_comment(char *line)
{
    bool are_closed = true;
    for (char *at = line; *at != '\0';) {
        const bool is_first = at == line || words_is_blank(at[-1]) ||
                              at[-1] == ',' || at[-1] == '"';
        char *end = NULL;
        if (is_first && are_closed && (*at == '"' || *at == '{')) {
            end = words_pass(at, SIZE_MAX);
            are_closed = end != NULL;
        }
        if (is_first && *at == '#' && (at == line || at[-1] != '"'))
            *at = '\0';
        else
            at = end != NULL ? end : at + 1;
    }
    size_t length = strlen(line);
    while (length > 0 && words_is_blank(line[length - 1]))
        line[--length] = '\0';
}

/* Cuts off {...} at the end of a line; NULL: there is none. */
static char *words_cut_attributes(char *line)
{
    const size_t length = strlen(line);
    char *begin = strchr(line, '{');
    if (begin == NULL || begin == line || line[length - 1] != '}' ||
        (!words_is_blank(begin[-1]) && begin[-1] != ','))
        return NULL;
    begin[-1] = '\0';
    return begin;
}

/* The end of a quoted word or a pair that begins here; NULL: neither does. */
static char *words_closed_end(char *at, const char *separators)
{
    char *end = *at == '(' || *at == '"' ? words_pass(at, WORDS_NAME) : NULL;
    return end != NULL && (*end == '\0' || strchr(separators, *end) != NULL)
               ? end
               : NULL;
}

static char *words_end(char *at, const char *separators)
{
    char *end = words_closed_end(at, separators);
    return end != NULL ? end : at + strcspn(at, separators);
}

/* Whether a comma stands outside quoted words and pairs. */
static bool words_has_comma(char *line)
{
    for (line += strspn(line, words_blanks); *line != '\0';
         line += strspn(line, words_blanks)) {
        char *end = words_end(line, words_blanks);
        if (words_closed_end(line, words_blanks) == NULL &&
            memchr(line, ',', (size_t)(end - line)) != NULL)
            return true;
        line = end;
    }
    return false;
}

static size_t words_count_commas(const char *begin, const char *end)
{
    size_t count = 0;
    for (; begin < end; begin++)
        count += *begin == ',';
    return count;
}

/* Whether commas, not blanks, separate the words of a line. */
static bool words_has_cells(char *line)
{
    char *first = line + strspn(line, words_blanks);
    char *end = words_end(first, words_blanks);
    char *second = end + strspn(end, words_blanks);
    char *last = words_end(second, words_blanks);
    if (!words_has_comma(line))
        return false;
    if (*second == '\0' || *second == ',' || (last > second && last[-1] == ','))
        return true;
    const size_t commas = words_count_commas(first, end);
    return end[-1] == ',' || commas == 0 ||
           commas != words_count_commas(second, last);
}

/* Removes the quotes around a word. */
static char *words_bare(char *word)
{
    const size_t length = strlen(word);
    if (length < 2 || *word != '"' || word[length - 1] != '"')
        return word;
    word[length - 1] = '\0';
    return word + 1;
}

/* Cuts off a word; NULL: none is left. */
static char *words_take(char **rest, const char *separators)
{
    char *word = *rest + strspn(*rest, separators);
    if (*word == '\0')
        return NULL;
    char *end = words_end(word, separators);
    *rest = *end == '\0' ? end : end + 1;
    *end = '\0';
    return words_bare(word);
}

char *nb_edge_word(char **rest)
{
    return words_take(rest, " \t,\r\f\v");
}

static void words_add(struct nb_edge_words *out, const char *word)
{
    if (out->count < NB_EDGE_WORDS)
        out->word[out->count] = word;
    out->count++;
}

/* Cuts a line at tabs; blanks around words are removed. */
static void words_cut_tabs(char *line, struct nb_edge_words *out)
{
    for (char *word; (word = nb_lines_word(&line, "\t")) != NULL;) {
        size_t length;
        word += strspn(word, words_blanks);
        for (length = strlen(word);
             length > 0 && words_is_blank(word[length - 1]); length--)
            word[length - 1] = '\0';
        if (length > 0)
            words_add(out, words_bare(word));
    }
}

/* The comma behind a cell that begins here; NULL: none follows. Commas of a
 * pair such as (0, 1) are within it. */
static char *words_cell_comma(char *begin)
{
    char *end = *begin == '(' ? words_pass(begin, WORDS_NAME) : NULL;
    if (end != NULL)
        end += strspn(end, words_blanks);
    return end == NULL || (*end != '\0' && *end != ',') ? strchr(begin, ',')
           : *end == ','                                ? end
                                                        : NULL;
}

/* Cuts off a cell; a quote within it stands for itself. */
static enum nb_status words_cut_cell(const struct nb_lines *lines, char **rest,
                                     const char **cell, struct nb_error *err)
{
    char *begin = *rest + strspn(*rest, words_blanks);
    char *comma = words_cell_comma(begin);
    if (*begin == '"')
        return nb_lines_cell(lines, rest, cell, err);
    *rest = comma != NULL ? comma + 1 : NULL;
    if (comma != NULL)
        *comma = '\0';
    size_t length = strlen(begin);
    while (length > 0 && words_is_blank(begin[length - 1]))
        begin[--length] = '\0';
    *cell = begin;
    return NB_OK;
}

/* Whether a line is two names and a number with a decimal comma: its parts at
 * the comma would be names. */
static bool words_is_decimal_comma(const char *line)
{
    static const char digits[] = "0123456789";
    for (int i = 0; i < 2; i++) {
        line += strspn(line, words_blanks);
        const size_t length = strcspn(line, " \t\r\f\v,\"");
        line += length;
        if (length == 0 || !words_is_blank(*line))
            return false;
    }
    line += strspn(line, words_blanks);
    const size_t whole = strspn(line, digits);
    if (whole == 0 || line[whole] != ',')
        return false;
    line += whole + 1;
    const size_t fraction = strspn(line, digits);
    return fraction > 0 && line[fraction] == '\0';
}

enum nb_status nb_edge_words_cut(const struct nb_lines *lines, char *line,
                                 struct nb_edge_words *out,
                                 struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_edge_words){ 0 };
    words_cut_comment(line);
    out->attributes = words_cut_attributes(line);
    if (strchr(line, '\t') != NULL) {
        words_cut_tabs(line, out);
    } else if (!words_has_cells(line)) {
        for (char *word; (word = words_take(&line, words_blanks)) != NULL;)
            words_add(out, word);
    } else if (words_is_decimal_comma(line)) {
        return nb_lines_fail(lines, NB_INVALID, err,
                             "\"%.60s\" has a decimal comma (permitted: a "
                             "decimal point; names with blanks before a comma "
                             "in quotes)",
                             line);
    } else {
        while (line != NULL) {
            const char *cell;
            NB_TRY(words_cut_cell(lines, &line, &cell, err));
            words_add(out, cell);
        }
    }
done:
    return status;
}

/* Removes the quotes of a text that ends at `end`. */
static const char *words_unquote(char *begin, char *end)
{
    *end = '\0';
    while (end > begin && words_is_blank(end[-1]))
        *--end = '\0';
    if (end > begin + 1 && (*begin == '"' || *begin == '\'') &&
        end[-1] == *begin) {
        end[-1] = '\0';
        begin++;
    }
    return begin;
}

enum nb_status nb_edge_attribute(const struct nb_lines *lines, char **at,
                                 const char **name, const char **value,
                                 struct nb_error *err)
{
    char *begin = *at + strspn(*at, "{, \t");
    *name = NULL;
    if (*begin == '}' || *begin == '\0')
        return NB_OK;
    char *colon =
        *begin == '"' || *begin == '\'' ? words_pass(begin, SIZE_MAX) : NULL;
    if (colon != NULL)
        colon += strspn(colon, words_blanks);
    char *text = NULL, *end = NULL;
    if (colon != NULL && *colon == ':') {
        text = colon + 1 + strspn(colon + 1, words_blanks);
        for (end = text;
             end != NULL && *end != '\0' && *end != ',' && *end != '}';)
            end = words_pass(end, SIZE_MAX);
    }
    if (end == NULL || *end == '\0')
        return nb_lines_fail(lines, NB_INVALID, err,
                             "attributes \"%.60s\" are not permitted "
                             "(permitted: {'NAME': VALUE, ...})",
                             *at);
    const bool is_last = *end == '}';
    *at = is_last ? end : end + 1;
    *value = words_unquote(text, end);
    *name = words_unquote(begin, colon);
    return NB_OK;
}
