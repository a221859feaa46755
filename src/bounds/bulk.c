#include "bounds/bulk.h"

#include "core/memory.h"

#include <stdlib.h>

/* The loads per bandwidth of one class of channels. */
struct bulk_class {
    size_t count;
    struct nb_ratio *load; /* [channel_count] room */
    bool is_known;
};

static void bulk_add(const struct nb_topology *topology,
                     const struct nb_channel_loads *loads, uint32_t channel,
                     struct bulk_class *class)
{
    const struct nb_ratio share = nb_ratio_divide(
        loads->exact[channel], topology->channels[channel].bandwidth);
    class->is_known = class->is_known && nb_ratio_is_known(share);
    class->load[class->count++] = share;
}

static int bulk_compare(const void *one, const void *other)
{
    const struct nb_ratio *a = one, *b = other;
    return nb_ratio_compare(*a, *b);
}

/* The load that comes most often, on a tie the greatest; 0 of no channels. */
static struct nb_ratio bulk_most_frequent(struct bulk_class *class,
                                          struct nb_ratio *most)
{
    struct nb_ratio best = nb_ratio_zero;
    size_t best_count = 0;
    *most = (struct nb_ratio){ 0, 0 };
    if (!class->is_known)
        return *most;
    *most = nb_ratio_zero;
    if (class->count == 0)
        return best;
    qsort(class->load, class->count, sizeof *class->load, bulk_compare);
    for (size_t i = 0, end = 0; i < class->count; i = end) {
        while (end < class->count &&
               nb_ratio_compare(class->load[i], class->load[end]) == 0)
            end++;
        if (end - i >= best_count) {
            best_count = end - i;
            best = class->load[i];
        }
    }
    *most = class->load[class->count - 1];
    return best;
}

/* Where a router of a group stands in it; size: where all have that many. */
static uint32_t bulk_place(const struct nb_topology *topology, uint32_t router)
{
    const struct nb_groups *groups = &topology->groups;
    size_t at = groups->start[groups->of[router]];
    while (groups->member[at] != router)
        at++;
    return (uint32_t)(at - groups->start[groups->of[router]]);
}

/* Routers of every group, 0 if groups differ or routers are of none. */
static uint32_t bulk_group_size(const struct nb_topology *topology)
{
    const struct nb_groups *groups = &topology->groups;
    if (groups->count == 0 || topology->router_count % groups->count != 0)
        return 0;
    const uint32_t size = (uint32_t)topology->router_count / groups->count;
    for (uint32_t g = 0; g < groups->count; g++)
        if (groups->start[g + 1] - groups->start[g] != size)
            return 0;
    return size;
}

enum nb_status nb_bulk_of_displacement(const struct nb_topology *topology,
                                       const struct nb_channel_loads *loads,
                                       uint32_t displacement,
                                       struct nb_ratio *bulk,
                                       struct nb_ratio *most,
                                       struct nb_error *err)
{
    const uint32_t size = bulk_group_size(topology);
    struct bulk_class class = { .is_known = size > 0 && loads->is_exact };
    const enum nb_status status =
        nb_new(&class.load, topology->channel_count, sizeof *class.load,
               "loads of channels alike", err);
    for (uint32_t c = 0;
         status == NB_OK && class.is_known && c < topology->channel_count;
         c++) {
        const struct nb_channel *at = &topology->channels[c];
        if (nb_channel_is_global(topology, c))
            continue;
        const uint32_t from = bulk_place(topology, at->source);
        if ((from + displacement) % size == bulk_place(topology, at->target))
            bulk_add(topology, loads, c, &class);
    }
    *bulk = bulk_most_frequent(&class, most);
    nb_delete(class.load);
    return status;
}

enum nb_status nb_bulk_load(const struct nb_topology *topology,
                            const struct nb_channel_loads *loads,
                            struct nb_ratio *out, struct nb_error *err)
{
    const uint32_t size = bulk_group_size(topology);
    struct bulk_class global = { .is_known = size > 0 && loads->is_exact };
    struct nb_ratio most, local;
    enum nb_status status = NB_OK;
    *out = (struct nb_ratio){ 0, 0 };
    NB_TRY(nb_new(&global.load, topology->channel_count, sizeof *global.load,
                  "loads of channels alike", err));
    for (uint32_t c = 0; global.is_known && c < topology->channel_count; c++)
        if (nb_channel_is_global(topology, c))
            bulk_add(topology, loads, c, &global);
    *out = bulk_most_frequent(&global, &most);
    for (uint32_t d = 1; d < size && nb_ratio_is_known(*out); d++) {
        NB_TRY(nb_bulk_of_displacement(topology, loads, d, &local, &most, err));
        if (!nb_ratio_is_known(local) || nb_ratio_compare(local, *out) > 0)
            *out = local;
    }
done:
    nb_delete(global.load);
    return status;
}
