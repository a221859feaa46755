/* Plain formula: the arithmetic of data/formulas.txt evaluated anew, in
 * doubles, by cutting its text at the operator that binds loosest. */
#ifndef NB_TESTS_SUPPORT_PLAIN_FORMULA_H
#define NB_TESTS_SUPPORT_PLAIN_FORMULA_H

#include "explain/formula.h"

/* Names what could not be read; NULL if everything could. */
struct plain_formula {
    const char *complaint;
    double value; /* of the last side, if it is a comparison */
    bool is_comparison, holds;
};

/* Comparisons are true to 9 digits. */
struct plain_formula plain_formula_read(const struct nb_subject *subject,
                                        struct nb_stretch text);

#endif
