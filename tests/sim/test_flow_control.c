/* Flow control without credits: where it stops a channel, what that costs, and
 * what is refused since flits would be lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/simulation.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

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

/* Endless batches from one end of a line to the other. */
static void open_line(struct simulation *s, enum nb_flow_control flow)
{
    simulation_open(s, "dor@mesh:3", "bit-complement", 0);
    s->plan.router.model = NB_ROUTER_CREDIT;
    s->plan.router.flow_control = flow;
    s->plan.router.output_queues = NB_OUTPUT_OF_VIRTUAL;
    s->plan.injection.kind = NB_INJECT_BATCH;
    s->plan.injection.batch = 20000;
}

/* Flits that the first channel sends in a number of cycles once it is in
 * use. */
static uint64_t send_on(struct simulation *s, uint64_t cycles)
{
    const uint32_t channel = channel_between(&s->topology, 0, 1);
    simulation_start(s);
    for (int c = 0; c < 500; c++)
        simulation_cycle(s);
    const uint64_t before = s->network.measure.sent[channel];
    for (uint64_t c = 0; c < cycles; c++)
        simulation_cycle(s);
    return s->network.measure.sent[channel] - before;
}

/*
 * A pipeline fills a shallow buffer to xoff before anything is served. Then
 * xoff - 1 + 2 L = B flits are sent until the stop is heard; the start is sent
 * when xon - 1 of them are left and heard after a latency L, so a period takes
 * B + 2 L + pipeline - xon cycles. A buffer that need not stop, or starts at
 * once or in time, sends a flit in every cycle.
 */
static void test_shallow(void **state)
{
    (void)state;
    for (uint32_t latency = 1; latency <= 5; latency += 2)
        for (uint32_t pipeline = 0; pipeline <= 6; pipeline += 3)
            for (uint32_t xoff = 1; xoff <= 8; xoff++)
                for (uint32_t xon = 1; xon <= xoff && xon <= 2 * latency;
                     xon++) {
                    struct simulation s;
                    const uint64_t burst = xoff - 1 + 2 * latency;
                    const uint64_t period =
                        burst + 2 * latency + pipeline - xon;
                    const bool is_full = xoff > pipeline + 1 ||
                                         xon > pipeline || period <= burst;
                    const uint64_t cycles = 40 * (is_full ? 1 : period);
                    open_line(&s, NB_XON_XOFF);
                    s.plan.router.channel_latency = latency;
                    s.plan.router.pipeline = pipeline;
                    s.plan.router.buffer = (uint32_t)burst;
                    s.plan.router.xoff = xoff;
                    s.plan.router.xon = xon;
                    const uint64_t sent = send_on(&s, cycles);
                    SIMULATION_CHECK(
                        sent == (is_full ? 40 : 40 * burst),
                        "latency %u, pipeline %u, xoff %u, xon %u: %ju in %ju",
                        latency, pipeline, xoff, xon, (uintmax_t)sent,
                        (uintmax_t)cycles);
                    simulation_close(&s);
                }
}

/* Buffers of twice the round trip and the pipeline carry the same as
 * credits. */
static void test_deep(void **state)
{
    static const char *const schemes[] = { "dor@torus:4x4", "min@dragonfly:h=2",
                                           "val@dragonfly:h=2,p=1" };
    (void)state;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        double accepted[4], half_width[4];
        for (int flow = 0; flow < 4; flow++) {
            struct nb_simulation_result result;
            struct simulation s;
            simulation_open(&s, schemes[i], "uniform", 0.04);
            s.plan.cycles = 20000;
            s.plan.router.model = NB_ROUTER_CREDIT;
            s.plan.router.flow_control = (enum nb_flow_control)(flow % 3);
            s.plan.router.output_queues =
                flow > 0 ? NB_OUTPUT_OF_VIRTUAL : NB_OUTPUT_OF_CHANNEL;
            s.plan.router.channel_latency = 5;
            s.plan.router.pipeline = 3;
            s.plan.router.buffer = 2 * 13;
            s.plan.router.output_buffer = 10;
            s.plan.router.speedup = 2;
            s.plan.router.allocation = NB_ALLOCATION_SEPARABLE;
            s.plan.router.arbitration = NB_IN_TURN;
            s.plan.injection.flits = 5;
            simulation_run(&s, &result);
            SIMULATION_CHECK(result.accepted.half_width < 0.01, "%s: +-%g",
                             s.name, result.accepted.half_width);
            accepted[flow] = result.accepted.mean;
            half_width[flow] = result.accepted.half_width;
            nb_simulation_result_release(&result);
            simulation_close(&s);
        }
        for (int flow = 1; flow < 4; flow++)
            SIMULATION_CHECK(fabs(accepted[flow] - accepted[0]) <=
                                 half_width[flow] + half_width[0],
                             "%s: %g with flow control %d, %g with credits",
                             schemes[i], accepted[flow], flow, accepted[0]);
    }
}

/* One virtual channel of a class stops the others of it only with pause. */
static void test_refusals(void **state)
{
    static const struct {
        uint32_t buffer, xoff, xon;
        const char *said; /* NULL: permitted */
    } rows[] = {
        { 9, 0, 0,
          "a buffer of 9 flits behind channel 0 may overflow: 10 arrive" },
        { 10, 0, 0, NULL },
        { 15, 7, 0, "says stop at xoff 7 may overflow: 10 arrive" },
        { 15, 6, 6, NULL },
        { 15, 6, 7, "xon 7 is above xoff 6" },
    };
    (void)state;
    for (int flow = NB_XON_XOFF; flow <= NB_PAUSE; flow++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct simulation s;
            struct nb_error err = { 0 };
            struct nb_simulation_result result = { 0 };
            open_line(&s, (enum nb_flow_control)flow);
            s.plan.injection.batch = 20;
            s.plan.router.channel_latency = 5;
            s.plan.router.buffer = rows[i].buffer;
            s.plan.router.xoff = rows[i].xoff;
            s.plan.router.xon = rows[i].xon;
            const enum nb_status status =
                nb_simulate(&s.plan, NULL, &result, &err);
            SIMULATION_CHECK(rows[i].said == NULL
                                 ? status == NB_OK
                                 : status == NB_INVALID &&
                                       strstr(err.message, rows[i].said) !=
                                           NULL,
                             "row %zu: %s", i, err.message);
            nb_simulation_result_release(&result);
            simulation_close(&s);
        }
}

/* If a virtual channel is full, another one of the same class still moves with
 * xon-xoff; pause stops both. With one per class they are the same. */
static void test_classes(void **state)
{
    uint64_t sent[2][2];
    (void)state;
    for (int channels = 1; channels <= 2; channels++)
        for (int flow = 0; flow < 2; flow++) {
            struct simulation s;
            open_line(&s, flow == 0 ? NB_XON_XOFF : NB_PAUSE);
            s.plan.router.channel_latency = 4;
            s.plan.router.pipeline = 9;
            s.plan.router.buffer = 8;
            s.plan.router.virtual_channels = (uint32_t)channels;
            sent[channels - 1][flow] = send_on(&s, 4000);
            simulation_close(&s);
        }
    assert_true(sent[0][0] == sent[0][1]);
    assert_true(sent[1][0] > sent[1][1]);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shallow),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
