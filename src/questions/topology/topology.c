/* netbound topology: the measures of a network. */
#include "bounds/cuts/bisection.h"
#include "questions/fit/fit_table.h"
#include "questions/problem.h"

#include "core/try.h"
#include "topology/graph_write.h"
#include "topology/metrics.h"

static const struct nb_parameter topology_options[] = {
    { .name = "topology",
      .help = "the network, such as torus:8x8 (see: netbound list "
              "topologies); or else --fit",
      .type = NB_WORD,
      .initial = "" },
    { .name = "fit",
      .help = "networks that fit, best first, such as "
              "terminals=10000,radix=64; without terminals the largest; "
              "no limits but those given: diameter=3 (at most), oversize=2 "
              "(times the terminals, at most), capacity=1/2 (at least)",
      .type = NB_WORD,
      .initial = "" },
    { 0 },
};

enum { TOPOLOGY_NETWORK };

static const struct nb_parameter topology_outputs[] = {
    [TOPOLOGY_NETWORK] = { .name = "network",
                           .help = "write the network to this file, as "
                                   ".graphml, .dot, .anynet (for BookSim) or "
                                   "an edge list .csv, .txt",
                           .type = NB_PATH,
                           .accepts = nb_graph_accepts },
    { 0 },
};

static void topology_add_whole(struct nb_point *out, const char *name,
                               size_t value, const char *unit)
{
    nb_point_add_exact(out, name, nb_ratio_make((nb_int128)value, 1), unit,
                       "counting", "");
}

static size_t topology_degree(const struct nb_topology *topology)
{
    size_t most = 0;
    for (size_t r = 0; r < topology->router_count; r++) {
        const size_t own = topology->out_start[r + 1] - topology->out_start[r];
        most = own > most ? own : most;
    }
    return most;
}

static struct nb_closed_form
topology_form(const struct nb_topology *topology,
              struct nb_closed_form (*form)(const struct nb_topology *))
{
    const struct nb_closed_form none = { { 0, 0 }, "" };
    return form != NULL && nb_topology_is_regular(topology) ? form(topology)
                                                            : none;
}

/* Diameter and mean distance: closed forms, or breadth-first search. */
static enum nb_status topology_add_distances(const struct nb_topology *topology,
                                             struct nb_point *out,
                                             struct nb_error *err)
{
    static const char search[] = "breadth-first search";
    const struct nb_closed_form diameter =
        topology_form(topology, topology->kind->diameter);
    const struct nb_closed_form mean =
        topology_form(topology, topology->kind->mean_distance);
    const bool has_both =
        nb_ratio_is_known(diameter.value) && nb_ratio_is_known(mean.value);
    struct nb_distance_summary found = { 0 };
    if (diameter.source == NULL)
        return nb_fail(err, NB_NO_MEMORY, "no memory for the diameter");
    if (!has_both) {
        const enum nb_status status = nb_distance_search(topology, &found, err);
        if (status != NB_OK)
            return status;
    }
    if (nb_ratio_is_known(diameter.value))
        nb_point_add_exact(out, "diameter", diameter.value, "hops",
                           "closed form", diameter.source);
    else
        nb_point_add_exact(out, "diameter", nb_ratio_make(found.diameter, 1),
                           "hops", search, "");
    if (nb_ratio_is_known(mean.value))
        nb_point_add_exact(out, "mean_distance", mean.value, "hops",
                           "closed form", mean.source);
    else
        nb_point_add_exact(out, "mean_distance", found.mean, "hops", search,
                           "");
    return NB_OK;
}

static enum nb_status topology_add_bisection(const struct nb_problem *problem,
                                             const struct nb_run *run,
                                             struct nb_point *out,
                                             struct nb_error *err)
{
    struct nb_bisection found = { 0 };
    const enum nb_status status = nb_bisection_find(
        &problem->topology, &problem->capacity, run, &found, err);
    if (status != NB_OK)
        return status;
    if (found.is_known)
        nb_point_add_enclosure(out, "bisection", found.bandwidth,
                               "packets/cycle", found.method, found.source);
    else
        nb_point_add_note(
            out, "bisection",
            "not known: no closed form, and no division found that "
            "halves the terminals");
    if (found.basis != NULL)
        nb_point_add_note(out, "bisection_basis", found.basis);
    nb_bisection_release(&found);
    return NB_OK;
}

static void topology_add_routers(const struct nb_topology *topology,
                                 struct nb_point *out)
{
    const size_t table = nb_point_add_table(
        out, "routers", false, "router,terminals,first_terminal,name:text");
    int64_t terminal = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const char *name = nb_router_name(topology, r);
        nb_table_add_whole(out, table, r);
        nb_table_add_whole(out, table, topology->terminals[r]);
        nb_table_add_whole(out, table, terminal);
        nb_table_add_text(out, table, name != NULL ? name : "");
        terminal += topology->terminals[r];
    }
}

static void topology_add_channels(const struct nb_topology *topology,
                                  struct nb_point *out)
{
    const size_t table =
        nb_point_add_table(out, "channels", false,
                           "channel,source,target,bandwidth:ratio "
                           "[packets/cycle]");
    for (size_t c = 0; c < topology->channel_count; c++) {
        nb_table_add_whole(out, table, (int64_t)c);
        nb_table_add_whole(out, table, topology->channels[c].source);
        nb_table_add_whole(out, table, topology->channels[c].target);
        nb_table_add_ratio(out, table, topology->channels[c].bandwidth);
    }
}

static enum nb_status topology_measure(const struct nb_question *question,
                                       struct nb_point *out,
                                       struct nb_error *err)
{
    struct nb_problem problem = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_problem_build(question, &problem, err));
    const struct nb_topology *topology = &problem.topology;
    topology_add_whole(out, "routers", topology->router_count, "1");
    topology_add_whole(out, "terminals", topology->terminal_count, "1");
    topology_add_whole(out, "channels", topology->channel_count, "1");
    topology_add_whole(out, "degree", topology_degree(topology),
                       "channels out of a router");
    NB_TRY(topology_add_distances(topology, out, err));
    NB_TRY(topology_add_bisection(&problem, &question->run, out, err));
    if (nb_ratio_is_known(topology->terminal_bandwidth))
        nb_point_add_exact(out, "terminal_bandwidth",
                           topology->terminal_bandwidth, "packets/cycle",
                           "by "
                           "definition",
                           "");
    nb_point_add_enclosure(out, "capacity",
                           nb_problem_capacity(&problem.capacity),
                           "packets/cycle/terminal", problem.capacity.method,
                           problem.capacity.source);
    nb_point_add_note(out, "capacity_basis", problem.capacity.basis);
    topology_add_routers(topology, out);
    topology_add_channels(topology, out);
done:
    nb_problem_release(&problem);
    return status;
}

static enum nb_status topology_answer(const struct nb_question *question,
                                      struct nb_point *out,
                                      struct nb_error *err)
{
    const char *topology = nb_model_get(question->model, "topology");
    const char *fit = nb_model_get(question->model, "fit");
    if (topology == NULL && fit == NULL)
        return nb_fail(err, NB_USAGE,
                       "topology needs --topology (such as torus:8x8) or "
                       "--fit (such as terminals=10000,radix=64)");
    if (topology != NULL && fit != NULL)
        return nb_fail(err, NB_USAGE,
                       "--topology %.60s and --fit %.60s are both given "
                       "(permitted: one of them)",
                       topology, fit);
    if (fit != NULL && question->outputs != NULL &&
        question->outputs[TOPOLOGY_NETWORK] != NULL)
        return nb_fail(err, NB_USAGE,
                       "--network %.60s writes one network, not those of "
                       "--fit (permitted: with --topology)",
                       question->outputs[TOPOLOGY_NETWORK]);
    return fit != NULL ? nb_fit_answer(fit, out, err)
                       : topology_measure(question, out, err);
}

static enum nb_status topology_write(const struct nb_question *question,
                                     const struct nb_point *point,
                                     struct nb_error *err)
{
    const char *path = question->outputs[TOPOLOGY_NETWORK];
    struct nb_topology topology = { 0 };
    enum nb_status status;
    (void)point; /* the network itself has more than its tables */
    NB_TRY(nb_topology_build(nb_model_get(question->model, "topology"),
                             &topology, err));
    NB_TRY(nb_graph_write(&topology, path, err));
done:
    nb_topology_release(&topology);
    return status;
}

const struct nb_question_kind nb_question_kind_topology = {
    .form = {
        .name = "topology",
        .summary = "sizes, distances, bisection and capacity of a network",
        .example = "netbound topology --topology torus:8x8",
        .options = topology_options,
        .outputs = topology_outputs,
        .tables = "networks routers channels",
    },
    .answer = topology_answer,
    .write = topology_write,
    .print = nb_fit_print,
};
