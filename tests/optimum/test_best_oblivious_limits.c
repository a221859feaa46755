/* Best oblivious routing at its limits: no time, no memory, numbers large
 * enough for sums to overflow, loads that cannot be kept. */
#include "support/oblivious_case.h"
#include "support/oblivious_changes.h"
#include "support/plain_oblivious.h"
#include "support/topology_checks.h"
#include "support/traffic_case.h"
#include "core/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void must_contain(const struct oblivious_case *testcase,
                         struct nb_enclosure wide, struct nb_enclosure value)
{
    TOPOLOGY_CHECK(wide.lower <= value.upper && value.lower <= wide.upper,
                   "%s, paths %d: %.17g .. %.17g without %.17g", testcase->name,
                   testcase->path_class.paths, wide.lower, wide.upper,
                   value.upper);
}

static const double no_time = 1e-9;

/* Without time there still is a bracket, with finite ends for loads. */
static void answers_without_time(void **state)
{
    (void)state;
    for (int paths = NB_PATHS_ANY; paths <= NB_PATHS_TWO_TURN; paths++) {
        struct oblivious_case testcase;
        oblivious_case_open(&testcase, "torus:4x3");
        oblivious_case_set_paths(&testcase, (enum nb_paths)paths,
                                 nb_ratio_make(3, 2));
        const struct nb_enclosure load = oblivious_case_find(&testcase);
        const struct nb_ratio most =
            nb_ratio_multiply(load.exact, nb_ratio_make(9, 8));
        const struct nb_enclosure hops =
            oblivious_case_find_hops(&testcase, most);
        testcase.question.seconds = no_time;
        const struct nb_enclosure quick = oblivious_case_find(&testcase);
        must_contain(&testcase, quick, load);
        assert_true(quick.lower >= load.lower / 2 &&
                    quick.upper <= load.upper * 2);
        must_contain(&testcase, oblivious_case_find_hops(&testcase, most),
                     hops);
        oblivious_case_close(&testcase);
    }
}

/* The ends that need no program are equal on a mesh of even k: twice the load
 * of uniform traffic, k/4, crosses its middle, and routing through a random
 * router loads no channel more. */
static void answers_where_the_program_is_too_large(void **state)
{
    (void)state;
    struct oblivious_case testcase;
    oblivious_case_open(&testcase, "mesh:12x12");
    oblivious_must_equal(&testcase, oblivious_case_find(&testcase),
                         nb_ratio_make(6, 1));
    assert_true(testcase.best.is_too_large && !testcase.best.was_stopped);
    oblivious_case_close(&testcase);
}

/* The stop is reported; earlier results are kept. */
static void falls_back_on_what_is_known(void **state)
{
    (void)state;
    struct oblivious_case testcase;
    struct nb_best_oblivious known;
    oblivious_case_open(&testcase, "torus:4x3");
    const struct nb_enclosure load = oblivious_case_find(&testcase);
    oblivious_copy(&testcase.best, testcase.topology.router_count, &known);
    testcase.question.seconds = no_time;
    testcase.question.goal = NB_LEAST_MEAN_HOPS;
    testcase.question.most_load = load.exact;
    nb_best_oblivious_release(&testcase.best);
    assert_int_equal(
        nb_best_oblivious_find(&testcase.question, NULL, &testcase.best, NULL),
        NB_OK);
    assert_true(testcase.best.was_stopped);
    assert_true(isinf(testcase.best.mean_hops.upper));
    testcase.question.known = &known.paths;
    assert_true(oblivious_case_find_hops(&testcase, load.exact).upper <=
                known.mean_hops.upper);
    oblivious_must_equal(&testcase, oblivious_case_find(&testcase), load.exact);
    nb_best_oblivious_release(&known);
    oblivious_case_close(&testcase);
}

static void survives_failing_memory(void **state)
{
    (void)state;
    const struct nb_run run = { .threads = 1 };
    struct oblivious_case testcase;
    oblivious_case_open(&testcase, "ring:3"); /* 2/3 */
    testcase.question.most_load = nb_ratio_make(3, 4);
    for (int goal = 0; goal < 2; goal++) {
        testcase.question.goal = (enum nb_oblivious_goal)goal;
        const long before = nb_memory_live_blocks();
        enum nb_status status = NB_NO_MEMORY;
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            struct nb_best_oblivious best;
            nb_memory_allow(allowed);
            status =
                nb_best_oblivious_find(&testcase.question, &run, &best, NULL);
            nb_memory_allow(-1);
            nb_best_oblivious_release(&best);
            assert_int_equal(nb_memory_live_blocks(), before);
        }
        assert_int_equal(status, NB_OK);
        oblivious_case_find(&testcase);
        const long held = nb_memory_live_blocks();
        status = NB_NO_MEMORY;
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            nb_memory_allow(allowed);
            status = nb_best_oblivious_check(&testcase.question, &testcase.best,
                                             NULL);
            nb_memory_allow(-1);
            assert_int_equal(nb_memory_live_blocks(), held);
        }
        assert_int_equal(status, NB_OK);
        nb_best_oblivious_release(&testcase.best);
    }
    oblivious_case_close(&testcase);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Multiplies all weights of paths and all duals. */
static void multiply(struct oblivious_case *testcase, int64_t factor)
{
    struct nb_best_oblivious *best = &testcase->best;
    for (size_t p = 0; p < best->paths.path_count; p++)
        best->paths.path[p].weight *= (uint64_t)factor;
    for (size_t d = 0; d < best->dual_count; d++)
        for (size_t r = 0; r < testcase->topology.router_count; r++) {
            best->duals[d].row[r] *= factor;
            best->duals[d].column[r] *= factor;
        }
}

/* The proof does not depend on the unit of weights, up to 2^40; greater
 * weights, or a greater sum of them, are rejected. */
static void refuses_sums_that_overflow(void **state)
{
    (void)state;
    struct oblivious_case testcase;
    struct nb_error err = { 0 };
    oblivious_case_open(&testcase, "torus:3x3");
    const struct nb_enclosure load = oblivious_case_find(&testcase);
    uint64_t sum = 0;
    for (size_t p = 0; p < testcase.best.paths.path_count; p++)
        if (testcase.best.paths.path[p].source ==
                testcase.best.paths.path[0].source &&
            testcase.best.paths.path[p].destination ==
                testcase.best.paths.path[0].destination)
            sum += testcase.best.paths.path[p].weight;
    const int64_t factor = (int64_t)(((uint64_t)1 << 40) / sum);
    multiply(&testcase, factor);
    assert_int_equal(
        nb_best_oblivious_check(&testcase.question, &testcase.best, &err),
        NB_OK);
    oblivious_must_equal(&testcase, testcase.best.load, load.exact);
    multiply(&testcase, 2);
    assert_int_equal(
        nb_best_oblivious_check(&testcase.question, &testcase.best, &err),
        NB_REFUTED);
    assert_non_null(strstr(err.message, "2^40"));
    oblivious_case_close(&testcase);
}

/* The greatest duals times the greatest rate prove a large load, not a small
 * one. */
static void great_duals_prove_little(void **state)
{
    (void)state;
    struct oblivious_case testcase;
    oblivious_case_open(&testcase, "torus:3x3,terminals=3");
    oblivious_case_find(&testcase);
    testcase.question.rate = nb_ratio_make(INT64_MAX, 1);
    testcase.question.is_unbalanced = true;
    oblivious_case_find(&testcase);
    const double load = testcase.best.load.upper;
    for (int64_t row = (int64_t)1 << 56; row <= (int64_t)1 << 61; row *= 2) {
        for (size_t d = 0; d < testcase.best.dual_count; d++)
            for (size_t r = 0; r < testcase.topology.router_count; r++)
                testcase.best.duals[d].row[r] = row;
        assert_int_equal(
            nb_best_oblivious_check(&testcase.question, &testcase.best, NULL),
            NB_OK);
        assert_true(testcase.best.load.upper > load);
    }
    oblivious_case_close(&testcase);
}

/* More terminals change loads in proportion, but not hops. */
static void counts_many_terminals(void **state)
{
    (void)state;
    static const char *const names[] = { "torus:4x3,terminals=7",
                                         "torus:4x3,terminals=3000" };
    struct oblivious_case one;
    oblivious_case_open(&one, "torus:4x3");
    const struct nb_ratio load = oblivious_case_find(&one).exact;
    const struct nb_ratio more = nb_ratio_make(9, 8);
    const struct nb_ratio hops =
        oblivious_case_find_hops(&one, nb_ratio_multiply(load, more)).exact;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct oblivious_case many;
        oblivious_case_open(&many, names[i]);
        const struct nb_ratio terminals = { many.topology.terminals[0], 1 };
        const struct nb_ratio all = nb_ratio_multiply(load, terminals);
        oblivious_must_equal(&many, oblivious_case_find(&many), all);
        oblivious_must_equal(
            &many,
            oblivious_case_find_hops(&many, nb_ratio_multiply(all, more)),
            hops);
        oblivious_case_close(&many);
    }
    oblivious_case_close(&one);
}

/* Two routers with many terminals, joined by a wide link, among routers with
 * one: a hop between them weighs far more than all weights of the adversary.
 * Bandwidths are so irregular that only plain rounding works. */
static void weighs_unequal_routers(void **state)
{
    (void)state;
    static const uint32_t terminals[] = { 1, 61, 61, 1, 1 };
    static const char edges[] =
        "1,0,100131/1061\n2,1,100107/1007\n3,2,1184/1011\n4,1,1111/1041\n"
        "3,2,1046/1023\n3,4,1064/1031\n4,0,1165/1009\n";
    struct oblivious_case testcase;
    oblivious_case_open_file(&testcase, edges, ".csv", "");
    traffic_case_set_terminals(&testcase.topology, terminals);
    struct plain_oblivious plain = { .topology = &testcase.topology,
                                     .paths = NB_PATHS_ANY,
                                     .rate = 1 };
    const struct nb_enclosure load = oblivious_case_find(&testcase);
    oblivious_must_enclose(&testcase, load, plain_oblivious_load(&plain));
    for (int64_t percent = 101; percent < 140; percent += 8) {
        const struct nb_ratio most = nb_ratio_make(
            (nb_int128)(load.upper * (double)(percent << 20)), 100 << 20);
        oblivious_must_enclose(
            &testcase, oblivious_case_find_hops(&testcase, most),
            plain_oblivious_hops(&plain, nb_ratio_value(most)));
    }
    oblivious_case_close(&testcase);
}

static void refuses_loads_that_cannot_be(void **state)
{
    (void)state;
    static const struct nb_ratio loads[] = { { 0, 1 }, { 1, 2 }, { 119, 100 } };
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        struct oblivious_case testcase;
        struct nb_error err = { 0 };
        char text[40];
        oblivious_case_open(&testcase, "ring:5"); /* 6/5 */
        testcase.question.goal = NB_LEAST_MEAN_HOPS;
        testcase.question.most_load = loads[i];
        assert_int_equal(nb_best_oblivious_find(&testcase.question, NULL,
                                                &testcase.best, &err),
                         NB_INVALID);
        snprintf(text, sizeof text, "below %.9g", nb_ratio_value(loads[i]));
        assert_non_null(strstr(err.message, text));
        oblivious_case_close(&testcase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_without_time),
        cmocka_unit_test(answers_where_the_program_is_too_large),
        cmocka_unit_test(falls_back_on_what_is_known),
        cmocka_unit_test(survives_failing_memory),
        cmocka_unit_test(refuses_sums_that_overflow),
        cmocka_unit_test(great_duals_prove_little),
        cmocka_unit_test(counts_many_terminals),
        cmocka_unit_test(weighs_unequal_routers),
        cmocka_unit_test(refuses_loads_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
