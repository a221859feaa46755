/* Reports as comma-separated values. Source: RFC 4180, section 2; lines end
 * in a line feed only, as scripts expect. What is not known is empty. */
#include "report/format.h"
#include "report/tree.h"

#include <math.h>
#include <string.h>

/* Adds a field made of two parts, and a comma. */
static void csv_add(struct nb_text *text, const char *first, const char *second)
{
    static const char special[] = ",\"\r\n";
    const char *const parts[] = { first, second };
    const bool is_quoted = first[strcspn(first, special)] != '\0' ||
                           second[strcspn(second, special)] != '\0';
    if (is_quoted)
        nb_text_add(text, "\"", 1);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *at = parts[i], *quote;
        for (; (quote = strchr(at, '"')) != NULL; at = quote + 1) {
            nb_text_add(text, at, (size_t)(quote - at));
            nb_text_add(text, "\"\"", 2);
        }
        nb_text_add(text, at, strlen(at));
    }
    nb_text_print(text, "%s,", is_quoted ? "\"" : "");
}

/* Ends a line after its last field. */
static void csv_end(struct nb_text *text)
{
    if (!text->has_failed)
        text->bytes[text->length - 1] = '\n';
}

/*
 * Whether a spreadsheet would take a text for a formula, which may run
 * programs. A sign followed only by letters, digits, dots and signs is
 * harmless: -g-, -0.5, +1.
 */
static bool csv_is_formula(const char *field)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyz"
                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789.+-";
    const bool is_sign = *field == '+' || *field == '-';
    return is_sign ? field[strspn(field, harmless)] != '\0'
                   : *field != '\0' && strchr("=@\t\r", *field) != NULL;
}

/* Adds a field of any text; spreadsheets take it as text and do not show the
 * apostrophe. */
static void csv_add_text(struct nb_text *text, const char *field)
{
    csv_add(text, csv_is_formula(field) ? "'" : "", field);
}

static void csv_add_number(struct nb_text *text, double value)
{
    char digits[NB_NUMBER_TEXT];
    nb_number_print(value, digits);
    csv_add(text, "", isnan(value) ? "" : digits);
}

static void csv_add_ratio(struct nb_text *text, struct nb_ratio ratio)
{
    char exact[NB_RATIO_TEXT];
    nb_ratio_print(ratio, exact);
    csv_add(text, "", exact);
}

/* The first table of that name; NULL if there is none. */
static const struct nb_table *csv_table(const struct nb_report *outline,
                                        const char *name)
{
    return name != NULL && outline->point_count > 0
               ? nb_point_table(&outline->points[0], name)
               : NULL;
}

/* Swept settings come first. One named like a column of the table is called
 * swept_NAME, since readers take equal names for one column. */
enum nb_status nb_csv_write_head(const struct nb_report *outline,
                                 const char *table, struct nb_text *text,
                                 struct nb_error *err)
{
    const struct nb_table *first = csv_table(outline, table);
    struct nb_names names;
    const enum nb_status status =
        nb_names_find(outline, NB_NAME_SETTING, &names, err);
    if (status != NB_OK)
        return status;
    for (size_t i = 0; i < names.count; i++) {
        const bool is_column =
            first != NULL &&
            nb_table_column(first, names.name[i]) < first->column_count;
        csv_add(text, is_column ? "swept_" : "", names.name[i]);
    }
    if (table == NULL)
        nb_text_print(text, "quantity,value,lower,upper,unit,exact,source,");
    for (size_t i = 0; first != NULL && i < first->column_count; i++) {
        csv_add(text, "", first->columns[i].name);
        if (nb_column_is_split(first, i))
            csv_add(text, first->columns[i].name, "_exact");
    }
    csv_end(text);
    nb_names_release(&names);
    return NB_OK;
}

static void csv_add_quantity(const struct nb_quantity *quantity,
                             struct nb_text *text)
{
    csv_add(text, "", quantity->name);
    csv_add_number(text, quantity->value);
    csv_add_number(text, quantity->lower);
    csv_add_number(text, quantity->upper);
    csv_add_text(text, quantity->unit);
    csv_add_ratio(text, quantity->exact);
    csv_add_text(text, quantity->source);
}

static void csv_add_cell(const struct nb_table *table, size_t row,
                         size_t column, struct nb_text *text)
{
    const union nb_cell *cell =
        &table->cells[row * table->column_count + column];
    char digits[NB_CELL_CHARACTERS];
    switch (table->columns[column].type) {
    case NB_CELL_WHOLE:
        nb_cell_print(cell, NB_CELL_WHOLE, digits);
        csv_add(text, "", digits);
        break;
    case NB_CELL_NUMBER:
        csv_add_number(text, cell->number);
        break;
    case NB_CELL_RATIO:
        if (nb_column_is_split(table, column))
            csv_add_number(text, nb_ratio_value(cell->ratio));
        csv_add_ratio(text, cell->ratio);
        break;
    case NB_CELL_TEXT:
        csv_add_text(text, cell->text);
        break;
    }
}

enum nb_status nb_csv_write_point(const struct nb_report *outline,
                                  const char *name,
                                  const struct nb_point *point, size_t index,
                                  struct nb_text *text, struct nb_error *err)
{
    const struct nb_table *table =
        name != NULL ? nb_point_table(point, name) : NULL;
    const size_t columns = table != NULL ? table->column_count : 0;
    const size_t rows = name == NULL    ? point->quantity_count
                        : table != NULL ? table->row_count
                                        : 0;
    struct nb_names names;
    if (table != NULL && !nb_table_is_alike(csv_table(outline, name), table))
        return nb_fail(err, NB_INVALID,
                       "table \"%.60s\" has other columns at point %zu "
                       "than before (permitted: the same at all points "
                       "of a sweep)",
                       name, index + 1);
    const enum nb_status status =
        nb_names_find(outline, NB_NAME_SETTING, &names, err);
    for (size_t row = 0; row < rows && status == NB_OK; row++) {
        for (size_t i = 0; i < names.count; i++)
            csv_add_text(text, nb_point_setting(point, names.name[i]));
        if (name == NULL)
            csv_add_quantity(&point->quantities[row], text);
        for (size_t i = 0; i < columns; i++)
            csv_add_cell(table, row, i, text);
        csv_end(text);
    }
    nb_names_release(&names);
    return status;
}
