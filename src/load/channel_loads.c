#include "load/channel_loads.h"

#include "core/memory.h"
#include "load/pair_loads.h"
#include "load/route_graph.h"

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
    struct nb_route_graph graph;
    uint64_t *rate;   /* [router] into the destination */
    uint32_t *source; /* routers with a rate > 0 */
    int64_t *flow;    /* [node] */
    double *flow_value;
    int64_t *part; /* [channel] loads of one destination */
};

struct load_work {
    const struct nb_routing *routing; /* of one phase */
    const struct nb_traffic *traffic;
    bool is_exact;
    uint64_t rate_denominator;
    nb_int128 rate_sum; /* of all rates, over traffic->denominator */
    /* Two phases: what each router sends, for the way to the way-point. */
    uint64_t *row_sum; /* [router]; NULL: one phase */
    size_t endpoint_count;
    uint32_t *endpoint;
    struct load_block block[LOAD_BLOCKS];
    struct load_scratch *scratch;
};

void nb_channel_loads_release(struct nb_channel_loads *loads)
{
    nb_delete(loads->exact);
    nb_delete(loads->lower);
    nb_delete(loads->upper);
    *loads = (struct nb_channel_loads){ 0 };
}

/*
 * The rates into a destination of one phase. With two phases every router is
 * a way-point of all sources and a way-point's packets go on to their
 * destinations, each with probability 1/n:
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
        status = nb_fail(err, NB_OVERFLOW,
                         "traffic into router %u: its sum leaves 64 bits",
                         destination);
    return status;
}

/* Puts rate * scale, dealt evenly over the start states, on the nodes. */
static bool load_inject(const struct load_work *work,
                        struct load_scratch *scratch, size_t count,
                        int64_t scale)
{
    const struct nb_routing *routing = work->routing;
    const size_t n = routing->topology->router_count;
    struct nb_route_graph *graph = &scratch->graph;
    const uint64_t starts = routing->kind->start_count(routing);
    for (size_t i = 0; i < graph->node_count; i++)
        scratch->flow[i] = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t source = scratch->source[i];
        int64_t flow;
        if (__builtin_mul_overflow(scratch->rate[source], scale, &flow) ||
            flow >> 61 != 0)
            return false;
        for (uint64_t s = 0; s < starts; s++) {
            const size_t state =
                routing->kind->start(routing, s, source, graph->destination);
            int64_t *node = &scratch->flow[graph->node_of[state * n + source]];
            *node += flow / (int64_t)starts;
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
            nb_route_graph_carry(&scratch->graph, scratch->flow, scratch->part);
        if (factor == 1)
            return true;
        if (factor == 0 || factor > (uint64_t)INT64_MAX ||
            __builtin_mul_overflow(*denominator, (int64_t)factor, denominator))
            return false;
    }
}

/* Adds one destination's loads to its block; both over a new denominator. */
static bool load_add(const struct load_work *work, struct load_block *block,
                     const struct load_scratch *scratch, int64_t denominator)
{
    const int64_t factor = denominator / block->denominator;
    for (size_t c = 0; c < work->routing->topology->channel_count; c++) {
        int64_t *load = &block->load[c];
        if (__builtin_mul_overflow(*load, factor, load) ||
            __builtin_add_overflow(*load, scratch->part[c], load) ||
            *load >> 61 != 0)
            return false;
    }
    block->denominator = denominator;
    return true;
}

static void load_add_values(const struct load_work *work,
                            struct load_block *block,
                            struct load_scratch *scratch, size_t count)
{
    const struct nb_routing *routing = work->routing;
    const size_t n = routing->topology->router_count;
    struct nb_route_graph *graph = &scratch->graph;
    const uint64_t starts = routing->kind->start_count(routing);
    for (size_t i = 0; i < graph->node_count; i++)
        scratch->flow_value[i] = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t source = scratch->source[i];
        for (uint64_t s = 0; s < starts; s++) {
            const size_t state =
                routing->kind->start(routing, s, source, graph->destination);
            scratch->flow_value[graph->node_of[state * n + source]] +=
                (double)scratch->rate[source] / (double)starts;
        }
    }
    nb_route_graph_carry_value(graph, scratch->flow_value, block->value);
    /* Later additions: into the block per state of each destination, then of
     * the blocks, and a few for rates and the common denominator. */
    const double additions =
        (double)routing->state_count * (double)n + LOAD_BLOCKS + 4;
    block->relative_error =
        fmax(block->relative_error, nb_route_graph_error(graph, additions));
}

static enum nb_status load_task(void *context, int thread, size_t index,
                                struct nb_error *err)
{
    struct load_work *work = context;
    struct load_scratch *scratch = &work->scratch[thread];
    struct load_block *block = &work->block[index];
    for (size_t j = index; j < work->endpoint_count; j += LOAD_BLOCKS) {
        size_t count;
        enum nb_status status =
            load_rates(work, work->endpoint[j], scratch, &count, err);
        if (status == NB_OK)
            status = nb_route_graph_build(&scratch->graph, work->endpoint[j],
                                          scratch->source, count, err);
        if (status != NB_OK)
            return status;
        if (!work->is_exact) {
            load_add_values(work, block, scratch, count);
            continue;
        }
        int64_t denominator = block->denominator;
        if (!load_carry(work, scratch, count, &denominator) ||
            !load_add(work, block, scratch, denominator)) {
            block->denominator = 0;
            return NB_OK;
        }
    }
    return NB_OK;
}

/* What every router sends, and in total. */
static enum nb_status load_find_sums(struct load_work *work,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    uint64_t *rate = work->scratch[0].rate;
    for (size_t j = 0; j < work->endpoint_count; j++) {
        const enum nb_status status = nb_traffic_column(
            work->traffic, topology, work->endpoint[j], rate, err);
        if (status != NB_OK)
            return status;
        for (size_t r = 0; r < topology->router_count; r++) {
            work->rate_sum += rate[r];
            if (work->row_sum != NULL &&
                __builtin_add_overflow(work->row_sum[r], rate[r],
                                       &work->row_sum[r]))
                return nb_fail(err, NB_OVERFLOW,
                               "traffic from router %zu: its sum leaves 64 "
                               "bits",
                               r);
        }
    }
    return NB_OK;
}

static enum nb_status load_scratch_init(const struct load_work *work,
                                        struct load_scratch *scratch,
                                        struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const size_t n = topology->router_count;
    const size_t nodes = n * work->routing->state_count;
    const char *what = "channel loads";
    enum nb_status status = NB_OK;
    NB_TRY(nb_route_graph_init(work->routing, &scratch->graph, err));
    NB_TRY(nb_new(&scratch->rate, n, sizeof(uint64_t), what, err));
    NB_TRY(nb_new(&scratch->source, n, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&scratch->flow, nodes, sizeof(int64_t), what, err));
    NB_TRY(nb_new(&scratch->flow_value, nodes, sizeof(double), what, err));
    NB_TRY(nb_new(&scratch->part, topology->channel_count, sizeof(int64_t),
                  what, err));
done:
    return status;
}

static enum nb_status load_work_init(struct load_work *work, bool is_two_phase,
                                     int threads, struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const char *what = "channel loads";
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require(nb_route_graph_bytes(work->routing) * threads +
                                 16 * LOAD_BLOCKS *
                                     (double)topology->channel_count,
                             what, err));
    NB_TRY(nb_new(&work->endpoint, topology->router_count, sizeof(uint32_t),
                  what, err));
    work->endpoint_count = nb_endpoints(topology, work->endpoint);
    if (is_two_phase)
        NB_TRY(nb_new(&work->row_sum, topology->router_count, sizeof(uint64_t),
                      what, err));
    NB_TRY(nb_new(&work->scratch, (size_t)threads, sizeof *work->scratch, what,
                  err));
    for (int t = 0; t < threads; t++)
        NB_TRY(load_scratch_init(work, &work->scratch[t], err));
    for (size_t b = 0; b < LOAD_BLOCKS; b++) {
        work->block[b].denominator =
            (int64_t)work->routing->kind->start_count(work->routing);
        NB_TRY(nb_new(&work->block[b].load, topology->channel_count,
                      sizeof(int64_t), what, err));
        NB_TRY(nb_new(&work->block[b].value, topology->channel_count,
                      sizeof(double), what, err));
    }
    NB_TRY(load_find_sums(work, err));
    work->rate_denominator = work->traffic->denominator;
    if (is_two_phase && __builtin_mul_overflow(work->rate_denominator,
                                               (uint64_t)work->endpoint_count,
                                               &work->rate_denominator))
        NB_TRY(nb_fail(err, NB_OVERFLOW,
                       "traffic: its denominator times the "
                       "number of way-points leaves 64 "
                       "bits"));
done:
    return status;
}

static void load_work_release(struct load_work *work, int threads)
{
    for (int t = 0; t < threads && work->scratch != NULL; t++) {
        struct load_scratch *scratch = &work->scratch[t];
        nb_route_graph_release(&scratch->graph);
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
    nb_delete(work->scratch);
    nb_delete(work->endpoint);
    nb_delete(work->row_sum);
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

/* Adds the blocks up exactly; false if a load does not fit a ratio. */
static bool load_sum_exact(const struct load_work *work,
                           struct nb_channel_loads *out)
{
    const int64_t united = load_unite(work);
    const nb_int128 denominator =
        (nb_int128)united * (nb_int128)work->rate_denominator;
    nb_int128 all = 0;
    for (size_t c = 0; c < out->channel_count && united > 0; c++) {
        nb_int128 sum = 0;
        for (size_t b = 0; b < LOAD_BLOCKS; b++)
            sum += (nb_int128)work->block[b].load[c] *
                   (united / work->block[b].denominator);
        if (sum >> 108 != 0) /* so that all channels' sum fits */
            return false;
        all += sum;
        out->exact[c] = nb_ratio_make(sum, denominator);
        if (!nb_ratio_is_known(out->exact[c]))
            return false;
        nb_ratio_bracket(out->exact[c], &out->lower[c], &out->upper[c]);
    }
    if (united == 0)
        return false;
    /* mean = (all / denominator) / (rate_sum / traffic->denominator) */
    const nb_int128 phases =
        (nb_int128)(work->rate_denominator / work->traffic->denominator);
    out->mean_hops = work->rate_sum > 0
                         ? nb_ratio_divide(nb_ratio_make(all, united * phases),
                                           nb_ratio_make(work->rate_sum, 1))
                         : nb_ratio_zero;
    nb_ratio_bracket(out->mean_hops, &out->mean_hops_lower,
                     &out->mean_hops_upper);
    return nb_ratio_is_known(out->mean_hops);
}

static void load_sum_values(const struct load_work *work,
                            struct nb_channel_loads *out)
{
    double error = 0, all = 0;
    for (size_t b = 0; b < LOAD_BLOCKS; b++)
        error = fmax(error, work->block[b].relative_error);
    for (size_t c = 0; c < out->channel_count; c++) {
        double sum = 0;
        for (size_t b = 0; b < LOAD_BLOCKS; b++)
            sum += work->block[b].value[c];
        sum /= (double)work->rate_denominator;
        all += sum;
        out->exact[c] = (struct nb_ratio){ 0, 0 };
        out->lower[c] = sum * (1 - error);
        out->upper[c] = sum * (1 + error);
    }
    /* The sum over channels and the division round as well. */
    const double more = error + ((double)out->channel_count + 4) * 0x1p-53;
    const double rates =
        (double)work->rate_sum / (double)work->traffic->denominator;
    const double mean = rates > 0 ? all / rates : 0;
    out->mean_hops = (struct nb_ratio){ 0, 0 };
    out->mean_hops_lower = mean * (1 - 2 * more);
    out->mean_hops_upper = mean * (1 + 2 * more);
}

/* The first channel of greatest load per bandwidth. */
static void load_find_worst(const struct nb_topology *topology,
                            struct nb_channel_loads *out)
{
    struct nb_ratio most = nb_ratio_zero;
    double most_value = -1;
    for (uint32_t c = 0; c < out->channel_count; c++) {
        const struct nb_ratio bandwidth = topology->channels[c].bandwidth;
        const struct nb_ratio share = nb_ratio_divide(out->exact[c], bandwidth);
        const double value = out->upper[c] / nb_ratio_value(bandwidth);
        const bool is_comparable =
            nb_ratio_is_known(share) && nb_ratio_is_known(most);
        const bool is_worse = is_comparable && most_value >= 0
                                  ? nb_ratio_compare(share, most) > 0
                                  : value > most_value;
        if (is_worse) {
            most = share;
            most_value = value;
            out->worst_channel = c;
        }
    }
}

enum nb_status nb_channel_loads_find(const struct nb_routing *routing,
                                     const struct nb_traffic *traffic,
                                     const struct nb_run *run,
                                     struct nb_channel_loads *out,
                                     struct nb_error *err)
{
    const bool is_two_phase = routing->phase != NULL;
    const size_t channels = routing->topology->channel_count;
    const int threads = nb_run_threads(run, LOAD_BLOCKS);
    struct load_work work = {
        .routing = is_two_phase ? routing->phase : routing,
        .traffic = traffic,
        .is_exact = true,
    };
    enum nb_status status = NB_OK;
    *out = (struct nb_channel_loads){ .channel_count = channels };
    NB_TRY(nb_new(&out->exact, channels, sizeof *out->exact, "loads", err));
    NB_TRY(nb_new(&out->lower, channels, sizeof(double), "loads", err));
    NB_TRY(nb_new(&out->upper, channels, sizeof(double), "loads", err));
    NB_TRY(load_work_init(&work, is_two_phase, threads, err));
    NB_TRY(
        nb_run_tasks(run, "channel loads", LOAD_BLOCKS, load_task, &work, err));
    out->is_exact = load_sum_exact(&work, out);
    if (!out->is_exact) {
        work.is_exact = false;
        NB_TRY(nb_run_tasks(run, "channel loads", LOAD_BLOCKS, load_task, &work,
                            err));
        load_sum_values(&work, out);
    }
    load_find_worst(routing->topology, out);
done:
    load_work_release(&work, threads);
    if (status != NB_OK)
        nb_channel_loads_release(out);
    return status;
}
