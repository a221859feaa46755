#include "load/channel_loads.h"

#include "core/memory.h"
#include "load/load_work.h"

#include <math.h>

void nb_channel_loads_release(struct nb_channel_loads *loads)
{
    nb_delete(loads->exact);
    nb_delete(loads->lower);
    nb_delete(loads->upper);
    *loads = (struct nb_channel_loads){ 0 };
}

/* The common denominator of the blocks, 0 if there is none below 2^61. */
static int64_t load_unite(const struct nb_load_work *work)
{
    nb_int128 united = 1;
    for (size_t b = 0; b < NB_LOAD_BLOCKS; b++) {
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
static void load_mean_exact(const struct nb_load_work *work, nb_int128 all,
                            int64_t united, struct nb_channel_loads *out)
{
    const nb_int128 phases =
        work->rate_denominator / (nb_int128)work->traffic->denominator;
    out->mean_hops = work->rate_sum > 0
                         ? nb_ratio_divide(nb_ratio_make(all, united * phases),
                                           nb_ratio_make(work->rate_sum, 1))
                         : nb_ratio_zero;
    if (nb_ratio_is_known(out->mean_hops)) {
        nb_ratio_bracket(out->mean_hops, &out->mean_hops_lower,
                         &out->mean_hops_upper);
        return;
    }
    const double mean = (double)all / ((double)united * (double)phases) /
                        (double)work->rate_sum;
    out->mean_hops_lower = mean * (1 - 0x1p-50); /* a few roundings */
    out->mean_hops_upper = mean * (1 + 0x1p-50);
}

/* A channel's numerators of all blocks over united; negative if they leave 92
 * bits, so that the sum over all channels fits. */
static nb_int128 load_sum_blocks(const struct nb_load_work *work,
                                 size_t channel, int64_t united)
{
    nb_int128 sum = 0;
    for (size_t b = 0; b < NB_LOAD_BLOCKS; b++) {
        sum += (nb_int128)work->block[b].load[channel] *
               (united / work->block[b].denominator);
        if (sum >> 92 != 0)
            return -1;
    }
    return sum;
}

/* The mean of an orbit's sum over its channels: sum / (size * united *
 * rate_denominator), not known if it does not fit. */
static struct nb_ratio load_mean_of_orbit(const struct nb_load_work *work,
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
static bool load_sum_exact(const struct nb_load_work *work,
                           nb_int128 *orbit_sum, struct nb_channel_loads *out)
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
        out->exact[c] =
            orbit == c ? load_mean_of_orbit(work, orbit_sum[c],
                                            symmetry->orbit_size[c], united)
                       : out->exact[orbit];
        if (!nb_ratio_is_known(out->exact[c]))
            return false;
        nb_ratio_bracket(out->exact[c], &out->lower[c], &out->upper[c]);
    }
    load_mean_exact(work, all, united, out);
    return true;
}

static void load_sum_values(const struct nb_load_work *work,
                            struct nb_channel_loads *out)
{
    const struct nb_load_symmetry *symmetry = &work->symmetry;
    double error = 0, all = 0;
    for (size_t b = 0; b < NB_LOAD_BLOCKS; b++)
        error = fmax(error, work->block[b].relative_error);
    for (size_t c = 0; c < out->channel_count; c++) {
        double sum = 0;
        for (size_t b = 0; b < NB_LOAD_BLOCKS; b++)
            sum += work->block[b].value[c];
        sum /= (double)work->rate_denominator;
        all += sum;
        /* Of an orbit's least channel: the sum over the orbit. */
        out->lower[c] = sum;
        if (symmetry->orbit[c] != c)
            out->lower[symmetry->orbit[c]] += sum;
    }
    for (size_t c = out->channel_count; c-- > 0;) {
        const double mean =
            out->lower[symmetry->orbit[c]] / symmetry->orbit_size[c];
        out->exact[c] = (struct nb_ratio){ 0, 0 };
        out->lower[c] = mean < NB_LEAST_RELATIVE ? 0 : mean * (1 - error);
        out->upper[c] = mean * (1 + error);
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

/* Worst channel and throughput; exact if every quotient is. */
static void load_conclude_exact(const struct nb_topology *topology,
                                struct nb_channel_loads *out)
{
    struct nb_ratio most = { -1, 1 };
    for (uint32_t c = 0; c < out->channel_count; c++) {
        const struct nb_ratio share =
            nb_ratio_divide(out->exact[c], topology->channels[c].bandwidth);
        if (nb_ratio_compare(share, most) > 0) {
            most = share;
            out->worst_channel = c;
        }
    }
    out->throughput = nb_ratio_divide(nb_ratio_one, most);
    nb_ratio_bracket(out->throughput, &out->throughput_lower,
                     &out->throughput_upper);
}

static void load_conclude(const struct nb_topology *topology,
                          struct nb_channel_loads *out)
{
    bool is_exact = true;
    double most_lower = 0, most_upper = -1;
    for (uint32_t c = 0; c < out->channel_count; c++) {
        const struct nb_ratio bandwidth = topology->channels[c].bandwidth;
        const double band = nb_ratio_value(bandwidth);
        is_exact = is_exact &&
                   nb_ratio_is_known(nb_ratio_divide(out->exact[c], bandwidth));
        most_lower = fmax(most_lower, out->lower[c] / band);
        if (out->upper[c] / band > most_upper) {
            most_upper = out->upper[c] / band;
            out->worst_channel = c;
        }
    }
    if (is_exact) {
        load_conclude_exact(topology, out);
        return;
    }
    out->throughput = (struct nb_ratio){ 0, 0 };
    /* Two quotients and the bandwidth round. */
    out->throughput_lower = 1 / most_upper * (1 - 0x1p-50);
    out->throughput_upper = 1 / most_lower * (1 + 0x1p-50);
}

/* All blocks once: with an intermediate router in a quadrant, once for each
 * class. */
static enum nb_status load_run(struct nb_load_work *work,
                               const struct nb_run *run, struct nb_error *err)
{
    struct nb_load_demand *demand = work->demand;
    enum nb_status status = NB_OK;
    if (demand == NULL)
        return nb_run_tasks(run, "channel loads", NB_LOAD_BLOCKS, nb_load_task,
                            work, err);
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
        NB_TRY(nb_run_tasks(run, "channel loads", NB_LOAD_BLOCKS, nb_load_task,
                            work, err));
    }
done:
    return status;
}

/* Exactly if that can be, else in doubles. */
static enum nb_status load_solve(struct nb_load_work *work,
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
    const int threads = nb_run_threads(run, NB_LOAD_BLOCKS);
    struct nb_load_demand demand = { 0 };
    struct nb_load_work work = { .traffic = traffic, .is_exact = true };
    enum nb_status status = NB_OK;
    *out = (struct nb_channel_loads){ 0 };
    NB_TRY(nb_routing_check(given, err));
    NB_TRY(nb_traffic_check(traffic, given->topology, err));
    const struct nb_routing *routing = nb_route_alike(given);
    const size_t channels = routing->topology->channel_count;
    work.routing = routing->phase != NULL ? routing->phase : routing;
    out->channel_count = channels;
    NB_TRY(nb_new(&out->exact, channels, sizeof *out->exact, "loads", err));
    NB_TRY(nb_new(&out->lower, channels, sizeof(double), "loads", err));
    NB_TRY(nb_new(&out->upper, channels, sizeof(double), "loads", err));
    NB_TRY(nb_load_work_init(&work, routing->intermediate, threads, err));
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
    nb_load_work_release(&work, threads);
    if (status != NB_OK)
        nb_channel_loads_release(out);
    return status;
}
