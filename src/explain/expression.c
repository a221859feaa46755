#include "explain/expression.h"

#include "core/locale.h"

#include "report/printed.h"

#include <math.h>
#include <string.h>

/* An expression being read. */
struct reading {
    const struct nb_subject *subject;
    const char *at, *end;
    const struct nb_table *table; /* the table iterated over; or NULL */
    size_t row;
    struct nb_text *numbers;    /* or NULL */
    struct nb_symbols *symbols; /* or NULL */
    size_t depth;               /* nesting of symbols */
    size_t operations;
    bool has_failed;
};

/* A sum, including all operators that bind tighter. */
static struct nb_figure reading_sum(struct reading *reading);

static struct nb_figure figure_of_ratio(struct nb_ratio exact)
{
    return (struct nb_figure){ nb_ratio_value(exact), exact };
}

/* A double, exact if it is a whole number. */
static struct nb_figure figure_of_double(double value)
{
    if (value == rint(value) && fabs(value) < 0x1p53)
        return figure_of_ratio(nb_ratio_make((nb_int128)value, 1));
    return (struct nb_figure){ value, { 0, 0 } };
}

/* A number as written in an option or a note. */
static bool figure_read(struct nb_stretch text, struct nb_figure *out)
{
    char copy[64];
    char *end;
    if (text.length == 0 || text.length >= sizeof copy)
        return false;
    memcpy(copy, text.at, text.length);
    copy[text.length] = '\0';
    *out = (struct nb_figure){ nb_strtod(copy, &end), { 0, 0 } };
    struct nb_ratio exact;
    if (nb_ratio_read(copy, &exact, NULL) == NB_OK)
        *out = figure_of_ratio(exact);
    else if (*end != '\0')
        return false;
    return true;
}

void nb_figure_print(struct nb_figure figure, struct nb_text *text)
{
    enum { LONG = 24 }; /* longer ratios are unreadable */
    char ratio[NB_RATIO_TEXT] = "", number[NB_PRINTED];
    if (nb_ratio_is_known(figure.exact))
        nb_ratio_print(figure.exact, ratio);
    nb_print_number(figure.value, number);
    const bool is_short = *ratio != '\0' && strlen(ratio) < LONG;
    const char *found = is_short ? ratio : number;
    const bool is_apart = strchr(found, '/') != NULL || *found == '-';
    nb_text_print(text, is_apart ? "(%s)" : "%s", found);
}

static struct nb_figure figure_join(struct nb_ratio exact, double value)
{
    if (nb_ratio_is_known(exact))
        return figure_of_ratio(exact);
    return (struct nb_figure){ value, exact };
}

/* Fails the reading. */
static struct nb_figure reading_fail(struct reading *reading)
{
    reading->has_failed = true;
    reading->at = reading->end;
    return (struct nb_figure){ NAN, { 0, 0 } };
}

static void reading_print(struct reading *reading, const char *at,
                          size_t length)
{
    if (reading->numbers != NULL)
        nb_text_add(reading->numbers, at, length);
}

static void reading_skip(struct reading *reading)
{
    const char *start = reading->at;
    while (reading->at < reading->end && strchr(" \n", *reading->at) != NULL)
        reading->at++;
    if (reading->at > start)
        reading_print(reading, " ", 1);
}

/* Skips blanks (numbers keeps one), then takes text if it comes next; returns
 * whether it did. */
static bool reading_take(struct reading *reading, const char *text)
{
    const size_t length = strlen(text);
    reading_skip(reading);
    if ((size_t)(reading->end - reading->at) < length ||
        memcmp(reading->at, text, length) != 0)
        return false;
    reading->at += length;
    reading_print(reading, text, length);
    return true;
}

/* Letters, digits and "_" at the current place; "." too if with_dots. */
static struct nb_stretch reading_word(const struct reading *reading,
                                      bool with_dots)
{
    const char *at = reading->at;
    while (at < reading->end && (nb_is_letter_or_digit(*at) || *at == '_' ||
                                 (with_dots && *at == '.')))
        at++;
    return (struct nb_stretch){ reading->at, (size_t)(at - reading->at) };
}

/* Adds a symbol unless it is there already; symbols may be NULL. */
static void symbols_add(struct nb_symbols *symbols,
                        const struct nb_formula *row)
{
    if (symbols == NULL)
        return;
    for (size_t i = 0; i < symbols->count; i++)
        if (symbols->rows[i].name.at == row->name.at)
            return;
    if (symbols->count < NB_SYMBOLS)
        symbols->rows[symbols->count++] = *row;
}

/* The column of that name; column_count if there is none. */
static size_t tables_column(const struct nb_table *table,
                            struct nb_stretch name)
{
    size_t c = 0;
    while (c < table->column_count &&
           !nb_stretch_is(name, table->columns[c].name))
        c++;
    return c;
}

static struct nb_figure tables_cell(const struct nb_table *table, size_t row,
                                    size_t column)
{
    const union nb_cell *cells = &table->cells[row * table->column_count];
    switch (table->columns[column].type) {
    case NB_CELL_WHOLE:
        return figure_of_double((double)cells[column].whole);
    case NB_CELL_NUMBER:
        return figure_of_double(cells[column].number);
    case NB_CELL_RATIO:
        if (nb_ratio_is_known(cells[column].ratio))
            return figure_of_ratio(cells[column].ratio);
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

/* The contents of "[...]" after a name; false if there are no brackets. */
static bool reading_bracket(struct reading *reading, struct nb_stretch *out)
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

/* Evaluates a part of the expression separately, without printing. */
static struct nb_figure reading_part(struct reading *reading,
                                     struct nb_stretch text)
{
    struct reading inner = *reading;
    inner.at = text.at;
    inner.end = text.at + text.length;
    inner.numbers = NULL;
    const struct nb_figure found = reading_sum(&inner);
    reading->has_failed |= inner.has_failed || inner.at != inner.end;
    return found;
}

/* The row given by "key = expression" or by a number from 1; row_count if there
 * is none. */
static size_t tables_row(struct reading *reading, const struct nb_table *table,
                         struct nb_stretch key)
{
    const char *equals = memchr(key.at, '=', key.length);
    if (equals == NULL) {
        const double n = reading_part(reading, key).value;
        return n >= 1 && n <= (double)table->row_count ? (size_t)n - 1
                                                       : table->row_count;
    }
    struct nb_stretch name = { key.at, (size_t)(equals - key.at) };
    while (name.length > 0 && name.at[name.length - 1] == ' ')
        name.length--;
    const size_t column = tables_column(table, name);
    const struct nb_stretch value = { equals + 1, (size_t)(key.at + key.length -
                                                           equals - 1) };
    const double wanted = reading_part(reading, value).value;
    size_t row = 0;
    while (column < table->column_count && row < table->row_count &&
           tables_cell(table, row, column).value != wanted)
        row++;
    return column < table->column_count ? row : table->row_count;
}

/* "table.column" in the current row of an iteration, the row in brackets, or
 * the only row. */
static struct nb_figure reading_cell(struct reading *reading,
                                     const struct nb_table *table,
                                     struct nb_stretch column_name)
{
    struct nb_stretch key;
    const size_t column = tables_column(table, column_name);
    size_t row = table->row_count == 1 ? 0 : table->row_count;
    if (reading_bracket(reading, &key))
        row = tables_row(reading, table, key);
    else if (table == reading->table)
        row = reading->row;
    if (column == table->column_count || row >= table->row_count)
        return reading_fail(reading);
    return tables_cell(table, row, column);
}

enum { NAMES_DEPTH = 12, NAMES_LONG = 64 };

/* The n-th number in a text, from 1, as characters. */
static bool names_number(const char *text, size_t n, struct nb_stretch *out)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (!nb_is_digit(*at))
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

/* An option, with "_" for "-"; a key of it follows after a dot. */
static const char *names_option(const struct reading *reading,
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

/* Prints a number as it was written, "1e-15", but like nb_figure_print in
 * brackets where operators next to it would split it: 1 / (1/3). */
static void names_print(struct nb_stretch part, struct nb_text *text)
{
    const bool is_apart =
        memchr(part.at, '/', part.length) != NULL || *part.at == '-';
    if (is_apart)
        nb_text_print(text, "(");
    nb_stretch_print(part, text);
    if (is_apart)
        nb_text_print(text, ")");
}

/* Reads a number from a text: the one in brackets, that of key, or all of
 * it. */
static bool names_of_text(struct reading *reading, const char *text,
                          struct nb_stretch key, struct nb_figure *out)
{
    struct nb_stretch index, part = nb_stretch_of(text);
    if (reading_bracket(reading, &index)) {
        const double n = reading_part(reading, index).value;
        if (!(n >= 1 && n < 100) || !names_number(text, (size_t)n, &part))
            return false;
    } else if (key.length > 0 && !names_key(text, key, &part)) {
        return false;
    }
    if (!figure_read(part, out))
        return false;
    if (reading->numbers != NULL)
        names_print(part, reading->numbers);
    return true;
}

/* "option.NAME", "option.NAME.KEY", "note.NAME[n]", or just an option's
 * name. */
static bool names_of_question(struct reading *reading, struct nb_stretch name,
                              struct nb_figure *out)
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

/* The value of a symbol's row. */
static struct nb_figure names_symbol(struct reading *reading,
                                     const struct nb_formula *row)
{
    const struct nb_stretch is = nb_formula_field(row, "is", 0);
    if (is.at == NULL || reading->depth >= NAMES_DEPTH)
        return reading_fail(reading);
    struct reading inner = {
        .subject = reading->subject,
        .at = is.at,
        .end = is.at + is.length,
        .depth = reading->depth + 1,
    };
    const struct nb_figure found = reading_sum(&inner);
    if (inner.has_failed || inner.at != inner.end)
        return reading_fail(reading);
    symbols_add(reading->symbols, row);
    return found;
}

/* A quantity, or with ".lower" or ".upper" after its name, that end. */
static bool names_of_quantity(const struct reading *reading,
                              struct nb_stretch name, struct nb_figure *out)
{
    struct nb_stretch head = name;
    const char *dot = memchr(name.at, '.', name.length);
    if (dot != NULL)
        head.length = (size_t)(dot - name.at);
    const struct nb_quantity *quantity =
        nb_stretch_quantity(head, reading->subject->point);
    if (quantity == NULL)
        return false;
    *out = figure_join(quantity->exact, quantity->value);
    if (dot != NULL && !nb_ratio_is_known(quantity->exact))
        out->value = dot[1] == 'l' ? quantity->lower : quantity->upper;
    return dot == NULL || nb_stretch_fits(nb_stretch_of("*.lower"), name) ||
           nb_stretch_fits(nb_stretch_of("*.upper"), name);
}

/* The value of a name; takes its brackets, too. */
static struct nb_figure reading_name(struct reading *reading,
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
        const struct nb_table *table = nb_stretch_table(head, point);
        const struct nb_stretch column = { dot + 1,
                                           name.length - head.length - 1 };
        if (table != NULL) {
            found = reading_cell(reading, table, column);
            goto print;
        }
    } else if (nb_formula_find(subject, name, &row)) {
        found = names_symbol(reading, &row);
        goto print;
    }
    if (!names_of_question(reading, name, &found))
        return reading_fail(reading);
    return found;
print:
    if (reading->numbers != NULL && !reading->has_failed)
        nb_figure_print(found, reading->numbers);
    return found;
}

enum gather { GATHER_LEAST, GATHER_LARGEST, GATHER_TOTAL, GATHER_COUNT };

/* The first table named between here and the end. */
static const struct nb_table *gather_table(const struct reading *reading)
{
    const struct nb_point *point = reading->subject->point;
    struct reading look = *reading;
    for (; look.at < look.end; look.at++) {
        const struct nb_stretch word = reading_word(&look, false);
        if (word.length == 0)
            continue;
        const struct nb_table *table = nb_stretch_table(word, point);
        if (table != NULL)
            return table;
        look.at += word.length - 1;
    }
    return NULL;
}

/* The expression in one row, and whether the row is selected; afterwards the
 * reading is after the closing bracket. */
static bool gather_row(struct reading *reading, struct nb_figure *out)
{
    bool is_meant = true;
    *out = reading_sum(reading);
    if (reading_take(reading, "where")) {
        const struct nb_figure a = reading_sum(reading);
        const bool has_both = reading_take(reading, "=");
        is_meant = reading_sum(reading).value == a.value;
        reading->has_failed |= !has_both;
    }
    reading->has_failed |= !reading_take(reading, ")");
    return is_meant;
}

/* Goes through all rows; best: out, the row of the extreme, or row_count. */
static struct nb_figure gather_rows(struct reading *reading,
                                    const struct nb_table *table,
                                    enum gather how, size_t *best)
{
    struct nb_figure found = figure_of_ratio(nb_ratio_zero);
    struct reading inner = *reading;
    *best = table->row_count;
    for (size_t row = 0; row < table->row_count && !inner.has_failed; row++) {
        struct nb_figure here;
        inner = *reading;
        inner.table = table;
        inner.row = row;
        inner.numbers = NULL;
        inner.symbols = row == 0 ? reading->symbols : NULL;
        if (!gather_row(&inner, &here))
            continue;
        const bool is_better = *best == table->row_count ||
                               (how == GATHER_LEAST ? here.value < found.value
                                                    : here.value > found.value);
        if (how == GATHER_TOTAL)
            found = figure_join(nb_ratio_add(found.exact, here.exact),
                                found.value + here.value);
        else if (is_better)
            found = here;
        if (is_better)
            *best = row;
    }
    reading->has_failed |= inner.has_failed;
    reading->at = inner.at;
    return found;
}

/* "largest(" and the numbers of the row with the extreme, or the total. */
static void gather_print(struct reading *start, const struct nb_table *table,
                         enum gather how, size_t best, struct nb_figure found,
                         struct nb_stretch name)
{
    if (start->numbers == NULL)
        return;
    if (how == GATHER_TOTAL || how == GATHER_COUNT ||
        best == table->row_count) {
        nb_figure_print(found, start->numbers);
        return;
    }
    nb_text_add(start->numbers, name.at, name.length);
    nb_text_print(start->numbers, "(..., ");
    start->table = table;
    start->row = best;
    start->symbols = NULL;
    reading_sum(start);
    nb_text_print(start->numbers, ", ...)");
}

/* least, largest, total or count, from after its bracket; false if name is none
 * of them. */
static bool reading_gather(struct reading *reading, struct nb_stretch name,
                           struct nb_figure *out)
{
    static const char *const names[] = { "least", "largest", "total", "count" };
    enum gather how = GATHER_LEAST;
    while (how <= GATHER_COUNT && !nb_stretch_is(name, names[how]))
        how++;
    if (how > GATHER_COUNT)
        return false;
    reading->at++; /* the bracket */
    const struct nb_table *table = gather_table(reading);
    struct reading start = *reading;
    size_t best;
    *out = (struct nb_figure){ NAN, { 0, 0 } };
    if (table == NULL) {
        reading_fail(reading);
        return true;
    }
    if (how == GATHER_COUNT) {
        *out = figure_of_double((double)table->row_count);
        reading->at += strlen(table->name);
        best = table->row_count;
        reading->numbers = NULL;
        reading->has_failed |= !reading_take(reading, ")");
    } else if (table->row_count == 0) {
        reading_fail(reading);
        return true;
    } else {
        *out = gather_rows(reading, table, how, &best);
    }
    reading->numbers = start.numbers;
    gather_print(&start, table, how, best, *out, name);
    return true;
}

/* A row with "*" in its name describes quantities, not a symbol. */
static bool symbols_find(const struct nb_subject *subject,
                         struct nb_stretch name, struct nb_formula *row)
{
    struct nb_expression found;
    if (nb_stretch_quantity(name, subject->point) != NULL ||
        !nb_formula_find(subject, name, row) ||
        memchr(row->name.at, '*', row->name.length) != NULL)
        return false;
    const struct nb_stretch is = nb_formula_field(row, "is", 0);
    return is.at == NULL || nb_expression_find(subject, is, NULL, NULL, &found);
}

void nb_symbols_of_words(const struct nb_subject *subject,
                         struct nb_stretch words, struct nb_symbols *symbols)
{
    struct reading look = { .at = words.at, .end = words.at + words.length };
    while (look.at < look.end) {
        const struct nb_stretch name = reading_word(&look, false);
        struct nb_formula row;
        if (name.length > 0 && nb_is_letter(*name.at) &&
            symbols_find(subject, name, &row))
            symbols_add(symbols, &row);
        look.at += name.length > 0 ? name.length : 1;
    }
}

static struct nb_figure figure_power(struct nb_figure a, struct nb_figure b)
{
    enum { MOST = 64 };
    struct nb_ratio exact = nb_ratio_one;
    const bool is_whole = b.value == rint(b.value) && b.value >= 0 &&
                          b.value <= MOST && nb_ratio_is_known(a.exact);
    for (int i = 0; is_whole && i < (int)b.value; i++)
        exact = nb_ratio_multiply(exact, a.exact);
    return figure_join(is_whole ? exact : (struct nb_ratio){ 0, 0 },
                       pow(a.value, b.value));
}

/* min(a, b, ...) and max, from after the bracket. */
static struct nb_figure reading_extreme(struct reading *reading, bool is_min)
{
    struct nb_figure found = reading_sum(reading);
    while (reading_take(reading, ",")) {
        const struct nb_figure next = reading_sum(reading);
        if (is_min ? next.value < found.value : next.value > found.value)
            found = next;
    }
    return found;
}

static bool reading_function(struct reading *reading, struct nb_stretch name,
                             struct nb_figure *out)
{
    static const struct {
        const char *name;
        double (*of)(double);
    } functions[] = { { "sqrt", sqrt },
                      { "exp", exp },
                      { "ln", log },
                      { "ceil", ceil },
                      { "floor", floor } };
    const bool is_min = nb_stretch_is(name, "min");
    if (is_min || nb_stretch_is(name, "max")) {
        *out = reading_extreme(reading, is_min);
        return true;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (nb_stretch_is(name, functions[i].name)) {
            const double value = functions[i].of(reading_sum(reading).value);
            *out = figure_of_double(value);
            return true;
        }
    return false;
}

/* A name followed by brackets is a function. */
static struct nb_figure reading_call(struct reading *reading,
                                     struct nb_stretch name)
{
    struct nb_figure found;
    reading->at += name.length;
    reading->operations++;
    const char *open = reading->at;
    if (reading_gather(reading, name, &found))
        return found;
    reading->at = open;
    reading_print(reading, name.at, name.length);
    reading_take(reading, "(");
    if (!reading_function(reading, name, &found) || !reading_take(reading, ")"))
        return reading_fail(reading);
    return found;
}

static struct nb_figure reading_number(struct reading *reading)
{
    struct nb_figure found;
    const char *at = reading->at;
    while (at < reading->end &&
           (nb_is_digit(*at) || *at == '.' ||
            (*at == 'e' && at + 1 < reading->end) ||
            (*at == '-' && at > reading->at && at[-1] == 'e')))
        at++;
    const struct nb_stretch text = { reading->at, (size_t)(at - reading->at) };
    if (!figure_read(text, &found))
        return reading_fail(reading);
    reading_print(reading, text.at, text.length);
    reading->at = at;
    return found;
}

static struct nb_figure reading_primary(struct reading *reading)
{
    if (reading_take(reading, "(")) {
        const struct nb_figure inner = reading_sum(reading);
        return reading_take(reading, ")") ? inner : reading_fail(reading);
    }
    if (reading_take(reading, "-")) {
        const struct nb_figure inner = reading_primary(reading);
        return figure_join(nb_ratio_subtract(nb_ratio_zero, inner.exact),
                           -inner.value);
    }
    if (reading->at < reading->end && nb_is_digit(*reading->at))
        return reading_number(reading);
    const struct nb_stretch name = reading_word(reading, true);
    if (name.length == 0)
        return reading_fail(reading);
    const char *behind = name.at + name.length;
    if (behind < reading->end && *behind == '(')
        return reading_call(reading, name);
    reading->at = behind;
    return reading_name(reading, name);
}

static struct nb_figure reading_power(struct reading *reading)
{
    const struct nb_figure base = reading_primary(reading);
    if (!reading_take(reading, "^"))
        return base;
    reading->operations++;
    return figure_power(base, reading_primary(reading));
}

static struct nb_figure reading_product(struct reading *reading)
{
    struct nb_figure a = reading_power(reading);
    for (;;) {
        const bool is_product = reading_take(reading, "*");
        if (!is_product && !reading_take(reading, "/"))
            return a;
        const struct nb_figure b = reading_power(reading);
        reading->operations++;
        a = is_product ? figure_join(nb_ratio_multiply(a.exact, b.exact),
                                     a.value * b.value)
                       : figure_join(nb_ratio_divide(a.exact, b.exact),
                                     a.value / b.value);
    }
}

static struct nb_figure reading_sum(struct reading *reading)
{
    struct nb_figure a = reading_product(reading);
    for (;;) {
        const bool is_sum = reading_take(reading, "+");
        if (!is_sum && !reading_take(reading, "-"))
            return a;
        const struct nb_figure b = reading_product(reading);
        reading->operations++;
        a = is_sum
                ? figure_join(nb_ratio_add(a.exact, b.exact), a.value + b.value)
                : figure_join(nb_ratio_subtract(a.exact, b.exact),
                              a.value - b.value);
    }
}

/* Numbers that are equal up to the rounding of doubles. */
static bool figure_is_equal(struct nb_figure a, struct nb_figure b)
{
    return a.value == b.value || fabs(a.value - b.value) <=
                                     1e-11 * fmax(fabs(a.value), fabs(b.value));
}

static bool reading_compare(struct reading *reading, struct nb_figure a,
                            struct nb_expression *out)
{
    const bool is_at_most = reading_take(reading, "<=");
    const bool is_less = !is_at_most && reading_take(reading, "<");
    const bool is_same = !is_at_most && !is_less && reading_take(reading, "=");
    if (!is_at_most && !is_less && !is_same)
        return false;
    reading->operations++;
    out->figure = reading_sum(reading);
    const bool is_equal = figure_is_equal(a, out->figure);
    if (is_same ? !is_equal
                : !(a.value < out->figure.value || (is_at_most && is_equal)))
        out->holds = false;
    return true;
}

bool nb_expression_find(const struct nb_subject *subject,
                        struct nb_stretch expression, struct nb_text *numbers,
                        struct nb_symbols *symbols, struct nb_expression *out)
{
    struct reading reading = {
        .subject = subject,
        .at = expression.at,
        .end = expression.at + expression.length,
        .numbers = numbers,
        .symbols = symbols,
    };
    *out = (struct nb_expression){ .holds = true };
    out->figure = reading_sum(&reading);
    while (reading_compare(&reading, out->figure, out))
        out->is_comparison = true;
    out->is_plain = reading.operations == 0;
    return !reading.has_failed && reading.at == reading.end;
}
