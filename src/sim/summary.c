#include "sim/summary.h"

#include "core/memory.h"
#include "sim/overtaking.h"

#include <math.h>
#include <stddef.h>

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

static enum nb_status summary_find_series(const struct nb_network *networks,
                                          size_t count,
                                          struct nb_simulation_result *out,
                                          struct nb_error *err)
{
    const struct nb_measure *measure = &networks[0].measure;
    double *value = NULL;
    enum nb_status status = NB_OK;
    out->window_count = measure->window_count;
    NB_TRY(nb_new(&out->series, out->window_count, sizeof *out->series,
                  "series", err));
    NB_TRY(nb_new(&value, count, sizeof *value, "series", err));
    for (size_t w = 0; w < out->window_count; w++) {
        for (size_t i = 0; i < count; i++)
            value[i] = networks[i].measure.window[w] / measure->plan->window /
                       (double)networks[i].topology->terminal_count;
        out->series[w] = nb_estimate_mean(value, count, NB_SUMMARY_LEVEL);
    }
done:
    nb_delete(value);
    return status;
}

static enum nb_status summary_find_histograms(const struct nb_network *networks,
                                              size_t count,
                                              struct nb_simulation_result *out,
                                              struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&out->depths, networks[0].measure.class_count,
                  sizeof *out->depths, "queue depths", err));
    out->class_count = networks[0].measure.class_count;
    for (size_t i = 0; i < count; i++) {
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

/* The part of it that are histograms and series. Errors: NB_NO_MEMORY. */
static enum nb_status summary_find_laws(const struct nb_network *networks,
                                        size_t count,
                                        struct nb_simulation_result *out,
                                        struct nb_error *err)
{
    const enum nb_status status =
        summary_find_histograms(networks, count, out, err);
    return status == NB_OK ? summary_find_series(networks, count, out, err)
                           : status;
}

/* If more events than this were expected, there is a chance of less than 1 -
 * NB_SUMMARY_LEVEL that none was seen (Poisson). */
#define SUMMARY_NONE 2.9957322735539909

/* As in nb_merge_batches. */
#define SUMMARY_DEVIATIONS 0.5
enum { SUMMARY_LEAST_BATCHES = 8 };

/* Relative standard errors of the packets under way that are expected of
 * channels as busy as these: above the first latencies have no interval, as
 * chance would have them too skewed; above the second nothing has that depends
 * on queues. */
#define SUMMARY_ROUGH (1.0 / 12)
#define SUMMARY_SLOW  (1.0 / 7)

/* Chance that any that may be an extreme is taken not to be. */
#define SUMMARY_RIVAL 1e-3

/* Batches of all replications, one after another. */
struct summary_batches {
    size_t count; /* in all */
    size_t replications;
    double *sum, *weight; /* scratch, [count] */
};

static size_t summary_batch_count(const struct nb_network *networks,
                                  size_t count)
{
    size_t batches = 0;
    for (size_t i = 0; i < count; i++)
        batches += networks[i].measure.batch_count;
    return batches;
}

/* The field at an offset of struct nb_batch. */
static double summary_field(const struct nb_batch *batch, size_t offset)
{
    const void *field = (const char *)batch + offset;
    return *(const double *)field;
}

/* Whether all replications have equally many batches: where too many packets
 * were under way some have not. */
static bool summary_is_even(const struct nb_network *networks, size_t count)
{
    bool is_even = true;
    for (size_t i = 1; i < count; i++)
        is_even = is_even && networks[i].measure.batch_count ==
                                 networks[0].measure.batch_count;
    return is_even;
}

/* The mean length of a batch: those of traces end by themselves. */
static double summary_length(const struct nb_network *networks, size_t count)
{
    double cycles = 0;
    for (size_t i = 0; i < count; i++)
        cycles += (double)networks[i].measure.batch_count *
                  (double)networks[i].measure.batch_length;
    return cycles / (double)summary_batch_count(networks, count);
}

/* The mean of a field over another, or over a number per cycle. */
static struct nb_estimate summary_ratio(const struct nb_network *networks,
                                        struct summary_batches *work,
                                        size_t field, size_t weight,
                                        double per_cycle)
{
    size_t k = 0;
    for (size_t i = 0; i < work->replications; i++)
        for (size_t b = 0; b < networks[i].measure.batch_count; b++, k++) {
            const struct nb_batch *batch = &networks[i].measure.batch[b];
            work->sum[k] = summary_field(batch, field);
            work->weight[k] =
                per_cycle > 0
                    ? per_cycle * (double)networks[i].measure.batch_length
                    : summary_field(batch, weight);
        }
    const size_t merged =
        summary_is_even(networks, work->replications)
            ? nb_merge_batches(work->sum, work->weight, k, work->replications)
            : k;
    struct nb_estimate ratio =
        nb_estimate_ratio(work->sum, work->weight, merged, NB_SUMMARY_LEVEL);
    double total = 0;
    for (size_t b = 0; b < merged; b++)
        total += work->weight[b];
    if (ratio.mean == 0 && per_cycle > 0)
        ratio.half_width = SUMMARY_NONE / total;
    return ratio;
}

static enum nb_status summary_init(const struct nb_network *networks,
                                   size_t count, struct summary_batches *out,
                                   struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out =
        (struct summary_batches){ .count = summary_batch_count(networks, count),
                                  .replications = count };
    NB_TRY(nb_new(&out->sum, out->count, sizeof(double), "batches", err));
    NB_TRY(nb_new(&out->weight, out->count, sizeof(double), "batches", err));
done:
    return status;
}

static void summary_release(struct summary_batches *work)
{
    nb_delete(work->sum);
    nb_delete(work->weight);
}

/* Whether the packets under way change too slowly for intervals of what depends
 * on them. */
static bool summary_is_slow(const struct nb_network *networks,
                            struct summary_batches *work)
{
    size_t k = 0;
    for (size_t i = 0; i < work->replications; i++)
        for (size_t b = 0; b < networks[i].measure.batch_count; b++, k++) {
            work->sum[k] = networks[i].measure.batch[b].in_flight;
            work->weight[k] = (double)networks[i].measure.batch_length;
        }
    return summary_is_even(networks, work->replications) &&
           nb_is_slow(work->sum, work->weight, k, work->replications);
}

/* The relative standard error of the packets under way. Over a time t the mean
 * of a queue that is busy for rho of it has, near saturation, one of
 * sqrt(2 / t) / (1 - rho) if arrivals are of a Poisson process and services of
 * one length: as the mean of a reflected Brownian motion. 0 where none is
 * expected: an adaptive scheme may keep a channel busy for ever that others
 * relieve, and what comes by a list or at once is at an end with it. */
static double summary_error(const struct nb_network *networks, size_t count)
{
    const double cycles = summary_length(networks, count) *
                          (double)summary_batch_count(networks, count);
    const struct nb_simulation *plan = networks[0].plan;
    double mean = 0, variance = 0;
    if (plan->routing->kind->is_adaptive ||
        plan->injection.kind == NB_INJECT_TRACE ||
        plan->injection.kind == NB_INJECT_BATCH)
        return 0;
    for (uint32_t q = 0; q < networks[0].measure.queue_count; q++) {
        double sent = 0;
        for (size_t i = 0; i < count; i++)
            sent += networks[i].measure.use[q].sum;
        const double rho =
            sent / cycles /
            nb_ratio_value(nb_network_bandwidth(&networks[0], q));
        const double idle = fmax(1 - rho, 1 / cycles);
        mean += rho / idle;
        variance += rho * rho * 2 / (idle * idle * idle * idle * cycles);
    }
    return mean > 0 ? sqrt(variance) / mean : 0;
}

double nb_summary_precision(const struct nb_network *networks, size_t count)
{
    struct summary_batches work = { 0 };
    double precision = INFINITY;
    if (summary_init(networks, count, &work, NULL) == NB_OK &&
        !summary_is_slow(networks, &work) &&
        summary_error(networks, count) <= SUMMARY_ROUGH) {
        const struct nb_estimate latency =
            summary_ratio(networks, &work, offsetof(struct nb_batch, latency),
                          offsetof(struct nb_batch, packets), 0);
        precision = latency.half_width / latency.mean;
    }
    summary_release(&work);
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

static const struct nb_tally *summary_tally_of(const struct nb_network *network,
                                               size_t array, size_t index)
{
    const char *measure = (const char *)&network->measure;
    return *(struct nb_tally *const *)(measure + array) + index;
}

/* Neighbours that are merged for a tally, by the rule of nb_merge_batches: the
 * correlation is that of twos, by what their squares are more than those of
 * independent ones. square: out, that of what is left */
static size_t summary_merge(const struct nb_network *networks, size_t count,
                            size_t array, size_t index, double *square)
{
    const size_t each = networks[0].measure.batch_count;
    size_t merged = 1;
    double sum = 0;
    *square = 0;
    for (size_t i = 0; i < count; i++) {
        sum += summary_tally_of(&networks[i], array, index)->sum;
        *square += summary_tally_of(&networks[i], array, index)->square;
    }
    for (size_t m = 0; m < NB_MERGES && summary_is_even(networks, count); m++) {
        const double n = (double)(each / merged * count);
        double twos = 0;
        if (each % (2 * merged) != 0 || n / 2 < SUMMARY_LEAST_BATCHES)
            break;
        for (size_t i = 0; i < count; i++)
            twos += summary_tally_of(&networks[i], array, index)->merged[m];
        const double ones = (*square - sum * sum / n) / (n - 1);
        const double correlation =
            (twos - 2 * sum * sum / n) / (n - 2) / ones - 1;
        if (!(correlation > SUMMARY_DEVIATIONS * sqrt(2 / n)))
            break;
        *square = twos;
        merged *= 2;
    }
    return merged;
}

/* A tally of all replications together, per cycle. */
static struct nb_estimate summary_tally(const struct nb_network *networks,
                                        size_t count, size_t array,
                                        size_t index, double confidence)
{
    double sum = 0, square;
    const size_t merged = summary_merge(networks, count, array, index, &square);
    const size_t batches = summary_batch_count(networks, count) / merged;
    for (size_t i = 0; i < count; i++)
        sum += summary_tally_of(&networks[i], array, index)->sum;
    return nb_summary_rate(sum, square, batches,
                           summary_length(networks, count) * (double)merged,
                           nb_t_quantile(confidence, batches));
}

static void summary_find_means(const struct nb_network *networks,
                               struct summary_batches *work,
                               struct nb_simulation_result *out)
{
    const struct nb_measure *measure = &networks[0].measure;
    const double unit = (double)networks[0].topology->terminal_count;
    const size_t packets = offsetof(struct nb_batch, packets);
    out->offered = summary_ratio(networks, work,
                                 offsetof(struct nb_batch, offered), 0, unit);
    out->accepted = summary_ratio(networks, work,
                                  offsetof(struct nb_batch, accepted), 0, unit);
    out->latency = summary_ratio(
        networks, work, offsetof(struct nb_batch, latency), packets, 0);
    out->queueing = summary_ratio(
        networks, work, offsetof(struct nb_batch, queueing), packets, 0);
    out->hops = summary_ratio(networks, work, offsetof(struct nb_batch, hops),
                              packets, 0);
    out->minimal = (struct nb_estimate){ NAN, INFINITY };
    if (measure->flows->distance != NULL)
        out->minimal = summary_ratio(
            networks, work, offsetof(struct nb_batch, minimal), packets, 0);
    out->in_flight = summary_ratio(networks, work,
                                   offsetof(struct nb_batch, in_flight), 0, 1);
}

static enum nb_status summary_find_arrays(const struct nb_network *networks,
                                          size_t count,
                                          struct nb_simulation_result *out,
                                          struct nb_error *err)
{
    const struct nb_topology *topology = networks[0].topology;
    const struct nb_measure *measure = &networks[0].measure;
    const char *what = "results";
    enum nb_status status = NB_OK;
    out->queue_count = measure->queue_count;
    NB_TRY(nb_new(&out->utilisation, out->queue_count, sizeof *out->utilisation,
                  what, err));
    for (size_t q = 0; q < out->queue_count; q++)
        out->utilisation[q] =
            summary_tally(networks, count, offsetof(struct nb_measure, use), q,
                          NB_SUMMARY_LEVEL);
    NB_TRY(nb_new(&out->accepted_of, topology->router_count,
                  sizeof *out->accepted_of, what, err));
    for (size_t r = 0; r < topology->router_count; r++) {
        struct nb_estimate *of = &out->accepted_of[r];
        const double terminals = topology->terminals[r];
        of->mean = NAN;
        if (terminals == 0)
            continue;
        *of = summary_tally(networks, count, offsetof(struct nb_measure, from),
                            r, NB_SUMMARY_LEVEL);
        of->mean /= terminals;
        of->half_width /= terminals;
    }
done:
    return status;
}

/* Tallies of which the least or largest mean is asked for. */
struct summary_extreme {
    enum nb_extreme_kind kind;
    size_t array; /* offset in struct nb_measure */
    size_t count;
    double *unit; /* [count] what each is divided by; 0: it is left out */
    double most;  /* that it can be */
};

static struct nb_estimate summary_each(const struct nb_network *networks,
                                       size_t count,
                                       const struct summary_extreme *asked,
                                       size_t index, double chance)
{
    struct nb_estimate each =
        summary_tally(networks, count, asked->array, index, 1 - 2 * chance);
    each.mean /= asked->unit[index];
    each.half_width /= asked->unit[index];
    return each;
}

/* How many may be the extreme one: those not far from what looks like it. They
 * are left out by so small a chance each that it does not count. */
static size_t summary_count_rivals(const struct nb_network *networks,
                                   size_t count,
                                   const struct summary_extreme *asked)
{
    const double chance = SUMMARY_RIVAL / (double)asked->count;
    const double sign = asked->kind == NB_LEAST ? -1 : 1;
    double nearest = -INFINITY;
    size_t rivals = 0;
    for (size_t i = 0; i < asked->count; i++)
        if (asked->unit[i] > 0) {
            const struct nb_estimate each =
                summary_each(networks, count, asked, i, chance);
            nearest = fmax(nearest, sign * each.mean - each.half_width);
        }
    for (size_t i = 0; i < asked->count; i++)
        if (asked->unit[i] > 0) {
            const struct nb_estimate each =
                summary_each(networks, count, asked, i, chance);
            rivals += sign * each.mean + each.half_width >= nearest;
        }
    return rivals;
}

/*
 * The limit on the outer side fails only if those that are extreme all look
 * less so, the one on the inner side if any looks more so: of k rivals of which
 * m are extreme and that are independent, by chances a^m and m a / k, together
 * at most a (1 + 1 / k).
 * found: out, which one it is
 */
static struct nb_interval
summary_find_extreme(const struct nb_network *networks, size_t count,
                     const struct summary_extreme *asked, bool is_slow,
                     size_t *found)
{
    struct nb_interval extreme = { NAN, NAN, NAN };
    const double k = (double)summary_count_rivals(networks, count, asked);
    const double chance = (1 - NB_SUMMARY_LEVEL) * k / (k + 1);
    for (size_t i = 0; i < asked->count; i++) {
        if (asked->unit[i] == 0)
            continue;
        const struct nb_estimate each =
            summary_each(networks, count, asked, i, chance);
        const struct nb_estimate all =
            summary_each(networks, count, asked, i, chance / k);
        if (nb_extreme_take(&extreme, asked->kind, each, all.half_width))
            *found = i;
    }
    if (is_slow && !isnan(extreme.value)) {
        extreme.lower = 0;
        extreme.upper = INFINITY;
    }
    return nb_interval_cut(extreme, asked->most);
}

/* Asks for classes instead, if all of a class are known to do the same. unit:
 * of each of those in them. */
static const struct nb_classes *
summary_ask_alike(const struct nb_simulation_result *out,
                  const struct nb_alike *alike,
                  const struct nb_classes *classes, size_t array,
                  struct summary_extreme *asked)
{
    if (classes->count == 0 ||
        !(alike->is_always || out->stability == NB_STABLE))
        return NULL;
    for (size_t c = 0; c < classes->count; c++)
        asked->unit[c] =
            asked->unit[classes->first[c]] * (double)classes->size[c];
    asked->array = array;
    asked->count = classes->count;
    return classes;
}

/* unit: scratch */
static void summary_find_busiest(const struct nb_network *networks,
                                 size_t count, double *unit,
                                 struct nb_simulation_result *out)
{
    const struct nb_alike *alike = &networks[0].measure.flows->alike;
    struct summary_extreme asked = {
        .kind = NB_LARGEST,
        .array = offsetof(struct nb_measure, use),
        .count = out->queue_count,
        .unit = unit,
    };
    size_t found = 0;
    for (uint32_t q = 0; q < out->queue_count; q++) {
        asked.most = fmax(
            asked.most, nb_ratio_value(nb_network_bandwidth(&networks[0], q)));
        unit[q] = 1;
    }
    const struct nb_classes *classes =
        summary_ask_alike(out, alike, &alike->queue,
                          offsetof(struct nb_measure, use_alike), &asked);
    out->busiest =
        summary_find_extreme(networks, count, &asked, out->is_slow, &found);
    if (out->queue_count == 0)
        return;
    out->busiest_queue = classes != NULL ? classes->first[found] : found;
    out->busiest_count = classes != NULL ? classes->size[found] : 1;
}

/* The least of delivered over demanded rates. unit: scratch */
static void summary_find_least(const struct nb_network *networks, size_t count,
                               double *unit, struct nb_simulation_result *out)
{
    const struct nb_flows *flows = networks[0].measure.flows;
    struct summary_extreme asked = {
        .kind = NB_LEAST,
        .array = offsetof(struct nb_measure, flow),
        .count = flows->count,
        .unit = unit,
        .most = 1,
    };
    size_t found = 0;
    for (size_t f = 0; f < flows->count; f++)
        unit[f] = flows->flow[f].demand;
    const struct nb_classes *classes =
        summary_ask_alike(out, &flows->alike, &flows->alike.flow,
                          offsetof(struct nb_measure, flow_alike), &asked);
    out->least =
        summary_find_extreme(networks, count, &asked, out->is_slow, &found);
    out->least_source = out->least_target = NB_NONE;
    if (flows->count > 0) {
        found = classes != NULL ? classes->first[found] : found;
        out->least_source = flows->flow[found].source;
        out->least_target = flows->flow[found].target;
    }
}

/* The least and most of what routers' terminals get through. unit: scratch */
static struct nb_interval
summary_find_router(const struct nb_network *networks, size_t count,
                    enum nb_extreme_kind kind, double most, double *unit,
                    const struct nb_simulation_result *out)
{
    const struct nb_topology *topology = networks[0].topology;
    const struct nb_alike *alike = &networks[0].measure.flows->alike;
    struct summary_extreme asked = {
        .kind = kind,
        .array = offsetof(struct nb_measure, from),
        .count = topology->router_count,
        .unit = unit,
        .most = most,
    };
    size_t found;
    for (size_t r = 0; r < topology->router_count; r++)
        unit[r] = topology->terminals[r];
    summary_ask_alike(out, alike, &alike->router,
                      offsetof(struct nb_measure, from_alike), &asked);
    return summary_find_extreme(networks, count, &asked, out->is_slow, &found);
}

/* [flit/cycle] What each terminal of a router demands, and all terminals on
 * average, with whole numbers up to the end: what is the rate is not a little
 * less. share: [router] out; returns +inf where it is not known */
static double summary_find_demanded(const struct nb_network *network,
                                    double *share)
{
    const struct nb_topology *topology = network->topology;
    const struct nb_traffic *traffic = network->plan->traffic;
    const struct nb_injection *injection = &network->plan->injection;
    const double each = injection->rate * injection->flits;
    const double terminals = (double)topology->terminal_count;
    double sum = 0;
    if (network->measure.flows->count == 0)
        return INFINITY;
    const double whole = (double)traffic->denominator;
    for (size_t r = 0; r < topology->router_count; r++)
        share[r] =
            (double)traffic->background * topology->terminals[r] * terminals;
    for (size_t d = 0; d < traffic->demand_count; d++)
        share[traffic->demands[d].source] += (double)traffic->demands[d].weight;
    for (size_t r = 0; r < topology->router_count; r++) {
        sum += share[r];
        if (topology->terminals[r] > 0)
            share[r] = each * (share[r] / (whole * topology->terminals[r]));
    }
    return each * (sum / (whole * terminals));
}

/*
 * The least and most that pairs and routers get through. In a stable network
 * all get what they demand, so that the sum of all says it best.
 * unit: scratch
 */
static void summary_find_fairness(const struct nb_network *networks,
                                  size_t count, double *unit,
                                  struct nb_simulation_result *out)
{
    const struct nb_topology *topology = networks[0].topology;
    double least = INFINITY, most = 0;
    out->demanded = summary_find_demanded(&networks[0], unit);
    const bool is_demanded = !isinf(out->demanded);
    for (size_t r = 0; r < topology->router_count && is_demanded; r++)
        if (topology->terminals[r] > 0) {
            least = fmin(least, unit[r]);
            most = fmax(most, unit[r]);
        }
    if (is_demanded && out->is_met) {
        out->least = nb_interval_of(
            (struct nb_estimate){ out->accepted.mean / out->demanded,
                                  out->accepted.half_width / out->demanded },
            1);
        out->least_source = out->least_target = NB_NONE;
        out->router_least = nb_interval_scale(out->least, least);
        out->router_most = nb_interval_scale(out->least, most);
        return;
    }
    out->router_least =
        summary_find_router(networks, count, NB_LEAST, least, unit, out);
    out->router_most = summary_find_router(
        networks, count, NB_LARGEST, is_demanded ? most : INFINITY, unit, out);
    summary_find_least(networks, count, unit, out);
}

static enum nb_status summary_find_extremes(const struct nb_network *networks,
                                            size_t count,
                                            struct nb_simulation_result *out,
                                            struct nb_error *err)
{
    const struct nb_measure *measure = &networks[0].measure;
    size_t most = measure->queue_count;
    double *unit = NULL;
    if (most < measure->router_count)
        most = measure->router_count;
    if (most < measure->flows->count)
        most = measure->flows->count;
    const enum nb_status status =
        nb_new(&unit, most, sizeof *unit, "results", err);
    if (status == NB_OK) {
        summary_find_busiest(networks, count, unit, out);
        summary_find_fairness(networks, count, unit, out);
    }
    nb_delete(unit);
    return status;
}

/* Of a saturated network what grows for ever: of batches each has more than the
 * one before, and all depend on how much there was at first, so that only
 * replications tell the error. */
static void summary_find_growing(const struct nb_network *networks,
                                 struct summary_batches *work,
                                 struct nb_simulation_result *out)
{
    const size_t packets = offsetof(struct nb_batch, packets);
    const struct {
        struct nb_estimate *estimate;
        size_t field, weight;
    } rows[] = {
        { &out->latency, offsetof(struct nb_batch, latency), packets },
        { &out->queueing, offsetof(struct nb_batch, queueing), packets },
        { &out->in_flight, offsetof(struct nb_batch, in_flight), 0 },
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        for (size_t i = 0; i < work->replications; i++) {
            const struct nb_measure *measure = &networks[i].measure;
            work->sum[i] = work->weight[i] = 0;
            for (size_t b = 0; b < measure->batch_count; b++) {
                const struct nb_batch *batch = &measure->batch[b];
                work->sum[i] += summary_field(batch, rows[row].field);
                work->weight[i] += rows[row].weight > 0
                                       ? summary_field(batch, rows[row].weight)
                                       : (double)measure->batch_length;
            }
        }
        *rows[row].estimate = nb_estimate_ratio(
            work->sum, work->weight, work->replications, NB_SUMMARY_LEVEL);
    }
}

static void summary_judge_slow(const struct nb_network *networks,
                               struct summary_batches *work,
                               struct nb_simulation_result *out)
{
    if (out->stability == NB_SATURATED || work->count == 0)
        return;
    const double error = summary_error(networks, work->replications);
    /* With finite buffers what is undecided may be beyond saturation. */
    const bool is_known = out->stability == NB_STABLE ||
                          networks[0].plan->router.model == NB_ROUTER_IDEAL;
    out->is_slow =
        summary_is_slow(networks, work) || (is_known && error > SUMMARY_SLOW);
    out->has_slow_waits = out->is_slow || error > SUMMARY_ROUGH;
}

/* Takes intervals away from what depends on queues that are slow. */
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

/* When each replication ended. There is room: each has a batch. */
static void summary_find_completion(const struct nb_network *networks,
                                    struct summary_batches *work,
                                    struct nb_simulation_result *out)
{
    if (work->count < work->replications)
        return; /* none was measured to the end of a batch */
    for (size_t i = 0; i < work->replications; i++) {
        const uint64_t last = networks[i].measure.last;
        const uint64_t end =
            last > networks[i].cycle ? last : networks[i].cycle;
        work->sum[i] = (double)end;
        if (end > out->completion)
            out->completion = end;
    }
    out->completion_mean =
        nb_estimate_mean(work->sum, work->replications, NB_SUMMARY_LEVEL);
}

enum nb_status nb_summary_find(const struct nb_network *networks, size_t count,
                               struct nb_simulation_result *out,
                               struct nb_error *err)
{
    struct summary_batches work = { 0 };
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
    out->batches = work.count;
    summary_find_completion(networks, &work, out);
    summary_find_means(networks, &work, out);
    NB_TRY(summary_find_arrays(networks, count, out, err));
    NB_TRY(summary_find_laws(networks, count, out, err));
    nb_summary_judge(networks, count, out);
    if (out->stability == NB_SATURATED && work.count >= count)
        summary_find_growing(networks, &work, out);
    summary_judge_slow(networks, &work, out);
    if (out->has_slow_waits)
        summary_open_waits(out);
    if (out->is_slow)
        summary_open(out, networks[0].topology->router_count);
    NB_TRY(summary_find_extremes(networks, count, out, err));
done:
    summary_release(&work);
    return status;
}
