/* Delays over paths and mixtures of paths: published values, bounds, order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/twofold_wide.h"

#include "core/memory.h"
#include "core/random.h"
#include "queueing/arrivals.h"
#include "queueing/path_delay.h"

#include <gsl/gsl_errno.h>

#include <float.h>
#include <math.h>

#define CHECK(condition, ...)                                                  \
    do {                                                                       \
        if (!(condition))                                                      \
            fail_msg("" #condition ": " __VA_ARGS__);                          \
    } while (0)

enum kind { QUEUE, WAIT };

/* A hop of radix inputs at load numerator/1000. */
static void make_hop(enum kind kind, int64_t numerator, int64_t radix,
                     struct nb_hop_delay *out)
{
    const struct nb_arrivals arrivals = { .radix = radix };
    const struct nb_queue_load load =
        nb_load_of_ratio(nb_ratio_make(numerator, 1000));
    struct nb_distribution queue = { 0 };
    assert_int_equal(nb_arrivals_law(&arrivals, load, &queue, NULL), NB_OK);
    if (kind == QUEUE) {
        out->distribution = queue;
    } else {
        assert_int_equal(nb_distribution_wait(&queue, &out->distribution, NULL),
                         NB_OK);
        nb_distribution_release(&queue);
    }
    const struct nb_bracket mean = nb_distribution_mean(&out->distribution);
    const struct nb_bracket variance =
        nb_distribution_variance(&out->distribution);
    out->mean = (struct nb_enclosure){ { 0, 0 }, mean.lower, mean.upper };
    out->variance =
        (struct nb_enclosure){ { 0, 0 }, variance.lower, variance.upper };
}

/* One path for each count of hops, all over the same kind of queue. */
static enum nb_status
make_delay(const struct nb_hop_delay *hop, const size_t *counts,
           const struct nb_ratio *weights, size_t path_count, double overflow,
           struct nb_delay *out, double *reach, double *chernoff)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&out->paths, path_count, sizeof *out->paths, "paths", NULL));
    out->path_count = path_count;
    for (size_t i = 0; i < path_count; i++) {
        struct nb_delay_path *path = &out->paths[i];
        NB_TRY(nb_delay_path_reserve(path, counts[i], NULL));
        path->weight = weights[i];
        for (size_t k = 0; k < counts[i]; k++) {
            path->hops[k] = hop;
            path->distributions[k] = &hop->distribution;
        }
    }
    NB_TRY(nb_delay_reach(out, overflow, reach, chernoff, NULL));
    NB_TRY(nb_delay_convolve(out, *reach, NULL));
done:
    return status;
}

/* 16 inputs at 0.8 over five hops: means by Singh's equation 7.3 and Little's
 * law, 2.3 and 1.875 per hop. */
static void test_means(void **state)
{
    static const double means[] = { [QUEUE] = 16.5, [WAIT] = 14.375 };
    const size_t five = 5;
    (void)state;
    for (enum kind kind = QUEUE; kind <= WAIT; kind++) {
        struct nb_hop_delay hop = { 0 };
        struct nb_delay delay = { 0 };
        double reach, chernoff, sum = 0, square = 0;
        make_hop(kind, 800, 16, &hop);
        assert_int_equal(make_delay(&hop, &five, &nb_ratio_one, 1, 1e-40,
                                    &delay, &reach, &chernoff),
                         NB_OK);
        const struct nb_enclosure mean = nb_delay_mean(&delay);
        const struct nb_enclosure variance = nb_delay_variance(&delay);
        CHECK(mean.lower <= means[kind] && means[kind] <= mean.upper,
              "[%.17g, %.17g]", mean.lower, mean.upper);
        for (double d = 1; d <= reach;
             d++) { /* sums of the distribution's tails */
            const double tail = nb_delay_tail(&delay, d).upper;
            sum += tail;
            square += (2 * d - 1) * tail;
        }
        CHECK(fabs(sum - means[kind]) < 1e-12, "%.17g", sum);
        CHECK(fabs(square - sum * sum - variance.lower) < 1e-10, "%.17g",
              square - sum * sum);
        nb_delay_release(&delay);
        nb_distribution_release(&hop.distribution);
    }
}

/* One queue of 8 inputs at 0.8: the balance of its states solved in exact
 * fractions, rounded to five digits. */
static void test_waits(void **state)
{
    static const struct {
        double more_than, probability;
    } waits[] = {
        { 0, 0.66924 }, { 1, 0.41709 }, { 5, 0.05929 }, { 12, 0.00195 }
    };
    const size_t one = 1;
    struct nb_hop_delay hop = { 0 };
    struct nb_delay delay = { 0 };
    double reach, chernoff;
    (void)state;
    make_hop(WAIT, 800, 8, &hop);
    assert_int_equal(make_delay(&hop, &one, &nb_ratio_one, 1, 1e-15, &delay,
                                &reach, &chernoff),
                     NB_OK);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        const struct nb_bracket tail =
            nb_delay_tail(&delay, waits[i].more_than + 2);
        CHECK(fabs(tail.lower - waits[i].probability) < 6e-6,
              "more than %g: %.17g", waits[i].more_than, tail.lower);
    }
    nb_delay_release(&delay);
    nb_distribution_release(&hop.distribution);
}

/* Bracket, bound and quantiles of a mixture agree with each other. */
static void check_order(const struct nb_delay *delay, double overflow,
                        double reach, double chernoff)
{
    const struct nb_bracket depth =
        nb_delay_quantile(delay, NULL, overflow, chernoff);
    CHECK(depth.lower == depth.upper && depth.upper < chernoff &&
              chernoff <= reach,
          "%g <= %g <= %g <= %g", depth.lower, depth.upper, chernoff, reach);
    CHECK(nb_delay_tail(delay, depth.upper + 1).upper <= overflow &&
              nb_delay_tail(delay, depth.upper).lower > overflow,
          "quantile %g", depth.upper);
    for (double d = 0; d <= reach; d++) {
        struct nb_deviation deviation;
        long double sum = 0;
        const struct nb_bracket tail = nb_delay_tail(delay, d);
        assert_int_equal(nb_delay_deviation(delay, d, &deviation, NULL), NB_OK);
        CHECK(tail.lower <= tail.upper && tail.lower <= deviation.chernoff,
              "d %g: [%g, %g], bound %g", d, tail.lower, tail.upper,
              deviation.chernoff);
        for (size_t i = 0; i < delay->path_count; i++)
            sum += (long double)nb_ratio_value(delay->paths[i].weight) *
                   (long double)nb_delay_path_tail(&delay->paths[i], d).lower;
        CHECK(fabsl(sum / (long double)tail.upper - 1) < 1e-11L,
              "d %g: [%.17g, %.17g], paths' %.17Lg", d, tail.lower, tail.upper,
              sum);
    }
}

static void test_mixtures(void **state)
{
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 3, 1);
    for (int trial = 0; trial < 30; trial++) {
        struct nb_hop_delay hop = { 0 };
        struct nb_delay delay = { 0 };
        size_t counts[3];
        struct nb_ratio weights[3] = { { 1, 256 }, { 15, 256 }, { 15, 16 } };
        const double overflow = pow(10, -20 * nb_random_unit(&random)) / 2;
        double reach, chernoff;
        for (size_t i = 0; i < 3; i++)
            counts[i] = 1 + nb_random_below(&random, 7);
        make_hop(trial % 2 == 0 ? QUEUE : WAIT,
                 1 + (int64_t)nb_random_below(&random, 940),
                 2 + (int64_t)nb_random_below(&random, 20), &hop);
        assert_int_equal(make_delay(&hop, counts, weights, 3, overflow, &delay,
                                    &reach, &chernoff),
                         NB_OK);
        check_order(&delay, overflow, reach, chernoff);
        nb_delay_release(&delay);
        nb_distribution_release(&hop.distribution);
    }
}

/* More load or more inputs delay more, at every probability. */
static void test_monotone(void **state)
{
    static const int64_t steps[][2] = { { 100, 4 },  { 300, 4 },  { 300, 16 },
                                        { 700, 16 }, { 900, 16 }, { 900, 64 },
                                        { 990, 64 } };
    const size_t count = 3;
    double last[60] = { 0 };
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct nb_hop_delay hop = { 0 };
        struct nb_delay delay = { 0 };
        double reach, chernoff;
        make_hop(QUEUE, steps[i][0], steps[i][1], &hop);
        assert_int_equal(make_delay(&hop, &count, &nb_ratio_one, 1, 1e-200,
                                    &delay, &reach, &chernoff),
                         NB_OK);
        for (int d = 0; d < 60; d++) {
            const struct nb_bracket tail = nb_delay_tail(&delay, d);
            CHECK(tail.upper >= last[d], "step %zu, d %d: %g after %g", i, d,
                  tail.upper, last[d]);
            last[d] = tail.lower;
        }
        nb_delay_release(&delay);
        nb_distribution_release(&hop.distribution);
    }
}

/* A queue of one input holds at most one packet, so nobody ever waits for more
 * than one per hop: that probability is 0. One that is only too small to be
 * listed is not. */
static void test_never(void **state)
{
    (void)state;
    static const size_t hops[] = { 3 };
    for (int64_t numerator = 0; numerator <= 500; numerator += 500) {
        struct nb_hop_delay hop;
        struct nb_delay delay = { 0 };
        double reach, chernoff;
        make_hop(QUEUE, numerator, 1, &hop);
        assert_int_equal(make_delay(&hop, hops, &nb_ratio_one, 1, 1e-15, &delay,
                                    &reach, &chernoff),
                         NB_OK);
        const double end = numerator == 0 ? 4 : 7;
        const struct nb_bracket last = nb_delay_tail(&delay, end - 1);
        assert_true(last.lower > 0);
        const struct nb_bracket never = nb_delay_tail(&delay, end);
        CHECK(never.lower == 0 && never.upper == 0, "load %d/1000: %g",
              (int)numerator, never.upper);
        nb_delay_release(&delay);
        nb_distribution_release(&hop.distribution);
    }
    static const size_t many[] = { 1000 };
    struct nb_hop_delay hop = { .distribution = { 0 } };
    struct nb_delay delay = { 0 };
    double reach, chernoff;
    make_hop(QUEUE, 1, 1, &hop);
    hop.distribution.mass[1] = hop.distribution.tail[1] =
        wide_to_scaled(1e-18L);
    assert_int_equal(make_delay(&hop, many, &nb_ratio_one, 1, 1e-300, &delay,
                                &reach, &chernoff),
                     NB_OK);
    nb_distribution_release(&delay.paths[0].sum);
    assert_int_equal(nb_delay_convolve(&delay, 1900, NULL), NB_OK);
    assert_true(nb_delay_tail(&delay, 1800).upper > 0);
    /* Not one slot more than the hops take. */
    nb_distribution_release(&delay.paths[0].sum);
    assert_int_equal(nb_delay_convolve(&delay, 1000.5, NULL), NB_OK);
    nb_delay_release(&delay);
    nb_distribution_release(&hop.distribution);
}

static void test_failing_memory(void **state)
{
    static const size_t counts[] = { 1, 3 };
    static const struct nb_ratio weights[] = { { 1, 4 }, { 3, 4 } };
    struct nb_hop_delay hop = { 0 };
    (void)state;
    make_hop(QUEUE, 500, 4, &hop);
    const long live = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_delay delay = { 0 };
        double reach, chernoff;
        nb_memory_allow(allowed);
        status = make_delay(&hop, counts, weights, 2, 1e-9, &delay, &reach,
                            &chernoff);
        nb_memory_allow(-1);
        nb_delay_release(&delay);
        CHECK(nb_memory_live_blocks() == live, "%ld allowed: leaks", allowed);
    }
    assert_int_equal(status, NB_OK);
    nb_distribution_release(&hop.distribution);
}

/* A mean over many paths has four roundings per path. */
static void test_many_paths_round(void **state)
{
    enum { PATHS = 5000 };
    static size_t counts[PATHS];
    static struct nb_ratio weights[PATHS];
    struct nb_hop_delay hop = { 0 };
    struct nb_delay delay = { 0 };
    double reach, chernoff;
    (void)state;
    for (size_t i = 0; i < PATHS; i++) {
        counts[i] = 1;
        weights[i] = nb_ratio_make(1, PATHS);
    }
    make_hop(QUEUE, 500, 4, &hop);
    assert_int_equal(make_delay(&hop, counts, weights, PATHS, 1e-9, &delay,
                                &reach, &chernoff),
                     NB_OK);
    const struct nb_bracket all = nb_delay_tail(&delay, 3);
    const struct nb_bracket one = nb_delay_path_tail(&delay.paths[0], 3);
    /* Far less than the distance between doubles. */
    CHECK(all.lower <= one.lower && all.upper >= one.upper &&
              all.upper - all.lower <= 2 * DBL_EPSILON * all.upper,
          "[%.17g, %.17g] of [%.17g, %.17g]", all.lower, all.upper, one.lower,
          one.upper);
    nb_delay_release(&delay);
    nb_distribution_release(&hop.distribution);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_mixtures),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_never),
        cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_many_paths_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
