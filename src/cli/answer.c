/* Answering a question (declared in command.h). */
#include "cli/command.h"

#include "cli/interrupt.h"
#include "core/version.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/ranks.h"
#include "model/search.h"
#include "report/format.h"
#include "report/printed.h"
#include "report/shown.h"
#include "ask/ask.h"
#include "ask/title.h"
#include "report/writer.h"
#include "ask/written.h"

#include <stdio.h>
#include <string.h>

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
        NB_TRY(nb_invocation_check_alone(invocation, err));
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
               : nb_fail_again(err, wrong->status, wrong);
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
        if (invocation->save_model.text != NULL &&
            strcmp(model->inputs[i].path, NB_FILE_STDIN) == 0)
            NB_TRY(nb_fail(err, NB_USAGE,
                           "--save-model %s: a model cannot refer to standard "
                           "input (permitted: files)",
                           invocation->save_model.text));
done:
    return status;
}

enum nb_status nb_answer_prepare(struct nb_invocation *invocation,
                                 struct nb_error *err)
{
    struct nb_error wrong = { 0 };
    if (answer_is_from_stdin(invocation) &&
        nb_invocation_check_alone(invocation, err) != NB_OK)
        return err->status;
    answer_prepare(invocation, &wrong);
    return answer_place(invocation, &invocation->model, &wrong, err);
}

/* A writer of points, and why it cannot write them. */
struct answer_stream {
    struct nb_report_writer writer;
    struct nb_spool spool;
    struct nb_error refused;
};

/* The answers to questions and what is done with them. A sweep's CSV, XML and
 * JSON are written point by point, and only the last point is kept; other
 * output needs all points. */
struct answer {
    /* As asked for. In addition, as XML, if the table asked for may be missing
     * from all points. */
    struct answer_stream streams[2];
    size_t stream_count;    /* 0: all points are needed */
    struct nb_error judged; /* the first verdict that is negative */
    struct nb_text point;   /* as XML */
    /* The current question. */
    const struct nb_invocation *question;
    struct nb_report *report;
    struct nb_ask ask;
    size_t count;        /* of its points */
    size_t size;         /* of all points as XML */
    struct nb_text said; /* about refused points */
};

/* Decides whether the answer is written point by point, and how. */
static enum nb_status answer_begin(struct answer *answer,
                                   const struct nb_invocation *question,
                                   struct nb_error *err)
{
    struct answer_stream *asked = &answer->streams[0];
    size_t count;
    const enum nb_status status = nb_sweep_count(&question->model, &count, err);
    asked->writer.format = question->format;
    asked->writer.table = nb_shown_table(question, question->command);
    answer->streams[1].writer.format = NB_FORMAT_XML;
    for (size_t i = 0; i < 2; i++) {
        answer->streams[i].writer.out = &answer->streams[i].spool;
        answer->streams[i].spool.place = question->output.text;
    }
    if (status == NB_OK && count > 1 && nb_shows_points(question) &&
        nb_ranks_is_first())
        answer->stream_count =
            question->format == NB_FORMAT_CSV && asked->writer.table != NULL
                ? 2
                : 1;
    return status;
}

static void answer_release(struct answer *answer)
{
    for (size_t i = 0; i < 2; i++) {
        nb_writer_release(&answer->streams[i].writer);
        nb_spool_release(&answer->streams[i].spool);
    }
    nb_text_release(&answer->point);
    nb_text_release(&answer->said);
}

/* A report held in memory must not exceed the size that can be read back as a
 * whole. */
static enum nb_status answer_hold(struct answer *answer,
                                  const struct nb_point *point, size_t index,
                                  struct nb_error *err)
{
    const char *style = answer->question->style;
    enum nb_status status = NB_OK;
    if (answer->count == 1 && style == NULL)
        return NB_OK;
    answer->point.length = 0;
    NB_TRY(nb_point_write_xml(point, &answer->point, err));
    answer->size += answer->point.length;
    if (answer->size > NB_REPORT_BYTES)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%s needs the whole answer, which at point %zu of %zu "
                       "exceeds %d bytes as xml (permitted: --format csv, xml "
                       "or json for any size)",
                       style != NULL ? style : "text", index + 1, answer->count,
                       NB_REPORT_BYTES));
done:
    return status;
}

/* Writes a point, or with NULL what follows the last, to the streams that have
 * refused nothing yet. */
static enum nb_status answer_stream(struct answer *answer,
                                    const struct nb_point *point,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < answer->stream_count; i++) {
        struct answer_stream *to = &answer->streams[i];
        if (to->refused.status != NB_OK)
            continue;
        status = point != NULL
                     ? nb_writer_add(&to->writer, point, &to->refused)
                     : nb_writer_end(&to->writer, &answer->report->made,
                                     &to->refused);
        /* Whether the answer can be shown whole all the same: by another
         * stream, or since XML has everything at its end. */
        const bool is_whole = i == 0 ? to->writer.format != NB_FORMAT_CSV ||
                                           answer->stream_count == 2
                                     : point == NULL;
        if (status == NB_INVALID && is_whole)
            status = NB_OK;
        if (status != NB_OK)
            NB_TRY(nb_fail_again(err, status, &to->refused));
    }
done:
    return status;
}

/* CSV has no place for the reason why a point has no answer. */
static void answer_note_refusal(struct answer *answer,
                                const struct nb_point *point)
{
    const char *refusal = nb_point_refusal(point);
    if (refusal == NULL || answer->question->format != NB_FORMAT_CSV ||
        answer->question->style != NULL)
        return;
    nb_text_print(&answer->said, "netbound: refused");
    nb_place_print(point, &answer->said);
    nb_text_print(&answer->said, ": %s\n", refusal);
}

static enum nb_status answer_take(void *context, struct nb_report *report,
                                  size_t index, struct nb_error *err)
{
    struct answer *answer = context;
    if (answer->stream_count > 0 && index > 0) {
        nb_point_release(&report->points[0]);
        report->points[0] = report->points[--report->point_count];
    }
    const struct nb_point *point = &report->points[report->point_count - 1];
    answer_note_refusal(answer, point);
    return answer->stream_count > 0 ? answer_stream(answer, point, err)
                                    : answer_hold(answer, point, index, err);
}

static enum nb_status answer_points(struct answer *answer,
                                    struct nb_error *judged,
                                    struct nb_error *err)
{
    const double start = nb_clock_now();
    struct nb_report *report = answer->report;
    int threads = 1;
    enum nb_status status = NB_OK;
    answer->ask.run.most_threads = &threads;
    for (size_t i = 0; i < answer->stream_count; i++)
        NB_TRY(nb_writer_begin(&answer->streams[i].writer, &report->model,
                               report->program, err));
    NB_TRY(
        nb_ask_points(&answer->ask, report, answer_take, answer, judged, err));
    NB_TRY(nb_text_check(&answer->said, err));
    report->made = (struct nb_made){ threads, nb_clock_now() - start };
done:
    nb_progress_end();
    if (status == NB_OK && answer->said.length > 0)
        fputs(answer->said.bytes, stderr);
    return status;
}

/* Computes the report, which takes the question's model over. */
static enum nb_status answer_find(struct answer *answer,
                                  struct nb_invocation *question,
                                  struct nb_report *out, struct nb_error *err)
{
    const struct nb_written written = nb_outputs_find(question);
    struct nb_error wrong = { 0 }, judged = { 0 };
    enum nb_status status = NB_OK;
    out->model = question->model;
    question->model = (struct nb_model){ 0 };
    answer->question = question;
    answer->report = out;
    answer->ask = (struct nb_ask){ .kind = question->command->question,
                                   .model = &out->model,
                                   .run = nb_progress_run(question),
                                   .outputs = question->outputs,
                                   .written = &written };
    answer->size = answer->said.length = 0;
    NB_TRY(nb_new_copy(&out->program, NB_PROGRAM, "the report", &wrong));
    NB_TRY(nb_report_entitle(out, &wrong));
    NB_TRY(nb_sweep_count(&out->model, &answer->count, &wrong));
    NB_TRY(answer_points(answer, &judged, &wrong));
    NB_TRY(answer_stream(answer, NULL, &wrong));
    if (answer->judged.status == NB_OK)
        answer_place(question, &out->model, &judged, &answer->judged);
done:
    return answer_place(question, &out->model, &wrong, err);
}

/* Shows the reports in the format asked for, or else everything that was
 * computed, as text if that was asked for, else as XML.
 *
 * refused  out: the reason, if so */
static enum nb_status answer_show(const struct nb_invocation *invocation,
                                  struct nb_report *reports, size_t count,
                                  struct nb_text *text,
                                  struct nb_error *refused,
                                  struct nb_error *err)
{
    struct nb_invocation whole = *invocation;
    struct nb_exhibit *exhibits = NULL;
    enum nb_status status, shown = NB_OK;
    NB_TRY(nb_new(&exhibits, count, sizeof *exhibits, "reports", err));
    for (size_t i = 0; i < count; i++) {
        exhibits[i].report = &reports[i];
        if (shown == NB_OK)
            shown = nb_shown_check(&reports[i], refused);
    }
    if (shown == NB_OK)
        shown = nb_show(invocation, exhibits, count, text, refused);
    if (shown == NB_NO_MEMORY)
        NB_TRY(nb_fail_again(err, shown, refused));
    if (shown == NB_OK)
        goto done;
    const bool is_text =
        invocation->format == NB_FORMAT_TEXT && invocation->style == NULL;
    whole.format = is_text || count > 1 ? NB_FORMAT_TEXT : NB_FORMAT_XML;
    whole.style = NULL;
    whole.table.text = NULL;
    for (size_t i = 0; i < count; i++)
        NB_TRY(nb_model_set_show(&reports[i].model, NULL, err));
    nb_text_release(text);
    NB_TRY(nb_show(&whole, exhibits, count, text, err));
done:
    nb_delete(exhibits);
    return status;
}

/* Writes the question's own files, from the only point: a sweep has none. */
static enum nb_status answer_write_files(struct answer *answer,
                                         struct nb_error *err)
{
    const struct nb_report *report = answer->report;
    bool is_any = false;
    for (size_t i = 0; i < NB_OUTPUTS; i++)
        is_any = is_any || answer->question->outputs[i] != NULL;
    if (!is_any)
        return NB_OK;
    struct nb_ask ask = answer->ask;
    ask.run = nb_progress_run(answer->question);
    ask.run.deal = NULL; /* other ranks do not write */
    ask.written = NULL;
    const enum nb_status status = nb_ask_write(&ask, &report->points[0], err);
    nb_progress_end();
    return status;
}

static enum nb_status answer_save_model(const struct answer *answer,
                                        struct nb_error *err)
{
    const char *path = answer->question->save_model.text;
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    if (path == NULL)
        return NB_OK;
    nb_model_write(&answer->report->model, true, 0, &text);
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(nb_file_write(path, text.bytes, text.length, err));
done:
    nb_text_release(&text);
    return status;
}

/* Writes everything on the first rank. What is shown whole goes to standard
 * output, since the file should hold something else. */
static enum nb_status answer_write(struct answer *answer,
                                   struct nb_report *reports, size_t count,
                                   struct nb_error *err)
{
    const char *path = answer->question->output.text;
    struct answer_stream *asked = &answer->streams[0];
    const struct nb_error *refused = &asked->refused;
    enum nb_status status = NB_OK;
    if (answer->stream_count == 0)
        NB_TRY(answer_show(answer->question, reports, count, &asked->spool.text,
                           &asked->refused, err));
    NB_TRY(answer_write_files(answer, err));
    NB_TRY(answer_save_model(answer, err));
    const bool is_refused = refused->status != NB_OK;
    NB_TRY(nb_output_write_spool(
        is_refused ? NULL : path,
        &answer->streams[is_refused && answer->stream_count == 2].spool, err));
    if (is_refused && path != NULL)
        NB_TRY(nb_fail(err, refused->status,
                       "\"%.200s\" is not written, and the answer is shown "
                       "whole: %s",
                       path, refused->message));
    if (is_refused)
        NB_TRY(nb_fail(err, refused->status, "the answer is shown whole: %s",
                       refused->message));
    if (answer->judged.status != NB_OK)
        NB_TRY(nb_fail_again(err, answer->judged.status, &answer->judged));
done:
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

static enum nb_status answer_keep(const struct nb_invocation *invocation,
                                  struct nb_error *err)
{
    const char *path = invocation->checkpoint.text;
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    if (path == NULL)
        return NB_OK;
    invocation->deal->lose = answer_lose;
    NB_TRY(nb_ask_keep(&invocation->model, path, invocation->deal, err));
    if (nb_ranks_is_first()) {
        nb_checkpoint_tell(invocation->deal->kept, &text);
        if (text.length > 0)
            fprintf(stderr, "netbound: %s", text.bytes);
    }
    if (!invocation->deal->is_lost)
        nb_interrupt_keep(path);
done:
    nb_text_release(&text);
    return status;
}

enum nb_status nb_answer(struct nb_invocation *questions, size_t count,
                         struct nb_error *err)
{
    struct nb_report *reports = NULL;
    struct answer answer = { 0 };
    enum nb_status status;
    NB_TRY(nb_new(&reports, count, sizeof *reports, "reports", err));
    for (size_t i = 0; i < count; i++)
        NB_TRY(nb_answer_prepare(&questions[i], err));
    NB_TRY(answer_keep(&questions[0], err));
    NB_TRY(answer_begin(&answer, &questions[0], err));
    for (size_t i = 0; i < count; i++)
        NB_TRY(answer_find(&answer, &questions[i], &reports[i], err));
    if (nb_ranks_is_first())
        NB_TRY(answer_write(&answer, reports, count, err));
done:
    answer_release(&answer);
    for (size_t i = 0; i < count && reports != NULL; i++) {
        if (reports[i].model.command != NULL)
            questions[i].model = reports[i].model;
        reports[i].model = (struct nb_model){ 0 };
        nb_report_release(&reports[i]);
    }
    nb_delete(reports);
    return status;
}
