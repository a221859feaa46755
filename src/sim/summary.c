#include "sim/summary.h"

#include "core/memory.h"
#include "routing/two_phase.h"
#include "sim/overtaking.h"

#include <math.h>
#include <stddef.h>

/* If more events than this were expected, the probability that none was seen is
 * less than 1 - NB_SUMMARY_LEVEL (Poisson). */
#define SUMMARY_NONE 2.9957322735539909

/* As in nb_merge_batches. */
#define SUMMARY_DEVIATIONS 0.5
enum { SUMMARY_LEAST_BATCHES = 8 };

/* Relative standard errors of the packets under way, as expected for channels
 * of their utilisation: above the first, latencies have no interval, as it
 * would be too skewed; above the second, no quantity that depends on queues has
 * one. */
#define SUMMARY_ROUGH (1.0 / 12)
#define SUMMARY_SLOW  (1.0 / 7)

/* A summary in progress. */
struct summary {
    struct nb_replications all;
    /* Scratch, [all.batches]: the batches of all replications, one replication
     * after another. */
    double *sum, *weight;
    struct nb_pool pool;
    struct nb_simulation_result *out;
};

/* Mean of a field of struct nb_batch over that of another or over time. */
struct summary_mean {
    size_t estimate; /* offset in the result */
    size_t field;
    enum {
        SUMMARY_PACKET,
        SUMMARY_REPLY,
        SUMMARY_TERMINAL_CYCLE,
        SUMMARY_CYCLE
    } per;
    bool grows; /* without bound, beyond saturation */
};

#define SUMMARY_MEAN(name)                                                     \
    offsetof(struct nb_simulation_result, name), offsetof(struct nb_batch, name)

enum { SUMMARY_LATENCY, SUMMARY_IN_FLIGHT, SUMMARY_MEANS = 10 };
static const struct summary_mean summary_means[SUMMARY_MEANS] = {
    [SUMMARY_LATENCY] = { SUMMARY_MEAN(latency), SUMMARY_PACKET, true },
    [SUMMARY_IN_FLIGHT] = { SUMMARY_MEAN(in_flight), SUMMARY_CYCLE, true },
    { SUMMARY_MEAN(queueing), SUMMARY_PACKET, true },
    { SUMMARY_MEAN(hops), SUMMARY_PACKET, false },
    { SUMMARY_MEAN(minimal), SUMMARY_PACKET, false },
    { SUMMARY_MEAN(misrouted), SUMMARY_PACKET, false },
    { SUMMARY_MEAN(offered), SUMMARY_TERMINAL_CYCLE, false },
    { SUMMARY_MEAN(accepted), SUMMARY_TERMINAL_CYCLE, false },
    { SUMMARY_MEAN(round_trip), SUMMARY_REPLY, true },
    { SUMMARY_MEAN(reply_latency), SUMMARY_REPLY, true },
};

struct nb_replications nb_replications_of(const struct nb_network *networks,
                                          size_t count)
{
    struct nb_replications all = { networks, count, 0, 0, true };
    double cycles = 0;
    for (size_t i = 0; i < count; i++) {
        const struct nb_measure *measure = &networks[i].measure;
        all.batches += measure->batch_count;
        cycles += (double)measure->batch_count * (double)measure->batch_length;
        all.is_even = all.is_even &&
                      measure->batch_count == networks[0].measure.batch_count;
    }
    all.length = cycles / (double)all.batches;
    return all;
}

static const struct nb_tally *summary_tally_of(const struct nb_network *network,
                                               size_t array, size_t index)
{
    const char *measure = (const char *)&network->measure;
    return *(struct nb_tally *const *)(measure + array) + index;
}

struct nb_tally_total nb_replications_merged(const struct nb_replications *all,
                                             size_t array, size_t index,
                                             size_t merges)
{
    struct nb_tally_total total = { 0 };
    for (size_t i = 0; i < all->count; i++) {
        const struct nb_tally *tally =
            summary_tally_of(&all->networks[i], array, index);
        total.sum += tally->sum;
        total.square += merges == 0 ? tally->square : tally->merged[merges - 1];
    }
    return total;
}

struct nb_tally_total nb_replications_total(const struct nb_replications *all,
                                            size_t array, size_t index)
{
    return nb_replications_merged(all, array, index, 0);
}

/* Adds up the histograms of all replications. */
static enum nb_status summary_add_histogram(struct nb_histogram *to,
                                            const struct nb_histogram *from,
                                            struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (to->count == NULL)
        status = nb_histogram_init(to, from->size, err);
    if (status == NB_OK)
        nb_histogram_add(to, from);
    return status;
}

/* Whole windows that all replications have run; after the end of a trace or a
 * batch nothing more would come. */
static size_t summary_windows(const struct summary *work)
{
    const struct nb_injection *injection =
        &work->all.networks[0].plan->injection;
    size_t least = work->all.networks[0].measure.window_count;
    if (injection->kind == NB_INJECT_TRACE ||
        injection->kind == NB_INJECT_BATCH)
        return least;
    for (size_t i = 0; i < work->all.count; i++) {
        const struct nb_measure *measure = &work->all.networks[i].measure;
        const uint64_t run = measure->batch_count * measure->batch_length;
        if (run < least * measure->plan->window)
            least = (size_t)(run / measure->plan->window);
    }
    return least;
}

static enum nb_status summary_find_series(const struct summary *work,
                                          struct nb_error *err)
{
    const struct nb_network *networks = work->all.networks;
    const struct nb_measure *measure = &networks[0].measure;
    struct nb_simulation_result *out = work->out;
    const size_t count = work->all.count;
    const double cycles = (double)measure->plan->window *
                          (double)networks[0].topology->terminal_count;
    double *sums = NULL; /* [5] [count]: as in struct nb_window_sum */
    enum nb_status status = NB_OK;
    out->window_count = summary_windows(work);
    NB_TRY(nb_new(&out->series, out->window_count, sizeof *out->series,
                  "series", err));
    NB_TRY(nb_new(&sums, 5 * count, sizeof *sums, "series", err));
    double *packets = sums + count, *latency = packets + count;
    double *minimal = latency + count, *level = minimal + count;
    for (size_t w = 0; w < out->window_count; w++) {
        for (size_t i = 0; i < count; i++) {
            const struct nb_window_sum *sum = &networks[i].measure.window[w];
            sums[i] = sum->flits / cycles;
            packets[i] = sum->packets;
            latency[i] = sum->latency;
            minimal[i] = sum->minimal;
            level[i] = sum->level;
        }
        out->series[w] = (struct nb_window){
            .accepted = nb_estimate_mean(sums, count, NB_SUMMARY_LEVEL),
            .latency =
                nb_estimate_ratio(latency, packets, count, NB_SUMMARY_LEVEL),
            .minimal =
                nb_estimate_ratio(minimal, packets, count, NB_SUMMARY_LEVEL),
            .level = nb_estimate_ratio(level, packets, count, NB_SUMMARY_LEVEL),
        };
        if (measure->flows->distance == NULL)
            out->series[w].minimal = (struct nb_estimate){ NAN, INFINITY };
        if (!nb_two_phase_has_levels(measure->plan->routing))
            out->series[w].level = (struct nb_estimate){ NAN, INFINITY };
    }
done:
    nb_delete(sums);
    return status;
}

static enum nb_status summary_find_histograms(const struct summary *work,
                                              struct nb_error *err)
{
    const struct nb_network *networks = work->all.networks;
    struct nb_simulation_result *out = work->out;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&out->depths, networks[0].measure.class_count,
                  sizeof *out->depths, "queue depths", err));
    out->class_count = networks[0].measure.class_count;
    for (size_t i = 0; i < work->all.count; i++) {
        const struct nb_measure *measure = &networks[i].measure;
        NB_TRY(
            summary_add_histogram(&out->latencies, &measure->latencies, err));
        for (size_t c = 0; c < out->class_count; c++)
            NB_TRY(summary_add_histogram(&out->depths[c], &measure->depths[c],
                                         err));
        if (measure->overtaking != NULL)
            NB_TRY(summary_add_histogram(&out->reorder,
                                         &measure->overtaking->overtaken, err));
    }
done:
    return status;
}

/* The field at an offset of struct nb_batch. */
static double summary_field(const struct nb_batch *batch, size_t offset)
{
    const void *field = (const char *)batch + offset;
    return *(const double *)field;
}

/* The weight of a batch in a mean. */
static double summary_weight(const struct nb_network *network,
                             const struct nb_batch *batch,
                             const struct summary_mean *mean)
{
    const double length = (double)network->measure.batch_length;
    if (mean->per == SUMMARY_PACKET)
        return batch->packets;
    if (mean->per == SUMMARY_REPLY)
        return batch->replies;
    return mean->per == SUMMARY_CYCLE
               ? length
               : (double)network->topology->terminal_count * length;
}

static void summary_fill(struct summary *work, const struct summary_mean *mean)
{
    size_t k = 0;
    for (size_t i = 0; i < work->all.count; i++) {
        const struct nb_network *network = &work->all.networks[i];
        for (size_t b = 0; b < network->measure.batch_count; b++, k++) {
            const struct nb_batch *batch = &network->measure.batch[b];
            work->sum[k] = summary_field(batch, mean->field);
            work->weight[k] = summary_weight(network, batch, mean);
        }
    }
}

static struct nb_estimate summary_ratio(struct summary *work,
                                        const struct summary_mean *mean)
{
    const size_t all = work->all.batches;
    summary_fill(work, mean);
    const size_t merged =
        work->all.is_even
            ? nb_merge_batches(work->sum, work->weight, all, work->all.count)
            : all;
    struct nb_estimate ratio =
        nb_estimate_ratio(work->sum, work->weight, merged, NB_SUMMARY_LEVEL);
    double total = 0;
    for (size_t b = 0; b < merged; b++)
        total += work->weight[b];
    if (ratio.mean == 0 && mean->per != SUMMARY_PACKET)
        ratio.half_width = SUMMARY_NONE / total;
    return ratio;
}

static enum nb_status summary_init(const struct nb_network *networks,
                                   size_t count, struct summary *out,
                                   struct nb_error *err)
{
    out->all = nb_replications_of(networks, count);
    out->sum = nb_pool_array(&out->pool, out->all.batches, sizeof *out->sum);
    out->weight =
        nb_pool_array(&out->pool, out->all.batches, sizeof *out->weight);
    return nb_pool_check(&out->pool, "batches", err);
}

/* Whether the packets under way change too slowly for intervals of quantities
 * that depend on them. */
static bool summary_is_slow(struct summary *work)
{
    summary_fill(work, &summary_means[SUMMARY_IN_FLIGHT]);
    return work->all.is_even && nb_is_slow(work->sum, work->weight,
                                           work->all.batches, work->all.count);
}

/* The expected relative standard error of the packets under way. For a queue
 * with utilisation rho, the mean over a time t has, near saturation, the
 * relative standard error sqrt(2 / t) / (1 - rho) if arrivals are Poisson and
 * services have one length: the mean of a reflected Brownian motion. 0 if it
 * cannot be predicted: an adaptive scheme may keep a channel always busy that
 * others relieve; a trace or a batch ends by itself. */
static double summary_error(const struct nb_replications *all)
{
    const struct nb_network *first = &all->networks[0];
    const double cycles = all->length * (double)all->batches;
    double mean = 0, variance = 0;
    if (first->plan->routing->kind->is_adaptive ||
        first->plan->injection.kind == NB_INJECT_TRACE ||
        first->plan->injection.kind == NB_INJECT_BATCH)
        return 0;
    for (uint32_t q = 0; q < first->measure.queue_count; q++) {
        const double sent =
            nb_replications_total(all, offsetof(struct nb_measure, use), q).sum;
        const double rho =
            sent / cycles / nb_ratio_value(nb_network_bandwidth(first, q));
        const double idle = fmax(1 - rho, 1 / cycles);
        mean += rho / idle;
        variance += rho * rho * 2 / (idle * idle * idle * idle * cycles);
    }
    return mean > 0 ? sqrt(variance) / mean : 0;
}

double nb_summary_precision(const struct nb_network *networks, size_t count)
{
    struct summary work = { 0 };
    double precision = INFINITY;
    if (summary_init(networks, count, &work, NULL) == NB_OK &&
        !summary_is_slow(&work) && summary_error(&work.all) <= SUMMARY_ROUGH) {
        const struct nb_estimate latency =
            summary_ratio(&work, &summary_means[SUMMARY_LATENCY]);
        precision = latency.half_width / latency.mean;
    }
    nb_pool_release(&work.pool);
    return precision;
}

struct nb_estimate nb_summary_rate(double sum, double square, size_t batches,
                                   double batch_length, double t)
{
    const double k = (double)batches, mean = sum / k;
    const double variance =
        batches > 1 ? fmax(square - sum * mean, 0) / (k - 1) : INFINITY;
    return (struct nb_estimate){
        .mean = mean / batch_length,
        .half_width = t * sqrt(variance / k) / batch_length,
    };
}

struct nb_estimate nb_replications_tally(const struct nb_replications *all,
                                         size_t array, size_t index,
                                         double confidence)
{
    const size_t each = all->networks[0].measure.batch_count;
    const struct nb_tally_total total =
        nb_replications_total(all, array, index);
    const double sum = total.sum;
    double square = total.square;
    size_t merged = 1;
    for (size_t m = 0; m < NB_MERGES && all->is_even; m++) {
        const double n = (double)(each / merged * all->count);
        double twos = 0;
        if (each % (2 * merged) != 0 || n / 2 < SUMMARY_LEAST_BATCHES)
            break;
        for (size_t i = 0; i < all->count; i++)
            twos +=
                summary_tally_of(&all->networks[i], array, index)->merged[m];
        const double ones = (square - sum * sum / n) / (n - 1);
        const double correlation =
            (twos - 2 * sum * sum / n) / (n - 2) / ones - 1;
        if (!(correlation > SUMMARY_DEVIATIONS * sqrt(2 / n)))
            break;
        square = twos;
        merged *= 2;
    }
    const size_t batches = all->batches / merged;
    return nb_summary_rate(sum, square, batches, all->length * (double)merged,
                           nb_t_quantile(confidence, batches));
}

static void summary_find_means(struct summary *work)
{
    const struct nb_flows *flows = work->all.networks[0].measure.flows;
    for (size_t m = 0; m < SUMMARY_MEANS; m++) {
        void *at = (char *)work->out + summary_means[m].estimate;
        *(struct nb_estimate *)at = summary_ratio(work, &summary_means[m]);
    }
    if (flows->distance == NULL)
        work->out->minimal = (struct nb_estimate){ NAN, INFINITY };
    const struct nb_routing *routing = work->all.networks[0].plan->routing;
    if (!nb_two_phase_has_levels(routing))
        work->out->misrouted = (struct nb_estimate){ NAN, INFINITY };
    if (work->all.networks[0].replies.room == 0)
        work->out->round_trip = work->out->reply_latency =
            (struct nb_estimate){ NAN, INFINITY };
}

static enum nb_status summary_find_arrays(const struct summary *work,
                                          struct nb_error *err)
{
    const struct nb_topology *topology = work->all.networks[0].topology;
    struct nb_simulation_result *out = work->out;
    const char *what = "results";
    enum nb_status status = NB_OK;
    out->queue_count = work->all.networks[0].measure.queue_count;
    NB_TRY(nb_new(&out->utilisation, out->queue_count, sizeof *out->utilisation,
                  what, err));
    for (size_t q = 0; q < out->queue_count; q++)
        out->utilisation[q] = nb_replications_tally(
            &work->all, offsetof(struct nb_measure, use), q, NB_SUMMARY_LEVEL);
    NB_TRY(nb_new(&out->accepted_of, topology->router_count,
                  sizeof *out->accepted_of, what, err));
    for (size_t r = 0; r < topology->router_count; r++) {
        struct nb_estimate *of = &out->accepted_of[r];
        const double terminals = topology->terminals[r];
        of->mean = NAN;
        if (terminals == 0)
            continue;
        *of = nb_replications_tally(
            &work->all, offsetof(struct nb_measure, from), r, NB_SUMMARY_LEVEL);
        of->mean /= terminals;
        of->half_width /= terminals;
    }
done:
    return status;
}

/* Quantities that grow without bound in a saturated network: each batch has
 * more than the one before, and all depend on the initial value, so only
 * replications show the error. */
static void summary_find_growing(struct summary *work)
{
    for (size_t m = 0; m < SUMMARY_MEANS; m++) {
        const struct summary_mean *mean = &summary_means[m];
        void *at = (char *)work->out + mean->estimate;
        if (!mean->grows || isnan(((struct nb_estimate *)at)->mean))
            continue; /* nor what does not exist */
        for (size_t i = 0; i < work->all.count; i++) {
            const struct nb_network *network = &work->all.networks[i];
            work->sum[i] = work->weight[i] = 0;
            for (size_t b = 0; b < network->measure.batch_count; b++) {
                const struct nb_batch *batch = &network->measure.batch[b];
                work->sum[i] += summary_field(batch, mean->field);
                work->weight[i] += summary_weight(network, batch, mean);
            }
        }
        *(struct nb_estimate *)at = nb_estimate_ratio(
            work->sum, work->weight, work->all.count, NB_SUMMARY_LEVEL);
    }
}

static void summary_judge_slow(struct summary *work)
{
    struct nb_simulation_result *out = work->out;
    if (out->stability == NB_SATURATED || work->all.batches == 0)
        return;
    const struct nb_router *router = &work->all.networks[0].plan->router;
    const double error = summary_error(&work->all);
    /* With finite buffers an undecided network may be beyond saturation. */
    const bool is_known =
        out->stability == NB_STABLE || router->model == NB_ROUTER_IDEAL;
    out->is_slow = summary_is_slow(work) || (is_known && error > SUMMARY_SLOW);
    out->has_slow_waits = out->is_slow || error > SUMMARY_ROUGH;
}

/* Removes the intervals of quantities that depend on slow queues. */
static void summary_open_waits(struct nb_simulation_result *out)
{
    out->latency.half_width = INFINITY;
    out->queueing.half_width = INFINITY;
    out->in_flight.half_width = INFINITY;
}

static void summary_open(struct nb_simulation_result *out, size_t routers)
{
    out->accepted.half_width = INFINITY;
    for (size_t q = 0; q < out->queue_count; q++)
        out->utilisation[q].half_width = INFINITY;
    for (size_t r = 0; r < routers; r++)
        out->accepted_of[r].half_width = INFINITY;
}

/* When each replication ended. The array has room: each has a batch. */
static void summary_find_completion(struct summary *work)
{
    struct nb_simulation_result *out = work->out;
    if (work->all.batches < work->all.count)
        return; /* none was measured to the end of a batch */
    for (size_t i = 0; i < work->all.count; i++) {
        const uint64_t last = work->all.networks[i].measure.last;
        const uint64_t cycle = work->all.networks[i].cycle;
        const uint64_t end = last > cycle ? last : cycle;
        work->sum[i] = (double)end;
        if (end > out->completion)
            out->completion = end;
    }
    out->completion_mean =
        nb_estimate_mean(work->sum, work->all.count, NB_SUMMARY_LEVEL);
}

enum nb_status nb_summary_find(const struct nb_network *networks, size_t count,
                               struct nb_simulation_result *out,
                               struct nb_error *err)
{
    struct summary work = { .out = out };
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < count; i++) {
        const struct nb_network *network = &networks[i];
        const struct nb_measure *measure = &network->measure;
        if (measure->start != UINT64_MAX && measure->start > out->warm_up)
            out->warm_up = measure->start;
        out->cycles += measure->batch_count * measure->batch_length;
        out->packets += measure->packets;
        out->unfinished += measure->alive;
    }
    NB_TRY(summary_init(networks, count, &work, err));
    out->batches = work.all.batches;
    summary_find_completion(&work);
    summary_find_means(&work);
    NB_TRY(summary_find_arrays(&work, err));
    NB_TRY(summary_find_histograms(&work, err));
    NB_TRY(summary_find_series(&work, err));
    NB_TRY(nb_summary_find_responses(&work.all, out, err));
    nb_summary_judge(networks, count, out);
    if (out->stability == NB_SATURATED && work.all.batches >= count)
        summary_find_growing(&work);
    summary_judge_slow(&work);
    if (out->has_slow_waits)
        summary_open_waits(out);
    if (out->is_slow)
        summary_open(out, networks[0].topology->router_count);
    NB_TRY(nb_summary_find_extremes(&work.all, out, err));
    NB_TRY(nb_summary_find_virtual(&work.all, out, err));
done:
    nb_pool_release(&work.pool);
    return status;
}
