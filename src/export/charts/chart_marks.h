/* Marks: where several series have a mark at one place, each has a part. */
#ifndef NB_EXPORT_CHARTS_CHART_MARKS_H
#define NB_EXPORT_CHARTS_CHART_MARKS_H

#include "core/status.h"

#include <libxml/tree.h>
#include <stdbool.h>

/*
 * Parts the marks of a chart that was drawn: marks that would hide each other
 * become slices of a circle, arrows at the upper edge a stack. Marks of a
 * series with more than DENSE are hidden until pointed at, and stay.
 *
 * is_parted  out: whether a mark was
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_marks_part(xmlNodePtr chart, bool *is_parted,
                             struct nb_error *err);

#endif
