/* Networks in the anynet files of BookSim. */
#include "topology/formats.h"

#include "core/lines.h"
#include "core/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char anynet_blanks[] = " \t\r\f\v";

/* The range of latencies in the simulator. */
enum { ANYNET_LATENCY = INT32_MAX };

/* A router or a node. */
struct anynet_end {
    bool is_node;
    const char *text; /* its number without leading zeros */
    uint32_t number;
};

/* A node's link with a router. */
struct anynet_node {
    uint32_t number;
    const char *router;
    size_t line;
};

/* A file being read; owns nodes. */
struct anynet {
    struct nb_graph *graph;
    size_t line;
    char *rest; /* the current line */
    struct anynet_node *nodes;
    size_t node_count;
    size_t node_capacity;
};

static bool anynet_is_type(const char *word, size_t length)
{
    return (length == 6 && strncmp(word, "router", length) == 0) ||
           (length == 4 && strncmp(word, "node", length) == 0);
}

/* Begins as no edge list can: "router" or "node" and a number, twice. */
static bool anynet_is(const char *text)
{
    text += strspn(text, " \t\r\n");
    for (int i = 0; i < 4; i++) {
        const size_t length = strcspn(text, " \t\r\n");
        const bool is_fit = i % 2 == 0 ? anynet_is_type(text, length)
                                       : strspn(text, "0123456789") == length;
        if (!is_fit || length == 0)
            return false;
        text += length + strspn(text + length, " \t");
    }
    return true;
}

/* Reads "router 3" or "node 3", after its first word. */
static enum nb_status anynet_read_end(struct anynet *reader, const char *type,
                                      struct anynet_end *out,
                                      struct nb_error *err)
{
    const char *path = reader->graph->path;
    int64_t number;
    if (!anynet_is_type(type, strlen(type)))
        return nb_fail(err, NB_INVALID,
                       "%.200s:%zu: \"%.60s\" is not permitted "
                       "(permitted: router or node, and a number)",
                       path, reader->line, type);
    const char *text = nb_lines_word(&reader->rest, anynet_blanks);
    if (text == NULL)
        return nb_fail(err, NB_INVALID,
                       "%.200s:%zu: it ends after \"%s\" (permitted: a "
                       "number)",
                       path, reader->line, type);
    if (nb_integer_read(text, type, 0, NB_NONE - 1, &number, NULL) != NB_OK)
        return nb_fail(err, NB_INVALID,
                       "%.200s:%zu: %s \"%.60s\" is not permitted "
                       "(permitted: a whole number from 0 to %" PRIu32 ")",
                       path, reader->line, type, text, NB_NONE - 1);
    while (text[0] == '0' && text[1] != '\0')
        text++;
    *out = (struct anynet_end){ *type == 'n', text, (uint32_t)number };
    return out->is_node
               ? NB_OK
               : nb_graph_names_add(reader->graph, reader->line, text, err);
}

static enum nb_status anynet_check_latency(const struct anynet *reader,
                                           const char *word,
                                           struct nb_error *err)
{
    int64_t latency;
    if (nb_integer_read(word, "latency", 1, ANYNET_LATENCY, &latency, NULL) ==
        NB_OK)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "%.200s:%zu: \"%.60s\" is not permitted "
                   "(permitted: router, node, or one latency from 1 to %d "
                   "cycles)",
                   reader->graph->path, reader->line, word, ANYNET_LATENCY);
}

static enum nb_status anynet_link(struct anynet *reader,
                                  const struct anynet_end *head,
                                  const struct anynet_end *body,
                                  struct nb_error *err)
{
    const struct anynet_end *node = head->is_node ? head : body;
    const struct anynet_end *router = head->is_node ? body : head;
    const struct nb_graph_edge edge = { .source = head->text,
                                        .target = body->text,
                                        .line = reader->line };
    if (!node->is_node)
        return nb_graph_add(reader->graph, &edge, err);
    if (router->is_node)
        return nb_fail(err, NB_INVALID,
                       "%.200s:%zu: node %" PRIu32 " is linked with "
                       "node %" PRIu32 " (permitted: with a router)",
                       reader->graph->path, reader->line, head->number,
                       body->number);
    const enum nb_status status =
        nb_reserve(&reader->nodes, &reader->node_capacity,
                   reader->node_count + 1, sizeof *reader->nodes, "nodes", err);
    if (status != NB_OK)
        return status;
    reader->nodes[reader->node_count++] =
        (struct anynet_node){ node->number, router->text, reader->line };
    return NB_OK;
}

static enum nb_status anynet_read_line(struct anynet *reader,
                                       struct nb_error *err)
{
    struct anynet_end head, body;
    bool may_have_latency = false;
    enum nb_status status;
    char *word = nb_lines_word(&reader->rest, anynet_blanks);
    if (word == NULL)
        return NB_OK;
    NB_TRY(anynet_read_end(reader, word, &head, err));
    while ((word = nb_lines_word(&reader->rest, anynet_blanks)) != NULL) {
        if (may_have_latency && !anynet_is_type(word, strlen(word))) {
            NB_TRY(anynet_check_latency(reader, word, err));
            may_have_latency = false;
            continue;
        }
        NB_TRY(anynet_read_end(reader, word, &body, err));
        NB_TRY(anynet_link(reader, &head, &body, err));
        may_have_latency = true;
    }
done:
    return status;
}

/* The n routers are 0 .. n-1. */
static enum nb_status anynet_check_routers(const struct nb_graph *graph,
                                           struct nb_error *err)
{
    const struct nb_graph_names *names = &graph->names;
    for (size_t r = 0; r < names->count; r++) {
        char text[24];
        snprintf(text, sizeof text, "%zu", r);
        if (nb_graph_names_find(names, text) != NB_NONE)
            continue;
        /* Otherwise one of the n distinct numbers is n or more. */
        size_t other = 0;
        while (strtoull(names->entry[other].text, NULL, 10) < names->count)
            other++;
        return nb_fail(err, NB_INVALID,
                       "%.200s: there is a router %s but no router %zu "
                       "(permitted: routers numbered 0, 1, 2, ...)",
                       graph->path, names->entry[other].text, r);
    }
    return NB_OK;
}

static int anynet_compare_nodes(const void *left, const void *right)
{
    const struct anynet_node *a = left, *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

/* Counts the nodes of each router; each node counts once. */
static enum nb_status anynet_count_nodes(struct anynet *reader, uint32_t *count,
                                         struct nb_error *err)
{
    const char *path = reader->graph->path;
    struct anynet_node *nodes = reader->nodes;
    uint32_t next = 0;
    if (reader->node_count > 0)
        qsort(nodes, reader->node_count, sizeof *nodes, anynet_compare_nodes);
    for (size_t i = 0; i < reader->node_count; i++) {
        if (i > 0 && nodes[i].number == nodes[i - 1].number) {
            if (strcmp(nodes[i].router, nodes[i - 1].router) == 0)
                continue;
            return nb_fail(err, NB_INVALID,
                           "%.200s:%zu: node %" PRIu32 " is linked "
                           "with router %s, on line %zu with router %s "
                           "(permitted: one router)",
                           path, nodes[i].line, nodes[i].number,
                           nodes[i].router, nodes[i - 1].line,
                           nodes[i - 1].router);
        }
        if (nodes[i].number != next)
            return nb_fail(err, NB_INVALID,
                           "%.200s:%zu: there is a node %" PRIu32
                           " but no node %" PRIu32
                           " (permitted: nodes numbered 0, 1, 2, ...)",
                           path, nodes[i].line, nodes[i].number, next);
        next++;
        count[nb_graph_names_find(&reader->graph->names, nodes[i].router)]++;
    }
    return NB_OK;
}

static enum nb_status anynet_fill_terminals(struct anynet *reader,
                                            struct nb_error *err)
{
    struct nb_graph *graph = reader->graph;
    const struct nb_graph_names *names = &graph->names;
    uint32_t *count = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&count, names->count, sizeof *count, "terminals", err));
    NB_TRY(anynet_count_nodes(reader, count, err));
    NB_TRY(nb_new(&graph->terminals, names->count, sizeof *graph->terminals,
                  "terminals", err));
    for (size_t i = 0; i < names->count; i++)
        graph->terminals[i] = count[names->entry[i].number];
done:
    nb_delete(count);
    return status;
}

static enum nb_status anynet_read(char *text, size_t length,
                                  const struct nb_graph_options *options,
                                  struct nb_graph *graph, struct nb_error *err)
{
    struct anynet reader = { .graph = graph };
    struct nb_lines lines = { 0 };
    enum nb_status status;
    (void)options;
    NB_TRY(nb_lines_begin(&lines, graph->path, '\0', text, length, err));
    while ((reader.rest = nb_lines_next(&lines)) != NULL) {
        reader.line = lines.number;
        NB_TRY(anynet_read_line(&reader, err));
    }
    nb_graph_names_number(&graph->names);
    NB_TRY(anynet_check_routers(graph, err));
    NB_TRY(anynet_fill_terminals(&reader, err));
    NB_TRY(nb_graph_merge(graph, err));
done:
    nb_delete(reader.nodes);
    return status;
}

/*
 * A network of the simulator BookSim. Each line is a router or a node, followed
 * by what it is linked with:
 *
 *     router 0 node 0 node 1 router 1 15 router 2
 *
 * A link between routers is a channel each way, however often it is stated; a
 * node is a terminal. The number after a link is its latency in cycles; it is
 * checked but not used, since channels here have no latency. Routers and nodes
 * must be numbered 0, 1, 2, ...
 *
 * Source: [Jiang2013].
 */
const struct nb_graph_format nb_graph_format_anynet = {
    .name = "anynet",
    .title = "anynet",
    .endings = ".anynet",
    .is = anynet_is,
    .read = anynet_read,
};
