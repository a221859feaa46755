#include "explain/expression.h"

#include "explain/expression_work.h"
#include "report/printed.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct nb_figure nb_figure_of_ratio(struct nb_ratio exact)
{
    return (struct nb_figure){ nb_ratio_value(exact), exact };
}

struct nb_figure nb_figure_of_double(double value)
{
    if (value == rint(value) && fabs(value) < 0x1p53)
        return nb_figure_of_ratio(nb_ratio_make((nb_int128)value, 1));
    return (struct nb_figure){ value, { 0, 0 } };
}

bool nb_figure_read(struct nb_stretch text, struct nb_figure *out)
{
    char copy[64];
    char *end;
    if (text.length == 0 || text.length >= sizeof copy)
        return false;
    memcpy(copy, text.at, text.length);
    copy[text.length] = '\0';
    *out = (struct nb_figure){ strtod(copy, &end), { 0, 0 } };
    struct nb_ratio exact;
    if (nb_ratio_read(copy, &exact, NULL) == NB_OK)
        *out = nb_figure_of_ratio(exact);
    else if (*end != '\0')
        return false;
    return true;
}

void nb_figure_print(struct nb_figure figure, struct nb_text *text)
{
    enum { LONG = 24 }; /* a ratio that nobody reads */
    char ratio[NB_RATIO_TEXT] = "", number[NB_PRINTED];
    if (nb_ratio_is_known(figure.exact))
        nb_ratio_print(figure.exact, ratio);
    nb_print_number(figure.value, number);
    const bool is_short = *ratio != '\0' && strlen(ratio) < LONG;
    const char *found = is_short ? ratio : number;
    const bool is_apart = strchr(found, '/') != NULL || *found == '-';
    nb_text_print(text, is_apart ? "(%s)" : "%s", found);
}

struct nb_figure nb_reading_fail(struct nb_reading *reading)
{
    reading->has_failed = true;
    reading->at = reading->end;
    return (struct nb_figure){ NAN, { 0, 0 } };
}

static void reading_print(struct nb_reading *reading, const char *at,
                          size_t length)
{
    if (reading->numbers != NULL)
        nb_text_add(reading->numbers, at, length);
}

static void reading_skip(struct nb_reading *reading)
{
    const char *start = reading->at;
    while (reading->at < reading->end && strchr(" \n", *reading->at) != NULL)
        reading->at++;
    if (reading->at > start)
        reading_print(reading, " ", 1);
}

bool nb_reading_take(struct nb_reading *reading, const char *text)
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

struct nb_stretch nb_reading_word(const struct nb_reading *reading,
                                  bool with_dots)
{
    const char *at = reading->at;
    while (at < reading->end && (isalnum((unsigned char)*at) || *at == '_' ||
                                 (with_dots && *at == '.')))
        at++;
    return (struct nb_stretch){ reading->at, (size_t)(at - reading->at) };
}

static struct nb_figure figure_join(struct nb_ratio exact, double value)
{
    if (nb_ratio_is_known(exact))
        return nb_figure_of_ratio(exact);
    return (struct nb_figure){ value, exact };
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

/* min(a, b, ...) and max, from behind the bracket. */
static struct nb_figure reading_extreme(struct nb_reading *reading, bool is_min)
{
    struct nb_figure found = nb_reading_sum(reading);
    while (nb_reading_take(reading, ",")) {
        const struct nb_figure next = nb_reading_sum(reading);
        if (is_min ? next.value < found.value : next.value > found.value)
            found = next;
    }
    return found;
}

static bool reading_function(struct nb_reading *reading, struct nb_stretch name,
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
            const double value = functions[i].of(nb_reading_sum(reading).value);
            *out = nb_figure_of_double(value);
            return true;
        }
    return false;
}

/* A name with brackets behind it is a function. */
static struct nb_figure reading_call(struct nb_reading *reading,
                                     struct nb_stretch name)
{
    struct nb_figure found;
    reading->at += name.length;
    reading->operations++;
    const char *open = reading->at;
    if (nb_reading_gather(reading, name, &found))
        return found;
    reading->at = open;
    reading_print(reading, name.at, name.length);
    nb_reading_take(reading, "(");
    if (!reading_function(reading, name, &found) ||
        !nb_reading_take(reading, ")"))
        return nb_reading_fail(reading);
    return found;
}

static struct nb_figure reading_number(struct nb_reading *reading)
{
    struct nb_figure found;
    const char *at = reading->at;
    while (at < reading->end &&
           (isdigit((unsigned char)*at) || *at == '.' ||
            (*at == 'e' && at + 1 < reading->end) ||
            (*at == '-' && at > reading->at && at[-1] == 'e')))
        at++;
    const struct nb_stretch text = { reading->at, (size_t)(at - reading->at) };
    if (!nb_figure_read(text, &found))
        return nb_reading_fail(reading);
    reading_print(reading, text.at, text.length);
    reading->at = at;
    return found;
}

static struct nb_figure reading_primary(struct nb_reading *reading)
{
    if (nb_reading_take(reading, "(")) {
        const struct nb_figure inner = nb_reading_sum(reading);
        return nb_reading_take(reading, ")") ? inner : nb_reading_fail(reading);
    }
    if (nb_reading_take(reading, "-")) {
        const struct nb_figure inner = reading_primary(reading);
        return figure_join(nb_ratio_subtract(nb_ratio_zero, inner.exact),
                           -inner.value);
    }
    if (reading->at < reading->end && isdigit((unsigned char)*reading->at))
        return reading_number(reading);
    const struct nb_stretch name = nb_reading_word(reading, true);
    if (name.length == 0)
        return nb_reading_fail(reading);
    const char *behind = name.at + name.length;
    if (behind < reading->end && *behind == '(')
        return reading_call(reading, name);
    reading->at = behind;
    return nb_reading_name(reading, name);
}

static struct nb_figure reading_power(struct nb_reading *reading)
{
    const struct nb_figure base = reading_primary(reading);
    if (!nb_reading_take(reading, "^"))
        return base;
    reading->operations++;
    return figure_power(base, reading_primary(reading));
}

static struct nb_figure reading_product(struct nb_reading *reading)
{
    struct nb_figure a = reading_power(reading);
    for (;;) {
        const bool is_product = nb_reading_take(reading, "*");
        if (!is_product && !nb_reading_take(reading, "/"))
            return a;
        const struct nb_figure b = reading_power(reading);
        reading->operations++;
        a = is_product ? figure_join(nb_ratio_multiply(a.exact, b.exact),
                                     a.value * b.value)
                       : figure_join(nb_ratio_divide(a.exact, b.exact),
                                     a.value / b.value);
    }
}

struct nb_figure nb_reading_sum(struct nb_reading *reading)
{
    struct nb_figure a = reading_product(reading);
    for (;;) {
        const bool is_sum = nb_reading_take(reading, "+");
        if (!is_sum && !nb_reading_take(reading, "-"))
            return a;
        const struct nb_figure b = reading_product(reading);
        reading->operations++;
        a = is_sum
                ? figure_join(nb_ratio_add(a.exact, b.exact), a.value + b.value)
                : figure_join(nb_ratio_subtract(a.exact, b.exact),
                              a.value - b.value);
    }
}

/* Numbers that are equal but for the rounding of their doubles. */
static bool figure_is_equal(struct nb_figure a, struct nb_figure b)
{
    return a.value == b.value || fabs(a.value - b.value) <=
                                     1e-11 * fmax(fabs(a.value), fabs(b.value));
}

static bool reading_compare(struct nb_reading *reading, struct nb_figure a,
                            struct nb_expression *out)
{
    const bool is_at_most = nb_reading_take(reading, "<=");
    const bool is_less = !is_at_most && nb_reading_take(reading, "<");
    const bool is_same =
        !is_at_most && !is_less && nb_reading_take(reading, "=");
    if (!is_at_most && !is_less && !is_same)
        return false;
    reading->operations++;
    out->figure = nb_reading_sum(reading);
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
    struct nb_reading reading = {
        .subject = subject,
        .at = expression.at,
        .end = expression.at + expression.length,
        .numbers = numbers,
        .symbols = symbols,
    };
    *out = (struct nb_expression){ .holds = true };
    out->figure = nb_reading_sum(&reading);
    while (reading_compare(&reading, out->figure, out))
        out->is_comparison = true;
    out->is_plain = reading.operations == 0;
    return !reading.has_failed && reading.at == reading.end;
}
