#include "sim/alike.h"

#include "core/memory.h"
#include "core/sets.h"
#include "load/focus.h"
#include "load/load_symmetry.h"
#include "sim/flows.h"

struct alike_work {
    const struct nb_topology *topology;
    const struct nb_flows *flows;
    const uint32_t *maps; /* [generator_count][router] */
    size_t generator_count;
    uint32_t *first_terminal; /* [router] */
};

/* Joins what the maps of one generator take to each other. */
static void alike_join_queues(const struct alike_work *work,
                              const uint32_t *map, uint32_t *parent)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t channels = (uint32_t)topology->channel_count;
    for (uint32_t c = 0; c < channels; c++)
        nb_sets_join(parent, c, nb_channel_image(topology, map, c));
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (nb_queue_count(topology) > channels && topology->terminals[r] > 0)
            nb_sets_join(parent, channels + work->first_terminal[r],
                         channels + work->first_terminal[map[r]]);
}

static void alike_join_routers(const struct alike_work *work,
                               const uint32_t *map, uint32_t *parent)
{
    for (uint32_t r = 0; r < work->topology->router_count; r++)
        nb_sets_join(parent, r, map[r]);
}

static void alike_join_flows(const struct alike_work *work, const uint32_t *map,
                             uint32_t *parent)
{
    for (uint32_t f = 0; f < work->flows->count; f++) {
        const struct nb_flow *flow = &work->flows->flow[f];
        const uint32_t source = map[flow->source];
        nb_sets_join(
            parent, f,
            flow->target == NB_NONE
                ? work->flows->pooled[source]
                : nb_flows_find(work->flows, source, map[flow->target]));
    }
}

/* Terminals of one router are alike, too. */
static void alike_join_terminals(const struct nb_topology *topology,
                                 uint32_t *parent)
{
    uint32_t queue = (uint32_t)topology->channel_count;
    if (nb_queue_count(topology) == queue)
        return;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        for (uint32_t t = 1; t < topology->terminals[r]; t++)
            nb_sets_join(parent, queue, queue + t);
        queue += topology->terminals[r];
    }
}

/* count: of what is in classes; join: by one generator */
static enum nb_status alike_classes(const struct alike_work *work, size_t count,
                                    void (*join)(const struct alike_work *,
                                                 const uint32_t *, uint32_t *),
                                    struct nb_classes *out,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&out->class_of, count, sizeof(uint32_t), "classes", err));
    NB_TRY(nb_new(&out->first, count, sizeof(uint32_t), "classes", err));
    NB_TRY(nb_new(&out->size, count, sizeof(uint32_t), "classes", err));
    nb_sets_init(out->class_of, count);
    for (size_t g = 0; g < work->generator_count; g++)
        join(work, work->maps + g * work->topology->router_count,
             out->class_of);
    if (join == alike_join_queues)
        alike_join_terminals(work->topology, out->class_of);
    /* A set is named by its least member, which has its class by then. */
    for (uint32_t i = 0; i < count; i++)
        out->class_of[i] = nb_sets_find(out->class_of, i);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t least = out->class_of[i];
        if (least == i)
            out->first[out->count++] = i;
        out->class_of[i] =
            least == i ? (uint32_t)out->count - 1 : out->class_of[least];
        out->size[out->class_of[i]]++;
    }
done:
    return status;
}

static enum nb_status alike_find_all(const struct nb_simulation *plan,
                                     struct alike_work *work,
                                     struct nb_alike *out, struct nb_error *err)
{
    const struct nb_topology *topology = plan->topology;
    const size_t n = topology->router_count;
    uint32_t terminals = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&work->first_terminal, n, sizeof(uint32_t), "classes", err));
    for (size_t r = 0; r < n; r++) {
        work->first_terminal[r] = terminals;
        terminals += topology->terminals[r];
    }
    NB_TRY(alike_classes(work, nb_queue_count(topology), alike_join_queues,
                         &out->queue, err));
    if (!out->is_always)
        goto done;
    NB_TRY(alike_classes(work, n, alike_join_routers, &out->router, err));
    NB_TRY(alike_classes(work, work->flows->count, alike_join_flows, &out->flow,
                         err));
done:
    nb_delete(work->first_terminal);
    return status;
}

enum nb_status nb_alike_find(const struct nb_simulation *plan,
                             const struct nb_flows *flows, struct nb_alike *out,
                             struct nb_error *err)
{
    struct alike_work work = { .topology = plan->topology, .flows = flows };
    uint32_t *maps = NULL;
    enum nb_status status = NB_OK;
    *out = (struct nb_alike){
        .is_always = plan->router.model == NB_ROUTER_IDEAL &&
                     plan->router.arbitration == NB_OLDEST_FIRST,
    };
    if (plan->injection.kind == NB_INJECT_TRACE ||
        plan->injection.kind == NB_INJECT_BATCH ||
        (plan->routing->kind->is_adaptive && !out->is_always))
        return NB_OK;
    NB_TRY(nb_traffic_symmetries_find(plan->routing, plan->traffic, &maps,
                                      &work.generator_count, err));
    work.maps = maps;
    NB_TRY(alike_find_all(plan, &work, out, err));
done:
    nb_delete(maps);
    if (status != NB_OK)
        nb_alike_release(out);
    return status;
}

static void alike_release(struct nb_classes *classes)
{
    nb_delete(classes->class_of);
    nb_delete(classes->first);
    nb_delete(classes->size);
}

void nb_alike_release(struct nb_alike *alike)
{
    alike_release(&alike->queue);
    alike_release(&alike->router);
    alike_release(&alike->flow);
    *alike = (struct nb_alike){ 0 };
}
