#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "oblivious_case.h"

#include "enclosure_checks.h"
#include "topology_checks.h"

#include "optimum/path_orbits.h"

#include <math.h>
#include <stdio.h>

static void case_ask(struct oblivious_case *testcase)
{
    testcase->question = (struct nb_oblivious_question){
        .topology = &testcase->topology,
        .path_class = &testcase->path_class,
        .goal = NB_LEAST_WORST_LOAD,
        .rate = nb_ratio_one,
        .seconds = INFINITY,
    };
    oblivious_case_set_paths(testcase, NB_PATHS_ANY, nb_ratio_one);
}

void oblivious_case_open(struct oblivious_case *testcase, const char *topology)
{
    *testcase = (struct oblivious_case){ 0 };
    snprintf(testcase->name, sizeof testcase->name, "%s", topology);
    topology_must_build(topology, &testcase->topology);
    case_ask(testcase);
}

void oblivious_case_open_file(struct oblivious_case *testcase, const char *text,
                              const char *ending, const char *parameters)
{
    *testcase = (struct oblivious_case){ 0 };
    snprintf(testcase->name, sizeof testcase->name, "%s", text);
    topology_must_build_file(text, ending, parameters, &testcase->topology);
    case_ask(testcase);
}

void oblivious_case_close(struct oblivious_case *testcase)
{
    nb_best_oblivious_release(&testcase->best);
    nb_topology_release(&testcase->topology);
}

void oblivious_case_set_paths(struct oblivious_case *testcase,
                              enum nb_paths paths, struct nb_ratio stretch)
{
    struct nb_error err = { 0 };
    TOPOLOGY_CHECK(nb_path_class_init(&testcase->topology, paths, stretch,
                                      &testcase->path_class, &err) == NB_OK,
                   "%s: %s", testcase->name, err.message);
}

struct nb_enclosure oblivious_case_find(struct oblivious_case *testcase)
{
    const struct nb_run run = { .threads = 1 };
    struct nb_best_oblivious *best = &testcase->best;
    struct nb_error err = { 0 };
    nb_best_oblivious_release(best);
    TOPOLOGY_CHECK(
        nb_best_oblivious_find(&testcase->question, &run, best, &err) == NB_OK,
        "%s, paths %d: %s", testcase->name, testcase->path_class.paths,
        err.message);
    const struct nb_best_oblivious found = *best;
    best->load = best->mean_hops = (struct nb_enclosure){ .lower = NAN };
    TOPOLOGY_CHECK(nb_best_oblivious_check(&testcase->question, best, &err) ==
                       NB_OK,
                   "%s, paths %d: %s", testcase->name,
                   testcase->path_class.paths, err.message);
    nb_must_be_same(testcase->name, testcase->path_class.paths, found.load,
                    best->load);
    nb_must_be_same(testcase->name, testcase->path_class.paths, found.mean_hops,
                    best->mean_hops);
    assert_int_equal(found.pair_orbits, best->pair_orbits);
    return testcase->question.goal == NB_LEAST_WORST_LOAD ? best->load
                                                          : best->mean_hops;
}

struct nb_enclosure oblivious_case_find_hops(struct oblivious_case *testcase,
                                             struct nb_ratio most_load)
{
    testcase->question.goal = NB_LEAST_MEAN_HOPS;
    testcase->question.most_load = most_load;
    const struct nb_enclosure hops = oblivious_case_find(testcase);
    testcase->question.goal = NB_LEAST_WORST_LOAD;
    return hops;
}

void oblivious_must_equal(const struct oblivious_case *testcase,
                          struct nb_enclosure found, struct nb_ratio expected)
{
    TOPOLOGY_CHECK(nb_ratio_is_known(found.exact) &&
                       nb_ratio_compare(found.exact, expected) == 0,
                   "%s, paths %d: %lld/%lld in %.17g .. %.17g, not %lld/%lld",
                   testcase->name, testcase->path_class.paths,
                   (long long)found.exact.numerator,
                   (long long)found.exact.denominator, found.lower, found.upper,
                   (long long)expected.numerator,
                   (long long)expected.denominator);
}

void oblivious_must_enclose(const struct oblivious_case *testcase,
                            struct nb_enclosure found, double value)
{
    const double room = 1e-7 * (1 + value);
    TOPOLOGY_CHECK(found.lower <= value + room && value - room <= found.upper &&
                       found.upper - found.lower <= room,
                   "%s, paths %d, rate %g: %.17g .. %.17g, not %.12g",
                   testcase->name, testcase->path_class.paths,
                   nb_ratio_value(testcase->question.rate), found.lower,
                   found.upper, value);
}

void oblivious_case_spread(const struct oblivious_case *testcase,
                           struct nb_path_table *out)
{
    struct nb_symmetry symmetry;
    struct nb_error err = { 0 };
    assert_int_equal(
        nb_best_oblivious_symmetry(&testcase->question, &symmetry, &err),
        NB_OK);
    TOPOLOGY_CHECK(nb_path_orbits_spread(&symmetry, &testcase->topology,
                                         &testcase->best.paths, out,
                                         &err) == NB_OK,
                   "%s: %s", testcase->name, err.message);
    nb_symmetry_release(&symmetry);
}
