/* Checking the traffic of a claimed unbalanced worst case (declared in
 * unbalanced_case.h). */
#include "bounds/worst_case/unbalanced_case.h"

#include "bounds/worst_case/channel_check.h"
#include "core/memory.h"

#include <inttypes.h>

/* The unit of a rounded bound. Alike channels' computed loads may lie on both
 * sides of a power of two, and so twice nb_case_scale is not too fine; that
 * of the focus channel itself is not much coarser than it has to be. */
static enum nb_status flows_check_unit(const struct nb_unbalanced_bound *bound,
                                       const struct nb_pair_loads *loads,
                                       struct nb_error *err)
{
    const int64_t denominator = bound->denominator;
    const int64_t scale = nb_case_scale(loads), most = 2 * scale;
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

enum nb_status nb_case_check_weights(const struct nb_unbalanced_case *claimed,
                                     const struct nb_unbalanced_bound *bound,
                                     struct nb_ratio bandwidth,
                                     const struct nb_pair_loads *loads,
                                     enum nb_case_rounding rounding,
                                     struct nb_case_weights *out,
                                     struct nb_error *err)
{
    const bool is_focus = loads->channel == bound->channel;
    enum nb_status status = NB_OK;
    if (bound->is_exact || is_focus) {
        NB_TRY(nb_case_weights_copy(loads, bandwidth,
                                    claimed->sides.multiplicity, out, err));
        const bool is_exact = out->weight != NULL;
        if (is_focus && is_exact != bound->is_exact)
            NB_TRY(nb_channel_refute(bound->channel,
                                     is_exact ? "its bound is rounded, but its "
                                                "loads are exact"
                                              : "its bound is said to be exact,"
                                                " but has to be rounded",
                                     err));
        if (is_exact)
            return NB_OK;
    }
    if (bound->is_exact)
        return nb_case_weights_round(loads, nb_case_scale(loads), NB_CASE_DOWN,
                                     out, err);
    NB_TRY(flows_check_unit(bound, loads, err));
    NB_TRY(
        nb_case_weights_round(loads, bound->denominator, rounding, out, err));
done:
    return status;
}

/*
 * Whether the flows are admissible, and the load they make: units is the
 * load times the denominator of flow_rate. Row sums, column sums and
 * products stay below 2^126 because each flow is at most a row or column.
 */
static enum nb_status
flows_check_admissible(const struct nb_unbalanced_case *claimed,
                       const struct nb_case_weights *weights, nb_int128 *units,
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

/* Whether the flows make the load that fills the channel: just that if it is
 * exact. */
static enum nb_status flows_check_load(const struct nb_unbalanced_case *claimed,
                                       const struct nb_case_weights *weights,
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

/* What bounds the bracket of a rounded worst channel. Sums over columns. */
struct flows_rounding {
    int64_t most;  /* of the greatest weights rounded down: M */
    int64_t reach; /* a rate at which these are all taken: A */
    int64_t error; /* of the greatest differences to those rounded up: E */
};

static enum nb_status flows_find_rounding(const struct nb_case_weights *down,
                                          const struct nb_case_weights *up,
                                          struct flows_rounding *out,
                                          struct nb_error *err)
{
    const size_t n = down->n;
    int64_t *taken = NULL; /* [row] columns whose greatest weight it has */
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
 * optimal ones are. Let S and T be the greatest loads as at
 * nb_unbalanced_rate with weights rounded up and down, B and C the bandwidth
 * rounded down and up. Optimal rates have S(L) >= B and T(H) = C. As columns
 * receive at most 1, S <= T + E, so T(L) >= B - E. T is concave and reaches
 * its maximum M at A, so that its slope from L to H is at least that from H
 * to A:
 *
 *     (C - B + E) / (H - L) >= (M - C) / (A - H)
 *
 * The differences are exact, and seven operations in doubles round.
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

/* The bracket of a rounded worst channel: without an end if no traffic can
 * saturate it for certain, else tight. */
static enum nb_status
flows_check_bracket(const struct nb_unbalanced_case *claimed,
                    const struct nb_pair_loads *loads,
                    const struct nb_case_weights *down,
                    struct nb_ratio bandwidth, struct nb_error *err)
{
    const struct nb_unbalanced_bound *worst = &claimed->bounds[claimed->worst];
    const uint32_t p = claimed->sides.multiplicity;
    const int64_t unit = down->denominator;
    const int64_t bound_down =
        nb_case_whole_bound(bandwidth, unit, p, NB_CASE_DOWN).numerator;
    const int64_t bound_up =
        nb_case_whole_bound(bandwidth, unit, p, NB_CASE_UP).numerator;
    struct nb_case_weights up = { 0 };
    struct flows_rounding rounding;
    enum nb_status status = NB_OK;
    NB_TRY(nb_case_weights_round(loads, unit, NB_CASE_WELL_UP, &up, err));
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
            "its rates are further apart than rounding makes them", err));
done:
    nb_case_weights_release(&up);
    return status;
}

/* Whether more than the bandwidth can be sent through: then any rate above
 * that of flows that fill it overloads it. */
static enum nb_status
flows_check_excess(const struct nb_unbalanced_bound *worst,
                   const struct nb_case_weights *weights, struct nb_ratio bound,
                   struct nb_error *err)
{
    int64_t *scratch = NULL;
    enum nb_status status =
        nb_new(&scratch, weights->n, sizeof *scratch, "check", err);
    if (status != NB_OK)
        return status;
    const struct nb_ratio most = { nb_case_column_maxima(weights, scratch), 1 };
    if (nb_ratio_compare(most, bound) <= 0)
        status = nb_channel_refute(worst->channel, "no traffic can saturate it",
                                   err);
    nb_delete(scratch);
    return status;
}

enum nb_status nb_case_check_flows(const struct nb_routing *routing,
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
    struct nb_case_weights weights = { 0 };
    enum nb_status status = NB_OK;
    if (!nb_ratio_is_known(rate) || rate.denominator < 0 ||
        rate.numerator < 0 ||
        (worst->is_exact && nb_ratio_compare(rate, worst->rate) != 0))
        return nb_channel_refute(worst->channel,
                                 "the flows' rate is not its rate", err);
    const bool is_endless = nb_ratio_is_infinite(rate);
    if (is_endless && claimed->flow_count > 0)
        return nb_channel_refute(worst->channel, "flows of no rate", err);
    if (is_endless && worst->is_exact)
        return NB_OK; /* the duals tell */
    NB_TRY(nb_pair_loads_find(routing, 1, &worst->channel, run, &loads, err));
    NB_TRY(nb_sides_expand(&claimed->sides, &loads, err));
    NB_TRY(nb_case_check_weights(claimed, worst, bandwidth, &loads,
                                 NB_CASE_DOWN, &weights, err));
    const struct nb_ratio bound =
        worst->is_exact ? nb_case_bound(bandwidth, weights.denominator, p)
                        : nb_case_whole_bound(bandwidth, weights.denominator, p,
                                              NB_CASE_UP);
    if (!is_endless)
        NB_TRY(flows_check_load(claimed, &weights, bound, err));
    if (worst->is_exact && claimed->overload == NB_OVERLOAD_EXCEEDS)
        NB_TRY(flows_check_excess(worst, &weights, bound, err));
    else if (!worst->is_exact)
        NB_TRY(flows_check_bracket(claimed, &loads, &weights, bandwidth, err));
done:
    nb_case_weights_release(&weights);
    nb_pair_loads_release(&loads);
    return status;
}
