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

/* The characters remember a failure of any addition. */
static void layout_add_column(struct nb_layout *layout,
                              struct nb_layout_column column)
{
    if (nb_grow_one(&layout->columns, layout->column_count,
                    sizeof *layout->columns, "columns", NULL) == NB_OK)
        layout->columns[layout->column_count++] = column;
    else
        layout->characters.has_failed = true;
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

static void layout_add(struct nb_layout *layout, enum nb_ink ink,
                       const char *text)
{
    if (nb_grow_one(&layout->cells, layout->cell_count, sizeof *layout->cells,
                    "cells", NULL) != NB_OK)
        layout->characters.has_failed = true;
    if (layout->characters.has_failed)
        return;
    const size_t place = layout_keep(layout, text);
    layout->cells[layout->cell_count++] =
        (struct nb_layout_cell){ place, place, place, ink };
}

/* Highlights saturated, unreachable, unbounded. */
static void layout_add_number(struct nb_layout *layout, const char *text,
                              double value, struct nb_ratio exact)
{
    char digits[NB_NUMBER_TEXT], ratio[NB_RATIO_TEXT];
    nb_number_print(value, digits);
    nb_ratio_print(exact, ratio);
    layout_add(layout, isinf(value) ? NB_INK_ALERT : NB_INK_PLAIN, text);
    if (layout->characters.has_failed)
        return;
    struct nb_layout_cell *cell = &layout->cells[layout->cell_count - 1];
    if (!isnan(value) && strcmp(digits, text) != 0)
        cell->raw = layout_keep(layout, digits);
    if (*ratio != '\0' && strcmp(ratio, text) != 0)
        cell->exact = layout_keep(layout, ratio);
}

/* quantity: NULL if the point does not have it. */
static void layout_add_quantity(struct nb_layout *layout,
                                const struct nb_quantity *quantity)
{
    char printed[NB_PRINTED + NB_NUMBER_TEXT];
    if (quantity == NULL) {
        layout_add(layout, NB_INK_PLAIN, "-");
        return;
    }
    nb_print_swept(quantity, printed);
    layout_add_number(layout, printed, quantity->value, quantity->exact);
}

static void layout_add_source(struct nb_layout *layout,
                              const struct nb_quantity *quantity)
{
    if (quantity != NULL && *quantity->source != '\0')
        nb_names_add(&layout->sources, quantity->source);
}

/* A column for each swept option, except the one at `but`: of numbers if all
 * its values are. */
static void layout_add_swept(struct nb_layout *layout,
                             const struct nb_report *report,
                             const struct nb_names *settings, size_t but)
{
    for (size_t i = 0; i < settings->count; i++) {
        struct nb_layout_column column = { .name = settings->name[i],
                                           .unit = "",
                                           .type = NB_CELL_NUMBER,
                                           .is_setting = true };
        double number;
        for (size_t p = 0; p < report->point_count; p++)
            if (!nb_cell_read_number(
                    nb_point_setting(&report->points[p], column.name), &number))
                column.type = NB_CELL_TEXT;
        if (i != but)
            layout_add_column(layout, column);
    }
}

/* Their values at a point. */
static void layout_add_settings(struct nb_layout *layout,
                                const struct nb_point *point,
                                const struct nb_names *settings, size_t but)
{
    for (size_t i = 0; i < settings->count; i++)
        if (i != but)
            layout_add(layout, NB_INK_PLAIN,
                       nb_point_setting(point, settings->name[i]));
}

/* Call at the end. Releases the layout after a failure. */
static enum nb_status layout_end(struct nb_layout *layout, struct nb_error *err)
{
    layout->characters.has_failed |= layout->sources.has_failed;
    const enum nb_status status = nb_text_check(&layout->characters, err);
    if (status != NB_OK)
        nb_layout_release(layout);
    return status;
}

static void layout_list(const struct nb_report *report,
                        const struct nb_names *names, size_t most,
                        struct nb_layout *out)
{
    static const struct nb_layout_column columns[] = {
        { "quantity", "", NB_CELL_TEXT, false, false },
        { "value", "", NB_CELL_NUMBER, false, false },
        { "exact or bounds", "", NB_CELL_TEXT, false, false },
        { "unit", "", NB_CELL_TEXT, false, false },
        { "source", "", NB_CELL_TEXT, false, false },
    };
    out->kind = NB_LAYOUT_LIST;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        layout_add_column(out, columns[i]);
    for (size_t p = 0; p < report->point_count; p++)
        for (size_t i = 0; i < names->count; i++) {
            const struct nb_quantity *quantity =
                nb_point_quantity(&report->points[p], names->name[i]);
            char printed[NB_PRINTED];
            if (quantity == NULL || out->row_count++ >= most)
                continue;
            layout_add(out, NB_INK_NAME, quantity->name);
            nb_print_value(quantity, printed);
            layout_add_number(out, printed, quantity->value,
                              (struct nb_ratio){ 0 });
            nb_print_certainty(quantity, printed);
            layout_add(out,
                       nb_ratio_is_known(quantity->exact) ? NB_INK_EXACT
                                                          : NB_INK_PLAIN,
                       printed);
            layout_add(out, NB_INK_DIM, quantity->unit);
            layout_add(out, NB_INK_DIM, quantity->source);
            layout_add_source(out, quantity);
        }
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

static void layout_sweep(const struct nb_report *report,
                         const struct nb_names *settings,
                         const struct nb_names *names, size_t most,
                         struct nb_layout *out)
{
    out->kind = NB_LAYOUT_SWEEP;
    out->row_count = report->point_count;
    layout_add_swept(out, report, settings, SIZE_MAX);
    for (size_t i = 0; i < names->count; i++)
        layout_add_column(out, (struct nb_layout_column){
                                   .name = names->name[i],
                                   .unit = layout_unit(report, names->name[i]),
                                   .type = NB_CELL_NUMBER });
    for (size_t p = 0; p < report->point_count && p < most; p++) {
        const struct nb_point *point = &report->points[p];
        layout_add_settings(out, point, settings, SIZE_MAX);
        for (size_t i = 0; i < names->count; i++) {
            const struct nb_quantity *quantity =
                nb_point_quantity(point, names->name[i]);
            layout_add_quantity(out, quantity);
            layout_add_source(out, quantity);
        }
    }
}

enum nb_status nb_layout_quantities(const struct nb_report *report,
                                    const struct nb_names *names, size_t most,
                                    struct nb_layout *out, struct nb_error *err)
{
    struct nb_names settings;
    *out = (struct nb_layout){ .name = "quantities", .unit = "" };
    const enum nb_status status =
        nb_names_find(report, NB_NAME_SETTING, &settings, err);
    if (status != NB_OK)
        return status;
    if (settings.count > 0)
        layout_sweep(report, &settings, names, most, out);
    else
        layout_list(report, names, most, out);
    nb_names_release(&settings);
    return layout_end(out, err);
}

struct pivot_row {
    const struct nb_point *first;
    const struct nb_quantity *filled[NB_PIVOT_COLUMNS];
};

/* over: the setting whose values are the columns. block: the first row of the
 * current block, whose points have the same values of the settings before over;
 * place: the row of the last point. */
struct pivot {
    const struct nb_names *settings;
    size_t over;
    size_t count;
    const char *value[NB_PIVOT_COLUMNS];
    size_t row_count;
    struct pivot_row *rows;
    size_t block, place;
};

/* The column of a value, added if it is new; NB_PIVOT_COLUMNS if there is no
 * room for it. */
static size_t pivot_column(struct pivot *pivot, const char *value)
{
    size_t i = 0;
    while (i < pivot->count && strcmp(pivot->value[i], value) != 0)
        i++;
    if (i == pivot->count && i < NB_PIVOT_COLUMNS)
        pivot->value[pivot->count++] = value;
    return i;
}

/* Finds the columns: the values of the last setting that has few. */
static bool pivot_find(const struct nb_report *report, struct pivot *pivot)
{
    bool is_narrow = false;
    pivot->over = pivot->settings->count;
    while (pivot->settings->count >= 2 && pivot->over > 0 && !is_narrow) {
        const char *name = pivot->settings->name[--pivot->over];
        is_narrow = true;
        pivot->count = 0;
        for (size_t p = 0; p < report->point_count && is_narrow; p++)
            is_narrow =
                pivot_column(pivot, nb_point_setting(&report->points[p],
                                                     name)) < NB_PIVOT_COLUMNS;
    }
    return is_narrow;
}

/* Whether both points have the same values of the first settings, except the
 * one used for columns. */
static bool pivot_agree(const struct pivot *pivot, size_t count,
                        const struct nb_point *one,
                        const struct nb_point *other)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = pivot->settings->name[i];
        if (i != pivot->over && strcmp(nb_point_setting(one, name),
                                       nb_point_setting(other, name)) != 0)
            return false;
    }
    return true;
}

/* The row of a point: one of its block with the same other settings, mostly the
 * last row or the next, else a new one. NULL if there is no memory. */
static struct pivot_row *pivot_row(struct pivot *pivot,
                                   const struct nb_point *point, size_t column)
{
    const size_t block = pivot->block, count = pivot->row_count - block;
    for (size_t i = 0; i < count; i++) {
        const size_t r = block + (pivot->place - block + i) % count;
        if (pivot->rows[r].filled[column] == NULL &&
            pivot_agree(pivot, pivot->settings->count, pivot->rows[r].first,
                        point)) {
            pivot->place = r;
            return &pivot->rows[r];
        }
    }
    if (nb_grow_one(&pivot->rows, pivot->row_count, sizeof *pivot->rows, "rows",
                    NULL) != NB_OK)
        return NULL;
    pivot->place = pivot->row_count++;
    pivot->rows[pivot->place] = (struct pivot_row){ .first = point };
    return &pivot->rows[pivot->place];
}

static void pivot_fill(const struct nb_report *report, const char *name,
                       struct pivot *pivot, struct nb_layout *out)
{
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_point *point = &report->points[p];
        const struct nb_quantity *quantity = nb_point_quantity(point, name);
        const size_t column =
            pivot_column(pivot, nb_point_setting(point, out->over));
        if (p > 0 && !pivot_agree(pivot, pivot->over, point - 1, point))
            pivot->block = pivot->place = pivot->row_count;
        struct pivot_row *row = pivot_row(pivot, point, column);
        if (row == NULL) {
            out->characters.has_failed = true;
            return;
        }
        row->filled[column] = quantity;
        if (quantity != NULL && *out->unit == '\0')
            out->unit = quantity->unit;
        layout_add_source(out, quantity);
    }
}

static void layout_pivot(const struct nb_report *report, size_t most,
                         struct pivot *pivot, struct nb_layout *out)
{
    out->over = pivot->settings->name[pivot->over];
    layout_add_swept(out, report, pivot->settings, pivot->over);
    for (size_t i = 0; i < pivot->count; i++)
        layout_add_column(out,
                          (struct nb_layout_column){ .name = pivot->value[i],
                                                     .unit = "",
                                                     .type = NB_CELL_NUMBER,
                                                     .is_value = true });
    pivot_fill(report, out->name, pivot, out);
    out->row_count = pivot->row_count;
    for (size_t r = 0; r < pivot->row_count && r < most; r++) {
        layout_add_settings(out, pivot->rows[r].first, pivot->settings,
                            pivot->over);
        for (size_t i = 0; i < pivot->count; i++)
            layout_add_quantity(out, pivot->rows[r].filled[i]);
    }
}

enum nb_status nb_layout_pivot(const struct nb_report *report, const char *name,
                               size_t most, struct nb_layout *out,
                               struct nb_error *err)
{
    struct nb_names settings;
    struct pivot pivot = { .settings = &settings };
    *out =
        (struct nb_layout){ .kind = NB_LAYOUT_PIVOT, .name = name, .unit = "" };
    const enum nb_status status =
        nb_names_find(report, NB_NAME_SETTING, &settings, err);
    if (status != NB_OK)
        return status;
    if (pivot_find(report, &pivot))
        layout_pivot(report, most, &pivot, out);
    nb_delete(pivot.rows);
    nb_names_release(&settings);
    return layout_end(out, err);
}

enum nb_status nb_layout_shown(const struct nb_report *report, size_t most,
                               struct nb_layout *out, struct nb_error *err)
{
    struct nb_names names = { 0 };
    enum nb_status status;
    *out = (struct nb_layout){ 0 };
    NB_TRY(nb_shown_quantities(report, &names, err));
    if (report->model.show_count > 0 && names.count == 1)
        NB_TRY(nb_layout_pivot(report, names.name[0], most, out, err));
    if (names.count > 0 && out->column_count == 0)
        NB_TRY(nb_layout_quantities(report, &names, most, out, err));
done:
    nb_names_release(&names);
    return status;
}

static void layout_add_cell(struct nb_layout *out, const char *column,
                            const union nb_cell *cell, enum nb_cell_type type)
{
    char characters[NB_PRINTED];
    if (type == NB_CELL_TEXT) {
        layout_add(out, NB_INK_PLAIN, cell->text);
    } else if (type == NB_CELL_NUMBER) {
        nb_print_column(column, cell->number, characters);
        layout_add_number(out, characters, cell->number,
                          (struct nb_ratio){ 0 });
    } else if (type == NB_CELL_RATIO && nb_ratio_is_known(cell->ratio)) {
        const double value = nb_ratio_value(cell->ratio);
        nb_print_number(value, characters);
        layout_add_number(out, characters, value, cell->ratio);
    } else {
        nb_cell_print(cell, type, characters);
        layout_add(out, NB_INK_PLAIN, characters);
    }
}

enum nb_status nb_layout_table(const struct nb_table *table,
                               const struct nb_model *model, size_t most,
                               struct nb_layout *out, struct nb_error *err)
{
    static const struct nb_model whole = { 0 };
    size_t *columns = NULL;
    *out = (struct nb_layout){ .kind = NB_LAYOUT_TABLE,
                               .name = table->name,
                               .unit = "",
                               .row_count = table->row_count };
    const enum nb_status status =
        nb_new(&columns, table->column_count, sizeof *columns, "columns", err);
    if (status != NB_OK)
        return status;
    const size_t count =
        nb_shown_columns(model != NULL ? model : &whole, table, columns);
    for (size_t i = 0; i < count; i++) {
        const struct nb_column *from = &table->columns[columns[i]];
        layout_add_column(out, (struct nb_layout_column){ .name = from->name,
                                                          .unit = from->unit,
                                                          .type = from->type });
    }
    for (size_t r = 0; r < table->row_count && r < most; r++)
        for (size_t i = 0; i < count; i++)
            layout_add_cell(out, table->columns[columns[i]].name,
                            &table->cells[r * table->column_count + columns[i]],
                            table->columns[columns[i]].type);
    nb_delete(columns);
    return layout_end(out, err);
}
