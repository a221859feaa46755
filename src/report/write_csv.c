/* Reports as comma-separated values. Source: RFC 4180, section 2; lines end
 * in a line feed only, as scripts expect. */
#include "report/format.h"
#include "report/tree.h"

#include <math.h>
#include <string.h>

/* Adds one field; all but the first of a line follow a comma. */
static void csv_add(struct nb_text *text, bool is_first, const char *field)
{
    if (!is_first)
        nb_text_add(text, ",", 1);
    if (field[strcspn(field, ",\"\r\n")] == '\0') {
        nb_text_add(text, field, strlen(field));
        return;
    }
    nb_text_add(text, "\"", 1);
    for (const char *rest = field; *rest != '\0';) {
        const size_t length = strcspn(rest, "\"");
        nb_text_add(text, rest, length);
        if (rest[length] == '"')
            nb_text_add(text, "\"\"", 2);
        rest += length + (rest[length] == '"');
    }
    nb_text_add(text, "\"", 1);
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
static void csv_add_text(struct nb_text *text, bool is_first, const char *field)
{
    struct nb_text guarded = { 0 };
    if (!csv_is_formula(field)) {
        csv_add(text, is_first, field);
        return;
    }
    nb_text_print(&guarded, "'%s", field);
    text->has_failed |= guarded.has_failed;
    csv_add(text, is_first, guarded.bytes != NULL ? guarded.bytes : "");
    nb_text_release(&guarded);
}

static void csv_add_number(struct nb_text *text, double value)
{
    char digits[NB_NUMBER_TEXT];
    nb_number_print(value, digits);
    csv_add(text, false, isnan(value) ? "" : digits);
}

static void csv_add_settings(struct nb_text *text, const struct nb_names *names,
                             const struct nb_point *point)
{
    for (size_t i = 0; i < names->count; i++)
        csv_add_text(text, i == 0, nb_point_setting(point, names->name[i]));
}

/* The first table of that name; NULL if there is none. */
static const struct nb_table *csv_table(const struct nb_report *outline,
                                        const char *name)
{
    return name != NULL && outline->point_count > 0
               ? nb_point_table(&outline->points[0], name)
               : NULL;
}

/* The swept settings. One named like a column of the table is called
 * swept_NAME, since readers take equal names for one column. */
static void csv_add_header(struct nb_text *text, const struct nb_names *names,
                           const struct nb_table *table)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->name[i];
        struct nb_text other = { 0 };
        if (table != NULL && nb_table_column(table, name) < table->column_count)
            nb_text_print(&other, "swept_%s", name);
        csv_add(text, i == 0, other.bytes != NULL ? other.bytes : name);
        text->has_failed |= other.has_failed;
        nb_text_release(&other);
    }
}

static void csv_add_quantity(const struct nb_quantity *quantity, bool is_first,
                             struct nb_text *text)
{
    char exact[NB_RATIO_TEXT];
    nb_ratio_print(quantity->exact, exact);
    csv_add(text, is_first, quantity->name);
    csv_add_number(text, quantity->value);
    csv_add_number(text, quantity->lower);
    csv_add_number(text, quantity->upper);
    csv_add_text(text, false, quantity->unit);
    csv_add(text, false, exact);
    csv_add_text(text, false, quantity->source);
    nb_text_add(text, "\n", 1);
}

/* Otherwise its field is empty, as readers of CSV expect. */
static bool csv_is_known(const union nb_cell *cell, enum nb_cell_type type)
{
    if (type == NB_CELL_NUMBER)
        return !isnan(cell->number);
    return type != NB_CELL_RATIO || nb_ratio_is_known(cell->ratio);
}

static void csv_add_row(const struct nb_table *table, size_t row, bool is_first,
                        struct nb_text *text)
{
    for (size_t i = 0; i < table->column_count; i++) {
        const union nb_cell *cell =
            &table->cells[row * table->column_count + i];
        const enum nb_cell_type type = table->columns[i].type;
        char characters[NB_CELL_CHARACTERS] = "";
        if (type == NB_CELL_TEXT) {
            csv_add_text(text, is_first && i == 0, cell->text);
            continue;
        }
        if (csv_is_known(cell, type))
            nb_cell_print(cell, type, characters);
        csv_add(text, is_first && i == 0, characters);
    }
    nb_text_add(text, "\n", 1);
}

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
    csv_add_header(text, &names, first);
    if (table == NULL)
        nb_text_print(text, "%squantity,value,lower,upper,unit,exact,source\n",
                      names.count > 0 ? "," : "");
    for (size_t i = 0; first != NULL && i < first->column_count; i++)
        csv_add(text, names.count == 0 && i == 0, first->columns[i].name);
    if (first != NULL)
        nb_text_add(text, "\n", 1);
    nb_names_release(&names);
    return NB_OK;
}

static enum nb_status csv_write_rows(const struct nb_report *outline,
                                     const struct nb_names *names,
                                     const char *name,
                                     const struct nb_point *point, size_t index,
                                     struct nb_text *text, struct nb_error *err)
{
    const struct nb_table *first = csv_table(outline, name);
    const struct nb_table *table = nb_point_table(point, name);
    if (table == NULL)
        return NB_OK;
    if (!nb_table_is_alike(first, table))
        return nb_fail(err, NB_INVALID,
                       "table \"%.60s\" has other columns at point %zu "
                       "than before (permitted: the same at all points "
                       "of a sweep)",
                       name, index + 1);
    for (size_t row = 0; row < table->row_count; row++) {
        csv_add_settings(text, names, point);
        csv_add_row(table, row, names->count == 0, text);
    }
    return NB_OK;
}

enum nb_status nb_csv_write_point(const struct nb_report *outline,
                                  const char *table,
                                  const struct nb_point *point, size_t index,
                                  struct nb_text *text, struct nb_error *err)
{
    struct nb_names names;
    enum nb_status status =
        nb_names_find(outline, NB_NAME_SETTING, &names, err);
    if (status != NB_OK)
        return status;
    for (size_t i = 0; i < point->quantity_count && table == NULL; i++) {
        csv_add_settings(text, &names, point);
        csv_add_quantity(&point->quantities[i], names.count == 0, text);
    }
    if (table != NULL)
        status =
            csv_write_rows(outline, &names, table, point, index, text, err);
    nb_names_release(&names);
    return status;
}
