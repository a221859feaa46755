/* Adversarial-consecutive: every group sends to the groups after it; in a
 * palmtree Dragonfly, one router's global channels lead to all of these. */
#include "traffic/group_pattern.h"

#include "core/try.h"

#include <inttypes.h>

/* The largest number of global channels per router; h in a Dragonfly. */
static uint32_t
adversarial_consecutive_find_width(const struct nb_topology *topology)
{
    uint32_t most = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        uint32_t count = 0;
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++)
            count += nb_channel_is_global(topology, c);
        if (topology->groups.of[r] != NB_NONE && count > most)
            most = count;
    }
    return most;
}

/* Offsets +1 to +count; where routers have more global channels than there are
 * other groups, all other groups. */
static enum nb_status
adversarial_consecutive_find_count(const struct nb_traffic_request *request,
                                   uint32_t *count, struct nb_error *err)
{
    const uint32_t most = request->topology->groups.count - 1;
    const int64_t wanted =
        nb_specification_whole(request->specification, "count");
    const uint32_t width =
        adversarial_consecutive_find_width(request->topology);
    *count = wanted > 0 ? (uint32_t)wanted : width < most ? width : most;
    if (*count <= most)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "traffic %s: count %" PRId64
                   " is not permitted (permitted: from 1 to %" PRIu32
                   ", or 0 for the global channels of a router)",
                   request->specification->kind->name, wanted, most);
}

/*
 * With T terminals in each of G groups and m = count, every terminal of group
 * g sends 1/m evenly to the terminals of each group (g + o) mod G, o = 1..m:
 *
 *     rate(i, j) = terminals_i terminals_j / (T m)
 *
 * Source: [Benito2020, section 3.2.2.1], ADVC, m = h.
 */
static enum nb_status
adversarial_consecutive_build(const struct nb_traffic_request *request,
                              struct nb_traffic *out, struct nb_error *err)
{
    uint64_t terminals;
    uint32_t count;
    enum nb_status status;
    NB_TRY(nb_group_pattern_terminals(request, &terminals, err));
    NB_TRY(adversarial_consecutive_find_count(request, &count, err));
    out->denominator = terminals * count;
    for (uint32_t o = 1; o <= count; o++)
        NB_TRY(nb_group_pattern_add(request, o, out, err));
done:
    return status;
}

static const struct nb_parameter adversarial_consecutive_parameters[] = {
    NB_PARAMETER("count", WHOLE, "0",
                 "number of groups; 0: the global channels of a router",
                 .is_leading = true, .least = 0, .most = (double)(NB_NONE - 1)),
    { 0 },
};

const struct nb_traffic_kind nb_traffic_adversarial_consecutive = {
    .kind = { .name = "adversarial-consecutive",
              .aliases = "advc",
              .summary = "every group to its next groups",
              .detail =
                  "Equally to the next h groups, where a router has h global "
                  "channels.",
              .parameters = adversarial_consecutive_parameters },
    .examples = "adversarial-consecutive@dragonfly:h=1 "
                "adversarial-consecutive@dragonfly:h=2 "
                "adversarial-consecutive:count=1@dragonfly:h=2 "
                "adversarial-consecutive:8@dragonfly:h=2 "
                "adversarial-consecutive@clos:2x2x4,up=2x2 "
                "adversarial-consecutive@fattree:k=2,n=3",
    .is_by_place = true,
    .build = adversarial_consecutive_build,
};
