/* Tree: shared by building, reading and writing a report. */
#ifndef NB_REPORT_TREE_H
#define NB_REPORT_TREE_H

#include "report/report.h"

/* "whole", "number", "ratio", "text", by enum nb_cell_type. */
extern const char *const nb_cell_type_names[];
enum { NB_CELL_TYPES = NB_CELL_TEXT + 1 };

/* Makes room like nb_grow_one; a failure is remembered in the point. */
bool nb_point_has_room(struct nb_point *point, void *array, size_t count,
                       size_t size);
/* An owned copy; NULL is copied as "". A failure is remembered; returns
 * NULL. */
char *nb_point_copy(struct nb_point *point, const char *text);

/* A quantity with the numbers of another and copies of these texts. */
void nb_point_add_quantity(struct nb_point *point,
                           const struct nb_quantity *numbers, const char *name,
                           const char *unit, const char *method,
                           const char *source);

/* Starts a table without columns, and adds a column; before any cell is
 * added. */
size_t nb_point_start_table(struct nb_point *point, const char *name,
                            bool is_certificate);
void nb_table_add_column(struct nb_point *point, size_t table, const char *name,
                         enum nb_cell_type type, const char *unit);
/* Adds a cell, which must be of the next column's type; a text is copied. */
void nb_table_add_cell(struct nb_point *point, size_t table,
                       enum nb_cell_type type, union nb_cell cell);
void nb_table_release(struct nb_table *table);
bool nb_table_has_text(const struct nb_table *table);
/* Whether both have columns of the same names. */
bool nb_table_is_alike(const struct nb_table *a, const struct nb_table *b);

#endif
