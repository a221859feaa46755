#include "questions/latency/latency_percentiles.h"

#include "core/memory.h"
#include "queueing/arrivals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares and loads that differ by less count as equal. */
#define WAITS_ALIKE 1e-12
/* Denominator of inputs' shares as ratios. */
#define WAITS_UNIT 0x1p30

/* A queue, and where its inputs are found. */
struct waits_queue {
    uint32_t cycles; /* of a hop without waiting; the same, as load and
                      * factor, for equal queues */
    double load, factor;
    size_t queue, channel;
    uint32_t router;
};

/* The different distributions of waits. */
struct waits {
    const struct nb_latency_answer *answer;
    struct nb_turn_flows flows; /* of the inputs; empty: not known */
    struct waits_queue *queues; /* [queue] by load */
    struct nb_distribution *wait;
    uint32_t *hop_cycles; /* [wait] */
    size_t count;
    uint32_t *of_queue;   /* [queue] */
    double *input, *last; /* shares of a queue, and of the previous one */
    size_t input_count, last_count;
    struct nb_ratio *share;
};

static int waits_compare(const void *a, const void *b)
{
    const struct waits_queue *one = a, *other = b;
    if (one->cycles != other->cycles)
        return one->cycles < other->cycles ? -1 : 1;
    if (one->load != other->load)
        return one->load < other->load ? -1 : 1;
    return (one->factor > other->factor) - (one->factor < other->factor);
}

static int waits_compare_shares(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one < other) - (one > other);
}

static void waits_list_queues(struct waits *waits)
{
    const struct nb_latency_answer *answer = waits->answer;
    const struct nb_topology *topology = &answer->problem.topology;
    const struct nb_latency_queues *queues = &answer->queues;
    /* whole: percentiles_check */
    const uint32_t hop_cycles = (uint32_t)answer->hop_cycles.numerator;
    size_t next = queues->channel_count;
    for (size_t c = 0; c < queues->channel_count; c++)
        waits->queues[c] = (struct waits_queue){
            .cycles = nb_channel_is_global(topology, (uint32_t)c)
                          ? (uint32_t)answer->global_cycles.numerator
                          : hop_cycles,
            .queue = c,
            .channel = c,
            .router = topology->channels[c].source,
        };
    for (uint32_t r = 0;
         r < topology->router_count && queues->terminal_count > 0; r++)
        for (uint32_t t = 0; t < topology->terminals[r]; t++, next++)
            waits->queues[next] =
                (struct waits_queue){ .cycles = hop_cycles,
                                      .queue = next,
                                      .channel = queues->channel_count + r,
                                      .router = r };
    for (size_t q = 0; q < next; q++) {
        const struct nb_bracket rho = answer->state[q].utilisation;
        waits->queues[q].load = rho.lower + (rho.upper - rho.lower) / 2;
        waits->queues[q].factor = queues->queue[q].delay_lower.factor;
    }
    qsort(waits->queues, next, sizeof *waits->queues, waits_compare);
}

/* Lists the shares of a queue's inputs, largest first, without zeros. */
static void waits_list_shares(struct waits *waits,
                              const struct waits_queue *queue)
{
    const struct nb_topology *topology = &waits->answer->problem.topology;
    double sum = 0;
    waits->input_count = 0;
    if (waits->answer->request.delay_model != NB_LATENCY_BERNOULLI)
        return;
    const size_t count = nb_latency_list_inputs(
        topology, waits->flows.flow != NULL ? &waits->flows : NULL,
        queue->channel, queue->router, waits->input);
    for (size_t i = 0; i < count; i++)
        sum += waits->input[i];
    for (size_t i = 0; i < count; i++)
        if (sum > 0 && waits->input[i] / sum >= 1 / WAITS_UNIT)
            waits->input[waits->input_count++] = waits->input[i] / sum;
    qsort(waits->input, waits->input_count, sizeof *waits->input,
          waits_compare_shares);
}

/* Whether the queue equals the previous one. */
static bool waits_is_alike(const struct waits *waits, size_t place)
{
    const struct waits_queue *queue = &waits->queues[place];
    if (place == 0 || queue->cycles != queue[-1].cycles ||
        waits->input_count != waits->last_count ||
        queue->load > queue[-1].load * (1 + WAITS_ALIKE))
        return false;
    for (size_t i = 0; i < waits->input_count; i++)
        if (fabs(waits->input[i] - waits->last[i]) > WAITS_ALIKE)
            return false;
    return true;
}

/* Adds the wait at a slotted queue, fed by Poisson batches, whose mean wait is
 * that of M/D/1, or by independent inputs. */
static enum nb_status waits_add(struct waits *waits, double load,
                                uint32_t cycles, struct nb_error *err)
{
    struct nb_distribution *out = &waits->wait[waits->count];
    struct nb_distribution queue = { 0 };
    struct nb_arrivals arrivals = { .kind = NB_ARRIVE_POISSON };
    enum nb_status status = NB_OK;
    waits->hop_cycles[waits->count++] = cycles;
    if (load >= 1) /* its wait is infinite, an empty distribution */
        return NB_OK;
    if (load < 1e-15) /* no packets arrive */
        return nb_distribution_single(nb_load_of_ratio(nb_ratio_zero), out,
                                      err);
    for (size_t i = 0; i < waits->input_count; i++)
        waits->share[i] = nb_ratio_make(
            (nb_int128)(waits->input[i] * WAITS_UNIT), (nb_int128)WAITS_UNIT);
    if (waits->answer->request.delay_model == NB_LATENCY_BERNOULLI)
        arrivals =
            (struct nb_arrivals){ .probabilities = waits->share,
                                  .probability_count = waits->input_count };
    NB_TRY(nb_arrivals_law(&arrivals, nb_load_of_value(load), &queue, err));
    NB_TRY(nb_distribution_wait(&queue, out, err));
done:
    nb_distribution_release(&queue);
    return status;
}

static enum nb_status waits_init(struct waits *waits, const struct nb_run *run,
                                 struct nb_error *err)
{
    const struct nb_problem *problem = &waits->answer->problem;
    const struct nb_topology *topology = &problem->topology;
    const struct nb_routing *routing = nb_route_alike(&problem->routing);
    const size_t inputs = topology->channel_count + topology->terminal_count;
    const size_t queues = waits->answer->queues.channel_count +
                          waits->answer->queues.terminal_count;
    const char *what = "waits";
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&waits->queues, queues, sizeof *waits->queues, what, err));
    NB_TRY(nb_new(&waits->wait, queues, sizeof *waits->wait, what, err));
    NB_TRY(nb_new(&waits->hop_cycles, queues, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&waits->of_queue, queues, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&waits->input, inputs, sizeof(double), what, err));
    NB_TRY(nb_new(&waits->last, inputs, sizeof(double), what, err));
    NB_TRY(nb_new(&waits->share, inputs, sizeof *waits->share, what, err));
    if (waits->answer->request.delay_model == NB_LATENCY_BERNOULLI &&
        nb_latency_knows_inputs(problem))
        NB_TRY(nb_turn_flows_find(routing, &problem->traffic, run,
                                  &waits->flows, err));
done:
    return status;
}

static void waits_release(struct waits *waits)
{
    for (size_t w = 0; w < waits->count; w++)
        nb_distribution_release(&waits->wait[w]);
    nb_turn_flows_release(&waits->flows);
    nb_delete(waits->queues);
    nb_delete(waits->wait);
    nb_delete(waits->hop_cycles);
    nb_delete(waits->of_queue);
    nb_delete(waits->input);
    nb_delete(waits->last);
    nb_delete(waits->share);
}

static enum nb_status waits_find(struct waits *waits, const struct nb_run *run,
                                 struct nb_error *err)
{
    const size_t queues = waits->answer->queues.channel_count +
                          waits->answer->queues.terminal_count;
    enum nb_status status = NB_OK;
    NB_TRY(waits_init(waits, run, err));
    waits_list_queues(waits);
    for (size_t q = 0; q < queues; q++) {
        waits_list_shares(waits, &waits->queues[q]);
        if (!waits_is_alike(waits, q))
            NB_TRY(waits_add(waits, waits->queues[q].load,
                             waits->queues[q].cycles, err));
        waits->of_queue[waits->queues[q].queue] = (uint32_t)waits->count - 1;
        waits->last_count = waits->input_count;
        memcpy(waits->last, waits->input,
               waits->input_count * sizeof *waits->input);
    }
done:
    return status;
}

static enum nb_status percentiles_check(const struct nb_latency_answer *answer,
                                        struct nb_error *err)
{
    if (answer->request.delay_model == NB_LATENCY_SINGH)
        return nb_fail(err, NB_USAGE,
                       "--percentiles is not permitted with --delay-model "
                       "singh, which gives only a mean (permitted: "
                       "pollaczek-khinchine, bernoulli)");
    if (answer->request.delay_model == NB_LATENCY_BERNOULLI &&
        (answer->flits > 1 || answer->rate.upper > 1))
        return nb_fail(err, NB_INVALID,
                       "--percentiles with --delay-model bernoulli is "
                       "permitted only for packets of 1 flit at rates up to 1 "
                       "packet/cycle (or with another --delay-model)");
    if (answer->hop_cycles.denominator != 1 ||
        answer->global_cycles.denominator != 1)
        return nb_fail(err, NB_INVALID,
                       "--percentiles is not permitted where a hop does not "
                       "take whole cycles (permitted: whole sums of --pipeline "
                       "and each latency)");
    if (!nb_latency_is_slotted(answer))
        return nb_fail(
            err, NB_INVALID,
            "--percentiles is not permitted over channels of bandwidths other "
            "than 1 (permitted: 1, a packet takes one cycle)");
    return NB_OK;
}

enum nb_status nb_latency_find_percentiles(const struct nb_run *run,
                                           struct nb_latency_answer *answer,
                                           struct nb_error *err)
{
    struct waits waits = { .answer = answer };
    enum nb_status status = NB_OK;
    NB_TRY(percentiles_check(answer, err));
    NB_TRY(waits_find(&waits, run, err));
    const struct nb_path_waits request = {
        .routing = nb_route_alike(&answer->problem.routing),
        .traffic = &answer->problem.traffic,
        .flits = answer->flits,
        .count = waits.count,
        .wait = waits.wait,
        .hop_cycles = waits.hop_cycles,
        .of_channel = waits.of_queue,
        .of_terminal = answer->queues.terminal_count > 0
                           ? waits.of_queue + answer->queues.channel_count
                           : NULL,
    };
    NB_TRY(nb_path_latency_find(&request, run, &answer->paths, err));
done:
    waits_release(&waits);
    return status;
}

const struct nb_table_kind nb_latency_ccdf = NB_TABLE(
    "ccdf", "latency [cycles],probability:number,lower:number,upper:number");

/* P(D >= d) from the least d until no probability is left. */
static void percentiles_add_ccdf(const struct nb_path_latency *paths,
                                 struct nb_point *out)
{
    const size_t table = nb_table_start(out, &nb_latency_ccdf);
    double below = 0;
    for (size_t n = 0; n < paths->count; n++) {
        const double tail = fmax(1 - below, 0);
        if (below > 0 && tail <= paths->lost)
            break;
        if (paths->mass[n] > paths->lost || below > 0)
            NB_ROW(out, table, n, tail, fmax(tail - paths->lost, 0),
                   fmin(tail + paths->lost, 1));
        below += paths->mass[n];
    }
}

/* Says how many packets cross a saturated channel. */
static void percentiles_note_saturated(const struct nb_path_latency *paths,
                                       struct nb_point *out)
{
    double sum = 0;
    for (size_t n = 0; n < paths->count; n++)
        sum += paths->mass[n];
    if (1 - sum > paths->lost)
        nb_point_note(out, "saturated_packets",
                      "%.4g of the packets cross a saturated channel and have "
                      "no finite latency; at the channels after it the full "
                      "rate is assumed to arrive",
                      1 - sum);
}

void nb_latency_report_percentiles(const struct nb_latency_answer *answer,
                                   struct nb_point *out)
{
    static const struct {
        const char *name;
        double share;
    } shares[] = { { "latency_p50", 0.5 },
                   { "latency_p90", 0.9 },
                   { "latency_p99", 0.99 },
                   { "latency_p999", 0.999 } };
    static const char method[] = "convolution of slotted queues' waits along "
                                 "all paths, weighted";
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        const struct nb_bracket found =
            nb_path_latency_quantile(&answer->paths, shares[i].share);
        const bool is_saturated = isinf(found.lower);
        nb_point_add_enclosure(out, shares[i].name,
                               is_saturated ? nb_enclosure_of_bracket(found)
                                            : nb_enclosure_of_count(found),
                               "cycles", is_saturated ? "saturated" : method,
                               is_saturated ? "" : answer->queues.source);
    }
    percentiles_note_saturated(&answer->paths, out);
    nb_point_add_note(
        out, "percentiles",
        answer->request.delay_model == NB_LATENCY_BERNOULLI
            ? "the waits at the queues of a path are assumed "
              "independent; each is that of a slotted queue fed "
              "by its inputs"
            : "the waits at the queues of a path are assumed independent; each "
              "is that of a slotted queue with Poisson arrivals in every slot, "
              "whose mean wait is that of M/D/1");
    if (answer->flits > 1)
        nb_point_add_note(out, "slots",
                          "a packet of several flits waits in slots as long "
                          "as its flits take, so waits are multiples of a "
                          "slot");
    percentiles_add_ccdf(&answer->paths, out);
}
