#include "bounds/optimum/best_flow_work.h"

#include "core/clock.h"
#include "core/memory.h"

#include <math.h>

/* A network whose searches cross fewer channels is searched by one thread:
 * waking others takes longer. */
#define WORK_PARALLEL_CROSSINGS 2e5

/* Beyond so many rows the simplex method takes more than a minute; those of
 * pairs, most of which have one path or two, are quicker by far. */
enum { WORK_MOST_ROWS = 3000, WORK_QUICK_ROWS = 4 };

/* What a pair of routers with two short paths takes, for a start. */
enum { WORK_PAIR_BYTES = 256 };

double nb_flow_left(struct nb_flow_work *work)
{
    const double left = work->deadline - nb_clock_now();
    if (left <= 0)
        work->was_stopped = true;
    return left;
}

/* Divides by the power of two that brings the greatest below 1: what comes
 * out of the linear program is then of moderate size. */
static void work_scale(size_t count, double *value)
{
    double most = 0;
    int exponent;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, value[k]);
    frexp(most, &exponent);
    for (size_t k = 0; k < count; k++)
        value[k] = ldexp(value[k], -exponent);
}

static void work_fill(struct nb_flow_work *work)
{
    const struct nb_flow_orbits *orbits = &work->orbits;
    for (size_t o = 0; o < orbits->pair_count; o++) {
        work->demand[o] =
            (double)orbits->pair[o].rate * (double)orbits->pair[o].size;
        work->newest[o] = NB_NONE;
    }
    for (size_t k = 0; k < orbits->line_count; k++) {
        const struct nb_flow_line *line = &orbits->line[k];
        work->band[k] =
            nb_ratio_value(
                orbits->topology->channels[line->channel].bandwidth) *
            line->size;
        work->price[k] = work->best_price[k] = 1;
    }
    work_scale(orbits->pair_count, work->demand);
    work_scale(orbits->line_count, work->band);
}

/* Orbits come by destination. */
static enum nb_status work_group(struct nb_flow_work *work,
                                 struct nb_error *err)
{
    const struct nb_flow_orbits *orbits = &work->orbits;
    size_t count = 0;
    for (size_t o = 0; o < orbits->pair_count; o++)
        count += o == 0 ||
                 orbits->pair[o].destination != orbits->pair[o - 1].destination;
    const enum nb_status status =
        nb_new(&work->group, count, sizeof *work->group, "destinations", err);
    if (status != NB_OK)
        return status;
    work->group_count = count;
    count = 0;
    for (size_t o = 0; o < orbits->pair_count; o++) {
        const uint32_t destination = orbits->pair[o].destination;
        if (o == 0 || destination != orbits->pair[o - 1].destination)
            work->group[count++] = (struct nb_flow_group){
                .destination = destination,
                .begin = o,
            };
        work->group[count - 1].end = o + 1;
    }
    return NB_OK;
}

static enum nb_status work_reserve_searches(struct nb_flow_work *work,
                                            struct nb_error *err)
{
    if ((double)work->group_count *
            (double)work->orbits.topology->channel_count <
        WORK_PARALLEL_CROSSINGS)
        work->run.threads = 1;
    const int count = nb_run_threads(&work->run, work->group_count);
    enum nb_status status = nb_new(&work->search, (size_t)count,
                                   sizeof *work->search, "searches", err);
    for (int k = 0; status == NB_OK && k < count; k++) {
        status =
            nb_path_search_init(work->question->class, &work->search[k], err);
        work->search_count += status == NB_OK;
    }
    return status;
}

enum nb_status
nb_flow_check_question(const struct nb_best_flow_question *question,
                       struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_path_class_check(question->class, question->topology, err));
    NB_TRY(nb_traffic_check(question->traffic, question->topology, err));
    if (!(question->gap >= 0 && question->seconds > 0))
        status = nb_fail(err, NB_INVALID,
                         "optimal flow to a gap of %g in %g seconds "
                         "(permitted: a gap of 0 and more, more than 0 "
                         "seconds)",
                         question->gap, question->seconds);
done:
    return status;
}

enum nb_status nb_flow_work_init(const struct nb_best_flow_question *question,
                                 const struct nb_run *run,
                                 struct nb_flow_work *work,
                                 struct nb_error *err)
{
    enum nb_status status;
    *work = (struct nb_flow_work){
        .question = question,
        .run = run != NULL ? *run : (struct nb_run){ 0 },
        .deadline = nb_clock_now() + question->seconds,
        .least_load = INFINITY,
    };
    NB_TRY(nb_flow_orbits_init(question, &work->orbits, err));
    const size_t pairs = work->orbits.pair_count;
    const size_t lines = work->orbits.line_count;
    const size_t channels = question->topology->channel_count;
    work->is_large = lines + pairs / WORK_QUICK_ROWS > WORK_MOST_ROWS;
    NB_TRY(nb_memory_require((double)pairs * WORK_PAIR_BYTES,
                             "paths of all pairs", err));
    NB_TRY(nb_new(&work->demand, pairs, sizeof(double), "demands", err));
    NB_TRY(nb_new(&work->newest, pairs, sizeof(uint32_t), "paths", err));
    NB_TRY(nb_new(&work->distance, pairs, sizeof(int64_t), "distances", err));
    NB_TRY(nb_new(&work->band, lines, sizeof(double), "bandwidths", err));
    NB_TRY(nb_new(&work->load, lines, sizeof(double), "loads", err));
    NB_TRY(nb_new(&work->price, lines, sizeof(double), "lengths", err));
    NB_TRY(nb_new(&work->best_price, lines, sizeof(double), "lengths", err));
    NB_TRY(nb_new(&work->length, channels, sizeof(int64_t), "lengths", err));
    work_fill(work);
    NB_TRY(work_group(work, err));
    NB_TRY(work_reserve_searches(work, err));
done:
    return status;
}

void nb_flow_work_release(struct nb_flow_work *work)
{
    nb_flow_orbits_release(&work->orbits);
    nb_delete(work->demand);
    nb_delete(work->band);
    nb_delete(work->path);
    nb_delete(work->channel);
    nb_delete(work->newest);
    for (size_t g = 0; g < work->group_count; g++)
        nb_delete(work->group[g].word);
    nb_delete(work->group);
    for (int k = 0; k < work->search_count; k++)
        nb_path_search_release(&work->search[k]);
    nb_delete(work->search);
    nb_delete(work->price);
    nb_delete(work->length);
    nb_delete(work->distance);
    nb_delete(work->load);
    nb_delete(work->best_price);
    *work = (struct nb_flow_work){ 0 };
}

void nb_flow_lengths(const struct nb_flow_work *work, const double *price,
                     int64_t *length)
{
    const struct nb_flow_orbits *orbits = &work->orbits;
    double most = 0;
    for (size_t k = 0; k < orbits->line_count; k++)
        most = fmax(most, price[k]);
    for (size_t c = 0; c < orbits->topology->channel_count; c++)
        length[c] = llround(price[orbits->line_of[c]] / most * 0x1p40);
}

double nb_flow_load(struct nb_flow_work *work)
{
    const size_t lines = work->orbits.line_count;
    double most = 0;
    for (size_t k = 0; k < lines; k++)
        work->load[k] = 0;
    for (size_t p = 0; p < work->path_count; p++) {
        const struct nb_flow_path *path = &work->path[p];
        const double flow = path->share * work->demand[path->orbit];
        for (uint32_t h = 0; flow > 0 && h < path->length; h++)
            work->load[nb_flow_line_at(work, path, h)] += flow;
    }
    for (size_t k = 0; k < lines; k++)
        most = fmax(most, work->load[k] / work->band[k]);
    return most;
}

void nb_flow_keep(struct nb_flow_work *work, double top)
{
    work->least_load = fmin(work->least_load, top);
    for (size_t p = 0; p < work->path_count; p++)
        work->path[p].best = work->path[p].share;
}

bool nb_flow_is_within(const struct nb_flow_work *work, double gap)
{
    return work->least_load <= (1 + gap) * work->most_bound;
}
