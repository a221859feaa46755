#include "load/load_work.h"

#include "core/memory.h"
#include "load/pair_loads.h"

/* What every router sends, and in total. */
static enum nb_status load_find_sums(struct nb_load_work *work,
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
            NB_TRY(nb_fail(err, NB_OVERFLOW,
                           "traffic from router %zu: its sum leaves 64 bits",
                           r));
        work->row_sum[r] = (uint64_t)sum[r];
    }
done:
    nb_delete(sum);
    return status;
}

static enum nb_status load_scratch_init(const struct nb_load_work *work,
                                        struct nb_load_scratch *scratch,
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

enum nb_status nb_load_work_init(struct nb_load_work *work,
                                 enum nb_intermediate intermediate, int threads,
                                 struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const char *what = "channel loads";
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require(nb_walker_bytes(work->routing) * threads +
                                 16 * NB_LOAD_BLOCKS *
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
    for (size_t b = 0; b < NB_LOAD_BLOCKS; b++) {
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

void nb_load_work_release(struct nb_load_work *work, int threads)
{
    for (int t = 0; t < threads && work->scratch != NULL; t++) {
        struct nb_load_scratch *scratch = &work->scratch[t];
        nb_walker_release(&scratch->walker);
        nb_delete(scratch->rate);
        nb_delete(scratch->source);
        nb_delete(scratch->flow);
        nb_delete(scratch->flow_value);
        nb_delete(scratch->part);
    }
    for (size_t b = 0; b < NB_LOAD_BLOCKS; b++) {
        nb_delete(work->block[b].load);
        nb_delete(work->block[b].value);
    }
    nb_load_symmetry_release(&work->symmetry);
    nb_delete(work->scratch);
    nb_delete(work->endpoint);
    nb_delete(work->row_sum);
}
