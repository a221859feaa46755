#include "questions/load/load_question.h"

#include "core/memory.h"
#include "load/channel_loads.h"
#include "load/path_lengths.h"
#include "questions/worst_case/sampled_answers.h"
#include "routing/formats/forwarding.h"
#include "traffic/export.h"
#include "core/unit.h"

#include <stdio.h>
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

static struct nb_enclosure load_of(const struct nb_channel_loads *loads,
                                   size_t channel)
{
    return loads->load[channel];
}

static void load_add_channels(const struct nb_problem *problem,
                              const struct nb_channel_loads *loads,
                              struct nb_enclosure rate, struct nb_point *out)
{
    const struct nb_topology *topology = &problem->topology;
    const size_t table = nb_point_add_table(
        out, "channels", false,
        "channel,source,target,bandwidth:ratio [packets/cycle],"
        "load:ratio [packets/cycle],lower:number [packets/cycle],"
        "upper:number [packets/cycle]");
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_enclosure load =
            nb_enclosure_multiply(load_of(loads, c), rate);
        nb_table_add_whole(out, table, (int64_t)c);
        nb_table_add_whole(out, table, topology->channels[c].source);
        nb_table_add_whole(out, table, topology->channels[c].target);
        nb_table_add_ratio(out, table, topology->channels[c].bandwidth);
        nb_table_add_ratio(out, table, load.exact);
        nb_table_add_number(out, table, load.lower);
        nb_table_add_number(out, table, load.upper);
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
    const size_t table = nb_point_add_table(
        out, "terminals", false,
        "terminal,terminals,bandwidth:ratio [packets/cycle],"
        "sent:ratio [packets/cycle],sent_upper:number [packets/cycle],"
        "received:ratio [packets/cycle],received_upper:number "
        "[packets/cycle]");
    for (size_t t = 0, next; t < count; t = next) {
        const struct nb_enclosure ends[2] = { answer->sent[t],
                                              answer->received[t] };
        for (next = t + 1; next < count &&
                           load_is_same(answer->sent[next], ends[0]) &&
                           load_is_same(answer->received[next], ends[1]);)
            next++;
        nb_table_add_whole(out, table, (int64_t)t);
        nb_table_add_whole(out, table, (int64_t)(next - t));
        nb_table_add_ratio(out, table, topology->terminal_bandwidth);
        for (int i = 0; i < 2; i++) {
            const struct nb_enclosure load =
                nb_enclosure_multiply(ends[i], answer->rate);
            nb_table_add_ratio(out, table, load.exact);
            nb_table_add_number(out, table, load.upper);
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
    char text[80];
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
    snprintf(text, sizeof text, "the channel %s terminal %zu", way, fullest);
    nb_point_add_note(out, "max_terminal", text);
}

/* A rate that is not carried is noted, not refused. */
static void load_note_rate(const struct nb_problem *problem,
                           struct nb_enclosure throughput,
                           struct nb_enclosure rate, struct nb_ratio most,
                           const char *text, struct nb_point *out)
{
    const struct nb_enclosure carried = nb_enclosure_least(
        throughput, nb_problem_terminal_limit(problem, most));
    if (nb_enclosure_compare(rate, carried) > 0)
        nb_point_add_note(out, "saturated", text);
}

static void load_report_bound(const struct nb_load_answer *answer,
                              struct nb_ratio most, struct nb_point *out)
{
    nb_optimum_report(&answer->bound, out);
    nb_problem_note_worst(&answer->problem, out);
    if (answer->has_rate)
        load_note_rate(&answer->problem, answer->bound.throughput, answer->rate,
                       most,
                       "the rate exceeds adaptive_bound_absolute, the most "
                       "that the scheme can carry",
                       out);
    nb_load_report_fair(answer, out);
}

static void load_add(const struct nb_problem *problem,
                     const struct nb_channel_loads *loads,
                     struct nb_enclosure rate, struct nb_ratio most,
                     struct nb_point *out)
{
    static const char source[] = "TowlesDally2002, section 2.2";
    const char *how =
        loads->is_exact ? load_how : "propagation in doubles, bracketed";
    nb_point_add_enclosure(
        out, "max_channel_load",
        nb_enclosure_multiply(load_of(loads, loads->worst_channel), rate),
        "packets/cycle", how, source);
    nb_problem_add_throughput(problem, out, "throughput", loads->throughput,
                              most, how, source);
    nb_point_add_enclosure(out, "mean_hops", loads->mean_hops, "hops", how,
                           source);
    nb_problem_note_channel(problem, out, "max_channel", loads->worst_channel);
}

/* Adds the pair's table and quantities. */
static void load_add_lengths(const struct nb_path_lengths *lengths,
                             int64_t hops, struct nb_point *out)
{
    static const char source[] = "Singh2005, section 3.3.6";
    const size_t most = lengths->count - 1;
    struct nb_enclosure mean = nb_enclosure_of_whole(0);
    size_t least = 0;
    const size_t table =
        nb_point_add_table(out, "path_lengths", false,
                           "hops [hops],probability:number,exact:ratio");
    while (least < most && nb_enclosure_is_zero(lengths->probability[least]))
        least++;
    for (size_t h = least; h < lengths->count; h++) {
        const struct nb_enclosure p = lengths->probability[h];
        mean = nb_enclosure_add(
            mean, nb_enclosure_multiply(p, nb_enclosure_of_whole((uint32_t)h)));
        if (nb_enclosure_is_zero(p))
            continue;
        nb_table_add_whole(out, table, (int64_t)h);
        nb_table_add_number(out, table, p.lower + (p.upper - p.lower) / 2);
        nb_table_add_ratio(out, table, p.exact);
    }
    nb_point_add_enclosure(out, "pair_mean_hops", mean, "hops", load_how,
                           source);
    nb_point_add_exact(out, "pair_least_hops",
                       nb_ratio_make((nb_int128)least, 1), "hops", load_how,
                       source);
    nb_point_add_exact(out, "pair_most_hops", nb_ratio_make((nb_int128)most, 1),
                       "hops", load_how, source);
    if (hops == NB_NO_WHOLE)
        return;
    const struct nb_enclosure request = (size_t)hops <= most
                                            ? lengths->probability[hops]
                                            : nb_enclosure_of_whole(0);
    nb_point_add_enclosure(out, "pair_hops_probability", request, "1", load_how,
                           source);
}

static enum nb_status load_find_pair(const char *text,
                                     struct nb_load_answer *out,
                                     struct nb_error *err)
{
    uint32_t router[2];
    enum nb_status status;
    NB_TRY(nb_problem_read_pair(&out->problem, text, router, err));
    status = nb_path_lengths_find(&out->problem.routing, router[0], router[1],
                                  &out->lengths, err);
done:
    return status;
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

/* Loads of an adaptive scheme are not known; finds an upper bound instead. */
static enum nb_status load_bound(const struct nb_load_question *request,
                                 const struct nb_run *run,
                                 struct nb_load_answer *out,
                                 struct nb_error *err)
{
    const struct nb_optimum_question question = {
        .topology = request->topology,
        .clock = request->clock,
        .traffic = request->traffic,
        .routing = request->routing,
        .allow_inadmissible = request->allow_inadmissible,
        .paths = 3,
        .count = 100,
        .starts = 4,
        .seed = 1,
    };
    const enum nb_status status =
        nb_optimum_ask(&question, run, &out->bound, err);
    if (status != NB_OK)
        nb_load_answer_release(out);
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

enum nb_status nb_load_ask(const struct nb_load_question *request,
                           const struct nb_run *run, struct nb_load_answer *out,
                           struct nb_error *err)
{
    *out = (struct nb_load_answer){ 0 };
    const enum nb_status held =
        nb_request_check("load", load_options, request, err);
    if (held != NB_OK)
        return held;
    const struct nb_network_names names = {
        .topology = request->topology,
        .routing = request->routing,
        .traffic = request->traffic,
        .allows_inadmissible = request->allow_inadmissible,
        .refuses_adaptive = request->pair != NULL || request->sample_paths > 0,
    };
    struct nb_problem *problem = &out->problem;
    struct nb_permutations_question many;
    bool is_many;
    enum nb_status status = NB_OK;
    *out = (struct nb_load_answer){
        .sample = nb_sampled_asked(request->sample_paths, request->seed),
        .hops = request->hops,
        .has_rate = nb_ratio_is_known(request->rate) ||
                    nb_ratio_is_known(request->load),
    };
    NB_TRY(load_read_many(request, &many, &is_many, err));
    if (is_many) {
        status = nb_permutations_ask(&many, run, &out->permutations, err);
        out->is_many = status == NB_OK;
        return status;
    }
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
    if (out->is_bound)
        return load_bound(request, run, out, err);
    if (request->pair != NULL)
        NB_TRY(load_find_pair(request->pair, out, err));
    if (out->sample.paths > 0)
        NB_TRY(nb_sampled_loads_find(&problem->routing, &problem->traffic,
                                     &out->sample, run, &out->sampled, err));
    else
        NB_TRY(nb_problem_find_loads(problem, run, &out->loads, err));
done:
    if (status != NB_OK)
        nb_load_answer_release(out);
    return status;
}

void nb_load_report(const struct nb_load_answer *answer, struct nb_point *out)
{
    const struct nb_traffic_sums *sums = &answer->sums;
    const struct nb_ratio most = nb_ratio_compare(sums->row, sums->column) > 0
                                     ? sums->row
                                     : sums->column;
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
        load_add(&answer->problem, &answer->loads, answer->rate, most, out);
    if (!is_sampled)
        load_add_fullest(answer, most, out);
    if (!is_sampled && answer->has_rate)
        load_note_rate(&answer->problem, answer->loads.throughput, answer->rate,
                       most,
                       "the rate exceeds throughput_absolute, the most that "
                       "the network carries: the loads are those that it "
                       "would have to carry",
                       out);
    nb_problem_note_rate(sums, out);
    nb_problem_note_min(&answer->problem, out);
    nb_problem_note_worst(&answer->problem, out);
    nb_load_report_fair(answer, out);
    if (answer->lengths.count > 0)
        load_add_lengths(&answer->lengths, answer->hops, out);
    if (!is_sampled)
        load_add_channels(&answer->problem, &answer->loads, answer->rate, out);
    load_add_terminals(answer, out);
}

NB_DEFINE_ANSWER(load)

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
        .tables = "channels terminals path_lengths histogram worst_permutation "
                  "permutations bottleneck scheme_paths lengths fair_levels "
                  "fair_shares",
    },
    .size = sizeof(struct nb_load_question),
    .answer = load_answer,
    .write = load_write,
};
