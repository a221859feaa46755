#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dependencies.h"

#include "core/memory.h"

#include <string.h>

void dependencies_open(struct dependencies *graph, size_t count)
{
    *graph = (struct dependencies){ .count = count };
    graph->arc = nb_new_array(count * count, sizeof *graph->arc);
    assert_non_null(graph->arc);
}

void dependencies_close(struct dependencies *graph)
{
    nb_delete(graph->arc);
    *graph = (struct dependencies){ 0 };
}

void dependencies_add(struct dependencies *graph, size_t from, size_t to)
{
    assert_true(from < graph->count && to < graph->count);
    graph->arc[from * graph->count + to] = true;
}

void dependencies_add_path(struct dependencies *graph, const uint32_t *node,
                           size_t length)
{
    for (size_t i = 1; i < length; i++)
        dependencies_add(graph, node[i - 1], node[i]);
}

bool dependencies_accept(const struct dependencies *graph, const uint32_t *node,
                         size_t length)
{
    struct dependencies copy;
    dependencies_open(&copy, graph->count);
    memcpy(copy.arc, graph->arc,
           graph->count * graph->count * sizeof *graph->arc);
    dependencies_add_path(&copy, node, length);
    const bool is_free = dependencies_are_acyclic(&copy, NULL);
    dependencies_close(&copy);
    return is_free;
}

bool dependencies_are_acyclic(const struct dependencies *graph, size_t *last)
{
    const size_t n = graph->count;
    size_t *waits = nb_new_array(n, sizeof *waits); /* for how many others */
    size_t *free = nb_new_array(n, sizeof *free);   /* those that wait for
                                                     * none */
    size_t head = 0, tail = 0;
    assert_true(waits != NULL && free != NULL);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            waits[i] += graph->arc[i * n + j];
        if (waits[i] == 0)
            free[tail++] = i;
    }
    while (head < tail) {
        const size_t gone = free[head++];
        for (size_t i = 0; i < n; i++)
            if (graph->arc[i * n + gone] && --waits[i] == 0)
                free[tail++] = i;
    }
    for (size_t i = 0; i < n && last != NULL; i++)
        if (waits[i] > 0)
            *last = i;
    nb_delete(waits);
    nb_delete(free);
    return tail == n;
}
