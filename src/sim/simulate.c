/* Replications: warmed up, measured, extended and drained together. */
#include "sim/network.h"
#include "sim/summary.h"

#include "core/memory.h"

#include <stdatomic.h>

enum {
    SIMULATE_BLOCKS = 64,   /* of a warm-up that is found */
    SIMULATE_BLOCK = 32,    /* [cycle] of the first ones */
    SIMULATE_REPORT = 1024, /* [cycle] between reports of progress */
};

struct simulate_work {
    const struct nb_simulation *plan;
    const struct nb_run *run;
    const struct nb_flows *flows;
    struct nb_network *networks; /* [replications] */
    uint64_t cycles;             /* to be measured now */
    size_t batches;              /* in as many */
    size_t done;                 /* [cycle] of all replications */
    atomic_size_t total;         /* the same, as far as is foreseen */
};

/* Tells how far all replications are together. */
static void simulate_report(struct simulate_work *work, size_t cycles)
{
    nb_run_report(work->run, "cycles", &work->done, cycles, work->total);
}

/* Foresees more cycles of a replication than were foreseen; without, progress
 * would stand at its end while the simulation goes on. */
static void simulate_foresee(struct simulate_work *work, uint64_t needed,
                             uint64_t *foreseen)
{
    if (needed <= *foreseen)
        return;
    atomic_fetch_add(&work->total, needed - *foreseen);
    *foreseen = needed;
}

static enum nb_status simulate_cycles(struct simulate_work *work,
                                      struct nb_network *network,
                                      uint64_t cycles, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (uint64_t c = 0; c < cycles && status == NB_OK && !network->is_full;
         c++) {
        status = nb_network_cycle(network, err);
        if (network->cycle % SIMULATE_REPORT == 0)
            simulate_report(work, SIMULATE_REPORT);
    }
    return status;
}

static enum nb_status simulate_block(struct simulate_work *work,
                                     struct nb_network *network,
                                     uint64_t length, double *in_flight,
                                     struct nb_error *err)
{
    enum nb_status status = NB_OK;
    double sum = 0;
    for (uint64_t c = 0; c < length && status == NB_OK; c++) {
        status = simulate_cycles(work, network, 1, err);
        sum += network->packets.count;
    }
    *in_flight = sum / (double)length;
    return status;
}

/*
 * Runs until the packets under way show no transient any more, by MSER over
 * blocks whose length doubles; at least an eighth of what is measured, at most
 * as long: a network that still fills then is saturated, which its growth
 * shows.
 */
static enum nb_status simulate_warm_up(struct simulate_work *work,
                                       struct nb_network *network,
                                       struct nb_error *err)
{
    const uint64_t least = work->plan->cycles / 8, most = work->plan->cycles;
    double series[SIMULATE_BLOCKS];
    uint64_t length = SIMULATE_BLOCK, foreseen = least;
    size_t count = 0;
    enum nb_status status = NB_OK;
    for (;;) {
        simulate_foresee(work,
                         network->cycle + (SIMULATE_BLOCKS - count) * length,
                         &foreseen);
        for (; count < SIMULATE_BLOCKS && status == NB_OK; count++)
            status = simulate_block(work, network, length, &series[count], err);
        if (status != NB_OK || network->is_full || network->cycle >= most ||
            (network->cycle >= least && nb_mser_cut(series, count) < count))
            return status;
        length *= 2;
        for (count = 0; count < SIMULATE_BLOCKS / 2; count++)
            series[count] = (series[2 * count] + series[2 * count + 1]) / 2;
    }
}

static bool simulate_ends_itself(const struct nb_simulation *plan)
{
    return plan->injection.kind == NB_INJECT_TRACE ||
           plan->injection.kind == NB_INJECT_BATCH;
}

/* A trace or a batch: from the first packet's birth to the last's arrival. */
static enum nb_status simulate_all(struct simulate_work *work,
                                   struct nb_network *network,
                                   struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_measure_begin(network, UINT64_MAX / 4, 1, err));
    do
        NB_TRY(simulate_cycles(work, network, 1, err));
    while (!network->is_full && (!nb_sources_are_done(&network->sources) ||
                                 network->packets.count > 0));
    nb_measure_close(network);
done:
    return status;
}

static enum nb_status simulate_start(void *context, int thread, size_t index,
                                     struct nb_error *err)
{
    struct simulate_work *work = context;
    struct nb_network *network = &work->networks[index];
    enum nb_status status = NB_OK;
    (void)thread;
    NB_TRY(nb_network_init(work->plan, work->flows, index, network, err));
    if (simulate_ends_itself(work->plan))
        return simulate_all(work, network, err);
    if (work->plan->warm_up == NB_WARM_UP_FOUND)
        NB_TRY(simulate_warm_up(work, network, err));
    else
        NB_TRY(simulate_cycles(work, network, work->plan->warm_up, err));
    NB_TRY(nb_measure_begin(network, work->cycles, work->batches, err));
    NB_TRY(simulate_cycles(work, network, work->cycles, err));
done:
    return status;
}

static enum nb_status simulate_extend(void *context, int thread, size_t index,
                                      struct nb_error *err)
{
    struct simulate_work *work = context;
    struct nb_network *network = &work->networks[index];
    enum nb_status status = NB_OK;
    (void)thread;
    NB_TRY(nb_measure_begin(network, work->cycles, work->batches, err));
    NB_TRY(simulate_cycles(work, network, work->cycles, err));
done:
    return status;
}

/* Goes on, at most as long again, until what was measured has arrived. */
static enum nb_status simulate_drain(void *context, int thread, size_t index,
                                     struct nb_error *err)
{
    struct simulate_work *work = context;
    struct nb_network *network = &work->networks[index];
    const uint64_t start = network->cycle;
    const uint64_t most =
        start + (network->measure.end - network->measure.start);
    uint64_t foreseen = work->cycles / 8;
    enum nb_status status = NB_OK;
    (void)thread;
    while (network->measure.alive > 0 && network->cycle < most &&
           !network->is_full && status == NB_OK) {
        if (network->cycle - start >= foreseen)
            simulate_foresee(work, 2 * (network->cycle - start), &foreseen);
        status = simulate_cycles(work, network, 1, err);
    }
    return status;
}

/* Runs a task for every replication; progress is told by the cycles. */
static enum nb_status
simulate_tasks(struct simulate_work *work, uint64_t cycles,
               enum nb_status (*task)(void *, int, size_t, struct nb_error *),
               struct nb_error *err)
{
    struct nb_run run = work->run != NULL ? *work->run : (struct nb_run){ 0 };
    run.progress = NULL;
    work->done = 0;
    work->total = cycles * work->plan->replications;
    simulate_report(work, 0);
    return nb_run_tasks(&run, "cycles", work->plan->replications, task, work,
                        err);
}

static bool simulate_is_full(const struct simulate_work *work)
{
    bool is_full = false;
    for (size_t i = 0; i < work->plan->replications; i++)
        is_full = is_full || work->networks[i].is_full;
    return is_full;
}

/* Measures on until the mean latency is known as well as wished. */
static enum nb_status simulate_sharpen(struct simulate_work *work,
                                       struct nb_error *err)
{
    const struct nb_simulation *plan = work->plan;
    uint64_t measured = work->cycles;
    enum nb_status status = NB_OK;
    while (plan->precision > 0 && status == NB_OK &&
           2 * measured <= plan->most_cycles && !simulate_is_full(work) &&
           !(nb_summary_precision(work->networks, plan->replications) <=
             plan->precision)) {
        work->cycles = measured;
        work->batches = work->networks[0].measure.batch_count;
        status = simulate_tasks(work, measured, simulate_extend, err);
        measured *= 2;
    }
    return status;
}

enum nb_status nb_simulate(const struct nb_simulation *plan,
                           const struct nb_run *run,
                           struct nb_simulation_result *out,
                           struct nb_error *err)
{
    struct nb_flows flows = { 0 };
    struct simulate_work work = {
        .plan = plan,
        .run = run,
        .flows = &flows,
        .cycles = (plan->cycles + NB_BATCHES - 1) / NB_BATCHES * NB_BATCHES,
        .batches = NB_BATCHES,
    };
    enum nb_status status = NB_OK;
    *out = (struct nb_simulation_result){ 0 };
    NB_TRY(nb_simulation_check(plan, err));
    NB_TRY(nb_flows_build(plan, &flows, err));
    NB_TRY(nb_new(&work.networks, plan->replications, sizeof *work.networks,
                  "replications", err));
    NB_TRY(simulate_tasks(&work, work.cycles + work.cycles / 8, simulate_start,
                          err));
    if (!simulate_ends_itself(plan)) {
        NB_TRY(simulate_sharpen(&work, err));
        if (plan->is_drained)
            NB_TRY(simulate_tasks(&work, work.cycles / 8, simulate_drain, err));
    }
    NB_TRY(nb_summary_find(work.networks, plan->replications, out, err));
done:
    for (size_t i = 0; i < plan->replications && work.networks != NULL; i++)
        nb_network_release(&work.networks[i]);
    nb_delete(work.networks);
    nb_flows_release(&flows);
    if (status != NB_OK)
        nb_simulation_result_release(out);
    return status;
}
