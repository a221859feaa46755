/* Reading certificate tables back, distrusting every cell. */
#ifndef NB_CLI_TABLE_READ_H
#define NB_CLI_TABLE_READ_H

#include "report/report.h"

/* The table of that name and number of columns; NULL and NB_REFUTED in err if
 * there is none. */
const struct nb_table *nb_table_find(const struct nb_point *given,
                                     const char *name, size_t columns,
                                     struct nb_error *err);

/* A whole cell in 0 .. most; -1 if it is not one. */
int64_t nb_table_whole(const struct nb_table *table, size_t row, size_t column,
                       int64_t most);

/* A known ratio, infinity included, >= 0; unknown if the cell is none. */
struct nb_ratio nb_table_ratio(const struct nb_table *table, size_t row,
                               size_t column);

/* Fails with NB_REFUTED, naming the row (from 0) by its number from 1. */
enum nb_status nb_table_bad_row(const char *table, size_t row,
                                struct nb_error *err);

#endif
