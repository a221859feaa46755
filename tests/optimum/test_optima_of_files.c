/* Optima of files: a network and its own export have the same ones, and the
 * reversal of all paths loses nothing where it is used. */
#include "support/cases.h"
#include "support/edge_program.h"
#include "support/network_file.h"
#include "support/topology_checks.h"
#include "optimum/adversary.h"
#include "optimum/best_average.h"
#include "optimum/best_unbalanced.h"
#include "core/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Limit of channels times pairs of routers with terminals; NB_TEST_LARGE in the
 * environment sets another one for manual runs. */
#define MOST_SIZE 1550.0

/* Relative; brackets that are not exact are as wide as rounding makes them. */
#define CLOSE 1e-6

static size_t examples, request, exact, kinds;
static const struct nb_topology_kind *last_kind;

/* Not where packets cross one way: optimum answers with min there. */
static bool is_small(const struct nb_topology *topology)
{
    const char *large = getenv("NB_TEST_LARGE");
    double e = 0;
    for (size_t r = 0; r < topology->router_count; r++)
        e += topology->terminals[r] > 0;
    return !topology->kind->is_one_way &&
           e * e * (double)topology->channel_count <=
               (large != NULL ? strtod(large, NULL) : MOST_SIZE);
}

/* Two answers to one question: equal if both are exact, else overlapping
 * brackets, both tight. */
static void must_agree(const char *name, const char *what,
                       struct nb_enclosure one, struct nb_enclosure other)
{
    const bool is_exact =
        nb_ratio_is_known(one.exact) && nb_ratio_is_known(other.exact);
    const double room = CLOSE * one.lower;
    request++;
    exact += is_exact;
    TOPOLOGY_CHECK(is_exact
                       ? nb_ratio_compare(one.exact, other.exact) == 0
                       : one.lower <= other.upper && other.lower <= one.upper &&
                             one.upper - one.lower <= room &&
                             other.upper - other.lower <= room,
                   "%s, %s: %.17g .. %.17g, not %.17g .. %.17g", name, what,
                   other.lower, other.upper, one.lower, one.upper);
}

/* The questions about a network. */
struct request {
    const struct nb_topology *topology;
    const char *name;
    struct nb_path_class path_class;
};

static struct nb_enclosure find_worst(const struct request *ask,
                                      enum nb_oblivious_goal goal,
                                      struct nb_ratio most_load,
                                      bool is_unbalanced)
{
    const struct nb_oblivious_question question = {
        .topology = ask->topology,
        .path_class = &ask->path_class,
        .goal = goal,
        .rate = nb_ratio_one,
        .is_unbalanced = is_unbalanced,
        .most_load = most_load,
        .seconds = INFINITY,
    };
    struct nb_best_oblivious best;
    struct nb_error err = { 0 };
    TOPOLOGY_CHECK(nb_best_oblivious_find(&question, NULL, &best, &err) ==
                       NB_OK,
                   "%s: %s", ask->name, err.message);
    const struct nb_enclosure found =
        goal == NB_LEAST_WORST_LOAD ? best.load : best.mean_hops;
    nb_best_oblivious_release(&best);
    return found;
}

static struct nb_enclosure find_unbalanced(const struct request *ask)
{
    const struct nb_oblivious_question question = {
        .topology = ask->topology,
        .path_class = &ask->path_class,
        .rate = nb_ratio_one,
        .most_load = nb_ratio_one,
        .seconds = INFINITY,
    };
    struct nb_best_unbalanced best;
    struct nb_error err = { 0 };
    TOPOLOGY_CHECK(nb_best_unbalanced_find(&question, NULL, &best, &err) ==
                       NB_OK,
                   "%s: %s", ask->name, err.message);
    const struct nb_enclosure found = best.throughput;
    nb_best_unbalanced_release(&best);
    return found;
}

static struct nb_enclosure find_average(const struct request *ask)
{
    const struct nb_average_question question = {
        .topology = ask->topology,
        .path_class = &ask->path_class,
        .count = 2,
        .seed = 2,
        .seconds = INFINITY,
    };
    struct nb_best_average best;
    struct nb_error err = { 0 };
    TOPOLOGY_CHECK(nb_best_average_find(&question, NULL, &best, &err) == NB_OK,
                   "%s: %s", ask->name, err.message);
    assert_false(best.is_group_partial);
    const struct nb_enclosure found = best.mean_load;
    nb_best_average_release(&best);
    return found;
}

/* Whether the traffic is defined on the network. */
static bool find_flow(const struct request *ask, const char *traffic,
                      struct nb_enclosure *out)
{
    struct nb_traffic given;
    struct nb_best_flow best;
    struct nb_error err = { 0 };
    if (nb_traffic_build(traffic, ask->topology, false, &given, &err) !=
        NB_OK) {
        print_message("%s: left out: %s\n", ask->name, err.message);
        return false;
    }
    const struct nb_best_flow_question question = {
        .topology = ask->topology,
        .traffic = &given,
        .path_class = &ask->path_class,
        .seconds = INFINITY,
    };
    TOPOLOGY_CHECK(nb_best_flow_find(&question, NULL, &best, &err) == NB_OK,
                   "%s: %s", ask->name, err.message);
    *out = best.throughput;
    nb_best_flow_release(&best);
    nb_traffic_release(&given);
    return true;
}

static struct nb_enclosure find_adversary(const struct request *ask)
{
    const struct nb_adversary_question question = {
        .topology = ask->topology,
        .path_class = &ask->path_class,
        .seed = 1,
        .starts = 4,
        .seconds = INFINITY,
    };
    struct nb_adversary found;
    struct nb_error err = { 0 };
    TOPOLOGY_CHECK(nb_adversary_find(&question, NULL, &found, &err) == NB_OK,
                   "%s: %s", ask->name, err.message);
    const struct nb_enclosure throughput = found.best.throughput;
    nb_adversary_release(&found);
    return throughput;
}

static struct request ask(const struct nb_topology *topology, const char *name,
                          enum nb_paths paths)
{
    struct request out = { .topology = topology, .name = name };
    assert_int_equal(nb_path_class_init(topology, paths, nb_ratio_one,
                                        &out.path_class, NULL),
                     NB_OK);
    return out;
}

static void check_paths(const struct nb_topology *topology,
                        const struct nb_topology *file, const char *name,
                        enum nb_paths paths)
{
    static const char *const traffics[] = { "uniform",
                                            "random-permutation:seed=3" };
    const struct request one = ask(topology, name, paths);
    const struct request other = ask(file, name, paths);
    const struct nb_enclosure load =
        find_worst(&one, NB_LEAST_WORST_LOAD, nb_ratio_one, false);
    must_agree(name, "worst case", load,
               find_worst(&other, NB_LEAST_WORST_LOAD, nb_ratio_one, false));
    if (nb_ratio_is_known(load.exact))
        must_agree(name, "locality",
                   find_worst(&one, NB_LEAST_MEAN_HOPS, load.exact, false),
                   find_worst(&other, NB_LEAST_MEAN_HOPS, load.exact, false));
    must_agree(name, "unbalanced", find_unbalanced(&one),
               find_unbalanced(&other));
    must_agree(name, "average", find_average(&one), find_average(&other));
    for (size_t t = 0; t < sizeof traffics / sizeof *traffics; t++) {
        struct nb_enclosure flow, others;
        const bool is_defined = find_flow(&one, traffics[t], &flow);
        assert_int_equal(find_flow(&other, traffics[t], &others), is_defined);
        if (is_defined)
            must_agree(name, traffics[t], flow, others);
    }
    must_agree(name, "adversary", find_adversary(&one), find_adversary(&other));
}

/* A file has no groups, on which shortest paths may depend. */
static void check_export(const struct nb_topology *topology, const char *name)
{
    char path[NB_SCRATCH_FILE];
    struct nb_topology file;
    struct nb_error err = { 0 };
    if (!is_small(topology) || !nb_cases_have(examples++, 5))
        return;
    kinds += topology->kind != last_kind;
    last_kind = topology->kind;
    network_file_write(topology, ".graphml", path, &err);
    TOPOLOGY_CHECK(path[0] != '\0', "%s: %s", name, err.message);
    network_file_read(path, "", &file);
    check_paths(topology, &file, name, NB_PATHS_ANY);
    if (!topology->groups.counts_global_first)
        check_paths(topology, &file, name, NB_PATHS_MINIMAL);
    else
        print_message("skipped: minimal paths of %s: a file has no groups\n",
                      name);
    nb_topology_release(&file);
}

static void agrees_with_its_export(void **state)
{
    (void)state;
    examples = request = exact = kinds = 0;
    topology_each_example(check_export);
    print_message("%zu optima on %zu kinds of networks, %zu exact twice\n",
                  request, kinds, exact);
    assert_true(request > (nb_cases_are_all() ? 100 : 15) &&
                exact > request * 3 / 4);
}

/* Networks that their automorphisms make small, whether declared or found: two
 * kinds have only such examples. */
static void agrees_where_symmetry_is_needed(void **state)
{
    (void)state;
    static const char *const names[] = { "ccc:3", "slimfly:3", "torus:4x4" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[NB_SCRATCH_FILE];
        struct nb_topology topology, file;
        struct nb_enclosure flow = { 0 }, others = { 0 };
        topology_must_build(names[i], &topology);
        network_file_write(&topology, ".graphml", path, NULL);
        network_file_read(path, "", &file);
        const struct request one = ask(&topology, names[i], NB_PATHS_ANY);
        const struct request other = ask(&file, names[i], NB_PATHS_ANY);
        must_agree(
            names[i], "worst case",
            find_worst(&one, NB_LEAST_WORST_LOAD, nb_ratio_one, false),
            find_worst(&other, NB_LEAST_WORST_LOAD, nb_ratio_one, false));
        must_agree(names[i], "average", find_average(&one),
                   find_average(&other));
        assert_true(find_flow(&one, "uniform", &flow) &&
                    find_flow(&other, "uniform", &others));
        must_agree(names[i], "uniform", flow, others);
        nb_topology_release(&file);
        nb_topology_release(&topology);
    }
}

/* Sources and destinations distinguished, at rate 1: the same question without
 * reversals. */
static void check_reversal(const struct nb_topology *topology, const char *name)
{
    if (!is_small(topology))
        return;
    for (int paths = NB_PATHS_ANY; paths <= NB_PATHS_MINIMAL; paths++) {
        const struct request one = ask(topology, name, (enum nb_paths)paths);
        const struct nb_enclosure load =
            find_worst(&one, NB_LEAST_WORST_LOAD, nb_ratio_one, false);
        must_agree(name, "load without reversal", load,
                   find_worst(&one, NB_LEAST_WORST_LOAD, nb_ratio_one, true));
        if (nb_ratio_is_known(load.exact))
            must_agree(name, "hops without reversal",
                       find_worst(&one, NB_LEAST_MEAN_HOPS, load.exact, false),
                       find_worst(&one, NB_LEAST_MEAN_HOPS, load.exact, true));
    }
}

/* A random network in which every channel has a reverse channel, with a
 * symmetric traffic matrix, against a program that uses neither property. */
static void check_random(uint64_t seed)
{
    char edges[1000], name[40];
    struct nb_random random;
    struct nb_topology topology;
    nb_random_init(&random, seed, 0);
    const unsigned n = 4 + (unsigned)nb_random_below(&random, 3);
    size_t at = 0;
    for (unsigned k = 0; k < 2 * n; k++) {
        const unsigned a = k < n ? k : (unsigned)nb_random_below(&random, n);
        const unsigned step =
            k < n ? 1 : 1 + (unsigned)nb_random_below(&random, n - 1);
        at += (size_t)snprintf(edges + at, sizeof edges - at, "%u,%u,%u/4\n", a,
                               (a + step) % n,
                               1 + (unsigned)nb_random_below(&random, 8));
    }
    snprintf(name, sizeof name, "network of seed %u", (unsigned)seed);
    topology_must_build_file(edges, ".csv", "", &topology);
    check_reversal(&topology, name);
    const struct request one = ask(&topology, name, NB_PATHS_ANY);
    struct nb_traffic uniform;
    assert_int_equal(
        nb_traffic_build("uniform", &topology, false, &uniform, NULL), NB_OK);
    const struct nb_best_flow_question question = {
        .topology = &topology,
        .traffic = &uniform,
        .path_class = &one.path_class,
        .seconds = INFINITY,
    };
    const double plain = edge_program_solve(&question);
    struct nb_enclosure flow;
    assert_true(find_flow(&one, "uniform", &flow));
    TOPOLOGY_CHECK(
        flow.lower <= plain * (1 + 1e-8) && flow.upper >= plain * (1 - 1e-8) &&
            flow.upper <= flow.lower * (1 + CLOSE),
        "%s: %.12g .. %.12g, not %.12g", name, flow.lower, flow.upper, plain);
    nb_traffic_release(&uniform);
    nb_topology_release(&topology);
}

static void loses_nothing_by_reversal(void **state)
{
    (void)state;
    request = exact = 0;
    topology_each_example(check_reversal);
    for (uint64_t seed = 1; seed <= 20; seed++)
        check_random(seed);
    print_message("%zu optima, %zu exact on both sides\n", request, exact);
    assert_true(request > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_its_export),
        cmocka_unit_test(agrees_where_symmetry_is_needed),
        cmocka_unit_test(loses_nothing_by_reversal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
