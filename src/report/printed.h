/* Printed: numbers as people read them, in 6 significant digits, and how well
 * they are known. */
#ifndef NB_REPORT_PRINTED_H
#define NB_REPORT_PRINTED_H

#include "report/report.h"

enum { NB_PRINTED = 80 };

void nb_print_number(double value, char out[NB_PRINTED]);

/* The exact ratio, or where the value is known to lie; "" where that would
 * only repeat the value. */
void nb_print_certainty(const struct nb_quantity *quantity,
                        char out[NB_PRINTED]);

/* The value, with its interval where six digits do not tell it. */
void nb_print_swept(const struct nb_quantity *quantity,
                    char out[NB_PRINTED + NB_NUMBER_TEXT]);

#endif
