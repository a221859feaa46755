/* Networks of ns-3, as the simulators of HPCC and their successors read them.
 */
#include "topology/formats.h"

#include "core/lines.h"
#include "core/memory.h"
#include "core/unit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char ns3_blanks[] = " \t\r\n\f\v";

/* A file being read; owns rate. */
struct ns3 {
    struct nb_graph *graph;
    struct nb_lines lines; /* for messages: words may be anywhere in a line */
    char *rest;            /* the current line */
    int64_t nodes, switches, links;
    const char **name;     /* [nodes] */
    struct nb_ratio *rate; /* [links that were added] in Gbps */
};

/* Takes a whole number off a text; false: there is none. */
static bool ns3_skip_number(const char **text)
{
    *text += strspn(*text, ns3_blanks);
    const size_t digits = strspn(*text, "0123456789");
    *text += digits;
    return digits > 0 && (**text == '\0' || strchr(ns3_blanks, **text) != NULL);
}

/* Three numbers in the first line, then as many as the second of them, then a
 * link: two numbers and a rate with a unit. */
static bool ns3_is(const char *text)
{
    unsigned long switches = 0;
    const char *end = text + strspn(text, ns3_blanks);
    const char *line = end + strcspn(end, "\n");
    for (int i = 0; i < 3; i++) {
        if (i == 1)
            switches = strtoul(end, NULL, 10);
        if (!ns3_skip_number(&end))
            return false;
    }
    if (end + strspn(end, " \t\r") != line)
        return false;
    for (unsigned long i = 0; i < switches + 2; i++)
        if (!ns3_skip_number(&end))
            return false;
    end += strspn(end, ns3_blanks);
    const size_t length = strcspn(end, ns3_blanks);
    return *end >= '0' && *end <= '9' && length > 3 &&
           (strncmp(end + length - 3, "bps", 3) == 0 ||
            strncmp(end + length - 3, "b/s", 3) == 0);
}

/* The next word of the file; NULL at the end. */
static const char *ns3_word(struct ns3 *reader)
{
    for (;;) {
        const char *word = reader->rest != NULL
                               ? nb_lines_word(&reader->rest, ns3_blanks)
                               : NULL;
        if (word != NULL)
            return word;
        reader->rest = nb_lines_next(&reader->lines);
        if (reader->rest == NULL)
            return NULL;
    }
}

static enum nb_status ns3_whole(struct ns3 *reader, const char *what,
                                const char *kind, int64_t most, int64_t *out,
                                struct nb_error *err)
{
    const char *word = ns3_word(reader);
    if (word == NULL)
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "the file ends before %s (permitted: nodes "
                             "switches links, the switches, and for each link "
                             "source target rate delay error-rate)",
                             what);
    return nb_lines_whole(&reader->lines, what, kind, word, 0, most, out, err);
}

/* Reads a rate such as 100Gbps; without a unit, ns-3 reads bit/s. */
static enum nb_status ns3_read_rate(struct ns3 *reader, const char *word,
                                    struct nb_ratio *out, struct nb_error *err)
{
    const size_t digits = strspn(word, "0123456789.");
    struct nb_text number = { 0 };
    struct nb_ratio value = { 0, 0 }, factor = { 1, 1000000000 };
    bool is_unit = word[digits] == '\0';
    for (size_t i = 0; nb_units[i].name != NULL && !is_unit; i++)
        if (nb_units[i].dimension == NB_UNIT_BANDWIDTH &&
            strcmp(nb_units[i].name, word + digits) == 0) {
            factor = nb_units[i].factor;
            is_unit = true;
        }
    nb_text_add(&number, word, digits);
    enum nb_status status = nb_text_check(&number, err);
    if (status != NB_OK)
        return status;
    const bool is_number = nb_ratio_read(number.bytes, &value, NULL) == NB_OK &&
                           value.numerator > 0;
    nb_text_release(&number);
    *out = is_number ? nb_ratio_multiply(value, factor) : value;
    return is_unit && is_number && nb_ratio_is_known(*out)
               ? NB_OK
               : nb_lines_fail(&reader->lines, NB_INVALID, err,
                               "rate \"%.60s\" is not permitted (permitted: a "
                               "number > 0 and a unit such as Gbps)",
                               word);
}

/* source target rate delay error-rate */
static enum nb_status ns3_read_link(struct ns3 *reader, struct nb_error *err)
{
    struct nb_graph *graph = reader->graph;
    const size_t before = graph->edge_count;
    int64_t source, target;
    struct nb_ratio rate;
    enum nb_status status;
    NB_TRY(
        ns3_whole(reader, "source", "a node", reader->nodes - 1, &source, err));
    const size_t line = reader->lines.number;
    NB_TRY(
        ns3_whole(reader, "target", "a node", reader->nodes - 1, &target, err));
    const char *word = ns3_word(reader);
    if (word == NULL || ns3_word(reader) == NULL || ns3_word(reader) == NULL)
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "the file ends within a link (permitted: source "
                             "target rate delay error-rate)");
    NB_TRY(ns3_read_rate(reader, word, &rate, err));
    const struct nb_graph_edge edge = { .source = reader->name[source],
                                        .target = reader->name[target],
                                        .line = line };
    NB_TRY(nb_graph_add(graph, &edge, err));
    if (graph->edge_count > before)
        reader->rate[before] = rate;
done:
    return status;
}

/* Nodes that are not listed as switches are hosts. */
static enum nb_status ns3_read_nodes(struct ns3 *reader, size_t length,
                                     struct nb_error *err)
{
    struct nb_graph *graph = reader->graph;
    const char *const kind = "no more than bytes";
    enum nb_status status;
    NB_TRY(
        ns3_whole(reader, "nodes", kind, (int64_t)length, &reader->nodes, err));
    NB_TRY(ns3_whole(reader, "switches", "no more than nodes", reader->nodes,
                     &reader->switches, err));
    NB_TRY(
        ns3_whole(reader, "links", kind, (int64_t)length, &reader->links, err));
    NB_TRY(nb_graph_name_numbers(graph, 0, (size_t)reader->nodes, &reader->name,
                                 err));
    NB_TRY(nb_new(&graph->terminals, (size_t)reader->nodes,
                  sizeof *graph->terminals, "terminals", err));
    for (int64_t i = 0; i < reader->nodes; i++)
        graph->terminals[i] = NB_NONE;
    for (int64_t i = 0; i < reader->switches; i++) {
        int64_t number;
        NB_TRY(ns3_whole(reader, "switch", "a node", reader->nodes - 1, &number,
                         err));
        if (graph->terminals[number] == 0)
            return nb_lines_fail(&reader->lines, NB_INVALID, err,
                                 "switch \"%" PRId64 "\" is repeated "
                                 "(permitted: each once)",
                                 number);
        graph->terminals[number] = 0;
    }
done:
    return status;
}

/* Refuses links beyond the number that the first line gives. What else follows
 * is not used. */
static enum nb_status ns3_check_rest(struct ns3 *reader, struct nb_error *err)
{
    for (size_t i = 0; i < 3; i++) {
        const char *word = ns3_word(reader);
        const size_t digits = word != NULL ? strspn(word, "0123456789.") : 0;
        if (digits == 0 || (i < 2 && word[digits] != '\0'))
            return NB_OK;
    }
    return nb_lines_fail(&reader->lines, NB_INVALID, err,
                         "another link follows (permitted: %" PRId64
                         ", as the first line says)",
                         reader->links);
}

static int ns3_compare(const void *left, const void *right)
{
    const struct nb_ratio *a = left, *b = right;
    return nb_ratio_compare(*a, *b);
}

static bool ns3_is_host(const struct nb_graph *graph, const char *name)
{
    /* Names were added in the order of their numbers. */
    return graph->terminals[nb_graph_names_find(&graph->names, name)] != 0;
}

/* Finds the rate that is bandwidth 1: the most common one of hosts' links, the
 * slower if tied. */
static enum nb_status ns3_find_usual(const struct ns3 *reader,
                                     struct nb_ratio *out, struct nb_error *err)
{
    const struct nb_graph *graph = reader->graph;
    struct nb_ratio *rate = NULL;
    size_t count = 0, most = 0;
    enum nb_status status;
    *out = (struct nb_ratio){ 1, 1 };
    NB_TRY(nb_new(&rate, graph->edge_count, sizeof *rate, "links", err));
    for (size_t e = 0; e < graph->edge_count; e++)
        if (ns3_is_host(graph, graph->edges[e].source) ||
            ns3_is_host(graph, graph->edges[e].target))
            rate[count++] = reader->rate[e];
    if (count > 1)
        qsort(rate, count, sizeof *rate, ns3_compare);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1;
             next < count && ns3_compare(&rate[i], &rate[next]) == 0; next++)
            ;
        if (next - i > most) {
            most = next - i;
            *out = rate[i];
        }
    }
done:
    nb_delete(rate);
    return status;
}

/* Sets bandwidths by the rates. */
static enum nb_status ns3_set_bandwidths(struct ns3 *reader,
                                         struct nb_error *err)
{
    struct nb_graph *graph = reader->graph;
    struct nb_ratio usual;
    char number[NB_RATIO_TEXT];
    const enum nb_status status = ns3_find_usual(reader, &usual, err);
    if (status != NB_OK)
        return status;
    for (size_t e = 0; e < graph->edge_count; e++)
        graph->edges[e].bandwidth = nb_ratio_divide(reader->rate[e], usual);
    nb_unit_print_number(usual, number);
    nb_graph_note(graph, "speeds",
                  "bandwidth 1 is %s Gbps, that of most hosts' links", number);
    return NB_OK;
}

static enum nb_status ns3_read(char *text, size_t length,
                               const struct nb_graph_options *options,
                               struct nb_graph *graph, struct nb_error *err)
{
    struct ns3 reader = { .graph = graph };
    bool are_hosts;
    enum nb_status status;
    NB_TRY(nb_lines_begin(&reader.lines, graph->path, '\0', text, length, err));
    NB_TRY(ns3_read_nodes(&reader, length, err));
    NB_TRY(nb_new(&reader.rate, (size_t)reader.links, sizeof *reader.rate,
                  "links", err));
    for (int64_t i = 0; i < reader.links; i++)
        NB_TRY(ns3_read_link(&reader, err));
    NB_TRY(ns3_check_rest(&reader, err));
    nb_graph_names_number(&graph->names);
    if (!options->ignores_speeds)
        NB_TRY(ns3_set_bandwidths(&reader, err));
    NB_TRY(nb_graph_number_hosts(graph, &are_hosts, err));
    graph->hosts_note = NB_HOSTS_UNLISTED;
done:
    nb_delete(reader.rate);
    return status;
}

/*
 * Words in any lines: the numbers of nodes, switches and links; the switches;
 * and for each link its ends, rate, delay and error rate. The last two are not
 * used, nor what follows. Nodes are numbered from 0; those that are not listed
 * as switches are hosts.
 *
 * Source: mix/topology.txt of github.com/alibaba-edu/High-Precision-Congestion-
 * Control.
 */
const struct nb_graph_format nb_graph_format_ns3 = {
    .name = "ns3",
    .title = "topology.txt of ns-3 (HPCC)",
    .is = ns3_is,
    .is_undirected = true,
    .read = ns3_read,
};
