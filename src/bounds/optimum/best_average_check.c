/* What paths reach (declared in best_average_work.h). */
#include "bounds/optimum/best_average_work.h"

#include "bounds/optimum/whole.h"
#include "core/memory.h"

#include <math.h>

/* No sum of loads may pass this. */
#define CHECK_MOST ((int64_t)1 << 62)

/* Loads of the permutations, over one denominator. */
struct check_work {
    const struct nb_average_case *average;
    size_t batch;
    int64_t *load; /* [cell] of one packet a cycle */
    int64_t denominator;
    int64_t excess; /* at most this much of a sum is rounding */
    size_t kinds;
    uint32_t *kind;            /* [channel] of its bandwidth */
    uint32_t *example;         /* [kind] a channel */
    int64_t **sum;             /* [thread][channel] */
    int64_t **most;            /* [thread][kind] */
    struct nb_enclosure *peak; /* [permutation] */
};

static void check_release(struct check_work *work, size_t threads)
{
    for (size_t t = 0; t < threads && work->sum != NULL; t++)
        nb_delete(work->sum[t]);
    for (size_t t = 0; t < threads && work->most != NULL; t++)
        nb_delete(work->most[t]);
    nb_delete(work->sum);
    nb_delete(work->most);
    nb_delete(work->load);
    nb_delete(work->kind);
    nb_delete(work->example);
    nb_delete(work->peak);
}

static enum nb_status check_reserve(struct check_work *work, size_t threads,
                                    struct nb_error *err)
{
    const struct nb_oblivious_case *here = &work->average->here;
    const size_t m = here->topology->channel_count;
    const char *what = "loads of permutations";
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_new(&work->load, here->pair_count * m, sizeof(int64_t), what, err));
    NB_TRY(nb_new(&work->kind, m, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&work->example, m, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&work->peak, work->average->question->count,
                  sizeof *work->peak, what, err));
    NB_TRY(nb_new(&work->sum, threads, sizeof *work->sum, what, err));
    NB_TRY(nb_new(&work->most, threads, sizeof *work->most, what, err));
    for (size_t t = 0; t < threads; t++) {
        NB_TRY(nb_new(&work->sum[t], m, sizeof(int64_t), what, err));
        NB_TRY(nb_new(&work->most[t], m, sizeof(int64_t), what, err));
    }
done:
    return status;
}

/* Channels of one bandwidth are compared by their loads. */
static void check_find_kinds(struct check_work *work)
{
    const struct nb_topology *topology = work->average->here.topology;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        size_t k = 0;
        while (k < work->kinds &&
               nb_ratio_compare(topology->channels[work->example[k]].bandwidth,
                                topology->channels[c].bandwidth) != 0)
            k++;
        if (k == work->kinds)
            work->example[work->kinds++] = c;
        work->kind[c] = (uint32_t)k;
    }
}

/* Shares what flows over channels alike out among them: exactly, if their
 * numbers have a common multiple small enough, else rounded up. */
static enum nb_status check_share(struct check_work *work,
                                  const struct nb_path_table *paths,
                                  int64_t *weights, struct nb_error *err)
{
    const struct nb_oblivious_case *here = &work->average->here;
    const size_t cells = here->pair_count * here->topology->channel_count;
    const int64_t terminals = (int64_t)work->average->terminal_count;
    int64_t *flow = work->load, scale;
    enum nb_status status = NB_OK;
    NB_TRY(nb_oblivious_check_paths(here, paths, flow, weights, err));
    const int64_t sum = *weights > 0 ? *weights : 1;
    if (sum > CHECK_MOST / terminals)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "the weights of a pair's paths add up to %lld "
                       "(permitted: at most 2^62 / %lld terminals)",
                       (long long)sum, (long long)terminals));
    scale = nb_average_unite(work->average, flow, 0, cells,
                             CHECK_MOST / terminals / sum);
    work->denominator = sum * scale;
    for (size_t cell = 0; cell < cells; cell++) {
        if (flow[cell] == 0)
            continue;
        const nb_int128 share = (nb_int128)flow[cell] * scale;
        const int64_t alike = here->alike[cell];
        if (share % alike != 0)
            work->excess = terminals;
        flow[cell] = (int64_t)((share + alike - 1) / alike);
    }
done:
    return status;
}

/* A load of so many parts of the denominator. */
static struct nb_enclosure check_quotient(const struct check_work *work,
                                          int64_t sum)
{
    const struct nb_enclosure upper = nb_whole_quotient(sum, work->denominator);
    if (work->excess == 0 || sum == 0)
        return upper;
    const int64_t least = sum > work->excess ? sum - work->excess : 0;
    return (struct nb_enclosure){
        .lower = nb_whole_quotient(least, work->denominator).lower,
        .upper = upper.upper,
    };
}

/* The peak of one permutation. */
static struct nb_enclosure check_peak(const struct check_work *work,
                                      size_t permutation, int64_t *sum,
                                      int64_t *most)
{
    const struct nb_average_case *average = work->average;
    const struct nb_topology *topology = average->here.topology;
    const size_t m = topology->channel_count;
    struct nb_enclosure peak = nb_enclosure_of_ratio(average->least);
    for (size_t c = 0; c < m; c++)
        sum[c] = most[c] = 0;
    for (size_t t = 0; t < average->terminal_count; t++)
        for (size_t c = 0; c < m; c++) {
            const size_t cell = nb_average_cell(average, permutation, t, c);
            if (cell != SIZE_MAX)
                sum[c] += work->load[cell];
        }
    for (size_t c = 0; c < m; c++)
        if (sum[c] > most[work->kind[c]])
            most[work->kind[c]] = sum[c];
    for (size_t k = 0; k < work->kinds; k++)
        peak = nb_enclosure_most(
            peak, nb_enclosure_divide(
                      check_quotient(work, most[k]),
                      nb_enclosure_of_ratio(
                          topology->channels[work->example[k]].bandwidth)));
    return peak;
}

static enum nb_status check_task(void *context, int thread, size_t index,
                                 struct nb_error *err)
{
    const struct check_work *work = context;
    const size_t count = work->average->question->count;
    const size_t end = (index + 1) * work->batch;
    (void)err;
    for (size_t x = index * work->batch; x < end && x < count; x++)
        work->peak[x] =
            check_peak(work, x, work->sum[thread], work->most[thread]);
    return NB_OK;
}

/* Means over the sample. */
static void check_conclude(const struct check_work *work,
                           struct nb_best_average *out)
{
    const struct nb_enclosure one = nb_enclosure_of_whole(1);
    const size_t count = work->average->question->count;
    const struct nb_enclosure size = nb_enclosure_of_whole((uint32_t)count);
    struct nb_enclosure load = nb_enclosure_of_whole(0), throughput = load;
    out->idle_count = 0;
    out->mean_throughput = out->least_throughput =
        nb_enclosure_of_ratio(nb_ratio_infinity);
    for (size_t x = 0; x < count; x++) {
        if (nb_enclosure_is_zero(work->peak[x])) {
            out->idle_count++;
            continue;
        }
        const struct nb_enclosure each =
            nb_enclosure_divide(one, work->peak[x]);
        load = nb_enclosure_add(load, work->peak[x]);
        throughput = nb_enclosure_add(throughput, each);
        out->least_throughput = nb_enclosure_least(out->least_throughput, each);
    }
    out->mean_load = nb_enclosure_divide(load, size);
    if (out->idle_count < count)
        out->mean_throughput = nb_enclosure_divide(
            throughput,
            nb_enclosure_of_whole((uint32_t)(count - out->idle_count)));
}

enum nb_status nb_average_check_paths(const struct nb_average_case *average,
                                      const struct nb_run *run,
                                      struct nb_best_average *claimed,
                                      struct nb_error *err)
{
    struct check_work work = { .average = average,
                               .batch = nb_average_batch(average) };
    const size_t tasks =
        (average->question->count + work.batch - 1) / work.batch;
    const size_t threads = (size_t)nb_run_threads(run, tasks);
    int64_t weights;
    enum nb_status status = NB_OK;
    NB_TRY(check_reserve(&work, threads, err));
    check_find_kinds(&work);
    NB_TRY(check_share(&work, &claimed->paths, &weights, err));
    NB_TRY(nb_run_tasks(run, "permutations", tasks, check_task, &work, err));
    check_conclude(&work, claimed);
    claimed->mean_hops =
        nb_oblivious_mean_hops(&average->here, &claimed->paths, weights);
done:
    check_release(&work, threads);
    return status;
}

void nb_average_conclude(const struct nb_average_case *average,
                         struct nb_enclosure lower, struct nb_best_average *out)
{
    if (average->by_hops.lower > lower.lower)
        lower = average->by_hops;
    out->mean_load = nb_oblivious_span(lower, out->mean_load);
    out->pair_orbits = average->here.pair_count;
    out->is_too_large = average->here.is_too_large;
    out->is_group_partial = average->is_group_partial;
    out->kept_by = average->kept_by;
}

enum nb_status nb_best_average_check(const struct nb_average_question *question,
                                     struct nb_best_average *claimed,
                                     struct nb_error *err)
{
    struct nb_average_case average = { 0 };
    struct nb_enclosure lower;
    enum nb_status status = NB_OK;
    NB_TRY(nb_average_case_init(question, &average, err));
    NB_TRY(nb_average_check_paths(&average, NULL, claimed, err));
    NB_TRY(nb_average_check_weights(&average, claimed, &lower, err));
    nb_average_conclude(&average, lower, claimed);
done:
    nb_average_case_release(&average);
    return status;
}
