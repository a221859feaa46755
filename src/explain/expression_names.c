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

/* As it was written, "1e-15", but like nb_figure_print with brackets where
 * operators beside it would take it apart: 1 / (1/3). */
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

/* A text from which a number is taken: that of brackets or key, or it all. */
static bool names_of_text(struct nb_reading *reading, const char *text,
                          struct nb_stretch key, struct nb_figure *out)
{
    struct nb_stretch index, part = nb_stretch_of(text);
    if (nb_reading_bracket(reading, &index)) {
        const double n = nb_reading_part(reading, index).value;
        if (!(n >= 1 && n < 100) || !names_number(text, (size_t)n, &part))
            return false;
    } else if (key.length > 0 && !names_key(text, key, &part)) {
        return false;
    }
    if (!nb_figure_read(part, out))
        return false;
    if (reading->numbers != NULL)
        names_print(part, reading->numbers);
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
    nb_symbols_add(reading->symbols, row);
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
        const struct nb_table *table = nb_reading_table(point, head);
        const struct nb_stretch column = { dot + 1,
                                           name.length - head.length - 1 };
        if (table != NULL) {
            found = nb_reading_cell(reading, table, column);
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
