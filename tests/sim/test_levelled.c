/* Virtual networks on levelled networks: nothing is lost, wires are shared
 * fairly, every packet sent is acknowledged once, and only the virtual router
 * keeps the promises of Randall's theorems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "sim/routers/levelled.h"
#include "support/cases.h"
#include "support/scratch.h"
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void open_virtual(struct simulation *s, const char *topology,
                         const char *traffic, enum nb_sharing sharing,
                         uint32_t networks, double rate)
{
    char example[100];
    snprintf(example, sizeof example, "min@%s", topology);
    simulation_open(s, example, traffic, rate);
    s->plan.router.model = NB_ROUTER_VIRTUAL;
    s->plan.router.buffer = 2;
    s->plan.router.arbitration = NB_IN_TURN;
    s->plan.packet_limit = 1 << 16;
    s->plan.virtual_router = (struct nb_virtual){
        .sharing = sharing,
        .networks = networks,
        .round = { 8, 1 },
    };
}

static void set_batch(struct simulation *s, uint32_t packets)
{
    s->plan.injection.kind = NB_INJECT_BATCH;
    s->plan.injection.batch = packets;
}

static const struct nb_levelled *levelled_of(const struct simulation *s)
{
    return s->network.state;
}

static void run_cycles(struct simulation *s, uint64_t cycles)
{
    for (uint64_t c = 0; c < cycles; c++)
        simulation_cycle(s);
}

static void check_levels(const char *specification, const char *message)
{
    struct nb_topology topology = { 0 };
    struct nb_levels levels;
    struct nb_error err = { 0 };
    assert_int_equal(nb_topology_build(specification, &topology, &err), NB_OK);
    const enum nb_status status = nb_levels_find(&topology, &levels, &err);
    if (message == NULL) {
        assert_int_equal(status, NB_OK);
        for (uint32_t c = 0; c < topology.channel_count; c++)
            assert_int_equal(levels.level[topology.channels[c].target],
                             (levels.level[topology.channels[c].source] + 1) %
                                 (levels.depth + 1));
        nb_levels_release(&levels);
    } else {
        assert_int_equal(status, NB_INVALID);
        SIMULATION_CHECK(strstr(err.message, message) != NULL, "%s",
                         err.message);
    }
    nb_topology_release(&topology);
}

static void test_levels(void **state)
{
    (void)state;
    check_levels("butterfly:k=2,n=4", NULL);
    check_levels("butterfly:k=3,n=2", NULL);
    check_levels("butterfly:k=2,n=1", NULL);
    check_levels("torus:4x4", "from router 0 to router 3 joins two routers");
    check_levels("fattree:k=2,n=3",
                 "from router 4 to router 0 does not lead to the next level");
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void refuse(struct simulation *s, const char *message)
{
    struct nb_simulation_result result;
    struct nb_error err = { 0 };
    assert_int_equal(nb_simulate(&s->plan, NULL, &result, &err), NB_INVALID);
    SIMULATION_CHECK(strstr(err.message, message) != NULL, "%s", err.message);
    simulation_close(s);
}

static void test_refusals(void **state)
{
    static const bool refused[] = { false, true };
    struct nb_topology_kind two_way;
    struct simulation s;
    (void)state;
    for (int sharing = 0; sharing <= NB_SHARE_SEPARATE; sharing++) {
        open_virtual(&s, "butterfly:k=2,n=3", "uniform",
                     (enum nb_sharing)sharing, 2, 0.1);
        two_way = *s.topology.kind;
        two_way.is_one_way = false; /* so that terminals relay packets */
        s.topology.kind = &two_way;
        nb_routing_release(&s.routing);
        assert_int_equal(nb_routing_build("val", &s.topology, &s.routing, NULL),
                         NB_OK);
        refuse(&s, "over another terminal's router");
    }
    open_virtual(&s, "mesh:4x4", "uniform", NB_SHARE_CYCLES, 2, 0.1);
    refuse(&s, "the channel from router 0 to router 1");
    open_virtual(&s, "butterfly:k=2,n=2", "uniform", NB_SHARE_ROUTER, 2, 0.1);
    s.plan.virtual_router.round = (struct nb_ratio){ 29, 10 };
    refuse(&s, "rounds of 2.9 cycles for each of the 2 levels are not "
               "permitted (permitted: from 3");
    open_virtual(&s, "butterfly:k=2,n=2", "uniform", NB_SHARE_ROUTER, 5, 0.1);
    s.plan.virtual_router.names = 4;
    refuse(&s, "5 virtual networks with 4 names");
    open_virtual(&s, "butterfly:k=2,n=2", "uniform", NB_SHARE_CYCLES, 0, 0.1);
    refuse(&s, "0 virtual networks");
    open_virtual(&s, "butterfly:k=2,n=2", "uniform", NB_SHARE_CYCLES, 2, 0.1);
    s.plan.injection.flits = 2;
    refuse(&s, "packets of 2 flits");
    open_virtual(&s, "butterfly:k=2,n=2", "uniform", NB_SHARE_CYCLES, 2, 0);
    set_batch(&s, 1);
    s.plan.virtual_router.refused = refused;
    refuse(&s, "no terminal takes its packets of virtual network 1");
    open_virtual(&s, "butterfly:k=2,n=2", "uniform", NB_SHARE_CYCLES, 2, 0.1);
    s.plan.router.arbitration = NB_OLDEST_FIRST;
    refuse(&s, "arbitration by age");
    open_virtual(&s, "butterfly:k=2,n=2,bandwidth=2", "uniform",
                 NB_SHARE_CYCLES, 2, 0.1);
    refuse(&s, "a channel of bandwidth 2");
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* In each queue of a logical network keys ascend, as they do on channels. */
static void check_queues(const struct simulation *s)
{
    const struct nb_levelled *levelled = levelled_of(s);
    const size_t queues = s->topology.channel_count * levelled->lanes;
    for (size_t q = 0; q < queues; q++) {
        const uint32_t *standing = levelled->standing + q * levelled->room;
        assert_true(levelled->count[q] <= levelled->room);
        for (uint32_t i = 1;
             nb_levelled_has_rounds(levelled) && i < levelled->count[q]; i++)
            assert_true(levelled->rounds.flight[standing[i - 1]].key <
                        levelled->rounds.flight[standing[i]].key);
    }
}

static void check_batch(const char *topology, enum nb_sharing sharing,
                        uint32_t networks, uint32_t buffer)
{
    struct simulation s;
    open_virtual(&s, topology, "uniform", sharing, networks, 0);
    set_batch(&s, 40);
    s.plan.router.buffer = buffer;
    s.plan.seed = SIMULATION_SEED(networks + buffer);
    simulation_start(&s);
    do {
        simulation_cycle(&s);
        check_queues(&s);
        SIMULATION_CHECK(s.network.engine->count_flits(&s.network) ==
                             s.network.flits_in - s.network.flits_out,
                         "%s, sharing %d, cycle %ju", s.name, sharing,
                         (uintmax_t)s.network.cycle);
        SIMULATION_CHECK(s.network.cycle < 100000, "%s: %u packets", s.name,
                         s.network.packets.count);
    } while (!nb_sources_are_done(&s.network.sources) ||
             s.network.packets.count > 0);
    const struct nb_virtual_counts *counts = &s.network.measure.counts;
    const uint32_t most =
        sharing == NB_SHARE_CHANNELS ? buffer + networks : buffer;
    assert_true(counts->queue >= 1 && counts->queue <= most);
    simulation_close(&s);
}

static void test_batches_arrive(void **state)
{
    static const char *const topologies[] = { "butterfly:k=2,n=4",
                                              "butterfly:k=3,n=2",
                                              "butterfly:k=4,n=1" };
    (void)state;
    for (size_t t = 0; t < sizeof topologies / sizeof *topologies; t++)
        for (int sharing = 0; sharing <= NB_SHARE_SEPARATE; sharing++)
            for (uint32_t networks = 1; networks <= 70; networks += 23)
                check_batch(topologies[t], (enum nb_sharing)sharing, networks,
                            1 + networks % 3);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Packets that came to terminals in this round, by logical network. */
static void count_arrivals(const struct simulation *s, uint32_t out[NB_LOGICAL])
{
    const struct nb_rounds *rounds = &levelled_of(s)->rounds;
    out[NB_REST] = out[NB_ACTIVE] = 0;
    for (size_t f = 0; f < rounds->flight_count; f++)
        if (rounds->flight[f].end == NB_ARRIVED)
            out[rounds->flight[f].network == rounds->active]++;
}

/* Terminal 1 sends to terminal 0 over two channels. Of the virtual networks
 * that want them, one is active. */
static void check_wires(uint32_t networks, bool is_shared)
{
    struct simulation s;
    uint32_t arrived[NB_LOGICAL];
    open_virtual(&s, "butterfly:k=2,n=1", "hot-spot:nodes=0,share=1",
                 NB_SHARE_ROUTER, networks, 0);
    set_batch(&s, 2000);
    s.plan.virtual_router.round = (struct nb_ratio){ 400, 1 };
    simulation_start(&s);
    run_cycles(&s, 400); /* the batch waits for the next round */
    for (int round = 0; round < 4; round++) {
        run_cycles(&s, 200);
        count_arrivals(&s, arrived);
        /* The first one takes a cycle to the switch, and one more. */
        const uint32_t all = arrived[NB_REST] + arrived[NB_ACTIVE];
        SIMULATION_CHECK(all >= 198, "%u arrived", all);
        if (is_shared)
            SIMULATION_CHECK(arrived[NB_REST] + 1 >= arrived[NB_ACTIVE] &&
                                 arrived[NB_ACTIVE] + 1 >= arrived[NB_REST],
                             "%u of the active one, %u of others",
                             arrived[NB_ACTIVE], arrived[NB_REST]);
        else
            assert_int_equal(arrived[NB_ACTIVE], all);
        run_cycles(&s, 200);
    }
    simulation_close(&s);
}

static void test_wires_are_shared_fairly(void **state)
{
    (void)state;
    check_wires(2, true);
    check_wires(5, true);
    check_wires(1, false);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* A round of 15 cycles: packets move in 7, acknowledgements in the next 7. */
static void test_acknowledgements(void **state)
{
    struct simulation s;
    uint64_t dropped = 0;
    (void)state;
    open_virtual(&s, "butterfly:k=2,n=3", "uniform", NB_SHARE_ROUTER, 3, 0.9);
    s.plan.virtual_router.round = (struct nb_ratio){ 5, 1 };
    simulation_start(&s);
    const struct nb_rounds *rounds = &levelled_of(&s)->rounds;
    const struct nb_virtual_counts *counts = &s.network.measure.counts;
    assert_int_equal(rounds->length, 15);
    for (int round = 0; round < 200; round++) {
        run_cycles(&s, 7);
        assert_int_equal(counts->round.acknowledged, 0);
        assert_int_equal(counts->round.sent, rounds->flight_count);
        run_cycles(&s, 7);
        for (size_t f = 0; f < rounds->flight_count; f++) {
            assert_int_equal(rounds->flight[f].back, rounds->flight[f].hops);
            assert_true(rounds->flight[f].end != NB_FLYING);
            dropped += rounds->flight[f].end == NB_DROPPED;
        }
        assert_int_equal(counts->round.acknowledged, counts->round.sent);
        /* A dropped packet requests no channel. */
        for (uint32_t q = 0; q < s.network.queue_count; q++)
            assert_int_equal(levelled_of(&s)->wanted[q], 0);
        run_cycles(&s, 1);
        assert_int_equal(rounds->cycle, 0);
        assert_int_equal(counts->acknowledged, counts->sent);
        assert_int_equal(counts->dropped, dropped);
    }
    assert_true(dropped > 0 && dropped < counts->sent);
    simulation_close(&s);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The names are 3, 5, 9 of 16, and none of them ever gets through: the tokens
 * choose 3, 5, 9, 3, 5, ..; all terminals agree. */
static void test_tokens(void **state)
{
    static const uint64_t names[] = { 3, 5, 9 };
    static const bool refused[] = { true, true, true };
    struct simulation s;
    (void)state;
    for (uint64_t name = 0; name < 16; name++)
        assert_int_equal(nb_token_rank(name, 5, 16), (name + 16 - 6) % 16);
    open_virtual(&s, "butterfly:k=2,n=3", "uniform", NB_SHARE_ROUTER, 3, 0);
    set_batch(&s, 10);
    s.plan.virtual_router.names = 16;
    s.plan.virtual_router.name = names;
    s.plan.virtual_router.refused = refused;
    simulation_start(&s);
    const struct nb_rounds *rounds = &levelled_of(&s)->rounds;
    for (uint32_t round = 0; round < 30; round++) {
        run_cycles(&s, rounds->length);
        assert_int_equal(rounds->active, round % 3);
        for (uint32_t r = 0; r < 8; r++)
            assert_int_equal(rounds->taken[r], rounds->active);
    }
    simulation_close(&s);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Terminals take only the packets of the last virtual network. Whether it gets
 * something through in every one of several windows, each with the number of
 * rounds of Theorem 2. */
static bool has_progress(enum nb_sharing sharing, uint32_t levels,
                         uint32_t networks, uint32_t buffer)
{
    char topology[40];
    bool refused[64], has_stopped = false;
    struct simulation s;
    for (uint32_t v = 0; v < networks; v++)
        refused[v] = v + 1 < networks;
    snprintf(topology, sizeof topology, "butterfly:k=2,n=%u", levels);
    open_virtual(&s, topology, "bit-complement", sharing, networks, 0.2);
    s.plan.router.buffer = buffer;
    s.plan.virtual_router.refused = refused;
    s.plan.packet_limit = 1 << 20;
    simulation_start(&s);
    const struct nb_tally *tally = &s.network.measure.of_network[networks - 1];
    const uint64_t window = (networks + 1) * 8 * levels;
    run_cycles(&s, 10 * window);
    for (int w = 0; w < 5; w++) {
        const double before = tally->now;
        run_cycles(&s, window);
        has_stopped = has_stopped || tally->now == before;
    }
    simulation_close(&s);
    return !has_stopped;
}

static void test_progress(void **state)
{
    (void)state;
    for (uint32_t networks = 2; networks <= 8; networks += 3) {
        assert_true(has_progress(NB_SHARE_ROUTER, 4, networks, 1));
        assert_true(has_progress(NB_SHARE_SLICES, 4, networks, 1));
        assert_true(has_progress(NB_SHARE_CHANNELS, 4, networks, 1));
        assert_true(has_progress(NB_SHARE_SEPARATE, 4, networks, 1));
        /* The total number of places with one reserved for each, and twice
         * that. */
        assert_false(has_progress(NB_SHARE_CYCLES, 4, networks, networks + 1));
        assert_false(has_progress(NB_SHARE_CYCLES, 4, networks, 2 * networks));
    }
    const uint32_t most_levels = nb_cases_are_all() ? 10 : 6;
    for (uint32_t levels = 6; levels <= most_levels; levels += 2) {
        assert_true(has_progress(NB_SHARE_ROUTER, levels, 2, 2));
        assert_false(has_progress(NB_SHARE_CYCLES, levels, 2, 2));
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* In every window of V + 1 rounds each of V virtual networks that always have
 * packets is active once, and gets packets through. */
static void check_window(uint32_t networks, uint64_t names,
                         const char *topology)
{
    double before[64];
    struct simulation s;
    open_virtual(&s, topology, "uniform", NB_SHARE_ROUTER, networks, 0.8);
    s.plan.virtual_router.names = names;
    s.plan.packet_limit = 1 << 20;
    simulation_start(&s);
    const struct nb_rounds *rounds = &levelled_of(&s)->rounds;
    const struct nb_tally *tally = s.network.measure.of_network;
    run_cycles(&s, 4 * rounds->length);
    for (int w = 0; w < 3; w++) {
        uint32_t times[64] = { 0 };
        for (uint32_t v = 0; v < networks; v++)
            before[v] = tally[v].now;
        for (uint32_t round = 0; round <= networks; round++) {
            times[rounds->active]++;
            run_cycles(&s, rounds->length);
        }
        for (uint32_t v = 0; v < networks; v++) {
            SIMULATION_CHECK(times[v] >= 1, "%u of %u never active", v,
                             networks);
            assert_true(tally[v].now > before[v]);
        }
    }
    assert_int_equal(s.network.measure.counts.wait, networks - 1);
    simulation_close(&s);
}

/* Packets that a round of the only virtual network delivers, at most, with many
 * waiting: half of it is for packets. */
static double find_dedicated(const char *topology, int64_t round)
{
    struct simulation s;
    double most = 0;
    open_virtual(&s, topology, "bit-complement", NB_SHARE_ROUTER, 1, 0.9);
    s.plan.virtual_router.round = (struct nb_ratio){ round, 1 };
    s.plan.packet_limit = 1 << 20;
    simulation_start(&s);
    const struct nb_tally *tally = s.network.measure.of_network;
    const uint64_t length = levelled_of(&s)->rounds.length;
    run_cycles(&s, 20 * length);
    for (int i = 0; i < 20; i++) {
        const double before = tally->now;
        run_cycles(&s, length);
        most = fmax(most, tally->now - before);
    }
    simulation_close(&s);
    return most;
}

/* Theorem 2: in a window of V + 1 rounds of A log2 N cycles each virtual
 * network gets at least what it would in (A / 4) log2 N cycles of its own
 * network. */
static void check_theorem(uint32_t networks, const char *topology,
                          int64_t round)
{
    struct simulation s;
    double before[64];
    const double dedicated = find_dedicated(topology, round / 2);
    open_virtual(&s, topology, "bit-complement", NB_SHARE_ROUTER, networks,
                 0.9);
    s.plan.virtual_router.round = (struct nb_ratio){ round, 1 };
    s.plan.packet_limit = 1 << 20;
    simulation_start(&s);
    const struct nb_tally *tally = s.network.measure.of_network;
    const uint64_t length = levelled_of(&s)->rounds.length;
    double least = INFINITY;
    run_cycles(&s, (networks + 1) * length);
    for (int w = 0; w < 8; w++) {
        for (uint32_t v = 0; v < networks; v++)
            before[v] = tally[v].now;
        run_cycles(&s, (networks + 1) * length);
        for (uint32_t v = 0; v < networks; v++)
            least = fmin(least, tally[v].now - before[v]);
        SIMULATION_CHECK(least >= dedicated, "%g of %u, dedicated %g", least,
                         networks, dedicated);
    }
    assert_int_equal(s.network.measure.counts.window, least);
    assert_true(dedicated > 0);
    simulation_close(&s);
}

static void test_dedicated_share(void **state)
{
    (void)state;
    check_theorem(2, "butterfly:k=2,n=4", 8);
    check_theorem(4, "butterfly:k=2,n=4", 32);
    check_theorem(16, "butterfly:k=2,n=3", 16);
    check_theorem(3, "butterfly:k=2,n=6", 16);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void test_fair_windows(void **state)
{
    (void)state;
    for (uint32_t networks = 1; networks <= 64; networks *= 2) {
        check_window(networks, 0, "butterfly:k=2,n=3");
        check_window(networks, UINT64_C(1) << 32, "butterfly:k=2,n=4");
    }
    check_window(8, UINT64_C(1) << 32, "butterfly:k=2,n=6");
    if (nb_cases_are_all())
        check_window(4, UINT64_C(1) << 32, "butterfly:k=2,n=10");
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The largest number of packets still to pass one switch. */
static uint32_t find_congestion(struct simulation *s, uint32_t *through)
{
    const struct nb_packets *packets = &s->network.packets;
    struct nb_routes *routes = &s->network.routes;
    uint32_t most = 0;
    memset(through, 0, s->topology.router_count * sizeof *through);
    for (uint32_t p = 0; p < packets->fresh; p++) {
        const struct nb_routes_hop *list;
        uint32_t at = s->network.terminal_router[packets->source[p]];
        const uint32_t to = s->network.terminal_router[packets->target[p]];
        size_t chosen;
        if (packets->flits[p] == 0)
            continue;
        nb_route_state state = nb_routes_begin(routes, NULL, at, to, 0,
                                               &s->network.random, &chosen);
        while (nb_routes_list(routes, state, at, to, &list) > 0) {
            state = nb_routes_next(routes, state, at, to, list);
            at = s->topology.channels[list->channel].target;
            if (at != to && ++through[at] > most)
                most = through[at];
        }
    }
    return most;
}

/* If rounds are long enough, a round takes 8 log2 N off the congestion, or what
 * is left. */
static void check_congestion(uint32_t levels, int64_t round, uint32_t batch,
                             uint32_t networks)
{
    static uint32_t through[1 << 14];
    char topology[40];
    struct simulation s;
    snprintf(topology, sizeof topology, "butterfly:k=2,n=%u", levels);
    open_virtual(&s, topology, "uniform", NB_SHARE_ROUTER, networks, 0);
    set_batch(&s, batch);
    s.plan.virtual_router.round = (struct nb_ratio){ round, 1 };
    s.plan.packet_limit = batch << levels;
    s.plan.virtual_router.small = 32;
    simulation_start(&s);
    const struct nb_rounds_count *counted = &s.network.measure.congestion;
    const uint64_t length = levelled_of(&s)->rounds.length;
    run_cycles(&s, length);
    uint32_t congestion = find_congestion(&s, through);
    SIMULATION_CHECK(congestion > 16 * levels, "only %u", congestion);
    while (congestion > 0) {
        assert_int_equal(counted->most[counted->count - 1], congestion);
        run_cycles(&s, length);
        const uint32_t left = find_congestion(&s, through);
        SIMULATION_CHECK(left == 0 || left + 8 * levels <= congestion,
                         "%u of %u are left, %u virtual networks, n = %u", left,
                         congestion, networks, levels);
        congestion = left;
    }
    simulation_close(&s);
}

static void test_congestion_falls(void **state)
{
    (void)state;
    check_congestion(6, 64, 150, 1);
    check_congestion(6, 64, 150, 8);
    check_congestion(8, 64, 100, 4);
    check_congestion(10, 64, 100, 2);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Terminals 0 and 1 send to the same one; the older packets go first. */
static void test_oldest_first(void **state)
{
    enum { EACH = 40, LATER = 10, CYCLES = 30 };
    struct nb_trace_packet packets[2 * EACH];
    struct simulation s;
    (void)state;
    for (uint32_t p = 0; p < EACH; p++) {
        packets[p] = (struct nb_trace_packet){ 0, 0, 3, 1 };
        packets[EACH + p] = (struct nb_trace_packet){ LATER, 1, 3, 1 };
    }
    open_virtual(&s, "butterfly:k=2,n=2", "uniform", NB_SHARE_CYCLES, 1, 0);
    simulation_set_trace(&s, packets, 2 * EACH);
    simulation_start(&s);
    run_cycles(&s, LATER + CYCLES);
    const struct nb_tally *from = s.network.measure.from;
    const double first = from[s.network.terminal_router[0]].now;
    const double second = from[s.network.terminal_router[1]].now;
    SIMULATION_CHECK(second <= 1 && first >= LATER + CYCLES - 4, "%g and %g",
                     first, second);
    simulation_close(&s);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Only router 0 has more than one channel out. */
static void test_most_outputs_first(void **state)
{
    static const struct nb_trace_packet packets[] = {
        { 0, 0, 1, 1 }, { 0, 1, 2, 1 }, { 0, 2, 3, 1 }, { 0, 3, 0, 1 }
    };
    char path[NB_SCRATCH_FILE], topology[NB_SCRATCH_FILE + 10];
    struct simulation s;
    (void)state;
    nb_scratch_file(path, ".anynet",
                    "router 0 router 1 router 2 router 3 router 4\n"
                    "router 1 node 0\nrouter 2 node 1\n"
                    "router 3 node 2\nrouter 4 node 3\n");
    snprintf(topology, sizeof topology, "file:%s", path);
    open_virtual(&s, topology, "uniform", NB_SHARE_CYCLES, 1, 0);
    unlink(path);
    simulation_set_trace(&s, packets, 4);
    simulation_start(&s);
    run_cycles(&s, 8);
    for (size_t r = 1; r < 5; r++)
        assert_true(s.network.measure.from[r].now == 1);
    simulation_close(&s);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Makes every allocation fail in turn. */
static void check_failing_memory(enum nb_sharing sharing, bool is_batch)
{
    const struct nb_run one_thread = { .threads = 1 };
    struct simulation s;
    enum nb_status status = NB_NO_MEMORY;
    long allowed = 0;
    open_virtual(&s, "butterfly:k=2,n=2", "uniform", sharing, 3, 0.1);
    s.plan.warm_up = 0;
    s.plan.cycles = 320;
    s.plan.packet_limit = 1 << 8;
    if (is_batch) {
        set_batch(&s, 40);
        s.plan.cycles = 1;
        s.plan.virtual_router.small = 1;
    }
    const long before = nb_memory_live_blocks();
    for (; status == NB_NO_MEMORY; allowed++) {
        struct nb_simulation_result result;
        nb_memory_allow(allowed);
        status = nb_simulate(&s.plan, &one_thread, &result, NULL);
        nb_memory_allow(-1);
        if (status == NB_OK)
            nb_simulation_result_release(&result);
        SIMULATION_CHECK(nb_memory_live_blocks() == before,
                         "sharing %d, %ld allowed: %ld blocks are left",
                         sharing, allowed, nb_memory_live_blocks() - before);
    }
    assert_int_equal(status, NB_OK);
    assert_true(allowed > 50);
    simulation_close(&s);
}

static void test_failing_memory(void **state)
{
    (void)state;
    for (int sharing = 0; sharing <= NB_SHARE_SEPARATE; sharing++) {
        check_failing_memory((enum nb_sharing)sharing, false);
        check_failing_memory((enum nb_sharing)sharing, true);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_batches_arrive),
        cmocka_unit_test(test_wires_are_shared_fairly),
        cmocka_unit_test(test_acknowledgements),
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_dedicated_share),
        cmocka_unit_test(test_fair_windows),
        cmocka_unit_test(test_congestion_falls),
        cmocka_unit_test(test_oldest_first),
        cmocka_unit_test(test_most_outputs_first),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
