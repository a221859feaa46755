/* The walker compared with packets followed one by one, on every example,
 * without and with virtual-channel classes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"
#include "../support/walk.h"

#include "core/memory.h"
#include "routing/walker.h"

/* Adds the crossings of all packets that begin at a source to sum. */
static void walker_carry(const struct nb_walker *walker,
                         struct nb_ratio *probability, struct nb_ratio *sum)
{
    for (size_t k = walker->node_count; k-- > 0;) {
        const uint32_t node = walker->order[k];
        const struct nb_walk_node *at = &walker->node[node];
        for (size_t h = at[0].first; h < at[1].first; h++) {
            const struct nb_hop *hop = &walker->hop[h];
            const struct nb_ratio part = nb_ratio_multiply(
                probability[node],
                nb_ratio_make((nb_int128)hop->weight, (nb_int128)at->total));
            sum[hop->channel] = nb_ratio_add(sum[hop->channel], part);
            probability[hop->node] = nb_ratio_add(probability[hop->node], part);
        }
    }
}

/* The crossings of a pair's packets, from the walker's results. */
static void walker_pair(struct nb_walker *walker, uint32_t source,
                        uint32_t destination, struct nb_ratio *sum)
{
    const struct nb_routing *routing = walker->routing;
    assert_int_equal(nb_walker_go(walker, destination, &source, 1, 0, 0, NULL),
                     NB_OK);
    struct nb_ratio *probability =
        nb_new_array(walker->node_count, sizeof *probability);
    assert_non_null(probability);
    for (size_t i = 0; i < walker->node_count; i++)
        probability[i] = nb_ratio_zero;
    for (size_t c = 0; c < routing->topology->channel_count; c++)
        sum[c] = nb_ratio_zero;
    const size_t count =
        nb_route_starts(routing, source, destination, walker->starts);
    for (size_t s = 0; s < count; s++) {
        const struct nb_start *start = &walker->starts[s];
        const uint64_t ways = nb_start_ways(start);
        for (uint64_t q = 0; q < ways; q++) {
            const uint32_t node = nb_walker_find(
                walker, nb_route_begin(routing, start, q, source, destination),
                0, source);
            assert_true(node < walker->node_count);
            probability[node] =
                nb_ratio_add(probability[node],
                             nb_ratio_make((nb_int128)start->weight,
                                           (nb_int128)routing->start_total *
                                               (nb_int128)ways));
        }
    }
    walker_carry(walker, probability, sum);
    nb_delete(probability);
}

static void walker_check(const struct problem *problem, const char *name)
{
    const struct nb_routing *routing = &problem->routing;
    const uint32_t n = (uint32_t)problem->topology.router_count;
    const size_t m = problem->topology.channel_count;
    struct nb_vc_classes classes;
    struct nb_walker walker[2];
    struct nb_ratio *expected = nb_new_array(m, sizeof *expected);
    struct nb_ratio *sum = nb_new_array(m, sizeof *sum);
    struct walk walk;
    if (routing->kind->is_deflecting) {
        nb_delete(expected);
        nb_delete(sum);
        return; /* it has no classes */
    }
    assert_true(expected != NULL && sum != NULL);
    walk_open(&walk, routing, name);
    assert_int_equal(nb_vc_classes_build(routing, &classes, NULL), NB_OK);
    assert_int_equal(nb_walker_init(routing, NULL, &walker[0], NULL), NB_OK);
    assert_int_equal(nb_walker_init(routing, &classes, &walker[1], NULL),
                     NB_OK);
    for (uint32_t pair = 0; pair < n * n; pair += 1 + n / 4) {
        const uint32_t i = pair / n, j = pair % n;
        uint32_t longest;
        if (!walk_has_pair(routing, i, j))
            continue;
        walk_pair(&walk, i, j, expected, &longest);
        for (size_t w = 0; w < 2; w++) {
            walker_pair(&walker[w], i, j, sum);
            assert_int_equal(walker[w].longest, longest);
            /* The walker does not know the shares of packets that may turn. */
            for (size_t c = 0; c < m; c++)
                TOPOLOGY_CHECK(
                    routing->is_progressive
                        ? (sum[c].numerator > 0) == (expected[c].numerator > 0)
                        : ratio_same(sum[c], expected[c]),
                    "%s: %u to %u over %zu: %g, not %g", name, i, j, c,
                    nb_ratio_value(sum[c]), nb_ratio_value(expected[c]));
        }
    }
    nb_walker_release(&walker[0]);
    nb_walker_release(&walker[1]);
    nb_vc_classes_release(&classes);
    walk_close(&walk);
    nb_delete(expected);
    nb_delete(sum);
}

static void test_finds_what_packets_do(void **state)
{
    (void)state;
    problem_each_example(walker_check);
}

/* Each node once, after all that it leads to, and each hop to where its channel
 * leads. */
static void walker_check_order(const struct nb_walker *walker, const char *name)
{
    const struct nb_topology *topology = walker->routing->topology;
    size_t *rank = nb_new_array(walker->node_count, sizeof *rank);
    assert_non_null(rank);
    for (size_t k = 0; k < walker->node_count; k++)
        rank[walker->order[k]] = k + 1;
    for (uint32_t node = 0; node < walker->node_count; node++) {
        const struct nb_walk_node *at = &walker->node[node];
        TOPOLOGY_CHECK(rank[node] > 0 && nb_walker_find(walker, at->state, 0,
                                                        at->router) == node,
                       "%s: node %u", name, node);
        for (size_t h = at[0].first; h < at[1].first; h++) {
            const struct nb_hop *hop = &walker->hop[h];
            assert_true(hop->node < walker->node_count);
            assert_true(rank[hop->node] < rank[node]);
            assert_int_equal(walker->node[hop->node].router,
                             topology->channels[hop->channel].target);
        }
    }
    nb_delete(rank);
}

/* More routers than the initial room, from one of them and from all. */
static void walker_check_large(const struct problem *problem, const char *name)
{
    const uint32_t n = (uint32_t)problem->topology.router_count;
    struct nb_walker walker;
    uint32_t *source = nb_new_array(n, sizeof *source);
    assert_non_null(source);
    for (uint32_t r = 0; r < n; r++)
        source[r] = r;
    assert_int_equal(nb_walker_init(&problem->routing, NULL, &walker, NULL),
                     NB_OK);
    const uint32_t counts[] = { n, 1, n / 2, n };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        assert_int_equal(nb_walker_go(&walker, n - 1 - (uint32_t)i, source,
                                      counts[i], 0, 0, NULL),
                         NB_OK);
        walker_check_order(&walker, name);
        assert_true(counts[i] < n || walker.node_count == n);
    }
    nb_walker_release(&walker);
    nb_delete(source);
}

static void test_large_networks(void **state)
{
    (void)state;
    static const char *const examples[] = { "min@ring:4500", "dor@ring:4500",
                                            "min@hypercube:13",
                                            "min@torus:96x96",
                                            "dor@torus:96x96" };
    problem_each_of(examples, sizeof examples / sizeof *examples,
                    walker_check_large);
}

static void test_failing_memory(void **state)
{
    (void)state;
    struct problem problem;
    enum nb_status status = NB_NO_MEMORY;
    const uint32_t source = 0;
    problem_open(&problem, "dragonfly:h=1", "val");
    const long before = nb_memory_live_blocks();
    for (long allowed = 0; status == NB_NO_MEMORY && allowed < 1000;
         allowed++) {
        struct nb_walker walker;
        nb_memory_allow(allowed);
        status = nb_walker_init(&problem.routing, NULL, &walker, NULL);
        if (status == NB_OK)
            status = nb_walker_go(&walker, 5, &source, 1, 0, 0, NULL);
        nb_memory_allow(-1);
        nb_walker_release(&walker);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_what_packets_do),
        cmocka_unit_test(test_large_networks),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
