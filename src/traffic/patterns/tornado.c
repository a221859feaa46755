/* Tornado: almost halfway around a dimension. */
#include "traffic/pattern.h"

static uint32_t tornado_step(uint32_t radix)
{
    return radix - radix / 2 - 1; /* ceil(k/2) - 1 */
}

static enum nb_status tornado_build(const struct nb_traffic_request *request,
                                    struct nb_traffic *out,
                                    struct nb_error *err)
{
    return nb_pattern_shift(
        request, tornado_step,
        nb_specification_text(request->specification, "dims"), out, err);
}

const struct nb_traffic_kind nb_traffic_tornado = {
    .kind = { .name = "tornado",
              .aliases = "tor",
              .summary = "x to x + ceil(k/2) - 1 in dimension 0 or all",
              .detail = "Modulo k. Coordinates are those of routers; terminal "
                        "t sends to terminal t. On networks without "
                        "coordinates, over the N terminals.",
              .parameters = nb_pattern_dims },
    .examples = "tornado@torus:8x8 tornado:dims=all@torus:9x4 tornado@ring:8 "
                "tornado@complete:9",
    .is_by_place = true,
    .build = tornado_build,
};
