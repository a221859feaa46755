#include "load/path_sample.h"

#include "core/memory.h"
#include "load/confidence.h"
#include "load/load_symmetry.h"
#include "load/path_tally.h"
#include "topology/metrics.h"

#include <math.h>

/* The first random stream of paths; random traffic uses those before it. */
#define SAMPLE_STREAMS ((uint64_t)1 << 63)

/* Destinations are divided among this many blocks, whatever the number of
 * threads, and blocks are added up in order: the result is always the same. */
enum { SAMPLE_BLOCKS = 64 };

/* Sums over all pairs, or over those of a block. */
struct sample_sums {
    double *load;     /* [channel] of the orbit that it represents */
    double *variance; /* [channel] of load */
    double *third;    /* [channel] third cumulant; 0 with two paths */
    /* [channel] the most that one path may lie above, or below, its pair's
     * mean: maximum over the pairs that cross it */
    double *above, *below;
    double *crossed; /* [channel] number of pairs that cross it */
    double hops;
    double hops_variance;
    double hops_third; /* as for a load */
    double hops_above, hops_below;
    double crossing_range; /* range of the crossings of any channel */
    double pairs;
    double rates;
    double paths;
};

/* Of one thread. */
struct sample_scratch {
    struct nb_path_tally tally;
    uint64_t *rate;             /* [router] into the destination */
    uint32_t *distance, *queue; /* [router] nb_distances_to */
};

struct sample_work {
    const struct nb_routing *routing;
    const struct nb_traffic *traffic;
    const struct nb_path_sample *sample;
    struct nb_load_symmetry symmetry;
    struct nb_pool pool;
    struct sample_sums block[SAMPLE_BLOCKS];
    struct sample_scratch *scratch;
};

enum nb_status nb_path_sample_check(const struct nb_path_sample *sample,
                                    double pairs, struct nb_error *err)
{
    const double most = fmin(NB_MOST_PATHS, NB_MOST_ALL_PATHS / pairs);
    if (sample->paths >= 2 && sample->paths <= most)
        return NB_OK;
    if (most < 2)
        return nb_fail(err, NB_INVALID,
                       "paths of %.0f pairs of routers cannot be sampled "
                       "(permitted: at most %.0f pairs)",
                       pairs, NB_MOST_ALL_PATHS / 2);
    return nb_fail(err, NB_INVALID,
                   "%u sampled paths for each of %.0f pairs of routers "
                   "(permitted: 2 to %.0f)",
                   sample->paths, pairs, floor(most));
}

static enum nb_status sample_work_init(struct sample_work *work, int threads,
                                       struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const size_t n = topology->router_count;
    const size_t channels = topology->channel_count;
    const double each = nb_path_tally_bytes(work->routing);
    struct nb_pool *pool = &work->pool;
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require(each * threads +
                                 48.0 * SAMPLE_BLOCKS * (double)channels,
                             "sampled paths", err));
    NB_TRY(nb_load_symmetry_find(work->routing, work->traffic, &work->symmetry,
                                 err));
    for (size_t b = 0; b < SAMPLE_BLOCKS; b++)
        work->block[b] = (struct sample_sums){
            .load = nb_pool_array(pool, channels, sizeof(double)),
            .variance = nb_pool_array(pool, channels, sizeof(double)),
            .third = nb_pool_array(pool, channels, sizeof(double)),
            .above = nb_pool_array(pool, channels, sizeof(double)),
            .below = nb_pool_array(pool, channels, sizeof(double)),
            .crossed = nb_pool_array(pool, channels, sizeof(double)),
        };
    work->scratch = nb_pool_array(pool, (size_t)threads, sizeof *work->scratch);
    NB_TRY(nb_pool_check(pool, "loads", err));
    for (int t = 0; t < threads; t++) {
        struct sample_scratch *scratch = &work->scratch[t];
        scratch->rate = nb_pool_array(pool, n, sizeof(uint64_t));
        scratch->distance = nb_pool_array(pool, n, sizeof(uint32_t));
        scratch->queue = nb_pool_array(pool, n, sizeof(uint32_t));
        NB_TRY(nb_path_tally_init(work->routing, work->symmetry.orbit,
                                  &scratch->tally, err));
    }
    NB_TRY(nb_pool_check(pool, "scratch", err));
done:
    return status;
}

static void sample_work_release(struct sample_work *work, int threads)
{
    nb_load_symmetry_release(&work->symmetry);
    for (int t = 0; t < threads && work->scratch != NULL; t++)
        nb_path_tally_release(&work->scratch[t].tally);
    nb_pool_release(&work->pool);
}

/*
 * Adds one pair's paths at its rate. Even if no path crosses a channel, others
 * may: at least once per phase. No path is shorter than the distance; the
 * maximum length is unknown, and the excess is taken to be the length of the
 * longest path.
 */
static void sample_add_pair(struct sample_sums *sums,
                            const struct nb_path_tally *tally, double distance,
                            double rate, double paths)
{
    const double weight = rate / paths, hops = tally->hops / paths;
    for (size_t t = 0; t < tally->touched_count; t++) {
        const uint32_t c = tally->touched[t];
        const struct nb_path_cell *cell = &tally->cell[c];
        const double sum = (double)cell->sum, mean = sum / paths;
        const double most = fmax(cell->most, tally->most_crossings);
        sums->load[c] += weight * sum;
        sums->variance[c] +=
            weight * weight * paths *
            nb_sample_variance(sum, (double)cell->squares, paths);
        if (paths > 2)
            sums->third[c] += weight * weight * weight * paths *
                              nb_sample_third(sum, (double)cell->squares,
                                              (double)cell->cubes, paths);
        sums->above[c] = fmax(sums->above[c], weight * (most - mean));
        sums->below[c] = fmax(sums->below[c], weight * mean);
        sums->crossed[c]++;
    }
    sums->hops += weight * tally->hops;
    sums->hops_variance +=
        weight * weight * paths *
        nb_sample_variance(tally->hops, tally->hops_squared, paths);
    if (paths > 2)
        sums->hops_third += weight * weight * weight * paths *
                            nb_sample_third(tally->hops, tally->hops_squared,
                                            tally->hops_cubed, paths);
    sums->hops_above = fmax(sums->hops_above, weight * tally->longest);
    sums->hops_below = fmax(sums->hops_below, weight * (hops - distance));
    sums->crossing_range =
        fmax(sums->crossing_range, weight * tally->most_crossings);
    sums->pairs++;
    sums->paths += paths;
}

/* Adds all pairs with one destination. */
static enum nb_status sample_add_column(const struct sample_work *work,
                                        struct sample_scratch *scratch,
                                        uint32_t destination,
                                        struct sample_sums *sums,
                                        struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const uint32_t n = (uint32_t)topology->router_count;
    const struct nb_path_sample *sample = work->sample;
    enum nb_status status = NB_OK;
    NB_TRY(nb_traffic_column(work->traffic, topology, destination,
                             scratch->rate, err));
    nb_distances_to(topology, destination, scratch->distance, scratch->queue);
    scratch->distance[destination] =
        nb_distance_to_self(topology, destination, scratch->distance);
    for (uint32_t i = 0; i < n; i++) {
        const double rate =
            (double)scratch->rate[i] / (double)work->traffic->denominator;
        sums->rates += rate;
        if (rate == 0 || !nb_follow_moves(work->routing, i, destination))
            continue;
        NB_TRY(nb_path_tally_draw(
            &scratch->tally, i, destination, sample->paths, sample->seed,
            SAMPLE_STREAMS + (uint64_t)destination * n + i, err));
        sample_add_pair(sums, &scratch->tally, scratch->distance[i], rate,
                        sample->paths);
    }
done:
    return status;
}

static enum nb_status sample_task(void *context, int thread, size_t index,
                                  struct nb_error *err)
{
    struct sample_work *work = context;
    const size_t n = work->routing->topology->router_count;
    enum nb_status status = NB_OK;
    for (size_t j = index; j < n && status == NB_OK; j += SAMPLE_BLOCKS)
        status = sample_add_column(work, &work->scratch[thread], (uint32_t)j,
                                   &work->block[index], err);
    return status;
}

/* Adds up the blocks in the first. */
static struct sample_sums *sample_unite(struct sample_work *work)
{
    struct sample_sums *all = &work->block[0];
    for (size_t b = 1; b < SAMPLE_BLOCKS; b++) {
        const struct sample_sums *own = &work->block[b];
        for (size_t c = 0; c < work->routing->topology->channel_count; c++) {
            all->load[c] += own->load[c];
            all->variance[c] += own->variance[c];
            all->third[c] += own->third[c];
            all->above[c] = fmax(all->above[c], own->above[c]);
            all->below[c] = fmax(all->below[c], own->below[c]);
            all->crossed[c] += own->crossed[c];
        }
        all->hops += own->hops;
        all->hops_variance += own->hops_variance;
        all->hops_third += own->hops_third;
        all->rates += own->rates;
        all->hops_above = fmax(all->hops_above, own->hops_above);
        all->hops_below = fmax(all->hops_below, own->hops_below);
        all->crossing_range = fmax(all->crossing_range, own->crossing_range);
        all->pairs += own->pairs;
        all->paths += own->paths;
    }
    return all;
}

/* An estimate and what its limits need. */
struct sample_law {
    double value;
    double variance;
    double below, above; /* nb_confidence_slope on either side */
};

/* More than the rounding of sums of doubles. */
#define SAMPLE_ROUNDING 0x1p-36

static double sample_lower(struct sample_law distribution, double deviations)
{
    const double margin = nb_confidence_margin(distribution.variance,
                                               distribution.below, deviations);
    return fmax(distribution.value * (1 - SAMPLE_ROUNDING) - margin, 0);
}

static double sample_upper(struct sample_law distribution, double deviations)
{
    return distribution.value * (1 + SAMPLE_ROUNDING) +
           nb_confidence_margin(distribution.variance, distribution.above,
                                deviations);
}

static struct nb_interval sample_estimate(struct sample_law distribution)
{
    const double single = nb_confidence_deviations(1);
    return (struct nb_interval){ distribution.value,
                                 sample_lower(distribution, single),
                                 sample_upper(distribution, single) };
}

static struct sample_law sample_scale(struct sample_law distribution,
                                      double factor)
{
    return (struct sample_law){ distribution.value * factor,
                                distribution.variance * factor * factor,
                                distribution.below * factor,
                                distribution.above * factor };
}

/* Replaces ranges by slopes from the third cumulant. */
static struct sample_law sample_slopes(const struct sample_work *work,
                                       struct sample_law distribution,
                                       double third)
{
    if (work->sample->paths > 2) { /* two paths give no third cumulant */
        distribution.below = nb_confidence_slope(distribution.variance, -third,
                                                 distribution.below);
        distribution.above = nb_confidence_slope(distribution.variance, third,
                                                 distribution.above);
    }
    return distribution;
}

/* Sum over all hops, with ranges. With shortest paths it is not random. */
static struct sample_law sample_hops(const struct sample_work *work,
                                     const struct sample_sums *all)
{
    struct sample_law distribution = { all->hops, all->hops_variance, 0, 0 };
    if (!work->routing->is_minimal) {
        distribution.below = all->hops_below;
        distribution.above = all->hops_above;
    }
    return distribution;
}

static struct sample_law sample_load(const struct sample_work *work,
                                     const struct sample_sums *all, uint32_t c)
{
    const uint32_t orbit = work->symmetry.orbit[c];
    const double size = work->symmetry.orbit_size[c];
    struct sample_law distribution = { all->load[orbit], all->variance[orbit],
                                       all->below[orbit], all->above[orbit] };
    if (all->crossed[orbit] < all->pairs)
        distribution.above = fmax(distribution.above, all->crossing_range);
    if (size == (double)work->routing->topology->channel_count) {
        const struct sample_law hops = sample_hops(work, all);
        distribution.below = fmin(distribution.below, hops.below);
        distribution.above = fmin(distribution.above, hops.above);
    }
    return sample_scale(sample_slopes(work, distribution, all->third[orbit]),
                        1 / size);
}

static double sample_band(const struct sample_work *work, size_t c)
{
    return nb_ratio_value(work->routing->topology->channels[c].bandwidth);
}

/*
 * The deviations z of lower limits such that the probability that any of them
 * exceeds the greatest load per bandwidth is small enough. If the load of
 * channel c is d_c deviations from being the greatest, this probability is at
 * most sum_c P(N > z + d_c), N normal. The d_c come from upper limits. Each of
 * these fails seldom, and then the channel seems less loaded than it is, so
 * that its own lower limit holds. What these limits omit from the sum is less
 * than the tenth kept in reserve.
 *
 * gap  [rivals] d_c; infinite: none
 */
static double sample_deviations(size_t rivals, const double *gap)
{
    double low = 0, high = nb_confidence_deviations(2 * (double)rivals);
    while (high - low > 1e-9) {
        const double middle = (low + high) / 2;
        double risk = 0;
        for (size_t c = 0; c < rivals; c++)
            risk += nb_confidence_share(middle + gap[c]);
        if (risk <= 0.9)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/*
 * A lower limit of the greatest load per bandwidth: that of any channel, or of
 * the mean over all channels, which is no greater. If the greatest load were
 * below the limit found, this limit would fail: so the d_c are measured from
 * the limit itself, which the loop raises step by step.
 *
 * distribution, gap  [rivals] the distributions, one per orbit of channels;
 * scratch
 */
static double sample_least(size_t rivals, const struct sample_law *distribution,
                           double *gap)
{
    const double single = nb_confidence_deviations(1);
    double least = 0, last;
    do {
        last = least;
        for (size_t c = 0; c < rivals; c++) {
            const double upper = sample_upper(distribution[c], single);
            const double left = fmax(last - upper, 0);
            gap[c] =
                left > 0 ? left * single / (upper - distribution[c].value) : 0;
        }
        const double together = sample_deviations(rivals, gap);
        for (size_t c = 0; c < rivals; c++)
            least = fmax(least, sample_lower(distribution[c], together));
    } while (least > last * (1 + 1e-6));
    return least;
}

static void sample_judge(const struct sample_work *work,
                         const struct sample_sums *all,
                         struct sample_law *distribution, double *gap,
                         struct nb_sampled_loads *out)
{
    const double rates = all->rates > 0 ? all->rates : 1;
    const double single = nb_confidence_deviations(1);
    const struct sample_law hops =
        sample_slopes(work, sample_hops(work, all), all->hops_third);
    double bandwidth = 0;
    out->share = (struct nb_interval){ -1, 0, 0 };
    for (uint32_t c = 0; c < out->channel_count; c++) {
        const double band = sample_band(work, c);
        const struct sample_law load = sample_load(work, all, c);
        const struct sample_law share = sample_scale(load, 1 / band);
        bandwidth += band;
        out->load[c] = sample_estimate(load);
        out->standard_error[c] = sqrt(load.variance);
        if (share.value > out->share.value) {
            out->share.value = share.value;
            out->worst_channel = c;
        }
        /* One channel truly has the greatest load per bandwidth. It exceeds the
         * greatest of all upper limits only if it exceeds its own: these limits
         * need to hold for one channel only. */
        out->share.upper = fmax(out->share.upper, sample_upper(share, single));
        if (work->symmetry.orbit[c] == c)
            distribution[out->orbit_count++] = share;
    }
    distribution[out->orbit_count] = sample_scale(hops, 1 / bandwidth);
    out->share.lower = sample_least(out->orbit_count + 1, distribution, gap);
    out->mean_hops = sample_estimate(sample_scale(hops, 1 / rates));
    out->paths = all->paths;
}

enum nb_status nb_sampled_loads_find(const struct nb_routing *routing,
                                     const struct nb_traffic *traffic,
                                     const struct nb_path_sample *sample,
                                     const struct nb_run *run,
                                     struct nb_sampled_loads *out,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    const size_t channels = topology->channel_count;
    const int threads = nb_run_threads(run, SAMPLE_BLOCKS);
    struct sample_work work = { .routing = routing,
                                .traffic = traffic,
                                .sample = sample };
    double pairs = (double)traffic->demand_count;
    double *gap;
    struct sample_law *distribution;
    enum nb_status status = NB_OK;
    *out = (struct nb_sampled_loads){ .channel_count = channels };
    if (traffic->background > 0) {
        double endpoints = 0;
        for (size_t r = 0; r < topology->router_count; r++)
            endpoints += topology->terminals[r] > 0;
        pairs = endpoints * endpoints;
    }
    NB_TRY(nb_path_sample_check(sample, fmax(pairs, 1), err));
    NB_TRY(sample_work_init(&work, threads, err));
    NB_TRY(nb_new(&out->load, channels, sizeof *out->load, "loads", err));
    NB_TRY(
        nb_new(&out->standard_error, channels, sizeof(double), "loads", err));
    distribution =
        nb_pool_array(&work.pool, channels + 1, sizeof *distribution);
    gap = nb_pool_array(&work.pool, channels + 1, sizeof *gap);
    NB_TRY(nb_pool_check(&work.pool, "loads", err));
    NB_TRY(nb_run_tasks(run, "sampled paths", SAMPLE_BLOCKS, sample_task, &work,
                        err));
    sample_judge(&work, sample_unite(&work), distribution, gap, out);
done:
    sample_work_release(&work, threads);
    if (status != NB_OK)
        nb_sampled_loads_release(out);
    return status;
}

void nb_sampled_loads_release(struct nb_sampled_loads *loads)
{
    nb_delete(loads->load);
    nb_delete(loads->standard_error);
    *loads = (struct nb_sampled_loads){ 0 };
}
