/* The typed questions about queues find the same as options by name, leak
 * nothing if memory runs out, and refuse what the option rows cannot
 * exclude. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "ask/ask.h"
#include "questions/buffer/buffer_question.h"
#include "questions/delay/delay_question.h"
#include "questions/latency/latency_question.h"
#include "questions/power/power_question.h"
#include "questions/qcn/qcn_question.h"
#include "questions/reorder/reorder_question.h"

#include <gsl/gsl_errno.h>
#include <string.h>

/* Defines a function that asks and, unless that fails, tells, for each
 * question. */
typedef enum nb_status asks(const void *request, struct nb_point *out,
                            struct nb_error *err);

#define ASKS(room)                                                             \
    static enum nb_status ask_##room(                                          \
        const void *request, struct nb_point *out, struct nb_error *err)       \
    {                                                                          \
        struct nb_##room##_answer answer;                                      \
        const enum nb_status status =                                          \
            nb_##room##_ask(request, NULL, &answer, err);                      \
        if (status == NB_OK)                                                   \
            nb_##room##_report(&answer, out);                                  \
        nb_##room##_answer_release(&answer);                                   \
        return status;                                                         \
    }
ASKS(buffer)
ASKS(reorder)
ASKS(delay)
ASKS(latency)

static enum nb_status ask_power(const void *request, struct nb_point *out,
                                struct nb_error *err)
{
    struct nb_power_answer answer;
    const enum nb_status status = nb_power_ask(request, NULL, &answer, err);
    if (status == NB_OK)
        nb_power_report(&answer, out);
    return status;
}

static enum nb_status ask_qcn(const void *request, struct nb_point *out,
                              struct nb_error *err)
{
    struct nb_qcn_answer answer;
    const enum nb_status status = nb_qcn_ask(request, NULL, &answer, err);
    if (status == NB_OK)
        nb_qcn_report(&answer, out);
    nb_qcn_answer_release(&answer);
    return status;
}

static const struct nb_buffer_question buffer = { .load = { 9, 10 },
                                                  .depth = 40,
                                                  .arrivals = "bernoulli",
                                                  .overflow = 1e-6 },
                                       inputs = { .inputs = "0.5,2*0.1",
                                                  .arrivals = "bernoulli",
                                                  .overflow = 1e-6 };
static const struct nb_reorder_question reorder = { .hops = 2,
                                                    .depth = 9,
                                                    .load = { 1, 2 },
                                                    .arrivals = "bernoulli",
                                                    .overflow = 1e-6,
                                                    .distribution = NB_HOP_WAIT,
                                                    .bound =
                                                        NB_REORDER_CHERNOFF };
static const struct nb_delay_question hops = { .hops = 3,
                                               .load = { 4, 5 },
                                               .at = { 20, 1 },
                                               .arrivals = "bernoulli",
                                               .overflow = 1e-6 },
                                      tree = { .topology = "fattree:k=2,n=2",
                                               .traffic = "tornado",
                                               .routing = NB_DELAY_RCAR,
                                               .rate = { 1, 2 },
                                               .arrivals = "poisson",
                                               .distribution = NB_HOP_WAIT,
                                               .overflow = 1e-6,
                                               .bound = NB_DELAY_CHERNOFF },
                                      one = { .load = { 4, 5 },
                                              .at = { 5, 2 },
                                              .arrivals = "md1",
                                              .distribution = NB_HOP_WAIT,
                                              .overflow = 1e-6 };
static const struct nb_latency_question scheme = { .topology = "torus:4x4",
                                                   .traffic = "tornado",
                                                   .routing = "val",
                                                   .load = { 1, 4 },
                                                   .delay_model =
                                                       NB_LATENCY_BERNOULLI },
                                        best = { .topology = "ring:8",
                                                 .traffic = "tornado",
                                                 .rate = { 2, 5 },
                                                 .delay_model =
                                                     NB_LATENCY_SINGH,
                                                 .optimal = true };
static const struct nb_power_question power = {
    .routers = 10,
    .terminals = 20,
    .ports = 5,
    .optical_port = { 3, 5 },
    .electrical_port = { 12, 25 },
    .logic = { 30, 1 },
    .forwarding_table = { 0, 1 },
    .port_rate = { 40, 1 },
    .packet_size = { 64, 1 },
    .write_energy = { 44993, 10000 },
    .read_energy = { 45048, 10000 },
};
static const struct nb_qcn_question qcn = {
    .topology = "dragonfly:h=2",
    .load = { 1, 2 },
    .policy = NB_QCN_BASE,
    .link_rate = { 40, 1 },
    .packet_size = { 1000, 1 },
    .queue_size = { 100, 1 },
    .reference = { 1, 5 },
    .loop.weight = { 0, 1 },
    .sampling_cycle = { 100, 1 },
    .notified = { 3, 10 },
    .congestion_points = 1,
    .loop.limit = { 1, 64 },
    .loop.packets = { 100, 1 },
    .loop.increase = { 1, 100 },
    .loop.below = { 0, 1 },
    .loop.above = { 30, 1 },
    .loop.transit = { 1, 4 },
};

static const struct {
    asks *ask;
    const void *request;
    const char *named; /* the command and its options */
} questions[] = {
    { ask_power, &power, "power routers=10 terminals=20 ports=5" },
    { ask_qcn, &qcn,
      "qcn topology=dragonfly:h=2 load=0.5 policy=base congestion-points=1 "
      "transit=0.25" },
    { ask_buffer, &buffer, "buffer load=0.9 depth=40 overflow=1e-6" },
    { ask_buffer, &inputs, "buffer inputs=0.5,2*0.1 overflow=1e-6" },
    { ask_reorder, &reorder,
      "reorder hops=2 depth=9 load=0.5 overflow=1e-6 law=wait bound=chernoff" },
    { ask_delay, &hops, "delay law=queue hops=3 load=0.8 at=20 overflow=1e-6" },
    { ask_delay, &tree,
      "delay topology=fattree:k=2,n=2 traffic=tornado routing=rcar rate=0.5 "
      "arrivals=poisson law=wait overflow=1e-6 bound=chernoff" },
    { ask_delay, &one,
      "delay arrivals=md1 law=wait load=0.8 at=2.5 overflow=1e-6" },
    { ask_latency, &scheme,
      "latency topology=torus:4x4 traffic=tornado routing=val load=0.25 "
      "delay-model=bernoulli" },
    { ask_latency, &best,
      "latency topology=ring:8 traffic=tornado rate=0.4 delay-model=singh "
      "optimal=yes" },
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

static void typed_is_named(void **state)
{
    (void)state;
    for (size_t q = 0; q < QUESTIONS; q++) {
        struct nb_point typed = { 0 };
        struct nb_report report = { 0 };
        struct nb_error err = { 0 };
        if (questions[q].ask(questions[q].request, &typed, &err) != NB_OK)
            fail_msg("%s: %s", questions[q].named, err.message);
        ask_named(questions[q].named, &report);
        const struct nb_point *named = &report.points[0];
        assert_true(typed.quantity_count > 0);
        assert_int_equal(named->quantity_count, typed.quantity_count);
        assert_int_equal(named->table_count, typed.table_count);
        for (size_t i = 0; i < typed.quantity_count; i++) {
            assert_string_equal(named->quantities[i].name,
                                typed.quantities[i].name);
            assert_true(named->quantities[i].value ==
                        typed.quantities[i].value);
        }
        nb_report_release(&report);
        nb_point_release(&typed);
    }
}

static void failing_memory_leaves_nothing(void **state)
{
    (void)state;
    for (size_t q = 0; q < QUESTIONS; q++) {
        enum nb_status status = NB_NO_MEMORY;
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            struct nb_point point = { 0 };
            nb_memory_allow(allowed);
            status = questions[q].ask(questions[q].request, &point, NULL);
            nb_memory_allow(-1);
            nb_point_release(&point);
            if (nb_memory_live_blocks() != 0)
                fail_msg("%s leaks", questions[q].named);
        }
        assert_int_equal(status, NB_OK);
    }
}

static void refused(asks *ask, const void *request, const char *said)
{
    struct nb_point point = { 0 };
    struct nb_error err = { 0 };
    assert_int_not_equal(ask(request, &point, &err), NB_OK);
    if (strstr(err.message, said) == NULL)
        fail_msg("\"%s\" does not contain %s", err.message, said);
    nb_point_release(&point);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void refusals(void **state)
{
    struct nb_buffer_question poisson = inputs;
    struct nb_reorder_question bursts = reorder;
    struct nb_delay_question decimal = hops, none = hops, two = one;
    struct nb_latency_question divided = best;
    struct nb_power_question few = power;
    (void)state;
    poisson.arrivals = "poisson";
    refused(ask_buffer, &poisson, "(permitted: bernoulli)");
    bursts.arrivals = "onoff";
    refused(ask_reorder, &bursts, "theorem 7 does not hold");
    decimal.at = (struct nb_ratio){ 3, 2 };
    refused(ask_delay, &decimal, "at \"1.5\" is not permitted");
    none.hops = 0;
    refused(ask_delay, &none, "delay needs --topology");
    two.hops = 2;
    refused(ask_delay, &two, "--hops 2 is not permitted");
    divided.delay_model = NB_LATENCY_BERNOULLI;
    refused(ask_latency, &divided, "is not permitted with --optimal");
    few.ports = 1;
    refused(ask_power, &few, "1 ports are not permitted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typed_is_named),
        cmocka_unit_test(failing_memory_leaves_nothing),
        cmocka_unit_test(refusals),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
