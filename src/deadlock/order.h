/* Order: a numbering that every dependency ascends, or what goes round. */
#ifndef NB_DEADLOCK_ORDER_H
#define NB_DEADLOCK_ORDER_H

#include "deadlock/dependencies.h"

NB_PUBLIC_BEGIN

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_order {
    bool is_free;
    uint32_t *number; /* [vertex_count] of an acyclic graph: 1 and up, each as
                       * small as can be, 0 without dependencies; else NULL */
    uint32_t longest; /* vertices of the longest chain, at least 1 */
    size_t length;    /* of a shortest cycle */
    uint32_t *cycle;  /* [length] its vertices, each waits for the next one and
                       * the last for the first; NULL if there is none */
};

/*
 * Numbers the vertices or finds a shortest cycle, of these the one with the
 * least vertex.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_order_find(const struct nb_dependencies *dependencies,
                             struct nb_order *out, struct nb_error *err);
/* The same without the cycle, which takes longer than the numbers. */
enum nb_status nb_order_number(const struct nb_dependencies *dependencies,
                               struct nb_order *out, struct nb_error *err);
void nb_order_release(struct nb_order *order);

/* Whether every vertex that has dependencies has a number, one more than the
 * greatest of those that lead to it; others 0. Else sets one that has not.
 * Then all dependencies ascend, and the greatest number is the length of the
 * longest chain. Errors: NB_NO_MEMORY. */
enum nb_status nb_order_check(const struct nb_dependencies *dependencies,
                              const uint32_t *number, bool *holds,
                              uint32_t *vertex, struct nb_error *err);

/* The dependencies of channels, as if there were one class for all.
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_dependencies_merge(const struct nb_dependencies *dependencies,
                                     struct nb_dependencies *out,
                                     struct nb_error *err);

NB_PUBLIC_END

#endif
