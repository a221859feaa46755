#include "cli/command.h"

#include "core/try.h"

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

const char *nb_command_suggest(const char *name, char out[NB_SUGGESTED])
{
    struct nb_suggestion near = { .typed = name, .length = strlen(name) };
    const char *known;
    for (size_t i = 0; (known = nb_command_name_at(i)) != NULL; i++)
        nb_suggest(&near, known, strlen(known));
    return nb_suggestion_print(&near, "", out);
}

enum nb_status nb_word_command(const struct nb_invocation *invocation,
                               const struct nb_command **out,
                               struct nb_error *err)
{
    const char *word = invocation->words[0];
    char meant[NB_SUGGESTED];
    *out = NULL;
    if (invocation->word_count == 0)
        return NB_OK;
    if (invocation->word_count > 1)
        return nb_fail(err, NB_USAGE,
                       "%s takes one command, got %zu (see: netbound help)",
                       invocation->command->form->name, invocation->word_count);
    *out = nb_command_find(word);
    if (*out == NULL)
        return nb_fail(err, NB_USAGE,
                       "unknown command \"%.60s\"%s (see: netbound list "
                       "commands)",
                       word, nb_command_suggest(word, meant));
    return NB_OK;
}

enum nb_status nb_word_find(const struct nb_invocation *invocation,
                            size_t *index, struct nb_error *err)
{
    const struct nb_command *command = invocation->command;
    const char *word = invocation->word_count == 1 ? invocation->words[0] : "";
    const char *known;
    struct nb_suggestion near = { .typed = word, .length = strlen(word) };
    char meant[NB_SUGGESTED];
    struct nb_text permitted = { 0 };
    bool is_found = false;
    enum nb_status status;
    for (size_t i = 0; (known = command->word_at(i)) != NULL; i++) {
        nb_text_print(&permitted, "%s%s", i > 0 ? ", " : "", known);
        nb_suggest(&near, known, strlen(known));
        if (strcmp(known, word) == 0)
            *index = i;
        is_found |= strcmp(known, word) == 0;
    }
    NB_TRY(nb_text_check(&permitted, err));
    if (invocation->word_count != 1)
        NB_TRY(nb_fail(err, NB_USAGE,
                       "%s needs one word, got %zu (permitted: "
                       "%s)",
                       command->form->name, invocation->word_count,
                       permitted.bytes));
    if (!is_found)
        NB_TRY(nb_fail(err, NB_USAGE,
                       "%s \"%.60s\" is not permitted%s (permitted: %s)",
                       command->form->name, word,
                       nb_suggestion_print(&near, "", meant), permitted.bytes));
done:
    nb_text_release(&permitted);
    return status;
}
