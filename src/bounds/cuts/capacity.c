#include "bounds/cuts/capacity.h"

#include "core/try.h"
#include "load/channel_loads.h"
#include "topology/failures.h"
#include "topology/grid_forms.h"

#include <math.h>

/* The closed form at this network's terminals p and bandwidth b: b/p times its
 * value at p = b = 1; for kinds with their own terminals, b times its value.
 * Unknown if there is none or p and b are not the same everywhere. */
static struct nb_ratio capacity_closed_form(const struct nb_topology *topology,
                                            const char **source)
{
    const struct nb_ratio unknown = { 0, 0 };
    const struct nb_ratio bandwidth = topology->channels[0].bandwidth;
    const uint32_t terminals =
        nb_has_own_terminals(topology) ? 1 : topology->terminals[0];
    if (topology->kind->capacity == NULL || !nb_topology_is_regular(topology))
        return unknown;
    const struct nb_closed_form form = topology->kind->capacity(topology);
    *source = form.source;
    return nb_ratio_divide(nb_ratio_multiply(form.value, bandwidth),
                           nb_ratio_make(terminals, 1));
}

/* The bandwidth of each dimension's channels; false unless all channels of a
 * dimension have the same bandwidth and all routers have equally many
 * terminals. */
static bool capacity_dimensions(const struct nb_topology *topology,
                                struct nb_ratio *bandwidth)
{
    const struct nb_grid *grid = nb_coordinates(topology);
    if (grid->dimensions == 0 || nb_has_failures(topology))
        return false;
    for (size_t r = 1; r < topology->router_count; r++)
        if (topology->terminals[r] != topology->terminals[0])
            return false;
    for (size_t d = 0; d < grid->dimensions; d++)
        bandwidth[d] = (struct nb_ratio){ 0, 0 };
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *at = &topology->channels[c];
        size_t d = 0;
        while (nb_grid_coordinate(grid, at->source, d) ==
               nb_grid_coordinate(grid, at->target, d))
            d++;
        if (!nb_ratio_is_known(bandwidth[d]))
            bandwidth[d] = at->bandwidth;
        if (nb_ratio_compare(bandwidth[d], at->bandwidth) != 0)
            return false;
    }
    return true;
}

/* The least over the dimensions of a grid or HyperX, each with its own
 * bandwidth: packets that cross a dimension need its channels whatever the
 * other dimensions do, and dimension order loads each dimension as if it were
 * the only one. Shortest paths split evenly do not: they load the middle of a
 * mesh more. */
static struct nb_ratio capacity_by_dimension(const struct nb_topology *topology)
{
    const struct nb_grid *grid = nb_coordinates(topology);
    struct nb_ratio bandwidth[NB_MAX_GRID];
    struct nb_ratio least = nb_ratio_infinity;
    if (topology->kind->capacity == NULL ||
        !capacity_dimensions(topology, bandwidth))
        return (struct nb_ratio){ 0, 0 };
    for (size_t d = 0; d < grid->dimensions; d++) {
        const struct nb_ratio along =
            grid == &topology->hyperx
                ? nb_ratio_make(grid->radix[d], 1)
                : nb_grid_capacity_along(grid->wraps, grid->radix[d]);
        const struct nb_ratio rate = nb_ratio_multiply(along, bandwidth[d]);
        if (!nb_ratio_is_known(rate) || nb_ratio_compare(rate, least) < 0)
            least = rate;
        if (!nb_ratio_is_known(rate))
            break;
    }
    return nb_ratio_divide(least, nb_ratio_make(topology->terminals[0], 1));
}

static enum nb_status capacity_by_min(const struct nb_topology *topology,
                                      const struct nb_run *run,
                                      struct nb_capacity *out,
                                      struct nb_channel_loads *loads,
                                      struct nb_error *err)
{
    struct nb_routing routing = { 0 };
    struct nb_traffic traffic = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_routing_build("min", topology, &routing, err));
    NB_TRY(nb_traffic_build("uniform", topology, false, &traffic, err));
    NB_TRY(nb_channel_loads_find(&routing, &traffic, run, loads, err));
    out->rate = loads->throughput;
done:
    nb_traffic_release(&traffic);
    nb_routing_release(&routing);
    return status;
}

#define CAPACITY_CLOSED                                                        \
    "closed form: the largest rate of uniform traffic, self included, under "  \
    "the best routing"
#define CAPACITY_MIN                                                           \
    "no closed form here: the largest rate of uniform traffic, self "          \
    "included, split evenly over shortest paths (min)"
#define CAPACITY_UNLIMITED "; the terminals' channels are unlimited"

/* In a fabric, hosts have cables of their own. */
static const char *capacity_basis(const struct nb_topology *topology,
                                  bool is_closed)
{
    if (nb_ratio_is_known(topology->terminal_bandwidth) ||
        topology->fabric != NULL)
        return is_closed ? CAPACITY_CLOSED : CAPACITY_MIN;
    return is_closed ? CAPACITY_CLOSED CAPACITY_UNLIMITED
                     : CAPACITY_MIN CAPACITY_UNLIMITED;
}

static enum nb_status capacity_of_channels(const struct nb_topology *topology,
                                           const struct nb_run *run,
                                           struct nb_capacity *out,
                                           struct nb_channel_loads *loads,
                                           struct nb_error *err)
{
    *out = (struct nb_capacity){ .source = "" };
    struct nb_ratio form = capacity_closed_form(topology, &out->source);
    if (!nb_ratio_is_known(form)) {
        form = capacity_by_dimension(topology);
        out->source = "counting";
    }
    if (nb_ratio_is_known(form)) {
        out->rate = nb_enclosure_of_ratio(form);
        out->is_most = true;
        out->method = "closed form";
        out->basis = capacity_basis(topology, true);
        return NB_OK;
    }
    out->method = "throughput of scheme min on uniform traffic";
    out->source = "TowlesDally2002, section 2.2";
    out->basis = capacity_basis(topology, false);
    return capacity_by_min(topology, run, out, loads, err);
}

enum nb_status nb_capacity_of_channels(const struct nb_topology *topology,
                                       const struct nb_run *run,
                                       struct nb_capacity *out,
                                       struct nb_error *err)
{
    struct nb_channel_loads loads = { 0 };
    const enum nb_status status =
        capacity_of_channels(topology, run, out, &loads, err);
    nb_channel_loads_release(&loads);
    return status;
}

static enum nb_status capacity_of_intact(const struct nb_topology *topology,
                                         const struct nb_run *run,
                                         struct nb_capacity *out,
                                         struct nb_error *err)
{
    struct nb_topology intact = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_topology_build_intact(topology, &intact, err));
    NB_TRY(nb_capacity_find(&intact, run, out, err));
    out->is_most = false; /* with fewer terminals each might send more */
done:
    nb_topology_release(&intact);
    return status;
}

enum nb_status nb_capacity_find(const struct nb_topology *topology,
                                const struct nb_run *run,
                                struct nb_capacity *out, struct nb_error *err)
{
    struct nb_channel_loads loads;
    const enum nb_status status =
        nb_capacity_find_loads(topology, run, out, &loads, err);
    nb_channel_loads_release(&loads);
    return status;
}

enum nb_status nb_capacity_find_loads(const struct nb_topology *topology,
                                      const struct nb_run *run,
                                      struct nb_capacity *out,
                                      struct nb_channel_loads *loads,
                                      struct nb_error *err)
{
    enum nb_status status = nb_topology_check(topology, err);
    *out = (struct nb_capacity){ 0 };
    *loads = (struct nb_channel_loads){ 0 };
    if (status == NB_OK && nb_has_failures(topology))
        return capacity_of_intact(topology, run, out, err);
    if (status == NB_OK)
        status = capacity_of_channels(topology, run, out, loads, err);
    if (status != NB_OK)
        return status;
    const struct nb_enclosure limit =
        nb_enclosure_of_ratio(nb_terminal_limit(topology, nb_ratio_one));
    const bool is_limited =
        nb_ratio_is_known(out->rate.exact)
            ? nb_ratio_compare(limit.exact, out->rate.exact) < 0
            : limit.upper <= out->rate.lower;
    if (is_limited) {
        *out = (struct nb_capacity){
            .rate = limit,
            .is_most = true,
            .method = "bandwidth of the terminals' channels",
            .source = "counting",
            .basis = "the bandwidth of the terminals' channels: the channels "
                     "between routers could carry more uniform traffic, self "
                     "included",
        };
    } else if (limit.upper < out->rate.upper) {
        out->rate.lower = fmin(out->rate.lower, limit.lower);
        out->rate.upper = limit.upper;
    }
    return NB_OK;
}
