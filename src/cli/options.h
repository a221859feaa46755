/* Options: the rows of a command, its own and those that all commands share. */
#ifndef NB_CLI_OPTIONS_H
#define NB_CLI_OPTIONS_H

#include "cli/command.h"
#include "ask/registry.h"

/* Options that every question has. Their fields are those of an invocation. */
extern const struct nb_parameter nb_common_options[];

/* Whether the command takes a row of the common options. */
bool nb_command_takes(const struct nb_command *command,
                      const struct nb_parameter *row);

/* The next row of a command's options, followed by its outputs and the common
 * options that it takes. row NULL: the first one. Returns NULL past the
 * last. */
const struct nb_parameter *nb_option_next(const struct nb_command *command,
                                          const struct nb_parameter *row);

/* nb_option_find, else the first row that shares the name (nb_parameter.also).
 */
const struct nb_parameter *nb_rows_find(const struct nb_parameter *rows,
                                        const char *name, size_t length);
/* The same among all options of a command. */
const struct nb_parameter *nb_command_option(const struct nb_command *command,
                                             const char *name, size_t length);

/* Whether that is the row's own name rather than one that it shares. */
bool nb_option_is_named(const struct nb_parameter *row, const char *name,
                        size_t length);

/* The shared name of an option, returned only at the first of the rows that
 * have it; NULL: none. */
const char *nb_option_also(const struct nb_command *command,
                           const struct nb_parameter *row);

/* Whether a row is in a table, such as nb_common_options; NULL: no table. */
bool nb_option_is_in(const struct nb_parameter *table,
                     const struct nb_parameter *row);

/* The registry whose kinds are the option's values; NULL: none. */
const struct nb_registry *nb_option_registry(const struct nb_parameter *row);

/* The option whose value a word without an option is: the network; NULL: the
 * command takes no such word. */
const struct nb_parameter *nb_command_network(const struct nb_command *command);

/* Placeholder of its arguments in help; NULL: it takes none. */
const char *nb_command_words(const struct nb_command *command);

#endif
