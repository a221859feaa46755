/* Printed: numbers for people, in 6 significant digits, and how well they are
 * known. */
#ifndef NB_REPORT_PRINTED_H
#define NB_REPORT_PRINTED_H

#include "report/report.h"

enum { NB_PRINTED = 80 };

void nb_print_number(double value, char out[NB_PRINTED]);

/* A number of a column: bounds (names that end in lower, or in upper, bound,
 * chernoff) are rounded outward. */
void nb_print_column(const char *column, double value, char out[NB_PRINTED]);

/* The exact ratio, or the interval that contains the value; "" if that would
 * only repeat the value. */
void nb_print_certainty(const struct nb_quantity *quantity,
                        char out[NB_PRINTED]);

/* The value in six digits, or in as many as needed to lie within the interval
 * that nb_print_certainty prints next to it. */
void nb_print_value(const struct nb_quantity *quantity, char out[NB_PRINTED]);

/* How far the value printed in six digits may be off, "+-0.0026", rounded up;
 * ">= 19" if there is no upper end; like nb_print_certainty if there is no
 * lower end, or if many digits are certain. */
void nb_print_spread(const struct nb_quantity *quantity, char out[NB_PRINTED]);

/* The value, with its interval if six digits do not determine it. */
void nb_print_swept(const struct nb_quantity *quantity,
                    char out[NB_PRINTED + NB_NUMBER_TEXT]);

/* Appends the question in one line: the command, its options, its sweeps. */
void nb_question_print(const struct nb_model *model, struct nb_text *text);

/* Appends the place of a point in the sweeps, " at rate 0.1, radix 8"; nothing
 * without sweeps. */
void nb_place_print(const struct nb_point *point, struct nb_text *text);

#endif
