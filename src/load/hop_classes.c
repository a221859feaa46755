#include "load/hop_classes.h"

#include "core/enclosure.h"
#include "core/memory.h"
#include "load/load_symmetry.h"
#include "load/pair_loads.h"
#include "load/route_graph.h"

void nb_hop_classes_find(const struct nb_topology *topology,
                         const struct nb_channel_loads *loads,
                         struct nb_hop_classes *out)
{
    struct nb_enclosure sum[2] = { nb_enclosure_of_whole(0),
                                   nb_enclosure_of_whole(0) };
    const struct nb_enclosure mean = { loads->mean_hops, loads->mean_hops_lower,
                                       loads->mean_hops_upper };
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_enclosure load = { loads->exact[c], loads->lower[c],
                                           loads->upper[c] };
        struct nb_enclosure *of = &sum[nb_channel_is_global(topology, c)];
        *of = nb_enclosure_add(*of, load);
    }
    const struct nb_enclosure all = nb_enclosure_add(sum[0], sum[1]);
    struct nb_enclosure part[2] = { sum[0], sum[1] };
    for (int i = 0; i < 2 && all.upper > 0; i++)
        part[i] = nb_enclosure_multiply(mean, nb_enclosure_divide(sum[i], all));
    *out = (struct nb_hop_classes){
        .local = part[0].exact,
        .global = part[1].exact,
        .local_lower = part[0].lower,
        .local_upper = part[0].upper,
        .global_lower = part[1].lower,
        .global_upper = part[1].upper,
    };
}

/* The most hops of each class. */
struct longest_hops {
    uint32_t hop[2]; /* local, global */
};

/* By orbits of routers: into one of them as a way-point and out of it, in one
 * phase; the same where source, way-point and destination share a part. */
struct longest_work {
    const struct nb_routing *routing; /* as given */
    struct nb_load_symmetry symmetry;
    struct nb_route_graph graph;
    uint32_t *endpoint;
    size_t endpoint_count;
    struct longest_hops *node; /* [node] from it on */
    struct longest_hops *into; /* [router], of the least of each orbit */
    struct longest_hops *out;
    struct longest_hops *into_part;
    struct longest_hops *out_part;
};

static void longest_raise(struct longest_hops *to, struct longest_hops from)
{
    for (int i = 0; i < 2; i++)
        if (from.hop[i] > to->hop[i])
            to->hop[i] = from.hop[i];
}

/* From every node of the graph on. */
static void longest_follow(struct longest_work *work)
{
    const struct nb_route_graph *graph = &work->graph;
    const struct nb_topology *topology = work->routing->topology;
    for (size_t k = 0; k < graph->node_count; k++) {
        const uint32_t node = graph->order[k];
        work->node[node] = (struct longest_hops){ { 0, 0 } };
        for (size_t h = graph->hop_start[node]; h < graph->hop_start[node + 1];
             h++) {
            struct longest_hops on = work->node[graph->hop_node[h]];
            on.hop[nb_channel_is_global(topology, graph->hop_channel[h])]++;
            longest_raise(&work->node[node], on);
        }
    }
}

/* Whether packets from the source to routers elsewhere can have this router as
 * way-point. */
static bool longest_is_way_point(const struct nb_routing *routing,
                                 uint32_t source, uint32_t way_point)
{
    const struct nb_groups *groups = &routing->topology->groups;
    const struct nb_way_set *set = routing->way_set;
    if (routing->way_point != NB_IN_SET)
        return true;
    for (uint32_t g = 0; g < groups->count; g++) {
        const uint32_t destination = groups->member[groups->start[g]];
        if (!set->is_part(routing, source, destination) &&
            set->times(routing, source, destination, way_point) > 0)
            return true;
    }
    return false;
}

/* Notes the most hops of one phase from one router to another. */
static void longest_note(struct longest_work *work, uint32_t from, uint32_t to,
                         struct longest_hops most)
{
    const struct nb_routing *routing = work->routing;
    const uint32_t *orbit = work->symmetry.router_orbit;
    longest_raise(&work->out[orbit[from]], most);
    if (longest_is_way_point(routing, from, to))
        longest_raise(&work->into[orbit[to]], most);
    if (routing->way_point != NB_IN_SET ||
        !routing->way_set->is_part(routing, from, to))
        return;
    longest_raise(&work->out_part[orbit[from]], most);
    longest_raise(&work->into_part[orbit[to]], most);
}

/* All routes of one phase to one router. */
static enum nb_status longest_reach(struct longest_work *work,
                                    uint32_t destination, struct nb_error *err)
{
    const struct nb_routing *phase = work->graph.routing;
    const size_t n = phase->topology->router_count;
    struct nb_start *starts = work->graph.starts;
    enum nb_status status = NB_OK;
    NB_TRY(nb_route_graph_build(&work->graph, destination, work->endpoint,
                                work->endpoint_count, 0, 0, err));
    longest_follow(work);
    for (size_t e = 0; e < work->endpoint_count; e++) {
        const uint32_t source = work->endpoint[e];
        const size_t count =
            nb_route_starts(phase, source, destination, starts);
        struct longest_hops most = { { 0, 0 } };
        for (size_t s = 0; s < count; s++)
            longest_raise(
                &most,
                work->node[work->graph.node_of[starts[s].state * n + source]]);
        longest_note(work, source, destination, most);
    }
done:
    return status;
}

static enum nb_status longest_init(struct longest_work *work,
                                   const struct nb_traffic *uniform,
                                   struct nb_error *err)
{
    const struct nb_routing *routing = work->routing;
    const struct nb_topology *topology = routing->topology;
    const struct nb_routing *phase =
        routing->phase != NULL ? routing->phase : routing;
    const size_t n = topology->router_count;
    const char *what = "longest routes";
    enum nb_status status = NB_OK;
    NB_TRY(nb_load_symmetry_find(routing, uniform, &work->symmetry, err));
    NB_TRY(nb_route_graph_init(phase, &work->graph, err));
    NB_TRY(nb_new(&work->endpoint, n, sizeof(uint32_t), what, err));
    work->endpoint_count = nb_endpoints(topology, work->endpoint);
    NB_TRY(nb_new(&work->node, n * phase->state_count, sizeof *work->node, what,
                  err));
    NB_TRY(nb_new(&work->into, n, sizeof *work->into, what, err));
    NB_TRY(nb_new(&work->out, n, sizeof *work->out, what, err));
    NB_TRY(nb_new(&work->into_part, n, sizeof *work->out, what, err));
    NB_TRY(nb_new(&work->out_part, n, sizeof *work->out, what, err));
done:
    return status;
}

enum nb_status nb_longest_hops(const struct nb_routing *routing,
                               uint32_t *local, uint32_t *global,
                               struct nb_error *err)
{
    struct longest_work work = { .routing = nb_route_alike(routing) };
    struct nb_traffic uniform = { 0 };
    struct longest_hops most = { { 0, 0 } };
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_traffic_build("uniform", routing->topology, false, &uniform, err));
    NB_TRY(longest_init(&work, &uniform, err));
    for (size_t d = 0; d < work.symmetry.destination_count; d++)
        NB_TRY(longest_reach(&work, work.symmetry.destination[d], err));
    for (size_t d = 0; d < work.symmetry.destination_count; d++) {
        const uint32_t router = work.symmetry.destination[d];
        struct longest_hops whole = work.into[router];
        struct longest_hops within = work.into_part[router];
        for (int i = 0; i < 2 && work.routing->phase != NULL; i++) {
            whole.hop[i] += work.out[router].hop[i];
            within.hop[i] += work.out_part[router].hop[i];
        }
        longest_raise(&most, whole);
        longest_raise(&most, within);
    }
    *local = most.hop[0];
    *global = most.hop[1];
done:
    nb_load_symmetry_release(&work.symmetry);
    nb_route_graph_release(&work.graph);
    nb_delete(work.endpoint);
    nb_delete(work.node);
    nb_delete(work.into);
    nb_delete(work.out);
    nb_delete(work.into_part);
    nb_delete(work.out_part);
    nb_traffic_release(&uniform);
    return status;
}
