#include "cli/table_read.h"

const struct nb_table *nb_table_find(const struct nb_point *given,
                                     const char *name, size_t columns,
                                     struct nb_error *err)
{
    const struct nb_table *table = nb_point_table(given, name);
    if (table != NULL && table->column_count == columns)
        return table;
    nb_fail(err, NB_REFUTED, "the report has no table %s of %zu columns", name,
            columns);
    return NULL;
}

int64_t nb_table_whole(const struct nb_table *table, size_t row, size_t column,
                       int64_t most)
{
    if (table->columns[column].type != NB_CELL_WHOLE)
        return -1;
    const int64_t value =
        table->cells[row * table->column_count + column].whole;
    return value >= 0 && value <= most ? value : -1;
}

struct nb_ratio nb_table_ratio(const struct nb_table *table, size_t row,
                               size_t column)
{
    struct nb_ratio value = { 0, 0 };
    if (table->columns[column].type == NB_CELL_RATIO)
        value = table->cells[row * table->column_count + column].ratio;
    return value.numerator >= 0 ? value : (struct nb_ratio){ 0, 0 };
}

enum nb_status nb_table_bad_row(const char *table, size_t row,
                                struct nb_error *err)
{
    return nb_fail(err, NB_REFUTED,
                   "table %s, row %zu: a number is out of "
                   "its range",
                   table, row + 1);
}
