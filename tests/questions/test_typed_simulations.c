/* The typed questions about simulations find the same as options by name, leak
 * nothing if memory runs out, and refuse fields without a meaning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/cases.h"

#include "core/memory.h"
#include "ask/ask.h"
#include "questions/simulate/simulate_question.h"
#include "questions/validate/validate_question.h"

#include <gsl/gsl_errno.h>
#include <string.h>

static enum nb_status ask_simulate(const void *request, struct nb_point *out,
                                   struct nb_error *err)
{
    struct nb_simulate_answer answer;
    const enum nb_status status = nb_simulate_ask(request, NULL, &answer, err);
    if (status == NB_OK)
        nb_simulate_report(&answer, out);
    nb_simulate_answer_release(&answer);
    return status;
}

static enum nb_status ask_validate(const void *request, struct nb_point *out,
                                   struct nb_error *err)
{
    struct nb_validate_answer answer;
    const enum nb_status status = nb_validate_ask(request, NULL, &answer, err);
    if (status == NB_OK)
        nb_validate_report(&answer, out);
    nb_validate_answer_release(&answer);
    return status;
}

/* Fields without a default. */
#define BRIEFLY .seed = 1, .replications = 2, .warm_up = NB_NO_WHOLE

static const struct nb_simulate_question plain = { .topology = "ring:8",
                                                   .routing = "dor",
                                                   .traffic = "tornado",
                                                   .load = { 1, 10 },
                                                   .cycles = 320,
                                                   .pair = "0,3",
                                                   .depths = true,
                                                   .reorder = true,
                                                   BRIEFLY },
                                         credit = { .topology = "torus:4x4",
                                                    .routing = "dor",
                                                    .rate = { 1, 10 },
                                                    .arrivals = "poisson",
                                                    .flits = 3,
                                                    .router = NB_ROUTER_CREDIT,
                                                    .switching = NB_WORMHOLE,
                                                    .vcs = 4,
                                                    .pipeline = 2,
                                                    .cycles = 320,
                                                    .drain =
                                                        NB_SIMULATE_NO_DRAIN,
                                                    BRIEFLY },
                                         benito = { .topology = "dragonfly:h=2",
                                                    .routing = "min",
                                                    .load = { 1, 10 },
                                                    .router =
                                                        NB_SIMULATE_BENITO,
                                                    .speedup = 1,
                                                    .pipeline = NB_NO_WHOLE,
                                                    .cycles = 640,
                                                    BRIEFLY },
                                         search = { .topology = "ring:6",
                                                    .routing = "min",
                                                    .find = "saturation",
                                                    .precision = { 1, 5 },
                                                    .cycles = 320,
                                                    BRIEFLY },
                                         series = { .topology = "ring:6",
                                                    .routing = "min",
                                                    .window = 64,
                                                    .cycles = 320,
                                                    .seed = 1,
                                                    .replications = 2 },
                                         batch = { .topology = "ring:8",
                                                   .routing = "dor",
                                                   .batch = 5,
                                                   .seed = 1,
                                                   .replications = 2 };

static const struct nb_validate_question checks = {
    .simulated = { .topology = "ring:4",
                   .routing = "dor",
                   .cycles = 320,
                   BRIEFLY },
    .claim = "mean_latency=99",
},
                                         tree = {
    .simulated = { .topology = "fattree:k=2,n=2",
                   .routing = "rrr",
                   .load = { 1, 2 },
                   .cycles = 64,
                   BRIEFLY },
    .check = "queues+delay+reorder",
    .tolerance = { 1, 10 },
},
                                         ways = {
    .simulated = { .topology = "ring:4",
                   .routing = "cqr",
                   .traffic = "tornado",
                   .cycles = 64,
                   BRIEFLY },
    .check = "split",
},
                                         burst = {
    .simulated = { .topology = "ring:4",
                   .routing = "min",
                   .batch = 3,
                   .seed = 1,
                   .replications = 2 },
};

static const struct {
    enum nb_status (*ask)(const void *request, struct nb_point *out,
                          struct nb_error *err);
    const void *request;
    const char *named; /* the command and its options */
} questions[] = {
    { ask_simulate, &plain,
      "simulate topology=ring:8 routing=dor traffic=tornado load=0.1 "
      "cycles=320 pair=0,3 depths=yes reorder=yes replications=2" },
    { ask_simulate, &credit,
      "simulate topology=torus:4x4 routing=dor rate=0.1 arrivals=poisson "
      "flits=3 router=credit switching=wormhole vcs=4 pipeline=2 cycles=320 "
      "drain=no replications=2" },
    { ask_simulate, &benito,
      "simulate topology=dragonfly:h=2 load=0.1 router=benito speedup=1 "
      "cycles=640 replications=2" },
    { ask_simulate, &search,
      "simulate topology=ring:6 find=saturation precision=0.2 cycles=320 "
      "replications=2" },
    { ask_simulate, &series,
      "simulate topology=ring:6 window=64 cycles=320 replications=2" },
    { ask_simulate, &batch,
      "simulate topology=ring:8 routing=dor batch=5 replications=2" },
    { ask_validate, &checks,
      "validate topology=ring:4 routing=dor cycles=320 replications=2 "
      "claim=mean_latency=99" },
    { ask_validate, &tree,
      "validate topology=fattree:k=2,n=2 routing=rrr load=0.5 cycles=64 "
      "replications=2 check=queues+delay+reorder tolerance=0.1" },
    { ask_validate, &ways,
      "validate topology=ring:4 routing=cqr traffic=tornado cycles=64 "
      "replications=2 check=split" },
    { ask_validate, &burst, "validate topology=ring:4 batch=3 replications=2" },
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

static void ask_named(const char *named, struct nb_report *report)
{
    char words[300];
    struct nb_error err = { 0 };
    snprintf(words, sizeof words, "%s", named);
    struct nb_model model = { .command = nb_new_string(strtok(words, " ")) };
    for (char *word; (word = strtok(NULL, " ")) != NULL;) {
        char *value = strchr(word, '=');
        *value = '\0';
        assert_int_equal(nb_model_set(&model, word, value + 1, &err), NB_OK);
    }
    if (nb_ask(&model, NULL, report, &err) != NB_OK)
        fail_msg("%s: %s", named, err.message);
    nb_model_release(&model);
}

/* NAN in both if nothing was observed. */
static bool is_same(double a, double b)
{
    return a == b || (a != a && b != b);
}

static void typed_is_named(void **state)
{
    (void)state;
    for (size_t q = 0; q < QUESTIONS; q++) {
        if (!nb_cases_have(q, 2))
            continue;
        struct nb_point typed = { 0 };
        struct nb_report report = { 0 };
        struct nb_error err = { 0 };
        if (questions[q].ask(questions[q].request, &typed, &err) != NB_OK)
            fail_msg("%s: %s", questions[q].named, err.message);
        ask_named(questions[q].named, &report);
        const struct nb_point *named = &report.points[0];
        assert_true(typed.quantity_count > 0);
        assert_int_equal(named->quantity_count, typed.quantity_count);
        for (size_t i = 0; i < typed.quantity_count; i++) {
            const struct nb_quantity *by_type = &typed.quantities[i];
            const struct nb_quantity *by_name = &named->quantities[i];
            assert_string_equal(by_name->name, by_type->name);
            assert_true(is_same(by_name->value, by_type->value));
            assert_true(is_same(by_name->lower, by_type->lower));
            assert_true(is_same(by_name->upper, by_type->upper));
        }
        assert_int_equal(named->table_count, typed.table_count);
        for (size_t i = 0; i < typed.table_count; i++)
            assert_int_equal(named->tables[i].row_count,
                             typed.tables[i].row_count);
        nb_report_release(&report);
        nb_point_release(&typed);
        assert_int_equal(nb_memory_live_blocks(), 0);
    }
}

/* Channel utilisations are also available without a report. */
static void items_are_told(void **state)
{
    const struct nb_validate_question request = {
        .simulated = { .topology = "ring:8",
                       .routing = "dor",
                       .traffic = "tornado",
                       .cycles = 2048,
                       BRIEFLY },
        .check = "loads",
    };
    struct nb_validate_answer answer;
    (void)state;
    assert_int_equal(nb_validate_ask(&request, NULL, &answer, NULL), NB_OK);
    assert_int_equal(answer.channels.count, 16);
    assert_int_equal(answer.items.count, 2);
    /* At half of the limit, which is a third, the channel carries a half. */
    assert_true(answer.items.item[0].predicted.value == 0.5);
    assert_true(answer.simulation.result.accepted.mean > 0.1);
    assert_int_equal(answer.counts[NB_VALIDATED_VIOLATED], 0);
    nb_validate_answer_release(&answer);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The validations are those of test_validate.c. */
static void failing_memory_leaves_nothing(void **state)
{
    (void)state;
    for (size_t q = 0; q < QUESTIONS; q++) {
        enum nb_status status = NB_NO_MEMORY;
        if (questions[q].ask == ask_validate)
            continue;
        for (long allowed = 0; status == NB_NO_MEMORY;
             allowed = nb_cases_allowed(allowed + allowed / 50, 4)) {
            struct nb_point point = { 0 };
            nb_memory_allow(allowed);
            status = questions[q].ask(questions[q].request, &point, NULL);
            if (status == NB_OK)
                status = nb_point_check(&point, NULL);
            nb_memory_allow(-1);
            nb_point_release(&point);
            if (nb_memory_live_blocks() != 0)
                fail_msg("%s leaks", questions[q].named);
        }
        assert_int_equal(status, NB_OK);
    }
}

/* Fields filled in by mistake are refused with a message. */
static void absurd_fields_are_refused(void **state)
{
    struct nb_simulate_question wrong[24];
    const size_t count = sizeof wrong / sizeof *wrong;
    (void)state;
    for (size_t i = 0; i < count; i++)
        wrong[i] = credit;
    wrong[0] = (struct nb_simulate_question){ 0 };
    wrong[1].topology = NULL;
    wrong[2].routing = NULL;
    wrong[3].topology = "";
    wrong[4].rate = (struct nb_ratio){ -1, 2 };
    wrong[5].rate = (struct nb_ratio){ 1, 0 };
    wrong[6].load = (struct nb_ratio){ 1, 2 };
    wrong[7].arrivals = "weibull";
    wrong[8].trace = "nowhere.csv";
    wrong[9].batch = 3;
    wrong[10].batch = -3;
    wrong[11].flits = INT64_MAX;
    wrong[12].router = NB_SIMULATE_BENITO + 1;
    wrong[13].router = NB_ROUTER_IDEAL;
    wrong[14].arbitration = -7;
    wrong[15].buffer = -1;
    wrong[16].seed = -1;
    wrong[17].replications = 0;
    wrong[18].warm_up = -2;
    wrong[19].cycles = 31;
    wrong[20].precision = (struct nb_ratio){ 2, 1 };
    wrong[21].find = "happiness";
    wrong[22].pair = "0,16";
    wrong[23].window = 321;
    for (size_t i = 0; i < count; i++) {
        const struct nb_validate_question beside = { .simulated = wrong[i],
                                                     .claim = "mean_hops=9" };
        struct nb_point point = { 0 };
        struct nb_error err = { 0 };
        if (ask_simulate(&wrong[i], &point, &err) == NB_OK ||
            *err.message == '\0')
            fail_msg("case %zu is not refused", i);
        /* the field is unused in the last three */
        err = (struct nb_error){ 0 };
        if ((ask_validate(&beside, &point, &err) == NB_OK) != (i > 20))
            fail_msg("case %zu: %s", i, err.message);
        nb_point_release(&point);
        assert_int_equal(nb_memory_live_blocks(), 0);
    }
}

static void absurd_checks_are_refused(void **state)
{
    struct nb_validate_question wrong[] = {
        checks, checks, checks, checks, { .check = "loads" }
    };
    (void)state;
    wrong[0].check = "loads+";
    wrong[1].tolerance = (struct nb_ratio){ 0, 1 };
    wrong[2].claim = "speed=1";
    wrong[3].claim = "";
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct nb_point point = { 0 };
        struct nb_error err = { 0 };
        if (ask_validate(&wrong[i], &point, &err) == NB_OK ||
            *err.message == '\0')
            fail_msg("case %zu is not refused", i);
        assert_int_equal(nb_memory_live_blocks(), 0);
    }
}

/* Every step has traffic of its own, whether it names it or not. */
static void steps_are_released(void **state)
{
    (void)state;
    static const struct nb_simulate_question request = {
        .topology = "ring:6",
        .routing = "dor",
        .load = { 1, 10 },
        .step =
            "64:traffic=tornado;128:traffic=neighbour,load=0.2;192:rate=0.1",
        .window = 32,
        .cycles = 256,
        BRIEFLY
    };
    const long before = (long)nb_memory_live_blocks();
    struct nb_simulate_answer answer;
    struct nb_error err = { 0 };
    if (nb_simulate_ask(&request, NULL, &answer, &err) != NB_OK)
        fail_msg("%s", err.message);
    assert_int_equal(answer.plan.step_count, 3);
    nb_simulate_answer_release(&answer);
    assert_int_equal(nb_memory_live_blocks(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typed_is_named),
        cmocka_unit_test(steps_are_released),
        cmocka_unit_test(items_are_told),
        cmocka_unit_test(failing_memory_leaves_nothing),
        cmocka_unit_test(absurd_fields_are_refused),
        cmocka_unit_test(absurd_checks_are_refused),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
