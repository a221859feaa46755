/*
 * Times optimal routing: the best worst case of orbits against the same
 * program without symmetry, the best flow by column generation against a
 * program in the flows over channels, and points of the trade-off between mean
 * path and worst case. Where two methods answer, the answers must agree.
 *
 *     bench_optimum [quick]    with "quick", smaller networks (seconds)
 */
#include "optimum/best_flow.h"
#include "optimum/best_oblivious.h"
#include "plain_program.h"

#include <math.h>
#include <string.h>

/* The network, and the paths that an optimum may take: all. */
struct optimum_case {
    struct nb_topology topology;
    struct nb_path_class path_class;
};

static void optimum_open(const char *name, struct optimum_case *out)
{
    struct nb_error err = { 0 };
    *out = (struct optimum_case){ 0 };
    groups_build(name, &out->topology);
    groups_must(nb_path_class_init(&out->topology, NB_PATHS_ANY, nb_ratio_one,
                                   &out->path_class, &err),
                &err);
}

/* Ends a row with the plain program's time and its answer compared with
 * ours. */
static bool optimum_compare(double seconds, double plain_seconds, double plain,
                            double lower, double upper)
{
    if (isnan(plain)) {
        printf(" %12s %9s  -\n", "gave up", "-");
        return true;
    }
    printf(" %12.1f %9.1f", 1e3 * plain_seconds, plain_seconds / seconds);
    return groups_conclude(plain <= upper * (1 + 1e-6) &&
                           plain >= lower * (1 - 1e-6));
}

static bool optimum_worst_row(const char *name, bool has_plain)
{
    struct optimum_case network;
    struct nb_best_oblivious best = { 0 };
    struct nb_error err = { 0 };
    optimum_open(name, &network);
    const struct nb_oblivious_question question = {
        .topology = &network.topology,
        .path_class = &network.path_class,
        .goal = NB_LEAST_WORST_LOAD,
        .rate = nb_ratio_one,
        .most_load = nb_ratio_infinity,
        .seconds = INFINITY,
    };
    struct groups_clock clock = { 0 };
    while (groups_again(&clock)) {
        nb_best_oblivious_release(&best);
        groups_must(nb_best_oblivious_find(&question, NULL, &best, &err), &err);
    }
    printf("%-10s %9zu %9.6f %9.6f %8.2f", name, best.pair_orbits,
           best.load.lower, best.load.upper, 1e3 * clock.best);
    bool agrees = true;
    if (has_plain) {
        const double plain_start = measure_now();
        const double plain = plain_worst(&network.topology);
        agrees = optimum_compare(clock.best, measure_now() - plain_start, plain,
                                 best.load.lower, best.load.upper);
    } else {
        printf(" %12s %9s\n", "-", "-");
        fflush(stdout);
    }
    nb_best_oblivious_release(&best);
    nb_topology_release(&network.topology);
    return agrees;
}

static bool optimum_worst(bool is_quick)
{
    bool agrees = true;
    printf("Best worst case: times in ms. Plain: a flow for every pair, duals "
           "for every channel, by the same simplex.\n"
           "%-10s %9s %9s %9s %8s %12s %9s  %s\n",
           "network", "orbits", "load from", "to", "ours", "plain", "ratio",
           "answers");
    agrees = optimum_worst_row("torus:3x3", true) && agrees;
    agrees = optimum_worst_row("torus:4x4", !is_quick) && agrees;
    for (int k = 5; k <= 8; k++) {
        char name[20];
        snprintf(name, sizeof name, "torus:%dx%d", k, k);
        agrees = optimum_worst_row(name, false) && agrees;
    }
    return agrees;
}

static bool optimum_flow_row(const char *name, const char *pattern)
{
    struct optimum_case network;
    struct nb_traffic traffic = { 0 };
    struct nb_best_flow best = { 0 };
    struct nb_error err = { 0 };
    optimum_open(name, &network);
    groups_must(
        nb_traffic_build(pattern, &network.topology, false, &traffic, &err),
        &err);
    const struct nb_best_flow_question question = {
        .topology = &network.topology,
        .traffic = &traffic,
        .path_class = &network.path_class,
        .seconds = INFINITY,
    };
    struct groups_clock clock = { 0 };
    while (groups_again(&clock)) {
        nb_best_flow_release(&best);
        groups_must(nb_best_flow_find(&question, NULL, &best, &err), &err);
    }
    const double plain_start = measure_now();
    const double plain = plain_flow(&network.topology, &traffic);
    const double plain_seconds = measure_now() - plain_start;
    printf("%-10s %-26s %6zu %8.6f %8.6f %8.2f", name, pattern,
           best.pair_orbits, best.throughput.lower, best.throughput.upper,
           1e3 * clock.best);
    const bool agrees =
        optimum_compare(clock.best, plain_seconds, 1 / plain,
                        best.throughput.lower, best.throughput.upper);
    nb_best_flow_release(&best);
    nb_traffic_release(&traffic);
    nb_topology_release(&network.topology);
    return agrees;
}

static bool optimum_flows(bool is_quick)
{
    const char *network = is_quick ? "torus:4x4" : "torus:8x8";
    bool agrees = true;
    printf("\nBest flow: times in ms. Plain: a flow for every source, by the "
           "same simplex.\n"
           "%-10s %-26s %6s %8s %8s %8s %12s %9s  %s\n",
           "network", "traffic", "orbits", "Th. from", "to", "ours", "plain",
           "ratio", "answers");
    agrees = optimum_flow_row(network, "transpose") && agrees;
    agrees = optimum_flow_row(network, "random-permutation:seed=1") && agrees;
    return agrees;
}

/* Points at fractions of the optimum from 1 down to more than 1/2. */
static void optimum_locality(const char *name, int points)
{
    struct optimum_case network;
    struct nb_best_oblivious best = { 0 };
    struct nb_error err = { 0 };
    optimum_open(name, &network);
    struct nb_oblivious_question question = {
        .topology = &network.topology,
        .path_class = &network.path_class,
        .goal = NB_LEAST_WORST_LOAD,
        .rate = nb_ratio_one,
        .most_load = nb_ratio_infinity,
        .seconds = INFINITY,
    };
    groups_must(nb_best_oblivious_find(&question, NULL, &best, &err), &err);
    const struct nb_ratio least = best.load.exact;
    nb_best_oblivious_release(&best);
    for (int point = 0; point < points && nb_ratio_is_known(least); point++) {
        question.goal = NB_LEAST_MEAN_HOPS;
        question.most_load = nb_ratio_divide(
            least, nb_ratio_make(2 * points - point, 2 * points));
        const double start = measure_now();
        groups_must(nb_best_oblivious_find(&question, NULL, &best, &err), &err);
        printf("%-12s %9zu %9.6f %10.6f %10.6f %8.2f\n", name, best.pair_orbits,
               nb_ratio_value(question.most_load), best.mean_hops.lower,
               best.mean_hops.upper, measure_now() - start);
        fflush(stdout);
        nb_best_oblivious_release(&best);
    }
    nb_topology_release(&network.topology);
}

int main(int argc, char **argv)
{
    const bool is_quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    bool agrees = optimum_worst(is_quick);
    agrees = optimum_flows(is_quick) && agrees;
    printf("\nLeast mean hops for a worst-case load: times in s.\n"
           "%-12s %9s %9s %10s %10s %8s\n",
           "network", "orbits", "load", "hops from", "to", "time");
    optimum_locality(is_quick ? "torus:4x4" : "torus:8x8", 10);
    if (!is_quick)
        optimum_locality("torus:12x12", 10);
    if (!agrees)
        fprintf(stderr, "bench_optimum: answers disagree\n");
    return agrees ? EXIT_SUCCESS : EXIT_FAILURE;
}
