/* Certificates of worst cases: common parts. */
#ifndef NB_ASK_TABLE_READ_H
#define NB_ASK_TABLE_READ_H

#include "load/sides.h"
#include "report/rows.h"
#include "topology/topology.h"

/* sides  NULL: not used */
struct nb_row_limits nb_table_limits(const struct nb_topology *topology,
                                     const struct nb_sides *sides);

/* A row about a channel; each certificate has its own columns after the common
 * ones. */
struct nb_bound_row {
    uint32_t channel, source, target;
    uint32_t orbit_size;
    bool has_duals, is_exact;
    int64_t denominator;
    struct nb_ratio ratio;
    double upper;
};
/* ...  the range of denominators */
#define NB_BOUND_COLUMNS(...)                                                  \
    NB_FIELD(struct nb_bound_row, channel, NB_BELOW(channels)),                \
        NB_FIELD(struct nb_bound_row, source, NB_BELOW(routers)),              \
        NB_FIELD(struct nb_bound_row, target, NB_BELOW(routers)),              \
        NB_FIELD(struct nb_bound_row, orbit_size, NB_UP_TO(channels)),         \
        NB_FIELD(struct nb_bound_row, has_duals, NB_AMONG(0, 1)),              \
        NB_FIELD(struct nb_bound_row, is_exact, NB_AMONG(0, 1)),               \
        NB_FIELD(struct nb_bound_row, denominator, __VA_ARGS__)

/* Adds a row; source and target are the channel's. */
void nb_table_add_bound(const struct nb_table_kind *bounds, size_t table,
                        const struct nb_topology *topology,
                        struct nb_bound_row row, struct nb_point *out);

/* The first row whose first cell is this channel, searching from row near and
 * wrapping round; SIZE_MAX: none. */
size_t nb_table_find_channel(const struct nb_table *table, uint32_t channel,
                             size_t near);

/* Dual variables of a channel's bound. */
struct nb_dual_row {
    uint32_t channel, side;
    int64_t row, column;
};
/* ...  the range of duals */
#define NB_DUAL_COLUMNS(...)                                                   \
    NB_FIELD(struct nb_dual_row, channel, NB_BELOW(channels)),                 \
        NB_FIELD(struct nb_dual_row, side, NB_BELOW(sides)),                   \
        NB_COLUMN(struct nb_dual_row, row, "row_dual", __VA_ARGS__),           \
        NB_COLUMN(struct nb_dual_row, column, "column_dual", __VA_ARGS__)

/* Adds the rows of one channel, except for sides whose duals are both zero.
 * row, column  [sides] */
void nb_table_add_duals(const struct nb_table_kind *duals, size_t table,
                        uint32_t channel, size_t sides, const int64_t *row,
                        const int64_t *column, struct nb_point *out);

/* The single worst channel, with its load or the traffic's rate. */
extern const struct nb_table_kind nb_worst_load, nb_worst_rate;
void nb_table_add_worst(const struct nb_table_kind *worst,
                        const struct nb_topology *topology, uint32_t channel,
                        struct nb_ratio ratio, struct nb_point *out);
/*
 * bounds  the table that must contain the channel, too
 * index   out: its row there
 * ratio   out; may be NULL
 *
 * Errors: NB_REFUTED.
 */
enum nb_status nb_table_read_worst(const struct nb_table_kind *worst,
                                   const struct nb_point *given,
                                   const struct nb_table *bounds,
                                   const struct nb_row_limits *limits,
                                   size_t *index, struct nb_ratio *ratio,
                                   struct nb_error *err);

/* Pairs of terminals. */
struct nb_pair_row {
    uint32_t source, destination;
};
extern const struct nb_table_kind nb_pairs_permutation, nb_pairs_matching;

#endif
