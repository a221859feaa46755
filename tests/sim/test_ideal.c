/* The ideal router: latency without queues, and no lost flits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "support/simulation.h"
#include "support/topology_checks.h"
#include "support/walk.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The only packet of the network, born now, until nothing of it is left. */
static void send_alone(struct simulation *s, uint32_t source, uint32_t target)
{
    struct nb_network *network = &s->network;
    struct nb_trace_packet *packet = &s->trace.packets[network->sources.sent];
    packet->cycle = network->cycle;
    packet->source = source;
    packet->target = target;
    do
        simulation_cycle(s);
    while (network->packets.count > 0);
}

static uint64_t flits_sent(const struct nb_network *network)
{
    uint64_t sent = 0;
    for (size_t q = 0; q < network->queue_count; q++)
        sent += network->measure.sent[q];
    return sent;
}

/* Its latency is the time of its hops and its flits: hops as the channels
 * counted them, and from the cycles that its head was under way. */
static void check_alone(struct simulation *s, uint32_t source, uint32_t target,
                        const uint32_t *distance)
{
    struct nb_network *network = &s->network;
    const struct nb_batch before = network->measure.batch[0];
    const uint64_t sent = flits_sent(network), birth = network->cycle;
    const uint32_t flits = s->trace.packets[0].flits;
    send_alone(s, source, target);
    const double latency = network->measure.batch[0].latency - before.latency;
    const double hops = network->measure.batch[0].hops - before.hops +
                        network->has_terminal_queues; /* which it leaves out */
    const double queueing =
        network->measure.batch[0].queueing - before.queueing;
    const double cycles = hops > 0 ? (double)(network->cycle - birth) : 0;
    for (uint32_t f = 1; f < flits; f++) /* the rest of the body */
        simulation_cycle(s);
    const double crossings =
        (double)(flits_sent(network) - sent) / (double)flits;
    SIMULATION_CHECK(
        hops == crossings && hops == cycles && queueing == 0 &&
            latency == hops + (hops > 0 ? flits - 1.0 : 0),
        "%s: %u to %u, %u flits: latency %g, queueing %g, hops %g, %g by "
        "channels, %g by cycles",
        s->name, source, target, flits, latency, queueing, hops, crossings,
        cycles);
    if (s->routing.is_minimal || s->routing.kind->is_deflecting)
        SIMULATION_CHECK(hops == distance[network->terminal_router[source]] +
                                     network->has_terminal_queues,
                         "%s: %u to %u: %g hops", s->name, source, target,
                         hops);
    assert_int_equal(network->flits_in, network->flits_out);
    assert_int_equal(network->engine->count_flits(network), 0);
}

/* Every pair of terminals of an example, one packet after another; the chaos
 * router delays and deflects it no more than the ideal one does. */
static void check_all_alone(const char *example, uint32_t flits,
                            enum nb_arbitration arbitration,
                            enum nb_slot_order order)
{
    struct simulation s;
    simulation_open(&s, example, "uniform", 0);
    const size_t routers = s.topology.router_count;
    const uint32_t terminals = (uint32_t)s.topology.terminal_count;
    struct nb_trace_packet *packets =
        calloc((size_t)terminals * terminals, sizeof *packets);
    uint32_t *distance = calloc(routers, sizeof *distance);
    assert_true(packets != NULL && distance != NULL);
    for (size_t p = 0; p < (size_t)terminals * terminals; p++)
        packets[p] = (struct nb_trace_packet){ UINT64_MAX, 0, 0, flits };
    simulation_set_trace(&s, packets, (size_t)terminals * terminals);
    s.plan.router.arbitration = arbitration;
    s.plan.router.slot_order = order;
    if (s.routing.kind->is_deflecting) {
        s.plan.router.slot_order = NB_SLOT_TRANSIT;
        s.plan.router.model = NB_ROUTER_CHAOS;
        s.plan.router.buffer = s.plan.router.output_buffer = flits;
        s.plan.router.shared_queue = 2 * flits;
    }
    simulation_start(&s);
    for (uint32_t target = 0; target < terminals; target++) {
        walk_shortest(&s.topology, s.network.terminal_router[target], distance);
        for (uint32_t source = 0; source < terminals; source++)
            check_alone(&s, source, target, distance);
    }
    free(packets);
    free(distance);
    simulation_close(&s);
}

static void test_alone(void **state)
{
    (void)state;
    for (size_t k = 0; nb_routing_kinds[k] != NULL; k++) {
        const char *examples = nb_routing_kinds[k]->examples;
        char name[TOPOLOGY_WORD];
        while (topology_next_word(&examples, name)) {
            check_all_alone(name, 1, NB_OLDEST_FIRST, NB_SLOT_TRANSIT);
            check_all_alone(name, strstr(name, "bandwidth") == NULL ? 4 : 1,
                            NB_IN_TURN, NB_SLOT_RANDOM);
        }
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Over other channels the last flit would be delivered too early. */
static void test_long_over_other_channels(void **state)
{
    struct nb_simulation_result result;
    struct nb_error err = { 0 };
    struct simulation s;
    (void)state;
    simulation_open(&s, "dor@mesh:3x3,bandwidth=2", "transpose", 0.1);
    s.plan.injection.flits = 2;
    assert_int_equal(nb_simulate(&s.plan, NULL, &result, &err), NB_INVALID);
    assert_string_equal(
        err.message,
        "packets of 2 flits are not permitted over channels of bandwidths "
        "other than 1 (permitted: packets of 1 flit, or the credit router)");
    simulation_close(&s);
}

/* The first packet of a network. */
static void check_first(const char *example, uint32_t source, uint32_t target,
                        uint32_t flits, double hops)
{
    const struct nb_trace_packet packet = { 0, source, target, flits };
    struct nb_simulation_result result;
    struct simulation s;
    simulation_open(&s, example, "uniform", 0);
    simulation_set_trace(&s, &packet, 1);
    simulation_run(&s, &result);
    const double latency = hops + (hops > 0 ? flits - 1 : 0);
    const double last = nb_ratio_is_known(s.topology.terminal_bandwidth);
    SIMULATION_CHECK(
        result.hops.mean == hops - last && result.latency.mean == latency &&
            result.queueing.mean == 0 && result.packets == 1 &&
            result.unfinished == 0 && result.stability == NB_STABLE &&
            (double)result.completion == fmax(latency, 1),
        "%s, %u to %u, %u flits: hops %g, latency %g, end %ju", example, source,
        target, flits, result.hops.mean, result.latency.mean,
        (uintmax_t)result.completion);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

/* Known hops: the channel to the terminal is one, but not in the mean. */
static void test_first(void **state)
{
    static const struct {
        const char *example;
        uint32_t source, target;
        double hops;
    } rows[] = {
        { "rrr@fattree:k=2,n=3", 0, 7, 5 }, /* 2 n - 1 */
        { "rrr@fattree:k=2,n=3", 0, 1, 5 },
        { "rcar@fattree:k=2,n=3", 0, 7, 5 },
        { "rcar@fattree:k=2,n=3", 0, 1, 1 },
        { "rcar@fattree:k=2,n=3", 0, 0, 1 },
        { "min@dragonfly:h=2,p=1", 0, 0, 1 },
        { "min@dragonfly:h=2,p=1", 0, 1, 2 },
        { "dor@torus:4x4", 0, 10, 4 },
        { "dor@torus:4x4", 0, 0, 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t flits = 1; flits <= 3; flits += 2)
            check_first(rows[i].example, rows[i].source, rows[i].target, flits,
                        rows[i].hops);
    /* Channels that were idle send at once. */
    check_first("dor@torus:4x4,bandwidth=1/2", 0, 5, 1, 2);
    check_first("dor@torus:4x4,bandwidth=2/3", 0, 10, 1, 4);
    check_first("dor@torus:4x4,bandwidth=5/2", 0, 10, 1, 4);
}

/* Flits of the packets in use. */
static uint64_t flits_under_way(const struct nb_packets *packets)
{
    uint64_t flits = 0;
    for (uint32_t p = 0; p < packets->fresh; p++)
        flits += packets->flits[p];
    return flits;
}

static void test_conservation(void **state)
{
    static const struct {
        const char *example, *traffic;
        double rate;
        uint32_t flits;
    } rows[] = {
        { "val@torus:4x4", "uniform", 0.3, 3 },
        { "dor@torus:4x4", "tornado", 0.9, 1 }, /* saturated */
        { "dor@mesh:3x3,bandwidth=2", "transpose", 1.4, 1 },
        { "romm@mesh:3x3,bandwidth=1/2", "uniform", 0.4, 1 },
        { "min@dragonfly:h=2,p=1", "uniform", 0.3, 2 },
        { "rrr@fattree:k=2,n=3", "uniform", 0.7, 1 },
        { "rrr@fattree:k=3,n=2,bandwidth=3/2", "uniform", 0.8, 1 },
        { "min-adaptive@torus:4x4", "uniform", 0.5, 1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int order = 0; order < 2; order++) {
            struct simulation s;
            simulation_open(&s, rows[i].example, rows[i].traffic, rows[i].rate);
            s.plan.injection.flits = rows[i].flits;
            s.plan.router.arbitration = (enum nb_arbitration)order;
            simulation_start(&s);
            const struct nb_network *network = &s.network;
            for (int cycle = 0; cycle < 1500; cycle++) {
                simulation_cycle(&s);
                const uint64_t inside = network->flits_in - network->flits_out;
                SIMULATION_CHECK(
                    inside == network->engine->count_flits(network) &&
                        inside == flits_under_way(&network->packets),
                    "%s, cycle %d", s.name, cycle);
            }
            assert_true(network->flits_out > 1000);
            simulation_close(&s);
        }
}

static void test_self_packets(void **state)
{
    static const struct nb_trace_packet packets[] = { { 0, 2, 2, 3 },
                                                      { 0, 2, 2, 1 },
                                                      { 5, 1, 1, 1 } };
    struct nb_simulation_result result;
    struct simulation s;
    (void)state;
    simulation_open(&s, "dor@mesh:4", "uniform", 0);
    simulation_set_trace(&s, packets, 3);
    simulation_run(&s, &result);
    assert_true(result.packets == 3 && result.unfinished == 0);
    assert_true(result.latency.mean == 0 && result.hops.mean == 0 &&
                result.queueing.mean == 0 && result.minimal.mean == 1);
    /* 5 flits of 4 terminals, from cycle 0 to the end of cycle 5 */
    assert_true(result.accepted.mean == 5.0 / 4 / 6 &&
                result.offered.mean == result.accepted.mean);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

static void test_memory_of_packets(void **state)
{
    const struct nb_packets *p = NULL;
    (void)state;
    const size_t bytes = sizeof *p->age + sizeof *p->state + sizeof *p->source +
                         sizeof *p->target + sizeof *p->number +
                         sizeof *p->memory + sizeof *p->next +
                         sizeof *p->child + sizeof *p->hops + sizeof *p->flits +
                         sizeof *p->start;
    assert_true(bytes < 64);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_long_over_other_channels),
        cmocka_unit_test(test_first),
        cmocka_unit_test(test_conservation),
        cmocka_unit_test(test_self_packets),
        cmocka_unit_test(test_memory_of_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
