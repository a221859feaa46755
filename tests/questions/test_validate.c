/* Validation: verdicts, tails and their depths, and failing memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/cases.h"

#include "questions/question.h"
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
        cmocka_unit_test(tails_of_histograms),
        cmocka_unit_test(geometric_tails_are_lines),
        cmocka_unit_test(replications_give_intervals),
        cmocka_unit_test(failing_memory_is_survived),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
