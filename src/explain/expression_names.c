/* What the names of an expression stand for (declared in expression_work.h). */
#include "explain/expression_work.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { NAMES_DEPTH = 12, NAMES_LONG = 64 };

/* The n-th number in a text, from 1; its characters, too. */
static bool names_number(const char *text, size_t n, struct nb_stretch *out)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (!isdigit((unsigned char)*at))
            continue;
        size_t length = strspn(at, "0123456789./");
        while (length > 0 && strchr("./", at[length - 1]) != NULL)
            length--;
        if (at[length] == 'e' && strchr("+-0123456789", at[length + 1]) != NULL)
            length += 2 + strspn(at + length + 2, "0123456789");
        *out = (struct nb_stretch){ at, length };
        if (--n == 0)
            return true;
        at += length - 1;
    }
    return false;
}

static const struct nb_table *names_table(const struct nb_point *point,
                                          struct nb_stretch name)
{
    for (size_t i = 0; i < point->table_count; i++)
        if (nb_stretch_is(name, point->tables[i].name))
            return &point->tables[i];
    return NULL;
}

/* The column of that name; column_count if there is none. */
static size_t names_column(const struct nb_table *table, struct nb_stretch name)
{
    size_t c = 0;
    while (c < table->column_count &&
           !nb_stretch_is(name, table->columns[c].name))
        c++;
    return c;
}

static struct nb_figure names_cell(const struct nb_table *table, size_t row,
                                   size_t column)
{
    const union nb_cell *cells = &table->cells[row * table->column_count];
    switch (table->columns[column].type) {
    case NB_CELL_WHOLE:
        return nb_figure_of_double((double)cells[column].whole);
    case NB_CELL_NUMBER:
        return nb_figure_of_double(cells[column].number);
    case NB_CELL_RATIO:
        if (nb_ratio_is_known(cells[column].ratio))
            return nb_figure_of_ratio(cells[column].ratio);
        break;
    case NB_CELL_TEXT:
        break;
    }
    const size_t lower = nb_table_column(table, "lower");
    const size_t upper = nb_table_column(table, "upper");
    if (table->columns[column].type == NB_CELL_TEXT ||
        lower == table->column_count || upper == table->column_count)
        return (struct nb_figure){ NAN, { 0, 0 } };
    return (struct nb_figure){
        cells[lower].number / 2 + cells[upper].number / 2, { 0, 0 }
    };
}

/* What stands in "[...]" behind a name; false if nothing does. */
static bool names_take_bracket(struct nb_reading *reading,
                               struct nb_stretch *out)
{
    if (reading->at == reading->end || *reading->at != '[')
        return false;
    const char *close =
        memchr(reading->at, ']', (size_t)(reading->end - reading->at));
    if (close == NULL)
        return false;
    *out = (struct nb_stretch){ reading->at + 1,
                                (size_t)(close - reading->at) - 1 };
    reading->at = close + 1;
    return true;
}

/* A part of the expression by itself, not printed. */
static struct nb_figure names_part(struct nb_reading *reading,
                                   struct nb_stretch text)
{
    struct nb_reading inner = *reading;
    inner.at = text.at;
    inner.end = text.at + text.length;
    inner.numbers = NULL;
    const struct nb_figure found = nb_reading_sum(&inner);
    reading->has_failed |= inner.has_failed || inner.at != inner.end;
    return found;
}

/* The row that "key = expression" or a number from 1 on names; row_count if
 * there is none. */
static size_t names_row(struct nb_reading *reading,
                        const struct nb_table *table, struct nb_stretch key)
{
    const char *equals = memchr(key.at, '=', key.length);
    if (equals == NULL) {
        const double n = names_part(reading, key).value;
        return n >= 1 && n <= (double)table->row_count ? (size_t)n - 1
                                                       : table->row_count;
    }
    struct nb_stretch name = { key.at, (size_t)(equals - key.at) };
    while (name.length > 0 && name.at[name.length - 1] == ' ')
        name.length--;
    const size_t column = names_column(table, name);
    const struct nb_stretch value = { equals + 1, (size_t)(key.at + key.length -
                                                           equals - 1) };
    const double wanted = names_part(reading, value).value;
    size_t row = 0;
    while (column < table->column_count && row < table->row_count &&
           names_cell(table, row, column).value != wanted)
        row++;
    return column < table->column_count ? row : table->row_count;
}

/* "table.column", of the row gone through, the one that brackets name, or the
 * only one. */
static struct nb_figure names_of_table(struct nb_reading *reading,
                                       const struct nb_table *table,
                                       struct nb_stretch column_name)
{
    struct nb_stretch key;
    const size_t column = names_column(table, column_name);
    size_t row = table->row_count == 1 ? 0 : table->row_count;
    if (names_take_bracket(reading, &key))
        row = names_row(reading, table, key);
    else if (table == reading->table)
        row = reading->row;
    if (column == table->column_count || row >= table->row_count)
        return nb_reading_fail(reading);
    return names_cell(table, row, column);
}

/* The value of a key in a specification such as "fattree:k=16,n=3". */
static bool names_key(const char *text, struct nb_stretch key,
                      struct nb_stretch *out)
{
    for (const char *at = strpbrk(text, ":,"); at != NULL;
         at = strpbrk(at, ":,")) {
        at++;
        if (strncmp(at, key.at, key.length) != 0 || at[key.length] != '=')
            continue;
        at += key.length + 1;
        *out = (struct nb_stretch){ at, strcspn(at, ",:") };
        return true;
    }
    return false;
}

/* An option with "_" for "-"; a key of it behind a dot. */
static const char *names_option(const struct nb_reading *reading,
                                struct nb_stretch name)
{
    char full[NAMES_LONG] = "option.";
    const size_t used = strlen(full);
    if (name.length >= sizeof full - used)
        return NULL;
    for (size_t i = 0; i < name.length; i++)
        full[used + i] = name.at[i] == '_' ? '-' : name.at[i];
    return nb_subject_text(reading->subject, NULL,
                           (struct nb_stretch){ full, used + name.length });
}

/* A text from which a number is taken: that of brackets or key, or it all. */
static bool names_of_text(struct nb_reading *reading, const char *text,
                          struct nb_stretch key, struct nb_figure *out)
{
    struct nb_stretch index, part = nb_stretch_of(text);
    if (names_take_bracket(reading, &index)) {
        const double n = names_part(reading, index).value;
        if (!(n >= 1 && n < 100) || !names_number(text, (size_t)n, &part))
            return false;
    } else if (key.length > 0 && !names_key(text, key, &part)) {
        return false;
    }
    if (!nb_figure_read(part, out))
        return false;
    if (reading->numbers != NULL)
        nb_stretch_print(part, reading->numbers);
    return true;
}

/* "option.NAME", "option.NAME.KEY", "note.NAME[n]", or an option by its name
 * alone. */
static bool names_of_question(struct nb_reading *reading,
                              struct nb_stretch name, struct nb_figure *out)
{
    static const char option[] = "option.";
    const size_t length = sizeof option - 1;
    struct nb_stretch key = { NULL, 0 };
    if (name.length > 5 && memcmp(name.at, "note.", 5) == 0) {
        const char *text = nb_subject_text(reading->subject, NULL, name);
        return text != NULL && names_of_text(reading, text, key, out);
    }
    if (name.length > length && memcmp(name.at, option, length) == 0) {
        name.at += length;
        name.length -= length;
    }
    const char *dot = memchr(name.at, '.', name.length);
    if (dot != NULL) {
        key = (struct nb_stretch){ dot + 1,
                                   name.length - (size_t)(dot + 1 - name.at) };
        name.length = (size_t)(dot - name.at);
    }
    const char *text = names_option(reading, name);
    return text != NULL && names_of_text(reading, text, key, out);
}

/* Remembers a symbol, once. */
static void names_use(struct nb_reading *reading, const struct nb_formula *row)
{
    struct nb_symbols *symbols = reading->symbols;
    if (symbols == NULL)
        return;
    for (size_t i = 0; i < symbols->count; i++)
        if (symbols->rows[i].name.at == row->name.at)
            return;
    if (symbols->count < NB_SYMBOLS)
        symbols->rows[symbols->count++] = *row;
}

/* What a symbol's row says. */
static struct nb_figure names_symbol(struct nb_reading *reading,
                                     const struct nb_formula *row)
{
    const struct nb_stretch is = nb_formula_field(row, "is", 0);
    if (is.at == NULL || reading->depth >= NAMES_DEPTH)
        return nb_reading_fail(reading);
    struct nb_reading inner = {
        .subject = reading->subject,
        .at = is.at,
        .end = is.at + is.length,
        .depth = reading->depth + 1,
    };
    const struct nb_figure found = nb_reading_sum(&inner);
    if (inner.has_failed || inner.at != inner.end)
        return nb_reading_fail(reading);
    names_use(reading, row);
    return found;
}

static struct nb_figure names_quantity(const struct nb_quantity *quantity)
{
    if (nb_ratio_is_known(quantity->exact))
        return nb_figure_of_ratio(quantity->exact);
    return (struct nb_figure){ quantity->value, { 0, 0 } };
}

/* A quantity, or its end with ".lower" or ".upper" behind it. */
static bool names_of_quantity(const struct nb_reading *reading,
                              struct nb_stretch name, struct nb_figure *out)
{
    const struct nb_point *point = reading->subject->point;
    struct nb_stretch head = name;
    const char *dot = memchr(name.at, '.', name.length);
    if (dot != NULL)
        head.length = (size_t)(dot - name.at);
    for (size_t i = 0; i < point->quantity_count; i++) {
        const struct nb_quantity *quantity = &point->quantities[i];
        if (!nb_stretch_is(head, quantity->name))
            continue;
        *out = names_quantity(quantity);
        if (dot != NULL && !nb_ratio_is_known(quantity->exact))
            out->value = dot[1] == 'l' ? quantity->lower : quantity->upper;
        return dot == NULL || nb_stretch_fits(nb_stretch_of("*.lower"), name) ||
               nb_stretch_fits(nb_stretch_of("*.upper"), name);
    }
    return false;
}

struct nb_figure nb_reading_name(struct nb_reading *reading,
                                 struct nb_stretch name)
{
    const struct nb_subject *subject = reading->subject;
    const struct nb_point *point = subject->point;
    const char *dot = memchr(name.at, '.', name.length);
    struct nb_figure found = { NAN, { 0, 0 } };
    struct nb_formula row;
    if (names_of_quantity(reading, name, &found))
        goto print;
    if (dot != NULL) {
        const struct nb_stretch head = { name.at, (size_t)(dot - name.at) };
        const struct nb_table *table = names_table(point, head);
        const struct nb_stretch column = { dot + 1,
                                           name.length - head.length - 1 };
        if (table != NULL) {
            found = names_of_table(reading, table, column);
            goto print;
        }
    } else if (nb_formula_find(subject, name, &row)) {
        found = names_symbol(reading, &row);
        goto print;
    }
    if (!names_of_question(reading, name, &found))
        return nb_reading_fail(reading);
    return found;
print:
    if (reading->numbers != NULL && !reading->has_failed)
        nb_figure_print(found, reading->numbers);
    return found;
}
