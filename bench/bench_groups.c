/*
 * Times the loads and the worst case of Dragonflies against plain methods on
 * the same network: without symmetry, and by walking every intermediate router.
 * Where two methods answer, the answers must agree.
 *
 *     bench_groups [quick]    with "quick", smaller networks (seconds)
 */
#include "bounds/worst_case/worst_case.h"
#include "core/enclosure.h"
#include "core/memory.h"
#include "groups.h"
#include "load/channel_loads.h"
#include "../tests/support/problem.h"
#include "../tests/support/walk.h"

#include <inttypes.h>
#include <string.h>

static const char *const groups_schemes[] = { "min", "vlb", "vlb:policy=-g-",
                                              "vlb:policy=-gl" };
enum { SCHEMES = sizeof groups_schemes / sizeof *groups_schemes };

/* Returns the seconds. */
static double groups_find_loads(const struct nb_routing *routing,
                                const struct nb_traffic *traffic, int threads,
                                struct nb_channel_loads *out)
{
    const struct nb_run run = { .threads = threads };
    struct nb_error err = { 0 };
    struct groups_clock clock = { 0 };
    while (groups_again(&clock)) {
        nb_channel_loads_release(out);
        groups_must(nb_channel_loads_find(routing, traffic, &run, out, &err),
                    &err);
    }
    return clock.best;
}

static struct nb_enclosure groups_load(const struct nb_channel_loads *loads,
                                       size_t channel)
{
    return loads->load[channel];
}

static bool groups_loads_agree(const struct nb_channel_loads *a,
                               const struct nb_channel_loads *b)
{
    bool agrees = a->is_exact == b->is_exact;
    for (size_t c = 0; c < a->channel_count; c++)
        agrees = agrees && nb_enclosure_compare(groups_load(a, c),
                                                groups_load(b, c)) == 0;
    return agrees;
}

/* Adds to load, [channel], the pairs' crossings [(source n + target) channels +
 * channel] at the traffic's rates. */
static void groups_add_pairs(const struct nb_topology *topology,
                             const struct nb_traffic *traffic,
                             const struct nb_ratio *crossings,
                             struct nb_ratio *load)
{
    const uint32_t n = (uint32_t)topology->router_count;
    const size_t channels = topology->channel_count;
    struct nb_error err = { 0 };
    uint64_t *into = NULL;
    groups_must(nb_new(&into, n, sizeof *into, "rates", &err), &err);
    for (uint32_t j = 0; j < n; j++) {
        groups_must(nb_traffic_column(traffic, topology, j, into, &err), &err);
        for (uint32_t i = 0; i < n; i++) {
            const struct nb_ratio rate = nb_ratio_make(
                (nb_int128)into[i], (nb_int128)traffic->denominator);
            const struct nb_ratio *pair =
                crossings + ((size_t)i * n + j) * channels;
            for (size_t c = 0; c < channels; c++)
                load[c] =
                    nb_ratio_add(load[c], nb_ratio_multiply(rate, pair[c]));
        }
    }
    nb_delete(into);
}

/* Walks every pair and intermediate router hop by hop in ratios; prints its
 * columns. */
static bool groups_against_walk(const struct nb_routing *routing,
                                const struct nb_traffic *traffic,
                                const struct nb_channel_loads *ours,
                                double seconds)
{
    const size_t channels = ours->channel_count;
    struct nb_error err = { 0 };
    struct nb_ratio *load = NULL;
    bool agrees = ours->is_exact;
    groups_must(nb_new(&load, channels, sizeof *load, "loads", &err), &err);
    const double start = measure_now();
    struct nb_ratio *crossings =
        walk_all_pairs(routing, routing->kind->kind.name);
    for (size_t c = 0; c < channels; c++)
        load[c] = nb_ratio_zero;
    groups_add_pairs(routing->topology, traffic, crossings, load);
    const double walked = measure_now() - start;
    for (size_t c = 0; c < channels; c++)
        agrees = agrees && nb_ratio_is_known(load[c]) &&
                 nb_ratio_compare(load[c], ours->load[c].exact) == 0;
    printf(" %8.1f %6.0f", 1e3 * walked, walked / seconds);
    nb_delete(crossings);
    nb_delete(load);
    return agrees;
}

static bool groups_load_row(struct problem *problem, const char *scheme,
                            const char *pattern, bool is_walked)
{
    const struct nb_topology_kind *kind = problem->topology.kind;
    struct nb_topology_kind plain_kind;
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads ours = { 0 }, plain = { 0 };
    struct nb_error err = { 0 };
    groups_must(
        nb_traffic_build(pattern, &problem->topology, false, &traffic, &err),
        &err);
    const double time =
        groups_find_loads(&problem->routing, &traffic, 0, &ours);
    groups_forget_symmetry(&problem->topology, &plain_kind);
    const double plainly =
        groups_find_loads(&problem->routing, &traffic, 1, &plain);
    problem->topology.kind = kind;
    bool agrees = groups_loads_agree(&ours, &plain);
    printf("%-14s %-20s %5zu %10.6g %-7s %9.3f %9.3f %6.1f", scheme, pattern,
           problem->topology.router_count, ours.load[ours.worst_channel].upper,
           ours.is_exact ? "exact" : "bracket", 1e3 * time, 1e3 * plainly,
           plainly / time);
    if (is_walked)
        agrees =
            groups_against_walk(&problem->routing, &traffic, &ours, time) &&
            agrees;
    else
        printf(" %8s %6s", "-", "-");
    nb_channel_loads_release(&ours);
    nb_channel_loads_release(&plain);
    nb_traffic_release(&traffic);
    return groups_conclude(agrees);
}

static bool groups_loads(bool is_quick)
{
    static const char *const networks[][2] = {
        { "dragonfly:h=2", "adversarial:offset=4" },
        { "dragonfly:h=4", "adversarial:offset=6" },
        { "dragonfly:h=6", "adversarial:offset=8" },
    };
    bool agrees = true;
    printf("\nChannel loads of dragonfly:h=2%s: all threads; times in ms, "
           "ratios to ours.\n"
           "Plain: one thread, no symmetry (every destination). Walked: every "
           "pair and intermediate router hop by hop in ratios.\n"
           "%-14s %-20s %5s %10s %-7s %9s %9s %6s %8s %6s  %s\n",
           is_quick ? ", 4" : ", 4, 6", "scheme", "traffic", "N", "worst load",
           "loads", "ours", "plain", "ratio", "walked", "ratio", "answers");
    for (size_t i = 0; i < (is_quick ? 2 : 3); i++)
        for (size_t s = 0; s < SCHEMES; s++) {
            struct problem problem;
            problem_open(&problem, networks[i][0], groups_schemes[s]);
            agrees = groups_load_row(&problem, groups_schemes[s], "uniform",
                                     i == 0) &&
                     agrees;
            agrees = groups_load_row(&problem, groups_schemes[s],
                                     networks[i][1], i == 0) &&
                     agrees;
            problem_close(&problem);
        }
    return agrees;
}

/* Returns the seconds; memory: out [MB], maximum in addition to the network. */
static double groups_find_worst(const struct nb_routing *routing, int threads,
                                struct nb_worst_case *out, double *memory)
{
    const struct nb_run run = { .threads = threads };
    struct nb_error err = { 0 };
    struct groups_clock clock = { 0 };
    measure_reset_peak();
    const double before = measure_peak();
    while (groups_again(&clock)) {
        nb_worst_case_release(out);
        groups_must(nb_worst_case_find(routing, &run, out, &err), &err);
    }
    *memory = measure_peak() - before;
    return clock.best;
}

static struct nb_enclosure groups_worst(const struct nb_worst_case *worst)
{
    return worst->load;
}

static bool groups_worst_row(const char *topology, const char *scheme,
                             bool has_plain)
{
    struct problem problem;
    struct nb_topology_kind plain_kind;
    struct nb_worst_case ours = { 0 }, plain = { 0 };
    double memory, plain_memory;
    bool agrees = true;
    problem_open(&problem, topology, scheme);
    const double time = groups_find_worst(&problem.routing, 0, &ours, &memory);
    printf("%-14s %-13s %5zu %8zu %8zu %10.6g %-7s %9.2f %6.0f", scheme,
           topology, problem.topology.router_count,
           problem.topology.channel_count, ours.bound_count, ours.load.upper,
           nb_ratio_is_known(ours.load.exact) ? "exact" : "bracket", 1e3 * time,
           memory);
    if (has_plain) {
        groups_forget_symmetry(&problem.topology, &plain_kind);
        const double plainly =
            groups_find_worst(&problem.routing, 1, &plain, &plain_memory);
        agrees = plain.bound_count == problem.topology.channel_count &&
                 nb_enclosure_compare(groups_worst(&ours),
                                      groups_worst(&plain)) == 0;
        printf(" %9.1f %6.0f %6.1f", 1e3 * plainly, plain_memory,
               plainly / time);
        groups_conclude(agrees);
    } else {
        printf(" %9s %6s %6s\n", "-", "-", "-");
        fflush(stdout);
    }
    nb_worst_case_release(&ours);
    nb_worst_case_release(&plain);
    problem_close(&problem);
    return agrees;
}

/* The plain method takes seconds up to h = 4: there are about 12 h^4 channels,
 * each with a matrix of (4 h^3)^2 cells. */
static bool groups_worst_cases(bool is_quick)
{
    static const char *const networks[] = { "dragonfly:h=3", "dragonfly:h=4",
                                            "dragonfly:h=6", "dragonfly:h=8" };
    const size_t count = is_quick ? 3 : 4, plain_count = is_quick ? 1 : 2;
    bool agrees = true;
    printf("\nWorst case: all threads; MB: maximum in addition to the "
           "network; matrices: number of channels that represent all.\nPlain: "
           "one thread, no symmetry (every channel).\n%-14s %-13s %5s %8s %8s "
           "%10s %-7s %9s %6s %9s %6s %6s  %s\n",
           "scheme", "network", "N", "channels", "matrices", "worst load",
           "load", "ms", "MB", "plain ms", "MB", "ratio", "answers");
    for (size_t i = 0; i < count; i++)
        for (size_t s = 0; s < SCHEMES; s++)
            agrees = groups_worst_row(networks[i], groups_schemes[s],
                                      i < plain_count) &&
                     agrees;
    return agrees;
}

int main(int argc, char **argv)
{
    const bool is_quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    const double start = measure_now();
    printf("Groups: loads and worst cases of Dragonflies%s.\n",
           is_quick ? ", small networks" : "");
    bool agrees = groups_loads(is_quick);
    agrees = groups_worst_cases(is_quick) && agrees;
    printf("\n%.0f s in all\n", measure_now() - start);
    if (!agrees)
        fprintf(stderr, "bench_groups: answers disagree\n");
    return agrees ? EXIT_SUCCESS : EXIT_FAILURE;
}
