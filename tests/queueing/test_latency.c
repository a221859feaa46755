/* Latency of a network of queues, and the delay of a queue as a function of its
 * inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "core/random.h"
#include "queueing/latency.h"

#include <math.h>
#include <string.h>

/* lower <= expected <= upper, and close together. */
static void latency_contains(double lower, double upper, double expected,
                             const char *what)
{
    TOPOLOGY_CHECK(lower <= expected && expected <= upper &&
                       upper - lower <= 1e-12 * expected,
                   "%s: [%.17g, %.17g], not %.17g", what, lower, upper,
                   expected);
}

static void test_one_queue(void **state)
{
    (void)state;
    static const struct {
        double load;
        struct nb_ratio bandwidth;
        double rate;
        struct nb_mean_delay delay;
        double utilisation, wait;
        const char *what;
    } cases[] = {
        { 0.5, { 1, 1 }, 1, { 1, 0 }, 0.5, 0.5, "M/D/1: rho/(2(1-rho))" },
        { 1.6, { 2, 1 }, 1, { 1, 0 }, 0.8, 1, "bandwidth 2: half of 2" },
        { 0.5, { 1, 2 }, 0.5, { 1, 0 }, 0.5, 1, "bandwidth 1/2" },
        { 1.5, { 1, 1 }, 0.5, { 1, 0.5 }, 0.75, 2, "Singh: 1/(2(1-rho))" },
        { 1.2, { 1, 1 }, 0.5, { 0.75, 0 }, 0.6, 0.5625, "four inputs" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct nb_queue queue = {
            .load.lower = cases[i].load,
            .load.upper = cases[i].load,
            .bandwidth = cases[i].bandwidth,
            .delay_lower = cases[i].delay,
            .delay_upper = cases[i].delay,
        };
        const struct nb_bracket rate = { cases[i].rate, cases[i].rate };
        const struct nb_queue_state at = nb_queue_at(&queue, rate);
        latency_contains(at.utilisation.lower, at.utilisation.upper,
                         cases[i].utilisation, cases[i].what);
        latency_contains(at.wait.lower, at.wait.upper, cases[i].wait,
                         cases[i].what);
    }
}

/* Two queues of loads 1/2 and 1/4; a packet passes 3/4 of them on average
 * (total 1): (1/2 W(1/2) + 1/4 W(1/4)) / 1 = 1/4 + 1/24. */
static void test_mean_wait(void **state)
{
    (void)state;
    const struct nb_queue queue[] = {
        { { 0.5, 0.5 }, { 1, 1 }, { 1, 0 }, { 1, 0 } },
        { { 0.25, 0.25 }, { 1, 1 }, { 1, 0 }, { 1, 0 } },
    };
    const struct nb_bracket one = { 1, 1 }, two = { 2, 2 };
    const struct nb_bracket none = { 0, 0 };
    struct nb_queue_state at[2];
    struct nb_bracket wait = nb_latency_find_wait(queue, 2, one, one, at);
    latency_contains(wait.lower, wait.upper, 7.0 / 24, "two queues");
    latency_contains(at[1].wait.lower, at[1].wait.upper, 1.0 / 6, "the second");
    wait = nb_latency_find_wait(queue, 2, one, two, NULL);
    latency_contains(wait.lower, wait.upper, 7.0 / 48, "more packets");
    wait = nb_latency_find_wait(queue, 2, two, one, NULL);
    assert_true(isinf(wait.upper));
    wait = nb_latency_find_wait(queue, 2, one, none, at);
    assert_true(wait.lower == 0 && wait.upper == 0);
    assert_true(at[0].wait.lower > 0);
}

/* [KruskalSnir1983]: k equal inputs have factor 1 - 1/k. */
static void test_inputs_alike(void **state)
{
    (void)state;
    for (size_t k = 1; k <= 8; k++) {
        double flow[8];
        struct nb_mean_delay lower, upper;
        for (size_t i = 0; i < k; i++)
            flow[i] = 0.37;
        nb_delay_of_inputs(flow, NULL, k, 0, &lower, &upper);
        latency_contains(lower.factor, upper.factor,
                         nb_delay_batch((double)k).factor, "equal inputs");
        assert_true(lower.constant == 0 && upper.constant == 0);
    }
}

static void test_inputs_unknown(void **state)
{
    (void)state;
    const double flow[] = { 0.25, 0.5 }, idle[] = { 0, 0 };
    struct nb_mean_delay lower, upper;
    nb_delay_of_inputs(flow, NULL, 2, INFINITY, &lower, &upper);
    assert_true(lower.factor == 0 && upper.factor == 1);
    nb_delay_of_inputs(idle, NULL, 2, 0, &lower, &upper);
    assert_true(lower.factor == 0 && upper.factor == 0);
    nb_delay_of_inputs(flow, NULL, 2, 1e-3, &lower, &upper);
    assert_true(lower.factor < 4.0 / 9 && upper.factor > 4.0 / 9);
    assert_true(upper.factor - lower.factor < 1e-2);
}

/* E[A (A - 1)] / (2 rho (1 - rho)), A counted over all sets of inputs that can
 * send at the same time. */
static double latency_enumerate(const double *p, size_t count)
{
    double mean = 0, pairs = 0;
    for (unsigned set = 0; set < 1U << count; set++) {
        double probability = 1, size = 0;
        for (size_t i = 0; i < count; i++) {
            const bool sends = (set >> i & 1) != 0;
            probability *= sends ? p[i] : 1 - p[i];
            size += sends;
        }
        mean += probability * size;
        pairs += probability * size * (size - 1);
    }
    return pairs / (2 * mean * (1 - mean));
}

static void test_inputs_against_enumeration(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 7, 0);
    for (int trial = 0; trial < 200; trial++) {
        const size_t count = 2 + nb_random_below(&random, 7);
        double p[8], sum = 0;
        struct nb_mean_delay lower, upper;
        for (size_t i = 0; i < count; i++) {
            p[i] = nb_random_unit(&random) / (double)count;
            sum += p[i];
        }
        nb_delay_of_inputs(p, NULL, count, 0, &lower, &upper);
        const double expected = latency_enumerate(p, count);
        const double found = nb_mean_delay_at(upper, sum);
        TOPOLOGY_CHECK(fabs(found - expected) <= 1e-12 * expected,
                       "trial %d, %zu inputs from %.17g: %.17g, not %.17g",
                       trial, count, p[0], found, expected);
    }
}

static void test_total(void **state)
{
    (void)state;
    struct nb_topology topology;
    struct nb_traffic traffic;
    topology_must_build("mesh:3x3,terminals=2", &topology);
    assert_int_equal(
        nb_traffic_build("uniform", &topology, false, &traffic, NULL), NB_OK);
    struct nb_bracket total = nb_latency_total(&traffic, &topology);
    assert_true(total.lower == 18 && total.upper == 18);
    nb_traffic_release(&traffic);
    assert_int_equal(
        nb_traffic_build("transpose", &topology, false, &traffic, NULL), NB_OK);
    total = nb_latency_total(&traffic, &topology);
    assert_true(total.lower == 18 && total.upper == 18);
    nb_traffic_release(&traffic);
    nb_topology_release(&topology);
}

/* 2^61 for each of (2^32)^2 pairs exceeds 2^120: at most eight roundings. */
static void test_total_in_doubles(void **state)
{
    (void)state;
    struct nb_topology topology;
    struct nb_traffic traffic;
    topology_must_build("torus:64x128,terminals=524288", &topology);
    assert_int_equal(
        nb_traffic_build("uniform", &topology, false, &traffic, NULL), NB_OK);
    traffic.background = (uint64_t)1 << 61;
    traffic.denominator = 1;
    const struct nb_bracket total = nb_latency_total(&traffic, &topology);
    assert_true(total.lower <= 0x1p125 && total.upper >= 0x1p125 &&
                total.upper - total.lower <= 0x1p125 * 0x1p-47);
    nb_traffic_release(&traffic);
    nb_topology_release(&topology);
}

enum { BURST_STATES = 1500, BURST_MOST = 24 };

/* Convolves the packets of a cycle with those of one more input: the whole part
 * of the rate, one more with the probability of the rest, and each with
 * probability share for this queue. */
static void burst_add(double *pmf, double rate, double share)
{
    const int whole = (int)floor(rate);
    for (int n = 0; n <= whole; n++) {
        const bool is_random = n == whole;
        const double chance = is_random ? (rate - whole) * share : share;
        for (int k = BURST_MOST - 1; k >= 0; k--)
            pmf[k] = pmf[k] * (1 - chance) + (k > 0 ? pmf[k - 1] * chance : 0);
    }
}

/* The mean wait if a packet takes `slot` cycles, from the chain of unfinished
 * work, iterated until it stands still. */
static double burst_wait(const double *pmf, int slot)
{
    static double now[BURST_STATES], next[BURST_STATES];
    double mean = 0, pairs = 0, work = 0, change = 1;
    memset(now, 0, sizeof now);
    now[0] = 1;
    for (int round = 0; round < 20000 && change > 1e-14; round++) {
        memset(next, 0, sizeof next);
        for (int v = 0; v < BURST_STATES; v++)
            for (int k = 0; k < BURST_MOST && now[v] > 0; k++) {
                const int to = v + slot * k > 0 ? v + slot * k - 1 : 0;
                next[to < BURST_STATES ? to : BURST_STATES - 1] +=
                    now[v] * pmf[k];
            }
        change = 0;
        for (int v = 0; v < BURST_STATES; v++)
            change += fabs(next[v] - now[v]);
        memcpy(now, next, sizeof now);
    }
    for (int k = 0; k < BURST_MOST; k++) {
        mean += k * pmf[k];
        pairs += k * (k - 1.0) * pmf[k];
    }
    for (int v = 0; v < BURST_STATES; v++)
        work += v * now[v];
    return work + slot * pairs / (2 * mean);
}

/* Terminals that send by the cycle to a queue that serves by the slot, and in
 * slots of one cycle channels as well. */
static void test_bursts_against_chain(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 11, 0);
    for (int trial = 0; trial < 60; trial++) {
        const int slot = 1 + (int)nb_random_below(&random, 4);
        const double rate = slot == 1 ? 3 * nb_random_unit(&random) : 0.2;
        const size_t terminals = 1 + nb_random_below(&random, 3);
        const size_t count =
            terminals + (slot == 1 ? nb_random_below(&random, 3) : 0);
        const double load = 0.2 + 0.6 * nb_random_unit(&random);
        double flow[8], pmf[BURST_MOST] = { 1 }, sum = 0;
        struct nb_bracket burst[8];
        struct nb_mean_delay lower, upper;
        for (size_t i = 0; i < count; i++) {
            flow[i] = 0.1 + nb_random_unit(&random);
            sum += flow[i];
        }
        for (size_t i = 0; i < count; i++) {
            flow[i] *= load / sum / slot; /* packets per cycle */
            const bool is_terminal = i < terminals;
            if (is_terminal && flow[i] > rate)
                flow[i] = rate / 2;
            burst[i] = is_terminal
                           ? nb_burst_of_terminal(
                                 (struct nb_bracket){ rate, rate }, slot)
                           : (struct nb_bracket){ 0, 0 };
            burst_add(pmf, is_terminal ? rate : flow[i],
                      is_terminal ? flow[i] / rate : 1);
        }
        sum = 0;
        for (size_t i = 0; i < count; i++)
            sum += flow[i] * slot;
        nb_delay_of_inputs(flow, burst, count, 0, &lower, &upper);
        const double expected = burst_wait(pmf, slot);
        const double least = slot * nb_mean_delay_at(lower, sum);
        const double most = slot * nb_mean_delay_at(upper, sum);
        TOPOLOGY_CHECK(least <= expected * (1 + 1e-9) &&
                           most >= expected * (1 - 1e-9) && most - least < 1e-9,
                       "trial %d, slot %d, rate %g, load %g: [%.12g, %.12g], "
                       "not %.12g",
                       trial, slot, rate, sum, least, most, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_queue),
        cmocka_unit_test(test_mean_wait),
        cmocka_unit_test(test_inputs_alike),
        cmocka_unit_test(test_inputs_unknown),
        cmocka_unit_test(test_inputs_against_enumeration),
        cmocka_unit_test(test_bursts_against_chain),
        cmocka_unit_test(test_total),
        cmocka_unit_test(test_total_in_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
