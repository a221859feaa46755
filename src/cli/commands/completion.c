/* netbound completion: a script that makes the shell ask the program. */
#include "cli/command.h"
#include "core/embedded.h"

/* The scripts of src/cli/completion, by name. */
extern const struct nb_embedded nb_completion_files[];

static const char *completion_word_at(size_t index)
{
    return nb_completion_files[index].name;
}

static enum nb_status completion_print(const struct nb_invocation *invocation,
                                       struct nb_text *text,
                                       struct nb_error *err)
{
    size_t index;
    const enum nb_status status = nb_word_find(invocation, &index, err);
    if (status == NB_OK)
        nb_text_print(text, "%s", nb_completion_files[index].bytes);
    return status;
}

static const struct nb_form completion_form = {
    .name = "completion",
    .summary = "shell completion script",
    .example = "netbound completion bash",
    .common = "output",
};

const struct nb_command nb_command_completion = {
    .form = &completion_form,
    .words = "SHELL",
    .word_at = completion_word_at,
    .print = completion_print,
};
