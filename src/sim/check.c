/* Whether a plan can be carried out, and results (declared in sim.h). */
#include "core/memory.h"
#include "sim/sim.h"

#include <math.h>

enum { CHECK_FLITS = 4096 };

uint32_t nb_most_flits(const struct nb_simulation *plan)
{
    const struct nb_trace *trace = plan->injection.trace;
    uint32_t longest = 1;
    if (plan->injection.kind != NB_INJECT_TRACE)
        return plan->injection.flits;
    for (size_t p = 0; p < trace->count; p++)
        if (trace->packets[p].flits > longest)
            longest = trace->packets[p].flits;
    return longest;
}

enum nb_status nb_simulation_check(const struct nb_simulation *plan,
                                   struct nb_error *err)
{
    const struct nb_injection *injection = &plan->injection;
    const bool has_rate = injection->kind != NB_INJECT_TRACE &&
                          injection->kind != NB_INJECT_BATCH;
    if (has_rate && !(injection->rate >= 0 && isfinite(injection->rate)))
        return nb_fail(err, NB_INVALID,
                       "rate %g packets/cycle (permitted: 0 and more)",
                       injection->rate);
    if (injection->kind != NB_INJECT_TRACE &&
        (injection->flits < 1 || injection->flits > CHECK_FLITS))
        return nb_fail(err, NB_INVALID,
                       "packets of %u flits (permitted: 1 to %d)",
                       injection->flits, CHECK_FLITS);
    if (plan->routing->kind->has_injection_queues &&
        plan->router.model == NB_ROUTER_IDEAL)
        return nb_fail(err, NB_INVALID,
                       "routing %s chooses by queues that fill up behind full "
                       "buffers, which the ideal router has not (permitted: "
                       "the credit router)",
                       plan->routing->kind->kind.name);
    if (plan->replications < 1)
        return nb_fail(err, NB_INVALID,
                       "0 replications (permitted: 1 and more)");
    if (has_rate && plan->cycles < 1)
        return nb_fail(err, NB_INVALID,
                       "0 cycles measured (permitted: 1 and more)");
    return NB_OK;
}

void nb_simulation_result_release(struct nb_simulation_result *result)
{
    nb_histogram_release(&result->latencies);
    nb_histogram_release(&result->reorder);
    for (size_t c = 0; c < result->class_count; c++)
        nb_histogram_release(&result->depths[c]);
    nb_delete(result->depths);
    nb_delete(result->utilisation);
    nb_delete(result->accepted_of);
    nb_delete(result->series);
    *result = (struct nb_simulation_result){ 0 };
}
