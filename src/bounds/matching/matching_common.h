/* What the integer and the double matching kernel share. */
#ifndef NB_BOUNDS_MATCHING_COMMON_H
#define NB_BOUNDS_MATCHING_COMMON_H

#include "bounds/matching/matching.h"
#include "core/memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* No row, no column, not in the heap. */
static const uint32_t matching_none = UINT32_MAX;

/* The streaming passes also exist in AVX2 code, chosen when the program is
 * loaded; on other machines they are plain C. */
#if defined(__x86_64__) && defined(__ELF__) && defined(__GLIBC__)
#define MATCHING_STREAM __attribute__((target_clones("avx2", "default")))
#else
#define MATCHING_STREAM
#endif

/* n in range, before anything is multiplied by it. */
static inline enum nb_status matching_check_size(size_t n, struct nb_error *err)
{
    if (n >= 1 && n <= nb_matching_size_limit)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "a matching of %zu rows; permitted: 1 .. %zu", n,
                   nb_matching_size_limit);
}

#endif
