/* Sampled loads: their intervals against exact loads over many seeds, and
 * properties that do not depend on chance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/topology_checks.h"
#include "../support/traffic_case.h"

#include "core/memory.h"
#include "load/channel_loads.h"
#include "load/confidence.h"
#include "load/path_sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SEEDS = 200 };

/* A network, a scheme and a traffic, with the exact loads. */
struct sample_case {
    struct problem problem;
    struct nb_traffic traffic;
    struct nb_channel_loads exact;
    double share; /* greatest load per bandwidth */
    char name[TOPOLOGY_WORD];
};

static void sample_add_traffic(struct sample_case *at, const char *pattern)
{
    struct nb_error error = { 0 };
    TOPOLOGY_CHECK(nb_traffic_build(pattern, &at->problem.topology, true,
                                    &at->traffic, &error) == NB_OK,
                   "%s: %s", pattern, error.message);
    assert_int_equal(nb_channel_loads_find(&at->problem.routing, &at->traffic,
                                           NULL, &at->exact, NULL),
                     NB_OK);
    assert_true(at->exact.is_exact);
    at->share = 1 / nb_ratio_value(at->exact.throughput.exact);
}

static void sample_open(struct sample_case *at, const char *example,
                        const char *pattern)
{
    *at = (struct sample_case){ 0 };
    problem_open_example(&at->problem, example);
    sample_add_traffic(at, pattern);
    snprintf(at->name, sizeof at->name, "%s, %s", example, pattern);
}

static void sample_close(struct sample_case *at)
{
    nb_channel_loads_release(&at->exact);
    nb_traffic_release(&at->traffic);
    problem_close(&at->problem);
}

static void sample_must_find(const struct sample_case *at, uint32_t paths,
                             uint64_t seed, int threads,
                             struct nb_sampled_loads *out)
{
    const struct nb_path_sample sample = { paths, seed };
    const struct nb_run run = { .threads = threads };
    struct nb_error error = { 0 };
    TOPOLOGY_CHECK(nb_sampled_loads_find(&at->problem.routing, &at->traffic,
                                         &sample, &run, out, &error) == NB_OK,
                   "%s: %s", at->name, error.message);
}

static bool sample_holds(struct nb_interval estimate, double value)
{
    return estimate.lower <= value * (1 + 1e-12) &&
           estimate.upper >= value * (1 - 1e-12);
}

/* Number of answers whose interval holds. */
struct sample_held {
    size_t share, hops;
    size_t loads; /* of all channels jointly */
};

/* Properties that hold for any draws. */
static void sample_check(const struct sample_case *at,
                         const struct nb_sampled_loads *loads, uint64_t seed,
                         struct sample_held *held)
{
    const struct nb_topology *topology = &at->problem.topology;
    double most = 0;
    held->share += sample_holds(loads->share, at->share);
    held->hops += sample_holds(loads->mean_hops,
                               nb_ratio_value(at->exact.mean_hops.exact));
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_interval load = loads->load[c];
        const double band = nb_ratio_value(topology->channels[c].bandwidth);
        TOPOLOGY_CHECK(0 <= load.lower && load.lower <= load.value &&
                           load.value <= load.upper,
                       "%s, seed %llu, channel %zu: %g in [%g, %g]", at->name,
                       (unsigned long long)seed, c, load.value, load.lower,
                       load.upper);
        held->loads +=
            sample_holds(load, nb_ratio_value(at->exact.load[c].exact));
        most = fmax(most, load.value / band);
    }
    TOPOLOGY_CHECK(
        loads->share.value == most &&
            loads->load[loads->worst_channel].value /
                    nb_ratio_value(
                        topology->channels[loads->worst_channel].bandwidth) ==
                most &&
            loads->share.lower <= most && most <= loads->share.upper,
        "%s, seed %llu", at->name, (unsigned long long)seed);
}

/* The means over many seeds: of a channel's estimate the exact load, and of its
 * squared standard error the variance of the estimate. */
struct sample_moments {
    double sum, squares, errors;
};

static void sample_check_moments(const struct sample_case *at,
                                 const struct sample_moments *moments)
{
    double variance = 0, said = 0;
    for (size_t c = 0; c < at->problem.topology.channel_count; c++) {
        const struct sample_moments *own = &moments[c];
        const double exact = nb_ratio_value(at->exact.load[c].exact);
        const double mean = own->sum / SEEDS;
        const double error = sqrt(own->errors / SEEDS / SEEDS);
        TOPOLOGY_CHECK(fabs(mean - exact) <= 5 * error + 1e-12,
                       "%s, channel %zu: %g +- %g, not %g", at->name, c, mean,
                       error, exact);
        variance += own->squares / SEEDS - mean * mean;
        said += own->errors / SEEDS;
    }
    TOPOLOGY_CHECK(said == 0 || fabs(variance / said - 1) < 0.2,
                   "%s: variance %g, estimated %g", at->name, variance, said);
}

/* Every kind of interval holds for 95 % of the seeds, up to chance: with
 * exactly 95 %, fewer than 180 of 200 would hold with probability 0.4 %. The
 * loads of one answer depend on each other, and count as one. */
static void sample_check_seeds(const struct sample_case *at, uint32_t paths)
{
    const size_t channels = at->problem.topology.channel_count;
    struct sample_moments *moments = nb_new_array(channels, sizeof *moments);
    struct sample_held held = { 0, 0, 0 };
    assert_non_null(moments);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct nb_sampled_loads loads = { 0 };
        sample_must_find(at, paths, seed, 1, &loads);
        sample_check(at, &loads, seed, &held);
        for (size_t c = 0; c < channels; c++) {
            moments[c].sum += loads.load[c].value;
            moments[c].squares += loads.load[c].value * loads.load[c].value;
            moments[c].errors +=
                loads.standard_error[c] * loads.standard_error[c];
        }
        nb_sampled_loads_release(&loads);
        nb_sampled_loads_release(&loads);
    }
    TOPOLOGY_CHECK((double)held.share >= 0.9 * SEEDS &&
                       (double)held.hops >= 0.9 * SEEDS &&
                       (double)held.loads >= 0.9 * SEEDS * (double)channels,
                   "%s: %zu, %zu, %g of %d", at->name, held.share, held.hops,
                   (double)held.loads / (double)channels, SEEDS);
    sample_check_moments(at, moments);
    nb_delete(moments);
}

static void test_intervals_hold(void **state)
{
    (void)state;
    static const struct {
        const char *example, *pattern;
        uint32_t paths;
    } cases[] = {
        { "rlb@torus:4x3", "uniform", 3 },
        { "romm@mesh:3x3", "random-permutation:seed=5", 40 },
        { "val@complete:5", "hot-spot:nodes=0+2,share=1/3", 5 },
        { "dor@torus:4x4", "transpose", 2 },
        { "min@hypercube:3", "bit-complement", 30 },
        { "val@file:data/topologies/abilene.txt", "uniform", 4 },
        /* Paths that cross channels twice. */
        { "val@file:data/topologies/ring-directed.csv,directed=yes", "uniform",
          6 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct sample_case at;
        sample_open(&at, cases[k].example, cases[k].pattern);
        sample_check_seeds(&at, cases[k].paths);
        sample_close(&at);
    }
}

/* The number of terminals differs from router to router; some have none. */
static void test_uneven_terminals(void **state)
{
    (void)state;
    static const uint32_t terminals[] = { 1, 0, 3, 2, 0, 0, 1, 1, 0, 4, 2 };
    struct sample_case at = { .name = "uneven terminals" };
    topology_must_build("file:data/topologies/abilene.txt",
                        &at.problem.topology);
    traffic_case_set_terminals(&at.problem.topology, terminals);
    problem_add_routing(&at.problem, "val");
    sample_add_traffic(&at, "uniform");
    sample_check_seeds(&at, 4);
    sample_close(&at);
}

/* A packet's hops in one dimension: d or 5 - d, with odds 5 - d to d. Its
 * variance is the mean over 0 <= d < 5, for two dimensions. */
static const double hops_variance = 2 * (2 * 1.44 + 2 * 0.24) / 5;

/* Intervals are no wider than necessary, and shrink as expected. */
static void test_intervals_shrink(void **state)
{
    (void)state;
    struct sample_case at;
    double before = 0;
    sample_open(&at, "rlb@torus:5x5", "uniform");
    /* This many standard errors by the normal distribution, and a little for
     * the uncertainty of the variance. */
    const double errors = 1.959963984540054;
    for (uint32_t paths = 100; paths <= 1600; paths *= 4) {
        struct nb_sampled_loads loads = { 0 };
        sample_must_find(&at, paths, 7, 2, &loads);
        assert_true(loads.paths == 25.0 * 25 * paths);
        const double width =
            (loads.share.upper - loads.share.lower) / loads.share.value;
        TOPOLOGY_CHECK(before == 0 ||
                           (width < before / 1.9 && width > before / 2.6),
                       "%u paths: %g after %g", paths, width, before);
        before = width;
        const double margin = loads.load[0].upper - loads.load[0].value;
        TOPOLOGY_CHECK(paths < 1600 ||
                           (margin > errors * loads.standard_error[0] &&
                            margin < 1.02 * errors * loads.standard_error[0]),
                       "%g of %g", margin, loads.standard_error[0]);
        const double hops = loads.mean_hops.upper - loads.mean_hops.value;
        const double deviation = sqrt(hops_variance / paths / 625);
        TOPOLOGY_CHECK(paths < 1600 || (hops > errors * deviation &&
                                        hops < 1.15 * errors * deviation),
                       "%g hops of %g", hops, deviation);
        nb_sampled_loads_release(&loads);
    }
    sample_close(&at);
}

/* One path for each pair: only the uncertainty of the variances is left. */
static void test_no_chance(void **state)
{
    (void)state;
    struct sample_case at;
    struct nb_sampled_loads loads = { 0 };
    sample_open(&at, "dor@mesh:4x3", "bit-complement");
    sample_must_find(&at, 10, 3, 1, &loads);
    for (size_t c = 0; c < loads.channel_count; c++) {
        const double exact = nb_ratio_value(at.exact.load[c].exact);
        assert_true(fabs(loads.load[c].value - exact) < 1e-12);
        assert_true(loads.standard_error[c] < 1e-12);
    }
    nb_sampled_loads_release(&loads);
    /* Only router 4 sends, to itself. */
    at.traffic.demand_count = 1;
    at.traffic.demands[0] = (struct nb_demand){ 4, 4, 1 };
    for (size_t r = 0; r <= 12; r++)
        at.traffic.column_start[r] = r > 4;
    sample_must_find(&at, 10, 3, 1, &loads);
    assert_true(loads.share.value == 0 && loads.share.upper == 0 &&
                loads.mean_hops.upper == 0 && loads.paths == 0);
    nb_sampled_loads_release(&loads);
    sample_close(&at);
}

/* With any intermediate router between opposite routers, the length of the path
 * and the number of hops in each dimension are the same. The program does not
 * know that: n equal paths leave z^2 / n on a side for paths that count twice;
 * but none is shorter than the distance. */
static void test_nothing_left_to_chance(void **state)
{
    (void)state;
    const double z = nb_confidence_deviations(1);
    const double open = z * z / (16 * 20);
    struct sample_case at;
    struct nb_sampled_loads loads = { 0 };
    sample_open(&at, "val@hypercube:4", "bit-complement");
    sample_must_find(&at, 20, 5, 1, &loads);
    assert_true(fabs(loads.mean_hops.value - 4) < 1e-9 &&
                fabs(loads.mean_hops.lower - 4) < 1e-9 &&
                fabs(loads.mean_hops.upper - 4 * (1 + open)) < 1e-9);
    for (size_t c = 0; c < loads.channel_count; c++)
        assert_true(fabs(loads.load[c].value - 1) < 1e-9 &&
                    fabs(loads.load[c].lower - (1 - open)) < 1e-9 &&
                    fabs(loads.load[c].upper - (1 + open)) < 1e-9);
    assert_true(fabs(loads.share.lower - 1) < 1e-9 &&
                fabs(loads.share.upper - (1 + open)) < 1e-9);
    nb_sampled_loads_release(&loads);
    sample_close(&at);
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    static const char *const names[] = { "rlb@torus:5x4", "val@ccc:3" };
    for (size_t k = 0; k < 2; k++) {
        struct sample_case at;
        struct nb_sampled_loads first = { 0 };
        sample_open(&at, names[k], "uniform");
        const size_t channels = at.problem.topology.channel_count;
        for (int threads = 1; threads <= 3; threads++) {
            struct nb_sampled_loads loads = { 0 };
            struct nb_sampled_loads *out = threads == 1 ? &first : &loads;
            sample_must_find(&at, 20, 11, threads, out);
            assert_memory_equal(out->load, first.load,
                                channels * sizeof *first.load);
            assert_memory_equal(out->standard_error, first.standard_error,
                                channels * sizeof(double));
            assert_memory_equal(&out->mean_hops, &first.mean_hops,
                                sizeof first.mean_hops);
            nb_sampled_loads_release(&loads);
        }
        nb_sampled_loads_release(&first);
        sample_close(&at);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const uint32_t paths[] = { 0, 1, 100000001 };
    struct nb_error error = { 0 };
    struct nb_path_sample sample = { 59604, 1 };
    struct sample_case at;
    struct nb_sampled_loads loads = { 0 };
    sample_open(&at, "dor@torus:3x3", "uniform");
    for (size_t i = 0; i < 3; i++) {
        struct nb_error own = { 0 };
        const struct nb_path_sample bad = { paths[i], 1 };
        assert_int_equal(nb_sampled_loads_find(&at.problem.routing, &at.traffic,
                                               &bad, NULL, &loads, &own),
                         NB_INVALID);
        assert_non_null(strstr(own.message, "permitted: 2 to 100000000"));
    }
    assert_int_equal(nb_path_sample_check(&sample, 1024.0 * 1024, NULL), NB_OK);
    sample.paths = 95368;
    assert_int_equal(nb_path_sample_check(&sample, 1024.0 * 1024, &error),
                     NB_INVALID);
    assert_string_equal(error.message,
                        "95368 sampled paths for each of 1048576 pairs of "
                        "routers (permitted: 2 to 95367)");
    error = (struct nb_error){ 0 };
    sample.paths = 2;
    assert_int_equal(nb_path_sample_check(&sample, 5e10, NULL), NB_OK);
    assert_int_equal(nb_path_sample_check(&sample, 6e10, &error), NB_INVALID);
    assert_string_equal(error.message,
                        "paths of 60000000000 pairs of routers cannot be "
                        "sampled (permitted: at most 50000000000 pairs)");
    sample_close(&at);
}

static void test_failing_memory(void **state)
{
    (void)state;
    static const char *const names[] = { "rlb@torus:3x3", "val@ccc:3" };
    for (size_t k = 0; k < 2; k++) {
        struct sample_case at;
        const struct nb_path_sample sample = { 2, 1 };
        const struct nb_run run = { .threads = 2 };
        sample_open(&at, names[k], "uniform");
        const long before = nb_memory_live_blocks();
        enum nb_status status = NB_NO_MEMORY;
        long allowed = 0;
        for (; status == NB_NO_MEMORY && allowed < 1000; allowed++) {
            struct nb_sampled_loads loads = { 0 };
            nb_memory_allow(allowed);
            status = nb_sampled_loads_find(&at.problem.routing, &at.traffic,
                                           &sample, &run, &loads, NULL);
            nb_memory_allow(-1);
            nb_sampled_loads_release(&loads);
            TOPOLOGY_CHECK(nb_memory_live_blocks() == before,
                           "%s leaks after %ld allocations", names[k], allowed);
        }
        TOPOLOGY_CHECK(status == NB_OK && allowed > 100, "%s", names[k]);
        sample_close(&at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intervals_hold),
        cmocka_unit_test(test_uneven_terminals),
        cmocka_unit_test(test_intervals_shrink),
        cmocka_unit_test(test_no_chance),
        cmocka_unit_test(test_nothing_left_to_chance),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
