/* netbound run: answers a model file, or a report's model again. */
#include "cli/command.h"

static enum nb_status run_run(struct nb_invocation *invocation,
                              struct nb_error *err)
{
    if (invocation->word_count != 1)
        return nb_fail(err, NB_USAGE,
                       "run needs one model file, got %zu (see: netbound help "
                       "run)",
                       invocation->word_count);
    enum nb_status status =
        nb_model_read_file(invocation->words[0], &invocation->model, err);
    if (status != NB_OK)
        return status;
    const struct nb_command *command =
        nb_command_find(invocation->model.command);
    if (command == NULL || command->answer == NULL)
        return nb_fail(err, NB_INVALID,
                       "\"%s\": unknown command \"%.60s\" (permitted: those "
                       "of netbound list commands that answer a question)",
                       invocation->words[0], invocation->model.command);
    status = nb_model_resolve_paths(command, &invocation->model,
                                    invocation->words[0], err);
    if (status != NB_OK)
        return status;
    invocation->command = command;
    return nb_answer(invocation, err);
}

const struct nb_command nb_command_run = {
    .name = "run",
    .summary = "answer the question in a model file or a report",
    .words = "MODEL.xml",
    .example = "netbound run models/torus-8x8-dor.xml",
    .common = "format output table save-model threads progress",
    .run = run_run,
};
