/* Certificates of worst cases: common parts. */
#ifndef NB_ASK_TABLE_READ_H
#define NB_ASK_TABLE_READ_H

#include "load/sides.h"
#include "report/rows.h"
#include "topology/topology.h"

/* sides  NULL: not used */
struct nb_row_limits nb_table_limits(const struct nb_topology *topology,
                                     const struct nb_sides *sides);

/* The columns that the bounds of focus channels begin with; their structs begin
 * with the fields channel, source, target, orbit_size. */
#define NB_FOCUS_COLUMNS(bound)                                                \
    NB_FIELD(bound, channel, NB_BELOW(channels)),                              \
        NB_FIELD(bound, source, NB_BELOW(routers)),                            \
        NB_FIELD(bound, target, NB_BELOW(routers)),                            \
        NB_FIELD(bound, orbit_size, NB_UP_TO(channels))
/* Those of bounds by duals. ...  the range of denominators */
#define NB_BOUND_COLUMNS(bound, ...)                                           \
    NB_FOCUS_COLUMNS(bound), NB_FIELD(bound, has_duals, NB_AMONG(0, 1)),       \
        NB_FIELD(bound, is_exact, NB_AMONG(0, 1)),                             \
        NB_FIELD(bound, denominator, __VA_ARGS__)

/* Reads bounds as nb_table_read_all does. Source and target are the topology's:
 * those given are compared when the table is written again. */
enum nb_status nb_table_read_bounds(const struct nb_table_kind *kind,
                                    const struct nb_point *given,
                                    const struct nb_topology *topology,
                                    const struct nb_row_limits *limits,
                                    void *out_rows, size_t *count, size_t size,
                                    struct nb_error *err);

/* The first bound of this channel, searching from index near and wrapping
 * round; SIZE_MAX: none. size: of a bound */
size_t nb_bound_find(const void *bounds, size_t count, size_t size,
                     uint32_t channel, size_t near);

/* Dual variables of a channel's bound. */
struct nb_dual_row {
    uint32_t channel, side;
    int64_t row, column;
    double row_value,
        column_value; /* instead, where they are no whole numbers */
};
/* ...  the range of duals */
#define NB_DUAL_COLUMNS(...)                                                   \
    NB_FIELD(struct nb_dual_row, channel, NB_BELOW(channels)),                 \
        NB_FIELD(struct nb_dual_row, side, NB_BELOW(sides)),                   \
        NB_COLUMN(struct nb_dual_row, row, "row_dual", __VA_ARGS__),           \
        NB_COLUMN(struct nb_dual_row, column, "column_dual", __VA_ARGS__)

/* Adds the rows of one channel, except for sides whose duals are both zero.
 * row, column  [sides] */
void nb_table_add_duals(size_t table, uint32_t channel, size_t sides,
                        const int64_t *row, const int64_t *column,
                        struct nb_point *out);

/* The single worst channel, with its load or the traffic's rate. */
extern const struct nb_table_kind nb_worst_load, nb_worst_rate;
void nb_table_add_worst(const struct nb_table_kind *worst,
                        const struct nb_topology *topology, uint32_t channel,
                        struct nb_ratio ratio, struct nb_point *out);
/*
 * bounds  [count] those that must contain the channel, too, each of this size
 * index   out: its place there
 * ratio   out; may be NULL
 *
 * Errors: NB_REFUTED.
 */
enum nb_status nb_table_read_worst(
    const struct nb_table_kind *worst, const struct nb_point *given,
    const struct nb_row_limits *limits, const void *bounds, size_t count,
    size_t size, size_t *index, struct nb_ratio *ratio, struct nb_error *err);

/* Pairs of terminals. */
struct nb_pair_row {
    uint32_t source, destination;
};
extern const struct nb_table_kind nb_pairs_permutation, nb_pairs_matching;

#endif
