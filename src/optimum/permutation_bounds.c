#include "optimum/permutation_bounds.h"

#include "optimum/adversary.h"
#include "optimum/best_flow.h"
#include "core/memory.h"
#include "core/random.h"

#include <math.h>

struct bounds_work {
    const struct nb_permutation_bounds_question *question;
    struct nb_path_class any;
    struct nb_sides terminals; /* each is a side of its own */
    uint32_t *permutation;     /* [thread * terminals] */
    struct nb_permutation_bounds *out;
};

static void bounds_draw(const struct bounds_work *work, size_t index,
                        uint32_t *permutation)
{
    struct nb_random random;
    nb_random_init(&random, work->question->seed, index);
    nb_random_permutation(&random, (uint32_t)work->terminals.count,
                          permutation);
}

static enum nb_status bounds_solve(const struct bounds_work *work,
                                   const struct nb_path_class *path_class,
                                   const struct nb_traffic *traffic,
                                   struct nb_enclosure *out,
                                   struct nb_error *err)
{
    const struct nb_run run = { .threads = 1 };
    const struct nb_best_flow_question question = {
        .topology = path_class->topology,
        .traffic = traffic,
        .path_class = path_class,
        .gap = work->question->gap,
        .seconds = INFINITY,
        .ignores_symmetry = true,
    };
    struct nb_best_flow flow = { 0 };
    const enum nb_status status =
        nb_best_flow_find(&question, &run, &flow, err);
    *out = flow.throughput;
    nb_best_flow_release(&flow);
    return status;
}

static enum nb_status bounds_task(void *context, int thread, size_t index,
                                  struct nb_error *err)
{
    const struct bounds_work *work = context;
    uint32_t *permutation =
        work->permutation + (size_t)thread * work->terminals.count;
    struct nb_traffic traffic = { 0 };
    enum nb_status status;
    bounds_draw(work, index, permutation);
    NB_TRY(nb_adversary_traffic(work->any.topology, &work->terminals,
                                permutation, &traffic, err));
    NB_TRY(bounds_solve(work, work->question->path_class, &traffic,
                        &work->out->scheme[index], err));
    NB_TRY(
        bounds_solve(work, &work->any, &traffic, &work->out->any[index], err));
done:
    nb_traffic_release(&traffic);
    return status;
}

static enum nb_status bounds_list_terminals(struct bounds_work *work,
                                            struct nb_error *err)
{
    const struct nb_topology *topology = work->any.topology;
    struct nb_sides *sides = &work->terminals;
    const enum nb_status status =
        nb_new(&sides->router, topology->terminal_count, sizeof(uint32_t),
               "terminals", err);
    sides->multiplicity = 1;
    for (uint32_t r = 0; status == NB_OK && r < topology->router_count; r++)
        for (uint32_t t = 0; t < topology->terminals[r]; t++)
            sides->router[sides->count++] = r;
    return status;
}

/* Sets the worst permutation and draws it again. */
static void bounds_conclude(const struct bounds_work *work)
{
    struct nb_permutation_bounds *out = work->out;
    for (size_t i = 1; i < out->count; i++)
        if (out->scheme[i].upper < out->scheme[out->worst].upper)
            out->worst = i;
    bounds_draw(work, out->worst, out->worst_permutation);
}

/* The scheme's paths are among any paths, so neither bracket needs to go beyond
 * the other's end. */
static void bounds_cut(struct nb_permutation_bounds *bounds)
{
    for (size_t i = 0; i < bounds->count; i++) {
        struct nb_enclosure *own = &bounds->scheme[i], *all = &bounds->any[i];
        if (!nb_ratio_is_known(own->exact))
            own->upper = fmin(own->upper, all->upper);
        if (!nb_ratio_is_known(all->exact))
            all->lower = fmax(all->lower, own->lower);
    }
}

enum nb_status nb_permutation_bounds_find(
    const struct nb_permutation_bounds_question *question,
    const struct nb_run *run, struct nb_permutation_bounds *out,
    struct nb_error *err)
{
    static const char what[] = "permutations";
    const struct nb_topology *topology = question->path_class->topology;
    const size_t count = question->count;
    struct bounds_work work = { .question = question, .out = out };
    enum nb_status status;
    *out = (struct nb_permutation_bounds){ 0 };
    NB_TRY(nb_path_class_init(topology, NB_PATHS_ANY, nb_ratio_one, &work.any,
                              err));
    NB_TRY(bounds_list_terminals(&work, err));
    const size_t terminals = work.terminals.count;
    const size_t threads = (size_t)nb_run_threads(run, count);
    NB_TRY(
        nb_memory_require((double)count * 2 * sizeof *out->scheme, what, err));
    NB_TRY(nb_new(&out->scheme, count, sizeof *out->scheme, what, err));
    NB_TRY(nb_new(&out->any, count, sizeof *out->any, what, err));
    NB_TRY(nb_new(&out->worst_permutation, terminals, sizeof(uint32_t), what,
                  err));
    NB_TRY(nb_new(&work.permutation, threads * terminals, sizeof(uint32_t),
                  what, err));
    out->count = count;
    out->terminal_count = terminals;
    NB_TRY(nb_run_tasks(run, what, count, bounds_task, &work, err));
    bounds_conclude(&work);
    bounds_cut(out);
done:
    nb_delete(work.permutation);
    nb_sides_release(&work.terminals);
    if (status != NB_OK)
        nb_permutation_bounds_release(out);
    return status;
}

void nb_permutation_bounds_release(struct nb_permutation_bounds *bounds)
{
    nb_delete(bounds->scheme);
    nb_delete(bounds->any);
    nb_delete(bounds->worst_permutation);
    *bounds = (struct nb_permutation_bounds){ 0 };
}

struct nb_permutation_summary
nb_permutation_summarise(const struct nb_enclosure *found, size_t count,
                         struct nb_enclosure limit)
{
    struct nb_permutation_summary out = {
        .mean = nb_enclosure_of_whole(0),
        .least = nb_enclosure_of_ratio(nb_ratio_infinity),
        .deviation = INFINITY,
    };
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        const struct nb_enclosure value = nb_enclosure_least(found[i], limit);
        if (isinf(value.upper))
            continue;
        out.mean = nb_enclosure_add(out.mean, value);
        out.least = nb_enclosure_least(out.least, value);
        out.busy++;
    }
    if (out.busy == 0) {
        out.mean = (struct nb_enclosure){ { 0, 0 }, 0, INFINITY };
        return out;
    }
    out.mean = nb_enclosure_divide(out.mean,
                                   nb_enclosure_of_whole((uint32_t)out.busy));
    for (size_t i = 0; i < count; i++) {
        const double upper = nb_enclosure_least(found[i], limit).upper;
        if (!isinf(upper))
            squares += (upper - out.mean.upper) * (upper - out.mean.upper);
    }
    if (out.busy > 1)
        out.deviation =
            sqrt(squares / ((double)out.busy * (double)(out.busy - 1)));
    return out;
}
