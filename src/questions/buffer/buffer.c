/* netbound buffer: how deep the queue of an output must be. */
#include "questions/buffer/buffer_question.h"

#include "core/enclosure.h"
#include "core/locale.h"
#include "core/try.h"
#include "questions/problem.h"
#include "queueing/dimension.h"
#include "core/unit.h"

#include <math.h>
#include <stdio.h>

enum { BUFFER_ROWS = 4000, BUFFER_MOST = 1000000000 };

#define BUFFER(field) offsetof(struct nb_buffer_question, field)

static const struct nb_parameter buffer_options[] = {
    NB_OPTION_RADIX(BUFFER(radix)),
    NB_OPTION_LOAD(BUFFER(load)),
    NB_OPTION_RATE(BUFFER(rate)),
    NB_OPTION_CLOCK(BUFFER(clock)),
    NB_OPTION("inputs", BUFFER(inputs), TRAFFIC, WORD, "",
              "packets per slot of each input, such as 0.5,8*0.05: one of 0.5, "
              "eight of 0.05",
              .detail = "For unequal inputs, instead of --radix and --load. In "
                        "sweeps: 0.5+8*0.05.",
              .apart = "radix load rate"),
    NB_OPTION_OVERFLOW(BUFFER(overflow)),
    NB_OPTION_ARRIVALS(BUFFER(arrivals)),
    NB_OPTION("depth", BUFFER(depth), MEASUREMENT, WHOLE, "",
              "size of the buffer in packets, including the one in service",
              .counts = "packets", .least = 1, .most = BUFFER_MOST,
              .either = "load rate inputs"),
    { 0 },
};

static const char *const buffer_packets = "packets";
static const char *const buffer_fraction = "1";
static const char *const buffer_recursion = "positive recursion, bracketed";

static const char *buffer_source(const struct nb_buffer_answer *buffer)
{
    return nb_arrivals_have_bursts(&buffer->arrivals)
               ? "Ramaswami1988"
               : "Singh2005, equation 7.3";
}

static enum nb_status buffer_read(struct nb_buffer_answer *out,
                                  struct nb_error *err)
{
    const struct nb_buffer_question *request = &out->request;
    struct nb_ratio sum;
    enum nb_status status = NB_OK;
    NB_TRY(nb_queue_arrivals(request->arrivals, request->radix, &out->arrivals,
                             err));
    out->has_load =
        nb_queue_load_is_given(request->load, request->rate, &out->load);
    if (request->inputs != NULL) {
        if (out->arrivals.kind != NB_ARRIVE_BERNOULLI)
            return nb_fail(err, NB_USAGE,
                           "--inputs %.60s and --arrivals %.60s do not go "
                           "together (permitted: bernoulli)",
                           request->inputs, request->arrivals);
        NB_TRY(nb_arrivals_read_inputs(request->inputs, &out->arrivals, &sum,
                                       err));
        out->has_load = true;
        out->load = nb_load_of_ratio(sum);
    }
    out->can_send = nb_arrivals_check(&out->arrivals, out->load, NULL) == NB_OK;
    if (out->has_load && !out->can_send && out->load.idle.high > 0)
        NB_TRY(nb_arrivals_check(&out->arrivals, out->load, err));
    out->is_stable = nb_arrivals_are_stable(&out->arrivals, out->load);
done:
    return status;
}

enum nb_status nb_buffer_ask(const struct nb_buffer_question *request,
                             const struct nb_run *run,
                             struct nb_buffer_answer *out, struct nb_error *err)
{
    *out = (struct nb_buffer_answer){ 0 };
    const enum nb_status held =
        nb_request_check("buffer", buffer_options, request, err);
    if (held != NB_OK)
        return held;
    enum nb_status status = NB_OK;
    (void)run;
    *out = (struct nb_buffer_answer){ .request = *request };
    NB_TRY(buffer_read(out, err));
    if (out->has_load && out->is_stable)
        NB_TRY(nb_arrivals_law(&out->arrivals, out->load, &out->distribution,
                               err));
    if (request->depth > 0 && out->has_load && out->can_send)
        NB_TRY(nb_arrivals_loss(&out->arrivals, out->load, request->depth,
                                &out->distribution, &out->loss, err));
    if (request->depth > 0)
        NB_TRY(nb_dimension_max_load(&out->arrivals, request->depth,
                                     request->overflow, &out->max_load, err));
done:
    if (status != NB_OK)
        nb_buffer_answer_release(out);
    return status;
}

void nb_buffer_answer_release(struct nb_buffer_answer *answer)
{
    nb_distribution_release(&answer->distribution);
    nb_arrivals_release(&answer->arrivals);
    *answer = (struct nb_buffer_answer){ 0 };
}

static void buffer_add(struct nb_point *out, const char *name,
                       struct nb_ratio exact, struct nb_bracket bracket,
                       const char *unit, const char *source)
{
    if (nb_ratio_is_known(exact))
        nb_point_add_exact(out, name, exact, unit, "closed form", source);
    else
        nb_point_add_bracket(out, name, bracket.lower, bracket.upper, unit,
                             buffer_recursion, source);
}

/* Adds depth, moments and decay rate of the unbounded queue. */
static void buffer_add_law(const struct nb_buffer_answer *buffer,
                           struct nb_point *out)
{
    static const char squared[] = "packets^2";
    const struct nb_distribution *distribution = &buffer->distribution;
    const char *source = buffer_source(buffer);
    const struct nb_bracket depth =
        nb_distribution_depth(distribution, buffer->request.overflow);
    struct nb_ratio mean, variance;
    nb_arrivals_moments(&buffer->arrivals, buffer->load, &mean, &variance);
    /* A whole number is exact if the bracket contains no other. */
    if (depth.lower == depth.upper && depth.upper < 0x1p53)
        nb_point_add_exact(out, "buffer_depth",
                           (struct nb_ratio){ (int64_t)depth.upper, 1 },
                           buffer_packets, buffer_recursion, source);
    else
        nb_point_add_bracket(out, "buffer_depth", depth.lower, depth.upper,
                             buffer_packets, buffer_recursion, source);
    buffer_add(out, "mean_occupancy", mean, nb_distribution_mean(distribution),
               buffer_packets, source);
    buffer_add(out, "variance_occupancy", variance,
               nb_distribution_variance(distribution), squared, source);
    const struct nb_bracket rate =
        nb_bracket_of(distribution->rate, distribution->rate_error);
    if (!(rate.upper < INFINITY)) /* the queue never grows */
        nb_point_add_exact(out, "decay_rate", nb_ratio_infinity, "1/packet",
                           "closed form", source);
    else
        nb_point_add_bracket(out, "decay_rate", rate.lower, rate.upper,
                             "1/packet", "root finding", source);
}

static void buffer_add_saturated(const struct nb_buffer_answer *buffer,
                                 struct nb_point *out)
{
    static const char *const names[] = { "buffer_depth", "mean_occupancy",
                                         "variance_occupancy" };
    static const char *const units[] = { "packets", "packets", "packets^2" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        nb_point_add_exact(out, names[i], nb_ratio_infinity, units[i],
                           "saturated", buffer_source(buffer));
    nb_point_add_exact(out, "decay_rate", nb_ratio_zero, "1/packet",
                       "saturated", buffer_source(buffer));
    nb_point_add_note(out, "saturated",
                      "the queue receives at least as much as it can serve: "
                      "without a limit it grows forever");
}

/* Adds the overflow and loss probabilities of a buffer of that depth. */
static void buffer_add_depth(const struct nb_buffer_answer *buffer,
                             struct nb_point *out)
{
    const char *source = buffer_source(buffer);
    const struct nb_bracket tail =
        buffer->is_stable
            ? nb_distribution_tail_bracket(&buffer->distribution,
                                           (double)buffer->request.depth)
            : (struct nb_bracket){ 1, 1 };
    nb_point_add_bracket(out, "overflow_probability", tail.lower, tail.upper,
                         buffer_fraction, buffer_recursion, source);
    if (buffer->can_send)
        nb_point_add_bracket(out, "loss_probability", buffer->loss.lower,
                             buffer->loss.upper, buffer_fraction,
                             buffer_recursion, source);
    else
        nb_point_add_note(out, "loss_probability",
                          "the sources cannot send at that rate");
}

/* Adds the load that the buffer can carry, and how much faster its channel must
 * be to carry the given load. */
static void buffer_add_limits(const struct nb_buffer_answer *buffer,
                              struct nb_point *out)
{
    static const char method[] = "root finding, verified";
    nb_point_add_bracket(out, "max_load", buffer->max_load.lower,
                         buffer->max_load.upper, "fraction of capacity", method,
                         buffer_source(buffer));
    nb_queue_add_speedup(out, &buffer->arrivals, buffer->load, buffer->max_load,
                         method, "Singh2005, section 7.5.1");
}

/* Adds the tail from 0 to slightly beyond the requested depths; no rows if
 * there is no distribution. */
static void buffer_add_ccdf(const struct nb_buffer_answer *buffer,
                            struct nb_point *out)
{
    const size_t table = nb_point_add_table(
        out, "ccdf", false,
        "depth [packets],probability:number,lower:number,upper:number");
    if (!buffer->is_stable)
        return;
    const struct nb_distribution *distribution = &buffer->distribution;
    const double found =
        nb_distribution_depth(distribution, buffer->request.overflow).upper;
    const double far = fmax(found, (double)buffer->request.depth);
    const double last = fmin(far + ceil(far / 20) + 1, 0x1p62);
    const double step = ceil((last + 1) / BUFFER_ROWS);
    for (double n = 0; n <= last; n += step) {
        const struct nb_bracket tail =
            nb_distribution_tail_bracket(distribution, n);
        const double value = nb_distribution_tail(distribution, n);
        nb_table_add_whole(out, table, (int64_t)n);
        nb_table_add_number(out, table,
                            fmin(fmax(value, tail.lower), tail.upper));
        nb_table_add_number(out, table, tail.lower);
        nb_table_add_number(out, table, tail.upper);
    }
    if (step > 1) {
        char text[120];
        nb_snprintf(text, sizeof text,
                    "the table ccdf has only depths that are multiples of %.0f",
                    step);
        nb_point_add_note(out, "ccdf", text);
    }
}

static void buffer_note_inputs(const struct nb_buffer_answer *buffer,
                               struct nb_point *out)
{
    const struct nb_arrivals *arrivals = &buffer->arrivals;
    char text[160], load[NB_RATIO_TEXT];
    nb_ratio_print(buffer->load.exact, load);
    if (arrivals->probabilities != NULL)
        snprintf(text, sizeof text,
                 "%zu with the given rates, total load %s; for another load, "
                 "every rate is scaled",
                 arrivals->probability_count, load);
    else if (arrivals->kind != NB_ARRIVE_POISSON && buffer->request.radix < 1)
        snprintf(text, sizeof text, "%lld, all with the same load",
                 (long long)arrivals->radix);
    else
        return;
    nb_point_add_note(out, "inputs", text);
}

void nb_buffer_report(const struct nb_buffer_answer *answer,
                      struct nb_point *out)
{
    if (answer->has_load && answer->is_stable)
        buffer_add_law(answer, out);
    else if (answer->has_load)
        buffer_add_saturated(answer, out);
    if (answer->has_load && answer->request.depth > 0)
        buffer_add_depth(answer, out);
    if (answer->request.depth > 0)
        buffer_add_limits(answer, out);
    buffer_note_inputs(answer, out);
    if (answer->has_load)
        nb_queue_note_forgetting(out, &answer->arrivals, answer->load);
    if (answer->has_load)
        buffer_add_ccdf(answer, out);
}

NB_DEFINE_ANSWER(buffer)

const struct nb_question_kind nb_question_kind_buffer = {
    .form = {
        .name = "buffer",
.summary = "depth, loss and maximum load of a switch's output queue",
        .example = "netbound buffer --radix 16 --load 0.9 --overflow 1e-15",
        .title = "<Depth of a buffer>[ of a switch of {radix} inputs][ at load {load}]",
        .options = buffer_options,
        .tables = "ccdf",
    },
    .size = sizeof(struct nb_buffer_question),
    .answer = buffer_answer,
};
