#include "bounds/worst_case/necessary_case.h"

#include "bounds/matching/cardinality.h"
#include "bounds/worst_case/channel_check.h"
#include "core/deal.h"
#include "core/memory.h"
#include "load/focus.h"
#include "load/necessary.h"

#include <math.h>

/* The tasks: task b solves the channel of bound b. */
struct necessary_work {
    const struct nb_necessary *necessary;
    struct nb_necessary_case *out;
};

/* One channel's matching, from destinations (left) to sources. */
struct necessary_solution {
    struct nb_pool pool;
    uint32_t *source; /* [sides] of each destination; NB_UNMATCHED */
    bool *destination_cover;
    bool *source_cover;
    size_t size;
};

static enum nb_status necessary_solve(const struct nb_necessary *necessary,
                                      uint32_t channel,
                                      struct necessary_solution *out,
                                      struct nb_error *err)
{
    const size_t n = necessary->sides->count;
    struct nb_pool *pool = &out->pool;
    struct nb_necessary_pairs pairs = { 0 };
    enum nb_status status = NB_OK;
    out->source = nb_pool_array(pool, n, sizeof *out->source);
    out->destination_cover = nb_pool_array(pool, n, sizeof(bool));
    out->source_cover = nb_pool_array(pool, n, sizeof(bool));
    NB_TRY(nb_pool_check(pool, "matching", err));
    NB_TRY(nb_necessary_pairs_find(necessary, channel, &pairs, err));
    NB_TRY(nb_cardinality_matching(n, n, pairs.row_start, pairs.column,
                                   out->source, out->destination_cover,
                                   out->source_cover, &out->size, err));
done:
    nb_necessary_pairs_release(&pairs);
    return status;
}

static enum nb_status necessary_task(void *context, int thread, size_t index,
                                     struct nb_text *result,
                                     struct nb_error *err)
{
    (void)thread;
    const struct necessary_work *work = context;
    const size_t n = work->out->sides.count;
    struct necessary_solution solution = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(necessary_solve(work->necessary, work->out->bounds[index].channel,
                           &solution, err));
    nb_pack_whole(result, solution.size);
    for (uint32_t s = 0; s < 2 * n; s++)
        if (s < n ? solution.source_cover[s]
                  : solution.destination_cover[s - n])
            nb_pack(result, &s, sizeof s);
done:
    nb_pool_release(&solution.pool);
    return status;
}

static enum nb_status necessary_take(void *context, size_t index,
                                     struct nb_packed *result, bool *is_enough,
                                     struct nb_error *err)
{
    const struct necessary_work *work = context;
    struct nb_necessary_bound *bound = &work->out->bounds[index];
    enum nb_status status = NB_OK;
    (void)is_enough;
    bound->size = (size_t)nb_unpack_count(result, sizeof *bound->cover);
    NB_TRY(
        nb_new(&bound->cover, bound->size, sizeof *bound->cover, "cover", err));
    bound->cover_count = bound->size; /* by Koenig's theorem */
    nb_unpack(result, bound->cover, bound->size * sizeof *bound->cover);
done:
    return status;
}

/* Solves the worst channel's matching again for its pairs. */
static enum nb_status necessary_match(const struct nb_necessary *necessary,
                                      struct nb_necessary_case *out,
                                      struct nb_error *err)
{
    struct necessary_solution solution = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&out->match, out->sides.count, sizeof *out->match, "matching",
                  err));
    NB_TRY(necessary_solve(necessary, out->bounds[out->worst].channel,
                           &solution, err));
    for (size_t s = 0; s < out->sides.count; s++)
        out->match[s] = NB_NONE;
    for (size_t s = 0; s < out->sides.count; s++)
        if (solution.source[s] != NB_UNMATCHED)
            out->match[solution.source[s]] = (uint32_t)s;
done:
    nb_pool_release(&solution.pool);
    return status;
}

/* size_a / b_a > size_b / b_b, exactly: sizes stay below 2^32 and each half
 * of a product of two 64-bit numbers below 2^64, so nothing overflows. */
static bool necessary_is_worse(const struct nb_topology *topology,
                               const struct nb_necessary_bound *a,
                               const struct nb_necessary_bound *b)
{
    const struct nb_ratio band_a = topology->channels[a->channel].bandwidth;
    const struct nb_ratio band_b = topology->channels[b->channel].bandwidth;
    const nb_uint128 left =
        (nb_uint128)(uint64_t)band_b.numerator * (uint64_t)band_a.denominator;
    const nb_uint128 right =
        (nb_uint128)(uint64_t)band_a.numerator * (uint64_t)band_b.denominator;
    const nb_uint128 low_left = (nb_uint128)(uint64_t)left * a->size;
    const nb_uint128 low_right = (nb_uint128)(uint64_t)right * b->size;
    const nb_uint128 high_left = (left >> 64) * a->size + (low_left >> 64);
    const nb_uint128 high_right = (right >> 64) * b->size + (low_right >> 64);
    return high_left != high_right ? high_left > high_right
                                   : (uint64_t)low_left > (uint64_t)low_right;
}

/* Shared by solving and checking: finds the worst channel by the sizes of the
 * bounds, and fills load and throughput. */
static void necessary_case_conclude(const struct nb_topology *topology,
                                    struct nb_necessary_case *out)
{
    out->worst = 0;
    for (size_t b = 1; b < out->bound_count; b++)
        if (necessary_is_worse(topology, &out->bounds[b],
                               &out->bounds[out->worst]))
            out->worst = b;
    const struct nb_necessary_bound *most = &out->bounds[out->worst];
    const struct nb_ratio bandwidth =
        topology->channels[most->channel].bandwidth;
    out->load = (int64_t)most->size * out->sides.multiplicity;
    out->throughput =
        nb_enclosure_divide(nb_enclosure_of_ratio(bandwidth),
                            nb_enclosure_of_ratio(nb_ratio_make(out->load, 1)));
}

enum nb_status nb_necessary_case_find(const struct nb_routing *routing,
                                      const struct nb_run *run,
                                      struct nb_necessary_case *out,
                                      struct nb_error *err)
{
    struct nb_focus focus = { 0 };
    struct nb_necessary necessary = { 0 };
    struct necessary_work work = { &necessary, out };
    enum nb_status status = NB_OK;
    *out = (struct nb_necessary_case){ 0 };
    NB_TRY(nb_routing_check(routing, err));
    if (!routing->kind->is_adaptive || !routing->is_minimal)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "routing %s does not take any shortest path "
                       "(permitted: adaptive minimal schemes, any-minimal)",
                       routing->kind->kind.name));
    NB_TRY(nb_sides_find(routing->topology, &out->sides, err));
    NB_TRY(nb_focus_find(routing, &focus, err));
    NB_TRY(nb_new(&out->bounds, focus.channels.count, sizeof *out->bounds,
                  "necessary case", err));
    out->bound_count = focus.channels.count;
    for (size_t b = 0; b < focus.channels.count; b++) {
        const uint32_t c = focus.channels.first[b];
        out->bounds[b].channel = c;
        out->bounds[b].source = focus.topology->channels[c].source;
        out->bounds[b].target = focus.topology->channels[c].target;
        out->bounds[b].orbit_size = focus.channels.length[b];
    }
    NB_TRY(nb_necessary_find(routing, &out->sides, run, &necessary, err));
    NB_TRY(nb_deal_tasks(run,
                         &(struct nb_tasks){ .what = "matchings",
                                             .count = out->bound_count,
                                             .work = necessary_task,
                                             .take = necessary_take,
                                             .context = &work },
                         err));
    necessary_case_conclude(routing->topology, out);
    NB_TRY(necessary_match(&necessary, out, err));
done:
    nb_necessary_release(&necessary);
    nb_focus_release(&focus);
    if (status != NB_OK)
        nb_necessary_case_release(out);
    return status;
}

void nb_necessary_case_release(struct nb_necessary_case *found)
{
    for (size_t b = 0; b < found->bound_count; b++)
        nb_delete(found->bounds[b].cover);
    nb_delete(found->bounds);
    nb_delete(found->match);
    nb_sides_release(&found->sides);
    *found = (struct nb_necessary_case){ 0 };
}

/* Checking a claimed necessary case without solving. */

/* The tasks: task b checks the cover of bound b. */
struct check_work {
    const struct nb_necessary *necessary;
    const struct nb_necessary_case *claimed;
};

/* The form of the claim: one bound per focus channel, its cover of the size
 * claimed. */
static enum nb_status check_form(const struct nb_routing *routing,
                                 const struct nb_necessary_case *claimed,
                                 struct nb_error *err)
{
    struct nb_focus focus = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_focus_find(routing, &focus, err));
    if (claimed->bound_count != focus.channels.count)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "%zu channel bounds, but %zu focus channels",
                       claimed->bound_count, focus.channels.count));
    if (claimed->worst >= claimed->bound_count)
        NB_TRY(nb_fail(err, NB_REFUTED, "no bound is marked as the worst"));
    for (size_t b = 0; b < claimed->bound_count; b++) {
        const struct nb_necessary_bound *bound = &claimed->bounds[b];
        if (bound->channel != focus.channels.first[b] ||
            bound->orbit_size != focus.channels.length[b])
            NB_TRY(nb_channel_refute(
                bound->channel, "is not the focus channel expected here", err));
        if (bound->cover_count != bound->size)
            NB_TRY(nb_fail(err, NB_REFUTED,
                           "channel %u: %zu sides in the cover, not %zu",
                           bound->channel, bound->cover_count, bound->size));
        for (size_t k = 0; k < bound->size; k++)
            if (bound->cover[k] >= 2 * claimed->sides.count)
                NB_TRY(nb_channel_refute(bound->channel,
                                         "its cover has an unknown side", err));
    }
done:
    nb_focus_release(&focus);
    return status;
}

static enum nb_status check_cover(void *context, int thread, size_t index,
                                  struct nb_error *err)
{
    (void)thread;
    const struct check_work *work = context;
    const struct nb_sides *sides = &work->claimed->sides;
    const struct nb_necessary_bound *bound = &work->claimed->bounds[index];
    struct nb_necessary_pairs pairs = { 0 };
    bool *is_covered = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&is_covered, 2 * sides->count, sizeof *is_covered, "check",
                  err));
    for (size_t k = 0; k < bound->cover_count; k++)
        is_covered[bound->cover[k]] = true;
    NB_TRY(
        nb_necessary_pairs_find(work->necessary, bound->channel, &pairs, err));
    for (size_t j = 0; j < sides->count; j++) {
        for (size_t k = pairs.row_start[j];
             k < pairs.row_start[j + 1] && !is_covered[sides->count + j]; k++)
            if (!is_covered[pairs.column[k]])
                NB_TRY(nb_fail(err, NB_REFUTED,
                               "channel %u: the cover misses router %u to "
                               "router %u",
                               bound->channel, sides->router[pairs.column[k]],
                               sides->router[j]));
    }
done:
    nb_delete(is_covered);
    nb_necessary_pairs_release(&pairs);
    return status;
}

/* Checks that sources have distinct destinations and that each pair is a
 * necessary one. Marks are source + 1 of each destination. */
static enum nb_status check_pairs(const struct nb_necessary_case *claimed,
                                  const struct nb_necessary_pairs *pairs,
                                  const uint32_t *mark, struct nb_error *err)
{
    const struct nb_sides *sides = &claimed->sides;
    const uint32_t channel = claimed->bounds[claimed->worst].channel;
    for (size_t j = 0; j < sides->count; j++) {
        bool is_necessary = mark[j] == 0;
        for (size_t k = pairs->row_start[j];
             k < pairs->row_start[j + 1] && !is_necessary; k++)
            is_necessary = pairs->column[k] + 1 == mark[j];
        if (!is_necessary)
            return nb_fail(err, NB_REFUTED,
                           "channel %u: router %u to router %u has shortest "
                           "paths without it",
                           channel, sides->router[mark[j] - 1],
                           sides->router[j]);
    }
    return NB_OK;
}

/* Checks that the matching has one pair per side in the worst channel's
 * cover. */
static enum nb_status check_matching(const struct nb_necessary *necessary,
                                     const struct nb_necessary_case *claimed,
                                     struct nb_error *err)
{
    const struct nb_necessary_bound *most = &claimed->bounds[claimed->worst];
    const size_t n = claimed->sides.count;
    struct nb_necessary_pairs pairs = { 0 };
    uint32_t *mark = NULL;
    size_t matched = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&mark, n, sizeof *mark, "check", err));
    for (size_t i = 0; i < n; i++) {
        const uint32_t j = claimed->match[i];
        if (j == NB_NONE)
            continue;
        if (j >= n || mark[j] != 0)
            NB_TRY(nb_fail(err, NB_REFUTED,
                           "invalid matching: router %u sends to a taken "
                           "place",
                           claimed->sides.router[i]));
        mark[j] = (uint32_t)i + 1;
        matched++;
    }
    if (matched != most->size)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "channel %u: %zu pairs are matched, but %zu sides "
                       "cover",
                       most->channel, matched, most->size));
    NB_TRY(nb_necessary_pairs_find(necessary, most->channel, &pairs, err));
    NB_TRY(check_pairs(claimed, &pairs, mark, err));
done:
    nb_delete(mark);
    nb_necessary_pairs_release(&pairs);
    return status;
}

enum nb_status nb_necessary_case_check(const struct nb_routing *routing,
                                       const struct nb_run *run,
                                       struct nb_necessary_case *claimed,
                                       struct nb_error *err)
{
    struct nb_necessary necessary = { 0 };
    struct check_work work = { &necessary, claimed };
    const size_t worst = claimed->worst;
    enum nb_status status = NB_OK;
    NB_TRY(nb_routing_check(routing, err));
    NB_TRY(nb_channel_check_sides(routing->topology, &claimed->sides, err));
    NB_TRY(check_form(routing, claimed, err));
    NB_TRY(nb_necessary_find(routing, &claimed->sides, run, &necessary, err));
    NB_TRY(check_matching(&necessary, claimed, err));
    NB_TRY(nb_run_tasks(run, "check of covers", claimed->bound_count,
                        check_cover, &work, err));
    necessary_case_conclude(routing->topology, claimed);
    if (claimed->worst != worst)
        status = nb_channel_refute(
            claimed->bounds[claimed->worst].channel,
            "is the first channel this bad, not the one marked", err);
done:
    nb_necessary_release(&necessary);
    return status;
}
