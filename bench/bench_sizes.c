/*
 * Times results for networks of groups without loads: distances against the
 * search from every router, the networks that fit a size against building one
 * of them, the bracket of the bisection. Where two methods answer, the answers
 * must agree.
 *
 *     bench_sizes [quick]    with "quick", smaller networks (seconds)
 */
#include "bounds/cuts/bisection.h"
#include "core/memory.h"
#include "groups.h"
#include "topology/fit.h"
#include "topology/metrics.h"

#include <inttypes.h>
#include <string.h>

/* Returns the seconds. */
static double groups_find_distances(const struct nb_topology *topology,
                                    struct nb_distance_summary *out)
{
    struct nb_error err = { 0 };
    struct groups_clock clock = { 0 };
    while (groups_again(&clock))
        groups_must(nb_distance_search(topology, out, &err), &err);
    return clock.best;
}

static bool groups_distance_row(const char *name)
{
    struct nb_topology topology = { 0 };
    struct nb_topology_kind plain_kind;
    struct nb_distance_summary ours, plain;
    groups_build(name, &topology);
    const struct nb_ratio diameter = topology.kind->diameter(&topology).value;
    const struct nb_ratio mean = topology.kind->mean_distance(&topology).value;
    const double time = groups_find_distances(&topology, &ours);
    groups_forget_symmetry(&topology, &plain_kind);
    const double plainly = groups_find_distances(&topology, &plain);
    printf("%-14s %5zu %9u %9.6f %9.3f %9.2f %6.1f", name,
           topology.router_count, ours.diameter, nb_ratio_value(ours.mean),
           1e3 * time, 1e3 * plainly, plainly / time);
    nb_topology_release(&topology);
    return groups_conclude(
        ours.diameter == plain.diameter &&
        nb_ratio_compare(nb_ratio_make(ours.diameter, 1), diameter) == 0 &&
        nb_ratio_compare(ours.mean, plain.mean) == 0 &&
        nb_ratio_compare(ours.mean, mean) == 0);
}

static bool groups_distances(bool is_quick)
{
    bool agrees = true;
    printf("\nDistances: times in ms. Plain: a search from every router. Both "
           "must agree with the closed forms as well.\n"
           "%-14s %5s %9s %9s %9s %9s %6s  %s\n",
           "network", "N", "diameter", "mean", "ours", "plain", "ratio",
           "answers");
    agrees = groups_distance_row("dragonfly:h=4") && agrees;
    agrees = groups_distance_row("dragonfly:h=8") && agrees;
    if (!is_quick)
        agrees = groups_distance_row("dragonfly:h=12") && agrees;
    return agrees;
}

/* The number of networks that fit, the one with fewest routers, and the
 * seconds. */
static double groups_find_fits(const struct nb_topology_kind *kind,
                               const struct nb_fit_demand *demand,
                               size_t *count, struct nb_fit *least)
{
    struct groups_clock clock = { 0 };
    while (groups_again(&clock)) {
        struct nb_fit found;
        for (*count = 0; kind->fit(demand, *count, &found, NULL) == NB_OK &&
                         found.routers > 0;
             ++*count)
            if (*count == 0 || found.routers < least->routers)
                *least = found;
    }
    return clock.best;
}

/* Builds a network and searches its distances; returns the seconds. */
static double groups_build_fit(const struct nb_fit *fit, bool *agrees)
{
    struct nb_topology topology = { 0 };
    struct nb_distance_summary distances = { 0 };
    struct nb_error err = { 0 };
    struct groups_clock clock = { 0 };
    while (groups_again(&clock)) {
        nb_topology_release(&topology);
        groups_build(fit->specification, &topology);
        groups_must(nb_distance_search(&topology, &distances, &err), &err);
    }
    *agrees =
        topology.router_count == fit->routers &&
        topology.terminal_count == fit->terminals &&
        topology.channel_count == 2 * (fit->local_links + fit->global_links) &&
        distances.diameter == fit->diameter;
    nb_topology_release(&topology);
    return clock.best;
}

static bool groups_fits(void)
{
    const struct nb_fit_demand demand = { .terminals = 10000, .radix = 64 };
    bool all_agree = true;
    double all = 0;
    printf("\nAll networks of at least %" PRIu64 " terminals with routers of "
           "at most %u ports: times in "
           "us.\nBuilt: only the one "
           "with fewest routers, "
           "counted and "
           "searched.\n%-10s %8s %9s "
           "%9s %6s %-24s  %s\n",
           demand.terminals, demand.radix, "kind", "networks", "ours", "built",
           "ratio", "fewest routers", "answers");
    for (size_t k = 0; nb_topology_kinds[k] != NULL; k++) {
        const struct nb_topology_kind *kind = nb_topology_kinds[k];
        struct nb_fit least = { 0 };
        size_t count = 0;
        bool agrees;
        if (kind->fit == NULL)
            continue;
        const double time = groups_find_fits(kind, &demand, &count, &least);
        all += time;
        if (count == 0)
            continue;
        const double built = groups_build_fit(&least, &agrees);
        printf("%-10s %8zu %9.2f %9.1f %6.1f %-24s", kind->kind.name, count,
               1e6 * time, 1e6 * built, built / time, least.specification);
        all_agree = groups_conclude(agrees) && all_agree;
    }
    printf("%-10s %8s %9.2f\n", "all", "", 1e6 * all);
    return all_agree;
}

/* Whether a division halves the terminals, and the channels of bandwidth 1
 * across it in each direction equal the upper bound. */
static bool groups_is_halved(const struct nb_topology *topology,
                             const struct nb_bisection *bisection)
{
    const bool *is_inside = bisection->is_inside;
    size_t inside = 0, crossing = 0;
    for (size_t r = 0; r < topology->router_count; r++)
        inside += is_inside[r] ? topology->terminals[r] : 0;
    for (size_t c = 0; c < topology->channel_count; c++)
        crossing += is_inside[topology->channels[c].source] !=
                    is_inside[topology->channels[c].target];
    return (inside == topology->terminal_count / 2 ||
            inside ==
                topology->terminal_count - topology->terminal_count / 2) &&
           bisection->bandwidth.lower <= (double)crossing &&
           bisection->bandwidth.upper == (double)crossing;
}

static bool groups_bisection_row(const char *name)
{
    struct nb_topology topology = { 0 };
    struct nb_capacity capacity;
    struct nb_bisection found = { 0 };
    struct nb_error err = { 0 };
    struct groups_clock clock = { 0 };
    groups_build(name, &topology);
    groups_must(nb_capacity_find(&topology, NULL, &capacity, &err), &err);
    while (groups_again(&clock)) {
        nb_bisection_release(&found);
        groups_must(
            nb_bisection_bracket(&topology, &capacity, NULL, &found, &err),
            &err);
    }
    const double lower = found.bandwidth.lower, upper = found.bandwidth.upper;
    const bool agrees = found.is_known && groups_is_halved(&topology, &found);
    printf("%-14s %5zu %9.2f %9g %9g %8.2f%%", name, topology.router_count,
           1e3 * clock.best, lower, upper, 100 * (upper - lower) / lower);
    nb_bisection_release(&found);
    nb_topology_release(&topology);
    return groups_conclude(agrees);
}

static bool groups_bisections(void)
{
    printf("\nBracket of the bisection, packets/cycle: all threads; width "
           "relative to the lower end. The division is counted again.\n"
           "%-14s %5s %9s %9s %9s %9s  %s\n",
           "network", "N", "ms", "at least", "at most", "width", "answers");
    bool agrees = groups_bisection_row("dragonfly:h=4");
    agrees = groups_bisection_row("dragonfly:h=6") && agrees;
    return groups_bisection_row("dragonfly:h=8") && agrees;
}

int main(int argc, char **argv)
{
    const bool is_quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    const double start = measure_now();
    printf("Sizes: distances, networks that fit, bisections%s.\n",
           is_quick ? ", small networks" : "");
    bool agrees = groups_distances(is_quick);
    agrees = groups_fits() && agrees;
    agrees = groups_bisections() && agrees;
    printf("\n%.0f s in all\n", measure_now() - start);
    if (!agrees)
        fprintf(stderr, "bench_sizes: answers disagree\n");
    return agrees ? EXIT_SUCCESS : EXIT_FAILURE;
}
