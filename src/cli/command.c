#include "cli/command.h"

#include "core/try.h"

#include <stdio.h>
#include <string.h>

const struct nb_command *nb_command_find(const char *name)
{
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        if (strcmp(nb_commands[i]->form->name, name) == 0)
            return nb_commands[i];
    return NULL;
}

const char *nb_command_name_at(size_t index)
{
    return nb_commands[index] != NULL ? nb_commands[index]->form->name : NULL;
}

/* Finds a word among those of a command. wrong: what is said if it is none of
 * them. Errors: NB_USAGE naming those permitted; NB_NO_MEMORY. */
static enum nb_status command_find_word(const char *(*word_at)(size_t index),
                                        const char *word, const char *wrong,
                                        size_t *index, struct nb_error *err)
{
    struct nb_suggestion near = { .typed = word, .length = strlen(word) };
    struct nb_text permitted = { 0 };
    char meant[NB_SUGGESTED];
    const char *known;
    enum nb_status status = NB_OK;
    for (*index = 0; (known = word_at(*index)) != NULL; ++*index) {
        if (strcmp(known, word) == 0)
            goto done;
        nb_text_print(&permitted, "%s%s", *index > 0 ? ", " : "", known);
        nb_suggest(&near, known, strlen(known));
    }
    NB_TRY(nb_text_check(&permitted, err));
    NB_TRY(nb_fail(err, NB_USAGE, "%s%s (permitted: %s)", wrong,
                   nb_suggestion_print(&near, "", meant), permitted.bytes));
done:
    nb_text_release(&permitted);
    return status;
}

enum nb_status nb_command_need(const char *name, const struct nb_command **out,
                               struct nb_error *err)
{
    char wrong[100];
    size_t index;
    snprintf(wrong, sizeof wrong, "unknown command \"%.60s\"", name);
    const enum nb_status status =
        command_find_word(nb_command_name_at, name, wrong, &index, err);
    *out = nb_commands[index];
    return status;
}

enum nb_status nb_word_find(const struct nb_invocation *invocation,
                            size_t *index, struct nb_error *err)
{
    const struct nb_command *command = invocation->command;
    const bool is_one = invocation->word_count == 1;
    const char *word = is_one ? invocation->words[0] : "";
    char wrong[200];
    if (is_one)
        snprintf(wrong, sizeof wrong, "%s \"%.60s\" is not permitted",
                 command->form->name, word);
    else
        snprintf(wrong, sizeof wrong, "%s needs one word, got %zu",
                 command->form->name, invocation->word_count);
    return command_find_word(command->word_at, word, wrong, index, err);
}
