/* What virtual networks get (declared in summary.h). */
#include "sim/summary.h"

#include "core/memory.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* [flit/cycle] Per terminal. */
static struct nb_estimate virtual_rate(const struct nb_replications *all,
                                       size_t index, double confidence)
{
    const double terminals = (double)all->networks[0].topology->terminal_count;
    struct nb_estimate rate = nb_replications_tally(
        all, offsetof(struct nb_measure, of_network), index, confidence);
    rate.mean /= terminals;
    rate.half_width /= terminals;
    return rate;
}

static void virtual_count(const struct nb_replications *all,
                          struct nb_virtual_result *out)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct nb_virtual_counts *counts =
            &all->networks[i].measure.counts;
        out->cycles = counts->cycles;
        out->rounds += counts->rounds;
        out->sent += counts->sent;
        out->acknowledged += counts->acknowledged;
        out->dropped += counts->dropped;
        out->queue = counts->queue > out->queue ? counts->queue : out->queue;
        out->wait = counts->wait > out->wait ? counts->wait : out->wait;
        out->window =
            counts->window < out->window ? counts->window : out->window;
    }
}

/* Of the first replication; switches are routers without terminals. */
static enum nb_status virtual_copy(const struct nb_network *network,
                                   struct nb_virtual_result *out,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = network->topology;
    const struct nb_rounds_count *congestion = &network->measure.congestion;
    const char *what = "rounds";
    enum nb_status status = NB_OK;
    if (congestion->count == 0 || congestion->is_of_many_paths)
        return NB_OK;
    NB_TRY(nb_new(&out->congestion, congestion->count, sizeof *out->congestion,
                  what, err));
    NB_TRY(nb_new(&out->through, topology->router_count, sizeof *out->through,
                  what, err));
    NB_TRY(nb_new(&out->small, topology->router_count, sizeof *out->small, what,
                  err));
    out->round_count = congestion->count;
    memcpy(out->congestion, congestion->most,
           congestion->count * sizeof *out->congestion);
    for (uint32_t r = 0; r < topology->router_count; r++) {
        if (topology->terminals[r] > 0)
            continue;
        out->through[out->switch_count] = congestion->through[r];
        out->small[out->switch_count++] = congestion->small[r];
    }
    out->small_left = congestion->left;
done:
    return status;
}

enum nb_status nb_summary_find_virtual(const struct nb_replications *all,
                                       struct nb_simulation_result *result,
                                       struct nb_error *err)
{
    const struct nb_virtual *plan = &all->networks[0].plan->virtual_router;
    const size_t count = all->networks[0].measure.network_count;
    struct nb_virtual_result *out = &result->virtual_networks;
    struct nb_jain jain = { 0 };
    enum nb_status status = NB_OK;
    if (count == 0)
        return NB_OK;
    NB_TRY(nb_new(&out->accepted_of, count, sizeof *out->accepted_of,
                  "virtual networks", err));
    out->network_count = count;
    out->least = out->most = (struct nb_interval){ NAN, NAN, NAN };
    out->window = UINT64_MAX;
    virtual_count(all, out);
    NB_TRY(virtual_copy(&all->networks[0], out, err));
    for (size_t v = 0; v < count; v++) {
        struct nb_estimate *rate = &out->accepted_of[v];
        *rate = virtual_rate(all, v, NB_SUMMARY_LEVEL);
        struct nb_estimate surer =
            virtual_rate(all, v, 1 - (1 - NB_SUMMARY_LEVEL) / (double)count);
        if (result->is_slow)
            rate->half_width = surer.half_width = INFINITY;
        if (plan->refused != NULL && plan->refused[v])
            continue;
        nb_extreme_take(&out->least, NB_LEAST, *rate, surer.half_width);
        nb_extreme_take(&out->most, NB_LARGEST, *rate, surer.half_width);
        nb_jain_take(&jain, *rate);
    }
    out->least = nb_interval_cut(out->least, result->demanded);
    out->most = nb_interval_cut(out->most, result->demanded);
    out->jain = nb_jain_index(&jain);
done:
    return status;
}
