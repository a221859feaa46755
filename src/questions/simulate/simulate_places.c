/* How many packets wait at an input of the virtual router (declared in
 * simulate_plan.h). */
#include "questions/simulate/simulate_plan.h"

/* The places at an input. */
struct places {
    uint32_t reserved; /* for each virtual network */
    uint32_t queues;   /* of --buffer places .. */
    bool is_of_each;   /* .. of each virtual network */
    uint32_t least;    /* of --buffer */
};

static const struct places places_of[] = {
    [NB_SHARE_ROUTER] = { 0, 2, false, 1 }, /* N1 and N2 */
    [NB_SHARE_SLICES] = { 0, 1, false, 1 },
    [NB_SHARE_CYCLES] = { 0, 1, false, 1 },
    [NB_SHARE_CHANNELS] = { 1, 1, false, 0 },
    [NB_SHARE_SEPARATE] = { 0, 1, true, 1 },
};

static uint64_t places_queues(const struct nb_virtual *plan)
{
    const struct places *places = &places_of[plan->sharing];
    return (uint64_t)places->queues * (places->is_of_each ? plan->networks : 1);
}

static uint64_t places_reserved(const struct nb_virtual *plan)
{
    return (uint64_t)places_of[plan->sharing].reserved * plan->networks;
}

void nb_simulate_tell_places(const struct nb_simulate_told *told,
                             struct nb_point *out)
{
    const struct nb_virtual *shared = &told->plan.virtual_router;
    const uint64_t count =
        places_reserved(shared) +
        places_queues(shared) * (uint64_t)told->plan.router.buffer;
    if (told->plan.router.model == NB_ROUTER_VIRTUAL)
        nb_point_add_exact(out, "queue_places",
                           nb_ratio_make((int64_t)count, 1), "packets",
                           "counting", "Randall1994");
}

enum nb_status nb_simulate_share_places(uint64_t total,
                                        struct nb_simulation *plan,
                                        struct nb_error *err)
{
    const struct nb_virtual *shared = &plan->virtual_router;
    const uint64_t queues = places_queues(shared);
    const uint64_t reserved = places_reserved(shared);
    const uint64_t least = reserved + queues * places_of[shared->sharing].least;
    if (total < least)
        return nb_fail(err, NB_INVALID,
                       "a buffer-total of %llu packets at an input, where each "
                       "of %llu %s needs a place (permitted: %llu or more)",
                       (unsigned long long)total, (unsigned long long)least,
                       shared->sharing == NB_SHARE_ROUTER ? "logical networks"
                                                          : "virtual networks",
                       (unsigned long long)least);
    plan->router.buffer = (uint32_t)((total - reserved) / queues);
    return NB_OK;
}
