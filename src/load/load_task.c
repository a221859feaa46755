/* One block of destinations (declared in load_work.h). */
#include "load/load_work.h"

#include "core/memory.h"

#include <math.h>

/*
 * The rates into a destination of one phase. With an intermediate router
 * anywhere every router is an intermediate router of all sources and an
 * intermediate router's packets go on to their destinations, each with
 * probability 1/n:
 *
 *     rate(i, d) = (sum_j rate(i, j) + sum_q rate(q, d)) / n
 */
static enum nb_status load_rates(const struct nb_load_work *work,
                                 uint32_t destination,
                                 struct nb_load_scratch *scratch, size_t *count,
                                 struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    enum nb_status status = nb_traffic_column(work->traffic, topology,
                                              destination, scratch->rate, err);
    uint64_t column = 0;
    bool fits = true;
    for (size_t i = 0; i < work->endpoint_count; i++)
        fits = fits && !__builtin_add_overflow(
                           column, scratch->rate[work->endpoint[i]], &column);
    *count = 0;
    for (size_t i = 0; i < work->endpoint_count && status == NB_OK; i++) {
        const uint32_t router = work->endpoint[i];
        uint64_t *rate = &scratch->rate[router];
        if (work->row_sum != NULL)
            fits = fits &&
                   !__builtin_add_overflow(work->row_sum[router], column, rate);
        if (*rate > 0)
            scratch->source[(*count)++] = router;
    }
    if (status == NB_OK && !fits)
        status = nb_fail(err, NB_OVERFLOW,
                         "traffic into router %u: its sum leaves 64 bits",
                         destination);
    return status;
}

/* The starts of a packet, of which a kept direction class is the only one;
 * their weights sum up to start_total. */
static size_t load_starts(const struct nb_load_work *work,
                          struct nb_walker *walker, uint32_t source)
{
    const struct nb_routing *routing = work->routing;
    if (work->demand == NULL || !work->demand->keeps_class)
        return nb_route_starts(routing, source, walker->destination,
                               walker->starts);
    walker->starts[0] = (struct nb_start){ .state = work->demand->class,
                                           .weight = routing->start_total };
    return 1;
}

/* Puts rate * scale, dealt over the starts, on the nodes. */
static bool load_inject(const struct nb_load_work *work,
                        struct nb_load_scratch *scratch, size_t count,
                        int64_t scale)
{
    const int64_t total = (int64_t)work->routing->start_total;
    struct nb_walker *walker = &scratch->walker;
    for (size_t i = 0; i < walker->node_count; i++)
        scratch->flow[i] = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t source = scratch->source[i];
        int64_t flow;
        if (__builtin_mul_overflow(scratch->rate[source], scale, &flow) ||
            flow >> 61 != 0)
            return false;
        const size_t starts = load_starts(work, walker, source);
        for (size_t s = 0; s < starts; s++) {
            const struct nb_start *start = &walker->starts[s];
            int64_t *node =
                &scratch->flow[nb_walker_start(walker, start, source)];
            *node += flow / total * (int64_t)start->weight;
            if (*node >> 61 != 0)
                return false;
        }
    }
    return true;
}

/* The loads of one destination into scratch->part, over *denominator (in: a
 * guess). Returns false if they cannot be exact. */
static bool load_carry(const struct nb_load_work *work,
                       struct nb_load_scratch *scratch, size_t count,
                       int64_t *denominator)
{
    const size_t channels = work->routing->topology->channel_count;
    for (;;) {
        for (size_t c = 0; c < channels; c++)
            scratch->part[c] = 0;
        if (!load_inject(work, scratch, count, *denominator))
            return false;
        const uint64_t factor =
            nb_walk_carry(&scratch->walker, scratch->flow, scratch->part);
        if (factor == 1)
            return true;
        if (factor == 0 || factor > (uint64_t)INT64_MAX ||
            __builtin_mul_overflow(*denominator, (int64_t)factor, denominator))
            return false;
    }
}

/* Adds one destination's loads, times the destinations it stands for, to its
 * block; both over a new denominator. */
static bool load_add(const struct nb_load_work *work,
                     struct nb_load_block *block,
                     const struct nb_load_scratch *scratch, uint32_t alike,
                     int64_t denominator)
{
    const int64_t factor = denominator / block->denominator;
    for (size_t c = 0; c < work->routing->topology->channel_count; c++) {
        int64_t *load = &block->load[c], part;
        if (__builtin_mul_overflow(*load, factor, load) ||
            __builtin_mul_overflow(scratch->part[c], alike, &part) ||
            __builtin_add_overflow(*load, part, load) || *load >> 61 != 0)
            return false;
    }
    block->denominator = denominator;
    return true;
}

static void load_add_values(const struct nb_load_work *work,
                            struct nb_load_block *block,
                            struct nb_load_scratch *scratch, size_t count,
                            uint32_t alike)
{
    const struct nb_routing *routing = work->routing;
    const size_t n = routing->topology->router_count;
    const double total = (double)routing->start_total;
    struct nb_walker *walker = &scratch->walker;
    const long double *into =
        work->demand != NULL
            ? nb_load_demand_row(work->demand, walker->destination)
            : NULL;
    for (size_t i = 0; i < walker->node_count; i++)
        scratch->flow_value[i] = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t source = scratch->source[i];
        const double rate =
            into != NULL ? (double)into[source] : (double)scratch->rate[source];
        const size_t starts = load_starts(work, walker, source);
        for (size_t s = 0; s < starts; s++)
            scratch->flow_value[nb_walker_start(walker, &walker->starts[s],
                                                source)] +=
                rate * (double)walker->starts[s].weight / total * alike;
    }
    nb_walk_carry_value(walker, scratch->flow_value, block->value);
    /* Later additions: into the block per state of each destination, then of
     * the blocks and of channels alike, and a few for rates and the common
     * denominator. */
    double additions = (double)routing->state_count * (double)n +
                       NB_LOAD_BLOCKS +
                       (double)routing->topology->channel_count + 8;
    if (work->demand != NULL)
        additions += work->demand->additions;
    block->relative_error =
        fmax(block->relative_error, nb_walk_error(walker, additions));
}

/* The same from the rates of a direction class. */
static void load_demand(const struct nb_load_work *work, uint32_t destination,
                        struct nb_load_scratch *scratch, size_t *count)
{
    const long double *into = nb_load_demand_row(work->demand, destination);
    *count = 0;
    for (uint32_t i = 0; i < work->routing->topology->router_count; i++) {
        if (work->is_exact)
            scratch->rate[i] = (uint64_t)into[i];
        if (into[i] > 0)
            scratch->source[(*count)++] = i;
    }
}

/* The routes to one destination, with room for flows at their nodes. */
static enum nb_status load_walk(const struct nb_load_work *work,
                                uint32_t destination, size_t count,
                                struct nb_load_scratch *scratch,
                                struct nb_error *err)
{
    struct nb_walker *walker = &scratch->walker;
    size_t first_class = 0, class_end = 0;
    enum nb_status status = NB_OK;
    if (work->demand != NULL && work->demand->keeps_class) {
        first_class = work->demand->class;
        class_end = first_class + 1;
    }
    NB_TRY(nb_walker_go(walker, destination, scratch->source, count,
                        first_class, class_end, err));
    if (scratch->room >= walker->node_room)
        goto done;
    NB_TRY(nb_grow(&scratch->flow, walker->node_room, sizeof(int64_t), "flows",
                   err));
    NB_TRY(nb_grow(&scratch->flow_value, walker->node_room, sizeof(double),
                   "flows", err));
    scratch->room = walker->node_room;
done:
    return status;
}

enum nb_status nb_load_task(void *context, int thread, size_t index,
                            struct nb_error *err)
{
    struct nb_load_work *work = context;
    struct nb_load_scratch *scratch = &work->scratch[thread];
    struct nb_load_block *block = &work->block[index];
    const struct nb_load_symmetry *symmetry = &work->symmetry;
    for (size_t j = index; j < symmetry->destination_count;
         j += NB_LOAD_BLOCKS) {
        const uint32_t destination = symmetry->destination[j];
        size_t count;
        enum nb_status status = NB_OK;
        if (work->demand != NULL)
            load_demand(work, destination, scratch, &count);
        else
            status = load_rates(work, destination, scratch, &count, err);
        if (status == NB_OK)
            status = load_walk(work, destination, count, scratch, err);
        if (status != NB_OK)
            return status;
        if (!work->is_exact) {
            load_add_values(work, block, scratch, count, symmetry->alike[j]);
            continue;
        }
        if (block->denominator == 0)
            return NB_OK;
        int64_t denominator = block->denominator;
        if (!load_carry(work, scratch, count, &denominator) ||
            !load_add(work, block, scratch, symmetry->alike[j], denominator)) {
            block->denominator = 0;
            return NB_OK;
        }
    }
    return NB_OK;
}
