#include "deadlock/causes.h"

#include "core/memory.h"
#include "routing/strays.h"
#include "routing/walker.h"

/* Maximum number of starts walked at once, unless one source has more. */
#define CAUSES_WAYS ((uint64_t)1 << 20)

struct causes_work {
    const struct nb_vc_classes *classes;
    struct nb_causes *causes;
    struct nb_walker walker;
    size_t missing; /* dependencies without a cause */
    uint32_t *source;
    size_t source_count;
    bool *is_asked; /* [channel] the first of a dependency of the cycle */
    /* By node of a walk: the hop by which a packet reaches it first from its
     * source; and the nodes in that order. */
    size_t *came;
    uint32_t *origin, *queue;
    size_t node_room;
    struct nb_pool pool;
};

#define CAUSES_BEGUN SIZE_MAX
#define CAUSE_NONE   SIZE_MAX /* nothing is held or wanted */

void nb_causes_release(struct nb_causes *causes)
{
    for (size_t i = 0; i < causes->count; i++)
        nb_delete(causes->cause[i].channel);
    nb_delete(causes->cause);
    *causes = (struct nb_causes){ 0 };
}

static bool causes_waits(const struct nb_vc_classes *classes,
                         const struct nb_walker *walker, size_t hop,
                         uint32_t vertex)
{
    return walker->hop[hop].channel == vertex / classes->count &&
           (nb_vc_classes_escape(classes, walker->hop_classes[hop]) >>
                vertex % classes->count &
            1) != 0;
}

static bool causes_holds(const struct nb_vc_classes *classes,
                         const struct nb_walker *walker, size_t hop,
                         uint32_t vertex)
{
    const uint64_t set = walker->hop_classes[hop];
    return walker->hop[hop].channel == vertex / classes->count &&
           (set >> vertex % classes->count & 1) != 0;
}

/* Searches onwards from a hop, over hops that have nothing to fall back on, for
 * a hop that waits for the vertex, or with NB_NONE for the destination. path:
 * out, the hops after the first one. */
static size_t causes_reach(const struct causes_work *work, uint32_t node,
                           uint32_t vertex, size_t depth, size_t *path)
{
    const struct nb_walker *walker = &work->walker;
    if (vertex == NB_NONE &&
        walker->node[node].first == walker->node[node + 1].first)
        return depth;
    for (size_t h = walker->node[node].first;
         vertex != NB_NONE && h < walker->node[node + 1].first; h++) {
        path[depth] = h;
        if (causes_waits(work->classes, walker, h, vertex))
            return depth + 1;
    }
    for (size_t h = walker->node[node].first; h < walker->node[node + 1].first;
         h++) {
        if (walker->hop[h].channel == NB_NONE)
            continue;
        path[depth] = h;
        const size_t found =
            nb_vc_classes_escape(work->classes, walker->hop_classes[h]) == 0
                ? causes_reach(work, walker->hop[h].node, vertex, depth + 1,
                               path)
                : 0;
        if (found > 0)
            return found;
    }
    return 0;
}

/* Assembles the path: to the hop that is held, on to the hop that is waited
 * for, and to the destination. */
static enum nb_status causes_keep(struct causes_work *work,
                                  struct nb_cause *cause, uint32_t node,
                                  const size_t *path, size_t steps,
                                  struct nb_error *err)
{
    const struct nb_walker *walker = &work->walker;
    size_t before = 0, length;
    enum nb_status status = NB_OK;
    for (uint32_t at = node; work->came[at] != CAUSES_BEGUN; before++)
        at = work->origin[at];
    NB_TRY(nb_new(&cause->channel, before + steps + walker->longest,
                  sizeof *cause->channel, "paths", err));
    length = before;
    for (size_t i = 0; i < steps; i++)
        cause->channel[length++] = walker->hop[path[i]].channel;
    for (uint32_t at = walker->hop[path[steps - 1]].node;
         walker->node[at].first < walker->node[at + 1].first;) {
        const struct nb_hop *hop = &walker->hop[walker->node[at].first];
        if (hop->channel == NB_NONE)
            break;
        cause->channel[length++] = hop->channel;
        at = hop->node;
    }
    cause->held = before;
    cause->wanted = before + steps - 1;
    cause->length = length;
    for (; work->came[node] != CAUSES_BEGUN; node = work->origin[node])
        cause->channel[--before] = walker->hop[work->came[node]].channel;
    cause->source = walker->node[node].router;
    cause->destination = walker->destination;
    work->missing--;
done:
    return status;
}

static enum nb_status causes_make_nodes(struct causes_work *work,
                                        struct nb_error *err)
{
    const size_t room = work->walker.node_room;
    enum nb_status status = NB_OK;
    if (room <= work->node_room)
        return NB_OK;
    NB_TRY(nb_grow(&work->came, room, sizeof *work->came, "paths", err));
    NB_TRY(nb_grow(&work->origin, room, sizeof *work->origin, "paths", err));
    NB_TRY(nb_grow(&work->queue, room, sizeof *work->queue, "paths", err));
    work->node_room = room;
done:
    return status;
}

/* A packet starts at a node. */
static void causes_begin(struct causes_work *work, uint32_t node, size_t *tail)
{
    if (work->origin[node] != NB_NONE)
        return;
    work->came[node] = CAUSES_BEGUN;
    work->origin[node] = node;
    work->queue[(*tail)++] = node;
}

/* Breadth-first search of the last walk from its sources. */
static enum nb_status causes_trace(struct causes_work *work,
                                   const uint32_t *source, size_t count,
                                   struct nb_error *err)
{
    struct nb_walker *walker = &work->walker;
    const struct nb_routing *routing = walker->routing;
    size_t head = 0, tail = 0;
    enum nb_status status = NB_OK;
    NB_TRY(causes_make_nodes(work, err));
    for (size_t i = 0; i < walker->node_count; i++)
        work->origin[i] = NB_NONE;
    for (size_t i = 0; i < count; i++) {
        const size_t starts = nb_route_starts(
            routing, source[i], walker->destination, walker->starts);
        for (size_t s = 0; s < starts; s++)
            for (uint64_t q = 0; q < nb_start_ways(&walker->starts[s]); q++)
                causes_begin(work,
                             nb_walker_find(
                                 walker,
                                 nb_route_begin(routing, &walker->starts[s], q,
                                                source[i], walker->destination),
                                 0, source[i]),
                             &tail);
    }
    while (head < tail) {
        const uint32_t node = work->queue[head++];
        for (size_t h = walker->node[node].first;
             h < walker->node[node + 1].first; h++) {
            const uint32_t next = walker->hop[h].node;
            if (next == NB_NONE || work->origin[next] != NB_NONE)
                continue;
            work->origin[next] = node;
            work->came[next] = h;
            work->queue[tail++] = next;
        }
    }
done:
    return status;
}

/* Searches the hops of the last walk for causes. Nodes are taken in the order
 * in which the search met them. */
static enum nb_status causes_look(struct causes_work *work, size_t *path,
                                  struct nb_error *err)
{
    const struct nb_walker *walker = &work->walker;
    for (size_t i = 0; i < walker->node_count; i++) {
        const uint32_t node = work->queue[i];
        for (size_t h = walker->node[node].first;
             h < walker->node[node + 1].first; h++)
            for (size_t c = 0; walker->hop[h].channel != NB_NONE &&
                               work->is_asked[walker->hop[h].channel] &&
                               c < work->causes->count;
                 c++) {
                struct nb_cause *cause = &work->causes->cause[c];
                if (cause->channel != NULL ||
                    !causes_holds(work->classes, walker, h, cause->from))
                    continue;
                path[0] = h;
                const size_t steps =
                    causes_reach(work, walker->hop[h].node, cause->to, 1, path);
                const enum nb_status status =
                    steps > 0 ? causes_keep(work, cause, node, path, steps, err)
                              : NB_OK;
                if (status != NB_OK)
                    return status;
            }
    }
    return NB_OK;
}

/* The number of sources walked at once. */
static size_t causes_chunk(const struct causes_work *work)
{
    const struct nb_routing *routing = work->classes->routing;
    const size_t ways = routing->phase != NULL ? routing->topology->router_count
                                               : routing->most_starts;
    const size_t most = (size_t)(CAUSES_WAYS / ways);
    return most < 1 ? 1 : most < work->source_count ? most : work->source_count;
}

static enum nb_status causes_init(struct causes_work *work,
                                  struct nb_error *err)
{
    const struct nb_topology *topology = work->classes->routing->topology;
    enum nb_status status = NB_OK;
    work->source = nb_pool_array(&work->pool, topology->router_count,
                                 sizeof *work->source);
    work->is_asked = nb_pool_array(&work->pool, topology->channel_count,
                                   sizeof *work->is_asked);
    NB_TRY(nb_pool_check(&work->pool, "paths", err));
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] > 0)
            work->source[work->source_count++] = r;
    NB_TRY(nb_walker_init(work->classes->routing, work->classes, &work->walker,
                          err));
    work->walker.keeps_missing = true;
done:
    return status;
}

static void causes_close(struct causes_work *work)
{
    nb_walker_release(&work->walker);
    nb_delete(work->came);
    nb_delete(work->origin);
    nb_delete(work->queue);
    nb_pool_release(&work->pool);
}

/* Requests a cause for every dependency of a cycle. */
static enum nb_status causes_ask(struct causes_work *work,
                                 const struct nb_order *order,
                                 struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&work->causes->cause, order->length,
                  sizeof *work->causes->cause, "paths", err));
    work->causes->count = work->missing = order->length;
    for (size_t i = 0; i < order->length; i++) {
        struct nb_cause *cause = &work->causes->cause[i];
        cause->from = order->cycle[i];
        cause->to = order->cycle[(i + 1) % order->length];
        work->is_asked[cause->from / work->classes->count] = true;
    }
done:
    return status;
}

/* Walks to a destination from some of the sources. path: a buffer that is
 * reused by the next walk. */
static enum nb_status causes_walk(struct causes_work *work,
                                  uint32_t destination, const uint32_t *source,
                                  size_t count, size_t **path, size_t *room,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_walker_go(&work->walker, destination, source, count, 0, 0, err));
    NB_TRY(nb_reserve(path, room, work->walker.longest + 1, sizeof **path,
                      "paths", err));
    NB_TRY(causes_trace(work, source, count, err));
    NB_TRY(causes_look(work, *path, err));
done:
    return status;
}

/* First tries the pairs that a path of only the two channels can join, which is
 * enough for most dependencies. */
static enum nb_status causes_try_near(struct causes_work *work, size_t **path,
                                      size_t *room, struct nb_error *err)
{
    const struct nb_topology *topology = work->classes->routing->topology;
    const unsigned classes = work->classes->count;
    enum nb_status status = NB_OK;
    for (size_t c = 0; c < work->causes->count && status == NB_OK; c++) {
        const struct nb_cause *cause = &work->causes->cause[c];
        const uint32_t source =
            topology->channels[cause->from / classes].source;
        const uint32_t destination =
            topology->channels[cause->to / classes].target;
        if (cause->channel == NULL && topology->terminals[source] > 0 &&
            topology->terminals[destination] > 0)
            status =
                causes_walk(work, destination, &source, 1, path, room, err);
    }
    return status;
}

/* Whether a stray is held in one vertex behind a hop and waits for another with
 * the next hop. */
static bool causes_is_stray(const struct nb_vc_classes *classes,
                            const struct nb_stray *stray, size_t hop,
                            uint32_t from, uint32_t to)
{
    const struct nb_strays *strays = classes->routing->strays;
    const uint32_t vertex[2] = { from, to };
    for (size_t i = 0; i < 2; i++)
        if (strays->hop[stray->first + hop + i].channel !=
                vertex[i] / classes->count ||
            nb_waits_stray_class(classes, strays, stray, hop + i) !=
                vertex[i] % classes->count)
            return false;
    return true;
}

/* Searches the packets that do not arrive for a cause; its path ends where it
 * waits. */
static enum nb_status causes_look_astray(struct causes_work *work,
                                         struct nb_cause *cause,
                                         struct nb_error *err)
{
    const struct nb_strays *strays = work->classes->routing->strays;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < strays->count; i++) {
        const struct nb_stray *stray = &strays->stray[i];
        size_t h = 0;
        while (
            h + 1 < stray->length &&
            !causes_is_stray(work->classes, stray, h, cause->from, cause->to))
            h++;
        if (h + 1 >= stray->length)
            continue;
        NB_TRY(nb_new(&cause->channel, h + 2, sizeof *cause->channel, "paths",
                      err));
        for (size_t k = 0; k < h + 2; k++)
            cause->channel[k] = strays->hop[stray->first + k].channel;
        cause->source = stray->source;
        cause->destination = stray->destination;
        cause->held = h;
        cause->wanted = h + 1;
        cause->length = h + 2;
        work->missing--;
        break;
    }
done:
    return status;
}

enum nb_status nb_causes_find(const struct nb_vc_classes *classes,
                              const struct nb_order *order,
                              struct nb_causes *out, bool *is_whole,
                              struct nb_error *err)
{
    struct causes_work work = { .classes = classes, .causes = out };
    size_t *path = NULL, room = 0;
    enum nb_status status = NB_OK;
    *out = (struct nb_causes){ 0 };
    NB_TRY(causes_init(&work, err));
    NB_TRY(causes_ask(&work, order, err));
    NB_TRY(causes_try_near(&work, &path, &room, err));
    const size_t chunk = causes_chunk(&work);
    for (size_t d = 0; d < work.source_count && work.missing > 0; d++)
        for (size_t s = 0; s < work.source_count && work.missing > 0;
             s += chunk) {
            const size_t left = work.source_count - s;
            NB_TRY(causes_walk(&work, work.source[d], work.source + s,
                               left < chunk ? left : chunk, &path, &room, err));
        }
    for (size_t c = 0; c < out->count && classes->routing->strays != NULL; c++)
        if (out->cause[c].channel == NULL)
            NB_TRY(causes_look_astray(&work, &out->cause[c], err));
    *is_whole = work.missing == 0;
done:
    causes_close(&work);
    nb_delete(path);
    if (status != NB_OK)
        nb_causes_release(out);
    return status;
}

/* Walks from some sources and lists the nodes in the order of the search. */
static enum nb_status causes_go(struct causes_work *work, uint32_t destination,
                                const uint32_t *source, size_t count,
                                size_t **path, size_t *room,
                                struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_walker_go(&work->walker, destination, source, count, 0, 0, err));
    NB_TRY(nb_reserve(path, room, work->walker.longest + 1, sizeof **path,
                      "paths", err));
    NB_TRY(causes_trace(work, source, count, err));
done:
    return status;
}

/* A packet that is held in a vertex when it reaches the router. */
static enum nb_status causes_find_held(struct causes_work *work,
                                       uint32_t router, uint32_t from,
                                       size_t **path, size_t *room,
                                       struct nb_cause *out,
                                       struct nb_error *err)
{
    const struct nb_walker *walker = &work->walker;
    enum nb_status status = NB_OK;
    NB_TRY(causes_go(work, router, work->source, work->source_count, path, room,
                     err));
    for (size_t i = 0; i < walker->node_count; i++) {
        const uint32_t node = work->queue[i];
        for (size_t h = walker->node[node].first;
             h < walker->node[node + 1].first; h++) {
            if (walker->hop[h].channel == NB_NONE ||
                !causes_holds(work->classes, walker, h, from))
                continue;
            (*path)[0] = h;
            const size_t steps =
                causes_reach(work, walker->hop[h].node, NB_NONE, 1, *path);
            if (steps > 0)
                return causes_keep(work, out, node, *path, steps, err);
        }
    }
done:
    return status;
}

/* A packet at the router that waits for a vertex. */
static enum nb_status causes_find_wanted(struct causes_work *work,
                                         uint32_t router, uint32_t to,
                                         size_t **path, size_t *room,
                                         struct nb_cause *out,
                                         struct nb_error *err)
{
    const struct nb_walker *walker = &work->walker;
    enum nb_status status = NB_OK;
    for (size_t d = 0; d < work->source_count; d++) {
        NB_TRY(causes_go(work, work->source[d], &router, 1, path, room, err));
        for (size_t i = 0; i < walker->node_count; i++) {
            const uint32_t node = work->queue[i];
            if (work->came[node] != CAUSES_BEGUN)
                continue;
            const size_t steps = causes_reach(work, node, to, 0, *path);
            if (steps > 0)
                return causes_keep(work, out, node, *path, steps, err);
        }
    }
done:
    return status;
}

/* Joins the two paths into one. */
static enum nb_status causes_append(struct nb_cause *first,
                                    const struct nb_cause *second,
                                    struct nb_error *err)
{
    const size_t length = first->length + second->length;
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_grow(&first->channel, length, sizeof *first->channel, "paths", err));
    for (size_t h = 0; h < second->length; h++)
        first->channel[first->length + h] = second->channel[h];
    first->joint = first->length;
    first->wanted = first->joint + second->wanted;
    first->destination = second->destination;
    first->length = length;
done:
    return status;
}

enum nb_status nb_cause_join(const struct nb_vc_classes *classes, uint32_t from,
                             uint32_t to, uint32_t router, struct nb_cause *out,
                             struct nb_error *err)
{
    struct causes_work work = { .classes = classes, .missing = 2 };
    struct nb_cause second = { 0 };
    size_t *path = NULL, room = 0;
    enum nb_status status = NB_OK;
    *out = (struct nb_cause){ .from = from, .to = to };
    NB_TRY(causes_init(&work, err));
    NB_TRY(causes_find_held(&work, router, from, &path, &room, out, err));
    NB_TRY(causes_find_wanted(&work, router, to, &path, &room, &second, err));
    if (out->length > 0 && second.length > 0)
        status = causes_append(out, &second, err);
    else
        out->length = 0;
done:
    causes_close(&work);
    nb_delete(path);
    nb_delete(second.channel);
    return status;
}

/* Whether a hop may be number `index` of the cause's path. */
static bool cause_fits(const struct nb_vc_classes *classes,
                       const struct nb_cause *cause,
                       const struct nb_walker *walker, size_t hop, size_t index)
{
    const bool is_between =
        (cause->held == CAUSE_NONE || index > cause->held) &&
        index < cause->wanted;
    return walker->hop[hop].channel == cause->channel[index] &&
           (index != cause->held ||
            causes_holds(classes, walker, hop, cause->from)) &&
           (index != cause->wanted ||
            causes_waits(classes, walker, hop, cause->to)) &&
           (!is_between ||
            nb_vc_classes_escape(classes, walker->hop_classes[hop]) == 0);
}

/* Marks the nodes that packets reach by one more hop; false if there are
 * none. */
static bool cause_step(const struct nb_vc_classes *classes,
                       const struct nb_cause *cause,
                       const struct nb_walker *walker, size_t index,
                       size_t *mark)
{
    bool is_any = false;
    for (uint32_t node = 0; node < walker->node_count; node++) {
        if (mark[node] != index + 1)
            continue;
        for (size_t h = walker->node[node].first;
             h < walker->node[node + 1].first; h++)
            if (cause_fits(classes, cause, walker, h, index)) {
                mark[walker->hop[h].node] = index + 2;
                is_any = true;
            }
    }
    return is_any;
}

/* Whether a packet may have reached the end of the path: at its destination, or
 * where it waits and goes no further. */
static bool cause_arrives(const struct nb_walker *walker,
                          const struct nb_cause *cause, const size_t *mark)
{
    for (uint32_t node = 0; node < walker->node_count; node++) {
        const size_t first = walker->node[node].first;
        const bool is_end = first == walker->node[node + 1].first;
        if (mark[node] == cause->length + 1 &&
            (is_end || (cause->wanted != CAUSE_NONE &&
                        walker->hop[first].channel == NB_NONE)))
            return true;
    }
    return false;
}

/* Whether the scheme may send a packet along a path; with CAUSE_NONE it holds
 * nothing, or waits for nothing, on it. */
static enum nb_status cause_check_path(const struct nb_vc_classes *classes,
                                       const struct nb_cause *cause,
                                       bool *holds, struct nb_error *err)
{
    const struct nb_routing *routing = classes->routing;
    struct nb_walker walker = { 0 };
    size_t *mark = NULL; /* [node] 1 + hops at which it was last reached; 0:
                          * never */
    enum nb_status status = NB_OK;
    *holds = false;
    if (routing->topology->terminals[cause->source] == 0 ||
        routing->topology->terminals[cause->destination] == 0)
        return NB_OK;
    NB_TRY(nb_walker_init(routing, classes, &walker, err));
    walker.keeps_missing = true;
    NB_TRY(nb_walker_go(&walker, cause->destination, &cause->source, 1, 0, 0,
                        err));
    NB_TRY(nb_new(&mark, walker.node_count, sizeof *mark, "paths", err));
    const size_t starts = nb_route_starts(routing, cause->source,
                                          cause->destination, walker.starts);
    for (size_t s = 0; s < starts; s++)
        for (uint64_t q = 0; q < nb_start_ways(&walker.starts[s]); q++)
            mark[nb_walker_find(&walker,
                                nb_route_begin(routing, &walker.starts[s], q,
                                               cause->source,
                                               cause->destination),
                                0, cause->source)] = 1;
    *holds = true;
    for (size_t i = 0; i < cause->length && *holds; i++)
        *holds = cause_step(classes, cause, &walker, i, mark);
    *holds = *holds && cause_arrives(&walker, cause, mark);
done:
    nb_walker_release(&walker);
    nb_delete(mark);
    return status;
}

/* Whether tables send a packet that does not arrive along the path. */
static bool cause_is_astray(const struct nb_vc_classes *classes,
                            const struct nb_cause *cause)
{
    const struct nb_strays *strays = classes->routing->strays;
    bool is_found = false;
    for (size_t i = 0; strays != NULL && i < strays->count && !is_found; i++) {
        const struct nb_stray *stray = &strays->stray[i];
        is_found = stray->source == cause->source &&
                   stray->destination == cause->destination &&
                   cause->wanted == cause->held + 1 &&
                   cause->length == cause->wanted + 1 &&
                   cause->length <= stray->length &&
                   causes_is_stray(classes, stray, cause->held, cause->from,
                                   cause->to);
        for (size_t h = 0; h < cause->length && is_found; h++)
            is_found =
                strays->hop[stray->first + h].channel == cause->channel[h];
    }
    return is_found;
}

/* The same for a path of two messages. */
static enum nb_status cause_check_joint(const struct nb_vc_classes *classes,
                                        const struct nb_cause *cause,
                                        bool *holds, struct nb_error *err)
{
    const size_t joint = cause->joint;
    struct nb_cause first = *cause, second = *cause;
    enum nb_status status = NB_OK;
    *holds = cause->held < joint && joint <= cause->wanted &&
             cause->wanted < cause->length;
    if (!*holds)
        return NB_OK;
    first.destination = second.source =
        classes->routing->topology->channels[cause->channel[joint - 1]].target;
    first.length = joint;
    first.wanted = second.held = CAUSE_NONE;
    second.channel += joint;
    second.length -= joint;
    second.wanted -= joint;
    NB_TRY(cause_check_path(classes, &first, holds, err));
    if (*holds)
        NB_TRY(cause_check_path(classes, &second, holds, err));
done:
    return status;
}

enum nb_status nb_cause_check(const struct nb_vc_classes *classes,
                              const struct nb_cause *cause, bool *holds,
                              struct nb_error *err)
{
    *holds = cause->held < cause->wanted && cause->wanted < cause->length;
    if (!*holds)
        return NB_OK;
    if (cause->joint > 0)
        return cause_check_joint(classes, cause, holds, err);
    *holds = cause_is_astray(classes, cause);
    return *holds ? NB_OK : cause_check_path(classes, cause, holds, err);
}
