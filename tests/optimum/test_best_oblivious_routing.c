/* Best oblivious routing: the routing found, analysed by other programs, and
 * questions about one network whose answers must agree. */
#include "support/graphs.h"
#include "support/oblivious_case.h"
#include "support/path_cases.h"
#include "support/topology_checks.h"
#include "support/traffic_case.h"
#include "support/worst_case_checks.h"
#include "core/memory.h"
#include "load/channel_loads.h"
#include "topology/metrics.h"
#include "topology/symmetry.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_ENDPOINTS = 12 };

/* Mean hops of uniform traffic. */
static struct nb_ratio uniform_hops(const struct problem *problem)
{
    struct nb_traffic traffic;
    struct nb_channel_loads loads;
    assert_int_equal(
        nb_traffic_build("uniform", &problem->topology, false, &traffic, NULL),
        NB_OK);
    assert_int_equal(
        nb_channel_loads_find(&problem->routing, &traffic, NULL, &loads, NULL),
        NB_OK);
    const struct nb_ratio hops = loads.mean_hops.exact;
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
    return hops;
}

/* The routing found, spread over all pairs, written to a file and read back,
 * has the worst case and the mean hops that its certificate claims. */
static void check_routing(struct oblivious_case *testcase)
{
    const struct nb_best_oblivious *best = &testcase->best;
    struct nb_path_table table;
    struct problem problem = { .topology = testcase->topology };
    struct nb_worst_case worst;
    oblivious_case_spread(testcase, &table);
    path_cases_add_routing(&problem, &table);
    worst_case_must_find(&problem, testcase->name, 1, &worst);
    const struct nb_channel_bound *bound = &worst.bounds[worst.worst];
    const struct nb_ratio load = nb_ratio_divide(
        worst.load.exact, problem.topology.channels[bound->channel].bandwidth);
    const bool is_exact = nb_ratio_is_known(best->load.exact);
    TOPOLOGY_CHECK(nb_ratio_is_known(load), "%s", testcase->name);
    TOPOLOGY_CHECK(
        is_exact ? nb_ratio_compare(load, best->load.exact) == 0
                 : nb_ratio_value(load) <= best->load.upper * (1 + 1e-15),
        "%s, paths %d: the worst load is %.17g, not %.17g", testcase->name,
        testcase->path_class.paths, nb_ratio_value(load), best->load.upper);
    oblivious_must_equal(testcase, best->mean_hops, uniform_hops(&problem));
    nb_worst_case_release(&worst);
    nb_path_table_release(&table);
    nb_routing_release(&problem.routing);
}

static const char *const networks[] = {
    "ring:6",          "torus:3x3",  "torus:4x3",
    "mesh:3x3",        "complete:5", "hypercube:3",
    "dragonfly:h=1",   "ccc:3",      "hyperx:3x2,p=2,bandwidth=3/2",
    "fattree:k=2,n=2", "slimfly:3",  "file:data/topologies/abilene.txt",
};

static void hands_over_what_it_claims(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct oblivious_case testcase;
        oblivious_case_open(&testcase, networks[i]);
        for (int paths = NB_PATHS_ANY; paths <= NB_PATHS_TWO_TURN; paths++) {
            if (paths == NB_PATHS_TWO_TURN &&
                testcase.topology.grid.dimensions != 2)
                continue;
            oblivious_case_set_paths(&testcase, (enum nb_paths)paths,
                                     nb_ratio_make(3, 2));
            const struct nb_enclosure load = oblivious_case_find(&testcase);
            assert_true(nb_ratio_is_known(load.exact));
            check_routing(&testcase);
            oblivious_case_find_hops(&testcase, load.exact);
            check_routing(&testcase);
        }
        oblivious_case_close(&testcase);
    }
}

static void hands_over_on_random_graphs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct oblivious_case testcase;
        char text[8000];
        graph_random(seed, 4 + (uint32_t)seed % 4, 8, text, sizeof text);
        oblivious_case_open_file(&testcase, text, ".graphml", "");
        snprintf(testcase.name, sizeof testcase.name, "seed %u",
                 (unsigned)seed);
        oblivious_case_find(&testcase);
        check_routing(&testcase);
        oblivious_case_close(&testcase);
    }
}

/* No scheme's worst case is better than the best over any paths, nor, if its
 * paths are shortest, than the best over shortest paths. */
static void check_scheme(const struct problem *problem, const char *name)
{
    struct oblivious_case best;
    struct nb_worst_case worst;
    size_t endpoints = 0;
    for (size_t r = 0; r < problem->topology.router_count; r++)
        endpoints += problem->topology.terminals[r] > 0;
    if (problem->routing.kind->is_adaptive || endpoints > MOST_ENDPOINTS)
        return;
    worst_case_must_find(problem, name, 1, &worst);
    const struct nb_channel_bound *bound = &worst.bounds[worst.worst];
    const double load =
        worst.load.upper /
        nb_ratio_value(problem->topology.channels[bound->channel].bandwidth);
    oblivious_case_open(&best, strrchr(name, '@') + 1);
    if (problem->routing.is_minimal)
        oblivious_case_set_paths(&best, NB_PATHS_MINIMAL, nb_ratio_one);
    const struct nb_enclosure least = oblivious_case_find(&best);
    TOPOLOGY_CHECK(load >= least.lower * (1 - 1e-12),
                   "%s: its load is %.17g, the least %.17g", name, load,
                   least.lower);
    oblivious_case_close(&best);
    nb_worst_case_release(&worst);
}

static void no_scheme_is_better(void **state)
{
    (void)state;
    problem_each_example(check_scheme);
}

/* The more load is permitted, the fewer hops; without a limit, the mean
 * distance. At the load of the routing with the least load, its hops
 * suffice. */
static void hops_fall_as_load_grows(void **state)
{
    (void)state;
    static const char *const names[] = { "ring:5", "torus:4x3", "mesh:3x3",
                                         "hypercube:3", "complete:5" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct oblivious_case testcase;
        struct nb_distance_summary distance;
        oblivious_case_open(&testcase, names[i]);
        const struct nb_ratio least = oblivious_case_find(&testcase).exact;
        double before = testcase.best.mean_hops.upper;
        for (int64_t percent = 100; percent <= 320; percent += 20) {
            const struct nb_enclosure hops = oblivious_case_find_hops(
                &testcase,
                nb_ratio_multiply(least, nb_ratio_make(percent, 100)));
            TOPOLOGY_CHECK(hops.lower <= before && hops.upper < INFINITY,
                           "%s at %d %%: %.12g after %.12g", names[i],
                           (int)percent, hops.lower, before);
            before = hops.upper;
        }
        assert_int_equal(
            nb_distance_search(&testcase.topology, &distance, NULL), NB_OK);
        oblivious_must_equal(
            &testcase, oblivious_case_find_hops(&testcase, nb_ratio_infinity),
            distance.mean);
        oblivious_case_close(&testcase);
    }
}

static void must_not_reverse(const struct oblivious_case *testcase)
{
    struct nb_symmetry symmetry;
    assert_int_equal(
        nb_best_oblivious_symmetry(&testcase->question, &symmetry, NULL),
        NB_OK);
    for (size_t g = 0; g < symmetry.generator_count; g++)
        assert_false(symmetry.is_reversal[g]);
    assert_true(symmetry.generator_count > 0);
    nb_symmetry_release(&symmetry);
}

/* At rate 1 nothing changes if sources and destinations are distinguished; at
 * higher rates the load grows, but by at most the factor of the rate. */
static void load_grows_with_the_rate(void **state)
{
    (void)state;
    static const char *const names[] = { "ring:5", "torus:3x3", "mesh:2x3",
                                         "complete:4" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct oblivious_case testcase;
        oblivious_case_open(&testcase, names[i]);
        struct nb_enclosure before = oblivious_case_find(&testcase);
        testcase.question.is_unbalanced = true;
        must_not_reverse(&testcase);
        oblivious_must_equal(&testcase, oblivious_case_find(&testcase),
                             before.exact);
        for (int64_t rate = 5; rate <= 9; rate++) { /* quarters */
            testcase.question.rate = nb_ratio_make(rate, 4);
            const struct nb_enclosure load = oblivious_case_find(&testcase);
            const double growth = (double)rate / (double)(rate - 1);
            TOPOLOGY_CHECK(load.upper >= before.lower &&
                               load.lower <=
                                   before.upper * growth * (1 + 1e-12),
                           "%s at %d/4: %.12g after %.12g", names[i], (int)rate,
                           load.upper, before.lower);
            before = load;
        }
        oblivious_case_close(&testcase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hands_over_what_it_claims),
        cmocka_unit_test(hands_over_on_random_graphs),
        cmocka_unit_test(no_scheme_is_better),
        cmocka_unit_test(hops_fall_as_load_grows),
        cmocka_unit_test(load_grows_with_the_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
