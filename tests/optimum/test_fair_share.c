/* Fair shares by hand, by the definition of max-min fair rates, by plain linear
 * programs, and against simulations, which cannot give every router more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "optimum/fair_share.h"
#include "bounds/linear/linear.h"
#include "core/memory.h"
#include "load/pair_loads.h"
#include "sim/sim.h"
#include "support/flow_case.h"
#include "support/walk.h"
#include "support/traffic_case.h"
#include "topology/metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16, DEMANDS = 1 << 14 };

/* A network, a traffic and a scheme, and the shares at a rate. */
struct fair_case {
    struct flow_case flow;
    struct nb_fair_share share;
};

static void fair_open(struct fair_case *testcase, const char *topology,
                      const char *demands, const char *routing, double rate)
{
    struct nb_error err = { 0 };
    flow_case_open_demands(&testcase->flow, topology, demands);
    if (nb_routing_build(routing, &testcase->flow.topology,
                         &testcase->flow.routing, &err) != NB_OK ||
        nb_fair_share_find(&testcase->flow.routing, &testcase->flow.traffic,
                           nb_enclosure_of_double(rate), NULL, &testcase->share,
                           &err) != NB_OK)
        fail_msg("%s, %s: %s", topology, routing, err.message);
}

static void fair_close(struct fair_case *testcase)
{
    nb_fair_share_release(&testcase->share);
    flow_case_close(&testcase->flow);
}

static double value_of(const struct fair_case *testcase, uint32_t router)
{
    const struct nb_enclosure rate = nb_fair_share_of(&testcase->share, router);
    return rate.lower / 2 + rate.upper / 2;
}

/* Three routers share the channel from 2 to 3, and one of them also that to 4,
 * whose rest the fourth gets; the fifth sends nothing. */
static void test_line_by_hand(void **state)
{
    static const int64_t expected[][2] = {
        { 1, 3 }, { 1, 3 }, { 1, 3 }, { 2, 3 }, { 0, 1 }
    };
    struct fair_case testcase;
    (void)state;
    fair_open(&testcase, "mesh:5",
              "source,destination,rate\n0,4,1\n1,3,1\n2,3,1\n3,4,1\n", "dor",
              1);
    for (uint32_t r = 0; r < 5; r++) {
        const struct nb_ratio rate = nb_fair_share_of(&testcase.share, r).exact;
        assert_true(rate.numerator == expected[r][0] &&
                    rate.denominator == expected[r][1]);
    }
    assert_int_equal(testcase.share.level_count, 2);
    assert_int_equal(testcase.share.levels[0].routers, 3);
    const struct nb_fair_row *row =
        &testcase.share.rows[testcase.share.levels[0].row];
    assert_true(testcase.flow.topology.channels[row->channel].source == 2 &&
                testcase.flow.topology.channels[row->channel].target == 3);
    fair_close(&testcase);
    /* At a lower rate, routers that cross no full channel get what they
     * demand. */
    fair_open(&testcase, "mesh:5",
              "source,destination,rate\n0,4,1\n1,3,1\n2,3,1\n3,4,1\n", "dor",
              0.5);
    assert_true(value_of(&testcase, 3) == 0.5 &&
                fabs(value_of(&testcase, 1) - 1.0 / 3) < 1e-15);
    assert_true(testcase.share.levels[1].row == SIZE_MAX);
    fair_close(&testcase);
}

static void draw(const char *topology, uint64_t seed, char *demands)
{
    struct flow_case drawn;
    flow_case_open(&drawn, topology, "uniform");
    flow_case_draw(&drawn.topology, seed, demands, DEMANDS);
    flow_case_close(&drawn);
}

/* Packets of a router at rate 1, per terminal. */
static double row_of(const struct flow_case *flow, uint32_t router)
{
    uint64_t rate[MOST];
    double sum = 0;
    for (uint32_t j = 0; j < flow->topology.router_count; j++) {
        assert_int_equal(
            nb_traffic_column(&flow->traffic, &flow->topology, j, rate, NULL),
            NB_OK);
        sum += (double)rate[router] / (double)flow->traffic.denominator;
    }
    return sum / flow->topology.terminals[router];
}

/* each: out, [router] the load of a router on a channel while each of its
 * terminals sends one packet, from the loads of pairs. */
static void channel_each(const struct fair_case *testcase, uint32_t channel,
                         double *each)
{
    const struct flow_case *flow = &testcase->flow;
    const size_t n = flow->topology.router_count;
    struct nb_pair_loads loads = { 0 };
    uint64_t rate[MOST];
    assert_int_equal(
        nb_pair_loads_find(&flow->routing, 1, &channel, NULL, &loads, NULL),
        NB_OK);
    for (size_t i = 0; i < n; i++)
        each[i] = 0;
    for (uint32_t j = 0; j < n; j++) {
        assert_int_equal(
            nb_traffic_column(&flow->traffic, &flow->topology, j, rate, NULL),
            NB_OK);
        for (size_t i = 0; i < n; i++)
            each[i] += nb_pair_load_value(&loads, i, j) * (double)rate[i] /
                       (double)flow->traffic.denominator;
    }
    for (uint32_t i = 0; i < n; i++)
        each[i] /= each[i] > 0 ? row_of(flow, i) : 1;
    nb_pair_loads_release(&loads);
}

/*
 * Rates are max-min fair if and only if no channel carries too much, no router
 * sends more than it demands, and each that sends less crosses a full channel
 * on which no router has a higher rate.
 */
static void check_bottlenecks(const struct fair_case *testcase, double rate)
{
    const struct flow_case *flow = &testcase->flow;
    const size_t n = flow->topology.router_count;
    bool is_stuck[MOST] = { false };
    double each[MOST];
    for (uint32_t c = 0; c < flow->topology.channel_count; c++) {
        const double band =
            nb_ratio_value(flow->topology.channels[c].bandwidth);
        double load = 0, most = 0;
        channel_each(testcase, c, each);
        for (uint32_t r = 0; r < n; r++) {
            load += each[r] * value_of(testcase, r);
            if (each[r] > 1e-12)
                most = fmax(most, value_of(testcase, r));
        }
        if (load > band * (1 + 1e-12))
            fail_msg("%s: channel %u: %g of %g", flow->name, c, load, band);
        for (uint32_t r = 0; r < n && load > band * (1 - 1e-12); r++)
            is_stuck[r] =
                is_stuck[r] || (each[r] > 1e-12 &&
                                value_of(testcase, r) >= most * (1 - 1e-12));
    }
    for (uint32_t r = 0; r < n; r++) {
        const double demand = rate * row_of(flow, r);
        const double own = value_of(testcase, r);
        if (own > demand * (1 + 1e-12) ||
            (own < demand * (1 - 1e-12) && !is_stuck[r]))
            fail_msg("%s: router %u: %g of %g", flow->name, r, own, demand);
    }
}

static void test_bottlenecks(void **state)
{
    static const char *const cases[][2] = {
        { "mesh:2x3", "dor" },
        { "ring:6", "min" },
        { "torus:3x3", "val" },
        { "complete:5", "val" },
        { "hypercube:3", "romm" },
        { "ring:5", "rlb" },
        { "mesh:2x2,terminals=2,terminal-bandwidth=unlimited", "o1turn" },
    };
    char demands[DEMANDS];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t seed = 0; seed < 6; seed++) {
            const double rate = seed % 2 ? 0.3 : 5;
            struct fair_case testcase;
            draw(cases[i][0], 100 * i + seed, demands);
            fair_open(&testcase, cases[i][0], demands, cases[i][1], rate);
            check_bottlenecks(&testcase, rate);
            fair_close(&testcase);
        }
}

/* Rows of a plain filling: every channel, then the channels to every terminal,
 * then those from them. */
struct filling {
    const struct flow_case *flow;
    size_t routers, rows;
    struct nb_ratio *each; /* [row * routers + router] use at rate 1 */
    struct nb_ratio *room; /* [row] what fixed rates leave */
    struct nb_ratio demand[MOST], rate[MOST];
    bool is_fixed[MOST];
};

/* Adds the use of all rows by the packets of a pair. crossings: [channel] of
 * the pair; amount: its packets while each terminal of its source sends one */
static void filling_add(struct filling *filling, uint32_t source,
                        struct nb_ratio amount,
                        const struct nb_ratio *crossings)
{
    const size_t channels = filling->flow->topology.channel_count;
    for (size_t k = 0; k < filling->rows; k++) {
        struct nb_ratio *each = &filling->each[k * filling->routers + source];
        if (k < channels)
            *each =
                nb_ratio_add(*each, nb_ratio_multiply(crossings[k], amount));
    }
}

/* The same of the terminals' own channels, from rates between terminals. each:
 * packets at rate 1 that are one of each terminal of its router */
static void filling_add_terminals(struct filling *filling,
                                  const uint32_t *router,
                                  const struct nb_ratio *each)
{
    const struct flow_case *flow = filling->flow;
    const struct traffic_case testcase = { flow->topology, flow->traffic };
    const uint32_t count = (uint32_t)flow->topology.terminal_count;
    const size_t channels = flow->topology.channel_count;
    for (uint32_t t = 0; t < count; t++)
        for (uint32_t u = 0; u < count; u++) {
            const size_t rows[2] = { channels + u, channels + count + t };
            const uint32_t i = router[t];
            for (int end = 0; end < 2; end++) {
                struct nb_ratio *use =
                    &filling->each[rows[end] * filling->routers + i];
                *use = nb_ratio_add(
                    *use, nb_ratio_multiply(
                              traffic_case_single(&testcase, t, u), each[i]));
            }
        }
}

/* The uses by exact paths, and the demands at a rate. */
static void filling_open(const struct fair_case *testcase, struct nb_ratio rate,
                         struct filling *out)
{
    const struct flow_case *flow = &testcase->flow;
    const struct nb_topology *topology = &flow->topology;
    const size_t n = topology->router_count, channels = topology->channel_count;
    uint64_t amount[MOST][MOST], sums[MOST] = { 0 };
    struct nb_ratio *crossings = walk_all_pairs(&flow->routing, flow->name);
    struct nb_ratio each[MOST];
    uint32_t *router;
    assert_int_equal(nb_terminals_list(topology, &router, NULL), NB_OK);
    *out = (struct filling){ .flow = flow,
                             .routers = n,
                             .rows = channels + 2 * topology->terminal_count };
    out->each = nb_new_array(out->rows * n, sizeof *out->each);
    out->room = nb_new_array(out->rows, sizeof *out->room);
    assert_true(out->each != NULL && out->room != NULL);
    for (size_t k = 0; k < out->rows * n; k++)
        out->each[k] = nb_ratio_zero;
    for (size_t k = 0; k < out->rows; k++)
        out->room[k] = k < channels ? topology->channels[k].bandwidth
                       : nb_ratio_is_known(topology->terminal_bandwidth)
                           ? topology->terminal_bandwidth
                           : nb_ratio_infinity;
    for (uint32_t j = 0; j < n; j++) {
        assert_int_equal(
            nb_traffic_column(&flow->traffic, topology, j, amount[j], NULL),
            NB_OK);
        for (uint32_t i = 0; i < n; i++)
            sums[i] += amount[j][i];
    }
    for (uint32_t i = 0; i < n; i++) {
        out->is_fixed[i] = sums[i] == 0;
        out->rate[i] = each[i] = nb_ratio_zero;
        if (sums[i] == 0)
            continue;
        each[i] = nb_ratio_make((nb_int128)flow->traffic.denominator *
                                    topology->terminals[i],
                                sums[i]);
        out->demand[i] = nb_ratio_multiply(
            rate, nb_ratio_make(sums[i], (nb_int128)flow->traffic.denominator *
                                             topology->terminals[i]));
        for (uint32_t j = 0; j < n; j++)
            if (amount[j][i] > 0)
                filling_add(out, i,
                            nb_ratio_make((nb_int128)amount[j][i] *
                                              topology->terminals[i],
                                          sums[i]),
                            crossings + (i * n + j) * channels);
    }
    filling_add_terminals(out, router, each);
    nb_delete(crossings);
    nb_delete(router);
}

/* The rate at which all that are not fixed fill a row. */
static struct nb_ratio filling_until(const struct filling *filling, size_t row)
{
    struct nb_ratio sum = nb_ratio_zero;
    for (size_t r = 0; r < filling->routers; r++)
        if (!filling->is_fixed[r])
            sum = nb_ratio_add(sum, filling->each[row * filling->routers + r]);
    return nb_ratio_compare(sum, nb_ratio_zero) == 0
               ? nb_ratio_infinity
               : nb_ratio_divide(filling->room[row], sum);
}

/* Fixes the routers of full rows, and those whose demand is met. */
static void filling_fix(struct filling *filling, struct nb_ratio level)
{
    const size_t n = filling->routers;
    bool is_stuck[MOST];
    for (size_t r = 0; r < n; r++)
        is_stuck[r] = nb_ratio_compare(filling->demand[r], level) == 0;
    for (size_t k = 0; k < filling->rows; k++)
        for (size_t r = 0;
             r < n && nb_ratio_compare(filling_until(filling, k), level) == 0;
             r++)
            is_stuck[r] |=
                nb_ratio_compare(filling->each[k * n + r], nb_ratio_zero) > 0;
    for (size_t r = 0; r < n; r++) {
        if (filling->is_fixed[r] || !is_stuck[r])
            continue;
        filling->is_fixed[r] = true;
        filling->rate[r] = level;
        for (size_t k = 0; k < filling->rows; k++)
            if (!nb_ratio_is_infinite(filling->room[k]))
                filling->room[k] = nb_ratio_subtract(
                    filling->room[k],
                    nb_ratio_multiply(level, filling->each[k * n + r]));
    }
}

static void filling_run(struct filling *filling)
{
    for (size_t left = 1; left > 0;) {
        struct nb_ratio level = nb_ratio_infinity;
        left = 0;
        for (size_t r = 0; r < filling->routers; r++) {
            if (filling->is_fixed[r])
                continue;
            left++;
            if (nb_ratio_compare(filling->demand[r], level) < 0)
                level = filling->demand[r];
        }
        for (size_t k = 0; k < filling->rows && left > 0; k++)
            if (nb_ratio_compare(filling_until(filling, k), level) < 0)
                level = filling_until(filling, k);
        assert_true(nb_ratio_is_known(level));
        if (left > 0)
            filling_fix(filling, level);
    }
}

/* The levels contain as many routers of each rate as the plain filling. */
static void check_levels(const struct fair_case *testcase,
                         const struct filling *filling)
{
    const struct nb_fair_share *share = &testcase->share;
    for (size_t l = 0; l < share->level_count; l++) {
        size_t routers = 0, expected = 0;
        for (size_t m = 0; m < share->level_count; m++)
            if (nb_ratio_compare(share->levels[m].rate.exact,
                                 share->levels[l].rate.exact) == 0)
                routers += share->levels[m].routers;
        for (uint32_t r = 0; r < filling->routers; r++)
            expected += nb_ratio_compare(filling->rate[r],
                                         share->levels[l].rate.exact) == 0 &&
                        share->of[r] != NB_NONE;
        if (routers != expected)
            fail_msg("%s: %zu routers, not %zu", testcase->flow.name, routers,
                     expected);
    }
}

/* The same ratios as by the plain filling. */
static void check_filling(const char *topology, const char *routing,
                          const char *traffic, struct nb_ratio rate)
{
    struct fair_case testcase = { 0 };
    struct filling filling;
    struct nb_error err = { 0 };
    flow_case_open(&testcase.flow, topology, traffic);
    if (nb_routing_build(routing, &testcase.flow.topology,
                         &testcase.flow.routing, &err) != NB_OK ||
        nb_fair_share_find(&testcase.flow.routing, &testcase.flow.traffic,
                           nb_enclosure_of_ratio(rate), NULL, &testcase.share,
                           &err) != NB_OK)
        fail_msg("%s, %s: %s", topology, routing, err.message);
    filling_open(&testcase, rate, &filling);
    filling_run(&filling);
    for (uint32_t r = 0; r < filling.routers; r++) {
        const struct nb_enclosure found = nb_fair_share_of(&testcase.share, r);
        if (nb_ratio_compare(found.exact, filling.rate[r]) != 0 ||
            !(found.lower <= nb_ratio_value(filling.rate[r]) &&
              nb_ratio_value(filling.rate[r]) <= found.upper))
            fail_msg("%s, %s, router %u: %g in [%g, %g], not %g",
                     testcase.flow.name, routing, r,
                     nb_ratio_value(found.exact), found.lower, found.upper,
                     nb_ratio_value(filling.rate[r]));
    }
    check_levels(&testcase, &filling);
    nb_delete(filling.each);
    nb_delete(filling.room);
    fair_close(&testcase);
}

/* Symmetric traffic, several terminals, terminals' channels of every bandwidth
 * and channels of different ones. */
static void test_plain_filling(void **state)
{
    static const char *const cases[][3] = {
        { "mesh:3x3", "dor", "uniform" },
        { "mesh:3x3", "dor", "hot-spot:nodes=4,share=1/2" },
        { "mesh:3x3", "dor", "hot-spot:nodes=0,share=1/3" },
        { "mesh:5,terminals=2", "dor", "hot-spot:nodes=4,share=1" },
        { "mesh:2x3,terminals=3,terminal-bandwidth=1/4", "dor", "uniform" },
        { "mesh:2x3,terminals=2,terminal-bandwidth=1/8", "o1turn",
          "hot-spot:nodes=5,share=1/4" },
        { "ring:6,terminal-bandwidth=1/5", "min",
          "hot-spot:nodes=2,share=1/2" },
        { "ring:6,terminals=2", "min", "tornado" },
        { "ring:5", "val", "hot-spot:nodes=1,share=1/2" },
        { "torus:4x3,bandwidth=2+1/3", "dor", "tornado" },
        { "torus:3x3", "val", "tornado" },
        { "hypercube:3,terminals=2,bandwidth=3/2", "min", "bit-reverse" },
        { "complete:5,terminals=2,terminal-bandwidth=2/3", "val", "uniform" },
        { "fattree:k=2,n=3", "updown", "hot-spot:nodes=1,share=1/2" },
        { "dragonfly:h=1", "min", "adversarial" },
        { "dragonfly:h=1,terminal-bandwidth=1/6", "val", "adversarial" },
        { "dragonfly:h=1", "val", "hot-spot:nodes=0,share=2/3" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int rate = 1; rate <= 16; rate *= 4)
            check_filling(cases[i][0], cases[i][1], cases[i][2],
                          nb_ratio_make(rate, 9));
}

/*
 * By hand, on four routers that are all adjacent. A detour draws one of the
 * four routers, and source and destination are none: one draw keeps at least
 * half of a pair's packets on the channel between them and lets a quarter pass
 * each other router. Two draws let 3/4 leave that channel, and 7/16 pass one
 * router. Two routers that send to one destination gain nothing from passing
 * each other, so 3/4 of each one's packets or more load its own channel; with
 * two draws they fill the three channels into the destination.
 */
static void test_detours_by_hand(void **state)
{
    static const struct {
        const char *topology, *routing, *demands;
        struct nb_ratio rate[4];
        size_t routers; /* of the first level */
    } cases[] = {
        { "complete:4", "ugal", "0,1,1\n", { { 2, 1 } }, 1 },
        { "complete:4", "ugal:candidates=2", "0,1,1\n", { { 3, 1 } }, 1 },
        { "complete:4,bandwidth=2/3", "ugal", "0,1,1\n", { { 4, 3 } }, 1 },
        { "complete:4,terminals=2,terminal-bandwidth=unlimited",
          "ugal",
          "0,2,1\n",
          { { 1, 1 } },
          1 },
        { "complete:4", "ugal", "0,1,1/3\n", { { 5, 3 } }, 1 },
        { "complete:4",
          "ugal",
          "0,1,1\n2,1,1\n",
          { { 4, 3 }, { 0, 1 }, { 4, 3 } },
          2 },
        { "complete:4",
          "ugal:candidates=2",
          "0,1,1\n2,1,1\n",
          { { 3, 2 }, { 0, 1 }, { 3, 2 } },
          2 },
        { "complete:4",
          "ugal",
          "0,1,1\n2,1,1\n3,2,1/10\n",
          { { 4, 3 }, { 0, 1 }, { 4, 3 }, { 1, 2 } },
          1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char demands[200];
        struct fair_case testcase;
        snprintf(demands, sizeof demands, "source,destination,rate\n%s",
                 cases[i].demands);
        fair_open(&testcase, cases[i].topology, demands, cases[i].routing, 5);
        for (uint32_t r = 0; r < 4; r++) {
            const double expected = (double)cases[i].rate[r].numerator /
                                    (double)(cases[i].rate[r].denominator +
                                             (cases[i].rate[r].numerator == 0));
            if (!(fabs(value_of(&testcase, r) - expected) < 1e-12))
                fail_msg("%s, %s, router %u: %g, not %g", cases[i].topology,
                         cases[i].routing, r, value_of(&testcase, r), expected);
        }
        assert_int_equal(testcase.share.levels[0].routers, cases[i].routers);
        fair_close(&testcase);
    }
}

/* Rates that are not known exactly are carried to within their rounding. Router
 * 0 has what it demands, 1. It keeps 3/4 of that on its own channel at least,
 * where router 2 can add 1/4, and router 2 at rate x keeps 3/4 x - 1/4. */
static void test_inexact_rate(void **state)
{
    static const double expected[] = { 1, 0, 5.0 / 3, 0 };
    const struct nb_bracket rate = { 3 * (1 - 1e-12), 3 * (1 + 1e-12) };
    struct fair_case testcase;
    (void)state;
    fair_open(&testcase, "complete:4",
              "source,destination,rate\n0,1,1/3\n2,1,1\n", "ugal", 3);
    nb_fair_share_release(&testcase.share);
    assert_int_equal(nb_fair_share_find(&testcase.flow.routing,
                                        &testcase.flow.traffic,
                                        nb_enclosure_of_bracket(rate), NULL,
                                        &testcase.share, NULL),
                     NB_OK);
    for (uint32_t r = 0; r < 4; r++) {
        const struct nb_enclosure found = nb_fair_share_of(&testcase.share, r);
        if (!(found.lower <= expected[r] && expected[r] <= found.upper &&
              found.upper - found.lower < 1e-8))
            fail_msg("router %u: [%.17g, %.17g], not %g", r, found.lower,
                     found.upper, expected[r]);
    }
    assert_true(testcase.share.least.lower ==
                nb_fair_share_of(&testcase.share, 0).lower);
    fair_close(&testcase);
}

/* Rates whose common denominator is too large, as they are limited by channels
 * of bandwidths 1 / prime: the leaves of a star send to its centre. */
static void test_large_denominator(void **state)
{
    static const uint32_t primes[] = { 1009, 1013, 1019, 1021, 1031, 1033,
                                       1039, 1049, 1051, 1061, 1063 };
    enum { LEAVES = sizeof primes / sizeof *primes };
    char text[1000], demands[1000];
    struct fair_case testcase = { 0 };
    int length = 0,
        at = snprintf(demands, sizeof demands, "source,destination,rate\n");
    (void)state;
    for (int i = 1; i <= LEAVES; i++) {
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "0 %d 1/%u\n", i, primes[i - 1]);
        at +=
            snprintf(demands + at, sizeof demands - (size_t)at, "%d,0,1\n", i);
    }
    flow_case_open_file(&testcase.flow, text, ".txt", demands);
    assert_int_equal(nb_routing_build("min-adaptive", &testcase.flow.topology,
                                      &testcase.flow.routing, NULL),
                     NB_OK);
    assert_int_equal(nb_fair_share_find(
                         &testcase.flow.routing, &testcase.flow.traffic,
                         nb_enclosure_of_whole(1), NULL, &testcase.share, NULL),
                     NB_OK);
    for (uint32_t i = 0; i < LEAVES; i++) {
        const struct nb_enclosure found =
            nb_fair_share_of(&testcase.share, i + 1);
        const double expected = 1.0 / primes[i];
        if (!(found.lower <= expected && expected <= found.upper &&
              found.upper - found.lower < 1e-8))
            fail_msg("leaf %u: [%.17g, %.17g], not %g", i, found.lower,
                     found.upper, expected);
    }
    fair_close(&testcase);
}

/*
 * Plain programs: flows to every destination over every channel on a shortest
 * path, in any shares. Columns are the routers' rates, then the lowest rate t
 * of those not fixed, then the flows.
 */
struct plain {
    const struct flow_case *flow;
    double cap[MOST], fixed[MOST]; /* rates already fixed; NAN: not yet */
    double least;                  /* lowest rate of those not fixed */
};

static void plain_row(struct nb_linear_row *row, struct nb_linear *linear,
                      enum nb_linear_sense sense, double right)
{
    assert_int_equal(nb_linear_row_add(row, linear, sense, right, NULL, NULL),
                     NB_OK);
}

/* Adds the conservation of the flows to a destination, and these flows to the
 * loads. */
static void plain_add(const struct plain *plain, struct nb_linear *linear,
                      struct nb_linear_row *rows, uint32_t j)
{
    const struct nb_topology *topology = &plain->flow->topology;
    const size_t n = topology->router_count, channels = topology->channel_count;
    uint32_t hops[MOST], queue[MOST];
    uint64_t rate[MOST];
    assert_int_equal(
        nb_traffic_column(&plain->flow->traffic, topology, j, rate, NULL),
        NB_OK);
    nb_distances_to(topology, j, hops, queue);
    for (uint32_t v = 0; v < n; v++) {
        if (v == j)
            continue;
        for (size_t c = 0; c < channels; c++) {
            const struct nb_channel *channel = &topology->channels[c];
            const size_t column = n + 1 + j * channels + c;
            if (hops[channel->source] != hops[channel->target] + 1)
                continue;
            if (channel->source == v)
                nb_linear_row_put(rows, column, 1);
            if (channel->target == v)
                nb_linear_row_put(rows, column, -1);
        }
        if (rate[v] > 0)
            nb_linear_row_put(rows, v,
                              -(double)rate[v] /
                                  (double)plain->flow->traffic.denominator /
                                  row_of(plain->flow, v));
        plain_row(rows, linear, NB_EQUAL, 0);
    }
}

/* The maximum of t, or of one router's rate. */
static double plain_solve(const struct plain *plain, size_t wanted)
{
    const struct nb_topology *topology = &plain->flow->topology;
    const size_t n = topology->router_count, channels = topology->channel_count;
    struct nb_linear *linear;
    struct nb_linear_row rows = { 0 };
    enum nb_linear_end end;
    assert_int_equal(nb_linear_new(&linear, NULL), NB_OK);
    assert_int_equal(nb_linear_row_init(&rows, n + 1 + n * channels, NULL),
                     NB_OK);
    for (size_t x = 0; x < n + 1 + n * channels; x++)
        assert_int_equal(nb_linear_add_column(linear, x == wanted ? -1 : 0,
                                              x < n ? plain->cap[x] : INFINITY,
                                              0, NULL, NULL, NULL, NULL),
                         NB_OK);
    for (size_t c = 0; c < channels; c++) {
        for (size_t j = 0; j < n; j++)
            nb_linear_row_put(&rows, n + 1 + j * channels + c, 1);
        plain_row(&rows, linear, NB_AT_MOST,
                  nb_ratio_value(topology->channels[c].bandwidth));
    }
    for (uint32_t j = 0; j < n; j++)
        plain_add(plain, linear, &rows, j);
    for (size_t r = 0; r < n; r++) {
        const bool is_free = isnan(plain->fixed[r]);
        if (is_free && wanted == n)
            nb_linear_row_put(&rows, n, 1);
        nb_linear_row_put(&rows, r, -1);
        plain_row(&rows, linear, NB_AT_MOST,
                  !is_free      ? -plain->fixed[r] * (1 - 1e-9)
                  : wanted == n ? 0
                                : -plain->least * (1 - 1e-9));
    }
    assert_int_equal(
        nb_linear_solve(linear, NB_LINEAR_PRIMAL, INFINITY, &end, NULL), NB_OK);
    assert_int_equal(end, NB_LINEAR_OPTIMAL);
    const double value = nb_linear_value(linear, wanted);
    nb_linear_row_release(&rows);
    nb_linear_release(&linear);
    return value;
}

/* Fixes, level by level, the rates that cannot rise. */
static void plain_find(struct plain *plain)
{
    const size_t n = plain->flow->topology.router_count;
    size_t left = 0;
    for (size_t r = 0; r < n; r++) {
        plain->fixed[r] = plain->cap[r] > 0 ? NAN : 0;
        left += plain->cap[r] > 0;
    }
    while (left > 0) {
        bool is_stuck[MOST];
        plain->least = plain_solve(plain, n);
        for (size_t r = 0; r < n; r++)
            is_stuck[r] = isnan(plain->fixed[r]) &&
                          plain_solve(plain, r) < plain->least * (1 + 1e-6);
        for (size_t r = 0; r < n; r++)
            if (is_stuck[r]) {
                plain->fixed[r] = plain->least;
                left--;
            }
    }
}

static void test_adaptive_by_programs(void **state)
{
    static const char *const networks[] = { "mesh:2x3", "ring:6", "torus:3x3",
                                            "hypercube:3" };
    char demands[DEMANDS];
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            const double rate = seed % 2 ? 0.3 : 5;
            struct fair_case testcase;
            struct plain plain = { .flow = &testcase.flow };
            draw(networks[i], 1000 * i + seed, demands);
            fair_open(&testcase, networks[i], demands, "min-adaptive", rate);
            for (uint32_t r = 0; r < testcase.flow.topology.router_count; r++)
                plain.cap[r] = rate * row_of(&testcase.flow, r);
            plain_find(&plain);
            for (uint32_t r = 0; r < testcase.flow.topology.router_count; r++)
                if (!(fabs(value_of(&testcase, r) - plain.fixed[r]) <
                      1e-5 * (1 + plain.fixed[r])))
                    fail_msg("%s, seed %d, router %u: %g, not %g",
                             testcase.flow.name, (int)seed, r,
                             value_of(&testcase, r), plain.fixed[r]);
            fair_close(&testcase);
        }
}

/* The lowest rate in a network of finite buffers, with queues at the sources,
 * does not exceed the bound. */
static void test_simulated(void **state)
{
    static const char *const cases[][2] = {
        { "mesh:2x3", "dor" },
        { "mesh:3x3", "min-adaptive" },
        { "complete:5", "val" },
        { "hypercube:3", "min-adaptive" },
    };
    char demands[DEMANDS];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            struct nb_simulation_result result;
            struct nb_error err = { 0 };
            struct fair_case testcase;
            draw(cases[i][0], 77 * i + seed, demands);
            fair_open(&testcase, cases[i][0], demands, cases[i][1], 1);
            const struct nb_simulation plan = {
                .topology = &testcase.flow.topology,
                .routing = &testcase.flow.routing,
                .traffic = &testcase.flow.traffic,
                .router = { .model = NB_ROUTER_CREDIT,
                            .arbitration = NB_IN_TURN,
                            .buffer = 8,
                            .output_buffer = 1,
                            .speedup = 1,
                            .channel_latency = 1 },
                .injection = { .kind = NB_INJECT_BERNOULLI,
                               .rate = 1,
                               .flits = 1 },
                .seed = seed,
                .replications = 2,
                .warm_up = 3000,
                .cycles = 8000,
                .packet_limit = 1 << 20,
                .limit = { .rate = INFINITY },
                .pair_source = NB_NONE,
                .pair_target = NB_NONE,
            };
            if (nb_simulate(&plan, NULL, &result, &err) != NB_OK)
                fail_msg("%s: %s", testcase.flow.name, err.message);
            if (result.router_least.lower >
                testcase.share.least.upper * (1 + 1e-9))
                fail_msg("%s, %s, seed %d: %g in [%g, %g] above %g",
                         cases[i][0], cases[i][1], (int)seed,
                         result.router_least.value, result.router_least.lower,
                         result.router_least.upper, testcase.share.least.upper);
            nb_simulation_result_release(&result);
            fair_close(&testcase);
        }
}

static void test_failing_memory(void **state)
{
    static const char *const routings[] = { "dor", "min-adaptive" };
    struct fair_case testcase;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        enum nb_status status = NB_NO_MEMORY;
        fair_open(&testcase, "mesh:2x2",
                  "source,destination,rate\n0,3,1\n1,3,1\n2,1,1\n", routings[i],
                  1);
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            nb_fair_share_release(&testcase.share);
            const struct nb_run run = { .threads = 1 };
            nb_memory_allow(allowed);
            status = nb_fair_share_find(
                &testcase.flow.routing, &testcase.flow.traffic,
                nb_enclosure_of_whole(1), &run, &testcase.share, NULL);
            nb_memory_allow(-1);
        }
        assert_int_equal(status, NB_OK);
        fair_close(&testcase);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line_by_hand),
        cmocka_unit_test(test_bottlenecks),
        cmocka_unit_test(test_plain_filling),
        cmocka_unit_test(test_detours_by_hand),
        cmocka_unit_test(test_inexact_rate),
        cmocka_unit_test(test_large_denominator),
        cmocka_unit_test(test_adaptive_by_programs),
        cmocka_unit_test(test_simulated),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
