/* Checking the traffic of a claimed unbalanced worst case (declared in
 * unbalanced_case.h). */
#include "bounds/unbalanced_case.h"

#include "core/memory.h"

#include <inttypes.h>

static enum nb_status flows_fail(uint32_t channel, const char *what,
                                 struct nb_error *err)
{
    return nb_fail(err, NB_REFUTED, "channel %u: %s", channel, what);
}

enum nb_status nb_case_check_weights(const struct nb_unbalanced_bound *bound,
                                     const struct nb_pair_loads *loads,
                                     enum nb_case_rounding rounding,
                                     struct nb_case_weights *out,
                                     struct nb_error *err)
{
    enum nb_status status = NB_OK;
    int64_t denominator = bound->denominator;
    if (bound->is_exact) {
        NB_TRY(nb_case_weights_copy(loads, out, err));
        if (out->weight != NULL)
            return NB_OK;
        if (loads->channel == bound->channel)
            return flows_fail(bound->channel, "its loads are not exact", err);
        denominator = nb_case_scale(loads);
        rounding = NB_CASE_DOWN;
    } else if ((denominator & (denominator - 1)) != 0 ||
               denominator / 2 > nb_case_scale(loads)) {
        return nb_fail(err, NB_REFUTED,
                       "channel %u: denominator %" PRId64
                       "; permitted for rounded loads: a power of two up to "
                       "%" PRId64,
                       bound->channel, denominator, 2 * nb_case_scale(loads));
    }
    NB_TRY(nb_case_weights_round(loads, denominator, rounding, out, err));
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

/* Whether the flows make just the load that fills the channel, and less than
 * the most that can be sent: then any higher rate overloads it. */
static enum nb_status flows_check_load(const struct nb_unbalanced_case *claimed,
                                       const struct nb_unbalanced_bound *worst,
                                       const struct nb_case_weights *weights,
                                       struct nb_ratio bandwidth,
                                       struct nb_error *err)
{
    const uint32_t p = claimed->sides.multiplicity;
    const struct nb_ratio bound =
        worst->is_exact ? nb_case_bound(bandwidth, weights->denominator, p)
                        : nb_case_whole_bound(bandwidth, weights->denominator,
                                              p, NB_CASE_UP);
    nb_int128 units;
    int64_t *scratch = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(flows_check_admissible(claimed, weights, &units, err));
    const struct nb_ratio load =
        nb_ratio_make(units, claimed->flow_rate.denominator);
    const bool is_full =
        worst->is_exact
            ? nb_ratio_is_known(load) && nb_ratio_is_known(bound) &&
                  nb_ratio_compare(load, bound) == 0
            : units / bound.numerator >= claimed->flow_rate.denominator;
    if (!is_full)
        NB_TRY(flows_fail(worst->channel,
                          "the flows' load is not its bandwidth", err));
    NB_TRY(nb_new(&scratch, weights->n, sizeof *scratch, "check", err));
    const struct nb_ratio most = { nb_case_column_maxima(weights, scratch), 1 };
    if (nb_ratio_compare(most, bound) <= 0)
        status = flows_fail(worst->channel, "no traffic can overload it", err);
done:
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
    struct nb_pair_loads loads = { 0 };
    struct nb_case_weights weights = { 0 };
    enum nb_status status = NB_OK;
    if (!nb_ratio_is_known(rate) || rate.denominator < 0 ||
        rate.numerator < 0 ||
        (worst->is_exact && nb_ratio_compare(rate, worst->rate) != 0))
        return flows_fail(worst->channel, "the flows' rate is not its rate",
                          err);
    if (nb_ratio_is_infinite(rate))
        return claimed->flow_count == 0
                   ? NB_OK
                   : flows_fail(worst->channel, "flows of no rate", err);
    NB_TRY(nb_pair_loads_find(routing, 1, &worst->channel, run, &loads, err));
    NB_TRY(nb_sides_expand(&claimed->sides, &loads, err));
    NB_TRY(nb_case_check_weights(worst, &loads, NB_CASE_DOWN, &weights, err));
    NB_TRY(flows_check_load(
        claimed, worst, &weights,
        routing->topology->channels[worst->channel].bandwidth, err));
done:
    nb_case_weights_release(&weights);
    nb_pair_loads_release(&loads);
    return status;
}
