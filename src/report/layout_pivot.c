/* One quantity over two sweeps or more (declared in report/layout.h). */
#include "report/layout.h"

#include "report/printed.h"
#include "report/shown.h"

#include <string.h>

/* The values of the last sweep, which are the columns, and the row that is
 * being filled: its first point, and the quantity in each column. */
struct pivot {
    const struct nb_names *settings;
    size_t count;
    const char *value[NB_PIVOT_COLUMNS];
    const struct nb_point *first;
    const struct nb_quantity *filled[NB_PIVOT_COLUMNS];
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

/* Finds the columns; false if they are too many. */
static bool pivot_find(const struct nb_report *report,
                       const struct nb_names *settings, struct pivot *pivot)
{
    bool is_narrow = settings->count >= 2;
    *pivot = (struct pivot){ .settings = settings };
    for (size_t p = 0; p < report->point_count && is_narrow; p++)
        is_narrow =
            pivot_column(
                pivot, nb_point_setting(&report->points[p],
                                        settings->name[settings->count - 1])) <
            NB_PIVOT_COLUMNS;
    return is_narrow;
}

/* Whether both points belong to one row. */
static bool pivot_is_row(const struct pivot *pivot,
                         const struct nb_point *point)
{
    for (size_t i = 0; i + 1 < pivot->settings->count; i++) {
        const char *name = pivot->settings->name[i];
        if (strcmp(nb_point_setting(pivot->first, name),
                   nb_point_setting(point, name)) != 0)
            return false;
    }
    return true;
}

static void pivot_add_cell(const struct nb_quantity *quantity,
                           struct nb_layout *out)
{
    enum { SHORT = 7 }; /* characters of a ratio that is easily read */
    char printed[NB_PRINTED + NB_NUMBER_TEXT] = "";
    if (quantity == NULL) {
        nb_layout_add(out, NB_INK_PLAIN, "-");
        return;
    }
    if (nb_ratio_is_known(quantity->exact))
        nb_ratio_print(quantity->exact, printed);
    if (!nb_ratio_is_known(quantity->exact) || strlen(printed) > SHORT)
        nb_print_swept(quantity, printed);
    nb_layout_add_number(out, nb_layout_ink(quantity->value), printed,
                         quantity->value);
}

/* Lays out the row, if any is being filled, and begins the next. */
static void pivot_next_row(struct pivot *pivot, const struct nb_point *first,
                           size_t most, struct nb_layout *out)
{
    if (pivot->first != NULL && out->row_count++ < most) {
        for (size_t i = 0; i + 1 < pivot->settings->count; i++)
            nb_layout_add(
                out, NB_INK_PLAIN,
                nb_point_setting(pivot->first, pivot->settings->name[i]));
        for (size_t i = 0; i < pivot->count; i++)
            pivot_add_cell(pivot->filled[i], out);
    }
    memset(pivot->filled, 0, sizeof pivot->filled);
    pivot->first = first;
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
        if (pivot->first == NULL || !pivot_is_row(pivot, point) ||
            pivot->filled[column] != NULL)
            pivot_next_row(pivot, point, most, out);
        if (quantity == NULL)
            continue;
        pivot->filled[column] = quantity;
        if (*out->unit == '\0')
            out->unit = quantity->unit;
        NB_TRY(nb_layout_add_source(out, quantity->source, err));
    }
    pivot_next_row(pivot, NULL, most, out);
done:
    return status;
}

enum nb_status nb_layout_pivot(const struct nb_report *report, const char *name,
                               size_t most, struct nb_layout *out,
                               struct nb_error *err)
{
    struct nb_names settings = { 0 };
    struct pivot pivot;
    enum nb_status status;
    *out =
        (struct nb_layout){ .kind = NB_LAYOUT_PIVOT, .name = name, .unit = "" };
    NB_TRY(nb_names_find(report, NB_NAME_SETTING, &settings, err));
    if (!pivot_find(report, &settings, &pivot))
        goto done;
    out->over = settings.name[settings.count - 1];
    for (size_t i = 0; i + 1 < settings.count; i++)
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
