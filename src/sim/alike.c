#include "sim/alike.h"

#include "core/memory.h"
#include "load/load_symmetry.h"

/* Adds a queue to the class of the one that stands for it, a new one if that
 * is the queue itself. */
static void alike_add(struct nb_alike *alike, uint32_t queue, uint32_t like)
{
    if (queue == like) {
        alike->class_of[queue] = (uint32_t)alike->count;
        alike->first[alike->count++] = queue;
    }
    alike->class_of[queue] = alike->class_of[like];
    alike->size[alike->class_of[queue]]++;
}

/* Channels to terminals stand for each other by their routers: the first one
 * at the least router of an orbit for all. */
static void alike_add_terminals(const struct nb_topology *topology,
                                const struct nb_load_symmetry *symmetry,
                                uint32_t *first, struct nb_alike *out)
{
    uint32_t queue = (uint32_t)topology->channel_count;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        first[r] = queue;
        for (uint32_t t = 0; t < topology->terminals[r]; t++)
            alike_add(out, queue++, first[symmetry->router[r]]);
    }
}

enum nb_status nb_alike_find(const struct nb_simulation *plan,
                             struct nb_alike *out, struct nb_error *err)
{
    const struct nb_topology *topology = plan->topology;
    const size_t queues = nb_queue_count(topology);
    struct nb_load_symmetry symmetry = { 0 };
    uint32_t *first = NULL;
    enum nb_status status = NB_OK;
    *out = (struct nb_alike){ 0 };
    if (plan->routing->kind->is_adaptive ||
        plan->injection.kind == NB_INJECT_TRACE ||
        plan->injection.kind == NB_INJECT_BATCH)
        return NB_OK;
    NB_TRY(nb_load_symmetry_find(plan->routing, plan->traffic, &symmetry, err));
    NB_TRY(nb_new(&out->class_of, queues, sizeof(uint32_t), "channels", err));
    NB_TRY(nb_new(&out->first, queues, sizeof(uint32_t), "channels", err));
    NB_TRY(nb_new(&out->size, queues, sizeof(uint32_t), "channels", err));
    for (uint32_t c = 0; c < topology->channel_count; c++)
        alike_add(out, c, symmetry.orbit[c]);
    if (queues > topology->channel_count) {
        NB_TRY(nb_new(&first, topology->router_count, sizeof *first, "channels",
                      err));
        alike_add_terminals(topology, &symmetry, first, out);
    }
done:
    nb_load_symmetry_release(&symmetry);
    nb_delete(first);
    if (status != NB_OK)
        nb_alike_release(out);
    return status;
}

void nb_alike_release(struct nb_alike *alike)
{
    nb_delete(alike->class_of);
    nb_delete(alike->first);
    nb_delete(alike->size);
    *alike = (struct nb_alike){ 0 };
}
