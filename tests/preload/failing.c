/*
 * For LD_PRELOAD: makes allocations of a whole program fail, including its
 * libraries and the processes that it forks.
 *
 * FAIL_AT     the number of the allocation that fails, from 1
 * FAIL_ON     set: all later ones fail, too
 * FAIL_COUNT  descriptor to which the number of allocations is written at the
 *             end, the number of blocks never freed, and:
 * FAIL_SITES  number of innermost calls that identify a site: the numbers of
 *             each site's first and last allocation
 * FAIL_LOCALE set: newlocale fails, too
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <locale.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The C library's own. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

enum { CALLS = 64, SITES = 1 << 16 };

/* Shared with forked processes. */
static struct failing_shared {
    atomic_long count;
    struct failing_site {
        atomic_ulong calls; /* their hash; 0: none */
        atomic_long first, last;
    } sites[SITES];
} * failing;
static atomic_long failing_blocks; /* of this process */
static long failing_at;
static bool failing_on;
static int failing_calls;
static _Thread_local bool failing_is_inside; /* of backtrace */

__attribute__((constructor)) static void failing_begin(void)
{
    const char *at = getenv("FAIL_AT");
    failing_at = at != NULL ? strtol(at, NULL, 10) : 0;
    failing_on = getenv("FAIL_ON") != NULL;
    const char *calls = getenv("FAIL_SITES");
    void *shared = mmap(NULL, sizeof *failing, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
    void *frames[1];
    backtrace(frames, 1); /* its first call allocates */
    failing_calls = calls != NULL ? (int)strtol(calls, NULL, 10) : 0;
    failing = shared;
}

__attribute__((destructor)) static void failing_end(void)
{
    const char *descriptor = getenv("FAIL_COUNT");
    if (descriptor == NULL)
        return;
    const int out = (int)strtol(descriptor, NULL, 10);
    dprintf(out, "%ld\n%ld\n", atomic_load(&failing->count),
            atomic_load(&failing_blocks));
    for (int i = 0; i < SITES; i++)
        if (failing->sites[i].calls != 0)
            dprintf(out, "%ld\n%ld\n", atomic_load(&failing->sites[i].first),
                    atomic_load(&failing->sites[i].last));
}

/* Records the site of an allocation. */
static void failing_note(long number)
{
    void *frames[CALLS];
    failing_is_inside = true;
    const int own = 2; /* this one, malloc */
    const int count = backtrace(frames, failing_calls + own);
    failing_is_inside = false;
    unsigned long calls = 1;
    for (int i = own; i < count; i++)
        calls = (calls ^ (uintptr_t)frames[i]) * 0x9e3779b97f4a7c15;
    struct failing_site *site;
    for (unsigned long at = calls >> 32;; at++) {
        unsigned long none = 0;
        site = &failing->sites[at % SITES];
        if (atomic_compare_exchange_strong(&site->calls, &none, calls))
            site->first = number;
        if (none == 0 || none == calls)
            break;
    }
    site->last = number;
}

/* Counts from the constructor on. */
static bool failing_fails(void)
{
    if (failing == NULL || failing_is_inside)
        return false;
    const long number = atomic_fetch_add(&failing->count, 1) + 1;
    if (failing_calls > 0)
        failing_note(number);
    const bool fails = failing_at > 0 && (number == failing_at ||
                                          (failing_on && number > failing_at));
    if (fails)
        errno = ENOMEM;
    return fails;
}

static void *failing_new(void *block)
{
    if (block != NULL)
        atomic_fetch_add(&failing_blocks, 1);
    return block;
}

void *malloc(size_t size)
{
    return failing_fails() ? NULL : failing_new(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return failing_fails() ? NULL : failing_new(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
    void *larger = failing_fails() ? NULL : __libc_realloc(block, size);
    return block == NULL ? failing_new(larger) : larger;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return failing_fails() ? NULL
                           : failing_new(__libc_memalign(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = aligned_alloc(alignment, size);
    return *block != NULL ? 0 : ENOMEM;
}

locale_t newlocale(int mask, const char *name, locale_t base)
{
    locale_t (*real)(int mask, const char *name, locale_t base);
    *(void **)&real = dlsym(RTLD_NEXT, "newlocale");
    return getenv("FAIL_LOCALE") != NULL ? NULL : real(mask, name, base);
}

void free(void *block)
{
    if (block != NULL)
        atomic_fetch_sub(&failing_blocks, 1);
    __libc_free(block);
}
