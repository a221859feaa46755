/* The second half of a sampled case: new paths for one permutation (declared
 * in sampled_work.h). */
#include "bounds/worst_case/sampled_work.h"

#include "core/memory.h"
#include "load/confidence.h"
#include "load/path_tally.h"

#include <math.h>

/* Task s: the paths of the s-th side. */
struct check_work {
    const struct nb_pair_sample *sample;
    const struct nb_sampled_case *worst;
    struct nb_path_cell *cell;   /* [sides] of the channel */
    struct nb_path_tally *tally; /* [thread] */
};

static enum nb_status check_task(void *context, int thread, size_t index,
                                 struct nb_error *err)
{
    const struct check_work *work = context;
    const struct nb_sampled_case *worst = work->worst;
    const struct nb_routing *routing = work->sample->routing;
    const uint64_t routers = routing->topology->router_count;
    const uint32_t source = worst->sides.router[index];
    const uint32_t destination = worst->sides.router[worst->permutation[index]];
    struct nb_path_tally *tally = &work->tally[thread];
    enum nb_status status = NB_OK;
    if (!nb_follow_moves(routing, source, destination))
        return NB_OK;
    /* The search has the streams below routers^2. */
    NB_TRY(nb_path_tally_draw(tally, source, destination, worst->check_paths,
                              work->sample->sample.seed,
                              routers * routers + index, err));
    work->cell[index] = tally->cell[worst->channel];
done:
    return status;
}

/* The sum over the sides, and how far its mean may lie below. */
static void check_conclude(const struct check_work *work,
                           struct nb_sampled_case *out)
{
    const struct nb_topology *topology = work->sample->routing->topology;
    const double paths = out->check_paths;
    double sum = 0, variance = 0, third = 0, range = 0;
    for (size_t s = 0; s < out->sides.count; s++) {
        const double own = (double)work->cell[s].sum;
        sum += own;
        variance +=
            nb_sample_variance(own, (double)work->cell[s].squares, paths);
        third += paths > 2 ? nb_sample_third(own, (double)work->cell[s].squares,
                                             (double)work->cell[s].cubes, paths)
                           : 0;
        range = fmax(range, own / paths);
    }
    /* Every path counts 1 / paths: the paths of a side have the variance of
     * one of them over their number. */
    if (paths > 2) /* two tell no third cumulant */
        range = nb_confidence_slope(variance, -third, range);
    const double margin = nb_confidence_margin(variance / paths, range / paths,
                                               nb_confidence_deviations(1));
    const double scale =
        out->sides.multiplicity /
        nb_ratio_value(topology->channels[out->channel].bandwidth);
    out->share.value = sum / paths * scale;
    out->share.lower = fmax(sum / paths - margin, 0) * scale;
}

enum nb_status nb_sampled_check(const struct nb_pair_sample *sample,
                                const struct nb_run *run,
                                struct nb_sampled_case *out,
                                struct nb_error *err)
{
    const size_t sides = out->sides.count;
    const int threads = nb_run_threads(run, sides);
    struct check_work work = { .sample = sample, .worst = out };
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&work.cell, sides, sizeof *work.cell, "paths", err));
    NB_TRY(nb_new(&work.tally, (size_t)threads, sizeof *work.tally, "scratch",
                  err));
    for (int t = 0; t < threads; t++)
        NB_TRY(nb_path_tally_init(sample->routing, NULL, &work.tally[t], err));
    NB_TRY(nb_run_tasks(run, "sampled paths", sides, check_task, &work, err));
    check_conclude(&work, out);
done:
    for (int t = 0; t < threads && work.tally != NULL; t++)
        nb_path_tally_release(&work.tally[t]);
    nb_delete(work.tally);
    nb_delete(work.cell);
    return status;
}
