/* The ledger as text for people (declared in ledger.h). */
#include "questions/ledger/ledger.h"

#include "core/memory.h"
#include "report/grid.h"
#include "report/printed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const union nb_cell *print_cell(const struct nb_table *table, size_t row,
                                       int column)
{
    return &table->cells[row * table->column_count + (size_t)column];
}

static const char *print_text(const struct nb_table *table, size_t row,
                              int column)
{
    return print_cell(table, row, column)->text;
}

/* Whether the row needs no word of reason. */
static bool print_is_plain(const struct nb_table *table, size_t row)
{
    const char *agrees = nb_verdict_names[NB_VERDICT_AGREES];
    return strncmp(print_text(table, row, NB_LEDGER_VERDICT), agrees,
                   strlen(agrees)) == 0 &&
           strncmp(print_text(table, row, NB_LEDGER_REASON), NB_LEDGER_SURPRISE,
                   strlen(NB_LEDGER_SURPRISE)) != 0;
}

static void print_number(struct nb_text_grid *grid, double value)
{
    char text[NB_NUMBER_TEXT] = "";
    if (!isnan(value))
        snprintf(text, sizeof text, "%.6g", value);
    nb_grid_add(grid, NB_SIDE_LEFT, text);
}

/* What is computed, and its interval where that says more. */
static void print_computed(struct nb_text_grid *grid,
                           const struct nb_table *table, size_t row)
{
    char text[NB_PRINTED + NB_NUMBER_TEXT] = "";
    const struct nb_quantity quantity = {
        .exact = print_cell(table, row, NB_LEDGER_EXACT)->ratio,
        .value = print_cell(table, row, NB_LEDGER_COMPUTED)->number,
        .lower = print_cell(table, row, NB_LEDGER_LOWER)->number,
        .upper = print_cell(table, row, NB_LEDGER_UPPER)->number,
    };
    if (!isnan(quantity.value))
        nb_print_swept(&quantity, text);
    nb_grid_add(grid, NB_SIDE_LEFT, text);
}

static void print_row(struct nb_text_grid *grid, const struct nb_table *table,
                      size_t row)
{
    char exact[NB_RATIO_TEXT];
    const bool is_plain = print_is_plain(table, row);
    static const int texts[] = { NB_LEDGER_CELL,     NB_LEDGER_QUANTITY,
                                 NB_LEDGER_TOPOLOGY, NB_LEDGER_ROUTING,
                                 NB_LEDGER_TRAFFIC,  NB_LEDGER_PUBLISHED };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        nb_grid_add(grid, NB_SIDE_LEFT, print_text(table, row, texts[i]));
    print_computed(grid, table, row);
    nb_ratio_print(print_cell(table, row, NB_LEDGER_EXACT)->ratio, exact);
    nb_grid_add(grid, NB_SIDE_LEFT, exact);
    print_number(grid, print_cell(table, row, NB_LEDGER_DIFFERENCE)->number);
    nb_grid_add(grid, NB_SIDE_LEFT, print_text(table, row, NB_LEDGER_VERDICT));
    nb_grid_add(grid, NB_SIDE_LEFT,
                is_plain ? "" : print_text(table, row, NB_LEDGER_REASON));
}

/* The rows from first to before end; those that agree, too, or not. */
static enum nb_status print_rows(const struct nb_table *table, size_t first,
                                 size_t end, bool all,
                                 const struct nb_look *look,
                                 struct nb_text *text, struct nb_error *err)
{
    static const char *const header[] = { "cell",     "quantity", "topology",
                                          "routing",  "traffic",  "published",
                                          "computed", "exact",    "difference",
                                          "verdict",  "reason" };
    enum { COLUMNS = sizeof header / sizeof *header };
    struct nb_text_grid grid = { .column_count = COLUMNS };
    size_t count = 0, reasons = 0;
    for (size_t row = first; row < end; row++) {
        count += all || !print_is_plain(table, row);
        reasons += !print_is_plain(table, row);
    }
    for (size_t i = 0; i < COLUMNS && count > 0; i++)
        nb_grid_add_ink(&grid, NB_SIDE_LEFT, NB_INK_NAME,
                        i + 1 < COLUMNS || reasons > 0 ? header[i] : "");
    for (size_t row = first; row < end; row++)
        if (all || !print_is_plain(table, row))
            print_row(&grid, table, row);
    const enum nb_status status = nb_grid_print(&grid, look, text, err);
    nb_grid_release(&grid);
    return status;
}

static void print_heading(const struct nb_table *table, size_t row,
                          const struct nb_look *look, struct nb_text *text)
{
    nb_text_print(text, "\n%s", nb_ink_begin(look, NB_INK_NAME));
    nb_text_add_plain(text, print_text(table, row, NB_LEDGER_SOURCE));
    nb_text_print(text, ", ");
    nb_text_add_plain(text, print_text(table, row, NB_LEDGER_TABLE));
    nb_text_print(text, "%s\n", nb_ink_end(look, NB_INK_NAME));
}

/* The grid of the table layout, under the source's own labels. */
static enum nb_status print_grid(const struct nb_table *layout,
                                 const struct nb_labels *labels,
                                 const struct nb_look *look,
                                 struct nb_text *text, struct nb_error *err)
{
    struct nb_text_grid grid = { .column_count = layout->column_count };
    enum nb_status status = NB_OK;
    nb_grid_add(&grid, NB_SIDE_LEFT, "");
    for (size_t i = 0; i < labels->column_count; i++) {
        struct nb_text label = { 0 };
        nb_text_add(&label, labels->columns[i].text, labels->columns[i].length);
        status = nb_text_check(&label, err);
        if (status == NB_OK)
            nb_grid_add_ink(&grid, NB_SIDE_LEFT, NB_INK_NAME, label.bytes);
        nb_text_release(&label);
        NB_TRY(status);
    }
    for (size_t i = 0; i < layout->cell_count; i++)
        nb_grid_add(&grid, NB_SIDE_LEFT, layout->cells[i].text);
    NB_TRY(nb_grid_print(&grid, look, text, err));
done:
    nb_grid_release(&grid);
    return status;
}

static enum nb_status print_layout(const struct nb_table *ledger,
                                   const struct nb_table *layout,
                                   const struct nb_look *look,
                                   struct nb_text *text, struct nb_error *err)
{
    struct nb_labels labels = { 0 };
    const char **cells = NULL;
    size_t remarks = 0;
    enum nb_status status;
    NB_TRY(nb_new(&cells, ledger->row_count, sizeof *cells, "cells", err));
    for (size_t i = 0; i < ledger->row_count; i++) {
        cells[i] = print_text(ledger, i, NB_LEDGER_CELL);
        remarks += !print_is_plain(ledger, i);
    }
    NB_TRY(nb_labels_find(cells, ledger->row_count, &labels, err));
    print_heading(ledger, 0, look, text);
    NB_TRY(print_grid(layout, &labels, look, text, err));
    if (remarks == 0)
        goto done;
    nb_text_print(text,
                  "%scomputed (published, where that is not shown): "
                  "* explained, ~ consistent, ! disagrees, ? pending\n\n",
                  nb_look_indent(look));
    NB_TRY(print_rows(ledger, 0, ledger->row_count, false, look, text, err));
done:
    nb_delete(cells);
    nb_labels_release(&labels);
    return status;
}

static bool print_is_of_one(const struct nb_table *table, size_t a, size_t b)
{
    return strcmp(print_text(table, a, NB_LEDGER_SOURCE),
                  print_text(table, b, NB_LEDGER_SOURCE)) == 0 &&
           strcmp(print_text(table, a, NB_LEDGER_TABLE),
                  print_text(table, b, NB_LEDGER_TABLE)) == 0;
}

enum nb_status nb_ledger_print(const struct nb_point *point,
                               const struct nb_look *look, struct nb_text *text,
                               struct nb_error *err)
{
    const struct nb_table *ledger = nb_point_table(point, "ledger");
    const struct nb_table *layout = nb_point_table(point, "layout");
    enum nb_status status = NB_OK;
    if (layout != NULL)
        return print_layout(ledger, layout, look, text, err);
    for (size_t first = 0, end = 0; first < ledger->row_count; first = end) {
        while (end < ledger->row_count && print_is_of_one(ledger, first, end))
            end++;
        print_heading(ledger, first, look, text);
        NB_TRY(print_rows(ledger, first, end, true, look, text, err));
    }
done:
    return status;
}
