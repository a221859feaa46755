/* The rules of lian, written out once more from [Benito2020, section 6.2]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "core/random.h"
#include "routing/intermediates.h"

#include <math.h>
#include <stdlib.h>

enum { CYCLES = 60, WINDOW = 20, MOST_GROUPS = 33, MOST_ROUTERS = 264 };

/* What the sources of all routers sent to each group: packets that left in each
 * cycle, and packets in the queues. */
struct history {
    uint32_t left[CYCLES][MOST_ROUTERS][MOST_GROUPS];
    uint32_t stands[MOST_ROUTERS][MOST_GROUPS];
};

/* Equation 6-1. */
static double offered(const struct history *history, size_t cycle,
                      double weight, size_t router, size_t group)
{
    const size_t first = cycle >= WINDOW ? cycle - WINDOW + 1 : 0;
    double sum = weight * history->stands[router][group];
    for (size_t c = first; c <= cycle; c++)
        sum += history->left[c][router][group];
    return sum;
}

/* How many packets a window needs the local channel to the router k on, in the
 * intermediate group. Of the packets to the group k h + m on, h - m of h
 * intermediate groups need k and the others k + 1. */
static double local_load(const double *by_offset, int h, int k)
{
    double sum = 0;
    for (int offset = 1; offset <= 2 * h * h; offset++) {
        const int m = offset % h;
        if (offset / h == k)
            sum += by_offset[offset] * (h - m) / h;
        if (offset / h + 1 == k)
            sum += by_offset[offset] * m / h;
    }
    return sum;
}

struct rule {
    int h, groups;
    double weight, local, saturated;
};

static size_t expected_set(const struct problem *problem,
                           const struct rule *rule,
                           const struct history *history, size_t cycle,
                           uint32_t source, uint32_t destination)
{
    const struct nb_topology *topology = &problem->topology;
    const uint32_t *group = topology->groups.of;
    const int count = (int)topology->groups.count, h = rule->h;
    double of[MOST_GROUPS], by_offset[MOST_GROUPS];
    int full = 0;
    if (group[source] == group[destination])
        return 3;
    for (int g = 0; g < count; g++)
        of[g] = offered(history, cycle, rule->weight, source, (size_t)g);
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *at = &topology->channels[c];
        full += at->source == source && group[at->target] != group[source] &&
                of[group[at->target]] > rule->saturated;
    }
    /* The nearer side: up to h^2 groups on, or back. */
    const int to = (int)group[destination] - (int)group[source];
    const int side = (to + count) % count <= h * h ? 1 : -1;
    for (int offset = 1; offset < count; offset++)
        by_offset[offset] =
            of[((int)group[source] + side * offset + count) % count];
    const int on = (side * to + count) % count, k = on / h;
    const bool is_full =
        (k > 0 && local_load(by_offset, h, k) > rule->local) ||
        (on % h > 0 && local_load(by_offset, h, k + 1) > rule->local);
    return (full > rule->groups ? 1u : 0u) | (is_full ? 2u : 0u);
}

static struct nb_way stays(const void *network, nb_route_state state,
                           uint32_t router, uint32_t destination)
{
    (void)network, (void)router, (void)destination;
    return (struct nb_way){ .channel = NB_NONE, .next = state };
}

/* [flit] By how much a detour must be better, when all queues are empty. */
static double threshold_of(const struct problem *problem,
                           const struct nb_view *view, uint32_t source,
                           uint32_t destination)
{
    const struct nb_routing *routing = &problem->routing;
    struct nb_start starts[8];
    double detour = NAN, straight = NAN;
    assert_true(routing->most_starts <= 8);
    const size_t count = nb_route_starts(routing, source, destination, starts);
    for (size_t i = 0; i < count; i++) {
        const struct nb_candidate candidate = {
            .start = &starts[i],
            .index = i,
            .state =
                nb_route_begin(routing, &starts[i], 0, source, destination),
        };
        const double cost =
            (double)(int64_t)(routing->kind->cost(routing, view, source,
                                                  destination, &candidate) -
                              (UINT64_C(1) << 62));
        *(starts[i].intermediates > 0 ? &detour : &straight) = cost;
    }
    assert_true(straight == 0);
    return detour;
}

/* Packets of random sources to random groups, and their sets and thresholds in
 * each cycle, by Table 6-1: benign below 3 packets, adversarial from 5 on. */
static void follows_the_rules(const char *network, const char *scheme,
                              const struct rule *rule, uint64_t seed)
{
    struct problem problem;
    struct nb_random random;
    struct history *history = calloc(1, sizeof *history);
    assert_non_null(history);
    problem_open(&problem, network, scheme);
    const struct nb_routing *routing = &problem.routing;
    const struct nb_topology *topology = &problem.topology;
    const uint32_t *group = topology->groups.of;
    const uint64_t routers = topology->router_count;
    struct nb_view view = { .memory = calloc(1, routing->kind->memory(routing)),
                            .way = stays };
    size_t seen[4] = { 0 };
    assert_non_null(view.memory);
    assert_true(routing->kind->is_asked_again);
    nb_random_init(&random, seed, 0);
    for (size_t cycle = 0; cycle < CYCLES; cycle++) {
        const uint32_t source = (uint32_t)nb_random_below(&random, routers);
        const uint32_t middle = (uint32_t)nb_random_below(&random, routers);
        for (size_t i = 0; i < 4 * (size_t)rule->h; i++) {
            /* Mostly to neighbouring groups, so that counts grow. */
            const uint32_t to =
                (middle + (uint32_t)nb_random_below(&random, routers / 3 + 1)) %
                (uint32_t)routers;
            routing->kind->came(routing, &view, source, to);
            if (nb_random_below(&random, 3) == 0) {
                history->stands[source][group[to]]++;
                continue;
            }
            routing->kind->left(routing, &view, source, to, cycle);
            history->left[cycle][source][group[to]]++;
        }
        for (uint32_t to = 0; to < routers; to++) {
            const size_t set =
                routing->kind->set(routing, &view, source, to, 0);
            const double here =
                offered(history, cycle, rule->weight, source, group[to]);
            const double threshold = group[source] == group[to] ? 0
                                     : here < 3                 ? 150
                                     : here < 5                 ? -30
                                                                : -150;
            TOPOLOGY_CHECK(
                set == expected_set(&problem, rule, history, cycle, source, to),
                "%s, seed %d, cycle %zu: %u to %u from set %zu", scheme,
                (int)seed, cycle, source, to, set);
            TOPOLOGY_CHECK(threshold_of(&problem, &view, source, to) ==
                               threshold,
                           "%s, seed %d, cycle %zu: %u to %u, not %g", scheme,
                           (int)seed, cycle, source, to, threshold);
            seen[set]++;
        }
        routing->kind->observe(routing, &view, cycle);
    }
    for (size_t i = 0; i < 4; i++)
        TOPOLOGY_CHECK(seen[i] > 0, "%s: set %zu was never taken", scheme, i);
    free(view.memory);
    free(history);
    problem_close(&problem);
}

static void test_sets_and_thresholds(void **state)
{
    (void)state;
    static const struct {
        const char *network, *scheme;
        struct rule rule;
    } cases[] = {
        { "dragonfly:h=2",
          "lian:window=20,weight=0.5,local=4,saturated=2,groups=0",
          { 2, 0, 0.5, 4, 2 } },
        { "dragonfly:h=2",
          "lian:window=20,weight=0,local=2.5,saturated=1,groups=1",
          { 2, 1, 0, 2.5, 1 } },
        { "dragonfly:h=3",
          "lian:window=20,weight=0.1,local=4,saturated=1.5,groups=1",
          { 3, 1, 0.1, 4, 1.5 } },
        { "dragonfly:h=4",
          "lian:window=20,weight=0.25,local=4,saturated=1,groups=2",
          { 4, 2, 0.25, 4, 1 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        follows_the_rules(cases[i].network, cases[i].scheme, &cases[i].rule,
                          i + 1);
}

/* Set by set, the hops to an intermediate router: -g-, lg-, -gl, lgl. */
static void test_intermediates(void **state)
{
    (void)state;
    struct problem problem;
    problem_open(&problem, "dragonfly:h=2", "lian:restricted=no");
    const struct nb_routing *routing = &problem.routing;
    const struct nb_topology *topology = &problem.topology;
    const uint32_t *group = topology->groups.of;
    const uint32_t source = 0, destination = 21;
    bool is_next[64] = { 0 }, is_near_group[16] = { 0 }, is_end[64] = { 0 };
    assert_int_equal(routing->sets, 4);
    assert_int_equal(routing->counted, 504);
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *at = &topology->channels[c];
        if (group[at->source] != group[source] ||
            group[at->target] == group[source])
            continue;
        is_end[at->target] = true;
        if (at->source == source) {
            is_next[at->target] = true;
            is_near_group[group[at->target]] = true;
        }
    }
    for (size_t set = 0; set < 4; set++) {
        struct nb_start starts[8];
        size_t found = 0, wanted = 0;
        const size_t count =
            nb_route_starts(routing, source, destination, starts);
        for (uint32_t r = 0; r < topology->router_count; r++)
            wanted += set == 0   ? is_next[r]
                      : set == 1 ? is_end[r]
                      : set == 2 ? is_near_group[group[r]]
                                 : true;
        for (size_t i = 0; i < count; i++) {
            if (starts[i].intermediates == 0 || starts[i].set != set)
                continue;
            for (uint64_t w = 0; w < starts[i].intermediates; w++) {
                const uint32_t at = nb_route_target(
                    routing,
                    nb_route_begin(routing, &starts[i], w, source, destination),
                    source, destination);
                const bool is_permitted = set == 0   ? is_next[at]
                                          : set == 1 ? is_end[at]
                                          : set == 2 ? is_near_group[group[at]]
                                                     : true;
                TOPOLOGY_CHECK(is_permitted, "set %zu: %u", set, at);
                found++;
            }
        }
        TOPOLOGY_CHECK(found == wanted, "set %zu: %zu, not %zu", set, found,
                       wanted);
    }
    problem_close(&problem);
}

/* Only the largest palmtree: not fewer groups, another arrangement, more
 * routers in a group, or networks without groups. */
static void test_refusals(void **state)
{
    (void)state;
    static const char *const refused[] = {
        "dragonfly:h=2,groups=8", "dragonfly:h=2,a=5,groups=11",
        "dragonfly:h=2,arrangement=consecutive", "torus:3x3"
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct nb_topology topology = { 0 };
        struct nb_routing routing = { 0 };
        struct nb_error err = { 0 };
        TOPOLOGY_CHECK(nb_topology_build(refused[i], &topology, &err) == NB_OK,
                       "%s: %s", refused[i], err.message);
        TOPOLOGY_CHECK(nb_routing_build("lian", &topology, &routing, NULL) ==
                           NB_INVALID,
                       "%s", refused[i]);
        nb_routing_release(&routing);
        nb_topology_release(&topology);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets_and_thresholds),
        cmocka_unit_test(test_intermediates),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
