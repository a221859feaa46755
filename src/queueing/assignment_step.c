#include "queueing/assignment_step.h"

#include "core/memory.h"

#include <math.h>

enum { STEP_ITERATIONS = 200 };
#define STEP_RESIDUAL 1e-4 /* of the gradient, for the next step's sake */

enum nb_status nb_assignment_step_init(const struct nb_assignment_work *work,
                                       struct nb_assignment_step *step,
                                       struct nb_error *err)
{
    const size_t channels = work->topology->channel_count;
    enum nb_status status = NB_OK;
    size_t ways = 0;
    for (size_t p = 0; p < work->pair_count; p++)
        ways += work->pair[p].way_count;
    step->way_count = ways;
    NB_TRY(
        nb_new(&step->basic, work->pair_count, sizeof(size_t), "a step", err));
    NB_TRY(nb_new(&step->is_pinned, ways, sizeof(bool), "a step", err));
    NB_TRY(nb_new(&step->block, 7 * ways + 2 * channels, sizeof(double),
                  "a step", err));
    step->diagonal = step->block;
    step->gain = step->diagonal + ways;
    step->step = step->gain + ways;
    step->residual = step->step + ways;
    step->direction = step->residual + ways;
    step->image = step->direction + ways;
    step->trial = step->image + ways;
    step->change = step->trial + ways;
    step->before = step->change + channels;
done:
    return status;
}

void nb_assignment_step_release(struct nb_assignment_step *step)
{
    nb_delete(step->basic);
    nb_delete(step->is_pinned);
    nb_delete(step->block);
    *step = (struct nb_assignment_step){ 0 };
}

static double step_sum(const double *value, const struct nb_assignment_way *way)
{
    double sum = 0;
    for (size_t i = 0; i < way->length; i++)
        sum += value[way->channel[i]];
    return sum;
}

/* Sets diagonal and gain of a pair's ways, the first of which is number v, by
 * its basic way; pinned ways stay as they are. */
static void step_set_pair(struct nb_assignment_work *work,
                          struct nb_assignment_step *step, size_t p, size_t v)
{
    const struct nb_assignment_pair *pair = &work->pair[p];
    const struct nb_assignment_way *basic = &pair->way[step->basic[p]];
    const double price = step_sum(work->price, basic);
    const double slope = step_sum(work->slope, basic);
    work->stamp++;
    for (size_t i = 0; i < basic->length; i++)
        work->on_best[basic->channel[i]] = work->stamp;
    for (size_t w = 0; w < pair->way_count; w++, v++) {
        const struct nb_assignment_way *way = &pair->way[w];
        double own = slope;
        step->diagonal[v] = 0;
        step->gain[v] = 0;
        if (step->is_pinned[v] || way == basic)
            continue;
        for (size_t i = 0; i < way->length; i++) {
            const uint32_t channel = way->channel[i];
            own += work->on_best[channel] == work->stamp ? -work->slope[channel]
                                                         : work->slope[channel];
        }
        if (own > 0) {
            step->diagonal[v] = own;
            step->gain[v] = price - step_sum(work->price, way);
        }
    }
}

/* Chooses basic ways, and pins what is empty and not worth more. */
static void step_start(struct nb_assignment_work *work,
                       struct nb_assignment_step *step)
{
    for (size_t p = 0, v = 0; p < work->pair_count; p++) {
        const struct nb_assignment_pair *pair = &work->pair[p];
        size_t basic = 0;
        for (size_t w = 1; w < pair->way_count; w++)
            if (pair->way[w].flow > pair->way[basic].flow)
                basic = w;
        step->basic[p] = basic;
        step_set_pair(work, step, p, v);
        for (size_t w = 0; w < pair->way_count; w++, v++) {
            if (pair->way[w].flow == 0 && step->gain[v] <= 0) {
                step->is_pinned[v] = true;
                step->diagonal[v] = 0;
                step->gain[v] = 0;
            }
            step->residual[v] = step->gain[v];
        }
    }
}

void nb_assignment_step_spread(const struct nb_assignment_work *work,
                               struct nb_assignment_step *step,
                               const double *value)
{
    size_t v = 0;
    for (size_t c = 0; c < work->topology->channel_count; c++)
        step->change[c] = 0;
    for (size_t p = 0; p < work->pair_count; p++) {
        const struct nb_assignment_pair *pair = &work->pair[p];
        for (size_t w = 0; w < pair->way_count; w++, v++)
            for (size_t i = 0; i < pair->way[w].length && value[v] != 0; i++)
                step->change[pair->way[w].channel[i]] += value[v];
    }
}

/* Lets the basic ways give what the others take. */
static void step_close(const struct nb_assignment_work *work,
                       const struct nb_assignment_step *step, double *value)
{
    size_t v = 0;
    for (size_t p = 0; p < work->pair_count; p++) {
        const size_t count = work->pair[p].way_count;
        value[v + step->basic[p]] = 0;
        double given = 0;
        for (size_t w = 0; w < count; w++)
            given += value[v + w];
        value[v + step->basic[p]] = -given;
        v += count;
    }
}

/* The matrix times the direction, into image; returns their product. */
static double step_apply(const struct nb_assignment_work *work,
                         struct nb_assignment_step *step)
{
    double product = 0;
    size_t v = 0;
    step_close(work, step, step->direction);
    nb_assignment_step_spread(work, step, step->direction);
    for (size_t c = 0; c < work->topology->channel_count; c++)
        step->change[c] *= work->slope[c];
    for (size_t p = 0; p < work->pair_count; p++) {
        const struct nb_assignment_pair *pair = &work->pair[p];
        const double basic = step_sum(step->change, &pair->way[step->basic[p]]);
        for (size_t w = 0; w < pair->way_count; w++, v++) {
            if (step->diagonal[v] == 0)
                continue;
            step->image[v] = step_sum(step->change, &pair->way[w]) - basic;
            product += step->image[v] * step->direction[v];
        }
    }
    return product;
}

/* The residual's square by the diagonal, which preconditions. */
static double step_measure(const struct nb_assignment_step *step)
{
    double sum = 0;
    for (size_t v = 0; v < step->way_count; v++)
        if (step->diagonal[v] > 0)
            sum += step->residual[v] * step->residual[v] / step->diagonal[v];
    return sum;
}

/* Conjugate gradients from the step on, for the variables there are. */
static void step_descend(const struct nb_assignment_work *work,
                         struct nb_assignment_step *step)
{
    const double first = step_measure(step);
    double measure = first, last = INFINITY;
    for (size_t v = 0; v < step->way_count; v++)
        step->direction[v] = 0;
    for (int i = 0;
         i < STEP_ITERATIONS && measure > STEP_RESIDUAL * STEP_RESIDUAL * first;
         i++) {
        const double keep = measure / last;
        for (size_t v = 0; v < step->way_count; v++)
            if (step->diagonal[v] > 0)
                step->direction[v] = step->residual[v] / step->diagonal[v] +
                                     keep * step->direction[v];
        const double bend = step_apply(work, step);
        if (!(bend > 0))
            return;
        for (size_t v = 0; v < step->way_count; v++) {
            step->step[v] += measure / bend * step->direction[v];
            step->residual[v] -= measure / bend * step->image[v];
        }
        last = measure;
        measure = step_measure(step);
    }
}

/* Pins the ways of a pair that would fall below 0 at 0; if the basic one does,
 * that with most flow then takes its place. Returns whether there were any. */
static bool step_pin_pair(struct nb_assignment_work *work,
                          struct nb_assignment_step *step, size_t p, size_t v)
{
    const struct nb_assignment_pair *pair = &work->pair[p];
    bool has_pinned = false;
    for (size_t w = 0; w < pair->way_count; w++) {
        if (step->is_pinned[v + w] || step->step[v + w] >= -pair->way[w].flow)
            continue;
        step->step[v + w] = -pair->way[w].flow;
        step->is_pinned[v + w] = true;
        has_pinned = true;
    }
    if (!has_pinned)
        return false;
    double most = -INFINITY;
    const bool stays = !step->is_pinned[v + step->basic[p]];
    for (size_t w = 0; w < pair->way_count && !stays; w++) {
        const double flow = pair->way[w].flow + step->step[v + w];
        if (!step->is_pinned[v + w] && flow > most) {
            step->basic[p] = w;
            most = flow;
        }
    }
    step_set_pair(work, step, p, v);
    return true;
}

/* Does so for all pairs, and sets the residual. */
static bool step_pin(struct nb_assignment_work *work,
                     struct nb_assignment_step *step)
{
    bool has_pinned = false;
    step_close(work, step, step->step);
    for (size_t p = 0, v = 0; p < work->pair_count; p++) {
        has_pinned = step_pin_pair(work, step, p, v) || has_pinned;
        v += work->pair[p].way_count;
    }
    if (!has_pinned)
        return false;
    for (size_t v = 0; v < step->way_count; v++)
        step->direction[v] = step->step[v];
    step_apply(work, step);
    for (size_t v = 0; v < step->way_count; v++)
        step->residual[v] =
            step->diagonal[v] > 0 ? step->gain[v] - step->image[v] : 0;
    return true;
}

void nb_assignment_step_solve(struct nb_assignment_work *work,
                              struct nb_assignment_step *step, int passes)
{
    step_start(work, step);
    for (int i = 0; i < passes; i++) {
        step_descend(work, step);
        if (i + 1 == passes || !step_pin(work, step))
            break;
    }
    step_close(work, step, step->step);
}
