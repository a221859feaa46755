/* Sorting of numbers, in place ("American flag sort"). */
#ifndef NB_CORE_SORT_FALLING_H
#define NB_CORE_SORT_FALLING_H

#include <stddef.h>
#include <stdint.h>

/*
 * The greatest first, by their highest bytes that differ and then within those
 * that share it: values of few kinds take two passes. Bytes of doubles >= +0
 * are whole numbers of the same order.
 *
 * value  [count], >= 0
 */
void nb_sort_falling(int64_t *value, size_t count);

#endif
