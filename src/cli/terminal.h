/* Terminal: how the program's text looks; the environment is read only here. */
#ifndef NB_CLI_TERMINAL_H
#define NB_CLI_TERMINAL_H

#include "core/status.h"
#include "report/look.h"

#include <stdbool.h>

/* The variables that the program reads, ended by a zero row. */
struct nb_variable {
    const char *name;
    const char *help;
};
extern const struct nb_variable nb_variables[];

/*
 * How text looks: in columns if the text format is named or standard output is
 * a terminal, in colours only on a terminal.
 *
 * is_text  the text format was named, not just the default
 * file     where the text is written; NULL: standard output
 *
 * Errors: NB_USAGE for a value of NETBOUND_COLUMNS that is not permitted.
 */
enum nb_status nb_terminal_look(bool is_text, const char *file,
                                struct nb_look *out, struct nb_error *err);

/* How messages on standard error look. */
struct nb_look nb_terminal_error_look(void);

/* Breaks the lines of a text for people at blanks, where nb_terminal_look has
 * columns of a known width; the terminal would break words. */
void nb_terminal_wrap(const char *file, struct nb_text *text);

#endif
