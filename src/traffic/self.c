#include "traffic/self.h"

#include "core/memory.h"

/* The factor of a router's row, and the part that remains. */
struct self_row {
    nb_uint128 sum;  /* of the row, over the traffic's denominator */
    nb_uint128 self; /* the part that terminals send to themselves */
    uint64_t factor; /* for its rates, over the new denominator */
};

static void self_find_rows(const struct nb_traffic *traffic,
                           const struct nb_topology *topology,
                           struct self_row *row)
{
    for (size_t r = 0; r < traffic->router_count; r++) {
        row[r].sum = (nb_uint128)traffic->background *
                     nb_traffic_even_row(traffic, topology, r);
        row[r].self = traffic->omits_self ? 0
                                          : (nb_uint128)traffic->background *
                                                topology->terminals[r];
    }
    for (size_t d = 0; d < traffic->demand_count; d++) {
        const struct nb_demand *demand = &traffic->demands[d];
        row[demand->source].sum += demand->weight;
        if (demand->source == demand->target)
            row[demand->source].self += demand->weight;
    }
}

static nb_uint128 self_gcd(nb_uint128 a, nb_uint128 b)
{
    while (b != 0) {
        const nb_uint128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Multiplies the denominator by the common multiple of what remains of the
 * rows, and finds each row's factor over it. */
static enum nb_status self_find_factors(struct nb_traffic *traffic,
                                        struct self_row *row,
                                        struct nb_error *err)
{
    uint64_t common = 1;
    enum nb_status status = NB_OK;
    for (size_t r = 0; r < traffic->router_count; r++) {
        const nb_uint128 left = row[r].sum - row[r].self;
        if (left == 0)
            continue;
        const nb_uint128 shared = self_gcd(row[r].sum, left);
        row[r].sum /= shared;
        row[r].self = left / shared; /* from here on: what remains */
        const bool fits = row[r].sum <= UINT64_MAX && row[r].self <= UINT64_MAX;
        const uint64_t own = fits ? (uint64_t)row[r].self : UINT64_MAX;
        NB_TRY(
            nb_traffic_scale(traffic, &common, own / nb_gcd(own, common), err));
        row[r].factor = 1; /* the row is not empty */
    }
    for (size_t r = 0; r < traffic->router_count; r++) {
        if (row[r].factor == 0)
            continue;
        row[r].factor = (uint64_t)row[r].sum;
        NB_TRY(nb_traffic_scale(traffic, &row[r].factor,
                                common / (uint64_t)row[r].self, err));
    }
    status = nb_traffic_scale(traffic, &traffic->denominator, common, err);
done:
    return status;
}

/* Multiplies demands by their rows' factors; removes those of terminals to
 * themselves. */
static enum nb_status self_scale_demands(struct nb_traffic *traffic,
                                         const struct self_row *row,
                                         struct nb_error *err)
{
    size_t kept = 0;
    enum nb_status status = NB_OK;
    for (size_t d = 0; d < traffic->demand_count; d++) {
        struct nb_demand demand = traffic->demands[d];
        if (demand.source == demand.target)
            continue;
        NB_TRY(nb_traffic_scale(traffic, &demand.weight,
                                row[demand.source].factor, err));
        traffic->demands[kept++] = demand;
    }
    traffic->demand_count = kept;
done:
    return status;
}

/* Adds demands of factor times an even background from a router to all
 * others. */
static enum nb_status self_add_row(struct nb_traffic *traffic,
                                   const struct nb_topology *topology,
                                   uint32_t source, uint64_t background,
                                   uint64_t factor, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_traffic_scale(traffic, &background, factor, err));
    for (uint32_t j = 0; j < traffic->router_count; j++) {
        uint64_t weight = background;
        NB_TRY(nb_traffic_scale(traffic, &weight,
                                nb_traffic_even(traffic, topology, source, j),
                                err));
        NB_TRY(nb_traffic_add(traffic, source, j, weight, err));
    }
done:
    return status;
}

/* Multiplies the background by the least factor; rows with a larger one get
 * demands for the difference. */
static enum nb_status self_scale_background(struct nb_traffic *traffic,
                                            const struct nb_topology *topology,
                                            const struct self_row *row,
                                            struct nb_error *err)
{
    const size_t n = traffic->router_count;
    const uint64_t background = traffic->background;
    uint64_t least = UINT64_MAX;
    enum nb_status status = NB_OK;
    for (size_t r = 0; r < n; r++)
        if (row[r].factor > 0 && row[r].factor < least)
            least = row[r].factor;
    if (least == UINT64_MAX) { /* a single terminal */
        traffic->background = 0;
        return NB_OK;
    }
    traffic->omits_self = true;
    NB_TRY(nb_traffic_scale(traffic, &traffic->background, least, err));
    for (uint32_t r = 0; r < n; r++)
        if (row[r].factor > least)
            NB_TRY(self_add_row(traffic, topology, r, background,
                                row[r].factor - least, err));
done:
    return status;
}

static enum nb_status self_omit(struct nb_traffic *traffic,
                                const struct nb_topology *topology,
                                struct nb_error *err)
{
    struct self_row *row = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&row, traffic->router_count, sizeof *row, "rows", err));
    self_find_rows(traffic, topology, row);
    NB_TRY(self_find_factors(traffic, row, err));
    NB_TRY(self_scale_demands(traffic, row, err));
    if (traffic->background > 0)
        NB_TRY(self_scale_background(traffic, topology, row, err));
done:
    nb_delete(row);
    return status;
}

/* A network whose routers are the terminals of another, and its traffic. Owned,
 * except for the traffic's specification. */
struct self_view {
    struct nb_topology topology;
    struct nb_traffic traffic;
    uint32_t *ones; /* [terminal] */
    uint64_t *rest; /* [demand] */
};

static enum nb_status self_open(const struct nb_traffic *traffic,
                                const struct nb_topology *topology,
                                struct self_view *out, struct nb_error *err)
{
    const size_t terminals = topology->terminal_count;
    enum nb_status status;
    NB_TRY(nb_new(&out->ones, terminals, sizeof *out->ones, "terminals", err));
    NB_TRY(nb_new(&out->rest, traffic->demand_count, sizeof *out->rest,
                  "demands", err));
    for (size_t t = 0; t < terminals; t++)
        out->ones[t] = 1;
    for (size_t d = 0; d < traffic->demand_count; d++)
        out->rest[d] = traffic->demands[d].weight;
    out->topology = (struct nb_topology){ .router_count = terminals,
                                          .terminal_count = terminals,
                                          .terminals = out->ones };
    out->traffic = (struct nb_traffic){ .specification = traffic->specification,
                                        .router_count = terminals,
                                        .denominator = traffic->denominator,
                                        .background = traffic->background,
                                        .omits_self = traffic->omits_self };
done:
    return status;
}

/* The same where terminals of a router lose different shares: on the network of
 * terminals. */
static enum nb_status self_omit_singly(struct nb_traffic *traffic,
                                       const struct nb_topology *topology,
                                       struct nb_error *err)
{
    struct self_view view = { 0 };
    struct nb_traffic *single = &view.traffic;
    enum nb_status status;
    NB_TRY(self_open(traffic, topology, &view, err));
    NB_TRY(nb_traffic_single_out(traffic, topology, view.rest, 0, single, err));
    NB_TRY(self_omit(single, &view.topology, err));
    traffic->denominator = single->denominator;
    traffic->background = single->background;
    traffic->omits_self = single->omits_self;
    traffic->demand_count = 0;
    nb_delete(traffic->singles.entry);
    traffic->singles = (struct nb_demands){ .count = single->demand_count,
                                            .capacity = single->demand_capacity,
                                            .entry = single->demands };
    single->demands = NULL;
done:
    nb_delete(single->demands);
    nb_delete(view.ones);
    nb_delete(view.rest);
    return status;
}

/* Whether rows with a background lose different shares, one of them that of a
 * router of several terminals, in which demands of routers cannot leave out
 * each terminal itself. */
static enum nb_status self_is_uneven(const struct nb_traffic *traffic,
                                     const struct nb_topology *topology,
                                     bool *out, struct nb_error *err)
{
    struct self_row *row = NULL, first = { 0 };
    enum nb_status status = NB_OK;
    bool has_several = false, differs = false;
    if (traffic->background == 0 || traffic->demand_count == 0)
        goto done;
    NB_TRY(nb_new(&row, traffic->router_count, sizeof *row, "rows", err));
    self_find_rows(traffic, topology, row);
    for (size_t r = 0; r < traffic->router_count; r++) {
        if (topology->terminals[r] == 0)
            continue;
        const nb_uint128 shared = self_gcd(row[r].sum, row[r].self);
        const nb_uint128 sum = row[r].sum / shared, self = row[r].self / shared;
        differs = differs ||
                  (first.sum > 0 && (first.sum != sum || first.self != self));
        first = (struct self_row){ .sum = sum, .self = self };
        has_several = has_several || topology->terminals[r] > 1;
    }
done:
    nb_delete(row);
    *out = has_several && differs;
    return status;
}

enum nb_status nb_traffic_omit_self(struct nb_traffic *traffic,
                                    const struct nb_topology *topology,
                                    struct nb_error *err)
{
    bool is_uneven = false;
    const enum nb_status status =
        self_is_uneven(traffic, topology, &is_uneven, err);
    if (status != NB_OK)
        return status;
    return is_uneven || traffic->singles.count > 0
               ? self_omit_singly(traffic, topology, err)
               : self_omit(traffic, topology, err);
}
