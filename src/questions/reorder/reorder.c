/* netbound reorder: how deep reorder buffers must be. */
#include "questions/reorder/reorder_question.h"

#include "core/try.h"
#include "core/unit.h"

#include <math.h>

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

/* Reads the queues on the path, from the topology or from radix and hops. */
static enum nb_status reorder_read(const struct nb_reorder_question *request,
                                   struct nb_reorder_answer *out,
                                   struct nb_error *err)
{
    struct nb_arrivals *arrivals = &out->arrivals;
    uint32_t k, n;
    enum nb_status status = NB_OK;
    NB_TRY(nb_queue_arrivals(request->arrivals, request->radix, arrivals, err));
    out->network = (struct nb_reorder_network){
        .arrivals = arrivals,
        .hops = request->hops > 0 ? request->hops : REORDER_HOPS,
        .distribution = request->distribution,
    };
    if (request->topology != NULL) {
        NB_TRY(nb_question_tree(request->topology, "--radix and --hops", &k, &n,
                                err));
        arrivals->radix = k;
        out->network.hops = 2 * (int64_t)n - 1;
    }
    out->has_load =
        nb_queue_load_is_given(request->load, request->rate, &out->load);
    out->is_saturated = out->has_load && out->load.idle.high <= 0;
    out->is_bursty = nb_arrivals_have_bursts(arrivals);
    if (out->is_bursty && request->bound == NB_REORDER_CHERNOFF)
        return nb_fail(err, NB_USAGE,
                       "--bound chernoff: theorem 7 does not hold for bursts "
                       "(permitted with --arrivals %s: exact)",
                       nb_arrival_kind_at((size_t)arrivals->kind)->name);
    if (out->is_bursty && arrivals->spread == NB_SPREAD_BURST)
        return nb_fail(err, NB_INVALID,
                       "spread=burst: packets of a burst that stay together "
                       "do not overtake each other (permitted: spread=packet)");
done:
    return status;
}

#define REORDER_SINGH "Singh2005, section 7.5.2"
#define REORDER_BOUND "Chernoff bound", "Singh2005, equation 7.7"

static const char *reorder_exact(const struct nb_reorder_answer *answer)
{
    return answer->is_bursty ? "phases and counts, slot by slot"
                             : "Poisson-binomial tail";
}

static struct nb_found reorder_found(struct nb_bracket bracket,
                                     const char *method, const char *source)
{
    return (struct nb_found){
        { .lower = bracket.lower, .upper = bracket.upper }, method, source
    };
}

/* Computes depths, at a load below 1. */
static enum nb_status
reorder_find_depth(const struct nb_reorder_question *request,
                   struct nb_reorder_answer *out, struct nb_error *err)
{
    const struct nb_reorder_source source =
        nb_reorder_source_of(&out->network, out->load);
    const double overflow = request->overflow;
    const double least = nb_reorder_least(overflow);
    enum nb_status status = NB_OK;
    NB_TRY(nb_reorder_delay(&out->network, out->load, least, &out->delay, err));
    NB_TRY(nb_reorder_find(&out->delay, &source, least, SIZE_MAX, &out->tails,
                           err));
    const struct nb_bracket depth = nb_reorder_depth(&out->tails, overflow);
    out->depth = (struct nb_found){ nb_enclosure_of_count(depth),
                                    reorder_exact(out), REORDER_SINGH };
    out->end = (size_t)depth.upper;
    if (out->is_bursty)
        return NB_OK;
    NB_TRY(nb_reorder_bound_find(&out->delay, out->load, &out->bound, err));
    NB_TRY(nb_reorder_bound_list(&out->bound, overflow, err));
    const struct nb_bracket bound =
        nb_reorder_bound_depth(&out->bound, overflow);
    out->bound_depth =
        (struct nb_found){ nb_enclosure_of_count(bound), REORDER_BOUND };
    out->end = (size_t)fmax(depth.upper, bound.upper);
    if (request->bound == NB_REORDER_CHERNOFF)
        out->depth = out->bound_depth;
done:
    return status;
}

/* The probability that a buffer of the given depth overflows, and the largest
 * load for it. */
static enum nb_status
reorder_find_limits(const struct nb_reorder_question *request,
                    struct nb_reorder_answer *out, struct nb_error *err)
{
    const struct nb_reorder_network *network = &out->network;
    const size_t depth = (size_t)request->depth;
    const char *root = request->bound == NB_REORDER_EXACT
                           ? "root of the exact tail"
                           : "root of the Chernoff bound";
    struct nb_bracket found;
    enum nb_status status = NB_OK;
    if (out->has_load) {
        NB_TRY(nb_reorder_probability(network, NB_REORDER_EXACT, out->load,
                                      depth, &found, err));
        out->overflow = reorder_found(found, reorder_exact(out), REORDER_SINGH);
    }
    if (out->has_load && !out->is_bursty) {
        NB_TRY(nb_reorder_probability(network, NB_REORDER_CHERNOFF, out->load,
                                      depth, &found, err));
        out->overflow_bound = reorder_found(found, REORDER_BOUND);
    }
    NB_TRY(nb_reorder_max_load(network, request->bound, depth,
                               request->overflow, &found, err));
    out->max_load = reorder_found(found, root, REORDER_SINGH);
    out->speedup = nb_queue_speedup(&out->arrivals, out->load, found, root);
done:
    return status;
}

static enum nb_status reorder_compute(const struct nb_reorder_question *request,
                                      const struct nb_run *run,
                                      struct nb_reorder_answer *out,
                                      struct nb_error *err)
{
    enum nb_status status;
    (void)run;
    out->has_depth = request->depth > 0;
    NB_TRY(reorder_read(request, out, err));
    if (out->is_saturated) {
        const struct nb_enclosure infinite =
            nb_enclosure_of_ratio(nb_ratio_infinity);
        const struct nb_found bound = { infinite, REORDER_BOUND };
        out->depth = (struct nb_found){ infinite,
                                        request->bound == NB_REORDER_EXACT
                                            ? reorder_exact(out)
                                            : bound.method,
                                        REORDER_SINGH };
        if (!out->is_bursty)
            out->bound_depth = bound;
    } else if (out->has_load) {
        NB_TRY(reorder_find_depth(request, out, err));
    }
    if (out->has_depth)
        NB_TRY(reorder_find_limits(request, out, err));
done:
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

#define REORDER_ROW(field, name, unit)                                         \
    NB_QUANTITY(struct nb_reorder_answer, field, name, unit)

static const struct nb_quantity_row reorder_rows[] = {
    REORDER_ROW(depth, "reorder_depth", "packets"),
    REORDER_ROW(bound_depth, "reorder_depth_bound", "packets"),
    REORDER_ROW(overflow, "overflow_probability", "1"),
    REORDER_ROW(overflow_bound, "overflow_bound", "1"),
    REORDER_ROW(max_load, "max_load", "fraction of capacity"),
    REORDER_ROW(speedup, "speedup", "1"),
    { 0 },
};

/* Tails from depth 0 up to where all are below the overflow probability. */
static void reorder_report_ccdf(const struct nb_reorder_answer *answer,
                                struct nb_point *out)
{
    const size_t table =
        nb_table_start_as(out, &nb_queue_ccdf,
                          (struct nb_table_variant){
                              .without = answer->is_bursty ? "bound" : NULL });
    const size_t end = answer->end, step = end / REORDER_ROWS + 1;
    if (answer->is_saturated) {
        nb_point_add_note(out, "saturated",
                          "the queues, and so the delays, grow without bound");
        return;
    }
    if (step > 1)
        nb_point_note(out, "rows",
                      "table ccdf lists depths %zu packets apart, about %d "
                      "rows",
                      step, REORDER_ROWS);
    for (size_t n = 0; n < end + step; n += step) {
        const size_t here = n < end ? n : end;
        const struct nb_bracket tail = nb_reorder_tail(&answer->tails, here);
        NB_ROW(out, table, here, tail.upper, tail.lower, tail.upper);
        if (!answer->is_bursty)
            NB_ROW(out, table,
                   nb_reorder_bound_tail(&answer->bound, here).upper);
    }
}

static void reorder_report(const struct nb_reorder_answer *answer,
                           struct nb_point *out)
{
    nb_point_add_quantities(out, reorder_rows, answer, NULL, NULL, NULL);
    if (answer->has_load)
        reorder_report_ccdf(answer, out);
    if (answer->has_depth)
        nb_queue_note_speedup(out, &answer->arrivals);
    nb_point_note(out, "model",
                  "%lld hops of %lld inputs; delays of packets are independent "
                  "of each other",
                  (long long)answer->network.hops,
                  (long long)answer->arrivals.radix);
    nb_point_add_note(
        out, "occupancy",
        "how many later packets a packet finds in the buffer when it arrives, "
        "averaged over packets; averaged over slots, the buffer can be fuller");
    if (answer->is_bursty)
        nb_point_add_note(out, "bound", "theorem 7 does not hold for bursts");
    if (answer->has_load)
        nb_queue_note_forgetting(out, &answer->arrivals, answer->load);
}

NB_DEFINE_QUESTION(reorder);
NB_DEFINE_RELEASE(reorder);

const struct nb_question_kind nb_question_kind_reorder = {
    .form = {
        .name = "reorder",
        .summary = "depth of reorder buffers",
        .example = "netbound reorder --topology fattree:k=16,n=3 --load 0.8",
        .title = "topology?<Reorder buffers> of {topology}[ at load {load}]|<Reorder buffers>[ after {hops} hops][ at load {load}]",
        .options = reorder_options,
        .quantities = NB_QUANTITIES(reorder_rows),
        .tables = NB_TABLES(&nb_queue_ccdf),
    },
    NB_CALLS_OF(reorder),
    .release = reorder_release,
};
