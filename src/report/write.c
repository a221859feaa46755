/* Writing a report in any format (declared in report/report.h). */
#include "report/format.h"

#include "core/memory.h"
#include "core/suggest.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static size_t write_name_count(const struct nb_point *point,
                               enum nb_name_kind kind)
{
    return kind == NB_NAME_SETTING    ? point->setting_count
           : kind == NB_NAME_QUANTITY ? point->quantity_count
                                      : point->table_count;
}

static const char *write_name_at(const struct nb_point *point,
                                 enum nb_name_kind kind, size_t i)
{
    return kind == NB_NAME_SETTING    ? point->settings[i].name
           : kind == NB_NAME_QUANTITY ? point->quantities[i].name
                                      : point->tables[i].name;
}

bool nb_names_has(const struct nb_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0)
            return true;
    return false;
}

enum nb_status nb_names_add(struct nb_names *names, const char *name,
                            struct nb_error *err)
{
    if (nb_names_has(names, name))
        return NB_OK;
    const enum nb_status status = nb_grow_one(
        &names->name, names->count, sizeof *names->name, "names", err);
    if (status == NB_OK)
        names->name[names->count++] = name;
    return status;
}

enum nb_status nb_names_find(const struct nb_report *report,
                             enum nb_name_kind kind, struct nb_names *out,
                             struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_names){ 0 };
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_point *point = &report->points[p];
        for (size_t i = 0; i < write_name_count(point, kind); i++)
            NB_TRY(nb_names_add(out, write_name_at(point, kind, i), err));
    }
done:
    if (status != NB_OK)
        nb_names_release(out);
    return status;
}

void nb_names_release(struct nb_names *names)
{
    nb_delete(names->name);
    *names = (struct nb_names){ 0 };
}

const char *nb_point_setting(const struct nb_point *point, const char *name)
{
    for (size_t i = 0; i < point->setting_count; i++)
        if (strcmp(point->settings[i].name, name) == 0)
            return point->settings[i].value;
    return "";
}

const char *nb_point_find_note(const struct nb_point *point, const char *name)
{
    for (size_t i = 0; i < point->note_count; i++)
        if (strcmp(point->notes[i].name, name) == 0)
            return point->notes[i].text;
    return NULL;
}

void nb_cell_print(const union nb_cell *cell, enum nb_cell_type type,
                   char text[NB_CELL_CHARACTERS])
{
    assert(type != NB_CELL_TEXT);
    if (type == NB_CELL_WHOLE)
        snprintf(text, NB_CELL_CHARACTERS, "%" PRId64, cell->whole);
    else if (type == NB_CELL_NUMBER)
        nb_number_print(cell->number, text);
    else if (nb_ratio_is_known(cell->ratio))
        nb_ratio_print(cell->ratio, text);
    else
        snprintf(text, NB_CELL_CHARACTERS, "?");
}

enum nb_status nb_report_check_table(const struct nb_report *report,
                                     const char *table, struct nb_error *err)
{
    struct nb_suggestion near = { .typed = table, .length = strlen(table) };
    char meant[NB_SUGGESTED];
    struct nb_names names;
    struct nb_text list = { 0 };
    enum nb_status status;
    NB_TRY(nb_names_find(report, NB_NAME_TABLE, &names, err));
    if (nb_names_has(&names, table))
        goto done;
    for (size_t i = 0; i < names.count; i++) {
        nb_text_print(&list, "%s%s", i > 0 ? ", " : "", names.name[i]);
        nb_suggest(&near, names.name[i], strlen(names.name[i]));
    }
    NB_TRY(nb_text_check(&list, err));
    status = nb_fail(
        err, NB_INVALID, "the report has no table \"%.60s\"%s (permitted: %s)",
        table, nb_suggestion_print(&near, "", meant),
        names.count > 0 ? list.bytes : "none, because it has no tables");
done:
    nb_text_release(&list);
    nb_names_release(&names);
    return status;
}

/* Checks that the report is complete and has the table asked for, if any. */
static enum nb_status write_check(const struct nb_report *report,
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
    enum nb_status status = write_check(report, table, err);
    if (status == NB_OK)
        status = nb_report_write_text(report, table, look, text, err);
    return status == NB_OK ? nb_text_check(text, err) : status;
}

enum nb_status nb_report_write(const struct nb_report *report,
                               enum nb_format format, const char *table,
                               struct nb_text *text, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(write_check(report, table, err));
    switch (format) {
    case NB_FORMAT_TEXT:
        NB_TRY(nb_report_write_text(report, table, &nb_look_plain, text, err));
        break;
    case NB_FORMAT_CSV:
        NB_TRY(nb_report_write_csv(report, table, text, err));
        break;
    case NB_FORMAT_XML:
        NB_TRY(nb_report_write_xml(report, text, err));
        break;
    case NB_FORMAT_JSON:
        NB_TRY(nb_report_write_json(report, text, err));
        break;
    }
    NB_TRY(nb_text_check(text, err));
done:
    return status;
}
