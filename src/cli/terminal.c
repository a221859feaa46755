#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TERMINAL_NO_COLOR, TERMINAL_COLUMNS, TERMINAL_TERM };

const struct nb_variable nb_variables[] = {
    [TERMINAL_NO_COLOR] = { "NO_COLOR",
                            "set and not empty: no colours on a terminal" },
    [TERMINAL_COLUMNS] = { "NETBOUND_COLUMNS",
                           "aligned or tabs: how text is laid out; unset or "
                           "empty: aligned columns on a terminal or with "
                           "--format text, else tabs" },
    [TERMINAL_TERM] = { "TERM", "unset or dumb: no colours on that terminal" },
    { 0 },
};

/* The variable's value; "" if it is unset. */
static const char *terminal_value(int variable)
{
    const char *value = getenv(nb_variables[variable].name);
    return value != NULL ? value : "";
}

static bool terminal_has_colours(int file)
{
    const char *kind = terminal_value(TERMINAL_TERM);
    return isatty(file) && *terminal_value(TERMINAL_NO_COLOR) == '\0' &&
           *kind != '\0' && strcmp(kind, "dumb") != 0;
}

enum nb_status nb_terminal_look(bool is_text, const char *file,
                                struct nb_look *out, struct nb_error *err)
{
    const char *columns = terminal_value(TERMINAL_COLUMNS);
    const bool is_shown = file == NULL && isatty(STDOUT_FILENO);
    *out = (struct nb_look){
        .has_columns = is_text || is_shown,
        .has_colours = is_shown && terminal_has_colours(STDOUT_FILENO),
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

size_t nb_terminal_width(void)
{
    struct winsize size = { 0 };
    const bool is_known =
        isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return is_known ? size.ws_col : 0;
}

struct nb_look nb_terminal_error_look(void)
{
    return (struct nb_look){ .has_columns = true,
                             .has_colours =
                                 terminal_has_colours(STDERR_FILENO) };
}
