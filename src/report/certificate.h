/* Certificate: a table that proves something. One declaration gives its
 * columns' names, types and ranges; rows are written by it, and read back with
 * every cell checked. */
#ifndef NB_REPORT_CERTIFICATE_H
#define NB_REPORT_CERTIFICATE_H

#include "report/report.h"

/* Upper limits of whole numbers in a certificate; unused: 0. */
struct nb_certificate_limits {
    int64_t none; /* 0 */
    int64_t channels, routers, sides, terminals;
    int64_t permutations; /* of a sample */
    int64_t dual;         /* the largest dual variable */
};

/* A column, and the field of a row's struct that it holds: a bool or a whole
 * number of 32 or 64 bits, a double or a struct nb_ratio. */
struct nb_certificate_column {
    const char *spelled; /* as in nb_point_add_table */
    size_t offset, size; /* of the field; size 0 ends a table of columns */
    /* Whole numbers: from least to limit + beyond. Ratios, never negative:
     * unknown ones are permitted if least is INT64_MIN. */
    int64_t least;
    size_t limit; /* the limit's offset */
    int64_t beyond;
};

/* clang-format off */
#define NB_COLUMN(row, field, spelled, ...) \
    { spelled, offsetof(row, field), sizeof(((row *)0)->field), __VA_ARGS__ }
/* clang-format on */
/* A column named like its field. */
#define NB_FIELD(row, field, ...) NB_COLUMN(row, field, #field, __VA_ARGS__)
#define NB_ANY                                                                 \
    INT64_MIN, offsetof(struct nb_certificate_limits, none), INT64_MAX
#define NB_AMONG(least, most)                                                  \
    least, offsetof(struct nb_certificate_limits, none), most
#define NB_BELOW(limit) 0, offsetof(struct nb_certificate_limits, limit), -1
#define NB_UP_TO(limit) 0, offsetof(struct nb_certificate_limits, limit), 0

struct nb_certificate {
    const char *name; /* of the table */
    const struct nb_certificate_column *columns;
};
/* Its columns, where it is declared. */
#define NB_COLUMNS(...)                                                        \
    (const struct nb_certificate_column[])                                     \
    {                                                                          \
        __VA_ARGS__,                                                           \
        {                                                                      \
            0                                                                  \
        }                                                                      \
    }

/*
 * Adds the table, without rows; returns its index.
 *
 * prefix  precedes its name
 */
size_t nb_certificate_start(const struct nb_certificate *certificate,
                            const char *prefix, struct nb_point *out);
void nb_certificate_add(const struct nb_certificate *certificate, size_t table,
                        const void *row, struct nb_point *out);

/* Writes the table with these rows: an array of the row structs. */
void nb_certificate_write(const struct nb_certificate *certificate,
                          const char *prefix, const void *rows, size_t count,
                          size_t size, struct nb_point *out);

/* The table written that way. Errors: NB_REFUTED if the point has no table with
 * these columns; NB_NO_MEMORY. */
enum nb_status nb_certificate_find(const struct nb_certificate *certificate,
                                   const char *prefix,
                                   const struct nb_point *given,
                                   const struct nb_table **out,
                                   struct nb_error *err);
/*
 * Reads a row of it.
 *
 * row  out: the struct
 *
 * Errors: NB_REFUTED naming table and row if a number is out of its range.
 */
enum nb_status nb_certificate_read(const struct nb_certificate *certificate,
                                   const struct nb_table *table, size_t index,
                                   const struct nb_certificate_limits *limits,
                                   void *row, struct nb_error *err);

/* The only row of a table that must have just one. Errors: as above. */
enum nb_status
nb_certificate_read_one(const struct nb_certificate *certificate,
                        const char *prefix, const struct nb_point *given,
                        const struct nb_certificate_limits *limits, void *row,
                        struct nb_error *err);
/* All rows: out_rows is a pointer to structs of this size, for the caller to
 * delete, also on failure. */
enum nb_status nb_certificate_read_all(
    const struct nb_certificate *certificate, const char *prefix,
    const struct nb_point *given, const struct nb_certificate_limits *limits,
    void *out_rows, size_t *count, size_t size, struct nb_error *err);

/* Fails with NB_REFUTED, naming the row (index from 0) by its number from 1. */
enum nb_status nb_certificate_refute(const struct nb_table *table, size_t index,
                                     struct nb_error *err);

#endif
