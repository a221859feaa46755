/* Mixtures of sums of distributions against each of their sums by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "queueing/arrivals.h"
#include "queueing/path_delay.h"

#include <gsl/gsl_errno.h>

#include <math.h>
#include <string.h>

#define CHECK(condition, ...)                                                  \
    do {                                                                       \
        if (!(condition))                                                      \
            fail_msg("" #condition ": " __VA_ARGS__);                          \
    } while (0)

enum { HOPS = 5, PARTS = 4, SHARES = 6, WIDEST = 3 };

/* Queues of several loads, and a mixture of paths over them. */
struct mixture {
    struct nb_hop_delay hops[HOPS];
    struct nb_delay delay;
};

static void make_hop(struct nb_random *random, struct nb_hop_delay *out)
{
    const struct nb_arrivals arrivals = { .radix = 1 + (int64_t)nb_random_below(
                                                           random, 12) };
    const struct nb_queue_load load = nb_load_of_ratio(
        nb_ratio_make((nb_int128)nb_random_below(random, 900), 1000));
    struct nb_ratio mean, variance;
    assert_int_equal(nb_arrivals_law(&arrivals, load, &out->distribution, NULL),
                     NB_OK);
    nb_arrivals_moments(&arrivals, load, &mean, &variance);
    out->mean = nb_enclosure_of_ratio(mean);
    out->variance = nb_enclosure_of_ratio(variance);
}

static enum nb_status make_mix(struct nb_random *random,
                               struct nb_distribution_mix *mix)
{
    enum nb_status status = NB_OK;
    for (int part = 0; part < NB_MIX_PARTS; part++) {
        mix->width[part] = nb_random_below(random, WIDEST + 1 - (unsigned)part);
        mix->width[part] += (size_t)part; /* number of distributions in total */
        mix->count[part] = PARTS;
        NB_TRY(nb_new(&mix->distributions[part], PARTS * mix->width[part],
                      sizeof *mix->distributions[part], "parts", NULL));
        for (size_t i = 0; i < PARTS * mix->width[part]; i++)
            mix->distributions[part][i] =
                (uint32_t)nb_random_below(random, HOPS);
    }
    NB_TRY(nb_new(&mix->shares, SHARES, sizeof *mix->shares, "shares", NULL));
    mix->share_count = SHARES;
    for (uint32_t i = 0; i < SHARES; i++) {
        mix->shares[i] = (struct nb_distribution_share){
            { (uint32_t)nb_random_below(random, PARTS), i * PARTS / SHARES },
            1 + nb_random_below(random, 9)
        };
        mix->total += mix->shares[i].weight;
    }
done:
    return status;
}

static enum nb_status make_mixture(uint64_t seed, struct mixture *out)
{
    struct nb_random random;
    enum nb_status status = NB_OK;
    nb_random_init(&random, seed, 1);
    NB_TRY(
        nb_new(&out->delay.paths, 1, sizeof *out->delay.paths, "path", NULL));
    out->delay.path_count = 1;
    struct nb_delay_path *path = out->delay.paths;
    NB_TRY(make_mix(&random, &path->mix));
    NB_TRY(nb_delay_path_reserve(path, HOPS, NULL));
    path->weight = nb_ratio_one;
    path->count = path->mix.width[0] + path->mix.width[1];
    for (size_t i = 0; i < HOPS; i++) {
        path->hops[i] = &out->hops[i];
        path->distributions[i] = &out->hops[i].distribution;
    }
done:
    return status;
}

static void make_hops(uint64_t seed, struct mixture *out)
{
    struct nb_random random;
    nb_random_init(&random, seed, 2);
    for (size_t i = 0; i < HOPS; i++)
        make_hop(&random, &out->hops[i]);
}

static void release_mixture(struct mixture *mixture)
{
    for (size_t i = 0; i < HOPS; i++)
        nb_distribution_release(&mixture->hops[i].distribution);
    nb_delay_release(&mixture->delay);
}

/* The same with one path for each share of the mixture. */
static void make_apart(const struct mixture *mixture, struct nb_delay *out)
{
    const struct nb_distribution_mix *mix = &mixture->delay.paths->mix;
    assert_int_equal(
        nb_new(&out->paths, SHARES, sizeof *out->paths, "paths", NULL), NB_OK);
    out->path_count = mix->share_count;
    for (size_t i = 0; i < mix->share_count; i++) {
        struct nb_delay_path *path = &out->paths[i];
        size_t hop = 0;
        assert_int_equal(
            nb_delay_path_reserve(path, mix->width[0] + mix->width[1], NULL),
            NB_OK);
        path->weight = nb_ratio_make((nb_int128)mix->shares[i].weight,
                                     (nb_int128)mix->total);
        for (int part = 0; part < NB_MIX_PARTS; part++)
            for (size_t j = 0; j < mix->width[part]; j++, hop++) {
                const size_t at =
                    mix->shares[i].part[part] * mix->width[part] + j;
                path->hops[hop] = &mixture->hops[mix->distributions[part][at]];
                path->distributions[hop] = &path->hops[hop]->distribution;
            }
    }
}

static void check_tails(uint64_t seed, const struct nb_delay *mixed,
                        const struct nb_delay *apart, double reach)
{
    for (double d = 0; d <= reach; d++) {
        struct nb_deviation bound, least;
        const struct nb_bracket a = nb_delay_tail(mixed, d);
        const struct nb_bracket b = nb_delay_tail(apart, d);
        assert_int_equal(nb_delay_deviation(mixed, d, &bound, NULL), NB_OK);
        assert_int_equal(nb_delay_deviation(apart, d, &least, NULL), NB_OK);
        CHECK(a.lower <= b.upper && b.lower <= a.upper &&
                  a.upper - a.lower <= 1e-11 * a.upper,
              "seed %llu, d %g: [%.17g, %.17g], [%.17g, %.17g]",
              (unsigned long long)seed, d, a.lower, a.upper, b.lower, b.upper);
        CHECK(bound.chernoff >= least.chernoff * (1 - 1e-9) &&
                  bound.chernoff >= a.lower,
              "seed %llu, d %g: %.17g, separate %.17g, tail %.17g",
              (unsigned long long)seed, d, bound.chernoff, least.chernoff,
              a.lower);
    }
}

static void check_moments(uint64_t seed, const struct nb_delay *mixed,
                          const struct nb_delay *apart)
{
    const struct nb_enclosure a[] = { nb_delay_mean(mixed),
                                      nb_delay_variance(mixed) };
    const struct nb_enclosure b[] = { nb_delay_mean(apart),
                                      nb_delay_variance(apart) };
    for (int i = 0; i < 2; i++)
        CHECK(a[i].lower <= b[i].upper && b[i].lower <= a[i].upper &&
                  a[i].upper - a[i].lower <= 1e-9 * (1 + a[i].upper),
              "seed %llu: [%.17g, %.17g], [%.17g, %.17g]",
              (unsigned long long)seed, a[i].lower, a[i].upper, b[i].lower,
              b[i].upper);
}

static void test_mixtures_are_their_paths(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct mixture mixture = { 0 };
        struct nb_delay apart = { 0 };
        double reach, sum, least_reach, least_sum;
        make_hops(seed, &mixture);
        assert_int_equal(make_mixture(seed, &mixture), NB_OK);
        make_apart(&mixture, &apart);
        assert_int_equal(
            nb_delay_reach(&mixture.delay, 1e-12, &reach, &sum, NULL), NB_OK);
        assert_int_equal(
            nb_delay_reach(&apart, 1e-12, &least_reach, &least_sum, NULL),
            NB_OK);
        CHECK(reach >= least_sum, "seed %llu: %g, %g", (unsigned long long)seed,
              reach, least_sum);
        assert_int_equal(nb_delay_convolve(&mixture.delay, reach, NULL), NB_OK);
        assert_int_equal(nb_delay_convolve(&apart, reach, NULL), NB_OK);
        check_tails(seed, &mixture.delay, &apart, reach);
        check_moments(seed, &mixture.delay, &apart);
        nb_delay_release(&apart);
        release_mixture(&mixture);
    }
}

/* For a single path, bound and estimate are that path's. */
static void test_one_share(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct mixture mixture = { 0 };
        struct nb_delay apart = { 0 };
        make_hops(seed, &mixture);
        assert_int_equal(make_mixture(seed, &mixture), NB_OK);
        struct nb_distribution_mix *mix = &mixture.delay.paths->mix;
        mix->share_count = 1;
        mix->total = mix->shares->weight;
        make_apart(&mixture, &apart);
        /* A distribution that is not used does not limit the bound. */
        for (size_t i = 0; i < HOPS; i++) {
            bool is_used = false;
            for (size_t j = 0; j < apart.paths->count; j++)
                is_used = is_used || apart.paths->hops[j] == &mixture.hops[i];
            if (!is_used)
                mixture.delay.paths->distributions[i] =
                    apart.paths->distributions[0];
        }
        for (double d = 0; d < 60; d += 7) {
            struct nb_deviation a, b;
            assert_int_equal(nb_delay_deviation(&mixture.delay, d, &a, NULL),
                             NB_OK);
            assert_int_equal(nb_delay_deviation(&apart, d, &b, NULL), NB_OK);
            CHECK(fabs(a.chernoff - b.chernoff) <= 1e-8 * b.chernoff &&
                      fabs(a.bahadur_rao - b.bahadur_rao) <=
                          1e-4 * b.bahadur_rao,
                  "seed %llu, d %g: %.17g, %.17g, not %.17g, %.17g",
                  (unsigned long long)seed, d, a.chernoff, a.bahadur_rao,
                  b.chernoff, b.bahadur_rao);
        }
        nb_delay_release(&apart);
        release_mixture(&mixture);
    }
}

/* Delays drawn hop by hop: the distribution lies within five deviations. */
static void test_drawn_delays(void **state)
{
    enum { DRAWS = 200000, MOST = 40 };
    static double counts[MOST + 1];
    struct mixture mixture = { 0 };
    struct nb_random random;
    double reach, sum;
    (void)state;
    make_hops(7, &mixture);
    assert_int_equal(make_mixture(7, &mixture), NB_OK);
    assert_int_equal(nb_delay_reach(&mixture.delay, 1e-6, &reach, &sum, NULL),
                     NB_OK);
    assert_int_equal(nb_delay_convolve(&mixture.delay, reach, NULL), NB_OK);
    const struct nb_delay_path *path = mixture.delay.paths;
    const struct nb_distribution_mix *mix = &path->mix;
    nb_random_init(&random, 7, 3);
    for (int draw = 0; draw < DRAWS; draw++) {
        uint64_t weight = nb_random_below(&random, mix->total);
        size_t share = 0, delay = path->count;
        for (; weight >= mix->shares[share].weight; share++)
            weight -= mix->shares[share].weight;
        for (int part = 0; part < NB_MIX_PARTS; part++)
            for (size_t j = 0; j < mix->width[part]; j++) {
                const size_t at =
                    mix->shares[share].part[part] * mix->width[part] + j;
                const struct nb_distribution *distribution =
                    path->distributions[mix->distributions[part][at]];
                const double u = nb_random_unit(&random);
                for (size_t n = 1;
                     nb_distribution_tail(distribution, (double)n) > u; n++)
                    delay++;
            }
        for (size_t d = 0; d <= MOST && d <= delay; d++)
            counts[d]++;
    }
    for (int d = 0; d <= MOST && d <= reach; d++) {
        const double p = nb_delay_tail(&mixture.delay, d).upper;
        CHECK(fabs(counts[d] / DRAWS - p) <=
                  5 * sqrt(p * (1 - p) / DRAWS) + 5.0 / DRAWS,
              "d %d: %g, drawn %g", d, p, counts[d] / DRAWS);
    }
    release_mixture(&mixture);
}

/* A convolution that takes too long is refused. */
static void test_long_sums_are_refused(void **state)
{
    struct mixture mixture = { 0 };
    struct nb_error error = { 0 };
    (void)state;
    make_hops(1, &mixture);
    assert_int_equal(make_mixture(1, &mixture), NB_OK);
    assert_int_equal(nb_delay_convolve(&mixture.delay, 1e12, &error),
                     NB_INVALID);
    assert_non_null(strstr(error.message, "permitted: up to 1e+11"));
    release_mixture(&mixture);
}

static void test_failing_memory(void **state)
{
    struct mixture mixture = { 0 };
    (void)state;
    make_hops(2, &mixture);
    const long live = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        double reach, sum;
        nb_memory_allow(allowed);
        status = make_mixture(2, &mixture);
        if (status == NB_OK)
            status = nb_delay_reach(&mixture.delay, 1e-9, &reach, &sum, NULL);
        if (status == NB_OK)
            status = nb_delay_convolve(&mixture.delay, reach, NULL);
        nb_memory_allow(-1);
        nb_delay_release(&mixture.delay);
        CHECK(nb_memory_live_blocks() == live, "%ld allowed: leaks", allowed);
    }
    assert_int_equal(status, NB_OK);
    release_mixture(&mixture);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixtures_are_their_paths),
        cmocka_unit_test(test_one_share),
        cmocka_unit_test(test_drawn_delays),
        cmocka_unit_test(test_long_sums_are_refused),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
