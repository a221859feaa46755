/* The chaos router: no flit is lost, no network stops, and results agree with
 * the literature. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "support/cases.h"
#include "support/simulation.h"
#include "support/topology_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct nb_routing_kind nb_routing_chaos;

/* Capacities in packets of this number of flits: of an input, an output, and of
 * the shared queue for each channel. */
static void set_router(struct simulation *s, uint32_t flits, uint32_t input,
                       uint32_t output, uint32_t shared)
{
    s->plan.router.model = NB_ROUTER_CHAOS;
    s->plan.router.arbitration = flits % 2 == 0 ? NB_IN_TURN : NB_OLDEST_FIRST;
    s->plan.router.buffer = flits * input;
    s->plan.router.output_buffer = flits * output;
    s->plan.router.shared_queue = flits * shared;
    s->plan.injection.flits = flits;
}

/* More packets for each terminal at once than the network can hold, and all of
 * them arrive; flits are counted from time to time. */
static void check_batch(const char *example, uint32_t flits, uint32_t room)
{
    struct simulation s;
    simulation_open(&s, example, "uniform", 0);
    set_router(&s, flits, room, room, 2 * room);
    s.plan.injection.kind = NB_INJECT_BATCH;
    s.plan.injection.batch = 100;
    s.plan.seed = SIMULATION_SEED(flits + room);
    simulation_start(&s);
    do {
        const struct nb_network *network = &s.network;
        simulation_cycle(&s);
        if (network->cycle % 16 == 0)
            SIMULATION_CHECK(network->engine->count_flits(network) ==
                                 network->flits_in - network->flits_out,
                             "%s, %u flits, cycle %ju", s.name, flits,
                             (uintmax_t)network->cycle);
        SIMULATION_CHECK(network->cycle < 1000000, "%s, %u flits: %u packets",
                         s.name, flits, network->packets.count);
    } while (!nb_sources_are_done(&s.network.sources) ||
             s.network.packets.count > 0);
    assert_int_equal(s.network.flits_in, s.network.flits_out);
    assert_int_equal(s.network.engine->count_flits(&s.network), 0);
    simulation_close(&s);
}

static void test_batches_arrive(void **state)
{
    static const char *const more[] = {
        "chaos@torus:8x8",
        "chaos@torus:4x4,terminal-bandwidth=1",
        "chaos@mesh:2x3,terminal-bandwidth=1",
        "chaos@mesh:3x3,fail=router:4",
    };
    const char *examples = nb_routing_chaos.examples;
    char name[TOPOLOGY_WORD];
    (void)state;
    while (topology_next_word(&examples, name))
        for (uint32_t flits = 1; flits <= 5; flits += 2)
            check_batch(name, flits, 1 + flits / 3);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        for (uint32_t flits = 1; flits <= 3; flits++)
            check_batch(more[i], flits, 1);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Far beyond saturation, with the smallest buffers, something arrives in every
 * period of this length. */
enum { SOAK_CYCLES = 20000, SOAK_SPAN = 2000 };

static void check_soak(const char *example, const char *traffic, uint32_t flits)
{
    struct simulation s;
    simulation_open(&s, example, traffic, 3);
    set_router(&s, flits, 1, 1, 2);
    s.plan.packet_limit = 64 * (uint32_t)s.topology.terminal_count;
    s.plan.seed = SIMULATION_SEED(7 + flits);
    simulation_start(&s);
    uint64_t before = 0;
    for (int c = 1; c <= SOAK_CYCLES; c++) {
        simulation_cycle(&s);
        if (c % SOAK_SPAN != 0)
            continue;
        SIMULATION_CHECK(s.network.flits_out > before,
                         "%s, %u flits, cycle %d: %ju flits, no more since %d",
                         s.name, flits, c, (uintmax_t)before, c - SOAK_SPAN);
        before = s.network.flits_out;
        assert_int_equal(s.network.engine->count_flits(&s.network),
                         s.network.flits_in - before);
    }
    simulation_close(&s);
}

static void test_nothing_stands_still(void **state)
{
    (void)state;
    for (uint32_t flits = 1; flits <= 4; flits++) {
        check_soak("chaos@torus:4x4", "uniform", flits);
        check_soak("chaos@torus:4x4", "bit-complement", flits);
        check_soak("chaos@mesh:3x3", "uniform", flits);
        check_soak("chaos@ring:4", "tornado", flits);
        check_soak("chaos@hypercube:3", "bit-complement", flits);
        check_soak("chaos@fattree:k=2,n=2", "uniform", flits);
        check_soak("chaos@torus:4x4,terminal-bandwidth=1",
                   "hot-spot:nodes=5,share=1/2", flits);
    }
}

/* Packets of a trace, of one to five flits, all at once. */
static void test_lengths_mix(void **state)
{
    enum { COUNT = 4000, LONGEST = 5 };
    static struct nb_trace_packet packets[COUNT];
    struct simulation s;
    struct nb_random random;
    uint64_t flits = 0;
    (void)state;
    simulation_open(&s, "chaos@torus:4x4", "uniform", 0);
    nb_random_init(&random, 20, 0);
    for (size_t p = 0; p < COUNT; p++) {
        packets[p] = (struct nb_trace_packet){
            p / 1000, (uint32_t)nb_random_below(&random, 16),
            (uint32_t)nb_random_below(&random, 16),
            1 + (uint32_t)nb_random_below(&random, LONGEST)
        };
        flits += packets[p].flits;
    }
    set_router(&s, LONGEST, 1, 1, 2);
    simulation_set_trace(&s, packets, COUNT);
    simulation_start(&s);
    while (!nb_sources_are_done(&s.network.sources) ||
           s.network.packets.count > 0) {
        simulation_cycle(&s);
        assert_int_equal(s.network.engine->count_flits(&s.network),
                         s.network.flits_in - s.network.flits_out);
        assert_true(s.network.cycle < 100000);
    }
    assert_int_equal(s.network.flits_out, flits);
    simulation_close(&s);
}

/* Beyond saturation: uniform traffic loses nothing, no more is accepted than
 * any routing carries, and bit complement starves pairs [Singh2005, Figure
 * 4.9]. least, most: limits of the accepted rate */
static void check_beyond(const char *traffic, double rate, double least,
                         double most, bool starves)
{
    struct nb_simulation_result result;
    struct simulation s;
    simulation_open(&s, "chaos@torus:8x8", traffic, rate);
    set_router(&s, 1, 1, 1, 16);
    s.plan.warm_up = 6000;
    s.plan.packet_limit = 1 << 22;
    s.plan.is_drained = false;
    simulation_run(&s, &result);
    const struct nb_estimate accepted = result.accepted;
    assert_int_equal(result.stability, NB_SATURATED);
    SIMULATION_CHECK(accepted.mean > least &&
                         accepted.mean - accepted.half_width < most,
                     "%s: %g accepted", s.name, accepted.mean);
    SIMULATION_CHECK(starves ? rate * result.least.upper < 0.1
                             : rate * result.least.value > 0.9 * least,
                     "%s: %g of a pair", s.name, rate * result.least.value);
    for (size_t q = 0; q < result.queue_count; q++)
        assert_true(result.utilisation[q].mean <= 1);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

static void test_beyond_saturation(void **state)
{
    (void)state;
    /* The bisection's limit, and what routers send to themselves. */
    if (nb_cases_have(0, 2))
        check_beyond("uniform", 1.2, 0.97, 1 + 0.2 / 64, false);
    if (nb_cases_have(1, 2)) /* all channels */
        check_beyond("nearest-neighbour", 4.4, 3.7, 4, false);
    check_beyond("tornado", 0.5, 0.32, 1.0 / 3 + 1e-9, false); /* see below */
    check_beyond("bit-complement", 0.8, 0.4, 0.5, true); /* the bisection's */
}

/* Tornado traffic never deflects a packet: a queue sends one packet per cycle,
 * and receives at most one. */
static void test_deflections(void **state)
{
    static const struct {
        const char *traffic;
        bool is_deflected;
    } cases[] = { { "tornado", false }, { "bit-complement", true } };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct nb_simulation_result result;
        struct simulation s;
        simulation_open(&s, "chaos@torus:8x8", cases[i].traffic, 0.6);
        set_router(&s, 1, 1, 1, 4);
        s.plan.injection.kind = NB_INJECT_BATCH;
        s.plan.injection.batch = 1000;
        simulation_run(&s, &result);
        assert_true((result.minimal.mean < 1) == cases[i].is_deflected);
        nb_simulation_result_release(&result);
        simulation_close(&s);
    }
}

static void refuse(struct simulation *s, const char *said)
{
    struct nb_simulation_result result;
    struct nb_error err = { 0 };
    const enum nb_status status = nb_simulate(&s->plan, NULL, &result, &err);
    SIMULATION_CHECK(status == NB_INVALID && strstr(err.message, said) != NULL,
                     "%s: %s", s->name, err.message);
    assert_non_null(strstr(err.message, "permitted"));
    simulation_close(s);
}

static void test_refusals(void **state)
{
    struct simulation s;
    (void)state;
    simulation_open(&s, "chaos@torus:4x4", "uniform", 0.1);
    refuse(&s, "routing chaos deflects packets");
    simulation_open(&s, "chaos@torus:4x4", "uniform", 0.1);
    s.plan.router.model = NB_ROUTER_CREDIT;
    refuse(&s, "routing chaos deflects packets");
    simulation_open(&s, "min-adaptive@torus:4x4", "uniform", 0.1);
    set_router(&s, 1, 1, 1, 2);
    refuse(&s, "which routing min-adaptive does not permit");
    simulation_open(&s, "chaos@torus:4x4,bandwidth=2", "uniform", 0.1);
    set_router(&s, 1, 1, 1, 2);
    refuse(&s, "a channel of bandwidth 2");
    simulation_open(&s, "chaos@torus:4x4", "uniform", 0.1);
    set_router(&s, 4, 1, 1, 2);
    s.plan.router.buffer = 3;
    refuse(&s, "inputs of 3 flits and outputs of 4 for packets of 4");
    simulation_open(&s, "chaos@torus:4x4", "uniform", 0.1);
    set_router(&s, 4, 1, 1, 2);
    s.plan.router.shared_queue = 1;
    refuse(&s, "a shared queue of 1 flits for each of the 4 channels");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches_arrive),
        cmocka_unit_test(test_nothing_stands_still),
        cmocka_unit_test(test_lengths_mix),
        cmocka_unit_test(test_beyond_saturation),
        cmocka_unit_test(test_deflections),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
