/* Expression: arithmetic over the numbers of an answer, by their names. */
#ifndef NB_EXPLAIN_EXPRESSION_H
#define NB_EXPLAIN_EXPRESSION_H

#include "explain/formula.h"

/* value is the nearest double of the ratio if that is known; {0, 0}:
 * unknown. */
struct nb_figure {
    double value;
    struct nb_ratio exact;
};

/* Rows of data/formulas.txt for symbols that an expression or words use and
 * that are not quantities, in the order of their first use. */
enum { NB_SYMBOLS = 32 };
struct nb_symbols {
    size_t count;
    struct nb_formula rows[NB_SYMBOLS];
};

struct nb_expression {
    struct nb_figure figure; /* of the last side of a comparison */
    bool holds;              /* whether every comparison is true */
    bool is_plain;           /* just a name or number */
    bool is_comparison;
};

/*
 * Evaluates an expression, or the comparison "a < b <= c = d".
 *
 *     numbers, + - * / ^, brackets, min(a, b, ...), max, sqrt, exp, ln, ceil,
 *     floor
 *     load                    a quantity, else a symbol's row, else an option
 *     load.lower, load.upper  the ends of a quantity
 *     option.load             (with "_" for "-"), option.topology.k: a key of
 *                             the specification
 *     note.paths[2]           the second number in a note (or in an option)
 *     table.column            of a table with one row
 *     table.column[key = e]   of the first row whose column key is e
 *     table.column[n]         of the n-th row
 *     least(e), largest(e), total(e), count(table)
 *                             over the rows of the table that e names first;
 *                             "e where table.key = f" selects some of them
 *
 * A column of ratios with an unknown ratio means the midpoint of the columns
 * lower and upper.
 *
 * numbers  the expression with numbers instead of names, appended; or NULL
 * symbols  the symbols it uses, added; or NULL
 *
 * Returns false if it is not an expression, or names something that the answer
 * does not have.
 */
bool nb_expression_find(const struct nb_subject *subject,
                        struct nb_stretch expression, struct nb_text *numbers,
                        struct nb_symbols *symbols, struct nb_expression *out);

/* Prints a number to appear among others: ratios and negative ones in
 * brackets. */
void nb_figure_print(struct nb_figure figure, struct nb_text *text);

/* Adds the symbols used in words, if they have rows; omits those whose "is"
 * names something that the answer does not have. */
void nb_symbols_of_words(const struct nb_subject *subject,
                         struct nb_stretch words, struct nb_symbols *symbols);

#endif
