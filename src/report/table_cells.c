/* Cells of a table as they are read (declared in report/report.h). */
#include "report/report.h"

#include <math.h>
#include <string.h>

size_t nb_table_column(const struct nb_table *table, const char *name)
{
    size_t column = 0;
    while (column < table->column_count &&
           strcmp(table->columns[column].name, name) != 0)
        column++;
    return column;
}

double nb_table_number(const struct nb_table *table, size_t row, size_t column)
{
    if (column >= table->column_count)
        return NAN;
    const union nb_cell *cell =
        &table->cells[row * table->column_count + column];
    switch (table->columns[column].type) {
    case NB_CELL_WHOLE:
        return (double)cell->whole;
    case NB_CELL_NUMBER:
        return cell->number;
    case NB_CELL_RATIO:
        return nb_ratio_value(cell->ratio);
    case NB_CELL_TEXT:
        break;
    }
    return NAN;
}

const char *nb_table_text(const struct nb_table *table, size_t row,
                          size_t column)
{
    if (column >= table->column_count ||
        table->columns[column].type != NB_CELL_TEXT)
        return "";
    return table->cells[row * table->column_count + column].text;
}
