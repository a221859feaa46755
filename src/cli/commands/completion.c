/* netbound completion: what shells offer, made from the option tables. */
#include "cli/reference.h"

#include "core/try.h"

static const struct completion_shell {
    const char *name;
    void (*print)(struct nb_text *text);
} completion_shells[] = {
    { "bash", nb_completion_bash },
    { "zsh", nb_completion_zsh },
    { "fish", nb_completion_fish },
};
enum {
    COMPLETION_SHELLS = sizeof completion_shells / sizeof *completion_shells
};

static const char *completion_word_at(size_t index)
{
    return index < COMPLETION_SHELLS ? completion_shells[index].name : NULL;
}

static enum nb_status completion_run(struct nb_invocation *invocation,
                                     struct nb_error *err)
{
    struct nb_text text = { 0 };
    size_t index;
    enum nb_status status = NB_OK;
    NB_TRY(nb_word_find(invocation, &index, err));
    completion_shells[index].print(&text);
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(nb_output_write(invocation->output, &text, err));
done:
    nb_text_release(&text);
    return status;
}

const struct nb_command nb_command_completion = {
    .name = "completion",
    .summary = "a script by which a shell completes command lines",
    .words = "SHELL",
    .word_at = completion_word_at,
    .example = "netbound completion bash",
    .common = "output",
    .run = completion_run,
};
