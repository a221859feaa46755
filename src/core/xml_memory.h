/* Memory of libxml2: its NULL means "there is none" and "no memory" alike, and
 * its own complaints go to standard error. Between entering and leaving it,
 * failed allocations are noted and complaints dropped. */
#ifndef NB_CORE_XML_MEMORY_H
#define NB_CORE_XML_MEMORY_H

#include "core/status.h"

#include <libxml/xmlerror.h>
#include <stdbool.h>

/* The caller's handlers of errors, which stand again when it is left. */
struct nb_xml_guard {
    struct nb_error error; /* of what happens in between */
    xmlGenericErrorFunc generic;
    void *generic_context;
    xmlStructuredErrorFunc structured;
    void *structured_context;
};

/* Before libxml2 is called by this thread; prepares it the first time. What is
 * then done gives its errors to guard->error, and ends with nb_xml_leave. */
void nb_xml_enter(struct nb_xml_guard *guard);

/* Whether an allocation of libxml2 failed since then, in this thread. */
bool nb_xml_has_run_out(void);

/*
 * Returns status and its message, unless libxml2 had no memory.
 *
 * name  what was read or made, for the message
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_xml_leave(struct nb_xml_guard *guard, enum nb_status status,
                            const char *name, struct nb_error *err);

/* From now on an allocation that fails, of libxml2 or not, ends the process,
 * which nb_run_apart made. */
void nb_xml_end_without_memory(void);

#endif
