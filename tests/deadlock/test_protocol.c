/* Protocols: for every scheme on its examples, compared with a plain graph and
 * proved; by hand; and compared with the simulator's watchdog. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/cases.h"
#include "../support/problem.h"
#include "../support/simulation.h"
#include "../support/topology_checks.h"
#include "../support/vc_dependencies.h"

#include "core/memory.h"
#include "deadlock/protocol.h"
#include "routing/walker.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <string.h>

/* What a plain search adds to the dependencies of routes: the graph of two
 * messages in a given number of networks. */
struct plain {
    const struct vc_dependencies *routes;
    unsigned networks;
    bool *is_last, *is_first; /* [router * vertices + vertex] */
    struct dependencies graph;
};

/* Whether a packet may reach its destination from a node; if classes have
 * escapes, over any hops, since it still holds what it held before. */
static bool reaches_end(const struct plain *plain,
                        const struct nb_walker *walker, uint32_t node)
{
    const size_t first = walker->node[node].first;
    const size_t end = walker->node[node + 1].first;
    return first == end || plain->routes->classes.rule->escape != NULL;
}

/* Marks what one destination's walk shows. */
static void mark_ends(struct plain *plain, struct nb_walker *walker,
                      const uint32_t *source, size_t count)
{
    const struct nb_vc_classes *classes = &plain->routes->classes;
    const size_t vertices = plain->routes->graph.count;
    for (size_t h = 0; h < walker->hop_count; h++)
        for (unsigned c = 0; c < classes->count; c++) {
            const uint64_t set = walker->hop_classes[h];
            const uint64_t held = classes->rule->escape != NULL
                                      ? nb_vc_classes_escape(classes, set)
                                      : set;
            if ((held >> c & 1) != 0 &&
                reaches_end(plain, walker, walker->hop[h].node))
                plain->is_last[walker->destination * vertices +
                               walker->hop[h].channel * classes->count + c] =
                    true;
        }
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < walker->node_count; i++) {
            /* A packet that begins at the source and one that passes it have
             * the same channels to wait for. */
            const struct nb_walk_node *node = &walker->node[i];
            if (node->router != source[s] || node->memory != 0)
                continue;
            for (size_t h = node->first; h < walker->node[i + 1].first; h++)
                for (unsigned c = 0; c < classes->count; c++)
                    if ((nb_vc_classes_escape(classes,
                                              walker->hop_classes[h]) >>
                             c &
                         1) != 0)
                        plain
                            ->is_first[source[s] * vertices +
                                       walker->hop[h].channel * classes->count +
                                       c] = true;
        }
}

static void walk_ends(struct plain *plain, const struct nb_routing *routing)
{
    const uint32_t n = (uint32_t)routing->topology->router_count;
    uint32_t *source = nb_new_array(n, sizeof *source);
    struct nb_walker walker;
    size_t count = 0;
    assert_non_null(source);
    for (uint32_t r = 0; r < n; r++)
        if (routing->topology->terminals[r] > 0)
            source[count++] = r;
    assert_int_equal(
        nb_walker_init(routing, &plain->routes->classes, &walker, NULL), NB_OK);
    /* One pair after another: the nodes with memory 0 at the source are then
     * those in which packets begin, or equivalent to these. */
    for (size_t d = 0; d < count; d++)
        for (size_t s = 0; s < count; s++) {
            assert_int_equal(
                nb_walker_go(&walker, source[d], &source[s], 1, 0, 0, NULL),
                NB_OK);
            mark_ends(plain, &walker, &source[s], 1);
        }
    nb_walker_release(&walker);
    nb_delete(source);
}

static size_t vertex_in(const struct plain *plain, unsigned network, size_t v)
{
    return network * plain->routes->graph.count + v;
}

static void build_graph(struct plain *plain, const struct nb_topology *topology)
{
    const size_t vertices = plain->routes->graph.count;
    dependencies_open(&plain->graph, plain->networks * vertices);
    for (unsigned k = 0; k < plain->networks; k++)
        for (size_t a = 0; a < vertices; a++)
            for (size_t b = 0; b < vertices; b++)
                if (plain->routes->graph.arc[a * vertices + b])
                    dependencies_add(&plain->graph, vertex_in(plain, k, a),
                                     vertex_in(plain, k, b));
    for (size_t r = 0; r < topology->router_count; r++)
        for (size_t a = 0; a < vertices; a++)
            for (size_t b = 0; b < vertices && plain->is_last[r * vertices + a];
                 b++)
                if (plain->is_first[r * vertices + b])
                    dependencies_add(&plain->graph, vertex_in(plain, 0, a),
                                     vertex_in(plain, 1 % plain->networks, b));
}

/* Requests and replies in one network and in two: free of deadlock exactly
 * where the plain graph is, with a valid proof. */
static void check_networks(const struct problem *problem, const char *name,
                           const struct vc_dependencies *routes,
                           unsigned networks)
{
    struct plain plain = { .routes = routes, .networks = networks };
    const size_t marks = problem->topology.router_count * routes->graph.count;
    struct nb_protocol found, again;
    struct nb_deadlock_proof given;
    struct nb_error err = { 0 };
    plain.is_last = nb_new_array(marks, sizeof *plain.is_last);
    plain.is_first = nb_new_array(marks, sizeof *plain.is_first);
    assert_true(plain.is_last != NULL && plain.is_first != NULL);
    walk_ends(&plain, &problem->routing);
    build_graph(&plain, &problem->topology);
    TOPOLOGY_CHECK(nb_protocol_find(&problem->routing, 2, networks, NULL,
                                    &found, &err) == NB_OK,
                   "%s: %s", name, err.message);
    TOPOLOGY_CHECK(found.proof.order.is_free ==
                       dependencies_are_acyclic(&plain.graph, NULL),
                   "%s in %u networks", name, networks);
    const bool is_free = dependencies_are_acyclic(&routes->graph, NULL);
    TOPOLOGY_CHECK(found.needed == (is_free ? 2 : 0), "%s: %u", name,
                   found.needed);
    for (size_t i = 0; i < found.proof.causes.count; i++)
        TOPOLOGY_CHECK(found.proof.causes.cause[i].length > 0,
                       "%s: dependency %zu has no cause", name, i);
    given = found.proof;
    found.proof = (struct nb_deadlock_proof){ 0 };
    TOPOLOGY_CHECK(nb_protocol_check(&problem->routing, 2, networks, NULL,
                                     &given, &again, &err) == NB_OK,
                   "%s in %u: %s", name, networks, err.message);
    assert_int_equal(again.verdict, found.verdict);
    assert_int_equal(again.graph.count, found.graph.count);
    nb_protocol_release(&found);
    nb_protocol_release(&again);
    dependencies_close(&plain.graph);
    nb_delete(plain.is_last);
    nb_delete(plain.is_first);
}

static void check_example(const struct problem *problem, const char *name)
{
    static size_t examples;
    struct vc_dependencies routes;
    if (problem->routing.kind->is_deflecting || /* has no virtual channels */
        !nb_cases_have(examples++, 2))
        return;
    vc_dependencies_open(&routes, &problem->routing, name);
    for (unsigned networks = 1;
         networks <= 2 && networks * routes.classes.count <= NB_MOST_VC_CLASSES;
         networks++)
        check_networks(problem, name, &routes, networks);
    vc_dependencies_close(&routes);
}

static void test_every_scheme(void **state)
{
    (void)state;
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
