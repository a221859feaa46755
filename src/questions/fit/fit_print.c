/* The networks that fit, as text for people (declared in fit_table.h). */
#include "questions/fit/fit_table.h"

#include "report/grid.h"
#include "report/printed.h"

#include <inttypes.h>
#include <stdio.h>

/* What is shown: the first columns, as those after them are quotients of
 * these, and the first rows. */
enum { FIT_COLUMNS = 9, FIT_ROWS = 20 };

static void fit_print_cell(const struct nb_column *column,
                           const union nb_cell *cell, struct nb_text_grid *grid)
{
    char number[NB_PRINTED] = "?";
    if (column->type == NB_CELL_TEXT) {
        nb_grid_add(grid, NB_SIDE_LEFT, cell->text);
        return;
    }
    if (column->type == NB_CELL_WHOLE)
        snprintf(number, sizeof number, "%" PRId64, cell->whole);
    else if (column->type == NB_CELL_NUMBER)
        nb_print_number(cell->number, number);
    else if (nb_ratio_is_known(cell->ratio))
        nb_print_number(nb_ratio_value(cell->ratio), number);
    nb_grid_add(grid, NB_SIDE_RIGHT, number);
}

enum nb_status nb_fit_print(const struct nb_point *point,
                            const struct nb_look *look, struct nb_text *text,
                            struct nb_error *err)
{
    const struct nb_table *table = nb_point_table(point, "networks");
    struct nb_text_grid grid = { .column_count = FIT_COLUMNS };
    if (table == NULL || table->row_count == 0 || point->setting_count > 0)
        return NB_OK;
    const size_t rows =
        table->row_count < FIT_ROWS ? table->row_count : FIT_ROWS;
    for (size_t i = 0; i < FIT_COLUMNS; i++)
        nb_grid_add_ink(&grid,
                        table->columns[i].type == NB_CELL_TEXT ? NB_SIDE_LEFT
                                                               : NB_SIDE_RIGHT,
                        NB_INK_NAME, table->columns[i].name);
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < FIT_COLUMNS; i++)
            fit_print_cell(&table->columns[i],
                           &table->cells[r * table->column_count + i], &grid);
    nb_text_print(text, "\n%s%s%s\n", nb_ink_begin(look, NB_INK_NAME),
                  table->name, nb_ink_end(look, NB_INK_NAME));
    const enum nb_status status = nb_grid_print(&grid, look, text, err);
    if (rows < table->row_count)
        nb_text_print(text, "%sand %zu more: --table networks\n",
                      nb_look_indent(look), table->row_count - rows);
    nb_grid_release(&grid);
    return status;
}
