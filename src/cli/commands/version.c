/* netbound version: name and version of the program. */
#include "cli/command.h"

#include "core/ranks.h"
#include "core/try.h"
#include "core/version.h"

static enum nb_status version_run(struct nb_invocation *invocation,
                                  struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_status status;
    nb_text_print(&text, NB_PROGRAM "%s\n", nb_ranks_how());
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(nb_output_write(invocation->output, &text, err));
done:
    nb_text_release(&text);
    return status;
}

static const struct nb_form version_form = {
    .name = "version",
    .summary = "name and version of the program",
    .details = "The same as netbound --version. Reports contain it as well.",
    .example = "netbound version",
    .common = "output",
};

const struct nb_command nb_command_version = {
    .form = &version_form,
    .run = version_run,
};
