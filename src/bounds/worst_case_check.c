/* Checking a claimed worst case without solving (declared in worst_case.h). */
#include "bounds/worst_case.h"

#include "core/memory.h"

#include <math.h>

/* Channels whose matrices are held at once. */
#define CHECK_BATCH_BYTES 0x1p29

/* The tasks of one batch: task i checks channel[i] against its focus. */
struct check_batch {
    const struct nb_focus *focus;
    const struct nb_worst_case *claimed;
    const uint32_t *channel;
    struct nb_pair_loads *loads;
};

static enum nb_status check_fail(uint32_t channel, const char *what,
                                 struct nb_error *err)
{
    return nb_fail(err, NB_REFUTED, "channel %u: %s", channel, what);
}

/* Where the automorphism takes each side: sides of a router keep their
 * rank. first: the least side of each router. */
static void check_map_sides(const struct nb_sides *sides,
                            const uint32_t *router_map, const size_t *first,
                            uint32_t *side_map)
{
    for (size_t s = 0; s < sides->count; s++) {
        const uint32_t router = sides->router[s];
        side_map[s] =
            (uint32_t)(first[router_map[router]] + (s - first[router]));
    }
}

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

static enum nb_status check_cells(const struct check_batch *batch,
                                  const struct nb_channel_bound *bound,
                                  const struct nb_pair_loads *loads,
                                  const uint32_t *side_map,
                                  struct nb_error *err)
{
    const size_t n = loads->n;
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++)
            if (!check_cell(bound, loads, r, c, side_map[r], side_map[c]))
                return nb_fail(
                    err, NB_REFUTED,
                    "channel %u: the duals lie below the load of router %u to "
                    "router %u",
                    loads->channel, batch->claimed->sides.router[side_map[r]],
                    batch->claimed->sides.router[side_map[c]]);
    return NB_OK;
}

/* A bound without duals: the maxima of this channel must not pass it. */
static enum nb_status check_maxima(const struct check_batch *batch,
                                   const struct nb_channel_bound *bound,
                                   const struct nb_pair_loads *loads,
                                   struct nb_error *err)
{
    struct nb_ratio exact;
    double upper;
    const enum nb_status status = nb_bound_by_maxima(
        loads, batch->claimed->sides.multiplicity, &exact, &upper, err);
    if (status != NB_OK)
        return status;
    const bool is_below =
        nb_ratio_is_known(exact) && nb_ratio_is_known(bound->load)
            ? nb_ratio_compare(exact, bound->load) <= 0
            : upper <= bound->upper;
    return is_below ? NB_OK
                    : check_fail(loads->channel,
                                 "its maxima pass the claimed bound", err);
}

static enum nb_status check_task(void *context, int thread, size_t index,
                                 struct nb_error *err)
{
    (void)thread;
    const struct check_batch *batch = context;
    const struct nb_focus *focus = batch->focus;
    const struct nb_pair_loads *loads = &batch->loads[index];
    const struct nb_sides *sides = &batch->claimed->sides;
    const struct nb_channel_bound *bound =
        &batch->claimed->bounds[focus->orbit[loads->channel]];
    const size_t routers = focus->topology->router_count;
    uint32_t *maps = NULL, *side_map = NULL;
    size_t *first = NULL;
    enum nb_status status = NB_OK;
    if (loads->is_exact != bound->is_exact)
        return check_fail(loads->channel, "exactness is not as claimed", err);
    if (!nb_channel_bound_has_duals(bound))
        return check_maxima(batch, bound, loads, err);
    NB_TRY(nb_new(&maps, 2 * routers, sizeof *maps, "check", err));
    NB_TRY(nb_new(&side_map, sides->count, sizeof *side_map, "check", err));
    NB_TRY(nb_new(&first, routers, sizeof *first, "check", err));
    for (size_t s = sides->count; s-- > 0;)
        first[sides->router[s]] = s;
    nb_focus_map(focus, loads->channel, maps, maps + routers);
    check_map_sides(sides, maps, first, side_map);
    NB_TRY(check_cells(batch, bound, loads, side_map, err));
done:
    nb_delete(maps);
    nb_delete(side_map);
    nb_delete(first);
    return status;
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
            return check_fail(bound->channel, "is not a focus channel so", err);
        if (!nb_channel_bound_has_duals(bound))
            continue;
        for (size_t i = 0; i < n; i++)
            if (bound->is_exact ? bound->row[i] < 0 || bound->column[i] < 0
                                : !(bound->row_value[i] >= 0 &&
                                    bound->column_value[i] >= 0))
                return check_fail(bound->channel, "a dual is negative", err);
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
        return check_fail(most->channel, "the worst channel has no duals", err);
    NB_TRY(nb_pair_loads_find(routing, 1, &most->channel, run, &loads, err));
    NB_TRY(nb_sides_expand(&claimed->sides, &loads, err));
    nb_load_of_permutation(&loads, claimed->permutation,
                           claimed->sides.multiplicity, &exact, &most->lower,
                           &upper);
    if (most->is_exact && nb_ratio_is_known(exact) &&
        (!nb_ratio_is_known(most->load) ||
         nb_ratio_compare(exact, most->load) != 0))
        status = check_fail(most->channel,
                            "the permutation's load is not the sum of the "
                            "duals",
                            err);
done:
    nb_pair_loads_release(&loads);
    return status;
}

/* The channels to check: all of them, or the focus channels alone where all
 * would be too much work. */
static enum nb_status check_channels(const struct nb_routing *routing,
                                     const struct nb_run *run,
                                     struct check_batch *batch, size_t count,
                                     struct nb_error *err)
{
    const double one = nb_pair_loads_bytes(routing, 1);
    const double most = fmax(1, CHECK_BATCH_BYTES / one);
    const size_t size = most < (double)count ? (size_t)most : count;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&batch->loads, size, sizeof *batch->loads, "check", err));
    for (size_t done = 0; done < count && status == NB_OK; done += size) {
        const size_t now = count - done < size ? count - done : size;
        status = nb_pair_loads_find(routing, now, batch->channel, run,
                                    batch->loads, err);
        for (size_t i = 0; i < now && status == NB_OK; i++)
            status =
                nb_sides_expand(&batch->claimed->sides, &batch->loads[i], err);
        if (status == NB_OK)
            status = nb_run_tasks(run, "check of channels", now, check_task,
                                  batch, err);
        for (size_t i = 0; i < now; i++)
            nb_pair_loads_release(&batch->loads[i]);
        batch->channel += now;
    }
done:
    nb_delete(batch->loads);
    return status;
}

enum nb_status nb_worst_case_check(const struct nb_routing *routing,
                                   const struct nb_run *run,
                                   struct nb_worst_case *claimed,
                                   bool *all_channels, struct nb_error *err)
{
    const size_t channels = routing->topology->channel_count;
    const double n = (double)claimed->sides.count;
    struct nb_focus focus = { 0 };
    struct check_batch batch = { .focus = &focus, .claimed = claimed };
    uint32_t *every = NULL;
    const size_t worst = claimed->worst;
    enum nb_status status = NB_OK;
    *all_channels = n * n * (double)channels <= NB_CHECKED_CELLS;
    NB_TRY(nb_focus_find(routing, &focus, err));
    NB_TRY(check_form(&focus, claimed, err));
    NB_TRY(check_permutation(routing, run, claimed, err));
    NB_TRY(nb_new(&every, channels, sizeof *every, "check", err));
    for (uint32_t c = 0; c < channels; c++)
        every[c] = c;
    batch.channel = *all_channels ? every : focus.focus;
    NB_TRY(check_channels(routing, run, &batch,
                          *all_channels ? channels : focus.focus_count, err));
    nb_worst_case_conclude(routing->topology, claimed);
    if (claimed->worst != worst)
        status = check_fail(claimed->bounds[claimed->worst].channel,
                            "is worse than the channel named", err);
done:
    nb_delete(every);
    nb_focus_release(&focus);
    return status;
}
