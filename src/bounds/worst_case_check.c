/* Checking a claimed worst case without solving (declared in worst_case.h). */
#include "bounds/worst_case.h"

#include "bounds/channel_check.h"
#include "core/memory.h"

/* A claim with the orbits that it is about. */
struct worst_claim {
    const struct nb_focus *focus;
    const struct nb_worst_case *claimed;
};

/* Whether duals (r, c) of the focus channel lie above one cell. */
static bool check_cell(const struct nb_channel_bound *bound,
                       const struct nb_pair_loads *loads, size_t r, size_t c,
                       size_t i, size_t j)
{
    if (!bound->is_exact) /* the factor: this sum rounds, too */
        return bound->row_value[r] + bound->column_value[c] >=
               nb_pair_load_upper(loads, i, j) * (1 - 0x1p-52);
    const nb_int128 dual = (nb_int128)bound->row[r] + bound->column[c];
    return dual * loads->denominator >=
           (nb_int128)nb_pair_load_weight(loads, i, j) * bound->denominator;
}

static enum nb_status check_cells(const struct worst_claim *claim,
                                  const struct nb_channel_bound *bound,
                                  const struct nb_pair_loads *loads,
                                  const uint32_t *side_map,
                                  struct nb_error *err)
{
    const size_t n = loads->n;
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++)
            if (!check_cell(bound, loads, r, c, side_map[r], side_map[c]))
                return nb_channel_refute_pair(&claim->claimed->sides,
                                              loads->channel, side_map[r],
                                              side_map[c], err);
    return NB_OK;
}

/* A bound without duals: the maxima of this channel must not pass it. */
static enum nb_status check_maxima(const struct worst_claim *claim,
                                   const struct nb_channel_bound *bound,
                                   const struct nb_pair_loads *loads,
                                   struct nb_error *err)
{
    struct nb_ratio exact;
    double upper;
    const enum nb_status status = nb_bound_by_maxima(
        loads, claim->claimed->sides.multiplicity, &exact, &upper, err);
    if (status != NB_OK)
        return status;
    const bool is_below =
        nb_ratio_is_known(exact) && nb_ratio_is_known(bound->load)
            ? nb_ratio_compare(exact, bound->load) <= 0
            : upper <= bound->upper;
    return is_below
               ? NB_OK
               : nb_channel_refute(loads->channel,
                                   "its maxima pass the claimed bound", err);
}

/* One channel, for nb_channel_check_run. */
static enum nb_status check_channel(const void *context,
                                    const struct nb_pair_loads *loads,
                                    const uint32_t *side_map,
                                    struct nb_error *err)
{
    const struct worst_claim *claim = context;
    const struct nb_channel_bound *bound =
        &claim->claimed->bounds[claim->focus->orbit[loads->channel]];
    if (loads->is_exact != bound->is_exact)
        return nb_channel_refute(loads->channel, "exactness is not as claimed",
                                 err);
    return nb_channel_bound_has_duals(bound)
               ? check_cells(claim, bound, loads, side_map, err)
               : check_maxima(claim, bound, loads, err);
}

/* The form of the claim: a permutation, and one bound per focus channel with
 * non-negative duals. Sets every bound's sum. */
static enum nb_status check_form(const struct nb_focus *focus,
                                 struct nb_worst_case *claimed,
                                 struct nb_error *err)
{
    const size_t n = claimed->sides.count;
    bool *is_taken = NULL;
    enum nb_status status = NB_OK;
    if (claimed->bound_count != focus->focus_count)
        return nb_fail(err, NB_REFUTED,
                       "%zu channel bounds, but %zu focus channels",
                       claimed->bound_count, focus->focus_count);
    for (size_t b = 0; b < claimed->bound_count; b++) {
        struct nb_channel_bound *bound = &claimed->bounds[b];
        if (bound->channel != focus->focus[b] ||
            bound->orbit_size != focus->orbit_size[b])
            return nb_channel_refute(bound->channel,
                                     "is not a focus channel so", err);
        double lower;
        if (nb_ratio_is_known(bound->load)) /* printed doubles follow it */
            nb_ratio_bracket(bound->load, &lower, &bound->upper);
        if (!nb_channel_bound_has_duals(bound))
            continue;
        for (size_t i = 0; i < n; i++)
            if (bound->is_exact ? bound->row[i] < 0 || bound->column[i] < 0
                                : !(bound->row_value[i] >= 0 &&
                                    bound->column_value[i] >= 0))
                return nb_channel_refute(bound->channel, "a dual is negative",
                                         err);
        nb_bound_by_duals(bound, n, claimed->sides.multiplicity, &bound->load,
                          &bound->upper);
    }
    NB_TRY(nb_new(&is_taken, n, sizeof *is_taken, "check", err));
    for (size_t i = 0; i < n; i++) {
        const uint32_t j = claimed->permutation[i];
        if (j >= n || is_taken[j])
            NB_TRY(nb_fail(err, NB_REFUTED,
                           "the traffic is not a permutation: router %u sends "
                           "to a taken place",
                           claimed->sides.router[i]));
        is_taken[j] = true;
    }
done:
    nb_delete(is_taken);
    return status;
}

/* The permutation's load on the worst channel must reach its dual bound
 * (exactly), and gives the lower bound (doubles). */
static enum nb_status check_permutation(const struct nb_routing *routing,
                                        const struct nb_run *run,
                                        struct nb_worst_case *claimed,
                                        struct nb_error *err)
{
    struct nb_channel_bound *most = &claimed->bounds[claimed->worst];
    struct nb_pair_loads loads = { 0 };
    struct nb_ratio exact;
    double upper;
    enum nb_status status = NB_OK;
    if (!nb_channel_bound_has_duals(most))
        return nb_channel_refute(most->channel,
                                 "the worst channel has no duals", err);
    NB_TRY(nb_pair_loads_find(routing, 1, &most->channel, run, &loads, err));
    NB_TRY(nb_sides_expand(&claimed->sides, &loads, err));
    nb_load_of_permutation(&loads, claimed->permutation,
                           claimed->sides.multiplicity, &exact, &most->lower,
                           &upper);
    if (most->is_exact && nb_ratio_is_known(exact) &&
        (!nb_ratio_is_known(most->load) ||
         nb_ratio_compare(exact, most->load) != 0))
        status =
            nb_channel_refute(most->channel,
                              "the permutation's load is not the sum of the "
                              "duals",
                              err);
done:
    nb_pair_loads_release(&loads);
    return status;
}

enum nb_status nb_worst_case_check(const struct nb_routing *routing,
                                   const struct nb_run *run,
                                   struct nb_worst_case *claimed,
                                   bool *all_channels, struct nb_error *err)
{
    struct nb_focus focus = { 0 };
    const struct worst_claim claim = { &focus, claimed };
    const struct nb_channel_check check = {
        .routing = routing,
        .run = run,
        .focus = &focus,
        .sides = &claimed->sides,
        .check = check_channel,
        .context = &claim,
    };
    const size_t worst = claimed->worst;
    enum nb_status status = NB_OK;
    NB_TRY(nb_focus_find(routing, &focus, err));
    NB_TRY(check_form(&focus, claimed, err));
    NB_TRY(check_permutation(routing, run, claimed, err));
    NB_TRY(nb_channel_check_run(&check, all_channels, err));
    nb_worst_case_conclude(routing->topology, claimed);
    for (size_t b = 0; b < claimed->bound_count && status == NB_OK; b++)
        if (nb_channel_bound_is_worse(routing->topology, &claimed->bounds[b],
                                      &claimed->bounds[worst]))
            status = nb_channel_refute(
                claimed->bounds[b].channel,
                "has a bound above the worst channel's load", err);
    if (status == NB_OK && claimed->worst != worst)
        status = nb_channel_refute(claimed->bounds[claimed->worst].channel,
                                   "is the first so bad, not the channel named",
                                   err);
done:
    nb_focus_release(&focus);
    return status;
}
