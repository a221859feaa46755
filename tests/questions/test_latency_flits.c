/* Latency of packets of several flits, through routers and channels with
 * delays, compared with the simulator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "questions/latency/latency_question.h"
#include "questions/simulate/simulate_question.h"

#include <math.h>

struct flits_case {
    const char *topology, *routing, *traffic;
    int64_t flits, pipeline, channel_latency;
};

static struct nb_enclosure latency_of(const struct flits_case *at,
                                      struct nb_ratio load, const char *routing)
{
    const struct nb_latency_question request = {
        .topology = at->topology,
        .routing = routing,
        .traffic = at->traffic,
        .load = load,
        .flits = at->flits,
        .pipeline = { at->pipeline, 1 },
        .channel_latency = { at->channel_latency, 1 },
    };
    struct nb_latency_answer answer;
    struct nb_error err = { 0 };
    if (nb_latency_ask(&request, NULL, &answer, &err) != NB_OK)
        fail_msg("%s", err.message);
    const struct nb_enclosure latency = answer.latency;
    nb_latency_answer_release(&answer);
    return latency;
}

static double simulated(const struct flits_case *at, struct nb_ratio load)
{
    const struct nb_simulate_question request = {
        .topology = at->topology,
        .routing = at->routing,
        .traffic = at->traffic,
        .load = load,
        .flits = at->flits,
        .router = 1,
        .vcs = 4,
        .buffer = 256,
        .pipeline = at->pipeline,
        .channel_latency = at->channel_latency,
        .seed = 5,
        .replications = 4,
        .warm_up = 2000,
        .cycles = 20000,
    };
    struct nb_simulate_answer answer;
    struct nb_error err = { 0 };
    const struct nb_run run = { .threads = 1 };
    if (nb_simulate_ask(&request, &run, &answer, &err) != NB_OK)
        fail_msg("%s: %s", at->topology, err.message);
    const double latency = answer.result.latency.mean;
    nb_simulate_answer_release(&answer);
    return latency;
}

static const struct flits_case cases[] = {
    { "mesh:4x4", "dor", "uniform", 4, 0, 1 },
    { "mesh:4x4", "dor", "uniform:self=no", 1, 2, 3 },
    { "torus:4x4", "dor", "transpose", 3, 1, 2 },
    { "fattree:k=2,n=3", "rrr", "uniform", 4, 3, 5 },
    { "dragonfly:h=1", "min", "uniform", 2, 1, 10 },
};

/* Almost no packet waits, so the latency is that without queues, within the
 * error of a small sample. */
static void agrees_without_waits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double found = simulated(&cases[i], nb_ratio_make(1, 100));
        const double said =
            latency_of(&cases[i], nb_ratio_make(1, 100), cases[i].routing)
                .lower;
        if (fabs(found / said - 1) > 0.02)
            fail_msg("%s: %g simulated, %g predicted", cases[i].topology, found,
                     said);
    }
}

/* Queues are assumed to be independent, and M/D/1. */
static void agrees_nearly_at_middle_load(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct nb_ratio load = nb_ratio_make(3, 20);
        const double found = simulated(&cases[i], load);
        const double said = latency_of(&cases[i], load, cases[i].routing).lower;
        if (fabs(found / said - 1) > 0.1)
            fail_msg("%s: %g simulated, %g predicted", cases[i].topology, found,
                     said);
    }
}

/* How many of val's packets to their own router leave it is unknown: between
 * none and all. */
static void two_phases_have_a_bracket(void **state)
{
    (void)state;
    const struct flits_case at = { "torus:4x4", "val", "uniform", 4, 0, 1 };
    const struct nb_enclosure one =
        latency_of(&at, nb_ratio_make(1, 100), "val");
    assert_true(one.upper - one.lower <= 3.0 / 16 + 1e-9);
    const double found = simulated(&at, nb_ratio_make(1, 100));
    assert_true(found > one.lower * 0.98 && found < one.upper * 1.02);
}

static void other_bandwidths_are_refused(void **state)
{
    (void)state;
    const struct nb_latency_question request = {
        .topology = "torus:4x4,bandwidth=2",
        .routing = "dor",
        .traffic = "uniform",
        .load = { 1, 10 },
        .flits = 2,
    };
    struct nb_latency_answer answer;
    assert_int_equal(nb_latency_ask(&request, NULL, &answer, NULL), NB_INVALID);
    nb_latency_answer_release(&answer);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_without_waits),
        cmocka_unit_test(agrees_nearly_at_middle_load),
        cmocka_unit_test(two_phases_have_a_bracket),
        cmocka_unit_test(other_bandwidths_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
