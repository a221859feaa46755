/* Certificate: a table that proves something, declared once. What its columns
 * are called, hold and may hold is one table, by which rows are written, and
 * read back distrusting every cell. */
#ifndef NB_REPORT_CERTIFICATE_H
#define NB_REPORT_CERTIFICATE_H

#include "report/report.h"

/* What bounds whole numbers of a certificate; of no use: 0. */
struct nb_certificate_limits {
    int64_t none; /* 0 */
    int64_t channels, routers, sides, terminals;
    int64_t permutations; /* of a sample */
    int64_t dual;         /* the greatest dual variable */
};

/* A column, and the field of a row's struct that it is: a bool or a whole
 * number of 32 or 64 bits, a double or a struct nb_ratio. */
struct nb_certificate_column {
    const char *spelled; /* as in nb_point_add_table */
    size_t offset, size; /* of the field; size 0 ends a table of columns */
    /* Whole numbers: least to the limit and beyond. Ratios, never negative:
     * those not known, too, if it is INT64_MIN. */
    int64_t least;
    size_t limit; /* the limit's offset */
    int64_t beyond;
};

/* clang-format off */
#define NB_COLUMN(row, field, spelled, ...) \
    { spelled, offsetof(row, field), sizeof(((row *)0)->field), __VA_ARGS__ }
/* clang-format on */
/* One that is called as its field. */
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
/* Its columns where it is declared. */
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
 * prefix  before its name
 */
size_t nb_certificate_start(const struct nb_certificate *certificate,
                            const char *prefix, struct nb_point *out);
void nb_certificate_add(const struct nb_certificate *certificate, size_t table,
                        const void *row, struct nb_point *out);

/* The table with these rows: an array of such structs. */
void nb_certificate_write(const struct nb_certificate *certificate,
                          const char *prefix, const void *rows, size_t count,
                          size_t size, struct nb_point *out);

/* The table that was written so. Errors: NB_REFUTED if the point has none of
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

/* The one row of a table that has no other. Errors: as above. */
enum nb_status
nb_certificate_read_one(const struct nb_certificate *certificate,
                        const char *prefix, const struct nb_point *given,
                        const struct nb_certificate_limits *limits, void *row,
                        struct nb_error *err);
/* All rows: out_rows is a pointer to structs of this size, for the caller to
 * delete, on failure, too. */
enum nb_status nb_certificate_read_all(
    const struct nb_certificate *certificate, const char *prefix,
    const struct nb_point *given, const struct nb_certificate_limits *limits,
    void *out_rows, size_t *count, size_t size, struct nb_error *err);

/* Fails with NB_REFUTED, naming the row (from 0) by its number from 1. */
enum nb_status nb_certificate_refute(const struct nb_table *table, size_t index,
                                     struct nb_error *err);

#endif
