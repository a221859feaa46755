/* Order: a numbering that every dependency ascends, or a cycle. */
#ifndef NB_DEADLOCK_ORDER_H
#define NB_DEADLOCK_ORDER_H

#include "deadlock/dependencies.h"

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_order {
    bool is_free;
    uint32_t *number; /* [vertex_count] for an acyclic graph: from 1, each as
                       * small as possible, 0 without dependencies; else NULL */
    uint32_t longest; /* vertices of the longest chain, at least 1 */
    size_t length;    /* that of a shortest cycle */
    uint32_t *cycle;  /* [length] its vertices: each waits for the next one, the
                       * last for the first; NULL if there is no cycle */
};

NB_INTERNAL_BEGIN

/*
 * Numbers the vertices or finds a shortest cycle; among equals, the one with
 * the least vertex.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_order_find(const struct nb_dependencies *dependencies,
                             struct nb_order *out, struct nb_error *err);
/* The same without the cycle, which takes longer to find than the numbers. */
enum nb_status nb_order_number(const struct nb_dependencies *dependencies,
                               struct nb_order *out, struct nb_error *err);
void nb_order_release(struct nb_order *order);

/* Whether every vertex that has dependencies has a number that is one more than
 * the greatest of those that lead to it, and all others have 0. If not, sets
 * vertex to one that violates this. If so, all dependencies ascend, and the
 * greatest number is the length of the longest chain. Errors: NB_NO_MEMORY. */
enum nb_status nb_order_check(const struct nb_dependencies *dependencies,
                              const uint32_t *number, bool *holds,
                              uint32_t *vertex, struct nb_error *err);

/* The dependencies between channels, as if there were only one class.
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_dependencies_merge(const struct nb_dependencies *dependencies,
                                     struct nb_dependencies *out,
                                     struct nb_error *err);

NB_INTERNAL_END

#endif
