/* Equilibria of adaptive schemes, against closed forms and published ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/cases.h"
#include "../support/simulation.h"
#include "../support/topology_checks.h"

#include "optimum/best_flow.h"
#include "optimum/scheme_paths.h"
#include "queueing/mean_delay.h"
#include "equilibrium/equilibrium.h"

#include <math.h>

struct found {
    double latency, minimal;
    bool is_saturated;
};

/* A network whose equilibria are computed. */
struct asked {
    struct nb_topology topology;
    struct nb_routing routing;
    struct nb_traffic traffic;
    struct nb_equilibrium_net *net;
};

static void ask(const char *network, const char *scheme, const char *pattern,
                enum nb_compared compared, struct asked *out)
{
    struct nb_error err = { 0 };
    const struct nb_equilibrium_question question = {
        .routing = &out->routing,
        .traffic = &out->traffic,
        .compared = compared,
        .delay = nb_delay_singh,
        .flits = 1,
        .seed = 1,
    };
    *out = (struct asked){ 0 };
    const bool is_built =
        nb_topology_build(network, &out->topology, &err) == NB_OK &&
        nb_routing_build(scheme, &out->topology, &out->routing, &err) ==
            NB_OK &&
        nb_traffic_build(pattern, &out->topology, false, &out->traffic, &err) ==
            NB_OK &&
        nb_equilibrium_open(&question, &out->net, &err) == NB_OK;
    TOPOLOGY_CHECK(is_built, "%s %s: %s", network, scheme, err.message);
}

static void answered(struct asked *asked)
{
    nb_equilibrium_close(asked->net);
    nb_traffic_release(&asked->traffic);
    nb_routing_release(&asked->routing);
    nb_topology_release(&asked->topology);
}

static struct found find(const char *network, const char *scheme,
                         const char *pattern, enum nb_compared compared,
                         double rate)
{
    struct asked asked;
    struct nb_equilibrium found = { 0 };
    ask(network, scheme, pattern, compared, &asked);
    assert_int_equal(nb_equilibrium_find(asked.net, rate, NB_OUTSET_FIRST,
                                         false, &found, NULL),
                     NB_OK);
    const struct found out = { found.hops + found.wait, found.minimal,
                               found.is_saturated };
    nb_equilibrium_release(&found);
    answered(&asked);
    return out;
}

/* If every pair has one shortest path, every channel is M/D/1: uniform traffic
 * on a ring of 5 loads all equally, 0.6 rate. */
static void test_without_choice(void **state)
{
    (void)state;
    const double rho = 0.6 * 0.8;
    const double wait = rho / (2 * (1 - rho));
    const struct found found =
        find("ring:5", "min-adaptive", "uniform", NB_COMPARED_POISSON, 0.8);
    TOPOLOGY_CHECK(fabs(found.latency - 1.2 * (1 + wait)) < 1e-6 &&
                       fabs(found.minimal - 1) < 1e-12,
                   "latency %.17g, not %.17g, minimal %.17g", found.latency,
                   1.2 * (1 + wait), found.minimal);
    /* Goal takes the shorter direction with 5/8, whatever the queues. */
    const struct found goal =
        find("ring:8", "goal", "tornado", NB_COMPARED_POISSON, 0.25);
    TOPOLOGY_CHECK(fabs(goal.minimal - 5.0 / 8) < 1e-12, "minimal %.17g",
                   goal.minimal);
}

/* The same with at most one packet of each input and source in a slot: of A
 * arrivals, independent with probabilities p_i, E[A (A - 1)] / (2 (1 - rho))
 * are left, the sum of all p_i p_j over 1 - rho. A channel has one input, of a
 * third of its packets, and the terminals of its router. */
static void test_without_choice_by_inputs(void **state)
{
    (void)state;
    static const struct {
        const char *network;
        double rate, rho, pairs; /* sum of p_i p_j */
    } cases[] = {
        { "ring:5", 0.8, 0.48, 0.16 * 0.32 },
        { "ring:5,terminals=2", 0.4, 0.48, 3 * 0.16 * 0.16 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double rho = cases[i].rho;
        const double wait = cases[i].pairs / (1 - rho) / rho;
        const struct found found =
            find(cases[i].network, "min-adaptive", "uniform",
                 NB_COMPARED_INPUTS, cases[i].rate);
        TOPOLOGY_CHECK(fabs(found.latency - 1.2 * (1 + wait)) < 1e-6,
                       "%s: latency %.17g, not %.17g", cases[i].network,
                       found.latency, 1.2 * (1 + wait));
    }
}

/* A star of 14: what leaves the centre comes from 13 inputs equally, eight of
 * which are distinguished; the other five count as four equal ones, each of
 * 5/52. The sum of all p_i p_j is rho^2 (1 - 8/13^2 - 4 (5/52)^2) / 2. Packets
 * to the centre come from one terminal and do not wait. */
static void test_without_choice_of_many_inputs(void **state)
{
    (void)state;
    const double rho = 0.5;
    const double pairs = rho * rho * (1 - 57.0 / 676) / 2;
    const double wait = pairs / (1 - rho) / rho;
    const struct found found =
        find("clos:down=1x14,up=1", "min-adaptive", "uniform",
             NB_COMPARED_INPUTS, rho * 14 / 13);
    const double expected = 13.0 / 14 * (2 + wait);
    TOPOLOGY_CHECK(fabs(found.latency - expected) < 1e-6,
                   "latency %.17g, not %.17g", found.latency, expected);
}

/* If there are several shortest paths, the wait is a third of that without a
 * choice, 0.65, and near the simulated one. */
static void test_shorter_queues(void **state)
{
    (void)state;
    struct simulation s;
    struct nb_simulation_result result;
    const struct found found =
        find("torus:4x4", "min-adaptive", "uniform", NB_COMPARED_INPUTS, 1);
    simulation_open(&s, "min-adaptive@torus:4x4", "uniform", 1);
    simulation_run(&s, &result);
    TOPOLOGY_CHECK(result.latency.half_width < 0.01 &&
                       fabs(found.latency - result.latency.mean) < 0.05,
                   "latency %.6g, %.6g +- %.6g simulated", found.latency,
                   result.latency.mean, result.latency.half_width);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

/* By means, too, every packet arrives: shortest paths of a torus load all
 * channels equally, with 0.8 at a rate of 1.6, and a hop then waits
 * 1 / (2 (1 - 0.8)) = 2.5 [Singh2005, section 5.4.1]. */
static void test_means_lose_no_packets(void **state)
{
    (void)state;
    const struct found found =
        find("torus:4x4", "min-adaptive", "uniform", NB_COMPARED_MEANS, 1.6);
    TOPOLOGY_CHECK(fabs(found.latency - 2 * (1 + 2.5)) < 1e-9,
                   "latency %.17g, not 7", found.latency);
}

/* Near saturation the rounds still settle: tornado that compares queues waits
 * less than if 5/8 of it, whatever the queues, took the shorter direction. Then
 * all channels would be M/D/1 with 0.96, over 5/8 3 + 3/8 5 hops. */
static void test_settles_near_saturation(void **state)
{
    (void)state;
    const double rate = 0.96 * 8 / 15;
    const double without = 3.75 * (1 + 0.96 / (2 * (1 - 0.96)));
    const struct found found =
        find("ring:8", "cqr", "tornado", NB_COMPARED_INPUTS, rate);
    TOPOLOGY_CHECK(!found.is_saturated && found.latency < without,
                   "latency %.6g, not below %.6g", found.latency, without);
}

/* By means, tornado on a ring of 8 settles where 3 Q(3 x1) = 5 Q(5 x2), Q of
 * [Singh2005, section 5.4.1]: at 0.4 x1 = 4/15; below 2/15 all is minimal. */
static void test_tornado_by_means(void **state)
{
    (void)state;
    const struct found settled =
        find("ring:8", "cqr", "tornado", NB_COMPARED_MEANS, 0.4);
    TOPOLOGY_CHECK(fabs(settled.minimal - 2.0 / 3) < 0.01 * 2 / 3,
                   "minimal %.6g, not 2/3", settled.minimal);
    const struct found minimal =
        find("ring:8", "cqr", "tornado", NB_COMPARED_MEANS, 0.12);
    TOPOLOGY_CHECK(fabs(minimal.minimal - 1) < 1e-9, "minimal %.6g, not 1",
                   minimal.minimal);
}

/* [Singh2005, section 6.1]: on four routers that exchange packets in pairs,
 * half of the packets are minimal near saturation, at rate 2. */
static void test_half_minimal(void **state)
{
    (void)state;
    const struct found near =
        find("complete:4", "ugal", "bit-complement", NB_COMPARED_INPUTS, 1.8);
    TOPOLOGY_CHECK(near.minimal > 0.5 && near.minimal < 0.6 &&
                       !near.is_saturated,
                   "minimal %.6g", near.minimal);
    const struct found beyond =
        find("complete:4", "ugal", "bit-complement", NB_COMPARED_INPUTS, 2.5);
    TOPOLOGY_CHECK(beyond.is_saturated, "2.5 is carried");
}

/* The maximum that all paths of the scheme carry; see scheme_paths.h. */
static double find_bound(const struct asked *asked)
{
    struct nb_scheme_paths paths = { 0 };
    struct nb_path_class class;
    struct nb_best_flow flow = { 0 };
    struct nb_error err = { 0 };
    const struct nb_best_flow_question question = {
        .topology = &asked->topology,
        .traffic = &asked->traffic,
        .path_class = &class,
        .gap = 1e-6,
        .seconds = INFINITY,
    };
    const bool is_found =
        nb_path_class_init_scheme(&asked->routing, &paths, &class, &err) ==
            NB_OK &&
        nb_best_flow_find(&question, NULL, &flow, &err) == NB_OK;
    TOPOLOGY_CHECK(is_found, "bound: %s", err.message);
    const double bound = flow.throughput.upper;
    nb_best_flow_release(&flow);
    nb_scheme_paths_release(&paths);
    return bound;
}

/* On a ring of 8, tornado traffic fills both directions at 8/15 whoever divides
 * it; pairs on four routers at rate 2 [Singh2005, section 6.1]. */
static void test_saturations(void **state)
{
    (void)state;
    static const struct {
        const char *network, *scheme, *pattern;
        double saturation, within;
    } known[] = {
        { "ring:8", "cqr", "tornado", 8.0 / 15, 0.002 },
        { "ring:8", "goal", "tornado", 8.0 / 15, 1e-6 },
        { "ring:8", "ugal", "tornado", 8.0 / 15, 0.005 },
        { "ring:8", "gal", "tornado", 8.0 / 15, 0.02 },
        { "ring:8", "min-adaptive", "tornado", 1.0 / 3, 1e-6 },
        { "complete:4", "ugal", "bit-complement", 2, 0.01 },
        { "torus:4x4", "min-adaptive", "uniform", 2, 1e-6 },
        { "torus:4x4", "ugal", "uniform", 2, 0.005 },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct asked asked;
        if (!nb_cases_have(i, 4))
            continue;
        ask(known[i].network, known[i].scheme, known[i].pattern,
            NB_COMPARED_INPUTS, &asked);
        const struct nb_bracket found =
            nb_equilibrium_saturation(asked.net, find_bound(&asked));
        const double middle = (found.lower + found.upper) / 2;
        TOPOLOGY_CHECK(fabs(middle / known[i].saturation - 1) < known[i].within,
                       "%s %s: %.6g, not %.6g", known[i].network,
                       known[i].scheme, middle, known[i].saturation);
        answered(&asked);
    }
}

/* The same without knowing a bound: the search begins at what all channels
 * carry and comes down to what the paths carry, 1. */
static void test_saturation_is_searched(void **state)
{
    (void)state;
    struct asked asked;
    ask("ring:6", "cqr", "random-permutation", NB_COMPARED_INPUTS, &asked);
    const double bound = find_bound(&asked);
    const struct nb_bracket found =
        nb_equilibrium_saturation(asked.net, INFINITY);
    TOPOLOGY_CHECK(found.lower <= found.upper && found.lower > 0.98 * bound &&
                       found.upper < 1.02 * bound,
                   "%.6g to %.6g, not %.6g", found.lower, found.upper, bound);
    assert_true(fabs(bound - 1) < 1e-6);
    answered(&asked);
}

/* No scheme saturates above what its paths carry. A search that knows only what
 * all channels carry finds nearly that. */
static void test_saturations_below_bounds(void **state)
{
    (void)state;
    static const char *const networks[] = { "ring:6", "mesh:3x3", "complete:5",
                                            "dragonfly:h=1" };
    static const char *const schemes[] = { "min-adaptive", "goal", "cqr", "gal",
                                           "ugal" };
    static const char *const patterns[] = { "uniform", "random-permutation" };
    const size_t count = sizeof networks / sizeof *networks *
                         (sizeof schemes / sizeof *schemes) * 2;
    size_t defined = 0, asked_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct asked asked;
        const char *network = networks[i / 10], *scheme = schemes[i / 2 % 5];
        struct nb_topology topology = { 0 };
        struct nb_routing routing = { 0 };
        const bool is_defined =
            nb_topology_build(network, &topology, NULL) == NB_OK &&
            nb_routing_build(scheme, &topology, &routing, NULL) == NB_OK;
        nb_routing_release(&routing);
        nb_topology_release(&topology);
        if (!is_defined || !nb_cases_have(defined++, 24))
            continue;
        ask(network, scheme, patterns[i % 2], NB_COMPARED_INPUTS, &asked);
        const double bound = find_bound(&asked);
        const struct nb_bracket found =
            nb_equilibrium_saturation(asked.net, INFINITY);
        TOPOLOGY_CHECK(found.lower <= 1.02 * bound &&
                           found.upper <= 1.05 * bound,
                       "%s %s %s: %.6g to %.6g, above %.6g", network, scheme,
                       patterns[i % 2], found.lower, found.upper, bound);
        const struct nb_bracket within =
            nb_equilibrium_saturation(asked.net, bound);
        TOPOLOGY_CHECK(within.upper <= bound && within.lower > 0.4 * bound,
                       "%s %s %s: %.6g to %.6g within %.6g", network, scheme,
                       patterns[i % 2], within.lower, within.upper, bound);
        asked_count++;
        answered(&asked);
    }
    assert_int_equal(asked_count, nb_cases_are_all() ? 24 : 1);
}

/* Gal sends what exceeds its injection queues' threshold the longer path: with
 * a long threshold all that shortest paths do not carry, 1/3; with a short one
 * more. */
static void test_gal(void **state)
{
    (void)state;
    const struct found low =
        find("ring:8", "gal", "tornado", NB_COMPARED_INPUTS, 0.2);
    TOPOLOGY_CHECK(low.minimal > 0.99, "minimal %.6g", low.minimal);
    const struct found strict =
        find("ring:8", "gal:16", "tornado", NB_COMPARED_INPUTS, 0.4);
    TOPOLOGY_CHECK(fabs(strict.minimal - 1 / 1.2) < 0.01,
                   "minimal %.6g, not 5/6", strict.minimal);
    const struct found fast =
        find("ring:8", "gal", "tornado", NB_COMPARED_INPUTS, 0.4);
    TOPOLOGY_CHECK(fast.minimal < strict.minimal - 0.02 &&
                       fast.latency < strict.latency,
                   "minimal %.6g, latency %.6g", fast.minimal, fast.latency);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const refused[] = { "gal:stable=yes", "any-minimal" };
    struct nb_topology topology = { 0 };
    struct nb_traffic traffic = { 0 };
    assert_int_equal(nb_topology_build("ring:6", &topology, NULL), NB_OK);
    assert_int_equal(
        nb_traffic_build("uniform", &topology, false, &traffic, NULL), NB_OK);
    for (size_t i = 0; i < 2; i++) {
        struct nb_routing routing = { 0 };
        struct nb_equilibrium_net *net = NULL;
        const struct nb_equilibrium_question asked = { .routing = &routing,
                                                       .traffic = &traffic,
                                                       .flits = 1 };
        assert_int_equal(
            nb_routing_build(refused[i], &topology, &routing, NULL), NB_OK);
        assert_int_equal(nb_equilibrium_open(&asked, &net, NULL), NB_INVALID);
        assert_null(net);
        nb_routing_release(&routing);
    }
    nb_traffic_release(&traffic);
    nb_topology_release(&topology);
}

/* Without any traffic, the (absent) packets count as minimal. */
static void test_nobody_sends(void **state)
{
    (void)state;
    struct asked asked;
    struct nb_equilibrium found;
    ask("torus:4x4", "ugal", "uniform", NB_COMPARED_POISSON, &asked);
    nb_equilibrium_close(asked.net);
    asked.traffic.background = 0;
    const struct nb_equilibrium_question question = {
        .routing = &asked.routing,
        .traffic = &asked.traffic,
        .delay = nb_delay_singh,
        .flits = 1,
    };
    assert_int_equal(nb_equilibrium_open(&question, &asked.net, NULL), NB_OK);
    assert_int_equal(nb_equilibrium_find(asked.net, 0.5, NB_OUTSET_FIRST, false,
                                         &found, NULL),
                     NB_OK);
    assert_true(found.minimal == 1 && found.hops == 0 && found.wait == 0 &&
                !found.is_saturated);
    nb_equilibrium_release(&found);
    answered(&asked);
}

/* Without draws the rounds end at a fixed point. Drawn ones settle first, in
 * windows of 10 rounds, at least two; then 100 rounds are averaged, the last of
 * the window among them, or 33 if rough. By means all 300 are averaged. A
 * channel that is full from the 40th round on ends them after 20 more. */
static void test_rounds(void **state)
{
    (void)state;
    static const struct {
        const char *network, *scheme, *pattern;
        enum nb_compared compared;
        double rate;
        bool is_rough, is_saturated;
        size_t least, most, last_digit; /* of the rounds; 10: any */
    } cases[] = {
        { "torus:4x4", "min-adaptive", "uniform", NB_COMPARED_POISSON, 1, false,
          false, 10, 999, 10 },
        { "torus:4x4", "min-adaptive", "uniform", NB_COMPARED_POISSON, 1, true,
          false, 5, 30, 10 },
        { "ring:8", "min-adaptive", "tornado", NB_COMPARED_POISSON, 0.33, true,
          false, 5, 300, 10 },
        { "ring:8", "min-adaptive", "tornado", NB_COMPARED_POISSON, 0.34, true,
          true, 5, 300, 10 },
        { "complete:4", "ugal", "bit-complement", NB_COMPARED_INPUTS, 1, true,
          false, 52, 299, 2 },
        { "complete:4", "ugal", "bit-complement", NB_COMPARED_INPUTS, 4, true,
          true, 60, 60, 0 },
        { "ring:8", "cqr", "tornado", NB_COMPARED_MEANS, 0.56, true, true, 300,
          300, 0 },
        { "complete:4", "ugal", "bit-complement", NB_COMPARED_INPUTS, 1, false,
          false, 119, 999, 9 },
        { "ring:8", "cqr", "tornado", NB_COMPARED_MEANS, 0.5, false, false, 300,
          300, 0 },
    };
    enum { CASES = sizeof cases / sizeof *cases, QUICK = 7 };
    for (size_t i = 0; i < (nb_cases_are_all() ? CASES : QUICK); i++) {
        struct asked asked;
        struct nb_equilibrium found;
        ask(cases[i].network, cases[i].scheme, cases[i].pattern,
            cases[i].compared, &asked);
        assert_int_equal(nb_equilibrium_find(asked.net, cases[i].rate,
                                             NB_OUTSET_FIRST, cases[i].is_rough,
                                             &found, NULL),
                         NB_OK);
        TOPOLOGY_CHECK(found.rounds >= cases[i].least &&
                           found.rounds <= cases[i].most &&
                           (cases[i].last_digit == 10 ||
                            found.rounds % 10 == cases[i].last_digit),
                       "case %zu: %zu rounds", i, found.rounds);
        TOPOLOGY_CHECK(found.is_saturated == cases[i].is_saturated,
                       "case %zu: busiest %g", i, found.busiest);
        if (i < 2)
            TOPOLOGY_CHECK(found.residual < (i == 0 ? 1e-9 : 5e-4) &&
                               (i == 0 || found.residual > 1e-9),
                           "case %zu: residual %g", i, found.residual);
        nb_equilibrium_release(&found);
        answered(&asked);
    }
}

/* Hops, waits and the busiest channel are those of the channels. */
static void test_channels_sum_up(void **state)
{
    (void)state;
    static const struct {
        const char *network, *scheme, *pattern;
        enum nb_compared compared;
        double rate;
    } cases[] = {
        { "mesh:3x3", "min-adaptive", "random-permutation:seed=4",
          NB_COMPARED_INPUTS, 0.3 },
        { "torus:3x3", "ugal", "uniform", NB_COMPARED_POISSON, 0.8 },
        { "ring:8", "cqr", "tornado", NB_COMPARED_MEANS, 0.4 },
    };
    for (size_t i = 0; i < (nb_cases_are_all() ? 3 : 2); i++) {
        struct asked asked;
        struct nb_equilibrium found;
        double loads = 0, waits = 0, busiest = 0, sent = 0;
        ask(cases[i].network, cases[i].scheme, cases[i].pattern,
            cases[i].compared, &asked);
        const struct nb_topology *topology = &asked.topology;
        assert_int_equal(nb_equilibrium_find(asked.net, cases[i].rate,
                                             NB_OUTSET_EVEN, true, &found,
                                             NULL),
                         NB_OK);
        for (size_t c = 0; c < topology->channel_count; c++) {
            loads += found.channel[c].load;
            waits += found.channel[c].load * found.channel[c].wait;
            busiest = fmax(busiest, found.channel[c].load);
        }
        for (size_t r = 0; r < topology->router_count; r++)
            sent += cases[i].rate * topology->terminals[r];
        TOPOLOGY_CHECK(fabs(found.hops * sent / loads - 1) < 1e-9 &&
                           fabs(found.wait * sent / waits - 1) < 1e-9 &&
                           fabs(found.busiest / busiest - 1) < 1e-9,
                       "case %zu: hops %g, wait %g, busiest %g", i, found.hops,
                       found.wait, found.busiest);
        /* 3 hops one way round the ring, 5 the other. */
        if (i == 2)
            TOPOLOGY_CHECK(fabs(found.hops - (3 * found.minimal +
                                              5 * (1 - found.minimal))) < 1e-9,
                           "hops %g, minimal %g", found.hops, found.minimal);
        nb_equilibrium_release(&found);
        answered(&asked);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_choice),
        cmocka_unit_test(test_without_choice_by_inputs),
        cmocka_unit_test(test_without_choice_of_many_inputs),
        cmocka_unit_test(test_shorter_queues),
        cmocka_unit_test(test_means_lose_no_packets),
        cmocka_unit_test(test_settles_near_saturation),
        cmocka_unit_test(test_tornado_by_means),
        cmocka_unit_test(test_half_minimal),
        cmocka_unit_test(test_saturations),
        cmocka_unit_test(test_saturation_is_searched),
        cmocka_unit_test(test_saturations_below_bounds),
        cmocka_unit_test(test_gal),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_nobody_sends),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_channels_sum_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
