/* netbound load: what a traffic pattern puts on every channel. */
#include "questions/problem.h"
#include "questions/worst_case/sampled_answers.h"

#include "core/try.h"
#include "load/channel_loads.h"
#include "load/path_lengths.h"
#include "traffic/export.h"

#include <stdio.h>

static const struct nb_parameter load_options[] = {
    NB_OPTION_TOPOLOGY,
    NB_OPTION_TRAFFIC,
    NB_OPTION_ROUTING,
    { .name = "rate",
      .help = "injection rate the loads are given for, packets per terminal "
              "per cycle; 1 unless this or --load is given",
      .type = NB_NUMBER,
      .initial = "",
      .most = 1e6,
      .unit = "packets/cycle" },
    NB_OPTION_CLOCK,
    { .name = "load",
      .help = "the same as a fraction of capacity",
      .type = NB_NUMBER,
      .initial = "",
      .most = 1e6,
      .unit = "fraction" },
    { .name = "allow-inadmissible",
      .help = "accept traffic from a file with rows or columns above 1",
      .type = NB_FLAG,
      .initial = "no" },
    { .name = "pair",
      .help = "the hops of packets from this router to that one, A,B, too: "
              "table path_lengths",
      .type = NB_WORD,
      .initial = "" },
    { .name = "hops",
      .help = "how probable so many hops of the pair's packets are, too",
      .type = NB_WHOLE,
      .initial = "",
      .most = 1e9 },
    NB_OPTION_SAMPLE_PATHS,
    NB_OPTION_SEED,
    { 0 },
};

enum { LOAD_MATRIX };

static const struct nb_parameter load_outputs[] = {
    [LOAD_MATRIX] = { .name = "matrix",
                      .help = "write the traffic's rates between terminals at "
                              "injection rate 1 to this file, as .csv, .json "
                              "or Noxim .txt, for --traffic file:FILE",
                      .type = NB_PATH,
                      .accepts = nb_traffic_accepts },
    { 0 },
};

static const char load_how[] = "propagation of exact probabilities";

static struct nb_enclosure load_of(const struct nb_channel_loads *loads,
                                   size_t channel)
{
    return (struct nb_enclosure){ loads->exact[channel], loads->lower[channel],
                                  loads->upper[channel] };
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
    nb_problem_add_throughput(problem, out, "throughput",
                              (struct nb_enclosure){ loads->throughput,
                                                     loads->throughput_lower,
                                                     loads->throughput_upper },
                              most, how, source);
    nb_point_add_enclosure(out, "mean_hops",
                           (struct nb_enclosure){ loads->mean_hops,
                                                  loads->mean_hops_lower,
                                                  loads->mean_hops_upper },
                           "hops", how, source);
    nb_problem_note_channel(problem, out, "max_channel", loads->worst_channel);
}

/* The pair's table and quantities; hops: as asked for, -1: not. */
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
    if (hops < 0)
        return;
    const struct nb_enclosure asked = (size_t)hops <= most
                                          ? lengths->probability[hops]
                                          : nb_enclosure_of_whole(0);
    nb_point_add_enclosure(out, "pair_hops_probability", asked, "1", load_how,
                           source);
}

/* What the options pair and hops ask for. */
struct load_pair {
    bool is_asked;
    uint32_t router[2];
    int64_t hops; /* -1: not asked for */
};

static enum nb_status load_read_pair(const struct nb_question *question,
                                     const struct nb_topology *topology,
                                     struct load_pair *out,
                                     struct nb_error *err)
{
    const char *text = nb_model_get(question->model, "pair");
    const char *hops = nb_model_get(question->model, "hops");
    size_t count;
    *out = (struct load_pair){ .is_asked = text != NULL, .hops = -1 };
    if (text == NULL)
        return hops == NULL ? NB_OK
                            : nb_fail(err, NB_USAGE,
                                      "--hops %s belongs to --pair", hops);
    if (nb_whole_list_read(text, "pair", ',', 0,
                           (int64_t)topology->router_count - 1, 2, out->router,
                           &count, NULL) != NB_OK ||
        count != 2 || topology->terminals[out->router[0]] == 0 ||
        topology->terminals[out->router[1]] == 0)
        return nb_fail(err, NB_INVALID,
                       "pair \"%.60s\" is not permitted (permitted: A,B, two "
                       "routers with terminals of 0 to %zu)",
                       text, topology->router_count - 1);
    return hops == NULL
               ? NB_OK
               : nb_integer_read(hops, "hops", 0, 1000000000, &out->hops, err);
}

static enum nb_status load_answer_pair(const struct nb_problem *problem,
                                       const struct load_pair *pair,
                                       struct nb_point *out,
                                       struct nb_error *err)
{
    struct nb_path_lengths lengths;
    if (!pair->is_asked)
        return NB_OK;
    const enum nb_status status = nb_path_lengths_find(
        &problem->routing, pair->router[0], pair->router[1], &lengths, err);
    if (status == NB_OK)
        load_add_lengths(&lengths, pair->hops, out);
    nb_path_lengths_release(&lengths);
    return status;
}

static enum nb_status load_answer(const struct nb_question *question,
                                  struct nb_point *out, struct nb_error *err)
{
    struct nb_problem problem = { 0 };
    struct nb_channel_loads loads = { 0 };
    struct nb_path_sample sample;
    struct load_pair pair;
    struct nb_traffic_sums sums;
    struct nb_enclosure rate;
    enum nb_status status = NB_OK;
    NB_TRY(nb_question_sample(question, &sample, err));
    NB_TRY(nb_problem_build(question, &problem, err));
    NB_TRY(load_read_pair(question, &problem.topology, &pair, err));
    NB_TRY(nb_question_rate(question, &problem, &rate, err));
    NB_TRY(
        nb_traffic_sums_find(&problem.traffic, &problem.topology, &sums, err));
    const struct nb_ratio most =
        nb_ratio_compare(sums.row, sums.column) > 0 ? sums.row : sums.column;
    if (sample.paths > 0) {
        NB_TRY(nb_sampled_load(&problem, &sample, rate, most, &question->run,
                               out, err));
        nb_problem_note_rate(&sums, out);
        status = load_answer_pair(&problem, &pair, out, err);
        goto done;
    }
    NB_TRY(nb_channel_loads_find(&problem.routing, &problem.traffic,
                                 &question->run, &loads, err));
    load_add(&problem, &loads, rate, most, out);
    nb_problem_note_rate(&sums, out);
    NB_TRY(load_answer_pair(&problem, &pair, out, err));
    load_add_channels(&problem, &loads, rate, out);
done:
    nb_channel_loads_release(&loads);
    nb_problem_release(&problem);
    return status;
}

static enum nb_status load_write(const struct nb_question *question,
                                 const struct nb_point *point,
                                 struct nb_error *err)
{
    struct nb_topology topology = { 0 };
    struct nb_traffic traffic = { 0 };
    enum nb_status status;
    (void)point; /* says what the traffic does, not what it is */
    NB_TRY(nb_topology_build(nb_model_get(question->model, "topology"),
                             &topology, err));
    NB_TRY(nb_traffic_build(nb_model_get(question->model, "traffic"), &topology,
                            nb_question_flag(question, "allow-inadmissible"),
                            &traffic, err));
    NB_TRY(nb_traffic_write(question->outputs[LOAD_MATRIX], &traffic, &topology,
                            err));
done:
    nb_traffic_release(&traffic);
    nb_topology_release(&topology);
    return status;
}

const struct nb_question_kind nb_question_kind_load = {
    .form = {
        .name = "load",
        .summary = "channel loads and throughput of a traffic pattern",
        .example = "netbound load --topology mesh:8x8 --routing dor --traffic "
                   "transpose",
        .options = load_options,
        .outputs = load_outputs,
        .tables = "channels path_lengths",
    },
    .answer = load_answer,
    .write = load_write,
};
