/* netbound delay: the distribution of the delay over a path of queues. */
#include "questions/delay/delay_question.h"

#include "core/locale.h"
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
    }
    if (number == NULL)
        NB_TRY(delay_find_deviations(answer, err));
done:
    return status;
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
    answer->is_at_bounded = at > answer->reach;
    answer->at = answer->is_at_bounded
                     ? (struct nb_bracket){ 0, there.chernoff }
                     : nb_delay_tail(distribution, at);
    answer->chernoff = bound - 1;
    answer->quantile =
        nb_delay_quantile(distribution, NULL, request->overflow, bound);
    NB_TRY(delay_find_rows(answer, NULL, delay_shortest(distribution),
                           answer->quantile.upper + 1, err));
done:
    return status;
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
    delay_find_moments(answer);
    if (answer->is_saturated)
        return NB_OK;
    NB_TRY(nb_arrivals_law(&arrivals, answer->load, &number, err));
    answer->quantile =
        nb_crommelin_quantile(&number, answer->load, request->overflow);
    if (nb_ratio_is_known(request->at))
        answer->at = nb_crommelin_tail(&number, answer->load,
                                       nb_steps_of_ratio(request->at));
    NB_TRY(
        delay_find_rows(answer, &number, 0, ceil(answer->quantile.upper), err));
done:
    nb_distribution_release(&number);
    return status;
}

enum nb_status nb_delay_ask(const struct nb_delay_question *request,
                            const struct nb_run *run,
                            struct nb_delay_answer *out, struct nb_error *err)
{
    *out = (struct nb_delay_answer){ 0 };
    const enum nb_status held =
        nb_request_check("delay", delay_options, request, err);
    if (held != NB_OK)
        return held;
    enum nb_status status;
    (void)run;
    *out = (struct nb_delay_answer){ .request = *request };
    out->is_continuous = strcmp(request->arrivals, delay_continuous) == 0;
    status = out->is_continuous ? delay_find_continuous(out, err)
                                : delay_find_slotted(out, err);
    if (status != NB_OK)
        nb_delay_answer_release(out);
    return status;
}

void nb_delay_answer_release(struct nb_delay_answer *answer)
{
    nb_delay_paths_release(&answer->paths);
    nb_delete(answer->rows);
    *answer = (struct nb_delay_answer){ 0 };
}

static const char delay_source[] = "Singh2005, equation 7.6";
static const char delay_convolution[] =
    "convolution of the hops' distributions";
static const char delay_chernoff[] = "Chernoff bound, rounded upward";
static const char delay_chernoff_source[] = "Chernoff1952";

static void delay_add_hops(const struct nb_delay_answer *answer,
                           struct nb_point *out)
{
    const struct nb_delay *delay = &answer->paths.delay;
    const bool is_topology = answer->request.topology != NULL;
    struct nb_ratio hops = nb_ratio_zero;
    for (size_t i = 0; i < delay->path_count; i++)
        hops = nb_ratio_add(
            hops, nb_ratio_multiply(
                      delay->paths[i].weight,
                      nb_ratio_make((nb_int128)delay->paths[i].count, 1)));
    nb_point_add_exact(out, "hops", hops, "hops",
                       is_topology ? "closed form" : "as asked",
                       is_topology ? "Singh2005, section 7.3" : "");
}

static void delay_add_quantile(const struct nb_delay_answer *answer,
                               struct nb_point *out)
{
    const struct nb_bracket exact = answer->quantile;
    if (answer->request.bound == NB_DELAY_CHERNOFF)
        nb_point_add_bracket(out, "delay_quantile", answer->chernoff,
                             answer->chernoff, "cycles", delay_chernoff,
                             delay_chernoff_source);
    else if (exact.lower == exact.upper)
        nb_point_add_exact(out, "delay_quantile",
                           nb_ratio_make((nb_int128)exact.lower, 1), "cycles",
                           delay_convolution, delay_source);
    else
        nb_point_add_bracket(out, "delay_quantile", exact.lower, exact.upper,
                             "cycles", delay_convolution, delay_source);
    nb_point_add_bracket(out, "chernoff_quantile", answer->chernoff,
                         answer->chernoff, "cycles", delay_chernoff,
                         delay_chernoff_source);
    if (nb_ratio_is_known(answer->request.at))
        nb_point_add_bracket(
            out, "delay_ccdf", answer->at.lower, answer->at.upper, "1",
            answer->is_at_bounded ? delay_chernoff : delay_convolution,
            answer->is_at_bounded ? delay_chernoff_source : delay_source);
}

/* Adds the quantile and, if requested, the probability at a delay, of a queue
 * that grows without bound. */
static void delay_add_saturated(const struct nb_delay_answer *answer,
                                const char *quantile, const char *ccdf,
                                struct nb_point *out)
{
    nb_point_add_exact(out, quantile, nb_ratio_infinity, "cycles", "saturated",
                       "");
    if (nb_ratio_is_known(answer->request.at))
        nb_point_add_exact(out, ccdf, nb_ratio_one, "1", "saturated", "");
    nb_point_add_note(out, "saturated",
                      "a queue receives at least as much as it can serve, and "
                      "grows forever");
}

static void delay_add_rows(const struct nb_delay_answer *answer, size_t table,
                           struct nb_point *out)
{
    char text[120];
    if (answer->step > 1) {
        nb_snprintf(text, sizeof text,
                    "table ccdf shows delays %.0f cycles apart, to limit it to "
                    "about %d rows",
                    answer->step, DELAY_ROWS);
        nb_point_add_note(out, "rows", text);
    }
    for (size_t i = 0; i < answer->row_count; i++) {
        const struct nb_delay_row *row = &answer->rows[i];
        const struct nb_bracket tail = row->tail;
        nb_table_add_number(out, table, row->delay);
        nb_table_add_number(out, table,
                            tail.lower + (tail.upper - tail.lower) / 2);
        nb_table_add_number(out, table, tail.lower);
        nb_table_add_number(out, table, tail.upper);
        if (answer->is_continuous)
            continue;
        nb_table_add_number(out, table, row->deviation.chernoff);
        nb_table_add_number(out, table, row->deviation.bahadur_rao);
    }
}

static double delay_middle(struct nb_enclosure value)
{
    return value.lower + (value.upper - value.lower) / 2;
}

/* Adds the table of kinds of queues, with load and mean delay. */
static void delay_add_queues(const struct nb_delay_paths *paths,
                             struct nb_point *out)
{
    const size_t table = nb_point_add_table(
        out, "queues", false,
        "queue:text,load:ratio [packets/cycle],mean_delay:number [cycles]");
    for (size_t i = 0; i < paths->queue_count; i++) {
        const struct nb_delay_queue *queue = &paths->queues[i];
        nb_table_add_text(out, table, queue->name);
        nb_table_add_ratio(out, table, queue->load.exact);
        nb_table_add_number(
            out, table,
            paths->is_saturated ? INFINITY : delay_middle(queue->hop.mean));
    }
}

/* Adds the table of paths by the level of the common ancestor. */
static void delay_add_levels(const struct nb_delay_answer *answer,
                             struct nb_point *out)
{
    const struct nb_delay_paths *paths = &answer->paths;
    const struct nb_delay *distribution = &paths->delay;
    const size_t table = nb_point_add_table(
        out, "levels", false,
        "level,hops,fraction:ratio,mean_delay:number [cycles],"
        "delay_quantile:number [cycles]");
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
        nb_table_add_whole(out, table, (int64_t)i + 1);
        nb_table_add_whole(out, table, (int64_t)path->count);
        nb_table_add_ratio(out, table, path->weight);
        nb_table_add_number(out, table, mean);
        nb_table_add_number(out, table, quantile);
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

static void delay_report_slotted(const struct nb_delay_answer *answer,
                                 struct nb_point *out)
{
    delay_add_hops(answer, out);
    nb_point_add_enclosure(out, "mean_delay", answer->mean, "cycles",
                           "sum of the hops' means", delay_source);
    nb_point_add_enclosure(out, "variance_delay", answer->variance, "cycles^2",
                           "sum of the hops' variances", delay_source);
    const size_t table = nb_point_add_table(
        out, "ccdf", false,
        "delay:number [cycles],probability:number,lower:number,upper:number,"
        "chernoff:number,bahadur_rao:number");
    if (answer->is_saturated) {
        delay_add_saturated(answer, "delay_quantile", "delay_ccdf", out);
        nb_point_add_exact(out, "chernoff_quantile", nb_ratio_infinity,
                           "cycles", "saturated", "");
    } else {
        delay_add_quantile(answer, out);
        delay_add_rows(answer, table, out);
    }
    delay_add_queues(&answer->paths, out);
    if (answer->paths.is_by_level)
        delay_add_levels(answer, out);
    delay_add_notes(answer, out);
}

static void delay_report_continuous(const struct nb_delay_answer *answer,
                                    struct nb_point *out)
{
    static const char method[] = "sum of positive terms";
    static const char source[] = "Franx2001";
    nb_point_add_exact(out, "hops", nb_ratio_one, "hops", "as asked", "");
    nb_point_add_enclosure(out, "mean_wait", answer->mean, "cycles",
                           "closed form", "Kleinrock1975");
    nb_point_add_enclosure(out, "variance_wait", answer->variance, "cycles^2",
                           "closed form", "Kleinrock1975");
    const size_t table =
        nb_point_add_table(out, "ccdf", false,
                           "delay:number [cycles],probability:number,"
                           "lower:number,upper:number");
    if (answer->is_saturated) {
        delay_add_saturated(answer, "wait_quantile", "wait_ccdf", out);
    } else {
        nb_point_add_bracket(out, "wait_quantile", answer->quantile.lower,
                             answer->quantile.upper, "cycles", method, source);
        if (nb_ratio_is_known(answer->request.at))
            nb_point_add_bracket(out, "wait_ccdf", answer->at.lower,
                                 answer->at.upper, "1", method, source);
        delay_add_rows(answer, table, out);
    }
    nb_point_add_note(out, "wait",
                      "the wait before service in continuous time, P(W > D); "
                      "the cycle of service itself is not included");
}

void nb_delay_report(const struct nb_delay_answer *answer, struct nb_point *out)
{
    if (answer->is_continuous)
        delay_report_continuous(answer, out);
    else
        delay_report_slotted(answer, out);
}

NB_DEFINE_ANSWER(delay)

const struct nb_question_kind nb_question_kind_delay = {
    .form = {
        .name = "delay",
.summary = "distribution of the delay over a path of queues",
        .example = "netbound delay --topology fattree:k=16,n=3 --load 0.8",
        .title = "topology?<Delay> over {topology}[ by {routing}][ at load {load}][, {traffic} traffic]|<Delay>[ over {hops} queues][ over queues of loads {loads}][ at load {load}]",
        .options = delay_options,
        .tables = "queues levels ccdf",
    },
    .size = sizeof(struct nb_delay_question),
    .answer = delay_answer,
};
