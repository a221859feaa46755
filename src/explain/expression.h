/* Expression: arithmetic over the numbers of an answer, by their names. */
#ifndef NB_EXPLAIN_EXPRESSION_H
#define NB_EXPLAIN_EXPRESSION_H

#include "explain/formula.h"

/* value is the nearest double where the ratio is known; {0, 0}: it is not. */
struct nb_figure {
    double value;
    struct nb_ratio exact;
};

/* Rows of data/formulas.txt that define what an expression or words use and is
 * no quantity, in the order of their first use. */
enum { NB_SYMBOLS = 32 };
struct nb_symbols {
    size_t count;
    struct nb_formula rows[NB_SYMBOLS];
};

struct nb_expression {
    struct nb_figure figure; /* of its last side, if it compares some */
    bool holds;              /* whether every comparison is true */
    bool is_plain;           /* a name or number alone */
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
 *                             "e where table.key = f" takes some of them
 *
 * A column "load" that does not know a ratio stands for the middle of the
 * columns lower and upper.
 *
 * numbers  the expression with numbers instead of names, appended; or NULL
 * symbols  what it uses, added; or NULL
 *
 * Returns false if this is no expression, or names something that the answer
 * does not have.
 */
bool nb_expression_find(const struct nb_subject *subject,
                        struct nb_stretch expression, struct nb_text *numbers,
                        struct nb_symbols *symbols, struct nb_expression *out);

/* As it stands among other numbers: ratios and negative ones in brackets. */
void nb_figure_print(struct nb_figure figure, struct nb_text *text);

/* Adds the symbols that words use, as far as they have rows; those whose "is"
 * names something that the answer does not have are left out. */
void nb_symbols_of_words(const struct nb_subject *subject,
                         struct nb_stretch words, struct nb_symbols *symbols);

#endif
