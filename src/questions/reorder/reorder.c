/* netbound reorder: how deep reorder buffers must be. */
#include "questions/reorder/reorder_question.h"

#include <math.h>
#include <stdio.h>

enum { REORDER_ROWS = 1000 };

static const struct nb_parameter reorder_options[] = {
    { .name = "topology",
      .help = "a fat tree under random root routing, fattree:k=16,n=3: 2n-1 "
              "hops of k inputs; or else --radix and --hops",
      .type = NB_WORD,
      .initial = "" },
    { .name = "radix",
      .help = "inputs of a switch, each of which sends to each output alike; "
              "16 unless given",
      .type = NB_WHOLE,
      .initial = "",
      .least = 1,
      .most = 1e6 },
    { .name = "hops",
      .help = "queues on a packet's way; 5 unless given",
      .type = NB_WHOLE,
      .initial = "",
      .least = 1,
      .most = 1000 },
    { .name = "load",
      .help = "of every queue and of the stream, a fraction of capacity; from "
              "1 on it is saturated",
      .type = NB_NUMBER,
      .initial = "",
      .most = 1e6,
      .unit = "fraction" },
    NB_OPTION_RATE(0),
    NB_OPTION_CLOCK,
    NB_OPTION_OVERFLOW(0),
    NB_OPTION_ARRIVALS(0),
    NB_OPTION_LAW(0),
    { .name = "bound",
      .help = "what reorder_depth and max_load go by: the exact tail or the "
              "bound of Singh2005, theorem 7",
      .type = NB_CHOICE,
      .initial = "exact",
      .choices = "exact|chernoff" },
    { .name = "depth",
      .help = "packets of a given buffer: how likely this depth or more is "
              "needed, and the largest load that overflow permits",
      .type = NB_WHOLE,
      .initial = "",
      .least = 1,
      .most = NB_REORDER_DELAYS },
    { 0 },
};

static const char reorder_singh[] = "Singh2005, section 7.5.2";
static const char reorder_theorem[] = "Singh2005, equation 7.7";

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

static const char *reorder_method(const struct nb_reorder_question *work,
                                  enum nb_reorder_way way)
{
    if (way == NB_REORDER_CHERNOFF)
        return "Chernoff bound";
    return nb_reorder_is_bursty(work) ? "phases and counts, slot by slot"
                                      : "Poisson-binomial tail";
}

static void reorder_note_rows(size_t step, struct nb_point *out)
{
    char text[120];
    snprintf(text, sizeof text,
             "table ccdf shows depths %zu packets apart, so that it has no "
             "more than %d rows or so",
             step, REORDER_ROWS);
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

/* Tails from 0 on, to where all are below the overflow. bound: NULL if there
 * is none. */
static void reorder_add_ccdf(const struct nb_reorder *tails,
                             const struct nb_reorder_bound *bound, size_t end,
                             struct nb_point *out)
{
    const size_t table = reorder_add_table(bound != NULL, out);
    const size_t step = end / REORDER_ROWS + 1;
    reorder_note_rows(step, out);
    for (size_t n = 0; n < end + step; n += step) {
        const size_t here = n < end ? n : end;
        const struct nb_bracket tail = nb_reorder_tail(tails, here);
        nb_table_add_whole(out, table, (int64_t)here);
        nb_table_add_number(out, table, tail.upper);
        nb_table_add_number(out, table, tail.lower);
        nb_table_add_number(out, table, tail.upper);
        if (bound != NULL)
            nb_table_add_number(out, table,
                                nb_reorder_bound_tail(bound, here).upper);
    }
}

/* Depths at a load below 1. */
static enum nb_status
reorder_answer_depth(const struct nb_reorder_question *work,
                     struct nb_point *out, struct nb_error *err)
{
    const struct nb_reorder_source source =
        nb_reorder_source_of(&work->network, work->load);
    const double least = nb_reorder_least(work->overflow);
    struct nb_law delay = { 0 };
    struct nb_reorder tails = { 0 };
    struct nb_reorder_bound bound = { 0 };
    struct nb_bracket depth, bounded = { 0, 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_reorder_delay(&work->network, work->load, least, &delay, err));
    NB_TRY(nb_reorder_find(&delay, &source, least, SIZE_MAX, &tails, err));
    depth = nb_reorder_depth(&tails, work->overflow);
    if (!nb_reorder_is_bursty(work)) {
        NB_TRY(nb_reorder_bound_find(&delay, work->load, &bound, err));
        bounded = nb_reorder_bound_depth(&bound, work->overflow);
    }
    const bool is_exact = work->way == NB_REORDER_EXACT;
    reorder_add_depth(out, "reorder_depth", is_exact ? depth : bounded,
                      reorder_method(work, work->way),
                      is_exact ? reorder_singh : reorder_theorem);
    if (bound.delay != NULL)
        reorder_add_depth(out, "reorder_depth_bound", bounded,
                          reorder_method(work, NB_REORDER_CHERNOFF),
                          reorder_theorem);
    reorder_add_ccdf(&tails, bound.delay != NULL ? &bound : NULL,
                     (size_t)fmax(depth.upper, bounded.upper), out);
done:
    nb_reorder_bound_release(&bound);
    nb_reorder_release(&tails);
    nb_law_release(&delay);
    return status;
}

static void reorder_add_saturated(const struct nb_reorder_question *work,
                                  struct nb_point *out)
{
    nb_point_add_exact(out, "reorder_depth", nb_ratio_infinity, "packets",
                       reorder_method(work, work->way), reorder_singh);
    if (!nb_reorder_is_bursty(work))
        nb_point_add_exact(out, "reorder_depth_bound", nb_ratio_infinity,
                           "packets", reorder_method(work, NB_REORDER_CHERNOFF),
                           reorder_theorem);
    reorder_add_table(!nb_reorder_is_bursty(work), out);
    nb_point_add_note(out, "saturated",
                      "the queues grow without end, and so do delays");
}

/* How likely depth packets or more come, at a given load. */
static enum nb_status
reorder_answer_overflow(const struct nb_reorder_question *work,
                        struct nb_point *out, struct nb_error *err)
{
    const size_t depth = (size_t)work->depth;
    struct nb_bracket exact, bound;
    enum nb_status status = NB_OK;
    NB_TRY(nb_reorder_probability(&work->network, NB_REORDER_EXACT, work->load,
                                  depth, &exact, err));
    nb_point_add_bracket(out, "overflow_probability", exact.lower, exact.upper,
                         "1", reorder_method(work, NB_REORDER_EXACT),
                         reorder_singh);
    if (nb_reorder_is_bursty(work))
        return NB_OK;
    NB_TRY(nb_reorder_probability(&work->network, NB_REORDER_CHERNOFF,
                                  work->load, depth, &bound, err));
    nb_point_add_bracket(out, "overflow_bound", bound.lower, bound.upper, "1",
                         reorder_method(work, NB_REORDER_CHERNOFF),
                         reorder_theorem);
done:
    return status;
}

/* The load that a given depth bears, and what speedup that takes. */
static enum nb_status
reorder_answer_load(const struct nb_reorder_question *work,
                    struct nb_point *out, struct nb_error *err)
{
    struct nb_bracket most;
    const char *method = work->way == NB_REORDER_EXACT
                             ? "root of the exact tail"
                             : "root of the Chernoff bound";
    const enum nb_status status =
        nb_reorder_max_load(&work->network, work->way, (size_t)work->depth,
                            work->overflow, &most, err);
    if (status != NB_OK)
        return status;
    nb_point_add_bracket(out, "max_load", most.lower, most.upper,
                         "fraction of capacity", method, reorder_singh);
    nb_queue_add_speedup(out, work->load, most, method,
                         "Singh2005, section 7.5.1");
    return NB_OK;
}

static void reorder_note(const struct nb_reorder_question *work,
                         struct nb_point *out)
{
    char text[200];
    snprintf(text, sizeof text,
             "%lld hops of %lld inputs, delays of packets independent of each "
             "other",
             (long long)work->network.hops, (long long)work->arrivals.radix);
    nb_point_add_note(out, "model", text);
    nb_point_add_note(out, "occupancy",
                      "later packets that a packet finds there at its arrival, "
                      "by packets; by slots, more can be there more often");
    if (nb_reorder_is_bursty(work))
        nb_point_add_note(out, "bound", "theorem 7 does not hold for bursts");
}

static enum nb_status reorder_answer(const struct nb_question *question,
                                     struct nb_point *out, struct nb_error *err)
{
    struct nb_reorder_question work = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_reorder_question_read(question, &work, err));
    if (work.has_load && work.load.idle <= 0)
        reorder_add_saturated(&work, out);
    else if (work.has_load)
        NB_TRY(reorder_answer_depth(&work, out, err));
    if (work.depth > 0 && work.has_load)
        NB_TRY(reorder_answer_overflow(&work, out, err));
    if (work.depth > 0)
        NB_TRY(reorder_answer_load(&work, out, err));
    reorder_note(&work, out);
done:
    nb_reorder_question_release(&work);
    return status;
}

const struct nb_question_kind nb_question_kind_reorder = {
    .form = {
        .name = "reorder",
        .summary = "depth of the buffers that put packets in order again",
        .example = "netbound reorder --topology fattree:k=16,n=3 --load 0.8",
        .options = reorder_options,
        .tables = "ccdf",
    },
    .answer = reorder_answer,
};
