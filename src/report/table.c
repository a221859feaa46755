/* The tables of a report (declared in report/report.h). */
#include "report/format.h"
#include "report/tree.h"

#include "core/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char *const nb_cell_type_names[] = { "whole", "number", "ratio", "text" };

void nb_table_release(struct nb_table *table)
{
    for (size_t column = 0; column < table->column_count; column++) {
        if (table->columns[column].type == NB_CELL_TEXT)
            for (size_t i = column; i < table->cell_count;
                 i += table->column_count)
                nb_delete(table->cells[i].text);
        nb_delete(table->columns[column].name);
        nb_delete(table->columns[column].unit);
    }
    nb_delete(table->name);
    nb_delete(table->columns);
    nb_delete(table->cells);
    *table = (struct nb_table){ 0 };
}

bool nb_table_has_text(const struct nb_table *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].type == NB_CELL_TEXT)
            return true;
    return false;
}

bool nb_table_is_alike(const struct nb_table *a, const struct nb_table *b)
{
    bool is_alike = a->column_count == b->column_count;
    for (size_t i = 0; i < a->column_count && is_alike; i++)
        is_alike = strcmp(a->columns[i].name, b->columns[i].name) == 0;
    return is_alike;
}

size_t nb_point_start_table(struct nb_point *point, const char *name,
                            bool is_certificate)
{
    if (!nb_point_has_room(point, &point->tables, point->table_count,
                           sizeof *point->tables))
        return 0;
    point->tables[point->table_count] = (struct nb_table){
        .name = nb_point_copy(point, name),
        .is_certificate = is_certificate,
    };
    return point->table_count++;
}

void nb_table_add_column(struct nb_point *point, size_t table, const char *name,
                         enum nb_cell_type type, const char *unit)
{
    if (point->has_failed)
        return;
    struct nb_table *grown = &point->tables[table];
    assert(grown->cell_count == 0);
    if (!nb_point_has_room(point, &grown->columns, grown->column_count,
                           sizeof *grown->columns))
        return;
    grown->columns[grown->column_count++] = (struct nb_column){
        .name = nb_point_copy(point, name),
        .unit = nb_point_copy(point, unit),
        .type = type,
    };
}

static enum nb_cell_type table_type(const char *name, size_t length)
{
    for (int type = 0; type < NB_CELL_TYPES; type++)
        if (strlen(nb_cell_type_names[type]) == length &&
            strncmp(nb_cell_type_names[type], name, length) == 0)
            return (enum nb_cell_type)type;
    assert(false); /* the column text is the caller's own */
    return NB_CELL_WHOLE;
}

/* Adds "name[:type][ [unit]]" and returns what follows the comma, or the
 * end. */
static const char *table_add_spelled(struct nb_point *point, size_t table,
                                     const char *spelled)
{
    struct nb_text name = { 0 }, unit = { 0 };
    enum nb_cell_type type = NB_CELL_WHOLE;
    size_t length = strcspn(spelled, ":, ");
    nb_text_add(&name, spelled, length);
    spelled += length;
    if (*spelled == ':') {
        length = strcspn(++spelled, ", ");
        type = table_type(spelled, length);
        spelled += length;
    }
    nb_text_add(&unit, "", 0);
    if (strncmp(spelled, " [", 2) == 0) {
        spelled += 2;
        length = strcspn(spelled, "]");
        nb_text_add(&unit, spelled, length);
        spelled += length + (spelled[length] == ']');
    }
    assert(*spelled == ',' || *spelled == '\0');
    if (name.has_failed || unit.has_failed)
        point->has_failed = true;
    nb_table_add_column(point, table, name.bytes, type, unit.bytes);
    nb_text_release(&name);
    nb_text_release(&unit);
    return spelled + (*spelled == ',');
}

size_t nb_point_add_table(struct nb_point *point, const char *name,
                          bool is_certificate, const char *columns)
{
    const size_t table = nb_point_start_table(point, name, is_certificate);
    assert(*columns != '\0');
    while (*columns != '\0')
        columns = table_add_spelled(point, table, columns);
    return table;
}

void nb_table_add_cell(struct nb_point *point, size_t table,
                       enum nb_cell_type type, union nb_cell cell)
{
    if (point->has_failed)
        return;
    struct nb_table *grown = &point->tables[table];
    assert(grown->columns[grown->cell_count % grown->column_count].type ==
           type);
    if (!nb_point_has_room(point, &grown->cells, grown->cell_count,
                           sizeof *grown->cells))
        return;
    /* The bytes of a cell beyond its member are zero, as it may be kept as
     * bytes. */
    union nb_cell *added = &grown->cells[grown->cell_count++];
    memset(added, 0, sizeof *added);
    if (type == NB_CELL_WHOLE)
        added->whole = cell.whole;
    else if (type == NB_CELL_NUMBER)
        added->number = cell.number;
    else if (type == NB_CELL_RATIO)
        added->ratio = cell.ratio;
    else
        added->text = nb_point_copy(point, cell.text);
    grown->row_count = grown->cell_count / grown->column_count;
}

void nb_table_add_whole(struct nb_point *point, size_t table, int64_t value)
{
    nb_table_add_cell(point, table, NB_CELL_WHOLE,
                      (union nb_cell){ .whole = value });
}

void nb_table_add_number(struct nb_point *point, size_t table, double value)
{
    nb_table_add_cell(point, table, NB_CELL_NUMBER,
                      (union nb_cell){ .number = value });
}

void nb_table_add_ratio(struct nb_point *point, size_t table,
                        struct nb_ratio value)
{
    nb_table_add_cell(point, table, NB_CELL_RATIO,
                      (union nb_cell){ .ratio = value });
}

void nb_table_add_text(struct nb_point *point, size_t table, const char *value)
{
    nb_table_add_cell(point, table, NB_CELL_TEXT,
                      (union nb_cell){ .text = (char *)value });
}

/* Makes room for another cell at the end of every row. */
static bool table_widen(struct nb_point *point, struct nb_table *table)
{
    const size_t before = table->column_count - 1;
    union nb_cell *cells =
        nb_new_array(table->row_count * table->column_count, sizeof *cells);
    if (cells == NULL) {
        point->has_failed = true;
        return false;
    }
    for (size_t r = 0; r < table->row_count; r++)
        memcpy(cells + r * table->column_count, table->cells + r * before,
               before * sizeof *cells);
    nb_delete(table->cells);
    table->cells = cells;
    table->cell_count = table->row_count * table->column_count;
    return true;
}

void nb_table_add_labels(struct nb_point *point, size_t table, size_t column,
                         const char *name,
                         void (*print)(const void *context, int64_t number,
                                       struct nb_text *text),
                         const void *context)
{
    struct nb_table *wide = point->has_failed ? NULL : &point->tables[table];
    if (wide == NULL ||
        !nb_point_has_room(point, &wide->columns, wide->column_count,
                           sizeof *wide->columns))
        return;
    const struct nb_column added = { .name = nb_point_copy(point, name),
                                     .unit = nb_point_copy(point, ""),
                                     .type = NB_CELL_TEXT };
    /* From here on the table frees the new cells, which are zero at first. */
    wide->columns[wide->column_count++] = added;
    if (!table_widen(point, wide)) {
        nb_delete(added.name);
        nb_delete(added.unit);
        wide->column_count--;
        return;
    }
    for (size_t r = 0; r < wide->row_count; r++) {
        union nb_cell *row = wide->cells + r * wide->column_count;
        struct nb_text text = { 0 };
        print(context, row[column].whole, &text);
        point->has_failed = point->has_failed || text.has_failed;
        row[wide->column_count - 1].text = nb_point_copy(point, text.bytes);
        nb_text_release(&text);
    }
}

const struct nb_table *nb_point_table(const struct nb_point *point,
                                      const char *name)
{
    for (size_t i = 0; i < point->table_count && !point->has_failed; i++)
        if (strcmp(point->tables[i].name, name) == 0)
            return &point->tables[i];
    return NULL;
}

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
    if (row >= table->row_count || column >= table->column_count)
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

double nb_table_value(const struct nb_table *table, size_t row,
                      const char *column)
{
    return nb_table_number(table, row, nb_table_column(table, column));
}

const char *nb_table_text(const struct nb_table *table, size_t row,
                          size_t column)
{
    if (row >= table->row_count || column >= table->column_count ||
        table->columns[column].type != NB_CELL_TEXT)
        return "";
    return table->cells[row * table->column_count + column].text;
}
