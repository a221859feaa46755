/* Adaptive schemes that choose between the direct path and one through a drawn
 * intermediate router, in networks of given queues and in motion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/mixed.h"
#include "../support/simulation.h"

#include "../support/topology_checks.h"

#include "core/memory.h"
#include "routing/two_phase.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GIVEN_CHANNELS = 128, GIVEN_TRIALS = 4000 };

/* A network whose queues the test gives. */
struct given {
    struct nb_routes *routes;
    uint32_t queue[GIVEN_CHANNELS];
    uint32_t first[GIVEN_CHANNELS]; /* part of it in the virtual channel of the
                                     * first phase; the rest is in that of the
                                     * second */
};

static uint32_t given_queue(const void *network, uint32_t channel)
{
    return ((const struct given *)network)->queue[channel];
}

static uint32_t given_buffered(const void *network, uint32_t channel,
                               uint32_t virtual_channel)
{
    const struct given *given = network;
    const uint32_t first = given->first[channel];
    return virtual_channel == 0 ? first : given->queue[channel] - first;
}

static uint64_t given_permitted(const void *network, nb_route_state state,
                                uint32_t router, uint32_t destination,
                                uint32_t channel)
{
    (void)network, (void)destination, (void)channel;
    return nb_two_phase_is_first(state, router) ? 1 : 2;
}

static struct nb_way given_way(const void *network, nb_route_state state,
                               uint32_t router, uint32_t destination)
{
    const struct given *given = network;
    const struct nb_routes_hop *list;
    struct nb_way best = { .channel = NB_NONE };
    const size_t count =
        nb_routes_list(given->routes, state, router, destination, &list);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || given->queue[list[i].channel] < best.queue)
            best = (struct nb_way){ .channel = list[i].channel,
                                    .queue = given->queue[list[i].channel] };
    return best;
}

/* On a mesh of 4 x 4 from corner to corner: dor goes along the first row. */
static void test_takes_the_cheapest_candidate(void **state)
{
    (void)state;
    const uint32_t source = 0, destination = 15;
    struct simulation s;
    struct nb_routes routes;
    struct given given = { .routes = &routes };
    struct nb_random random;
    bool is_seen[16] = { false };
    simulation_open(&s, "dor@mesh:4x4", "uniform", 0.1);
    mixed_build(&mixed_adaptive, &s.topology, &s.routing);
    assert_int_equal(nb_routes_init(&s.routing, &routes, NULL), NB_OK);
    nb_random_init(&random, 4, 0);
    const struct nb_view view = {
        .network = &given,
        .queue = given_queue,
        .way = given_way,
        .memory = nb_new_array(s.routing.kind->memory(&s.routing), 1),
    };
    assert_non_null(view.memory);
    for (size_t c = 0; c < s.topology.channel_count; c++)
        given.queue[c] = 1;
    for (int is_loaded = 0; is_loaded < 2; is_loaded++) {
        for (uint32_t c = s.topology.out_start[source];
             c < s.topology.out_start[source + 1] && is_loaded; c++)
            if (s.topology.channels[c].target == 1)
                given.queue[c] = 1000;
        for (int trial = 0; trial < GIVEN_TRIALS; trial++) {
            size_t chosen;
            const nb_route_state begun = nb_routes_begin(
                &routes, &view, source, destination, 0, &random, &chosen);
            const uint32_t target =
                nb_route_target(&s.routing, begun, source, destination);
            /* those that dor reaches along the first column only */
            const bool is_free = target % 4 == 0 && target != source;
            assert_true(chosen == 0 ? target == destination : is_loaded);
            assert_true(chosen == 0 || is_free);
            is_seen[target] = true;
        }
    }
    for (uint32_t r = 1; r < 15; r++)
        assert_int_equal(is_seen[r], r % 4 == 0);
    nb_delete(view.memory);
    nb_routes_release(&routes);
    simulation_close(&s);
}

/* A path from a router through another one, on networks without groups. */
struct rule_way {
    uint32_t channel; /* the first one */
    int64_t hops;
    int64_t whole, own; /* hops times the queue, all of it and the packet's */
};

static struct rule_way rule_way(const struct given *given,
                                const struct nb_topology *topology,
                                const struct nb_route_table *tables,
                                uint32_t source, uint32_t through,
                                uint32_t destination)
{
    const bool is_round = through != source && through != destination;
    const uint32_t target = is_round ? through : destination;
    struct rule_way way = { .channel = NB_NONE };
    for (uint32_t c = topology->out_start[source];
         c < topology->out_start[source + 1]; c++)
        if (nb_is_on_the_way(topology, &tables[target], c) &&
            (way.channel == NB_NONE ||
             given->queue[c] < given->queue[way.channel]))
            way.channel = c;
    way.hops = (int64_t)tables[through].distance[source] +
               (int64_t)tables[destination].distance[through];
    way.whole = way.hops * given->queue[way.channel];
    way.own = way.hops * given_buffered(given, way.channel, is_round ? 0 : 1);
    return way;
}

/* The extra cost of a detour over the direct path, by the formulas of
 * ugal_ways.h. */
static int64_t rule_excess(const char *scheme, const struct rule_way *way,
                           const struct rule_way *straight)
{
    const bool is_virtual = strstr(scheme, "queue=virtual") != NULL ||
                            (strstr(scheme, "queue=hybrid") != NULL &&
                             way->channel == straight->channel);
    return is_virtual ? way->own - straight->own : way->whole - straight->whole;
}

/* Of many packets, the share that goes straight equals the share of
 * intermediate routers that are no better; all others go through one that is
 * better. */
static void rule_check(const char *topology, const char *scheme,
                       int64_t threshold)
{
    struct simulation s;
    struct nb_routes routes;
    struct given given = { .routes = &routes };
    struct nb_random random;
    char name[80];
    snprintf(name, sizeof name, "%s@%s", scheme, topology);
    simulation_open(&s, name, "uniform", 0.1);
    const uint32_t n = (uint32_t)s.topology.router_count;
    struct nb_route_table *tables = nb_new_array(n, sizeof *tables);
    uint32_t *queue = nb_new_array(n + 1, sizeof *queue);
    int64_t *excess = nb_new_array(n, sizeof *excess);
    for (uint32_t t = 0; t < n; t++) {
        nb_route_table_init(&s.topology, &tables[t], NULL);
        nb_route_table_fill(&s.topology, t, &tables[t], queue);
    }
    assert_int_equal(nb_routes_init(&s.routing, &routes, NULL), NB_OK);
    const struct nb_view view = { .network = &given,
                                  .queue = given_queue,
                                  .buffered = given_buffered,
                                  .permitted = given_permitted,
                                  .way = given_way };
    nb_random_init(&random, 20, 0);
    for (uint32_t destination = 1; destination < n; destination += 2) {
        size_t straight = 0, expected = 0;
        for (size_t c = 0; c < s.topology.channel_count; c++) {
            given.queue[c] = (uint32_t)nb_random_below(&random, 6);
            given.first[c] =
                (uint32_t)nb_random_below(&random, given.queue[c] + 1);
        }
        const struct rule_way own =
            rule_way(&given, &s.topology, tables, 0, destination, destination);
        for (uint32_t q = 0; q < n; q++) {
            const struct rule_way way =
                rule_way(&given, &s.topology, tables, 0, q, destination);
            excess[q] = rule_excess(scheme, &way, &own) + threshold;
            expected += excess[q] >= 0;
        }
        for (int t = 0; t < GIVEN_TRIALS; t++) {
            size_t chosen;
            const nb_route_state state = nb_routes_begin(
                &routes, &view, 0, destination, 0, &random, &chosen);
            const uint32_t q =
                nb_route_target(&s.routing, state, 0, destination);
            straight += chosen == 0;
            assert_true(chosen == 0 || excess[q] < 0);
        }
        const double p = (double)expected / n;
        TOPOLOGY_CHECK(fabs((double)straight - p * GIVEN_TRIALS) <=
                           6 * sqrt(p * (1 - p) * GIVEN_TRIALS) + 1e-9,
                       "%s to %u: %zu straight, not %g", name, destination,
                       straight, p * GIVEN_TRIALS);
    }
    for (uint32_t t = 0; t < n; t++)
        nb_route_table_release(&tables[t]);
    nb_delete(tables);
    nb_delete(queue);
    nb_delete(excess);
    nb_routes_release(&routes);
    simulation_close(&s);
}

static void test_ugal_compares_hops_times_queue(void **state)
{
    (void)state;
    rule_check("complete:5", "ugal", 0);
    rule_check("torus:4x4", "ugal", 0);
    rule_check("ccc:3", "ugal", 0);
    rule_check("hypercube:3", "ugal:threshold=4", 4);
    rule_check("torus:5x3", "ugal:threshold=-3", -3);
}

static void test_ugal_compares_virtual_channels(void **state)
{
    (void)state;
    rule_check("torus:4x4", "ugal:queue=virtual", 0);
    rule_check("complete:5", "ugal:queue=virtual,threshold=2", 2);
    rule_check("torus:4x4", "ugal:queue=hybrid", 0);
    rule_check("hypercube:3", "ugal:queue=hybrid,threshold=-2", -2);
    rule_check("ccc:3", "ugal:queue=hybrid", 0);
}

/* A detour by the channel to the one router that is joined with the next group
 * looks no shorter than the direct path, except by virtual channels: a packet
 * that draws one goes straight then, and these are more than the one global
 * channel takes. */
static void test_virtual_queues_leave_the_full_channel(void **state)
{
    (void)state;
    static const char *const queue[] = { "channel", "virtual", "hybrid" };
    double accepted[3];
    for (size_t q = 0; q < 3; q++) {
        struct simulation s;
        struct nb_simulation_result result;
        char scheme[120];
        snprintf(scheme, sizeof scheme,
                 "ugal:queue=%s,policy=lg-,source-group=no,destination-group=no"
                 "@dragonfly:h=3",
                 queue[q]);
        simulation_open(&s, scheme, "adversarial:offset=1", 0.45);
        s.plan.router = (struct nb_router){ .model = NB_ROUTER_CREDIT,
                                            .arbitration = NB_IN_TURN,
                                            .buffer = 32,
                                            .output_buffer = 32,
                                            .speedup = 2,
                                            .channel_latency = 1 };
        s.plan.is_drained = false;
        s.plan.warm_up = s.plan.cycles = 400;
        simulation_run(&s, &result);
        accepted[q] = result.accepted.mean;
        nb_simulation_result_release(&result);
        simulation_close(&s);
    }
    assert_true(accepted[0] < 0.4);
    assert_true(accepted[1] > 0.44 && accepted[2] > 0.44);
}

/* Whether pb sends a packet from a router straight to another one, if only the
 * global channel has a queue. */
static bool pb_goes_straight(struct simulation *s, struct nb_routes *routes,
                             const struct nb_view *view, uint32_t source,
                             uint32_t destination)
{
    struct nb_random random;
    size_t chosen;
    nb_random_init(&random, 1, 0);
    nb_routes_begin(routes, view, source, destination, 0, &random, &chosen);
    assert_true(s->routing.kind->cost != NULL);
    return chosen == 0;
}

/* One of two routers of a group has a global channel with 100 flits, which is
 * above its margin: it knows in the next cycle, the other 5 cycles later, and
 * the same time after the queue is gone. */
static void test_pb_knows_after_a_delay(void **state)
{
    (void)state;
    enum { DELAY = 5 };
    struct simulation s;
    struct nb_routes routes;
    struct given given = { .routes = &routes };
    simulation_open(&s, "pb:delay=5,margin=50@dragonfly:h=1", "uniform", 0.1);
    const struct nb_topology *topology = &s.topology;
    uint32_t global = 0;
    while (!nb_channel_is_global(topology, global))
        global++;
    const uint32_t own = topology->channels[global].source;
    const uint32_t destination = topology->channels[global].target;
    uint32_t other = 0;
    while (other == own ||
           topology->groups.of[other] != topology->groups.of[own])
        other++;
    assert_int_equal(nb_routes_init(&s.routing, &routes, NULL), NB_OK);
    const struct nb_view view = {
        .network = &given,
        .queue = given_queue,
        .way = given_way,
        .memory = nb_new_array(s.routing.kind->memory(&s.routing), 1),
    };
    assert_non_null(view.memory);
    for (uint64_t cycle = 0; cycle < 40; cycle++) {
        const bool was_full = cycle >= 10 && cycle < 20;
        const bool was_known = cycle >= 10 + DELAY && cycle < 20 + DELAY;
        given.queue[global] = was_full ? 51 : 0;
        s.routing.kind->observe(&s.routing, &view, cycle);
        given.queue[global] = 0; /* what ugal compares */
        assert_int_equal(pb_goes_straight(&s, &routes, &view, own, destination),
                         !was_full);
        assert_int_equal(
            pb_goes_straight(&s, &routes, &view, other, destination),
            !was_known);
    }
    nb_delete(view.memory);
    nb_routes_release(&routes);
    simulation_close(&s);
}

/* If all groups send to the next one, one channel leads there. */
static double adversary_accepts(const struct nb_routing_kind *kind,
                                enum nb_router_model model)
{
    struct simulation s;
    struct nb_simulation_result result;
    simulation_open(&s, "min@dragonfly:h=2", "adversarial:offset=1", 0.4);
    if (kind != NULL)
        mixed_build(kind, &s.topology, &s.routing);
    s.plan.router.model = model;
    s.plan.is_drained = false;
    s.plan.cycles = 3000;
    simulation_run(&s, &result);
    const double accepted = result.accepted.mean;
    nb_simulation_result_release(&result);
    simulation_close(&s);
    return accepted;
}

static void test_goes_round_what_is_full(void **state)
{
    (void)state;
    static const enum nb_router_model models[] = { NB_ROUTER_IDEAL,
                                                   NB_ROUTER_CREDIT };
    for (size_t m = 0; m < 2; m++) {
        const double minimal = adversary_accepts(NULL, models[m]);
        assert_true(minimal < 0.13); /* 1/8 */
        assert_true(adversary_accepts(&mixed_adaptive, models[m]) >
                    2 * minimal);
        assert_true(adversary_accepts(&mixed_asked_again, models[m]) >
                    2 * minimal);
    }
}

/* The view reports of virtual channels what it reports of the channel, and the
 * memory lasts. Returns how often the scheme was asked. */
static uint64_t watch(const struct nb_routing_kind *kind, uint64_t *packets)
{
    enum { CYCLES = 600 };
    struct simulation s;
    uint64_t request = 0;
    simulation_open(&s, "min@dragonfly:h=2", "adversarial:offset=1", 0.5);
    mixed_build(kind, &s.topology, &s.routing);
    s.plan.router.model = NB_ROUTER_CREDIT;
    simulation_start(&s);
    const struct nb_view *view = &s.network.view;
    const struct mixed_memory *memory = view->memory;
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        simulation_cycle(&s);
        for (uint32_t c = 0; c < s.topology.channel_count; c++) {
            uint32_t sum = 0;
            for (uint32_t v = 0; v < s.network.classes.count; v++)
                sum += view->buffered(view->network, c, v);
            SIMULATION_CHECK(sum == view->queue(view->network, c),
                             "channel %u: %u flits behind it, %u wait", c, sum,
                             view->queue(view->network, c));
        }
    }
    assert_int_equal(memory->cycles, CYCLES);
    for (size_t r = 0; r < s.topology.router_count; r++)
        request += memory->request[r];
    *packets = s.network.flits_in;
    simulation_close(&s);
    return request;
}

/* Two candidates once for every packet, when it comes to the front, not when it
 * is born; or also in every cycle in which it is blocked there. */
static void test_asks_again_while_blocked(void **state)
{
    (void)state;
    uint64_t packets, again;
    const uint64_t once = watch(&mixed_adaptive, &packets);
    SIMULATION_CHECK(once > packets && once <= 2 * packets, "%ju of %ju",
                     (uintmax_t)once, (uintmax_t)packets);
    again = watch(&mixed_asked_again, &packets);
    SIMULATION_CHECK(again > 3 * packets, "%ju of %ju", (uintmax_t)again,
                     (uintmax_t)packets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_takes_the_cheapest_candidate),
        cmocka_unit_test(test_ugal_compares_hops_times_queue),
        cmocka_unit_test(test_ugal_compares_virtual_channels),
        cmocka_unit_test(test_virtual_queues_leave_the_full_channel),
        cmocka_unit_test(test_pb_knows_after_a_delay),
        cmocka_unit_test(test_goes_round_what_is_full),
        cmocka_unit_test(test_asks_again_while_blocked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
