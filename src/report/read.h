/* Read: the parts of reading a report file. */
#ifndef NB_REPORT_READ_H
#define NB_REPORT_READ_H

#include "model/node.h"
#include "report/report.h"

/* What a table holds; where a column is text, its rows are records. */
extern const struct nb_node_part nb_table_parts[];

/*
 * Adds the table that a checked element <table> begins.
 *
 * file  the file's name, for messages
 *
 * Errors: NB_INVALID naming file, line and what is wrong; NB_NO_MEMORY.
 */
enum nb_status nb_table_read_head(const char *file, const xmlNode *node,
                                  struct nb_point *point, struct nb_error *err);
/* Adds a column or row to the point's last table; order begins with
 * nb_table_parts. Errors: as above. */
enum nb_status nb_table_read_part(const char *file, const xmlNode *node,
                                  struct nb_node_order *order,
                                  struct nb_point *point, struct nb_error *err);

#endif
