#include "queueing/qcn.h"

#include "core/memory.h"
#include "core/try.h"

#include <math.h>

enum {
    QCN_EVENTS = 4000000,
    QCN_WARM_UP = 200, /* notifications before the pattern is examined */
    QCN_SEEN = 64,     /* number of last ones examined */
    QCN_PATTERN = 16,  /* the longest pattern considered */
};

/* Switches that are notified together and so share one state; may be a single
 * switch. */
struct qcn_source {
    struct nb_enclosure share;   /* P */
    struct nb_enclosure counter; /* packets of the port since the last change */
    struct nb_enclosure entered; /* own packets while the queue was congested */
    uint64_t notified;           /* number of notifications */
    struct nb_enclosure accepted; /* at present, from one switch */
};

struct qcn_run {
    const struct nb_qcn *loop;
    size_t count; /* of sources */
    uint32_t alike;
    struct qcn_source *source;
    struct nb_enclosure time, queue, old, clock;
    struct nb_enclosure full, one, transit, packets, interval;
    /* At the present rates. */
    struct nb_enclosure inflow, flow, clock_rate, turn;
    bool is_congested;
    bool is_certain; /* no two events were too close to order them */
    /* Of the last notification. */
    uint32_t feedback;
    struct nb_ratio factor;
    bool is_raised;
    /* Integrals over time, of the first source's P and of the flow. */
    struct nb_enclosure share_time, flow_time;
};

static struct nb_enclosure qcn_times(struct nb_enclosure a,
                                     struct nb_enclosure b)
{
    return nb_enclosure_multiply(a, b);
}

static struct nb_enclosure qcn_of(struct nb_ratio a)
{
    return nb_enclosure_of_ratio(a);
}

static int64_t qcn_floor(struct nb_ratio a)
{
    return a.numerator / a.denominator;
}

/* |Fb|, and whether it is certain. */
static uint32_t qcn_feedback(const struct nb_qcn *loop,
                             struct nb_enclosure queue, struct nb_enclosure old,
                             bool *is_certain)
{
    const struct nb_enclosure weight = qcn_of(loop->weight);
    const struct nb_enclosure above = nb_enclosure_excess(
        qcn_times(queue, nb_enclosure_add(nb_enclosure_of_whole(1), weight)),
        nb_enclosure_add(qcn_of(loop->reference), qcn_times(weight, old)));
    const struct nb_enclosure scaled = nb_enclosure_divide(
        qcn_times(nb_enclosure_of_whole(NB_QCN_MOST), above),
        qcn_of(loop->reference));
    const struct nb_enclosure least =
        nb_enclosure_least(scaled, nb_enclosure_of_whole(NB_QCN_MOST));
    if (nb_ratio_is_known(least.exact))
        return (uint32_t)qcn_floor(least.exact);
    if (floor(least.lower) != floor(least.upper))
        *is_certain = false;
    return (uint32_t)least.lower;
}

uint32_t nb_qcn_feedback(const struct nb_qcn *loop, struct nb_ratio length,
                         struct nb_ratio old_length)
{
    bool is_certain = true;
    return qcn_feedback(loop, qcn_of(length), qcn_of(old_length), &is_certain);
}

struct nb_ratio nb_qcn_factor(const struct nb_qcn *loop, uint32_t feedback,
                              bool *is_raised)
{
    struct nb_ratio over = nb_ratio_make(feedback, 1);
    *is_raised = false;
    if (loop->ports > 0) {
        const struct nb_ratio mean = nb_ratio_make(feedback, loop->ports);
        over = nb_ratio_subtract(over, mean);
        *is_raised = nb_ratio_compare(over, nb_ratio_subtract(nb_ratio_zero,
                                                              loop->below)) < 0;
        if (nb_ratio_compare(over, loop->above) <= 0)
            return nb_ratio_one;
    }
    return nb_ratio_subtract(nb_ratio_one,
                             nb_ratio_multiply(loop->limit, over));
}

struct nb_ratio nb_qcn_low(const struct nb_qcn *loop, struct nb_ratio factor,
                           uint64_t increases)
{
    const struct nb_ratio grown = nb_ratio_multiply(
        loop->increase, nb_ratio_make((nb_int128)increases, 1));
    return nb_ratio_divide(nb_ratio_multiply(factor, grown),
                           nb_ratio_subtract(nb_ratio_one, factor));
}

static bool qcn_is_between(struct nb_ratio value, double least, double most)
{
    return nb_ratio_is_known(value) && nb_ratio_value(value) >= least &&
           nb_ratio_value(value) <= most;
}

static enum nb_status qcn_check(const struct nb_qcn *loop, struct nb_error *err)
{
    const double huge = 1e12, tiny = 1e-12;
    const struct {
        const char *name;
        struct nb_ratio value;
        double least, most;
    } rows[] = {
        { "demand", loop->demand, 0, huge },
        { "transit", loop->transit, 0, 1 - tiny },
        { "reference", loop->reference, tiny, huge },
        { "queue", loop->queue, tiny, huge },
        { "weight", loop->weight, 0, huge },
        { "interval", loop->interval, tiny, huge },
        { "packets", loop->packets, tiny, huge },
        { "increase", loop->increase, tiny, 1 },
        { "below", loop->below, 0, huge },
        { "above", loop->above, 0, huge },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!qcn_is_between(rows[i].value, rows[i].least, rows[i].most))
            return nb_fail(err, NB_INVALID,
                           "QCN loop: %s %.10g is not permitted (permitted: "
                           "%g to %g)",
                           rows[i].name, nb_ratio_value(rows[i].value),
                           rows[i].least, rows[i].most);
    if (!qcn_is_between(loop->limit, 0, 1) ||
        nb_ratio_compare(loop->limit, nb_ratio_make(1, NB_QCN_MOST)) > 0)
        return nb_fail(err, NB_INVALID,
                       "QCN loop: limit %.10g is not permitted (permitted: 0 "
                       "to 1/%d)",
                       nb_ratio_value(loop->limit), NB_QCN_MOST);
    if (nb_ratio_compare(loop->reference, loop->queue) >= 0)
        return nb_fail(err, NB_INVALID,
                       "QCN loop: reference %.10g is not permitted (permitted: "
                       "below the queue's %.10g packets)",
                       nb_ratio_value(loop->reference),
                       nb_ratio_value(loop->queue));
    if (loop->sources < 1 || loop->sources > 10000)
        return nb_fail(err, NB_INVALID,
                       "QCN loop: %u sources are not permitted (permitted: 1 "
                       "to 10000)",
                       (unsigned)loop->sources);
    return NB_OK;
}

/* Everything goes straight, the queue is empty. Lockstep: one source for
 * all. */
static enum nb_status qcn_start(const struct nb_qcn *loop, bool is_lockstep,
                                struct qcn_run *out, struct nb_error *err)
{
    const struct nb_enclosure zero = nb_enclosure_of_whole(0);
    const enum nb_status held = qcn_check(loop, err);
    if (held != NB_OK)
        return held;
    *out = (struct qcn_run){
        .loop = loop,
        .count = is_lockstep ? 1 : loop->sources,
        .alike = is_lockstep ? loop->sources : 1,
        .time = zero,
        .queue = zero,
        .old = zero,
        .clock = zero,
        .full = qcn_of(loop->queue),
        .one = nb_enclosure_of_whole(1),
        .transit = qcn_of(loop->transit),
        .packets = qcn_of(loop->packets),
        .interval = qcn_of(loop->interval),
        .is_certain = true,
        .factor = nb_ratio_one,
        .share_time = zero,
        .flow_time = zero,
    };
    const enum nb_status status =
        nb_new(&out->source, out->count, sizeof *out->source, "sources", err);
    for (size_t i = 0; status == NB_OK && i < out->count; i++)
        out->source[i] = (struct qcn_source){ .share = out->one,
                                              .counter = zero,
                                              .entered = zero };
    return status;
}

/* Sets the rates that hold until the next event. */
static void qcn_set_rates(struct qcn_run *run)
{
    const struct nb_enclosure demand = qcn_of(run->loop->demand);
    const struct nb_enclosure room =
        nb_enclosure_excess(run->one, run->transit);
    const struct nb_enclosure weight = qcn_of(run->loop->weight);
    const struct nb_enclosure alike = nb_enclosure_of_whole(run->alike);
    run->clock_rate = nb_enclosure_of_whole(0);
    for (size_t i = 0; i < run->count; i++) {
        struct qcn_source *source = &run->source[i];
        source->accepted =
            nb_enclosure_least(qcn_times(source->share, demand), room);
        run->clock_rate = nb_enclosure_add(run->clock_rate, source->accepted);
    }
    run->inflow = qcn_times(run->clock_rate, alike);
    run->flow = run->inflow;
    if (nb_enclosure_compare(run->inflow, run->one) > 0 &&
        nb_enclosure_compare(run->queue, run->full) == 0) {
        for (size_t i = 0; i < run->count; i++)
            run->source[i].accepted =
                nb_enclosure_divide(run->source[i].accepted, run->inflow);
        run->clock_rate = nb_enclosure_divide(run->one, alike);
        run->flow = run->one;
    }
    /* Q - Q_eq + w (Q - Q_old) = 0 */
    run->turn =
        nb_enclosure_divide(nb_enclosure_add(qcn_of(run->loop->reference),
                                             qcn_times(weight, run->old)),
                            nb_enclosure_add(run->one, weight));
    const int side = nb_enclosure_compare(run->queue, run->turn);
    run->is_congested =
        side > 0 ||
        (side == 0 && nb_enclosure_compare(run->flow, run->one) > 0);
}

/* An event that may come next, and the time until then. */
struct qcn_next {
    enum nb_qcn_event event;
    size_t source;
    struct nb_enclosure after; /* [packet times] */
};

static void qcn_offer(struct qcn_run *run, struct qcn_next *best,
                      enum nb_qcn_event event, size_t source,
                      struct nb_enclosure way, struct nb_enclosure rate)
{
    if (rate.upper <= 0)
        return;
    const struct nb_enclosure after = nb_enclosure_divide(way, rate);
    const int order = best->event == NB_QCN_REST
                          ? -1
                          : nb_enclosure_compare(after, best->after);
    const bool is_exact =
        nb_ratio_is_known(after.exact) && nb_ratio_is_known(best->after.exact);
    /* Ports that increase together may do so in any order. */
    if (order == 0 && !is_exact && event != best->event)
        run->is_certain = false;
    if (order < 0)
        *best = (struct qcn_next){ event, source, after };
}

static struct qcn_next qcn_find_next(struct qcn_run *run)
{
    struct qcn_next best = { .event = NB_QCN_REST };
    const struct nb_enclosure *queue = &run->queue;
    const struct nb_enclosure up = nb_enclosure_excess(run->flow, run->one);
    const struct nb_enclosure down = nb_enclosure_excess(run->one, run->flow);
    const struct nb_enclosure zero = nb_enclosure_of_whole(0);
    const int side = nb_enclosure_compare(*queue, run->turn);
    if (side < 0)
        qcn_offer(run, &best, NB_QCN_REFERENCE, 0,
                  nb_enclosure_excess(run->turn, *queue), up);
    if (side > 0)
        qcn_offer(run, &best, NB_QCN_REFERENCE, 0,
                  nb_enclosure_excess(*queue, run->turn), down);
    if (nb_enclosure_compare(*queue, run->full) < 0)
        qcn_offer(run, &best, NB_QCN_FULL, 0,
                  nb_enclosure_excess(run->full, *queue), up);
    if (nb_enclosure_compare(*queue, zero) > 0)
        qcn_offer(run, &best, NB_QCN_EMPTY, 0, *queue, down);
    for (size_t i = 0; i < run->count; i++)
        if (nb_enclosure_compare(run->source[i].share, run->one) < 0)
            qcn_offer(run, &best, NB_QCN_INCREASED, i,
                      nb_enclosure_excess(run->packets, run->source[i].counter),
                      nb_enclosure_add(run->source[i].accepted, run->transit));
    if (run->is_congested)
        qcn_offer(run, &best, NB_QCN_NOTIFIED, 0,
                  nb_enclosure_excess(run->interval, run->clock),
                  run->clock_rate);
    return best;
}

/* Advances time at the present rates. */
static void qcn_pass(struct qcn_run *run, struct nb_enclosure after)
{
    const struct nb_enclosure up = nb_enclosure_excess(run->flow, run->one);
    const struct nb_enclosure down = nb_enclosure_excess(run->one, run->flow);
    for (size_t i = 0; i < run->count; i++) {
        struct qcn_source *source = &run->source[i];
        const struct nb_enclosure own = qcn_times(source->accepted, after);
        source->counter = nb_enclosure_add(
            source->counter,
            nb_enclosure_add(own, qcn_times(run->transit, after)));
        if (run->is_congested)
            source->entered = nb_enclosure_add(source->entered, own);
    }
    if (run->is_congested)
        run->clock =
            nb_enclosure_add(run->clock, qcn_times(run->clock_rate, after));
    run->share_time = nb_enclosure_add(run->share_time,
                                       qcn_times(run->source[0].share, after));
    run->flow_time = nb_enclosure_add(
        run->flow_time, qcn_times(nb_enclosure_is_zero(run->queue)
                                      ? nb_enclosure_least(run->flow, run->one)
                                      : run->one,
                                  after));
    run->queue =
        nb_enclosure_excess(nb_enclosure_add(run->queue, qcn_times(up, after)),
                            qcn_times(down, after));
    run->time = nb_enclosure_add(run->time, after);
}

/* The switch with the fewest notifications for the number of its packets. */
static size_t qcn_pick(const struct qcn_run *run)
{
    size_t best = 0;
    for (size_t i = 1; i < run->count; i++) {
        const struct qcn_source *a = &run->source[i], *b = &run->source[best];
        const struct nb_enclosure mine = nb_enclosure_add(
            a->entered, qcn_times(run->interval, nb_enclosure_of_whole(
                                                     (uint32_t)b->notified)));
        const struct nb_enclosure other = nb_enclosure_add(
            b->entered, qcn_times(run->interval, nb_enclosure_of_whole(
                                                     (uint32_t)a->notified)));
        if (nb_enclosure_compare(mine, other) > 0)
            best = i;
    }
    return best;
}

static struct nb_enclosure qcn_raise(const struct qcn_run *run,
                                     struct nb_enclosure share)
{
    return nb_enclosure_least(
        nb_enclosure_add(share, qcn_of(run->loop->increase)), run->one);
}

static void qcn_notify(struct qcn_run *run)
{
    struct qcn_source *source = &run->source[qcn_pick(run)];
    run->feedback =
        qcn_feedback(run->loop, run->queue, run->old, &run->is_certain);
    run->factor = nb_qcn_factor(run->loop, run->feedback, &run->is_raised);
    source->share = run->is_raised
                        ? qcn_raise(run, source->share)
                        : qcn_times(source->share, qcn_of(run->factor));
    source->counter = run->clock = nb_enclosure_of_whole(0);
    source->notified++;
    run->old = run->queue;
}

/* Processes one event; NB_QCN_REST: there is none. */
static struct qcn_next qcn_step(struct qcn_run *run)
{
    qcn_set_rates(run);
    const struct qcn_next next = qcn_find_next(run);
    if (next.event == NB_QCN_REST)
        return next;
    qcn_pass(run, next.after);
    struct qcn_source *source = &run->source[next.source];
    if (next.event == NB_QCN_FULL)
        run->queue = run->full;
    else if (next.event == NB_QCN_EMPTY)
        run->queue = nb_enclosure_of_whole(0);
    else if (next.event == NB_QCN_REFERENCE)
        run->queue = run->turn;
    else if (next.event == NB_QCN_NOTIFIED)
        qcn_notify(run);
    else {
        source->share = qcn_raise(run, source->share);
        source->counter = nb_enclosure_of_whole(0);
    }
    return next;
}

/* Reduces a number that is not known exactly to one double; as a bracket it
 * would widen with every event that depends on earlier ones. */
static void qcn_settle(struct nb_enclosure *a)
{
    if (!nb_ratio_is_known(a->exact))
        a->lower = a->upper = a->lower + (a->upper - a->lower) / 2;
}

static void qcn_settle_all(struct qcn_run *run)
{
    struct nb_enclosure *const common[] = { &run->time, &run->queue, &run->old,
                                            &run->clock };
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        qcn_settle(common[i]);
    for (size_t i = 0; i < run->count; i++) {
        qcn_settle(&run->source[i].share);
        qcn_settle(&run->source[i].counter);
        qcn_settle(&run->source[i].entered);
    }
}

/* --- The response ----------------------------------------------------------
 */

/* The mean P over the switches. */
static struct nb_enclosure qcn_mean(const struct qcn_run *run)
{
    struct nb_enclosure sum = nb_enclosure_of_whole(0);
    for (size_t i = 0; i < run->count; i++)
        sum = nb_enclosure_add(sum, run->source[i].share);
    return nb_enclosure_divide(sum,
                               nb_enclosure_of_whole((uint32_t)run->count));
}

static enum nb_status qcn_keep(struct qcn_run *run, enum nb_qcn_event event,
                               struct nb_qcn_response *out,
                               struct nb_error *err)
{
    struct nb_enclosure least = run->one;
    enum nb_status status = NB_OK;
    if (event == NB_QCN_INCREASED || out->moment_count == NB_QCN_MOMENTS)
        return NB_OK;
    for (size_t i = 0; i < run->count; i++)
        least = nb_enclosure_least(least, run->source[i].share);
    NB_TRY(nb_grow_one(&out->moments, out->moment_count, sizeof *out->moments,
                       "moments", err));
    qcn_set_rates(run);
    out->moments[out->moment_count++] = (struct nb_qcn_moment){
        .event = event,
        .time = run->time,
        .least = least,
        .mean = qcn_mean(run),
        .inflow = run->inflow,
        .queue = run->queue,
    };
done:
    return status;
}

void nb_qcn_response_release(struct nb_qcn_response *response)
{
    nb_delete(response->moments);
    *response = (struct nb_qcn_response){ 0 };
}

/* Records effects of a notification that occur for the first time. */
static void qcn_look(struct qcn_run *run, struct nb_qcn_response *out)
{
    size_t told = 0;
    qcn_set_rates(run);
    if (isinf(out->first.lower))
        out->first = run->time;
    for (size_t i = 0; i < run->count; i++)
        told += run->source[i].notified > 0;
    if (isinf(out->told.lower)) {
        out->notifications++;
        out->share = qcn_mean(run);
        if (told == run->count)
            out->told = run->time;
    }
    if (isinf(out->within.lower) &&
        nb_enclosure_compare(run->inflow, run->one) <= 0)
        out->within = run->time;
}

enum nb_status nb_qcn_respond(const struct nb_qcn *loop,
                              struct nb_qcn_response *out, struct nb_error *err)
{
    const struct nb_enclosure never =
        nb_enclosure_of_ratio(nb_ratio_make(1, 0));
    struct qcn_run run = { 0 };
    size_t tries = 0;
    enum nb_status status = NB_OK;
    *out = (struct nb_qcn_response){ .first = never,
                                     .told = never,
                                     .within = never };
    NB_TRY(qcn_start(loop, false, &run, err));
    out->share = run.one;
    NB_TRY(qcn_keep(&run, NB_QCN_START, out, err));
    for (size_t e = 0; tries < NB_QCN_TRIES * run.count &&
                       (isinf(out->told.lower) || isinf(out->within.lower));
         e++) {
        if (e == QCN_EVENTS)
            NB_TRY(nb_fail(err, NB_NO_CONVERGENCE,
                           "QCN loop: no response after %d events",
                           QCN_EVENTS));
        const enum nb_qcn_event event = qcn_step(&run).event;
        if (event == NB_QCN_REST)
            break;
        qcn_settle_all(&run);
        NB_TRY(qcn_keep(&run, event, out, err));
        if (event != NB_QCN_NOTIFIED)
            continue;
        tries++;
        qcn_look(&run, out);
    }
done:
    nb_delete(run.source);
    if (status != NB_OK)
        nb_qcn_response_release(out);
    return status;
}

/* --- The limit cycle -------------------------------------------------------
 */

/* The events up to and including a notification. */
struct qcn_round {
    uint64_t
        increases;  /* since P was last 1, or since the notification before */
    bool is_capped; /* P was 1 */
    bool is_raised;
    uint32_t feedback;
    struct nb_ratio factor;
    struct nb_enclosure shortest, longest; /* Q */
    struct nb_enclosure high, low;         /* P before and after it */
};

/* Runs to the next notification; *is_rest: none comes. */
static enum nb_status qcn_go_round(struct qcn_run *run, struct qcn_round *out,
                                   bool *is_rest, struct nb_error *err)
{
    *out = (struct qcn_round){ .shortest = run->queue, .longest = run->queue };
    *is_rest = false;
    for (size_t e = 0; e < QCN_EVENTS; e++) {
        out->high = run->source[0].share;
        const struct qcn_next next = qcn_step(run);
        if (next.event == NB_QCN_REST) {
            *is_rest = true;
            return NB_OK;
        }
        out->shortest = nb_enclosure_least(out->shortest, run->queue);
        out->longest = nb_enclosure_most(out->longest, run->queue);
        if (next.event == NB_QCN_INCREASED) {
            out->increases++;
            if (nb_enclosure_compare(run->source[0].share, run->one) >= 0)
                out->is_capped = true;
        }
        if (next.event != NB_QCN_NOTIFIED)
            continue;
        out->is_raised = run->is_raised;
        out->feedback = run->feedback;
        out->factor = run->factor;
        out->low = run->source[0].share;
        return NB_OK;
    }
    return nb_fail(err, NB_NO_CONVERGENCE,
                   "QCN loop: no notification after %d events", QCN_EVENTS);
}

static bool qcn_is_alike(const struct qcn_round *a, const struct qcn_round *b)
{
    return a->increases == b->increases && a->feedback == b->feedback &&
           a->is_capped == b->is_capped && a->is_raised == b->is_raised;
}

/* The length of the shortest pattern that the rounds repeat; 0: none. */
static uint32_t qcn_find_pattern(const struct qcn_round *rounds, size_t count)
{
    for (uint32_t length = 1; length <= QCN_PATTERN; length++) {
        size_t i = length;
        while (i < count && qcn_is_alike(&rounds[i], &rounds[i - length]))
            i++;
        if (i == count)
            return length;
    }
    return 0;
}

/* The P after a pattern's last notification that recurs, i.e. the fixed point
 * of the composed affine maps. Unknown if there is none. */
static struct nb_ratio qcn_fixed_point(const struct nb_qcn *loop,
                                       const struct qcn_round *pattern,
                                       size_t length)
{
    struct nb_ratio slope = nb_ratio_one, start = nb_ratio_zero;
    for (size_t j = 0; j < length; j++) {
        const struct qcn_round *round = &pattern[j];
        const struct nb_ratio grown = nb_ratio_multiply(
            loop->increase,
            nb_ratio_make((nb_int128)round->increases + round->is_raised, 1));
        if (round->is_capped) {
            slope = nb_ratio_zero;
            start = round->factor;
            continue;
        }
        slope = nb_ratio_multiply(slope, round->factor);
        start = nb_ratio_multiply(nb_ratio_add(start, grown), round->factor);
    }
    return nb_ratio_compare(slope, nb_ratio_one) < 0
               ? nb_ratio_divide(start, nb_ratio_subtract(nb_ratio_one, slope))
               : (struct nb_ratio){ 0 };
}

/* Runs a pattern, starting after the notification before it, and sums it up. */
static enum nb_status qcn_sum_up(struct qcn_run *run, uint32_t length,
                                 struct nb_qcn_cycle *out, struct nb_error *err)
{
    const struct nb_enclosure zero = nb_enclosure_of_whole(0);
    enum nb_status status = NB_OK;
    run->time = run->share_time = run->flow_time = zero;
    out->factor = out->least = run->one;
    out->most = zero;
    out->shortest = run->full;
    out->longest = zero;
    out->notifications = length;
    out->increases = 0;
    for (uint32_t j = 0; j < length; j++) {
        struct qcn_round round;
        bool is_rest;
        NB_TRY(qcn_go_round(run, &round, &is_rest, err));
        out->increases += round.increases;
        out->factor = qcn_times(out->factor, qcn_of(round.factor));
        out->least = nb_enclosure_least(out->least, round.low);
        out->most = nb_enclosure_most(out->most, round.high);
        out->shortest = nb_enclosure_least(out->shortest, round.shortest);
        out->longest = nb_enclosure_most(out->longest, round.longest);
    }
    out->period = run->time;
    out->mean = nb_enclosure_divide(run->share_time, run->time);
    out->accepted = nb_enclosure_divide(run->flow_time, run->time);
done:
    return status;
}

static bool qcn_is_equal(struct nb_enclosure a, struct nb_enclosure b)
{
    return nb_ratio_is_known(a.exact) && nb_ratio_is_known(b.exact) &&
           nb_ratio_compare(a.exact, b.exact) == 0;
}

/* Whether a queue that began in one enclosure and ended in the other may have
 * returned: equal, or mapped into the interval, which then contains a fixed
 * point of the continuous map. */
static bool qcn_is_back(struct nb_enclosure begun, struct nb_enclosure ended)
{
    return qcn_is_equal(begun, ended) ||
           (!nb_ratio_is_known(begun.exact) && ended.lower >= begun.lower &&
            ended.upper <= begun.upper);
}

/* Starts right after a notification, from a state that must recur exactly. */
static enum nb_status qcn_prove(struct qcn_run *run, struct nb_ratio low,
                                uint32_t length, struct nb_qcn_cycle *out,
                                struct nb_error *err)
{
    const double margin = 1e-9 * run->full.upper;
    struct qcn_source *source = &run->source[0];
    enum nb_status status = NB_OK;
    /* The first round moves the queue to its recurring length. */
    for (int pass = 0; pass < 3 && !out->is_proved; pass++) {
        struct nb_enclosure *queue = &run->queue;
        if (!nb_ratio_is_known(queue->exact)) {
            queue->lower = fmax(queue->lower - margin, 0);
            queue->upper = fmin(queue->upper + margin, run->full.lower);
        }
        const struct nb_enclosure begun = run->old = *queue;
        source->share = qcn_of(low);
        source->entered = nb_enclosure_of_whole(0);
        run->is_certain = true;
        NB_TRY(qcn_sum_up(run, length, out, err));
        out->is_proved = run->is_certain &&
                         qcn_is_equal(source->share, qcn_of(low)) &&
                         qcn_is_back(begun, run->queue);
    }
done:
    return status;
}

enum nb_status nb_qcn_cycle_find(const struct nb_qcn *loop,
                                 struct nb_qcn_cycle *out, struct nb_error *err)
{
    struct qcn_run run = { 0 };
    struct qcn_round rounds[QCN_SEEN];
    enum nb_status status = NB_OK;
    *out = (struct nb_qcn_cycle){ 0 };
    NB_TRY(qcn_start(loop, true, &run, err));
    for (size_t n = 0; n < QCN_WARM_UP + QCN_SEEN; n++) {
        struct qcn_round *round = &rounds[n % QCN_SEEN];
        NB_TRY(qcn_go_round(&run, round, &out->is_none, err));
        if (out->is_none)
            goto done;
    }
    /* The oldest of the stored rounds is in the slot to be written next. */
    struct qcn_round ordered[QCN_SEEN];
    for (size_t i = 0; i < QCN_SEEN; i++)
        ordered[i] = rounds[(QCN_WARM_UP + i) % QCN_SEEN];
    out->is_none = true;
    for (size_t i = 0; i < QCN_SEEN; i++)
        out->is_none &= nb_ratio_compare(rounds[i].factor, nb_ratio_one) == 0;
    if (out->is_none)
        goto done;
    const uint32_t length = qcn_find_pattern(ordered, QCN_SEEN);
    const struct nb_ratio low = qcn_fixed_point(
        loop, ordered + QCN_SEEN - (length > 0 ? length : 1), length);
    if (length > 0 && nb_ratio_is_known(low))
        NB_TRY(qcn_prove(&run, low, length, out, err));
    else
        NB_TRY(qcn_sum_up(&run, QCN_PATTERN, out, err));
done:
    nb_delete(run.source);
    return status;
}

/* --- The return ------------------------------------------------------------
 */

enum nb_status nb_qcn_return(const struct nb_qcn *loop, struct nb_ratio own,
                             struct nb_enclosure from,
                             struct nb_enclosure *time, struct nb_error *err)
{
    const struct nb_enclosure one = nb_enclosure_of_whole(1);
    struct nb_enclosure share = from;
    enum nb_status status = qcn_check(loop, err);
    *time = nb_enclosure_of_whole(0);
    for (size_t j = 0; status == NB_OK && nb_enclosure_compare(share, one) < 0;
         j++) {
        if (j == 1000000)
            return nb_fail(
                err, NB_INVALID,
                "QCN loop: increase %.10g is not permitted (permitted: one "
                "that reaches 1 within a million increases)",
                nb_ratio_value(loop->increase));
        *time = nb_enclosure_add(
            *time, nb_enclosure_divide(
                       qcn_of(loop->packets),
                       nb_enclosure_add(qcn_of(loop->transit),
                                        qcn_times(qcn_of(own), share))));
        share = nb_enclosure_least(
            nb_enclosure_add(share, qcn_of(loop->increase)), one);
    }
    return status;
}
