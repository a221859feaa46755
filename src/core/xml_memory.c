#include "core/xml_memory.h"

#include "core/apart.h"
#include "core/locale.h"
#include "core/memory.h"

#include <libxml/parser.h>
#include <libxml/xmlmemory.h>
#include <libxml/xmlschemastypes.h>
#include <malloc.h>
#include <pthread.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The allocator that libxml2 used before; ours calls it. */
static struct {
    xmlFreeFunc free;
    xmlMallocFunc malloc;
    xmlReallocFunc realloc;
    xmlStrdupFunc strdup;
} xml_memory;

static _Thread_local bool xml_has_run_out;
static bool xml_ends_without; /* set while there is one thread */

/* When memory has run out, libxml2 keeps running until it returns, which is
 * soon; validating by a schema it would write through NULL. So it gets blocks
 * from this reserve, which is empty again once all are freed. */
enum { XML_RESERVE = 1 << 21 };
static alignas(max_align_t) char xml_reserve[XML_RESERVE];
static size_t xml_reserve_used, xml_reserve_blocks;
static pthread_mutex_t xml_reserve_lock = PTHREAD_MUTEX_INITIALIZER;

static bool xml_is_reserved(const void *block)
{
    const uintptr_t at = (uintptr_t)block, first = (uintptr_t)xml_reserve;
    return at >= first && at < first + XML_RESERVE;
}

static void *xml_take_reserve(size_t size)
{
    const size_t align = alignof(max_align_t);
    void *block = NULL;
    if (xml_ends_without)
        nb_apart_end_without_memory();
    xml_has_run_out = true;
    pthread_mutex_lock(&xml_reserve_lock);
    if (size < XML_RESERVE && xml_reserve_used + size + align <= XML_RESERVE) {
        block = xml_reserve + xml_reserve_used;
        xml_reserve_used += (size + align) / align * align;
        xml_reserve_blocks++;
    }
    pthread_mutex_unlock(&xml_reserve_lock);
    return block;
}

static void xml_free(void *block)
{
    if (!xml_is_reserved(block)) {
        xml_memory.free(block);
        return;
    }
    pthread_mutex_lock(&xml_reserve_lock);
    if (--xml_reserve_blocks == 0)
        xml_reserve_used = 0;
    pthread_mutex_unlock(&xml_reserve_lock);
}

static void *xml_malloc(size_t size)
{
    void *block = xml_memory.malloc(size);
    return block != NULL ? block : xml_take_reserve(size);
}

/* The number of bytes to copy from a block; for a block in the reserve this may
 * include some that follow it. */
static size_t xml_size(void *block, size_t most)
{
    const size_t size =
        xml_is_reserved(block) ? most : malloc_usable_size(block);
    return size < most ? size : most;
}

static void *xml_realloc(void *block, size_t size)
{
    if (!xml_is_reserved(block)) {
        void *same = xml_memory.realloc(block, size);
        if (same != NULL)
            return same;
        if (xml_memory.realloc != realloc) /* block sizes are unknown */
            return xml_take_reserve(SIZE_MAX);
    }
    void *grown = xml_take_reserve(size);
    if (grown != NULL && block != NULL) {
        memcpy(grown, block, xml_size(block, size));
        xml_free(block);
    }
    return grown;
}

static char *xml_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = xml_malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

/* Once, or again if memory ran out. */
static void xml_prepare(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool is_ready;
    pthread_mutex_lock(&lock);
    if (xml_memory.malloc == NULL) {
        xmlMemGet(&xml_memory.free, &xml_memory.malloc, &xml_memory.realloc,
                  &xml_memory.strdup);
        xmlMemSetup(xml_free, xml_malloc, xml_realloc, xml_strdup);
    }
    if (!is_ready) {
        xmlInitParser();
        xmlSchemaInitTypes();
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
        .locale = nb_locale_enter(),
    };
    xmlSetGenericErrorFunc(NULL, xml_drop);
    xmlSetStructuredErrorFunc(NULL, xml_drop_structured);
    xml_has_run_out = !nb_locale_is_ready();
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
    nb_locale_leave(guard->locale);
    if (xml_has_run_out)
        return nb_fail(err, NB_NO_MEMORY, "no memory for \"%.200s\"", name);
    if (status != NB_OK)
        return nb_fail(err, status, "%s", guard->error.message);
    return NB_OK;
}

void nb_xml_end_without_memory(void)
{
    xml_ends_without = true;
    nb_memory_end_by(nb_apart_end_without_memory);
}
