/* Checking a claimed unbalanced worst case without solving (declared in
 * unbalanced_case.h). */
#include "bounds/unbalanced_case.h"

#include "bounds/worst_case.h"
#include "core/memory.h"
#include "load/focus.h"

#include <inttypes.h>
#include <math.h>

/* Channels whose matrices are held at once. */
#define CHECK_BATCH_BYTES 0x1p29

/* The tasks of one batch: task i checks channel[i] against its focus. */
struct check_batch {
    const struct nb_focus *focus;
    const struct nb_unbalanced_case *claimed;
    const uint32_t *channel;
    struct nb_pair_loads *loads;
    size_t *first; /* [router] its least side */
};

static enum nb_status check_fail(uint32_t channel, const char *what,
                                 struct nb_error *err)
{
    return nb_fail(err, NB_REFUTED, "channel %u: %s", channel, what);
}

/* Where the automorphism takes each side: sides of a router keep their
 * rank. */
static void check_map_sides(const struct check_batch *batch,
                            const uint32_t *router_map, uint32_t *side_map)
{
    const struct nb_sides *sides = &batch->claimed->sides;
    for (size_t s = 0; s < sides->count; s++) {
        const uint32_t router = sides->router[s];
        side_map[s] = (uint32_t)(batch->first[router_map[router]] +
                                 (s - batch->first[router]));
    }
}

static enum nb_status check_duals(const struct check_batch *batch,
                                  const struct nb_unbalanced_bound *bound,
                                  const struct nb_case_weights *weights,
                                  uint32_t channel, struct nb_error *err)
{
    const struct nb_sides *sides = &batch->claimed->sides;
    const size_t n = sides->count;
    const size_t routers = batch->focus->topology->router_count;
    uint32_t *maps = NULL, *side_map = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&maps, 2 * routers, sizeof *maps, "check", err));
    NB_TRY(nb_new(&side_map, n, sizeof *side_map, "check", err));
    nb_focus_map(batch->focus, channel, maps, maps + routers);
    check_map_sides(batch, maps, side_map);
    for (size_t r = 0; r < n; r++) {
        const int64_t *row = weights->weight + side_map[r] * n;
        for (size_t c = 0; c < n; c++) {
            const nb_int128 dual = (nb_int128)bound->row[r] + bound->column[c];
            if (dual * weights->denominator <
                (nb_int128)row[side_map[c]] * bound->denominator)
                NB_TRY(nb_fail(
                    err, NB_REFUTED,
                    "channel %u: the duals lie below the load of router %u to "
                    "router %u",
                    channel, sides->router[side_map[r]],
                    sides->router[side_map[c]]));
        }
    }
done:
    nb_delete(maps);
    nb_delete(side_map);
    return status;
}

/* A bound without duals: no less than the row maxima of this channel prove,
 * just as much if they are those it was made of. */
static enum nb_status check_maxima(const struct check_batch *batch,
                                   const struct nb_unbalanced_bound *bound,
                                   const struct nb_case_weights *weights,
                                   uint32_t channel, struct nb_error *err)
{
    const struct nb_ratio proved =
        nb_case_rate(batch->focus->topology->channels[channel].bandwidth,
                     weights->denominator, batch->claimed->sides.multiplicity,
                     nb_case_row_maxima(weights), 0);
    const int order = nb_ratio_compare(bound->rate, proved);
    if (order > 0)
        return check_fail(channel, "its row maxima do not prove the rate", err);
    if (bound->is_exact && channel == bound->channel &&
        (order != 0 || bound->denominator != weights->denominator))
        return check_fail(channel, "the rate is not that of its row maxima",
                          err);
    return NB_OK;
}

static enum nb_status check_task(void *context, int thread, size_t index,
                                 struct nb_error *err)
{
    (void)thread;
    const struct check_batch *batch = context;
    const struct nb_pair_loads *loads = &batch->loads[index];
    const struct nb_unbalanced_bound *bound =
        &batch->claimed->bounds[batch->focus->orbit[loads->channel]];
    struct nb_case_weights weights = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_case_check_weights(bound, loads, NB_CASE_UP, &weights, err));
    status = bound->row == NULL
                 ? check_maxima(batch, bound, &weights, loads->channel, err)
                 : check_duals(batch, bound, &weights, loads->channel, err);
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
        return check_fail(bound->channel, "is not a focus channel so", err);
    if (bound->denominator < 1 || bound->denominator > (int64_t)1 << 62)
        return nb_fail(err, NB_REFUTED,
                       "channel %u: denominator %" PRId64
                       "; permitted: 1 .. 2^62",
                       bound->channel, bound->denominator);
    if (!nb_ratio_is_known(bound->rate) || bound->rate.denominator < 0)
        return check_fail(bound->channel, "its rate is no ratio", err);
    if (bound->row == NULL)
        return NB_OK;
    for (size_t i = 0; i < n; i++) {
        if (bound->row[i] < 0 || bound->row[i] > most || bound->column[i] < 0 ||
            bound->column[i] > most)
            return check_fail(bound->channel, "a dual is out of range", err);
        rows += bound->row[i];
        columns += bound->column[i];
    }
    const struct nb_ratio proved = nb_case_rate(
        focus->topology->channels[bound->channel].bandwidth, bound->denominator,
        claimed->sides.multiplicity, rows, columns);
    if (nb_ratio_compare(proved, bound->rate) != 0)
        return check_fail(bound->channel,
                          "the duals do not prove just the claimed rate", err);
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
            return check_fail(bound->channel, "is worse than the channel named",
                              err);
    }
    const struct nb_ratio rate =
        worst->is_exact ? worst->rate : (struct nb_ratio){ 0, 0 };
    if (claimed->rate.numerator != rate.numerator ||
        claimed->rate.denominator != rate.denominator)
        return check_fail(worst->channel, "the rate is not the worst channel's",
                          err);
done:
    return status;
}

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

/* Whether the sides are those of the topology. */
static enum nb_status check_sides(const struct nb_topology *topology,
                                  const struct nb_sides *claimed,
                                  struct nb_error *err)
{
    struct nb_sides sides = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_sides_find(topology, &sides, err));
    bool are_alike = sides.count == claimed->count &&
                     sides.multiplicity == claimed->multiplicity;
    for (size_t s = 0; s < sides.count && are_alike; s++)
        are_alike = sides.router[s] == claimed->router[s];
    if (!are_alike)
        status = nb_fail(err, NB_REFUTED,
                         "%zu sides of %u terminals; permitted: %zu of %u",
                         claimed->count, claimed->multiplicity, sides.count,
                         sides.multiplicity);
done:
    nb_sides_release(&sides);
    return status;
}

enum nb_status nb_unbalanced_case_check(const struct nb_routing *routing,
                                        const struct nb_run *run,
                                        struct nb_unbalanced_case *claimed,
                                        bool *all_channels,
                                        struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    const size_t channels = topology->channel_count;
    const double n = (double)claimed->sides.count;
    struct nb_focus focus = { 0 };
    struct check_batch batch = { .focus = &focus, .claimed = claimed };
    uint32_t *every = NULL;
    enum nb_status status = NB_OK;
    *all_channels = n * n * (double)channels <= NB_CHECKED_CELLS;
    NB_TRY(check_sides(topology, &claimed->sides, err));
    NB_TRY(nb_focus_find(routing, &focus, err));
    NB_TRY(check_form(&focus, claimed, err));
    NB_TRY(nb_case_check_flows(routing, run, claimed, err));
    NB_TRY(nb_new(&every, channels, sizeof *every, "check", err));
    NB_TRY(nb_new(&batch.first, topology->router_count, sizeof *batch.first,
                  "check", err));
    for (uint32_t c = 0; c < channels; c++)
        every[c] = c;
    for (size_t s = claimed->sides.count; s-- > 0;)
        batch.first[claimed->sides.router[s]] = s;
    batch.channel = *all_channels ? every : focus.focus;
    NB_TRY(check_channels(routing, run, &batch,
                          *all_channels ? channels : focus.focus_count, err));
    nb_unbalanced_case_conclude(claimed);
done:
    nb_delete(every);
    nb_delete(batch.first);
    nb_focus_release(&focus);
    return status;
}
