#include "export/charts/placing.h"

#include "core/memory.h"
#include "export/charts/placing_forms.h"

#include <math.h>

enum {
    PLACING_MOST_HEIGHT = 640,
    /* Small networks are not blown up further. */
    PLACING_MOST_STEP = 100,
    PLACING_MOST_CHORD = 150,
};

const struct nb_grid *nb_placing_grid(const struct nb_topology *topology)
{
    const struct nb_grid *grid = &topology->grid;
    if (topology->hyperx.dimensions > 1)
        return &topology->hyperx;
    if (grid->dimensions > 1)
        return grid;
    const bool is_ring = grid->wraps && grid->radix[0] > 2;
    return grid->dimensions == 1 && !is_ring ? grid : NULL;
}

static void place_circle(size_t count, struct nb_place *place)
{
    const double radius = count > 1 ? 0.5 / sin(M_PI / (double)count) : 0;
    for (size_t i = 0; i < count; i++) {
        const double angle = 2 * M_PI * (double)i / (double)count - M_PI / 2;
        place[i].x = radius * cos(angle);
        place[i].y = radius * sin(angle);
    }
}

double nb_place_least_step(const struct nb_place *place, size_t count)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            const double x = place[i].x - place[k].x;
            const double y = place[i].y - place[k].y;
            const double square = x * x + y * y;
            least = square < least ? square : least;
        }
    return sqrt(least);
}

static bool placing_has_groups(const struct nb_topology *topology)
{
    if (topology->groups.count < 2 || topology->hyperx.dimensions > 0)
        return false;
    for (size_t r = 0; r < topology->router_count; r++)
        if (topology->groups.of[r] == NB_NONE)
            return false;
    return true;
}

/* Chooses the form that shows most of the network's structure. */
static enum nb_status placing_choose(const struct nb_topology *topology,
                                     struct nb_placing *out,
                                     struct nb_error *err)
{
    const struct nb_grid *grid = nb_placing_grid(topology);
    const bool is_plain =
        topology->grid.dimensions == 0 && topology->hyperx.dimensions == 0;
    bool is_placed = false;
    enum nb_status status = NB_OK;
    if (grid != NULL) {
        nb_place_grid(grid, topology->router_count, out->router);
        out->form = NB_PLACED_GRID;
        return NB_OK;
    }
    if (is_plain) {
        NB_TRY(nb_place_levels(topology, out->router, &is_placed, err));
        out->form = NB_PLACED_LEVELS;
    }
    if (!is_placed && placing_has_groups(topology)) {
        nb_place_groups(topology, out->router);
        out->form = NB_PLACED_GROUPS;
        is_placed = true;
    }
    if (!is_placed && is_plain) {
        NB_TRY(nb_place_spread(topology, out->router, &is_placed, err));
        out->form = NB_PLACED_SPREAD;
    }
    if (!is_placed) {
        place_circle(topology->router_count, out->router);
        out->form = NB_PLACED_CIRCLE;
    }
done:
    return status;
}

/* Scales and moves the places into the drawing, margins around them. */
static void placing_fit(double width, struct nb_place margin, size_t count,
                        struct nb_placing *placing)
{
    struct nb_place least = placing->router[0], most = least;
    const double step = nb_place_least_step(placing->router, count);
    const double most_step = placing->form == NB_PLACED_CIRCLE
                                 ? PLACING_MOST_CHORD
                                 : PLACING_MOST_STEP;
    for (size_t i = 1; i < count; i++) {
        least.x = fmin(least.x, placing->router[i].x);
        least.y = fmin(least.y, placing->router[i].y);
        most.x = fmax(most.x, placing->router[i].x);
        most.y = fmax(most.y, placing->router[i].y);
    }
    const double wide = most.x - least.x + 2 * margin.x;
    const double high = most.y - least.y + 2 * margin.y;
    const double scale =
        fmin(fmin(width / wide, PLACING_MOST_HEIGHT / high), most_step / step);
    placing->width = width;
    placing->height = ceil(scale * high);
    placing->step = scale * step;
    placing->radius = fmax(fmin(0.19 * placing->step, 14), 1);
    for (size_t i = 0; i < count; i++) {
        struct nb_place *place = &placing->router[i];
        place->x = width / 2 + scale * (place->x - (least.x + most.x) / 2);
        place->y =
            placing->height / 2 + scale * (place->y - (least.y + most.y) / 2);
    }
}

/* How far channels reach beyond the outermost routers, on the worse of both
 * sides, and a little more. */
static struct nb_place placing_reach(const struct nb_topology *topology,
                                     const struct nb_placing *placing)
{
    struct nb_place routers = { 0, 0 }, reach = { 0, 0 };
    for (size_t r = 0; r < topology->router_count; r++) {
        const struct nb_place *place = &placing->router[r];
        routers.x = fmax(routers.x, fabs(place->x - placing->width / 2));
        routers.y = fmax(routers.y, fabs(place->y - placing->height / 2));
    }
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        struct nb_wire wires[NB_PLACING_WIRES];
        const size_t count = nb_placing_wires(topology, placing, c, wires);
        for (size_t i = 0; i < count; i++) {
            /* The ends, and the middle of the curve. */
            const struct nb_place from = wires[i].from, to = wires[i].to;
            const double bend = wires[i].bend / 2;
            const double x = (from.x + to.x) / 2 + bend * (to.y - from.y);
            const double y = (from.y + to.y) / 2 - bend * (to.x - from.x);
            const double x0 = placing->width / 2, y0 = placing->height / 2;
            reach.x = fmax(fmax(reach.x, fabs(x - x0)),
                           fmax(fabs(from.x - x0), fabs(to.x - x0)));
            reach.y = fmax(fmax(reach.y, fabs(y - y0)),
                           fmax(fabs(from.y - y0), fabs(to.y - y0)));
        }
    }
    const double least = placing->radius + 8;
    return (struct nb_place){ fmax(reach.x - routers.x + 4, least),
                              fmax(reach.y - routers.y + 4, least) };
}

enum nb_status nb_placing_build(const struct nb_topology *topology,
                                double width, struct nb_placing *out,
                                struct nb_error *err)
{
    const size_t count = topology->router_count;
    enum nb_status status;
    *out = (struct nb_placing){ 0 };
    NB_TRY(nb_new(&out->router, count, sizeof *out->router, "places", err));
    NB_TRY(placing_choose(topology, out, err));
    /* What the channels need is known once they are drawn; they grow and
     * shrink with everything. */
    placing_fit(width, (struct nb_place){ 0.5, 0.5 }, count, out);
    placing_fit(width, placing_reach(topology, out), count, out);
done:
    if (status != NB_OK)
        nb_placing_release(out);
    return status;
}

void nb_placing_release(struct nb_placing *placing)
{
    nb_delete(placing->router);
    *placing = (struct nb_placing){ 0 };
}
