/* netbound buffer: how deep the queue of an output must be. */
#include "questions/problem.h"
#include "questions/queue_options.h"

#include "core/enclosure.h"
#include "core/try.h"
#include "queueing/dimension.h"

#include <math.h>
#include <stdio.h>

enum { BUFFER_ROWS = 4000, BUFFER_MOST = 1000000000 };

static const struct nb_parameter buffer_options[] = {
    NB_OPTION_RADIX,
    NB_OPTION_LOAD,
    NB_OPTION_RATE,
    NB_OPTION_CLOCK,
    { .name = "inputs",
      .help = "probabilities of unequal inputs instead of radix and load, such "
              "as 0.5,8*0.05 (in sweeps 0.5+8*0.05)",
      .type = NB_WORD,
      .initial = "" },
    NB_OPTION_OVERFLOW,
    NB_OPTION_ARRIVALS,
    { .name = "depth",
      .help = "packets that the buffer holds, the one in service among them",
      .type = NB_WHOLE,
      .initial = "",
      .least = 1,
      .most = BUFFER_MOST },
    { 0 },
};

/* What is asked. Owns arrivals and law. */
struct buffer {
    struct nb_arrivals arrivals;
    struct nb_queue_load load;
    bool has_load;
    int64_t depth; /* 0: not given */
    double overflow;
    bool is_stable;
    bool can_send;     /* the sources can send the load */
    struct nb_law law; /* where it is stable */
};

static const char *const buffer_packets = "packets";
static const char *const buffer_fraction = "1";
static const char *const buffer_recursion = "positive recursion, bracketed";

static const char *buffer_source(const struct buffer *buffer)
{
    return buffer->arrivals.kind == NB_ARRIVE_ONOFF ? "Ramaswami1988"
                                                    : "Singh2005, equation 7.3";
}

/* The option inputs. */
static enum nb_status buffer_read_inputs(const struct nb_question *question,
                                         const char *inputs, struct buffer *out,
                                         struct nb_error *err)
{
    struct nb_ratio sum = nb_ratio_zero;
    const char *radix = nb_model_get(question->model, "radix");
    if (radix != NULL)
        return nb_fail(err, NB_USAGE,
                       "--inputs %.60s and --radix %s are both given "
                       "(permitted: one of them)",
                       inputs, radix);
    if (out->has_load)
        return nb_fail(err, NB_USAGE,
                       "--inputs %.60s and a load are both given (permitted: "
                       "one of them, since the load is the inputs' sum)",
                       inputs);
    if (out->arrivals.kind != NB_ARRIVE_BERNOULLI)
        return nb_fail(err, NB_USAGE,
                       "--inputs %.60s and --arrivals %.60s do not go together "
                       "(permitted: bernoulli)",
                       inputs, nb_model_get(question->model, "arrivals"));
    const enum nb_status status =
        nb_arrivals_read_inputs(inputs, &out->arrivals, &sum, err);
    out->has_load = true;
    out->load = nb_load_of_ratio(sum);
    return status;
}

static enum nb_status buffer_read(const struct nb_question *question,
                                  struct buffer *out, struct nb_error *err)
{
    const char *depth = nb_model_get(question->model, "depth");
    const char *inputs = nb_model_get(question->model, "inputs");
    enum nb_status status = NB_OK;
    NB_TRY(nb_question_arrivals(question, &out->arrivals, err));
    NB_TRY(nb_question_load(question, &out->load, &out->has_load, err));
    out->overflow = nb_question_overflow(question);
    if (inputs != NULL)
        NB_TRY(buffer_read_inputs(question, inputs, out, err));
    if (depth != NULL)
        NB_TRY(
            nb_integer_read(depth, "depth", 1, BUFFER_MOST, &out->depth, err));
    if (!out->has_load && depth == NULL)
        return nb_fail(err, NB_USAGE,
                       "buffer needs --load (such as 0.9) or --depth (such as "
                       "160), or both");
    out->can_send = nb_arrivals_check(&out->arrivals, out->load, NULL) == NB_OK;
    if (out->has_load && !out->can_send && out->load.idle > 0)
        NB_TRY(nb_arrivals_check(&out->arrivals, out->load, err));
    out->is_stable = nb_arrivals_are_stable(&out->arrivals, out->load);
done:
    return status;
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

/* Depth, moments and decay of the unbounded queue. */
static void buffer_add_law(const struct buffer *buffer, struct nb_point *out)
{
    static const char squared[] = "packets^2";
    const struct nb_law *law = &buffer->law;
    const char *source = buffer_source(buffer);
    const struct nb_bracket depth = nb_law_depth(law, buffer->overflow);
    struct nb_ratio mean, variance;
    nb_arrivals_moments(&buffer->arrivals, buffer->load, &mean, &variance);
    /* A whole number is exact where the bracket holds no other. */
    if (depth.lower == depth.upper && depth.upper < 0x1p53)
        nb_point_add_exact(out, "buffer_depth",
                           (struct nb_ratio){ (int64_t)depth.upper, 1 },
                           buffer_packets, buffer_recursion, source);
    else
        nb_point_add_bracket(out, "buffer_depth", depth.lower, depth.upper,
                             buffer_packets, buffer_recursion, source);
    buffer_add(out, "mean_occupancy", mean, nb_law_mean(law), buffer_packets,
               source);
    buffer_add(out, "variance_occupancy", variance, nb_law_variance(law),
               squared, source);
    const struct nb_bracket rate = nb_bracket_of(law->rate, law->rate_error);
    if (!(rate.upper < INFINITY)) /* the queue never grows */
        nb_point_add_exact(out, "decay_rate", nb_ratio_infinity, "1/packet",
                           "closed form", source);
    else
        nb_point_add_bracket(out, "decay_rate", rate.lower, rate.upper,
                             "1/packet", "root finding", source);
}

static void buffer_add_saturated(const struct buffer *buffer,
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
                      "more arrives than the queue can serve, or as much: "
                      "without bounds it grows for ever");
}

/* What a buffer of that depth overflows and loses. */
static enum nb_status buffer_add_depth(const struct buffer *buffer,
                                       struct nb_point *out,
                                       struct nb_error *err)
{
    const char *source = buffer_source(buffer);
    struct nb_bracket loss;
    enum nb_status status = NB_OK;
    if (buffer->can_send)
        status = nb_arrivals_loss(&buffer->arrivals, buffer->load,
                                  buffer->depth, &buffer->law, &loss, err);
    if (status != NB_OK)
        return status;
    const struct nb_bracket tail =
        buffer->is_stable
            ? nb_law_tail_bracket(&buffer->law, (double)buffer->depth)
            : (struct nb_bracket){ 1, 1 };
    nb_point_add_bracket(out, "overflow_probability", tail.lower, tail.upper,
                         buffer_fraction, buffer_recursion, source);
    if (buffer->can_send)
        nb_point_add_bracket(out, "loss_probability", loss.lower, loss.upper,
                             buffer_fraction, buffer_recursion, source);
    else
        nb_point_add_note(out, "loss_probability",
                          "the sources cannot send that much");
    return NB_OK;
}

/* What the buffer can carry, and how much faster than needed its channel must
 * be to carry the load. */
static enum nb_status buffer_add_limits(const struct buffer *buffer,
                                        struct nb_point *out,
                                        struct nb_error *err)
{
    static const char method[] = "root finding, verified";
    struct nb_bracket most;
    const enum nb_status status = nb_dimension_max_load(
        &buffer->arrivals, buffer->depth, buffer->overflow, &most, err);
    if (status != NB_OK)
        return status;
    nb_point_add_bracket(out, "max_load", most.lower, most.upper,
                         "fraction of capacity", method, buffer_source(buffer));
    nb_queue_add_speedup(out, buffer->load, most, method,
                         "Singh2005, section 7.5.1");
    return NB_OK;
}

/* The tail from 0 to a little beyond the depths asked for; no rows without
 * a law. */
static void buffer_add_ccdf(const struct buffer *buffer, struct nb_point *out)
{
    const size_t table = nb_point_add_table(
        out, "ccdf", false,
        "depth [packets],probability:number,lower:number,upper:number");
    if (!buffer->is_stable)
        return;
    const struct nb_law *law = &buffer->law;
    const double found = nb_law_depth(law, buffer->overflow).upper;
    const double far = fmax(found, (double)buffer->depth);
    const double last = fmin(far + ceil(far / 20) + 1, 0x1p62);
    const double step = ceil((last + 1) / BUFFER_ROWS);
    for (double n = 0; n <= last; n += step) {
        const struct nb_bracket tail = nb_law_tail_bracket(law, n);
        const double value = (double)nb_law_tail(law, n);
        nb_table_add_whole(out, table, (int64_t)n);
        nb_table_add_number(out, table,
                            fmin(fmax(value, tail.lower), tail.upper));
        nb_table_add_number(out, table, tail.lower);
        nb_table_add_number(out, table, tail.upper);
    }
    if (step > 1) {
        char text[120];
        snprintf(text, sizeof text,
                 "the table ccdf has every depth that is a multiple of %.0f",
                 step);
        nb_point_add_note(out, "ccdf", text);
    }
}

static void buffer_note_inputs(const struct nb_question *question,
                               const struct buffer *buffer,
                               struct nb_point *out)
{
    const struct nb_arrivals *arrivals = &buffer->arrivals;
    char text[120], load[NB_RATIO_TEXT];
    nb_ratio_print(buffer->load.exact, load);
    if (arrivals->probabilities != NULL)
        snprintf(text, sizeof text,
                 "%zu of their own, load %s; other loads multiply all of them",
                 arrivals->probability_count, load);
    else if (arrivals->kind != NB_ARRIVE_POISSON &&
             nb_model_get(question->model, "radix") == NULL)
        snprintf(text, sizeof text, "%lld alike", (long long)arrivals->radix);
    else
        return;
    nb_point_add_note(out, "inputs", text);
}

static enum nb_status buffer_answer(const struct nb_question *question,
                                    struct nb_point *out, struct nb_error *err)
{
    struct buffer buffer = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(buffer_read(question, &buffer, err));
    if (buffer.has_load && buffer.is_stable) {
        NB_TRY(
            nb_arrivals_law(&buffer.arrivals, buffer.load, &buffer.law, err));
        buffer_add_law(&buffer, out);
    } else if (buffer.has_load) {
        buffer_add_saturated(&buffer, out);
    }
    if (buffer.has_load && buffer.depth > 0)
        NB_TRY(buffer_add_depth(&buffer, out, err));
    if (buffer.depth > 0)
        NB_TRY(buffer_add_limits(&buffer, out, err));
    buffer_note_inputs(question, &buffer, out);
    if (buffer.has_load)
        buffer_add_ccdf(&buffer, out);
done:
    nb_law_release(&buffer.law);
    nb_arrivals_release(&buffer.arrivals);
    return status;
}

const struct nb_question_kind nb_question_kind_buffer = {
    .form = {
        .name = "buffer",
        .summary = "depth, loss and largest load of a switch output's queue",
        .example = "netbound buffer --radix 16 --load 0.9 --overflow 1e-15",
        .options = buffer_options,
        .tables = "ccdf",
    },
    .answer = buffer_answer,
};
