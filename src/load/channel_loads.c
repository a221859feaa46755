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

/* Adds the blocks up exactly; false if a load does not fit a ratio. */
static bool load_sum_exact(const struct nb_load_work *work,
                           struct nb_channel_loads *out)
{
    const int64_t united = load_unite(work);
    const nb_int128 denominator =
        (nb_int128)united * (nb_int128)work->rate_denominator;
    nb_int128 all = 0;
    for (size_t c = 0; c < out->channel_count && united > 0; c++) {
        nb_int128 sum = 0;
        for (size_t b = 0; b < NB_LOAD_BLOCKS; b++)
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

static void load_sum_values(const struct nb_load_work *work,
                            struct nb_channel_loads *out)
{
    double error = 0, all = 0;
    for (size_t b = 0; b < NB_LOAD_BLOCKS; b++)
        error = fmax(error, work->block[b].relative_error);
    for (size_t c = 0; c < out->channel_count; c++) {
        double sum = 0;
        for (size_t b = 0; b < NB_LOAD_BLOCKS; b++)
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
    const int threads = nb_run_threads(run, NB_LOAD_BLOCKS);
    struct nb_load_work work = {
        .routing = is_two_phase ? routing->phase : routing,
        .traffic = traffic,
        .is_exact = true,
    };
    enum nb_status status = NB_OK;
    *out = (struct nb_channel_loads){ .channel_count = channels };
    NB_TRY(nb_new(&out->exact, channels, sizeof *out->exact, "loads", err));
    NB_TRY(nb_new(&out->lower, channels, sizeof(double), "loads", err));
    NB_TRY(nb_new(&out->upper, channels, sizeof(double), "loads", err));
    NB_TRY(nb_load_work_init(&work, is_two_phase, threads, err));
    NB_TRY(nb_run_tasks(run, "channel loads", NB_LOAD_BLOCKS, nb_load_task,
                        &work, err));
    out->is_exact = load_sum_exact(&work, out);
    if (!out->is_exact) {
        work.is_exact = false;
        NB_TRY(nb_run_tasks(run, "channel loads", NB_LOAD_BLOCKS, nb_load_task,
                            &work, err));
        load_sum_values(&work, out);
    }
    load_find_worst(routing->topology, out);
done:
    nb_load_work_release(&work, threads);
    if (status != NB_OK)
        nb_channel_loads_release(out);
    return status;
}
