#include "bounds/worst_case/unbalanced_case.h"

#include "bounds/worst_case/worst_case.h"
#include "core/memory.h"
#include "load/focus.h"

/* The tasks of one batch: task i solves the i-th matrix. */
struct case_batch {
    const struct nb_topology *topology;
    struct nb_unbalanced_case *whole;
    size_t first; /* bound of the first matrix */
    struct nb_pair_loads *loads;
    /* [i] flows of a matrix solved exactly; they are owned, no duals. */
    struct nb_unbalanced *answer;
    struct nb_ratio best; /* least rate met before this batch */
};

void nb_unbalanced_case_release(struct nb_unbalanced_case *unbalanced)
{
    for (size_t b = 0; b < unbalanced->bound_count; b++) {
        nb_delete(unbalanced->bounds[b].row);
        nb_delete(unbalanced->bounds[b].column);
    }
    nb_delete(unbalanced->bounds);
    nb_delete(unbalanced->flows);
    nb_sides_release(&unbalanced->sides);
    *unbalanced = (struct nb_unbalanced_case){ 0 };
}

static struct nb_ratio case_bandwidth(const struct case_batch *batch,
                                      const struct nb_unbalanced_bound *bound)
{
    return batch->topology->channels[bound->channel].bandwidth;
}

static int64_t case_sum(size_t n, const int64_t *value)
{
    int64_t sum = 0; /* at most n times the largest weight, below 2^62 */
    for (size_t k = 0; k < n; k++)
        sum += value[k];
    return sum;
}

/* Solves one channel for weights rounded up or exact and moves the duals to
 * its bound. */
static enum nb_status case_solve(const struct case_batch *batch,
                                 const struct nb_case_weights *weights,
                                 struct nb_ratio capacity,
                                 struct nb_unbalanced_bound *bound,
                                 struct nb_unbalanced *answer,
                                 struct nb_error *err)
{
    const enum nb_status status =
        nb_unbalanced_rate(weights->n, weights->weight, capacity,
                           batch->whole->overload, answer, err);
    if (status != NB_OK)
        return status;
    bound->row = answer->row_dual;
    bound->column = answer->column_dual;
    answer->row_dual = answer->column_dual = NULL;
    bound->rate = nb_case_rate(
        case_bandwidth(batch, bound), bound->denominator,
        batch->whole->sides.multiplicity, case_sum(weights->n, bound->row),
        case_sum(weights->n, bound->column), batch->whole->overload);
    return NB_OK;
}

/* Whether row maxima alone show that a channel is not the worst; they give
 * the rate then. */
static bool case_is_beaten(const struct case_batch *batch,
                           const struct nb_case_weights *weights,
                           struct nb_unbalanced_bound *bound)
{
    if (batch->first == 0)
        return false;
    bound->denominator = weights->denominator;
    bound->rate =
        nb_case_rate(case_bandwidth(batch, bound), weights->denominator,
                     batch->whole->sides.multiplicity,
                     nb_case_row_maxima(weights), 0, batch->whole->overload);
    return nb_ratio_compare(bound->rate, batch->best) >= 0;
}

/* Solves a channel in exact numbers if they fit; bound->is_exact tells. */
static enum nb_status case_run_exact(const struct case_batch *batch,
                                     size_t index,
                                     struct nb_unbalanced_bound *bound,
                                     struct nb_error *err)
{
    const struct nb_ratio bandwidth = case_bandwidth(batch, bound);
    const uint32_t p = batch->whole->sides.multiplicity;
    struct nb_case_weights weights = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_case_weights_copy(&batch->loads[index], bandwidth, p, &weights,
                                err));
    bound->is_exact = weights.weight != NULL;
    if (!bound->is_exact || case_is_beaten(batch, &weights, bound))
        goto done;
    bound->denominator = weights.denominator;
    NB_TRY(case_solve(batch, &weights,
                      nb_case_bound(bandwidth, bound->denominator, p), bound,
                      &batch->answer[index], err));
done:
    nb_case_weights_release(&weights);
    return status;
}

static enum nb_status case_run_rounded(const struct case_batch *batch,
                                       size_t index,
                                       struct nb_unbalanced_bound *bound,
                                       struct nb_error *err)
{
    const struct nb_pair_loads *loads = &batch->loads[index];
    struct nb_case_weights weights = { 0 };
    struct nb_unbalanced answer = { 0 };
    enum nb_status status = NB_OK;
    bound->denominator = nb_case_scale(loads);
    NB_TRY(nb_case_weights_round(loads, bound->denominator, NB_CASE_WELL_UP,
                                 &weights, err));
    if (case_is_beaten(batch, &weights, bound))
        goto done;
    NB_TRY(case_solve(
        batch, &weights,
        nb_case_whole_bound(case_bandwidth(batch, bound), bound->denominator,
                            batch->whole->sides.multiplicity, NB_CASE_DOWN),
        bound, &answer, err));
done:
    nb_case_weights_release(&weights);
    nb_unbalanced_release(&answer);
    return status;
}

static enum nb_status case_task(void *context, int thread, size_t index,
                                struct nb_error *err)
{
    (void)thread;
    const struct case_batch *batch = context;
    struct nb_unbalanced_bound *bound =
        &batch->whole->bounds[batch->first + index];
    const enum nb_status status = case_run_exact(batch, index, bound, err);
    if (status != NB_OK || bound->is_exact)
        return status;
    return case_run_rounded(batch, index, bound, err);
}

/* Flows for a worst channel whose weights had to be rounded. */
static enum nb_status case_find_flows(const struct case_batch *batch,
                                      size_t index, struct nb_error *err)
{
    const struct nb_unbalanced_bound *bound =
        &batch->whole->bounds[batch->first + index];
    struct nb_case_weights weights = { 0 };
    struct nb_unbalanced *answer = &batch->answer[index];
    enum nb_status status = NB_OK;
    NB_TRY(nb_case_weights_round(&batch->loads[index], bound->denominator,
                                 NB_CASE_DOWN, &weights, err));
    NB_TRY(nb_unbalanced_rate(
        weights.n, weights.weight,
        nb_case_whole_bound(case_bandwidth(batch, bound), bound->denominator,
                            batch->whole->sides.multiplicity, NB_CASE_UP),
        batch->whole->overload, answer, err));
done:
    nb_case_weights_release(&weights);
    return status;
}

/* Notes the worst channel so far, so that the next batches skip the others. */
static enum nb_status case_take_best(struct case_batch *batch, size_t count,
                                     struct nb_error *err)
{
    struct nb_unbalanced_case *whole = batch->whole;
    const size_t all = whole->bound_count;
    enum nb_status status = NB_OK;
    whole->bound_count = batch->first + count;
    nb_unbalanced_case_conclude(whole);
    whole->bound_count = all;
    batch->best = whole->bounds[whole->worst].rate;
    if (whole->worst < batch->first)
        return NB_OK;
    const size_t index = whole->worst - batch->first;
    struct nb_unbalanced *answer = &batch->answer[index];
    if (!whole->bounds[whole->worst].is_exact)
        NB_TRY(case_find_flows(batch, index, err));
    nb_delete(whole->flows);
    whole->flow_rate = answer->rate;
    whole->flow_count = answer->flow_count;
    whole->flows = answer->flows;
    answer->flows = NULL;
done:
    return status;
}

static enum nb_status case_run_batch(const struct nb_routing *routing,
                                     const struct nb_run *run,
                                     const struct nb_focus *focus,
                                     struct case_batch *batch, size_t count,
                                     struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_pair_loads_find(routing, count, focus->focus + batch->first, run,
                              batch->loads, err));
    for (size_t i = 0; i < count; i++)
        NB_TRY(nb_sides_expand(&batch->whole->sides, &batch->loads[i], err));
    NB_TRY(nb_run_tasks(run, "unbalanced rates", count, case_task, batch, err));
    NB_TRY(case_take_best(batch, count, err));
done:
    for (size_t i = 0; i < count; i++) {
        nb_pair_loads_release(&batch->loads[i]);
        nb_unbalanced_release(&batch->answer[i]);
    }
    return status;
}

static enum nb_status case_reserve(const struct nb_focus *focus,
                                   struct nb_unbalanced_case *out,
                                   struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&out->bounds, focus->focus_count, sizeof *out->bounds,
                  "unbalanced worst case", err));
    out->bound_count = focus->focus_count;
    for (size_t b = 0; b < focus->focus_count; b++) {
        out->bounds[b].channel = focus->focus[b];
        out->bounds[b].orbit_size = focus->orbit_size[b];
    }
done:
    return status;
}

/* One matrix; for each task its whole numbers, entries and flows. */
static enum nb_status case_require(const struct nb_sides *sides, int threads,
                                   struct nb_error *err)
{
    const double cells = (double)sides->count * (double)sides->count;
    return nb_memory_require(8 * cells * (1 + 5 * (double)threads),
                             "unbalanced worst case: one channel's pair loads",
                             err);
}

enum nb_status nb_unbalanced_case_find(const struct nb_routing *routing,
                                       enum nb_overload overload,
                                       const struct nb_run *run,
                                       struct nb_unbalanced_case *out,
                                       struct nb_error *err)
{
    struct nb_focus focus = { 0 };
    struct case_batch batch = { .whole = out };
    size_t size = 0;
    enum nb_status status = NB_OK;
    *out = (struct nb_unbalanced_case){ .overload = overload };
    NB_TRY(nb_routing_check(routing, err));
    batch.topology = routing->topology;
    NB_TRY(nb_sides_find(routing->topology, &out->sides, err));
    NB_TRY(case_require(&out->sides, 1, err));
    NB_TRY(nb_focus_find(routing, &focus, err));
    NB_TRY(case_reserve(&focus, out, err));
    size = nb_worst_batch_size(routing, &out->sides, focus.focus_count);
    NB_TRY(case_require(&out->sides, nb_run_threads(run, size), err));
    NB_TRY(nb_new(&batch.loads, size, sizeof *batch.loads, "batch", err));
    NB_TRY(nb_new(&batch.answer, size, sizeof *batch.answer, "batch", err));
    for (; batch.first < focus.focus_count; batch.first += size) {
        const size_t left = focus.focus_count - batch.first;
        NB_TRY(case_run_batch(routing, run, &focus, &batch,
                              left < size ? left : size, err));
    }
    nb_unbalanced_case_conclude(out);
done:
    nb_delete(batch.loads);
    nb_delete(batch.answer);
    nb_focus_release(&focus);
    if (status != NB_OK)
        nb_unbalanced_case_release(out);
    return status;
}
