#include "report/layout.h"

#include "core/memory.h"
#include "report/cell.h"
#include "report/grid.h"
#include "report/printed.h"
#include "report/shown.h"

#include <math.h>
#include <string.h>

void nb_layout_release(struct nb_layout *layout)
{
    nb_delete(layout->columns);
    nb_delete(layout->cells);
    nb_names_release(&layout->sources);
    nb_text_release(&layout->characters);
    *layout = (struct nb_layout){ 0 };
}

const char *nb_layout_text(const struct nb_layout *layout,
                           const struct nb_layout_cell *cell)
{
    return layout->characters.bytes + cell->text;
}

const char *nb_layout_raw(const struct nb_layout *layout,
                          const struct nb_layout_cell *cell)
{
    return cell->raw == cell->text ? NULL
                                   : layout->characters.bytes + cell->raw;
}

const char *nb_layout_exact(const struct nb_layout *layout,
                            const struct nb_layout_cell *cell)
{
    return cell->exact == cell->text ? NULL
                                     : layout->characters.bytes + cell->exact;
}

bool nb_layout_is_exact(const struct nb_layout *layout, size_t column)
{
    enum { SHORT = 7 }; /* length of an easily read ratio */
    if (layout->kind != NB_LAYOUT_PIVOT)
        return layout->columns[column].type == NB_CELL_RATIO;
    for (size_t i = 0; i < layout->cell_count; i++) {
        const struct nb_layout_cell *cell = &layout->cells[i];
        const char *exact = nb_layout_exact(layout, cell);
        if (exact != NULL ? strlen(exact) > SHORT
                          : nb_layout_raw(layout, cell) != NULL)
            return false;
    }
    return true;
}

/* Highlights saturated, unreachable, unbounded. */
enum nb_ink nb_layout_ink(double value)
{
    return isinf(value) ? NB_INK_ALERT : NB_INK_PLAIN;
}

enum nb_status nb_layout_add_column(struct nb_layout *layout,
                                    const struct nb_layout_column *column,
                                    struct nb_error *err)
{
    const enum nb_status status =
        nb_grow_one(&layout->columns, layout->column_count,
                    sizeof *layout->columns, "columns", err);
    if (status == NB_OK)
        layout->columns[layout->column_count++] = *column;
    return status;
}

/* Adds characters, with blanks for control characters, and a NUL; returns where
 * they begin. */
static size_t layout_keep(struct nb_layout *layout, const char *text)
{
    const size_t place = layout->characters.length;
    nb_text_add_plain(&layout->characters, text);
    nb_text_add(&layout->characters, "", 1);
    return place;
}

static struct nb_layout_cell *layout_new_cell(struct nb_layout *layout)
{
    if (nb_grow_one(&layout->cells, layout->cell_count, sizeof *layout->cells,
                    "cells", NULL) != NB_OK) {
        layout->characters.has_failed = true;
        return NULL;
    }
    return &layout->cells[layout->cell_count++];
}

void nb_layout_add(struct nb_layout *layout, enum nb_ink ink, const char *text)
{
    struct nb_layout_cell *cell = layout_new_cell(layout);
    if (cell == NULL)
        return;
    cell->ink = ink;
    cell->text = layout_keep(layout, text);
    cell->raw = cell->exact = cell->text;
}

void nb_layout_add_number(struct nb_layout *layout, enum nb_ink ink,
                          const char *text, double value, struct nb_ratio exact)
{
    char digits[NB_NUMBER_TEXT], ratio[NB_RATIO_TEXT];
    nb_layout_add(layout, ink, text);
    nb_number_print(value, digits);
    if (!layout->characters.has_failed && !isnan(value) &&
        strcmp(digits, text) != 0)
        layout->cells[layout->cell_count - 1].raw = layout_keep(layout, digits);
    if (!nb_ratio_is_known(exact))
        return;
    nb_ratio_print(exact, ratio);
    if (!layout->characters.has_failed && strcmp(ratio, text) != 0)
        layout->cells[layout->cell_count - 1].exact =
            layout_keep(layout, ratio);
}

enum nb_status nb_layout_add_source(struct nb_layout *layout,
                                    const char *source, struct nb_error *err)
{
    return *source != '\0' ? nb_names_add(&layout->sources, source, err)
                           : NB_OK;
}

enum nb_status nb_layout_add_setting(struct nb_layout *layout,
                                     const struct nb_report *report,
                                     const char *name, struct nb_error *err)
{
    struct nb_layout_column column = {
        .name = name, .unit = "", .type = NB_CELL_NUMBER, .is_setting = true
    };
    double number;
    for (size_t p = 0; p < report->point_count; p++)
        if (!nb_cell_read_number(nb_point_setting(&report->points[p], name),
                                 &number))
            column.type = NB_CELL_TEXT;
    return nb_layout_add_column(layout, &column, err);
}

static enum nb_status layout_list(const struct nb_report *report,
                                  const struct nb_names *names, size_t most,
                                  struct nb_layout *out, struct nb_error *err)
{
    static const struct nb_layout_column columns[] = {
        { "quantity", "", NB_CELL_TEXT, false, false },
        { "value", "", NB_CELL_NUMBER, false, false },
        { "exact or bounds", "", NB_CELL_TEXT, false, false },
        { "unit", "", NB_CELL_TEXT, false, false },
        { "source", "", NB_CELL_TEXT, false, false },
    };
    enum nb_status status = NB_OK;
    char printed[NB_PRINTED];
    out->kind = NB_LAYOUT_LIST;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        NB_TRY(nb_layout_add_column(out, &columns[i], err));
    for (size_t p = 0; p < report->point_count; p++)
        for (size_t i = 0; i < names->count; i++) {
            const struct nb_quantity *quantity =
                nb_point_quantity(&report->points[p], names->name[i]);
            if (quantity == NULL || out->row_count++ >= most)
                continue;
            nb_layout_add(out, NB_INK_NAME, quantity->name);
            nb_print_value(quantity, printed);
            nb_layout_add_number(out, nb_layout_ink(quantity->value), printed,
                                 quantity->value, (struct nb_ratio){ 0 });
            nb_print_certainty(quantity, printed);
            nb_layout_add(out,
                          nb_ratio_is_known(quantity->exact) ? NB_INK_EXACT
                                                             : NB_INK_PLAIN,
                          printed);
            nb_layout_add(out, NB_INK_DIM, quantity->unit);
            nb_layout_add(out, NB_INK_DIM, quantity->source);
            NB_TRY(nb_layout_add_source(out, quantity->source, err));
        }
done:
    return status;
}

/* The unit of a quantity where it first appears. */
static const char *layout_unit(const struct nb_report *report, const char *name)
{
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_quantity *quantity =
            nb_point_quantity(&report->points[p], name);
        if (quantity != NULL)
            return quantity->unit;
    }
    return "";
}

static enum nb_status layout_sweep(const struct nb_report *report,
                                   const struct nb_names *settings,
                                   const struct nb_names *names, size_t most,
                                   struct nb_layout *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    char printed[NB_PRINTED + NB_NUMBER_TEXT];
    out->kind = NB_LAYOUT_SWEEP;
    out->row_count = report->point_count;
    for (size_t i = 0; i < settings->count; i++)
        NB_TRY(nb_layout_add_setting(out, report, settings->name[i], err));
    for (size_t i = 0; i < names->count; i++) {
        const struct nb_layout_column column = { .name = names->name[i],
                                                 .unit = layout_unit(
                                                     report, names->name[i]),
                                                 .type = NB_CELL_NUMBER };
        NB_TRY(nb_layout_add_column(out, &column, err));
    }
    for (size_t p = 0; p < report->point_count && p < most; p++) {
        const struct nb_point *point = &report->points[p];
        for (size_t i = 0; i < settings->count; i++)
            nb_layout_add(out, NB_INK_PLAIN,
                          nb_point_setting(point, settings->name[i]));
        for (size_t i = 0; i < names->count; i++) {
            const struct nb_quantity *quantity =
                nb_point_quantity(point, names->name[i]);
            if (quantity == NULL) {
                nb_layout_add(out, NB_INK_PLAIN, "-");
                continue;
            }
            nb_print_swept(quantity, printed);
            nb_layout_add_number(out, nb_layout_ink(quantity->value), printed,
                                 quantity->value, quantity->exact);
            NB_TRY(nb_layout_add_source(out, quantity->source, err));
        }
    }
done:
    return status;
}

enum nb_status nb_layout_quantities(const struct nb_report *report,
                                    const struct nb_names *names, size_t most,
                                    struct nb_layout *out, struct nb_error *err)
{
    struct nb_names settings = { 0 };
    enum nb_status status;
    *out = (struct nb_layout){ .name = "quantities", .unit = "" };
    NB_TRY(nb_names_find(report, NB_NAME_SETTING, &settings, err));
    if (settings.count > 0)
        NB_TRY(layout_sweep(report, &settings, names, most, out, err));
    else
        NB_TRY(layout_list(report, names, most, out, err));
    NB_TRY(nb_text_check(&out->characters, err));
done:
    nb_names_release(&settings);
    if (status != NB_OK)
        nb_layout_release(out);
    return status;
}

static void layout_add_cell(struct nb_layout *out, const char *column,
                            const union nb_cell *cell, enum nb_cell_type type)
{
    char characters[NB_PRINTED];
    if (type == NB_CELL_TEXT) {
        nb_layout_add(out, NB_INK_PLAIN, cell->text);
    } else if (type == NB_CELL_NUMBER) {
        nb_print_column(column, cell->number, characters);
        nb_layout_add_number(out, nb_layout_ink(cell->number), characters,
                             cell->number, (struct nb_ratio){ 0 });
    } else if (type == NB_CELL_RATIO && nb_ratio_is_known(cell->ratio)) {
        const double value = nb_ratio_value(cell->ratio);
        nb_print_number(value, characters);
        nb_layout_add_number(out, nb_layout_ink(value), characters, value,
                             cell->ratio);
    } else {
        nb_cell_print(cell, type, characters);
        nb_layout_add(out, NB_INK_PLAIN, characters);
    }
}

enum nb_status nb_layout_table(const struct nb_table *table,
                               const struct nb_model *model, size_t most,
                               struct nb_layout *out, struct nb_error *err)
{
    static const struct nb_model whole = { 0 };
    size_t *columns = NULL;
    enum nb_status status;
    *out = (struct nb_layout){ .kind = NB_LAYOUT_TABLE,
                               .name = table->name,
                               .unit = "",
                               .row_count = table->row_count };
    NB_TRY(
        nb_new(&columns, table->column_count, sizeof *columns, "columns", err));
    const size_t count =
        nb_shown_columns(model != NULL ? model : &whole, table, columns);
    for (size_t i = 0; i < count; i++) {
        const struct nb_column *from = &table->columns[columns[i]];
        const struct nb_layout_column column = { .name = from->name,
                                                 .unit = from->unit,
                                                 .type = from->type };
        NB_TRY(nb_layout_add_column(out, &column, err));
    }
    for (size_t r = 0; r < table->row_count && r < most; r++)
        for (size_t i = 0; i < count; i++)
            layout_add_cell(out, out->columns[i].name,
                            &table->cells[r * table->column_count + columns[i]],
                            out->columns[i].type);
    NB_TRY(nb_text_check(&out->characters, err));
done:
    nb_delete(columns);
    if (status != NB_OK)
        nb_layout_release(out);
    return status;
}
