/*
 * HyperX: routers on a grid, each joined with every other router of its line in
 * each dimension by a channel each way; the k-ary n-flat flattened butterfly
 * where all radices are equal. p terminals at each router, whose own channels
 * have bandwidth 1. The groups are the lines of dimension 0.
 * Source: [AhnEtAl2009]; [KimDallyAbts2007].
 */
#include "topology/fit.h"

#include "core/parallel.h"
#include "core/try.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum {
    HYPERX_TERMINALS = 1000000, /* largest number per router */
    HYPERX_FIT_DIMENSIONS = 6,
};

/* c^exponent, at most UINT64_MAX. */
static uint64_t fit_power(uint64_t c, uint32_t exponent)
{
    uint64_t power = 1;
    for (uint32_t i = 0; i < exponent; i++)
        if (__builtin_mul_overflow(power, c, &power))
            return UINT64_MAX;
    return power;
}

/* The least c in [2, most] with c^exponent >= terminals; most + 1 if there is
 * none. */
static uint64_t fit_least(uint64_t terminals, uint32_t exponent, uint64_t most)
{
    uint64_t least = 2, end = most + 1;
    while (least < end) {
        const uint64_t middle = least + (end - least) / 2;
        if (fit_power(middle, exponent) >= terminals)
            end = middle;
        else
            least = middle + 1;
    }
    return least;
}

/* A network with these radices, the last one the least, and p terminals at each
 * router; false if it has more routers or channels than nb_topology_reserve can
 * number, or more terminals per router than the kind accepts. */
static bool fit_count_radices(uint32_t n, const uint64_t *radix, uint64_t p,
                              struct nb_fit *out)
{
    double routers = 1;
    uint64_t ways = 0;
    for (uint32_t d = 0; d < n; d++) {
        routers *= (double)radix[d];
        ways += radix[d] - 1;
    }
    if (routers >= NB_NONE || routers * (double)ways >= NB_NONE ||
        p > HYPERX_TERMINALS)
        return false;
    *out = (struct nb_fit){
        .terminals = (uint64_t)routers * p,
        .routers = (uint64_t)routers,
        .switches = (uint64_t)routers,
        .group_switches = n > 1 ? radix[0] : 0,
        .diameter = n,
    };
    out->radix = (uint32_t)(p + ways);
    nb_fit_set_rate(out, nb_ratio_make((nb_int128)radix[n - 1], (nb_int128)p));
    const uint64_t links = out->routers * ways / 2;
    out->local_links = out->routers * (radix[0] - 1) / 2;
    out->global_links = links - out->local_links;
    size_t used = (size_t)snprintf(out->specification, NB_FIT_TEXT, "hyperx:");
    for (uint32_t d = 0; d < n; d++)
        used +=
            (size_t)snprintf(out->specification + used, NB_FIT_TEXT - used,
                             "%" PRIu64 "%s", radix[d], d + 1 < n ? "x" : "");
    snprintf(out->specification + used, NB_FIT_TEXT - used, ",p=%" PRIu64, p);
    return true;
}

/* The same for c x .. x c x last. */
static bool fit_count(uint32_t n, uint64_t c, uint64_t last, uint64_t p,
                      struct nb_fit *out)
{
    uint64_t radix[HYPERX_FIT_DIMENSIONS];
    for (uint32_t d = 0; d < n; d++)
        radix[d] = d + 1 < n ? c : last;
    return fit_count_radices(n, radix, p, out);
}

/* A choice of radices, descending. */
struct hyperx_search {
    struct nb_fit_search *search;
    uint32_t dimensions;
    uint64_t radix[HYPERX_FIT_DIMENSIONS];
};

/* Whether any network with these first radices, which take `ways` ports, might
 * be wanted and hold the terminals, with the largest number of terminals per
 * router that its ports and the capacity allow. */
static bool hyperx_is_wanted(const struct hyperx_search *work, uint32_t d,
                             uint64_t product, uint64_t ways)
{
    const struct nb_fit_demand *demand = &work->search->demand;
    const struct nb_ratio most =
        nb_ratio_divide(nb_ratio_make((nb_int128)work->radix[d], 1),
                        nb_fit_least_rate(work->search));
    uint64_t p = work->search->radix - ways;
    if (nb_ratio_is_known(most) &&
        nb_ratio_compare(most, nb_ratio_make((nb_int128)p, 1)) < 0)
        p = (uint64_t)nb_ratio_value(most);
    const uint64_t least = p > 0 ? (demand->terminals - 1) / p + 1 : UINT64_MAX;
    const uint64_t routers = least > product ? least : product;
    const struct nb_fit bound = {
        .terminals = demand->terminals,
        .routers = routers,
        .local_links = (uint64_t)((double)routers * (double)ways / 2),
        .capacity = nb_ratio_one,
    };
    const double largest =
        (double)product * pow((double)work->radix[d], work->dimensions - 1 - d);
    return p > 0 &&
           largest * (double)p * (1 + 1e-9) >= (double)demand->terminals &&
           (double)routers * (double)ways < NB_NONE &&
           nb_fit_is_wanted(work->search, work->dimensions, &bound);
}

/* Chooses radix d and those after it, with just enough terminals per router. */
static void hyperx_choose(struct hyperx_search *work, uint32_t d,
                          uint64_t product, uint64_t ways)
{
    const struct nb_fit_demand *demand = &work->search->demand;
    const uint32_t left = work->dimensions - d;
    for (uint64_t k = 2; d == 0 || k <= work->radix[d - 1]; k++) {
        const uint64_t routers = product * k, ports = ways + k - 1;
        const uint64_t p = (demand->terminals - 1) / routers + 1;
        struct nb_fit fit;
        work->radix[d] = k;
        if (ports + left > work->search->radix || product >= demand->terminals)
            return;
        if (!hyperx_is_wanted(work, d, routers, ports) || nb_run_is_stopped())
            continue;
        if (left > 1)
            hyperx_choose(work, d + 1, routers, ports);
        else if (ports + p <= work->search->radix &&
                 fit_count_radices(work->dimensions, work->radix, p, &fit))
            nb_fit_offer(work->search, work->dimensions, &fit);
    }
}

/* 1 to 6 dimensions of any lengths. */
static enum nb_status hyperx_search(struct nb_fit_search *search,
                                    struct nb_error *err)
{
    for (uint32_t n = 1; n <= HYPERX_FIT_DIMENSIONS; n++) {
        struct hyperx_search work = { .search = search, .dimensions = n };
        hyperx_choose(&work, 0, 1, 0);
    }
    return nb_run_check_stop(err);
}

enum fit_choice {
    FIT_FEWEST_PORTS,
    FIT_FULL, /* the same radix in every dimension */
    FIT_FEWEST_ROUTERS,
    FIT_CHOICES,
};

static bool fit_find(const struct nb_fit_demand *demand, uint32_t n,
                     enum fit_choice choice, struct nb_fit *out)
{
    const uint64_t terminals = demand->terminals;
    const uint64_t most = ((uint64_t)demand->radix + n) / (n + 1);
    if (terminals == 0)
        return choice == FIT_FEWEST_ROUTERS && most >= 2 &&
               fit_count(n, most, most, most, out);
    if (most < 2)
        return false;
    const uint64_t least = fit_least(terminals, n + 1, most);
    const uint64_t c = choice == FIT_FEWEST_ROUTERS ? most : least;
    const uint64_t slice = fit_power(c, n);
    const uint64_t last = (terminals - 1) / slice + 1;
    if (least > most)
        return false;
    /* c routers in the last dimension, or fewer: last is at most c. */
    if (choice == FIT_FULL)
        return last < c && fit_count(n, c, c, (terminals - 1) / slice + 1, out);
    if (choice == FIT_FEWEST_ROUTERS && (c == least || last < 2))
        return false;
    return fit_count(n, c, last < 2 ? 2 : last, c, out);
}

/*
 * As nb_topology_kind.fit. For n = 1 .. 6 dimensions:
 *
 * demand.terminals = 0: n times the radix c with c terminals at each router, c
 * = floor((radix + n)/(n + 1)), the largest that c + n (c - 1) ports allow.
 * Otherwise radix c with c terminals at each router, and the last radix reduced
 * to the least (at least two) that holds the terminals: first with the least c
 * with c^(n+1) >= terminals, which leaves ports unused; then, if it is larger
 * and c^n terminals are too few, with the c above, which needs the fewest
 * routers but has the narrowest last dimension.
 *
 * Source: counting; the sizes [KimDallyAbts2007].
 */
static enum nb_status hyperx_fit(const struct nb_fit_demand *demand,
                                 size_t index, struct nb_fit *out,
                                 struct nb_error *err)
{
    (void)err;
    for (uint32_t n = 1; n <= NB_MAX_DIMENSIONS; n++)
        for (int choice = 0; choice < FIT_CHOICES; choice++)
            if (fit_find(demand, n, (enum fit_choice)choice, out) &&
                index-- == 0)
                return NB_OK;
    return nb_fit_end(out);
}

static enum nb_status hyperx_read(const struct nb_specification *specification,
                                  struct nb_grid *out, struct nb_error *err)
{
    return nb_whole_list_read(
        nb_specification_text(specification, "radices"), "radices", 'x', 2,
        (int64_t)1e9, NB_MAX_DIMENSIONS, out->radix, &out->dimensions, err);
}

static uint32_t hyperx_least_radix(const struct nb_grid *grid)
{
    uint32_t least = grid->radix[0];
    for (size_t d = 1; d < grid->dimensions; d++)
        least = grid->radix[d] < least ? grid->radix[d] : least;
    return least;
}

static void hyperx_find_strides(const struct nb_grid *grid, uint32_t *stride)
{
    stride[0] = 1;
    for (size_t d = 1; d < grid->dimensions; d++)
        stride[d] = stride[d - 1] * grid->radix[d - 1];
}

/* Makes channels to the routers of the line with coordinates first .. end -
 * 1. */
static struct nb_channel *hyperx_join(uint32_t router, uint32_t here,
                                      uint32_t stride, uint32_t first,
                                      uint32_t end, struct nb_channel *channel)
{
    for (uint32_t there = first; there < end; there++, channel++) {
        channel->source = router;
        channel->target = router - here * stride + there * stride;
    }
    return channel;
}

/* By ascending target: the most significant digit that differs decides. */
static struct nb_channel *hyperx_join_router(const struct nb_grid *grid,
                                             const uint32_t *stride,
                                             uint32_t router,
                                             struct nb_channel *channel)
{
    uint32_t here[NB_MAX_GRID];
    nb_grid_split(grid, router, here);
    for (size_t d = grid->dimensions; d-- > 0;)
        channel = hyperx_join(router, here[d], stride[d], 0, here[d], channel);
    for (size_t d = 0; d < grid->dimensions; d++)
        channel = hyperx_join(router, here[d], stride[d], here[d] + 1,
                              grid->radix[d], channel);
    return channel;
}

static enum nb_status hyperx_build(const struct nb_specification *specification,
                                   struct nb_topology *out,
                                   struct nb_error *err)
{
    struct nb_grid *grid = &out->hyperx;
    double routers = 1, ways = 0;
    enum nb_status status;
    NB_TRY(hyperx_read(specification, grid, err));
    for (size_t d = 0; d < grid->dimensions; d++) {
        routers *= grid->radix[d];
        ways += grid->radix[d] - 1;
    }
    NB_TRY(nb_topology_reserve(out, routers, routers * ways, err));
    if (grid->dimensions > 1)
        NB_TRY(nb_groups_reserve(
            out, (uint32_t)out->router_count / grid->radix[0], err));
    const uint32_t given = (uint32_t)nb_specification_whole(specification, "p");
    const uint32_t p = given > 0 ? given : hyperx_least_radix(grid);
    uint32_t stride[NB_MAX_GRID];
    hyperx_find_strides(grid, stride);
    struct nb_channel *channel = out->channels;
    for (uint32_t r = 0; r < out->router_count; r++) {
        out->terminals[r] = p;
        if (grid->dimensions > 1)
            out->groups.of[r] = r / grid->radix[0];
        channel = hyperx_join_router(grid, stride, r, channel);
    }
done:
    return status;
}

static struct nb_closed_form hyperx_diameter(const struct nb_topology *topology)
{
    return (struct nb_closed_form){ { (int64_t)topology->hyperx.dimensions, 1 },
                                    "counting" };
}

/* A coordinate differs with probability 1 - 1/k, and then costs one hop. */
static struct nb_closed_form
hyperx_mean_distance(const struct nb_topology *topology)
{
    const struct nb_grid *grid = &topology->hyperx;
    struct nb_ratio mean = nb_ratio_zero;
    for (size_t d = 0; d < grid->dimensions; d++)
        mean = nb_ratio_add(mean,
                            nb_ratio_make(grid->radix[d] - 1, grid->radix[d]));
    return (struct nb_closed_form){ mean, "counting" };
}

/* Of N p r packets per cycle a share 1 - 1/k need a hop in a dimension of radix
 * k, which has N (k - 1) channels: r <= k/p. Shortest paths take at most one
 * such hop. Split evenly, they load the channels of a dimension equally, since
 * automorphisms take each of these channels to each other one. */
static struct nb_closed_form hyperx_capacity(const struct nb_topology *topology)
{
    return (struct nb_closed_form){
        nb_ratio_make(hyperx_least_radix(&topology->hyperx),
                      topology->terminals[0]),
        "counting",
    };
}

/* Links along a dimension of radix k that leave the first `size` routers of the
 * order. They divide one block of lines: t of its `stride` lines have q + 1 of
 * these routers, the rest q. */
static int64_t hyperx_links_cut(int64_t size, int64_t stride, int64_t k)
{
    const int64_t rest = size % (stride * k);
    const int64_t q = rest / stride, t = rest % stride;
    return t * (q + 1) * (k - q - 1) + (stride - t) * q * (k - q);
}

/* Order the routers so that the largest dimension fills first (it is the least
 * significant digit), then the next largest. Among all sets of a given size,
 * the first routers in this order have the most links within, hence the fewest
 * to the rest. An odd number of routers has no halves. */
static struct nb_closed_form
hyperx_bisection(const struct nb_topology *topology)
{
    const struct nb_grid *grid = &topology->hyperx;
    const int64_t routers = (int64_t)topology->router_count;
    bool is_used[NB_MAX_GRID] = { false };
    int64_t stride = 1, cut = 0;
    if (routers % 2 != 0)
        return (struct nb_closed_form){ { 0, 0 }, "" };
    for (size_t i = 0; i < grid->dimensions; i++) {
        size_t largest = grid->dimensions;
        for (size_t d = 0; d < grid->dimensions; d++)
            if (!is_used[d] && (largest == grid->dimensions ||
                                grid->radix[d] > grid->radix[largest]))
                largest = d;
        is_used[largest] = true;
        cut += hyperx_links_cut(routers / 2, stride, grid->radix[largest]);
        stride *= grid->radix[largest];
    }
    return (struct nb_closed_form){ { 2 * cut, 1 }, "Lindsey1964" };
}

static const struct nb_parameter hyperx_parameters[] = {
    NB_PARAMETER("radices", RADICES, NULL,
                 "routers along each dimension, such as 8x8",
                 .is_leading = true, .least = 2, .most = 1e9),
    NB_PARAMETER("p", WHOLE, "0", "terminals per router; 0: the smallest radix",
                 .least = 0, .most = HYPERX_TERMINALS),
    { 0 },
};

const struct nb_topology_kind nb_topology_hyperx = {
    .kind = { .name = "hyperx",
              .aliases = "flattened-butterfly fb",
              .summary = "fully connected dimensions",
              .detail =
                  "A grid of 1 to 6 dimensions, fully connected along each "
                  "dimension.",
              .family = NB_FAMILY_GRIDS,
              .parameters = hyperx_parameters },
    .examples = "hyperx:4x4 hyperx:2 hyperx:5 hyperx:2x2,p=1 hyperx:3x3,p=2 "
                "hyperx:5x2,p=3,bandwidth=1/2 hyperx:2x3x3 hyperx:3x2x3,p=1 "
                "hyperx:4x2x2,p=2 hyperx:2x2x2x2,bandwidth=3 "
                "hyperx:3x3,p=1,bandwidth=1+2 "
                "hyperx:2x3x2x2x2x2,p=1",
    .has_own_terminals = true,
    .build = hyperx_build,
    .diameter = hyperx_diameter,
    .mean_distance = hyperx_mean_distance,
    .bisection = hyperx_bisection,
    .capacity = hyperx_capacity,
    .fit = hyperx_fit,
    .search = hyperx_search,
    .symmetry = nb_grid_symmetry,
};
