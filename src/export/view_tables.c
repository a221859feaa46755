/* Tables of the view: what people read, laid out. */
#include "export/view_parts.h"

#include "core/try.h"
#include "report/grid.h"
#include "report/layout.h"
#include "report/printed.h"
#include "report/shown.h"
#include "report/tree.h"

#include <stdio.h>
#include <string.h>

static const char *const tables_kinds[] = { [NB_LAYOUT_LIST] = "quantities",
                                            [NB_LAYOUT_SWEEP] = "quantities",
                                            [NB_LAYOUT_PIVOT] = "pivot",
                                            [NB_LAYOUT_TABLE] = "table" };

/* Sets an attribute, or the content (name NULL), with blanks for control
 * characters; false if there is no memory. */
static bool tables_set(xmlNodePtr node, const char *name, const char *value)
{
    struct nb_text plain = { 0 };
    nb_text_add_plain(&plain, value);
    nb_text_add(&plain, "", 0);
    const bool is_set = !plain.has_failed;
    if (is_set && name != NULL)
        nb_view_set(node, name, plain.bytes);
    else if (is_set)
        nb_view_text(node, plain.bytes);
    nb_text_release(&plain);
    return is_set;
}

static bool tables_add_columns(const struct nb_layout *layout, xmlNodePtr table)
{
    bool is_set = true;
    for (size_t i = 0; i < layout->column_count; i++) {
        const struct nb_layout_column *column = &layout->columns[i];
        xmlNodePtr node = nb_view_add(table, "column");
        is_set = is_set && tables_set(node, "name", column->name) &&
                 tables_set(node, "unit", column->unit);
        nb_view_set(node, "side",
                    column->type == NB_CELL_TEXT ? "left" : "right");
        nb_view_set(node, "type", nb_cell_type_names[column->type]);
        if (column->is_setting)
            nb_view_set(node, "swept", "yes");
        if (column->is_value)
            nb_view_set(node, "over", layout->over);
    }
    return is_set;
}

static void tables_add_rows(const struct nb_layout *layout, xmlNodePtr table)
{
    xmlNodePtr row = NULL;
    for (size_t i = 0; i < layout->cell_count; i++) {
        const struct nb_layout_cell *cell = &layout->cells[i];
        const char *raw = nb_layout_raw(layout, cell);
        if (i % layout->column_count == 0)
            row = nb_view_add(table, "row");
        xmlNodePtr node = nb_view_add(row, "cell");
        if (raw != NULL)
            nb_view_set(node, "raw", raw);
        nb_view_text(node, nb_layout_text(layout, cell));
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

/* point: whose place in the sweeps the title tells; NULL: that of none. */
static enum nb_status tables_add(const struct nb_layout *layout,
                                 const struct nb_point *point, bool is_shown,
                                 const char *id, xmlNodePtr parent,
                                 struct nb_error *err)
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
    nb_view_set(table, "shown", is_shown ? "yes" : "no");
    bool is_set = !title.has_failed &&
                  tables_set(table, "title", title.bytes) &&
                  tables_set(table, "unit", layout->unit) &&
                  tables_add_columns(layout, table);
    tables_add_rows(layout, table);
    for (size_t i = 0; i < layout->sources.count && is_set; i++)
        is_set = tables_set(nb_view_add(table, "source"), NULL,
                            layout->sources.name[i]);
    nb_text_release(&title);
    return is_set ? NB_OK : nb_fail(err, NB_NO_MEMORY, "no memory for a table");
}

/* What the model shows, and then all, which are the answer unless it shows
 * something or a table is asked for. */
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
            NB_TRY(tables_add(&layout, NULL, true, id, parent, err));
        nb_layout_release(&layout);
    }
    NB_TRY(nb_names_find(report, NB_NAME_QUANTITY, &names, err));
    if (names.count == 0)
        goto done;
    NB_TRY(nb_layout_quantities(report, &names, most, &layout, err));
    snprintf(id, sizeof id, "%s-quantities", prefix);
    NB_TRY(tables_add(&layout, NULL, is_asked && !has_choice, id, parent, err));
done:
    nb_names_release(&names);
    nb_layout_release(&layout);
    return status;
}

/*
 * One table of the report at every point that has it.
 *
 * model  whose columns are laid out; NULL: all
 */
static enum nb_status
tables_add_table(const struct nb_report *report, const char *name,
                 const struct nb_model *model, bool is_shown, size_t most,
                 const char *prefix, xmlNodePtr parent, struct nb_error *err)
{
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
        status = tables_add(&layout, point, is_shown, id, parent, err);
        nb_layout_release(&layout);
    }
    return status;
}

/* Whether the tables that people did not ask for are the answer: there is no
 * other. */
static bool tables_are_answer(const struct nb_exhibit *exhibit)
{
    const struct nb_report *report = exhibit->report;
    bool is_answer = exhibit->table == NULL && report->model.show_count == 0;
    for (size_t p = 0; p < report->point_count; p++)
        is_answer = is_answer && report->points[p].quantity_count == 0;
    return is_answer;
}

/* Whether a table was already added as a whole. */
static bool tables_is_done(const struct nb_exhibit *exhibit,
                           const struct nb_names *shown, const char *name)
{
    if (exhibit->table != NULL)
        return strcmp(exhibit->table, name) == 0;
    for (size_t i = 0; i < shown->count; i++)
        if (strcmp(shown->name[i], name) == 0)
            return nb_shown_is_whole(&exhibit->report->model, name);
    return false;
}

enum nb_status nb_view_add_tables(const struct nb_exhibit *exhibit,
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
    NB_TRY(tables_add_quantities(exhibit, most, prefix, parent, err));
    NB_TRY(nb_shown_tables(report, &shown, err));
    if (asked != NULL)
        NB_TRY(tables_add_table(report, asked, NULL, true, most, prefix, parent,
                                err));
    for (size_t i = 0; i < shown.count && asked == NULL; i++)
        NB_TRY(tables_add_table(report, shown.name[i], &report->model, true,
                                most, prefix, parent, err));
    NB_TRY(nb_names_find(report, NB_NAME_TABLE, &all, err));
    for (size_t i = 0; i < all.count; i++)
        if ((wants->hidden || is_answer) &&
            !tables_is_done(exhibit, &shown, all.name[i]))
            NB_TRY(tables_add_table(report, all.name[i], NULL, is_answer, most,
                                    prefix, parent, err));
done:
    nb_names_release(&shown);
    nb_names_release(&all);
    return status;
}
