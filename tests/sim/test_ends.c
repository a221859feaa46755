/* How simulations end, and what share of the demand is accepted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/simulation.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

/* Networks are full at different times: fewer batches of some. */
static void test_full(void **state)
{
    struct nb_simulation_result result;
    struct simulation s;
    (void)state;
    simulation_open(&s, "dor@ring:8", "tornado", 0.4);
    s.plan.replications = 3;
    s.plan.cycles = 6400; /* batches of 200 */
    s.plan.packet_limit = 2000;
    simulation_run(&s, &result);
    assert_int_equal(result.stability, NB_SATURATED);
    assert_non_null(strstr(result.evidence, "permitted"));
    assert_true(result.cycles > 0 && result.cycles < 3 * s.plan.cycles &&
                result.cycles % 600 != 0);
    assert_true(fabs(result.accepted.mean - 1.0 / 3) < 0.01);
    nb_simulation_result_release(&result);
    /* Within a batch: as far as it got. */
    s.plan.warm_up = 0;
    s.plan.cycles = 640000; /* batches of 20000 */
    simulation_run(&s, &result);
    assert_true(result.stability == NB_SATURATED && result.batches == 3 &&
                fabs(result.accepted.mean - 1.0 / 3) < 0.01);
    nb_simulation_result_release(&result);
    /* It would fill while it warms up: half is left for the measurement. */
    s.plan.warm_up = 64000;
    s.plan.cycles = 6400;
    simulation_run(&s, &result);
    assert_true(result.stability == NB_SATURATED && result.cycles > 1000 &&
                result.warm_up < 3000 &&
                fabs(result.accepted.mean - 1.0 / 3) < 0.01);
    nb_simulation_result_release(&result);
    /* Hardly a packet. */
    s.plan.packet_limit = 4;
    simulation_run(&s, &result);
    assert_true(result.stability == NB_SATURATED && result.cycles > 0);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

/* One run shows by its batches the error of its accepted rate, but not the
 * error of quantities that grow from batch to batch. */
static void test_one_run(void **state)
{
    struct nb_simulation_result result;
    struct simulation s;
    (void)state;
    simulation_open(&s, "dor@ring:8", "tornado", 0.4);
    s.plan.replications = 1;
    s.plan.cycles = 6400;
    simulation_run(&s, &result);
    assert_int_equal(result.stability, NB_SATURATED);
    assert_true(isfinite(result.accepted.half_width) &&
                isfinite(result.offered.half_width) &&
                result.hops.half_width == 0);
    assert_true(isinf(result.latency.half_width) &&
                isinf(result.queueing.half_width) &&
                isinf(result.in_flight.half_width));
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

/* Not every packet of a batch that does not fit arrives. */
static void test_full_batch(void **state)
{
    struct nb_simulation_result result;
    struct simulation s;
    (void)state;
    simulation_open(&s, "dor@ring:8", "tornado", 0);
    s.plan.injection.kind = NB_INJECT_BATCH;
    s.plan.injection.batch = 10;
    simulation_run(&s, &result);
    /* Every channel in one direction has 30 to send. */
    assert_true(result.stability == NB_STABLE && result.packets == 80 &&
                result.completion >= 30 && result.completion < 40 &&
                isnan(result.least.value));
    nb_simulation_result_release(&result);
    s.plan.packet_limit = 79;
    simulation_run(&s, &result);
    assert_true(result.stability == NB_SATURATED && result.packets < 80);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

/* Batches that take longer by detours: each replication by its own end. */
static void test_replicated_batch(void **state)
{
    struct nb_simulation_result result;
    struct simulation s;
    uint64_t cycles = 0, longest = 0;
    (void)state;
    simulation_open(&s, "val@torus:4x4", "uniform", 0);
    s.plan.injection.kind = NB_INJECT_BATCH;
    s.plan.injection.batch = 5;
    for (size_t i = 0; i < 2; i++) {
        s.plan.replications = (uint32_t)i + 1;
        simulation_run(&s, &result);
        cycles = result.cycles;
        longest = result.completion;
        const double flits = 5.0 * (double)s.plan.replications;
        assert_true(fabs(result.accepted.mean - flits / (double)cycles) <
                    1e-12);
        double use = 0;
        for (size_t q = 0; q < result.queue_count; q++)
            use += result.utilisation[q].mean;
        assert_true(fabs(use * (double)cycles -
                         result.hops.mean * (double)result.packets) < 1e-6);
        nb_simulation_result_release(&result);
    }
    assert_true(cycles < 2 * longest); /* two that are of different length */
    simulation_close(&s);
}

/* All that is demanded is accepted, of all pairs together; beyond saturation
 * less of some pair, which may have too few packets to be distinguished. */
static void check_least(const char *traffic, uint64_t cycles, bool is_pooled)
{
    struct nb_simulation_result result;
    struct simulation s;
    simulation_open(&s, "rrr@fattree:k=2,n=3", traffic, 0.25);
    s.plan.cycles = cycles;
    s.plan.injection.flits = 2;
    simulation_run(&s, &result);
    SIMULATION_CHECK(result.least.lower <= 1 && result.least.upper >= 1 &&
                         fabs(result.least.value - 1) < 0.05 &&
                         result.least_source == NB_NONE,
                     "%s, %ju cycles: least %g in [%g, %g] of %u to %u", s.name,
                     (uintmax_t)cycles, result.least.value, result.least.lower,
                     result.least.upper, result.least_source,
                     result.least_target);
    nb_simulation_result_release(&result);
    s.plan.injection.rate = 0.75;
    s.plan.cycles = cycles / 3;
    simulation_run(&s, &result);
    SIMULATION_CHECK(
        result.stability == NB_SATURATED &&
            result.least.lower < result.least.value &&
            result.least.value < result.least.upper &&
            result.least.value < 0.75 && result.least_source != NB_NONE &&
            (result.least_target == NB_NONE) == is_pooled,
        "%s, %ju cycles: least %g in [%g, %g] of %u to %u", s.name,
        (uintmax_t)cycles, result.least.value, result.least.lower,
        result.least.upper, result.least_source, result.least_target);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

static void test_least(void **state)
{
    (void)state;
    /* A pair of leaves has 1/8 packet per cycle: 375, then 5000. */
    check_least("uniform", 3000, true);
    check_least("uniform", 40000, false);
    check_least("tornado", 3000, false);
}

/* If stability is undecided, the network may be stable: then all is
 * accepted. */
static void test_least_undecided(void **state)
{
    int undecided = 0;
    struct simulation s;
    (void)state;
    simulation_open(&s, "dor@ring:8", "tornado", 0.32);
    s.plan.cycles = 320;
    for (s.plan.seed = 1; s.plan.seed <= 40; s.plan.seed++) {
        struct nb_simulation_result result;
        simulation_run(&s, &result);
        SIMULATION_CHECK(result.stability != NB_UNDECIDED ||
                             (result.least.upper >= 1 &&
                              result.least.value <= result.least.upper),
                         "seed %ju: least %g up to %g", (uintmax_t)s.plan.seed,
                         result.least.value, result.least.upper);
        undecided += result.stability == NB_UNDECIDED;
        nb_simulation_result_release(&result);
    }
    assert_true(undecided > 5);
    simulation_close(&s);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_one_run),
        cmocka_unit_test(test_full_batch),
        cmocka_unit_test(test_replicated_batch),
        cmocka_unit_test(test_least),
        cmocka_unit_test(test_least_undecided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
