/* Virtual channels by the places of hops (declared in hop_classes.h). */
#include "load/hop_classes.h"

#include "core/memory.h"
#include "load/load_symmetry.h"
#include "load/pair_loads.h"
#include "load/route_graph.h"

enum { PLACES_NONE = -1 };

/* The most hops of routes that go on from a node or, of all, in a phase;
 * PLACES_NONE where there are no such routes. */
struct places {
    int64_t alone;  /* local ones of routes without global hops */
    int64_t before; /* local ones before the first global one */
    int64_t after;  /* local ones after the last global one */
    int64_t global;
    int64_t all;
};

static const struct places places_none = { PLACES_NONE, PLACES_NONE,
                                           PLACES_NONE, PLACES_NONE,
                                           PLACES_NONE };

struct places_work {
    const struct nb_routing *routing; /* as given */
    struct nb_load_symmetry symmetry;
    struct nb_route_graph graph;
    uint32_t *endpoint;
    size_t endpoint_count;
    struct places *node; /* [node] from it on */
    struct places phase[2];
};

/* Raises a most to another and more hops, if there are such routes. */
static void places_raise(int64_t *to, int64_t from, int64_t more)
{
    if (from != PLACES_NONE && from + more > *to)
        *to = from + more;
}

/* What a hop to a node on brings. */
static void places_add_hop(struct places *to, const struct places *on,
                           bool is_global)
{
    places_raise(&to->all, on->all, 1);
    places_raise(&to->global, on->global, is_global);
    places_raise(&to->after, on->after, 0);
    if (is_global) {
        places_raise(&to->before, 0, 0);
        places_raise(&to->after, on->alone, 0);
    } else {
        places_raise(&to->before, on->before, 1);
        places_raise(&to->alone, on->alone, 1);
    }
}

/* From every node of the graph on. */
static void places_follow(struct places_work *work)
{
    const struct nb_route_graph *graph = &work->graph;
    for (size_t k = 0; k < graph->node_count; k++) {
        const uint32_t node = graph->order[k];
        struct places *at = &work->node[node];
        const bool is_end =
            graph->hop_start[node] == graph->hop_start[node + 1];
        *at = places_none;
        if (is_end)
            *at = (struct places){ 0, PLACES_NONE, PLACES_NONE, 0, 0 };
        for (size_t h = graph->hop_start[node]; h < graph->hop_start[node + 1];
             h++)
            places_add_hop(at, &work->node[graph->hop_node[h]],
                           nb_channel_is_global(work->routing->topology,
                                                graph->hop_channel[h]));
    }
}

/* Whether packets from the source can have this router as way-point: to itself
 * within a part, or to another group. Of three groups one is neither the
 * source's nor the way-point's, and all such are alike. */
static bool places_is_way_point(const struct nb_routing *routing,
                                uint32_t source, uint32_t way_point)
{
    const struct nb_groups *groups = &routing->topology->groups;
    const struct nb_way_set *set = routing->way_set;
    if (routing->way_point != NB_IN_SET ||
        set->times(routing, source, way_point, way_point) > 0)
        return true;
    for (uint32_t g = 0; g < groups->count && g < 3; g++)
        if (set->times(routing, source, groups->member[groups->start[g]],
                       way_point) > 0)
            return true;
    return false;
}

static void places_merge(struct places *to, const struct places *from)
{
    places_raise(&to->alone, from->alone, 0);
    places_raise(&to->before, from->before, 0);
    places_raise(&to->after, from->after, 0);
    places_raise(&to->global, from->global, 0);
    places_raise(&to->all, from->all, 0);
}

/* All routes of one phase to one router, to which others are alike. */
static enum nb_status places_reach(struct places_work *work,
                                   uint32_t destination, struct nb_error *err)
{
    const struct nb_routing *phase = work->graph.routing;
    const size_t n = phase->topology->router_count;
    struct nb_start *starts = work->graph.starts;
    enum nb_status status = NB_OK;
    NB_TRY(nb_route_graph_build(&work->graph, destination, work->endpoint,
                                work->endpoint_count, 0, 0, err));
    places_follow(work);
    for (size_t e = 0; e < work->endpoint_count; e++) {
        const uint32_t source = work->endpoint[e];
        const size_t count =
            nb_route_starts(phase, source, destination, starts);
        const bool is_first =
            places_is_way_point(work->routing, source, destination);
        for (size_t s = 0; s < count; s++) {
            const struct places *at =
                &work->node[work->graph.node_of[starts[s].state * n + source]];
            places_merge(&work->phase[1], at);
            if (is_first)
                places_merge(&work->phase[0], at);
        }
    }
done:
    return status;
}

static enum nb_status places_init(struct places_work *work,
                                  const struct nb_traffic *uniform,
                                  struct nb_error *err)
{
    const struct nb_routing *routing = work->routing;
    const struct nb_topology *topology = routing->topology;
    const struct nb_routing *phase =
        routing->phase != NULL ? routing->phase : routing;
    const size_t n = topology->router_count;
    const char *what = "virtual channels";
    enum nb_status status = NB_OK;
    NB_TRY(nb_load_symmetry_find(routing, uniform, &work->symmetry, err));
    NB_TRY(nb_route_graph_init(phase, &work->graph, err));
    NB_TRY(nb_new(&work->endpoint, n, sizeof(uint32_t), what, err));
    work->endpoint_count = nb_endpoints(topology, work->endpoint);
    NB_TRY(nb_new(&work->node, n * phase->state_count, sizeof *work->node, what,
                  err));
    work->phase[0] = work->phase[1] = places_none;
done:
    return status;
}

static uint32_t places_count(int64_t hops)
{
    return hops == PLACES_NONE ? 0 : (uint32_t)hops;
}

static void places_conclude(const struct places_work *work,
                            struct nb_virtual_channels *out)
{
    uint32_t all = 0;
    *out = (struct nb_virtual_channels){ .is_by_place = true };
    for (int p = work->routing->phase != NULL ? 0 : 1; p < 2; p++) {
        const struct places *phase = &work->phase[p];
        const uint32_t around =
            places_count(phase->before) + places_count(phase->after);
        const uint32_t alone = places_count(phase->alone);
        out->local += around > alone ? around : alone;
        out->global += places_count(phase->global);
        out->is_by_place = out->is_by_place && phase->global <= 1;
        all += places_count(phase->all);
    }
    if (!out->is_by_place)
        out->local = out->global = all;
}

enum nb_status nb_virtual_channels_find(const struct nb_routing *routing,
                                        struct nb_virtual_channels *out,
                                        struct nb_error *err)
{
    struct places_work work = { .routing = nb_route_alike(routing) };
    struct nb_traffic uniform = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_traffic_build("uniform", routing->topology, false, &uniform, err));
    NB_TRY(places_init(&work, &uniform, err));
    for (size_t d = 0; d < work.symmetry.destination_count; d++)
        NB_TRY(places_reach(&work, work.symmetry.destination[d], err));
    places_conclude(&work, out);
done:
    nb_load_symmetry_release(&work.symmetry);
    nb_route_graph_release(&work.graph);
    nb_delete(work.endpoint);
    nb_delete(work.node);
    nb_traffic_release(&uniform);
    return status;
}
