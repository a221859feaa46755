/* GML, as networkx, igraph and the Internet Topology Zoo write it. The reader
 * is our own: igraph would bring its linear algebra with it, and reports no
 * line of a wrong value. */
#include "topology/formats.h"

#include "core/entities.h"
#include "core/lines.h"
#include "core/locale.h"
#include "core/memory.h"

#include <string.h>

static const char gml_blanks[] = " \t\r\n\f\v";

enum gml_kind { GML_END, GML_WORD, GML_STRING, GML_OPEN, GML_CLOSE };

/* A piece of a file; words and strings are cut out in place. */
struct gml_token {
    enum gml_kind kind;
    char *text;
    size_t line;
};

/* A file being read. */
struct gml {
    struct nb_graph *graph;
    const struct nb_graph_options *options;
    char *at;
    char held; /* what was at `at` before the end of a word; '\0': still is */
    size_t line;
    bool is_directed;
    bool has_graph;
};

static char gml_peek(struct gml *reader)
{
    if (reader->held != '\0' && strchr(gml_blanks, reader->held) == NULL)
        return reader->held;
    if (reader->held != '\0') {
        reader->line += reader->held == '\n';
        reader->held = '\0';
        reader->at++;
    }
    for (;;) {
        if (*reader->at == '#')
            reader->at += strcspn(reader->at, "\n");
        if (*reader->at == '\0' || strchr(gml_blanks, *reader->at) == NULL)
            return *reader->at;
        reader->line += *reader->at++ == '\n';
    }
}

static void gml_skip(struct gml *reader)
{
    reader->held = '\0';
    reader->at++;
}

static enum nb_status gml_read_string(struct gml *reader,
                                      struct gml_token *token,
                                      struct nb_error *err)
{
    char *end;
    gml_skip(reader);
    token->kind = GML_STRING;
    token->text = reader->at;
    end = reader->at + strcspn(reader->at, "\"");
    if (*end == '\0')
        return nb_graph_fail(reader->graph, token->line, NB_INVALID, err,
                             "a string begins here and has no end (permitted: "
                             "\"...\", where &quot; is a quote)");
    for (const char *c = reader->at; c < end; c++)
        reader->line += *c == '\n';
    *end = '\0';
    reader->at = end + 1;
    nb_entities_decode(token->text);
    return NB_OK;
}

static enum nb_status gml_next(struct gml *reader, struct gml_token *token,
                               struct nb_error *err)
{
    const char next = gml_peek(reader);
    *token = (struct gml_token){ .line = reader->line };
    if (next == '"')
        return gml_read_string(reader, token, err);
    if (next == '[' || next == ']') {
        token->kind = next == '[' ? GML_OPEN : GML_CLOSE;
        gml_skip(reader);
    } else if (next != '\0') {
        token->kind = GML_WORD;
        token->text = reader->at;
        reader->at += strcspn(reader->at, " \t\r\n\f\v[]\"");
        reader->held = *reader->at;
        *reader->at = '\0';
    }
    return NB_OK;
}

static enum nb_status gml_refuse(const struct gml *reader,
                                 const struct gml_token *token,
                                 const char *permitted, struct nb_error *err)
{
    const char *shown = token->kind == GML_END     ? "the end of the file"
                        : token->kind == GML_OPEN  ? "["
                        : token->kind == GML_CLOSE ? "]"
                                                   : token->text;
    const char *quote = token->kind == GML_END ? "" : "\"";
    return nb_graph_fail(reader->graph, token->line, NB_INVALID, err,
                         "%s%.60s%s is not permitted here (permitted: %s)",
                         quote, shown, quote, permitted);
}

/*
 * Reads a key and its value.
 *
 * is_inner  within [ ]; else the end of the file is the end of the list
 * key       out: kind GML_END at the end of the list
 */
static enum nb_status gml_read_pair(struct gml *reader, bool is_inner,
                                    struct gml_token *key,
                                    struct gml_token *value,
                                    struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(gml_next(reader, key, err));
    if (key->kind == (is_inner ? GML_CLOSE : GML_END)) {
        key->kind = GML_END;
        return NB_OK;
    }
    if (key->kind != GML_WORD || !nb_is_letter(*key->text))
        return gml_refuse(reader, key, is_inner ? "a key or ]" : "a key", err);
    NB_TRY(gml_next(reader, value, err));
    if (value->kind == GML_END || value->kind == GML_CLOSE)
        status = gml_refuse(reader, value, "a number, a \"string\" or [", err);
done:
    return status;
}

/* Skips the rest of a list, with the lists in it. */
static enum nb_status gml_skip_list(struct gml *reader, struct nb_error *err)
{
    struct gml_token key, value;
    size_t depth = 1;
    enum nb_status status = NB_OK;
    while (depth > 0) {
        NB_TRY(gml_read_pair(reader, true, &key, &value, err));
        if (key.kind == GML_END)
            depth--;
        else if (value.kind == GML_OPEN)
            depth++;
    }
done:
    return status;
}

/* Stores a value that is wanted. Errors: NB_INVALID if its key is repeated. */
static enum nb_status gml_store(const struct gml *reader,
                                const struct nb_graph_field *field,
                                const struct gml_token *value,
                                struct nb_error *err)
{
    if (field->out->text != NULL)
        return nb_graph_fail(reader->graph, value->line, NB_INVALID, err,
                             "%s is repeated (permitted: once)", field->key);
    *field->out = (struct nb_graph_value){ value->text, value->line };
    return NB_OK;
}

/* Reads the wanted values of a list. */
static enum nb_status gml_read_fields(struct gml *reader,
                                      const struct nb_graph_field *fields,
                                      size_t count, struct nb_error *err)
{
    struct gml_token key, value;
    enum nb_status status;
    for (;;) {
        NB_TRY(gml_read_pair(reader, true, &key, &value, err));
        if (key.kind == GML_END)
            break;
        if (value.kind == GML_OPEN) {
            NB_TRY(gml_skip_list(reader, err));
            continue;
        }
        for (size_t i = 0; i < count; i++)
            if (strcmp(key.text, fields[i].key) == 0)
                NB_TRY(gml_store(reader, &fields[i], &value, err));
    }
done:
    return status;
}

static enum nb_status gml_require(const struct gml *reader, size_t line,
                                  const struct nb_graph_value *value,
                                  const char *owner, const char *key,
                                  struct nb_error *err)
{
    if (value->text != NULL)
        return NB_OK;
    return nb_graph_fail(reader->graph, line, NB_INVALID, err,
                         "this %s has no %s (permitted: %s followed by a "
                         "number)",
                         owner, key, key);
}

static enum nb_status gml_read_node(struct gml *reader, size_t line,
                                    struct nb_error *err)
{
    const struct nb_graph_attributes *wanted = &reader->options->attributes;
    struct nb_graph_node node = { .line = line };
    struct nb_graph_value id = { 0 }, label = { 0 };
    const struct nb_graph_field fields[] = {
        { "id", &id },
        { "label", &label },
        { wanted->terminals, &node.terminals },
        { wanted->group, &node.group },
    };
    enum nb_status status;
    NB_TRY(
        gml_read_fields(reader, fields, sizeof fields / sizeof *fields, err));
    NB_TRY(gml_require(reader, line, &id, "node", "id", err));
    node.name = id.text;
    node.label = label.text;
    NB_TRY(nb_graph_node_add(reader->graph, &node, err));
done:
    return status;
}

static enum nb_status gml_read_edge(struct gml *reader, size_t line,
                                    struct nb_error *err)
{
    struct nb_graph_value source = { 0 }, target = { 0 }, bandwidth = { 0 };
    struct nb_graph_value weight[NB_GRAPH_WEIGHTS] = { 0 };
    const struct nb_graph_field fields[] = {
        { "source", &source },
        { "target", &target },
        { reader->options->attributes.bandwidth, &bandwidth },
        { nb_graph_weights[0], &weight[0] },
        { nb_graph_weights[1], &weight[1] },
        { nb_graph_weights[2], &weight[2] },
    };
    enum nb_status status;
    NB_TRY(
        gml_read_fields(reader, fields, sizeof fields / sizeof *fields, err));
    NB_TRY(gml_require(reader, line, &source, "edge", "source", err));
    NB_TRY(gml_require(reader, line, &target, "edge", "target", err));
    nb_graph_keep_unread(reader->graph, weight);
    struct nb_graph_edge edge = { .source = source.text,
                                  .target = target.text,
                                  .line = line };
    if (bandwidth.text != NULL)
        NB_TRY(nb_graph_bandwidth(reader->graph, bandwidth.line, bandwidth.text,
                                  &edge.bandwidth, err));
    NB_TRY(nb_graph_add(reader->graph, &edge, err));
done:
    return status;
}

/* Reads directed or multigraph. */
static enum nb_status gml_read_flag(const struct gml *reader,
                                    const struct gml_token *key,
                                    const struct gml_token *value, bool *out,
                                    struct nb_error *err)
{
    if (strcmp(value->text, "0") != 0 && strcmp(value->text, "1") != 0)
        return nb_graph_fail(reader->graph, value->line, NB_INVALID, err,
                             "%s \"%.60s\" is not permitted (permitted: 0, 1)",
                             key->text, value->text);
    *out = *value->text == '1';
    return NB_OK;
}

/* What the graph says of itself. */
static enum nb_status gml_read_own(struct gml *reader,
                                   const struct gml_token *key,
                                   const struct gml_token *value,
                                   struct nb_error *err)
{
    struct nb_graph *graph = reader->graph;
    enum nb_status status = NB_OK;
    if (strcmp(key->text, "directed") == 0)
        NB_TRY(gml_read_flag(reader, key, value, &reader->is_directed, err));
    else if (strcmp(key->text, "multigraph") == 0)
        NB_TRY(gml_read_flag(reader, key, value, &graph->is_multigraph, err));
    else if (strcmp(key->text, NB_GRAPH_TERMINAL_BANDWIDTH) == 0)
        NB_TRY(
            nb_graph_terminal_bandwidth(graph, value->line, value->text, err));
    else if (strcmp(key->text, NB_GRAPH_TOPOLOGY) == 0) {
        graph->like = value->text;
        graph->like_line = value->line;
    }
done:
    return status;
}

static enum nb_status gml_read_graph(struct gml *reader, struct nb_error *err)
{
    struct gml_token key, value;
    enum nb_status status;
    for (;;) {
        NB_TRY(gml_read_pair(reader, true, &key, &value, err));
        if (key.kind == GML_END)
            break;
        if (value.kind != GML_OPEN)
            NB_TRY(gml_read_own(reader, &key, &value, err));
        else if (strcmp(key.text, "node") == 0)
            NB_TRY(gml_read_node(reader, key.line, err));
        else if (strcmp(key.text, "edge") == 0)
            NB_TRY(gml_read_edge(reader, key.line, err));
        else
            NB_TRY(gml_skip_list(reader, err));
    }
done:
    return status;
}

static enum nb_status gml_read_file(struct gml *reader, struct nb_error *err)
{
    struct gml_token key, value;
    enum nb_status status;
    for (;;) {
        NB_TRY(gml_read_pair(reader, false, &key, &value, err));
        if (key.kind == GML_END)
            break;
        if (value.kind != GML_OPEN)
            continue;
        if (strcmp(key.text, "graph") != 0) {
            NB_TRY(gml_skip_list(reader, err));
            continue;
        }
        if (reader->has_graph)
            return gml_refuse(reader, &key, "one graph", err);
        reader->has_graph = true;
        NB_TRY(gml_read_graph(reader, err));
    }
    if (!reader->has_graph)
        status = nb_fail(err, NB_INVALID,
                         "%.200s: it has no graph (permitted: graph [ ... ])",
                         reader->graph->path);
done:
    return status;
}

static enum nb_status gml_read(char *text, size_t length,
                               const struct nb_graph_options *options,
                               struct nb_graph *graph, struct nb_error *err)
{
    struct gml reader = { .graph = graph, .options = options, .line = 1 };
    struct nb_lines lines = { 0 };
    enum nb_status status;
    NB_TRY(nb_lines_begin(&lines, graph->path, '\0', text, length, err));
    reader.at = lines.next;
    nb_graph_begin_attributes(graph, &options->attributes, "directed 1");
    NB_TRY(gml_read_file(&reader, err));
    for (size_t e = 0; e < graph->edge_count; e++)
        graph->edges[e].is_directed = reader.is_directed;
    NB_TRY(nb_graph_finish_attributes(graph, &options->attributes,
                                      options->directions, err));
done:
    return status;
}

/* "graph [" at the beginning of a line, after lines with one key and value
 * each, such as Creator "yFiles" and Version 2. */
static bool gml_is(const char *text)
{
    static const char *const heads[] = { "creator", "version", "comment" };
    for (;; text += strcspn(text, "\n")) {
        text += strspn(text, gml_blanks);
        const size_t word = strcspn(text, " \t\r\n\f\v[");
        bool is_head = *text == '#';
        if (word == 5 && strncmp(text, "graph", word) == 0)
            return text[word + strspn(text + word, gml_blanks)] == '[';
        for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
            is_head = is_head || (word == strlen(heads[i]) &&
                                  nb_is_same_start(text, heads[i], word));
        if (!is_head)
            return false;
    }
}

/*
 * One graph of nodes and edges; other lists, such as graphics, are skipped.
 * Nodes are called by their labels. Links that are all listed from both ends
 * are read once, unless the graph is directed or a multigraph. Attributes
 * terminal_bandwidth and topology of the graph are as in GraphML.
 *
 * Sources: M. Himsolt, GML: a portable graph file format, 1997;
 * networkx.readwrite.gml of networkx 3.
 */
const struct nb_graph_format nb_graph_format_gml = {
    .name = "gml",
    .title = "GML",
    .endings = ".gml",
    .is = gml_is,
    .has_link_attributes = true,
    .has_node_attributes = true,
    .read = gml_read,
};
