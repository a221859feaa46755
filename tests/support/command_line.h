/* Command lines that tests write as one text. */
#ifndef NB_TESTS_SUPPORT_COMMAND_LINE_H
#define NB_TESTS_SUPPORT_COMMAND_LINE_H

#include "cli/command.h"

enum { COMMAND_LINE_LENGTH = 400, COMMAND_LINE_WORDS = 40 };

/*
 * Reads a command line into an invocation, which the caller releases.
 *
 * line   words between blanks, the first one a command
 * words  out: the words, which the invocation borrows
 *
 * Errors: those of nb_invocation_read.
 */
enum nb_status command_line_read(const char *line,
                                 char words[COMMAND_LINE_LENGTH],
                                 struct nb_invocation *out,
                                 struct nb_error *err);

#endif
