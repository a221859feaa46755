#include "traffic/matrix_blanks.h"

#include <stdlib.h>
#include <string.h>

enum { BLANKS_FLOW = 4, BLANKS_NOXIM = 7 }; /* the most words of a flow */

static const char blanks_all[] = " \t\r";

/* The beginning of the line's text; NULL: it is empty or a comment. */
static const char *blanks_begin(const char *line)
{
    line += strspn(line, blanks_all);
    return strchr("#%\n", *line) != NULL ? NULL : line; /* also '\0' */
}

static const char *blanks_next_line(const char *line)
{
    line += strcspn(line, "\n");
    return *line == '\n' ? line + 1 : NULL;
}

/* Counts the words of a line. */
static size_t blanks_count(const char *line)
{
    size_t count = 0;
    for (line += strspn(line, blanks_all); *line != '\0' && *line != '\n';
         line += strspn(line, blanks_all)) {
        line += strcspn(line, " \t\r\n");
        count++;
    }
    return count;
}

/* Whether a line is a flow of Noxim that makes sense: a positive rate between
 * different terminals. */
static bool blanks_is_flow(const char *line, size_t words, size_t terminals)
{
    unsigned long end[2] = { 0, 0 };
    for (int i = 0; i < 2; i++) {
        line += strspn(line, blanks_all);
        if (strspn(line, "0123456789") != strcspn(line, " \t\r\n"))
            return false;
        end[i] = strtoul(line, NULL, 10);
        line += strcspn(line, " \t\r\n");
    }
    for (size_t i = 2; i < words; i++) {
        line += strspn(line, blanks_all);
        if (strspn(line, "0.") == strcspn(line, " \t\r\n"))
            return false;
        line += strcspn(line, " \t\r\n");
    }
    return words <= BLANKS_FLOW && end[0] < terminals && end[1] < terminals &&
           end[0] != end[1];
}

/* Whether all lines have as many words as there are lines, and not all are
 * flows. */
static bool blanks_is_square(const char *text, size_t words, size_t terminals)
{
    size_t lines = 0;
    bool are_flows = true;
    for (const char *line = text; line != NULL; line = blanks_next_line(line)) {
        const char *begin = blanks_begin(line);
        if (begin == NULL)
            continue;
        if (blanks_count(begin) != words)
            return false;
        are_flows = are_flows && blanks_is_flow(begin, words, terminals);
        lines++;
    }
    return lines == words && !are_flows;
}

bool nb_matrix_has_blanks(const char *text, size_t terminals, size_t routers,
                          bool is_table)
{
    const char *line = text;
    while (line != NULL && blanks_begin(line) == NULL)
        line = blanks_next_line(line);
    if (line == NULL || memchr(line, ',', strcspn(line, "\n")) != NULL ||
        *blanks_begin(line) == '"')
        return false;
    const size_t words = blanks_count(line);
    if (!is_table)
        return words > 1;
    return words > BLANKS_NOXIM || ((words == terminals || words == routers) &&
                                    blanks_is_square(text, words, terminals));
}

void nb_matrix_put_commas(char *text)
{
    while (*text != '\0') {
        char *end = text + strcspn(text, "\n");
        if (blanks_begin(text) == NULL)
            memset(text, ' ', (size_t)(end - text));
        text += strspn(text, blanks_all);
        while (text < end) {
            char *gap = text + strcspn(text, " \t\r\n");
            text = gap + strspn(gap, blanks_all);
            if (text < end)
                *gap = ',';
        }
        text = *end == '\n' ? end + 1 : end;
    }
}
