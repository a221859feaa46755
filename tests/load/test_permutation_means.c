/* Means over random permutations: against all permutations of small networks,
 * and independently computed values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"
#include "../support/walk.h"

#include "core/memory.h"
#include "load/permutation_sample.h"

#include <math.h>

static void mean_open(const struct problem *problem,
                      enum nb_permutation_kernel kernel,
                      struct nb_permutation_loads *loads)
{
    assert_int_equal(
        nb_permutation_loads_find(&problem->routing, kernel, NULL, loads, NULL),
        NB_OK);
}

static void mean_must_draw(const struct nb_permutation_loads *loads,
                           uint64_t seed, size_t count, int threads,
                           struct nb_permutation_sample *out)
{
    const struct nb_run run = { .threads = threads };
    assert_int_equal(
        nb_permutation_sample_draw(loads, seed, count, &run, out, NULL), NB_OK);
    assert_int_equal(out->count, count);
}

/* The next permutation in lexicographic order; false after the last. */
static bool mean_next(uint32_t *permutation, size_t n)
{
    size_t i = n - 1, j = n - 1;
    while (i > 0 && permutation[i - 1] > permutation[i])
        i--;
    if (i == 0)
        return false;
    while (permutation[j] < permutation[i - 1])
        j--;
    uint32_t kept = permutation[i - 1];
    permutation[i - 1] = permutation[j];
    permutation[j] = kept;
    for (j = n - 1; i < j; i++, j--) {
        kept = permutation[i];
        permutation[i] = permutation[j];
        permutation[j] = kept;
    }
    return true;
}

/* Throughput by the walks of every pair, one terminal per router. */
static double mean_walked(const struct problem *problem,
                          const struct nb_ratio *all,
                          const uint32_t *permutation)
{
    const struct nb_topology *topology = &problem->topology;
    const size_t n = topology->router_count, m = topology->channel_count;
    struct nb_ratio most = nb_ratio_zero;
    for (size_t c = 0; c < m; c++) {
        struct nb_ratio load = nb_ratio_zero;
        for (size_t i = 0; i < n; i++)
            load = nb_ratio_add(load, all[(i * n + permutation[i]) * m + c]);
        if (nb_ratio_compare(load, most) > 0)
            most = load;
    }
    return nb_ratio_value(nb_ratio_divide(nb_ratio_one, most));
}

/* Mean and variance over all permutations that load a channel. */
static void mean_all(const struct problem *problem, const char *name,
                     double *mean, double *variance)
{
    uint32_t permutation[8];
    const size_t n = problem->topology.router_count;
    struct nb_ratio *all = walk_all_pairs(&problem->routing, name);
    double count = 0, sum = 0, squares = 0;
    assert_true(n <= 8);
    for (uint32_t i = 0; i < n; i++)
        permutation[i] = i;
    do {
        const double value = mean_walked(problem, all, permutation);
        if (!isinf(value)) {
            count++;
            sum += value;
            squares += value * value;
        }
    } while (mean_next(permutation, n));
    *mean = sum / count;
    *variance = squares / count - *mean * *mean;
    nb_delete(all);
}

/* Intervals of few permutations contain the mean over all, here or of 400,000
 * on the torus, for 95 % of seeds: within four deviations of a count of them,
 * except where a few values of small, skewed distributions do not permit it. */
static void test_coverage(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t count;
        double mean; /* 0: of all */
    } cases[] = {
        { "dor@ring:5", 100, 0 },          { "romm@mesh:3x2", 100, 0 },
        { "dor@torus:4x4", 50, 0.68458 },  { "dor@torus:4x4", 100, 0.68458 },
        { "dor@torus:4x4", 400, 0.68458 },
    };
    enum { SEEDS = 1000 };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct problem problem;
        struct nb_permutation_loads loads = { 0 };
        double mean = cases[k].mean, variance;
        int held = 0;
        problem_open_example(&problem, cases[k].name);
        if (mean == 0)
            mean_all(&problem, cases[k].name, &mean, &variance);
        mean_open(&problem, NB_KERNEL_BEST, &loads);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct nb_permutation_sample sample = { 0 };
            mean_must_draw(&loads, seed, cases[k].count, 0, &sample);
            held += sample.mean.lower <= mean && mean <= sample.mean.upper;
            nb_permutation_sample_release(&sample);
        }
        TOPOLOGY_CHECK(held >= 923 && held <= 980, "%s, %zu: %d", cases[k].name,
                       cases[k].count, held);
        nb_permutation_loads_release(&loads);
        problem_close(&problem);
    }
}

/* The true mean lies in the interval (as for 19 seeds in 20), and the interval
 * is as wide as expected. */
static void test_all_permutations_of_small_networks(void **state)
{
    (void)state;
    static const char *const names[] = { "dor@ring:4",    "rlb@ring:4",
                                         "min@torus:2x2", "dor@torus:3x2",
                                         "romm@mesh:3x2", "min@complete:5" };
    enum { COUNT = 40000 };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct problem problem;
        struct nb_permutation_loads loads = { 0 };
        struct nb_permutation_sample sample = { 0 };
        double mean, variance;
        problem_open_example(&problem, names[k]);
        mean_all(&problem, names[k], &mean, &variance);
        mean_open(&problem, NB_KERNEL_BEST, &loads);
        mean_must_draw(&loads, 1, COUNT, 0, &sample);
        TOPOLOGY_CHECK(sample.mean.lower <= mean && mean <= sample.mean.upper,
                       "%s: %.17g not in [%.17g, %.17g]", names[k], mean,
                       sample.mean.lower, sample.mean.upper);
        const double width = 1.96 * sqrt(variance / COUNT);
        /* A sample cannot show that all permutations have equal throughput. */
        const bool is_alike = variance <= 1e-13;
        TOPOLOGY_CHECK(is_alike ? sample.mean.lower > mean * (1 - 1e-4)
                                : fabs(sample.mean.upper - sample.mean.value -
                                       width) <= 0.05 * width + 1e-13,
                       "%s: %g, not %g", names[k],
                       sample.mean.upper - sample.mean.value, width);
        nb_permutation_sample_release(&sample);
        nb_permutation_loads_release(&loads);
        problem_close(&problem);
    }
}

/* Half of capacity for any permutation, added up pair by pair. */
static void test_val_is_always_half(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct nb_ratio half; /* of capacity [DallyTowles2004] */
    } cases[] = {
        { "val@torus:8x8", { 1, 2 } },
        { "val@ring:5", { 5, 6 } },
        { "val@torus:5x5", { 5, 6 } },
        { "val@hypercube:4", { 1, 1 } },
        { "val@complete:6", { 3, 1 } },
        { "val@torus:4x4", { 1, 1 } },
        { "val@torus:8x8,terminals=2,terminal-bandwidth=unlimited", { 1, 4 } },
    };
    static const enum nb_permutation_kernel kernels[] = { NB_KERNEL_BEST,
                                                          NB_KERNEL_LISTED,
                                                          NB_KERNEL_DENSE };
    for (size_t k = 0; k < 3 * sizeof cases / sizeof *cases; k++) {
        struct problem problem;
        struct nb_permutation_loads loads = { 0 };
        struct nb_permutation_sample sample = { 0 };
        problem_open_example(&problem, cases[k / 3].name);
        mean_open(&problem, kernels[k % 3], &loads);
        mean_must_draw(&loads, 3, 500, 0, &sample);
        assert_int_equal(nb_permutation_sample_run(&loads, &sample, 0), 500);
        ratio_must_equal(
            nb_permutation_throughput(&loads, sample.peak[0]).exact,
            cases[k / 3].half, cases[k / 3].name);
        /* The kernel chosen proves it for all permutations; others find it in
         * 500. */
        const double half = nb_ratio_value(cases[k / 3].half);
        assert_true(sample.mean.value == half && sample.mean.lower <= half &&
                    sample.mean.upper >= half);
        assert_true(loads.kernel == NB_KERNEL_FIXED
                        ? sample.mean.upper - sample.mean.lower < 1e-14
                        : sample.mean.lower < 0.995 * half &&
                              isinf(sample.mean.upper));
        assert_true((k % 3 == 0) == (loads.kernel == NB_KERNEL_FIXED));
        nb_permutation_sample_release(&sample);
        nb_permutation_loads_release(&loads);
        problem_close(&problem);
    }
}

/* 8-ary 2-cube: means of 20,000 exact permutations each by an independent
 * program, standard errors 0.0002; [Singh2005, Table 3.3] prints 0.500 and
 * 0.314 for VAL and DOR, with spikes of DOR at 1/4, 1/3 and 1/2. */
static void test_means_on_the_cube(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double mean, tolerance;
    } cases[] = {
        { "dor:ties=parity@torus:8x8", 0.3145, 0.0012 },
        { "rlb@torus:8x8", 0.480, 0.0015 },
        { "rlbth@torus:8x8", 0.477, 0.0015 },
        { "romm@torus:8x8", 0.417, 0.0015 },
    };
    enum { COUNT = 20000 };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct problem problem;
        struct nb_permutation_loads loads = { 0 };
        struct nb_permutation_sample sample = { 0 };
        size_t spikes = 0;
        problem_open_example(&problem, cases[k].name);
        mean_open(&problem, NB_KERNEL_BEST, &loads);
        mean_must_draw(&loads, 2, COUNT, 0, &sample);
        TOPOLOGY_CHECK(fabs(sample.mean.value - cases[k].mean) <
                           cases[k].tolerance,
                       "%s: %g", cases[k].name, sample.mean.value);
        for (size_t p = 0; p < COUNT; p++) {
            const struct nb_ratio found =
                nb_permutation_throughput(&loads, sample.peak[p]).exact;
            spikes += found.numerator == 1 && found.denominator >= 2 &&
                      found.denominator <= 4;
        }
        if (k == 0)
            assert_int_equal(spikes, COUNT);
        nb_permutation_sample_release(&sample);
        nb_permutation_loads_release(&loads);
        problem_close(&problem);
    }
}

/* On two routers half of all permutations load no channel. */
static void test_hardly_any_load(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_permutation_loads loads = { 0 };
    bool is_seen[3] = { false, false, false };
    problem_open_example(&problem, "min@complete:2");
    mean_open(&problem, NB_KERNEL_BEST, &loads);
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct nb_permutation_sample sample = { 0 };
        mean_must_draw(&loads, seed, 2, 1, &sample);
        is_seen[sample.idle_count] = true;
        assert_true(sample.idle_count == 2 ? isinf(sample.mean.value)
                                           : sample.mean.value == 1);
        /* Other values are possible, and may even be in the majority; if none
         * was drawn, nothing is known of them. */
        const double least[] = { 0.223, 0.049, 0 };
        assert_true(isinf(sample.mean.upper) &&
                    sample.mean.lower >= least[sample.idle_count]);
        assert_true(sample.idle_count == 2 || sample.mean.lower < 0.224);
        nb_permutation_sample_release(&sample);
    }
    assert_true(is_seen[0] && is_seen[1] && is_seen[2]);
    nb_permutation_loads_release(&loads);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_all_permutations_of_small_networks),
        cmocka_unit_test(test_val_is_always_half),
        cmocka_unit_test(test_means_on_the_cube),
        cmocka_unit_test(test_hardly_any_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
