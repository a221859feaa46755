/* netbound reorder: how deep reorder buffers must be. */
#include "questions/reorder/reorder_question.h"

#include "core/try.h"
#include "core/unit.h"

#include <math.h>
#include <stdio.h>

enum { REORDER_ROWS = 1000, REORDER_HOPS = 5 /* default */ };

#define REORDER(field) offsetof(struct nb_reorder_question, field)

static const struct nb_parameter reorder_options[] = {
    NB_OPTION(
        "topology", REORDER(topology), NETWORK, WORD, "",
        "a fat tree routed by rrr, such as fattree:k=16,n=3; or use --hops",
        .detail = "It has 2n-1 hops of k inputs. Or use --radix and --hops.",
        .apart = "radix hops"),
    NB_OPTION(
        "radix", REORDER(radix), ROUTER, WHOLE, "",
        "inputs of a switch, each sending equally to all outputs; default 16",
        .counts = "ports", .least = 1, .most = 1e6),
    NB_OPTION("hops", REORDER(hops), NETWORK, WHOLE, "",
              "queues on a path; default 5", .counts = "hops", .least = 1,
              .most = 1000),
    NB_OPTION("load", REORDER(load), TRAFFIC, NUMBER, "",
              "load of every queue and of the stream, a fraction of capacity; "
              "saturated from 1 on",
              .most = 1e6, .unit = "fraction"),
    NB_OPTION_RATE(REORDER(rate)),
    NB_OPTION_CLOCK(REORDER(clock)),
    NB_OPTION_OVERFLOW(REORDER(overflow)),
    NB_OPTION_ARRIVALS(REORDER(arrivals)),
    NB_OPTION_LAW(REORDER(distribution), "queue"),
    NB_OPTION("bound", REORDER(bound), MEASUREMENT, CHOICE, "exact",
              "compute reorder_depth and max_load from the exact tail, or "
              "Chernoff's bound",
              .detail = "The bound is Singh2005, theorem 7.",
              .choices = "exact|chernoff"),
    NB_OPTION("depth", REORDER(depth), MEASUREMENT, WHOLE, "",
              "depth of a given reorder buffer, in packets",
              .detail =
                  "Reports the probability that this depth or more is needed, "
                  "and the largest load at which that stays below --overflow.",
              .counts = "packets", .least = 1, .most = NB_REORDER_DELAYS,
              .either = "load rate"),
    { 0 },
};

static const char reorder_singh[] = "Singh2005, section 7.5.2";
static const char reorder_theorem[] = "Singh2005, equation 7.7";

/* Reads the queues on the path, from the topology or from radix and hops. */
static enum nb_status reorder_read(struct nb_reorder_answer *out,
                                   struct nb_error *err)
{
    const struct nb_reorder_question *request = &out->request;
    uint32_t k, n;
    enum nb_status status = NB_OK;
    NB_TRY(nb_queue_arrivals(request->arrivals, request->radix, &out->arrivals,
                             err));
    out->hops = request->hops > 0 ? request->hops : REORDER_HOPS;
    if (request->topology != NULL) {
        NB_TRY(nb_question_tree(request->topology, "--radix and --hops", &k, &n,
                                err));
        out->arrivals.radix = k;
        out->hops = 2 * (int64_t)n - 1;
    }
    out->has_load =
        nb_queue_load_is_given(request->load, request->rate, &out->load);
    out->is_bursty = nb_arrivals_have_bursts(&out->arrivals);
    if (out->is_bursty && request->bound == NB_REORDER_CHERNOFF)
        return nb_fail(err, NB_USAGE,
                       "--bound chernoff: theorem 7 does not hold for bursts "
                       "(permitted with --arrivals %s: exact)",
                       nb_arrival_kind_at((size_t)out->arrivals.kind)->name);
    if (out->is_bursty && out->arrivals.spread == NB_SPREAD_BURST)
        return nb_fail(err, NB_INVALID,
                       "spread=burst: packets of a burst that stay together "
                       "do not overtake each other (permitted: spread=packet)");
done:
    return status;
}

/* Computes depths, at a load below 1. */
static enum nb_status
reorder_find_depth(const struct nb_reorder_network *network,
                   struct nb_reorder_answer *out, struct nb_error *err)
{
    const struct nb_reorder_source source =
        nb_reorder_source_of(network, out->load);
    const double overflow = out->request.overflow;
    const double least = nb_reorder_least(overflow);
    enum nb_status status = NB_OK;
    NB_TRY(nb_reorder_delay(network, out->load, least, &out->delay, err));
    NB_TRY(nb_reorder_find(&out->delay, &source, least, SIZE_MAX, &out->tails,
                           err));
    out->depth = nb_reorder_depth(&out->tails, overflow);
    if (out->is_bursty)
        return NB_OK;
    NB_TRY(nb_reorder_bound_find(&out->delay, out->load, &out->bound, err));
    NB_TRY(nb_reorder_bound_list(&out->bound, overflow, err));
    out->bound_depth = nb_reorder_bound_depth(&out->bound, overflow);
done:
    return status;
}

/* The probability that a buffer of the given depth overflows, and the largest
 * load for it. */
static enum nb_status
reorder_find_limits(const struct nb_reorder_network *network,
                    struct nb_reorder_answer *out, struct nb_error *err)
{
    const size_t depth = (size_t)out->request.depth;
    enum nb_status status = NB_OK;
    if (out->has_load)
        NB_TRY(nb_reorder_probability(network, NB_REORDER_EXACT, out->load,
                                      depth, &out->overflow, err));
    if (out->has_load && !out->is_bursty)
        NB_TRY(nb_reorder_probability(network, NB_REORDER_CHERNOFF, out->load,
                                      depth, &out->overflow_bound, err));
    NB_TRY(nb_reorder_max_load(network, (enum nb_reorder_way)out->request.bound,
                               depth, out->request.overflow, &out->max_load,
                               err));
done:
    return status;
}

enum nb_status nb_reorder_ask(const struct nb_reorder_question *request,
                              const struct nb_run *run,
                              struct nb_reorder_answer *out,
                              struct nb_error *err)
{
    *out = (struct nb_reorder_answer){ 0 };
    const enum nb_status held =
        nb_request_check("reorder", reorder_options, request, err);
    if (held != NB_OK)
        return held;
    enum nb_status status = NB_OK;
    (void)run;
    *out = (struct nb_reorder_answer){ .request = *request };
    NB_TRY(reorder_read(out, err));
    const struct nb_reorder_network network = {
        .arrivals = &out->arrivals,
        .hops = out->hops,
        .distribution = (enum nb_hop_law)request->distribution,
    };
    if (out->has_load && out->load.idle.high > 0)
        NB_TRY(reorder_find_depth(&network, out, err));
    if (request->depth > 0)
        NB_TRY(reorder_find_limits(&network, out, err));
done:
    if (status != NB_OK)
        nb_reorder_answer_release(out);
    return status;
}

void nb_reorder_answer_release(struct nb_reorder_answer *answer)
{
    nb_reorder_bound_release(&answer->bound);
    nb_reorder_release(&answer->tails);
    nb_distribution_release(&answer->delay);
    nb_arrivals_release(&answer->arrivals);
    *answer = (struct nb_reorder_answer){ 0 };
}

static void reorder_add_depth(struct nb_point *out, const char *name,
                              struct nb_bracket depth, const char *method,
                              const char *source)
{
    const struct nb_ratio whole = { (int64_t)depth.lower, 1 };
    if (depth.lower == depth.upper)
        nb_point_add_exact(out, name, whole, "packets", method, source);
    else
        nb_point_add_bracket(out, name, depth.lower, depth.upper, "packets",
                             method, source);
}

static const char *reorder_method(const struct nb_reorder_answer *answer,
                                  int way)
{
    if (way == NB_REORDER_CHERNOFF)
        return "Chernoff bound";
    return answer->is_bursty ? "phases and counts, slot by slot"
                             : "Poisson-binomial tail";
}

static void reorder_note_rows(size_t step, struct nb_point *out)
{
    char text[120];
    snprintf(text, sizeof text,
             "table ccdf lists depths %zu packets apart, about %d rows", step,
             REORDER_ROWS);
    if (step > 1)
        nb_point_add_note(out, "rows", text);
}

static size_t reorder_add_table(bool has_bound, struct nb_point *out)
{
    return nb_point_add_table(
        out, "ccdf", false,
        has_bound ? "depth [packets],probability:number,lower:number,"
                    "upper:number,bound:number"
                  : "depth [packets],probability:number,lower:number,"
                    "upper:number");
}

/* Tails from depth 0 up to where all are below the overflow probability. */
static void reorder_add_ccdf(const struct nb_reorder_answer *answer,
                             struct nb_point *out)
{
    const size_t table = reorder_add_table(!answer->is_bursty, out);
    const size_t end =
        (size_t)fmax(answer->depth.upper, answer->bound_depth.upper);
    const size_t step = end / REORDER_ROWS + 1;
    reorder_note_rows(step, out);
    for (size_t n = 0; n < end + step; n += step) {
        const size_t here = n < end ? n : end;
        const struct nb_bracket tail = nb_reorder_tail(&answer->tails, here);
        nb_table_add_whole(out, table, (int64_t)here);
        nb_table_add_number(out, table, tail.upper);
        nb_table_add_number(out, table, tail.lower);
        nb_table_add_number(out, table, tail.upper);
        if (!answer->is_bursty)
            nb_table_add_number(
                out, table, nb_reorder_bound_tail(&answer->bound, here).upper);
    }
}

static void reorder_add_depths(const struct nb_reorder_answer *answer,
                               struct nb_point *out)
{
    const int way = answer->request.bound;
    const bool is_exact = way == NB_REORDER_EXACT;
    reorder_add_depth(out, "reorder_depth",
                      is_exact ? answer->depth : answer->bound_depth,
                      reorder_method(answer, way),
                      is_exact ? reorder_singh : reorder_theorem);
    if (!answer->is_bursty)
        reorder_add_depth(out, "reorder_depth_bound", answer->bound_depth,
                          reorder_method(answer, NB_REORDER_CHERNOFF),
                          reorder_theorem);
    reorder_add_ccdf(answer, out);
}

static void reorder_add_saturated(const struct nb_reorder_answer *answer,
                                  struct nb_point *out)
{
    nb_point_add_exact(out, "reorder_depth", nb_ratio_infinity, "packets",
                       reorder_method(answer, answer->request.bound),
                       reorder_singh);
    if (!answer->is_bursty)
        nb_point_add_exact(
            out, "reorder_depth_bound", nb_ratio_infinity, "packets",
            reorder_method(answer, NB_REORDER_CHERNOFF), reorder_theorem);
    reorder_add_table(!answer->is_bursty, out);
    nb_point_add_note(out, "saturated",
                      "the queues, and so the delays, grow without bound");
}

/* The probability that the given depth or more is needed, at a given load. */
static void reorder_add_overflow(const struct nb_reorder_answer *answer,
                                 struct nb_point *out)
{
    nb_point_add_bracket(out, "overflow_probability", answer->overflow.lower,
                         answer->overflow.upper, "1",
                         reorder_method(answer, NB_REORDER_EXACT),
                         reorder_singh);
    if (!answer->is_bursty)
        nb_point_add_bracket(
            out, "overflow_bound", answer->overflow_bound.lower,
            answer->overflow_bound.upper, "1",
            reorder_method(answer, NB_REORDER_CHERNOFF), reorder_theorem);
}

/* The largest load for the given depth, and the speedup that it takes. */
static void reorder_add_load(const struct nb_reorder_answer *answer,
                             struct nb_point *out)
{
    const char *method = answer->request.bound == NB_REORDER_EXACT
                             ? "root of the exact tail"
                             : "root of the Chernoff bound";
    nb_point_add_bracket(out, "max_load", answer->max_load.lower,
                         answer->max_load.upper, "fraction of capacity", method,
                         reorder_singh);
    nb_queue_add_speedup(out, &answer->arrivals, answer->load, answer->max_load,
                         method, "Singh2005, section 7.5.1");
}

static void reorder_note(const struct nb_reorder_answer *answer,
                         struct nb_point *out)
{
    char text[200];
    snprintf(text, sizeof text,
             "%lld hops of %lld inputs; delays of packets are independent of "
             "each other",
             (long long)answer->hops, (long long)answer->arrivals.radix);
    nb_point_add_note(out, "model", text);
    nb_point_add_note(
        out, "occupancy",
        "how many later packets a packet finds in the buffer when it arrives, "
        "averaged over packets; averaged over slots, the buffer can be fuller");
    if (answer->is_bursty)
        nb_point_add_note(out, "bound", "theorem 7 does not hold for bursts");
}

void nb_reorder_report(const struct nb_reorder_answer *answer,
                       struct nb_point *out)
{
    if (answer->has_load && answer->load.idle.high <= 0)
        reorder_add_saturated(answer, out);
    else if (answer->has_load)
        reorder_add_depths(answer, out);
    if (answer->request.depth > 0 && answer->has_load)
        reorder_add_overflow(answer, out);
    if (answer->request.depth > 0)
        reorder_add_load(answer, out);
    reorder_note(answer, out);
    if (answer->has_load)
        nb_queue_note_forgetting(out, &answer->arrivals, answer->load);
}

NB_DEFINE_ANSWER(reorder)

const struct nb_question_kind nb_question_kind_reorder = {
    .form = {
        .name = "reorder",
.summary = "depth of reorder buffers",
        .example = "netbound reorder --topology fattree:k=16,n=3 --load 0.8",
        .title = "topology?<Reorder buffers> of {topology}[ at load {load}]|<Reorder buffers>[ after {hops} hops][ at load {load}]",
        .options = reorder_options,
        .tables = "ccdf",
    },
    .size = sizeof(struct nb_reorder_question),
    .answer = reorder_answer,
};
