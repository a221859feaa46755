/* The check loads: what every channel carries (declared in validate.h). */
#include "questions/validate/validate.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>

/* The issue's own: utilisations within 1 %. */
#define LOADS_TOLERANCE 0.01
/* Chance that any of all channels' intervals misses, and the batches that a
 * replication has at least. */
#define LOADS_LEVEL 0.05
enum { LOADS_BATCHES = 32 };
/* Cycles unless given: so many that counts of the least loaded channel are
 * expected to tell the tolerance, but no more flits than this. */
#define LOADS_WORK 3e8

struct loads_work {
    size_t count;                  /* channels, then those to terminals */
    struct nb_enclosure *expected; /* [count] [flit/cycle] */
    double widening; /* of intervals of one, so that they hold for all */
    double tolerance;
};

/* What each of a router's terminals receives at rate 1. */
static enum nb_status loads_find_terminals(const struct nb_problem *problem,
                                           struct nb_enclosure *out,
                                           struct nb_error *err)
{
    const struct nb_topology *topology = &problem->topology;
    const struct nb_traffic *traffic = &problem->traffic;
    uint64_t *rate = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&rate, topology->router_count, sizeof *rate, "rates", err));
    for (uint32_t r = 0; r < topology->router_count; r++) {
        nb_int128 sum = 0;
        if (topology->terminals[r] == 0)
            continue;
        NB_TRY(nb_traffic_column(traffic, topology, r, rate, err));
        for (size_t i = 0; i < topology->router_count; i++)
            sum += (nb_int128)rate[i];
        const struct nb_ratio share = nb_ratio_make(
            sum, (nb_int128)traffic->denominator * topology->terminals[r]);
        if (!nb_ratio_is_known(share))
            NB_TRY(nb_fail(err, NB_OVERFLOW,
                           "what router %u receives is no ratio of 64 bits",
                           r));
        for (uint32_t t = 0; t < topology->terminals[r]; t++)
            *out++ = nb_enclosure_of_ratio(share);
    }
done:
    nb_delete(rate);
    return status;
}

static enum nb_status loads_expect(const struct nb_validation *validation,
                                   struct loads_work *work,
                                   struct nb_error *err)
{
    const struct nb_channel_loads *loads = &validation->loads;
    const struct nb_problem *problem = &validation->asked.problem;
    const size_t channels = loads->channel_count;
    enum nb_status status;
    work->count = nb_queue_count(&problem->topology);
    NB_TRY(nb_new(&work->expected, work->count, sizeof *work->expected,
                  "channels", err));
    for (size_t c = 0; c < channels; c++)
        work->expected[c] = loads->load[c];
    if (work->count > channels)
        NB_TRY(loads_find_terminals(problem, work->expected + channels, err));
    for (size_t q = 0; q < work->count; q++)
        work->expected[q] =
            nb_enclosure_multiply(work->expected[q], validation->asked.load);
    work->widening =
        nb_t_quantile(1 - LOADS_LEVEL / (double)work->count, LOADS_BATCHES) /
        nb_t_quantile(1 - LOADS_LEVEL, LOADS_BATCHES);
    work->tolerance = nb_validation_tolerance(validation, LOADS_TOLERANCE);
done:
    return status;
}

/* Sets as many cycles as it takes, unless they are given. */
static void loads_set_cycles(struct nb_validation *validation,
                             const struct loads_work *work)
{
    struct nb_simulation *plan = &validation->asked.plan;
    double least = INFINITY, all = 0;
    for (size_t q = 0; q < work->count; q++) {
        const double load = work->expected[q].lower;
        all += load;
        if (load > 0 && load < least)
            least = load;
    }
    if (nb_model_get(validation->question->model, "cycles") != NULL ||
        validation->has_result || isinf(least))
        return;
    const double wide =
        nb_t_quantile(1 - LOADS_LEVEL / (double)work->count, LOADS_BATCHES) /
        work->tolerance;
    const double cycles =
        fmin(wide * wide / least, LOADS_WORK / all) / plan->replications;
    if (cycles > (double)plan->cycles)
        plan->cycles = (uint64_t)cycles;
}

static struct nb_validation_item
loads_item(const struct nb_validation *validation,
           const struct loads_work *work, size_t queue)
{
    const struct nb_enclosure expected = work->expected[queue];
    const struct nb_topology *topology = &validation->asked.problem.topology;
    const struct nb_ratio bandwidth = queue < topology->channel_count
                                          ? topology->channels[queue].bandwidth
                                          : topology->terminal_bandwidth;
    struct nb_estimate simulated = validation->result.utilisation[queue];
    simulated.half_width *= work->widening;
    const struct nb_interval found =
        nb_interval_of(simulated, nb_ratio_value(bandwidth));
    return (struct nb_validation_item){
        .kind = NB_VALIDATE_EXACT,
        .prediction = nb_ratio_is_known(expected.exact)
                          ? nb_ratio_value(expected.exact)
                          : expected.lower / 2 + expected.upper / 2,
        .lower = expected.lower,
        .upper = expected.upper,
        .simulated = found.value,
        .simulated_lower = found.lower,
        .simulated_upper = found.upper,
        .tolerance = work->tolerance,
    };
}

static void loads_add_row(const struct nb_validation *validation, size_t queue,
                          const struct nb_validation_item *item, size_t table)
{
    const struct nb_topology *topology = &validation->asked.problem.topology;
    const size_t channels = topology->channel_count;
    struct nb_point *out = validation->out;
    char name[48];
    if (queue < channels)
        snprintf(name, sizeof name, "%u>%u", topology->channels[queue].source,
                 topology->channels[queue].target);
    else
        snprintf(name, sizeof name, "terminal %zu", queue - channels);
    nb_table_add_whole(out, table, (int64_t)queue);
    nb_table_add_text(out, table, name);
    nb_table_add_number(out, table, item->prediction);
    nb_table_add_number(out, table, item->simulated);
    nb_table_add_number(out, table, item->simulated_lower);
    nb_table_add_number(out, table, item->simulated_upper);
    nb_table_add_number(out, table, nb_validation_error(item));
    nb_table_add_text(out, table,
                      nb_validation_verdict_names[nb_validation_judge(item)]);
}

/* By the verdict, and among equal ones by the error. */
static bool loads_is_worse(const struct nb_validation_item *item,
                           const struct nb_validation_item *than)
{
    const int worse =
        (int)nb_validation_judge(item) - (int)nb_validation_judge(than);
    return worse > 0 || (worse == 0 && fabs(nb_validation_error(item)) >
                                           fabs(nb_validation_error(than)));
}

/* Two of all channels as items: the most loaded one and the worst. */
static void loads_add_items(struct nb_validation *validation,
                            const struct loads_work *work, size_t most,
                            size_t worst)
{
    struct nb_validation_item item = loads_item(validation, work, most);
    char name[80];
    snprintf(name, sizeof name, "utilisation, most loaded (%zu)", most);
    item.name = name;
    nb_validation_add(validation, &item);
    nb_validation_add_quantity(validation, "max_channel_utilisation",
                               item.simulated, item.simulated_lower,
                               item.simulated_upper, "flits/cycle");
    item = loads_item(validation, work, worst);
    snprintf(name, sizeof name, "utilisation, worst of %zu channels (%zu)",
             work->count, worst);
    item.name = name;
    nb_validation_add(validation, &item);
    const double error = fabs(nb_validation_error(&item));
    nb_validation_add_quantity(validation, "utilisation_error", error, error,
                               error, "1");
}

static void loads_add(struct nb_validation *validation,
                      const struct loads_work *work)
{
    const size_t table = nb_point_add_table(
        validation->out, "channels", false,
        "channel,way:text,predicted:number [flits/cycle],"
        "simulated:number [flits/cycle],lower:number [flits/cycle],"
        "upper:number [flits/cycle],error:number,verdict:text");
    struct nb_validation_item worst = loads_item(validation, work, 0);
    double most = worst.prediction;
    size_t worst_queue = 0, most_queue = 0;
    for (size_t q = 0; q < work->count; q++) {
        const struct nb_validation_item item = loads_item(validation, work, q);
        loads_add_row(validation, q, &item, table);
        if (loads_is_worse(&item, &worst)) {
            worst = item;
            worst_queue = q;
        }
        if (item.prediction > most) {
            most = item.prediction;
            most_queue = q;
        }
    }
    loads_add_items(validation, work, most_queue, worst_queue);
}

enum nb_status nb_validate_loads(struct nb_validation *validation,
                                 struct nb_error *err)
{
    struct loads_work work = { 0 };
    enum nb_status status;
    if (nb_enclosure_compare(validation->asked.load, validation->limit) >= 0) {
        nb_point_add_note(validation->out, "loads",
                          "not checked, as the network is saturated at this "
                          "load");
        return NB_OK;
    }
    NB_TRY(loads_expect(validation, &work, err));
    loads_set_cycles(validation, &work);
    NB_TRY(nb_validation_simulate(validation, err));
    if (work.count > 0)
        loads_add(validation, &work);
done:
    nb_delete(work.expected);
    return status;
}
