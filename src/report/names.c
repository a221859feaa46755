/* Names in a report (declared in report/format.h). */
#include "report/format.h"

#include "core/memory.h"
#include "core/suggest.h"

#include <string.h>

bool nb_names_has(const struct nb_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0)
            return true;
    return false;
}

void nb_names_add(struct nb_names *names, const char *name)
{
    if (names->has_failed || nb_names_has(names, name))
        return;
    if (nb_grow_one(&names->name, names->count, sizeof *names->name, "names",
                    NULL) == NB_OK)
        names->name[names->count++] = name;
    else
        names->has_failed = true;
}

enum nb_status nb_names_check(struct nb_names *names, struct nb_error *err)
{
    if (!names->has_failed)
        return NB_OK;
    nb_names_release(names);
    return nb_fail(err, NB_NO_MEMORY, "no memory for names");
}

enum nb_status nb_names_find(const struct nb_report *report,
                             enum nb_name_kind kind, struct nb_names *out,
                             struct nb_error *err)
{
    *out = (struct nb_names){ 0 };
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_point *point = &report->points[p];
        for (size_t i = 0; kind == NB_NAME_SETTING && i < point->setting_count;
             i++)
            nb_names_add(out, point->settings[i].name);
        for (size_t i = 0;
             kind == NB_NAME_QUANTITY && i < point->quantity_count; i++)
            nb_names_add(out, point->quantities[i].name);
        for (size_t i = 0; kind == NB_NAME_TABLE && i < point->table_count; i++)
            nb_names_add(out, point->tables[i].name);
        for (size_t i = 0; kind == NB_NAME_NOTE && i < point->note_count; i++)
            nb_names_add(out, point->notes[i].name);
    }
    return nb_names_check(out, err);
}

void nb_names_release(struct nb_names *names)
{
    nb_delete(names->name);
    *names = (struct nb_names){ 0 };
}

static void names_list(const struct nb_names *names, const char *before,
                       struct nb_suggestion *near, struct nb_text *list)
{
    for (size_t i = 0; i < names->count; i++) {
        nb_suggest(near, names->name[i], strlen(names->name[i]));
        nb_text_print(list, "%s%s", i == 0 ? before : ", ", names->name[i]);
    }
}

enum nb_status nb_names_refuse(const struct nb_names_refusal *refusal,
                               struct nb_error *err)
{
    struct nb_suggestion near = { .typed = refusal->typed,
                                  .length = strlen(refusal->typed) };
    struct nb_text list = { 0 };
    char meant[NB_SUGGESTED];
    names_list(&refusal->names, "", &near, &list);
    names_list(&refusal->tables, list.length > 0 ? "; tables " : "tables ",
               &near, &list);
    enum nb_status status = nb_text_check(&list, err);
    if (status == NB_OK)
        status = nb_fail(err, NB_INVALID, "%s \"%.60s\"%s%s (permitted: %s)",
                         refusal->what, refusal->typed, refusal->after,
                         nb_suggestion_print(&near, "", meant),
                         list.length > 0 ? list.bytes : refusal->none);
    nb_text_release(&list);
    return status;
}

enum nb_status nb_report_check_table(const struct nb_report *report,
                                     const char *table, struct nb_error *err)
{
    struct nb_names_refusal no_table = {
        .what = "the report has no table",
        .typed = table,
        .after = "",
        .none = "none, because it has no tables",
    };
    enum nb_status status =
        nb_names_find(report, NB_NAME_TABLE, &no_table.names, err);
    if (status == NB_OK && !nb_names_has(&no_table.names, table))
        status = nb_names_refuse(&no_table, err);
    nb_names_release(&no_table.names);
    return status;
}

const char *nb_point_setting(const struct nb_point *point, const char *name)
{
    for (size_t i = 0; i < point->setting_count; i++)
        if (strcmp(point->settings[i].name, name) == 0)
            return point->settings[i].value;
    return "";
}

bool nb_column_is_split(const struct nb_table *table, size_t column)
{
    const bool is_beside =
        strcmp(table->columns[column].name, "exact") == 0 &&
        nb_table_column(table, "lower") < table->column_count;
    return table->columns[column].type == NB_CELL_RATIO && !is_beside;
}

const char *nb_point_find_note(const struct nb_point *point, const char *name)
{
    for (size_t i = 0; i < point->note_count; i++)
        if (strcmp(point->notes[i].name, name) == 0)
            return point->notes[i].text;
    return NULL;
}
