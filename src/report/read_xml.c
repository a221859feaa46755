/* Reading a report from XML (declared in report/report.h, reader.h). */
#include "core/memory.h"
#include "core/source.h"
#include "core/xml.h"
#include "core/xml_node.h"
#include "model/input.h"
#include "report/cell.h"
#include "report/format.h"
#include "report/reader.h"
#include "report/seal.h"
#include "report/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number that the schema accepts but that may not fit a double. */
static enum nb_status read_number(const char *file, const xmlNode *node,
                                  const char *attribute, double *out,
                                  struct nb_error *err)
{
    const char *text = nb_xml_attribute(node, attribute);
    if (nb_cell_read_number(text, out))
        return NB_OK;
    return nb_xml_fail(file, node, err,
                       "%s \"%.60s\" of <%s> is not permitted (permitted: a "
                       "decimal number, inf, -inf or nan)",
                       attribute, text, node->name);
}

static enum nb_status read_quantity(const char *file, const xmlNode *node,
                                    struct nb_point *point,
                                    struct nb_error *err)
{
    struct nb_quantity quantity = { 0 };
    const char *exact = nb_xml_attribute(node, "exact");
    enum nb_status status;
    NB_TRY(read_number(file, node, "value", &quantity.value, err));
    NB_TRY(read_number(file, node, "lower", &quantity.lower, err));
    NB_TRY(read_number(file, node, "upper", &quantity.upper, err));
    if (exact != NULL && !nb_cell_read_ratio(exact, &quantity.exact))
        NB_TRY(nb_xml_fail(file, node, err,
                           "exact \"%.60s\" of <quantity> is not permitted "
                           "(permitted: p/q or p of 64 bits, or inf)",
                           exact));
    nb_point_add_quantity(point, &quantity, nb_xml_attribute(node, "name"),
                          nb_xml_attribute(node, "unit"),
                          nb_xml_attribute(node, "method"),
                          nb_xml_attribute(node, "source"));
done:
    return status;
}

static enum nb_status read_made(const char *file, const xmlNode *node,
                                struct nb_made *out, struct nb_error *err)
{
    out->threads = (int)strtol(nb_xml_attribute(node, "threads"), NULL, 10);
    return read_number(file, node, "seconds", &out->seconds, err);
}

/* A child of a point. */
static enum nb_status read_part(const char *file, const xmlNode *node,
                                struct nb_point *point, struct nb_error *err)
{
    const char *name = nb_xml_attribute(node, "name");
    if (nb_xml_is(node, "quantity"))
        return read_quantity(file, node, point, err);
    if (nb_xml_is(node, "setting"))
        nb_point_add_setting(point, name, nb_xml_text(node));
    else
        nb_point_add_note(point, name, nb_xml_text(node));
    return NB_OK;
}

static void read_column(const xmlNode *node, struct nb_point *point,
                        size_t table)
{
    const char *type = nb_xml_attribute(node, "type");
    int i = 0;
    while (i < NB_CELL_TYPES - 1 && strcmp(type, nb_cell_type_names[i]) != 0)
        i++;
    nb_table_add_column(point, table, nb_xml_attribute(node, "name"),
                        (enum nb_cell_type)i, nb_xml_attribute(node, "unit"));
}

/* Adds the text of a cell; column counts them along the row. */
static enum nb_status read_cell(const char *file, const xmlNode *node,
                                const char *text, size_t column,
                                struct nb_point *point, size_t table,
                                struct nb_error *err)
{
    const struct nb_table *read = &point->tables[table];
    if (column == read->column_count)
        return nb_xml_fail(file, node, err,
                           "\"%.60s\" is one cell too many (permitted: %zu "
                           "in each row of table \"%.60s\")",
                           text, read->column_count, read->name);
    const struct nb_column *head = &read->columns[column];
    const char *permitted = nb_cell_read(text, head->type, point, table);
    return permitted == NULL
               ? NB_OK
               : nb_xml_fail(file, node, err,
                             "\"%.60s\" in column \"%.60s\" is not permitted "
                             "(permitted: %s)",
                             text, head->name, permitted);
}

/* A row of cells separated by single blanks, or a record with an element for
 * each if a column is text; the schema accepts either. Cells of a row are
 * copied one by one: the parser shares equal short texts between nodes. */
static enum nb_status read_line(const char *file, const xmlNode *node,
                                struct nb_point *point, size_t table,
                                struct nb_error *err)
{
    const size_t columns = point->tables[table].column_count;
    const bool is_record = nb_table_has_text(&point->tables[table]);
    const char *name = is_record ? "record" : "row";
    const xmlNode *next = is_record ? nb_xml_next(node, NULL) : NULL;
    const char *rest = is_record ? NULL : nb_xml_text(node);
    enum nb_status status = NB_OK;
    size_t column = 0;
    if (!nb_xml_is(node, name))
        return nb_xml_fail(file, node, err,
                           "<%s> is not permitted here (permitted: <%s>)",
                           (const char *)node->name, name);
    for (; next != NULL; next = nb_xml_next(node, next))
        NB_TRY(read_cell(file, next, nb_xml_text(next), column++, point, table,
                         err));
    while (rest != NULL) {
        char cell[NB_CELL_CHARACTERS];
        const size_t length = strcspn(rest, " ");
        /* A longer cell is always wrong; the dots make it invalid. */
        snprintf(cell, sizeof cell, "%.*s%s", length < 60 ? (int)length : 55,
                 rest, length < 60 ? "" : "...");
        rest = rest[length] == ' ' ? rest + length + 1 : NULL;
        NB_TRY(read_cell(file, node, cell, column++, point, table, err));
    }
    if (column < columns)
        NB_TRY(nb_xml_fail(file, node, err,
                           "%zu cells in <%s> are not permitted (permitted: "
                           "%zu in each row of table \"%.60s\")",
                           column, name, columns, point->tables[table].name));
done:
    return status;
}

/* A column or row of the point's last table. */
static enum nb_status read_table_part(const char *file, const xmlNode *node,
                                      struct nb_point *point,
                                      struct nb_error *err)
{
    const size_t table = point->table_count - 1;
    if (!nb_xml_is(node, "column"))
        return read_line(file, node, point, table, err);
    read_column(node, point, table);
    return NB_OK;
}

static enum nb_status read_table_head(const xmlNode *node,
                                      struct nb_point *point,
                                      struct nb_error *err)
{
    nb_point_start_table(point, nb_xml_attribute(node, "name"),
                         nb_xml_attribute(node, "certificate") != NULL);
    return nb_point_check(point, err);
}

/* Nested elements that are read piece by piece. */
enum { READ_REPORT, READ_POINT, READ_TABLE, READ_LEVELS };

struct nb_report_reader {
    const char *path;
    char *folder;
    size_t limit;
    struct nb_source source;
    size_t size; /* bytes read so far */
    struct nb_xml_stream *stream;
    struct nb_report report; /* its points: read, not yet handed out */
    size_t finished;         /* points of these read completely */
    bool has_points;
    bool is_made_first;
    size_t level_count; /* number of open elements */
    xmlNodePtr open[READ_LEVELS];
    struct nb_seal seal;
    bool is_at_end;
    bool is_digest_right;
    char digits[NB_DIGEST_TEXT];
    bool keeps;
    struct nb_text kept;
    size_t compared; /* bytes of these */
};

static struct nb_point *reader_point(struct nb_report_reader *reader)
{
    return &reader->report.points[reader->report.point_count - 1];
}

static enum nb_status reader_open_report(struct nb_report_reader *reader,
                                         const xmlNode *root,
                                         struct nb_error *err)
{
    if (!nb_xml_is(root, "report"))
        return nb_xml_fail(reader->path, root, err,
                           "it is a %s, not a report (permitted: <report>, as "
                           "netbound run FILE --format xml writes it)",
                           (const char *)root->name);
    return nb_new_copy(&reader->report.program,
                       nb_xml_attribute(root, "program"), "a report", err);
}

/* Goes into an element that is read piece by piece. */
static enum nb_status reader_enter(struct nb_report_reader *reader,
                                   xmlNodePtr element, struct nb_error *err)
{
    const size_t level = reader->level_count;
    enum nb_status status = NB_OK;
    if (level == READ_REPORT)
        NB_TRY(reader_open_report(reader, element, err));
    else if (level == READ_TABLE)
        NB_TRY(read_table_head(element, reader_point(reader), err));
    else if (nb_report_add_point(&reader->report) == NULL)
        NB_TRY(nb_fail(err, NB_NO_MEMORY, "no memory for a report"));
    reader->has_points |= level == READ_POINT;
    reader->open[level] = element;
    reader->level_count++;
done:
    return status;
}

static enum nb_status reader_begin(void *context, xmlNodePtr element,
                                   struct nb_error *err)
{
    struct nb_report_reader *reader = context;
    const size_t level = reader->level_count;
    const bool is_entered =
        level == READ_REPORT
            ? xmlDocGetRootElement(element->doc) == element
            : level < READ_LEVELS &&
                  element->parent == reader->open[level - 1] &&
                  nb_xml_is(element, level == READ_POINT ? "point" : "table");
    return is_entered ? reader_enter(reader, element, err) : NB_OK;
}

/* A child of a report, point or table, with its contents. */
static enum nb_status reader_take(struct nb_report_reader *reader,
                                  xmlNodePtr node, struct nb_error *err)
{
    struct nb_report *report = &reader->report;
    const char *path = reader->path;
    const size_t level = reader->level_count - 1;
    if (level == READ_TABLE)
        return read_table_part(path, node, reader_point(reader), err);
    if (level == READ_POINT)
        return read_part(path, node, reader_point(reader), err);
    if (nb_xml_is(node, "model"))
        return nb_model_read_node(node, path, reader->folder, &report->model,
                                  err);
    if (!nb_xml_is(node, "made"))
        return NB_OK;
    reader->is_made_first = !reader->has_points;
    return read_made(path, node, &report->made, err);
}

/* Removes what was read from the tree. */
static enum nb_status reader_end(void *context, xmlNodePtr element,
                                 struct nb_error *err)
{
    struct nb_report_reader *reader = context;
    enum nb_status status = NB_OK;
    if (reader->level_count == 0)
        return NB_OK;
    xmlNodePtr open = reader->open[reader->level_count - 1];
    if (element != open && element->parent != open)
        return NB_OK;
    if (element == open)
        reader->finished += --reader->level_count == READ_POINT;
    else
        NB_TRY(reader_take(reader, element, err));
    if (reader->report.point_count > 0)
        NB_TRY(nb_point_check(reader_point(reader), err));
    if (reader->level_count > 0)
        nb_xml_forget(element->parent);
done:
    return status;
}

static enum nb_status reader_start(struct nb_report_reader *reader,
                                   struct nb_error *err)
{
    const struct nb_xml_handler handler = { reader_begin, reader_end, reader,
                                            nb_schemas };
    nb_seal_begin(&reader->seal);
    return nb_xml_stream_new(reader->path, &handler, &reader->stream, err);
}

/* Reads on: the next piece of the file, or its end. */
static enum nb_status reader_feed(struct nb_report_reader *reader,
                                  struct nb_error *err)
{
    char bytes[NB_SOURCE_PIECE];
    size_t count;
    enum nb_status status;
    NB_TRY(nb_source_read(&reader->source, bytes, &count, err));
    reader->size += count;
    if (reader->size > reader->limit ||
        nb_source_size(&reader->source) > reader->limit)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "\"%s\" is larger than %zu bytes, the limit for "
                       "reading as a whole (verify and export --to csv take "
                       "any size)",
                       reader->path, reader->limit));
    nb_seal_add(&reader->seal, bytes, count);
    if (reader->keeps) {
        nb_text_add(&reader->kept, bytes, count);
        NB_TRY(nb_text_check(&reader->kept, err));
    }
    NB_TRY(nb_xml_stream_feed(reader->stream, bytes, count, err));
    reader->is_at_end = count == 0;
    if (reader->is_at_end)
        reader->is_digest_right = nb_seal_end(&reader->seal, reader->digits);
done:
    return status;
}

/* Reads up to the first point, or to the end if there is none. */
static enum nb_status reader_read_head(struct nb_report_reader *reader,
                                       struct nb_error *err)
{
    enum nb_status status = NB_OK;
    while (reader->report.point_count == 0 && !reader->is_at_end)
        NB_TRY(reader_feed(reader, err));
done:
    return status;
}

enum nb_status nb_reader_open(const char *path, size_t limit,
                              bool is_read_again, struct nb_report_reader **out,
                              struct nb_error *err)
{
    struct nb_report_reader *reader = NULL;
    enum nb_status status;
    *out = NULL;
    NB_TRY(nb_new(&reader, 1, sizeof *reader, "a report", err));
    reader->path = nb_file_name(path);
    reader->limit = limit;
    NB_TRY(nb_source_open(path, is_read_again, &reader->source, err));
    NB_TRY(nb_model_find_folder(path, &reader->folder, err));
    NB_TRY(reader_start(reader, err));
    NB_TRY(reader_read_head(reader, err));
    *out = reader;
done:
    if (status != NB_OK)
        nb_reader_close(reader);
    return status;
}

struct nb_report *nb_reader_head(struct nb_report_reader *reader)
{
    return &reader->report;
}

bool nb_reader_is_made_first(const struct nb_report_reader *reader)
{
    return reader->is_made_first;
}

enum nb_status nb_reader_next(struct nb_report_reader *reader,
                              struct nb_point *out, bool *is_there,
                              struct nb_error *err)
{
    struct nb_report *report = &reader->report;
    enum nb_status status = NB_OK;
    *out = (struct nb_point){ 0 };
    while (reader->finished == 0 && !reader->is_at_end)
        NB_TRY(reader_feed(reader, err));
    *is_there = reader->finished > 0;
    if (*is_there) {
        *out = report->points[0];
        reader->finished--;
        memmove(report->points, report->points + 1,
                --report->point_count * sizeof *report->points);
    }
done:
    return status;
}

bool nb_reader_is_digest_right(const struct nb_report_reader *reader,
                               char digits[NB_DIGEST_TEXT])
{
    if (digits != NULL)
        memcpy(digits, reader->digits, sizeof reader->digits);
    return reader->is_digest_right;
}

enum nb_status nb_reader_rewind(struct nb_report_reader *reader, bool keeps,
                                struct nb_error *err)
{
    enum nb_status status;
    nb_xml_stream_free(reader->stream);
    reader->stream = NULL;
    nb_report_release(&reader->report);
    reader->finished = reader->level_count = 0;
    reader->size = 0;
    reader->is_at_end = reader->is_made_first = reader->has_points = false;
    reader->keeps = keeps;
    NB_TRY(nb_source_rewind(&reader->source, err));
    NB_TRY(reader_start(reader, err));
    NB_TRY(reader_read_head(reader, err));
done:
    return status;
}

bool nb_reader_is_next(const struct nb_report_reader *reader, const char *bytes,
                       size_t length)
{
    const struct nb_text *kept = &reader->kept;
    return kept->length - reader->compared >= length &&
           (length == 0 ||
            memcmp(kept->bytes + reader->compared, bytes, length) == 0);
}

bool nb_reader_spells(struct nb_report_reader *reader, const char *bytes,
                      size_t length)
{
    struct nb_text *kept = &reader->kept;
    if (!nb_reader_is_next(reader, bytes,
                           length)) { /* nothing after this is compared */
        reader->keeps = false;
        kept->length = reader->compared = 0;
        return false;
    }
    reader->compared += length;
    if (reader->compared > kept->length / 2) {
        kept->length -= reader->compared;
        memmove(kept->bytes, kept->bytes + reader->compared, kept->length);
        reader->compared = 0;
    }
    return true;
}

bool nb_reader_skip(struct nb_report_reader *reader, const char *end)
{
    const size_t length = strlen(end);
    for (size_t i = reader->compared; i + length <= reader->kept.length; i++)
        if (memcmp(reader->kept.bytes + i, end, length) == 0) {
            reader->compared = i + length;
            return true;
        } else if (memcmp(reader->kept.bytes + i, "<!", 2) == 0 ||
                   memcmp(reader->kept.bytes + i, "<?", 2) == 0) {
            return false;
        }
    return false;
}

void nb_reader_close(struct nb_report_reader *reader)
{
    if (reader == NULL)
        return;
    nb_xml_stream_free(reader->stream);
    nb_source_close(&reader->source);
    nb_report_release(&reader->report);
    nb_text_release(&reader->kept);
    nb_delete(reader->folder);
    nb_delete(reader);
}

enum nb_status nb_reader_read_all(struct nb_report_reader *reader,
                                  struct nb_report *out, struct nb_error *err)
{
    enum nb_status status;
    struct nb_report *head = &reader->report;
    struct nb_point point, *added;
    bool is_there;
    NB_TRY(nb_reader_next(reader, &point, &is_there, err));
    while (is_there) {
        added = nb_report_add_point(out);
        if (added == NULL) {
            nb_point_release(&point);
            NB_TRY(nb_fail(err, NB_NO_MEMORY, "no memory for a report"));
        }
        *added = point;
        NB_TRY(nb_reader_next(reader, &point, &is_there, err));
    }
    out->model = head->model;
    out->program = head->program;
    out->made = head->made;
    head->model = (struct nb_model){ 0 };
    head->program = NULL;
done:
    return status;
}

enum nb_status nb_report_read_file(const char *path, struct nb_report *out,
                                   bool *is_digest_right, struct nb_error *err)
{
    struct nb_report_reader *reader = NULL;
    enum nb_status status;
    *out = (struct nb_report){ 0 };
    *is_digest_right = false;
    NB_TRY(nb_reader_open(path, NB_REPORT_BYTES, false, &reader, err));
    NB_TRY(nb_reader_read_all(reader, out, err));
    *is_digest_right = nb_reader_is_digest_right(reader, NULL);
done:
    nb_reader_close(reader);
    if (status != NB_OK)
        nb_report_release(out);
    return status;
}
