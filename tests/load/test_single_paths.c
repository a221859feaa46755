/* Single paths against the walk of every pair, and their loads against counting
 * by terminals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/ratio_checks.h"
#include "../support/single_cases.h"
#include "../support/topology_checks.h"
#include "../support/walk.h"

#include "core/memory.h"
#include "core/random.h"
#include "load/single_paths.h"

#include <math.h>
#include <string.h>

enum { TERMINALS = 100, MATCHINGS = 5, SEED = 7 };

/* The endpoints of the terminals, in order; returns the number of terminals. */
static size_t list_terminals(const struct nb_single_paths *paths, size_t *of)
{
    size_t count = 0;
    for (size_t i = 0; i < paths->count; i++)
        for (uint32_t k = 0; k < paths->topology->terminals[paths->endpoint[i]];
             k++)
            of[count++] = i;
    assert_true(count < TERMINALS);
    return count;
}

static bool has_channel(const struct nb_single_paths *paths, size_t i, size_t j,
                        size_t channel)
{
    const size_t pair = j * paths->count + i;
    for (size_t k = paths->start[pair]; k < paths->start[pair + 1]; k++)
        if (paths->channel[k] == channel)
            return true;
    return false;
}

static void check_paths(const struct problem *problem,
                        const struct nb_single_paths *paths, const char *name)
{
    const size_t n = problem->topology.router_count;
    const size_t channels = problem->topology.channel_count;
    struct nb_ratio *all = walk_all_pairs(&problem->routing, name);
    TOPOLOGY_CHECK(paths->unrouted == 0, "%s", name);
    for (size_t i = 0; i < paths->count; i++)
        for (size_t j = 0; j < paths->count; j++)
            for (size_t c = 0; c < channels; c++)
                TOPOLOGY_CHECK(
                    nb_ratio_value(
                        all[(paths->endpoint[i] * n + paths->endpoint[j]) *
                                channels +
                            c]) == has_channel(paths, i, j, c),
                    "%s: %zu to %zu, channel %zu", name, i, j, c);
    nb_delete(all);
}

static void check_loads(const struct nb_single_paths *paths, const char *name)
{
    const size_t channels = paths->topology->channel_count;
    size_t of[TERMINALS];
    const size_t count = list_terminals(paths, of);
    uint64_t *load = nb_new_array(channels, sizeof *load);
    assert_non_null(load);
    memset(load, 1, channels * sizeof *load); /* not looked at */
    nb_single_paths_load(paths, load);
    for (size_t c = 0; c < channels; c++) {
        uint64_t expected = 0;
        for (size_t s = 0; s < count; s++)
            for (size_t t = 0; t < count; t++)
                expected += has_channel(paths, of[s], of[t], c);
        TOPOLOGY_CHECK(load[c] == expected, "%s: channel %zu: %ju, not %ju",
                       name, c, (uintmax_t)load[c], (uintmax_t)expected);
    }
    nb_delete(load);
}

/* The rate from one terminal to another of a matching. */
static double pair_rate(const struct nb_single_paths *paths, const size_t *of,
                        const uint32_t *partner, size_t matched, size_t at)
{
    const struct nb_topology *topology = paths->topology;
    const size_t i = of[partner[at]], j = of[partner[at ^ 1]];
    double rate = 1;
    bool is_routed = i == j;
    for (size_t c = 0; c < topology->channel_count; c++) {
        double used = 0;
        if (!has_channel(paths, i, j, c))
            continue;
        is_routed = true;
        for (size_t k = 0; k < matched; k++)
            used += has_channel(paths, of[partner[k]], of[partner[k ^ 1]], c);
        rate =
            fmin(rate, nb_ratio_value(topology->channels[c].bandwidth) / used);
    }
    return is_routed ? rate : 0;
}

static void check_bisection(const struct nb_single_paths *paths,
                            const char *name)
{
    size_t of[TERMINALS];
    const size_t count = list_terminals(paths, of), matched = count / 2 * 2;
    double found[MATCHINGS];
    assert_int_equal(
        nb_single_paths_bisection(paths, SEED, MATCHINGS, found, NULL), NB_OK);
    for (size_t m = 0; m < MATCHINGS; m++) {
        uint32_t partner[TERMINALS];
        struct nb_random random;
        double sum = 0;
        nb_random_init(&random, SEED, m);
        nb_random_permutation(&random, (uint32_t)count, partner);
        for (size_t k = 0; k < matched; k++)
            sum += pair_rate(paths, of, partner, matched, k);
        const double expected = matched > 0 ? sum / (double)matched : 1;
        TOPOLOGY_CHECK(fabs(found[m] - expected) < 1e-12,
                       "%s: matching %zu: %.17g, not %.17g", name, m, found[m],
                       expected);
    }
}

/* Removes every third path, as in tables that leave pairs unrouted. */
static void thin_out(struct nb_single_paths *paths)
{
    size_t kept = 0;
    for (size_t pair = 0; pair < paths->count * paths->count; pair++) {
        const size_t first = paths->start[pair];
        paths->start[pair] = kept;
        for (size_t k = first; k < paths->start[pair + 1] && pair % 3 > 0; k++)
            paths->channel[kept++] = paths->channel[k];
    }
    paths->start[paths->count * paths->count] = kept;
}

static void check(const struct problem *problem, const char *name)
{
    struct nb_single_paths paths = { 0 };
    assert_int_equal(nb_single_paths_find(&problem->routing,
                                          problem->routing.topology, &paths,
                                          NULL),
                     NB_OK);
    check_paths(problem, &paths, name);
    check_loads(&paths, name);
    check_bisection(&paths, name);
    thin_out(&paths);
    check_loads(&paths, name);
    check_bisection(&paths, name);
    nb_single_paths_release(&paths);
}

static void test_against_counting(void **state)
{
    (void)state;
    single_each(check);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *name, *message;
    } cases[] = {
        { "min@mesh:3x3", "routing min has several paths for a pair "
                          "(permitted: schemes with one, such as minhop)" },
        { "dor@torus:4x3",
          "routing dor has several paths from router 2 to router 0 "
          "(permitted: schemes with one, such as minhop)" },
        { "val@mesh:2x2",
          "routing val has several paths from router 1 to router 0 "
          "(permitted: schemes with one, such as minhop)" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct problem problem;
        struct nb_single_paths paths = { 0 };
        struct nb_error error = { 0 };
        problem_open_example(&problem, cases[k].name);
        const long before = nb_memory_live_blocks();
        assert_int_equal(nb_single_paths_find(&problem.routing,
                                              problem.routing.topology, &paths,
                                              &error),
                         NB_INVALID);
        assert_string_equal(error.message, cases[k].message);
        assert_int_equal(nb_memory_live_blocks(), before);
        problem_close(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_counting),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
