/* Quantities and notes of a simulation (declared in simulate_tables.h). */
#include "questions/simulate/simulate_tables.h"

#include "report/tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void quantities_add(struct nb_point *out, const char *name, double value,
                           double lower, double upper, const char *unit)
{
    const struct nb_quantity numbers = { .value = value,
                                         .lower = lower,
                                         .upper = upper };
    nb_point_add_quantity(out, &numbers, name, unit, NB_SIMULATE_METHOD,
                          NB_SIMULATE_SOURCE);
}

/* Nothing where nothing was observed. */
static void quantities_add_interval(struct nb_point *out, const char *name,
                                    struct nb_interval interval,
                                    const char *unit)
{
    if (!isnan(interval.value))
        quantities_add(out, name, interval.value, interval.lower,
                       interval.upper, unit);
}

/* What is infinite where the network is saturated: what was measured is then
 * no more than a lower bound, and NAME_measured says it. Nothing is known from
 * above where that is undecided, nor of latencies while packets have not
 * arrived, the slowest ones. */
static void quantities_add_time(const struct nb_simulation_result *result,
                                const char *name, struct nb_interval interval,
                                const char *unit, bool is_latency,
                                struct nb_point *out)
{
    char measured[64];
    if (result->stability == NB_SATURATED && !isnan(interval.value)) {
        quantities_add(out, name, INFINITY, interval.lower, INFINITY, unit);
        snprintf(measured, sizeof measured, "%s_measured", name);
        quantities_add_interval(out, measured, interval, unit);
        return;
    }
    if (result->stability == NB_UNDECIDED ||
        (is_latency && result->unfinished > 0))
        interval.upper = INFINITY;
    quantities_add_interval(out, name, interval, unit);
}

/* A rate of flits per terminal, NAME as a fraction of capacity and
 * NAME_absolute; nothing where nothing was observed. */
static void quantities_add_rate(const struct nb_simulate_question *asked,
                                const char *name, struct nb_interval flits,
                                struct nb_point *out)
{
    const struct nb_capacity *capacity = &asked->problem.capacity;
    char longer[64];
    if (isnan(flits.value))
        return;
    snprintf(longer, sizeof longer, "%s_absolute", name);
    if (!isinf(capacity->rate.upper))
        quantities_add(
            out, name,
            flits.value / (capacity->rate.lower / 2 + capacity->rate.upper / 2),
            flits.lower / capacity->rate.upper,
            flits.upper / capacity->rate.lower, "fraction of capacity");
    quantities_add_interval(
        out, longer, nb_interval_scale(flits, nb_simulate_packets(asked)),
        nb_simulate_unit(asked));
}

static void quantities_add_throughput(const struct nb_simulate_question *asked,
                                      const struct nb_simulation_result *result,
                                      struct nb_point *out)
{
    const double load = nb_simulate_load(asked);
    quantities_add_rate(asked, "accepted_throughput",
                        nb_interval_of(result->accepted, result->demanded),
                        out);
    quantities_add_rate(
        asked, "accepted_throughput_min",
        (struct nb_interval){ load * result->least.value,
                              asked->load.lower * result->least.lower,
                              asked->load.upper * result->least.upper },
        out);
    quantities_add_rate(asked, "offered_throughput",
                        nb_interval_of(result->offered, INFINITY), out);
    if (isinf(asked->problem.capacity.rate.upper))
        nb_point_add_note(out, "accepted_throughput",
                          "no fraction of capacity, which is infinite");
}

/*
 * How many independent packets say as much of the mean latency as those that
 * were measured do, which are correlated: the variance of one over that of
 * their mean, two of whose standard errors are about the half-width.
 */
static double quantities_effective(const struct nb_simulation_result *result)
{
    const struct nb_histogram *latencies = &result->latencies;
    const double total = (double)latencies->total;
    const double error = result->latency.half_width / 2;
    double mean = 0, square = 0;
    for (size_t value = 0; value <= latencies->size; value++)
        mean += (double)latencies->count[value] * (double)value / total;
    for (size_t value = 0; value <= latencies->size; value++)
        square += (double)latencies->count[value] * ((double)value - mean) *
                  ((double)value - mean) / total;
    return error == 0 ? total : fmin(total, square / (error * error));
}

/* The quantile and, by order statistics of so many independent packets, where
 * it lies at 95 %. */
static void quantities_add_quantile(const struct nb_simulation_result *result,
                                    const char *name, double share,
                                    struct nb_point *out)
{
    const struct nb_histogram *latencies = &result->latencies;
    if (latencies->total == 0)
        return;
    const double margin =
        1.96 * sqrt(share * (1 - share) / quantities_effective(result));
    const size_t value = nb_histogram_quantile(latencies, share);
    const size_t lower =
        nb_histogram_quantile(latencies, fmax(0, share - margin));
    const size_t upper =
        nb_histogram_quantile(latencies, fmin(1, share + margin));
    const bool is_open = !(share + margin < 1) || upper == latencies->size ||
                         result->stability != NB_STABLE;
    quantities_add(out, name,
                   value == latencies->size ? INFINITY : (double)value,
                   (double)lower, is_open ? INFINITY : (double)upper, "cycles");
}

/* A mean over all packets, from 0 to most, of those that arrived: it holds
 * whatever the others do, which are not like them, as a rule. */
static struct nb_interval
quantities_of_all(const struct nb_simulation_result *result,
                  struct nb_estimate arrived, double most)
{
    struct nb_interval all = nb_interval_of(arrived, most);
    const double packets = (double)result->packets;
    const double share = packets / (packets + (double)result->unfinished);
    if (result->unfinished == 0)
        return all;
    all.lower *= share;
    all.upper = share * all.upper + (1 - share) * most;
    return all;
}

static void quantities_add_latency(const struct nb_simulation_result *result,
                                   struct nb_point *out)
{
    quantities_add_time(result, "mean_latency",
                        nb_interval_of_wait(result->latency, result->queueing),
                        "cycles", true, out);
    quantities_add_time(result, "mean_queueing_delay",
                        nb_interval_of_wait(result->queueing, result->queueing),
                        "cycles", true, out);
    quantities_add_interval(out, "mean_hops",
                            quantities_of_all(result, result->hops, INFINITY),
                            "hops");
    quantities_add_interval(out, "minimal_fraction",
                            quantities_of_all(result, result->minimal, 1), "1");
    quantities_add_quantile(result, "latency_p50", 0.5, out);
    quantities_add_quantile(result, "latency_p99", 0.99, out);
    quantities_add_quantile(result, "latency_p999", 0.999, out);
    quantities_add_time(
        result, "in_flight",
        nb_interval_of_wait(result->in_flight, result->in_flight), "packets",
        false, out);
}

static void quantities_note_whole(struct nb_point *out, const char *name,
                                  uint64_t value, const char *what)
{
    char text[120];
    snprintf(text, sizeof text, "%" PRIu64 "%s", value, what);
    nb_point_add_note(out, name, text);
}

static void
quantities_add_utilisation(const struct nb_simulate_question *asked,
                           const struct nb_simulation_result *result,
                           struct nb_point *out)
{
    const size_t channels = asked->problem.topology.channel_count;
    const size_t most = result->busiest_queue;
    char text[48];
    if (isnan(result->busiest.value))
        return;
    quantities_add_interval(out, "max_channel_utilisation", result->busiest,
                            "flits/cycle");
    snprintf(text, sizeof text, "that to terminal %zu", most - channels);
    if (most < channels)
        nb_problem_note_channel(&asked->problem, out, "max_channel",
                                (uint32_t)most);
    else
        nb_point_add_note(out, "max_channel", text);
    if (result->busiest_count > 1)
        quantities_note_whole(out, "max_channel_utilisation",
                              result->busiest_count,
                              " channels that symmetry makes alike have this "
                              "mean, max_channel one of them");
}

/* What the terminals of the routers get through, least and most. */
static void quantities_add_fairness(const struct nb_simulate_question *asked,
                                    const struct nb_simulation_result *result,
                                    struct nb_point *out)
{
    const double packets = nb_simulate_packets(asked);
    const char *unit = nb_simulate_unit(asked);
    if (isnan(result->accepted.mean))
        return; /* nothing was observed */
    quantities_add_interval(out, "router_accepted_min",
                            nb_interval_scale(result->router_least, packets),
                            unit);
    quantities_add_interval(
        out, "router_accepted_mean",
        nb_interval_scale(nb_interval_of(result->accepted, result->demanded),
                          packets),
        unit);
    quantities_add_interval(out, "router_accepted_max",
                            nb_interval_scale(result->router_most, packets),
                            unit);
}

static void quantities_add_completion(const struct nb_simulate_question *asked,
                                      const struct nb_simulation_result *result,
                                      struct nb_point *out)
{
    const struct nb_injection *injection = &asked->plan.injection;
    if (injection->kind != NB_INJECT_TRACE &&
        injection->kind != NB_INJECT_BATCH)
        return;
    const struct nb_interval end =
        nb_interval_of(result->completion_mean, INFINITY);
    quantities_add_interval(out, "completion_time", end, "cycles");
    if (injection->kind == NB_INJECT_BATCH)
        quantities_add_interval(out, "completion_time_per_packet",
                                nb_interval_scale(end, 1.0 / injection->batch),
                                "cycles");
}

static void quantities_note_least(const struct nb_simulation_result *result,
                                  struct nb_point *out)
{
    char text[160];
    if (isnan(result->least.value))
        return;
    if (result->least_source == NB_NONE)
        snprintf(text, sizeof text,
                 "all pairs of routers, as all get what they demand where the "
                 "network is stable and every channel idle at times");
    else if (result->least_target == NB_NONE)
        snprintf(text, sizeof text,
                 "the pairs of few packets from router %u, together",
                 result->least_source);
    else
        snprintf(text, sizeof text, "router %u to router %u",
                 result->least_source, result->least_target);
    nb_point_add_note(out, "accepted_least", text);
}

/* As a number too, for sweeps, in which notes that differ are not shown. */
static void quantities_add_stability(const struct nb_simulation_result *result,
                                     struct nb_point *out)
{
    const bool is_stable = result->stability == NB_STABLE;
    const bool is_saturated = result->stability == NB_SATURATED;
    quantities_add(out, "stability",
                   is_stable      ? 1
                   : is_saturated ? 0
                                  : 0.5,
                   is_stable, !is_saturated, "1 if stable");
}

static void quantities_add_notes(const struct nb_simulate_question *asked,
                                 const struct nb_simulation_result *result,
                                 struct nb_point *out)
{
    char text[256];
    snprintf(text, sizeof text, "%s: %s", nb_stability_names[result->stability],
             result->evidence);
    nb_point_add_note(out, "stability", text);
    quantities_note_least(result, out);
    if (asked->plan.pair_source != NB_NONE) {
        snprintf(text, sizeof text,
                 "latencies, hops and the minimal fraction are those of "
                 "packets from router %u to router %u",
                 asked->plan.pair_source, asked->plan.pair_target);
        nb_point_add_note(out, "pair", text);
    }
    quantities_note_whole(out, "warm_up", result->warm_up, " cycles");
    quantities_note_whole(out, "cycles", result->cycles,
                          " measured, of all replications");
    quantities_note_whole(out, "replications", asked->plan.replications, "");
    quantities_note_whole(out, "packets", result->packets,
                          " measured that arrived");
    if (result->has_slow_waits) {
        snprintf(text, sizeof text,
                 "queues change too slowly for intervals of %s from so few "
                 "cycles (try more --cycles or --precision)",
                 result->is_slow ? "what depends on them" : "latencies");
        nb_point_add_note(out, "intervals", text);
    }
    if (result->unfinished > 0)
        quantities_note_whole(out, "unfinished", result->unfinished,
                              " measured that did not arrive");
    if (asked->plan.precision > 0 &&
        !(result->latency.half_width <=
          asked->plan.precision * result->latency.mean))
        nb_point_add_note(out, "precision",
                          "not reached in as many cycles as are permitted");
}

void nb_simulate_add(const struct nb_simulate_question *asked,
                     const struct nb_simulation_result *result,
                     struct nb_point *out)
{
    const struct nb_capacity *capacity = &asked->problem.capacity;
    quantities_add_throughput(asked, result, out);
    quantities_add_latency(result, out);
    quantities_add_utilisation(asked, result, out);
    quantities_add_fairness(asked, result, out);
    quantities_add_stability(result, out);
    quantities_add_completion(asked, result, out);
    nb_point_add_enclosure(out, "capacity", capacity->rate,
                           "packets/cycle/terminal", capacity->method,
                           capacity->source);
    nb_point_add_note(out, "capacity_basis", capacity->basis);
    quantities_add_notes(asked, result, out);
}
