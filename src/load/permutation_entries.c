/* Entries of permutation loads (declared in permutation_work.h). */
#include "load/permutation_work.h"

#include "core/memory.h"

#include <math.h>

/* Matrices held at once. */
#define ENTRIES_BATCH_BYTES 0x1p30

void nb_permutation_work_release(struct nb_permutation_work *work)
{
    nb_delete(work->router);
    nb_delete(work->endpoint);
    nb_focus_release(&work->focus);
    nb_vertex_orbits_release(&work->orbits);
    nb_delete(work->source);
    nb_delete(work->source_of);
    nb_delete(work->scale);
    nb_delete(work->entry);
    nb_delete(work->map);
    nb_delete(work->inverse);
    nb_delete(work->column);
    *work = (struct nb_permutation_work){ 0 };
}

static void entries_find_sources(struct nb_permutation_work *work)
{
    const struct nb_topology *topology = work->routing->topology;
    work->n = nb_endpoints(topology, work->router);
    for (size_t r = 0; r < topology->router_count; r++)
        work->endpoint[r] = NB_NONE;
    for (uint32_t i = 0; i < work->n; i++) {
        const uint32_t router = work->router[i];
        work->endpoint[router] = i;
        if (nb_orbits_least(&work->orbits.routers, router) != router)
            continue;
        work->source_of[router] = (uint32_t)work->source_count;
        work->source[work->source_count++] = i;
    }
}

enum nb_status nb_permutation_work_init(struct nb_permutation_work *work,
                                        struct nb_error *err)
{
    static const char what[] = "permutation loads";
    const struct nb_topology *topology = work->routing->topology;
    const size_t routers = topology->router_count;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&work->router, routers, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&work->endpoint, routers, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&work->source, routers, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&work->source_of, routers, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&work->map, routers, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&work->inverse, routers, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&work->column, routers, sizeof(uint32_t), what, err));
    NB_TRY(nb_focus_find(work->routing, &work->focus, err));
    NB_TRY(nb_new(&work->scale, work->focus.channels.count, sizeof *work->scale,
                  what, err));
    NB_TRY(nb_vertex_orbits_find(work->routing, NB_ANY_SYMMETRY, &work->orbits,
                                 err));
    entries_find_sources(work);
done:
    return status;
}

static enum nb_status entries_append(struct nb_permutation_work *work,
                                     size_t row, uint32_t channel,
                                     union nb_load_cell load,
                                     struct nb_error *err)
{
    static const char what[] = "permutation loads";
    enum nb_status status = NB_OK;
    if (work->entry_count == work->entry_capacity) {
        const size_t capacity = work->entry_capacity / 2 * 3 + 1024;
        /* Moved while they grow, and later sorted into lists. */
        NB_TRY(nb_memory_require((double)capacity * 2 * sizeof *work->entry,
                                 what, err));
        NB_TRY(nb_grow(&work->entry, capacity, sizeof *work->entry, what, err));
        work->entry_capacity = capacity;
    }
    work->entry[work->entry_count++] =
        (struct nb_permutation_entry){ (uint32_t)row, channel, load };
done:
    return status;
}

/* The rows of one channel from its focus channel's matrix: with g from the
 * focus channel f to c, gamma_c(i, j) = gamma_f(g^-1 i, g^-1 j). */
static enum nb_status entries_take_channel(struct nb_permutation_work *work,
                                           uint32_t channel,
                                           const struct nb_pair_loads *loads,
                                           struct nb_error *err)
{
    enum nb_status status = NB_OK;
    nb_focus_map(&work->focus, channel, work->map, work->inverse);
    for (uint32_t r = 0; r < work->routing->topology->router_count; r++)
        work->inverse[work->map[r]] = r;
    for (size_t j = 0; j < work->n; j++)
        work->column[j] = work->endpoint[work->inverse[work->router[j]]];
    for (size_t s = 0; s < work->source_count; s++) {
        const size_t i = work->column[work->source[s]];
        for (size_t j = 0; j < work->n; j++) {
            union nb_load_cell load;
            if (loads->is_exact)
                load.weight = nb_pair_load_weight(loads, i, work->column[j]);
            else
                load.value = nb_pair_load_value(loads, i, work->column[j]);
            if (loads->is_exact ? load.weight > 0 : load.value > 0)
                NB_TRY(
                    entries_append(work, s * work->n + j, channel, load, err));
        }
    }
done:
    return status;
}

/* Of a separable matrix: what any permutation puts on the focus channel, as
 * every terminal is a source once and a destination once. */
static enum nb_status entries_take_fixed(struct nb_permutation_work *work,
                                         const struct nb_pair_loads *loads,
                                         struct nb_permutation_scale *scale,
                                         struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    nb_int128 whole = 0;
    double value = 0;
    union nb_load_cell load;
    for (size_t k = 0; k < 2 * loads->n; k++) {
        const uint32_t terminals =
            topology->terminals[work->router[k % loads->n]];
        if (loads->is_exact)
            whole += (nb_int128)loads->weight[k] * terminals;
        else
            value += loads->value[k] * terminals;
    }
    if (loads->is_exact && whole >= NB_PERMUTATION_LIMIT) {
        scale->unit = (struct nb_ratio){ 0, 0 };
        value = (double)whole / (double)loads->denominator;
    }
    if (nb_ratio_is_known(scale->unit))
        load.weight = (int64_t)whole;
    else
        load.value = value;
    return entries_append(work, 0, loads->channel, load, err);
}

/* The matrices of some focus channels, and what all channels of their orbits
 * take from them. loads: [count]. */
static enum nb_status entries_take_batch(struct nb_permutation_work *work,
                                         size_t first, size_t count,
                                         const struct nb_run *run,
                                         struct nb_pair_loads *loads,
                                         struct nb_error *err)
{
    const uint32_t *orbit = work->focus.channels.of;
    const size_t channels = work->routing->topology->channel_count;
    enum nb_status status = NB_OK;
    NB_TRY(nb_pair_loads_find(work->routing, count,
                              work->focus.channels.first + first, run, loads,
                              err));
    for (size_t f = 0; f < count; f++) {
        struct nb_permutation_scale *scale = &work->scale[first + f];
        if (loads[f].is_exact)
            scale->unit = nb_ratio_make(1, loads[f].denominator);
        else
            scale->relative_error = loads[f].relative_error;
        if (work->is_fixed)
            NB_TRY(entries_take_fixed(work, &loads[f], scale, err));
    }
    for (uint32_t c = 0; c < channels && !work->is_fixed; c++)
        if (orbit[c] >= first && orbit[c] - first < count)
            NB_TRY(
                entries_take_channel(work, c, &loads[orbit[c] - first], err));
done:
    for (size_t f = 0; f < count; f++)
        nb_pair_loads_release(&loads[f]);
    return status;
}

enum nb_status nb_permutation_entries_find(struct nb_permutation_work *work,
                                           const struct nb_run *run,
                                           struct nb_error *err)
{
    const size_t all = work->focus.channels.count;
    const double fitting =
        fmax(1, ENTRIES_BATCH_BYTES / nb_pair_loads_bytes(work->routing, 1));
    const size_t size = fitting < (double)all ? (size_t)fitting : all;
    struct nb_pair_loads *loads = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&loads, size, sizeof *loads, "batch", err));
    for (size_t first = 0; first < all; first += size)
        NB_TRY(entries_take_batch(work, first,
                                  all - first < size ? all - first : size, run,
                                  loads, err));
done:
    nb_delete(loads);
    return status;
}
