/* Checking a claimed necessary case without solving (declared in
 * necessary_case.h). */
#include "bounds/worst_case/necessary_case.h"

#include "bounds/worst_case/channel_check.h"
#include "core/memory.h"

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
    if (claimed->bound_count != focus.focus_count)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "%zu channel bounds, but %zu focus channels",
                       claimed->bound_count, focus.focus_count));
    if (claimed->worst >= claimed->bound_count)
        NB_TRY(nb_fail(err, NB_REFUTED, "no bound is named the worst"));
    for (size_t b = 0; b < claimed->bound_count; b++) {
        const struct nb_necessary_bound *bound = &claimed->bounds[b];
        if (bound->channel != focus.focus[b] ||
            bound->orbit_size != focus.orbit_size[b])
            NB_TRY(nb_channel_refute(bound->channel,
                                     "is not a focus channel so", err));
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

/* Each source's destination is its own, and the pair a necessary one. Marks
 * are source + 1 of each destination. */
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

/* The matching must have as many pairs as the worst channel's cover sides. */
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
                           "the matching is none: router %u sends to a taken "
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
    nb_necessary_case_conclude(routing->topology, claimed);
    if (claimed->worst != worst)
        status = nb_channel_refute(claimed->bounds[claimed->worst].channel,
                                   "is the first so bad, not the channel named",
                                   err);
done:
    nb_necessary_release(&necessary);
    return status;
}
