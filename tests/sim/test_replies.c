/* Requests and replies: every request is answered, and capacities are kept;
 * with one virtual network they may wait for each other, with two they do not,
 * and the watchdog names the packets that do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "support/simulation.h"
#include "support/topology_checks.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void open_requests(struct simulation *s, const char *scheme,
                          const char *traffic, double rate)
{
    simulation_open(s, scheme, traffic, rate);
    s->plan.router.model = NB_ROUTER_CREDIT;
    s->plan.router.arbitration = NB_IN_TURN;
    s->plan.router.buffer = 1;
    s->plan.reply_buffer = 1;
}

/* No terminal ever holds more replies than it has room for. */
static void check_room(const struct simulation *s)
{
    const struct nb_replies *replies = &s->network.replies;
    for (size_t t = 0; t < s->topology.terminal_count; t++)
        assert_true(replies->held[t] <= s->plan.reply_buffer);
}

/* Runs until the watchdog reports or the cycles are over. */
static enum nb_status run(struct simulation *s, uint64_t cycles,
                          struct nb_error *err)
{
    enum nb_status status = NB_OK;
    simulation_start(s);
    while (status == NB_OK && s->network.cycle < cycles) {
        status = nb_network_cycle(&s->network, err);
        check_room(s);
    }
    return status;
}

/*
 * Reads "MESSAGE of terminal A to B in channel C (router D to E) waits for room
 * for replies at terminal B; " or ".. waits for channel C; " packet after
 * packet: each is where the one before it waits. Returns their number.
 */
static size_t read_packets(const struct simulation *s, const char *message)
{
    uint32_t source, target, channel, from, to, room, wanted = NB_NONE;
    uint32_t terminal = NB_NONE;
    size_t count = 0;
    char word[20];
    int used = 0;
    uintmax_t cycle;
    assert_int_equal(sscanf(message,
                            "deadlock of requests and replies at cycle %ju: %n",
                            &cycle, &used),
                     1);
    for (const char *at = message + used;; count++) {
        used = 0;
        if (sscanf(at, "%19s of terminal %u to %u%n", word, &source, &target,
                   &used) != 3 ||
            used == 0)
            break;
        at += used;
        used = 0;
        sscanf(at, " in channel %u (router %u to %u)%n", &channel, &from, &to,
               &used);
        if (used > 0) {
            SIMULATION_CHECK((wanted == NB_NONE || wanted == channel) &&
                                 terminal == NB_NONE &&
                                 s->topology.channels[channel].source == from &&
                                 s->topology.channels[channel].target == to,
                             "%s", message);
        } else { /* a reply at its source */
            SIMULATION_CHECK(strcmp(word, "reply") == 0 && terminal == source,
                             "%s", message);
            to = s->network.terminal_router[source];
        }
        at += used;
        terminal = wanted = NB_NONE;
        used = 0;
        if (sscanf(at, " waits for room for replies at terminal %u; %n", &room,
                   &used) == 1 &&
            used > 0) {
            SIMULATION_CHECK(strcmp(word, "request") == 0 && room == target &&
                                 s->network.terminal_router[target] == to,
                             "%s", message);
            terminal = room;
        } else {
            SIMULATION_CHECK(
                sscanf(at, " waits for channel %u; %n", &wanted, &used) == 1 &&
                    s->topology.channels[wanted].source == to,
                "%s", message);
        }
        at += used;
    }
    return count;
}

/* A network that every packet of 16 routers crosses stops with one virtual
 * network; the watchdog names a chain of packets, each where the one before it
 * waits. */
static void test_mesh(void **state)
{
    static const char *const schemes[] = { "dor@mesh:4x4",
                                           "dor@mesh:4x4,terminal-bandwidth=1",
                                           "dor@ring:8", "dor@torus:4x4",
                                           "updown@fattree:k=2,n=3" };
    (void)state;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        for (uint32_t networks = 1; networks <= 2; networks++) {
            struct simulation s;
            struct nb_error err = { 0 };
            open_requests(&s, schemes[i], "uniform", 1);
            s.plan.router.virtual_networks = networks;
            const enum nb_status status = run(&s, 20000, &err);
            SIMULATION_CHECK(status == (networks == 1 ? NB_INVALID : NB_OK),
                             "%s, %u: %s", s.name, networks, err.message);
            if (networks == 1)
                SIMULATION_CHECK(read_packets(&s, err.message) >= 2, "%s",
                                 err.message);
            simulation_close(&s);
        }
}

/* Batches of requests: all are answered, for any router, length of packets and
 * capacity. */
static void test_all_are_answered(void **state)
{
    static const char *const schemes[] = {
        "dor@mesh:3x3", "val@ring:5", "dor@mesh:3x3,terminal-bandwidth=1/2",
        "min-adaptive@torus:4x4"
    };
    (void)state;
    for (size_t i = 0; i < 16 * sizeof schemes / sizeof *schemes; i++) {
        struct simulation s;
        struct nb_simulation_result result;
        open_requests(&s, schemes[i / 16], "uniform", 0);
        s.plan.injection.kind = NB_INJECT_BATCH;
        s.plan.injection.batch = 5;
        s.plan.injection.flits = i % 2 == 0 ? 1 : 3;
        s.plan.router.buffer = 4;
        s.plan.router.virtual_networks = 2;
        s.plan.router.pipeline = i / 2 % 2;
        s.plan.reply_buffer = i / 4 % 2 == 0 ? 1 : 3;
        s.plan.router.allocation =
            i / 8 % 2 == 0 ? NB_ALLOCATION_GREEDY : NB_ALLOCATION_SEPARABLE;
        if (i % 16 == 0) {
            s.plan.router.model = NB_ROUTER_IDEAL;
            s.plan.router.virtual_networks = 1;
        }
        simulation_run(&s, &result);
        SIMULATION_CHECK(result.unfinished == 0 &&
                             result.packets == 5 * s.topology.terminal_count,
                         "%s, %zu: %ju", s.name, i,
                         (uintmax_t)result.unfinished);
        SIMULATION_CHECK(result.round_trip.mean >=
                             result.latency.mean + result.reply_latency.mean -
                                 1e-9,
                         "%s, %zu", s.name, i);
        nb_simulation_result_release(&result);
        simulation_close(&s);
    }
}

/* A batch of every scheme that its classes protect, through the smallest
 * buffers and capacities: with two networks all requests are answered. Schemes
 * with injection queues are refused by name. */
static void check_scheme(const char *name)
{
    struct simulation s;
    struct nb_vc_classes classes;
    struct nb_simulation_result result;
    struct nb_error err = { 0 };
    open_requests(&s, name, "uniform", 0);
    s.plan.injection.kind = NB_INJECT_BATCH;
    s.plan.injection.batch = 3;
    s.plan.injection.flits = 2;
    s.plan.router.switching = NB_WORMHOLE;
    s.plan.router.buffer = 2;
    s.plan.router.virtual_networks = 2;
    assert_int_equal(nb_vc_classes_build(&s.routing, &classes, NULL), NB_OK);
    const bool is_kept = !classes.rule->is_unprotected &&
                         2 * classes.count <= NB_MOST_VC_CLASSES;
    nb_vc_classes_release(&classes);
    if (s.routing.kind->has_injection_queues) {
        SIMULATION_CHECK(nb_simulate(&s.plan, NULL, &result, &err) ==
                                 NB_INVALID &&
                             strstr(err.message, "injection queues") != NULL,
                         "%s: %s", name, err.message);
    } else if (is_kept) {
        simulation_run(&s, &result);
        SIMULATION_CHECK(result.unfinished == 0 &&
                             result.packets == 3 * s.topology.terminal_count,
                         "%s: %ju of %ju", name, (uintmax_t)result.unfinished,
                         (uintmax_t)result.packets);
        nb_simulation_result_release(&result);
    }
    simulation_close(&s);
}

static void test_every_scheme(void **state)
{
    (void)state;
    for (size_t k = 0; nb_routing_kinds[k] != NULL; k++) {
        const char *examples = nb_routing_kinds[k]->examples;
        char name[TOPOLOGY_WORD];
        while (!nb_routing_kinds[k]->is_deflecting &&
               topology_next_word(&examples, name))
            check_scheme(name);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* One request over 3 hops without queues, by hand: the cycles of the packet
 * there, the same number back, and the pipeline of the last router, which the
 * request passes to its terminal. */
static void test_one_round_trip(void **state)
{
    static const struct nb_trace_packet packet = { 0, 0, 3, 4 };
    static const struct {
        uint32_t pipeline, there, back;
    } cases[] = { { 0, 3 + 3, 3 + 3 }, { 2, 3 * 3 + 3 + 2, 3 * 3 + 3 } };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct simulation s;
        struct nb_simulation_result result;
        open_requests(&s, "dor@mesh:4", "uniform", 0);
        simulation_set_trace(&s, &packet, 1);
        s.plan.router.buffer = 4;
        s.plan.router.virtual_networks = 2;
        s.plan.router.pipeline = cases[i].pipeline;
        simulation_run(&s, &result);
        assert_true(result.latency.mean == cases[i].there);
        assert_true(result.reply_latency.mean == cases[i].back);
        assert_true(result.round_trip.mean == cases[i].there + cases[i].back);
        assert_true(result.queueing.mean == 0);
        nb_simulation_result_release(&result);
        simulation_close(&s);
    }
}

/* After a warm-up, all replies to measured requests are counted: with room for
 * all, the mean round trip is a request's latency plus its reply's. */
static void test_after_warm_up(void **state)
{
    struct simulation s;
    struct nb_simulation_result result;
    (void)state;
    simulation_open(&s, "dor@mesh:4x4", "uniform", 0.3);
    s.plan.reply_buffer = 1000;
    s.plan.warm_up = 1000;
    s.plan.cycles = 3200;
    simulation_run(&s, &result);
    assert_true(result.stability == NB_STABLE && result.packets > 10000);
    SIMULATION_CHECK(fabs(result.round_trip.mean - result.latency.mean -
                          result.reply_latency.mean) < 1e-9,
                     "%g, %g and %g", result.round_trip.mean,
                     result.latency.mean, result.reply_latency.mean);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_all_are_answered),
        cmocka_unit_test(test_one_round_trip),
        cmocka_unit_test(test_after_warm_up),
        cmocka_unit_test(test_every_scheme),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
