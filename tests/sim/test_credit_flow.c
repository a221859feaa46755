/* The credit router under load: no flit is lost or stays, buffers do not
 * overflow, results repeat; refusals; running out of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "sim/routers/credit.h"
#include "support/simulation.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <string.h>

/* For every rule of classes, with and without channels to terminals. */
static const char *const schemes[] = {
    "dor@torus:4x4",
    "val@torus:4x3",
    "romm@torus:4x4",
    "rlb@torus:5x3",
    "o1turn@mesh:4x3",
    "min@dragonfly:h=2,p=1",
    "val@dragonfly:h=1",
    "min@ccc:3",
    "val@complete:8",
    "rcar@fattree:k=2,n=3",
    "dor@hyperx:3x3,p=2",
    "dor@torus:4x4,bandwidth=2/3",
    "min-adaptive@torus:4x4",
    "min-adaptive@complete:6",
    "min-adaptive@dragonfly:h=2,p=1",
    "gal@torus:4x4",
    "gal:stable=yes@ring:6",
    "cqr@ring:8",
    "cqr@torus:4x4",
};
enum { SCHEMES = sizeof schemes / sizeof *schemes, TRIALS = 8 * SCHEMES };

static uint32_t draw(struct nb_random *random, uint32_t least, uint32_t most)
{
    return least + (uint32_t)nb_random_below(random, most - least + 1);
}

/* A router and packets that go together. */
static void draw_router(struct simulation *s, struct nb_random *random)
{
    struct nb_router *router = &s->plan.router;
    *router = (struct nb_router){
        .model = NB_ROUTER_CREDIT,
        .arbitration = (enum nb_arbitration)draw(random, 0, 1),
        .switching = (enum nb_switching)draw(random, 0, 1),
        .buffer = draw(random, 1, 6),
        .output_buffer = draw(random, 1, 3),
        .speedup = draw(random, 1, 3),
        .pipeline = draw(random, 0, 3),
        .channel_latency = draw(random, 1, 4),
        .allocation = (enum nb_allocation)draw(
            random, 0,
            s->routing.kind->has_injection_queues ? NB_ALLOCATION_SEPARABLE
                                                  : NB_ALLOCATION_PACKET),
    };
    if (router->allocation == NB_ALLOCATION_PACKET)
        router->switching = NB_CUT_THROUGH;
    s->plan.injection.flits =
        draw(random, 1,
             router->switching == NB_CUT_THROUGH && router->buffer < 5
                 ? router->buffer
                 : 5);
}

/* Messages instead of credits, with buffers that lose nothing. */
static void draw_flow_control(struct simulation *s, struct nb_random *random)
{
    struct nb_router *router = &s->plan.router;
    struct nb_vc_classes classes = { 0 };
    uint32_t sent = 2 * router->channel_latency;
    router->flow_control = (enum nb_flow_control)draw(random, 0, 2);
    if (router->flow_control == NB_PAUSE)
        sent += s->plan.injection.flits - 1;
    router->output_queues = router->flow_control == NB_CREDITS
                                ? (enum nb_output_queues)draw(random, 0, 1)
                                : NB_OUTPUT_OF_VIRTUAL;
    if (router->output_queues == NB_OUTPUT_OF_CHANNEL)
        return;
    assert_int_equal(nb_vc_classes_build(&s->routing, &classes, NULL), NB_OK);
    if (classes.rule->may_descend)
        router->switching = NB_CUT_THROUGH;
    nb_vc_classes_release(&classes);
    if (router->flow_control != NB_CREDITS)
        router->buffer += sent;
    if (router->switching == NB_CUT_THROUGH)
        router->output_buffer += s->plan.injection.flits;
    if (router->buffer < s->plan.injection.flits)
        router->buffer = s->plan.injection.flits;
    if (router->flow_control == NB_CREDITS || draw(random, 0, 1) > 0)
        return;
    router->xoff = draw(random, 1, router->buffer + 1 - sent);
    router->xon = draw(random, 1, router->xoff);
}

static void print_router(const struct simulation *s, char *text, size_t size)
{
    const struct nb_router *router = &s->plan.router;
    snprintf(text, size,
             "%s, seed %ju: output queues %d, flow control %d, xon %u, xoff "
             "%u, arbitration %d, "
             "allocation %d, switching %d, %u "
             "channels, buffer %u, output %u, speedup %u, pipeline %u, latency "
             "%u, packets of %u",
             s->name, (uintmax_t)s->plan.seed, router->output_queues,
             router->flow_control, router->xon, router->xoff,
             router->arbitration, router->allocation, router->switching,
             router->virtual_channels, router->buffer, router->output_buffer,
             router->speedup, router->pipeline, router->channel_latency,
             s->plan.injection.flits);
}

static void check_buffers(const struct simulation *s, const char *what)
{
    const struct nb_network *network = &s->network;
    const struct nb_router *router = &s->plan.router;
    const uint32_t channels = router->virtual_channels > 0
                                  ? router->virtual_channels
                                  : network->classes.count;
    for (uint32_t q = 0; q < network->queue_count; q++) {
        const uint32_t room =
            q < s->topology.channel_count
                ? channels *
                      ((router->flow_control == NB_CREDITS ? router->buffer
                                                           : 0) +
                       (router->output_queues == NB_OUTPUT_OF_VIRTUAL
                            ? router->output_buffer
                            : 0))
                : router->output_buffer;
        SIMULATION_CHECK(network->engine->queue(network, q) <= room,
                         "%s: queue %u has %u flits", what, q,
                         network->engine->queue(network, q));
    }
}

/* A burst of packets at once, until all have arrived. */
static void check_burst(const char *scheme, uint64_t seed)
{
    struct simulation s;
    struct nb_random random;
    char what[512];
    simulation_open(&s, scheme, "uniform", 1);
    nb_random_init(&random, seed, 7);
    draw_router(&s, &random);
    draw_flow_control(&s, &random);
    s.plan.seed = seed;
    s.plan.injection.kind = NB_INJECT_BATCH;
    s.plan.injection.batch = draw(&random, 1, 20);
    simulation_start(&s);
    if (draw(&random, 0, 1) > 0) { /* again, with more than one of a class */
        s.plan.router.virtual_channels =
            s.network.classes.count + draw(&random, 0, 5);
        simulation_start(&s);
    }
    print_router(&s, what, sizeof what);
    struct nb_network *network = &s.network;
    do {
        simulation_cycle(&s);
        SIMULATION_CHECK(network->flits_in - network->flits_out ==
                             network->engine->count_flits(network),
                         "%s: %ju flits in, %ju out, %ju counted at cycle %ju",
                         what, (uintmax_t)network->flits_in,
                         (uintmax_t)network->flits_out,
                         (uintmax_t)network->engine->count_flits(network),
                         (uintmax_t)network->cycle);
        check_buffers(&s, what);
        SIMULATION_CHECK(network->cycle < 20000, "%s: %u packets never arrive",
                         what, network->packets.count);
    } while (network->packets.count > 0);
    assert_int_equal(network->flits_in, s.plan.injection.batch *
                                            s.plan.injection.flits *
                                            s.topology.terminal_count);
    for (uint32_t c = 0; c < s.plan.router.channel_latency; c++)
        simulation_cycle(&s);
    for (uint32_t q = 0; q < network->queue_count; q++)
        SIMULATION_CHECK(network->engine->queue(network, q) == 0,
                         "%s: credits of queue %u are lost", what, q);
    simulation_close(&s);
}

static void test_bursts(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < TRIALS; trial++)
        check_burst(schemes[trial % SCHEMES], SIMULATION_SEED(trial));
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* A hash of all that a network has done in 400 cycles. */
static double trail(struct simulation *s, uint64_t seed)
{
    double sum = 0;
    s->plan.seed = seed;
    simulation_start(s);
    for (int c = 0; c < 400; c++)
        simulation_cycle(s);
    for (size_t q = 0; q < s->network.queue_count; q++)
        sum += (double)((q % 97 + 1) * s->network.measure.sent[q]);
    return sum + 1e-3 * s->network.measure.batch[0].latency;
}

static void test_seed_decides(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCHEMES; i++) {
        struct simulation s;
        simulation_open(&s, schemes[i], "uniform", 0.4);
        s.plan.router.model = NB_ROUTER_CREDIT;
        const double one = trail(&s, 5), other = trail(&s, 6);
        SIMULATION_CHECK(trail(&s, 5) == one && one != other, "%s", schemes[i]);
        simulation_close(&s);
    }
}

/* Injection queues report how many packets they hold: those that have made no
 * hop. */
static void test_injection_queues(void **state)
{
    (void)state;
    struct simulation s;
    simulation_open(&s, "gal@ring:8", "tornado", 0.9);
    s.plan.router.model = NB_ROUTER_CREDIT;
    s.plan.router.pipeline = 2;
    simulation_start(&s);
    const struct nb_packets *packets = &s.network.packets;
    for (int c = 0; c < 500; c++) {
        uint32_t waiting = 0, unmoved = 0;
        simulation_cycle(&s);
        for (uint32_t i = 0; i < 8; i++)
            for (uint32_t j = 0; j < 8; j++)
                for (size_t start = 0; start < s.routing.most_starts; start++)
                    waiting +=
                        s.network.engine->waiting(&s.network, i, j, start);
        for (uint32_t p = 0; p < packets->fresh; p++)
            unmoved += packets->flits[p] > 0 && packets->hops[p] == 0;
        SIMULATION_CHECK(waiting == unmoved, "cycle %d: %u, not %u", c, waiting,
                         unmoved);
    }
    assert_true(s.network.packets.count > 100);
    simulation_close(&s);
}

static const struct {
    const char *scheme;
    struct nb_router router;
    uint32_t flits;
    const char *said;
} refusals[] = {
    { "val@torus:4x4",
      { .virtual_channels = 3, .buffer = 4 },
      1,
      "routing val on torus:4x4 needs 4 virtual channels, got 3 (permitted: 4 "
      "to 64; classes by dimension order, in two phases)" },
    { "dor@torus:4x4",
      { .virtual_channels = 65, .buffer = 4 },
      1,
      "needs 2 virtual channels, got 65 (permitted: 2 to 64; classes by "
      "dimension order)" },
    { "dor@torus:4x4",
      { .buffer = 2 },
      3,
      "cut-through needs buffers that hold a packet: buffers of 2 flits, "
      "packets of 3 (permitted: buffers of 3 or more, or wormhole)" },
    { "dor@torus:4x4", { .buffer = 0 }, 1, "buffer 0 (permitted: 1 to" },
    { "dor@torus:4x4",
      { .buffer = 1, .output_buffer = UINT32_MAX },
      1,
      "output buffer 4294967295 (permitted: 1 to" },
    { "dor@torus:4x4",
      { .buffer = 1, .speedup = 65 },
      1,
      "speedup 65 (permitted: 1 to 64)" },
    { "dor@torus:4x4",
      { .buffer = 1, .pipeline = 65537 },
      1,
      "pipeline 65537 (permitted: 0 to 65536)" },
    { "dor@torus:4x4",
      { .buffer = 1, .channel_latency = 70000 },
      1,
      "channel latency 70000 (permitted: 1 to 65536)" },
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct simulation s;
        struct nb_error err = { 0 };
        simulation_open(&s, refusals[i].scheme, "uniform", 0.1);
        const struct nb_router usual = s.plan.router;
        s.plan.router = refusals[i].router;
        s.plan.router.model = NB_ROUTER_CREDIT;
        if (s.plan.router.output_buffer == 0)
            s.plan.router.output_buffer = usual.output_buffer;
        if (s.plan.router.speedup == 0)
            s.plan.router.speedup = usual.speedup;
        if (s.plan.router.channel_latency == 0)
            s.plan.router.channel_latency = usual.channel_latency;
        s.plan.injection.flits = refusals[i].flits;
        struct nb_simulation_result result;
        SIMULATION_CHECK(nb_simulate(&s.plan, NULL, &result, &err) ==
                                 NB_INVALID &&
                             strstr(err.message, refusals[i].said) != NULL,
                         "row %zu: %s", i, err.message);
        simulation_close(&s);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* A buffer of 8 behind a channel that brings 6 flits before the stop is heard
 * says stop at 3; one of 5 never could. */
static void test_thresholds(void **state)
{
    (void)state;
    struct nb_router router = { .channel_latency = 3,
                                .buffer = 8,
                                .flow_control = NB_XON_XOFF };
    struct nb_flow_thresholds found;
    nb_flow_thresholds_find(&router, false, nb_ratio_one, 1, &found);
    assert_true(found.sent == 6 && found.most == 3 && found.xoff == 3);
    router.buffer = 5;
    nb_flow_thresholds_find(&router, false, nb_ratio_one, 1, &found);
    assert_true(found.most == 0 && found.xoff == 0);
}

/* The longest packet of a trace counts. */
static void test_refused_trace(void **state)
{
    static const struct nb_trace_packet packets[] = { { 0, 0, 1, 2 },
                                                      { 4, 0, 1, 9 } };
    (void)state;
    struct simulation s;
    struct nb_error err = { 0 };
    struct nb_simulation_result result;
    simulation_open(&s, "dor@torus:4x4", "uniform", 0.1);
    s.plan.router.model = NB_ROUTER_CREDIT;
    simulation_set_trace(&s, packets, 2);
    assert_int_equal(nb_simulate(&s.plan, NULL, &result, &err), NB_INVALID);
    assert_non_null(strstr(err.message, "buffers of 8 flits, packets of 9"));
    s.plan.router.switching = NB_WORMHOLE;
    assert_int_equal(nb_simulate(&s.plan, NULL, &result, NULL), NB_OK);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

static void test_failing_memory(void **state)
{
    static const char *const few[] = { "dor@ring:4", "gal@ring:4" };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct simulation s;
        enum nb_status status = NB_NO_MEMORY;
        simulation_open(&s, few[i], "uniform", 0.1);
        s.plan.router.model = NB_ROUTER_CREDIT;
        assert_int_equal(nb_flows_build(&s.plan, &s.flows, NULL), NB_OK);
        const long blocks = nb_memory_live_blocks();
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            struct nb_error err = { 0 };
            nb_memory_allow(allowed);
            status = nb_network_init(&s.plan, &s.flows, 0, &s.network, &err);
            nb_memory_allow(-1);
            if (status == NB_NO_MEMORY)
                assert_int_equal(nb_memory_live_blocks(), blocks);
        }
        assert_int_equal(status, NB_OK);
        simulation_close(&s);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_seed_decides),
        cmocka_unit_test(test_injection_queues),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_refused_trace),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
