/* Answering a question (declared in command.h). */
#include "cli/command.h"

#include "cli/version.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

const struct nb_command *nb_command_find(const char *name)
{
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        if (strcmp(nb_commands[i]->name, name) == 0)
            return nb_commands[i];
    return NULL;
}

enum nb_status nb_output_write(const char *path, const struct nb_text *text,
                               struct nb_error *err)
{
    if (path != NULL)
        return nb_file_write(path, text->bytes, text->length, err);
    const size_t written = fwrite(text->bytes, 1, text->length, stdout);
    if (written != text->length || fflush(stdout) != 0)
        return nb_fail(err, NB_IO,
                       "cannot write the report to standard "
                       "output");
    return NB_OK;
}

static bool answer_is_swept(const struct nb_model *model, const char *name)
{
    for (size_t i = 0; i < model->sweep_count; i++)
        if (strcmp(model->sweeps[i].name, name) == 0)
            return true;
    return false;
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
    for (size_t i = 0; i < model->option_count; i++)
        if (answer_is_swept(model, model->options[i].name))
            NB_TRY(nb_fail(err, NB_USAGE,
                           "%s is both given and swept (permitted: one of "
                           "them)",
                           model->options[i].name));
    if (count > 1)
        for (size_t i = 0; i < 4; i++)
            if (invocation->outputs[i] != NULL)
                NB_TRY(nb_fail(err, NB_USAGE,
                               "--%s writes one file and cannot be used with "
                               "a sweep",
                               invocation->command->outputs[i].name));
    for (const struct nb_parameter *row = invocation->command->options;
         row->name != NULL; row++)
        if (nb_model_get(model, row->name) == NULL && row->initial != NULL &&
            *row->initial != '\0' && !answer_is_swept(model, row->name))
            NB_TRY(nb_model_set(model, row->name, row->initial, err));
    NB_TRY(nb_sweep_model(invocation->command, model, 0, &first, &unused, err));
    NB_TRY(nb_model_pin_inputs(model, err));
done:
    nb_point_release(&unused);
    nb_model_release(&first);
    return status;
}

static enum nb_status answer_point(struct nb_invocation *invocation,
                                   size_t index, struct nb_report *report,
                                   struct nb_error *err)
{
    struct nb_model here = { 0 };
    struct nb_point *point = nb_report_add_point(report);
    if (point == NULL)
        return nb_fail(err, NB_NO_MEMORY, "no memory for the report");
    enum nb_status status = nb_sweep_model(invocation->command, &report->model,
                                           index, &here, point, err);
    if (status == NB_OK) {
        const struct nb_question question = {
            .model = &here,
            .run = nb_progress_run(invocation),
            .outputs = invocation->outputs,
        };
        status = invocation->command->answer(&question, point, err);
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

enum nb_status nb_answer(struct nb_invocation *invocation, struct nb_error *err)
{
    struct nb_report report = { 0 };
    struct nb_text text = { 0 };
    size_t count;
    enum nb_status status = NB_OK;
    if (invocation->model.command == NULL)
        invocation->model.command = nb_new_string(invocation->command->name);
    NB_TRY(answer_complete(invocation, err));
    report.model = invocation->model;
    invocation->model = (struct nb_model){ 0 };
    report.program = nb_new_string(NB_PROGRAM);
    NB_TRY(report.program != NULL && report.model.command != NULL
               ? NB_OK
               : nb_fail(err, NB_NO_MEMORY, "no memory for the report"));
    NB_TRY(nb_sweep_count(&report.model, &count, err));
    for (size_t i = 0; i < count; i++)
        NB_TRY(answer_point(invocation, i, &report, err));
    NB_TRY(nb_report_write(&report, invocation->format, invocation->table,
                           &text, err));
    invocation->model = report.model;
    report.model = (struct nb_model){ 0 };
    if (invocation->command->write != NULL)
        NB_TRY(invocation->command->write(invocation->outputs,
                                          &report.points[0], err));
    NB_TRY(answer_save_model(invocation, err));
    NB_TRY(nb_output_write(invocation->output, &text, err));
done:
    nb_text_release(&text);
    nb_report_release(&report);
    return status;
}
