/* netbound completion: a script that makes the shell ask the program. */
#include "cli/command.h"
#include "core/embedded.h"
#include "core/try.h"

#include <string.h>

/* The scripts of src/cli/completion, by name. */
extern const struct nb_embedded nb_completion_files[];

static const char *completion_word_at(size_t index)
{
    return nb_completion_files[index].name;
}

static enum nb_status completion_run(struct nb_invocation *invocation,
                                     struct nb_error *err)
{
    struct nb_text text = { 0 };
    size_t index;
    enum nb_status status = NB_OK;
    NB_TRY(nb_word_find(invocation, &index, err));
    nb_text_print(&text, "%s", nb_completion_files[index].bytes);
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(nb_output_write(invocation->output, &text, err));
done:
    nb_text_release(&text);
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
    .run = completion_run,
};
