/* Plain programs: optimal routing without symmetry or column generation, in
 * flows over channels. */
#ifndef NB_BENCH_PLAIN_PROGRAM_H
#define NB_BENCH_PLAIN_PROGRAM_H

#include "bounds/linear/linear.h"
#include "core/memory.h"
#include "groups.h"
#include "traffic/traffic.h"

/* A plain program is given up after this many seconds. */
static const double plain_patience = 60;

/* One row of a plain program under construction. */
struct plain_row {
    size_t count;
    size_t *place;
    double *value;
};

static inline void plain_put(struct plain_row *row, size_t place, double value)
{
    row->place[row->count] = place;
    row->value[row->count++] = value;
}

static inline void plain_add(struct nb_linear *linear,
                             enum nb_linear_sense sense, double right,
                             struct plain_row *row)
{
    struct nb_error err = { 0 };
    groups_must(nb_linear_add_row(linear, sense, right, row->count, row->place,
                                  row->value, NULL, &err),
                &err);
    row->count = 0;
}

/* A program with the given number of variables; minimises the last one. */
static inline struct nb_linear *plain_begin(size_t variables,
                                            struct plain_row *row)
{
    struct nb_error err = { 0 };
    struct nb_linear *linear = NULL;
    groups_must(nb_linear_new(&linear, &err), &err);
    for (size_t x = 0; x < variables; x++)
        groups_must(nb_linear_add_column(linear, x + 1 == variables, INFINITY,
                                         0, NULL, NULL, NULL, &err),
                    &err);
    *row = (struct plain_row){ 0 };
    groups_must(nb_new(&row->place, variables, sizeof(size_t), "row", &err),
                &err);
    groups_must(nb_new(&row->value, variables, sizeof(double), "row", &err),
                &err);
    return linear;
}

/* Solves and releases it; NaN if time runs out. */
static inline double plain_end(struct nb_linear *linear, struct plain_row *row)
{
    struct nb_error err = { 0 };
    enum nb_linear_end end;
    groups_must(
        nb_linear_solve(linear, NB_LINEAR_PRIMAL, plain_patience, &end, &err),
        &err);
    const double least =
        end == NB_LINEAR_OPTIMAL ? nb_linear_objective(linear) : (double)NAN;
    nb_delete(row->place);
    nb_delete(row->value);
    nb_linear_release(&linear);
    return least;
}

/* The outflow of router r, among the flows from first on (one per channel),
 * exceeds its inflow by excess. */
static inline void plain_conserve(const struct nb_topology *topology,
                                  struct nb_linear *linear, size_t first,
                                  uint32_t r, double excess,
                                  struct plain_row *row)
{
    for (uint32_t c = topology->out_start[r]; c < topology->out_start[r + 1];
         c++)
        plain_put(row, first + c, 1);
    for (uint32_t k = topology->in_start[r]; k < topology->in_start[r + 1]; k++)
        plain_put(row, first + topology->in_channel[k], -1);
    plain_add(linear, NB_EQUAL, excess, row);
}

/* The least worst-case load of one terminal at each router: a flow for every
 * pair, u and v for every channel and router, the load. */
static inline double plain_worst(const struct nb_topology *topology)
{
    const size_t n = topology->router_count;
    const size_t channels = topology->channel_count;
    const size_t dual = n * n * channels, load = dual + 2 * n * channels;
    struct plain_row row;
    struct nb_linear *linear = plain_begin(load + 1, &row);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t r = 0; r < n && i != j; r++)
                if (r != j)
                    plain_conserve(topology, linear, (i * n + j) * channels, r,
                                   r == i, &row);
    for (size_t c = 0; c < channels; c++) {
        const size_t u = dual + 2 * n * c, v = u + n;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                plain_put(&row, (i * n + j) * channels + c, 1);
                plain_put(&row, u + i, -1);
                plain_put(&row, v + j, -1);
                plain_add(linear, NB_AT_MOST, 0, &row);
            }
        for (size_t i = 0; i < 2 * n; i++)
            plain_put(&row, u + i, 1);
        plain_put(&row, load, -nb_ratio_value(topology->channels[c].bandwidth));
        plain_add(linear, NB_AT_MOST, 0, &row);
    }
    return plain_end(linear, &row);
}

/* The least load of a traffic: a flow for every source, and the load. */
static inline double plain_flow(const struct nb_topology *topology,
                                const struct nb_traffic *traffic)
{
    const size_t n = topology->router_count;
    const size_t channels = topology->channel_count;
    const size_t load = n * channels;
    struct nb_error err = { 0 };
    struct plain_row row;
    struct nb_linear *linear = plain_begin(load + 1, &row);
    uint64_t *rate = NULL;
    groups_must(nb_new(&rate, n, sizeof *rate, "rates", &err), &err);
    for (uint32_t r = 0; r < n; r++) {
        groups_must(nb_traffic_column(traffic, topology, r, rate, &err), &err);
        for (size_t i = 0; i < n; i++)
            if (i != r)
                plain_conserve(topology, linear, i * channels, r,
                               -(double)rate[i] / (double)traffic->denominator,
                               &row);
    }
    nb_delete(rate);
    for (size_t c = 0; c < channels; c++) {
        for (size_t i = 0; i < n; i++)
            plain_put(&row, i * channels + c, 1);
        plain_put(&row, load, -nb_ratio_value(topology->channels[c].bandwidth));
        plain_add(linear, NB_AT_MOST, 0, &row);
    }
    return plain_end(linear, &row);
}

#endif
