#include "questions/simulate/simulate_plan.h"

#include "core/locale.h"

#include "report/tree.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void report_add(struct nb_point *out, const char *name, double value,
                       double lower, double upper, const char *unit)
{
    const struct nb_quantity numbers = { .value = value,
                                         .lower = lower,
                                         .upper = upper };
    nb_point_add_quantity(out, &numbers, name, unit, NB_SIMULATE_METHOD,
                          NB_SIMULATE_SOURCE);
}

/* Adds nothing if nothing was observed. */
static void report_add_interval(struct nb_point *out, const char *name,
                                struct nb_interval interval, const char *unit)
{
    if (!isnan(interval.value))
        report_add(out, name, interval.value, interval.lower, interval.upper,
                   unit);
}

/* Adds a time that is infinite if the network is saturated: then the measured
 * value is only a lower bound and is added as NAME_measured. There is no upper
 * end if stability is undecided, nor for latencies while packets are missing:
 * those are the slowest ones. */
static void report_add_time(const struct nb_simulation_result *result,
                            const char *name, struct nb_interval interval,
                            const char *unit, bool is_latency,
                            struct nb_point *out)
{
    char measured[64];
    if (result->stability == NB_SATURATED && !isnan(interval.value)) {
        report_add(out, name, INFINITY, interval.lower, INFINITY, unit);
        snprintf(measured, sizeof measured, "%s_measured", name);
        report_add_interval(out, measured, interval, unit);
        return;
    }
    if (result->stability == NB_UNDECIDED ||
        (is_latency && result->unfinished > 0))
        interval.upper = INFINITY;
    report_add_interval(out, name, interval, unit);
}

/* Adds a rate of flits per terminal: NAME as a fraction of capacity, and
 * NAME_absolute. Adds nothing if nothing was observed. */
static void report_add_rate(const struct nb_simulate_answer *answer,
                            const char *name, struct nb_interval flits,
                            struct nb_point *out)
{
    const struct nb_capacity *capacity = &answer->problem.capacity;
    char longer[64];
    if (isnan(flits.value))
        return;
    snprintf(longer, sizeof longer, "%s_absolute", name);
    if (!isinf(capacity->rate.upper))
        report_add(out, name,
                   flits.value /
                       (capacity->rate.lower / 2 + capacity->rate.upper / 2),
                   flits.lower / capacity->rate.upper,
                   flits.upper / capacity->rate.lower, "fraction of capacity");
    report_add_interval(out, longer, flits,
                        nb_problem_rate_unit(&answer->problem));
}

static void report_add_throughput(const struct nb_simulate_answer *answer,
                                  struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    const double load = nb_simulate_load(answer);
    report_add_rate(answer, "accepted_throughput",
                    nb_interval_of(result->accepted, result->demanded), out);
    report_add_rate(
        answer, "accepted_throughput_min",
        (struct nb_interval){ load * result->least.value,
                              answer->load.lower * result->least.lower,
                              answer->load.upper * result->least.upper },
        out);
    if (answer->plan.injection.kind == NB_INJECT_BATCH)
        nb_point_add_note(out, "accepted_throughput",
                          "packets of the batch divided by the cycles until "
                          "the last one arrives; a batch is offered all at "
                          "once, so it has no offered rate");
    else
        report_add_rate(answer, "offered_throughput",
                        nb_interval_of(result->offered, INFINITY), out);
    if (isinf(answer->problem.capacity.rate.upper))
        nb_point_add_note(out, "accepted_throughput",
                          "not a fraction of capacity: the capacity is "
                          "infinite");
}

/*
 * The number of independent packets that would give the mean latency as
 * precisely as the measured ones, which are correlated: the variance of one
 * latency over the variance of the mean. The half-width is about two standard
 * errors.
 */
static double report_effective(const struct nb_simulation_result *result)
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

/* The quantile and its 95 % interval, by order statistics of the effective
 * number of independent packets. */
struct nb_interval
nb_simulate_quantile(const struct nb_simulation_result *result, double share)
{
    const struct nb_histogram *latencies = &result->latencies;
    const double margin =
        1.96 * sqrt(share * (1 - share) / report_effective(result));
    const size_t value = nb_histogram_quantile(latencies, share);
    const size_t lower =
        nb_histogram_quantile(latencies, fmax(0, share - margin));
    const size_t upper =
        nb_histogram_quantile(latencies, fmin(1, share + margin));
    const bool is_open = !(share + margin < 1) || upper == latencies->size ||
                         result->stability != NB_STABLE;
    return (struct nb_interval){
        .value = value == latencies->size ? INFINITY : (double)value,
        .lower = (double)lower,
        .upper = is_open ? INFINITY : (double)upper,
    };
}

static void report_add_quantile(const struct nb_simulation_result *result,
                                const char *name, double share,
                                struct nb_point *out)
{
    if (result->latencies.total == 0)
        return;
    const struct nb_interval found = nb_simulate_quantile(result, share);
    report_add(out, name, found.value, found.lower, found.upper, "cycles");
}

/* The mean over all packets, of a value from 0 to most, from the mean over
 * those that arrived. It holds for any values of the missing packets, which
 * usually differ from the others. */
static struct nb_interval
report_of_all(const struct nb_simulation_result *result,
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

static void report_add_latency(const struct nb_simulation_result *result,
                               struct nb_point *out)
{
    report_add_time(result, "mean_latency",
                    nb_interval_of_wait(result->latency, result->queueing),
                    "cycles", true, out);
    report_add_time(result, "mean_queueing_delay",
                    nb_interval_of_wait(result->queueing, result->queueing),
                    "cycles", true, out);
    report_add_interval(out, "mean_hops",
                        report_of_all(result, result->hops, INFINITY), "hops");
    report_add_interval(out, "minimal_fraction",
                        report_of_all(result, result->minimal, 1), "1");
    if (!isnan(result->misrouted.mean))
        report_add_interval(out, "misrouted_fraction",
                            report_of_all(result, result->misrouted, 1), "1");
    report_add_quantile(result, "latency_p50", 0.5, out);
    report_add_quantile(result, "latency_p99", 0.99, out);
    report_add_quantile(result, "latency_p999", 0.999, out);
    report_add_time(result, "in_flight",
                    nb_interval_of_wait(result->in_flight, result->in_flight),
                    "packets", false, out);
}

/* Adds the results of requests and their replies. */
static void report_add_replies(const struct nb_simulate_answer *answer,
                               struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    char text[300];
    if (answer->plan.reply_buffer == 0)
        return;
    report_add_interval(
        out, "accepted_requests",
        nb_interval_scale(nb_interval_of(result->accepted, result->demanded),
                          1.0 / answer->plan.injection.flits),
        "packets/cycle/terminal");
    report_add_time(result, "round_trip_latency",
                    nb_interval_of_wait(result->round_trip, result->queueing),
                    "cycles", true, out);
    const struct nb_interval reply =
        nb_interval_of_wait(result->reply_latency, result->queueing);
    /* Terminals have room for only a few replies, so their latency is
     * bounded. */
    if (result->stability == NB_SATURATED)
        report_add_interval(out, "reply_latency", reply, "cycles");
    else
        report_add_time(result, "reply_latency", reply, "cycles", true, out);
    snprintf(text, sizeof text,
             "a terminal answers every request with a reply of the same "
             "length, for which it keeps one of %u places; channels and "
             "in_flight count both requests and replies; everything else "
             "counts requests, unless its name says reply",
             answer->plan.reply_buffer);
    nb_point_add_note(out, "replies", text);
}

static void report_note_whole(struct nb_point *out, const char *name,
                              uint64_t value, const char *what)
{
    char text[120];
    snprintf(text, sizeof text, "%" PRIu64 "%s", value, what);
    nb_point_add_note(out, name, text);
}

static void report_add_utilisation(const struct nb_simulate_answer *answer,
                                   struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    const size_t channels = answer->problem.topology.channel_count;
    const size_t most = result->busiest_queue;
    char text[48];
    if (isnan(result->busiest.value))
        return;
    report_add_interval(out, "max_channel_utilisation", result->busiest,
                        "flits/cycle");
    snprintf(text, sizeof text, "the channel to terminal %zu", most - channels);
    if (most < channels)
        nb_problem_note_channel(&answer->problem, out, "max_channel",
                                (uint32_t)most);
    else
        nb_point_add_note(out, "max_channel", text);
    if (result->busiest_count > 1)
        report_note_whole(out, "max_channel_utilisation", result->busiest_count,
                          " channels, equivalent by symmetry, have this mean; "
                          "max_channel is one of them");
}

/* Adds the max-min fair rates of all routers, and whether they bound the
 * accepted rate of the router that gets least. */
static void report_add_fair_share(const struct nb_simulate_answer *answer,
                                  struct nb_point *out)
{
    if (!answer->request.fair_share)
        return;
    nb_point_add_enclosure(out, "fair_share_min", answer->fair.least,
                           nb_problem_rate_unit(&answer->problem),
                           "progressive filling", "BertsekasGallager1992");
    nb_point_add_note(
        out, "fair_share",
        answer->plan.router.model == NB_ROUTER_CREDIT
            ? "what each router could send if all of it arrived and the "
              "routers shared as fairly as possible; in the long run, the "
              "router that gets the least cannot get more than fair_share_min"
            : "what each router could send if all of it arrived and the "
              "routers shared as fairly as possible; with unbounded queues, "
              "some packets of a router may keep arriving while others wait "
              "forever, so this is no bound beyond saturation");
}

/* Adds the least and greatest accepted rates of the routers' terminals. */
static void report_add_fairness(const struct nb_simulate_answer *answer,
                                struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    const struct nb_fairness *fair = &result->fairness;
    const char *unit = nb_problem_rate_unit(&answer->problem);
    if (isnan(result->accepted.mean))
        return; /* nothing was observed */
    report_add_interval(out, "router_accepted_min", result->router_least, unit);
    report_add_interval(
        out, "router_accepted_mean",
        answer->plan.asked != NULL
            ? fair->mean
            : nb_interval_of(result->accepted, result->demanded),
        unit);
    report_add_interval(out, "router_accepted_max", result->router_most, unit);
    if (answer->plan.asked == NULL)
        return;
    report_add_interval(out, "router_accepted_ratio", fair->ratio, "1");
    report_add_interval(out, "jain_index", fair->jain, "1");
    report_add_interval(out, "accepted_share", fair->share, "1");
    report_add_interval(out, "accepted_share_min", fair->share_least, "1");
    report_add_interval(out, "starved_routers", fair->starved, "routers");
    report_add_fair_share(answer, out);
}

static void report_add_completion(const struct nb_simulate_answer *answer,
                                  struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    const struct nb_injection *injection = &answer->plan.injection;
    if (injection->kind != NB_INJECT_TRACE &&
        injection->kind != NB_INJECT_BATCH)
        return;
    const struct nb_interval end =
        nb_interval_of(result->completion_mean, INFINITY);
    report_add_interval(out, "completion_time", end, "cycles");
    if (injection->kind == NB_INJECT_BATCH)
        report_add_interval(out, "completion_time_per_packet",
                            nb_interval_scale(end, 1.0 / injection->batch),
                            "cycles");
}

/* Adds a note that ends in "from router 1 to router 2", or in "from router 1,
 * together" if target is NB_NONE. */
static void report_note_pair(const struct nb_simulate_answer *answer,
                             const char *name, const char *text,
                             uint32_t source, uint32_t target,
                             struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    struct nb_text note = { 0 };
    nb_text_print(&note, "%s", text);
    nb_problem_print_router(topology, source, &note);
    if (target != NB_NONE) {
        nb_text_print(&note, " to ");
        nb_problem_print_router(topology, target, &note);
    } else {
        nb_text_print(&note, ", together");
    }
    if (nb_text_check(&note, NULL) == NB_OK)
        nb_point_add_note(out, name, note.bytes);
    else
        out->has_failed = true;
    nb_text_release(&note);
}

static void report_note_least(const struct nb_simulate_answer *answer,
                              struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    const bool is_pair = result->least_target != NB_NONE;
    if (isnan(result->least.value))
        return;
    if (result->least_source == NB_NONE)
        nb_point_add_note(out, "accepted_least",
                          "every pair of routers: a stable network with idle "
                          "cycles on all channels delivers the full demand");
    else
        report_note_pair(answer, "accepted_least",
                         is_pair ? "" : "the pairs with few packets from ",
                         result->least_source, result->least_target, out);
}

/* Markov-modulated sources: how often they are in each state, and their rate in
 * each (a search has many rates). */
static void report_note_arrivals(const struct nb_simulate_answer *answer,
                                 struct nb_point *out)
{
    const struct nb_injection *injection = &answer->plan.injection;
    const double alpha = injection->alpha, beta = injection->beta;
    struct nb_text note = { 0 };
    if (injection->kind != NB_INJECT_MMP)
        return;
    nb_text_print(&note,
                  "in the bursty state with probability x_1 = alpha / (alpha + "
                  "beta) = %g",
                  alpha / (alpha + beta));
    const double rate = injection->rate / nb_injection_mmp_most(injection);
    if (answer->request.find == NULL)
        nb_text_print(&note,
                      ", sending %g packets per cycle there and %g in the "
                      "other",
                      rate, rate * injection->low);
    if (fabs(alpha + beta - 1) < 4 * DBL_EPSILON)
        nb_text_print(&note, "; with alpha + beta = 1 each cycle's state is "
                             "drawn anew, as with --arrivals bernoulli");
    if (nb_text_check(&note, NULL) == NB_OK)
        nb_point_add_note(out, "arrivals", note.bytes);
    else
        out->has_failed = true;
    nb_text_release(&note);
}

/* Adds stability as a number too, for sweeps, which do not show notes that
 * differ. */
static void report_add_stability(const struct nb_simulation_result *result,
                                 struct nb_point *out)
{
    const bool is_stable = result->stability == NB_STABLE;
    const bool is_saturated = result->stability == NB_SATURATED;
    report_add(out, "stability",
               is_stable      ? 1
               : is_saturated ? 0
                              : 0.5,
               is_stable, !is_saturated, "1 if stable");
}

/* Notes why less was measured than planned. */
static void report_note_early(const struct nb_simulate_answer *answer,
                              struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    const struct nb_simulation *plan = &answer->plan;
    const uint64_t measured = result->cycles / plan->replications;
    size_t reached = 0;
    char text[200];
    snprintf(text, sizeof text,
             "ended after %" PRIu64 " of %" PRIu64
             " cycles per replication: %s",
             measured, result->planned / plan->replications,
             result->is_full
                 ? "the limit on packets under way was reached"
                 : "it was certainly saturated (--cycles sets a fixed number)");
    nb_point_add_note(out, "measured", text);
    while (reached < plan->step_count && plan->steps[reached].cycle < measured)
        reached++;
    if (reached == plan->step_count)
        return;
    snprintf(text, sizeof text,
             "those from cycle %" PRIu64 " on were not reached",
             plan->steps[reached].cycle);
    nb_point_add_note(out, "steps", text);
}

static void report_add_notes(const struct nb_simulate_answer *answer,
                             struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    char text[256];
    snprintf(text, sizeof text, "%s: %s", nb_stability_names[result->stability],
             result->evidence);
    nb_point_add_note(out, "stability", text);
    if (answer->is_load_half)
        nb_point_add_note(out, "offered_throughput",
                          "half of capacity, as neither --load nor --rate is "
                          "given");
    if (result->stability == NB_SATURATED)
        nb_point_add_note(out, "saturation",
                          "the offered rate exceeds what the network carries: "
                          "queues and latencies grow without bound, so they "
                          "have no finite mean; accepted_throughput is what "
                          "it carries (--find saturation: the largest that it "
                          "can)");
    report_note_least(answer, out);
    if (answer->plan.pair_source != NB_NONE)
        report_note_pair(
            answer, "pair",
            "latencies, hops and the minimal fraction are those of "
            "packets from ",
            answer->plan.pair_source, answer->plan.pair_target, out);
    report_note_whole(out, "warm_up", result->warm_up, " cycles");
    report_note_whole(out, "cycles", result->cycles,
                      " measured, over all replications");
    const bool ends_itself = answer->plan.injection.kind == NB_INJECT_TRACE ||
                             answer->plan.injection.kind == NB_INJECT_BATCH;
    if (result->cycles < result->planned && (!ends_itself || result->is_full))
        report_note_early(answer, out);
    report_note_whole(out, "replications", answer->plan.replications, "");
    report_note_whole(out, "packets", result->packets,
                      " measured that arrived");
    if (result->has_slow_waits) {
        snprintf(text, sizeof text,
                 "queues change too slowly for intervals of %s from these few "
                 "cycles (try more --cycles or --precision)",
                 result->is_slow ? "all that depends on them" : "latencies");
        nb_point_add_note(out, "intervals", text);
    }
    if (result->unfinished > 0)
        report_note_whole(out, "unfinished", result->unfinished,
                          " measured that did not arrive");
    if (answer->plan.precision > 0 &&
        !(result->latency.half_width <=
          answer->plan.precision * result->latency.mean))
        nb_point_add_note(out, "precision",
                          "not reached in the permitted number of cycles");
}

/* A mean and its half-width in a table. */
static void report_add_estimate(struct nb_point *out, size_t table,
                                struct nb_estimate estimate)
{
    nb_table_add_number(out, table, estimate.mean);
    nb_table_add_number(out, table, estimate.half_width);
}

static void report_add_queues(const struct nb_simulate_answer *answer,
                              struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    const struct nb_topology *topology = &answer->problem.topology;
    const size_t channels = topology->channel_count;
    size_t table = nb_point_add_table(
        out, "channels", false,
        "channel,source,target,utilisation:number [flits/cycle],"
        "half_width:number [flits/cycle]");
    for (size_t c = 0; c < channels; c++) {
        nb_table_add_whole(out, table, (int64_t)c);
        nb_table_add_whole(out, table, topology->channels[c].source);
        nb_table_add_whole(out, table, topology->channels[c].target);
        report_add_estimate(out, table, result->utilisation[c]);
    }
    if (result->queue_count == channels)
        return;
    table = nb_point_add_table(out, "terminals", false,
                               "terminal,utilisation:number [flits/cycle],"
                               "half_width:number [flits/cycle]");
    for (size_t q = channels; q < result->queue_count; q++) {
        nb_table_add_whole(out, table, (int64_t)(q - channels));
        report_add_estimate(out, table, result->utilisation[q]);
    }
}

/* Adds rows for the values of a histogram that occurred, each with the share of
 * values at least as large. class: text of the first column; NULL: no such
 * column */
static void report_add_tail(const struct nb_histogram *histogram,
                            const char *class, size_t table,
                            struct nb_point *out)
{
    uint64_t rest = histogram->total;
    for (size_t value = 0; value <= histogram->size && rest > 0; value++) {
        if (histogram->count[value] == 0)
            continue;
        if (class != NULL)
            nb_table_add_text(out, table, class);
        nb_table_add_whole(out, table, (int64_t)value);
        nb_table_add_number(out, table,
                            (double)rest / (double)histogram->total);
        rest -= histogram->count[value];
    }
}

/* Notes if a histogram's last row also counts all larger values. */
static void report_note_last(const struct nb_histogram *histogram,
                             const char *name, struct nb_point *out)
{
    char text[80];
    if (histogram->total == 0 || histogram->count[histogram->size] == 0)
        return;
    snprintf(text, sizeof text, "the row of %zu also counts all larger values",
             histogram->size);
    nb_point_add_note(out, name, text);
}

static void report_add_latencies(const struct nb_histogram *latencies,
                                 struct nb_point *out)
{
    size_t table = nb_point_add_table(out, "latency_histogram", false,
                                      "latency [cycles],packets [packets]");
    for (size_t value = 0; value <= latencies->size && latencies->total > 0;
         value++) {
        if (latencies->count[value] == 0)
            continue;
        nb_table_add_whole(out, table, (int64_t)value);
        nb_table_add_whole(out, table, (int64_t)latencies->count[value]);
    }
    table = nb_point_add_table(out, "ccdf", false,
                               "latency [cycles],probability:number");
    report_add_tail(latencies, NULL, table, out);
    report_note_last(latencies, "latencies", out);
}

static void report_add_depths(const struct nb_simulate_answer *answer,
                              struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    const size_t table = nb_point_add_table(
        out, "depths", false, "class:text,depth [flits],probability:number");
    for (size_t i = 0; i < result->class_count; i++) {
        char name[32];
        nb_queue_class_name(&answer->problem.topology, i, name);
        report_add_tail(&result->depths[i], name, table, out);
        report_note_last(&result->depths[i], "depths", out);
    }
}

/* Adds the accepted rates of routers. */
static void report_add_routers(const struct nb_simulate_answer *answer,
                               struct nb_point *out)
{
    static const char *const starved[] = {
        [NB_FED] = "no", [NB_STARVED] = "yes", [NB_PERHAPS_STARVED] = "perhaps"
    };
    const struct nb_simulation_result *result = &answer->result;
    const struct nb_topology *topology = &answer->problem.topology;
    const char *unit = nb_problem_rate_unit(&answer->problem);
    const bool *request = answer->plan.asked;
    const bool is_compared = request != NULL && !isinf(result->demanded);
    char columns[240];
    snprintf(columns, sizeof columns,
             "router,accepted:number [%s],half_width:number [%s]%s%s", unit,
             unit, is_compared ? ",starved:text" : "",
             answer->request.fair_share ? ",fair_share:number" : "");
    const size_t table = nb_point_add_table(out, "routers", false, columns);
    for (size_t r = 0; r < topology->router_count; r++) {
        if (topology->terminals[r] == 0 || (request != NULL && !request[r]))
            continue;
        nb_table_add_whole(out, table, (int64_t)r);
        report_add_estimate(out, table, result->accepted_of[r]);
        if (is_compared)
            nb_table_add_text(out, table,
                              starved[result->fairness.is_starved[r]]);
        if (answer->request.fair_share) {
            const struct nb_enclosure share =
                nb_fair_share_of(&answer->fair, (uint32_t)r);
            nb_table_add_number(out, table, share.lower / 2 + share.upper / 2);
        }
    }
}

/* Adds what arrives in windows of time. */
static void report_add_series(const struct nb_simulate_answer *answer,
                              struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    const char *unit = nb_problem_rate_unit(&answer->problem);
    char columns[280];
    if (answer->plan.window == 0)
        return;
    snprintf(columns, sizeof columns,
             "cycle,accepted:number [%s],half_width:number [%s],latency:number "
             "[cycles],latency_half_width:number [cycles],minimal:number,"
             "minimal_half_width:number,level:number,level_half_width:number",
             unit, unit);
    const size_t table = nb_point_add_table(out, "series", false, columns);
    for (size_t w = 0; w < result->window_count; w++) {
        const struct nb_window *window = &result->series[w];
        nb_table_add_whole(out, table, (int64_t)(w * answer->plan.window));
        report_add_estimate(out, table, window->accepted);
        report_add_estimate(out, table, window->latency);
        report_add_estimate(out, table, window->minimal);
        report_add_estimate(out, table, window->level);
    }
}

/* Adds how long each course takes to settle after each step: a table, and
 * quantities for the last step. */
static void report_add_responses(const struct nb_simulate_answer *answer,
                                 struct nb_point *out)
{
    static const char *const courses[] = { "accepted", "latency", "minimal",
                                           "level" };
    static const char *const names[] = { "response_time",
                                         "response_time_latency",
                                         "response_time_minimal",
                                         "response_time_level" };
    const struct nb_simulation_result *result = &answer->result;
    const size_t count = result->response_count;
    bool has_open = false;
    if (count == 0)
        return;
    const size_t table = nb_point_add_table(
        out, "responses", false,
        "step [cycles],of:text,level:number,response:number [cycles],"
        "lower:number [cycles],upper:number [cycles]");
    for (size_t i = 0; i < count; i++) {
        const struct nb_response *response = &result->responses[i];
        nb_table_add_whole(out, table, (int64_t)response->cycle);
        nb_table_add_text(out, table, courses[response->course]);
        nb_table_add_number(out, table, response->level);
        nb_table_add_number(out, table, response->time.value);
        nb_table_add_number(out, table, response->time.lower);
        nb_table_add_number(out, table, response->time.upper);
        if (response->cycle == result->responses[count - 1].cycle)
            report_add_interval(out, names[response->course], response->time,
                                "cycles");
        has_open = has_open || isinf(response->time.upper);
    }
    if (has_open)
        nb_point_add_note(out, "responses",
                          "those without an upper end may not have settled: "
                          "the last quarter of the windows shows a drift, or "
                          "random variation above 5 % (try a longer run, or "
                          "more --replications)");
}

/* Adds the results of one load. */
static void report_add_load(const struct nb_simulate_answer *answer,
                            struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    report_add_throughput(answer, out);
    report_add_latency(result, out);
    report_add_replies(answer, out);
    report_add_utilisation(answer, out);
    report_add_fairness(answer, out);
    nb_simulate_report_places(answer, out);
    nb_simulate_report_virtual(answer, out);
    report_add_stability(result, out);
    report_add_completion(answer, out);
    report_add_responses(answer, out);
    nb_problem_add_capacity(&answer->problem, out);
    report_add_notes(answer, out);
    report_add_queues(answer, out);
    report_add_latencies(&result->latencies, out);
    if (result->queue_count > answer->problem.topology.channel_count)
        nb_problem_note_hops(out);
    if (answer->plan.has_depths)
        report_add_depths(answer, out);
    if (answer->plan.has_reorder) {
        const size_t table = nb_point_add_table(
            out, "reorder", false, "packets [packets],probability:number");
        report_add_tail(&result->reorder, NULL, table, out);
        report_note_last(&result->reorder, "reorder", out);
    }
    report_add_routers(answer, out);
    report_add_series(answer, out);
}

/* Adds the saturation, and the rates that were tried as table search. */
static void report_add_saturation(const struct nb_simulate_answer *answer,
                                  struct nb_point *out)
{
    const struct nb_capacity *capacity = &answer->problem.capacity;
    const struct nb_saturation *found = &answer->saturation;
    const double flits = (double)answer->plan.injection.flits;
    const char *unit = nb_problem_rate_unit(&answer->problem);
    const double lower = flits * found->lower, upper = flits * found->upper;
    char text[160], columns[120];
    size_t undecided = 0;
    if (!isinf(capacity->rate.upper))
        nb_point_add_bracket(out, "saturation", lower / capacity->rate.upper,
                             upper / capacity->rate.lower,
                             "fraction of capacity", NB_SIMULATE_METHOD,
                             NB_SIMULATE_SOURCE);
    nb_point_add_bracket(out, "saturation_absolute", lower, upper, unit,
                         NB_SIMULATE_METHOD, NB_SIMULATE_SOURCE);
    nb_problem_add_capacity(&answer->problem, out);
    snprintf(columns, sizeof columns,
             "rate:number [%s],cycles [cycles],stability:text,evidence:text",
             unit);
    const size_t table = nb_point_add_table(out, "search", false, columns);
    for (size_t i = 0; i < found->trial_count; i++) {
        const struct nb_saturation_trial *trial = &found->trial[i];
        nb_table_add_number(out, table, flits * trial->rate);
        nb_table_add_whole(out, table, (int64_t)trial->cycles);
        nb_table_add_text(out, table, nb_stability_names[trial->stability]);
        nb_table_add_text(out, table, trial->evidence);
        undecided += trial->stability == NB_UNDECIDED;
    }
    snprintf(text, sizeof text,
             "%zu tried, %zu of them neither certainly stable nor certainly "
             "saturated",
             found->trial_count, undecided);
    nb_point_add_note(out, "rates", text);
    if (found->is_proved)
        nb_point_add_note(out, "upper_end", answer->plan.limit.basis);
    if (!found->is_narrow && !isinf(found->doubt_first)) {
        nb_snprintf(text, sizeof text,
                    "not reached: rates from %.6g to %.6g are undecided in the "
                    "permitted %" PRIu64 " cycles per replication",
                    flits * found->doubt_first, flits * found->doubt_last,
                    found->trial[found->trial_count - 1].cycles);
        nb_point_add_note(out, "precision", text);
    }
    if (isinf(found->upper))
        nb_point_add_note(out, "saturation",
                          found->lower == answer->most_rate
                              ? "the largest rate of the sources does not "
                                "saturate the network"
                              : "no rate that was tried saturates the network");
}

static uint32_t report_virtual_channels(const struct nb_simulate_answer *answer)
{
    const uint32_t given = answer->plan.router.virtual_channels;
    return given > 0 ? given : answer->classes;
}

/* [flit/cycle] The largest bandwidth of the channels between groups, or of
 * all. */
static struct nb_ratio report_bandwidth(const struct nb_topology *topology,
                                        bool is_global)
{
    struct nb_ratio most = { 0, 1 };
    for (uint32_t c = 0; c < topology->channel_count; c++)
        if ((!is_global || nb_channel_is_global(topology, c)) &&
            nb_ratio_compare(topology->channels[c].bandwidth, most) > 0)
            most = topology->channels[c].bandwidth;
    return most;
}

/* Notes the thresholds of buffers. If flits in the pipeline can fill a buffer
 * without any contention, also notes what fraction of its bandwidth a single
 * virtual channel can use: it sends until a stop arrives, then waits until the
 * flits are served and a start arrives. */
static void report_note_flow(const struct nb_simulate_answer *answer,
                             bool is_global, struct nb_point *out)
{
    const struct nb_router *router = &answer->plan.router;
    const struct nb_ratio bandwidth =
        report_bandwidth(&answer->problem.topology, is_global);
    const double b = nb_ratio_value(bandwidth);
    struct nb_flow_thresholds found;
    char text[400], used[150] = "";
    nb_flow_thresholds_find(router, is_global, bandwidth,
                            nb_most_flits(&answer->plan), &found);
    const double burst = found.xoff - 1 + found.sent;
    const double idle = found.sent + router->pipeline * b - found.xon;
    if (found.xoff <= router->pipeline * b + 1 &&
        found.xon <= router->pipeline * b && idle > 0)
        nb_snprintf(
            used, sizeof used,
            "; a virtual channel that has the channel to itself uses only %.3g "
            "of the bandwidth, because flits in the pipeline fill its buffer",
            burst / (burst + idle));
    nb_snprintf(
        text, sizeof text,
        "%s: the buffer of a virtual channel%s holds %u flits; it sends "
        "\"stop\" at %u flits and \"go\" below %u; at most %g flits "
        "arrive before the stop is received%s",
        router->flow_control == NB_PAUSE ? "pause" : "xon-xoff",
        is_global ? " between groups" : "", found.buffer, found.xoff, found.xon,
        found.sent, used);
    nb_point_add_note(out, is_global ? "global_flow_control" : "flow_control",
                      text);
}

/* Notes where a buffer holds less than a channel sends in the round trip of a
 * credit: a flit crosses the channel and waits in the pipeline, its credit
 * crosses the channel back. latency, buffer: of these channels */
static void report_note_buffers(const struct nb_simulate_answer *answer,
                                bool is_global, uint32_t latency,
                                uint32_t buffer, struct nb_point *out)
{
    const uint32_t trip = 2 * latency + answer->plan.router.pipeline;
    const uint32_t channels = report_virtual_channels(answer);
    const double bandwidth =
        nb_ratio_value(report_bandwidth(&answer->problem.topology, is_global));
    char text[400], together[40] = "";
    if (answer->plan.router.flow_control != NB_CREDITS) {
        report_note_flow(answer, is_global, out);
        return;
    }
    const double flits = ceil(trip * bandwidth);
    const double share = buffer / (trip * bandwidth);
    if (buffer >= flits)
        return;
    if (channels > 1)
        nb_snprintf(together, sizeof together, ", all %u together %.3g",
                    channels, fmin(1, channels * share));
    nb_snprintf(
        text, sizeof text,
        "a credit's round trip takes %u cycles (twice the channel "
        "latency, plus the pipeline); in this time, a channel%s carries "
        "%g flits: a virtual channel of %u flits can use at most %.3g of "
        "its bandwidth%s (--%s %g: all of it)",
        trip, is_global ? " between groups" : "", flits, buffer, share,
        together, is_global ? "global-buffer" : "buffer", flits);
    nb_point_add_note(out, is_global ? "global buffers" : "buffers", text);
}

/* The parameters of channels between groups that differ; text: [60] */
static const char *report_global(const struct nb_router *router, char *text)
{
    int at = 0;
    text[0] = '\0';
    if (router->global_latency > 0)
        at = snprintf(text, 60, ", between groups %u", router->global_latency);
    if (router->global_buffer > 0)
        snprintf(text + at, 60 - (size_t)at, ", buffers between groups of %u",
                 router->global_buffer);
    return text;
}

void nb_simulate_note_router(const struct nb_simulate_answer *answer,
                             struct nb_point *out)
{
    static const char *const allocations[] = {
        [NB_ALLOCATION_GREEDY] = "",
        [NB_ALLOCATION_SEPARABLE] = "separable allocation, ",
        [NB_ALLOCATION_PACKET] = "separable allocation of packets, ",
    };
    const struct nb_router *router = &answer->plan.router;
    static const char *const turns[] = {
        [NB_OLDEST_FIRST] = "the oldest first",
        [NB_IN_TURN] = "one after another",
        [NB_LEAST_RECENT] = "the least recently served first",
        [NB_TRANSIT_FIRST] =
            "transit first, and of it the least recently served",
    };
    const char *turn = turns[router->arbitration];
    char text[400], global[60];
    if (router->model == NB_ROUTER_VIRTUAL) {
        nb_simulate_note_virtual(answer, out);
        return;
    }
    if (router->model == NB_ROUTER_IDEAL)
        snprintf(text, sizeof text,
                 "ideal: unbounded queues at outputs, %s%s%s", turn,
                 router->congestion == NB_CONGESTION_WAITING
                     ? ", congestion without packets in transmission"
                     : "",
                 router->slot_order == NB_SLOT_RANDOM
                     ? ", random order within a cycle"
                     : "");
    else if (router->model == NB_ROUTER_CHAOS)
        snprintf(text, sizeof text,
                 "chaos: inputs of %u flits, outputs of %u, a shared queue of "
                 "%u for each channel to another router, %s",
                 router->buffer, router->output_buffer, router->shared_queue,
                 turn);
    else
        snprintf(
            text, sizeof text,
            "credit: %u virtual channels of %u flits, output buffers of %u%s, "
            "speedup %u, pipeline %u, channel latency %u%s, %s, %s%s%s",
            report_virtual_channels(answer), router->buffer,
            router->output_buffer,
            router->output_queues == NB_OUTPUT_OF_VIRTUAL ? " each" : "",
            router->speedup, router->pipeline, router->channel_latency,
            report_global(router, global),
            router->switching == NB_WORMHOLE ? "wormhole" : "cut-through",
            allocations[router->allocation],
            router->congestion == NB_CONGESTION_OUTPUT
                ? "congestion by output buffers, "
                : "",
            turn);
    nb_point_add_note(out, "router", text);
    if (answer->given.bytes != NULL)
        nb_point_add_note(out, "router_options", answer->given.bytes);
    if (router->model != NB_ROUTER_IDEAL)
        report_note_buffers(answer, false, router->channel_latency,
                            router->buffer, out);
    if (router->global_latency > 0 || router->global_buffer > 0)
        report_note_buffers(
            answer, true,
            router->global_latency > 0 ? router->global_latency
                                       : router->channel_latency,
            router->global_buffer > 0 ? router->global_buffer : router->buffer,
            out);
    if (router->model != NB_ROUTER_IDEAL &&
        !nb_has_terminal_queues(&answer->problem.topology))
        nb_point_add_note(out, "terminals",
                          "take any number of flits per cycle (with "
                          "terminal-bandwidth=1 of the topology: one)");
    if (answer->plan.reply_buffer > 0 && router->model == NB_ROUTER_CREDIT &&
        router->virtual_networks < 2)
        nb_point_add_note(out, "protocol",
                          "requests and replies share their virtual channels, "
                          "so deadlock is not excluded (it is with "
                          "--virtual-networks 2; see: netbound deadlock "
                          "--messages 2); none was seen");
    if (answer->is_unprotected)
        nb_point_add_note(
            out, "deadlock",
            "not excluded by the virtual channels of this routing "
            "on this network (see: netbound deadlock); none was "
            "seen");
}

void nb_simulate_report(const struct nb_simulate_answer *answer,
                        struct nb_point *out)
{
    if (answer->request.find != NULL)
        report_add_saturation(answer, out);
    else
        report_add_load(answer, out);
    nb_problem_note_worst(&answer->problem, out);
    nb_simulate_note_router(answer, out);
    report_note_arrivals(answer, out);
    if (answer->plan.injection.flits > 1)
        nb_point_add_note(out, "flits", NB_FLITS_COUNTED);
}
