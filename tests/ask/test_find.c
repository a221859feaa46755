/* What a search finds agrees with a dense sweep of the same question, for 100
 * random questions, analysed and simulated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/cases.h"

#include "core/random.h"
#include "ask/ask.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUESTIONS = 105, SEED = 20261123, DENSE = 24, SIMULATED = 12 };

/* options: "name=value name=value", where %d is a number from first to last.
 * The search must meet a value that the quantity has between low and high. If
 * low is small, the question may refuse some of these values. */
struct random_question {
    const char *command, *options;
    int first, last;
    const char *name;
    double low, high;
    bool is_whole;
    const char *quantity;
};

static const struct random_question kinds[] = {
    { "buffer", "radix=%d", 2, 20, "load", 0.05, 0.97, false, "buffer_depth" },
    { "buffer", "radix=%d", 2, 20, "load", 0.05, 0.97, false,
      "mean_occupancy" },
    { "buffer", "radix=4 arrivals=onoff:burst=%d", 2, 6, "load", 0.05, 0.6,
      false, "variance_occupancy" },
    { "buffer", "arrivals=onoff:burst=%d", 1, 4, "load", 0, 1, false,
      "mean_occupancy" },
    { "reorder", "arrivals=onoff:burst=%d", 1, 3, "load", 0, 1, false,
      "reorder_depth" },
    { "buffer", "load=0.%d", 3, 9, "radix", 1, 48, true, "mean_occupancy" },
    { "buffer", "radix=8 load=0.%d", 3, 9, "depth", 1, 40, true,
      "overflow_probability" },
    { "buffer", "radix=%d load=0.7", 2, 20, "overflow", 1e-30, 0.1, false,
      "buffer_depth" },
    { "delay", "topology=fattree:k=%d,n=2", 2, 9, "load", 0.05, 0.97, false,
      "delay_quantile" },
    { "delay", "hops=%d radix=4", 1, 7, "load", 0.05, 0.97, false,
      "mean_delay" },
    { "delay", "radix=4 load=0.%d", 2, 9, "hops", 1, 30, true,
      "chernoff_quantile" },
    { "delay", "topology=fattree:k=%d,n=2 load=0.7", 2, 6, "at", 0, 80, true,
      "delay_ccdf" },
    { "reorder", "topology=fattree:k=%d,n=2", 2, 6, "load", 0.05, 0.9, false,
      "reorder_depth" },
    { "latency", "topology=torus:%dx4 routing=dor", 3, 6, "load", 0.05, 0.97,
      false, "mean_latency" },
    { "load", "topology=mesh:%dx3 routing=dor traffic=nearest-neighbour", 3, 6,
      "rate", 0.01, 20, false, "max_channel_load" },
    { "topology", "topology=dragonfly:p=%d", 1, 4, "topology.h", 1, 6, true,
      "terminals" },
    { "worst-case", "topology=ring:%d routing=rlb", 3, 9, "routing.threshold",
      0.05, 0.49, false, "worst_case_throughput" },
    { "simulate", "topology=ring:%d routing=dor cycles=640 replications=2", 3,
      9, "load", 0.05, 0.9, false, "mean_latency" },
    { "simulate",
      "topology=ring:8 routing=dor cycles=640 replications=2 "
      "arrivals=onoff:burst=%d",
      1, 5, "load", 1e-4, 0.9, false, "mean_latency" },
    { "simulate", "topology=mesh:%dx3 routing=dor cycles=640 replications=2", 2,
      4, "rate", 0.05, 1.2, false, "accepted_throughput" },
    { "simulate",
      "topology=ring:%d routing=dor router=credit load=0.4 cycles=640 "
      "replications=2",
      4, 8, "channel-latency", 1, 30, true, "mean_latency" },
};

static struct nb_random stream;

/* The question without the option that is searched. */
static void make_model(const struct random_question *kind, int number,
                       struct nb_model *out)
{
    char options[200], *rest = NULL;
    snprintf(options, sizeof options, kind->options, number);
    assert_int_equal(nb_model_begin(out, kind->command, NULL), NB_OK);
    for (char *word = strtok_r(options, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        assert_int_equal(nb_model_set(out, word, equals + 1, NULL), NB_OK);
    }
}

static double draw_value(const struct random_question *kind)
{
    const double share = nb_random_unit(&stream);
    const double value = kind->low > 0 && kind->low < 1e-3
                             ? kind->low * pow(kind->high / kind->low, share)
                             : kind->low + share * (kind->high - kind->low);
    return kind->is_whole ? floor(value) : value;
}

static void ask(struct nb_model *model, struct nb_report *out)
{
    const struct nb_run run = { .threads = 1 };
    struct nb_error err = { 0 };
    char command[40];
    snprintf(command, sizeof command, "%s", model->command);
    if (nb_ask(model, &run, out, &err) != NB_OK)
        fail_msg("%s: %s", command, err.message);
}

/* Asks the question at several values, as a sweep. */
static void ask_at(const struct random_question *kind, int number,
                   const double *values, size_t count, struct nb_report *out)
{
    char list[32 * DENSE] = "";
    struct nb_model model;
    make_model(kind, number, &model);
    for (size_t i = 0; i < count; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.6g",
                 i > 0 ? "," : "", values[i]);
    assert_int_equal(nb_model_add_sweep(&model, kind->name, list, NULL), NB_OK);
    ask(&model, out);
}

static const struct nb_note *find_note(const struct nb_point *point,
                                       const char *name)
{
    for (size_t i = 0; i < point->note_count; i++)
        if (strcmp(point->notes[i].name, name) == 0)
            return &point->notes[i];
    return NULL;
}

/* 1: the condition certainly holds; -1: it certainly fails; else 0. Some of
 * many 95 % intervals miss, so simulated ones are taken three times as wide. */
static int judge(const struct nb_quantity *quantity, bool is_simulated,
                 bool is_most, double value)
{
    const double more = is_simulated ? 2 : 0;
    const double lower =
        quantity->lower - more * (quantity->upper - quantity->lower) / 2;
    const double upper =
        quantity->upper + more * (quantity->upper - quantity->lower) / 2;
    if (is_most ? upper <= value : lower >= value)
        return 1;
    return (is_most ? lower > value : upper < value) ? -1 : 0;
}

/* Draws values over the whole range, and some close to the ends of the
 * result. */
static size_t draw_dense(const struct random_question *kind, bool is_simulated,
                         const struct nb_quantity *found, double *values)
{
    const size_t count = is_simulated ? SIMULATED : DENSE;
    const double ends[] = { found->lower, found->upper };
    for (size_t i = 0; i < count; i++) {
        const double end = ends[i % 2];
        const double away = kind->is_whole ? (double)(1 + i / 4)
                                           : end * ldexp(1, -(int)(i / 2));
        values[i] = draw_value(kind);
        if (i % 3 == 0 && isfinite(end))
            values[i] =
                fmax(kind->low,
                     fmin(kind->high, i % 2 == 0 ? end - away : end + away));
    }
    return count;
}

/* Whether a value where the condition holds or fails is on the right side of
 * the result. */
static bool agrees(const struct nb_quantity *found, bool is_greatest,
                   double value, int verdict)
{
    const double far = is_greatest ? found->upper : found->lower;
    if (is_greatest ? value <= found->value : value >= found->value)
        return verdict >= 0;
    return verdict <= 0 || (is_greatest ? value < far : value > far);
}

/* Whether the quantity is monotone in the direction of the search, judged at
 * the least and the greatest value where it is known. */
static bool goes(const struct nb_report *report, const char *name,
                 bool is_greatest, bool is_most)
{
    const struct nb_quantity *ends[2] = { NULL, NULL };
    double values[2] = { INFINITY, -INFINITY };
    for (size_t i = 0; i < report->point_count; i++) {
        const struct nb_point *point = &report->points[i];
        const struct nb_quantity *here = nb_point_quantity(point, name);
        const double value = strtod(point->settings[0].value, NULL);
        for (int up = 0; up < 2 && here != NULL; up++)
            if (up ? value > values[1] : value < values[0]) {
                values[up] = value;
                ends[up] = here;
            }
    }
    if (ends[0] == NULL)
        return true;
    if (is_greatest == is_most)
        return !(ends[1]->upper < ends[0]->lower);
    return !(ends[1]->lower > ends[0]->upper);
}

/* Returns whether the search reports that the quantity is not monotone. */
static bool check_question(const struct random_question *kind, int question)
{
    const int number =
        kind->first +
        (int)nb_random_below(&stream, (uint64_t)(kind->last - kind->first + 1));
    const bool is_most = nb_random_below(&stream, 2) == 0;
    double values[DENSE];
    struct nb_report report, search;
    struct nb_model model;
    char where[80], find[80], name[40];
    for (size_t i = 0; i < SIMULATED; i++)
        values[i] = draw_value(kind);
    ask_at(kind, number, values, kind->low > 1e-3 ? 1 : SIMULATED, &report);
    const struct nb_quantity *at = NULL;
    for (size_t i = 0; i < report.point_count && at == NULL; i++)
        at = nb_point_quantity(&report.points[i], kind->quantity);
    assert_non_null(at);
    snprintf(where, sizeof where, "%s %s %.5g", kind->quantity,
             is_most ? "<=" : ">=", isfinite(at->value) ? at->value : 1000);
    nb_report_release(&report);
    make_model(kind, number, &model);
    snprintf(find, sizeof find, "%s", kind->name);
    if (kind->low > 1e-3 || nb_random_below(&stream, 2) == 0)
        snprintf(find, sizeof find, "%s=%g:%g", kind->name, kind->low,
                 kind->high);
    assert_int_equal(nb_model_set(&model, "find", find, NULL), NB_OK);
    assert_int_equal(nb_model_set(&model, "where", where, NULL), NB_OK);
    ask(&model, &search);
    snprintf(name, sizeof name, "%s", kind->name);
    for (char *c = name; *c != '\0'; c++)
        *c = *c == '.' || *c == '-' ? '_' : *c;
    const struct nb_point *point = &search.points[0];
    const struct nb_quantity *found = nb_point_quantity(point, name);
    const struct nb_note *said = find_note(point, "find");
    assert_non_null(found);
    assert_non_null(said);
    const bool is_greatest = strstr(said->text, "the greatest") != NULL;
    const bool is_monotone = find_note(point, "monotone") == NULL;
    const bool is_simulated = strcmp(kind->command, "simulate") == 0;
    const size_t count = draw_dense(kind, is_simulated, found, values);
    ask_at(kind, number, values, count, &report);
    if (is_monotone && !goes(&report, kind->quantity, is_greatest, is_most))
        fail_msg("seed %d, question %d: %s %s (%d), %s: not %s", SEED, question,
                 kind->command, kind->options, number, where, said->text);
    for (size_t i = 0; i < count; i++) {
        const struct nb_quantity *quantity =
            nb_point_quantity(&report.points[i], kind->quantity);
        const double value = strtod(report.points[i].settings[0].value, NULL);
        if (quantity == NULL || !is_monotone)
            continue;
        const int verdict = judge(quantity, is_simulated, is_most,
                                  strtod(strrchr(where, ' '), NULL));
        if (!agrees(found, is_greatest, value, verdict))
            fail_msg("seed %d, question %d: %s %s (%d) with %s: %s is %.17g "
                     "[%.17g, %.17g], but at %.17g it %s: %.17g",
                     SEED, question, kind->command, kind->options, number,
                     where, kind->name, found->value, found->lower,
                     found->upper, value, verdict > 0 ? "holds" : "fails",
                     quantity->value);
    }
    nb_report_release(&report);
    nb_report_release(&search);
    return !is_monotone;
}

static void test_against_dense_sweeps(void **state)
{
    (void)state;
    int contradictory = 0;
    nb_random_init(&stream, SEED, 0);
    const int kind_count = sizeof kinds / sizeof *kinds;
    for (int i = 0; i < QUESTIONS; i++)
        if (nb_cases_have((size_t)i, 4))
            contradictory += check_question(&kinds[i % kind_count], i);
    printf("seed %d: %d questions, %d not monotone\n", SEED, QUESTIONS,
           contradictory);
    assert_true(contradictory <= QUESTIONS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_dense_sweeps),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
