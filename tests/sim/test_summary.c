/* Means of tallies over replications: neighbours are merged as far as the rule
 * goes, which is followed here batch by batch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/random.h"
#include "sim/network.h"
#include "sim/summary.h"
#include "support/simulation.h"

#include <gsl/gsl_errno.h>
#include <math.h>

enum { MOST = 128 }; /* total number of batches */

/* Each equal to the one before it with this probability, else 0 or 1. */
static void draw_batches(struct nb_random *random, double same, size_t count,
                         double *value)
{
    for (size_t b = 0; b < count; b++)
        value[b] = b > 0 && nb_random_unit(random) < same
                       ? value[b - 1]
                       : (double)nb_random_below(random, 2);
}

/* The counts of a simulation. */
static void fill_tally(const double *value, size_t count,
                       struct nb_tally *tally)
{
    *tally = (struct nb_tally){ 0 };
    for (size_t b = 0; b < count; b++) {
        tally->sum += value[b];
        tally->square += value[b] * value[b];
    }
    for (size_t m = 0; m < NB_MERGES; m++) {
        const size_t each = (size_t)2 << m;
        for (size_t b = 0; b + each <= count; b += each) {
            double part = 0;
            for (size_t i = b; i < b + each; i++)
                part += value[i];
            tally->merged[m] += part * part;
        }
    }
}

/* Of squares of deviations from a mean. */
static double sum_squares(const double *value, size_t count, double mean)
{
    double sum = 0;
    for (size_t b = 0; b < count; b++)
        sum += (value[b] - mean) * (value[b] - mean);
    return sum;
}

/* Merges neighbours by the rule; returns how many are left. */
static size_t merge_batches(double *value, size_t count, size_t each,
                            double mean)
{
    for (; each % 2 == 0 && count / 2 >= 8; each /= 2, count /= 2, mean *= 2) {
        double pair[MOST];
        for (size_t b = 0; b < count / 2; b++)
            pair[b] = value[2 * b] + value[2 * b + 1];
        const double n = (double)count;
        const double one = sum_squares(value, count, mean) / (n - 1);
        const double two = sum_squares(pair, count / 2, 2 * mean) / (n / 2 - 1);
        if (!(two / (2 * one) - 1 > 0.5 * sqrt(2 / n)))
            break;
        for (size_t b = 0; b < count / 2; b++)
            value[b] = pair[b];
    }
    return count;
}

static void test_merged(void **state)
{
    enum { EACH = 64, LENGTH = 5, TRIALS = 400 };
    size_t merged[2] = { 0 };
    (void)state;
    for (size_t trial = 0; trial < TRIALS; trial++) {
        const size_t replications = 1 + trial % 2;
        const size_t count = replications * EACH;
        double value[MOST];
        struct nb_random random;
        struct nb_tally tally[2];
        struct nb_network networks[2] = { 0 };
        nb_random_init(&random, SIMULATION_SEED(trial), 0);
        for (size_t i = 0; i < replications; i++) {
            draw_batches(&random, (double)(trial % 5) / 8, EACH,
                         value + i * EACH);
            fill_tally(value + i * EACH, EACH, &tally[i]);
            networks[i].measure.use = &tally[i];
            networks[i].measure.batch_count = EACH;
            networks[i].measure.batch_length = LENGTH;
        }
        const struct nb_replications all =
            nb_replications_of(networks, replications);
        const struct nb_estimate found = nb_replications_tally(
            &all, offsetof(struct nb_measure, use), 0, 0.95);
        double mean = 0;
        for (size_t b = 0; b < count; b++)
            mean += value[b] / (double)count;
        const size_t left = merge_batches(value, count, EACH, mean);
        const double k = (double)left, parts = (double)(count / left);
        const double half_width =
            nb_t_quantile(0.95, left) *
            sqrt(sum_squares(value, left, parts * mean) / (k - 1) / k) /
            (parts * LENGTH);
        SIMULATION_CHECK(
            fabs(found.mean - mean / LENGTH) < 1e-12 &&
                fabs(found.half_width - half_width) < 1e-9 * half_width,
            "trial %zu: %g +- %.12g, not %g +- %.12g", trial, found.mean,
            found.half_width, mean / LENGTH, half_width);
        merged[left < count]++;
    }
    assert_true(merged[0] > TRIALS / 5 && merged[1] > TRIALS / 5);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
