#include "sim/saturation.h"

#include "core/crossing.h"
#include "core/locale.h"
#include "core/try.h"

#include <math.h>

enum {
    SATURATION_SHORTER = 64,   /* of the plan's cycles: enough for most rates */
    SATURATION_LEAST = 1024,   /* [cycle] if the plan has at least this
                                * number */
    SATURATION_LONGER = 4,     /* factor to more cycles if those are too few */
    SATURATION_DOUBLINGS = 10, /* of the first rate */
    SATURATION_HALVINGS = 20,
};

/* Relative distance from a limit that may not be reached, to start the
 * search. */
#define SATURATION_BELOW 0.1
/* Safety factor on the width wanted. */
#define SATURATION_NARROW 0.999
/* A search in progress. */
struct saturation_work {
    struct nb_simulation plan; /* of a trial */
    uint64_t most_cycles;
    const struct nb_run *run;
    struct nb_run quiet; /* for a trial, without progress of its own */
    double first, most, precision;
    double limit; /* proved, in (0, most]; or 0 */
    bool is_reached;
    double carried; /* smallest nb_simulation_result.carried of stable trials */
    /* Between the largest rate seen to be stable and the least seen to be
     * saturated; rates are undecided at the number of cycles tried. */
    struct nb_crossing crossing;
    double span;  /* the width when both ends were first known */
    double share; /* of the search that is done */
};

/* Reports the result of the last trial, and how much of the search is done. */
static void saturation_report(struct saturation_work *work,
                              const struct nb_saturation_trial *trial)
{
    const struct nb_crossing *crossing = &work->crossing;
    char text[120];
    if (work->run == NULL || work->run->progress == NULL)
        return;
    if (work->span == 0 && isfinite(crossing->high))
        work->span = crossing->high - crossing->low;
    work->share =
        fmax(work->share, nb_crossing_share(crossing, work->span,
                                            work->precision * crossing->high));
    nb_snprintf(text, sizeof text, "rate %.4g, %llu cycles: %s", trial->rate,
                (unsigned long long)trial->cycles,
                nb_stability_names[trial->stability]);
    work->run->progress(work->run->progress_context, text,
                        1 + (size_t)floor(998 * work->share), 1000);
}

/* Tries a rate, which narrows the bracket or widens the undecided range. */
static enum nb_status saturation_try(struct saturation_work *work, double rate,
                                     struct nb_saturation *out,
                                     struct nb_error *err)
{
    struct nb_saturation_trial *trial = &out->trial[out->trial_count++];
    struct nb_simulation_result result = { 0 };
    work->plan.injection.rate = rate;
    const enum nb_status status =
        nb_simulate(&work->plan, &work->quiet, &result, err);
    *trial = (struct nb_saturation_trial){
        .rate = rate,
        .cycles = result.cycles / work->plan.replications,
        .stability = result.stability,
        .evidence = result.evidence,
    };
    const double carried = result.carried;
    nb_simulation_result_release(&result);
    if (status != NB_OK)
        return status;
    static const enum nb_crossing_side sides[] = {
        [NB_STABLE] = NB_SIDE_LOW,
        [NB_SATURATED] = NB_SIDE_HIGH,
        [NB_UNDECIDED] = NB_SIDE_OPEN,
    };
    nb_crossing_add(&work->crossing, rate, sides[trial->stability]);
    if (trial->stability == NB_STABLE) {
        out->lower = fmax(out->lower, rate * carried);
        work->carried = fmin(work->carried, carried);
    }
    out->upper = work->crossing.high;
    saturation_report(work, trial);
    return NB_OK;
}

static bool saturation_is_narrow(const struct saturation_work *work,
                                 const struct nb_saturation *found)
{
    return found->upper - found->lower <= work->precision * found->upper;
}

/* The next rate below a limit, at twice the distance of the last one; 0 if the
 * same rate needs more cycles. */
static double saturation_below(const struct saturation_work *work)
{
    const struct nb_crossing *crossing = &work->crossing;
    const double last = fmin(crossing->high, crossing->doubt_first);
    double below = work->is_reached ? SATURATION_NARROW * work->precision
                                    : SATURATION_BELOW;
    const bool is_early = work->plan.cycles < work->most_cycles;
    if (is_early && work->is_reached && last < work->limit)
        return 0;
    /* Two undecided rates at this number of cycles: others would be, too. */
    if (is_early && crossing->doubt_first < work->limit * (1 - 1.5 * below))
        return 0;
    while (below < 0.5 && work->limit * (1 - below) >= last)
        below *= 2;
    return below < 0.5 ? work->limit * (1 - below) : last / 2;
}

/* How close to undecided rates others are worth trying at this number of
 * cycles: closer only at the end, since resolution improves as the square root
 * of time. */
static double saturation_resolved(const struct saturation_work *work,
                                  bool has_doubt)
{
    const double longer = (double)work->most_cycles / (double)work->plan.cycles;
    return longer > 1 && has_doubt ? work->precision * sqrt(longer)
                                   : work->precision / 4;
}

/* The next rate to try at this number of cycles: twice the last while none is
 * saturated, or down from a limit while none is stable, then between them. 0 if
 * the bracket is narrow enough, or little of it is left besides undecided
 * rates. */
static double saturation_next(const struct saturation_work *work,
                              const struct nb_saturation *found)
{
    const struct nb_crossing *crossing = &work->crossing;
    if (work->limit > 0 && crossing->low == 0)
        return saturation_below(work);
    const double last = fmax(crossing->low, crossing->doubt_last);
    if (isinf(found->upper))
        return last >= work->most ? 0
               : last == 0        ? work->first
                                  : fmin(2 * last, work->most);
    const bool has_doubt = !isinf(crossing->doubt_first);
    const double middle = nb_crossing_next(
        crossing, found->upper * saturation_resolved(work, has_doubt));
    if (saturation_is_narrow(work, found) || isnan(middle))
        return 0;
    /* Next to the undecided rates, one that just makes the bracket narrow
     * enough is decided sooner than one closer to them. */
    const double narrow = 1 - SATURATION_NARROW * work->precision;
    const double share = fmin(narrow / work->carried, (1 + narrow) / 2);
    if (has_doubt && found->upper * share > crossing->low &&
        found->upper * share < crossing->doubt_first)
        return found->upper * share;
    if (has_doubt && crossing->low / share > crossing->doubt_last &&
        crossing->low / share < found->upper)
        return crossing->low / share;
    return middle;
}

/* Tries all rates that are worth it at this number of cycles. */
static enum nb_status saturation_narrow(struct saturation_work *work,
                                        struct nb_saturation *out,
                                        struct nb_error *err)
{
    enum nb_status status = NB_OK;
    nb_crossing_forget(&work->crossing);
    while (out->trial_count < NB_SATURATION_RATES && status == NB_OK) {
        const double rate = saturation_next(work, out);
        if (rate <= ldexp(work->first, -SATURATION_HALVINGS) ||
            rate > ldexp(work->first, SATURATION_DOUBLINGS))
            break;
        status = saturation_try(work, rate, out, err);
    }
    return status;
}

/* Whether queues are known to become critical at the limit. */
static bool saturation_is_reached(const struct nb_simulation *plan)
{
    return plan->limit.is_reached && plan->router.model == NB_ROUTER_IDEAL;
}

/* [cycle] Length of the first trials: the shortest that decides most rates.
 * Near a limit that is reached, short trials decide none. */
static uint64_t saturation_shortest(const struct nb_simulation *plan)
{
    const uint64_t shortest = saturation_is_reached(plan)
                                  ? plan->cycles
                                  : plan->cycles / SATURATION_SHORTER;
    return shortest < SATURATION_LEAST ? SATURATION_LEAST : shortest;
}

/* Excludes rates above a limit. */
static void saturation_limit(struct saturation_work *work,
                             struct nb_saturation *out)
{
    const double limit = work->plan.limit.rate / work->plan.injection.flits;
    if (!(limit > 0 && limit <= work->most))
        return;
    work->limit = work->crossing.high = work->first = out->upper = limit;
    work->is_reached = saturation_is_reached(&work->plan);
}

static enum nb_status saturation_check(struct saturation_work *work,
                                       struct nb_error *err)
{
    if (!(work->first > 0 && isfinite(work->first) &&
          work->first <= work->most && work->precision > 0))
        return nb_fail(
            err, NB_INVALID,
            "saturation from rate %g up to %g, within %g (permitted: "
            "above 0, at least as much, above 0)",
            work->first, work->most, work->precision);
    work->plan.injection.rate = work->first;
    return nb_simulation_check(&work->plan, err);
}

enum nb_status nb_saturation_find(const struct nb_simulation *plan,
                                  double first, double most, double precision,
                                  const struct nb_run *run,
                                  struct nb_saturation *out,
                                  struct nb_error *err)
{
    struct saturation_work work = {
        .plan = *plan,
        .most_cycles = plan->cycles,
        .run = run,
        .first = first,
        .most = most,
        .precision = precision,
        .carried = 1,
        .crossing = nb_crossing_between(0, INFINITY),
    };
    uint64_t cycles = saturation_shortest(plan);
    enum nb_status status = NB_OK;
    *out = (struct nb_saturation){ .lower = 0, .upper = INFINITY };
    NB_TRY(saturation_check(&work, err));
    if (run != NULL)
        work.quiet = *run;
    work.quiet.progress = NULL;
    if (run != NULL && run->progress != NULL)
        run->progress(run->progress_context, "search", 0, 1000);
    saturation_limit(&work, out);
    work.plan.end = NB_END_DECIDED;
    do {
        work.plan.cycles = cycles < plan->cycles ? cycles : plan->cycles;
        NB_TRY(saturation_narrow(&work, out, err));
        cycles = work.plan.cycles * SATURATION_LONGER;
    } while (work.plan.cycles < plan->cycles && work.crossing.low < most &&
             out->trial_count < NB_SATURATION_RATES &&
             !saturation_is_narrow(&work, out));
    out->is_narrow = saturation_is_narrow(&work, out);
    out->is_proved = out->upper == work.limit;
    out->doubt_first = work.crossing.doubt_first;
    out->doubt_last = fmax(0, work.crossing.doubt_last);
done:
    return status;
}
