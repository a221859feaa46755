#include "report/shown.h"

#include "core/memory.h"

#include <string.h>

static const char shown_all[] = "all"; /* columns */

const char nb_ranking_table[] = "networks";
static char *shown_ranking[NB_RANKING_COLUMNS] = {
    "networks.topology",
    "networks.terminals",
    "networks.routers",
    "networks.local_links",
    "networks.global_links",
    "networks.cost",
    "networks.watts",
    "networks.cost_per_terminal",
    "networks.radix",
    "networks.diameter",
    "networks.capacity",
    "networks.worst_case",
    "networks.links_per_terminal",
};
const struct nb_model nb_ranking_model = {
    .show_count = NB_RANKING_COLUMNS,
    .show = shown_ranking,
};

/* Whether the model's item names the table or a column of it. */
static bool shown_is_of(const char *item, const char *table)
{
    const size_t length = strlen(table);
    return strncmp(item, table, length) == 0 &&
           (item[length] == '\0' || item[length] == '.');
}

enum nb_status nb_shown_quantities(const struct nb_report *report,
                                   struct nb_names *out, struct nb_error *err)
{
    const struct nb_model *model = &report->model;
    struct nb_names all;
    const enum nb_status status =
        nb_names_find(report, NB_NAME_QUANTITY, &all, err);
    *out = all;
    if (status != NB_OK || model->show_count == 0)
        return status;
    *out = (struct nb_names){ 0 };
    for (size_t i = 0; i < model->show_count; i++)
        if (nb_names_has(&all, model->show[i]))
            nb_names_add(out, model->show[i]);
    nb_names_release(&all);
    return nb_names_check(out, err);
}

/* A quantity hides a table of its name. */
enum nb_status nb_shown_tables(const struct nb_report *report,
                               struct nb_names *out, struct nb_error *err)
{
    const struct nb_model *model = &report->model;
    struct nb_names all = { 0 }, quantities = { 0 };
    enum nb_status status;
    *out = (struct nb_names){ 0 };
    NB_TRY(nb_names_find(report, NB_NAME_TABLE, &all, err));
    NB_TRY(nb_names_find(report, NB_NAME_QUANTITY, &quantities, err));
    for (size_t i = 0; i < model->show_count; i++)
        for (size_t t = 0; t < all.count; t++)
            if (shown_is_of(model->show[i], all.name[t]) &&
                !nb_names_has(&quantities, model->show[i]))
                nb_names_add(out, all.name[t]);
    status = nb_names_check(out, err);
done:
    nb_names_release(&quantities);
    nb_names_release(&all);
    return status;
}

/* The column that an item names of its table; NULL: none. */
static const char *shown_part(const char *item, const char *table)
{
    const size_t length = strlen(table);
    return shown_is_of(item, table) && item[length] == '.' ? item + length + 1
                                                           : NULL;
}

bool nb_shown_is_whole(const struct nb_model *model, const char *table)
{
    bool is_whole = true;
    for (size_t i = 0; i < model->show_count; i++) {
        const char *column = shown_part(model->show[i], table);
        if (column != NULL && strcmp(column, shown_all) == 0)
            return true;
        is_whole = is_whole && column == NULL;
    }
    return is_whole;
}

size_t nb_shown_columns(const struct nb_model *model,
                        const struct nb_table *table, size_t *columns)
{
    const bool is_whole = nb_shown_is_whole(model, table->name);
    size_t count = 0;
    for (size_t i = 0; i < model->show_count && !is_whole; i++) {
        const char *name = shown_part(model->show[i], table->name);
        const size_t column =
            name != NULL ? nb_table_column(table, name) : table->column_count;
        if (column < table->column_count)
            columns[count++] = column;
    }
    for (size_t i = 0; i < table->column_count && is_whole; i++)
        columns[count++] = i;
    return count;
}

/* A table with the name that an item begins with; NULL if there is none.
 * is_known: out, whether such a table has the column that the item names, if
 * any. */
static const struct nb_table *shown_table(const struct nb_report *report,
                                          const char *item, bool *is_known)
{
    const struct nb_table *found = NULL;
    *is_known = false;
    for (size_t p = 0; p < report->point_count && !*is_known; p++)
        for (size_t i = 0; i < report->points[p].table_count; i++) {
            const struct nb_table *table = &report->points[p].tables[i];
            if (!shown_is_of(item, table->name))
                continue;
            const char *column = shown_part(item, table->name);
            found = table;
            *is_known = *is_known || column == NULL ||
                        strcmp(column, shown_all) == 0 ||
                        nb_table_column(table, column) < table->column_count;
        }
    return found;
}

static enum nb_status shown_refuse_column(const struct nb_table *table,
                                          const char *column,
                                          struct nb_error *err)
{
    struct nb_text what = { 0 };
    struct nb_names names = { 0 };
    for (size_t i = 0; i < table->column_count; i++)
        nb_names_add(&names, table->columns[i].name);
    nb_text_print(&what, "table %s has no column", table->name);
    enum nb_status status;
    NB_TRY(nb_text_check(&what, err));
    NB_TRY(nb_names_check(&names, err));
    status = nb_names_refuse(&(struct nb_names_refusal){ .what = what.bytes,
                                                         .typed = column,
                                                         .after = " to show",
                                                         .names = names },
                             err);
done:
    nb_names_release(&names);
    nb_text_release(&what);
    return status;
}

enum nb_status nb_shown_check(const struct nb_report *report,
                              struct nb_error *err)
{
    const struct nb_model *model = &report->model;
    struct nb_names_refusal no_name = {
        .what = "the answer has no",
        .after = " to show",
        .none = "nothing",
    };
    enum nb_status status;
    NB_TRY(nb_names_find(report, NB_NAME_QUANTITY, &no_name.names, err));
    NB_TRY(nb_names_find(report, NB_NAME_TABLE, &no_name.tables, err));
    for (size_t i = 0; i < model->show_count; i++) {
        const char *item = no_name.typed = model->show[i];
        bool is_known;
        const struct nb_table *table = shown_table(report, item, &is_known);
        if (is_known || nb_names_has(&no_name.names, item))
            continue;
        NB_TRY(table != NULL ? shown_refuse_column(
                                   table, shown_part(item, table->name), err)
                             : nb_names_refuse(&no_name, err));
    }
done:
    nb_names_release(&no_name.tables);
    nb_names_release(&no_name.names);
    return status;
}
