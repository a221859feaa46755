/*
 * Times the throughputs of a million random permutations under every oblivious
 * scheme, against the loads of the same traffic computed one permutation at a
 * time, and checks that they agree.
 *
 *     bench_permutations [quick]    with "quick", ten thousand
 */
#include "load/channel_loads.h"
#include "load/permutation_sample.h"
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAIN_PERMUTATIONS = 10, QUICK = 10000, ALL = 1000000 };

static void permutations_must(enum nb_status status, const struct nb_error *err)
{
    if (status == NB_OK)
        return;
    fprintf(stderr, "bench_permutations: %s\n", err->message);
    exit(EXIT_FAILURE);
}

static bool permutations_agree(const struct nb_enclosure *ours,
                               const struct nb_channel_loads *plain)
{
    if (nb_ratio_is_known(ours->exact) &&
        nb_ratio_is_known(plain->throughput.exact))
        return nb_ratio_compare(ours->exact, plain->throughput.exact) == 0;
    return ours->lower <= plain->throughput.upper &&
           plain->throughput.lower <= ours->upper;
}

/* The traffic random-permutation:seed=S is the first permutation of the sample
 * with seed S. Returns the seconds per permutation. */
static double permutations_plain(const struct nb_routing *routing,
                                 const struct nb_permutation_loads *loads,
                                 bool *agrees)
{
    double spent = 0;
    for (unsigned seed = 1; seed <= PLAIN_PERMUTATIONS; seed++) {
        struct nb_error err = { 0 };
        struct nb_traffic traffic = { 0 };
        struct nb_channel_loads plain = { 0 };
        struct nb_permutation_sample sample = { 0 };
        char name[64];
        snprintf(name, sizeof name, "random-permutation:seed=%u", seed);
        permutations_must(
            nb_traffic_build(name, routing->topology, false, &traffic, &err),
            &err);
        const double start = measure_now();
        permutations_must(
            nb_channel_loads_find(routing, &traffic, NULL, &plain, &err), &err);
        spent += measure_now() - start;
        permutations_must(
            nb_permutation_sample_draw(loads, seed, 1, NULL, &sample, &err),
            &err);
        const struct nb_enclosure ours =
            nb_permutation_throughput(loads, sample.peak[0]);
        *agrees = *agrees && permutations_agree(&ours, &plain);
        nb_permutation_sample_release(&sample);
        nb_channel_loads_release(&plain);
        nb_traffic_release(&traffic);
    }
    return spent / PLAIN_PERMUTATIONS;
}

static bool permutations_row(const struct nb_routing *routing, size_t count)
{
    static const char *const kernels[] = {
        [NB_KERNEL_LISTED] = "listed",
        [NB_KERNEL_DENSE] = "dense",
        [NB_KERNEL_FIXED] = "fixed",
    };
    struct nb_error err = { 0 };
    struct nb_permutation_loads loads = { 0 };
    struct nb_permutation_sample sample = { 0 };
    bool agrees = true;
    const double start = measure_now();
    permutations_must(
        nb_permutation_loads_find(routing, NB_KERNEL_BEST, NULL, &loads, &err),
        &err);
    const double prepared = measure_now();
    permutations_must(
        nb_permutation_sample_draw(&loads, 1, count, NULL, &sample, &err),
        &err);
    const double each = (measure_now() - prepared) / (double)count;
    const double plain = permutations_plain(routing, &loads, &agrees);
    printf("%-8s %-7s %-7s %8.2f %8.3f %9.3f %10.1f %7.0f  %-8s  %.5f in "
           "[%.5f, %.5f]\n",
           routing->kind->kind.name, kernels[loads.kernel],
           loads.is_exact ? "exact" : "bracket", 1e3 * (prepared - start),
           each * (double)count, 1e6 * each, 1e6 * plain, plain / each,
           agrees ? "agree" : "DISAGREE", sample.mean.value, sample.mean.lower,
           sample.mean.upper);
    fflush(stdout);
    nb_permutation_sample_release(&sample);
    nb_permutation_loads_release(&loads);
    return agrees;
}

int main(int argc, char **argv)
{
    const bool is_quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    const size_t count = is_quick ? QUICK : ALL;
    struct nb_error err = { 0 };
    struct nb_topology topology = { 0 };
    bool agrees = true;
    permutations_must(nb_topology_build("torus:8x8", &topology, &err), &err);
    printf("Permutations: %zu random ones on torus:8x8; all threads.\n"
           "Plain: the loads of one traffic matrix, channel by channel, mean "
           "of %d.\n"
           "%-8s %-7s %-7s %8s %8s %9s %10s %7s  %-8s  %s\n",
           count, PLAIN_PERMUTATIONS, "scheme", "kernel", "loads", "ms first",
           "s", "us each", "us plain", "ratio", "answers",
           "mean throughput, packets/cycle/terminal");
    for (size_t i = 0; nb_routing_kinds[i] != NULL; i++) {
        const char *name = nb_routing_kinds[i]->kind.name;
        struct nb_routing routing = { 0 };
        if (nb_routing_kinds[i]->is_adaptive) /* has no loads to add up */
            continue;
        err = (struct nb_error){ 0 };
        if (nb_routing_build(name, &topology, &routing, &err) == NB_OK)
            agrees = permutations_row(&routing, count) && agrees;
        else
            printf("%-8s %s\n", name, err.message);
        nb_routing_release(&routing);
    }
    nb_topology_release(&topology);
    if (!agrees)
        fprintf(stderr, "bench_permutations: throughputs disagree\n");
    return agrees ? EXIT_SUCCESS : EXIT_FAILURE;
}
