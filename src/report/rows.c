#include "report/rows.h"

#include "core/memory.h"
#include "core/specification.h"
#include "report/tree.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void nb_point_add_enclosure(struct nb_point *point, const char *name,
                            struct nb_enclosure value, const char *unit,
                            const char *method, const char *source)
{
    if (nb_ratio_is_known(value.exact))
        nb_point_add_exact(point, name, value.exact, unit, method, source);
    else
        nb_point_add_bracket(point, name, value.lower, value.upper, unit,
                             method, source);
}

void nb_point_add_interval(struct nb_point *point, const char *name,
                           struct nb_interval interval, const char *unit,
                           const char *method, const char *source)
{
    const struct nb_quantity numbers = { .value = interval.value,
                                         .lower = interval.lower,
                                         .upper = interval.upper };
    if (!isnan(interval.value))
        nb_point_add_quantity(point, &numbers, name, unit, method, source);
}

static struct nb_enclosure rows_value(const struct nb_quantity_row *row,
                                      const void *answer)
{
    const void *field = (const char *)answer + row->field;
    struct nb_enclosure value;
    switch (row->type) {
    case NB_FIELD_RATIO:
        return nb_enclosure_of_ratio(*(const struct nb_ratio *)field);
    case NB_FIELD_WHOLE:
        return nb_enclosure_of_ratio(nb_ratio_make(*(const int64_t *)field, 1));
    case NB_FIELD_COUNT:
        return nb_enclosure_of_whole(*(const uint32_t *)field);
    case NB_FIELD_FLAG:
        return nb_enclosure_of_whole(*(const bool *)field);
    case NB_FIELD_BRACKET: {
        const struct nb_bracket *bracket = field;
        return (struct nb_enclosure){ .lower = bracket->lower,
                                      .upper = bracket->upper };
    }
    case NB_FIELD_ENCLOSURE:
    case NB_FIELD_FOUND: /* begins with one */
    case NB_FIELD_INTERVAL:
        break;
    }
    memcpy(&value, field, sizeof value);
    return value;
}

/* Adds a quantity, if the answer has it. passed: for what its row does not
 * give */
static void rows_add(struct nb_point *out, const struct nb_quantity_row *row,
                     const void *answer, struct nb_quantity_row passed)
{
    const void *field = (const char *)answer + row->field;
    const bool *condition = (const void *)((const char *)answer + row->only_if);
    if (row->only_if > 0 && !*condition)
        return;
    if (row->type == NB_FIELD_FOUND) {
        const struct nb_found *found = field;
        passed.method = found->method;
        passed.source = found->source;
    }
    const char *unit = row->unit != NULL ? row->unit : passed.unit,
               *method = row->method != NULL ? row->method : passed.method,
               *source = row->source != NULL ? row->source : passed.source;
    if (row->type == NB_FIELD_INTERVAL) {
        nb_point_add_interval(out, row->name,
                              *(const struct nb_interval *)field, unit, method,
                              source);
        return;
    }
    if (method != NULL)
        nb_point_add_enclosure(out, row->name, rows_value(row, answer), unit,
                               method, source);
}

void nb_point_add_quantities(struct nb_point *out,
                             const struct nb_quantity_row *rows,
                             const void *answer, const char *unit,
                             const char *method, const char *source)
{
    for (; rows->name != NULL; rows++)
        rows_add(out, rows, answer,
                 (struct nb_quantity_row){
                     .unit = unit, .method = method, .source = source });
}

/* Appends columns: [%] becomes [unit], and columns marked by ? lose the mark or
 * are left out. */
static void rows_spell(const char *spelled,
                       const struct nb_table_variant *variant,
                       struct nb_text *out)
{
    while (*spelled != '\0') {
        const size_t length = strcspn(spelled, ","),
                     name = strcspn(spelled, ":?, ");
        const bool may_lack = spelled[name] == '?';
        const char *at = spelled + name + may_lack;
        const size_t percent = (size_t)(strchr(spelled, '%') - spelled);
        if (!may_lack || !nb_word_is_in(variant->without, ' ', spelled, name)) {
            nb_text_print(out, "%s%.*s", out->length > 0 ? "," : "", (int)name,
                          spelled);
            if (memchr(at, '%', length - (size_t)(at - spelled)) != NULL)
                nb_text_print(out, "%.*s%s]", (int)(spelled + percent - at), at,
                              variant->unit);
            else
                nb_text_add(out, at, length - (size_t)(at - spelled));
        }
        spelled += length + (spelled[length] == ',');
    }
}

size_t nb_table_start(struct nb_point *out, const struct nb_table_kind *kind)
{
    return nb_table_start_as(out, kind, (struct nb_table_variant){ 0 });
}

size_t nb_table_start_as(struct nb_point *out, const struct nb_table_kind *kind,
                         struct nb_table_variant variant)
{
    struct nb_text name = { 0 }, columns = { 0 };
    size_t table = 0;
    nb_text_print(&name, "%s%s", variant.prefix != NULL ? variant.prefix : "",
                  kind->name);
    for (const struct nb_column_kind *column = kind->columns;
         column->spelled != NULL; column++)
        rows_spell(column->spelled, &variant, &columns);
    if (name.has_failed || columns.has_failed)
        out->has_failed = true;
    else
        table = nb_point_add_table(out, name.bytes, kind->is_certificate,
                                   columns.bytes);
    nb_text_release(&name);
    nb_text_release(&columns);
    return table;
}

void nb_table_add_cells(struct nb_point *out, size_t table,
                        const struct nb_any_cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++)
        nb_table_add_cell(out, table, cells[i].type, cells[i].cell);
}

/* A bool or a whole number of 32 or 64 bits. */
static int64_t rows_whole(const struct nb_column_kind *column,
                          const void *field)
{
    if (column->size == sizeof(bool))
        return *(const bool *)field;
    if (column->size == sizeof(uint32_t))
        return *(const uint32_t *)field;
    return *(const int64_t *)field;
}

void nb_table_add_fields(struct nb_point *out, size_t table,
                         const struct nb_table_kind *kind, const void *row)
{
    const struct nb_column_kind *column = kind->columns;
    for (size_t i = 0; !out->has_failed && i < out->tables[table].column_count;
         i++) {
        const void *field = (const char *)row + column[i].offset;
        const enum nb_cell_type type = out->tables[table].columns[i].type;
        union nb_cell cell = { 0 };
        if (type == NB_CELL_WHOLE)
            cell.whole = rows_whole(&column[i], field);
        else if (column[i].names != NULL)
            cell.text = (char *)column[i].names[rows_whole(&column[i], field)];
        else
            memcpy(&cell, field, column[i].size);
        nb_table_add_cell(out, table, type, cell);
    }
}

void nb_table_write(struct nb_point *out, const struct nb_table_kind *kind,
                    struct nb_table_variant variant, const void *rows,
                    size_t count, size_t size)
{
    const size_t table = nb_table_start_as(out, kind, variant);
    for (size_t r = 0; r < count; r++)
        nb_table_add_fields(out, table, kind, (const char *)rows + r * size);
}
