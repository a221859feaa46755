#include "routing/formats/forwarding.h"

#include "core/memory.h"
#include "routing/table_ways.h"
#include "routing/walker.h"
#include "topology/fabric.h"
#include "topology/search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A LID and its router. */
struct writer_lid {
    uint32_t lid, router;
};

/* Tables being written; owns its arrays. */
struct writer {
    const struct nb_routing *routing;
    const struct nb_topology *topology;
    const char *path;
    uint32_t *next; /* [destination * router_count + router] the channel */
    struct writer_lid *lid; /* [lid_count] ascending */
    size_t lid_count;
    uint32_t *order; /* [router] scratch */
    struct nb_text text;
};

/* Refuses a scheme that forwarding tables cannot hold, naming router and
 * destination. what: the reason, and what is permitted */
static enum nb_status next_refuse(const struct nb_routing *routing,
                                  const char *path, uint32_t router,
                                  uint32_t destination, const char *what,
                                  struct nb_error *err)
{
    struct nb_text pair = { 0 };
    nb_text_print(&pair, "from \"");
    nb_router_print(routing->topology, router, &pair);
    nb_text_print(&pair, "\" to \"");
    nb_router_print(routing->topology, destination, &pair);
    enum nb_status status = nb_text_check(&pair, err);
    if (status == NB_OK)
        status = nb_fail(err, NB_INVALID,
                         "%.200s: forwarding tables cannot hold routing %s: "
                         "%.140s\" %s",
                         path, routing->kind->kind.name, pair.bytes, what);
    nb_text_release(&pair);
    return status;
}

/* Stores the next hops of packets to a destination at every router. */
static enum nb_status next_take(const struct nb_walker *walker,
                                const char *path, uint32_t *next,
                                struct nb_error *err)
{
    const uint32_t d = walker->destination;
    for (size_t k = 0; k < walker->node_count; k++) {
        const struct nb_walk_node *node = &walker->node[k];
        for (size_t h = node[0].first; h < node[1].first; h++) {
            const uint32_t c = walker->hop[h].channel;
            if (c == NB_NONE)
                continue;
            if (next[node->router] != NB_NONE && next[node->router] != c)
                return next_refuse(walker->routing, path, node->router, d,
                                   "packets take more than one next hop "
                                   "(permitted: one next hop per router and "
                                   "destination)",
                                   err);
            next[node->router] = c;
        }
    }
    return NB_OK;
}

enum nb_status nb_forwarding_find(const struct nb_routing *routing,
                                  const char *path, uint32_t *next,
                                  struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    const size_t n = topology->router_count;
    struct nb_walker walker = { 0 };
    uint32_t *source = NULL;
    size_t count = 0;
    enum nb_status status;
    if (routing->phase != NULL || routing->kind->is_adaptive)
        return nb_fail(err, NB_INVALID,
                       "%.200s: forwarding tables cannot hold routing %s, "
                       "which draws or chooses (permitted: one next hop per "
                       "router and destination)",
                       path, routing->kind->kind.name);
    NB_TRY(nb_new(&source, n, sizeof *source, "hosts", err));
    for (uint32_t r = 0; r < n; r++)
        if (topology->terminals[r] > 0)
            source[count++] = r;
    NB_TRY(nb_walker_init(routing, NULL, &walker, err));
    walker.keeps_missing = true;
    for (uint32_t d = 0; d < n; d++) {
        if (topology->terminals[d] == 0)
            continue;
        NB_TRY(nb_walker_go(&walker, d, source, count, 0, 0, err));
        NB_TRY(next_take(&walker, path, next + d * n, err));
    }
done:
    nb_walker_release(&walker);
    nb_delete(source);
    return status;
}

/* Refuses the network unless it is a fabric whose switches and hosts all have
 * GUIDs. */
static enum nb_status writer_check(const struct writer *writer,
                                   struct nb_error *err)
{
    const struct nb_fabric *fabric = writer->topology->fabric;
    if (fabric == NULL)
        return nb_fail(err, NB_INVALID,
                       "%.200s: forwarding tables need GUIDs of switches, "
                       "which topology %.60s does not have (permitted: file: "
                       "with output of ibnetdiscover; .dot, for ORCS, on any "
                       "network)",
                       writer->path, writer->topology->kind->kind.name);
    for (uint32_t r = 0; r < fabric->node_count; r++)
        if (fabric->node[r].guid == 0)
            return nb_fail(err, NB_INVALID,
                           "%.200s: forwarding tables need GUIDs, and \"%.60s\""
                           " has none (permitted: switchguid=, caguid=)",
                           writer->path, nb_router_name(writer->topology, r));
    return NB_OK;
}

/* Packets to a switch take the next hops of packets to a host at it. */
static void writer_take_host(struct writer *writer, uint32_t destination)
{
    const struct nb_topology *topology = writer->topology;
    const size_t n = topology->router_count;
    for (uint32_t c = topology->out_start[destination];
         c < topology->out_start[destination + 1]; c++) {
        const uint32_t host = topology->channels[c].target;
        if (topology->terminals[host] == 0)
            continue;
        memcpy(writer->next + destination * n, writer->next + host * n,
               n * sizeof(uint32_t));
        writer->next[destination * n + destination] = NB_NONE;
        writer->next[destination * n + host] = NB_NONE;
        return;
    }
}

/* Gives a switch without a next hop one, to order[0]. */
static bool writer_visit(void *context, uint32_t channel, uint32_t near,
                         uint32_t router)
{
    const struct writer *writer = context;
    const struct nb_topology *topology = writer->topology;
    const uint32_t destination = writer->order[0];
    uint32_t *next = writer->next + destination * topology->router_count;
    (void)near;
    if (router == destination || next[router] != NB_NONE ||
        !topology->fabric->node[router].is_switch)
        return false;
    next[router] = channel;
    return true;
}

/* Switches without a next hop to a destination, such as those that carry only
 * management packets, send to the nearest switch that has one, so that their
 * packets arrive as well. */
static void writer_fill(struct writer *writer, uint32_t destination)
{
    const struct nb_topology *topology = writer->topology;
    const size_t n = topology->router_count;
    uint32_t *next = writer->next + destination * n;
    size_t count = 0;
    writer->order[count++] = destination;
    for (uint32_t r = 0; r < n; r++)
        if (next[r] != NB_NONE && topology->fabric->node[r].is_switch)
            writer->order[count++] = r;
    nb_search_against(topology, writer->order, count, writer_visit, writer);
}

static int writer_compare(const void *left, const void *right)
{
    const struct writer_lid *a = left, *b = right;
    return (a->lid > b->lid) - (a->lid < b->lid);
}

/* The number of LIDs that the network gives a router; 0: none. */
static size_t writer_lids(const struct nb_fabric *fabric, uint32_t router)
{
    const struct nb_fabric_port *door = nb_fabric_door(fabric, router);
    const uint32_t lid = nb_fabric_lid(fabric, router);
    if (lid == 0)
        return 0;
    return fabric->node[router].is_switch || door == NULL
               ? 1
               : (size_t)1 << door->lmc;
}

/* Takes the network's LIDs if every router has its own, else new ones. */
static enum nb_status writer_number(struct writer *writer, struct nb_error *err)
{
    const struct nb_fabric *fabric = writer->topology->fabric;
    const size_t n = fabric->node_count;
    size_t lids = 0;
    bool has_all = true;
    enum nb_status status;
    if (n >= NB_LIDS)
        return nb_fail(err, NB_INVALID,
                       "%.200s: %zu switches and hosts are too many "
                       "(permitted: up to %d)",
                       writer->path, n, NB_LIDS - 1);
    for (uint32_t r = 0; r < n; r++) {
        lids += writer_lids(fabric, r);
        has_all = has_all && writer_lids(fabric, r) > 0;
    }
    NB_TRY(nb_new(&writer->lid, n > lids ? n : lids, sizeof *writer->lid,
                  "LIDs", err));
    for (uint32_t r = 0; r < n && has_all; r++)
        for (uint32_t i = 0; i < writer_lids(fabric, r); i++)
            writer->lid[writer->lid_count++] =
                (struct writer_lid){ nb_fabric_lid(fabric, r) + i, r };
    qsort(writer->lid, writer->lid_count, sizeof *writer->lid, writer_compare);
    for (size_t i = 1; i < writer->lid_count; i++)
        has_all = has_all && writer->lid[i].lid > writer->lid[i - 1].lid;
    if (has_all)
        goto done;
    writer->lid_count = n;
    for (uint32_t r = 0; r < n; r++)
        writer->lid[r] = (struct writer_lid){ r + 1, r };
done:
    return status;
}

/* Finds the tables and LIDs. */
static enum nb_status writer_open(const struct nb_routing *routing,
                                  const char *path, struct writer *out,
                                  struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    const size_t n = topology->router_count;
    enum nb_status status;
    *out = (struct writer){ .routing = routing,
                            .topology = topology,
                            .path = path };
    NB_TRY(writer_check(out, err));
    NB_TRY(writer_number(out, err));
    NB_TRY(nb_new(&out->order, n, sizeof *out->order, "hosts", err));
done:
    return status;
}

static void writer_release(struct writer *writer)
{
    nb_delete(writer->next);
    nb_delete(writer->lid);
    nb_delete(writer->order);
    nb_text_release(&writer->text);
}

/* Adds the name of a switch or host used in the file. */
static void writer_add_description(struct writer *writer, uint32_t router)
{
    nb_text_add(&writer->text, nb_router_name(writer->topology, router),
                writer->topology->fabric->node[router].description);
}

/* "0x0001 005 # Channel Adapter portguid 0x...: 'h0 HCA-1'" */
static void writer_add_row(struct writer *writer, const struct writer_lid *lid,
                           uint32_t port)
{
    const struct nb_fabric *fabric = writer->topology->fabric;
    const struct nb_fabric_node *node = &fabric->node[lid->router];
    const struct nb_fabric_port *door = nb_fabric_door(fabric, lid->router);
    const uint64_t of_port =
        door->guid != 0 ? door->guid : node->guid + door->port;
    nb_text_print(&writer->text,
                  "0x%04x %03u # %s portguid 0x%016" PRIx64 ": '", lid->lid,
                  port, node->is_switch ? "Switch" : "Channel Adapter",
                  node->is_switch ? node->guid : of_port);
    writer_add_description(writer, lid->router);
    nb_text_print(&writer->text, "'\n");
}

static void writer_add_switch(struct writer *writer,
                              const struct writer_lid *at)
{
    const struct nb_topology *topology = writer->topology;
    const size_t n = topology->router_count;
    const uint32_t most = writer->lid[writer->lid_count - 1].lid;
    nb_text_print(&writer->text,
                  "Unicast lids [0-%" PRIu32 "] of switch Lid %" PRIu32
                  " guid 0x%016" PRIx64 " ('",
                  most, at->lid, topology->fabric->node[at->router].guid);
    writer_add_description(writer, at->router);
    nb_text_print(&writer->text, "'):\n");
    for (size_t i = 0; i < writer->lid_count; i++) {
        const struct writer_lid *to = &writer->lid[i];
        const uint32_t c = writer->next[to->router * n + at->router];
        if (to->router == at->router)
            writer_add_row(writer, to, 0);
        else if (c != NB_NONE)
            writer_add_row(writer, to, nb_fabric_port_of(topology, c)->port);
    }
    nb_text_print(&writer->text, "%" PRIu32 " lids dumped\n", most);
}

/* The order in which opensm lists switches: by GUID, with the last byte most
 * significant, since opensm compares GUIDs in network byte order. */
static int writer_compare_switches(const void *left, const void *right,
                                   void *context)
{
    const struct nb_fabric *fabric = context;
    const struct writer_lid *a = *(const struct writer_lid *const *)left;
    const struct writer_lid *b = *(const struct writer_lid *const *)right;
    const uint64_t one = __builtin_bswap64(fabric->node[a->router].guid);
    const uint64_t other = __builtin_bswap64(fabric->node[b->router].guid);
    return (one > other) - (one < other);
}

static enum nb_status writer_add_switches(struct writer *writer,
                                          struct nb_error *err)
{
    const struct nb_fabric *fabric = writer->topology->fabric;
    const struct writer_lid **at = NULL;
    size_t count = 0;
    enum nb_status status;
    NB_TRY(nb_new(&at, writer->lid_count, sizeof *at, "switches", err));
    for (size_t i = 0; i < writer->lid_count; i++)
        if (fabric->node[writer->lid[i].router].is_switch)
            at[count++] = &writer->lid[i];
    qsort_r(at, count, sizeof *at, writer_compare_switches, (void *)fabric);
    for (size_t i = 0; i < count; i++)
        writer_add_switch(writer, at[i]);
    NB_TRY(nb_text_check(&writer->text, err));
done:
    nb_delete(at);
    return status;
}

enum nb_status nb_forwarding_write(const struct nb_routing *routing,
                                   const char *path, struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    struct writer writer;
    enum nb_status status;
    NB_TRY(writer_open(routing, path, &writer, err));
    NB_TRY(nb_table_ways_new(topology, &writer.next, err));
    NB_TRY(nb_forwarding_find(routing, path, writer.next, err));
    for (uint32_t d = 0; d < topology->router_count; d++)
        if (topology->terminals[d] == 0)
            writer_take_host(&writer, d);
    for (uint32_t d = 0; d < topology->router_count; d++)
        writer_fill(&writer, d);
    NB_TRY(writer_add_switches(&writer, err));
    NB_TRY(nb_file_write(path, writer.text.bytes, writer.text.length, err));
done:
    writer_release(&writer);
    return status;
}

/* The layer of a pair; NB_NONE: it changes along the path. */
static uint32_t writer_layer(const struct nb_routing *routing, uint32_t source,
                             uint32_t destination)
{
    struct nb_start start;
    struct nb_hop hop;
    (void)nb_route_starts(routing, source, destination, &start);
    nb_route_state state = start.state;
    const uint32_t layer =
        nb_table_ways_layer(routing, state, source, destination);
    for (uint32_t at = source; at != destination;) {
        (void)nb_table_ways_step(routing, NULL, state, at, destination, &hop);
        if (hop.channel == NB_NONE)
            return layer;
        if (nb_table_ways_layer(routing, state, at, destination) != layer)
            return NB_NONE;
        state = hop.next;
        at = routing->topology->channels[hop.channel].target;
    }
    return layer;
}

enum nb_status nb_forwarding_write_levels(const struct nb_routing *routing,
                                          const char *path,
                                          struct nb_error *err)
{
    struct writer writer;
    enum nb_status status;
    NB_TRY(writer_open(routing, path, &writer, err));
    if (routing->most_starts > 1)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%.200s: service levels cannot hold routing %s, which "
                       "has several paths for a pair (permitted: one path per "
                       "pair)",
                       path, routing->kind->kind.name));
    const uint32_t *terminals = writer.topology->terminals;
    for (size_t i = 0; i < writer.lid_count; i++)
        for (size_t j = 0; j < writer.lid_count; j++) {
            const struct writer_lid *from = &writer.lid[i],
                                    *to = &writer.lid[j];
            if (from->router == to->router || terminals[from->router] == 0 ||
                terminals[to->router] == 0)
                continue;
            const uint32_t layer =
                nb_is_table_ways(routing)
                    ? writer_layer(routing, from->router, to->router)
                    : 0;
            if (layer >= NB_SERVICE_LEVELS)
                NB_TRY(next_refuse(routing, path, from->router, to->router,
                                   layer == NB_NONE
                                       ? "the layer changes on the way "
                                         "(permitted: one service level per "
                                         "pair)"
                                       : "the layer is above 15 (permitted: "
                                         "16 service levels)",
                                   err));
            nb_text_print(&writer.text, "%u %u %u\n", from->lid, to->lid,
                          layer);
        }
    NB_TRY(nb_text_check(&writer.text, err));
    NB_TRY(nb_file_write(path, writer.text.bytes, writer.text.length, err));
done:
    writer_release(&writer);
    return status;
}
