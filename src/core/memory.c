#include "core/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The library's only global state besides the store that a program may lend it
 * (core/store.h): the allocation test hook, and the function that ends a
 * process made by nb_run_apart. */
static atomic_long allowed = -1;
static atomic_long live_blocks = 0;
static void (*memory_end)(void);

void nb_memory_end_by(void (*end)(void))
{
    memory_end = end;
}

void nb_memory_allow(long count)
{
    atomic_store(&allowed, count);
}

long nb_memory_live_blocks(void)
{
    return atomic_load(&live_blocks);
}

static int memory_may_allocate(void)
{
    long left = atomic_load(&allowed);
    while (left >= 0) {
        if (left == 0)
            return 0;
        if (atomic_compare_exchange_weak(&allowed, &left, left - 1))
            return 1;
    }
    return 1;
}

void *nb_new_array(size_t count, size_t size)
{
    void *block = NULL;
    if (memory_may_allocate() && (size == 0 || count <= SIZE_MAX / size))
        block = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
    if (block != NULL)
        atomic_fetch_add(&live_blocks, 1);
    else if (memory_end != NULL)
        memory_end();
    return block;
}

static enum nb_status memory_refuse(const char *what, size_t count, size_t size,
                                    struct nb_error *err)
{
    return nb_fail(err, NB_NO_MEMORY, "no memory for %s: %zu x %zu bytes", what,
                   count, size);
}

enum nb_status nb_new(void *out_pointer, size_t count, size_t size,
                      const char *what, struct nb_error *err)
{
    void *block = nb_new_array(count, size);
    if (block == NULL)
        return memory_refuse(what, count, size, err);
    memcpy(out_pointer, &block, sizeof block);
    return NB_OK;
}

char *nb_new_string(const char *text)
{
    const size_t length = strlen(text) + 1;
    char *copy = nb_new_array(length, 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

enum nb_status nb_new_copy(char **out_copy, const char *text, const char *what,
                           struct nb_error *err)
{
    *out_copy = nb_new_string(text);
    if (*out_copy == NULL)
        return nb_fail(err, NB_NO_MEMORY, "no memory for %s", what);
    return NB_OK;
}

enum nb_status nb_grow(void *in_out_pointer, size_t count, size_t size,
                       const char *what, struct nb_error *err)
{
    void *old;
    memcpy(&old, in_out_pointer, sizeof old);
    void *block = NULL;
    if (memory_may_allocate() && (size == 0 || count <= SIZE_MAX / size))
        block = realloc(old, count * size > 0 ? count * size : 1);
    if (block == NULL && memory_end != NULL)
        memory_end();
    if (block == NULL)
        return memory_refuse(what, count, size, err);
    if (old == NULL)
        atomic_fetch_add(&live_blocks, 1);
    memcpy(in_out_pointer, &block, sizeof block);
    return NB_OK;
}

/* Precedes each array of a pool; its size is a multiple of every alignment. */
struct nb_pool_block {
    alignas(max_align_t) struct nb_pool_block *before;
};

void *nb_pool_array(struct nb_pool *pool, size_t count, size_t size)
{
    const size_t head = sizeof(struct nb_pool_block);
    struct nb_pool_block *block = NULL;
    if (pool->is_short)
        return NULL;
    if (size == 0 || count <= (SIZE_MAX - head) / size)
        block = nb_new_array(head + count * size, 1);
    if (block == NULL) {
        pool->is_short = true;
        pool->count = count;
        pool->size = size;
        return NULL;
    }
    block->before = pool->last;
    pool->last = block;
    return block + 1;
}

enum nb_status nb_pool_check(const struct nb_pool *pool, const char *what,
                             struct nb_error *err)
{
    return pool->is_short ? memory_refuse(what, pool->count, pool->size, err)
                          : NB_OK;
}

void nb_pool_release(struct nb_pool *pool)
{
    while (pool->last != NULL) {
        struct nb_pool_block *block = pool->last;
        pool->last = block->before;
        nb_delete(block);
    }
    *pool = (struct nb_pool){ 0 };
}

enum nb_status nb_grow_one(void *in_out_pointer, size_t count, size_t size,
                           const char *what, struct nb_error *err)
{
    if ((count & (count - 1)) != 0) /* neither zero nor a power of two */
        return NB_OK;
    return nb_grow(in_out_pointer, count > 0 ? 2 * count : 1, size, what, err);
}

enum nb_status nb_reserve(void *in_out_pointer, size_t *capacity, size_t count,
                          size_t size, const char *what, struct nb_error *err)
{
    enum { LEAST = 64 };
    if (count <= *capacity)
        return NB_OK;
    const size_t twice = *capacity < LEAST / 2 ? LEAST : 2 * *capacity;
    const size_t wanted = count > twice ? count : twice;
    const enum nb_status status =
        nb_grow(in_out_pointer, wanted, size, what, err);
    if (status == NB_OK)
        *capacity = wanted;
    return status;
}

void nb_delete(void *block)
{
    if (block == NULL)
        return;
    atomic_fetch_sub(&live_blocks, 1);
    free(block);
}

/* The control group's limit in bytes, +inf if there is none. */
static double memory_group_limit(void)
{
    double limit = INFINITY;
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "r");
    if (file == NULL)
        return limit;
    uint64_t value;
    if (fscanf(file, "%" SCNu64, &value) == 1 && value > 0)
        limit = (double)value; /* "max" does not scan: no limit */
    fclose(file);
    return limit;
}

enum nb_status nb_memory_require(double bytes, const char *what,
                                 struct nb_error *err)
{
    double limit =
        (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const double group = memory_group_limit();
    if (group < limit)
        limit = group;
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY &&
        (double)space.rlim_cur < limit)
        limit = (double)space.rlim_cur;
    if (bytes <= limit)
        return NB_OK;
    const double mebibyte = 1024.0 * 1024.0;
    return nb_fail(err, NB_NO_MEMORY,
                   "%s: needs %.0f MiB of memory, permitted here: %.0f MiB",
                   what, bytes / mebibyte, limit / mebibyte);
}
