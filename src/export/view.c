/* The view as a whole (declared in export/view.h). */
#include "export/view.h"

#include "core/try.h"
#include "export/charts/chart.h"
#include "report/format.h"
#include "report/printed.h"
#include "export/view_parts.h"

#include <string.h>

static void view_set_text(xmlNodePtr node, const char *name,
                          const struct nb_text *text)
{
    nb_view_set(node, name, text->bytes != NULL ? text->bytes : "");
}

static void view_add_option(xmlNodePtr parent, const char *element,
                            const struct nb_model_option *option)
{
    xmlNodePtr node = nb_view_add(parent, element);
    nb_view_set(node, "name", option->name);
    nb_view_set(node, "value", option->value);
}

static void view_add_model(const struct nb_model *model, xmlNodePtr parent)
{
    for (size_t i = 0; i < model->option_count; i++)
        view_add_option(parent, "option", &model->options[i]);
    for (size_t i = 0; i < model->sweep_count; i++)
        view_add_option(parent, "sweep", &model->sweeps[i]);
    for (size_t i = 0; i < model->input_count; i++) {
        xmlNodePtr input = nb_view_add(parent, "input");
        nb_view_set(input, "path", model->inputs[i].path);
        nb_view_set(input, "sha256", model->inputs[i].sha256);
    }
}

/* How the answer was had; old reports do not tell. */
static void view_add_made(const struct nb_report *report, xmlNodePtr parent)
{
    const char *seed = nb_model_get(&report->model, "seed");
    if (report->made.threads == 0)
        return;
    xmlNodePtr made = nb_view_add(parent, "made");
    nb_view_print(made, "threads", "%d", report->made.threads);
    nb_view_print(made, "seconds", "%.3g", report->made.seconds);
    nb_view_set(made, "seed", seed != NULL ? seed : "");
}

/* Whether the point before has the same note. */
static bool view_repeats(const struct nb_report *report, size_t p,
                         const struct nb_note *note)
{
    if (p == 0)
        return false;
    const struct nb_point *before = &report->points[p - 1];
    for (size_t i = 0; i < before->note_count; i++)
        if (strcmp(before->notes[i].name, note->name) == 0)
            return strcmp(before->notes[i].text, note->text) == 0;
    return false;
}

/* Whether all points have the note. */
static bool view_is_everywhere(const struct nb_report *report,
                               const struct nb_note *note)
{
    size_t p = 1;
    while (p < report->point_count && view_repeats(report, p + 1, note))
        p++;
    return p >= report->point_count;
}

/* Every note where it changes in the course of a sweep; one that is the same
 * at all points is of no place. */
static enum nb_status view_add_notes(const struct nb_report *report,
                                     xmlNodePtr parent, struct nb_error *err)
{
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_point *point = &report->points[p];
        struct nb_text place = { 0 };
        nb_place_print(point, &place);
        const enum nb_status status = nb_text_check(&place, err);
        for (size_t i = 0; i < point->note_count && status == NB_OK; i++) {
            if (view_repeats(report, p, &point->notes[i]))
                continue;
            xmlNodePtr note = nb_view_add(parent, "note");
            nb_view_set(note, "name", point->notes[i].name);
            if (p == 0 && view_is_everywhere(report, &point->notes[i]))
                nb_view_set(note, "place", "");
            else
                view_set_text(note, "place", &place);
            nb_view_text(note, point->notes[i].text);
        }
        nb_text_release(&place);
        if (status != NB_OK)
            return status;
    }
    return NB_OK;
}

/* Numbers the tables with rows that are shown, and counts them and all: style
 * sheets would count anew at each. */
static void view_number_tables(xmlNodePtr report)
{
    unsigned long all = 0, shown = 0;
    xmlNodePtr node = report != NULL ? report->children : NULL;
    for (; node != NULL; node = node->next) {
        if (!xmlStrEqual(node->name, BAD_CAST "table"))
            continue;
        all++;
        xmlChar *is_shown = xmlGetNoNsProp(node, BAD_CAST "shown");
        if (xmlStrEqual(is_shown, BAD_CAST "yes"))
            nb_view_print(node, "number", "%lu", ++shown);
        xmlFree(is_shown);
    }
    nb_view_print(report, "tables", "%lu", all);
    nb_view_print(report, "shown-tables", "%lu", shown);
}

static void view_add_certificates(const struct nb_report *report,
                                  xmlNodePtr parent)
{
    for (size_t p = 0; p < report->point_count; p++)
        for (size_t i = 0; i < report->points[p].table_count; i++) {
            const struct nb_table *table = &report->points[p].tables[i];
            if (!table->is_certificate)
                continue;
            xmlNodePtr node = nb_view_add(parent, "certificate");
            nb_view_set(node, "name", table->name);
            nb_view_print(node, "rows", "%zu", table->row_count);
        }
}

/* How many rows a table has at all points; is_evidence of one that only
 * verify reads. */
static size_t view_count(const struct nb_report *report, const char *name,
                         bool *is_evidence)
{
    size_t count = 0;
    *is_evidence = false;
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_point *point = &report->points[p];
        if (name == NULL) {
            count += point->quantity_count;
            continue;
        }
        const struct nb_table *table = nb_point_table(point, name);
        if (table == NULL)
            continue;
        count += table->row_count;
        *is_evidence = table->is_certificate;
    }
    return count;
}

/* One table, NULL: the quantities. */
static enum nb_status view_add_csv(const struct nb_report *report,
                                   const char *table, size_t most,
                                   xmlNodePtr parent, struct nb_error *err)
{
    struct nb_text text = { 0 };
    struct nb_error inner = { 0 };
    bool is_evidence;
    const size_t rows = view_count(report, table, &is_evidence);
    enum nb_status status = NB_OK;
    if (rows <= most)
        status = nb_report_write_csv(report, table, &text, &inner);
    if (status == NB_OK) {
        xmlNodePtr csv = nb_view_add(parent, "csv");
        nb_view_set(csv, "name", table != NULL ? table : "quantities");
        nb_view_print(csv, "rows", "%zu", rows);
        nb_view_lines(csv, text.bytes != NULL ? text.bytes : "");
    } else if (status == NB_INVALID) {
        status = NB_OK; /* its columns differ from point to point */
    } else {
        nb_fail(err, status, "%s", inner.message);
    }
    nb_text_release(&text);
    return status;
}

/* Whether the report's element has a chart of that table. */
static bool view_is_drawn(xmlNodePtr report, const char *table)
{
    bool is_drawn = false;
    xmlNodePtr node = report != NULL ? report->children : NULL;
    for (; node != NULL && !is_drawn; node = node->next) {
        if (!xmlStrEqual(node->name, BAD_CAST "chart"))
            continue;
        xmlChar *data = xmlGetNoNsProp(node, BAD_CAST "data");
        is_drawn = xmlStrEqual(data, BAD_CAST table);
        xmlFree(data);
    }
    return is_drawn;
}

/* The quantities and every table that is no certificate, or has a chart, as
 * CSV; the table asked for alone, however long, if there is one. */
static enum nb_status view_add_all_csv(const struct nb_exhibit *exhibit,
                                       size_t most, xmlNodePtr parent,
                                       struct nb_error *err)
{
    const struct nb_report *report = exhibit->report;
    struct nb_names tables = { 0 };
    bool is_evidence;
    enum nb_status status;
    if (exhibit->table != NULL)
        return view_add_csv(report, exhibit->table, SIZE_MAX, parent, err);
    NB_TRY(view_add_csv(report, NULL, most, parent, err));
    NB_TRY(nb_names_find(report, NB_NAME_TABLE, &tables, err));
    for (size_t i = 0; i < tables.count; i++) {
        view_count(report, tables.name[i], &is_evidence);
        if (!is_evidence || view_is_drawn(parent, tables.name[i]))
            NB_TRY(view_add_csv(report, tables.name[i], most, parent, err));
    }
done:
    nb_names_release(&tables);
    return status;
}

/* What was asked, and what is known of the file. */
static enum nb_status view_add_head(const struct nb_exhibit *exhibit,
                                    xmlNodePtr node, struct nb_error *err)
{
    const struct nb_model *model = &exhibit->report->model;
    struct nb_text question = { 0 };
    nb_question_print(model, &question);
    nb_view_set(node, "command", model->command);
    view_set_text(node, "question", &question);
    if (model->title != NULL)
        nb_view_set(node, "title", model->title);
    else
        view_set_text(node, "title", &question);
    nb_view_set(node, "file", exhibit->file != NULL ? exhibit->file : "");
    nb_view_set(node, "digest",
                exhibit->file == NULL      ? ""
                : exhibit->is_digest_right ? "fits"
                                           : "broken");
    const enum nb_status status = nb_text_check(&question, err);
    nb_text_release(&question);
    return status;
}

/* Takes away the charts of other tables than the one asked for. */
static void view_keep_charts(xmlNodePtr report, const char *table)
{
    xmlNodePtr next = report != NULL ? report->children : NULL;
    while (next != NULL) {
        xmlNodePtr node = next;
        next = node->next;
        if (!xmlStrEqual(node->name, BAD_CAST "chart"))
            continue;
        xmlChar *data = xmlGetNoNsProp(node, BAD_CAST "data");
        if (!xmlStrEqual(data, BAD_CAST table)) {
            xmlUnlinkNode(node);
            xmlFreeNode(node);
        }
        xmlFree(data);
    }
}

/* A line of it in each element. */
static void view_add_verified(const char *verified, xmlNodePtr parent)
{
    while (verified != NULL && *verified != '\0') {
        const size_t length = strcspn(verified, "\n");
        struct nb_text line = { 0 };
        nb_text_add(&line, verified, length);
        nb_view_text(nb_view_add(parent, "verified"),
                     line.bytes != NULL ? line.bytes : "");
        nb_text_release(&line);
        verified += length + (verified[length] == '\n');
    }
}

static enum nb_status view_add_report(const struct nb_exhibit *exhibit,
                                      size_t number,
                                      const struct nb_view_wants *wants,
                                      xmlNodePtr parent, struct nb_error *err)
{
    const struct nb_report *report = exhibit->report;
    xmlNodePtr node = nb_view_add(parent, "report");
    char prefix[32];
    enum nb_status status;
    if (exhibit->table != NULL)
        NB_TRY(nb_report_check_table(report, exhibit->table, err));
    snprintf(prefix, sizeof prefix, "r%zu", number);
    nb_view_set(node, "id", prefix);
    NB_TRY(view_add_head(exhibit, node, err));
    view_add_verified(exhibit->verified, node);
    view_add_model(&report->model, node);
    view_add_made(report, node);
    NB_TRY(view_add_notes(report, node, err));
    if (wants->rows > 0)
        NB_TRY(nb_view_add_tables(exhibit, wants, prefix, node, err));
    view_number_tables(node);
    view_add_certificates(report, node);
    if (wants->formulas)
        NB_TRY(nb_view_add_formulas(report, node, err));
    if (wants->charts)
        NB_TRY(nb_charts_add(report, prefix, node, err));
    if (exhibit->table != NULL)
        view_keep_charts(node, exhibit->table);
    if (wants->csv > 0)
        NB_TRY(view_add_all_csv(exhibit, wants->csv, node, err));
done:
    return status;
}

enum nb_status nb_view_build(const struct nb_exhibit *exhibits, size_t count,
                             const struct nb_view_wants *wants, xmlDocPtr *out,
                             struct nb_error *err)
{
    enum nb_status status = NB_OK;
    xmlDocPtr document = xmlNewDoc(BAD_CAST "1.0");
    xmlNodePtr root = document != NULL
                          ? xmlNewDocNode(document, NULL, BAD_CAST "view", NULL)
                          : NULL;
    if (root == NULL)
        NB_TRY(nb_fail(err, NB_NO_MEMORY, "no memory for a view"));
    xmlDocSetRootElement(document, root);
    nb_view_set(root, "program", exhibits[0].report->program);
    for (size_t i = 0; i < count; i++)
        NB_TRY(view_add_report(&exhibits[i], i + 1, wants, root, err));
    if (nb_view_has_failed(document))
        NB_TRY(nb_fail(err, NB_NO_MEMORY, "no memory for a view"));
    *out = document;
    document = NULL;
done:
    xmlFreeDoc(document);
    return status;
}
