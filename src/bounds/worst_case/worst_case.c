#include "bounds/worst_case/worst_case.h"

#include "bounds/matching/matching.h"
#include "core/memory.h"

#include <math.h>

/* Matrices held at once. */
#define WORST_BATCH_BYTES 0x1p30

/* The tasks of one batch: task i solves the i-th matrix. */
struct worst_batch {
    const struct nb_topology *topology;
    struct nb_worst_case *worst;
    size_t first; /* bound of the first matrix */
    struct nb_pair_loads *loads;
    uint32_t **permutation; /* [i] of a solved matrix; owned */
    struct nb_ratio best;   /* load per bandwidth met before this batch */
    double best_lower;
};

void nb_channel_bound_release(struct nb_channel_bound *bound)
{
    nb_delete(bound->row);
    nb_delete(bound->column);
    nb_delete(bound->row_value);
    nb_delete(bound->column_value);
    *bound = (struct nb_channel_bound){ 0 };
}

void nb_worst_case_release(struct nb_worst_case *worst)
{
    for (size_t b = 0; b < worst->bound_count; b++)
        nb_channel_bound_release(&worst->bounds[b]);
    nb_delete(worst->bounds);
    nb_delete(worst->permutation);
    nb_sides_release(&worst->sides);
    *worst = (struct nb_worst_case){ 0 };
}

bool nb_channel_bound_has_duals(const struct nb_channel_bound *bound)
{
    return bound->row != NULL || bound->row_value != NULL;
}

enum nb_status nb_channel_bound_reserve(struct nb_channel_bound *bound,
                                        size_t sides, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (bound->is_exact) {
        NB_TRY(nb_new(&bound->row, sides, sizeof(int64_t), "duals", err));
        NB_TRY(nb_new(&bound->column, sides, sizeof(int64_t), "duals", err));
    } else {
        NB_TRY(nb_new(&bound->row_value, sides, sizeof(double), "duals", err));
        NB_TRY(
            nb_new(&bound->column_value, sides, sizeof(double), "duals", err));
    }
done:
    return status;
}

/* Doubles: raises the row duals until they truly lie above every cell's upper
 * bound, whatever rounding did to them. */
static void worst_repair(const struct nb_pair_loads *loads,
                         struct nb_channel_bound *bound)
{
    for (size_t i = 0; i < loads->n; i++) {
        double most = 0;
        for (size_t j = 0; j < loads->n; j++) {
            const double need =
                nb_pair_load_upper(loads, i, j) - bound->column_value[j];
            most = need > most ? need : most;
        }
        /* The difference rounds, but keeps its sign. */
        bound->row_value[i] = most > 0 ? nextafter(most, INFINITY) : 0;
    }
}

/* Duals and permutation of a separable matrix: its own terms, and any. */
static void worst_solve_separable(const struct nb_pair_loads *loads,
                                  struct nb_channel_bound *bound,
                                  uint32_t *permutation)
{
    for (size_t i = 0; i < loads->n; i++) {
        permutation[i] = (uint32_t)i;
        if (loads->is_exact) {
            bound->row[i] = loads->weight[i];
            bound->column[i] = loads->weight[loads->n + i];
        } else {
            bound->column_value[i] = loads->value[loads->n + i];
        }
    }
}

static enum nb_status worst_solve(const struct nb_pair_loads *loads,
                                  struct nb_channel_bound *bound,
                                  uint32_t *permutation, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    int64_t total;
    double value;
    NB_TRY(nb_channel_bound_reserve(bound, loads->n, err));
    if (loads->is_separable)
        worst_solve_separable(loads, bound, permutation);
    else if (loads->is_exact)
        NB_TRY(nb_matching_integer(loads->n, loads->weight, permutation,
                                   bound->row, bound->column, &total, err));
    else
        NB_TRY(nb_matching_double(loads->n, loads->value, permutation,
                                  bound->row_value, bound->column_value, &value,
                                  err));
    if (!loads->is_exact) {
        const struct nb_pair_loads wide = nb_pair_loads_widen(loads);
        worst_repair(&wide, bound);
    }
done:
    return status;
}

/* Whether a channel's maxima alone show that it is not the worst. */
static bool worst_is_beaten(const struct worst_batch *batch,
                            const struct nb_channel_bound *bound)
{
    const struct nb_ratio bandwidth =
        batch->topology->channels[bound->channel].bandwidth;
    const struct nb_ratio share = nb_ratio_divide(bound->load, bandwidth);
    if (nb_ratio_is_known(share) && nb_ratio_is_known(batch->best))
        return nb_ratio_compare(share, batch->best) <= 0;
    return bound->upper / nb_ratio_value(bandwidth) * (1 + 0x1p-51) <
           batch->best_lower;
}

static enum nb_status worst_task(void *context, int thread, size_t index,
                                 struct nb_error *err)
{
    (void)thread;
    const struct worst_batch *batch = context;
    const struct nb_pair_loads *loads = &batch->loads[index];
    const uint32_t multiplicity = batch->worst->sides.multiplicity;
    struct nb_channel_bound *bound =
        &batch->worst->bounds[batch->first + index];
    struct nb_ratio exact;
    double upper;
    enum nb_status status = NB_OK;
    bound->is_exact = loads->is_exact;
    bound->denominator = loads->denominator;
    if (batch->first > 0) {
        const struct nb_pair_loads wide = nb_pair_loads_widen(loads);
        NB_TRY(nb_bound_by_maxima(&wide, multiplicity, &bound->load,
                                  &bound->upper, err));
        if (worst_is_beaten(batch, bound))
            return NB_OK;
    }
    NB_TRY(nb_new(&batch->permutation[index], loads->n, sizeof(uint32_t),
                  "permutation", err));
    NB_TRY(worst_solve(loads, bound, batch->permutation[index], err));
    nb_bound_by_duals(bound, loads->n, multiplicity, &bound->load,
                      &bound->upper);
    nb_load_of_permutation(loads, batch->permutation[index], multiplicity,
                           &exact, &bound->lower, &upper);
done:
    return status;
}

/* Notes the worst channel so far, so that the next batches skip the others. */
static void worst_take_best(struct worst_batch *batch, size_t count)
{
    struct nb_worst_case *worst = batch->worst;
    const size_t all = worst->bound_count;
    worst->bound_count = batch->first + count;
    nb_worst_case_conclude(batch->topology, worst);
    worst->bound_count = all;
    if (worst->worst >= batch->first) {
        nb_delete(worst->permutation);
        worst->permutation = batch->permutation[worst->worst - batch->first];
        batch->permutation[worst->worst - batch->first] = NULL;
    }
    const struct nb_ratio bandwidth =
        batch->topology->channels[worst->bounds[worst->worst].channel]
            .bandwidth;
    batch->best = nb_ratio_divide(worst->load, bandwidth);
    batch->best_lower =
        worst->load_lower / nb_ratio_value(bandwidth) * (1 - 0x1p-51);
}

static enum nb_status worst_run_batch(const struct nb_routing *routing,
                                      const struct nb_run *run,
                                      const struct nb_focus *focus,
                                      struct worst_batch *batch, size_t count,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_pair_loads_find(routing, count, focus->focus + batch->first, run,
                              batch->loads, err));
    for (size_t i = 0; i < count; i++)
        NB_TRY(nb_sides_expand(&batch->worst->sides, &batch->loads[i], err));
    NB_TRY(nb_run_tasks(run, "matchings", count, worst_task, batch, err));
    worst_take_best(batch, count);
done:
    for (size_t i = 0; i < count; i++) {
        nb_pair_loads_release(&batch->loads[i]);
        nb_delete(batch->permutation[i]);
        batch->permutation[i] = NULL;
    }
    return status;
}

size_t nb_worst_batch_size(const struct nb_routing *routing,
                           const struct nb_sides *sides, size_t focus_count)
{
    const double most =
        fmax(1, WORST_BATCH_BYTES / nb_sides_bytes(sides, routing, 1));
    return most < (double)focus_count ? (size_t)most : focus_count;
}

enum nb_status nb_worst_case_find(const struct nb_routing *routing,
                                  const struct nb_run *run,
                                  struct nb_worst_case *out,
                                  struct nb_error *err)
{
    struct nb_focus focus = { 0 };
    struct worst_batch batch = { .worst = out };
    size_t size = 0;
    enum nb_status status = NB_OK;
    *out = (struct nb_worst_case){ 0 };
    NB_TRY(nb_routing_check(routing, err));
    batch.topology = routing->topology;
    NB_TRY(nb_sides_find(routing->topology, &out->sides, err));
    /* One matrix and what its matching needs beside it. */
    NB_TRY(nb_memory_require(1.5 * nb_sides_bytes(&out->sides, routing, 1),
                             "worst case: one channel's pair loads", err));
    NB_TRY(nb_focus_find(routing, &focus, err));
    NB_TRY(nb_new(&out->bounds, focus.focus_count, sizeof *out->bounds,
                  "worst case", err));
    out->bound_count = focus.focus_count;
    for (size_t b = 0; b < focus.focus_count; b++) {
        out->bounds[b].channel = focus.focus[b];
        out->bounds[b].orbit_size = focus.orbit_size[b];
    }
    size = nb_worst_batch_size(routing, &out->sides, focus.focus_count);
    NB_TRY(nb_new(&batch.loads, size, sizeof *batch.loads, "batch", err));
    NB_TRY(nb_new(&batch.permutation, size, sizeof *batch.permutation, "batch",
                  err));
    for (; batch.first < focus.focus_count; batch.first += size) {
        const size_t left = focus.focus_count - batch.first;
        NB_TRY(worst_run_batch(routing, run, &focus, &batch,
                               left < size ? left : size, err));
    }
    nb_worst_case_conclude(routing->topology, out);
done:
    nb_delete(batch.loads);
    nb_delete(batch.permutation);
    nb_focus_release(&focus);
    if (status != NB_OK)
        nb_worst_case_release(out);
    return status;
}
