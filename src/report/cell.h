/* Cell: reads what nb_cell_print writes. */
#ifndef NB_REPORT_CELL_H
#define NB_REPORT_CELL_H

#include "report/report.h"

/* A number in digits, "inf", "-inf" or "nan". */
bool nb_cell_read_number(const char *text, double *out);
/* "p/q", "p" or "inf". */
bool nb_cell_read_ratio(const char *text, struct nb_ratio *out);

/*
 * Adds a cell read from text to a table.
 *
 * Returns NULL, or what is permitted instead of text.
 */
const char *nb_cell_read(const char *text, enum nb_cell_type type,
                         struct nb_point *point, size_t table);

#endif
