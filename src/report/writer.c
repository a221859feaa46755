/* Reports in any format, and the writer (declared in report/report.h). */
#include "report/writer.h"

#include "core/try.h"
#include "report/format.h"
#include "report/seal.h"
#include "report/shown.h"
#include "report/tree.h"

#include <string.h>

static bool outline_has_table(const struct nb_point *outline,
                              const struct nb_table *table)
{
    for (size_t i = 0; i < outline->table_count; i++)
        if (strcmp(outline->tables[i].name, table->name) == 0 &&
            nb_table_is_alike(&outline->tables[i], table))
            return true;
    return false;
}

static void outline_add_table(struct nb_point *outline,
                              const struct nb_table *table)
{
    const size_t added =
        nb_point_start_table(outline, table->name, table->is_certificate);
    for (size_t i = 0; i < table->column_count; i++)
        nb_table_add_column(outline, added, table->columns[i].name,
                            table->columns[i].type, table->columns[i].unit);
}

enum nb_status nb_outline_add(struct nb_report *outline,
                              const struct nb_point *point,
                              struct nb_error *err)
{
    static const struct nb_quantity none = { 0 };
    if (outline->point_count == 0 && nb_report_add_point(outline) == NULL)
        return nb_fail(err, NB_NO_MEMORY, "no memory for a report");
    struct nb_point *all = &outline->points[0];
    for (size_t i = 0; i < point->setting_count && !all->has_failed; i++)
        if (*nb_point_setting(all, point->settings[i].name) == '\0')
            nb_point_add_setting(all, point->settings[i].name, "swept");
    for (size_t i = 0; i < point->quantity_count && !all->has_failed; i++)
        if (nb_point_quantity(all, point->quantities[i].name) == NULL)
            nb_point_add_quantity(all, &none, point->quantities[i].name, "", "",
                                  "");
    for (size_t i = 0; i < point->table_count && !all->has_failed; i++)
        if (!outline_has_table(all, &point->tables[i]))
            outline_add_table(all, &point->tables[i]);
    return nb_point_check(all, err);
}

void nb_outline_release(struct nb_report *outline)
{
    outline->model = (struct nb_model){ 0 };
    nb_report_release(outline);
}

/* Passes on the text written so far; without `out`, the text keeps it. */
static enum nb_status writer_flush(struct nb_report_writer *writer,
                                   struct nb_error *err)
{
    struct nb_text *text = &writer->text;
    enum nb_status status = nb_text_check(text, err);
    if (status != NB_OK)
        return status;
    if (writer->format == NB_FORMAT_XML)
        nb_digest_add(&writer->digest, text->bytes + writer->flushed,
                      text->length - writer->flushed);
    if (writer->out != NULL) {
        status = nb_spool_add(writer->out, text->bytes, text->length, err);
        text->length = 0;
    }
    writer->flushed = text->length;
    return status;
}

enum nb_status nb_writer_begin(struct nb_report_writer *writer,
                               const struct nb_model *model,
                               const char *program, struct nb_error *err)
{
    writer->is_outlined = writer->outline.point_count > 0;
    writer->outline.model = *model;
    nb_digest_begin(&writer->digest);
    nb_text_add(&writer->text, "", 0);
    if (writer->format == NB_FORMAT_XML)
        nb_xml_write_head(model, program, &writer->text);
    if (writer->format == NB_FORMAT_JSON)
        nb_json_write_head(model, program, &writer->text);
    return writer_flush(writer, err);
}

/* The header depends on the first point, or on the first that has the table. */
static enum nb_status writer_add_head(struct nb_report_writer *writer,
                                      struct nb_error *err)
{
    const struct nb_report *outline = &writer->outline;
    if (writer->has_head || writer->format != NB_FORMAT_CSV ||
        (writer->table != NULL &&
         (outline->point_count == 0 ||
          nb_point_table(&outline->points[0], writer->table) == NULL)))
        return NB_OK;
    writer->has_head = true;
    return nb_csv_write_head(outline, writer->table, &writer->text, err);
}

enum nb_status nb_writer_add(struct nb_report_writer *writer,
                             const struct nb_point *point, struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_point_check(point, err));
    if (!writer->is_outlined)
        NB_TRY(nb_outline_add(&writer->outline, point, err));
    NB_TRY(writer_add_head(writer, err));
    if (writer->format == NB_FORMAT_XML)
        NB_TRY(nb_point_write_xml(point, &writer->text, err));
    else if (writer->format == NB_FORMAT_JSON)
        nb_json_write_point(point, writer->point_count, &writer->text);
    else
        NB_TRY(nb_csv_write_point(&writer->outline, writer->table, point,
                                  writer->point_count, &writer->text, err));
    writer->point_count++;
    NB_TRY(writer_flush(writer, err));
done:
    return status;
}

/* Completes XML and JSON. */
static enum nb_status writer_complete(struct nb_report_writer *writer,
                                      const struct nb_made *made,
                                      struct nb_error *err)
{
    enum nb_status status;
    if (writer->format == NB_FORMAT_XML)
        nb_xml_write_made(made, &writer->text);
    if (writer->format == NB_FORMAT_JSON)
        nb_json_write_made(made, &writer->text);
    NB_TRY(writer_flush(writer, err));
    if (writer->format == NB_FORMAT_XML)
        nb_seal_write(&writer->digest, &writer->text);
    NB_TRY(writer_add_head(writer, err));
    NB_TRY(writer_flush(writer, err));
done:
    return status;
}

enum nb_status nb_writer_end(struct nb_report_writer *writer,
                             const struct nb_made *made, struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(writer_complete(writer, made, err));
    NB_TRY(nb_shown_check(&writer->outline, err));
    if (writer->table != NULL)
        NB_TRY(nb_report_check_table(&writer->outline, writer->table, err));
done:
    return status;
}

void nb_writer_release(struct nb_report_writer *writer)
{
    nb_outline_release(&writer->outline);
    nb_text_release(&writer->text);
}

/* Checks that the report is complete and has the table asked for, if any. */
static enum nb_status report_check(const struct nb_report *report,
                                   const char *table, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < report->point_count; i++)
        NB_TRY(nb_point_check(&report->points[i], err));
    if (table != NULL)
        NB_TRY(nb_report_check_table(report, table, err));
done:
    return status;
}

enum nb_status nb_report_print(const struct nb_report *report,
                               const char *table, const struct nb_look *look,
                               struct nb_text *text, struct nb_error *err)
{
    enum nb_status status = report_check(report, table, err);
    if (status == NB_OK)
        status = nb_report_write_text(report, table, look, text, err);
    return status == NB_OK ? nb_text_check(text, err) : status;
}

enum nb_status nb_report_write(const struct nb_report *report,
                               enum nb_format format, const char *table,
                               struct nb_text *text, struct nb_error *err)
{
    struct nb_report_writer writer = { .format = format, .table = table };
    enum nb_status status;
    if (format == NB_FORMAT_TEXT)
        return nb_report_print(report, table, &nb_look_plain, text, err);
    writer.text = *text;
    writer.flushed = text->length;
    NB_TRY(report_check(report, table, err));
    for (size_t i = 0; i < report->point_count && format == NB_FORMAT_CSV; i++)
        NB_TRY(nb_outline_add(&writer.outline, &report->points[i], err));
    NB_TRY(nb_writer_begin(&writer, &report->model, report->program, err));
    for (size_t i = 0; i < report->point_count; i++)
        NB_TRY(nb_writer_add(&writer, &report->points[i], err));
    NB_TRY(writer_complete(&writer, &report->made, err));
done:
    *text = writer.text;
    nb_outline_release(&writer.outline);
    return status;
}
