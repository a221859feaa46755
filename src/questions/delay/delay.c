/* netbound delay: the law of the delay over a path of queues. */
#include "questions/delay/delay_continuous.h"
#include "questions/delay/delay_paths.h"
#include "questions/delay/delay_table.h"
#include "questions/problem.h"
#include "questions/queue_options.h"

#include <math.h>
#include <string.h>

static const struct nb_parameter delay_options[] = {
    { .name = "topology",
      .help = "a fat tree such as fattree:k=16,n=3; or else --hops or "
              "--loads",
      .type = NB_WORD,
      .initial = "" },
    { .name = "routing",
      .help = "its routing: rrr (the default), by a random root over 2n-1 "
              "queues, or rcar, by the nearest common ancestors",
      .type = NB_CHOICE,
      .initial = "",
      .choices = "rrr|rcar" },
    { .name = "traffic",
      .help = "who sends to whom in the topology, such as tornado (see: "
              "netbound list traffics); uniform unless given",
      .type = NB_WORD,
      .initial = "" },
    { .name = "hops",
      .help = "queues of a path instead of a topology, all alike",
      .type = NB_WHOLE,
      .initial = "",
      .least = 1,
      .most = NB_DELAY_HOPS },
    { .name = "loads",
      .help = "the load of each queue of a path, such as 0.9,0.8,0.5 (in "
              "sweeps 0.9+0.8+0.5)",
      .type = NB_WORD,
      .initial = "" },
    { .name = "radix",
      .help = "inputs of each queue of --hops or --loads; 16 unless given",
      .type = NB_WHOLE,
      .initial = "",
      .least = 1,
      .most = 1e6 },
    NB_OPTION_LOAD(0),
    NB_OPTION_RATE(0),
    NB_OPTION_CLOCK,
    { .name = "arrivals",
      .help = "bernoulli, poisson, onoff:burst=5,spread=packet|burst, or md1: "
              "one queue in continuous time (with --law wait)",
      .type = NB_WORD,
      .initial = "bernoulli" },
    NB_OPTION_LAW(0),
    NB_OPTION_OVERFLOW(0),
    { .name = "bound",
      .help = "what delay_quantile comes from: the law itself or Chernoff's "
              "bound",
      .type = NB_CHOICE,
      .initial = "exact",
      .choices = "exact|chernoff" },
    { .name = "at",
      .help = "also the probability of a delay of this many cycles or more, a "
              "whole number; with md1 of a longer wait than any decimal",
      .type = NB_NUMBER,
      .initial = "",
      .most = 1e15,
      .unit = "cycles" },
    { 0 },
};

static const char delay_source[] = "Singh2005, equation 7.6";
static const char delay_convolution[] = "convolution of the hops' laws";
static const char delay_chernoff[] = "Chernoff bound, rounded upward";
static const char delay_chernoff_source[] = "Chernoff1952";

/* An answer in the making. */
struct delay {
    struct nb_delay_paths paths;
    double overflow;
    double reach;    /* every path's Chernoff bound is below overflow there */
    double chernoff; /* and their weighted sum's there */
    double at;       /* NAN: not asked for */
};

static enum nb_status delay_read_at(const struct nb_question *question,
                                    double *at, struct nb_error *err)
{
    const char *text = nb_model_get(question->model, "at");
    struct nb_ratio ratio;
    *at = NAN;
    if (text == NULL)
        return NB_OK;
    if (nb_ratio_read(text, &ratio, NULL) == NB_OK && ratio.denominator == 1) {
        *at = nb_ratio_value(ratio);
        return NB_OK;
    }
    return nb_fail(err, NB_INVALID,
                   "at \"%.60s\" is not permitted (permitted: a whole number "
                   "of cycles; decimals with --arrivals md1)",
                   text);
}

static void delay_add(struct nb_point *out, const char *name,
                      struct nb_enclosure value, const char *unit,
                      const char *method)
{
    if (nb_ratio_is_known(value.exact))
        nb_point_add_exact(out, name, value.exact, unit, method, delay_source);
    else
        nb_point_add_bracket(out, name, value.lower, value.upper, unit, method,
                             delay_source);
}

static void delay_add_hops(const struct nb_question *question,
                           const struct nb_delay *delay, struct nb_point *out)
{
    const bool is_topology = nb_model_get(question->model, "topology") != NULL;
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

static void delay_add_quantile(const struct delay *delay, bool is_chernoff,
                               struct nb_point *out)
{
    const struct nb_bracket exact = nb_delay_depth(
        &delay->paths.delay, NULL, delay->overflow, delay->chernoff);
    if (is_chernoff)
        nb_point_add_bracket(out, "delay_quantile", delay->chernoff,
                             delay->chernoff, "cycles", delay_chernoff,
                             delay_chernoff_source);
    else if (exact.lower == exact.upper)
        nb_point_add_exact(out, "delay_quantile",
                           nb_ratio_make((nb_int128)exact.lower, 1), "cycles",
                           delay_convolution, delay_source);
    else
        nb_point_add_bracket(out, "delay_quantile", exact.lower, exact.upper,
                             "cycles", delay_convolution, delay_source);
    nb_point_add_bracket(out, "chernoff_quantile", delay->chernoff,
                         delay->chernoff, "cycles", delay_chernoff,
                         delay_chernoff_source);
}

/* Beyond what was convolved only Chernoff's bound is left. */
static enum nb_status delay_add_at(const struct delay *delay,
                                   struct nb_point *out, struct nb_error *err)
{
    struct nb_deviation deviation;
    struct nb_bracket tail = { 0, 0 };
    if (isnan(delay->at))
        return NB_OK;
    const bool is_near = delay->at <= delay->reach;
    if (is_near) {
        tail = nb_delay_tail(&delay->paths.delay, delay->at);
    } else {
        const enum nb_status status =
            nb_delay_deviation(&delay->paths.delay, delay->at, &deviation, err);
        if (status != NB_OK)
            return status;
        tail.upper = deviation.chernoff;
    }
    nb_point_add_bracket(out, "delay_ccdf", tail.lower, tail.upper, "1",
                         is_near ? delay_convolution : delay_chernoff,
                         is_near ? delay_source : delay_chernoff_source);
    return NB_OK;
}

/* The least number of hops of any packet; paths are in that order. */
static double delay_shortest(const struct nb_delay *law)
{
    size_t i = 0;
    while (nb_delay_path_is_empty(&law->paths[i]))
        i++;
    return (double)law->paths[i].count;
}

/* From the least delay up to where it is below overflow. */
static enum nb_status delay_add_table(const struct delay *delay, size_t table,
                                      struct nb_point *out,
                                      struct nb_error *err)
{
    const struct nb_delay *law = &delay->paths.delay;
    const double first = delay_shortest(law);
    const double last =
        nb_delay_depth(law, NULL, delay->overflow, delay->chernoff).upper;
    const double step = nb_delay_table_step(first, last, out);
    enum nb_status status = NB_OK;
    for (double d = first; d < last + step; d += step) {
        struct nb_deviation deviation;
        const double here = d < last ? d : last;
        NB_TRY(nb_delay_deviation(law, here, &deviation, err));
        nb_table_add_number(out, table, here);
        nb_delay_table_add_bracket(out, table, nb_delay_tail(law, here));
        nb_table_add_number(out, table, deviation.chernoff);
        nb_table_add_number(out, table, deviation.bahadur_rao);
    }
done:
    return status;
}

static void delay_add_notes(const struct nb_question *question,
                            const struct nb_delay_paths *paths, bool is_wait,
                            struct nb_point *out)
{
    if (nb_model_get(question->model, "topology") != NULL)
        nb_problem_note_hops(out);
    nb_point_add_note(out, "delay",
                      is_wait ? "a cycle for every hop and the wait at each, "
                                "taken to be independent"
                              : "a cycle for every hop and the length of each "
                                "queue, taken to be independent");
    if (paths->is_of_traffic)
        nb_point_add_note(out, "traffic",
                          "terminals of a leaf switch are alike, each sends "
                          "and receives an equal share; at each queue a packet "
                          "meets what an average packet does there");
    else if (paths->is_by_level)
        nb_point_add_note(out, "traffic",
                          "uniform, a packet's own terminal included; at each "
                          "queue it meets what an average packet does");
}

/* Finds laws and how far to look: to the quantile, and to at unless what lies
 * there is below every probability asked for. */
static enum nb_status delay_solve(struct delay *delay, bool is_wait,
                                  struct nb_error *err)
{
    struct nb_delay *law = &delay->paths.delay;
    struct nb_deviation there;
    enum nb_status status = NB_OK;
    NB_TRY(nb_delay_paths_solve(&delay->paths, is_wait, err));
    NB_TRY(nb_delay_reach(law, delay->overflow, &delay->reach, &delay->chernoff,
                          err));
    if (delay->at > delay->reach) { /* false for NAN */
        NB_TRY(nb_delay_deviation(law, delay->at, &there, err));
        if (there.chernoff >= NB_LAW_LEAST)
            delay->reach = delay->at;
    }
    NB_TRY(nb_delay_convolve(law, delay->reach, err));
done:
    return status;
}

/* What needs the laws; table: that of P(D >= d). */
static enum nb_status delay_add_law(const struct nb_question *question,
                                    const struct delay *delay, size_t table,
                                    struct nb_point *out, struct nb_error *err)
{
    const bool is_chernoff =
        strcmp(nb_model_get(question->model, "bound"), "chernoff") == 0;
    enum nb_status status = NB_OK;
    delay_add_quantile(delay, is_chernoff, out);
    NB_TRY(delay_add_at(delay, out, err));
    NB_TRY(delay_add_table(delay, table, out, err));
done:
    return status;
}

static void delay_add_moments(const struct nb_delay_paths *paths,
                              struct nb_point *out)
{
    const struct nb_enclosure none = nb_enclosure_of_ratio(nb_ratio_infinity);
    const bool is_saturated = paths->is_saturated;
    delay_add(out, "mean_delay",
              is_saturated ? none : nb_delay_mean(&paths->delay), "cycles",
              "sum of the hops' means");
    delay_add(out, "variance_delay",
              is_saturated ? none : nb_delay_variance(&paths->delay),
              "cycles^2", "sum of the hops' variances");
}

static enum nb_status delay_answer(const struct nb_question *question,
                                   struct nb_point *out, struct nb_error *err)
{
    const bool is_wait =
        strcmp(nb_model_get(question->model, "law"), "wait") == 0;
    struct delay delay = { .overflow = nb_question_overflow(question) };
    const struct nb_delay_paths *paths = &delay.paths;
    enum nb_status status = NB_OK;
    if (nb_delay_is_continuous(question))
        return nb_delay_answer_continuous(question, out, err);
    NB_TRY(delay_read_at(question, &delay.at, err));
    NB_TRY(nb_delay_paths_read(question, &delay.paths, err));
    if (!paths->is_saturated)
        NB_TRY(delay_solve(&delay, is_wait, err));
    delay_add_hops(question, &paths->delay, out);
    delay_add_moments(paths, out);
    const size_t table = nb_point_add_table(
        out, "ccdf", false,
        "delay:number [cycles],probability:number,lower:number,upper:number,"
        "chernoff:number,bahadur_rao:number");
    if (paths->is_saturated) {
        nb_delay_add_saturated(question, "delay", out);
        nb_point_add_exact(out, "chernoff_quantile", nb_ratio_infinity,
                           "cycles", "saturated", "");
    } else {
        NB_TRY(delay_add_law(question, &delay, table, out, err));
    }
    nb_delay_add_queues(paths, out);
    if (paths->is_by_level)
        nb_delay_add_levels(paths, delay.overflow, delay.reach, out);
    delay_add_notes(question, paths, is_wait, out);
done:
    nb_delay_paths_release(&delay.paths);
    return status;
}

const struct nb_question_kind nb_question_kind_delay = {
    .form = {
        .name = "delay",
        .summary = "law of the delay over a path of queues",
        .example = "netbound delay --topology fattree:k=16,n=3 --load 0.8",
        .options = delay_options,
        .tables = "queues levels ccdf",
    },
    .answer = delay_answer,
};
