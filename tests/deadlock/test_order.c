/* Numberings, shortest cycles and merged classes of random graphs, compared
 * with plain definitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "core/memory.h"
#include "core/random.h"
#include "deadlock/order.h"

enum { MOST = 12, GRAPHS = 2000, FAR = 1000 };

/* A graph as a matrix, and as the structure tested. */
struct drawn {
    uint64_t seed;
    size_t count;
    bool arc[MOST][MOST];
    size_t first[MOST + 1];
    uint32_t to[MOST * MOST];
    struct nb_dependencies graph;
};

/* Graphs of all densities; every other one has only arcs to greater vertices in
 * a random order, so that it has no cycle. */
static void draw(uint64_t seed, struct drawn *out)
{
    struct nb_random random;
    size_t place[MOST];
    nb_random_init(&random, seed, 0);
    *out = (struct drawn){ .seed = seed,
                           .count = 1 + nb_random_below(&random, MOST) };
    const size_t n = out->count;
    const uint64_t density = nb_random_below(&random, 101);
    for (size_t v = 0; v < n; v++) {
        const size_t other = nb_random_below(&random, v + 1);
        place[v] = place[other];
        place[other] = v;
    }
    for (size_t v = 0; v < n; v++) {
        out->first[v] = out->graph.count;
        for (size_t w = 0; w < n; w++) {
            out->arc[v][w] = (seed % 2 == 0 || place[v] < place[w]) &&
                             nb_random_below(&random, 100 * n) < 2 * density;
            if (out->arc[v][w])
                out->to[out->graph.count++] = (uint32_t)w;
        }
    }
    out->first[n] = out->graph.count;
    out->graph.vertex_count = n;
    out->graph.first = out->first;
    out->graph.to = out->to;
}

/* The vertices of the longest chain that ends in each one, by trying every arc
 * until nothing changes; false if that does not end. */
static bool find_numbers(const struct drawn *drawn, uint32_t *number)
{
    const size_t n = drawn->count;
    for (size_t v = 0; v < n; v++)
        number[v] = 1;
    for (size_t round = 0; round <= n; round++) {
        bool changes = false;
        for (size_t v = 0; v < n; v++)
            for (size_t w = 0; w < n; w++)
                if (drawn->arc[v][w] && number[w] <= number[v]) {
                    number[w] = number[v] + 1;
                    changes = true;
                }
        if (!changes)
            return true;
    }
    return false;
}

static bool is_alone(const struct drawn *drawn, size_t vertex)
{
    for (size_t v = 0; v < drawn->count; v++)
        if (drawn->arc[vertex][v] || drawn->arc[v][vertex])
            return false;
    return true;
}

/* The length of a shortest cycle through each vertex, FAR if there is none: by
 * the shortest of all walks between all vertices. */
static void find_cycles(const struct drawn *drawn, size_t *length)
{
    const size_t n = drawn->count;
    size_t far[MOST][MOST];
    for (size_t v = 0; v < n; v++)
        for (size_t w = 0; w < n; w++)
            far[v][w] = drawn->arc[v][w] ? 1 : FAR;
    for (size_t by = 0; by < n; by++)
        for (size_t v = 0; v < n; v++)
            for (size_t w = 0; w < n; w++)
                if (far[v][by] + far[by][w] < far[v][w])
                    far[v][w] = far[v][by] + far[by][w];
    for (size_t v = 0; v < n; v++)
        length[v] = far[v][v];
}

static void check_cycle(const struct drawn *drawn, const struct nb_order *order)
{
    size_t length[MOST], least = 0;
    find_cycles(drawn, length);
    for (size_t v = 1; v < drawn->count; v++)
        least = length[v] < length[least] ? v : least;
    TOPOLOGY_CHECK(order->number == NULL && length[least] < FAR &&
                       order->length == length[least] &&
                       order->cycle[0] == least,
                   "seed %d: %zu from %u, not %zu from %zu", (int)drawn->seed,
                   order->length, order->cycle[0], length[least], least);
    for (size_t i = 0; i < order->length; i++)
        TOPOLOGY_CHECK(
            drawn->arc[order->cycle[i]][order->cycle[(i + 1) % order->length]],
            "seed %d: dependency %zu", (int)drawn->seed, i);
}

static void check_numbers(const struct drawn *drawn,
                          const struct nb_order *order, const uint32_t *number)
{
    uint32_t longest = 0;
    for (size_t v = 0; v < drawn->count; v++) {
        const uint32_t own = is_alone(drawn, v) ? 0 : number[v];
        longest = number[v] > longest ? number[v] : longest;
        TOPOLOGY_CHECK(order->number[v] == own, "seed %d: %u, not %u",
                       (int)drawn->seed, order->number[v], own);
    }
    assert_int_equal(order->longest, longest);
    assert_int_equal(order->length, 0);
    assert_null(order->cycle);
}

static void test_orders(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        struct drawn drawn;
        struct nb_order order, short_order;
        uint32_t number[MOST];
        draw(seed, &drawn);
        const bool is_free = find_numbers(&drawn, number);
        assert_int_equal(nb_order_find(&drawn.graph, &order, NULL), NB_OK);
        assert_int_equal(nb_order_number(&drawn.graph, &short_order, NULL),
                         NB_OK);
        TOPOLOGY_CHECK(order.is_free == is_free &&
                           short_order.is_free == is_free,
                       "seed %d", (int)seed);
        if (is_free) {
            check_numbers(&drawn, &order, number);
            check_numbers(&drawn, &short_order, number);
        } else {
            check_cycle(&drawn, &order);
            assert_true(short_order.number == NULL &&
                        short_order.cycle == NULL);
        }
        nb_order_release(&order);
        nb_order_release(&short_order);
    }
}

/* Whether a number is what the numbers of those that lead to it require. */
static bool holds_at(const struct drawn *drawn, const uint32_t *number,
                     size_t vertex)
{
    uint32_t least = is_alone(drawn, vertex) ? 0 : 1;
    for (size_t v = 0; v < drawn->count; v++)
        if (drawn->arc[v][vertex] && number[v] >= least)
            least = number[v] + 1;
    return number[vertex] == least;
}

/* Right numbers hold; with one changed, a vertex that violates them is named.
 * With a cycle no numbers hold. */
static void test_checks(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        struct drawn drawn;
        uint32_t number[MOST], vertex;
        bool holds;
        draw(seed, &drawn);
        const bool is_free = find_numbers(&drawn, number);
        for (size_t v = 0; v < drawn.count; v++)
            number[v] = is_alone(&drawn, v) ? 0 : number[v];
        for (size_t i = 0; i <= 2 * drawn.count; i++) {
            uint32_t changed[MOST];
            for (size_t v = 0; v < drawn.count; v++)
                changed[v] = number[v];
            if (i > 0)
                changed[(i - 1) / 2] += i % 2 == 0 ? 1 : UINT32_MAX;
            assert_int_equal(
                nb_order_check(&drawn.graph, changed, &holds, &vertex, NULL),
                NB_OK);
            TOPOLOGY_CHECK(holds == (is_free && i == 0) &&
                               (holds || !holds_at(&drawn, changed, vertex)),
                           "seed %d, change %zu: %d at %u", (int)seed, i, holds,
                           vertex);
        }
    }
}

/* The classes of a channel become one vertex. */
static void test_merge(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        struct drawn drawn;
        struct nb_dependencies merged;
        size_t arcs = 0;
        draw(seed, &drawn);
        unsigned count = 1 + (unsigned)(seed / 2 % 4);
        while (drawn.count % count != 0)
            count--;
        const struct nb_vc_classes classes = { .count = count };
        drawn.graph.classes = &classes;
        assert_int_equal(nb_dependencies_merge(&drawn.graph, &merged, NULL),
                         NB_OK);
        assert_int_equal(merged.vertex_count, drawn.count / count);
        for (uint32_t from = 0; from < merged.vertex_count; from++)
            for (uint32_t to = 0; to < merged.vertex_count; to++) {
                bool is_there = false;
                for (unsigned a = 0; a < count * count; a++)
                    is_there |= drawn.arc[from * count + a / count]
                                         [to * count + a % count];
                TOPOLOGY_CHECK(
                    nb_dependencies_have(&merged, from, to) == is_there,
                    "seed %d: %u to %u: %d", (int)seed, from, to, is_there);
                arcs += is_there;
            }
        assert_int_equal(merged.count, arcs);
        nb_dependencies_release(&merged);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_checks),
        cmocka_unit_test(test_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
