/* Showing reports in the format asked for (declared in command.h). */
#include "cli/command.h"

#include "explain/explain.h"
#include "export/export.h"

bool nb_shows_points(const struct nb_invocation *invocation)
{
    return invocation->style == NULL && invocation->format != NB_FORMAT_TEXT;
}

const char *nb_shown_table(const struct nb_invocation *invocation,
                           const struct nb_command *command)
{
    return invocation->table == NULL && command != NULL &&
                   invocation->format == NB_FORMAT_CSV
               ? command->main_table
               : invocation->table;
}

/* The command has a say in what is shown when nothing is named. */
static enum nb_status show_report(const struct nb_invocation *invocation,
                                  const struct nb_exhibit *exhibit,
                                  struct nb_text *text, struct nb_error *err)
{
    const struct nb_report *report = exhibit->report;
    const struct nb_command *command = nb_command_find(report->model.command);
    const char *table = exhibit->table;
    enum nb_status status =
        nb_report_print(report, table, &invocation->look, text, err);
    const bool is_whole = command != NULL && command->print != NULL &&
                          table == NULL && report->model.show_count == 0;
    for (size_t i = 0; is_whole && i < report->point_count && status == NB_OK;
         i++)
        status =
            command->print(&report->points[i], &invocation->look, text, err);
    if (status == NB_OK && invocation->explains)
        status = nb_explain_print(report, text, err);
    return status;
}

enum nb_status nb_invocation_show(const struct nb_invocation *invocation,
                                  struct nb_model *model, struct nb_error *err)
{
    struct nb_error inner = { 0 };
    if (invocation->show == NULL)
        return NB_OK;
    const enum nb_status status =
        nb_model_set_show(model, invocation->show, &inner);
    if (status == NB_INVALID)
        return nb_fail(err, NB_USAGE, "--%s", inner.message);
    return status == NB_OK ? NB_OK : nb_fail(err, status, "%s", inner.message);
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
                   invocation->format == NB_FORMAT_XML ? "xml" : "csv", count);
}

enum nb_status nb_show(const struct nb_invocation *invocation,
                       const struct nb_exhibit *exhibits, size_t count,
                       struct nb_text *text, struct nb_error *err)
{
    enum nb_status status = nb_show_check(invocation, count, err);
    if (status == NB_OK && invocation->style != NULL)
        return nb_export_write(invocation->style, exhibits, count, text, err);
    for (size_t i = 0; i < count && status == NB_OK; i++) {
        if (i > 0)
            nb_text_print(text, "\n");
        status = show_report(invocation, &exhibits[i], text, err);
    }
    return status;
}
