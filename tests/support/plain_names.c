/* The values of names, for the plain reader (declared in plain_work.h). */
#include "plain_work.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double plain_cell(const struct nb_table *table, size_t row,
                         const char *name)
{
    size_t c = 0, lower = 0;
    while (c < table->column_count && strcmp(table->columns[c].name, name) != 0)
        c++;
    if (c == table->column_count || row >= table->row_count)
        return NAN;
    const union nb_cell *cells = table->cells + row * table->column_count;
    if (table->columns[c].type == NB_CELL_WHOLE)
        return (double)cells[c].whole;
    if (table->columns[c].type == NB_CELL_NUMBER)
        return cells[c].number;
    if (cells[c].ratio.denominator > 0)
        return (double)cells[c].ratio.numerator /
               (double)cells[c].ratio.denominator;
    if (cells[c].ratio.numerator > 0)
        return INFINITY;
    while (lower < table->column_count &&
           strcmp(table->columns[lower].name, "lower") != 0)
        lower++;
    if (lower + 1 >= table->column_count)
        return NAN;
    return cells[lower].number +
           (cells[lower + 1].number - cells[lower].number) / 2;
}

/* "column", "column[3]" or "column[key = e]" of a table. */
static double plain_table(struct plain *plain, const struct nb_table *table,
                          char *column)
{
    char *open = strchr(column, '[');
    if (open == NULL && table == plain->table)
        return plain_cell(table, plain->row, column);
    if (open == NULL && table->row_count != 1)
        return plain_fail(plain, "a table of many rows");
    if (open == NULL)
        return plain_cell(table, 0, column);
    *open = '\0';
    open[strlen(open + 1)] = '\0';
    char *equals = strchr(open + 1, '=');
    if (equals == NULL)
        return plain_cell(table, (size_t)plain_sum(plain, open + 1) - 1,
                          column);
    *equals = '\0';
    const char *key = plain_trim(open + 1);
    const double wanted = plain_sum(plain, equals + 1);
    for (size_t row = 0; row < table->row_count; row++)
        if (plain_cell(table, row, key) == wanted)
            return plain_cell(table, row, column);
    return plain_fail(plain, "no such row");
}

/* The n-th number of a text, from 1. */
static double plain_number(struct plain *plain, const char *text, double n)
{
    while (*text != '\0') {
        char *end = (char *)text;
        if (isdigit((unsigned char)*text))
            n--;
        if (isdigit((unsigned char)*text)) {
            double value = strtod(text, &end);
            if (*end == '/' && isdigit((unsigned char)end[1]))
                value /= strtod(end + 1, &end);
            if (n < 1)
                return value;
        }
        text = end > text ? end : text + 1;
    }
    return plain_fail(plain, "no such number in the text");
}

/* An option or a note; a number of it, a key of it, or the whole. */
static double plain_question(struct plain *plain, char *name)
{
    char *open = strchr(name, '['), *key = NULL;
    char full[PLAIN_LONG];
    if (open != NULL)
        *open = '\0';
    const bool is_note = strncmp(name, "note.", 5) == 0;
    if (!is_note && strncmp(name, "option.", 7) != 0)
        snprintf(full, sizeof full, "option.%s", name);
    else
        snprintf(full, sizeof full, "%s", name);
    if (!is_note) {
        key = strchr(full + 7, '.');
        for (char *at = full; *at != '\0'; at++)
            *at = *at == '_' ? '-' : *at;
    }
    if (key != NULL)
        *key++ = '\0';
    const struct nb_stretch own = nb_stretch_of(strchr(full, '.') + 1);
    const char *text = is_note ? nb_subject_note(plain->subject, own)
                               : nb_subject_option(plain->subject, own);
    if (text == NULL)
        return plain_fail(plain, "an unknown name");
    if (open != NULL)
        return plain_number(plain, text, strtod(open + 1, NULL));
    if (key != NULL) {
        char wanted[PLAIN_LONG];
        snprintf(wanted, sizeof wanted, "%s=", key);
        text = strstr(text, wanted);
        if (text == NULL)
            return plain_fail(plain, "an unknown key");
        text += strlen(wanted);
    }
    char *end;
    double value = strtod(text, &end);
    if (*end == '/')
        value /= strtod(end + 1, &end);
    return end > text ? value : plain_fail(plain, "not a number");
}

void plain_copy(struct nb_stretch text, char *copy)
{
    memcpy(copy, text.at, text.length);
    copy[text.length] = '\0';
    for (char *at = copy; *at != '\0'; at++)
        *at = *at == '\n' ? ' ' : *at;
}

static double plain_symbol(struct plain *plain, const struct nb_formula *row)
{
    char copy[PLAIN_LONG];
    const struct nb_stretch is = nb_formula_field(row, "is", 0);
    struct plain inner = { .subject = plain->subject,
                           .depth = plain->depth + 1 };
    if (is.at == NULL || is.length >= sizeof copy || inner.depth > PLAIN_DEPTH)
        return plain_fail(plain, "a symbol without a number");
    plain_copy(is, copy);
    const double value = plain_sum(&inner, copy);
    return inner.complaint != NULL ? plain_fail(plain, inner.complaint) : value;
}

double plain_name(struct plain *plain, char *name)
{
    const struct nb_point *point = plain->subject->point;
    char *dot = strchr(name, '.');
    struct nb_formula row;
    for (size_t q = 0; q < point->quantity_count; q++) {
        const struct nb_quantity *found = &point->quantities[q];
        const size_t length = strlen(found->name);
        const bool is_exact = nb_ratio_is_known(found->exact);
        const bool is_lower = dot != NULL && strcmp(dot, ".lower") == 0;
        const bool is_upper = dot != NULL && strcmp(dot, ".upper") == 0;
        if (strncmp(name, found->name, length) != 0 ||
            (name[length] != '\0' &&
             !(dot == name + length && (is_lower || is_upper))))
            continue;
        return is_exact   ? nb_ratio_value(found->exact)
               : is_lower ? found->lower
               : is_upper ? found->upper
                          : found->value;
    }
    if (dot != NULL) {
        *dot = '\0';
        const struct nb_table *table = nb_point_table(point, name);
        *dot = '.';
        if (table != NULL)
            return plain_table(plain, table, dot + 1);
    } else if (nb_formula_find(plain->subject, nb_stretch_of(name), &row)) {
        return plain_symbol(plain, &row);
    }
    return plain_question(plain, name);
}

const struct nb_table *plain_named(const struct plain *plain, const char *text)
{
    const struct nb_point *point = plain->subject->point;
    const struct nb_table *first = NULL;
    const char *where = NULL;
    for (size_t t = 0; t < point->table_count; t++) {
        const size_t length = strlen(point->tables[t].name);
        const char *at = strstr(text, point->tables[t].name);
        while (at != NULL &&
               ((at > text && (isalnum((unsigned char)at[-1]) ||
                               strchr("_.", at[-1]) != NULL)) ||
                isalnum((unsigned char)at[length]) || at[length] == '_'))
            at = strstr(at + 1, point->tables[t].name);
        if (at != NULL && (where == NULL || at < where)) {
            where = at;
            first = &point->tables[t];
        }
    }
    return first;
}
