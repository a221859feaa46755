/* Network from a file: an edge list, or GraphML of igraph and networkx. */
#include "core/memory.h"
#include "core/xml.h"
#include "topology/graph.h"

#include <string.h>
#include <strings.h>

enum { FILE_LIMIT = 1 << 28 }; /* [byte] */

static bool file_has_ending(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

/* XML by its name or its first character, in any Unicode encoding. */
static bool file_is_xml(const char *path, const struct nb_text *text)
{
    static const char utf8[] = "\xEF\xBB\xBF";
    if (file_has_ending(path, ".graphml") || file_has_ending(path, ".xml"))
        return true;
    const char *start = text->bytes;
    if (strncmp(start, "\xFF\xFE", 2) == 0 ||
        strncmp(start, "\xFE\xFF", 2) == 0)
        return true;
    if (strncmp(start, utf8, 3) == 0)
        start += 3;
    return start[strspn(start, " \t\r\n")] == '<';
}

static enum nb_status file_build(const struct nb_specification *specification,
                                 struct nb_topology *out, struct nb_error *err)
{
    const char *path = nb_specification_text(specification, "path");
    const bool is_directed =
        nb_specification_is(specification, "directed", "yes");
    const uint32_t terminals =
        (uint32_t)nb_specification_whole(specification, "terminals");
    struct nb_graph graph = { .path = path };
    struct nb_text text = { 0 };
    xmlDocPtr document = NULL; /* freed after the names in it were used */
    enum nb_status status;
    NB_TRY(nb_text_read_file(path, FILE_LIMIT, &text, err));
    if (file_is_xml(path, &text)) {
        NB_TRY(nb_xml_parse(path, text.bytes, text.length, &document, err));
        NB_TRY(nb_graph_read_graphml(
            document,
            nb_specification_text(specification, "bandwidth-attribute"),
            nb_specification_text(specification, "terminals-attribute"), &graph,
            err));
    } else {
        NB_TRY(nb_graph_read_edges(text.bytes, text.length, is_directed, &graph,
                                   err));
    }
    NB_TRY(nb_graph_build(&graph, terminals, out, err));
done:
    nb_graph_release(&graph);
    xmlFreeDoc(document);
    nb_text_release(&text);
    return status;
}

static const struct nb_parameter file_parameters[] = {
    { .name = "path",
      .help = "an edge list (source target [bandwidth] on each line) or "
              "GraphML",
      .type = NB_PATH,
      .is_leading = true },
    { .name = "directed",
      .help = "a line of an edge list is one channel; no: one each way "
              "(GraphML says so itself)",
      .type = NB_CHOICE,
      .initial = "no",
      .choices = "no|yes" },
    { .name = "bandwidth-attribute",
      .help = "GraphML edge attribute; where it is missing, bandwidth holds",
      .type = NB_WORD,
      .initial = "bandwidth" },
    { .name = "terminals-attribute",
      .help = "GraphML node attribute; where it is missing, terminals holds",
      .type = NB_WORD,
      .initial = "terminals" },
    { 0 },
};

const struct nb_topology_kind nb_topology_file = {
    .kind = { .name = "file",
              .summary = "a network read from an edge list or GraphML",
              .parameters = file_parameters },
    .examples = "file:data/topologies/abilene.txt "
                "file:data/topologies/abilene.txt,terminals=2,bandwidth=5/2 "
                "file:data/topologies/ring-directed.csv,directed=yes "
                "file:data/topologies/petersen-networkx.graphml "
                "file:data/topologies/fat-tree-igraph.graphml "
                "file:data/topologies/kautz-igraph.graphml,terminals=3",
    .build = file_build,
};
