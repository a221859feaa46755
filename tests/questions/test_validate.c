/* Validation: verdicts, tails and their depths, and failing memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/cases.h"

#include "ask/question.h"
#include "questions/validate/validate_laws.h"
#include "core/memory.h"
#include "core/random.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BOUND NB_VALIDATE_BOUND
#define EXACT NB_VALIDATE_EXACT
#define NEAR  NB_VALIDATE_APPROXIMATION

static void verdicts_follow_intervals(void **state)
{
    static const struct {
        enum nb_validation_kind kind;
        double lower, upper; /* of the prediction */
        double simulated, half_width, tolerance;
        enum nb_validation_verdict verdict;
    } cases[] = {
        /* An upper bound of 2, and a lower one. */
        { BOUND, -INFINITY, 2, 1.9, 0.05, 0, NB_VALIDATED_HOLDS },
        { BOUND, -INFINITY, 2, 2.1, 0.11, 0, NB_VALIDATED_HOLDS },
        { BOUND, -INFINITY, 2, 2.1, 0.09, 0, NB_VALIDATED_VIOLATED },
        { BOUND, -INFINITY, 2, 2.1, 0.09, 1, NB_VALIDATED_VIOLATED },
        { BOUND, 2, INFINITY, 1.9, 0.09, 0, NB_VALIDATED_VIOLATED },
        { BOUND, 2, INFINITY, 1.9, 0.11, 0, NB_VALIDATED_HOLDS },
        { BOUND, 2, INFINITY, 7, 0, 0, NB_VALIDATED_HOLDS },
        /* 1 % of 2 is 0.02. */
        { EXACT, 2, 2, 2.019, 0.001, 0.01, NB_VALIDATED_AGREES },
        { EXACT, 2, 2, 1.979, 0.001, 0.01, NB_VALIDATED_DIFFERS },
        { EXACT, 2, 2, 1.979, 0.022, 0.01, NB_VALIDATED_UNCERTAIN },
        { NEAR, 2, 2, 2.021, 0.022, 0.01, NB_VALIDATED_UNCERTAIN },
        { NEAR, 2, 2, 2.021, 0.02, 0.01, NB_VALIDATED_DIFFERS },
        { EXACT, 1.9, 2.1, 2.2, 0.11, 0.01, NB_VALIDATED_UNCERTAIN },
        /* No load where none is expected, and no observation. */
        { EXACT, 0, 0, 0, 0, 0.01, NB_VALIDATED_AGREES },
        { EXACT, 0, 0, 0.1, 0.01, 0.01, NB_VALIDATED_DIFFERS },
        { EXACT, 2, 2, NAN, INFINITY, 0.01, NB_VALIDATED_UNCERTAIN },
        { BOUND, -INFINITY, 2, NAN, INFINITY, 0, NB_VALIDATED_UNCERTAIN },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double lower = cases[i].lower, upper = cases[i].upper;
        const struct nb_validation_item item = {
            .kind = cases[i].kind,
            .predicted = { isinf(lower)   ? upper
                           : isinf(upper) ? lower
                                          : lower / 2 + upper / 2,
                           lower, upper },
            .simulated = { cases[i].simulated,
                           cases[i].simulated - cases[i].half_width,
                           cases[i].simulated + cases[i].half_width },
            .tolerance = cases[i].tolerance,
        };
        if (nb_validation_judge(&item) != cases[i].verdict)
            fail_msg("case %zu is %s, not %s", i,
                     nb_validation_verdict_names[nb_validation_judge(&item)],
                     nb_validation_verdict_names[cases[i].verdict]);
    }
}

static void saturation_decides_nothing(void **state)
{
    const struct nb_validation_item item = {
        .kind = NB_VALIDATE_APPROXIMATION,
        .predicted = { INFINITY, INFINITY, INFINITY },
        .simulated = { INFINITY, 40, INFINITY },
    };
    (void)state;
    assert_true(nb_validation_error(&item) == 0);
    assert_int_equal(nb_validation_judge(&item), NB_VALIDATED_UNCERTAIN);
}

/* The exact number, else the middle of its bracket, else its finite end. */
static void predictions_are_middles(void **state)
{
    (void)state;
    static const struct {
        struct nb_enclosure value;
        double predicted;
    } cases[] = {
        { { .exact = { 1, 3 }, .lower = 0.25, .upper = 0.5 }, 1.0 / 3 },
        { { .lower = 1, .upper = 3 }, 2 },
        { { .lower = 7, .upper = INFINITY }, 7 },
        { { .lower = 0x1p1023, .upper = 0x1p1023 }, 0x1p1023 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct nb_interval found =
            nb_validation_predicted(cases[i].value);
        assert_true(found.value == cases[i].predicted);
        assert_true(found.lower == cases[i].value.lower &&
                    found.upper == cases[i].value.upper);
    }
}

static void tolerances_are_given_or_own(void **state)
{
    (void)state;
    const struct nb_validate_answer own = { .tolerance = NAN },
                                    given = { .tolerance = 0.25 };
    assert_true(nb_validation_tolerance(&own, 0.03) == 0.03);
    assert_true(nb_validation_tolerance(&given, 0.03) == 0.25);
}

/* 25 % of 100: the whole interval within 75 to 125, or all of it beyond. */
static void depths_converge_as_a_whole(void **state)
{
    (void)state;
    static const struct {
        double lower, upper;
        const char *verdict;
    } cases[] = {
        { 75, 125, "yes" },        { 80, 90, "yes" },
        { 74, 125, "uncertain" },  { 75, 126, "uncertain" },
        { 60, 140, "uncertain" },  { 60, 75, "uncertain" },
        { 125, 140, "uncertain" }, { 60, 74, "no" },
        { 126, 140, "no" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct nb_validation_item depth = {
            .predicted = { 100, 100, 100 },
            .simulated = { 100, cases[i].lower, cases[i].upper },
            .tolerance = 0.25,
        };
        if (strcmp(nb_validation_converged(&depth), cases[i].verdict) != 0)
            fail_msg("case %zu: %s", i, nb_validation_converged(&depth));
    }
}

/* Lists grow and keep what they hold. */
static void items_are_kept(void **state)
{
    (void)state;
    struct nb_validate_answer answer = { 0 };
    char name[24];
    for (int i = 0; i < 40; i++) {
        const struct nb_interval at = { i, i - 1, i + 1 };
        snprintf(name, sizeof name, "item %d", i);
        nb_validation_add(&answer, name, EXACT, at, at, 0.5 * i);
    }
    assert_false(answer.has_failed);
    assert_int_equal(answer.items.count, 40);
    for (int i = 0; i < 40; i++) {
        const struct nb_validation_item *item = &answer.items.item[i];
        snprintf(name, sizeof name, "item %d", i);
        assert_string_equal(item->name, name);
        assert_true(item->kind == EXACT && item->predicted.value == i &&
                    item->simulated.upper == i + 1 &&
                    item->tolerance == 0.5 * i);
    }
    nb_validate_answer_release(&answer);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Beyond saturation the latency is infinite, from what was measured on. Below,
 * its upper end is as far away as a wait known within a fifth permits: 1 / 0.8.
 */
static void saturated_latency_is_infinite(void **state)
{
    (void)state;
    struct nb_validate_answer answer = { 0 };
    struct nb_simulation_result *result = &answer.simulation.result;
    result->latency = (struct nb_estimate){ .mean = 8, .half_width = 1 };
    result->queueing = (struct nb_estimate){ .mean = 5, .half_width = 1 };
    result->stability = NB_STABLE;
    struct nb_interval found = nb_validation_latency(&answer);
    assert_true(found.value == 8 && found.lower == 7 &&
                fabs(found.upper - 9.25) < 1e-12);
    result->stability = NB_SATURATED;
    found = nb_validation_latency(&answer);
    assert_true(isinf(found.value) && found.lower == 7 && isinf(found.upper));
}

static double halves(const void *of, double n)
{
    return n > *(const double *)of ? 0 : pow(0.5, n / 1000);
}

/* Up to 4,000 values in equal steps, the last in any case; not where nothing is
 * left. */
static void tails_of_functions(void **state)
{
    (void)state;
    static const struct {
        double last, most; /* of the values; with a tail */
        size_t count, at;  /* values; a place .. */
        double value;      /* .. and its value */
    } cases[] = {
        { 0, 9, 1, 0, 0 },
        { 3999, 1e9, 4000, 3999, 3999 },
        { 4000, 1e9, 2001, 1, 2 },
        { 10000, 1e9, 3335, 3333, 9999 },
        { 10000, 1e9, 3335, 3334, 10000 },
        { 100, 50, 51, 50, 50 },
        { -1, 9, 0, 0, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_tail tail = { 0 };
        const size_t at = cases[i].at;
        assert_int_equal(
            nb_tail_of(halves, &cases[i].most, cases[i].last, &tail, NULL),
            NB_OK);
        if (tail.count != cases[i].count)
            fail_msg("case %zu: %zu values", i, tail.count);
        if (tail.count > 0)
            assert_true(tail.value[at] == cases[i].value &&
                        tail.probability[at] ==
                            pow(0.5, cases[i].value / 1000));
        nb_tail_release(&tail);
    }
}

/* Tails of 0, 0, 0, 1, 1, 2, 5, 5: 1, 5/8, 3/8, 2/8, 2/8, 2/8. */
static void tails_of_histograms(void **state)
{
    static const uint64_t value[] = { 0, 0, 0, 1, 1, 2, 5, 5 };
    static const double tail[] = { 1, 0.625, 0.375, 0.25, 0.25, 0.25 };
    struct nb_histogram histogram = { 0 };
    struct nb_tail found;
    (void)state;
    assert_int_equal(nb_histogram_init(&histogram, 10, NULL), NB_OK);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        nb_histogram_count(&histogram, value[i]);
    assert_int_equal(nb_tail_of_histogram(&histogram, &found, NULL), NB_OK);
    assert_int_equal(found.count, 6);
    for (size_t n = 0; n < 6; n++)
        assert_true(nb_tail_at(&found, (double)n) == tail[n]);
    assert_true(isnan(nb_tail_at(&found, 6)));
    assert_true(nb_tail_depth(&found, 0.375) == 2);
    assert_true(isinf(nb_tail_depth(&found, 0.1)));
    /* Between 1 and 2 the tail is 0.625 (3/5)^(x - 1). */
    assert_true(fabs(nb_tail_depth(&found, 0.5) - 1 - log(0.8) / log(0.6)) <
                1e-12);
    nb_tail_release(&found);
    nb_histogram_release(&histogram);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* A geometric tail is a straight line: interpolation is exact, and depth and
 * probability are inverse functions. */
static void geometric_tails_are_lines(void **state)
{
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 7, 0);
    for (int trial = 0; trial < 200; trial++) {
        double value[6], probability[6];
        const double rate = 0.05 + nb_random_unit(&random);
        struct nb_tail tail = { 6, value, probability };
        for (int i = 0; i < 6; i++) {
            value[i] =
                i == 0 ? 0
                       : value[i - 1] + 1 + (double)nb_random_below(&random, 4);
            probability[i] = exp(-rate * value[i]);
        }
        const double x = nb_random_unit(&random) * value[5];
        const double p = nb_tail_at(&tail, x);
        const double back = nb_tail_depth(&tail, p);
        if (fabs(p / exp(-rate * x) - 1) > 1e-12 ||
            fabs(back - x) > 1e-9 * (1 + x))
            fail_msg("trial %d: rate %.17g, x %.17g: p %.17g, back %.17g",
                     trial, rate, x, p, back);
    }
}

/* Two replications of depths 2 and 3: t_{1,0.995} = 63.656741 and
 * s / sqrt(2) = 1/2. */
static void replications_give_intervals(void **state)
{
    double scratch[2], value[2][2] = { { 0, 2 }, { 0, 3 } };
    double probability[2] = { 1, 0.001 };
    struct nb_tail tail[] = { { 2, value[0], probability },
                              { 2, value[1], probability } };
    const struct nb_tails tails = { 2, tail, scratch, 2 };
    const struct nb_estimate depth = nb_tails_depth(&tails, 0.001, 0.99);
    (void)state;
    assert_true(fabs(depth.mean - 2.5) < 1e-12);
    assert_true(fabs(depth.half_width - 63.656741 / 2) < 1e-5);
    /* A value that one of them did not observe has probability 0 there. */
    const struct nb_estimate share = nb_tails_at(&tails, 3, 0.99);
    assert_true(fabs(share.mean - 0.0005) < 1e-15);
}

/* Options of questions that take only a few milliseconds. */
static const char *const questions[][16] = {
    { "topology", "ring:3", "routing", "min", "cycles", "32", "warm-up", "8",
      "claim", "mean_latency=99", NULL },
    { "topology", "ring:4", "routing", "cqr", "traffic", "tornado", "check",
      "split", "cycles", "32", "warm-up", "8", NULL },
    { "topology", "ring:4", "routing", "val", "batch", "2", NULL },
    { "topology", "fattree:k=2,n=2", "routing", "rrr", "check",
      "queues+delay+reorder", "load", "0.5", "cycles", "64", "warm-up", "8",
      NULL },
};

static enum nb_status validate_answer(const char *const *options, long allowed)
{
    const struct nb_question_kind *command = nb_question_find("validate");
    static const char *const no_outputs[NB_OUTPUTS] = { NULL };
    struct nb_model model = { .command = nb_new_string("validate") };
    struct nb_point point = { 0 };
    const struct nb_question question = { .model = &model,
                                          .run = { .threads = 1 },
                                          .outputs = no_outputs };
    for (; options[0] != NULL; options += 2)
        assert_int_equal(nb_model_set(&model, options[0], options[1], NULL),
                         NB_OK);
    nb_model_set(&model, "replications", "2", NULL);
    assert_int_equal(nb_model_complete(&command->form, &model, NULL), NB_OK);
    nb_memory_allow(allowed);
    enum nb_status status =
        nb_question_answer(command, &question, &point, NULL);
    if (status == NB_OK)
        status = nb_point_check(&point, NULL);
    nb_memory_allow(-1);
    nb_point_release(&point);
    nb_model_release(&model);
    return status;
}

static void failing_memory_is_survived(void **state)
{
    (void)state;
    for (size_t q = 0; q < sizeof questions / sizeof *questions; q++) {
        enum nb_status status = NB_NO_MEMORY;
        long allowed = 0;
        /* The first failures one by one, later ones in growing steps. */
        for (; status == NB_NO_MEMORY;
             allowed = nb_cases_allowed(allowed + allowed / 50, 4)) {
            status = validate_answer(questions[q], allowed);
            if (nb_memory_live_blocks() != 0)
                fail_msg("question %zu leaks at %ld allocations", q, allowed);
        }
        if (status != NB_OK)
            fail_msg("question %zu: status %d", q, status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_follow_intervals),
        cmocka_unit_test(saturation_decides_nothing),
        cmocka_unit_test(predictions_are_middles),
        cmocka_unit_test(tolerances_are_given_or_own),
        cmocka_unit_test(depths_converge_as_a_whole),
        cmocka_unit_test(items_are_kept),
        cmocka_unit_test(saturated_latency_is_infinite),
        cmocka_unit_test(tails_of_functions),
        cmocka_unit_test(tails_of_histograms),
        cmocka_unit_test(geometric_tails_are_lines),
        cmocka_unit_test(replications_give_intervals),
        cmocka_unit_test(failing_memory_is_survived),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
