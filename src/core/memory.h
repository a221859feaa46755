/* Memory: the one way to the heap, so that tests can make it fail. */
#ifndef NB_CORE_MEMORY_H
#define NB_CORE_MEMORY_H

#include "core/delete.h"
#include "core/try.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A zeroed array of count elements, or NULL (also when count * size does
 * not fit in size_t). count = 0 gives a valid block. Free: nb_delete.
 */
void *nb_new_array(size_t count, size_t size)
    __attribute__((malloc, warn_unused_result));

/* Like nb_new_array, reporting failure as NB_NO_MEMORY with what and size. */
enum nb_status nb_new(void *out_pointer, size_t count, size_t size,
                      const char *what, struct nb_error *err);

/* A copy of a string, or NULL. Free: nb_delete. */
char *nb_new_string(const char *text)
    __attribute__((malloc, warn_unused_result));

/* Grows *block (owned by the caller) to hold count elements, keeping the
 * old ones; on failure the old block stays valid. */
enum nb_status nb_grow(void *in_out_pointer, size_t count, size_t size,
                       const char *what, struct nb_error *err);

/* Grows *block to hold needed elements, and room for half as many again, if
 * *room, for how many there is, is less. */
enum nb_status nb_reserve(void *in_out_pointer, size_t *room, size_t needed,
                          size_t size, const char *what, struct nb_error *err);

/*
 * Arrays that go together, owned here. Once one could not be had, none is
 * until the release, so that one check stands for all of a list.
 * Zero-initialised is valid and empty; not for several threads at once.
 */
struct nb_pool {
    struct nb_pool_block *last;
    bool is_short;
    size_t count, size; /* of the array that could not be had */
};

/* A zeroed array that lives until the pool is released; NULL, as of
 * nb_new_array, if it could not be had or one before it. */
void *nb_pool_array(struct nb_pool *pool, size_t count, size_t size)
    __attribute__((warn_unused_result));

/* Errors: NB_NO_MEMORY with what and size if an array could not be had. */
enum nb_status nb_pool_check(const struct nb_pool *pool, const char *what,
                             struct nb_error *err);

/* Frees all arrays; the pool is empty again. */
void nb_pool_release(struct nb_pool *pool);

/*
 * Refuses a computation that needs more memory than the machine has, before
 * anything is allocated.
 *
 * bytes  [byte]  what the computation is about to need; a double because a
 *                hopeless size need not fit in size_t
 * what           named in the message, e.g. "channel loads of 10^6 routers"
 *
 * Errors: NB_NO_MEMORY naming the size and the limit (the smaller of physical
 * memory, the control group's limit and the address-space limit).
 */
enum nb_status nb_memory_require(double bytes, const char *what,
                                 struct nb_error *err);

/* Test hook: the next count allocations succeed, later ones fail;
 * -1 (the start) allows all. */
void nb_memory_allow(long count);

/* Test hook: blocks allocated and not yet deleted. */
long nb_memory_live_blocks(void);

#endif
