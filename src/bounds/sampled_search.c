/* The search of a sampled case (declared in sampled_work.h). */
#include "bounds/sampled_work.h"

#include "bounds/matching.h"
#include "core/memory.h"
#include "load/confidence.h"
#include "load/path_tally.h"

#include <math.h>
#include <string.h>

/* Counts held at once. */
#define SEARCH_BATCH_BYTES 0x1p30

/* Scratch of one thread. */
struct search_scratch {
    double *weight; /* [sides * sides] */
    uint32_t *permutation;
    double *row, *column; /* [sides] duals */
};

/* One batch of focus channels: task i solves those of the i-th. */
struct search_batch {
    const struct nb_sides *sides;
    const struct nb_pair_sample *sample;
    double log_risk; /* of every limit */
    uint32_t *count;
    /* [i] by the estimates, with one terminal a side; owned. */
    uint32_t **permutation;
    double *estimate;
    double *upper; /* [i] limit of any permutation's load, one terminal */
    struct search_scratch *scratch;
};

/* The mean crossings of a cell, or their upper limit: that they are more than
 * m is true of a path or not, and they are the sum of these truths over m. */
static double search_cell(const struct search_batch *batch, size_t index,
                          size_t i, size_t j, bool is_limit)
{
    const struct nb_pair_sample *sample = batch->sample;
    const size_t n = sample->n, levels = sample->most_crossings;
    double sum = 0;
    for (size_t m = 0; m < levels; m++) {
        const uint32_t hits =
            batch->count[((index * levels + m) * n + i) * n + j];
        sum += is_limit ? nb_confidence_upper(hits, sample->paths[j],
                                              batch->log_risk)
                        : (double)hits / sample->paths[j];
    }
    return sum;
}

static void search_fill(const struct search_batch *batch, size_t index,
                        bool is_limit, double *weight)
{
    const struct nb_pair_sample *sample = batch->sample;
    const struct nb_sides *sides = batch->sides;
    for (size_t s = 0; s < sides->count; s++)
        for (size_t t = 0; t < sides->count; t++) {
            const uint32_t from = sides->router[s], to = sides->router[t];
            weight[s * sides->count + t] =
                nb_follow_moves(sample->routing, from, to)
                    ? search_cell(batch, index, sample->endpoint_of[from],
                                  sample->endpoint_of[to], is_limit)
                    : 0;
        }
}

static enum nb_status search_task(void *context, int thread, size_t index,
                                  struct nb_error *err)
{
    const struct search_batch *batch = context;
    const struct search_scratch *scratch = &batch->scratch[thread];
    const size_t n = batch->sides->count;
    double total = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&batch->permutation[index], n, sizeof(uint32_t),
                  "permutation", err));
    search_fill(batch, index, false, scratch->weight);
    NB_TRY(nb_matching_double(n, scratch->weight, batch->permutation[index],
                              scratch->row, scratch->column,
                              &batch->estimate[index], err));
    search_fill(batch, index, true, scratch->weight);
    NB_TRY(nb_matching_double(n, scratch->weight, scratch->permutation,
                              scratch->row, scratch->column, &total, err));
    /* A total is right up to some roundings of the greatest cell for each
     * row, and that cell is no greater than the total. */
    batch->upper[index] = total * (1 + (double)n * 0x1p-48);
done:
    return status;
}

static enum nb_status search_scratch_init(struct search_scratch *scratch,
                                          size_t n, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&scratch->weight, n * n, sizeof(double), "matrix", err));
    NB_TRY(
        nb_new(&scratch->permutation, n, sizeof(uint32_t), "permutation", err));
    NB_TRY(nb_new(&scratch->row, n, sizeof(double), "duals", err));
    NB_TRY(nb_new(&scratch->column, n, sizeof(double), "duals", err));
done:
    return status;
}

static enum nb_status search_init(struct search_batch *batch, size_t size,
                                  int threads, struct nb_error *err)
{
    const struct nb_pair_sample *sample = batch->sample;
    const double n = (double)batch->sides->count;
    const double counts = nb_pair_counts_bytes(sample) * (double)size;
    enum nb_status status = NB_OK;
    /* A thread has a matrix and what its matching needs beside it. */
    NB_TRY(nb_memory_require(counts + 1.5 * threads * n * n * sizeof(double),
                             "sampled pair loads", err));
    NB_TRY(nb_new(&batch->count,
                  size * sample->most_crossings * sample->n * sample->n,
                  sizeof(uint32_t), "counts", err));
    NB_TRY(nb_new(&batch->permutation, size, sizeof(uint32_t *), "batch", err));
    NB_TRY(nb_new(&batch->estimate, size, sizeof(double), "batch", err));
    NB_TRY(nb_new(&batch->upper, size, sizeof(double), "batch", err));
    NB_TRY(nb_new(&batch->scratch, (size_t)threads, sizeof *batch->scratch,
                  "scratch", err));
    for (int t = 0; t < threads; t++)
        NB_TRY(
            search_scratch_init(&batch->scratch[t], batch->sides->count, err));
done:
    return status;
}

static void search_release(struct search_batch *batch, size_t size, int threads)
{
    for (size_t i = 0; i < size && batch->permutation != NULL; i++)
        nb_delete(batch->permutation[i]);
    for (int t = 0; t < threads && batch->scratch != NULL; t++) {
        nb_delete(batch->scratch[t].weight);
        nb_delete(batch->scratch[t].permutation);
        nb_delete(batch->scratch[t].row);
        nb_delete(batch->scratch[t].column);
    }
    nb_delete(batch->count);
    nb_delete(batch->permutation);
    nb_delete(batch->estimate);
    nb_delete(batch->upper);
    nb_delete(batch->scratch);
}

/* Keeps the greatest estimate per bandwidth, the first of equals, and the
 * greatest limit. */
static void search_take_best(struct search_batch *batch,
                             const struct nb_topology *topology, size_t count,
                             const uint32_t *channel,
                             struct nb_sampled_case *out)
{
    const double p = batch->sides->multiplicity;
    for (size_t i = 0; i < count; i++) {
        const double scale =
            p / nb_ratio_value(topology->channels[channel[i]].bandwidth);
        if (out->channel == NB_NONE ||
            batch->estimate[i] * scale > out->share.value) {
            out->channel = channel[i];
            out->share.value = batch->estimate[i] * scale;
            memcpy(out->permutation, batch->permutation[i],
                   batch->sides->count * sizeof(uint32_t));
        }
        out->share.upper = fmax(out->share.upper, batch->upper[i] * scale);
        nb_delete(batch->permutation[i]);
        batch->permutation[i] = NULL;
    }
}

enum nb_status nb_sampled_search(const struct nb_pair_sample *sample,
                                 const struct nb_focus *focus,
                                 const struct nb_run *run,
                                 struct nb_sampled_case *out,
                                 struct nb_error *err)
{
    const double most =
        fmax(1, SEARCH_BATCH_BYTES / nb_pair_counts_bytes(sample));
    const size_t all = focus->focus_count;
    const size_t size = most < (double)all ? (size_t)most : all;
    const size_t cells = sample->most_crossings * sample->n * sample->n;
    const int threads = nb_run_threads(run, size);
    struct search_batch batch = {
        .sides = &out->sides,
        .sample = sample,
        .log_risk = nb_confidence_log_risk((double)cells * (double)all,
                                           NB_SAMPLED_RISK),
    };
    enum nb_status status = NB_OK;
    out->channel = NB_NONE;
    NB_TRY(search_init(&batch, size, threads, err));
    for (size_t first = 0; first < all; first += size) {
        const size_t count = all - first < size ? all - first : size;
        const uint32_t *channel = focus->focus + first;
        memset(batch.count, 0, size * cells * sizeof *batch.count);
        NB_TRY(
            nb_pair_counts_find(sample, count, channel, run, batch.count, err));
        NB_TRY(nb_run_tasks(run, "matchings", count, search_task, &batch, err));
        search_take_best(&batch, sample->routing->topology, count, channel,
                         out);
    }
done:
    search_release(&batch, size, threads);
    return status;
}
