/* netbound topology: the measures of a network. */
#include "bounds/cuts/bisection.h"
#include "questions/problem.h"
#include "questions/topology/topology_question.h"

#include "core/try.h"
#include "topology/expansion.h"
#include "topology/fabric.h"
#include "topology/graph_write.h"
#include "topology/metrics.h"
#include "core/unit.h"

#define TOPOLOGY(field) offsetof(struct nb_topology_question, field)

static const struct nb_parameter topology_options[] = {
    NB_OPTION("topology", TOPOLOGY(topology), NETWORK, WORD, "",
              "the network, such as torus:8x8 (netbound list topologies); "
              "required unless --fit",
              .apart = "fit", .either = "fit"),
    NB_OPTION_CLOCK(TOPOLOGY(clock)),
    NB_OPTION("fit", TOPOLOGY(fit), NETWORK, WORD, "",
              "instead of --topology: limits of networks to find, such as "
              "terminals=10000,radix=64",
              .detail =
                  "The best network comes first. Without terminals: the "
                  "largest networks. More limits: diameter=3 (at most), "
                  "oversize=2 (at most twice the terminals), capacity=1/2 and "
                  "worst_case=1/2 (at least), kind=dragonfly+torus.",
              .parts = nb_fit_parameters),
    NB_OPTION("prices", TOPOLOGY(prices), NETWORK, PATH, "",
              "CSV file of prices by which --fit ranks networks",
              .detail = "Columns item,money,watts; items router, port, "
                        "link.terminal, link.local, link.global.",
              .with = "fit"),
    NB_OPTION("expansion", TOPOLOGY(expansion), MEASUREMENT, FLAG, "no",
              "also report the Moore bound, the spectral gap and the expansion",
              .detail =
                  "The least diameter that the degree permits, and how few "
                  "channels leave a set of routers, by the size of the set.",
              .with = "topology"),
    { 0 },
};

enum { TOPOLOGY_NETWORK };

static const struct nb_parameter topology_outputs[] = {
    [TOPOLOGY_NETWORK] = NB_COMMAND_OPTION(
        "network", OUTPUT, PATH, NULL,
        "write the network to this file (.graphml .dot .anynet .ibnetdiscover "
        ".csv .txt)",
        .detail = ".anynet is for BookSim, .ibnetdiscover for ibsim and "
                  "opensm; .csv and .txt are edge lists.",
        .accepts = nb_graph_accepts),
    { 0 },
};

static void topology_add_whole(struct nb_point *out, const char *name,
                               size_t value, const char *unit)
{
    nb_point_add_exact(out, name, nb_ratio_make((nb_int128)value, 1), unit,
                       "counting", "");
}

/* The most channels out of a router, with or without those to terminals. */
static size_t topology_degree(const struct nb_topology *topology,
                              bool with_terminals)
{
    size_t most = 0;
    for (size_t r = 0; r < topology->router_count; r++) {
        const size_t own = topology->out_start[r + 1] - topology->out_start[r] +
                           (with_terminals ? topology->terminals[r] : 0);
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

/* The closed form, or else the result of breadth-first search. */
static struct nb_topology_distance
topology_distance(const struct nb_closed_form *closed, struct nb_ratio found)
{
    return nb_ratio_is_known(closed->value)
               ? (struct nb_topology_distance){ closed->value, "closed form",
                                                closed->source }
               : (struct nb_topology_distance){ found, "breadth-first search",
                                                "" };
}

static enum nb_status topology_find_distances(struct nb_topology_answer *out,
                                              struct nb_error *err)
{
    const struct nb_topology *topology = &out->problem.topology;
    const struct nb_closed_form diameter =
        topology_form(topology, topology->kind->diameter);
    const struct nb_closed_form mean =
        topology_form(topology, topology->kind->mean_distance);
    struct nb_distance_summary found = { 0 };
    enum nb_status status = NB_OK;
    if (diameter.source == NULL)
        NB_TRY(nb_fail(err, NB_NO_MEMORY, "no memory for the diameter"));
    if (!nb_ratio_is_known(diameter.value) || !nb_ratio_is_known(mean.value))
        NB_TRY(nb_distance_search(topology, &found, err));
    out->diameter =
        topology_distance(&diameter, nb_ratio_make(found.diameter, 1));
    out->mean_distance = topology_distance(&mean, found.mean);
done:
    return status;
}

static void topology_add_bisection(const struct nb_bisection *found,
                                   struct nb_point *out)
{
    if (found->is_known)
        nb_point_add_enclosure(out, "bisection", found->bandwidth,
                               "packets/cycle", found->method, found->source);
    else
        nb_point_add_note(
            out, "bisection",
            "unknown: no closed form, and no division was found that halves "
            "the terminals");
    if (found->basis != NULL)
        nb_point_add_note(out, "bisection_basis", found->basis);
}

static const struct nb_table_kind topology_routers_table = {
    .name = "routers",
    .columns = NB_SPELLED("router,terminals,first_terminal,name:text")
};

static void topology_add_routers(const struct nb_topology *topology,
                                 struct nb_point *out)
{
    const size_t table = nb_table_start(out, &topology_routers_table);
    int64_t terminal = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const char *name = nb_router_name(topology, r);
        NB_ROW(out, table, r, topology->terminals[r], terminal,
               name != NULL ? name : "");
        terminal += topology->terminals[r];
    }
}

static const struct nb_table_kind topology_channels_table = {
    .name = "channels",
    .columns = NB_SPELLED("channel,source,target,bandwidth:ratio "
                          "[packets/cycle]")
};

static void topology_add_channels(const struct nb_topology *topology,
                                  struct nb_point *out)
{
    const size_t table = nb_table_start(out, &topology_channels_table);
    for (size_t c = 0; c < topology->channel_count; c++) {
        NB_ROW(out, table, c, topology->channels[c].source,
               topology->channels[c].target, topology->channels[c].bandwidth);
    }
}

static const struct nb_table_kind topology_ports_table = {
    .name = "ports",
    .columns =
        NB_SPELLED("channel,source,port,target,target_port,speed:text")
};

/* For an InfiniBand network: the ports at both ends of each channel. */
static void topology_add_ports(const struct nb_topology *topology,
                               struct nb_point *out)
{
    if (topology->fabric == NULL)
        return;
    const size_t table = nb_table_start(out, &topology_ports_table);
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_fabric_port *port = nb_fabric_port_of(topology, c);
        NB_ROW(out, table, c, port->router, port->port, port->target,
               port->target_port,
               port->speed[0] != '\0' ? port->speed : "not given");
    }
}

/* Notes cables from a router to itself, which are not channels. */
static void topology_note_loops(const struct nb_topology *topology,
                                struct nb_point *out)
{
    const struct nb_fabric *fabric = topology->fabric;
    struct nb_text text = { 0 };
    for (size_t p = 0; fabric != NULL && p < fabric->port_count; p++) {
        const struct nb_fabric_port *port = &fabric->port[p];
        if (port->router != port->target || port->port > port->target_port)
            continue;
        nb_text_print(&text, "%s", text.length > 0 ? "; " : "");
        nb_router_print(topology, port->router, &text);
        nb_text_print(&text, " from port %u to port %u", port->port,
                      port->target_port);
    }
    if (text.length > 0)
        nb_point_take_note(out, "cables_to_themselves", &text);
}

static const struct nb_table_kind topology_failed_table = {
    .name = "failed",
    .columns =
        NB_SPELLED("source,port?,target,target_port?,cable?,cause:text")
};

/* The failed links, which are cables, and why they failed. */
static void topology_add_failed(const struct nb_topology *topology,
                                struct nb_point *out)
{
    static const char *const causes[] = { [NB_FAILED_NAMED] = "named",
                                          [NB_FAILED_RANDOM] = "drawn",
                                          [NB_FAILED_ROUTER] = "router" };
    const struct nb_failures *failures = &topology->failures;
    if (!nb_has_failures(topology))
        return;
    topology_add_whole(out, "failed_links", failures->link_count, "1");
    topology_add_whole(out, "failed_routers", failures->router_count, "1");
    const struct nb_fabric *fabric = topology->fabric;
    const size_t table = nb_table_start_as(
        out, &topology_failed_table,
        (struct nb_table_variant){
            .without = fabric != NULL ? "cable" : "port target_port" });
    for (size_t l = 0; l < failures->link_count; l++) {
        const struct nb_failed_link *link = &failures->link[l];
        NB_ROW(out, table, link->low);
        if (fabric != NULL)
            NB_ROW(out, table, link->cable);
        NB_ROW(out, table, link->high,
               fabric != NULL
                   ? nb_fabric_find(fabric, link->low, link->cable)->target_port
                   : link->cable,
               causes[link->cause]);
    }
}

/* Adds everything that is counted. */
static void topology_add_sizes(const struct nb_topology *topology,
                               struct nb_point *out)
{
    topology_add_whole(out, "routers", topology->router_count, "1");
    topology_add_whole(out, "terminals", topology->terminal_count, "1");
    topology_add_whole(out, "channels", topology->channel_count, "1");
    topology_add_failed(topology, out);
    topology_add_whole(out, "degree", topology_degree(topology, false),
                       "channels out of a router");
    topology_add_whole(out, "router_ports", topology_degree(topology, true),
                       "1");
}

/* The Moore bound limits distances between any routers; it limits the diameter
 * only if all have terminals. */
static enum nb_status topology_find_expansion(struct nb_topology_answer *out,
                                              struct nb_error *err)
{
    const struct nb_topology *topology = &out->problem.topology;
    bool are_all = !nb_has_failures(topology);
    for (size_t r = 0; r < topology->router_count; r++)
        are_all = are_all && topology->terminals[r] > 0;
    out->has_expansion = true;
    out->moore_diameter =
        are_all ? nb_moore_diameter((double)topology->router_count,
                                    (uint32_t)topology_degree(topology, false),
                                    nb_has_links(topology))
                : NB_NONE;
    return nb_expansion_find(topology, &out->gap, &out->expansion, err);
}

static void topology_add_expansion(const struct nb_topology_answer *answer,
                                   struct nb_point *out)
{
    static const char source[] = "HooryLinialWigderson2006";
    if (answer->moore_diameter != NB_NONE)
        nb_point_add_exact(out, "moore_diameter",
                           nb_ratio_make(answer->moore_diameter, 1), "hops",
                           "counting", "Hanlon2009, theorem 1");
    nb_point_add_enclosure(out, "spectral_gap", answer->gap, "1",
                           "eigenvalues of the tridiagonal form", source);
    nb_point_add_enclosure(out, "expansion", answer->expansion, "1",
                           nb_ratio_is_known(answer->expansion.exact)
                               ? "every division"
                               : "half the spectral gap, and divisions along "
                                 "an eigenvector",
                           source);
}

static void topology_add_measures(const struct nb_topology_answer *answer,
                                  struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    topology_add_sizes(topology, out);
    nb_point_add_exact(out, "diameter", answer->diameter.value, "hops",
                       answer->diameter.method, answer->diameter.source);
    nb_point_add_exact(out, "mean_distance", answer->mean_distance.value,
                       "hops", answer->mean_distance.method,
                       answer->mean_distance.source);
    if (answer->has_expansion)
        topology_add_expansion(answer, out);
    topology_add_bisection(&answer->bisection, out);
    if (nb_ratio_is_known(topology->terminal_bandwidth))
        nb_point_add_exact(out, "terminal_bandwidth",
                           topology->terminal_bandwidth, "packets/cycle",
                           "by definition", "");
    nb_problem_add_capacity(&answer->problem, out);
    topology_add_routers(topology, out);
    topology_add_channels(topology, out);
    topology_add_ports(topology, out);
    topology_note_loops(topology, out);
}

static void topology_report(const struct nb_topology_answer *answer,
                            struct nb_point *out)
{
    if (answer->is_fit)
        nb_fit_report(&answer->fit, out);
    else if (answer->problem.topology.router_count >
             0) /* nothing was found otherwise */
        topology_add_measures(answer, out);
}

void nb_topology_answer_release(struct nb_topology_answer *answer)
{
    nb_fit_answer_release(&answer->fit);
    nb_bisection_release(&answer->bisection);
    nb_problem_release(&answer->problem);
}

static enum nb_status
topology_compute(const struct nb_topology_question *request,
                 const struct nb_run *run, struct nb_topology_answer *out,
                 struct nb_error *err)
{
    const struct nb_network_names names = { .topology = request->topology };
    struct nb_problem *problem = &out->problem;
    struct nb_fit_question fit;
    enum nb_status status = NB_OK;
    *out = (struct nb_topology_answer){ .is_fit = request->fit != NULL };
    if (out->is_fit) {
        NB_TRY(nb_fit_question_read(request->fit, &fit, err));
        fit.prices = request->prices;
        return nb_fit_ask(&fit, &out->fit, err);
    }
    NB_TRY(nb_problem_open(&names, run, problem, err));
    NB_TRY(topology_find_distances(out, err));
    if (request->expansion)
        NB_TRY(topology_find_expansion(out, err));
    NB_TRY(nb_bisection_find(&problem->topology, &problem->capacity, run,
                             &out->bisection, err));
done:
    return status;
}

static enum nb_status
topology_answer_sizes(const struct nb_topology_question *request,
                      struct nb_point *out, struct nb_error *err)
{
    struct nb_topology topology = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_topology_build(request->topology, &topology, err));
    topology_add_sizes(&topology, out);
done:
    nb_topology_release(&topology);
    return status;
}

NB_DEFINE_QUESTION(topology);

static enum nb_status topology_answer(const struct nb_question *question,
                                      struct nb_point *out,
                                      struct nb_error *err)
{
    const struct nb_topology_question *request = question->request;
    const char *path =
        question->outputs != NULL ? question->outputs[TOPOLOGY_NETWORK] : NULL;
    struct nb_topology_answer answer;
    if (question->wanted != NULL && request->fit == NULL)
        return topology_answer_sizes(request, out, err);
    if (request->fit != NULL && path != NULL)
        return nb_fail(err, NB_USAGE,
                       "--network %.60s writes one network, not those of "
                       "--fit (permitted: with --topology)",
                       path);
    const enum nb_status status =
        nb_topology_ask(request, &question->run, &answer, err);
    if (status == NB_OK)
        nb_topology_report(&answer, out);
    nb_topology_answer_release(&answer);
    return status;
}

static enum nb_status topology_write(const struct nb_question *question,
                                     const struct nb_point *point,
                                     struct nb_error *err)
{
    const struct nb_topology_question *request = question->request;
    struct nb_topology topology = { 0 };
    enum nb_status status;
    (void)point; /* the network itself, not only its tables, is needed */
    NB_TRY(nb_topology_build(request->topology, &topology, err));
    NB_TRY(nb_graph_write(&topology, question->outputs[TOPOLOGY_NETWORK], err));
done:
    nb_topology_release(&topology);
    return status;
}

const struct nb_question_kind nb_question_kind_topology = {
    .form = {
        .name = "topology",
        .summary = "size, distances, bisection and capacity of a network",
        .example = "netbound topology --topology torus:8x8",
        .title = "fit?Networks for {fit}|<Size> of {topology}",
        .options = topology_options,
        .outputs = topology_outputs,
        .tables = NB_TABLES(
            &nb_fit_networks_table, &topology_routers_table,
            &topology_channels_table, &topology_ports_table,
            &topology_failed_table),
    },
    .alone = "routers terminals channels failed_links failed_routers degree "
             "router_ports",
    NB_CALLS_OF(topology),
    .answer = topology_answer,
    .write = topology_write,
    .print = nb_fit_print,
    .prints_first = true,
};
