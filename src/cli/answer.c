/* Answering a question (declared in command.h). */
#include "cli/command.h"

#include "cli/interrupt.h"
#include "cli/version.h"
#include "core/clock.h"
#include "core/memory.h"
#include "report/shown.h"

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
    if (path != NULL)
        return nb_file_write(path, text->bytes, text->length, err);
    const size_t written = fwrite(text->bytes, 1, text->length, stdout);
    if (written == text->length && fflush(stdout) == 0)
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

enum nb_status nb_answer_find(struct nb_invocation *invocation,
                              struct nb_report *out, struct nb_error *err)
{
    const double start = nb_clock_now();
    int threads = 1;
    size_t count;
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
    NB_TRY(nb_sweep_count(&out->model, &count, err));
    for (size_t i = 0; i < count; i++)
        NB_TRY(answer_point(invocation, i, &threads, out, err));
    out->made = (struct nb_made){ threads, nb_clock_now() - start };
    NB_TRY(nb_model_check_text(&out->model, err));
    NB_TRY(nb_shown_check(out, err));
done:
    return status;
}

enum nb_status nb_answer_judge(const struct nb_report *report,
                               struct nb_error *err)
{
    const struct nb_command *command = nb_command_find(report->model.command);
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < report->point_count && status == NB_OK; i++)
        if (command->judge != NULL)
            status = command->judge(&report->points[i], err);
    return status;
}

enum nb_status nb_answer(struct nb_invocation *invocation, struct nb_error *err)
{
    struct nb_report report = { 0 };
    struct nb_text text = { 0 };
    const struct nb_exhibit exhibit = { .report = &report,
                                        .table = invocation->table };
    enum nb_status status;
    NB_TRY(nb_answer_find(invocation, &report, err));
    NB_TRY(nb_show(invocation, &exhibit, 1, &text, err));
    invocation->model = report.model;
    report.model = (struct nb_model){ 0 };
    NB_TRY(answer_write(invocation, &report, err));
    NB_TRY(answer_save_model(invocation, err));
    report.model = invocation->model;
    invocation->model = (struct nb_model){ 0 };
    NB_TRY(nb_output_write(invocation->output, &text, err));
    NB_TRY(nb_answer_judge(&report, err));
done:
    nb_text_release(&text);
    nb_report_release(&report);
    return status;
}
