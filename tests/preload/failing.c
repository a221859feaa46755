/*
 * For LD_PRELOAD: makes allocations of a whole program fail, of its libraries
 * and of the processes that it forks, too.
 *
 * FAIL_AT     the number of the allocation that fails, from 1
 * FAIL_ON     set: all that follow, too
 * FAIL_COUNT  descriptor to which the number of allocations goes at the end
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The C library's own. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_long *failing_count; /* shared with forked processes */
static long failing_at;
static bool failing_on;

__attribute__((constructor)) static void failing_begin(void)
{
    const char *at = getenv("FAIL_AT");
    failing_at = at != NULL ? strtol(at, NULL, 10) : 0;
    failing_on = getenv("FAIL_ON") != NULL;
    void *shared = mmap(NULL, sizeof *failing_count, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
    failing_count = shared;
}

__attribute__((destructor)) static void failing_end(void)
{
    const char *descriptor = getenv("FAIL_COUNT");
    if (descriptor != NULL)
        dprintf((int)strtol(descriptor, NULL, 10), "%ld",
                atomic_load(failing_count));
}

/* Counts from the constructor on. */
static bool failing_fails(void)
{
    if (failing_count == NULL)
        return false;
    const long number = atomic_fetch_add(failing_count, 1) + 1;
    const bool fails = failing_at > 0 && (number == failing_at ||
                                          (failing_on && number > failing_at));
    if (fails)
        errno = ENOMEM;
    return fails;
}

void *malloc(size_t size)
{
    return failing_fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return failing_fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return failing_fails() ? NULL : __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return failing_fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = failing_fails() ? NULL : __libc_memalign(alignment, size);
    return *block != NULL ? 0 : ENOMEM;
}
