/* Queues of Markov-modulated sources: against inputs without memory, ON/OFF
 * sources, a direct iteration of the chain of all sources' states and the
 * queue, and a simulation slot by slot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/onoff_case.h"
#include "../support/twofold_wide.h"

#include "core/memory.h"
#include "core/random.h"
#include "queueing/phases.h"
#include "queueing/reorder.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* "radix,load,alpha,beta,low" */
static struct onoff_case mmp_read(const char *text)
{
    char load[40], alpha[40], beta[40], low[40];
    int radix;
    assert_int_equal(sscanf(text, "%d,%39[^,],%39[^,],%39[^,],%39[^,]", &radix,
                            load, alpha, beta, low),
                     5);
    struct onoff_case made = { .arrivals = { .kind = NB_ARRIVE_MMP,
                                             .radix = radix } };
    struct nb_ratio ratio;
    assert_int_equal(nb_ratio_read(load, &ratio, NULL), NB_OK);
    assert_int_equal(nb_ratio_read(alpha, &made.arrivals.alpha, NULL), NB_OK);
    assert_int_equal(nb_ratio_read(beta, &made.arrivals.beta, NULL), NB_OK);
    assert_int_equal(nb_ratio_read(low, &made.arrivals.low, NULL), NB_OK);
    made.load = nb_load_of_ratio(ratio);
    return made;
}

static void mmp_must_solve(const char *text, const struct onoff_case *made,
                           struct nb_distribution *out)
{
    struct nb_error err = { 0 };
    ONOFF_CHECK(nb_arrivals_law(&made->arrivals, made->load, out, &err) ==
                    NB_OK,
                "%s: %s", text, err.message);
}

/* alpha = 0.1, beta = 0.9: bursty a tenth of the time. */
static void test_shares(void **state)
{
    (void)state;
    struct nb_arrivals arrivals = { 0 };
    assert_int_equal(nb_arrivals_read("mmp", &arrivals, NULL), NB_OK);
    assert_int_equal(
        nb_ratio_compare(nb_mmp_bursty(&arrivals), nb_ratio_make(1, 10)), 0);
    assert_int_equal(
        nb_ratio_compare(nb_mmp_most(&arrivals), nb_ratio_make(1, 10)), 0);
    assert_int_equal(
        nb_arrivals_read("mmp:alpha=0.02,beta=0.08,low=1/4", &arrivals, NULL),
        NB_OK);
    assert_int_equal(
        nb_ratio_compare(nb_mmp_bursty(&arrivals), nb_ratio_make(1, 5)), 0);
    assert_int_equal(
        nb_ratio_compare(nb_mmp_most(&arrivals), nb_ratio_make(2, 5)), 0);
    assert_int_equal(
        nb_ratio_compare(nb_arrivals_most(&arrivals), nb_ratio_make(2, 5)), 0);
}

static void mmp_compare(const char *text, const struct onoff_case *made,
                        const struct nb_arrivals *like)
{
    struct nb_distribution distribution = { 0 }, other = { 0 };
    mmp_must_solve(text, made, &distribution);
    assert_int_equal(nb_arrivals_law(like, made->load, &other, NULL), NB_OK);
    for (double n = 0; nb_distribution_tail(&other, n) > 1e-300; n++) {
        const struct nb_twofold found =
            nb_distribution_scaled_tail(&distribution, n);
        const struct nb_twofold right = nb_distribution_scaled_tail(&other, n);
        const double stated = nb_distribution_tail_error(&distribution, n) +
                              nb_distribution_tail_error(&other, n);
        const double off =
            fabs(nb_twofold_subtract(found, right).high) / right.high;
        ONOFF_CHECK(off <= stated && stated < 1e-11,
                    "%s at %g: %.20Lg for %.20Lg, stated %g", text, n,
                    wide_of_scaled(found), wide_of_scaled(right), stated);
    }
    nb_distribution_release(&distribution);
    nb_distribution_release(&other);
}

/* alpha + beta = 1, or equal states: Bernoulli inputs, whatever the rest. */
static void test_bernoulli(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "2,0.1,0.1,0.9,0",     "16,0.05,0.1,0.9,0", "4,0.5,0.6,0.4,0.3",
        "8,0.7,0.25,0.75,0.9", "3,0.8,0.2,0.1,1",   "32,0.9,0.01,0.02,1",
        "64,0.3,0.5,0.5,0.01",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct onoff_case made = mmp_read(cases[i]);
        const struct nb_arrivals like = { .kind = NB_ARRIVE_BERNOULLI,
                                          .radix = made.arrivals.radix };
        assert_true(nb_arrivals_forget(&made.arrivals, made.load));
        mmp_compare(cases[i], &made, &like);
    }
}

/* r_1 = 1, low = 0: ON/OFF sources with bursts of 1/beta. */
static void test_onoff(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        struct nb_ratio burst;
    } cases[] = {
        { "2,0.2,0.05,0.2,0", { 5, 1 } },
        { "16,0.6,0.3,0.2,0", { 5, 1 } },
        { "5,1/3,0.5,1,0", { 1, 1 } },
        { "8,0.5,0.01,0.01,0", { 100, 1 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct onoff_case made = mmp_read(cases[i].text);
        const struct nb_arrivals like = { .kind = NB_ARRIVE_ONOFF,
                                          .radix = made.arrivals.radix,
                                          .burst = cases[i].burst };
        mmp_compare(cases[i].text, &made, &like);
        for (int64_t depth = 1; depth < 40; depth += 6) {
            struct nb_bracket loss, other;
            assert_int_equal(nb_arrivals_loss(&made.arrivals, made.load, depth,
                                              NULL, &loss, NULL),
                             NB_OK);
            assert_int_equal(
                nb_arrivals_loss(&like, made.load, depth, NULL, &other, NULL),
                NB_OK);
            ONOFF_CHECK(loss.lower <= other.upper && other.lower <= loss.upper,
                        "%s: %g to %g, %g to %g", cases[i].text, loss.lower,
                        loss.upper, other.lower, other.upper);
        }
    }
}

enum { LEVELS = 120, MOST = 8 };

/* Distribution of the queue, by every source's state (a bit each). */
struct plain {
    int k;
    double alpha, beta, rate[2]; /* probability per slot of a packet for this
                                  * queue */
    double now[LEVELS][MOST], next[LEVELS][MOST];
    double lost;
};

static double plain_change(const struct plain *chain, int from, int to)
{
    double p = 1;
    for (int s = 0; s < chain->k; s++) {
        const double enters =
            (from >> s & 1) != 0 ? 1 - chain->beta : chain->alpha;
        p *= (to >> s & 1) != 0 ? enters : 1 - enters;
    }
    return p;
}

/* P(the given number arrive), by every choice of sources that send. */
static double plain_arrive(const struct plain *chain, int states, int count)
{
    double sum = 0;
    for (int sent = 0; sent < 1 << chain->k; sent++) {
        double p = 1;
        int packets = 0;
        for (int s = 0; s < chain->k; s++) {
            const double rate = chain->rate[states >> s & 1];
            packets += sent >> s & 1;
            p *= (sent >> s & 1) != 0 ? rate : 1 - rate;
        }
        sum += packets == count ? p : 0;
    }
    return sum;
}

/* One slot of Q' = Q - 1{Q>0} + A; packets beyond depth are lost. */
static double plain_step(struct plain *chain, int depth)
{
    const int states = 1 << chain->k;
    double moved[LEVELS][MOST] = { { 0 } }, change = 0;
    memset(chain->next, 0, sizeof chain->next);
    chain->lost = 0;
    for (int from = 0; from < states; from++)
        for (int to = 0; to < states; to++)
            for (int q = 0; q <= depth; q++)
                moved[q][to] +=
                    chain->now[q][from] * plain_change(chain, from, to);
    for (int to = 0; to < states; to++)
        for (int count = 0; count <= chain->k; count++) {
            const double p = plain_arrive(chain, to, count);
            for (int q = 0; q <= depth; q++) {
                const int sum = q - (q > 0) + count;
                const int kept = sum < depth ? sum : depth;
                chain->next[kept][to] += moved[q][to] * p;
                chain->lost += moved[q][to] * p * (sum - kept);
            }
        }
    for (int q = 0; q <= depth; q++)
        for (int i = 0; i < states; i++)
            change += fabs(chain->next[q][i] - chain->now[q][i]);
    memcpy(chain->now, chain->next, sizeof chain->now);
    return change;
}

static struct plain plain_solve(const struct onoff_case *made, int depth)
{
    const struct nb_arrivals *arrivals = &made->arrivals;
    const double alpha = nb_ratio_value(arrivals->alpha);
    const double beta = nb_ratio_value(arrivals->beta);
    const double low = nb_ratio_value(arrivals->low);
    const int k = (int)arrivals->radix;
    const double high =
        made->load.rho.high * (alpha + beta) / (alpha + low * beta) / k;
    struct plain chain = { k,         alpha,     beta, { low * high, high },
                           { { 0 } }, { { 0 } }, 0 };
    chain.now[0][0] = 1;
    for (int step = 0; plain_step(&chain, depth) > 1e-15; step++)
        assert_true(step < 20000);
    return chain;
}

static const char *const plain_cases[] = {
    "2,0.1,0.1,0.9,0",    "2,0.2,0.1,0.2,0",    "3,0.3,0.1,0.3,0.4",
    "3,0.45,0.2,0.3,0.2", "2,0.45,0.7,0.9,0.1", "3,0.25,0.05,0.2,0.1",
    "2,0.5,0.3,1,0.9",
};
enum { PLAIN_CASES = sizeof plain_cases / sizeof *plain_cases };

static void test_plain_chain(void **state)
{
    (void)state;
    for (size_t i = 0; i < PLAIN_CASES; i++) {
        const struct onoff_case made = mmp_read(plain_cases[i]);
        const struct plain chain = plain_solve(&made, LEVELS - 1);
        struct nb_distribution distribution = { 0 };
        mmp_must_solve(plain_cases[i], &made, &distribution);
        double tail = 0;
        for (int q = LEVELS - 1; q >= 0; q--) {
            for (int s = 0; s < 1 << chain.k; s++)
                tail += chain.now[q][s];
            const double found = (double)nb_distribution_tail(&distribution, q);
            ONOFF_CHECK(fabs(found - tail) < 1e-11, "%s at %d: %g for %g",
                        plain_cases[i], q, found, tail);
        }
        assert_true(tail > 0.999);
        nb_distribution_release(&distribution);
    }
}

static void test_plain_loss(void **state)
{
    (void)state;
    for (size_t i = 0; i < PLAIN_CASES; i++)
        for (int depth = 1; depth < 12; depth += 3) {
            const struct onoff_case made = mmp_read(plain_cases[i]);
            const double right =
                plain_solve(&made, depth).lost / made.load.rho.high;
            struct nb_bracket loss;
            assert_int_equal(
                nb_onoff_loss(&made.arrivals, made.load, depth, &loss, NULL),
                NB_OK);
            ONOFF_CHECK(fabs(loss.lower - right) < 1e-11 &&
                            loss.upper - loss.lower < 1e-12,
                        "%s, depth %d: %g for %g", plain_cases[i], depth,
                        loss.lower, right);
        }
}

static const char *const many[] = {
    "2,0.5,0.1,0.05,0.2",      "16,0.09,0.1,0.9,0",  "16,0.6,0.1,0.1,0.4",
    "64,0.4,0.01,0.02,0.3",    "32,0.9,0.2,0.1,0.8", "8,0.5,0.001,0.002,0.5",
    "3,0.01,0.3,0.3,0.99",     "4,0.33,0.05,0.1,0",  "48,0.3,0.3,0.4,0.1",
    "8,0.6,0.0001,0.0002,0.6",
};
enum { MANY = sizeof many / sizeof *many };

/* P(Q > 0) is the load, masses finally fall at the root's rate, and the far
 * phases are its eigenvector. */
static void test_identities(void **state)
{
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        const struct onoff_case made = mmp_read(many[i]);
        struct nb_distribution law = { 0 };
        mmp_must_solve(many[i], &made, &law);
        ONOFF_CHECK(fabsl(wide_tail(&law, 1) / wide_of(made.load.rho) - 1) <
                        1e-14L,
                    "%s: load %.21Lg", many[i], wide_tail(&law, 1));
        const size_t last = law.length - 1;
        const double rate = law.rate.high;
        ONOFF_CHECK(fabs(log(law.mass[last - 1].high / law.mass[last].high) -
                         rate) < 1e-3 * rate + 2 * law.far_error,
                    "%s: rate %g", many[i], rate);
        ONOFF_CHECK(law.rate_error < 1e-12 && law.error < 1e-11,
                    "%s: errors %g, %g", many[i], law.rate_error, law.error);
        nb_distribution_release(&law);
    }
}

static void test_far(void **state)
{
    (void)state;
    for (size_t c = 0; c < MANY; c++) {
        const struct onoff_case made = mmp_read(many[c]);
        struct nb_phases phases = { 0 };
        struct nb_twofold rate;
        long double worst = 0;
        double error;
        assert_int_equal(
            nb_phases_build(&made.arrivals, made.load, &phases, NULL), NB_OK);
        const size_t n = phases.count, most = phases.most;
        struct nb_twofold *v = nb_new_array(n, sizeof *v);
        assert_non_null(v);
        assert_int_equal(
            nb_onoff_decay(&made.arrivals, &phases.source, &rate, &error, NULL),
            NB_OK);
        const double lost = nb_phases_far(&made.arrivals, &phases, rate, v);
        for (size_t j = 0; j < n; j++) {
            long double moved = 0, factor = 0, shares = 0;
            for (size_t i = 0; i < n; i++)
                moved +=
                    wide_of(v[i]) * wide_of_scaled(phases.change[i * n + j]);
            for (size_t l = 0; l <= most; l++) {
                const long double share =
                    wide_of_scaled(phases.share[j * (most + 1) + l]);
                shares += share;
                factor += share * expl(wide_of(rate) * ((long double)l - 1));
            }
            ONOFF_CHECK(fabsl(shares - 1) < 1e-15L, "%s: %zu", many[c], j);
            worst = fmaxl(worst, fabsl(moved * factor / wide_of(v[j]) - 1));
        }
        ONOFF_CHECK(worst <= 4 * lost * (long double)(most + 8) *
                                 (error + 16 * LDBL_EPSILON),
                    "%s: %Lg, rate's error %g, lost %g", many[c], worst, error,
                    lost);
        nb_delete(v);
        nb_phases_release(&phases);
    }
}

/* The sources one by one, and the queue of one output. */
static void check_simulation(const char *text, uint64_t seed)
{
    enum { BATCHES = 40, SLOTS = 40000, SOURCES = 64 };
    const struct onoff_case made = mmp_read(text);
    const struct nb_arrivals *arrivals = &made.arrivals;
    const double alpha = nb_ratio_value(arrivals->alpha);
    const double beta = nb_ratio_value(arrivals->beta);
    const double low = nb_ratio_value(arrivals->low);
    const double high =
        made.load.rho.high * (alpha + beta) / (alpha + low * beta);
    const int k = (int)arrivals->radix;
    struct nb_random random;
    bool is_on[SOURCES] = { 0 };
    double sum = 0, squares = 0;
    int64_t queue = 0;
    nb_random_init(&random, seed, 0);
    for (int b = -1; b < BATCHES; b++) {
        double mean = 0;
        for (int t = 0; t < SLOTS; t++) {
            queue -= queue > 0;
            for (int s = 0; s < k; s++) {
                is_on[s] =
                    nb_random_unit(&random) < (is_on[s] ? 1 - beta : alpha);
                queue += nb_random_unit(&random) <
                         (is_on[s] ? high : low * high) / k;
            }
            mean += (double)queue / SLOTS;
        }
        sum += b < 0 ? 0 : mean / BATCHES;
        squares += b < 0 ? 0 : mean * mean / BATCHES;
    }
    struct nb_distribution law = { 0 };
    mmp_must_solve(text, &made, &law);
    const double right = nb_distribution_mean(&law).lower;
    /* 3.55 is Student's quantile of 99.9 % at 39 degrees; a little more. */
    const double margin = 4 * sqrt((squares - sum * sum) / (BATCHES - 1));
    ONOFF_CHECK(fabs(right - sum) < margin && margin < 0.1 * right,
                "%s: mean %g for %g +- %g", text, right, sum, margin);
    nb_distribution_release(&law);
}

static void test_simulation(void **state)
{
    (void)state;
    check_simulation("16,0.5,0.1,0.1,0.2", 1);
    check_simulation("4,0.3,0.05,0.1,0", 2);
    check_simulation("8,0.6,0.2,0.1,0.5", 3);
}

/* All events that can happen in the slots after a packet, state by state. */
struct tree {
    const struct nb_distribution *delay;
    double alpha, beta, rate[2];
    size_t d;
    double found[8];
};

static void tree_walk(struct tree *tree, size_t i, int was_on, size_t count,
                      double probability)
{
    if (i > tree->d) {
        tree->found[count] += probability;
        return;
    }
    for (int on = 0; on < 2; on++) {
        const double enters = was_on != 0 ? 1 - tree->beta : tree->alpha;
        const double p = probability * (on != 0 ? enters : 1 - enters);
        tree_walk(tree, i + 1, on, count, p * (1 - tree->rate[on]));
        for (size_t x = 0; x < tree->delay->length; x++)
            tree_walk(tree, i + 1, on, count + (i + x < tree->d),
                      p * tree->rate[on] *
                          nb_scaled_value(tree->delay->mass[x]));
    }
}

/* The reorder buffer of a stream, by walking every course of events. */
static void test_reorder(void **state)
{
    (void)state;
    enum { DELAYS = 5 };
    static const char *const cases[] = { "1,0.1,0.1,0.9,0", "1,0.3,0.2,0.3,0",
                                         "1,0.3,0.2,0.3,0.4",
                                         "1,0.5,0.3,0.1,0.5" };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct onoff_case made = mmp_read(cases[i]);
        const struct nb_reorder_source source = { .load = made.load,
                                                  .mmp = &made.arrivals };
        const double alpha = nb_ratio_value(made.arrivals.alpha);
        const double beta = nb_ratio_value(made.arrivals.beta);
        const double low = nb_ratio_value(made.arrivals.low);
        const double high =
            made.load.rho.high * (alpha + beta) / (alpha + low * beta);
        const double quietly = low * beta / (alpha + low * beta);
        struct nb_distribution delay;
        struct nb_reorder tails;
        double expected[DELAYS + 2] = { 0 };
        assert_int_equal(nb_distribution_reserve(&delay, DELAYS, NULL), NB_OK);
        for (size_t n = 0; n < DELAYS; n++)
            delay.mass[n] = wide_to_scaled((long double)(n + 1 + i) /
                                           (long double)(15 + DELAYS * i));
        delay.rate = wide_to(INFINITY);
        delay.error = 1e-18;
        nb_distribution_add_up(&delay);
        delay.tail[0] = wide_to_scaled(1);
        struct tree tree = {
            &delay, alpha, beta, { low * high, high }, 0, { 0 }
        };
        for (tree.d = 0; tree.d < DELAYS; tree.d++) {
            memset(tree.found, 0, sizeof tree.found);
            tree_walk(&tree, 1, 1, 0, 1 - quietly);
            tree_walk(&tree, 1, 0, 0, quietly);
            double tail = 0;
            for (size_t n = DELAYS + 1; n-- > 0;) {
                tail += tree.found[n];
                expected[n] += nb_scaled_value(delay.mass[tree.d]) * tail;
            }
        }
        assert_int_equal(
            nb_reorder_find(&delay, &source, 1e-300, SIZE_MAX, &tails, NULL),
            NB_OK);
        for (size_t n = 0; n <= DELAYS; n++) {
            const struct nb_bracket found = nb_reorder_tail(&tails, n);
            ONOFF_CHECK(fabs(found.lower - expected[n]) < 1e-14 &&
                            fabs(found.upper - expected[n]) < 1e-14,
                        "%s at %zu: %g for %g", cases[i], n, found.lower,
                        expected[n]);
        }
        nb_reorder_release(&tails);
        nb_distribution_release(&delay);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "4,0.2,0.1,0.9,0",
          "load 0.2 is not permitted with mmp arrivals of alpha 0.1, beta 0.9 "
          "and low 0 (permitted: up to 1/10, a packet in every cycle of the "
          "bursty state)" },
        { "257,0.05,0.1,0.9,0", "radix 257 is not permitted with mmp arrivals "
                                "(permitted: 1 to 256)" },
        { "4,0.2,1,1,0", "arrivals mmp with alpha and beta 1 are not permitted "
                         "(permitted: one of them below 1; otherwise sources "
                         "alternate between both states forever)" },
        { "4,0.2,0,1,0",
          "arrivals mmp with alpha 0, beta 1 and low 0 (permitted: alpha and "
          "beta above 0, all up to 1)" },
        { "4,0.2,0.5,0.5,2", "arrivals mmp with alpha 0.5, beta 0.5 and low 2 "
                             "(permitted: alpha and beta above 0, all up to "
                             "1)" },
        { "4,1,0.5,0.5,1",
          "load 1 is not permitted with mmp arrivals (permitted: below 1)" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct onoff_case made = mmp_read(cases[i].text);
        struct nb_error err = { 0 };
        struct nb_distribution law;
        assert_int_equal(nb_arrivals_law(&made.arrivals, made.load, &law, &err),
                         NB_INVALID);
        assert_string_equal(err.message, cases[i].message);
    }
    /* The greatest load is permitted, and a double next to it. */
    struct onoff_case full = mmp_read("4,0.4,0.1,0.4,0.25");
    struct nb_distribution law = { 0 };
    mmp_must_solve("full", &full, &law);
    nb_distribution_release(&law);
    full.load = nb_load_of_value(0.3999999);
    mmp_must_solve("nearly full", &full, &law);
    nb_distribution_release(&law);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),     cmocka_unit_test(test_bernoulli),
        cmocka_unit_test(test_onoff),      cmocka_unit_test(test_plain_chain),
        cmocka_unit_test(test_plain_loss), cmocka_unit_test(test_identities),
        cmocka_unit_test(test_far),        cmocka_unit_test(test_simulation),
        cmocka_unit_test(test_reorder),    cmocka_unit_test(test_refusals),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
