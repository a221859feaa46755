/* Certificate tables: what they have in common, and reading them back,
 * distrusting every cell. */
#ifndef NB_QUESTIONS_TABLE_READ_H
#define NB_QUESTIONS_TABLE_READ_H

#include "report/report.h"
#include "topology/topology.h"

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

/* The row whose whole cell in that column is the value, searched from near
 * on and round; SIZE_MAX if there is none. */
size_t nb_table_find_row(const struct nb_table *table, size_t column,
                         int64_t value, size_t near);

/* The columns that all tables of bounds begin with. */
#define NB_BOUND_HEADER                                                        \
    "channel,source,target,orbit_size,has_duals,is_exact,denominator,"
enum {
    NB_BOUND_CHANNEL,
    NB_BOUND_SOURCE,
    NB_BOUND_TARGET,
    NB_BOUND_ORBIT,
    NB_BOUND_HAS_DUALS,
    NB_BOUND_IS_EXACT,
    NB_BOUND_DENOMINATOR,
    NB_BOUND_WIDTH,
};

struct nb_bound_row {
    uint32_t channel;
    uint32_t orbit_size;
    bool has_duals;
    bool is_exact;
    int64_t denominator; /* >= 0 */
};

void nb_table_add_bound(struct nb_point *out, size_t table,
                        const struct nb_topology *topology,
                        const struct nb_bound_row *bound);
/* Whether the row holds one whose numbers are in range. */
bool nb_table_read_bound(const struct nb_table *table, size_t row,
                         const struct nb_topology *topology,
                         struct nb_bound_row *out);

/* Tables of dual variables; doubles take their names with ":number". */
#define NB_DUALS_HEADER "channel,side,row_dual,column_dual"
enum {
    NB_DUALS_CHANNEL,
    NB_DUALS_SIDE,
    NB_DUALS_ROW,
    NB_DUALS_COLUMN,
    NB_DUALS_WIDTH,
};

/* Rows of one channel, but for sides whose duals are both zero.
 * row, column  [sides] */
void nb_table_add_duals(struct nb_point *out, size_t table, uint32_t channel,
                        size_t sides, const int64_t *row,
                        const int64_t *column);

/* Tables of the one worst channel, which end with a ratio. */
#define NB_WORST_HEADER "channel,source,target,bandwidth:ratio [packets/cycle],"
enum {
    NB_WORST_CHANNEL,
    NB_WORST_SOURCE,
    NB_WORST_TARGET,
    NB_WORST_BANDWIDTH,
    NB_WORST_RATIO,
    NB_WORST_WIDTH,
};

/* header  NB_WORST_HEADER and the ratio's column */
void nb_table_add_worst(struct nb_point *out, const char *header,
                        const struct nb_topology *topology, uint32_t channel,
                        struct nb_ratio ratio);
/*
 * bounds  the table that names the channel, too
 * worst   out: its row there
 * ratio   out; may be NULL
 *
 * Errors: NB_REFUTED.
 */
enum nb_status nb_table_read_worst(const struct nb_point *given,
                                   const struct nb_table *bounds, size_t *worst,
                                   struct nb_ratio *ratio,
                                   struct nb_error *err);

/* Fails with NB_REFUTED, naming the row (from 0) by its number from 1. */
enum nb_status nb_table_bad_row(const char *table, size_t row,
                                struct nb_error *err);

#endif
