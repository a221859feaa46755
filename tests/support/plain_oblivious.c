#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "plain_oblivious.h"

#include "bounds/linear/linear.h"
#include "core/memory.h"
#include "topology/metrics.h"

#include <math.h>

enum { MOST_PATHS = 4000, MOST_HOPS = 16 };

struct plain_path {
    size_t source, destination;
    size_t length;
    uint32_t channel[MOST_HOPS];
};

struct plain_work {
    const struct plain_oblivious *plain;
    struct nb_linear *linear;
    struct plain_path
        *path; /* [path_count], by pair; the index is its variable */
    size_t path_count;
    size_t *first; /* [pair + 1] of path */
    double *entry; /* [variables] a row under construction */
    size_t *place; /* [variables] */
    size_t column_count;
};

static size_t plain_row_dual(const struct plain_work *work, size_t channel,
                             size_t router)
{
    const size_t n = work->plain->topology->router_count;
    return work->path_count + channel * 2 * n + router;
}

static size_t plain_column_dual(const struct plain_work *work, size_t channel,
                                size_t router)
{
    const size_t n = work->plain->topology->router_count;
    return plain_row_dual(work, channel, n + router);
}

/* Which of two coordinates a channel changes. */
static bool plain_is_second(const struct nb_topology *topology,
                            uint32_t channel)
{
    const struct nb_channel *at = &topology->channels[channel];
    return nb_grid_coordinate(&topology->grid, at->source, 0) ==
           nb_grid_coordinate(&topology->grid, at->target, 0);
}

static bool plain_permits(const struct plain_oblivious *plain,
                          const struct plain_path *path, uint32_t distance)
{
    size_t turns = 0;
    if (plain->paths == NB_PATHS_MINIMAL)
        return path->length == distance;
    if (plain->paths == NB_PATHS_STRETCH)
        return (double)path->length <= plain->stretch * distance + 1e-9;
    if (plain->paths == NB_PATHS_ANY)
        return true;
    for (size_t i = 1; i < path->length; i++)
        turns += plain_is_second(plain->topology, path->channel[i]) !=
                 plain_is_second(plain->topology, path->channel[i - 1]);
    return turns <= 2;
}

/* Depth first from a router on. */
static void plain_search(struct plain_work *work, struct plain_path *path,
                         uint32_t router, uint32_t distance, bool *is_met)
{
    const struct nb_topology *topology = work->plain->topology;
    if (router == path->destination) {
        assert_true(work->path_count < MOST_PATHS);
        if (plain_permits(work->plain, path, distance))
            work->path[work->path_count++] = *path;
        return;
    }
    assert_true(path->length < MOST_HOPS);
    is_met[router] = true;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        if (is_met[topology->channels[c].target])
            continue;
        path->channel[path->length++] = c;
        plain_search(work, path, topology->channels[c].target, distance,
                     is_met);
        path->length--;
    }
    is_met[router] = false;
}

static void plain_list_paths(struct plain_work *work)
{
    const struct nb_topology *topology = work->plain->topology;
    const size_t n = topology->router_count;
    uint32_t *distance = nb_new_array(n, sizeof *distance);
    uint32_t *queue = nb_new_array(n, sizeof *queue);
    bool *is_met = nb_new_array(n, sizeof *is_met);
    assert_true(distance != NULL && queue != NULL && is_met != NULL);
    for (size_t p = 0; p < n * n; p++) {
        struct plain_path path = { .source = p / n, .destination = p % n };
        work->first[p] = work->path_count;
        if (p / n == p % n || topology->terminals[p / n] == 0 ||
            topology->terminals[p % n] == 0)
            continue;
        nb_distances_to(topology, (uint32_t)(p % n), distance, queue);
        plain_search(work, &path, (uint32_t)(p / n), distance[p / n], is_met);
    }
    work->first[n * n] = work->path_count;
    nb_delete(distance);
    nb_delete(queue);
    nb_delete(is_met);
}

/* Adds the row of the entries that are not 0, and clears them. */
static void plain_add_row(struct plain_work *work, enum nb_linear_sense sense,
                          double right)
{
    size_t count = 0;
    for (size_t j = 0; j < work->column_count; j++) {
        if (work->entry[j] == 0)
            continue;
        work->place[count] = j;
        work->entry[count++] = work->entry[j];
    }
    assert_int_equal(nb_linear_add_row(work->linear, sense, right, count,
                                       work->place, work->entry, NULL, NULL),
                     NB_OK);
    for (size_t j = 0; j < work->column_count; j++)
        work->entry[j] = 0;
}

static void plain_add_pair(struct plain_work *work, size_t pair)
{
    const struct nb_topology *topology = work->plain->topology;
    const size_t n = topology->router_count;
    const size_t first = work->first[pair], end = work->first[pair + 1];
    if (first == end)
        return;
    for (size_t p = first; p < end; p++)
        work->entry[p] = 1;
    plain_add_row(work, NB_EQUAL, 1);
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        bool is_crossed = false;
        for (size_t p = first; p < end; p++)
            for (size_t i = 0; i < work->path[p].length; i++)
                if (work->path[p].channel[i] == c)
                    work->entry[p] = is_crossed = true;
        if (!is_crossed)
            continue;
        work->entry[plain_row_dual(work, c, pair / n)] = -1;
        work->entry[plain_column_dual(work, c, pair % n)] = -1;
        plain_add_row(work, NB_AT_MOST, 0);
    }
}

static void plain_add_columns(struct plain_work *work, bool has_hops)
{
    const struct nb_topology *topology = work->plain->topology;
    const double all = (double)topology->terminal_count;
    for (size_t k = 0; k < work->column_count; k++) {
        double cost = !has_hops && k + 1 == work->column_count;
        if (has_hops && k < work->path_count)
            cost = topology->terminals[work->path[k].source] *
                   (double)topology->terminals[work->path[k].destination] *
                   (double)work->path[k].length / (all * all);
        assert_int_equal(nb_linear_add_column(work->linear, cost, INFINITY, 0,
                                              NULL, NULL, NULL, NULL),
                         NB_OK);
    }
}

/* Loads are below most_load or, if that is NAN, below the last variable. */
static void plain_add_loads(struct plain_work *work, double most_load)
{
    const struct nb_topology *topology = work->plain->topology;
    for (size_t c = 0; c < topology->channel_count; c++) {
        const double bandwidth =
            nb_ratio_value(topology->channels[c].bandwidth);
        for (size_t r = 0; r < topology->router_count; r++) {
            work->entry[plain_row_dual(work, c, r)] =
                work->plain->rate * topology->terminals[r];
            work->entry[plain_column_dual(work, c, r)] = topology->terminals[r];
        }
        if (isnan(most_load))
            work->entry[work->column_count - 1] = -bandwidth;
        plain_add_row(work, NB_AT_MOST,
                      isnan(most_load) ? 0 : bandwidth * most_load);
    }
}

static double plain_solve(const struct plain_oblivious *plain, double most_load)
{
    const size_t n = plain->topology->router_count;
    struct plain_work work = { .plain = plain };
    enum nb_linear_end end;
    work.path = nb_new_array(MOST_PATHS, sizeof *work.path);
    work.first = nb_new_array(n * n + 1, sizeof *work.first);
    assert_true(work.path != NULL && work.first != NULL);
    plain_list_paths(&work);
    work.column_count =
        plain_row_dual(&work, plain->topology->channel_count, 0) + 1;
    work.entry = nb_new_array(work.column_count, sizeof *work.entry);
    work.place = nb_new_array(work.column_count, sizeof *work.place);
    assert_true(work.entry != NULL && work.place != NULL);
    assert_int_equal(nb_linear_new(&work.linear, NULL), NB_OK);
    plain_add_columns(&work, !isnan(most_load));
    for (size_t pair = 0; pair < n * n; pair++)
        plain_add_pair(&work, pair);
    plain_add_loads(&work, most_load);
    assert_int_equal(
        nb_linear_solve(work.linear, NB_LINEAR_DUAL, INFINITY, &end, NULL),
        NB_OK);
    assert_true(end == NB_LINEAR_OPTIMAL || end == NB_LINEAR_INFEASIBLE);
    const double least =
        end == NB_LINEAR_OPTIMAL ? nb_linear_objective(work.linear) : INFINITY;
    nb_linear_release(&work.linear);
    nb_delete(work.path);
    nb_delete(work.first);
    nb_delete(work.entry);
    nb_delete(work.place);
    return least;
}

double plain_oblivious_load(const struct plain_oblivious *plain)
{
    return plain_solve(plain, NAN);
}

double plain_oblivious_hops(const struct plain_oblivious *plain,
                            double most_load)
{
    return plain_solve(plain, most_load);
}
