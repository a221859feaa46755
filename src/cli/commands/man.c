/* netbound man: manual pages, generated from the option tables. */
#include "cli/reference.h"

static enum nb_status man_print(const struct nb_invocation *invocation,
                                struct nb_text *text, struct nb_error *err)
{
    const struct nb_command *command = NULL;
    enum nb_status status = NB_OK;
    if (invocation->word_count > 1)
        return nb_fail(err, NB_USAGE,
                       "man takes one command, got %zu (see: netbound help)",
                       invocation->word_count);
    if (invocation->word_count == 1)
        status = nb_command_need(invocation->words[0], &command, err);
    if (status == NB_OK)
        nb_man_print(command, text);
    return status;
}

static const struct nb_form man_form = {
    .name = "man",
    .summary = "manual page of the program or a command, in roff",
    .example = "netbound man worst-case --output netbound-worst-case.1",
    .common = "output",
};

const struct nb_command nb_command_man = {
    .form = &man_form,
    .words = "[COMMAND]",
    .word_at = nb_command_name_at,
    .print = man_print,
};
