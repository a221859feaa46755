#include "load/permutation_loads.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "load/focus.h"
#include "load/pair_loads.h"
#include "load/propagate.h"
#include "load/vertex_orbits.h"

#include <math.h>
#include <string.h>

/* Limit of the sums of a permutation's loads. */
#define ENTRIES_LIMIT ((int64_t)1 << 62)

/* A cell of a channel's matrix that is not zero. */
struct permutation_entry {
    uint32_t row; /* source index * endpoints + destination */
    uint32_t channel;
    union nb_load_cell load;
};

/* Conversion of a focus channel's cells to loads. */
struct permutation_scale {
    struct nb_ratio unit;  /* unit of weights; unknown: the cells are values */
    double relative_error; /* of the values */
    int64_t factor;        /* from weights to numerators of loads per bandwidth,
                            * once a common denominator is found */
};

/*
 * Entries are the cells of all channels, for representative sources only; with
 * is_fixed, the peak of each focus channel (row 0).
 */
struct permutation_work {
    const struct nb_routing *routing;
    struct nb_pool pool; /* all arrays except the entries */
    bool is_fixed;
    size_t n;           /* number of endpoints */
    uint32_t *router;   /* [n] */
    uint32_t *endpoint; /* [router]; NB_NONE: no terminals */
    struct nb_focus focus;
    struct nb_vertex_orbits orbits;
    size_t source_count;
    uint32_t *source;    /* [source_count] endpoints whose rows are kept */
    uint32_t *source_of; /* [router of a representative] index in source */
    struct permutation_scale *scale; /* [focus_count] */
    size_t entry_count, entry_room;
    struct permutation_entry *entry;   /* rows of each channel in order */
    const struct nb_pair_loads *loads; /* matrix of the present orbit;
                                        * borrowed */
    /* Scratch, [router]. */
    uint32_t *inverse, *column;
};

/* Memory for the matrices held at once. */
#define ENTRIES_BATCH_BYTES 0x1p30

static void permutation_work_release(struct permutation_work *work)
{
    nb_focus_release(&work->focus);
    nb_vertex_orbits_release(&work->orbits);
    nb_delete(work->entry);
    nb_pool_release(&work->pool);
    *work = (struct permutation_work){ 0 };
}

static void entries_find_sources(struct permutation_work *work)
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

/* Sets endpoints, symmetry and sources; routing and is_fixed are set. Errors:
 * those of nb_permutation_loads_find. */
static enum nb_status permutation_work_init(struct permutation_work *work,
                                            struct nb_error *err)
{
    const size_t routers = work->routing->topology->router_count;
    struct nb_pool *pool = &work->pool;
    enum nb_status status = NB_OK;
    NB_TRY(nb_focus_find(work->routing, &work->focus, err));
    work->router = nb_pool_array(pool, routers, sizeof(uint32_t));
    work->endpoint = nb_pool_array(pool, routers, sizeof(uint32_t));
    work->source = nb_pool_array(pool, routers, sizeof(uint32_t));
    work->source_of = nb_pool_array(pool, routers, sizeof(uint32_t));
    work->inverse = nb_pool_array(pool, routers, sizeof(uint32_t));
    work->column = nb_pool_array(pool, routers, sizeof(uint32_t));
    work->scale =
        nb_pool_array(pool, work->focus.channels.count, sizeof *work->scale);
    NB_TRY(nb_pool_check(pool, "permutation loads", err));
    NB_TRY(nb_vertex_orbits_find(work->routing, NB_ANY_SYMMETRY, &work->orbits,
                                 err));
    entries_find_sources(work);
done:
    return status;
}

static enum nb_status entries_append(struct permutation_work *work, size_t row,
                                     uint32_t channel, union nb_load_cell load,
                                     struct nb_error *err)
{
    static const char what[] = "permutation loads";
    enum nb_status status = NB_OK;
    if (work->entry_count == work->entry_room) {
        const size_t capacity = work->entry_room / 2 * 3 + 1024;
        /* Copied while they grow, and later sorted into lists. */
        NB_TRY(nb_memory_require((double)capacity * 2 * sizeof *work->entry,
                                 what, err));
        NB_TRY(nb_grow(&work->entry, capacity, sizeof *work->entry, what, err));
        work->entry_room = capacity;
    }
    work->entry[work->entry_count++] =
        (struct permutation_entry){ (uint32_t)row, channel, load };
done:
    return status;
}

/* The rows of one channel from its focus channel's matrix: with g from the
 * focus channel f to c, gamma_c(i, j) = gamma_f(g^-1 i, g^-1 j). */
static enum nb_status entries_take_channel(void *context, uint32_t channel,
                                           const uint32_t *map,
                                           struct nb_error *err)
{
    struct permutation_work *work = context;
    const struct nb_pair_loads *loads = work->loads;
    enum nb_status status = NB_OK;
    for (uint32_t r = 0; r < work->routing->topology->router_count; r++)
        work->inverse[map[r]] = r;
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

/* For a separable matrix: the load of any permutation on the focus channel, as
 * every terminal is a source once and a destination once. */
static enum nb_status entries_take_fixed(struct permutation_work *work,
                                         const struct nb_pair_loads *loads,
                                         struct permutation_scale *scale,
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
    if (loads->is_exact && whole >= ENTRIES_LIMIT) {
        scale->unit = (struct nb_ratio){ 0, 0 };
        value = (double)whole / (double)loads->denominator;
    }
    if (nb_ratio_is_known(scale->unit))
        load.weight = (int64_t)whole;
    else
        load.value = value;
    return entries_append(work, 0, loads->channel, load, err);
}

/* Takes the matrices of some focus channels, and from them the entries of all
 * channels of their orbits. loads: [count]. */
static enum nb_status entries_take_batch(struct permutation_work *work,
                                         size_t first, size_t count,
                                         const struct nb_run *run,
                                         struct nb_pair_loads *loads,
                                         struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_pair_loads_find(work->routing, count,
                              work->focus.channels.first + first, run, loads,
                              err));
    for (size_t f = 0; f < count; f++) {
        struct permutation_scale *scale = &work->scale[first + f];
        if (loads[f].is_exact)
            scale->unit = nb_ratio_make(1, loads[f].denominator);
        else
            scale->relative_error = loads[f].relative_error;
        work->loads = &loads[f];
        if (work->is_fixed)
            NB_TRY(entries_take_fixed(work, &loads[f], scale, err));
        else
            NB_TRY(nb_focus_walk(&work->focus, first + f, entries_take_channel,
                                 work, err));
    }
done:
    for (size_t f = 0; f < count; f++)
        nb_pair_loads_release(&loads[f]);
    return status;
}

/* Finds the entries and scales. Errors: those of nb_pair_loads_find. */
static enum nb_status permutation_entries_find(struct permutation_work *work,
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

static void permutation_lists_release(struct nb_permutation_lists *lists)
{
    nb_pool_release(&lists->pool);
    *lists = (struct nb_permutation_lists){ 0 };
}

/* A focus channel's unit per bandwidth; unknown if there is none. */
static struct nb_ratio lists_unit(const struct permutation_work *work,
                                  size_t focus)
{
    const uint32_t channel = work->focus.channels.first[focus];
    return nb_ratio_divide(
        work->scale[focus].unit,
        work->routing->topology->channels[channel].bandwidth);
}

/* A common denominator of all loads per bandwidth, with the factors that lead
 * to it; 0: there is none. */
static int64_t lists_find_denominator(struct permutation_work *work)
{
    const size_t count = work->focus.channels.count;
    int64_t united = 1;
    for (size_t f = 0; f < count && united != 0; f++) {
        const struct nb_ratio unit = lists_unit(work, f);
        united = nb_ratio_is_known(unit)
                     ? nb_unite(united, unit.denominator, ENTRIES_LIMIT)
                     : 0;
    }
    for (size_t f = 0; f < count && united != 0; f++) {
        const struct nb_ratio unit = lists_unit(work, f);
        const nb_int128 factor =
            (nb_int128)unit.numerator * (united / unit.denominator);
        if (factor >= ENTRIES_LIMIT)
            return 0;
        work->scale[f].factor = (int64_t)factor;
    }
    return united;
}

/* Whether the sums of any permutation fit. */
static bool lists_fit(const struct permutation_work *work)
{
    const size_t terminals = work->routing->topology->terminal_count;
    const nb_int128 limit =
        ENTRIES_LIMIT / (work->is_fixed ? 1 : (nb_int128)terminals);
    for (size_t e = 0; e < work->entry_count; e++) {
        const struct permutation_entry *entry = &work->entry[e];
        const uint32_t focus = work->focus.channels.of[entry->channel];
        if ((nb_int128)work->scale[focus].factor * entry->load.weight >= limit)
            return false;
    }
    return true;
}

/* Converts one entry to a load per bandwidth. */
static void lists_scale(const struct permutation_work *work, bool is_exact,
                        struct permutation_entry *entry)
{
    const struct permutation_scale *scale =
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

/* Converts all entries to one denominator, or to doubles. Returns the
 * greatest. */
static union nb_load_cell lists_unite(struct permutation_work *work,
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

/* Sorts the entries by row; those of a row keep their order. */
static enum nb_status lists_sort(const struct permutation_work *work,
                                 struct nb_permutation_lists *list,
                                 struct nb_error *err)
{
    const size_t count = work->entry_count;
    struct nb_pool *pool = &list->pool;
    enum nb_status status = NB_OK;
    list->row_count = work->source_count * work->n;
    size_t *start = nb_pool_array(pool, list->row_count + 1, sizeof *start);
    list->start = start;
    list->channel = nb_pool_array(pool, count, sizeof *list->channel);
    list->load = nb_pool_array(pool, count, sizeof *list->load);
    NB_TRY(nb_pool_check(pool, "permutation loads", err));
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

/* The rows of one source from those of its orbit's representative r: with g
 * from r to the source, gamma_(g c)(g r, g j) = gamma_c(r, j). */
static void lists_map_source(struct permutation_work *work, size_t i,
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

/* Finds the row of every pair; without symmetry each pair has its own. */
static enum nb_status lists_map(struct permutation_work *work,
                                struct nb_permutation_lists *list,
                                struct nb_error *err)
{
    const size_t n = work->n;
    const size_t channels = work->routing->topology->channel_count;
    const size_t maps = work->orbits.map != NULL ? n : 1;
    enum nb_status status = NB_OK;
    list->row = nb_pool_array(&list->pool, n * n, sizeof(uint32_t));
    list->map = nb_pool_array(&list->pool, n, sizeof(uint32_t));
    list->image = nb_pool_array(&list->pool, maps * channels, sizeof(uint32_t));
    NB_TRY(nb_pool_check(&list->pool, "permutation loads", err));
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
static enum nb_status lists_find_terminals(const struct permutation_work *work,
                                           struct nb_permutation_loads *loads,
                                           struct nb_error *err)
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

/* Rejects what cannot be numbered or held. */
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

/*
 * Fills in all of loads except kernel and the dense cells: the lists, or with
 * is_fixed the single peak of separable matrices.
 *
 * most  out: the greatest load of a list, or the peak
 *
 * Errors: those of nb_permutation_loads_find.
 */
static enum nb_status permutation_lists_find(const struct nb_routing *routing,
                                             bool is_fixed,
                                             const struct nb_run *run,
                                             struct nb_permutation_loads *loads,
                                             union nb_load_cell *most,
                                             struct nb_error *err)
{
    struct permutation_work work = { .routing = routing, .is_fixed = is_fixed };
    enum nb_status status = NB_OK;
    NB_TRY(lists_check_size(routing->topology, err));
    NB_TRY(permutation_work_init(&work, err));
    loads->terminal_count = routing->topology->terminal_count;
    loads->endpoint_count = work.n;
    loads->channel_count = routing->topology->channel_count;
    NB_TRY(lists_find_terminals(&work, loads, err));
    NB_TRY(permutation_entries_find(&work, run, err));
    *most = lists_unite(&work, loads);
    if (!is_fixed) {
        NB_TRY(lists_sort(&work, &loads->list, err));
        NB_TRY(lists_map(&work, &loads->list, err));
    }
done:
    permutation_work_release(&work);
    return status;
}

/* Limit of the memory of dense cells. */
#define DENSE_BYTES 0x1p29

/* A block of a pair's cells is a cache line. Every 64-bit processor adds
 * vectors of 16 bytes; wider ones would only wait for the cache. */
enum { DENSE_LINE = 64, DENSE_VECTOR = 16 };

#define KERNEL(name) narrow_##name
#define CELL         int32_t
#define MEMBER       weight
#include "load/permutation_kernel.inc"
#undef KERNEL
#undef CELL

#define KERNEL(name) wide_##name
#define CELL         int64_t
#include "load/permutation_kernel.inc"
#undef KERNEL
#undef CELL
#undef MEMBER

#define KERNEL(name) real_##name
#define CELL         double
#define MEMBER       value
#include "load/permutation_kernel.inc"
#undef KERNEL
#undef CELL
#undef MEMBER

void nb_permutation_loads_release(struct nb_permutation_loads *loads)
{
    permutation_lists_release(&loads->list);
    nb_delete(loads->endpoint);
    nb_delete(loads->narrow);
    nb_delete(loads->wide);
    nb_delete(loads->real);
    *loads = (struct nb_permutation_loads){ 0 };
}

/* Whether every sum of cells fits in narrow cells. */
static bool loads_are_narrow(const struct nb_permutation_loads *loads,
                             union nb_load_cell most)
{
    return loads->is_exact &&
           (nb_int128)most.weight * (nb_int128)loads->terminal_count <=
               INT32_MAX;
}

/* The number of dense cells: whole blocks of channels. */
static double loads_cells(const struct nb_permutation_loads *loads, size_t size)
{
    const double n = (double)loads->endpoint_count;
    const size_t line = DENSE_LINE / size;
    return n * n * (double)((loads->channel_count + line - 1) / line * line);
}

/* Dense cells are worth their memory if most cache lines that a pair uses have
 * a load in them. */
static bool loads_suit_dense(const struct nb_permutation_loads *loads,
                             size_t size)
{
    const struct nb_permutation_lists *list = &loads->list;
    const double entries = (double)list->start[list->row_count];
    const double places =
        (double)list->row_count * (double)loads->channel_count;
    return loads_cells(loads, size) * (double)size <= DENSE_BYTES &&
           entries * (DENSE_LINE / sizeof(int32_t)) >= places;
}

/* Fills them from the lists, which are then released. */
static enum nb_status loads_make_dense(struct nb_permutation_loads *loads,
                                       bool is_narrow, struct nb_error *err)
{
    static const char what[] = "dense pair loads";
    const size_t size = is_narrow ? sizeof(int32_t) : sizeof(int64_t);
    const double cells = loads_cells(loads, size);
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require(cells * (double)size, what, err));
    if (is_narrow) {
        NB_TRY(nb_new(&loads->narrow, (size_t)cells, size, what, err));
        narrow_fill(loads, loads->narrow);
    } else if (loads->is_exact) {
        NB_TRY(nb_new(&loads->wide, (size_t)cells, size, what, err));
        wide_fill(loads, loads->wide);
    } else {
        NB_TRY(nb_new(&loads->real, (size_t)cells, size, what, err));
        real_fill(loads, loads->real);
    }
    permutation_lists_release(&loads->list);
done:
    return status;
}

enum nb_status nb_permutation_loads_find(const struct nb_routing *routing,
                                         enum nb_permutation_kernel kernel,
                                         const struct nb_run *run,
                                         struct nb_permutation_loads *out,
                                         struct nb_error *err)
{
    union nb_load_cell most = { 0 };
    bool is_narrow;
    enum nb_status status = NB_OK;
    *out = (struct nb_permutation_loads){
        .kernel = kernel,
        .terminal_limit = nb_terminal_limit(routing->topology, nb_ratio_one),
    };
    if (kernel == NB_KERNEL_BEST && routing->intermediate == NB_ANYWHERE)
        out->kernel = NB_KERNEL_FIXED;
    NB_TRY(permutation_lists_find(routing, out->kernel == NB_KERNEL_FIXED, run,
                                  out, &most, err));
    out->fixed = most;
    is_narrow = loads_are_narrow(out, most);
    if (out->kernel == NB_KERNEL_BEST)
        out->kernel = loads_suit_dense(out, is_narrow ? 4 : 8)
                          ? NB_KERNEL_DENSE
                          : NB_KERNEL_LISTED;
    if (out->kernel == NB_KERNEL_DENSE)
        NB_TRY(loads_make_dense(out, is_narrow, err));
done:
    if (status != NB_OK)
        nb_permutation_loads_release(out);
    return status;
}

static void listed_add_weights(const struct nb_permutation_lists *list,
                               size_t row, const uint32_t *image,
                               union nb_load_cell *sum)
{
    for (size_t e = list->start[row]; e < list->start[row + 1]; e++)
        sum[image[list->channel[e]]].weight += list->load[e].weight;
}

static void listed_add_values(const struct nb_permutation_lists *list,
                              size_t row, const uint32_t *image,
                              union nb_load_cell *sum)
{
    for (size_t e = list->start[row]; e < list->start[row + 1]; e++)
        sum[image[list->channel[e]]].value += list->load[e].value;
}

/* pair: [terminals] of one permutation. */
static union nb_load_cell listed_peak(const struct nb_permutation_loads *loads,
                                      const uint32_t *pair,
                                      union nb_load_cell *sum)
{
    const struct nb_permutation_lists *list = &loads->list;
    union nb_load_cell most = { 0 };
    if (!loads->is_exact)
        most.value = 0;
    for (size_t c = 0; c < loads->channel_count; c++)
        sum[c] = most;
    for (size_t t = 0; t < loads->terminal_count; t++) {
        const uint32_t *image =
            list->image + list->map[loads->endpoint[t]] * loads->channel_count;
        if (loads->is_exact)
            listed_add_weights(list, list->row[pair[t]], image, sum);
        else
            listed_add_values(list, list->row[pair[t]], image, sum);
    }
    for (size_t c = 0; c < loads->channel_count; c++)
        if (nb_permutation_peak_compare(loads, sum[c], most) > 0)
            most = sum[c];
    return most;
}

void nb_permutation_peaks(const struct nb_permutation_loads *loads,
                          size_t count, uint32_t *permutation,
                          union nb_load_cell *sum, union nb_load_cell *peak)
{
    const size_t terminals = loads->terminal_count;
    const uint32_t n = (uint32_t)loads->endpoint_count;
    for (size_t p = 0; p < count; p++)
        for (size_t t = 0; t < terminals; t++) {
            uint32_t *at = &permutation[p * terminals + t];
            *at = loads->endpoint[t] * n + loads->endpoint[*at];
        }
    if (loads->narrow != NULL)
        narrow_add_dense(loads, loads->narrow, count, permutation, peak);
    else if (loads->wide != NULL)
        wide_add_dense(loads, loads->wide, count, permutation, peak);
    else if (loads->real != NULL)
        real_add_dense(loads, loads->real, count, permutation, peak);
    else
        for (size_t p = 0; p < count && !nb_run_is_stopped(); p++)
            peak[p] =
                loads->kernel == NB_KERNEL_FIXED
                    ? loads->fixed
                    : listed_peak(loads, permutation + p * terminals, sum);
}

int nb_permutation_peak_compare(const struct nb_permutation_loads *loads,
                                union nb_load_cell a, union nb_load_cell b)
{
    if (loads->is_exact)
        return (a.weight > b.weight) - (a.weight < b.weight);
    return (a.value > b.value) - (a.value < b.value);
}

struct nb_enclosure
nb_permutation_throughput(const struct nb_permutation_loads *loads,
                          union nb_load_cell peak)
{
    struct nb_enclosure result = { 0 };
    if (loads->is_exact) {
        result.exact = nb_ratio_make(loads->denominator, peak.weight);
        if (nb_ratio_compare(result.exact, loads->terminal_limit) > 0)
            result.exact = loads->terminal_limit;
        nb_ratio_bracket(result.exact, &result.lower, &result.upper);
        return result;
    }
    const double error = loads->relative_error;
    const double lower =
        peak.value < NB_LEAST_RELATIVE ? 0 : peak.value * (1 - error);
    const double upper = peak.value * (1 + error);
    /* Factors, products and quotients are rounded. */
    result.lower = 1 / upper * (1 - 0x1p-50);
    result.upper = 1 / lower * (1 + 0x1p-50);
    double least, most;
    nb_ratio_bracket(loads->terminal_limit, &least, &most);
    result.lower = fmin(result.lower, least);
    result.upper = fmin(result.upper, most);
    return result;
}
