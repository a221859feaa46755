/* Cells of tables that an expression names (declared in expression_work.h). */
#include "explain/expression_work.h"

#include <math.h>
#include <string.h>

const struct nb_table *nb_reading_table(const struct nb_point *point,
                                        struct nb_stretch name)
{
    for (size_t i = 0; i < point->table_count; i++)
        if (nb_stretch_is(name, point->tables[i].name))
            return &point->tables[i];
    return NULL;
}

/* The column of that name; column_count if there is none. */
static size_t tables_column(const struct nb_table *table,
                            struct nb_stretch name)
{
    size_t c = 0;
    while (c < table->column_count &&
           !nb_stretch_is(name, table->columns[c].name))
        c++;
    return c;
}

static struct nb_figure tables_cell(const struct nb_table *table, size_t row,
                                    size_t column)
{
    const union nb_cell *cells = &table->cells[row * table->column_count];
    switch (table->columns[column].type) {
    case NB_CELL_WHOLE:
        return nb_figure_of_double((double)cells[column].whole);
    case NB_CELL_NUMBER:
        return nb_figure_of_double(cells[column].number);
    case NB_CELL_RATIO:
        if (nb_ratio_is_known(cells[column].ratio))
            return nb_figure_of_ratio(cells[column].ratio);
        break;
    case NB_CELL_TEXT:
        break;
    }
    const size_t lower = nb_table_column(table, "lower");
    const size_t upper = nb_table_column(table, "upper");
    if (table->columns[column].type == NB_CELL_TEXT ||
        lower == table->column_count || upper == table->column_count)
        return (struct nb_figure){ NAN, { 0, 0 } };
    return (struct nb_figure){
        cells[lower].number / 2 + cells[upper].number / 2, { 0, 0 }
    };
}

bool nb_reading_bracket(struct nb_reading *reading, struct nb_stretch *out)
{
    if (reading->at == reading->end || *reading->at != '[')
        return false;
    const char *close =
        memchr(reading->at, ']', (size_t)(reading->end - reading->at));
    if (close == NULL)
        return false;
    *out = (struct nb_stretch){ reading->at + 1,
                                (size_t)(close - reading->at) - 1 };
    reading->at = close + 1;
    return true;
}

struct nb_figure nb_reading_part(struct nb_reading *reading,
                                 struct nb_stretch text)
{
    struct nb_reading inner = *reading;
    inner.at = text.at;
    inner.end = text.at + text.length;
    inner.numbers = NULL;
    const struct nb_figure found = nb_reading_sum(&inner);
    reading->has_failed |= inner.has_failed || inner.at != inner.end;
    return found;
}

/* The row that "key = expression" or a number from 1 on names; row_count if
 * there is none. */
static size_t tables_row(struct nb_reading *reading,
                         const struct nb_table *table, struct nb_stretch key)
{
    const char *equals = memchr(key.at, '=', key.length);
    if (equals == NULL) {
        const double n = nb_reading_part(reading, key).value;
        return n >= 1 && n <= (double)table->row_count ? (size_t)n - 1
                                                       : table->row_count;
    }
    struct nb_stretch name = { key.at, (size_t)(equals - key.at) };
    while (name.length > 0 && name.at[name.length - 1] == ' ')
        name.length--;
    const size_t column = tables_column(table, name);
    const struct nb_stretch value = { equals + 1, (size_t)(key.at + key.length -
                                                           equals - 1) };
    const double wanted = nb_reading_part(reading, value).value;
    size_t row = 0;
    while (column < table->column_count && row < table->row_count &&
           tables_cell(table, row, column).value != wanted)
        row++;
    return column < table->column_count ? row : table->row_count;
}

struct nb_figure nb_reading_cell(struct nb_reading *reading,
                                 const struct nb_table *table,
                                 struct nb_stretch column_name)
{
    struct nb_stretch key;
    const size_t column = tables_column(table, column_name);
    size_t row = table->row_count == 1 ? 0 : table->row_count;
    if (nb_reading_bracket(reading, &key))
        row = tables_row(reading, table, key);
    else if (table == reading->table)
        row = reading->row;
    if (column == table->column_count || row >= table->row_count)
        return nb_reading_fail(reading);
    return tables_cell(table, row, column);
}
