/* The routing of least mean latency against closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/cases.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "queueing/assignment.h"

#include <math.h>
#include <stdio.h>

static struct nb_assignment assignment_at(const char *network,
                                          const char *pattern,
                                          struct nb_mean_delay delay,
                                          struct nb_enclosure rate)
{
    struct nb_topology topology;
    struct nb_traffic traffic;
    struct nb_assignment found;
    struct nb_error error = { 0 };
    topology_must_build(network, &topology);
    assert_int_equal(
        nb_traffic_build(pattern, &topology, false, &traffic, &error), NB_OK);
    assert_int_equal(nb_assignment_find(&topology, &traffic, delay, rate, NULL,
                                        &found, &error),
                     NB_OK);
    nb_traffic_release(&traffic);
    nb_topology_release(&topology);
    return found;
}

static struct nb_assignment assignment_of(const char *network,
                                          const char *pattern,
                                          struct nb_mean_delay delay,
                                          double rate)
{
    return assignment_at(network, pattern, delay, nb_enclosure_of_double(rate));
}

static void assignment_expect(const struct nb_assignment *found,
                              double expected, const char *what)
{
    const struct nb_bracket latency = found->latency;
    TOPOLOGY_CHECK(latency.lower <= expected * (1 + 1e-12) &&
                       latency.upper >= expected * (1 - 1e-12) &&
                       latency.upper - latency.lower <= 1e-9 * expected,
                   "%s: [%.17g, %.17g], not %.17g", what, latency.lower,
                   latency.upper, expected);
}

/* On a ring of 8, tornado's 3 hops one way or 5 the other, at a total rate of
 * 0.4: the minimum over the division, by a search in 50 digits. */
static void test_tornado_ring(void **state)
{
    (void)state;
    static const struct {
        struct nb_mean_delay delay;
        double share, latency; /* on the 3 hops */
        const char *what;
    } cases[] = {
        { { 1, 0.5 }, 0.25931629212562716 / 0.4, 11.047446463794225, "singh" },
        { { 1, 0 },
          0.25875602007762415 / 0.4,
          9.1950362466324699,
          "pollaczek-khinchine" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_assignment found =
            assignment_of("ring:8", "tornado", cases[i].delay, 0.4);
        assignment_expect(&found, cases[i].latency, cases[i].what);
        assert_int_equal(found.path_count, 16);
        for (size_t p = 0; p < found.path_count; p++) {
            const double share =
                found.path[p].length == 3 ? cases[i].share : 1 - cases[i].share;
            TOPOLOGY_CHECK(fabs(found.path[p].share - share) < 1e-6,
                           "%s: share %.17g", cases[i].what,
                           found.path[p].share);
        }
        nb_assignment_release(&found);
        nb_assignment_release(&found);
    }
}

/* Two routers that send everything to each other over parallel channels of
 * bandwidth 1 and 2. With the wide one at rho = 1/2, equal marginal latencies
 * require of the other 1/(1-rho)^2 - 1 = (4 - 1)/2, so rho = 1 - sqrt(2/5); the
 * rate is the sum that both then carry. */
static void test_parallel_channels(void **state)
{
    (void)state;
    const double narrow = 1 - sqrt(0.4), rate = narrow + 1;
    const double expected =
        (narrow * (1 + narrow / (2 * (1 - narrow))) + 1 * (1 + 0.5 / 2)) / rate;
    struct nb_topology topology;
    struct nb_traffic traffic = { 0 };
    struct nb_assignment found;
    topology_must_build_file("a b 1\na b 2\n", ".txt", "", &topology);
    for (int seed = 1; traffic.demand_count != 2 ||
                       traffic.demands[0].source == traffic.demands[0].target;
         seed++) {
        char pattern[64];
        snprintf(pattern, sizeof pattern, "random-permutation:seed=%d", seed);
        nb_traffic_release(&traffic);
        assert_int_equal(
            nb_traffic_build(pattern, &topology, false, &traffic, NULL), NB_OK);
    }
    assert_int_equal(
        nb_assignment_find(&topology, &traffic, nb_delay_pollaczek_khinchine,
                           nb_enclosure_of_double(rate), NULL, &found, NULL),
        NB_OK);
    assignment_expect(&found, expected, "parallel channels");
    for (size_t c = 0; c < found.channel_count; c++) {
        const bool is_wide = topology.channels[c].bandwidth.numerator == 2;
        const double load = (is_wide ? 1 : narrow) / rate;
        assert_true(fabs(found.load[c].upper - load) < 1e-6);
    }
    nb_assignment_release(&found);
    nb_traffic_release(&traffic);
    nb_topology_release(&topology);
}

/* Uniform traffic on a torus loads all channels equally at best, since shortest
 * paths can: rate 0.9 of capacity, 4 hops, M/D/1. */
static void test_uniform_torus(void **state)
{
    (void)state;
    struct nb_assignment found = assignment_of(
        "torus:8x8", "uniform", nb_delay_pollaczek_khinchine, 0.9);
    assignment_expect(&found, 4 * (1 + 0.9 / (2 * (1 - 0.9))), "uniform");
    nb_assignment_release(&found);
}

static void test_rate_zero(void **state)
{
    (void)state;
    struct nb_assignment found =
        assignment_of("mesh:3x3", "transpose", nb_delay_singh, 0);
    /* Of 9 routers 3 send to themselves, 4 over 2 hops, 2 over 4: 16/9. */
    assignment_expect(&found, 16.0 / 9 * 1.5, "no rate");
    assert_true(found.zero_load.lower <= 16.0 / 9 * 1.5 &&
                found.zero_load.upper >= 16.0 / 9 * 1.5);
    nb_assignment_release(&found);
}

/* If no routing can carry the rate there is a proof; if one just can, there is
 * no claim that it cannot. */
static void test_saturation(void **state)
{
    (void)state;
    static const struct {
        const char *network, *pattern;
        double rate;
    } cases[] = {
        { "ring:4", "uniform", 2.01 },
        { "ring:8", "tornado", 0.54 }, /* 8/15 */
        { "torus:4x4", "uniform", 50 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_assignment found =
            assignment_of(cases[i].network, cases[i].pattern,
                          nb_delay_pollaczek_khinchine, cases[i].rate);
        assert_true(isinf(found.latency.lower) && isinf(found.latency.upper));
        nb_assignment_release(&found);
    }
    struct nb_assignment found =
        assignment_of("ring:8", "tornado", nb_delay_pollaczek_khinchine, 0.53);
    assert_true(isfinite(found.latency.upper));
    assert_true(found.latency.upper - found.latency.lower <
                1e-9 * found.latency.upper);
    nb_assignment_release(&found);
    found =
        assignment_of("ring:4", "uniform", nb_delay_pollaczek_khinchine, 1.999);
    assignment_expect(&found, 1 + 0.9995 / (2 * (1 - 0.9995)), "nearly full");
    nb_assignment_release(&found);
}

/* At exactly the rate that saturates the limiting channels there is a proof, at
 * the next rate below none. Half of the traffic of half the nodes crosses a
 * middle, over that many channels; with tornado on a ring of 8, x over 3 hops
 * and 1 - x over 5 fill both directions at x = 5/8, where 1 = rate 15/8:
 * lengths 5 and 3. */
static void test_exact_saturation(void **state)
{
    (void)state;
    static const struct {
        const char *network, *pattern;
        struct nb_ratio rate;
    } cases[] = {
        { "ring:4", "uniform", { 2, 1 } },
        { "torus:8x8", "uniform", { 1, 1 } },
        { "hypercube:4", "uniform", { 2, 1 } },
        { "mesh:4x4", "uniform", { 1, 1 } },
        { "mesh:3x6", "uniform", { 2, 3 } },
        { "ring:8", "tornado", { 8, 15 } },
        { "torus:8x8", "tornado", { 8, 15 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!nb_cases_have(i, 2))
            continue;
        struct nb_enclosure rate = nb_enclosure_of_ratio(cases[i].rate);
        struct nb_assignment found =
            assignment_at(cases[i].network, cases[i].pattern,
                          nb_delay_pollaczek_khinchine, rate);
        TOPOLOGY_CHECK(isinf(found.latency.lower), "%s %s: from %.17g",
                       cases[i].network, cases[i].pattern, found.latency.lower);
        nb_assignment_release(&found);
        rate.exact = (struct nb_ratio){ cases[i].rate.numerator * 100000000 - 1,
                                        cases[i].rate.denominator * 100000000 };
        nb_ratio_bracket(rate.exact, &rate.lower, &rate.upper);
        found = assignment_at(cases[i].network, cases[i].pattern,
                              nb_delay_pollaczek_khinchine, rate);
        TOPOLOGY_CHECK(isfinite(found.latency.lower), "%s %s: proof below",
                       cases[i].network, cases[i].pattern);
        nb_assignment_release(&found);
    }
}

/* This close to saturation, rounding keeps the bracket from its target width;
 * the rounds still end, with the least upper end found: 2 hops, M/D/1. */
static void test_stalled_rounds(void **state)
{
    (void)state;
    const double rho = 0.9995;
    struct nb_assignment found = assignment_of(
        "torus:4x4", "uniform", nb_delay_pollaczek_khinchine, 2 * rho);
    const double expected = 2 * (1 + rho / (2 * (1 - rho)));
    double hops = 0;
    TOPOLOGY_CHECK(found.latency.lower <= expected &&
                       found.latency.upper >= expected * (1 - 1e-15) &&
                       found.latency.upper - found.latency.lower <
                           1e-7 * expected,
                   "[%.17g, %.17g]", found.latency.lower, found.latency.upper);
    TOPOLOGY_CHECK(found.rounds <= 100, "%zu rounds", found.rounds);
    /* Loads, hops, wait and paths are of the round with that upper end. */
    assert_true(fabs(found.hops.upper + found.wait.upper -
                     found.latency.upper) <= 1e-14 * expected);
    for (size_t p = 0; p < found.path_count; p++)
        hops += found.path[p].share * (double)found.path[p].length / 256;
    TOPOLOGY_CHECK(fabs(hops - found.hops.upper) < 1e-12, "%.17g hops", hops);
    for (size_t c = 0; c < found.channel_count; c++)
        hops -= found.load[c].lower / 16;
    TOPOLOGY_CHECK(fabs(hops) < 1e-12, "%.17g hops too few", hops);
    nb_assignment_release(&found);
}

/* Paths over the other dimension, empty in the end, do not keep the bracket of
 * a torus wide; each of its rows is a ring. */
static void test_tornado_torus(void **state)
{
    (void)state;
    static const double rates[] = { 0.5, 0.52, 0.53 };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        struct nb_assignment ring = assignment_of(
            "ring:8", "tornado", nb_delay_pollaczek_khinchine, rates[i]);
        struct nb_assignment torus = assignment_of(
            "torus:8x8", "tornado", nb_delay_pollaczek_khinchine, rates[i]);
        assignment_expect(&torus, ring.latency.upper, "torus");
        nb_assignment_release(&ring);
        nb_assignment_release(&torus);
    }
}

static void test_monotone_in_rate(void **state)
{
    (void)state;
    double last = 0;
    for (int i = 0; i <= 19; i++) {
        struct nb_assignment found = assignment_of(
            "torus:4x4", "transpose", nb_delay_pollaczek_khinchine, 0.1 * i);
        TOPOLOGY_CHECK(found.latency.lower <= found.latency.upper &&
                           found.latency.upper >= last,
                       "rate %g: [%.17g, %.17g] after %.17g", 0.1 * i,
                       found.latency.lower, found.latency.upper, last);
        last = found.latency.lower;
        nb_assignment_release(&found);
    }
}

static void test_failing_memory(void **state)
{
    (void)state;
    struct nb_topology topology;
    struct nb_traffic traffic;
    topology_must_build("ring:4", &topology);
    assert_int_equal(
        nb_traffic_build("uniform", &topology, false, &traffic, NULL), NB_OK);
    const long blocks = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    long allowed = 0;
    for (; status == NB_NO_MEMORY; allowed++) {
        struct nb_assignment found;
        nb_memory_allow(allowed);
        status =
            nb_assignment_find(&topology, &traffic, nb_delay_singh,
                               nb_enclosure_of_double(1.5), NULL, &found, NULL);
        nb_memory_allow(-1);
        nb_assignment_release(&found);
        assert_int_equal(nb_memory_live_blocks(), blocks);
    }
    assert_int_equal(status, NB_OK);
    assert_true(allowed > 20);
    nb_traffic_release(&traffic);
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tornado_ring),
        cmocka_unit_test(test_parallel_channels),
        cmocka_unit_test(test_uniform_torus),
        cmocka_unit_test(test_rate_zero),
        cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_exact_saturation),
        cmocka_unit_test(test_stalled_rounds),
        cmocka_unit_test(test_tornado_torus),
        cmocka_unit_test(test_monotone_in_rate),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
