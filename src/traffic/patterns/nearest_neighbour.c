/* Nearest neighbour: every router's traffic is divided equally among its
 * outgoing channels. On irregular networks (a mesh), column sums differ. */
#include "traffic/traffic.h"

#include "core/try.h"

#include <inttypes.h>

/* The number of channels of a router to routers with terminals. */
static uint32_t neighbour_count(const struct nb_topology *topology,
                                uint32_t router)
{
    uint32_t count = 0;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++)
        count += topology->terminals[topology->channels[c].target] > 0;
    return count;
}

/* The least common multiple of the endpoints' counts. */
static enum nb_status
nearest_neighbour_denominator(const struct nb_traffic_request *request,
                              uint64_t *denominator, struct nb_error *err)
{
    uint64_t multiple = 1;
    for (size_t i = 0; i < request->endpoint_count; i++) {
        const uint32_t router = request->endpoint[i];
        const uint32_t count = neighbour_count(request->topology, router);
        if (count == 0)
            return nb_fail(err, NB_INVALID,
                           "traffic nearest-neighbour: router %" PRIu32
                           " has 0 neighbours with terminals (permitted: at "
                           "least 1)",
                           router);
        if (__builtin_mul_overflow(multiple / nb_gcd(multiple, count), count,
                                   &multiple))
            return nb_fail(err, NB_OVERFLOW,
                           "traffic nearest-neighbour: the common denominator "
                           "does not fit in 62 bits at router %" PRIu32
                           " of %" PRIu32 " neighbours",
                           router, count);
    }
    *denominator = multiple;
    return NB_OK;
}

static enum nb_status
nearest_neighbour_build(const struct nb_traffic_request *request,
                        struct nb_traffic *out, struct nb_error *err)
{
    const struct nb_topology *topology = request->topology;
    enum nb_status status;
    NB_TRY(nearest_neighbour_denominator(request, &out->denominator, err));
    for (size_t i = 0; i < request->endpoint_count; i++) {
        const uint32_t router = request->endpoint[i];
        uint64_t weight;
        if (__builtin_mul_overflow(out->denominator /
                                       neighbour_count(topology, router),
                                   topology->terminals[router], &weight))
            return nb_fail(err, NB_OVERFLOW,
                           "traffic nearest-neighbour: the rates of router "
                           "%" PRIu32 " do not fit in 64 bits",
                           router);
        for (uint32_t c = topology->out_start[router];
             c < topology->out_start[router + 1]; c++) {
            const uint32_t target = topology->channels[c].target;
            if (topology->terminals[target] > 0)
                NB_TRY(nb_traffic_add(out, router, target, weight, err));
        }
    }
done:
    return status;
}

const struct nb_traffic_kind nb_traffic_nearest_neighbour = {
    .kind = { .name = "nearest-neighbour",
              .aliases = "nn",
              .summary = "equally to all neighbouring routers",},
    .examples = "nearest-neighbour@torus:4x3 nearest-neighbour@mesh:4x3 "
                "nearest-neighbour@ccc:3 nearest-neighbour@hypercube:3",
    .build = nearest_neighbour_build,
};
