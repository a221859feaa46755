/* The search of a sampled case (declared in sampled_work.h). */
#include "bounds/worst_case/sampled_work.h"

#include "bounds/matching/matching.h"
#include "core/memory.h"
#include "load/confidence.h"
#include <math.h>
#include <string.h>

/* Estimates held at once. */
#define SEARCH_BATCH_BYTES 0x1p30

/* Scratch of one thread. */
struct search_scratch {
    double *weight; /* [sides * sides] */
    uint32_t *permutation;
};

/* One batch of focus channels: task i solves those of the i-th. */
struct search_batch {
    const struct nb_sides *sides;
    const struct nb_pair_sample *sample;
    double deviations;                 /* of a limit */
    struct nb_pair_estimate *estimate; /* [i * n * n] */
    /* [i] by the estimates, with one terminal a side; owned. */
    uint32_t **permutation;
    double *value;
    double *upper; /* [i] limit of any permutation's load, one terminal */
    double *price; /* [i] of that limit; 0: of none */
    double *row, *column; /* [i * sides] duals of the matching at that price */
    struct search_scratch *scratch;
    bool *wanted; /* [n * n] pairs that matter for the limit */
};

static struct nb_pair_estimate search_cell(const struct search_batch *batch,
                                           size_t index, size_t s, size_t t)
{
    const struct nb_pair_sample *sample = batch->sample;
    const size_t n = sample->n;
    const size_t i = sample->endpoint_of[batch->sides->router[s]];
    const size_t j = sample->endpoint_of[batch->sides->router[t]];
    return batch->estimate[(index * n + i) * n + j];
}

/* How many estimates of one permutation may come from the same paths: those to
 * one orbit of routers, which have equally many terminals, or, where no pairs
 * are alike, those of the terminals of two routers. */
static double search_shared(const struct search_batch *batch, size_t s,
                            size_t t)
{
    const struct nb_pair_sample *sample = batch->sample;
    const struct nb_sides *sides = batch->sides;
    const uint32_t *terminals = sample->routing->topology->terminals;
    const uint32_t from = sides->router[s], to = sides->router[t];
    double each = sides->multiplicity > 1 ? 1 : terminals[to];
    if (sides->multiplicity == 1 && sample->generator_count == 0)
        each = fmin(each, terminals[from]);
    return each * sample->alike[sample->endpoint_of[to]];
}

/* No less than the variance of the permutation's load. */
static double search_variance(const struct search_batch *batch, size_t index,
                              const uint32_t *permutation)
{
    double variance = 0;
    for (size_t s = 0; s < batch->sides->count; s++)
        variance += search_shared(batch, s, permutation[s]) *
                    search_cell(batch, index, s, permutation[s]).variance;
    return variance;
}

static void search_fill_means(const struct search_batch *batch, size_t index,
                              double *weight)
{
    const size_t count = batch->sides->count;
    for (size_t s = 0; s < count; s++)
        for (size_t t = 0; t < count; t++)
            weight[s * count + t] = search_cell(batch, index, s, t).mean;
}

/* Each cell's own upper limit. */
static void search_fill_limits(const struct search_batch *batch, size_t index,
                               double *weight)
{
    const size_t count = batch->sides->count;
    for (size_t s = 0; s < count; s++)
        for (size_t t = 0; t < count; t++) {
            const struct nb_pair_estimate cell =
                search_cell(batch, index, s, t);
            weight[s * count + t] =
                cell.mean + nb_confidence_margin(cell.variance, cell.slope,
                                                 batch->deviations);
        }
}

/*
 * That the mean of a cell lies m above its estimate costs m^2 / (V + S m), S
 * its slope: the margin of confidence is where a sum has cost z^2. Costs of
 * independent cells add up, so that at a price of y / 2 each, with w the
 * greatest m - y m^2 / 2 (V + S m) of every cell, the sum of their means has
 * the limit
 *
 *     sum (estimate + w) + y z^2 / 2,
 *
 * whatever y is, which is least where costs add up to z^2. With r = sqrt(1 - 2
 * S / y), w is had at m = 2 V / (y r (1 + r)), or where no more paths can
 * cross. Of k cells that depend on each other V and S are k times as great at
 * most.
 */
struct search_rise {
    double weight, cost;
};

static struct search_rise search_rise(const struct search_batch *batch,
                                      size_t index, size_t s, size_t t,
                                      double price)
{
    const struct nb_pair_estimate cell = search_cell(batch, index, s, t);
    const double shared = search_shared(batch, s, t);
    const double variance = shared * cell.variance;
    const double slope = shared * cell.slope;
    const double left = 1 - 2 * slope / price, root = sqrt(fmax(left, 0));
    double rise = fmax(batch->sample->most_crossings - cell.mean, 0);
    if (root > 0)
        rise = fmin(rise, 2 * variance / (price * root * (1 + root)));
    if (!(rise > 0))
        return (struct search_rise){ 0, 0 };
    const double cost = rise * rise / (variance + slope * rise);
    return (struct search_rise){ fmax(rise - price * cost / 2, 0), cost };
}

/* The price at which the limit of this permutation is least; 0 if nothing of
 * it is left to chance. */
static double search_price(const struct search_batch *batch, size_t index,
                           const uint32_t *permutation)
{
    const size_t count = batch->sides->count;
    const double z = batch->deviations;
    double low = 0, high = 0;
    for (size_t s = 0; s < count; s++)
        high =
            fmax(high, 2 * search_shared(batch, s, permutation[s]) *
                           search_cell(batch, index, s, permutation[s]).slope);
    high += sqrt(search_variance(batch, index, permutation)) / z;
    for (int i = 0; i < 40; i++) {
        const double middle = (low + high) / 2;
        double cost = 0;
        for (size_t s = 0; s < count; s++)
            cost += search_rise(batch, index, s, permutation[s], middle).cost;
        if (cost > z * z)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void search_fill_rises(const struct search_batch *batch, size_t index,
                              double price, double *weight)
{
    const size_t count = batch->sides->count;
    for (size_t s = 0; s < count; s++)
        for (size_t t = 0; t < count; t++)
            weight[s * count + t] =
                search_cell(batch, index, s, t).mean +
                search_rise(batch, index, s, t, price).weight;
}

static enum nb_status search_match(const struct search_batch *batch,
                                   const struct search_scratch *scratch,
                                   size_t index, uint32_t *permutation,
                                   double *total, struct nb_error *err)
{
    const size_t n = batch->sides->count;
    const enum nb_status status = nb_matching_double(
        n, scratch->weight, permutation, batch->row + index * n,
        batch->column + index * n, total, err);
    /* A total is right up to some roundings of the greatest cell for each
     * row, and that cell is no greater than the total. */
    *total *= 1 + (double)n * 0x1p-48;
    return status;
}

/*
 * A limit of the worst permutation's load. Which one that is chance does not
 * choose, so the limit of its load alone must hold, and the greatest limit of
 * any permutation is no less. There are two such limits, by matchings: of the
 * cells' own limits, as deviations of a sum do not exceed the sum of those of
 * its terms, however they depend on each other; and of estimates and rises, at
 * the price that the last permutation found asks for.
 */
enum { SEARCH_PRICES = 2 };
static enum nb_status search_limit(const struct search_batch *batch,
                                   const struct search_scratch *scratch,
                                   size_t index, struct nb_error *err)
{
    const double z = batch->deviations;
    double *upper = &batch->upper[index], total = 0;
    enum nb_status status = NB_OK;
    search_fill_limits(batch, index, scratch->weight);
    NB_TRY(
        search_match(batch, scratch, index, scratch->permutation, upper, err));
    for (int i = 0; i < SEARCH_PRICES; i++) {
        const double price = search_price(batch, index, scratch->permutation);
        batch->price[index] = price;
        if (!(price > 0))
            break;
        search_fill_rises(batch, index, price, scratch->weight);
        NB_TRY(search_match(batch, scratch, index, scratch->permutation, &total,
                            err));
        *upper = fmin(*upper, total + price * z * z / 2);
    }
done:
    return status;
}

static enum nb_status search_task(void *context, int thread, size_t index,
                                  struct nb_error *err)
{
    const struct search_batch *batch = context;
    const struct search_scratch *scratch = &batch->scratch[thread];
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&batch->permutation[index], batch->sides->count,
                  sizeof(uint32_t), "permutation", err));
    search_fill_means(batch, index, scratch->weight);
    NB_TRY(search_match(batch, scratch, index, batch->permutation[index],
                        &batch->value[index], err));
    NB_TRY(search_limit(batch, scratch, index, err));
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
done:
    return status;
}

static enum nb_status search_init(struct search_batch *batch, size_t size,
                                  int threads, struct nb_error *err)
{
    const struct nb_pair_sample *sample = batch->sample;
    const size_t sides = batch->sides->count;
    const double n = (double)sides;
    const double estimates = nb_pair_estimates_bytes(sample) * (double)size;
    enum nb_status status = NB_OK;
    /* A thread has a matrix and what its matching needs beside it. */
    NB_TRY(nb_memory_require(estimates + 1.5 * threads * n * n * sizeof(double),
                             "sampled pair loads", err));
    NB_TRY(nb_new(&batch->estimate, size * sample->n * sample->n,
                  sizeof *batch->estimate, "estimates", err));
    NB_TRY(nb_new(&batch->permutation, size, sizeof(uint32_t *), "batch", err));
    NB_TRY(nb_new(&batch->value, size, sizeof(double), "batch", err));
    NB_TRY(nb_new(&batch->upper, size, sizeof(double), "batch", err));
    NB_TRY(nb_new(&batch->price, size, sizeof(double), "batch", err));
    NB_TRY(nb_new(&batch->row, size * sides, sizeof(double), "duals", err));
    NB_TRY(nb_new(&batch->column, size * sides, sizeof(double), "duals", err));
    NB_TRY(nb_new(&batch->wanted, sample->n * sample->n, sizeof(bool), "pairs",
                  err));
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
    }
    nb_delete(batch->permutation);
    nb_delete(batch->estimate);
    nb_delete(batch->value);
    nb_delete(batch->upper);
    nb_delete(batch->price);
    nb_delete(batch->row);
    nb_delete(batch->column);
    nb_delete(batch->wanted);
    nb_delete(batch->scratch);
}

static double search_scale(const struct search_batch *batch, uint32_t channel)
{
    const struct nb_topology *topology = batch->sample->routing->topology;
    return batch->sides->multiplicity /
           nb_ratio_value(topology->channels[channel].bandwidth);
}

/* Wants the pairs that leave a channel's limit above `most`: those with
 * something left to chance in a permutation whose limit is. */
static void search_want(struct search_batch *batch, size_t index, double most)
{
    const struct nb_sides *sides = batch->sides;
    const struct nb_pair_sample *sample = batch->sample;
    const size_t count = sides->count;
    const double *row = batch->row + index * count;
    const double *column = batch->column + index * count;
    const double price = batch->price[index], z = batch->deviations;
    double total = price * z * z / 2;
    for (size_t s = 0; s < count; s++)
        total += row[s] + column[s];
    for (size_t s = 0; s < count; s++)
        for (size_t t = 0; t < count; t++) {
            const struct nb_pair_estimate cell =
                search_cell(batch, index, s, t);
            const double weight =
                cell.mean + search_rise(batch, index, s, t, price).weight;
            const double through = total - (row[s] + column[t] - weight);
            const size_t i = sample->endpoint_of[sides->router[s]];
            const size_t j = sample->endpoint_of[sides->router[t]];
            if (cell.slope + cell.variance > 0 && through > most)
                batch->wanted[i * sample->n + j] = true;
        }
}

/* Keeps the greatest estimate per bandwidth, the first of equals, and every
 * limit. */
static void search_take_best(struct search_batch *batch, size_t count,
                             const uint32_t *channel,
                             struct nb_sampled_case *out)
{
    const double p = batch->sides->multiplicity;
    for (size_t i = 0; i < count; i++) {
        const double scale = search_scale(batch, channel[i]);
        if (out->channel == NB_NONE ||
            batch->value[i] * scale > out->share.value) {
            out->channel = channel[i];
            out->share.value = batch->value[i] * scale;
            memcpy(out->permutation, batch->permutation[i],
                   batch->sides->count * sizeof(uint32_t));
        }
        out->load[channel[i]] =
            (struct nb_sampled){ batch->value[i] * p, 0, batch->upper[i] * p };
        nb_delete(batch->permutation[i]);
        batch->permutation[i] = NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const double most = out->share.value / search_scale(batch, channel[i]);
        if (batch->upper[i] > most && batch->price[i] > 0)
            search_want(batch, i, most);
    }
}

/* Takes these channels in, `size` at a time. */
static enum nb_status search_channels(struct search_batch *batch, size_t size,
                                      size_t all, const uint32_t *channel,
                                      const struct nb_run *run,
                                      struct nb_sampled_case *out,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    out->channel = NB_NONE;
    for (size_t first = 0; first < all; first += size) {
        const size_t count = all - first < size ? all - first : size;
        NB_TRY(nb_pair_estimates_find(batch->sample, count, channel + first,
                                      run, batch->estimate, err));
        NB_TRY(nb_run_tasks(run, "matchings", count, search_task, batch, err));
        search_take_best(batch, count, channel + first, out);
    }
done:
    return status;
}

/* Keeps the channels whose limit lies above the greatest estimate. */
static size_t search_keep(const struct search_batch *batch, size_t all,
                          uint32_t *channel, const struct nb_sampled_case *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < all; i++) {
        const double limit = out->load[channel[i]].upper /
                             batch->sides->multiplicity *
                             search_scale(batch, channel[i]);
        if (limit > out->share.value)
            channel[kept++] = channel[i];
    }
    return kept;
}

/* Rounds of paths; all but those of the first are of pairs that matter. */
enum { SEARCH_ROUNDS = 3 };

enum nb_status nb_sampled_search(struct nb_pair_sample *sample,
                                 const struct nb_focus *focus,
                                 const struct nb_run *run,
                                 struct nb_sampled_case *out,
                                 struct nb_error *err)
{
    const double most =
        fmax(1, SEARCH_BATCH_BYTES / nb_pair_estimates_bytes(sample));
    const double paths = sample->sample.paths;
    size_t all = focus->focus_count;
    const size_t size = most < (double)all ? (size_t)most : all;
    const int threads = nb_run_threads(run, size);
    struct search_batch batch = {
        .sides = &out->sides,
        .sample = sample,
        .deviations = nb_confidence_deviations(1),
    };
    uint32_t *channel = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(search_init(&batch, size, threads, err));
    NB_TRY(nb_new(&channel, all, sizeof *channel, "channels", err));
    memcpy(channel, focus->focus, all * sizeof *channel);
    nb_pair_sample_resize(sample, fmax(floor(paths / SEARCH_ROUNDS), 2));
    const double more = (paths - sample->sample.paths) / (SEARCH_ROUNDS - 1);
    for (int round = 0; all > 0 && round < SEARCH_ROUNDS; round++) {
        if (round > 0) {
            nb_pair_sample_refine(sample, batch.wanted, more);
            memset(batch.wanted, 0, sample->n * sample->n);
        }
        NB_TRY(search_channels(&batch, size, all, channel, run, out, err));
        all = search_keep(&batch, all, channel, out);
    }
    for (size_t i = 0; i < focus->focus_count; i++)
        out->share.upper =
            fmax(out->share.upper, out->load[focus->focus[i]].upper /
                                       out->sides.multiplicity *
                                       search_scale(&batch, focus->focus[i]));
done:
    nb_delete(channel);
    search_release(&batch, size, threads);
    return status;
}
