#include "questions/worst_case/sampled_answers.h"

#include "questions/worst_case/worst_case_tables.h"

#include "bounds/worst_case/sampled_case.h"
#include <math.h>

#include <string.h>

static const char sampled_method[] = "sampled paths, 95 % confidence";
static const char sampled_source[] = "TowlesDally2002, section 3.5";

static double sampled_middle(struct nb_enclosure a)
{
    return nb_ratio_is_known(a.exact) ? nb_ratio_value(a.exact)
                                      : a.lower / 2 + a.upper / 2;
}

static struct nb_enclosure sampled_limits(struct nb_interval estimate)
{
    return (struct nb_enclosure){ { 0, 0 }, estimate.lower, estimate.upper };
}

/* Sets the estimate of a quantity that was added by its limits. */
static void sampled_set_value(struct nb_point *point, const char *name,
                              const char *suffix, double value)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < point->quantity_count && !point->has_failed; i++)
        if (strncmp(point->quantities[i].name, name, length) == 0 &&
            strcmp(point->quantities[i].name + length, suffix) == 0)
            point->quantities[i].value = value;
}

static struct nb_interval sampled_scale(struct nb_interval estimate,
                                        struct nb_enclosure factor)
{
    struct nb_enclosure limits =
        nb_enclosure_multiply(sampled_limits(estimate), factor);
    if (factor.upper == 0) /* rounding outward would move it above 0 */
        limits.lower = limits.upper = 0;
    return (struct nb_interval){ estimate.value * sampled_middle(factor),
                                 limits.lower, limits.upper };
}

/* Adds the rate at which the greatest load per bandwidth becomes 1. most, the
 * greatest sum of a terminal's row or column, gives the limit of the terminals'
 * own channels. */
static void sampled_add_throughput(const struct nb_problem *problem,
                                   struct nb_point *point, const char *name,
                                   struct nb_interval share,
                                   struct nb_ratio most)
{
    const double value =
        fmin(1 / share.value,
             sampled_middle(nb_problem_terminal_limit(problem, most)));
    const struct nb_enclosure absolute = { { 0, 0 },
                                           1 / share.upper,
                                           1 / share.lower };
    nb_problem_add_throughput(problem, point, name, absolute, most,
                              sampled_method, sampled_source);
    sampled_set_value(point, name, "_absolute", value);
    sampled_set_value(point, name, "",
                      value / sampled_middle(problem->capacity.rate));
}

/* The load of the channel with the greatest load per bandwidth, estimated to be
 * `channel`. In truth it may be another one, whose upper limit per bandwidth
 * reaches the lower limit of the greatest; by chance there may be no such
 * channel. */
static struct nb_interval sampled_on(const struct nb_topology *topology,
                                     struct nb_interval share, uint32_t channel,
                                     const struct nb_interval *load)
{
    const double value =
        share.value * nb_ratio_value(topology->channels[channel].bandwidth);
    struct nb_interval on = { value, value, value };
    for (size_t c = 0; c < topology->channel_count; c++) {
        const double upper = load[c].upper;
        const double bandwidth =
            nb_ratio_value(topology->channels[c].bandwidth);
        if (c != channel && upper / bandwidth * (1 + 0x1p-51) < share.lower)
            continue;
        on.lower = fmin(on.lower, share.lower * bandwidth * (1 - 0x1p-51));
        on.upper = fmax(on.upper, upper);
    }
    return on;
}

#define SAMPLED_RATE " [packets/cycle]"
const struct nb_table_kind nb_sampled_channels = {
    .name = "channels",
    .columns = NB_SPELLED(
        "channel,source,target,bandwidth:ratio" SAMPLED_RATE
        ",load:number" SAMPLED_RATE ",standard_error:number" SAMPLED_RATE
        ",lower:number" SAMPLED_RATE ",upper:number" SAMPLED_RATE)
};

static void sampled_add_channels(const struct nb_topology *topology,
                                 const struct nb_sampled_loads *loads,
                                 struct nb_enclosure rate, struct nb_point *out)
{
    const size_t table = nb_table_start(out, &nb_sampled_channels);
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        const struct nb_interval load = sampled_scale(loads->load[c], rate);
        NB_ROW(out, table, c, channel->source, channel->target,
               channel->bandwidth, load.value,
               loads->standard_error[c] * sampled_middle(rate), load.lower,
               load.upper);
    }
}

struct nb_path_sample nb_sampled_asked(int64_t paths, int64_t seed)
{
    return (struct nb_path_sample){ paths > 0 ? (uint32_t)paths : 0,
                                    (uint64_t)seed };
}

void nb_sampled_report_load(const struct nb_load_answer *answer,
                            struct nb_ratio most, struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    const struct nb_sampled_loads *loads = &answer->sampled;
    nb_point_add_interval(
        out, "max_channel_load",
        sampled_scale(sampled_on(topology, loads->share, loads->worst_channel,
                                 loads->load),
                      answer->rate),
        "packets/cycle", sampled_method, sampled_source);
    sampled_add_throughput(&answer->problem, out, "throughput", loads->share,
                           most);
    nb_point_add_interval(out, "mean_hops", loads->mean_hops, "hops",
                          sampled_method, sampled_source);
    nb_problem_note_channel(&answer->problem, out, "max_channel",
                            loads->worst_channel);
    nb_point_note(
        out, "sample",
        "%.0f paths, %u for each pair of routers with traffic, seed %llu; "
        "each interval is a 95 %% confidence interval, by the normal "
        "approximation%s",
        loads->paths, answer->sample.paths,
        (unsigned long long)answer->sample.seed,
        loads->orbit_count > 1
            ? "; the value of max_channel_load, the greatest of several "
              "estimates, tends to be too large"
            : "");
    sampled_add_channels(topology, loads, answer->rate, out);
}

void nb_sampled_report_worst(const struct nb_worst_case_answer *answer,
                             struct nb_point *out)
{
    const struct nb_problem *problem = &answer->problem;
    const struct nb_sampled_case *worst = &answer->sampled;
    const unsigned long long seed = answer->sample.seed;
    nb_point_add_interval(out, "worst_case_channel_load",
                          sampled_on(&problem->topology, worst->share,
                                     worst->channel, worst->load),
                          "packets/cycle", sampled_method, sampled_source);
    sampled_add_throughput(problem, out, "worst_case_throughput", worst->share,
                           nb_ratio_one);
    nb_problem_note_channel(problem, out, "worst_channel", worst->channel);
    if (worst->check_paths == 0)
        nb_point_note(
            out, "sample",
            "%u paths for each pair of routers, seed %llu; with intermediate "
            "routers anywhere, every permutation loads a channel equally; the "
            "interval has 95 %% confidence, by the normal approximation",
            worst->search_paths, seed);
    else
        nb_point_note(
            out, "sample",
            "about %u paths for each pair of routers give the permutation and "
            "the upper limit of its load; %u others for each pair of the "
            "permutation give the estimate and the lower limit; seed %llu; the "
            "interval has at least 95 %% confidence, by the normal "
            "approximation: its upper limit holds for every permutation",
            worst->search_paths, worst->check_paths, seed);
    nb_table_add_permutation(&problem->topology, &worst->sides,
                             worst->permutation, out);
}
