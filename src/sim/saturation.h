/* Saturation: the rate above which a simulated network does not deliver all
 * that is sent, found by trying rates. */
#ifndef NB_SIM_SATURATION_H
#define NB_SIM_SATURATION_H

#include "sim/sim.h"

NB_PUBLIC_BEGIN

enum { NB_SATURATION_RATES = 64 }; /* maximum number of rates in a search */

/* A rate that was tried. */
struct nb_saturation_trial {
    double rate;     /* [packet/cycle] as nb_injection.rate */
    uint64_t cycles; /* [cycle] measured in a replication */
    enum nb_stability stability;
    const char *evidence; /* nb_simulation_result.evidence */
};

struct nb_saturation {
    double lower;   /* [packet/cycle] what the largest rate seen to be stable
                     * certainly carries; 0 if none was */
    double upper;   /* the least seen to be saturated, or the proved limit; +inf
                     * if neither */
    bool is_proved; /* upper is the plan's limit */
    bool is_narrow; /* at most the precision requested */
    /* The least and the largest rate undecided at the full number of cycles;
     * +inf and 0 if none. */
    double doubt_first, doubt_last;
    size_t trial_count;
    struct nb_saturation_trial trial[NB_SATURATION_RATES]; /* in order */
};

/*
 * Finds the saturation of a plan whose rate is left open: doubles the rate
 * while it is stable, or goes down from the plan's limit while it is not, then
 * bisects, with few of the plan's cycles; then repeatedly with 4 times more
 * cycles, up to all of them, until the bracket is narrow enough. The rates
 * below and above undecided ones are searched separately, and the bracket
 * encloses the undecided ones.
 *
 * plan       of injection by a rate; its rate is not read
 * first      [packet/cycle] to begin with if no limit is known, in (0,
 *            most]
 * most       [packet/cycle] that sources can send; +inf: any
 * precision  upper - lower <= precision upper ends the search, > 0; the plan's
 *            cycles and NB_SATURATION_RATES may end it before
 *
 * Errors: those of nb_simulate.
 */
enum nb_status nb_saturation_find(const struct nb_simulation *plan,
                                  double first, double most, double precision,
                                  const struct nb_run *run,
                                  struct nb_saturation *out,
                                  struct nb_error *err);

NB_PUBLIC_END

#endif
