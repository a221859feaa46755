/* A point of a report as bytes (core/pack.h). */
#ifndef NB_REPORT_POINT_PACK_H
#define NB_REPORT_POINT_PACK_H

#include "core/pack.h"
#include "report/report.h"

void nb_point_pack(const struct nb_point *point, struct nb_text *out);

/* What was packed; the caller releases the point, after a failure too. Errors:
 * NB_INVALID if there is none, or no memory for it. */
enum nb_status nb_point_unpack(struct nb_packed *in, struct nb_point *out,
                               struct nb_error *err);

#endif
