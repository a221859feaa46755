/* Memory of libxml2: its NULL may mean "none" or "out of memory", and it writes
 * messages to standard error, and reads and writes numbers by the locale.
 * Between enter and leave, failed allocations are noted, messages suppressed,
 * and the locale is C. */
#ifndef NB_CORE_XML_MEMORY_H
#define NB_CORE_XML_MEMORY_H

#include "core/status.h"

#include <libxml/xmlerror.h>
#include <locale.h>
#include <stdbool.h>

/* The caller's error handlers and locale, restored by nb_xml_leave. */
struct nb_xml_guard {
    struct nb_error error; /* of the calls in between */
    xmlGenericErrorFunc generic;
    void *generic_context;
    xmlStructuredErrorFunc structured;
    void *structured_context;
    locale_t locale; /* the thread's */
};

/* Call before libxml2 in this thread; the first call initialises it. Calls
 * after it put errors in guard->error; end with nb_xml_leave. */
void nb_xml_enter(struct nb_xml_guard *guard);

/* Whether an allocation of libxml2 failed since then, in this thread. */
bool nb_xml_has_run_out(void);

/*
 * Returns status and its message, unless libxml2 ran out of memory.
 *
 * name  what was read or made, for the message
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_xml_leave(struct nb_xml_guard *guard, enum nb_status status,
                            const char *name, struct nb_error *err);

/* From now on a failed allocation, of libxml2 or not, ends the process, which
 * nb_run_apart made. */
void nb_xml_end_without_memory(void);

#endif
