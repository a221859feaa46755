#include "cli/terminal.h"

#include "core/ranks.h"
#include "report/wrap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TERMINAL_NO_COLOR, TERMINAL_COLUMNS, TERMINAL_WIDTH, TERMINAL_TERM };

/* Characters per line: if the terminal does not say, and limits of COLUMNS. */
enum { WIDTH_USUAL = 80, WIDTH_LEAST = 20, WIDTH_MOST = 10000 };

const struct nb_variable nb_variables[] = {
    [TERMINAL_NO_COLOR] = { "NO_COLOR", "if not empty: no colours" },
    [TERMINAL_COLUMNS] = { "NETBOUND_COLUMNS",
                           "aligned or tabs: layout of text; default: aligned "
                           "on a terminal or with --format text, else tabs" },
    [TERMINAL_WIDTH] = { "COLUMNS",
                         "width of aligned text, at least 20; default: the "
                         "terminal's width, else unlimited" },
    [TERMINAL_TERM] = { "TERM", "if unset or dumb: no colours" },
    { 0 },
};

/* The variable's value; "" if it is unset. */
static const char *terminal_value(int variable)
{
    const char *value = getenv(nb_variables[variable].name);
    return value != NULL ? value : "";
}

static bool terminal_is(int file)
{
    return !nb_ranks_are_started() && isatty(file);
}

static bool terminal_has_colours(int file)
{
    const char *kind = terminal_value(TERMINAL_TERM);
    return terminal_is(file) && *terminal_value(TERMINAL_NO_COLOR) == '\0' &&
           *kind != '\0' && strcmp(kind, "dumb") != 0;
}

/* Columns of the terminal on standard output; 0: not a terminal, or unknown. */
static size_t terminal_width(void)
{
    struct winsize size = { 0 };
    const bool is_known = terminal_is(STDOUT_FILENO) &&
                          ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return is_known ? size.ws_col : 0;
}

/* In this order: COLUMNS, the terminal's width, unlimited. An invalid COLUMNS
 * is ignored, because it belongs to the shell as well. */
static size_t terminal_text_width(bool is_shown)
{
    const char *columns = terminal_value(TERMINAL_WIDTH);
    int64_t width;
    if (nb_integer_read(columns, "COLUMNS", WIDTH_LEAST, WIDTH_MOST, &width,
                        NULL) == NB_OK)
        return (size_t)width;
    width = is_shown ? (int64_t)terminal_width() : 0;
    return !is_shown ? 0 : width >= WIDTH_LEAST ? (size_t)width : WIDTH_USUAL;
}

enum nb_status nb_terminal_look(bool is_text, const char *file,
                                struct nb_look *out, struct nb_error *err)
{
    const char *columns = terminal_value(TERMINAL_COLUMNS);
    const bool is_shown = file == NULL && terminal_is(STDOUT_FILENO);
    *out = (struct nb_look){
        .has_columns = is_text || is_shown,
        .has_colours = is_shown && terminal_has_colours(STDOUT_FILENO),
        .width = terminal_text_width(is_shown),
    };
    if (strcmp(columns, "aligned") == 0)
        out->has_columns = true;
    else if (strcmp(columns, "tabs") == 0)
        out->has_columns = is_text;
    else if (*columns != '\0')
        return nb_fail(err, NB_USAGE,
                       "NETBOUND_COLUMNS \"%.60s\" is not permitted "
                       "(permitted: aligned, tabs)",
                       columns);
    return NB_OK;
}

struct nb_look nb_terminal_error_look(void)
{
    return (struct nb_look){ .has_columns = true,
                             .has_colours =
                                 terminal_has_colours(STDERR_FILENO) };
}

/* The column at which a line's description begins, after at least two blanks
 * behind its first word; a line without one is indented a little further. */
static size_t terminal_find_hang(const char *line, size_t length, size_t width)
{
    const size_t indent = strspn(line, " ");
    size_t hang = indent + 2;
    for (size_t i = indent + 1; i + 2 < length; i++)
        if (line[i] == ' ' && line[i + 1] == ' ') {
            hang = i + strspn(line + i, " ");
            break;
        }
    return hang < width / 2 ? hang : indent + 2;
}

void nb_terminal_wrap(const char *file, struct nb_text *text)
{
    struct nb_look look;
    struct nb_text wrapped = { 0 };
    if (text->has_failed ||
        nb_terminal_look(false, file, &look, NULL) != NB_OK ||
        !look.has_columns || look.width == 0)
        return;
    for (char *line = text->bytes; *line != '\0';) {
        const size_t length = strcspn(line, "\n"), indent = strspn(line, " ");
        char *end = line + length;
        char *next = end + (*end == '\n');
        *end = '\0';
        nb_text_wrap(line + indent, look.width, indent,
                     terminal_find_hang(line, length, look.width), &wrapped);
        line = next;
    }
    nb_text_release(text);
    *text = wrapped;
}
