#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fit_checks.h"

#include "problem.h"
#include "ratio_checks.h"
#include "topology_checks.h"

#include "bounds/worst_case/worst_case.h"
#include "load/channel_loads.h"
#include "topology/metrics.h"

#include <inttypes.h>
#include <string.h>

static const struct nb_topology_kind *fit_kind(const char *name)
{
    for (size_t i = 0; nb_topology_kinds[i] != NULL; i++)
        if (strcmp(nb_topology_kinds[i]->kind.name, name) == 0)
            return nb_topology_kinds[i];
    fail_msg("no such kind %s", name);
    return NULL;
}

/* Racks of a Slim Fly are the routers of one column of either side. */
static bool fit_is_between_racks(const struct nb_topology *topology,
                                 uint32_t channel)
{
    const struct nb_channel *here = &topology->channels[channel];
    uint32_t q = 2;
    while (2 * q * q < topology->router_count)
        q++;
    return here->source / q % q != here->target / q % q;
}

uint64_t fit_global_channels(const struct nb_topology *topology)
{
    const bool has_racks = strcmp(topology->kind->kind.name, "slimfly") == 0;
    uint64_t count = 0;
    for (uint32_t c = 0; c < topology->channel_count; c++)
        count += has_racks ? fit_is_between_racks(topology, c)
                           : nb_channel_is_global(topology, c);
    return count;
}

static void fit_check_counts(const struct nb_fit *fit,
                             const struct nb_topology *topology)
{
    const uint64_t global = fit_global_channels(topology);
    uint64_t switches = 0, own = 0;
    uint32_t radix = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const uint32_t ports = topology->terminals[r] +
                               topology->out_start[r + 1] -
                               topology->out_start[r];
        radix = ports > radix ? ports : radix;
        switches += topology->terminals[r] > 0;
        own += topology->groups.count > 0 && topology->groups.of[r] == 0 &&
               topology->terminals[r] > 0;
    }
    TOPOLOGY_CHECK(fit->switches == switches && fit->group_switches == own,
                   "%s: %" PRIu64 " switches, %" PRIu64 " in a group, not "
                   "%" PRIu64 ", %" PRIu64,
                   fit->specification, fit->switches, fit->group_switches,
                   switches, own);
    TOPOLOGY_CHECK(
        fit->routers == topology->router_count &&
            fit->terminals == topology->terminal_count && fit->radix == radix,
        "%s: %" PRIu64 " routers, %" PRIu64 " terminals, radix %u",
        fit->specification, fit->routers, fit->terminals, fit->radix);
    TOPOLOGY_CHECK(2 * fit->global_links == global &&
                       2 * (fit->local_links + fit->global_links) ==
                           topology->channel_count,
                   "%s: %" PRIu64 " local links, %" PRIu64 " global",
                   fit->specification, fit->local_links, fit->global_links);
}

static void fit_check_capacity(const struct nb_fit *fit,
                               const struct problem *problem)
{
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads loads = { 0 };
    const struct nb_ratio limit = nb_ratio_one; /* of a terminal's channel */
    assert_int_equal(
        nb_traffic_build("uniform", &problem->topology, false, &traffic, NULL),
        NB_OK);
    assert_int_equal(
        nb_channel_loads_find(&problem->routing, &traffic, NULL, &loads, NULL),
        NB_OK);
    assert_true(nb_ratio_is_known(loads.throughput.exact));
    ratio_must_equal(fit->capacity,
                     nb_ratio_compare(loads.throughput.exact, limit) < 0
                         ? loads.throughput.exact
                         : limit,
                     fit->specification);
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
}

/* What evenly split shortest paths carry of any traffic on a tree, or Valiant's
 * routing on other networks. The fit is exact on trees and grids, and at most
 * that elsewhere. */
static void fit_check_worst_case(const struct nb_fit *fit,
                                 const struct nb_topology *topology)
{
    const char *kind = topology->kind->kind.name;
    const bool is_tree =
        strcmp(kind, "clos") == 0 || strcmp(kind, "fattree") == 0;
    const bool is_grid = nb_coordinates(topology)->dimensions > 0;
    struct nb_routing routing = { 0 };
    struct nb_worst_case worst;
    if (!nb_ratio_is_known(fit->worst_case))
        return;
    assert_int_equal(
        nb_routing_build(is_tree ? "min" : "val", topology, &routing, NULL),
        NB_OK);
    assert_int_equal(nb_worst_case_find(&routing, NULL, &worst, NULL), NB_OK);
    const struct nb_ratio found =
        nb_ratio_compare(worst.throughput.exact, nb_ratio_one) > 0
            ? nb_ratio_one
            : worst.throughput.exact;
    assert_true(nb_ratio_is_known(found));
    TOPOLOGY_CHECK(nb_ratio_compare(fit->worst_case, found) <= 0 &&
                       ((!is_tree && !is_grid) ||
                        nb_ratio_compare(fit->worst_case, found) == 0),
                   "%s: %g in the worst case, not %g", fit->specification,
                   nb_ratio_value(fit->worst_case), nb_ratio_value(found));
    nb_worst_case_release(&worst);
    nb_routing_release(&routing);
}

/* Kinds whose uniform throughput is the capacity. */
static const char *fit_own_routing(const struct nb_fit *fit)
{
    static const char *const grids[] = { "torus:", "mesh:", "hypercube:" };
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        if (strncmp(fit->specification, grids[i], strlen(grids[i])) == 0)
            return "dor";
    return "min";
}

enum { FIT_WORST_CASES = 24 }; /* maximum number of routers */

void fit_must_be_built(const struct nb_fit *fit)
{
    struct problem problem = { 0 };
    struct nb_distance_summary distance;
    problem_open(&problem, fit->specification, fit_own_routing(fit));
    fit_check_counts(fit, &problem.topology);
    fit_check_capacity(fit, &problem);
    if (problem.topology.router_count <= FIT_WORST_CASES)
        fit_check_worst_case(fit, &problem.topology);
    assert_int_equal(nb_distance_search(&problem.topology, &distance, NULL),
                     NB_OK);
    TOPOLOGY_CHECK(fit->diameter == distance.diameter, "%s: diameter %u",
                   fit->specification, fit->diameter);
    problem_close(&problem);
}

bool fit_find(const char *kind, const struct nb_fit_demand *demand,
              size_t index, struct nb_fit *out)
{
    assert_int_equal(fit_kind(kind)->fit(demand, index, out, NULL), NB_OK);
    return out->routers > 0;
}

size_t fit_check_kind(const char *kind, uint32_t most_radix,
                      uint64_t most_terminals, uint64_t most_routers)
{
    size_t count = 0;
    for (uint32_t radix = 0; radix <= most_radix; radix++) {
        for (uint64_t terminals = 0; terminals <= most_terminals; terminals++) {
            const struct nb_fit_demand demand = { terminals, radix };
            struct nb_fit fit;
            for (size_t i = 0; fit_find(kind, &demand, i, &fit); i++) {
                TOPOLOGY_CHECK(fit.terminals >= terminals && fit.radix <= radix,
                               "%s for %" PRIu64 " terminals, radix %u",
                               fit.specification, terminals, radix);
                if (fit.routers > most_routers)
                    continue;
                fit_must_be_built(&fit);
                count++;
            }
        }
    }
    return count;
}

struct nb_fit fit_must_find(const char *kind, uint64_t terminals,
                            uint32_t radix, const char *specification)
{
    const struct nb_fit_demand demand = { terminals, radix };
    struct nb_fit fit = { 0 };
    for (size_t i = 0; fit_find(kind, &demand, i, &fit); i++)
        if (strcmp(fit.specification, specification) == 0)
            return fit;
    fail_msg("%s for %" PRIu64 " terminals, radix %u: no %s", kind, terminals,
             radix, specification);
    return fit;
}

size_t fit_count(const char *kind, uint64_t terminals, uint32_t radix)
{
    const struct nb_fit_demand demand = { terminals, radix };
    struct nb_fit fit;
    size_t count = 0;
    while (fit_find(kind, &demand, count, &fit))
        count++;
    return count;
}
