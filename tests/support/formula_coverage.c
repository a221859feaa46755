#include "formula_coverage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

void formula_coverage_open(struct formula_coverage *coverage)
{
    const char *at = nb_formula_text();
    *coverage = (struct formula_coverage){ 0 };
    while (nb_formula_next(&at, &coverage->rows[coverage->count]))
        assert_true(++coverage->count < FORMULA_ROWS);
}

static size_t coverage_use(struct formula_coverage *coverage,
                           const struct nb_formula *row)
{
    size_t r = 0;
    while (coverage->rows[r].name.at != row->name.at)
        r++;
    coverage->is_used[r] = true;
    return r;
}

/* Adds the symbols of a row's formula, or of its words. */
static void symbols_of_row(const struct nb_subject *subject,
                           const struct nb_formula *row,
                           struct nb_symbols *symbols)
{
    const struct nb_stretch is = nb_formula_field(row, "is", 0);
    struct nb_expression found;
    if (is.at != NULL)
        nb_expression_find(subject, is, NULL, symbols, &found);
    else
        nb_symbols_of_words(subject, nb_formula_field(row, "words", 0),
                            symbols);
}

/* Marks the symbols, and those that they need. */
static void coverage_mark(struct formula_coverage *coverage,
                          const struct nb_subject *subject,
                          struct nb_symbols *symbols)
{
    for (size_t i = 0; i < symbols->count; i++) {
        const struct nb_formula row = symbols->rows[i];
        coverage_use(coverage, &row);
        symbols_of_row(subject, &row, symbols);
    }
    assert_in_range(symbols->count, 0, NB_SYMBOLS - 1);
}

bool formula_coverage_read(struct formula_coverage *coverage,
                           const struct nb_subject *subject,
                           struct nb_stretch expression)
{
    struct nb_symbols symbols = { 0 };
    struct nb_expression found;
    const bool is_read =
        nb_expression_find(subject, expression, NULL, &symbols, &found);
    coverage_mark(coverage, subject, &symbols);
    return is_read;
}

size_t formula_coverage_mark(struct formula_coverage *coverage,
                             const struct nb_subject *subject,
                             const struct nb_formula *row)
{
    struct nb_symbols symbols = { 0 };
    nb_symbols_of_words(subject, nb_formula_field(row, "words", 0), &symbols);
    symbols_of_row(subject, row, &symbols);
    coverage_mark(coverage, subject, &symbols);
    return coverage_use(coverage, row);
}
