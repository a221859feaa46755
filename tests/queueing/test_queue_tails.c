/* Tails of queues: published depths, and reference values of many digits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/queues.h"
#include "../support/twofold_wide.h"

#include "core/text.h"

#include <gsl/gsl_errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Computed in exact arithmetic by another program; 158 is the value published
 * as about 160. */
static void test_published(void **state)
{
    (void)state;
    static const struct {
        const char *load;
        double depth;
        struct nb_ratio mean;
    } rows[] = {
        { "0.2", 14, { 143, 640 } },    { "0.6", 36, { 327, 320 } },
        { "0.8", 77, { 23, 10 } },      { "0.9", 158, { 1503, 320 } },
        { "0.95", 320, { 6023, 640 } },
    };
    const struct nb_arrivals arrivals = queue_inputs(16);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct nb_queue_load load = queue_load(rows[i].load);
        struct nb_distribution distribution = { 0 };
        struct nb_ratio mean, variance;
        queue_must_find(&arrivals, load, &distribution);
        const struct nb_bracket depth =
            nb_distribution_depth(&distribution, 1e-15);
        QUEUE_CHECK(
            depth.lower == rows[i].depth && depth.upper == rows[i].depth,
            "load %s: %.17g to %.17g", rows[i].load, depth.lower, depth.upper);
        nb_arrivals_moments(&arrivals, load, &mean, &variance);
        QUEUE_CHECK(nb_ratio_compare(mean, rows[i].mean) == 0,
                    "load %s: mean %lld/%lld", rows[i].load,
                    (long long)mean.numerator, (long long)mean.denominator);
        const double exact = nb_ratio_value(mean);
        QUEUE_CHECK(
            queue_holds(nb_distribution_mean(&distribution), exact, 1e-15),
            "load %s", rows[i].load);
        const double square = nb_ratio_value(variance);
        QUEUE_CHECK(
            queue_holds(nb_distribution_variance(&distribution), square, 1e-15),
            "load %s", rows[i].load);
        nb_distribution_release(&distribution);
    }
}

/* One line of data/reference/queue_tails.csv, cut in place. */
struct row {
    const char *arrivals, *radix, *load, *depth, *tail;
};

static struct row slotted_cut(char *line)
{
    struct row row;
    row.arrivals = strsep(&line, ",");
    row.radix = strsep(&line, ",");
    row.load = strsep(&line, ",");
    row.depth = strsep(&line, ",");
    row.tail = line;
    assert_non_null(row.tail);
    return row;
}

static void slotted_find(struct row row, struct nb_distribution *distribution)
{
    const bool is_equal = strcmp(row.arrivals, "bernoulli") == 0;
    struct nb_arrivals arrivals = queue_inputs(is_equal ? atoll(row.radix) : 0);
    struct nb_queue_load load = queue_load(row.load);
    if (!is_equal && strcmp(row.arrivals, "poisson") != 0) {
        struct nb_ratio sum;
        arrivals = queue_inputs(1);
        assert_int_equal(
            nb_arrivals_read_inputs(row.arrivals, &arrivals, &sum, NULL),
            NB_OK);
        assert_int_equal(nb_ratio_compare(sum, load.exact), 0);
    }
    queue_must_find(&arrivals, load, distribution);
    nb_arrivals_release(&arrivals);
}

static void slotted_check(struct row row,
                          const struct nb_distribution *distribution)
{
    const long double tail = strtold(row.tail, NULL);
    const double depth = strtod(row.depth, NULL);
    const long double found = wide_tail(distribution, depth);
    const struct nb_bracket bracket =
        nb_distribution_tail_bracket(distribution, depth);
    /* Doubles are further apart than most errors. */
    const double error =
        depth > 0 ? nb_distribution_tail_error(distribution, depth) : 0;
    /* The reference is a long double. */
    QUEUE_CHECK(fabsl(found - tail) <=
                        (depth > 0 ? error + LDBL_EPSILON : 1e-15L) * tail &&
                    error <= 1e-13 && bracket.lower <= tail &&
                    bracket.upper >= tail &&
                    bracket.upper - bracket.lower <= 1e-13L * tail,
                "%s, radix %s, load %s, depth %s: %.21Lg in [%.17g, %.17g], "
                "not %s",
                row.arrivals, row.radix, row.load, row.depth, found,
                bracket.lower, bracket.upper, row.tail);
}

/* tests/oracles/queue_tails.py */
static void test_reference(void **state)
{
    (void)state;
    struct nb_text text = { 0 };
    struct nb_distribution distribution = { 0 };
    struct row before = { "", "", "", "", "" };
    size_t count = 0;
    assert_int_equal(nb_text_read_file("data/reference/queue_tails.csv",
                                       1 << 20, &text, NULL),
                     NB_OK);
    char *rest = text.bytes, *line = strsep(&rest, "\n");
    assert_string_equal(line, "arrivals,radix,load,depth,tail");
    while ((line = strsep(&rest, "\n")) != NULL && *line != '\0') {
        const struct row row = slotted_cut(line);
        if (strcmp(row.arrivals, before.arrivals) != 0 ||
            strcmp(row.radix, before.radix) != 0 ||
            strcmp(row.load, before.load) != 0) {
            nb_distribution_release(&distribution);
            slotted_find(row, &distribution);
        }
        slotted_check(row, &distribution);
        before = row;
        count++;
    }
    assert_true(count > 1000);
    nb_distribution_release(&distribution);
    nb_text_release(&text);
}

/* tests/oracles/queue_tails.py: far beyond the last computed level, where the
 * brackets' errors are largest. */
static void test_far_reference(void **state)
{
    (void)state;
    char line[100];
    int count = 0;
    long double most = 0;
    FILE *file = fopen("data/reference/queue_far_tails.csv", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file) != NULL) {
        char *rest = line, *radix = strsep(&rest, ",");
        const char *load = strsep(&rest, ",");
        const double depth = strtod(strsep(&rest, ","), NULL);
        const long double tail = strtold(rest, NULL);
        const struct nb_arrivals arrivals = queue_inputs(atoll(radix));
        struct nb_distribution distribution;
        queue_must_find(&arrivals, queue_load(load), &distribution);
        const double error = nb_distribution_tail_error(&distribution, depth);
        const long double off =
            fabsl(tail / wide_tail(&distribution, depth) - 1);
        if (tail < 1e-400L) { /* below the range of stored tails */
            const struct nb_bracket bracket =
                nb_distribution_tail_bracket(&distribution, depth);
            assert_true(bracket.lower == 0 && bracket.upper == DBL_TRUE_MIN);
        } else {
            QUEUE_CHECK(off <= error + LDBL_EPSILON && error < 0.5,
                        "radix %s, load %s, depth %g: %Lg off, error %g", radix,
                        load, depth, off, error);
            most = off > most ? off : most;
        }
        nb_distribution_release(&distribution);
        count++;
    }
    fclose(file);
    assert_true(count > 150 && most > 1e-10L);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_far_reference),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
