/* netbound export: reports as pages, tables, pictures and notebooks. */
#include "cli/command.h"

#include "core/memory.h"
#include "core/ranks.h"
#include "core/utf8.h"
#include "export/export.h"
#include "ask/title.h"
#include "report/reader.h"
#include "report/shown.h"
#include "report/writer.h"
#include "ask/written.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const struct nb_parameter export_options[] = {
    NB_COMMAND_OPTION("to", OUTPUT, CHOICE, NULL,
                      "format to convert the report to", .is_first = true,
                      .choices = nb_export_choices),
    NB_COMMAND_OPTION("verify", OUTPUT, FLAG, "no",
                      "verify the report first; html states the verdict",
                      .is_first = true),
    NB_OPTION_INPUTS("verify"),
    { 0 },
};

/* A report that was read, and what verify said of it. */
struct export_file {
    struct nb_report report;
    struct nb_text said;
};

static bool export_verifies(const struct nb_invocation *invocation)
{
    const char *verify = nb_model_get(&invocation->model, "verify");
    return verify != NULL && strcmp(verify, "yes") == 0;
}

static enum nb_status export_read(const struct nb_invocation *invocation,
                                  const char *path, struct export_file *file,
                                  struct nb_exhibit *exhibit,
                                  struct nb_error *err)
{
    const bool verifies = export_verifies(invocation);
    const struct nb_written written = nb_outputs_find(invocation);
    struct nb_report *report = &file->report;
    struct nb_report_reader *reader = NULL;
    enum nb_status status;
    NB_TRY(nb_reader_open(path, NB_REPORT_BYTES, verifies, &reader, err));
    if (verifies) {
        NB_TRY(
            nb_invocation_verify(invocation, path, reader, &file->said, err));
        NB_TRY(nb_reader_rewind(reader, false, err));
    }
    NB_TRY(nb_reader_read_all(reader, report, err));
    NB_TRY(nb_written_check_model(&written, &report->model, err));
    NB_TRY(nb_invocation_show(invocation, &report->model, err));
    NB_TRY(nb_report_entitle(report, err));
    NB_TRY(nb_shown_check(report, err));
    *exhibit = (struct nb_exhibit){
        .report = report,
        .file = nb_file_name(path),
        .verified = file->said.bytes,
        .is_digest_right = nb_reader_is_digest_right(reader, NULL),
    };
done:
    nb_reader_close(reader);
    return status;
}

static void export_note_digest(const char *path, bool is_right)
{
    char note[512];
    snprintf(note, sizeof note,
             "note: \"%.400s\" was changed: its digest does not match", path);
    nb_utf8_make_plain(note);
    if (!is_right && nb_ranks_is_first())
        fprintf(stderr, "netbound: %s\n", note);
}

/* Goes through the remaining points, either to collect their names in the
 * outline or to write them. */
static enum nb_status export_each(struct nb_report_reader *reader,
                                  struct nb_report *outline,
                                  struct nb_report_writer *writer,
                                  struct nb_error *err)
{
    struct nb_point point = { 0 };
    bool is_there;
    enum nb_status status;
    NB_TRY(nb_reader_next(reader, &point, &is_there, err));
    while (is_there) {
        NB_TRY(writer != NULL ? nb_writer_add(writer, &point, err)
                              : nb_outline_add(outline, &point, err));
        nb_point_release(&point);
        NB_TRY(nb_reader_next(reader, &point, &is_there, err));
    }
done:
    nb_point_release(&point);
    return status;
}

/* CSV or JSON, point by point, in two passes, since the header of CSV names all
 * swept options. */
static enum nb_status export_points(const struct nb_invocation *invocation,
                                    const char *path, struct nb_error *err)
{
    const struct nb_written written = nb_outputs_find(invocation);
    struct nb_report_reader *reader = NULL;
    struct nb_text said = { 0 };
    struct nb_spool spool = { .place = invocation->output.text };
    struct nb_report_writer writer = { .format = invocation->format,
                                       .out = &spool };
    enum nb_status status;
    NB_TRY(nb_reader_open(path, SIZE_MAX, true, &reader, err));
    if (export_verifies(invocation)) {
        NB_TRY(nb_invocation_verify(invocation, path, reader, &said, err));
        NB_TRY(nb_reader_rewind(reader, false, err));
    }
    NB_TRY(export_each(reader, &writer.outline, NULL, err));
    NB_TRY(nb_reader_rewind(reader, false, err));
    struct nb_model *model = &nb_reader_head(reader)->model;
    NB_TRY(nb_written_check_model(&written, model, err));
    NB_TRY(nb_invocation_show(invocation, model, err));
    writer.table = nb_shown_table(invocation, nb_command_find(model->command));
    const struct nb_report *head = nb_reader_head(reader);
    NB_TRY(nb_writer_begin(&writer, model, head->program, err));
    NB_TRY(export_each(reader, NULL, &writer, err));
    NB_TRY(nb_writer_end(&writer, &head->made, err));
    NB_TRY(nb_output_write_spool(invocation->output.text, &spool, err));
    export_note_digest(nb_file_name(path),
                       nb_reader_is_digest_right(reader, NULL));
done:
    nb_writer_release(&writer);
    nb_spool_release(&spool);
    nb_text_release(&said);
    nb_reader_close(reader);
    return status;
}

static enum nb_status export_files(const struct nb_invocation *invocation,
                                   struct nb_error *err)
{
    const size_t count = invocation->word_count;
    struct export_file *files = NULL;
    struct nb_exhibit *exhibits = NULL;
    struct nb_text text = { 0 };
    enum nb_status status;
    NB_TRY(nb_new(&files, count, sizeof *files, "reports", err));
    NB_TRY(nb_new(&exhibits, count, sizeof *exhibits, "reports", err));
    for (size_t i = 0; i < count; i++)
        NB_TRY(export_read(invocation, invocation->words[i], &files[i],
                           &exhibits[i], err));
    NB_TRY(nb_show(invocation, exhibits, count, &text, err));
    NB_TRY(nb_output_write(invocation->output.text, &text, err));
    for (size_t i = 0; i < count; i++)
        export_note_digest(exhibits[i].file, exhibits[i].is_digest_right);
done:
    for (size_t i = 0; i < count && files != NULL; i++) {
        nb_report_release(&files[i].report);
        nb_text_release(&files[i].said);
    }
    nb_text_release(&text);
    nb_delete(files);
    nb_delete(exhibits);
    return status;
}

static enum nb_status export_run(struct nb_invocation *invocation,
                                 struct nb_error *err)
{
    const char *to = nb_model_get(&invocation->model, "to");
    if (to == NULL || invocation->word_count == 0)
        return nb_fail(err, NB_USAGE, "export needs %s (permitted: %s)",
                       to == NULL ? "--to FORMAT" : "a report file",
                       to == NULL ? nb_export_choices : "REPORT.xml...");
    if (nb_model_get(&invocation->model, "inputs") != NULL &&
        !export_verifies(invocation))
        return nb_fail(err, NB_USAGE,
                       "--inputs is not permitted without --verify");
    if (nb_show_check(invocation, invocation->word_count, err) != NB_OK)
        return NB_USAGE;
    return nb_shows_points(invocation)
               ? export_points(invocation, invocation->words[0], err)
               : export_files(invocation, err);
}

static const struct nb_form export_form = {
    .name = "export",
    .summary = "convert reports to text, pages, pictures, tables or notebooks",
    .details = "Reads reports in XML, as netbound run or a command with "
               "--format xml writes them. A model file is not a report.",
    .example = "netbound export report.xml --to html --output report.html",
    .common = "output table show numbers title explain threads progress",
    .options = export_options,
};

const struct nb_command nb_command_export = {
    .form = &export_form,
    .words = "REPORT.xml...",
    .run = export_run,
};
