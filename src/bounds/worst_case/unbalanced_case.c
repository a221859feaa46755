#include "bounds/worst_case/unbalanced_case.h"

#include "bounds/worst_case/channel_check.h"
#include "bounds/worst_case/worst_case.h"
#include "core/deal.h"
#include "core/memory.h"
#include "load/focus.h"

#include <inttypes.h>
#include <math.h>

/* A channel's loads as whole numbers over denominator; weight is borrowed from
 * the pair loads or owned. */
struct case_weights {
    size_t n;
    int64_t denominator;
    const int64_t *weight; /* [n * n], each 0 .. (2^62 - 1) / n */
    int64_t *owned;
};

enum case_rounding {
    CASE_DOWN,    /* no weight above the load */
    CASE_UP,      /* no weight below the load */
    CASE_WELL_UP, /* nor below CASE_UP's of any channel in the orbit */
};

/* Shared by solving and checking unbalanced worst cases. */

/* Largest weight of n x n matrices that nb_unbalanced_rate takes. */
static int64_t weights_limit(size_t n)
{
    return (((int64_t)1 << 62) - 1) / (int64_t)n;
}

/* bandwidth * denominator / multiplicity; unknown if it does not fit. */
static struct nb_ratio case_bound(struct nb_ratio bandwidth,
                                  int64_t denominator, uint32_t multiplicity)
{
    return nb_ratio_make((nb_int128)bandwidth.numerator * denominator,
                         (nb_int128)bandwidth.denominator * multiplicity);
}

/* Whether weights are in range and rates found from them fit. */
static bool weights_fit(const struct nb_pair_loads *loads,
                        struct nb_ratio bandwidth, uint32_t multiplicity)
{
    const int64_t limit = weights_limit(loads->n);
    const struct nb_ratio bound =
        case_bound(bandwidth, loads->denominator, multiplicity);
    int64_t rows = 0;
    for (size_t i = 0; i < loads->n; i++) {
        int64_t most = 0;
        for (size_t j = 0; j < loads->n; j++) {
            const int64_t weight = nb_pair_load_weight(loads, i, j);
            most = weight > most ? weight : most;
        }
        if (most > limit)
            return false;
        rows += most;
    }
    return nb_ratio_is_known(bound) &&
           (nb_int128)rows * bound.denominator <= INT64_MAX;
}

/*
 * Exact loads unchanged; out->weight stays NULL if they are not exact or rates
 * found from them might not fit in 64 bits. With the bound q/r of case_bound
 * and duals of row sum U and column sum V, such a rate is
 *
 *     (q - V r) / (U r),   0 <= q - V r <= q
 *
 * and U is at most the sum R of the row maxima, with which nb_unbalanced_rate
 * starts: all fit if q/r does and R r < 2^63.
 *
 * Errors: NB_NO_MEMORY.
 */
static enum nb_status case_weights_copy(const struct nb_pair_loads *loads,
                                        struct nb_ratio bandwidth,
                                        uint32_t multiplicity,
                                        struct case_weights *out,
                                        struct nb_error *err)
{
    const size_t n = loads->n;
    *out = (struct case_weights){ .n = n, .denominator = loads->denominator };
    if (!loads->is_exact || !weights_fit(loads, bandwidth, multiplicity))
        return NB_OK;
    out->weight = loads->weight;
    if (!loads->is_separable)
        return NB_OK;
    const enum nb_status status =
        nb_new(&out->owned, n * n, sizeof *out->owned, "weights", err);
    for (size_t i = 0; i < n && status == NB_OK; i++)
        for (size_t j = 0; j < n; j++)
            out->owned[i * n + j] = nb_pair_load_weight(loads, i, j);
    out->weight = out->owned;
    return status;
}

/* Channels of an orbit have the same loads, but each computed value has a
 * relative error; the rest covers the roundings here. */
static double weights_value(const struct nb_pair_loads *loads, size_t i,
                            size_t j, enum case_rounding rounding)
{
    if (rounding == CASE_DOWN)
        return nb_pair_load_lower(loads, i, j);
    const double upper = nb_pair_load_upper(loads, i, j);
    return rounding == CASE_UP
               ? upper
               : upper * (1 + 4 * loads->relative_error + 0x1p-48);
}

/* The greatest power of two that keeps loads, rounded WELL_UP, in range. */
static int64_t case_scale(const struct nb_pair_loads *loads)
{
    double most = 0;
    int exponent;
    for (size_t i = 0; i < loads->n; i++)
        for (size_t j = 0; j < loads->n; j++)
            most = fmax(most, weights_value(loads, i, j, CASE_WELL_UP));
    /* Twice the scale must leave n (most + 1) below 2^62. */
    frexp(most * (double)loads->n, &exponent);
    const int shift = 60 - exponent;
    return (int64_t)1 << (shift < 0 ? 0 : shift > 60 ? 60 : shift);
}

/* Loads rounded to multiples of 1/denominator, a power of two up to twice
 * case_scale. Errors: NB_NO_MEMORY. */
static enum nb_status case_weights_round(const struct nb_pair_loads *loads,
                                         int64_t denominator,
                                         enum case_rounding rounding,
                                         struct case_weights *out,
                                         struct nb_error *err)
{
    const size_t n = loads->n;
    *out = (struct case_weights){ .n = n, .denominator = denominator };
    const enum nb_status status =
        nb_new(&out->owned, n * n, sizeof *out->owned, "weights", err);
    out->weight = out->owned;
    for (size_t i = 0; i < n && status == NB_OK; i++) {
        for (size_t j = 0; j < n; j++) {
            /* The product is exact: a power of two. */
            const double value =
                weights_value(loads, i, j, rounding) * (double)denominator;
            out->owned[i * n + j] =
                (int64_t)(rounding == CASE_DOWN ? floor(value) : ceil(value));
        }
    }
    return status;
}

static void case_weights_release(struct case_weights *weights)
{
    nb_delete(weights->owned);
    *weights = (struct case_weights){ 0 };
}

/* Sum of the row maxima. */
static int64_t case_row_maxima(const struct case_weights *weights)
{
    int64_t sum = 0;
    for (size_t i = 0; i < weights->n; i++) {
        int64_t most = 0;
        for (size_t j = 0; j < weights->n; j++)
            if (weights->weight[i * weights->n + j] > most)
                most = weights->weight[i * weights->n + j];
        sum += most;
    }
    return sum;
}

/* Sum of the column maxima. scratch: [n] */
static int64_t case_column_maxima(const struct case_weights *weights,
                                  int64_t *scratch)
{
    const size_t n = weights->n;
    int64_t sum = 0;
    for (size_t j = 0; j < n; j++)
        scratch[j] = 0;
    for (size_t k = 0; k < n * n; k++)
        if (weights->weight[k] > scratch[k % n])
            scratch[k % n] = weights->weight[k];
    for (size_t j = 0; j < n; j++)
        sum += scratch[j];
    return sum;
}

/* case_bound as a whole number, rounded down or up, at most 2^62. */
static struct nb_ratio case_whole_bound(struct nb_ratio bandwidth,
                                        int64_t denominator,
                                        uint32_t multiplicity,
                                        enum case_rounding rounding)
{
    /* A bound of 2^62 is above every load, so larger ones add nothing. */
    const nb_int128 most = (nb_int128)1 << 62;
    const nb_int128 top = (nb_int128)bandwidth.numerator * denominator;
    const nb_int128 bottom = (nb_int128)bandwidth.denominator * multiplicity;
    nb_int128 whole = top / bottom;
    if (rounding != CASE_DOWN && top % bottom != 0)
        whole++;
    return (struct nb_ratio){ (int64_t)(whole < most ? whole : most), 1 };
}

static struct nb_ratio weights_rate(struct nb_ratio bound, int64_t rows,
                                    int64_t columns, enum nb_overload overload)
{
    if (!nb_ratio_is_known(bound))
        return bound;
    const nb_int128 left =
        (nb_int128)bound.numerator - (nb_int128)columns * bound.denominator;
    if (rows == 0)
        return left < 0 || (left == 0 && overload == NB_OVERLOAD_MEETS)
                   ? (struct nb_ratio){ -1, 1 }
                   : nb_ratio_infinity;
    return nb_ratio_make(left, (nb_int128)rows * bound.denominator);
}

struct nb_ratio nb_case_rate(struct nb_ratio bandwidth, int64_t denominator,
                             uint32_t multiplicity, int64_t rows,
                             int64_t columns, enum nb_overload overload)
{
    const struct nb_ratio rate =
        weights_rate(case_bound(bandwidth, denominator, multiplicity), rows,
                     columns, overload);
    return nb_ratio_is_known(rate)
               ? rate
               : weights_rate(case_whole_bound(bandwidth, denominator,
                                               multiplicity, CASE_DOWN),
                              rows, columns, overload);
}

/* Sets worst, and the overall rates from the bounds and flow_rate. */
static void unbalanced_case_conclude(struct nb_unbalanced_case *unbalanced)
{
    struct nb_unbalanced_case *u = unbalanced;
    u->worst = SIZE_MAX;
    for (size_t b = 0; b < u->bound_count; b++) {
        if (u->bounds[b].row == NULL)
            continue;
        if (u->worst == SIZE_MAX ||
            nb_ratio_compare(u->bounds[b].rate, u->bounds[u->worst].rate) < 0)
            u->worst = b;
    }
    const struct nb_unbalanced_bound *least = &u->bounds[u->worst];
    u->rate = nb_enclosure_of_ratio(least->rate);
    if (!least->is_exact) {
        u->rate.exact = (struct nb_ratio){ 0, 0 };
        u->rate.upper = nb_enclosure_of_ratio(u->flow_rate).upper;
    }
}

/* The tasks of one batch: task i solves the i-th matrix. */
struct case_batch {
    const struct nb_topology *topology;
    struct nb_unbalanced_case *whole;
    size_t first; /* bound of the first matrix */
    struct nb_pair_loads *loads;
    /* [i] flows of a solved matrix, owned; no duals. */
    struct nb_unbalanced *answer;
    struct nb_ratio best; /* least rate before this batch */
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
static enum nb_status
case_solve(const struct case_batch *batch, const struct case_weights *weights,
           struct nb_ratio capacity, struct nb_unbalanced_bound *bound,
           struct nb_unbalanced *answer, struct nb_error *err)
{
    const enum nb_status status =
        nb_unbalanced_rate(weights->n, weights->weight, capacity,
                           batch->whole->overload, answer, err);
    if (status != NB_OK)
        return status;
    bound->has_duals = true;
    bound->row = answer->row_dual;
    bound->column = answer->column_dual;
    answer->row_dual = answer->column_dual = NULL;
    bound->rate = nb_case_rate(
        case_bandwidth(batch, bound), bound->denominator,
        batch->whole->sides.multiplicity, case_sum(weights->n, bound->row),
        case_sum(weights->n, bound->column), batch->whole->overload);
    return NB_OK;
}

/* Whether row maxima are enough to show that a channel is not the worst; they
 * give the rate then. */
static bool case_is_beaten(const struct case_batch *batch,
                           const struct case_weights *weights,
                           struct nb_unbalanced_bound *bound)
{
    if (batch->first == 0)
        return false;
    bound->rate =
        nb_case_rate(case_bandwidth(batch, bound), weights->denominator,
                     batch->whole->sides.multiplicity, case_row_maxima(weights),
                     0, batch->whole->overload);
    return nb_ratio_compare(bound->rate, batch->best) >= 0;
}

/* Solves a channel, in exact numbers if they fit. */
static enum nb_status case_bound_channel(const struct case_batch *batch,
                                         size_t index, struct nb_error *err)
{
    const struct nb_pair_loads *loads = &batch->loads[index];
    struct nb_unbalanced_bound *bound =
        &batch->whole->bounds[batch->first + index];
    const struct nb_ratio bandwidth = case_bandwidth(batch, bound);
    const uint32_t p = batch->whole->sides.multiplicity;
    struct case_weights weights = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(case_weights_copy(loads, bandwidth, p, &weights, err));
    bound->is_exact = weights.weight != NULL;
    if (!bound->is_exact)
        NB_TRY(case_weights_round(loads, case_scale(loads), CASE_WELL_UP,
                                  &weights, err));
    bound->denominator = weights.denominator;
    if (!case_is_beaten(batch, &weights, bound))
        NB_TRY(case_solve(batch, &weights,
                          bound->is_exact
                              ? case_bound(bandwidth, weights.denominator, p)
                              : case_whole_bound(bandwidth, weights.denominator,
                                                 p, CASE_DOWN),
                          bound, &batch->answer[index], err));
done:
    case_weights_release(&weights);
    return status;
}

/* Packs what was found for a channel, or unpacks it. */
static enum nb_status case_pass(const struct case_batch *batch, size_t index,
                                const struct nb_packing *packing,
                                struct nb_error *err)
{
    struct nb_unbalanced_bound *bound =
        &batch->whole->bounds[batch->first + index];
    struct nb_unbalanced *answer = &batch->answer[index];
    const size_t n = batch->whole->sides.count;
    const bool is_here = bound->row != NULL; /* solved by this process */
    enum nb_status status = NB_OK;
    bound->is_exact = nb_pass_whole(packing, bound->is_exact) != 0;
    nb_pass(packing, &bound->denominator, sizeof bound->denominator);
    nb_pass(packing, &bound->rate, sizeof bound->rate);
    if (nb_pass_whole(packing, is_here) == 0)
        goto done;
    if (!is_here) {
        NB_TRY(nb_new(&bound->row, n, sizeof *bound->row, "duals", err));
        NB_TRY(nb_new(&bound->column, n, sizeof *bound->column, "duals", err));
    }
    nb_pass(packing, bound->row, n * sizeof *bound->row);
    nb_pass(packing, bound->column, n * sizeof *bound->column);
    nb_pass(packing, &answer->rate, sizeof answer->rate);
    answer->n = n;
    answer->flow_count =
        nb_pass_count(packing, answer->flow_count, sizeof *answer->flows);
    if (!is_here)
        NB_TRY(nb_new(&answer->flows, answer->flow_count, sizeof *answer->flows,
                      "flows", err));
    nb_pass(packing, answer->flows, answer->flow_count * sizeof *answer->flows);
done:
    return status;
}

static enum nb_status case_task(void *context, int thread, size_t index,
                                struct nb_text *result, struct nb_error *err)
{
    enum nb_status status;
    (void)thread;
    NB_TRY(case_bound_channel(context, index, err));
    status =
        case_pass(context, index, &(struct nb_packing){ .out = result }, err);
done:
    return status;
}

static enum nb_status case_take(void *context, size_t index,
                                struct nb_packed *result, bool *is_enough,
                                struct nb_error *err)
{
    (void)is_enough;
    return case_pass(context, index, &(struct nb_packing){ .in = result }, err);
}

/* Flows for a worst channel whose weights had to be rounded. */
static enum nb_status case_find_flows(const struct case_batch *batch,
                                      size_t index, struct nb_error *err)
{
    const struct nb_unbalanced_bound *bound =
        &batch->whole->bounds[batch->first + index];
    struct case_weights weights = { 0 };
    struct nb_unbalanced *answer = &batch->answer[index];
    enum nb_status status = NB_OK;
    nb_unbalanced_release(answer); /* flows of weights rounded up */
    NB_TRY(case_weights_round(&batch->loads[index], bound->denominator,
                              CASE_DOWN, &weights, err));
    NB_TRY(nb_unbalanced_rate(
        weights.n, weights.weight,
        case_whole_bound(case_bandwidth(batch, bound), bound->denominator,
                         batch->whole->sides.multiplicity, CASE_UP),
        batch->whole->overload, answer, err));
done:
    case_weights_release(&weights);
    return status;
}

/* Records the worst channel so far, so that the next batches can skip
 * others. */
static enum nb_status case_take_best(struct case_batch *batch, size_t count,
                                     struct nb_error *err)
{
    struct nb_unbalanced_case *whole = batch->whole;
    const size_t all = whole->bound_count;
    enum nb_status status = NB_OK;
    whole->bound_count = batch->first + count;
    unbalanced_case_conclude(whole);
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
    NB_TRY(nb_pair_loads_find(routing, count,
                              focus->channels.first + batch->first, run,
                              batch->loads, err));
    for (size_t i = 0; i < count; i++)
        NB_TRY(nb_sides_expand(&batch->whole->sides, &batch->loads[i], err));
    NB_TRY(nb_deal_tasks(run,
                         &(struct nb_tasks){ .what = "unbalanced rates",
                                             .count = count,
                                             .work = case_task,
                                             .take = case_take,
                                             .context = batch },
                         err));
    NB_TRY(case_take_best(batch, count, err));
done:
    for (size_t i = 0; i < count; i++) {
        nb_pair_loads_release(&batch->loads[i]);
        nb_unbalanced_release(&batch->answer[i]);
    }
    return status;
}

enum nb_status nb_unbalanced_bound_reserve(struct nb_unbalanced_bound *bound,
                                           size_t sides, struct nb_error *err)
{
    enum nb_status status;
    bound->has_duals = true;
    NB_TRY(nb_new(&bound->row, sides, sizeof *bound->row, "duals", err));
    NB_TRY(nb_new(&bound->column, sides, sizeof *bound->column, "duals", err));
done:
    return status;
}

static enum nb_status case_reserve(const struct nb_focus *focus,
                                   struct nb_unbalanced_case *out,
                                   struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&out->bounds, focus->channels.count, sizeof *out->bounds,
                  "unbalanced worst case", err));
    out->bound_count = focus->channels.count;
    for (size_t b = 0; b < focus->channels.count; b++) {
        const uint32_t c = focus->channels.first[b];
        out->bounds[b].channel = c;
        out->bounds[b].source = focus->topology->channels[c].source;
        out->bounds[b].target = focus->topology->channels[c].target;
        out->bounds[b].orbit_size = focus->channels.length[b];
    }
done:
    return status;
}

/* One matrix, and for each task its whole numbers, entries and flows. */
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
    size = nb_worst_batch_size(routing, &out->sides, focus.channels.count);
    NB_TRY(case_require(&out->sides, nb_run_threads(run, size), err));
    NB_TRY(nb_new(&batch.loads, size, sizeof *batch.loads, "batch", err));
    NB_TRY(nb_new(&batch.answer, size, sizeof *batch.answer, "batch", err));
    for (; batch.first < focus.channels.count; batch.first += size) {
        const size_t left = focus.channels.count - batch.first;
        NB_TRY(case_run_batch(routing, run, &focus, &batch,
                              left < size ? left : size, err));
    }
    unbalanced_case_conclude(out);
done:
    nb_delete(batch.loads);
    nb_delete(batch.answer);
    nb_focus_release(&focus);
    if (status != NB_OK)
        nb_unbalanced_case_release(out);
    return status;
}

/* Checking the traffic of a claimed unbalanced worst case. */

/* Checks the unit of a rounded bound. Computed loads in an orbit may lie on
 * both sides of a power of two, so up to twice case_scale is not too fine; the
 * focus channel's unit is at most twice as coarse as necessary. */
static enum nb_status flows_check_unit(const struct nb_unbalanced_bound *bound,
                                       const struct nb_pair_loads *loads,
                                       struct nb_error *err)
{
    const int64_t denominator = bound->denominator;
    const int64_t scale = case_scale(loads), most = 2 * scale;
    const int64_t least =
        loads->channel == bound->channel && scale > 1 ? scale / 2 : 1;
    if ((denominator & (denominator - 1)) == 0 && denominator >= least &&
        denominator <= most)
        return NB_OK;
    return nb_fail(err, NB_REFUTED,
                   "channel %u: denominator %" PRId64
                   "; permitted for rounded loads: a power of two from %" PRId64
                   " to %" PRId64,
                   bound->channel, denominator, least, most);
}

/*
 * The weights to compare with a bound: exact loads for an exact bound, else
 * rounded in its unit. If a channel of the orbit has inexact computed loads,
 * their rounding cannot refute an exact bound: they are rounded down.
 *
 * Errors: NB_REFUTED if the focus channel's bound is exact where rounding is
 * needed, or rounded where it is not, or in a coarser unit than necessary;
 * NB_NO_MEMORY.
 */
static enum nb_status
case_check_weights(const struct nb_unbalanced_case *claimed,
                   const struct nb_unbalanced_bound *bound,
                   struct nb_ratio bandwidth, const struct nb_pair_loads *loads,
                   enum case_rounding rounding, struct case_weights *out,
                   struct nb_error *err)
{
    const bool is_focus = loads->channel == bound->channel;
    enum nb_status status = NB_OK;
    if (bound->is_exact || is_focus) {
        NB_TRY(case_weights_copy(loads, bandwidth, claimed->sides.multiplicity,
                                 out, err));
        const bool is_exact = out->weight != NULL;
        if (is_focus && is_exact != bound->is_exact)
            NB_TRY(nb_channel_refute(bound->channel,
                                     is_exact ? "its bound is rounded, but its "
                                                "loads are exact"
                                              : "its bound is claimed to be "
                                                "exact, but must be rounded",
                                     err));
        if (is_exact)
            return NB_OK;
    }
    if (bound->is_exact)
        return case_weights_round(loads, case_scale(loads), CASE_DOWN, out,
                                  err);
    NB_TRY(flows_check_unit(bound, loads, err));
    NB_TRY(case_weights_round(loads, bound->denominator, rounding, out, err));
done:
    return status;
}

/*
 * Checks that the flows are admissible, and gives their load: units is the load
 * times the denominator of flow_rate. Row sums, column sums and products stay
 * below 2^126 because each flow is at most a row or column.
 */
static enum nb_status
flows_check_admissible(const struct nb_unbalanced_case *claimed,
                       const struct case_weights *weights, nb_int128 *units,
                       struct nb_error *err)
{
    const size_t n = weights->n;
    const uint32_t channel = claimed->bounds[claimed->worst].channel;
    const int64_t most = claimed->flow_rate.numerator;
    const int64_t unit = claimed->flow_rate.denominator;
    nb_int128 *sums = NULL; /* rows, then columns */
    enum nb_status status = NB_OK;
    *units = 0;
    NB_TRY(nb_new(&sums, 2 * n, sizeof *sums, "check", err));
    for (size_t f = 0; f < claimed->flow_count; f++) {
        const struct nb_unbalanced_flow *flow = &claimed->flows[f];
        const struct nb_ratio amount = flow->amount;
        if (flow->row >= n || flow->column >= n || amount.numerator <= 0 ||
            amount.denominator <= 0 || unit % amount.denominator != 0)
            NB_TRY(nb_fail(err, NB_REFUTED, "channel %u: flow %zu is malformed",
                           channel, f));
        const nb_int128 part =
            (nb_int128)amount.numerator * (unit / amount.denominator);
        sums[flow->row] += part;
        sums[n + flow->column] += part;
        if (sums[flow->row] > most || sums[n + flow->column] > unit)
            NB_TRY(nb_fail(err, NB_REFUTED,
                           "channel %u: the flows from router %u to router %u "
                           "are inadmissible",
                           channel, claimed->sides.router[flow->row],
                           claimed->sides.router[flow->column]));
        *units += part * weights->weight[flow->row * n + flow->column];
    }
done:
    nb_delete(sums);
    return status;
}

/* Checks that the flows' load fills the channel, exactly if it is exact. */
static enum nb_status flows_check_load(const struct nb_unbalanced_case *claimed,
                                       const struct case_weights *weights,
                                       struct nb_ratio bound,
                                       struct nb_error *err)
{
    const struct nb_unbalanced_bound *worst = &claimed->bounds[claimed->worst];
    const int64_t unit = claimed->flow_rate.denominator;
    nb_int128 units;
    const enum nb_status status =
        flows_check_admissible(claimed, weights, &units, err);
    if (status != NB_OK)
        return status;
    const struct nb_ratio load = nb_ratio_make(units, unit);
    const bool is_full =
        worst->is_exact
            ? nb_ratio_is_known(load) && nb_ratio_compare(load, bound) == 0
            : units / bound.numerator >= unit;
    return is_full
               ? NB_OK
               : nb_channel_refute(worst->channel,
                                   "the flows' load is not its bandwidth", err);
}

/* Quantities that limit the bracket of a rounded worst channel. Sums over
 * columns. */
struct flows_rounding {
    int64_t most;  /* of the greatest weights rounded down: M */
    int64_t reach; /* a rate at which all of these are used: A */
    int64_t error; /* of the greatest differences to those rounded up: E */
};

static enum nb_status flows_find_rounding(const struct case_weights *down,
                                          const struct case_weights *up,
                                          struct flows_rounding *out,
                                          struct nb_error *err)
{
    const size_t n = down->n;
    int64_t *taken = NULL; /* [row] number of columns whose greatest weight it
                            * has */
    enum nb_status status = NB_OK;
    *out = (struct flows_rounding){ 0 };
    NB_TRY(nb_new(&taken, n, sizeof *taken, "check", err));
    for (size_t j = 0; j < n; j++) {
        size_t greatest = 0;
        int64_t error = 0;
        for (size_t i = 0; i < n; i++) {
            const int64_t weight = down->weight[i * n + j];
            const int64_t difference = up->weight[i * n + j] - weight;
            if (weight > down->weight[greatest * n + j])
                greatest = i;
            error = difference > error ? difference : error;
        }
        out->most += down->weight[greatest * n + j];
        out->error += error;
        if (++taken[greatest] > out->reach)
            out->reach = taken[greatest];
    }
done:
    nb_delete(taken);
    return status;
}

/*
 * Whether the rates L, of the duals, and H, of the flows, are as close as
 * optimal ones are. Let S and T be the greatest loads in the sense of
 * nb_unbalanced_rate with weights rounded up and down, B and C the bandwidth
 * rounded down and up. Optimal rates have S(L) >= B and T(H) = C. As columns
 * receive at most 1, S <= T + E, so T(L) >= B - E. T is concave and reaches its
 * maximum M at A, so that its slope from L to H is at least that from H to A:
 *
 *     (C - B + E) / (H - L) >= (M - C) / (A - H)
 *
 * The differences are exact; seven operations in doubles are rounded.
 */
static bool flows_are_tight(struct nb_ratio lower, struct nb_ratio upper,
                            int64_t bound_down, int64_t bound_up,
                            const struct flows_rounding *rounding)
{
    if (nb_ratio_is_infinite(lower))
        return false;
    const nb_int128 gap = (nb_int128)upper.numerator * lower.denominator -
                          (nb_int128)lower.numerator * upper.denominator;
    const nb_int128 rest =
        (nb_int128)rounding->reach * upper.denominator - upper.numerator;
    const double left = (double)gap * (double)(rounding->most - bound_up);
    const double right = (double)(bound_up - bound_down + rounding->error) *
                         (double)rest * (double)lower.denominator;
    return left <= right * (1 + 0x1p-48);
}

/* Checks the bracket of a rounded worst channel: without an upper end if it is
 * not certain that traffic can saturate it, else tight. */
static enum nb_status
flows_check_bracket(const struct nb_unbalanced_case *claimed,
                    const struct nb_pair_loads *loads,
                    const struct case_weights *down, struct nb_ratio bandwidth,
                    struct nb_error *err)
{
    const struct nb_unbalanced_bound *worst = &claimed->bounds[claimed->worst];
    const uint32_t p = claimed->sides.multiplicity;
    const int64_t unit = down->denominator;
    const int64_t bound_down =
        case_whole_bound(bandwidth, unit, p, CASE_DOWN).numerator;
    const int64_t bound_up =
        case_whole_bound(bandwidth, unit, p, CASE_UP).numerator;
    struct case_weights up = { 0 };
    struct flows_rounding rounding;
    enum nb_status status = NB_OK;
    NB_TRY(case_weights_round(loads, unit, CASE_WELL_UP, &up, err));
    NB_TRY(flows_find_rounding(down, &up, &rounding, err));
    const bool is_endless = nb_ratio_is_infinite(claimed->flow_rate);
    const bool can_saturate = claimed->overload == NB_OVERLOAD_MEETS
                                  ? rounding.most >= bound_up
                                  : rounding.most > bound_up;
    if (is_endless && can_saturate)
        NB_TRY(nb_channel_refute(
            worst->channel, "traffic can saturate it, but none is given", err));
    if (!is_endless && !can_saturate)
        NB_TRY(nb_channel_refute(worst->channel, "no traffic can saturate it",
                                 err));
    if (!is_endless && !flows_are_tight(worst->rate, claimed->flow_rate,
                                        bound_down, bound_up, &rounding))
        NB_TRY(nb_channel_refute(
            worst->channel,
            "its rates are further apart than rounding explains", err));
done:
    case_weights_release(&up);
    return status;
}

/* Checks that more than the bandwidth can be sent through: then any rate above
 * that of flows that fill the channel overloads it. */
static enum nb_status
flows_check_excess(const struct nb_unbalanced_bound *worst,
                   const struct case_weights *weights, struct nb_ratio bound,
                   struct nb_error *err)
{
    int64_t *scratch = NULL;
    enum nb_status status =
        nb_new(&scratch, weights->n, sizeof *scratch, "check", err);
    if (status != NB_OK)
        return status;
    const struct nb_ratio most = { case_column_maxima(weights, scratch), 1 };
    if (nb_ratio_compare(most, bound) <= 0)
        status = nb_channel_refute(worst->channel, "no traffic can saturate it",
                                   err);
    nb_delete(scratch);
    return status;
}

/* Checks the flows of a claim whose bounds are in range against the worst
 * channel's loads, exact or rounded down. Errors: NB_REFUTED. */
static enum nb_status case_check_flows(const struct nb_routing *routing,
                                       const struct nb_run *run,
                                       const struct nb_unbalanced_case *claimed,
                                       struct nb_error *err)
{
    const struct nb_unbalanced_bound *worst = &claimed->bounds[claimed->worst];
    const struct nb_ratio rate = claimed->flow_rate;
    const struct nb_ratio bandwidth =
        routing->topology->channels[worst->channel].bandwidth;
    const uint32_t p = claimed->sides.multiplicity;
    struct nb_pair_loads loads = { 0 };
    struct case_weights weights = { 0 };
    enum nb_status status = NB_OK;
    if (!nb_ratio_is_known(rate) || rate.denominator < 0 ||
        rate.numerator < 0 ||
        (worst->is_exact && nb_ratio_compare(rate, worst->rate) != 0))
        return nb_channel_refute(worst->channel,
                                 "the flows' rate is not its rate", err);
    const bool is_endless = nb_ratio_is_infinite(rate);
    if (is_endless && claimed->flow_count > 0)
        return nb_channel_refute(worst->channel, "flows without a rate", err);
    if (is_endless && worst->is_exact)
        return NB_OK; /* the duals prove it */
    NB_TRY(nb_pair_loads_find(routing, 1, &worst->channel, run, &loads, err));
    NB_TRY(nb_sides_expand(&claimed->sides, &loads, err));
    NB_TRY(case_check_weights(claimed, worst, bandwidth, &loads, CASE_DOWN,
                              &weights, err));
    const struct nb_ratio bound =
        worst->is_exact
            ? case_bound(bandwidth, weights.denominator, p)
            : case_whole_bound(bandwidth, weights.denominator, p, CASE_UP);
    if (!is_endless)
        NB_TRY(flows_check_load(claimed, &weights, bound, err));
    if (worst->is_exact && claimed->overload == NB_OVERLOAD_EXCEEDS)
        NB_TRY(flows_check_excess(worst, &weights, bound, err));
    else if (!worst->is_exact)
        NB_TRY(flows_check_bracket(claimed, &loads, &weights, bandwidth, err));
done:
    case_weights_release(&weights);
    nb_pair_loads_release(&loads);
    return status;
}

/* Checking a claimed unbalanced worst case without solving. */

/* A claim and its orbits. */
struct unbalanced_claim {
    const struct nb_focus *focus;
    const struct nb_unbalanced_case *claimed;
};

static enum nb_status check_duals(const struct unbalanced_claim *claim,
                                  const struct nb_unbalanced_bound *bound,
                                  const struct case_weights *weights,
                                  const uint32_t *side_map, uint32_t channel,
                                  struct nb_error *err)
{
    const struct nb_sides *sides = &claim->claimed->sides;
    const size_t n = sides->count;
    for (size_t r = 0; r < n; r++) {
        const int64_t *row = weights->weight + side_map[r] * n;
        for (size_t c = 0; c < n; c++) {
            const nb_int128 dual = (nb_int128)bound->row[r] + bound->column[c];
            if (dual * weights->denominator <
                (nb_int128)row[side_map[c]] * bound->denominator)
                return nb_channel_refute_pair(sides, channel, side_map[r],
                                              side_map[c], err);
        }
    }
    return NB_OK;
}

/* A bound without duals: at most the rate proved by this channel's row maxima;
 * for an exact bound and its own channel equal to it. */
static enum nb_status check_maxima(const struct unbalanced_claim *claim,
                                   const struct nb_unbalanced_bound *bound,
                                   const struct case_weights *weights,
                                   uint32_t channel, struct nb_error *err)
{
    const struct nb_ratio proved =
        nb_case_rate(claim->focus->topology->channels[channel].bandwidth,
                     weights->denominator, claim->claimed->sides.multiplicity,
                     case_row_maxima(weights), 0, claim->claimed->overload);
    const int order = nb_ratio_compare(bound->rate, proved);
    if (order > 0)
        return nb_channel_refute(channel,
                                 "its row maxima do not prove the rate", err);
    if (bound->is_exact && channel == bound->channel &&
        (order != 0 || bound->denominator != weights->denominator))
        return nb_channel_refute(channel,
                                 "the rate is not that of its row maxima", err);
    return NB_OK;
}

/* One channel, for nb_channel_check_run. */
static enum nb_status check_channel(const void *context,
                                    const struct nb_pair_loads *loads,
                                    const uint32_t *side_map,
                                    struct nb_error *err)
{
    const struct unbalanced_claim *claim = context;
    const uint32_t channel = loads->channel;
    const struct nb_unbalanced_bound *bound =
        &claim->claimed->bounds[claim->focus->channels.of[channel]];
    struct case_weights weights = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(
        case_check_weights(claim->claimed, bound,
                           claim->focus->topology->channels[channel].bandwidth,
                           loads, CASE_UP, &weights, err));
    status = bound->row == NULL
                 ? check_maxima(claim, bound, &weights, channel, err)
                 : check_duals(claim, bound, &weights, side_map, channel, err);
done:
    case_weights_release(&weights);
    return status;
}

/* Checks one bound: its numbers are in range and its duals prove its rate. */
static enum nb_status check_bound(const struct nb_focus *focus, size_t index,
                                  const struct nb_unbalanced_case *claimed,
                                  struct nb_error *err)
{
    const struct nb_unbalanced_bound *bound = &claimed->bounds[index];
    const size_t n = claimed->sides.count;
    const int64_t most = ((int64_t)1 << 62) / (int64_t)n;
    int64_t rows = 0, columns = 0;
    if (bound->channel != focus->channels.first[index] ||
        bound->orbit_size != focus->channels.length[index])
        return nb_channel_refute(bound->channel,
                                 "is not the focus channel expected here", err);
    if (bound->denominator < 1 || bound->denominator > (int64_t)1 << 62)
        return nb_fail(err, NB_REFUTED,
                       "channel %u: denominator %" PRId64
                       "; permitted: 1 .. 2^62",
                       bound->channel, bound->denominator);
    if (!nb_ratio_is_known(bound->rate) || bound->rate.denominator < 0)
        return nb_channel_refute(bound->channel, "its rate is not a ratio",
                                 err);
    if (bound->row == NULL)
        return NB_OK;
    for (size_t i = 0; i < n; i++) {
        if (bound->row[i] < 0 || bound->row[i] > most || bound->column[i] < 0 ||
            bound->column[i] > most)
            return nb_channel_refute(bound->channel, "a dual is out of range",
                                     err);
        rows += bound->row[i];
        columns += bound->column[i];
    }
    const struct nb_ratio proved = nb_case_rate(
        focus->topology->channels[bound->channel].bandwidth, bound->denominator,
        claimed->sides.multiplicity, rows, columns, claimed->overload);
    if (nb_ratio_compare(proved, bound->rate) != 0)
        return nb_channel_refute(bound->channel,
                                 "the duals do not prove exactly the claimed "
                                 "rate",
                                 err);
    return NB_OK;
}

/* Checks the form of the claim, and that no bound is below the worst. */
static enum nb_status check_form(const struct nb_focus *focus,
                                 const struct nb_unbalanced_case *claimed,
                                 struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (claimed->bound_count != focus->channels.count)
        return nb_fail(err, NB_REFUTED,
                       "%zu channel bounds, but %zu focus channels",
                       claimed->bound_count, focus->channels.count);
    if (claimed->worst >= claimed->bound_count ||
        claimed->bounds[claimed->worst].row == NULL)
        return nb_fail(err, NB_REFUTED,
                       "bound %zu has no duals, but is marked as the worst",
                       claimed->worst);
    for (size_t b = 0; b < claimed->bound_count; b++)
        NB_TRY(check_bound(focus, b, claimed, err));
    const struct nb_unbalanced_bound *worst = &claimed->bounds[claimed->worst];
    for (size_t b = 0; b < claimed->bound_count; b++) {
        const struct nb_unbalanced_bound *bound = &claimed->bounds[b];
        const int order = nb_ratio_compare(bound->rate, worst->rate);
        if (order < 0 ||
            (order == 0 && b < claimed->worst && bound->row != NULL))
            return nb_channel_refute(bound->channel,
                                     "is worse than the channel marked", err);
    }
    const struct nb_ratio rate =
        worst->is_exact ? worst->rate : (struct nb_ratio){ 0, 0 };
    if (claimed->rate.exact.numerator != rate.numerator ||
        claimed->rate.exact.denominator != rate.denominator)
        return nb_channel_refute(worst->channel,
                                 "the rate is not the worst channel's", err);
done:
    return status;
}

enum nb_status nb_unbalanced_case_check(const struct nb_routing *routing,
                                        const struct nb_run *run,
                                        struct nb_unbalanced_case *claimed,
                                        bool *all_channels,
                                        struct nb_error *err)
{
    struct nb_focus focus = { 0 };
    const struct unbalanced_claim claim = { &focus, claimed };
    const struct nb_channel_check check = {
        .routing = routing,
        .run = run,
        .focus = &focus,
        .sides = &claimed->sides,
        .check = check_channel,
        .context = &claim,
    };
    enum nb_status status = NB_OK;
    NB_TRY(nb_routing_check(routing, err));
    NB_TRY(nb_channel_check_sides(routing->topology, &claimed->sides, err));
    NB_TRY(nb_focus_find(routing, &focus, err));
    NB_TRY(check_form(&focus, claimed, err));
    NB_TRY(case_check_flows(routing, run, claimed, err));
    NB_TRY(nb_channel_check_run(&check, all_channels, err));
    unbalanced_case_conclude(claimed);
done:
    nb_focus_release(&focus);
    return status;
}
