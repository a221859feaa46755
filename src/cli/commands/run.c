/* netbound run: answers model files, or the models in reports again. */
#include "cli/command.h"

#include "core/memory.h"
#include "ask/ask.h"

/* Reads the question of a file. */
static enum nb_status run_read(const char *path,
                               struct nb_invocation *invocation,
                               struct nb_error *err)
{
    struct nb_error wrong = { 0 };
    enum nb_status status = nb_ask_read(path, &invocation->model, err);
    if (status != NB_OK)
        return status;
    invocation->command = nb_command_find(invocation->model.command);
    invocation->file = path;
    status = nb_invocation_override(invocation, invocation, &wrong);
    return status == NB_OK ? NB_OK
                           : nb_ask_fail(path, &invocation->model, &wrong, err);
}

/* Refuses a file for one question with several. */
static enum nb_status run_check_single(const char *option, const char *what,
                                       const char *path, size_t count,
                                       struct nb_error *err)
{
    return path == NULL || count == 1
               ? NB_OK
               : nb_fail(err, NB_USAGE,
                         "--%s %s, got %zu (permitted: one file)", option, what,
                         count);
}

static enum nb_status run_run(struct nb_invocation *invocation,
                              struct nb_error *err)
{
    const size_t count = invocation->word_count;
    struct nb_invocation *questions = NULL;
    enum nb_status status = NB_OK;
    if (count == 0)
        return nb_fail(err, NB_USAGE,
                       "run needs a model file (see: netbound help run)");
    NB_TRY(run_check_single("save-model", "writes one model",
                            invocation->save_model.text, count, err));
    NB_TRY(run_check_single("checkpoint", "holds one question",
                            invocation->checkpoint.text, count, err));
    NB_TRY(nb_show_check(invocation, count, err));
    NB_TRY(nb_new(&questions, count, sizeof *questions, "questions", err));
    for (size_t i = 0; i < count; i++) {
        questions[i] = *invocation;
        questions[i].model = (struct nb_model){ 0 };
        NB_TRY(run_read(invocation->words[i], &questions[i], err));
    }
    NB_TRY(nb_answer(questions, count, err));
done:
    for (size_t i = 0; i < count && questions != NULL; i++)
        nb_invocation_release(&questions[i]);
    nb_delete(questions);
    return status;
}

static const struct nb_form run_form = {
    .name = "run",
    .summary = "answer the questions in model files or reports",
    .details =
        "A model file holds one question, with its options. A report holds the "
        "model that it answers. The file name - stands for standard input. "
        "Options on the command line, --sweep and --find too, replace those of "
        "each file; --load also replaces --rate. Every question must have "
        "these options. If any are given, the title is made from the question, "
        "unless --title is given. --find '' removes a file's search.",
    .example = "netbound run models/torus-8x8-dor.xml --routing val",
    .common = "format output table show numbers title save-model explain "
              "checkpoint threads progress",
};

const struct nb_command nb_command_run = {
    .form = &run_form,
    .words = "MODEL.xml...",
    .overrides = true,
    .run = run_run,
};
