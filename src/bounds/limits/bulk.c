#include "bounds/limits/bulk.h"

#include "core/memory.h"

/* The distinct loads per bandwidth in one class of channels, with the number of
 * channels of each. There are few. */
struct bulk_class {
    size_t count, capacity;
    struct bulk_value {
        struct nb_ratio load;
        size_t channels;
    } * values;
};

/* Classes: 0 the global channels, d the local ones of displacement d. */
struct bulk_work {
    const struct nb_topology *topology;
    uint32_t size;              /* routers per group */
    uint32_t *place;            /* [router] position in its group */
    struct bulk_class *classes; /* [size] */
};

static enum nb_status bulk_add(struct bulk_class *class, struct nb_ratio load,
                               struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < class->count; i++) {
        struct bulk_value *value = &class->values[i];
        if (nb_ratio_compare(value->load, load) == 0) {
            value->channels++;
            return NB_OK;
        }
    }
    if (class->count == class->capacity) {
        class->capacity = 2 * class->capacity + 8;
        NB_TRY(nb_grow(&class->values, class->capacity, sizeof *class->values,
                       "loads by class of channel", err));
    }
    class->values[class->count++] = (struct bulk_value){ load, 1 };
done:
    return status;
}

/* The load of most channels (on a tie the greatest), and the greatest of all; 0
 * if there are no channels. */
static void bulk_conclude(const struct bulk_class *class, struct nb_ratio *bulk,
                          struct nb_ratio *most)
{
    size_t channels = 0;
    *bulk = *most = nb_ratio_zero;
    for (size_t i = 0; i < class->count; i++) {
        const struct bulk_value *value = &class->values[i];
        if (nb_ratio_compare(value->load, *most) > 0)
            *most = value->load;
        if (value->channels > channels ||
            (value->channels == channels &&
             nb_ratio_compare(value->load, *bulk) > 0)) {
            *bulk = value->load;
            channels = value->channels;
        }
    }
}

/* Routers per group; 0 if groups differ in size, or routers belong to none or
 * have no terminals: displacements mean little then. */
static uint32_t bulk_group_size(const struct nb_topology *topology)
{
    const struct nb_groups *groups = &topology->groups;
    if (groups->count == 0 || topology->router_count % groups->count != 0)
        return 0;
    const uint32_t size = (uint32_t)topology->router_count / groups->count;
    for (uint32_t g = 0; g < groups->count; g++)
        if (groups->start[g + 1] - groups->start[g] != size)
            return 0;
    for (size_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] == 0)
            return 0;
    return size;
}

static void bulk_release(struct bulk_work *work)
{
    for (uint32_t d = 0; d < work->size && work->classes != NULL; d++)
        nb_delete(work->classes[d].values);
    nb_delete(work->classes);
    nb_delete(work->place);
}

/* All channels by class; *is_known: whether all loads are exact and all groups
 * have the same form. */
static enum nb_status bulk_sort(struct bulk_work *work,
                                const struct nb_channel_loads *loads,
                                bool *is_known, struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const struct nb_groups *groups = &topology->groups;
    enum nb_status status = NB_OK;
    work->size = bulk_group_size(topology);
    *is_known = work->size > 0 && loads->is_exact;
    if (!*is_known)
        return NB_OK;
    NB_TRY(nb_new(&work->classes, work->size, sizeof *work->classes,
                  "loads by class of channel", err));
    NB_TRY(nb_new(&work->place, topology->router_count, sizeof *work->place,
                  "loads by class of channel", err));
    for (uint32_t m = 0; m < topology->router_count; m++)
        work->place[groups->member[m]] = m % work->size;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *at = &topology->channels[c];
        const struct nb_ratio load =
            nb_ratio_divide(loads->load[c].exact, at->bandwidth);
        const uint32_t displacement =
            work->size + work->place[at->target] - work->place[at->source];
        if (!nb_ratio_is_known(load)) {
            *is_known = false;
            return NB_OK;
        }
        NB_TRY(bulk_add(&work->classes[nb_channel_is_global(topology, c)
                                           ? 0
                                           : displacement % work->size],
                        load, err));
    }
done:
    return status;
}

enum nb_status nb_bulk_of_displacement(const struct nb_topology *topology,
                                       const struct nb_channel_loads *loads,
                                       uint32_t displacement,
                                       struct nb_ratio *bulk,
                                       struct nb_ratio *most,
                                       struct nb_error *err)
{
    struct bulk_work work = { .topology = topology };
    bool is_known = false;
    const enum nb_status status = bulk_sort(&work, loads, &is_known, err);
    *bulk = *most = (struct nb_ratio){ 0, 0 };
    if (status == NB_OK && is_known)
        bulk_conclude(&work.classes[displacement], bulk, most);
    bulk_release(&work);
    return status;
}

enum nb_status nb_bulk_load(const struct nb_topology *topology,
                            const struct nb_channel_loads *loads,
                            struct nb_ratio *out, struct nb_error *err)
{
    struct bulk_work work = { .topology = topology };
    struct nb_ratio bulk, most;
    bool is_known = false;
    const enum nb_status status = bulk_sort(&work, loads, &is_known, err);
    *out = is_known ? nb_ratio_zero : (struct nb_ratio){ 0, 0 };
    for (uint32_t d = 0; status == NB_OK && is_known && d < work.size; d++) {
        bulk_conclude(&work.classes[d], &bulk, &most);
        if (nb_ratio_compare(bulk, *out) > 0)
            *out = bulk;
    }
    bulk_release(&work);
    return status;
}
