/* Graphs in JSON: node-link, adjacency and cytoscape data as networkx writes
 * them, and the links of RapidChiplet. */
#include "topology/formats.h"

#include "core/json.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* How a format names its parts. */
struct json_form {
    const char *nodes, *edges;
    const char *wrapper; /* the fields of a node or edge are in; NULL: itself */
    bool lists_neighbours; /* edges are a list of neighbours for each node */
};

static const struct json_form json_forms[] = {
    { "nodes", "links", NULL, false },
    { "nodes", "edges", NULL, false },
    { "nodes", "adjacency", NULL, true },
    { "nodes", "edges", "data", false }, /* in "elements" */
};

/* An object, or a list of objects or lists. */
static bool json_is(const char *text)
{
    text += strspn(text, " \t\r\n");
    if (*text != '[')
        return *text == '{';
    text++;
    text += strspn(text, " \t\r\n");
    return *text == '{' || *text == '[';
}

/* A document being read into a graph; owns nothing. */
struct json_reader {
    struct nb_graph *graph;
    const struct nb_graph_options *options;
    const struct json_form *form;
    const json_t *nodes, *edges;
    const char **name; /* [nodes] */
    bool is_directed;
    bool have_numbers; /* the id of some node is a number */
    /* Ends that are numbers are places in the list of nodes, from 0. */
    bool have_places;
    bool have_lists; /* ends are lists, as ids are in "value" (Cytoscape) */
};

static const json_t *json_fields(const struct json_reader *reader,
                                 const json_t *item)
{
    return reader->form->wrapper != NULL
               ? json_object_get(item, reader->form->wrapper)
               : item;
}

/* Appends an id; a list, such as a place in a grid, as "0,1". */
static bool json_add_name(const json_t *id, struct nb_text *text)
{
    bool is_name = json_array_size(id) > 0;
    if (!json_is_array(id))
        return nb_json_add(id, text);
    for (size_t i = 0; is_name && i < json_array_size(id); i++) {
        const json_t *part = json_array_get(id, i);
        const bool is_list = json_is_array(part);
        nb_text_print(text, "%s%s", i > 0 ? "," : "", is_list ? "(" : "");
        is_name = json_add_name(part, text);
        if (is_list)
            nb_text_print(text, ")");
    }
    return is_name;
}

/* Copies a text to where it lives as long as the graph. */
static enum nb_status json_keep(struct json_reader *reader,
                                const struct nb_text *text, const char **out,
                                struct nb_error *err)
{
    struct nb_pool *pool = &reader->graph->texts;
    enum nb_status status;
    NB_TRY(nb_text_check(text, err));
    char *kept = nb_pool_array(pool, text->length + 1, 1);
    NB_TRY(nb_pool_check(pool, "names", err));
    memcpy(kept, text->bytes, text->length);
    *out = kept;
done:
    return status;
}

static enum nb_status json_refuse(const struct json_reader *reader, size_t item,
                                  const char *what, const json_t *value,
                                  const char *permitted, struct nb_error *err)
{
    char shown[NB_JSON_SHOWN];
    nb_json_show(value, shown);
    if (value == NULL)
        return nb_graph_fail(reader->graph, item, NB_INVALID, err,
                             "it has no %s (permitted: %s)", what, permitted);
    return nb_graph_fail(reader->graph, item, NB_INVALID, err,
                         "%s must be %s, not %s", what, permitted, shown);
}

/* The name of a router. what: in messages */
static enum nb_status json_read_name(struct json_reader *reader, size_t item,
                                     const char *what, const json_t *id,
                                     const char **out, struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    if (!json_add_name(id, &text))
        NB_TRY(json_refuse(reader, item, what, id,
                           "a string, a number or a list of them", err));
    NB_TRY(json_keep(reader, &text, out, err));
done:
    nb_text_release(&text);
    return status;
}

/* The value of an attribute of a node or an edge; null counts as none. */
static enum nb_status json_read_value(struct json_reader *reader, size_t item,
                                      const json_t *fields, const char *name,
                                      struct nb_graph_value *out,
                                      struct nb_error *err)
{
    const json_t *value = json_object_get(fields, name);
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    *out = (struct nb_graph_value){ NULL, item };
    if (value == NULL || json_is_null(value))
        return NB_OK;
    if (!nb_json_add(value, &text))
        NB_TRY(json_refuse(reader, item, name, value, "a number or a string",
                           err));
    NB_TRY(json_keep(reader, &text, &out->text, err));
done:
    nb_text_release(&text);
    return status;
}

static enum nb_status json_read_label(struct json_reader *reader,
                                      const json_t *fields, const char **out,
                                      struct nb_error *err)
{
    const json_t *label = json_object_get(fields, "label");
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    if (!json_is_string(label))
        label = json_object_get(fields, "name");
    if (!json_is_string(label))
        return NB_OK;
    nb_json_add(label, &text);
    NB_TRY(json_keep(reader, &text, out, err));
done:
    nb_text_release(&text);
    return status;
}

/* D3 calls nodes by a name, or only by their place. networkx writes a list as
 * text in the id of Cytoscape, as it is in the value and in the ends. */
static const json_t *json_id(const struct json_reader *reader,
                             const json_t *fields)
{
    const json_t *id = json_object_get(fields, "id");
    const json_t *value = json_object_get(fields, "value");
    if (!json_is_object(fields))
        return fields;
    if (reader->have_lists && json_is_array(value))
        return value;
    return id != NULL ? id : json_object_get(fields, "name");
}

static enum nb_status json_read_node(struct json_reader *reader, size_t item,
                                     struct nb_error *err)
{
    const struct nb_graph_attributes *attributes = &reader->options->attributes;
    const json_t *fields =
        json_fields(reader, json_array_get(reader->nodes, item));
    const json_t *id = json_id(reader, fields);
    struct nb_text place = { 0 };
    struct nb_graph_node own = { .line = item };
    enum nb_status status;
    if (id == NULL && json_is_object(fields)) {
        nb_text_print(&place, "%zu", item);
        NB_TRY(json_keep(reader, &place, &own.name, err));
    } else {
        NB_TRY(json_read_name(reader, item, "id", id, &own.name, err));
    }
    NB_TRY(json_read_value(reader, item, fields, attributes->terminals,
                           &own.terminals, err));
    NB_TRY(json_read_value(reader, item, fields, attributes->group, &own.group,
                           err));
    NB_TRY(json_read_label(reader, fields, &own.label, err));
    reader->have_numbers = reader->have_numbers || json_is_number(id);
    reader->name[item] = own.name;
    NB_TRY(nb_graph_node_add(reader->graph, &own, err));
done:
    nb_text_release(&place);
    return status;
}

static enum nb_status json_read_nodes(struct json_reader *reader,
                                      struct nb_error *err)
{
    const size_t count = json_array_size(reader->nodes);
    enum nb_status status;
    reader->graph->list = reader->form->nodes;
    reader->name =
        nb_pool_array(&reader->graph->texts, count, sizeof *reader->name);
    NB_TRY(nb_pool_check(&reader->graph->texts, "names", err));
    for (size_t i = 0; i < count; i++)
        NB_TRY(json_read_node(reader, i, err));
    nb_graph_names_number(&reader->graph->names); /* for their ends */
done:
    return status;
}

/* The fields of an edge, or of the nth neighbour in a list of them. */
static const json_t *json_edge(const struct json_reader *reader, size_t item,
                               size_t n)
{
    const json_t *edge = json_array_get(reader->edges, item);
    return json_fields(reader, reader->form->lists_neighbours
                                   ? json_array_get(edge, n)
                                   : edge);
}

/* Whether an end is a number that is no node's id. */
static bool json_is_place(const struct json_reader *reader, const json_t *end)
{
    char text[32];
    if (!json_is_integer(end))
        return false;
    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT,
             json_integer_value(end));
    return nb_graph_names_find(&reader->graph->names, text) == NB_NONE;
}

/* Whether ends that are numbers are places: in D3's data, not Cytoscape's, and
 * only if some are not the ids of nodes. */
static void json_find_places(struct json_reader *reader)
{
    const struct json_form *form = reader->form;
    bool is_place = false;
    if (form->wrapper != NULL || reader->have_numbers)
        return;
    for (size_t i = 0; !is_place && i < json_array_size(reader->edges); i++) {
        const size_t count =
            form->lists_neighbours
                ? json_array_size(json_array_get(reader->edges, i))
                : 1;
        for (size_t n = 0; !is_place && n < count; n++) {
            const json_t *edge = json_edge(reader, i, n);
            is_place =
                form->lists_neighbours
                    ? json_is_place(reader, json_object_get(edge, "id"))
                    : json_is_place(reader, json_object_get(edge, "source")) ||
                          json_is_place(reader,
                                        json_object_get(edge, "target"));
        }
    }
    reader->have_places = is_place;
    if (is_place)
        nb_graph_note(reader->graph, "places",
                      "ends of links that are numbers are places in the list "
                      "of nodes, from 0 on, as some are not the id of a node");
}

/* An end of an edge: the id of a node, or its place. */
static enum nb_status json_read_end(struct json_reader *reader, size_t item,
                                    const json_t *fields, const char *end,
                                    const char **out, struct nb_error *err)
{
    const json_t *id = json_object_get(fields, end);
    const json_int_t place = json_integer_value(id);
    const size_t count = json_array_size(reader->nodes);
    enum nb_status status;
    if (json_is_integer(id) && reader->have_places && place >= 0 &&
        (size_t)place < count) {
        *out = reader->name[place];
        return NB_OK;
    }
    NB_TRY(json_read_name(reader, item, end, id, out, err));
    if (nb_graph_names_find(&reader->graph->names, *out) == NB_NONE)
        status = nb_graph_fail(reader->graph, item, NB_INVALID, err,
                               "%s \"%.60s\" is not permitted (permitted: the "
                               "id of a node)",
                               end, *out);
done:
    return status;
}

/* source: of a neighbour; NULL: the edge names it */
static enum nb_status json_read_edge(struct json_reader *reader, size_t item,
                                     const json_t *edge, const char *source,
                                     struct nb_error *err)
{
    struct nb_graph_edge own = { .line = item,
                                 .source = source,
                                 .is_directed = reader->is_directed };
    const json_t *fields = json_fields(reader, edge);
    struct nb_graph_value bandwidth;
    enum nb_status status = NB_OK;
    if (source == NULL)
        NB_TRY(json_read_end(reader, item, fields, "source", &own.source, err));
    NB_TRY(json_read_end(reader, item, fields, source == NULL ? "target" : "id",
                         &own.target, err));
    NB_TRY(json_read_value(reader, item, fields,
                           reader->options->attributes.bandwidth, &bandwidth,
                           err));
    for (size_t i = NB_GRAPH_WEIGHTS; i-- > 0;)
        if (json_is_number(json_object_get(fields, nb_graph_weights[i])))
            reader->graph->unread = nb_graph_weights[i];
    if (bandwidth.text != NULL)
        NB_TRY(nb_graph_bandwidth(reader->graph, item, bandwidth.text,
                                  &own.bandwidth, err));
    NB_TRY(nb_graph_add(reader->graph, &own, err));
done:
    return status;
}

static enum nb_status json_read_edges(struct json_reader *reader,
                                      struct nb_error *err)
{
    const size_t count = json_array_size(reader->edges);
    enum nb_status status = NB_OK;
    reader->graph->list = reader->form->edges;
    for (size_t i = 0; i < count; i++)
        NB_TRY(json_read_edge(reader, i, json_array_get(reader->edges, i), NULL,
                              err));
done:
    return status;
}

static enum nb_status json_read_adjacency(struct json_reader *reader,
                                          struct nb_error *err)
{
    const size_t count = json_array_size(reader->nodes);
    enum nb_status status = NB_OK;
    reader->graph->list = reader->form->edges;
    if (json_array_size(reader->edges) != count)
        return nb_graph_fail(reader->graph, NB_GRAPH_NO_LINE, NB_INVALID, err,
                             "it has %zu list%s (permitted: %zu, one per node)",
                             json_array_size(reader->edges),
                             json_array_size(reader->edges) == 1 ? "" : "s",
                             count);
    for (size_t i = 0; i < count; i++) {
        const json_t *row = json_array_get(reader->edges, i);
        if (!json_is_array(row))
            NB_TRY(json_refuse(reader, i, "it", row, "a list", err));
        for (size_t n = 0; n < json_array_size(row); n++)
            NB_TRY(json_read_edge(reader, i, json_array_get(row, n),
                                  reader->name[i], err));
    }
done:
    return status;
}

/* Reads links once, which lists of neighbours have from both ends, unless each
 * entry is to be a channel. */
static enum nb_status json_fold(const struct json_reader *reader,
                                struct nb_error *err)
{
    const size_t listed = reader->graph->edge_count;
    size_t mutual;
    enum nb_status status = NB_OK;
    if (reader->is_directed || !reader->form->lists_neighbours ||
        reader->options->directions == NB_DIRECTIONS_ALL)
        return NB_OK;
    NB_TRY(nb_graph_fold_mutual(reader->graph, &mutual, err));
    if (mutual < listed)
        status = nb_graph_fail(
            reader->graph, NB_GRAPH_NO_LINE, NB_INVALID, err,
            "a link is listed from one end only, or with two bandwidths "
            "(permitted: the same at both nodes, or \"directed\": true)");
done:
    return status;
}

/* Reads directed or multigraph, which may be missing. */
static enum nb_status json_read_flag(const struct json_reader *reader,
                                     const json_t *root, const char *name,
                                     bool *out, struct nb_error *err)
{
    const json_t *value = json_object_get(root, name);
    *out = json_is_true(value);
    return value == NULL || json_is_boolean(value)
               ? NB_OK
               : json_refuse(reader, NB_GRAPH_NO_LINE, name, value,
                             "true or false", err);
}

/* What the graph says of itself. */
static enum nb_status json_read_graph(struct json_reader *reader,
                                      const json_t *root, struct nb_error *err)
{
    const json_t *own = json_object_get(root, "graph");
    struct nb_graph *graph = reader->graph;
    struct nb_graph_value bandwidth, like;
    enum nb_status status;
    graph->list = "graph";
    nb_graph_begin_attributes(graph, &reader->options->attributes,
                              "\"directed\": true");
    NB_TRY(json_read_flag(reader, root, "directed", &reader->is_directed, err));
    NB_TRY(
        json_read_flag(reader, root, "multigraph", &graph->is_multigraph, err));
    NB_TRY(json_read_value(reader, NB_GRAPH_NO_LINE, own,
                           NB_GRAPH_TERMINAL_BANDWIDTH, &bandwidth, err));
    if (bandwidth.text != NULL)
        NB_TRY(nb_graph_terminal_bandwidth(graph, bandwidth.line,
                                           bandwidth.text, err));
    NB_TRY(json_read_value(reader, NB_GRAPH_NO_LINE, own, NB_GRAPH_TOPOLOGY,
                           &like, err));
    graph->like = like.text;
    graph->like_line = like.line;
done:
    return status;
}

/* Refuses a document with two lists of links, as either may be meant. */
static enum nb_status json_check_lists(const struct json_reader *reader,
                                       const json_t *root, struct nb_error *err)
{
    for (size_t i = 0; i < sizeof json_forms / sizeof *json_forms; i++) {
        const struct json_form *form = &json_forms[i];
        if (form->wrapper == NULL && reader->form->wrapper == NULL &&
            strcmp(form->edges, reader->form->edges) != 0 &&
            json_is_array(json_object_get(root, form->edges)))
            return nb_fail(err, NB_INVALID,
                           "%.200s: it has \"%s\" and \"%s\" (permitted: one "
                           "list of links)",
                           reader->graph->path, reader->form->edges,
                           form->edges);
    }
    return NB_OK;
}

/* Splits the one list of elements that Cytoscape.js takes as well into its
 * nodes and edges, as if they were written apart. */
static enum nb_status json_split_elements(const struct nb_graph *graph,
                                          json_t *root, struct nb_error *err)
{
    json_t *elements = json_object_get(root, "elements");
    json_t *nodes, *edges, *parts;
    if (!json_is_array(elements))
        return NB_OK;
    parts = json_pack("{s:[], s:[]}", "nodes", "edges");
    nodes = json_object_get(parts, "nodes");
    edges = json_object_get(parts, "edges");
    bool is_done = parts != NULL;
    for (size_t i = 0; is_done && i < json_array_size(elements); i++) {
        json_t *element = json_array_get(elements, i);
        const json_t *data = json_object_get(element, "data");
        const bool is_edge = json_object_get(data, "source") != NULL;
        is_done = json_array_append(is_edge ? edges : nodes, element) == 0;
    }
    is_done = is_done && json_object_set(root, "elements", parts) == 0;
    json_decref(parts);
    return is_done
               ? NB_OK
               : nb_fail(err, NB_NO_MEMORY,
                         "%.200s: out of memory for its elements", graph->path);
}

/* Finds the form, by the lists that the document has. */
static bool json_find_form(struct json_reader *reader, const json_t *root)
{
    const json_t *elements = json_object_get(root, "elements");
    for (size_t i = 0; i < sizeof json_forms / sizeof *json_forms; i++) {
        const struct json_form *form = &json_forms[i];
        const json_t *own = form->wrapper != NULL ? elements : root;
        reader->form = form;
        reader->nodes = json_object_get(own, form->nodes);
        reader->edges = json_object_get(own, form->edges);
        if (json_is_array(reader->nodes) && json_is_array(reader->edges))
            return true;
    }
    return false;
}

/* Refuses other documents, by name if they are known. */
static enum nb_status json_refuse_form(const struct nb_graph *graph,
                                       const json_t *root, struct nb_error *err)
{
    static const struct {
        const char *key, *name;
    } known[] = {
        { "children", "a tree (tree_data)" },
        { "graph", "JSON Graph Format" },
        { "graphs", "JSON Graph Format" },
        { "matrix", "a traffic matrix" },
        { "features", "GeoJSON" },
        { "objects", "TopoJSON" },
    };
    const char *name = json_is_array(root) ? "a list" : "an object";
    for (size_t i = sizeof known / sizeof *known; i-- > 0;)
        if (json_object_get(root, known[i].key) != NULL)
            name = known[i].name;
    return nb_fail(err, NB_INVALID,
                   "%.200s: this JSON, %s, is not read (permitted: \"nodes\" "
                   "with \"links\", \"edges\" or \"adjacency\"; \"elements\" "
                   "of Cytoscape; a list of RapidChiplet's links)",
                   graph->path, name);
}

static enum nb_status json_read_parts(struct json_reader *reader,
                                      const json_t *root, struct nb_error *err)
{
    const struct nb_graph_options *options = reader->options;
    enum nb_status status;
    NB_TRY(json_check_lists(reader, root, err));
    NB_TRY(json_read_graph(reader, root, err));
    reader->have_lists =
        reader->form->wrapper != NULL &&
        json_is_array(json_object_get(json_edge(reader, 0, 0), "source"));
    NB_TRY(json_read_nodes(reader, err));
    json_find_places(reader);
    if (reader->form->lists_neighbours)
        NB_TRY(json_read_adjacency(reader, err));
    else
        NB_TRY(json_read_edges(reader, err));
    NB_TRY(json_fold(reader, err));
    reader->graph->list = "graph";
    NB_TRY(nb_graph_finish_attributes(reader->graph, &options->attributes,
                                      options->directions, err));
done:
    return status;
}

static enum nb_status json_read(char *text, size_t length,
                                const struct nb_graph_options *options,
                                struct nb_graph *graph, struct nb_error *err)
{
    struct json_reader reader = { .graph = graph, .options = options };
    json_t *root = NULL;
    enum nb_status status;
    NB_TRY(nb_json_parse(graph->path, text, length, &root, err));
    NB_TRY(json_split_elements(graph, root, err));
    if (nb_graph_is_chiplets(root)) {
        NB_TRY(nb_graph_require_bandwidth(graph, false,
                                          options->attributes.bandwidth, err));
        NB_TRY(nb_graph_read_chiplets(root, graph, err));
    } else if (json_find_form(&reader, root)) {
        NB_TRY(json_read_parts(&reader, root, err));
    } else {
        NB_TRY(json_refuse_form(graph, root, err));
    }
done:
    json_decref(root);
    return status;
}

/*
 * Node-link, adjacency or cytoscape data, as networkx writes them, D3 or
 * Cytoscape.js; or a network of RapidChiplet. An id may be a list, such as a
 * place in a grid: [0, 1] is called "0,1". Ends are compared with ids as texts;
 * in D3's data, where no id is a number and not all ends are ids, those that
 * are numbers are places in the list of nodes. Links that are all listed from
 * both ends are read once, unless the graph is directed or a multigraph.
 * Attributes terminal_bandwidth and topology of "graph" are as in GraphML.
 *
 * Messages name elements, since jansson keeps no lines.
 *
 * Source: networkx.readwrite.json_graph of networkx 3.
 */
const struct nb_graph_format nb_graph_format_json = {
    .name = "json",
    .title = "JSON (node-link, adjacency, cytoscape, RapidChiplet)",
    .endings = ".json",
    .is = json_is,
    .has_link_attributes = true,
    .has_node_attributes = true,
    .read = json_read,
};
