/* Lists from entries (declared in permutation_work.h). */
#include "load/permutation_work.h"

#include "core/memory.h"

#include <math.h>

void nb_permutation_lists_release(struct nb_permutation_lists *lists)
{
    nb_delete(lists->start);
    nb_delete(lists->channel);
    nb_delete(lists->load);
    nb_delete(lists->row);
    nb_delete(lists->map);
    nb_delete(lists->image);
    *lists = (struct nb_permutation_lists){ 0 };
}

/* A focus channel's unit per bandwidth; unknown if there is none. */
static struct nb_ratio lists_unit(const struct nb_permutation_work *work,
                                  size_t focus)
{
    const uint32_t channel = work->focus.channels.first[focus];
    return nb_ratio_divide(
        work->scale[focus].unit,
        work->routing->topology->channels[channel].bandwidth);
}

/* A denominator that suits all loads per bandwidth, with the factors that
 * lead to it; 0: there is none. */
static int64_t lists_find_denominator(struct nb_permutation_work *work)
{
    const size_t count = work->focus.channels.count;
    int64_t united = 1;
    for (size_t f = 0; f < count && united != 0; f++) {
        const struct nb_ratio unit = lists_unit(work, f);
        united = nb_ratio_is_known(unit)
                     ? nb_unite(united, unit.denominator, NB_PERMUTATION_LIMIT)
                     : 0;
    }
    for (size_t f = 0; f < count && united != 0; f++) {
        const struct nb_ratio unit = lists_unit(work, f);
        const nb_int128 factor =
            (nb_int128)unit.numerator * (united / unit.denominator);
        if (factor >= NB_PERMUTATION_LIMIT)
            return 0;
        work->scale[f].factor = (int64_t)factor;
    }
    return united;
}

/* Whether the sums of a permutation fit. */
static bool lists_fit(const struct nb_permutation_work *work)
{
    const size_t terminals = work->routing->topology->terminal_count;
    const nb_int128 limit =
        NB_PERMUTATION_LIMIT / (work->is_fixed ? 1 : (nb_int128)terminals);
    for (size_t e = 0; e < work->entry_count; e++) {
        const struct nb_permutation_entry *entry = &work->entry[e];
        const uint32_t focus = work->focus.channels.of[entry->channel];
        if ((nb_int128)work->scale[focus].factor * entry->load.weight >= limit)
            return false;
    }
    return true;
}

/* One entry as a load per bandwidth. */
static void lists_scale(const struct nb_permutation_work *work, bool is_exact,
                        struct nb_permutation_entry *entry)
{
    const struct nb_permutation_scale *scale =
        &work->scale[work->focus.channels.of[entry->channel]];
    if (is_exact) {
        entry->load.weight *= scale->factor;
        return;
    }
    if (nb_ratio_is_known(scale->unit))
        entry->load.value =
            (double)entry->load.weight / (double)scale->unit.denominator;
    entry->load.value /= nb_ratio_value(
        work->routing->topology->channels[entry->channel].bandwidth);
}

/* Brings all entries to one denominator, or to doubles. Returns the
 * greatest. */
static union nb_load_cell lists_unite(struct nb_permutation_work *work,
                                      struct nb_permutation_loads *loads)
{
    union nb_load_cell most = { 0 };
    loads->denominator = lists_find_denominator(work);
    loads->is_exact = loads->denominator != 0 && lists_fit(work);
    if (!loads->is_exact) {
        most.value = 0;
        for (size_t f = 0; f < work->focus.channels.count; f++)
            loads->relative_error =
                fmax(loads->relative_error, work->scale[f].relative_error);
        /* Numerator, denominator, quotient, bandwidth, quotient; and the sum,
         * of products if it is fixed. */
        loads->relative_error +=
            (2 * (double)loads->terminal_count + 8) * 0x1p-53;
    }
    for (size_t e = 0; e < work->entry_count; e++) {
        lists_scale(work, loads->is_exact, &work->entry[e]);
        if (nb_permutation_peak_compare(loads, work->entry[e].load, most) > 0)
            most = work->entry[e].load;
    }
    return most;
}

/* The entries sorted by row, those of a row in their order. */
static enum nb_status lists_sort(const struct nb_permutation_work *work,
                                 struct nb_permutation_lists *list,
                                 struct nb_error *err)
{
    static const char what[] = "permutation loads";
    size_t *start;
    enum nb_status status = NB_OK;
    list->row_count = work->source_count * work->n;
    NB_TRY(nb_new(&list->start, list->row_count + 1, sizeof *list->start, what,
                  err));
    NB_TRY(nb_new(&list->channel, work->entry_count, sizeof *list->channel,
                  what, err));
    NB_TRY(
        nb_new(&list->load, work->entry_count, sizeof *list->load, what, err));
    start = list->start;
    for (size_t e = 0; e < work->entry_count; e++)
        start[work->entry[e].row + 1]++;
    for (size_t row = 0; row < list->row_count; row++)
        start[row + 1] += start[row];
    /* start[row] runs to the end of its row, the start of the next. */
    for (size_t e = 0; e < work->entry_count; e++) {
        const size_t at = start[work->entry[e].row]++;
        list->channel[at] = work->entry[e].channel;
        list->load[at] = work->entry[e].load;
    }
    for (size_t row = list->row_count; row > 0; row--)
        start[row] = start[row - 1];
    start[0] = 0;
done:
    return status;
}

/* The rows of one source: those of its orbit's representative r, with g from
 * r to it, as gamma_(g c)(g r, g j) = gamma_c(r, j). */
static void lists_map_source(struct nb_permutation_work *work, size_t i,
                             struct nb_permutation_lists *list)
{
    const struct nb_topology *topology = work->routing->topology;
    const size_t routers = topology->router_count;
    const uint32_t router = work->router[i];
    const uint32_t *map = work->orbits.map + router * routers;
    const uint32_t source =
        work->source_of[nb_orbits_least(&work->orbits.routers, router)];
    for (uint32_t r = 0; r < routers; r++)
        work->inverse[map[r]] = r;
    for (size_t j = 0; j < work->n; j++)
        list->row[i * work->n + j] =
            source * (uint32_t)work->n +
            work->endpoint[work->inverse[work->router[j]]];
    list->map[i] = (uint32_t)i;
    for (uint32_t c = 0; c < topology->channel_count; c++)
        list->image[i * topology->channel_count + c] =
            nb_channel_image(topology, map, c);
}

/* Where every pair finds its row; without symmetry each has its own. */
static enum nb_status lists_map(struct nb_permutation_work *work,
                                struct nb_permutation_lists *list,
                                struct nb_error *err)
{
    static const char what[] = "permutation loads";
    const size_t n = work->n;
    const size_t channels = work->routing->topology->channel_count;
    const size_t maps = work->orbits.map != NULL ? n : 1;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&list->row, n * n, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&list->map, n, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&list->image, maps * channels, sizeof(uint32_t), what, err));
    if (work->orbits.map != NULL) {
        for (size_t i = 0; i < n; i++)
            lists_map_source(work, i, list);
        return NB_OK;
    }
    for (uint32_t pair = 0; pair < n * n; pair++)
        list->row[pair] = pair;
    for (uint32_t c = 0; c < channels; c++)
        list->image[c] = c;
done:
    return status;
}

/* The terminals, router by router. */
static enum nb_status
lists_find_terminals(const struct nb_permutation_work *work,
                     struct nb_permutation_loads *loads, struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    size_t terminal = 0;
    const enum nb_status status =
        nb_new(&loads->endpoint, topology->terminal_count,
               sizeof *loads->endpoint, "terminals", err);
    for (uint32_t i = 0; i < work->n && status == NB_OK; i++)
        for (uint32_t t = 0; t < topology->terminals[work->router[i]]; t++)
            loads->endpoint[terminal++] = i;
    return status;
}

/* Refuses what cannot be numbered or held. */
static enum nb_status lists_check_size(const struct nb_topology *topology,
                                       struct nb_error *err)
{
    const bool has_maps = topology->kind->symmetry != NULL;
    const double channels = (double)topology->channel_count;
    uint32_t routers = 0;
    for (size_t r = 0; r < topology->router_count; r++)
        routers += topology->terminals[r] > 0;
    const double n = routers;
    if (routers >= UINT16_MAX || topology->terminal_count >= UINT32_MAX)
        return nb_fail(err, NB_INVALID,
                       "permutations of %zu terminals at %u routers "
                       "(permitted: up to %u at up to %u)",
                       topology->terminal_count, routers, UINT32_MAX - 1,
                       UINT16_MAX - 1);
    return nb_memory_require(
        nb_vertex_orbits_bytes(topology) + n * n * sizeof(uint32_t) +
            (has_maps ? n : 1) * channels * sizeof(uint32_t) +
            (double)topology->terminal_count * sizeof(uint32_t),
        "permutation loads", err);
}

enum nb_status nb_permutation_lists_find(const struct nb_routing *routing,
                                         bool is_fixed,
                                         const struct nb_run *run,
                                         struct nb_permutation_loads *loads,
                                         union nb_load_cell *most,
                                         struct nb_error *err)
{
    struct nb_permutation_work work = { .routing = routing,
                                        .is_fixed = is_fixed };
    enum nb_status status = NB_OK;
    NB_TRY(lists_check_size(routing->topology, err));
    NB_TRY(nb_permutation_work_init(&work, err));
    loads->terminal_count = routing->topology->terminal_count;
    loads->endpoint_count = work.n;
    loads->channel_count = routing->topology->channel_count;
    NB_TRY(lists_find_terminals(&work, loads, err));
    NB_TRY(nb_permutation_entries_find(&work, run, err));
    *most = lists_unite(&work, loads);
    if (!is_fixed) {
        NB_TRY(lists_sort(&work, &loads->list, err));
        NB_TRY(lists_map(&work, &loads->list, err));
    }
done:
    nb_permutation_work_release(&work);
    return status;
}
