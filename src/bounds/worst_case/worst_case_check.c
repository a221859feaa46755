/* Checking a claimed worst case without solving (declared in worst_case.h). */
#include "bounds/worst_case/worst_case.h"

#include "bounds/worst_case/channel_check.h"
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

/* A bound without duals: just what the maxima of the focus channel give, and
 * no less than those of the channels like it. */
static enum nb_status check_maxima(const struct worst_claim *claim,
                                   const struct nb_channel_bound *bound,
                                   const struct nb_pair_loads *loads,
                                   struct nb_error *err)
{
    const bool is_focus = loads->channel == bound->channel;
    const struct nb_pair_loads wide = nb_pair_loads_widen(loads);
    struct nb_ratio exact;
    double upper;
    const enum nb_status status = nb_bound_by_maxima(
        is_focus ? &wide : loads, claim->claimed->sides.multiplicity, &exact,
        &upper, err);
    if (status != NB_OK)
        return status;
    const bool is_right =
        is_focus ? exact.numerator == bound->load.numerator &&
                       exact.denominator == bound->load.denominator &&
                       upper == bound->upper
                 : upper <= bound->upper;
    return is_right
               ? NB_OK
               : nb_channel_refute(loads->channel,
                                   "the bound is not that of its maxima", err);
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
    if (claimed->worst >= claimed->bound_count)
        return nb_fail(err, NB_REFUTED, "no bound is named the worst");
    for (size_t b = 0; b < claimed->bound_count; b++) {
        struct nb_channel_bound *bound = &claimed->bounds[b];
        if (bound->channel != focus->focus[b] ||
            bound->orbit_size != focus->orbit_size[b])
            return nb_channel_refute(bound->channel,
                                     "is not a focus channel so", err);
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

/* The relative error of the pair loads that are not exact; 0 if all are. */
static enum nb_status check_find_error(const struct nb_routing *routing,
                                       const struct nb_run *run,
                                       const struct nb_worst_case *claimed,
                                       double *error, struct nb_error *err)
{
    struct nb_pair_loads loads = { 0 };
    enum nb_status status = NB_OK;
    size_t b = 0;
    *error = 0;
    while (b < claimed->bound_count && claimed->bounds[b].is_exact)
        b++;
    if (b == claimed->bound_count)
        return NB_OK;
    NB_TRY(nb_pair_loads_find(routing, 1, &claimed->bounds[b].channel, run,
                              &loads, err));
    *error = loads.relative_error;
done:
    nb_pair_loads_release(&loads);
    return status;
}

/* No bound may pass the worst channel's load. Where either is not exact,
 * rounding may lift it: that of cells, (1 + 4 e) / (1 - e) and a little; of
 * sums of n duals and n cells; and of the matching, some units in the last
 * place of the largest weight for each of n rows. */
static enum nb_status check_order(const struct nb_topology *topology,
                                  const struct nb_worst_case *claimed,
                                  double error, struct nb_error *err)
{
    const struct nb_channel_bound *worst = &claimed->bounds[claimed->worst];
    const double slack =
        8 * error + 0x1p-46 + 64 * (double)claimed->sides.count * 0x1p-53;
    const double most =
        worst->lower /
        nb_ratio_value(topology->channels[worst->channel].bandwidth) *
        (1 + slack);
    for (size_t b = 0; b < claimed->bound_count; b++) {
        const struct nb_channel_bound *bound = &claimed->bounds[b];
        const double share =
            bound->upper /
            nb_ratio_value(topology->channels[bound->channel].bandwidth);
        if (!(share <= most) ||
            nb_channel_bound_is_worse(topology, bound, worst))
            return nb_channel_refute(
                bound->channel, "has a bound above the worst channel's load",
                err);
    }
    return NB_OK;
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
    double error;
    enum nb_status status = NB_OK;
    NB_TRY(nb_routing_check(routing, err));
    NB_TRY(nb_channel_check_sides(routing->topology, &claimed->sides, err));
    NB_TRY(nb_focus_find(routing, &focus, err));
    NB_TRY(check_form(&focus, claimed, err));
    NB_TRY(check_permutation(routing, run, claimed, err));
    NB_TRY(nb_channel_check_run(&check, all_channels, err));
    NB_TRY(check_find_error(routing, run, claimed, &error, err));
    NB_TRY(check_order(routing->topology, claimed, error, err));
    nb_worst_case_conclude(routing->topology, claimed);
    if (claimed->worst != worst)
        status = nb_channel_refute(claimed->bounds[claimed->worst].channel,
                                   "is the first so bad, not the channel named",
                                   err);
done:
    nb_focus_release(&focus);
    return status;
}
