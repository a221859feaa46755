/* netbound buffer: how deep the queue of an output must be. */
#include "questions/buffer/buffer_question.h"

#include "core/try.h"
#include "queueing/dimension.h"
#include "core/unit.h"

#include <math.h>

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

static enum nb_status buffer_read(const struct nb_buffer_question *request,
                                  struct nb_buffer_answer *out,
                                  struct nb_error *err)
{
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

static const struct nb_ratio buffer_inexact = { 0, 0 };

#define BUFFER_RECURSION "positive recursion, bracketed"

/* method: if there is no closed form */
static struct nb_found buffer_found(struct nb_ratio exact,
                                    struct nb_bracket bracket,
                                    const char *method, const char *source)
{
    if (nb_ratio_is_known(exact))
        return (struct nb_found){ nb_enclosure_of_ratio(exact), "closed form",
                                  source };
    return (struct nb_found){
        { .lower = bracket.lower, .upper = bracket.upper }, method, source
    };
}

/* Finds depth, moments and decay rate of the unbounded queue. */
static enum nb_status
buffer_find_queue(const struct nb_buffer_question *request, const char *source,
                  struct nb_buffer_answer *out, struct nb_error *err)
{
    struct nb_distribution *queue = &out->distribution;
    struct nb_ratio mean, variance;
    enum nb_status status;
    NB_TRY(nb_arrivals_law(&out->arrivals, out->load, queue, err));
    nb_arrivals_moments(&out->arrivals, out->load, &mean, &variance);
    const struct nb_bracket rate =
        nb_bracket_of(queue->rate, queue->rate_error);
    const struct nb_ratio infinite = /* the queue never grows */
        rate.upper < INFINITY ? buffer_inexact : nb_ratio_infinity;
    out->depth = (struct nb_found){ nb_enclosure_of_count(nb_distribution_depth(
                                        queue, request->overflow)),
                                    BUFFER_RECURSION, source };
    out->mean = buffer_found(mean, nb_distribution_mean(queue),
                             BUFFER_RECURSION, source);
    out->variance = buffer_found(variance, nb_distribution_variance(queue),
                                 BUFFER_RECURSION, source);
    out->decay_rate = buffer_found(infinite, rate, "root finding", source);
done:
    return status;
}

/* Finds what a buffer of the given depth loses, and the load it can carry. */
static enum nb_status
buffer_find_limits(const struct nb_buffer_question *request, const char *source,
                   struct nb_buffer_answer *out, struct nb_error *err)
{
    static const char root[] = "root finding, verified";
    const struct nb_bracket tail =
        out->is_stable ? nb_distribution_tail_bracket(&out->distribution,
                                                      (double)request->depth)
                       : (struct nb_bracket){ 1, 1 };
    enum nb_status status = NB_OK;
    if (out->has_load)
        out->overflow =
            buffer_found(buffer_inexact, tail, BUFFER_RECURSION, source);
    if (out->has_load && out->can_send) {
        NB_TRY(nb_arrivals_loss(&out->arrivals, out->load, request->depth,
                                &out->distribution, &out->loss, err));
        out->loss_found =
            buffer_found(buffer_inexact, out->loss, BUFFER_RECURSION, source);
    }
    NB_TRY(nb_dimension_max_load(&out->arrivals, request->depth,
                                 request->overflow, &out->max_load, err));
    out->load_found = buffer_found(buffer_inexact, out->max_load, root, source);
    out->speedup =
        nb_queue_speedup(&out->arrivals, out->load, out->max_load, root);
done:
    return status;
}

static enum nb_status buffer_compute(const struct nb_buffer_question *request,
                                     const struct nb_run *run,
                                     struct nb_buffer_answer *out,
                                     struct nb_error *err)
{
    enum nb_status status;
    (void)run;
    out->given_depth = request->depth;
    out->has_radix = request->radix > 0;
    NB_TRY(buffer_read(request, out, err));
    const char *source = nb_arrivals_have_bursts(&out->arrivals)
                             ? "Ramaswami1988"
                             : "Singh2005, equation 7.3";
    if (out->has_load && out->is_stable) {
        NB_TRY(buffer_find_queue(request, source, out, err));
    } else if (out->has_load) {
        out->depth = out->mean = out->variance =
            (struct nb_found){ nb_enclosure_of_ratio(nb_ratio_infinity),
                               "saturated", source };
        out->decay_rate =
            (struct nb_found){ nb_enclosure_of_ratio(nb_ratio_zero),
                               "saturated", source };
    }
    if (request->depth > 0)
        NB_TRY(buffer_find_limits(request, source, out, err));
done:
    return status;
}

void nb_buffer_answer_release(struct nb_buffer_answer *answer)
{
    nb_distribution_release(&answer->distribution);
    nb_arrivals_release(&answer->arrivals);
    *answer = (struct nb_buffer_answer){ 0 };
}

#define BUFFER_ROW(field, name, unit)                                          \
    NB_QUANTITY(struct nb_buffer_answer, field, name, unit)

static const struct nb_quantity_row buffer_rows[] = {
    BUFFER_ROW(depth, "buffer_depth", "packets"),
    BUFFER_ROW(mean, "mean_occupancy", "packets"),
    BUFFER_ROW(variance, "variance_occupancy", "packets^2"),
    BUFFER_ROW(decay_rate, "decay_rate", "1/packet"),
    BUFFER_ROW(overflow, "overflow_probability", "1"),
    BUFFER_ROW(loss_found, "loss_probability", "1"),
    BUFFER_ROW(load_found, "max_load", "fraction of capacity"),
    BUFFER_ROW(speedup, "speedup", "1"),
    { 0 },
};

/* Adds the tail from 0 to slightly beyond the requested depths; no rows if
 * there is no distribution. */
static void buffer_report_ccdf(const struct nb_buffer_answer *answer,
                               struct nb_point *out)
{
    const struct nb_distribution *law = &answer->distribution;
    const size_t table = nb_table_start_as(
        out, &nb_queue_ccdf, (struct nb_table_variant){ .without = "bound" });
    if (!answer->is_stable)
        return;
    const double far =
        fmax(answer->depth.value.upper, (double)answer->given_depth);
    const double last = fmin(far + ceil(far / 20) + 1, 0x1p62);
    const double step = ceil((last + 1) / BUFFER_ROWS);
    for (double n = 0; n <= last; n += step) {
        const struct nb_bracket tail = nb_distribution_tail_bracket(law, n);
        NB_ROW(out, table, (int64_t)n,
               fmin(fmax(nb_distribution_tail(law, n), tail.lower), tail.upper),
               tail.lower, tail.upper);
    }
    if (step > 1)
        nb_point_note(
            out, "ccdf",
            "the table ccdf has only depths that are multiples of %.0f", step);
}

static void buffer_note_inputs(const struct nb_buffer_answer *answer,
                               struct nb_point *out)
{
    const struct nb_arrivals *arrivals = &answer->arrivals;
    char load[NB_RATIO_TEXT];
    nb_ratio_print(answer->load.exact, load);
    if (arrivals->probabilities != NULL)
        nb_point_note(out, "inputs",
                      "%zu with the given rates, total load %s; for another "
                      "load, every rate is scaled",
                      arrivals->probability_count, load);
    else if (arrivals->kind != NB_ARRIVE_POISSON && !answer->has_radix)
        nb_point_note(out, "inputs", "%lld, all with the same load",
                      (long long)arrivals->radix);
}

static void buffer_report(const struct nb_buffer_answer *answer,
                          struct nb_point *out)
{
    const bool has_depth = answer->given_depth > 0;
    nb_point_add_quantities(out, buffer_rows, answer, NULL, NULL, NULL);
    if (answer->has_load && !answer->is_stable)
        nb_point_add_note(out, "saturated",
                          "the queue receives at least as much as it can "
                          "serve: without a limit it grows forever");
    if (answer->has_load && has_depth && !answer->can_send)
        nb_point_add_note(out, "loss_probability",
                          "the sources cannot send at that rate");
    if (has_depth)
        nb_queue_note_speedup(out, &answer->arrivals);
    buffer_note_inputs(answer, out);
    if (!answer->has_load)
        return;
    nb_queue_note_forgetting(out, &answer->arrivals, answer->load);
    buffer_report_ccdf(answer, out);
}

NB_DEFINE_QUESTION(buffer);
NB_DEFINE_RELEASE(buffer);

const struct nb_question_kind nb_question_kind_buffer = {
    .form = {
        .name = "buffer",
        .summary = "depth, loss and maximum load of a switch's output queue",
        .example = "netbound buffer --radix 16 --load 0.9 --overflow 1e-15",
        .title = "<Depth of a buffer>[ of a switch of {radix} inputs][ at load {load}]",
        .options = buffer_options,
        .quantities = NB_QUANTITIES(buffer_rows),
        .tables = NB_TABLES(&nb_queue_ccdf),
    },
    NB_CALLS_OF(buffer),
    .release = buffer_release,
};
