#include "questions/simulate/simulate_plan.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define REPORT_MADE NB_SIMULATE_METHOD, NB_SIMULATE_SOURCE

/* Adds nothing if nothing was observed. */
static void report_add(struct nb_point *out, const char *name,
                       struct nb_interval interval, const char *unit)
{
    nb_point_add_interval(out, name, interval, unit, REPORT_MADE);
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
        const struct nb_interval all = { INFINITY, interval.lower, INFINITY };
        report_add(out, name, all, unit);
        snprintf(measured, sizeof measured, "%s_measured", name);
        report_add(out, measured, interval, unit);
        return;
    }
    if (result->stability == NB_UNDECIDED ||
        (is_latency && result->unfinished > 0))
        interval.upper = INFINITY;
    report_add(out, name, interval, unit);
}

/* Adds a rate of flits per terminal: NAME as a fraction of capacity, and
 * NAME_absolute. Adds nothing if nothing was observed. */
static void report_add_rate(const struct nb_simulate_answer *answer,
                            const char *name, struct nb_interval flits,
                            struct nb_point *out)
{
    const struct nb_enclosure *rate = &answer->problem.capacity.rate;
    const struct nb_interval share = { flits.value /
                                           (rate->lower / 2 + rate->upper / 2),
                                       flits.lower / rate->upper,
                                       flits.upper / rate->lower };
    char longer[64];
    snprintf(longer, sizeof longer, "%s_absolute", name);
    if (!isnan(flits.value) && !isinf(rate->upper))
        report_add(out, name, share, "fraction of capacity");
    report_add(out, longer, flits, nb_problem_rate_unit(&answer->problem));
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
    static const struct {
        const char *name;
        double share;
    } quantiles[] = { { "latency_p50", 0.5 },
                      { "latency_p99", 0.99 },
                      { "latency_p999", 0.999 } };
    report_add_time(result, "mean_latency",
                    nb_interval_of_wait(result->latency, result->queueing),
                    "cycles", true, out);
    report_add_time(result, "mean_queueing_delay",
                    nb_interval_of_wait(result->queueing, result->queueing),
                    "cycles", true, out);
    report_add(out, "mean_hops", report_of_all(result, result->hops, INFINITY),
               "hops");
    report_add(out, "minimal_fraction",
               report_of_all(result, result->minimal, 1), "1");
    if (!isnan(result->misrouted.mean))
        report_add(out, "misrouted_fraction",
                   report_of_all(result, result->misrouted, 1), "1");
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles &&
                       result->latencies.total > 0;
         i++)
        report_add(out, quantiles[i].name,
                   nb_simulate_quantile(result, quantiles[i].share), "cycles");
    report_add_time(result, "in_flight",
                    nb_interval_of_wait(result->in_flight, result->in_flight),
                    "packets", false, out);
}

/* Adds the results of requests and their replies. */
static void report_add_replies(const struct nb_simulate_answer *answer,
                               struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    if (answer->plan.reply_buffer == 0)
        return;
    report_add(
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
        report_add(out, "reply_latency", reply, "cycles");
    else
        report_add_time(result, "reply_latency", reply, "cycles", true, out);
    nb_point_note(out, "replies",
                  "a terminal answers every request with a reply of the same "
                  "length, for which it keeps one of %u places; channels and "
                  "in_flight count both requests and replies; everything else "
                  "counts requests, unless its name says reply",
                  answer->plan.reply_buffer);
}

static void report_add_utilisation(const struct nb_simulate_answer *answer,
                                   struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    const size_t channels = answer->problem.topology.channel_count;
    const size_t most = result->busiest_queue;
    if (isnan(result->busiest.value))
        return;
    report_add(out, "max_channel_utilisation", result->busiest, "flits/cycle");
    if (most < channels)
        nb_problem_note_channel(&answer->problem, out, "max_channel",
                                (uint32_t)most);
    else
        nb_point_note(out, "max_channel", "the channel to terminal %zu",
                      most - channels);
    if (result->busiest_count > 1)
        nb_point_note(out, "max_channel_utilisation",
                      "%zu channels, equivalent by symmetry, have this mean; "
                      "max_channel is one of them",
                      result->busiest_count);
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

#define REPORT_FAIR(field, name, unit)                                         \
    NB_QUANTITY(struct nb_simulation_result, field, name, unit)

/* The least, mean and greatest accepted rates of the routers' terminals. */
const struct nb_quantity_row nb_simulate_routers[] = {
    REPORT_FAIR(router_least, "router_accepted_min", NULL),
    REPORT_FAIR(fairness.mean, "router_accepted_mean", NULL),
    REPORT_FAIR(router_most, "router_accepted_max", NULL),
    { 0 },
};
const struct nb_quantity_row nb_simulate_fairness[] = {
    REPORT_FAIR(fairness.ratio, "router_accepted_ratio", "1"),
    REPORT_FAIR(fairness.jain, "jain_index", "1"),
    REPORT_FAIR(fairness.share, "accepted_share", "1"),
    REPORT_FAIR(fairness.share_least, "accepted_share_min", "1"),
    REPORT_FAIR(fairness.starved, "starved_routers", "routers"),
    { 0 },
};

static void report_add_fairness(const struct nb_simulate_answer *answer,
                                struct nb_point *out)
{
    struct nb_simulation_result result = answer->result;
    if (isnan(result.accepted.mean))
        return; /* nothing was observed */
    if (answer->plan.asked == NULL)
        result.fairness.mean = nb_interval_of(result.accepted, result.demanded);
    nb_point_add_quantities(out, nb_simulate_routers, &result,
                            nb_problem_rate_unit(&answer->problem),
                            REPORT_MADE);
    if (answer->plan.asked == NULL)
        return;
    nb_point_add_quantities(out, nb_simulate_fairness, &result, NULL,
                            REPORT_MADE);
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
    report_add(out, "completion_time", end, "cycles");
    if (injection->kind == NB_INJECT_BATCH)
        report_add(out, "completion_time_per_packet",
                   nb_interval_scale(end, 1.0 / injection->batch), "cycles");
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
    nb_text_print(&note, target != NB_NONE ? " to " : ", together");
    if (target != NB_NONE)
        nb_problem_print_router(topology, target, &note);
    nb_point_take_note(out, name, &note);
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
void nb_simulate_note_arrivals(const struct nb_simulate_answer *answer,
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
    nb_point_take_note(out, "arrivals", &note);
}

/* Adds stability as a number too, for sweeps, which do not show notes that
 * differ. */
static void report_add_stability(const struct nb_simulation_result *result,
                                 struct nb_point *out)
{
    static const struct nb_interval values[] = {
        [NB_STABLE] = { 1, 1, 1 },
        [NB_SATURATED] = { 0, 0, 0 },
        [NB_UNDECIDED] = { 0.5, 0, 1 },
    };
    report_add(out, "stability", values[result->stability], "1 if stable");
}

/* Notes why less was measured than planned. */
static void report_note_early(const struct nb_simulate_answer *answer,
                              struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    const struct nb_simulation *plan = &answer->plan;
    const uint64_t measured = result->cycles / plan->replications;
    size_t reached = 0;
    nb_point_note(out, "measured",
                  "ended after %" PRIu64 " of %" PRIu64
                  " cycles per replication: %s",
                  measured, result->planned / plan->replications,
                  result->is_full ? "the limit on packets under way was reached"
                                  : "it was certainly saturated (--cycles sets "
                                    "a fixed number)");
    while (reached < plan->step_count && plan->steps[reached].cycle < measured)
        reached++;
    if (reached < plan->step_count)
        nb_point_note(out, "steps",
                      "those from cycle %" PRIu64 " on were not reached",
                      plan->steps[reached].cycle);
}

static void report_add_notes(const struct nb_simulate_answer *answer,
                             struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    nb_point_note(out, "stability", "%s: %s",
                  nb_stability_names[result->stability], result->evidence);
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
    nb_point_note(out, "warm_up", "%" PRIu64 " cycles", result->warm_up);
    nb_point_note(out, "cycles", "%" PRIu64 " measured, over all replications",
                  result->cycles);
    const bool ends_itself = answer->plan.injection.kind == NB_INJECT_TRACE ||
                             answer->plan.injection.kind == NB_INJECT_BATCH;
    if (result->cycles < result->planned && (!ends_itself || result->is_full))
        report_note_early(answer, out);
    nb_point_note(out, "replications", "%u", answer->plan.replications);
    nb_point_note(out, "packets", "%" PRIu64 " measured that arrived",
                  result->packets);
    if (result->has_slow_waits)
        nb_point_note(out, "intervals",
                      "queues change too slowly for intervals of %s from these "
                      "few cycles (try more --cycles or --precision)",
                      result->is_slow ? "all that depends on them"
                                      : "latencies");
    if (result->unfinished > 0)
        nb_point_note(out, "unfinished",
                      "%" PRIu64 " measured that did not arrive",
                      result->unfinished);
    if (answer->plan.precision > 0 &&
        !(result->latency.half_width <=
          answer->plan.precision * result->latency.mean))
        nb_point_add_note(out, "precision",
                          "not reached in the permitted number of cycles");
}

/* A mean and its half-width, as cells. */
#define REPORT_ESTIMATE(estimate) (estimate).mean, (estimate).half_width
#define REPORT_UTILISATION                                                     \
    "utilisation:number [flits/cycle],half_width:number [flits/cycle]"

static const char *const report_starved[] = {
    [NB_FED] = "no", [NB_STARVED] = "yes", [NB_PERHAPS_STARVED] = "perhaps"
};
static const char *const report_courses[] = { "accepted", "latency", "minimal",
                                              "level" };
#define REPORT_RESPONSE(field, spelled, ...)                                   \
    NB_COLUMN(struct nb_response, field, spelled, __VA_ARGS__)

static const struct nb_table_kind report_channels =
    NB_TABLE("channels", "channel,source,target," REPORT_UTILISATION);
static const struct nb_table_kind report_terminals =
    NB_TABLE("terminals", "terminal," REPORT_UTILISATION);
static const struct nb_table_kind report_histogram =
    NB_TABLE("latency_histogram", "latency [cycles],packets [packets]");
static const struct nb_table_kind report_ccdf =
    NB_TABLE("ccdf", "latency [cycles],probability:number");
static const struct nb_table_kind report_depths =
    NB_TABLE("depths", "class:text,depth [flits],probability:number");
static const struct nb_table_kind report_reorder =
    NB_TABLE("reorder", "packets [packets],probability:number");
static const struct nb_table_kind report_accepted =
    NB_TABLE("routers", "router,accepted:number [%],half_width:number [%],"
                        "starved?:text,fair_share?:number");
static const struct nb_table_kind report_series = NB_TABLE(
    "series", "cycle,accepted:number [%],half_width:number [%],latency:number "
              "[cycles],latency_half_width:number [cycles],minimal:number,"
              "minimal_half_width:number,level:number,level_half_width:number");
static const struct nb_table_kind report_responses = {
    .name = "responses",
    .columns = NB_COLUMNS(
        REPORT_RESPONSE(cycle, "step [cycles]", NB_ANY),
        REPORT_RESPONSE(course, "of:text", .names = report_courses),
        REPORT_RESPONSE(level, "level:number", NB_ANY),
        REPORT_RESPONSE(time.value, "response:number [cycles]", NB_ANY),
        REPORT_RESPONSE(time.lower, "lower:number [cycles]", NB_ANY),
        REPORT_RESPONSE(time.upper, "upper:number [cycles]", NB_ANY)),
};
static const struct nb_table_kind report_search = NB_TABLE(
    "search", "rate:number [%],cycles [cycles],stability:text,evidence:text");

const struct nb_table_kind *const nb_simulate_tables[] = {
    &report_channels,
    &report_accepted,
    &report_terminals,
    &report_ccdf,
    &report_histogram,
    &report_depths,
    &report_reorder,
    &nb_simulate_virtual,
    &nb_simulate_rounds,
    &report_series,
    &report_responses,
    &report_search,
    NULL,
};

static void report_add_queues(const struct nb_simulate_answer *answer,
                              struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    const struct nb_topology *topology = &answer->problem.topology;
    const size_t channels = topology->channel_count;
    size_t table = nb_table_start(out, &report_channels);
    for (size_t c = 0; c < channels; c++)
        NB_ROW(out, table, c, topology->channels[c].source,
               topology->channels[c].target,
               REPORT_ESTIMATE(result->utilisation[c]));
    if (result->queue_count == channels)
        return;
    table = nb_table_start(out, &report_terminals);
    for (size_t q = channels; q < result->queue_count; q++)
        NB_ROW(out, table, q - channels,
               REPORT_ESTIMATE(result->utilisation[q]));
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
            NB_ROW(out, table, class);
        NB_ROW(out, table, value, (double)rest / (double)histogram->total);
        rest -= histogram->count[value];
    }
}

/* Notes if a histogram's last row also counts all larger values. */
static void report_note_last(const struct nb_histogram *histogram,
                             const char *name, struct nb_point *out)
{
    if (histogram->total > 0 && histogram->count[histogram->size] > 0)
        nb_point_note(out, name, "the row of %zu also counts all larger values",
                      histogram->size);
}

static void report_add_latencies(const struct nb_histogram *latencies,
                                 struct nb_point *out)
{
    size_t table = nb_table_start(out, &report_histogram);
    for (size_t value = 0; value <= latencies->size && latencies->total > 0;
         value++)
        if (latencies->count[value] > 0)
            NB_ROW(out, table, value, (int64_t)latencies->count[value]);
    table = nb_table_start(out, &report_ccdf);
    report_add_tail(latencies, NULL, table, out);
    report_note_last(latencies, "latencies", out);
}

static void report_add_depths(const struct nb_simulate_answer *answer,
                              struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    const size_t table = nb_table_start(out, &report_depths);
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
    const struct nb_simulation_result *result = &answer->result;
    const struct nb_topology *topology = &answer->problem.topology;
    const bool *asked = answer->plan.asked;
    const bool has_share = answer->request.fair_share;
    const bool is_compared = asked != NULL && !isinf(result->demanded);
    const size_t table = nb_table_start_as(
        out, &report_accepted,
        (struct nb_table_variant){
            .unit = nb_problem_rate_unit(&answer->problem),
            .without = is_compared ? has_share ? NULL : "fair_share"
                       : has_share ? "starved"
                                   : "starved fair_share" });
    for (size_t r = 0; r < topology->router_count; r++) {
        if (topology->terminals[r] == 0 || (asked != NULL && !asked[r]))
            continue;
        NB_ROW(out, table, r, REPORT_ESTIMATE(result->accepted_of[r]));
        if (is_compared)
            NB_ROW(out, table, report_starved[result->fairness.is_starved[r]]);
        if (has_share) {
            const struct nb_enclosure share =
                nb_fair_share_of(&answer->fair, (uint32_t)r);
            NB_ROW(out, table, share.lower / 2 + share.upper / 2);
        }
    }
}

/* Adds what arrives in windows of time. */
static void report_add_series(const struct nb_simulate_answer *answer,
                              struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    const char *unit = nb_problem_rate_unit(&answer->problem);
    if (answer->plan.window == 0)
        return;
    const size_t table = nb_table_start_as(
        out, &report_series, (struct nb_table_variant){ .unit = unit });
    for (size_t w = 0; w < result->window_count; w++) {
        const struct nb_window *window = &result->series[w];
        NB_ROW(
            out, table, w * answer->plan.window,
            REPORT_ESTIMATE(window->accepted), REPORT_ESTIMATE(window->latency),
            REPORT_ESTIMATE(window->minimal), REPORT_ESTIMATE(window->level));
    }
}

/* Adds how long each course takes to settle after each step: a table, and
 * quantities for the last step. */
static void report_add_responses(const struct nb_simulate_answer *answer,
                                 struct nb_point *out)
{
    static const char *const names[] = { "response_time",
                                         "response_time_latency",
                                         "response_time_minimal",
                                         "response_time_level" };
    const struct nb_simulation_result *result = &answer->result;
    const size_t count = result->response_count;
    bool has_open = false;
    if (count == 0)
        return;
    nb_table_write(out, &report_responses, (struct nb_table_variant){ 0 },
                   result->responses, count, sizeof *result->responses);
    for (size_t i = 0; i < count; i++) {
        const struct nb_response *response = &result->responses[i];
        if (response->cycle == result->responses[count - 1].cycle)
            report_add(out, names[response->course], response->time, "cycles");
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
void nb_simulate_report_load(const struct nb_simulate_answer *answer,
                             struct nb_point *out)
{
    const struct nb_simulation_result *result = &answer->result;
    report_add_throughput(answer, out);
    report_add_latency(result, out);
    report_add_replies(answer, out);
    report_add_utilisation(answer, out);
    report_add_fairness(answer, out);
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
        const size_t table = nb_table_start(out, &report_reorder);
        report_add_tail(&result->reorder, NULL, table, out);
        report_note_last(&result->reorder, "reorder", out);
    }
    report_add_routers(answer, out);
    report_add_series(answer, out);
}

/* Adds the saturation, and the rates that were tried as table search. */
void nb_simulate_report_saturation(const struct nb_simulate_answer *answer,
                                   struct nb_point *out)
{
    const struct nb_capacity *capacity = &answer->problem.capacity;
    const struct nb_saturation *found = &answer->saturation;
    const double flits = (double)answer->plan.injection.flits;
    const char *unit = nb_problem_rate_unit(&answer->problem);
    const double lower = flits * found->lower, upper = flits * found->upper;
    size_t undecided = 0;
    if (!isinf(capacity->rate.upper))
        nb_point_add_bracket(out, "saturation", lower / capacity->rate.upper,
                             upper / capacity->rate.lower,
                             "fraction of capacity", REPORT_MADE);
    nb_point_add_bracket(out, "saturation_absolute", lower, upper, unit,
                         REPORT_MADE);
    nb_problem_add_capacity(&answer->problem, out);
    const size_t table = nb_table_start_as(
        out, &report_search, (struct nb_table_variant){ .unit = unit });
    for (size_t i = 0; i < found->trial_count; i++) {
        const struct nb_saturation_trial *trial = &found->trial[i];
        NB_ROW(out, table, flits * trial->rate, (int64_t)trial->cycles,
               nb_stability_names[trial->stability], trial->evidence);
        undecided += trial->stability == NB_UNDECIDED;
    }
    nb_point_note(out, "rates",
                  "%zu tried, %zu of them neither certainly stable nor "
                  "certainly saturated",
                  found->trial_count, undecided);
    if (found->is_proved)
        nb_point_add_note(out, "upper_end", answer->plan.limit.basis);
    if (!found->is_narrow && !isinf(found->doubt_first))
        nb_point_note(out, "precision",
                      "not reached: rates from %.6g to %.6g are undecided in "
                      "the permitted %" PRIu64 " cycles per replication",
                      flits * found->doubt_first, flits * found->doubt_last,
                      found->trial[found->trial_count - 1].cycles);
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
    struct nb_text note = { 0 };
    nb_flow_thresholds_find(router, is_global, bandwidth,
                            nb_most_flits(&answer->plan), &found);
    const double burst = found.xoff - 1 + found.sent;
    const double idle = found.sent + router->pipeline * b - found.xon;
    nb_text_print(
        &note,
        "%s: the buffer of a virtual channel%s holds %u flits; it sends "
        "\"stop\" at %u flits and \"go\" below %u; at most %g flits "
        "arrive before the stop is received",
        router->flow_control == NB_PAUSE ? "pause" : "xon-xoff",
        is_global ? " between groups" : "", found.buffer, found.xoff, found.xon,
        found.sent);
    if (found.xoff <= router->pipeline * b + 1 &&
        found.xon <= router->pipeline * b && idle > 0)
        nb_text_print(
            &note,
            "; a virtual channel that has the channel to itself uses only %.3g "
            "of the bandwidth, because flits in the pipeline fill its buffer",
            burst / (burst + idle));
    nb_point_take_note(out, is_global ? "global_flow_control" : "flow_control",
                       &note);
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
    struct nb_text note = { 0 };
    if (answer->plan.router.flow_control != NB_CREDITS) {
        report_note_flow(answer, is_global, out);
        return;
    }
    const double flits = ceil(trip * bandwidth);
    const double share = buffer / (trip * bandwidth);
    if (buffer >= flits)
        return;
    nb_text_print(&note,
                  "a credit's round trip takes %u cycles (twice the channel "
                  "latency, plus the pipeline); in this time, a channel%s "
                  "carries %g flits: a virtual channel of %u flits can use at "
                  "most %.3g of its bandwidth",
                  trip, is_global ? " between groups" : "", flits, buffer,
                  share);
    if (channels > 1)
        nb_text_print(&note, ", all %u together %.3g", channels,
                      fmin(1, channels * share));
    nb_text_print(&note, " (--%s %g: all of it)",
                  is_global ? "global-buffer" : "buffer", flits);
    nb_point_take_note(out, is_global ? "global buffers" : "buffers", &note);
}

static const char *const report_turns[] = {
    [NB_OLDEST_FIRST] = "the oldest first",
    [NB_IN_TURN] = "one after another",
    [NB_LEAST_RECENT] = "the least recently served first",
    [NB_TRANSIT_FIRST] = "transit first, and of it the least recently served",
};

static void report_note_credit(const struct nb_simulate_answer *answer,
                               struct nb_text *note)
{
    static const char *const allocations[] = {
        [NB_ALLOCATION_GREEDY] = "",
        [NB_ALLOCATION_SEPARABLE] = "separable allocation, ",
        [NB_ALLOCATION_PACKET] = "separable allocation of packets, ",
    };
    const struct nb_router *router = &answer->plan.router;
    nb_text_print(note,
                  "credit: %u virtual channels of %u flits, output buffers of "
                  "%u%s, speedup %u, pipeline %u, channel latency %u",
                  report_virtual_channels(answer), router->buffer,
                  router->output_buffer,
                  router->output_queues == NB_OUTPUT_OF_VIRTUAL ? " each" : "",
                  router->speedup, router->pipeline, router->channel_latency);
    if (router->global_latency > 0)
        nb_text_print(note, ", between groups %u", router->global_latency);
    if (router->global_buffer > 0)
        nb_text_print(note, ", buffers between groups of %u",
                      router->global_buffer);
    nb_text_print(note, ", %s, %s%s",
                  router->switching == NB_WORMHOLE ? "wormhole" : "cut-through",
                  allocations[router->allocation],
                  router->congestion == NB_CONGESTION_OUTPUT
                      ? "congestion by output buffers, "
                      : "");
}

/* Describes the router. */
static void report_note_model(const struct nb_simulate_answer *answer,
                              struct nb_point *out)
{
    const struct nb_router *router = &answer->plan.router;
    const char *turn = report_turns[router->arbitration];
    struct nb_text note = { 0 };
    if (router->model == NB_ROUTER_IDEAL)
        nb_text_print(&note, "ideal: unbounded queues at outputs, %s%s%s", turn,
                      router->congestion == NB_CONGESTION_WAITING
                          ? ", congestion without packets in transmission"
                          : "",
                      router->slot_order == NB_SLOT_RANDOM
                          ? ", random order within a cycle"
                          : "");
    else if (router->model == NB_ROUTER_CHAOS)
        nb_text_print(&note,
                      "chaos: inputs of %u flits, outputs of %u, a shared "
                      "queue of %u for each channel to another router, %s",
                      router->buffer, router->output_buffer,
                      router->shared_queue, turn);
    else {
        report_note_credit(answer, &note);
        nb_text_print(&note, "%s", turn);
    }
    nb_point_take_note(out, "router", &note);
    if (answer->given.bytes != NULL)
        nb_point_add_note(out, "router_options", answer->given.bytes);
}

void nb_simulate_note_router(const struct nb_simulate_answer *answer,
                             struct nb_point *out)
{
    const struct nb_router *router = &answer->plan.router;
    const bool is_ideal = router->model == NB_ROUTER_IDEAL;
    if (router->model == NB_ROUTER_VIRTUAL) {
        nb_simulate_note_virtual(answer, out);
        return;
    }
    report_note_model(answer, out);
    if (!is_ideal)
        report_note_buffers(answer, false, router->channel_latency,
                            router->buffer, out);
    if (router->global_latency > 0 || router->global_buffer > 0)
        report_note_buffers(
            answer, true,
            router->global_latency > 0 ? router->global_latency
                                       : router->channel_latency,
            router->global_buffer > 0 ? router->global_buffer : router->buffer,
            out);
    if (!is_ideal && !nb_has_terminal_queues(&answer->problem.topology))
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
