/* Edge lists. */
#include "topology/edge_words.h"
#include "topology/formats.h"

#include "core/lines.h"
#include "core/locale.h"
#include "core/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The column of an edge's bandwidth, if none has its attribute's name. */
static const char edges_weight[] = "weight";

/* Other names of the columns of both ends. They may be routers as well. */
static const char edges_sources[] =
    "u node1 node_1 node_a id1 host1 switch1 router1 start begin tail "
    "from_node from_id source_node source_id src_node src_id";
static const char edges_targets[] =
    "v node2 node_2 node_b id2 host2 switch2 router2 end stop head dest "
    "to_node to_id target_node target_id dst_node dst_id";

/* A file being read; owns nothing. */
struct edges {
    struct nb_graph *graph;
    struct nb_lines lines;
    const char *bandwidth; /* name of the attribute */
    bool is_directed;
    bool has_header;
    size_t columns;                /* of the header */
    size_t source, target, weight; /* columns; weight NB_EDGE_WORDS: none */
    size_t weights;                /* read from "weight" */
    bool has_bandwidth; /* a column or attribute of its name, or a third word */
    const char *first[2]; /* words of the first line; NULL: not two numbers */
    const char *ignored;  /* the first attribute or column that is not read */
};

static bool edges_is_comment(const char *line)
{
    return *line == '#' || *line == '%' || strncmp(line, "//", 2) == 0;
}

/* Whether the lines that follow have a word that begins like a name, up to the
 * digits at its end; true if only comments follow. */
static bool edges_is_met(const char *rest, const char *name)
{
    size_t length = strlen(name);
    bool has_line = false;
    while (name[length - 1] >= '0' && name[length - 1] <= '9')
        length--;
    for (; *rest != '\0'; rest += strcspn(rest, "\n")) {
        rest += strspn(rest, " \t\r\n");
        if (*rest == '\0' || edges_is_comment(rest))
            continue;
        has_line = true;
        while (*rest != '\0' && *rest != '\n') {
            if (strncmp(rest, name, length) == 0)
                return true;
            rest += strcspn(rest, " \t\r\n,\"");
            rest += strspn(rest, " \t\r,\"");
        }
    }
    return !has_line;
}

/* Whether a word of the first line names a column; what may be a router does
 * only if it is nowhere else. */
static bool edges_names(const struct edges *reader, const char *word,
                        const char *always, const char *maybe)
{
    return nb_edge_is_any(word, always) ||
           (nb_edge_is_any(word, maybe) &&
            !edges_is_met(reader->lines.next, word));
}

/* Takes a line as header if it names both ends. */
static void edges_take_header(struct edges *reader,
                              const struct nb_edge_words *words)
{
    size_t source = NB_EDGE_WORDS, target = NB_EDGE_WORDS;
    size_t own = NB_EDGE_WORDS, weight = NB_EDGE_WORDS;
    for (size_t i = words->count; i-- > 0;) {
        const char *word = words->word[i];
        if (edges_names(reader, word, NB_EDGE_SOURCES, edges_sources))
            source = i;
        else if (edges_names(reader, word, NB_EDGE_TARGETS, edges_targets))
            target = i;
        else if (nb_is_same_word(word, reader->bandwidth))
            own = i;
        else if (nb_is_same_word(word, edges_weight))
            weight = i;
    }
    if (source == NB_EDGE_WORDS || target == NB_EDGE_WORDS)
        return;
    reader->has_header = true;
    reader->columns = words->count;
    reader->source = source;
    reader->target = target;
    reader->weight = own != NB_EDGE_WORDS ? own : weight;
    reader->has_bandwidth = own != NB_EDGE_WORDS;
    for (size_t i = words->count; i-- > 0;)
        if (i != source && i != target && i != reader->weight)
            reader->ignored = words->word[i];
    nb_graph_note(
        reader->graph, "columns",
        "line %zu names the columns; read: %s, %s%s%s", reader->lines.number,
        words->word[source], words->word[target],
        reader->weight != NB_EDGE_WORDS ? ", as bandwidth " : "",
        reader->weight != NB_EDGE_WORDS ? words->word[reader->weight] : "");
}

/* The bandwidth among {'weight': 3}, NULL: none. */
static enum nb_status edges_read_attributes(struct edges *reader, char *text,
                                            const char **out,
                                            struct nb_error *err)
{
    const char *name, *value, *weight = NULL;
    enum nb_status status;
    for (;;) {
        NB_TRY(nb_edge_attribute(&reader->lines, &text, &name, &value, err));
        if (name == NULL)
            break;
        if (strcmp(name, reader->bandwidth) == 0)
            *out = value;
        else if (strcmp(name, edges_weight) == 0)
            weight = value;
        else
            reader->ignored = reader->ignored != NULL ? reader->ignored : name;
    }
    reader->has_bandwidth = reader->has_bandwidth || *out != NULL;
    if (*out == NULL && weight != NULL) {
        reader->weights++;
        *out = weight;
    }
done:
    return status;
}

/* Refuses ends of a link that are no names. */
static enum nb_status edges_check_names(const struct edges *reader,
                                        const struct nb_graph_edge *edge,
                                        struct nb_error *err)
{
    const size_t length = strlen(edge->source);
    if (!reader->has_header && length > 1 && edge->source[length - 1] == ':')
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "the first name, \"%.60s\", ends in a colon "
                             "(permitted: source target [bandwidth]; for lists "
                             "of neighbours, format=adjacency)",
                             edge->source);
    const bool is_source = nb_edge_is_sign(edge->source);
    if (is_source || nb_edge_is_sign(edge->target))
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "\"%.60s\" is no name (permitted: source target "
                             "[bandwidth], without signs between them)",
                             is_source ? edge->source : edge->target);
    if (*edge->source != '\0' && *edge->target != '\0')
        return NB_OK;
    return nb_lines_fail(&reader->lines, NB_INVALID, err,
                         "an end of the link is empty (permitted: a name)");
}

/* Finds the ends of a line's link, and its bandwidth as text. */
static enum nb_status edges_take_words(struct edges *reader,
                                       const struct nb_edge_words *words,
                                       struct nb_graph_edge *edge,
                                       const char **bandwidth,
                                       struct nb_error *err)
{
    const size_t count = words->count;
    if (reader->has_header) {
        if (count != reader->columns)
            return nb_lines_fail(&reader->lines, NB_INVALID, err,
                                 "it has %zu words, starting \"%.60s\" "
                                 "(permitted: %zu, as the header names)",
                                 count, words->word[0], reader->columns);
        edge->source = words->word[reader->source];
        edge->target = words->word[reader->target];
        if (reader->weight < count && *words->word[reader->weight] != '\0')
            *bandwidth = words->word[reader->weight];
    } else {
        if (count != 2 && (count != 3 || words->attributes != NULL))
            return nb_lines_fail(
                &reader->lines, NB_INVALID, err,
                "it has %zu word%s%s, starting \"%.60s\" (permitted: source "
                "target %s)",
                count, count == 1 ? "" : "s",
                words->attributes != NULL ? " before its attributes" : "",
                words->word[0],
                words->attributes != NULL ? "{...}" : "[bandwidth]");
        edge->source = words->word[0];
        edge->target = words->word[1];
        if (count == 3)
            *bandwidth = words->word[2];
        reader->has_bandwidth = reader->has_bandwidth || count == 3;
    }
    return edges_check_names(reader, edge, err);
}

/* Keeps the first line if it is two numbers. */
static void edges_keep_first(struct edges *reader,
                             const struct nb_edge_words *words)
{
    static const char digits[] = "0123456789";
    if (words->count == 2 &&
        words->word[0][strspn(words->word[0], digits)] == 0 &&
        words->word[1][strspn(words->word[1], digits)] == 0) {
        reader->first[0] = words->word[0];
        reader->first[1] = words->word[1];
    }
}

/* Notes a first line that may be the numbers of nodes and links, as some
 * programs write them. Call after numbering. */
static enum nb_status edges_note_counts(const struct edges *reader,
                                        struct nb_error *err)
{
    struct nb_graph *graph = reader->graph;
    const char *const *first = reader->first;
    size_t links = graph->edge_count + graph->loop_count - 1, nodes = 0;
    bool *is_met = NULL;
    enum nb_status status = NB_OK;
    if (first[0] == NULL || strtoull(first[1], NULL, 10) != links)
        return NB_OK;
    NB_TRY(nb_new(&is_met, graph->names.count, sizeof *is_met, "names", err));
    for (size_t e = strcmp(first[0], first[1]) != 0; e < graph->edge_count; e++)
        for (int end = 0; end < 2; end++) {
            const struct nb_graph_edge *edge = &graph->edges[e];
            const uint32_t router = nb_graph_names_find(
                &graph->names, end == 0 ? edge->source : edge->target);
            nodes += !is_met[router];
            is_met[router] = true;
        }
    if (strtoull(first[0], NULL, 10) == nodes)
        nb_graph_note(graph, "counts",
                      "the first line, \"%.20s %.20s\", is read as a link; if "
                      "it is the numbers of nodes and links, which it equals, "
                      "make it a comment (#)",
                      first[0], first[1]);
done:
    nb_delete(is_met);
    return status;
}

static enum nb_status edges_read_line(struct edges *reader, char *line,
                                      bool is_first, struct nb_error *err)
{
    struct nb_graph *graph = reader->graph;
    struct nb_graph_edge edge = { .line = reader->lines.number,
                                  .is_directed = reader->is_directed };
    struct nb_edge_words words;
    const char *bandwidth = NULL;
    enum nb_status status;
    NB_TRY(nb_edge_words_cut(&reader->lines, line, &words, err));
    if (words.count == 0)
        goto done;
    if (is_first && words.count <= NB_EDGE_WORDS)
        edges_take_header(reader, &words);
    if (is_first)
        edges_keep_first(reader, &words);
    if (is_first && reader->has_header)
        goto done;
    NB_TRY(edges_take_words(reader, &words, &edge, &bandwidth, err));
    if (words.attributes != NULL)
        NB_TRY(
            edges_read_attributes(reader, words.attributes, &bandwidth, err));
    if (bandwidth != NULL)
        NB_TRY(nb_graph_bandwidth(graph, edge.line, bandwidth, &edge.bandwidth,
                                  err));
    NB_TRY(nb_graph_names_add(graph, edge.line, edge.source, err));
    NB_TRY(nb_graph_names_add(graph, edge.line, edge.target, err));
    NB_TRY(nb_graph_add(graph, &edge, err));
done:
    return status;
}

static void edges_note(const struct edges *reader)
{
    if (reader->weights > 0)
        nb_graph_note(reader->graph, "weights",
                      "attribute %s is read as bandwidth at %zu links, since "
                      "they have no %s (parameter bandwidth-attribute)",
                      edges_weight, reader->weights, reader->bandwidth);
    if (reader->ignored != NULL)
        nb_graph_note(reader->graph, "ignored",
                      "attributes of links that are not read, such as "
                      "\"%.60s\" (parameter bandwidth-attribute)",
                      reader->ignored);
}

/* Notes that the file was written to be read with other parameters. */
static void edges_note_head(const char *text,
                            const struct nb_graph_options *options,
                            struct nb_graph *graph)
{
    const size_t start = strlen(NB_GRAPH_READ_WITH);
    char wanted[64];
    if (strncmp(text, NB_GRAPH_READ_WITH, start) != 0)
        return;
    nb_snprintf(wanted, sizeof wanted, "directed=%s,terminals=%" PRIu32,
                options->directions == NB_DIRECTIONS_ALL ? "yes" : "no",
                options->terminals);
    const size_t length = strcspn(text, "\r\n");
    const char *at = strstr(text, wanted);
    const char *end = at != NULL ? at + strlen(wanted) : NULL;
    if (at == NULL || end > text + length || (*end >= '0' && *end <= '9'))
        nb_graph_note(graph, "read_with",
                      "the first line says to read the file with %.*s; other "
                      "parameters make another network",
                      (int)(length < 200 ? length - start : 200), text + start);
}

static enum nb_status edges_read(char *text, size_t length,
                                 const struct nb_graph_options *options,
                                 struct nb_graph *graph, struct nb_error *err)
{
    struct edges reader = {
        .graph = graph,
        .bandwidth = options->attributes.bandwidth,
        .is_directed = options->directions == NB_DIRECTIONS_ALL,
    };
    bool is_first = true;
    enum nb_status status;
    edges_note_head(text, options, graph);
    NB_TRY(nb_lines_begin(&reader.lines, graph->path, '#', text, length, err));
    for (char *line; (line = nb_lines_next(&reader.lines)) != NULL;) {
        if (edges_is_comment(line))
            continue;
        NB_TRY(edges_read_line(&reader, line, is_first, err));
        is_first = false;
    }
    NB_TRY(nb_graph_require_bandwidth(graph, reader.has_bandwidth,
                                      reader.bandwidth, err));
    edges_note(&reader);
    nb_graph_names_number(&graph->names);
    NB_TRY(edges_note_counts(&reader, err));
    if (!reader.is_directed)
        NB_TRY(nb_graph_read_once(graph, err));
done:
    return status;
}

/*
 * Each line is a link, "source target [bandwidth]", separated by tabs, blanks
 * or commas (edge_words.h); attributes {...} as networkx writes them may
 * follow. Lines that begin with #, % or // are comments. The first line may
 * name the columns; names such as node1 and node2 do if they are nowhere else.
 * A link that is listed from both ends is read once if all are.
 */
const struct nb_graph_format nb_graph_format_edges = {
    .name = "edges",
    .title = "an edge list",
    .has_link_attributes = true,
    .read = edges_read,
};
