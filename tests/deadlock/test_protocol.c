/* Protocols: for every scheme on its examples, compared with a plain graph and
 * proved; by hand; and compared with the simulator's watchdog. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/cases.h"
#include "../support/problem.h"
#include "../support/route_waits.h"
#include "../support/simulation.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "deadlock/protocol.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <string.h>

/* A vertex of the routes in one of the networks. */
static size_t vertex_in(const struct route_waits *routes, size_t vertex,
                        unsigned networks, unsigned network)
{
    const size_t classes = routes->classes.count;
    return (vertex / classes * networks + network) * classes + vertex % classes;
}

/* The graph of messages on networks, by its definition. */
static void build_plain(const struct route_waits *routes, unsigned messages,
                        unsigned networks, struct dependencies *graph)
{
    const size_t n = routes->graph.count;
    const size_t routers = routes->classes.routing->topology->router_count;
    dependencies_open(graph, n * networks);
    for (unsigned m = 0; m < messages; m++) {
        const unsigned own = m % networks, next = (m + 1) % networks;
        for (size_t a = 0; a < n * n; a++)
            if (routes->graph.arc[a])
                dependencies_add(graph, vertex_in(routes, a / n, networks, own),
                                 vertex_in(routes, a % n, networks, own));
        for (size_t a = 0; a < routers * n && m + 1 < messages; a++)
            for (size_t b = 0; b < n && routes->is_last[a]; b++)
                if (routes->is_first[a / n * n + b])
                    dependencies_add(graph,
                                     vertex_in(routes, a % n, networks, own),
                                     vertex_in(routes, b, networks, next));
    }
}

/* The smallest number of networks without a cycle, 0 if there is none. */
static unsigned find_needed(const struct route_waits *routes, unsigned messages)
{
    for (unsigned networks = 1; networks <= messages; networks++) {
        struct dependencies graph;
        build_plain(routes, messages, networks, &graph);
        const bool is_free = dependencies_are_acyclic(&graph, NULL);
        dependencies_close(&graph);
        if (is_free && !routes->lacks_escape)
            return networks;
    }
    return 0;
}

/* The ends of routes, ascending by router and vertex. */
static void compare_ends(const struct nb_protocol_end *found, size_t count,
                         const struct route_waits *routes, const bool *plain)
{
    const size_t n = routes->graph.count;
    const size_t all = n * routes->classes.routing->topology->router_count;
    size_t next = 0;
    for (size_t i = 0; i < all; i++) {
        if (!plain[i])
            continue;
        assert_true(next < count);
        assert_int_equal(found[next].router, i / n);
        assert_int_equal(found[next].vertex, i % n);
        next++;
    }
    assert_int_equal(next, count);
}

static void compare(const struct nb_protocol *found,
                    const struct route_waits *routes, const char *name)
{
    struct dependencies plain;
    size_t arcs = 0;
    build_plain(routes, found->messages, found->networks, &plain);
    const bool is_free = dependencies_are_acyclic(&plain, NULL);
    const bool chooses = routes->chooses_class || routes->chooses_hop;
    compare_ends(found->last, found->last_count, routes, routes->is_last);
    compare_ends(found->first, found->first_count, routes, routes->is_first);
    assert_int_equal(found->graph.vertex_count, plain.count);
    for (uint32_t from = 0; from < plain.count; from++)
        for (uint32_t to = 0; to < plain.count; to++) {
            const bool is_there = plain.arc[from * plain.count + to];
            arcs += is_there;
            TOPOLOGY_CHECK(
                nb_dependencies_have(&found->graph, from, to) == is_there,
                "%s, %u messages in %u networks: %u to %u: not %d", name,
                found->messages, found->networks, from, to, is_there);
        }
    assert_int_equal(found->graph.count, arcs);
    assert_int_equal(found->used, __builtin_popcountll(routes->used));
    assert_int_equal(found->proof.order.is_free, is_free);
    assert_int_equal(found->verdict,
                     is_free && !routes->lacks_escape ? NB_DEADLOCK_FREE
                     : is_free || chooses             ? NB_DEADLOCK_UNKNOWN
                                                      : NB_DEADLOCK_POSSIBLE);
    dependencies_close(&plain);
}

/* Messages in networks: the graph is the plain one, with a valid proof. */
static void check_networks(const struct problem *problem, const char *name,
                           const struct route_waits *routes, unsigned messages,
                           unsigned networks)
{
    struct nb_protocol found, again;
    struct nb_deadlock_proof given;
    struct nb_error err = { 0 };
    TOPOLOGY_CHECK(nb_protocol_find(&problem->routing, messages, networks, NULL,
                                    &found, &err) == NB_OK,
                   "%s: %s", name, err.message);
    compare(&found, routes, name);
    assert_int_equal(found.needed, find_needed(routes, messages));
    for (size_t i = 0; i < found.proof.causes.count; i++)
        TOPOLOGY_CHECK(found.proof.causes.cause[i].length > 0,
                       "%s: dependency %zu has no cause", name, i);
    given = found.proof;
    found.proof = (struct nb_deadlock_proof){ 0 };
    TOPOLOGY_CHECK(nb_protocol_check(&problem->routing, messages, networks,
                                     NULL, &given, &again, &err) == NB_OK,
                   "%s in %u: %s", name, networks, err.message);
    assert_int_equal(again.verdict, found.verdict);
    assert_int_equal(again.graph.count, found.graph.count);
    nb_protocol_release(&found);
    nb_protocol_release(&again);
}

/* A cycle is refuted if one of its dependencies, whichever it is, names a
 * packet from another router than the one at which its path begins. */
static void check_forged(const struct problem *problem, unsigned messages,
                         unsigned networks)
{
    const uint32_t routers = (uint32_t)problem->topology.router_count;
    size_t count = 1;
    for (size_t i = 0; i < count; i++) {
        struct nb_protocol found, again;
        assert_int_equal(nb_protocol_find(&problem->routing, messages, networks,
                                          NULL, &found, NULL),
                         NB_OK);
        count = found.proof.causes.count;
        if (count > 0) {
            struct nb_deadlock_proof given = found.proof;
            found.proof = (struct nb_deadlock_proof){ 0 };
            uint32_t *source = &given.causes.cause[i].source;
            *source = (*source + 1) % routers;
            assert_int_equal(nb_protocol_check(&problem->routing, messages,
                                               networks, NULL, &given, &again,
                                               NULL),
                             NB_REFUTED);
        }
        nb_protocol_release(&found);
    }
}

static void check_example(const struct problem *problem, const char *name)
{
    static const unsigned cases[][2] = { { 2, 1 }, { 2, 2 }, { 3, 2 } };
    static size_t examples;
    struct route_waits routes;
    if (problem->routing.kind->is_deflecting || /* has no virtual channels */
        !nb_cases_have(examples++, 6))
        return;
    route_waits_open(&routes, &problem->routing, name);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (cases[i][1] * routes.classes.count <= NB_MOST_VC_CLASSES)
            check_networks(problem, name, &routes, cases[i][0], cases[i][1]);
    route_waits_close(&routes);
}

/* Small networks of schemes with and without escapes, always tried. */
static void check_small(const struct problem *problem, const char *name)
{
    struct route_waits routes;
    route_waits_open(&routes, &problem->routing, name);
    for (unsigned messages = 1; messages <= 4; messages++)
        for (unsigned networks = 1; networks <= 5; networks++)
            check_networks(problem, name, &routes, messages, networks);
    route_waits_close(&routes);
    check_forged(problem, 2, 1);
}

static void test_every_scheme(void **state)
{
    static const char *const small[] = {
        "goal@ring:3", "min-adaptive@ring:4", "cqr@ring:4",   "gal:1@ring:3",
        "val@ring:3",  "min@ring:4",          "min@mesh:2x2", "min@mesh:2",
    };
    (void)state;
    problem_each_of(small, sizeof small / sizeof *small, check_small);
    problem_each_example(check_example);
}

/*
 * By hand. In dimension order every channel into a router may be a packet's
 * last and every channel out of it another packet's first, which gives the
 * square of its degree. In one network these include all dependencies of the
 * routes. Two networks have those of the routes twice, and these between them;
 * networks beyond the number of messages are not used. A chain of m messages
 * needs m. A cycle through three networks must lead back in a mesh, which has
 * no closed walks of three channels, so it has four dependencies.
 */
static void test_numbers(void **state)
{
    static const struct {
        const char *name;
        unsigned messages, networks;
        enum nb_deadlock_verdict verdict;
        size_t count, length;
        unsigned needed;
    } cases[] = {
        { "dor@mesh:3x3", 2, 1, NB_DEADLOCK_POSSIBLE, 16 + 36 + 16, 2, 2 },
        { "dor@mesh:3x3", 2, 2, NB_DEADLOCK_FREE, 2 * 28 + 68, 0, 2 },
        { "dor@mesh:3x3", 2, 3, NB_DEADLOCK_FREE, 2 * 28 + 68, 0, 2 },
        { "dor@mesh:3x3", 1, 1, NB_DEADLOCK_FREE, 28, 0, 1 },
        { "dor@mesh:3x3", 3, 2, NB_DEADLOCK_POSSIBLE, 2 * (28 + 68), 2, 3 },
        { "dor@mesh:3x3", 4, 3, NB_DEADLOCK_POSSIBLE, 3 * (28 + 68), 4, 4 },
        { "dor@mesh:3x3", 4, 4, NB_DEADLOCK_FREE, 4 * 28 + 3 * 68, 0, 4 },
        { "min@complete:4", 2, 1, NB_DEADLOCK_POSSIBLE, 4 * 9, 2, 2 },
        { "min@ring:4", 2, 2, NB_DEADLOCK_POSSIBLE, 2 * 8 + 4 * 4, 4, 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        struct nb_protocol found;
        problem_open_example(&problem, cases[i].name);
        assert_int_equal(nb_protocol_find(&problem.routing, cases[i].messages,
                                          cases[i].networks, NULL, &found,
                                          NULL),
                         NB_OK);
        TOPOLOGY_CHECK(found.verdict == cases[i].verdict &&
                           found.proof.order.length == cases[i].length &&
                           found.graph.count == cases[i].count &&
                           found.needed == cases[i].needed,
                       "%zu, %s: %d, %zu, %zu, %u", i, cases[i].name,
                       (int)found.verdict, found.proof.order.length,
                       found.graph.count, found.needed);
        nb_protocol_release(&found);
        problem_close(&problem);
    }
}

/* Channel C of each "in channel C (..) waits for channel D" follows. */
static void check_chain(const struct nb_protocol *found, const char *message)
{
    uint32_t channel, next;
    for (const char *at = strstr(message, " in channel "); at != NULL;
         at = strstr(at + 1, " in channel ")) {
        if (sscanf(at,
                   " in channel %u (router %*u to %*u) waits for channel "
                   "%u;",
                   &channel, &next) != 2)
            continue;
        bool is_there = false;
        for (unsigned a = 0; a < found->all.count; a++)
            for (unsigned b = 0; b < found->all.count; b++)
                is_there = is_there ||
                           nb_dependencies_have(&found->graph,
                                                channel * found->all.count + a,
                                                next * found->all.count + b);
        SIMULATION_CHECK(is_there, "%u to %u: %s", channel, next, message);
    }
    assert_non_null(
        strstr(message, " waits for room for replies at terminal "));
}

/* What the checker calls free keeps running; what it does not comes to a
 * standstill under a load that fills the network. */
static void test_watchdog_agrees(void **state)
{
    static const struct {
        const char *scheme, *traffic;
        enum nb_switching switching;
    } cases[] = {
        { "dor@ring:8", "uniform", NB_WORMHOLE },
        { "dor@ring:8", "uniform", NB_CUT_THROUGH },
        { "dor@mesh:4x4", "uniform", NB_WORMHOLE },
        { "dor@torus:4x4", "uniform", NB_CUT_THROUGH },
        { "val@torus:4x4", "uniform", NB_CUT_THROUGH },
        { "min@fattree:k=2,n=3", "uniform", NB_CUT_THROUGH },
        { "updown@fattree:k=2,n=3", "uniform", NB_WORMHOLE },
        { "min@dragonfly:h=2", "uniform", NB_CUT_THROUGH },
        { "val@dragonfly:h=2", "adversarial:offset=1", NB_CUT_THROUGH },
        { "min@complete:5", "uniform", NB_WORMHOLE },
        { "min-adaptive@torus:4x4", "uniform", NB_CUT_THROUGH },
        { "ugal@dragonfly:h=2", "uniform", NB_CUT_THROUGH },
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const unsigned networks = (unsigned)(i % 2) + 1;
        if (!nb_cases_have(i, 3))
            continue;
        struct simulation s;
        struct nb_protocol found;
        struct nb_error err = { 0 };
        enum nb_status status = NB_OK;
        simulation_open(&s, cases[i / 2].scheme, cases[i / 2].traffic, 1);
        s.plan.router.model = NB_ROUTER_CREDIT;
        s.plan.router.switching = cases[i / 2].switching;
        s.plan.router.arbitration = NB_IN_TURN;
        s.plan.router.buffer = 2;
        s.plan.router.virtual_networks = networks;
        s.plan.injection.flits = 2;
        s.plan.reply_buffer = 1;
        SIMULATION_CHECK(nb_protocol_find(&s.routing, 2, networks, NULL, &found,
                                          &err) == NB_OK,
                         "%s: %s", s.name, err.message);
        SIMULATION_CHECK((found.verdict == NB_DEADLOCK_FREE) == (networks == 2),
                         "%s: %d", s.name, (int)found.verdict);
        simulation_start(&s);
        while (status == NB_OK && s.network.cycle < 20000)
            status = nb_network_cycle(&s.network, &err);
        SIMULATION_CHECK(status == (networks == 2 ? NB_OK : NB_INVALID),
                         "%s in %u: %s", s.name, networks, err.message);
        if (status == NB_INVALID)
            check_chain(&found, err.message);
        nb_protocol_release(&found);
        simulation_close(&s);
    }
}

static void test_failing_memory(void **state)
{
    static const char *const cases[] = { "val@ring:4", "min@ring:4",
                                         "goal@torus:3x3" };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct nb_run run = { .threads = 1 };
        struct problem problem;
        struct nb_protocol found;
        enum nb_status status = NB_NO_MEMORY;
        problem_open_example(&problem, cases[i]);
        const long before = nb_memory_live_blocks();
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            nb_memory_allow(allowed);
            status =
                nb_protocol_find(&problem.routing, 2, 1, &run, &found, NULL);
            nb_memory_allow(-1);
            if (status != NB_OK)
                assert_int_equal(nb_memory_live_blocks(), before);
        }
        assert_int_equal(status, NB_OK);
        nb_protocol_release(&found);
        problem_close(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_watchdog_agrees),
        cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_every_scheme),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
