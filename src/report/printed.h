/* Printed: numbers as people read them, in 6 significant digits, and how well
 * they are known. */
#ifndef NB_REPORT_PRINTED_H
#define NB_REPORT_PRINTED_H

#include "report/report.h"

enum { NB_PRINTED = 80 };

void nb_print_number(double value, char out[NB_PRINTED]);

/* A number of a column: those of bounds (whose names end in lower, or in upper,
 * bound, chernoff) are rounded away from what they bound. */
void nb_print_column(const char *column, double value, char out[NB_PRINTED]);

/* The exact ratio, or where the value is known to lie; "" where that would
 * only repeat the value. */
void nb_print_certainty(const struct nb_quantity *quantity,
                        char out[NB_PRINTED]);

/* The value in six digits, or in as many as it takes to lie within the interval
 * that nb_print_certainty prints beside it. */
void nb_print_value(const struct nb_quantity *quantity, char out[NB_PRINTED]);

/* How far the value that is printed in six digits may be off, "+-0.0026",
 * rounded up; ">= 19" where it has no upper end; as nb_print_certainty where it
 * has no lower one, or the digits that are certain are many. */
void nb_print_spread(const struct nb_quantity *quantity, char out[NB_PRINTED]);

/* The value, with its interval where six digits do not tell it. */
void nb_print_swept(const struct nb_quantity *quantity,
                    char out[NB_PRINTED + NB_NUMBER_TEXT]);

/* Appends the question in one line: the command, its options, its sweeps. */
void nb_question_print(const struct nb_model *model, struct nb_text *text);

/* Appends where in the sweeps a point lies, " at rate 0.1, radix 8"; nothing
 * without sweeps. */
void nb_place_print(const struct nb_point *point, struct nb_text *text);

#endif
