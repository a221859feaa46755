#include "export/charts/placing.h"

#include "core/memory.h"
#include "topology/metrics.h"

#include <math.h>
#include <stdlib.h>

enum {
    PLACING_MOST_HEIGHT = 640,
    /* Small networks are not enlarged beyond this. */
    PLACING_MOST_STEP = 100,
    PLACING_MOST_CHORD = 150,
};

/* The grid that a network is drawn as: its own or a HyperX's, with more than
 * one dimension or a line; NULL if there is none. */
static const struct nb_grid *placing_grid(const struct nb_topology *topology)
{
    const struct nb_grid *grid = &topology->grid;
    if (topology->hyperx.dimensions > 1)
        return &topology->hyperx;
    if (grid->dimensions > 1)
        return grid;
    const bool is_ring = grid->wraps && grid->radix[0] > 2;
    return grid->dimensions == 1 && !is_ring ? grid : NULL;
}

/* The least distance between two places. */
static double place_least_step(const struct nb_place *place, size_t count)
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

/* The forms: each places routers at least about 1 apart, with any origin;
 * nb_placing_build moves and scales the result to the drawing. */

static void place_circle(size_t count, struct nb_place *place)
{
    const double radius = count > 1 ? 0.5 / sin(M_PI / (double)count) : 0;
    for (size_t i = 0; i < count; i++) {
        const double angle = 2 * M_PI * (double)i / (double)count - M_PI / 2;
        place[i].x = radius * cos(angle);
        place[i].y = radius * sin(angle);
    }
}

/* From a router to the next in the dimension. */
static void grid_vectors(const struct nb_grid *grid,
                         struct nb_place vector[NB_MAX_GRID])
{
    /* Along the slanted lines, and the extent of one. */
    const struct nb_place aslant = { 0.8, -0.62 };
    const double depth = grid->dimensions > 2 ? (double)grid->radix[2] - 1 : 0;
    const struct nb_place reach = { depth * aslant.x, -depth * aslant.y };
    const double gap = depth > 0 ? 1.1 : 1;
    const bool is_tall = grid->dimensions == 2 &&
                         (double)grid->radix[1] > 2 * (double)grid->radix[0];
    vector[is_tall ? 1 : 0] = (struct nb_place){ reach.x + gap, 0 };
    if (grid->dimensions > 1)
        vector[is_tall ? 0 : 1] = (struct nb_place){ 0, reach.y + gap };
    if (grid->dimensions > 2)
        vector[2] = aslant;
    /* The extent of a block of the dimensions before. */
    double wide = vector[0].x * (grid->radix[0] - 1.0) + reach.x;
    double high =
        vector[grid->dimensions > 1].y * (grid->radix[1] - 1.0) + reach.y;
    for (size_t d = 3; d < grid->dimensions; d++) {
        const bool is_beside = wide <= 1.4 * high;
        const double space = 1.7;
        vector[d] = is_beside ? (struct nb_place){ wide + space, 0 }
                              : (struct nb_place){ 0, high + space };
        wide += vector[d].x * (grid->radix[d] - 1.0);
        high += vector[d].y * (grid->radix[d] - 1.0);
    }
}

static void place_grid(const struct nb_grid *grid, size_t count,
                       struct nb_place *place)
{
    struct nb_place vector[NB_MAX_GRID] = { 0 };
    uint32_t coordinate[NB_MAX_GRID];
    grid_vectors(grid, vector);
    for (uint32_t r = 0; r < count; r++) {
        nb_grid_split(grid, r, coordinate);
        place[r] = (struct nb_place){ 0, 0 };
        for (size_t d = 0; d < grid->dimensions; d++) {
            place[r].x += vector[d].x * coordinate[d];
            place[r].y += vector[d].y * coordinate[d];
        }
    }
}

/* The members of a group with terminals, or without. */
static uint32_t grid_count(const struct nb_topology *topology, uint32_t group,
                           bool has_terminals)
{
    const struct nb_groups *groups = &topology->groups;
    uint32_t count = 0;
    for (uint32_t i = groups->start[group]; i < groups->start[group + 1]; i++)
        count += (topology->terminals[groups->member[i]] > 0) == has_terminals;
    return count;
}

/* Places the members of a group around 0, facing right; returns the radius of a
 * circle that holds them. */
static double grid_place_group(const struct nb_topology *topology,
                               uint32_t group, struct nb_place *place)
{
    const struct nb_groups *groups = &topology->groups;
    const uint32_t first = groups->start[group];
    const uint32_t size = groups->start[group + 1] - first;
    const uint32_t outer = grid_count(topology, group, true);
    const uint32_t inner = size - outer;
    const double ring = size > 1 ? 0.5 / sin(M_PI / size) : 0;
    const uint32_t longest = outer > inner ? outer : inner;
    double index[2] = { 0, 0 };
    for (uint32_t i = 0; i < size; i++) {
        const uint32_t router = groups->member[first + i];
        /* The first faces the group before: palmtree joins it with that
         * group. */
        const double angle = -2 * M_PI * (i + 0.5) / size;
        place[router].x = ring * cos(angle);
        place[router].y = ring * sin(angle);
        if (outer == 0 || inner == 0)
            continue;
        const bool is_outer = topology->terminals[router] > 0;
        place[router].x = is_outer ? 0.7 : -0.7;
        place[router].y =
            index[is_outer]++ - ((is_outer ? outer : inner) - 1.0) / 2;
    }
    return outer == 0 || inner == 0 ? ring : hypot(0.7, (longest - 1.0) / 2);
}

/* Of a network whose routers are all in groups: in each group, routers with
 * terminals and those without are in two rows, if it has both. */
static void place_groups(const struct nb_topology *topology,
                         struct nb_place *place)
{
    const struct nb_groups *groups = &topology->groups;
    double largest = 0;
    for (uint32_t g = 0; g < groups->count; g++)
        largest = fmax(largest, grid_place_group(topology, g, place));
    /* Groups are 1.2 apart, with room for the channels between them. */
    const double radius =
        fmax((largest + 0.6) / sin(M_PI / groups->count), 1.5 * largest + 1);
    for (uint32_t g = 0; g < groups->count; g++) {
        const double angle = 2 * M_PI * g / groups->count - M_PI / 2;
        const double x = cos(angle), y = sin(angle);
        for (uint32_t i = groups->start[g]; i < groups->start[g + 1]; i++) {
            struct nb_place *moved = &place[groups->member[i]];
            const struct nb_place own = *moved;
            moved->x = x * (radius + own.x) - y * own.y;
            moved->y = y * (radius + own.x) + x * own.y;
        }
    }
}

/* Hops from the nearest router with terminals. */
static void levels_find(const struct nb_topology *topology, uint32_t *level,
                        uint32_t *queue)
{
    size_t end = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        level[r] = topology->terminals[r] > 0 ? 0 : NB_NONE;
        if (level[r] == 0)
            queue[end++] = r;
    }
    for (size_t i = 0; i < end; i++)
        for (uint32_t c = topology->out_start[queue[i]];
             c < topology->out_start[queue[i] + 1]; c++) {
            const uint32_t next = topology->channels[c].target;
            if (level[next] != NB_NONE)
                continue;
            level[next] = level[queue[i]] + 1;
            queue[end++] = next;
        }
    const uint32_t top = level[queue[end - 1]];
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (level[r] == NB_NONE) /* cut off by failures: on the level of
                                  * terminals, or above */
            level[r] = topology->failures.terminals[r] > 0 ? 0 : top;
}

static bool levels_are_apart(const struct nb_topology *topology,
                             const uint32_t *level)
{
    for (size_t c = 0; c < topology->channel_count; c++) {
        const uint32_t source = level[topology->channels[c].source];
        const uint32_t target = level[topology->channels[c].target];
        if (source + 1 != target && target + 1 != source)
            return false;
    }
    return true;
}

/* size: [router_count + 1] scratch, zeros. */
static void levels_place(const uint32_t *level, size_t count, uint32_t *size,
                         struct nb_place *place)
{
    uint32_t top = 0, widest = 0;
    for (size_t r = 0; r < count; r++) {
        top = level[r] > top ? level[r] : top;
        place[r].x = size[level[r]]++;
        widest = size[level[r]] > widest ? size[level[r]] : widest;
    }
    /* Wider than high, but with room for the channels. */
    const double rise = fmax(1.3, 0.7 * widest / top);
    for (size_t r = 0; r < count; r++) {
        place[r].x = (place[r].x + 0.5) * widest / size[level[r]];
        place[r].y = -rise * level[r];
    }
}

/*
 * Places networks with levels: those in which every channel leads one hop
 * nearer to, or farther from, the routers with terminals, and not all routers
 * have terminals.
 *
 * is_placed  out: whether it is one; otherwise nothing is placed
 *
 * Errors: NB_NO_MEMORY.
 */
static enum nb_status place_levels(const struct nb_topology *topology,
                                   struct nb_place *place, bool *is_placed,
                                   struct nb_error *err)
{
    const size_t count = topology->router_count;
    uint32_t *level = NULL, *queue = NULL, *size = NULL;
    enum nb_status status;
    *is_placed = false;
    NB_TRY(nb_new(&level, count, sizeof *level, "levels", err));
    NB_TRY(nb_new(&queue, count, sizeof *queue, "levels", err));
    NB_TRY(nb_new(&size, count, sizeof *size, "levels", err));
    levels_find(topology, level, queue);
    /* If all have terminals, all are on level 0 and none is on another. */
    *is_placed = levels_are_apart(topology, level);
    if (*is_placed)
        levels_place(level, count, size, place);
done:
    nb_delete(level);
    nb_delete(queue);
    nb_delete(size);
    return status;
}

enum {
    SPREAD_MOST_ROUTERS = 400,
    SPREAD_POWERS = 100, /* steps of the power iteration */
    SPREAD_ROUNDS = 200,
};

/* [hop] routers closer than this overlap. */
static const double spread_least_step = 0.4;

/* Hops between all pairs of routers, the smaller number of both directions.
 * Pairs cut off by failures count as far apart as the farthest. */
static void spread_measure(const struct nb_topology *topology, double *hops,
                           uint32_t *distance, uint32_t *queue)
{
    const size_t n = topology->router_count;
    for (uint32_t target = 0; target < n; target++) {
        uint32_t most = 1;
        nb_distances_to(topology, target, distance, queue);
        for (size_t r = 0; r < n; r++) {
            if (distance[queue[r]] == NB_NONE)
                distance[queue[r]] = most;
            most = distance[queue[r]] > most ? distance[queue[r]] : most;
        }
        for (size_t r = 0; r < n; r++) {
            double *own = &hops[r * n + target], *other = &hops[target * n + r];
            if (r < target)
                *own = *other = fmin(*own, distance[r]);
            else
                *own = *other = distance[r];
        }
    }
}

static double spread_diameter(const double *hops, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n * n; i++)
        most = fmax(most, hops[i]);
    return most;
}

/* Turns hops into inner products around the centre of gravity; their main axes
 * are those of classical scaling. */
static void spread_centre(const double *hops, size_t n, double *product,
                          double *mean)
{
    double all = 0;
    for (size_t i = 0; i < n; i++) {
        mean[i] = 0;
        for (size_t k = 0; k < n; k++)
            mean[i] += hops[i * n + k] * hops[i * n + k] / (double)n;
        all += mean[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            product[i * n + k] =
                (mean[i] + mean[k] - all - hops[i * n + k] * hops[i * n + k]) /
                2;
}

/* The main axis by power iteration, times the root of its eigenvalue; removed
 * from product. next: [n] scratch. */
static void spread_find_axis(double *product, size_t n, double *axis,
                             double *next)
{
    double value = 0;
    for (size_t i = 0; i < n; i++)
        axis[i] = sin(1 + (double)i) / sqrt((double)n);
    for (int power = 0; power < SPREAD_POWERS; power++) {
        double square = 0;
        for (size_t i = 0; i < n; i++) {
            next[i] = 0;
            for (size_t k = 0; k < n; k++)
                next[i] += product[i * n + k] * axis[k];
            square += next[i] * next[i];
        }
        value = sqrt(square);
        for (size_t i = 0; i < n && value > 0; i++)
            axis[i] = next[i] / value;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            product[i * n + k] -= value * axis[i] * axis[k];
    for (size_t i = 0; i < n; i++)
        axis[i] *= sqrt(value);
}

/* Moves each router in turn to the mean of the places preferred by the
 * others. */
static void spread_relax(const double *hops, size_t n, struct nb_place *place)
{
    for (size_t i = 0; i < n; i++) {
        double x = 0, y = 0, weights = 0;
        for (size_t k = 0; k < n; k++) {
            if (k == i)
                continue;
            const double wanted = hops[i * n + k];
            const double weight = 1 / (wanted * wanted);
            const double dx = place[i].x - place[k].x;
            const double dy = place[i].y - place[k].y;
            const double ratio = wanted / fmax(hypot(dx, dy), 1e-9);
            x += weight * (place[k].x + ratio * dx);
            y += weight * (place[k].y + ratio * dy);
            weights += weight;
        }
        place[i] = (struct nb_place){ x / weights, y / weights };
    }
}

/* Mirrors the places so that router 0 is at the left and above the middle,
 * where reading begins. */
static void spread_turn(size_t n, struct nb_place *place)
{
    struct nb_place middle = { 0, 0 };
    for (size_t i = 0; i < n; i++) {
        middle.x += place[i].x / (double)n;
        middle.y += place[i].y / (double)n;
    }
    const double x = place[0].x > middle.x ? -1 : 1;
    const double y = place[0].y > middle.y ? -1 : 1;
    for (size_t i = 0; i < n; i++)
        place[i] = (struct nb_place){ x * place[i].x, y * place[i].y };
}

/* axis: [3 n] scratch. */
static void spread_place(const double *hops, double *product, double *axis,
                         size_t n, struct nb_place *place)
{
    spread_centre(hops, n, product, axis);
    spread_find_axis(product, n, axis, axis + 2 * n);
    spread_find_axis(product, n, axis + n, axis + 2 * n);
    for (size_t i = 0; i < n; i++) {
        /* Routers at the same place would stay together. */
        place[i].x = axis[i] + 0.01 * cos((double)i);
        place[i].y = axis[n + i] + 0.01 * sin((double)i);
    }
    for (int round = 0; round < SPREAD_ROUNDS; round++)
        spread_relax(hops, n, place);
    spread_turn(n, place);
}

/*
 * Places routers so that distances are close to the hops between them, weighted
 * by their inverse square: stress majorisation (Gansner, Koren and North, Graph
 * Drawing, 2004), router by router, from the two main axes of classical
 * scaling.
 *
 * is_placed  out: false if that gives no useful picture: for networks of
 *            diameter 2 at most, above 400 routers, and if routers overlap;
 *            the places are then meaningless
 *
 * Errors: NB_NO_MEMORY.
 */
static enum nb_status place_spread(const struct nb_topology *topology,
                                   struct nb_place *place, bool *is_placed,
                                   struct nb_error *err)
{
    const size_t n = topology->router_count;
    double *hops = NULL, *product = NULL, *axis = NULL;
    uint32_t *distance = NULL;
    enum nb_status status = NB_OK;
    *is_placed = false;
    if (n > SPREAD_MOST_ROUTERS)
        return NB_OK;
    NB_TRY(nb_new(&hops, n * n, sizeof *hops, "hops", err));
    NB_TRY(nb_new(&distance, 2 * n, sizeof *distance, "hops", err));
    spread_measure(topology, hops, distance, distance + n);
    *is_placed = spread_diameter(hops, n) > 2;
    if (!*is_placed)
        goto done;
    NB_TRY(nb_new(&product, n * n, sizeof *product, "places", err));
    NB_TRY(nb_new(&axis, 3 * n, sizeof *axis, "places", err));
    spread_place(hops, product, axis, n, place);
    *is_placed = place_least_step(place, n) > spread_least_step;
done:
    nb_delete(hops);
    nb_delete(product);
    nb_delete(axis);
    nb_delete(distance);
    return status;
}

/* A place on a circle, step of steps around it. */
static struct nb_place fabric_place(double step, double steps, double radius)
{
    const double angle = 2 * M_PI * step / steps;
    struct nb_place place;
    place.x = radius * sin(angle);
    place.y = -radius * cos(angle);
    return place;
}

/*
 * A fabric: hosts on the outermost circle, grouped by their switches; these on
 * a circle within it, each in front of the middle of its hosts; switches
 * without hosts on the innermost one. Hosts are 1 apart.
 */
static void place_fabric(const struct nb_topology *topology,
                         struct nb_place *place)
{
    const size_t count = topology->router_count;
    size_t hosts = 0, host = 0, spines = 0, spine = 0;
    for (size_t r = 0; r < count; r++)
        hosts += topology->terminals[r] > 0;
    const double steps = (double)hosts + 1, radius = steps / (2 * M_PI) + 2;
    for (int round = 0; round < 2; round++) /* spines are counted first */
        for (uint32_t r = 0; r < count; r++) {
            const size_t first = host;
            if (topology->terminals[r] > 0)
                continue;
            for (uint32_t c = topology->out_start[r];
                 round == 1 && c < topology->out_start[r + 1]; c++) {
                const uint32_t to = topology->channels[c].target;
                if (topology->terminals[to] > 0)
                    place[to] = fabric_place((double)host++, steps, radius);
            }
            size_t own = 0;
            for (uint32_t c = topology->out_start[r];
                 c < topology->out_start[r + 1]; c++)
                own += topology->terminals[topology->channels[c].target] > 0;
            if (own == 0 && round == 0)
                spines++;
            else if (own == 0)
                place[r] =
                    fabric_place((double)spine++, (double)spines, radius / 4);
            else if (round == 1)
                place[r] = fabric_place((double)(first + host - 1) / 2, steps,
                                        0.6 * radius);
        }
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
    const struct nb_grid *grid = placing_grid(topology);
    const bool is_plain =
        topology->grid.dimensions == 0 && topology->hyperx.dimensions == 0;
    bool is_placed = false;
    enum nb_status status = NB_OK;
    if (grid != NULL) {
        place_grid(grid, topology->router_count, out->router);
        out->form = NB_PLACED_GRID;
        return NB_OK;
    }
    if (is_plain) {
        NB_TRY(place_levels(topology, out->router, &is_placed, err));
        out->form = NB_PLACED_LEVELS;
    }
    if (!is_placed && topology->fabric != NULL) {
        place_fabric(topology, out->router);
        out->form = NB_PLACED_SPREAD;
        is_placed = true;
    }
    if (!is_placed && placing_has_groups(topology)) {
        place_groups(topology, out->router);
        out->form = NB_PLACED_GROUPS;
        is_placed = true;
    }
    if (!is_placed && is_plain) {
        NB_TRY(place_spread(topology, out->router, &is_placed, err));
        out->form = NB_PLACED_SPREAD;
    }
    if (!is_placed) {
        place_circle(topology->router_count, out->router);
        out->form = NB_PLACED_CIRCLE;
    }
done:
    return status;
}

/* Scales and moves the places into the drawing, with margins around them. */
static void placing_fit(double width, struct nb_place margin, size_t count,
                        struct nb_placing *placing)
{
    struct nb_place least = placing->router[0], most = least;
    const double step = place_least_step(placing->router, count);
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
    /* The room for channels is known only after drawing them; they grow and
     * shrink with everything else. */
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

/* Distance of a wire to the right of the middle, as a fraction of the router's
 * radius. */
static const double wires_lane = 0.5;

static struct nb_place wires_direction(struct nb_place from, struct nb_place to)
{
    const double x = to.x - from.x, y = to.y - from.y;
    const double length = hypot(x, y);
    return (struct nb_place){ x / length, y / length };
}

/* The place on the edge of a router where a wire leaves in a direction (sign =
 * 1) or enters (-1), on the lane at the right. */
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

/* From router to router with a control point bend times the distance to the
 * side of the middle. */
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
    /* The same bend is a larger fraction of the shorter edge-to-edge
     * distance. */
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
        /* On the same lane as at the edge of the router. */
        const struct nb_place far =
            wires_edge(outside, placing->radius, way, 0);
        const struct nb_place near =
            wires_edge(place, placing->radius, way, end == 0 ? 1 : -1);
        out[end] = (struct nb_wire){ .from = end == 0 ? near : far,
                                     .to = end == 0 ? far : near };
    }
}

/* The bend that leads around the routers in between, those of the line or of
 * the copies; it grows with the distance, so that wires differ. */
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
    /* A fraction of the distance to the middle, limited to the same fraction of
     * its own length. The largest Dragonflies need this to keep wires off other
     * routers. */
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
        return wires_on_grid(placing_grid(topology), placing, source, target,
                             out);
    if (placing->form == NB_PLACED_GROUPS
            ? nb_channel_is_global(topology, channel)
            : placing->form == NB_PLACED_CIRCLE &&
                  !wires_are_neighbours(topology, source, target))
        bend = wires_inward(placing, source, target);
    out[0] = wires_join(placing, source, target, bend);
    return 1;
}
