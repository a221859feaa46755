#include "bounds/worst_case/sampled_case.h"

#include "bounds/matching/matching.h"
#include "core/memory.h"
#include "load/confidence.h"
#include "load/focus.h"
#include "load/pair_estimates.h"
#include "load/path_tally.h"
#include "routing/two_phase.h"
#include "traffic/traffic.h"

#include <math.h>
#include <string.h>

/* The search of a sampled case. */

/* Memory for the estimates held at once. */
#define SEARCH_BATCH_BYTES 0x1p30

/* Scratch of one thread. */
struct search_scratch {
    double *weight; /* [sides * sides] */
    uint32_t *permutation;
};

/* One batch of focus channels: task i solves the i-th of them. */
struct search_batch {
    struct nb_pool pool;
    const struct nb_sides *sides;
    const struct nb_pair_sample *sample;
    double deviations;                 /* z of the confidence limits */
    struct nb_pair_estimate *estimate; /* [i * n * n] */
    /* Matchings of the estimates, with one terminal per side. */
    uint32_t *permutation; /* [i * sides] */
    double *value;
    double *upper; /* [i] limit of any permutation's load, one terminal per
                    * side */
    double *price; /* [i] price of that limit; 0: none */
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

/* The maximum number of a permutation's estimates that come from the same
 * paths: those to one orbit of routers, which have equally many terminals; or,
 * if pairs share no paths by symmetry, those of the terminals of two
 * routers. */
static double search_shared(const struct search_batch *batch, size_t s,
                            size_t t)
{
    const struct nb_pair_sample *sample = batch->sample;
    const struct nb_sides *sides = batch->sides;
    const uint32_t *terminals = sample->routing->topology->terminals;
    const uint32_t from = sides->router[s], to = sides->router[t];
    double each = sides->multiplicity > 1 ? 1 : terminals[to];
    if (sides->multiplicity == 1 && sample->orbits.map == NULL)
        each = fmin(each, terminals[from]);
    return each * sample->alike[sample->endpoint_of[to]];
}

/* An upper bound on the variance of the permutation's load. */
static double search_variance(const struct search_batch *batch, size_t index,
                              const uint32_t *permutation)
{
    double variance = 0;
    for (size_t s = 0; s < batch->sides->count; s++)
        variance += search_shared(batch, s, permutation[s]) *
                    search_cell(batch, index, s, permutation[s]).variance;
    return variance;
}

/*
 * If the mean of a cell lies m above its estimate, the cost is m^2 / (V + S m),
 * with S its slope: the margin of confidence is where a sum has cost z^2. Costs
 * of independent cells add up. Hence, at a price of y / 2 per cost, and with w
 * the greatest m - y m^2 / 2 (V + S m) of every cell, the sum of their means
 * has the limit
 *
 *     sum (estimate + w) + y z^2 / 2
 *
 * for any y; it is least where costs add up to z^2. With r = sqrt(1 - 2 S / y),
 * the maximum w is at m = 2 V / (y r (1 + r)), or where no more paths can
 * cross. For k cells that depend on each other, V and S are at most k times as
 * great.
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

/* The price at which the limit of this permutation is least; 0 if no cell of it
 * is random. */
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

/* Added to a cell's mean: nothing, the margin up to its own upper limit, or its
 * rise at a price. */
enum search_more { SEARCH_MEANS, SEARCH_LIMITS, SEARCH_RISES };

static void search_fill(const struct search_batch *batch, size_t index,
                        enum search_more more, double *weight)
{
    const size_t count = batch->sides->count;
    for (size_t s = 0; s < count; s++)
        for (size_t t = 0; t < count; t++) {
            const struct nb_pair_estimate cell =
                search_cell(batch, index, s, t);
            weight[s * count + t] = cell.mean;
            if (more == SEARCH_LIMITS)
                weight[s * count + t] += nb_confidence_margin(
                    cell.variance, cell.slope, batch->deviations);
            else if (more == SEARCH_RISES)
                weight[s * count + t] +=
                    search_rise(batch, index, s, t, batch->price[index]).weight;
        }
}

static enum nb_status search_match(const struct search_batch *batch,
                                   const struct search_scratch *scratch,
                                   size_t index, uint32_t *permutation,
                                   double *total, struct nb_error *err)
{
    const size_t n = batch->sides->count;
    const enum nb_status status = nb_matching_double(
        n, scratch->weight, NULL, permutation, batch->row + index * n,
        batch->column + index * n, total, err);
    /* A total is correct up to some roundings of the greatest cell for each
     * row, and that cell is no greater than the total. */
    *total *= 1 + (double)n * 0x1p-48;
    return status;
}

/*
 * An upper limit of the worst permutation's load. Which permutation is the
 * worst is not random, so only the limit of its load must hold, and the
 * greatest limit of any permutation is at least that. There are two such
 * limits, both by matchings: from the cells' own limits, as the deviation of a
 * sum does not exceed the sum of its terms' deviations, however they depend on
 * each other; and from estimates and rises, at the best price of the last
 * permutation found.
 */
enum { SEARCH_PRICES = 2 };

static enum nb_status search_limit(const struct search_batch *batch,
                                   const struct search_scratch *scratch,
                                   size_t index, struct nb_error *err)
{
    const double z = batch->deviations;
    double *upper = &batch->upper[index], total = 0;
    enum nb_status status = NB_OK;
    search_fill(batch, index, SEARCH_LIMITS, scratch->weight);
    NB_TRY(
        search_match(batch, scratch, index, scratch->permutation, upper, err));
    for (int i = 0; i < SEARCH_PRICES; i++) {
        const double price = search_price(batch, index, scratch->permutation);
        batch->price[index] = price;
        if (!(price > 0))
            break;
        search_fill(batch, index, SEARCH_RISES, scratch->weight);
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
    search_fill(batch, index, SEARCH_MEANS, scratch->weight);
    NB_TRY(search_match(batch, scratch, index,
                        batch->permutation + index * batch->sides->count,
                        &batch->value[index], err));
    NB_TRY(search_limit(batch, scratch, index, err));
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
    struct nb_pool *pool = &batch->pool;
    enum nb_status status = NB_OK;
    /* A thread needs a matrix and half as much for its matching. */
    NB_TRY(nb_memory_require(estimates + 1.5 * threads * n * n * sizeof(double),
                             "sampled pair loads", err));
    batch->estimate = nb_pool_array(pool, size * sample->n * sample->n,
                                    sizeof *batch->estimate);
    batch->permutation = nb_pool_array(pool, size * sides, sizeof(uint32_t));
    batch->value = nb_pool_array(pool, size, sizeof(double));
    batch->upper = nb_pool_array(pool, size, sizeof(double));
    batch->price = nb_pool_array(pool, size, sizeof(double));
    batch->row = nb_pool_array(pool, size * sides, sizeof(double));
    batch->column = nb_pool_array(pool, size * sides, sizeof(double));
    batch->wanted = nb_pool_array(pool, sample->n * sample->n, sizeof(bool));
    batch->scratch =
        nb_pool_array(pool, (size_t)threads, sizeof *batch->scratch);
    NB_TRY(nb_pool_check(pool, "sampled pair loads", err));
    for (int t = 0; t < threads; t++)
        batch->scratch[t] = (struct search_scratch){
            .weight = nb_pool_array(pool, sides * sides, sizeof(double)),
            .permutation = nb_pool_array(pool, sides, sizeof(uint32_t)),
        };
    NB_TRY(nb_pool_check(pool, "matrix", err));
done:
    return status;
}

static double search_scale(const struct search_batch *batch, uint32_t channel)
{
    const struct nb_topology *topology = batch->sample->routing->topology;
    return batch->sides->multiplicity /
           nb_ratio_value(topology->channels[channel].bandwidth);
}

/* Marks the pairs that may lift a channel's limit above `most`: random cells
 * that lie in a permutation with such a limit. */
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

/* Keeps the greatest estimate per bandwidth, on a tie the first, and every
 * limit. */
static void search_take_best(struct search_batch *batch, size_t count,
                             const uint32_t *channel,
                             struct nb_sampled_case *out)
{
    const size_t sides = batch->sides->count;
    const double p = batch->sides->multiplicity;
    for (size_t i = 0; i < count; i++) {
        const double scale = search_scale(batch, channel[i]);
        if (out->channel == NB_NONE ||
            batch->value[i] * scale > out->share.value) {
            out->channel = channel[i];
            out->share.value = batch->value[i] * scale;
            memcpy(out->permutation, batch->permutation + i * sides,
                   sides * sizeof(uint32_t));
        }
        out->load[channel[i]] =
            (struct nb_interval){ batch->value[i] * p, 0, batch->upper[i] * p };
    }
    for (size_t i = 0; i < count; i++) {
        const double most = out->share.value / search_scale(batch, channel[i]);
        if (batch->upper[i] > most && batch->price[i] > 0)
            search_want(batch, i, most);
    }
}

/* Processes these channels, `size` at a time. */
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

/* Rounds of paths; after the first round only for pairs that matter. */
enum { SEARCH_ROUNDS = 3 };

/*
 * Estimates from paths of all pairs: sets out's permutation, channel, load and
 * share.upper.
 *
 * out  sides set, permutation and load allocated
 *
 * Errors: those of nb_pair_estimates_find.
 */
static enum nb_status sampled_search(struct nb_pair_sample *sample,
                                     const struct nb_focus *focus,
                                     const struct nb_run *run,
                                     struct nb_sampled_case *out,
                                     struct nb_error *err)
{
    const double most =
        fmax(1, SEARCH_BATCH_BYTES / nb_pair_estimates_bytes(sample));
    const double paths = sample->sample.paths;
    size_t all = focus->channels.count;
    const size_t size = most < (double)all ? (size_t)most : all;
    const int threads = nb_run_threads(run, size);
    struct search_batch batch = {
        .sides = &out->sides,
        .sample = sample,
        .deviations = nb_confidence_deviations(1),
    };
    uint32_t *channel;
    enum nb_status status = NB_OK;
    NB_TRY(search_init(&batch, size, threads, err));
    channel = nb_pool_array(&batch.pool, all, sizeof *channel);
    NB_TRY(nb_pool_check(&batch.pool, "channels", err));
    memcpy(channel, focus->channels.first, all * sizeof *channel);
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
    for (size_t i = 0; i < focus->channels.count; i++)
        out->share.upper =
            fmax(out->share.upper,
                 out->load[focus->channels.first[i]].upper /
                     out->sides.multiplicity *
                     search_scale(&batch, focus->channels.first[i]));
done:
    nb_pool_release(&batch.pool);
    return status;
}

/* The second half of a sampled case: new paths for one permutation. */

/* Task s: the paths of side s. */
struct check_work {
    const struct nb_pair_sample *sample;
    const struct nb_sampled_case *worst;
    struct nb_path_cell *cell;   /* [sides] counts on the channel */
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
    /* The search uses the streams below routers^2. */
    NB_TRY(nb_path_tally_draw(tally, source, destination, worst->check_paths,
                              work->sample->sample.seed,
                              routers * routers + index, err));
    work->cell[index] = tally->cell[worst->channel];
done:
    return status;
}

/* Sets the sum over the sides and its lower limit. */
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
    /* Every path counts 1 / paths: the mean over a side's paths has the
     * variance of one path over their number. */
    if (paths > 2) /* two paths give no third cumulant */
        range = nb_confidence_slope(variance, -third, range);
    const double margin = nb_confidence_margin(variance / paths, range / paths,
                                               nb_confidence_deviations(1));
    const double scale =
        out->sides.multiplicity /
        nb_ratio_value(topology->channels[out->channel].bandwidth);
    out->share.value = sum / paths * scale;
    out->share.lower = fmax(sum / paths - margin, 0) * scale;
}

/* Draws check_paths new paths per pair of the permutation: sets out's
 * share.value and share.lower. Errors: those of nb_path_tally_draw. */
static enum nb_status sampled_check(const struct nb_pair_sample *sample,
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

void nb_sampled_case_release(struct nb_sampled_case *worst)
{
    nb_delete(worst->permutation);
    nb_delete(worst->load);
    nb_sides_release(&worst->sides);
    *worst = (struct nb_sampled_case){ 0 };
}

/*
 * With intermediate routers anywhere, a packet's crossings are those from the
 * source to some router plus those from there to the destination: a(i) + b(j).
 * Every permutation then loads a channel as uniform traffic does.
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

/* Paths per pair of the permutation: the same total as `share` per pair of
 * routers, if sides are routers. Doubled if the search's upper limit is so
 * close that otherwise most of the interval would lie below the estimate. */
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

/* Draws twice the paths requested, an eighth of them for the check: the upper
 * limit needs more. */
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
    NB_TRY(sampled_search(&pairs, &focus, run, out, err));
    out->check_paths = sampled_check_paths(&pairs, check, out);
    NB_TRY(sampled_check(&pairs, run, out, err));
    /* The interval must contain its estimate, even where chance put it
     * outside. */
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
    NB_TRY(routing->intermediate == NB_ANYWHERE &&
                   !nb_two_phase_turns_at_switches(routing)
               ? sampled_anywhere(routing, sample, run, out, err)
               : sampled_anything(routing, sample, run, out, err));
done:
    if (status != NB_OK)
        nb_sampled_case_release(out);
    return status;
}
