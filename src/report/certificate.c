#include "report/certificate.h"

#include "core/memory.h"

#include <string.h>

size_t nb_certificate_start(const struct nb_certificate *certificate,
                            const char *prefix, struct nb_point *out)
{
    const struct nb_certificate_column *column = certificate->columns;
    struct nb_text name = { 0 }, columns = { 0 };
    size_t table = 0;
    nb_text_print(&name, "%s%s", prefix, certificate->name);
    for (; column->size > 0; column++)
        nb_text_print(&columns, "%s%s", columns.length > 0 ? "," : "",
                      column->spelled);
    if (name.has_failed || columns.has_failed)
        out->has_failed = true;
    else
        table = nb_point_add_table(out, name.bytes, true, columns.bytes);
    nb_text_release(&name);
    nb_text_release(&columns);
    return table;
}

static int64_t certificate_whole(const struct nb_certificate_column *column,
                                 const void *row)
{
    const char *field = (const char *)row + column->offset;
    if (column->size == sizeof(bool))
        return *(const bool *)(const void *)field;
    if (column->size == sizeof(uint32_t))
        return *(const uint32_t *)(const void *)field;
    return *(const int64_t *)(const void *)field;
}

void nb_certificate_add(const struct nb_certificate *certificate, size_t table,
                        const void *row, struct nb_point *out)
{
    const struct nb_certificate_column *column = certificate->columns;
    for (size_t i = 0; column[i].size > 0 && !out->has_failed; i++) {
        const void *field = (const char *)row + column[i].offset;
        switch (out->tables[table].columns[i].type) {
        case NB_CELL_WHOLE:
            nb_table_add_whole(out, table, certificate_whole(&column[i], row));
            break;
        case NB_CELL_NUMBER:
            nb_table_add_number(out, table, *(const double *)field);
            break;
        case NB_CELL_RATIO:
            nb_table_add_ratio(out, table, *(const struct nb_ratio *)field);
            break;
        case NB_CELL_TEXT:
            nb_table_add_text(out, table, *(const char *const *)field);
            break;
        }
    }
}

void nb_certificate_write(const struct nb_certificate *certificate,
                          const char *prefix, const void *rows, size_t count,
                          size_t size, struct nb_point *out)
{
    const size_t table = nb_certificate_start(certificate, prefix, out);
    for (size_t r = 0; r < count; r++)
        nb_certificate_add(certificate, table, (const char *)rows + r * size,
                           out);
}

/* Whether a table begins with all columns of the certificate; names of routers
 * may follow. */
static bool certificate_is_same(const struct nb_table *given,
                                const struct nb_table *own)
{
    bool is_same = given->column_count >= own->column_count;
    for (size_t i = 0; i < own->column_count && is_same; i++)
        is_same = given->columns[i].type == own->columns[i].type &&
                  strcmp(given->columns[i].name, own->columns[i].name) == 0;
    for (size_t i = own->column_count; i < given->column_count; i++)
        is_same = is_same && given->columns[i].type == NB_CELL_TEXT;
    return is_same;
}

enum nb_status nb_certificate_find(const struct nb_certificate *certificate,
                                   const char *prefix,
                                   const struct nb_point *given,
                                   const struct nb_table **out,
                                   struct nb_error *err)
{
    struct nb_point own = { 0 };
    const size_t table = nb_certificate_start(certificate, prefix, &own);
    enum nb_status status;
    NB_TRY(nb_point_check(&own, err));
    *out = nb_point_table(given, own.tables[table].name);
    if (*out == NULL || !certificate_is_same(*out, &own.tables[table]))
        status = nb_fail(err, NB_REFUTED,
                         "the report has no table %s%s of %zu columns", prefix,
                         certificate->name, own.tables[table].column_count);
done:
    nb_point_release(&own);
    return status;
}

enum nb_status nb_certificate_refute(const struct nb_table *table, size_t index,
                                     struct nb_error *err)
{
    return nb_fail(err, NB_REFUTED,
                   "table %s, row %zu: a number is out of its range",
                   table->name, index + 1);
}

/* Stores a whole number, if it is within its range. */
static bool certificate_set(const struct nb_certificate_column *column,
                            const struct nb_certificate_limits *limits,
                            int64_t value, void *row)
{
    const int64_t limit =
        *(const int64_t *)(const void *)((const char *)limits + column->limit);
    void *field = (char *)row + column->offset;
    if (value < column->least || value > limit + column->beyond)
        return false;
    if (column->size == sizeof(bool))
        *(bool *)field = value != 0;
    else if (column->size == sizeof(uint32_t))
        *(uint32_t *)field = (uint32_t)value;
    else
        *(int64_t *)field = value;
    return true;
}

enum nb_status nb_certificate_read(const struct nb_certificate *certificate,
                                   const struct nb_table *table, size_t index,
                                   const struct nb_certificate_limits *limits,
                                   void *row, struct nb_error *err)
{
    const union nb_cell *cell = table->cells + index * table->column_count;
    const struct nb_certificate_column *column = certificate->columns;
    bool is_right = true;
    for (size_t i = 0; column[i].size > 0 && is_right; i++) {
        void *field = (char *)row + column[i].offset;
        switch (table->columns[i].type) {
        case NB_CELL_WHOLE:
            is_right = certificate_set(&column[i], limits, cell[i].whole, row);
            break;
        case NB_CELL_NUMBER:
            *(double *)field = cell[i].number;
            break;
        case NB_CELL_RATIO:
            *(struct nb_ratio *)field = cell[i].ratio;
            is_right = cell[i].ratio.numerator >= 0 &&
                       (column[i].least == INT64_MIN ||
                        nb_ratio_is_known(cell[i].ratio));
            break;
        case NB_CELL_TEXT:
            *(const char **)field = cell[i].text;
            break;
        }
    }
    return is_right ? NB_OK : nb_certificate_refute(table, index, err);
}

enum nb_status
nb_certificate_read_one(const struct nb_certificate *certificate,
                        const char *prefix, const struct nb_point *given,
                        const struct nb_certificate_limits *limits, void *row,
                        struct nb_error *err)
{
    const struct nb_table *table;
    enum nb_status status;
    NB_TRY(nb_certificate_find(certificate, prefix, given, &table, err));
    if (table->row_count != 1)
        NB_TRY(nb_fail(err, NB_REFUTED, "table %s has %zu rows, not one",
                       table->name, table->row_count));
    NB_TRY(nb_certificate_read(certificate, table, 0, limits, row, err));
done:
    return status;
}

enum nb_status nb_certificate_read_all(
    const struct nb_certificate *certificate, const char *prefix,
    const struct nb_point *given, const struct nb_certificate_limits *limits,
    void *out_rows, size_t *count, size_t size, struct nb_error *err)
{
    const struct nb_table *table;
    char *rows = NULL;
    enum nb_status status;
    NB_TRY(nb_certificate_find(certificate, prefix, given, &table, err));
    NB_TRY(nb_new(&rows, table->row_count, size, table->name, err));
    memcpy(out_rows, &rows, sizeof rows);
    for (*count = 0; *count < table->row_count; ++*count)
        NB_TRY(nb_certificate_read(certificate, table, *count, limits,
                                   rows + *count * size, err));
done:
    return status;
}
