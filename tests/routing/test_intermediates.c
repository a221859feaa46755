/* Intermediate routers: the distributions from which they are drawn, and the
 * composition of phases. */
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
#include "routing/intermediates.h"

extern const struct nb_routing_kind nb_routing_val;

/* The probability of an intermediate router over all equal draws, as a
 * fraction; 0 of 1 if none is drawn. */
static struct nb_ratio ways_distribution(const struct nb_routing *routing,
                                         uint32_t source, uint32_t destination,
                                         uint32_t router)
{
    struct nb_ratio sum = nb_ratio_zero;
    if (routing->topology->terminals[router] == 0)
        return nb_ratio_zero;
    if (routing->intermediate == NB_ANYWHERE)
        return nb_ratio_make(1, (nb_int128)routing->endpoint_count);
    for (size_t i = 0; i < routing->sets; i++) {
        struct nb_intermediates set;
        routing->find_intermediates(routing, i, source, destination, &set);
        sum = nb_ratio_add(
            sum, nb_ratio_make((nb_int128)nb_intermediates_times(&set, router),
                               (nb_int128)(set.count * routing->sets)));
    }
    return sum;
}

/* Loads and hops of two phases are the means, over all intermediate routers, of
 * those of the phases. */
static void ways_check_composition(const struct problem *problem,
                                   const char *name)
{
    const struct nb_routing *routing = &problem->routing;
    const size_t n = problem->topology.router_count;
    const size_t m = problem->topology.channel_count;
    if ((routing->intermediate != NB_ANYWHERE &&
         routing->intermediate != NB_IN_SET) ||
        routing->is_progressive)
        return;
    const struct nb_ratio straight = nb_ratio_make(
        (nb_int128)routing->direct, (nb_int128)routing->start_total);
    struct nb_ratio *both = walk_all_pairs(routing, name);
    struct nb_ratio *one = walk_all_pairs(routing->phase, name);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            for (size_t c = 0; c < m && walk_has_pair(routing, i, j); c++) {
                struct nb_ratio sum = nb_ratio_zero;
                for (uint32_t q = 0; q < n; q++)
                    sum = nb_ratio_add(
                        sum, nb_ratio_multiply(
                                 ways_distribution(routing, i, j, q),
                                 nb_ratio_add(one[(i * n + q) * m + c],
                                              one[(q * n + j) * m + c])));
                sum = nb_ratio_add(
                    nb_ratio_multiply(straight, one[(i * n + j) * m + c]),
                    nb_ratio_multiply(nb_ratio_subtract(nb_ratio_one, straight),
                                      sum));
                TOPOLOGY_CHECK(ratio_same(sum, both[(i * n + j) * m + c]),
                               "%s: %u to %u on %zu", name, i, j, c);
            }
    nb_delete(both);
    nb_delete(one);
}

static void test_two_phases_compose(void **state)
{
    (void)state;
    problem_each_example(ways_check_composition);
}

/* Count, index and times of a pair's own set agree, the starts know its count,
 * and all counts divide the common multiple. */
static void ways_check_set(const struct nb_routing *routing, uint32_t source,
                           uint32_t destination, const char *name)
{
    const size_t n = routing->topology->router_count;
    struct nb_intermediates set;
    struct nb_start *starts =
        nb_new_array(routing->most_starts, sizeof *starts);
    uint64_t sum = 0;
    nb_intermediates_find(routing, source, destination, &set);
    TOPOLOGY_CHECK(set.count >= 1 && set.count <= routing->most_intermediates &&
                       routing->intermediate_scale % (int64_t)set.count == 0,
                   "%s: %u to %u has %llu intermediate routers", name, source,
                   destination, (unsigned long long)set.count);
    const size_t count = nb_route_starts(routing, source, destination, starts);
    assert_int_equal(starts[count - 1].intermediates, set.count);
    nb_delete(starts);
    for (uint32_t r = 0; r < n; r++) {
        uint64_t listed = 0;
        for (uint64_t q = 0; q < set.count; q++)
            listed += nb_intermediates_router(&set, q) == r;
        if (routing->topology->terminals[r] == 0) {
            assert_int_equal(listed, 0);
            continue;
        }
        sum += listed;
        for (size_t i = 0; i + 1 < routing->sets; i++) {
            struct nb_intermediates part;
            routing->find_intermediates(routing, i, source, destination, &part);
            TOPOLOGY_CHECK(nb_intermediates_times(&part, r) == 0 || listed > 0,
                           "%s: %u to %u by %u: only set %zu has it", name,
                           source, destination, r, i);
        }
        TOPOLOGY_CHECK(nb_intermediates_times(&set, r) == listed,
                       "%s: %u to %u by %u", name, source, destination, r);
    }
    assert_int_equal(sum, set.count);
}

static void ways_check_sets(const struct problem *problem, const char *name)
{
    const struct nb_routing *routing = &problem->routing;
    const size_t n = problem->topology.router_count;
    for (uint32_t i = 0; i < n && routing->intermediate == NB_IN_SET; i++)
        for (uint32_t j = 0; j < n; j++)
            if (walk_has_pair(routing, i, j))
                ways_check_set(routing, i, j, name);
}

static void test_sets(void **state)
{
    (void)state;
    problem_each_example(ways_check_sets);
}

/* Start states name each router with terminals once, and no other router. */
static void test_anywhere(void **state)
{
    (void)state;
    const char *examples = nb_routing_val.examples;
    char name[TOPOLOGY_WORD];
    while (topology_next_word(&examples, name)) {
        struct problem problem;
        problem_open_example(&problem, name);
        const struct nb_routing *routing = &problem.routing;
        /* On a fat tree, too, the routers with terminals come first. */
        const uint32_t n = routing->intermediate == NB_ANYWHERE
                               ? (uint32_t)routing->endpoint_count
                               : 0;
        for (uint32_t i = 0; i < n; i++) {
            bool is_seen[64] = { false };
            const uint32_t destination = (i + 1) % n;
            struct nb_start start;
            assert_int_equal(nb_route_starts(routing, i, destination, &start),
                             1);
            assert_int_equal(start.intermediates, n);
            for (uint32_t s = 0; s < n; s++) {
                const nb_route_state first =
                    nb_route_begin(routing, &start, s, i, destination);
                uint32_t router =
                    nb_route_target(routing, first, i, destination);
                /* With the source as intermediate router, the first phase is
                 * already over. */
                if (router == destination && is_seen[destination])
                    router = i;
                TOPOLOGY_CHECK(router < n && !is_seen[router], "%s: %u from %u",
                               name, router, i);
                is_seen[router] = true;
            }
        }
        problem_close(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_phases_compose),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
