/* Sets: numbers 0, 1, .. joined into disjoint sets. */
#ifndef NB_CORE_SETS_H
#define NB_CORE_SETS_H

#include <stddef.h>
#include <stdint.h>

/* Makes every number a set of its own. parent: out, [count]; a set is
 * identified by its smallest member. */
void nb_sets_init(uint32_t *parent, size_t count);

/* The smallest member of a number's set; shortens the chain of parents. */
uint32_t nb_sets_find(uint32_t *parent, uint32_t number);

/* Joins the sets of two numbers. */
void nb_sets_join(uint32_t *parent, uint32_t one, uint32_t other);

#endif
