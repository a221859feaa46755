/* The checks loads and saturation: the utilisation of every channel, and the
 * largest rate at which a network is stable (declared in validate.h). */
#include "questions/validate/validate.h"

#include "core/locale.h"
#include "core/memory.h"
#include "core/twofold.h"
#include "load/pair_loads.h"

#include <math.h>
#include <stdio.h>

/* From the issue: the limit is reached within 2 %. */
#define SATURATION_TOLERANCE 0.02
/* The load at which accepted traffic is compared with its bound, relative to
 * the limit. */
#define SATURATION_BEYOND 1.2
/* An undecided rate is tried again with LONGER times the cycles, up to AGAIN
 * times. */
enum { SATURATION_LONGER = 4, SATURATION_AGAIN = 2 };
/* From the issue: utilisations within 1 %. */
#define LOADS_TOLERANCE 0.01
/* Probability that the interval of any channel misses, and the least number of
 * batches in a replication. */
#define LOADS_LEVEL 0.05
enum { LOADS_BATCHES = 32 };
/* Default cycles: enough for the counts of the least loaded channel to resolve
 * the tolerance, but at most this many flits. */
#define LOADS_WORK 3e8

struct loads_work {
    size_t count;                  /* channels, then those to terminals */
    struct nb_enclosure *expected; /* [count] [flit/cycle] */
    double widening; /* of a single interval, so that all hold together */
    double tolerance;
};

static enum nb_status loads_expect(const struct nb_validate_answer *answer,
                                   struct loads_work *work,
                                   struct nb_error *err)
{
    const struct nb_channel_loads *loads = &answer->loads;
    const struct nb_problem *problem = &answer->simulation.problem;
    const size_t channels = loads->channel_count;
    enum nb_status status;
    work->count = nb_queue_count(&problem->topology);
    NB_TRY(nb_new(&work->expected, work->count, sizeof *work->expected,
                  "channels", err));
    for (size_t c = 0; c < channels; c++)
        work->expected[c] = loads->load[c];
    if (work->count > channels)
        NB_TRY(nb_traffic_terminal_rates(&problem->traffic, &problem->topology,
                                         NULL, work->expected + channels, err));
    for (size_t q = 0; q < work->count; q++)
        work->expected[q] =
            nb_enclosure_multiply(work->expected[q], answer->simulation.load);
    work->widening =
        nb_t_quantile(1 - LOADS_LEVEL / (double)work->count, LOADS_BATCHES) /
        nb_t_quantile(1 - LOADS_LEVEL, LOADS_BATCHES);
    work->tolerance = nb_validation_tolerance(answer, LOADS_TOLERANCE);
done:
    return status;
}

/* Sets the number of cycles, unless it is given. */
static void loads_set_cycles(struct nb_validate_answer *answer,
                             const struct loads_work *work)
{
    struct nb_simulation *plan = &answer->simulation.plan;
    double least = INFINITY, all = 0;
    for (size_t q = 0; q < work->count; q++) {
        const double load = work->expected[q].lower;
        all += load;
        if (load > 0 && load < least)
            least = load;
    }
    if (answer->simulation.request.cycles > 0 || answer->has_result ||
        isinf(least))
        return;
    const double wide =
        nb_t_quantile(1 - LOADS_LEVEL / (double)work->count, LOADS_BATCHES) /
        work->tolerance;
    const double cycles =
        fmin(wide * wide / least, LOADS_WORK / all) / plan->replications;
    if (cycles > (double)plan->cycles)
        plan->cycles = (uint64_t)cycles;
}

/* One channel, named by its ends. */
static struct nb_validation_item
loads_item(const struct nb_validate_answer *answer,
           const struct loads_work *work, size_t queue)
{
    const struct nb_topology *topology = &answer->simulation.problem.topology;
    const size_t channels = topology->channel_count;
    const struct nb_ratio bandwidth = queue < channels
                                          ? topology->channels[queue].bandwidth
                                          : topology->terminal_bandwidth;
    struct nb_estimate simulated = answer->simulation.result.utilisation[queue];
    simulated.half_width *= work->widening;
    struct nb_validation_item item = {
        .kind = NB_VALIDATE_EXACT,
        .predicted = nb_validation_predicted(work->expected[queue]),
        .simulated = nb_interval_of(simulated, nb_ratio_value(bandwidth)),
        .tolerance = work->tolerance,
    };
    if (queue < channels)
        snprintf(item.name, sizeof item.name, "%u>%u",
                 topology->channels[queue].source,
                 topology->channels[queue].target);
    else
        snprintf(item.name, sizeof item.name, "terminal %zu", queue - channels);
    return item;
}

/* Compares by verdict, then by error. */
static bool loads_is_worse(const struct nb_validation_item *item,
                           const struct nb_validation_item *than)
{
    const int worse =
        (int)nb_validation_judge(item) - (int)nb_validation_judge(than);
    return worse > 0 || (worse == 0 && fabs(nb_validation_error(item)) >
                                           fabs(nb_validation_error(than)));
}

/* Adds the channels and, as items, the most loaded one and the worst. */
static void loads_add(struct nb_validate_answer *answer,
                      const struct loads_work *work)
{
    struct nb_validation_item worst = loads_item(answer, work, 0), most = worst;
    size_t worst_queue = 0, most_queue = 0;
    for (size_t q = 0; q < work->count; q++) {
        const struct nb_validation_item item = loads_item(answer, work, q);
        nb_validation_append(answer, &answer->channels, &item);
        if (loads_is_worse(&item, &worst)) {
            worst = item;
            worst_queue = q;
        }
        if (item.predicted.value > most.predicted.value) {
            most = item;
            most_queue = q;
        }
    }
    snprintf(most.name, sizeof most.name, "utilisation, most loaded (%zu)",
             most_queue);
    snprintf(worst.name, sizeof worst.name,
             "utilisation, worst of %zu channels (%zu)", work->count,
             worst_queue);
    nb_validation_append(answer, &answer->items, &most);
    nb_validation_append(answer, &answer->items, &worst);
    const double error = fabs(nb_validation_error(&worst));
    nb_validation_add_quantity(answer, "max_channel_utilisation",
                               most.simulated, "flits/cycle");
    nb_validation_add_quantity(answer, "utilisation_error",
                               (struct nb_interval){ error, error, error },
                               "1");
}

enum nb_status nb_validate_loads(struct nb_validate_answer *answer,
                                 const struct nb_run *run, struct nb_error *err)
{
    struct loads_work work = { 0 };
    enum nb_status status;
    if (nb_enclosure_compare(answer->simulation.load, answer->limit) >= 0) {
        answer->leaves_loads = true;
        return NB_OK;
    }
    NB_TRY(loads_expect(answer, &work, err));
    loads_set_cycles(answer, &work);
    NB_TRY(nb_validation_simulate(answer, run, err));
    if (work.count > 0)
        loads_add(answer, &work);
done:
    nb_delete(work.expected);
    return status;
}

/* Simulates at another rate. load: [flit/cycle/terminal] */
enum nb_status nb_validation_try(const struct nb_validate_answer *answer,
                                 const struct nb_run *run, double load,
                                 struct nb_simulation_result *out,
                                 struct nb_error *err)
{
    struct nb_simulation plan = answer->simulation.plan;
    enum nb_status status = NB_OK;
    plan.injection.rate = load / (double)plan.injection.flits;
    plan.is_drained = plan.has_depths = plan.has_reorder = false;
    plan.precision = 0;
    plan.cycles = answer->cycles;
    for (int i = 0; i <= SATURATION_AGAIN && status == NB_OK; i++) {
        nb_simulation_result_release(out);
        status = nb_simulate(&plan, run, out, err);
        plan.cycles *= SATURATION_LONGER;
        if (out->stability != NB_UNDECIDED)
            break;
    }
    return status;
}

/* Whether the sources can send this load. */
bool nb_validation_can_send(const struct nb_validate_answer *answer,
                            double load)
{
    const struct nb_simulate_answer *simulation = &answer->simulation;
    return load / (double)simulation->plan.injection.flits <=
           simulation->most_rate;
}

/* Adds the limit, between a stable rate and a saturated one. */
static void saturation_add_limit(struct nb_validate_answer *answer,
                                 const double load[2],
                                 const enum nb_stability stability[2])
{
    double lower = 0, upper = INFINITY;
    for (int i = 1; i >= 0; i--)
        if (stability[i] == NB_SATURATED)
            upper = load[i];
    for (int i = 0; i < 2; i++)
        if (stability[i] == NB_STABLE)
            lower = load[i];
    struct nb_interval limit = nb_validation_predicted(answer->limit);
    const struct nb_interval found = { isinf(upper) ? lower
                                                    : lower / 2 + upper / 2,
                                       lower, upper };
    answer->tested[0] = load[0];
    answer->tested[1] = load[1];
    /* The prediction is confirmed if both rates were decided as expected. Only
     * the ideal router has to reach it. */
    if (answer->simulation.plan.router.model == NB_ROUTER_IDEAL)
        nb_validation_add(answer, "saturation", NB_VALIDATE_EXACT, limit, found,
                          lower == load[0] && upper == load[1] ? INFINITY : 0);
    limit.lower = -INFINITY;
    nb_validation_add(answer, "largest rate called stable", NB_VALIDATE_BOUND,
                      limit, (struct nb_interval){ lower, lower, lower }, 0);
    nb_validation_add_quantity(answer, "saturation", found,
                               "flits/cycle/terminal");
}

/* The traffic at rate 1 of all pairs that may cross the channel. */
static enum nb_status saturation_find_users(const struct nb_problem *problem,
                                            const struct nb_pair_loads *pairs,
                                            double *users, struct nb_error *err)
{
    const struct nb_topology *topology = &problem->topology;
    const size_t n = topology->router_count;
    uint64_t *rate = NULL;
    uint32_t *endpoint = NULL;
    nb_int128 sum = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&rate, n, sizeof *rate, "rates", err));
    NB_TRY(nb_new(&endpoint, n, sizeof *endpoint, "endpoints", err));
    const size_t count = nb_endpoints(topology, endpoint);
    for (size_t j = 0; j < count; j++) {
        NB_TRY(nb_traffic_column(&problem->traffic, topology, endpoint[j], rate,
                                 err));
        for (size_t i = 0; i < count; i++)
            if (nb_pair_load_value(pairs, i, j) > 0)
                sum += rate[endpoint[i]];
    }
    *users = nb_twofold_divide(nb_twofold_of(sum),
                               nb_twofold_of(problem->traffic.denominator))
                 .high;
done:
    nb_delete(endpoint);
    nb_delete(rate);
    return status;
}

/*
 * Bounds what every pair can have accepted at a load r beyond the limit. Of the
 * flits for the most loaded channel, r gamma, only b pass. The rest is missing
 * from the pairs that may cross the channel, which send r Lambda. A packet
 * crosses the channel at most once in each phase, so the missing traffic of the
 * pairs is at least the rest over the phases:
 *
 *     accepted_min <= r - (r gamma - b) / (Lambda phases).
 *
 * That is the limit itself, b / gamma, where all these packets cross it once.
 */
static enum nb_status saturation_bound(const struct nb_validate_answer *answer,
                                       const struct nb_run *run, double load,
                                       double *bound, struct nb_error *err)
{
    const struct nb_problem *problem = &answer->simulation.problem;
    const uint32_t worst = answer->loads.worst_channel;
    const double limit = answer->channel_limit.upper;
    const double terminals = answer->limit.upper;
    const double phases = problem->routing.phase != NULL ? 2 : 1;
    struct nb_pair_loads pairs = { 0 };
    double users = 0;
    enum nb_status status = NB_OK;
    *bound = load;
    if (load > limit) {
        NB_TRY(
            nb_pair_loads_find(&problem->routing, 1, &worst, run, &pairs, err));
        NB_TRY(saturation_find_users(problem, &pairs, &users, err));
        *bound = load - (load / limit - 1) *
                            nb_ratio_value(
                                problem->topology.channels[worst].bandwidth) /
                            (users * phases);
    }
    /* All packets to a terminal cross its channel. */
    if (terminals < limit)
        *bound = fmin(*bound, terminals);
done:
    nb_pair_loads_release(&pairs);
    return status;
}

static enum nb_status saturation_beyond(struct nb_validate_answer *answer,
                                        const struct nb_run *run,
                                        struct nb_error *err)
{
    const double load =
        SATURATION_BEYOND * nb_validation_predicted(answer->limit).value;
    struct nb_simulation_result result = { 0 };
    double bound;
    char name[80];
    enum nb_status status = NB_OK;
    if (!nb_validation_can_send(answer, load))
        return NB_OK;
    NB_TRY(saturation_bound(answer, run, load, &bound, err));
    NB_TRY(nb_validation_try(answer, run, load, &result, err));
    nb_snprintf(name, sizeof name, "accepted_throughput_min at %g of the limit",
                SATURATION_BEYOND);
    nb_validation_add(answer, name, NB_VALIDATE_BOUND,
                      (struct nb_interval){ bound, -INFINITY, bound },
                      nb_interval_scale(result.least, load), 0);
done:
    nb_simulation_result_release(&result);
    return status;
}

enum nb_status nb_validate_saturation(struct nb_validate_answer *answer,
                                      const struct nb_run *run,
                                      struct nb_error *err)
{
    const double tolerance =
        nb_validation_tolerance(answer, SATURATION_TOLERANCE);
    const double limit = nb_validation_predicted(answer->limit).value;
    const double load[2] = { (1 - tolerance) * limit, (1 + tolerance) * limit };
    struct nb_simulation_result result[2] = { 0 };
    char name[80];
    enum nb_status status = NB_OK;
    if (isinf(answer->limit.upper) ||
        !nb_validation_can_send(answer, load[1])) {
        answer->leaves_saturation = true;
        return NB_OK;
    }
    for (int i = 0; i < 2; i++)
        NB_TRY(nb_validation_try(answer, run, load[i], &result[i], err));
    const enum nb_stability stability[2] = { result[0].stability,
                                             result[1].stability };
    saturation_add_limit(answer, load, stability);
    nb_snprintf(name, sizeof name, "accepted_throughput at %g of the limit",
                1 - tolerance);
    /* Terminals may send less than the load, or nothing. */
    const double mean =
        isinf(result[0].demanded) ? load[0] : result[0].demanded;
    if (answer->simulation.plan.router.model == NB_ROUTER_IDEAL)
        nb_validation_add(
            answer, name, NB_VALIDATE_EXACT,
            (struct nb_interval){ mean, mean, mean },
            nb_interval_of(result[0].accepted, result[0].demanded), tolerance);
    NB_TRY(saturation_beyond(answer, run, err));
done:
    for (int i = 0; i < 2; i++)
        nb_simulation_result_release(&result[i]);
    return status;
}
