/* A small report with every kind of quantity and cell. */
#ifndef NB_TESTS_EXAMPLE_REPORT_H
#define NB_TESTS_EXAMPLE_REPORT_H

#include "report/report.h"

#include <stdbool.h>

/* One point, or the two points of a sweep over the rate. Fills a
 * zero-initialised report; the caller releases it. */
void nb_example_report(struct nb_report *report, bool is_swept);

#endif
