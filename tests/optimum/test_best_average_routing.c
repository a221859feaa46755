/* Best average: the routing found, analysed by other programs, and questions
 * about one network whose answers must agree. */
#include "support/average_case.h"
#include "support/graphs.h"
#include "support/path_cases.h"
#include "support/topology_checks.h"
#include "core/memory.h"
#include "load/channel_loads.h"
#include "load/permutation_sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Draws the same sample as `netbound permutations`, with exact loads. */
static void draw(const struct problem *problem, size_t count, uint64_t seed,
                 struct nb_permutation_loads *loads,
                 struct nb_permutation_sample *sample)
{
    assert_int_equal(nb_permutation_loads_find(
                         &problem->routing, NB_KERNEL_BEST, NULL, loads, NULL),
                     NB_OK);
    assert_int_equal(
        nb_permutation_sample_draw(loads, seed, count, NULL, sample, NULL),
        NB_OK);
}

/* Mean of the peaks, for terminals without limit. */
static double mean_load(const struct nb_permutation_loads *loads,
                        const struct nb_permutation_sample *sample)
{
    double sum = 0;
    for (size_t x = 0; x < sample->count; x++)
        sum += loads->is_exact
                   ? (double)sample->peak[x].weight / (double)loads->denominator
                   : sample->peak[x].value;
    return sum / (double)sample->count;
}

static double uniform_hops(const struct problem *problem)
{
    struct nb_traffic traffic;
    struct nb_channel_loads loads;
    assert_int_equal(
        nb_traffic_build("uniform", &problem->topology, false, &traffic, NULL),
        NB_OK);
    assert_int_equal(
        nb_channel_loads_find(&problem->routing, &traffic, NULL, &loads, NULL),
        NB_OK);
    const double hops = (loads.mean_hops.lower + loads.mean_hops.upper) / 2;
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
    return hops;
}

static void must_be_near(const struct average_case *testcase, const char *what,
                         struct nb_enclosure found, double value)
{
    TOPOLOGY_CHECK(found.lower <= value * (1 + 1e-12) &&
                       value * (1 - 1e-12) <= found.upper,
                   "%s, paths %d: %s %.17g .. %.17g, not %.17g", testcase->name,
                   testcase->path_class.paths, what, found.lower, found.upper,
                   value);
}

/* The routing found, spread over all pairs, written to a file and read back,
 * loads the permutations as its certificate claims. */
static void check_routing(struct average_case *testcase)
{
    const struct nb_best_average *best = &testcase->best;
    struct nb_path_table table;
    struct problem problem = { .topology = testcase->topology };
    struct nb_permutation_loads loads;
    struct nb_permutation_sample sample;
    average_case_find(testcase);
    average_case_spread(testcase, &table);
    path_cases_add_routing(&problem, &table);
    draw(&problem, testcase->question.count, testcase->question.seed, &loads,
         &sample);
    must_be_near(testcase, "mean throughput", best->mean_throughput,
                 sample.mean.value);
    assert_int_equal(best->idle_count, sample.idle_count);
    must_be_near(testcase, "least throughput", best->least_throughput,
                 nb_permutation_throughput(&loads, sample.peak[0]).lower);
    must_be_near(testcase, "mean hops", best->mean_hops,
                 uniform_hops(&problem));
    if (isinf(nb_ratio_value(loads.terminal_limit)))
        TOPOLOGY_CHECK(fabs(mean_load(&loads, &sample) / best->mean_load.upper -
                            1) < 1e-12,
                       "%s: mean load %.17g", testcase->name,
                       best->mean_load.upper);
    nb_permutation_sample_release(&sample);
    nb_permutation_loads_release(&loads);
    nb_path_table_release(&table);
    nb_routing_release(&problem.routing);
}

static void routing_has_these_throughputs(void **state)
{
    (void)state;
    static const char *const networks[] = {
        "ring:5,terminals=2", "torus:4x3",     "torus:4x4",
        "mesh:3x3",           "hypercube:3",   "ccc:3",
        "complete:5",         "dragonfly:h=1", "fattree:k=2,n=3",
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct average_case testcase;
        average_case_open(&testcase, networks[i], 6, 3);
        check_routing(&testcase);
        average_case_set_paths(&testcase, NB_PATHS_MINIMAL, nb_ratio_one);
        check_routing(&testcase);
        average_case_close(&testcase);
    }
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct average_case testcase;
        char text[8000];
        graph_random(seed, 5, 8, text, sizeof text);
        average_case_open_file(&testcase, text, ".graphml", "", 20, seed);
        check_routing(&testcase);
        average_case_close(&testcase);
    }
}

/* Schemes that all symmetries keep have no better average than the proved
 * bound, and the paths of a class no better one than those of a wider class. */
static void bounds_schemes_and_classes(void **state)
{
    (void)state;
    static const char *const networks[] = { "torus:4x4", "torus:3x3", "ring:6",
                                            "mesh:3x3" };
    static const char *const schemes[] = { "dor:order=random", "min",
                                           "val:order=random", "romm", "rlb" };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct average_case testcase;
        average_case_open(&testcase, networks[i], 30, 5);
        const struct nb_enclosure any = average_case_find(&testcase);
        average_case_set_paths(&testcase, NB_PATHS_STRETCH,
                               nb_ratio_make(3, 2));
        const struct nb_enclosure stretch = average_case_find(&testcase);
        average_case_set_paths(&testcase, NB_PATHS_MINIMAL, nb_ratio_one);
        const struct nb_enclosure minimal = average_case_find(&testcase);
        TOPOLOGY_CHECK(any.lower <= stretch.upper &&
                           stretch.lower <= minimal.upper,
                       "%s: %.17g, %.17g, %.17g", networks[i], any.lower,
                       stretch.lower, minimal.lower);
        for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
            struct problem problem = { .topology = testcase.topology };
            struct nb_permutation_loads loads;
            struct nb_permutation_sample sample;
            if (nb_routing_build(schemes[k], &problem.topology,
                                 &problem.routing, NULL) != NB_OK)
                continue; /* not defined on meshes */
            draw(&problem, 30, 5, &loads, &sample);
            const double mean = mean_load(&loads, &sample);
            const bool is_minimal = k < 2 || strcmp(schemes[k], "romm") == 0;
            TOPOLOGY_CHECK(mean >=
                               (is_minimal ? minimal : any).lower * (1 - 1e-12),
                           "%s on %s: %.17g", schemes[k], networks[i], mean);
            nb_permutation_sample_release(&sample);
            nb_permutation_loads_release(&loads);
            nb_routing_release(&problem.routing);
        }
        average_case_close(&testcase);
    }
}

/* Whether two answers are equal except for their addresses. */
static bool is_same(const struct nb_best_average *a,
                    const struct nb_best_average *b)
{
    bool is_same = a->weight_count == b->weight_count &&
                   a->mean_load.lower == b->mean_load.lower &&
                   a->mean_load.upper == b->mean_load.upper &&
                   a->mean_throughput.lower == b->mean_throughput.lower &&
                   a->rows == b->rows && a->variables == b->variables &&
                   path_cases_same(&a->paths, &b->paths);
    for (size_t w = 0; w < a->weight_count && is_same; w++)
        is_same = a->weights[w].permutation == b->weights[w].permutation &&
                  a->weights[w].channel == b->weights[w].channel &&
                  a->weights[w].weight == b->weights[w].weight;
    return is_same;
}

/* Enough permutations for several tasks. */
static void is_the_same_with_any_threads(void **state)
{
    (void)state;
    struct average_case testcase;
    struct nb_best_average one, three;
    const struct nb_run alone = { .threads = 1 }, many = { .threads = 3 };
    average_case_open(&testcase, "torus:6x6", 450, 2);
    average_case_set_paths(&testcase, NB_PATHS_MINIMAL, nb_ratio_one);
    assert_int_equal(
        nb_best_average_find(&testcase.question, &alone, &one, NULL), NB_OK);
    assert_int_equal(
        nb_best_average_find(&testcase.question, &many, &three, NULL), NB_OK);
    assert_true(is_same(&one, &three));
    assert_true(one.weight_count > 0);
    nb_best_average_release(&one);
    nb_best_average_release(&three);
    average_case_close(&testcase);
}

/* If time is up at once or soon, both ends still hold. */
static void stops_in_time(void **state)
{
    (void)state;
    static const enum nb_paths classes[] = { NB_PATHS_ANY, NB_PATHS_MINIMAL };
    for (size_t k = 0; k < 2; k++) {
        struct average_case testcase;
        average_case_open(&testcase, "torus:5x5", 40, 1);
        average_case_set_paths(&testcase, classes[k], nb_ratio_one);
        const struct nb_enclosure best = average_case_find(&testcase);
        assert_false(testcase.best.was_stopped);
        assert_true(best.upper < best.lower * (1 + 1e-8));
        for (int step = 0; step < 6; step++) {
            testcase.question.seconds = step == 0 ? 1e-9 : 1e-3 * pow(4, step);
            const struct nb_enclosure found = average_case_find(&testcase);
            TOPOLOGY_CHECK(found.lower <= best.upper &&
                               best.lower <= found.upper && found.lower > 0,
                           "after %g s: %.17g .. %.17g",
                           testcase.question.seconds, found.lower, found.upper);
            if (step == 0)
                assert_true(testcase.best.was_stopped);
        }
        average_case_close(&testcase);
    }
}

/* Without a program, too, both ends hold. */
static void answers_what_is_too_large(void **state)
{
    (void)state;
    struct average_case testcase;
    average_case_open(&testcase, "mesh:11x11", 2, 1);
    const struct nb_enclosure found = average_case_find(&testcase);
    assert_true(testcase.best.is_too_large);
    assert_false(testcase.best.was_stopped);
    assert_true(found.lower > 0.5 && found.upper < 20);
    average_case_close(&testcase);
}

static void survives_failing_memory(void **state)
{
    (void)state;
    struct average_case testcase;
    average_case_open(&testcase, "ring:4", 3, 1);
    for (int step = 0; step < 2; step++) {
        const long before = nb_memory_live_blocks();
        enum nb_status status = NB_NO_MEMORY;
        testcase.question.seconds = step == 0 ? INFINITY : 1e-9;
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            struct nb_best_average best;
            nb_memory_allow(allowed);
            status =
                nb_best_average_find(&testcase.question, NULL, &best, NULL);
            nb_memory_allow(-1);
            nb_best_average_release(&best);
            assert_int_equal(nb_memory_live_blocks(), before);
        }
        assert_int_equal(status, NB_OK);
    }
    average_case_find(&testcase);
    const long held = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        nb_memory_allow(allowed);
        status =
            nb_best_average_check(&testcase.question, &testcase.best, NULL);
        nb_memory_allow(-1);
        assert_int_equal(nb_memory_live_blocks(), held);
    }
    assert_int_equal(status, NB_OK);
    average_case_close(&testcase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routing_has_these_throughputs),
        cmocka_unit_test(bounds_schemes_and_classes),
        cmocka_unit_test(is_the_same_with_any_threads),
        cmocka_unit_test(stops_in_time),
        cmocka_unit_test(answers_what_is_too_large),
        cmocka_unit_test(survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
