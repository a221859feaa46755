#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/onoff_case.h"
#include "../support/twofold_wide.h"

#include "core/memory.h"
#include "queueing/phases.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct nb_phases phases_of(const char *text)
{
    const struct onoff_case made = onoff_case_read(text);
    struct nb_phases phases = { 0 };
    assert_int_equal(nb_phases_build(&made.arrivals, made.load, &phases, NULL),
                     NB_OK);
    return phases;
}

/* States of one source: 0 OFF, 1 sends here, 2 sends elsewhere. */
enum { STATES = 3 };

static double phases_single(const struct onoff_case *made, int from, int to)
{
    const double load = made->load.rho.high;
    const double burst = nb_ratio_value(made->arrivals.burst);
    const double a = load / burst / (1 - load),
                 k = (double)made->arrivals.radix;
    const double here = made->arrivals.spread == NB_SPREAD_BURST ? 1 / k : 1;
    if (from == 0)
        return to == 0 ? 1 - a : a * (to == 1 ? here : 1 - here);
    return to == 0 ? 1 / burst : to == from ? 1 - 1 / burst : 0;
}

/* Order of a phase: by senders, then by sources ON elsewhere. */
static size_t phases_index(const struct onoff_case *made, int h, int e)
{
    const int k = (int)made->arrivals.radix;
    if (made->arrivals.spread == NB_SPREAD_PACKET)
        return (size_t)h;
    size_t index = 0;
    for (int i = 0; i < h; i++)
        index += (size_t)(k + 1 - i);
    return index + (size_t)e;
}

static int phases_count_of(const int *state, int k, int wanted)
{
    int count = 0;
    for (int i = 0; i < k; i++)
        count += state[i] == wanted;
    return count;
}

/* Fills state with the digits of code; STATES^k codes in all. */
static void phases_decode(int code, int k, int *state)
{
    for (int i = 0; i < k; i++, code /= STATES)
        state[i] = code % STATES;
}

/* change by every transition of k single sources, from one assignment of states
 * to all others. */
static void phases_enumerate(const struct onoff_case *made,
                             const struct nb_phases *phases, const char *text)
{
    const int k = (int)made->arrivals.radix;
    int codes = 1, from[3], to[3];
    for (int i = 0; i < k; i++)
        codes *= STATES;
    for (int a = 0; a < codes; a++) {
        double row[16] = { 0 };
        phases_decode(a, k, from);
        const int h = phases_count_of(from, k, 1);
        const int e = phases_count_of(from, k, 2);
        if (made->arrivals.spread == NB_SPREAD_PACKET && e > 0)
            continue;
        for (int b = 0; b < codes; b++) {
            double p = 1;
            phases_decode(b, k, to);
            for (int i = 0; i < k; i++)
                p *= phases_single(made, from[i], to[i]);
            if (p > 0)
                row[phases_index(made, phases_count_of(to, k, 1),
                                 phases_count_of(to, k, 2))] += p;
        }
        const size_t i = phases_index(made, h, e);
        assert_int_equal(phases->senders[i], h);
        for (size_t j = 0; j < phases->count; j++)
            ONOFF_CHECK(
                fabs(nb_scaled_value(phases->change[i * phases->count + j]) -
                     row[j]) <= 1e-15 + 1e-14 * row[j],
                "%s: %zu to %zu", text, i, j);
    }
}

static void test_enumerated(void **state)
{
    (void)state;
    for (int k = 1; k <= 3; k++)
        for (int by_burst = 0; by_burst < 2; by_burst++) {
            char text[60];
            snprintf(text, sizeof text, "%d,0.37,3.7,%s", k,
                     by_burst ? "burst" : "packet");
            const struct onoff_case made = onoff_case_read(text);
            struct nb_phases phases = phases_of(text);
            assert_int_equal(phases.count,
                             by_burst ? (k + 1) * (k + 2) / 2 : k + 1);
            phases_enumerate(&made, &phases, text);
            nb_phases_release(&phases);
            nb_phases_release(&phases);
        }
}

static const char *const many[] = {
    "2,0.5,3,packet",   "5,0.01,1,burst",       "9,0.8,50,burst",
    "16,0.6,5,burst",   "64,0.999,2000,packet", "256,0.3,2,packet",
    "3,1e-12,7,packet", "32,0.5,1000000,burst", "8,0.4,1,packet",
};

/* Rows and shares sum to 1, and the first phases are those that the header
 * states. */
static void test_sums(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof many / sizeof *many; c++) {
        struct nb_phases phases = phases_of(many[c]);
        const size_t n = phases.count, most = phases.most;
        for (size_t i = 0; i < n; i++) {
            const struct nb_twofold *share = phases.share + i * (most + 1);
            long double sum = 0, shares = 0, packets = 0;
            for (size_t j = 0; j < n; j++) {
                assert_true(phases.change[i * n + j].high >= 0);
                sum += wide_of_scaled(phases.change[i * n + j]);
            }
            for (size_t l = 0; l <= most; l++) {
                shares += wide_of_scaled(share[l]);
                packets += (long double)l * wide_of_scaled(share[l]);
                assert_memory_equal(&share[l], &phases.arrive[l * n + i],
                                    sizeof *share);
            }
            ONOFF_CHECK(fabsl(sum - 1) < 1e-16L && fabsl(shares - 1) < 1e-16L,
                        "%s: row %zu", many[c], i);
            ONOFF_CHECK(fabsl(packets - (long double)phases.senders[i] *
                                            wide_of(phases.join)) < 1e-15L,
                        "%s: packets of %zu", many[c], i);
            assert_int_equal(share[0].high > 0, i < phases.silent);
            assert_int_equal(share[0].high + share[1].high > 0,
                             i < phases.calm);
        }
        nb_phases_release(&phases);
    }
}

/* Sources are ON with probability load, independently: the phases' distribution
 * is binomial, or multinomial with load/k here. */
static void test_stationary(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof many / sizeof *many; c++) {
        const struct onoff_case made = onoff_case_read(many[c]);
        struct nb_phases phases = phases_of(many[c]);
        const size_t n = phases.count, k = phases.most;
        const bool by_burst = made.arrivals.spread == NB_SPREAD_BURST;
        const long double rho = wide_of(made.load.rho);
        const long double here = by_burst ? rho / (long double)k : rho;
        const long double elsewhere = rho - here;
        long double *distribution = nb_new_array(n, sizeof *distribution);
        assert_non_null(distribution);
        size_t phase = 0;
        for (size_t h = 0; h <= k; h++)
            for (size_t e = 0; e <= (by_burst ? k - h : 0); e++)
                distribution[phase++] =
                    expl(lgammal((long double)k + 1) -
                         lgammal((long double)h + 1) -
                         lgammal((long double)e + 1) -
                         lgammal((long double)(k - h - e) + 1)) *
                    powl(here, (long double)h) *
                    powl(elsewhere, (long double)e) *
                    powl(wide_of(made.load.idle), (long double)(k - h - e));
        assert_int_equal(phase, n);
        for (size_t j = 0; j < n; j++) {
            long double after = 0;
            for (size_t i = 0; i < n; i++)
                after +=
                    distribution[i] * wide_of_scaled(phases.change[i * n + j]);
            ONOFF_CHECK(fabsl(after - distribution[j]) <=
                            1e-15L * distribution[j],
                        "%s: phase %zu: %Lg and %Lg", many[c], j, after,
                        distribution[j]);
        }
        nb_delete(distribution);
        nb_phases_release(&phases);
    }
}

/* v A(z) = z v at the root of the decay. */
static void test_far(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof many / sizeof *many; c++) {
        const struct onoff_case made = onoff_case_read(many[c]);
        struct nb_phases phases = phases_of(many[c]);
        const size_t n = phases.count, most = phases.most;
        struct nb_twofold rate;
        long double worst = 0;
        double error;
        struct nb_twofold *v = nb_new_array(n, sizeof *v);
        assert_non_null(v);
        assert_int_equal(
            nb_onoff_decay(&made.arrivals, &phases.source, &rate, &error, NULL),
            NB_OK);
        nb_phases_far(&made.arrivals, &phases, rate, v);
        for (size_t j = 0; j < n; j++) {
            long double moved = 0, factor = 0;
            for (size_t i = 0; i < n; i++)
                moved +=
                    wide_of(v[i]) * wide_of_scaled(phases.change[i * n + j]);
            for (size_t l = 0; l <= most; l++)
                factor += wide_of_scaled(phases.share[j * (most + 1) + l]) *
                          expl(wide_of(rate) * ((long double)l - 1));
            worst = fmaxl(worst, fabsl(moved * factor / wide_of(v[j]) - 1));
        }
        ONOFF_CHECK(worst <= 4 * (long double)(most + 8) *
                                 (error + 16 * LDBL_EPSILON),
                    "%s: %Lg, rate's error %g", many[c], worst, error);
        nb_delete(v);
        nb_phases_release(&phases);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const cases[] = { "257,0.5,5,packet", "33,0.5,5,burst",
                                         "4,0.834,5,packet", "4,0.51,1,burst" };
    static const char *const messages[] = {
        "radix 257 is not permitted", "radix 33 is not permitted",
        "load 0.834 is not permitted with bursts of 5 packets (permitted: up "
        "to 5/6,",
        "load 0.51 is not permitted with bursts of 1 packets (permitted: up "
        "to 1/2,"
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct onoff_case made = onoff_case_read(cases[i]);
        struct nb_phases phases = { 0 };
        struct nb_error err = { 0 };
        assert_int_equal(
            nb_phases_build(&made.arrivals, made.load, &phases, &err),
            NB_INVALID);
        ONOFF_CHECK(strstr(err.message, messages[i]) == err.message, "%s",
                    err.message);
        assert_null(phases.change);
    }
    /* A load as a number, not a ratio, just below and just above the limit. */
    struct onoff_case made = onoff_case_read("4,0.5,5,packet");
    struct nb_source source;
    made.load = nb_load_of_value(0.8333);
    assert_int_equal(
        nb_source_find(made.arrivals.burst, made.load, &source, NULL), NB_OK);
    assert_true(
        fabs(nb_twofold_more(nb_twofold_add(source.starts, source.rests), -1)
                 .high) < 1e-30);
    made.load = nb_load_of_value(0.8334);
    assert_int_equal(
        nb_source_find(made.arrivals.burst, made.load, &source, NULL),
        NB_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enumerated), cmocka_unit_test(test_sums),
        cmocka_unit_test(test_stationary), cmocka_unit_test(test_far),
        cmocka_unit_test(test_refusals),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
