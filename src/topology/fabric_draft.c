/* Joins the records of a fabric (fabric_draft.h). */
#include "topology/fabric_draft.h"

#include "core/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Data rate of one lane [Gbit/s], by the names of ibnetdiscover. */
static const struct {
    const char *name;
    struct nb_ratio gigabits;
    const char *rates; /* of signals [Gbit/s], as tools print them */
} draft_speeds[] = {
    { "SDR", { 2, 1 }, "2.5" },           { "DDR", { 4, 1 }, "5.0 5" },
    { "QDR", { 8, 1 }, "10.0 10" },       { "FDR10", { 10, 1 }, "FDR10" },
    { "FDR", { 150, 11 }, "14.0625 14" }, { "EDR", { 25, 1 }, "25.78125 25" },
    { "HDR", { 50, 1 }, "53.125 50" },    { "NDR", { 100, 1 }, "106.25 100" },
    { "XDR", { 200, 1 }, "212.5 200" },
};

bool nb_fabric_speed(struct nb_ratio gigabits, char out[NB_FABRIC_SPEED])
{
    static const unsigned lanes[] = { 4, 1, 8, 12 };
    for (size_t l = 0; l < sizeof lanes / sizeof *lanes; l++)
        for (size_t i = 0; i < sizeof draft_speeds / sizeof *draft_speeds;
             i++) {
            const struct nb_ratio data = nb_ratio_multiply(
                nb_ratio_make(lanes[l], 1), draft_speeds[i].gigabits);
            if (nb_ratio_compare(data, gigabits) != 0)
                continue;
            snprintf(out, NB_FABRIC_SPEED, "%ux%s", lanes[l],
                     draft_speeds[i].name);
            return true;
        }
    return false;
}

void nb_draft_release(struct nb_draft *draft)
{
    nb_delete(draft->node);
    nb_delete(draft->cable);
    nb_delete(draft->by_id);
    nb_delete(draft->router);
    nb_graph_release(&draft->ids);
}

enum nb_status nb_draft_node_add(struct nb_draft *draft,
                                 const struct nb_draft_node *node,
                                 struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_reserve(&draft->node, &draft->node_capacity,
                      draft->node_count + 1, sizeof *draft->node, "nodes",
                      err));
    draft->node[draft->node_count] = *node;
    struct nb_draft_node *added = &draft->node[draft->node_count];
    added->place = draft->node_count++;
    added->is_aggregation =
        strstr(node->description, "Aggregation Node") != NULL;
done:
    return status;
}

enum nb_status nb_draft_node_meet(struct nb_draft *draft,
                                  const struct nb_draft_node *node, size_t *out,
                                  struct nb_error *err)
{
    struct nb_graph_names *names = &draft->ids.names;
    enum nb_status status;
    draft->ids.path = draft->graph->path;
    NB_TRY(nb_graph_names_add(&draft->ids, node->line, node->id, err));
    if (names->count > draft->node_count) {
        names->entry[draft->node_count].number = (uint32_t)draft->node_count;
        *out = draft->node_count;
        return nb_draft_node_add(draft, node, err);
    }
    *out = nb_graph_names_find(names, node->id);
    struct nb_draft_node *known = &draft->node[*out];
    if (known->description[0] == '\0')
        known->description = node->description;
    if (known->is.lid == 0)
        known->is.lid = node->is.lid;
    if (known->is.port_count < node->is.port_count)
        known->is.port_count = node->is.port_count;
done:
    return status;
}

enum nb_status nb_draft_cable_add(struct nb_draft *draft,
                                  const struct nb_draft_cable *cable,
                                  struct nb_error *err)
{
    const enum nb_status status =
        nb_reserve(&draft->cable, &draft->cable_capacity,
                   draft->cable_count + 1, sizeof *draft->cable, "cables", err);
    if (status == NB_OK)
        draft->cable[draft->cable_count++] = *cable;
    return status;
}

void nb_draft_set_speed(struct nb_fabric_port *port, unsigned long lanes,
                        const char *name)
{
    char text[NB_FABRIC_SPEED];
    if (lanes == 0 ||
        snprintf(text, sizeof text, "%lux%s", lanes, name) >= (int)sizeof text)
        return;
    memcpy(port->speed, text, sizeof text);
    for (size_t i = 0; i < sizeof draft_speeds / sizeof *draft_speeds; i++)
        if (lanes <= 12 && strcmp(name, draft_speeds[i].name) == 0)
            port->gigabits =
                nb_ratio_multiply((struct nb_ratio){ (int64_t)lanes, 1 },
                                  draft_speeds[i].gigabits);
}

void nb_draft_set_rate(struct nb_fabric_port *port, unsigned long lanes,
                       const char *rate)
{
    const size_t length = strlen(rate);
    const char *name = rate;
    for (size_t i = 0; i < sizeof draft_speeds / sizeof *draft_speeds; i++)
        for (const char *at = draft_speeds[i].rates; *at != '\0';
             at += strcspn(at, " "), at += *at == ' ')
            if (length == strcspn(at, " ") && strncmp(at, rate, length) == 0)
                name = draft_speeds[i].name;
    nb_draft_set_speed(port, lanes, name);
}

enum nb_status nb_draft_make_id(struct nb_draft *draft, char type,
                                uint64_t guid, const char **out,
                                struct nb_error *err)
{
    enum { ROOM = 19 };
    struct nb_pool *pool = &draft->graph->texts;
    char *text = nb_pool_array(pool, ROOM, 1);
    const enum nb_status status = nb_pool_check(pool, "ids", err);
    if (status == NB_OK)
        snprintf(text, ROOM, "%c-%016" PRIx64, type, guid);
    *out = text;
    return status;
}

bool nb_draft_read_guid(const char *text, uint64_t *out)
{
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        text += 2;
    const size_t length = strspn(text, "0123456789abcdefABCDEF");
    if (length == 0 || length > 16 ||
        (text[length] != '\0' && strchr(" \t\r(", text[length]) == NULL))
        return false;
    *out = strtoull(text, NULL, 16);
    return true;
}

static int draft_compare_nodes(const void *left, const void *right)
{
    const struct nb_draft_node *a = left, *b = right;
    if (a->is.is_switch != b->is.is_switch)
        return a->is.is_switch ? -1 : 1;
    const uint64_t first = a->is.guid != 0 ? a->is.guid : a->order;
    const uint64_t second = b->is.guid != 0 ? b->is.guid : b->order;
    if (first != second)
        return first < second ? -1 : 1;
    const int order = strverscmp(a->id, b->id);
    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

/*
 * Puts switches before hosts, each by GUID, or by id where there is none: the
 * order in which ibnetdiscover finds them depends on where it runs. Names do
 * not help: they are arbitrary, not unique, and may change.
 */
static enum nb_status draft_order_nodes(struct nb_draft *draft,
                                        struct nb_error *err)
{
    size_t *moved = NULL; /* [place in the file] index in the new order */
    enum nb_status status;
    if (draft->node_count == 0)
        return NB_OK;
    NB_TRY(nb_new(&moved, draft->node_count, sizeof *moved, "nodes", err));
    qsort(draft->node, draft->node_count, sizeof *draft->node,
          draft_compare_nodes);
    for (size_t i = 0; i < draft->node_count; i++)
        moved[draft->node[i].place] = i;
    for (size_t c = 0; c < draft->cable_count; c++)
        draft->cable[c].node = moved[draft->cable[c].node];
done:
    nb_delete(moved);
    return status;
}

static int draft_compare_ids(const void *left, const void *right)
{
    const struct nb_draft_node *a = *(struct nb_draft_node *const *)left;
    const struct nb_draft_node *b = *(struct nb_draft_node *const *)right;
    const int order = strcmp(a->id, b->id);
    return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

static int draft_compare_descriptions(const void *left, const void *right)
{
    const struct nb_draft_node *a = *(struct nb_draft_node *const *)left;
    const struct nb_draft_node *b = *(struct nb_draft_node *const *)right;
    return strcmp(a->description, b->description);
}

static int draft_find_id(const void *key, const void *entry)
{
    const struct nb_draft_node *node = *(struct nb_draft_node *const *)entry;
    return strcmp(key, node->id);
}

static enum nb_status draft_sort_nodes(struct nb_draft *draft,
                                       struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_new(&draft->by_id, draft->node_count, sizeof *draft->by_id,
                  "nodes", err));
    for (size_t i = 0; i < draft->node_count; i++)
        draft->by_id[i] = &draft->node[i];
    qsort(draft->by_id, draft->node_count, sizeof *draft->by_id,
          draft_compare_ids);
    for (size_t i = 1; i < draft->node_count; i++)
        if (strcmp(draft->by_id[i - 1]->id, draft->by_id[i]->id) == 0)
            return nb_fail(err, NB_INVALID,
                           "%.200s:%zu: \"%.60s\" is also on line %zu "
                           "(permitted: one record of each switch and host)",
                           draft->graph->path, draft->by_id[i]->line,
                           draft->by_id[i]->id, draft->by_id[i - 1]->line);
done:
    return status;
}

/* Names a node by its description if no other has it, else by description and
 * id, in the order of ids. */
static enum nb_status draft_name_nodes(struct nb_draft *draft,
                                       struct nb_error *err)
{
    struct nb_draft_node **order = NULL;
    struct nb_pool *pool = &draft->graph->texts;
    const size_t count = draft->node_count;
    enum nb_status status;
    NB_TRY(nb_new(&order, count, sizeof *order, "names", err));
    memcpy(order, draft->by_id, count * sizeof *order);
    qsort(order, count, sizeof *order, draft_compare_descriptions);
    for (size_t i = 0; i < count; i++) {
        struct nb_draft_node *node = order[i];
        const bool is_alone =
            (i == 0 ||
             draft_compare_descriptions(&order[i - 1], &order[i]) != 0) &&
            (i + 1 == count ||
             draft_compare_descriptions(&order[i], &order[i + 1]) != 0);
        const size_t length = strlen(node->description);
        node->name = length == 0 ? node->id : node->description;
        if (length == 0 || is_alone)
            continue;
        const size_t room = length + strlen(node->id) + 2;
        char *name = nb_pool_array(pool, room, 1);
        NB_TRY(nb_pool_check(pool, "names", err));
        snprintf(name, room, "%s %s", node->description, node->id);
        node->name = name;
    }
done:
    nb_delete(order);
    return status;
}

static int draft_compare_places(const struct nb_draft_cable *a,
                                const struct nb_draft_cable *b)
{
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return (a->is.port > b->is.port) - (a->is.port < b->is.port);
}

static int draft_compare_cables(const void *left, const void *right)
{
    const struct nb_draft_cable *a = left, *b = right;
    const int order = draft_compare_places(a, b);
    return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

/* The cable at a port among the first `count`; NULL: none. */
static struct nb_draft_cable *draft_find_cable(const struct nb_draft *draft,
                                               size_t count, size_t node,
                                               uint32_t port)
{
    const struct nb_draft_cable key = { .node = node, .is = { .port = port } };
    size_t low = 0, end = count;
    while (low < end) {
        const size_t middle = low + (end - low) / 2;
        if (draft_compare_cables(&draft->cable[middle], &key) < 0)
            low = middle + 1;
        else
            end = middle;
    }
    return low < count && draft->cable[low].node == node &&
                   draft->cable[low].is.port == port
               ? &draft->cable[low]
               : NULL;
}

/* Finds the target of every cable, and sorts the cables. */
static enum nb_status draft_join_cables(struct nb_draft *draft,
                                        struct nb_error *err)
{
    for (size_t c = 0; c < draft->cable_count; c++) {
        struct nb_draft_cable *cable = &draft->cable[c];
        struct nb_draft_node **found =
            bsearch(cable->target_id, draft->by_id, draft->node_count,
                    sizeof *draft->by_id, draft_find_id);
        if (found == NULL)
            return nb_fail(err, NB_INVALID,
                           "%.200s:%zu: \"%.60s\" has no record of its own "
                           "(permitted: a Switch or Ca that the file lists)",
                           draft->graph->path, cable->line, cable->target_id);
        cable->target = (size_t)(*found - draft->node);
        if (cable->is.target_port > (*found)->is.port_count)
            return nb_fail(err, NB_INVALID,
                           "%.200s:%zu: port %" PRIu32 " of \"%.60s\" is not "
                           "permitted (permitted: 1 to %" PRIu32 ")",
                           draft->graph->path, cable->line,
                           cable->is.target_port, cable->target_id,
                           (*found)->is.port_count);
    }
    if (draft->cable_count > 0)
        qsort(draft->cable, draft->cable_count, sizeof *draft->cable,
              draft_compare_cables);
    return NB_OK;
}

static enum nb_status draft_refuse_two(const struct nb_draft *draft,
                                       const struct nb_draft_cable *one,
                                       const struct nb_draft_cable *other,
                                       struct nb_error *err)
{
    const struct nb_draft_cable *later = one->line > other->line ? one : other;
    return nb_fail(err, NB_INVALID,
                   "%.200s:%zu: the cable at port %" PRIu32 " of \"%.60s\" "
                   "leads elsewhere on line %zu (permitted: one cable at a "
                   "port, the same at both ends)",
                   draft->graph->path, later->line, later->is.port,
                   draft->node[later->node].id,
                   later == one ? other->line : one->line);
}

/* A cable as listed at its other end. */
static struct nb_draft_cable draft_turn(const struct nb_draft_cable *cable)
{
    struct nb_draft_cable back = *cable;
    back.node = cable->target;
    back.target = cable->node;
    back.is.port = cable->is.target_port;
    back.is.target_port = cable->is.port;
    back.is.guid = cable->target_guid;
    back.is.lid = back.is.lmc = 0;
    back.is.is_inferred = true;
    return back;
}

/* Adds the other end of cables that only one end lists. */
static enum nb_status draft_complete(struct nb_draft *draft,
                                     struct nb_error *err)
{
    const size_t count = draft->cable_count;
    enum nb_status status = NB_OK;
    for (size_t c = 0; c < count; c++) {
        const struct nb_draft_cable *cable = &draft->cable[c];
        if (c > 0 && draft_compare_places(cable - 1, cable) == 0)
            return draft_refuse_two(draft, cable - 1, cable, err);
        struct nb_draft_cable *other = draft_find_cable(
            draft, count, cable->target, cable->is.target_port);
        if (other != NULL && (other->target != cable->node ||
                              other->is.target_port != cable->is.port))
            return draft_refuse_two(draft, cable, other, err);
        if (other != NULL && other->is.guid == 0)
            other->is.guid = cable->target_guid;
        if (other != NULL)
            continue;
        const struct nb_draft_cable back = draft_turn(cable);
        NB_TRY(nb_reserve(&draft->cable, &draft->cable_capacity,
                          draft->cable_count + 1, sizeof *draft->cable,
                          "cables", err));
        draft->cable[draft->cable_count++] = back;
    }
    if (count > 0)
        qsort(draft->cable, draft->cable_count, sizeof *draft->cable,
              draft_compare_cables);
    for (size_t c = 1; c < draft->cable_count; c++)
        if (draft_compare_places(&draft->cable[c - 1], &draft->cable[c]) == 0)
            return draft_refuse_two(draft, &draft->cable[c - 1],
                                    &draft->cable[c], err);
    for (size_t c = draft->cable_count; c-- > 0;) {
        draft->node[draft->cable[c].node].cables = c;
        draft->node[draft->cable[c].node].cable_count++;
    }
done:
    return status;
}

/* Adds a router with the data of its node. */
static enum nb_status draft_add_router(struct nb_draft *draft,
                                       const struct nb_draft_node *node,
                                       const char *name, struct nb_error *err)
{
    struct nb_graph *graph = draft->graph;
    const size_t last = graph->names.count;
    enum nb_status status;
    NB_TRY(nb_graph_router_add(graph, node->line, name,
                               node->is.is_switch || node->is.is_gateway ||
                                       node->is_aggregation
                                   ? 0
                                   : NB_NONE,
                               err));
    NB_TRY(nb_reserve(&draft->router, &draft->router_capacity, last + 1,
                      sizeof *draft->router, "routers", err));
    draft->router[last] = node->is;
    draft->router[last].description =
        node->description[0] != '\0' ? (uint32_t)strlen(node->description) : 0;
done:
    return status;
}

/* Every switch is a router, and so is every port of an adapter with a cable,
 * since adapters do not forward packets. */
static enum nb_status draft_add_routers(struct nb_draft *draft,
                                        struct nb_error *err)
{
    struct nb_pool *pool = &draft->graph->texts;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < draft->node_count; i++) {
        const struct nb_draft_node *node = &draft->node[i];
        const bool is_one = node->is.is_switch || node->cable_count < 2;
        if (is_one)
            NB_TRY(draft_add_router(draft, node, node->name, err));
        for (size_t c = 0; c < node->cable_count; c++) {
            struct nb_draft_cable *cable = &draft->cable[node->cables + c];
            const size_t room = strlen(node->name) + 16;
            cable->host = node->name;
            if (is_one)
                continue;
            char *name = nb_pool_array(pool, room, 1);
            NB_TRY(nb_pool_check(pool, "names", err));
            snprintf(name, room, "%s port %" PRIu32, node->name,
                     cable->is.port);
            cable->host = name;
            NB_TRY(draft_add_router(draft, node, name, err));
        }
    }
done:
    return status;
}

/* Numbers the routers, and sorts their data accordingly. */
static enum nb_status draft_number(struct nb_draft *draft, struct nb_error *err)
{
    const struct nb_graph_names *names = &draft->graph->names;
    struct nb_fabric_node *sorted = NULL;
    enum nb_status status;
    NB_TRY(draft_add_routers(draft, err));
    nb_graph_names_number(&draft->graph->names);
    if (names->repeated != NULL)
        return nb_fail(err, NB_INVALID,
                       "%.200s: two switches or hosts are named \"%.60s\"",
                       draft->graph->path, names->repeated);
    NB_TRY(nb_new(&sorted, names->count, sizeof *sorted, "routers", err));
    for (size_t i = 0; i < names->count; i++)
        sorted[names->entry[i].number] = draft->router[i];
    nb_delete(draft->router);
    draft->router = sorted;
    for (size_t c = 0; c < draft->cable_count; c++)
        draft->cable[c].is.router =
            nb_graph_names_find(names, draft->cable[c].host);
    for (size_t c = 0; c < draft->cable_count; c++) {
        struct nb_draft_cable *cable = &draft->cable[c];
        cable->is.target =
            draft_find_cable(draft, draft->cable_count, cable->target,
                             cable->is.target_port)
                ->is.router;
    }
done:
    return status;
}

/* The speed that is bandwidth 1: the most common one of hosts' cables, the
 * slower if tied. Not known: no speed is given. */
static struct nb_ratio draft_usual(const struct nb_draft *draft)
{
    struct nb_ratio usual = { 0, 0 };
    size_t most = 0;
    for (size_t i = 0; i < sizeof draft_speeds / sizeof *draft_speeds; i++)
        for (int lanes = 1; lanes <= 12; lanes++) {
            const struct nb_ratio speed = nb_ratio_multiply(
                (struct nb_ratio){ lanes, 1 }, draft_speeds[i].gigabits);
            size_t count = 0;
            for (size_t c = 0; c < draft->cable_count; c++)
                count +=
                    nb_ratio_is_known(draft->cable[c].is.gigabits) &&
                    nb_ratio_compare(draft->cable[c].is.gigabits, speed) == 0 &&
                    !draft->node[draft->cable[c].node].is.is_switch;
            if (count > most || (count == most && count > 0 &&
                                 nb_ratio_compare(speed, usual) < 0)) {
                usual = speed;
                most = count;
            }
        }
    return usual;
}

/* The speed of bandwidth 1. */
static struct nb_ratio draft_unit(const struct nb_draft *draft)
{
    const struct nb_ratio own = draft->graph->terminal_bandwidth;
    const struct nb_ratio usual = draft_usual(draft);
    return nb_ratio_is_known(own) && !nb_ratio_is_infinite(own)
               ? nb_ratio_divide(usual, own)
               : usual;
}

static enum nb_status draft_add_edges(struct nb_draft *draft, bool are_alike,
                                      struct nb_error *err)
{
    const struct nb_ratio unit = draft_unit(draft);
    enum nb_status status = NB_OK;
    for (size_t c = 0; c < draft->cable_count; c++) {
        const struct nb_draft_cable *cable = &draft->cable[c];
        const struct nb_graph_edge edge = {
            .source = cable->host,
            .target = draft_find_cable(draft, draft->cable_count, cable->target,
                                       cable->is.target_port)
                          ->host,
            .bandwidth = are_alike ? (struct nb_ratio){ 0, 0 }
                                   : nb_ratio_divide(cable->is.gigabits, unit),
            .line = cable->line,
            .is_directed = true,
        };
        if (cable->is.router != cable->is.target)
            NB_TRY(nb_graph_add(draft->graph, &edge, err));
    }
done:
    return status;
}

static int draft_compare_ports(const void *left, const void *right)
{
    const struct nb_fabric_port *a = left, *b = right;
    if (a->router != b->router)
        return a->router < b->router ? -1 : 1;
    return (a->port > b->port) - (a->port < b->port);
}

static enum nb_status draft_keep(struct nb_draft *draft, struct nb_error *err)
{
    const size_t ports = draft->cable_count;
    struct nb_fabric *fabric;
    enum nb_status status;
    NB_TRY(nb_new(&fabric, 1, sizeof *fabric, "ports", err));
    draft->graph->fabric = fabric;
    NB_TRY(nb_new(&fabric->port, ports, sizeof *fabric->port, "ports", err));
    fabric->node = draft->router;
    draft->router = NULL;
    fabric->node_count = draft->graph->names.count;
    fabric->port_count = ports;
    for (size_t c = 0; c < ports; c++)
        fabric->port[c] = draft->cable[c].is;
    if (ports > 0)
        qsort(fabric->port, ports, sizeof *fabric->port, draft_compare_ports);
    NB_TRY(nb_fabric_index(fabric, err));
done:
    return status;
}

enum nb_status nb_draft_finish(struct nb_draft *draft,
                               const struct nb_graph_options *options,
                               struct nb_error *err)
{
    struct nb_graph *graph = draft->graph;
    enum nb_status status;
    NB_TRY(draft_order_nodes(draft, err));
    NB_TRY(draft_sort_nodes(draft, err));
    NB_TRY(draft_name_nodes(draft, err));
    NB_TRY(draft_join_cables(draft, err));
    NB_TRY(draft_complete(draft, err));
    NB_TRY(draft_number(draft, err));
    NB_TRY(draft_add_edges(draft, options->ignores_speeds, err));
    NB_TRY(draft_keep(draft, err));
    if (!options->ignores_speeds)
        graph->fabric->unit = draft_unit(draft);
    if (!options->folds_hosts) /* hosts' cables are channels like others */
        graph->terminal_bandwidth = (struct nb_ratio){ 0, 0 };
done:
    return status;
}
