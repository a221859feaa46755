/* Blocks that the library gives to its caller. */
#ifndef NB_CORE_DELETE_H
#define NB_CORE_DELETE_H

#include "core/public.h"

#include <stdbool.h>
#include <stddef.h>

/* Owns the arrays of a struct; only for the library (core/memory.h). */
struct nb_pool {
    struct nb_pool_block *last;
    bool is_short;
    size_t count, size; /* of the array that could not be allocated */
};

NB_INTERNAL_BEGIN

/* Frees a block; NULL is allowed. */
void nb_delete(void *block);

NB_INTERNAL_END

#endif
