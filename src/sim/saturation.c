#include "sim/saturation.h"

#include "core/try.h"

#include <assert.h>
#include <math.h>

enum {
    SATURATION_SHORTER = 64, /* of the plan's cycles: where most are decided */
    SATURATION_LEAST = 1024, /* [cycle] if the plan has so many */
    SATURATION_LONGER = 4,   /* times as many cycles where that is too few */
    SATURATION_DOUBLINGS = 10, /* of the first rate */
};

/* A search in progress. The rates that are undecided in so many cycles lie
 * between two. */
struct saturation_work {
    struct nb_simulation plan; /* of a trial */
    uint64_t most_cycles;
    const struct nb_run *run;
    double first, most, precision;
    double stable;                  /* the largest rate seen to be */
    double doubt_first, doubt_last; /* +inf and 0: none */
};

static void saturation_forget(struct saturation_work *work)
{
    work->doubt_first = INFINITY;
    work->doubt_last = 0;
}

/* Tries a rate and narrows the bracket or widens the doubt by it. */
static enum nb_status saturation_try(struct saturation_work *work, double rate,
                                     struct nb_saturation *out,
                                     struct nb_error *err)
{
    struct nb_saturation_trial *trial = &out->trial[out->trial_count++];
    struct nb_simulation_result result = { 0 };
    work->plan.injection.rate = rate;
    const enum nb_status status =
        nb_simulate(&work->plan, work->run, &result, err);
    *trial = (struct nb_saturation_trial){
        .rate = rate,
        .cycles = work->plan.cycles,
        .stability = result.stability,
        .evidence = result.evidence,
    };
    const double carried = result.carried;
    nb_simulation_result_release(&result);
    if (status != NB_OK)
        return status;
    switch (trial->stability) {
    case NB_STABLE:
        work->stable = rate;
        out->lower = fmax(out->lower, rate * carried);
        if (rate > work->doubt_last)
            saturation_forget(work);
        break;
    case NB_SATURATED:
        out->upper = rate;
        if (rate < work->doubt_first)
            saturation_forget(work);
        break;
    case NB_UNDECIDED:
        work->doubt_first = fmin(work->doubt_first, rate);
        work->doubt_last = fmax(work->doubt_last, rate);
        break;
    }
    return NB_OK;
}

static bool saturation_is_narrow(const struct saturation_work *work,
                                 const struct nb_saturation *found)
{
    return found->upper - found->lower <= work->precision * found->upper;
}

/* The next rate to try in so many cycles: twice the last while none is
 * saturated, then between. 0 if the bracket is narrow enough, or what is
 * undecided leaves too little beside it. */
static double saturation_next(const struct saturation_work *work,
                              const struct nb_saturation *found)
{
    const double last = fmax(work->stable, work->doubt_last);
    if (isinf(found->upper))
        return last >= work->most ? 0
               : last == 0        ? work->first
                                  : fmin(2 * last, work->most);
    const bool has_doubt = !isinf(work->doubt_first);
    /* What is next to undecided rates is worth trying only in the end. */
    const bool is_early = work->plan.cycles < work->most_cycles && has_doubt;
    const double enough = work->precision * found->upper / (is_early ? 1 : 4);
    const double below =
        (has_doubt ? work->doubt_first : found->upper) - work->stable;
    const double above = has_doubt ? found->upper - work->doubt_last : 0;
    if (saturation_is_narrow(work, found) || fmax(below, above) <= enough)
        return 0;
    /* Beside the undecided rates, what would just be narrow enough is decided
     * sooner than what lies nearer to them. */
    const double share = 1 - 0.999 * work->precision;
    if (has_doubt && found->upper * share > work->stable &&
        found->upper * share < work->doubt_first)
        return found->upper * share;
    if (has_doubt && found->lower / share > work->doubt_last &&
        found->lower / share < found->upper)
        return found->lower / share;
    return below > above ? work->stable + below / 2 : found->upper - above / 2;
}

/* All rates that are worth trying in so many cycles. */
static enum nb_status saturation_narrow(struct saturation_work *work,
                                        struct nb_saturation *out,
                                        struct nb_error *err)
{
    enum nb_status status = NB_OK;
    saturation_forget(work);
    while (out->trial_count < NB_SATURATION_RATES && status == NB_OK) {
        const double rate = saturation_next(work, out);
        if (rate == 0 || rate > ldexp(work->first, SATURATION_DOUBLINGS))
            break;
        status = saturation_try(work, rate, out, err);
    }
    return status;
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
    };
    uint64_t cycles = plan->cycles / SATURATION_SHORTER;
    enum nb_status status = NB_OK;
    assert(first > 0 && first <= most && precision > 0);
    *out = (struct nb_saturation){ .lower = 0, .upper = INFINITY };
    if (cycles < SATURATION_LEAST)
        cycles = SATURATION_LEAST;
    do {
        work.plan.cycles = cycles < plan->cycles ? cycles : plan->cycles;
        NB_TRY(saturation_narrow(&work, out, err));
        cycles = work.plan.cycles * SATURATION_LONGER;
    } while (work.plan.cycles < plan->cycles && work.stable < most &&
             out->trial_count < NB_SATURATION_RATES &&
             !saturation_is_narrow(&work, out));
    out->is_narrow = saturation_is_narrow(&work, out);
    out->doubt_first = work.doubt_first;
    out->doubt_last = work.doubt_last;
done:
    return status;
}
