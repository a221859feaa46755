/* The typed questions about networks find the same as options by name, and leak
 * nothing if memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/cases.h"

#include "core/memory.h"
#include "ask/ask.h"
#include "questions/deadlock/deadlock_question.h"
#include "questions/limits/limits_question.h"
#include "questions/load/load_question.h"
#include "questions/optimum/optimum_question.h"
#include "questions/permutations/permutations_question.h"
#include "questions/topology/topology_question.h"
#include "questions/worst_case/worst_case_question.h"

#include <gsl/gsl_errno.h>
#include <string.h>

/* Fails unless the point is the answer by names; releases it. */
static void typed_check(struct nb_point *typed, const char *question,
                        const char *const *options)
{
    struct nb_model model = { .command = nb_new_string(question) };
    struct nb_report report = { 0 };
    struct nb_error err = { 0 };
    for (; *options != NULL; options += 2)
        assert_int_equal(nb_model_set(&model, options[0], options[1], &err),
                         NB_OK);
    if (nb_ask(&model, NULL, &report, &err) != NB_OK)
        fail_msg("%s: %s", question, err.message);
    const struct nb_point *named = report.points;
    assert_int_equal(nb_point_check(typed, &err), NB_OK);
    assert_int_equal(named->quantity_count, typed->quantity_count);
    for (size_t i = 0; i < named->quantity_count; i++) {
        assert_string_equal(named->quantities[i].name,
                            typed->quantities[i].name);
        assert_true(named->quantities[i].value == typed->quantities[i].value);
    }
    assert_int_equal(named->table_count, typed->table_count);
    for (size_t i = 0; i < named->table_count; i++)
        assert_int_equal(named->tables[i].row_count,
                         typed->tables[i].row_count);
    nb_point_release(typed);
    nb_model_release(&model);
    nb_report_release(&report);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void permutations_are_typed(void **state)
{
    static const char *const options[] = { "topology", "ring:6", "count", "50",
                                           "bins",     "10",     NULL };
    const struct nb_permutations_question request = { .topology = "ring:6",
                                                      .routing = "min",
                                                      .count = 50,
                                                      .seed = 1,
                                                      .bins = 10 };
    struct nb_permutations_answer answer;
    struct nb_point point = { 0 };
    (void)state;
    assert_int_equal(nb_permutations_ask(&request, NULL, &answer, NULL), NB_OK);
    nb_permutations_report(&answer, &point);
    nb_permutations_answer_release(&answer);
    typed_check(&point, "permutations", options);
}

static void load_is_typed(void **state)
{
    static const char *const options[] = { "topology", "torus:4x4", "load",
                                           "0.5",      "pair",      "0,5",
                                           "hops",     "2",         NULL };
    struct nb_load_question request = { .topology = "torus:4x4",
                                        .traffic = "uniform",
                                        .routing = "min",
                                        .load = { 1, 2 },
                                        .pair = "0,5",
                                        .hops = 2 };
    struct nb_load_answer answer;
    struct nb_point point = { 0 };
    struct nb_error err = { 0 };
    (void)state;
    assert_int_equal(nb_load_ask(&request, NULL, &answer, &err), NB_OK);
    nb_load_report(&answer, &point);
    nb_load_answer_release(&answer);
    typed_check(&point, "load", options);
    request.pair = "0,16";
    assert_int_equal(nb_load_ask(&request, NULL, &answer, &err), NB_INVALID);
    assert_string_equal(err.message,
                        "pair \"0,16\" is not permitted (permitted: A,B, two "
                        "routers from 0 to 15 that have terminals)");
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Asked, and proved from the answer. */
static void deadlock_is_typed(void **state)
{
    static const char *const routings[] = { "dor", "min", "min-adaptive" };
    (void)state;
    for (size_t i = 0; i < sizeof routings / sizeof *routings; i++) {
        const char *const options[] = { "topology", "torus:4x3", "routing",
                                        routings[i], NULL };
        const struct nb_deadlock_question request = { .topology = "torus:4x3",
                                                      .routing = routings[i] };
        struct nb_deadlock_answer answer;
        struct nb_point point = { 0 }, proved = { 0 };
        struct nb_text said = { 0 };
        assert_int_equal(nb_deadlock_ask(&request, NULL, &answer, NULL), NB_OK);
        nb_deadlock_report(&answer, &point);
        nb_deadlock_answer_release(&answer);
        assert_int_equal(
            nb_deadlock_recheck(&request, NULL, &point, &answer, &said, NULL),
            NB_OK);
        nb_deadlock_report(&answer, &proved);
        nb_deadlock_answer_release(&answer);
        nb_text_release(&said);
        nb_point_release(&point);
        typed_check(&proved, "deadlock", options);
    }
}

/* A rule that does not exist, and one that does not fit. */
static void deadlock_rules_are_held(void **state)
{
    static const char *const rules[] = { "every", "place" };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct nb_deadlock_question request = { .topology = "ring:4",
                                                      .routing = "dor",
                                                      .classes = rules[i] };
        struct nb_deadlock_answer answer;
        assert_int_equal(nb_deadlock_ask(&request, NULL, &answer, NULL),
                         NB_INVALID);
        assert_int_equal(nb_memory_live_blocks(), 0);
    }
}

/* Asked, and proved from the answer. */
static void worst_case_is_typed(void **state)
{
    static const struct {
        const char *routing, *unbalanced, *paths;
        enum nb_worst_case_way way;
    } cases[] = {
        { "dor", "no", NULL, NB_WORST_MATCHED },
        { "dor", "yes", NULL, NB_WORST_UNBALANCED },
        { "min-adaptive", "no", NULL, NB_WORST_NECESSARY },
        { "dor", "no", "40", NB_WORST_SAMPLED },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const options[] = { "topology",
                                        "torus:4x4",
                                        "routing",
                                        cases[i].routing,
                                        "unbalanced",
                                        cases[i].unbalanced,
                                        cases[i].paths ? "sample-paths" : NULL,
                                        cases[i].paths,
                                        NULL };
        const struct nb_worst_case_question request = {
            .topology = "torus:4x4",
            .routing = cases[i].routing,
            .unbalanced = *cases[i].unbalanced == 'y',
            .sample_paths = cases[i].paths != NULL ? 40 : 0,
            .seed = 1,
        };
        struct nb_worst_case_answer answer;
        struct nb_point point = { 0 }, proved = { 0 };
        struct nb_text said = { 0 };
        assert_int_equal(nb_worst_case_ask(&request, NULL, &answer, NULL),
                         NB_OK);
        assert_int_equal(answer.way, cases[i].way);
        nb_worst_case_report(&answer, &point);
        nb_worst_case_answer_release(&answer);
        assert_int_equal(
            nb_worst_case_recheck(&request, NULL, &point, &answer, &said, NULL),
            NB_OK);
        assert_true(said.length > 0);
        nb_worst_case_report(&answer, &proved);
        nb_worst_case_answer_release(&answer);
        nb_text_release(&said);
        nb_point_release(&point);
        typed_check(&proved, "worst-case", options);
    }
}

/* Every goal, asked and proved from the answer. */
static void optimum_is_typed(void **state)
{
    static const struct {
        const char *options[12];
        struct nb_optimum_question request;
        enum nb_optimum_goal goal;
        struct nb_ratio throughput;
    } cases[] = {
        /* 5/8 and 3/8 of the packets load both directions equally, with
         * 15/8. */
        { { "topology", "ring:8", "traffic", "tornado", "schemes", "yes" },
          { .topology = "ring:8", .traffic = "tornado", .schemes = true },
          NB_OPTIMUM_TRAFFIC,
          { 8, 15 } },
        { { "topology", "ring:6", "worst-case", "yes", "at", "3/4" },
          { .topology = "ring:6", .worst_case = true, .at = { 3, 4 } },
          NB_OPTIMUM_WORST_CASE,
          { 2, 3 } },
        { { "topology", "mesh:2x3", "worst-case", "yes", "unbalanced", "yes",
            "saturated", "exceeds" },
          { .topology = "mesh:2x3",
            .worst_case = true,
            .unbalanced = true,
            .saturated = 1 },
          NB_OPTIMUM_WORST_CASE,
          { 1, 1 } },
        { { "topology", "ring:5", "average", "yes", "count", "4", "paths",
            "minimal" },
          { .topology = "ring:5",
            .average = true,
            .count = 4,
            .seed = 1,
            .paths = 1 },
          NB_OPTIMUM_AVERAGE,
          { 4, 5 } },
        { { "topology", "mesh:4x4", "adversary", "yes", "paths", "minimal",
            "starts", "2" },
          { .topology = "mesh:4x4",
            .adversary = true,
            .paths = 1,
            .starts = 2,
            .seed = 1 },
          NB_OPTIMUM_ADVERSARY,
          { 1, 2 } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct nb_optimum_question *request = &cases[i].request;
        struct nb_optimum_answer answer;
        struct nb_point point = { 0 }, proved = { 0 };
        struct nb_text said = { 0 };
        struct nb_error err = { 0 };
        if (nb_optimum_ask(request, NULL, &answer, &err) != NB_OK)
            fail_msg("%s", err.message);
        assert_int_equal(answer.goal, cases[i].goal);
        assert_int_equal(
            nb_ratio_compare(answer.throughput.exact, cases[i].throughput), 0);
        nb_optimum_report(&answer, &point);
        nb_optimum_answer_release(&answer);
        assert_int_equal(
            nb_optimum_recheck(request, NULL, &point, &answer, &said, NULL),
            NB_OK);
        assert_true(said.length > 0);
        nb_optimum_report(&answer, &proved);
        nb_optimum_answer_release(&answer);
        nb_text_release(&said);
        nb_point_release(&point);
        typed_check(&proved, "optimum", cases[i].options);
    }
}

static void optimum_is_held_to_its_rows(void **state)
{
    static const struct {
        struct nb_optimum_question request;
        const char *said;
    } wrong[] = {
        { { .topology = NULL }, "optimum needs topology" },
        { { .topology = "ring:8" },
          "optimum needs traffic, worst-case, average or adversary" },
        { { .topology = "ring:8", .traffic = "uniform", .worst_case = true },
          "traffic and worst-case are both given" },
        { { .topology = "ring:8", .average = true, .adversary = true },
          "average and adversary are both given" },
        { { .topology = "ring:8", .average = true }, "optimum needs count" },
        { { .topology = "ring:8", .average = true, .count = -1 },
          "count \"-1\" is not permitted" },
        { { .topology = "ring:8", .traffic = "uniform", .locality = true },
          "locality is not permitted without worst-case" },
        { { .topology = "ring:8", .adversary = true, .starts = INT64_MAX },
          "starts \"9223372036854775807\" is not permitted" },
        { { .topology = "ring:8", .worst_case = true, .at = { -1, 2 } },
          "at \"-1/2\" is not permitted" },
        { { .topology = "ring:8", .worst_case = true, .paths = 4 },
          "paths 4 is not permitted" },
        { { .topology = "ring:8",
            .worst_case = true,
            .paths = 2,
            .stretch = { 3, 2 } },
          "stretch 3/2 is not permitted with --paths two-turn" },
    };
    const struct nb_point nothing = { 0 };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct nb_optimum_answer answer;
        struct nb_text said = { 0 };
        struct nb_error err = { 0 };
        assert_int_not_equal(
            nb_optimum_ask(&wrong[i].request, NULL, &answer, &err), NB_OK);
        if (strstr(err.message, wrong[i].said) == NULL)
            fail_msg("\"%s\" does not contain %s", err.message, wrong[i].said);
        assert_int_not_equal(nb_optimum_recheck(&wrong[i].request, NULL,
                                                &nothing, &answer, &said, NULL),
                             NB_OK);
        nb_optimum_answer_release(&answer);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void topology_is_typed(void **state)
{
    static const char *const options[][3] = {
        { "topology", "dragonfly:h=2", NULL },
        { "fit", "radix=8,terminals=50", NULL },
    };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct nb_topology_question request = {
            .topology = i == 0 ? options[i][1] : NULL,
            .fit = i == 1 ? options[i][1] : NULL,
        };
        struct nb_topology_answer answer;
        struct nb_point point = { 0 };
        assert_int_equal(nb_topology_ask(&request, NULL, &answer, NULL), NB_OK);
        nb_topology_report(&answer, &point);
        nb_topology_answer_release(&answer);
        typed_check(&point, "topology", options[i]);
    }
}

static void limits_are_typed(void **state)
{
    static const char *const options[] = { "topology", "dragonfly:h=2",
                                           "worst-case", "yes", NULL };
    const struct nb_limits_question request = { .topology = "dragonfly:h=2",
                                                .worst_case = true,
                                                .router_delay = { 90, 1 },
                                                .local_delay = { 15, 1 },
                                                .global_delay = { 150, 1 },
                                                .packet = 10,
                                                .flit_time = { 1, 1 } };
    struct nb_limits_answer answer;
    struct nb_point point = { 0 };
    (void)state;
    assert_int_equal(nb_limits_ask(&request, NULL, &answer, NULL), NB_OK);
    nb_limits_report(&answer, &point);
    nb_limits_answer_release(&answer);
    typed_check(&point, "limits", options);
}

static enum nb_status ask_limits(const struct nb_run *run, struct nb_point *out)
{
    const struct nb_limits_question request = { .topology = "ring:4",
                                                .routing = "dor",
                                                .traffic = "uniform",
                                                .router_delay = { 90, 1 },
                                                .local_delay = { 15, 1 },
                                                .global_delay = { 150, 1 },
                                                .packet = 10,
                                                .flit_time = { 1, 1 } };
    struct nb_limits_answer answer;
    const enum nb_status status = nb_limits_ask(&request, run, &answer, NULL);
    if (status == NB_OK)
        nb_limits_report(&answer, out);
    nb_limits_answer_release(&answer);
    return status;
}

static enum nb_status ask_worst_case(const struct nb_run *run,
                                     struct nb_point *out)
{
    const struct nb_worst_case_question request = { .topology = "ring:4",
                                                    .routing = "dor" };
    struct nb_worst_case_answer answer;
    const enum nb_status status =
        nb_worst_case_ask(&request, run, &answer, NULL);
    if (status == NB_OK)
        nb_worst_case_report(&answer, out);
    nb_worst_case_answer_release(&answer);
    return status;
}

static enum nb_status ask_load(const struct nb_run *run, struct nb_point *out)
{
    const struct nb_load_question request = { .topology = "ring:4",
                                              .traffic = "uniform",
                                              .routing = "dor",
                                              .pair = "0,2" };
    struct nb_load_answer answer;
    const enum nb_status status = nb_load_ask(&request, run, &answer, NULL);
    if (status == NB_OK)
        nb_load_report(&answer, out);
    nb_load_answer_release(&answer);
    return status;
}

static enum nb_status ask_optimum(const struct nb_optimum_question *request,
                                  const struct nb_run *run,
                                  struct nb_point *out)
{
    struct nb_optimum_answer answer;
    const enum nb_status status = nb_optimum_ask(request, run, &answer, NULL);
    if (status == NB_OK)
        nb_optimum_report(&answer, out);
    nb_optimum_answer_release(&answer);
    return status;
}

static enum nb_status ask_flow(const struct nb_run *run, struct nb_point *out)
{
    const struct nb_optimum_question request = { .topology = "ring:4",
                                                 .traffic = "tornado",
                                                 .schemes = true };
    return ask_optimum(&request, run, out);
}

static enum nb_status ask_adversary(const struct nb_run *run,
                                    struct nb_point *out)
{
    const struct nb_optimum_question request = {
        .topology = "ring:4", .adversary = true, .paths = 1, .starts = 1
    };
    return ask_optimum(&request, run, out);
}

static enum nb_status ask_deadlock(const struct nb_run *run,
                                   struct nb_point *out)
{
    const struct nb_deadlock_question request = { .topology = "mesh:3x3",
                                                  .routing = "min" };
    struct nb_deadlock_answer answer;
    const enum nb_status status = nb_deadlock_ask(&request, run, &answer, NULL);
    if (status == NB_OK)
        nb_deadlock_report(&answer, out);
    nb_deadlock_answer_release(&answer);
    return status;
}

/* Nothing leaks if memory runs out. */
static void memory_ends(void **state)
{
    enum nb_status (*const asks[])(const struct nb_run *, struct nb_point *) = {
        ask_limits, ask_worst_case, ask_load,
        ask_flow,   ask_adversary,  ask_deadlock,
    };
    const struct nb_run run = { .threads = 1 };
    (void)state;
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        enum nb_status status = NB_NO_MEMORY;
        for (long allowed = 0; status == NB_NO_MEMORY;
             allowed = nb_cases_allowed(allowed, 4)) {
            struct nb_point point = { 0 };
            nb_memory_allow(allowed);
            status = asks[i](&run, &point);
            if (status == NB_OK)
                status = nb_point_check(&point, NULL);
            nb_memory_allow(-1);
            nb_point_release(&point);
            assert_int_equal(nb_memory_live_blocks(), 0);
        }
        assert_int_equal(status, NB_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permutations_are_typed),
        cmocka_unit_test(load_is_typed),
        cmocka_unit_test(deadlock_is_typed),
        cmocka_unit_test(deadlock_rules_are_held),
        cmocka_unit_test(worst_case_is_typed),
        cmocka_unit_test(optimum_is_typed),
        cmocka_unit_test(optimum_is_held_to_its_rows),
        cmocka_unit_test(topology_is_typed),
        cmocka_unit_test(limits_are_typed),
        cmocka_unit_test(memory_ends),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
