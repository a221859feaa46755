/* Rows: the quantities and tables of an answer, each declared once. A
 * declaration gives names, units and types; answers are written by it, and what
 * verify reads back is checked against it, cell by cell. */
#ifndef NB_REPORT_ROWS_H
#define NB_REPORT_ROWS_H

#include "core/enclosure.h"
#include "report/report.h"

NB_PUBLIC_BEGIN

/* A value and how it was found. Without a method it was not: it is left out. */
struct nb_found {
    struct nb_enclosure value;
    const char *method, *source;
};

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* --- Quantities ---------------------------------------------------------- */

/* The type of the field that holds a quantity. */
enum nb_field_type {
    NB_FIELD_ENCLOSURE,
    NB_FIELD_FOUND,
    NB_FIELD_RATIO,
    NB_FIELD_BRACKET,
    NB_FIELD_INTERVAL, /* left out if its value is NAN */
    NB_FIELD_WHOLE,    /* int64_t or size_t */
    NB_FIELD_COUNT,    /* uint32_t */
    NB_FIELD_FLAG,     /* bool */
};

/* A quantity, and the field of an answer's struct that holds it. A table of
 * them ends with a zero row. */
struct nb_quantity_row {
    const char *name;
    size_t field; /* its offset */
    enum nb_field_type type;
    const char *unit, *method, *source; /* NULL: as passed */
    size_t only_if; /* the offset of a bool of the answer that must be true; 0:
                     * none */
};

/* clang-format off */
#define NB_FIELD_TYPE(answer, field)                                           \
    _Generic(((answer *)0)->field,                                             \
        struct nb_enclosure: NB_FIELD_ENCLOSURE,                               \
        struct nb_found: NB_FIELD_FOUND,                                       \
        struct nb_ratio: NB_FIELD_RATIO,                                       \
        struct nb_bracket: NB_FIELD_BRACKET,                                   \
        struct nb_interval: NB_FIELD_INTERVAL, uint32_t: NB_FIELD_COUNT,       \
        bool: NB_FIELD_FLAG, default: NB_FIELD_WHOLE)
/* The unit, or NULL, comes last, with what else the row gives. */
#define NB_QUANTITY(answer, field_, name_, ...)                                \
    { .name = name_, .field = offsetof(answer, field_),                        \
      .type = NB_FIELD_TYPE(answer, field_), .unit = __VA_ARGS__ }
/* clang-format on */

/* The offset of a bool that decides whether rows are added. */
#define NB_ONLY_IF(answer, field) .only_if = offsetof(answer, field)

/* The lists of rows that make up a question's quantities. */
#define NB_QUANTITIES(...)                                                     \
    (const struct nb_quantity_row *const[])                                    \
    {                                                                          \
        __VA_ARGS__, NULL                                                      \
    }

/*
 * Adds the declared quantities of an answer.
 *
 * unit, method, source  of rows that do not give them; NULL if all do
 */
void nb_point_add_quantities(struct nb_point *out,
                             const struct nb_quantity_row *rows,
                             const void *answer, const char *unit,
                             const char *method, const char *source);

/* An enclosure as an exact quantity or a bracket. */
void nb_point_add_enclosure(struct nb_point *point, const char *name,
                            struct nb_enclosure value, const char *unit,
                            const char *method, const char *source);
/* An estimate with its interval; nothing if its value is NAN: if nothing was
 * observed. */
void nb_point_add_interval(struct nb_point *point, const char *name,
                           struct nb_interval interval, const char *unit,
                           const char *method, const char *source);

/* --- Tables -------------------------------------------------------------- */

/* Upper limits of whole numbers in a certificate; unused: 0. */
struct nb_row_limits {
    int64_t none; /* 0 */
    int64_t channels, routers, sides, terminals;
    int64_t permutations; /* of a sample */
    int64_t dual;         /* the largest dual variable */
};

/* A column, and the field of a row's struct that it holds: a bool or a whole
 * number of 32 or 64 bits, a double, a struct nb_ratio or a text, which may be
 * the name of an enum's value. Without a field it may spell several columns,
 * whose cells NB_ROW gives. */
struct nb_column_kind {
    const char *spelled; /* as in nb_point_add_table; NULL ends a table. [%]
                          * stands for the unit that the table is started
                          * with, ? after a name for a column that may be left
                          * out */
    size_t offset, size; /* of the field; size 0: none */
    /* Whole numbers: from least to limit + beyond. Ratios, never negative:
     * unknown ones are permitted if least is INT64_MIN. */
    int64_t least;
    size_t limit; /* the limit's offset */
    int64_t beyond;
    const char *const *names; /* texts of an enum's values; NULL: no enum */
};

/* clang-format off */
#define NB_COLUMN(row, field, spelled_, ...)                                   \
    { .spelled = spelled_, .offset = offsetof(row, field),                     \
      .size = sizeof(((row *)0)->field), __VA_ARGS__ }
/* clang-format on */
/* A column named like its field. */
#define NB_FIELD(row, field, ...) NB_COLUMN(row, field, #field, __VA_ARGS__)
#define NB_ANY                    INT64_MIN, offsetof(struct nb_row_limits, none), INT64_MAX
#define NB_AMONG(least, most)     least, offsetof(struct nb_row_limits, none), most
#define NB_BELOW(limit)           0, offsetof(struct nb_row_limits, limit), -1
#define NB_UP_TO(limit)           0, offsetof(struct nb_row_limits, limit), 0

/* A table that answers may have. */
struct nb_table_kind {
    const char *name;
    const struct nb_column_kind *columns;
    bool is_certificate; /* evidence that verify reads back */
};
/* Its columns, where it is declared: NB_COLUMN and NB_FIELD, or one text. */
#define NB_COLUMNS(...)                                                        \
    (const struct nb_column_kind[])                                            \
    {                                                                          \
        __VA_ARGS__,                                                           \
        {                                                                      \
            0                                                                  \
        }                                                                      \
    }
#define NB_SPELLED(...) NB_COLUMNS({ .spelled = __VA_ARGS__ })
/* A table whose columns are one text. */
#define NB_TABLE(name_, ...)                                                   \
    {                                                                          \
        .name = name_, .columns = NB_SPELLED(__VA_ARGS__)                      \
    }

/* The tables of a question. */
#define NB_TABLES(...)                                                         \
    (const struct nb_table_kind *const[])                                      \
    {                                                                          \
        __VA_ARGS__, NULL                                                      \
    }

/* What differs from answer to answer. */
struct nb_table_variant {
    const char *prefix;  /* precedes its name; NULL: nothing */
    const char *unit;    /* of columns in [%] */
    const char *without; /* columns left out, separated by blanks; NULL: none */
};

/* Adds the table, without rows; returns its index. */
size_t nb_table_start(struct nb_point *out, const struct nb_table_kind *kind);
size_t nb_table_start_as(struct nb_point *out, const struct nb_table_kind *kind,
                         struct nb_table_variant variant);

/* Adds a row: the fields of a struct. Only last columns may be left out. */
void nb_table_add_fields(struct nb_point *out, size_t table,
                         const struct nb_table_kind *kind, const void *row);

/* Adds the table with these rows: an array of structs of this size. */
void nb_table_write(struct nb_point *out, const struct nb_table_kind *kind,
                    struct nb_table_variant variant, const void *rows,
                    size_t count, size_t size);

/* The same for an array, under the kind's own name. */
#define NB_WRITE_ROWS(out, kind, rows, count)                                  \
    nb_table_write(out, kind, (struct nb_table_variant){ 0 }, rows, count,     \
                   sizeof *(rows))

/* A cell of any type. */
struct nb_any_cell {
    enum nb_cell_type type;
    union nb_cell cell; /* a text is borrowed */
};

static inline struct nb_any_cell nb_any_whole(int64_t value)
{
    struct nb_any_cell cell;
    cell.type = NB_CELL_WHOLE;
    cell.cell.whole = value;
    return cell;
}
static inline struct nb_any_cell nb_any_size(size_t value)
{
    return nb_any_whole((int64_t)value);
}
static inline struct nb_any_cell nb_any_number(double value)
{
    struct nb_any_cell cell;
    cell.type = NB_CELL_NUMBER;
    cell.cell.number = value;
    return cell;
}
static inline struct nb_any_cell nb_any_ratio(struct nb_ratio value)
{
    struct nb_any_cell cell;
    cell.type = NB_CELL_RATIO;
    cell.cell.ratio = value;
    return cell;
}
static inline struct nb_any_cell nb_any_text(const char *value)
{
    struct nb_any_cell cell;
    cell.type = NB_CELL_TEXT;
    cell.cell.text = (char *)value;
    return cell;
}

/* clang-format off */
#define NB_CELL(x)                                                             \
    _Generic((x), double: nb_any_number, struct nb_ratio: nb_any_ratio,        \
        char *: nb_any_text, const char *: nb_any_text, size_t: nb_any_size,   \
        default: nb_any_whole)(x)
#define NB_CELLS_1(a)       NB_CELL(a)
#define NB_CELLS_2(a, ...)  NB_CELL(a), NB_CELLS_1(__VA_ARGS__)
#define NB_CELLS_3(a, ...)  NB_CELL(a), NB_CELLS_2(__VA_ARGS__)
#define NB_CELLS_4(a, ...)  NB_CELL(a), NB_CELLS_3(__VA_ARGS__)
#define NB_CELLS_5(a, ...)  NB_CELL(a), NB_CELLS_4(__VA_ARGS__)
#define NB_CELLS_6(a, ...)  NB_CELL(a), NB_CELLS_5(__VA_ARGS__)
#define NB_CELLS_7(a, ...)  NB_CELL(a), NB_CELLS_6(__VA_ARGS__)
#define NB_CELLS_8(a, ...)  NB_CELL(a), NB_CELLS_7(__VA_ARGS__)
#define NB_CELLS_9(a, ...)  NB_CELL(a), NB_CELLS_8(__VA_ARGS__)
#define NB_CELLS_10(a, ...) NB_CELL(a), NB_CELLS_9(__VA_ARGS__)
#define NB_CELLS_11(a, ...) NB_CELL(a), NB_CELLS_10(__VA_ARGS__)
#define NB_CELLS_12(a, ...) NB_CELL(a), NB_CELLS_11(__VA_ARGS__)
#define NB_CELLS_N(a, b, c, d, e, f, g, h, i, j, k, l, n, ...) NB_CELLS_##n
#define NB_CELLS(...)                                                          \
    NB_CELLS_N(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)          \
    (__VA_ARGS__)
/* clang-format on */

/* Adds cells, in the columns' order: a row, or a part of one. The type of each
 * value selects the type of its cell. At most 12. */
#define NB_ROW(out, table, ...)                                                \
    nb_table_add_cells(                                                        \
        out, table, (const struct nb_any_cell[]){ NB_CELLS(__VA_ARGS__) },     \
        sizeof((const struct nb_any_cell[]){ NB_CELLS(__VA_ARGS__) }) /        \
            sizeof(struct nb_any_cell))
void nb_table_add_cells(struct nb_point *out, size_t table,
                        const struct nb_any_cell *cells, size_t count);
/* An enclosure as three cells. */
#define NB_ENDS(value) (value).exact, (value).lower, (value).upper

NB_INTERNAL_END

#endif
