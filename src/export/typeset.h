/* Typeset: formulas of data/formulas.txt as MathML among words. */
#ifndef NB_EXPORT_TYPESET_H
#define NB_EXPORT_TYPESET_H

#include "export/view.h"

/*
 * Adds a formula to an element: text, and <math> for what is arithmetic in it,
 * by how it is written alone. "min over channels c of b_c / gamma_c, at most
 * b_t" has an operator with "channels c" beneath it, a fraction and
 * subscripts; what reads as words stays as it is.
 *
 *     a b, a * b           products; a / b with blanks is a fraction of the
 *                          product before it and the one factor behind it
 *     a^b, a_b             superscripts, and subscripts of one or two letters
 *     sqrt(a), ceil(a), floor(a)
 *     sum_i a, sum over i of a, the same of prod, min and max
 *     f(a), E[a], { a }    with words among what stands in brackets
 *     rho, pi, ...         Greek letters
 *
 * A word is taken for a number's name if it has one letter, "_", a digit or a
 * bracket behind it, or stands alone beside an operator; for none if other
 * words follow or come before.
 */
void nb_typeset(const char *formula, xmlNodePtr parent);

#endif
