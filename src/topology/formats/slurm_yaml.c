/* Slurm's topology.yaml. It may list several topologies; a tree of switches is
 * read. libyaml parses it. */
#include "topology/formats.h"
#include "topology/graph_slurm.h"

#include "core/locale.h"
#include "core/memory.h"

#include <string.h>
#include <yaml.h>

/* A file being read; the document is freed with the graph. */
struct slurm_yaml {
    struct nb_graph *graph;
    yaml_document_t *document;
};

/* Lists topologies. */
static bool slurm_yaml_is(const char *text)
{
    while (*text != '\0') {
        text += strspn(text, " \t\r\n");
        if (*text != '#' && strncmp(text, "---", 3) != 0 &&
            strncmp(text, "%YAML", 5) != 0)
            break;
        text += strcspn(text, "\n");
    }
    if (*text != '-')
        return false;
    text += 1 + strspn(text + 1, " \t");
    return strncmp(text, "topology:", 9) == 0;
}

static size_t yaml_line(const yaml_node_t *node)
{
    return node->start_mark.line + 1;
}

static enum nb_status yaml_refuse(const struct slurm_yaml *reader, size_t line,
                                  const char *what, const char *permitted,
                                  struct nb_error *err)
{
    return nb_fail(err, NB_INVALID, "%.200s:%zu: %.160s (permitted: %s)",
                   reader->graph->path, line, what, permitted);
}

/* The text of a node; NULL: it is no text, or has a 0 in it. */
static const char *yaml_text(const yaml_node_t *node)
{
    if (node == NULL || node->type != YAML_SCALAR_NODE)
        return NULL;
    const char *text = (const char *)node->data.scalar.value;
    return strlen(text) == node->data.scalar.length ? text : NULL;
}

/* The value of a key in a mapping; NULL: there is none. */
static yaml_node_t *yaml_find(const struct slurm_yaml *reader,
                              const yaml_node_t *mapping, const char *key)
{
    if (mapping == NULL || mapping->type != YAML_MAPPING_NODE)
        return NULL;
    for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
         pair < mapping->data.mapping.pairs.top; pair++) {
        const char *text =
            yaml_text(yaml_document_get_node(reader->document, pair->key));
        if (text != NULL && strcmp(text, key) == 0)
            return yaml_document_get_node(reader->document, pair->value);
    }
    return NULL;
}

/* The number of entries of a list; 0: it is no list. */
static size_t yaml_count(const yaml_node_t *list)
{
    return list != NULL && list->type == YAML_SEQUENCE_NODE
               ? (size_t)(list->data.sequence.items.top -
                          list->data.sequence.items.start)
               : 0;
}

static yaml_node_t *yaml_entry(const struct slurm_yaml *reader,
                               const yaml_node_t *list, size_t index)
{
    return yaml_document_get_node(reader->document,
                                  list->data.sequence.items.start[index]);
}

/* Reads the switches or nodes below a switch, if the key is there. */
static enum nb_status yaml_join(struct slurm_yaml *reader,
                                const yaml_node_t *entry, const char *name,
                                const char *key, bool are_nodes,
                                struct nb_error *err)
{
    const yaml_node_t *value = yaml_find(reader, entry, key);
    const char *list = yaml_text(value);
    if (value == NULL)
        return NB_OK;
    if (list == NULL)
        return yaml_refuse(reader, yaml_line(value), key,
                           "a list such as n[0-3,12]", err);
    return nb_slurm_join(reader->graph, yaml_line(value), name, list, are_nodes,
                         err);
}

/* - {switch: s0, children: s[1-2], nodes: n[0-3]} */
static enum nb_status yaml_read_switch(struct slurm_yaml *reader,
                                       const yaml_node_t *entry,
                                       struct nb_error *err)
{
    const char *name = yaml_text(yaml_find(reader, entry, "switch"));
    enum nb_status status;
    if (name == NULL || *name == '\0')
        return yaml_refuse(reader, yaml_line(entry), "a switch has no name",
                           "switch: NAME, then children: LIST or nodes: LIST",
                           err);
    NB_TRY(nb_slurm_add(reader->graph, yaml_line(entry), name, 0, err));
    NB_TRY(yaml_join(reader, entry, name, "children", false, err));
    NB_TRY(yaml_join(reader, entry, name, "nodes", true, err));
done:
    return status;
}

/* The topology of the cluster: the one marked as default, else the first tree,
 * else the first. A default that is no tree counts only if there is none.
 *
 * other  out: that default, where a tree is read in its place; NULL: none */
static const yaml_node_t *yaml_choose(const struct slurm_yaml *reader,
                                      const yaml_node_t *list,
                                      const yaml_node_t **other)
{
    const yaml_node_t *tree = NULL, *usual = NULL;
    for (size_t i = 0; i < yaml_count(list); i++) {
        const yaml_node_t *entry = yaml_entry(reader, list, i);
        const char *is_default =
            yaml_text(yaml_find(reader, entry, "cluster_default"));
        const bool is_tree = yaml_find(reader, entry, "tree") != NULL;
        if (usual == NULL && is_default != NULL &&
            nb_is_same_word(is_default, "true"))
            usual = entry;
        if (is_tree && (tree == NULL || usual == entry))
            tree = entry;
    }
    *other = tree != NULL && usual != tree ? usual : NULL;
    return tree != NULL            ? tree
           : usual != NULL         ? usual
           : yaml_count(list) == 0 ? NULL
                                   : yaml_entry(reader, list, 0);
}

static enum nb_status yaml_read_root(struct slurm_yaml *reader,
                                     struct nb_error *err)
{
    static const char form[] = "a list of topologies, one with tree: switches:";
    const yaml_node_t *list = yaml_document_get_root_node(reader->document);
    const yaml_node_t *other = NULL;
    const yaml_node_t *chosen = yaml_choose(reader, list, &other);
    const char *default_name = yaml_text(yaml_find(reader, other, "topology"));
    const char *name = yaml_text(yaml_find(reader, chosen, "topology"));
    enum nb_status status = NB_OK;
    if (chosen == NULL || name == NULL)
        return yaml_refuse(reader, 1, "it lists no topologies of Slurm", form,
                           err);
    if (yaml_find(reader, chosen, "block") != NULL)
        return yaml_refuse(reader, yaml_line(chosen),
                           "topology/block names no switches", form, err);
    const yaml_node_t *switches =
        yaml_find(reader, yaml_find(reader, chosen, "tree"), "switches");
    if (yaml_count(switches) == 0)
        return yaml_refuse(reader, yaml_line(chosen),
                           "the topology has no tree of switches", form, err);
    for (size_t i = 0; i < yaml_count(switches); i++)
        NB_TRY(yaml_read_switch(reader, yaml_entry(reader, switches, i), err));
    if (yaml_count(list) > 1)
        nb_graph_note(reader->graph, "topologies",
                      "read: \"%.60s\" of %zu, %s%.60s%s", name,
                      yaml_count(list),
                      other == NULL ? "the default or the first tree"
                                    : "since the default, \"",
                      other == NULL          ? ""
                      : default_name != NULL ? default_name
                                             : "?",
                      other == NULL ? "" : "\", is no tree");
done:
    return status;
}

static void yaml_free_document(void *document)
{
    yaml_document_delete(document);
    nb_delete(document);
}

/* Parses the text; the document's texts are names of the graph. */
static enum nb_status yaml_parse(struct slurm_yaml *reader, const char *text,
                                 size_t length, struct nb_error *err)
{
    struct nb_graph *graph = reader->graph;
    yaml_parser_t parser;
    enum nb_status status;
    NB_TRY(nb_new(&reader->document, 1, sizeof *reader->document, "YAML", err));
    if (!yaml_parser_initialize(&parser)) {
        nb_delete(reader->document);
        return nb_fail(err, NB_NO_MEMORY, "not enough memory for YAML");
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    if (yaml_parser_load(&parser, reader->document)) {
        graph->document = reader->document;
        graph->free_document = yaml_free_document;
    } else {
        nb_delete(reader->document);
        /* Not every failed allocation sets the error. */
        status = parser.problem == NULL
                     ? nb_fail(err, NB_NO_MEMORY, "not enough memory for YAML")
                     : yaml_refuse(reader, parser.problem_mark.line + 1,
                                   parser.problem, "YAML", err);
    }
    yaml_parser_delete(&parser);
done:
    return status;
}

static enum nb_status slurm_yaml_read(char *text, size_t length,
                                      const struct nb_graph_options *options,
                                      struct nb_graph *graph,
                                      struct nb_error *err)
{
    struct slurm_yaml reader = { .graph = graph };
    enum nb_status status;
    (void)options;
    NB_TRY(yaml_parse(&reader, text, length, err));
    NB_TRY(yaml_read_root(&reader, err));
    NB_TRY(nb_slurm_finish(graph, err));
done:
    return status;
}

/*
 * The topology of the cluster, if it is a tree; links are read as those of
 * topology.conf.
 *
 * Source: topology.yaml(5) of Slurm.
 */
const struct nb_graph_format nb_graph_format_slurm_yaml = {
    .name = "slurm_yaml",
    .title = "topology.yaml",
    .endings = ".yaml .yml",
    .ending_decides = true, /* JSON is YAML as well */
    .is = slurm_yaml_is,
    .is_undirected = true,
    .read = slurm_yaml_read,
};
