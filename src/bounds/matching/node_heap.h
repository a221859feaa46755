/* Node heap: nodes of a search for shortest paths, nearest first; among equally
 * near ones, fewest hops first. */
#ifndef NB_BOUNDS_NODE_HEAP_H
#define NB_BOUNDS_NODE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The arrays belong to the search. */
struct nb_node_heap {
    const int64_t *distance; /* [node] */
    const uint32_t *hops;    /* [node] */
    uint32_t *node;          /* [count] */
    uint32_t *place;         /* [node] in the heap; unchanged outside it */
    uint32_t count;
};

static inline bool nb_node_is_nearer(const struct nb_node_heap *heap,
                                     uint32_t a, uint32_t b)
{
    if (heap->distance[a] != heap->distance[b])
        return heap->distance[a] < heap->distance[b];
    return heap->hops[a] < heap->hops[b];
}

/* Moves a node up from its place after it came nearer or was added at the
 * end. */
static inline void nb_node_heap_raise(struct nb_node_heap *heap, uint32_t node,
                                      uint32_t hole)
{
    while (hole > 0) {
        const uint32_t above = (hole - 1) / 2, parent = heap->node[above];
        if (!nb_node_is_nearer(heap, node, parent))
            break;
        heap->node[hole] = parent;
        heap->place[parent] = hole;
        hole = above;
    }
    heap->node[hole] = node;
    heap->place[node] = hole;
}

/* Removes the nearest node, whose place is left as it is; the heap is not
 * empty. */
static inline uint32_t nb_node_heap_pop(struct nb_node_heap *heap)
{
    uint32_t *node = heap->node;
    const uint32_t nearest = node[0], count = --heap->count;
    const uint32_t last = node[count];
    uint32_t hole = 0;
    while (2 * (size_t)hole + 1 < count) {
        uint32_t child = 2 * hole + 1;
        if (child + 1 < count &&
            nb_node_is_nearer(heap, node[child + 1], node[child]))
            child++;
        if (!nb_node_is_nearer(heap, node[child], last))
            break;
        node[hole] = node[child];
        heap->place[node[hole]] = hole;
        hole = child;
    }
    node[hole] = last;
    heap->place[last] = hole;
    return nearest;
}

#endif
