#include "questions/load/load_question.h"

#include "core/memory.h"
#include "load/channel_loads.h"
#include "load/path_lengths.h"
#include "questions/optimum/optimum.h"
#include "questions/permutations/adaptive_permutations.h"
#include "questions/worst_case/sampled_answers.h"
#include "routing/formats/forwarding.h"
#include "traffic/export.h"
#include "core/unit.h"

#include <string.h>

#define LOAD(field) offsetof(struct nb_load_question, field)

static const struct nb_parameter load_options[] = {
    NB_OPTION_TOPOLOGY(LOAD(topology)),
    NB_OPTION_TRAFFIC(LOAD(traffic)),
    NB_OPTION_ROUTING(LOAD(routing)),
    NB_OPTION("rate", LOAD(rate), TRAFFIC, NUMBER, "",
              "injection rate in packets per terminal and cycle; default 1",
              .is_first = true, .most = 1e6, .unit = "packets/cycle",
              .apart = "load"),
    NB_OPTION_CLOCK(LOAD(clock)),
    NB_OPTION("load", LOAD(load), TRAFFIC, NUMBER, "",
              "injection rate as a fraction of capacity", .is_first = true,
              .most = 1e6, .unit = "fraction"),
    NB_OPTION(
        "allow-inadmissible", LOAD(allow_inadmissible), TRAFFIC, FLAG, "no",
        "accept a traffic matrix with rows or columns that sum to more than 1"),
    NB_OPTION("pair", LOAD(pair), MEASUREMENT, WORD, "",
              "also report the hops from one router to another, such as 0,5",
              .detail = "Adds table path_lengths."),
    NB_OPTION("hops", LOAD(hops), MEASUREMENT, WHOLE, "",
              "with --pair: also report the probability of this many hops",
              .counts = "hops", .most = 1e9, .with = "pair"),
    NB_OPTION("fair-share", LOAD(fair_share), MEASUREMENT, FLAG, "no",
              "also report the max-min fair rates of the routers at this rate",
              .detail = "They are computed over the paths of the scheme: see "
                        "tables fair_shares and fair_levels."),
    NB_OPTION_SAMPLE_PATHS(LOAD(sample_paths)),
    NB_OPTION_SEED(LOAD(seed)),
    { 0 },
};

enum { LOAD_MATRIX, LOAD_FORWARDING, LOAD_LEVELS };

static const struct nb_parameter load_outputs[] = {
    [LOAD_MATRIX] =
        NB_COMMAND_OPTION("matrix", OUTPUT, PATH, NULL,
                          "write the traffic matrix to this file, which "
                          "--traffic file:FILE reads",
                          .detail = "The rates between terminals at injection "
                                    "rate 1, as .csv, .json or Noxim .txt.",
                          .accepts = nb_traffic_accepts),
    [LOAD_FORWARDING] = NB_COMMAND_OPTION(
        "forwarding", OUTPUT, PATH, NULL,
        "write the routing to this file as InfiniBand forwarding tables",
        .detail =
            "For opensm -R file -U FILE and for --routing file:FILE. A .dot "
            "file gets the network and its next hops, for the simulator ORCS."),
    [LOAD_LEVELS] = NB_COMMAND_OPTION(
        "service-levels", OUTPUT, PATH, NULL,
        "write the layers of the routing to this file as InfiniBand service "
        "levels",
        .detail = "Each line has source LID, destination LID and level."),
    { 0 },
};

static const char load_how[] = "propagation of exact probabilities";

#define LOAD_RATE " [packets/cycle]"
static const struct nb_table_kind load_channels = {
    .name = "channels",
    .columns = NB_SPELLED("channel,source,target,bandwidth:ratio" LOAD_RATE
                          ",load:ratio" LOAD_RATE ",lower:number" LOAD_RATE
                          ",upper:number" LOAD_RATE)
};
static const struct nb_table_kind load_terminals = {
    .name = "terminals",
    .columns = NB_SPELLED("terminal,terminals,bandwidth:ratio" LOAD_RATE
                          ",sent:ratio" LOAD_RATE ",sent_upper:number" LOAD_RATE
                          ",received:ratio" LOAD_RATE
                          ",received_upper:number" LOAD_RATE)
};
static const struct nb_table_kind load_path_lengths = {
    .name = "path_lengths",
    .columns = NB_SPELLED("hops [hops],probability:number,exact:ratio")
};

static void load_add_channels(const struct nb_load_answer *answer,
                              struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    const size_t table = nb_table_start(out, &load_channels);
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        const struct nb_enclosure load =
            nb_enclosure_multiply(answer->loads.load[c], answer->rate);
        NB_ROW(out, table, c, channel->source, channel->target,
               channel->bandwidth, NB_ENDS(load));
    }
}

static bool load_is_same(struct nb_enclosure a, struct nb_enclosure b)
{
    return nb_ratio_compare(a.exact, b.exact) == 0 && a.lower == b.lower &&
           a.upper == b.upper;
}

/* Adds the channels of the terminals; a row for consecutive terminals whose
 * channels have the same loads. */
static void load_add_terminals(const struct nb_load_answer *answer,
                               struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    const size_t count = topology->terminal_count;
    if (answer->sent == NULL)
        return;
    const size_t table = nb_table_start(out, &load_terminals);
    for (size_t t = 0, next; t < count; t = next) {
        const struct nb_enclosure ends[2] = { answer->sent[t],
                                              answer->received[t] };
        for (next = t + 1; next < count &&
                           load_is_same(answer->sent[next], ends[0]) &&
                           load_is_same(answer->received[next], ends[1]);)
            next++;
        NB_ROW(out, table, t, next - t, topology->terminal_bandwidth);
        for (int i = 0; i < 2; i++) {
            const struct nb_enclosure load =
                nb_enclosure_multiply(ends[i], answer->rate);
            NB_ROW(out, table, load.exact, load.upper);
        }
    }
}

/* The load of the fullest channel of a terminal where terminals of a router
 * differ and limit the throughput. */
static void load_add_fullest(const struct nb_load_answer *answer,
                             struct nb_ratio most_sum, struct nb_point *out)
{
    const struct nb_enclosure limit =
        nb_problem_terminal_limit(&answer->problem, most_sum);
    struct nb_enclosure most = nb_enclosure_of_whole(0);
    const char *way = "";
    size_t fullest = 0;
    if (answer->sent == NULL || answer->problem.traffic.singles.count == 0 ||
        nb_enclosure_compare(limit, answer->loads.throughput) >= 0)
        return;
    for (size_t t = 0; t < answer->problem.topology.terminal_count; t++)
        for (int i = 0; i < 2; i++) {
            const struct nb_enclosure load =
                i == 0 ? answer->received[t] : answer->sent[t];
            if (nb_enclosure_compare(load, most) > 0) {
                most = load;
                fullest = t;
                way = i == 0 ? "to" : "from";
            }
        }
    nb_point_add_enclosure(
        out, "max_terminal_load", nb_enclosure_multiply(most, answer->rate),
        "packets/cycle", "sums of the traffic", "TowlesDally2002, section 2.2");
    nb_point_note(out, "max_terminal", "the channel %s terminal %zu", way,
                  fullest);
}

/* A rate that is not carried is noted, not refused. */
static void load_note_rate(const struct nb_load_answer *answer,
                           struct nb_enclosure throughput, struct nb_ratio most,
                           const char *text, struct nb_point *out)
{
    const struct nb_enclosure carried = nb_enclosure_least(
        throughput, nb_problem_terminal_limit(&answer->problem, most));
    if (answer->has_rate && nb_enclosure_compare(answer->rate, carried) > 0)
        nb_point_add_note(out, "saturated", text);
}

static void load_report_bound(const struct nb_load_answer *answer,
                              struct nb_ratio most, struct nb_point *out)
{
    nb_optimum_report(&answer->bound, out);
    nb_problem_note_worst(&answer->problem, out);
    load_note_rate(answer, answer->bound.throughput, most,
                   "the rate exceeds adaptive_bound_absolute, the most that "
                   "the scheme can carry",
                   out);
    nb_load_report_fair(answer, out);
}

static void load_report_exact(const struct nb_load_answer *answer,
                              struct nb_ratio most, struct nb_point *out)
{
    static const char source[] = "TowlesDally2002, section 2.2";
    const struct nb_problem *problem = &answer->problem;
    const struct nb_channel_loads *loads = &answer->loads;
    const char *how =
        loads->is_exact ? load_how : "propagation in doubles, bracketed";
    nb_point_add_enclosure(
        out, "max_channel_load",
        nb_enclosure_multiply(loads->load[loads->worst_channel], answer->rate),
        "packets/cycle", how, source);
    nb_problem_add_throughput(problem, out, "throughput", loads->throughput,
                              most, how, source);
    nb_point_add_enclosure(out, "mean_hops", loads->mean_hops, "hops", how,
                           source);
    nb_problem_note_channel(problem, out, "max_channel", loads->worst_channel);
    load_add_fullest(answer, most, out);
    load_note_rate(answer, loads->throughput, most,
                   "the rate exceeds throughput_absolute, the most that "
                   "the network carries: the loads are those that it "
                   "would have to carry",
                   out);
}

struct load_pair {
    struct nb_enclosure mean;
    size_t least, most; /* hops */
};
static const struct nb_quantity_row load_pair_rows[] = {
    NB_QUANTITY(struct load_pair, mean, "pair_mean_hops", "hops"),
    NB_QUANTITY(struct load_pair, least, "pair_least_hops", "hops"),
    NB_QUANTITY(struct load_pair, most, "pair_most_hops", "hops"),
    { 0 },
};

/* Adds the pair's table and quantities. */
static void load_add_lengths(const struct nb_path_lengths *lengths,
                             int64_t hops, struct nb_point *out)
{
    static const char source[] = "Singh2005, section 3.3.6";
    struct load_pair pair = { .mean = nb_enclosure_of_whole(0),
                              .least = lengths->count - 1,
                              .most = lengths->count - 1 };
    const size_t table = nb_table_start(out, &load_path_lengths);
    for (size_t h = 0; h < lengths->count; h++) {
        const struct nb_enclosure p = lengths->probability[h];
        pair.mean = nb_enclosure_add(
            pair.mean,
            nb_enclosure_multiply(p, nb_enclosure_of_whole((uint32_t)h)));
        if (nb_enclosure_is_zero(p))
            continue;
        pair.least = h < pair.least ? h : pair.least;
        NB_ROW(out, table, h, p.lower + (p.upper - p.lower) / 2, p.exact);
    }
    nb_point_add_quantities(out, load_pair_rows, &pair, NULL, load_how, source);
    if (hops != NB_NO_WHOLE)
        nb_point_add_enclosure(out, "pair_hops_probability",
                               (size_t)hops <= pair.most
                                   ? lengths->probability[hops]
                                   : nb_enclosure_of_whole(0),
                               "1", load_how, source);
}

void nb_load_answer_release(struct nb_load_answer *answer)
{
    nb_permutations_answer_release(&answer->permutations);
    nb_fair_share_release(&answer->fair);
    nb_optimum_answer_release(&answer->bound);
    nb_path_lengths_release(&answer->lengths);
    nb_sampled_loads_release(&answer->sampled);
    nb_channel_loads_release(&answer->loads);
    nb_delete(answer->sent);
    nb_delete(answer->received);
    answer->sent = answer->received = NULL;
    nb_problem_release(&answer->problem);
}

/* Reads the permutations asked for by a traffic random-permutation:count=N. */
static enum nb_status load_read_many(const struct nb_load_question *request,
                                     struct nb_permutations_question *many,
                                     bool *is_many, struct nb_error *err)
{
    struct nb_specification traffic = { 0 };
    size_t index;
    enum nb_status status = NB_OK;
    NB_TRY(nb_specification_read(request->traffic, "traffic",
                                 nb_traffic_kind_at, nb_traffic_parameters,
                                 &traffic, &index, err));
    *many = (struct nb_permutations_question){
        .topology = request->topology,
        .routing = request->routing,
        .count = nb_specification_whole(&traffic, "count"),
        .seed = nb_specification_whole(&traffic, "seed"),
        .bins = 100,
    };
    *is_many = strcmp(traffic.kind->name, "random-permutation") == 0 &&
               many->count > 1;
    if (*is_many &&
        (nb_ratio_is_known(request->rate) || nb_ratio_is_known(request->load) ||
         request->pair != NULL || request->sample_paths > 0 ||
         request->fair_share || nb_specification_is(&traffic, "self", "no")))
        NB_TRY(nb_fail(err, NB_USAGE,
                       "traffic %.60s is several permutations, which are "
                       "summarised (permitted: without --rate, --load, "
                       "--pair, --sample-paths, --fair-share and self=no)",
                       request->traffic));
done:
    nb_specification_release(&traffic);
    return status;
}

/* The loads of the terminals' channels. */
static enum nb_status load_find_terminals(struct nb_load_answer *out,
                                          struct nb_error *err)
{
    const struct nb_problem *problem = &out->problem;
    const size_t count = problem->topology.terminal_count;
    enum nb_status status;
    NB_TRY(nb_new(&out->sent, count, sizeof *out->sent, "terminals", err));
    NB_TRY(
        nb_new(&out->received, count, sizeof *out->received, "terminals", err));
    status = nb_traffic_terminal_rates(&problem->traffic, &problem->topology,
                                       out->sent, out->received, err);
done:
    return status;
}

static enum nb_status load_compute(const struct nb_load_question *request,
                                   const struct nb_run *run,
                                   struct nb_load_answer *out,
                                   struct nb_error *err)
{
    const struct nb_network_names names = {
        .topology = request->topology,
        .routing = request->routing,
        .traffic = request->traffic,
        .allows_inadmissible = request->allow_inadmissible,
        .refuses_adaptive = request->pair != NULL || request->sample_paths > 0,
    };
    struct nb_problem *problem = &out->problem;
    struct nb_permutations_question many;
    uint32_t pair[2];
    enum nb_status status = NB_OK;
    out->sample = nb_sampled_asked(request->sample_paths, request->seed);
    out->hops = request->hops;
    out->has_rate =
        nb_ratio_is_known(request->rate) || nb_ratio_is_known(request->load);
    NB_TRY(load_read_many(request, &many, &out->is_many, err));
    if (out->is_many)
        return nb_permutations_ask(&many, run, &out->permutations, err);
    NB_TRY(nb_problem_open(&names, run, problem, err));
    NB_TRY(nb_problem_rate(problem, request->rate, request->load, &out->rate,
                           err));
    NB_TRY(nb_traffic_sums_find(&problem->traffic, &problem->topology,
                                &out->sums, err));
    if (nb_ratio_is_known(problem->topology.terminal_bandwidth))
        NB_TRY(load_find_terminals(out, err));
    if (request->fair_share)
        NB_TRY(nb_fair_share_find(&problem->routing, &problem->traffic,
                                  out->rate, run, &out->fair, err));
    out->is_bound = problem->routing.kind->is_adaptive;
    if (out->is_bound) /* the loads are not known */
        return nb_optimum_bound(&names, request->clock, run, NULL, &out->bound,
                                NULL, err);
    if (request->pair != NULL) {
        NB_TRY(nb_problem_read_pair(problem, request->pair, pair, err));
        NB_TRY(nb_path_lengths_find(&problem->routing, pair[0], pair[1],
                                    &out->lengths, err));
    }
    if (out->sample.paths > 0)
        NB_TRY(nb_sampled_loads_find(&problem->routing, &problem->traffic,
                                     &out->sample, run, &out->sampled, err));
    else
        NB_TRY(nb_problem_find_loads(problem, run, &out->loads, err));
done:
    return status;
}

static void load_report(const struct nb_load_answer *answer,
                        struct nb_point *out)
{
    const struct nb_ratio most = nb_traffic_sums_most(&answer->sums);
    const bool is_sampled = answer->sample.paths > 0;
    if (answer->is_many)
        nb_permutations_report(&answer->permutations, out);
    if (answer->problem.topology.router_count == 0) /* no answer */
        return;
    if (answer->is_bound) {
        load_report_bound(answer, most, out);
        return;
    }
    if (is_sampled)
        nb_sampled_report_load(answer, most, out);
    else
        load_report_exact(answer, most, out);
    nb_problem_note_rate(&answer->sums, out);
    nb_problem_note_min(&answer->problem, out);
    nb_problem_note_worst(&answer->problem, out);
    nb_load_report_fair(answer, out);
    if (answer->lengths.count > 0)
        load_add_lengths(&answer->lengths, answer->hops, out);
    if (!is_sampled)
        load_add_channels(answer, out);
    load_add_terminals(answer, out);
}

NB_DEFINE_QUESTION(load);
NB_DEFINE_RELEASE(load);

static enum nb_status load_write(const struct nb_question *question,
                                 const struct nb_point *point,
                                 struct nb_error *err)
{
    const struct nb_load_question *request = question->request;
    const char *const *paths = question->outputs;
    struct nb_problem problem = { 0 };
    enum nb_status status;
    (void)point; /* describes its effect, not the traffic itself */
    NB_TRY(nb_problem_build_network(request->topology, request->routing,
                                    &problem, err));
    NB_TRY(nb_routing_build(request->routing, &problem.topology,
                            &problem.routing, err));
    if (paths[LOAD_FORWARDING] != NULL)
        NB_TRY((nb_is_orcs(paths[LOAD_FORWARDING]) ? nb_forwarding_write_orcs
                                                   : nb_forwarding_write)(
            &problem.routing, paths[LOAD_FORWARDING], err));
    if (paths[LOAD_LEVELS] != NULL)
        NB_TRY(nb_forwarding_write_levels(&problem.routing, paths[LOAD_LEVELS],
                                          err));
    if (paths[LOAD_MATRIX] == NULL)
        goto done;
    NB_TRY(nb_problem_build_traffic(request->traffic,
                                    request->allow_inadmissible, &question->run,
                                    &problem, err));
    NB_TRY(nb_traffic_write(paths[LOAD_MATRIX], &problem.traffic,
                            &problem.topology, err));
done:
    nb_problem_release(&problem);
    return status;
}

const struct nb_question_kind nb_question_kind_load = {
    .form = {
        .name = "load",
.summary = "channel loads and throughput of a traffic pattern",
        .example = "netbound load --topology mesh:8x8 --routing dor --traffic "
                   "transpose",
        .title = "<Throughput> of {routing} on {topology}[?, {traffic} traffic]",
        .options = load_options,
        .outputs = load_outputs,
        .quantities = NB_QUANTITIES(load_pair_rows),
        .tables = NB_TABLES(&load_channels, &nb_sampled_channels, &load_terminals, &load_path_lengths, &nb_permutations_histogram, &nb_permutations_worst, &nb_adaptive_permutations, &nb_optimum_bottleneck, &nb_optimum_scheme_paths, &nb_optimum_lengths, &nb_fair_levels, &nb_fair_shares),
    },
    NB_CALLS_OF(load),
    .release = load_release,
    .write = load_write,
};
