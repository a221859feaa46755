/* Reference: what help, manual pages and completions say alike. */
#ifndef NB_CLI_REFERENCE_H
#define NB_CLI_REFERENCE_H

#include "cli/command.h"

/* Appends what an option is for, what it permits and what it is unless given:
 * "what is counted (routers|links); default routers". */
void nb_option_print(const struct nb_parameter *row, struct nb_text *text);

/* What each exit status means, from 0 on; ends with NULL. */
extern const char *const nb_exit_meanings[];

/* What a shell offers for a value or a word. */
enum nb_offer {
    NB_OFFER_NOTHING,
    NB_OFFER_WORDS, /* of a fixed list */
    NB_OFFER_KINDS, /* of a registry, many with ":" and values after them */
    NB_OFFER_FILES,
    NB_OFFER_XML, /* files that end so */
};

/* Appends the words between blanks, those of kinds that need values with a
 * ":" at their end; files are for the shell to find. */
enum nb_offer nb_option_offer(const struct nb_parameter *row,
                              struct nb_text *words);
enum nb_offer nb_command_offer(const struct nb_command *command,
                               struct nb_text *words);

/* The next row of an option table; after a command's own options its outputs,
 * after these the common ones that it takes. row NULL: the first one. Returns
 * NULL past the last. */
const struct nb_parameter *nb_option_next(const struct nb_command *command,
                                          const struct nb_parameter *row);

/* The other name of an option, at the first of the rows that share it; NULL:
 * none. */
const char *nb_option_also(const struct nb_command *command,
                           const struct nb_parameter *row);

/* Whether a row is one of nb_common_options. */
bool nb_option_is_common(const struct nb_parameter *row);

/* Appends characters between single quotes, as a shell reads them; fish reads
 * a backslash between them as one of a pair. */
enum nb_shell { NB_SHELL_POSIX, NB_SHELL_FISH };
void nb_shell_quote(enum nb_shell shell, const char *characters,
                    struct nb_text *text);

/* Completion scripts for all commands, complete in themselves. */
void nb_completion_bash(struct nb_text *text);
void nb_completion_zsh(struct nb_text *text);
void nb_completion_fish(struct nb_text *text);

/* The manual page of the program (command = NULL) or of a command, in roff. */
void nb_man_print(const struct nb_command *command, struct nb_text *text);

#endif
