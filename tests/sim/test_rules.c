/* Schemes whose switches follow rules: paused ports, and the probabilities that
 * notifications of congestion lower. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "routing/rule_ways.h"
#include "routing/two_phase.h"
#include "support/cases.h"
#include "support/simulation.h"

#include <gsl/gsl_errno.h>
#include <math.h>

/* A network at rest, except for the settings here. */
struct given {
    struct nb_routes *routes;
    const struct nb_view *view;
    uint64_t permitted;
    uint64_t paused[400]; /* [channel] */
    uint64_t passed[400];
    struct nb_sample sample;
};

static uint32_t given_queue(const void *context, uint32_t channel)
{
    (void)context;
    (void)channel;
    return 0;
}

static struct nb_way given_way(const void *context, nb_route_state state,
                               uint32_t router, uint32_t destination)
{
    const struct given *given = context;
    return nb_routes_shortest(given->routes, given->view, state, router,
                              destination);
}

static uint64_t given_permitted(const void *context, nb_route_state state,
                                uint32_t router, uint32_t destination,
                                uint32_t channel)
{
    const struct given *given = context;
    (void)state;
    (void)router;
    (void)destination;
    (void)channel;
    return given->permitted;
}

static uint64_t given_paused(const void *context, uint32_t channel)
{
    return ((const struct given *)context)->paused[channel];
}

static uint64_t given_passed(const void *context, uint32_t channel)
{
    return ((const struct given *)context)->passed[channel];
}

static uint32_t given_latency(const void *context, uint32_t channel)
{
    (void)context;
    (void)channel;
    return 10;
}

static bool given_sample(const void *context, uint32_t channel, bool is_input,
                         uint64_t drawn, struct nb_sample *out)
{
    (void)channel;
    (void)is_input;
    (void)drawn;
    *out = ((const struct given *)context)->sample;
    return true;
}

struct bench {
    struct simulation s;
    struct nb_routes routes;
    struct nb_random random;
    struct given given;
    struct nb_view view;
};

static void bench_open(struct bench *b, const char *scheme)
{
    simulation_open(&b->s, scheme, "uniform", 0.1);
    assert_true(b->s.topology.channel_count <= 400);
    assert_int_equal(nb_routes_init(&b->s.routing, &b->routes, NULL), NB_OK);
    nb_random_init(&b->random, 5, 0);
    b->given = (struct given){ .routes = &b->routes, .view = &b->view };
    b->view = (struct nb_view){
        .network = &b->given,
        .queue = given_queue,
        .way = given_way,
        .permitted = given_permitted,
        .paused = given_paused,
        .passed = given_passed,
        .latency = given_latency,
        .sample = given_sample,
        .random = &b->random,
    };
    if (b->s.routing.kind->memory != NULL) {
        b->view.memory =
            nb_new_array(b->s.routing.kind->memory(&b->s.routing), 1);
        assert_non_null(b->view.memory);
    }
}

static void bench_close(struct bench *b)
{
    nb_delete(b->view.memory);
    nb_routes_release(&b->routes);
    simulation_close(&b->s);
}

/* The intermediate router of a packet of a terminal; NB_NONE: straight. */
static uint32_t bench_begin(struct bench *b, uint32_t port, uint32_t source,
                            uint32_t destination)
{
    size_t chosen;
    b->routes.port = port;
    const nb_route_state state = nb_routes_begin(
        &b->routes, &b->view, source, destination, 0, &b->random, &chosen);
    return chosen == 0 ? NB_NONE
                       : nb_two_phase_target(state, source, destination);
}

/* The thesis: a reference of a fifth, w = 0, L_f = 1/64: R = 1/64 of a full
 * feedback, and 1 of none; comparison with Th_1 = 0, Th_2 = 30. */
static void test_numbers(void **state)
{
    struct nb_rule_qcn rule = {
        .reference = 0.25, .limit = 1 / 64.0, .increase = 0.01, .above = 30
    };
    (void)state;
    assert_int_equal(nb_rule_feedback(&rule, 0.25, 0), -1);
    assert_int_equal(nb_rule_feedback(&rule, 0.375, 0), 31); /* 31.5 */
    assert_int_equal(nb_rule_feedback(&rule, 0.5, 0), 63);
    assert_int_equal(nb_rule_feedback(&rule, 1, 0), 63);
    rule.weight = 2;
    assert_int_equal(nb_rule_feedback(&rule, 0.3125, 0.25), 47); /* 47.25 */
    assert_int_equal(nb_rule_feedback(&rule, 0.3125, 0.375), -1);
    assert_true(nb_rule_notified(&rule, 1, 63, 0) == 0.015625);
    assert_true(nb_rule_notified(&rule, 0.75, 0, 0) == 0.75);
    rule.is_compared = true;
    assert_true(nb_rule_notified(&rule, 1, 63, 0) == 0.015625);
    assert_true(nb_rule_notified(&rule, 1, 60, 20) == 0.375);
    assert_true(nb_rule_notified(&rule, 0.5, 50, 20) == 0.5);
    assert_true(nb_rule_notified(&rule, 0.5, 10, 20) == 0.5 + 0.01);
    assert_true(nb_rule_notified(&rule, 0.995, 10, 20) == 1);
    rule.below = 15;
    assert_true(nb_rule_notified(&rule, 0.5, 10, 20) == 0.5);
}

/* Straight unless all virtual channels that a packet may use are paused; then
 * from each port by its own global channel. */
static void test_pauses(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, "mar-bp@dragonfly:h=2");
    const struct nb_topology *topology = &b.s.topology;
    b.given.permitted = 3;
    for (uint32_t source = 0; source < topology->router_count; source++)
        for (uint32_t d = 0; d < topology->router_count; d++) {
            if (d == source)
                continue;
            const uint32_t first =
                nb_rule_straight(&b.s.routing, &b.view, source, d);
            const bool stays =
                topology->groups.of[source] == topology->groups.of[d];
            assert_int_equal(topology->channels[first].source, source);
            assert_int_equal(bench_begin(&b, 0, source, d), NB_NONE);
            b.given.paused[first] = 5; /* the other one takes flits */
            assert_int_equal(bench_begin(&b, 0, source, d), NB_NONE);
            b.given.paused[first] = 7;
            const uint32_t one = bench_begin(&b, 0, source, d);
            const uint32_t two = bench_begin(&b, 1, source, d);
            for (int again = 0; again < 4; again++)
                assert_int_equal(bench_begin(&b, 0, source, d), one);
            SIMULATION_CHECK(stays ? one == NB_NONE && two == NB_NONE
                                   : one != NB_NONE && two != NB_NONE &&
                                         one != two,
                             "%u to %u: by %u and %u", source, d, one, two);
            b.given.paused[first] = 0;
        }
    bench_close(&b);
}

/* The share of packets that goes straight. */
static double bench_share(struct bench *b, uint32_t source, uint32_t target)
{
    enum { PACKETS = 6400 };
    int straight = 0;
    for (int p = 0; p < PACKETS; p++)
        straight += bench_begin(b, 0, source, target) == NB_NONE;
    return straight / (double)PACKETS;
}

static void check_share(struct bench *b, uint32_t source, uint32_t target,
                        double expected, const char *when)
{
    const double share = bench_share(b, source, target);
    const double spread = sqrt(expected * (1 - expected) / 6400);
    SIMULATION_CHECK(fabs(share - expected) <= 5 * spread,
                     "%s: %u to %u: %g straight instead of %g", when, source,
                     target, share, expected);
}

/* A router's global channel has a full buffer; the packet drawn from it comes
 * from a neighbour. The neighbour knows after the latency of the channel
 * between them, and then blames its port to that channel; with packets that
 * pass, the probability recovers by 1 % per hundred. The router's own packets
 * blame the channel itself, at once. */
static void check_notifications(const char *scheme, double factor)
{
    struct bench b;
    bench_open(&b, scheme);
    const struct nb_topology *topology = &b.s.topology;
    const struct nb_routing_kind *kind = b.s.routing.kind;
    uint32_t global = 0, neighbour = 0;
    while (!nb_channel_is_global(topology, global))
        global++;
    const uint32_t router = topology->channels[global].source;
    const uint32_t target = topology->channels[global].target;
    while (neighbour == router ||
           topology->groups.of[neighbour] != topology->groups.of[router])
        neighbour++;
    const uint32_t port =
        nb_rule_straight(&b.s.routing, &b.view, neighbour, router);
    kind->observe(&b.s.routing, &b.view, 0);
    check_share(&b, neighbour, target, 1, "at the start");
    b.given.sample = (struct nb_sample){ 1, neighbour, global };
    b.given.passed[global] = 99;
    kind->observe(&b.s.routing, &b.view, 1);
    b.given.passed[global] = 100;
    kind->observe(&b.s.routing, &b.view, 2);
    kind->observe(&b.s.routing, &b.view, 11);
    check_share(&b, neighbour, target, 1, "under way");
    kind->observe(&b.s.routing, &b.view, 12);
    check_share(&b, neighbour, target, factor, "known");
    check_share(&b, router, target, 1, "somebody else's");
    b.given.sample.filled = 0.1;
    b.given.passed[port] = 100;
    kind->observe(&b.s.routing, &b.view, 13);
    check_share(&b, neighbour, target, factor + 0.01, "trusted again");
    b.given.sample = (struct nb_sample){ 1, router, global };
    b.given.passed[global] = 200;
    kind->observe(&b.s.routing, &b.view, 14);
    check_share(&b, router, target, factor, "its own");
    bench_close(&b);
}

/* Compared with the mean of the 5 ports, 63 / 5, the reduction is smaller. */
static void test_notifications(void **state)
{
    (void)state;
    check_notifications("qcn-switch:share=1,variant=base@dragonfly:h=2",
                        1 / 64.0);
    check_notifications("qcn-switch:share=1@dragonfly:h=2",
                        1 - (63 - 63 / 5.0) / 64);
}

/* Adversarial traffic of twice what goes straight at most, with buffers that
 * fill: nearly all of it arrives, with either scheme and each kind of flow
 * control; and uniform traffic takes no detours. */
static void test_relief(void **state)
{
    static const char *const schemes[] = {
        "mar-bp", "qcn-switch:interval=5,packets=20",
        "qcn-switch:interval=5,packets=20,variant=base",
        ("qcn-switch:interval=5,packets=20,variant=base,sampling=input,"
         "source-processing=yes")
    };
    (void)state;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        for (int flow = 0; flow < 3; flow++)
            for (int is_uniform = 0; is_uniform < 2; is_uniform++) {
                struct nb_simulation_result result;
                struct simulation s;
                char name[160];
                if (!nb_cases_have(
                        6 * i + 2 * (size_t)flow + (size_t)is_uniform, 5))
                    continue;
                snprintf(name, sizeof name, "%s@dragonfly:h=2", schemes[i]);
                simulation_open(&s, name,
                                is_uniform ? "uniform" : "adversarial:offset=1",
                                0.25);
                s.plan.router = (struct nb_router){
                    .model = NB_ROUTER_CREDIT,
                    .arbitration = NB_IN_TURN,
                    .buffer = 40,
                    .output_buffer = 20,
                    .speedup = 2,
                    .pipeline = 2,
                    .channel_latency = 3,
                    .allocation = NB_ALLOCATION_SEPARABLE,
                    .flow_control = (enum nb_flow_control)flow,
                    .output_queues =
                        flow > 0 ? NB_OUTPUT_OF_VIRTUAL : NB_OUTPUT_OF_CHANNEL,
                };
                s.plan.is_drained = false;
                s.plan.warm_up = 8000;
                simulation_run(&s, &result);
                SIMULATION_CHECK(
                    is_uniform ? result.minimal.mean == 1
                               : result.accepted.mean > 0.22 &&
                                     result.accepted.mean < 0.26,
                    "%s, flow control %d, uniform %d: %g, %g straight", s.name,
                    flow, is_uniform, result.accepted.mean,
                    result.minimal.mean);
                nb_simulation_result_release(&result);
                simulation_close(&s);
            }
}

/* Benito, figures 4-16 and 4-18, at h = 2: under adversarial traffic the router
 * of the global channel gets no notifications if inputs are sampled, and sends
 * less; it does as well as the others if it reads its own notifications, or if
 * outputs are sampled. Compared with a mean that remembers an old congestion,
 * another router does not learn unless that is forgotten. */
static void test_fairness(void **state)
{
    static const struct {
        const char *scheme;
        bool is_fair;
    } rows[] = {
        { "qcn-switch:sampling=input,variant=base@dragonfly:h=2", false },
        { "qcn-switch:sampling=input,variant=base,source-processing=yes@"
          "dragonfly:h=2",
          true },
        { "qcn-switch:variant=base@dragonfly:h=2", true },
        { "qcn-switch@dragonfly:h=2", false },
        { "qcn-switch:forget=yes@dragonfly:h=2", true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nb_simulation_result result;
        struct simulation s;
        double accepted[4] = { 0 }, least = 1;
        if (!nb_cases_have(i, 2))
            continue;
        simulation_open(&s, rows[i].scheme, "adversarial:offset=1", 0.4);
        s.plan.router = (struct nb_router){
            .model = NB_ROUTER_CREDIT,
            .arbitration = NB_IN_TURN,
            .buffer = 100,
            .output_buffer = 100,
            .speedup = 2,
            .pipeline = 1,
            .channel_latency = 1,
            .global_latency = 2,
            .allocation = NB_ALLOCATION_SEPARABLE,
            .flow_control = NB_PAUSE,
            .output_queues = NB_OUTPUT_OF_VIRTUAL,
        };
        s.plan.is_drained = false;
        s.plan.warm_up = 10000;
        simulation_run(&s, &result);
        for (uint32_t r = 0; r < s.topology.router_count; r++)
            accepted[r % 4] +=
                result.accepted_of[r].mean / (double)s.topology.groups.count;
        for (size_t r = 0; r < 4; r++)
            least = fmin(least, accepted[r]);
        SIMULATION_CHECK(rows[i].is_fair ? least > 0.385 : least < 0.35,
                         "%s: %g %g %g %g", s.name, accepted[0], accepted[1],
                         accepted[2], accepted[3]);
        nb_simulation_result_release(&result);
        simulation_close(&s);
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),       cmocka_unit_test(test_pauses),
        cmocka_unit_test(test_notifications), cmocka_unit_test(test_relief),
        cmocka_unit_test(test_fairness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
