/* A step of Newton's method for all pairs at once (declared in
 * assignment_work.h). Moving flow pair by pair is slow where pairs share many
 * channels; near the answer this is not. */
#include "queueing/assignment_step.h"

#include "core/try.h"

#include <math.h>

enum { NEWTON_HALVINGS = 12 };

/* The changes of flows by a part of the step, into trial: what would fall
 * below 0 is 0, and the others of its pair give way in proportion. */
static void newton_try(const struct nb_assignment_work *work,
                       struct nb_assignment_step *step, double part)
{
    size_t v = 0;
    for (size_t p = 0; p < work->pair_count; p++) {
        const struct nb_assignment_pair *pair = &work->pair[p];
        double sum = 0;
        for (size_t w = 0; w < pair->way_count; w++) {
            step->trial[v + w] =
                fmax(pair->way[w].flow + part * step->step[v + w], 0);
            sum += step->trial[v + w];
        }
        for (size_t w = 0; w < pair->way_count; w++, v++)
            step->trial[v] =
                step->trial[v] * (pair->demand / sum) - pair->way[w].flow;
    }
}

/* Sets loads and prices for the flows to be tried. Whether the prices there
 * still favour the move, or oppose it half as much as they favoured it. */
static bool newton_is_good(struct nb_assignment_work *work,
                           struct nb_assignment_step *step)
{
    double favour = 0, oppose = 0;
    nb_assignment_step_spread(work, step, step->trial);
    for (uint32_t c = 0; c < work->topology->channel_count; c++) {
        work->load[c] = step->before[c];
        nb_assignment_price(work, c);
        favour -= work->price[c] * step->change[c];
        work->load[c] += step->change[c];
        nb_assignment_price(work, c);
        oppose += work->price[c] * step->change[c];
    }
    return favour > 0 && oppose <= favour / 2;
}

static void newton_accept(struct nb_assignment_work *work,
                          const struct nb_assignment_step *step)
{
    size_t v = 0;
    for (size_t p = 0; p < work->pair_count; p++)
        for (size_t w = 0; w < work->pair[p].way_count; w++, v++)
            work->pair[p].way[w].flow =
                fmax(work->pair[p].way[w].flow + step->trial[v], 0);
}

enum nb_status nb_assignment_newton(struct nb_assignment_work *work, int passes,
                                    struct nb_error *err)
{
    const size_t channels = work->topology->channel_count;
    struct nb_assignment_step step = { 0 };
    enum nb_status status = NB_OK;
    bool is_done = false;
    NB_TRY(nb_assignment_step_init(work, &step, err));
    nb_assignment_step_solve(work, &step, passes);
    for (size_t c = 0; c < channels; c++)
        step.before[c] = work->load[c];
    double part = 1;
    for (int i = 0; i < NEWTON_HALVINGS && !is_done; i++, part /= 2) {
        newton_try(work, &step, part);
        is_done = newton_is_good(work, &step);
    }
    if (is_done)
        newton_accept(work, &step);
    for (uint32_t c = 0; c < channels && !is_done; c++) {
        work->load[c] = step.before[c];
        nb_assignment_price(work, c);
    }
done:
    nb_assignment_step_release(&step);
    return status;
}
