/* Neighbour: to the next router around a dimension. */
#include "traffic/pattern.h"

static uint32_t neighbour_step(uint32_t radix)
{
    (void)radix;
    return 1;
}

static enum nb_status neighbour_build(const struct nb_traffic_request *request,
                                      struct nb_traffic *out,
                                      struct nb_error *err)
{
    return nb_pattern_shift(
        request, neighbour_step,
        nb_specification_text(request->specification, "dims"), out, err);
}

const struct nb_traffic_kind nb_traffic_neighbour = {
    .kind = { .name = "neighbour",
              .summary = "x to x + 1 in dimension 0 or in all",
              .detail = "Modulo k. Coordinates are those of routers; terminal "
                        "t sends to terminal t. On networks without "
                        "coordinates, over the N terminals.",
              .parameters = nb_pattern_dims },
    .examples =
        "neighbour@mesh:8x8 neighbour:dims=all@torus:4x3 neighbour@complete:5",
    .is_by_place = true,
    .build = neighbour_build,
};
