/* Principal: the one or two quantities that stand for a report in a list. */
#ifndef NB_EXPORT_PRINCIPAL_H
#define NB_EXPORT_PRINCIPAL_H

#include "export/view.h"

/*
 * Adds <principal> elements: the first quantity that the report shows, then
 * where the network saturates, or else the next one.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_principal_add(const struct nb_report *report,
                                xmlNodePtr parent, struct nb_error *err);

#endif
