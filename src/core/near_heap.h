/* Near heap: items of a shortest-path search, such as routers or channels, the
 * nearest first. */
#ifndef NB_CORE_NEAR_HEAP_H
#define NB_CORE_NEAR_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nb_near {
    double distance;
    uint32_t item;
};

/* The array belongs to the search. */
struct nb_near_heap {
    size_t count;
    struct nb_near *near; /* [count] */
};

/* Among equally near items the lowest comes first, so that the order is
 * fixed. */
static inline bool nb_near_is_before(struct nb_near a, struct nb_near b)
{
    return a.distance < b.distance ||
           (a.distance == b.distance && a.item < b.item);
}

static inline void nb_near_heap_push(struct nb_near_heap *heap,
                                     struct nb_near added)
{
    size_t at = heap->count++;
    while (at > 0 && nb_near_is_before(added, heap->near[(at - 1) / 2])) {
        heap->near[at] = heap->near[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->near[at] = added;
}

/* Removes the nearest; the heap is not empty. */
static inline struct nb_near nb_near_heap_pop(struct nb_near_heap *heap)
{
    const struct nb_near nearest = heap->near[0];
    const struct nb_near last = heap->near[--heap->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count &&
            nb_near_is_before(heap->near[child + 1], heap->near[child]))
            child++;
        if (!nb_near_is_before(heap->near[child], last))
            break;
        heap->near[at] = heap->near[child];
    }
    heap->near[at] = last;
    return nearest;
}

#endif
