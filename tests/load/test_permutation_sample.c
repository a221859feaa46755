/* Samples of permutations: their statistics by hand, with any number of
 * threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/cases.h"
#include "../support/graphs.h"
#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "core/random.h"
#include "load/permutation_sample.h"

#include <math.h>

/* Only by the channels between routers: other peak, other throughput. */
static void sample_open(const struct problem *problem,
                        enum nb_permutation_kernel kernel,
                        struct nb_permutation_loads *loads)
{
    assert_int_equal(
        nb_permutation_loads_find(&problem->routing, kernel, NULL, loads, NULL),
        NB_OK);
    loads->terminal_limit = nb_ratio_infinity;
}

static void sample_must_draw(const struct nb_permutation_loads *loads,
                             uint64_t seed, size_t count, int threads,
                             struct nb_permutation_sample *out)
{
    const struct nb_run run = { .threads = threads };
    assert_int_equal(
        nb_permutation_sample_draw(loads, seed, count, &run, out, NULL), NB_OK);
    assert_int_equal(out->count, count);
}

static double sample_value(const struct nb_permutation_loads *loads,
                           union nb_load_cell peak)
{
    const struct nb_enclosure found = nb_permutation_throughput(loads, peak);
    return nb_ratio_is_known(found.exact) ? nb_ratio_value(found.exact)
                                          : (found.lower + found.upper) / 2;
}

/* The throughput of every permutation by its number, one after another. */
static double *sample_one_by_one(const struct nb_permutation_loads *loads,
                                 uint64_t seed, size_t count)
{
    double *value = nb_new_array(count, sizeof *value);
    uint32_t *permutation =
        nb_new_array(loads->terminal_count, sizeof *permutation);
    union nb_load_cell *sum = nb_new_array(loads->channel_count, sizeof *sum),
                       peak;
    assert_true(value != NULL && permutation != NULL && sum != NULL);
    for (size_t i = 0; i < count; i++) {
        struct nb_random random;
        nb_random_init(&random, seed, i);
        nb_random_permutation(&random, (uint32_t)loads->terminal_count,
                              permutation);
        nb_permutation_peaks(loads, 1, permutation, sum, &peak);
        value[i] = sample_value(loads, peak);
    }
    nb_delete(permutation);
    nb_delete(sum);
    return value;
}

/* Whether at least percent of the values lie at or below the limit, and fewer
 * below. */
static bool sample_is_quantile(const double *value, size_t count, double limit,
                               unsigned percent)
{
    size_t below = 0, upto = 0;
    for (size_t i = 0; i < count; i++) {
        below += value[i] < limit;
        upto += value[i] <= limit;
    }
    return 100 * upto >= percent * count && 100 * below < percent * count;
}

/* Distance of the sample's mean from that of the sample tilted to this mean, in
 * the tilted sample's deviations. */
static double sample_deviations_to(const struct nb_permutation_sample *sample,
                                   const double *value, double to)
{
    double low = -2e3, high = 2e3;
    long double mean = 0, plain = 0, variance = 0;
    for (int i = 0; i < 200; i++) {
        const double tilt = (low + high) / 2;
        long double weights = 0, sum = 0, squares = 0, all = 0, count = 0;
        for (size_t p = 0; p < sample->count; p++) {
            if (isinf(value[p]))
                continue;
            const long double weight =
                expl((long double)tilt * (value[p] - to));
            weights += weight;
            sum += weight * value[p];
            squares += weight * (value[p] - to) * (value[p] - to);
            all += value[p];
            count++;
        }
        mean = sum / weights;
        plain = all / count;
        variance = squares / weights / count; /* deviation about its mean,
                                               * `to` */
        *(mean > to ? &high : &low) = tilt;
    }
    return (double)((mean - plain) / sqrtl(variance));
}

static void sample_check_mean(const struct nb_permutation_loads *loads,
                              const struct nb_permutation_sample *sample,
                              const double *value, const char *name)
{
    long double sum = 0;
    double least = INFINITY, most = 0;
    size_t busy = 0;
    for (size_t i = 0; i < sample->count; i++)
        if (!isinf(value[i])) {
            sum += value[i];
            least = fmin(least, value[i]);
            most = fmax(most, value[i]);
            busy++;
        }
    const double mean = (double)(sum / busy);
    const struct nb_interval found = sample->mean;
    TOPOLOGY_CHECK(sample->idle_count == sample->count - busy, "%s", name);
    TOPOLOGY_CHECK(fabs(found.value - mean) <= 1e-13 * mean,
                   "%s: %.17g, not %.17g", name, found.value, mean);
    if (loads->kernel == NB_KERNEL_FIXED) {
        TOPOLOGY_CHECK(found.upper - found.lower <= 1e-13 * mean, "%s", name);
    } else if (most - least <= 1e-13 * most) { /* other values are possible */
        const double others = 1 - pow(0.05, 1.0 / (double)busy);
        TOPOLOGY_CHECK(fabs(found.lower - mean * (1 - others)) <=
                               1e-12 * mean &&
                           isinf(found.upper),
                       "%s: [%.17g, %.17g]", name, found.lower, found.upper);
    } else { /* 1.963 is Student's t of 776 */
        TOPOLOGY_CHECK(
            fabs(sample_deviations_to(sample, value, found.lower) + 1.963) <=
                    1e-3 &&
                fabs(sample_deviations_to(sample, value, found.upper) -
                     1.963) <= 1e-3 &&
                found.lower >= least * (1 - 1e-12) &&
                found.upper <= most * (1 + 1e-12),
            "%s: [%.17g, %.17g], %.6g %.6g of %zu", name, found.lower,
            found.upper, sample_deviations_to(sample, value, found.lower),
            sample_deviations_to(sample, value, found.upper), busy);
    }
}

static void sample_check_order(const struct nb_permutation_loads *loads,
                               const struct nb_permutation_sample *sample,
                               const double *value, const char *name)
{
    for (unsigned percent = 1; percent <= 100; percent++) {
        const double found = sample_value(
            loads, nb_permutation_sample_quantile(sample, percent));
        TOPOLOGY_CHECK(sample_is_quantile(value, sample->count, found, percent),
                       "%s: %u %%: %.17g", name, percent, found);
    }
    for (size_t i = 0; i < sample->count; i++)
        TOPOLOGY_CHECK(i < sample->worst ? value[i] > value[sample->worst]
                                         : value[i] >= value[sample->worst],
                       "%s: worst %zu, not %zu", name, sample->worst, i);
    for (size_t first = 0, end; first < sample->count; first = end) {
        end = nb_permutation_sample_run(loads, sample, first);
        assert_true(end > first);
        const double own = sample_value(loads, sample->peak[first]);
        size_t same = 0;
        for (size_t i = 0; i < sample->count; i++)
            same += value[i] == own;
        TOPOLOGY_CHECK(same == end - first, "%s: %.17g: %zu, not %zu", name,
                       own, end - first, same);
    }
}

/* The worst permutation, looked up again, has the least throughput. */
static void sample_check_worst(const struct nb_permutation_loads *loads,
                               const struct nb_permutation_sample *sample)
{
    union nb_load_cell *sum = nb_new_array(loads->channel_count, sizeof *sum),
                       peak;
    assert_non_null(sum);
    nb_permutation_peaks(loads, 1, sample->worst_permutation, sum, &peak);
    assert_int_equal(nb_permutation_peak_compare(loads, peak, sample->peak[0]),
                     0);
    nb_delete(sum);
}

static void sample_check(const struct problem *problem, const char *name)
{
    static size_t examples;
    if (!nb_cases_have(examples++, 4))
        return;
    enum { COUNT = 777, SEED = 5 };
    struct nb_permutation_loads loads = { 0 };
    struct nb_permutation_sample sample = { 0 };
    sample_open(problem, NB_KERNEL_BEST, &loads);
    sample_must_draw(&loads, SEED, COUNT, 2, &sample);
    double *value = sample_one_by_one(&loads, SEED, COUNT);
    sample_check_mean(&loads, &sample, value, name);
    sample_check_order(&loads, &sample, value, name);
    sample_check_worst(&loads, &sample);
    nb_delete(value);
    nb_permutation_sample_release(&sample);
    nb_permutation_sample_release(&sample);
    nb_permutation_loads_release(&loads);
}

static void test_statistics_by_hand(void **state)
{
    (void)state;
    struct problem layers;
    problem_each_example(sample_check);
    graph_open_layers(16, 4, &layers);
    sample_check(&layers, "layers");
    problem_close(&layers);
}

/* Where every permutation is carried at rate 1, or at more without the
 * terminals' own channels, each has throughput 1, including those that load no
 * channel. */
static void test_terminals_limit(void **state)
{
    (void)state;
    static const char *const names[] = { "rcar@fattree:k=2,n=2",
                                         "rrr@fattree:k=3,n=3",
                                         "min@fattree:k=2,n=3,bandwidth=5/3" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct problem problem;
        struct nb_permutation_loads loads = { 0 };
        struct nb_permutation_sample sample = { 0 };
        problem_open_example(&problem, names[i]);
        assert_int_equal(nb_permutation_loads_find(&problem.routing,
                                                   NB_KERNEL_BEST, NULL, &loads,
                                                   NULL),
                         NB_OK);
        sample_must_draw(&loads, 3, 500, 2, &sample);
        for (size_t p = 0; p < sample.count; p++)
            TOPOLOGY_CHECK(sample_value(&loads, sample.peak[p]) == 1, "%s: %zu",
                           names[i], p);
        /* What is seen 500 times holds for a share of 0.994 of all
         * permutations, unless it is known for all. */
        const double others = 1 - pow(0.05, 1.0 / 500);
        const bool is_fixed = loads.kernel == NB_KERNEL_FIXED;
        TOPOLOGY_CHECK(
            sample.idle_count == 0 && sample.mean.value == 1 &&
                sample.mean.upper == 1 && sample.mean.lower <= 1 &&
                fabs(sample.mean.lower - (is_fixed ? 1 : 1 - others)) < 1e-12,
            "%s: %.17g [%.17g, %.17g]", names[i], sample.mean.value,
            sample.mean.lower, sample.mean.upper);
        nb_permutation_sample_release(&sample);
        nb_permutation_loads_release(&loads);
        problem_close(&problem);
    }
}

/* Samples of several blocks of work. */
static void sample_check_threads(const struct problem *problem,
                                 const char *name)
{
    enum { COUNT = 3000 };
    struct nb_permutation_loads loads = { 0 };
    struct nb_permutation_sample first = { 0 };
    sample_open(problem, NB_KERNEL_BEST, &loads);
    sample_must_draw(&loads, 9, COUNT, 1, &first);
    for (int threads = 2; threads <= 4; threads++) {
        struct nb_permutation_sample sample = { 0 };
        sample_must_draw(&loads, 9, COUNT, threads, &sample);
        assert_memory_equal(sample.peak, first.peak,
                            COUNT * sizeof *first.peak);
        assert_memory_equal(sample.worst_permutation, first.worst_permutation,
                            loads.terminal_count * sizeof(uint32_t));
        TOPOLOGY_CHECK(sample.worst == first.worst &&
                           sample.mean.value == first.mean.value &&
                           sample.mean.lower == first.mean.lower &&
                           sample.mean.upper == first.mean.upper,
                       "%s: %d threads", name, threads);
        nb_permutation_sample_release(&sample);
    }
    nb_permutation_sample_release(&first);
    nb_permutation_loads_release(&loads);
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    static const char *const names[] = { "rlb@torus:8x8", "dor@torus:8x8",
                                         "dor@torus:12x12",
                                         "min@mesh:5x5,terminals=3" };
    struct problem layers;
    problem_each_of(names, sizeof names / sizeof *names, sample_check_threads);
    graph_open_layers(16, 4, &layers);
    sample_check_threads(&layers, "layers");
    problem_close(&layers);
}

static void test_failing_memory(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_permutation_loads loads = { 0 };
    const struct nb_run run = { .threads = 2 };
    problem_open_example(&problem, "dor@torus:3x3");
    sample_open(&problem, NB_KERNEL_BEST, &loads);
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    long allowed = 0;
    for (; status == NB_NO_MEMORY && allowed < 100; allowed++) {
        struct nb_permutation_sample sample;
        nb_memory_allow(allowed);
        status =
            nb_permutation_sample_draw(&loads, 1, 1000, &run, &sample, NULL);
        nb_memory_allow(-1);
        if (status == NB_OK)
            nb_permutation_sample_release(&sample);
        TOPOLOGY_CHECK(nb_memory_live_blocks() == before,
                       "leaks after %ld allocations", allowed);
    }
    TOPOLOGY_CHECK(status == NB_OK && allowed > 5, "%ld", allowed);
    nb_permutation_loads_release(&loads);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistics_by_hand),
        cmocka_unit_test(test_terminals_limit),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
