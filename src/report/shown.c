#include "report/shown.h"

#include "core/memory.h"
#include "core/suggest.h"

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
    struct nb_names all = { 0 };
    enum nb_status status;
    *out = (struct nb_names){ 0 };
    NB_TRY(nb_names_find(report, NB_NAME_QUANTITY, &all, err));
    for (size_t i = 0; i < model->show_count; i++)
        if (nb_names_has(&all, model->show[i]))
            NB_TRY(nb_names_add(out, model->show[i], err));
    if (model->show_count == 0) {
        *out = all;
        all = (struct nb_names){ 0 };
    }
done:
    nb_names_release(&all);
    if (status != NB_OK)
        nb_names_release(out);
    return status;
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
                NB_TRY(nb_names_add(out, all.name[t], err));
done:
    nb_names_release(&quantities);
    nb_names_release(&all);
    if (status != NB_OK)
        nb_names_release(out);
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

/* Lists names for a message. */
static void shown_list(const struct nb_names *names, const char *before,
                       struct nb_suggestion *near, struct nb_text *list)
{
    for (size_t i = 0; i < names->count; i++) {
        nb_suggest(near, names->name[i], strlen(names->name[i]));
        nb_text_print(list, "%s%s", i == 0 ? before : ", ", names->name[i]);
    }
}

static enum nb_status shown_unknown(const char *item,
                                    const struct nb_names *quantities,
                                    const struct nb_names *tables,
                                    struct nb_error *err)
{
    struct nb_suggestion near = { .typed = item, .length = strlen(item) };
    struct nb_text list = { 0 };
    char meant[NB_SUGGESTED];
    shown_list(quantities, "", &near, &list);
    shown_list(tables, quantities->count > 0 ? "; tables " : "tables ", &near,
               &list);
    enum nb_status status = nb_text_check(&list, err);
    if (status == NB_OK)
        status = nb_fail(err, NB_INVALID,
                         "the answer has no \"%.60s\" to show%s (permitted: "
                         "%s)",
                         item, nb_suggestion_print(&near, "", meant),
                         list.bytes != NULL ? list.bytes : "nothing");
    nb_text_release(&list);
    return status;
}

static enum nb_status shown_unknown_column(const char *item,
                                           const struct nb_table *table,
                                           struct nb_error *err)
{
    const char *column = item + strlen(table->name) + 1;
    struct nb_suggestion near = { .typed = column, .length = strlen(column) };
    struct nb_text list = { 0 };
    char meant[NB_SUGGESTED];
    for (size_t i = 0; i < table->column_count; i++) {
        const char *name = table->columns[i].name;
        nb_suggest(&near, name, strlen(name));
        nb_text_print(&list, "%s%s", i == 0 ? "" : ", ", name);
    }
    enum nb_status status = nb_text_check(&list, err);
    if (status == NB_OK)
        status = nb_fail(err, NB_INVALID,
                         "table %s has no column \"%.60s\" to show%s "
                         "(permitted: %s)",
                         table->name, column,
                         nb_suggestion_print(&near, "", meant), list.bytes);
    nb_text_release(&list);
    return status;
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

enum nb_status nb_shown_check(const struct nb_report *report,
                              struct nb_error *err)
{
    const struct nb_model *model = &report->model;
    struct nb_names quantities = { 0 }, tables = { 0 };
    enum nb_status status;
    NB_TRY(nb_names_find(report, NB_NAME_QUANTITY, &quantities, err));
    NB_TRY(nb_names_find(report, NB_NAME_TABLE, &tables, err));
    for (size_t i = 0; i < model->show_count; i++) {
        const char *item = model->show[i];
        bool is_known;
        const struct nb_table *table = shown_table(report, item, &is_known);
        if (is_known || nb_names_has(&quantities, item))
            continue;
        NB_TRY(table != NULL ? shown_unknown_column(item, table, err)
                             : shown_unknown(item, &quantities, &tables, err));
    }
done:
    nb_names_release(&tables);
    nb_names_release(&quantities);
    return status;
}
