/* Markov-modulated sources compared with the exact moments of a chain of two
 * states: it enters the bursty one with probability alpha and leaves it with
 * probability beta each cycle, and sends with probability r_1 or r_0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/sources_case.h"

#include <math.h>
#include <stdio.h>

enum { TERMINALS = 64 };

static const struct mmp_row {
    double load, alpha, beta, low;
} mmp_rows[] = {
    { 0.05, 0.1, 0.9, 0 },     /* the thesis' probabilities: slots
                                * independent */
    { 0.1, 0.1, 0.9, 0 },      /* and the maximum that they can send */
    { 0.2, 0.02, 0.05, 0 },    /* long bursts */
    { 0.2, 0.02, 0.05, 0.25 }, /* packets between them */
    { 0.4, 0.01, 0.01, 0.5 },
    { 0.3, 0.7, 0.8, 0.1 }, /* states that avoid themselves */
    { 0.6, 0.3, 0.2, 0 },   /* r_1 = 1: bursts without gaps */
    { 0.5, 1, 1, 0 },       /* a packet every other cycle */
    { 0.3, 0.2, 0.1, 1 },   /* both equal */
};
enum { ROWS = sizeof mmp_rows / sizeof *mmp_rows };

static struct nb_injection mmp_injection(struct mmp_row row)
{
    return (struct nb_injection){ .kind = NB_INJECT_MMP,
                                  .rate = row.load,
                                  .flits = 1,
                                  .alpha = row.alpha,
                                  .beta = row.beta,
                                  .low = row.low };
}

static double mmp_bursty(struct mmp_row row)
{
    return row.alpha / (row.alpha + row.beta);
}

/* r_1 from load = x_1 r_1 + x_0 low r_1 */
static double mmp_high(struct mmp_row row)
{
    const double x = mmp_bursty(row);
    return row.load / (x + (1 - x) * row.low);
}

/* cov(k) = x_0 x_1 (r_1 - r_0)^2 (1 - alpha - beta)^k, k >= 1. */
static double mmp_covariance(struct mmp_row row, int k)
{
    const double x = mmp_bursty(row);
    const double apart = mmp_high(row) * (1 - row.low);
    return x * (1 - x) * apart * apart * pow(1 - row.alpha - row.beta, k);
}

/* For the packets in n cycles: n load (1 - load) and twice the sum over k < n
 * of (n - k) cov(k). */
static double mmp_variance(struct mmp_row row, int n)
{
    double sum = n * row.load * (1 - row.load);
    for (int k = 1; k < n; k++)
        sum += 2 * (n - k) * mmp_covariance(row, k);
    return sum;
}

enum { SEEDS = 400 };

/* Packets of a terminal in the n cycles after a fresh start: mean and variance,
 * the error of the latter from fourth moments. */
static void check_counts(struct mmp_row row, int n)
{
    struct sources_case c;
    double sum = 0, square = 0, fourth = 0;
    const double mean = n * row.load, all = SEEDS * TERMINALS;
    char name[80];
    sources_case_open(&c, "uniform@torus:8x8", mmp_injection(row));
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t born[TERMINALS], count[TERMINALS] = { 0 };
        sources_case_must_start(&c, seed);
        for (int cycle = 0; cycle < n; cycle++) {
            sources_case_count(&c, born);
            for (int t = 0; t < TERMINALS; t++) {
                assert_true(born[t] <= 1);
                count[t] += born[t];
            }
        }
        for (int t = 0; t < TERMINALS; t++) {
            const double off = count[t] - mean;
            sum += off;
            square += off * off;
            fourth += off * off * off * off;
        }
    }
    const double variance = mmp_variance(row, n);
    snprintf(name, sizeof name, "%g, %g, %g, %g: %d cycles", row.load,
             row.alpha, row.beta, row.low, n);
    sources_check_value(name, sum / all, 0, sqrt(variance / all) + 1e-12);
    sources_check_value(
        name, square / all, variance,
        sqrt(fmax(fourth / all - variance * variance, 0) / all) + 1e-12);
    sources_case_close(&c);
}

static void counts_have_the_moments_of_the_chain(void **state)
{
    (void)state;
    static const int cycles[] = { 1, 2, 7, 60 };
    for (size_t i = 0; i < ROWS; i++)
        for (size_t n = 0; n < sizeof cycles / sizeof *cycles; n++)
            check_counts(mmp_rows[i], cycles[n]);
}

/* With r_1 = 1, r_0 = 0 every bursty cycle has its packet, so that the lengths
 * of bursts and pauses are those of the states: geometric, beta and alpha. */
static void check_runs(double alpha, double beta)
{
    enum { RUNS = 300, LONGEST = 2000 };
    const struct mmp_row row = { alpha / (alpha + beta), alpha, beta, 0 };
    struct sources_case c;
    uint32_t born[TERMINALS], on[TERMINALS] = { 0 };
    uint32_t seen[TERMINALS] = { 0 }, length[TERMINALS] = { 0 };
    uint64_t runs[2][LONGEST + 1] = { { 0 } };
    sources_case_open(&c, "uniform@torus:8x8", mmp_injection(row));
    sources_case_must_start(&c, 5);
    for (uint32_t left = TERMINALS; left > 0;) {
        sources_case_count(&c, born);
        for (uint32_t t = 0; t < TERMINALS; t++) {
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
    sources_check_geometric("bursts", LONGEST + 1, runs[1], beta);
    sources_check_geometric("pauses", LONGEST + 1, runs[0], alpha);
    sources_case_close(&c);
}

static void bursts_last_as_long_as_their_state(void **state)
{
    (void)state;
    check_runs(0.1, 0.9);
    check_runs(0.02, 0.05);
    check_runs(0.5, 0.2);
    check_runs(1, 0.3);
}

/* With a row of a quarter, a quarter of the packets: (load / 4) (1 - load / 4)
 * and covariances of a sixteenth, which a source's own share does not change
 * otherwise. */
static void smaller_rows_send_their_share(void **state)
{
    (void)state;
    enum { CYCLES = 40000 };
    struct sources_case c;
    double count[4] = { 0 };
    const struct mmp_row row = mmp_rows[3];
    sources_case_open(&c, "file:data/traffic/ring4-demands.csv@ring:4",
                      mmp_injection(row));
    sources_case_must_start(&c, 3);
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        uint32_t born[4];
        sources_case_count(&c, born);
        for (int t = 0; t < 4; t++)
            count[t] += born[t];
    }
    const double most = sources_case_row(&c, 0);
    for (uint32_t t = 0; t < 4; t++) {
        const double share = sources_case_row(&c, t) / most;
        const double mean = CYCLES * row.load * most * share;
        sources_check_value("share", count[t], mean,
                            sqrt(mmp_variance(row, 2000) * (CYCLES / 2000.0)));
    }
    sources_case_close(&c);
}

/* The maximum that a state can send is one packet per cycle; the limit itself
 * is permitted, and so is 0. */
static void the_load_is_sent_or_refused(void **state)
{
    (void)state;
    struct sources_case c;
    struct nb_error err = { 0 };
    const struct mmp_row row = { 0.4, 0.1, 0.4, 0.25 };
    sources_case_open(&c, "uniform@torus:8x8", mmp_injection(row));
    sources_case_must_start(&c, 1);
    c.plan.injection.rate = 0.4000001;
    assert_int_equal(sources_case_start(&c, 1, &err), NB_INVALID);
    assert_string_equal(
        err.message,
        "rate 0.4000001 is not permitted with mmp sources of alpha 0.1, beta "
        "0.4 and low 0.25 (permitted: 0 to 0.4, a packet in every cycle of the "
        "bursty state)");
    c.plan.injection.rate = 0;
    sources_case_must_start(&c, 1);
    for (int cycle = 0; cycle < 100; cycle++) {
        const struct nb_birth *births;
        assert_int_equal(sources_case_draw(&c, &births), 0);
    }
    static const double wrong[][3] = {
        { 0, 0.5, 0 },   { 0.5, 0, 0 },      { 1.1, 0.5, 0 },   { 0.5, 1.1, 0 },
        { 0.5, 0.5, 2 }, { 0.5, 0.5, -0.1 }, { NAN, 0.5, 0.5 },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        c.plan.injection.alpha = wrong[i][0];
        c.plan.injection.beta = wrong[i][1];
        c.plan.injection.low = wrong[i][2];
        assert_int_equal(sources_case_start(&c, 1, &err), NB_INVALID);
    }
    sources_case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_have_the_moments_of_the_chain),
        cmocka_unit_test(bursts_last_as_long_as_their_state),
        cmocka_unit_test(smaller_rows_send_their_share),
        cmocka_unit_test(the_load_is_sent_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
