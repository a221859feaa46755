/* The watchdog: schemes without protection deadlock and it reports where; those
 * with their own virtual channels do not, and it reports nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "support/cases.h"
#include "support/simulation.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <string.h>

static void open_credit(struct simulation *s, const char *scheme,
                        const char *traffic, double rate)
{
    simulation_open(s, scheme, traffic, rate);
    s->plan.router.model = NB_ROUTER_CREDIT;
    s->plan.router.switching = NB_WORMHOLE;
}

/* Runs until the watchdog reports or the cycles are over. */
static enum nb_status run(struct simulation *s, uint64_t cycles,
                          struct nb_error *err)
{
    enum nb_status status = NB_OK;
    simulation_start(s);
    while (status == NB_OK && s->network.cycle < cycles)
        status = nb_network_cycle(&s->network, err);
    return status;
}

/*
 * Reads "deadlock at cycle T: channel C (router A to B) waits for channel ..."
 * and compares it with the network: each channel's target is the source of the
 * next one shown, and the last is the first.
 *
 * channels  out: those shown
 *
 * Returns their number.
 */
static size_t read_circle(const struct simulation *s, const char *message,
                          uint32_t *channels, size_t most)
{
    size_t count = 0;
    uint32_t first, c, from, to, last = NB_NONE;
    uintmax_t cycle;
    int used = 0;
    assert_int_equal(
        sscanf(message, "deadlock at cycle %ju: %n", &cycle, &used), 1);
    const char *at = message + used;
    while (sscanf(at, "channel %u (router %u to %u) waits for %n", &c, &from,
                  &to, &used) == 3) {
        assert_true(count < most && c < s->topology.channel_count);
        assert_int_equal(from, s->topology.channels[c].source);
        assert_int_equal(to, s->topology.channels[c].target);
        assert_true(count == 0 || from == last);
        last = to;
        channels[count++] = c;
        at += used;
    }
    size_t more = 0;
    if (sscanf(at, "... %zu more ... %n", &more, &used) == 1)
        at += used;
    SIMULATION_CHECK(
        sscanf(at, "channel %u; routing", &first) == 1 && count > 0 &&
            first == channels[0] &&
            (more > 0 || s->topology.channels[first].source == last),
        "%s", message);
    return count + more;
}

/* What is reported to wait forever does so: the engine goes on, its channels do
 * not. */
static void check_standstill(struct simulation *s, const uint32_t *channels,
                             size_t count)
{
    struct nb_network *network = &s->network;
    uint64_t before[16];
    for (size_t i = 0; i < count; i++)
        before[i] = network->measure.sent[channels[i]];
    for (int c = 0; c < 3000; c++) {
        network->cycle++;
        network->engine->move(network, NULL);
    }
    for (size_t i = 0; i < count; i++)
        assert_int_equal(network->measure.sent[channels[i]], before[i]);
}

static void check_deadlock(struct simulation *s, size_t length)
{
    struct nb_error err = { 0 };
    uint32_t channels[16];
    SIMULATION_CHECK(run(s, 20000, &err) == NB_INVALID,
                     "%s: buffer %u, packets of %u: no deadlock", s->name,
                     s->plan.router.buffer, s->plan.injection.flits);
    const size_t found = read_circle(s, err.message, channels, 16);
    SIMULATION_CHECK(found == length, "%s", err.message);
    check_standstill(s, channels, length > 8 ? 6 : length);
}

static void test_ring_deadlocks(void **state)
{
    (void)state;
    for (uint32_t buffer = 1; buffer <= 4; buffer++)
        for (uint32_t flits = 1; flits <= 5; flits += 2)
            for (int arbitration = 0; arbitration < 2; arbitration++) {
                struct simulation s;
                struct nb_error err = { 0 };
                open_credit(&s, "min@ring:8", "tornado", 0.9);
                s.routing.vc_rule = "any";
                s.plan.router.buffer = buffer;
                s.plan.router.arbitration = (enum nb_arbitration)arbitration;
                s.plan.injection.flits = flits;
                /* The oldest first: few flits in large buffers circulate. */
                if (buffer < 3 || flits > 1 || arbitration == NB_IN_TURN) {
                    check_deadlock(&s, 8);
                    run(&s, 20000, &err);
                    assert_non_null(strstr(err.message,
                                           "; routing min has no protection "
                                           "on ring:8"));
                }
                simulation_close(&s);
            }
}

static void test_long_circle(void **state)
{
    (void)state;
    struct simulation s;
    open_credit(&s, "min@ring:20", "tornado", 0.9);
    s.routing.vc_rule = "any";
    s.plan.router.buffer = 2;
    s.plan.injection.flits = 3;
    check_deadlock(&s, 20);
    simulation_close(&s);
}

/* The scheme is named with classes that prevent the deadlock, if it has any and
 * they fit the maximum number of virtual channels. */
static void test_cure(void **state)
{
    static const struct {
        const char *scheme, *cure;
    } rows[] = {
        { "min@ring:8", "(try min:classes=hop, 4 virtual channels)" },
        { "min@ring:12", "(try min:classes=hop, 6 virtual channels)" },
        { "min@ring:200", "(try another scheme)" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct simulation s;
        struct nb_error err = { 0 };
        open_credit(&s, rows[i].scheme, "tornado", 3);
        s.plan.injection.flits = 3;
        assert_int_equal(run(&s, 20000, &err), NB_INVALID);
        SIMULATION_CHECK(strstr(err.message, rows[i].cure) != NULL, "%s",
                         err.message);
        simulation_close(&s);
    }
}

/* Packets that wait for several virtual channels, of several hops. */
static void test_adaptive_deadlocks(void **state)
{
    (void)state;
    for (uint32_t flits = 1; flits <= 4; flits += 3) {
        struct simulation s;
        struct nb_error err = { 0 };
        open_credit(&s, "min-adaptive@torus:8x8", "uniform", 3);
        s.routing.vc_rule = "any";
        s.plan.router.buffer = 1;
        s.plan.router.arbitration = NB_IN_TURN;
        s.plan.injection.flits = flits;
        uint32_t channels[16];
        assert_int_equal(run(&s, 20000, &err), NB_INVALID);
        const size_t length = read_circle(&s, err.message, channels, 16);
        check_standstill(&s, channels, length > 8 ? 6 : length);
        simulation_close(&s);
    }
}

static const char *const schemes[] = {
    "dor@torus:4x4",
    "val@torus:4x4",
    "romm@torus:4x4",
    "rlb@torus:4x4",
    "min@dragonfly:h=2,p=1",
    "val@dragonfly:h=2,p=1",
    "min@ccc:3",
    "val@ccc:3",
    "val@complete:8",
    "rcar@fattree:k=2,n=3",
    "min-adaptive@ring:8",
    "min-adaptive@torus:4x4",
    "min-adaptive@ccc:3",
    "min-adaptive@dragonfly:h=2,p=1",
    "gal@torus:4x4",
    "cqr@torus:4x4",
};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* A router that is possible for packets drawn with it. */
static void draw_router(struct simulation *s, uint64_t seed)
{
    struct nb_router *router = &s->plan.router;
    struct nb_random random;
    nb_random_init(&random, seed, 3);
    router->buffer = 1 + (uint32_t)nb_random_below(&random, 4);
    router->arbitration = (enum nb_arbitration)nb_random_below(&random, 2);
    router->switching = (enum nb_switching)nb_random_below(&random, 2);
    s->plan.injection.flits =
        1 +
        (uint32_t)nb_random_below(
            &random, router->switching == NB_CUT_THROUGH ? router->buffer : 5);
}

/* Each scheme with its own virtual channels at saturation, routers drawn at
 * random; in every period a packet arrives. */
static void test_protected(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 4 * SCHEMES; trial++) {
        if (!nb_cases_have(trial, 2))
            continue;
        struct simulation s;
        struct nb_error err = { 0 };
        const struct nb_router *router = &s.plan.router;
        open_credit(&s, schemes[trial % SCHEMES], "uniform", 2);
        draw_router(&s, SIMULATION_SEED(trial));
        s.plan.packet_limit = 1 << 12;
        const enum nb_status status = run(&s, 3000, &err);
        const uint64_t out = s.network.flits_out;
        for (int c = 0; c < 100 && status == NB_OK; c++)
            simulation_cycle(&s);
        SIMULATION_CHECK(status == NB_OK && s.network.flits_out > out,
                         "%s, arbitration %d, switching %d, buffer %u, packets "
                         "of %u: %s",
                         s.name, router->arbitration, router->switching,
                         router->buffer, s.plan.injection.flits, err.message);
        simulation_close(&s);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Every scheme for a Dragonfly, with each kind of flow control and of queues
 * behind the switch, beyond saturation by traffic that changes. */
static void soak_scheme(const char *scheme, uint64_t trial)
{
    static const char *const traffics[] = { "adversarial", "uniform",
                                            "adversarial-consecutive",
                                            "adversarial:offset=2",
                                            "adversarial-local" };
    struct simulation s;
    struct nb_error err = { 0 };
    struct nb_random random;
    open_credit(&s, scheme, traffics[trial % 5], 2);
    struct nb_router *router = &s.plan.router;
    draw_router(&s, SIMULATION_SEED(trial));
    nb_random_init(&random, SIMULATION_SEED(trial), 4);
    router->switching = NB_CUT_THROUGH;
    router->allocation = (enum nb_allocation)nb_random_below(
        &random, s.routing.kind->has_injection_queues ? 2 : 3);
    router->flow_control = (enum nb_flow_control)(trial % 3);
    router->output_queues =
        trial % 6 == 0 ? NB_OUTPUT_OF_CHANNEL : NB_OUTPUT_OF_VIRTUAL;
    if (router->flow_control != NB_CREDITS)
        router->buffer = 8 + 2 * s.plan.injection.flits;
    router->output_buffer = 2 * s.plan.injection.flits;
    router->speedup = 1 + (uint32_t)nb_random_below(&random, 2);
    s.plan.injection.flits = 1 + s.plan.injection.flits % router->buffer;
    s.plan.packet_limit = 1 << 12;
    enum nb_status status = run(&s, 2000, &err);
    const uint64_t out = s.network.flits_out;
    for (int c = 0; c < 200 && status == NB_OK; c++)
        status = nb_network_cycle(&s.network, &err);
    SIMULATION_CHECK(status == NB_OK && s.network.flits_out > out,
                     "%s, trial %ju: %s", s.name, (uintmax_t)trial,
                     err.message);
    simulation_close(&s);
}

static void test_soak(void **state)
{
    static const char *const topology = "dragonfly:h=2";
    struct nb_topology built = { 0 };
    size_t count = 0;
    (void)state;
    assert_int_equal(nb_topology_build(topology, &built, NULL), NB_OK);
    for (size_t k = 0; nb_routing_kinds[k] != NULL; k++) {
        const struct nb_routing_kind *kind = nb_routing_kinds[k];
        struct nb_routing routing = { 0 };
        struct nb_vc_classes classes = { 0 };
        char scheme[96];
        /* The others belong to other networks; deflecting ones have their
         * own. */
        if (kind->is_deflecting ||
            nb_routing_build(kind->kind.name, &built, &routing, NULL) != NB_OK)
            continue;
        assert_int_equal(nb_vc_classes_build(&routing, &classes, NULL), NB_OK);
        const bool is_protected = !classes.rule->is_unprotected;
        nb_vc_classes_release(&classes);
        nb_routing_release(&routing);
        if (!is_protected)
            continue; /* it may come to a deadlock, and does */
        snprintf(scheme, sizeof scheme, "%s@%s", kind->kind.name, topology);
        for (uint64_t trial = 0; trial < 10; trial++)
            if (nb_cases_have(10 * count + trial, 5))
                soak_scheme(scheme, trial);
        count++;
    }
    nb_topology_release(&built);
    assert_in_range(count, 15, 40);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* A slow channel is no deadlock: one that sends seldom, or is long. */
static void test_slow(void **state)
{
    (void)state;
    struct simulation s;
    open_credit(&s, "dor@torus:4x4,bandwidth=1/700", "uniform", 1);
    s.plan.router.buffer = 2;
    s.plan.injection.flits = 3;
    s.plan.packet_limit = 1 << 10;
    assert_int_equal(run(&s, 30000, NULL), NB_OK);
    assert_true(s.network.flits_out > 0);
    simulation_close(&s);
    open_credit(&s, "dor@torus:4x4", "uniform", 1);
    s.plan.router.buffer = 1;
    s.plan.router.channel_latency = 1500;
    s.plan.router.pipeline = 300;
    s.plan.injection.flits = 3;
    s.plan.packet_limit = 1 << 10;
    assert_int_equal(run(&s, 30000, NULL), NB_OK);
    assert_true(s.network.flits_out > 0);
    simulation_close(&s);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring_deadlocks),
        cmocka_unit_test(test_long_circle),
        cmocka_unit_test(test_cure),
        cmocka_unit_test(test_adaptive_deadlocks),
        cmocka_unit_test(test_protected),
        cmocka_unit_test(test_soak),
        cmocka_unit_test(test_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
