/* A point of a report as bytes (core/pack.h). */
#ifndef NB_REPORT_POINT_PACK_H
#define NB_REPORT_POINT_PACK_H

#include "core/pack.h"
#include "report/report.h"

void nb_point_pack(const struct nb_point *point, struct nb_text *out);

/* Reads a packed point; the caller releases it, also after a failure. Errors:
 * NB_INVALID if it is incomplete; NB_NO_MEMORY. */
enum nb_status nb_point_unpack(struct nb_packed *in, struct nb_point *out,
                               struct nb_error *err);

#endif
