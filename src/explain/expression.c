#include "explain/expression.h"

#include "core/locale.h"
#include "report/format.h"
#include "report/printed.h"

#include <math.h>
#include <string.h>

enum { READING_DEPTH = 12 }; /* of symbols defined by symbols */

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

static const struct nb_figure figure_none = { NAN, { 0, 0 } };

/* A sum, including all operators that bind tighter. */
static struct nb_figure reading_sum(struct reading *reading);

/* The ratio, or this value if it is unknown. */
static struct nb_figure figure_make(struct nb_ratio exact, double value)
{
    return (struct nb_figure){ nb_ratio_is_known(exact) ? nb_ratio_value(exact)
                                                        : value,
                               exact };
}

/* A double, exact if it is a whole number. */
static struct nb_figure figure_of_double(double value)
{
    if (value == rint(value) && fabs(value) < 0x1p53)
        return figure_make(nb_ratio_make((nb_int128)value, 1), value);
    return (struct nb_figure){ value, { 0, 0 } };
}

/* A number as written in an option or a note. */
static bool figure_read(struct nb_stretch text, struct nb_figure *out)
{
    char copy[64];
    char *end;
    struct nb_ratio exact;
    if (text.length == 0 || text.length >= sizeof copy)
        return false;
    memcpy(copy, text.at, text.length);
    copy[text.length] = '\0';
    const bool is_exact = nb_ratio_read(copy, &exact, NULL) == NB_OK;
    const double value = nb_strtod(copy, &end);
    *out = figure_make(is_exact ? exact : (struct nb_ratio){ 0, 0 }, value);
    return is_exact || *end == '\0';
}

/* Prints characters, in brackets where operators next to them would split them:
 * 1 / (1/3). */
static void figure_print(struct nb_stretch characters, struct nb_text *text)
{
    const bool is_apart = *characters.at == '-' ||
                          memchr(characters.at, '/', characters.length) != NULL;
    nb_text_print(text, is_apart ? "(%.*s)" : "%.*s", (int)characters.length,
                  characters.at);
}

void nb_figure_print(struct nb_figure figure, struct nb_text *text)
{
    enum { LONG = 24 }; /* longer ratios are unreadable */
    char ratio[NB_RATIO_TEXT] = "", number[NB_PRINTED];
    if (nb_ratio_is_known(figure.exact))
        nb_ratio_print(figure.exact, ratio);
    nb_print_number(figure.value, number);
    const bool is_short = *ratio != '\0' && strlen(ratio) < LONG;
    figure_print(nb_stretch_of(is_short ? ratio : number), text);
}

static struct nb_figure reading_fail(struct reading *reading)
{
    reading->has_failed = true;
    reading->at = reading->end;
    return figure_none;
}

static void reading_print(struct reading *reading, const char *at,
                          size_t length)
{
    if (reading->numbers != NULL)
        nb_text_add(reading->numbers, at, length);
}

/* Skips blanks (numbers keeps one), then takes text if it comes next; returns
 * whether it did. */
static bool reading_take(struct reading *reading, const char *text)
{
    const size_t length = strlen(text);
    const char *start = reading->at;
    while (reading->at < reading->end && strchr(" \n", *reading->at) != NULL)
        reading->at++;
    if (reading->at > start)
        reading_print(reading, " ", 1);
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

/* The contents of "[...]" after a name; false if there are no brackets. */
static bool reading_bracket(struct reading *reading, struct nb_stretch *out)
{
    struct nb_stretch rest = { reading->at,
                               (size_t)(reading->end - reading->at) };
    if (rest.length == 0 || *rest.at != '[' ||
        memchr(rest.at, ']', rest.length) == NULL)
        return false;
    nb_stretch_cut(&rest, '[');
    *out = nb_stretch_cut(&rest, ']');
    reading->at = rest.at;
    return true;
}

/* Evaluates another expression, without printing. */
static struct nb_figure reading_apart(const struct reading *reading,
                                      struct nb_stretch text, bool *has_failed)
{
    struct reading inner = *reading;
    inner.at = text.at;
    inner.end = text.at + text.length;
    inner.numbers = NULL;
    const struct nb_figure found = reading_sum(&inner);
    *has_failed |= inner.has_failed || inner.at != inner.end;
    return found;
}

/* Adds a symbol unless it is there already; symbols may be NULL. */
static void symbols_add(struct nb_symbols *symbols,
                        const struct nb_formula *row)
{
    size_t i = 0;
    while (symbols != NULL && i < symbols->count &&
           symbols->rows[i].name.at != row->name.at)
        i++;
    if (symbols != NULL && i == symbols->count && i < NB_SYMBOLS)
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
    if (table->columns[column].type != NB_CELL_RATIO)
        return figure_of_double(nb_table_number(table, row, column));
    return figure_make(table->cells[row * table->column_count + column].ratio,
                       nb_table_value(table, row, "lower") / 2 +
                           nb_table_value(table, row, "upper") / 2);
}

/* The row given by "key = expression" or by a number from 1; row_count if there
 * is none. */
static size_t tables_row(struct reading *reading, const struct nb_table *table,
                         struct nb_stretch key)
{
    const bool has_value = memchr(key.at, '=', key.length) != NULL;
    struct nb_stretch value = key;
    const size_t column =
        has_value ? tables_column(table, nb_stretch_cut(&value, '=')) : 0;
    const double wanted =
        reading_apart(reading, value, &reading->has_failed).value;
    if (!has_value)
        return wanted >= 1 && wanted <= (double)table->row_count
                   ? (size_t)wanted - 1
                   : table->row_count;
    size_t row = column < table->column_count ? 0 : table->row_count;
    while (row < table->row_count &&
           tables_cell(table, row, column).value != wanted)
        row++;
    return row;
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

/* The n-th number in a text, from 1, as characters. */
static bool words_number(const char *text, size_t n, struct nb_stretch *out)
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
static bool words_key(const char *text, struct nb_stretch key,
                      struct nb_stretch *out)
{
    for (const char *at = text; (at = strpbrk(at, ":,")) != NULL;) {
        at++;
        if (strncmp(at, key.at, key.length) != 0 || at[key.length] != '=')
            continue;
        at += key.length + 1;
        *out = (struct nb_stretch){ at, strcspn(at, ",:") };
        return true;
    }
    return false;
}

/* "option.NAME", "option.NAME.KEY", "note.NAME[n]", or just an option's name:
 * a number in a text, printed as it was written there. It is the one in
 * brackets, that of the key, or all of the text. */
static struct nb_figure reading_words(struct reading *reading,
                                      struct nb_stretch name)
{
    struct nb_stretch key = name, index;
    struct nb_stretch head = nb_stretch_cut(&key, '.');
    const bool is_note = nb_stretch_is(head, "note");
    if (is_note || nb_stretch_is(head, "option"))
        head = nb_stretch_cut(&key, '.');
    const char *text = is_note ? nb_subject_note(reading->subject, head)
                               : nb_subject_option(reading->subject, head);
    struct nb_stretch part = nb_stretch_of(text != NULL ? text : "");
    bool is_there = true;
    if (reading_bracket(reading, &index)) {
        const double n =
            reading_apart(reading, index, &reading->has_failed).value;
        is_there = n >= 1 && n < 100 && words_number(part.at, (size_t)n, &part);
    } else if (key.length > 0) {
        is_there = words_key(part.at, key, &part);
    }
    struct nb_figure found;
    if (!is_there || !figure_read(part, &found))
        return reading_fail(reading);
    if (reading->numbers != NULL)
        figure_print(part, reading->numbers);
    return found;
}

/* The value of a symbol's row. */
static struct nb_figure reading_symbol(struct reading *reading,
                                       const struct nb_formula *row)
{
    const struct reading inner = { .subject = reading->subject,
                                   .depth = reading->depth + 1 };
    const struct nb_stretch is = nb_formula_field(row, "is", 0);
    bool has_failed = is.at == NULL || inner.depth > READING_DEPTH;
    const struct nb_figure found =
        has_failed ? figure_none : reading_apart(&inner, is, &has_failed);
    if (has_failed)
        return reading_fail(reading);
    symbols_add(reading->symbols, row);
    return found;
}

/* The value of a name; takes its brackets, too. */
static struct nb_figure reading_name(struct reading *reading,
                                     struct nb_stretch name)
{
    const struct nb_point *point = reading->subject->point;
    struct nb_stretch part = name;
    const struct nb_stretch head = nb_stretch_cut(&part, '.');
    const struct nb_quantity *quantity = nb_stretch_quantity(head, point);
    const struct nb_table *table = nb_stretch_table(head, point);
    const bool is_whole = head.length == name.length;
    const bool is_lower = nb_stretch_is(part, "lower");
    struct nb_formula row;
    struct nb_figure found;
    if (quantity != NULL && is_whole)
        found = figure_make(quantity->exact, quantity->value);
    else if (quantity != NULL && (is_lower || nb_stretch_is(part, "upper")))
        found = figure_make(quantity->exact,
                            is_lower ? quantity->lower : quantity->upper);
    else if (table != NULL && !is_whole)
        found = reading_cell(reading, table, part);
    else if (is_whole && nb_formula_find(reading->subject, name, &row))
        found = reading_symbol(reading, &row);
    else
        return reading_words(reading, name);
    if (reading->numbers != NULL && !reading->has_failed)
        nb_figure_print(found, reading->numbers);
    return found;
}

enum gather { GATHER_LEAST, GATHER_LARGEST, GATHER_TOTAL, GATHERS };
static const char *const gather_names[GATHERS] = { "least", "largest",
                                                   "total" };

/* The first table named between here and the end. */
static const struct nb_table *gather_table(const struct reading *reading)
{
    const struct nb_table *table = NULL;
    struct reading look = *reading;
    while (table == NULL && look.at < look.end) {
        const struct nb_stretch word = reading_word(&look, false);
        table = nb_stretch_table(word, reading->subject->point);
        look.at += word.length > 0 ? word.length : 1;
    }
    return table;
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

/* least, largest or total over the rows of the table, from after the bracket.
 * Prints "largest(..., numbers of the row with the extreme, ...)", or the
 * total. */
static struct nb_figure reading_gather(struct reading *reading, enum gather how)
{
    const struct nb_table *table = gather_table(reading);
    const size_t rows = table != NULL ? table->row_count : 0;
    struct nb_figure found = figure_of_double(0), here;
    struct reading start = *reading, inner = *reading;
    start.table = table;
    start.row = rows;
    for (size_t row = 0; row < rows && !inner.has_failed; row++) {
        inner = start;
        inner.row = row;
        inner.numbers = NULL;
        inner.symbols = row == 0 ? reading->symbols : NULL;
        if (!gather_row(&inner, &here))
            continue;
        if (how == GATHER_TOTAL) {
            found = figure_make(nb_ratio_add(found.exact, here.exact),
                                found.value + here.value);
        } else if (start.row == rows ||
                   (how == GATHER_LEAST ? here.value < found.value
                                        : here.value > found.value)) {
            found = here;
            start.row = row;
        }
    }
    if (rows == 0)
        return reading_fail(reading);
    reading->has_failed |= inner.has_failed;
    reading->at = inner.at;
    if (reading->numbers != NULL && start.row == rows) {
        nb_figure_print(found, reading->numbers);
    } else if (reading->numbers != NULL) {
        nb_text_print(reading->numbers, "%s(..., ", gather_names[how]);
        start.symbols = NULL;
        reading_sum(&start);
        nb_text_print(reading->numbers, ", ...)");
    }
    return found;
}

/* count(table), from after the bracket. */
static struct nb_figure reading_count(struct reading *reading)
{
    const struct nb_stretch name = reading_word(reading, false);
    const struct nb_table *table =
        nb_stretch_table(name, reading->subject->point);
    if (table == NULL || name.at + name.length == reading->end ||
        name.at[name.length] != ')')
        return reading_fail(reading);
    reading->at += name.length + 1;
    const struct nb_figure count = figure_of_double((double)table->row_count);
    if (reading->numbers != NULL)
        nb_figure_print(count, reading->numbers);
    return count;
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

/* A power is exact if it is a short product. */
static struct nb_figure figure_power(struct nb_figure a, struct nb_figure b)
{
    enum { MOST = 64 };
    struct nb_ratio exact = { 0, 0 };
    if (b.value == rint(b.value) && b.value >= 0 && b.value <= MOST &&
        nb_ratio_is_known(a.exact))
        exact = nb_ratio_one;
    for (int i = 0; i < b.value && nb_ratio_is_known(exact); i++)
        exact = nb_ratio_multiply(exact, a.exact);
    return figure_make(exact, pow(a.value, b.value));
}

static struct nb_figure figure_compute(struct nb_figure a, char operator,
                                       struct nb_figure b)
{
    switch (operator) {
    case '+':
        return figure_make(nb_ratio_add(a.exact, b.exact), a.value + b.value);
    case '-':
        return figure_make(nb_ratio_subtract(a.exact, b.exact),
                           a.value - b.value);
    case '*':
        return figure_make(nb_ratio_multiply(a.exact, b.exact),
                           a.value * b.value);
    case '/':
        return figure_make(nb_ratio_divide(a.exact, b.exact),
                           a.value / b.value);
    default:
        return figure_power(a, b);
    }
}

static const struct {
    const char *name;
    double (*of)(double);
} functions[] = { { "sqrt", sqrt },
                  { "exp", exp },
                  { "ln", log },
                  { "ceil", ceil },
                  { "floor", floor } };

/* min(a, b, ...), max, or a function of one number. */
static struct nb_figure reading_function(struct reading *reading,
                                         struct nb_stretch name)
{
    const bool is_min = nb_stretch_is(name, "min");
    const bool is_extreme = is_min || nb_stretch_is(name, "max");
    reading_print(reading, name.at, name.length);
    reading_take(reading, "(");
    struct nb_figure found = reading_sum(reading);
    while (is_extreme && reading_take(reading, ",")) {
        const struct nb_figure next = reading_sum(reading);
        if (is_min ? next.value < found.value : next.value > found.value)
            found = next;
    }
    size_t f = 0;
    while (f < sizeof functions / sizeof *functions &&
           !nb_stretch_is(name, functions[f].name))
        f++;
    if (f < sizeof functions / sizeof *functions)
        found = figure_of_double(functions[f].of(found.value));
    else if (!is_extreme)
        return reading_fail(reading);
    return reading_take(reading, ")") ? found : reading_fail(reading);
}

/* A name followed by a bracket is a function. */
static struct nb_figure reading_call(struct reading *reading,
                                     struct nb_stretch name)
{
    reading->operations++;
    if (nb_stretch_is(name, "count")) {
        reading->at++;
        return reading_count(reading);
    }
    for (enum gather how = GATHER_LEAST; how < GATHERS; how++)
        if (nb_stretch_is(name, gather_names[how])) {
            reading->at++;
            return reading_gather(reading, how);
        }
    return reading_function(reading, name);
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
    if (reading_take(reading, "-"))
        return figure_compute(figure_make(nb_ratio_zero, 0), '-',
                              reading_primary(reading));
    if (reading->at < reading->end && nb_is_digit(*reading->at))
        return reading_number(reading);
    const struct nb_stretch name = reading_word(reading, true);
    if (name.length == 0)
        return reading_fail(reading);
    reading->at += name.length;
    return reading->at < reading->end && *reading->at == '('
               ? reading_call(reading, name)
               : reading_name(reading, name);
}

/* Operators, each level binding tighter than the one before. */
static const char *const reading_operators[][2] = { { "+", "-" },
                                                    { "*", "/" },
                                                    { "^", "^" } };
enum { READING_LEVELS = 3 };

static struct nb_figure reading_level(struct reading *reading, size_t level)
{
    if (level == READING_LEVELS)
        return reading_primary(reading);
    const char *const *operators = reading_operators[level];
    struct nb_figure a = reading_level(reading, level + 1);
    for (;;) {
        const bool is_first = reading_take(reading, operators[0]);
        if (!is_first && !reading_take(reading, operators[1]))
            return a;
        const struct nb_figure b = reading_level(reading, level + 1);
        reading->operations++;
        a = figure_compute(a, *operators[is_first ? 0 : 1], b);
    }
}

static struct nb_figure reading_sum(struct reading *reading)
{
    return reading_level(reading, 0);
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
