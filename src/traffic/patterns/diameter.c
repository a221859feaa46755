/* Diameter: as far as possible in a torus, halfway around every dimension. */
#include "traffic/pattern.h"

static uint32_t diameter_step(uint32_t radix)
{
    return radix / 2;
}

static enum nb_status diameter_build(const struct nb_traffic_request *request,
                                     struct nb_traffic *out,
                                     struct nb_error *err)
{
    return nb_pattern_shift(request, diameter_step, "all", out, err);
}

const struct nb_traffic_kind nb_traffic_diameter = {
    .kind = { .name = "diameter",
              .aliases = "dia",
              .summary = "x to x + floor(k/2) in every dimension",
.detail = "Modulo k. Coordinates are those of routers; terminal t sends to terminal t. On networks without coordinates, over the N terminals.",},
    .examples = "diameter@torus:8x8 diameter@torus:5x4 diameter@complete:5",
    .is_by_place = true,
    .build = diameter_build,
};
