/* Bisection: brackets around closed forms and exhaustive search, and divisions
 * that attain the upper bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/graphs.h"
#include "support/ratio_checks.h"
#include "support/topology_checks.h"

#include "bounds/cuts/bisection.h"
#include "core/memory.h"
#include "core/random.h"
#include "topology/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void bisection_must_bracket(const struct nb_topology *topology,
                                   struct nb_bisection *out)
{
    struct nb_capacity capacity = { 0 };
    assert_int_equal(nb_capacity_find(topology, NULL, &capacity, NULL), NB_OK);
    assert_int_equal(nb_bisection_bracket(topology, &capacity, NULL, out, NULL),
                     NB_OK);
}

/* Whether the upper bound is this value. */
static bool bisection_reaches(const struct nb_bisection *bisection,
                              struct nb_ratio value)
{
    double lower, upper;
    nb_ratio_bracket(value, &lower, &upper);
    return bisection->bandwidth.upper == upper;
}

/* The division is in halves, and its cut is the upper bound. */
static void bisection_recount(const struct nb_topology *topology,
                              const struct nb_bisection *bisection,
                              const char *name)
{
    const bool *is_inside = bisection->is_inside;
    struct nb_ratio sum = nb_ratio_zero;
    int64_t imbalance = 0;
    for (size_t r = 0; r < topology->router_count; r++)
        imbalance += is_inside[r] ? topology->terminals[r]
                                  : -(int64_t)topology->terminals[r];
    for (size_t c = 0; c < topology->channel_count; c++)
        if (is_inside[topology->channels[c].source] !=
            is_inside[topology->channels[c].target])
            sum = nb_ratio_add(sum, topology->channels[c].bandwidth);
    TOPOLOGY_CHECK(llabs(imbalance) <= 1, "%s: %lld terminals more", name,
                   (long long)imbalance);
    TOPOLOGY_CHECK(bisection_reaches(bisection, sum), "%s: %g, by count %g",
                   name, bisection->bandwidth.upper, nb_ratio_value(sum));
}

static void bisection_must_hold(const struct nb_topology *topology,
                                struct nb_ratio truth, const char *name)
{
    struct nb_bisection bisection = { 0 };
    double lower, upper;
    bisection_must_bracket(topology, &bisection);
    TOPOLOGY_CHECK(bisection.is_known, "%s", name);
    bisection_recount(topology, &bisection, name);
    nb_ratio_bracket(truth, &lower, &upper);
    TOPOLOGY_CHECK(bisection.bandwidth.lower <= lower &&
                       upper <= bisection.bandwidth.upper,
                   "%s: %g is not in [%g, %g]", name, nb_ratio_value(truth),
                   bisection.bandwidth.lower, bisection.bandwidth.upper);
    if (nb_ratio_is_known(bisection.bandwidth.exact))
        ratio_must_equal(bisection.bandwidth.exact, truth, name);
    nb_bisection_release(&bisection);
}

/* Networks whose bisection is known in closed form, which the search must find.
 * met: uniform traffic of equal rate crosses it, so that the bracket closes. */
static const struct {
    const char *specification;
    bool is_met;
} forms[] = {
    { "torus:8x8", true },
    { "torus:6x4,bandwidth=2/3", true },
    { "torus:9x9", false },
    { "torus:4x5x6", true },
    { "torus:7x3", false },
    { "torus:16x16", true },
    { "mesh:8x8", true },
    { "mesh:5x5", false },
    { "mesh:3x3x3,bandwidth=1/7", false },
    { "hypercube:5", true },
    { "hypercube:8", true },
    { "hypercube:6,terminals=3", true },
    { "ring:31", false },
    { "complete:24", true },
    { "ccc:4", true },
    { "ccc:5", false },
    { "fattree:k=4,n=3", false },
    { "fattree:k=2,n=5", false },
    { "fattree:k=8,n=2", false },
};

static void test_closed_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const char *name = forms[i].specification;
        struct nb_topology topology = { 0 };
        struct nb_bisection bisection = { 0 };
        topology_must_build(name, &topology);
        const struct nb_ratio form =
            nb_ratio_multiply(topology.kind->bisection(&topology).value,
                              topology.channels[0].bandwidth);
        bisection_must_hold(&topology, form, name);
        bisection_must_bracket(&topology, &bisection);
        TOPOLOGY_CHECK(bisection_reaches(&bisection, form), "%s: %g", name,
                       bisection.bandwidth.upper);
        TOPOLOGY_CHECK(nb_ratio_is_known(bisection.bandwidth.exact) ||
                           !forms[i].is_met,
                       "%s: [%g, %g]", name, bisection.bandwidth.lower,
                       bisection.bandwidth.upper);
        nb_bisection_release(&bisection);
        nb_topology_release(&topology);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Whether some routers have half of the terminals, by all sums. */
static bool bisection_has_halves(const struct nb_topology *topology)
{
    uint64_t sums = 1; /* bit s: some routers have s terminals */
    assert_true(topology->terminal_count < 64);
    for (size_t r = 0; r < topology->router_count; r++)
        sums |= sums << topology->terminals[r];
    return sums >> topology->terminal_count / 2 & 1;
}

/* Random networks, one-way channels and mixed bandwidths, against every
 * division; the search seldom misses the best. */
static void test_every_division(void **state)
{
    (void)state;
    size_t known = 0, best = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        char text[8000], name[40];
        struct nb_topology topology = { 0 };
        struct nb_bisection bisection = { 0 };
        struct nb_ratio least;
        snprintf(name, sizeof name, "random graph of seed %u", (unsigned)seed);
        graph_random(seed, 3 + (uint32_t)seed % 12, 1 + (uint32_t)seed % 30,
                     text, sizeof text);
        topology_must_build_file(text, ".graphml", "", &topology);
        bisection_must_bracket(&topology, &bisection);
        TOPOLOGY_CHECK(bisection.is_known == bisection_has_halves(&topology),
                       "%s", name);
        if (bisection.is_known) {
            assert_int_equal(nb_bisection_search(&topology, &least, NULL),
                             NB_OK);
            bisection_must_hold(&topology, least, name);
            known++;
            best += bisection_reaches(&bisection, least);
        }
        nb_bisection_release(&bisection);
        nb_topology_release(&topology);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
    assert_true(known >= 100 && best >= known - known / 20);
}

/* The method for each network's bisection. */
static const struct {
    const char *specification, *method;
    bool is_known;
} ways[] = {
    { "torus:8x8", "closed form", true },
    { "dragonfly:h=1", "every division tried", true },
    { "fattree:k=3,n=2", "", false }, /* 3 leaves of 3 */
    { "torus:5x2x7", "bracket", true },
    { "fattree:k=3,n=3", "", false },
    { "slimfly:5", "bracket", true },
};

static void test_ways(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const char *name = ways[i].specification;
        struct nb_topology topology = { 0 };
        struct nb_capacity capacity = { 0 };
        struct nb_bisection found = { 0 };
        topology_must_build(name, &topology);
        assert_int_equal(nb_capacity_find(&topology, NULL, &capacity, NULL),
                         NB_OK);
        assert_int_equal(
            nb_bisection_find(&topology, &capacity, NULL, &found, NULL), NB_OK);
        assert_int_equal(found.is_known, ways[i].is_known);
        TOPOLOGY_CHECK(!found.is_known || strncmp(found.method, ways[i].method,
                                                  strlen(ways[i].method)) == 0,
                       "%s: %s", name, found.method);
        if (found.is_inside != NULL)
            bisection_recount(&topology, &found, name);
        nb_bisection_release(&found);
        nb_bisection_release(&found);
        nb_topology_release(&topology);
    }
}

/* The Hoffman-Singleton graph, 4 terminals at each of 50 routers: theta = 25/26
 * gives 2 ceil(25/26 * 100 * 100 / 200) = 98; by its second eigenvalue, 2, at
 * least (7 - 2) 50/4 links are cut, so that no division has less than 126. The
 * terminals' own channels, which carry 1, do not count; with fewer terminals
 * theta grows and the bounds stay. */
static void test_hoffman_singleton(void **state)
{
    (void)state;
    static const char *const names[] = { "slimfly:5", "slimfly:5,p=2",
                                         "slimfly:5,p=1" };
    for (size_t i = 0; i < 3; i++) {
        struct nb_topology topology = { 0 };
        struct nb_bisection bisection = { 0 };
        topology_must_build(names[i], &topology);
        bisection_must_bracket(&topology, &bisection);
        bisection_recount(&topology, &bisection, names[i]);
        TOPOLOGY_CHECK(bisection.bandwidth.lower == 98 &&
                           bisection.bandwidth.upper >= 126 &&
                           bisection.bandwidth.upper <= 132,
                       "%s: [%g, %g]", names[i], bisection.bandwidth.lower,
                       bisection.bandwidth.upper);
        nb_bisection_release(&bisection);
        nb_topology_release(&topology);
    }
}

/* Large bandwidths whose common divisor is beyond 64 bits: no rounding to its
 * multiples, still a bracket. */
static void test_no_common_divisor(void **state)
{
    (void)state;
    static const int64_t primes[3] = { 2147483647, 2147483629, 2147483587 };
    struct nb_topology topology = { 0 };
    struct nb_ratio least;
    topology_must_build("mesh:4x3", &topology);
    for (size_t c = 0; c < 3; c++)
        topology.channels[5 * c].bandwidth.denominator = primes[c];
    assert_int_equal(nb_bisection_search(&topology, &least, NULL), NB_OVERFLOW);
    struct nb_bisection bisection = { 0 };
    bisection_must_bracket(&topology, &bisection);
    assert_true(bisection.is_known);
    assert_true(bisection.bandwidth.lower > 0);
    assert_true(bisection.bandwidth.lower <= bisection.bandwidth.upper);
    nb_bisection_release(&bisection);
    nb_topology_release(&topology);
}

/* Too many routers to move any. One half is within 4 hops of router 0: a tree
 * whose leaves are joined at random. The other half is 8 arms, each on a leaf.
 * Only the order by distance from router 0 finds this division. */
static void test_half_around_the_first(void **state)
{
    (void)state;
    enum { TREE = 1 + 8 + 64 + 512 + 4096, LEAVES = 4096, ALL = 2 * TREE };
    static char text[32 * (ALL + LEAVES)];
    const char *const form = "%u,%u\n";
    struct nb_topology topology = { 0 };
    struct nb_bisection found = { 0 };
    struct nb_random random;
    size_t at = 0;
    nb_random_init(&random, 1, 0);
    for (unsigned k = 0; k < ALL; k++) {
        const unsigned number = k * 4001 % ALL; /* one of each, 0 of 0 */
        const unsigned before = k < TREE       ? (k - 1) / 8
                                : k < TREE + 8 ? TREE - 1 - 500 * (k - TREE)
                                               : k - 8;
        if (k > 0)
            at += (size_t)snprintf(text + at, sizeof text - at, form, number,
                                   before * 4001 % ALL);
        if (k < TREE - LEAVES || k >= TREE)
            continue;
        const unsigned step =
            1 + (unsigned)nb_random_below(&random, LEAVES - 1);
        const unsigned other = TREE - 1 - (TREE - 1 - k + step) % LEAVES;
        at += (size_t)snprintf(text + at, sizeof text - at, form, number,
                               other * 4001 % ALL);
    }
    topology_must_build_file(text, ".csv", "", &topology);
    const struct nb_capacity none = { 0 };
    assert_int_equal(nb_bisection_bracket(&topology, &none, NULL, &found, NULL),
                     NB_OK);
    assert_true(bisection_reaches(&found, nb_ratio_make(16, 1)));
    nb_bisection_release(&found);
    nb_topology_release(&topology);
}

/* The same number, even routers and odd ones each joined by 8 random cycles,
 * with a few links between them: the slowest mode distinguishes the halves.
 * Router 0 has many more links. */
static void test_half_of_the_slowest_mode(void **state)
{
    (void)state;
    enum { HALF = 4100, CYCLES = 8, BRIDGES = 8, MORE = 64 };
    static char text[32 * (2 * CYCLES * HALF + BRIDGES + MORE)];
    static uint32_t order[HALF];
    struct nb_topology topology = { 0 };
    struct nb_bisection found = { 0 };
    struct nb_random random;
    size_t at = 0;
    nb_random_init(&random, 1, 0);
    for (unsigned cycle = 0; cycle < 2 * CYCLES; cycle++) {
        nb_random_permutation(&random, HALF, order);
        for (unsigned k = 0; k < HALF; k++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%u,%u\n",
                                   2 * order[k] + cycle % 2,
                                   2 * order[(k + 1) % HALF] + cycle % 2);
    }
    for (unsigned k = 0; k < BRIDGES + MORE; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%u,%u\n",
                               k < BRIDGES ? 2 * order[k] : 0,
                               2 * order[k] + (k < BRIDGES));
    topology_must_build_file(text, ".csv", "", &topology);
    const struct nb_capacity none = { 0 };
    assert_int_equal(nb_bisection_bracket(&topology, &none, NULL, &found, NULL),
                     NB_OK);
    TOPOLOGY_CHECK(bisection_reaches(&found, nb_ratio_make(2 * BRIDGES, 1)),
                   "%g", found.bandwidth.upper);
    nb_bisection_release(&found);
    nb_topology_release(&topology);
}

/* The same for any number of threads. */
static void test_threads(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    struct nb_capacity capacity = { 0 };
    struct nb_bisection found[2] = { { 0 } };
    topology_must_build("slimfly:7,p=1", &topology);
    assert_int_equal(nb_capacity_find(&topology, NULL, &capacity, NULL), NB_OK);
    for (int i = 0; i < 2; i++) {
        const struct nb_run run = { .threads = 1 + 3 * i };
        assert_int_equal(
            nb_bisection_bracket(&topology, &capacity, &run, &found[i], NULL),
            NB_OK);
    }
    assert_memory_equal(found[0].is_inside, found[1].is_inside,
                        topology.router_count);
    nb_bisection_release(&found[0]);
    nb_bisection_release(&found[1]);
    nb_topology_release(&topology);
}

static void test_failing_memory(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    struct nb_capacity capacity = { 0 };
    enum nb_status status = NB_NO_MEMORY;
    topology_must_build("slimfly:3,p=2", &topology);
    assert_int_equal(nb_capacity_find(&topology, NULL, &capacity, NULL), NB_OK);
    const long blocks = nb_memory_live_blocks();
    const struct nb_run run = { .threads = 1 };
    long allowed = 0;
    for (; status == NB_NO_MEMORY && allowed < 1000; allowed++) {
        struct nb_bisection found = { 0 };
        nb_memory_allow(allowed);
        status = nb_bisection_bracket(&topology, &capacity, &run, &found, NULL);
        nb_memory_allow(-1);
        nb_bisection_release(&found);
        assert_int_equal(nb_memory_live_blocks(), blocks);
    }
    assert_int_equal(status, NB_OK);
    assert_true(allowed > 20);
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_every_division),
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_hoffman_singleton),
        cmocka_unit_test(test_no_common_divisor),
        cmocka_unit_test(test_half_around_the_first),
        cmocka_unit_test(test_half_of_the_slowest_mode),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
