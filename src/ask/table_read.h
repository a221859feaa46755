/* Reads certificates back from the tables of a given answer, by the columns
 * that they were written by; and what those of worst cases have in common. */
#ifndef NB_ASK_TABLE_READ_H
#define NB_ASK_TABLE_READ_H

#include "load/sides.h"
#include "report/rows.h"
#include "topology/topology.h"

/* Reads one table after the other. A failure is remembered in status, so that a
 * sequence of reads needs one check at its end: NB_REFUTED if a table of these
 * columns is missing or a number is out of its range; NB_NO_MEMORY. */
struct nb_table_reader {
    const struct nb_point *given;
    const struct nb_topology *topology;
    struct nb_error *err;
    const char *prefix; /* of the tables' names */
    struct nb_row_limits limits;
    enum nb_status status;
    const struct nb_table_kind *kind; /* of the table being read; NULL: none */
    const struct nb_table *table;
    size_t row; /* number of the row read last, from 1 */
};

/* With the limits of the network. */
struct nb_table_reader nb_table_reader_make(const struct nb_point *given,
                                            const struct nb_topology *topology,
                                            struct nb_error *err);
/* Finds the sides of the network and sets their limits. */
void nb_read_sides(struct nb_table_reader *in, struct nb_sides *out);

/* Reads the next row of a table into the struct; false past the last one, after
 * which the table can be read again, and after a failure. */
bool nb_read_row(struct nb_table_reader *in, const struct nb_table_kind *kind,
                 void *row);
/* The number of rows of a table; 0 after a failure. */
size_t nb_read_count(struct nb_table_reader *in,
                     const struct nb_table_kind *kind);
/* Fails: the row read last is wrong. why: NULL: a number is out of its range */
void nb_read_refute(struct nb_table_reader *in, const char *why);
/* out_array: pointer to an array, which gets this many zeros. Returns false
 * after a failure. */
bool nb_read_new(struct nb_table_reader *in, void *out_array, size_t count,
                 size_t size);

/* The only row of a table that must have just one. */
void nb_read_only(struct nb_table_reader *in, const struct nb_table_kind *kind,
                  void *row);
/* All rows: out_rows is a pointer to structs of this size, for the caller to
 * delete, also after a failure. */
void nb_read_rows(struct nb_table_reader *in, const struct nb_table_kind *kind,
                  void *out_rows, size_t *count, size_t size);

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

/* Reads all bounds. Source and target are the topology's: those given are
 * compared when the table is written again. */
void nb_read_bounds(struct nb_table_reader *in,
                    const struct nb_table_kind *kind, void *out_rows,
                    size_t *count, size_t size);

/* The bounds of a case, as arguments below. */
#define NB_BOUNDS(found)                                                       \
    (found)->bounds, (found)->bound_count, sizeof *(found)->bounds

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
/* Its index among bounds, which must contain the channel, too. size: of a
 * bound; ratio: out, may be NULL. */
size_t nb_read_worst(struct nb_table_reader *in,
                     const struct nb_table_kind *worst, const void *bounds,
                     size_t count, size_t size, struct nb_ratio *ratio);

/* Pairs of terminals. */
struct nb_pair_row {
    uint32_t source, destination;
};
extern const struct nb_table_kind nb_pairs_permutation, nb_pairs_matching;

#endif
