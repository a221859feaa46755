/* Typeset: formulas of data/formulas.txt as MathML within text. */
#ifndef NB_EXPORT_TYPESET_H
#define NB_EXPORT_TYPESET_H

#include "export/view.h"

/*
 * Adds a formula to an element: text, with <math> for the arithmetic in it,
 * recognised only by its notation. "min over channels c of b_c / gamma_c, at
 * most b_t" has an operator with "channels c" beneath it, a fraction and
 * subscripts; what reads as words stays unchanged.
 *
 *     a b, a * b           products; a / b with blanks is a fraction of the
 *                          product before it and the one factor behind it
 *     a^b, a_b             superscripts, and subscripts of one or two letters
 *     sqrt(a), ceil(a), floor(a)
 *     sum_i a, sum over i of a, the same for prod, min and max
 *     f(a), E[a], { a }    the brackets may contain words
 *     rho, pi, ...         Greek letters
 *
 * A word counts as a number's name if it has one letter, contains "_" or a
 * digit, is followed by a bracket, or is a single word next to an operator; it
 * does not if other words follow or precede it.
 */
void nb_typeset(const char *formula, xmlNodePtr parent);

#endif
