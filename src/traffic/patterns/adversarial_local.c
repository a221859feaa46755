/* Adversarial-local: every router sends to one other router of its group, so
 * that one channel is on all shortest paths from its terminals. */
#include "traffic/group_pattern.h"

#include "core/memory.h"

#include <inttypes.h>

/* The routers of a group that have terminals, ascending. */
static uint32_t adversarial_local_find_ring(const struct nb_topology *topology,
                                            uint32_t group, uint32_t *ring)
{
    const struct nb_groups *groups = &topology->groups;
    uint32_t count = 0;
    for (uint32_t m = groups->start[group]; m < groups->start[group + 1]; m++)
        if (topology->terminals[groups->member[m]] > 0)
            ring[count++] = groups->member[m];
    return count;
}

/* The routers with terminals in the smallest group: an offset that is not a
 * multiple of their number is valid in every group. Groups without terminals do
 * not count. */
static enum nb_status
adversarial_local_find_smallest(const struct nb_traffic_request *request,
                                uint32_t *ring, uint32_t *smallest,
                                struct nb_error *err)
{
    *smallest = NB_NONE;
    for (uint32_t g = 0; g < request->topology->groups.count; g++) {
        const uint32_t count =
            adversarial_local_find_ring(request->topology, g, ring);
        if (count == 1)
            return nb_fail(err, NB_INVALID,
                           "traffic %s: group %" PRIu32
                           " has 1 router with terminals (permitted: at "
                           "least 2)",
                           request->specification->kind->name, g);
        if (count > 0 && count < *smallest)
            *smallest = count;
    }
    return NB_OK;
}

static void adversarial_local_fill(const struct nb_traffic_request *request,
                                   int64_t offset, uint32_t *ring,
                                   uint32_t *place, uint32_t *map)
{
    for (size_t i = 0; i < request->endpoint_count; i++)
        place[request->endpoint[i]] = (uint32_t)i;
    for (uint32_t g = 0; g < request->topology->groups.count; g++) {
        const uint32_t count =
            adversarial_local_find_ring(request->topology, g, ring);
        for (uint32_t i = 0; i < count; i++)
            map[place[ring[i]]] =
                place[ring[nb_group_pattern_shift(i, offset, count)]];
    }
}

/*
 * Among the n routers with terminals of a group, in order, all terminals of
 * router i send to those of router (i + offset) mod n:
 *
 *     rate(i, (i + offset) mod n) = terminals_i
 *
 * Both routers must have the same number of terminals.
 *
 * Source: [Benito2020, section 3.2.2.1], ADVL, offset = 1.
 */
static enum nb_status
adversarial_local_build(const struct nb_traffic_request *request,
                        struct nb_traffic *out, struct nb_error *err)
{
    const size_t routers = request->topology->router_count;
    struct nb_pool pool = { 0 };
    uint32_t smallest;
    int64_t offset;
    size_t offset_count;
    enum nb_status status;
    NB_TRY(nb_group_pattern_require(request, 1, err));
    uint32_t *ring = nb_pool_array(&pool, routers, sizeof *ring);
    uint32_t *place = nb_pool_array(&pool, routers, sizeof *place);
    uint32_t *map = nb_pool_array(&pool, request->endpoint_count, sizeof *map);
    NB_TRY(nb_pool_check(&pool, "destinations", err));
    NB_TRY(adversarial_local_find_smallest(request, ring, &smallest, err));
    NB_TRY(nb_group_pattern_offsets_read(request, smallest, 1, &offset,
                                         &offset_count, err));
    adversarial_local_fill(request, offset, ring, place, map);
    NB_TRY(nb_traffic_add_map(request, map, out, err));
done:
    nb_pool_release(&pool);
    return status;
}

static const struct nb_parameter adversarial_local_parameters[] = {
    NB_PARAMETER("offset", WORD, "1",
                 "distance in routers within the group, modulo their number",
                 .detail = "May be negative.", .is_leading = true),
    { 0 },
};

const struct nb_traffic_kind nb_traffic_adversarial_local = {
    .kind = { .name = "adversarial-local",
              .aliases = "advl",
              .summary = "every router to the next one of its group",
              .parameters = adversarial_local_parameters },
    .examples = "adversarial-local@dragonfly:h=1 "
                "adversarial-local:-1@dragonfly:h=2 "
                "adversarial-local:offset=2@hyperx:4x3,p=2 "
                "adversarial-local@fattree:k=2,n=3",
    .is_by_place = true,
    .build = adversarial_local_build,
};
