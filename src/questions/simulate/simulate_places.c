/* How many packets may wait at an input of the virtual router (declared in
 * simulate_plan.h). */
#include "questions/simulate/simulate_plan.h"

void nb_simulate_report_places(const struct nb_simulate_answer *answer,
                               struct nb_point *out)
{
    const struct nb_places places =
        nb_virtual_places(&answer->plan.virtual_router);
    const uint64_t count =
        places.reserved + places.queues * (uint64_t)answer->plan.router.buffer;
    if (answer->plan.router.model == NB_ROUTER_VIRTUAL)
        nb_point_add_exact(out, "queue_places",
                           nb_ratio_make((int64_t)count, 1), "packets",
                           "counting", "Randall1994");
}

enum nb_status nb_simulate_share_places(uint64_t total,
                                        struct nb_simulation *plan,
                                        struct nb_error *err)
{
    const struct nb_virtual *shared = &plan->virtual_router;
    const struct nb_places places = nb_virtual_places(shared);
    /* Each network has at least one reserved place. */
    const uint64_t least =
        places.reserved > 0 ? places.reserved : places.queues;
    if (total < least)
        return nb_fail(err, NB_INVALID,
                       "a buffer-total of %llu packets at an input: each of "
                       "the %llu %s needs a place (permitted: %llu or more)",
                       (unsigned long long)total, (unsigned long long)least,
                       shared->sharing == NB_SHARE_ROUTER ? "logical networks"
                                                          : "virtual networks",
                       (unsigned long long)least);
    plan->router.buffer = (uint32_t)((total - places.reserved) / places.queues);
    return NB_OK;
}
