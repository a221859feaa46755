/* One quantity over two or more sweeps (declared in report/layout.h). */
#include "report/layout.h"

#include "core/memory.h"
#include "report/printed.h"
#include "report/shown.h"

#include <string.h>

struct pivot_row {
    const struct nb_point *first;
    const struct nb_quantity *filled[NB_PIVOT_COLUMNS];
};

/*
 * over: the setting whose values are the columns.
 *
 * rows: those of the current block, whose points have the same values of the
 * settings before over; place: the row expected for the next point.
 */
struct pivot {
    const struct nb_names *settings;
    size_t over;
    size_t count;
    const char *value[NB_PIVOT_COLUMNS];
    size_t row_count;
    struct pivot_row *rows;
    size_t place;
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

/* Makes the values of the setting the columns; false if they are too many. */
static bool pivot_take(const struct nb_report *report, struct pivot *pivot)
{
    const char *name = pivot->settings->name[pivot->over];
    bool is_narrow = true;
    pivot->count = 0;
    for (size_t p = 0; p < report->point_count && is_narrow; p++)
        is_narrow =
            pivot_column(pivot, nb_point_setting(&report->points[p], name)) <
            NB_PIVOT_COLUMNS;
    return is_narrow;
}

/* Finds the columns: the values of the last setting that has few. */
static bool pivot_find(const struct nb_report *report,
                       const struct nb_names *settings, struct pivot *pivot)
{
    bool is_found = false;
    *pivot = (struct pivot){ .settings = settings, .over = settings->count };
    while (settings->count >= 2 && pivot->over > 0 && !is_found) {
        pivot->over--;
        is_found = pivot_take(report, pivot);
    }
    return is_found;
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

static void pivot_add_cell(const struct nb_quantity *quantity,
                           struct nb_layout *out)
{
    char printed[NB_PRINTED + NB_NUMBER_TEXT] = "";
    if (quantity == NULL) {
        nb_layout_add(out, NB_INK_PLAIN, "-");
        return;
    }
    nb_print_swept(quantity, printed);
    nb_layout_add_number(out, nb_layout_ink(quantity->value), printed,
                         quantity->value, quantity->exact);
}

/* Lays out the rows of a block and forgets them. */
static void pivot_end_block(struct pivot *pivot, size_t most,
                            struct nb_layout *out)
{
    for (size_t r = 0; r < pivot->row_count; r++) {
        const struct pivot_row *row = &pivot->rows[r];
        if (out->row_count++ >= most)
            continue;
        for (size_t i = 0; i < pivot->settings->count; i++)
            if (i != pivot->over)
                nb_layout_add(
                    out, NB_INK_PLAIN,
                    nb_point_setting(row->first, pivot->settings->name[i]));
        for (size_t i = 0; i < pivot->count; i++)
            pivot_add_cell(row->filled[i], out);
    }
    pivot->row_count = 0;
    pivot->place = 0;
}

static enum nb_status pivot_add_row(const struct nb_point *first,
                                    struct pivot *pivot, struct nb_error *err)
{
    const enum nb_status status = nb_grow_one(&pivot->rows, pivot->row_count,
                                              sizeof *pivot->rows, "rows", err);
    if (status != NB_OK)
        return status;
    pivot->place = pivot->row_count;
    pivot->rows[pivot->row_count++] = (struct pivot_row){ .first = first };
    return NB_OK;
}

/* Finds the row of a point: the points of each column come in the order of the
 * rows. A point out of order gets a row of its own. */
static enum nb_status pivot_place(const struct nb_point *before,
                                  const struct nb_point *point, size_t most,
                                  struct pivot *pivot, struct nb_layout *out,
                                  struct nb_error *err)
{
    const char *over = pivot->settings->name[pivot->over];
    const char *value = nb_point_setting(point, over);
    if (before != NULL && !pivot_agree(pivot, pivot->over, before, point))
        pivot_end_block(pivot, most, out);
    else if (before != NULL &&
             strcmp(nb_point_setting(before, over), value) != 0)
        pivot->place = 0;
    if (pivot->place < pivot->row_count) {
        const struct pivot_row *row = &pivot->rows[pivot->place];
        if (row->filled[pivot_column(pivot, value)] == NULL &&
            pivot_agree(pivot, pivot->settings->count, row->first, point))
            return NB_OK;
    }
    return pivot_add_row(point, pivot, err);
}

static enum nb_status pivot_add_rows(const struct nb_report *report,
                                     const char *name, size_t most,
                                     struct pivot *pivot, struct nb_layout *out,
                                     struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_point *point = &report->points[p];
        const size_t column =
            pivot_column(pivot, nb_point_setting(point, out->over));
        const struct nb_quantity *quantity = nb_point_quantity(point, name);
        NB_TRY(pivot_place(p > 0 ? point - 1 : NULL, point, most, pivot, out,
                           err));
        struct pivot_row *row = &pivot->rows[pivot->place++];
        if (quantity == NULL)
            continue;
        row->filled[column] = quantity;
        if (*out->unit == '\0')
            out->unit = quantity->unit;
        NB_TRY(nb_layout_add_source(out, quantity->source, err));
    }
    pivot_end_block(pivot, most, out);
done:
    return status;
}

enum nb_status nb_layout_pivot(const struct nb_report *report, const char *name,
                               size_t most, struct nb_layout *out,
                               struct nb_error *err)
{
    struct nb_names settings = { 0 };
    struct pivot pivot = { 0 };
    enum nb_status status;
    *out =
        (struct nb_layout){ .kind = NB_LAYOUT_PIVOT, .name = name, .unit = "" };
    NB_TRY(nb_names_find(report, NB_NAME_SETTING, &settings, err));
    if (!pivot_find(report, &settings, &pivot))
        goto done;
    out->over = settings.name[pivot.over];
    for (size_t i = 0; i < settings.count; i++)
        if (i != pivot.over)
            NB_TRY(nb_layout_add_setting(out, report, settings.name[i], err));
    for (size_t i = 0; i < pivot.count; i++) {
        const struct nb_layout_column column = { .name = pivot.value[i],
                                                 .unit = "",
                                                 .type = NB_CELL_NUMBER,
                                                 .is_value = true };
        NB_TRY(nb_layout_add_column(out, &column, err));
    }
    NB_TRY(pivot_add_rows(report, name, most, &pivot, out, err));
    NB_TRY(nb_text_check(&out->characters, err));
done:
    nb_delete(pivot.rows);
    nb_names_release(&settings);
    if (status != NB_OK)
        nb_layout_release(out);
    return status;
}

enum nb_status nb_layout_shown(const struct nb_report *report, size_t most,
                               struct nb_layout *out, struct nb_error *err)
{
    struct nb_names names = { 0 };
    enum nb_status status;
    *out = (struct nb_layout){ 0 };
    NB_TRY(nb_shown_quantities(report, &names, err));
    if (names.count == 0)
        goto done;
    if (report->model.show_count > 0 && names.count == 1)
        NB_TRY(nb_layout_pivot(report, names.name[0], most, out, err));
    if (out->column_count == 0)
        NB_TRY(nb_layout_quantities(report, &names, most, out, err));
done:
    nb_names_release(&names);
    return status;
}
