#include "queueing/path_latency.h"

#include "core/memory.h"
#include "queueing/latency.h"
#include "routing/follow.h"
#include "routing/walker.h"
#include "topology/index.h"

#include <gsl/gsl_fft_complex.h>
#include <math.h>
#include <string.h>

enum {
    PATH_BLOCKS = 16, /* of destinations, for any number of threads */
    PATH_POINTS = 32, /* points of the unit circle that are processed
                       * together */
};

/* Complex numbers at PATH_POINTS points. */
struct path_values {
    double re[PATH_POINTS], im[PATH_POINTS];
};

struct path_scratch {
    struct nb_walker walker;
    uint64_t *rate;   /* [router] */
    uint32_t *source; /* [router] */
    double *single;   /* [router] the rate into one terminal */
    struct path_values *value;
    size_t room; /* nodes that value has room for */
};

struct path_work {
    const struct nb_path_waits *waits;
    double total;            /* rates of all pairs */
    size_t points;           /* half of the circle, a multiple of PATH_POINTS */
    struct path_values *phi; /* [wait][points / PATH_POINTS] */
    uint32_t *first;         /* [router] its first terminal */
    uint32_t *router;        /* [terminal] */
    /* The singles into terminal u: into[into_start[u]] .. */
    uint32_t *into_start, *into;
    struct path_scratch *scratch;
    /* By block. */
    struct path_values *sum[PATH_BLOCKS]; /* [points / PATH_POINTS] */
    size_t longest[PATH_BLOCKS];          /* hops */
    double hops[PATH_BLOCKS];             /* of the walks */
    struct nb_pool pool;
};

/* *sum += factor a b */
static void path_add_product(struct path_values *sum, double factor,
                             const struct path_values *a,
                             const struct path_values *b)
{
    for (size_t p = 0; p < PATH_POINTS; p++) {
        sum->re[p] += factor * (a->re[p] * b->re[p] - a->im[p] * b->im[p]);
        sum->im[p] += factor * (a->re[p] * b->im[p] + a->im[p] * b->re[p]);
    }
}

/* The walk to a destination; count: number of sources that send to it from
 * other routers. */
static enum nb_status path_walk(const struct path_work *work,
                                struct path_scratch *scratch,
                                uint32_t destination, size_t *count,
                                struct nb_error *err)
{
    const struct nb_routing *routing = work->waits->routing;
    const struct nb_topology *topology = routing->topology;
    enum nb_status status = NB_OK;
    *count = 0;
    NB_TRY(nb_traffic_column(work->waits->traffic, topology, destination,
                             scratch->rate, err));
    for (uint32_t i = 0; i < topology->router_count; i++)
        if (scratch->rate[i] > 0 && nb_follow_moves(routing, i, destination))
            scratch->source[(*count)++] = i;
    NB_TRY(nb_walker_go(&scratch->walker, destination, scratch->source, *count,
                        0, 0, err));
done:
    return status;
}

/* G of all nodes at the points of a part of the circle. */
static void path_find_values(const struct path_work *work,
                             struct path_scratch *scratch, size_t part)
{
    const struct nb_walker *walker = &scratch->walker;
    const size_t parts = work->points / PATH_POINTS;
    for (size_t i = 0; i < walker->node_count; i++) {
        const uint32_t node = walker->order[i];
        struct path_values *value = &scratch->value[node];
        const size_t first = walker->node[node].first;
        const size_t end = walker->node[node + 1].first;
        double sum = 0;
        *value = (struct path_values){ 0 };
        for (size_t p = 0; p < PATH_POINTS && first == end; p++)
            value->re[p] = 1;
        for (size_t h = first; h < end; h++)
            sum += walker->hop[h].share;
        for (size_t h = first; h < end; h++) {
            const struct nb_hop *hop = &walker->hop[h];
            const size_t wait = work->waits->of_channel[hop->channel];
            path_add_product(value, hop->share / sum,
                             &work->phi[wait * parts + part],
                             &scratch->value[hop->node]);
        }
    }
}

/* Adds the pairs of a destination at given rates, including those that stay at
 * their router. */
static void path_add_pairs(const struct path_work *work,
                           struct path_scratch *scratch, uint32_t destination,
                           size_t count, struct path_values *sum)
{
    const struct nb_routing *routing = work->waits->routing;
    struct nb_walker *walker = &scratch->walker;
    const double total = (double)routing->start_total;
    struct path_values one = { 0 };
    for (size_t p = 0; p < PATH_POINTS; p++)
        one.re[p] = 1;
    const bool stays = scratch->single[destination] > 0 &&
                       !nb_follow_moves(routing, destination, destination);
    if (stays)
        path_add_product(sum, scratch->single[destination] / work->total, &one,
                         &one);
    for (size_t i = 0; i < count; i++) {
        const uint32_t source = scratch->source[i];
        const double rate = scratch->single[source] / work->total;
        if (rate == 0)
            continue;
        const size_t starts =
            nb_route_starts(routing, source, destination, walker->starts);
        for (size_t s = 0; s < starts; s++) {
            const struct nb_start *start = &walker->starts[s];
            const uint64_t ways = nb_start_ways(start);
            const double share =
                rate * (double)start->weight / total / (double)ways;
            for (uint64_t q = 0; q < ways; q++) {
                const nb_route_state state =
                    nb_route_begin(routing, start, q, source, destination);
                path_add_product(
                    sum, share, &one,
                    &scratch->value[nb_walker_find(walker, state, 0, source)]);
            }
        }
    }
}

/* The rates into one terminal of a destination: the singles to it, and its
 * share of what no single terminal gets. */
static void path_find_single(const struct path_work *work,
                             struct path_scratch *scratch, uint32_t destination,
                             uint32_t terminal)
{
    const struct nb_topology *topology = work->waits->routing->topology;
    const struct nb_demand *entry = work->waits->traffic->singles.entry;
    const uint32_t first = work->first[destination];
    const uint32_t count = topology->terminals[destination];
    for (size_t i = 0; i < topology->router_count; i++)
        scratch->single[i] = (double)scratch->rate[i] / count;
    for (uint32_t u = first; u < first + count; u++)
        for (uint32_t s = work->into_start[u]; s < work->into_start[u + 1];
             s++) {
            const struct nb_demand *single = &entry[work->into[s]];
            scratch->single[work->router[single->source]] +=
                (double)single->weight * ((u == terminal) - 1 / (double)count);
        }
}

/* Adds the packets sent to one destination, for a part of the circle. */
static void path_add_part(const struct path_work *work,
                          struct path_scratch *scratch, uint32_t destination,
                          size_t count, size_t part, struct path_values *sum)
{
    const struct nb_path_waits *waits = work->waits;
    const struct nb_topology *topology = waits->routing->topology;
    const size_t parts = work->points / PATH_POINTS;
    const bool is_single =
        waits->of_terminal != NULL && waits->traffic->singles.count > 0;
    const uint32_t ends = is_single ? topology->terminals[destination] : 1;
    struct path_values one = { 0 };
    for (size_t p = 0; p < PATH_POINTS; p++)
        one.re[p] = 1;
    path_find_values(work, scratch, part);
    for (size_t i = 0; i < topology->router_count; i++)
        scratch->single[i] = (double)scratch->rate[i];
    for (uint32_t t = 0; t < ends; t++) {
        const uint32_t terminal = work->first[destination] + t;
        struct path_values pairs = { 0 };
        if (is_single)
            path_find_single(work, scratch, destination, terminal);
        path_add_pairs(work, scratch, destination, count, &pairs);
        path_add_product(
            sum, 1, &pairs,
            waits->of_terminal != NULL
                ? &work->phi[waits->of_terminal[terminal] * parts + part]
                : &one);
    }
}

/* Processes the destinations of a block. Before points are known, this finds
 * only the length and number of the paths. */
static enum nb_status path_task(void *context, int thread, size_t block,
                                struct nb_error *err)
{
    struct path_work *work = context;
    struct path_scratch *scratch = &work->scratch[thread];
    const struct nb_walker *walker = &scratch->walker;
    const struct nb_topology *topology = work->waits->routing->topology;
    const size_t parts = work->points / PATH_POINTS;
    size_t count;
    enum nb_status status = NB_OK;
    for (uint32_t j = (uint32_t)block; j < topology->router_count;
         j += PATH_BLOCKS) {
        if (topology->terminals[j] == 0)
            continue;
        NB_TRY(path_walk(work, scratch, j, &count, err));
        if (walker->longest > work->longest[block])
            work->longest[block] = walker->longest;
        work->hops[block] += (double)(walker->hop_count + count);
        if (parts > 0 && walker->node_count > scratch->room) {
            scratch->room = walker->node_count;
            NB_TRY(nb_grow(&scratch->value, scratch->room,
                           sizeof *scratch->value, "nodes", err));
        }
        for (size_t part = 0; part < parts; part++)
            path_add_part(work, scratch, j, count, part,
                          &work->sum[block][part]);
    }
done:
    return status;
}

static size_t path_flits(const struct nb_path_waits *waits)
{
    return waits->flits > 1 ? waits->flits : 1;
}

/* The length at which a wait is cut. */
static size_t path_length(const struct nb_distribution *wait)
{
    if (wait->mass == NULL)
        return 0;
    const double depth = nb_distribution_depth(wait, NB_PATH_CUT).upper;
    return depth < 0x1p40 ? (size_t)depth : (size_t)1 << 40;
}

/* The most queues on a path. */
static size_t path_longest(const struct path_work *work)
{
    size_t longest = 0;
    for (size_t b = 0; b < PATH_BLOCKS; b++)
        longest = work->longest[b] > longest ? work->longest[b] : longest;
    return longest + (work->waits->of_terminal != NULL);
}

/* The number of points needed, a power of 2; 0: too many. */
static size_t path_find_points(const struct path_work *work)
{
    const struct nb_path_waits *waits = work->waits;
    const size_t longest = path_longest(work);
    size_t hop = 0, points = 2 * PATH_POINTS;
    double hops = 0;
    for (size_t b = 0; b < PATH_BLOCKS; b++)
        hops += work->hops[b];
    for (size_t w = 0; w < waits->count; w++) {
        const size_t length = path_length(&waits->wait[w]) * path_flits(waits) +
                              waits->hop_cycles[w];
        hop = length > hop ? length : hop;
    }
    const double most = (double)longest * (double)hop + 1;
    while ((double)points < most)
        points *= 2;
    return most < 0x1p30 && (double)points / 2 * hops <= NB_PATH_WORK ? points
                                                                      : 0;
}

/* The characteristic functions of a hop with each wait, at the points of half
 * of the circle, which are shifted by half a step from those of a transform: at
 * exp(-i pi (2 k + 1) / points). */
static enum nb_status path_transform(struct path_work *work, size_t points,
                                     struct nb_error *err)
{
    const struct nb_path_waits *waits = work->waits;
    const size_t parts = work->points / PATH_POINTS;
    double *circle = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require((double)(waits->count + PATH_BLOCKS) *
                                     (double)parts * sizeof *work->phi +
                                 2.0 * (double)points * sizeof(double),
                             "distributions of latencies", err));
    NB_TRY(nb_new(&circle, 2 * points, sizeof(double), "waits", err));
    work->phi =
        nb_pool_array(&work->pool, waits->count * parts, sizeof *work->phi);
    for (size_t b = 0; b < PATH_BLOCKS; b++)
        work->sum[b] = nb_pool_array(&work->pool, parts, sizeof *work->sum[b]);
    NB_TRY(nb_pool_check(&work->pool, "waits", err));
    for (size_t w = 0; w < waits->count; w++) {
        const size_t length = path_length(&waits->wait[w]);
        memset(circle, 0, 2 * points * sizeof *circle);
        for (size_t n = 0; n < length; n++) {
            const size_t at = n * path_flits(waits) + waits->hop_cycles[w];
            const double mass =
                (double)nb_distribution_mass(&waits->wait[w], (double)n);
            const double angle = M_PI * (double)at / (double)points;
            circle[2 * at] = mass * cos(angle);
            circle[2 * at + 1] = -mass * sin(angle);
        }
        gsl_fft_complex_radix2_forward(circle, 1, points);
        for (size_t k = 0; k < work->points; k++) {
            struct path_values *phi = &work->phi[w * parts + k / PATH_POINTS];
            phi->re[k % PATH_POINTS] = circle[2 * k];
            phi->im[k % PATH_POINTS] = circle[2 * k + 1];
        }
    }
done:
    nb_delete(circle);
    return status;
}

/* Transforms back from the circle: its other half is the conjugate of this one,
 * as no point is its own mirror image. */
static enum nb_status path_restore(const struct path_work *work, size_t points,
                                   struct nb_path_latency *out,
                                   struct nb_error *err)
{
    const size_t behind = path_flits(work->waits) - 1; /* flits after the
                                                        * first */
    double *circle = NULL, kept = 0;
    bool is_infinite = false;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&circle, 2 * points, sizeof(double), "latencies", err));
    out->count = points + behind;
    NB_TRY(nb_new(&out->mass, out->count, sizeof(double), "latencies", err));
    for (size_t k = 0; k < work->points; k++) {
        double re = 0, im = 0;
        for (size_t b = 0; b < PATH_BLOCKS; b++) {
            const struct path_values *sum = &work->sum[b][k / PATH_POINTS];
            re += sum->re[k % PATH_POINTS];
            im += sum->im[k % PATH_POINTS];
        }
        circle[2 * k] = re;
        circle[2 * k + 1] = im;
        circle[2 * (points - 1 - k)] = re;
        circle[2 * (points - 1 - k) + 1] = -im;
    }
    gsl_fft_complex_radix2_inverse(circle, 1, points);
    for (size_t n = 0; n < points; n++) {
        const double angle = M_PI * (double)n / (double)points;
        const double mass =
            circle[2 * n] * cos(angle) - circle[2 * n + 1] * sin(angle);
        const size_t last = n > 0 ? n + behind : 0; /* 0: the packet stays */
        out->mass[last] = mass > 0 ? mass : 0;
        kept += out->mass[last];
    }
    for (size_t w = 0; w < work->waits->count; w++)
        is_infinite |= work->waits->wait[w].mass == NULL;
    /* With infinite waits it cannot be told from what is missing. */
    out->lost = (is_infinite ? (double)path_longest(work) * NB_PATH_CUT
                             : fmax(1 - kept, 0)) +
                NB_PATH_ROUNDING;
done:
    nb_delete(circle);
    return status;
}

/* Numbers the terminals and lists the singles into each. */
static enum nb_status path_number(struct path_work *work, struct nb_error *err)
{
    const struct nb_topology *topology = work->waits->routing->topology;
    const struct nb_demands *singles = &work->waits->traffic->singles;
    const size_t terminals = topology->terminal_count;
    struct nb_pool *pool = &work->pool;
    uint32_t next = 0;
    work->first =
        nb_pool_array(pool, topology->router_count, sizeof *work->first);
    work->router = nb_pool_array(pool, terminals, sizeof *work->router);
    work->into_start =
        nb_pool_array(pool, terminals + 1, sizeof *work->into_start);
    work->into = nb_pool_array(pool, singles->count, sizeof *work->into);
    const enum nb_status status = nb_pool_check(pool, "terminals", err);
    if (status != NB_OK)
        return status;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        work->first[r] = next;
        for (uint32_t t = 0; t < topology->terminals[r]; t++)
            work->router[next++] = r;
    }
    if (singles->count > 0)
        nb_index_by(&singles->entry->target, sizeof *singles->entry,
                    singles->count, terminals, work->into_start, work->into);
    return NB_OK;
}

static enum nb_status path_init(struct path_work *work, int threads,
                                struct nb_error *err)
{
    const struct nb_routing *routing = work->waits->routing;
    const size_t n = routing->topology->router_count;
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require(nb_walker_bytes(routing) * threads,
                             "paths of packets", err));
    NB_TRY(path_number(work, err));
    work->scratch =
        nb_pool_array(&work->pool, (size_t)threads, sizeof *work->scratch);
    NB_TRY(nb_pool_check(&work->pool, "paths of packets", err));
    for (int t = 0; t < threads; t++) {
        struct path_scratch *scratch = &work->scratch[t];
        scratch->rate = nb_pool_array(&work->pool, n, sizeof(uint64_t));
        scratch->source = nb_pool_array(&work->pool, n, sizeof(uint32_t));
        scratch->single = nb_pool_array(&work->pool, n, sizeof(double));
        NB_TRY(nb_walker_init(routing, NULL, &scratch->walker, err));
    }
    NB_TRY(nb_pool_check(&work->pool, "paths of packets", err));
done:
    return status;
}

enum nb_status nb_path_latency_find(const struct nb_path_waits *waits,
                                    const struct nb_run *run,
                                    struct nb_path_latency *out,
                                    struct nb_error *err)
{
    const int threads = nb_run_threads(run, PATH_BLOCKS);
    const struct nb_topology *topology = waits->routing->topology;
    struct path_work work = { .waits = waits };
    size_t points;
    enum nb_status status = NB_OK;
    *out = (struct nb_path_latency){ 0 };
    const struct nb_bracket total = nb_latency_total(waits->traffic, topology);
    work.total = total.lower * (double)waits->traffic->denominator;
    NB_TRY(total.lower > 0
               ? NB_OK
               : nb_fail(err, NB_INVALID,
                         "nothing is sent, so latency has no percentiles"));
    NB_TRY(path_init(&work, threads, err));
    NB_TRY(nb_run_tasks(run, "paths of packets", PATH_BLOCKS, path_task, &work,
                        err));
    points = path_find_points(&work);
    if (points == 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "percentiles of latency would take more than %g steps "
                       "here (permitted: smaller networks, lower loads; or "
                       "simulate)",
                       NB_PATH_WORK));
    work.points = points / 2;
    NB_TRY(path_transform(&work, points, err));
    NB_TRY(nb_run_tasks(run, "latencies", PATH_BLOCKS, path_task, &work, err));
    NB_TRY(path_restore(&work, points, out, err));
done:
    for (int t = 0; t < threads && work.scratch != NULL; t++) {
        nb_walker_release(&work.scratch[t].walker);
        nb_delete(work.scratch[t].value);
    }
    nb_pool_release(&work.pool);
    if (status != NB_OK)
        nb_path_latency_release(out);
    return status;
}

void nb_path_latency_release(struct nb_path_latency *latency)
{
    nb_delete(latency->mass);
    *latency = (struct nb_path_latency){ 0 };
}

struct nb_bracket
nb_path_latency_quantile(const struct nb_path_latency *latency, double share)
{
    struct nb_bracket found = { INFINITY, INFINITY };
    double sum = 0;
    for (size_t n = 0; n < latency->count && isinf(found.upper); n++) {
        sum += latency->mass[n];
        if (isinf(found.lower) && sum + latency->lost >= share)
            found.lower = (double)n;
        if (sum - latency->lost >= share)
            found.upper = (double)n;
    }
    return found;
}
