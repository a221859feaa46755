/* The view as a whole (declared in export/view.h). */
#include "export/view.h"

#include "core/locale.h"
#include "core/memory.h"
#include "explain/explain.h"
#include "core/try.h"
#include "export/charts/chart.h"
#include "export/principal.h"
#include "export/typeset.h"
#include "report/format.h"
#include "report/grid.h"
#include "report/layout.h"
#include "report/printed.h"
#include "report/shown.h"
#include "report/tree.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The document records a failure in its private pointer. */
static void tree_note_failure(xmlDocPtr document)
{
    document->_private = document;
}

bool nb_view_has_failed(xmlDocPtr document)
{
    return document->_private != NULL;
}

bool nb_view_has_unit(const char *unit)
{
    return unit != NULL && *unit != '\0' && strcmp(unit, "1") != 0;
}

/* Whether a tree can hold the text unchanged, as is usual. */
static bool tree_is_plain(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || (unsigned char)*text > '~')
            return false;
    return true;
}

enum tree_lines { TREE_ONE_LINE, TREE_LINES };

/* Calls set with the text that XML can hold, in one line or unchanged. */
static void tree_set(xmlNodePtr node, const char *name, const char *value,
                     enum tree_lines lines,
                     bool (*set)(xmlNodePtr node, const char *name,
                                 const char *value))
{
    struct nb_text clean = { 0 };
    if (node == NULL)
        return;
    if (!tree_is_plain(value)) {
        nb_xml_clean(value, &clean);
        for (size_t i = 0; i < clean.length && lines == TREE_ONE_LINE; i++)
            if (nb_is_control(clean.bytes[i]))
                clean.bytes[i] = ' ';
        value = clean.bytes;
    }
    if (clean.has_failed || !set(node, name, value))
        tree_note_failure(node->doc);
    nb_text_release(&clean);
}

static bool tree_set_attribute(xmlNodePtr node, const char *name,
                               const char *value)
{
    return xmlNewProp(node, BAD_CAST name, BAD_CAST value) != NULL;
}

static bool tree_add_text(xmlNodePtr node, const char *name, const char *value)
{
    (void)name;
    xmlNodePtr text = xmlNewDocText(node->doc, BAD_CAST value);
    return text != NULL && xmlAddChild(node, text) != NULL;
}

xmlNodePtr nb_view_add(xmlNodePtr parent, const char *element)
{
    if (parent == NULL)
        return NULL;
    xmlNodePtr added = xmlNewDocNode(parent->doc, NULL, BAD_CAST element, NULL);
    if (added == NULL)
        tree_note_failure(parent->doc);
    else
        xmlAddChild(parent, added);
    return added;
}

void nb_view_set(xmlNodePtr node, const char *name, const char *value)
{
    tree_set(node, name, value, TREE_ONE_LINE, tree_set_attribute);
}

void nb_view_text(xmlNodePtr node, const char *text)
{
    if (*text != '\0')
        tree_set(node, NULL, text, TREE_ONE_LINE, tree_add_text);
}

void nb_view_lines(xmlNodePtr node, const char *text)
{
    if (*text != '\0')
        tree_set(node, NULL, text, TREE_LINES, tree_add_text);
}

void nb_view_print(xmlNodePtr node, const char *name, const char *format, ...)
{
    struct nb_text value = { 0 };
    va_list arguments;
    va_start(arguments, format);
    nb_text_print_list(&value, format, arguments);
    va_end(arguments);
    if (!value.has_failed)
        nb_view_set(node, name, value.bytes);
    else if (node != NULL)
        tree_note_failure(node->doc);
    nb_text_release(&value);
}

void nb_view_place(xmlNodePtr node, const char *name, double value)
{
    char text[32];
    const double rounded = nearbyint(100 * value) / 100;
    /* Adding zero turns -0 into 0. */
    nb_snprintf(text, sizeof text, "%.10g", rounded + 0.0);
    nb_view_set(node, name, text);
}

/* Adds an element of a formula, typeset; nothing if there is no formula. */
static void formulas_typeset(xmlNodePtr parent, const char *element,
                             const char *formula)
{
    if (formula != NULL)
        nb_typeset(formula, nb_view_add(parent, element));
}

/* "formula = numbers = value: meaning" */
static void formulas_add_symbol(xmlNodePtr parent,
                                const struct nb_explained_symbol *symbol)
{
    xmlNodePtr step = nb_view_add(parent, "step");
    if (symbol->meaning != NULL)
        nb_view_set(step, "meaning", symbol->meaning);
    formulas_typeset(step, "name", symbol->name);
    formulas_typeset(step, "line", symbol->formula);
    formulas_typeset(step, "line", symbol->numbers);
    if (*symbol->value != '\0')
        nb_view_text(nb_view_add(step, "line"), symbol->value);
}

/* The check that shows the number to be right. */
static void formulas_add_check(xmlNodePtr parent,
                               const struct nb_explained_check *check)
{
    if (check->numbers == NULL)
        return;
    xmlNodePtr step = nb_view_add(parent, "step");
    formulas_typeset(step, "name", check->formula);
    formulas_typeset(step, "line", check->numbers);
}

static enum nb_status formulas_add(const struct nb_subject *subject,
                                   const struct nb_quantity *quantity,
                                   const char *place, xmlNodePtr parent,
                                   struct nb_error *err)
{
    struct nb_explanation how;
    const enum nb_status status = nb_explain(subject, quantity, &how, err);
    if (status != NB_OK)
        return status;
    xmlNodePtr node = nb_view_add(parent, "formula");
    nb_view_set(node, "quantity", quantity->name);
    nb_view_set(node, "place", place);
    nb_view_set(node, "value", how.value != NULL ? how.value : "");
    nb_view_set(node, "method", quantity->method);
    nb_view_set(node, "source", quantity->source);
    nb_view_set(node, "meaning", how.meaning != NULL ? how.meaning : "");
    formulas_typeset(node, "line", how.words);
    formulas_typeset(node, "line", how.formula);
    formulas_typeset(node, "line", how.numbers);
    for (size_t i = 0; i < how.symbol_count; i++)
        formulas_add_symbol(node, &how.symbols[i]);
    for (size_t i = 0; i < how.check_count; i++)
        formulas_add_check(node, &how.checks[i]);
    nb_explanation_release(&how);
    return NB_OK;
}

static enum nb_status formulas_add_citations(const struct nb_report *report,
                                             xmlNodePtr parent,
                                             struct nb_error *err)
{
    struct nb_explained_sources sources;
    nb_explained_sources_find(report, &sources);
    for (size_t i = 0; i < sources.count; i++) {
        const struct nb_citation_key key = sources.keys[i];
        struct nb_text text = { 0 };
        const enum nb_status status = nb_citation_find(key, &text, NULL);
        if (status == NB_OK) {
            xmlNodePtr citation = nb_view_add(parent, "citation");
            nb_view_print(citation, "key", "%.*s", (int)key.length, key.at);
            nb_view_text(citation, text.bytes);
        }
        nb_text_release(&text);
        if (status == NB_NO_MEMORY)
            return nb_fail(err, status, "no memory for a view");
    }
    return NB_OK;
}

/* Adds <formula> and <citation> elements; for a sweep, those of the first point
 * only, since the other points are computed the same way. Errors:
 * NB_NO_MEMORY. */
static enum nb_status formulas_add_all(const struct nb_report *report,
                                       xmlNodePtr parent, struct nb_error *err)
{
    struct nb_text place = { 0 };
    struct nb_subject subject = { 0 };
    enum nb_status status = NB_OK;
    if (report->point_count > 0) {
        const struct nb_point *point = &report->points[0];
        NB_TRY(nb_subject_open(&report->model, point, &subject, err));
        nb_place_print(point, &place);
        NB_TRY(nb_text_check(&place, err));
        for (size_t i = 0; i < point->quantity_count; i++)
            NB_TRY(formulas_add(&subject, &point->quantities[i],
                                place.bytes != NULL ? place.bytes : "", parent,
                                err));
    }
    NB_TRY(formulas_add_citations(report, parent, err));
done:
    nb_subject_release(&subject);
    nb_text_release(&place);
    return status;
}

static const char *const tables_kinds[] = { [NB_LAYOUT_LIST] = "quantities",
                                            [NB_LAYOUT_SWEEP] = "quantities",
                                            [NB_LAYOUT_PIVOT] = "pivot",
                                            [NB_LAYOUT_TABLE] = "table" };

/* Sets an attribute, or the content (name NULL), with blanks for control
 * characters. */
static void tables_set(xmlNodePtr node, const char *name, const char *value)
{
    struct nb_text plain = { 0 };
    nb_text_add_plain(&plain, value);
    nb_text_add(&plain, "", 0);
    if (plain.has_failed && node != NULL)
        tree_note_failure(node->doc);
    else if (!plain.has_failed && name != NULL)
        nb_view_set(node, name, plain.bytes);
    else if (!plain.has_failed)
        nb_view_text(node, plain.bytes);
    nb_text_release(&plain);
}

static void tables_add_columns(const struct nb_layout *layout, xmlNodePtr table)
{
    for (size_t i = 0; i < layout->column_count; i++) {
        const struct nb_layout_column *column = &layout->columns[i];
        xmlNodePtr node = nb_view_add(table, "column");
        tables_set(node, "name", column->name);
        tables_set(node, "unit", column->unit);
        nb_view_set(node, "side",
                    column->type == NB_CELL_TEXT ? "left" : "right");
        nb_view_set(node, "type", nb_cell_type_names[column->type]);
        if (column->is_setting)
            nb_view_set(node, "swept", "yes");
        if (column->is_value)
            nb_view_set(node, "over", layout->over);
    }
}

/* Values that read best as ratios are shown as ratios, with the decimal in
 * addition; other cells are decimals, with the ratio in addition; unless the
 * reader wants one of them everywhere. */
static void tables_add_rows(const struct nb_layout *layout,
                            enum nb_numbers numbers, xmlNodePtr table)
{
    xmlNodePtr row = NULL;
    for (size_t i = 0; i < layout->cell_count; i++) {
        const size_t column = i % layout->column_count;
        const struct nb_layout_cell *cell = &layout->cells[i];
        const char *decimal = nb_layout_text(layout, cell);
        const char *exact = nb_layout_exact(layout, cell);
        const char *raw = nb_layout_raw(layout, cell);
        const bool is_exact =
            exact != NULL && (numbers == NB_NUMBERS_EXACT ||
                              (numbers == NB_NUMBERS_BOTH &&
                               nb_layout_is_exact(layout, column)));
        if (column == 0)
            row = nb_view_add(table, "row");
        xmlNodePtr node = nb_view_add(row, "cell");
        if (is_exact)
            nb_view_set(node, "decimal", decimal);
        else if (exact != NULL && numbers == NB_NUMBERS_BOTH)
            nb_view_set(node, "exact", exact);
        if (raw != NULL && !is_exact)
            nb_view_set(node, "raw", raw);
        nb_view_text(node, is_exact ? exact : decimal);
    }
}

/* "throughput, fraction of capacity, by routing and traffic" */
static void tables_print_pivot(const struct nb_layout *layout,
                               struct nb_text *title)
{
    nb_text_print(title, "%s", layout->name);
    if (nb_view_has_unit(layout->unit))
        nb_text_print(title, ", %s,", layout->unit);
    for (size_t i = 0; i < layout->column_count; i++)
        if (layout->columns[i].is_setting)
            nb_text_print(title, "%s%s", i == 0 ? " by " : ", ",
                          layout->columns[i].name);
    nb_text_print(title, " and %s", layout->over);
}

/* point: its place in the sweeps is added to the title; NULL: none. */
static enum nb_status tables_add(const struct nb_layout *layout,
                                 enum nb_numbers numbers,
                                 const struct nb_point *point,
                                 const char *shown, const char *id,
                                 xmlNodePtr parent, struct nb_error *err)
{
    struct nb_text title = { 0 };
    xmlNodePtr table = nb_view_add(parent, "table");
    if (layout->kind == NB_LAYOUT_PIVOT)
        tables_print_pivot(layout, &title);
    else
        nb_text_print(&title, "%s", layout->name);
    if (point != NULL)
        nb_place_print(point, &title);
    nb_view_set(table, "id", id);
    nb_view_set(table, "name", layout->name);
    nb_view_set(table, "kind", tables_kinds[layout->kind]);
    nb_view_print(table, "rows", "%zu", layout->row_count);
    nb_view_set(table, "shown", shown);
    tables_set(table, "title", title.bytes != NULL ? title.bytes : "");
    tables_set(table, "unit", layout->unit);
    tables_add_columns(layout, table);
    tables_add_rows(layout, numbers, table);
    for (size_t i = 0; i < layout->sources.count; i++)
        tables_set(nb_view_add(table, "source"), NULL, layout->sources.name[i]);
    const enum nb_status status = nb_text_check(&title, err);
    nb_text_release(&title);
    return status;
}

/* First what the model shows, then everything, which is the answer unless the
 * model shows something or a table is requested. */
static enum nb_status tables_add_quantities(const struct nb_exhibit *exhibit,
                                            size_t most, const char *prefix,
                                            xmlNodePtr parent,
                                            struct nb_error *err)
{
    const struct nb_report *report = exhibit->report;
    const bool is_asked = exhibit->table == NULL;
    const bool has_choice = report->model.show_count > 0;
    struct nb_layout layout = { 0 };
    struct nb_names names = { 0 };
    char id[64];
    enum nb_status status = NB_OK;
    if (is_asked && has_choice) {
        NB_TRY(nb_layout_shown(report, most, &layout, err));
        snprintf(id, sizeof id, "%s-shown", prefix);
        if (layout.column_count > 0)
            NB_TRY(tables_add(&layout, exhibit->numbers, NULL, "yes", id,
                              parent, err));
        nb_layout_release(&layout);
    }
    NB_TRY(nb_names_find(report, NB_NAME_QUANTITY, &names, err));
    if (names.count == 0)
        goto done;
    NB_TRY(nb_layout_quantities(report, &names, most, &layout, err));
    snprintf(id, sizeof id, "%s-quantities", prefix);
    NB_TRY(tables_add(&layout, exhibit->numbers, NULL,
                      is_asked && !has_choice ? "yes" : "no", id, parent, err));
done:
    nb_names_release(&names);
    nb_layout_release(&layout);
    return status;
}

/*
 * Adds one table of the report at every point that has it.
 *
 * model  its columns are laid out; NULL: all
 */
static enum nb_status
tables_add_table(const struct nb_exhibit *exhibit, const char *name,
                 const struct nb_model *model, const char *shown, size_t most,
                 const char *prefix, xmlNodePtr parent, struct nb_error *err)
{
    const struct nb_report *report = exhibit->report;
    const bool is_shown = strcmp(shown, "no") != 0;
    enum nb_status status = NB_OK;
    for (size_t p = 0; p < report->point_count && status == NB_OK; p++) {
        const struct nb_point *point = &report->points[p];
        const struct nb_table *table = nb_point_table(point, name);
        struct nb_layout layout;
        char id[128];
        if (table == NULL || (table->is_certificate && !is_shown))
            continue;
        status = nb_layout_table(table, model, most, &layout, err);
        if (status != NB_OK)
            break;
        snprintf(id, sizeof id, "%s-p%zu-%.60s%s", prefix, p + 1, name,
                 is_shown ? "-shown" : "");
        status = tables_add(&layout, exhibit->numbers, point, shown, id, parent,
                            err);
        nb_layout_release(&layout);
    }
    return status;
}

/* Whether the tables that are hidden by default are the answer, since there is
 * no other. */
static bool tables_are_answer(const struct nb_exhibit *exhibit)
{
    const struct nb_report *report = exhibit->report;
    bool is_answer = exhibit->table == NULL && report->model.show_count == 0;
    for (size_t p = 0; p < report->point_count; p++)
        is_answer = is_answer && report->points[p].quantity_count == 0;
    return is_answer;
}

/* Whether a table was already added completely. */
static bool tables_is_done(const struct nb_exhibit *exhibit,
                           const struct nb_names *shown, const char *name)
{
    if (exhibit->table != NULL)
        return strcmp(exhibit->table, name) == 0;
    return nb_names_has(shown, name) &&
           nb_shown_is_whole(&exhibit->report->model, name);
}

/* Adds the networks that fit, unless something else must be shown; as
 * decimals, since their ratios are long. */
static enum nb_status tables_add_ranking(const struct nb_exhibit *exhibit,
                                         const char *prefix, xmlNodePtr parent,
                                         struct nb_error *err)
{
    const struct nb_model *model = &exhibit->report->model;
    struct nb_exhibit ranking = *exhibit;
    if (exhibit->table != NULL || model->show_count > 0 ||
        model->sweep_count > 0 || nb_model_get(model, "fit") == NULL)
        return NB_OK;
    if (ranking.numbers == NB_NUMBERS_BOTH)
        ranking.numbers = NB_NUMBERS_DECIMAL;
    return tables_add_table(&ranking, nb_ranking_table, &nb_ranking_model,
                            "first", NB_RANKING_ROWS, prefix, parent, err);
}

/*
 * Adds an element <table> for the quantities and for every table that is not a
 * certificate.
 *
 * wants   maximum rows of each, and whether to include tables hidden by default
 * prefix  start of the ids
 * parent  the element <report>
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if no point has the requested table.
 */
static enum nb_status tables_add_all(const struct nb_exhibit *exhibit,
                                     const struct nb_view_wants *wants,
                                     const char *prefix, xmlNodePtr parent,
                                     struct nb_error *err)
{
    const struct nb_report *report = exhibit->report;
    const size_t most = wants->rows;
    const bool is_answer = tables_are_answer(exhibit);
    const char *asked = exhibit->table;
    struct nb_names all = { 0 }, shown = { 0 };
    enum nb_status status;
    NB_TRY(nb_shown_check(report, err));
    NB_TRY(tables_add_ranking(exhibit, prefix, parent, err));
    NB_TRY(tables_add_quantities(exhibit, most, prefix, parent, err));
    NB_TRY(nb_shown_tables(report, &shown, err));
    if (asked != NULL)
        NB_TRY(tables_add_table(exhibit, asked, NULL, "yes", most, prefix,
                                parent, err));
    for (size_t i = 0; i < shown.count && asked == NULL; i++)
        NB_TRY(tables_add_table(exhibit, shown.name[i], &report->model, "yes",
                                most, prefix, parent, err));
    NB_TRY(nb_names_find(report, NB_NAME_TABLE, &all, err));
    for (size_t i = 0; i < all.count; i++)
        if ((wants->hidden || is_answer) &&
            !tables_is_done(exhibit, &shown, all.name[i]))
            NB_TRY(tables_add_table(exhibit, all.name[i], NULL,
                                    is_answer ? "yes" : "no", most, prefix,
                                    parent, err));
done:
    nb_names_release(&shown);
    nb_names_release(&all);
    return status;
}

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

/* How the answer was computed; old reports lack this. */
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

/* A note and the points of the sweep that have it. */
struct view_note {
    const struct nb_note *note;
    size_t first, count; /* points */
    size_t number;       /* in the order of the report */
};

static int view_compare_notes(const void *a, const void *b)
{
    const struct view_note *one = a, *other = b;
    const int names = strcmp(one->note->name, other->note->name);
    const int texts = strcmp(one->note->text, other->note->text);
    if (names != 0 || texts != 0)
        return names != 0 ? names : texts;
    return (one->number > other->number) - (one->number < other->number);
}

static int view_compare_numbers(const void *a, const void *b)
{
    const struct view_note *one = a, *other = b;
    return (one->number > other->number) - (one->number < other->number);
}

/* Merges notes with the same text, in the order of their first appearance.
 * Returns the number that remain. */
static size_t view_group_notes(struct view_note *notes, size_t count)
{
    size_t kept = 0;
    if (count == 0)
        return 0;
    qsort(notes, count, sizeof *notes, view_compare_notes);
    for (size_t i = 1; i < count; i++) {
        const struct nb_note *last = notes[kept].note, *note = notes[i].note;
        if (strcmp(last->name, note->name) == 0 &&
            strcmp(last->text, note->text) == 0)
            notes[kept].count++;
        else
            notes[++kept] = notes[i];
    }
    kept++;
    qsort(notes, kept, sizeof *notes, view_compare_numbers);
    return kept;
}

static enum nb_status view_add_note(const struct nb_report *report,
                                    const struct view_note *found,
                                    xmlNodePtr parent, struct nb_error *err)
{
    struct nb_text place = { 0 };
    nb_text_add(&place, "", 0);
    if (found->count < report->point_count)
        nb_place_print(&report->points[found->first], &place);
    if (found->count < report->point_count && found->count > 1)
        nb_text_print(&place, " and %zu more of %zu points", found->count - 1,
                      report->point_count);
    const enum nb_status status = nb_text_check(&place, err);
    if (status == NB_OK) {
        xmlNodePtr node = nb_view_add(parent, "note");
        nb_view_set(node, "name", found->note->name);
        view_set_text(node, "place", &place);
        nb_view_text(node, found->note->text);
    }
    nb_text_release(&place);
    return status;
}

/* Adds every note once, with the points that have it: none if all have it. */
static enum nb_status view_add_notes(const struct nb_report *report,
                                     xmlNodePtr parent, struct nb_error *err)
{
    struct view_note *notes = NULL;
    size_t count = 0;
    enum nb_status status;
    for (size_t p = 0; p < report->point_count; p++)
        count += report->points[p].note_count;
    NB_TRY(nb_new(&notes, count, sizeof *notes, "notes", err));
    count = 0;
    for (size_t p = 0; p < report->point_count; p++)
        for (size_t i = 0; i < report->points[p].note_count; i++) {
            notes[count] =
                (struct view_note){ &report->points[p].notes[i], p, 1, count };
            count++;
        }
    count = view_group_notes(notes, count);
    for (size_t i = 0; i < count; i++)
        NB_TRY(view_add_note(report, &notes[i], parent, err));
done:
    nb_delete(notes);
    return status;
}

/* Whether an element of the report has this name, and an attribute this
 * value. */
static bool view_is(const xmlNode *node, const char *element,
                    const char *attribute, const char *value)
{
    if (!xmlStrEqual(node->name, BAD_CAST element))
        return false;
    xmlChar *found = xmlGetNoNsProp(node, BAD_CAST attribute);
    const bool is_same = xmlStrEqual(found, BAD_CAST value);
    xmlFree(found);
    return is_same;
}

/* Numbers the tables with shown rows, and counts these and all tables, so that
 * style sheets need not count again at each. */
static void view_number_tables(xmlNodePtr report)
{
    unsigned long all = 0, shown = 0;
    xmlNodePtr node = report != NULL ? report->children : NULL;
    for (; node != NULL; node = node->next) {
        if (!xmlStrEqual(node->name, BAD_CAST "table"))
            continue;
        all++;
        if (!view_is(node, "table", "shown", "no"))
            nb_view_print(node, "number", "%lu", ++shown);
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

/* The number of rows of a table at all points; is_evidence: the table is only
 * for verify. */
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

/* One table; NULL: the quantities. */
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
        status = nb_report_write(report, NB_FORMAT_CSV, table, &text, &inner);
    if (status == NB_OK) {
        xmlNodePtr csv = nb_view_add(parent, "csv");
        nb_view_set(csv, "name", table != NULL ? table : "quantities");
        nb_view_print(csv, "rows", "%zu", rows);
        nb_view_lines(csv, text.bytes != NULL ? text.bytes : "");
    } else if (status == NB_INVALID) {
        status = NB_OK; /* its columns differ between points */
    } else {
        nb_fail_again(err, status, &inner);
    }
    nb_text_release(&text);
    return status;
}

/* Whether the report's element has a chart of that table. */
static bool view_is_drawn(const xmlNode *report, const char *table)
{
    const xmlNode *node = report != NULL ? report->children : NULL;
    while (node != NULL && !view_is(node, "chart", "data", table))
        node = node->next;
    return node != NULL;
}

/* Adds the quantities and every table that is not a certificate, or has a
 * chart, as CSV; only the requested table, of any length, if there is one. */
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

/* Adds the question, and what is known of the file. */
static enum nb_status view_add_head(const struct nb_exhibit *exhibit,
                                    xmlNodePtr node, struct nb_error *err)
{
    const struct nb_model *model = &exhibit->report->model;
    struct nb_text question = { 0 };
    nb_question_print(model, &question);
    nb_view_set(node, "command", model->command);
    view_set_text(node, "question", &question);
    const char *title =
        exhibit->report->title != NULL ? exhibit->report->title : model->title;
    if (title != NULL)
        nb_view_set(node, "title", title);
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

/* Removes the charts of all tables except the requested one. */
static void view_keep_charts(xmlNodePtr report, const char *table)
{
    xmlNodePtr next = report != NULL ? report->children : NULL;
    while (next != NULL) {
        xmlNodePtr node = next;
        next = node->next;
        if (!xmlStrEqual(node->name, BAD_CAST "chart") ||
            view_is(node, "chart", "data", table))
            continue;
        xmlUnlinkNode(node);
        xmlFreeNode(node);
    }
}

/* One line of it in each element. */
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
    NB_TRY(nb_principal_add(report, node, err));
    NB_TRY(view_add_notes(report, node, err));
    if (wants->rows > 0)
        NB_TRY(tables_add_all(exhibit, wants, prefix, node, err));
    view_number_tables(node);
    view_add_certificates(report, node);
    if (wants->formulas)
        NB_TRY(formulas_add_all(report, node, err));
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
