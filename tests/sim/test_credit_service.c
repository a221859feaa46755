/* The credit router: who is served first, and where packets go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/simulation.h"

#include <gsl/gsl_errno.h>
#include <math.h>

static void open_credit(struct simulation *s, const char *example)
{
    simulation_open(s, example, "uniform", 0);
    s->plan.router.model = NB_ROUTER_CREDIT;
}

/* Runs a list of packets to its end; returns the last one's arrival. */
static uint64_t run_list(struct simulation *s,
                         const struct nb_trace_packet *packets, size_t count)
{
    simulation_set_trace(s, packets, count);
    simulation_start(s);
    do
        simulation_cycle(s);
    while (!nb_sources_are_done(&s->network.sources) ||
           s->network.packets.count > 0);
    return s->network.cycle;
}

/* A source whose terminal is unlimited sends to all sides at once, but one flit
 * per cycle to each; a limited one sends one in total. */
static void test_sources(void **state)
{
    static const struct nb_trace_packet apart[] = {
        { 0, 5, 4, 1 }, { 0, 5, 6, 1 }, { 0, 5, 1, 1 }, { 0, 5, 9, 1 }
    };
    static const struct nb_trace_packet together[] = { { 0, 5, 4, 1 },
                                                       { 0, 5, 4, 1 },
                                                       { 0, 5, 6, 1 } };
    static const struct nb_trace_packet limited[] = { { 0, 0, 0, 1 },
                                                      { 0, 0, 1, 1 } };
    (void)state;
    for (int arbitration = 0; arbitration < 2; arbitration++) {
        struct simulation s;
        open_credit(&s, "dor@torus:4x4");
        s.plan.router.arbitration = (enum nb_arbitration)arbitration;
        assert_int_equal(run_list(&s, apart, 4), 1);
        assert_int_equal(run_list(&s, together, 3), 2);
        simulation_close(&s);
        open_credit(&s, "rcar@fattree:k=2,n=2");
        s.plan.router.arbitration = (enum nb_arbitration)arbitration;
        assert_int_equal(run_list(&s, limited, 1), 1);
        assert_int_equal(run_list(&s, limited, 2), 2);
        s.plan.router.speedup = 2;
        assert_int_equal(run_list(&s, limited, 2), 2);
        simulation_close(&s);
    }
}

/* Two flows to one channel: the older one first, or each in its turn. */
static void test_arbitration(void **state)
{
    enum { EACH = 100 };
    struct nb_trace_packet packets[2 * EACH];
    (void)state;
    for (uint32_t p = 0; p < EACH; p++) {
        packets[p] = (struct nb_trace_packet){ 0, 0, 2, 1 };
        packets[EACH + p] = (struct nb_trace_packet){ 1, 1, 2, 1 };
    }
    for (int trial = 0; trial < 12; trial++) {
        struct simulation s;
        const bool is_by_age = trial % 2 == 0;
        open_credit(&s, "dor@mesh:3");
        s.plan.router.allocation = (enum nb_allocation)(trial / 4);
        s.plan.router.arbitration = is_by_age ? NB_OLDEST_FIRST : NB_IN_TURN;
        /* One virtual channel: they meet where it is given away. More: at the
         * switch. */
        s.plan.router.virtual_channels = trial % 4 < 2 ? 1 : 4;
        simulation_set_trace(&s, packets, 2 * EACH);
        simulation_start(&s);
        for (int c = 0; c < EACH; c++)
            simulation_cycle(&s);
        const double first = s.network.measure.from[0].now;
        const double second = s.network.measure.from[1].now;
        SIMULATION_CHECK(is_by_age
                             ? second <= 1 && first >= EACH - 3
                             : first >= EACH / 2 - 2 && second >= EACH / 2 - 2,
                         "trial %d: %g and %g", trial, first, second);
        simulation_close(&s);
    }
}

/* At router 24 three packets turn to the same channel. The oldest leaves in the
 * cycle in which the youngest has come; the second comes in the next one, and
 * goes before the youngest, which has not been given the channel meanwhile. */
static void test_oldest_head(void **state)
{
    static const struct nb_trace_packet packets[] = { { 0, 21, 38, 1 },
                                                      { 1, 27, 38, 1 },
                                                      { 2, 17, 38, 1 } };
    uint64_t arrival[3] = { 0 };
    struct simulation s;
    (void)state;
    open_credit(&s, "dor@mesh:7x7");
    simulation_set_trace(&s, packets, 3);
    simulation_start(&s);
    for (int c = 0; c < 20; c++) {
        simulation_cycle(&s);
        for (size_t p = 0; p < 3; p++)
            if (arrival[p] == 0 &&
                s.network.measure.from[packets[p].source].now > 0)
                arrival[p] = s.network.cycle;
    }
    SIMULATION_CHECK(arrival[0] > 0 && arrival[1] == arrival[0] + 1 &&
                         arrival[2] == arrival[1] + 1,
                     "at %ju, %ju and %ju", (uintmax_t)arrival[0],
                     (uintmax_t)arrival[1], (uintmax_t)arrival[2]);
    simulation_close(&s);
}

/* Packets from 0 to 2 wait at router 1 in 4 virtual channels of one port, which
 * shares the channel behind it with the router's own packets. Each virtual
 * channel has its turn: a packet is overtaken at most by those in the other
 * buffers before it, 3 buffers of 8. A virtual channel that always goes first,
 * or an omitted last one, would hold packets back until the list ends. */
static void check_virtual_channels_in_turn(enum nb_allocation allocation)
{
    enum { EACH = 200 };
    struct nb_trace_packet packets[2 * EACH];
    struct nb_simulation_result result;
    struct simulation s;
    uint64_t seen = 0;
    for (uint32_t p = 0; p < EACH; p++) {
        packets[p] = (struct nb_trace_packet){ 0, 0, 2, 1 };
        packets[EACH + p] = (struct nb_trace_packet){ 0, 1, 2, 1 };
    }
    open_credit(&s, "dor@mesh:3");
    s.plan.router.arbitration = NB_IN_TURN;
    s.plan.router.allocation = allocation;
    s.plan.router.virtual_channels = 4;
    s.plan.has_reorder = true;
    simulation_set_trace(&s, packets, 2 * EACH);
    simulation_run(&s, &result);
    for (size_t n = 0; n <= 3 * 8 && n <= result.reorder.size; n++)
        seen += result.reorder.count[n];
    SIMULATION_CHECK(result.reorder.total == 2 * EACH && seen == 2 * EACH,
                     "%ju of %ju packets overtaken by 24 others at most",
                     (uintmax_t)seen, (uintmax_t)result.reorder.total);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

static void test_virtual_channels_in_turn(void **state)
{
    (void)state;
    check_virtual_channels_in_turn(NB_ALLOCATION_GREEDY);
    check_virtual_channels_in_turn(NB_ALLOCATION_SEPARABLE);
    check_virtual_channels_in_turn(NB_ALLOCATION_PACKET);
}

/* Two packets of 4 flits share a channel and have virtual channels enough:
 * their flits alternate on it, or one packet follows the other. Either way the
 * last flit arrives after the same 8 flits. */
static void test_whole_packets(void **state)
{
    enum { FLITS = 4 };
    static const struct nb_trace_packet packets[] = { { 0, 0, 2, FLITS },
                                                      { 1, 1, 2, FLITS } };
    static const uint64_t apart[] = { [NB_ALLOCATION_GREEDY] = 1,
                                      [NB_ALLOCATION_SEPARABLE] = 1,
                                      [NB_ALLOCATION_PACKET] = FLITS };
    (void)state;
    for (int allocation = 0; allocation <= NB_ALLOCATION_PACKET; allocation++) {
        uint64_t arrival[2] = { 0 };
        struct simulation s;
        open_credit(&s, "dor@mesh:3");
        s.plan.router.allocation = (enum nb_allocation)allocation;
        s.plan.router.arbitration = NB_IN_TURN;
        s.plan.router.virtual_channels = 4;
        simulation_set_trace(&s, packets, 2);
        simulation_start(&s);
        for (int c = 0; c < 20; c++) {
            simulation_cycle(&s);
            for (size_t p = 0; p < 2; p++)
                if (arrival[p] == 0 && s.network.measure.from[p].now > 0)
                    arrival[p] = s.network.cycle;
        }
        const bool is_first = arrival[0] < arrival[1];
        SIMULATION_CHECK(arrival[is_first] == 1 + 2 * FLITS &&
                             arrival[!is_first] + apart[allocation] ==
                                 arrival[is_first],
                         "allocation %d: at %ju and %ju", allocation,
                         (uintmax_t)arrival[0], (uintmax_t)arrival[1]);
        simulation_close(&s);
    }
}

/* A terminal sends one flit per cycle, however fast the switch is. */
static void test_limited_source(void **state)
{
    static const struct nb_trace_packet packets[] = { { 0, 0, 0, 5 },
                                                      { 0, 0, 1, 5 } };
    (void)state;
    for (uint32_t speedup = 1; speedup < 4; speedup++) {
        struct simulation s;
        open_credit(&s, "rcar@fattree:k=2,n=2");
        s.plan.router.allocation = NB_ALLOCATION_PACKET;
        s.plan.router.speedup = speedup;
        assert_int_equal(run_list(&s, packets, 1), 5);
        assert_int_equal(run_list(&s, packets, 2), 10);
        simulation_close(&s);
    }
}

static double arrived_from(const struct simulation *s, size_t router)
{
    const struct nb_tally *from = &s->network.measure.from[router];
    return from->sum + from->now;
}

/* Beyond saturation of tornado traffic around a ring one class of virtual
 * channels is granted between grants of the other; no router may be left out
 * because of that. (Where whole packets take turns at an output, of any virtual
 * channel, some are.) */
static void test_nobody_starves(void **state)
{
    enum { CYCLES = 6000 };
    static const char *const examples[] = { "dor@ring:8",
                                            "min-adaptive@ring:8" };
    (void)state;
    for (size_t e = 0; e < 6; e++) {
        struct simulation s;
        simulation_open(&s, examples[e % 2], "tornado", 0.6);
        s.plan.router.model = NB_ROUTER_CREDIT;
        s.plan.router.allocation = (enum nb_allocation)(e / 2);
        s.plan.router.arbitration =
            e / 2 == NB_ALLOCATION_PACKET ? NB_LEAST_RECENT : NB_IN_TURN;
        simulation_start(&s);
        double before[8] = { 0 };
        for (int c = 0; c < 2 * CYCLES; c++) {
            for (size_t r = 0; r < 8 && c == CYCLES; r++)
                before[r] = arrived_from(&s, r);
            simulation_cycle(&s);
        }
        for (size_t r = 0; r < 8; r++)
            SIMULATION_CHECK(arrived_from(&s, r) > before[r],
                             "%s: nothing arrives from router %zu", s.name, r);
        simulation_close(&s);
    }
}

/* Two heads meet where there is one virtual channel: the second has it the
 * cycle after the first, long before a credit is back. */
static void test_channel_passed_on(void **state)
{
    static const struct nb_trace_packet packets[] = { { 0, 0, 2, 1 },
                                                      { 10, 1, 2, 1 } };
    (void)state;
    for (int arbitration = 0; arbitration < 2; arbitration++) {
        struct simulation s;
        open_credit(&s, "dor@mesh:3");
        s.plan.router.arbitration = (enum nb_arbitration)arbitration;
        s.plan.router.channel_latency = 10;
        assert_int_equal(run_list(&s, packets, 2), 2 * 10 + 1);
        simulation_close(&s);
    }
}

/* Packets from 0 to 6 of a torus of 5 by 5 have two paths, the first over
 * router 1 or 5. Returns how many of these packets went over 1. */
static uint64_t take_two_ways(const struct nb_trace_packet *packets,
                              size_t count, uint64_t seed)
{
    struct simulation s;
    uint64_t over = 0;
    open_credit(&s, "min-adaptive@torus:5x5");
    s.plan.seed = seed;
    s.plan.router.channel_latency = 10;
    run_list(&s, packets, count);
    for (uint32_t c = 0; c < s.topology.channel_count; c++)
        if (s.topology.channels[c].source == 1 &&
            s.topology.channels[c].target == 6)
            over += s.network.measure.sent[c];
    simulation_close(&s);
    return over;
}

static void test_shortest_queue(void **state)
{
    enum { PACKETS = 400 };
    static struct nb_trace_packet alone[PACKETS];
    static const struct nb_trace_packet behind[] = { { 0, 0, 1, 1 },
                                                     { 3, 0, 6, 1 } };
    static const struct nb_trace_packet beside[] = { { 0, 0, 5, 1 },
                                                     { 3, 0, 6, 1 } };
    (void)state;
    for (uint32_t p = 0; p < PACKETS; p++) /* far apart: all queues are even */
        alone[p] = (struct nb_trace_packet){ 100 * p, 0, 6, 1 };
    const double over = (double)take_two_ways(alone, PACKETS, 1);
    SIMULATION_CHECK(fabs(over - PACKETS / 2.0) < 4 * sqrt(PACKETS / 4.0),
                     "%g of %d", over, PACKETS);
    for (uint64_t trial = 0; trial < 20; trial++) {
        assert_int_equal(take_two_ways(behind, 2, SIMULATION_SEED(trial)), 0);
        assert_int_equal(take_two_ways(beside, 2, SIMULATION_SEED(trial)), 1);
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_arbitration),
        cmocka_unit_test(test_oldest_head),
        cmocka_unit_test(test_virtual_channels_in_turn),
        cmocka_unit_test(test_whole_packets),
        cmocka_unit_test(test_limited_source),
        cmocka_unit_test(test_nobody_starves),
        cmocka_unit_test(test_channel_passed_on),
        cmocka_unit_test(test_shortest_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
