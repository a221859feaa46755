/* Intervals: over 20 seeds known answers lie inside about 19 times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "load/channel_loads.h"
#include "support/simulation.h"

#include <gsl/gsl_errno.h>
#include <math.h>

static const struct nb_run one_thread = { .threads = 1 };

enum { SEEDS = 20, AT_LEAST = 16 }; /* fewer by chance 3e-3 of the time */

/* Something that a simulation estimates and whose answer is known. */
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
 * Returns how often in all. */
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

/* A channel each way, of Poisson arrivals. */
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
        { "hops", hops_of, loads.mean_hops_upper, 0, 0 },
        { "first channel", first_channel_of, rate * loads.upper[0], 0, 0 },
        { "last channel", last_channel_of, rate * loads.upper[last], 0, 0 },
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
    check_network("dor@torus:4x4", 0.6, &inside, &all);
    check_network("val@torus:4x4", 0.4, &inside, &all);
    check_network("rlb@torus:5x3", 0.5, &inside, &all);
    check_network("min@mesh:3x3", 0.5, &inside, &all);
    SIMULATION_CHECK((double)inside >= 0.9 * (double)all,
                     "inside %zu of %zu times", inside, all);
}

/* Four times as many cycles: half as wide. */
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
 * its variance is that of what comes, rho a cycle, only over a long time. */
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
                isinf(result.queueing.half_width) == result.is_slow &&
                isinf(result.latency.half_width) == result.is_slow &&
                isinf(result.in_flight.half_width) == result.is_slow &&
                isinf(result.accepted.half_width) == result.is_slow &&
                isinf(result.accepted_of[1].half_width) == result.is_slow &&
                isinf(result.utilisation[1].half_width) == result.is_slow &&
                isfinite(result.offered.half_width));
            assert_true(!result.is_slow || (result.busiest.lower == 0 &&
                                            result.busiest.upper == 1));
            count += result.is_slow;
            nb_simulation_result_release(&result);
        }
        SIMULATION_CHECK(rows[i].is_slow ? count >= SEEDS - 2 : count <= 2,
                         "%s at %g: %zu of %d are slow", s.name, rows[i].rho,
                         count, SEEDS);
        simulation_close(&s);
    }
}

/* Of the 64 channels of a torus, two classes of 32 alike, the largest use is
 * known better than that of one, and never above what is possible. */
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

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_queue),
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_correlated_batches),
        cmocka_unit_test(test_slow),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
