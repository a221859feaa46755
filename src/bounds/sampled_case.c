#include "bounds/sampled_case.h"

#include "bounds/sampled_work.h"
#include "core/memory.h"
#include "load/confidence.h"
#include "traffic/traffic.h"

#include <math.h>

void nb_sampled_case_release(struct nb_sampled_case *worst)
{
    nb_delete(worst->permutation);
    nb_delete(worst->load);
    nb_sides_release(&worst->sides);
    *worst = (struct nb_sampled_case){ 0 };
}

/*
 * With way-points anywhere a packet's crossings are those on its way from the
 * source to some router and those from there to the destination: a(i) + b(j),
 * so that every permutation loads a channel as uniform traffic does.
 */
static enum nb_status sampled_anywhere(const struct nb_routing *routing,
                                       const struct nb_path_sample *sample,
                                       const struct nb_run *run,
                                       struct nb_sampled_case *out,
                                       struct nb_error *err)
{
    struct nb_traffic uniform = { 0 };
    struct nb_sampled_loads loads = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_traffic_build("uniform", routing->topology, true, &uniform, err));
    NB_TRY(nb_sampled_loads_find(routing, &uniform, sample, run, &loads, err));
    for (uint32_t s = 0; s < out->sides.count; s++)
        out->permutation[s] = s;
    out->search_paths = sample->paths;
    out->channel = loads.worst_channel;
    out->share = loads.share;
    out->load = loads.load;
    loads.load = NULL;
done:
    nb_sampled_loads_release(&loads);
    nb_traffic_release(&uniform);
    return status;
}

/* Of each pair of the permutation, as many in all as `share` of each pair of
 * routers where sides are routers; twice as many where the search's upper limit
 * is so close that the greater part of the interval lay below the estimate. */
static uint32_t sampled_check_paths(const struct nb_pair_sample *pairs,
                                    uint32_t share,
                                    const struct nb_sampled_case *out)
{
    const struct nb_channel *channel =
        &pairs->routing->topology->channels[out->channel];
    const double scale =
        out->sides.multiplicity / nb_ratio_value(channel->bandwidth);
    const uint32_t few = share * (uint32_t)pairs->n;
    const double below =
        nb_confidence_deviations(1) * sqrt(out->share.value * scale / few);
    const bool is_close = below > 1.5 * (out->share.upper - out->share.value);
    return is_close || few < 2 ? 2 * few : few;
}

/* Twice the paths asked for in all, an eighth of these for the check: what the
 * upper limit needs is more. */
static enum nb_status sampled_anything(const struct nb_routing *routing,
                                       const struct nb_path_sample *sample,
                                       const struct nb_run *run,
                                       struct nb_sampled_case *out,
                                       struct nb_error *err)
{
    const uint32_t check = sample->paths / 4 + (sample->paths % 4 > 0);
    struct nb_focus focus = { 0 };
    struct nb_pair_sample pairs = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_pair_sample_init(routing, sample, &pairs, err));
    nb_pair_sample_resize(&pairs, 2 * (double)sample->paths - check);
    out->search_paths = pairs.sample.paths;
    NB_TRY(nb_new(&out->load, routing->topology->channel_count,
                  sizeof *out->load, "loads", err));
    NB_TRY(nb_focus_find(routing, &focus, err));
    NB_TRY(nb_sampled_search(&pairs, &focus, run, out, err));
    out->check_paths = sampled_check_paths(&pairs, check, out);
    NB_TRY(nb_sampled_check(&pairs, run, out, err));
    /* The interval holds its estimate, even where chance put it outside. */
    if (out->share.upper < out->share.value)
        out->share.upper = out->share.value;
done:
    nb_focus_release(&focus);
    nb_pair_sample_release(&pairs);
    return status;
}

enum nb_status nb_sampled_case_find(const struct nb_routing *routing,
                                    const struct nb_path_sample *sample,
                                    const struct nb_run *run,
                                    struct nb_sampled_case *out,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_sampled_case){ 0 };
    NB_TRY(nb_sides_find(routing->topology, &out->sides, err));
    NB_TRY(nb_new(&out->permutation, out->sides.count, sizeof(uint32_t),
                  "permutation", err));
    NB_TRY(routing->intermediate == NB_ANYWHERE
               ? sampled_anywhere(routing, sample, run, out, err)
               : sampled_anything(routing, sample, run, out, err));
done:
    if (status != NB_OK)
        nb_sampled_case_release(out);
    return status;
}
