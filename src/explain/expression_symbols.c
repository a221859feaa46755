/* Symbols of expressions and words (declared in expression.h and
 * expression_work.h). */
#include "explain/expression_work.h"

#include <ctype.h>
#include <string.h>

void nb_symbols_add(struct nb_symbols *symbols, const struct nb_formula *row)
{
    if (symbols == NULL)
        return;
    for (size_t i = 0; i < symbols->count; i++)
        if (symbols->rows[i].name.at == row->name.at)
            return;
    if (symbols->count < NB_SYMBOLS)
        symbols->rows[symbols->count++] = *row;
}

static bool symbols_is_quantity(const struct nb_point *point,
                                struct nb_stretch name)
{
    for (size_t i = 0; i < point->quantity_count; i++)
        if (nb_stretch_is(name, point->quantities[i].name))
            return true;
    return false;
}

/* A row for any name that fits is that of a quantity. */
static bool symbols_find(const struct nb_subject *subject,
                         struct nb_stretch name, struct nb_formula *row)
{
    struct nb_expression found;
    if (symbols_is_quantity(subject->point, name) ||
        !nb_formula_find(subject, name, row) ||
        memchr(row->name.at, '*', row->name.length) != NULL)
        return false;
    const struct nb_stretch is = nb_formula_field(row, "is", 0);
    return is.at == NULL || nb_expression_find(subject, is, NULL, NULL, &found);
}

void nb_symbols_of_words(const struct nb_subject *subject,
                         struct nb_stretch words, struct nb_symbols *symbols)
{
    struct nb_reading look = { .at = words.at, .end = words.at + words.length };
    while (look.at < look.end) {
        const struct nb_stretch name = nb_reading_word(&look, false);
        struct nb_formula row;
        if (name.length > 0 && isalpha((unsigned char)*name.at) &&
            symbols_find(subject, name, &row))
            nb_symbols_add(symbols, &row);
        look.at += name.length > 0 ? name.length : 1;
    }
}
