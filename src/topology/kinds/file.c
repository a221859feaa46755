/* Network from a file: an edge list, GraphML, anynet of BookSim, output of
 * ibnetdiscover, topology.conf of Slurm, JSON of RapidChiplet, or METIS. */
#include "core/lines.h"
#include "core/locale.h"
#include "core/memory.h"
#include "core/store.h"
#include "core/xml.h"
#include "core/xml_memory.h"
#include "topology/graph.h"

#include <string.h>

enum file_format {
    FILE_EDGES,
    FILE_GRAPHML,
    FILE_ANYNET,
    FILE_FABRIC,
    FILE_SLURM,
    FILE_CHIPLETS,
    FILE_METIS,
    FILE_ADJACENCY
};

static const char *const file_formats[] = { "edges",  "graphml",
                                            "anynet", "ibnetdiscover",
                                            "slurm",  "json",
                                            "metis",  "adjacency" };

static bool file_has_ending(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && nb_is_same_word(path + length - tail, ending);
}

/* XML by its first character, in any Unicode encoding. */
static bool file_is_xml(const struct nb_text *text)
{
    const char *start = text->bytes;
    if (strncmp(start, "\xFF\xFE", 2) == 0 ||
        strncmp(start, "\xFE\xFF", 2) == 0)
        return true;
    start += nb_lines_mark(start);
    return start[strspn(start, " \t\r\n")] == '<';
}

/* The format given; else by the ending, else by the beginning of the file. */
static enum file_format
file_find_format(const struct nb_specification *specification, const char *path,
                 const struct nb_text *text)
{
    for (size_t i = 0; i < sizeof file_formats / sizeof *file_formats; i++)
        if (nb_specification_is(specification, "format", file_formats[i]))
            return (enum file_format)i;
    if (file_has_ending(path, ".graphml") || file_has_ending(path, ".xml"))
        return FILE_GRAPHML;
    if (file_has_ending(path, ".anynet"))
        return FILE_ANYNET;
    /* Its text may look like an edge list. */
    if (file_has_ending(path, ".graph"))
        return FILE_METIS;
    const char *start = text->bytes + nb_lines_mark(text->bytes);
    return file_is_xml(text)             ? FILE_GRAPHML
           : nb_graph_is_anynet(start)   ? FILE_ANYNET
           : nb_graph_is_fabric(start)   ? FILE_FABRIC
           : nb_graph_is_slurm(start)    ? FILE_SLURM
           : nb_graph_is_chiplets(start) ? FILE_CHIPLETS
                                         : FILE_EDGES;
}

static enum nb_status
file_read_graphml(const struct nb_graph_attributes *attributes,
                  const struct nb_text *text, xmlDocPtr *document,
                  struct nb_graph *graph, struct nb_error *err)
{
    struct nb_xml_guard guard;
    enum nb_status status =
        nb_xml_parse(graph->path, text->bytes, text->length, document, err);
    if (status != NB_OK)
        return status;
    nb_xml_enter(&guard);
    status = nb_graph_read_graphml(*document, attributes, graph, &guard.error);
    return nb_xml_leave(&guard, status, graph->path, err);
}

/* Directions as asked for rather than as a GraphML file says. */
static void file_set_directions(const struct nb_specification *specification,
                                struct nb_graph *graph)
{
    const bool is_given =
        !nb_specification_is(specification, "directed", "auto");
    const bool is_directed =
        nb_specification_is(specification, "directed", "yes");
    for (size_t e = 0; e < graph->edge_count; e++) {
        if (is_given)
            graph->edges[e].is_directed = is_directed;
        graph->has_one_way = graph->has_one_way || graph->edges[e].is_directed;
    }
}

static enum nb_status file_build(const struct nb_specification *specification,
                                 struct nb_topology *out, struct nb_error *err)
{
    const char *path = nb_specification_text(specification, "path");
    const bool is_directed =
        nb_specification_is(specification, "directed", "yes");
    const uint32_t terminals =
        (uint32_t)nb_specification_whole(specification, "terminals");
    const struct nb_graph_attributes attributes = {
        .bandwidth =
            nb_specification_text(specification, "bandwidth-attribute"),
        .terminals =
            nb_specification_text(specification, "terminals-attribute"),
        .group = nb_specification_text(specification, "group-attribute"),
        .joins = nb_specification_is(specification, "directed", "auto"),
    };
    struct nb_graph graph = { .path = nb_file_name(path) };
    struct nb_text text = { 0 };
    xmlDocPtr document = NULL; /* freed after the names in it were used */
    enum nb_status status;
    NB_TRY(nb_store_read(path, NB_GRAPH_BYTES, &text, err));
    switch (file_find_format(specification, path, &text)) {
    case FILE_GRAPHML:
        NB_TRY(file_read_graphml(&attributes, &text, &document, &graph, err));
        file_set_directions(specification, &graph);
        break;
    case FILE_ANYNET:
        NB_TRY(nb_graph_read_anynet(text.bytes, text.length, &graph, err));
        break;
    case FILE_FABRIC:
        NB_TRY(nb_graph_read_fabric(
            text.bytes, text.length,
            nb_specification_is(specification, "speeds", "alike"), &graph,
            err));
        if (nb_specification_is(specification, "hosts", "terminals"))
            NB_TRY(nb_graph_fold_hosts(&graph, terminals, err));
        else /* hosts' cables are channels like others */
            graph.terminal_bandwidth = (struct nb_ratio){ 0, 0 };
        break;
    case FILE_SLURM:
        NB_TRY(nb_graph_read_slurm(text.bytes, text.length, &graph, err));
        break;
    case FILE_CHIPLETS:
        NB_TRY(nb_graph_read_chiplets(text.bytes, text.length, &graph, err));
        break;
    case FILE_METIS:
        NB_TRY(nb_graph_read_metis(text.bytes, text.length, &graph, err));
        break;
    case FILE_ADJACENCY:
        NB_TRY(nb_graph_read_adjacency(text.bytes, text.length, is_directed,
                                       &graph, err));
        break;
    case FILE_EDGES:
        if (nb_specification_is(specification, "format", "auto"))
            NB_TRY(nb_graph_refuse_foreign(
                graph.path, text.bytes + nb_lines_mark(text.bytes), err));
        NB_TRY(nb_graph_read_edges(text.bytes, text.length, is_directed, &graph,
                                   err));
        break;
    }
    NB_TRY(nb_graph_take_part(&graph,
                              nb_specification_text(specification, "component"),
                              terminals, err));
    NB_TRY(nb_graph_build(&graph, terminals, out, err));
done:
    nb_graph_release(&graph);
    xmlFreeDoc(document);
    nb_text_release(&text);
    return status;
}

static const struct nb_parameter file_parameters[] = {
    { .name = "path",
      .help = "the file",
      .detail = "An edge list (source target [bandwidth] on each line), "
                "GraphML, anynet (BookSim), ibnetdiscover output, "
                "topology.conf (Slurm), JSON (RapidChiplet), or METIS.",
      .type = NB_PATH,
      .is_leading = true },
    { .name = "format",
      .help = "format of the file; auto: by its ending, or by how it begins",
      .detail =
          "By its ending .graphml, .xml, .anynet or .graph (METIS), else by "
          "how it begins. An adjacency list (a b c: a is joined with b and c) "
          "is "
          "read only with format=adjacency, as it may look like an edge list.",
      .type = NB_CHOICE,
      .initial = "auto",
      .choices = "auto|edges|graphml|anynet|ibnetdiscover|"
                 "slurm|json|metis|adjacency" },
    { .name = "directed",
      .help = "yes: each line of an edge list, or edge of GraphML, is one "
              "channel; no: two channels, one each way",
      .detail = "auto: no for edge lists. In GraphML, an edge is directed if "
                "it says so itself; where only edgedefault does, an edge "
                "without a counterpart goes both ways. Links of anynet always "
                "go both ways.",
      .type = NB_CHOICE,
      .initial = "auto",
      .choices = "auto|no|yes" },
    { .name = "component",
      .help = "the part of the network that is read, where links do not join "
              "all: its number by size, from 1 on, or one of its routers",
      .detail = "auto: the only part in which several routers have terminals.",
      .type = NB_WORD,
      .initial = NB_GRAPH_COMPONENT },
    { .name = "bandwidth-attribute",
      .help = "GraphML edge attribute with the bandwidth; else parameter "
              "bandwidth is used",
      .type = NB_WORD,
      .initial = "bandwidth" },
    { .name = "terminals-attribute",
      .help = "GraphML node attribute with the terminals; else parameter "
              "terminals is used",
      .detail = "If the file has no attribute terminals, attribute endpoints "
                "is read, as in files of the simulator SST.",
      .type = NB_WORD,
      .initial = "terminals" },
    { .name = "group-attribute",
      .help = "GraphML node attribute with the number of the router's group",
      .detail = "Routers without it are in no group. If the graph's attribute "
                "topology, such as torus:8x8, says which topology it is, it "
                "has its coordinates, groups, closed forms and symmetries. "
                "--network writes both.",
      .type = NB_WORD,
      .initial = "group" },
    { .name = "hosts",
      .help = "InfiniBand hosts; nodes: each is a node; terminals: each is a "
              "terminal of its switch",
      .detail = "With terminals, the network that --network wrote as "
                ".ibnetdiscover is read back; ports and LIDs are lost.",
      .type = NB_CHOICE,
      .initial = "nodes",
      .choices = "nodes|terminals" },
    { .name = "speeds",
      .help = "InfiniBand speeds; read: 1 is that of most hosts; alike: "
              "parameter bandwidth",
      .type = NB_CHOICE,
      .initial = "read",
      .choices = "read|alike" },
    { 0 },
};

const struct nb_topology_kind nb_topology_file = {
    .kind = { .name = "file",
              .summary = "a network from a file",
              .detail = "Reads an edge list, GraphML, anynet, ibnetdiscover "
                        "output, topology.conf, JSON or METIS.",
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
        "file:data/topologies/cube-metis.graph,terminals=2 "
        "file:data/topologies/polarfly-sst.graphml",
    .build = file_build,
};
