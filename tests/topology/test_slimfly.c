/* Slim Flies: McKay-Miller-Siran graphs of every order, compared with their
 * definition, search, and the loads of the network built. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/fit_checks.h"
#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "load/channel_loads.h"
#include "topology/fit.h"
#include "topology/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* q, degree, routers; among them the Hoffman-Singleton graph (q = 5) and the
 * network of 10830 terminals (q = 19) of [BestaHoefler2014]. */
static const uint32_t shapes[][3] = {
    { 3, 5, 18 },     { 4, 6, 32 },     { 5, 7, 50 },     { 7, 11, 98 },
    { 8, 12, 128 },   { 9, 13, 162 },   { 11, 17, 242 },  { 13, 19, 338 },
    { 16, 24, 512 },  { 17, 25, 578 },  { 19, 29, 722 },  { 23, 35, 1058 },
    { 25, 37, 1250 }, { 27, 41, 1458 }, { 29, 43, 1682 }, { 31, 47, 1922 },
    { 32, 48, 2048 },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void slimfly_must_build(uint32_t q, struct nb_topology *topology)
{
    char name[32];
    snprintf(name, sizeof name, "slimfly:%u", q);
    topology_must_build(name, topology);
}

/* Whether every router is within two hops of this one. */
static bool slimfly_is_near(const struct nb_topology *topology, uint32_t target,
                            uint32_t *scratch)
{
    uint32_t *queue = scratch + topology->router_count;
    nb_distances_to(topology, target, scratch, queue);
    return scratch[queue[topology->router_count - 1]] == 2;
}

static void test_shapes(void **state)
{
    (void)state;
    static uint32_t scratch[2 * 2048];
    for (size_t i = 0; i < SHAPES; i++) {
        const uint32_t q = shapes[i][0], degree = shapes[i][1];
        struct nb_topology topology = { 0 };
        slimfly_must_build(q, &topology);
        assert_int_equal(topology.router_count, shapes[i][2]);
        assert_int_equal(topology.channel_count, shapes[i][2] * degree);
        assert_int_equal(topology.terminal_count,
                         shapes[i][2] * ((degree + 1) / 2));
        assert_true(topology.targets_ascend);
        const uint32_t step = q < 20 ? 1 : q / 2; /* all, or a few of each */
        for (uint32_t r = 0; r < topology.router_count; r++) {
            assert_int_equal(topology.out_start[r + 1] - topology.out_start[r],
                             degree);
            if (r % step == 0)
                TOPOLOGY_CHECK(slimfly_is_near(&topology, r, scratch),
                               "q = %u: router %u", q, r);
        }
        nb_topology_release(&topology);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Networks over prime fields: the generators of both sides. */
static const struct {
    uint32_t q;
    const char *sets[2];
} primes[] = {
    { 3, { "12", "12" } },
    { 5, { "14", "23" } }, /* [BestaHoefler2014] */
    { 7, { "1256", "1346" } },
    { 13, { "1349ac", "25678b" } }, /* squares, and non-squares */
};

/* Every pair of routers by the definition, modulo q. */
static void slimfly_check_pair(size_t row, uint32_t a, uint32_t b,
                               bool is_joined)
{
    const uint32_t q = primes[row].q;
    const uint32_t side = a / (q * q), other = b / (q * q);
    const uint32_t x = a / q % q, y = a % q, m = b / q % q, c = b % q;
    const char digit[2] = { "0123456789abc"[(y + q - c) % q], '\0' };
    bool expected;
    if (side == other)
        expected = x == m && strstr(primes[row].sets[side], digit) != NULL;
    else if (side == 0)
        expected = y == (m * x + c) % q;
    else
        expected = c == (x * m + y) % q;
    TOPOLOGY_CHECK(expected == is_joined, "q = %u: %u to %u", q, a, b);
}

static void test_definition(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++) {
        struct nb_topology topology = { 0 };
        slimfly_must_build(primes[i].q, &topology);
        for (uint32_t a = 0; a < topology.router_count; a++) {
            uint32_t c = topology.out_start[a];
            for (uint32_t b = 0; b < topology.router_count; b++) {
                const bool is_joined = c < topology.out_start[a + 1] &&
                                       topology.channels[c].target == b;
                slimfly_check_pair(i, a, b, is_joined);
                c += is_joined;
            }
        }
        nb_topology_release(&topology);
    }
}

/* Generators are automorphisms and join the routers of each side; where 4
 * divides q - 1 (and for q = 3, 4), of both sides. */
static void slimfly_check_symmetry(uint32_t q)
{
    struct nb_topology topology = { 0 };
    slimfly_must_build(q, &topology);
    const size_t routers = topology.router_count;
    uint32_t *map = nb_new_array(routers, sizeof *map);
    bool *is_reached = nb_new_array(routers, sizeof *is_reached);
    assert_true(map != NULL && is_reached != NULL);
    size_t count = is_reached[0] = true;
    for (size_t before = 0; before < count;) {
        const bool is_first = before == 0;
        before = count;
        for (size_t g = 0; topology.kind->symmetry(&topology, g, map); g++) {
            TOPOLOGY_CHECK(
                !is_first || topology_same_channels(&topology, &topology, map),
                "q = %u: generator %zu", q, g);
            for (size_t r = 0; r < routers; r++)
                if (is_reached[r] && !is_reached[map[r]]) {
                    is_reached[map[r]] = true;
                    count++;
                }
        }
    }
    const bool joins_sides = q % 4 == 1 || q < 5;
    TOPOLOGY_CHECK(count == (joins_sides ? routers : routers / 2),
                   "q = %u: orbit of %zu", q, count);
    nb_delete(map);
    nb_delete(is_reached);
    nb_topology_release(&topology);
}

static void test_symmetry(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES && shapes[i][0] < 20; i++)
        slimfly_check_symmetry(shapes[i][0]);
}

static void slimfly_find_throughput(const struct nb_topology *topology,
                                    struct nb_ratio *out)
{
    struct nb_routing routing = { 0 };
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads loads = { 0 };
    assert_int_equal(nb_routing_build("min", topology, &routing, NULL), NB_OK);
    assert_int_equal(
        nb_traffic_build("uniform", topology, false, &traffic, NULL), NB_OK);
    assert_int_equal(
        nb_channel_loads_find(&routing, &traffic, NULL, &loads, NULL), NB_OK);
    *out = loads.throughput.exact;
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
    nb_routing_release(&routing);
}

/* Fits agree with the networks built: the one of q among those of its number of
 * terminals, and the largest for its number of ports. */
static void slimfly_check_fit(const uint32_t *shape)
{
    const uint32_t q = shape[0], degree = shape[1], routers = shape[2];
    const uint32_t p = (degree + 1) / 2;
    const struct nb_fit_demand least = { .terminals = (uint64_t)routers * p,
                                         .radix = 1000 };
    const struct nb_fit_demand largest = { .radix = degree + p };
    size_t index = 0;
    struct nb_fit fit, same;
    struct nb_topology topology = { 0 };
    struct nb_ratio channels;
    slimfly_must_build(q, &topology);
    do
        assert_true(fit_find("slimfly", &least, index++, &fit));
    while (fit.routers != routers);
    assert_true(fit_find("slimfly", &largest, 0, &same));
    assert_string_equal(fit.specification, same.specification);
    assert_false(fit_find("slimfly", &largest, 1, &same));
    assert_int_equal(atoi(fit.specification + strlen("slimfly:")), q);
    assert_int_equal(fit.terminals, topology.terminal_count);
    assert_int_equal(fit.routers, topology.router_count);
    assert_int_equal(2 * (fit.local_links + fit.global_links),
                     topology.channel_count);
    assert_int_equal(2 * fit.global_links, fit_global_channels(&topology));
    assert_int_equal(fit.radix, degree + p);
    assert_int_equal(fit.diameter, 2);
    slimfly_find_throughput(&topology, &channels);
    ratio_must_equal(topology.kind->capacity(&topology).value, channels,
                     fit.specification);
    ratio_must_equal(
        fit.capacity,
        nb_ratio_compare(channels, nb_ratio_one) < 0 ? channels : nb_ratio_one,
        fit.specification);
    nb_topology_release(&topology);
}

static void test_fit(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++)
        slimfly_check_fit(shapes[i]);
}

/* One demand: for every q the fewest terminals per router that suffice, no more
 * than the channels of a router. */
static void slimfly_check_demand(uint64_t terminals, uint32_t radix)
{
    const struct nb_fit_demand demand = { terminals, radix };
    struct nb_fit fit;
    size_t index = 0;
    for (size_t i = 0; i < SHAPES; i++) {
        const uint64_t p = (terminals + shapes[i][2] - 1) / shapes[i][2];
        char name[NB_FIT_TEXT];
        if (p > shapes[i][1] || shapes[i][1] + p > radix)
            continue;
        snprintf(name, sizeof name,
                 p == (shapes[i][1] + 1) / 2 ? "slimfly:%u" : "slimfly:%u,p=%u",
                 shapes[i][0], (unsigned)p);
        assert_true(fit_find("slimfly", &demand, index++, &fit));
        assert_string_equal(fit.specification, name);
        assert_true(fit.terminals >= terminals && fit.radix <= radix);
    }
    assert_false(fit_find("slimfly", &demand, index, &fit));
}

static void test_fit_demands(void **state)
{
    (void)state;
    static const struct {
        uint32_t radix;
        const char *specification; /* the largest; NULL: none */
    } largest[] = {
        { 44, "slimfly:19" }, { 52, "slimfly:19" },   { 53, "slimfly:23" },
        { 8, "slimfly:3" },   { 1000, "slimfly:32" }, { 7, NULL },
        { 0, NULL },
    };
    for (size_t i = 0; i < sizeof largest / sizeof *largest; i++) {
        const struct nb_fit_demand demand = { 0, largest[i].radix };
        struct nb_fit fit = { .specification = "none" };
        const bool found = fit_find("slimfly", &demand, 0, &fit);
        assert_int_equal(found, largest[i].specification != NULL);
        if (found)
            assert_string_equal(fit.specification, largest[i].specification);
    }
    for (uint32_t radix = 5; radix < 120; radix += 3)
        for (uint64_t terminals = 1; terminals < 200000;
             terminals = terminals * 7 / 4 + 1)
            slimfly_check_demand(terminals, radix);
}

static void test_terminals(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build("slimfly:q=4,p=9,bandwidth=1/2", &topology);
    assert_int_equal(topology.terminal_count, 32 * 9);
    ratio_must_equal(topology.terminal_bandwidth, nb_ratio_one, "terminals");
    ratio_must_equal(topology.channels[7].bandwidth, (struct nb_ratio){ 1, 2 },
                     "channels");
    nb_topology_release(&topology);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const texts[] = { "q = 6", "3, 4, 5, 7, 8, 9, 11, 13",
                                         "29, 31, 32)", NULL };
    topology_must_refuse("slimfly:6", NB_INVALID, texts);
    topology_must_refuse(
        "slimfly:2", NB_INVALID,
        (const char *const[]){ "\"2\"", "from 3 to 32", NULL });
    topology_must_refuse(
        "slimfly:33", NB_INVALID,
        (const char *const[]){ "\"33\"", "from 3 to 32", NULL });
    topology_must_refuse("slimfly:5,terminals=2", NB_INVALID,
                         (const char *const[]){ "terminals", "p", NULL });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),      cmocka_unit_test(test_definition),
        cmocka_unit_test(test_symmetry),    cmocka_unit_test(test_fit),
        cmocka_unit_test(test_fit_demands), cmocka_unit_test(test_terminals),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
