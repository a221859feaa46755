/* Bursts and pauses, compared with the chain of two states of src/queueing
 * (onoff.h): ON with probability load, it goes OFF after a packet with
 * probability 1/burst and ON again with (load / burst) / (1 - load). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "queueing/phases.h"
#include "support/sources_case.h"

#include <math.h>
#include <stdio.h>

enum { TERMINALS = 64, RUNS = 300, LONGEST = 3000 };

static const struct onoff_row {
    double load, burst;
} onoff_rows[] = {
    { 0.2, 5 },      { 0.5, 5 },     { 5 / 6.0, 5 }, /* pauses of one cycle */
    { 0.3, 2.5 },    { 0.5, 1 },                     /* ON and OFF alternate */
    { 0.05, 1 },     { 0.375, 1.6 },                 /* burst 1/(1 - load) */
    { 0.9, 12.625 },
};
enum { ROWS = sizeof onoff_rows / sizeof *onoff_rows };

static struct nb_injection onoff_injection(struct onoff_row row)
{
    return (struct nb_injection){ .kind = NB_INJECT_ONOFF,
                                  .rate = row.load,
                                  .burst = row.burst,
                                  .flits = 1 };
}

/* Probabilities to start and to end, from the analysis. */
static struct nb_source onoff_chances(struct onoff_row row)
{
    struct nb_ratio burst = { (int64_t)(row.burst * 1000), 1000 };
    struct nb_source source;
    burst = nb_ratio_make(burst.numerator, burst.denominator);
    /* The limit is a ratio, load its nearest double or above. */
    const struct nb_queue_load load =
        row.load == 5 / 6.0 ? nb_load_of_ratio((struct nb_ratio){ 5, 6 })
                            : nb_load_of_ratio(nb_ratio_make(
                                  (int64_t)(row.load * 1000 + 0.5), 1000));
    assert_int_equal(nb_source_find(burst, load, &source, NULL), NB_OK);
    return source;
}

/* Exactly this number of bursts and pauses of each terminal after its first
 * change, so that none is cut off. */
static void check_runs(struct onoff_row row)
{
    struct sources_case c;
    uint32_t born[TERMINALS], on[TERMINALS] = { 0 };
    uint32_t seen[TERMINALS] = { 0 }, length[TERMINALS] = { 0 };
    uint64_t runs[2][LONGEST + 1] = { { 0 } };
    char name[60];
    sources_case_open(&c, "uniform@torus:8x8", onoff_injection(row));
    sources_case_must_start(&c, 21);
    for (uint32_t left = TERMINALS; left > 0;) {
        sources_case_count(&c, born);
        for (uint32_t t = 0; t < TERMINALS; t++) {
            assert_true(born[t] <= 1);
            if (c.cycle > 1 && born[t] != on[t] && seen[t] <= 2 * RUNS) {
                if (seen[t] > 0)
                    runs[on[t]][length[t] < LONGEST ? length[t] : LONGEST]++;
                left -= ++seen[t] > 2 * RUNS;
                length[t] = 0;
            }
            on[t] = born[t];
            length[t]++;
        }
    }
    const struct nb_source source = onoff_chances(row);
    snprintf(name, sizeof name, "bursts at %g, %g", row.load, row.burst);
    sources_check_geometric(name, LONGEST + 1, runs[1], source.ends.high);
    snprintf(name, sizeof name, "pauses at %g, %g", row.load, row.burst);
    sources_check_geometric(name, LONGEST + 1, runs[0], source.starts.high);
    sources_case_close(&c);
}

static void bursts_and_pauses_are_geometric(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        check_runs(onoff_rows[i]);
}

/* States of cycles 0 and 1, and 0 and 7, of fresh sources. */
static void the_beginning_is_stationary(void **state)
{
    (void)state;
    enum { SEEDS = 300, LATER = 7 };
    for (size_t i = 0; i < ROWS; i++) {
        const struct onoff_row row = onoff_rows[i];
        const struct nb_source source = onoff_chances(row);
        const double all = TERMINALS * SEEDS;
        double first = 0, both = 0, later = 0;
        struct sources_case c;
        sources_case_open(&c, "uniform@torus:8x8", onoff_injection(row));
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            uint32_t born[LATER + 1][TERMINALS];
            sources_case_must_start(&c, seed);
            for (int cycle = 0; cycle <= LATER; cycle++)
                sources_case_count(&c, born[cycle]);
            for (int t = 0; t < TERMINALS; t++) {
                first += born[0][t];
                both += born[0][t] && born[1][t];
                later += born[LATER][t];
            }
        }
        const double goes_on = row.load * source.goes_on.high;
        const double deviation = sqrt(all * row.load * (1 - row.load));
        sources_check_value("first", first, all * row.load, deviation);
        sources_check_value("later", later, all * row.load, deviation);
        sources_check_value("both", both, all * goes_on,
                            sqrt(all * goes_on * (1 - goes_on)));
        sources_case_close(&c);
    }
}

enum { LAGS = 4, CYCLES = 8000, FARTHEST = 10 };
static const int onoff_lags[LAGS] = { 1, 2, 5, FARTHEST };

/* Sums of products of numbers this many cycles apart, and the packets. */
static double onoff_products(struct sources_case *c, uint32_t terminal,
                             double mean, double product[LAGS])
{
    uint32_t born[TERMINALS];
    double before[FARTHEST + 1] = { 0 }, sum = 0;
    for (int i = 0; i < LAGS; i++)
        product[i] = 0;
    for (int cycle = 0; cycle < CYCLES + FARTHEST; cycle++) {
        sources_case_count(c, born);
        const double now = born[terminal] - mean;
        before[cycle % (FARTHEST + 1)] = now;
        sum += cycle < FARTHEST ? 0 : born[terminal];
        for (int i = 0; i < LAGS && cycle >= FARTHEST; i++)
            product[i] +=
                now * before[(cycle - onoff_lags[i]) % (FARTHEST + 1)];
    }
    return sum;
}

/*
 * cov(k) = share^2 load (1 - load) (1 - starts - ends)^k of packets each born
 * with probability share. Seeds are independent: their spread shows the error
 * of the mean.
 */
static void check_covariance(const char *example, uint32_t terminal,
                             double share, struct onoff_row row)
{
    enum { SEEDS = 100 };
    const struct nb_source source = onoff_chances(row);
    double sum[LAGS + 1] = { 0 }, square[LAGS + 1] = { 0 };
    struct sources_case c;
    sources_case_open(&c, example, onoff_injection(row));
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        double value[LAGS + 1];
        sources_case_must_start(&c, seed);
        value[LAGS] = onoff_products(&c, terminal, share * row.load, value);
        for (int i = 0; i <= LAGS; i++) {
            sum[i] += value[i] / CYCLES;
            square[i] += value[i] / CYCLES * value[i] / CYCLES;
        }
    }
    for (int i = 0; i <= LAGS; i++) {
        const double mean = sum[i] / SEEDS;
        const double spread = square[i] / SEEDS - mean * mean;
        const double decay = 1 - source.starts.high - source.ends.high;
        char name[80];
        snprintf(name, sizeof name, "%s, %g, %g: %d", example, row.load,
                 row.burst, i);
        sources_check_value(name, mean,
                            i == LAGS
                                ? share * row.load
                                : share * share * row.load * (1 - row.load) *
                                      pow(decay, onoff_lags[i]),
                            1e-12 + sqrt(fmax(spread, 0) / (SEEDS - 1)));
    }
    sources_case_close(&c);
}

static void cycles_are_correlated_as_the_chain(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        if (onoff_rows[i].burst > 1)
            check_covariance("uniform@ring:4", 2, 1, onoff_rows[i]);
    for (size_t i = 0; i < 2; i++)
        check_covariance("file:data/traffic/ring4-demands.csv@ring:4", 1, 0.25,
                         onoff_rows[i]);
}

/* Packets of one burst follow each other without a pause. */
static void check_aims(bool is_burst_one)
{
    enum { N = 16 };
    struct sources_case c;
    struct nb_injection injection = onoff_injection(onoff_rows[1]);
    uint64_t count[N] = { 0 }, same[2] = { 0 };
    uint32_t aim[N];
    uint64_t last[N];
    injection.is_burst_one = is_burst_one;
    sources_case_open(&c, "uniform@torus:4x4", injection);
    sources_case_must_start(&c, 17);
    for (int t = 0; t < N; t++)
        last[t] = UINT64_MAX;
    for (uint64_t cycle = 0; cycle < 20000; cycle++) {
        const struct nb_birth *births;
        const size_t born = sources_case_draw(&c, &births);
        for (size_t b = 0; b < born; b++) {
            const uint32_t t = births[b].source;
            if (cycle > 0 && last[t] == cycle - 1)
                same[births[b].target == aim[t]]++;
            else
                count[births[b].target]++;
            aim[t] = births[b].target;
            last[t] = cycle;
        }
    }
    double all = 0, expected[N];
    for (int t = 0; t < N; t++)
        all += (double)count[t];
    for (int t = 0; t < N; t++)
        expected[t] = all / N;
    sources_check_counts("targets of bursts", N, count, expected);
    const double pairs = (double)(same[0] + same[1]);
    assert_true(pairs > 100000);
    sources_check_value("same target", (double)same[1] / pairs,
                        is_burst_one ? 1 : 1.0 / N,
                        is_burst_one ? 0 : sqrt(1.0 / N / pairs));
    sources_case_close(&c);
}

static void a_burst_can_have_one_target(void **state)
{
    (void)state;
    check_aims(true);
    check_aims(false);
}

/* Rows of less than 1 leave room for more; the limit itself is permitted. */
static void the_limit_is_that_of_the_largest_row(void **state)
{
    (void)state;
    struct sources_case c;
    struct nb_error err = { 0 };
    sources_case_open(&c, "file:data/traffic/ring4-demands.csv@ring:4",
                      onoff_injection((struct onoff_row){ 2, 5 }));
    for (size_t d = 0; d < c.made.traffic.demand_count; d++)
        assert_true(c.made.traffic.demands[d].weight > 0);
    c.made.traffic.denominator *= 3; /* rows of 1/3 at most */
    c.plan.injection.rate = 2.5;
    sources_case_must_start(&c, 1);
    c.plan.injection.rate = 2.5000001;
    assert_int_equal(sources_case_start(&c, 1, &err), NB_INVALID);
    sources_case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bursts_and_pauses_are_geometric),
        cmocka_unit_test(the_beginning_is_stationary),
        cmocka_unit_test(cycles_are_correlated_as_the_chain),
        cmocka_unit_test(a_burst_can_have_one_target),
        cmocka_unit_test(the_limit_is_that_of_the_largest_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
