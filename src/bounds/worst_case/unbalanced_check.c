/* Checking a claimed unbalanced worst case without solving (declared in
 * unbalanced_case.h). */
#include "bounds/worst_case/unbalanced_case.h"

#include "bounds/worst_case/channel_check.h"
#include "core/memory.h"
#include "load/focus.h"

#include <inttypes.h>

/* A claim with the orbits that it is about. */
struct unbalanced_claim {
    const struct nb_focus *focus;
    const struct nb_unbalanced_case *claimed;
};

static enum nb_status check_duals(const struct unbalanced_claim *claim,
                                  const struct nb_unbalanced_bound *bound,
                                  const struct nb_case_weights *weights,
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

/* A bound without duals: no less than the row maxima of this channel prove,
 * just as much if they are those it was made of. */
static enum nb_status check_maxima(const struct unbalanced_claim *claim,
                                   const struct nb_unbalanced_bound *bound,
                                   const struct nb_case_weights *weights,
                                   uint32_t channel, struct nb_error *err)
{
    const struct nb_ratio proved =
        nb_case_rate(claim->focus->topology->channels[channel].bandwidth,
                     weights->denominator, claim->claimed->sides.multiplicity,
                     nb_case_row_maxima(weights), 0, claim->claimed->overload);
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
        &claim->claimed->bounds[claim->focus->orbit[channel]];
    struct nb_case_weights weights = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_case_check_weights(
        claim->claimed, bound,
        claim->focus->topology->channels[channel].bandwidth, loads, NB_CASE_UP,
        &weights, err));
    status = bound->row == NULL
                 ? check_maxima(claim, bound, &weights, channel, err)
                 : check_duals(claim, bound, &weights, side_map, channel, err);
done:
    nb_case_weights_release(&weights);
    return status;
}

/* One bound: its numbers are in range and its duals prove its rate. */
static enum nb_status check_bound(const struct nb_focus *focus, size_t index,
                                  const struct nb_unbalanced_case *claimed,
                                  struct nb_error *err)
{
    const struct nb_unbalanced_bound *bound = &claimed->bounds[index];
    const size_t n = claimed->sides.count;
    const int64_t most = ((int64_t)1 << 62) / (int64_t)n;
    int64_t rows = 0, columns = 0;
    if (bound->channel != focus->focus[index] ||
        bound->orbit_size != focus->orbit_size[index])
        return nb_channel_refute(bound->channel, "is not a focus channel so",
                                 err);
    if (bound->denominator < 1 || bound->denominator > (int64_t)1 << 62)
        return nb_fail(err, NB_REFUTED,
                       "channel %u: denominator %" PRId64
                       "; permitted: 1 .. 2^62",
                       bound->channel, bound->denominator);
    if (!nb_ratio_is_known(bound->rate) || bound->rate.denominator < 0)
        return nb_channel_refute(bound->channel, "its rate is no ratio", err);
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
                                 "the duals do not prove just the claimed rate",
                                 err);
    return NB_OK;
}

/* The form of the claim, and that no bound is below the worst. */
static enum nb_status check_form(const struct nb_focus *focus,
                                 const struct nb_unbalanced_case *claimed,
                                 struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (claimed->bound_count != focus->focus_count)
        return nb_fail(err, NB_REFUTED,
                       "%zu channel bounds, but %zu focus channels",
                       claimed->bound_count, focus->focus_count);
    if (claimed->worst >= claimed->bound_count ||
        claimed->bounds[claimed->worst].row == NULL)
        return nb_fail(err, NB_REFUTED,
                       "bound %zu has no duals, but is named the worst",
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
                                     "is worse than the channel named", err);
    }
    const struct nb_ratio rate =
        worst->is_exact ? worst->rate : (struct nb_ratio){ 0, 0 };
    if (claimed->rate.numerator != rate.numerator ||
        claimed->rate.denominator != rate.denominator)
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
    NB_TRY(nb_case_check_flows(routing, run, claimed, err));
    NB_TRY(nb_channel_check_run(&check, all_channels, err));
    nb_unbalanced_case_conclude(claimed);
done:
    nb_focus_release(&focus);
    return status;
}
