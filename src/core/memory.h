/* Memory: the only access to the heap, so that tests can make it fail. */
#ifndef NB_CORE_MEMORY_H
#define NB_CORE_MEMORY_H

#include "core/delete.h"
#include "core/try.h"

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

/* The same as *out_copy, reporting failure as NB_NO_MEMORY with what. */
enum nb_status nb_new_copy(char **out_copy, const char *text, const char *what,
                           struct nb_error *err);

/* Grows *block (owned by the caller) to hold count elements, keeping the old
 * ones; on failure the old block stays valid. */
enum nb_status nb_grow(void *in_out_pointer, size_t count, size_t size,
                       const char *what, struct nb_error *err);

/* Makes room for one more element in an array that grows only this way: it is
 * enlarged when count is zero or a power of two, so no capacity need be
 * kept. */
enum nb_status nb_grow_one(void *in_out_pointer, size_t count, size_t size,
                           const char *what, struct nb_error *err);

/*
 * A zeroed array that lives until the pool is released; NULL when out of
 * memory, like nb_new_array. All later requests of the pool then fail too, so
 * check once after a group. A zero-initialised pool is valid and empty; it is
 * not for several threads at once.
 */
void *nb_pool_array(struct nb_pool *pool, size_t count, size_t size)
    __attribute__((warn_unused_result));

/* Errors: NB_NO_MEMORY with what and size if an allocation of the pool
 * failed. */
enum nb_status nb_pool_check(const struct nb_pool *pool, const char *what,
                             struct nb_error *err);

/* Frees all arrays; the pool is empty again. */
void nb_pool_release(struct nb_pool *pool);

/* nb_grow if count exceeds *capacity, then at least doubling it, so that
 * elements may be added one by one. */
enum nb_status nb_reserve(void *in_out_pointer, size_t *capacity, size_t count,
                          size_t size, const char *what, struct nb_error *err);

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

/* From now on a failed allocation ends the process by calling this function:
 * for code whose result would be silently wrong without the memory. */
void nb_memory_end_by(void (*end)(void));

/* Test hook: the next count allocations succeed, later ones fail;
 * -1 (the start) allows all. */
void nb_memory_allow(long count);

/* Test hook: blocks allocated and not yet deleted. */
long nb_memory_live_blocks(void);

#endif
