/* How the ideal router serves its queues: bandwidths, and the order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/random.h"
#include "support/simulation.h"

#include <gsl/gsl_errno.h>
#include <stdlib.h>

/* Saturated channels send all they can, and no more in any window of cycles. */
static void check_windows(const char *example, const char *traffic,
                          struct nb_ratio bandwidth)
{
    enum { CYCLES = 600, BEGIN = 200 };
    struct simulation s;
    simulation_open(&s, example, traffic, 1);
    simulation_start(&s);
    const size_t queues = s.topology.channel_count;
    uint64_t *sent = calloc((CYCLES + 1) * queues, sizeof *sent);
    uint64_t most = 0;
    assert_non_null(sent);
    for (size_t c = 1; c <= CYCLES; c++) {
        simulation_cycle(&s);
        for (size_t q = 0; q < queues; q++)
            sent[c * queues + q] = s.network.measure.sent[q];
    }
    const uint64_t p = (uint64_t)bandwidth.numerator;
    const uint64_t d = (uint64_t)bandwidth.denominator;
    for (size_t q = 0; q < queues; q++) {
        const uint64_t late =
            sent[CYCLES * queues + q] - sent[BEGIN * queues + q];
        most = late > most ? late : most;
        for (size_t from = 0; from < CYCLES; from++)
            for (size_t w = 1; w <= 12 && from + w <= CYCLES; w++) {
                const uint64_t flow =
                    sent[(from + w) * queues + q] - sent[from * queues + q];
                SIMULATION_CHECK(flow <= (w * p + d - 1) / d,
                                 "%s: %ju flits of channel %zu in %zu cycles "
                                 "from %zu",
                                 s.name, (uintmax_t)flow, q, w, from);
            }
    }
    SIMULATION_CHECK(most >= (CYCLES - BEGIN) * p / d,
                     "%s: at most %ju flits in %d cycles", s.name,
                     (uintmax_t)most, CYCLES - BEGIN);
    free(sent);
    simulation_close(&s);
}

static void test_bandwidths(void **state)
{
    (void)state;
    check_windows("dor@ring:9", "tornado", (struct nb_ratio){ 1, 1 });
    check_windows("dor@ring:9,bandwidth=2", "tornado",
                  (struct nb_ratio){ 2, 1 });
    check_windows("dor@ring:9,bandwidth=1/2", "tornado",
                  (struct nb_ratio){ 1, 2 });
    check_windows("dor@ring:9,bandwidth=3/2", "tornado",
                  (struct nb_ratio){ 3, 2 });
    check_windows("dor@ring:9,bandwidth=2/3", "tornado",
                  (struct nb_ratio){ 2, 3 });
}

/* Packet A, with the longest path, meets five younger ones that came first. */
static void check_meeting(enum nb_arbitration arbitration, double latency)
{
    static const struct nb_trace_packet packets[] = {
        { 0, 0, 3, 1 }, { 1, 2, 3, 1 }, { 1, 2, 3, 1 },
        { 1, 2, 3, 1 }, { 1, 2, 3, 1 }, { 1, 2, 3, 1 },
    };
    struct nb_simulation_result result;
    struct simulation s;
    simulation_open(&s, "dor@mesh:4", "uniform", 0);
    simulation_set_trace(&s, packets, sizeof packets / sizeof *packets);
    s.plan.router.arbitration = arbitration;
    s.plan.pair_source = 0;
    s.plan.pair_target = 3;
    simulation_run(&s, &result);
    SIMULATION_CHECK(result.latency.mean == latency &&
                         result.latencies.total == 1 && result.packets == 6 &&
                         result.completion == 7,
                     "latency %g, completion %ju", result.latency.mean,
                     (uintmax_t)result.completion);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

/* Packets for a slow channel that has been idle: the first goes at once, the
 * others after three cycles each. */
static void test_after_a_rest(void **state)
{
    static const struct nb_trace_packet packets[] = { { 4, 0, 1, 1 },
                                                      { 5, 0, 1, 1 },
                                                      { 6, 0, 1, 1 } };
    struct nb_simulation_result result;
    struct simulation s;
    (void)state;
    simulation_open(&s, "min@complete:2,bandwidth=1/3", "uniform", 0);
    simulation_set_trace(&s, packets, sizeof packets / sizeof *packets);
    simulation_run(&s, &result);
    SIMULATION_CHECK(result.latency.mean == (1 + 3 + 5) / 3.0 &&
                         result.completion == 11,
                     "latency %g, completion %ju", result.latency.mean,
                     (uintmax_t)result.completion);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

/* A fast channel that has been idle sends no more than it can in a cycle. */
static void test_burst_after_a_rest(void **state)
{
    static struct nb_trace_packet packets[40];
    struct nb_simulation_result result;
    struct simulation s;
    (void)state;
    for (size_t p = 0; p < 40; p++)
        packets[p] = (struct nb_trace_packet){ 5, 0, 1, 1 };
    simulation_open(&s, "min@complete:2,bandwidth=10", "uniform", 0);
    simulation_set_trace(&s, packets, 40);
    simulation_run(&s, &result);
    SIMULATION_CHECK(result.latency.mean == 2.5 && result.completion == 9,
                     "latency %g, completion %ju", result.latency.mean,
                     (uintmax_t)result.completion);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

static void test_meeting(void **state)
{
    (void)state;
    check_meeting(NB_OLDEST_FIRST, 3);
    check_meeting(NB_IN_TURN, 3 + 4); /* one is served, four are before it */
}

/*
 * A line to its last router, on which one packet is born in every cycle: no two
 * have the same age or arrive over a channel at once. lists[i] is the queue
 * behind router i, births in order of arrival. Writes the packets' latencies in
 * the order of delivery to latency; returns their number.
 */
enum { LINE = 6, BIRTHS = 3000 };
static size_t serve_line(const struct nb_trace_packet *packets, bool is_by_age,
                         uint64_t *latency)
{
    static uint64_t lists[LINE][BIRTHS];
    size_t length[LINE] = { 0 }, delivered = 0;
    for (uint64_t cycle = 0; delivered < BIRTHS; cycle++) {
        uint64_t moved[LINE];
        if (cycle < BIRTHS) {
            const uint32_t at = packets[cycle].source;
            lists[at][length[at]++] = cycle;
        }
        for (size_t i = 0; i + 1 < LINE; i++) {
            size_t first = 0;
            moved[i] = UINT64_MAX;
            if (length[i] == 0)
                continue;
            for (size_t k = 1; is_by_age && k < length[i]; k++)
                if (lists[i][k] < lists[i][first])
                    first = k;
            moved[i] = lists[i][first];
            length[i]--;
            for (size_t k = first; k < length[i]; k++)
                lists[i][k] = lists[i][k + 1];
        }
        for (size_t i = 0; i + 2 < LINE; i++)
            if (moved[i] != UINT64_MAX)
                lists[i + 1][length[i + 1]++] = moved[i];
        if (moved[LINE - 2] != UINT64_MAX)
            latency[delivered++] = cycle + 1 - moved[LINE - 2];
    }
    return delivered;
}

static void check_line(uint64_t seed, enum nb_arbitration arbitration)
{
    static struct nb_trace_packet packets[BIRTHS];
    static uint64_t expected[BIRTHS];
    struct nb_random random;
    struct simulation s;
    size_t delivered = 0;
    nb_random_init(&random, seed, 0);
    for (uint64_t cycle = 0; cycle < BIRTHS; cycle++)
        packets[cycle] = (struct nb_trace_packet){
            cycle, (uint32_t)nb_random_below(&random, LINE - 1), LINE - 1, 1
        };
    serve_line(packets, arbitration == NB_OLDEST_FIRST, expected);
    simulation_open(&s, "dor@mesh:6", "uniform", 0);
    simulation_set_trace(&s, packets, BIRTHS);
    s.plan.router.arbitration = arbitration;
    simulation_start(&s);
    while (delivered < BIRTHS) {
        const double before = s.network.measure.batch[0].latency;
        const uint64_t packets_before = s.network.measure.packets;
        simulation_cycle(&s);
        const double latency = s.network.measure.batch[0].latency - before;
        if (s.network.measure.packets == packets_before)
            continue;
        SIMULATION_CHECK(latency == (double)expected[delivered],
                         "seed %ju, arbitration %d: delivery %zu has latency "
                         "%g, expecting %ju",
                         (uintmax_t)seed, arbitration, delivered, latency,
                         (uintmax_t)expected[delivered]);
        delivered++;
    }
    simulation_close(&s);
}

/* Compared with lists that are searched. */
static void test_order_of_service(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        check_line(seed, NB_OLDEST_FIRST);
        check_line(seed, NB_IN_TURN);
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bandwidths),
        cmocka_unit_test(test_meeting),
        cmocka_unit_test(test_after_a_rest),
        cmocka_unit_test(test_burst_after_a_rest),
        cmocka_unit_test(test_order_of_service),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
