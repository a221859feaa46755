/* Answering a question (declared in command.h). */
#include "cli/command.h"

#include "cli/interrupt.h"
#include "core/version.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/ranks.h"
#include "model/search.h"
#include "report/format.h"
#include "report/point_pack.h"
#include "report/printed.h"
#include "report/shown.h"
#include "ask/ask.h"
#include "ask/title.h"
#include "report/writer.h"
#include "ask/written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct nb_command *nb_command_find(const char *name)
{
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        if (strcmp(nb_commands[i]->form->name, name) == 0)
            return nb_commands[i];
    return NULL;
}

const char *nb_command_suggest(const char *name, char out[NB_SUGGESTED])
{
    struct nb_suggestion near = { .typed = name, .length = strlen(name) };
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        nb_suggest(&near, nb_commands[i]->form->name,
                   strlen(nb_commands[i]->form->name));
    return nb_suggestion_print(&near, "", out);
}

enum nb_status nb_output_fail(struct nb_error *err)
{
    return nb_fail(err, NB_IO, "cannot write the report to standard output");
}

enum nb_status nb_output_write(const char *path, const struct nb_text *text,
                               struct nb_error *err)
{
    return nb_output_write_spool(path, &(struct nb_spool){ .text = *text },
                                 err);
}

enum nb_status nb_output_write_spool(const char *path,
                                     const struct nb_spool *spool,
                                     struct nb_error *err)
{
    const struct nb_text *text = &spool->text;
    if (path != NULL)
        return nb_file_write_spool(path, spool, err);
    if ((spool->file == NULL || nb_spool_copy(spool->file, stdout)) &&
        fwrite(text->bytes, 1, text->length, stdout) == text->length &&
        fflush(stdout) == 0)
        return NB_OK;
    nb_interrupt_unread();
    return nb_output_fail(err);
}

static enum nb_status answer_save_model(const struct nb_invocation *invocation,
                                        struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    if (invocation->save_model == NULL)
        return NB_OK;
    nb_model_write(&invocation->model, true, 0, &text);
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(nb_file_write(invocation->save_model, text.bytes, text.length, err));
done:
    nb_text_release(&text);
    return status;
}

/* The request to answer a prepared model. */
static struct nb_ask answer_ask(const struct nb_invocation *invocation,
                                const struct nb_model *model,
                                const struct nb_written *written)
{
    return (struct nb_ask){
        .kind = invocation->command->question,
        .model = model,
        .run = nb_progress_run(invocation),
        .outputs = invocation->outputs,
        .written = written,
    };
}

/* Writes the question's own files, from the only point: a sweep has none. */
static enum nb_status answer_write(const struct nb_invocation *invocation,
                                   const struct nb_report *report,
                                   struct nb_error *err)
{
    bool is_any = false;
    for (size_t i = 0; i < NB_OUTPUTS; i++)
        is_any = is_any || invocation->outputs[i] != NULL;
    if (!is_any)
        return NB_OK;
    struct nb_ask ask = answer_ask(invocation, &invocation->model, NULL);
    ask.run.deal = NULL; /* other ranks do not write */
    const enum nb_status status = nb_ask_write(&ask, &report->points[0], err);
    nb_progress_end();
    return status;
}

/* Refuses output files with a sweep or search, whose points or trials would all
 * write to the same file. */
static enum nb_status answer_check_files(const struct nb_invocation *invocation,
                                         struct nb_error *err)
{
    size_t count;
    enum nb_status status;
    NB_TRY(nb_sweep_count(&invocation->model, &count, err));
    const bool is_search = nb_model_is_search(&invocation->model);
    for (size_t i = 0; i < NB_OUTPUTS && (count > 1 || is_search); i++)
        if (invocation->outputs[i] != NULL)
            NB_TRY(nb_fail(err, NB_USAGE,
                           "--%s writes one file and cannot be used with a "
                           "%s",
                           invocation->command->form->outputs[i].name,
                           is_search ? "search" : "sweep"));
done:
    return status;
}

static bool answer_takes_stdin(const char *value)
{
    static const char name[] = "file:" NB_FILE_STDIN;
    const char *at = strstr(value, name);
    return strcmp(value, NB_FILE_STDIN) == 0 ||
           (at != NULL && strchr(",", at[sizeof name - 1]) != NULL);
}

enum nb_status nb_answer_check_alone(const struct nb_invocation *invocation,
                                     struct nb_error *err)
{
    return nb_ranks_count() == 1 && invocation->checkpoint == NULL
               ? NB_OK
               : nb_fail(err, NB_USAGE,
                         "standard input is not permitted with %s (permitted: "
                         "a file)",
                         invocation->checkpoint != NULL ? "--checkpoint"
                                                        : "several ranks");
}

/* Whether the model was read from standard input. */
static bool answer_is_from_stdin(const struct nb_invocation *invocation)
{
    return invocation->file != NULL &&
           strcmp(invocation->file, NB_FILE_STDIN) == 0;
}

/* Standard input can be read only once, so only one part of a question may use
 * it. */
static enum nb_status answer_check_stdin(const struct nb_invocation *invocation,
                                         struct nb_error *err)
{
    const struct nb_model *model = &invocation->model;
    char before[40] = "";
    enum nb_status status = NB_OK;
    if (answer_is_from_stdin(invocation))
        snprintf(before, sizeof before, "the model");
    for (size_t i = 0; i < model->option_count; i++) {
        const struct nb_model_option *option = &model->options[i];
        if (!answer_takes_stdin(option->value))
            continue;
        NB_TRY(nb_answer_check_alone(invocation, err));
        if (before[0] != '\0')
            NB_TRY(nb_fail(err, NB_USAGE,
                           "--%s %.60s: standard input is already read for %s "
                           "(permitted: " NB_FILE_STDIN " for one of them)",
                           option->name, option->value, before));
        snprintf(before, sizeof before, "--%s", option->name);
    }
done:
    return status;
}

/* Adds to an error the place in the file that the model was read from. */
static enum nb_status answer_place(const struct nb_invocation *invocation,
                                   const struct nb_model *model,
                                   const struct nb_error *wrong,
                                   struct nb_error *err)
{
    if (wrong->status == NB_OK)
        return NB_OK;
    return invocation->file != NULL
               ? nb_ask_fail(invocation->file, model, wrong, err)
               : nb_fail(err, wrong->status, "%s", wrong->message);
}

static enum nb_status answer_prepare(struct nb_invocation *invocation,
                                     struct nb_error *err)
{
    const struct nb_written written = nb_outputs_find(invocation);
    struct nb_model *model = &invocation->model;
    enum nb_status status;
    if (model->command == NULL)
        NB_TRY(nb_new_copy(&model->command, invocation->command->form->name,
                           "the question", err));
    NB_TRY(nb_invocation_show(invocation, model, err));
    NB_TRY(nb_show_check_names(invocation, err));
    NB_TRY(answer_check_files(invocation, err));
    NB_TRY(answer_check_stdin(invocation, err));
    NB_TRY(nb_ask_prepare(invocation->command->question, model, &written, err));
    for (size_t i = 0; i < model->input_count; i++)
        if (invocation->save_model != NULL &&
            strcmp(model->inputs[i].path, NB_FILE_STDIN) == 0)
            NB_TRY(nb_fail(err, NB_USAGE,
                           "--save-model %s: a model cannot refer to standard "
                           "input (permitted: files)",
                           invocation->save_model));
done:
    return status;
}

enum nb_status nb_answer_prepare(struct nb_invocation *invocation,
                                 struct nb_error *err)
{
    struct nb_error wrong = { 0 };
    if (answer_is_from_stdin(invocation) &&
        nb_answer_check_alone(invocation, err) != NB_OK)
        return err->status;
    answer_prepare(invocation, &wrong);
    return answer_place(invocation, &invocation->model, &wrong, err);
}

/* What is done with the points. A sweep's CSV, XML and JSON are written point
 * by point, and only the last point is kept; other output needs all points. */
struct answer_use {
    bool is_streamed;
    struct nb_report_writer writer; /* as asked for */
    struct nb_spool spool;
    /* In addition, as XML, if the table asked for may be missing from all
     * points; else out is NULL. */
    struct nb_report_writer whole;
    struct nb_spool whole_spool;
    struct nb_error refused; /* why it cannot be shown as asked for */
    struct nb_text point;    /* as XML */
    size_t size;             /* of all points as XML */
    enum nb_status verdict;
    struct nb_error judged;
};

static void answer_use_release(struct answer_use *use)
{
    nb_writer_release(&use->writer);
    nb_spool_release(&use->spool);
    nb_writer_release(&use->whole);
    nb_spool_release(&use->whole_spool);
    nb_text_release(&use->point);
}

/* Decides whether the answer is written point by point, and how. */
static enum nb_status answer_use_begin(const struct nb_invocation *invocation,
                                       struct answer_use *use,
                                       struct nb_error *err)
{
    size_t count;
    const enum nb_status status =
        nb_sweep_count(&invocation->model, &count, err);
    use->is_streamed = status == NB_OK && count > 1 &&
                       nb_shows_points(invocation) && nb_ranks_is_first();
    use->writer.format = invocation->format;
    use->writer.table = nb_shown_table(invocation, invocation->command);
    use->writer.out = &use->spool;
    use->whole.format = NB_FORMAT_XML;
    if (invocation->format == NB_FORMAT_CSV && use->writer.table != NULL)
        use->whole.out = &use->whole_spool;
    use->spool.place = use->whole_spool.place = invocation->output;
    return status;
}

/* A report held in memory must not exceed the size that can be read back as a
 * whole. */
static enum nb_status answer_hold(const struct nb_invocation *invocation,
                                  const struct nb_point *point, size_t index,
                                  size_t count, struct answer_use *use,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (count == 1 && invocation->style == NULL)
        return NB_OK;
    use->point.length = 0;
    NB_TRY(nb_point_write_xml(point, &use->point, err));
    use->size += use->point.length;
    if (use->size > NB_REPORT_BYTES)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%s needs the whole answer, which at point %zu of %zu "
                       "exceeds %d bytes as xml (permitted: --format csv, xml "
                       "or json for any size)",
                       invocation->style != NULL ? invocation->style : "text",
                       index + 1, count, NB_REPORT_BYTES));
done:
    return status;
}

static enum nb_status answer_judge_point(const struct nb_question_kind *kind,
                                         const struct nb_point *point,
                                         struct nb_error *err)
{
    return kind->judge != NULL ? kind->judge(point, err) : NB_OK;
}

/* Tolerates what was refused if the answer can be shown whole; anything else
 * fails. */
static enum nb_status answer_refuse(const struct answer_use *use,
                                    enum nb_status status, struct nb_error *err)
{
    const bool is_whole =
        use->writer.format != NB_FORMAT_CSV || use->whole.out != NULL;
    return status == NB_OK || (status == NB_INVALID && is_whole)
               ? NB_OK
               : nb_fail(err, status, "%s", use->refused.message);
}

static enum nb_status answer_stream_begin(struct answer_use *use,
                                          const struct nb_report *report,
                                          struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (use->is_streamed)
        NB_TRY(nb_writer_begin(&use->writer, &report->model, report->program,
                               err));
    if (use->is_streamed && use->whole.out != NULL)
        NB_TRY(
            nb_writer_begin(&use->whole, &report->model, report->program, err));
done:
    return status;
}

static enum nb_status answer_stream(struct answer_use *use,
                                    const struct nb_point *point,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (use->refused.status == NB_OK)
        NB_TRY(answer_refuse(
            use, nb_writer_add(&use->writer, point, &use->refused), err));
    if (use->whole.out != NULL)
        NB_TRY(nb_writer_add(&use->whole, point, err));
done:
    return status;
}

static enum nb_status answer_stream_end(struct answer_use *use,
                                        const struct nb_made *made,
                                        struct nb_error *err)
{
    struct nb_error unused = { 0 };
    enum nb_status status = NB_OK;
    if (use->refused.status == NB_OK)
        NB_TRY(answer_refuse(
            use, nb_writer_end(&use->writer, made, &use->refused), err));
    if (use->refused.status != NB_OK && use->whole.out != NULL) {
        status = nb_writer_end(&use->whole, made, &unused);
        if (status == NB_INVALID) /* named by --show; XML has all */
            status = NB_OK;
        NB_TRY(status == NB_OK ? NB_OK
                               : nb_fail(err, status, "%s", unused.message));
    }
done:
    return status;
}

/* CSV has no place for the reason why a point has no answer. */
static void answer_note_refusal(const struct nb_invocation *invocation,
                                const struct nb_point *point,
                                struct nb_text *said)
{
    const char *refusal = nb_point_refusal(point);
    if (refusal == NULL || invocation->format != NB_FORMAT_CSV ||
        invocation->style != NULL)
        return;
    nb_text_print(said, "netbound: refused");
    nb_place_print(point, said);
    nb_text_print(said, ": %s\n", refusal);
}

/* The points of a sweep and what is done with them. */
struct answer_points {
    struct nb_invocation *invocation;
    struct nb_ask ask;
    struct nb_report *report;
    struct answer_use *use;
    struct nb_ask_tally tally;
    struct nb_text said; /* about refused points */
    size_t count;
};

static enum nb_status answer_work(void *context, int thread, size_t index,
                                  struct nb_text *result, struct nb_error *err)
{
    const struct answer_points *points = context;
    (void)thread;
    return nb_ask_pack_point(&points->ask, index, result, err);
}

static enum nb_status answer_take(void *context, size_t index,
                                  struct nb_packed *result, bool *is_enough,
                                  struct nb_error *err)
{
    struct answer_points *points = context;
    struct answer_use *use = points->use;
    struct nb_report *report = points->report;
    enum nb_status status = NB_OK;
    (void)is_enough;
    if (use->is_streamed && index > 0)
        nb_point_release(&report->points[--report->point_count]);
    struct nb_point *point = nb_report_add_point(report);
    if (point == NULL)
        NB_TRY(nb_fail(err, NB_NO_MEMORY, "no memory for the report"));
    NB_TRY(nb_point_unpack(result, point, err));
    nb_ask_count(&points->tally, point);
    answer_note_refusal(points->invocation, point, &points->said);
    NB_TRY(use->is_streamed ? answer_stream(use, point, err)
                            : answer_hold(points->invocation, point, index,
                                          points->count, use, err));
    if (use->verdict == NB_OK)
        use->verdict =
            answer_judge_point(points->ask.kind, point, &use->judged);
done:
    return status;
}

static enum nb_status answer_points(struct nb_invocation *invocation,
                                    struct nb_report *report,
                                    struct answer_use *use,
                                    struct nb_error *err)
{
    const double start = nb_clock_now();
    const struct nb_written written = nb_outputs_find(invocation);
    struct answer_points points = {
        .invocation = invocation,
        .ask = answer_ask(invocation, &report->model, &written),
        .report = report,
        .use = use,
    };
    struct nb_tasks tasks = {
        .way = NB_DEAL_ONE,
        .is_for_first = true,
        .work = answer_work,
        .take = answer_take,
        .context = &points,
    };
    int threads = 1;
    enum nb_status status;
    points.ask.run.most_threads = &threads;
    NB_TRY(nb_sweep_count(&report->model, &points.count, err));
    NB_TRY(answer_stream_begin(use, report, err));
    tasks.count = points.count;
    NB_TRY(nb_deal_tasks(&points.ask.run, &tasks, err));
    NB_TRY(nb_ask_conclude(&points.tally, err));
    NB_TRY(nb_text_check(&points.said, err));
    report->made = (struct nb_made){ threads, nb_clock_now() - start };
done:
    nb_progress_end();
    if (status == NB_OK && points.said.length > 0)
        fputs(points.said.bytes, stderr);
    nb_text_release(&points.said);
    return status;
}

static enum nb_status answer_find(struct nb_invocation *invocation,
                                  struct nb_report *out, struct answer_use *use,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    struct nb_error wrong = { 0 };
    out->model = invocation->model;
    invocation->model = (struct nb_model){ 0 };
    NB_TRY(nb_new_copy(&out->program, NB_PROGRAM, "the report", &wrong));
    NB_TRY(nb_report_entitle(out, &wrong));
    NB_TRY(answer_points(invocation, out, use, &wrong));
    if (use->is_streamed)
        NB_TRY(answer_stream_end(use, &out->made, &wrong));
done:
    status = answer_place(invocation, &out->model, &wrong, err);
    return status;
}

enum nb_status nb_answer_find(struct nb_invocation *invocation,
                              struct nb_report *out, struct nb_error *err)
{
    struct answer_use use = { 0 };
    const enum nb_status status = answer_find(invocation, out, &use, err);
    answer_use_release(&use);
    return status;
}

static enum nb_status answer_judge(const struct nb_report *report,
                                   struct nb_error *err)
{
    const struct nb_question_kind *kind =
        nb_question_find(report->model.command);
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < report->point_count && status == NB_OK; i++)
        status = answer_judge_point(kind, &report->points[i], err);
    return status;
}

/* Shows everything that was computed if it cannot be shown as asked. */
static enum nb_status answer_show_whole(const struct nb_invocation *invocation,
                                        struct nb_exhibit *exhibits,
                                        struct nb_report *reports, size_t count,
                                        struct nb_text *text,
                                        struct nb_error *err)
{
    struct nb_invocation whole = *invocation;
    const bool is_text =
        invocation->format == NB_FORMAT_TEXT && invocation->style == NULL;
    enum nb_status status = NB_OK;
    whole.format = is_text || count > 1 ? NB_FORMAT_TEXT : NB_FORMAT_XML;
    whole.style = NULL;
    for (size_t i = 0; i < count; i++) {
        NB_TRY(nb_model_set_show(&reports[i].model, NULL, err));
        exhibits[i].table = NULL;
    }
    nb_text_release(text);
    NB_TRY(nb_show(&whole, exhibits, count, text, err));
done:
    return status;
}

enum nb_status nb_answer_show(const struct nb_invocation *invocation,
                              struct nb_report *reports, size_t count,
                              struct nb_text *text, struct nb_error *refused,
                              struct nb_error *err)
{
    struct nb_exhibit *exhibits = NULL;
    enum nb_status status, shown = NB_OK;
    NB_TRY(nb_new(&exhibits, count, sizeof *exhibits, "reports", err));
    for (size_t i = 0; i < count; i++) {
        exhibits[i] = (struct nb_exhibit){ .report = &reports[i],
                                           .table = invocation->table,
                                           .numbers = invocation->numbers };
        if (shown == NB_OK)
            shown = nb_shown_check(&reports[i], refused);
    }
    if (shown == NB_OK)
        shown = nb_show(invocation, exhibits, count, text, refused);
    if (shown == NB_NO_MEMORY)
        NB_TRY(nb_fail(err, shown, "%s", refused->message));
    if (shown != NB_OK)
        status =
            answer_show_whole(invocation, exhibits, reports, count, text, err);
done:
    nb_delete(exhibits);
    return status;
}

enum nb_status nb_answer_write(const struct nb_invocation *invocation,
                               const struct nb_spool *spool,
                               const struct nb_error *refused,
                               struct nb_error *err)
{
    return nb_output_write_spool(
        refused->status == NB_OK ? invocation->output : NULL, spool, err);
}

enum nb_status nb_answer_end(const struct nb_invocation *invocation,
                             const struct nb_report *reports, size_t count,
                             const struct nb_error *refused,
                             struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (refused->status != NB_OK && invocation->output != NULL)
        return nb_fail(err, refused->status,
                       "\"%.200s\" is not written, and the answer is shown "
                       "whole: %s",
                       invocation->output, refused->message);
    if (refused->status != NB_OK)
        return nb_fail(err, refused->status, "the answer is shown whole: %s",
                       refused->message);
    for (size_t i = 0; i < count && status == NB_OK; i++)
        status = answer_judge(&reports[i], err);
    return status;
}

/* deal->lose: the run goes on, but the next cannot resume it. */
static void answer_lose(void *context, const char *why)
{
    (void)context;
    char line[sizeof(struct nb_error) + 64];
    snprintf(line, sizeof line, "%s; the run goes on without it", why);
    nb_interrupt_lose();
    nb_progress_say(line);
}

static enum nb_status answer_open(struct nb_invocation *invocation,
                                  struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    if (invocation->checkpoint == NULL)
        return NB_OK;
    invocation->deal->lose = answer_lose;
    NB_TRY(nb_ask_keep(&invocation->model, invocation->checkpoint,
                       invocation->deal, err));
    if (nb_ranks_is_first()) {
        nb_checkpoint_tell(invocation->deal->kept, &text);
        if (text.length > 0)
            fprintf(stderr, "netbound: %s", text.bytes);
    }
    if (!invocation->deal->is_lost)
        nb_interrupt_keep(invocation->checkpoint);
done:
    nb_text_release(&text);
    return status;
}

enum nb_status nb_answer(struct nb_invocation *invocation, struct nb_error *err)
{
    struct nb_report report = { 0 };
    struct answer_use use = { 0 };
    enum nb_status status;
    NB_TRY(nb_answer_prepare(invocation, err));
    NB_TRY(answer_open(invocation, err));
    NB_TRY(answer_use_begin(invocation, &use, err));
    NB_TRY(answer_find(invocation, &report, &use, err));
    if (!nb_ranks_is_first())
        goto done;
    if (!use.is_streamed)
        NB_TRY(nb_answer_show(invocation, &report, 1, &use.spool.text,
                              &use.refused, err));
    invocation->model = report.model;
    report.model = (struct nb_model){ 0 };
    NB_TRY(answer_write(invocation, &report, err));
    NB_TRY(answer_save_model(invocation, err));
    const bool is_whole =
        use.is_streamed && use.refused.status != NB_OK && use.whole.out != NULL;
    NB_TRY(nb_answer_write(invocation, is_whole ? &use.whole_spool : &use.spool,
                           &use.refused, err));
    NB_TRY(nb_answer_end(invocation, NULL, 0, &use.refused, err));
    NB_TRY(answer_place(invocation, &invocation->model, &use.judged, err));
done:
    answer_use_release(&use);
    nb_report_release(&report);
    return status;
}
