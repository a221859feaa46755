/* Reference: shared by help, manual pages and completions. */
#ifndef NB_CLI_REFERENCE_H
#define NB_CLI_REFERENCE_H

#include "cli/command.h"
#include "ask/registry.h"

/* Appends what an option is for, its values and its default: "what to count
 * (routers|links); default routers". The brief form leaves out wide ranges,
 * units and the other name. */
void nb_option_print_brief(const struct nb_parameter *row,
                           struct nb_text *text);
void nb_option_print(const struct nb_parameter *row, struct nb_text *text);

/* Appends the lines of help about an option or parameter alone: what it is,
 * its other name, the options that it needs or excludes, its details. */
void nb_option_print_page(const struct nb_parameter *row, struct nb_text *text);

/* Appends the lines of a detail, set in; NULL: nothing. */
void nb_detail_print(const char *detail, struct nb_text *text);

/* Headings of help, by enum nb_option_group. */
extern const char *const nb_group_headings[];

/* Appends what there is of a word such as "routings", or another word for it;
 * false, and nothing is appended, if that is not known. */
bool nb_list_print(const char *word, struct nb_text *text);
/* Appends a kind with its parameters. */
void nb_list_print_kind(const struct nb_kind *kind, struct nb_text *text);
/* Appends a line that names the parameters of every kind, if there are any. */
void nb_list_print_common(const struct nb_registry *registry,
                          struct nb_text *text);

/* Writes the text of help or list in lines of the terminal's width, like
 * answers. Errors: NB_IO; NB_NO_MEMORY. */
enum nb_status nb_reference_write(const struct nb_invocation *invocation,
                                  const struct nb_text *text,
                                  struct nb_error *err);

/* The meaning of each exit status, from 0; ends with NULL. */
extern const char *const nb_exit_meanings[];

/* The first registry with the kind, or an alias of it, that a specification
 * begins with; NULL if there is none. */
const struct nb_registry *nb_registry_of(const char *specification);

/* The name of a kind (index 0), then its aliases; NULL past the last. length:
 * out */
const char *nb_kind_name(const struct nb_kind *kind, size_t index, int *length);

/* ":" if some parameter must be given; else "". */
const char *nb_kind_mark(const struct nb_kind *kind);

/* The next row of a command's options, followed by its outputs and the common
 * options that it takes. row NULL: the first one. Returns NULL past the
 * last. */
const struct nb_parameter *nb_option_next(const struct nb_command *command,
                                          const struct nb_parameter *row);

/* The shared name of an option, returned only at the first of the rows that
 * have it; NULL: none. */
const char *nb_option_also(const struct nb_command *command,
                           const struct nb_parameter *row);

/* Whether a row is one of nb_common_options. */
bool nb_option_is_common(const struct nb_parameter *row);

/* The candidates for the last word, in the form described in complete.c. words:
 * [count] from the command's name on, the last as far as it is typed */
void nb_complete_print(char **words, int count, struct nb_text *text);

/* The manual page of the program (command = NULL) or of a command, in roff. */
void nb_man_print(const struct nb_command *command, struct nb_text *text);

#endif
