/* The rates of both phases with a way-point in a quadrant (declared in
 * load_work.h). Relative to a source or destination and turned so that all
 * directions are plus, quadrants are boxes between the origin and a corner:
 * what a place carries is the sum over all corners at or beyond it. */
#include "load/load_work.h"

#include "core/memory.h"
#include "routing/quadrant.h"

#include <assert.h>
#include <float.h>

/* Rates are kept as long doubles, which hold whole numbers below 2^64. */
static_assert(LDBL_MANT_DIG >= 64, "long double is too short");

/* The greatest scale: rates and their sums have the rest of 61 bits. */
static const int64_t demand_scale_limit = (int64_t)1 << 55;

enum nb_status nb_load_demand_init(const struct nb_routing *routing,
                                   struct nb_load_demand *demand,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    const size_t n = topology->router_count;
    enum nb_status status = NB_OK;
    *demand = (struct nb_load_demand){
        .routing = routing,
        .keeps_class = routing->directions == routing->phase,
        .scale = (int64_t)routing->start_total,
    };
    for (size_t d = 0; d < topology->grid.dimensions; d++) {
        const int64_t sides = nb_quadrant_sides(routing, d, demand_scale_limit);
        if (sides == 0 || demand->scale > demand_scale_limit / sides)
            demand->scale = 0;
        else
            demand->scale *= sides;
        demand->additions += topology->grid.radix[d];
    }
    demand->additions += 6;
    NB_TRY(nb_memory_require((2.0 * (double)n + 2) * (double)n *
                                 sizeof(long double),
                             "rates by way-point", err));
    NB_TRY(nb_new(&demand->rate, n * n, sizeof(long double), "rates", err));
    NB_TRY(nb_new(&demand->pair, n * n, sizeof(long double), "rates", err));
    NB_TRY(nb_new(&demand->line, n, sizeof(long double), "rates", err));
    NB_TRY(nb_new(&demand->places, n, sizeof(uint32_t), "rates", err));
    NB_TRY(nb_new(&demand->column, n, sizeof(uint64_t), "rates", err));
    NB_TRY(nb_new(&demand->starts, routing->most_starts, sizeof *demand->starts,
                  "rates", err));
done:
    return status;
}

void nb_load_demand_release(struct nb_load_demand *demand)
{
    nb_delete(demand->rate);
    nb_delete(demand->pair);
    nb_delete(demand->line);
    nb_delete(demand->places);
    nb_delete(demand->column);
    nb_delete(demand->starts);
    *demand = (struct nb_load_demand){ 0 };
}

/* rate(i, j) w / (W size), times scale if that is exact. */
static long double demand_share(const struct nb_load_demand *demand,
                                uint64_t rate, uint64_t weight, uint64_t size,
                                bool is_exact)
{
    const uint64_t total = demand->routing->start_total;
    if (!is_exact)
        return (long double)rate * (long double)weight /
               ((long double)total * (long double)size);
    return (long double)rate *
           (long double)(weight * ((uint64_t)demand->scale / total / size));
}

/* The rates of the pairs that start in the class, over all way-points. */
static enum nb_status demand_fill_pairs(struct nb_load_demand *demand,
                                        const struct nb_traffic *traffic,
                                        bool is_exact, struct nb_error *err)
{
    const struct nb_topology *topology = demand->routing->topology;
    const size_t n = topology->router_count;
    enum nb_status status = NB_OK;
    for (uint32_t j = 0; j < n; j++) {
        NB_TRY(nb_traffic_column(traffic, topology, j, demand->column, err));
        for (uint32_t i = 0; i < n; i++) {
            long double *pair = &demand->pair[i * n + j];
            *pair = 0;
            if (demand->column[i] == 0)
                continue;
            const size_t count =
                nb_route_starts(demand->routing, i, j, demand->starts);
            for (size_t s = 0; s < count; s++)
                if (demand->starts[s].state == demand->class)
                    *pair = demand_share(
                        demand, demand->column[i], demand->starts[s].weight,
                        demand->starts[s].way_points, is_exact);
        }
    }
done:
    return status;
}

/* Adds what one router's pairs put on their way-points: row i of the pairs
 * for phases that begin at i, column j for those that end at j. */
static void demand_add_line(struct nb_load_demand *demand, uint32_t router,
                            bool is_column, size_t mesh)
{
    const struct nb_grid *grid = &demand->routing->topology->grid;
    const size_t n = demand->routing->topology->router_count;
    long double *line = demand->line;
    nb_quadrant_places(grid, demand->class, mesh, router, is_column,
                       demand->places);
    for (size_t p = 0; p < n; p++) {
        const uint32_t other = demand->places[p];
        line[p] = 0;
        if (other == NB_NONE)
            continue;
        const uint32_t i = is_column ? other : router;
        const uint32_t j = is_column ? router : other;
        struct nb_quadrant quadrant;
        size_t own;
        nb_quadrant_find(grid, demand->class, i, j, &quadrant);
        nb_quadrant_place(&quadrant, is_column, &own);
        if (own == mesh) /* a place on an axis is seen with several meshes */
            line[p] = demand->pair[i * n + j];
    }
    size_t stride = 1;
    for (size_t d = 0; d < grid->dimensions; d++) {
        const size_t block = stride * grid->radix[d];
        for (size_t first = 0; first < n; first += block)
            for (size_t p = first + block - stride; p-- > first;)
                line[p] += line[p + stride];
        stride = block;
    }
    for (size_t p = 0; p < n; p++) {
        const uint32_t q = demand->places[p];
        if (q != NB_NONE)
            demand->rate[is_column ? router * n + q : q * n + router] +=
                line[p];
    }
}

enum nb_status nb_load_demand_fill(struct nb_load_demand *demand, size_t class,
                                   const struct nb_traffic *traffic,
                                   bool is_exact, struct nb_error *err)
{
    const size_t n = demand->routing->topology->router_count;
    const size_t meshes =
        nb_quadrant_mesh_count(&demand->routing->topology->grid);
    demand->class = class;
    const enum nb_status status =
        demand_fill_pairs(demand, traffic, is_exact, err);
    if (status != NB_OK)
        return status;
    for (size_t cell = 0; cell < n * n; cell++)
        demand->rate[cell] = 0;
    for (uint32_t router = 0; router < n; router++)
        for (size_t mesh = 0; mesh < meshes; mesh++) {
            demand_add_line(demand, router, false, mesh);
            demand_add_line(demand, router, true, mesh);
        }
    /* Whole numbers are exact as long as the greatest sum is below 2^61. */
    for (size_t cell = 0; is_exact && cell < n * n; cell++)
        if (demand->rate[cell] >= 0x1p61L)
            demand->scale = 0;
    return NB_OK;
}
