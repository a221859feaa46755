/* Sorting of numbers, in place ("American flag sort"). */
#ifndef NB_CORE_SORT_FALLING_H
#define NB_CORE_SORT_FALLING_H

#include <stddef.h>
#include <stdint.h>

/*
 * Largest first, by the highest byte that differs and then within values that
 * share it: a few distinct values take two passes. The bits of doubles >= +0,
 * read as whole numbers, sort in the same order.
 *
 * value  [count], >= 0
 */
void nb_sort_falling(int64_t *value, size_t count);

#endif
