/* Shows reports in the format asked for (declared in command.h). */
#include "cli/command.h"

#include "core/memory.h"
#include "explain/explain.h"
#include "export/export.h"
#include "report/wrap.h"
#include "ask/find.h"
#include "model/search.h"

#include <string.h>

bool nb_shows_points(const struct nb_invocation *invocation)
{
    return invocation->style == NULL && invocation->format != NB_FORMAT_TEXT;
}

const char *nb_shown_table(const struct nb_invocation *invocation,
                           const struct nb_command *command)
{
    return invocation->table.text == NULL && command != NULL &&
                   invocation->format == NB_FORMAT_CSV
               ? command->form->main_table
               : invocation->table.text;
}

/* The command decides what is shown by default. */
static enum nb_status show_report(const struct nb_invocation *invocation,
                                  const struct nb_exhibit *exhibit,
                                  struct nb_text *text, struct nb_error *err)
{
    const struct nb_report *report = exhibit->report;
    const struct nb_command *command = nb_command_find(report->model.command);
    const char *table = nb_shown_table(invocation, command);
    if (invocation->format != NB_FORMAT_TEXT)
        return nb_report_write(report, invocation->format, table, text, err);
    struct nb_look look = invocation->look;
    struct nb_text own = { 0 };
    enum nb_status status = NB_OK;
    const bool is_whole = command != NULL && command->question->print != NULL &&
                          table == NULL && report->model.show_count == 0;
    for (size_t i = 0; is_whole && i < report->point_count; i++)
        NB_TRY(command->question->print(&report->points[i], &look, &own, err));
    if (own.length > 0 && command->question->prints_first) {
        nb_text_fit(&own, 0, &look);
        look.lead = own.bytes;
    }
    NB_TRY(nb_text_check(&own, err));
    NB_TRY(nb_report_print(report, table, &look, text, err));
    const size_t start = text->length;
    if (own.length > 0 && look.lead == NULL)
        nb_text_add(text, own.bytes, own.length);
    if (invocation->explains.flag)
        NB_TRY(nb_explain_print(report, text, err));
    if (text->length > start)
        nb_text_fit(text, start, &look);
    NB_TRY(nb_text_check(text, err));
done:
    nb_text_release(&own);
    return status;
}

enum nb_status nb_invocation_show(const struct nb_invocation *invocation,
                                  struct nb_model *model, struct nb_error *err)
{
    struct nb_error inner = { 0 };
    enum nb_status status = NB_OK;
    if (invocation->title.text != NULL) {
        nb_delete(model->title);
        NB_TRY(
            nb_new_copy(&model->title, invocation->title.text, "a title", err));
    }
    if (invocation->show.text == NULL)
        return NB_OK;
    status = nb_model_set_show(model, invocation->show.text, &inner);
    if (status != NB_OK)
        NB_TRY(nb_fail(err, status == NB_INVALID ? NB_USAGE : status, "--%s",
                       inner.message));
done:
    return status;
}

/* Refuses a table that only exists with a flag of its name, if that is
 * missing. */
static enum nb_status show_check_flag(const struct nb_invocation *invocation,
                                      const char *item, struct nb_error *err)
{
    const struct nb_model *model = &invocation->model;
    const size_t length = strcspn(item, ".");
    for (const struct nb_parameter *row = invocation->command->form->options;
         row->name != NULL; row++) {
        const char *value = nb_model_get(model, row->name);
        if (row->type == NB_FLAG && strlen(row->name) == length &&
            strncmp(row->name, item, length) == 0 &&
            !nb_model_sweeps(model, row->name) &&
            (value == NULL || strcmp(value, "no") == 0))
            return nb_fail(err, NB_USAGE,
                           "table %s is in the answer only with --%s (see: "
                           "netbound help %s)",
                           row->name, row->name,
                           invocation->command->form->name);
    }
    return NB_OK;
}

static enum nb_status show_refuse(const struct nb_command *command,
                                  const char *what, const char *name,
                                  const char *permitted,
                                  const struct nb_suggestion *near,
                                  struct nb_error *err)
{
    struct nb_text tables = { 0 };
    char meant[NB_SUGGESTED];
    nb_form_print_tables(command->form, ", ", &tables);
    enum nb_status status = nb_text_check(&tables, err);
    if (status == NB_OK)
        status = nb_fail(err, NB_INVALID,
                         "an answer of %s has no %s \"%.60s\"%s (permitted: "
                         "%s%s)",
                         command->form->name, what, name,
                         nb_suggestion_print(near, "", meant), permitted,
                         tables.length > 0 ? tables.bytes : "none");
    nb_text_release(&tables);
    return status;
}

/* Checks that an answer may have the table, or the quantity or table that an
 * item of --show begins with. Symbols of formulas also count; only the finished
 * answer distinguishes them from quantities. */
static enum nb_status show_check_item(const struct nb_invocation *invocation,
                                      const char *item, bool is_table,
                                      struct nb_error *err)
{
    const struct nb_command *command = invocation->command;
    const struct nb_model *model = &invocation->model;
    struct nb_text tables = { 0 };
    struct nb_suggestion near = {
        .typed = item,
        .length = is_table ? strlen(item) : strcspn(item, "."),
    };
    if (!is_table &&
        nb_find_has_quantity(command->form, item, near.length, &near))
        return NB_OK;
    nb_form_print_tables(command->form, " ", &tables);
    nb_text_add(&tables, "", 0);
    enum nb_status status = NB_OK;
    NB_TRY(nb_text_check(&tables, err));
    nb_suggest_words(&near, tables.bytes, ' ');
    if (nb_word_is_in(tables.bytes, ' ', item, near.length))
        status = show_check_flag(invocation, item, err);
    else if ((is_table || !nb_find_is_found(model, item)) &&
             !(nb_model_is_search(model) &&
               nb_word_is_in(NB_FIND_TRIALS, ' ', item, near.length)))
        status =
            show_refuse(command, is_table ? "table" : "quantity or table", item,
                        is_table ? "" : "its quantities; tables ", &near, err);
done:
    nb_text_release(&tables);
    return status;
}

enum nb_status nb_show_check_names(const struct nb_invocation *invocation,
                                   struct nb_error *err)
{
    const struct nb_model *model = &invocation->model;
    enum nb_status status = NB_OK;
    if (invocation->table.text != NULL)
        NB_TRY(show_check_item(invocation, invocation->table.text, true, err));
    for (size_t i = 0; i < model->show_count; i++)
        NB_TRY(show_check_item(invocation, model->show[i], false, err));
done:
    return status;
}

enum nb_status nb_show_check(const struct nb_invocation *invocation,
                             size_t count, struct nb_error *err)
{
    if (count == 1 || invocation->style != NULL ||
        invocation->format == NB_FORMAT_TEXT)
        return NB_OK;
    return nb_fail(err, NB_USAGE,
                   "%s holds one report, got %zu files (permitted: one file, "
                   "or another format)",
                   nb_format_names[invocation->format], count);
}

enum nb_status nb_show(const struct nb_invocation *invocation,
                       struct nb_exhibit *exhibits, size_t count,
                       struct nb_text *text, struct nb_error *err)
{
    for (size_t i = 0; i < count; i++) {
        exhibits[i].table = invocation->table.text;
        exhibits[i].numbers = (enum nb_numbers)invocation->numbers.choice;
    }
    enum nb_status status = nb_show_check(invocation, count, err);
    if (status == NB_OK && invocation->style != NULL)
        return nb_export_write(invocation->style, exhibits, count, text, err);
    for (size_t i = 0; i < count && status == NB_OK; i++) {
        if (i > 0)
            nb_text_print(text, "\n");
        if (count > 1 && invocation->word_count == count)
            nb_text_print(text, "%s:\n", invocation->words[i]);
        status = show_report(invocation, &exhibits[i], text, err);
    }
    return status;
}
