/* Answering a question (declared in command.h). */
#include "cli/command.h"

#include "cli/interrupt.h"
#include "cli/version.h"
#include "core/clock.h"
#include "core/memory.h"
#include "report/format.h"
#include "report/shown.h"
#include "report/writer.h"

#include <stdio.h>
#include <string.h>

const struct nb_command *nb_command_find(const char *name)
{
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        if (strcmp(nb_commands[i]->name, name) == 0)
            return nb_commands[i];
    return NULL;
}

const char *nb_command_suggest(const char *name, char out[NB_SUGGESTED])
{
    struct nb_suggestion near = { .typed = name, .length = strlen(name) };
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        nb_suggest(&near, nb_commands[i]->name, strlen(nb_commands[i]->name));
    return nb_suggestion_print(&near, "", out);
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
    return nb_fail(err, NB_IO, "cannot write the report to standard output");
}

static bool answer_is_swept(const struct nb_model *model, const char *name)
{
    for (size_t i = 0; i < model->sweep_count; i++)
        if (strcmp(model->sweeps[i].name, name) == 0)
            return true;
    return false;
}

/* Whether a specification such as dor:ties=plus names the key. */
static bool answer_sets_key(const char *specification, const char *key)
{
    const size_t length = strlen(key);
    const char *part = strchr(specification, ':');
    for (; part != NULL; part = strchr(part, ',')) {
        part++;
        if (strncmp(part, key, length) == 0 && part[length] == '=')
            return true;
    }
    return false;
}

/* Nothing is both given and swept, neither an option nor a part of it. */
static enum nb_status answer_check_sweeps(const struct nb_model *model,
                                          struct nb_error *err)
{
    for (size_t i = 0; i < model->option_count; i++) {
        const struct nb_model_option *option = &model->options[i];
        const size_t length = strlen(option->name);
        if (answer_is_swept(model, option->name))
            return nb_fail(err, NB_USAGE,
                           "%s is both given and swept (permitted: one of "
                           "them)",
                           option->name);
        for (size_t k = 0; k < model->sweep_count; k++) {
            const char *name = model->sweeps[k].name;
            if (strncmp(name, option->name, length) == 0 &&
                name[length] == '.' &&
                answer_sets_key(option->value, name + length + 1))
                return nb_fail(err, NB_USAGE,
                               "%s is set both in --%s %.60s and by --sweep "
                               "%s (permitted: one of them)",
                               name + length + 1, option->name, option->value,
                               name);
        }
    }
    return NB_OK;
}

/* Two files under one name would leave only the one written last. */
static enum nb_status answer_check_paths(const struct nb_invocation *invocation,
                                         struct nb_error *err)
{
    const char *path[NB_OUTPUTS + 2] = { invocation->output,
                                         invocation->save_model };
    const char *name[NB_OUTPUTS + 2] = { "output", "save-model" };
    for (size_t i = 0; i < NB_OUTPUTS; i++) {
        path[i + 2] = invocation->outputs[i];
        if (path[i + 2] != NULL)
            name[i + 2] = invocation->command->outputs[i].name;
    }
    for (size_t i = 0; i < NB_OUTPUTS + 2; i++)
        for (size_t k = 0; k < i && path[i] != NULL; k++)
            if (path[k] != NULL && strcmp(path[i], path[k]) == 0)
                return nb_fail(err, NB_USAGE,
                               "--%s and --%s both write \"%.60s\" "
                               "(permitted: a file each)",
                               name[k], name[i], path[i]);
    return NB_OK;
}

/* A sweep may stand in for an option that must be given. */
static enum nb_status answer_complete(struct nb_invocation *invocation,
                                      struct nb_error *err)
{
    struct nb_model *model = &invocation->model;
    struct nb_model first = { 0 };
    struct nb_point unused = { 0 };
    enum nb_status status = NB_OK;
    size_t count;
    NB_TRY(nb_sweep_count(model, &count, err));
    NB_TRY(answer_check_sweeps(model, err));
    NB_TRY(answer_check_paths(invocation, err));
    if (count > 1)
        for (size_t i = 0; i < NB_OUTPUTS; i++)
            if (invocation->outputs[i] != NULL)
                NB_TRY(nb_fail(err, NB_USAGE,
                               "--%s writes one file and cannot be used with "
                               "a sweep",
                               invocation->command->outputs[i].name));
    for (const struct nb_parameter *row = invocation->command->options;
         row->name != NULL; row++)
        if (nb_model_get(model, row->name) == NULL &&
            nb_model_has_initial(model, row) &&
            !answer_is_swept(model, row->name))
            NB_TRY(nb_model_set(model, row->name, row->initial, err));
    NB_TRY(nb_sweep_model(invocation->command, model, 0, &first, &unused, err));
    NB_TRY(nb_model_pin_files(invocation->command, model, err));
done:
    nb_point_release(&unused);
    nb_model_release(&first);
    return status;
}

static enum nb_status answer_point(struct nb_invocation *invocation,
                                   size_t index, int *threads,
                                   struct nb_report *report,
                                   struct nb_error *err)
{
    struct nb_model here = { 0 };
    struct nb_point *point = nb_report_add_point(report);
    if (point == NULL)
        return nb_fail(err, NB_NO_MEMORY, "no memory for the report");
    enum nb_status status = nb_sweep_model(invocation->command, &report->model,
                                           index, &here, point, err);
    if (status == NB_OK) {
        struct nb_question question = {
            .model = &here,
            .run = nb_progress_run(invocation),
            .outputs = invocation->outputs,
        };
        question.run.most_threads = threads;
        status = invocation->command->answer(&question, point, err);
        nb_point_note_clock(point, &here);
        nb_progress_end();
    }
    if (status == NB_OK)
        status = nb_point_check(point, err);
    nb_model_release(&here);
    return status;
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

/* The command's own files, from the only point: a sweep has none. */
static enum nb_status answer_write(const struct nb_invocation *invocation,
                                   const struct nb_report *report,
                                   struct nb_error *err)
{
    const struct nb_command *command = invocation->command;
    struct nb_model here = { 0 };
    struct nb_point unused = { 0 };
    bool is_any = false;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < NB_OUTPUTS; i++)
        is_any = is_any || invocation->outputs[i] != NULL;
    if (!is_any)
        return NB_OK;
    NB_TRY(nb_sweep_model(command, &invocation->model, 0, &here, &unused, err));
    const struct nb_question question = {
        .model = &here,
        .run = nb_progress_run(invocation),
        .outputs = invocation->outputs,
    };
    status = command->write(&question, &report->points[0], err);
    nb_progress_end();
done:
    nb_point_release(&unused);
    nb_model_release(&here);
    return status;
}

/* What becomes of the points: CSV and XML are written as they come, and only
 * the last one is kept. For what is shown otherwise all are. */
struct answer_use {
    bool is_streamed;
    struct nb_report_writer writer;
    struct nb_spool spool;
    struct nb_text point; /* as XML */
    size_t size;          /* of all points as XML */
    enum nb_status verdict;
    struct nb_error judged;
};

static void answer_use_release(struct answer_use *use)
{
    nb_writer_release(&use->writer);
    nb_spool_release(&use->spool);
    nb_text_release(&use->point);
}

/* A report that is held is no larger than one that is read as a whole. */
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
                       "%s needs the whole answer, which with point %zu of "
                       "%zu is larger than %d bytes as xml (permitted: that "
                       "size, or --format csv or xml, of any size)",
                       invocation->style != NULL ? invocation->style : "text",
                       index + 1, count, NB_REPORT_BYTES));
done:
    return status;
}

static enum nb_status answer_judge_point(const struct nb_command *command,
                                         const struct nb_point *point,
                                         struct nb_error *err)
{
    return command->judge != NULL ? command->judge(point, err) : NB_OK;
}

static enum nb_status answer_points(struct nb_invocation *invocation,
                                    struct nb_report *report,
                                    struct answer_use *use,
                                    struct nb_error *err)
{
    const double start = nb_clock_now();
    int threads = 1;
    size_t count;
    enum nb_status status;
    NB_TRY(nb_sweep_count(&report->model, &count, err));
    if (use->is_streamed)
        NB_TRY(nb_writer_begin(&use->writer, &report->model, report->program,
                               err));
    for (size_t i = 0; i < count; i++) {
        if (use->is_streamed && i > 0)
            nb_point_release(&report->points[--report->point_count]);
        NB_TRY(answer_point(invocation, i, &threads, report, err));
        const struct nb_point *point = &report->points[report->point_count - 1];
        NB_TRY(use->is_streamed
                   ? nb_writer_add(&use->writer, point, err)
                   : answer_hold(invocation, point, i, count, use, err));
        if (use->verdict == NB_OK)
            use->verdict =
                answer_judge_point(invocation->command, point, &use->judged);
    }
    report->made = (struct nb_made){ threads, nb_clock_now() - start };
done:
    return status;
}

static enum nb_status answer_find(struct nb_invocation *invocation,
                                  struct nb_report *out, struct answer_use *use,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (invocation->model.command == NULL)
        invocation->model.command = nb_new_string(invocation->command->name);
    NB_TRY(nb_invocation_show(invocation, &invocation->model, err));
    NB_TRY(answer_complete(invocation, err));
    out->model = invocation->model;
    invocation->model = (struct nb_model){ 0 };
    out->program = nb_new_string(NB_PROGRAM);
    NB_TRY(out->program != NULL && out->model.command != NULL
               ? NB_OK
               : nb_fail(err, NB_NO_MEMORY, "no memory for the report"));
    NB_TRY(answer_points(invocation, out, use, err));
    NB_TRY(nb_model_check_text(&out->model, err));
    NB_TRY(use->is_streamed ? nb_writer_end(&use->writer, &out->made, err)
                            : nb_shown_check(out, err));
done:
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

enum nb_status nb_answer_judge(const struct nb_report *report,
                               struct nb_error *err)
{
    const struct nb_command *command = nb_command_find(report->model.command);
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < report->point_count && status == NB_OK; i++)
        status = answer_judge_point(command, &report->points[i], err);
    return status;
}

/* Whether the answer is written as it comes, and how. */
static void answer_use_begin(const struct nb_invocation *invocation,
                             struct answer_use *use)
{
    use->is_streamed = nb_shows_points(invocation);
    use->writer.format = invocation->format;
    use->writer.table = nb_shown_table(invocation, invocation->command);
    use->writer.out = &use->spool;
    use->spool.place = invocation->output;
}

enum nb_status nb_answer(struct nb_invocation *invocation, struct nb_error *err)
{
    struct nb_report report = { 0 };
    struct answer_use use = { 0 };
    const struct nb_exhibit exhibit = { .report = &report,
                                        .table = invocation->table };
    enum nb_status status;
    answer_use_begin(invocation, &use);
    NB_TRY(answer_find(invocation, &report, &use, err));
    if (!use.is_streamed)
        NB_TRY(nb_show(invocation, &exhibit, 1, &use.spool.text, err));
    invocation->model = report.model;
    report.model = (struct nb_model){ 0 };
    NB_TRY(answer_write(invocation, &report, err));
    NB_TRY(answer_save_model(invocation, err));
    NB_TRY(nb_output_write_spool(invocation->output, &use.spool, err));
    if (use.verdict != NB_OK)
        NB_TRY(nb_fail(err, use.verdict, "%s", use.judged.message));
done:
    answer_use_release(&use);
    nb_report_release(&report);
    return status;
}
