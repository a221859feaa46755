/* Network from a file in one of the formats of formats/. */
#include "core/memory.h"
#include "core/store.h"
#include "topology/formats.h"

#include <string.h>

static enum nb_graph_directions
file_directions(const struct nb_specification *specification)
{
    return nb_specification_is(specification, "directed", "yes")
               ? NB_DIRECTIONS_ALL
           : nb_specification_is(specification, "directed", "no")
               ? NB_DIRECTIONS_NONE
               : NB_DIRECTIONS_AUTO;
}

/* Refuses parameters that a format cannot follow. */
static enum nb_status file_check(const struct nb_graph_format *format,
                                 const struct nb_graph_options *options,
                                 const char *path, struct nb_error *err)
{
    const struct {
        const char *usual, *given;
        bool is_read;
    } attributes[] = {
        { "bandwidth", options->attributes.bandwidth,
          format->has_link_attributes },
        { "terminals", options->attributes.terminals,
          format->has_node_attributes },
        { "group", options->attributes.group, format->has_node_attributes },
    };
    if (format->is_undirected && options->directions == NB_DIRECTIONS_ALL)
        return nb_fail(err, NB_INVALID,
                       "%.200s: directed=yes is not permitted (permitted in "
                       "%s, whose links go both ways: the default)",
                       path, format->title);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (!attributes[i].is_read &&
            strcmp(attributes[i].given, attributes[i].usual) != 0)
            return nb_fail(err, NB_INVALID,
                           "%.200s: %s-attribute=%.60s is not permitted "
                           "(permitted in %s, where no such attribute is read: "
                           "the default)",
                           path, attributes[i].usual, attributes[i].given,
                           format->title);
    return NB_OK;
}

/* Reads a file in the format that was asked for, or that it seems to have. */
static enum nb_status file_read(const char *wanted, const struct nb_text *text,
                                const struct nb_graph_options *options,
                                struct nb_graph *graph, struct nb_error *err)
{
    const char *hint = nb_graph_format_hint(text->bytes);
    const struct nb_graph_format *format;
    enum nb_status status;
    NB_TRY(nb_graph_format_find(wanted, graph->path, text, &format, err));
    NB_TRY(file_check(format, options, graph->path, err));
    status = format->read(text->bytes, text->length, options, graph, err);
    if (status == NB_INVALID && strcmp(wanted, "auto") == 0)
        nb_graph_format_doubt(format, graph->path, hint, err);
done:
    return status;
}

static enum nb_status file_build(const struct nb_specification *specification,
                                 struct nb_topology *out, struct nb_error *err)
{
    const char *path = nb_specification_text(specification, "path");
    const struct nb_graph_options options = {
        .attributes = {
            .bandwidth = nb_specification_text(specification, "bandwidth-attribute"),
            .terminals = nb_specification_text(specification, "terminals-attribute"),
            .group = nb_specification_text(specification, "group-attribute"),
        },
        .directions = file_directions(specification),
        .ignores_speeds = nb_specification_is(specification, "speeds", "alike"),
        .folds_hosts = nb_specification_is(specification, "hosts", "terminals"),
        .terminals = (uint32_t)nb_specification_whole(specification, "terminals"),
    };
    struct nb_graph graph = { .path = nb_file_name(path) };
    struct nb_text text = { 0 };
    enum nb_status status;
    NB_TRY(nb_store_read(path, NB_GRAPH_BYTES, &text, err));
    NB_TRY(file_read(nb_specification_text(specification, "format"), &text,
                     &options, &graph, err));
    NB_TRY(nb_graph_note_rails(&graph, err));
    NB_TRY(nb_graph_choose_terminals(
        &graph, nb_specification_text(specification, "terminals-at"),
        options.terminals, err));
    NB_TRY(nb_graph_take_part(&graph,
                              nb_specification_text(specification, "component"),
                              options.terminals, err));
    NB_TRY(nb_graph_check_lids(&graph, err));
    if (!options.ignores_speeds)
        nb_graph_note_speeds(&graph);
    NB_TRY(nb_graph_settle_hosts(&graph, err));
    if (options.folds_hosts)
        NB_TRY(nb_graph_fold_hosts(&graph, options.terminals, err));
    NB_TRY(nb_graph_build(&graph, options.terminals, out, err));
done:
    nb_graph_release(&graph);
    nb_text_release(&text);
    return status;
}

static const struct nb_parameter file_parameters[] = {
    NB_PARAMETER("path", PATH, NULL, "the file",
                 .detail =
                     "An edge list (source target [bandwidth] on each line), "
                     "or any other format that parameter format names.",
                 .is_leading = true),
    NB_PARAMETER("format", CHOICE, "auto",
                 "format of the file; auto: by how it begins, or by its ending",
                 .detail =
                     "By how it begins, else by its ending, such as .graph "
                     "(METIS). An adjacency list (a b c: a is joined with b "
                     "and c) may look like an edge list, so it is read only "
                     "with the ending .adjlist or format=adjacency.",
                 .choices = nb_graph_format_choices),
    NB_PARAMETER(
        "directed", CHOICE, "auto",
        "yes: each line of an edge list, or edge of a graph, is one channel; "
        "no: two channels, one each way",
        .detail = "auto: no for edge lists. If a list has every link from both "
                  "ends, each is read once, with no, too. In GraphML, an edge "
                  "is directed if it says so itself; where only edgedefault "
                  "(in JSON, \"directed\") does, an edge without a counterpart "
                  "goes both ways. Links of anynet always go both ways.",
        .choices = "auto|no|yes"),
    NB_PARAMETER(
        "component", WORD, NB_GRAPH_COMPONENT,
        "the part of the network that is read, where links do not join all: "
        "its number by size, from 1 on, or one of its routers",
        .detail =
            "auto: the only part in which several routers have terminals."),
    NB_PARAMETER(
        "bandwidth-attribute", WORD, "bandwidth",
        "edge attribute with the bandwidth; else parameter bandwidth is used"),
    NB_PARAMETER(
        "terminals-attribute", WORD, "terminals",
        "node attribute with the terminals; else parameter terminals is used",
        .detail = "If a GraphML file has no attribute terminals, attribute "
                  "endpoints is read, as in files of the simulator SST."),
    NB_PARAMETER("terminals-at", WORD, NB_GRAPH_TERMINALS_AT,
                 "routers with terminals, as names, patterns such as h*, or "
                 "degree:N, joined by +; all others have none",
                 .detail = "degree:1..2 is all routers that are joined with "
                           "one or two others; n[0-3] is n0, n1, n2 and n3. If "
                           "each of them is joined with one other router, they "
                           "are hosts, and the others are switches."),
    NB_PARAMETER("group-attribute", WORD, "group",
                 "node attribute with the number of the router's group",
                 .detail =
                     "Routers without it are in no group. If the graph's "
                     "attribute topology, such as torus:8x8, says which "
                     "topology it is, it has its coordinates, groups, closed "
                     "forms and symmetries. --network writes both."),
    NB_PARAMETER("hosts", CHOICE, "nodes",
                 "hosts; nodes: each is a node; terminals: each is a terminal "
                 "of its switch",
                 .detail = "With terminals, the network that --network wrote "
                           "as .ibnetdiscover is read back; ports and LIDs are "
                           "lost. Hosts are those of InfiniBand, nodes of "
                           "Slurm, and those that terminals-at finds.",
                 .choices = "nodes|terminals"),
    NB_PARAMETER("speeds", CHOICE, "read",
                 "InfiniBand speeds; read: 1 is that of most hosts; alike: "
                 "parameter bandwidth",
                 .choices = "read|alike"),
    { 0 },
};

const struct nb_topology_kind nb_topology_file = {
    .kind = { .name = "file",
              .summary = "a network from a file",
              .detail = "Reads networks of other programs; parameter format "
                        "names their formats.",
              .parameters = file_parameters },
    .examples =
        "file:data/topologies/abilene.txt "
        "file:data/topologies/abilene.txt,terminals=2,bandwidth=5/2 "
        "file:data/topologies/ring-directed.csv,directed=yes "
        "file:data/topologies/petersen-networkx.graphml "
        "file:data/topologies/fat-tree-igraph.graphml "
        "file:data/topologies/kautz-igraph.graphml,directed=yes,terminals=3 "
        "file:data/topologies/ring-of-stars.anynet "
        "file:data/topologies/two-rows.anynet,terminal-bandwidth=1/2 "
        "file:data/fabrics/two-spines.ibnetdiscover "
        "file:data/fabrics/ring.net,terminals=2 "
        "file:data/topologies/slurm-topology.conf "
        "file:data/topologies/chiplets.json,terminals=2 "
        "file:data/topologies/grid-networkx.json "
        "file:data/topologies/cities.gml "
        "file:data/topologies/five-cities-sndlib.xml "
        "file:data/topologies/two-pods.dot "
        "file:data/topologies/cube-metis.graph,terminals=2 "
        "file:data/topologies/polarfly-sst.graphml "
        "file:data/topologies/cube-scipy.mtx,terminals=2 "
        "file:data/topologies/two-racks-ns3.txt "
        "file:data/topologies/slurm-topology.yaml "
        "file:data/topologies/racks-networkx.txt,terminals-at=h* "
        "file:data/fabrics/two-leaves.ibports "
        "file:data/fabrics/two-leaves.lst "
        "file:data/fabrics/two-leaves-switches.iblinkinfo",
    .build = file_build,
};
