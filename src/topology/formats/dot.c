/* DOT of Graphviz. The reader is our own: libcgraph keeps the state of its
 * scanner between files, and a failed allocation ends the program in it. */
#include "topology/formats.h"

#include "core/entities.h"
#include "core/lines.h"
#include "core/locale.h"
#include "core/memory.h"
#include "topology/dot_scan.h"

#include <string.h>

enum {
    DOT_DEPTH = 200,     /* subgraphs within each other */
    DOT_LINKS = 1 << 20, /* of one statement: { a b c } -- { d e } */
};

/* The wanted attributes of a node, or those of nodes to come. */
struct dot_look {
    struct nb_graph_value terminals, group, label, shape;
};
/* The same for edges. */
struct dot_way {
    struct nb_graph_value bandwidth, dir;
};
struct dot_scope {
    struct dot_look node;
    struct dot_way edge;
    size_t depth;
};

struct dot_node {
    char *name;
    size_t line;
    struct dot_look look;
    size_t set; /* the last set that has it */
};

/* Nodes of a statement, in members. */
struct dot_set {
    size_t first, count;
};

/* A file being read. Owns its arrays and the names of `index`. */
struct dot {
    struct nb_graph *graph;
    const struct nb_graph_options *options;
    struct nb_dot_scanner scanner;
    bool is_directed, is_strict;
    struct nb_graph index; /* finds nodes by their names */
    struct dot_node *node; /* [index.names.count] */
    size_t node_capacity;
    uint32_t *member; /* nodes that the statements being read mention */
    size_t member_count, member_capacity;
    size_t set_count;
};

/* A label as it is shown; NULL if the node's own name is in it. */
static char *dot_label(char *label)
{
    char *out = label;
    if (strstr(label, "\\N") != NULL)
        return NULL;
    for (const char *at = label; *at != '\0'; at++) {
        const bool is_escape = *at == '\\' && at[1] != '\0';
        at += is_escape;
        *out++ = is_escape && strchr("nlr", *at) != NULL ? ' ' : *at;
    }
    *out = '\0';
    nb_entities_decode(label);
    return label;
}

/* Takes "= value", or nothing, which means true; stores it if it is wanted. */
static enum nb_status dot_take_value(struct dot *reader, const char *key,
                                     const struct nb_graph_field *fields,
                                     size_t count, struct nb_error *err)
{
    const char *value = "true";
    const size_t line = reader->scanner.token.line;
    enum nb_status status = NB_OK;
    if (nb_dot_is_mark(&reader->scanner, '=')) {
        char *text;
        bool is_html;
        NB_TRY(nb_dot_take(&reader->scanner, NULL, err));
        NB_TRY(nb_dot_take_id(&reader->scanner, &text, &is_html, err));
        value = is_html                     ? NULL
                : strcmp(key, "label") == 0 ? dot_label(text)
                                            : text;
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(key, fields[i].key) == 0)
            *fields[i].out = (struct nb_graph_value){ value, line };
done:
    return status;
}

/* Takes any number of [key=value, ...]. */
static enum nb_status dot_take_list(struct dot *reader,
                                    const struct nb_graph_field *fields,
                                    size_t count, struct nb_error *err)
{
    char *key;
    enum nb_status status = NB_OK;
    while (nb_dot_is_mark(&reader->scanner, '[')) {
        NB_TRY(nb_dot_take(&reader->scanner, NULL, err));
        while (!nb_dot_is_mark(&reader->scanner, ']')) {
            if (!nb_dot_is_id(&reader->scanner))
                return nb_dot_refuse(&reader->scanner, "key=value or ]", err);
            NB_TRY(nb_dot_take_id(&reader->scanner, &key, NULL, err));
            NB_TRY(dot_take_value(reader, key, fields, count, err));
            if (nb_dot_is_mark(&reader->scanner, ',') ||
                nb_dot_is_mark(&reader->scanner, ';'))
                NB_TRY(nb_dot_take(&reader->scanner, NULL, err));
        }
        NB_TRY(nb_dot_take(&reader->scanner, NULL, err));
    }
done:
    return status;
}

static enum nb_status dot_take_look(struct dot *reader, struct dot_look *look,
                                    struct nb_error *err)
{
    const struct nb_graph_attributes *wanted = &reader->options->attributes;
    const struct nb_graph_field fields[] = {
        { wanted->terminals, &look->terminals },
        { wanted->group, &look->group },
        { "label", &look->label },
        { "shape", &look->shape },
    };
    return dot_take_list(reader, fields, sizeof fields / sizeof *fields, err);
}

static enum nb_status dot_take_way(struct dot *reader, struct dot_way *way,
                                   struct nb_error *err)
{
    struct nb_graph_value weight[NB_GRAPH_WEIGHTS] = { 0 };
    const struct nb_graph_field fields[] = {
        { reader->options->attributes.bandwidth, &way->bandwidth },
        { "dir", &way->dir },
        { nb_graph_weights[0], &weight[0] },
        { nb_graph_weights[1], &weight[1] },
        { nb_graph_weights[2], &weight[2] },
    };
    enum nb_status status;
    NB_TRY(dot_take_list(reader, fields, sizeof fields / sizeof *fields, err));
    nb_graph_keep_unread(reader->graph, weight);
done:
    return status;
}

/* What the graph says of itself: key=value, or the list of "graph [...]". */
static enum nb_status dot_take_own(struct dot *reader, const char *key,
                                   struct nb_error *err)
{
    struct nb_graph *graph = reader->graph;
    struct nb_graph_value bandwidth = { 0 }, like = { 0 };
    const struct nb_graph_field fields[] = {
        { NB_GRAPH_TERMINAL_BANDWIDTH, &bandwidth },
        { NB_GRAPH_TOPOLOGY, &like },
    };
    const size_t count = sizeof fields / sizeof *fields;
    enum nb_status status;
    if (key != NULL)
        NB_TRY(dot_take_value(reader, key, fields, count, err));
    else
        NB_TRY(dot_take_list(reader, fields, count, err));
    if (bandwidth.text != NULL)
        NB_TRY(nb_graph_terminal_bandwidth(graph, bandwidth.line,
                                           bandwidth.text, err));
    if (like.text != NULL) {
        graph->like = like.text;
        graph->like_line = like.line;
    }
done:
    return status;
}

/* Finds or adds a node, and mentions it. */
static enum nb_status dot_mention(struct dot *reader, char *name, size_t line,
                                  const struct dot_scope *scope, uint32_t *out,
                                  struct nb_error *err)
{
    struct nb_graph_names *names = &reader->index.names;
    enum nb_status status = NB_OK;
    *out = nb_graph_names_find(names, name);
    if (*out == NB_NONE) {
        const size_t count = names->count;
        NB_TRY(nb_graph_names_add(&reader->index, line, name, err));
        NB_TRY(nb_reserve(&reader->node, &reader->node_capacity, count + 1,
                          sizeof *reader->node, "nodes", err));
        *out = names->entry[count].number = (uint32_t)count;
        reader->node[count] = (struct dot_node){ .name = name,
                                                 .line = line,
                                                 .look = scope->node };
    }
    NB_TRY(nb_reserve(&reader->member, &reader->member_capacity,
                      reader->member_count + 1, sizeof *reader->member, "nodes",
                      err));
    reader->member[reader->member_count++] = *out;
done:
    return status;
}

/* The nodes mentioned since `first`, each once. */
static struct dot_set dot_close_set(struct dot *reader, size_t first)
{
    const size_t set = ++reader->set_count;
    size_t kept = first;
    for (size_t i = first; i < reader->member_count; i++) {
        const uint32_t node = reader->member[i];
        if (reader->node[node].set != set)
            reader->member[kept++] = node;
        reader->node[node].set = set;
    }
    reader->member_count = kept;
    return (struct dot_set){ first, kept - first };
}

static enum nb_status dot_read_statements(struct dot *reader,
                                          struct dot_scope *scope,
                                          struct nb_error *err);

/* subgraph NAME { ... }; the word and the name may be missing. */
static enum nb_status dot_read_subgraph(struct dot *reader,
                                        const struct dot_scope *outer,
                                        struct nb_error *err)
{
    struct dot_scope scope = *outer;
    enum nb_status status;
    if (scope.depth++ == DOT_DEPTH)
        return nb_graph_fail(
            reader->graph, reader->scanner.token.line, NB_INVALID, err,
            "subgraphs are nested too deeply (permitted: %d)", DOT_DEPTH);
    if (nb_dot_is_keyword(&reader->scanner, "subgraph")) {
        NB_TRY(nb_dot_take(&reader->scanner, NULL, err));
        if (nb_dot_is_id(&reader->scanner))
            NB_TRY(nb_dot_take(&reader->scanner, NULL, err));
    }
    NB_TRY(nb_dot_take_mark(&reader->scanner, '{', err));
    NB_TRY(dot_read_statements(reader, &scope, err));
done:
    return status;
}

/* Takes :port or :port:compass. */
static enum nb_status dot_skip_port(struct dot *reader, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    while (nb_dot_is_mark(&reader->scanner, ':')) {
        NB_TRY(nb_dot_take(&reader->scanner, NULL, err));
        NB_TRY(nb_dot_take_id(&reader->scanner, NULL, NULL, err));
    }
done:
    return status;
}

/* An end of edges: a node or a subgraph. name: out, of the node; in: NULL, or
 * the name that was taken */
static enum nb_status dot_read_end(struct dot *reader,
                                   const struct dot_scope *scope, char *name,
                                   size_t line, struct dot_set *out,
                                   struct nb_error *err)
{
    const size_t first = reader->member_count;
    uint32_t node;
    enum nb_status status;
    if (name == NULL && (nb_dot_is_keyword(&reader->scanner, "subgraph") ||
                         nb_dot_is_mark(&reader->scanner, '{'))) {
        NB_TRY(dot_read_subgraph(reader, scope, err));
    } else {
        if (name == NULL)
            NB_TRY(nb_dot_take_id(&reader->scanner, &name, NULL, err));
        NB_TRY(dot_mention(reader, name, line, scope, &node, err));
        NB_TRY(dot_skip_port(reader, err));
    }
    *out = dot_close_set(reader, first);
done:
    return status;
}

/* Joins each node of one set with each of another. */
static enum nb_status dot_join(struct dot *reader, struct dot_set from,
                               struct dot_set to, size_t line,
                               struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (from.count > 0 && to.count > DOT_LINKS / from.count)
        return nb_graph_fail(reader->graph, line, NB_INVALID, err,
                             "%zu nodes are joined with %zu (permitted: up to "
                             "%d links per statement)",
                             from.count, to.count, DOT_LINKS);
    for (size_t i = 0; i < from.count; i++)
        for (size_t j = 0; j < to.count; j++) {
            const struct nb_graph_edge edge = {
                .source = reader->node[reader->member[from.first + i]].name,
                .target = reader->node[reader->member[to.first + j]].name,
                .line = line,
                .is_directed = reader->is_directed,
            };
            NB_TRY(nb_graph_add(reader->graph, &edge, err));
        }
done:
    return status;
}

/* Gives edges from `first` on their attributes. is_default: the bandwidth is
 * that of "edge [...]" */
static enum nb_status dot_set_way(struct dot *reader, size_t first,
                                  const struct dot_way *way, bool is_default,
                                  struct nb_error *err)
{
    struct nb_graph *graph = reader->graph;
    struct nb_ratio bandwidth = { 0 };
    enum nb_status status = NB_OK;
    const bool is_link =
        way->dir.text != NULL && (strcmp(way->dir.text, "none") == 0 ||
                                  strcmp(way->dir.text, "both") == 0);
    if (way->bandwidth.text != NULL)
        NB_TRY(nb_graph_bandwidth(graph, way->bandwidth.line,
                                  way->bandwidth.text, &bandwidth, err));
    for (size_t e = first; e < graph->edge_count; e++) {
        graph->edges[e].bandwidth = bandwidth;
        graph->edges[e].is_default = is_default;
        graph->edges[e].is_directed = reader->is_directed && !is_link;
        graph->edges[e].is_stated = is_link;
    }
done:
    return status;
}

/* The rest of a statement: edges from a set, if an arrow comes next. */
static enum nb_status dot_read_edges(struct dot *reader,
                                     const struct dot_scope *scope,
                                     struct dot_set from, struct nb_error *err)
{
    const size_t first = reader->graph->edge_count;
    struct dot_way way = { 0 };
    struct dot_set to;
    enum nb_status status = NB_OK;
    while (reader->scanner.token.kind == NB_DOT_EDGE) {
        const size_t line = reader->scanner.token.line;
        if ((reader->scanner.token.mark[1] == '>') != reader->is_directed)
            return nb_dot_refuse(&reader->scanner,
                                 reader->is_directed ? "->" : "--", err);
        NB_TRY(nb_dot_take(&reader->scanner, NULL, err));
        NB_TRY(dot_read_end(reader, scope, NULL, line, &to, err));
        NB_TRY(dot_join(reader, from, to, line, err));
        from = to;
    }
    NB_TRY(dot_take_way(reader, &way, err));
    const bool is_default = way.bandwidth.text == NULL;
    if (is_default)
        way.bandwidth = scope->edge.bandwidth;
    if (way.dir.text == NULL)
        way.dir = scope->edge.dir;
    NB_TRY(dot_set_way(reader, first, &way, is_default, err));
done:
    return status;
}

/* A statement that begins with the id of a node, or an attribute. */
static enum nb_status dot_read_named(struct dot *reader,
                                     const struct dot_scope *scope,
                                     struct nb_error *err)
{
    const size_t line = reader->scanner.token.line;
    struct dot_set set;
    char *name;
    enum nb_status status;
    NB_TRY(nb_dot_take_id(&reader->scanner, &name, NULL, err));
    if (nb_dot_is_mark(&reader->scanner, '='))
        return scope->depth == 0 ? dot_take_own(reader, name, err)
                                 : dot_take_value(reader, name, NULL, 0, err);
    NB_TRY(dot_read_end(reader, scope, name, line, &set, err));
    if (reader->scanner.token.kind == NB_DOT_EDGE)
        NB_TRY(dot_read_edges(reader, scope, set, err));
    else
        NB_TRY(dot_take_look(
            reader, &reader->node[reader->member[set.first]].look, err));
done:
    return status;
}

/* Statements up to the } that ends them. */
static enum nb_status dot_read_statements(struct dot *reader,
                                          struct dot_scope *scope,
                                          struct nb_error *err)
{
    struct dot_set set;
    enum nb_status status = NB_OK;
    while (!nb_dot_is_mark(&reader->scanner, '}')) {
        if (nb_dot_is_mark(&reader->scanner, ';')) {
            NB_TRY(nb_dot_take(&reader->scanner, NULL, err));
        } else if (nb_dot_is_keyword(&reader->scanner, "node")) {
            NB_TRY(nb_dot_take(&reader->scanner, NULL, err));
            NB_TRY(dot_take_look(reader, &scope->node, err));
        } else if (nb_dot_is_keyword(&reader->scanner, "edge")) {
            NB_TRY(nb_dot_take(&reader->scanner, NULL, err));
            NB_TRY(dot_take_way(reader, &scope->edge, err));
        } else if (nb_dot_is_keyword(&reader->scanner, "graph")) {
            NB_TRY(nb_dot_take(&reader->scanner, NULL, err));
            NB_TRY(scope->depth == 0 ? dot_take_own(reader, NULL, err)
                                     : dot_take_list(reader, NULL, 0, err));
        } else if (nb_dot_is_keyword(&reader->scanner, "subgraph") ||
                   nb_dot_is_mark(&reader->scanner, '{')) {
            NB_TRY(dot_read_end(reader, scope, NULL, 0, &set, err));
            NB_TRY(dot_read_edges(reader, scope, set, err));
        } else if (nb_dot_is_id(&reader->scanner)) {
            NB_TRY(dot_read_named(reader, scope, err));
        } else {
            return nb_dot_refuse(&reader->scanner,
                                 "a node, an edge, an attribute or }", err);
        }
        if (scope->depth == 0)
            reader->member_count = 0;
    }
    NB_TRY(nb_dot_take(&reader->scanner, NULL, err));
done:
    return status;
}

static enum nb_status dot_read_file(struct dot *reader, struct nb_error *err)
{
    struct dot_scope scope = { 0 };
    enum nb_status status;
    NB_TRY(nb_dot_scan(&reader->scanner, err));
    reader->is_strict = nb_dot_is_keyword(&reader->scanner, "strict");
    if (reader->is_strict)
        NB_TRY(nb_dot_take(&reader->scanner, NULL, err));
    reader->is_directed = nb_dot_is_keyword(&reader->scanner, "digraph");
    if (!reader->is_directed && !nb_dot_is_keyword(&reader->scanner, "graph"))
        return nb_dot_refuse(&reader->scanner, "graph or digraph", err);
    NB_TRY(nb_dot_take(&reader->scanner, NULL, err));
    if (nb_dot_is_id(&reader->scanner))
        NB_TRY(nb_dot_take(&reader->scanner, NULL, err));
    NB_TRY(nb_dot_take_mark(&reader->scanner, '{', err));
    NB_TRY(dot_read_statements(reader, &scope, err));
    if (reader->scanner.token.kind != NB_DOT_END)
        NB_TRY(nb_dot_refuse(&reader->scanner, "the end of the file", err));
done:
    return status;
}

/* Fields of a record are no name. */
static bool dot_is_record(const struct dot_look *look)
{
    return look->shape.text != NULL &&
           strstr(look->shape.text, "record") != NULL;
}

static enum nb_status dot_add_nodes(struct dot *reader, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < reader->index.names.count; i++) {
        const struct dot_node *own = &reader->node[i];
        const struct nb_graph_node node = {
            .name = own->name,
            .line = own->line,
            .terminals = own->look.terminals,
            .group = own->look.group,
            .label = dot_is_record(&own->look) ? NULL : own->look.label.text,
        };
        NB_TRY(nb_graph_node_add(reader->graph, &node, err));
    }
done:
    return status;
}

static enum nb_status dot_finish(struct dot *reader, struct nb_error *err)
{
    struct nb_graph *graph = reader->graph;
    enum nb_status status;
    NB_TRY(dot_add_nodes(reader, err));
    nb_graph_names_number(&graph->names);
    if (reader->is_strict)
        NB_TRY(nb_graph_merge(graph, err));
    NB_TRY(nb_graph_finish_attributes(graph, &reader->options->attributes,
                                      reader->options->directions, err));
done:
    return status;
}

static enum nb_status dot_read(char *text, size_t length,
                               const struct nb_graph_options *options,
                               struct nb_graph *graph, struct nb_error *err)
{
    struct dot reader = { .graph = graph,
                          .options = options,
                          .scanner = { .graph = graph, .line = 1 },
                          .index = { .path = graph->path } };
    struct nb_lines lines = { 0 };
    enum nb_status status;
    NB_TRY(nb_lines_begin(&lines, graph->path, '\0', text, length, err));
    reader.scanner.at = lines.next;
    reader.scanner.text = lines.next;
    nb_graph_begin_attributes(graph, &options->attributes, "digraph");
    NB_TRY(dot_read_file(&reader, err));
    NB_TRY(dot_finish(&reader, err));
done:
    nb_graph_release(&reader.index);
    nb_delete(reader.node);
    nb_delete(reader.member);
    return status;
}

/* graph or digraph, strict or not, and a { in the same line. */
static bool dot_is(const char *text)
{
    const char *at = nb_dot_after_blanks(text, text);
    if (nb_is_same_start(at, "strict", 6))
        at += 6 + strspn(at + 6, " \t\r\n");
    const size_t word = nb_is_same_start(at, "graph", 5)     ? 5
                        : nb_is_same_start(at, "digraph", 7) ? 7
                                                             : 0;
    if (word == 0 || nb_is_letter_or_digit(at[word]))
        return false;
    at += word + strspn(at + word, " \t\r\n");
    return at[strcspn(at, "{\n[")] == '{';
}

/*
 * One graph. A node is called by its label, unless that is HTML, a record or
 * has the node's name in it; node and edge attributes may come from defaults.
 * In a strict graph, an edge that is repeated has the last attributes that it
 * states itself. An edge of a digraph with dir=none or dir=both goes both ways.
 * Ports, and the attributes of subgraphs, are skipped. Attributes
 * terminal_bandwidth and topology of the graph are as in GraphML.
 *
 * Source: https://graphviz.org/doc/info/lang.html
 */
const struct nb_graph_format nb_graph_format_dot = {
    .name = "dot",
    .title = "DOT",
    .endings = ".dot .gv",
    .is = dot_is,
    .has_link_attributes = true,
    .has_node_attributes = true,
    .read = dot_read,
};
