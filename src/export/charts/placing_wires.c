/* Channels on a drawing (declared in export/charts/placing.h). */
#include "export/charts/placing.h"

#include "export/charts/placing_forms.h"

#include <math.h>
#include <stdlib.h>

/* Of the router's radius: how far to the right of the middle a wire keeps. */
static const double wires_lane = 0.5;

static struct nb_place wires_direction(struct nb_place from, struct nb_place to)
{
    const double x = to.x - from.x, y = to.y - from.y;
    const double length = hypot(x, y);
    return (struct nb_place){ x / length, y / length };
}

/* A place on the edge of a router, from which a wire goes in a direction
 * (sign = 1) or into which it comes (-1), on the lane at the right. */
static struct nb_place wires_edge(struct nb_place router, double radius,
                                  struct nb_place direction, double sign)
{
    const double right = radius * wires_lane;
    const double along = sign * sqrt(radius * radius - right * right);
    return (struct nb_place){
        router.x + along * direction.x - right * direction.y,
        router.y + along * direction.y + right * direction.x,
    };
}

/* From router to router by a control point bend times the distance beside
 * the middle. */
static struct nb_wire wires_join(const struct nb_placing *placing,
                                 uint32_t source, uint32_t target, double bend)
{
    const struct nb_place from = placing->router[source];
    const struct nb_place to = placing->router[target];
    const struct nb_place control = {
        (from.x + to.x) / 2 + bend * (to.y - from.y),
        (from.y + to.y) / 2 - bend * (to.x - from.x),
    };
    struct nb_wire wire = {
        .from = wires_edge(from, placing->radius,
                           wires_direction(from, control), 1),
        .to = wires_edge(to, placing->radius, wires_direction(control, to), -1),
    };
    /* The same bend is more of the shorter way from edge to edge. */
    const double whole = hypot(to.x - from.x, to.y - from.y);
    const double cut = hypot(wire.to.x - wire.from.x, wire.to.y - wire.from.y);
    wire.bend = bend * whole / cut;
    return wire;
}

/* The one dimension in which two routers of a line differ. */
static size_t wires_dimension(const struct nb_grid *grid, uint32_t source,
                              uint32_t target)
{
    size_t d = 0;
    while (d + 1 < grid->dimensions && nb_grid_coordinate(grid, source, d) ==
                                           nb_grid_coordinate(grid, target, d))
        d++;
    return d;
}

/* The router next to this one in a dimension, away from the nearer end. */
static uint32_t wires_inner(const struct nb_grid *grid, uint32_t router,
                            size_t dimension)
{
    uint32_t coordinate[NB_MAX_GRID];
    nb_grid_split(grid, router, coordinate);
    if (coordinate[dimension] == 0)
        coordinate[dimension]++;
    else
        coordinate[dimension]--;
    return nb_grid_join(grid, coordinate);
}

/* Two stubs at the ends of a line, outward and inward. */
static void wires_cut(const struct nb_grid *grid,
                      const struct nb_placing *placing, uint32_t source,
                      uint32_t target, size_t dimension,
                      struct nb_wire out[NB_PLACING_WIRES])
{
    const double length = 0.6 * placing->step;
    const uint32_t router[2] = { source, target };
    for (int end = 0; end < 2; end++) {
        const struct nb_place place = placing->router[router[end]];
        const uint32_t inner = wires_inner(grid, router[end], dimension);
        struct nb_place way = wires_direction(placing->router[inner], place);
        const struct nb_place outside = { place.x + length * way.x,
                                          place.y + length * way.y };
        if (end == 1)
            way = (struct nb_place){ -way.x, -way.y };
        /* On the same lane as the edge of the router. */
        const struct nb_place far =
            wires_edge(outside, placing->radius, way, 0);
        const struct nb_place near =
            wires_edge(place, placing->radius, way, end == 0 ? 1 : -1);
        out[end] = (struct nb_wire){ .from = end == 0 ? near : far,
                                     .to = end == 0 ? far : near };
    }
}

/* The bend that leads around the routers between, those of the line or of the
 * copies; the farther, the more, so that wires differ. */
static double wires_around(const struct nb_placing *placing, uint32_t source,
                           uint32_t target, int64_t steps, size_t dimension)
{
    const struct nb_place from = placing->router[source];
    const struct nb_place to = placing->router[target];
    const double length = hypot(to.x - from.x, to.y - from.y);
    if (dimension > 2)
        return 0.12;
    if (steps < 2)
        return 0;
    const double first = 1 / (double)steps; /* where it passes the first */
    const double room = (0.2 + 0.02 * (double)steps) * placing->step;
    return room / (2 * first * (1 - first) * length);
}

static size_t wires_on_grid(const struct nb_grid *grid,
                            const struct nb_placing *placing, uint32_t source,
                            uint32_t target,
                            struct nb_wire out[NB_PLACING_WIRES])
{
    const size_t d = wires_dimension(grid, source, target);
    const int64_t steps = llabs((int64_t)nb_grid_coordinate(grid, target, d) -
                                nb_grid_coordinate(grid, source, d));
    if (grid->wraps && grid->radix[d] > 2 && steps + 1 == grid->radix[d]) {
        wires_cut(grid, placing, source, target, d, out);
        return 2;
    }
    out[0] = wires_join(placing, source, target,
                        -wires_around(placing, source, target, steps, d));
    return 1;
}

/* Channels between groups bend toward the middle of the drawing. */
static double wires_inward(const struct nb_placing *placing, uint32_t source,
                           uint32_t target)
{
    const struct nb_place from = placing->router[source];
    const struct nb_place to = placing->router[target];
    const struct nb_place way = wires_direction(from, to);
    const double length = hypot(to.x - from.x, to.y - from.y);
    const double x = placing->width / 2 - (from.x + to.x) / 2;
    const double y = placing->height / 2 - (from.y + to.y) / 2;
    /* Of the way to the middle, and no more than that of its own length; as
     * the largest Dragonflies need to have no wire on another router. */
    const double part = 0.35;
    return fmax(fmin(part * (x * way.y - y * way.x) / length, part), -part);
}

static bool wires_are_neighbours(const struct nb_topology *topology,
                                 uint32_t source, uint32_t target)
{
    const uint32_t apart = source < target ? target - source : source - target;
    return apart == 1 || apart + 1 == topology->router_count;
}

size_t nb_placing_wires(const struct nb_topology *topology,
                        const struct nb_placing *placing, uint32_t channel,
                        struct nb_wire out[NB_PLACING_WIRES])
{
    const uint32_t source = topology->channels[channel].source;
    const uint32_t target = topology->channels[channel].target;
    double bend = 0;
    if (placing->form == NB_PLACED_GRID)
        return wires_on_grid(nb_placing_grid(topology), placing, source, target,
                             out);
    if (placing->form == NB_PLACED_GROUPS
            ? nb_channel_is_global(topology, channel)
            : placing->form == NB_PLACED_CIRCLE &&
                  !wires_are_neighbours(topology, source, target))
        bend = wires_inward(placing, source, target);
    out[0] = wires_join(placing, source, target, bend);
    return 1;
}
