#include "sim/saturation.h"

#include <assert.h>
#include <math.h>

enum {
    SATURATION_SHORTER = 16, /* of the plan's cycles: most rates are decided */
    SATURATION_LEAST = 1024, /* [cycle] if the plan has so many */
    SATURATION_LONGER = 4,   /* times as many cycles for an undecided rate.. */
    SATURATION_AGAIN = 2,    /* ..so many times */
    SATURATION_DOUBLINGS = 10, /* of the first rate */
};

/* The rates of the bracket left undecided lie between these two. */
struct saturation_doubt {
    double first, last;
};
static const struct saturation_doubt saturation_none = { INFINITY, 0 };

/* One rate, until it is decided or was tried for as long as is permitted. */
static enum nb_status saturation_try(const struct nb_simulation *plan,
                                     double rate, const struct nb_run *run,
                                     struct nb_saturation *out,
                                     struct nb_error *err)
{
    struct nb_simulation here = *plan;
    struct nb_saturation_trial *trial = &out->trial[out->trial_count++];
    here.injection.rate = rate;
    here.cycles = plan->cycles / SATURATION_SHORTER;
    if (here.cycles < SATURATION_LEAST)
        here.cycles =
            plan->cycles < SATURATION_LEAST ? plan->cycles : SATURATION_LEAST;
    *trial = (struct nb_saturation_trial){ .rate = rate };
    for (int i = 0; i <= SATURATION_AGAIN; i++) {
        struct nb_simulation_result result = { 0 };
        const enum nb_status status = nb_simulate(&here, run, &result, err);
        trial->cycles = here.cycles;
        trial->stability = result.stability;
        trial->evidence = result.evidence;
        nb_simulation_result_release(&result);
        if (status != NB_OK || trial->stability != NB_UNDECIDED ||
            here.cycles >= plan->cycles)
            return status;
        here.cycles *= SATURATION_LONGER;
        if (here.cycles > plan->cycles)
            here.cycles = plan->cycles;
    }
    return NB_OK;
}

/* Tries a rate and narrows the bracket or widens the doubt by it. */
static enum nb_status saturation_step(const struct nb_simulation *plan,
                                      double rate, const struct nb_run *run,
                                      struct saturation_doubt *doubt,
                                      struct nb_saturation *out,
                                      struct nb_error *err)
{
    const enum nb_status status = saturation_try(plan, rate, run, out, err);
    if (status != NB_OK)
        return status;
    switch (out->trial[out->trial_count - 1].stability) {
    case NB_STABLE:
        out->lower = rate;
        if (rate > doubt->last)
            *doubt = saturation_none;
        break;
    case NB_SATURATED:
        out->upper = rate;
        if (rate < doubt->first)
            *doubt = saturation_none;
        break;
    case NB_UNDECIDED:
        doubt->first = fmin(doubt->first, rate);
        doubt->last = fmax(doubt->last, rate);
        break;
    }
    return NB_OK;
}

/* The next rate to try in a finite bracket; 0 if it is narrow enough, or what
 * is undecided leaves too little beside it. */
static double saturation_next(const struct nb_saturation *found,
                              const struct saturation_doubt *doubt,
                              double precision)
{
    const double enough = precision * found->upper;
    if (found->upper - found->lower <= enough)
        return 0;
    if (isinf(doubt->first))
        return found->lower / 2 + found->upper / 2;
    const double below = doubt->first - found->lower;
    const double above = found->upper - doubt->last;
    if (fmax(below, above) <= enough / 4)
        return 0;
    return below > above ? found->lower + below / 2 : found->upper - above / 2;
}

enum nb_status nb_saturation_find(const struct nb_simulation *plan,
                                  double first, double most, double precision,
                                  const struct nb_run *run,
                                  struct nb_saturation *out,
                                  struct nb_error *err)
{
    struct saturation_doubt doubt = saturation_none;
    double rate = first;
    enum nb_status status = NB_OK;
    assert(first > 0 && first <= most && precision > 0);
    *out = (struct nb_saturation){ .lower = 0, .upper = INFINITY };
    for (int i = 0; i <= SATURATION_DOUBLINGS && isinf(out->upper); i++) {
        NB_TRY(saturation_step(plan, rate, run, &doubt, out, err));
        if (rate == most)
            break;
        rate = fmin(2 * rate, most);
    }
    while (out->trial_count < NB_SATURATION_RATES && !isinf(out->upper)) {
        rate = saturation_next(out, &doubt, precision);
        if (rate == 0)
            break;
        NB_TRY(saturation_step(plan, rate, run, &doubt, out, err));
    }
done:
    return status;
}
