/* Read: the parts of reading a report file. */
#ifndef NB_REPORT_READ_H
#define NB_REPORT_READ_H

#include "report/report.h"

#include <libxml/tree.h>

/* Adds the table that an element <table> begins. Errors: NB_NO_MEMORY. */
enum nb_status nb_table_read_head(const xmlNode *node, struct nb_point *point,
                                  struct nb_error *err);
/*
 * Adds a column or row to the point's last table.
 *
 * file  the file's name, for messages
 *
 * Errors: NB_INVALID naming file, line and what is wrong.
 */
enum nb_status nb_table_read_part(const char *file, const xmlNode *node,
                                  struct nb_point *point, struct nb_error *err);

#endif
