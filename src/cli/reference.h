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

/* The names of the lists, such as "routings"; NULL past the last. */
const char *nb_list_word_at(size_t index);
/* Appends the list of that name, or of another word for it; nothing if there is
 * none. */
void nb_list_print(const char *word, struct nb_text *text);
/* Appends a kind with its parameters. */
void nb_list_print_kind(const struct nb_kind *kind, struct nb_text *text);
/* Appends a line that names the parameters of every kind, if there are any. */
void nb_list_print_common(const struct nb_registry *registry,
                          struct nb_text *text);

/* The meaning of each exit status, from 0; ends with NULL. */
extern const char *const nb_exit_meanings[];

/* The name of a kind (index 0), then its aliases; NULL past the last. length:
 * out */
const char *nb_kind_name(const struct nb_kind *kind, size_t index, int *length);

/* The candidates for the last word, in the form described in complete.c. words:
 * [count] from the command's name on, the last as far as it is typed */
void nb_complete_print(char **words, int count, struct nb_text *text);

/* The manual page of the program (command = NULL) or of a command, in roff. */
void nb_man_print(const struct nb_command *command, struct nb_text *text);

#endif
