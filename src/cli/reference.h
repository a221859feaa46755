/* Reference: what help, manual pages and completions say alike. */
#ifndef NB_CLI_REFERENCE_H
#define NB_CLI_REFERENCE_H

#include "cli/command.h"

/* Appends what an option is for, what it permits and what it is unless given:
 * "what is counted (routers|links); default routers". */
void nb_option_print(const struct nb_parameter *row, struct nb_text *text);

/* What each exit status means, from 0 on; ends with NULL. */
extern const char *const nb_exit_meanings[];

/* Kinds that an option, and any setting of its name, takes as values. */
struct nb_registry {
    const char *option; /* NULL: past the last */
    nb_kind_at *kinds;
    const struct nb_parameter *common; /* of every kind; NULL: none */
};
extern const struct nb_registry nb_registries[];

/* The first registry that has the kind with which a specification begins, or
 * a kind of that alias; NULL if there is none. */
const struct nb_registry *nb_registry_of(const char *specification);

/* The name of a kind (index 0), then its aliases; NULL past the last. length:
 * out */
const char *nb_kind_name(const struct nb_kind *kind, size_t index, int *length);

/* ":" if some parameter must be given; else "". */
const char *nb_kind_mark(const struct nb_kind *kind);

/* The next parameter of a kind, after its own those of every kind. row NULL:
 * the first. Returns NULL past the last. */
const struct nb_parameter *nb_kind_next(const struct nb_registry *registry,
                                        const struct nb_kind *kind,
                                        const struct nb_parameter *row);

/* What a shell offers for a value or a word. */
enum nb_offer {
    NB_OFFER_NOTHING,
    NB_OFFER_WORDS, /* of a fixed list */
    NB_OFFER_KINDS, /* of a registry, many with ":" and values after them */
    NB_OFFER_NAMES, /* of options, with "=" and values after them */
    NB_OFFER_FILES,
    NB_OFFER_XML, /* files that end so */
};

/* Appends the words between blanks, those of kinds that need values with a
 * ":" at their end; files are for the shell to find. command: whose option
 * the row is; NULL: of a kind. */
enum nb_offer nb_option_offer(const struct nb_command *command,
                              const struct nb_parameter *row,
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
/* A part of the first two: the function _netbound_parameters, which adds words
 * to $choices or sets $files. */
void nb_completion_kinds(struct nb_text *text);
/* A part of the third: __netbound_kinds and __netbound_parameters, which print
 * words and what they are for. */
void nb_completion_fish_kinds(struct nb_text *text);

/* The manual page of the program (command = NULL) or of a command, in roff. */
void nb_man_print(const struct nb_command *command, struct nb_text *text);

#endif
