/* The credit router: latency without queues, and the throughput that credits
 * and bandwidths allow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "sim/routers/credit.h"
#include "support/cases.h"
#include "support/simulation.h"
#include "support/topology_checks.h"
#include "support/walk.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void open_credit(struct simulation *s, const char *example,
                        const char *traffic, double rate)
{
    simulation_open(s, example, traffic, rate);
    s->plan.router.model = NB_ROUTER_CREDIT;
}

/* far: over channels between groups, otherwise over all */
static uint64_t sent_by_all(const struct nb_network *network, bool far)
{
    const struct nb_topology *topology = network->topology;
    uint64_t sent = 0;
    for (uint32_t q = 0; q < network->queue_count; q++)
        if (!far ||
            (q < topology->channel_count && nb_channel_is_global(topology, q)))
            sent += network->measure.sent[q];
    return sent;
}

/* Sends one packet through the empty network. Its latency is that of its hops,
 * as the channels counted them, and of the flits behind its head. */
static void check_alone(struct simulation *s, uint32_t source, uint32_t target,
                        const uint32_t *distance)
{
    struct nb_network *network = &s->network;
    struct nb_trace_packet *packet = &s->trace.packets[network->sources.sent];
    const struct nb_router *router = &s->plan.router;
    const struct nb_batch before = network->measure.batch[0];
    const uint64_t sent = sent_by_all(network, false), birth = network->cycle;
    const uint64_t far = sent_by_all(network, true);
    packet->cycle = birth;
    packet->source = source;
    packet->target = target;
    do
        simulation_cycle(s);
    while (network->packets.count > 0);
    const double flits = packet->flits;
    const double hops = (double)(sent_by_all(network, false) - sent) / flits;
    const double far_hops =
        router->global_latency == 0
            ? 0
            : (double)(sent_by_all(network, true) - far) / flits;
    const double expected =
        hops == 0
            ? 0
            : hops * (router->pipeline + router->channel_latency) + flits - 1 +
                  far_hops * ((double)router->global_latency -
                              router->channel_latency);
    const double latency = network->measure.batch[0].latency - before.latency;
    SIMULATION_CHECK(
        latency == expected &&
            network->measure.batch[0].hops - before.hops ==
                hops - network->has_terminal_queues &&
            network->measure.batch[0].queueing == before.queueing &&
            (hops == 0 || (double)(network->cycle - birth) == expected),
        "%s, pipeline %u, channels %u: %u to %u, %g flits, %g hops: latency %g "
        "or %ju instead of %g",
        s->name, router->pipeline, router->channel_latency, source, target,
        flits, hops, latency, (uintmax_t)(network->cycle - birth), expected);
    if (s->routing.is_minimal)
        SIMULATION_CHECK(hops == distance[network->terminal_router[source]] +
                                     network->has_terminal_queues,
                         "%s: %u to %u: %g hops", s->name, source, target,
                         hops);
    assert_int_equal(network->flits_in, network->flits_out);
    assert_int_equal(network->engine->count_flits(network), 0);
    const uint32_t back = router->channel_latency + router->global_latency;
    for (uint32_t c = 0; c < back; c++) /* credits */
        simulation_cycle(s);
}

/* Every pair of terminals of an example, one packet after another; when the
 * last credits are back all buffers are free. */
static void check_all_alone(const char *example, struct nb_router router,
                            uint32_t flits)
{
    struct simulation s;
    simulation_open(&s, example, "uniform", 0);
    s.plan.router = router;
    const size_t routers = s.topology.router_count;
    const uint32_t terminals = (uint32_t)s.topology.terminal_count;
    const size_t pairs = (size_t)terminals * terminals;
    struct nb_trace_packet *packets = calloc(pairs, sizeof *packets);
    uint32_t *distance = calloc(routers, sizeof *distance);
    assert_true(packets != NULL && distance != NULL);
    for (size_t p = 0; p < pairs; p++)
        packets[p] = (struct nb_trace_packet){ UINT64_MAX, 0, 0, flits };
    simulation_set_trace(&s, packets, pairs);
    simulation_start(&s);
    for (uint32_t target = 0; target < terminals; target++) {
        walk_shortest(&s.topology, s.network.terminal_router[target], distance);
        for (uint32_t source = 0; source < terminals; source++)
            check_alone(&s, source, target, distance);
    }
    for (uint32_t q = 0; q < s.network.queue_count; q++)
        assert_int_equal(s.network.engine->queue(&s.network, q), 0);
    free(packets);
    free(distance);
    simulation_close(&s);
}

static void test_alone(void **state)
{
    static const struct {
        struct nb_router router;
        uint32_t flits;
    } rows[] = {
        { { .model = NB_ROUTER_CREDIT,
            .arbitration = NB_OLDEST_FIRST,
            .buffer = 1,
            .output_buffer = 1,
            .speedup = 1,
            .channel_latency = 1 },
          1 },
        { { .model = NB_ROUTER_CREDIT,
            .arbitration = NB_IN_TURN,
            .switching = NB_WORMHOLE,
            .buffer = 8,
            .output_buffer = 1,
            .speedup = 1,
            .pipeline = 3,
            .channel_latency = 2 },
          4 },
        { { .model = NB_ROUTER_CREDIT,
            .arbitration = NB_IN_TURN,
            .buffer = 5,
            .output_buffer = 2,
            .speedup = 2,
            .pipeline = 1,
            .channel_latency = 3 },
          5 },
        { { .model = NB_ROUTER_CREDIT,
            .arbitration = NB_IN_TURN,
            .switching = NB_WORMHOLE,
            .buffer = 6,
            .output_buffer = 1,
            .speedup = 1,
            .pipeline = 3,
            .channel_latency = 2,
            .global_latency = 9,
            .global_buffer = 4 },
          3 },
        { { .model = NB_ROUTER_CREDIT,
            .arbitration = NB_IN_TURN,
            .buffer = 10,
            .output_buffer = 6,
            .speedup = 2,
            .pipeline = 2,
            .channel_latency = 3,
            .allocation = NB_ALLOCATION_SEPARABLE },
          5 },
        { { .model = NB_ROUTER_CREDIT,
            .arbitration = NB_OLDEST_FIRST,
            .buffer = 4,
            .output_buffer = 1,
            .speedup = 2,
            .channel_latency = 1,
            .allocation = NB_ALLOCATION_SEPARABLE },
          1 },
        { { .model = NB_ROUTER_CREDIT,
            .arbitration = NB_IN_TURN,
            .buffer = 6,
            .output_buffer = 5,
            .speedup = 2,
            .pipeline = 2,
            .channel_latency = 3,
            .output_queues = NB_OUTPUT_OF_VIRTUAL },
          4 },
        { { .model = NB_ROUTER_CREDIT,
            .arbitration = NB_IN_TURN,
            .buffer = 30,
            .output_buffer = 5,
            .speedup = 1,
            .pipeline = 2,
            .channel_latency = 3,
            .global_latency = 9,
            .flow_control = NB_PAUSE,
            .output_queues = NB_OUTPUT_OF_VIRTUAL },
          4 },
    };
    size_t tried = 0;
    (void)state;
    for (size_t k = 0; nb_routing_kinds[k] != NULL; k++) {
        const char *examples = nb_routing_kinds[k]->examples;
        char name[TOPOLOGY_WORD];
        while (!nb_routing_kinds[k]->is_deflecting &&
               topology_next_word(&examples, name))
            for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                if (nb_cases_have(tried++, 3))
                    check_all_alone(name, rows[i].router, rows[i].flits);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Flits that a channel sends in a number of cycles once it is in use. */
static uint64_t send_on(struct simulation *s, uint32_t channel, uint64_t cycles)
{
    simulation_start(s);
    for (int c = 0; c < 500; c++)
        simulation_cycle(s);
    const uint64_t before = s->network.measure.sent[channel];
    for (uint64_t c = 0; c < cycles; c++)
        simulation_cycle(s);
    return s->network.measure.sent[channel] - before;
}

/* A batch that does not end within the test. */
static void set_batch(struct simulation *s, uint32_t flits)
{
    s->plan.injection.kind = NB_INJECT_BATCH;
    s->plan.injection.batch = 5000;
    s->plan.injection.flits = flits;
}

static uint32_t channel_between(const struct nb_topology *topology,
                                uint32_t source, uint32_t target)
{
    for (uint32_t c = 0; c < topology->channel_count; c++)
        if (topology->channels[c].source == source &&
            topology->channels[c].target == target)
            return c;
    fail_msg("no channel from %u to %u", source, target);
    return NB_NONE;
}

/* F flits of buffer pass in the time until a flit's credit is back: over the
 * channel, through the next router, and back. */
static void check_credit_stall(enum nb_output_queues queues)
{
    for (uint32_t buffer = 1; buffer <= 6; buffer++)
        for (uint32_t latency = 1; latency <= 5; latency += 2)
            for (uint32_t pipeline = 0; pipeline <= 3; pipeline += 3)
                for (uint32_t channels = 1; channels <= 3; channels++) {
                    struct simulation s;
                    const uint32_t trip = 2 * latency + pipeline;
                    const uint32_t room = channels * buffer;
                    const uint64_t periods = 40;
                    open_credit(&s, "dor@mesh:3", "bit-complement", 0);
                    set_batch(&s, 1);
                    s.plan.router.virtual_channels = channels;
                    s.plan.router.buffer = buffer;
                    s.plan.router.channel_latency = latency;
                    s.plan.router.pipeline = pipeline;
                    s.plan.router.output_queues = queues;
                    const uint64_t sent = send_on(
                        &s, channel_between(&s.topology, 0, 1), periods * trip);
                    SIMULATION_CHECK(
                        sent == periods * (room < trip ? room : trip),
                        "%u channels of %u flits, latency %u, pipeline %u: "
                        "%ju flits in %ju cycles",
                        channels, buffer, latency, pipeline, (uintmax_t)sent,
                        (uintmax_t)(periods * trip));
                    simulation_close(&s);
                }
}

static void test_credit_stall(void **state)
{
    (void)state;
    check_credit_stall(NB_OUTPUT_OF_CHANNEL);
    check_credit_stall(NB_OUTPUT_OF_VIRTUAL);
}

/* Buffers of 5 flits and 5 cycles each way, the router of [Hanlon2009]: one
 * virtual channel carries half of the bandwidth. */
static void test_credit_stall_of_half(void **state)
{
    (void)state;
    for (uint32_t channels = 1; channels <= 2; channels++) {
        struct simulation s;
        open_credit(&s, "min@complete:2", "bit-complement", 0);
        set_batch(&s, 1);
        s.plan.router.virtual_channels = channels;
        s.plan.router.buffer = 5;
        s.plan.router.channel_latency = 5;
        assert_int_equal(send_on(&s, 0, 1000), 500 * channels);
        simulation_close(&s);
    }
}

/* Packets of three flits with buffers of four and 5 cycles each way. Wormhole:
 * four flits per round trip. Cut-through: the next packet starts when the
 * second credit of the last one is back; if classes do not ascend, when all
 * are. */
static void test_switching(void **state)
{
    static const struct {
        const char *example;
        enum nb_switching switching;
        uint32_t target;
        uint64_t cycles, sent;
    } rows[] = {
        { "dor@mesh:3", NB_WORMHOLE, 2, 10, 4 },
        { "dor@mesh:3", NB_CUT_THROUGH, 2, 11, 3 },
        { "min@ccc:3", NB_WORMHOLE, 1, 12, 3 },
        { "min@ccc:3", NB_CUT_THROUGH, 1, 11, 3 },
    };
    enum { PACKETS = 500, PERIODS = 30 };
    static struct nb_trace_packet packets[PACKETS];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct simulation s;
        for (size_t p = 0; p < PACKETS; p++)
            packets[p] = (struct nb_trace_packet){ 0, 0, rows[i].target, 3 };
        open_credit(&s, rows[i].example, "uniform", 0);
        simulation_set_trace(&s, packets, PACKETS);
        s.plan.router.switching = rows[i].switching;
        s.plan.router.buffer = 4;
        s.plan.router.channel_latency = 5;
        const uint64_t sent = send_on(&s, channel_between(&s.topology, 0, 1),
                                      PERIODS * rows[i].cycles);
        SIMULATION_CHECK(sent == PERIODS * rows[i].sent,
                         "row %zu, %s: %ju flits in %ju cycles", i, s.name,
                         (uintmax_t)sent,
                         (uintmax_t)(PERIODS * rows[i].cycles));
        simulation_close(&s);
    }
}

/* Channels of other bandwidths send the number of flits that these imply, if
 * the switch passes that many. */
static void test_bandwidths(void **state)
{
    static const struct {
        const char *example;
        uint32_t speedup, output_buffer;
        uint64_t sent; /* in 600 cycles */
    } rows[] = {
        { "dor@mesh:3,bandwidth=1", 1, 1, 600 },
        { "dor@mesh:3,bandwidth=1", 2, 1, 600 },
        { "dor@mesh:3,bandwidth=1/2", 1, 1, 300 },
        { "dor@mesh:3,bandwidth=2/3", 1, 1, 400 },
        { "dor@mesh:3,bandwidth=2/3", 2, 3, 400 },
        { "dor@mesh:3,bandwidth=1/200", 1, 2, 3 },
        { "dor@mesh:3,bandwidth=2", 2, 1, 1200 },
        { "dor@mesh:3,bandwidth=2", 1, 1, 600 },
        { "dor@mesh:3,bandwidth=3/2", 2, 2, 900 },
        { "dor@mesh:3,bandwidth=5/2", 3, 2, 1500 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct simulation s;
        open_credit(&s, rows[i].example, "bit-complement", 0);
        set_batch(&s, 1);
        s.plan.router.buffer = 16;
        s.plan.router.speedup = rows[i].speedup;
        s.plan.router.output_buffer = rows[i].output_buffer;
        const uint64_t sent =
            send_on(&s, channel_between(&s.topology, 0, 1), 600);
        SIMULATION_CHECK(sent == rows[i].sent, "%s, speedup %u: %ju flits",
                         rows[i].example, rows[i].speedup, (uintmax_t)sent);
        simulation_close(&s);
    }
}

/* An idle channel of bandwidth 1/2 sends at once, then every other cycle. */
static void test_slow_channel_alone(void **state)
{
    static const struct nb_trace_packet packet = { 7, 0, 1, 3 };
    (void)state;
    struct simulation s;
    open_credit(&s, "dor@mesh:2,bandwidth=1/2", "uniform", 0);
    simulation_set_trace(&s, &packet, 1);
    simulation_start(&s);
    do
        simulation_cycle(&s);
    while (s.network.flits_out == 0);
    assert_int_equal(s.network.cycle, 7 + 4 + 1); /* flits at 7, 9, 11 */
    simulation_close(&s);
}

/* 16384 channels of 16 virtual channels, each followed by 2^24 packets and one
 * on the way, and of one output buffer; terminals are unlimited and have
 * none. */
static void test_buffers_that_do_not_fit(void **state)
{
    const double buffers = 16384 * 16;
    const double expected =
        buffers * (0x1p24 + 1) * (double)sizeof(struct nb_credit_part) +
        buffers * (double)(sizeof(struct nb_credit_input) +
                           sizeof(struct nb_credit_link)) +
        16384 * (double)(64 * sizeof(struct nb_credit_flit) +
                         sizeof(struct nb_credit_output));
    struct simulation s;
    struct nb_simulation_result result;
    struct nb_error error = { 0 };
    double answer = 0;
    (void)state;
    open_credit(&s, "dor@torus:64x64", "uniform", 0.1);
    s.plan.router.virtual_channels = 16;
    s.plan.router.buffer = UINT32_C(1) << 24;
    s.plan.router.output_buffer = 64;
    const enum nb_status status = nb_simulate(&s.plan, NULL, &result, &error);
    SIMULATION_CHECK(
        status == NB_NO_MEMORY &&
            sscanf(error.message, "buffers: needs %lf MiB", &answer) == 1 &&
            fabs(answer - expected / 0x1p20) < 0.51,
        "%s: not %.0f", error.message, expected / 0x1p20);
    simulation_close(&s);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_credit_stall),
        cmocka_unit_test(test_credit_stall_of_half),
        cmocka_unit_test(test_switching),
        cmocka_unit_test(test_bandwidths),
        cmocka_unit_test(test_slow_channel_alone),
        cmocka_unit_test(test_buffers_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
