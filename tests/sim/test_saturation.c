/* Saturations found by trying rates, compared with exact ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "sim/saturation.h"
#include "support/problem.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

struct saturation_case {
    const char *topology, *routing, *traffic;
    double exact; /* [packet/cycle] */
    const char *source;
};

/* Must stay in place: the plan points to the rest. */
struct searched {
    struct problem problem;
    struct nb_traffic traffic;
    struct nb_simulation plan;
};

static void searched_open(struct searched *out,
                          const struct saturation_case *row, uint64_t cycles)
{
    problem_open(&out->problem, row->topology, row->routing);
    assert_int_equal(nb_traffic_build(row->traffic, &out->problem.topology,
                                      false, &out->traffic, NULL),
                     NB_OK);
    out->plan = (struct nb_simulation){
        .topology = &out->problem.topology,
        .routing = &out->problem.routing,
        .traffic = &out->traffic,
        .router = { .channel_latency = 1 },
        .injection = { .kind = NB_INJECT_BERNOULLI, .flits = 1 },
        .seed = 7,
        .replications = 2,
        .warm_up = NB_WARM_UP_FOUND,
        .cycles = cycles,
        .packet_limit = 1 << 17,
        .pair_source = NB_NONE,
        .pair_target = NB_NONE,
    };
}

static void searched_close(struct searched *searched)
{
    nb_traffic_release(&searched->traffic);
    problem_close(&searched->problem);
}

/* The ends are rates that were tried, and no verdict contradicts them; all
 * cycles were spent unless the bracket is as narrow as requested. */
static void check_trials(const struct nb_saturation *found, uint64_t cycles,
                         double precision)
{
    bool has_lower = found->lower == 0, has_upper = isinf(found->upper);
    uint64_t last = cycles / 64;
    for (size_t i = 0; i < found->trial_count; i++) {
        const struct nb_saturation_trial *trial = &found->trial[i];
        has_lower = has_lower || (trial->stability == NB_STABLE &&
                                  trial->rate == found->lower);
        has_upper = has_upper || (trial->stability == NB_SATURATED &&
                                  trial->rate == found->upper);
        if (trial->stability == NB_STABLE)
            assert_true(trial->rate <= found->lower);
        if (trial->stability == NB_SATURATED)
            assert_true(trial->rate >= found->upper);
        /* Decided rates take fewer. */
        assert_true(trial->cycles > 0 && trial->cycles <= cycles);
        if (trial->stability == NB_UNDECIDED) {
            assert_true(trial->cycles >= last);
            last = trial->cycles;
        }
        assert_non_null(trial->evidence);
    }
    assert_true(has_lower && has_upper);
    assert_true(found->is_narrow ==
                (found->upper - found->lower <= precision * found->upper));
    assert_true(found->is_narrow || last == cycles);
    if (!isinf(found->doubt_first))
        assert_true(found->lower < found->doubt_first &&
                    found->doubt_first <= found->doubt_last &&
                    found->doubt_last < found->upper);
}

static void test_exact(void **state)
{
    (void)state;
    static const struct saturation_case rows[] = {
        { "ring:8", "dor", "tornado", 1.0 / 3, "3 hops all in one direction" },
        { "ring:5", "min", "uniform", 5.0 / 3,
          "(1 + 2)/5 of a terminal's packets over each channel" },
        { "mesh:2x2", "dor", "bit-complement", 1,
          "a hop in each dimension over its own channels" },
        { "torus:8x8", "dor", "transpose", 2.0 / 7,
          "Singh2005, Table 3.1; ties split" },
        { "fattree:k=2,n=2", "min", "uniform", 1, "the channel to a terminal" },
    };
    const uint64_t cycles = 16384;
    const double precision = 0.05;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct searched searched = { 0 };
        struct nb_saturation found;
        struct nb_error err = { 0 };
        searched_open(&searched, &rows[i], cycles);
        if (nb_saturation_find(&searched.plan, 0.7, 1000, precision, NULL,
                               &found, &err) != NB_OK)
            fail_msg("%s", err.message);
        check_trials(&found, cycles, precision);
        if (!(found.lower < rows[i].exact && rows[i].exact <= found.upper &&
              found.upper - found.lower <= 2 * precision * found.upper))
            fail_msg("%s %s %s: [%g, %g] instead of %g (%s)", rows[i].topology,
                     rows[i].routing, rows[i].traffic, found.lower, found.upper,
                     rows[i].exact, rows[i].source);
        searched_close(&searched);
    }
}

/* Rates that sources cannot send are not tried. */
static void test_most(void **state)
{
    (void)state;
    static const struct saturation_case row = { "complete:4", "min", "uniform",
                                                4, "a channel to each" };
    struct searched searched = { 0 };
    struct nb_saturation found;
    searched_open(&searched, &row, 256);
    assert_int_equal(
        nb_saturation_find(&searched.plan, 0.7, 1.2, 0.1, NULL, &found, NULL),
        NB_OK);
    assert_int_equal(found.trial_count, 2);
    assert_true(found.lower == 1.2 && isinf(found.upper));
    searched_close(&searched);
}

/* The bracket does not depend on threads; a refusal is passed on. */
static void test_plans(void **state)
{
    (void)state;
    static const struct saturation_case row = { "ring:5", "min", "tornado", 0,
                                                "" };
    const struct nb_run one = { .threads = 1 }, two = { .threads = 2 };
    struct searched searched = { 0 };
    struct nb_saturation found[2];
    struct nb_error err = { 0 };
    searched_open(&searched, &row, 512);
    nb_saturation_find(&searched.plan, 1, 8, 0.2, &one, &found[0], NULL);
    nb_saturation_find(&searched.plan, 1, 8, 0.2, &two, &found[1], NULL);
    assert_memory_equal(&found[0], &found[1], sizeof *found);
    searched.plan.injection.flits = 0;
    assert_int_equal(
        nb_saturation_find(&searched.plan, 1, 8, 0.2, &one, &found[0], &err),
        NB_INVALID);
    assert_non_null(strstr(err.message, "0 flits"));
    searched_close(&searched);
}

/* A search of one rate: the bracket from 0 is as narrow as requested. */
static void test_failing_memory(void **state)
{
    (void)state;
    static const struct saturation_case row = { "ring:4", "dor", "uniform", 0,
                                                "" };
    const struct nb_run run = { .threads = 1 };
    struct searched searched = { 0 };
    struct nb_saturation found;
    enum nb_status status = NB_NO_MEMORY;
    searched_open(&searched, &row, 32);
    searched.plan.packet_limit = 1 << 12;
    const long before = nb_memory_live_blocks();
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        nb_memory_allow(allowed);
        status =
            nb_saturation_find(&searched.plan, 8, 8, 1, &run, &found, NULL);
        nb_memory_allow(-1);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    assert_int_equal(found.trial_count, 1);
    assert_true(found.lower == 0 && found.upper == 8);
    searched_close(&searched);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_most),
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
