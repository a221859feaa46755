/* netbound man: manual pages, generated from the option tables. */
#include "cli/reference.h"

#include "core/try.h"

static enum nb_status man_run(struct nb_invocation *invocation,
                              struct nb_error *err)
{
    const struct nb_command *command;
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_word_command(invocation, &command, err));
    nb_man_print(command, &text);
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(nb_output_write(invocation->output, &text, err));
done:
    nb_text_release(&text);
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
    .run = man_run,
};
