/* Typed questions with fields that no option could have, and other calls with
 * absurd arguments, are refused or answered, nothing worse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/cases.h"

#include "core/memory.h"
#include "questions/delay/delay_question.h"
#include "questions/fit/fit_question.h"
#include "questions/load/load_question.h"
#include "questions/optimum/optimum_question.h"
#include "questions/permutations/permutations_question.h"
#include "questions/split/split_question.h"
#include "questions/topology/topology_question.h"
#include "questions/worst_case/worst_case_question.h"
#include "report/format.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A question of each kind, whose fields are spoiled one by one. */
static const char *const questions[] = {
    "buffer load=1/2 depth=9 overflow=1e-3",
    "buffer inputs=0.5,2*0.1 overflow=1e-3",
    "delay hops=2 load=1/2 at=5 overflow=1e-3",
    "delay loads=0.5,0.25 overflow=1e-3",
    "delay topology=fattree:k=2,n=2 routing=rcar rate=1/2 overflow=1e-3",
    "delay arrivals=md1 law=wait load=1/2 at=5/2 overflow=1e-3",
    "latency topology=ring:4 load=1/4",
    "latency topology=ring:4 traffic=tornado rate=1/4 optimal=yes",
    "limits topology=dragonfly:h=1",
    "load topology=ring:4 traffic=tornado load=1/2 pair=0,2 hops=2",
    "load topology=ring:4 sample-paths=30",
    "optimum topology=ring:4 traffic=tornado schemes=yes",
    "optimum topology=ring:4 worst-case=yes unbalanced=yes at=1/2",
    "optimum topology=ring:4 average=yes count=2",
    "optimum topology=ring:4 adversary=yes starts=1 paths=minimal",
    "permutations topology=ring:4 count=9 bins=3",
    "power topology=ring:4",
    "power routers=10 terminals=20 ports=5",
    "qcn topology=dragonfly:h=1",
    "reorder hops=2 depth=9 load=1/2 overflow=1e-3",
    "reorder topology=fattree:k=2,n=2 load=1/2 overflow=1e-3",
    "simulate topology=ring:4 load=1/2 cycles=64 warm-up=0 replications=1",
    "simulate topology=ring:4 batch=2 replications=1",
    "split topology=ring:8 load=1/2",
    "split paths=3,5 shared=2,2 rate=1/8",
    "topology topology=ring:4",
    "topology fit=radix=8,terminals=50",
    "validate topology=ring:4 check=loads cycles=64 warm-up=0 replications=1",
    "worst-case topology=ring:4 routing=dor unbalanced=yes",
    "worst-case topology=ring:4 routing=dor sample-paths=30",
};

static const int64_t wholes[] = {
    INT64_MIN,        INT64_MIN + 1,   -1, 0, 1, INT64_MAX, INT32_MAX,
    INT64_C(1) << 32, INT64_C(1) << 53
};
static const struct nb_ratio numbers[] = {
    { 0, 0 },         { 0, 1 },         { -1, 1 },        { 1, 0 },
    { -1, 0 },        { 1, -2 },        { -1, -2 },       { 2, 4 },
    { INT64_MAX, 1 }, { 1, INT64_MAX }, { INT64_MIN, 1 }, { 1, INT64_MIN },
    { INT64_MIN, 0 }, { 0, -1 },        { 0, 5 }
};
static const double reals[] = { NAN,       -1,      0,      INFINITY,
                                -INFINITY, DBL_MAX, 5e-324, 1 };
static const int choices[] = { INT_MIN, -2, -1, 0, 1, 2, 99, INT_MAX };
static char longest[5000];
static const char *const texts[] = { NULL,
                                     "",
                                     ":",
                                     ",",
                                     "=",
                                     "x",
                                     "%s%n%d",
                                     "-1",
                                     "0",
                                     "1e999",
                                     "nan",
                                     "\xff\xfe",
                                     "\n",
                                     "0,0",
                                     "9,9",
                                     "2",
                                     "3*",
                                     "ring:0",
                                     "ring:-1",
                                     "ring:4,ring:4",
                                     "ring:99999999999999999999",
                                     "torus:1x1x1x1x1x1x1",
                                     "file:",
                                     "file:/dev/null",
                                     longest };

/* Whether a value is permitted but takes hours to simulate. */
static bool absurd_is_endless(const struct nb_parameter *row,
                              const union nb_value *value)
{
    static const char *const lengths[] = { "cycles", "warm-up", "batch" };
    bool is_length = false;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        is_length = is_length || strcmp(row->name, lengths[i]) == 0;
    return is_length && row->type == NB_WHOLE && value->whole > 100000;
}

/* The n-th absurd value of a row; false past the last. */
static bool absurd_value(const struct nb_parameter *row, size_t n,
                         union nb_value *out, size_t *size)
{
#define ABSURD(values, member)                                                 \
    (*size = sizeof out->member, n < sizeof(values) / sizeof *(values) &&      \
                                     (out->member = (values)[n], true))
    switch (row->type) {
    case NB_WHOLE:
        return ABSURD(wholes, whole);
    case NB_NUMBER:
        return ABSURD(numbers, number);
    case NB_REAL:
        return ABSURD(reals, real);
    case NB_CHOICE:
        return ABSURD(choices, choice);
    case NB_FLAG:
        *size = sizeof out->flag;
        out->flag = n == 1;
        return n < 2;
    default:
        return ABSURD(texts, text);
    }
#undef ABSURD
}

/* Binds the question to its kind's struct, which borrows from the model. */
static const struct nb_question_kind *
absurd_bind(const char *named, struct nb_model *model, void *request)
{
    char words[300];
    struct nb_error err = { 0 };
    snprintf(words, sizeof words, "%s", named);
    const struct nb_question_kind *kind = nb_question_find(strtok(words, " "));
    for (char *word; (word = strtok(NULL, " ")) != NULL;) {
        char *value = strchr(word, '=');
        *value = '\0';
        assert_int_equal(nb_model_set(model, word, value + 1, &err), NB_OK);
    }
    if (nb_model_complete(&kind->form, model, &err) != NB_OK ||
        nb_request_read(&kind->form, model, request, &err) != NB_OK)
        fail_msg("%s: %s", named, err.message);
    return kind;
}

/* Checks the request, answers it and adds what was found to a point. */
static enum nb_status absurd_run(const struct nb_question_kind *kind,
                                 const void *request, struct nb_point *point,
                                 struct nb_error *err)
{
    const struct nb_question question = { .request = request,
                                          .run = { .threads = 1 } };
    char *answer = NULL;
    if (kind->answer != NULL &&
        nb_request_check(kind->form.name, kind->form.options, request, err) !=
            NB_OK)
        return err->status;
    if (kind->answer != NULL)
        return kind->answer(&question, point, err);
    assert_int_equal(nb_new(&answer, kind->answer_size, 1, "an answer", NULL),
                     NB_OK);
    const enum nb_status status =
        nb_request_compute(kind, request, &question.run, answer, err);
    if (status == NB_OK)
        kind->report(answer, point);
    if (status == NB_OK && kind->release != NULL)
        kind->release(answer);
    nb_delete(answer);
    return status;
}

/* Answers and releases; a failure must have a message, and nothing may leak. */
static enum nb_status absurd_ask(const struct nb_question_kind *kind,
                                 const void *request, const char *what)
{
    struct nb_point point = { 0 };
    struct nb_error err = { 0 };
    const long before = nb_memory_live_blocks();
    const enum nb_status status = absurd_run(kind, request, &point, &err);
    nb_point_release(&point);
    if (nb_memory_live_blocks() != before)
        fail_msg("%s leaks", what);
    if ((status == NB_OK) != (*err.message == '\0'))
        fail_msg("%s: status %d, \"%s\"", what, (int)status, err.message);
    return status;
}

union absurd_asked {
    char bytes[600];
    max_align_t aligned;
};

static void absurd_fields_are_survived(void **state)
{
    size_t tried = 0;
    (void)state;
    memset(longest, 'a', sizeof longest - 1);
    for (size_t q = 0; q < sizeof questions / sizeof *questions; q++) {
        union absurd_asked whole = { 0 }, spoilt;
        struct nb_model model = { 0 };
        const struct nb_question_kind *kind =
            absurd_bind(questions[q], &model, &whole);
        assert_true(kind->size <= sizeof whole);
        assert_int_equal(absurd_ask(kind, &whole, questions[q]), NB_OK);
        for (const struct nb_parameter *row = kind->form.options;
             row->name != NULL; row++) {
            union nb_value value;
            size_t size;
            for (size_t n = 0; absurd_value(row, n, &value, &size); n++) {
                char what[400];
                if (absurd_is_endless(row, &value) ||
                    !nb_cases_have(tried++, 2))
                    continue;
                snprintf(what, sizeof what, "%s --%s %zu", questions[q],
                         row->name, n);
                spoilt = whole;
                memcpy(spoilt.bytes + row->field, &value, size);
                absurd_ask(kind, &spoilt, what);
            }
        }
        memset(&spoilt, 0, sizeof spoilt);
        assert_int_not_equal(absurd_ask(kind, &spoilt, kind->form.name), NB_OK);
        nb_model_release(&model);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The answer as text. */
static void absurd_answer(const struct nb_question_kind *kind,
                          const void *request, struct nb_text *out)
{
    struct nb_point point = { 0 };
    struct nb_error err = { 0 };
    if (absurd_run(kind, request, &point, &err) != NB_OK)
        fail_msg("%s: %s", kind->form.name, err.message);
    assert_int_equal(nb_point_write_xml(&point, out, NULL), NB_OK);
    nb_point_release(&point);
}

/* Ratios need not be in lowest terms: { 5, 10 } is a half. */
static void ratios_may_be_reducible(void **state)
{
    (void)state;
    for (size_t q = 0; q < sizeof questions / sizeof *questions; q++) {
        union absurd_asked request = { 0 };
        struct nb_model model = { 0 };
        struct nb_text plain = { 0 }, tenfold = { 0 };
        const struct nb_question_kind *kind =
            absurd_bind(questions[q], &model, &request);
        absurd_answer(kind, &request, &plain);
        for (const struct nb_parameter *row = kind->form.options;
             row->name != NULL; row++) {
            struct nb_ratio number;
            if (row->type != NB_NUMBER)
                continue;
            memcpy(&number, request.bytes + row->field, sizeof number);
            number.numerator *= 10;
            number.denominator *= 10;
            memcpy(request.bytes + row->field, &number, sizeof number);
        }
        absurd_answer(kind, &request, &tenfold);
        if (strcmp(plain.bytes, tenfold.bytes) != 0)
            fail_msg("%s: %s instead of %s", questions[q], tenfold.bytes,
                     plain.bytes);
        nb_text_release(&plain);
        nb_text_release(&tenfold);
        nb_model_release(&model);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void fits_are_held_to_their_rows(void **state)
{
    static const struct {
        struct nb_fit_question request;
        const char *said;
    } wrong[] = {
        { { .diameter = 0 }, "option fit needs radix" },
        { { .demand = { 9, 1 } }, "radix \"1\" is not permitted" },
        { { .demand = { UINT64_MAX, 8 } },
          "terminals \"9223372036854775807\"" },
        { { .demand = { 9, 8 }, .diameter = -1 }, "diameter \"-1\"" },
        { { .demand = { 9, 8 }, .capacity = { 1, 0 } }, "capacity \"inf\"" },
        { { .demand = { 9, 8 }, .capacity = { 1, -2 } }, "capacity \"1/-2\"" },
        { { .demand = { 0, 8 }, .oversize = { 5, 2 } },
          "oversize 2.5 is a multiple of terminals" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct nb_fit_answer answer;
        struct nb_error err = { 0 };
        assert_int_not_equal(nb_fit_ask(&wrong[i].request, &answer, &err),
                             NB_OK);
        if (strstr(err.message, wrong[i].said) == NULL)
            fail_msg("\"%s\" does not contain %s", err.message, wrong[i].said);
        nb_fit_answer_release(&answer);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* An empty answer adds no quantities and no tables. */
#define TELLS_NOTHING(room)                                                    \
    {                                                                          \
        const struct nb_##room##_answer answer = { 0 };                        \
        struct nb_point point = { 0 };                                         \
        nb_##room##_report(&answer, &point);                                   \
        assert_int_equal(point.quantity_count, 0);                             \
        assert_int_equal(point.table_count, 0);                                \
    }

static void empty_answers_report_nothing(void **state)
{
    (void)state;
    TELLS_NOTHING(load)
    TELLS_NOTHING(optimum)
    TELLS_NOTHING(permutations)
    TELLS_NOTHING(split)
    TELLS_NOTHING(topology)
    TELLS_NOTHING(worst_case)
}

/* Kinds without a certificate are computed again, and files that were not asked
 * for are not written. */
static void kinds_may_lack_functions(void **state)
{
    static const char *const written[NB_OUTPUTS] = { NULL };
    (void)state;
    for (size_t q = 0; q < sizeof questions / sizeof *questions; q++) {
        union absurd_asked request = { 0 };
        struct nb_model model = { 0 };
        struct nb_point point = { 0 };
        struct nb_text said = { 0 };
        const struct nb_question_kind *kind =
            absurd_bind(questions[q], &model, &request);
        struct nb_question question = { .model = &model,
                                        .run = { .threads = 1 } };
        if (!nb_question_proves(kind))
            assert_int_equal(
                nb_question_check(kind, &question, &point, &point, &said, NULL),
                NB_OK);
        assert_int_equal(nb_question_write(kind, &question, &point, NULL),
                         NB_OK);
        question.outputs = written;
        assert_int_equal(nb_question_write(kind, &question, &point, NULL),
                         NB_OK);
        nb_point_release(&point);
        nb_model_release(&model);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void calls_are_survived(void **state)
{
    const struct nb_worst_case_question nothing = { 0 };
    const struct nb_network_names nowhere = { 0 };
    const struct nb_load_question plain = { .topology = "ring:4",
                                            .traffic = "uniform",
                                            .routing = "min" };
    const struct nb_arrivals arrivals = { .radix = 2 };
    const struct nb_queue_load half = { { 1, 2 }, { 0.5, 0 }, { 0.5, 0 } };
    const struct nb_run run = { .threads = -1 };
    struct nb_worst_case_answer worst;
    struct nb_load_answer load;
    struct nb_problem problem;
    struct nb_delay_paths paths = { 0 };
    struct nb_point point = { 0 };
    struct nb_text said = { 0 };
    (void)state;
    assert_int_equal(
        nb_worst_case_recheck(&nothing, NULL, &point, &worst, &said, NULL),
        NB_USAGE);
    assert_int_equal(nb_problem_open(&nowhere, NULL, &problem, NULL),
                     NB_INVALID);
    nb_problem_note_channel(&problem, &point, "none", 0);
    assert_int_equal(point.note_count, 0);
    assert_int_equal(nb_load_ask(&plain, &run, &load, NULL), NB_OK);
    nb_load_answer_release(&load);
    for (uint32_t k = 0; k < 2; k++)
        assert_int_equal(
            nb_delay_paths_tree(k, 1, half, &arrivals, &paths, NULL),
            NB_INVALID);
    assert_int_equal(nb_delay_paths_tree(UINT32_MAX, UINT32_MAX, half,
                                         &arrivals, &paths, NULL),
                     NB_INVALID);
    nb_delay_paths_release(&paths);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absurd_fields_are_survived),
        cmocka_unit_test(ratios_may_be_reducible),
        cmocka_unit_test(fits_are_held_to_their_rows),
        cmocka_unit_test(empty_answers_report_nothing),
        cmocka_unit_test(kinds_may_lack_functions),
        cmocka_unit_test(calls_are_survived),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
