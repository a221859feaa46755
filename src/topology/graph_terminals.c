/* Terminals where the user says, by name or by number of neighbours (declared
 * in graph.h). */
#include "topology/graph.h"

#include "core/memory.h"
#include "core/name_list.h"
#include "core/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char terminals_degree[] = "degree:";

/* Owns pool and list. */
struct terminals {
    struct nb_graph *graph;
    size_t *entry;    /* [router] index of its name */
    uint32_t *degree; /* [router] routers that it is joined with */
    bool *is_chosen;  /* [router] */
    size_t chosen;
    struct nb_pool pool;
    struct nb_name_list list;
};

struct terminals_pair {
    uint32_t from, to;
};

static int terminals_compare(const void *left, const void *right)
{
    const struct terminals_pair *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* Counts the routers that each is joined with; parallel links count once. */
static enum nb_status terminals_count(struct terminals *work,
                                      struct nb_error *err)
{
    const struct nb_graph *graph = work->graph;
    const size_t n = graph->names.count, count = 2 * graph->edge_count;
    struct terminals_pair *pairs =
        nb_pool_array(&work->pool, count, sizeof *pairs);
    enum nb_status status;
    work->entry = nb_pool_array(&work->pool, n, sizeof *work->entry);
    work->degree = nb_pool_array(&work->pool, n, sizeof *work->degree);
    work->is_chosen = nb_pool_array(&work->pool, n, sizeof *work->is_chosen);
    NB_TRY(nb_pool_check(&work->pool, "terminals", err));
    for (size_t i = 0; i < n; i++)
        work->entry[graph->names.entry[i].number] = i;
    for (size_t e = 0; e < graph->edge_count; e++) {
        const struct nb_graph_edge *edge = &graph->edges[e];
        uint32_t a, b;
        NB_TRY(nb_graph_find(graph, edge, edge->source, &a, err));
        NB_TRY(nb_graph_find(graph, edge, edge->target, &b, err));
        pairs[2 * e] = (struct terminals_pair){ a, b };
        pairs[2 * e + 1] = (struct terminals_pair){ b, a };
    }
    if (count > 0)
        qsort(pairs, count, sizeof *pairs, terminals_compare);
    for (size_t p = 0; p < count; p++)
        work->degree[pairs[p].from] +=
            p == 0 || terminals_compare(&pairs[p - 1], &pairs[p]) != 0;
done:
    return status;
}

/* Reads degree:1 or degree:1..2; false: another form. */
static bool terminals_read_range(const char *text, unsigned long *least,
                                 unsigned long *most)
{
    char *end;
    text += strlen(terminals_degree);
    *least = *most = strtoul(text, &end, 10);
    if (end == text || *text < '0' || *text > '9')
        return false;
    if (strncmp(end, "..", 2) == 0) {
        text = end + 2;
        *most = strtoul(text, &end, 10);
        if (end == text || *text < '0' || *text > '9')
            return false;
    }
    return *end == '\0' && *least <= *most;
}

static bool terminals_fits(const struct terminals *work, uint32_t router,
                           const char *item)
{
    const struct nb_name *name = &work->graph->names.entry[work->entry[router]];
    unsigned long least, most;
    if (strncmp(item, terminals_degree, strlen(terminals_degree)) == 0)
        return terminals_read_range(item, &least, &most) &&
               work->degree[router] >= least && work->degree[router] <= most;
    return nb_name_fits(item, nb_name_shown(name)) ||
           nb_name_fits(item, name->text);
}

/* Chooses the routers that fit an item. Switches of a fabric never do: ports
 * with hosts are theirs. */
static enum nb_status terminals_choose(struct terminals *work, const char *item,
                                       struct nb_error *err)
{
    const struct nb_graph *graph = work->graph;
    bool fits_any = false;
    for (uint32_t r = 0; r < graph->names.count; r++) {
        const bool is_switch =
            graph->fabric != NULL && graph->terminals[work->entry[r]] == 0;
        if (is_switch || !terminals_fits(work, r, item))
            continue;
        fits_any = true;
        work->chosen += !work->is_chosen[r];
        work->is_chosen[r] = true;
    }
    if (fits_any)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "%.200s: terminals-at \"%.60s\" fits no %s (permitted: "
                   "degree:N or degree:N..M, names such as \"%.60s\", patterns "
                   "with * and ?, lists such as n[0-3]; joined by +)",
                   graph->path, item, graph->fabric != NULL ? "host" : "router",
                   nb_name_shown(&graph->names.entry[0]));
}

/* Splits a list at + and chooses what its items stand for. */
static enum nb_status terminals_read(struct terminals *work, const char *wanted,
                                     struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (const char *at = wanted;; at++) {
        const size_t length = strcspn(at, "+");
        char *item = nb_pool_array(&work->pool, length + 1, 1);
        NB_TRY(nb_pool_check(&work->pool, "terminals", err));
        memcpy(item, at, length);
        work->list.count = 0;
        NB_TRY(nb_name_list_read(item, &work->pool, &work->list, err));
        for (size_t i = 0; i < work->list.count; i++)
            NB_TRY(terminals_choose(work, work->list.name[i], err));
        at += length;
        if (*at == '\0')
            break;
    }
done:
    return status;
}

/* Gives terminals to the chosen routers only. */
static enum nb_status terminals_set(struct terminals *work, uint32_t terminals,
                                    struct nb_error *err)
{
    struct nb_graph *graph = work->graph;
    const bool has_own = graph->terminals != NULL;
    const enum nb_status status =
        nb_grow(&graph->terminals, graph->names.capacity,
                sizeof *graph->terminals, "terminals", err);
    for (size_t i = 0; status == NB_OK && i < graph->names.count; i++) {
        const uint32_t own = has_own ? graph->terminals[i] : NB_NONE;
        graph->terminals[i] = !work->is_chosen[graph->names.entry[i].number] ? 0
                              : own == NB_NONE || own == 0 ? terminals
                                                           : own;
    }
    return status;
}

/* Whether each chosen router hangs on one that is not chosen. */
static bool terminals_are_hosts(const struct terminals *work)
{
    const struct nb_graph *graph = work->graph;
    const size_t n = graph->names.count;
    for (uint32_t r = 0; r < n; r++)
        if (work->is_chosen[r] && work->degree[r] != 1)
            return false;
    for (size_t e = 0; e < graph->edge_count; e++)
        if (work->is_chosen[nb_graph_names_find(&graph->names,
                                                graph->edges[e].source)] &&
            work->is_chosen[nb_graph_names_find(&graph->names,
                                                graph->edges[e].target)])
            return false;
    return work->chosen < n;
}

/* Numbers switches first, then hosts, in the old order. */
static void terminals_number(struct terminals *work)
{
    struct nb_graph *graph = work->graph;
    uint32_t next = 0;
    for (int are_hosts = 0; are_hosts < 2; are_hosts++) {
        for (uint32_t r = 0; r < graph->names.count; r++)
            if (work->is_chosen[r] == are_hosts)
                graph->names.entry[work->entry[r]].number = next++;
        if (!are_hosts)
            graph->first_node = next;
    }
}

/* Numbers hosts after switches if the chosen routers are hosts. */
static enum nb_status terminals_try_number(struct terminals *work,
                                           bool *are_hosts,
                                           struct nb_error *err)
{
    *are_hosts = terminals_are_hosts(work);
    if (!*are_hosts)
        return NB_OK;
    terminals_number(work);
    return nb_graph_label_numbers(work->graph, err);
}

enum nb_status nb_graph_number_hosts(struct nb_graph *graph, bool *are_hosts,
                                     struct nb_error *err)
{
    struct terminals work = { .graph = graph };
    enum nb_status status;
    NB_TRY(terminals_count(&work, err));
    for (uint32_t r = 0; r < graph->names.count; r++) {
        work.is_chosen[r] = graph->terminals[work.entry[r]] != 0;
        work.chosen += work.is_chosen[r];
    }
    graph->seeks_hosts = true;
    NB_TRY(terminals_try_number(&work, are_hosts, err));
done:
    nb_pool_release(&work.pool);
    return status;
}

/* The number of routers with terminals. */
static size_t terminals_holders(const struct nb_graph *graph)
{
    size_t count = 0;
    for (size_t i = 0; graph->terminals != NULL && i < graph->names.count; i++)
        count += graph->terminals[i] != 0;
    return count;
}

enum nb_status nb_graph_settle_hosts(struct nb_graph *graph,
                                     struct nb_error *err)
{
    bool are_hosts = graph->seeks_hosts && graph->first_node > 0;
    enum nb_status status = NB_OK;
    if (graph->part.count > 1 && graph->seeks_hosts && !are_hosts)
        NB_TRY(nb_graph_number_hosts(graph, &are_hosts, err));
    const size_t holders = terminals_holders(graph);
    if (graph->hosts_note == NB_HOSTS_UNLISTED)
        nb_graph_note(
            graph, "nodes",
            "nodes that the file does not list as switches: %zu; %s", holders,
            are_hosts ? "each is a host with terminals"
                      : "they have terminals, and packets also pass "
                        "through them, since not each is joined with one "
                        "switch");
    else if (graph->hosts_note == NB_HOSTS_CHOSEN)
        nb_graph_note(graph, "terminals",
                      "at %zu of %zu routers (terminals-at)%s", holders,
                      graph->names.count,
                      are_hosts ? "; each is joined with one other router, so "
                                  "they are hosts and the others are switches"
                      : graph->fabric != NULL || graph->first_node > 0
                          ? ""
                          : "; packets also pass through them");
done:
    return status;
}

enum nb_status nb_graph_choose_terminals(struct nb_graph *graph,
                                         const char *wanted, uint32_t terminals,
                                         struct nb_error *err)
{
    struct terminals work = { .graph = graph };
    enum nb_status status = NB_OK;
    if (strcmp(wanted, NB_GRAPH_TERMINALS_AT) == 0 || graph->names.count == 0)
        return NB_OK;
    NB_TRY(terminals_count(&work, err));
    NB_TRY(terminals_read(&work, wanted, err));
    NB_TRY(terminals_set(&work, terminals, err));
    const bool has_hosts = graph->fabric != NULL || graph->first_node > 0;
    bool are_hosts = false;
    graph->seeks_hosts = !has_hosts && graph->like == NULL;
    graph->hosts_note = NB_HOSTS_CHOSEN;
    if (graph->seeks_hosts)
        NB_TRY(terminals_try_number(&work, &are_hosts, err));
    nb_graph_unnote(graph, "without_terminals");
done:
    nb_name_list_release(&work.list);
    nb_pool_release(&work.pool);
    return status;
}
