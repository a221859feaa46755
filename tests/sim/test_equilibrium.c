/* Equilibria of adaptive schemes, against closed forms and published ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "queueing/mean_delay.h"
#include "sim/equilibrium.h"

#include <math.h>

struct found {
    double latency, minimal;
    bool is_saturated;
};

static struct found find(const char *network, const char *scheme,
                         const char *pattern, enum nb_compared compared,
                         double rate)
{
    struct nb_topology topology = { 0 };
    struct nb_routing routing = { 0 };
    struct nb_traffic traffic = { 0 };
    struct nb_equilibrium_net *net = NULL;
    struct nb_equilibrium found = { 0 };
    struct nb_error err = { 0 };
    const struct nb_equilibrium_question asked = {
        .routing = &routing,
        .traffic = &traffic,
        .compared = compared,
        .delay = nb_delay_singh,
        .flits = 1,
        .seed = 1,
    };
    const bool is_found =
        nb_topology_build(network, &topology, &err) == NB_OK &&
        nb_routing_build(scheme, &topology, &routing, &err) == NB_OK &&
        nb_traffic_build(pattern, &topology, false, &traffic, &err) == NB_OK &&
        nb_equilibrium_open(&asked, &net, &err) == NB_OK &&
        nb_equilibrium_find(net, rate, NB_OUTSET_FIRST, false, &found, &err) ==
            NB_OK;
    TOPOLOGY_CHECK(is_found, "%s %s: %s", network, scheme, err.message);
    const struct found out = { found.hops + found.wait, found.minimal,
                               found.is_saturated };
    nb_equilibrium_release(&found);
    nb_equilibrium_close(net);
    nb_traffic_release(&traffic);
    nb_routing_release(&routing);
    nb_topology_release(&topology);
    return out;
}

/* Where there is one shortest path each, every channel is M/D/1: uniform on a
 * ring of 5 loads all alike, 0.6 rate. */
static void test_without_choice(void **state)
{
    (void)state;
    const double rho = 0.6 * 0.8;
    const double wait = rho / (2 * (1 - rho));
    const struct found found =
        find("ring:5", "min-adaptive", "uniform", NB_COMPARED_POISSON, 0.8);
    TOPOLOGY_CHECK(fabs(found.latency - 1.2 * (1 + wait)) < 1e-6,
                   "latency %.17g, not %.17g", found.latency, 1.2 * (1 + wait));
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

/* [Singh2005, section 6.1]: on four routers that exchange packets in pairs
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

static void test_refusals(void **state)
{
    (void)state;
    static const char *const refused[] = { "gal", "any-minimal" };
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_choice),
        cmocka_unit_test(test_tornado_by_means),
        cmocka_unit_test(test_half_minimal),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
