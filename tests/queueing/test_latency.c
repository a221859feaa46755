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
        nb_delay_of_inputs(flow, k, 0, &lower, &upper);
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
    nb_delay_of_inputs(flow, 2, INFINITY, &lower, &upper);
    assert_true(lower.factor == 0 && upper.factor == 1);
    nb_delay_of_inputs(idle, 2, 0, &lower, &upper);
    assert_true(lower.factor == 0 && upper.factor == 0);
    nb_delay_of_inputs(flow, 2, 1e-3, &lower, &upper);
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
        nb_delay_of_inputs(p, count, 0, &lower, &upper);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_queue),
        cmocka_unit_test(test_mean_wait),
        cmocka_unit_test(test_inputs_alike),
        cmocka_unit_test(test_inputs_unknown),
        cmocka_unit_test(test_inputs_against_enumeration),
        cmocka_unit_test(test_total),
        cmocka_unit_test(test_total_in_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
