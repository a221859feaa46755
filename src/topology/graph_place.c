/* Groups of networks from files, and the kind of network that they are. */
#include "topology/graph.h"

#include "core/memory.h"
#include "core/text.h"
#include "topology/fabric.h"
#include "topology/index.h"

#include <inttypes.h>
#include <string.h>

static enum nb_status place_refuse(const struct nb_graph *graph,
                                   const char *why, struct nb_error *err)
{
    return nb_graph_fail(graph, graph->like_line, NB_INVALID, err,
                         NB_GRAPH_TOPOLOGY
                         " \"%.100s\" is not permitted: %s (permitted: the "
                         "network in the file, such as torus:8x8; or none, if "
                         "the file was changed)",
                         graph->like, why);
}

/* Builds the network that the file says it is, if it has no more channels than
 * the file's. */
static enum nb_status place_build(const struct nb_graph *graph,
                                  const struct nb_topology *topology,
                                  struct nb_topology *like,
                                  struct nb_error *err)
{
    static const char itself[] = "file";
    const size_t length = strcspn(graph->like, ":");
    struct nb_error why = { 0 };
    size_t index;
    if (nb_kind_find(nb_topology_kind_at, graph->like, length, &index) ==
            NULL ||
        strcmp(nb_topology_kinds[index]->kind.name, itself) == 0)
        return place_refuse(graph, "this is no kind of network", err);
    const double before = nb_topology_limit((double)topology->channel_count);
    const enum nb_status status = nb_topology_build(graph->like, like, &why);
    nb_topology_limit(before);
    if (status == NB_NO_MEMORY)
        return nb_fail_again(err, status, &why);
    return status == NB_OK ? NB_OK
                           : place_refuse(graph,
                                          "it cannot be built, or has "
                                          "more channels",
                                          err);
}

/* Orders the channels as in the network that it is said to be; refuses
 * others. */
static enum nb_status place_order(const struct nb_graph *graph,
                                  const struct nb_topology *like,
                                  struct nb_topology *out, struct nb_error *err)
{
    struct nb_channel *ordered = NULL;
    enum nb_status status;
    if (nb_has_failures(like) || like->channel_count != out->channel_count)
        return place_refuse(graph, "it has other channels", err);
    NB_TRY(
        nb_new(&ordered, out->channel_count, sizeof *ordered, "channels", err));
    for (uint32_t c = 0; c < like->channel_count; c++) {
        const struct nb_channel *at = &like->channels[c];
        const uint32_t own = nb_channel_find(out, at->source, at->target,
                                             nb_channel_rank(like, c));
        if (own == NB_NONE)
            NB_TRY(place_refuse(graph, "it has other channels", err));
        ordered[c] = out->channels[own];
    }
    nb_delete(out->channels);
    out->channels = ordered;
    ordered = NULL;
    nb_index_drop(out);
done:
    nb_delete(ordered);
    return status;
}

/* Closed forms and symmetries are those of the network that it is. */
static struct nb_closed_form place_diameter(const struct nb_topology *topology)
{
    return topology->like->kind->diameter(topology->like);
}

static struct nb_closed_form
place_mean_distance(const struct nb_topology *topology)
{
    return topology->like->kind->mean_distance(topology->like);
}

static struct nb_closed_form place_bisection(const struct nb_topology *topology)
{
    return topology->like->kind->bisection(topology->like);
}

static struct nb_closed_form place_capacity(const struct nb_topology *topology)
{
    return topology->like->kind->capacity(topology->like);
}

static unsigned place_symmetry(const struct nb_topology *topology, size_t index,
                               uint32_t *router_map)
{
    return topology->like->kind->symmetry(topology->like, index, router_map);
}

static enum nb_status place_set_kind(const struct nb_topology_kind *like,
                                     struct nb_topology *out,
                                     struct nb_error *err)
{
    const enum nb_status status =
        nb_new(&out->own_kind, 1, sizeof *out->own_kind, "kind", err);
    if (status != NB_OK)
        return status;
    *out->own_kind = *out->kind;
    out->own_kind->is_one_way = like->is_one_way;
    out->own_kind->diameter = like->diameter ? place_diameter : NULL;
    out->own_kind->mean_distance =
        like->mean_distance ? place_mean_distance : NULL;
    out->own_kind->bisection = like->bisection ? place_bisection : NULL;
    out->own_kind->capacity = like->capacity ? place_capacity : NULL;
    out->own_kind->symmetry = like->symmetry ? place_symmetry : NULL;
    out->kind = out->own_kind;
    return NB_OK;
}

/* Checks that the number of routers, terminals, and groups if the file has any,
 * are those of the network that it is said to be. */
static enum nb_status place_check(const struct nb_graph *graph,
                                  const struct nb_topology *like,
                                  const struct nb_topology *out,
                                  struct nb_error *err)
{
    if (like->router_count != out->router_count)
        return place_refuse(graph, "it has another number of routers", err);
    for (size_t i = 0; i < graph->names.count; i++) {
        const uint32_t r = graph->names.entry[i].number;
        const uint32_t group =
            like->groups.count > 0 ? like->groups.of[r] : NB_NONE;
        if (like->kind->has_own_terminals &&
            out->terminals[r] != like->terminals[r])
            return place_refuse(graph, "it has other terminals", err);
        if (graph->group != NULL && graph->group[i] != group)
            return place_refuse(graph, "it has other groups", err);
    }
    return NB_OK;
}

static enum nb_status place_like(const struct nb_graph *graph,
                                 struct nb_topology *out, struct nb_error *err)
{
    struct nb_topology *like = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&like, 1, sizeof *like, "network", err));
    NB_TRY(place_build(graph, out, like, err));
    NB_TRY(place_check(graph, like, out, err));
    NB_TRY(place_order(graph, like, out, err));
    NB_TRY(place_set_kind(like->kind, out, err));
    if (like->groups.count > 0) {
        NB_TRY(nb_groups_reserve(out, like->groups.count, err));
        out->groups.counts_global_first = like->groups.counts_global_first;
        memcpy(out->groups.of, like->groups.of,
               out->router_count * sizeof *out->groups.of);
    }
    out->tree = like->tree;
    out->hyperx = like->hyperx;
    out->nest = like->nest;
    out->grid = like->grid;
    like->grid.channel = NULL; /* owned by out now */
    if (out->grid.channel != NULL) {
        const size_t slots = out->router_count * out->grid.dimensions * 2;
        NB_TRY(nb_new(&like->grid.channel, slots, sizeof *like->grid.channel,
                      "grid", err));
        memcpy(like->grid.channel, out->grid.channel,
               slots * sizeof *like->grid.channel);
    }
    out->like = like;
    like = NULL;
done:
    if (like != NULL)
        nb_topology_release(like);
    nb_delete(like);
    return status;
}

static enum nb_status place_groups(const struct nb_graph *graph,
                                   struct nb_topology *out,
                                   struct nb_error *err)
{
    const size_t names = graph->names.count;
    uint32_t count = 0, missing = 0;
    bool *is_used = NULL;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < names; i++)
        if (graph->group[i] != NB_NONE && graph->group[i] >= count)
            count = graph->group[i] + 1;
    if (count == 0)
        return NB_OK;
    NB_TRY(nb_new(&is_used, count, sizeof *is_used, "groups", err));
    for (size_t i = 0; i < names; i++)
        if (graph->group[i] != NB_NONE)
            is_used[graph->group[i]] = true;
    while (missing < count && is_used[missing])
        missing++;
    if (missing < count || count < 2)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%.200s: no router is in group %" PRIu32
                       " (permitted: at least two groups, numbered from 0 on)",
                       graph->path, missing));
    NB_TRY(nb_groups_reserve(out, count, err));
    for (size_t i = 0; i < names; i++)
        out->groups.of[graph->names.entry[i].number] = graph->group[i];
done:
    nb_delete(is_used);
    return status;
}

/* Whether the switches, which come first, have the channels and terminals of
 * the network that it is said to be, and no others. */
static bool place_suits_fabric(const struct nb_graph *graph,
                               const struct nb_topology *like,
                               const struct nb_topology *out)
{
    const struct nb_fabric *fabric = graph->fabric;
    const size_t switches = like->router_count;
    if (nb_has_failures(like) ||
        switches + like->terminal_count != out->router_count ||
        like->channel_count + 2 * like->terminal_count != out->channel_count)
        return false;
    for (uint32_t r = 0; r < out->router_count; r++) {
        uint32_t hosts = 0;
        for (uint32_t c = out->out_start[r]; c < out->out_start[r + 1]; c++)
            hosts += out->channels[c].target >= switches;
        if (fabric->node[r].is_switch != (r < switches) ||
            hosts != (r < switches ? like->terminals[r] : 0))
            return false;
    }
    for (uint32_t c = 0; c < like->channel_count; c++)
        if (nb_channel_find(out, like->channels[c].source,
                            like->channels[c].target,
                            nb_channel_rank(like, c)) == NB_NONE)
            return false;
    return true;
}

/* Gives switches the groups of the network that it is, and hosts those of their
 * switches. */
static enum nb_status place_fabric(const struct nb_graph *graph,
                                   struct nb_topology *out,
                                   struct nb_error *err)
{
    struct nb_topology like = { 0 };
    enum nb_status status;
    NB_TRY(place_build(graph, out, &like, err));
    if (!place_suits_fabric(graph, &like, out))
        NB_TRY(
            place_refuse(graph, "it has other switches, hosts or cables", err));
    if (like.groups.count == 0)
        goto done;
    NB_TRY(nb_groups_reserve(out, like.groups.count, err));
    out->groups.counts_global_first = like.groups.counts_global_first;
    for (uint32_t r = 0; r < out->router_count; r++)
        out->groups.of[r] =
            like.groups.of[r < like.router_count
                               ? r
                               : out->channels[out->out_start[r]].target];
done:
    nb_topology_release(&like);
    return status;
}

enum nb_status nb_graph_place(const struct nb_graph *graph,
                              struct nb_topology *out, struct nb_error *err)
{
    if (graph->like != NULL && graph->fabric != NULL)
        return place_fabric(graph, out, err);
    if (graph->like != NULL)
        return place_like(graph, out, err);
    return graph->group != NULL ? place_groups(graph, out, err) : NB_OK;
}

bool nb_graph_has_groups(const struct nb_topology *topology)
{
    const struct nb_groups *groups = &topology->groups;
    for (uint32_t g = 0; g < groups->count; g++) {
        uint32_t i = groups->start[g];
        while (i < groups->start[g + 1] &&
               nb_router_has_failed(topology, groups->member[i]))
            i++;
        if (i == groups->start[g + 1])
            return false;
    }
    return groups->count > 1;
}

/* Whether anything of a network cannot be seen in its channels; a random one
 * has nothing of that kind, and is drawn from more channels. */
static bool place_has_more(const struct nb_topology *topology)
{
    const struct nb_topology_kind *kind = topology->kind;
    return topology->groups.count > 0 || topology->grid.dimensions > 0 ||
           topology->hyperx.dimensions > 0 || topology->tree.levels > 0 ||
           topology->nest.levels > 0 || kind->capacity != NULL ||
           kind->bisection != NULL || kind->symmetry != NULL;
}

void nb_graph_print_like(const struct nb_topology *topology,
                         struct nb_text *text)
{
    const struct nb_topology *like = nb_topology_like(topology);
    const bool is_file = strcmp(like->kind->kind.name, "file") == 0;
    if (!is_file && !nb_has_failures(topology) && topology->first_host == 0 &&
        place_has_more(like))
        nb_specification_print(&like->specification, text);
}
