#include "core/xml_memory.h"

#include "core/apart.h"

#include <libxml/parser.h>
#include <libxml/xmlmemory.h>
#include <pthread.h>

/* What libxml2 allocated with before, and still does. */
static struct {
    xmlFreeFunc free;
    xmlMallocFunc malloc;
    xmlReallocFunc realloc;
    xmlStrdupFunc strdup;
} xml_memory;

static _Thread_local bool xml_has_run_out;
static bool xml_ends_without; /* set where there is one thread */

static void *xml_note(void *block)
{
    if (block == NULL && xml_ends_without)
        nb_apart_end_without_memory();
    if (block == NULL)
        xml_has_run_out = true;
    return block;
}

static void *xml_malloc(size_t size)
{
    return xml_note(xml_memory.malloc(size));
}

static void *xml_realloc(void *block, size_t size)
{
    return xml_note(xml_memory.realloc(block, size));
}

static char *xml_strdup(const char *text)
{
    return xml_note(xml_memory.strdup(text));
}

/* Once, but again if there was no memory for it. */
static void xml_prepare(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool is_ready;
    pthread_mutex_lock(&lock);
    if (xml_memory.malloc == NULL) {
        xmlMemGet(&xml_memory.free, &xml_memory.malloc, &xml_memory.realloc,
                  &xml_memory.strdup);
        xmlMemSetup(xml_memory.free, xml_malloc, xml_realloc, xml_strdup);
    }
    if (!is_ready) {
        xmlInitParser();
        is_ready = !xml_has_run_out;
        if (!is_ready)
            xmlCleanupParser();
    }
    pthread_mutex_unlock(&lock);
}

static void xml_drop(void *context, const char *format, ...)
{
    (void)context;
    (void)format;
}

static void xml_drop_structured(void *context, xmlErrorPtr error)
{
    (void)context;
    (void)error;
}

void nb_xml_enter(struct nb_xml_guard *guard)
{
    *guard = (struct nb_xml_guard){
        .generic = xmlGenericError,
        .generic_context = xmlGenericErrorContext,
        .structured = xmlStructuredError,
        .structured_context = xmlStructuredErrorContext,
    };
    xmlSetGenericErrorFunc(NULL, xml_drop);
    xmlSetStructuredErrorFunc(NULL, xml_drop_structured);
    xml_has_run_out = false;
    xml_prepare();
}

bool nb_xml_has_run_out(void)
{
    return xml_has_run_out;
}

enum nb_status nb_xml_leave(struct nb_xml_guard *guard, enum nb_status status,
                            const char *name, struct nb_error *err)
{
    xmlSetGenericErrorFunc(guard->generic_context, guard->generic);
    xmlSetStructuredErrorFunc(guard->structured_context, guard->structured);
    if (xml_has_run_out)
        return nb_fail(err, NB_NO_MEMORY, "no memory for \"%.200s\"", name);
    if (status != NB_OK)
        return nb_fail(err, status, "%s", guard->error.message);
    return NB_OK;
}

void nb_xml_end_without_memory(void)
{
    xml_ends_without = true;
}
