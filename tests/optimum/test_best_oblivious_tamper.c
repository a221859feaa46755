/* Best oblivious routing: certificates changed at random are rejected or prove
 * less, never something false. */
#include "support/graphs.h"
#include "support/oblivious_case.h"
#include "support/oblivious_changes.h"
#include "support/path_cases.h"
#include "support/topology_checks.h"
#include "support/worst_case_checks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { CHANGES = 250 }; /* changes per certificate */

/* The changed routing's worst load, by the analysis of schemes, does not exceed
 * the load of the certificate. */
static void check_load(struct oblivious_case *testcase)
{
    struct nb_path_table table;
    struct problem problem = { .topology = testcase->topology };
    struct nb_worst_case worst;
    oblivious_case_spread(testcase, &table);
    path_cases_add_routing(&problem, &table);
    worst_case_must_find(&problem, testcase->name, 1, &worst);
    const struct nb_channel *channel =
        &problem.topology.channels[worst.bounds[worst.worst].channel];
    const double load = worst.load.lower / nb_ratio_value(channel->bandwidth);
    TOPOLOGY_CHECK(load <= testcase->best.load.upper * (1 + 1e-12),
                   "%s: load %.17g, claimed %.17g", testcase->name, load,
                   testcase->best.load.upper);
    nb_worst_case_release(&worst);
    nb_path_table_release(&table);
    nb_routing_release(&problem.routing);
}

/* Changes the certificate found many times; least: the true answers. */
static void check_changes(struct oblivious_case *testcase,
                          struct nb_enclosure least_load,
                          struct nb_enclosure least_hops)
{
    const bool has_hops = testcase->question.goal == NB_LEAST_MEAN_HOPS;
    const struct nb_best_oblivious found = testcase->best;
    struct nb_best_oblivious *best = &testcase->best;
    size_t refused = 0;
    for (uint64_t seed = 1; seed <= CHANGES; seed++) {
        struct nb_random random;
        struct nb_error err = { 0 };
        nb_random_init(&random, seed, has_hops);
        oblivious_copy(&found, testcase->topology.router_count, best);
        oblivious_change(&random, &testcase->topology, best);
        const enum nb_status status =
            nb_best_oblivious_check(&testcase->question, best, &err);
        TOPOLOGY_CHECK(status == NB_OK || status == NB_REFUTED,
                       "%s, change %u: %s", testcase->name, (unsigned)seed,
                       err.message);
        TOPOLOGY_CHECK(status == NB_OK || err.message[0] != '\0', "%s",
                       testcase->name);
        refused += status == NB_REFUTED;
        if (status == NB_OK) {
            const struct nb_enclosure load = best->load, hops = best->mean_hops;
            TOPOLOGY_CHECK(load.lower <= least_load.upper &&
                               least_load.lower <= load.upper,
                           "%s, change %u: load %.17g .. %.17g", testcase->name,
                           (unsigned)seed, load.lower, load.upper);
            TOPOLOGY_CHECK(!has_hops || (hops.lower <= least_hops.upper &&
                                         least_hops.lower <= hops.upper),
                           "%s, change %u: hops %.17g .. %.17g", testcase->name,
                           (unsigned)seed, hops.lower, hops.upper);
            TOPOLOGY_CHECK(
                !has_hops || isinf(hops.upper) ||
                    load.upper <= nb_ratio_value(testcase->question.most_load),
                "%s, change %u: load %.17g is too much for %.17g hops",
                testcase->name, (unsigned)seed, load.upper, hops.upper);
            if (seed % 8 == 0 &&
                nb_ratio_compare(testcase->question.rate, nb_ratio_one) == 0)
                check_load(testcase);
        }
        nb_best_oblivious_release(best);
    }
    *best = found;
    assert_true(refused > CHANGES / 4 && refused < CHANGES);
}

static void check_case(struct oblivious_case *testcase)
{
    const struct nb_enclosure load = oblivious_case_find(testcase);
    check_changes(testcase, load, testcase->best.mean_hops);
    const struct nb_ratio most =
        nb_ratio_make((nb_int128)ceil(load.upper * 0x1.2p20), 1 << 20);
    const struct nb_enclosure hops = oblivious_case_find_hops(testcase, most);
    testcase->question.goal = NB_LEAST_MEAN_HOPS;
    check_changes(testcase, load, hops);
    testcase->question.goal = NB_LEAST_WORST_LOAD;
}

static const struct {
    const char *topology;
    enum nb_paths paths;
    struct nb_ratio rate;
} cases[] = {
    { "ring:5", NB_PATHS_ANY, { 1, 1 } },
    { "torus:3x3", NB_PATHS_ANY, { 1, 1 } },
    { "torus:3x3", NB_PATHS_ANY, { 9, 5 } },
    { "mesh:3x2,terminals=3", NB_PATHS_STRETCH, { 1, 1 } },
    { "mesh:3x3", NB_PATHS_TWO_TURN, { 1, 1 } },
    { "complete:4,bandwidth=2/3", NB_PATHS_MINIMAL, { 1, 2 } },
    { "file:data/topologies/ring-directed.csv,directed=yes",
      NB_PATHS_ANY,
      { 1, 1 } },
};

static void proves_nothing_false(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct oblivious_case testcase;
        oblivious_case_open(&testcase, cases[i].topology);
        oblivious_case_set_paths(&testcase, cases[i].paths,
                                 nb_ratio_make(3, 2));
        testcase.question.rate = cases[i].rate;
        check_case(&testcase);
        oblivious_case_close(&testcase);
    }
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct oblivious_case testcase;
        char text[8000];
        graph_random(seed, 5, 6, text, sizeof text);
        oblivious_case_open_file(&testcase, text, ".graphml", "");
        check_case(&testcase);
        oblivious_case_close(&testcase);
    }
}

/* Replaces another pair's paths by ones made from the first pair's. */
static void give_twice(struct nb_best_oblivious *best)
{
    struct nb_table_path *path = best->paths.path;
    size_t end = best->paths.path_count - 1;
    while (path[end - 1].destination == path[end].destination &&
           path[end - 1].source == path[end].source)
        end--;
    const size_t given = end;
    path[end] = path[0];
    path[end++].weight = path[0].weight;
    for (size_t p = 1; p < given && path[p].source == path[0].source &&
                       path[p].destination == path[0].destination;
         p++)
        path[end++] = path[p];
    assert_true(end <= best->paths.path_count);
    best->paths.path_count = end;
}

static void double_weight(struct nb_best_oblivious *best)
{
    best->weights[1] = best->weights[0];
}

static void drop_scale(struct nb_best_oblivious *best)
{
    best->weight_scale = 0;
}

static void raise_scale(struct nb_best_oblivious *best)
{
    best->weight_scale = ((int64_t)1 << 40) + 1;
}

static void lower_dual(struct nb_best_oblivious *best)
{
    best->duals[0].row[0] = -1;
}

static void drop_duals(struct nb_best_oblivious *best)
{
    best->duals[0].channel++;
}

static const struct {
    void (*change)(struct nb_best_oblivious *best);
    const char *text;
} refusals[] = {
    { give_twice, "twice" },        { double_weight, "two weights" },
    { drop_scale, "scale" },        { raise_scale, "scale" },
    { lower_dual, "out of range" }, { drop_duals, "duals are missing" },
};

static void names_what_fails(void **state)
{
    (void)state;
    struct oblivious_case testcase;
    struct nb_error none = { 0 };
    oblivious_case_open(&testcase, "mesh:3x2");
    const struct nb_ratio load = oblivious_case_find(&testcase).exact;
    oblivious_case_find_hops(&testcase, load);
    testcase.question.goal = NB_LEAST_MEAN_HOPS;
    const struct nb_best_oblivious found = testcase.best;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct nb_error err = none;
        oblivious_copy(&found, testcase.topology.router_count, &testcase.best);
        refusals[i].change(&testcase.best);
        assert_int_equal(
            nb_best_oblivious_check(&testcase.question, &testcase.best, &err),
            NB_REFUTED);
        TOPOLOGY_CHECK(strstr(err.message, refusals[i].text) != NULL, "%s",
                       err.message);
        nb_best_oblivious_release(&testcase.best);
    }
    testcase.best = found;
    oblivious_case_close(&testcase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proves_nothing_false),
        cmocka_unit_test(names_what_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
