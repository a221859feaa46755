/* netbound version: name and version of the program. */
#include "cli/command.h"

#include "core/ranks.h"
#include "core/version.h"

static enum nb_status version_print(const struct nb_invocation *invocation,
                                    struct nb_text *text, struct nb_error *err)
{
    (void)invocation;
    (void)err;
    nb_text_print(text, NB_PROGRAM "%s\n", nb_ranks_how());
    return NB_OK;
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
    .print = version_print,
};
