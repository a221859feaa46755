/* Sampled worst cases: their intervals against the exact worst case over many
 * seeds, and their permutations' loads against exact walks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/cases.h"
#include "support/problem.h"
#include "support/topology_checks.h"
#include "support/traffic_case.h"
#include "support/walk.h"
#include "support/worst_case_checks.h"

#include "bounds/worst_case/sampled_case.h"
#include "core/memory.h"
#include "load/confidence.h"
#include "routing/follow.h"

#include <math.h>
#include <string.h>

enum { SEEDS = 200 };

static void sampled_must_find(const struct problem *problem, uint32_t paths,
                              uint64_t seed, int threads,
                              struct nb_sampled_case *out)
{
    const struct nb_path_sample sample = { paths, seed };
    const struct nb_run run = { .threads = threads };
    struct nb_error error = { 0 };
    TOPOLOGY_CHECK(nb_sampled_case_find(&problem->routing, &sample, &run, out,
                                        &error) == NB_OK,
                   "%u paths: %s", paths, error.message);
}

/* The exact load of the permutation found on the channel found, per
 * bandwidth. */
static double sampled_claim_load(const struct problem *problem,
                                 const struct nb_ratio *all,
                                 const struct nb_sampled_case *found)
{
    struct nb_channel_bound bound = { .channel = found->channel };
    const struct nb_worst_case lent = { .sides = found->sides,
                                        .bound_count = 1,
                                        .bounds = &bound,
                                        .permutation = found->permutation };
    return nb_ratio_value(
        nb_ratio_divide(worst_case_claim_load(problem, all, &lent),
                        problem->topology.channels[found->channel].bandwidth));
}

static bool sampled_is_permutation(const struct nb_sampled_case *found)
{
    bool is_taken[64] = { false };
    assert_true(found->sides.count <= 64);
    for (size_t s = 0; s < found->sides.count; s++) {
        const uint32_t t = found->permutation[s];
        if (t >= found->sides.count || is_taken[t])
            return false;
        is_taken[t] = true;
    }
    return true;
}

/* The variance of a sampled load: crossings are 0 or 1 here. */
static double sampled_variance(const struct problem *problem,
                               const struct nb_ratio *all,
                               const struct nb_sampled_case *found)
{
    const struct nb_sides *sides = &found->sides;
    const size_t n = problem->topology.router_count;
    const size_t m = problem->topology.channel_count;
    const double scale =
        sides->multiplicity /
        nb_ratio_value(problem->topology.channels[found->channel].bandwidth);
    double sum = 0;
    for (size_t s = 0; s < sides->count; s++) {
        const size_t i = sides->router[s];
        const size_t j = sides->router[found->permutation[s]];
        const double p = nb_ratio_value(all[(i * n + j) * m + found->channel]);
        sum += p * (1 - p);
    }
    return sum / found->check_paths * scale * scale;
}

/* Over many seeds: the interval contains the exact worst case for 95 % of them,
 * and the estimate is that of its own permutation's load, without bias.
 *
 * most  limit of the width, relative to an interval from the known deviation */
static void sampled_check(const struct problem *problem, const char *name,
                          uint32_t paths, double most)
{
    struct nb_ratio *all = walk_all_pairs(&problem->routing, name);
    struct nb_worst_case worst = { 0 };
    worst_case_must_find(problem, name, 1, &worst);
    const double share = 1 / nb_ratio_value(worst.throughput.exact);
    size_t held = 0;
    double deviations = 0, squares = 0, variance = 0, fourth = 0;
    double widths = 0, sum = 0, sum_squares = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct nb_sampled_case found = { 0 };
        sampled_must_find(problem, paths, seed, 1, &found);
        const struct nb_interval own = found.share;
        const double load = sampled_claim_load(problem, all, &found);
        TOPOLOGY_CHECK(0 <= own.lower && own.lower <= own.value &&
                           own.value <= own.upper &&
                           sampled_is_permutation(&found) &&
                           load <= share * (1 + 1e-12),
                       "%s, seed %llu: %g in [%g, %g], load %g of %g", name,
                       (unsigned long long)seed, own.value, own.lower,
                       own.upper, load, share);
        held += own.lower <= share * (1 + 1e-12) &&
                own.upper >= share * (1 - 1e-12);
        widths += own.upper - own.lower;
        sum += own.value;
        sum_squares += own.value * own.value;
        /* Without a check it is the maximum of several estimates. */
        if (found.check_paths > 0) {
            const double expected = sampled_variance(problem, all, &found);
            deviations += own.value - load;
            squares += (own.value - load) * (own.value - load);
            variance += expected;
            fourth += 2 * expected * expected; /* of a normal square */
        }
        nb_sampled_case_release(&found);
        nb_sampled_case_release(&found);
    }
    TOPOLOGY_CHECK((double)held >= NB_CONFIDENCE * SEEDS, "%s: %zu of %d", name,
                   held, SEEDS);
    const double ideal =
        2 * 1.96 * sqrt(fmax(sum_squares * SEEDS - sum * sum, 0));
    TOPOLOGY_CHECK(ideal == 0 || widths <= most * ideal, "%s: width %g", name,
                   widths / ideal);
    TOPOLOGY_CHECK(fabs(deviations) <= 5 * sqrt(squares) + 1e-9,
                   "%s: %g off, of %g", name, deviations / SEEDS,
                   sqrt(squares) / SEEDS);
    TOPOLOGY_CHECK(nb_follow_most_crossings(&problem->routing) > 1 ||
                       fabs(squares - variance) <= 5 * sqrt(fourth) + 1e-9,
                   "%s: variance %g, not %g", name, squares / SEEDS,
                   variance / SEEDS);
    nb_worst_case_release(&worst);
    nb_delete(all);
}

static void test_intervals_hold(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t paths;
        double most;
    } cases[] = {
        { "rlb@torus:4x3", 10, 1.5 },
        { "romm@mesh:3x3", 30, 1.5 },
        { "val@complete:5", 30, 1.5 },
        { "dor@ring:4,terminals=2,bandwidth=3/4", 20, 1.5 },
        { "min@hypercube:3", 20, 1.5 },
        { "val@file:data/topologies/ring-directed.csv,directed=yes", 30, 1.5 },
        { "min@file:data/topologies/abilene.txt", 10, 1.75 },
        { "min@file:data/topologies/abilene.txt", 30, 1.5 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct problem problem;
        if (!nb_cases_have(k, 2))
            continue;
        problem_open_example(&problem, cases[k].name);
        sampled_check(&problem, cases[k].name, cases[k].paths, cases[k].most);
        problem_close(&problem);
    }
}

/* The number of terminals differs from router to router; some have none. */
static void test_uneven_terminals(void **state)
{
    (void)state;
    static const uint32_t terminals[] = { 1, 0, 3, 2, 0, 0, 1, 1, 0, 4, 2 };
    struct problem problem = { 0 };
    topology_must_build("file:data/topologies/abilene.txt", &problem.topology);
    traffic_case_set_terminals(&problem.topology, terminals);
    problem_add_routing(&problem, "val");
    sampled_check(&problem, "uneven terminals", 10, 1.9);
    problem_close(&problem);
}

/* Eight terminals share the paths of one pair; half of the paths cross the only
 * narrow channel. */
static void test_terminals_share_paths(void **state)
{
    (void)state;
    static const uint32_t terminals[] = { 8, 1, 8, 0 };
    struct problem problem = { 0 };
    topology_must_build("ring:4", &problem.topology);
    traffic_case_set_terminals(&problem.topology, terminals);
    for (size_t c = 1; c < problem.topology.channel_count; c++)
        problem.topology.channels[c].bandwidth = (struct nb_ratio){ 2, 1 };
    problem_add_routing(&problem, "min");
    sampled_check(&problem, "shared paths", 30, 1.5);
    sampled_check(&problem, "shared paths", 300, 1.5);
    problem_close(&problem);
}

/* With many paths the permutation is nearly a worst one, and the interval is
 * narrow: half as wide with four times the paths. */
static void test_intervals_shrink(void **state)
{
    (void)state;
    const char *const name = "romm@torus:5x5";
    struct problem problem;
    struct nb_worst_case worst = { 0 };
    double before = 0;
    problem_open_example(&problem, name);
    worst_case_must_find(&problem, name, 1, &worst);
    struct nb_ratio *all = walk_all_pairs(&problem.routing, name);
    const double most = 1 / nb_ratio_value(worst.throughput.exact);
    const uint32_t most_paths = nb_cases_are_all() ? 2000 : 500;
    for (uint32_t paths = 125; paths <= most_paths; paths *= 4) {
        const uint32_t share = (paths + 3) / 4;
        double width = 0;
        for (uint64_t seed = 1; seed <= 4; seed++) {
            struct nb_sampled_case found = { 0 };
            sampled_must_find(&problem, paths, seed, 2, &found);
            const double own = (found.share.upper - found.share.lower) / most;
            const double load = sampled_claim_load(&problem, all, &found);
            TOPOLOGY_CHECK(load > most * (1 - own / 5), "%u paths: %g of %g",
                           paths, load, most);
            assert_int_equal(found.search_paths + share, 2 * paths);
            assert_true(found.check_paths == share * 25 ||
                        found.check_paths == share * 50);
            width += own / 4;
            nb_sampled_case_release(&found);
        }
        TOPOLOGY_CHECK(before == 0 ||
                           (width < before / 1.7 && width > before / 2.6),
                       "%u paths: %g after %g", paths, width, before);
        before = width;
    }
    TOPOLOGY_CHECK(before < (nb_cases_are_all() ? 0.007 : 0.014), "%g", before);
    nb_worst_case_release(&worst);
    nb_delete(all);
    problem_close(&problem);
}

/* With many paths the search finds nearly a worst permutation, and a limit
 * slightly above it: pairs of small and large orbits, paths that cross a
 * channel twice, bandwidths and terminals that differ. */
static void test_many_paths(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t paths;
    } cases[] = {
        { "romm@mesh:3x3,terminals=3", 1000 },
        { "rlb@torus:4x3,bandwidth=2/5", 1000 },
        { "val@file:data/topologies/ring-directed.csv,directed=yes", 30000 },
        { "min@file:data/topologies/abilene.txt", 2000 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct problem problem;
        struct nb_worst_case worst = { 0 };
        problem_open_example(&problem, cases[k].name);
        worst_case_must_find(&problem, cases[k].name, 1, &worst);
        const double share = 1 / nb_ratio_value(worst.throughput.exact);
        struct nb_ratio *all = walk_all_pairs(&problem.routing, cases[k].name);
        for (uint64_t seed = 1; seed <= nb_cases_trials(3, 3); seed++) {
            struct nb_sampled_case found = { 0 };
            sampled_must_find(&problem, cases[k].paths, seed, 2, &found);
            const struct nb_interval own = found.share;
            const double load = sampled_claim_load(&problem, all, &found);
            /* One interval in twenty fails, but none by far. */
            const double more = (own.upper - own.lower) / 2;
            TOPOLOGY_CHECK(load > 0.98 * share && own.lower - more <= share &&
                               own.lower > 0.95 * share &&
                               own.upper + more >= share &&
                               own.upper < 1.05 * share,
                           "%s: %g in [%g, %g], load %g of %g", cases[k].name,
                           own.value, own.lower, own.upper, load, share);
            nb_sampled_case_release(&found);
        }
        nb_worst_case_release(&worst);
        nb_delete(all);
        problem_close(&problem);
    }
}

/* Where every pair has one path, the matching is exact. */
static void test_no_chance(void **state)
{
    (void)state;
    static const char *const names[] = { "dor@torus:5x5", "dor@mesh:4x4",
                                         "dor:ties=parity@torus:4x4" };
    for (size_t k = 0; k < 3; k++) {
        struct problem problem;
        struct nb_worst_case worst = { 0 };
        struct nb_sampled_case found = { 0 };
        problem_open_example(&problem, names[k]);
        worst_case_must_find(&problem, names[k], 1, &worst);
        sampled_must_find(&problem, 4, 1, 1, &found);
        TOPOLOGY_CHECK(fabs(found.share.value -
                            1 / nb_ratio_value(worst.throughput.exact)) < 1e-12,
                       "%s: %g", names[k], found.share.value);
        nb_sampled_case_release(&found);
        nb_worst_case_release(&worst);
        problem_close(&problem);
    }
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {
        "rlb@torus:4x3", "val@file:data/topologies/abilene.txt"
    };
    for (size_t k = 0; k < 2; k++) {
        struct problem problem;
        struct nb_sampled_case first = { 0 };
        problem_open_example(&problem, names[k]);
        for (int threads = 1; threads <= 3; threads++) {
            struct nb_sampled_case found = { 0 };
            struct nb_sampled_case *out = threads == 1 ? &first : &found;
            sampled_must_find(&problem, 9, 4, threads, out);
            assert_memory_equal(&out->share, &first.share, sizeof first.share);
            assert_int_equal(out->channel, first.channel);
            assert_memory_equal(out->permutation, first.permutation,
                                first.sides.count * sizeof(uint32_t));
            nb_sampled_case_release(&found);
        }
        nb_sampled_case_release(&first);
        problem_close(&problem);
    }
}

static void test_failing_memory(void **state)
{
    (void)state;
    static const char *const names[] = { "rlb@torus:3x3", "val@complete:4" };
    for (size_t k = 0; k < 2; k++) {
        struct problem problem;
        const struct nb_path_sample sample = { 2, 1 };
        const struct nb_run run = { .threads = 2 };
        problem_open_example(&problem, names[k]);
        const long before = nb_memory_live_blocks();
        enum nb_status status = NB_NO_MEMORY;
        long allowed = 0;
        for (; status == NB_NO_MEMORY && allowed < 1000; allowed++) {
            struct nb_sampled_case found = { 0 };
            nb_memory_allow(allowed);
            status = nb_sampled_case_find(&problem.routing, &sample, &run,
                                          &found, NULL);
            nb_memory_allow(-1);
            nb_sampled_case_release(&found);
            TOPOLOGY_CHECK(nb_memory_live_blocks() == before,
                           "%s leaks after %ld allocations", names[k], allowed);
        }
        TOPOLOGY_CHECK(status == NB_OK && allowed > 40, "%s", names[k]);
        problem_close(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intervals_hold),
        cmocka_unit_test(test_uneven_terminals),
        cmocka_unit_test(test_terminals_share_paths),
        cmocka_unit_test(test_intervals_shrink),
        cmocka_unit_test(test_many_paths),
        cmocka_unit_test(test_no_chance),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
