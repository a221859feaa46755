/* Reading the tables of a report from XML. */
#include "report/read.h"

#include "core/xml_node.h"
#include "report/cell.h"
#include "report/format.h"
#include "report/tree.h"

#include <stdio.h>
#include <string.h>

static void read_column(const xmlNode *node, struct nb_point *point,
                        size_t table)
{
    const char *type = nb_xml_attribute(node, "type");
    int i = 0;
    while (i < NB_CELL_TYPES - 1 && strcmp(type, nb_cell_type_names[i]) != 0)
        i++;
    nb_table_add_column(point, table, nb_xml_attribute(node, "name"),
                        (enum nb_cell_type)i, nb_xml_attribute(node, "unit"));
}

/* One cell; *column counts them along the row. */
static enum nb_status read_cell(const char *file, const xmlNode *node,
                                const char *text, struct nb_point *point,
                                size_t table, size_t *column,
                                struct nb_error *err)
{
    const struct nb_table *read = &point->tables[table];
    if (*column == read->column_count)
        return nb_xml_fail(file, node, err,
                           "\"%.60s\" is one cell too many (permitted: %zu "
                           "in each row of table \"%.60s\")",
                           text, read->column_count, read->name);
    const struct nb_column *head = &read->columns[*column];
    const char *permitted = nb_cell_read(text, head->type, point, table);
    if (permitted != NULL)
        return nb_xml_fail(file, node, err,
                           "\"%.60s\" in column \"%.60s\" is not permitted "
                           "(permitted: %s)",
                           text, head->name, permitted);
    ++*column;
    return NB_OK;
}

/* The cells of a row, divided by single blanks. They are copied one by one:
 * the parser shares equal short texts between nodes. */
static enum nb_status read_row(const char *file, const xmlNode *node,
                               struct nb_point *point, size_t table,
                               size_t *column, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    const char *next = nb_xml_text(node);
    while (next != NULL && status == NB_OK) {
        char cell[NB_CELL_CHARACTERS];
        const size_t length = strcspn(next, " ");
        /* A longer cell is wrong, and its dots make it so. */
        snprintf(cell, sizeof cell, "%.*s%s", length < 60 ? (int)length : 55,
                 next, length < 60 ? "" : "...");
        next = next[length] == ' ' ? next + length + 1 : NULL;
        status = read_cell(file, node, cell, point, table, column, err);
    }
    return status;
}

static enum nb_status read_record(const char *file, const xmlNode *node,
                                  struct nb_point *point, size_t table,
                                  size_t *column, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (const xmlNode *cell = nb_xml_next(node, NULL); cell != NULL;
         cell = nb_xml_next(node, cell))
        NB_TRY(read_cell(file, cell, nb_xml_text(cell), point, table, column,
                         err));
done:
    return status;
}

/* A row, or a record where a column is text; the schema takes either. */
static enum nb_status read_line(const char *file, const xmlNode *node,
                                struct nb_point *point, size_t table,
                                struct nb_error *err)
{
    const struct nb_table *read = &point->tables[table];
    const char *name = nb_table_has_text(read) ? "record" : "row";
    size_t column = 0;
    if (!nb_xml_is(node, name))
        return nb_xml_fail(file, node, err,
                           "<%s> is not permitted here (permitted: <%s>)",
                           (const char *)node->name, name);
    const enum nb_status status =
        nb_table_has_text(read)
            ? read_record(file, node, point, table, &column, err)
            : read_row(file, node, point, table, &column, err);
    if (status != NB_OK || column == read->column_count)
        return status;
    return nb_xml_fail(file, node, err,
                       "%zu cells in <%s> are not permitted (permitted: %zu "
                       "in each row of table \"%.60s\")",
                       column, name, read->column_count, read->name);
}

enum nb_status nb_table_read_part(const char *file, const xmlNode *node,
                                  struct nb_point *point, struct nb_error *err)
{
    const size_t table = point->table_count - 1;
    if (!nb_xml_is(node, "column"))
        return read_line(file, node, point, table, err);
    read_column(node, point, table);
    return NB_OK;
}

enum nb_status nb_table_read_head(const xmlNode *node, struct nb_point *point,
                                  struct nb_error *err)
{
    nb_point_start_table(point, nb_xml_attribute(node, "name"),
                         nb_xml_attribute(node, "certificate") != NULL);
    return nb_point_check(point, err);
}
