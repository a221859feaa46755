/* Intervals: over 20 seeds, known answers lie inside about 19 times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "load/channel_loads.h"
#include "support/cases.h"
#include "support/simulation.h"

#include <gsl/gsl_errno.h>
#include <math.h>

static const struct nb_run one_thread = { .threads = 1 };

enum { SEEDS = 20, AT_LEAST = 16 }; /* fewer by chance with probability 3e-3 */

/* A simulated estimate with a known answer. */
struct quantity {
    const char *name;
    struct nb_estimate (*of)(const struct nb_simulation_result *result);
    double answer;
    size_t inside;
    double width; /* sum over seeds */
};

static struct nb_estimate wait_of(const struct nb_simulation_result *result)
{
    return result->queueing;
}
static struct nb_estimate latency_of(const struct nb_simulation_result *result)
{
    return result->latency;
}
static struct nb_estimate hops_of(const struct nb_simulation_result *result)
{
    return result->hops;
}
static struct nb_estimate
under_way_of(const struct nb_simulation_result *result)
{
    return result->in_flight;
}
static struct nb_estimate accepted_of(const struct nb_simulation_result *result)
{
    return result->accepted;
}
static struct nb_estimate offered_of(const struct nb_simulation_result *result)
{
    return result->offered;
}
static struct nb_estimate
sent_by_0_of(const struct nb_simulation_result *result)
{
    return result->accepted_of[0];
}
static struct nb_estimate
first_channel_of(const struct nb_simulation_result *result)
{
    return result->utilisation[0];
}
static struct nb_estimate
last_channel_of(const struct nb_simulation_result *result)
{
    return result->utilisation[result->queue_count - 1];
}

/* Simulates with every seed; every quantity must be covered often enough.
 * Returns the total number of times. */
static size_t cover(struct simulation *s, struct quantity *quantities,
                    size_t count)
{
    size_t inside = 0;
    for (size_t q = 0; q < count; q++)
        quantities[q].inside = 0, quantities[q].width = 0;
    for (size_t seed = 0; seed < SEEDS; seed++) {
        struct nb_simulation_result result;
        s->plan.seed = SIMULATION_SEED(seed);
        simulation_run(s, &result);
        for (size_t q = 0; q < count; q++) {
            const struct nb_estimate found = quantities[q].of(&result);
            quantities[q].inside +=
                simulation_lag(found, quantities[q].answer) <= 1;
            quantities[q].width += found.half_width;
        }
        nb_simulation_result_release(&result);
    }
    for (size_t q = 0; q < count; q++) {
        SIMULATION_CHECK(quantities[q].inside >= AT_LEAST,
                         "%s, %u replications of %ju cycles: %s is inside %zu "
                         "of %d times (%g, mean half-width %g)",
                         s->name, s->plan.replications,
                         (uintmax_t)s->plan.cycles, quantities[q].name,
                         quantities[q].inside, SEEDS, quantities[q].answer,
                         quantities[q].width / SEEDS);
        inside += quantities[q].inside;
    }
    return inside;
}

/* A channel in each direction, with Poisson arrivals. */
static void open_poisson(struct simulation *s, double rho)
{
    simulation_open(s, "min@complete:2", "bit-complement", rho);
    s->plan.injection.kind = NB_INJECT_POISSON;
}

static void test_single_queue(void **state)
{
    static const double rho[] = { 0.5, 0.8 };
    size_t inside = 0, all = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rho / sizeof *rho; i++) {
        const double wait = rho[i] / (2 * (1 - rho[i]));
        struct quantity quantities[] = {
            { "wait", wait_of, wait, 0, 0 },
            { "latency", latency_of, wait + 1, 0, 0 },
            { "packets under way", under_way_of, 2 * rho[i] * (wait + 1), 0,
              0 },
            { "utilisation", first_channel_of, rho[i], 0, 0 },
            { "accepted", accepted_of, rho[i], 0, 0 },
        };
        const size_t count = sizeof quantities / sizeof *quantities;
        struct simulation s;
        open_poisson(&s, rho[i]);
        for (uint32_t replications = 1; replications <= 4; replications += 3) {
            s.plan.replications = replications;
            s.plan.cycles = 20000 / replications;
            inside += cover(&s, quantities, count);
            all += SEEDS * count;
        }
        simulation_close(&s);
    }
    SIMULATION_CHECK((double)inside >= 0.9 * (double)all,
                     "inside %zu of %zu times", inside, all);
}

/* A scheme on a network, at a rate where queues are moderate. */
static void check_network(const char *example, double rate, size_t *inside,
                          size_t *all)
{
    struct nb_channel_loads loads = { 0 };
    struct simulation s;
    simulation_open(&s, example, "uniform", rate);
    assert_int_equal(nb_channel_loads_find(&s.routing, &s.traffic, &one_thread,
                                           &loads, NULL),
                     NB_OK);
    const size_t last = s.topology.channel_count - 1;
    struct quantity quantities[] = {
        { "hops", hops_of, loads.mean_hops.upper, 0, 0 },
        { "first channel", first_channel_of, rate * loads.load[0].upper, 0, 0 },
        { "last channel", last_channel_of, rate * loads.load[last].upper, 0,
          0 },
        { "offered", offered_of, rate, 0, 0 },
        { "accepted", accepted_of, rate, 0, 0 },
        { "sent by router 0", sent_by_0_of, rate, 0, 0 },
    };
    const size_t count = sizeof quantities / sizeof *quantities;
    s.plan.cycles = 4000;
    *inside += cover(&s, quantities, count);
    *all += SEEDS * count;
    nb_channel_loads_release(&loads);
    simulation_close(&s);
}

static void test_networks(void **state)
{
    size_t inside = 0, all = 0;
    (void)state;
    static const struct {
        const char *example;
        double rate;
    } cases[] = { { "dor@torus:4x4", 0.6 },
                  { "val@torus:4x4", 0.4 },
                  { "rlb@torus:5x3", 0.5 },
                  { "min@mesh:3x3", 0.5 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (nb_cases_have(i, 2))
            check_network(cases[i].example, cases[i].rate, &inside, &all);
    SIMULATION_CHECK((double)inside >= 0.9 * (double)all,
                     "inside %zu of %zu times", inside, all);
}

/* Four times the number of cycles: half as wide. */
static void test_widths(void **state)
{
    double width[2][2];
    (void)state;
    for (size_t longer = 0; longer < 2; longer++) {
        struct quantity quantities[] = {
            { "wait", wait_of, 1.0 / 2, 0, 0 },
            { "utilisation", first_channel_of, 1.0 / 2, 0, 0 },
        };
        struct simulation s;
        open_poisson(&s, 0.5);
        s.plan.cycles = longer ? 32000 : 8000;
        cover(&s, quantities, 2);
        width[longer][0] = quantities[0].width;
        width[longer][1] = quantities[1].width;
        simulation_close(&s);
    }
    for (size_t q = 0; q < 2; q++)
        SIMULATION_CHECK(fabs(width[0][q] / width[1][q] - 2) < 0.3,
                         "quantity %zu: %g times as wide", q,
                         width[0][q] / width[1][q]);
}

/* Near saturation what a channel sends in a batch depends on the batch before:
 * only over a long time is its variance that of its arrivals, rho per cycle. */
static void test_correlated_batches(void **state)
{
    const double rho = 0.95, cycles = 4 * 8192;
    struct quantity quantities[] = {
        { "utilisation", first_channel_of, rho, 0, 0 },
        { "sent by router 0", sent_by_0_of, rho, 0, 0 },
    };
    struct simulation s;
    (void)state;
    open_poisson(&s, rho);
    s.plan.replications = 4;
    s.plan.cycles = 8192;
    cover(&s, quantities, 2);
    for (size_t q = 0; q < 2; q++)
        SIMULATION_CHECK(
            quantities[q].width / SEEDS > 0.9 * 1.96 * sqrt(rho / cycles),
            "%s: mean half-width %g, expecting %g", quantities[q].name,
            quantities[q].width / SEEDS, 1.96 * sqrt(rho / cycles));
    simulation_close(&s);
}

/* A run of a few relaxation times, about 2 / (1 - rho)^2 cycles each, has no
 * interval of the wait; one of many has. */
static void test_slow(void **state)
{
    static const struct {
        double rho;
        bool is_slow;
    } rows[] = { { 0.99, true }, { 0.7, false } };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        size_t count = 0;
        struct simulation s;
        open_poisson(&s, rows[i].rho);
        s.plan.cycles = 16384;
        for (size_t seed = 0; seed < SEEDS; seed++) {
            struct nb_simulation_result result;
            s.plan.seed = SIMULATION_SEED(seed);
            simulation_run(&s, &result);
            assert_true(
                isinf(result.queueing.half_width) == result.has_slow_waits &&
                isinf(result.latency.half_width) == result.has_slow_waits &&
                isinf(result.in_flight.half_width) == result.has_slow_waits &&
                (result.has_slow_waits || !result.is_slow) &&
                isinf(result.accepted.half_width) == result.is_slow &&
                isfinite(result.offered.half_width));
            for (size_t r = 0; r < s.topology.router_count; r++)
                assert_true(isinf(result.accepted_of[r].half_width) ==
                            result.is_slow);
            for (size_t q = 0; q < result.queue_count; q++)
                assert_true(isinf(result.utilisation[q].half_width) ==
                            result.is_slow);
            assert_true(!result.is_slow || (result.busiest.lower == 0 &&
                                            result.busiest.upper == 1));
            count += result.is_slow;
            nb_simulation_result_release(&result);
        }
        SIMULATION_CHECK(rows[i].is_slow ? count == SEEDS : count <= 2,
                         "%s at %g: %zu of %d are slow", s.name, rows[i].rho,
                         count, SEEDS);
        simulation_close(&s);
    }
}

/* Latencies lose their interval sooner than what is carried. */
static void test_slow_waits(void **state)
{
    static const struct {
        double rho;
        bool is_slow;
    } rows[] = { { 0.95, true }, { 0.8, false } };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct simulation s;
        open_poisson(&s, rows[i].rho);
        s.plan.replications = 4;
        s.plan.cycles = 8192;
        for (size_t seed = 0; seed < SEEDS; seed++) {
            struct nb_simulation_result result;
            s.plan.seed = SIMULATION_SEED(seed);
            simulation_run(&s, &result);
            SIMULATION_CHECK(result.has_slow_waits == rows[i].is_slow &&
                                 isinf(result.latency.half_width) ==
                                     rows[i].is_slow,
                             "%s at %g, seed %zu: half-width %g", s.name,
                             rows[i].rho, seed, result.latency.half_width);
            nb_simulation_result_release(&result);
        }
        simulation_close(&s);
    }
}

/* The upper end by the reciprocal of the wait, or twice as far. */
static void test_waits(void **state)
{
    const struct nb_estimate wait = { 4, 1 }, latency = { 10, 1 },
                             rough = { 4, 3 }, open = { 4, INFINITY };
    (void)state;
    const struct nb_interval of_wait = nb_interval_of_wait(wait, wait);
    const struct nb_interval of_latency = nb_interval_of_wait(latency, wait);
    assert_true(of_wait.value == 4 && of_wait.lower == 3);
    assert_true(fabs(1 / of_wait.upper - (1.0 / 4 - 1.0 / 16)) < 1e-15);
    assert_true(of_latency.lower == 9 &&
                fabs(of_latency.upper - 10 - 4.0 / 3) < 1e-15);
    assert_true(nb_interval_of_wait(rough, rough).upper == 10);
    assert_true(isinf(nb_interval_of_wait(open, open).upper));
}

/* Of the 64 channels of a torus, two orbits of 32, the largest use is known
 * better than that of one channel, and never exceeds its maximum. */
static void test_extremes(void **state)
{
    const double rate = 0.6;
    size_t inside = 0;
    double width = 0, one = 0;
    struct simulation s;
    (void)state;
    simulation_open(&s, "dor@torus:4x4", "uniform", rate);
    s.plan.cycles = 2048;
    for (size_t seed = 0; seed < SEEDS; seed++) {
        struct nb_simulation_result result;
        s.plan.seed = SIMULATION_SEED(seed);
        simulation_run(&s, &result);
        assert_int_equal(result.stability, NB_STABLE);
        assert_true(result.router_least.upper <=
                        fmax(rate, result.router_least.value) &&
                    result.least.upper <= fmax(1, result.least.value));
        inside += result.busiest.lower <= rate / 2 &&
                  rate / 2 <= result.busiest.upper;
        width += (result.busiest.upper - result.busiest.lower) / 2;
        one += result.utilisation[0].half_width;
        nb_simulation_result_release(&result);
    }
    SIMULATION_CHECK(
        inside >= AT_LEAST && width < 0.5 * one,
        "%s: inside %zu of %d times, half-width %g, of one channel "
        "%g",
        s.name, inside, SEEDS, width / SEEDS, one / SEEDS);
    simulation_close(&s);
}

/* Channels in one orbit under a scheme that compares queues have the same use,
 * in whatever order the network processes them. */
static void test_adaptive(void **state)
{
    static const char *const examples[] = { "min-adaptive@torus:4x4",
                                            "cqr@torus:4x4" };
    (void)state;
    for (size_t e = 0; e < 2; e++) {
        if (!nb_cases_have(e, 2))
            continue;
        struct simulation s;
        struct nb_simulation_result result;
        double mean = 0, square = 0;
        simulation_open(&s, examples[e], "uniform", 1.2);
        s.plan.cycles = 100000;
        simulation_run(&s, &result);
        const double count = (double)result.queue_count;
        for (size_t q = 0; q < result.queue_count; q++)
            mean += result.utilisation[q].mean / count;
        for (size_t q = 0; q < result.queue_count; q++) {
            const double lag = simulation_lag(result.utilisation[q], mean);
            square += 4 * lag * lag / (count - 1); /* half-widths: 2 errors */
        }
        SIMULATION_CHECK(square < 1.6, "%s: channels differ by %g of chance",
                         s.name, square);
        nb_simulation_result_release(&result);
        simulation_close(&s);
    }
}

/* Extremes over an orbit are as wide as means, also beyond saturation and under
 * adaptive schemes. */
static void test_extremes_alike(void **state)
{
    struct simulation s;
    struct nb_simulation_result result;
    (void)state;
    simulation_open(&s, "dor@ring:8", "tornado", 0.5);
    s.plan.cycles = 4096;
    simulation_run(&s, &result);
    assert_int_equal(result.stability, NB_SATURATED);
    const double demanded = 2 * result.accepted.half_width / 0.5;
    SIMULATION_CHECK(result.least.upper - result.least.lower <
                             1.001 * demanded &&
                         result.router_most.upper - result.router_most.lower <
                             2.001 * result.accepted.half_width,
                     "%s: pairs %g wide, all %g", s.name,
                     result.least.upper - result.least.lower, demanded);
    nb_simulation_result_release(&result);
    simulation_close(&s);
    simulation_open(&s, "min-adaptive@torus:4x4", "uniform", 0.6);
    s.plan.cycles = 4096;
    simulation_run(&s, &result);
    SIMULATION_CHECK(result.busiest.upper - result.busiest.lower <
                         result.utilisation[0].half_width,
                     "%s: %g wide", s.name,
                     result.busiest.upper - result.busiest.lower);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

/* What grows without bound in a saturated network grows by much in the time
 * that is measured, which is not an error of its mean. */
static void test_growing(void **state)
{
    struct simulation s;
    struct nb_simulation_result result;
    (void)state;
    simulation_open(&s, "dor@ring:8", "tornado", 0.5);
    s.plan.cycles = 4096;
    s.plan.warm_up = 4096;
    for (uint32_t replications = 1; replications <= 4; replications += 3) {
        s.plan.replications = replications;
        simulation_run(&s, &result);
        assert_int_equal(result.stability, NB_SATURATED);
        const double wide = result.latency.half_width / result.latency.mean;
        const double more = result.in_flight.half_width / result.in_flight.mean;
        SIMULATION_CHECK(replications == 1 ? isinf(wide) && isinf(more)
                                           : wide < 0.06 && more < 0.06,
                         "%s, %u replications: %g and %g wide", s.name,
                         replications, wide, more);
        nb_simulation_result_release(&result);
    }
    simulation_close(&s);
}

/* With several orbits those far from the busiest do not widen it: four of a
 * mesh's twelve could be the busiest. */
static void test_extremes_unlike(void **state)
{
    size_t inside = 0;
    double width = 0;
    struct simulation s;
    (void)state;
    simulation_open(&s, "dor@mesh:4x4", "uniform", 0.8);
    s.plan.cycles = 2048;
    s.plan.replications = 4;
    for (size_t seed = 0; seed < SEEDS; seed++) {
        struct nb_simulation_result result;
        s.plan.seed = SIMULATION_SEED(seed);
        simulation_run(&s, &result);
        inside += result.busiest.lower <= 0.8 && 0.8 <= result.busiest.upper;
        width += (result.busiest.upper - result.busiest.lower) / 2;
        nb_simulation_result_release(&result);
    }
    SIMULATION_CHECK(inside >= AT_LEAST && width / SEEDS < 0.0095,
                     "%s: inside %zu of %d times, half-width %g", s.name,
                     inside, SEEDS, width / SEEDS);
    simulation_close(&s);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_queue),
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_correlated_batches),
        cmocka_unit_test(test_slow),
        cmocka_unit_test(test_slow_waits),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_adaptive),
        cmocka_unit_test(test_extremes_alike),
        cmocka_unit_test(test_growing),
        cmocka_unit_test(test_extremes_unlike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
