/* Solving the program of a best average (declared in best_average_work.h). */
#include "bounds/optimum/best_average_work.h"

#include "core/clock.h"
#include "core/memory.h"

#include <math.h>

/* A load must pass g by this part of it for another row. */
#define SEARCH_TOLERANCE 1e-9

/* What the solution puts on every cell; below 0 by rounding alone. */
static void search_set_values(struct nb_average_program *program)
{
    const struct nb_oblivious_case *here = &program->average->here;
    const size_t cells = here->pair_count * here->topology->channel_count;
    const size_t layers = here->question->class->layer_count;
    for (size_t cell = 0; cell < cells; cell++) {
        program->value[cell] = 0;
        for (size_t layer = 0; layer < layers; layer++) {
            const size_t flow = program->flows.flow[cell * layers + layer];
            if (flow != SIZE_MAX)
                program->value[cell] +=
                    fmax(0, nb_linear_value(program->flows.linear, flow));
        }
    }
}

/* Looking at the loads of one permutation after another. */
struct search_watch {
    struct nb_average_program *program;
    size_t batch;
    double **load; /* [thread][channel_count] per bandwidth */
};

static void search_find_loads(const struct nb_average_program *program,
                              size_t permutation, double *load)
{
    const struct nb_average_case *average = program->average;
    const struct nb_topology *topology = average->here.topology;
    const size_t m = topology->channel_count;
    const uint32_t *pair =
        average->pair + permutation * average->terminal_count;
    for (size_t c = 0; c < m; c++)
        load[c] = 0;
    for (size_t t = 0; t < average->terminal_count; t++)
        for (size_t c = 0; c < m && pair[t] != NB_NONE; c++)
            load[c] += program->value[average->cell[pair[t] * m + c]];
    for (size_t c = 0; c < m; c++)
        load[c] /= nb_ratio_value(topology->channels[c].bandwidth);
}

/* Puts a channel among the worst so far, by falling load; returns their
 * number. */
static size_t search_insert(const double *load, uint32_t channel,
                            uint32_t *worst, size_t count)
{
    size_t at = count;
    while (at > 0 && load[channel] > load[worst[at - 1]])
        at--;
    if (at == NB_AVERAGE_EACH)
        return count;
    count = count < NB_AVERAGE_EACH ? count + 1 : count;
    for (size_t i = count - 1; i > at; i--)
        worst[i] = worst[i - 1];
    worst[at] = channel;
    return count;
}

/* A permutation's peak, and the channels of the greatest loads among those
 * that pass its g and have no row. */
static void search_look(struct nb_average_program *program, size_t permutation,
                        double *load)
{
    const size_t m = program->average->here.topology->channel_count;
    const double least = nb_ratio_value(program->average->least);
    const double g = least + nb_linear_value(program->flows.linear,
                                             program->first + permutation);
    double *peak = &program->peak[permutation];
    uint32_t *worst = program->worst + permutation * NB_AVERAGE_EACH;
    size_t count = 0;
    *peak = least;
    search_find_loads(program, permutation, load);
    for (uint32_t c = 0; c < m; c++) {
        *peak = fmax(*peak, load[c]);
        if (load[c] > g * (1 + SEARCH_TOLERANCE) &&
            !program->has_row[permutation * m + c])
            count = search_insert(load, c, worst, count);
    }
    while (count < NB_AVERAGE_EACH)
        worst[count++] = NB_NONE;
}

static enum nb_status search_task(void *context, int thread, size_t index,
                                  struct nb_error *err)
{
    const struct search_watch *watch = context;
    const size_t count = watch->program->average->question->count;
    const size_t end = (index + 1) * watch->batch;
    (void)err;
    for (size_t x = index * watch->batch; x < end && x < count; x++)
        search_look(watch->program, x, watch->load[thread]);
    return NB_OK;
}

static enum nb_status search_find_worst(struct nb_average_program *program,
                                        const struct nb_run *run,
                                        struct nb_error *err)
{
    const size_t m = program->average->here.topology->channel_count;
    struct search_watch watch = { .program = program,
                                  .batch = nb_average_batch(program->average) };
    const size_t tasks =
        (program->average->question->count + watch.batch - 1) / watch.batch;
    const size_t threads = (size_t)nb_run_threads(run, tasks);
    enum nb_status status = NB_OK;
    search_set_values(program);
    NB_TRY(nb_new(&watch.load, threads, sizeof *watch.load, "loads", err));
    for (size_t t = 0; t < threads; t++)
        NB_TRY(nb_new(&watch.load[t], m, sizeof(double), "loads", err));
    NB_TRY(nb_run_tasks(run, "permutations", tasks, search_task, &watch, err));
done:
    for (size_t t = 0; t < threads && watch.load != NULL; t++)
        nb_delete(watch.load[t]);
    nb_delete(watch.load);
    return status;
}

/* Keeps the duals, and the flows if their mean is the least so far. */
static void search_keep(struct nb_average_program *program)
{
    const size_t count = program->average->question->count;
    const struct nb_linear *linear = program->flows.linear;
    double sum = 0;
    for (size_t r = 0; r < program->row_count; r++)
        program->weight[r] =
            fmax(0, nb_linear_dual(linear, program->rows[r].row));
    program->weight_count = program->row_count;
    for (size_t x = 0; x < count; x++)
        sum += program->peak[x];
    if (program->has_flow && sum >= program->sum)
        return;
    program->sum = sum;
    program->has_flow = true;
    for (size_t f = 0; f < program->first; f++)
        program->flow[f] = fmax(0, nb_linear_value(linear, f));
}

/* Solves under one cost of hops, until no load passes its g. */
static enum nb_status search_stage(struct nb_average_program *program,
                                   enum nb_linear_method method,
                                   const struct nb_run *run, double deadline,
                                   enum nb_linear_end *end,
                                   struct nb_error *err)
{
    const size_t places = program->average->question->count * NB_AVERAGE_EACH;
    size_t before;
    enum nb_status status = NB_OK;
    do {
        before = program->row_count;
        NB_TRY(nb_linear_solve(program->flows.linear, method,
                               deadline - nb_clock_now(), end, err));
        if (*end != NB_LINEAR_OPTIMAL)
            break;
        NB_TRY(search_find_worst(program, run, err));
        search_keep(program);
        for (size_t i = 0; i < places; i++)
            if (program->worst[i] != NB_NONE)
                NB_TRY(nb_average_program_add_row(
                    program, (uint32_t)(i / NB_AVERAGE_EACH), program->worst[i],
                    err));
        method = NB_LINEAR_DUAL; /* all that new rows spoil is the primal */
    } while (program->row_count > before);
done:
    return status;
}

/*
 * While rows are few, every flow turns away from them at no cost, and simplex
 * steps that change nothing are many; a cost of hops, made less and less, leads
 * to the end in a small part of the time. It ends at 0, so that the answer does
 * not know of it, but that the routing has few hops among the best.
 */
enum nb_status nb_average_program_solve(struct nb_average_program *program,
                                        const struct nb_run *run,
                                        double deadline,
                                        enum nb_linear_end *end,
                                        struct nb_error *err)
{
    static const double part[] = { 1, 0.1, 0.01, 0.001, 0 };
    enum nb_status status = NB_OK;
    *end = NB_LINEAR_OPTIMAL;
    for (size_t i = 0;
         i < sizeof part / sizeof part[0] && *end == NB_LINEAR_OPTIMAL; i++) {
        nb_average_program_set_hops(program, part[i]);
        NB_TRY(search_stage(program, i > 0 ? NB_LINEAR_PRIMAL : NB_LINEAR_DUAL,
                            run, deadline, end, err));
    }
done:
    return status;
}
