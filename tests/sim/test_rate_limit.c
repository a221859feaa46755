/* Proved limits, and runs that end once they are certain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "sim/rate_limit.h"
#include "sim/saturation.h"
#include "support/cases.h"
#include "support/scratch.h"
#include "support/simulation.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct nb_run one_thread = { .threads = 1 };

struct limit_case {
    const char *example, *traffic;
    double rate;
    bool is_reached;
    const char *source;
};

static void open_limited(struct simulation *s, const char *example,
                         const char *traffic, double rate)
{
    simulation_open(s, example, traffic, rate);
    assert_int_equal(nb_rate_limit_find(&s->routing, &s->traffic, false,
                                        &one_thread, &s->plan.limit, NULL),
                     NB_OK);
}

static void test_limits(void **state)
{
    (void)state;
    static const struct limit_case rows[] = {
        { "dor@ring:8", "tornado", 1.0 / 3, true,
          "3 hops all in one "
          "direction" },
        { "val@torus:8x8", "tornado", 0.5, true, "Singh2005, Table 3.1" },
        { "dor@torus:8x8", "transpose", 2.0 / 7, true, "Singh2005" },
        { "rrr@fattree:k=2,n=2", "uniform", 1, true, "channels to terminals" },
        { "min-adaptive@ring:8", "tornado", 2.0 / 3, false,
          "2 channels of a router for 3 hops" },
        { "min-adaptive@torus:8x8", "nearest-neighbour", 4, false,
          "4 channels of a router for 1 hop" },
        { "min-adaptive@mesh:4", "bit-complement", 0.75, false,
          "6 channels for 3 + 1 + 1 + 3 hops" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct simulation s;
        open_limited(&s, rows[i].example, rows[i].traffic, 0.1);
        const struct nb_rate_limit *limit = &s.plan.limit;
        SIMULATION_CHECK(fabs(limit->rate - rows[i].rate) < 1e-6,
                         "%s: %.12g instead of %g (%s)", s.name, limit->rate,
                         rows[i].rate, rows[i].source);
        assert_int_equal(limit->is_reached, rows[i].is_reached);
        assert_non_null(limit->basis);
        simulation_close(&s);
    }
}

/* Router 0 sends a packet per cycle over its one channel, of a quarter; the
 * channels to its destination and all together would carry more. */
static void test_channels_from_a_router(void **state)
{
    char network[NB_SCRATCH_FILE], rates[NB_SCRATCH_FILE];
    char example[NB_SCRATCH_FILE + 50], traffic[NB_SCRATCH_FILE + 10];
    struct simulation s;
    (void)state;
    nb_scratch_file(network, ".csv", "0,1,1/4\n1,2,1\n2,3,1\n3,0,1\n");
    nb_scratch_file(rates, ".csv",
                    "source_router,destination_router,rate\n0,2,1\n");
    snprintf(example, sizeof example, "min-adaptive@file:%s,directed=yes",
             network);
    snprintf(traffic, sizeof traffic, "file:%s", rates);
    open_limited(&s, example, traffic, 0.1);
    unlink(network);
    unlink(rates);
    SIMULATION_CHECK(fabs(s.plan.limit.rate - 0.25) < 1e-6, "%.12g",
                     s.plan.limit.rate);
    assert_non_null(strstr(s.plan.limit.basis, "from a router"));
    simulation_close(&s);
}

/* What the paths of adaptive schemes carry, if that is searched for. */
static void test_searched(void **state)
{
    (void)state;
    static const struct limit_case rows[] = {
        { "min-adaptive@ring:8", "tornado", 1.0 / 3, false,
          "3 hops in one direction" },
        { "ugal@torus:8x8", "tornado", 8.0 / 15, false,
          "Singh2005, section 6.2: all channels equal" },
        { "ugal@torus:8x8", "uniform", 1, false, "capacity" },
        { "chaos@torus:4x4", "tornado", 4.0 / 3, false,
          "any path: 1 hop, or 3 in the other direction" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct simulation s;
        struct nb_rate_limit *limit = &s.plan.limit;
        simulation_open(&s, rows[i].example, rows[i].traffic, 0.1);
        assert_int_equal(nb_rate_limit_find(&s.routing, &s.traffic, true,
                                            &one_thread, limit, NULL),
                         NB_OK);
        SIMULATION_CHECK(limit->rate >= rows[i].rate &&
                             limit->rate < rows[i].rate * 1.001,
                         "%s: %.12g instead of %g (%s)", s.name, limit->rate,
                         rows[i].rate, rows[i].source);
        assert_int_equal(limit->is_reached, rows[i].is_reached);
        assert_non_null(limit->basis);
        simulation_close(&s);
    }
}

/* Just beyond the limit nothing shows in so short a run, but it is known. */
static void test_beyond(void **state)
{
    struct nb_simulation_result result;
    struct simulation s;
    (void)state;
    open_limited(&s, "dor@torus:8x8", "transpose", 2.0 / 7 * 1.002);
    s.plan.cycles = 640;
    simulation_run(&s, &result);
    assert_int_equal(result.stability, NB_SATURATED);
    assert_ptr_equal(result.evidence, s.plan.limit.basis);
    assert_true(result.cycles == 640 && result.planned == 640);
    nb_simulation_result_release(&result);
    s.plan.limit = (struct nb_rate_limit){ 0 };
    simulation_run(&s, &result);
    assert_int_equal(result.stability, NB_UNDECIDED);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

/* A certainly saturated network is measured for an eighth of the cycles, with
 * the same result for what is carried; a stable one for all of them. */
static void test_end(void **state)
{
    struct nb_simulation_result result;
    struct simulation s;
    (void)state;
    for (int is_credit = 0; is_credit < 2; is_credit++) {
        simulation_open(&s, "dor@ring:8", "tornado", 0.5);
        s.plan.router.model = is_credit ? NB_ROUTER_CREDIT : NB_ROUTER_IDEAL;
        s.plan.warm_up = NB_WARM_UP_FOUND;
        s.plan.cycles = 64000;
        s.plan.replications = 2;
        s.plan.end = NB_END_SATURATED;
        simulation_run(&s, &result);
        assert_int_equal(result.stability, NB_SATURATED);
        assert_true(result.cycles == 2 * 8000 && result.planned == 2 * 64000);
        assert_true(is_credit || fabs(result.accepted.mean - 1.0 / 3) < 1e-3);
        const struct nb_estimate early = result.accepted;
        nb_simulation_result_release(&result);
        s.plan.end = NB_END_NEVER;
        simulation_run(&s, &result);
        assert_true(result.cycles == result.planned);
        assert_true(fabs(result.accepted.mean - early.mean) <
                    2 * early.half_width + 1e-3);
        nb_simulation_result_release(&result);
        s.plan.end = NB_END_SATURATED;
        s.plan.injection.rate = 0.2;
        simulation_run(&s, &result);
        assert_true(result.stability == NB_STABLE &&
                    result.cycles == result.planned);
        nb_simulation_result_release(&result);
        /* Only to the end that is requested. */
        s.plan.end = NB_END_DECIDED;
        simulation_run(&s, &result);
        assert_true(result.stability == NB_STABLE && result.cycles == 2 * 8000);
        nb_simulation_result_release(&result);
        simulation_close(&s);
    }
}

/* A search that begins at the limit encloses the exact value, for any seed. */
static void test_search(void **state)
{
    (void)state;
    static const struct limit_case rows[] = {
        { "dor@ring:8", "tornado", 1.0 / 3, true,
          "3 hops all in one "
          "direction" },
        { "val@torus:4x4", "bit-complement", 1, true, "Singh2005" },
        { "dor@torus:4x4", "transpose", 2.0 / 3, true, "Singh2005" },
        { "rrr@fattree:k=2,n=2", "uniform", 1, true, "channels to terminals" },
        { "min@complete:4", "uniform", 4, true, "a channel to each" },
        { "min-adaptive@ring:8", "tornado", 1.0 / 3, false, "the same as dor" },
        { "min-adaptive@mesh:2x2", "bit-complement", 1, false,
          "8 channels for 4 packets of 2 hops" },
    };
    const double precision = 0.05;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t seed = 0; seed < 3; seed++) {
            struct simulation s;
            struct nb_saturation found;
            if (!nb_cases_have(3 * i + seed, 3))
                continue;
            open_limited(&s, rows[i].example, rows[i].traffic, 0);
            s.plan.seed = SIMULATION_SEED(seed);
            s.plan.cycles = 16384;
            s.plan.replications = 2;
            s.plan.warm_up = NB_WARM_UP_FOUND;
            s.plan.is_drained = false;
            assert_int_equal(nb_saturation_find(&s.plan, 1, 1000, precision,
                                                &one_thread, &found, NULL),
                             NB_OK);
            SIMULATION_CHECK(
                found.lower <= rows[i].rate &&
                    rows[i].rate <= found.upper * (1 + 1e-8) &&
                    found.upper - found.lower <= 2 * precision * found.upper,
                "%s: [%g, %g] instead of %g (%s)", s.name, found.lower,
                found.upper, rows[i].rate, rows[i].source);
            assert_int_equal(found.is_proved, found.upper == s.plan.limit.rate);
            assert_true(found.is_proved || !rows[i].is_reached);
            simulation_close(&s);
        }
}

/* Without memory there is no limit, and nothing leaks. */
static void test_failing_memory(void **state)
{
    struct simulation s;
    struct nb_rate_limit limit;
    enum nb_status status = NB_NO_MEMORY;
    (void)state;
    simulation_open(&s, "val@torus:4x4", "transpose", 0.1);
    const long before = nb_memory_live_blocks();
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        nb_memory_allow(allowed);
        status = nb_rate_limit_find(&s.routing, &s.traffic, false, &one_thread,
                                    &limit, NULL);
        nb_memory_allow(-1);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    simulation_close(&s);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_channels_from_a_router),
        cmocka_unit_test(test_searched),
        cmocka_unit_test(test_beyond),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_search),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
