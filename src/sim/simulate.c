/* Replications: warmed up, measured, extended and drained together. */
#include "sim/network.h"
#include "sim/summary.h"

#include "core/deal.h"
#include "core/memory.h"

#include <math.h>
#include <stdatomic.h>

enum {
    SIMULATE_BLOCKS = 64,   /* of a warm-up whose length is found */
    SIMULATE_BLOCK = 32,    /* [cycle] of the first ones */
    SIMULATE_REPORT = 1024, /* [cycle] between reports of progress */
    SIMULATE_LEAST = 512,   /* [cycle] minimum between checks */
    SIMULATE_LOOKS = 8,     /* maximum number of checks for certainty */
};

/* Standard errors by which packets under way have to grow for the warm-up to
 * end: this decides how long is measured, not the results. */
#define SIMULATE_GROWTH 6.0

#define SIMULATE_SPARE 1.25 /* factor on the growth for which there is room */

struct simulate_work;

/* What is done to all replications before they are evaluated together. */
struct simulate_phase {
    enum nb_status (*task)(struct simulate_work *work,
                           const struct simulate_phase *phase, size_t index,
                           struct nb_error *err);
    uint64_t cycles; /* to be measured in it */
    size_t batches;  /* in this number of batches */
};

struct simulate_work {
    const struct nb_simulation *plan;
    const struct nb_run *run;
    const struct nb_flows *flows;
    struct nb_network *networks; /* [replications] */
    bool *is_growing;            /* [replications] while it warmed up */
    size_t *passed;              /* [replications] phases done here */
    struct simulate_phase *phases;
    size_t phase_count;  /* so far, including the current one */
    uint64_t cycles;     /* to be measured now */
    size_t batches;      /* in this number of batches */
    uint64_t measured;   /* [cycle] */
    size_t done;         /* [cycle] of all replications */
    atomic_size_t total; /* the same, as far as foreseen */
};

/* Reports the total progress of all replications. */
static void simulate_report(struct simulate_work *work, size_t cycles)
{
    nb_run_report(work->run, "cycles", &work->done, cycles, work->total);
}

/* Adds cycles of a replication to those foreseen; otherwise progress would stay
 * at its end while the simulation goes on. */
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
        if (status == NB_OK)
            status = nb_run_check_stop(err);
        if (network->cycle % SIMULATE_REPORT == 0)
            simulate_report(work, SIMULATE_REPORT);
    }
    return status;
}

/* [cycle] A whole number of cycles of each batch, at least one. */
static uint64_t simulate_whole(double cycles)
{
    return (uint64_t)fmax(1, floor(cycles / NB_BATCHES)) * NB_BATCHES;
}

/* [cycle] What a replication will measure, as far as known before it begins. */
static uint64_t simulate_planned(const struct nb_simulation *plan)
{
    return (plan->cycles + NB_BATCHES - 1) / NB_BATCHES * NB_BATCHES;
}

/* [cycle] What is measured before checking whether it is enough. */
static uint64_t simulate_look(const struct simulate_work *work)
{
    const double first =
        fmax(SIMULATE_LEAST, (double)work->cycles / SIMULATE_LOOKS);
    return work->plan->end == NB_END_DECIDED && first < (double)work->cycles
               ? simulate_whole(first)
               : work->cycles;
}

/* The blocks of a warm-up. */
struct simulate_series {
    size_t count;
    double in_flight[SIMULATE_BLOCKS]; /* packets, mean */
    double arrived[SIMULATE_BLOCKS];   /* [flit/cycle] */
};

static enum nb_status simulate_block(struct simulate_work *work,
                                     struct nb_network *network,
                                     uint64_t length,
                                     struct simulate_series *series,
                                     struct nb_error *err)
{
    const uint64_t before = network->flits_out;
    enum nb_status status = NB_OK;
    double sum = 0;
    for (uint64_t c = 0; c < length && status == NB_OK; c++) {
        status = simulate_cycles(work, network, 1, err);
        sum += network->packets.count;
    }
    series->in_flight[series->count] = sum / (double)length;
    series->arrived[series->count++] =
        (double)(network->flits_out - before) / (double)length;
    return status;
}

/* Merges blocks in pairs. */
static void simulate_join(struct simulate_series *series)
{
    series->count /= 2;
    for (size_t i = 0; i < series->count; i++) {
        const double *in_flight = &series->in_flight[2 * i];
        const double *arrived = &series->arrived[2 * i];
        series->in_flight[i] = (in_flight[0] + in_flight[1]) / 2;
        series->arrived[i] = (arrived[0] + arrived[1]) / 2;
    }
}

/* Whether the packets under way grow in the later half of the time, and by more
 * than the square root of time: those of a critical queue grow like that, and a
 * stable network settles sooner. */
static bool simulate_is_growing(const struct simulate_series *series)
{
    const double *value = series->in_flight;
    const size_t half = series->count / 2, last = series->count - 1;
    const double later = value[last] - value[half - 1];
    const double excess = later - (sqrt(2) - 1) * value[half - 1];
    double squares = 0;
    for (size_t i = half; i <= last; i++) {
        const double error =
            value[i] - value[i - 1] - later / (double)(last - half + 1);
        squares += error * error;
    }
    return fmin(later, excess) > SIMULATE_GROWTH * sqrt(squares);
}

/* Whether there is no room for twice the packets under way. */
static bool simulate_is_filling(const struct nb_network *network)
{
    return network->packets.count > network->plan->packet_limit / 2;
}

/*
 * Runs until the packets under way show no transient any more, by MSER over
 * blocks whose length doubles. If the run may end early, it also stops when
 * they grow and arrivals show no transient: then the network is saturated.
 * Takes at least an eighth of the cycles measured, at most the same number.
 */
static enum nb_status simulate_warm_up(struct simulate_work *work,
                                       struct nb_network *network,
                                       bool *is_growing, struct nb_error *err)
{
    const uint64_t most = simulate_look(work), least = most / 8;
    struct simulate_series series = { 0 };
    uint64_t length = SIMULATE_BLOCK, foreseen = least;
    enum nb_status status = NB_OK;
    for (;;) {
        simulate_foresee(
            work, network->cycle + (SIMULATE_BLOCKS - series.count) * length,
            &foreseen);
        while (series.count < SIMULATE_BLOCKS && status == NB_OK &&
               !simulate_is_filling(network))
            status = simulate_block(work, network, length, &series, err);
        *is_growing =
            simulate_is_filling(network) ||
            (work->plan->end != NB_END_NEVER && simulate_is_growing(&series));
        if (status != NB_OK || simulate_is_filling(network) ||
            network->cycle >= most)
            return status;
        if (network->cycle >= least &&
            nb_mser_cut(*is_growing ? series.arrived : series.in_flight,
                        series.count) < series.count)
            return NB_OK;
        length *= 2;
        simulate_join(&series);
    }
}

/* Warms up for the number of cycles given, while there is room. */
static enum nb_status simulate_warm_for(struct simulate_work *work,
                                        struct nb_network *network,
                                        bool *is_growing, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    while (network->cycle < work->plan->warm_up && status == NB_OK &&
           !simulate_is_filling(network))
        status = simulate_cycles(work, network, 1, err);
    *is_growing = simulate_is_filling(network);
    return status;
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
    const uint64_t settling = nb_network_settling(network);
    const bool may_skip = work->plan->routing->kind->observe == NULL;
    uint64_t busy = network->cycle; /* the last cycle with packets */
    enum nb_status status = NB_OK;
    NB_TRY(nb_measure_begin(network, UINT64_MAX / 4, 1, err));
    do {
        const uint64_t next = nb_sources_next(&network->sources);
        if (may_skip && next != UINT64_MAX && network->packets.count == 0 &&
            network->cycle > busy + settling)
            nb_network_skip(network, next);
        if (network->packets.count > 0 || network->cycle >= next)
            busy = network->cycle;
        NB_TRY(simulate_cycles(work, network, 1, err));
    } while (!network->is_full && (!nb_sources_are_done(&network->sources) ||
                                   network->packets.count > 0));
    nb_measure_close(network);
done:
    return status;
}

static enum nb_status simulate_start(struct simulate_work *work,
                                     const struct simulate_phase *phase,
                                     size_t index, struct nb_error *err)
{
    struct nb_network *network = &work->networks[index];
    enum nb_status status = NB_OK;
    (void)phase;
    NB_TRY(nb_network_init(work->plan, work->flows, index, network, err));
    if (simulate_ends_itself(work->plan))
        return simulate_all(work, network, err);
    status =
        work->plan->warm_up == NB_WARM_UP_FOUND
            ? simulate_warm_up(work, network, &work->is_growing[index], err)
            : simulate_warm_for(work, network, &work->is_growing[index], err);
done:
    return status;
}

static enum nb_status simulate_measure(struct simulate_work *work,
                                       const struct simulate_phase *phase,
                                       size_t index, struct nb_error *err)
{
    struct nb_network *network = &work->networks[index];
    enum nb_status status = NB_OK;
    NB_TRY(nb_measure_begin(network, phase->cycles, phase->batches, err));
    NB_TRY(simulate_cycles(work, network, phase->cycles, err));
    if (network->is_full && network->measure.batch_count == 0)
        nb_measure_close(network); /* as far as it got */
done:
    return status;
}

/* Goes on until the measured packets have arrived, at most for the same time
 * again. */
static enum nb_status simulate_drain(struct simulate_work *work,
                                     const struct simulate_phase *phase,
                                     size_t index, struct nb_error *err)
{
    struct nb_network *network = &work->networks[index];
    const uint64_t start = network->cycle;
    const uint64_t most =
        start + (network->measure.end - network->measure.start);
    uint64_t foreseen = phase->cycles / 8;
    enum nb_status status = NB_OK;
    while (network->measure.alive > 0 && network->cycle < most &&
           !network->is_full && status == NB_OK) {
        if (network->cycle - start >= foreseen)
            simulate_foresee(work, 2 * (network->cycle - start), &foreseen);
        status = simulate_cycles(work, network, 1, err);
    }
    return status;
}

/* Does the current phase, and before it earlier ones that were done elsewhere:
 * by another rank, or in an earlier run. */
static enum nb_status simulate_pass(void *context, int thread, size_t index,
                                    struct nb_text *result,
                                    struct nb_error *err)
{
    struct simulate_work *work = context;
    size_t *passed = &work->passed[index];
    enum nb_status status = NB_OK;
    (void)thread;
    if (*passed == 0)
        nb_network_release(&work->networks[index]);
    for (; *passed < work->phase_count; ++*passed) {
        const struct simulate_phase *phase = &work->phases[*passed];
        NB_TRY(phase->task(work, phase, index, err));
    }
    nb_pack_whole(result, work->is_growing[index]);
    nb_network_pack(&work->networks[index], result);
done:
    return status;
}

/* Receives the result of a replication, unless it is here. */
static enum nb_status simulate_take(void *context, size_t index,
                                    struct nb_packed *result, bool *is_enough,
                                    struct nb_error *err)
{
    struct simulate_work *work = context;
    struct nb_network *network = &work->networks[index];
    const uint64_t before = network->cycle;
    enum nb_status status = NB_OK;
    (void)is_enough;
    if (work->passed[index] == work->phase_count) {
        result->at = result->end;
        return NB_OK;
    }
    if (work->passed[index] > 0)
        nb_network_release(network);
    work->passed[index] = 0;
    work->is_growing[index] = nb_unpack_whole(result) != 0;
    NB_TRY(nb_network_unpack(work->plan, work->flows, result, network, err));
    simulate_report(work, (size_t)(network->cycle - before));
done:
    return status;
}

/* Runs a task for every replication; progress is counted in cycles. */
static enum nb_status
simulate_tasks(struct simulate_work *work,
               enum nb_status (*task)(struct simulate_work *,
                                      const struct simulate_phase *, size_t,
                                      struct nb_error *),
               struct nb_error *err)
{
    const struct nb_tasks tasks = { .count = work->plan->replications,
                                    .way = NB_DEAL_HOME,
                                    .work = simulate_pass,
                                    .take = simulate_take,
                                    .context = work };
    enum nb_status status = NB_OK;
    NB_TRY(nb_grow_one(&work->phases, work->phase_count, sizeof *work->phases,
                       "replications", err));
    work->phases[work->phase_count++] =
        (struct simulate_phase){ task, work->cycles, work->batches };
    status = nb_deal_tasks(work->run, &tasks, err);
done:
    return status;
}

/* Restarts progress, with this number of cycles of a replication to come. */
static void simulate_expect(struct simulate_work *work, uint64_t cycles)
{
    work->done = 0;
    work->total = cycles * work->plan->replications;
    simulate_report(work, 0);
}

static bool simulate_is_full(const struct simulate_work *work)
{
    bool is_full = false;
    for (size_t i = 0; i < work->plan->replications; i++)
        is_full = is_full || work->networks[i].is_full;
    return is_full;
}

/* [cycle] that can be measured before the limit of packets under way is
 * reached, if they grow by a little more than they did so far. */
static uint64_t simulate_room(const struct simulate_work *work)
{
    double room = 0x1p62;
    for (size_t i = 0; i < work->plan->replications; i++) {
        const struct nb_network *network = &work->networks[i];
        const double packets = network->packets.count;
        const double free = (double)network->packets.capacity - packets;
        const double growth = packets / fmax(1, (double)network->cycle);
        room = fmin(room, free / growth / SIMULATE_SPARE); /* or infinite */
    }
    return (uint64_t)room;
}

/* [cycle] How much is measured first: all; but if the network filled up while
 * it warmed up, what may be enough and has room. */
static uint64_t simulate_first(const struct simulate_work *work)
{
    const uint64_t look = simulate_look(work), room = simulate_room(work);
    bool is_growing = false;
    for (size_t i = 0; i < work->plan->replications; i++)
        is_growing = is_growing || work->is_growing[i];
    if (!is_growing)
        return look;
    const uint64_t some = work->plan->end == NB_END_SATURATED
                              ? work->cycles / SIMULATE_LOOKS
                              : look;
    return simulate_whole((double)(some < room ? some : room));
}

/* Whether the measurement is enough, or more will not have room. */
static bool simulate_is_enough(const struct simulate_work *work, uint64_t all)
{
    const enum nb_end end = work->plan->end;
    const bool is_full = simulate_room(work) < work->cycles;
    const bool is_much = work->measured >= all / SIMULATE_LOOKS;
    const enum nb_stability stability = nb_summary_look(
        work->networks, work->plan->replications, SIMULATE_LOOKS);
    if (stability == NB_SATURATED)
        return is_full || end == NB_END_DECIDED ||
               (end == NB_END_SATURATED && is_much);
    return stability == NB_STABLE && end == NB_END_DECIDED;
}

/* Measures, doubling the time while it is less than all and not enough. */
static enum nb_status simulate_measure_all(struct simulate_work *work,
                                           struct nb_error *err)
{
    const uint64_t all = work->cycles, first = simulate_first(work);
    const uint64_t batch = first / NB_BATCHES;
    enum nb_status status = NB_OK;
    work->cycles = first;
    for (;;) {
        work->batches = (size_t)(work->cycles / batch);
        NB_TRY(simulate_tasks(work, simulate_measure, err));
        work->measured += work->cycles;
        /* At least what was requested; with NB_END_DECIDED at most. */
        const uint64_t least = work->plan->end == NB_END_DECIDED ? first : 1;
        if (work->measured + least > all || simulate_is_full(work))
            break;
        const uint64_t rest = (all - work->measured + first - least) / first;
        work->cycles =
            rest * first < work->measured ? rest * first : work->measured;
        if (simulate_is_enough(work, all))
            break;
    }
done:
    return status;
}

/* Measures on until the mean latency has the precision requested; a saturated
 * network has none. */
static enum nb_status simulate_sharpen(struct simulate_work *work,
                                       struct nb_error *err)
{
    const struct nb_simulation *plan = work->plan;
    enum nb_status status = NB_OK;
    while (plan->precision > 0 && status == NB_OK &&
           2 * work->measured <= plan->most_cycles && !simulate_is_full(work) &&
           nb_summary_look(work->networks, plan->replications,
                           SIMULATE_LOOKS) != NB_SATURATED &&
           !(nb_summary_precision(work->networks, plan->replications) <=
             plan->precision)) {
        work->cycles = work->measured;
        work->batches = work->networks[0].measure.batch_count;
        simulate_expect(work, work->cycles);
        status = simulate_tasks(work, simulate_measure, err);
        work->measured *= 2;
    }
    return status;
}

/* Starts, measures and drains all replications. */
static enum nb_status simulate_go(struct simulate_work *work,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    simulate_expect(work, work->cycles + work->cycles / 8);
    NB_TRY(simulate_tasks(work, simulate_start, err));
    if (simulate_ends_itself(work->plan))
        goto done;
    NB_TRY(simulate_measure_all(work, err));
    NB_TRY(simulate_sharpen(work, err));
    if (work->plan->is_drained) {
        simulate_expect(work, work->measured / 8);
        NB_TRY(simulate_tasks(work, simulate_drain, err));
    }
done:
    return status;
}

static enum nb_status simulate_open(const struct nb_simulation *plan,
                                    const struct nb_flows *flows,
                                    const struct nb_run *run,
                                    struct simulate_work *out,
                                    struct nb_error *err)
{
    const size_t count = plan->replications;
    const char *what = "replications";
    enum nb_status status = NB_OK;
    *out = (struct simulate_work){
        .plan = plan,
        .run = run,
        .flows = flows,
        .cycles = simulate_planned(plan),
        .batches = NB_BATCHES,
    };
    NB_TRY(nb_new(&out->networks, count, sizeof *out->networks, what, err));
    NB_TRY(nb_new(&out->is_growing, count, sizeof *out->is_growing, what, err));
    NB_TRY(nb_new(&out->passed, count, sizeof *out->passed, what, err));
done:
    return status;
}

static void simulate_close(struct simulate_work *work)
{
    for (size_t i = 0; i < work->plan->replications && work->networks != NULL;
         i++)
        nb_network_release(&work->networks[i]);
    nb_delete(work->networks);
    nb_delete(work->is_growing);
    nb_delete(work->passed);
    nb_delete(work->phases);
}

static enum nb_status simulate_find(const struct nb_network *networks,
                                    size_t count,
                                    struct nb_simulation_result *out,
                                    struct nb_error *err)
{
    out->planned = simulate_planned(networks[0].plan) * count;
    for (size_t i = 0; i < count; i++)
        out->is_full = out->is_full || networks[i].is_full;
    return nb_summary_find(networks, count, out, err);
}

enum nb_status nb_simulate(const struct nb_simulation *plan,
                           const struct nb_run *run,
                           struct nb_simulation_result *out,
                           struct nb_error *err)
{
    struct nb_flows flows = { 0 };
    struct simulate_work work = { .plan = plan };
    enum nb_status status = NB_OK;
    *out = (struct nb_simulation_result){ 0 };
    NB_TRY(nb_simulation_check(plan, err));
    NB_TRY(nb_flows_build(plan, &flows, err));
    NB_TRY(simulate_open(plan, &flows, run, &work, err));
    NB_TRY(simulate_go(&work, err));
    NB_TRY(simulate_find(work.networks, plan->replications, out, err));
done:
    simulate_close(&work);
    nb_flows_release(&flows);
    if (status != NB_OK)
        nb_simulation_result_release(out);
    return status;
}

struct simulate_each {
    const struct nb_simulation *plan;
    const struct nb_flows *flows;
    struct nb_simulation_result *results; /* [plan->replications] */
};

/* The plan of one replication by itself, with its own seed. */
static struct nb_simulation simulate_alone(const struct simulate_each *each,
                                           size_t index)
{
    struct nb_simulation plan = *each->plan;
    struct nb_random seeds;
    nb_random_init(&seeds, plan.seed, UINT64_MAX - index);
    plan.seed = nb_random_next(&seeds);
    plan.replications = 1;
    return plan;
}

static enum nb_status simulate_each_task(void *context, int thread,
                                         size_t index, struct nb_text *result,
                                         struct nb_error *err)
{
    const struct simulate_each *each = context;
    const struct nb_simulation plan = simulate_alone(each, index);
    struct simulate_work work;
    enum nb_status status;
    (void)thread;
    NB_TRY(simulate_open(&plan, each->flows, NULL, &work, err));
    NB_TRY(simulate_go(&work, err));
    nb_network_pack(&work.networks[0], result);
done:
    simulate_close(&work);
    return status;
}

static enum nb_status simulate_each_take(void *context, size_t index,
                                         struct nb_packed *result,
                                         bool *is_enough, struct nb_error *err)
{
    struct simulate_each *each = context;
    const struct nb_simulation plan = simulate_alone(each, index);
    struct nb_network network = { 0 };
    enum nb_status status;
    (void)is_enough;
    NB_TRY(nb_network_unpack(&plan, each->flows, result, &network, err));
    status = simulate_find(&network, 1, &each->results[index], err);
done:
    nb_network_release(&network);
    return status;
}

enum nb_status nb_simulate_each(const struct nb_simulation *plan,
                                const struct nb_run *run,
                                struct nb_simulation_result *out,
                                struct nb_error *err)
{
    struct nb_flows flows = { 0 };
    struct simulate_each each = { .plan = plan,
                                  .flows = &flows,
                                  .results = out };
    const struct nb_tasks tasks = { .what = "replications",
                                    .count = plan->replications,
                                    .work = simulate_each_task,
                                    .take = simulate_each_take,
                                    .context = &each };
    enum nb_status status;
    NB_TRY(nb_simulation_check(plan, err));
    NB_TRY(nb_flows_build(plan, &flows, err));
    status = nb_deal_tasks(run, &tasks, err);
done:
    nb_flows_release(&flows);
    return status;
}
