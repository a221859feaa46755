#include "load/channel_loads.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "load/load_demand.h"
#include "load/pair_loads.h"
#include "load/propagate.h"
#include "traffic/traffic.h"

#include <math.h>

/* Destinations are dealt to this many blocks, whatever the number of
 * threads, and blocks are added up in order: the result is always the same. */
enum { LOAD_BLOCKS = 64 };

/* Loads of the destinations of one block: numerators over
 * denominator * rate_denominator. */
struct load_block {
    int64_t *load; /* NULL once it is not exact */
    int64_t denominator;
    double *value;
    double relative_error;
};

struct load_scratch {
    struct nb_walker walker;
    uint64_t *rate;   /* [router] into the destination */
    uint32_t *source; /* routers with a rate > 0 */
    size_t room;      /* nodes */
    int64_t *flow;    /* [room] */
    double *flow_value;
    int64_t *part; /* [channel] loads of one destination */
};

struct load_work {
    const struct nb_routing *routing; /* of one phase */
    const struct nb_traffic *traffic;
    bool is_exact;
    nb_int128 rate_denominator; /* of the rates of a phase */
    nb_int128 rate_sum;         /* of all rates, over traffic->denominator */
    /* An intermediate router anywhere: what each router sends, for the way to
     * it. */
    uint64_t *row_sum; /* [router]; NULL: none */
    /* An intermediate router in a quadrant: the rates of both phases together,
     * for one direction class at a time. */
    struct nb_load_demand *demand; /* NULL: none */
    size_t endpoint_count;
    uint32_t *endpoint;
    struct nb_load_symmetry symmetry; /* destinations that stand for others */
    struct load_block block[LOAD_BLOCKS];
    struct load_scratch *scratch;
};

/* What every router sends, and in total. */
static enum nb_status load_find_sums(struct load_work *work,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const struct nb_traffic *traffic = work->traffic;
    nb_uint128 *sum = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&sum, topology->router_count, sizeof *sum, "traffic", err));
    for (size_t r = 0; r < topology->router_count; r++)
        sum[r] = (nb_uint128)((uint64_t)topology->terminals[r] *
                              topology->terminal_count) *
                 traffic->background;
    for (size_t d = 0; d < traffic->demand_count; d++)
        sum[traffic->demands[d].source] += traffic->demands[d].weight;
    for (size_t r = 0; r < topology->router_count; r++) {
        work->rate_sum += (nb_int128)sum[r];
        if (work->row_sum == NULL)
            continue;
        if (sum[r] > UINT64_MAX)
            NB_TRY(nb_fail(
                err, NB_OVERFLOW,
                "traffic from router %zu: its sum does not fit in 64 bits", r));
        work->row_sum[r] = (uint64_t)sum[r];
    }
done:
    nb_delete(sum);
    return status;
}

static enum nb_status load_scratch_init(const struct load_work *work,
                                        struct load_scratch *scratch,
                                        struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const size_t n = topology->router_count;
    const char *what = "channel loads";
    enum nb_status status = NB_OK;
    NB_TRY(nb_walker_init(work->routing, NULL, &scratch->walker, err));
    NB_TRY(nb_new(&scratch->rate, n, sizeof(uint64_t), what, err));
    NB_TRY(nb_new(&scratch->source, n, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&scratch->part, topology->channel_count, sizeof(int64_t),
                  what, err));
done:
    return status;
}

/* threads: how many scratch spaces. Errors: NB_NO_MEMORY, NB_OVERFLOW. */
static enum nb_status load_work_init(struct load_work *work,
                                     enum nb_intermediate intermediate,
                                     int threads, struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const char *what = "channel loads";
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require(nb_walker_bytes(work->routing) * threads +
                                 16 * LOAD_BLOCKS *
                                     (double)topology->channel_count,
                             what, err));
    NB_TRY(nb_new(&work->endpoint, topology->router_count, sizeof(uint32_t),
                  what, err));
    work->endpoint_count = nb_endpoints(topology, work->endpoint);
    if (intermediate == NB_ANYWHERE)
        NB_TRY(nb_new(&work->row_sum, topology->router_count, sizeof(uint64_t),
                      what, err));
    NB_TRY(nb_new(&work->scratch, (size_t)threads, sizeof *work->scratch, what,
                  err));
    for (int t = 0; t < threads; t++)
        NB_TRY(load_scratch_init(work, &work->scratch[t], err));
    for (size_t b = 0; b < LOAD_BLOCKS; b++) {
        work->block[b].denominator = (int64_t)work->routing->start_total;
        NB_TRY(nb_new(&work->block[b].load, topology->channel_count,
                      sizeof(int64_t), what, err));
        NB_TRY(nb_new(&work->block[b].value, topology->channel_count,
                      sizeof(double), what, err));
    }
    NB_TRY(load_find_sums(work, err));
    work->rate_denominator = (nb_int128)work->traffic->denominator;
    if (intermediate == NB_ANYWHERE)
        work->rate_denominator *= (nb_int128)work->endpoint_count;
done:
    return status;
}

static void load_work_release(struct load_work *work, int threads)
{
    for (int t = 0; t < threads && work->scratch != NULL; t++) {
        struct load_scratch *scratch = &work->scratch[t];
        nb_walker_release(&scratch->walker);
        nb_delete(scratch->rate);
        nb_delete(scratch->source);
        nb_delete(scratch->flow);
        nb_delete(scratch->flow_value);
        nb_delete(scratch->part);
    }
    for (size_t b = 0; b < LOAD_BLOCKS; b++) {
        nb_delete(work->block[b].load);
        nb_delete(work->block[b].value);
    }
    nb_load_symmetry_release(&work->symmetry);
    nb_delete(work->scratch);
    nb_delete(work->endpoint);
    nb_delete(work->row_sum);
}

/*
 * The rates into a destination of one phase. With an intermediate router
 * anywhere every router is an intermediate router of all sources and an
 * intermediate router's packets go on to their destinations, each with
 * probability 1/n:
 *
 *     rate(i, d) = (sum_j rate(i, j) + sum_q rate(q, d)) / n
 */
static enum nb_status load_rates(const struct load_work *work,
                                 uint32_t destination,
                                 struct load_scratch *scratch, size_t *count,
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
        status =
            nb_fail(err, NB_OVERFLOW,
                    "traffic into router %u: its sum does not fit in 64 bits",
                    destination);
    return status;
}

/* The starts of a packet, of which a kept direction class is the only one;
 * their weights sum up to start_total. */
static size_t load_starts(const struct load_work *work,
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
static bool load_inject(const struct load_work *work,
                        struct load_scratch *scratch, size_t count,
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
static bool load_carry(const struct load_work *work,
                       struct load_scratch *scratch, size_t count,
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
static bool load_add(const struct load_work *work, struct load_block *block,
                     const struct load_scratch *scratch, uint32_t alike,
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

static void load_add_values(const struct load_work *work,
                            struct load_block *block,
                            struct load_scratch *scratch, size_t count,
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
    double additions = (double)routing->state_count * (double)n + LOAD_BLOCKS +
                       (double)routing->topology->channel_count + 8;
    if (work->demand != NULL)
        additions += work->demand->additions;
    block->relative_error =
        fmax(block->relative_error, nb_walk_error(walker, additions));
}

/* The same from the rates of a direction class. */
static void load_demand(const struct load_work *work, uint32_t destination,
                        struct load_scratch *scratch, size_t *count)
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
static enum nb_status load_walk(const struct load_work *work,
                                uint32_t destination, size_t count,
                                struct load_scratch *scratch,
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

/* Task of one block, for nb_run_tasks: adds up its destinations, exactly if
 * work->is_exact (denominator 0 if that cannot be), else in doubles. */
static enum nb_status load_task(void *context, int thread, size_t index,
                                struct nb_error *err)
{
    struct load_work *work = context;
    struct load_scratch *scratch = &work->scratch[thread];
    struct load_block *block = &work->block[index];
    const struct nb_load_symmetry *symmetry = &work->symmetry;
    for (size_t j = index; j < symmetry->destination_count; j += LOAD_BLOCKS) {
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

void nb_channel_loads_release(struct nb_channel_loads *loads)
{
    nb_delete(loads->load);
    *loads = (struct nb_channel_loads){ 0 };
}

/* The common denominator of the blocks, 0 if there is none below 2^61. */
static int64_t load_unite(const struct load_work *work)
{
    nb_int128 united = 1;
    for (size_t b = 0; b < LOAD_BLOCKS; b++) {
        const int64_t own = work->block[b].denominator;
        if (own == 0)
            return 0;
        united =
            united / (int64_t)nb_gcd((uint64_t)united, (uint64_t)own) * own;
        if (united >> 61 != 0)
            return 0;
    }
    return (int64_t)united;
}

/* sum of loads / sum of rates:
 * (all / (united rate_denominator)) / (rate_sum / traffic->denominator). */
static void load_mean_exact(const struct load_work *work, nb_int128 all,
                            int64_t united, struct nb_channel_loads *out)
{
    const nb_int128 phases =
        work->rate_denominator / (nb_int128)work->traffic->denominator;
    const struct nb_ratio exact =
        work->rate_sum > 0
            ? nb_ratio_divide(nb_ratio_make(all, united * phases),
                              nb_ratio_make(work->rate_sum, 1))
            : nb_ratio_zero;
    const double mean = (double)all / ((double)united * (double)phases) /
                        (double)work->rate_sum;
    if (nb_ratio_is_known(exact))
        out->mean_hops = nb_enclosure_of_ratio(exact);
    else /* a few roundings */
        out->mean_hops = (struct nb_enclosure){ .lower = mean * (1 - 0x1p-50),
                                                .upper = mean * (1 + 0x1p-50) };
}

/* A channel's numerators of all blocks over united; negative if they leave 92
 * bits, so that the sum over all channels fits. */
static nb_int128 load_sum_blocks(const struct load_work *work, size_t channel,
                                 int64_t united)
{
    nb_int128 sum = 0;
    for (size_t b = 0; b < LOAD_BLOCKS; b++) {
        sum += (nb_int128)work->block[b].load[channel] *
               (united / work->block[b].denominator);
        if (sum >> 92 != 0)
            return -1;
    }
    return sum;
}

/* The mean of an orbit's sum over its channels: sum / (size * united *
 * rate_denominator), not known if it does not fit. */
static struct nb_ratio load_mean_of_orbit(const struct load_work *work,
                                          nb_int128 sum, uint32_t size,
                                          int64_t united)
{
    const uint64_t common = nb_gcd((uint64_t)(sum % size), size);
    nb_int128 denominator = (nb_int128)united * work->rate_denominator;
    if (__builtin_mul_overflow(denominator, (nb_int128)(size / common),
                               &denominator))
        return (struct nb_ratio){ 0, 0 };
    return nb_ratio_make(sum / (nb_int128)common, denominator);
}

/* Adds the blocks up exactly; false if a load does not fit a ratio. */
static bool load_sum_exact(const struct load_work *work, nb_int128 *orbit_sum,
                           struct nb_channel_loads *out)
{
    const struct nb_load_symmetry *symmetry = &work->symmetry;
    const int64_t united = load_unite(work);
    nb_int128 all = 0;
    if (united == 0 || work->rate_denominator >> 62 != 0)
        return false;
    for (size_t c = 0; c < out->channel_count; c++) {
        const nb_int128 sum = load_sum_blocks(work, c, united);
        if (sum < 0)
            return false;
        orbit_sum[symmetry->orbit[c]] += sum;
        all += sum;
    }
    for (size_t c = 0; c < out->channel_count; c++) {
        const uint32_t orbit = symmetry->orbit[c];
        if (orbit != c) {
            out->load[c] = out->load[orbit];
            continue;
        }
        const struct nb_ratio mean = load_mean_of_orbit(
            work, orbit_sum[c], symmetry->orbit_size[c], united);
        if (!nb_ratio_is_known(mean))
            return false;
        out->load[c] = nb_enclosure_of_ratio(mean);
    }
    load_mean_exact(work, all, united, out);
    return true;
}

static void load_sum_values(const struct load_work *work,
                            struct nb_channel_loads *out)
{
    const struct nb_load_symmetry *symmetry = &work->symmetry;
    double error = 0, all = 0;
    for (size_t b = 0; b < LOAD_BLOCKS; b++)
        error = fmax(error, work->block[b].relative_error);
    for (size_t c = 0; c < out->channel_count; c++) {
        double sum = 0;
        for (size_t b = 0; b < LOAD_BLOCKS; b++)
            sum += work->block[b].value[c];
        sum /= (double)work->rate_denominator;
        all += sum;
        /* Of an orbit's least channel: the sum over the orbit. */
        out->load[c].lower = sum;
        if (symmetry->orbit[c] != c)
            out->load[symmetry->orbit[c]].lower += sum;
    }
    for (size_t c = out->channel_count; c-- > 0;) {
        const double mean =
            out->load[symmetry->orbit[c]].lower / symmetry->orbit_size[c];
        out->load[c] = (struct nb_enclosure){
            .lower = mean < NB_LEAST_RELATIVE ? 0 : mean * (1 - error),
            .upper = mean * (1 + error),
        };
    }
    /* The sum over channels and the division round as well. */
    const double more = error + ((double)out->channel_count + 4) * 0x1p-53;
    const double rates =
        (double)work->rate_sum / (double)work->traffic->denominator;
    const double mean = rates > 0 ? all / rates : 0;
    out->mean_hops = (struct nb_enclosure){ .lower = mean * (1 - 2 * more),
                                            .upper = mean * (1 + 2 * more) };
}

/* Worst channel and throughput; exact if every quotient is. */
static void load_conclude_exact(const struct nb_topology *topology,
                                struct nb_channel_loads *out)
{
    struct nb_ratio most = { -1, 1 };
    for (uint32_t c = 0; c < out->channel_count; c++) {
        const struct nb_ratio share = nb_ratio_divide(
            out->load[c].exact, topology->channels[c].bandwidth);
        if (nb_ratio_compare(share, most) > 0) {
            most = share;
            out->worst_channel = c;
        }
    }
    out->throughput =
        nb_enclosure_of_ratio(nb_ratio_divide(nb_ratio_one, most));
}

static void load_conclude(const struct nb_topology *topology,
                          struct nb_channel_loads *out)
{
    bool is_exact = true;
    double most_lower = 0, most_upper = -1;
    for (uint32_t c = 0; c < out->channel_count; c++) {
        const struct nb_ratio bandwidth = topology->channels[c].bandwidth;
        const double band = nb_ratio_value(bandwidth);
        is_exact =
            is_exact &&
            nb_ratio_is_known(nb_ratio_divide(out->load[c].exact, bandwidth));
        most_lower = fmax(most_lower, out->load[c].lower / band);
        if (out->load[c].upper / band > most_upper) {
            most_upper = out->load[c].upper / band;
            out->worst_channel = c;
        }
    }
    if (is_exact) {
        load_conclude_exact(topology, out);
        return;
    }
    /* Two quotients and the bandwidth round. */
    out->throughput =
        (struct nb_enclosure){ .lower = 1 / most_upper * (1 - 0x1p-50),
                               .upper = 1 / most_lower * (1 + 0x1p-50) };
}

/* All blocks once: with an intermediate router in a quadrant, once for each
 * class. */
static enum nb_status load_run(struct load_work *work, const struct nb_run *run,
                               struct nb_error *err)
{
    struct nb_load_demand *demand = work->demand;
    enum nb_status status = NB_OK;
    if (demand == NULL)
        return nb_run_tasks(run, "channel loads", LOAD_BLOCKS, load_task, work,
                            err);
    work->rate_denominator = (nb_int128)work->traffic->denominator *
                             (work->is_exact ? demand->scale : 1);
    const size_t classes = demand->routing->intermediate == NB_IN_SET
                               ? 1
                               : demand->routing->class_count;
    for (size_t class = 0; class < classes; class ++) {
        NB_TRY(nb_load_demand_fill(demand, class, work->traffic, work->is_exact,
                                   run, err));
        if (work->is_exact && demand->scale == 0)
            break;
        NB_TRY(nb_run_tasks(run, "channel loads", LOAD_BLOCKS, load_task, work,
                            err));
    }
done:
    return status;
}

/* Exactly if that can be, else in doubles. */
static enum nb_status load_solve(struct load_work *work,
                                 const struct nb_run *run,
                                 struct nb_channel_loads *out,
                                 struct nb_error *err)
{
    nb_int128 *orbit_sum = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&orbit_sum, out->channel_count, sizeof *orbit_sum, "loads",
                  err));
    if (work->is_exact)
        NB_TRY(load_run(work, run, err));
    if (work->demand != NULL && work->demand->scale == 0)
        work->is_exact = false;
    out->is_exact = work->is_exact && load_sum_exact(work, orbit_sum, out);
    if (!out->is_exact) {
        work->is_exact = false;
        NB_TRY(load_run(work, run, err));
        load_sum_values(work, out);
    }
done:
    nb_delete(orbit_sum);
    return status;
}

enum nb_status nb_channel_loads_find(const struct nb_routing *given,
                                     const struct nb_traffic *traffic,
                                     const struct nb_run *run,
                                     struct nb_channel_loads *out,
                                     struct nb_error *err)
{
    const int threads = nb_run_threads(run, LOAD_BLOCKS);
    struct nb_load_demand demand = { 0 };
    struct load_work work = { .traffic = traffic, .is_exact = true };
    enum nb_status status = NB_OK;
    *out = (struct nb_channel_loads){ 0 };
    NB_TRY(nb_routing_check(given, err));
    NB_TRY(nb_traffic_check(traffic, given->topology, err));
    const struct nb_routing *routing = nb_route_alike(given);
    const size_t channels = routing->topology->channel_count;
    work.routing = routing->phase != NULL ? routing->phase : routing;
    out->channel_count = channels;
    NB_TRY(nb_new(&out->load, channels, sizeof *out->load, "loads", err));
    NB_TRY(load_work_init(&work, routing->intermediate, threads, err));
    NB_TRY(nb_load_symmetry_find(routing, traffic, &work.symmetry, err));
    if (routing->intermediate == NB_IN_QUADRANT ||
        routing->intermediate == NB_IN_SET) {
        work.demand = &demand;
        NB_TRY(nb_load_demand_init(routing, &work.symmetry, run, &demand, err));
        work.is_exact = demand.scale > 0;
    }
    NB_TRY(load_solve(&work, run, out, err));
    load_conclude(routing->topology, out);
done:
    nb_load_demand_release(&demand);
    load_work_release(&work, threads);
    if (status != NB_OK)
        nb_channel_loads_release(out);
    return status;
}
