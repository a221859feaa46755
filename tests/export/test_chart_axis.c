/* Axes: ticks by hand, places by other formulas, and properties of every
 * axis. */
#include "export/charts/chart_axis.h"

#include "core/random.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ticks chosen with pencil and paper by the rule in the header. */
static const struct {
    double low, high;
    bool is_log, is_whole;
    int wanted;
    const char *labels;
} golden[] = {
    { 0.05, 0.95, false, false, 7, "0 0.2 0.4 0.6 0.8 1" },
    { 0, 320, false, false, 6, "0 100 200 300 400" },
    { -3, 4, false, false, 6, "-4 -2 0 2 4" },
    { 1, 1.479, false, false, 6, "1 1.1 1.2 1.3 1.4 1.5" },
    { 0, 1.6e7, false, false, 6, "0 5e6 1e7 1.5e7 2e7" },
    { 0, 3e-6, false, false, 6, "0 5e-7 1e-6 1.5e-6 2e-6 2.5e-6 3e-6" },
    { 5, 5, false, false, 6, "2 3 4 5 6 7 8" },
    { 0, 0, false, false, 5, "0 0.2 0.4 0.6 0.8 1" },
    { 0, 2, false, false, 7, "0 0.5 1 1.5 2" },
    { 0, 2, false, true, 7, "0 1 2" },
    { 3, 3, false, true, 9, "1 2 3 4 5" },
    { 0, 100, false, true, 5, "0 20 40 60 80 100" },
    { 1e-15, 1, true, false, 6, "1e-15 1e-12 1e-9 1e-6 1e-3 1" },
    { 0.03, 800, true, false, 6, "0.01 0.1 1 10 100 1000" },
    { 4, 60, true, false, 6, "2 5 10 20 50 100" },
    { 4, 900, true, false, 6, "10 100 1000" },
    { 1e-7, 2e-5, true, false, 6, "1e-7 1e-6 1e-5" },
    { 10, 10, true, false, 6, "5 10 20" },
};

static void ticks_are_as_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        struct nb_axis axis = { .to = 1, .is_whole = golden[i].is_whole };
        char labels[NB_AXIS_TICKS * NB_AXIS_LABEL] = "";
        nb_axis_fit(&axis, golden[i].low, golden[i].high, golden[i].is_log,
                    golden[i].wanted);
        for (int t = 0; t < axis.tick_count; t++) {
            strcat(labels, t > 0 ? " " : "");
            strcat(labels, axis.ticks[t].label);
        }
        if (strcmp(labels, golden[i].labels) != 0)
            fail_msg("[%g, %g]: %s instead of %s", golden[i].low,
                     golden[i].high, labels, golden[i].labels);
    }
}

static void places_follow_the_formula(void **state)
{
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 5, 0);
    for (int trial = 0; trial < 2000; trial++) {
        struct nb_axis axis = { .from = 350, .to = 30 };
        const bool is_log = trial % 2 == 1;
        const double low = ldexp(nb_random_unit(&random) + 0.1,
                                 (int)nb_random_below(&random, 60) - 30);
        const double high = low * (1.5 + 1e4 * nb_random_unit(&random));
        const double value = low + nb_random_unit(&random) * (high - low);
        nb_axis_fit(&axis, low, high, is_log, 6);
        const long double least = axis.least, most = axis.most, at = value;
        const long double share = is_log
                                      ? log2l(at / least) / log2l(most / least)
                                      : (at - least) / (most - least);
        const double expected = (double)(350 - 320 * share);
        if (!(fabs(nb_axis_place(&axis, value) - expected) < 1e-6))
            fail_msg("trial %d: %.17g in [%.17g, %.17g] at %.17g, not %.17g",
                     trial, value, axis.least, axis.most,
                     nb_axis_place(&axis, value), expected);
    }
}

static double any_number(struct nb_random *random, bool is_log)
{
    const double size = nb_random_below(random, 4) == 0
                            ? ldexp(nb_random_unit(random) + 0.5,
                                    (int)nb_random_below(random, 1900) - 950)
                            : ldexp(nb_random_unit(random) + 0.5,
                                    (int)nb_random_below(random, 20) - 10);
    return !is_log && nb_random_below(random, 2) == 0 ? -size : size;
}

/* Ends around the values; ticks within, in order, labelled with their values,
 * not many more than wanted. */
static void every_axis_is_sound(void **state)
{
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 6, 0);
    for (int trial = 0; trial < 20000; trial++) {
        struct nb_axis axis = { .to = 1 };
        const bool is_log = trial % 2 == 1;
        const int wanted = 2 + (int)nb_random_below(&random, 7);
        double low = any_number(&random, is_log);
        double high = trial % 50 == 0 ? low : any_number(&random, is_log);
        if (low > high) {
            const double kept = low;
            low = high;
            high = kept;
        }
        nb_axis_fit(&axis, low, high, is_log, wanted);
        /* Ends were rounded to nine digits, ticks are decimal. */
        const double little = 1e-8 * fmax(fabs(axis.least), fabs(axis.most));
        bool is_sound = axis.least <= low + little &&
                        axis.most >= high - little && axis.tick_count >= 1 &&
                        axis.least < axis.most &&
                        axis.tick_count <= 2 * wanted + 4;
        for (int t = 0; t < axis.tick_count; t++) {
            const double value = axis.ticks[t].value;
            is_sound = is_sound && value >= axis.least - little &&
                       value <= axis.most + little &&
                       fabs(strtod(axis.ticks[t].label, NULL) - value) <=
                           1e-8 * fabs(value) &&
                       (t == 0 || value > axis.ticks[t - 1].value);
        }
        if (!is_sound)
            fail_msg("trial %d: log %d, [%.17g, %.17g]: ends %.17g, %.17g, "
                     "%d ticks, wanted %d",
                     trial, is_log, low, high, axis.least, axis.most,
                     axis.tick_count, wanted);
    }
}

static void what_lies_beyond_stands_at_the_end(void **state)
{
    struct nb_axis axis = { .from = 10, .to = 20 };
    (void)state;
    nb_axis_fit(&axis, 0, 1, false, 5);
    assert_true(nb_axis_place(&axis, INFINITY) == 20);
    assert_true(nb_axis_place(&axis, -INFINITY) == 10);
    assert_true(nb_axis_place(&axis, 1e300) == 20);
    nb_axis_fit(&axis, 1e-3, 1, true, 5);
    assert_true(nb_axis_place(&axis, 0) == 10);
    assert_true(nb_axis_place(&axis, -1) == 10);
    assert_true(nb_axis_has(false, -1) && nb_axis_has(true, 1e-9));
    assert_false(nb_axis_has(true, 0) || nb_axis_has(true, -1));
    assert_false(nb_axis_has(false, INFINITY) || nb_axis_has(false, NAN));
}

static void trimming_drops_ticks(void **state)
{
    struct nb_axis axis = { .from = 0, .to = 100 };
    (void)state;
    nb_axis_fit(&axis, 0, 1, false, 5);
    nb_axis_trim(&axis, 0.25, 0.65);
    assert_int_equal(axis.tick_count, 2);
    assert_string_equal(axis.ticks[0].label, "0.4");
    assert_string_equal(axis.ticks[1].label, "0.6");
    assert_true(fabs(nb_axis_place(&axis, 0.45) - 50) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_as_by_hand),
        cmocka_unit_test(places_follow_the_formula),
        cmocka_unit_test(every_axis_is_sound),
        cmocka_unit_test(what_lies_beyond_stands_at_the_end),
        cmocka_unit_test(trimming_drops_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
