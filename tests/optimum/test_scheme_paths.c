/* Bounds on the throughput of adaptive schemes: known values, order of schemes,
 * claims that are rejected. */
#include "optimum/scheme_paths.h"

#include "support/flow_case.h"
#include "support/ratio_checks.h"
#include "support/topology_checks.h"
#include "optimum/adversary.h"
#include "core/memory.h"
#include "core/random.h"
#include "load/channel_loads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Opens a case of a permutation: the destination of each router. */
static void open_permutation(struct flow_case *testcase, const char *topology,
                             const uint32_t *target)
{
    char demands[8000] = "source,destination,rate\n";
    size_t at = strlen(demands);
    struct flow_case own;
    flow_case_open(&own, topology, "uniform");
    for (uint32_t r = 0; r < own.topology.router_count; r++)
        at += (size_t)snprintf(demands + at, sizeof demands - at, "%u,%u,1\n",
                               r, target[r]);
    assert_true(at < sizeof demands);
    flow_case_close(&own);
    flow_case_open_demands(testcase, topology, demands);
}

static void solves_known_cases(void **state)
{
    (void)state;
    static const struct {
        const char *topology, *traffic, *routing;
        struct nb_ratio throughput;
        const char *source;
    } cases[] = {
        { "torus:8x8", "tornado", "min-adaptive", { 1, 3 }, "3 hops each" },
        { "torus:8x8", "tornado", "goal", { 8, 15 }, "3 hops, 5 in 8" },
        { "torus:8x8", "tornado", "cqr", { 8, 15 }, "x1 = 1/3, x2 = 1/5" },
        { "ring:8", "tornado", "gal", { 8, 15 }, "the same" },
        { "torus:8x8", "uniform", "ugal", { 1, 1 }, "capacity" },
        { "complete:8", "neighbour", "min-adaptive", { 1, 1 }, "one channel" },
        /* Of 7 channels one goes straight with 1/4, 6 in two hops with 3/4. */
        { "complete:8", "neighbour", "ugal", { 4, 1 }, "1 / (1 - 6/8)" },
        { "mesh:4x4", "transpose", "goal", { 1, 1 }, "scipy, minimal" },
        { "ccc:3", "uniform", "min-adaptive", { 2, 3 }, "scipy, any" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct flow_case testcase;
        char name[400];
        flow_case_open(&testcase, cases[k].topology, cases[k].traffic);
        flow_case_solve_scheme(&testcase, cases[k].routing);
        snprintf(name, sizeof name, "%s, %s", testcase.name, cases[k].routing);
        ratio_must_equal(testcase.flow.throughput.exact, cases[k].throughput,
                         name);
        flow_case_close(&testcase);
    }
}

/* Values of an independent program; see the file's header: one variable per
 * choice among the routers that may be drawn. */
static void agrees_with_reference(void **state)
{
    (void)state;
    char line[500], topology[40], routing[40], permutation[200];
    size_t rows = 0;
    double value;
    FILE *file = fopen("data/reference/scheme_flow.csv", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        uint32_t target[64];
        size_t count = 0;
        if (sscanf(line, "%39[^,],%39[^,],%199[0-9 ],%lf", topology, routing,
                   permutation, &value) != 4)
            continue;
        for (char *word = strtok(permutation, " "); word != NULL;
             word = strtok(NULL, " "))
            target[count++] = (uint32_t)strtoul(word, NULL, 10);
        struct flow_case testcase;
        open_permutation(&testcase, topology, target);
        flow_case_solve_scheme(&testcase, routing);
        const struct nb_enclosure found = testcase.flow.throughput;
        TOPOLOGY_CHECK(fabs(found.lower - value) <= 1e-8 * value &&
                           fabs(found.upper - value) <= 1e-8 * value,
                       "%s, %s: %.12g .. %.12g, not %.12g", topology, routing,
                       found.lower, found.upper, value);
        flow_case_close(&testcase);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 81);
}

static struct nb_enclosure bound_of(struct flow_case *testcase,
                                    const char *routing)
{
    flow_case_solve_scheme(testcase, routing);
    return testcase->flow.throughput;
}

static struct nb_enclosure loads_of(const struct flow_case *testcase,
                                    const char *routing)
{
    struct nb_routing built = { 0 };
    struct nb_channel_loads loads = { 0 };
    struct nb_error err = { 0 };
    if (nb_routing_build(routing, &testcase->topology, &built, &err) != NB_OK ||
        nb_channel_loads_find(&built, &testcase->traffic, NULL, &loads, &err) !=
            NB_OK)
        fail_msg("%s, %s: %s", testcase->name, routing, err.message);
    const struct nb_enclosure out = loads.throughput;
    nb_channel_loads_release(&loads);
    nb_routing_release(&built);
    return out;
}

static void must_not_pass(const struct flow_case *testcase, const char *less,
                          struct nb_enclosure a, const char *more,
                          struct nb_enclosure b)
{
    TOPOLOGY_CHECK(a.lower <= b.upper, "%s: %s carries %.17g, %s at most %.17g",
                   testcase->name, less, a.lower, more, b.upper);
}

/* Schemes whose paths and shares are a subset of another's carry less. */
static void stands_in_order(void **state)
{
    (void)state;
    static const char *const networks[] = {
        "torus:4x4", "torus:5x3",   "ring:7",   "complete:7",
        "ccc:3",     "hypercube:4", "mesh:4x3", "dragonfly:h=1",
    };
    for (size_t k = 0; k < sizeof networks / sizeof *networks; k++)
        for (int seed = 1; seed <= 4; seed++) {
            struct flow_case testcase;
            char traffic[60];
            snprintf(traffic, sizeof traffic, "random-permutation:seed=%d",
                     seed);
            flow_case_open(&testcase, networks[k], traffic);
            flow_case_solve(&testcase, "any");
            const struct nb_enclosure any = testcase.flow.throughput;
            flow_case_solve(&testcase, "minimal");
            const struct nb_enclosure minimal = testcase.flow.throughput;
            const struct nb_enclosure adaptive =
                bound_of(&testcase, "min-adaptive");
            const struct nb_enclosure ugal = bound_of(&testcase, "ugal");
            const struct nb_enclosure more =
                bound_of(&testcase, "ugal:candidates=3");
            ratio_must_equal(adaptive.exact, minimal.exact, testcase.name);
            must_not_pass(&testcase, "min-adaptive", adaptive, "ugal", ugal);
            must_not_pass(&testcase, "val", loads_of(&testcase, "val"), "ugal",
                          ugal);
            must_not_pass(&testcase, "one draw", ugal, "three", more);
            must_not_pass(&testcase, "three draws", more, "any paths", any);
            if (testcase.topology.groups.count > 0)
                must_not_pass(&testcase, "ugal", ugal, "par",
                              bound_of(&testcase, "par"));
            if (testcase.topology.grid.wraps) {
                const struct nb_enclosure goal = bound_of(&testcase, "goal");
                const struct nb_enclosure cqr = bound_of(&testcase, "cqr");
                must_not_pass(&testcase, "rlb", loads_of(&testcase, "rlb"),
                              "goal", goal);
                must_not_pass(&testcase, "goal", goal, "cqr", cqr);
                must_not_pass(&testcase, "cqr", cqr, "gal",
                              bound_of(&testcase, "gal"));
                must_not_pass(&testcase, "cqr", cqr, "any paths", any);
            }
            flow_case_close(&testcase);
        }
}

/* Any paths carry what an adaptive scheme carries on its examples. */
static void bounds_every_example(void **state)
{
    (void)state;
    size_t count = 0;
    for (size_t i = 0; nb_routing_kinds[i] != NULL; i++) {
        const char *examples = nb_routing_kinds[i]->examples;
        char example[TOPOLOGY_WORD];
        while (nb_routing_kinds[i]->is_adaptive &&
               topology_next_word(&examples, example)) {
            char *on = strrchr(example, '@');
            struct flow_case testcase;
            *on++ = '\0';
            flow_case_open(&testcase, on,
                           count % 2 == 0 ? "uniform"
                                          : "random-permutation:seed=9");
            const struct nb_enclosure own = bound_of(&testcase, example);
            flow_case_solve(&testcase, "any");
            must_not_pass(&testcase, example, own, "any paths",
                          testcase.flow.throughput);
            flow_case_close(&testcase);
            count++;
        }
    }
    assert_true(count > 30);
}

/* Declared symmetry of a scheme changes nothing. */
static void needs_no_symmetry(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        { "torus:4x4", "tornado", "ugal" },
        { "torus:4x4", "bit-complement", "goal" },
        { "torus:3x3", "uniform", "cqr" },
        { "dragonfly:h=1", "uniform", "ugal" },
        { "dragonfly:h=2,a=2,p=1", "adversarial", "ugal:policy=-g-" },
        { "hyperx:3x3,p=1", "uniform", "ugal:policy=-gl" },
        { "ccc:3", "uniform", "ugal" },
        { "dragonfly:h=1", "adversarial", "par" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct flow_case testcase;
        flow_case_open(&testcase, cases[k][0], cases[k][1]);
        const struct nb_enclosure with = bound_of(&testcase, cases[k][2]);
        const size_t orbits = testcase.flow.pair_orbits;
        testcase.question.ignores_symmetry = true;
        const struct nb_enclosure without = bound_of(&testcase, cases[k][2]);
        TOPOLOGY_CHECK(
            orbits < testcase.flow.pair_orbits &&
                fabs(with.upper - without.upper) <= 1e-9 * with.upper &&
                fabs(with.lower - without.lower) <= 1e-9 * with.upper,
            "%s, %s: %.17g of %zu pairs, %.17g of %zu", testcase.name,
            cases[k][2], with.upper, orbits, without.upper,
            testcase.flow.pair_orbits);
        flow_case_close(&testcase);
    }
}

static void must_refute(struct flow_case *testcase, const char *text)
{
    struct nb_error err = { 0 };
    const enum nb_status status =
        nb_best_flow_check(&testcase->question, &testcase->flow, &err);
    TOPOLOGY_CHECK(status == NB_REFUTED && strstr(err.message, text) != NULL,
                   "wanted \"%s\", got status %d, \"%s\"", text, (int)status,
                   err.message);
}

/* Claims for ugal: more through a router than is drawn, a start that the pair
 * does not have, phases divided elsewhere. */
static void refutes_claims_of_draws(void **state)
{
    (void)state;
    struct flow_case testcase;
    flow_case_open(&testcase, "ring:5", "random-permutation:seed=2");
    testcase.question.ignores_symmetry = true;
    flow_case_solve_scheme(&testcase, "ugal");
    struct nb_path_table *paths = &testcase.flow.paths;
    size_t p = 0;
    while (paths->path[p].leg == 0 ||
           paths->path[p].leg == paths->path[p].length)
        p++;
    struct nb_table_path *path = &paths->path[p];
    const struct nb_table_path kept = *path;
    path->start = 0;
    must_refute(&testcase, "one is not permitted");
    path->start = 2;
    must_refute(&testcase, "one is not permitted");
    *path = kept;
    path->leg = path->length + 1;
    must_refute(&testcase, "one is not permitted");
    *path = kept;
    /* All of the pair's packets through this router. */
    const size_t count = paths->path_count;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        if (paths->path[i].source == kept.source)
            sum += paths->path[i].weight;
    struct nb_path_table one = { 0 };
    for (size_t i = 0; i < count; i++) {
        if (paths->path[i].source == kept.source && i != p)
            continue;
        assert_int_equal(
            nb_path_table_add(&one, paths->path[i].source,
                              paths->path[i].destination,
                              i == p ? sum : paths->path[i].weight,
                              paths->channel + paths->path[i].first,
                              paths->path[i].length, NULL),
            NB_OK);
        one.path[one.path_count - 1].start = paths->path[i].start;
        one.path[one.path_count - 1].leg = paths->path[i].leg;
    }
    nb_path_table_release(paths);
    *paths = one;
    must_refute(&testcase, "the scheme cannot give these shares");
    flow_case_close(&testcase);
}

/* Claims for par: a turn at a router that does not decide, and more packets
 * turning at a router than reach it. */
static void refutes_claims_of_turns(void **state)
{
    (void)state;
    struct flow_case testcase;
    flow_case_open(&testcase, "dragonfly:h=2", "random-permutation:seed=1");
    testcase.question.ignores_symmetry = true;
    flow_case_solve_scheme(&testcase, "par");
    const struct nb_path_table *paths = &testcase.flow.paths;
    size_t p = 0, straight = 0;
    while (paths->path[p].turn == 0)
        p++;
    struct nb_table_path *path = &paths->path[p];
    const struct nb_table_path kept = *path;
    path->turn = 0;
    must_refute(&testcase, "one is not permitted");
    path->turn = path->leg;
    must_refute(&testcase, "one is not permitted");
    *path = kept;
    while (paths->path[straight].source != kept.source ||
           paths->path[straight].start != 0)
        straight++;
    struct nb_table_path *on = &paths->path[straight];
    path->weight += on->weight - 1;
    on->weight = 1;
    must_refute(&testcase, "the scheme cannot give these shares");
    flow_case_close(&testcase);
}

/* Claims for goal: another start's share, a start's path under another
 * start. */
static void refutes_claims_of_weights(void **state)
{
    (void)state;
    struct flow_case testcase;
    flow_case_open(&testcase, "ring:5", "random-permutation:seed=2");
    testcase.question.ignores_symmetry = true;
    flow_case_solve_scheme(&testcase, "goal");
    struct nb_table_path *path = testcase.flow.paths.path;
    assert_int_equal(path[0].source, path[1].source);
    path[0].weight++;
    path[1].weight--;
    must_refute(&testcase, "the scheme cannot give these shares");
    path[0].weight--;
    path[1].weight++;
    path[0].start = path[1].start;
    must_refute(&testcase, "one is not permitted");
    flow_case_close(&testcase);
}

/* c draws from m: the greatest share of t routers is 1 - (1 - t/m)^c, rounded
 * up where that does not fit. */
static void bounds_what_is_drawn(void **state)
{
    (void)state;
    static const struct {
        const char *topology, *routing;
        bool is_rounded;
        double m, c;
    } cases[] = {
        { "complete:8", "ugal", false, 8, 1 },
        { "complete:9", "ugal:candidates=2", false, 9, 2 },
        { "complete:16", "ugal:candidates=5", false, 16, 5 },
        { "complete:16", "ugal:candidates=6", true, 16, 6 },
        { "complete:50", "ugal:candidates=64", true, 50, 64 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct flow_case testcase;
        flow_case_open(&testcase, cases[k].topology, "neighbour");
        flow_case_solve_scheme(&testcase, cases[k].routing);
        const struct nb_scheme_paths *scheme = &testcase.scheme;
        const size_t m = (size_t)cases[k].m;
        double sum = 0, slack = 0;
        assert_int_equal(scheme->is_rounded, cases[k].is_rounded);
        for (size_t t = 0; t < m; t++) {
            sum += (double)scheme->gain[m][t] / (double)scheme->unit;
            slack += cases[k].is_rounded ? 2 / (double)scheme->unit : 1e-12;
            const double most =
                1 - pow(1 - ((double)t + 1) / cases[k].m, cases[k].c);
            assert_true(t == 0 || scheme->gain[m][t] <= scheme->gain[m][t - 1]);
            TOPOLOGY_CHECK(sum >= most - 1e-12 && sum <= most + slack,
                           "%s: %zu of %zu: %.12g, not %.12g", testcase.name,
                           t + 1, m, sum, most);
        }
        flow_case_close(&testcase);
    }
}

/* Under the adversary's permutation no scheme carries more than under any
 * random one. */
static void meets_its_adversary(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "torus:4x4", "ugal" },
        { "torus:4x4", "goal" },
        { "complete:6", "ugal" },
        { "ccc:3", "ugal" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct flow_case testcase;
        struct nb_adversary found = { 0 };
        struct nb_error err = { 0 };
        flow_case_open(&testcase, cases[k][0], "random-permutation:seed=5");
        const struct nb_enclosure drawn = bound_of(&testcase, cases[k][1]);
        const struct nb_adversary_question question = {
            .topology = &testcase.topology,
            .path_class = &testcase.path_class,
            .seed = 1,
            .starts = 3,
            .seconds = INFINITY,
        };
        if (nb_adversary_find(&question, NULL, &found, &err) != NB_OK)
            fail_msg("%s: %s", testcase.name, err.message);
        must_not_pass(&testcase, "the adversary's permutation",
                      found.best.throughput, "one drawn", drawn);
        nb_adversary_release(&found);
        flow_case_close(&testcase);
    }
}

static void refuses_oblivious_schemes(void **state)
{
    (void)state;
    struct nb_topology topology;
    struct nb_routing routing;
    struct nb_scheme_paths paths;
    struct nb_error err = { 0 };
    topology_must_build("torus:4x4", &topology);
    assert_int_equal(nb_routing_build("val", &topology, &routing, NULL), NB_OK);
    assert_int_equal(nb_scheme_paths_init(&routing, &paths, &err), NB_INVALID);
    assert_string_equal(
        err.message,
        "routing val is oblivious: its throughput is exact (permitted here: "
        "adaptive schemes; for this one: netbound load)");
    nb_routing_release(&routing);
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_known_cases),
        cmocka_unit_test(agrees_with_reference),
        cmocka_unit_test(stands_in_order),
        cmocka_unit_test(bounds_every_example),
        cmocka_unit_test(needs_no_symmetry),
        cmocka_unit_test(refutes_claims_of_draws),
        cmocka_unit_test(refutes_claims_of_turns),
        cmocka_unit_test(refutes_claims_of_weights),
        cmocka_unit_test(bounds_what_is_drawn),
        cmocka_unit_test(meets_its_adversary),
        cmocka_unit_test(refuses_oblivious_schemes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
