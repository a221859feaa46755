#include "load/path_sample.h"

#include "core/memory.h"
#include "load/confidence.h"
#include "load/path_tally.h"

#include <math.h>

/* The first stream of paths; traffic drawn at random has those before. */
#define SAMPLE_STREAMS ((uint64_t)1 << 63)

/* Destinations are dealt to this many blocks, whatever the number of
 * threads, and blocks are added up in order: the result is always the same. */
enum { SAMPLE_BLOCKS = 64 };

/* Of all pairs, or those of a block. */
struct sample_sums {
    double *load;     /* [channel] */
    double *variance; /* [channel] of load */
    double hops;
    double hops_variance;
    double rates;
    double most_rate; /* of a pair that moves */
    double paths;
};

/* Of one thread. */
struct sample_scratch {
    struct nb_path_tally tally;
    uint64_t *rate; /* [router] into the destination */
};

struct sample_work {
    const struct nb_routing *routing;
    const struct nb_traffic *traffic;
    const struct nb_path_sample *sample;
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

static enum nb_status sample_sums_init(struct sample_sums *sums,
                                       size_t channels, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&sums->load, channels, sizeof(double), "loads", err));
    NB_TRY(nb_new(&sums->variance, channels, sizeof(double), "loads", err));
done:
    return status;
}

static void sample_sums_release(struct sample_sums *sums)
{
    nb_delete(sums->load);
    nb_delete(sums->variance);
}

static enum nb_status sample_work_init(struct sample_work *work, int threads,
                                       struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const size_t channels = topology->channel_count;
    const double each = nb_path_tally_bytes(work->routing);
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require(each * threads +
                                 16.0 * SAMPLE_BLOCKS * (double)channels,
                             "sampled paths", err));
    for (size_t b = 0; b < SAMPLE_BLOCKS; b++)
        NB_TRY(sample_sums_init(&work->block[b], channels, err));
    NB_TRY(nb_new(&work->scratch, (size_t)threads, sizeof *work->scratch,
                  "scratch", err));
    for (int t = 0; t < threads; t++) {
        NB_TRY(nb_path_tally_init(work->routing, &work->scratch[t].tally, err));
        NB_TRY(nb_new(&work->scratch[t].rate, topology->router_count,
                      sizeof(uint64_t), "scratch", err));
    }
done:
    return status;
}

static void sample_work_release(struct sample_work *work, int threads)
{
    for (size_t b = 0; b < SAMPLE_BLOCKS; b++)
        sample_sums_release(&work->block[b]);
    for (int t = 0; t < threads && work->scratch != NULL; t++) {
        nb_path_tally_release(&work->scratch[t].tally);
        nb_delete(work->scratch[t].rate);
    }
    nb_delete(work->scratch);
}

/* Adds what one pair's paths say, at its rate. */
static void sample_add_pair(struct sample_sums *sums,
                            const struct nb_path_tally *tally, double rate,
                            double paths)
{
    const double weight = rate / paths;
    for (size_t t = 0; t < tally->touched_count; t++) {
        const uint32_t c = tally->touched[t];
        const double sum = (double)nb_path_cell_sum(&tally->cell[c]);
        const double squares = (double)nb_path_cell_squares(&tally->cell[c]);
        sums->load[c] += weight * sum;
        sums->variance[c] +=
            weight * weight * paths * nb_sample_variance(sum, squares, paths);
    }
    sums->hops += weight * tally->hops;
    sums->hops_variance +=
        weight * weight * paths *
        nb_sample_variance(tally->hops, tally->hops_squared, paths);
    sums->most_rate = fmax(sums->most_rate, rate);
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
    for (uint32_t i = 0; i < n; i++) {
        const double rate =
            (double)scratch->rate[i] / (double)work->traffic->denominator;
        sums->rates += rate;
        if (rate == 0 || !nb_follow_moves(work->routing, i, destination))
            continue;
        NB_TRY(nb_path_tally_draw(
            &scratch->tally, i, destination, sample->paths, sample->seed,
            SAMPLE_STREAMS + (uint64_t)destination * n + i, err));
        sample_add_pair(sums, &scratch->tally, rate, sample->paths);
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

/* Adds the blocks up in the first. */
static struct sample_sums *sample_unite(struct sample_work *work)
{
    struct sample_sums *all = &work->block[0];
    for (size_t b = 1; b < SAMPLE_BLOCKS; b++) {
        const struct sample_sums *own = &work->block[b];
        for (size_t c = 0; c < work->routing->topology->channel_count; c++) {
            all->load[c] += own->load[c];
            all->variance[c] += own->variance[c];
        }
        all->hops += own->hops;
        all->hops_variance += own->hops_variance;
        all->rates += own->rates;
        all->most_rate = fmax(all->most_rate, own->most_rate);
        all->paths += own->paths;
    }
    return all;
}

static struct nb_estimate sample_estimate(double value, double margin)
{
    return (struct nb_estimate){ value, fmax(value - margin, 0),
                                 value + margin };
}

/* The greatest share lies between the greatest lower and upper limit. */
static void sample_conclude(const struct nb_topology *topology,
                            struct nb_sampled_loads *out)
{
    out->share = (struct nb_estimate){ -1, 0, 0 };
    for (uint32_t c = 0; c < out->channel_count; c++) {
        const double band = nb_ratio_value(topology->channels[c].bandwidth);
        const struct nb_estimate *load = &out->load[c];
        if (load->value / band > out->share.value) {
            out->share.value = load->value / band;
            out->worst_channel = c;
        }
        out->share.lower = fmax(out->share.lower, load->lower / band);
        out->share.upper = fmax(out->share.upper, load->upper / band);
    }
}

/* Three limits each of every channel and of the hops: the variance and both
 * sides. Rounding is nothing beside the margins, which are 0 only where no
 * path was drawn. */
static void sample_judge(const struct sample_work *work,
                         const struct sample_sums *all,
                         struct nb_sampled_loads *out)
{
    const struct nb_path_tally *tally = &work->scratch[0].tally;
    const uint32_t paths = work->sample->paths;
    const double events = 3 * ((double)out->channel_count + 1);
    const double log_risk = nb_confidence_log_risk(events, 1 - NB_CONFIDENCE);
    const double weight = all->most_rate / paths;
    for (size_t c = 0; c < out->channel_count; c++) {
        out->standard_error[c] = sqrt(all->variance[c]);
        out->load[c] = sample_estimate(
            all->load[c], nb_confidence_margin(all->variance[c],
                                               weight * tally->most_crossings,
                                               paths, log_risk));
    }
    const double margin = nb_confidence_margin(
        all->hops_variance, weight * (double)tally->follow.most_length, paths,
        log_risk);
    const double rates = all->rates > 0 ? all->rates : 1;
    out->mean_hops = sample_estimate(all->hops / rates, margin / rates);
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
    NB_TRY(nb_run_tasks(run, "sampled paths", SAMPLE_BLOCKS, sample_task, &work,
                        err));
    sample_judge(&work, sample_unite(&work), out);
    sample_conclude(topology, out);
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
