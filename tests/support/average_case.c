#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "average_case.h"

#include "enclosure_checks.h"
#include "topology_checks.h"

#include "optimum/path_orbits.h"

#include <math.h>
#include <stdio.h>

static void case_ask(struct average_case *testcase, size_t count, uint64_t seed)
{
    testcase->question = (struct nb_average_question){
        .topology = &testcase->topology,
        .path_class = &testcase->path_class,
        .count = count,
        .seed = seed,
        .seconds = INFINITY,
    };
    average_case_set_paths(testcase, NB_PATHS_ANY, nb_ratio_one);
}

void average_case_open(struct average_case *testcase, const char *topology,
                       size_t count, uint64_t seed)
{
    *testcase = (struct average_case){ 0 };
    snprintf(testcase->name, sizeof testcase->name, "%zu of seed %u on %s",
             count, (unsigned)seed, topology);
    topology_must_build(topology, &testcase->topology);
    case_ask(testcase, count, seed);
}

void average_case_open_file(struct average_case *testcase, const char *text,
                            const char *ending, const char *parameters,
                            size_t count, uint64_t seed)
{
    *testcase = (struct average_case){ 0 };
    snprintf(testcase->name, sizeof testcase->name, "%zu of seed %u on %s",
             count, (unsigned)seed, text);
    topology_must_build_file(text, ending, parameters, &testcase->topology);
    case_ask(testcase, count, seed);
}

void average_case_close(struct average_case *testcase)
{
    nb_best_average_release(&testcase->best);
    nb_topology_release(&testcase->topology);
}

void average_case_set_paths(struct average_case *testcase, enum nb_paths paths,
                            struct nb_ratio stretch)
{
    struct nb_error err = { 0 };
    TOPOLOGY_CHECK(nb_path_class_init(&testcase->topology, paths, stretch,
                                      &testcase->path_class, &err) == NB_OK,
                   "%s: %s", testcase->name, err.message);
}

struct nb_enclosure average_case_find(struct average_case *testcase)
{
    struct nb_best_average *best = &testcase->best;
    struct nb_error err = { 0 };
    nb_best_average_release(best);
    TOPOLOGY_CHECK(
        nb_best_average_find(&testcase->question, NULL, best, &err) == NB_OK,
        "%s, paths %d: %s", testcase->name, testcase->path_class.paths,
        err.message);
    const struct nb_best_average found = *best;
    best->mean_load = best->mean_throughput = best->least_throughput =
        best->mean_hops = (struct nb_enclosure){ .lower = NAN };
    TOPOLOGY_CHECK(nb_best_average_check(&testcase->question, best, &err) ==
                       NB_OK,
                   "%s, paths %d: %s", testcase->name,
                   testcase->path_class.paths, err.message);
    nb_must_be_same(testcase->name, testcase->path_class.paths, found.mean_load,
                    best->mean_load);
    nb_must_be_same(testcase->name, testcase->path_class.paths,
                    found.mean_throughput, best->mean_throughput);
    nb_must_be_same(testcase->name, testcase->path_class.paths,
                    found.least_throughput, best->least_throughput);
    nb_must_be_same(testcase->name, testcase->path_class.paths, found.mean_hops,
                    best->mean_hops);
    assert_int_equal(found.pair_orbits, best->pair_orbits);
    return best->mean_load;
}

void average_must_equal(const struct average_case *testcase,
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

void average_must_enclose(const struct average_case *testcase,
                          struct nb_enclosure found, double value)
{
    const double room = 1e-8 * (1 + value);
    TOPOLOGY_CHECK(found.lower <= value + room && value - room <= found.upper &&
                       found.upper - found.lower <= room,
                   "%s, paths %d: %.17g .. %.17g, not %.12g", testcase->name,
                   testcase->path_class.paths, found.lower, found.upper, value);
}

void average_case_spread(const struct average_case *testcase,
                         struct nb_path_table *out)
{
    struct nb_symmetry symmetry;
    struct nb_error err = { 0 };
    assert_int_equal(
        nb_best_average_symmetry(&testcase->question, &symmetry, &err), NB_OK);
    TOPOLOGY_CHECK(nb_path_orbits_spread(&symmetry, &testcase->topology,
                                         &testcase->best.paths, out,
                                         &err) == NB_OK,
                   "%s: %s", testcase->name, err.message);
    nb_symmetry_release(&symmetry);
}
