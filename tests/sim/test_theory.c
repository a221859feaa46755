/* Simulations compared with exact results: distributions of single queues,
 * channel loads, Little's law. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "load/channel_loads.h"
#include "queueing/arrivals.h"
#include "support/cases.h"
#include "support/queues.h"
#include "support/simulation.h"
#include "support/topology_checks.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>

static const struct nb_run one_thread = { .threads = 1 };

/* Probability of a wrong refusal by one test of several values at once. */
#define LEVEL 1e-5

/* Fails unless a value lies in the interval of all count replications'
 * estimates, one of several tests; the interval must be narrower than width. */
static void check_replications(const char *name, const double *estimate,
                               size_t count, size_t tests, double value,
                               double width)
{
    const struct nb_estimate all =
        nb_estimate_mean(estimate, count, 1 - LEVEL / (double)tests);
    SIMULATION_CHECK(simulation_lag(all, value) <= 1 && all.half_width < width,
                     "%s: %.6g +- %.3g of %zu replications, expecting %.6g "
                     "(within %.3g)",
                     name, all.mean, all.half_width, count, value, width);
}

/*
 * The first hop of a fat tree: every leaf's 16 terminals send each packet over
 * one of 16 channels drawn for it, so its queues are slotted ones of 16 inputs
 * of load/16: after Singh, figures 7.5 to 7.7.
 */
static void check_slotted(double load, const char *text, double mean)
{
    enum { REPLICATIONS = 40, DEPTHS = 5, RADIX = 16 };
    static const size_t depths[DEPTHS] = { 1, 2, 3, 5, 8 };
    double tail[DEPTHS + 1][REPLICATIONS];
    const struct nb_arrivals arrivals = queue_inputs(RADIX);
    struct nb_distribution distribution = { 0 };
    struct simulation s;
    queue_must_find(&arrivals, queue_load(text), &distribution);
    simulation_open(&s, "rrr@fattree:k=16,n=2", "uniform", load);
    s.plan.has_depths = true;
    s.plan.is_drained = false;
    s.plan.warm_up = 200;
    s.plan.cycles = 480;
    for (size_t r = 0; r < REPLICATIONS; r++) {
        struct nb_simulation_result result;
        s.plan.seed = SIMULATION_SEED(r);
        simulation_run(&s, &result);
        assert_true(result.class_count == 3);
        const struct nb_histogram *hop = &result.depths[0];
        assert_int_equal(hop->total, s.plan.cycles * RADIX * RADIX);
        double sum = 0;
        for (size_t n = 0; n <= hop->size; n++)
            sum += (double)n * (double)hop->count[n];
        tail[DEPTHS][r] = sum / (double)hop->total;
        for (size_t d = 0; d < DEPTHS; d++) {
            uint64_t below = 0;
            for (size_t n = 0; n < depths[d]; n++)
                below += hop->count[n];
            tail[d][r] = 1 - (double)below / (double)hop->total;
        }
        nb_simulation_result_release(&result);
    }
    for (size_t d = 0; d < DEPTHS; d++) {
        const double exact =
            (double)nb_distribution_tail(&distribution, (double)depths[d]);
        char name[64];
        snprintf(name, sizeof name, "load %g, depth %zu", load, depths[d]);
        check_replications(name, tail[d], REPLICATIONS, DEPTHS + 1, exact,
                           0.04 * (double)depths[d] * exact);
    }
    check_replications("mean depth", tail[DEPTHS], REPLICATIONS, DEPTHS + 1,
                       mean, 0.03 * mean);
    nb_distribution_release(&distribution);
    simulation_close(&s);
}

/* rho + rho^2 (1 - 1/k) / (2 (1 - rho)) at k = 16; the first is 327/320. */
static void test_slotted(void **state)
{
    (void)state;
    check_slotted(0.6, "0.6", 327.0 / 320);
    if (nb_cases_are_all())
        check_slotted(0.8, "0.8", 2.3);
}

/* Two channels with Poisson arrivals: an M/D/1 queue whose packets come and go
 * at the beginnings of cycles has its wait, rho / (2 (1 - rho)). */
static void check_poisson(double rho, uint64_t cycles)
{
    enum { REPLICATIONS = 40 };
    double wait[REPLICATIONS];
    struct simulation s;
    simulation_open(&s, "min@complete:2", "bit-complement", rho);
    s.plan.injection.kind = NB_INJECT_POISSON;
    s.plan.cycles = cycles;
    for (size_t r = 0; r < REPLICATIONS; r++) {
        struct nb_simulation_result result;
        s.plan.seed = SIMULATION_SEED(r);
        simulation_run(&s, &result);
        wait[r] = result.queueing.mean;
        SIMULATION_CHECK(fabs(result.latency.mean - wait[r] - 1) < 1e-12,
                         "latency %.17g, wait %.17g", result.latency.mean,
                         wait[r]);
        nb_simulation_result_release(&result);
    }
    check_replications("wait", wait, REPLICATIONS, 3, rho / (2 * (1 - rho)),
                       0.05 * rho / (1 - rho));
    simulation_close(&s);
}

static void test_poisson(void **state)
{
    (void)state;
    check_poisson(0.5, 4000);
    check_poisson(0.8, 10000);
    check_poisson(0.9, 30000);
}

/* At two thirds of what the channels carry, or the terminals. */
static void check_loads(const char *example, const char *traffic)
{
    struct nb_channel_loads loads = { 0 };
    struct nb_simulation_result result;
    struct simulation s;
    simulation_open(&s, example, traffic, 0);
    if (s.routing.kind->is_adaptive) {
        simulation_close(&s);
        return;
    }
    assert_int_equal(nb_channel_loads_find(&s.routing, &s.traffic, &one_thread,
                                           &loads, NULL),
                     NB_OK);
    const double rate = fmin(loads.throughput.lower, 1) * 2 / 3;
    s.plan.injection.rate = rate;
    s.plan.replications = 4;
    s.plan.cycles = 1024;
    s.plan.warm_up = 128;
    simulation_run(&s, &result);
    const double widen = simulation_widen(
        1 - LEVEL / (double)s.topology.channel_count, 4 * NB_BATCHES);
    for (size_t c = 0; c < s.topology.channel_count; c++) {
        const double exact = rate * loads.load[c].upper;
        SIMULATION_CHECK(fabs(result.utilisation[c].mean - exact) <=
                             widen * result.utilisation[c].half_width + 1e-9,
                         "%s at %g: channel %zu: %g +- %g, expecting %g",
                         s.name, rate, c, result.utilisation[c].mean,
                         widen * result.utilisation[c].half_width, exact);
    }
    const double hops = loads.mean_hops.upper;
    SIMULATION_CHECK(simulation_lag(result.hops, hops) <= 2.5 ||
                         fabs(result.hops.mean - hops) < 1e-9,
                     "%s at %g: %g +- %g hops, expecting %g", s.name, rate,
                     result.hops.mean, result.hops.half_width, hops);
    assert_int_not_equal(result.stability, NB_SATURATED);
    nb_simulation_result_release(&result);
    nb_channel_loads_release(&loads);
    simulation_close(&s);
}

/* Every oblivious scheme on its examples. */
static void test_utilisations(void **state)
{
    size_t seen = 0;
    (void)state;
    for (size_t k = 0; nb_routing_kinds[k] != NULL; k++) {
        const char *examples = nb_routing_kinds[k]->examples;
        char name[TOPOLOGY_WORD];
        while (topology_next_word(&examples, name))
            if (nb_cases_have(seen++, 3))
                check_loads(name, "uniform");
    }
    check_loads("dor@torus:8x4", "tornado");
    check_loads("rlb@torus:8x4", "tornado");
    check_loads("romm@mesh:4x4", "transpose");
    check_loads("val@torus:4x4", "random-permutation:seed=3");
    check_loads("min@dragonfly:h=2,p=1", "adversarial:offset=1");
    check_loads("vlb@dragonfly:h=2,p=1", "adversarial:offset=1");
    check_loads("min@ccc:3", "bit-complement");
    check_loads("rcar@fattree:k=3,n=2", "random-permutation:seed=5");
}

/* From empty to empty: the cycles of all packets under way are exactly their
 * latencies. */
static void check_little_exactly(const char *example, uint32_t flits,
                                 enum nb_router_model model)
{
    struct nb_simulation_result result;
    struct simulation s;
    simulation_open(&s, example, "uniform", 0);
    s.plan.injection.kind = NB_INJECT_BATCH;
    s.plan.injection.batch = 20;
    s.plan.injection.flits = flits;
    s.plan.router.model = model;
    simulation_run(&s, &result);
    const double packets = 20.0 * (double)s.topology.terminal_count;
    const double latencies = result.latency.mean * packets;
    const double under_way = result.in_flight.mean * (double)result.cycles;
    SIMULATION_CHECK((double)result.packets == packets &&
                         fabs(under_way - latencies) <= 1e-12 * latencies &&
                         result.accepted.mean == result.offered.mean,
                     "%s, %u flits, model %d: %.17g cycles under way, "
                     "latencies of %.17g in all",
                     s.name, flits, model, under_way, latencies);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

/* In the long run, except for what the beginning and the end cut off. */
static void check_little(const char *example, double rate, uint32_t flits)
{
    struct nb_simulation_result result;
    struct simulation s;
    simulation_open(&s, example, "uniform", rate);
    s.plan.cycles = 40000;
    s.plan.injection.flits = flits;
    simulation_run(&s, &result);
    const double packets =
        result.accepted.mean * (double)s.topology.terminal_count / flits;
    const double expected = packets * result.latency.mean;
    SIMULATION_CHECK(fabs(result.in_flight.mean - expected) <= 3e-3 * expected,
                     "%s, %u flits: %g packets under way, %g by their "
                     "latencies",
                     s.name, flits, result.in_flight.mean, expected);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

static void test_little(void **state)
{
    (void)state;
    check_little_exactly("dor@torus:4x4", 1, NB_ROUTER_IDEAL);
    check_little_exactly("val@torus:4x4", 3, NB_ROUTER_IDEAL);
    check_little_exactly("rrr@fattree:k=2,n=3", 2, NB_ROUTER_IDEAL);
    check_little_exactly("dor@torus:4x4", 1, NB_ROUTER_CREDIT);
    check_little_exactly("val@torus:4x4", 3, NB_ROUTER_CREDIT);
    check_little("dor@torus:4x4", 0.5, 1);
    check_little("val@mesh:3x3", 0.08, 4);
    check_little("rrr@fattree:k=2,n=3", 0.5, 1);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slotted),
        cmocka_unit_test(test_poisson),
        cmocka_unit_test(test_utilisations),
        cmocka_unit_test(test_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
