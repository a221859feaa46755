/* netbound delay: the distribution of the delay over a path of queues. */
#include "questions/delay/delay_question.h"

#include "core/memory.h"
#include "queueing/crommelin.h"
#include "queueing/reorder_load.h"
#include "queueing/slotted.h"
#include "questions/problem.h"
#include "questions/queue_options.h"
#include "core/try.h"
#include "core/unit.h"

#include <math.h>
#include <string.h>

enum { DELAY_ROWS = 1000 };

#define DELAY(field) offsetof(struct nb_delay_question, field)

static const struct nb_parameter delay_options[] = {
    NB_OPTION("topology", DELAY(topology), NETWORK, WORD, "",
              "a fat tree, such as fattree:k=16,n=3; or use --hops (equal "
              "queues) or --loads",
              .apart = "hops loads"),
    NB_OPTION("routing", DELAY(routing), NETWORK, CHOICE, "",
              "rrr: through a random root; rcar: only up to a nearest common "
              "ancestor; default rrr",
              .choices = "rrr|rcar", .with = "topology"),
    NB_OPTION(
        "traffic", DELAY(traffic), TRAFFIC, WORD, "",
        "traffic pattern in the topology, such as tornado; default uniform",
        .detail = "See: netbound list traffics.", .with = "topology"),
    NB_OPTION("hops", DELAY(hops), NETWORK, WHOLE, "",
              "number of equal queues on a path, instead of --topology",
              .counts = "hops", .least = 1, .most = NB_DELAY_HOPS,
              .apart = "loads"),
    NB_OPTION("loads", DELAY(loads), TRAFFIC, WORD, "",
              "load of each queue of a path, such as 0.9,0.8,0.5",
              .detail = "In sweeps: 0.9+0.8+0.5.", .apart = "load rate",
              .either = "load rate"),
    NB_OPTION("radix", DELAY(radix), ROUTER, WHOLE, "",
              "inputs that feed each queue of --hops or --loads; default 16",
              .counts = "ports", .least = 1, .most = 1e6, .with = "hops loads"),
    NB_OPTION_LOAD(DELAY(load)),
    NB_OPTION_RATE(DELAY(rate)),
    NB_OPTION_CLOCK(DELAY(clock)),
    NB_OPTION("arrivals", DELAY(arrivals), TRAFFIC, WORD, "bernoulli",
              "arrival process, such as onoff:burst=5 or md1",
              .detail = "bernoulli, poisson, onoff:burst=5,spread=packet or "
                        "mmp:alpha=0.1,beta=0.9,low=0 (see: netbound list "
                        "arrivals); md1 is one queue in continuous time."),
    NB_OPTION_LAW(DELAY(distribution), "wait"),
    NB_OPTION_OVERFLOW(DELAY(overflow)),
    NB_OPTION("bound", DELAY(bound), MEASUREMENT, CHOICE, "exact",
              "compute delay_quantile from the exact distribution, or from "
              "Chernoff's bound",
              .choices = "exact|chernoff"),
    NB_OPTION(
        "at", DELAY(at), MEASUREMENT, NUMBER, "",
        "also report the probability of a delay of at least this many cycles",
        .detail = "A whole number. With --arrivals md1: the probability of a "
                  "longer wait; decimals are permitted.",
        .most = 1e15, .unit = "cycles", .decimals = "arrivals=md1"),
    { 0 },
};

/* The value of arrivals for one queue in continuous time. */
static const char delay_continuous[] = "md1";

#define DELAY_SOURCE      "Singh2005, equation 7.6"
#define DELAY_CONVOLUTION "convolution of the hops' distributions"
#define DELAY_CHERNOFF    "Chernoff bound, rounded upward", "Chernoff1952"
#define DELAY_POSITIVE    "sum of positive terms", "Franx2001"

/* Whether a traffic is uniform, which needs no matrix. */
static enum nb_status delay_read_traffic(const char *text, bool *is_uniform,
                                         struct nb_error *err)
{
    struct nb_specification traffic = { 0 };
    size_t index;
    *is_uniform = true;
    if (text == NULL)
        return NB_OK;
    const enum nb_status status =
        nb_specification_read(text, "traffic", nb_traffic_kind_at,
                              nb_traffic_parameters, &traffic, &index, err);
    if (status != NB_OK)
        return status;
    *is_uniform = strcmp(traffic.kind->name, "uniform") == 0 &&
                  nb_specification_is(&traffic, "self", "yes");
    nb_specification_release(&traffic);
    return NB_OK;
}

/* Finds queues and paths of a fat tree; sets the radix of arrivals. */
static enum nb_status delay_find_tree(const struct nb_delay_question *request,
                                      struct nb_queue_load load,
                                      struct nb_arrivals *arrivals,
                                      struct nb_delay_paths *out,
                                      struct nb_error *err)
{
    const bool is_by_root = request->routing != NB_DELAY_RCAR;
    uint32_t k, n;
    bool is_uniform;
    enum nb_status status = NB_OK;
    NB_TRY(nb_question_tree(
        request->topology,
        "--hops or --loads; for any network, netbound latency", &k, &n, err));
    NB_TRY(delay_read_traffic(request->traffic, &is_uniform, err));
    arrivals->radix = k;
    if (is_by_root && is_uniform)
        return nb_delay_paths_alike(2 * (size_t)n - 1, load, arrivals, out,
                                    err);
    if (nb_arrivals_have_bursts(arrivals))
        return nb_fail(err, NB_INVALID,
                       "arrivals %.60s are not permitted with %s%.60s, whose "
                       "queues have inputs of unequal loads (permitted: "
                       "bernoulli, poisson; or %s)",
                       request->arrivals, is_uniform ? "rcar" : "traffic ",
                       is_uniform ? "" : request->traffic,
                       is_uniform ? "rrr" : "uniform traffic");
    if (is_uniform)
        return nb_delay_paths_tree(k, n, load, arrivals, out, err);
    return nb_delay_paths_traffic(request->topology, request->traffic,
                                  is_by_root, load, arrivals, out, err);
done:
    return status;
}

/* Finds queues and paths for the topology, hops or loads. */
static enum nb_status delay_find_paths(const struct nb_delay_question *request,
                                       struct nb_delay_paths *out,
                                       struct nb_error *err)
{
    struct nb_arrivals arrivals;
    struct nb_queue_load load;
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_queue_arrivals(request->arrivals, request->radix, &arrivals, err));
    nb_queue_load_is_given(request->load, request->rate, &load);
    if (request->topology != NULL)
        NB_TRY(delay_find_tree(request, load, &arrivals, out, err));
    else if (request->hops > 0)
        NB_TRY(nb_delay_paths_alike((size_t)request->hops, load, &arrivals, out,
                                    err));
    else if (request->loads != NULL)
        NB_TRY(nb_delay_paths_loads(request->loads, &arrivals, out, err));
    else
        NB_TRY(nb_fail(err, NB_USAGE,
                       "delay needs --topology (such as fattree:k=16,n=3), "
                       "--hops or --loads"));
    for (size_t i = 0; i < out->queue_count; i++)
        out->is_saturated =
            out->is_saturated || out->queues[i].load.idle.high <= 0;
done:
    return status;
}

static enum nb_status delay_find_deviations(struct nb_delay_answer *answer,
                                            struct nb_error *err)
{
    struct nb_deviation *deviations = NULL;
    double *delays = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&deviations, answer->row_count, sizeof *deviations, "delays",
                  err));
    NB_TRY(nb_new(&delays, answer->row_count, sizeof *delays, "delays", err));
    for (size_t i = 0; i < answer->row_count; i++)
        delays[i] = answer->rows[i].delay;
    NB_TRY(nb_delay_deviations(&answer->paths.delay, delays, answer->row_count,
                               deviations, err));
    for (size_t i = 0; i < answer->row_count; i++)
        answer->rows[i].deviation = deviations[i];
done:
    nb_delete(delays);
    nb_delete(deviations);
    return status;
}

/*
 * Finds P(D >= d) for whole d, in about a thousand rows at most.
 *
 * number  in continuous time: the distribution of packets there; NULL: slots
 */
static enum nb_status delay_find_rows(struct nb_delay_answer *answer,
                                      const struct nb_distribution *number,
                                      double first, double last,
                                      struct nb_error *err)
{
    const double step = ceil((last - first + 1) / DELAY_ROWS);
    enum nb_status status = NB_OK;
    answer->step = step > 1 ? step : 1;
    NB_TRY(nb_new(&answer->rows, DELAY_ROWS + 2, sizeof *answer->rows, "delays",
                  err));
    for (double d = first; d < last + answer->step; d += answer->step) {
        struct nb_delay_row *row = &answer->rows[answer->row_count++];
        row->delay = d < last || number != NULL ? d : last;
        row->tail =
            number != NULL
                ? nb_crommelin_tail(number, answer->load, nb_steps_of_double(d))
                : nb_delay_tail(&answer->paths.delay, row->delay);
        row->probability =
            row->tail.lower + (row->tail.upper - row->tail.lower) / 2;
    }
    if (number == NULL)
        NB_TRY(delay_find_deviations(answer, err));
done:
    return status;
}

static struct nb_enclosure delay_enclose(struct nb_bracket bracket)
{
    return (struct nb_enclosure){ .lower = bracket.lower,
                                  .upper = bracket.upper };
}

/* The least number of hops of any packet; paths are in ascending order. */
static double delay_shortest(const struct nb_delay *distribution)
{
    size_t i = 0;
    while (nb_delay_path_is_empty(&distribution->paths[i]))
        i++;
    return (double)distribution->paths[i].count;
}

/* Finds the distributions, and how far to convolve them: to the quantile, and
 * to at unless the probability there is below every one that can be asked for.
 * Beyond that only Chernoff's bound is known. */
static enum nb_status delay_solve(struct nb_delay_answer *answer,
                                  struct nb_error *err)
{
    const struct nb_delay_question *request = &answer->request;
    const double at =
        nb_ratio_is_known(request->at) ? nb_ratio_value(request->at) : 0;
    struct nb_delay *distribution = &answer->paths.delay;
    struct nb_deviation there = { 0, 0 };
    double bound; /* least d where Chernoff's bound on P(D >= d) is below
                   * overflow */
    enum nb_status status = NB_OK;
    NB_TRY(nb_delay_paths_solve(&answer->paths,
                                request->distribution == NB_HOP_WAIT, err));
    NB_TRY(nb_delay_reach(distribution, request->overflow, &answer->reach,
                          &bound, err));
    if (at > answer->reach) {
        NB_TRY(nb_delay_deviation(distribution, at, &there, err));
        if (there.chernoff >= NB_DISTRIBUTION_LEAST)
            answer->reach = at;
    }
    NB_TRY(nb_delay_convolve(distribution, answer->reach, err));
    answer->chernoff = (struct nb_found){ delay_enclose((struct nb_bracket){
                                              bound - 1, bound - 1 }),
                                          DELAY_CHERNOFF };
    answer->quantile =
        nb_delay_quantile(distribution, NULL, request->overflow, bound);
    if (request->bound == NB_DELAY_CHERNOFF)
        answer->found = answer->chernoff;
    else
        answer->found =
            (struct nb_found){ nb_enclosure_of_count(answer->quantile),
                               DELAY_CONVOLUTION, DELAY_SOURCE };
    if (at > answer->reach)
        answer->at = (struct nb_found){ delay_enclose((struct nb_bracket){
                                            0, there.chernoff }),
                                        DELAY_CHERNOFF };
    else if (nb_ratio_is_known(request->at))
        answer->at =
            (struct nb_found){ delay_enclose(nb_delay_tail(distribution, at)),
                               DELAY_CONVOLUTION, DELAY_SOURCE };
    NB_TRY(delay_find_rows(answer, NULL, delay_shortest(distribution),
                           answer->quantile.upper + 1, err));
done:
    return status;
}

/* The mean number of hops. */
static struct nb_ratio delay_hops(const struct nb_delay *delay)
{
    struct nb_ratio hops = nb_ratio_zero;
    for (size_t i = 0; i < delay->path_count; i++)
        hops = nb_ratio_add(
            hops, nb_ratio_multiply(
                      delay->paths[i].weight,
                      nb_ratio_make((nb_int128)delay->paths[i].count, 1)));
    return hops;
}

static enum nb_status delay_find_slotted(struct nb_delay_answer *answer,
                                         struct nb_error *err)
{
    const struct nb_ratio at = answer->request.at;
    struct nb_delay_paths *paths = &answer->paths;
    char text[NB_RATIO_TEXT];
    enum nb_status status = NB_OK;
    if (nb_ratio_is_known(at) && at.numerator % at.denominator != 0) {
        nb_unit_print_number(at, text);
        return nb_fail(err, NB_INVALID,
                       "at \"%s\" is not permitted (permitted: a whole number "
                       "of cycles; decimals with --arrivals md1)",
                       text);
    }
    NB_TRY(delay_find_paths(&answer->request, paths, err));
    answer->is_saturated = paths->is_saturated;
    answer->hops = delay_hops(&paths->delay);
    answer->mean = answer->variance = nb_enclosure_of_ratio(nb_ratio_infinity);
    if (answer->is_saturated)
        return NB_OK;
    NB_TRY(delay_solve(answer, err));
    answer->mean = nb_delay_mean(&paths->delay);
    answer->variance = nb_delay_variance(&paths->delay);
done:
    return status;
}

/* Refuses options that make no sense for one queue in continuous time. */
static enum nb_status
delay_check_continuous(const struct nb_delay_question *request,
                       struct nb_error *err)
{
    const char *path =
        request->topology != NULL ? request->topology : request->loads;
    if (path != NULL)
        return nb_fail(err, NB_USAGE,
                       "--%s %.60s is not permitted with --arrivals md1, one "
                       "queue in continuous time (permitted: --hops 1)",
                       request->topology != NULL ? "topology" : "loads", path);
    if (request->radix > 0)
        return nb_fail(err, NB_USAGE,
                       "--radix %lld is not permitted with --arrivals md1, one "
                       "queue in continuous time (permitted: --hops 1)",
                       (long long)request->radix);
    if (request->hops > 1)
        return nb_fail(err, NB_USAGE,
                       "--hops %lld is not permitted with --arrivals md1 "
                       "(permitted: 1)",
                       (long long)request->hops);
    if (request->distribution != NB_HOP_WAIT)
        return nb_fail(err, NB_USAGE,
                       "--law queue is not permitted with --arrivals md1 "
                       "(permitted: wait)");
    if (request->bound != NB_DELAY_EXACT)
        return nb_fail(err, NB_USAGE,
                       "--bound chernoff is not permitted with --arrivals md1 "
                       "(permitted: exact)");
    return NB_OK;
}

static void delay_find_moments(struct nb_delay_answer *answer)
{
    const struct nb_queue_load load = answer->load;
    struct nb_ratio mean = nb_ratio_infinity, variance = nb_ratio_infinity;
    if (load.idle.high > 0)
        nb_crommelin_moments(load.exact, &mean, &variance);
    const double idle = load.idle.high, rho = load.rho.high;
    const double about = rho / (2 * idle);
    const double square = about * about + rho / (3 * idle);
    /* Used if no ratio fits. rho and idle have one rounding error each, and
     * about has three in total; its square has seven and the sum eight; the
     * bracket adds two. The rest covers the products of these errors. */
    const double wide = 16 * 0x1p-53;
    answer->mean = nb_ratio_is_known(mean)
                       ? nb_enclosure_of_ratio(mean)
                       : (struct nb_enclosure){ .lower = about * (1 - wide),
                                                .upper = about * (1 + wide) };
    answer->variance =
        nb_ratio_is_known(variance)
            ? nb_enclosure_of_ratio(variance)
            : (struct nb_enclosure){ .lower = square * (1 - wide),
                                     .upper = square * (1 + wide) };
}

/* The wait at one queue in continuous time, as M/D/1. */
static enum nb_status delay_find_continuous(struct nb_delay_answer *answer,
                                            struct nb_error *err)
{
    const struct nb_delay_question *request = &answer->request;
    const struct nb_arrivals arrivals = { .kind = NB_ARRIVE_POISSON };
    struct nb_distribution number = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(delay_check_continuous(request, err));
    nb_queue_load_is_given(request->load, request->rate, &answer->load);
    answer->is_saturated = answer->load.idle.high <= 0;
    answer->hops = nb_ratio_one;
    delay_find_moments(answer);
    if (answer->is_saturated)
        return NB_OK;
    NB_TRY(nb_arrivals_law(&arrivals, answer->load, &number, err));
    answer->quantile =
        nb_crommelin_quantile(&number, answer->load, request->overflow);
    answer->found =
        (struct nb_found){ delay_enclose(answer->quantile), DELAY_POSITIVE };
    if (nb_ratio_is_known(request->at))
        answer->at = (struct nb_found){ delay_enclose(nb_crommelin_tail(
                                            &number, answer->load,
                                            nb_steps_of_ratio(request->at))),
                                        DELAY_POSITIVE };
    NB_TRY(
        delay_find_rows(answer, &number, 0, ceil(answer->quantile.upper), err));
done:
    nb_distribution_release(&number);
    return status;
}

/* Of a queue that grows without bound. */
static void delay_saturate(struct nb_delay_answer *answer)
{
    const struct nb_found infinite = { nb_enclosure_of_ratio(nb_ratio_infinity),
                                       "saturated", "" };
    answer->found = answer->chernoff = infinite;
    if (nb_ratio_is_known(answer->request.at))
        answer->saturated_at =
            (struct nb_found){ nb_enclosure_of_whole(1), "saturated", "" };
}

static enum nb_status delay_compute(const struct nb_delay_question *request,
                                    const struct nb_run *run,
                                    struct nb_delay_answer *out,
                                    struct nb_error *err)
{
    enum nb_status status;
    (void)run;
    out->request = *request;
    out->is_continuous = strcmp(request->arrivals, delay_continuous) == 0;
    NB_TRY(out->is_continuous ? delay_find_continuous(out, err)
                              : delay_find_slotted(out, err));
    if (out->is_saturated)
        delay_saturate(out);
done:
    return status;
}

void nb_delay_answer_release(struct nb_delay_answer *answer)
{
    nb_delay_paths_release(&answer->paths);
    nb_delete(answer->rows);
    *answer = (struct nb_delay_answer){ 0 };
}

#define DELAY_ROW(field, name, ...)                                            \
    NB_QUANTITY(struct nb_delay_answer, field, name, __VA_ARGS__)
static const struct nb_quantity_row delay_rows[] = {
    DELAY_ROW(hops, "hops", "hops"),
    DELAY_ROW(mean, "mean_delay", "cycles", .method = "sum of the hops' means",
              .source = DELAY_SOURCE),
    DELAY_ROW(variance, "variance_delay", "cycles^2",
              .method = "sum of the hops' variances", .source = DELAY_SOURCE),
    DELAY_ROW(found, "delay_quantile", "cycles"),
    DELAY_ROW(saturated_at, "delay_ccdf", "1"),
    DELAY_ROW(chernoff, "chernoff_quantile", "cycles"),
    DELAY_ROW(at, "delay_ccdf", "1"),
    { 0 },
};
/* In continuous time. */
static const struct nb_quantity_row delay_wait_rows[] = {
    DELAY_ROW(hops, "hops", "hops"),
    DELAY_ROW(mean, "mean_wait", "cycles", .method = "closed form",
              .source = "Kleinrock1975"),
    DELAY_ROW(variance, "variance_wait", "cycles^2", .method = "closed form",
              .source = "Kleinrock1975"),
    DELAY_ROW(found, "wait_quantile", "cycles"),
    DELAY_ROW(saturated_at, "wait_ccdf", "1"),
    DELAY_ROW(at, "wait_ccdf", "1"),
    { 0 },
};

#define DELAY_COLUMN(field, spelled)                                           \
    NB_COLUMN(struct nb_delay_row, field, spelled, NB_ANY)

/* In continuous time without the last two columns. */
static const struct nb_table_kind delay_ccdf = {
    .name = "ccdf",
    .columns =
        NB_COLUMNS(DELAY_COLUMN(delay, "delay:number [cycles]"),
                   DELAY_COLUMN(probability, "probability:number"),
                   DELAY_COLUMN(tail.lower, "lower:number"),
                   DELAY_COLUMN(tail.upper, "upper:number"),
                   DELAY_COLUMN(deviation.chernoff, "chernoff?:number"),
                   DELAY_COLUMN(deviation.bahadur_rao, "bahadur_rao?:number")),
};
static const struct nb_table_kind delay_queues = NB_TABLE(
    "queues",
    "queue:text,load:ratio [packets/cycle],mean_delay:number [cycles]");
static const struct nb_table_kind delay_levels =
    NB_TABLE("levels", "level,hops,fraction:ratio,mean_delay:number [cycles],"
                       "delay_quantile:number [cycles]");

/* Adds the table of tails; none of a queue that grows without bound. */
static void delay_report_ccdf(const struct nb_delay_answer *answer,
                              struct nb_point *out)
{
    const struct nb_table_variant variant = {
        .without = answer->is_continuous ? "chernoff bahadur_rao" : NULL
    };
    nb_table_write(out, &delay_ccdf, variant, answer->rows, answer->row_count,
                   sizeof *answer->rows);
    if (answer->is_saturated)
        nb_point_add_note(out, "saturated",
                          "a queue receives at least as much as it can serve, "
                          "and grows forever");
    else if (answer->step > 1)
        nb_point_note(out, "rows",
                      "table ccdf shows delays %.0f cycles apart, to limit it "
                      "to about %d rows",
                      answer->step, DELAY_ROWS);
}

static double delay_middle(struct nb_enclosure value)
{
    return value.lower + (value.upper - value.lower) / 2;
}

/* Adds the table of kinds of queues, with load and mean delay. */
static void delay_add_queues(const struct nb_delay_paths *paths,
                             struct nb_point *out)
{
    const size_t table = nb_table_start(out, &delay_queues);
    for (size_t i = 0; i < paths->queue_count; i++) {
        const struct nb_delay_queue *queue = &paths->queues[i];
        NB_ROW(out, table, (const char *)queue->name, queue->load.exact,
               paths->is_saturated ? INFINITY : delay_middle(queue->hop.mean));
    }
}

/* Adds the table of paths by the level of the common ancestor. */
static void delay_add_levels(const struct nb_delay_answer *answer,
                             struct nb_point *out)
{
    const struct nb_delay_paths *paths = &answer->paths;
    const struct nb_delay *distribution = &paths->delay;
    const size_t table = nb_table_start(out, &delay_levels);
    for (size_t i = 0; i < distribution->path_count; i++) {
        const struct nb_delay_path *path = &distribution->paths[i];
        if (path->weight.numerator == 0)
            continue; /* no packet turns at this level */
        double mean = INFINITY, quantile = INFINITY;
        if (!paths->is_saturated) {
            mean = delay_middle(nb_delay_path_mean(path));
            quantile =
                nb_delay_quantile(distribution, path, answer->request.overflow,
                                  answer->reach)
                    .upper;
        }
        NB_ROW(out, table, i + 1, path->count, path->weight, mean, quantile);
    }
}

static void delay_add_notes(const struct nb_delay_answer *answer,
                            struct nb_point *out)
{
    const bool is_wait = answer->request.distribution == NB_HOP_WAIT;
    if (answer->request.topology != NULL)
        nb_point_add_note(out, "hops",
                          "the channel to the terminal is included");
    nb_point_add_note(out, "delay",
                      is_wait
                          ? "one cycle for each hop plus the wait at each "
                            "queue (--law queue: plus its length, which is "
                            "longer); the waits are assumed independent"
                          : "one cycle for each hop plus the length of each "
                            "queue, as in equation 7.6 of Singh2005, where a "
                            "packet waits less (--law wait); the queues are "
                            "assumed independent");
    for (size_t i = 0; i < answer->paths.queue_count; i++)
        if (nb_queue_note_forgetting(out, &answer->paths.queues[i].arrivals,
                                     answer->paths.queues[i].load))
            break;
    if (answer->paths.is_of_traffic)
        nb_point_add_note(out, "traffic",
                          "the terminals of a leaf switch send and receive "
                          "equal shares; at each queue every packet has the "
                          "delay of an average packet there");
    else if (answer->paths.is_by_level)
        nb_point_add_note(
            out, "traffic",
            "uniform, a packet's own terminal included; at each queue every "
            "packet has the delay of an average packet there");
}

static void delay_report(const struct nb_delay_answer *answer,
                         struct nb_point *out)
{
    const bool is_topology = answer->request.topology != NULL;
    nb_point_add_quantities(
        out, answer->is_continuous ? delay_wait_rows : delay_rows, answer, NULL,
        is_topology ? "closed form" : "as asked",
        is_topology ? "Singh2005, section 7.3" : "");
    delay_report_ccdf(answer, out);
    if (answer->is_continuous) {
        nb_point_add_note(out, "wait",
                          "the wait before service in continuous time, P(W > "
                          "D); the cycle of service itself is not included");
        return;
    }
    delay_add_queues(&answer->paths, out);
    if (answer->paths.is_by_level)
        delay_add_levels(answer, out);
    delay_add_notes(answer, out);
}

NB_DEFINE_QUESTION(delay);
NB_DEFINE_RELEASE(delay);

const struct nb_question_kind nb_question_kind_delay = {
    .form = {
        .name = "delay",
        .summary = "distribution of the delay over a path of queues",
        .example = "netbound delay --topology fattree:k=16,n=3 --load 0.8",
        .title = "topology?<Delay> over {topology}[ by {routing}][ at load {load}][, {traffic} traffic]|<Delay>[ over {hops} queues][ over queues of loads {loads}][ at load {load}]",
        .options = delay_options,
        .quantities = NB_QUANTITIES(delay_rows, delay_wait_rows),
        .tables = NB_TABLES(&delay_queues, &delay_levels, &delay_ccdf),
    },
    NB_CALLS_OF(delay),
    .release = delay_release,
};
