/* netbound run: answers model files, or the models in reports again. */
#include "cli/command.h"

#include "core/memory.h"
#include "core/ranks.h"
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

/* All questions are prepared before the first is answered, and all are answered
 * before anything is written. */
static enum nb_status run_find(const struct nb_invocation *invocation,
                               struct nb_invocation *questions,
                               struct nb_report *reports, struct nb_error *err)
{
    const size_t count = invocation->word_count;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < count; i++) {
        questions[i] = *invocation;
        questions[i].model = (struct nb_model){ 0 };
        NB_TRY(run_read(invocation->words[i], &questions[i], err));
        NB_TRY(nb_answer_prepare(&questions[i], err));
    }
    for (size_t i = 0; i < count; i++)
        NB_TRY(nb_answer_find(&questions[i], &reports[i], err));
done:
    return status;
}

static enum nb_status run_many(struct nb_invocation *invocation,
                               struct nb_error *err)
{
    const size_t count = invocation->word_count;
    struct nb_invocation *questions = NULL;
    struct nb_report *reports = NULL;
    struct nb_spool spool = { 0 };
    struct nb_error refused = { 0 };
    enum nb_status status = NB_OK;
    if (invocation->save_model != NULL)
        return nb_fail(err, NB_USAGE,
                       "--save-model writes one model, got %zu (permitted: "
                       "one file)",
                       count);
    if (invocation->checkpoint != NULL)
        return nb_fail(err, NB_USAGE,
                       "--checkpoint holds one question, got %zu (permitted: "
                       "one file)",
                       count);
    NB_TRY(nb_new(&questions, count, sizeof *questions, "questions", err));
    NB_TRY(nb_new(&reports, count, sizeof *reports, "reports", err));
    NB_TRY(nb_show_check(invocation, count, err));
    NB_TRY(run_find(invocation, questions, reports, err));
    if (!nb_ranks_is_first())
        goto done;
    NB_TRY(
        nb_answer_show(invocation, reports, count, &spool.text, &refused, err));
    NB_TRY(nb_answer_write(invocation, &spool, &refused, err));
    NB_TRY(nb_answer_end(invocation, reports, count, &refused, err));
done:
    nb_spool_release(&spool);
    for (size_t i = 0; i < count && questions != NULL; i++)
        nb_invocation_release(&questions[i]);
    for (size_t i = 0; i < count && reports != NULL; i++)
        nb_report_release(&reports[i]);
    nb_delete(questions);
    nb_delete(reports);
    return status;
}

static enum nb_status run_run(struct nb_invocation *invocation,
                              struct nb_error *err)
{
    if (invocation->word_count == 0)
        return nb_fail(err, NB_USAGE,
                       "run needs a model file (see: netbound help run)");
    if (invocation->word_count > 1)
        return run_many(invocation, err);
    const enum nb_status status =
        run_read(invocation->words[0], invocation, err);
    return status == NB_OK ? nb_answer(invocation, err) : status;
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
