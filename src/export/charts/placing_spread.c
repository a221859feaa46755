/* Places by distances (placing_forms.h). */
#include "export/charts/placing_forms.h"

#include "core/memory.h"
#include "topology/metrics.h"

#include <math.h>

enum {
    SPREAD_MOST_ROUTERS = 400,
    SPREAD_POWERS = 100, /* steps of the power iteration */
    SPREAD_ROUNDS = 200,
};

/* [hop] nearer places are on top of each other. */
static const double spread_least_step = 0.4;

/* Hops between routers, the shorter way of the two: all pairs, both ways. */
static void spread_measure(const struct nb_topology *topology, double *hops,
                           uint32_t *distance, uint32_t *queue)
{
    const size_t n = topology->router_count;
    for (uint32_t target = 0; target < n; target++) {
        nb_distances_to(topology, target, distance, queue);
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

/* Turns hops into inner products around the centre of gravity, whose main
 * axes are those of classical scaling. */
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

/* The main axis by power iteration, times the root of its eigenvalue; taken
 * out of product. next: [n] scratch. */
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

/* Moves each router in turn to the mean of where the others want it. */
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

/* Mirrored so that router 0 is at the left and above the middle, where reading
 * begins. */
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
        /* Routers at one place would stay there. */
        place[i].x = axis[i] + 0.01 * cos((double)i);
        place[i].y = axis[n + i] + 0.01 * sin((double)i);
    }
    for (int round = 0; round < SPREAD_ROUNDS; round++)
        spread_relax(hops, n, place);
    spread_turn(n, place);
}

enum nb_status nb_place_spread(const struct nb_topology *topology,
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
    *is_placed = nb_place_least_step(place, n) > spread_least_step;
done:
    nb_delete(hops);
    nb_delete(product);
    nb_delete(axis);
    nb_delete(distance);
    return status;
}
