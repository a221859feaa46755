/* Estimates from sampled paths against the exact walks of all pairs: estimates
 * that symmetry lets pairs share must count for the correct pair and
 * channel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/topology_checks.h"
#include "../support/traffic_case.h"
#include "../support/walk.h"

#include "core/memory.h"
#include "load/pair_estimates.h"

#include <math.h>
#include <string.h>

/* Estimates of all channels at once; freed with nb_delete. */
static struct nb_pair_estimate *
estimates_must_find(const struct nb_pair_sample *sample, int threads,
                    const char *name)
{
    const size_t channels = sample->routing->topology->channel_count;
    const size_t cells = sample->n * sample->n;
    const struct nb_run run = { .threads = threads };
    struct nb_error error = { 0 };
    uint32_t *channel = nb_new_array(channels, sizeof *channel);
    struct nb_pair_estimate *all = nb_new_array(channels * cells, sizeof *all);
    assert_true(channel != NULL && all != NULL);
    for (uint32_t c = 0; c < channels; c++)
        channel[c] = c;
    TOPOLOGY_CHECK(nb_pair_estimates_find(sample, channels, channel, &run, all,
                                          &error) == NB_OK,
                   "%s: %s", name, error.message);
    nb_delete(channel);
    return all;
}

/* Statistics of the estimates of all cells. */
struct estimates_seen {
    double squares; /* sums of (mean - exact)^2, and of variances */
    double variance;
};

static void estimates_check_cell(const struct nb_pair_sample *sample,
                                 struct nb_pair_estimate own, size_t i,
                                 size_t j, struct nb_ratio exact,
                                 const char *name, struct estimates_seen *seen)
{
    const double paths = sample->paths[i * sample->n + j],
                 most = sample->most_crossings;
    const double p = nb_ratio_value(exact);
    const double slack = 6 * sqrt(p * (most - p) / paths);
    TOPOLOGY_CHECK(fabs(own.mean - p) <= slack + 1e-12 &&
                       own.slope <= most / (paths - 2),
                   "%s: %u to %u: %g, not %g", name, sample->endpoint[i],
                   sample->endpoint[j], own.mean, p);
    seen->squares += (own.mean - p) * (own.mean - p);
    seen->variance += own.variance;
}

static double ratios, networks;

/* No estimate of a few thousand cells is six deviations from the mean; and the
 * errors of all of them agree with their variances. Many of these depend on
 * each other, so that the ratio of a single network is only rough. */
static void estimates_check(const struct problem *problem, const char *name)
{
    const struct nb_topology *topology = &problem->topology;
    const size_t n = topology->router_count, m = topology->channel_count;
    struct nb_ratio *all = walk_all_pairs(&problem->routing, name);
    struct estimates_seen seen = { 0, 0 };
    for (uint64_t seed = 1; seed <= 10; seed++) {
        const struct nb_path_sample wanted = { 300, seed };
        struct nb_pair_sample sample;
        assert_int_equal(
            nb_pair_sample_init(&problem->routing, &wanted, &sample, NULL),
            NB_OK);
        struct nb_pair_estimate *found = estimates_must_find(&sample, 2, name);
        for (size_t c = 0; c < m; c++)
            for (size_t i = 0; i < sample.n; i++)
                for (size_t j = 0; j < sample.n; j++)
                    estimates_check_cell(
                        &sample, found[(c * sample.n + i) * sample.n + j], i, j,
                        all[(sample.endpoint[i] * n + sample.endpoint[j]) * m +
                            c],
                        name, &seen);
        nb_pair_sample_release(&sample);
        nb_pair_sample_release(&sample);
        nb_delete(found);
    }
    const double ratio = seen.variance > 0 ? seen.squares / seen.variance : 1;
    TOPOLOGY_CHECK(
        ratio > 0.5 && ratio < 2 && (seen.variance > 0 || seen.squares < 1e-20),
        "%s: squares %g, variance %g", name, seen.squares, seen.variance);
    ratios += seen.variance > 0 ? ratio : 0;
    networks += seen.variance > 0;
    nb_delete(all);
}

static void test_estimates_agree_with_walks(void **state)
{
    (void)state;
    static const char *const names[] = {
        "rlb@torus:4x3",
        "romm@mesh:3x4",
        "dor:ties=parity@torus:6x4",
        "val:ties=parity@torus:4x4",
        "min@ccc:3",
        "val@complete:5",
        "val@file:data/topologies/ring-directed.csv,directed=yes",
        "min@file:data/topologies/abilene.txt",
    };
    problem_each_of(names, sizeof names / sizeof *names, estimates_check);
}

/* The number of terminals differs from router to router; some have none. */
static void test_uneven_terminals(void **state)
{
    (void)state;
    static const uint32_t some[] = { 1, 0, 3, 2, 0, 0, 1, 1, 0, 4, 2 };
    static const uint32_t alike[] = { 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0 };
    struct problem problem = { 0 };
    topology_must_build("file:data/topologies/abilene.txt", &problem.topology);
    traffic_case_set_terminals(&problem.topology, some);
    problem_add_routing(&problem, "val");
    estimates_check(&problem, "abilene, uneven");
    problem_close(&problem);
    topology_must_build("torus:4x3", &problem.topology);
    traffic_case_set_terminals(&problem.topology, alike);
    problem_add_routing(&problem, "rlb");
    estimates_check(&problem, "torus, every second router");
    problem_close(&problem);
}

/* Number of paths for each pair: the pairs in its orbit. */
static void test_orbits_share_paths(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t orbit; /* of router 0 */
    } cases[] = { { "dor@torus:4x3", 12 },
                  { "dor:ties=parity@torus:4x4", 8 },
                  { "dor:order=random@mesh:3x3", 4 },
                  { "min@file:data/topologies/abilene.txt", 1 } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct problem problem;
        struct nb_pair_sample sample;
        const struct nb_path_sample wanted = { 7, 1 };
        problem_open_example(&problem, cases[k].name);
        assert_int_equal(
            nb_pair_sample_init(&problem.routing, &wanted, &sample, NULL),
            NB_OK);
        TOPOLOGY_CHECK(sample.paths[0] == 7 * cases[k].orbit, "%s: %u",
                       cases[k].name, sample.paths[0]);
        /* All additional paths go to one pair; the others keep theirs. */
        bool *request = nb_new_array(sample.n * sample.n, sizeof *request);
        assert_non_null(request);
        request[1] = true;
        const uint32_t before = sample.paths[0];
        double drawn = 0;
        nb_pair_sample_refine(&sample, request, 3);
        for (size_t o = 0; o < sample.orbit_count; o++)
            for (size_t i = 0; i < sample.n; i++) {
                const size_t j =
                    sample.endpoint_of[sample.orbits.routers
                                           .order[sample.orbit[2 * o]]];
                drawn += sample.paths[i * sample.n + j] - 7.0 * sample.alike[j];
            }
        TOPOLOGY_CHECK(sample.paths[0] == before &&
                           drawn <= 3.0 * (double)(sample.n * sample.n) &&
                           drawn > 3.0 * (double)(sample.n * (sample.n - 1)),
                       "%s: %g more", cases[k].name, drawn);
        nb_delete(request);
        nb_pair_sample_release(&sample);
        problem_close(&problem);
    }
}

/* The same estimates from one, two and three threads, and with channels
 * requested one at a time. */
static void test_threads_and_batches_change_nothing(void **state)
{
    (void)state;
    const char *const name = "rlb@torus:4x3";
    const struct nb_path_sample wanted = { 5, 3 };
    struct problem problem;
    struct nb_pair_sample sample;
    problem_open_example(&problem, name);
    const size_t channels = problem.topology.channel_count;
    assert_int_equal(
        nb_pair_sample_init(&problem.routing, &wanted, &sample, NULL), NB_OK);
    const size_t cells = sample.n * sample.n;
    struct nb_pair_estimate *first = estimates_must_find(&sample, 1, name);
    for (int threads = 2; threads <= 3; threads++) {
        struct nb_pair_estimate *found =
            estimates_must_find(&sample, threads, name);
        assert_memory_equal(found, first, channels * cells * sizeof *found);
        nb_delete(found);
    }
    struct nb_pair_estimate *own = nb_new_array(cells, sizeof *own);
    assert_non_null(own);
    for (uint32_t c = 0; c < channels; c += 5) {
        assert_int_equal(
            nb_pair_estimates_find(&sample, 1, &c, NULL, own, NULL), NB_OK);
        assert_memory_equal(own, first + c * cells, cells * sizeof *own);
    }
    nb_delete(own);
    nb_delete(first);
    nb_pair_sample_release(&sample);
    problem_close(&problem);
}

static void test_refusals(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_pair_sample sample;
    struct nb_error error = { 0 };
    const struct nb_path_sample wanted = { 100000000, 1 };
    problem_open_example(&problem, "dor@torus:8x8");
    const long before = nb_memory_live_blocks();
    assert_int_equal(
        nb_pair_sample_init(&problem.routing, &wanted, &sample, &error),
        NB_INVALID);
    assert_string_equal(error.message,
                        "100000000 sampled paths for each of 4096 pairs of "
                        "routers (permitted: 2 to 24414062)");
    assert_int_equal(nb_memory_live_blocks(), before);
    problem_close(&problem);
}

static void test_failing_memory(void **state)
{
    (void)state;
    static const char *const names[] = { "rlb@torus:3x3", "val@complete:4" };
    for (size_t k = 0; k < 2; k++) {
        struct problem problem;
        const struct nb_path_sample wanted = { 2, 1 };
        const struct nb_run run = { .threads = 2 };
        uint32_t channel = 1;
        struct nb_pair_estimate estimate[9 * 9];
        problem_open_example(&problem, names[k]);
        const long before = nb_memory_live_blocks();
        enum nb_status status = NB_NO_MEMORY;
        long allowed = 0;
        for (; status == NB_NO_MEMORY && allowed < 1000; allowed++) {
            struct nb_pair_sample sample = { 0 };
            nb_memory_allow(allowed);
            status =
                nb_pair_sample_init(&problem.routing, &wanted, &sample, NULL);
            if (status == NB_OK)
                status = nb_pair_estimates_find(&sample, 1, &channel, &run,
                                                estimate, NULL);
            nb_memory_allow(-1);
            nb_pair_sample_release(&sample);
            TOPOLOGY_CHECK(nb_memory_live_blocks() == before,
                           "%s leaks after %ld allocations", names[k], allowed);
        }
        TOPOLOGY_CHECK(status == NB_OK && allowed > 10, "%s", names[k]);
        problem_close(&problem);
    }
}

/* In a complete network, automorphisms that keep a destination map each source
 * and channel to all others with the same roles of source and destination as
 * ends: all of these get the common mean, however few paths it comes from. */
static void test_alike_share_their_mean(void **state)
{
    (void)state;
    const char *const name = "val@complete:5";
    const struct nb_path_sample wanted = { 2, 1 };
    struct problem problem;
    struct nb_pair_sample sample;
    problem_open_example(&problem, name);
    assert_int_equal(
        nb_pair_sample_init(&problem.routing, &wanted, &sample, NULL), NB_OK);
    struct nb_pair_estimate *found = estimates_must_find(&sample, 1, name);
    double mean[16];
    for (size_t k = 0; k < 16; k++)
        mean[k] = NAN;
    for (uint32_t c = 0; c < problem.topology.channel_count; c++) {
        const struct nb_channel *channel = &problem.topology.channels[c];
        for (uint32_t i = 0; i < 5; i++)
            for (uint32_t j = 0; j < 5; j++) {
                if (i == j)
                    continue;
                double *same =
                    &mean[8 * (channel->source == i) +
                          4 * (channel->target == j) +
                          2 * (channel->source == j) + (channel->target == i)];
                const double own = found[(c * 5 + i) * 5 + j].mean;
                *same = isnan(*same) ? own : *same;
                TOPOLOGY_CHECK(own == *same, "%u to %u, channel %u: %g, not %g",
                               i, j, c, own, *same);
            }
    }
    nb_delete(found);
    nb_pair_sample_release(&sample);
    problem_close(&problem);
}

static void test_variances(void **state)
{
    (void)state;
    TOPOLOGY_CHECK(fabs(ratios / networks - 1) < 0.15, "%g", ratios / networks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimates_agree_with_walks),
        cmocka_unit_test(test_uneven_terminals),
        cmocka_unit_test(test_variances),
        cmocka_unit_test(test_alike_share_their_mean),
        cmocka_unit_test(test_orbits_share_paths),
        cmocka_unit_test(test_threads_and_batches_change_nothing),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
