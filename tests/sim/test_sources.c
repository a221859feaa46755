/* When packets are born: gaps, numbers and order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/sources_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rows of 1, 1/4, 0 and 1. */
#define DEMANDS "file:data/traffic/ring4-demands.csv@ring:4"

enum { TERMINALS = 64, GAPS = 400, LONGEST = 5000 };

/* Exactly this number of gaps of each terminal, so that none is cut off; the
 * first ends at cycle 0 at the earliest, as if there were a packet before. */
static void check_gaps(const char *example, double rate, uint32_t first,
                       uint32_t count, double chance)
{
    struct sources_case c;
    uint32_t born[TERMINALS], seen[TERMINALS] = { 0 };
    uint64_t last[TERMINALS] = { 0 }, gaps[LONGEST + 1] = { 0 };
    char name[100];
    sources_case_open(&c, example,
                      (struct nb_injection){ .kind = NB_INJECT_BERNOULLI,
                                             .rate = rate,
                                             .flits = 1 });
    sources_case_must_start(&c, 1);
    for (uint32_t left = count; left > 0;) {
        sources_case_count(&c, born);
        for (uint32_t t = first; t < first + count; t++) {
            assert_true(born[t] <= 1);
            if (born[t] == 0 || seen[t] == GAPS)
                continue;
            const uint64_t gap = c.cycle - last[t];
            gaps[gap < LONGEST ? gap : LONGEST]++;
            last[t] = c.cycle;
            left -= ++seen[t] == GAPS;
        }
    }
    snprintf(name, sizeof name, "%s at %g", example, rate);
    sources_check_geometric(name, LONGEST + 1, gaps, chance);
    sources_case_close(&c);
}

static void gaps_are_geometric(void **state)
{
    (void)state;
    static const double rates[] = { 0.002, 0.03, 0.3, 0.7, 0.95, 1 };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        check_gaps("uniform@torus:8x8", rates[i], 0, 64, rates[i]);
    check_gaps(DEMANDS, 0.8, 0, 1, 0.8);
    check_gaps(DEMANDS, 0.8, 1, 1, 0.2);
    check_gaps(DEMANDS, 0.8, 3, 1, 0.8);
}

/* The first cycle is like any other. */
static void the_beginning_is_stationary(void **state)
{
    (void)state;
    enum { SEEDS = 300 };
    const enum nb_injection_kind kinds[] = { NB_INJECT_BERNOULLI,
                                             NB_INJECT_POISSON };
    for (size_t k = 0; k < 2; k++) {
        struct sources_case c;
        double born = 0;
        sources_case_open(
            &c, "uniform@torus:8x8",
            (struct nb_injection){ .kind = kinds[k], .rate = 0.3, .flits = 1 });
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            const struct nb_birth *births;
            sources_case_must_start(&c, seed);
            born += (double)sources_case_draw(&c, &births);
        }
        const double all = SEEDS * TERMINALS;
        sources_check_value("first cycle", born, 0.3 * all, sqrt(0.3 * all));
        sources_case_close(&c);
    }
}

enum { MOST = 60, CYCLES = 20000 };

/* How often a terminal of a network of 4 has n packets in a cycle, [MOST]; and
 * the mean product of two successive cycles' numbers. */
static double numbers_count(const char *example, enum nb_injection_kind kind,
                            double rate, uint32_t terminal, uint64_t *count)
{
    struct sources_case c;
    uint32_t born[4];
    double products = 0, before = 0;
    sources_case_open(
        &c, example,
        (struct nb_injection){ .kind = kind, .rate = rate, .flits = 1 });
    sources_case_must_start(&c, 2);
    memset(count, 0, MOST * sizeof *count);
    for (int i = 0; i < CYCLES; i++) {
        sources_case_count(&c, born);
        count[born[terminal] < MOST ? born[terminal] : MOST - 1]++;
        products += before * born[terminal];
        before = born[terminal];
    }
    sources_case_close(&c);
    return products / (CYCLES - 1);
}

static void rates_above_one_add_whole_packets(void **state)
{
    (void)state;
    uint64_t count[MOST];
    numbers_count("uniform@ring:4", NB_INJECT_BERNOULLI, 0, 0, count);
    assert_int_equal(count[0], CYCLES);
    numbers_count("uniform@ring:4", NB_INJECT_BERNOULLI, 1, 1, count);
    assert_int_equal(count[1], CYCLES);
    numbers_count("uniform@ring:4", NB_INJECT_BERNOULLI, 3, 2, count);
    assert_int_equal(count[3], CYCLES);
    numbers_count("uniform@ring:4", NB_INJECT_BERNOULLI, 2.5, 3, count);
    assert_int_equal(count[2] + count[3], CYCLES);
    sources_check_value("2.5", (double)count[3], 0.5 * CYCLES,
                        sqrt(0.25 * CYCLES));
    /* A row of 1/4: of two or three packets each with probability 1/4. */
    numbers_count(DEMANDS, NB_INJECT_BERNOULLI, 2.5, 1, count);
    const double expected[4] = { CYCLES * (9 / 16.0 + 27 / 64.0) / 2,
                                 CYCLES * (6 / 16.0 + 27 / 64.0) / 2,
                                 CYCLES * (1 / 16.0 + 9 / 64.0) / 2,
                                 CYCLES * (1 / 64.0) / 2 };
    sources_check_counts("2.5 thinned", 4, count, expected);
    numbers_count(DEMANDS, NB_INJECT_BERNOULLI, 2.5, 2, count);
    assert_int_equal(count[0], CYCLES);
}

static void check_poisson(const char *example, double rate, uint32_t terminal,
                          double mean)
{
    uint64_t count[MOST];
    double expected[MOST], sum = 0, square = 0;
    const double product =
        numbers_count(example, NB_INJECT_POISSON, rate, terminal, count);
    for (int n = 0; n < MOST; n++) {
        expected[n] = CYCLES * exp(n * log(mean) - mean - lgamma(n + 1));
        sum += n * (double)count[n] / CYCLES;
        square += n * n * (double)count[n] / CYCLES;
    }
    sources_check_counts(example, MOST, count, expected);
    const double variance = square - sum * sum;
    sources_check_value("Poisson mean", sum, mean, sqrt(mean / CYCLES));
    /* Fourth central moment: mean + 3 mean^2. */
    sources_check_value("Poisson variance", variance, mean,
                        sqrt((mean + 2 * mean * mean) / CYCLES));
    sources_check_value("Poisson, next cycle", product - sum * sum, 0,
                        mean / sqrt(CYCLES));
}

static void poisson_numbers_have_their_law(void **state)
{
    (void)state;
    check_poisson("uniform@ring:4", 0.01, 0, 0.01);
    check_poisson("uniform@ring:4", 0.4, 1, 0.4);
    check_poisson("uniform@ring:4", 2.5, 2, 2.5);
    check_poisson("uniform@ring:4", 20, 3, 20);
    check_poisson(DEMANDS, 2, 1, 0.5);
    uint64_t count[MOST];
    numbers_count("uniform@ring:4", NB_INJECT_POISSON, 0, 0, count);
    assert_int_equal(count[0], CYCLES);
    numbers_count(DEMANDS, NB_INJECT_POISSON, 2, 2, count);
    assert_int_equal(count[0], CYCLES);
}

/* Of each two terminals that send in a cycle, either is first equally often. */
static void no_terminal_is_preferred(void **state)
{
    (void)state;
    static const double rates[] = { 0.3, 1, 1.5 };
    for (size_t r = 0; r < 3; r++) {
        struct sources_case c;
        uint32_t together[8][8] = { 0 }, before[8][8] = { 0 };
        sources_case_open(&c, "tornado@ring:8",
                          (struct nb_injection){ .kind = NB_INJECT_BERNOULLI,
                                                 .rate = rates[r],
                                                 .flits = 1 });
        sources_case_must_start(&c, 4);
        for (int i = 0; i < CYCLES; i++) {
            const struct nb_birth *births;
            const size_t born = sources_case_draw(&c, &births);
            for (size_t a = 0; a < born; a++)
                for (size_t b = a + 1; b < born; b++) {
                    before[births[a].source][births[b].source]++;
                    together[births[a].source][births[b].source]++;
                    together[births[b].source][births[a].source]++;
                }
        }
        for (int a = 0; a < 8; a++)
            for (int b = 0; b < 8; b++)
                if (a != b) /* up to 4 pairs of packets in a cycle */
                    sources_check_value(
                        "first", before[a][b], together[a][b] / 2.0,
                        sqrt(together[a][b]) * (rates[r] > 1 ? 1 : 0.5));
        sources_case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_geometric),
        cmocka_unit_test(the_beginning_is_stationary),
        cmocka_unit_test(rates_above_one_add_whole_packets),
        cmocka_unit_test(poisson_numbers_have_their_law),
        cmocka_unit_test(no_terminal_is_preferred),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
