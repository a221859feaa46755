/* Dependencies: what waits for what, and whether anything waits for itself in
 * the end. */
#ifndef NB_TESTS_SUPPORT_DEPENDENCIES_H
#define NB_TESTS_SUPPORT_DEPENDENCIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nodes 0 .. count - 1 and arcs between them. */
struct dependencies {
    size_t count;
    bool *arc; /* [from * count + to] */
};

/* Fails the test if memory is short. */
void dependencies_open(struct dependencies *graph, size_t count);
void dependencies_close(struct dependencies *graph);
void dependencies_add(struct dependencies *graph, size_t from, size_t to);

/* Between consecutive nodes. */
void dependencies_add_path(struct dependencies *graph, const uint32_t *node,
                           size_t length);

/* Whether a graph would have no cycle with those of a path in addition; it
 * stays as it is. */
bool dependencies_accept(const struct dependencies *graph, const uint32_t *node,
                         size_t length);

/* By removing nodes that wait for no remaining node, until there are none.
 * last: out, a node that is left; may be NULL. */
bool dependencies_are_acyclic(const struct dependencies *graph, size_t *last);

#endif
