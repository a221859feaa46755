/* Reading the tables of a report from XML. */
#include "report/read.h"

#include "core/try.h"
#include "report/cell.h"
#include "report/format.h"
#include "report/tree.h"

#include <stdio.h>
#include <string.h>

const struct nb_node_part nb_table_parts[] = {
    { "column", "name unit type", NB_NODE_EMPTY, true, true },
    { "row", "", NB_NODE_TEXT, false, true },
    { 0 },
};

static const struct nb_node_part read_record_parts[] = {
    { "column", "name unit type", NB_NODE_EMPTY, true, true },
    { "record", "", NB_NODE_ELEMENTS, false, true },
    { 0 },
};

static const struct nb_node_part read_cell_parts[] = {
    { "cell", "", NB_NODE_TEXT, true, true },
    { 0 },
};

static enum nb_status read_column(const char *file, const xmlNode *node,
                                  struct nb_point *point, size_t table,
                                  struct nb_error *err)
{
    const char *name;
    const char *type = nb_node_attribute(node, "type");
    const enum nb_status status =
        nb_node_identifier(file, node, "name", &name, err);
    if (status != NB_OK)
        return status;
    for (int i = 0; i < NB_CELL_TYPES; i++)
        if (strcmp(type, nb_cell_type_names[i]) == 0) {
            nb_table_add_column(point, table, name, (enum nb_cell_type)i,
                                nb_node_attribute(node, "unit"));
            return NB_OK;
        }
    return nb_node_fail(file, node, err,
                        "type \"%.60s\" of <column> is not permitted "
                        "(permitted: whole, number, ratio, text)",
                        type);
}

/* One cell; *column counts them along the row. */
static enum nb_status read_cell(const char *file, const xmlNode *node,
                                const char *text, struct nb_point *point,
                                size_t table, size_t *column,
                                struct nb_error *err)
{
    const struct nb_table *read = &point->tables[table];
    if (*column == read->column_count)
        return nb_node_fail(file, node, err,
                            "\"%.60s\" is one cell too many (permitted: %zu "
                            "in each row of table \"%.60s\")",
                            text, read->column_count, read->name);
    const struct nb_column *head = &read->columns[*column];
    const char *permitted = nb_cell_read(text, head->type, point, table);
    if (permitted != NULL)
        return nb_node_fail(file, node, err,
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
    const char *next = nb_node_text(node);
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
    enum nb_status status;
    NB_TRY(nb_node_check_children(file, node, read_cell_parts, err));
    for (const xmlNode *cell = nb_node_next(node, NULL); cell != NULL;
         cell = nb_node_next(node, cell))
        NB_TRY(read_cell(file, cell, nb_node_text(cell), point, table, column,
                         err));
done:
    return status;
}

static enum nb_status read_line(const char *file, const xmlNode *node,
                                struct nb_point *point, size_t table,
                                struct nb_error *err)
{
    size_t column = 0;
    const enum nb_status status =
        nb_node_is(node, "row")
            ? read_row(file, node, point, table, &column, err)
            : read_record(file, node, point, table, &column, err);
    const struct nb_table *read = &point->tables[table];
    if (status != NB_OK || column == read->column_count)
        return status;
    return nb_node_fail(file, node, err,
                        "%zu cells in <%s> are not permitted (permitted: %zu "
                        "in each row of table \"%.60s\")",
                        column, node->name, read->column_count, read->name);
}

enum nb_status nb_table_read_part(const char *file, const xmlNode *node,
                                  struct nb_node_order *order,
                                  struct nb_point *point, struct nb_error *err)
{
    const size_t table = point->table_count - 1;
    enum nb_status status;
    NB_TRY(nb_node_order_next(file, node, order, err));
    if (nb_node_is(node, "column"))
        NB_TRY(read_column(file, node, point, table, err));
    else
        NB_TRY(read_line(file, node, point, table, err));
    if (nb_table_has_text(&point->tables[table]))
        order->parts = read_record_parts;
done:
    return status;
}

enum nb_status nb_table_read_head(const char *file, const xmlNode *node,
                                  struct nb_point *point, struct nb_error *err)
{
    const char *name;
    const char *certificate = nb_node_attribute(node, "certificate");
    const enum nb_status status =
        nb_node_identifier(file, node, "name", &name, err);
    if (status != NB_OK)
        return status;
    if (certificate != NULL && strcmp(certificate, "yes") != 0)
        return nb_node_fail(file, node, err,
                            "certificate \"%.60s\" is not permitted "
                            "(permitted: yes)",
                            certificate);
    nb_point_start_table(point, name, certificate != NULL);
    return nb_point_check(point, err);
}
