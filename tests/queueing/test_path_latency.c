/* The distribution of latency against paths followed one by one, with their
 * waits convolved directly. */
#include "queueing/path_latency.h"

#include "support/problem.h"
#include "core/memory.h"
#include "queueing/arrivals.h"
#include "routing/follow.h"
#include "routing/route_tables.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 512 };

/* The network followed: every channel has one of two waits, by its index. */
struct follow {
    const struct nb_path_waits *waits;
    const uint32_t *of_router; /* [router] the wait of the last channel */
    double wait[2][MOST];      /* P(hop takes n cycles) */
    double *sum;               /* [MOST] */
    struct nb_route_tables tables;
};

static void convolve(const double *a, const double *b, double *out)
{
    for (size_t n = 0; n < MOST; n++)
        out[n] = 0;
    for (size_t n = 0; n < MOST; n++)
        for (size_t m = 0; m + n < MOST && a[n] != 0; m++)
            out[n + m] += a[n] * b[m];
}

/* Follows all paths from a router, each with its own convolution. */
static void go(struct follow *follow, nb_route_state state, uint32_t router,
               uint32_t destination, double share, const double *so_far)
{
    const struct nb_routing *routing = follow->waits->routing;
    const struct nb_route_table *table;
    struct nb_hop *hops = calloc(routing->most_hops, sizeof *hops);
    double *next = calloc(MOST, sizeof *next), all = 0;
    assert_true(hops != NULL && next != NULL);
    assert_int_equal(nb_route_tables_find(&follow->tables, state, router,
                                          destination, &table, NULL),
                     NB_OK);
    const size_t count =
        nb_route_step(routing, table, state, router, destination, hops);
    for (size_t h = 0; h < count; h++)
        all += (double)hops[h].weight;
    for (size_t h = 0; h < count; h++) {
        const uint32_t channel = hops[h].channel;
        convolve(so_far, follow->wait[follow->waits->of_channel[channel]],
                 next);
        go(follow, hops[h].next, routing->topology->channels[channel].target,
           destination, share * (double)hops[h].weight / all, next);
    }
    if (count == 0 && follow->waits->of_terminal != NULL)
        convolve(so_far, follow->wait[follow->of_router[destination]], next);
    for (size_t n = 0; n < MOST && count == 0; n++)
        follow->sum[n] +=
            share * (follow->waits->of_terminal != NULL ? next[n] : so_far[n]);
    free(next);
    free(hops);
}

static void go_pair(struct follow *follow, uint32_t source,
                    uint32_t destination, double share)
{
    const struct nb_routing *routing = follow->waits->routing;
    struct nb_start *starts = calloc(routing->most_starts, sizeof *starts);
    double none[MOST] = { 1 };
    assert_non_null(starts);
    if (!nb_follow_moves(routing, source, destination)) {
        double last[MOST] = { 1 };
        if (follow->waits->of_terminal != NULL)
            convolve(none, follow->wait[follow->of_router[destination]], last);
        for (size_t n = 0; n < MOST; n++)
            follow->sum[n] += share * last[n];
        free(starts);
        return;
    }
    const size_t count = nb_route_starts(routing, source, destination, starts);
    for (size_t s = 0; s < count; s++)
        for (uint64_t q = 0; q < nb_start_ways(&starts[s]); q++)
            go(follow,
               nb_route_begin(routing, &starts[s], q, source, destination),
               source, destination,
               share * (double)starts[s].weight / (double)routing->start_total /
                   (double)nb_start_ways(&starts[s]),
               none);
    free(starts);
}

/* Uniform traffic with waits of load 0.2, and of load 0.4 or infinite. */
static void check_waits(const struct problem *problem, const char *name,
                        bool is_infinite)
{
    const struct nb_topology *topology = &problem->topology;
    const size_t channels = topology->channel_count;
    const size_t routers = topology->router_count;
    const struct nb_arrivals arrivals = { .kind = NB_ARRIVE_POISSON };
    static const uint32_t hop_cycles[2] = { 2, 5 };
    struct nb_distribution wait[2] = { { 0 } };
    struct nb_traffic traffic;
    struct nb_path_latency found;
    struct nb_error err = { 0 };
    struct follow *follow = calloc(1, sizeof *follow);
    uint32_t *of =
        calloc(channels + routers + topology->terminal_count, sizeof *of);
    double sum[MOST] = { 0 };
    if (problem->routing.kind->is_adaptive)
        goto done;
    assert_true(follow != NULL && of != NULL);
    for (uint32_t c = 0; c < channels + routers; c++)
        of[c] = c % 3 == 0;
    for (size_t r = 0, t = channels + routers; r < routers; r++)
        for (uint32_t i = 0; i < topology->terminals[r]; i++)
            of[t++] = of[channels + r];
    const struct nb_path_waits waits = {
        .routing = nb_route_alike(&problem->routing),
        .traffic = &traffic,
        .hop_cycles = hop_cycles,
        .count = 2,
        .wait = wait,
        .of_channel = of,
        .of_terminal = nb_ratio_is_known(topology->terminal_bandwidth)
                           ? of + channels + routers
                           : NULL,
    };
    *follow = (struct follow){ .waits = &waits,
                               .of_router = of + channels,
                               .sum = sum };
    for (int w = 0; w < (is_infinite ? 1 : 2); w++) {
        struct nb_distribution queue = { 0 };
        assert_int_equal(
            nb_arrivals_law(&arrivals,
                            nb_load_of_ratio(nb_ratio_make(w == 0 ? 1 : 2, 5)),
                            &queue, NULL),
            NB_OK);
        assert_int_equal(nb_distribution_wait(&queue, &wait[w], NULL), NB_OK);
        nb_distribution_release(&queue);
        for (size_t n = hop_cycles[w]; n < MOST; n++)
            follow->wait[w][n] = (double)nb_distribution_mass(
                &wait[w], (double)n - hop_cycles[w]);
    }
    assert_int_equal(
        nb_traffic_build("uniform", topology, false, &traffic, NULL), NB_OK);
    assert_int_equal(
        nb_route_tables_init(waits.routing, 1, &follow->tables, NULL), NB_OK);
    for (uint32_t i = 0; i < routers; i++)
        for (uint32_t j = 0; j < routers; j++)
            if (topology->terminals[i] > 0 && topology->terminals[j] > 0)
                go_pair(follow, i, j,
                        (double)topology->terminals[i] *
                            (double)topology->terminals[j] /
                            (double)topology->terminal_count /
                            (double)topology->terminal_count);
    if (nb_path_latency_find(&waits, NULL, &found, &err) != NB_OK)
        fail_msg("%s: %s", name, err.message);
    assert_true(found.lost < 1e-10);
    for (size_t n = 0; n < MOST && n < found.count; n++)
        if (fabs(found.mass[n] - sum[n]) > found.lost + 1e-13)
            fail_msg("%s: P(D = %zu) is %.17g, not %.17g", name, n,
                     found.mass[n], sum[n]);
    nb_path_latency_release(&found);
    nb_route_tables_release(&follow->tables);
    nb_traffic_release(&traffic);
done:
    nb_distribution_release(&wait[0]);
    nb_distribution_release(&wait[1]);
    free(follow);
    free(of);
}

static void check(const struct problem *problem, const char *name)
{
    check_waits(problem, name, false);
    check_waits(problem, name, true);
}

static void agrees_with_paths_one_by_one(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "dor@ring:5",          "dor@ring:17",         "min@mesh:3x2",
        "dor@torus:3x3",       "val@ring:4",          "romm@mesh:3x2",
        "rlb@ring:5",          "val@complete:4",      "min@dragonfly:h=1",
        "min@fattree:k=2,n=2", "rrr@fattree:k=2,n=2", "o1turn@mesh:3x3",
        "vlb@dragonfly:h=1",
    };
    problem_each_of(cases, sizeof cases / sizeof *cases, check);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* A bracket is open if the lost part could decide. */
static void quantiles_are_brackets(void **state)
{
    (void)state;
    double mass[] = { 0.5, 0.25, 0.125, 0.0625 };
    struct nb_path_latency law = { .count = 4, .mass = mass, .lost = 0.0625 };
    struct nb_bracket found = nb_path_latency_quantile(&law, 0.4);
    assert_true(found.lower == 0 && found.upper == 0);
    found = nb_path_latency_quantile(&law, 0.5);
    assert_true(found.lower == 0 && found.upper == 1);
    found = nb_path_latency_quantile(&law, 0.999);
    assert_true(found.lower == 3 && isinf(found.upper));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_paths_one_by_one),
        cmocka_unit_test(quantiles_are_brackets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
